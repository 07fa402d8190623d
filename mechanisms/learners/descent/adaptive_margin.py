"""DP Adaptive Margin: Algorithms 2 and 3 of Wang, Zhu & Wang (2025), private learning that finds its own margin.

    for gamma in Gamma = {1/n, 2/n, 4/n, ..., 1}:
        w_gamma = Algorithm 1 (projection Phi_gamma, width gamma / 3) with budget mu / sqrt(2 |Gamma|)
        u_gamma = errors of w_gamma on the data (+ penalty) + N(0, 2 |Gamma| / mu^2)
    release w_gamma and gamma of the smallest u_gamma

The grid, the projections, step counts and noise depend on n, d and parameters only. Nothing has to be tuned:

    model = lemmata.AdaptiveMargin(epsilon=1.0, delta=1e-5, classes=(-1, 1)).fit(X, y)

The estimator departs from the printed algorithm where that serves a user; the words in brackets, which are the defaults
of `law`, give it back to the letter.

    ties "wrong" ("right")          The printed loss is strict: w = 0 makes no error on any data and wins.
    output "last" ("average"),      The excess of a run with budget mu is at most Delta sqrt((n^2/4 + k T/mu^2)/(T + 1))
    stride "decaying" ("printed")   (`lemmata.bounds.wzw25.last_iterate.decaying_mean`), for every n, k, mu and T less
                                    than the average's Delta sqrt(n^2/T + k/mu^2). The average of w_0..w_{T-1} lacks the
                                    last step, which was paid for: with T = 1 it is w_0 = 0 whatever the data are.
    steps "auto" ("printed")        "balanced" where that takes about a second, "sampled" beyond. At the balanced T =
                                    n^2 mu^2 / k that excess is at most sqrt(5/4) of its limit Delta sqrt(k)/mu; n^2
                                    mu^2 steps cost k times as much. "sampled" takes as many, but n/4 and 2000 at most,
                                    on random batches that all runs share; `sampled_gd` says what that costs.
    projections  (all with k < d)   Only those with 4 k < d: rows of up to 2 radius need twice the noise, as 4 k would.
    calibration "exact" ("printed") The largest mu there is, in place of a sufficient one.

Half of mu^2 goes to the scores, as printed: three quarters or more for the runs did no better on real data. There is no
penalty: 5/2 k log(2n) exceeds n unless n is large, and then k alone decides. Privacy is the same throughout: the runs
pay for all iterates w_1..w_T, of which every output is a function, and a score counts records: it moves by at most 1,
however ties count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.wzw25 import algorithms as bounds
from lemmata.bounds.wzw25.noisy_gd import balanced_steps
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.law import AdaptiveLaw, Projection, check_replacement
from lemmata.mechanisms.learners.descent import projected_gd, sampled_gd
from lemmata.mechanisms.learners.descent.noisy_gd import RATE, Descent
from lemmata.mechanisms.noise.grid_sums import noisy_counts
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_integer,
    check_magnitude,
    check_positive,
    check_within_unit,
    quiet,
    read_labels,
    read_records,
)
from lemmata.mechanisms.numerics.sparse_rows import RowsOnDemand, dense_rows
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, gaussian_mu

PATIENCE = 1.0  # core-seconds of full descents beyond which steps = "auto" takes random batches
CALIBRATIONS = ("printed", "exact")
SCORES = ("empirical", "penalised")
Projections = Sequence[Projection | None]


class Strides(TypedDict, total=False):
    """The options that `law` passes to noisy gradient descent; `noisy_gd.law` explains each."""

    stride: str
    distance: float
    log_factor: float
    precision: str
    noise: str


@dataclass(frozen=True)
class AdaptiveMarginLaw(AdaptiveLaw):
    """The law of Algorithm 3 on one dataset, given its public projections.

    A release is a dict: `weights` (size, d), lifted back to R^d; `index` (size,) of the margin chosen; `margin` itself.
    """

    candidates: tuple[projected_gd.JLGDLaw, ...] = field(repr=False)  # one a margin, each with its share of the budget
    margins: np.ndarray  # Gamma, ascending, shape (m,)
    penalties: np.ndarray  # public, added to the number of errors, shape (m,)
    sigma: float  # standard deviation of a score's noise; a score counts errors, its sensitivity is 1
    gdp: GaussianDP | None  # what all runs and all scores spend together; None on random batches
    privacy: ApproxDP  # neighbours differ in one replaced record
    ties: str = "right"  # what the scores count them as
    noise: str = "float"  # of the scores; the runs have their own

    @property
    def expected_cost(self) -> float:
        """Approximate core-seconds per release."""
        return sum(candidate.expected_cost for candidate in self.candidates)

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> dict[str, np.ndarray]:
        """Draw `size` independent runs with the same projections, in parallel.

        The runs are columns of every matrix product.
        """
        best, index = np.full(size, np.inf), np.zeros(size, dtype=int)
        winners = []
        runs = sampled_gd.release_each([candidate.descent for candidate in self.candidates], rng, size)
        for j, (candidate, weights) in enumerate(zip(self.candidates, runs, strict=True)):
            winners.append(weights)
            errors = candidate.errors(weights, self.ties)
            if self.noise == "exact":
                noisy = noisy_counts(rng, errors, self.sigma) + self.penalties[j]
            else:
                noisy = errors + self.penalties[j] + rng.normal(scale=self.sigma, size=size)
            # Strictly less: of equal noisy scores the smallest margin wins, whatever the data are.
            index[noisy < best] = j
            best = np.minimum(best, noisy)
        first = self.candidates[0]
        chosen = np.empty((size, first.descent.Z.shape[1] if first.projection is None else first.projection.d))
        for j, candidate in enumerate(self.candidates):
            if (here := index == j).any():
                chosen[here] = candidate.lift(winners[j][here])
        return {"weights": chosen, "index": index, "margin": self.margins[index]}


@dataclass(frozen=True)
class WhiteBoxLaw(AdaptiveMarginLaw):
    """Everything Algorithm 3 computes from the data: all iterates of all runs, and all noisy scores.

    A release is a dict: `iterates0`, `iterates1`, ... (size, T, k), one a margin, and `scores` (size, m). Its density
    is exact, and only it shows that the composition is tight.
    """

    model = None  # type: ignore[assignment]  # no predictor: what `fit` returns is all of it

    output: str = "average"

    def outputs(self, releases: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Return w_gamma of every run, a list of (size, k): the average or the last of its iterates."""
        weights = []
        for j, candidate in enumerate(self.candidates):
            iterates, run = releases[f"iterates{j}"], candidate.descent
            if self.output == "last":
                weights.append(iterates[:, -1])
            else:  # of w_0, ..., w_{T-1}
                weights.append(run.weights[0] * run.start + np.tensordot(iterates[:, :-1], run.weights[1:], (1, 0)))
        return weights

    def means(self, releases: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return scores without their noise, shape (size, m)."""
        pairs = zip(self.candidates, self.outputs(releases), strict=True)
        return np.column_stack([run.errors(weights, self.ties) for run, weights in pairs]) + self.penalties

    def sample(self, rng: np.random.Generator, size: int = 1) -> dict[str, np.ndarray]:
        """Draw `size` independent runs, seen completely."""
        seen = {f"iterates{j}": c.descent.sample(rng, size) for j, c in enumerate(self.candidates)}
        return seen | {"scores": self.means(seen) + rng.normal(scale=self.sigma, size=(size, len(self.margins)))}

    def log_density(self, releases: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the exact log density, shape (size,): Gaussian steps, then Gaussian scores given the iterates."""
        standard = (releases["scores"] - self.means(releases)) / self.sigma
        scores = -(standard**2).sum(axis=1) / 2 - len(self.margins) * (log(2 * np.pi) / 2 + log(self.sigma))
        runs: list[Any] = [c.descent for c in self.candidates]
        return scores + sum(run.log_density(releases[f"iterates{j}"]) for j, run in enumerate(runs))


def budget(epsilon: float, delta: float, calibration: str = "exact") -> float:
    """Return the Gaussian budget mu of (epsilon, delta)-DP.

    "printed" is epsilon / (2 sqrt(2 log(1/delta))), "exact" the largest.

    Raises ValueError for delta outside (0, 1) and epsilon outside (0, 8 log(1/delta)), the range of Theorem 4.1.

    >>> round(budget(1.0, 1e-5, "printed"), 5), round(budget(1.0, 1e-5), 5)
    (0.1042, 0.26805)
    """
    (delta,) = check_within_unit(delta=delta)
    (epsilon,) = check_positive(epsilon=epsilon)
    if not 0 < epsilon < 8 * log(1 / delta):
        raise ValueError(f"epsilon must be in (0, 8 log(1/delta)) = (0, {8 * log(1 / delta):.6g}), got {epsilon}")
    check_choice(CALIBRATIONS, calibration=calibration)
    return bounds.printed_budget(epsilon, delta) if calibration == "printed" else gaussian_mu(epsilon, delta)


def draw_projections(
    n: int, d: int, *, radius: float = 1.0, beta: float | None = None, rng: np.random.Generator
) -> tuple[Projection | None, ...]:
    """Return the public randomness of Algorithm 3.

    A sign projection for every margin, None (the identity) where k >= d.
    They know n and d and nothing else of the data. `beta` is the probability that some projection keeps less than a
    third of its margin, 1/n^2 by default.
    """
    n, d = check_integer(n=n, d=d)
    if max(n, d) > 2**32:
        raise ValueError(f"n and d must be at most 2^32, got n = {n}, d = {d}")
    (radius,) = check_magnitude(radius=radius)
    if beta is not None:
        (beta,) = check_within_unit(beta=beta)
    sizes = [bounds.projection_rows(n, gamma, radius, beta) for gamma in bounds.margin_grid(n, radius)]
    return tuple(None if k >= d else sign_projection.sign_projection(k, d, rng=rng) for k in sizes)


def check_projections(
    shape: tuple[int, ...], margins: np.ndarray, radius: float, projections: Projections | None
) -> Projections:
    """Return `projections`, or identities where they may be left out. ValueError for a wrong number or dimension."""
    n, d = shape
    if projections is None:
        if (k := bounds.projection_rows(n, margins[-1], radius)) < d:
            raise ValueError(f"projections are required: the margin {margins[-1]} needs one from R^{d} to R^{k}")
        projections = (None,) * len(margins)
    if not isinstance(projections, Sequence) or len(projections) != len(margins):
        raise ValueError(f"projections must be a sequence of length {len(margins)}, one per margin of the grid")
    if any(phi is not None and getattr(phi, "d", None) != d for phi in projections):
        raise ValueError(f"projection must project from R^{d}, as X has shape {shape}")
    return projections


def candidates(
    X: ArrayLike,
    y: ArrayLike,
    *,
    mu: float,
    radius: float = 1.0,
    projections: Projections | None = None,
    **descent: Unpack[Descent],
) -> tuple[projected_gd.JLGDLaw, ...]:
    """Return the laws of Algorithm 1 for every margin of the grid, each with the budget `mu`.

    They are the base mechanism of Algorithms 2 and 4; `steps` is "balanced" by default. `projections` as
    `draw_projections` returns them; they may be left out if all of them are the identity.
    `descent`: `output`, `stride` and so on of `noisy_gd.law`. Raises ValueError for anything out of range.
    """
    (radius,) = check_magnitude(radius=radius)
    share = GaussianDP(mu)
    X = read_records(X, keep_sparse=True)
    y = read_labels(y, X.shape[0])
    n, d = X.shape
    margins = bounds.margin_grid(n, radius)
    projections = check_projections((n, d), margins, radius, projections)
    descent = Descent(steps="balanced") | descent
    runs: list[projected_gd.JLGDLaw] = []
    Z = None
    for gamma, phi in zip(margins, projections, strict=True):
        # Without a projection the rows are the same every time: they are made once.
        rows: Any = X if phi is not None or Z is None else RowsOnDemand(X, dense_rows, d)
        run = projected_gd.law(rows, y, privacy=share, width=gamma / 3, radius=radius, projection=phi, **descent)
        if phi is None:
            Z = run.descent.Z if Z is None else Z
            run = replace(run, descent=replace(run.descent, Z=Z))
        runs.append(run)
    return tuple(runs)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: ApproxDP,
    radius: float = 1.0,
    calibration: str = "exact",
    steps: str | int = "auto",
    output: str = "average",
    score: str = "empirical",
    ties: str = "right",
    white_box: bool = False,
    projections: Projections | None = None,
    **descent: Unpack[Strides],
) -> AdaptiveMarginLaw:
    """Return the law of Algorithm 3 of wzw25.

    It runs Algorithm 1 for every margin of the grid and releases the run with the fewest noisy errors.

    Formal guarantee: `privacy`, an (epsilon, delta) under replacement of one record, for every input and all fixed
    projections; more precisely `gdp`. Each of the m runs and each of their m scores is a Gaussian mechanism with budget
    mu / sqrt(2 m), rounded down, and the square of mu is at least the sum of their squares (Remark 2.3); what is
    released is a function of all iterates and scores, whatever `output`, `stride` and `ties` are: sigma is computed
    from T and the sensitivity 2 radius / width of a gradient, and one record changes a number of records by at most 1.
    Rows are clipped to `radius`. For the bits released or over the reals, as `noise` says
    (`lemmata.mechanisms.learners.descent.noisy_gd`).

    X: (n, d); y: (n,), each -1 or +1. `projections`: from `draw_projections`, drawn by the caller from a stream of
    their own. `steps`: "printed" n^2 mu^2, "balanced" n^2 mu^2 / k, a whole number, or "sampled": balanced, but n / 4
    and 2000 at most, on random batches (`lemmata.mechanisms.learners.descent.sampled_gd`), for the last iterate,
    decaying steps and empirical scores. For these "auto" is "sampled" where full descents take long
    (`choose_step_kind`), and "balanced" otherwise. With "sampled", `privacy` is what the privacy curve of all steps and
    scores says, and there is no `gdp`. `output`: "average" or "last" iterate. `score`: "empirical" counts errors,
    "penalised" is Equation 3; both change by at most 1 (the paper's averaged errors change by 1/n; noise and score
    divided by n make the same choice). `ties`: "right" is the printed loss, y <w, x> < 0, "wrong" is y <w, x> <= 0.
    `white_box`: see `WhiteBoxLaw`. `descent`: `stride` and so on of `noisy_gd.law`. `output`, `stride` and `ties` are
    the printed ones by default. Raises ValueError for anything out of range.

    >>> released = law([[0.6], [-0.6]], [1, -1], privacy=ApproxDP(1.0, 1e-5), steps=3)
    >>> released.margins.tolist(), released.sample(np.random.default_rng(0))["weights"].shape
    ([0.5, 1.0], (1, 1))
    """
    if not isinstance(check_replacement(privacy), ApproxDP):
        raise ValueError(f"privacy must be an ApproxDP, got {type(privacy).__name__}")
    mu = budget(privacy.epsilon, privacy.delta, calibration)
    check_choice(("average", "last"), output=output)
    check_choice(SCORES, score=score)
    check_choice(projected_gd.TIES, ties=ties)
    (radius,) = check_magnitude(radius=radius)
    X = read_records(X, keep_sparse=True)
    n = X.shape[0]
    margins, noise = bounds.margin_grid(n, radius), descent.get("noise", "float")
    each = bounds.split_budget(mu, 2 * len(margins))
    sigma = bounds.score_noise(1.0, each)
    if isinstance(steps, str) and steps == "auto":  # only last iterates of decaying steps have a like on random batches
        able = (output, score, descent.get("stride"), white_box) == ("last", "empirical", "decaying", False)
        steps = choose_step_kind(n, X.shape[1], mu) if able else "balanced"
    if isinstance(steps, str) and steps == "sampled":
        if (output, score, white_box) != ("last", "empirical", False):
            raise ValueError("steps = 'sampled' requires output = 'last', score = 'empirical' and white_box = False")
        phis = check_projections(X.shape, margins, radius, projections)
        share = sqrt(len(margins)) / sigma * (1 + 1e-12)  # of all scores together, rounded up
        sizes = sampled_gd.plan_batches(*X.shape, privacy=privacy, mu=share, each=each, runs=len(margins))
        public: Any = {"margins": margins, "sizes": sizes, "radius": radius, "projections": phis}
        drawn: Any = {name: descent[name] for name in ("precision", "noise") if name in descent}
        runs = sampled_gd.candidates(X, y, privacy=privacy, **drawn, **public)
        return AdaptiveMarginLaw(runs, margins, np.zeros(len(margins)), sigma, None, privacy, ties, noise)
    seen = "iterates" if white_box else output
    runs = candidates(X, y, mu=each, radius=radius, projections=projections, steps=steps, output=seen, **descent)
    penalties = np.zeros(len(margins))
    if score == "penalised":
        dimensions = [run.descent.Z.shape[1] for run in runs]
        penalties = np.array([bounds.penalty(n, k, bounds.failure_probability(n)) for k in dimensions])
    gdp = GaussianDP(mu, privacy.neighbours)
    if white_box:
        return WhiteBoxLaw(runs, margins, penalties, sigma, gdp, privacy, ties, output=output)
    return AdaptiveMarginLaw(runs, margins, penalties, sigma, gdp, privacy, ties, noise)


