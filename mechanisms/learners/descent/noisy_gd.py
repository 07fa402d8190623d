"""Noisy gradient descent on the sum of hinge losses: Algorithm 5 of Wang, Zhu & Wang (2025).

    w_{t+1} = w_t - eta_t (sum_i grad hinge(w_t; x_i, y_i) + xi_t),    xi_t ~ N(0, sigma^2 I_d),    t = 0, ..., T - 1,

with hinge(w; x, y) = max(0, 1 - y <w, x> / width), rows clipped to norm `radius`, w_0 public and
sigma = Delta sqrt(T) / mu for the L2 sensitivity Delta = 2 radius / width of the gradient sum. T, sigma and eta_t
depend on n, d and parameters only. The `logistic` loss log(1 + exp(-y <w, x> / width)) has slopes as small, so the same
account holds for it.

`noise`: "float" draws xi_t in float64, the algorithm over the real numbers, for experiments. "exact", for
releases, rounds the rows once to a public grid, towards 0, and adds to their exact sums a Gaussian rounded to the
same grid (`lemmata.mechanisms.noise.grid_sums`): the guarantee then holds for the bits that are released.

Three releases: the `average` of w_0..w_{T-1}, the `last` iterate w_T, and all `iterates` w_1..w_T. The last is the
white box: everything the privacy analysis gives away, with an exact density, because only it shows the composition to
be tight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice, zip_longest
from math import inf, isfinite, log, nextafter, pi
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from lemmata.bounds.wzw25 import last_iterate, noisy_gd as bounds
from lemmata.bounds.wzw25.hinge_gradient import replacement_sensitivity
from lemmata.mechanisms.law import LinearLaw, check_replacement
from lemmata.mechanisms.noise.grid_sums import (
    SMALLEST,
    GridNoise,
    check_noise,
    clip_and_round_rows,
    count_coefficient_bits,
    round_towards_zero,
    sign_rows,
    sum_in_one_pass,
)
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_finite,
    check_integer,
    check_magnitude,
    check_positive,
    quiet,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range, round_up, short_repr
from lemmata.mechanisms.numerics.sparse_rows import Rows, is_on_demand, is_sparse, multiply_into
from lemmata.mechanisms.numerics.threads import thread_count_for
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, Guarantee, to_gaussian_budget

OUTPUTS = ("average", "last", "iterates")
STRIDES = ("printed", "tuned", "decaying")
LOSSES = ("hinge", "logistic")
BAND = 2**20  # bytes of the rows, or of their margins, that a step reads twice: the second time from a core's cache
COLUMNS, ABREAST = 256, 2**17  # runs abreast, and numbers in their iterates, which every step changes
MOST = 10**7  # steps: minutes on the smallest table; their sizes and weights, listed, take 64 bytes a step
ENOUGH = 2000  # steps beyond which a descent found nothing more: with them, time is linear in n
RATE = 1e9  # entries a core updates in a second, measured

Band = tuple[Rows, Rows, np.ndarray, np.ndarray]  # rows, their transpose, their margins, which are small


class Descent(TypedDict, total=False):
    """The options that laws built on noisy gradient descent hand on to it; `law` explains each."""

    steps: str | int
    stride: str
    distance: float
    start: ArrayLike | None
    log_factor: float
    average: ArrayLike | None
    output: str
    precision: str
    loss: str
    noise: str


@dataclass(frozen=True)
class NoisyGDLaw(LinearLaw):
    """The law of the average or of the last iterate on one dataset; releases have shape (size, d)."""

    Z: Any = field(repr=False)  # shape (n, d), rows y x with norm <= radius; data never in a repr
    width: float
    start: np.ndarray = field(repr=False)  # w_0, shape (d,), public
    sigma: float  # standard deviation of every coordinate of every step's noise
    strides: np.ndarray = field(repr=False)  # eta_0..eta_{T-1}, shape (steps,)
    weights: np.ndarray = field(repr=False)  # of w_0..w_{T-1} in the average, summing to 1, shape (steps,)
    output: str
    privacy: Guarantee  # a GaussianDP, see `law`; neighbours differ in one replaced row
    loss: str = "hinge"
    grid: float = 0.0  # of sums and noise, a power of two, public; 0 if the noise is float64's

    def __post_init__(self) -> None:
        if np.ndim(self.Z) != 2 or np.shape(self.start) != np.shape(self.Z)[1:] or np.ndim(self.strides) != 1:
            raise ValueError("Z, start or strides is not of shape (n, d), (d,) and (steps,)")
        if np.ndim(self.weights) != 1:
            raise ValueError(f"weights has shape {np.shape(self.weights)}, not (steps,)")
        check_positive(width=self.width)
        check_in_range("sigma", self.sigma, 0, inf, closed=True)
        check_choice(OUTPUTS, output=self.output)
        check_choice(LOSSES, loss=self.loss)

    @property
    def steps(self) -> int:
        """T, a whole number that depends on no data."""
        return len(self.strides)

    @property
    def dimension(self) -> int:
        """The numbers in an iterate, and in a release of `NoisyGDLaw`."""
        return len(self.start)

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly: two products of the margin matrix a step."""
        return self.steps * (self.Z.size + 30 * self.Z.shape[1]) / RATE

    @property
    def _kind(self) -> Any:
        """The precision of iterates: that of the rows, but float64 on a grid, whose sums it holds."""
        return np.dtype(float) if self.grid else self.Z.dtype

    def gradients(self, W: np.ndarray) -> np.ndarray:
        """Return subgradients of the summed loss at the columns of W, shape (d, columns).

        The hinge has 0 at its kink.
        """
        W = np.asarray(W, dtype=self._kind)
        total = self._sums(W, np.empty_like(W), np.empty_like(W), self._bands(W.shape[1]))
        total /= -self.width
        return total

    def _bands(self, size: int) -> list[Band]:
        """The rows in bands that fit the cache beside their margins for `size` columns."""
        n, d = self.Z.shape
        long = size if is_sparse(self.Z) else max(d, size)
        height = min(n, max(1, BAND // (long * self.Z.dtype.itemsize)))
        margins, active = np.empty((height, size), dtype=self._kind), np.empty((height, size), dtype=bool)
        # A slice of sparse rows is a copy.
        rows = [self.Z] if height == n else [self.Z[start : start + height] for start in range(0, n, height)]
        return [(band, band.T, margins[: band.shape[0]], active[: band.shape[0]]) for band in rows]

    def _weigh(self, margins: np.ndarray, active: np.ndarray) -> None:
        """Margins into what their records' rows count in the sum of gradients, in place: in [0, 1]."""
        if self.loss == "hinge":
            # Strictly below the width: at the kink the subgradient is 0.
            np.less(margins, self.width, out=active)
            margins[...] = active  # a product with booleans would not go to BLAS
            return
        margins /= -self.width
        expit(margins, out=margins)
        if self.grid:
            round_towards_zero(margins, self.Z.shape[0])

    def coefficients(self, W: np.ndarray) -> np.ndarray:
        """Return the gradient's coefficients of all records at the columns of W, shape (n, columns)."""
        margins = self.Z @ np.asarray(W, dtype=self.Z.dtype)
        self._weigh(margins, np.empty(margins.shape, dtype=bool))
        return margins

    def _sums(self, W: np.ndarray, out: np.ndarray, part: np.ndarray, bands: list[Band]) -> np.ndarray:
        """`gradients` times -width into `out`, exactly on a grid; `part` is scratch, as fresh memory is slow."""
        for i, (band, transposed, margins, active) in enumerate(bands):
            if band.dtype != W.dtype:
                band = band.astype(W.dtype)
                transposed = band.T
            multiply_into(band, W, margins)
            self._weigh(margins, active)
            multiply_into(transposed, margins, part if i else out)
            if i:
                out += part
        return out

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...], times: int) -> Callable[[np.ndarray], np.ndarray]:
        """Return a function that turns `times` sums of -width times gradients, of that shape, into noisy gradients."""
        if self.grid:
            exact = GridNoise(rng, round_up(Fraction(self.sigma) * Fraction(self.width)), self.grid, shape, times)
            return lambda sums: np.divide(exact.add(sums), -self.width, out=sums)

        def noisy(sums: np.ndarray) -> np.ndarray:
            gradient = rng.normal(scale=self.sigma, size=shape)
            gradient += np.divide(sums, -self.width, out=sums)
            return gradient

        return noisy

    def _descend(self, rng: np.random.Generator, size: int) -> Iterator[np.ndarray]:
        """Yield w_0, ..., w_T of `size` independent runs, one column each, in an array that the next step changes."""
        W = np.repeat(self.start[:, None], size, axis=1).astype(self._kind)
        noisy = self.noise(rng, W.shape, self.steps)
        alone = size == 1 and self.loss == "hinge" and sum_in_one_pass(self.Z, self.width, self.grid, self.steps)
        summed = alone or partial(self._sums, out=np.empty_like(W), part=np.empty_like(W), bands=self._bands(size))
        yield W
        for eta in self.strides.tolist():
            gradient = noisy(summed(W))
            gradient *= eta
            W -= gradient
            yield W

    def _block(self, rng: np.random.Generator, size: int) -> np.ndarray:
        release = np.zeros((len(self.start), size))
        for W, weight in zip_longest(self._descend(rng, size), self.weights.tolist()):
            if self.output == "last":
                release = W
            elif weight is not None:  # w_T is in no average
                release += weight * W
        return release.T

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases: columns of one matrix product a step, `COLUMNS` at a time.

        Rows on demand are held meanwhile, as every step reads them.
        """
        if is_on_demand(self.Z):
            # Rows on a grid have at most 20 bits a coordinate, so float32 holds them; sums of them are float64's.
            exact = SMALLEST <= self.grid <= 1 / SMALLEST
            return replace(self, Z=self.Z.hold(np.float32 if exact else float)).sample(rng, size)
        abreast = min(COLUMNS, max(1, ABREAST // self.dimension))
        with thread_count_for(self.Z.size, min(size, abreast)):
            parts = [self._block(rng, min(abreast, size - start)) for start in range(0, size, abreast)]
        return np.concatenate(parts).astype(float, copy=False)


@dataclass(frozen=True)
class IteratesLaw(NoisyGDLaw):
    """The law of all iterates w_1..w_T together; releases have shape (size, steps, d)."""

    model = None  # type: ignore[assignment]  # no predictor: what `fit` returns is all of it

    def _block(self, rng: np.random.Generator, size: int) -> np.ndarray:
        return np.stack([W.T.copy() for W in islice(self._descend(rng, size), 1, None)], axis=1)

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the exact log density, shape (size,).

        A product of Gaussians, step t centred at w_t - eta_t grad L(w_t).
        """
        iterates = np.ascontiguousarray(np.moveaxis(np.asarray(releases, dtype=float), 0, -1))  # (steps, d, size)
        total = np.zeros(iterates.shape[-1])
        W = np.repeat(self.start[:, None], len(total), axis=1)
        for eta, after in zip(self.strides, iterates, strict=True):
            standard = (after - W + eta * self.gradients(W)) / (eta * self.sigma)
            total -= (standard**2).sum(axis=0) / 2 + len(W) * (log(2 * pi) / 2 + log(eta * self.sigma))
            W = after
        return total


