"""Trying a claim at settings of the engine's own choice, and what it came to.

    search(claim, rng, 1000)

draws settings from the domains of the hypotheses, climbs from the worst, and doubles whole numbers one at a time. Every
evaluation is the claim's own check at one setting, decided as its author's cases are. What fails in floats has to fail
at all settings beside it, in every mode of rounding, and with random errors in each operation; what fails in balls or
rationals fails. Then it is made simpler as long as it fails. A case refutes only at a setting that the hypotheses can
judge in full.
"""

import contextlib
import functools
import inspect
import math
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lemmata.bounds.statement.functions import BrokenLine
from lemmata.bounds.statement.hypotheses import OutsideHypotheses
from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.experiments.engine.claims.claim import Claim, Setting
from lemmata.experiments.engine.claims.steps import STEP_FAILS
from lemmata.experiments.engine.claims.verdict import Verdict, holds
from lemmata.experiments.engine.ground.deadline import cpu_seconds
from lemmata.experiments.engine.ground.evidence import MACHINE
from lemmata.experiments.engine.search import points, rounding, trials, whole_domain
from lemmata.experiments.engine.search.arrays import Arrays
from lemmata.experiments.engine.search.loops import is_number

REJECTED = 30  # times as many may be drawn outside the hypotheses
LOOK = 50  # of these draws, after which the clock is looked at: to draw costs less than to ask for the time
PATIENCE = 4  # such evaluations, after which the search is given up: the claim has to say its `reach`
HOPELESS = 10  # times as many evaluations as decide something, at which a search is given up
ENDS = 30.0  # CPU seconds of a search at most: a row that needs more says its `reach`
CLIMBS = 0.3  # of the evaluations, from the worst settings so far
WORST = 5  # of which are kept to climb from
FURTHEST = 2**60  # to which whole numbers are doubled,
FLOATS_END = 2**32  # or in floats, where larger ones lose too many digits beside 1
SHRINKING = 1000  # evaluations that a counterexample is made simpler in
FAR_OFF = 1e-6  # relatively, a failure is further off than that
SMALL, TINY = 1e-12, 1e-290  # and absolutely, one in floats, and one in balls or rationals
FAILS = {"<=": "left > right", "=": "abs(left - right) > 1e-6 * abs(right)"}  # in Python, of the sides of a case
ROUNDED, DISTURBED = 2, 3  # neighbours that are rounded otherwise too, and disturbed evaluations of each setting
NOTHING = 1e-9  # up to which a side may be a rounded 0
LADDER = 0.05  # CPU seconds of an evaluation, beyond which a whole number is not doubled


