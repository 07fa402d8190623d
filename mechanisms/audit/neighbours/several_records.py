"""Neighbours of a claim for several records: all those of one user, or two that are exchanged.

Of a claim for users all records of one change, alike. A claim for two records that are replaced covers an exchange of
any two, and one for a record that goes and one that comes a record that moves.
"""

from collections.abc import Container, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.neighbours.changes import Neighbours, number, number_of, patterns, positions, select
from lemmata.mechanisms.audit.neighbours.record_parts import Part
from lemmata.mechanisms.audit.neighbours.record_tables import dataset_key, take


def of_one_user(pairs: Iterator[Neighbours], records: int, user: Any = None) -> Iterator[Neighbours]:
    """Pairs that differ in up to so many records, as the record of a pair, and the pairs themselves.

    With `user`, a column of a frame that is the first part, in all records with the same entry there, which stays.
    """
    known: set[bytes] = set()
    for one in (pair for pair in pairs if pair.inner is None):
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
        changed = select(one.neighbour, [*range(place), *[place] * count, *range(place + 1, m)])
    else:
        changed = select(one.data, [*range(first), *range(first + count, n)])
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
    elif len(own) < n:  # what is removed stands in one place, as whoever makes the pair smaller takes it to
        first, rest = min(own), [at for at in range(n) if at not in own]
        whole = select(one.data, [*rest[:first], *sorted(own), *rest[first:]])
        yield replace(one, data=whole, neighbour=select(one.data, rest), words=words, place=first)


def _copied(one: Neighbours, place: int, own: Container[int]) -> tuple:
    """The second dataset with its record at a place at others too, in those parts that differ: labels come alone."""
    rows, made = [place if at in own else at for at in range(len(one.data[0]))], []
    for old, changed in zip(one.data, one.neighbour, strict=True):
        new = take(changed, rows) if dataset_key((old,)) != dataset_key((changed,)) else old
        made.append(new.set_axis(changed.index) if hasattr(new, "iloc") else new)
    return tuple(made)


def reordered(data: tuple, parts: list[Part], kind: str, rng: np.random.Generator) -> Iterator[Neighbours]:
    """Two records exchanged, as two that are replaced; or one moved to the end, as one that goes and one that comes."""
    n = len(data[0])
    for words, base in patterns(data, parts, rng) if n > 1 and kind in ("replace", "add/remove") else []:
        for place in positions(n, 4, rng):
            if kind == "replace":
                order, how = [*range(n)], "exchanged with the last"
                order[place], order[-1] = n - 1, place
            else:
                order, how = [*range(place), *range(place + 1, n), place], "moved to the end"
            yield Neighbours(base, select(base, order), f"{words}; {number_of(place, n)} {how}", place=place)
