"""The mean of every column of a table between public bounds, by an exact sum in whole steps and exact noise.

    release  low + (high - low) (sum_i u_i + noise) / n,      u_i = (clip(x_i, low, high) - low) / (high - low)

Every u_i is rounded to a multiple of 2^-20, so that float64 adds them exactly. A replaced record moves the sum of each
of d columns by at most 1: the noise is discrete Laplace noise of scale d / epsilon on that grid, or a Gaussian of
standard deviation sqrt(d) / mu on a public grid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import check_replacement
from lemmata.mechanisms.noise import grid_gaussian
from lemmata.mechanisms.noise.laplace import MOST, GridLaplace
from lemmata.mechanisms.numerics.arguments import check_finite, quiet, read_matrix
from lemmata.mechanisms.numerics.arithmetic import short_repr, sqrt_up
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, Guarantee, PureDP
from lemmata.mechanisms.tables.column_ranges import Ranges

STEPS = 2**20  # in which an entry between its bounds is counted
Noise = GridLaplace | grid_gaussian.GridGaussianLaw
NARROWEST = 1e-300  # high - low, at least: a quotient by it is no infinity


@dataclass(frozen=True)
class BoundedMeanLaw:
    """The law of the noisy means on one dataset; releases have shape (size, d)."""

    noise: Noise = field(repr=False)  # the sums of entries in [0, 1]
    low: np.ndarray  # shape (d,)
    width: np.ndarray  # what 1 of a sum adds to a mean, shape (d,)
    privacy: Guarantee

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, d)."""
        return self.low + self.noise.sample(rng, size) * self.width


def unit_entries(X: ArrayLike, bounds: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (x - low) / (high - low) of every entry, clipped to [0, 1], and low and high of each of d columns.

    What is no number counts as the middle of its bounds. ValueError unless `bounds` are a pair of numbers, low < high,
    for all columns, or a pair of arrays with one of them for each.

    >>> unit_entries([[0.0, 9.0], [np.nan, 1.0]], ([0, 0], [2, 4]))[0].tolist()
    [[0.0, 1.0], [0.5, 0.25]]
    """
    rows = read_matrix(X)
    ends, d = check_finite("bounds", bounds), rows.shape[1]
    fitting = ends.shape in ((2,), (2, d))
    if not fitting or not all(NARROWEST <= width < np.inf for width in np.ravel(ends[1] - ends[0])):
        wanted = f"a pair (low, high) of numbers with low < high, or one with such numbers for each of {d} columns"
        raise ValueError(f"bounds must be {wanted}, got {short_repr(bounds)}")
    low, high = (np.broadcast_to(end, d) for end in ends)
    middle = Ranges(low / 2 + high / 2, high / 2 - low / 2, None, reach=1.0)
    return middle.standardised(rows) / 2 + 0.5, low, high


def noise_around(value: np.ndarray, privacy: Guarantee, *, moved: int, most: int) -> tuple[Noise, Guarantee]:
    """Return the law of sums (k,) under exact noise, and its promise: discrete Laplace for a PureDP, else Gaussian.

    `value`: multiples of 1 / STEPS in [-most, most]. A replaced record moves them by at most `moved` in the L1 norm,
    and by its root in the L2 norm, because no single one moves by more than 1. Raises ValueError for a guarantee of
    another kind, and for an epsilon that needs more noise than is drawn exactly.
    """
    if not isinstance(privacy, PureDP):
        if not isinstance(privacy, GaussianDP | ApproxDP):
            raise ValueError(f"privacy must be a PureDP, an ApproxDP or a GaussianDP, got {short_repr(privacy)}")
        made = grid_gaussian.law(value, sensitivity=sqrt_up(Fraction(moved)), bound=float(most), privacy=privacy)
        return made, made.privacy
    # Rounded up: noise that is a step wider is more private.
    steps = ceil(Fraction(moved * STEPS) / Fraction(privacy.epsilon))
    if steps > MOST:
        raise ValueError(f"epsilon must be at least {moved * STEPS / MOST:g} for exact noise, got {privacy.epsilon}")
    return GridLaplace(value, 1 / STEPS, steps), privacy


@quiet
def law(X: ArrayLike, *, privacy: Guarantee, bounds: ArrayLike) -> BoundedMeanLaw:
    """Return the law of the means of all columns of X, shape (n, d), each between its public bounds.

    Formal guarantee: `privacy` under replacement of one record, for every input and the bits released: pure for a
    PureDP, with Laplace noise, else that of a Gaussian mechanism. Every entry is clipped to its bounds and counted in
    whole steps, so a replaced record moves the sums of d columns by at most d in the L1 norm, sqrt(d) in the L2 norm.
    Error: of a mean the noise has the scale d (high - low) / (n epsilon), or standard deviation
    sqrt(d) (high - low) / (n mu); clipping comes on top. What is no number counts as the middle of its bounds.
    Raises ValueError for what is public and out of range.

    >>> made = law([[1.0], [2.0], [9.0]], privacy=PureDP(1e5), bounds=(0.0, 3.0))
    >>> made.sample(np.random.default_rng(0)).round(3).tolist()
    [[2.0]]
    """
    check_replacement(privacy)
    unit, low, high = unit_entries(X, bounds)
    n, d = unit.shape
    noise, promised = noise_around((np.rint(unit * STEPS) / STEPS).sum(axis=0), privacy, moved=d, most=n)
    return BoundedMeanLaw(noise, low, (high - low) / n, promised)
