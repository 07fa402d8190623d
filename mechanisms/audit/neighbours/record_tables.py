"""Read and change arrays and frames with one row per record."""

import warnings
from typing import Any

import numpy as np

EXACT = 2**53
MISSING = "<NA>"


def row(part: Any, place: int) -> Any:
    """One record of a part; a column's own value, NaN for pandas' missing values."""
    if hasattr(part, "iloc") and np.ndim(part) == 2:
        return np.array([*(part.iloc[place, column] for column in range(part.shape[1])), None], dtype=object)[:-1]
    found = part.iloc[place] if hasattr(part, "iloc") else part[place]
    if np.ndim(found) or isinstance(found, np.datetime64 | np.timedelta64):
        return np.asarray(found) if np.ndim(found) else found
    if type(found).__name__ == "NAType":
        return np.nan
    return found.item() if isinstance(found, np.generic) else found


def take(part: Any, places: list[int]) -> Any:
    """Some records of a part."""
    return part.iloc[places] if hasattr(part, "iloc") else part[places]


def put(part: Any, place: int, value: Any) -> Any:
    """The part with one record replaced; its type becomes one that can hold the new record."""
    if hasattr(part, "iloc") and np.ndim(part) == 2:
        changed = part.copy()
        for column, entry in enumerate(value):
            changed.isetitem(column, put(part.iloc[:, column], place, entry))
        return changed
    value = value.item() if isinstance(value, np.ndarray) and not value.ndim else value
    changed = part.astype(_holding(part, value))
    if hasattr(part, "iloc"):
        truth = changed.dtype.kind == "b" and value == value
        changed.iloc[place] = bool(value) if truth else value  # pandas takes no 1.0 for True
    else:
        changed[place] = value
    return changed


def append(part: Any, value: Any) -> Any:
    """The part with one more record."""
    n = len(part)
    return put(take(part, [*range(n), n - 1]), n, value)


def all_alike(part: Any, value: Any) -> Any:
    """The part with all records equal."""
    return take(put(part, 0, value), [0] * len(part))


def like(part: Any, model: Any) -> Any:
    """The part with the types of another part."""
    if hasattr(part, "iloc") and np.ndim(part) == 2:
        changed = part.copy()
        for column in range(part.shape[1]):
            changed.isetitem(column, like(part.iloc[:, column], model.iloc[:, column]))
        return changed
    return part.astype(model.dtype) if part.dtype != model.dtype else part


def _holding(part: Any, value: Any) -> Any:
    """A type for the part that can hold the value too: whole numbers stay whole, dates and pandas' types as is."""
    values = np.asarray(value)
    if not isinstance(part.dtype, np.dtype) or part.dtype.kind in "mM":
        return part.dtype if _holds(part, value) else object
    if "O" in (part.dtype.kind, values.dtype.kind):
        return object
    if part.dtype.kind == "b" and np.isin(values, (0, 1)).all() and not np.signbit(np.asarray(values, float)).any():
        return bool
    if part.dtype.kind in "iub" and values.dtype.kind in "fiub":
        whole = np.array_equal(values, np.round(values)) and bool((np.abs(values) < EXACT).all())
        return np.int64 if whole and not np.signbit(values[values == 0]).any() else float
    return np.result_type(part.dtype, values.dtype)


def _holds(part: Any, value: Any) -> bool:
    """Can a column of one of pandas' types, or of dates, hold a value as it is? A category that is none becomes NaN."""
    if not hasattr(part, "iloc"):
        return value is None or getattr(value, "dtype", np.dtype(float)).kind == part.dtype.kind
    column = type(part)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a cast that is none
            held = column([value], dtype=part.dtype)
    except (TypeError, ValueError, OverflowError, Warning):
        return False
    if held.isna().iloc[0] or column([value], dtype=object).isna().iloc[0]:
        return bool(held.isna().iloc[0] and column([value], dtype=object).isna().iloc[0])
    return bool(held.iloc[0] == value)


def dataset_key(data: tuple) -> bytes:
    """A key that is equal for equal datasets."""
    told = []
    for part in data:
        array = np.asarray(part)
        kinds = part.dtypes if hasattr(part, "iloc") else array.dtype.str
        told.append(repr((array.shape, array.dtype.str, np.ravel(kinds).tolist())).encode())
        told.append(array.tobytes() if array.dtype.kind != "O" else repr(array.tolist()).encode())
    return b";".join(told)


def stored(data: tuple) -> list[tuple[str, np.ndarray]]:
    """The parts of a dataset as arrays that numpy saves without pickle, by name; frames by column.

    What is neither a number nor a date of numpy's is stored as a text, and what is missing as MISSING.
    """
    found = []
    for at, part in enumerate(data):
        if hasattr(part, "iloc") and np.ndim(part) == 2:
            found += [(f"{at}_{column}", plain(part.iloc[:, column])) for column in range(part.shape[1])]
        else:
            found.append((f"{at}", plain(part)))
    return found


def plain(part: Any) -> np.ndarray:
    """A part as an array of numbers, dates or strings; categories as their codes."""
    if hasattr(part, "iloc") and hasattr(part.dtype, "categories"):
        return np.asarray(part.cat.codes)
    own = isinstance(part.dtype, np.dtype)
    if not own and part.dtype.kind in "biuf":
        return np.asarray(part.to_numpy(dtype=float, na_value=np.nan))
    array = np.asarray(part)
    if own and array.dtype.kind != "O":
        return array
    lost = np.asarray(part.isna()) if hasattr(part, "iloc") else np.zeros(len(array), dtype=bool)
    texts = np.array([str(value) for value in array.ravel()], dtype=str).reshape(array.shape)
    return np.where(lost, MISSING, texts)
