"""Checks of arguments, and private records read one by one: what every law does with what it is given.

Messages say name, value and range of a public argument, and name no entry of the data. What a record holds is never
refused, since a refusal would tell of it: NaN and what is no number count as 0, infinities as the largest floats, and
a label that is not +1 as -1. A list declares no type and is read entry by entry; an array of objects or texts declares
one that is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.numerics.arithmetic import as_real, as_real_array, check_in_range, short_repr
from lemmata.mechanisms.numerics.entropy import SystemGenerator
from lemmata.mechanisms.numerics.per_record import entries_to_floats, row_entries, unwrap_single

MAGNITUDES = (1e-100, 1e100)  # of radii, margins, norms: squares and quotients of them are floats
BLOCK_ENTRIES = 2**16  # entries of rows that are read one by one, worked on at any one time

# Randomness -----------------------------------------------------------------------------------------------------------


def resolve_generator(rng: np.random.Generator | None) -> np.random.Generator:
    """Return `rng`, or one whose every bit is the operating system's (`entropy`). ValueError for anything else."""
    if rng is None:
        return SystemGenerator()
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator or None, got {type(rng).__name__}")
    return rng


def spawn_two_streams(rng: np.random.Generator | None) -> tuple[np.random.Generator, np.random.Generator]:
    """Return independent generators for what is published (a projection) and for the noise, which must stay unknown.

    A projection is published whole, its signs or its seed, and with them the state of the generator that drew it. So
    the noise comes from another one.
    """
    public, private = resolve_generator(rng).spawn(2)
    return public, private


# Parameters: messages say name, value and range -----------------------------------------------------------------------


def check_positive(**values: Any) -> list[float]:
    """Return the values as floats. Raises ValueError unless every one is a finite number above 0."""
    return [check_in_range(name, value, 0, np.inf) for name, value in values.items()]


def check_magnitude(**values: Any) -> list[float]:
    """Return the values as floats.

    ValueError unless each lies in [1e-100, 1e100], where float64 can square and divide it.
    """
    return [check_in_range(name, value, *MAGNITUDES, closed=True) for name, value in values.items()]


def check_within_unit(**values: Any) -> list[float]:
    """Return the values as floats. Raises ValueError unless every one lies strictly between 0 and 1."""
    return [check_in_range(name, value, 0, 1) for name, value in values.items()]


def check_integer(most: float = np.inf, /, **values: Any) -> list[int]:
    """Return the values as ints. Raises ValueError unless every one is an integer of at least 1 and at most `most`."""
    for name, value in values.items():
        number = as_real(name, value)
        if not (1 <= number < np.inf and number == np.floor(number)):
            raise ValueError(f"{name} must be an integer >= 1, got {short_repr(value)}")
        if int(value) > most:
            raise ValueError(f"{name} must be in [1, {most}], got {int(value)}")
    return [int(value) for value in values.values()]


def check_exactly_one(**values: Any) -> None:
    """Raise ValueError unless exactly one of the values is given, that is, not None."""
    if sum(value is not None for value in values.values()) != 1:
        given = " and ".join(map(short_repr, values.values()))
        raise ValueError(f"exactly one of {' and '.join(values)} is required, got {given}")


def check_choice(allowed: tuple[str, ...], **values: Any) -> None:
    """Raise ValueError unless every value is one of the allowed words.

    >>> check_choice(("printed", "exact"), calibration="tight")
    Traceback (most recent call last):
    ValueError: calibration must be one of printed, exact, got 'tight'
    """
    if not isinstance(allowed, tuple) or not all(isinstance(word, str) for word in allowed):
        raise ValueError(f"allowed must be a tuple of strings, got {short_repr(allowed)}")
    for name, value in values.items():
        if not (isinstance(value, str) and value in allowed):
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {short_repr(value)}")


def check_callable(**values: Any) -> None:
    """Raise ValueError unless every value can be called."""
    for name, value in values.items():
        if not callable(value):
            raise ValueError(f"{name} must be a function, got {type(value).__name__}")


# Data: messages name no entry -----------------------------------------------------------------------------------------

quiet = np.errstate(all="ignore")  # decorates what reads records: `np.seterr` would tell of one that underflows


def as_float_array(name: str, value: Any, axes: int = 2) -> np.ndarray:
    """Return private numbers as an array of floats, NaN for non-numbers. No entry is ever rejected.

    A list, of rows or with `axes` 1 of entries, is read entry by entry. Raises ValueError for what is public: no array
    at all, a masked one, a declared type that is not real.

    >>> as_float_array("X", [[1, "secret"], [10**400, [2]]]).tolist(), as_float_array("y", [[1], 0, [1, 2]], 1).tolist()
    ([[1.0, nan], [inf, nan]], [1.0, 0.0, nan])
    """
    declared = getattr(value, "dtypes", getattr(value, "dtype", None))
    if declared is None and isinstance(value, list | tuple):
        listed = [None] * len(value) if axes == 1 else [row_entries(one) for one in value]
        lengths = {None if each is None else len(each) for each in listed}
        if lengths <= {None}:
            return entries_to_floats([unwrap_single(one) for one in value])
        if len(lengths) > 1:
            raise ValueError(f"{name} must have rows of equal length, got a {type(value).__name__} of unequal rows")
        return entries_to_floats([one for each in listed for one in each or ()]).reshape(len(listed), *lengths)
    kinds = {getattr(one, "kind", "O") for one in (declared if np.iterable(declared) else [declared])}
    if hasattr(value, "iloc") and kinds <= set("biuf"):  # a frame, whose missing entries are no type of their own
        return np.asarray(value.to_numpy(dtype=float, na_value=np.nan))
    return as_real_array(name, value)


