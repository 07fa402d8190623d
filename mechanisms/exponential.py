"""The exponential mechanism: release candidate c with probability proportional to exp(epsilon q(c) / (2 Dq)).

Scores are computed once, or streamed block by block when there are too many to hold. A release is the
candidate that wins after every score got its own Gumbel noise of scale 2 Dq / epsilon (Gumbel-max), so the
mechanism is also report-noisy-max. Many releases from K candidates do not need size x K Gumbels: the best
of a block is Gumbel again, moved to the block's log-sum-exp, and who it is does not depend on how high it
came. So every block is entered as one candidate, and a winner is drawn inside it for the releases it leads
so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from scipy.special import logsumexp

from mechanisms.law import positive
from mechanisms.privacy import PureDP, to_pure

BLOCK = 100_000  # scores held at a time


@dataclass(frozen=True)
class ExponentialLaw:
    """The law of the selected index, on one dataset."""

    blocks: Callable[[], Iterable] = field(repr=False)  # scores in order, larger is better; never in a repr
    candidates: int
    sensitivity: float  # of every score, between neighbours
    privacy: PureDP

    @property
    def scale(self):
        """epsilon / (2 Dq), the factor of the scores in the exponent."""
        return self.privacy.epsilon / (2 * self.sensitivity)

    def _weighted(self):
        """Pairs (index of the first candidate, scale * scores) block by block."""
        start = 0
        for block in self.blocks():
            scores = _checked(block)
            yield start, self.scale * scores
            start += scores.size

    def sample(self, rng, size=1):
        """`size` independent releases: indices, shape (size,). One pass over the scores, whatever `size` is."""
        height, winner = np.full(size, -np.inf), np.zeros(size, dtype=np.int64)
        for start, logits in self._weighted():
            top = logits.max()
            rising = np.cumsum(np.exp(logits - top))
            reached = top + np.log(rising[-1]) + rng.gumbel(size=size)
            leads = np.flatnonzero(reached > height)
            # u < 1, so the candidate found always has positive weight
            inside = np.searchsorted(rising, rng.random(leads.size) * rising[-1], side="right")
            height[leads], winner[leads] = reached[leads], start + np.minimum(inside, logits.size - 1)
        return winner

    def log_normaliser(self):
        """log sum_c exp(epsilon q(c) / (2 Dq)), in one pass."""
        return float(logsumexp([logsumexp(logits) for _, logits in self._weighted()]))

    def log_density(self, releases):
        """log-probabilities of released indices, shape (size,); -inf for what is no candidate."""
        releases = np.asarray(releases)
        found = np.full(releases.shape, -np.inf)
        totals = []
        for start, logits in self._weighted():
            here = (releases >= start) & (releases < start + logits.size) & (releases == np.floor(releases))
            found[here] = logits[releases[here].astype(np.int64) - start]
            totals.append(logsumexp(logits))
        return found - logsumexp(totals)

    def log_probabilities(self):
        """All log-probabilities, shape (candidates,): for exact checks on small sets."""
        return self.log_density(np.arange(self.candidates))


def _checked(scores):
    """One block of scores as floats, shape (n,). The message names no score."""
    scores = np.asarray(scores, dtype=float)
    if scores.ndim != 1 or scores.size < 1:
        raise ValueError(f"scores has shape {scores.shape}, not (candidates,) with at least one candidate")
    if not np.isfinite(scores).all():
        raise ValueError("scores has entries that are not finite numbers")
    return scores


def _slices(scores, block):
    return (scores[start : start + block] for start in range(0, len(scores), block))


def law(scores, *, sensitivity, privacy):
    """The exponential mechanism over scores that fit in memory, shape (candidates,), larger is better.

    Formal guarantee: `privacy.epsilon`-DP for the neighbours of `privacy`, if no score moves by more than
    `sensitivity` between neighbours (assumed: it belongs to the caller's score) and the candidates do not
    depend on the private data. The analysis is over the reals. Raises ValueError for scores that are empty
    or not finite, a sensitivity outside (0, inf), and a guarantee that is not pure.
    """
    positive(sensitivity=sensitivity)
    scores = _checked(scores)
    return ExponentialLaw(partial(_slices, scores, BLOCK), scores.size, sensitivity, to_pure(privacy))


def streamed(blocks, *, candidates, sensitivity, privacy):
    """As `law`, for more scores than memory holds.

    `blocks()` returns a fresh iterator over arrays of scores, in order.

    `candidates` is their number in all. Every call of `sample` or `log_density` is one pass and holds one
    block.
    """
    positive(sensitivity=sensitivity, candidates=candidates)
    return ExponentialLaw(blocks, candidates, sensitivity, to_pure(privacy))


def fit(scores, *, rng, **parameters):
    """One release: the index of the selected candidate, an int."""
    return int(law(scores, **parameters).sample(rng)[0])
