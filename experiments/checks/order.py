"""explicit = O(g): a constant that is certified, or a family along which truth / g grows without bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from flint import arb

from bounds.bms22.sign_projection import order_bound
from bounds.exact.certify import HOLDS, at, certify, over
from experiments.checks import witness
from experiments.checks.inequality import Ending, cases_claim, compare
from experiments.engine.verdict import Verdict, holds, inconclusive, refuted

GROWTH = 5  # each ratio of a family must be this many times the one before


def order_claim(
    statement: Callable, *, constant: float = 0, family: str = "", attained: bool = True, **fields: Any
) -> Callable:
    """A claim about a printed O(g), whose check yields (point, explicit or truth, g).

    With a `constant` C: explicit <= C g in every case, and the control divides C. With a `family`, the sentence that
    describes it: three points or more, in order, along which truth / g grows without bound (`grows`); then the row is
    REFUTED. Other fields as for `inequality_claim`.
    """
    if bool(constant) == bool(family):
        raise ValueError(f"constant = {constant}, family = {family!r}: give exactly one of them")
    if family:
        return cases_claim(statement, outgrown, "", options={"family": family}, **fields)
    told = {"attained": attained, "constant": constant, "note": f"explicit ≤ C g with C = {constant:g}"}
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


def rows_order(
    explicit: Callable,
    g: Callable,
    constant: float,
    *,
    samples: Iterable[dict],
    logs: float,
    least_log: float,
    factor: float = 1,
    note: str = "",
    **shape: float,
) -> Verdict:
    """Is the number of rows `explicit` <= constant * `g` for all parameters? Both take the same arguments.

    By hand: explicit <= (scale R log / (x^2 (1 - curvature x)) + 1) with R = `logs` and log >= log(`least_log`)
    (`bounds.bms22.sign_projection.order_bound`); by certificate: the supremum of that over x in [0, 1] is at most
    `constant`. The samples check the part done by hand, and are where a constant too small (constant / factor) is
    refuted.
    """
    largest, point = max(((explicit(**s) / g(**s), s) for s in samples), key=lambda pair: pair[0])
    if largest > constant / factor * (1 + 1e-9):
        return refuted("certificate", witness.inequality(point, largest, constant / factor))

    def ratio(x: Any) -> Any:
        return order_bound(x, logs, arb(least_log).log(), **shape)

    if certify(over(ratio), at(ratio), {"x": (0.0, 1.0)}, constant / factor).outcome != HOLDS:
        return inconclusive("NO_CONSTANT", "the certificate did not close")
    axis = [0.05 * i for i in range(21)]
    return holds(
        "derivation",
        "everywhere",
        note=f"explicit ≤ C g with C = {constant:g}, certified; samples reach {largest:.1f}. {note}".strip(),
        series={"distortion parameter": axis, "explicit / g": [float(ratio(arb(x))) for x in axis]},
    )
