"""The statements next to Table 1 about other learners: Wang, Zhu & Wang (2025), Section 1.2."""

from fractions import Fraction
from math import exp, floor

from lemmata.bounds.exact.numbers import power
from lemmata.bounds.theorem import require, theorem
from lemmata.bounds.wzw25 import WZW25

MARGIN = require("0 < gamma <= 1", lambda gamma: 0 < gamma <= 1)


@theorem(
    "wzw25.tab1.candidates",
    kind="rate",
    says=r"\mathrm{exponential\ mechanisms\ on\ candidate\ sets\ of\ size}\ O(e^{1/\gamma})",
    needs=[MARGIN],
    source=f"{WZW25}, Section 1.2, of the learners in rows 1 and 2 of Table 1",
)
def candidates_order(*, gamma: float) -> float:
    """The order of the pure-DP learners' candidates, as printed: exp(1/gamma)."""
    return exp(1 / gamma)


@candidates_order.corrected(
    says=r"|\mathcal C|\ge2^{\lfloor1/\gamma^2\rfloor}\ \mathrm{if\ every\ dataset\ of\ margin}\ \gamma\ "
    r"\mathrm{in\ the\ unit\ ball\ has\ a\ member\ of}\ \mathcal C\ \mathrm{without\ errors}",
    kind="construction",
    source=f"{WZW25}, Section 1.2, what any such set needs at least",
)
def candidates_needed(*, gamma: float) -> int:
    """The pure-DP learners have at least 2 to the power of floor(1/gamma^2) candidates.

    Derivation. Let n = floor(1/gamma^2), and e_1, ..., e_n orthonormal. With any labels y the unit vector
    sum_i y_i e_i / sqrt(n) has y_i <w, e_i> = 1/sqrt(n) >= gamma, so each of the 2^n labellings is a dataset of margin
    gamma, and a classifier errs on none of the records of one labelling only.

    >>> candidates_needed(gamma=0.5)
    16
    """
    return power(2, floor(1 / Fraction(gamma) ** 2))
