"""Claims about the printed proofs of Corollary A.6 and Lemmas A.7, F.1 and F.2 (wzw25), step by step."""

from __future__ import annotations

import itertools

import numpy as np
from flint import arb

from bounds import gaussian_steps
from bounds.certify import certify, enclosure, exact, upper_end
from bounds.maxima import mean_max
from experiments.claim import Sabotage, exact_claim, holds, inconclusive, refuted
from experiments.gaussian_checks import (
    ENDS,
    MEAN_NOISE,
    NOISE_RANGE,
    ONLY_TO_ONE,
    ONLY_TO_ROOT_TWO,
    PRINTED_MAX,
    PRINTED_RANGE,
    RANGE_NOISE,
    SCALED,
    SHIFTED,
    TAIL_COST,
    TAIL_NOISE,
    TWICE_MAXIMUM,
    construction,
    decide_identity,
    decide_pathwise,
    decide_tail,
    decide_two_ends,
    formula,
    lattice,
    worst_chosen,
)
from experiments.gaussian_means import decide_jensen, decide_max_mean, total_mean_gap

# Corollary A.6 --------------------------------------------------------------------------------------------


@exact_claim(gaussian_steps.range_reaches, control=Sabotage("interval {} times as wide", (1.5, 2, 4)), cost=0.05)
def inclusion(*, factor=1):
    """{range >= t} lies in the event that the interval is left: every sign pattern, tie and boundary on a lattice."""
    checked = 0
    for n, t in itertools.product((1, 2, 3), (0.0, 1.0, 2.0, 3.0, 4.0)):
        noise = lattice(np.arange(-2.0, 2.5, 0.5), n)
        reaches = gaussian_steps.range_reaches(noise=noise, t=t)[0]
        leaves = gaussian_steps.range_reaches(noise=noise, t=factor * t)[1]
        bad = np.flatnonzero(reaches & ~leaves)
        checked += len(noise)
        if bad.size:
            point = {"noise": noise[bad[0]].tolist(), "t": t}
            return refuted("enumeration", construction(point, "range >= t implies leaving the interval", False))
    note = (
        f"-t/2 < m and M < t/2 give M - m < t; {checked} lattice points agree. At n = 1 the printed m < M is impossible"
    )
    return holds("derivation", "everywhere", note=note)


@exact_claim(gaussian_steps.two_ends, control=Sabotage("right side / {}", (1.5, 3)), cost=0.05)
def union_over_ends(*, factor=1):
    """The printed right side is 1."""
    return decide_two_ends(
        gaussian_steps.two_ends, factor, "m >= -t/2 is a slip for m <= -t/2: the printed right side is 1, so it is true"
    )


@exact_claim(gaussian_steps.two_ends_mirrored, control=Sabotage("right side / {}", (1.5, 3)), cost=0.05)
def union_over_ends_mirrored(*, factor=1):
    """The union bound as it is meant."""
    return decide_two_ends(gaussian_steps.two_ends_mirrored, factor, "union bound over M >= t/2 and m <= -t/2")


@exact_claim(
    gaussian_steps.both_ends_alike,
    cost=0.05,
    severity="cosmetic",
    corrected_by="wzw25.corA.6.s3/corrected",
)
def symmetry_of_ends(*, factor=1):
    """P(M >= t/2) + P(m >= -t/2) against 2 P(M >= t/2), as printed."""
    more = "m >= -t/2 is a slip for m <= -t/2: as printed the left side is 1 for every t"
    sides = formula(gaussian_steps.both_ends_alike)
    found = decide_identity(sides, ENDS, says="sum over the ends = 2 P(M >= t/2)", more=more)
    if found.witness:
        p = found.witness["point"]
        found.witness["python"] = (
            "from bounds import gaussian_steps\n\n"
            f"left, right = gaussian_steps.both_ends_alike(n={p['n']}, sigma={p['sigma']}, t={p['t']})\n"
            "assert left > right or right > left, (left, right)\n"
        )
    return found


