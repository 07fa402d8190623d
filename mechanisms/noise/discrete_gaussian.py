"""The discrete Gaussian on a grid (Canonne, Kamath & Steinke 2020): exact in whole numbers, fast in arrays.

    release = grid * (round(centre / grid) + K),     Pr(K = k) proportional to exp(-k^2 / (2 steps^2)),  k whole

Only whole numbers are drawn and compared, so nothing but the noise separates two datasets: `laplace.GridLaplace` with a
Gaussian for the exponential. `lemmata.mechanisms.noise.grid_gaussian` rounds the continuous Gaussian instead: its
guarantee is a GaussianDP and loses nothing to the grid, and a draw costs less.

Rounding moves the L2 distance of two centres in R^F by at most sqrt(F) grid steps; the calibration adds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import frexp, inf, nextafter, sqrt

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.noise.laplace import GridCentre, discrete_laplace, laplace_shape
from lemmata.mechanisms.numerics.arguments import (
    check_finite,
    check_integer,
    check_magnitude,
    check_vector,
    resolve_generator,
)
from lemmata.mechanisms.numerics.arithmetic import certified_delta, round_up, short_repr, sqrt_up
from lemmata.mechanisms.privacy import ApproxDP, gaussian_noise_multiplier

FINE = 2**16  # grid steps in one standard deviation, by default
MOST = 2**24  # grid steps in one standard deviation, at most: 2 steps^2 times a small number stays below 2^63


def bernoulli_exp(rng: np.random.Generator, numerator: ArrayLike, denominator: int) -> np.ndarray:
    """Draw Bernoulli(exp(-numerator / denominator)) for whole 0 <= numerator <= denominator, shape of `numerator`.

    Exact (von Neumann): the number K of the first failure among Bernoulli(x / 1), Bernoulli(x / 2), ... is odd
    with probability exp(-x). Each trial is one uniform whole number below denominator * k.
    """
    rng = resolve_generator(rng)
    (denominator,) = check_integer(denominator=denominator)
    places = check_finite("numerator", numerator)
    if not ((places >= 0) & (places <= denominator) & (places == np.floor(places))).all():
        raise ValueError("numerator must have integer entries in [0, denominator]")
    numerator = places.astype(np.int64)
    odd = np.zeros(numerator.shape, dtype=bool)
    left, k = np.arange(numerator.size), 1
    while left.size:
        success = rng.integers(0, denominator * k, size=left.size) < numerator.flat[left]
        odd.flat[left[~success]] = k % 2 == 1
        left, k = left[success], k + 1
    return odd


def bernoulli_exp_any(rng: np.random.Generator, numerator: np.ndarray, denominator: int) -> np.ndarray:
    """Draw Bernoulli(exp(-numerator / denominator)) for any whole numerator >= 0: one coin of e^-1 a whole part."""
    parts, rest = np.divmod(numerator, denominator)
    alive = bernoulli_exp(rng, rest, denominator)
    left = np.flatnonzero(alive & (parts > 0))
    while left.size:
        kept = bernoulli_exp(rng, np.ones(left.size, dtype=np.int64), 1)
        alive[left[~kept]] = False
        parts[left] -= 1
        left = left[kept & (parts[left] > 0)]
    return alive


def discrete_gaussian(rng: np.random.Generator, steps: int, size: int | tuple[int, ...]) -> np.ndarray:
    """Draw whole numbers with Pr(K = k) proportional to exp(-k^2 / (2 steps^2)), exactly; `steps` a whole number.

    CKS 2020, Algorithm 3: K discrete Laplace of scale `steps`, kept with probability exp(-(|K| - steps)^2 / (2
    steps^2)); the product is exp(-K^2 / (2 steps^2)) up to a constant.
    """
    rng = resolve_generator(rng)
    (steps,) = check_integer(MOST, steps=steps)
    out = np.zeros(laplace_shape(size), dtype=np.int64)
    left = np.arange(out.size)
    while left.size:
        tried = discrete_laplace(rng, steps, left.size)
        kept = bernoulli_exp_any(rng, (np.abs(tried) - steps) ** 2, 2 * steps**2)
        out.flat[left[kept]] = tried[kept]
        left = left[~kept]
    return out


def spent_delta(epsilon: float, moved: float, steps: int, F: int) -> float:
    """Return the delta of `discrete_gaussian_delta`, certified: rounded up; 1 where the bound says nothing.

    >>> spent_delta(1.0, 2.0**16, 4 * 2**16, 1) > 1e-6 > spent_delta(1.0, 2.0**16, 5 * 2**16, 1)
    True
    """
    left = epsilon - round_up(Fraction(sqrt_up(Fraction(F))) * Fraction(moved) / (2 * steps**2))
    if left < 0 or 24 * steps**2 < F:
        return 1.0
    factor = 1 + 2 * Fraction(F, 24 * steps**2)  # exp(x) <= 1 + 2 x for x <= 1
    return min(1.0, round_up(factor * Fraction(certified_delta(nextafter(left, 0), round_up(Fraction(moved) / steps)))))


@dataclass(frozen=True)
class DiscreteGaussianLaw(GridCentre):
    """The law of grid * (round(centre / grid) + K), K iid discrete Gaussian of `steps` grid steps, on one dataset."""

    privacy: ApproxDP

    @property
    def sigma(self) -> float:
        """The noise's parameter; its standard deviation is at most that."""
        return self.grid * self.steps

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, F), all multiples of `grid`."""
        return (self.point + discrete_gaussian(rng, self.steps, (size, self.centre.size))) * self.grid

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probability of each release, shape (size,): -inf off the grid."""
        places = np.atleast_2d(releases) / self.grid
        reach = np.arange(1, 40 * self.steps + 1) if self.steps < 100 else np.zeros(0)
        total = 1 + 2 * np.exp(-(reach**2) / (2 * self.steps**2)).sum() if reach.size else self.steps * sqrt(2 * np.pi)
        mass = -((places - self.point) ** 2).sum(axis=-1) / (2 * self.steps**2) - self.centre.size * np.log(total)
        return np.where(np.all(places == np.rint(places), axis=-1), mass, -inf)


