"""Objective perturbation of Chaudhuri, Monteleoni & Sarwate (2011), Algorithm 2: noise inside the problem.

    release argmin_w ridge/2 ||w||_2^2 + (C / n) (sum_i loss(y_i <w, x_i>) + <b, w>)

where b has density proportional to exp(-epsilon' ||b||_2 / 2), with the logistic loss or Huber's, second derivative at
most c (1/4 and 1). Their regularisation Lambda is 1 / C, their Delta (ridge - 1) / C. Which b gave the release w can be
read off the gradient, b(w), so the law has a density: that of b(w) times the determinant of the Hessian.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import expm1, log1p

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.law import LinearModel, generator, sized, whole
from mechanisms.output_perturbation import FeatureMap, prepared, radial_log_density, radial_noise, tolerance
from mechanisms.privacy import PureDP
from mechanisms.private_svm import ClippedMap
from mechanisms.solvers.perturbed_risk import MARGIN_LOSSES, minimise

SAFE = 1 - 1e-12  # relative: what the float arithmetic of the budget may be off by


def split_budget(*, epsilon: float, n: int, C: float, curvature: float) -> tuple[float, float]:
    """(epsilon', ridge): what the noise may spend after the Hessian, and the regularisation that leaves it half.

    One row replaced changes the log-determinant of the Hessian by at most 2 log(1 + c C / (n ridge)). Where that is
    less than epsilon the ridge stays 1; else it is c C / (n (e^(epsilon / 4) - 1)), and half of epsilon is left.

    >>> split_budget(epsilon=1.0, n=1000, C=1.0, curvature=0.25)[1]
    1.0
    """
    (n,) = whole(n=n)
    epsilon, C, curvature = sized(epsilon=epsilon, C=C, curvature=curvature)
    left = epsilon - 2 * log1p(curvature * C / n)
    if left > 0:
        return left * SAFE, 1.0
    return epsilon / 2 * SAFE, curvature * C / (n * expm1(epsilon / 4)) / SAFE


@dataclass(frozen=True)
class ObjectiveLaw:
    """The law of one release of objective perturbation on one dataset."""

    Z: np.ndarray = field(repr=False)  # y_i phi(x_i), shape (n, F), rows of norm at most 1; private
    C: float
    loss: str
    ridge: float
    rate: float  # of the noise b, epsilon' / 2: public
    privacy: PureDP
    feature_map: ClippedMap = field(repr=False)

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """`size` independent releases, shape (size, F), solved together."""
        b = radial_noise(rng, self.rate, size, self.Z.shape[1])
        weights, error = minimise(self.Z, linear=b, ridge=self.ridge, share=self.C / len(self.Z), loss=self.loss)
        if np.max(error, initial=0.0) > tolerance(self.C) * (1 + np.linalg.norm(b, axis=1).max(initial=0.0)):
            raise RuntimeError(f"loss = {self.loss!r}: the solver missed its tolerance at C = {self.C}")
        return weights

    def perturbation(self, releases: ArrayLike) -> np.ndarray:
        """b(w): the linear term whose minimiser is w, shape (size, F)."""
        W = np.atleast_2d(releases)
        slopes = MARGIN_LOSSES[self.loss].slope(W @ self.Z.T)
        return -(len(self.Z) * self.ridge / self.C) * W - slopes @ self.Z

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Exact log-density of releases, shape (size,): that of b(w), and |det db/dw|."""
        W = np.atleast_2d(releases)
        F = self.Z.shape[1]
        second = MARGIN_LOSSES[self.loss].second(W @ self.Z.T)
        hessian = np.einsum("bn,nf,ng->bfg", second, self.Z, self.Z, optimize=True)
        hessian = hessian + len(self.Z) * self.ridge / self.C * np.eye(F)
        lengths = np.linalg.norm(self.perturbation(W), axis=1)
        return radial_log_density(lengths, self.rate, F) + np.linalg.slogdet(hessian)[1]

    def model(self, rng: np.random.Generator) -> LinearModel:
        """One release as a predictor."""
        return LinearModel(self.sample(rng)[0], self.privacy, self.feature_map)


def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: PureDP,
    C: float,
    loss: str = "logistic",
    feature_map: FeatureMap | None = None,
) -> ObjectiveLaw:
    """The law of the minimiser of a randomly tilted objective.

    Formal guarantee: `privacy`, a PureDP under replacement of one row, for every input. With features of norm at most
    1 and slopes at most 1 a replaced row moves b(w) by at most 2, which costs epsilon'; the determinant of the Hessian
    costs the rest (`split_budget`). Enforced here: features are clipped to norm 1. Assumed: `feature_map`, C and n are
    public, and the minimisers are exact: the analysis is over the reals, our solver's last digits and the float64 noise
    are not hardened. Huber's second derivative jumps, on a set of releases of probability 0.

    >>> released = law([[1.0], [-1.0]], [1, -1], privacy=PureDP(2.0), C=1.0)
    >>> released.sample(np.random.default_rng(0), 5).shape, released.ridge
    ((5, 1), 1.0)
    """
    phi, Z, C = prepared(X, y, privacy, C, loss, feature_map)
    spent, ridge = split_budget(epsilon=privacy.epsilon, n=len(Z), C=C, curvature=MARGIN_LOSSES[loss].curvature)
    return ObjectiveLaw(Z, C, loss, ridge, spent / 2, privacy, phi)


def fit(
    X: ArrayLike,
    y: ArrayLike,
    *,
    epsilon: float,
    C: float,
    loss: str = "logistic",
    feature_map: FeatureMap | None = None,
    rng: np.random.Generator | None = None,
) -> LinearModel:
    """One release of objective perturbation, as a predictor; epsilon-DP under replacement of one record.

    >>> X, y = np.tile([[1.0], [-1.0]], (200, 1)), np.tile([1, -1], 200)
    >>> fit(X, y, epsilon=1.0, C=1.0, rng=np.random.default_rng(0)).predict([[1.0]])
    array([1.])
    """
    return law(X, y, privacy=PureDP(epsilon), C=C, loss=loss, feature_map=feature_map).model(generator(rng))
