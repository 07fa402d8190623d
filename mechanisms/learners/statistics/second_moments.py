"""Ridge regression from noisy second moments, the ridge by AdaSSP's rule (Wang 2018).

    release  A = sum_i z_i z_i^T + E,   b = sum_i y_i z_i + e,      |z_i| <= 1, |y_i| <= 1
    predict  <w, z>,  w = (A + ridge I)^-1 b

E is symmetric, with standard deviation sigma on its diagonal and sigma / sqrt(2) off it, e has sigma. A replaced
record moves (A, b) by at most sqrt(9/2) in the L2 norm that counts an entry off the diagonal twice
(`wzw25.rem2.3.float64/explicit/moments`). |E| is at most `reach` = sigma (sqrt(2 D) + sqrt(2 log(2 / beta))) with
probability 1 - beta, by the Gaussian concentration of a norm. The ridge is what of `reach` the least eigenvalue of A
does not surely have by itself, max(0, reach - max(0, least - reach)): a function of what was released.

Rows and labels are rounded towards 0 to whole steps of a public grid, so float64 adds all products exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import frexp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import LinearLaw, check_replacement
from lemmata.mechanisms.noise.grid_sums import EXACT, GridNoise, check_noise, count_coefficient_bits
from lemmata.mechanisms.numerics.arguments import BLOCK_ENTRIES, as_float_array, clip_rows, quiet, read_records
from lemmata.mechanisms.numerics.arithmetic import round_up, sqrt_up
from lemmata.mechanisms.numerics.sparse_rows import Rows, dense_rows
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, to_gaussian_budget

SQUARE = Fraction(9, 2)  # of what a replaced record moves all moments by
FINEST = 16  # bits of a coordinate, at most
WIDE = 45  # bits of the noise in steps of the grid of products, at most
BETA = 0.05  # the chance that |E| is beyond its reach
MOST_COLUMNS = 4096  # whose moments, 128 MiB, are held


@dataclass(frozen=True)
class SecondMomentsLaw(LinearLaw):
    """The law of the ridge regression's weights on one dataset; releases have shape (size, D)."""

    moments: np.ndarray = field(repr=False)  # of (z, y), shape (D + 1, D + 1), in squares of a step
    bits: int  # a step is 2^-bits
    sigma: float  # standard deviation of the noise of a moment on the diagonal
    privacy: GaussianDP
    noise: str = "exact"

    def noisy(self, rng: np.random.Generator, value: np.ndarray, sigma: float) -> np.ndarray:
        """Return moments with noise added: exact noise is on the grid of products."""
        if self.noise == "float":
            return value + rng.normal(scale=sigma, size=value.shape)
        return GridNoise(rng, sigma, 4.0**-self.bits, value.shape).add(value.copy())

    def ask(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw the moments A and b once."""
        size = len(self.moments) - 1
        whole, (rows, columns) = self.moments * 4.0**-self.bits, np.triu_indices(size, 1)
        edge = np.append(np.diag(whole)[:size], whole[:size, size])
        diagonal, b = np.split(self.noisy(rng, edge, self.sigma), 2)
        A = np.diag(diagonal)
        A[rows, columns] = self.noisy(rng, whole[rows, columns], off_diagonal(self.sigma))
        A[columns, rows] = A[rows, columns]
        return A, b

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases of the weights, shape (size, D)."""
        return np.stack([solve_ridge(*self.ask(rng), self.sigma) for _ in range(size)])


def check_columns(D: int) -> None:
    """Raise ValueError for more columns than moments are held of."""
    if D > MOST_COLUMNS:
        raise ValueError(f"X must have at most {MOST_COLUMNS} columns, got {D}")


def off_diagonal(sigma: float) -> float:
    """Return the standard deviation of a moment off the diagonal, which counts twice: sigma / sqrt(2), rounded up."""
    return sqrt_up(Fraction(sigma) ** 2 / 2)


def solve_ridge(A: np.ndarray, b: np.ndarray, sigma: float) -> np.ndarray:
    """Return (A + ridge I)^-1 b with AdaSSP's ridge; eigenvalues below 0, which are noise, count as 0.

    >>> solve_ridge(np.diag([400.0, 1.0]), np.array([200.0, 1.0]), 1.0).round(2).tolist()
    [0.5, 0.18]
    """
    values, vectors = np.linalg.eigh(A)
    reach = sigma * (sqrt(2 * len(b)) + sqrt(2 * log(2 / BETA)))
    ridge = max(0.0, reach - max(0.0, values[0] - reach))
    return np.asarray(vectors @ ((b @ vectors) / (np.maximum(values, 0.0) + ridge)))


def add_products(X: Rows, y: np.ndarray, bits: int) -> np.ndarray:
    """Return the moments of rows (x, y) in whole steps, shape (D + 1, D + 1): exact sums of whole numbers."""
    (n, D), scale = X.shape, 2.0**bits
    total, height = np.zeros((D + 1, D + 1)), max(1, BLOCK_ENTRIES // D)
    for start in range(0, n, height):
        here = slice(start, start + height)
        # Clipping in float64 may lengthen a row by (d + 8) 2^-53; the factor takes that back twice over.
        rows = clip_rows(dense_rows(X[here]), 1.0) * (1 - (D + 8) * 2.0**-52)
        steps = np.trunc(np.column_stack([rows, y[here]]) * scale)
        total += steps.T @ steps
    return total


@quiet
def law(X: ArrayLike, y: ArrayLike, *, privacy: GaussianDP | ApproxDP, noise: str = "float") -> SecondMomentsLaw:
    """Return the law of the weights on rows X, shape (n, D), and targets y, shape (n,).

    Formal guarantee: mu-GDP under replacement of one record, with the mu of `privacy` (for an ApproxDP the largest that
    implies it), for every input; with `noise` "exact" it holds for the bits released. Rows are clipped to length 1 and
    targets to [-1, 1], and every sum is exact. Raises ValueError for another shape or type, for more than
    `MOST_COLUMNS` columns, and for a budget that needs more noise than is drawn exactly.

    >>> X = np.random.default_rng(0).normal(size=(20_000, 2)) / 4
    >>> law(X, X @ [0.5, -1.0], privacy=GaussianDP(1.0)).sample(np.random.default_rng(1)).round(2).tolist()
    [[0.5, -1.0]]
    """
    check_noise(noise)
    budget, rows = to_gaussian_budget(check_replacement(privacy)), read_records(X, keep_sparse=True)
    (n, D), targets = rows.shape, as_float_array("y", y, axes=1)
    if targets.shape != (n,):
        raise ValueError(f"y must have shape ({n},), got {targets.shape}")
    check_columns(D)
    count_coefficient_bits(n)
    sigma = round_up(Fraction(sqrt_up(SQUARE)) / Fraction(budget.mu))
    if not sigma <= 2.0**WIDE:
        raise ValueError(f"privacy must have a mu of at least {2.2 / 2**WIDE:.2g} for exact noise, got {budget.mu}")
    bits = max(0, min(FINEST, (EXACT - n.bit_length()) // 2, (WIDE - frexp(sigma)[1]) // 2))
    moments = add_products(rows, np.clip(np.nan_to_num(targets), -1.0, 1.0), bits)
    return SecondMomentsLaw(moments, bits, sigma, budget, noise)
