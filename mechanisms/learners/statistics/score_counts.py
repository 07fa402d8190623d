"""Noisy counts of the scores of released weights, by the sides that records are on: what calibration asks of the data.

    release  #{i : y_i = s, edges_k <= <w_c, z_i> / |w_c| < edges_(k+1)} + noise,   each class c, side s and bin k

Rows may be longer than 1, and scores with them; those beyond [-4, 4] count as the ends. A replaced record takes 1 from
one count of each class and adds 1 to another, sqrt(2 K) for K classes in the L2 norm
(`wzw25.rem2.3.float64/explicit/counts`). Weights are public: they were released before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import check_replacement
from lemmata.mechanisms.noise.grid_sums import check_noise, noisy_counts
from lemmata.mechanisms.numerics.arguments import as_float_array, check_finite, quiet, read_records
from lemmata.mechanisms.numerics.arithmetic import round_up, sqrt_up
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, to_gaussian_budget

BINS = 32  # finer in the middle, where scores are
EDGES = np.linspace(-2, 2, BINS + 1)
EDGES = EDGES * np.abs(EDGES)


@dataclass(frozen=True)
class ScoreCountsLaw:
    """The law of the noisy counts on one dataset; releases have shape (size, K, 2, BINS), side -1 first."""

    counts: np.ndarray = field(repr=False)  # shape (K, 2, BINS)
    sigma: float  # standard deviation of the noise of every count
    privacy: GaussianDP
    noise: str = "exact"

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, K, 2, BINS)."""
        counts = np.broadcast_to(self.counts, (size, *self.counts.shape))
        if self.noise == "float":
            return counts + rng.normal(scale=self.sigma, size=counts.shape)
        return noisy_counts(rng, counts, self.sigma)


def noise_deviation(tables: int, mu: float) -> float:
    """Return the standard deviation of the noise of `tables` histograms that gives mu-GDP for all, rounded up.

    >>> noise_deviation(2, 0.5)
    4.0
    """
    return round_up(Fraction(sqrt_up(Fraction(2 * tables))) / Fraction(mu))


def count_scores(scores: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Return how many records of either side, -1 and +1, have their score in each bin: (2, BINS)."""
    places = np.clip(np.searchsorted(EDGES, scores, side="right") - 1, 0, BINS - 1)
    return np.stack([np.bincount(places[side == one], minlength=BINS) for one in (-1, 1)]).astype(float)


@quiet
def law(
    X: ArrayLike, y: ArrayLike, *, weights: ArrayLike, privacy: GaussianDP | ApproxDP, noise: str = "float"
) -> ScoreCountsLaw:
    """Return the law of the counts of the scores of rows X, shape (n, d), under `weights`, public, shape (K, d).

    Formal guarantee: mu-GDP under replacement of one record, with the mu of `privacy` (for an ApproxDP the largest that
    implies it), for every input; with `noise` "exact" it holds for the bits released. `y`: -1 or +1, shape (n,), or
    (K, n) with the side of every class; a record of neither is counted nowhere. Raises ValueError for another shape or
    type.

    >>> made = law([[0.5], [-0.9], [0.0]], [1, -1, 0], weights=[[3.0]], privacy=GaussianDP(1.0))
    >>> made.counts.sum(axis=-1).tolist(), round(made.sigma, 4)
    ([[1.0, 1.0]], 1.4142)
    """
    check_noise(noise)
    budget, rows = to_gaussian_budget(check_replacement(privacy)), read_records(X, keep_sparse=True)
    public, sides = check_finite("weights", weights), np.atleast_2d(as_float_array("y", y))
    n, d = rows.shape
    if public.ndim != 2 or public.shape[1] != d or not len(public):
        raise ValueError(f"weights must have shape (K, {d}) with K >= 1, got {public.shape}")
    if sides.shape != (len(public), n):
        raise ValueError(f"y must have shape ({n},), or ({len(public)}, {n}) for as many weights, got {np.shape(y)}")
    norms = np.linalg.norm(public, axis=1)
    scores = np.asarray(rows @ (public / np.where(norms > 0, norms, 1.0)[:, None]).T)
    counts = np.stack([count_scores(score, side) for score, side in zip(scores.T, sides, strict=True)])
    return ScoreCountsLaw(counts, noise_deviation(len(counts), budget.mu), budget, noise)