@dataclass
class Search:
    """What was tried so far."""

    claim: Claim
    rng: np.random.Generator
    oracle: points.Oracle
    counts: Counter = field(default_factory=Counter)  # decided, outside, unjudged, raised
    worst: list[tuple[float, Setting, Verdict]] = field(default_factory=list)  # left / right first, the largest on top
    found: tuple[Setting, Verdict] | None = None
    disturbance: rounding.Disturbance = field(default_factory=rounding.Disturbance)

    @property
    def domains(self) -> points.Domains:
        """Of the coordinates that are numbers."""
        return self.oracle.domains

    @property
    def coordinates(self) -> tuple[points.Domains, Mapping[str, Arrays]]:
        """Numbers and arrays."""
        return self.oracle.domains, self.oracle.arrays

    def admits(self, setting: Setting) -> bool:
        """Whether the hypotheses allow a setting."""
        reach = self.claim.reach
        inside = all(
            domain.low <= setting[name] <= min(domain.high, reach.get(name, math.inf))
            for name, domain in self.domains.items()
        )
        return inside and not self.claim.theorem.skipped(self.preset | setting)

    @functools.cached_property
    def preset(self) -> Setting:
        """What the statement takes for arguments that no setting names."""
        parameters = inspect.signature(self.claim.theorem.formula).parameters.values()
        return {one.name: one.default for one in parameters if is_number(one.default)}

    def judge(self, setting: Setting, make: Callable[..., Any] | None = None) -> tuple[Verdict | None, float]:
        """The verdict of the check at one setting, None where it says nothing there; and the largest left / right.

        `make` makes its cases otherwise.
        """
        self.counts["tried"] += 1
        try:
            with points.guard_evaluation():
                verdict, ratio = judge_cases(self.claim, make or self.oracle.make_cases, setting)
            if verdict is None:
                self.counts["unjudged"] += 1
            return verdict, ratio
        except OutsideHypotheses:
            self.counts["outside"] += 1
        except TimeoutError:
            self.counts["slow"] += 1
        except (Exception, SystemExit):  # of a check that was written for its author's settings
            self.counts["raised"] += 1
        return None, -math.inf

    def visit(self, setting: Setting) -> None:
        """Try a setting, and remember it if it is among the worst."""
        verdict, ratio = self.judge(setting)
        if verdict is None:
            return
        self.counts["same"] += verdict.copied[0]
        self.counts["different"] += verdict.copied[1]
        if self.is_failure(setting, verdict, ratio):
            self.found = setting, verdict
        elif verdict.outcome == HOLDS:
            self.counts["decided"] += 1
            self.worst = sorted([*self.worst, (ratio, setting, verdict)], key=lambda seen: -seen[0])[:WORST]
        else:
            self.counts["undecided"] += 1

    def is_failure(self, setting: Setting, verdict: Verdict | None, ratio: float) -> bool:
        """Whether the statement fails at a setting, or, at all settings beside it too, a step of its derivation."""
        if verdict is None or verdict.outcome == HOLDS:
            return False
        if verdict.outcome == REFUTED:
            return self.confirms(setting, verdict, ratio)
        beside = [point for point in points.neighbours(setting, *self.coordinates, self.rng) if self.admits(point)]
        fails = STEP_FAILS in verdict.note and bool(self.claim.steps)
        return fails and all((other := self.judge(point)[0]) and STEP_FAILS in other.note for point in beside)

    def confirms(self, setting: Setting, verdict: Verdict, ratio: float) -> bool:
        """Whether a failure is one of the statement: by far, and exact or the same at all settings beside it.

        By far, since most formulas are computed in floats even where a check compares balls.
        """
        found, claimed = _sides(verdict)
        exactly = verdict.evidence in MACHINE
        gap = abs(found - claimed)  # NaN, beyond the range of floats
        factor = ratio if ratio >= 0 else -1 / ratio  # of two negative sides
        relative = abs(factor - 1) if factor else gap / max(abs(found), abs(claimed))
        if not relative > FAR_OFF or gap <= (TINY if exactly else SMALL):
            return False
        if exactly:
            return True
        if 0 in (found, claimed) and not all(domain.whole for domain in self.domains.values()):
            return False  # a product may have left the range of floats; where it is small, it would fail too
        failure = abs(math.log(factor)) if factor else 1.0
        for row, stepped in points.windows(setting, self.domains, found):
            if not self.is_smooth(row, failure) and (not stepped or not self.is_smooth(stepped, failure)):
                return False
        beside = [point for point in points.neighbours(setting, *self.coordinates, self.rng) if self.admits(point)]
        verdicts = [self.judge(point)[0] for point in beside]
        if not all(other is not None and other.outcome == REFUTED for other in verdicts):
            return False
        return all(map(self.fails_rounded, (setting, *beside[:ROUNDED])))

    def fails_rounded(self, setting: Setting) -> bool:
        """Whether a statement fails by as much where floats are rounded otherwise, as far as the check runs so."""
        counts = Counter(self.counts)
        sides = _sides(self.judge(setting)[0])
        gaps = (abs(sides[0] - sides[1]),) * 2
        for mode in (*rounding.MODES, *(None,) * DISTURBED):
            with rounding.rounded(mode) if mode else contextlib.nullcontext():
                verdict, _ = self.judge(setting, None if mode else self.disturb)
            self.counts = Counter({**counts, "tried": self.counts["tried"]})  # a replay says nothing of the check
            if verdict is not None and not all(map(is_near, _sides(verdict), sides, gaps)):
                return False
        return True

    def disturb(self, /, **setting: Any) -> Any:
        """The cases of the check at a setting, where it runs with disturbed operations."""
        return self.disturbance.make_cases(self.oracle.check, *self.oracle.split(setting))

    def is_smooth(self, row: list[Setting], failure: float) -> bool:
        """Whether left / right has no jumps along a row that are as large as a tenth of a failure, in logarithms.

        It may have kinks, as |x| has: a jump bends a row twice, to and fro, and a kink once.
        """
        ratios = np.array([self.judge(point)[1] for point in row if self.admits(point)])
        if len(ratios) < 4 or not ((ratios > 0).all() or (ratios < 0).all()) or not np.isfinite(ratios).all():
            return len(ratios) < 4
        bends = np.diff(np.log(np.abs(ratios)), 2)
        to_and_fro = np.minimum(np.abs(bends[1:]), np.abs(bends[:-1]))[bends[1:] * bends[:-1] < 0]
        is_kinked = max(to_and_fro.max(initial=0), abs(bends[0]), abs(bends[-1])) <= failure / 20
        return bool(is_kinked or np.abs(np.diff(bends)).max() <= failure / 10)

    def shrink(self) -> None:
        """Make the setting that was found simpler, one coordinate at a time, until none can be."""
        changed, last = True, self.counts["tried"] + SHRINKING
        while changed and self.found:
            changed = False
            for setting in points.simpler(self.found[0], *self.coordinates):
                if self.admits(setting) and self.counts["tried"] < last:
                    verdict, ratio = self.judge(setting)
                    if verdict is not None and self.is_failure(setting, verdict, ratio):
                        self.found, changed = (setting, verdict), True
                        break


