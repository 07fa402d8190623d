"""Compiled loops for what numpy does slowly: butterflies in the cache, and steps that depend on each other.

Every kernel has a twin in numpy beside the mechanism that calls it, which is used where numba is not installed (it is
the extra `fast`) and where there is too little to do for a compiler: `kernels(work)` decides. A kernel compiles on its
first call, a second or two, and is kept on disk for every later process. Nothing here draws a random number or knows of
privacy. Without numba the functions below are plain Python, which the tests compare with both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

try:
    from numba import njit
except ImportError:

    def njit(**_: Any) -> Callable[[Any], Any]:  # type: ignore[no-redef,unused-ignore]
        """Leave a function as it is."""
        return lambda function: function


@njit(cache=True)
def butterflies(V: np.ndarray, least: int) -> None:
    """The rounds len(V)/2, len(V)/4, ..., `least` of the Walsh-Hadamard transform of V, in place, two at a time."""
    half = V.size // 2
    while half >= 2 * least:
        q = half // 2
        for start in range(0, V.size, 2 * half):
            first, second = V[start : start + q], V[start + q : start + 2 * q]
            third, fourth = V[start + 2 * q : start + 3 * q], V[start + 3 * q : start + 4 * q]
            for i in range(q):
                a, b = first[i] + third[i], second[i] + fourth[i]
                c, d = first[i] - third[i], second[i] - fourth[i]
                first[i], second[i], third[i], fourth[i] = a + b, a - b, c + d, c - d
        half //= 4
    if half == least:
        for start in range(0, V.size, 2 * half):
            first, second = V[start : start + half], V[start + half : start + 2 * half]
            for i in range(half):
                a, b = first[i], second[i]
                first[i], second[i] = a + b, a - b


@njit(cache=True)
def hadamard(V: np.ndarray, columns: int, lanes: int, scratch: np.ndarray) -> None:
    """The Walsh-Hadamard transform of V, in place; V is a matrix of that many columns, `scratch` `lanes` of its rows.

    Long butterflies run down the columns. The short ones, which no vector unit likes, run down the columns of the
    transposed matrix, `lanes` rows at a time: they stay in the first cache.
    """
    matrix, turned = V.reshape(V.size // columns, columns), scratch.reshape(columns, lanes)
    butterflies(V, columns)
    for top in range(0, V.size // columns, lanes):
        for i in range(lanes):
            for j in range(columns):
                turned[j, i] = matrix[top + i, j]
        butterflies(scratch, lanes)
        for i in range(lanes):
            for j in range(columns):
                matrix[top + i, j] = turned[j, i]


@njit(cache=True)
def sampled_transforms(
    X: np.ndarray, signs: np.ndarray, coordinates: np.ndarray, columns: int, lanes: int, out: np.ndarray
) -> None:
    """out[i] = (H diag(signs) x_i)[coordinates] for every row of X, shape (n, d), padded with zeros."""
    V, scratch = np.zeros_like(signs), np.empty_like(signs[: columns * lanes])
    d = X.shape[1]
    for row in range(X.shape[0]):
        x, image = X[row], out[row]
        for j in range(d):
            V[j] = x[j] * signs[j]
        V[d:] = 0
        hadamard(V, columns, lanes, scratch)
        for j in range(coordinates.size):
            image[j] = V[coordinates[j]]


@njit(cache=True)
def scattered_transforms(
    W: np.ndarray, signs: np.ndarray, coordinates: np.ndarray, columns: int, lanes: int, out: np.ndarray
) -> None:
    """out[i] = the first coordinates of diag(signs) H v, v with w_ij added at coordinates[j]; W of shape (n, k)."""
    V, scratch = np.empty_like(signs), np.empty_like(signs[: columns * lanes])
    for row in range(W.shape[0]):
        w, image = W[row], out[row]
        V[:] = 0
        for j in range(coordinates.size):
            V[coordinates[j]] += w[j]
        hadamard(V, columns, lanes, scratch)
        for j in range(out.shape[1]):
            image[j] = V[j] * signs[j]


@njit(cache=True, fastmath={"reassoc", "contract"})
def hinge_steps(
    V: np.ndarray,
    Z: np.ndarray,
    inverse: np.ndarray,
    rho: float,
    pull: float,
    cap: float,
    norm_bound: float,
    total: np.ndarray,
) -> None:
    """Steps of `mechanisms.phased_sgd.average_iterate` over the rows of Z, which all runs share.

    V becomes the last iterate, and those before each step are added to `total`. Sums may be taken in any order.
    """
    for run in range(V.shape[0]):
        v, visited = V[run], total[run]
        for t in range(Z.shape[0]):
            z, along = Z[t], 0.0
            for j in range(v.size):
                visited[j] += v[j]
                along += v[j] * z[j]
            size, square = min(max((rho - along) * (pull * inverse[t]), 0.0), cap), 0.0
            for j in range(v.size):
                v[j] += size * z[j]
                square += v[j] * v[j]
            if square > norm_bound**2:
                v *= norm_bound / np.sqrt(square)
