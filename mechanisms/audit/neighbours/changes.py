"""Generates neighbouring datasets: changes of one record, on datasets moved to informative positions.

A dataset is a tuple of parts (X, y, ...) with a record a row: arrays or frames. What a record may be is read off the
parameters of the mechanism (`bounds`, `data_norm`, `radius`, ...) and else off the data: a lower and an upper end of
every column, a norm, the labels. A change replaces, adds or removes one record, as the claim's neighbours say; "label"
changes a label alone. The new record is an extreme of the declared range, lies beyond it, is NaN, infinite, -0 or
subnormal, has a class that nobody else has, or equals another one. And the dataset itself is moved first: as given, one
record, two or three, all at one end, all NaN, evenly spread, half at either end (a tie at the median) with or without a
record between them, all of one class. Then the record at every other place is changed (`elsewhere`), for a mechanism
that weighs, pairs or windows records by their places; of very many places, in blocks first (`in_blocks`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice, product, repeat, zip_longest
from math import isqrt
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.neighbours.record_parts import NOBODY, SMALL, Part, described, records, typed
from lemmata.mechanisms.audit.neighbours.record_tables import all_alike, append, dataset_key, like, put, row, take

EVERYBODY = "every record"
CHANGES = 2  # of a record at each place that is not the last: what moves most comes first
ENDS, LONG = 3, 12  # places of a dataset in runs whose records are changed, and records of a run at most
PLACES, MOST = 12, 128  # of a moved dataset whose records are changed, and of the data as given
AT_ONCE = 8  # changes at other places in a round: each costs one release, unless it shows a move for the first time
TWICE = 32  # records up to which all of them are put there twice, for another size
EARLY, TOGETHER, LATE = 4, 12, 6  # datasets that offer at once, that join them each time, and after how many rounds


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Two datasets that differ in one record, or in those of one user, with a description."""

    data: tuple = field(repr=False)
    neighbour: tuple = field(repr=False)
    words: str
    rows: bool = True  # is it a record that differs, and not a number?
    place: int | None = None  # of the record that differs; None: the last one
    inner: Callable[[], Iterator[Any]] | None = None  # of several records changed at once: the pairs that change one

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
            yield f"{words} of its records", select(data, few[:count]), parts
    narrow = narrow and isinstance(data[0], np.ndarray) and data[0].ndim == 2 and data[0].shape[1] > 1
    cut = [replace(parts[0], low=parts[0].low[:1], high=parts[0].high[:1], shape=(1,)), *parts[1:]]
    for words, base in placed[1:]:
        if words.startswith(EVERYBODY):
            yield f"one record, {words.removeprefix(EVERYBODY).strip()}", tuple(part[:1] for part in base), parts
            if n > 2:
                yield f"two records, {words.removeprefix(EVERYBODY).strip()}", select(base, few[:2]), parts
    if narrow and len(parts[0].low):
        for words, base in placed:
            yield f"{words}; its first column alone", (base[0][:, :1], *base[1:]), cut
        for words, base in placed[1:]:
            if words.startswith(EVERYBODY):
                one = base[0][:1, :1], *(part[:1] for part in base[1:])
                yield f"one record and column, {words.removeprefix(EVERYBODY).strip()}", one, cut


def select(data: tuple, chosen: list[int]) -> tuple:
    """The dataset of those records, in their order."""
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


