"""Checks of arguments, and private records read one by one: what every law does with what it is given.

Messages say name, value and range of a public argument, and name no entry of the data. What a record holds is never
refused, since a refusal would tell of it: NaN and what is no number count as 0, infinities as the largest floats, and
a label that is not +1 as -1. A list declares no type and is read entry by entry; an array of objects or texts declares
one that is refused. A sparse table of numbers counts as its dense copy does, and stays sparse with `keep_sparse`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.numerics.arithmetic import as_real, as_real_array, check_in_range, short_repr
from lemmata.mechanisms.numerics.entropy import SystemGenerator
from lemmata.mechanisms.numerics.per_record import entries_to_floats, is_list, row_entries, unwrap_single
from lemmata.mechanisms.numerics.sparse_rows import (
    Rows,
    canonical_rows,
    dense_rows,
    entries_of,
    is_sparse,
    largest_entries,
    per_entry,
    sum_of_squares,
    with_entries,
)

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
    if declared is None and is_list(value):
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


def read_records(X: Any, name: str = "X", *, keep_sparse: bool = False) -> Rows:
    """Return private records as a finite float matrix (n, d), n, d >= 1: NaN counts as 0, inf as the largest float.

    Raises ValueError for another shape or type (`as_float_array`), which are public.

    >>> read_records([[1.0, float("nan")], [2.0, "secret"]]).tolist()
    [[1.0, 0.0], [2.0, 0.0]]
    """
    array = read_matrix(X, name, keep_sparse)
    entries = entries_of(array)
    return array if np.isfinite(entries).all() else with_entries(array, np.nan_to_num(entries))


def read_matrix(X: Any, name: str = "X", keep_sparse: bool = False) -> Rows:
    """Return private records as floats, shape (n, d), whatever their entries are: NaN and infinities stay."""
    array = read_sparse(X, name, keep_sparse) if is_sparse(X) else as_float_array(name, X)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 1:
        raise ValueError(f"{name} must have shape (n, d) with n, d >= 1, got {array.shape}")
    return array


def read_sparse(X: Any, name: str = "X", keep_sparse: bool = True) -> Rows:
    """Return a sparse table of real numbers as rows of floats, whatever they are. ValueError for another type."""
    if X.dtype.kind not in "biuf" or X.ndim != 2:
        raise ValueError(f"{name} must be a table of real numbers, got a sparse {X.dtype} array of shape {X.shape}")
    return canonical_rows(X) if keep_sparse else dense_rows(canonical_rows(X))


def clip_entries(X: ArrayLike, reach: float = MAGNITUDES[1], *, keep_sparse: bool = False) -> Rows:
    """Return private records with entries clipped to +-`reach`, for maps that multiply before clipping.

    >>> clip_entries([[1e308, -2.0]]).tolist()
    [[1e+100, -2.0]]
    """
    (reach,) = check_positive(reach=reach)
    X = read_matrix(X, "X", keep_sparse)
    entries = entries_of(X)
    if max(entries.max(initial=0.0), -entries.min(initial=0.0)) <= reach:  # never where an entry is NaN
        return X
    entries = np.nan_to_num(entries)
    return with_entries(X, np.clip(entries, -reach, reach, out=entries))


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


def check_rows(X: ArrayLike, name: str = "X", *, keep_sparse: bool = False) -> Rows:
    """Return X as a float matrix (n, d) with n, d >= 1 and finite entries. The message names no entry."""
    array = read_sparse(X, name, keep_sparse) if is_sparse(X) else as_real_array(name, X)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 1:
        raise ValueError(f"{name} must have shape (n, d) with n, d >= 1, got {array.shape}")
    check_finite(name, entries_of(array))
    return array


@quiet
def clip_rows(X: ArrayLike, radius: float, *, keep_sparse: bool = False) -> Rows:
    """Scale rows that are longer than `radius` down to it. Privacy depends on this, so it is always enforced.

    Private records, read by `read_records`: nothing that they hold is refused.

    >>> clip_rows([[3.0, 4.0], [0.0, 0.5], [3e200, 4e200]], 1.0).round(6).tolist()
    [[0.6, 0.8], [0.0, 0.5], [0.6, 0.8]]
    """
    (radius,) = check_positive(radius=radius)
    X = read_records(X, keep_sparse=keep_sparse)
    return _clip(X, radius) if is_sparse(X) else map_row_blocks(lambda band: _clip(band, radius), X)


def _clip(X: Rows, radius: float) -> Rows:
    entries, norms = entries_of(X), np.sqrt(sum_of_squares(X))
    usual = entries * per_entry(X, radius / np.maximum(norms, radius))
    out = (norms > 1e150) | (norms < 1e-150)  # the squares have left the range of floats
    if not out.any():
        return with_entries(X, usual)
    largest = largest_entries(X)
    unit = entries / per_entry(X, np.where(largest > 0, largest, 1.0))
    lengths = np.sqrt(sum_of_squares(with_entries(X, unit)))  # the norm is largest * lengths
    longer = out & (largest > radius / np.maximum(lengths, 1.0))
    usual = np.where(per_entry(X, out), entries, usual)
    return with_entries(
        X, np.where(per_entry(X, longer), unit * per_entry(X, radius / np.maximum(lengths, 1.0)), usual)
    )


def map_row_blocks(function: Callable[[np.ndarray], np.ndarray], X: Rows) -> np.ndarray:
    """Return `function(X)` for a function of single rows, in blocks of `BLOCK_ENTRIES` that stay in a cache.

    Blocks of a sparse table are made dense one after the other.

    >>> map_row_blocks(lambda band: 2 * band, np.ones((3, 2))).tolist()
    [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]
    """
    n, d = X.shape
    height = max(1, BLOCK_ENTRIES // d)
    made: np.ndarray | None = None
    for start in range(0, n, height):
        part = function(dense_rows(X[start : start + height]))
        if height >= n:
            return part
        if made is None:
            made = np.empty((n, *part.shape[1:]), dtype=part.dtype)
        made[start : start + height] = part
    return np.asarray(made)


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
