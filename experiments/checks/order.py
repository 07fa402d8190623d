"""Decide explicit = O(g): by a certified constant, or by a family along which truth / g grows without bound."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import exp, inf
from typing import Any

from flint import arb

from lemmata.bounds.bms22.sign_projection import order_bound
from lemmata.bounds.exact.certify import HOLDS, at, certify, over, worst_ratio
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks import witness
from lemmata.experiments.checks.inequality import (
    CaseReader,
    Cases,
    cases_claim,
    decide_inequality,
    has_infinite_float,
    largest,
    make_program,
    name_case,
)
from lemmata.experiments.engine.claims.verdict import Verdict, holds, inconclusive, refuted

GROWTH = 5  # each ratio of a family must be at least this many times the one before


def order_claim(
    statement: Statement[..., Any],
    *,
    constant: float = 0,
    family: str = "",
    growth: float = GROWTH,
    tightness: Callable = largest,
    **fields: Any,
) -> Callable:
    """A claim about a printed O(g), whose check yields (point, explicit or truth, g).

    With a `constant` C: explicit <= C g in every case, and the control divides C. With a `family`, the sentence that
    describes it: three points or more, in order, along which truth / g grows by the factor `growth` at each; then the
    row is REFUTED. Other fields as for `inequality_claim`.
    """
    if bool(constant) == bool(family):
        raise ValueError(f"exactly one of constant and family is required, got {constant} and {family!r}")
    if family:
        options: dict = {"family": family, "growth": growth}
        return cases_claim(statement, decide_growth, "", options=options, **fields)
    options = {"constant": constant, "tightness": tightness, "note": f"explicit ≤ C g with C = {constant:g}"}
    return cases_claim(
        statement, decide_inequality, f"the constant {constant:g} divided by {{}}", options=options, **fields
    )


def decide_growth(
    cases: Cases,
    *,
    factor: float,
    evidence: str,
    scope: str,
    rounding: float | None,
    family: str,
    growth: float,
    python: Callable | str | None = None,
) -> Verdict:
    """REFUTED if truth / g grows along the cases for every value in its enclosures; else INCONCLUSIVE."""
    points: list[dict] = []
    ratios: list[Any] = []
    ending = CaseReader(cases)
    for case in ending:
        *_, point, truth, g = case
        if has_infinite_float(truth, g):
            ending.leave("FAILED", f"a side is an infinite float at {name_case(case)}")
        points.append(point)
        ratios.append(arb(truth) / arb(g) / factor if isinstance(truth, arb) else float(truth) / float(g) / factor)
    if ending.undecided or isinstance(ending.returned, Verdict):
        return ending.undecided or ending.returned
    if not is_growing(ratios, growth):
        return inconclusive("NO_CONSTANT", f"truth / g = {ratios} does not grow as expected along the family")
    shown = witness.growth(
        points[-1],
        family=family,
        points=points,
        ratios=list(map(float, ratios)),
        python=make_program(python, points, ratios),
    )
    return refuted("derivation", shown, **(ending.returned or {}))


def within_order(
    g: Callable,
    constant: float,
    *,
    family: str,
    truths: Iterable,
    sampled: Iterable[float],
    truth: float | None = None,
    evidence: str = "derivation",
    scope: str = "everywhere",
    note: str = "",
) -> Verdict:
    """The verdict on explicit <= C g, where C is derived by hand and the ratios `sampled` = explicit / g confirm it.

    REFUTED if truth / g grows along the family `truths` of (point, truth), as it must for a mutated g.
    `truth` is the largest truth / g of an instance; None if the explicit side is the truth itself.
    """
    truths = list(truths)
    points, ratios = [point for point, _ in truths], [float(truth) / float(g(**point)) for point, truth in truths]
    if is_growing(ratios):
        return refuted("derivation", witness.growth(points[-1], family=family, points=points, ratios=ratios))
    if not constant < inf:
        return inconclusive("BUDGET", "no finite constant was certified")
    most = max(sampled)
    if not most <= constant:
        return inconclusive("FAILED", f"explicit / g reaches {most:g}, above C = {constant:g}")
    ends = (most / constant, 1.0) if truth is None else (truth / constant, most / constant)
    note = f"C = {constant:.3g}; explicit / g reaches {most:.3g}" + (f"; {note}" if note else "")
    return holds(evidence, scope, tightness=ends, note=note)


def is_growing(ratios: Sequence[float], growth: float = GROWTH) -> bool:
    """At least three ratios, each `growth` times the one before: what counts as growing without bound.

    >>> is_growing([1, 10, 100]), is_growing([1, 4, 16])
    (True, False)
    """
    return len(ratios) >= 3 and all(b >= growth * a > 0 for a, b in pairwise(ratios))


def search_worst(log_ratio: Callable, box: dict) -> Cases:
    """The one case of an `order_claim` at the largest explicit / g that a search of the `box` finds.

    `log_ratio` is log(explicit / g) in floats; the constant is proved elsewhere, by a chain of inequalities.
    """
    point, largest_log = worst_ratio(log_ratio, box, iterations=25)
    if not largest_log > -inf:
        return inconclusive("FAILED", "the search found no point where explicit / g is a number")
    yield point, exp(largest_log), 1
    return {"note": f"a search of the domain attains C = {exp(largest_log):.5g}"}


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
    (`lemmata.bounds.bms22.sign_projection.order_bound`); by certificate: the supremum of that over x in [0, 1] is at
    most `constant`. The samples check the part done by hand, and refute a too small constant / factor.
    """
    most, point = max(((explicit(**s) / g(**s), s) for s in samples), key=lambda pair: pair[0])
    if most > constant / factor * (1 + 1e-9):
        return refuted("certificate", witness.inequality(point, most, constant / factor))

    def ratio(x: Any) -> Any:
        return order_bound(x, logs, arb(least_log).log(), **shape)

    if certify(over(ratio), at(ratio), {"x": (0.0, 1.0)}, constant / factor).outcome != HOLDS:
        return inconclusive("NO_CONSTANT", "the certificate did not close")
    axis = [0.05 * i for i in range(21)]
    return holds(
        "derivation",
        "everywhere",
        note=f"explicit ≤ C g with C = {constant:g}, certified; samples reach {most:.1f}. {note}".strip(),
        series={"distortion parameter": axis, "explicit / g": [float(ratio(arb(x))) for x in axis]},
    )