def choose_projections(
    X: ArrayLike, radius: float, projections: Projections | None, rng: np.random.Generator
) -> Projections:
    """Return `projections`, or new ones for data of the shape of X that need less noise than no projection."""
    if projections is not None:
        return projections
    n, d = read_records(X, keep_sparse=True).shape
    new = draw_projections(n, d, radius=radius, rng=rng)
    return [None if phi is None or projected_gd.CLIP**2 * phi.k >= d else phi for phi in new]


def choose_step_kind(n: int, d: int, mu: float) -> str:
    """Return what `steps` "auto" stands for: "sampled" where full descents take more than `PATIENCE` core-seconds.

    Public sizes decide it, so that the kind of steps tells nothing of the records.

    >>> choose_step_kind(2500, 50, 0.27), choose_step_kind(5000, 50, 0.27)
    ('balanced', 'sampled')
    """
    n, d = check_integer(n=n, d=d)
    return "sampled" if count_multiplications(n, d, mu) / RATE > PATIENCE else "balanced"


def count_multiplications(n: int, d: int, mu: float, radius: float = 1.0) -> int:
    """Return the approximate number of multiplications of a run with full descents and "balanced" steps."""
    runs = len(bounds.margin_grid(n, radius))
    return runs * balanced_steps(n, bounds.split_budget(mu, 2 * runs), d) * n * d
