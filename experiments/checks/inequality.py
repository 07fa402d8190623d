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
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx

from lemmata.bounds.exact.balls import PRECISION, exact, upper_end
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks import witness
from lemmata.experiments.engine.claims.claim import Control, exact_claim
from lemmata.experiments.engine.claims.verdict import Verdict, holds, inconclusive, refuted
from lemmata.experiments.engine.ground.evidence import MACHINE, has_derivation
from lemmata.mechanisms.numerics.inherited_docs import like


class Case(NamedTuple):
    """left <= right at one setting is what the statement says: if it fails there, the statement is refuted.

    A check may yield it as a plain tuple.
    """

    setting: dict[str, Any]
    left: Any
    right: Any


class Link(NamedTuple):
    """left <= right is a step of our own derivation: if it fails, we have not shown the statement, and that is all."""

    name: str
    setting: dict[str, Any]
    left: Any
    right: Any


Cases = Generator[tuple, None, Any]  # of `Case` and `Link`, and at the end a Verdict, a dict of its fields, or None

NUMBERS = (int, float, Fraction, arb)  # what sides are as a rule
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


def withheld(ratios: list[float]) -> None:
    """No tightness: the cases show nothing about how close the bound comes."""


@like(exact_claim)
def inequality_claim(statement: Statement[..., Any], *, tightness: Callable = largest, **fields: Any) -> Callable:
    """A claim that left <= right, whose check yields cases (setting, left, right) and links of our own derivation.

    Rationals are compared as rationals and balls, of at least `bits` bits, as balls; where a side is a float, up to a
    relative error of `ROUNDING`. A `rounding` that is given holds for whatever the sides are. An infinite float decides
    nothing; an infinity that is meant is a ball. A `Case` that fails refutes; a `Link` that fails leaves the row
    INCONCLUSIVE (`FAILED`) and is named, except in the control, where it is what is caught. `tightness` reads the
    ratios left / right: `largest` (default), `up_to_one` (the cases need not contain the worst one), `spread`,
    `equality` or `withheld`. The control divides the right side by the factors `caught`; a check that takes `factor`
    mutates itself instead and says how in `control`.

    HOLDS is "tested" at "settings" where the claim says nothing. It is a "derivation" "everywhere" where the claim is
    `given` rows, or the docstring of its record has a section "Derivation"
    (`lemmata.experiments.engine.ground.evidence`), and the row has no severity, with which it is expected to fall;
    `evidence` and `scope` say otherwise, and more than is earned is an error. `python`, a text or a function of
    (setting, left, right), is the program of the witness. What the check returns is added: a dict of more fields of the
    verdict (note, series), or a Verdict, which is then the result. The other fields are those of `exact_claim`.

    Parameters
    ----------
    tightness : function
        What is read from the ratios.
    """
    options = {"tightness": tightness}
    return cases_claim(statement, decide_inequality, "the right-hand side divided by {}", options=options, **fields)


