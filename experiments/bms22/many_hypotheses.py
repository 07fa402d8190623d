"""Lemma G.1 of Bassily, Mohri & Suresh (2022): constructions, checked point by point.

Whole numbers and fractions throughout. Lemma G.1 holds by another construction than the printed one, whose steps are
decided apart.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil, exp, expm1, log

import numpy as np
from scipy.linalg import hadamard

from bounds.bms22 import many_hypotheses
from bounds.exact.balls import exact, lower_end
from experiments.engine.claim import Control, exact_claim, grid
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.instances.points import failed
from mechanisms.exponential import law
from mechanisms.privacy import PureDP

EIGHTH = Fraction(1, 8)


def inner(a, b):
    """<a, b> in fractions."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def risk(w, points):
    """P(y <w, x> <= 0) over equally likely (x, y), ties errors, exactly."""
    return Fraction(sum(y * inner(w, x) <= 0 for x, y in points), len(points))


def axis(dimensions=2):
    """x = e_1 or -e_1 with equal probability, y the sign of x_1."""
    rest = (Fraction(0),) * (dimensions - 1)
    return [((Fraction(s), *rest), s) for s in (1, -1)]


def object_witness(setting, what, claimed, found, python=""):
    """A construction that lacks a property."""
    return {
        "setting": setting,
        "claimed": str(claimed),
        "found": str(found),
        "object": what,
        "property": "as claimed",
        "value": float(found),
        "python": python.strip(),
    }


# ---- Lemma G.1, by our construction ------------------------------------------------------------------------


@exact_claim(
    many_hypotheses.best_risk,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control("h* with weight -e_1 ({})", (2,)),
    cost=0.01,
)
def one_is_right(*, d, factor=1):
    """R(h_{e_1}) = 0."""
    best = many_hypotheses.family(d, 1)[0]
    best = best if factor == 1 else tuple(-x for x in best)
    found = risk(best, axis())
    if found > many_hypotheses.best_risk(d=d):
        return refuted("enumeration", object_witness({"d": d}, "h*", 0, found))
    return holds("derivation", "everywhere", note="d >= 2; x = +-e_1, y = sgn(x_1), h* = h_{e_1}")


@exact_claim(
    many_hypotheses.other_risk,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control("an arc {} times as long", (16,)),
    cost=0.1,
)
def all_others_are_wrong(*, d, factor=1):
    """w_1 < 0 for every other hypothesis, so both points are errors."""
    weights = _arc(d, factor)
    worst = min(risk(w, axis()) for w in weights)
    if worst < many_hypotheses.other_risk(d=d):
        return refuted("enumeration", object_witness({"d": d}, "the other hypotheses", 1, worst))
    return holds("derivation", "everywhere", note=f"all {len(weights)} have w_1 < 0 and norm 1")


def _arc(d, factor):
    weights = many_hypotheses.family(d, min(many_hypotheses.family_size(d), 500))[1:]
    if factor != 1:  # t up to factor/8: past t = 1 the first coordinate is positive
        slopes = [Fraction(j * factor, 8 * len(weights)) for j in range(len(weights))]
        weights = [(-(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)) for t in slopes]
    if any(inner(w, w) != 1 for w in weights):
        raise ValueError("a weight is not of norm 1")
    return weights


