"""Statements of existence, and statements that no finite number is enough.

"There is a map with ..." holds as soon as one is found; "for no finite epsilon" holds if the privacy loss exceeds every
level. Both are inequalities with another quantifier, so they are compared in the same way as inequalities.
"""

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
from lemmata.mechanisms.numerics.inherited_docs import share_docs

MUTATES = inspect.Signature([inspect.Parameter("factor", inspect.Parameter.KEYWORD_ONLY, default=1)])
LEVELS = tuple(10.0**j for j in range(7))  # the loss has to exceed each of them


@share_docs(exact_claim)
def exists_claim(statement: Statement[..., Any], **fields: Any) -> Callable:
    """A claim that there is a case with left <= right: the check yields candidates (setting, left, right).

    HOLDS at the first candidate with left <= right, which becomes its witness. The evidence is "enumeration" if both
    sides are rational, "certificate" if one is a ball, else "tested"; the scope is "everywhere" except for floats,
    since one candidate is enough. If no candidate satisfies the inequality, the row is refuted only with
    `exhaustive=True`, which declares that no others exist. The control makes the right side smaller by the factors
    `caught`, a right side of 0 smaller by the factor itself, and takes the candidates as exhaustive.
    """
    options = {"exhaustive": fields.pop("exhaustive", False)}
    return cases_claim(statement, decide_existence, "the right-hand side smaller by {}", options=options, **fields)


def decide_existence(
    cases: Iterable, *, factor: float, exhaustive: bool, rounding: float | None, python: Any, **_: Any
) -> Verdict:
    """HOLDS at the first candidate with left <= right / factor; in a control right <= 0 goes away from 0 instead."""
    nearest: tuple | None = None
    for case in CaseReader(cases):
        setting, left, right = case[-3:]
        if has_infinite_float(left, right):  # an infinite float decides nothing
            continue
        share, proof = allowed_error(left, right, rounding), proof_kind(left, right)
        by = Fraction(factor)
        if factor > 1 and not right > 0:
            right, by = right or -1, 1 / by
        exact_left, exact_right = scale_sides(left, right, 1 / by)
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
    return inconclusive("BUDGET", f"no candidate satisfies the inequality; the nearest is {nearest[2]}")


@share_docs(exact_claim)
def unbounded_claim(statement: Statement[..., Any], *, levels: Iterable[float] = LEVELS, **fields: Any) -> Callable:
    """A claim that no finite number is enough: the check, a function of `level`, finds a setting with a larger loss.

    `check(level=..., **setting)` returns (setting, loss there), where the loss is a lower bound of the truth and may be
    `inf`. The row HOLDS if the loss exceeds each of `levels`, by default 1 to a million. A derivation has to show it
    for all levels, and is named as for every other row. The levels do not measure how much larger the loss is, so
    tightness is withheld. The control cuts the loss off at the factors `caught`, by default below the largest level.

    Parameters
    ----------
    levels : sequence of float
        The values that the loss has to exceed.
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
    below = (10.0, 1000.0) if max(steps) > 10 else ((1 + max(steps)) / 2,)
    fields.setdefault("control", Control("what is lost cut off at {}", fields.pop("caught", below)))
    return decorate
