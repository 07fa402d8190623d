"""The Gaussian mechanism: a statistic plus Gaussian noise, the mechanism that Gaussian privacy is named after.

The theorem speaks of real numbers. A float64 near 10^17 has no room for noise of size 1: value + noise would be the
value itself. Whether that happens depends on the private value, so it cannot be refused without giving something away.
Instead there is a public `bound`: entries beyond it are clipped, which moves no two datasets further apart, and noise
that is too small for the bound is refused.

`noise`: "float" is the mechanism in float64, for experiments: its low bits tell neighbours apart. "exact", which is
what `lemmata.mechanisms.law.fit` asks for, is the one over the reals, rounded to a public grid
(`lemmata.mechanisms.noise.grid_gaussian`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.exact.privacy_curves import LOG_SQRT_2PI
from lemmata.mechanisms.noise import grid_gaussian
from lemmata.mechanisms.noise.grid_gaussian import GridGaussianLaw, noise_deviation
from lemmata.mechanisms.noise.grid_sums import check_noise
from lemmata.mechanisms.numerics.arguments import (
    check_exactly_one,
    check_magnitude,
    check_positive,
    check_vector,
)
from lemmata.mechanisms.numerics.arithmetic import round_up, short_repr
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP

RESOLUTION = 2.0**36  # a bound may be so many standard deviations: the grid of floats is then 2^-16 of one


@dataclass(frozen=True)
class GaussianLaw:
    """The law of value + N(0, sigma^2 I), on one dataset."""

    value: np.ndarray = field(repr=False)  # shape (k,), the statistic; data never in a repr
    sigma: float  # standard deviation of every coordinate
    privacy: GaussianDP
    exact = False  # noise in float64, an experiment's: `fit` refuses it unless told

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, k)."""
        return self.value + self.sigma * rng.normal(size=(size, self.value.size))

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-density of releases of shape (size, k), shape (size,)."""
        z = (np.asarray(releases) - self.value) / self.sigma
        return -(z**2).sum(axis=-1) / 2 - self.value.size * (LOG_SQRT_2PI + np.log(self.sigma))


def law(
    value: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP | None = None,
    sensitivity: float,
    sigma: float | None = None,
    bound: float | None = None,
    noise: str = "float",
) -> GaussianLaw | GridGaussianLaw:
    """Return the law of the Gaussian mechanism with noise `sigma`, or with the least noise that gives `privacy`.

    Formal guarantee: (sensitivity / sigma)-GDP, rounded up, if the statistic moves by at most `sensitivity` in the L2
    norm between neighbours (assumed: it belongs to the caller's statistic). Entries are clipped to [-bound, bound], by
    default 2^36 sigma. With `noise` "float" the analysis is over the reals, and low bits tell neighbours apart; with
    "exact" the release is rounded to a public grid, a `GridGaussianLaw`. Raises ValueError for a value that is not a
    vector of finite numbers, for sensitivity or bound outside (0, inf), for sigma outside [1e-100, 1e100] or
    below bound / 2^36, and unless exactly one of `sigma` and `privacy` is given.

    >>> released = law([3.0, 4.0], sensitivity=1.0, privacy=GaussianDP(0.5))
    >>> released.sigma, released.sample(np.random.default_rng(0)).round(2).tolist()
    (2.0, [[3.25, 3.74]])
    """
    check_noise(noise)
    value = check_vector("value", value, "k")
    check_exactly_one(sigma=sigma, privacy=privacy)
    (sensitivity,) = check_positive(sensitivity=sensitivity)
    if privacy is not None:
        sigma = noise_deviation(sensitivity, privacy)
    neighbours = "replace" if privacy is None else privacy.neighbours
    (spread,) = check_magnitude(sigma=sigma)
    (bound,) = check_positive(bound=RESOLUTION * spread if bound is None else bound)
    if bound > RESOLUTION * spread:
        raise ValueError(
            f"sigma = {short_repr(sigma)} is below bound / 2^36 = {bound / RESOLUTION}: float64 would absorb the noise"
        )
    if noise == "exact":
        made = grid_gaussian.law(value, sensitivity=sensitivity, bound=bound, sigma=spread)
        return replace(made, privacy=GaussianDP(made.privacy.mu, neighbours))
    mu = round_up(Fraction(sensitivity) / Fraction(spread))
    return GaussianLaw(np.clip(value, -bound, bound), spread, GaussianDP(mu, neighbours))
