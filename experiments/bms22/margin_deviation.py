"""Relative deviation of the margin loss: Lemma A.2 of bms22, over all fat-shattering dimensions d."""

from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, floor, log, sqrt

import numpy as np

from lemmata.bounds.bms22 import margin_deviation as bounds
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import require
from lemmata.experiments.checks import (
    Control,
    Link,
    Step,
    equality,
    grid,
    inconclusive,
    inequality_claim,
    run_script,
    tail_claim,
    up_to_one,
)
from lemmata.experiments.instances.classes import hypothesis_classes
from lemmata.experiments.instances.laws.deviation_laws import (
    CHAIN,
    all_thresholds,
    counts,
    decide_uniform,
    level_of,
    with_less,
)

BEYOND = """
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.bms22.margin_deviation import margin_deviation
m, d, beta = {m}, {d}, exact({beta!r})
# All functions to [-1, 1] on d points, rho = 1/2: fat_(1/32) = d. Labels +1, x uniform, h = 1 on the sample, else -1.
risk = 1 - exact(m) / d  # at least; the empirical margin loss is 0
assert risk > margin_deviation(m=exact(m), d=d, beta=beta, empirical=exact(0)), "Lemma A.2 would allow it"
"""


def memorising(*, m, d, beta):
    """Along d/m: the bound at empirical loss 0, and the risk of memorising the sample."""
    axis = [float(x) for x in np.geomspace(1, 3 * d / m, 30)]
    return {
        "d / m": axis,
        "bound at empirical loss 0": [min(3.0, float(bounds.margin_complexity(m, x * m, beta))) for x in axis],
        "risk of memorising": [max(0.0, 1 - 1 / x) for x in axis],
    }


@inequality_claim(
    bounds.margin_deviation,
    quick=({"m": 10, "d": 1000, "beta": 0.1},),
    full=({"m": 1, "d": 93, "beta": 0.5}, {"m": 1000, "d": 10**5, "beta": 1e-12}),
    severity="statement",
    corner=require("d ≤ m", lambda d, m: d <= m),
    restated=("bms22.thm6.1",),
    python=lambda setting, *_: BEYOND.format(**setting),
    figure=memorising,
    note=(
        "beyond d = 2cem = 92.4 m the printed M is negative, because the covering bound behind it needs d "
        "≤ m. Theorem 6.1, its only use, has the same M and does not assume d ≤ m either. From d = m to "
        "92.3 m the bound is above 1. At ρ = 0 read d as the number of points of the domain, or as the "
        "pseudo-dimension. This changes nothing"
    ),
)
def large_dimensions_fail(*, m, d, beta):
    """All functions on d points: memorising the sample has risk at least 1 - m/d and empirical margin loss 0."""
    setting = {"m": m, "d": d, "beta": beta}
    yield setting, 1 - exact(m) / d, bounds.margin_complexity(exact(m), d, exact(beta))
    return inconclusive("ONE_SIDED_ORACLE", "memorising does not break it here")


# The derivation for d <= m --------------------------------------------------------------------------------------------


def binomial(k, n, p):
    """P(Bin(n, p) = k), a ball."""
    return comb(n, k) * exact(p) ** k * (1 - exact(p)) ** (n - k)


def errors_in_all(m, x, p):
    """T, the number of errors in 2m records at which the swap is examined."""
    return min(floor((2 * m + 1) * p), m + x)


def kl(q, p):
    """KL(q || p) of two coins, a ball."""
    q, p = exact(q), exact(p)
    return sum((a * (a / b).log() for a, b in ((q, p), (1 - q, 1 - p)) if a > 0), exact(0))


def by_the_most_likely(*, m, x, p):
    """(x+1) b(x; m)/b(T; 2m)."""
    return (x + 1) * binomial(x, m, p) / binomial(errors_in_all(m, x, p), 2 * m, p)


def by_chernoff(*, m, x, p):
    """(2m+1) (x+1) exp(-m KL(x/m || p)), times exp(2m KL(T/2m || p)) where T is below the mode."""
    total = errors_in_all(m, x, p)
    below = kl(Fraction(total, 2 * m), p) if total < floor((2 * m + 1) * p) else 0
    return (2 * m + 1) * (x + 1) * (2 * m * below - m * kl(Fraction(x, m), p)).exp()