def _sides(verdict: Verdict | None) -> tuple[float, float]:
    """Both sides of a failure; NaN where there is none."""
    shown = (verdict and verdict.witness) or {}
    return float(shown.get("found", math.nan)), float(shown.get("claimed", math.nan))


def is_near(other: float, side: float, gap: float) -> bool:
    """Whether a side of a failure is the same, up to a quarter of the gap to the other side and a hundredth of itself.

    A side that changes by more has no digits left: nothing is known of the number that it stands for, unless it is tiny
    and may stand for a 0.
    """
    is_tiny = max(abs(side), abs(other)) <= NOTHING
    return other == side or abs(other - side) <= (gap / 4 if is_tiny else min(gap / 4, abs(side) / 100))


def judge_cases(claim: Claim, make: Callable[..., Any], setting: Setting) -> tuple[Verdict | None, float]:
    """What a claim by cases says of those that are made at one setting."""
    trial: Any = claim.trial
    return trial.judge_cases(make, setting)


def is_searchable(claim: Claim) -> bool:
    """Whether a claim may be an oracle: its check is by cases or by trials, at settings that hypotheses can judge."""
    by_cases = hasattr(claim.trial, "judge_cases") and bool(claim.theorem.needs or claim.steps)
    return by_cases or trials.is_searchable(claim)


def search(claim: Claim, rng: np.random.Generator, evaluations: int) -> Verdict:
    """A claim at so many settings: REFUTED at one of them, or HOLDS with what was tried in `searched`."""
    if claim.style != "exact":
        return trials.search_trials(claim, rng, evaluations)
    seen = Search(claim, rng, points.open_check(claim))
    known = points.clip_domains(claim, seen.domains), seen.oracle.arrays
    began, drawn, visits = cpu_seconds(), 0, 0
    while any(known) and seen.counts["decided"] < evaluations and not seen.found and drawn < REJECTED * evaluations:
        drawn += 1
        climbs = seen.worst and seen.counts["decided"] > (1 - CLIMBS) * evaluations
        start = seen.worst[int(rng.integers(len(seen.worst)))][1] if climbs else None
        named = seen.oracle.named[int(rng.integers(len(seen.oracle.named)))]  # whose order is kept: values go by it
        setting = points.move(start, *known, rng) if start else named | points.draw_setting(*known, rng)
        if seen.admits(setting):
            visits += 1
            seen.visit(setting)
        elif drawn % LOOK:
            continue
        hopeless = visits > HOPELESS * (10 + seen.counts["decided"])
        if hopeless or seen.counts["slow"] >= PATIENCE or cpu_seconds() - began > ENDS:
            break
    if not seen.found:
        climb_ladders(seen)
    seen.shrink()
    return conclude(seen, whole_domain.try_to_prove(claim) if claim.steps and not seen.found else {})


