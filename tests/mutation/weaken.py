"""Weaken statements one at a time, and see which rows still hold.

    python -m tests.mutation.weaken [--constants] [ID or module or paper ...]

A statement's value is halved, then doubled; with --constants every number written in its formula, and in what that
calls in bounds/, is doubled, halved and raised by one. A row that HOLDS must fall at one of them, or it is not tied
to its own statement.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import replace

from experiments.engine import registry, run
from experiments.engine.claim import CLAIMS, Claim
from experiments.engine.ledger import evaluate
from experiments.engine.store import Store
from experiments.engine.streams import LEDGER_ROOT
from tests.mutation import edit

FACTORS = (0.5, 2.0)
LATE = 60.0


def outcome(claim: Claim, profile: str = "quick") -> str:
    """The verdict of one claim on its quick settings, without its control and without what it rests on."""
    alone, store = replace(claim, control=None), Store()
    run.execute([alone], store, root=LEDGER_ROOT, profile=profile)
    verdict = evaluate(alone, store, LEDGER_ROOT)[0]
    return verdict.outcome if verdict else "no verdict"


def verdict_after(claim: Claim, change: Callable[[], None]) -> str:
    """The verdict of `claim` after `change`, in a child."""

    def work() -> str:
        change()
        return outcome(claim)

    return edit.in_child(work, LATE)


def halved_and_doubled(claim: Claim) -> dict[float, str]:
    """The verdicts of `claim` with the value of its own statement halved and doubled."""
    formula = edit.plain(claim.theorem.formula)
    return {by: verdict_after(claim, functools.partial(edit.scale_return, formula, by)) for by in FACTORS}


def constants(claim: Claim):
    """(function, line, number, verdicts) for every number in the statement's formula and what it calls in bounds/."""
    for function in edit.reached(edit.plain(claim.theorem.formula)):
        for place, line, value in edit.literals(function):
            others = dict.fromkeys(x for x in (2 * value, value / 2, value + 1) if x != value)
            changes = [functools.partial(edit.set_literal, function, place, x) for x in others]
            yield function, line, value, [verdict_after(claim, change) for change in changes]


def main(names: list[str]) -> None:
    registry.load()
    wanted = [name for name in names if not name.startswith("--")]
    for key, claim in sorted(CLAIMS.items()):
        module = claim.trial.__module__.removeprefix("experiments.").replace(".", "/")
        if wanted and not any(key.startswith(name) or module.startswith(name) for name in wanted):
            continue
        if claim.severity or claim.style == "attack":
            continue
        told = halved_and_doubled(claim)
        loose = "" if any(v != "HOLDS" for v in told.values()) else "UNTIED"
        print(f"{loose:7} {key:50} {claim.style:6} {told}", flush=True)
        if "--constants" in names:
            for function, line, value, verdicts in constants(claim):
                if all(v == "HOLDS" for v in verdicts):
                    print(f"        {function.__module__}:{line} {function.__name__}: {value} is free", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