@inequality_claim(
    bounds.swapping_ratio,
    given=[bounds.poisson_divergence],
    steps=[
        Step("symmetric and unimodal", by_the_most_likely),
        Step("Chernoff's bound; a mode has probability 1/(2m + 1) at least", by_chernoff),
        Step(bounds.poisson_divergence),
    ],
    caught=(1.5, 2),
    rounding=1e-30,
    reach={"m": 100, "x": 100},
    note="the worst case is m = 1, x = 0, p = 1/3",
)
def swaps_show_deviations():
    """The exact hypergeometric tail over the exact binomial probability, at risks from x/m to 1."""
    for m, share, x in product((1, 2, 5, 12, 40), (1e-6, 0.1, 1 / 3, 0.5, 0.9, 1 - 1e-6), range(40)):
        if x < m:
            p = x / m + (1 - x / m) * share
            total = errors_in_all(m, x, p)
            ways = sum(comb(m, k) * comb(m, total - k) for k in range(max(0, total - m), x + 1))
            left = exact(Fraction(ways, comb(2 * m, total))) / binomial(total - x, m, p)
            yield {"m": m, "x": x, "p": p}, left, bounds.swapping_ratio(m=m, x=x, p=exact(p))


@inequality_claim(bounds.poisson_divergence, steps=[Step("log √t ≤ √t - 1")], tightness=equality)
def roots_are_below():
    """Near the equality at t = 1 and far from it."""
    for t in (1e-9, 0.25, 0.99, 1.01, 4.0, 1e9):
        yield {"t": t}, (sqrt(t) - 1) ** 2, bounds.poisson_divergence(t=t)


@inequality_claim(
    bounds.room_of_the_logarithms,
    steps=[
        Step("log(3m³) ≤ 3 log(2m)", lambda *, m: 3 * log(2 * m)),
        Step("a quadratic in log m", lambda *, m: bounds.room_of_the_logarithms.theorem.formula(m=m, d=1)),
        Step("d log(a/d) increases in d ≤ a/e"),
    ],
    caught=(10, 20),
    note="the left side is at most a tenth of the right one",
)
def unions_are_affordable():
    """At d = 1, at d = m, and between."""
    for m, d in product((1, 2, 30, 10**4, 10**9), (1, 30, 10**4, 10**9)):
        if d <= m:
            yield {"m": m, "d": d}, log(3 * m**3), bounds.room_of_the_logarithms(m=m, d=d)


@inequality_claim(
    bounds.margin_deviation_up_to_m,
    given=(bounds.margin_deviation_derived, bounds.room_of_the_logarithms),
    scope="everywhere: d <= m",
    caught=(1.01, 1.5),
    tightness=up_to_one,
    nonvacuous_from=lambda: next(m for m in range(1, 10**4) if bounds.margin_complexity(m, 1, 0.1) < 1),
    note="our Q over M/m tends to 1 as β falls. In M, a share 1 - log 2 of the covering number is to spare",
)
def derived_is_smaller():
    """The explicit bound against the printed one at d <= m; what the union over x costs, against what is to spare."""
    for m, d, beta, empirical in product((1, 250, 10**4, 10**12), (1, 30, 10**4), (0.9, 1e-300), (0.0, 1e-6, 0.1)):
        if d <= m:
            point = {"m": m, "d": d, "beta": beta, "empirical": empirical}
            yield point, bounds.margin_deviation_derived(**point), bounds.margin_deviation_up_to_m(**point)
            yield Link("union over x", {"m": m, "d": d}, log(3 * m**3), bounds.room_of_the_logarithms(m=m, d=d))


