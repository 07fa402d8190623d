"""What an estimator is given, read record by record: tables, labels, and a random state.

Nothing here fails because of what a record holds, and no message quotes one.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_random_state

from lemmata.mechanisms.arithmetic import in_range
from lemmata.mechanisms.law import entries, generator


def seeded(random_state: Any) -> np.random.Generator:
    """Return a generator from what scikit-learn calls a `random_state`; None is the system's entropy.

    ValueError, of one line and without what was given, for anything else: it may be the records, by mistake.
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return generator(random_state)
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, np.timedelta64):
        in_range("random_state", random_state, 0, 2**32 - 1, closed=True)
    elif random_state is not np.random and not isinstance(random_state, np.random.RandomState):
        raise ValueError(f"random_state is a {type(random_state).__name__}, not an int, a generator or None")
    return np.random.default_rng(check_random_state(random_state).randint(2**32, size=8, dtype=np.uint64))


def kind_of(table: Any) -> str:
    """Return NumPy's letter for the type of an array, which is public; "O" for what declares none."""
    return str(getattr(getattr(table, "dtype", None), "kind", "O"))


def tabular(X: Any) -> Any:
    """Return X, a list or what holds objects as floats, entry by entry: what is no number is NaN, and none is refused.

    Raises ValueError for what is no table of real numbers, before scikit-learn does and shows the records.
    """
    if isinstance(X, list | tuple):
        X = entries("X", X)
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    if len(shape) != 2:
        raise ValueError(f"X has shape {shape}, not (n, d). Reshape your data: a record is a row")
    kinds = [getattr(kind, "kind", "O") for kind in X.dtypes] if hasattr(X, "iloc") else [kind_of(X)]
    if "c" in kinds:
        raise ValueError("Complex data not supported: X is an array of complex numbers")
    if isinstance(X, np.ndarray) and X.dtype.kind not in "biufO":
        raise ValueError(f"X has dtype {X.dtype}, not one of numbers")
    if {"m", "M"} & set(kinds):
        raise ValueError("X has a column of dates or times: PrivateScaler makes numbers of it")
    if isinstance(X, np.ndarray) and X.dtype.kind == "O" and X.size:
        return numbers_of(X)
    if hasattr(X, "iloc") and any(not isinstance(kind, np.dtype) or kind.kind == "O" for kind in X.dtypes):
        return type(X)(numbers_of(X.to_numpy(dtype=object)), index=X.index, columns=X.columns)
    return X


def numbers_of(objects: np.ndarray) -> np.ndarray:
    """Return an array of objects as floats of the same shape: dates in days, NaN for what is no number, lists among it.

    >>> numbers_of(np.array([1, None, "2", date(1, 1, 2)], dtype=object)).tolist()
    [1.0, nan, 2.0, 2.0]
    """
    flat = [np.nan if isinstance(one, list | tuple | np.ndarray) else one for one in objects.ravel()]
    flat = [days(one) if isinstance(one, date) else one for one in flat]
    return entries("X", flat).reshape(objects.shape)


def days(one: Any) -> float:
    """Return a date in days, the first of January of year 1 being 1, its time of day included.

    Any other object as a float.
    """
    if not isinstance(one, date):
        return float(one)
    try:
        clock = (one.hour, one.minute, one.second) if isinstance(one, datetime) else (0, 0, 0)
        return one.toordinal() + (clock[0] + (clock[1] + clock[2] / 60) / 60) / 24
    except Exception:  # a missing date is one that has none of these
        return float("nan")


def column(y: Any) -> np.ndarray:
    """Return labels, (n,). Those of a list keep their types, as the label of one record may not change another's."""
    if isinstance(y, list | tuple) and y and not isinstance(y[0], list | tuple | np.ndarray):
        return np.fromiter(y, dtype=object, count=len(y))
    return column_or_1d(y)


def equal(y: np.ndarray, label: Any) -> np.ndarray:
    """Return which labels are `label`, shape (n,), bool; what cannot be compared with it is another one."""

    def same(one: Any) -> bool:
        try:
            return bool(one == label)
        except Exception:  # whatever an object raises would tell of its record
            return False

    return np.array([same(one) for one in y], dtype=bool) if y.dtype.kind == "O" else y == label
