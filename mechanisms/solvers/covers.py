"""Covers of a ball in R^k by lattice points, small k: every point of the ball has one within the resolution.

The points of a lattice of covering radius eta that lie within R + eta of 0 cover B(R): the nearest lattice point of a
point of the ball is among them. Those outside the ball are moved to its rim, which brings them closer to every point
of the ball. A cover is public: it depends on nothing but k, R and eta.

Points are numbered along lines of the lattice, and only where each line starts is stored: |C|^(1 - 1/k) numbers. Any
block of points can be had by its numbers, so a scoring pass never holds more than one block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, isqrt, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.bms22.covers import covering_radius_squared, cubic_gram, thin_gram, unit_ball_volume
from lemmata.mechanisms.numerics.arguments import check_choice, check_integer, check_magnitude, check_moderate

LATTICES = {"thin": thin_gram, "cubic": cubic_gram}
LARGEST = 50_000_000  # points of a cover that anybody can score
BLOCK = 100_000  # points that exist at any one time
INWARD = 1 - 1e-12  # the lattice is this much finer than it need be, so that no rounding opens a hole


@dataclass(frozen=True)
class Cover:
    """A finite set of points of B^k(radius), one within `resolution` of every point of the ball."""

    k: int
    radius: float
    resolution: float
    lattice: str
    size: int
    starts: np.ndarray = field(repr=False)  # shape (lines, k): the first point of every line, before clipping
    offsets: np.ndarray = field(repr=False)  # shape (lines + 1,): its number; the last entry is `size`
    step: float = field(repr=False)  # between the points of a line, along the first axis

    def points(self, numbers: ArrayLike) -> np.ndarray:
        """The points with these numbers, shape (n,) -> (n, k)."""
        numbers = np.asarray(numbers, dtype=np.int64)
        if numbers.size and not (numbers.min() >= 0 and numbers.max() < self.size):
            raise ValueError(f"numbers has entries outside [0, {self.size})")
        line = np.searchsorted(self.offsets, numbers, side="right") - 1
        points = self.starts[line]
        points[:, 0] += self.step * (numbers - self.offsets[line])
        norms = np.sqrt((points * points).sum(axis=1, keepdims=True))
        return points * (self.radius / np.maximum(norms, self.radius))

    def blocks(self, rows: int = BLOCK) -> Iterator[np.ndarray]:
        """All points in order, at most `rows` at a time."""
        for start in range(0, self.size, rows):
            yield self.points(np.arange(start, min(start + rows, self.size)))


def cover(k: int, *, radius: float, resolution: float, lattice: str = "thin") -> Cover:
    """A cover of B^k(radius) at the given resolution.

    `lattice`: "thin" is A_k^* (k = 2 hexagonal, k = 3 body-centred cubic), the thinnest known for k <= 5; "cubic" is
    Z^k, about 1.3, 1.9 and 2.8 times as large for k = 2, 3, 4. For k = 1 it is the shortest grid.
    Raises ValueError for radius or resolution outside (0, inf), an unknown lattice, and a cover of more than
    `LARGEST` points.

    >>> cover(1, radius=2.0, resolution=0.1).size, cover(2, radius=2.0, resolution=0.1).size
    (20, 535)
    """
    (k,) = check_integer(k=k)
    radius, resolution = check_magnitude(radius=radius, resolution=resolution)
    check_choice(tuple(LATTICES), lattice=lattice)
    if not radius / resolution < LARGEST or k > 1000:
        raise ValueError(f"k = {k} at radius/resolution = {radius / resolution:.4g} needs more than {LARGEST} points")
    k, reach = int(k), min(radius, resolution) + radius
    least = (radius / resolution) ** k if k * np.log10(1 + radius / resolution) < 300 else np.inf
    if max(1.0, least) > LARGEST:
        raise ValueError(f"k = {k} at radius/resolution = {radius / resolution:.4g} needs more than {LARGEST} points")
    if k == 1:
        count = max(1, ceil(radius / resolution))
        ends = np.array([[radius / count - radius]]), np.array([0, count])
        return Cover(1, radius, resolution, lattice, count, *ends, 2 * radius / count)

    basis = _basis(LATTICES[lattice](k), resolution)
    if unit_ball_volume(k) * reach**k / np.prod(np.diag(basis)) > 1.2 * LARGEST:
        raise ValueError(f"k = {k} at radius/resolution = {radius / resolution:.4g} needs more than {LARGEST} points")
    starts, counts = _lines(basis, reach)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Cover(k, radius, resolution, lattice, int(offsets[-1]), starts, offsets, float(basis[0, 0]))


def _basis(gram: Any, resolution: float) -> np.ndarray:
    """Rows that span the lattice with covering radius at most `resolution`, lower triangular."""
    square = covering_radius_squared(gram)
    # a rational upper bound of the covering radius, so that the scale errs on the fine side
    radius = (isqrt(square.numerator * 10**40 // square.denominator) + 1) / 10**20
    return np.linalg.cholesky(np.array(gram, dtype=float)) * (resolution / radius * INWARD)


def _lines(basis: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Lattice points sum_i z_i basis_i of norm <= reach, as lines along the first axis: (first points, counts).

    Coordinate j of a point is sum_{i >= j} z_i basis_ij: from the last to the first, each z_j has an interval.
    """
    k = len(basis)
    points, left = np.zeros((1, k)), np.array([(reach * (1 + 1e-12)) ** 2])
    for j in range(k - 1, -1, -1):
        half = np.sqrt(np.maximum(left, 0.0))
        low = np.ceil((-half - points[:, j]) / basis[j, j]).astype(np.int64)
        high = np.floor((half - points[:, j]) / basis[j, j]).astype(np.int64)
        counts = np.maximum(high - low + 1, 0)
        if j == 0:
            kept = counts > 0
            return points[kept] + low[kept, None] * basis[0], counts[kept]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        z = np.repeat(low, counts) + within
        points = np.repeat(points, counts, axis=0) + z[:, None] * basis[j]
        left = np.repeat(left, counts) - points[:, j] ** 2
    raise AssertionError("k is at least 1")


def farthest(cover: Cover, points: ArrayLike) -> float:
    """The largest distance of `points`, shape (n, k), from the cover: a lower bound of its covering radius."""
    if not isinstance(cover, Cover):
        raise ValueError(f"cover is a {type(cover).__name__}, not a Cover")
    points = check_moderate("points", points)
    if points.ndim != 2 or points.shape[1] != cover.k:
        raise ValueError(f"points has shape {points.shape}, not (n, {cover.k})")
    best = np.full(len(points), np.inf)
    for block in cover.blocks(max(1, 2**22 // max(1, len(points)))):
        squares = (block**2).sum(axis=1)[:, None] - 2 * block @ points.T
        best = np.minimum(best, squares.min(axis=0))
    return float(sqrt(max(0.0, (best + (points**2).sum(axis=1)).max())))
