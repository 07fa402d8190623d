"""Claims about the maximum, the range and the minimum of Gaussians: Lemma A.5 to Remark A.8 of Wang, Zhu & Wang (2025).

Everything is decided exactly, in `checks.gaussian_tails` (levels) and `checks.gaussian_means`. Unless a claim says
otherwise its control multiplies the standard deviation of the noise; the bound is still evaluated at sigma.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from flint import arb, ctx

from bounds.exact.balls import exact, hull
from bounds.exact.certify import certify
from bounds.exact.gaussian_maxima import max_exceeds, mean_max, mean_max_of_count
from bounds.wzw25 import gaussian_maxima as bound
from bounds.wzw25 import run_counts
from experiments.checks import identity_claim, inequality_claim
from experiments.checks.gaussian_means import count_mean_cases, max_mean_cases
from experiments.checks.gaussian_tails import MAXIMUM, RANGE, TWICE_MAXIMUM, level_claim
from experiments.engine.claim import Control, grid, script
from experiments.engine.verdict import inconclusive

LACKS_SIGMA = (
    "the second term lacks σ: the printed level suffices for all sizes and β exactly when σ ≤ {}; for every larger σ "
    "it fails once β is small enough"
)

# Lemma A.5 ------------------------------------------------------------------------------------------------------------


@inequality_claim(bound.max_mean, caught=(1.1, 1.5, 2), cost=0.8, nonvacuous_from=lambda: 1)
def maximum_mean():
    """E max of n Gaussians against sigma sqrt(2 log n)."""
    return (yield from max_mean_cases(bound.max_mean, "n"))


@level_claim(
    bound.max_threshold,
    quick=grid(sigma=[1.0, 10.0]),
    full=grid(sigma=[0.01, 1.05, 1e3]),
    severity="statement",
    nonvacuous_from=lambda: 1,
    note=LACKS_SIGMA.format(1),
)
@level_claim(
    bound.max_threshold_scaled,
    quick=grid(sigma=[1.0]),
    full=grid(sigma=[0.01, 1e3]),
    caught=(1.05, 1.25, 1.5, 2, 4),
    nonvacuous_from=lambda: 1,
)
def maximum_tail():
    """P(max >= level) against beta, as printed and with sigma in both terms."""
    return MAXIMUM


# Corollary A.6 --------------------------------------------------------------------------------------------------------


@level_claim(
    bound.range_threshold,
    quick=grid(sigma=[1.4, 10.0]),
    full=grid(sigma=[0.01, 2.0, 1e3]),
    severity="statement",
    nonvacuous_from=lambda: 2,
    note=LACKS_SIGMA.format("√2"),
)
@level_claim(
    bound.range_threshold_scaled,
    quick=grid(sigma=[1.0]),
    full=grid(sigma=[0.01, 1e3]),
    caught=(2, 4),
    nonvacuous_from=lambda: 2,
)
def range_tail():
    """P(range >= level) against beta, as printed and with sigma in both terms."""
    return RANGE


def lattice(values, n):
    """All vectors of length n over `values`, shape (len(values)**n, n): ties and boundary cases included."""
    return np.array(list(itertools.product(values, repeat=n)), dtype=float)


@inequality_claim(
    bound.range_reaches,
    control=Control("interval {} times as wide", (1.5, 2, 4)),
    note="-t/2 < m and M < t/2 give M - m < t. At n = 1 the printed m < M is impossible",
)
def inclusion(*, factor=1):
    """{range >= t} lies in the event that the interval is left: every sign pattern, tie and boundary on a lattice."""
    for n, t in itertools.product((1, 2, 3), (0.0, 1.0, 2.0, 3.0, 4.0)):
        noise = lattice(np.arange(-2.0, 2.5, 0.5), n)
        reaches = bound.range_reaches(noise=noise, t=t)[0]
        leaves = bound.range_reaches(noise=noise, t=factor * t)[1]
        for xi, left, right in zip(noise, reaches, leaves, strict=True):
            yield {"noise": xi, "t": t}, int(left), int(right)
    return {"tightness": None}


ENDS = [{"n": n, "sigma": 1.0, "t": t} for n in (2, 3, 10, 10**6, 10**12) for t in (6.0, 0.0, 0.01, 1.0, 14.0, 30.0)]


def leaving(statement):
    """(point, P(some |xi_i| >= t/2), the statement's bound of it) at sigma = 1."""
    for point in ENDS:
        with ctx.workprec(512):  # 1 - (1 - 2q)^n for q down to 1e-51
            outside = 2 * max_exceeds(1, exact(point["t"]) / 2)
            left = 1 - (1 - outside) ** point["n"]
        yield point, left, statement.theorem.formula(**point)
    return {"tightness": None}


@inequality_claim(
    bound.two_ends,
    caught=(1.5, 3),
    rounding=5e-21,  # at t = 0 both sides are 1
    note="m ≥ -t/2 is a slip for m ≤ -t/2: the printed right side is 1, so it is true",
)
def union_over_ends():
    """The printed right side is 1."""
    return (yield from leaving(bound.two_ends))


@inequality_claim(
    bound.two_ends_mirrored,
    caught=(1.5, 3),
    rounding=5e-21,  # at t = 30 the sides differ by less than their balls
    note="the union bound over M ≥ t/2 and m ≤ -t/2",
)
def union_over_ends_mirrored():
    """The union bound as it is meant."""
    return (yield from leaving(bound.two_ends_mirrored))


UNEQUAL = """from bounds.wzw25 import gaussian_maxima

left, right = gaussian_maxima.both_ends_alike(n={n}, sigma={sigma}, t={t})
assert left > right or right > left, (left, right)
"""


@identity_claim(
    bound.both_ends_alike,
    severity="statement",
    corner="m ≤ -t/2 in place of m ≥ -t/2",
    used=("wzw25.corA.6",),
    python=lambda point, left, right: UNEQUAL.format(**point),
    note="as printed the left side is 1 for every t",
)
def symmetry_of_ends():
    """P(M >= t/2) + P(m >= -t/2) against 2 P(M >= t/2), as printed."""
    for point in ENDS:
        yield point, *bound.both_ends_alike.theorem.formula(**point)


@identity_claim(bound.both_ends_mirrored, caught=(1.001, 2), note="-ξ has the law of ξ")
def symmetry_of_ends_mirrored():
    """P(M >= t/2) + P(m <= -t/2) = 2 P(M >= t/2): -xi has the law of xi."""
    for point in ENDS:
        yield point, *bound.both_ends_mirrored.theorem.formula(**point)


@level_claim(
    bound.half_range_threshold,
    quick=grid(sigma=[1.0, 10.0]),
    full=grid(sigma=[0.01, 1.05, 1e3]),
    severity="statement",
    note=LACKS_SIGMA.format(1),
)
@level_claim(
    bound.half_range_threshold_scaled,
    quick=grid(sigma=[1.0]),
    full=grid(sigma=[0.01, 1e3]),
    caught=(1.05, 1.25, 1.5, 2, 4),
    given=[bound.max_threshold_scaled],
)
def half_range_tail():
    """2 P(M >= half the level) against beta, as printed and with sigma in both terms."""
    return TWICE_MAXIMUM


# Lemma A.7, Remark A.8 ------------------------------------------------------------------------------------------------

BOXES = {  # of (eta, w = log r)
    "narrow": {"eta": (0.0, 2.0), "w": (math.log(1e-2), math.log(0.9))},
    "wide": {"eta": (-0.9, 5.0), "w": (math.log(1e-6), math.log(0.99))},
    "geometric": {"eta": (1.0, 1.0), "w": (math.log(1e-9), math.log(0.99))},
}
AT_ZERO = "at η = 0 the fraction is 0/0; we read it as its limit, E K of Definition A.1"
NOISE_MEAN = "noise of mean ({} - 1) σ"


@inequality_claim(
    bound.count_min_mean,
    control=Control(NOISE_MEAN, (1.1, 2, 4)),
    cost=0.2,
    given=[bound.min_mean],
    note=f"the display bounds the minimum, whose mean is at most E ξ_1 = 0; the title means the maximum; {AT_ZERO}",
)
def count_minimum(*, factor=1):
    """E min of K against the display."""
    return (yield from count_mean_cases(bound.count_min_mean, BOXES["wide"], shift=factor - 1.0, minimum=True))


@inequality_claim(
    bound.count_max_mean,
    quick=grid(box=["narrow"]),
    full=grid(box=["wide"]),
    control=Control("noise {} times as large", (1.1, 1.5, 2)),
    cost=1.0,
    given=[bound.max_mean, bound.root_outside, bound.logarithm_outside, bound.mean_inserted],
    note=f"E max ≤ E √(2 log K) ≤ √(2 log E K); {AT_ZERO}",
)
def count_maximum(*, box, factor=1):
    """E max of K against the same bound."""
    return (yield from count_mean_cases(bound.count_max_mean, BOXES[box], factor=factor))


@inequality_claim(
    bound.geometric_min_mean,
    control=Control(NOISE_MEAN, (1.1, 2, 4)),
    cost=0.2,
    given=[bound.count_min_mean],
    note="Lemma A.7 at η = 1, where E K = 1/r",
)
def geometric_minimum(*, factor=1):
    """E min of a geometric number."""
    return (yield from count_mean_cases(bound.geometric_min_mean, BOXES["geometric"], shift=factor - 1.0, minimum=True))


@inequality_claim(
    bound.geometric_max_mean,
    control=Control("noise {} times as large", (1.1, 1.5, 2)),
    cost=0.7,
    given=[bound.count_max_mean],
    note="Lemma A.7 at η = 1, where E K = 1/r",
)
def geometric_maximum(*, factor=1):
    """E max of a geometric number."""
    return (yield from count_mean_cases(bound.geometric_max_mean, BOXES["geometric"], factor=factor))


@identity_claim(
    bound.total_expectation,
    control=Control("r / {} in the series", (1.01, 2)),
    cost=0.3,
    note="the law of total expectation; the integral lies in the ball that the first 60 terms of the series leave",
)
def total_expectation(*, factor=1):
    """E min of K by the generating function against the series over the values of K."""
    for eta in (-0.5, 0, 1, 2):
        partial, rest = bound.total_expectation.theorem.formula(eta=eta, r=exact(0.5) / exact(factor), terms=60)
        yield {"eta": eta, "r": 0.5}, -mean_max_of_count(eta, exact(0.5)), partial + hull((-1, 1)) * rest


@inequality_claim(
    bound.min_mean,
    control=Control(NOISE_MEAN, (1.1, 2, 4)),
    given=[bound.max_mean],
    note="E min of j ≤ E ξ_1 = 0 ≤ bound; equality at j = 1",
)
def fixed_minimum(*, factor=1):
    """E min of j against sigma sqrt(2 log j): minus the mean maximum and minus the bound both fall in j."""
    for j in (1, 2, 10, 10**6, 10**12):
        yield {"j": j}, exact(factor - 1.0) - mean_max(j), bound.min_mean.theorem.formula(j=exact(j), sigma=arb(1))
    return {"tightness": None}


def moments(statement, power):
    """Both sides of Jensen's inequality at fifteen laws of K, in balls; the concavity carries it to all laws."""
    for eta, r in itertools.product((-0.9, -0.5, 0, 1, 5), (0.9, 0.5, 0.2)):
        yield {"eta": eta, "r": r}, *statement.theorem.formula(eta=eta, r=r, power=power)
    return {"tightness": None}


@inequality_claim(
    bound.root_outside,
    control=Control("power {}/2 for the square root", (1.5, 3)),
    note="the square root is concave and log K ≥ 0",
)
def jensen_for_the_root(*, factor=1):
    """E sqrt(log K) <= sqrt(E log K)."""
    return (yield from moments(bound.root_outside, factor / 2))


@inequality_claim(
    bound.logarithm_outside, control=Control("logarithm to the power {}", (1.5, 2, 4)), note="the logarithm is concave"
)
def jensen_for_the_logarithm(*, factor=1):
    """E log K <= log E K."""
    return (yield from moments(bound.logarithm_outside, factor))


@inequality_claim(
    bound.root_log_curvature,
    control=Control("power {}/2 for the square root", (1.5, 3)),
    note="p - 1 - log x < 0 for every x > 1 at p = 1/2",
)
def jensen_once(*, factor=1):
    """sqrt(log x) is concave on (1, inf): the sign of its second derivative."""

    def sign(x):  # p - 1 - log x falls in x, so the left end of a box bounds it
        return bound.root_log_curvature.theorem.formula(x=x, power=factor / 2)

    negative = -1e-9
    proof = certify(lambda x: sign(x[0]), sign, {"x": (1.0, 1e300)}, negative)
    yield proof.point, sign(proof.point["x"]), negative
    if proof.outcome != "HOLDS":
        return inconclusive("BUDGET", f"sign <= {proof.bound:.3g}")
    return {"tightness": None}


@identity_claim(
    bound.mean_inserted,
    control=Control("eta times {} in the fraction", (1.01, 2)),
    cost=0.3,
    given=[run_counts.mean],
    note="the derivative of E x^K at 1",
)
def mean_of_the_count(*, factor=1):
    """E K summed from the printed probabilities against the printed fraction."""
    inserted = bound.mean_inserted.theorem.formula
    for eta, r in itertools.product((-0.9, -0.5, 1e-9, 1, 5), (0.9, 0.5, 0.05)):
        yield {"eta": eta, "r": r}, inserted(eta=eta, r=r)[0], inserted(eta=exact(factor) * eta, r=r)[1]


if __name__ == "__main__":
    script(__spec__.name)
