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
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from flint import arb, ctx

from lemmata.bounds.exact.balls import PRECISION, exact, upper_end
from lemmata.bounds.statement.theorem import ADMITTED, check_setting
from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks import witness
from lemmata.experiments.checks.cases import (
    Case,
    CaseReader,
    Cases,
    Link,
    add_measured,
    keep_returned,
    name_case,
    read_curves,
)
from lemmata.experiments.checks.sides import STATED, Sides, is_made_of_float, unmask_float
from lemmata.experiments.engine.claims.claim import Control, exact_claim
from lemmata.experiments.engine.claims.steps import STEP_FAILS, Step, chain, check_steps
from lemmata.experiments.engine.claims.verdict import Verdict, inconclusive, refuted
from lemmata.experiments.engine.ground.evidence import MACHINE, has_derivation
from lemmata.experiments.engine.search.loops import is_array, is_equal, is_number
from lemmata.mechanisms.numerics.inherited_docs import share_docs

NUMBERS = (int, float, Fraction, arb)  # the usual types of a side
COARSEST = 1e-3  # the largest `rounding` that a check may set
ROUNDING = 1e-12  # relative: the allowed error of a formula that is computed in floats


def largest(ratios: list[float]) -> tuple[float, float]:
    """The tightness of a claim whose worst case is among the cases: the largest ratio."""
    return max(ratios), max(ratios)


def spread(ratios: list[float]) -> tuple[float, float]:
    """The tightness of a claim whose cases are unlike each other: the smallest and the largest ratio."""
    return min(ratios), max(ratios)


def up_to_one(ratios: list[float]) -> tuple[float, float]:
    """The tightness of a claim with a derivation: the supremum is between the largest ratio found and one."""
    return min(max(ratios), 1.0), 1.0


def equality(ratios: list[float]) -> tuple[float, float]:
    """The tightness of a claim whose bound is attained by its derivation, even if no case attains it."""
    return 1.0, 1.0


def withheld(ratios: list[float]) -> None:
    """No tightness: the cases do not measure how close the bound is."""


BASES = {  # what a tightness is taken from, in words
    largest: "largest of the cases",
    spread: "smallest and largest of the cases",
    up_to_one: "from the largest of the cases to 1, by derivation",
    equality: "1, by derivation",
}


