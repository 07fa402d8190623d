"""Report noisy max: the index of the largest score after every score got its own Laplace noise, and the exact law.

    choice = report_noisy_max.law(scores, privacy=PureDP(1.0), sensitivity=0.1)
    choice.sample(rng, 100_000)                # indices
    choice.log_probabilities()                 # the exact law, by quadrature of a positive integrand

`noise`: "float" is that law over the real numbers, for experiments. "exact", for releases, rounds scores
to a public grid and adds discrete Laplace noise on it, whole numbers both; of equal ones the first is released. It is
private by the same proof: candidate i wins if its noise is at least a whole number r that the other scores and noises
decide, a replaced record moves r by at most 2 (sensitivity / grid + 1) steps, and Pr(K >= r + 1) is at least
e^(-1/steps) Pr(K >= r) for every whole r. What is released is an index, so that no low bits are.

Candidate i wins with probability int f(x - q_i) prod_{j != i} F(x - q_j) dx, f and F density and distribution function
of the noise. Between neighbouring scores the integrand is a sum of exponentials; every piece is integrated by a
Gauss-Legendre rule, in logarithms, to about 13 digits relative to each probability, however small that is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from lemmata.mechanisms.noise.grid_sums import NOISES
from lemmata.mechanisms.noise.laplace import discrete_laplace, grid_for
from lemmata.mechanisms.numerics.arguments import check_choice, check_exactly_one, check_positive
from lemmata.mechanisms.numerics.arithmetic import round_up
from lemmata.mechanisms.privacy import Guarantee, PureDP, to_pure
from lemmata.mechanisms.selection.exponential import check_scores

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
REACH = 40.0  # beyond so many scales from the last score, and in the middle of a longer gap, nothing is seen
ENTRIES = 2**22  # of a matrix of noise at any one time
FAR = 2**61  # grid steps, 2^21 scales and more: no noise is as large


@dataclass(frozen=True)
class NoisyMaxLaw:
    """The law of the selected index, on one dataset."""

    scores: np.ndarray = field(repr=False)  # shape (candidates,), larger is better; never in a repr
    scale: float  # of the Laplace noise
    privacy: PureDP
    exact = False  # noise in float64, an experiment's: `fit` refuses it unless told

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases: indices, shape (size,)."""
        height = max(1, ENTRIES // self.scores.size)
        parts = [self._draw(rng, min(height, size - start)) for start in range(0, size, height)]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)

    def _draw(self, rng: np.random.Generator, size: int) -> np.ndarray:
        return (self.scores + rng.laplace(scale=self.scale, size=(size, self.scores.size))).argmax(axis=1)

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probabilities of released indices, shape (size,); -inf for what is no candidate."""
        releases = np.asarray(releases)
        here = np.isin(releases, np.arange(self.scores.size))
        return np.where(here, self.log_probabilities()[np.where(here, releases, 0).astype(np.int64)], -np.inf)

    def log_probabilities(self) -> np.ndarray:
        """Return all log-probabilities, shape (candidates,)."""
        q = np.maximum((self.scores - self.scores.max()) / self.scale, -1e300)
        ends = np.unique(np.concatenate([q, [q.min() - REACH, REACH]]))
        cuts = np.array([cut for gap in pairwise(ends) for cut in _cuts(*gap, q.size)])
        height = max(1, ENTRIES // (NODES.size * q.size))
        return logsumexp([_pieces(q, *cuts[start : start + height].T) for start in range(0, len(cuts), height)], axis=0)


@dataclass(frozen=True)
class GridNoisyMaxLaw:
    """The law of the selected index under discrete Laplace noise on a grid, sampled exactly."""

    places: tuple[int, ...] = field(repr=False)  # the scores in whole grid steps
    steps: int  # scale / grid
    grid: float  # a power of two, public
    privacy: PureDP

    @property
    def scale(self) -> float:
        """Of the noise."""
        return self.grid * self.steps

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases: indices, shape (size,)."""
        height = max(1, ENTRIES // len(self.places))
        return np.concatenate([self._draw(rng, min(height, size - start)) for start in range(0, size, height)])

    def _draw(self, rng: np.random.Generator, size: int) -> np.ndarray:
        top = max(self.places)
        below = np.array([max(place - top, -FAR) for place in self.places], dtype=np.int64)
        return (below + discrete_laplace(rng, self.steps, (size, below.size))).argmax(axis=1)


def _cuts(start: float, end: float, candidates: int) -> list[tuple[float, float]]:
    """Pieces of [start, end] on which no exponential of the integrand, a slope up to `candidates`, runs away."""
    fine = max(1, candidates / 8)
    if end - start <= 2 * REACH:
        return list(pairwise(np.linspace(start, end, 1 + ceil((end - start) * fine))))
    inner = start + REACH, end - REACH
    return [*_cuts(start, inner[0], candidates), inner, *_cuts(inner[1], end, candidates)]


def _pieces(q: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """log of the integral over all pieces, `start` and `end` of shape (pieces,), for every candidate."""
    half = (end - start)[:, None] / 2
    x, weights = (start[:, None] + half * (NODES + 1)).ravel(), (half * WEIGHTS).ravel()
    t = x[:, None] - q
    log_f = -np.abs(t) - np.log(2)
    log_F = np.where(t > 0, np.log1p(-np.exp(log_f)), log_f)
    others = log_F.sum(axis=1)[:, None] - log_F
    return logsumexp(others + log_f, axis=0, b=weights[:, None])


def law(
    scores: ArrayLike,
    *,
    privacy: Guarantee | None = None,
    sensitivity: float,
    scale: float | None = None,
    noise: str = "float",
) -> NoisyMaxLaw | GridNoisyMaxLaw:
    """Return report noisy max over scores, (candidates,), larger is better; Laplace noise of the given `scale`, or of
    the least that gives `privacy`: 2 sensitivity / epsilon.

    Formal guarantee: (2 sensitivity / scale)-DP, rounded up, if no score moves by more than `sensitivity` between
    neighbours (assumed: it belongs to the caller's score). Nothing can be saved: two candidates far apart that move
    against each other come as near to it as one likes. With `noise` "exact", which needs `privacy`, it holds in
    floating point, at a millionth more noise. Raises ValueError for scores that are empty or not finite, for a
    sensitivity or scale outside (0, inf), for a guarantee that is not pure, and unless exactly one of `privacy` and
    `scale` is given.

    >>> law([0.0, 0.0], privacy=PureDP(1.0), sensitivity=0.5).scale
    1.0
    >>> np.exp(law([0.0, 2.0], sensitivity=0.5, scale=1.0).log_probabilities()).round(6).tolist()
    [0.135335, 0.864665]
    """
    scores = check_scores(scores)
    (sensitivity,) = check_positive(sensitivity=sensitivity)
    check_exactly_one(scale=scale, privacy=privacy)
    check_choice(NOISES, noise=noise)
    if noise == "exact":
        if privacy is None:
            raise ValueError("privacy is required: exact noise is calibrated to a guarantee, not to a scale")
        pure = to_pure(privacy)
        grid, steps = grid_for(2 * sensitivity, pure.epsilon, 2)
        return GridNoisyMaxLaw(tuple(round(Fraction(s) / Fraction(grid)) for s in scores.tolist()), steps, grid, pure)
    if scale is None:
        pure = to_pure(privacy)  # type: ignore[arg-type]
        (spread,) = check_positive(scale=round_up(2 * Fraction(sensitivity) / Fraction(pure.epsilon)))
        return NoisyMaxLaw(scores, spread, pure)
    (spread,) = check_positive(scale=scale)
    return NoisyMaxLaw(scores, spread, PureDP(round_up(2 * Fraction(sensitivity) / Fraction(spread))))