def judge_at(claim: Claim, setting: Setting) -> Verdict:
    """The verdict of a claim's check at a setting that a search has found."""
    oracle = points.open_check(claim)
    arrays = {name: each.restore(np.array(setting[name], dtype=float)) for name, each in oracle.arrays.items()}
    verdict, _ = judge_cases(claim, oracle.make_cases, setting | arrays)
    assert verdict is not None, f"{claim.key} says nothing at {setting}"
    return verdict


def climb_ladders(seen: Search) -> None:
    """Double whole numbers, one at a time, from the worst settings until an evaluation takes long.

    Where that is depends on the machine, so it refutes or leaves no trace.
    """
    counts = Counter(seen.counts)
    worst = list(seen.worst)
    for name in [name for name, domain in seen.domains.items() if domain.whole and name not in seen.claim.reach]:
        for _, start, verdict in worst[:2]:
            setting, end = dict(start), FURTHEST if verdict.evidence in MACHINE else FLOATS_END
            while setting[name] < end:
                setting = setting | {name: 2 * setting[name] or 1}
                began = cpu_seconds()
                if seen.found or not seen.admits(setting):
                    break
                seen.visit(setting)
                if cpu_seconds() - began > LADDER:
                    break
    seen.counts, seen.worst = counts, worst


def conclude(seen: Search, proof: dict[str, Any]) -> Verdict:
    """The verdict of a search, and of a proof on the whole domain."""
    if seen.found:
        setting, verdict = seen.found
        if verdict.outcome != REFUTED:
            return verdict
        witness = dict(verdict.witness or {}) | {"asked": list_arrays(setting)}
        if not witness.get("python"):
            witness["python"] = write_program(seen, setting)
        return replace(verdict, witness=witness)
    said: dict = {name: seen.counts[name] for name in ("decided", "undecided", "unjudged", "raised", "outside")}
    said |= {"proof": proof} if proof else {}
    if not seen.worst:
        return holds("tested", "settings", searched=said)
    # Two sides of an identity that are so small that they count as equal say nothing of their ratio.
    most = 1 + FAR_OFF if seen.claim.trial.relation == "=" else math.inf  # type: ignore[attr-defined]
    ratio, setting, verdict = next((each for each in seen.worst if each[0] <= most), (-1.0, *seen.worst[0][1:]))
    at = {name: setting[name] for each in seen.coordinates for name in each}
    said |= {"at": list_arrays({name: getattr(value, "__name__", value) for name, value in at.items()})}
    said |= {"largest": ratio} if ratio > 0 else {}
    copied = seen.counts["same"], seen.counts["different"]
    return holds(verdict.evidence, verdict.scope, tightness=verdict.tightness, searched=said, copied=copied)


def list_arrays(setting: Setting) -> Setting:
    """The setting with lists in place of arrays and functions, for the store."""
    listed = {name: np.asarray(value) for name, value in setting.items() if isinstance(value, np.ndarray | BrokenLine)}
    return setting | {name: array.tolist() for name, array in listed.items()}


def spell(value: Any) -> str:
    """A value in Python."""
    if isinstance(value, BrokenLine):
        return f"__import__('lemmata.bounds.theorem', fromlist=['*']).{value!r}"
    return f"__import__('numpy').array({value.tolist()!r})" if isinstance(value, np.ndarray) else repr(value)


def write_program(seen: Search, setting: Setting) -> str:
    """The program of a counterexample that the engine found: the check's cases at that setting, one of them failing."""
    claim = seen.claim
    trial: Any = claim.trial  # of a claim by cases, which says in Python when a case fails
    check, formula = inspect.unwrap(trial), inspect.unwrap(claim.theorem.formula)
    arguments, looped = seen.oracle.split(setting)
    given = "".join(f", {name}={spell(value)}" for name, value in looped.items())
    called = ", ".join(f"{name!r}: {spell(value)}" for name, value in arguments.items())
    return textwrap.dedent(f"""\
        from {points.bare_module(claim, check)} import {check.__name__}
        from {points.bare_module(claim, formula)} import {formula.__name__}
        from lemmata.experiments.engine.search.loops import cases_at
        cases = cases_at({check.__name__}, {{{called}}}{given})
        assert any({FAILS[trial.relation]} for *_, left, right in cases)
        """)
