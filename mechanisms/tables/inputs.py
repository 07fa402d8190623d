"""Inputs of estimators, read one record at a time: tables, labels and a random state.

Nothing here fails because of what a record holds, and no message quotes one.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_random_state

from lemmata.mechanisms.numerics.arguments import MAGNITUDES, as_float_array, resolve_generator
from lemmata.mechanisms.numerics.arithmetic import check_in_range
from lemmata.mechanisms.numerics.per_record import entries_to_floats, is_list, unwrap_single

TEXT = ("str", "string")  # names of pandas' types of text
NESTED = ("list", "large_list", "fixed_size_list", "array", "struct", "map", "object", "binary", "large_binary")
CATEGORICAL = ("categorical", "enum", "dictionary")  # types of polars and of arrow, in small letters


def resolve_random_state(random_state: Any) -> np.random.Generator:
    """Return a generator from what scikit-learn calls a `random_state`; None is the system's entropy.

    ValueError, of one line and without what was given, for anything else: it may be the records, by mistake.
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return resolve_generator(random_state)
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, np.timedelta64):
        check_in_range("random_state", random_state, 0, 2**32 - 1, closed=True)
    elif random_state is not np.random and not isinstance(random_state, np.random.RandomState):
        raise ValueError(f"random_state must be an int, a generator or None, got {type(random_state).__name__}")
    return np.random.default_rng(check_random_state(random_state).randint(2**32, size=8, dtype=np.uint64))


def check_budget(estimator: Any) -> None:
    """Raise ValueError for an epsilon or a delta from which no noise can be computed.

    Of epsilon, beyond 1e100 squares of what follows from it are no floats; an estimator's own range may end earlier.
    Only one Gaussian mechanism, which has a delta, has noise for epsilon 0.
    """
    is_gaussian = getattr(estimator, "release_kind", "gaussian") == "gaussian"
    check_in_range("epsilon", estimator.epsilon, 0, MAGNITUDES[1], closed=is_gaussian)
    if hasattr(estimator, "delta"):
        check_in_range("delta", estimator.delta, 0, 1)


def type_letter(table: Any) -> str:
    """Return NumPy's letter for the type of an array, which is public; "O" for other objects, "U" for strings."""
    dtype = getattr(table, "dtype", None)
    return "U" if str(getattr(dtype, "name", "")) in TEXT else str(getattr(dtype, "kind", "O"))


def is_time_type(dtype: Any) -> bool:
    """Return whether a frame's type says dates, times with or without a zone, differences of them, or periods."""
    kind = getattr(dtype, "kind", "O")
    return kind in "mM" if isinstance(dtype, np.dtype) else hasattr(dtype, "tz") or hasattr(dtype, "freq")


def check_frame(X: Any) -> None:
    """Raise ValueError for a frame without columns, with two of one name, with names of which only some are text, or
    with a column of complex numbers.

    A frame of another library than pandas has to declare numbers alone, which is asked of none of its rows.
    """
    if not hasattr(X, "iloc"):
        try:
            numbers = np.asarray(X[:0]).dtype.kind in "biuf"
        except Exception:
            numbers = False
        if not numbers:
            what = f"{type(X).__name__} of {type(X).__module__.partition('.')[0]}"
            raise ValueError(f"X must have numeric columns in a {what}; pass a pandas DataFrame for other columns")
    elif len(set(X.columns)) < len(X.columns):
        raise ValueError("X must have unique column names, got a frame with a repeated name")
    elif len({isinstance(name, str) for name in X.columns}) > 1:
        raise ValueError("X must have column names that are all strings, or none of them, got a mix")
    elif any(getattr(dtype, "kind", "O") == "c" for dtype in X.dtypes):
        raise ValueError("Complex data not supported: X has a column of complex numbers")
    if not X.shape[1]:
        raise ValueError(f"0 feature(s) (shape={tuple(X.shape)}) while a minimum of 1 is required.")


class Categorical:
    """The declared type of a column of categories, which are not asked for."""

    kind, categories = "O", ()

    def __str__(self) -> str:
        return "category"


