"""Claims about the maximum, the range and the minimum of Gaussians: Lemma A.5 to Remark A.8 of Wang, Zhu & Wang (2025).

Everything is decided exactly, in `checks.gaussian_tails` (levels) and `checks.gaussian_means`. Unless a claim says
otherwise its control multiplies the standard deviation of the noise; the bound is still evaluated at sigma.
"""

import inspect
import itertools
import math

from flint import arb, arb_series, ctx

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import exact, hull
from lemmata.bounds.exact.gaussian_maxima import mean_max, mean_max_of_count, range_exceeds
from lemmata.bounds.wzw25 import gaussian_maxima as bound, run_counts
from lemmata.bounds.wzw25.algorithms import printed_budget, score_noise, split_budget
from lemmata.experiments.checks import Control, Link, grid, identity_claim, inequality_claim, run_script, withheld
from lemmata.experiments.checks.gaussian_means import count_mean_cases, max_mean_cases
from lemmata.experiments.checks.gaussian_tails import MAXIMUM, RANGE, TWICE_MAXIMUM, level_claim

LACKS_SIGMA = (
    "the second term lacks σ: the printed level suffices for all sizes and β exactly when σ ≤ {}; for every larger σ "
    "it fails once β is small enough, by any factor as β → 0. Shown at the paper's own parameters (Appendix H): noise "
    "σ = 4 √(|Γ| log(1/δ)) / ε for |Γ| = 11 summed scores and β = 1/n², at n = 1000, ε = 1, δ = 1e-5"
)
# What Appendix H takes: n = 1000, epsilon = 1, delta = 1e-5; the size is that of the grid, sigma that of its scores.
OWN = {"sigma": score_noise(1.0, split_budget(printed_budget(1.0, 1e-5), 2 * 11)), "size": 11, "beta": 1e-6}
TIED = 1e-15  # relative: the chain of a proof ends in the statement itself, and balls of equal numbers straddle

# Lemma A.5 ------------------------------------------------------------------------------------------------------------


@inequality_claim(bound.max_mean, caught=(1.1, 1.5, 2), cost=0.8, rounding=TIED, nonvacuous_from=lambda: 1)
def maximum_mean():
    """E max of n Gaussians against sigma sqrt(2 log n)."""
    return (yield from max_mean_cases(bound.max_mean, "n"))


