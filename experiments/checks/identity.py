"""left = right in every case: the check yields the cases, and this file compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from flint import arb

from bounds.exact.balls import exact
from experiments.checks import witness
from experiments.checks.inequality import Ending, cases_claim, exactly, sides
from experiments.engine.verdict import Verdict, inconclusive, refuted

SHARP = 1e-9  # relative radius below which two balls that overlap count as equal


def identity_claim(statement: Callable, **fields: Any) -> Callable:
    """A claim that left = right, whose check yields cases (setting, left, right); fields as for `inequality_claim`.

    Rationals are equal or not; floats may differ by a relative error of `rounding`; balls are equal if they overlap and
    are sharp. The control multiplies the right side by the factors `caught`.
    """
    return cases_claim(statement, equal, "the right-hand side multiplied by {}", **fields)


def equal(
    cases: Iterable, *, factor: float, evidence: str, scope: str, rounding: float, python: Callable | None = None
) -> Verdict:
    """REFUTED at the first case whose sides are proved to differ, else HOLDS."""
    checked, ending = 0, Ending(cases)
    for setting, left, right in ending:
        checked += 1
        left, right = sides(left, right, Fraction(factor))
        if isinstance(left, arb):
            differ = not left.overlaps(right)
            scale = abs(right) + 1
            if not differ and not (left.rad() + right.rad() < scale * exact(SHARP)):
                return inconclusive("BUDGET", f"the balls are too wide at {setting}")
        else:
            differ = abs(left - right) > exactly(rounding) * max(abs(left), abs(right))
        if differ:
            program = python(setting, left, right) if python else ""
            proof = "certificate" if isinstance(left, arb) else "enumeration"
            return refuted(proof, witness.inequality(setting, left, right, python=program))
    return ending.verdict(checked, evidence, scope, tightness=(1.0, 1.0))
