"""How many candidates do pure-DP learners of margins need? Section 1.2 of Wang, Zhu & Wang (2025)."""

from fractions import Fraction
from itertools import product

import numpy as np

from lemmata.bounds.wzw25 import tables_proof as bound
from lemmata.experiments.checks import Link, inequality_claim, order_claim, run_script
from lemmata.mechanisms.solvers.margin import geometric_margin


@order_claim(
    bound.candidates_order,
    family="1/γ² orthonormal records with all labellings, γ = 1/5, 1/10, 1/20",
    severity="constant",
    finding="such sets have at least 2^⌊1/γ²⌋ candidates",
    python="""from lemmata.bounds.wzw25.tables_proof import candidates_order
# n = 1/gamma^2 orthonormal records carry all 2^n labellings at margin gamma, and a candidate is right for one of them.
ratios = [2.0**n / candidates_order(gamma=n**-0.5) for n in (25, 100, 400)]
assert ratios[2] > 1e50 * ratios[1] > 1e60 * ratios[0] > 1e60""",
    note="only the running time of other learners depends on it. A set with an error-free candidate for "
    "all data of margin γ has at least 2^⌊1/γ²⌋ candidates. The covers of BMS22 have (20Λr/ρ)^k with k of the order "
    "log(m/β)/γ²",
)
def labellings_outgrow_the_order():
    """The least number of candidates over the printed order."""
    for gamma in (1 / 5, 1 / 10, 1 / 20):
        yield {"gamma": gamma}, bound.candidates_needed(gamma=gamma), bound.candidates_order(gamma=gamma)


@inequality_claim(
    bound.candidates_needed, caught=(1.01, 2), note="attained: one candidate per labelling is enough for these data"
)
def every_labelling_has_the_margin():
    """The labellings of 1 to 6 orthonormal records whose margin, as it is solved for, is at least gamma.

    gamma is just below 1/sqrt(n) and above 1/sqrt(n + 1); and as many records as any gamma allows have its margin.
    """
    for n in range(1, 7):
        labellings = [np.array(signs) for signs in product((-1, 1), repeat=n)]
        margins = np.array([geometric_margin(np.eye(n), y).value for y in labellings])
        for gamma in (n**-0.5 * (1 - 1e-9), (n**-0.5 + (n + 1) ** -0.5) / 2, (n + 1) ** -0.5 * (1 + 1e-9)):
            yield {"gamma": gamma, "n": n}, bound.candidates_needed(gamma=gamma), int((margins >= gamma).sum())
    for gamma in (1.0, 0.9, 0.5, 0.3, 0.1, 0.01, 1e-3):
        n = bound.candidates_needed(gamma=gamma).bit_length() - 1
        yield Link("margin of the mean", {"gamma": gamma, "n": n}, n * Fraction(gamma) ** 2, 1)


if __name__ == "__main__":
    run_script(__file__)
