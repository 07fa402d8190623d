"""Neighbouring datasets that nobody typed in: kinds of change to one record, of datasets moved to where they tell.

A dataset is a tuple of parts (X, y, ...) with a record a row: arrays or frames. What a record may be is read off the
parameters of the mechanism (`bounds`, `data_norm`, `radius`, ...) and else off the data: a lower and an upper end of
every column, a norm, the labels. A change replaces, adds or removes one record, as the claim's neighbours say; "label"
changes a label alone. The new record is an extreme of the declared range, lies beyond it, is NaN, infinite, -0 or
subnormal, has a class that nobody else has, or equals another one. And the dataset itself is moved first: as given, one
record, two or three, all at one end, all NaN, evenly spread, half at either end (a tie at the median) with or without a
record between them, all of one class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, repeat, zip_longest
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.tables import all_alike, append, dataset_key, put, row, take

CLASSES = 20  # so many distinct whole numbers at most are labels
HUGE = 1e100  # what is larger, infinite or NaN a mechanism may refuse as no number at all
FAR = (10.0, 1e6, 1e200)  # widths of the range beyond which a record is put
SMALL = 3  # records: a dataset with fewer a mechanism may refuse
NORMS = ("norm", "radius", "clip")
EVERYBODY, NOBODY = "every record", "nobody's"
EARLY, TOGETHER, LATE = 4, 12, 6  # datasets that offer at once, that join them each time, and after how many rounds


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Two datasets that differ in one record, in words."""

    data: tuple = field(repr=False)
    neighbour: tuple = field(repr=False)
    words: str
    rows: bool = True  # is it a record that differs, and not a number?

    @property
    def size(self) -> int:
        """How many records the first dataset has."""
        return np.shape(self.data[0])[0] if np.ndim(self.data[0]) else 1


@dataclass(frozen=True)
class Part:
    """What the entries of a part of the data may be: ends of every column, shape (columns,); labels if it has some."""

    low: np.ndarray
    high: np.ndarray
    norm: float | None
    labels: list | None
    shape: tuple[int, ...]  # of a record
    declared: bool = False  # are the ends the mechanism's own?
    mixed: tuple[np.ndarray, list] | None = None  # of a frame with other columns: where its numbers stand, and a record
    whole: bool = False  # of an array of whole numbers or truth values
    words: tuple[tuple[int, str, str], ...] = ()  # of such a frame: column, its name, a text that may stand there

    @property
    def width(self) -> np.ndarray:
        """Of the range of every column."""
        return np.maximum(self.high - self.low, 1e-300)

    def record(self, entries: Any) -> Any:
        """So many entries as a record has; what is no number in a frame stays as in its first record."""
        if self.mixed:
            where, own = self.mixed
            told = dict(zip(where.tolist(), np.broadcast_to(entries, self.low.shape).tolist(), strict=True))
            return [told.get(place, value) for place, value in enumerate(own)]
        entries = np.asarray(entries, dtype=float)
        return np.broadcast_to(np.round(entries) if self.whole else entries, self.low.shape).reshape(self.shape)


def described(data: tuple, options: Mapping[str, Any]) -> list[Part]:
    """The kind of every part of the data, from the mechanism's options and else from the data."""
    return [_part(part, place, options) for place, part in enumerate(data)]