def neighbouring(
    data: tuple, parts: list[Part], kind: str, narrow: bool = True, rng: np.random.Generator | None = None
) -> Iterator[Neighbours]:
    """Pairs of neighbours, the best offer of each dataset before the second; each pair once.

    `rng` chooses places among many, and a dataset at random.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    known: set[bytes] = set()
    offers: list[Iterator[Neighbours]] = []
    for words, base, told in moved(data, parts, narrow):
        if (same := dataset_key(base)) not in known:
            known.add(same)
            offers.append(_changes(words, base, told, kind))
    offers.append(counted(data, parts, kind))
    delayed = (chain(repeat(None, LATE * ((at + TOGETHER - EARLY) // TOGETHER)), it) for at, it in enumerate(offers))
    others = elsewhere(data, parts, kind, rng)
    rounds = (chain(round_, islice(others, AT_ONCE)) for round_ in zip_longest(*delayed))
    for offered in chain(chain.from_iterable(rounds), others, in_blocks(data, parts, kind, rng)):
        if offered is not None and typed(data, offered.data, offered.neighbour):
            yield offered


def counted(data: tuple, parts: list[Part], kind: str) -> Iterator[Neighbours]:
    """k records at the upper end and one more or fewer, the others at the lower end, for thresholds of counts.

    Of texts and categories k records have another value than the rest.
    """
    n, two = len(data[0]), two_values(data[0], parts[0])
    if two is None or n < SMALL or kind == "label":
        return
    ended = len(parts[0].low) > 0
    if ended:
        yield from between(data, parts, kind)
    steps = sorted(
        {*range(1, 6), *range(n // 2 - 3, n // 2 + 4)} & {*range(1, n)}, key=lambda k: (abs(k - n // 2) > 3, k)
    )
    for k in steps:
        where = ("at the upper end", "at the lower") if ended else ("of another value", "alike")
        words = f"{number(k, 'record')} {where[0]}, the others {where[1]}; one more of them"
        yield _last(data, two, [1] * k + [0] * (n - 1 - k), 0, 1, kind, words)


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
        for low in dict.fromkeys((n // 2 - 1, max(n // 2 - 2, 0))):
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
            yield pair(base, inserted(base, n, record), f"{words}; one record more, {change}")
        elif n > 1 or kind == "replace":
            yield pair(base, replaced(base, n - 1, record), f"{words}; one record replaced: {change}")
    if kind == "replace" and n > 1:
        other = tuple(put(part, n - 1, row(part, 0)) for part in base)
        yield pair(base, other, f"{words}; one record replaced: equal to the first")


def elsewhere(data: tuple, parts: list[Part], kind: str, rng: np.random.Generator) -> Iterator[Neighbours]:
    """Changes of the record at every place, of datasets of either parity; of many records at some places only."""
    n = len(data[0])
    if n < 3:
        return
    bases = [*patterns(data, parts, rng)]
    bases += [(f"{words}; without its last record", select(base, [*range(n - 1)])) for words, base in bases if n > 3]
    bases += [("every record twice", select(data, [*range(n), *range(n)]))] * (n <= TWICE)
    swept = [
        (words, base, positions(len(base[0]), PLACES if at else MOST, rng)) for at, (words, base) in enumerate(bases)
    ]
    swept += [(words, base, positions(n, ENDS, rng)) for words, base in runs(data, parts)]
    for change, turn in product(range(CHANGES), range(MOST)):
        for words, base, chosen in swept:
            if turn < len(chosen):
                yield from _change_at(words, base, parts, kind, chosen[turn], change)


def in_blocks(data: tuple, parts: list[Part], kind: str, rng: np.random.Generator) -> Iterator[Neighbours]:
    """Of many equal records a block that changes at once, and the pairs that change one record of it (`inner`).

    Group testing: where one place among n counts otherwise than all others, only its block moves a release otherwise
    than the first block does, and about 2 sqrt(n) releases find it.
    """
    n, wide = len(data[0]), isqrt(len(data[0]))
    equal = islice(patterns(data, parts, rng), 1, 2) if n > MOST else ()
    for words, base in equal:
        own = tuple(row(part, 0) for part in base)
        for said, record in islice(records(parts, own, kind == "label", own), CHANGES):
            more = tuple(append(part, value) for part, value in zip(base, record, strict=True))
            for start in range(0, n - 1, wide):
                block = range(min(start, n - 1 - wide), min(start + wide, n - 1))
                rest = [*range(block.start)], [*range(block.start if kind == "add/remove" else block.stop, n)]
                other = select(more, [*rest[0], *[n] * wide, *rest[1]])
                made = pair(base, other, f"{words}; {wide} records from {number_of(block.start, n)} on: {said}")
                changed = partial(_change_at, words, base, parts, kind)
                yield replace(made, inner=partial(_at_each, changed, block))


def _at_each(changed: Callable, block: range) -> Iterator[Neighbours]:
    return chain.from_iterable(changed(place, change) for change in range(CHANGES) for place in block)


def positions(n: int, most: int, rng: np.random.Generator) -> list[int]:
    """Places before the last of n records, `most` at most: the ends and the middle first, then random ones.

    >>> positions(6, 9, np.random.default_rng(0))[:4]
    [0, 4, 3, 1]
    """
    first = [0, n - 2, n // 2, 1, n // 2 - 1, n - 3]
    return list(dict.fromkeys([at for at in first if 0 <= at < n - 1] + rng.permutation(n - 1).tolist()))[:most]


def patterns(data: tuple, parts: list[Part], rng: np.random.Generator) -> Iterator[tuple[str, tuple]]:
    """The dataset as given, and its first part with two values in turns, in runs of three and at random."""
    yield "the data as given", data
    two, n = two_values(data[0], parts[0]), len(data[0])
    if two is not None:
        at = np.arange(n)
        ended = len(parts[0].low) > 0
        for named, which in (
            (f"{EVERYBODY} {'at the lower end' if ended else 'alike'}", 0 * at),
            ("two values in turns", at % 2),
            ("two values in runs of three", at // 3 % 2),
            ("two values at random", rng.integers(2, size=n)),
        ):
            yield named, (take(two, which.tolist()), *data[1:])


def runs(data: tuple, parts: list[Part]) -> Iterator[tuple[str, tuple]]:
    """The first part all at the upper end, or with two values in runs, for windows and blocks of any number of records.

    One record more in front moves every block on by one; one among equal records counts in every window around it.
    """
    two, n = two_values(data[0], parts[0]), len(data[0])
    for wide in (n, 2, *range(4, min(n // 2, LONG) + 1)) if two is not None else ():
        words = f"two values in runs of {wide}" if wide < n else f"{EVERYBODY} at the upper end, or of another value"
        yield words, (take(two, [int(at // wide % 2 or wide == n) for at in range(n)]), *data[1:])


def two_values(array: Any, part: Part) -> Any:
    """An array that begins with two records that differ: both ends of the range, or two labels; None if there are none.

    A frame without numbers differs in its first column that may hold another value.
    """
    if len(array) < 2:
        return None
    if len(part.low):
        one, other = part.record(part.low), part.record(part.high)
    elif part.labels:
        one, other = [*part.labels, NOBODY][:2]
    elif part.others:
        column, _, value = part.others[0]
        one = other = row(array, 0)
        other = [*one[:column], value, *one[column + 1 :]]
    else:
        return None
    return put(all_alike(array, one), 1, other)


def _change_at(words: str, base: tuple, parts: list[Part], kind: str, place: int, change: int) -> Iterator[Neighbours]:
    """The `change`-th change of the record at a place, or one more or fewer there."""
    n = len(base[0])
    own, first = (tuple(row(part, at) for part in base) for at in (place, 0))
    where = number_of(place, n)
    if kind == "add/remove" and not change:
        yield Neighbours(
            base, select(base, [at for at in range(n) if at != place]), f"{words}; {where} removed", place=place
        )
    for said, record in islice(records(parts, own, kind == "label", first), change, change + 1):
        if kind == "add/remove":
            made = pair(base, inserted(base, place, record), f"{words}; one record more before {where}, {said}")
        else:
            made = pair(base, replaced(base, place, record), f"{words}; {where} replaced: {said}")
        yield replace(made, place=place)


def again(one: Neighbours, most: int, rng: np.random.Generator) -> Iterator[Neighbours]:
    """The neighbour as a dataset, changed at another place as it was changed itself: in its label alone, if so."""
    n, m = one.size, np.shape(one.neighbour[0])[0] if np.ndim(one.neighbour[0]) else 0
    if not one.rows or m < max(n, 2):
        return
    at = m - 1 if one.place is None else one.place
    record, base = tuple(row(part, at) for part in one.neighbour), one.neighbour
    same = [n == m and dataset_key((old,)) == dataset_key((new,)) for old, new in zip(one.data, base, strict=True)]
    for place in positions(m, most, rng):
        values = [row(part, place) if kept else value for part, kept, value in zip(base, same, record, strict=True)]
        changed = inserted(base, place, record) if n < m else replaced(base, place, tuple(values))
        yield replace(pair(base, changed, f"{one.words}; the same of {number_of(place, m)}"), place=place)


def number_of(place: int, n: int) -> str:
    """`record 2 of 9`, the one at place 1."""
    return f"record {place + 1} of {n}"


def inserted(data: tuple, place: int, record: tuple) -> tuple:
    """The dataset with one record more, before the one at a place or at the end."""
    n = len(data[0])
    order = [*range(place), n, *range(place, n)]
    return tuple(take(append(part, value), order) for part, value in zip(data, record, strict=True))


def replaced(data: tuple, place: int, record: tuple) -> tuple:
    """The dataset with another record at a place."""
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
