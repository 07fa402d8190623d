"""Random projections: a sign matrix that is never held whole.

A projection is public randomness: it is drawn before, and independently of, the data. `sign_projection`,
like `mechanisms.fast_projection`, takes a generator and returns a small object that remembers only its seed; `apply`
maps points to R^k, `transpose` maps directions back to R^d, and both see the same matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.arithmetic import reals
from mechanisms.law import finite, generator, whole

LARGEST = 2**32  # rows or columns
HEIGHT, TILE = 1024, 2**21  # rows, and entries, of the part of the matrix that exists at any one time
RECORDS = 1024  # rows of X, or of W, that meet it at a time
SIGNS = np.where(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1), 1.0, -1.0)  # eight a byte


def points(X: ArrayLike, width: int, name: str) -> np.ndarray:
    """X as floats with last axis `width`, shape (width,) or (n, width); single precision stays what it is.

    That the entries are finite is left to `checked`. The messages name no entry.
    """
    single = isinstance(X, np.ndarray) and X.dtype == np.float32 and not np.ma.isMaskedArray(X)
    array: Any = X if single else reals(name, X)
    (width,) = whole(width=width)
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        raise ValueError(f"{name} has shape {array.shape}, not (n, {width}) or ({width},)")
    return array


def checked(image: np.ndarray, X: np.ndarray, name: str) -> np.ndarray:
    """The image of X. Raises ValueError if X has an entry that is not finite.

    Every coordinate of an image is a signed sum of all entries of its row, so such an entry shows there: the image is
    looked at first, and X, which is larger, only if the image overflowed.
    """
    if not np.isfinite(image).all():
        finite(name, X)
    return image


def check_matrix(k: int, d: int) -> tuple[int, int]:
    """(k, d) as ints. Raises ValueError for a projection whose image, or whose rows, no memory holds."""
    k, d = whole(k=k, d=d)
    for name, value in (("k", k), ("d", d)):
        if value > LARGEST:
            raise ValueError(f"{name} = {value} is outside [1, {LARGEST}]")
    return k, d


@dataclass(frozen=True)
class SignProjection:
    """The k x d matrix Phi with independent entries +-1/sqrt(k), as a function of its seed.

    The matrix is cut into tiles of at most `HEIGHT` rows and `TILE` entries, each from a generator of its own that is
    derived from (seed, tile), so `apply` and `transpose` draw the same matrix and never hold more than one tile of it,
    whatever d is. A tile's signs are looked up, eight for a random byte, in the precision of the data. The matrix is
    the same on every machine; an image, up to the order in which BLAS sums, which the number of threads changes.
    """

    k: int
    d: int
    seed: tuple[int, ...] = field(repr=False)

    def _tiles(self, kind: np.dtype[Any]) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Triples (rows, columns, their signs as floats of that kind)."""
        height = min(self.k, HEIGHT)
        width = min(-(-self.d // 8), TILE // height // 8)  # in bytes
        table, buffer = SIGNS.astype(kind), np.empty((height * width, 8), dtype=kind)
        for i, top in enumerate(range(0, self.k, height)):
            rows = slice(top, min(self.k, top + height))
            for j, left in enumerate(range(0, self.d, 8 * width)):
                columns = slice(left, min(self.d, left + 8 * width))
                shape = rows.stop - top, -(-(columns.stop - left) // 8)
                stream = np.random.PCG64DXSM(np.random.SeedSequence(self.seed, spawn_key=(i, j)))
                drawn = np.frombuffer(np.random.Generator(stream).bytes(shape[0] * shape[1]), np.uint8)
                signs = np.take(table, drawn, axis=0, out=buffer[: len(drawn)], mode="clip")
                yield rows, columns, signs.reshape(shape[0], -1)[:, : columns.stop - left]

    def apply(self, X: ArrayLike) -> np.ndarray:
        """Phi x for every row x of X: shape (n, d) -> (n, k), or (d,) -> (k,); float32 in, float32 out."""
        X = points(X, self.d, "X")
        projected = np.zeros((*X.shape[:-1], self.k), dtype=X.dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            for rows, columns, signs in self._tiles(X.dtype):
                _accumulate(np.atleast_2d(projected)[:, rows], np.atleast_2d(X)[:, columns], signs.T)
        projected /= sqrt(self.k)
        return checked(projected, X, "X")

    def transpose(self, W: ArrayLike) -> np.ndarray:
        """Phi^T w for every row w of W: shape (n, k) -> (n, d), or (k,) -> (d,); float32 in, float32 out."""
        W = points(W, self.k, "W")
        lifted = np.zeros((*W.shape[:-1], self.d), dtype=W.dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            for rows, columns, signs in self._tiles(W.dtype):
                _accumulate(np.atleast_2d(lifted)[:, columns], np.atleast_2d(W)[:, rows], signs)
        lifted /= sqrt(self.k)
        return checked(lifted, W, "W")


def _accumulate(total: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    """total += left @ right, a few rows at a time."""
    for start in range(0, len(left), RECORDS):
        total[start : start + RECORDS] += left[start : start + RECORDS] @ right


def sign_projection(k: int, d: int, *, rng: np.random.Generator) -> SignProjection:
    """A projection R^d -> R^k with independent entries +-1/sqrt(k), drawn from `rng` (Lemma A.3 of bms22).

    >>> phi = sign_projection(3, 5, rng=np.random.default_rng(0))
    >>> phi.apply(np.eye(5)).shape, phi.transpose(np.ones(3)).shape
    ((5, 3), (5,))
    """
    k, d = check_matrix(k, d)
    rng = generator(rng)
    return SignProjection(int(k), int(d), tuple(int(word) for word in rng.integers(0, 2**32, size=4)))
