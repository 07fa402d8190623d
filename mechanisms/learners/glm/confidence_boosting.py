"""Confidence boosting, Algorithm "Boosting" of abgmu22: train on m chunks, choose on another one by report noisy max.

    w_i = learner(chunk i, privacy), i = 1..m
    release w_i for the i with the largest -mean loss of w_i on the last chunk + Laplace(scale)

Chunks are cut by position: which record is in which chunk depends on n and m alone. Losses are clipped to
[0, loss_bound], so a record moves a mean by loss_bound over the size of the last chunk, whatever the learner returns.
Three calibrations of the noise, n the number of all records and Delta = loss_bound:

    "tight"      2 Delta / (last chunk epsilon): the choice spends epsilon, and so may every run of the learner, because
                 no record is in two chunks
    "printed"    2 sqrt(Delta/(n epsilon)), the learner at epsilon/2: `privacy` says what is really spent
    "squared"    4 Delta/(n epsilon), the learner at epsilon/2: `privacy` says what is really spent, (m + 1) epsilon/2

`noise` is that of the choice: "float" for experiments; "exact", for releases: losses in whole steps of a
public grid, whose sums are exact, and discrete Laplace noise (`lemmata.mechanisms.selection.report_noisy_max`). The
models are as exact as the learner's law is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.abgmu22 import confidence_boosting as bounds
from lemmata.mechanisms.law import Law, LinearLaw, check_replacement, check_within_budget
from lemmata.mechanisms.learners.glm.glm_losses import Records, records
from lemmata.mechanisms.noise.grid_sums import check_noise
from lemmata.mechanisms.numerics.arguments import check_callable, check_choice, check_integer, check_magnitude, quiet
from lemmata.mechanisms.numerics.arithmetic import round_up
from lemmata.mechanisms.privacy import ApproxDP, Guarantee, PureDP, check_guarantee, to_approx
from lemmata.mechanisms.selection import report_noisy_max

CALIBRATIONS = ("tight", "printed", "squared")
Learner = Callable[..., Law]  # learner(X, y, privacy=): a law of weights, shape (size, d)


@dataclass(frozen=True)
class BoostedLaw(LinearLaw):
    """The law of the chosen weights on one dataset; releases have shape (size, d)."""

    learners: tuple[Any, ...] = field(repr=False)  # the learner's law on each of the m chunks
    data: Records = field(repr=False)  # the last chunk
    loss_bound: float
    scale: float  # of the Laplace noise
    selection: PureDP  # what the choice spends
    privacy: ApproxDP  # neighbours differ in one replaced record
    noise: str = "float"

    def candidates(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Return the models of all chunks, shape (size, m, d)."""
        return np.stack([np.asarray(learner.sample(rng, size)) for learner in self.learners], axis=1)

    def losses(self, W: ArrayLike) -> np.ndarray:
        """Return the mean clipped losses on the last chunk of the rows of W, shape (size,), in [0, loss_bound]."""
        return self.data.mean_losses(W, self.loss_bound)

    def select(self, candidates: ArrayLike) -> report_noisy_max.NoisyMaxLaw | report_noisy_max.GridNoisyMaxLaw:
        """Return the exact law of the chosen index among fixed models, shape (m, d)."""
        if self.noise == "exact":
            sums, _, most = self.data.loss_steps(candidates, self.loss_bound)
            return report_noisy_max.law(-sums, sensitivity=float(most), privacy=self.selection, noise="exact")
        moved = sensitivity(self.loss_bound, len(self.data.X))
        return report_noisy_max.law(-self.losses(candidates), sensitivity=moved, scale=self.scale)

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, d)."""
        W = self.candidates(rng, size)
        if self.noise == "exact":
            return np.array([own[self.select(own).sample(rng)[0]] for own in W])
        scores = -self.losses(W.reshape(-1, W.shape[2])).reshape(size, -1)
        return W[np.arange(size), (scores + rng.laplace(scale=self.scale, size=scores.shape)).argmax(axis=1)]


def sensitivity(loss_bound: float, records: int) -> float:
    """Return how far one record moves a mean of losses in [0, loss_bound], rounded up.

    >>> sensitivity(2.0, 4)
    0.5
    """
    (loss_bound,), (records,) = check_magnitude(loss_bound=loss_bound), check_integer(records=records)
    return round_up(Fraction(loss_bound) / records)


def chunk_sizes(n: int, candidates: int) -> tuple[int, int]:
    """Return the sizes of the m training chunks, and of the last one, which gets what is left over.

    >>> chunk_sizes(103, 4)
    (20, 23)
    """
    n, candidates = check_integer(n=n, candidates=candidates)
    if n <= candidates:
        raise ValueError(f"candidates must be in [1, n - 1] = [1, {n - 1}], got {candidates}")
    size = n // (candidates + 1)
    return size, n - candidates * size


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    learner: Learner,
    privacy: PureDP | ApproxDP,
    candidates: int,
    loss: str,
    loss_bound: float,
    radius: float = 1.0,
    label_bound: float | None = None,
    calibration: str = "tight",
    noise: str = "float",
) -> BoostedLaw:
    """Run `learner(X, y, privacy=)` on m = `candidates` chunks and choose the best model on another one, privately.

    Formal guarantee: (epsilon, delta)-DP under replacement of one record, for every input, if calibration is "tight"
    and the learner's laws keep what their `privacy` promises; with "printed" and "squared" `privacy` is what is spent
    at that noise, which may be more. The learner is handed (epsilon, delta), or (epsilon/2, delta) if not "tight", and
    its promise is what counts, and more than it was handed is refused: no record is in two chunks, so the total is the
    larger of it and of the choice. Enforced here: records (`glm_losses.records`), losses clipped to [0, loss_bound],
    chunks by position. With `noise` "exact" the choice holds in floating point, with "float" over the reals.

    X: (n, d), n > `candidates`; y: (n,). `loss` is one of `glm_losses.LOSSES`. Raises ValueError for anything out of
    range, for a learner that promises more than it was handed, or different guarantees for chunks of the same size.

    >>> from lemmata.mechanisms.learners.glm import glm_output
    >>> def learner(X, y, *, privacy):
    ...     return glm_output.law(X, y, privacy=privacy, loss="logistic", norm_bound=2.0)
    >>> X, y = np.tile([[1.0], [-1.0]], (200, 1)), np.tile([1, -1], 200)
    >>> settings = dict(candidates=3, loss="logistic", loss_bound=2.0)
    >>> boosted = law(X, y, learner=learner, privacy=ApproxDP(1.0, 1e-5), **settings)
    >>> boosted.scale, round(boosted.privacy.epsilon, 9), boosted.sample(np.random.default_rng(0), 5).shape
    (0.04, 1.0, (5, 1))
    """
    check_callable(learner=learner)
    check_replacement(privacy)
    check_choice(CALIBRATIONS, calibration=calibration)
    check_noise(noise)
    if not isinstance(privacy, PureDP | ApproxDP) or not privacy.epsilon > 0:
        raise ValueError(f"privacy must be a PureDP or an ApproxDP with epsilon > 0, got {privacy}")
    (loss_bound,) = check_magnitude(loss_bound=loss_bound)
    data = records(X, y, loss=loss, radius=radius, label_bound=label_bound)
    n = len(data.X)
    size, last = chunk_sizes(n, candidates)
    (candidates,) = check_integer(candidates=candidates)
    budget, scale = _calibrated(privacy, n=n, last=last, candidates=candidates, Delta=loss_bound, how=calibration)
    runs = tuple(
        learner(data.X[i * size : (i + 1) * size], data.y[i * size : (i + 1) * size], privacy=budget)
        for i in range(candidates)
    )
    promised = {
        check_within_budget(getattr(run, "privacy", None), budget, f"learner[{i}]") for i, run in enumerate(runs)
    }
    if len(promised) > 1:
        raise ValueError(f"learner must have one guarantee for chunks of one size, got {len(promised)} different ones")
    training = _spent(promised.pop(), budget)
    choice = report_noisy_max.law([0.0], sensitivity=sensitivity(loss_bound, last), scale=scale).privacy
    choice = PureDP(choice.epsilon, privacy.neighbours)
    total = bounds.disjoint_epsilon(training=training.epsilon, selection=choice.epsilon)
    last_chunk = Records(data.X[-last:], data.y[-last:], loss, data.radius, data.label_bound)
    spent = ApproxDP(total, training.delta, privacy.neighbours)
    return BoostedLaw(runs, last_chunk, loss_bound, scale, choice, spent, noise)


def _calibrated(
    privacy: PureDP | ApproxDP, *, n: int, last: int, candidates: int, Delta: float, how: str
) -> tuple[PureDP | ApproxDP, float]:
    """What the learner may spend, and the scale of the noise."""
    if how == "tight":
        choice = PureDP(privacy.epsilon, privacy.neighbours)
        return privacy, report_noisy_max.law([0.0], sensitivity=sensitivity(Delta, last), privacy=choice).scale
    statement = bounds.printed_scale if how == "printed" else bounds.squared_scale
    half = replace(privacy, epsilon=privacy.epsilon / 2)
    return half, statement(n=n, candidates=candidates, epsilon=privacy.epsilon, loss_bound=Delta)


def _spent(promised: Guarantee, budget: PureDP | ApproxDP) -> ApproxDP:
    """The learner's promise as an ApproxDP, a Gaussian one at the delta that it was handed."""
    check_guarantee("learner[0].privacy", promised)
    if promised.neighbours != budget.neighbours:
        raise ValueError(f"learner must have the neighbours of privacy = {budget}, got {promised}")
    if isinstance(promised, PureDP | ApproxDP):
        return to_approx(promised)
    return to_approx(promised, delta=budget.delta)
