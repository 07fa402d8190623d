"""Generates neighbouring datasets: changes of one record, on datasets moved to informative positions.

A dataset is a tuple of parts (X, y, ...) with a record a row: arrays or frames. What a record may be is read off the
parameters of the mechanism (`bounds`, `data_norm`, `radius`, ...) and else off the data: a lower and an upper end of
every column, a norm, the labels. A change replaces, adds or removes one record, as the claim's neighbours say; "label"
changes a label alone. The new record is an extreme of the declared range, lies beyond it, is NaN, infinite, -0 or
subnormal, has a class that nobody else has, or equals another one. And the dataset itself is moved first: as given, one
record, two or three, all at one end, all NaN, evenly spread, half at either end (a tie at the median) with or without a
record between them, all of one class. Most changes are of the last record; `elsewhere` changes others, for a mechanism
that weighs records by where they stand. Of a claim for users all records of one change, alike (`of_one_user`).
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice, repeat, zip_longest
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.neighbours.record_parts import SMALL, Part, described, records, typed
from lemmata.mechanisms.audit.neighbours.record_tables import all_alike, append, dataset_key, like, put, row, take

EVERYBODY = "every record"
CHANGES = 2  # of a record at each place that is not the last: what moves most comes first
EARLY, TOGETHER, LATE = 4, 12, 6  # datasets that offer at once, that join them each time, and after how many rounds


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Two datasets that differ in one record, or in those of one user, with a description."""

    data: tuple = field(repr=False)
    neighbour: tuple = field(repr=False)
    words: str
    rows: bool = True  # is it a record that differs, and not a number?
    place: int | None = None  # of the record that differs; None: the last one

    @property
    def size(self) -> int:
        """The number of records of the first dataset."""
        return np.shape(self.data[0])[0] if np.ndim(self.data[0]) else 1


# The dataset that it is put into --------------------------------------------------------------------------------------


