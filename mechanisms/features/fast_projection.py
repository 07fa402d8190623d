"""The fast projection: random signs, a Walsh-Hadamard transform, and k coordinates drawn with replacement.

    Phi x = sqrt(D/k) * S H diag(s) x,   D the power of two above d, H orthonormal with entries +-1/sqrt(D).

One application takes D log2 D operations instead of the k d of a dense matrix, and nothing is stored but D signs and k
coordinates. A row is transformed as a matrix of about sqrt(D) rows and columns, first down its columns and then along
its rows: both halves stay in the cache. Large inputs go to a compiled kernel (`lemmata.mechanisms.numerics.kernels`),
which adds and subtracts the same numbers in the same order, so that its results are those of numpy bit for bit. A
sparse row takes k operations for each stored entry, with signs of H from two tables of about sqrt(D) k bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.features.sign_projection import LARGEST, check_image, check_points
from lemmata.mechanisms.numerics.arguments import check_integer, resolve_generator
from lemmata.mechanisms.numerics.kernel_choice import numba_kernels_if_worthwhile
from lemmata.mechanisms.numerics.sparse_rows import is_sparse

ENTRIES = 2**16  # of the rows that are transformed at any one time: they stay in the cache
LANES = 16  # rows of the transposed half that the kernel transforms abreast
ENTRY = 4000  # operations that a stored entry costs in numpy, at least


def columns_of(width: int) -> int:
    """Return the power of two at or below sqrt(width): a row of that length is a matrix with so many columns."""
    return 1 << (width.bit_length() - 1) // 2


def butterflies(V: np.ndarray) -> None:
    """Apply the Walsh-Hadamard transform down the middle axis of V, (n, length, any), in place, long strides first."""
    half = V.shape[1] // 2
    while half:
        pairs = V.reshape(len(V), -1, 2, half * V.shape[2])  # a view: writing to it writes to V
        first, second = pairs[:, :, 0], pairs[:, :, 1]
        difference = first - second
        first += second
        second[...] = difference
        half //= 2


def blocks(n: int, width: int) -> Iterator[slice]:
    """Return slices of at most `ENTRIES` / width rows."""
    rows = max(1, ENTRIES // width)
    return (slice(start, min(n, start + rows)) for start in range(0, n, rows))


def walsh_hadamard(X: np.ndarray) -> np.ndarray:
    """Replace every row of X by its Walsh-Hadamard transform H x, H with entries +-1, in place; returns X.

    X is a C-contiguous array whose last axis is a power of two; D log2 D operations a row.

    >>> walsh_hadamard(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    plain = isinstance(X, np.ndarray) and not np.ma.isMaskedArray(X) and not isinstance(X, np.matrix)
    if not plain or X.dtype.kind not in "fO" or X.dtype.char == "e" or not X.size or not X.flags.writeable:
        raise ValueError("X must be a non-empty array of floats to be transformed in place")
    if X.ndim < 1 or (X.dtype.kind == "f" and not np.isfinite(X).all()):
        raise ValueError("X must be an array with finite entries")
    width = X.shape[-1]
    if width & (width - 1):
        raise ValueError(f"X must have a last axis whose length is a power of two, got {width}")
    if not X.flags.c_contiguous:
        raise ValueError("X must be C-contiguous to be transformed in place")
    _transform(X.reshape(-1, width))
    return X


def _transform(X: np.ndarray) -> None:
    """`walsh_hadamard` of a matrix: the numpy version of `kernels.hadamard`."""
    columns = columns_of(X.shape[1])
    for part in blocks(*X.shape):
        matrices = X[part].reshape(-1, X.shape[1] // columns, columns)
        butterflies(matrices)
        turned = np.ascontiguousarray(matrices.transpose(0, 2, 1))
        butterflies(turned)
        matrices[...] = turned.transpose(0, 2, 1)


def add_signed_rows(
    entries: np.ndarray, columns: np.ndarray, ends: np.ndarray, high: np.ndarray, low: np.ndarray, total: np.ndarray
) -> None:
    """The numpy version of `kernels.signed_rows`: the same sums in the same order, so the same bits."""
    rows, q = np.repeat(np.arange(len(total)), np.diff(ends)), len(low)
    for i, j, x in zip(rows.tolist(), columns.tolist(), entries.tolist(), strict=True):
        total[i] += x * (1.0 - 2.0 * (high[j // q] ^ low[j % q]))


@dataclass(frozen=True)
class FastProjection:
    """Phi of shape (k, d), by D signs and k coordinates; D >= d is a power of two."""

    k: int
    d: int
    signs: np.ndarray = field(repr=False)  # shape (D,), +-1
    coordinates: np.ndarray = field(repr=False)  # shape (k,), each in 0..D-1

    def apply(self, X: ArrayLike) -> np.ndarray:
        """Return Phi x for every row x of X: shape (n, d) -> (n, k), or (d,) -> (k,); float32 in, float32 out."""
        rows: Any = check_points(X, self.d, "X")
        if not is_sparse(rows):
            return self._map_blocks(rows, "X", self.k, self._sample, "sampled_transforms")
        entries, images = rows.data * self.signs[rows.indices], np.zeros((rows.shape[0], self.k))
        kernels, stored = numba_kernels_if_worthwhile(rows.nnz * (self.k + ENTRY)), (entries, rows.indices, rows.indptr)
        with np.errstate(invalid="ignore", over="ignore"):
            (add_signed_rows if kernels is None else kernels.signed_rows)(*stored, *self._parities, images)
        images /= sqrt(self.k)
        return check_image(images, rows, "X")

    @cached_property
    def _parities(self) -> tuple[np.ndarray, np.ndarray]:
        """Two tables of bytes that give the signs of H in the k coordinates: see `kernels.signed_rows`.

        Entry (a, b) of H is -1 to the number of ones that a and b have in common, in their first and last bits.
        """
        columns = columns_of(len(self.signs))
        parts = (len(self.signs) // columns, self.coordinates // columns), (columns, self.coordinates % columns)
        common = (np.bitwise_count(np.arange(count)[:, None] & places) & 1 for count, places in parts)
        high, low = (parity.astype(np.uint8) for parity in common)
        return high, low

    def transpose(self, W: ArrayLike) -> np.ndarray:
        """Return Phi^T w for every row w of W: shape (n, k) -> (n, d), or (k,) -> (d,); float32 in, float32 out."""
        W = check_points(W, self.k, "W")
        return self._map_blocks(W, "W", self.d, self._scatter, "scattered_transforms")

    def _map_blocks(self, X: np.ndarray, name: str, outputs: int, plain: Callable, kernel: str) -> np.ndarray:
        """The images of rows, block by block: by the numba kernel of that name, or by its numpy version `plain`."""
        rows, images = np.atleast_2d(X), np.empty((*X.shape[:-1], outputs), dtype=X.dtype)
        out, width = np.atleast_2d(images), len(self.signs)
        signs, kernels = self.signs.astype(X.dtype, copy=False), numba_kernels_if_worthwhile(len(rows) * width)
        with np.errstate(invalid="ignore", over="ignore"):
            for part in blocks(len(rows), width):
                if kernels is None:
                    plain(rows[part], signs, out[part])
                else:
                    ready = np.ascontiguousarray(rows[part])
                    getattr(kernels, kernel)(ready, signs, self.coordinates, *_shape(width), out[part])
        images /= sqrt(self.k)
        return check_image(images, X, name)

    def _sample(self, rows: np.ndarray, signs: np.ndarray, out: np.ndarray) -> None:
        padded = np.zeros((len(rows), len(signs)), dtype=rows.dtype)
        np.multiply(rows, signs[: self.d], out=padded[:, : self.d])
        _transform(padded)
        np.take(padded, self.coordinates, axis=1, out=out, mode="clip")

    def _scatter(self, rows: np.ndarray, signs: np.ndarray, out: np.ndarray) -> None:
        scattered = np.zeros((len(signs), len(rows)), dtype=rows.dtype)
        np.add.at(scattered, self.coordinates, rows.T)  # a coordinate drawn twice receives both
        padded = np.ascontiguousarray(scattered.T)
        _transform(padded)
        np.multiply(padded[:, : self.d], signs[: self.d], out=out)


def _shape(width: int) -> tuple[int, int]:
    """(columns, lanes) of the kernels for rows of that length."""
    columns = columns_of(width)
    return columns, min(LANES, width // columns)


def fast_projection(k: int, d: int, *, rng: np.random.Generator) -> FastProjection:
    """Return a projection R^d -> R^k applied in time D log D, drawn from `rng` (Lemma A.4 of bms22).

    E ||Phi x||^2 = ||x||^2 for every x. Raises ValueError unless k and d are whole numbers >= 1.

    >>> phi = fast_projection(3, 5, rng=np.random.default_rng(0))
    >>> phi.apply(np.eye(5)).shape, phi.transpose(np.ones(3)).shape
    ((5, 3), (5,))
    """
    k, d = check_integer(LARGEST, k=k, d=d)
    rng = resolve_generator(rng)
    width = 1 << (d - 1).bit_length()
    signs = 1.0 - 2.0 * rng.integers(0, 2, size=width)
    return FastProjection(k, d, signs, rng.integers(0, width, size=k))
