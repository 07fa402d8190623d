"""The exponential mechanism decided exactly: every output, every neighbouring pair, the worst scores.

The losses of bms22, and the steps from which Lemma A.1 follows: `bounds.bms22.relative_deviation` has the derivation.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import log

import numpy as np

from bounds.bms22 import definitions as bounds
from bounds.bms22 import exponential_mechanism
from experiments.engine.claim import Control, exact_claim, grid
from experiments.engine.verdict import holds, refuted
from experiments.instances.deviation_laws import inequality
from experiments.instances.selections import FLOAT_ERROR, UNIVERSE, _share, empirical_risk_laws

# Definitions 2.1 and 6.1 ----------------------------------------------------------------------------------


@exact_claim(
    bounds.smallest_epsilon,
    quick=grid(outputs=[6]),
    full=grid(outputs=[2, 10]),
    control=Control("the largest log-ratio divided by {}", (1.01, 2)),
    cost=0.05,
)
def events_give_no_more_than_outputs(*, outputs, factor=1):
    """All 2^k events of random finite laws, ties and rare outputs included, in exact arithmetic."""
    rng = np.random.default_rng(outputs)
    found, claimed = [], []
    for _ in range(10):
        weights = rng.choice([1, 1, 2, 5, 1000], size=(2, outputs))
        p, q = ([Fraction(int(w), int(row.sum())) for w in row] for row in weights)
        events = itertools.chain.from_iterable(
            itertools.combinations(range(outputs), size) for size in range(1, outputs + 1)
        )
        worst = max(max(_share(p, event) / _share(q, event), _share(q, event) / _share(p, event)) for event in events)
        found.append(log(worst))
        laws = [[float(x) for x in p], [float(x) for x in q]]
        claimed.append(float(bounds.smallest_epsilon(laws=laws, pairs=[(0, 1)])) / factor)
    off = int(np.argmax(np.abs(np.array(found) - claimed)))
    series = {"law": list(range(10)), "bound": claimed, "exact": found}
    if abs(found[off] - claimed[off]) <= FLOAT_ERROR * (1 + found[off]):
        return holds("derivation", "everywhere", tightness=(1.0, 1.0), series=series)
    witness = {
        "setting": {"outputs": outputs},
        "claimed": claimed[off],
        "found": found[off],
        "object": "two finite laws",
        "property": "log of the largest ratio over all events",
        "value": found[off],
        "python": "",
    }
    return refuted("enumeration", witness, series=series)


@exact_claim(
    bounds.label_delta_bound,
    quick=grid(m=[2], epsilon=[0.3]),
    full=grid(m=[3], epsilon=[0.0, 0.1, 1.0]),
    control=Control("the smallest delta over all samples divided by {}", (1.5, 4)),
    cost=0.1,
)
def label_pairs_are_pairs(*, m, epsilon, factor=1):
    """Smallest delta over label pairs against all pairs: exponential mechanism, randomised response on a label."""
    _, selected, pairs = empirical_risk_laws(m, 1.0, exponential_mechanism.replace_pairs)
    datasets, labels = exponential_mechanism.label_pairs(UNIVERSE, m)
    told = np.array([[0.75, 0.25] if UNIVERSE[data[0]][1] > 0 else [0.25, 0.75] for data in datasets])
    subset = set(map(tuple, labels)) <= set(map(tuple, pairs.tolist()))
    lhs, rhs = [], []
    for laws in (selected, told):
        lhs.append(float(bounds.smallest_label_delta(laws=laws, pairs=labels, epsilon=epsilon)))
        rhs.append(float(bounds.label_delta_bound(laws=laws, pairs=pairs, epsilon=epsilon)) / factor)
    if subset and all(a <= b for a, b in zip(lhs, rhs, strict=True)):
        ratios = [a / b for a, b in zip(lhs, rhs, strict=True) if b > 0]
        return holds("derivation", "everywhere", tightness=(max(ratios, default=0.0), 1.0))
    worst = int(np.argmax(np.subtract(lhs, rhs)))
    witness = {
        "setting": {"m": m, "epsilon": epsilon},
        "claimed": rhs[worst],
        "found": lhs[worst],
        "point": {"m": m, "epsilon": epsilon},
        "lhs": [lhs[worst]] * 2,
        "rhs": [rhs[worst]] * 2,
        "python": "",
    }
    return refuted("enumeration", witness)


# Losses -------------------------------------------------------------------------------------------------------------

POINTS = [Fraction(i, 4) for i in range(-40, 41)]
RHOS = [Fraction(1), Fraction(1, 4), Fraction(1, 3), Fraction(7, 2), Fraction(1, 10**6), Fraction(10**6)]
EXACTLY = {"cost": 0.05, "note": "by one line of proof; a lattice of rational numbers agrees, ties included"}


def decide_lattice(sides, rhos=RHOS, pairs=False):
    """left <= right on a rational lattice: `sides(u, rho)` or `sides(u, v, rho)`."""
    points = itertools.product(POINTS, POINTS[::16]) if pairs else ((u,) for u in POINTS)
    for *u, rho in ((*u, rho) for u in points for rho in rhos):
        left, right = sides(*u, rho)
        if left > right:
            point = {"u": [str(x) for x in u], "rho": str(rho)}
            told = {"claimed": f"at most {right}", "found": str(left)}
            return refuted("enumeration", inequality(point, left, right, **told))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(bounds.margin_loss, control=Control("{} times the zero-one loss", (1.01,)), **EXACTLY)
def margin_dominates(*, factor=1):
    """u <= 0 implies u <= rho."""
    return decide_lattice(lambda u, rho: (factor * int(u <= 0), bounds.margin_loss(u=u, rho=rho)), [Fraction(0), *RHOS])


@exact_claim(bounds.hinge_loss, control=Control("{} times the zero-one loss", (1.01,)), **EXACTLY)
def hinge_dominates(*, factor=1):
    """u <= 0 implies 1 - u/rho >= 1."""
    return decide_lattice(lambda u, rho: (factor * int(u <= 0), bounds.hinge_loss(u=u, rho=rho)))


@exact_claim(bounds.ramp_loss, control=Control("the cap at {}", (1.01,)), **EXACTLY)
def margin_dominates_the_ramp(*, factor=1):
    """Beyond rho the hinge loss is 0, below it the cap is 1."""

    def sides(u, rho):
        ramp = bounds.ramp_loss(u=u, rho=rho) if factor == 1 else min(factor, bounds.hinge_loss(u=u, rho=rho))
        return ramp, bounds.margin_loss(u=u, rho=rho)

    return decide_lattice(sides)


@exact_claim(bounds.lipschitz_constant, control=Control("the constant divided by {}", (1.01,)), **EXACTLY)
def hinge_is_lipschitz(*, factor=1):
    """The maximum of a function of slope -1/rho and a constant."""

    def sides(u, v, rho):
        steps = abs(bounds.hinge_loss(u=u, rho=rho) - bounds.hinge_loss(u=v, rho=rho))
        return steps, bounds.lipschitz_constant(rho=rho) / Fraction(factor) * abs(u - v)

    return decide_lattice(sides, pairs=True)


@exact_claim(bounds.loss_of_zero, control=Control("1 / {} for 1", (1.01,)), **EXACTLY)
def zero_is_a_candidate(*, factor=1):
    """The minimum is at most the value at w = 0, which is 1 on any data; data at the origin attain it."""

    def sides(u, rho):
        smallest = min(bounds.hinge_loss(u=w * u, rho=rho) for w in (-1, 0, 1))
        return smallest, bounds.loss_of_zero(rho=rho) / Fraction(factor)

    return decide_lattice(sides)


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
