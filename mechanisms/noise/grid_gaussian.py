"""The Gaussian mechanism on a grid, drawn exactly: a release has no low bits of the private statistic.

`value + rng.normal(scale=sigma)` in float64 is not the mechanism of the theorem: which doubles it can return depends
on the low bits of the value, and some are possible for one dataset and impossible for its neighbour (Mironov 2012,
there for Laplace noise; `wzw25.rem2.3.float64` shows it for the Gaussian). Here the release is the ideal one, rounded:

    release = step * round((value + Z) / step),     Z ~ N(0, sigma^2 I) over the real numbers.

Rounding to a public grid is post-processing, so (sensitivity / sigma)-GDP carries over with nothing lost. The rounded
variable is drawn exactly: of a uniform number as many binary digits are drawn as it takes to prove in which cell of
the grid its Gaussian quantile lies, in float64 with its error bounded, and in ball arithmetic where that is not enough.
No float64 operation rounds anything that depends on the value: `step` is a power of two. Where the value is itself a
multiple of the step (`lemmata.mechanisms.noise.grid_sums`), the noise is that of the value 0. Not hardened: the time
that a draw takes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, frexp, inf, isfinite, nextafter

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtri

from lemmata.bounds.exact.balls import Phi, exact
from lemmata.mechanisms.noise.laplace import laplace_shape
from lemmata.mechanisms.numerics.arguments import (
    check_exactly_one,
    check_magnitude,
    check_positive,
    check_vector,
)
from lemmata.mechanisms.numerics.arithmetic import round_up, short_repr
from lemmata.mechanisms.numerics.entropy import draw_words
from lemmata.mechanisms.numerics.proved_floats import normal_quantile
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, Guarantee, gaussian_noise_multiplier

FINE = 2**20  # grid steps in one standard deviation, by default
MOST = 2.0**52  # grid steps that a bound or a standard deviation may have
BLOCK = 2**13  # numbers drawn at a time: they stay in the first cache
SURE = 2**48  # first digits that prove a cell in float64; below, the unseen ones matter


def rounded_normal(
    rng: np.random.Generator, sigma: float, size: int | tuple[int, ...], centre: np.ndarray | None = None
) -> np.ndarray:
    """Draw the whole numbers nearest to centre + sigma Z, Z standard normal over the reals, exactly: int64.

    `sigma` and `centre` (a float array that broadcasts to `size`, 0 by default) are in grid steps, sigma <= 2^52.
    With a fair sign and V uniform on (0, 1), Z = +-t where V = 2 Phi(-t). Of V 63 binary digits j are drawn, and t is
    taken in float64. If j >= 2^48, then t < 4.4 differs from the float by less than 2^-45: Mills' ratio, at most 1.26,
    times 2^-48 for the digits not drawn and 2^-53 for the rounding of j, and 2^-46, proved, for `normal_quantile`
    (`lemmata.mechanisms.numerics.proved_floats`). Where that does not prove the cell, more digits are drawn and ball
    arithmetic decides (`decide_grid_point`).

    >>> rounded_normal(np.random.default_rng(0), 2.0, 4).tolist()
    [2, -1, -3, -4]
    """
    (sigma,) = check_positive(sigma=sigma)
    if sigma > MOST:
        raise ValueError(f"sigma = {sigma} is more than 2^52 grid steps")
    out = np.empty(laplace_shape(size), dtype=np.int64)
    flat = out.reshape(-1)
    centres = None if centre is None else np.broadcast_to(np.asarray(centre, dtype=float), out.shape).reshape(-1)
    for start in range(0, flat.size, BLOCK):
        block = slice(start, start + BLOCK)
        _draw(rng, sigma, None if centres is None else centres[block], flat[block])
    return out


def draw_on_grid(rng: np.random.Generator, value: np.ndarray, sigma: float, bound: float) -> np.ndarray:
    """Draw step round((value + N(0, sigma^2 I)) / step), exactly, for floats of size at most about `bound`.

    `step` is the power of two below the larger of sigma / 2^20 and bound / 2^45.

    >>> bool((draw_on_grid(np.random.default_rng(0), np.array([0.3, 0.1]), 2.0, 1.0) % 2.0**-20 == 0).all())
    True
    """
    step = 2.0 ** (frexp(max(sigma / FINE, bound * 2.0**-45))[1] - 1)
    steps, released = round_up(Fraction(sigma) / Fraction(step)), np.array(value, dtype=float, order="C")
    flat = released.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        part = flat[start : start + BLOCK]
        part[:] = rounded_normal(rng, steps, part.shape, part / step) * step
    return released


def _draw(rng: np.random.Generator, sigma: float, centres: np.ndarray | None, out: np.ndarray) -> None:
    """One block of `rounded_normal` into `out`, shape (draws,)."""
    drawn = draw_words(rng, out.size)
    digits = drawn & (2**63 - 1)
    places = digits.astype(float)
    places *= 2.0**-63
    np.maximum(places, 2.0**-16, out=places)
    places = normal_quantile(places)
    places *= np.where(drawn < 0, -sigma, sigma)
    if centres is not None:
        places += centres - np.rint(centres)
    cells = np.rint(places)
    places -= cells
    np.abs(places, out=places)
    doubtful = places >= 0.5 - min(0.5, sigma * 2.0**-44 + 2.0**-50)
    doubtful |= digits < SURE
    out[:] = cells
    for i in np.flatnonzero(doubtful):
        centre = Fraction(0) if centres is None else Fraction(float(centres[i] - np.rint(centres[i])))
        out[i] = decide_grid_point(rng, int(digits[i]), -1 if drawn[i] < 0 else 1, centre, Fraction(sigma))
    if centres is not None:
        out += np.rint(centres).astype(np.int64)


def decide_grid_point(rng: np.random.Generator, digits: int, sign: int, centre: Fraction, sigma: Fraction) -> int:
    """Return the whole number nearest to centre + sign sigma t, V = 2 Phi(-t) beginning with 63 binary `digits`.

    The cell k is proved when the interval that V's digits leave lies between the values of 2 Phi(-t) at the cell's two
    ends; until then, further digits are drawn.
    """
    drawn = 63
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
        digits, drawn = digits * 2**32 + int(rng.integers(2**32)), drawn + 32


def _proved(k: int, sign: int, centre: Fraction, sigma: Fraction, low: arb, high: arb) -> bool:
    """Whether every V in [low, high] puts the release into cell k."""
    ends = sorted(sign * (k + half - centre) / sigma for half in (Fraction(-1, 2), Fraction(1, 2)))
    if ends[1] <= 0:
        return False
    above = ends[0] <= 0 or bool(high < 2 * Phi(-exact(ends[0])))
    return above and bool(low > 2 * Phi(-exact(ends[1])))


@dataclass(frozen=True)
class GridGaussianLaw:
    """The law of step * round((value + N(0, sigma^2 I)) / step), on one dataset."""

    value: np.ndarray = field(repr=False)  # shape (k,), the statistic, inside [-bound, bound]; data never in a repr
    sigma: float  # standard deviation of every coordinate before it is rounded
    step: float  # of the grid: a power of two, public
    privacy: GaussianDP

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, k), all multiples of `step`; about 50 nanoseconds a number."""
        shape, sigma = (size, self.value.size), self.sigma / self.step
        return rounded_normal(rng, sigma, shape, self.value / self.step) * self.step

    def log_density(self, releases: np.ndarray) -> np.ndarray:
        """Return the log-probability of each release, shape (size,): -inf off the grid."""
        releases = np.atleast_2d(np.asarray(releases, dtype=float))
        places = releases / self.step
        far = np.abs(releases - self.value)  # by symmetry the cell may lie above the centre
        near, end = (far - self.step / 2) / self.sigma, (far + self.step / 2) / self.sigma
        mass = log_ndtr(-near) + np.log(-np.expm1(log_ndtr(-end) - log_ndtr(-near)))
        return np.where(np.all(places == np.rint(places), axis=-1), mass.sum(axis=-1), -inf)