def _part(part: Any, place: int, options: Mapping[str, Any]) -> Part:
    array, mixed = np.asarray(part), None
    if hasattr(part, "dtypes") and array.ndim == 2 and array.dtype.kind == "O":
        where = np.flatnonzero([kind.kind in "iuf" for kind in part.dtypes])
        array, mixed = part.iloc[:, where].to_numpy(dtype=float), (where, list(part.iloc[0]))
    if not array.size or array.dtype.kind not in "biuf":
        return Part(np.zeros(0), np.zeros(0), None, _known(array), array.shape[1:])
    flat = array.reshape(len(array), -1).astype(float)
    columns = flat.shape[1]
    finite = np.where(np.isfinite(flat), flat, np.nan)
    declared = _ends(options, place, columns)
    low, high = declared or (_over(np.nanmin, finite), _over(np.nanmax, finite))
    if array.dtype.kind == "b":
        low, high = np.zeros(columns), np.ones(columns)
    high = np.where(high > low, high, low + 1)
    whole = array.ndim == 1 and place and len(np.unique(array)) <= CLASSES and np.array_equal(flat, np.round(finite))
    norm = _norm(options) if not place else None
    told = _known(array) if whole else None
    words = tuple(_words(part)) if mixed else ()
    return Part(low, high, norm, told, array.shape[1:], declared is not None, mixed, _typed(part) != "", words)


def _words(frame: Any) -> Iterator[tuple[int, str, str]]:
    """For each column of texts one that another record has than the first, and one that nobody has."""
    for place, name in enumerate(frame.columns):
        own = frame.iloc[:, place].tolist()
        if isinstance(own[0], str) and frame.dtypes.iloc[place].name != "category":
            other = next((text for text in own if isinstance(text, str) and text != own[0]), NOBODY)
            yield from ((place, str(name), text) for text in dict.fromkeys((other, NOBODY)))


def _known(array: np.ndarray) -> list:
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
    """Does a dataset hold finite numbers of some size only, in at least so many records that nobody may refuse it?"""
    numbers = [np.asarray(part) for part in data]
    finite = [np.abs(part) < HUGE for part in numbers if part.dtype.kind in "iufb"]
    return all(bool(part.all()) for part in finite) and all(len(part) >= SMALL for part in numbers if part.ndim)


# One record -----------------------------------------------------------------------------------------------------------


def numbers(part: Part) -> Iterator[tuple[str, Any]]:
    """What the record may be put to, most telling first: in words, and the record."""
    zero, first, last = np.clip(0, part.low, part.high), part.low.copy(), part.low.copy()
    first[0], last[-1] = part.high[0], part.high[-1]
    yield "at the upper end of every column", part.record(part.high)
    yield "at the lower end of every column", part.record(part.low)
    for column, name, text in part.words:
        own = part.record(part.low)
        yield f"{text!r} in {name}", [*own[:column], text, *own[column + 1 :]]
    yield "NaN in every column", part.record(np.nan)
    yield f"{FAR[0]:g} ranges above every column", part.record(part.high + FAR[0] * part.width)
    yield f"{FAR[1]:g} ranges above every column", part.record(part.high + FAR[1] * part.width)
    yield f"{FAR[1]:g} ranges below every column", part.record(part.low - FAR[1] * part.width)
    if part.norm:
        axis = np.eye(len(part.low))[0]
        yield "at the norm on the first axis", part.record(part.norm * axis)
        yield "at the norm on the diagonal", part.record(part.norm / len(axis) ** 0.5)
        yield "at the norm, opposite", part.record(-part.norm * axis)
        yield "at a hundred times the norm", part.record(100 * part.norm * axis)
    yield "infinite in every column", part.record(np.inf)
    yield "minus infinity in every column", part.record(-np.inf)
    if len(part.low) > 1:
        yield "at the upper end of the first column, else at the lower", part.record(first)
        yield "at the upper end of the last column, else at the lower", part.record(last)
        yield "NaN in the first column", part.record(np.where(np.arange(len(zero)) == 0, np.nan, zero))
    yield "zero in every column", part.record(zero)
    yield "in the middle of every column", part.record((part.low + part.high) / 2)
    yield f"{FAR[2]:g} ranges above every column", part.record(np.minimum(part.width, 1e50) * FAR[2])
    yield "-0.0 in every column", part.record(-0.0)
    yield "subnormal in every column", part.record(5e-324)