@exact_claim(gaussian_steps.both_ends_mirrored, control=Sabotage("2 replaced by 2 x {}", (1.001, 2)), cost=0.05)
def symmetry_of_ends_mirrored(*, factor=1):
    """P(M >= t/2) + P(m <= -t/2) = 2 P(M >= t/2): -xi has the law of xi."""

    def sides(**point):
        left, right = formula(gaussian_steps.both_ends_mirrored)(**point)
        return left, exact(factor) * right

    return decide_identity(sides, ENDS, says="sum over the ends = 2 P(M >= t/2)", more="-xi has the law of xi")


@exact_claim(
    gaussian_steps.half_range_threshold,
    **PRINTED_MAX,
    cost=TAIL_COST,
    severity="statement",
    corrected_by="wzw25.corA.6.s4/corrected",
)
def half_range_tail(*, sigma, factor=1):
    """2 P(M >= half the printed level) against beta."""
    return decide_tail(gaussian_steps.half_range_threshold, TWICE_MAXIMUM, sigma=sigma, factor=factor, note=ONLY_TO_ONE)


@exact_claim(
    gaussian_steps.half_range_threshold_scaled,
    **SCALED,
    control=TAIL_NOISE,
    cost=TAIL_COST,
    given=("wzw25.lemA.5/corrected/tail",),
)
def half_range_tail_scaled(*, sigma, factor=1):
    """2 P(M >= half the level) against beta, sigma in both terms."""
    return decide_tail(gaussian_steps.half_range_threshold_scaled, TWICE_MAXIMUM, sigma=sigma, factor=factor)


# Lemma A.7 ------------------------------------------------------------------------------------------------


@exact_claim(gaussian_steps.total_expectation, control=Sabotage("r / {} in the series", (1.01, 2)), cost=0.3)
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


@exact_claim(gaussian_steps.min_mean, control=SHIFTED, cost=0.1, given=("wzw25.lemA.5/printed/mean",))
def fixed_minimum(*, factor=1):
    """E min of j against sigma sqrt(2 log j): no more than E xi_1."""
    bound = formula(gaussian_steps.min_mean)

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


@exact_claim(gaussian_steps.root_outside, control=Sabotage("power {}/2 for the square root", (1.5, 3)), cost=0.05)
def jensen_for_the_root(*, factor=1):
    """E sqrt(log K) <= sqrt(E log K)."""
    step = formula(gaussian_steps.root_outside)
    return decide_jensen(lambda eta, r: step(eta=eta, r=r, power=factor / 2), "the square root is concave, log K >= 0")


@exact_claim(gaussian_steps.logarithm_outside, control=Sabotage("logarithm to the power {}", (1.5, 2, 4)), cost=0.05)
def jensen_for_the_logarithm(*, factor=1):
    """E log K <= log E K."""
    step = formula(gaussian_steps.logarithm_outside)
    return decide_jensen(lambda eta, r: step(eta=eta, r=r, power=factor), "the logarithm is concave")


@exact_claim(gaussian_steps.root_log_curvature, control=Sabotage("power {}/2 for the square root", (1.5, 3)), cost=0.01)
def jensen_once(*, factor=1):
    """sqrt(log x) is concave on (1, inf): the sign of its second derivative."""
    power = factor / 2

    def sign(x):  # p - 1 - log x falls in x, so the left end of a box bounds it
        return formula(gaussian_steps.root_log_curvature)(x=x, power=power)

    found = certify(lambda x: sign(x[0]), sign, {"x": (1.0, 1e300)}, 0)
    if found.verdict == "REFUTED":
        sign_there = float(sign(found.point["x"]))
        return refuted("certificate", construction(found.point, "second derivative < 0", f"sign of {sign_there:g}"))
    if found.verdict != "HOLDS" or not power < 1:
        return inconclusive("BUDGET", f"sign <= {found.bound:.3g}")
    return holds("derivation", "everywhere", note=f"p - 1 - log x <= {found.bound:g} < 0 for every x > 1, p = 1/2")


