"""How many gradients DP-ERM computes: Lemma 3.1 of Bassily, Mohri & Suresh (2022)."""

from __future__ import annotations

from math import log

import numpy as np

from bounds import boosting as bounds
from experiments.claim import Sabotage, exact_claim, holds, inconclusive, refuted
from experiments.phased_sgd import grows, unbounded, witness
from mechanisms import boosting


def counted(m, beta):
    """What our law says of itself."""
    X = np.ones((m, 1))
    known = dict(rho=0.5, radius=1.0, norm_bound=1.0, epsilon=min(0.1, log(10 * m)), delta=0.1 / m, beta=beta)
    return boosting.law(X, np.ones(m), calibration="corrected", **known).gradients


@exact_claim(
    bounds.printed_gradients,
    quick=({},),
    severity="cosmetic",
    corrected_by="bms22.lem3.1/corrected/complexity",
    note=(
        "one round is needed to release anything, and log(1/beta) -> 0 as beta -> 1. For beta <= 1/2 it holds with "
        "C = 2.1. 'Algorithm 2 requires' is a slip for Algorithm 5"
    ),
)
def one_round_at_least():
    """A round of m = 100 records against m log(m) log(1/beta) as beta -> 1."""
    points = [{"m": 100, "beta": 1 - 10.0**-j} for j in (1, 3, 5)]
    ratios = [counted(**p) / bounds.printed_gradients(**p) for p in points]
    if not grows(ratios):
        return inconclusive("NO_CONSTANT", f"ratios {ratios}")
    code = [
        "from bounds.boosting import gradient_count, printed_gradients",
        "betas = [1 - 10.0**-j for j in (1, 3, 5)]",
        "ratios = [gradient_count(m=100, beta=b) / printed_gradients(m=100, beta=b) for b in betas]",
        "assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]",
    ]
    return unbounded({}, "beta -> 1", points, ratios, code)


@exact_claim(
    bounds.corrected_gradients,
    quick=({},),
    control=Sabotage("m to the power 1/{}", (2,)),
    given=("bms22.lem3.1/explicit/complexity",),
    cost=0.05,
)
def gradients_within_order(*, factor=1):
    """ceil(x)/x <= 2 for x = log(2/beta), (m - 1)/(m log m) decreasing: the supremum is at m = 2, x just above 1."""

    def ratio(m, beta):
        return bounds.gradient_count(m=m, beta=beta) / (
            bounds.corrected_gradients(m=m, beta=beta) / m ** (1 - 1 / factor)
        )

    points = [{"m": 10**j, "beta": 0.1} for j in (3, 6, 9)]
    ratios = [ratio(**p) for p in points]
    if grows(ratios):
        return unbounded({}, "m grows", points, ratios)
    reached = max(ratio(m, beta) for m in range(2, 300) for beta in (0.999, 2 / np.e * (1 - 1e-9), 0.5, 0.1, 1e-9))
    C = 1 / log(2)
    if reached > C or counted(100, 0.1) != bounds.gradient_count(m=100, beta=0.1):
        return inconclusive("FAILED", f"{reached} is above {C}")
    return holds(
        "derivation", "everywhere", tightness=(reached / C, 1.0), note=f"C = {C:.4f}; for m = 1 there are none"
    )


@exact_claim(
    bounds.gradient_count,
    quick=({},),
    control=Sabotage("{} times as many rounds", (2,)),
    cost=0.05,
)
def every_record_once(*, factor=1):
    """The law's count against the formula, m from 2 to 100."""
    for m in range(2, 100):
        for beta in (0.9, 0.1, 1e-6):
            found, claimed = counted(m, beta), factor * bounds.gradient_count(m=m, beta=beta)
            if found != claimed:
                point = {"m": m, "beta": beta}
                sides = {"object": "boosting.law", "property": "gradients", "value": found}
                return refuted("enumeration", witness(point, claimed, found, **sides))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="the tests count the steps themselves")


if __name__ == "__main__":
    from experiments.run import script

    script("phased_sgd")