def labels(part: Part, own: Any, first: Any) -> Iterator[tuple[str, Any]]:
    """Other labels than a record's own: the first record's, those that others have, one that nobody has."""
    known = sorted(part.labels or [], key=lambda label: label != first)
    yield from ((f"its label {other!r}", other) for other in known if other != own)
    if known and all(isinstance(label, int | float) for label in known):
        yield f"a label that nobody has, {max(known) + 1!r}", max(known) + 1
        yield f"a label far from all others, {10**6 + max(known)!r}", 10**6 + max(known)
    elif known:
        yield "a label that nobody has", NOBODY


def records(parts: list[Part], own: tuple, label_only: bool, beside: tuple = ()) -> Iterator[tuple[str, tuple]]:
    """What a record may be replaced by, or what may be added: its first part moved, its label moved, or both.

    Labels begin with that of the record `beside`, where there is one.
    """
    others: list[list[tuple[str, Any]]] = []
    for place, part in enumerate(parts):
        if place == 0 and label_only and (part.labels or len(part.low)):
            others.append([])
        elif part.labels:
            others.append(list(labels(part, own[place], (beside or own)[place])))
        elif len(part.low):
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


# The dataset that it is put into --------------------------------------------------------------------------------------


def moved(data: tuple, parts: list[Part], narrow: bool) -> Iterator[tuple[str, tuple, list[Part]]]:
    """The dataset, where it may be moved to, and the kind of its parts: the last record is the one that will change.

    What moves a mean, a minimiser or a scale most stands in the smallest dataset that a mechanism takes, so each place
    is offered with one record and with two, and with one column to what takes any number of them (`narrow`). Of few
    records, neighbours in order differ in their label.
    """
    n, placed = len(data[0]), list(places(data, parts))
    few = [0, *_unlike(data, parts)]
    yield from ((words, base, parts) for words, base in placed)
    alone = tuple(part[:1] for part in data)
    yield "its first record alone", alone, parts
    for count, words in ((2, "two"), (3, "three")):
        if n > count:
            yield f"{words} of its records", _rows(data, few[:count]), parts
    narrow = narrow and isinstance(data[0], np.ndarray) and data[0].ndim == 2 and data[0].shape[1] > 1
    cut = [replace(parts[0], low=parts[0].low[:1], high=parts[0].high[:1], shape=(1,)), *parts[1:]]
    for words, base in placed[1:]:
        if words.startswith(EVERYBODY):
            yield f"one record, {words.removeprefix(EVERYBODY).strip()}", tuple(part[:1] for part in base), parts
            if n > 2:
                yield f"two records, {words.removeprefix(EVERYBODY).strip()}", _rows(base, few[:2]), parts
    if narrow and len(parts[0].low):
        for words, base in placed:
            yield f"{words}; its first column alone", (base[0][:, :1], *base[1:]), cut
        for words, base in placed[1:]:
            if words.startswith(EVERYBODY):
                one = base[0][:1, :1], *(part[:1] for part in base[1:])
                yield f"one record and column, {words.removeprefix(EVERYBODY).strip()}", one, cut


def _rows(data: tuple, chosen: list[int]) -> tuple:
    return tuple(take(part, chosen) for part in data)


