"""Private choice among candidates whose scores move by different amounts: the generalized exponential mechanism.

Raskhodnikova & Smith 2016, Algorithm 1, as abgmu22 and bms22 use it: scores to be minimised, each with a sensitivity of
its own.

    choice = generalized_exponential.law(scores, sensitivities, privacy=PureDP(1.0), beta=0.05)
    choice.sample(rng, 100_000)                # indices; the scores are normalised once
    choice.log_density([0, 1])                 # the exact law

Normalised scores have sensitivity 1 over the reals, and no rounding is small beside a difference of large numbers. So
they are computed in rational numbers, where floats cannot tell which term is the largest, cut at a public height beyond
which nothing is ever chosen, and rounded down to a public grid; the sensitivity is 1 and one step of it, and the choice
is exact (`lemmata.mechanisms.numerics.exact_choice`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, log2

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.abgmu22 import generalized_exponential as bounds
from lemmata.bounds.exact.few_candidates import affordable_rate
from lemmata.mechanisms.numerics.arguments import check_choice, check_within_unit
from lemmata.mechanisms.numerics.arithmetic import as_real_array
from lemmata.mechanisms.privacy import Guarantee, PureDP, to_pure
from lemmata.mechanisms.selection import exponential

HEIGHT = 2000.0  # over epsilon: the least a normalised score is cut at, where its weight is e^-1000
BITS = 53  # of a normalised score; a float holds it


@dataclass(frozen=True)
class SelectionLaw(exponential.IndexLaw):
    """The law of the selected index, on one dataset."""

    choice: exponential.ExponentialLaw = field(repr=False)  # among the candidates in play, scores -s_i, a bit above 1
    in_play: np.ndarray = field(repr=False)  # their indices, ascending
    candidates: int
    privacy: PureDP

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases: indices, shape (size,). The scores were normalised once."""
        return self.in_play[self.choice.sample(rng, size)]

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probabilities of released indices, shape (size,); -inf for what is never released."""
        releases = np.asarray(releases)
        where = np.searchsorted(self.in_play, releases)
        here = self.in_play[np.minimum(where, self.in_play.size - 1)] == releases
        return np.where(here, self.choice.log_density(np.where(here, where, -1)), -np.inf)


CALIBRATIONS = ("printed", "sharp")


def law(
    scores: ArrayLike, sensitivities: ArrayLike, *, privacy: Guarantee, beta: float, calibration: str = "printed"
) -> SelectionLaw:
    """Return the law of the generalized exponential mechanism for scores (N,) to be minimised and sensitivities (N,).

    Formal guarantee: `privacy.epsilon`-DP for the neighbours of `privacy`, if score j never moves by more than
    sensitivity j between neighbours (assumed: it belongs to the caller's scores) and sensitivities and `beta` do not
    depend on the private data. Accuracy: with probability at least 1 - beta the selected score is at most min_j
    (score_j + 4 sensitivity_j log(N/beta) / epsilon). `calibration` "sharp" puts theta in place of epsilon / 2, between
    that and epsilon, by the exact account for N candidates (`bounds.spent_among`). A sensitivity of 0 says that a score
    is public. With equal sensitivities the plain `exponential.law` loses half as much. It holds in floating point, if
    it holds for the scores as they are, floats. Takes O(N^2) time.

    Raises ValueError for scores that are empty or not finite, sensitivities of another length, negative or not
    finite, beta outside (0, 1), and a guarantee that is not pure.

    >>> law([0.0, 1.0], [1.0, 0.0], privacy=PureDP(1.0), beta=0.1).log_probabilities().round(3).tolist()
    [-2.575, -0.079]
    """
    check_choice(CALIBRATIONS, calibration=calibration)
    (beta,) = check_within_unit(beta=beta)
    if beta < 1e-300:
        raise ValueError(f"beta must be in [1e-300, 1), got {beta}")
    privacy = to_pure(privacy)
    q, gamma = exponential.check_scores(scores), as_real_array("sensitivities", sensitivities)
    if gamma.shape != q.shape:
        raise ValueError(f"sensitivities must have the shape {q.shape} of the scores, got {gamma.shape}")
    if not (np.isfinite(gamma) & (gamma >= 0)).all():
        raise ValueError(f"sensitivities = {gamma.tolist()} has entries outside [0, inf)")
    rate = affordable_rate(epsilon=privacy.epsilon, candidates=q.size)
    spent = privacy if calibration == "printed" else PureDP(2 * rate, privacy.neighbours)
    t = bounds.shift(candidates=q.size, epsilon=spent.epsilon, beta=beta)
    public = np.flatnonzero(gamma == 0)  # scores that no record moves: the best of them stay in play
    in_play = np.setdiff1d(np.arange(q.size), public[q[public] > q[public].min(initial=np.inf)])
    height = 2.0 ** max(0, ceil(log2(HEIGHT / privacy.epsilon)))
    step = height * 2.0**-BITS
    scores = np.array([_rounded(s, height, step) for s in normalise_scores(q[in_play], gamma[in_play], t)])
    return SelectionLaw(exponential.law(-scores, sensitivity=1 + step, privacy=spent), in_play, q.size, privacy)


def _rounded(score: Fraction, height: float, step: float) -> float:
    """A score cut at `height` and rounded down to the grid."""
    return height if score >= height else floor(score / Fraction(step)) * step


def normalise_scores(q: np.ndarray, gamma: np.ndarray, t: float) -> Iterator[Fraction]:
    """Return `bounds.normalised_scores` of finite scores, in rationals; at most one of two sensitivities is 0, or both
    scores are equal.

    Candidates of equal score and sensitivity are computed once. A term is computed exactly only where floats, off by at
    most 2^-49 of what is added, leave open that it is largest.

    >>> [float(s) for s in normalise_scores(np.array([0.0, 3.0, 0.0]), np.array([1.0, 0.5, 1.0]), 2.0)]
    [0.0, 1.3333333333333333, 0.0]
    """
    kinds, kind = np.unique(np.stack([q, gamma], axis=1), axis=0, return_inverse=True)
    made = list(_normalised(kinds[:, 0], kinds[:, 1], t))
    return (made[k] for k in kind.ravel().tolist())


def _normalised(q: np.ndarray, gamma: np.ndarray, t: float) -> Iterator[Fraction]:
    """`normalise_scores`, of candidates that all differ."""
    scaled, size = q / 2, np.abs(q / 2) + t * gamma / 2
    with np.errstate(all="ignore"):
        for i in range(q.size):
            width = gamma[i] / 2 + gamma / 2
            terms = ((scaled[i] - scaled) + t * (gamma[i] / 2 - gamma / 2)) / width
            off = 2.0**-49 * (size[i] + size) / width
            lower, upper = np.nan_to_num(terms - off, nan=-np.inf), np.nan_to_num(terms + off, nan=np.inf)
            yield max(_term(q, gamma, t, i, j) for j in np.flatnonzero(upper >= lower.max()).tolist())


def _term(q: np.ndarray, gamma: np.ndarray, t: float, i: int, j: int) -> Fraction:
    """((q_i + t gamma_i) - (q_j + t gamma_j)) / (gamma_i + gamma_j), 0/0 = 0."""
    width = Fraction(gamma[i]) + Fraction(gamma[j])
    apart = Fraction(q[i]) - Fraction(q[j]) + Fraction(t) * (Fraction(gamma[i]) - Fraction(gamma[j]))
    return apart / width if width else Fraction(0)
