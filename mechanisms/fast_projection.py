"""The fast projection: random signs, a Walsh-Hadamard transform, and k coordinates drawn with replacement.

    Phi x = sqrt(D/k) * S H diag(s) x,   D the power of two above d, H orthonormal with entries +-1/sqrt(D).

One application takes 1.5 D log2 D operations instead of the k d of a dense matrix, and nothing is stored but D signs
and k coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.law import generator
from mechanisms.sign_projection import check_matrix, points


def walsh_hadamard(X: np.ndarray) -> np.ndarray:
    """Replace every row of X by its Walsh-Hadamard transform H x, H with entries +-1, in place; returns X.

    X is a C-contiguous array whose last axis is a power of two; 1.5 D log2 D operations a row.

    >>> walsh_hadamard(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    if not isinstance(X, np.ndarray) or np.ma.isMaskedArray(X) or X.dtype.kind not in "fO" or not X.size:
        raise ValueError("X is not a non-empty array of floats, so it cannot be transformed in place")
    if X.ndim < 1 or (X.dtype.kind == "f" and not np.isfinite(X).all()):
        raise ValueError("X is a number, or has entries that are not finite")
    width = X.shape[-1]
    if width & (width - 1):
        raise ValueError(f"X has a last axis of {width}, not a power of two")
    if not X.flags.c_contiguous:
        raise ValueError("X is not C-contiguous, so it cannot be transformed in place")
    half = 1
    while half < width:
        pairs = X.reshape(-1, width // (2 * half), 2, half)  # a view: writing to it writes to X
        first, second = pairs[:, :, 0], pairs[:, :, 1]
        first += second
        second *= -2.0
        second += first  # (a + b) - 2b = a - b
        half *= 2
    return X


@dataclass(frozen=True)
class FastProjection:
    """Phi of shape (k, d), by D signs and k coordinates; D >= d is a power of two."""

    k: int
    d: int
    signs: np.ndarray = field(repr=False)  # shape (D,), +-1
    coordinates: np.ndarray = field(repr=False)  # shape (k,), each in 0..D-1

    def spread(self, X: ArrayLike) -> np.ndarray:
        """z = sqrt(D) H diag(s) x for every row of X, shape (n, D): every entry is a random signed sum of x."""
        X = points(X, self.d, "X")
        padded = np.zeros((*X.shape[:-1], len(self.signs)))
        padded[..., : self.d] = X
        padded *= self.signs
        return walsh_hadamard(padded)

    def apply(self, X: ArrayLike) -> np.ndarray:
        """Phi x for every row x of X: shape (n, d) -> (n, k), or (d,) -> (k,)."""
        return self.spread(X)[..., self.coordinates] / sqrt(self.k)

    def transpose(self, W: ArrayLike) -> np.ndarray:
        """Phi^T w for every row w of W: shape (n, k) -> (n, d), or (k,) -> (d,)."""
        W = points(W, self.k, "W")
        scattered = np.zeros((len(self.signs), *W.shape[:-1]))
        np.add.at(scattered, self.coordinates, W.T)  # a coordinate drawn twice receives both
        lifted = walsh_hadamard(np.ascontiguousarray(scattered.T))
        return (lifted * self.signs)[..., : self.d] / sqrt(self.k)


def fast_projection(k: int, d: int, *, rng: np.random.Generator) -> FastProjection:
    """A projection R^d -> R^k applied in time D log D, drawn from `rng` (Lemma A.4 of bms22).

    E ||Phi x||^2 = ||x||^2 for every x. Raises ValueError unless k and d are whole numbers >= 1.

    >>> phi = fast_projection(3, 5, rng=np.random.default_rng(0))
    >>> phi.apply(np.eye(5)).shape, phi.transpose(np.ones(3)).shape
    ((5, 3), (5,))
    """
    k, d = check_matrix(k, d)
    rng = generator(rng)
    width = 1 << (int(d) - 1).bit_length()
    signs = 1.0 - 2.0 * rng.integers(0, 2, size=width)
    return FastProjection(int(k), int(d), signs, rng.integers(0, width, size=int(k)))
