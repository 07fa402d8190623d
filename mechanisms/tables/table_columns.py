"""What the columns of a table become: numbers as they are, categories as indicators, by declared types alone.

    number                          itself
    date, time, period              the whole number that its type counts in: nanoseconds, days, months; in `predict`,
                                    dates of other steps than in `fit` are counted in those of `fit`
    text, categories, objects       one indicator for each of the categories that `categories` lists for the column;
                                    without a list, indicators of `BUCKETS` buckets of a fixed hash of the text
    text, objects, without a list   itself where it is a number, days where it is a date, and the buckets where neither

A column of numbers with one "?" is read from a file as text: its numbers stay numbers. A category that is listed is the
same one whatever type it has in a table: 1, 1.0, True or "1". The categories that a dtype declares are not used: they
were usually collected from the records. So which columns come out, and how many, depends on names and types, which are
public; no entry is refused, and one that is missing, not in the list or no text at all is 0 in every indicator.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from math import isfinite
from numbers import Number
from typing import Any

import numpy as np

from lemmata.mechanisms.numerics.arithmetic import short_repr
from lemmata.mechanisms.numerics.per_record import number
from lemmata.mechanisms.tables.inputs import (
    as_frame,
    as_table,
    check_frame,
    date_to_days,
    is_time_type,
    objects_to_floats,
)

BUCKETS = 8  # of a category without a list
NAMED = re.compile(
    r"(?i:(?:^|[_\W])(?:id|ids|uid|uuid|guid|key|ssn|iban|passport|email|e-mail|phone|name|username|surname|index|idx|row)$)"
    r"|(?i:(?:account|card|client|customer|email|member|passport|patient|person|phone|user)[_\W]?(?:address|id|no|nr|number)$)"
    r"|[a-z]I[dD]$"
)
DATED = re.compile(
    r"(?i:(?:^|[_\W])(?:date|datetime|time|timestamp|day|dob|birthday|birthdate|created|updated|at|on|since|until)$)"
    r"|(?i:^date[_\W])|[a-z](?:Date|Time|At)$"
)
IDENTIFIER = "an identifier by its name: leave it out"
UNREAD = "a date by its name: convert it, or it is hashed"
TWINS = {"1": "True", "0": "False", "True": "1", "False": "0"}
TIMES = {"M": "dates", "m": "differences of dates"}


@dataclass(frozen=True)
class Column:
    """One column of the user's table."""

    name: Any  # in a frame, else its position
    number: bool  # whether it has a column of numbers
    listed: tuple[Any, ...] | None = None  # categories, an indicator each
    hashed: bool = False
    clock: tuple[str, Any] | None = None  # of a column of times, which it is to be read by

    @property
    def indicators(self) -> int:
        """How many there are."""
        return len(self.listed) if self.listed is not None else BUCKETS * self.hashed

    def names(self) -> list[str]:
        """Return the names of what the column becomes."""
        labels = self.listed if self.listed is not None else range(BUCKETS * self.hashed)
        mark = "=" if self.listed is not None else "#"
        return [str(self.name)] * self.number + [f"{self.name}{mark}{label}" for label in labels]


@dataclass(frozen=True)
class Layout:
    """The columns of the user's table, in order, and what they become."""

    columns: tuple[Column, ...]

    @property
    def indicator(self) -> np.ndarray:
        """Which of the columns that come out are indicators, shape (D,), bool."""
        return np.concatenate([[False] * one.number + [True] * one.indicators for one in self.columns]).astype(bool)

    @property
    def size(self) -> int:
        """How many entries of length 1, or less, a row has: of each column a number, or one of its indicators."""
        return len(self.columns)

    def names(self) -> list[str]:
        """Return the names of the columns that come out."""
        return [name for one in self.columns for name in one.names()]

    def apply(self, X: Any) -> np.ndarray:
        """Return a frame or an array of objects as floats, (n, D), record by record."""
        parts: list[np.ndarray] = []
        for j, one in enumerate(self.columns):
            values = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
            if one.number:
                parts.append((numbers(values) * count_unit_steps(one, values.dtype))[:, None])
            if one.indicators:
                parts.append(indicators(values, one))
        return np.concatenate(parts, axis=1)


def numbers(values: Any) -> np.ndarray:
    """Return one column as floats, NaN for what is no number."""
    kind = getattr(values.dtype, "kind", "O")
    if isinstance(values, np.ndarray) and kind in "mM":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(float))
    if is_time_type(values.dtype):
        return np.where(values.isna(), np.nan, values.array.asi8.astype(float))
    if kind in "biuf" and isinstance(values.dtype, np.dtype):
        return np.asarray(values, dtype=float)
    if hasattr(values, "to_numpy") and kind in "biuf":
        return np.asarray(values.to_numpy(dtype=float, na_value=np.nan))
    return objects_to_floats(np.asarray(values, dtype=object))