@inequality_claim(
    bounds.margin_deviation_derived,
    quick=({"m": 2000, "d": 1, "beta": 0.1}, {"m": 10_000, "d": 2, "beta": 1e-300}),
    full=grid(m=[1000, 100_000], d=[1, 10], beta=[0.999, 1e-8]),
    control=Control("Q divided by {}", (1.01, 2)),
    given=(bounds.swapping_ratio,),
    cites=(bounds.BARTLETT,),
    scope="everywhere: d <= m",
    nonvacuous_from=lambda: next(
        m for m in range(1, 10**4) if bounds.margin_deviation_derived(m=m, d=1, beta=0.1, empirical=0) < 1
    ),
    cost=0.3,
    note="a class of thresholds on the line, d = 1, is examined where m ≤ 120",
)
def derived_holds(*, m, d, beta, factor=1):
    """The union over x and the cover, by step s1; exact failure probabilities of one hypothesis and of thresholds."""
    setting = {"m": m, "d": d, "beta": beta}
    for point in (*grid(m=[1000], d=[1], beta=[0.5, 1e-300]), setting):
        level = with_less(level_of(bounds.margin_deviation_derived, **point), factor)
        n, cover = point["m"], bounds.log_cover(point["m"], point["d"]).exp()
        for x in counts(n):
            if (p := level(exact(Fraction(x, n)))) < 1:
                ratio = bounds.swapping_ratio(m=n, x=x, p=p) / (2 * n + 1) / (x + 1)
                yield Link(
                    "union", point | {"x": x}, (2 * n + 1) * n * (n + 1) / 2 * cover * ratio, exact(point["beta"])
                )
    for chance in (0.5, 1e-9):  # thresholds have 2n + 1 patterns of errors on 2n points, a cover that is known
        known = exact((2 * CHAIN + 1) * 3 * CHAIN**3 / chance).log() / CHAIN
        fails = all_thresholds(CHAIN, partial(bounds.square_of_sum, part=known))
        yield Link("thresholds", {"m": CHAIN, "beta": chance}, fails, exact(chance))
    return decide_uniform(setting, m, 1, beta, level, scope="everywhere: d <= m")


@inequality_claim(
    bounds.margin_deviation_of_one,
    quick=({"m": 100, "beta": 0.1}, {"m": 2000, "beta": 1e-300}),
    full=grid(m=[1, 5, 10_000], beta=[0.999, 0.5, 1e-8]),
    given=[bounds.poisson_divergence],
    control=Control("M divided by {}", (1.01, 1.5)),
    rounding=1e-30,
    cost=0.25,
    note=(
        "Chernoff's bound gives β/e, so for one hypothesis the 1 in M = 1 + log(1/β) is to spare. The "
        "constants of M/m and of log(1/β) cannot be smaller"
    ),
)
def one_hypothesis_holds(*, m, beta, factor=1):
    """Okamoto's exp(-m (sqrt p - sqrt q)^2) at the level p; the binomial tail at every count and the worst risk."""
    setting = {"m": m, "beta": beta}
    level = with_less(level_of(bounds.margin_deviation_of_one, **setting), factor)
    for share in (0, 1e-6, 0.1, 0.5, 0.99):
        root = level(exact(share)).sqrt() - exact(share).sqrt()
        yield setting | {"R_S": share}, (-m * root**2).exp(), exact(beta) / exact(1).exp()
        q, p = exact(share), level(exact(share))
        if q > 0 and p < 1:  # KL(q || p), as a sum
            divergence = sum(a * bounds.poisson_divergence(t=b / a) for a, b in ((q, p), (1 - q, 1 - p)))
            yield Link("Okamoto's inequality", setting | {"R_S": share}, root**2, divergence)
    return decide_uniform(setting, m, 0, beta, level)


@tail_claim(
    bounds.margin_deviation_of_halfspaces,
    quick=({"m": 800, "noise": 0.05, "level": 0.2, "beta": 0.1},),
    full=grid(m=[1500], noise=[0.0, 0.2], level=[0.05, 0.5], beta=[0.1]),
    control=Control("M divided by {}", (3000, 6000)),
    chunk=lambda *, beta, **setting: int(10 / beta),
    cap=15,
    cost=1e-4,
    note=(
        "the check detects no factor below 3,000: M contains 2 log₂(578m) log₂(46m), which is 600 at m = "
        "800, while the deviations of this class are those of a few arcs. Moreover the empirical loss at "
        "the margin ρ is far above the risk"
    ),
    nonvacuous_from=lambda: next(m for m in range(2, 10**4) if bounds.margin_complexity(m, 2, 0.1) < 1),
)
def halfspaces_deviate(rng, size, *, m, noise, level, beta, factor=1):
    """Fresh samples on the unit circle; `level` = rho / Lambda; the supremum is attained at ||w|| = Lambda."""
    risk, empirical = hypothesis_classes.Halfplanes(spread=0.5, noise=noise, level=level).cells(rng, size, m)
    formula = bounds.margin_deviation_of_halfspaces.theorem.formula
    return (risk > formula(m=m, beta=beta, empirical=empirical * factor) / factor).any(axis=1)


if __name__ == "__main__":
    run_script(__file__)
