"""The kinds of change that a pair of neighbours is, to say what a search has tried and what it has not."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.neighbours.changes import Neighbours
from lemmata.mechanisms.audit.neighbours.record_parts import figures

LAST, PLACE, APPEARS = "the last record", "records at other places", "values that no other record has"
NO_NUMBER, SIZE = "NaN or an infinity", "other numbers of records"
SEVERAL, ORDER, BITS = "several records at once", "an order of records", "the bits of floats"
ALL = LAST, PLACE, APPEARS, NO_NUMBER, SIZE, SEVERAL, ORDER, BITS


def is_same(one: tuple, other: tuple) -> bool:
    """Whether two datasets hold the same values."""
    together = zip(one, other, strict=False)
    return len(one) == len(other) and all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in together)


def has_zeros(data: tuple) -> bool:
    """Whether the records of a dataset, but for their targets, hold nothing but zeros."""
    records = np.asarray(data[0])
    return records.dtype.kind in "biuf" and not records.any()


def appears(pair: Neighbours) -> bool:
    """Whether some column has a value on one side only, as a key that no other record has."""
    return any(set(a) != set(b) for a, b in zip(_columns(pair.data), _columns(pair.neighbour), strict=True))


def _columns(data: tuple) -> Iterator[list]:
    for part in data:
        table = np.atleast_1d(np.asarray(part))
        yield from ([repr(value) for value in column] for column in table.reshape(len(table), -1).T.tolist())


def kinds(pair: Neighbours, given: tuple) -> Iterator[str]:
    """The kinds of change of a pair in a search that begins with the dataset `given`."""
    if not pair.rows:
        return
    if not np.ndim(pair.data[0]):  # one value is one record
        yield from (LAST, APPEARS)
        return
    sides = [list(zip(*_columns(side), strict=True)) for side in (pair.data, pair.neighbour)]
    n, m = len(pair.data[0]), len(pair.neighbour[0])
    yield LAST if pair.place is None else PLACE
    if n == m and sides[0] != sides[1] and sorted(sides[0]) == sorted(sides[1]):
        yield ORDER
    if abs(n - m) > 1 or (n == m and sum(a != b for a, b in zip(*sides, strict=True)) > 1):
        yield SEVERAL
    if appears(pair):
        yield APPEARS
    if given and n != len(given[0]):
        yield SIZE
    if all(map(_is_finite, pair.data)) and not all(map(_is_finite, pair.neighbour)):
        yield NO_NUMBER


def _is_finite(part: Any) -> bool:
    numbers = figures(part)
    return bool(numbers.dtype.kind != "f" or np.isfinite(numbers).all())


def summary(tried: Iterable[str]) -> str:
    """One line: the kinds of change that were tried, and those that were not."""
    found = set(tried)
    lists = [", ".join(kind for kind in ALL if (kind in found) == there) or "none" for there in (True, False)]
    return f"changes tried: {lists[0]}; not tried: {lists[1]}"
