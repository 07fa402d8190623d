"""Sums over records with exact Gaussian noise on a public grid, used by every exact `fit`.

    noisy sum = sum_i c_i z_i + grid K,      K = round(N(0, sigma^2) / grid), drawn exactly, in every coordinate

Every row z_i is rounded once, towards 0, to a public grid, a power of two: no row gets longer, so the sensitivity is
that of the clipped rows. The coefficients c_i in [0, 1] depend on z_i and on what was released before; they are whole,
or multiples of 2^-q, and then the grid of the sums and of the noise is that much finer than the rows'. So products and
partial sums are whole multiples of one step, at most 2^53 of them, and float64 adds them exactly, in whatever order
and width a BLAS does it; n is checked against that. A sum on the grid plus a rounded normal is the real mechanism, sum
plus N(0, sigma^2), rounded: post-processing of a Gaussian mechanism, with its mu and its composition, and nothing lost
(`wzw25.rem2.3.float64/explicit/sums`). What is computed from the noisy sums is post-processing too, float64 or not.
Not hardened: how long a draw takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import frexp, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.noise.grid_gaussian import rounded_normal
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_magnitude,
    clip_rows,
    map_row_blocks,
    read_labels,
    read_records,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range, round_up
from lemmata.mechanisms.numerics.kernel_choice import numba_kernels_if_worthwhile
from lemmata.mechanisms.numerics.sparse_rows import (
    Rows,
    entries_of,
    is_on_demand,
    is_sparse,
    per_entry,
    row_bands,
    with_entries,
)

NOISES = ("exact", "float")
PRECISIONS = ("double", "single")
SINGLE = (1e-12, 1e12)  # of radius and width: float32 then rounds all rows and gradients relative to their length
BITS = 20  # of a coordinate on the grid
COEFFICIENT = 10  # bits of a coefficient in [0, 1] behind the point, at most; the grid of the noise has them too
EXACT = 53  # bits that float64 adds without rounding
WIDEST = 2.0**46  # grid steps in a standard deviation: a draw, below 40 of them, is a float
AHEAD = 2**16  # numbers of noise drawn at a time
LONG = 64  # coordinates of a row that had better be read once, however many zeros fill it up
LANES = 32  # numbers that a compiled loop adds at a time: zeros fill up rows, for it takes what is left one by one
SMALLEST = 2.0**-100  # grid of rows that float32 holds


def grid_for(radius: float) -> float:
    """Return the public grid of rows of length `radius`: the power of two of which they have fewer than 2^20 steps.

    >>> grid_for(1.0) == 2.0**-19, grid_for(0.99) == 2.0**-20
    (True, True)
    """
    (radius,) = check_magnitude(radius=radius)
    return 2.0 ** (frexp(radius)[1] - BITS)


def round_rows(X: Rows, radius: float) -> Rows:
    """Return rows that were clipped to `radius`, every entry rounded towards 0 to a multiple of `grid_for(radius)`.

    No row is longer than `radius`, as a vector of real numbers. Rounding towards 0 lengthens none. Clipping in float64
    may, by (d + 8) 2^-53 of the radius: d / 2 + 2 roundings of the norm's square and its root, and five more of
    quotients and products. The factor 1 - (d + 8) 2^-52 takes that back twice over.

    >>> (round_rows(np.array([[0.6, -0.8]]), 1.0) * 2**19).tolist()
    [[314572.0, -419430.0]]
    """
    grid, X = grid_for(radius), read_records(X, keep_sparse=True)
    steps = entries_of(X) * ((1 - (X.shape[1] + 8) * 2.0**-52) / grid)
    np.trunc(steps, out=steps)
    steps *= grid
    return with_entries(X, steps)


def prepare_rows(X: Rows, radius: float, noise: str) -> tuple[Rows, float]:
    """Return clipped rows as `noise` needs them, and their grid: rounded for "exact", as they are and 0 for "float"."""
    check_noise(noise)
    if noise == "float":
        return X, 0.0
    count_coefficient_bits(X.shape[0])
    return round_rows(X, radius), grid_for(radius)


def clip_and_round_rows(X: ArrayLike, radius: float, noise: str) -> tuple[Rows, float]:
    """Return rows clipped to `radius`, as `noise` needs them, and their grid.

    `clip_rows` and `prepare_rows`, a band at a time.

    >>> clip_and_round_rows([[3.0, 4.0], [0.25, 0.0]], 1.0, "float")[0].round(6).tolist()
    [[0.6, 0.8], [0.25, 0.0]]
    """
    check_noise(noise)
    rows: Any = X if is_on_demand(X) else read_records(X, keep_sparse=True)
    count_coefficient_bits(rows.shape[0] if noise == "exact" else 1)
    clip = lambda band: prepare_rows(clip_rows(band, radius, keep_sparse=True), radius, noise)[0]  # noqa: E731
    if is_on_demand(rows):
        rows = rows.then(clip)
    elif is_sparse(rows):
        rows = with_entries(rows, np.concatenate([entries_of(clip(band)) for band in row_bands(rows)]))
    else:
        rows = map_row_blocks(clip, rows)
    return rows, grid_for(radius) if noise == "exact" else 0.0


def sign_rows(X: Any, y: ArrayLike, precision: str, *, in_place: bool = False, **sizes: float) -> Rows:
    """Return y x for every row of X, shape (n, d), in that precision; none is longer than it was.

    With `in_place` the products are stored in X.

    Raises ValueError where `sizes`, the radius of the rows and the width, are not for float32.

    >>> sign_rows(np.ones((1, 2)), [-1], "single", radius=2.0)
    array([[-0.99999976, -0.99999976]], dtype=float32)
    """
    check_choice(PRECISIONS, precision=precision)
    signs = read_labels(y, X.shape[0])
    if is_on_demand(X):
        signed: Any = replace(X, signs=signs)
        return signed
    entries = entries_of(X)
    signed = np.multiply(per_entry(X, signs), entries, out=entries if in_place else None)
    if precision == "double":
        return with_entries(X, signed)
    for name, size in sizes.items():
        check_in_range(name, size, *SINGLE, closed=True)
    return with_entries(X, (signed * (1 - 2.0**-22)).astype(np.float32))


def count_coefficient_bits(n: int) -> int:
    """Return the binary places that coefficients in [0, 1] may have so that sums of n rows stay exact; at most 10.

    Raises ValueError for more than 2^33 records, whose sums float64 does not hold.

    >>> count_coefficient_bits(1000), count_coefficient_bits(2**30)
    (10, 3)
    """
    if n > 2 ** (EXACT - BITS):
        raise ValueError(f"X has {n} rows, more than 2^{EXACT - BITS}: their sums are not exact; take noise = 'float'")
    return min(COEFFICIENT, EXACT - BITS - (n - 1).bit_length())


def round_towards_zero(coefficients: np.ndarray, n: int) -> np.ndarray:
    """Round coefficients in [0, 1] down, in place, to multiples of 2^-`count_coefficient_bits(n)`."""
    scale = 2.0 ** count_coefficient_bits(n)
    coefficients *= scale
    np.floor(coefficients, out=coefficients)
    coefficients /= scale
    return coefficients


def sum_in_one_pass(Z: Rows, width: float, grid: float, times: int) -> Callable[[np.ndarray], np.ndarray] | None:
    """Return a map from w (d, 1) to the exact sum of the rows z of Z with <z, w> < width, in reused memory.

    For rows on `grid` that are read `times` times: the kernel reads each once for product and sum together, in float32,
    which holds its 20 bits a coordinate. None where the products of a BLAS are as fast, because zeros would fill more
    than a quarter of a short row, where rows are sparse, or where there is no kernel.
    """
    if is_sparse(Z):
        return None
    n, d = Z.shape
    wide = -(-d // LANES) * LANES
    if d < LONG and 4 * d < 3 * wide:
        return None
    if not SMALLEST <= grid <= 1 / SMALLEST or not (kernels := numba_kernels_if_worthwhile(times * Z.size)):
        return None
    rows, along, total = np.zeros((n, wide), dtype=np.float32), np.zeros(wide), np.empty(wide)
    rows[:, :d] = Z

    def sums(w: np.ndarray) -> np.ndarray:
        along[:d] = w[:, 0]
        return np.asarray(kernels.hinge_sums(rows, along, width, total)[:d, None])

    return sums


@dataclass
class GridNoise:
    """The noise of sums on a grid, drawn exactly and in blocks: `add` is the one way from records to a release."""

    rng: np.random.Generator = field(repr=False)
    sigma: float  # standard deviation, in the units of the sums
    grid: float  # a power of two; all sums are multiples of it
    shape: tuple[int, ...]  # of one sum
    times: int = 1  # how many sums will come
    _drawn: np.ndarray = field(init=False, repr=False)
    _next: int = field(init=False, default=0, repr=False)

    def __post_init__(self) -> None:
        self._steps = round_up(Fraction(self.sigma) / Fraction(self.grid))
        if not self._steps <= WIDEST:
            raise ValueError(
                f"sigma = {self.sigma} is more than 2^46 steps of the grid {self.grid}: the budget is too small for "
                f"exact noise; noise = 'float' has no such limit"
            )
        self._drawn = np.empty((0, *self.shape))

    def add(self, sums: np.ndarray) -> np.ndarray:
        """Add grid K to sums, in place: the exact result, rounded once to float64, which is post-processing."""
        if self._next == len(self._drawn):
            count = max(1, min(self.times, AHEAD // max(1, prod(self.shape))))
            self._drawn = rounded_normal(self.rng, self._steps, (count, *self.shape)) * self.grid
            self.times, self._next = self.times - count, 0
        sums += self._drawn[self._next]
        self._next += 1
        return sums


def noisy_counts(rng: np.random.Generator, counts: np.ndarray, sigma: float) -> np.ndarray:
    """Return whole numbers, computed exactly, plus exact noise on a grid of at most 1 and of about 2^-20 sigma.

    >>> bool((noisy_counts(np.random.default_rng(0), np.array([7, 8]), 3.0) % 2.0**-18 == 0).all())
    True
    """
    (sigma,) = check_magnitude(sigma=sigma)
    grid = 2.0 ** min(0, frexp(sigma)[1] - BITS)
    return GridNoise(rng, sigma, grid, np.shape(counts)).add(np.array(counts, dtype=float))


def check_noise(noise: str, **single: str) -> None:
    """Raise ValueError unless `noise` is a word that is known, and for exact noise in another precision than double."""
    check_choice(NOISES, noise=noise)
    for name, value in single.items():
        if noise == "exact" and value != "double":
            raise ValueError(f"{name} = {value!r} requires noise = 'float', because its sums are not exact")
