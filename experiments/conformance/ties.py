"""Ties: is a row bound to what its statement says?

A statement's value is halved, then doubled: a row that HOLDS must fall at one of them, or it is not tied to its own
statement. Where it falls at neither, its tie is the factor nearest to 1 at which it does, out to 10,000.
"""

import contextlib
import functools
import inspect
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lemmata.experiments.conformance import edit, runner
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.witness import program_process

FACTORS = (0.5, 2.0)
FURTHER = (4.0, 8.0, 16.0, 32.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)
NO_NUMBER = "no number"  # what the statement's function returns cannot be multiplied: nothing was weakened
IGNORED = (NO_NUMBER, runner.RAISED, runner.LATE)  # how outcomes begin that say nothing about the statement
SECONDS = 60.0  # wall-clock, of one changed claim
CASES = 50  # cases of a check to inspect
MOVES: tuple[program_process.Change, ...] = (("raised by", 1), ("multiplied by", 0.5))  # a check may refuse one of them


def decide_quick(claim: Claim) -> str:
    """The verdict of one claim on its quick settings, without its control and without what it rests on."""
    verdict, _ = runner.decide_alone(replace(claim, control=None))
    if verdict and verdict.reason == "FAILED" and verdict.note.startswith(("TypeError", "AttributeError")):
        return NO_NUMBER
    return verdict.outcome if verdict else "no verdict"


def decide_after(claim: Claim, change: Callable[[], None]) -> str:
    """The verdict of `claim` after `change`, in a child."""

    def work() -> str:
        change()
        return decide_quick(claim)

    return runner.in_child(work, SECONDS)


def decide_scaled(claim: Claim, by: float) -> str:
    """The verdict of `claim` with the value of its own statement multiplied."""
    return decide_after(claim, functools.partial(edit.scale_return, edit.plain(claim.theorem.formula), by))


def holds_no_more(verdict: str) -> bool:
    """Whether a weakened row no longer holds, because of what was weakened."""
    return verdict != "HOLDS" and not verdict.startswith(IGNORED)


def find_factor(claim: Claim, before: str = "") -> float | None:
    """The factor nearest to 1 at which the row falls, of 1/2, 2, 1/4, 4, ..., 1/10000, 10000; None if at none.

    Of a row whose tie was named `before`, that factor is tried after 1/2 and 2, and the others if it has gone.
    """
    known = [by for by in factors_named(before) if by not in FACTORS]
    factors = [*FACTORS, *known, *(by for size in FURTHER for by in (1 / size, size))]
    return next((by for by in factors if holds_no_more(decide_scaled(claim, by))), None)


def find_tie(claim: Claim, before: str = "") -> str:
    """The tie of a row that holds, as the table of what is accepted has it: "", a factor, or "none"."""
    factor = find_factor(claim, before)
    return "none" if factor is None else "" if factor in FACTORS else f"{factor:g}"


def factors_named(tie: str) -> tuple[float, ...]:
    """The factors that a tie names; for "none" those that were tried first, at which nothing falls."""
    return (float(tie),) if tie not in ("", "none") else FACTORS


def list_cases(claim: Claim, most: int = CASES) -> list[tuple[dict, Any, Any]]:
    """The first cases of a check at its first setting; none if it yields none, or raises."""
    check = inspect.unwrap(claim.trial)
    setting = next((s for s in claim.quick if not claim.theorem.skipped(s)), None)
    if setting is None or not inspect.isgeneratorfunction(check):
        return []
    with contextlib.suppress(Exception, SystemExit):  # the row reports it
        return [case[-3:] for case in itertools.islice(check(**setting), most) if len(case) >= 3]
    return []


def find_moved_sides(claim: Claim) -> str | None:
    """The sides of the first cases that move with the statement's value, as "left and right"; None without cases.

    A left side that does not move is the check's own: it knows nothing of the statement.
    """

    def work(change: program_process.Change) -> str:
        before = list_cases(claim)
        program_process.watch_formula(claim.theorem)
        program_process.WATCHED.update(key=claim.theorem.key, change=change, points=[{}])
        edit.forget()
        pairs = list(zip(before, list_cases(claim), strict=True))
        sides = {name: [(one[at], other[at]) for one, other in pairs] for name, at in (("left", -2), ("right", -1))}
        moved = [name for name, each in sides.items() if any(repr(one) != repr(other) for one, other in each)]
        return " and ".join(moved)

    if not list_cases(claim):
        return None
    found = (runner.in_child(functools.partial(work, change), SECONDS) for change in MOVES)
    return next((sides for sides in found if not sides.startswith(runner.CRASHED)), "")
