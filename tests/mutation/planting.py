"""What rows of the table of planted mistakes share: generic changes of a function, and generic checks."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from inspect import signature
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.experiments.audits import replays
from lemmata.experiments.conformance import edit
from lemmata.experiments.conformance.runner import CRASHED, PASSED, Check, Tried, decide_alone, try_change
from lemmata.experiments.engine.claims import registry
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT, generator
from tests.engine import toy

BUDGET = 20_000  # releases of one attack
CHEAP = 6.0  # CPU-seconds planned for a check; the runner ends it after ten times that
DEAR = 60.0  # the same of an attack that draws `BUDGET` releases


@dataclass(frozen=True)
class Planted:
    """A row of the table: what is changed, where in the package, how, and the check that must notice it."""

    row: int  # of the list of mistakes of the field
    mutation: str
    place: str  # a name below `lemmata`
    mutated: Callable  # original -> what takes its place
    check: Check

    def plant(self) -> None:
        """Make the mistake, in this process."""
        home, _, name = self.place.rpartition(".")
        edit.replace_attribute(resolve_name(f"lemmata.{home}"), name, self.mutated)

    def is_caught(self) -> bool:
        """Whether the check notices the mistake, and comes out as it should without it."""
        return self.tried().noticers == [self.check.name]

    def tried(self) -> Tried:
        """What became of the mistake."""
        return try_change(self.plant, [self.check])


# Changes --------------------------------------------------------------------------------------------------------------


def rewritten(old: str, new: str) -> Callable:
    """Function -> the same function, whose text has `new` for `old`, in whatever module it is imported."""

    def mutated(original: Any) -> Any:
        edit.rewrite(original, old, new)
        return original

    return mutated


def halved(original: Callable) -> Callable:
    """The same function with half its result."""
    return lambda *arguments, **options: original(*arguments, **options) / 2


def doubled(original: Callable) -> Callable:
    """The same function with twice its result."""
    return lambda *arguments, **options: 2 * original(*arguments, **options)


def unclipped(original: Callable) -> Callable:
    """In place of a function that clips rows: the rows as they are."""
    return lambda X, radius, *_, **more: np.array(X, dtype=float)


# Checks ---------------------------------------------------------------------------------------------------------------


def finds(name: str, wrong: Callable[[], Any], planned: float = CHEAP) -> Check:
    """Check that nothing is `wrong`. A crash is no finding."""
    return Check(name, lambda: "wrong" if wrong() else PASSED, planned=planned, ignores=CRASHED)


def fails(test: str, *arguments: Any) -> Check:
    """Check by a test of this suite, a name below `tests`: one of its assertions fails, by default at any of its cases.

    The cases of a test are made when it is imported: a constant that stands in one of them is the one before a mistake.
    A test that cannot be called so is a TypeError at once: in a child it would be a crash, which is no finding.
    """
    function = resolve_name(f"tests.{test}")
    asked = signature(function)
    cases = [asked.bind(*arguments).arguments] if arguments else list_cases(function)
    if missing := asked.parameters.keys() - cases[0].keys() - {"rng", "claims"}:
        raise TypeError(f"tests.{test} is called without {sorted(missing)}")

    def failed() -> bool:
        try:
            for case in cases:
                run_case(function, case)
        except (AssertionError, pytest.fail.Exception):
            return True
        return False

    return finds(test.rpartition(".test_")[2].replace("_", " "), failed)


def list_cases(function: Callable) -> list[dict[str, Any]]:
    """The arguments of every case of a test, as its marks say; one case without any for a test that has none."""
    cases: list[dict[str, Any]] = [{}]
    for mark in getattr(function, "pytestmark", ()):
        if mark.name == "parametrize":
            names, given = mark.args
            rows = [
                each.values if hasattr(each, "marks") else each if isinstance(names, tuple) else (each,)
                for each in given
            ]
            names = names if isinstance(names, tuple) else (names,)
            cases = [case | dict(zip(names, row, strict=True)) for case in cases for row in rows]
    return cases


def run_case(function: Callable, case: dict[str, Any]) -> None:
    """Call a test with the arguments of one case and the fixtures of tests/conftest.py."""
    asked = signature(function).parameters
    arguments = {name: value for name, value in case.items() if name in asked}  # a seed may be for a fixture alone
    if "rng" in asked:
        arguments["rng"] = np.random.default_rng(case.get("seed", 0))
    with toy.registered() if "claims" in asked else nullcontext() as claims:
        function(**arguments, **({"claims": claims} if "claims" in asked else {}))


def replay(name: str, length: float = 1.0) -> Check:
    """Check by replay: is anything wrong with the learner of this name, on rows `length` times as long as usual?"""
    learner = next(program for program in replays.PROGRAMS if program.name == name)
    longer = replace(learner, law=lambda X, y: learner.law(length * X, y))
    told = "queries replayed" if length == 1 else f"queries of rows of norm {length:g} replayed"
    return finds(told, lambda: replays.check_program(longer)["sound"] != "yes")


def attack(pair: Callable[[], tuple], claim: Any, budget: int = BUDGET, name: str = "attack") -> Check:
    """Check by attack: is the claim REFUTED on the pair, which is built afresh from the code as it is?"""

    def refuted() -> bool:
        return audit(*pair(), claim, root=LEDGER_ROOT, budget=budget).verdict == REFUTED

    return finds(name, refuted, DEAR * budget / BUDGET)


def row_falls(key: str) -> Check:
    """Check by the ledger: does the row, decided without its control, no longer hold?"""

    def fallen() -> bool:
        verdict, _ = decide_alone(replace(registry.find(key), control=None))
        return verdict is None or verdict.outcome != HOLDS

    return finds("its row of the ledger", fallen)


def control_survives(key: str) -> Check:
    """Check by the control: is the row's twin that is broken on purpose not REFUTED any more?"""
    return finds("its control", lambda: decide_alone(registry.find(key))[1].outcome != REFUTED)


def rng(name: str) -> np.random.Generator:
    """A stream for one check."""
    return generator(LEDGER_ROOT, f"sabotage.{name}", {}, "main", 0)
