"""left <= right in every case: the check yields the cases, and this file compares them.

@inequality_claim(bound.separator_loss, given=[bound.loss_through_excess], caught=(1.01, 2), **SPLIT)
def separator_is_a_candidate(*, b):
    for setting, ... in splits(b):
        yield setting, smallest, bound.separator_loss(...)
"""

import functools
import inspect
import math
import operator
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from lemmata.bounds.exact.balls import PRECISION, exact, upper_end
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks import witness
from lemmata.experiments.engine.claim import Control, exact_claim
from lemmata.experiments.engine.verdict import Verdict, holds, inconclusive, refuted

Case = tuple[dict[str, Any], Any, Any]  # setting, left side, right side
Cases = Generator[Case, None, Any]  # and at the end a Verdict, a dict of its fields, or None

COARSEST = 1e-3  # the largest rounding that a check may ask for
ROUNDING = 1e-12  # relative: what a formula computed in floats may be off by


def largest(ratios: list[float]) -> tuple[float, float]:
    """The tightness of a claim whose worst case is among the cases: the largest ratio."""
    return max(ratios), max(ratios)


def spread(ratios: list[float]) -> tuple[float, float]:
    """The tightness of a claim whose cases are unlike each other: the smallest and the largest ratio."""
    return min(ratios), max(ratios)


def up_to_one(ratios: list[float]) -> tuple[float, float]:
    """The tightness of a claim that a derivation carries: the supremum is between the largest ratio found and one."""
    return min(max(ratios), 1.0), 1.0


def equality(ratios: list[float]) -> tuple[float, float]:
    """The tightness of a claim whose bound is attained, by its derivation, though the cases may only come close."""
    return 1.0, 1.0


def inequality_claim(statement: Statement[..., Any], *, tightness: Callable = largest, **fields: Any) -> Callable:
    """A claim that left <= right, whose check yields cases (setting, left, right).

    Rationals are compared as rationals and balls, of at least `bits` bits, as balls; where a side is a float, up to a
    relative error of `ROUNDING`. A `rounding` that is given holds for whatever the sides are. `tightness` reads the
    ratios left / right: `largest` (default), `up_to_one` (the cases need not contain the worst one), `spread` or
    `equality`. The control divides the right side by the factors `caught`; a check that takes `factor` mutates itself
    instead and says how in `control`. HOLDS has the given `evidence` (default "derivation") and `scope` (default
    "everywhere"; "enumeration" and "settings" for a row with a severity, which is expected to fall); `python`, a text
    or a function of (setting, left, right), is the program of the witness. What the check returns is added: a dict of
    more fields of the verdict (note, series), or a Verdict, which is then the result. The other fields are those of
    `exact_claim`.
    """
    options = {"tightness": tightness}
    return cases_claim(statement, compare, "the right-hand side divided by {}", options=options, **fields)


def cases_claim(
    statement: Statement[..., Any],
    decide: Callable,
    says: str,
    *,
    caught: tuple[float, ...] = (1.01, 2),
    control: Control | None = None,
    evidence: str = "",
    scope: str = "",
    rounding: float | None = None,
    bits: int = PRECISION,
    figure: Callable | None = None,
    python: Callable | str | None = None,
    options: dict | None = None,
    **fields: Any,
) -> Callable:
    """A claim whose check yields cases, and `decide(cases, factor=..., ...)` makes the verdict.

    `figure(**setting)` is the series of the verdict, whatever the verdict is.
    """
    if rounding is not None and not 0 <= rounding <= COARSEST:
        raise ValueError(f"rounding = {rounding} is outside [0, {COARSEST}]: more would hide that left > right")
    falls = bool(fields.get("severity"))  # it is expected to: where a setting does not break it, it was only tried
    if control is None and not falls:
        control = Control(says, caught)
    evidence = evidence or ("enumeration" if falls else "derivation")
    scope = scope or ("settings" if falls else "everywhere")
    how = {"evidence": evidence, "scope": scope, "rounding": rounding, "python": python} | (options or {})

    def decorate(check: Callable) -> Callable:
        mutates = "factor" in inspect.signature(check).parameters

        @functools.wraps(check)
        def trial(*, factor: float = 1, **setting: Any) -> Verdict:
            with ctx.workprec(max(ctx.prec, bits)):
                itself, sides = ({"factor": factor}, 1) if mutates else ({}, factor)
                verdict = decide(check(**setting, **itself), factor=sides, **how)
            return replace(verdict, series=figure(**setting)) if figure else verdict

        return exact_claim(statement, control=control, by=decide, **fields)(trial)

    return decorate


