"""Weaken statements one at a time, and see which rows still hold.

    python -m tests.mutation.weaken [ID or module or paper ...]
    python -m tests.mutation.weaken --constants [module or paper ...]
    python -m tests.mutation.weaken --table > tests/ties.csv

A statement's value is halved, then doubled: a row that HOLDS must fall at one of them, or it is not tied to its own
statement. With --constants every number written in what statements call in bounds/ is doubled, halved and raised by
one: some row must move at one of them. With --table the rows that fall neither halved nor doubled, each with the factor
nearest to 1, out to 1000.
"""

import csv
import functools
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from experiments.engine import registry, run
from experiments.engine.claim import CLAIMS, Claim
from experiments.engine.ledger import evaluate
from experiments.engine.store import Store
from experiments.engine.streams import LEDGER_ROOT
from tests.mutation import edit

FACTORS = (0.5, 2.0)
FURTHER = (4.0, 8.0, 16.0, 32.0, 100.0, 300.0, 1000.0)
NO_NUMBER = "no number"  # what the statement's function returns cannot be multiplied: nothing was weakened
LATE = 60.0
PATIENCE = 20.0  # CPU-seconds for one change of one number


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
    """The factor nearest to 1 at which the row falls, of 1/2, 2, 1/4, 4, ..., 1/1000, 1000; None if at none."""
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


def constants(names: list[str]) -> Iterator[tuple[types.FunctionType, int, int | float, str]]:
    """(function, line, number, key of the row that moves) for the numbers written in what statements call in bounds/.

    The key is empty where no change of the number moves any row: that number is free.
    """
    with_rows: dict[types.FunctionType, list[Claim]] = {}
    for claim in sorted(CLAIMS.values(), key=lambda c: sum(run.cell_cost(c, s) for s in run.planned(c, "quick"))):
        if claim.style != "attack":
            reached = edit.reached(edit.plain(claim.theorem.formula), edit.plain(claim.trial))
            for function in dict.fromkeys(map(edit.plain, reached)):
                with_rows.setdefault(function, []).append(claim)
    for function, claims in sorted(with_rows.items(), key=lambda item: (item[0].__module__, item[0].__qualname__)):
        module = function.__module__.removeprefix("bounds.").replace(".", "/")
        generated = function.__code__.co_filename == "<string>"  # a dataclass made it: it has no text
        if generated or (names and not any(module.startswith(name) for name in names)):
            continue
        for place, line, value in edit.literals(function):
            half = value // 2 if isinstance(value, int) and value % 2 == 0 else value / 2
            others = dict.fromkeys(x for x in (2 * value, half, value + 1) if x != value)
            changes = [functools.partial(edit.set_literal, function, place, x) for x in others]
            yield function, line, value, next(filter(None, (moved(claims, change) for change in changes)), "")


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
    if "--constants" in names:
        for function, line, value, key in constants(wanted):
            print(f"{key or 'FREE':50} {function.__module__}:{line} {function.__name__}: {value}", flush=True)
        return
    for key, claim in sorted(CLAIMS.items()):
        module = claim.trial.__module__.removeprefix("experiments.").replace(".", "/")
        if wanted and not any(key.startswith(name) or module.startswith(name) for name in wanted):
            continue
        if claim.severity or claim.style == "attack":
            continue
        outcomes = {by: verdict_at(claim, by) for by in FACTORS}
        loose = "" if any(map(falls, outcomes.values())) else "UNTIED"
        print(f"{loose:7} {key:50} {claim.style:6} {outcomes}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