@exact_claim(
    many_hypotheses.least_inner_product,
    quick=grid(d=[2, 6]),
    full=grid(d=[10]),
    control=Control("an arc {} times as long", (12,)),
    note="the direction of the inequality is that of both texts; it makes hypotheses alike, not different, and allows "
    "any number of them in the plane. With <= 1/8: part `separated`",
    cost=0.3,
)
def weights_are_alike(*, d, factor=1):
    """All pairs among h* and the first, middle and last of the arc and its neighbours; angles lie between those."""
    weights = _arc(d, factor)
    chosen = [(Fraction(1), Fraction(0)), *weights[:5], *weights[:: max(1, len(weights) // 40)], *weights[-5:]]
    least = min(abs(inner(a, b)) for a, b in combinations(chosen, 2))
    allowed = many_hypotheses.least_inner_product(d=d)
    if least < allowed:
        return refuted("enumeration", object_witness({"d": d}, "two weights", "|<w, w'>| >= 1/8", least))
    return holds("derivation", "everywhere", tightness=(float(allowed / least),) * 2, note="angles on the arc <= 0.25")


@exact_claim(
    many_hypotheses.failure_chance,
    quick=({"d": 6, "epsilon": 1.0, "m": 5, "rho": 0.5}, {"d": 2, "epsilon": 0.1, "m": 19, "rho": 1.0}),
    full=grid(d=[10], epsilon=[0.01], m=[1, 999], rho=[0.0]) + grid(d=[20], epsilon=[3.0], m=[6], rho=[0.9]),
    control=Control("1/{} of the hypotheses", (2, 4)),
    cost=0.05,
)
def wrong_one_is_selected(*, d, epsilon, m, rho, factor=1):
    """The exact law of the exponential mechanism: all samples of size m give the same scores."""
    size = ceil(many_hypotheses.family_size(d) / factor)
    # margins y <w, x> = <w, e_1>: 1 for h*, negative for the others, whatever the sample; at most rho is a loss
    scores = np.full(1 + size, -1.0)
    scores[0] = -float(rho >= 1)
    selected = law(scores, sensitivity=1 / m, privacy=PureDP(epsilon)).log_probabilities()
    wrong = -expm1(selected[0])
    claimed = many_hypotheses.failure_chance(d=d, epsilon=epsilon, m=m, rho=rho)
    dimensions = [2, 4, 6, 8, 10]
    curve = [_chance_at_limit(n, many_hypotheses.family_size(n)) for n in dimensions]
    series = {"d": dimensions, "bound": [0.9] * 5, "exact as m -> d/epsilon": curve}
    if wrong < claimed or (factor != 1 and _chance_at_limit(d, size) < claimed):
        found = min(wrong, _chance_at_limit(d, size))
        return refuted(
            "enumeration", object_witness({"d": d, "size": size}, "the selection", 0.9, found), series=series
        )
    return holds("derivation", "everywhere", tightness=(0.9 / wrong, 1.0), note="c = 2, c' = 1", series=series)


def _chance_at_limit(d, size):
    """size e^{-d/2}/(1 + size e^{-d/2}): the probability of a wrong hypothesis at epsilon m = d."""
    return 1 / (1 + exp(d / 2 - log(size)))


@exact_claim(
    many_hypotheses.log_separated_size,
    quick=grid(d=[1100]),
    full=grid(d=[10_000]),
    control=Control("c' = {}/100", (1.2, 2)),
    cost=0.05,
    note="c = 1100, c' = 1/100",
)
def nearly_orthogonal_weights(*, d, factor=1):
    """The count against 9 e^{c' d/2} in balls, for all d from 1100 on; an instance in 17 dimensions point by point."""

    def surplus(n):
        t = exact(Fraction(124, 1000))
        return (exact(n) - 1) * t**2 / 2 - exact(2).log() - exact(9).log() - exact(n) * exact(factor) / 200

    slope = Fraction(124, 1000) ** 2 / 2 - Fraction(factor) / 200
    if lower_end(surplus(d)) < 0 or slope < 0:
        return failed("certificate", {"d": d}, many_hypotheses.log_separated_size(d=d), log(9) + factor * d / 200)
    if abs(float(surplus(d)) - (many_hypotheses.log_separated_size(d=d) - log(9) - factor * d / 200)) > 1e-6:
        return inconclusive("FAILED", "the function is not the count that is checked")
    # 16 orthogonal sign vectors: (-1/100, sqrt(1 - 1e-4) v) up to the irrational factor, which only multiplies <v, v'>
    signs = hadamard(16)
    others = [(Fraction(-1, 100), *(Fraction(int(s), 4) for s in row)) for row in signs]
    largest = max(
        abs(a[0] * b[0]) + abs(inner(a[1:], b[1:])) * Fraction(9999, 10000) for a, b in combinations(others, 2)
    )
    if largest > EIGHTH or min(risk(w, axis(17)) for w in others) < 1:
        return inconclusive("FAILED", "the instance lacks a property")
    return holds("certificate", "domain: d >= 1100", note="instance: 16 weights from a Hadamard matrix")


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
