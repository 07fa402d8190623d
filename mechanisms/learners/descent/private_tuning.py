"""Private tuning: Algorithms 4 and 6 of Wang, Zhu & Wang (2025), the best of a random number of private runs.

    K ~ TNB(eta, r);  for t <= K:  theta_t uniform in Theta,  m_t = M(theta_t; S, mu / sqrt 2),
                                   u_t = U(m_t; S) + N(0, 2 Delta^2 / mu^2);
    release m_t and theta_t of the smallest u_t.

The budget pays for the best of K runs, not for K runs: it holds because K is drawn without looking at the data *and is
not seen*. Who sees K (a log, a bill, the running time, which is proportional to K) sees the best of exactly K runs, and
the guarantee below is not about that; run it where its duration is not observed, or wait until a time fixed in advance.

Algorithm 6 is Algorithm 3 (`lemmata.mechanisms.learners.descent.adaptive_margin`) with this for its selection. Its
`lemmata.TunedMargin` departs from the printed one as there, and in three more words (the printed ones in brackets):

    calibration "sharp" ("printed") Two to four times the budget, by a sharper proof.
    beta 0.05 (None: 1/n^2)         The probability that the best margin is never drawn. E K = |Gamma| (1/beta - 1), and
                                    mu falls like 1/sqrt(log E K): the printed 10^6 runs at n = 350 take a minute and
                                    two fifths of mu, and lift the chance of a draw from 0.95 to 0.99999.
    steps 50 ("printed")            Hundreds of runs of n^2 mu^2 / k balanced steps take time of the order n^3, those of
                                    a fixed number n. Held-out accuracy in % with balanced and with 50 steps, beta 0.2,
                                    epsilon 1, 6 to 40 splits: 95.0 and 95.0 (2000 x 20, a planted margin), 95.9 and
                                    96.2 +- .4 (2000 x 10, Gaussian); at most 50 balanced ones or 50: breast cancer
                                    88.0 and 88.2 +- .9, digits 4 or 9 91.7 and 91.3 +- 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log, pi
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri_exp

from lemmata.bounds.wzw25 import run_counts
from lemmata.bounds.wzw25.algorithms import margin_grid, score_noise, split_budget
from lemmata.bounds.wzw25.tuned_margin import repetition_r
from lemmata.mechanisms.law import AdaptiveLaw, check_within_budget
from lemmata.mechanisms.learners.descent.adaptive_margin import Projections, candidates
from lemmata.mechanisms.learners.descent.noisy_gd import Descent
from lemmata.mechanisms.learners.descent.projected_gd import TIES
from lemmata.mechanisms.noise.grid_sums import check_noise, noisy_counts
from lemmata.mechanisms.numerics.arguments import (
    check_callable,
    check_choice,
    check_finite,
    check_integer,
    check_magnitude,
    quiet,
    read_records,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP
from lemmata.mechanisms.selection.tnb import TruncatedNegativeBinomial
from lemmata.mechanisms.selection.tuning_budget import budget

ENTRIES = 2**22  # of the matrix of candidates at any one time
TOGETHER = 2**20  # numbers that the runs of one candidate release at any one time


# Algorithm 4 ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PrivateTuningLaw:
    """The law of Algorithm 4 on one dataset.

    A release is a dict: `index` (size,) of the candidate chosen and `release` (size, F), what its run released, padded
    with zeros to the longest candidate's F. Neither scores nor K are released.
    """

    base: tuple[Any, ...] = field(
        repr=False
    )  # one law a candidate, (mu / sqrt 2)-GDP each: sample(rng, size) -> (size, F_j)
    score: Callable[[int, np.ndarray], np.ndarray] = field(
        repr=False
    )  # (candidate j, releases (size, F_j)) -> clean scores U(m; S), (size,)
    runs: TruncatedNegativeBinomial  # the law of K, which takes no data
    sigma: float  # standard deviation of a score's noise
    run: GaussianDP  # what one run spends, its score included
    privacy: ApproxDP  # neighbours differ in one replaced record
    exact: bool = False  # whether K and the noise of scores, which are whole numbers then, are drawn exactly

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly, if the candidates know theirs: E K of them."""
        return self.runs.mean * float(np.mean([getattr(law, "expected_cost", 1e-7) for law in self.base]))

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> dict[str, np.ndarray]:
        """Draw `size` independent tunings abreast: all runs of all of them in one stream, a bounded number at once."""
        # Of all candidates, drawn or not: the shape of a release must not tell which were drawn.
        longest = max(map(find_release_length, self.base, rng.spawn(len(self.base))))  # whichever are drawn
        ends = np.cumsum(self.runs.exactly(rng, size) if self.exact else self.runs.sample(rng, size))
        best, first = np.full(size, np.inf), np.zeros(size, dtype=int)
        index = np.zeros(size, dtype=int)
        release = np.zeros((size, longest))
        start = 0
        while start < ends[-1]:
            # Runs of several tunings share a chunk, so that memory is bounded whatever K is drawn.
            stop = min(start + max(256, ENTRIES // longest), int(ends[-1]))
            owner = np.searchsorted(ends, np.arange(start, stop), side="right")
            for j, here, noisy, released in self._run_each(rng, len(owner)):
                winners = find_first_least(noisy, owner[here])
                tuning, run, score = owner[here[winners]], start + here[winners], noisy[winners]
                # Of equal scores the earlier run wins, whatever its candidate.
                better = (score < best[tuning]) | ((score == best[tuning]) & (run < first[tuning]))
                tuning = tuning[better]
                best[tuning], first[tuning], index[tuning] = score[better], run[better], j
                release[tuning] = 0.0
                release[tuning, : released.shape[1]] = released[winners[better]]
            start = stop
        return {"index": index, "release": release}

    def run_alone(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw `count` single runs, seen completely: candidates drawn, noisy scores, releases. For audits."""
        drawn, noisy, parts = np.zeros(count, dtype=int), np.zeros(count), list(self._run_each(rng, count))
        releases = np.zeros((count, max(released.shape[1] for *_, released in parts)))
        for j, here, scores, released in parts:
            drawn[here], noisy[here] = j, scores
            releases[here, : released.shape[1]] = released
        return drawn, noisy, releases

    def _run_each(
        self, rng: np.random.Generator, count: int
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield (candidate, which of `count` runs drew it, their noisy scores, their releases), some runs at a time.

        Exact noise is added to the scores of these runs at once: no release has to be held until the others are known.
        """
        drawn = rng.integers(len(self.base), size=count)
        noise = None if self.exact else self.noise(rng, count)
        for j in np.unique(drawn).tolist():
            places, together = np.flatnonzero(drawn == j), max(1, TOGETHER // getattr(self.base[j], "dimension", 1))
            for start in range(0, len(places), together):
                here = places[start : start + together]
                released = np.asarray(self.base[j].sample(rng, here.size), dtype=float)
                scores = self.score(j, released)
                noisy = noisy_counts(rng, np.floor(scores + 0.5), self.sigma) if noise is None else noise[here] + scores
                yield j, here, noisy, released

    def noise(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Draw fresh float64 noise for every run."""
        return rng.normal(scale=self.sigma, size=count)


def find_first_least(values: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Return where each owner's least value stands for the first time; owners ascend, and a NaN is never the least.

    >>> find_first_least(np.array([3.0, 1.0, 1.0, 2.0]), np.array([0, 0, 0, 5])).tolist()
    [1, 3]
    """
    begins = np.flatnonzero(np.diff(owner, prepend=-1))
    least = np.fmin.reduceat(values, begins)
    reached = np.flatnonzero(values == np.repeat(least, np.diff(begins, append=len(owner))))
    return reached[np.flatnonzero(np.diff(owner[reached], prepend=-1))]


def find_release_length(law: Any, rng: np.random.Generator) -> int:
    """Return how many numbers a release of a candidate has, or one that is drawn for nothing else."""
    return int(law.dimension if hasattr(law, "dimension") else np.shape(law.sample(rng))[1])


def law(
    base: Callable[[float], Sequence[Any]],
    *,
    epsilon: float,
    delta: float,
    score: Callable[[int, np.ndarray], np.ndarray],
    sensitivity: float,
    r: float,
    eta: float = 1.0,
    calibration: str = "printed",
    noise: str = "float",
) -> PrivateTuningLaw:
    """Return the law of Algorithm 4 of wzw25.

    It draws K candidates, runs each and releases the one with the smallest noisy score.

    Formal guarantee: `privacy`, (epsilon + delta, delta)-DP with the printed and (epsilon, delta)-DP with the sharp
    calibration, under replacement of one record, for whoever does not learn K. So `epsilon` and `delta` are the numbers
    of Theorem K.3, not yet the guarantee, and there is no `privacy` argument (`tuning_budget.theorem_epsilon`). It
    assumes that `score` moves by at most `sensitivity` for every fixed release (it belongs to the caller), that
    candidates and r take no data, and that each law's `privacy` is true; that its mu is within the budget is
    checked to the last bit. With `noise` "float" the analysis is over the reals; with "exact" scores are rounded to
    whole numbers (halves up, which keeps a whole `sensitivity`) and their noise is drawn exactly, so that it holds for
    the bits of the choice; the bits of a run are its law's. K, which depends on no data, is drawn in float64.

    `base`: a function mu -> sequence of laws, M(theta; S, mu) for every theta in Theta, each with a `privacy`
    that implies mu-GDP, or None if it releases nothing about the data. `score(j, releases)`: U(m; S), smaller is
    better. `r`, `eta`: of K ~ TNB(eta, r), public. Raises ValueError for anything out of range, and for
    exact noise unless `sensitivity` is whole.

    >>> from lemmata.mechanisms.noise import gaussian
    >>> def base(mu):
    ...     return [gaussian.law([x], privacy=GaussianDP(mu), sensitivity=1.0) for x in (0.0, 9.0)]
    >>> tuned = law(base, epsilon=1.0, delta=1e-5, score=lambda j, m: m[:, 0], sensitivity=1.0, r=0.25)
    >>> tuned.sample(np.random.default_rng(0))["release"].shape, round(tuned.privacy.epsilon, 5)
    ((1, 1), 1.00001)
    """
    check_noise(noise)
    (sensitivity,) = (
        check_integer(sensitivity=sensitivity) if noise == "exact" else check_magnitude(sensitivity=sensitivity)
    )
    mu, promised = budget(epsilon, delta, r=r, eta=eta, calibration=calibration)
    each = split_budget(mu, 2)
    check_callable(base=base)
    laws = tuple(base(each))
    if not laws:
        raise ValueError("base must have at least one candidate")
    for j, candidate in enumerate(laws):
        if not hasattr(candidate, "privacy") or candidate.privacy is not None:  # None: it releases nothing
            check_within_budget(getattr(candidate, "privacy", None), GaussianDP(each), f"base[{j}]")
    check_callable(score=score)
    runs = TruncatedNegativeBinomial(eta, r)
    sigma = score_noise(sensitivity, each)
    return PrivateTuningLaw(laws, score, runs, sigma, GaussianDP(mu), promised, noise == "exact")


# The selection layer alone --------------------------------------------------------------------------------


@dataclass(frozen=True)
class PrivateSelectionLaw:
    """Algorithm 4 where a run releases nothing but its candidate, whose score is known: releases are indices, (size,).

    K runs are never drawn one by one: they fall on the candidates as a multinomial, and the smallest of j noises is one
    draw. So the cost does not depend on E K, and the law has an exact density.
    """

    scores: np.ndarray = field(repr=False)  # U(theta; S), shape (|Theta|,)
    runs: TruncatedNegativeBinomial
    sigma: float
    privacy: ApproxDP
    exact = False  # noise in float64, an experiment's: `fit` refuses it unless told

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent choices, shape (size,)."""
        m = len(self.scores)
        hits = rng.multinomial(self.runs.sample(rng, size), np.full(m, 1 / m))
        with np.errstate(divide="ignore"):
            log_above = -rng.standard_exponential((size, m)) / np.maximum(hits, 1)  # P(min > z) = Phi(-z)^hits
        return np.argmin(np.where(hits > 0, self.scores - self.sigma * ndtri_exp(log_above), np.inf), axis=1)

    def log_probabilities(self) -> np.ndarray:
        """Return log P(candidate i is chosen), (|Theta|,), by the trapezoidal rule, exact to rounding here.

        The density of the best noisy score at u, split by the candidate: E K (r/s)^(eta+1) phi((u - U_i)/sigma) /
        (sigma |Theta|), s = r + (1 - r) F(u), F the mixture's distribution function.
        """
        eta, r = self.runs.eta, self.runs.r
        centred = (self.scores - self.scores.min()) / self.sigma
        # A normal density is 1e-32 at 12 standard deviations; at steps of 0.01 the rule is exact to rounding.
        u = np.arange(-12.0, centred.max() + 12.0, 0.01)
        far = u[:, None] - centred
        weight = np.log1p((1 - r) / r * ndtr(far).mean(axis=1))
        logs = -(far**2) / 2 - (eta + 1) * weight[:, None]
        total = np.log(np.exp(logs - logs.max()).sum(axis=0) + 1e-320) + logs.max()
        scale = log(run_counts.mean(eta=eta, r=r)) - log(2 * pi) / 2 - log(len(self.scores)) + log(0.01)
        return total + scale

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probabilities of indices, same shape."""
        return self.log_probabilities()[np.asarray(releases, dtype=int)]


def selection_law(
    scores: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    sensitivity: float,
    r: float,
    eta: float = 1.0,
    calibration: str = "printed",
) -> PrivateSelectionLaw:
    """Choose one of known candidates by Algorithm 4 whose runs release nothing but the candidate.

    Formal guarantee and arguments: those of `law`; `scores` (|Theta|,), each moves by at most `sensitivity`. Raises
    ValueError for anything out of range; the message names no score.

    >>> chosen = selection_law([0.0, 900.0], epsilon=1.0, delta=1e-5, sensitivity=1.0, r=0.01)
    >>> bool(np.exp(chosen.log_probabilities()[0]) > 0.9)
    True
    """
    scores = check_finite("scores", scores)
    if scores.ndim != 1 or scores.size < 1:
        raise ValueError(f"scores must have shape (m,) with m >= 1, got {scores.shape}")
    (sensitivity,) = check_magnitude(sensitivity=sensitivity)
    mu, promised = budget(epsilon, delta, r=r, eta=eta, calibration=calibration)
    sigma = score_noise(sensitivity, split_budget(mu, 2))
    return PrivateSelectionLaw(scores, TruncatedNegativeBinomial(eta, r), sigma, promised)


# Algorithm 6 ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TunedMarginLaw(AdaptiveLaw):
    """The law of Algorithm 6 on one dataset, given its public projections; a release is a dict as in Algorithm 3."""

    tuning: PrivateTuningLaw  # its runs release weights in R^k
    lifts: tuple[Any, ...] = field(repr=False)  # for every margin the law of Algorithm 1
    margins: np.ndarray  # Gamma, ascending

    @property
    def privacy(self) -> ApproxDP:
        """What `tuning` promises."""
        return self.tuning.privacy

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly: |Gamma| (n^2 - 1) runs are expected."""
        return self.tuning.expected_cost

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> dict[str, np.ndarray]:
        """Draw `size` independent tunings: `weights` (size, d) in R^d, `index` (size,), `margin` (size,)."""
        tuned = self.tuning.sample(rng, size)
        index = tuned["index"]
        weights: Any = None
        for j in np.unique(index):
            here, run = index == j, self.lifts[j]
            lifted = run.lift(tuned["release"][here, : run.descent.Z.shape[1]])
            weights = np.zeros((size, lifted.shape[1])) if weights is None else weights
            weights[here] = lifted
        return {"weights": weights, "index": index, "margin": self.margins[index]}


@quiet
def margin_law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    radius: float = 1.0,
    calibration: str = "printed",
    beta: float | None = None,
    ties: str = "right",
    projections: Projections | None = None,
    **descent: Unpack[Descent],
) -> TunedMarginLaw:
    """Return the law of Algorithm 6 of wzw25: find the margin by tuning, a geometric number of runs of Algorithm 1.

    Formal guarantee: that of `law`, for all fixed projections. Scores count errors, so their sensitivity is 1; nothing
    but n, d and parameters enters grid, projections, step counts and the law of K. Rows are clipped to `radius`.

    Arguments as in `lemmata.mechanisms.learners.descent.adaptive_margin.law`, but `epsilon` and `delta` are those of
    `law`. `beta`: 1/n^2 is printed and the default, n >= 2; no run has the best margin with probability at most beta.
    Expect |Gamma| (1/beta - 1) runs: `expected_cost`. Raises ValueError for anything out of range.

    >>> tuned = margin_law([[0.6], [-0.6]], [1, -1], epsilon=9.0, delta=1e-5, steps=2)
    >>> tuned.margins.tolist(), tuned.tuning.runs.mean
    ([0.5, 1.0], 6.0)
    """
    (radius,) = check_magnitude(radius=radius)
    X = read_records(X, keep_sparse=True)
    n = X.shape[0]
    margins = margin_grid(n, radius)
    if beta is not None:
        beta = check_in_range("beta", beta, 0, len(margins) / (1 + len(margins)))
    elif n < 2:
        raise ValueError(f"n must be in [2, inf), got {n}: the number of runs has r = 1/(|Gamma| (n^2 - 1))")
    check_choice(TIES, ties=ties)
    runs: list[Any] = []

    def base(mu: float) -> list[Any]:
        runs.extend(candidates(X, y, mu=mu, radius=radius, projections=projections, **descent))
        return [run.descent for run in runs]

    def errors(j: int, weights: np.ndarray) -> np.ndarray:
        return runs[j].errors(weights, ties)

    r = repetition_r(n, len(margins)) if beta is None else beta / ((1 - beta) * len(margins))
    asked: Any = {"calibration": calibration, "noise": descent.get("noise", "float")}
    tuning = law(base, epsilon=epsilon, delta=delta, score=errors, sensitivity=1.0, r=r, **asked)
    return TunedMarginLaw(tuning, tuple(runs), margins)
