"""Weaken statements one at a time, and see which rows still hold.

    python -m tests.mutation.weaken [ID or module or paper ...]
    python -m tests.mutation.weaken --numbers [module or paper ...]
    python -m tests.mutation.weaken --table > tests/ties.csv

A statement's value is halved, then doubled: a row that HOLDS must fall at one of them, or it is not tied to its own
statement. With --numbers every number written in what statements call in bounds/ is doubled, halved and raised by one,
and tests/numbers.csv says which row moves at one of them, or else which value worked out by hand; where neither does, a
person says why. With --table the rows that fall neither halved nor doubled, each with the factor nearest to 1, out to
10000.
"""

import csv
import functools
import sys
import time
import types
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lemmata.bounds.library import library
from lemmata.experiments.engine import registry, run
from lemmata.experiments.engine.claim import CLAIMS, Claim
from lemmata.experiments.engine.ledger import evaluate
from lemmata.experiments.engine.store import Store
from lemmata.mechanisms.streams import LEDGER_ROOT
from tests import by_hand
from tests.mutation import edit

FACTORS = (0.5, 2.0)
FURTHER = (4.0, 8.0, 16.0, 32.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)
NO_NUMBER = "no number"  # what the statement's function returns cannot be multiplied: nothing was weakened
LATE = 60.0
BY_HAND = "by hand: "  # before the name of a formula, where a value notices what no row does
NUMBERS = Path(__file__).parents[1] / "numbers.csv"
PATIENCE = 4.0  # CPU-seconds for one change of one number


def outcome(claim: Claim, profile: str = "quick") -> str:
    """The verdict of one claim on its quick settings, without its control and without what it rests on."""
    alone, store = replace(claim, control=None), Store()
    run.execute([alone], store, root=LEDGER_ROOT, profile=profile)
    verdict = evaluate(alone, store, LEDGER_ROOT)[0]
    if verdict and verdict.reason == "FAILED" and verdict.note.startswith(("TypeError", "AttributeError")):
        return NO_NUMBER
    return verdict.outcome if verdict else "no verdict"


def verdict_after(claim: Claim, change: Callable[[], None]) -> str:
    """The verdict of `claim` after `change`, in a child."""

    def work() -> str:
        change()
        return outcome(claim)

    return edit.in_child(work, LATE)


def verdict_at(claim: Claim, by: float) -> str:
    """The verdict of `claim` with the value of its own statement multiplied."""
    return verdict_after(claim, functools.partial(edit.scale_return, edit.plain(claim.theorem.formula), by))


def falls(verdict: str) -> bool:
    """Whether a weakened row no longer holds, because of what was weakened."""
    return verdict not in ("HOLDS", NO_NUMBER, "late")


def falls_at(claim: Claim) -> float | None:
    """The factor nearest to 1 at which the row falls, of 1/2, 2, 1/4, 4, ..., 1/10000, 10000; None if at none."""
    factors = [by for size in (2.0, *FURTHER) for by in (1 / size, size)]
    return next((by for by in factors if falls(verdict_at(claim, by))), None)


@functools.cache
def verdicts() -> dict[str, str]:
    """The verdicts of the claims by themselves, as tests/verdicts.csv says."""
    lines = (Path(__file__).parents[1] / "verdicts.csv").read_text().splitlines()
    return {row["key"]: row["verdict"] for row in csv.DictReader(lines)}


def held() -> list[Claim]:
    """The claims that hold by themselves, our own code under attack apart."""
    return [claim for key, claim in CLAIMS.items() if verdicts().get(key) == "HOLDS"]


@dataclass
class Number:
    """A number written in a function of bounds/, and what reads that function."""

    function: types.FunctionType
    place: int  # among the numbers of the function
    line: int
    value: int | float
    claims: list[Claim]  # that hold first, each kind the cheapest first
    values: list[by_hand.Row]  # worked out by hand

    @property
    def name(self) -> tuple[str, str, str]:
        """As a row of the table begins."""
        return f"{self.function.__module__}.{self.function.__qualname__}", str(self.place), str(self.value)

    @property
    def changes(self) -> Iterator[Callable[[], None]]:
        """Doubled, halved, raised by one."""
        half = self.value // 2 if isinstance(self.value, int) and self.value % 2 == 0 else self.value / 2
        for other in dict.fromkeys(x for x in (2 * self.value, half, self.value + 1) if x != self.value):
            yield functools.partial(edit.set_literal, self.function, self.place, other)

    def noticed_by(self) -> str:
        """The key of the first row that moves at a change; else "by hand: " and a formula whose value moves; or ""."""
        by_rows = (moved(self.claims, change) for change in self.changes)
        return next(filter(None, (*by_rows, *map(self.value_moved, self.changes))), "")

    def value_moved(self, change: Callable[[], None]) -> str:
        """A formula whose value worked out by hand is not met after `change`."""

        def work() -> str:
            change()
            for formula, arguments, value in self.values:
                try:
                    by_hand.agrees(formula(**arguments), value)
                except Exception:
                    return f"{BY_HAND}{by_hand.name(formula)}"
            return ""

        answer = edit.in_child(work, LATE)
        return answer if answer.startswith(BY_HAND) else ""


