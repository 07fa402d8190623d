"""Every private learner under attack: releases on two neighbouring datasets, told apart as well as can be.

An attack can refute a promise and never prove it (`lemmata.mechanisms.audit.play.sequential_test`); the proof stands in
the docstring of each law. Four equal records against three and one of the other label: the gradient, the count and the
minimiser move as far as one record can move them, and few others pull the weights away.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from lemmata.experiments.comparison.learners import Learner, find
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.privacy import ApproxDP, PureDP

EPSILON, DELTA = 1.0, 1e-2
RECORDS = 4
RELEASES = 10_000  # on either dataset together


def make_neighbours() -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Two datasets that differ in one record: its label is the other one."""
    X, y = np.tile([[0.8, 0.6]], (RECORDS, 1)), np.ones(RECORDS)
    return (X, y), (X, np.append(y[:-1], -1.0))


def sample_releases(law: Any) -> Callable:
    """A sampler of what is released, as vectors."""

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        drawn = law.sample(rng, size)
        return drawn["weights"] if isinstance(drawn, dict) else drawn

    return sample


def attack_learner(learner: Learner, *, root: int, budget: int = RELEASES) -> dict:
    """What an attack on a learner finds, as a row: learner, claim, verdict, reason, survived, event."""
    asked = {"epsilon": EPSILON, "delta": DELTA, **dict.fromkeys(learner.knows, 0.5)}
    laws = (learner.law(X, y, rng=np.random.default_rng(root), **asked) for X, y in make_neighbours())
    pure = learner.spends == "epsilon"
    claim = PureDP(EPSILON, learner.neighbours) if pure else ApproxDP(EPSILON, DELTA, learner.neighbours)
    found = audit(*map(sample_releases, laws), claim, root=root, budget=budget)
    caught = f"{found.smallest_caught:.2g}" if found.smallest_caught else ""
    return {
        "learner": learner.name,
        "promise": f"ε = {EPSILON:g}" + ("" if pure else f", δ = {DELTA:g}"),
        "verdict": found.verdict,
        "reason": found.reason,
        "caught": caught,
        "epsilon": round(found.lower, 3),
    }


def make_table(named: Iterable[str], *, root: int, budget: int = RELEASES) -> pd.DataFrame:
    """A row a learner that promises anything. `caught`: so many times its leak would have been caught; `epsilon`: what
    it exceeds, with a chance of 1/1000 of being wrong."""
    found = [attack_learner(learner, root=root, budget=budget) for learner in map(find, named) if learner.private]
    return pd.DataFrame(found)
