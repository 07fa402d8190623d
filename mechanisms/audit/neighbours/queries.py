"""Queries as datasets: a number or a vector, with neighbours one step apart in a metric."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.neighbours.changes import Neighbours


def stepped(value: Any, step: float, metric: str) -> Iterator[Neighbours]:
    """Pairs of queries: neighbours are numbers, or vectors, at distance `step` in the named metric.

    Each step is taken from the query as given, from zeros, and across a tie: where some numbers rise and others fall,
    from those that fall a step above those that rise. Who tells the largest apart shows most there.
    """
    value = np.asarray(value)
    for how, move in moves(value, metric):
        places = [("the query as given", value), ("a query of zeros", np.zeros_like(value))]
        places += [("a query across a tie", np.where(move < 0, step, 0.0).astype(value.dtype))] * bool((move < 0).any())
        for words, base in places:
            for way, sign in (("up", step), ("down", -step)):
                other = base + (sign * move).astype(base.dtype if float(step).is_integer() else float)
                if other.dtype.kind in "iu" and np.any((other > base) != (sign * move > 0)):
                    continue  # beyond the largest integer: no step at all
                yield Neighbours((base.astype(other.dtype),), (other,), f"{words}; moved {way} {how}", rows=False)


def moves(value: np.ndarray, metric: str) -> list[tuple[str, np.ndarray]]:
    """The moves of each number in a step of length 1; in one direction if the metric is monotonic."""
    if not value.shape:
        return [("by one step", np.full(value.shape, 1.0))]
    first = np.zeros(value.shape)
    first[0] = 1.0
    found = [("in its first number", first), ("in its last number", first[::-1])]
    if "L2" in metric and value.dtype.kind == "f":
        found.append(("in all of its numbers", np.full(value.shape, len(value) ** -0.5)))
    if "LInf" in metric:
        found.append(("in all of its numbers", np.ones(value.shape)))
    if "LInf" in metric and "monotonic" not in metric:
        found += [
            ("up in its first number, down in the others", 2 * first - 1),
            ("up in its last number, down in the others", 2 * first[::-1] - 1),
            ("in one number, against it in the next", np.where(np.arange(len(value)) % 2, -1.0, 1.0)),
        ]
    return found
