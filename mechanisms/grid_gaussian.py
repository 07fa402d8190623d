"""The Gaussian mechanism on a grid, drawn exactly: what is released carries no low bits of the private statistic.

`value + rng.normal(scale=sigma)` in float64 is not the mechanism of the theorem: which doubles it can return depends
on the low bits of the value, and some are possible for one dataset and impossible for its neighbour (Mironov 2012,
there for Laplace noise; `wzw25.rem2.3.float64` shows it for the Gaussian). Here the release is the ideal one, rounded:

    release = step * round((value + Z) / step),     Z ~ N(0, sigma^2 I) over the real numbers.

Rounding to a public grid is post-processing, so (sensitivity / sigma)-GDP carries over with nothing lost. The rounded
variable is drawn exactly: of a uniform number as many binary digits are drawn as it takes to prove, in ball
arithmetic, in which cell of the grid its Gaussian quantile lies. No float64 operation rounds anything that depends on
the value: `step` is a power of two. Not hardened: the time that a draw takes, and the generator itself (give `rng`
from a cryptographic source where that matters).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, frexp, inf, isfinite

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtri

from lemmata.bounds.exact.balls import Phi, exact
from lemmata.mechanisms.arithmetic import brief, up
from lemmata.mechanisms.gaussian import noise_for
from lemmata.mechanisms.law import finite, generator, positive, sized
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, check_guarantee

FINE = 2**20  # grid steps in one standard deviation, by default
DIGITS = 53  # binary digits of the uniform number that are drawn at a time
MOST = 2.0**52  # grid steps that a bound or a standard deviation may have


def cell(rng: np.random.Generator, centre: Fraction, sigma: Fraction) -> int:
    """The whole number nearest to centre + sigma Z, Z a standard normal, both in grid steps: exact.

    With a fair sign and V uniform on (0, 1), Z = +-t where V = 2 Phi(-t). The cell k of the release is proved when the
    interval that V's digits leave lies between the values of 2 Phi(-t) at the cell's two ends.
    """
    sign = 1 if rng.integers(2) else -1
    digits, drawn = int(rng.integers(2**DIGITS)), DIGITS
    while True:
        with ctx.workprec(drawn + 64):
            low = exact(Fraction(digits, 2**drawn))
            high = exact(Fraction(digits + 1, 2**drawn))
            size = -float(ndtri(min(0.5, (digits + 0.5) / 2 ** (drawn + 1))))
            if isfinite(size):
                guess = floor(centre + sign * sigma * Fraction(size) + Fraction(1, 2))
                for k in (guess, guess - 1, guess + 1):
                    if _proved(k, sign, centre, sigma, low, high):
                        return k
        digits, drawn = digits * 2**DIGITS + int(rng.integers(2**DIGITS)), drawn + DIGITS


def _proved(k: int, sign: int, centre: Fraction, sigma: Fraction, low: arb, high: arb) -> bool:
    """Whether every V in [low, high] puts the release into cell k."""
    ends = sorted(sign * (k + half - centre) / sigma for half in (Fraction(-1, 2), Fraction(1, 2)))
    if ends[1] <= 0:
        return False
    above = ends[0] <= 0 or bool(high < 2 * Phi(-exact(ends[0])))
    return above and bool(low > 2 * Phi(-exact(ends[1])))


@dataclass(frozen=True)
class GridGaussianLaw:
    """step * round((value + N(0, sigma^2 I)) / step), on one dataset."""

    value: np.ndarray = field(repr=False)  # shape (k,), the statistic, inside [-bound, bound]; data never in a repr
    sigma: float  # standard deviation of every coordinate before it is rounded
    step: float  # of the grid: a power of two, public
    privacy: GaussianDP

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """`size` independent releases, shape (size, k), all multiples of `step`; about 50 microseconds a number."""
        step, sigma = Fraction(self.step), Fraction(self.sigma) / Fraction(self.step)
        centres = [Fraction(float(x)) / step for x in self.value]
        drawn = [[cell(rng, centre, sigma) for centre in centres] for _ in range(size)]
        return np.array(drawn, dtype=float).reshape(size, len(centres)) * self.step

    def log_density(self, releases: np.ndarray) -> np.ndarray:
        """The log-probability of each release, shape (size,): -inf off the grid."""
        releases = np.atleast_2d(np.asarray(releases, dtype=float))
        places = releases / self.step
        far = np.abs(releases - self.value)  # by symmetry the cell may lie above the centre
        near, end = (far - self.step / 2) / self.sigma, (far + self.step / 2) / self.sigma
        mass = log_ndtr(-near) + np.log(-np.expm1(log_ndtr(-end) - log_ndtr(-near)))
        return np.where(np.all(places == np.rint(places), axis=-1), mass.sum(axis=-1), -inf)


def law(
    value: ArrayLike,
    *,
    sensitivity: float,
    bound: float,
    sigma: float | None = None,
    privacy: GaussianDP | ApproxDP | None = None,
    step: float | None = None,
) -> GridGaussianLaw:
    """The hardened Gaussian mechanism for a statistic in [-bound, bound]^k, with noise `sigma` or for `privacy`.

    Formal guarantee: (sensitivity / sigma)-GDP for what is released, bit for bit, if the statistic moves by at most
    `sensitivity` in the L2 norm between neighbours (assumed: it belongs to the caller's statistic) and `rng` is ideal.
    Entries beyond the public `bound` are clipped to it, which moves no two values apart. `step` is by default the
    largest power of two up to sigma / 2^20. Raises ValueError for a value that is not a vector of finite numbers, for
    sensitivity outside (0, inf), for bound or sigma outside [1e-100, 1e100], for a step that is no power of two, and
    for a grid of more than 2^52 steps in `bound` or `sigma`.

    >>> released = law([0.3, -2.0], sensitivity=1.0, bound=1.0, sigma=2.0, step=0.25)
    >>> released.privacy.mu, released.sample(np.random.default_rng(0))
    (0.5, array([[2.5, 3. ]]))
    """
    value = np.atleast_1d(finite("value", value))
    if value.ndim != 1 or not value.size:
        raise ValueError(f"value has shape {value.shape}, not (k,) with k >= 1")
    if (sigma is None) == (privacy is None):
        raise ValueError(f"sigma = {brief(sigma)}, privacy = {brief(privacy)}: give exactly one of them")
    (sensitivity,), (bound,) = positive(sensitivity=sensitivity), sized(bound=bound)
    if privacy is not None:
        check_guarantee("privacy", privacy)
        sigma = noise_for(sensitivity, privacy)
    (spread,) = sized(sigma=sigma)
    if step is None:
        step = 2.0 ** (frexp(max(spread / FINE, bound / MOST * 2))[1] - 1)
    (grid,) = positive(step=step)
    if frexp(grid)[0] != 0.5:
        raise ValueError(f"step = {brief(step)} is not a power of two")
    if max(bound, spread) / grid > MOST:
        raise ValueError(
            f"step = {brief(step)} is too fine for bound = {bound} and sigma = {spread}: more than 2^52 steps"
        )
    neighbours = "replace" if privacy is None else privacy.neighbours
    mu = up(Fraction(sensitivity) / Fraction(spread))
    return GridGaussianLaw(np.clip(value, -bound, bound), spread, grid, GaussianDP(mu, neighbours))


def fit(
    value: ArrayLike,
    *,
    sensitivity: float,
    bound: float,
    sigma: float | None = None,
    privacy: GaussianDP | ApproxDP | None = None,
    step: float | None = None,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """One release of the hardened Gaussian mechanism, shape (k,); without `rng` from the system's entropy.

    >>> fit([0.3], sensitivity=1.0, bound=1.0, sigma=2.0, rng=np.random.default_rng(0)).shape
    (1,)
    """
    released = law(value, sensitivity=sensitivity, bound=bound, sigma=sigma, privacy=privacy, step=step)
    return released.sample(generator(rng))[0]