@exact_claim(
    gaussian_steps.mean_inserted,
    control=Sabotage("eta times {} in the fraction", (1.01, 2)),
    cost=0.3,
    given=("wzw25.defA.1/printed/mean",),
)
def mean_of_the_count(*, factor=1):
    """E K summed from the printed probabilities against the printed fraction."""

    def sides(eta, r):
        summed, _ = formula(gaussian_steps.mean_inserted)(eta=eta, r=r)
        return summed, formula(gaussian_steps.mean_inserted)(eta=exact(factor) * eta, r=r)[1]

    points = [{"eta": eta, "r": r} for eta in (-0.9, -0.5, 1e-9, 1, 5) for r in (0.9, 0.5, 0.05)]
    return decide_identity(sides, points, says="E K = eta (1-r) / (r (1-r^eta))", more="derivative of E x^K at 1")


# Lemmas F.1 and F.2 ---------------------------------------------------------------------------------------

CHOSEN_BY = Sabotage("chosen under noise {} times as large", (2, 3, 5))


@exact_claim(gaussian_steps.chosen_against_noisy_minimum, control=CHOSEN_BY, cost=0.05)
def chosen_and_noisy_minimum(*, factor=1):
    """U_out <= min(U + xi) - min xi."""
    step = gaussian_steps.chosen_against_noisy_minimum
    return decide_pathwise(step, worst_chosen, factor, "min(U + xi) = U_out + xi_out >= U_out + min xi")


@exact_claim(gaussian_steps.noisy_minimum, control=CHOSEN_BY, cost=0.05)
def noisy_minimum_and_minimum(*, factor=1):
    """min(U + xi) <= min U + max xi."""

    def noisy(U, xi):
        return (U + xi).min(axis=-1)

    return decide_pathwise(gaussian_steps.noisy_minimum, noisy, factor, "at the best score the noise is at most max xi")


@exact_claim(
    gaussian_steps.chosen_against_range,
    control=CHOSEN_BY,
    cost=0.05,
    given=("wzw25.lemF.1.s1/printed", "wzw25.lemF.1.s2/printed"),
)
def chosen_and_range(*, factor=1):
    """U_out <= min U + max xi - min xi."""
    return decide_pathwise(gaussian_steps.chosen_against_range, worst_chosen, factor, "the two steps before, added")


@exact_claim(gaussian_steps.min_is_minus_max, control=Sabotage("noise of mean {} - 1", (1.001, 2)), cost=0.1)
def minimum_is_minus_maximum(*, factor=1):
    """E min = -E max for symmetric noise."""

    def sides(count):
        return formula(gaussian_steps.min_is_minus_max)(count=count, shift=factor - 1.0)

    points = [{"count": n} for n in (1, 2, 3, 10, 1000, 10**6)]
    return decide_identity(sides, points, says="E min = -E max", more="-xi has the law of xi")


@exact_claim(gaussian_steps.twice_max_mean, control=MEAN_NOISE, cost=0.5, given=("wzw25.lemA.5/printed/mean",))
def twice_the_maximum(*, factor=1):
    """2 E max against 2 sigma sqrt(2 log |Theta|)."""
    return decide_max_mean(gaussian_steps.twice_max_mean, size="count", factor=factor, times=2)


@exact_claim(
    gaussian_steps.noise_range_threshold,
    **PRINTED_RANGE,
    cost=TAIL_COST,
    severity="statement",
    corrected_by="wzw25.lemF.2.s1/corrected",
)
def noise_range_tail(*, sigma, factor=1):
    """Corollary A.6 for the noise of the candidates."""
    return decide_tail(
        gaussian_steps.noise_range_threshold, NOISE_RANGE, sigma=sigma, factor=factor, note=ONLY_TO_ROOT_TWO
    )


@exact_claim(
    gaussian_steps.noise_range_threshold_scaled,
    **SCALED,
    control=RANGE_NOISE,
    cost=TAIL_COST,
    given=("wzw25.corA.6/corrected",),
)
def noise_range_tail_scaled(*, sigma, factor=1):
    """Corollary A.6 for the noise of the candidates, sigma in both terms."""
    return decide_tail(gaussian_steps.noise_range_threshold_scaled, NOISE_RANGE, sigma=sigma, factor=factor)
