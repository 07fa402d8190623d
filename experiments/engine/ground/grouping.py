"""Things by what they have in common, each group and its things in the order in which they come."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Thing = TypeVar("Thing")
Key = TypeVar("Key", bound=Hashable)


def group_by(things: Iterable[Thing], key: Callable[[Thing], Key]) -> dict[Key, list[Thing]]:
    """{key: the things that have it}; unlike `itertools.groupby` for things in any order.

    >>> group_by(["ab", "c", "de"], len)
    {2: ['ab', 'de'], 1: ['c']}
    """
    groups: dict[Key, list[Thing]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups
