"""Weaken statements one at a time, and see which rows still hold.

    python -m tests.mutation.weaken [--constants] [ID or module or paper ...]
    python -m tests.mutation.weaken --table > tests/ties.csv

A statement's value is halved, then doubled; with --constants every number written in its formula, and in what that
calls in bounds/, is doubled, halved and raised by one. A row that HOLDS must fall at one of them, or it is not tied
to its own statement. With --table the rows that fall at neither, each with the factor nearest to 1, out to 1000.
"""

import csv
import functools
import sys
from collections.abc import Callable
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


def held() -> list[Claim]:
    """The claims that hold by themselves, our own code under attack apart, as tests/verdicts.csv says."""
    lines = (Path(__file__).parents[1] / "verdicts.csv").read_text().splitlines()
    keys = {row["key"] for row in csv.DictReader(lines) if row["verdict"] == "HOLDS"}
    return [claim for key, claim in CLAIMS.items() if key in keys]


def constants(claim: Claim):
    """(function, line, number, verdicts) for every number in the statement's formula and what it calls in bounds/."""
    for function in edit.reached(edit.plain(claim.theorem.formula)):
        if function.__code__.co_filename == "<string>":
            continue  # a dataclass made it: it has no text
        for place, line, value in edit.literals(function):
            others = dict.fromkeys(x for x in (2 * value, value / 2, value + 1) if x != value)
            changes = [functools.partial(edit.set_literal, function, place, x) for x in others]
            yield function, line, value, [verdict_after(claim, change) for change in changes]


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
    for key, claim in sorted(CLAIMS.items()):
        module = claim.trial.__module__.removeprefix("experiments.").replace(".", "/")
        if wanted and not any(key.startswith(name) or module.startswith(name) for name in wanted):
            continue
        if claim.severity or claim.style == "attack":
            continue
        verdicts = {by: verdict_at(claim, by) for by in FACTORS}
        loose = "" if any(map(falls, verdicts.values())) else "UNTIED"
        print(f"{loose:7} {key:50} {claim.style:6} {verdicts}", flush=True)
        if "--constants" in names:
            for function, line, value, verdicts in constants(claim):
                if all(v == "HOLDS" for v in verdicts):
                    print(f"        {function.__module__}:{line} {function.__name__}: {value} is free", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
