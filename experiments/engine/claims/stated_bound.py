"""Whether what a sampled claim decides is the number that its statement prints."""

import math
import re
from fractions import Fraction

from lemmata.bounds.statement.formula import GREEK
from lemmata.experiments.engine.claims import fingerprint
from lemmata.experiments.engine.claims.claim import Claim

LARGEST = 12  # numerator and denominator of a printed multiple


def find_unstated_bound(claim: Claim) -> str:
    """What is wrong with the bound of a claim on trials, or "": it is `beta`, a call of the statement, or printed.

    >>> latex = r"\\Pr[U > t] \\ge 1 - \\frac{\\beta}{3}"
    >>> is_printed(0.1, 0.3, "beta", latex), is_printed(0.9, 0.3, "beta", latex)
    (True, False)
    """
    if claim.style not in ("tail", "mean") or any(
        thing is claim.theorem.formula for thing, _ in fingerprint.find_reached(claim.bound)
    ):
        return ""
    for setting in claim.quick:
        bound = claim.bound(**setting)
        numbers = {name: float(x) for name, x in setting.items() if isinstance(x, int | float) and x}
        if not any(is_printed(bound, value, name, claim.theorem.says) for name, value in numbers.items()):
            return f"its bound must be beta, a number in the formula, or a call of its statement, got {float(bound):g}"
    return ""


def is_printed(bound: float, value: float, name: str, says: str) -> bool:
    """Whether a formula in LaTeX prints `bound` as a multiple of an argument: 3 beta, beta / 3, or beta itself."""
    letter = re.escape(f"\\{name}" if name in GREEK else name)
    times = Fraction(bound / value).limit_denominator(LARGEST)
    if not math.isclose(bound, float(times) * value, rel_tol=1e-9):
        return False
    over = rf"(?:\\[td]?frac\{{{letter}\}}\{{{times.denominator}\}}|{letter}\s*/\s*{times.denominator})"
    if times == 1:
        return name == "beta" or re.search(letter, says) is not None
    if times.denominator == 1:
        return re.search(rf"(?<!\d){times.numerator}\s*{letter}", says) is not None
    return times.numerator == 1 and re.search(over, says) is not None
