"""What a fit will take, measured on small tables of normal entries before any record is read."""

from __future__ import annotations

import threading
import time
import tracemalloc
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from lemmata.mechanisms.numerics.arguments import check_integer
from lemmata.mechanisms.numerics.arithmetic import short_repr
from lemmata.mechanisms.privacy.disclosure import silence_leaks
from lemmata.mechanisms.tables.inputs import as_label_array

SMALLEST, ENTRIES = 64, 2**21  # records of the first table, entries of the largest
ENOUGH = 1.5  # seconds of a fit after which no larger table is tried
ONE_BY_ONE = threading.Lock()  # memory is traced, and time taken, for all threads together
NAMING = ("bounds", "categories")  # parameters that may name columns, which these tables do not have


@dataclass(frozen=True)
class FitCost:
    """What a fit takes, roughly.

    seconds  of one core
    bytes    beyond the table itself, at any one time
    """

    seconds: float
    bytes: int

    def __str__(self) -> str:
        return f"about {self.seconds:.2g} core-seconds, and {format_bytes(self.bytes)} beside the table"


def format_bytes(count: int) -> str:
    """The number with a unit.

    >>> format_bytes(2_500_000), format_bytes(330 * 2**20)
    ('2.4 MiB', '330 MiB')
    """
    unit, size = ("GiB", 2**30) if count >= 2**30 else ("MiB", 2**20)
    return f"{count / size:.{0 if count >= 10 * size else 1}f} {unit}"


def measure_fit(estimator: Any, shape: tuple[int, int]) -> FitCost:
    """The cost of a fit on a dense table of shape (n, d).

    Tables of d columns and of 64, 128, ... records are fitted, until that takes long. Time and memory at n are those of
    the last two on a straight line: noise takes as long at every n, and rows take longer the more there are. Raises
    ValueError for what is no shape, and for what a fit refuses.
    """
    n, d = _check_shape(shape)
    sizes, seconds = [min(n, SMALLEST)], list[float]()
    with silence_leaks(), ONE_BY_ONE:
        _time_fit(estimator, sizes[0], d, 0)  # imports and caches
        while True:
            # Twice, as far as that is soon done: how long some learners take is random.
            first = _time_fit(estimator, sizes[-1], d, 1)
            seconds.append(first if first > ENOUGH / 4 else (first + _time_fit(estimator, sizes[-1], d, 2)) / 2)
            more = min(n, 2 * sizes[-1])
            if more == sizes[-1] or (sizes[1:] and (seconds[-1] > ENOUGH or more * d > ENTRIES)):
                break
            sizes.append(more)
    return FitCost(_extend(sizes, seconds, n), measure_memory(estimator, shape, sizes[-2:]))


def measure_memory(estimator: Any, shape: tuple[int, int], sizes: Sequence[int] = (512, 1024)) -> int:
    """The bytes of a fit, by those of fits to tables of these sizes, or of n records where that is less."""
    n, d = _check_shape(shape)
    tried = sorted({min(n, size) for size in sizes})
    with silence_leaks(), ONE_BY_ONE:
        return max(round(_extend(tried, [_trace_fit(estimator, size, d) for size in tried], n)), 0)


def _check_shape(shape: tuple[int, int]) -> list[int]:
    try:
        n, d = shape
    except (TypeError, ValueError):
        raise ValueError(f"shape must be (n, d), two integers, got {short_repr(shape)}") from None
    return check_integer(n=n, d=d)


def _extend(sizes: list[int], taken: list[float], n: int) -> float:
    """The value at n of the line through the last two points, which rises at most as the one through 0 and the last."""
    slope = (taken[-1] - taken[-2]) / (sizes[-1] - sizes[-2]) if sizes[1:] else inf
    return taken[-1] + (n > sizes[-1] and min(max(slope, 0.0), taken[-1] / sizes[-1]) * (n - sizes[-1]))


def _time_fit(estimator: Any, n: int, d: int, seed: int) -> float:
    """Core-seconds of a fit."""
    one, X, y = _prepare(estimator, n, d, seed)
    begun = time.process_time()
    one.fit(X, y)
    return time.process_time() - begun


def _trace_fit(estimator: Any, n: int, d: int) -> float:
    """The bytes that a fit has at any one time."""
    one, X, y = _prepare(estimator, n, d, 1)
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    try:
        one.fit(X, y)
        return float(tracemalloc.get_traced_memory()[1] - before)
    finally:
        if not was_tracing:
            tracemalloc.stop()


def _prepare(estimator: Any, n: int, d: int, seed: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """A copy with the same budget that needs no names of columns, with a table and targets that the first one decides.

    The learners of margins take longer where there is one.
    """
    one = copy(estimator)
    parameters = one.get_params(deep=False)
    one.set_params(random_state=seed, **{name: None for name in NAMING if name in parameters})
    X = np.random.default_rng(seed).normal(size=(n, d))
    if "classes" not in parameters:
        return one, X, X[:, 0]
    if one.classes is None:
        one.classes = (0, 1)
    labels = as_label_array(one.classes)
    return one, X, labels[np.argsort(np.argsort(X[:, 0])) * len(labels) // n]