def numbers(names: Collection[str] = tuple(library.papers)) -> Iterator[Number]:
    """The numbers written in what statements call in bounds/, of papers or modules whose names begin so."""
    read: dict[types.FunctionType, tuple[list, list]] = {}

    def note(thing: object, which: int, *roots: object) -> None:
        for function in dict.fromkeys(map(edit.plain, edit.reached(*map(edit.plain, roots)))):
            read.setdefault(function, ([], []))[which].append(thing)

    def cost(claim: Claim) -> tuple[bool, float]:
        planned = sum(run.cell_cost(claim, setting) for setting in run.planned(claim, "quick"))
        return verdicts().get(claim.key) != "HOLDS", planned

    for claim in sorted(CLAIMS.values(), key=cost):
        if claim.style != "attack":
            note(claim, 0, claim.theorem.formula, claim.trial)
    for row in by_hand.rows():
        note(row, 1, row[0])
    for function, (claims, values) in sorted(read.items(), key=lambda item: (item[0].__module__, item[0].__qualname__)):
        module = in_papers(function.__module__)
        generated = function.__code__.co_filename == "<string>"  # a dataclass made it: it has no text
        if claims and not generated and module.startswith(tuple(names)):
            for place, line, value in edit.literals(function):
                yield Number(function, place, line, value, claims, values)


def table() -> dict[tuple[str, str, str], tuple[str, str]]:
    """{(function, place, number): (what notices a change, or else why nothing does)}"""
    with NUMBERS.open(newline="") as lines:
        return {(f, place, value): (by, why) for f, place, value, by, why in list(csv.reader(lines))[1:]}


def renew(names: Collection[str]) -> None:
    """Ask anew what notices the numbers of papers or modules whose names begin so; reasons are kept."""
    old = table()
    rows = {name: row for name, row in old.items() if not in_papers(name[0]).startswith(tuple(names))}
    for number in numbers(names):
        by = number.noticed_by()
        rows[number.name] = by, "" if by else old.get(number.name, ("", ""))[1]
        print(f"{by or 'NOTHING':50} {' '.join(number.name)}, line {number.line}", flush=True)
    with NUMBERS.open("w", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(("function", "place", "number", "noticed by", "why not"))
        writer.writerows((*name, *row) for name, row in sorted(rows.items(), key=lambda r: (r[0][0], int(r[0][1]))))


def in_papers(name: str) -> str:
    """A module or function of bounds/ as it is named on the command line: paper/module."""
    return name.removeprefix("lemmata.bounds.").replace(".", "/")


def moved(claims: list[Claim], change: Callable[[], None]) -> str:
    """The key of the first of `claims` whose verdict is another after `change`; "" if none within `PATIENCE`."""

    def work() -> str:
        change()
        for claim in claims:
            if outcome(claim) not in (verdicts().get(claim.key, "HOLDS"), NO_NUMBER):
                return claim.key
            if time.process_time() > PATIENCE:
                break
        return ""

    key = edit.in_child(work, 4 * PATIENCE)
    if key not in CLAIMS:  # none, or the changed code does not even compile to anything
        return ""
    if (itself := edit.in_child(functools.partial(outcome, CLAIMS[key]), LATE)) == verdicts().get(key, "HOLDS"):
        return key
    verdicts()[key] = itself  # without its control and what it rests on it comes out otherwise, unchanged as it is
    return moved(claims, change)


def main(names: list[str]) -> None:
    registry.load()
    if "--table" in names:
        print("key,factor")
        for claim in held():
            factor = falls_at(claim)
            if factor not in FACTORS:
                print(f"{claim.key},{factor:g}" if factor else f"{claim.key},", flush=True)
        return
    wanted = [name for name in names if not name.startswith("--")]
    if "--numbers" in names:
        renew(wanted or library.papers)
        return
    for key, claim in sorted(CLAIMS.items()):
        module = claim.trial.__module__.removeprefix("lemmata.experiments.").replace(".", "/")
        if wanted and not any(key.startswith(name) or module.startswith(name) for name in wanted):
            continue
        if claim.severity or claim.style == "attack":
            continue
        outcomes = {by: verdict_at(claim, by) for by in FACTORS}
        loose = "" if any(map(falls, outcomes.values())) else "UNTIED"
        print(f"{loose:7} {key:50} {claim.style:6} {outcomes}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
