"""Definitions 2.1 and 6.1 of bms22 on finite laws, and the losses of its Section 2 on a rational lattice."""

from fractions import Fraction
from itertools import combinations, product
from math import log

import numpy as np

from lemmata.bounds.bms22 import definitions as bounds
from lemmata.bounds.bms22.exponential_mechanism import label_pairs
from lemmata.bounds.theorem import require
from lemmata.experiments.checks import Step, grid, identity_claim, inequality_claim, run_script, up_to_one
from lemmata.experiments.instances.laws.selections import UNIVERSE, empirical_risks, laws

# Definitions 2.1 and 6.1 ----------------------------------------------------------------------------------------------


@identity_claim(bounds.smallest_epsilon, quick=grid(outputs=[6]), full=grid(outputs=[2, 10]))
def events_give_no_more_than_outputs(*, outputs):
    """All 2^k events of random finite laws, ties and rare outputs included, in exact arithmetic."""
    rng = np.random.default_rng(outputs)
    for _ in range(10):
        weights = rng.choice([1, 1, 2, 5, 1000], size=(2, outputs))
        pair = [[Fraction(int(w), int(row.sum())) for w in row] for row in weights]
        events = (event for size in range(1, outputs + 1) for event in combinations(range(outputs), size))
        chances = ([sum(law[o] for o in event) for law in pair] for event in events)
        largest = log(max(max(p / q, q / p) for p, q in chances))
        claimed = bounds.smallest_epsilon(laws=[[float(x) for x in law] for law in pair], pairs=[(0, 1)])
        yield {"outputs": outputs, "weights": weights}, largest, claimed


@inequality_claim(
    bounds.label_delta_bound,
    quick=grid(m=[2], epsilon=[0.3]),
    full=grid(m=[3], epsilon=[0.0, 0.1, 1.0]),
    caught=(1.001, 1.5, 4),
    tightness=up_to_one,
)
def label_pairs_are_pairs(*, m, epsilon):
    """Smallest delta over label pairs against all pairs: exponential mechanism, randomised response on a label."""
    scores, pairs = empirical_risks(m)
    datasets, labels = label_pairs(UNIVERSE, m)
    response = np.array([[0.75, 0.25] if UNIVERSE[data[0]][1] > 0 else [0.25, 0.75] for data in datasets])
    flips = sum(x == u for (x, _), (u, _) in combinations(UNIVERSE, 2))
    yield {"m": m, "of": "label pairs that are missing"}, m * flips * len(UNIVERSE) ** (m - 1) - len(labels), 0
    yield {"m": m, "of": "label pairs that are no pairs"}, len(set(labels) - set(map(tuple, pairs.tolist()))), 0
    for mechanism, chances in (("exponential", laws(scores, 1 / m, 1.0)), ("randomised response", response)):
        smallest = bounds.smallest_label_delta(laws=chances, pairs=labels, epsilon=epsilon)
        claimed = bounds.label_delta_bound(laws=chances, pairs=pairs, epsilon=epsilon)
        yield {"m": m, "epsilon": epsilon, "mechanism": mechanism}, smallest, claimed


# Section 2: losses ----------------------------------------------------------------------------------------------------

POINTS = [Fraction(i, 4) for i in range(-40, 41)]
RHOS = [Fraction(1), Fraction(1, 4), Fraction(1, 3), Fraction(7, 2), Fraction(1, 10**6), Fraction(10**6)]
LATTICE = [{"u": u, "rho": rho} for u in POINTS for rho in RHOS]
EXACTLY = {"caught": (1.01,), "note": "by one line of proof; a rational lattice agrees, ties included"}
BY_CASES = EXACTLY | {"steps": [Step("by cases")]}


@inequality_claim(bounds.margin_loss, **BY_CASES)
def margin_dominates():
    """u <= 0 implies u <= rho."""
    for u, rho in product(POINTS, (Fraction(0), *RHOS)):
        yield {"u": u, "rho": rho}, int(u <= 0), bounds.margin_loss(u=u, rho=rho)


@inequality_claim(bounds.hinge_loss, **BY_CASES)
def hinge_dominates():
    """u <= 0 implies 1 - u/rho >= 1."""
    for point in LATTICE:
        yield point, int(point["u"] <= 0), bounds.hinge_loss(**point)


@inequality_claim(bounds.ramp_loss, **BY_CASES)
def margin_dominates_the_ramp():
    """Beyond rho the hinge loss is 0, below it the cap is 1."""
    for point in LATTICE:
        yield point, bounds.ramp_loss(**point), bounds.margin_loss(**point)


@inequality_claim(bounds.lipschitz_constant, over=[require("p, q real", lambda p, q: True)], **BY_CASES)
def hinge_is_lipschitz():
    """The maximum of a function of slope -1/rho and a constant, at u = p rho and v = q rho."""
    for p, q, rho in product(POINTS[::4], POINTS[::16], RHOS):
        change = abs(bounds.hinge_loss(u=p * rho, rho=rho) - bounds.hinge_loss(u=q * rho, rho=rho))
        yield {"p": p, "q": q, "rho": rho}, change, bounds.lipschitz_constant(rho=rho) * abs(p - q) * rho


@inequality_claim(bounds.loss_of_zero, over=[require("u real", lambda u: True)], **BY_CASES)
def zero_is_a_candidate():
    """The minimum is at most the value at w = 0, which is 1 on any data; data at the origin attain it."""
    for u, rho in product(POINTS, RHOS):
        least = min(bounds.hinge_loss(u=w * u, rho=rho) for w in (-1, 0, 1))
        yield {"u": u, "rho": rho}, least, bounds.loss_of_zero(rho=rho)


if __name__ == "__main__":
    run_script(__file__)
