"""Properties of the hinge loss and its excess: Wang, Zhu & Wang (2025), Remark 3.1 and Definition A.11.

All of it in fractions: records with whole coordinates, and hinge minima that a linear programme finds and both sides of
its duality prove.
"""

from fractions import Fraction
from itertools import product

import numpy as np

from lemmata.bounds.theorem import require
from lemmata.bounds.wzw25 import hinge_loss as bound
from lemmata.experiments.checks import Control, Step, identity_claim, inequality_claim, run_script, withheld
from lemmata.experiments.wzw25.inliers_and_outliers import WEIGHTS, hinge_sum, smallest_hinge


def clouds(n):
    """Twelve sets of up to n records of R^2 in whole numbers, among them all zero, all equal, and an opposite pair."""
    yield [(Fraction(0), Fraction(0))] * n
    yield [(Fraction(1), Fraction(2))] * n
    yield [(Fraction(3), Fraction(0)), (Fraction(-1), Fraction(0))]
    for seed in range(9):
        rows = np.random.default_rng(seed).integers(-4, 5, size=(1 + (seed * n) // 8, 2))
        yield [tuple(Fraction(int(x)) for x in row) for row in rows]


def losses_of_clouds():
    """Losses of rescaled weights, and the two minima, on every set of records."""
    width = Fraction(1, 3)
    for Z, other in product(clouds(12), (Fraction(1, 50), Fraction(40))):
        w, weights = smallest_hinge(Z, width)
        for v in (w, *WEIGHTS):
            moved = [bound.rescaled_weights(w=x, width=width, other=other) for x in v]
            yield {"other": other, "v": v}, hinge_sum(v, Z, width), hinge_sum(moved, Z, other)
        yield {"other": other}, sum(smallest_hinge(Z, other)[1]), sum(weights)


def loss_curves():
    widths = [0.05 * 1.3**j for j in range(20)]
    line, fixed = [(Fraction(1),)] * 3 + [(Fraction(-1),)], (Fraction(1, 4),)
    return {
        "c": widths,
        "smallest loss over R": [float(sum(smallest_hinge(line, Fraction(c))[1])) for c in widths],
        "loss of w = 1/4": [float(hinge_sum(fixed, line, Fraction(c))) for c in widths],
    }


@identity_claim(
    bound.rescaled_weights,
    measured=losses_of_clouds,
    figure=loss_curves,
    cost=0.3,
    over=[require("y ⟨v, x⟩ real", lambda z: True)],
    steps=[Step("the margin enters as y ⟨w, x⟩/c only")],
    note="the loss of a fixed w does vary with c, as the paper says; only the smallest over ℝᵈ does not, because w → "
    "w c'/c is one to one",
)
def scale_is_free():
    """The loss of rescaled weights on a record, along one direction v: y <w v, x> = w z."""
    for w, z, width, other in product((-2.0, 1.0), (0.5, 3.0), (0.02, 0.25), (0.02, 0.25)):
        moved = bound.rescaled_weights(w=w, width=width, other=other)
        loss = bound.hinge_loss(margin=w * z, width=width)
        yield {"w": w, "z": z, "width": width, "other": other}, loss, bound.hinge_loss(margin=moved * z, width=other)


@identity_claim(
    bound.smallest_hinge, quick=({"n": 16},), full=({"n": 40},), note="both sides equal in fractions on twelve sets"
)
def minimum_is_attained(*, n):
    """A minimiser and dual weights of equal value, in fractions; no w does better than the dual says."""
    for Z in clouds(n):
        w, weights = smallest_hinge(Z, Fraction(1))
        attained = min(hinge_sum(v, Z, Fraction(1)) for v in (w, *WEIGHTS))
        yield {"n": n, "records": len(Z)}, attained, bound.smallest_hinge(weights=weights)


@inequality_claim(
    bound.hinge_excess,
    given=[bound.smallest_hinge],
    quick=({"n": 16},),
    full=({"n": 40},),
    control=Control("dual weights {} times as large", (1.01, 2)),
    note="for the hinge sum over ℝᵈ, whose minimum exists; EER(w*) = 0",
    tightness=withheld,
)
def excess_is_positive(*, n, factor=1):
    """The excess of many w: never negative, and the loss above that of a minimiser."""
    for Z in clouds(n):
        w, weights = smallest_hinge(Z, Fraction(1))
        for v in (w, *WEIGHTS):
            loss = hinge_sum(v, Z, Fraction(1))
            excess = bound.hinge_excess(loss=loss, weights=[Fraction(factor) * a for a in weights])
            yield {"n": n, "records": len(Z), "w": v}, 0, excess
            yield {"n": n, "records": len(Z), "w": v}, loss - hinge_sum(w, Z, Fraction(1)), excess
            yield {"n": n, "records": len(Z), "w": v}, excess, loss - hinge_sum(w, Z, Fraction(1))


if __name__ == "__main__":
    run_script(__file__)