def read_records(X: Any, name: str = "X") -> np.ndarray:
    """Return private records as a finite float matrix (n, d), n, d >= 1: NaN counts as 0, inf as the largest float.

    Raises ValueError for another shape or type (`as_float_array`), which are public.

    >>> read_records([[1.0, float("nan")], [2.0, "secret"]]).tolist()
    [[1.0, 0.0], [2.0, 0.0]]
    """
    array = _matrix(X, name)
    return array if np.isfinite(array).all() else np.nan_to_num(array)


def _matrix(X: Any, name: str) -> np.ndarray:
    """Private records as floats, shape (n, d), whatever their entries are."""
    array = as_float_array(name, X)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 1:
        raise ValueError(f"{name} must have shape (n, d) with n, d >= 1, got {array.shape}")
    return array


def clip_entries(X: ArrayLike, reach: float = MAGNITUDES[1]) -> np.ndarray:
    """Return private records with entries clipped to +-`reach`, for maps that multiply before clipping.

    >>> clip_entries([[1e308, -2.0]]).tolist()
    [[1e+100, -2.0]]
    """
    (reach,) = check_positive(reach=reach)
    X = _matrix(X, "X")
    if max(X.max(), -X.min()) <= reach:  # never where an entry is NaN
        return X
    return np.clip(np.nan_to_num(X), -reach, reach)


def read_labels(y: Any, n: int | None = None) -> np.ndarray:
    """Return private labels as floats, shape (n,): +1 for those that are 1, -1 for all others, whatever they are.

    Raises ValueError for another shape or type (`as_float_array`), which are public.

    >>> read_labels([1, -1, 0, float("nan"), "secret"]).tolist()
    [1.0, -1.0, -1.0, -1.0, -1.0]
    """
    array = as_float_array("y", y, axes=1)
    if n is not None:
        (n,) = check_integer(n=n)
    if array.ndim != 1 or (n is not None and array.size != n):
        raise ValueError(f"y must have shape ({'n' if n is None else n},), got {array.shape}")
    return np.where(array == 1, 1.0, -1.0)


def check_finite(name: str, values: ArrayLike) -> np.ndarray:
    """Return `values` as an array of floats. Raises ValueError unless they are finite real numbers."""
    array = as_real_array(name, values)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must have finite entries only")
    return array


def check_vector(name: str, values: ArrayLike, length: str = "F") -> np.ndarray:
    """Return `values`, a vector or one number, as a vector of floats. `length` names its length in the message."""
    array = np.atleast_1d(check_finite(name, values))
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must have shape ({length},) with {length} >= 1, got {array.shape}")
    return array


def check_rows(X: ArrayLike, name: str = "X") -> np.ndarray:
    """Return X as a float matrix (n, d) with n, d >= 1 and finite entries. The message names no entry."""
    array = as_real_array(name, X)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 1:
        raise ValueError(f"{name} must have shape (n, d) with n, d >= 1, got {array.shape}")
    return check_finite(name, array)


@quiet
def clip_rows(X: ArrayLike, radius: float) -> np.ndarray:
    """Scale rows that are longer than `radius` down to it. Privacy depends on this, so it is always enforced.

    Private records, read by `read_records`: nothing that they hold is refused.

    >>> clip_rows([[3.0, 4.0], [0.0, 0.5], [3e200, 4e200]], 1.0).round(6).tolist()
    [[0.6, 0.8], [0.0, 0.5], [0.6, 0.8]]
    """
    (radius,) = check_positive(radius=radius)
    X = read_records(X)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    out = (norms > 1e150) | (norms < 1e-150)  # the squares have left the range of floats
    if not out.any():
        return X * (radius / np.maximum(norms, radius))
    largest = np.abs(X).max(axis=1, keepdims=True)
    unit = X / np.where(largest > 0, largest, 1.0)
    lengths = np.linalg.norm(unit, axis=1, keepdims=True)  # the norm is largest * lengths
    longer = out & (largest > radius / np.maximum(lengths, 1.0))
    usual = np.where(out, X, X * (radius / np.maximum(norms, radius)))
    return np.where(longer, unit * (radius / np.maximum(lengths, 1.0)), usual)


def map_row_blocks(function: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> np.ndarray:
    """Return `function(X)` for a function of single rows, in blocks of `BLOCK_ENTRIES` that stay in a cache.

    >>> map_row_blocks(lambda band: 2 * band, np.ones((3, 2))).tolist()
    [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]
    """
    height = max(1, BLOCK_ENTRIES // X.shape[1])
    first = function(X[:height])
    if len(X) <= height:
        return first
    made = np.empty((len(X), *first.shape[1:]), dtype=first.dtype)
    made[:height] = first
    for start in range(height, len(X), height):
        made[start : start + height] = function(X[start : start + height])
    return made


def check_moderate(name: str, values: ArrayLike) -> np.ndarray:
    """Return `values` as `check_finite` does, with absolute value at most 1e100, for solvers, which square them.

    Solvers promise no privacy.
    """
    array = check_finite(name, values)
    if np.abs(array).max(initial=0.0) > MAGNITUDES[1]:
        raise ValueError(f"{name} must have entries of absolute value at most {MAGNITUDES[1]:g}")
    return array


def check_signs(y: ArrayLike, n: int | None = None) -> np.ndarray:
    """Return labels as floats -1 or +1, shape (n,). The message names no label."""
    array = as_real_array("y", y)
    if n is not None:
        (n,) = check_integer(n=n)
    if array.ndim != 1 or (n is not None and array.size != n):
        raise ValueError(f"y must have shape ({'n' if n is None else n},), got {array.shape}")
    if not np.isin(array, (-1.0, 1.0)).all():
        raise ValueError("y must have entries in {-1, +1} only")
    return array
