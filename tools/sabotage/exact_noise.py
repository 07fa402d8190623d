"""Exact noise and the grid of its rows changed, in the one place that every exact `fit` goes through."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.stats import norm

from lemmata.mechanisms.audit.subjects import replay
from lemmata.mechanisms.noise import grid_sums
from lemmata.tools.sabotage.planting import Planted, rewritten, rng

SURE, SIGMA = 1e-10, 3.0


def grid_noise_is_wrong() -> bool:
    """The noise of two thousand sums of two coordinates, jointly: its law, and that no number comes twice."""
    noise = grid_sums.GridNoise(rng("grid noise"), SIGMA, 2.0**-10, (2,), 2000)
    draws = np.stack([noise.add(np.zeros(2)) for _ in range(2000)])
    return replay.not_the_law(draws, norm(scale=SIGMA).cdf) < SURE


def counts_have_other_noise() -> bool:
    """The noise of two thousand counts."""
    draws = grid_sums.noisy_counts(rng("noisy counts"), np.zeros((2000, 2)), SIGMA)
    return replay.not_the_law(draws, norm(scale=SIGMA).cdf) < SURE


def rows_get_longer() -> bool:
    """A row on the grid is longer than the radius that the noise is made for, in rationals."""
    angles = np.linspace(0.0, 6.0, 100)
    rows = grid_sums.round_rows(np.column_stack([np.cos(angles), np.sin(angles)]), 1.0)
    return any(sum(Fraction(x) ** 2 for x in row) > 1 for row in rows.tolist())


NOISE = grid_sums.GridNoise
EXACT = (
    Planted(12, "exact noise of sums halved", "joint test of the draws", NOISE, "__post_init__",
            rewritten("/ Fraction(self.grid)", "/ Fraction(self.grid) / 2"), grid_noise_is_wrong),
    Planted(12, "exact noise of counts halved", "joint test of the draws", grid_sums, "noisy_counts",
            lambda f: lambda rng, counts, sigma: f(rng, counts, sigma / 2), counts_have_other_noise),
    Planted(17, "rows rounded to the nearest step of the grid, not towards 0", "norm of a rounded row", grid_sums,
            "round_rows", rewritten("np.trunc", "np.rint"), rows_get_longer),
    Planted(18, "one exact draw for all sums", "joint test of the draws", NOISE, "add",
            rewritten("self._next += 1", "self._next += 0"), grid_noise_is_wrong),
    Planted(18, "one exact draw for all coordinates of a sum", "joint test of the draws", NOISE, "add",
            rewritten("(count, *self.shape)", "(count, *self.shape[:-1], 1)"), grid_noise_is_wrong),
)  # fmt: skip