def _unlike(data: tuple, parts: list[Part]) -> list[int]:
    """The record with another label than the first one, and the last record, or what stands for them."""
    n = len(data[0])
    labelled = next((place for place, part in enumerate(parts) if part.labels), None)
    if labelled is None:
        return [n - 1, n // 2]
    own = [row(data[labelled], at) for at in range(n)]
    other = next((at for at in range(1, n) if own[at] != own[0]), n - 1)
    return [other, n - 1 if other != n - 1 else n // 2]


def places(data: tuple, parts: list[Part]) -> Iterator[tuple[str, tuple]]:
    """As given, all records at one end, half at either: their first part, a target of theirs, or both."""
    n = len(data[0])
    yield "the data as given", data
    first = parts[0]
    if len(first.low) and n > 1:
        for words, entries in (("at the lower end", first.low), ("at the upper end", first.high)):
            yield f"{EVERYBODY} {words}", (all_alike(data[0], first.record(entries)), *data[1:])
        if np.any(np.clip(0, first.low, first.high) != first.low):
            zero = first.record(np.clip(0, first.low, first.high))
            yield f"{EVERYBODY} at zero", (all_alike(data[0], zero), *data[1:])
        if not first.declared:
            yield f"{EVERYBODY} at one", (all_alike(data[0], first.record(1.0)), *data[1:])
        yield f"{EVERYBODY} NaN", (all_alike(data[0], first.record(np.nan)), *data[1:])
    for place, part in enumerate(parts):
        if n < 2 or not (place or part.labels):
            continue
        for words, value in _settled(part):
            yield (
                f"{EVERYBODY} with {words}",
                tuple(all_alike(p, value) if at == place else p for at, p in enumerate(data)),
            )
        for words, value in _settled(part) if place and len(first.low) else []:
            both = (
                all_alike(data[0], first.record(first.low)),
                *data[1:place],
                all_alike(data[place], value),
                *data[place + 1 :],
            )
            yield f"{EVERYBODY} at the lower end with {words}", both
    if len(first.low) and n > 3:
        ends = put(all_alike(data[0], first.record(first.low)), 0, first.record(first.high))
        half = take(ends, [0] * (n // 2) + [1] * (n - n // 2))
        yield "half of the records at either end", (half, *data[1:])
        yield "the records spread evenly between the ends", (spread(data[0], first), *data[1:])


def spread(array: Any, part: Part) -> Any:
    """One record after the other a step from the lower end to the upper; what repeats nothing has no ties."""
    found = all_alike(array, part.record(part.low))
    for place, share in enumerate(np.linspace(0, 1, len(found))):
        found = put(found, place, part.record(part.low + share * part.width))
    return found


def _settled(part: Part) -> list[tuple[str, Any]]:
    """What all of a part may be: each of two labels, or either end."""
    if part.labels:
        return [(f"label {label!r}", label) for label in part.labels[:2]]
    ends = (("lower", part.low), ("upper", part.high)) if len(part.low) else ()
    return [(f"its target at the {words} end", part.record(entries)) for words, entries in ends]


def neighbouring(data: tuple, parts: list[Part], kind: str, narrow: bool = True) -> Iterator[Neighbours]:
    """Pairs of neighbours, what each dataset offers first before what it offers second; a dataset offers once."""
    known: set[bytes] = set()
    offers: list[Iterator[Neighbours]] = []
    for words, base, told in moved(data, parts, narrow):
        if (same := dataset_key(base)) not in known:
            known.add(same)
            offers.append(_changes(words, base, told, kind))
    offers.append(counted(data, parts, kind))
    for round_ in zip_longest(
        *(chain(repeat(None, LATE * ((at + TOGETHER - EARLY) // TOGETHER)), it) for at, it in enumerate(offers))
    ):
        yield from (pair for pair in round_ if pair is not None and typed(data, pair))


def typed(data: tuple, pair: Neighbours) -> bool:
    """Do arrays of whole numbers, and of truth values, stay what they are? NaN is no record of theirs.

    A column of a frame may become one of floats, as it does where a value is missing.
    """
    sides = zip(data, pair.data, pair.neighbour, strict=True)
    return all(not _typed(own) or _typed(own) == _typed(one) == _typed(other) for own, one, other in sides)


def _typed(part: Any) -> str:
    """What an array holds alone, if that is not every number."""
    kind = part.dtype.kind if isinstance(part, np.ndarray) else ""
    return {"b": "truth values", "i": "whole numbers", "u": "whole numbers"}.get(kind, "")


def counted(data: tuple, parts: list[Part], kind: str) -> Iterator[Neighbours]:
    """One record more or less at the upper end, all others at the lower: a threshold of a count lies somewhere."""
    n, first = len(data[0]), parts[0]
    if not len(first.low) or n < SMALL or kind == "label":
        return
    ends = put(all_alike(data[0], first.record(first.low)), 0, first.record(first.high))
    yield from between(data, parts, kind)
    steps = sorted(
        {*range(1, 6), *range(n // 2 - 3, n // 2 + 4)} & {*range(1, n)}, key=lambda k: (abs(k - n // 2) > 3, k)
    )
    for k in steps:
        words = f"{k} records at the upper end, the others at the lower; one more of them"
        yield _last(data, ends, [0] * k + [1] * (n - 1 - k), 1, 0, kind, words)


def _last(data: tuple, kinds: Any, others: list[int], before: int, after: int, kind: str, words: str) -> Neighbours:
    """Neighbours whose first part has rows of these kinds, and whose last record goes from one to another, or comes."""
    one, other = ([*others, before], [*others, after]) if kind == "replace" else (others, [*others, after])
    sides = [(take(kinds, rows), *(part[: len(rows)] for part in data[1:])) for rows in (one, other)]
    return Neighbours(sides[0], sides[1], words)


def between(data: tuple, parts: list[Part], kind: str) -> Iterator[Neighbours]:
    """Half of the records at either end, one near an end, and one that crosses it: a median moves over that record.

    Values on one side of it then become likelier and all others less likely, or the other way round.
    """
    n, first = len(data[0]), parts[0]
    for near in (0.15, 0.85, 0.5):
        three = put(all_alike(data[0], first.record(first.low)), 0, first.record(first.high))
        three = put(three, 1, first.record(first.low + near * first.width))
        for low in (n // 2 - 1, n // 2 - 2):
            words = f"{low} records at the lower end, one {near:.0%} above it, the others at the upper"
            others = [0] * low + [1] + [2] * (n - 2 - low)
            yield _last(data, three, others, 0, 2, kind, f"{words}; one record crosses to the upper end")


def _changes(words: str, base: tuple, parts: list[Part], kind: str) -> Iterator[Neighbours]:
    n = len(base[0])
    own, first = (tuple(row(part, at) for part in base) for at in (n - 1, 0))
    if kind == "add/remove":
        if n > 2:
            yield Neighbours(base, tuple(part[: n - 1] for part in base), f"{words}; its last record removed")
        yield Neighbours(base, tuple(append(part, row(part, 0)) for part in base), f"{words}; its first record twice")
    for change, record in records(parts, own, kind == "label", first):
        if kind == "add/remove":
            other = tuple(append(part, value) for part, value in zip(base, record, strict=True))
            yield pair(base, other, f"{words}; one record more, {change}")
        elif n > 1 or kind == "replace":
            other = tuple(put(part, n - 1, value) for part, value in zip(base, record, strict=True))
            yield pair(base, other, f"{words}; one record replaced: {change}")
    if kind == "replace" and n > 1:
        other = tuple(put(part, n - 1, row(part, 0)) for part in base)
        yield pair(base, other, f"{words}; one record replaced: equal to the first")


def pair(one: tuple, other: tuple, words: str) -> Neighbours:
    """Two datasets as neighbours, whose parts have the same types: a type is not a record."""
    return Neighbours(tuple(_like(a, b) for a, b in zip(one, other, strict=True)), other, words)


def _like(part: Any, model: Any) -> Any:
    if isinstance(part, np.ndarray) and part.dtype != model.dtype:
        return part.astype(model.dtype)
    return part.astype(model.dtypes.to_dict()) if hasattr(part, "iloc") and np.ndim(part) == 2 else part


def alone(value: Any, options: Mapping[str, Any]) -> Iterator[Neighbours]:
    """A number, a truth value or a text is one record, which is replaced by any other."""
    data = (np.asarray([value]),)
    for words, record in records(described(data, options), (value,), False):
        changed = put(data[0], 0, record[0])
        if changed.dtype.kind != data[0].dtype.kind or np.array_equal(changed, data[0]):
            continue  # another type, or no other value
        yield Neighbours((data[0].astype(changed.dtype)[0],), (changed[0],), f"the value as given; replaced: {words}")