@dataclass(frozen=True)
class Frame:
    """A frame of polars or arrow as far as one of pandas is read: names, declared types, and a column by position."""

    columns: list[str]
    dtypes: list[Any]
    table: Any

    @property
    def iloc(self) -> Frame:
        """The frame itself, whose entries are asked for by position."""
        return self

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self.table.shape[0], len(self.columns)

    def __getitem__(self, which: tuple[slice, int]) -> np.ndarray:
        rows, place = which
        column = self.table[self.columns[place]]
        if self.dtypes[place].kind in "biufmM":
            values = np.asarray(column)
            return (objects_to_floats(values) if values.dtype.kind == "O" else values)[rows]
        values = np.empty(self.shape[0], dtype=object)
        values[:] = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        return values[rows]


def check_nested(name: Any, declared: Any) -> str:
    """Return a type of polars or arrow in small letters. ValueError, with its name, for lists, structures and bytes."""
    kind = str(declared).lower()
    if kind.startswith(NESTED):
        raise ValueError(f"X must have columns of numbers, dates, text or categories, got {name!r} of type {declared}")
    return kind


def plain_columns(X: Any) -> Any:
    """Return a frame of pandas with dates, durations and decimals of arrow as those of numpy, by their types alone."""
    wanted = {}
    for name, dtype in zip(X.columns, X.dtypes, strict=True) if X.columns.is_unique else ():
        if (declared := getattr(dtype, "pyarrow_dtype", None)) is None:
            continue
        kind = check_nested(name, declared)
        if kind.startswith(("timestamp", "duration")):
            zone = getattr(declared, "tz", None)
            wanted[name] = f"datetime64[{declared.unit}, {zone}]" if zone else dtype.numpy_dtype
        elif kind.startswith(("date", "decimal")):
            wanted[name] = "datetime64[s]" if kind.startswith("date") else float
    return X.astype(wanted) if wanted else X


def as_frame(X: Any) -> Any:
    """Return a frame of polars or arrow as a `Frame`, of which no entry is read yet; any other table unchanged.

    A frame of pandas has its columns of arrow's dates and decimals as numpy's. Raises ValueError for two columns of one
    name, and for one of lists, structures or bytes, with its name and type.
    """
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return plain_columns(X)
    if hasattr(X, "iloc") or not (hasattr(X, "schema") and hasattr(X, "columns")):
        return X
    names, dtypes = list(getattr(X, "column_names", X.columns)), []  # the `columns` of arrow are the entries
    if len(set(names)) < len(names):
        raise ValueError("X must have unique column names, got a frame with a repeated name")
    for name in names:
        field = X.schema.field(name).type if hasattr(X.schema, "field") else X.schema[name]
        declared = check_nested(name, field)
        dtype = np.asarray(X[:0][name]).dtype  # of no record: one gap makes objects of truth values
        plain = dtype if dtype.kind in "biufmM" else np.dtype(object)
        dtypes.append(Categorical() if declared.startswith(CATEGORICAL) else plain)
    return Frame(names, dtypes, X)


def as_table(X: Any) -> Any:
    """Return X, a list or what holds objects as floats, entry by entry: what is no number is NaN, and none is refused.

    Raises ValueError for what is no table of real numbers, before scikit-learn does and shows the records.
    """
    if is_list(X):
        X = as_float_array("X", X)
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    if len(shape) != 2:
        raise ValueError(f"X must have shape (n, d), got {shape}. Reshape your data: one row per record")
    if hasattr(X, "columns"):
        check_frame(X)
    check_declared("X", X)
    if isinstance(X, np.ndarray) and X.dtype.kind not in "biufO":
        raise ValueError(f"X must have a numeric dtype, got {X.dtype}")
    if hasattr(X, "iloc") and any(map(is_time_type, X.dtypes)):
        raise ValueError("X must have numeric columns, got dates or times; PrivateScaler converts them to numbers")
    if isinstance(X, np.ndarray) and X.dtype.kind == "O" and X.size:
        return objects_to_floats(X)
    if hasattr(X, "iloc") and any(not isinstance(kind, np.dtype) or kind.kind == "O" for kind in X.dtypes):
        return type(X)(objects_to_floats(X.to_numpy(dtype=object)), index=X.index, columns=X.columns)
    return X


