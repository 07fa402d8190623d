"""DP Adaptive Margin: Algorithms 2 and 3 of Wang, Zhu & Wang (2025), private learning that finds its own margin.

    for gamma in Gamma = {1/n, 2/n, 4/n, ..., 1}:
        w_gamma = Algorithm 1 (projection Phi_gamma, width gamma / 3) with budget mu / sqrt(2 |Gamma|)
        u_gamma = errors of w_gamma on the data (+ penalty) + N(0, 2 |Gamma| / mu^2)
    release w_gamma and gamma of the smallest u_gamma

The grid, the projections, step counts and noise depend on n, d and parameters only. Nothing has to be tuned:

    model = adaptive_margin.fit(X, y, epsilon, delta, rng)

Defaults are what serves a user: the exact inverse of the Gaussian curve for mu, and n^2 mu^2 / k steps of gradient
descent. `calibration="printed"`, `steps="printed"` give the algorithm to the letter.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from math import log, nan
from typing import Any

import numpy as np

from bounds.wzw25 import algorithms as bounds
from mechanisms import projected_gd, sign_projection
from mechanisms.law import LinearModel, clip_rows, positive, rows, signs, within_unit
from mechanisms.privacy import ApproxDP, GaussianDP, gaussian_mu

CALIBRATIONS = ("printed", "exact")
SCORES = ("empirical", "penalised")
SLACK = 1e-9  # a row is told to be too long when its norm exceeds the radius by more than this share


@dataclass(frozen=True)
class AdaptiveMarginLaw:
    """The law of Algorithm 3 on one dataset, given its public projections.

    A release is a dict: `weights` (size, d), lifted back to R^d; `index` (size,) of the margin chosen; `margin` itself.
    """

    candidates: tuple[projected_gd.JLGDLaw, ...] = field(repr=False)  # one a margin, each with its share of the budget
    margins: np.ndarray  # Gamma, ascending, shape (m,)
    penalties: np.ndarray  # public, added to the number of errors, shape (m,)
    sigma: float  # standard deviation of a score's noise; a score counts errors, its sensitivity is 1
    gdp: GaussianDP  # what all runs and all scores spend together
    privacy: ApproxDP  # neighbours differ in one replaced record

    @property
    def expected_cost(self):
        """Core-seconds a release, roughly."""
        return sum(candidate.expected_cost for candidate in self.candidates)

    def sample(self, rng, size=1):
        """`size` independent runs with the same projections, abreast: the runs are columns of every matrix product."""
        best = np.full(size, np.inf)
        index = np.zeros(size, dtype=int)
        winners = [np.empty((0, 0))] * len(self.candidates)
        for j, candidate in enumerate(self.candidates):
            winners[j] = candidate.descent.sample(rng, size)
            noisy = candidate.errors(winners[j]) + self.penalties[j] + rng.normal(scale=self.sigma, size=size)
            index[noisy < best] = j
            best = np.minimum(best, noisy)
        chosen = np.empty((size, self._dimension))
        for j, candidate in enumerate(self.candidates):
            if (here := index == j).any():
                chosen[here] = candidate.lift(winners[j][here])
        return {"weights": chosen, "index": index, "margin": self.margins[index]}

    @property
    def _dimension(self):
        first = self.candidates[0]
        return first.descent.Z.shape[1] if first.projection is None else first.projection.d  # type: ignore[attr-defined]


@dataclass(frozen=True)
class WhiteBoxLaw(AdaptiveMarginLaw):
    """Everything Algorithm 3 computes from the data: all iterates of all runs, and all noisy scores.

    A release is a dict: `iterates0`, `iterates1`, ... (size, T, k), one a margin, and `scores` (size, m). Its density
    is exact, and only it shows that the composition is tight.
    """

    output: str = "average"

    def outputs(self, releases):
        """w_gamma of every run, a list of (size, k): the average or the last of its iterates."""
        found = []
        for j, candidate in enumerate(self.candidates):
            iterates, run = releases[f"iterates{j}"], candidate.descent
            if self.output == "last":
                found.append(iterates[:, -1])
            else:  # of w_0, ..., w_{T-1}
                found.append(run.weights[0] * run.start + np.tensordot(iterates[:, :-1], run.weights[1:], (1, 0)))
        return found

    def means(self, releases):
        """Scores without their noise, shape (size, m)."""
        pairs = zip(self.candidates, self.outputs(releases), strict=True)
        return np.column_stack([candidate.errors(weights) for candidate, weights in pairs]) + self.penalties

    def sample(self, rng, size=1):
        """`size` independent runs, seen completely."""
        seen = {f"iterates{j}": c.descent.sample(rng, size) for j, c in enumerate(self.candidates)}
        noise = rng.normal(scale=self.sigma, size=(size, len(self.margins)))
        return seen | {"scores": self.means(seen) + noise}

    def log_density(self, releases):
        """The exact log density, shape (size,): Gaussian steps, then Gaussian scores given the iterates."""
        standard = (releases["scores"] - self.means(releases)) / self.sigma
        scores = -(standard**2).sum(axis=1) / 2 - len(self.margins) * (log(2 * np.pi) / 2 + log(self.sigma))
        runs: list[Any] = [c.descent for c in self.candidates]
        return scores + sum(run.log_density(releases[f"iterates{j}"]) for j, run in enumerate(runs))


def budget(epsilon, delta, calibration="exact"):
    """The Gaussian budget mu of (epsilon, delta)-DP: "printed" epsilon / (2 sqrt(2 log(1/delta))), "exact" the largest.

    Raises ValueError for delta outside (0, 1) and epsilon outside (0, 8 log(1/delta)), the range of Theorem 4.1.

    >>> round(budget(1.0, 1e-5, "printed"), 5), round(budget(1.0, 1e-5), 5)
    (0.1042, 0.26805)
    """
    within_unit(delta=delta)
    if not 0 < epsilon < 8 * log(1 / delta):
        raise ValueError(f"epsilon = {epsilon} is outside (0, 8 log(1/delta)) = (0, {8 * log(1 / delta):.6g})")
    one_of(CALIBRATIONS, calibration=calibration)
    return bounds.printed_budget(epsilon, delta) if calibration == "printed" else gaussian_mu(epsilon, delta)


def one_of(allowed, **values):
    """Raise ValueError unless every value is one of those allowed."""
    for name, value in values.items():
        if value not in allowed:
            raise ValueError(f"{name} = {value!r} is not one of {', '.join(allowed)}")


def draw_projections(n, d, *, rng, radius=1.0, beta=None):
    """The public randomness of Algorithm 3: a sign projection for every margin, None (the identity) where k >= d.

    They know n and d and nothing else of the data. `beta` is the probability that some projection loses more than a
    third of its margin, 1/n^2 by default.
    """
    sizes = [bounds.projection_rows(n, gamma, radius, beta) for gamma in bounds.margin_grid(n, radius)]
    return tuple(None if k >= d else sign_projection.sign_projection(k, d, rng=rng) for k in sizes)


def candidates(X, y, *, mu, projections=None, radius=1.0, steps="balanced", **descent):
    """Algorithm 1 for every margin of the grid, each with the budget `mu`: a tuple of laws.

    They are the base mechanism of Algorithms 2 and 4. `projections` as `draw_projections` returns them; they may be
    left out if all of them are the identity.
    `descent`: `output`, `stride` and so on of `noisy_gd.law`. Raises ValueError for anything out of range.
    """
    positive(mu=mu, radius=radius)
    X = clip_rows(X, radius)
    y = signs(y, len(X))
    n, d = X.shape
    margins = bounds.margin_grid(n, radius)
    if projections is None:
        if (k := bounds.projection_rows(n, margins[-1], radius)) < d:
            raise ValueError(f"projections = None, but the margin {margins[-1]} needs one from R^{d} to R^{k}")
        projections = (None,) * len(margins)
    if len(projections) != len(margins):
        raise ValueError(f"projections has length {len(projections)}, and the grid has {len(margins)} margins")
    found: list[projected_gd.JLGDLaw] = []
    Z = None
    for gamma, phi in zip(margins, projections, strict=True):
        run = projected_gd.law(X, y, mu=mu, width=gamma / 3, projection=phi, radius=radius, steps=steps, **descent)
        if phi is None:  # the same rows every time: keep one copy
            Z = run.descent.Z if Z is None else Z
            run = replace(run, descent=replace(run.descent, Z=Z))
        found.append(run)
    return tuple(found)


def law(
    X,
    y,
    epsilon,
    delta,
    *,
    projections=None,
    radius=1.0,
    calibration="exact",
    steps="balanced",
    output="average",
    score="empirical",
    white_box=False,
    **descent,
):
    """Algorithm 3: run Algorithm 1 for every margin of the grid, release the run with the fewest noisy errors.

    Formal guarantee: (epsilon, delta)-DP under replacement of one record, for every input and all fixed projections;
    more precisely `gdp`. Each of the m runs and each of their m scores is a Gaussian mechanism with budget
    mu / sqrt(2 m), and the square of mu is the sum of their squares; what is released is a function of them. Rows are
    clipped to `radius`. The analysis is over the reals; floating-point noise is not hardened.

    X: (n, d); y: (n,), each -1 or +1. `projections`: from `draw_projections`, drawn by the caller from a stream of
    their own. `steps`: "printed" n^2 mu^2, "balanced" n^2 mu^2 / k, or a whole number. `output`: "average" or "last"
    iterate. `score`: "empirical" counts errors, "penalised" is Equation 3; both change by at most 1 (the paper's
    averaged errors change by 1/n; noise and score divided by n make the same choice). `white_box`: see `WhiteBoxLaw`.
    `descent`: `stride` and so on of `noisy_gd.law`. Raises ValueError for anything out of range.
    """
    mu = budget(epsilon, delta, calibration)
    one_of(("average", "last"), output=output)
    one_of(SCORES, score=score)
    X = rows(X)
    n = len(X)
    margins = bounds.margin_grid(n, radius)
    each = bounds.split_budget(mu, 2 * len(margins))
    known = dict(projections=projections, radius=radius, steps=steps, **descent)
    runs = candidates(X, y, mu=each, output="iterates" if white_box else output, **known)
    penalties = np.zeros(len(margins))
    if score == "penalised":
        dimensions = [run.descent.Z.shape[1] for run in runs]
        penalties = np.array([bounds.penalty(n, k, bounds.failure_probability(n)) for k in dimensions])
    told = (runs, margins, penalties, bounds.score_noise(1.0, each), GaussianDP(mu), ApproxDP(epsilon, delta))
    return WhiteBoxLaw(*told, output) if white_box else AdaptiveMarginLaw(*told)


@dataclass(frozen=True)
class AdaptiveModel(LinearModel):
    """One release: the predictor, its privacy, and the margin that was chosen."""

    margin: float = nan


def fit(X, y, epsilon, delta, rng, *, radius=1.0, **parameters):
    """One release of Algorithm 3, as a predictor x -> sign(<weights, x>) that remembers its privacy and its margin.

    Needs no other parameter. The projections are drawn from `rng` too. What is said to the caller about the data, that
    `y` has one class (ValueError) or that rows are longer than `radius` and were scaled down (one warning), names no
    value and no number, but it is no release: it is for the curator's eyes and outside the guarantee.
    Raises ValueError for epsilon outside (0, 8 log(1/delta)), delta outside (0, 1), and data that are not finite.
    """
    if "white_box" in parameters:
        raise ValueError("white_box is not an argument of fit: it is for audits")
    budget(epsilon, delta)
    positive(radius=radius)
    X = rows(X)
    y = signs(y, len(X))
    if (y == y[0]).all():
        raise ValueError("y has one class, not two: there is nothing to separate")
    if (np.linalg.norm(X, axis=1) > radius * (1 + SLACK)).any():
        warnings.warn(f"X has rows longer than radius = {radius}: they are scaled down to it", stacklevel=2)
    projections = parameters.pop("projections", None) or draw_projections(*X.shape, rng=rng, radius=radius)
    released = law(X, y, epsilon, delta, radius=radius, projections=projections, **parameters)
    found = released.sample(rng)
    return AdaptiveModel(found["weights"][0], released.privacy, margin=float(found["margin"][0]))
