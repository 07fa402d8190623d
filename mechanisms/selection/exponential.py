"""The exponential mechanism: release candidate c with probability proportional to exp(epsilon q(c) / (2 Dq)).

Scores are computed once, or streamed block by block when there are too many to hold. The chances are exact, though
floats can only approximate them (`lemmata.mechanisms.numerics.exact_choice`): first a block is chosen by the sum of its
weights, then a candidate inside it. An index has no low bits, so the guarantee holds for what is released, if it holds
for the scores as they are, floats: a score that is computed may move by more than its formula does, and whole numbers
do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from lemmata.mechanisms.numerics.arguments import (
    check_callable,
    check_finite,
    check_integer,
    check_positive,
    resolve_generator,
)
from lemmata.mechanisms.numerics.arithmetic import round_down
from lemmata.mechanisms.numerics.exact_choice import choice_weights, draw_choices, enclosed_weights, weight_sum_error
from lemmata.mechanisms.privacy import Guarantee, PureDP, to_pure

MOST = 2**62  # candidates that an index can tell apart
BLOCK = 100_000  # scores held at a time
HELD = 2**20  # candidates whose weights are kept from the first pass for the second, in 8 MiB


class IndexLaw:
    """What laws of a selected index share."""

    candidates: int

    def log_probabilities(self: Any) -> np.ndarray:
        """Return all log-probabilities, shape (candidates,): for exact checks on small sets."""
        return np.asarray(self.log_density(np.arange(self.candidates)))


@dataclass(frozen=True)
class ExponentialLaw(IndexLaw):
    """The law of the selected index, on one dataset."""

    blocks: Callable[[], Iterable[np.ndarray]] = field(repr=False)  # scores in order, larger is better; never in a repr
    candidates: int
    sensitivity: float  # of every score, between neighbours
    privacy: PureDP

    @property
    def scale(self) -> float:
        """epsilon / (2 Dq), the factor of the scores in the exponent, rounded down."""
        return round_down(Fraction(self.privacy.epsilon) / (2 * Fraction(self.sensitivity)))

    def _weighted(self) -> Iterator[tuple[int, np.ndarray]]:
        """Pairs (index of the first candidate, scale * scores) block by block."""
        return ((start, self.scale * scores) for start, scores in self._scores())

    def _scores(self) -> Iterator[tuple[int, np.ndarray]]:
        """Pairs (index of the first candidate, scores) block by block."""
        start = 0
        for block in self.blocks():
            scores = check_scores(block)
            yield start, scores
            start += scores.size

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases: indices, shape (size,). Two passes over the scores, whatever `size` is."""
        rng, scale = resolve_generator(rng), self.scale
        found, held = [], list[np.ndarray]()
        for _, scores in self._scores():
            weights = choice_weights(scores, scale, top := scores.max())
            found.append((top, weights.sum(), scores.size))
            if self.candidates <= HELD:
                held.append(weights)
        tops, sums, sizes = (np.array(column) for column in zip(*found, strict=True))
        off = 2 * weight_sum_error(
            int(sizes.max()) + len(tops) + 300
        )  # 300: an exponent of a block, at least -700, is off by 2100 2^-53
        blocks = draw_choices(
            rng, choice_weights(tops, scale, tops.max()) * sums, size, partial(self._sums, tops.max()), off
        )
        winner = np.zeros(size, dtype=np.int64)
        for (start, scores), top, block in zip(self._scores(), tops, range(len(tops)), strict=True):
            here = np.flatnonzero(blocks == block)
            if here.size:
                weights = held[block] if held else choice_weights(scores, scale, top)
                winner[here] = start + draw_choices(
                    rng, weights, here.size, partial(enclosed_weights, scores, scale, top)
                )
        return winner

    def _sums(self, top: float) -> Iterator[arb]:
        """The sums of the weights of all blocks in balls, relative to that of a score `top`."""
        return (sum(enclosed_weights(scores, self.scale, top), arb(0)) for _, scores in self._scores())

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return log-probabilities of released indices, shape (size,); -inf for what is no candidate."""
        releases = np.asarray(releases)
        logs = np.full(releases.shape, -np.inf)
        totals = []
        for start, logits in self._weighted():
            here = (releases >= start) & (releases < start + logits.size) & (releases == np.floor(releases))
            logs[here] = logits[releases[here].astype(np.int64) - start]
            totals.append(logsumexp(logits))
        return logs - (totals[0] if len(totals) == 1 else logsumexp(totals))


def check_scores(scores: ArrayLike) -> np.ndarray:
    """One block of scores as floats, shape (n,). The message names no score."""
    scores = check_finite("scores", scores)
    if scores.ndim != 1 or scores.size < 1:
        raise ValueError(f"scores must have shape (candidates,) with at least one candidate, got {scores.shape}")
    return scores


def _slices(scores: np.ndarray, block: int) -> Iterator[np.ndarray]:
    return (scores[start : start + block] for start in range(0, len(scores), block))


def law(scores: ArrayLike, *, privacy: Guarantee, sensitivity: float) -> ExponentialLaw:
    """Return the exponential mechanism's law (bms22 Definition 2.1) for scores that fit in memory, larger is better.

    Formal guarantee: `privacy.epsilon`-DP for the neighbours of `privacy`, if no score moves by more than
    `sensitivity` between neighbours (assumed: it belongs to the caller's score, as floats) and the candidates do not
    depend on the private data. It holds in floating point: the chances are exact. Raises ValueError for scores that are
    empty or not finite, a sensitivity outside (0, inf), and a guarantee that is not pure.

    >>> law([0.0, 1.0], privacy=PureDP(2.0), sensitivity=1.0).log_probabilities().round(3).tolist()
    [-1.313, -0.313]
    """
    (sensitivity,) = check_positive(sensitivity=sensitivity)
    scores = check_scores(scores)
    return ExponentialLaw(partial(_slices, scores, BLOCK), scores.size, sensitivity, _scaled(privacy, sensitivity))


def _scaled(privacy: Guarantee, sensitivity: float) -> PureDP:
    """`privacy` as a pure guarantee whose exponent epsilon / (2 sensitivity) is a positive float."""
    pure = to_pure(privacy)
    if not 0 < pure.epsilon / (2 * sensitivity) < np.inf:
        raise ValueError(f"sensitivity must let epsilon / (2 sensitivity) be a float, got {sensitivity}")
    return pure


def streamed_law(
    blocks: Callable[[], Iterable[np.ndarray]], *, privacy: Guarantee, candidates: int, sensitivity: float
) -> ExponentialLaw:
    """Return the law of the exponential mechanism for more scores than memory holds; else as `law`.

    `blocks()` returns a fresh iterator over arrays of scores, in order; `candidates` is their number in all. Every call
    of `sample` or `log_density` is one pass and holds one block.

    >>> streamed_law(lambda: [np.zeros(2), np.zeros(2)], privacy=PureDP(1.0), candidates=4, sensitivity=1.0).scale
    0.5
    """
    (sensitivity,) = check_positive(sensitivity=sensitivity)
    (candidates,) = check_integer(candidates=candidates)
    if candidates > MOST:
        raise ValueError(f"candidates must be in [1, 2^62], got {candidates}")
    check_callable(blocks=blocks)
    return ExponentialLaw(blocks, candidates, sensitivity, _scaled(privacy, sensitivity))
