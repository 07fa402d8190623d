"""Lemma G.1 of Bassily, Mohri & Suresh (2022): our construction, checked point by point in whole numbers and fractions.

The lemma holds by another construction than the printed one, whose steps are decided in `many_hypotheses_proof`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil, exp, expm1, log

import numpy as np
from scipy.linalg import hadamard

from bounds.bms22 import many_hypotheses as bounds
from bounds.exact.balls import exact
from bounds.exact.numbers import inner
from experiments.checks import inequality_claim
from experiments.engine.claim import Control, grid, script
from experiments.engine.verdict import inconclusive
from mechanisms.exponential import law
from mechanisms.privacy import PureDP


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
    weights = bounds.family(d, size, length=Fraction(factor, 8))[1:]
    if any(inner(w, w) != 1 for w in weights):
        raise ValueError("a weight is not of norm 1")
    return weights


# Lemma G.1, by our construction ---------------------------------------------------------------------------------------


@inequality_claim(
    bounds.best_risk,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control(lambda f: f"h* with weight {3 - 2 * f:g} e_1", (2,)),
    note="d ≥ 2; x = ±e_1, y = sgn(x_1), h* = h_{e_1}",
)
def one_is_right(*, d, factor=1):
    """R(h_{e_1}) = 0."""
    best = [(3 - 2 * factor) * x for x in bounds.family(d, 1)[0]]
    yield {"d": d, "w": best}, risk(best, axis()), bounds.best_risk(d=d)
    return {"tightness": None}


@inequality_claim(
    bounds.other_risk,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control("an arc {} times as long", (16,)),
    note="all other hypotheses have w_1 < 0 and norm 1",
)
def all_others_are_wrong(*, d, factor=1):
    """w_1 < 0 for every other hypothesis, so both points are errors."""
    for w in arc(d, factor):
        yield {"d": d, "w": w}, bounds.other_risk(d=d), risk(w, axis())
    return {"tightness": None}


@inequality_claim(
    bounds.least_inner_product,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control("an arc {} times as long", (12,)),
    note="the direction of the inequality is that of both texts; it makes hypotheses alike, not different, and allows "
    "any number of them in the plane. With ≤ 1/8: part `separated`. The angles on the arc are at most 0.25",
    cost=0.3,
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
    control=Control("1/{} of the hypotheses", (2, 4)),
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
    control=Control("c' = {}/100", (1.2, 2)),
    evidence="certificate",
    scope="domain: d >= 1100",
    note="c = 1100, c' = 1/100; as an instance, 16 weights from a Hadamard matrix",
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
    return {"tightness": None}


if __name__ == "__main__":
    script(__spec__.name)
