"""Neighbouring datasets on which a query moves most: known extremes first, then a noise-free search.

A mistake that makes the noise m times too small can be seen on a pair only if kappa m > 1, where kappa is how far the
query moves there over what is declared. So look for kappa near 1 before spending releases.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import differential_evolution

from lemmata.mechanisms.numerics.streams import generator

POPULATION = 24  # pairs at any one time of the search
Data = tuple[np.ndarray, np.ndarray]  # rows of norm at most 1, labels -1 or +1


@dataclass(frozen=True)
class Pair:
    """Two datasets that differ in one record, kappa there, and their origin."""

    one: Data = field(repr=False)
    other: Data = field(repr=False)
    kappa: float
    source: str


def extremes(n: int, d: int) -> Iterator[tuple[str, Data, Data]]:
    """The worst pairs for sums, counts and minimisers: the other records are where they influence the release least.

    The replaced record is the first or the last, because a mechanism that splits its data may read only one of them.
    """
    axis, ones = np.eye(d)[0], np.full(d, d**-0.5)
    for place, where in ((n - 1, "last"), (0, "first")):
        for far, along in ((axis, "an axis"), (ones, "the diagonal")):
            for others, rest in (("at 0", 0.0), ("equal", 1.0), ("opposite", -1.0)):
                X, y, z = np.tile(rest * far, (n, 1)), np.ones(n), np.ones(n)
                X[place], z[place] = far, -1.0
                yield f"{where} label flipped on {along}, others {others}", (X, y), (X, z)
        X = np.zeros((n, d))
        X[place] = axis
        turned = X.copy()
        turned[place] = np.eye(d)[-1]
        yield f"{where} record turned, others at 0", (X, np.ones(n)), (turned, np.ones(n))


def decoded(point: np.ndarray, n: int, d: int) -> tuple[Data, Data]:
    """A pair from numbers in [-1, 1]: n rows, the row that replaces one, the signs of n + 1 labels, which one it is."""
    rows, rest = point[: (n + 1) * d].reshape(n + 1, d), point[(n + 1) * d :]
    rows = rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
    labels = np.where(rest[:-1] >= 0, 1.0, -1.0)
    X, y, place = rows[:-1].copy(), labels[:-1].copy(), 0 if rest[-1] < 0 else n - 1
    X[place], y[place] = rows[-1], labels[-1]
    return (rows[:-1], labels[:-1]), (X, y)


def worst_pair(moved: Callable[[Data, Data], float], *, n: int, d: int, root: int, tries: int = 400) -> Pair:
    """The pair of n records in d dimensions with the largest `moved(one, other)` relative to the declaration.

    Extremes and random pairs start a differential evolution of about `tries` evaluations; it stops at kappa > 0.999.

    >>> total = lambda data: data[1] @ data[0]
    >>> worst_pair(lambda one, other: float(np.linalg.norm(total(one) - total(other)) / 2), n=3, d=2, root=1).kappa
    1.0
    """
    best = Pair(*next(extremes(n, d))[1:], -1.0, "")
    for name, one, other in extremes(n, d):
        if (kappa := moved(one, other)) > best.kappa + 1e-9:
            best = Pair(one, other, kappa, name)
    if best.kappa > 0.999 or tries < 1:
        return best
    size = (n + 1) * (d + 1) + 1
    rng = generator(root, "audit.pairs", {}, "main", 0)
    starts = rng.uniform(-1, 1, (POPULATION, size))
    for start, (name, one, other) in zip(starts, extremes(n, d), strict=False):
        place = -1 if name.startswith("last") else 0
        labels = np.append(one[1], other[1][place]) / 2
        start[:] = np.concatenate([one[0].ravel(), other[0][place], labels, [-0.5 if place == 0 else 0.5]])
    found = differential_evolution(
        lambda point: -moved(*decoded(point, n, d)),
        [(-1.0, 1.0)] * size,
        init=starts,
        maxiter=max(1, tries // POPULATION - 1),
        callback=lambda intermediate_result: bool(intermediate_result.fun < -0.999),
        polish=False,
        rng=rng,
    )
    return Pair(*decoded(found.x, n, d), float(-found.fun), "search") if -found.fun > best.kappa else best