def clock(dtype: Any) -> tuple[str, Any] | None:
    """Return what a type of times counts, and in which steps: seconds each, or a period's name. None for another type.

    >>> clock(np.dtype("M8[ms]")), clock(np.dtype("m8[s]")), clock(np.dtype(float))
    (('dates', 0.001), ('differences of dates', 1.0), None)
    """
    if not is_time_type(dtype):
        return None
    if hasattr(dtype, "freq"):
        return "periods", str(dtype.freq.freqstr)
    kind = "dates" if hasattr(dtype, "tz") else TIMES[dtype.kind]
    unit: Any = dtype.unit if hasattr(dtype, "tz") else np.datetime_data(dtype)[0]
    return kind, float(np.timedelta64(1, unit) / np.timedelta64(1, "s"))


def count_unit_steps(one: Column, dtype: Any) -> float:
    """Return how many steps of a column's clock one step of a type is: 1 for what counts no time, as the column.

    Raises ValueError, for declared types alone, where one of the two counts no time, or differently.
    """
    now, then = clock(dtype), one.clock
    if now == then:
        return 1.0
    if now is None or then is None or now[0] != then[0] or "periods" in now:
        seen = "no time" if then is None else f"{then[0]} of {then[1]}" if then[0] == "periods" else then[0]
        raise ValueError(f"X must have the time units of fit: column {short_repr(one.name)} is {dtype}; fit saw {seen}")
    return float(now[1] / then[1])


def indicators(values: Any, one: Column) -> np.ndarray:
    """Return the indicators of one column, (n, k): each row has at most one."""
    found = np.zeros((len(values), one.indicators))
    places = category_places(one.listed or ())
    with warnings.catch_warnings(action="ignore"):  # whatever an object says would tell of its record
        texts = [entry_text(value, skip_numbers=one.number) for value in np.asarray(values, dtype=object).tolist()]
    for i, text in enumerate(texts):
        if text is None:
            continue
        if one.listed is None and text not in places:
            places[text] = int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) % BUCKETS
        if text in places:
            found[i, places[text]] = 1.0
    return found


def category_places(listed: tuple[Any, ...]) -> dict[str, int]:
    """Return {text: its place} of listed categories: a number is also meant by a truth value, and the other way round.

    >>> category_places((1.0, "a", False))
    {'1': 0, 'a': 1, 'False': 2, 'True': 0, '0': 2}
    """
    texts = [spell_entry(label) for label in listed]
    places = {text: k for k, text in enumerate(texts)}
    for k, label in enumerate(listed):
        if not isinstance(label, str) and texts[k] in TWINS:
            places.setdefault(TWINS[texts[k]], k)
    return places


def spell_entry(value: Any) -> str:
    """Return an entry as text, a whole number without a point: a missing entry makes floats of a column of ints.

    >>> spell_entry(1.0), spell_entry(Decimal("2.00")), spell_entry(0.5), spell_entry("1.0")
    ('1', '2', '0.5', '1.0')
    """
    whole = isinstance(value, float | np.floating | Decimal) and value % 1 == 0
    return str(int(value)) if whole else str(value)


def entry_text(value: Any, *, skip_numbers: bool) -> str | None:
    """Return an entry as text; None for a missing one and, where numbers have a column of their own, for a number."""
    try:
        if value is None or type(value).__name__ == "NAType" or value != value:
            return None
        if skip_numbers and isfinite(number(date_to_days(value))):
            return None
    except Exception:  # no number, or an object that raises: its text, if it has one, counts
        pass
    try:
        return spell_entry(value)
    except Exception:  # whatever an object raises would tell of its record
        return None


def match_columns(argument: str, given: Mapping, names: list) -> dict[int, Any]:
    """Return {position: entry} of a mapping from columns. What may name one: its name, and where no name is a number
    its position too, so that 1 is never one column here and another one there.

    ValueError for what names none of `names`, and for two that name one.

    >>> match_columns("bounds", {"a": 5, 1: 6}, ["a", "b"]), match_columns("bounds", {1: 5, 2: 6}, [2, 1])
    ({0: 5, 1: 6}, {1: 5, 0: 6})
    """
    places = {} if any(isinstance(name, Number) for name in names) else {j: j for j in range(len(names))}
    places |= {name: j for j, name in enumerate(names)}
    found: dict[int, Any] = {}
    for name, entry in given.items():
        if name not in places:
            raise ValueError(f"{argument} must name columns of X, got {short_repr(name)}")
        if places[name] in found:
            raise ValueError(f"{argument} must name a column at most once, got {short_repr(name)} twice")
        found[places[name]] = entry
    return found


