"""explicit = O(g): a constant that is certified, or a family along which truth / g grows without bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from experiments.checks import witness
from experiments.checks.inequality import Ending, cases_claim, compare
from experiments.engine.verdict import Verdict, inconclusive, refuted

GROWTH = 5  # each ratio of a family must be this many times the one before


def order_claim(statement: Callable, *, constant: float = 0, family: str = "", **fields: Any) -> Callable:
    """A claim about a printed O(g), whose check yields (point, explicit or truth, g).

    With a `constant` C: explicit <= C g in every case, and the control divides C. With a `family`, the sentence that
    describes it: three points or more, in order, along which truth / g grows without bound (`grows`); then the row is
    REFUTED. Other fields as for `inequality_claim`.
    """
    if bool(constant) == bool(family):
        raise ValueError(f"constant = {constant}, family = {family!r}: give exactly one of them")
    if family:
        return cases_claim(statement, outgrown, "", options={"family": family}, **fields)
    told = {"constant": constant, "note": f"explicit <= C g with C = {constant:g}"}
    return cases_claim(statement, compare, f"the constant {constant:g} divided by {{}}", options=told, **fields)


def outgrown(
    cases: Iterable,
    *,
    factor: float,
    evidence: str,
    scope: str,
    rounding: float,
    family: str,
    python: Callable | None = None,
) -> Verdict:
    """REFUTED if truth / g grows along the cases, else INCONCLUSIVE."""
    points, ratios, ending = [], [], Ending(cases)
    for point, truth, g in ending:
        points.append(point)
        ratios.append(float(truth) / float(g) / factor)
    if not grows(ratios):
        return inconclusive("NO_CONSTANT", f"truth / g = {ratios} along the family that should outgrow it")
    program = python(points, ratios) if python else ""
    found = witness.growth(points[-1], family=family, points=points, ratios=ratios, python=program)
    return refuted(evidence, found, **(ending.returned or {}))


def grows(ratios: Sequence[float]) -> bool:
    """At least three ratios, each `GROWTH` times the one before: what counts as growing without bound.

    >>> grows([1, 10, 100]), grows([1, 4, 16])
    (True, False)
    """
    return len(ratios) >= 3 and all(b >= GROWTH * a > 0 for a, b in pairwise(ratios))
