"""Private entries of any type, each converted alone, so that no record affects another one.

An entry is a number, or what Python's `float` makes one of: text, decimals, objects that say so. All else is NaN, a
list among it however long it is; none is refused, and no warning tells of one.
"""

import warnings
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import numpy as np

from lemmata.mechanisms.numerics.arithmetic import REALS, as_real

PLAIN = {bool, int, float, np.bool_, np.int32, np.int64, np.float32, np.float64}  # that numpy reads as `number` does


def is_list(value: Any) -> bool:
    """Return whether a sequence declares no type, as a list, a tuple or a deque: it is read entry by entry.

    >>> is_list([1]), is_list(range(3)), is_list(np.arange(3)), is_list("abc")
    (True, True, False, False)
    """
    return isinstance(value, Sequence) and not (isinstance(value, str | bytes) or hasattr(value, "__array__"))


def entries_to_floats(values: list) -> np.ndarray:
    """Return a list of entries as floats, (n,).

    >>> entries_to_floats([1, "2", None, [3], range(3, 4), 1j, np.array(4)]).tolist()
    [1.0, 2.0, nan, nan, nan, nan, 4.0]
    """
    if set(map(type, values)) <= PLAIN:
        try:
            return np.array(values, dtype=float)
        except OverflowError:  # a whole number that no float holds
            pass
    with warnings.catch_warnings(action="ignore"):
        return np.array([number(one) for one in values], dtype=float)


def number(one: Any) -> float:
    """Return one entry as a float; NaN for values that are not real numbers."""
    try:
        if isinstance(one, np.ndarray) and one.ndim == 0:
            one = one[()]
        if isinstance(one, complex | np.complexfloating):
            return nan
        if hasattr(one, "__len__") and not isinstance(one, str | bytes) and getattr(one, "ndim", None) != 0:
            return nan
        plain = isinstance(one, bool) or not isinstance(one, REALS)
        return float(one) if plain else as_real("entry", one)
    except Exception:  # whatever an object raises would tell of its record
        return nan


def row_entries(one: Any) -> list | None:
    """Return the entries of a row; None if it has none."""
    try:
        return None if isinstance(one, str | bytes | Mapping) else list(one)
    except Exception:  # a number
        return None


def unwrap_single(one: Any) -> Any:
    """Return the entry of a list, tuple or array of length 1; other values unchanged.

    >>> unwrap_single([3]), unwrap_single((3.0,)), unwrap_single([1, 2]), unwrap_single("a")
    (3, 3.0, [1, 2], 'a')
    """
    listed = isinstance(one, list | tuple) or (isinstance(one, np.ndarray) and one.ndim == 1)
    return one[0] if listed and len(one) == 1 else one
