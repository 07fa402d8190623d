"""Arrays and frames with a record a row, read and changed alike."""

from __future__ import annotations

from typing import Any

import numpy as np

EXACT = 2**53


def row(part: Any, place: int) -> Any:
    """One record of a part."""
    found = np.asarray(part.iloc[place] if hasattr(part, "iloc") else part[place])
    return found if found.ndim else found.item()


def take(part: Any, places: list[int]) -> Any:
    """Some records of a part."""
    return part.iloc[places] if hasattr(part, "iloc") else part[places]


def put(part: Any, place: int, value: Any) -> Any:
    """The part with one record replaced; its type becomes one that can hold the new one."""
    if hasattr(part, "iloc"):
        changed = part.astype(_holding(part, value)) if np.ndim(part) == 1 else part.astype(_dtypes(part, value))
        changed.iloc[place] = value
        return changed
    changed = part.astype(_holding(part, value))
    changed[place] = value
    return changed


def append(part: Any, value: Any) -> Any:
    """The part with one record more."""
    n = len(part)
    return put(take(part, [*range(n), n - 1]), n, value)


def all_alike(part: Any, value: Any) -> Any:
    """The part with every record the same."""
    return take(put(part, 0, value), [0] * len(part))


def _holding(part: Any, value: Any) -> Any:
    """A type for the part that can hold the value too: whole numbers stay whole."""
    values = np.asarray(value)
    if not isinstance(part.dtype, np.dtype) or "O" in (part.dtype.kind, values.dtype.kind):
        return object
    if part.dtype.kind == "b" and np.isin(values, (0, 1)).all() and not np.signbit(np.asarray(values, float)).any():
        return bool
    if part.dtype.kind in "iub" and values.dtype.kind in "fiub":
        whole = np.array_equal(values, np.round(values)) and bool((np.abs(values) < EXACT).all())
        return np.int64 if whole and not np.signbit(values[values == 0]).any() else float
    return np.result_type(part.dtype, values.dtype)


def _dtypes(frame: Any, value: Any) -> dict:
    return {
        name: (float if np.asarray(entry).dtype.kind in "fiub" and kind.kind in "iufb" else object)
        for (name, kind), entry in zip(frame.dtypes.items(), value, strict=True)
    }


def dataset_key(data: tuple) -> bytes:
    """Equal for equal datasets."""
    told = []
    for part in data:
        array = np.asarray(part)
        told.append(repr((array.shape, array.dtype.str)).encode())
        told.append(array.tobytes() if array.dtype.kind != "O" else repr(array.tolist()).encode())
    return b";".join(told)