def compare(
    cases: Cases,
    *,
    factor: float,
    evidence: str,
    scope: str,
    rounding: float | None = None,
    python: Callable | str | None = None,
    constant: float = 1,
    note: str = "",
    tightness: Callable = largest,
) -> Verdict:
    """REFUTED at the first case with left > constant right / factor, else HOLDS with the largest ratio.

    A case that a ball leaves undecided makes it INCONCLUSIVE, unless a later one refutes.
    """
    ratios, undecided, ending = [], None, Ending(cases)
    for setting, left, right in ending:
        if any(isinstance(side, float) and side != side for side in (left, right)):
            return inconclusive("FAILED", f"a side is NaN at {setting}")
        if factor > 1 and right < 0:
            raise ValueError(f"right = {right} at {setting}: dividing a negative bound by {factor} loosens it")
        share = allowed(left, right, rounding)
        left, right = sides(left, right, Fraction(constant) / Fraction(factor))
        slack = abs(right) * (exact(share) if isinstance(right, arb) else exactly(share)) if share else 0
        if left > right + slack:
            return broken(setting, left, right, python)
        if not left <= right + slack:
            undecided = undecided or inconclusive("BUDGET", f"a ball straddles the bound at {setting}")
        ratios.append(ratio(left, right))
    return undecided or ending.verdict(len(ratios), evidence, scope, tightness=tightness(ratios or [0.0]), note=note)


def broken(setting: dict, left: Any, right: Any, python: Callable | str | None) -> Verdict:
    """REFUTED by one case: certified if its sides are balls, else by numbers that were enumerated."""
    proof = "certificate" if isinstance(left, arb) else "enumeration"
    return refuted(proof, witness.inequality(setting, left, right, python=program(python, setting, left, right)))


def program(python: Callable | str | None, *shown: Any) -> str:
    """The program of a witness: a text, or what `python` makes of what is shown."""
    return python(*shown) if callable(python) else python or ""


class Ending:
    """The cases of a check, and what it returns after the last one."""

    def __init__(self, cases: Cases) -> None:
        self.cases = cases
        self.returned: Any = None

    def __iter__(self) -> Iterator[Case]:
        self.returned = yield from self.cases

    def verdict(self, checked: int, evidence: str, scope: str, **fields: Any) -> Verdict:
        """HOLDS, unless the check returned a verdict of its own or yielded no case."""
        if isinstance(self.returned, Verdict):
            return self.returned
        if not checked:
            return inconclusive("FAILED", "the check yields no case")
        return holds(evidence, scope, **fields | (self.returned or {}))


def allowed(left: Any, right: Any, rounding: float | None) -> float:
    """The relative error that is allowed for: `rounding`, by default `ROUNDING` where a side is a float."""
    return rounding if rounding is not None else ROUNDING * any(isinstance(x, float) for x in (left, right))


def exactly(x: Any) -> Any:
    """The rational number or the ball that `x` is."""
    if isinstance(x, arb | Fraction):
        return x
    return Fraction(operator.index(x)) if hasattr(x, "__index__") else Fraction(float(x))


def sides(left: Any, right: Any, scale: Fraction) -> tuple:
    """Both sides as rationals, or as balls where one is a ball or infinite; the right one times `scale`."""
    finite = all(isinstance(x, arb | int | Fraction) or math.isfinite(x) for x in (left, right))
    if finite and not isinstance(left, arb) and not isinstance(right, arb):
        return exactly(left), exactly(right) * scale
    return exact(left), exact(right) * exact(scale)


def ratio(left: Any, right: Any) -> float:
    """left / right, rounded up; 0 where both are 0 or the right side is infinite."""
    if isinstance(left, arb):
        return upper_end(left / right) if right.is_finite() and right > 0 else 0.0
    return float(left / right) if right > 0 else 0.0
