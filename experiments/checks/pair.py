"""Two laws on neighbouring datasets, compared exactly over all their outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from experiments.checks.inequality import cases_claim, compare
from experiments.engine.verdict import Verdict


def pair_claim(statement: Callable, *, epsilon: Callable, **fields: Any) -> Callable:
    """A pure privacy claim, whose check yields (setting, law, law) on neighbouring datasets.

    Each law has `log_probabilities()` over one common list of outputs; their largest log-ratio is compared with the
    claimed `epsilon(**setting)`. The control divides the claim. Other fields as for `inequality_claim`.
    """
    options = {"epsilon": epsilon}
    return cases_claim(statement, compare_laws, "the claimed epsilon divided by {}", options=options, **fields)


def compare_laws(cases: Iterable, *, epsilon: Callable, **options: Any) -> Verdict:
    """The verdict on "the largest log-ratio is at most epsilon" over all pairs."""

    def ratios() -> Iterator:
        for setting, a, b in cases:
            yield setting, largest_log_ratio(a, b), epsilon(**setting)

    return compare(ratios(), **options)


def largest_log_ratio(a: Any, b: Any) -> float:
    """max |log p - log q| over all outputs; infinite where only one law can produce an output."""
    p, q = np.asarray(a.log_probabilities()), np.asarray(b.log_probabilities())
    possible = (p > -np.inf) | (q > -np.inf)
    return float(np.max(np.abs(p[possible] - q[possible])))
