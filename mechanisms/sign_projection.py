"""Random projections: a sign matrix that is never held whole.

A projection is public randomness: it is drawn before, and independently of, the data. `sign_projection`,
like `mechanisms.fast_projection`, takes a generator and returns a small object that remembers only its seed; `apply`
maps points to R^k, `transpose` maps directions back to R^d, and both see the same matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.law import finite, generator, whole

LARGEST = 2**32  # rows or columns
BLOCK = 2**20  # entries of the matrix that exist at any one time


def points(X: ArrayLike, width: int, name: str) -> np.ndarray:
    """X as floats with last axis `width`, shape (width,) or (n, width). The message names no entry."""
    X = finite(name, X)
    (width,) = whole(width=width)
    if X.ndim not in (1, 2) or X.shape[-1] != width:
        raise ValueError(f"{name} has shape {X.shape}, not (n, {width}) or ({width},)")
    return X


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

    Rows come in blocks of at most `BLOCK` entries, each from a generator of its own that is derived from (seed, block),
    so `apply` and `transpose` draw the same matrix and never hold more than one block of it.
    """

    k: int
    d: int
    seed: tuple[int, ...] = field(repr=False)

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Pairs (slice of rows, their signs as floats, shape (rows, d))."""
        height = max(1, BLOCK // self.d)
        for index, start in enumerate(range(0, self.k, height)):
            stop = min(self.k, start + height)
            stream = np.random.SeedSequence(self.seed, spawn_key=(index,))
            words = -(-(stop - start) * self.d // 8)
            bits = np.unpackbits(np.frombuffer(np.random.Generator(np.random.PCG64DXSM(stream)).bytes(words), np.uint8))
            signs = bits[: (stop - start) * self.d].astype(float)
            signs *= 2.0
            signs -= 1.0
            yield slice(start, stop), signs.reshape(stop - start, self.d)

    def apply(self, X: ArrayLike) -> np.ndarray:
        """Phi x for every row x of X: shape (n, d) -> (n, k), or (d,) -> (k,)."""
        X = points(X, self.d, "X")
        projected = np.empty((*X.shape[:-1], self.k))
        for part, signs in self._blocks():
            projected[..., part] = X @ signs.T
        projected /= sqrt(self.k)
        return projected

    def transpose(self, W: ArrayLike) -> np.ndarray:
        """Phi^T w for every row w of W: shape (n, k) -> (n, d), or (k,) -> (d,)."""
        W = points(W, self.k, "W")
        lifted = np.zeros((*W.shape[:-1], self.d))
        for part, signs in self._blocks():
            lifted += W[..., part] @ signs
        lifted /= sqrt(self.k)
        return lifted


def sign_projection(k: int, d: int, *, rng: np.random.Generator) -> SignProjection:
    """A projection R^d -> R^k with independent entries +-1/sqrt(k), drawn from `rng` (Lemma A.3 of bms22).

    >>> phi = sign_projection(3, 5, rng=np.random.default_rng(0))
    >>> phi.apply(np.eye(5)).shape, phi.transpose(np.ones(3)).shape
    ((5, 3), (5,))
    """
    k, d = check_matrix(k, d)
    rng = generator(rng)
    return SignProjection(int(k), int(d), tuple(int(word) for word in rng.integers(0, 2**32, size=4)))