@level_claim(
    bound.max_threshold,
    finding="the second term lacks σ",
    quick=(OWN, {"sigma": 1.0}),
    full=grid(sigma=[0.01, 1.05, 10.0, 1e3]),
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


RANGE_CAUGHT = (1.45, 2)  # two ends cost √2 more than the range of two has: √2 times the noise still passes

# Corollary A.6 --------------------------------------------------------------------------------------------------------


@level_claim(
    bound.range_threshold,
    finding="the second term lacks σ",
    quick=(OWN, {"sigma": 1.4}),
    full=grid(sigma=[0.01, 2.0, 10.0, 1e3]),
    severity="statement",
    nonvacuous_from=lambda: 2,
    note=LACKS_SIGMA.format("√2"),
)
@level_claim(
    bound.range_threshold_scaled,
    quick=grid(sigma=[1.0]),
    full=grid(sigma=[0.01, 1e3]),
    caught=RANGE_CAUGHT,
    chain=lambda n, sigma, beta: 2 * bound.half_range_threshold_scaled.theorem.formula(n=n, sigma=sigma, beta=beta),
    given=[
        bound.interval_is_left,
        bound.two_ends_mirrored,
        bound.both_ends_mirrored,
        bound.half_range_threshold_scaled,
    ],
    nonvacuous_from=lambda: 2,
)
def range_tail():
    """P(range >= level) against beta, as printed and with sigma in both terms."""
    return RANGE


ENDS = [{"n": n, "sigma": 1.0, "t": t} for n in (2, 3, 10, 10**6, 10**12) for t in (6.0, 0.0, 0.01, 1.0, 14.0, 30.0)]
ONE = [{"n": 1, "sigma": 0.5, "t": t} for t in (0.0, 1.0, 6.0)]


def at_ends(statement, before, points=tuple(ENDS), factor=1):
    """(point, result of the step before, value of the statement), in balls fine enough for 1e-51."""
    for point in points:
        with ctx.workprec(512):
            yield point, before(**point | {"t": point["t"] / factor}), statement.theorem.formula(**point)
    return {"tightness": None}


def range_reaches(n, sigma, t):
    """P(M - m >= t), which is 1 for t = 0."""
    return range_exceeds(n, exact(t) / exact(sigma)) if t else arb(1)


@inequality_claim(
    bound.interval_is_left,
    control=Control("a range of t / {}", (1.5, 2, 4)),
    rounding=TIED,
    note="-t/2 < m and M < t/2 give M - m < t. At n = 1 the printed m < M is impossible, and the right side 1",
)
def range_leaves_the_interval(*, factor=1):
    """P(range >= t), by an integral, against the chance that the interval is left."""
    small = [point for point in ENDS + ONE if point["n"] < 1e9 and point["t"] < 10]
    return (yield from at_ends(bound.interval_is_left, range_reaches, small, factor))


@inequality_claim(
    bound.two_ends,
    caught=(1.001, 1.5, 3),
    rounding=5e-21,  # at t = 0 both sides are 1
    note="m ≥ -t/2 is a slip for m ≤ -t/2: the printed right side is 1, so it is true",
)
def union_over_ends():
    """The printed right side is 1."""
    return (yield from at_ends(bound.two_ends, bound.interval_is_left.theorem.formula, ENDS + ONE))


def interval_or_tie_is_left(n, sigma, t):
    """P({-t/2 < m <= M < t/2}^c): for n = 1 too, where the formula of the printed m < M is 1."""
    ends = 2 * bound.max_exceeds(1, exact(t) / (2 * exact(sigma)))
    return bound.interval_is_left.theorem.formula(n=n, sigma=sigma, t=t) if n > 1 else ends


@inequality_claim(
    bound.two_ends_mirrored,
    caught=(1.01, 3),
    rounding=5e-21,  # at t = 30 the sides differ by less than their balls
    note="the union bound over M ≥ t/2 and m ≤ -t/2",
)
def union_over_ends_mirrored():
    """The union bound as it is meant."""
    return (yield from at_ends(bound.two_ends_mirrored, interval_or_tie_is_left))


UNEQUAL = """from lemmata.bounds.wzw25.gaussian_maxima import both_ends_alike, two_ends

left, right = (side(n={n}, sigma={sigma}, t={t}) for side in (two_ends, both_ends_alike))
assert abs(left - right) > 0.9
"""


@identity_claim(
    bound.both_ends_alike,
    severity="statement",
    misprint="read m ≤ -t/2 for m ≥ -t/2",
    python=lambda point, left, right: UNEQUAL.format(**point),
    note="with m ≥ −t/2 the left side is 1 for every t, by symmetry",
)
def symmetry_of_ends():
    """P(M >= t/2) + P(m >= -t/2) against 2 P(M >= t/2), as printed."""
    return (yield from at_ends(bound.both_ends_alike, bound.two_ends.theorem.formula))


@identity_claim(bound.both_ends_mirrored, digits=20, caught=(1.001, 2), note="-ξ has the law of ξ")
def symmetry_of_ends_mirrored():
    """P(M >= t/2) + P(m <= -t/2) = 2 P(M >= t/2): -xi has the law of xi."""
    yield from at_ends(bound.both_ends_mirrored, bound.two_ends_mirrored.theorem.formula)


@level_claim(
    bound.half_range_threshold,
    quick=(OWN, {"sigma": 1.0}),
    full=grid(sigma=[0.01, 1.05, 10.0, 1e3]),
    severity="statement",
    note=LACKS_SIGMA.format(1),
)
@level_claim(
    bound.half_range_threshold_scaled,
    quick=grid(sigma=[1.0]),
    full=grid(sigma=[0.01, 1e3]),
    caught=(1.05, 1.25, 1.5, 2, 4),
    chain=lambda n, sigma, beta: bound.max_threshold_scaled.theorem.formula(n=n, sigma=sigma, beta=beta / 2),
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
JENSEN = (bound.root_outside, bound.logarithm_outside, bound.mean_inserted)


def at_one(statement, **more):
    """The statement as a function of (eta, r) at sigma = 1, `more` being other arguments; Remark A.8 takes r alone."""
    names = inspect.signature(statement).parameters
    return lambda eta, r: statement.theorem.formula(**({"eta": eta} if "eta" in names else {}), r=r, **more)


def after_jensen(eta, r):
    """sigma sqrt(2) sqrt(log E K) at sigma = 1, where both applications of Jensen's inequality end."""
    return arb(2).sqrt() * bound.logarithm_outside.theorem.formula(eta=eta, r=r).sqrt()


@inequality_claim(
    bound.count_min_mean,
    control=Control(NOISE_MEAN, (1.1, 2, 4)),
    cost=0.2,
    given=[bound.total_expectation, bound.min_mean, *JENSEN],
    rounding=TIED,
    note=f"the display bounds the minimum, whose mean is at most E ξ_1 = 0; the title means the maximum; {AT_ZERO}",
)
def count_minimum(*, factor=1):
    """E min of K against the display."""
    display = at_one(bound.count_min_mean, sigma=arb(1))
    return (yield from count_mean_cases(display, after_jensen, BOXES["wide"], shift=factor - 1.0, minimum=True))


@inequality_claim(
    bound.count_max_mean,
    quick=grid(box=["narrow"]),
    full=grid(box=["wide"]),
    control=Control("noise {} times as large", (1.1, 1.5, 2)),
    cost=0.6,
    given=[bound.max_mean, *JENSEN],
    rounding=TIED,
    note=f"E max ≤ E √(2 log K) ≤ √(2 log E K); {AT_ZERO}",
)
def count_maximum(*, box, factor=1):
    """E max of K against the same bound."""
    display = at_one(bound.count_max_mean, sigma=arb(1))
    return (yield from count_mean_cases(display, after_jensen, BOXES[box], factor=factor))


@inequality_claim(
    bound.geometric_min_mean,
    control=Control(NOISE_MEAN, (1.1, 2, 4)),
    cost=0.2,
    given=[bound.count_min_mean],
    rounding=TIED,
    note="Lemma A.7 at η = 1, where E K = 1/r",
)
def geometric_minimum(*, factor=1):
    """E min of a geometric number, against Lemma A.7 and its own bound."""
    lemma, remark = (at_one(one, sigma=arb(1)) for one in (bound.count_min_mean, bound.geometric_min_mean))
    return (yield from count_mean_cases(remark, lemma, BOXES["geometric"], shift=factor - 1.0, minimum=True))


@inequality_claim(
    bound.geometric_max_mean,
    control=Control("noise {} times as large", (1.1, 1.5, 2)),
    cost=0.7,
    given=[bound.count_max_mean],
    rounding=TIED,
    note="Lemma A.7 at η = 1, where E K = 1/r",
)
def geometric_maximum(*, factor=1):
    """E max of a geometric number, against Lemma A.7 and its own bound."""
    lemma, remark = (at_one(one, sigma=arb(1)) for one in (bound.count_max_mean, bound.geometric_max_mean))
    return (yield from count_mean_cases(remark, lemma, BOXES["geometric"], factor=factor))


@identity_claim(
    bound.total_expectation,
    digits=12,
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
    rounding=TIED,
    note="E min of j ≤ 0 ≤ E max of j, and Lemma A.5; equality at j = 1",
    tightness=withheld,
)
def fixed_minimum(*, factor=1):
    """E min of j against sigma sqrt(2 log j), and Lemma A.5 at n = j, which is where the step comes from."""
    for j in (1, 2, 10, 10**6, 10**12):
        claimed = bound.min_mean.theorem.formula(j=exact(j), sigma=arb(1))
        yield {"j": j}, exact(factor - 1.0) - mean_max(j), claimed
        yield Link("Lemma A.5", {"j": j}, bound.max_mean.theorem.formula(n=exact(j), sigma=arb(1)), claimed)


def jensen(statement, left, ratios=(0.9, 0.5, 0.2)):
    """`left` against the statement at fifteen laws of K, in balls; the concavity carries it to all laws."""
    for eta, r in itertools.product((-0.9, -0.5, 0, 1, 5), ratios):
        yield {"eta": eta, "r": r}, left(eta, r), statement.theorem.formula(eta=eta, r=r)


@inequality_claim(bound.root_outside, caught=(1.01, 1.2, 1.5), note="the square root is concave and log K ≥ 0")
def jensen_for_the_root():
    """E sqrt(log K) <= sqrt(E log K)."""
    yield from jensen(bound.root_outside, lambda eta, r: bound.log_moment(eta, r, 0.5))


@inequality_claim(
    bound.logarithm_outside, caught=(1.1, 1.2, 1.5), given=[bound.root_outside], note="the logarithm is concave"
)
def jensen_for_the_logarithm():
    """E log K <= log E K, with E log K as the line before ends: the square of its right side."""
    yield from jensen(bound.logarithm_outside, lambda eta, r: bound.root_outside.theorem.formula(eta=eta, r=r) ** 2)


@identity_claim(
    bound.root_log_curvature, digits=20, caught=(1.001, 2), note="every factor but the sign is positive for x > 1"
)
def jensen_once():
    """The second derivative of sqrt(log x), as a Taylor coefficient, against the display."""
    for x in (1 + 1e-6, 1.5, 2.0, 1e3, 1e100):
        series = arb_series([exact(x), 1], 3).log().sqrt()
        yield {"x": x}, 2 * series[2], bound.root_log_curvature.theorem.formula(x=x)


@identity_claim(
    bound.mean_inserted, digits=12, caught=(1.001, 2), cost=0.03, given=[run_counts.mean], note="E K xᴷ⁻¹ at x = 1"
)
def mean_of_the_count():
    """E K summed from the printed probabilities, with a bound of the rest, against the printed fraction."""
    for eta, r in itertools.product((-0.9, -0.5, 1e-9, 1, 5), (0.9, 0.5, 0.05)):
        total = tnb.series(eta, r, power=1)[0]
        claimed = bound.mean_inserted.theorem.formula(eta=exact(eta), r=exact(r), sigma=arb(3))
        yield {"eta": eta, "r": r}, arb(2).sqrt() * 3 * total.log().sqrt(), claimed


if __name__ == "__main__":
    run_script(__file__)
