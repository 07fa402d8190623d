"""Mistakes that are planted in our own code, in memory, and what must notice them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.experiments.conformance import edit
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.ledger.ledger_rows import evaluate
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT, generator
from lemmata.mechanisms.privacy import PureDP

ONE = PureDP(1.0)
BUDGET = 20_000
SECONDS = 600.0  # for one check


@dataclass(frozen=True)
class Planted:
    """A row of the matrix: `target.name` becomes `mutated(original)`, `check()` says whether something is wrong."""

    row: int
    mutation: str
    by: str
    target: Any
    name: str
    mutated: Callable
    check: Callable[[], bool]

    def caught(self) -> bool:
        """Does the check find the mutation, and nothing without it? Raises RuntimeError for a check that cannot say."""

        return self.applied(self.check) and not self.check()

    def applied(self, check: Callable[[], bool] = lambda: True) -> bool:
        """What a check says with the mutation in place. Raises RuntimeError where it or the mutation fails."""

        def planted() -> str:
            edit.put(self.target, self.name, self.mutated)
            return str(bool(check()))

        found = edit.in_child(planted, SECONDS)
        if found not in ("True", "False"):
            raise RuntimeError(f"{self.mutation}: the check came out {found}")
        return found == "True"


def refuted(pair: Callable[[], tuple], claim: Any, budget: int = BUDGET) -> Callable[[], bool]:
    """The check by attack: is the claim REFUTED on the pair, which is built afresh from the code as it is?"""
    return lambda: audit(*pair(), claim, root=LEDGER_ROOT, budget=budget).verdict == REFUTED


def rng(name: str) -> np.random.Generator:
    """A stream for one check."""
    return generator(LEDGER_ROOT, f"sabotage.{name}", {}, "main", 0)


def halved(original: Callable) -> Callable:
    """The same function with half its result."""
    return lambda *a, **k: original(*a, **k) / 2


def unclipped(original: Callable) -> Callable:
    """In place of a function that clips rows: the rows as they are."""
    return lambda X, radius: np.array(X, dtype=float)


class Broadcast:
    """A generator whose normal draws are one number for all coordinates (axis 0)."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random

    def normal(self, scale: float = 1.0, size: tuple = ()) -> np.ndarray:
        """One row of noise, repeated."""
        return np.repeat(self.random.normal(scale=scale, size=(1, *size[1:])), size[0], axis=0)


def rewritten(old: str, new: str) -> Callable:
    """Function -> the same function, whose text has `new` for `old`, wherever else it is held."""

    def mutated(original: Any) -> Any:
        edit.rewrite(original, old, new)
        return original

    return mutated


def decided(claim: Any) -> tuple[str, str]:
    """What a claim, decided by itself on its quick settings, and its control come out as."""
    store = Store()
    run.execute([claim], store, root=LEDGER_ROOT)
    verdict, _, control, _ = evaluate(claim, store, LEDGER_ROOT)
    return str(verdict and verdict.outcome), str(control.outcome)


def falls(key: str) -> Callable[[], bool]:
    """The check by ledger: does the row, decided without its control, no longer hold?"""
    return lambda: decided(replace(registry.find(key), control=None))[0] != HOLDS


def loses_its_teeth(key: str) -> Callable[[], bool]:
    """The check by control: is the row's sabotaged twin not REFUTED any more?"""
    return lambda: decided(registry.find(key))[1] != REFUTED