def noise_deviation(sensitivity: float, privacy: Guarantee) -> float:
    """Return the standard deviation that gives `privacy`.

    Sensitivity times the multiplier, never below sensitivity / mu.

    >>> noise_deviation(3.0, GaussianDP(0.5))
    6.0
    """
    (sensitivity,) = check_positive(sensitivity=sensitivity)
    multiplier = gaussian_noise_multiplier(privacy)
    sigma = sensitivity * multiplier
    while sigma < Fraction(sensitivity) * Fraction(multiplier):
        sigma = nextafter(sigma, inf)
    return sigma


def law(
    value: ArrayLike,
    *,
    sensitivity: float,
    bound: float,
    sigma: float | None = None,
    privacy: GaussianDP | ApproxDP | None = None,
    step: float | None = None,
) -> GridGaussianLaw:
    """Return the law of the hardened Gaussian mechanism on [-bound, bound]^k, with noise `sigma` or for `privacy`.

    Formal guarantee: (sensitivity / sigma)-GDP for what is released, bit for bit, if the statistic moves by at most
    `sensitivity` in the L2 norm between neighbours (assumed: it belongs to the caller's statistic) and `rng` is ideal.
    Entries beyond the public `bound` are clipped to it, which moves no two values apart. `step` is by default the
    largest power of two up to sigma / 2^20. Raises ValueError for a value that is not a vector of finite numbers, for
    sensitivity outside (0, inf), for bound or sigma outside [1e-100, 1e100], for a step that is no power of two, and
    for a grid of more than 2^52 steps in `bound` or `sigma`.

    >>> released = law([0.3, -2.0], sensitivity=1.0, bound=1.0, sigma=2.0, step=0.25)
    >>> released.privacy.mu, released.sample(np.random.default_rng(0))
    (0.5, array([[ 2.5 , -2.25]]))
    """
    value = check_vector("value", value, "k")
    check_exactly_one(sigma=sigma, privacy=privacy)
    (sensitivity,), (bound,) = check_positive(sensitivity=sensitivity), check_magnitude(bound=bound)
    if privacy is not None:
        sigma = noise_deviation(sensitivity, privacy)
    (spread,) = check_magnitude(sigma=sigma)
    if step is None:
        step = 2.0 ** (frexp(max(spread / FINE, bound / MOST * 2))[1] - 1)
    (grid,) = check_positive(step=step)
    if frexp(grid)[0] != 0.5:
        raise ValueError(f"step must be a power of two, got {short_repr(step)}")
    if max(bound, spread) / grid > MOST:
        raise ValueError(
            f"step = {short_repr(step)} is too fine for bound = {bound} and sigma = {spread}: more than 2^52 steps"
        )
    neighbours = "replace" if privacy is None else privacy.neighbours
    mu = round_up(Fraction(sensitivity) / Fraction(spread))
    return GridGaussianLaw(np.clip(value, -bound, bound), spread, grid, GaussianDP(mu, neighbours))