@share_docs(exact_claim)
def inequality_claim(statement: Statement[..., Any], *, tightness: Callable = largest, **fields: Any) -> Callable:
    """A claim that left <= right, whose check yields cases (setting, left, right) and links of our own derivation.

    Rationals are compared as rationals, and balls as balls of at least `bits` bits. Where a side is a float, a relative
    error of `ROUNDING` is allowed. A given `rounding` applies to sides of every type. An infinite float decides
    nothing; pass an intended infinity as a ball. A `Case` that fails refutes. A `Link` that fails leaves the row
    INCONCLUSIVE (`FAILED`) and is named; in the control it counts as a detection. `tightness` reads the ratios
    left / right: `largest` (default), `up_to_one` (the cases need not contain the worst one), `spread`, `equality` or
    `withheld`. The control divides the right side by the factors `caught`; a check that takes `factor` mutates itself
    instead and describes this in `control`.

    By default HOLDS is "tested" at "settings". It is a "derivation" "everywhere" if the claim is `given` rows, or if
    the docstring of its record has a section "Derivation" (`lemmata.experiments.engine.ground.evidence`), unless the
    row has a severity and so is expected to be refuted. `evidence` and `scope` override this; more than is earned is an
    error. `python`, a text or a function of (setting, left, right), is the program of the witness. The check may return
    a dict of further fields of the verdict (note, series), or a Verdict, which is then the result. The other fields are
    those of `exact_claim`.

    Parameters
    ----------
    tightness : function
        Maps the ratios left / right to the tightness of the verdict.
    """
    options = {"tightness": tightness}
    says = "the right-hand side divided by {}"
    return cases_claim(statement, decide_inequality, says, options=options, relation="<=", **fields)


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
    relation: str = "",
    steps: Iterable[Step] = (),
    measured: Callable | None = None,
    **fields: Any,
) -> Callable:
    """A claim whose check yields cases, and `decide(cases, factor=..., ...)` makes the verdict.

    `figure(**setting)` is the series of the verdict, whatever the verdict is; otherwise it is what the check returns.
    Where one case decides, `relation` is that of its sides, <= or =, and the engine tries the check at settings of its
    own choice. What `measured()` yields is compared with them (`add_measured`).
    """
    if rounding is not None and not 0 <= rounding <= COARSEST:
        raise ValueError(f"rounding must be in [0, {COARSEST}], since more would hide left > right, got {rounding}")
    falls = bool(fields.get("severity"))  # it is expected to: where a setting does not break it, it was only tried
    if control is None and not falls:
        control = Control(says, caught)
    given, steps = tuple(given), check_steps(steps)
    earned = not falls and bool(given or steps or has_derivation(statement.theorem.formula, statement.theorem.says))
    evidence = evidence or ("derivation" if earned else "tested")
    scope = scope or ("settings" if falls or evidence in ("sampled", "tested") else "everywhere")
    how = {"evidence": evidence, "scope": scope, "rounding": rounding, "python": python} | (options or {})
    said: Any = {"evidence": evidence, "scope": scope, "given": given, "steps": steps}
    humbler = {} if earned else {"scope": "settings"}  # for machine evidence whose sides turn out to be floats
    humbler["evidence"] = "derivation" if earned else "tested"
    key = statement.theorem.key  # and no more: what the wrapper below holds counts as what the check calls
    parameters = inspect.signature(statement.theorem.formula).parameters
    preset = {name for name, parameter in parameters.items() if parameter.default is not parameter.empty}
    needed = {name for hypothesis in statement.theorem.needs for name in hypothesis.names} - preset

    def decorate(check: Callable) -> Callable:
        mutates = "factor" in inspect.signature(check).parameters

        @functools.wraps(check)
        def trial(*, factor: float = 1, **setting: Any) -> Verdict:
            seen = Sides(key)
            with ctx.workprec(max(ctx.prec, bits)):
                itself, sides = ({"factor": factor}, 1) if mutates else ({}, factor)
                cases = check(**setting, **itself)
                if not isinstance(cases, Iterable):
                    raise TypeError(f"{check.__name__} must yield cases (setting, left, right), got {cases!r}")
                if measured:
                    cases = add_measured(cases, check, measured, setting | itself, links=factor == 1)
                kept: list[Any] = []
                cases = keep_returned(cases, kept)
                try:
                    verdict = decide(watch_cases(cases, seen, factor != 1, steps), factor=sides, **how)
                    if verdict.outcome == REFUTED and factor == 1 and not figure:
                        verdict = replace(verdict, series=verdict.series or read_curves(cases, kept))
                finally:  # at our precision: a check that is closed halfway restores the precision that it found
                    cases.close()
            shares = (
                seen.shares(how.get("constant", 1), BASES.get(how["tightness"], STATED)) if "tightness" in how else {}
            )
            verdict = replace(verdict, copied=seen.compare(), shares=shares)  # an identity bounds nothing
            if seen.floats and verdict.outcome == HOLDS and verdict.evidence == evidence and evidence in MACHINE:
                verdict = replace(verdict, **humbler)
            return replace(verdict, series=figure(**setting)) if figure else verdict

        def judge_cases(make: Callable, setting: dict[str, Any]) -> tuple[Verdict | None, float]:
            """The verdict of those cases that the hypotheses can judge, and the largest left / right.

            They judge a case that names all their arguments, and one for which the statement was called. None without
            such a case. What a case says of its setting has to be what it was asked for.
            """
            with ctx.workprec(max(ctx.prec, bits)):
                seen = Sides(key)
                cases = watch_cases(make(**setting), seen, steps=steps)
                judged, admitted = [], ADMITTED[key]
                for case in cases:
                    known = needed <= case[-3].keys() | setting.keys() or ADMITTED[key] > admitted
                    admitted = ADMITTED[key]
                    asked = (pair for pair in setting.items() if is_number(pair[1]) or is_array(pair[1]))
                    decides = isinstance(case, Case) or bool(steps)
                    if decides and known and all(is_equal(pair[1], case[-3].get(*pair)) for pair in asked):
                        judged.append(case)
                if not judged:
                    return None, -math.inf
                verdict = replace(decide(iter(judged), factor=1, **how), copied=seen.compare())
                return verdict, max(compare_sides(*case[-2:]) for case in judged) / how.get("constant", 1)

        if relation:
            trial.relation = relation  # type: ignore[attr-defined]
            trial.judge_cases = judge_cases  # type: ignore[attr-defined]
        return exact_claim(statement, control=control, by=decide, **said, **fields)(trial)

    return decorate