def noise_for(steps: int, sensitivity: float, mu: float) -> float:
    """Return the smallest float sigma found with sqrt(steps) sensitivity / sigma <= mu, checked in exact arithmetic.

    >>> noise_for(4, 1.0, 0.5)
    4.0
    """
    (steps,) = check_integer(steps=steps)
    if steps > 10**18:
        raise ValueError(f"steps must be in [1, 10^18], got {steps}")
    sensitivity, mu = check_magnitude(sensitivity=sensitivity, mu=mu)
    sigma = bounds.noise_std(steps, sensitivity, mu)
    if not isfinite(sigma):
        raise ValueError(f"mu = {mu} needs more noise than a float can hold")
    # The float formula is off by a few last bits at most, so this takes a few steps up.
    while steps * Fraction(sensitivity) ** 2 > Fraction(mu) ** 2 * Fraction(sigma) ** 2:
        sigma = nextafter(sigma, inf)
    return sigma


def step_count(steps: str | int, n: int, mu: float, d: int) -> int:
    """Return T: "printed" n^2 mu^2, "balanced" n^2 mu^2 / d, rounded up, "auto" at most `ENOUGH`; or a whole number."""
    n, d = check_integer(n=n, d=d)
    (mu,) = check_magnitude(mu=mu)
    if max(n, d) > 10**18 or mu > 1e18:
        raise ValueError(f"n, d or mu is above 10^18: n = {n}, d = {d}, mu = {mu}")
    if isinstance(steps, str):
        if steps not in ("printed", "balanced", "auto"):
            raise ValueError(f"steps must be printed, balanced, auto or an integer >= 1, got {steps!r}")
        count = bounds.printed_steps(n, mu) if steps == "printed" else bounds.balanced_steps(n, mu, d)
        return min(count, ENOUGH) if steps == "auto" else count
    (count,) = check_integer(steps=steps)
    if count > MOST:
        raise ValueError(f"steps must be at most {MOST:,}, got {short_repr(steps)}")
    return count


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP,
    width: float,
    radius: float = 1.0,
    steps: str | int = "printed",
    stride: str = "printed",
    distance: float = 1.0,
    start: ArrayLike | None = None,
    log_factor: float = 1.0,
    average: ArrayLike | None = None,
    output: str = "average",
    precision: str = "double",
    loss: str = "hinge",
    noise: str = "float",
) -> NoisyGDLaw:
    """Return the law of Algorithm 5 of wzw25: minimise the sum of hinge losses by noisy gradient descent.

    Formal guarantee: mu-GDP under replacement of one row, for every input and each of the three releases, with the mu
    of `privacy` (for an ApproxDP the largest that implies it). Rows are clipped to `radius` and labels read here,
    sigma is computed from the whole number of steps, and nothing but n and d enters the step count and the step sizes.
    With `noise` "exact" it holds for the bits released, with "float" over the reals (see the top of this file).

    X: (n, d); y: (n,), each -1 or +1. `steps`: see `step_count`.
    `distance` is the assumed ||w_ref - w_0||, a public constant (1 for unit comparators and w_0 = 0). `stride`:
    "printed" distance / sqrt(T (n^2 Delta^2 + d sigma^2 log_factor)), where Lemma C.2 has log_factor = log(1/beta);
    "tuned" uses the hinge's gradient norm n Delta / 2; "decaying" does too and goes down linearly to 0
    (`lemmata.bounds.wzw25.last_iterate.decaying_mean`). `start`: w_0, public, 0 by default. `average`: weights of
    w_0..w_{T-1}, uniform by default. `precision`: "single" computes in float32, twice as fast and in half the memory;
    rows are shortened by 2^-22 before they are rounded, so that none is longer than `radius`. `loss`: "hinge" or
    "logistic", both with slopes of at most 1/width. Raises ValueError for anything out of range, and where exact noise
    is asked for in single precision, for more than 2^33 rows, or from a budget that needs more than 2^46 grid steps.

    >>> released = law([[0.6], [-0.6]], [1, -1], privacy=GaussianDP(2.0), width=0.5, steps=4)
    >>> released.sigma, released.sample(np.random.default_rng(0)).shape
    (4.0, (1, 1))
    """
    width, radius, distance, log_factor = check_magnitude(
        width=width, radius=radius, distance=distance, log_factor=log_factor
    )
    check_choice(OUTPUTS, output=output)
    check_choice(STRIDES, stride=stride)
    check_choice(LOSSES, loss=loss)
    check_noise(noise, precision=precision)
    if output == "iterates" and noise == "exact":
        raise ValueError("output = 'iterates' needs noise = 'float': the density of the white box is over the reals")
    mu = to_gaussian_budget(check_replacement(privacy)).mu
    X, grid = clip_and_round_rows(X, radius, noise)
    n, d = X.shape
    if loss == "logistic":
        grid *= 2.0 ** -count_coefficient_bits(n) if grid else 1.0
    Z = sign_rows(X, y, precision, in_place=True, radius=radius, width=width)
    origin = np.zeros(d) if start is None else check_finite("start", start)
    if origin.shape != (d,):
        raise ValueError(f"start must have shape ({d},), got {origin.shape}")

    T = step_count(steps, n, mu, d)
    if T > MOST:
        raise ValueError(f"steps must be at most {MOST:,}, got {short_repr(steps)}")
    sensitivity = round_up(Fraction(replacement_sensitivity(radius=Fraction(radius), width=Fraction(width))))
    sigma = noise_for(T, sensitivity, mu)
    strides = _step_sizes(stride, n * sensitivity, log_factor, steps=T, sigma=sigma, d=d, distance=distance)
    if not (isfinite(sigma) and np.all(strides > 0)):
        raise ValueError(f"mu = {mu}, width = {width}: the step sizes are outside (0, inf)")
    kind = IteratesLaw if output == "iterates" else NoisyGDLaw
    promised = GaussianDP(mu, privacy.neighbours)
    return kind(Z, width, origin, sigma, strides, _averaging_weights(average, T), output, promised, loss, grid)


def _step_sizes(stride: str, total: float, log_factor: float, **sizes: Any) -> np.ndarray:
    """The step sizes for gradients of norm `total` = n Delta, as "printed", or half of that, the hinge's own."""
    sizes["gradient_norm"] = total if stride == "printed" else total / 2
    if stride == "decaying":
        return last_iterate.decaying_strides(**sizes)
    return np.full(sizes["steps"], bounds.stride(**sizes, log_factor=log_factor))


def _averaging_weights(average: ArrayLike | None, steps: int) -> np.ndarray:
    """Weights of w_0, ..., w_{T-1} that add up to 1: uniform, or in proportion to `average`.

    >>> _averaging_weights([1.0, 3.0], 2)
    array([0.25, 0.75])
    """
    weights = np.full(steps, 1 / steps) if average is None else check_finite("average", average)
    if weights.shape != (steps,) or not np.all(weights >= 0) or not 0 < weights.sum() < inf:
        raise ValueError(f"average must have shape ({steps},) and weights >= 0, not all 0, got shape {weights.shape}")
    return weights / weights.sum()