def law(
    value: ArrayLike, *, sensitivity: float, bound: float, privacy: ApproxDP, steps: int = FINE
) -> DiscreteGaussianLaw:
    """Release `value`, shape (F,), with discrete Gaussian noise of about `steps` steps of a public grid.

    Formal guarantee: `privacy`, if `value` moves by at most `sensitivity` in the L2 norm between neighbours (assumed).
    Its privacy curve is bounded by the Gaussian one (`lemmata.bounds.rbht09.private_svm.discrete_gaussian_delta`), at
    the distance sensitivity / grid + sqrt(F) of the rounded centres; sigma is the least multiple of the grid whose
    bound, rounded up, is the delta asked for. Entries are clipped to [-bound, bound], public. It holds in
    floating point; the time a draw takes is not hardened. Raises ValueError for a value that is not a vector of finite
    numbers, for sensitivity or bound outside [1e-100, 1e100], for a privacy that is no ApproxDP with epsilon > 0 and 0
    < delta < 1, and for a grid of more than 2^52 steps in `bound`.

    >>> released = law([0.3, -2.0], sensitivity=1.0, bound=4.0, privacy=ApproxDP(1.0, 1e-6))
    >>> released.grid, round(released.sigma, 3), released.sample(np.random.default_rng(0)).shape
    (6.103515625e-05, 4.225, (1, 2))
    """
    value = check_vector("value", value)
    sensitivity, bound = check_magnitude(sensitivity=sensitivity, bound=bound)
    (steps,) = check_integer(MOST // 2, steps=steps)
    if not (isinstance(privacy, ApproxDP) and privacy.epsilon > 0 and 0 < privacy.delta < 1):
        raise ValueError(f"privacy must be an ApproxDP with epsilon > 0 and 0 < delta < 1, got {short_repr(privacy)}")
    F = value.size
    sigma = sensitivity * gaussian_noise_multiplier(privacy)
    grid = 2.0 ** (frexp(sigma / steps)[1] - 1)
    if not bound <= grid * 2.0**52:
        raise ValueError(f"steps = {steps}: the grid has more than 2^52 steps in bound = {bound}")
    moved = round_up(Fraction(sensitivity) / Fraction(grid) + Fraction(sqrt_up(Fraction(F))))
    if spent_delta(privacy.epsilon, moved, MOST, F) > privacy.delta:
        raise ValueError(f"privacy = {short_repr(privacy)} needs more than {MOST} grid steps at steps = {steps}")
    low, count = 0, MOST
    while count - low > 1:
        middle = (low + count) // 2
        low, count = (
            (low, middle) if spent_delta(privacy.epsilon, moved, middle, F) <= privacy.delta else (middle, count)
        )
    return DiscreteGaussianLaw(np.clip(value, -bound, bound), grid, count, privacy)
