"""The parts of a release: any return value as named numbers and strings."""

from collections.abc import Callable, Iterator, KeysView, Mapping, ValuesView
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from lemmata.mechanisms.numerics.arithmetic import short_repr

PUBLIC = ("n_features_in_", "feature_names_in_")  # attributes that no record moves
LONGEST = 10_000  # things that are taken from an iterator
DATE, SPAN, LABELS, ORDER = "date", "span", "labels", "order"
NESTED = 3  # models within models whose attributes are looked at


def flat(released: Any) -> list[tuple[str, tuple[int, ...], Any]]:
    """(name, shape, numbers or a string) of every part of a release, sorted by name."""
    try:
        return _flat(released, "", 0)
    except RecursionError:
        raise ValueError("release must not contain itself") from None


def _flat(released: Any, name: str, depth: int) -> list[tuple[str, tuple[int, ...], Any]]:
    if isinstance(released, Mapping):
        keys = sorted(released, key=repr)
        inner = [(f"{name}.{key}" if name else str(key), released[key]) for key in keys]
        parts = [part for key, value in inner for part in _flat(value, key, depth)]
        order = [] if keys == list(released) else [(f"{name}.{ORDER}".strip("."), (), repr(list(released)))]
        return [*parts, *order]
    if released is None or isinstance(released, str | bytes):
        return [(name, (), repr(released))]
    if called := labels(released):
        return [*_flat(released.to_numpy(), name, depth), (f"{name}.{LABELS}".strip("."), (), called)]
    if (told := moments(released)) is not None:
        return [(name, told[0].shape, told[0]), (name, (), told[1])]
    table = as_numbers(released)
    if table is not None:
        return [(name, table.shape, table)]
    if isinstance(released, list | tuple):
        inner = [(f"{name}[{place}]", value) for place, value in enumerate(released)]
        return [(name, (len(released),), "list"), *(part for key, value in inner for part in _flat(value, key, depth))]
    if isinstance(released, np.ndarray) and not released.ndim:
        return _flat(released.item(), name, depth)
    if (hasattr(released, "to_numpy") or isinstance(released, np.ndarray)) and np.ndim(released):
        return _flat(
            list(np.asarray(released, dtype=object)), name, depth
        )  # `tolist` makes whole numbers of some dates
    if isinstance(released, Iterator | KeysView | ValuesView):
        return _flat(list(islice(iter(released), LONGEST)), name, depth)
    if isinstance(released, set | frozenset):
        return _flat([type(released).__name__, *sorted(released, key=repr)], name, depth)
    if isinstance(released, Fraction | Decimal):
        with suppress(OverflowError, ValueError):  # too large, or a NaN that signals: then a text
            return _flat(float(released), name, depth)
    if depth < NESTED and (attributes := fitted(released) or visible(released)):
        return _flat({key: attributes[key] for key in sorted(attributes, key=repr)}, name, depth + 1)
    text = repr(released)
    return [] if callable(released) or " at 0x" in text else [(name, (), text)]  # where it lies in memory is no part


def moments(value: Any) -> tuple[np.ndarray, str] | None:
    """Dates in seconds since 1970, differences in seconds, NaN if missing, with a mask; None for other types."""
    if isinstance(value, timedelta):
        return np.array(value.total_seconds()), SPAN
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        zone = moment.tzinfo
        since = datetime(1970, 1, 1, tzinfo=zone and UTC)
        return np.array((moment - since).total_seconds()), f"{DATE} {zone}"
    table = np.asarray(value) if isinstance(value, np.ndarray | np.generic) or hasattr(value, "to_numpy") else None
    if table is None or table.dtype.kind not in "mM":
        return None
    whole = table.astype(f"{table.dtype.kind}8[us]")
    seconds = np.where(np.isnat(whole), np.nan, whole.astype(np.int64) / 1e6)
    return seconds, f"{DATE} None" if table.dtype.kind == "M" else SPAN


def labels(released: Any) -> str:
    """The row and column names of a frame or series in order; "" if they are just counted."""
    axes = getattr(released, "axes", None)
    if not (hasattr(released, "to_numpy") and isinstance(axes, list)):
        return ""
    counted = all(type(axis).__name__ == "RangeIndex" for axis in axes)
    return "" if counted else repr([axis.tolist() for axis in axes])


def as_numbers(value: Any) -> np.ndarray | None:
    """A number, an array or a list of numbers as floats; None for other objects."""
    try:
        table = np.asarray(value)
    except (ValueError, TypeError):  # lists of different lengths
        return None
    table = np.stack([table.real, table.imag], axis=-1) if table.dtype.kind == "c" else table
    return table.astype(float) if table.dtype.kind in "biuf" else None


def fitted(model: Any) -> dict[str, Any]:
    """The fitted attributes of an estimator: those whose names end in an underscore."""
    found = getattr(model, "__dict__", {})
    return {k: v for k, v in found.items() if k.endswith("_") and not k.startswith("_") and k not in PUBLIC}


def visible(thing: Any) -> dict[str, Any]:
    """The public attributes of any other object."""
    if callable(thing) or isinstance(thing, type):
        return {}
    return {k: v for k, v in getattr(thing, "__dict__", {}).items() if not k.startswith("_")}


def chosen(released: Any) -> Callable[[Any], Any]:
    """The released part of a fitted object or a result: all of it, named attributes, or a function of it."""
    if released is None or callable(released):
        return released or (lambda model: model)
    names = [released] if isinstance(released, str) else released
    if not (isinstance(names, list | tuple) and names and all(isinstance(name, str) for name in names)):
        raise ValueError(
            f"released must be an attribute name, a list of names or a function, got {short_repr(released)}"
        )
    return lambda model: {name: getattr(model, name) for name in names}