def plan_layout(X: Any, categories: Any = None) -> Layout | None:
    """Return what becomes of a table, by its declared types and `categories`.

    None if every column is a number as it is.

    `categories`: a mapping from columns (`match_columns`) to sequences of at least one category. Raises ValueError for
    what names no column, and for what is no such mapping.
    """
    lists = {} if categories is None else categories
    if not isinstance(lists, Mapping):
        raise ValueError(f"categories must map columns to lists, got {type(categories).__name__}")
    frame = hasattr(X, "iloc") and hasattr(X, "columns")
    if hasattr(X, "columns"):
        check_frame(X)
    if not frame and not lists:
        return None
    if len(getattr(X, "shape", ())) != 2 or not (frame or isinstance(X, np.ndarray)):
        raise ValueError("categories require X to be a frame or an array with two axes")
    names = list(X.columns) if frame else list(range(X.shape[1]))
    dtypes = list(X.dtypes) if frame else [X.dtype] * len(names)
    for name, listed in lists.items():
        if isinstance(listed, str) or not isinstance(listed, list | tuple | np.ndarray) or not len(listed):
            raise ValueError(f"categories[{short_repr(name)}] must be a list of at least one category")
    placed = match_columns("categories", lists, names)
    columns = [_column(name, dtype, placed.get(j)) for j, (name, dtype) in enumerate(zip(names, dtypes, strict=True))]
    plain = not any(one.indicators for one in columns) and not any(map(is_time_type, dtypes))
    return None if plain else Layout(tuple(columns))


def inspect(X: Any, categories: Any = None) -> Any:
    """Return what `MarginClassifier` and `PrivateScaler` make of each column, by names and declared types alone.

    No entry is read and nothing is spent, so that the answer is public as far as names and types are.

    Parameters
    ----------
    X : frame of pandas, polars or arrow, or array of shape (n, d)
    categories : mapping, optional
        As of `MarginClassifier`: lists of categories by column.

    Returns
    -------
    Inspection

    Raises
    ------
    ValueError
        In one line, for what is no table, as `fit` does.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> table = DataFrame({"age": [31.0], "user_id": [7], "joined_at": ["2020-02-01"]})
    >>> print(inspect(table.astype({"joined_at": object})))
    age        float64  number
    user_id    int64    number                                        an identifier by its name: leave it out
    joined_at  object   number, or text hashed into 8 buckets (x 9)  a date by its name: convert it, or it is hashed
    """
    frame = as_frame(X)
    layout, named = plan_layout(frame, categories), hasattr(frame, "dtypes")
    types = [str(dtype) for dtype in frame.dtypes] if named else [str(as_table(X).dtype)] * np.shape(X)[1]
    names = frame.columns if named else range(len(types))
    columns = layout.columns if layout else tuple(Column(name, True) for name in names)
    return Inspection(
        tuple(one.name for one in columns),
        tuple(types),
        tuple(map(_becomes, columns)),
        tuple(one.number + one.indicators for one in columns),
        tuple(map(_note, columns)),
    )


@dataclass(frozen=True)
class Inspection:
    """What becomes of the columns of a table, one entry a column, as `inspect` says it; print it.

    Attributes
    ----------
    names : tuple
        Of the columns, or their positions.
    types : tuple of str
        As they are declared.
    becomes : tuple of str
        A number, dates, categories, or text hashed into buckets.
    columns : tuple of int
        How many columns come out.
    notes : tuple of str
        What a name says: an identifier, which teaches a learner nothing, or a date that is declared as text.

    Examples
    --------
    >>> inspect(np.zeros((3, 2))).becomes
    ('number', 'number')
    """

    names: tuple[Any, ...]
    types: tuple[str, ...]
    becomes: tuple[str, ...]
    columns: tuple[int, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        several = [f"{what} (x {k})" if k > 1 else what for what, k in zip(self.becomes, self.columns, strict=True)]
        lines = [*zip(map(str, self.names), self.types, several, self.notes, strict=True)]
        wide = [max(len(line[at]) for line in lines) for at in range(3)]
        return "\n".join("  ".join([*map(str.ljust, line, wide), line[3]]).rstrip() for line in lines)


def _becomes(one: Column) -> str:
    if one.listed is not None:
        return f"one of {len(one.listed)} categories"
    if one.clock:
        return one.clock[0]
    hashed = f"text hashed into {BUCKETS} buckets"
    return "number" if not one.hashed else f"number, or {hashed}" if one.number else hashed


def _note(one: Column) -> str:
    if NAMED.search(str(one.name)):
        return IDENTIFIER
    return UNREAD if one.hashed and DATED.search(str(one.name)) else ""


def _column(name: Any, dtype: Any, listed: Any) -> Column:
    if listed is not None:
        return Column(name, False, tuple(listed))
    kind = getattr(dtype, "kind", "O")
    if is_time_type(dtype) or (kind in "biuf" and not hasattr(dtype, "categories")):
        return Column(name, True, clock=clock(dtype))
    return Column(name, not hasattr(dtype, "categories"), None, True)
