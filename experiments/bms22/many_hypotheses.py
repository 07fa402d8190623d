"""Lemma G.1 of Bassily, Mohri & Suresh (2022): our construction, checked point by point in integers and fractions.

The lemma holds by another construction than the printed one (x on the cube, w_1 < 0), whose steps are decided below it.
"""

from fractions import Fraction
from itertools import combinations, product
from math import ceil, exp, expm1, log

import numpy as np
from scipy.linalg import hadamard

from lemmata.bounds.bms22 import many_hypotheses as bounds
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.numbers import inner
from lemmata.bounds.theorem import at_least, between
from lemmata.experiments.checks import (
    Control,
    Step,
    equality,
    grid,
    identity_claim,
    inconclusive,
    inequality_claim,
    run_script,
    withheld,
)
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.selection.exponential import law


def risk(w, points):
    """P(y <w, x> <= 0) over equally likely (x, y), ties errors, exactly."""
    return Fraction(sum(y * inner(w, x) <= 0 for x, y in points), len(points))


def axis(dimensions=2):
    """x = e_1 or -e_1 with equal probability, y the sign of x_1."""
    rest = (Fraction(0),) * (dimensions - 1)
    return [((Fraction(s), *rest), s) for s in (1, -1)]


def arc(d, factor):
    """The wrong hypotheses, at most 500 of them, on an arc that is `factor` times as long as ours."""
    size = min(bounds.family_size(d), 500)
    weights = bounds.family(d, size, length=bounds.LENGTH * Fraction(factor))[1:]
    if any(inner(w, w) != 1 for w in weights):
        raise ValueError("a weight is not of norm 1")
    return weights


# Lemma G.1, by our construction ---------------------------------------------------------------------------------------


@inequality_claim(
    bounds.best_chance,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control(lambda f: f"h* with weight {3 - 2 * f:g} e_1", (1.5, 2)),
    note="d ≥ 2; x = ±e_1, y = sgn(x_1), h* = h_{e_1}",
)
def one_is_right(*, d, factor=1):
    """R(h_{e_1}) = 0."""
    best = [(3 - 2 * factor) * x for x in bounds.family(d, 1)[0]]
    yield {"d": d, "w": best}, bounds.best_chance(d=d), 1 - risk(best, axis())


@inequality_claim(
    bounds.other_risk,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control("an arc {} times as long", (1.15, 2), setting={"d": 6}),
    note="all other hypotheses have w_1 < 0 and norm 1",
    tightness=withheld,
)
def all_others_are_wrong(*, d, factor=1):
    """w_1 < 0 for every other hypothesis, so both points are errors."""
    for w in arc(d, factor):
        yield {"d": d, "w": w}, bounds.other_risk(d=d), risk(w, axis())


