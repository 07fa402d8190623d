"""The values that a part of a dataset may have, and the changes of one of its records.

A part is an array or a frame with a record a row. What a record may be is read off the parameters of the mechanism
(`bounds`, `data_norm`, `radius`, ...) and else off the data: a lower and an upper end of every column, a norm, the
labels. Columns that hold no numbers (texts, categories, dates, truth values that may be missing) take another value of
theirs, and none if their type has one for that. A type is not a record: what it cannot hold is not tried.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.neighbours.record_tables import EXACT

CLASSES = 20  # so many distinct whole numbers at most are labels
HUGE = 1e100  # what is larger, infinite or NaN a mechanism may refuse as no number at all
FAR = (10.0, 1e6, 1e200)  # widths of the range beyond which a record is put
SMALL = 3  # records: a dataset with fewer a mechanism may refuse
NORMS = ("norm", "radius", "clip")
NOBODY = "nobody's"
NUMBERS = "iuf"  # kinds of columns that hold numbers


@dataclass(frozen=True)
class Part:
    """The possible entries of a part: the ends of every column, shape (columns,), and labels if it has some."""

    low: np.ndarray
    high: np.ndarray
    norm: float | None
    labels: list | None
    shape: tuple[int, ...]  # of a record
    declared: bool = False  # are the ends the mechanism's own?
    mixed: tuple[np.ndarray, list] | None = None  # of a frame with other columns: where its numbers stand, and a record
    whole: Any = False  # is it an array of whole numbers or truth values? Of a frame, which of its numbers are whole
    others: tuple[tuple[int, str, Any], ...] = ()  # of such a frame: column, in words, what else may stand there
    least: Any = -np.inf  # what pandas' types of whole numbers hold; they have no infinity, and a value for NaN
    most: Any = np.inf

    @property
    def width(self) -> np.ndarray:
        """The range of every column."""
        return np.maximum(self.high - self.low, 1e-300)

    def record(self, entries: Any) -> Any:
        """The entries of a record; non-numbers in a frame stay as in its first record."""
        entries = np.broadcast_to(np.asarray(entries, dtype=float), self.low.shape)
        entries = np.where(self.whole, np.round(entries), entries)
        held = np.clip(entries, self.least, self.most)
        entries = np.where(np.isinf(entries) & np.isfinite(held), np.nan, held)
        if self.mixed:
            where, own = self.mixed
            told = dict(zip(where.tolist(), entries.tolist(), strict=True))
            return [told.get(place, value) for place, value in enumerate(own)]
        return entries.reshape(self.shape)


def described(data: tuple, options: Mapping[str, Any]) -> list[Part]:
    """The description of every part, from the options of the mechanism, otherwise from the data."""
    return [_part(part, place, options) for place, part in enumerate(data)]


def _part(part: Any, place: int, options: Mapping[str, Any]) -> Part:
    array, mixed = figures(part), None
    others: tuple = ()
    whole: Any = not _is_table(part) and part.dtype.kind in "iub"
    if _is_table(part):
        kinds = [kind.kind for kind in part.dtypes]
        if not _is_plain(part):
            where = np.flatnonzero([kind in NUMBERS for kind in kinds])
            mixed = where, [part.iloc[0, column] for column in range(len(kinds))]
            kinds, others = [kinds[column] for column in where], tuple(_others(part))
        whole = np.array([kind in "iu" for kind in kinds], dtype=bool)
    least, most = np.array([_held(kind) for kind in _numeric(part)] or [(-np.inf, np.inf)]).T
    truths = (array if _is_table(part) else part).dtype.kind == "b"
    if not (array.size or others) or array.dtype.kind not in "biuf":
        return Part(np.zeros(0), np.zeros(0), None, _known(part), array.shape[1:])
    columns = int(np.prod(array.shape[1:]))
    flat = array.reshape(len(array), columns).astype(float)
    finite = np.where(np.isfinite(flat), flat, np.nan)
    declared = _ends(options, place, columns)
    low, high = declared or (_over(np.nanmin, finite), _over(np.nanmax, finite))
    if truths:
        low, high = np.zeros(columns), np.ones(columns)
    high = np.where(high > low, high, low + 1)
    classes = array.ndim == 1 and place and len(np.unique(array)) <= CLASSES and np.array_equal(flat, np.round(finite))
    norm = _norm(options) if not place else None
    told = _known(array) if classes else None
    return Part(low, high, norm, told, array.shape[1:], declared is not None, mixed, whole, others, least, most)


def _numeric(part: Any) -> list:
    """The types of the columns of a frame, or of a series, that hold numbers."""
    kinds = list(np.ravel(part.dtypes)) if hasattr(part, "iloc") else []
    return [kind for kind in kinds if kind.kind in NUMBERS] if _is_table(part) else kinds


def _held(kind: Any) -> tuple[float, float]:
    """The smallest and the largest number of a type that is one of pandas' own and of whole numbers."""
    if isinstance(kind, np.dtype) or kind.kind not in "iu":
        return -np.inf, np.inf
    ends = np.iinfo(kind.numpy_dtype)
    return max(float(ends.min), 1.0 - EXACT), min(float(ends.max), EXACT - 1.0)


