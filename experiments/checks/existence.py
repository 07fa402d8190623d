"""Statements of existence, and statements that nothing finite is enough.

"There is a map with ..." holds as soon as one is shown; "for no finite epsilon" holds where what is lost passes every
level. Both are inequalities with another quantifier in front, so they are compared as inequalities are.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks import witness
from lemmata.experiments.checks.inequality import (
    CaseReader,
    allowed_error,
    cases_claim,
    has_infinite_float,
    inequality_claim,
    proof_kind,
    ratio_above,
    refute_case,
    scale_sides,
    withheld,
)
from lemmata.experiments.engine.claims.claim import Control, exact_claim
from lemmata.experiments.engine.claims.verdict import Verdict, holds, inconclusive
from lemmata.mechanisms.numerics.inherited_docs import like

MUTATES = inspect.Signature([inspect.Parameter("factor", inspect.Parameter.KEYWORD_ONLY, default=1)])
LEVELS = tuple(10.0**j for j in range(7))  # what is lost has to pass each of them


@like(exact_claim)
def exists_claim(statement: Statement[..., Any], **fields: Any) -> Callable:
    """A claim that there is a case with left <= right: the check yields candidates (setting, left, right).

    HOLDS at the first that is one, with that candidate as its witness: evidence "enumeration" where both sides are
    rational, "certificate" where one is a ball, else "tested"; scope "everywhere" but for floats, since one is enough.
    Candidates that run out refute nothing, unless `exhaustive=True` says that there are no others. The control divides
    the right side by the factors `caught`, and all candidates together are then taken for all there are.
    """
    exhaustive = fields.pop("exhaustive", False)
    options = {"exhaustive": exhaustive}
    return cases_claim(statement, decide_existence, "the right-hand side divided by {}", options=options, **fields)


def decide_existence(
    cases: Iterable, *, factor: float, exhaustive: bool, rounding: float | None, python: Any, **_: Any
) -> Verdict:
    """HOLDS at the first candidate with left <= right / factor."""
    nearest: tuple | None = None
    for case in CaseReader(cases):
        setting, left, right = case[-3:]
        if has_infinite_float(left, right):  # that decides nothing
            continue
        share, proof = allowed_error(left, right, rounding), proof_kind(left, right)
        exact_left, exact_right = scale_sides(left, right, Fraction(1) / Fraction(factor))
        if exact_left <= exact_right + abs(exact_right) * Fraction(share):
            reached = ratio_above(exact_left, exact_right)
            found = witness.inequality(setting, exact_left, exact_right)
            scope = "settings" if proof == "tested" else "everywhere"
            return holds(proof, scope, tightness=(reached, reached), note=f"one is {found['setting']}")
        if nearest is None or ratio_above(exact_left, exact_right) < nearest[0]:
            nearest = ratio_above(exact_left, exact_right), proof, setting, exact_left, exact_right
    if nearest is None:
        return inconclusive("FAILED", "the check yields no candidate")
    if exhaustive or factor > 1:
        _, proof, setting, left, right = nearest
        return refute_case(proof, setting, left, right, python)
    return inconclusive("BUDGET", f"none of the candidates is one; the nearest is {nearest[2]}")


@like(exact_claim)
def unbounded_claim(statement: Statement[..., Any], *, levels: Iterable[float] = LEVELS, **fields: Any) -> Callable:
    """A claim that no finite number is enough: the check, a function of `level`, shows where more than that is lost.

    `check(level=..., **setting)` returns (setting, what is lost there), a lower bound of the truth that may be `inf`;
    the row HOLDS if it passes every one of `levels`, 1 to a million by default. What shows it for all levels is a
    derivation, to be named as for every other row. The levels say nothing about how much more is lost, so tightness is
    withheld. The control cuts off what is lost at the factors `caught`.

    Parameters
    ----------
    levels : sequence of float
        What has to be passed.
    """
    steps = tuple(levels)

    def decorate(check: Callable) -> Callable:
        @functools.wraps(check)
        def cases(*, factor: float = 1, **setting: Any) -> Iterable:
            for level in steps:
                where, lost = check(level=level, **setting)
                kept = lost if factor == 1 else min(lost, factor)
                yield {"level": level, **where}, level, exact(kept) if isinstance(kept, float) else kept

        cases.__signature__ = MUTATES  # type: ignore[attr-defined]
        return inequality_claim(statement, **fields)(cases)

    fields = {"tightness": withheld} | fields
    fields.setdefault("control", Control("what is lost cut off at {}", fields.pop("caught", (10.0, 1000.0))))
    return decorate