def compare_sides(left: Any, right: Any) -> float:
    """left / right if the right side is positive, -left / right if both are negative, and 0 otherwise.

    In either case it grows as left does, and passes 1, or -1, where left passes right.

    >>> compare_sides(1.0, 2.0), compare_sides(-2.0, -1.0), compare_sides(-1.0, -2.0)
    (0.5, -2.0, -0.5)
    """
    if has_infinite_float(left, right) or any(is_float(side) and side != side for side in (left, right)):
        return -math.inf
    if type(left) is type(right) is float:
        return left / right if right > 0 else -left / right if left < 0 and right < 0 else 0.0
    left, right = scale_sides(left, right, Fraction(1))
    if isinstance(left, arb) and not (left.is_finite() and right.is_finite()):
        return -math.inf
    beyond = ratio_above(-right, -left) if left < 0 and right < 0 else 0.0
    return -1 / beyond if beyond else ratio_above(left, right)


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
        if scale == 1 and type(left) is type(right) is float and 0 <= left <= right < math.inf:  # the common case
            ratios.append(left / right if right else 0.0)
            continue
        if any(is_float(side) and side != side for side in (left, right)):
            return inconclusive("FAILED", f"a side is NaN at {name_case(case)}")
        if factor > 1 and right < 0:
            raise ValueError(f"a control needs a right side >= 0 to divide by {factor}, got {right} at {setting}")
        if has_infinite_float(left, right):
            if left != -math.inf and right != math.inf:  # otherwise the case is trivially true
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
            ending.leave("FAILED", f"{name_case(case)} {STEP_FAILS}: {format_side(left)} > {format_side(right)}")
        elif not left <= right + slack:
            ending.leave("BUDGET", f"a ball straddles the bound at {name_case(case)}")
        ratios.append(ratio_above(left, right))
    return ending.verdict(len(ratios), evidence, scope, tightness=tightness(ratios or [0.0]), note=note)


def watch_cases(cases: Iterable[Any], seen: Sides, links_too: bool = False, steps: tuple[Step, ...] = ()) -> Cases:
    """The same cases, each at a setting that the statement speaks about; with `links_too`, in a control, links as well.

    The steps of a derivation are links before each case. A ball or a rational made of a float becomes the float that it
    is. `seen` remembers what the sides are.
    Raises OutsideHypotheses for a setting outside the hypotheses: there a case neither refutes nor holds.
    """
    ending = CaseReader(cases)
    for case in ending:
        if isinstance(case, Case):
            read_case(case)  # names a side that is no number
            seen.floats = seen.floats or any(is_made_of_float(side, case.setting) for side in case[-2:])
            left, right = (unmask_float(side, case.setting) for side in case[-2:])
            check_setting(seen.key, case.setting)
            seen.add(case, compare_sides(left, right))
            case = Case(case.setting, left, right)
            if not links_too and len(steps) > 1 and case.setting.get("of") != "measured":
                yield from (Link(name, case.setting, *sides) for name, *sides in chain(steps, *case))
        elif isinstance(case, Link):
            seen.measure(case.name, case.setting, compare_sides(case.left, case.right))
        seen.floats |= isinstance(case, tuple) and any(map(is_float, case[-2:]))
        yield Case(*case[1:]) if links_too and isinstance(case, Link) else case
    seen.stated = isinstance(ending.returned, dict) and "tightness" in ending.returned
    return ending.returned


def read_case(case: Any) -> tuple[dict[str, Any], Any, Any]:
    """The setting and both sides of a case; raises TypeError if it is not a case or a side is not a real number."""
    if not isinstance(case, tuple) or len(case) < 3 or not isinstance(case[-3], dict):
        raise TypeError(f"a case must be (setting, left, right) with a dict for the setting, got {case!r}")
    for name, side in zip(("left", "right"), case[-2:], strict=True):
        if type(side) in NUMBERS:
            continue
        wrong = side is None or isinstance(side, str | bytes | complex) or np.ndim(side) > 0
        if wrong or (is_float(side) and not hasattr(side, "__float__")):
            raise TypeError(f"{name} must be a real number, got {side!r} at {name_case(case)}")
    return case[-3:]


def is_float(side: Any) -> bool:
    """Whether a side is a float of any kind (NumPy's, a decimal), that is, a rounded number."""
    if type(side) in (float, int, Fraction, arb):  # the common types first: the check below is slow
        return type(side) is float
    return not isinstance(side, arb | Rational | np.bool_) and not hasattr(side, "__index__")


def has_infinite_float(*sides: Any) -> bool:
    """Whether one of the sides is an infinite float, which may be intended or an overflow."""
    return any(is_float(side) and math.isinf(side) for side in sides)


def proof_kind(left: Any, right: Any) -> str:
    """The evidence that a comparison of two sides gives: from balls, rationals, or floats."""
    if isinstance(left, arb) or isinstance(right, arb):
        return "certificate"
    return "tested" if is_float(left) or is_float(right) else "enumeration"


def refute_case(proof: str, setting: dict, left: Any, right: Any, python: Callable | str | None) -> Verdict:
    """REFUTED by one case, with the evidence of its sides: a certificate, an enumeration, or a test in floats."""
    return refuted(proof, witness.inequality(setting, left, right, python=make_program(python, setting, left, right)))


def make_program(python: Callable | str | None, *shown: Any) -> str:
    """The program of a witness: a text, or the result of `python` for the case that is shown."""
    return python(*shown) if callable(python) else python or ""


def allowed_error(left: Any, right: Any, rounding: float | None) -> float:
    """The allowed relative error: `rounding`, by default `ROUNDING` where a side is a float."""
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
    """A side in six digits, also beyond the range of floats."""
    near = witness.number(side)
    return near if isinstance(near, str) else f"{near:.6g}"
