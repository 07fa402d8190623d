"""Smallest covers of finitely many functions by themselves, in the largest difference over a sample.

Functions are rows of their values on the sample. A set of rows is a cover if every row is near one of them. The
smallest cover is a set-cover problem: an integer program for up to `EXACT` different rows, greedy beyond, where the
result is at most 1 + log(n) times as large. Both see the values alone, so a cover is as public as they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.spatial.distance import cdist

from lemmata.mechanisms.numerics.arguments import check_moderate, check_positive

EXACT = 300  # different rows up to which the cover is a smallest one


def nearness_matrix(values: ArrayLike, radius: float, *, closed: bool) -> np.ndarray:
    """Which rows are near which, shape (n, n): largest difference at most (`closed`) or below `radius`.

    >>> nearness_matrix([[0.0, 0.0], [1.0, 0.5]], 1.0, closed=True).tolist()
    [[True, True], [True, True]]
    """
    values, (radius,) = _table(values), check_positive(radius=radius)
    if not isinstance(closed, bool | np.bool_):
        raise ValueError(f"closed is a {type(closed).__name__}, not True or False")
    distances = cdist(values, values, "chebyshev")
    return distances <= radius if closed else distances < radius


def smallest_cover(values: ArrayLike, *, radius: float, closed: bool = False) -> np.ndarray:
    """Numbers of the rows of a cover, increasing: a smallest one for up to 300 different rows, else a greedy one.

    >>> rows = [[0.0], [0.5], [1.0]]
    >>> smallest_cover(rows, radius=0.5, closed=True).tolist(), smallest_cover(rows, radius=0.5).tolist()
    ([1], [0, 1, 2])
    """
    values = _table(values) + 0.0  # no -0.0: equal rows have equal bytes
    first = np.array(list({row.tobytes(): i for i, row in reversed(list(enumerate(values)))}.values()))
    near = nearness_matrix(values[first], radius, closed=closed)
    chosen = _exact(near) if len(near) <= EXACT else _greedy(near)
    return np.sort(first[chosen])


def _exact(near: np.ndarray) -> np.ndarray:
    """A smallest set of rows of the matrix `near` that has a True in every column."""
    n = len(near)
    covered = LinearConstraint(near.T.astype(float), lb=1.0)
    solved = milp(np.ones(n), integrality=np.ones(n), bounds=Bounds(0, 1), constraints=covered)
    if not solved.success:
        raise RuntimeError(f"values: no smallest cover of {n} rows was found")
    return np.flatnonzero(solved.x > 0.5)


def _greedy(near: np.ndarray) -> np.ndarray:
    """Rows of `near`, each the one that covers most of what is left."""
    left, chosen = np.ones(len(near), dtype=bool), []
    while left.any():
        chosen.append(int((near & left).sum(axis=1).argmax()))
        left &= ~near[chosen[-1]]
    return np.array(chosen)


def _table(values: ArrayLike) -> np.ndarray:
    values = check_moderate("values", values)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"values has shape {values.shape}, not (functions, points) with at least one of each")
    return values
