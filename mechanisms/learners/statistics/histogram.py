"""Noisy counts of a column between public edges.

    release  #{i : edges_k <= x_i < edges_(k+1)} + noise for every k, rounded to whole numbers

A replaced record takes 1 from one count of each of d columns and adds 1 to another: 2 d in the L1 norm and sqrt(2 d) in
the L2 norm (`wzw25.rem2.3.float64/explicit/counts`). Records outside all edges are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import check_replacement
from lemmata.mechanisms.learners.statistics.bounded_mean import Noise, noise_around
from lemmata.mechanisms.numerics.arguments import check_vector, quiet, read_matrix
from lemmata.mechanisms.privacy import Guarantee
from lemmata.mechanisms.tables.column_ranges import count_bins


@dataclass(frozen=True)
class HistogramLaw:
    """The law of the noisy counts on one dataset; releases have shape (size, d, bins)."""

    noise: Noise = field(repr=False)
    shape: tuple[int, int]  # (d, bins)
    privacy: Guarantee

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, d, bins), whole numbers, of which some may be below 0."""
        return np.rint(self.noise.sample(rng, size)).reshape(size, *self.shape)


@quiet
def law(X: ArrayLike, *, privacy: Guarantee, edges: ArrayLike) -> HistogramLaw:
    """Return the law of the counts of every column of X, shape (n, d), between `edges`, ascending, shape (bins + 1,).

    Formal guarantee: `privacy` under replacement of one record, for every input and the bits released: pure for a
    PureDP, with Laplace noise, else that of a Gaussian mechanism. Error: a count is off by noise of scale
    2 d / epsilon, or of standard deviation sqrt(2 d) / mu, and rounded. The last edge belongs to the last bin; what is
    no number is counted nowhere. Raises ValueError for edges that do not ascend, and for a budget that is too small.

    >>> from lemmata import PureDP
    >>> made = law([[0.5], [1.5], [1.6], [2.0], [7.0]], privacy=PureDP(100.0), edges=[0, 1, 2])
    >>> made.sample(np.random.default_rng(0)).tolist()
    [[[1.0, 3.0]]]
    """
    check_replacement(privacy)
    rows, ends = read_matrix(X), check_vector("edges", edges)
    if len(ends) < 2 or not (np.diff(ends) > 0).all():
        raise ValueError(f"edges must have shape (bins + 1,) with bins >= 1, and ascend, got shape {ends.shape}")
    (n, d), bins = rows.shape, len(ends) - 1
    places = ends.copy()
    places[-1] = np.nextafter(ends[-1], np.inf)

    def bin_of(entries: np.ndarray, _: np.ndarray) -> np.ndarray:
        found = np.searchsorted(places, entries, side="right") - 1
        return np.where(found < 0, bins, np.minimum(found, bins))  # the last one is for what lies outside, and for NaN

    counts = count_bins(rows, bins + 1, bin_of)[:, :bins]
    noise, promised = noise_around(counts.ravel(), privacy, moved=2 * d, most=n)
    return HistogramLaw(noise, (d, bins), promised)
