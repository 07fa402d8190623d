"""The support vector machine and its output perturbation: Rubinstein et al. 2009, Algorithms 1 and 2.

    w(D) = argmin_w  1/2 ||w||_2^2 + (C / n) sum_i loss(y_i, <w, phi(x_i)>)          (2.1)

without an intercept, ||phi(x)||_2 <= kappa, released as w(D) + iid Laplace(0, scale). `solve` is Algorithm 1, `law`
and `fit` are Algorithm 2 (PRIVATESVM-FINITE). Notation: `C` the paper's C, `F` the number of features, `kappa` its
kappa, `scale` its lambda; the paper's privacy level beta is the epsilon of `PureDP` here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from bounds.rbht09 import private_svm as bounds
from mechanisms.laplace import FloatLaplace, GridLaplace, grid_for
from mechanisms.law import LinearModel, clip_rows, positive, rows, signs
from mechanisms.privacy import PureDP
from mechanisms.solvers.svm import LOSSES, Solution, solution_tolerance, solve_rows

CALIBRATIONS = {"printed": bounds.weight_sensitivity, "sharp": bounds.weight_sensitivity_sharp}
SAMPLERS = ("grid", "float64")
LARGEST = 1e6  # of C kappa^2


@dataclass(frozen=True)
class ClippedMap:
    """x -> phi(x), scaled down to norm kappa where it is longer: what training and prediction both use."""

    feature_map: Callable | None = field(repr=False)
    kappa: float

    def __call__(self, X):
        """Features of the rows of X, shape (n, F)."""
        X = rows(X)
        with np.errstate(over="ignore"):  # a row beyond 1e154 becomes zero
            return clip_rows(X if self.feature_map is None else self.feature_map(X), self.kappa)


def _counts(counts, n):
    """Multiplicities of the rows as whole numbers >= 1, shape (n,). The message names no entry."""
    counts = np.ones(n) if counts is None else np.asarray(counts, dtype=float)
    if counts.shape != (n,):
        raise ValueError(f"counts has shape {counts.shape}, not ({n},)")
    if not (np.all(np.isfinite(counts)) and np.all(counts >= 1) and np.all(counts == np.floor(counts))):
        raise ValueError("counts has entries that are not whole numbers >= 1")
    return counts


def _prepared(X, y, C, feature_map, kappa, loss, counts):
    """(features clipped to kappa, labels, multiplicities), everything checked."""
    positive(C=C, kappa=kappa)
    if C * kappa**2 > LARGEST:
        raise ValueError(f"C = {C}, kappa = {kappa}: C kappa^2 is outside (0, {LARGEST:g}], where float64 can solve")
    if loss not in LOSSES:
        raise ValueError(f"loss = {loss!r} is not one of {', '.join(LOSSES)}")
    phi = ClippedMap(feature_map, kappa)
    V = phi(X)
    return phi, V, signs(y, len(V)), _counts(counts, len(V))


def solve(X, y, *, C, feature_map=None, kappa=1.0, loss="hinge", counts=None) -> Solution:
    """Algorithm 1: the SVM without an intercept, with a certified distance to the exact minimiser. Not private.

    X has shape (n, d), y holds -1 and +1. `counts` are multiplicities of the rows, so n = 10^8 people in a hundred
    groups cost what a hundred rows cost. Loss "hinge" (1 - y f)_+ or "logistic" log(1 + exp(-y f)); both are
    1-Lipschitz. Returns `Solution(weights, dual, gap, error)`, for whoever holds the data. Raises ValueError for
    bad input.
    """
    _, V, y, counts = _prepared(X, y, C, feature_map, kappa, loss, counts)
    return solve_rows(V, y, C=C, loss=loss, counts=counts)


@dataclass(frozen=True)
class SVMLaw:
    """The law of one release of PRIVATESVM-FINITE on one dataset: the minimiser plus product Laplace noise."""

    noise: GridLaplace | FloatLaplace  # its centre never shows in a repr
    sensitivity: float  # L1, one row replaced, solver error included: public
    privacy: PureDP
    feature_map: ClippedMap = field(repr=False)

    @property
    def scale(self):
        """The Laplace scale of every coordinate."""
        return self.noise.scale

    def sample(self, rng, size=1):
        """`size` independent releases, shape (size, F); the SVM was solved once."""
        return self.noise.sample(rng, size)

    def log_density(self, releases):
        """Exact log-density ("float64") or log-probability ("grid", -inf off it) of releases, shape (size,)."""
        return self.noise.log_density(releases)

    def model(self, rng):
        """One release as a predictor."""
        return LinearModel(self.sample(rng)[0], self.privacy, self.feature_map)


def law(
    X,
    y,
    *,
    C: float,
    privacy: Any = None,
    scale: float | None = None,
    feature_map: Callable | None = None,
    kappa: float = 1.0,
    loss: str = "hinge",
    calibration: str = "printed",
    sampler: str = "grid",
    counts=None,
):
    """Algorithm 2 (PRIVATESVM-FINITE): solve once, release the weights under Laplace noise.

    Formal guarantee: `privacy`, a PureDP under replacement of one row, for every input. The L1 sensitivity S is that
    of Lemma 21 (`calibration="printed"`, 4 C kappa sqrt(F) / n) or its sharp half ("sharp", 2 C kappa sqrt(F) / n,
    attained), and scale = S / epsilon. Enforced here: rows of phi(x) are clipped to norm kappa; S is never less
    than the sharp sensitivity plus what the solver may miss on two datasets, a number that depends on C, kappa, F and n
    alone (at C = kappa = 1 less than a hundredth up to n = 10^4, the larger part beyond n = 10^6). Assumed:
    `feature_map`, kappa, C and n are public (neighbours have the same n).

    `sampler="grid"`, the default, rounds the minimiser to a public grid and draws whole grid steps of noise exactly;
    S then grows by F grid steps, about a millionth. It holds in floating point. `sampler="float64"` adds
    `rng.laplace`: the law of the theorem over the reals, whose low bits leak in floating point; for study only.

    Give `privacy` or `scale`; with a `scale` the law computes the privacy it has. Raises ValueError for bad input,
    and RuntimeError, naming no data, should the solver miss its tolerance.
    """
    phi, V, y, counts = _prepared(X, y, C, feature_map, kappa, loss, counts)
    if calibration not in CALIBRATIONS:
        raise ValueError(f"calibration = {calibration!r} is not one of {', '.join(CALIBRATIONS)}")
    if sampler not in SAMPLERS:
        raise ValueError(f"sampler = {sampler!r} is not one of {', '.join(SAMPLERS)}")
    if (privacy is None) == (scale is None):
        raise ValueError(f"privacy = {privacy}, scale = {scale}: exactly one of them must be given")
    if privacy is not None and not (isinstance(privacy, PureDP) and privacy.neighbours in ("replace", "label")):
        raise ValueError(f"privacy = {privacy} is not a PureDP for replaced rows or labels")
    if scale is not None:
        positive(scale=scale)
    n, F = int(counts.sum()), V.shape[1]

    sensitivity = l1_sensitivity(n=n, C=C, F=F, kappa=kappa, calibration=calibration)
    epsilon = sensitivity / scale if privacy is None else privacy.epsilon
    grid, steps = grid_for(sensitivity, epsilon, F)
    found = solve_rows(V, y, C=C, loss=loss, counts=counts)
    if found.error > solution_tolerance(C=C, F=F, kappa=kappa):
        raise RuntimeError(f"loss = {loss!r}: the solver missed its tolerance at C = {C}; nothing is released")
    if sampler == "float64":
        noise: Any = FloatLaplace(found.weights, sensitivity / epsilon)
    else:
        noise = GridLaplace(found.weights, grid, steps)
    return SVMLaw(noise, sensitivity, privacy or PureDP(epsilon * (1 + 1e-12)), phi)


def l1_sensitivity(*, n, C, F, kappa=1.0, calibration="printed"):
    """The L1 sensitivity that `law` calibrates to: Lemma 21's, or the sharp one plus twice the solver's tolerance.

    >>> l1_sensitivity(n=100, C=1.0, F=4)
    0.08
    """
    slack = 2 * sqrt(F) * solution_tolerance(C=C, F=F, kappa=kappa)
    safe = bounds.weight_sensitivity_sharp(n=n, C=C, F=F, kappa=kappa) + slack
    return max(CALIBRATIONS[calibration](n=n, C=C, F=F, kappa=kappa), safe)


def fit(X, y, *, rng, **parameters):
    """One release, as a predictor x -> sign(<weights, phi(x)>) that remembers its privacy."""
    return law(X, y, **parameters).model(rng)
