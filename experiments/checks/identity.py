"""left = right in every case: the check yields the cases, and this file compares them."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks.inequality import (
    Case,
    Cases,
    Ending,
    allowed,
    broken,
    cases_claim,
    endless,
    exactly,
    named,
    proof_of,
    sides,
    told,
)
from lemmata.experiments.engine.claims.claim import exact_claim
from lemmata.experiments.engine.claims.verdict import Verdict
from lemmata.mechanisms.numerics.inherited_docs import share_docs

SHARP = 1e-9  # relative radius below which two balls that overlap count as equal


@share_docs(exact_claim)
def identity_claim(statement: Statement[..., Any], *, digits: int = 0, **fields: Any) -> Callable:
    """A claim that left = right, whose check yields cases (setting, left, right); fields as for `inequality_claim`.

    Rationals are equal or not; floats may differ by a relative error of `rounding` (default `ROUNDING`); balls are
    equal if they overlap, the right one widened by a `rounding` that is given, and are sharp: with `digits`, if they
    agree to so many digits. The control multiplies the right side by the factors `caught`.

    Parameters
    ----------
    digits : int
        To how many digits two balls agree; 0 is any overlap.
    """
    options = {"digits": digits}
    return cases_claim(statement, equal, "the right-hand side multiplied by {}", options=options, **fields)


def equal(
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
    checked, ending = 0, Ending(cases)
    for case in ending:
        *_, setting, left, right = case
        if endless(left, right):
            ending.leave("FAILED", f"a side is an infinite float at {named(case)}")
            continue
        checked += 1
        share, proof = allowed(left, right, rounding), proof_of(left, right)
        left, right = sides(left, right, Fraction(factor))
        if isinstance(left, arb):
            right = right + abs(right) * exact(share) * arb(0, 1) if share else right
            differ = not left.overlaps(right)
            if not differ and not sharp(left, right, digits):
                ending.leave("BUDGET", f"the balls are too wide at {named(case)}")
        else:
            differ = abs(left - right) > exactly(share) * max(abs(left), abs(right))
        if differ and isinstance(case, Case):
            return broken(proof, setting, left, right, python)
        if differ:
            ending.leave("FAILED", f"{named(case)} of our derivation fails: {told(left)} ≠ {told(right)}")
    return ending.verdict(checked, evidence, scope, tightness=(1.0, 1.0))


def sharp(left: arb, right: arb, digits: int) -> bool:
    """Are the two balls finite, and narrow enough for their overlap to mean something?"""
    if not (left.is_finite() and right.is_finite()):
        return False
    if digits:
        return bool(abs(left - right) < abs(right) * exact(10.0**-digits) + exact(1e-300))
    return bool(left.rad() + right.rad() < (abs(right) + 1) * exact(SHARP))
