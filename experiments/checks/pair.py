"""Two laws on neighbouring datasets: mutated alike for a control, and compared exactly over all their outputs."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np


def weaker(pair: Iterable, factor: float, name: str = "sigma") -> tuple:
    """The laws with `name`, a scale of their noise or a parameter that determines it, `factor` times too small."""
    return tuple(replace(law, **{name: getattr(law, name) / factor}) for law in pair)


def largest_log_ratio(a: Any, b: Any) -> float:
    """max |log p - log q| over all outputs; infinite where only one law can produce an output."""
    p, q = np.asarray(a.log_probabilities()), np.asarray(b.log_probabilities())
    if np.isnan(p).any() or np.isnan(q).any():
        raise ValueError("log-probabilities that are not numbers")
    possible = (p > -np.inf) | (q > -np.inf)
    return float(np.max(np.abs(p[possible] - q[possible])))
