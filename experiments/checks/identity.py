"""left = right in every case: the check yields the cases, and this file compares them."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks.inequality import (
    Case,
    CaseReader,
    Cases,
    allowed_error,
    cases_claim,
    format_side,
    has_infinite_float,
    name_case,
    proof_kind,
    refute_case,
    scale_sides,
    to_exact,
)
from lemmata.experiments.engine.claims.claim import exact_claim
from lemmata.experiments.engine.claims.steps import STEP_FAILS
from lemmata.experiments.engine.claims.verdict import Verdict
from lemmata.mechanisms.numerics.inherited_docs import share_docs

SHARP = 1e-9  # relative radius below which two balls that overlap count as equal


@share_docs(exact_claim)
def identity_claim(statement: Statement[..., Any], *, digits: int = 0, **fields: Any) -> Callable:
    """A claim that left = right, whose check yields cases (setting, left, right); fields as for `inequality_claim`.

    Rationals are equal or not; floats may differ by a relative error of `rounding` (default `ROUNDING`); balls are
    equal if they overlap, the right one widened by a given `rounding`, and if both are sharp: with `digits`, if they
    agree to that many digits. The control multiplies the right side by the factors `caught`.

    Parameters
    ----------
    digits : int
        The number of digits to which two balls must agree; 0 accepts any overlap.
    """
    options = {"digits": digits}
    says = "the right-hand side multiplied by {}"
    return cases_claim(statement, decide_identity, says, options=options, relation="=", **fields)


def decide_identity(
    cases: Cases,
    *,
    factor: float,
    evidence: str,
    scope: str,
    rounding: float | None,
    python: Callable | str | None = None,
    digits: int = 0,
) -> Verdict:
    """REFUTED at the first case whose sides are proved to differ, else HOLDS; links as in `compare`."""
    checked, ending = 0, CaseReader(cases)
    for case in ending:
        *_, setting, left, right = case
        if has_infinite_float(left, right):
            ending.leave("FAILED", f"a side is an infinite float at {name_case(case)}")
            continue
        checked += 1
        share, proof = allowed_error(left, right, rounding), proof_kind(left, right)
        left, right = scale_sides(left, right, Fraction(factor))
        if isinstance(left, arb):
            right = right + abs(right) * exact(share) * arb(0, 1) if share else right
            differ = not left.overlaps(right)
            if not differ and not is_sharp(left, right, digits):
                ending.leave("BUDGET", f"the balls are too wide at {name_case(case)}")
        else:
            differ = abs(left - right) > to_exact(share) * max(abs(left), abs(right))
        if differ and isinstance(case, Case):
            return refute_case(proof, setting, left, right, python)
        if differ:
            ending.leave("FAILED", f"{name_case(case)} {STEP_FAILS}: {format_side(left)} ≠ {format_side(right)}")
    return ending.verdict(checked, evidence, scope, tightness=(1.0, 1.0))


def is_sharp(left: arb, right: arb, digits: int) -> bool:
    """Are the two balls finite, and narrow enough for their overlap to mean something?"""
    if not (left.is_finite() and right.is_finite()):
        return False
    if digits:
        return bool(abs(left - right) < abs(right) * exact(10.0**-digits) + exact(1e-300))
    return bool(left.rad() + right.rad() < (abs(right) + 1) * exact(SHARP))
