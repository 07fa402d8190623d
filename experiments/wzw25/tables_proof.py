"""How many candidates do pure-DP learners of margins need? Section 1.2 of Wang, Zhu & Wang (2025)."""

from itertools import product

import numpy as np

from lemmata.bounds.wzw25 import tables_proof as bound
from lemmata.experiments.checks import inequality_claim, order_claim
from lemmata.mechanisms.solvers.margin import geometric_margin

LABELLINGS = """from lemmata.bounds.wzw25.tables_proof import candidates_order
# n = 1/gamma^2 orthonormal records carry all 2^n labellings at margin gamma, and a candidate is right for one of them.
ratios = [2.0**n / candidates_order(gamma=n**-0.5) for n in (25, 100, 400)]
assert ratios[2] > 1e50 * ratios[1] > 1e60 * ratios[0] > 1e60"""


@order_claim(
    bound.candidates_order,
    family="1/γ² orthonormal records with all labellings, γ = 1/5, 1/10, 1/20",
    severity="constant",
    finding="the sets have exp(1/γ²) candidates at least",
    python=LABELLINGS,
    note="only the running time of other learners hangs on it: a set that serves all data of margin γ has 2^⌊1/γ²⌋ "
    "candidates, and the covers of BMS22 have (20Λr/ρ)^k with k of the order log(m/β)/γ²",
)
def labellings_outgrow_the_order():
    """The least number of candidates over the printed order."""
    for gamma in (1 / 5, 1 / 10, 1 / 20):
        yield {"gamma": gamma}, bound.candidates_needed(gamma=gamma), bound.candidates_order(gamma=gamma)


@inequality_claim(
    bound.candidates_needed, caught=(1.01, 2), note="attained: one candidate a labelling is enough for them"
)
def every_labelling_has_the_margin():
    """The labellings of 1 to 5 orthonormal records whose margin, as it is solved for, is at least gamma."""
    for n in range(1, 6):
        gamma = n**-0.5 * (1 - 1e-9)
        labellings = (np.array(signs) for signs in product((-1, 1), repeat=n))
        carried = sum(geometric_margin(np.eye(n), y).value >= gamma for y in labellings)
        yield {"gamma": gamma, "n": n}, bound.candidates_needed(gamma=gamma), carried


if __name__ == "__main__":
    import lemmata

    lemmata.script(__file__)