def figures(part: Any) -> np.ndarray:
    """The numbers of a part as an array, of a frame's numeric columns; the part itself if it has none."""
    if not hasattr(part, "iloc"):
        return np.asarray(part)
    if _is_table(part) and not _is_plain(part):
        part = part.iloc[:, np.flatnonzero([kind.kind in NUMBERS for kind in part.dtypes])]
        return np.asarray(part.to_numpy(dtype=float, na_value=np.nan))
    if not _is_table(part) and not isinstance(part.dtype, np.dtype) and part.dtype.kind in "biuf":
        return np.asarray(part.to_numpy(dtype=float, na_value=np.nan))
    return np.asarray(part)


def _is_table(part: Any) -> bool:
    return hasattr(part, "iloc") and np.ndim(part) == 2


def _is_plain(frame: Any) -> bool:
    """Has a frame columns of numpy's numbers alone, or of its truth values alone?"""
    kinds = {kind.kind if isinstance(kind, np.dtype) else "" for kind in frame.dtypes}
    return kinds <= set(NUMBERS) or kinds == {"b"}


def _others(frame: Any) -> Iterator[tuple[int, str, Any]]:
    """For each column that holds no numbers, in words and as they are: what else may stand there.

    A text that another record has than the first, and one that nobody has; another category, the earliest and the
    latest date, the other truth value; and nothing, where a type of pandas has a value for that.
    """
    for place, (name, kind) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        if kind.kind not in NUMBERS:
            own = frame.iloc[0, place]
            for value in _values(frame.iloc[:, place]):
                if not (is_missing(own) if is_missing(value) else not is_missing(own) and own == value):
                    yield place, f"{'nothing' if is_missing(value) else repr(value)} in {name}", value


def _values(column: Any) -> list:
    """What may stand in a column that holds no numbers."""
    kind, there = column.dtype, list(column.dropna())
    if hasattr(kind, "categories"):
        return [*kind.categories[:3], None]
    if kind.kind == "b":
        return [True, False, *[None] * (not isinstance(kind, np.dtype))]
    texts = [text for text in there if isinstance(text, str)]
    if texts:
        first = column.iloc[0]
        other = next((text for text in texts if not isinstance(first, str) or text != first), NOBODY)
        return list(dict.fromkeys((other, NOBODY)))
    if kind.kind == "O" and isinstance(kind, np.dtype):
        return []
    return [*dict.fromkeys(([min(there), max(there)]) if there else ()), None]


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or a missing value of pandas."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _known(part: Any) -> list:
    """The labels there are, and None where a type of categories or of dates has a value for a label that is missing."""
    if hasattr(part, "iloc") and not _is_table(part):
        if hasattr(part.dtype, "categories"):
            return [*part.dtype.categories, None]
        known = sorted(set(part.dropna()), key=repr)
        return [*known, None] if part.dtype.kind in "mM" else known
    array = np.asarray(part)
    if array.dtype.kind in "mM":  # as they are: of nanoseconds `tolist` makes whole numbers
        return [*np.unique(array[~np.isnat(array)]), None]
    return sorted(set(array.ravel().tolist()), key=repr)


def _over(function: Callable, columns: np.ndarray) -> np.ndarray:
    return np.array([function(c) if np.isfinite(c).any() else 0.0 for c in columns.T], dtype=float)