def objects_to_floats(objects: np.ndarray) -> np.ndarray:
    """Return an array of objects as floats of the same shape, each by itself: dates in days, NaN for what is no number.

    >>> objects_to_floats(np.array([1, None, "2", date(1, 1, 2)], dtype=object)).tolist()
    [1.0, nan, 2.0, 2.0]
    """
    return entries_to_floats([date_to_days(one) for one in np.asarray(objects).ravel()]).reshape(objects.shape)


def date_to_days(one: Any) -> Any:
    """Return a date in days, with day 1 on January 1 of year 1 and the time of day; other values unchanged.

    >>> date_to_days(datetime(1, 1, 2, 12)), date_to_days(time(18)), date_to_days("2")
    (2.5, 0.75, '2')
    """
    try:
        if not isinstance(one, date | time):
            return one
        clock = (one.hour, one.minute, one.second) if isinstance(one, datetime | time) else (0, 0, 0)
        days = one.toordinal() if isinstance(one, date) else 0
        return days + (clock[0] + (clock[1] + clock[2] / 60) / 60) / 24
    except Exception:  # a missing date is one that has none of these
        return float("nan")


def check_declared(name: str, value: Any) -> None:
    """Raise ValueError for an array that is masked, or one of complex numbers."""
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError(f"{name} must be an array without a mask, got a masked array; fill its masked entries first")
    if type_letter(value) == "c":
        raise ValueError(f"Complex data not supported: {name} is an array of complex numbers")


def as_label_array(classes: Any) -> np.ndarray:
    """Return `classes` as an array, of text where every one of an array of objects is.

    The labels are sorted, as scikit-learn's scores expect, but where they are of types that have no order.
    ValueError for what is no sequence of two or more labels, and where one is missing or equals another one.
    """
    try:
        found = np.asarray(classes)
        names = found.tolist() if found.ndim == 1 else []
        several = len(names) > 1 and not any(a is None or a != a or a in names[:i] for i, a in enumerate(names))
    except Exception:  # pandas' NA has no truth value, and labels of several lengths are no array
        several = False
    if not several:
        raise ValueError("classes must be a sequence of at least two different labels without missing values")
    texts = found.dtype.kind == "O" and all(isinstance(one, str) for one in names)
    found = found.astype(str) if texts else found
    try:
        return np.sort(found)
    except TypeError:
        return found


def as_label_column(y: Any) -> np.ndarray:
    """Return labels, (n,). Labels of a list keep their types, since one record must not change another's."""
    check_declared("y", y)
    return np.fromiter(map(unwrap_single, y), dtype=object, count=len(y)) if is_list(y) else column_or_1d(y)


def equals_label(y: np.ndarray, label: Any) -> np.ndarray:
    """Return which labels equal `label`, shape (n,), bool; labels that cannot be compared differ from it.

    >>> from decimal import Decimal
    >>> equals_label(np.array([Decimal(1), "1", 1.0, None], dtype=object), np.int64(1)).tolist()
    [True, False, True, False]
    """
    label = label.item() if isinstance(label, np.number) else label  # with which a Decimal can be compared

    def same(one: Any) -> bool:
        try:
            return bool(one == label)
        except Exception:  # whatever an object raises would tell of its record
            return False

    if y.dtype.kind != "O":
        return y == label
    with warnings.catch_warnings(action="ignore"):  # and whatever it says
        return np.array([same(one) for one in y], dtype=bool)


def first_records(groups: Any, n: int, most: int) -> np.ndarray:
    """Return which of n records are among the first `most` of their user, whose names are public; shape (n,), bool.

    >>> first_records(["a", "b", "a", "a"], 4, 2).tolist()
    [True, True, True, False]
    """
    users = np.asarray(groups, dtype=object)
    named = all(isinstance(user, str | Integral) and not isinstance(user, bool) for user in users.ravel().tolist())
    if users.shape != (n,) or not named:
        kind = getattr(groups, "dtype", type(groups).__name__)
        raise ValueError(f"groups must name the user of each of {n} records, got {kind} of shape {users.shape}")
    seen: Counter[Any] = Counter()
    kept = np.zeros(n, bool)
    for at, user in enumerate(users.tolist()):
        seen[user] += 1
        kept[at] = seen[user] <= most
    return kept