def moved(data: tuple, parts: list[Part], narrow: bool) -> Iterator[tuple[str, tuple, list[Part]]]:
    """A moved dataset and the types of its parts; its last record is the one that will change.

    What moves a mean, a minimiser or a scale most stands in the smallest dataset that a mechanism takes, so each place
    is offered with one record and with two, and with one column to what takes any number of them (`narrow`). Of few
    records, neighbours in order differ in their label.
    """
    n, placed = len(data[0]), list(places(data, parts))
    few = [0, *_unlike(data, parts)]
    yield from ((words, base, parts) for words, base in placed)
    yield "its first record alone", tuple(part[:1] for part in data), parts
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
    """The dataset as given, with all records at one end, or half at either: first part, target, or both."""
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
    """Records evenly spaced from the lower to the upper end, so that there are no ties."""
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
    """Pairs of neighbours, the best offer of each dataset before the second; each pair once."""
    known: set[bytes] = set()
    offers: list[Iterator[Neighbours]] = []
    for words, base, told in moved(data, parts, narrow):
        if (same := dataset_key(base)) not in known:
            known.add(same)
            offers.append(_changes(words, base, told, kind))
    offers.insert(1, elsewhere(data, parts, kind))
    offers.append(counted(data, parts, kind))
    for round_ in zip_longest(
        *(chain(repeat(None, LATE * ((at + TOGETHER - EARLY) // TOGETHER)), it) for at, it in enumerate(offers))
    ):
        yield from (pair for pair in round_ if pair is not None and typed(data, pair.data, pair.neighbour))


def counted(data: tuple, parts: list[Part], kind: str) -> Iterator[Neighbours]:
    """k records at the upper end and one more or fewer, the others at the lower end, for thresholds of counts."""
    n, first = len(data[0]), parts[0]
    if not len(first.low) or n < SMALL or kind == "label":
        return
    ends = put(all_alike(data[0], first.record(first.low)), 0, first.record(first.high))
    yield from between(data, parts, kind)
    steps = sorted(
        {*range(1, 6), *range(n // 2 - 3, n // 2 + 4)} & {*range(1, n)}, key=lambda k: (abs(k - n // 2) > 3, k)
    )
    for k in steps:
        words = f"{number(k, 'record')} at the upper end, the others at the lower; one more of them"
        yield _last(data, ends, [0] * k + [1] * (n - 1 - k), 1, 0, kind, words)


def number(count: int, thing: str) -> str:
    """A count in words.

    >>> number(1, "record"), number(2, "record")
    ('1 record', '2 records')
    """
    return f"{count} {thing}{'s' * (count != 1)}"


def _last(data: tuple, kinds: Any, others: list[int], before: int, after: int, kind: str, words: str) -> Neighbours:
    """Neighbours whose first part has rows of these kinds, and whose last record goes from one to another, or comes."""
    one, other = ([*others, before], [*others, after]) if kind == "replace" else (others, [*others, after])
    sides = [(take(kinds, rows), *(part[: len(rows)] for part in data[1:])) for rows in (one, other)]
    return Neighbours(sides[0], sides[1], words)


def between(data: tuple, parts: list[Part], kind: str) -> Iterator[Neighbours]:
    """Half of the records at either end, one near an end, and one that crosses it, for medians.

    Values on one side of it then become likelier and all others less likely, or the other way round.
    """
    n, first = len(data[0]), parts[0]
    for near in (0.15, 0.85, 0.5):
        three = put(all_alike(data[0], first.record(first.low)), 0, first.record(first.high))
        three = put(three, 1, first.record(first.low + near * first.width))
        for low in (n // 2 - 1, n // 2 - 2):
            words = f"{number(low, 'record')} at the lower end, one {near:.0%} above it, the others at the upper"
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
            yield pair(base, _inserted(base, n, record), f"{words}; one record more, {change}")
        elif n > 1 or kind == "replace":
            yield pair(base, _replaced(base, n - 1, record), f"{words}; one record replaced: {change}")
    if kind == "replace" and n > 1:
        other = tuple(put(part, n - 1, row(part, 0)) for part in base)
        yield pair(base, other, f"{words}; one record replaced: equal to the first")


def elsewhere(data: tuple, parts: list[Part], kind: str) -> Iterator[Neighbours]:
    """Changes of a record at the front, next to either end and in the middle, of datasets of either parity."""
    n, first = len(data[0]), parts[0]
    if n < 3:
        return
    bases = [("the data as given", data)]
    if len(first.low):
        ends = put(all_alike(data[0], first.record(first.low)), 1, first.record(first.high))
        bases.append(("every record at the lower end", (take(ends, [0] * n), *data[1:])))
        bases.append(("the ends in turns", (take(ends, [at % 2 for at in range(n)]), *data[1:])))
    bases += [(f"{words}; without its last record", _rows(base, [*range(n - 1)])) for words, base in bases if n > 3]
    for change in range(CHANGES):
        for place in (0, 1, n // 2, n - 2):
            for words, base in bases:
                if place < len(base[0]) - 1:
                    yield from _change_at(words, base, parts, kind, place, change)


def _change_at(words: str, base: tuple, parts: list[Part], kind: str, place: int, change: int) -> Iterator[Neighbours]:
    """The `change`-th change of the record at a place, or one more or fewer there."""
    n = len(base[0])
    own, first = (tuple(row(part, at) for part in base) for at in (place, 0))
    where = f"record {place + 1} of {n}"
    if kind == "add/remove" and not change:
        yield Neighbours(
            base, _rows(base, [at for at in range(n) if at != place]), f"{words}; {where} removed", place=place
        )
    for said, record in islice(records(parts, own, kind == "label", first), change, change + 1):
        if kind == "add/remove":
            made = pair(base, _inserted(base, place, record), f"{words}; one record more before {where}, {said}")
        else:
            made = pair(base, _replaced(base, place, record), f"{words}; {where} replaced: {said}")
        yield replace(made, place=place)


def _inserted(data: tuple, place: int, record: tuple) -> tuple:
    """The dataset with one record more, before the one at a place or at the end."""
    n = len(data[0])
    order = [*range(place), n, *range(place, n)]
    return tuple(take(append(part, value), order) for part, value in zip(data, record, strict=True))


def _replaced(data: tuple, place: int, record: tuple) -> tuple:
    return tuple(put(part, place, value) for part, value in zip(data, record, strict=True))


def pair(one: tuple, other: tuple, words: str) -> Neighbours:
    """Two datasets as neighbours with parts of equal types: a type is not a record."""
    return Neighbours(tuple(like(a, b) for a, b in zip(one, other, strict=True)), other, words)


def alone(value: Any, options: Mapping[str, Any]) -> Iterator[Neighbours]:
    """A single number, boolean or string is one record, which any other value replaces."""
    data = (np.asarray([value]),)
    for words, record in records(described(data, options), (value,), False):
        found = pair(data, (put(data[0], 0, record[0]),), f"the value as given; replaced: {words}")
        one, other = found.data[0], found.neighbour[0]
        if typed(data, (one,), (other,)) and not np.array_equal(one, other):
            yield replace(found, data=(one[0],), neighbour=(other[0],))


def of_one_user(pairs: Iterator[Neighbours], records: int, user: Any = None) -> Iterator[Neighbours]:
    """Pairs that differ in up to so many records, as the record of a pair, and the pairs themselves.

    With `user`, a column of a frame that is the first part, in all records with the same entry there, which stays.
    """
    known: set[bytes] = set()
    for one in pairs:
        for wide in _of_user(one, records, user) if user is not None else [_wider(one, records), one]:
            if (same := dataset_key(wide.data) + dataset_key(wide.neighbour)) not in known:
                known.add(same)
                yield wide


def _wider(one: Neighbours, records: int) -> Neighbours:
    n, m = len(one.data[0]), len(one.neighbour[0])
    place = min(n, m) - (n == m) if one.place is None else one.place
    count = records if n < m else min(records, n - (n > m))
    first = place if n < m else max(0, min(place, n - count))
    if n == m:
        changed = _copied(one, place, range(first, first + count))
    elif n < m:
        changed = _rows(one.neighbour, [*range(place), *[place] * count, *range(place + 1, m)])
    else:
        changed = _rows(one.data, [*range(first), *range(first + count, n)])
    return replace(one, neighbour=changed, words=f"{one.words}; {count} such records of a user", place=first)


def _of_user(one: Neighbours, records: int, user: Any) -> Iterator[Neighbours]:
    """The pair with all records of the user of the one that differs, unless there are too many."""
    n, m = len(one.data[0]), len(one.neighbour[0])
    place = min(n - 1, min(n, m) - (n == m) if one.place is None else one.place)
    names = one.data[0][user]
    own = {place, *np.flatnonzero(np.asarray(names == names.iloc[place])).tolist()}
    words = f"{one.words}; all {number(len(own), 'record')} of that user"
    if len(own) > records > 1:
        return
    if n == m:
        table, *others = _copied(one, place, own)
        table = table.copy()
        table.isetitem(table.columns.get_loc(user), names.array)
        yield replace(one, neighbour=(table, *others), words=words)
    elif len(own) < n:
        yield replace(one, neighbour=_rows(one.data, [at for at in range(n) if at not in own]), words=words)


def _copied(one: Neighbours, place: int, own: Container[int]) -> tuple:
    """The second dataset with its record at a place at others too, in those parts that differ: labels come alone."""
    rows, made = [place if at in own else at for at in range(len(one.data[0]))], []
    for old, changed in zip(one.data, one.neighbour, strict=True):
        new = take(changed, rows) if dataset_key((old,)) != dataset_key((changed,)) else old
        made.append(new.set_axis(changed.index) if hasattr(new, "iloc") else new)
    return tuple(made)