def _ends(options: Mapping[str, Any], place: int, columns: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Declared ends of the columns: `bounds`, `range`, `bounds_X`, and `bounds_y` for the second part."""
    names = ("bounds_y", "range_y") if place else ("bounds", "bounds_X", "range", "ranges", "domain", "limits")
    for name in names:
        try:
            low, high = options[name]
            ends = [np.broadcast_to(np.asarray(end, dtype=float).ravel(), (columns,)).copy() for end in (low, high)]
        except (KeyError, TypeError, ValueError):
            continue
        if np.isfinite(ends).all() and (ends[0] <= ends[1]).all():
            return ends[0], ends[1]
    pairs = [(options.get(a), options.get(b)) for a, b in (("lower", "upper"), ("low", "high"), ("min", "max"))]
    for low, high in pairs if not place else []:
        if isinstance(low, int | float) and isinstance(high, int | float) and low < high:
            return np.full(columns, float(low)), np.full(columns, float(high))
    return None


def _norm(options: Mapping[str, Any]) -> float | None:
    """A declared norm of a record."""
    for name, value in options.items():
        if any(word in name for word in NORMS) and isinstance(value, int | float) and 0 < value < HUGE:
            return float(value)
    return None


def ordinary(data: tuple) -> bool:
    """Whether a dataset has finite numbers of moderate size only, in enough records that it must be accepted."""
    for part in data:
        numbers = figures(part)
        if numbers.dtype.kind in "iufb" and not bool((np.abs(numbers) < HUGE).all()):
            return False
        if hasattr(part, "iloc") and bool(np.any(part.isna())):
            return False
    return all(len(part) >= SMALL for part in data if np.ndim(part))


def typed(data: tuple, one: tuple, other: tuple) -> bool:
    """Whether integer, boolean and date arrays and pandas types keep their types.

    NaN is no whole number. A column of numbers may become one of floats, as it does where a value is missing.
    """
    return all(
        not _typed(own) or _typed(own) == _typed(a) == _typed(b) for own, a, b in zip(data, one, other, strict=True)
    )


def _typed(part: Any) -> Any:
    """What a part holds alone, if that is not every number; of a frame, of each column."""
    if hasattr(part, "iloc"):
        kinds = list(part.dtypes) if _is_table(part) else [part.dtype]
        held = tuple(None if isinstance(kind, np.dtype) and kind.kind in "iufO" else kind for kind in kinds)
        return held if any(kind is not None for kind in held) else ""
    kind = part.dtype.kind if isinstance(part, np.ndarray) else ""
    return {"b": "truth values", "i": "whole numbers", "u": "whole numbers", "M": "dates", "m": "spans"}.get(kind, "")


# One record -----------------------------------------------------------------------------------------------------------


def numbers(part: Part) -> Iterator[tuple[str, Any]]:
    """The values to try for a record, the most informative first, each with a description."""
    zero, first, last = np.clip(0, part.low, part.high), part.low.copy(), part.low.copy()
    first[:1], last[-1:] = part.high[:1], part.high[-1:]
    if len(part.low):
        yield "at the upper end of every column", part.record(part.high)
        yield "at the lower end of every column", part.record(part.low)
    for column, words, value in part.others:
        own = part.record(part.low)
        yield words, [*own[:column], value, *own[column + 1 :]]
    if not len(part.low):
        return
    tried = [
        ("NaN in every column", np.nan),
        (f"{FAR[0]:g} ranges above every column", part.high + FAR[0] * part.width),
        (f"{FAR[1]:g} ranges above every column", part.high + FAR[1] * part.width),
        (f"{FAR[1]:g} ranges below every column", part.low - FAR[1] * part.width),
    ]
    if part.norm:
        axis = np.eye(len(part.low))[0]
        tried += [
            ("at the norm on the first axis", part.norm * axis),
            ("at the norm on the diagonal", part.norm / len(axis) ** 0.5),
            ("at the norm, opposite", -part.norm * axis),
            ("at a hundred times the norm", 100 * part.norm * axis),
        ]
    tried += [("infinite in every column", np.inf), ("minus infinity in every column", -np.inf)]
    if len(part.low) > 1:
        tried += [
            ("at the upper end of the first column, else at the lower", first),
            ("at the upper end of the last column, else at the lower", last),
            ("NaN in the first column", np.where(np.arange(len(zero)) == 0, np.nan, zero)),
        ]
    tried += [
        ("zero in every column", zero),
        ("in the middle of every column", (part.low + part.high) / 2),
        (f"{FAR[2]:g} ranges above every column", np.minimum(part.width, 1e50) * FAR[2]),
        ("-0.0 in every column", -0.0),
        ("subnormal in every column", 5e-324),
    ]
    yield from ((words, part.record(entries)) for words, entries in tried)


def labels(part: Part, own: Any, first: Any) -> Iterator[tuple[str, Any]]:
    """Other labels than a record's own: the first record's, those of others, and a new one."""
    known = sorted(part.labels or [], key=lambda label: label != first)
    yield from ((f"its label {other!r}", other) for other in known if other != own)
    if known and all(isinstance(label, int | float) for label in known):
        yield f"a label that nobody has, {max(known) + 1!r}", max(known) + 1
        yield f"a label far from all others, {10**6 + max(known)!r}", 10**6 + max(known)
    elif known:
        yield "a label that nobody has", NOBODY


def records(parts: list[Part], own: tuple, label_only: bool, beside: tuple = ()) -> Iterator[tuple[str, tuple]]:
    """Replacements for a record, or records to add: its first part moved, its label moved, or both.

    Labels begin with that of the record `beside`, where there is one.
    """
    others: list[list[tuple[str, Any]]] = []
    for place, part in enumerate(parts):
        if place == 0 and label_only and (part.labels or len(part.low) or part.others):
            others.append([])
        elif part.labels:
            others.append(list(labels(part, own[place], (beside or own)[place])))
        elif len(part.low) or part.others:
            others.append(list(numbers(part)))
    together = len(others) == len(parts) > 1 and not label_only
    for turns in zip_longest(*others):
        for place, turn in enumerate(turns):
            if turn is None:
                continue
            words, value = turn
            yield words, (*own[:place], value, *own[place + 1 :])
            if together and place == 0:
                for more, label in others[1][:3]:
                    yield f"{words}, {more}", (value, label, *own[2:])
