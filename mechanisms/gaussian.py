"""The Gaussian mechanism: a statistic plus Gaussian noise, the mechanism that Gaussian privacy is named after."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bounds.exact.privacy_curves import LOG_SQRT_2PI
from bounds.wzw25.gaussian_privacy import gaussian_mechanism_gdp
from mechanisms.law import positive
from mechanisms.privacy import GaussianDP, gaussian_noise_multiplier


@dataclass(frozen=True)
class GaussianLaw:
    """value + N(0, sigma^2 I), on one dataset."""

    value: np.ndarray = field(repr=False)  # shape (k,), the statistic; data never in a repr
    sigma: float  # standard deviation of every coordinate
    privacy: GaussianDP

    def sample(self, rng, size=1):
        """`size` independent releases, shape (size, k)."""
        return self.value + self.sigma * rng.normal(size=(size, self.value.size))

    def log_density(self, releases):
        """log-density of releases of shape (size, k), shape (size,)."""
        z = (np.asarray(releases) - self.value) / self.sigma
        return -(z**2).sum(axis=-1) / 2 - self.value.size * (LOG_SQRT_2PI + np.log(self.sigma))


def law(value, *, sensitivity, sigma=None, privacy=None):
    """The Gaussian mechanism with noise `sigma`, or with the least noise that gives `privacy` (one of the two).

    Formal guarantee: (sensitivity / sigma)-GDP, if the statistic moves by at most `sensitivity` in the L2
    norm between neighbours (assumed: it belongs to the caller's statistic). The analysis is over the reals;
    low bits are not hardened. Raises ValueError for a value that is not a vector of finite numbers, and for
    sensitivity or sigma outside (0, inf).
    """
    value = np.atleast_1d(np.asarray(value, dtype=float))
    if value.ndim != 1 or not np.isfinite(value).all():
        raise ValueError(f"value has shape {value.shape}, not (k,), or entries that are not finite numbers")
    if (sigma is None) == (privacy is None):
        raise ValueError(f"sigma = {sigma}, privacy = {privacy}: give exactly one of them")
    positive(sensitivity=sensitivity)
    neighbours = "replace" if privacy is None else privacy.neighbours
    if sigma is None:
        sigma = sensitivity * gaussian_noise_multiplier(privacy)
    positive(sigma=sigma)
    mu = gaussian_mechanism_gdp(sensitivity=sensitivity, sigma=sigma)
    return GaussianLaw(value, float(sigma), GaussianDP(mu, neighbours))


def fit(value, *, rng, **parameters):
    """One release, shape (k,)."""
    return law(value, **parameters).sample(rng)[0]