@inequality_claim(
    bounds.least_inner_product,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control("an arc {} times as long", (1.05, 1.2)),
    note=(
        "both texts print ≥. It makes the hypotheses alike, not different, and allows any number of them "
        "in the plane. The part `separated` has ≤ 1/8. The angles on the arc are at most 1.44"
    ),
    cost=0.1,
)
def weights_are_alike(*, d, factor=1):
    """All pairs among h* and the first, middle and last of the arc and its neighbours; angles lie between those."""
    weights = arc(d, factor)
    chosen = [(Fraction(1), Fraction(0)), *weights[:5], *weights[:: max(1, len(weights) // 40)], *weights[-5:]]
    for a, b in combinations(chosen, 2):
        yield {"d": d, "w": a, "w'": b}, bounds.least_inner_product(d=d), abs(inner(a, b))


@inequality_claim(
    bounds.failure_chance,
    quick=({"d": 6, "epsilon": 1.0, "m": 5, "rho": 0.5}, {"d": 2, "epsilon": 0.1, "m": 19, "rho": 1.0}),
    full=grid(d=[10], epsilon=[0.01], m=[1, 999], rho=[0.0]) + grid(d=[20], epsilon=[3.0], m=[6], rho=[0.9]),
    control=Control("1/{} of the hypotheses", (1.01, 2, 4)),
    note="c = 2, c' = 1",
)
def wrong_one_is_selected(*, d, epsilon, m, rho, factor=1):
    """The exact law of the exponential mechanism: all samples of size m give the same scores."""
    size = ceil(bounds.family_size(d) / factor)
    # margins y <w, x> = <w, e_1>: 1 for h*, negative for the others, whatever the sample; at most rho is a loss
    scores = np.full(1 + size, -1.0)
    scores[0] = -float(rho >= 1)
    wrong = -expm1(law(scores, sensitivity=1 / m, privacy=PureDP(epsilon)).log_probabilities()[0])
    setting = {"d": d, "epsilon": epsilon, "m": m, "rho": rho}
    claimed = bounds.failure_chance(**setting)
    yield setting, claimed, wrong
    yield setting | {"epsilon m": d}, claimed, chance_at_limit(d, size)
    dimensions = [2, 4, 6, 8, 10]
    curve = [chance_at_limit(n, bounds.family_size(n)) for n in dimensions]
    series = {"d": dimensions, "bound": [0.9] * 5, "exact as m -> d/epsilon": curve}
    return {"tightness": (claimed / wrong, 1.0), "series": series}


def chance_at_limit(d, size):
    """size e^{-d/2}/(1 + size e^{-d/2}): the probability of a wrong hypothesis at epsilon m = d."""
    return 1 / (1 + exp(d / 2 - log(size)))


@inequality_claim(
    bounds.log_separated_size,
    quick=grid(d=[1100]),
    full=grid(d=[10_000]),
    control=Control("c' = {}/100", (1.03, 1.2, 2)),
    scope="domain: d >= 1100",
    note="c = 1100, c' = 1/100; as an instance, 16 weights from a Hadamard matrix",
    tightness=withheld,
)
def nearly_orthogonal_weights(*, d, factor=1):
    """9 e^{c' d/2} against the count in balls, for all d from 1100 on; an instance in 17 dimensions point by point."""
    t, needed = Fraction(124, 1000), Fraction(factor) / 200
    count = (d - 1) * exact(t) ** 2 / 2 - exact(2).log()
    yield {"d": d}, exact(9).log() + d * exact(needed), count
    yield {"d": "growth beyond"}, needed, t**2 / 2
    # 16 orthogonal sign vectors: (-1/100, sqrt(1 - 1e-4) v) up to the irrational factor, which only multiplies <v, v'>
    others = [(Fraction(-1, 100), *(Fraction(int(s), 4) for s in row)) for row in hadamard(16)]
    products = [abs(a[0] * b[0]) + abs(inner(a[1:], b[1:])) * Fraction(9999, 10000) for a, b in combinations(others, 2)]
    if max(products) > Fraction(1, 8) or min(risk(w, axis(17)) for w in others) < 1:
        return inconclusive("FAILED", "the instance lacks a property")
    if abs(float(count) - bounds.log_separated_size(d=d)) > 1e-6:
        return inconclusive("FAILED", "the function is not the count that is checked")


def cube_points(d):
    """(sqrt(d) x, sgn(x_1)) for all x in {+-1/sqrt(d)}^d, equally likely: integers."""
    return [(x, x[0]) for x in product((1, -1), repeat=d)]


def printed_weights(d):
    """sqrt(d) w for the printed w, a few of them for large d: by symmetry they all have the same risk."""
    every = product((1, -1), repeat=d - 1)
    rest = list(every) if d <= 5 else [next(every), tuple(1 - 2 * (i % 2) for i in range(d - 1))]
    return [(-1, *v) for v in rest]


# The risks ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.printed_best_chance,
    quick=grid(d=[3]),
    full=grid(d=[1, 8]),
    severity="statement",
    misprint="read −1 for the 0 of y and of 1_{x_1 > 0}: the linear h_{e_1}, as the lemma's 𝓗 ⊂ 𝓗_Lin asks",
    python="""
from itertools import product
cube = list(product((1, -1), repeat=3))  # sqrt(d) x
errors = sum(y * h <= 0 for y, h in ((int(x[0] > 0), int(x[0] > 0)) for x in cube))  # R(h) = P(y h(x) <= 0)
from lemmata.bounds.bms22.many_hypotheses import printed_best_chance
assert 1 - errors / len(cube) == 0.5 < printed_best_chance(d=3)
""",
    note=(
        "labels 0 and 1 are printed for −1 and +1. With label 0, y h(x) ≤ 0 for every h. Moreover 1_{x_1 "
        "> 0} is not a linear function"
    ),
)
def label_zero_is_an_error(*, d):
    """R(h) = P(y h(x) <= 0) with y, h in {0, 1}: half of the points have y = 0."""
    points = [((int(x[0] > 0),), int(x[0] > 0)) for x, _ in cube_points(d)]
    yield {"d": d}, bounds.printed_best_chance(d=d), 1 - risk((1,), points)


@inequality_claim(
    bounds.best_chance_with_signs,
    quick=grid(d=[3]),
    full=grid(d=[1, 8]),
    reach={"d": 7},
    control=Control(lambda f: f"h* with weight {3 - 2 * f:g} e_1", (1.5, 2)),
)
def sign_of_the_first_coordinate(*, d, factor=1):
    """y <e_1, x> = 1/sqrt(d) > 0."""
    weight = (3 - 2 * factor,) + (0,) * (d - 1)
    yield {"d": d, "w": weight}, bounds.best_chance_with_signs(d=d), 1 - risk(weight, cube_points(d))


def risks_along_d(*, d):
    """The printed risk and the exact one in dimensions 1 to 29."""
    dimensions = list(range(1, 30))
    return {"d": dimensions, "bound": [1.0] * 29, "exact": [float(bounds.cube_risk(d=n)) for n in dimensions]}


@inequality_claim(
    bounds.printed_other_risk,
    quick=grid(d=[3, 9]),
    full=grid(d=[1, 2, 12]),
    severity="statement",
    python="""
from itertools import product
from lemmata.bounds.bms22.many_hypotheses import printed_other_risk
cube = list(product((1, -1), repeat=3))  # sqrt(d) x, y = sgn(x_1)
w = (-1, 1, 1)  # sqrt(d) w
wrong = sum(x[0] * sum(a * b for a, b in zip(w, x)) <= 0 for x in cube)
assert wrong / len(cube) == 0.75 < printed_other_risk(d=3)
""",
    figure=risks_along_d,
    note=(
        "true for d ≤ 2 only. As d grows the risk tends to 1/2. For R = 1 the lemma needs another "
        "construction. With R ≥ 1/2 in place of R = 1 it holds by the printed one"
    ),
)
def first_coordinate_is_outvoted(*, d):
    """Labels +-1: the largest risk of a w with w_1 < 0, by enumeration of all x (and all w up to d = 5)."""
    yield {"d": d}, bounds.printed_other_risk(d=d), max(risk(w, cube_points(d)) for w in printed_weights(d))


@identity_claim(
    bounds.cube_risk,
    quick=grid(d=[3, 8]),
    full=grid(d=[1, 2, 5, 11]),
    note="a binomial probability, the same for all w by symmetry",
)
def risk_of_the_printed_weights(*, d):
    """Enumeration of all x against the binomial."""
    for w in printed_weights(d):
        yield {"d": d, "w": w}, risk(w, cube_points(d)), bounds.cube_risk(d=d)


# How many there are, and how far apart --------------------------------------------------------------------------------


@inequality_claim(
    bounds.log2_cube_family,
    quick=grid(d=[3, 8]),
    full=grid(d=[5, 9, 14]),
    control=Control("only 1/{} of the coordinates shared", (1.2, 2), setting={"d": 8}),
    note=(
        "c = 1/4 for d ≥ 3, as ⌊7d/16⌋ ≥ d/4. With ≤ 1/8 there is also such a family for large d, by "
        "Gilbert and Varshamov"
    ),
    tightness=withheld,
)
def cube_family(*, d, factor=1):
    """All w that share their first ceil(9d/16) coordinates: their number, and all inner products in integers."""
    fixed = ceil(Fraction(9 * d, 16) / Fraction(factor))
    weights = np.array([(-1,) + (1,) * (fixed - 1) + v for v in product((1, -1), repeat=d - fixed)])
    yield {"d": d, "property": "d |<w, w'>| >= d/8"}, Fraction(d, 8), int(np.abs(weights @ weights.T).min())
    yield {"d": d, "property": "how many"}, 2 ** bounds.log2_cube_family(d=d), len(weights)


@inequality_claim(
    bounds.printed_inner_product,
    quick=grid(d=[65]),
    full=grid(d=[3, 64, 257]),
    severity="statement",
    misprint="read ≤ for ≥, which is what the Gilbert-Varshamov bound, the proof's next line, gives",
    python="""
from fractions import Fraction
from lemmata.bounds.bms22.many_hypotheses import printed_inner_product
d = 65
square = Fraction(1, d)  # <e_1, w>^2 for every printed w
assert square < printed_inner_product(d=d) ** 2
""",
    note=(
        "false for d > 64, where no unit weight with the same signs does better than 2/√d. With ≤ 1/8 it "
        "is true for d ≥ 64"
    ),
)
def first_axis_and_the_cube(*, d):
    """1/64 against <e_1, w>^2 = 1/d."""
    yield {"d": d}, bounds.printed_inner_product(d=d) ** 2, Fraction(1, d)


@inequality_claim(
    bounds.largest_inner_product, quick=grid(d=[64, 65, 10**6]), steps=[Step("d ≥ 64")], tightness=equality
)
def first_axis_and_the_cube_in_high_dimension(*, d):
    """<e_1, w>^2 = 1/d against 1/64."""
    yield {"d": d}, Fraction(1, d), bounds.largest_inner_product(d=d) ** 2


# The mechanism --------------------------------------------------------------------------------------------------------


def chances():
    """The law of the mechanism at the worst scores, all losses 1, and on samples of the distribution, labels +-1."""
    for epsilon, m, size in ((0.1, 2, 8), (1.0, 6, 8), (0.01, 1, 8), (5.0, 1, 2), (1.0, 200, 8)):
        weights = np.array([(-1,) + (1,) * 5 + v for v in product((1, -1), repeat=3)])[:size]
        X = np.random.default_rng(m).choice([-1, 1], size=(20, m, 9))
        for losses in (np.ones(size), *((x[:, :1] * (x @ weights.T) <= 0).mean(axis=0) for x in X)):
            scores = np.concatenate([[0.0], -losses])
            chance = exp(law(scores, sensitivity=1 / m, privacy=PureDP(epsilon)).log_probabilities()[0])
            shared = -log(np.exp(-losses * epsilon * m / 2).mean()) / (epsilon * m / 2)
            yield {"epsilon": epsilon, "m": m, "size": size, "risk": min(max(shared, 0.0), 1.0)}, chance


@inequality_claim(
    bounds.log_printed_chance,
    measured=chances,
    over=[between("risk", 0, 1)],
    steps=[Step("R ≤ 1, and 1 + x > x")],
    note="with the exponent ε/(2m) the first bound would be smaller than the exact chance",
)
def chance_of_the_good_one():
    """The exact law; `risk` is the one that all members would share, if their weights were equal."""
    for epsilon, m, size, risk in product((0.1, 5.0), (1, 6), (2.0, 1e6), (0.0, 0.3, 1.0)):
        setting = {"epsilon": epsilon, "m": m, "size": size}
        exactly = 1 / (1 + size * exp(-risk * epsilon * m / 2))
        yield setting | {"risk": risk}, exactly, exp(bounds.log_printed_chance(**setting))


@inequality_claim(
    bounds.log_halved,
    quick=grid(c=[0.1, 0.69]),
    full=grid(c=[1e-3, 0.5]),
    control=Control("{} times as many samples", (1.1, 3)),
    tightness=equality,
    steps=[Step("ε m ≤ c' d")],
    note=(
        "the printed condition c'/d ε, read as c'/(d ε), is narrower than the lemma's, so the step proves "
        "less than the lemma says"
    ),
)
def fewer_samples(*, c, factor=1):
    """c d/2 <= c d - epsilon m/2 iff epsilon m <= c d: the negatives of both sides."""
    for d, epsilon, m in product((1, 5, 1000), (0.01, 3.0), (0.03, 0.1, 10.0, 20.0)):
        if epsilon * m <= c * d:
            halved = bounds.log_halved(c=c, d=d, epsilon=epsilon, m=m)
            yield {"c": c, "d": d, "epsilon": epsilon, "m": m}, -halved, c * d - epsilon * m * factor / 2


def dimensions(statement):
    """The figure of a threshold: what is claimed and what is needed."""
    rates = [0.1, 0.2, 0.4, 0.69]
    claimed, needed = ([formula(c=x) for x in rates] for formula in (statement, bounds.dimension))
    return lambda c: {"c'": rates, "bound": claimed, "exact": needed}


def chance(c, d):
    """e^{-c d/2} against 1/10 in balls; the corrected threshold meets it with equality, up to its own rounding."""
    yield {"c'": c, "d": d}, (-exact(c) * exact(d) / 2).exp(), Fraction(10**12 + 1, 10**13)


@inequality_claim(
    bounds.printed_dimension,
    quick=grid(c=[0.69, 0.1]),
    full=grid(c=[0.5, 0.01]),
    severity="constant",
    python="""
from math import ceil, exp
from lemmata.bounds.bms22.many_hypotheses import printed_dimension
c = 0.69  # c' <= log 2, because |W| = e^{c' d} <= 2^d
d = ceil(printed_dimension(c=c))
assert exp(-c * d / 2) > 1 / 10
""",
    figure=dimensions(bounds.printed_dimension),
    note="at d = 2/c′ + 3 the value is exp(−1 − 3c′/2), which is at most 1/10 only for c′ ≥ 0.87. But c′ ≤ log 2",
)
def too_few_dimensions(*, c):
    """e^{-c' d/2} at the smallest whole d that is allowed."""
    yield from chance(c, ceil(bounds.printed_dimension(c=c)))


@inequality_claim(
    bounds.dimension,
    quick=grid(c=[0.69, 0.1]),
    full=grid(c=[0.5, 0.01]),
    control=Control("the dimension divided by {}", (1.05, 2)),
    over=[at_least("share", 1)],
    steps=[Step("e^-x decreases")],
    figure=dimensions(bounds.dimension),
)
def enough_dimensions(*, c, factor=1):
    """Equality at d = 2 log(10)/c', and less beyond."""
    for share in (1, 1.5):
        d = bounds.dimension(c=c) / factor * share
        yield {"c": c, "share": share}, exp(-c * d / 2), 0.1


if __name__ == "__main__":
    run_script(__file__)
