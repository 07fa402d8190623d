"""Claims about Gaussian maxima and noisy selection: Lemmas A.5 to A.8, F.1 and F.2 (wzw25).

Everything is decided exactly, in `gaussian_checks` (tails) and `gaussian_means`; the printed proofs are in
`gaussian_steps`. `factor` makes the noise that many times as large as the statement thinks, unless a claim says
otherwise; at `factor` > 1 the same check must come out REFUTED.

Claims about the printed proofs of Corollary A.6 and Lemmas A.7, F.1 and F.2 (wzw25), step by step.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from flint import arb

from bounds.exact.balls import enclosure, exact, upper_end
from bounds.exact.certify import certify
from bounds.exact.gaussian_maxima import mean_max
from bounds.wzw25 import gaussian_maxima
from experiments.checks.gaussian_means import decide_count_mean, decide_jensen, decide_max_mean, total_mean_gap
from experiments.checks.gaussian_tails import (
    ENDS,
    MAXIMUM,
    MEAN_COST,
    MEAN_NOISE,
    ONLY_TO_ONE,
    ONLY_TO_ROOT_TWO,
    PRINTED_MAX,
    PRINTED_RANGE,
    RANGE,
    RANGE_NOISE,
    SCALED,
    SHIFTED,
    TAIL_COST,
    TAIL_NOISE,
    TWICE_MAXIMUM,
    construction,
    decide_identity,
    decide_tail,
    decide_two_ends,
    formula,
    lattice,
)
from experiments.engine.claim import Control, exact_claim
from experiments.engine.verdict import holds, inconclusive, refuted

# Lemma A.5 ------------------------------------------------------------------------------------------------


@exact_claim(gaussian_maxima.max_mean, control=MEAN_NOISE, cost=MEAN_COST, nonvacuous_from=lambda: 1)
def maximum_mean(*, factor=1):
    """E max of n Gaussians against sigma sqrt(2 log n)."""
    return decide_max_mean(gaussian_maxima.max_mean, size="n", factor=factor)


@exact_claim(
    gaussian_maxima.max_threshold,
    **PRINTED_MAX,
    cost=TAIL_COST,
    severity="statement",
    nonvacuous_from=lambda: 1,
)
def maximum_tail(*, sigma, factor=1):
    """P(max >= printed level) against beta."""
    return decide_tail(gaussian_maxima.max_threshold, MAXIMUM, sigma=sigma, factor=factor, note=ONLY_TO_ONE)


@exact_claim(
    gaussian_maxima.max_threshold_scaled, **SCALED, control=TAIL_NOISE, cost=TAIL_COST, nonvacuous_from=lambda: 1
)
def maximum_tail_scaled(*, sigma, factor=1):
    """P(max >= level) against beta, sigma in both terms."""
    return decide_tail(gaussian_maxima.max_threshold_scaled, MAXIMUM, sigma=sigma, factor=factor)


# Corollary A.6 --------------------------------------------------------------------------------------------


@exact_claim(
    gaussian_maxima.range_threshold,
    **PRINTED_RANGE,
    cost=TAIL_COST,
    severity="statement",
    nonvacuous_from=lambda: 2,
)
def range_tail(*, sigma, factor=1):
    """P(range >= printed level) against beta."""
    return decide_tail(gaussian_maxima.range_threshold, RANGE, sigma=sigma, factor=factor, note=ONLY_TO_ROOT_TWO)


@exact_claim(
    gaussian_maxima.range_threshold_scaled, **SCALED, control=RANGE_NOISE, cost=TAIL_COST, nonvacuous_from=lambda: 2
)
def range_tail_scaled(*, sigma, factor=1):
    """P(range >= level) against beta, sigma in both terms."""
    return decide_tail(gaussian_maxima.range_threshold_scaled, RANGE, sigma=sigma, factor=factor)


# Lemma A.7, Remark A.8 ------------------------------------------------------------------------------------

NARROW = {"eta": (0.0, 2.0), "w": (math.log(1e-2), math.log(0.9))}
WIDE = {"eta": (-0.9, 5.0), "w": (math.log(1e-6), math.log(0.99))}
GEOMETRIC = {"eta": (1.0, 1.0), "w": (math.log(1e-9), math.log(0.99))}
AT_ZERO = "at eta = 0 the fraction is 0/0 and read as its limit, E K of Definition A.1"
MIN_NOTE = (
    "the display bounds the minimum, whose mean is at most E xi_1 = 0; the title means the maximum (part max); "
) + AT_ZERO
MAX_NOTE = "E max <= E sqrt(2 log K) <= sqrt(2 log E K); " + AT_ZERO
GEOMETRIC_NOTE = "Lemma A.7 at eta = 1, where E K = 1/r"


@exact_claim(gaussian_maxima.count_min_mean, control=SHIFTED, cost=0.2, given=("wzw25.lemA.7.s2/printed",))
def count_minimum(*, factor=1):
    """E min of K against the display."""
    return decide_count_mean(gaussian_maxima.count_min_mean, box=WIDE, shift=factor - 1.0, minimum=True, note=MIN_NOTE)


@exact_claim(
    gaussian_maxima.count_max_mean,
    quick=({"box": "narrow"},),
    full=({"box": "wide"},),
    control=MEAN_NOISE,
    cost=1.0,
    given=(
        "wzw25.lemA.5/printed/mean",
        "wzw25.lemA.7.s3/printed",
        "wzw25.lemA.7.s4/printed",
        "wzw25.lemA.7.s5/printed",
    ),
)
def count_maximum(*, box, factor=1):
    """E max of K against the same bound."""
    box = {"narrow": NARROW, "wide": WIDE}[box]
    return decide_count_mean(gaussian_maxima.count_max_mean, box=box, factor=factor, note=MAX_NOTE)


@exact_claim(gaussian_maxima.geometric_min_mean, control=SHIFTED, cost=0.2, given=("wzw25.lemA.7/printed/min",))
def geometric_minimum(*, factor=1):
    """E min of a geometric number."""
    return decide_count_mean(
        gaussian_maxima.geometric_min_mean, box=GEOMETRIC, shift=factor - 1.0, minimum=True, note=GEOMETRIC_NOTE
    )


@exact_claim(gaussian_maxima.geometric_max_mean, control=MEAN_NOISE, cost=0.7, given=("wzw25.lemA.7/printed/max",))
def geometric_maximum(*, factor=1):
    """E max of a geometric number."""
    return decide_count_mean(gaussian_maxima.geometric_max_mean, box=GEOMETRIC, factor=factor, note=GEOMETRIC_NOTE)


# Corollary A.6 --------------------------------------------------------------------------------------------


@exact_claim(gaussian_maxima.range_reaches, control=Control("interval {} times as wide", (1.5, 2, 4)), cost=0.05)
def inclusion(*, factor=1):
    """{range >= t} lies in the event that the interval is left: every sign pattern, tie and boundary on a lattice."""
    checked = 0
    for n, t in itertools.product((1, 2, 3), (0.0, 1.0, 2.0, 3.0, 4.0)):
        noise = lattice(np.arange(-2.0, 2.5, 0.5), n)
        reaches = gaussian_maxima.range_reaches(noise=noise, t=t)[0]
        leaves = gaussian_maxima.range_reaches(noise=noise, t=factor * t)[1]
        bad = np.flatnonzero(reaches & ~leaves)
        checked += len(noise)
        if bad.size:
            point = {"noise": noise[bad[0]].tolist(), "t": t}
            return refuted("enumeration", construction(point, "range >= t implies leaving the interval", False))
    note = (
        f"-t/2 < m and M < t/2 give M - m < t; {checked} lattice points agree. At n = 1 the printed m < M is impossible"
    )
    return holds("derivation", "everywhere", note=note)


@exact_claim(gaussian_maxima.two_ends, control=Control("right side / {}", (1.5, 3)), cost=0.05)
def union_over_ends(*, factor=1):
    """The printed right side is 1."""
    return decide_two_ends(
        gaussian_maxima.two_ends,
        factor,
        "m >= -t/2 is a slip for m <= -t/2: the printed right side is 1, so it is true",
    )


@exact_claim(gaussian_maxima.two_ends_mirrored, control=Control("right side / {}", (1.5, 3)), cost=0.05)
def union_over_ends_mirrored(*, factor=1):
    """The union bound as it is meant."""
    return decide_two_ends(gaussian_maxima.two_ends_mirrored, factor, "union bound over M >= t/2 and m <= -t/2")


@exact_claim(
    gaussian_maxima.both_ends_alike,
    cost=0.05,
    severity="cosmetic",
)
def symmetry_of_ends(*, factor=1):
    """P(M >= t/2) + P(m >= -t/2) against 2 P(M >= t/2), as printed."""
    more = "m >= -t/2 is a slip for m <= -t/2: as printed the left side is 1 for every t"
    sides = formula(gaussian_maxima.both_ends_alike)
    found = decide_identity(sides, ENDS, says="sum over the ends = 2 P(M >= t/2)", more=more)
    if found.witness:
        p = found.witness["point"]
        found.witness["python"] = (
            "from bounds.wzw25 import gaussian_maxima\n\n"
            f"left, right = gaussian_maxima.both_ends_alike(n={p['n']}, sigma={p['sigma']}, t={p['t']})\n"
            "assert left > right or right > left, (left, right)\n"
        )
    return found


@exact_claim(gaussian_maxima.both_ends_mirrored, control=Control("2 replaced by 2 x {}", (1.001, 2)), cost=0.05)
def symmetry_of_ends_mirrored(*, factor=1):
    """P(M >= t/2) + P(m <= -t/2) = 2 P(M >= t/2): -xi has the law of xi."""

    def sides(**point):
        left, right = formula(gaussian_maxima.both_ends_mirrored)(**point)
        return left, exact(factor) * right

    return decide_identity(sides, ENDS, says="sum over the ends = 2 P(M >= t/2)", more="-xi has the law of xi")


@exact_claim(
    gaussian_maxima.half_range_threshold,
    **PRINTED_MAX,
    cost=TAIL_COST,
    severity="statement",
)
def half_range_tail(*, sigma, factor=1):
    """2 P(M >= half the printed level) against beta."""
    return decide_tail(
        gaussian_maxima.half_range_threshold, TWICE_MAXIMUM, sigma=sigma, factor=factor, note=ONLY_TO_ONE
    )


@exact_claim(
    gaussian_maxima.half_range_threshold_scaled,
    **SCALED,
    control=TAIL_NOISE,
    cost=TAIL_COST,
    given=("wzw25.lemA.5/corrected/tail",),
)
def half_range_tail_scaled(*, sigma, factor=1):
    """2 P(M >= half the level) against beta, sigma in both terms."""
    return decide_tail(gaussian_maxima.half_range_threshold_scaled, TWICE_MAXIMUM, sigma=sigma, factor=factor)


# Lemma A.7 ------------------------------------------------------------------------------------------------


@exact_claim(gaussian_maxima.total_expectation, control=Control("r / {} in the series", (1.01, 2)), cost=0.3)
def total_expectation(*, factor=1):
    """E min of K by the generating function against the series over the values of K."""
    widest = 0.0
    for eta in (-0.5, 0, 1, 2):
        gap, rest = total_mean_gap(eta, exact(0.5), 60, exact(factor))
        if gap > rest + arb("1e-10"):
            return refuted("certificate", construction({"eta": eta, "r": 0.5}, "integral = series", str(float(gap))))
        widest = max(widest, upper_end(gap))
    if widest > 1e-8:
        return inconclusive("BUDGET", f"integral and series differ by at most {widest:.2g}")
    note = (
        f"the law of total expectation; integral and series agree to {widest:.1g} at r = 0.5, eta in {{-0.5, 0, 1, 2}}"
    )
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note=note)


@exact_claim(gaussian_maxima.min_mean, control=SHIFTED, cost=0.1, given=("wzw25.lemA.5/printed/mean",))
def fixed_minimum(*, factor=1):
    """E min of j against sigma sqrt(2 log j): no more than E xi_1."""
    bound = formula(gaussian_maxima.min_mean)

    def excess(j):
        return exact(factor - 1.0) - mean_max(j) - bound(j=exact(j), sigma=arb(1))

    # Minus the mean maximum and minus the bound both fall in j, so j = 1 is the worst size.
    if excess(1) > 0:
        sides = exact(factor - 1.0), exact(0)
        witness = construction({"j": 1}, "E min <= 0", f"{float(sides[0]):g}")
        return refuted("certificate", witness | {"lhs": enclosure(sides[0]), "rhs": enclosure(sides[1])})
    if not all(upper_end(excess(j)) <= 0 for j in (1, 2, 10, 10**6, 10**12)):
        return inconclusive("BUDGET", "undecided")
    return holds("derivation", "everywhere", note="E min of j <= E xi_1 = 0 <= bound; equality at j = 1")


@exact_claim(gaussian_maxima.root_outside, control=Control("power {}/2 for the square root", (1.5, 3)), cost=0.05)
def jensen_for_the_root(*, factor=1):
    """E sqrt(log K) <= sqrt(E log K)."""
    step = formula(gaussian_maxima.root_outside)
    return decide_jensen(lambda eta, r: step(eta=eta, r=r, power=factor / 2), "the square root is concave, log K >= 0")


@exact_claim(gaussian_maxima.logarithm_outside, control=Control("logarithm to the power {}", (1.5, 2, 4)), cost=0.05)
def jensen_for_the_logarithm(*, factor=1):
    """E log K <= log E K."""
    step = formula(gaussian_maxima.logarithm_outside)
    return decide_jensen(lambda eta, r: step(eta=eta, r=r, power=factor), "the logarithm is concave")


@exact_claim(gaussian_maxima.root_log_curvature, control=Control("power {}/2 for the square root", (1.5, 3)), cost=0.01)
def jensen_once(*, factor=1):
    """sqrt(log x) is concave on (1, inf): the sign of its second derivative."""
    power = factor / 2

    def sign(x):  # p - 1 - log x falls in x, so the left end of a box bounds it
        return formula(gaussian_maxima.root_log_curvature)(x=x, power=power)

    found = certify(lambda x: sign(x[0]), sign, {"x": (1.0, 1e300)}, 0)
    if found.outcome == "REFUTED":
        sign_there = float(sign(found.point["x"]))
        return refuted("certificate", construction(found.point, "second derivative < 0", f"sign of {sign_there:g}"))
    if found.outcome != "HOLDS" or not power < 1:
        return inconclusive("BUDGET", f"sign <= {found.bound:.3g}")
    return holds("derivation", "everywhere", note=f"p - 1 - log x <= {found.bound:g} < 0 for every x > 1, p = 1/2")


@exact_claim(
    gaussian_maxima.mean_inserted,
    control=Control("eta times {} in the fraction", (1.01, 2)),
    cost=0.3,
    given=("wzw25.defA.1/printed/mean",),
)
def mean_of_the_count(*, factor=1):
    """E K summed from the printed probabilities against the printed fraction."""

    def sides(eta, r):
        summed, _ = formula(gaussian_maxima.mean_inserted)(eta=eta, r=r)
        return summed, formula(gaussian_maxima.mean_inserted)(eta=exact(factor) * eta, r=r)[1]

    points = [{"eta": eta, "r": r} for eta in (-0.9, -0.5, 1e-9, 1, 5) for r in (0.9, 0.5, 0.05)]
    return decide_identity(sides, points, says="E K = eta (1-r) / (r (1-r^eta))", more="derivative of E x^K at 1")


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