def cases_claim(
    statement: Statement[..., Any],
    decide: Callable,
    says: str,
    *,
    caught: tuple[float, ...] = (1.01, 2),
    control: Control | None = None,
    evidence: str = "",
    scope: str = "",
    given: Iterable[Statement[..., Any] | str] = (),
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
    given = tuple(given)
    earned = not falls and bool(given or has_derivation(statement.theorem.formula, statement.theorem.says))
    evidence = evidence or ("derivation" if earned else "tested")
    scope = scope or ("settings" if falls or evidence in ("sampled", "tested") else "everywhere")
    how = {"evidence": evidence, "scope": scope, "rounding": rounding, "python": python} | (options or {})
    said: Any = {"evidence": evidence, "scope": scope, "given": given}
    humbler = {} if earned else {"scope": "settings"}  # where a machine is said to have checked what floats only tried
    humbler["evidence"] = "derivation" if earned else "tested"

    def decorate(check: Callable) -> Callable:
        mutates = "factor" in inspect.signature(check).parameters

        @functools.wraps(check)
        def trial(*, factor: float = 1, **setting: Any) -> Verdict:
            floats: set[bool] = set()
            with ctx.workprec(max(ctx.prec, bits)):
                itself, sides = ({"factor": factor}, 1) if mutates else ({}, factor)
                cases = check(**setting, **itself)
                if not isinstance(cases, Iterable):
                    raise TypeError(f"{check.__name__} returned {cases!r}: a check yields cases (setting, left, right)")
                try:
                    verdict = decide(watch_floats(cases, floats, links_too=factor != 1), factor=sides, **how)
                finally:  # while the precision is still ours: a check that is left halfway sets back the one it found
                    if isinstance(cases, Generator):
                        cases.close()
            if True in floats and verdict.outcome == HOLDS and verdict.evidence == evidence and evidence in MACHINE:
                verdict = replace(verdict, **humbler)
            return replace(verdict, series=figure(**setting)) if figure else verdict

        return exact_claim(statement, control=control, by=decide, **said, **fields)(trial)

    return decorate


def decide_inequality(
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

    A case that a ball or an infinite float leaves undecided, or a link that fails, makes it INCONCLUSIVE, unless a
    later case refutes.
    """
    ratios, ending, scale = [], CaseReader(cases), Fraction(constant) / Fraction(factor)
    for case in ending:
        setting, left, right = read_case(case)
        if scale == 1 and type(left) is type(right) is float and 0 <= left <= right < math.inf:  # nearly every case
            ratios.append(left / right if right else 0.0)
            continue
        if any(is_float(side) and side != side for side in (left, right)):
            return inconclusive("FAILED", f"a side is NaN at {name_case(case)}")
        if factor > 1 and right < 0:
            raise ValueError(f"right = {right} at {setting}: dividing a negative bound by {factor} loosens it")
        if has_infinite_float(left, right):
            if left != -math.inf and right != math.inf:  # nothing is compared there otherwise
                ending.leave("FAILED", f"a side is an infinite float at {name_case(case)}")
            continue
        share = allowed_error(left, right, rounding)
        proof = proof_kind(left, right)
        left, right = scale_sides(left, right, scale)
        slack = abs(right) * (exact(share) if isinstance(right, arb) else to_exact(share)) if share else 0
        if proof == "tested" and right == 0 < left <= ROUNDING:
            ending.leave("BUDGET", f"{float(left):.3g}, a float, may be a rounded 0 at {name_case(case)}")
        elif left > right + slack:
            if isinstance(case, Case):
                return refute_case(proof, setting, left, right, python)
            ending.leave(
                "FAILED", f"{name_case(case)} of our derivation fails: {format_side(left)} > {format_side(right)}"
            )
        elif not left <= right + slack:
            ending.leave("BUDGET", f"a ball straddles the bound at {name_case(case)}")
        ratios.append(ratio_above(left, right))
    return ending.verdict(len(ratios), evidence, scope, tightness=tightness(ratios or [0.0]), note=note)


def watch_floats(cases: Iterable[Any], floats: set[bool], links_too: bool) -> Cases:
    """The same; `floats` learns whether a side is one; with `links_too` every link is a case: a control breaks both."""
    ending = CaseReader(cases)
    for case in ending:
        floats.add(isinstance(case, tuple) and any(map(is_float, case[-2:])))
        yield Case(*case[1:]) if links_too and isinstance(case, Link) else case
    return ending.returned


def read_case(case: Any) -> tuple[dict[str, Any], Any, Any]:
    """The setting and both sides of a case; raises TypeError for what is none, or has a side that is no real number."""
    if not isinstance(case, tuple) or len(case) < 3 or not isinstance(case[-3], dict):
        raise TypeError(f"case = {case!r} is no (setting, left, right), the setting a dict")
    for name, side in zip(("left", "right"), case[-2:], strict=True):
        if type(side) in NUMBERS:
            continue
        wrong = side is None or isinstance(side, str | bytes | complex) or np.ndim(side) > 0
        if wrong or (is_float(side) and not hasattr(side, "__float__")):
            raise TypeError(f"{name} = {side!r} at {name_case(case)} is no real number")
    return case[-3:]


def name_case(case: Any) -> str:
    """Where a case stands, and which link it is."""
    return f"the link {case.name!r} at {case.setting}" if isinstance(case, Link) else f"{case[-3]}"


def is_float(side: Any) -> bool:
    """Whether a side is a float of whatever kind (NumPy's, a decimal), which somebody has rounded."""
    if type(side) in (float, int, Fraction, arb):  # as nearly all are: the question below is a slow one
        return type(side) is float
    return not isinstance(side, arb | Rational | np.bool_) and not hasattr(side, "__index__")


def has_infinite_float(*sides: Any) -> bool:
    """Whether one of the sides is an infinite float, which may be meant or have overflowed."""
    return any(is_float(side) and math.isinf(side) for side in sides)


def proof_kind(left: Any, right: Any) -> str:
    """What a comparison of two sides stands on: balls, rationals, or floats."""
    if isinstance(left, arb) or isinstance(right, arb):
        return "certificate"
    return "tested" if is_float(left) or is_float(right) else "enumeration"


def refute_case(proof: str, setting: dict, left: Any, right: Any, python: Callable | str | None) -> Verdict:
    """REFUTED by one case, as its sides have it: by a certificate, by enumeration, or by floats that were tried."""
    return refuted(proof, witness.inequality(setting, left, right, python=make_program(python, setting, left, right)))


def make_program(python: Callable | str | None, *shown: Any) -> str:
    """The program of a witness: a text, or what `python` makes of what is shown."""
    return python(*shown) if callable(python) else python or ""


class CaseReader:
    """The cases and links of a check, what they leave undecided, and what it returns after the last one."""

    def __init__(self, cases: Iterable[tuple]) -> None:
        self.cases = cases
        self.returned: Any = None
        self.undecided: Verdict | None = None

    def __iter__(self) -> Iterator[Any]:
        cases = iter(self.cases)
        while True:
            try:
                case = next(cases)
            except StopIteration as end:
                self.returned = end.value
                return
            yield Case(*case) if type(case) is tuple and len(case) == 3 else case  # another tuple: another decider's

    def leave(self, reason: str, note: str) -> None:
        """Something is undecided; what came first is told."""
        self.undecided = self.undecided or inconclusive(reason, note)

    def verdict(self, checked: int, evidence: str, scope: str, **fields: Any) -> Verdict:
        """HOLDS, unless something is undecided, the check returned a verdict of its own, or compared nothing."""
        if self.undecided or isinstance(self.returned, Verdict):
            return self.undecided or self.returned
        if not checked:
            return inconclusive("FAILED", "the check yields no case with finite sides")
        return holds(evidence, scope, **fields | (self.returned or {}))


def allowed_error(left: Any, right: Any, rounding: float | None) -> float:
    """The relative error that is allowed for: `rounding`, by default `ROUNDING` where a side is a float."""
    return rounding if rounding is not None else ROUNDING * any(map(is_float, (left, right)))


def to_exact(x: Any) -> Any:
    """The rational number or the ball that `x` is."""
    if isinstance(x, arb | Fraction):
        return x
    return Fraction(operator.index(x)) if hasattr(x, "__index__") else Fraction(float(x))


def scale_sides(left: Any, right: Any, scale: Fraction) -> tuple:
    """Both sides as rationals, or as balls where one is a ball or infinite; the right one times `scale`."""
    finite = all(isinstance(x, arb | int | Fraction) or math.isfinite(x) for x in (left, right))
    if finite and not isinstance(left, arb) and not isinstance(right, arb):
        return to_exact(left), to_exact(right) * scale
    return exact(left), exact(right) * exact(scale)


def ratio_above(left: Any, right: Any) -> float:
    """left / right, rounded up; 0 where both are 0 or the right side is infinite."""
    if isinstance(left, arb):
        return upper_end(left / right) if right.is_finite() and right > 0 else 0.0
    try:
        return float(left / right) if right > 0 else 0.0
    except OverflowError:
        return math.inf


def format_side(side: Any) -> str:
    """A side in six digits, however large it is."""
    near = witness.number(side)
    return near if isinstance(near, str) else f"{near:.6g}"
