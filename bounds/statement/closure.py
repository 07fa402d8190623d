"""Everything that something leads to: the one walk behind digests, code hashes, mutants and the graph of the ledger.

What a thing leads to is the caller's to say: a definition in a file names definitions
(`lemmata.bounds.statement.source`), a function in memory names functions and values
(`lemmata.experiments.engine.claims.fingerprint`), a row rests on rows.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing")


def closure(
    roots: Iterable[Thing], named: Callable[[Thing], Iterable[Thing]], key: Callable[[Thing], Hashable] | None = None
) -> Iterator[tuple[Thing, int]]:
    """Each thing that `roots` lead to, themselves first, and at how many removes: once each, nearest first.

    Two things with the same `key`, by default the thing itself, are one; what is known by its `id` has to be kept by
    whoever names it.

    >>> list(closure("a", {"a": "bc", "b": "cd", "c": "a", "d": ""}.__getitem__))
    [('a', 0), ('b', 1), ('c', 1), ('d', 2)]
    """
    queue = deque((root, 0) for root in roots)
    seen: set[Hashable] = set()
    while queue:
        thing, removes = queue.popleft()
        if (name := thing if key is None else key(thing)) not in seen:
            seen.add(name)
            yield thing, removes
            queue.extend((other, removes + 1) for other in named(thing))
