"""Quantiles of a column by the exponential mechanism on a public grid.

Records are rounded to one of `cells` + 1 points between public bounds. A point c has the score

    -max(0, #{x_i < c} - t, t - #{x_i <= c}),      t = round(q n),

0 where c is a quantile, and otherwise minus the number of records between c and it. A replaced record moves each of
the two counts by at most 1, so the score by at most 1. Counts are whole numbers and the chances are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import check_replacement
from lemmata.mechanisms.learners.statistics.bounded_mean import unit_entries
from lemmata.mechanisms.numerics.arguments import check_integer, check_vector, quiet
from lemmata.mechanisms.numerics.arithmetic import round_down
from lemmata.mechanisms.privacy import Guarantee, PureDP, to_pure
from lemmata.mechanisms.selection import exponential
from lemmata.mechanisms.tables.column_ranges import count_bins

MOST = 2**20  # cells between the bounds


@dataclass(frozen=True)
class QuantileLaw:
    """The law of the noisy quantiles on one dataset; releases have shape (size, d, quantiles)."""

    scores: np.ndarray = field(repr=False)  # of every point, whole numbers, shape (d quantiles, cells + 1)
    selections: tuple[exponential.ExponentialLaw, ...]  # one a column and quantile
    low: np.ndarray  # shape (d, 1)
    width: np.ndarray  # of a cell, shape (d, 1)
    privacy: PureDP

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, d, quantiles)."""
        chosen = np.stack([one.sample(rng, size) for one in self.selections], axis=1)
        return self.low + chosen.reshape(size, len(self.low), -1) * self.width


@quiet
def law(X: ArrayLike, *, privacy: Guarantee, q: ArrayLike, bounds: ArrayLike, cells: int = 2**16) -> QuantileLaw:
    """Return the law of the quantiles `q`, each in [0, 1], of every column of X, shape (n, d), within public bounds.

    Formal guarantee: `privacy`, a PureDP under replacement of one record, for every input and the bits released. Each
    column and quantile has an equal share of epsilon, rounded down. Error: a point that is more than
    (2 / epsilon) log(cells / beta) records away from the quantile comes out with probability at most beta
    (epsilon of the share); rounding adds half a cell, (high - low) / (2 cells). What is no number counts as the middle
    of its bounds. Raises ValueError for what is public and out of range.

    >>> made = law(np.arange(1000.0)[:, None], privacy=PureDP(50.0), q=[0.25, 0.5], bounds=(0.0, 4096.0))
    >>> (made.sample(np.random.default_rng(0)) / 10).round().tolist()
    [[[25.0, 50.0]]]
    """
    pure, wanted = to_pure(check_replacement(privacy)), check_vector("q", q)
    (cells,) = check_integer(MOST, cells=cells)
    if not ((wanted >= 0) & (wanted <= 1)).all():
        raise ValueError("q must have entries in [0, 1] only")
    unit, low, high = unit_entries(X, bounds)
    n, d = unit.shape
    counts = count_bins(np.rint(unit * cells), cells + 1, lambda places, _: places.astype(np.int64))
    upto = np.repeat(counts.cumsum(axis=1), len(wanted), axis=0)
    rank = np.tile(np.rint(wanted * n), d)[:, None]
    below = upto - np.repeat(counts, len(wanted), axis=0)
    scores = -np.maximum(0.0, np.maximum(below - rank, rank - upto))
    # Rounded down, so that the shares add up to no more than epsilon.
    share = PureDP(round_down(Fraction(pure.epsilon) / len(scores)), pure.neighbours)
    selections = tuple(exponential.law(row, privacy=share, sensitivity=1.0) for row in scores)
    return QuantileLaw(scores, selections, low[:, None], ((high - low) / cells)[:, None], pure)
