"""Laplace noise that is private in floating point, and the textbook sampler, which is not.

The theorem adds z_j with density exp(-|z| / scale) / (2 scale) over the real numbers. In float64, `centre +
rng.laplace(scale)` can only take about 2^53 values, and *which* ones depends on the low bits of the centre: some
outputs are possible for one dataset and impossible for its neighbour, whatever epsilon says (Mironov 2012).

    FloatLaplace    the textbook sampler: the law of the theorem, for studying it; leaks low bits
    GridLaplace     the centre is rounded to a public grid and the noise is a whole number of grid steps, drawn
                    exactly: nothing but the noise separates two datasets

Rounding to a grid of step g moves the L1 distance of two centres in R^F by at most F g; `grid_for` adds that to
the sensitivity. `reachable` is the attack that tells the two samplers apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, exp, floor, frexp, inf, log, nextafter, ulp

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from lemmata.mechanisms.numerics.arguments import (
    check_integer,
    check_positive,
    check_vector,
    resolve_generator,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range
from lemmata.mechanisms.numerics.entropy import draw_words
from lemmata.mechanisms.numerics.proved_floats import minus_log

STEPS = 2**20  # grid steps in one noise scale, at least
MOST = 2**40  # grid steps in one noise scale, at most: noise of it is exact in float64
BLOCK = 2**13  # numbers drawn at a time: they stay in the first cache
SECOND_ZERO = -(2**63)


def laplace_shape(size: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that `size` means. Raises ValueError for a length that is not a whole number below 2^31."""
    shape = size if isinstance(size, tuple) else (size,)
    for length in shape:
        if not 0 <= check_in_range("size", length, 0, 2**31, closed=True) == int(length):
            raise ValueError(f"size must be an integer >= 0, got {length}")
    return tuple(int(length) for length in shape)


def discrete_laplace(rng: np.random.Generator, steps: int, size: int | tuple[int, ...]) -> np.ndarray:
    """Draw whole numbers with Pr(K = k) = tanh(1 / (2 steps)) exp(-|k| / steps), exactly; `steps` a whole number.

    |K| = floor(-steps log U) for a uniform U has Pr(|K| >= k) = exp(-k / steps); then a sign, and no second zero. Of U
    63 binary digits are drawn at first, and the logarithm is taken in float64. Where that does not prove the whole
    number, as many more digits are drawn as it takes in ball arithmetic (`decide_grid_point`).
    """
    rng = resolve_generator(rng)
    (steps,) = check_integer(MOST, steps=steps)
    out = np.empty(laplace_shape(size), dtype=np.int64)
    flat = out.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        block = flat[start : start + BLOCK]
        block[:] = _signed(rng, steps, block.size)
        while (again := np.flatnonzero(block == SECOND_ZERO)).size:
            block[again] = _signed(rng, steps, again.size)
    return out


def _signed(rng: np.random.Generator, steps: int, size: int) -> np.ndarray:
    """`size` signed whole numbers; a zero with the sign minus is `SECOND_ZERO`, to be drawn again.

    Let j be the 63 digits of U. If j >= 2^48, then -log U is below 10.4, and -log(j / 2^63) in float64 differs from it
    by less than 2^-45: 2^-48 for the digits not drawn, 2^-53 for the rounding of j, 2^-46, proved, for the logarithm
    (`lemmata.mechanisms.numerics.proved_floats`), and 2^-49 for the product with `steps`.
    """
    drawn = draw_words(rng, size)
    digits = drawn & (2**63 - 1)
    product = digits.astype(float)
    product *= 2.0**-63
    np.maximum(product, 2.0**-16, out=product)
    product = minus_log(product)
    product *= steps
    whole_part = np.floor(product)
    product -= whole_part
    slack = min(0.5, steps * 2.0**-45)
    doubtful = np.abs(product - 0.5) >= 0.5 - slack
    doubtful |= digits < 2**48
    magnitudes = whole_part.astype(np.int64)
    for i in np.flatnonzero(doubtful):
        magnitudes[i] = decide_grid_point(rng, int(digits[i]), steps)
    minus = drawn >> 63  # -1 for the sign minus, else 0
    signed = (magnitudes ^ minus) - minus
    signed[(magnitudes == 0) & (minus < 0)] = SECOND_ZERO
    return signed


def decide_grid_point(rng: np.random.Generator, digits: int, steps: int) -> int:
    """Return floor(-steps log U) of a U that begins with 63 binary `digits`.

    Further digits are drawn until it is proved.
    """
    drawn = 63
    while True:
        with ctx.workprec(drawn + 64):
            ends = [digits + 1, digits] if digits else []
            logs = [-steps * (arb(end) / arb(2) ** drawn).log() for end in ends]
            low, high = (value.floor().unique_fmpz() for value in logs) if logs else (None, None)
        if low is not None and low == high:
            return int(low)
        digits, drawn = digits * 2**32 + int(rng.integers(2**32)), drawn + 32


def grid_for(sensitivity: float, epsilon: float, dimension: int) -> tuple[float, int]:
    """Return (grid, steps): a power of two and a whole number, so that noise of scale grid * steps gives epsilon-DP.

    Two centres at L1 distance at most `sensitivity` round to whole numbers at distance at most
    sensitivity / grid + dimension, and steps * epsilon is at least that. The grid is so fine that the noise grows
    by about a millionth.

    >>> grid, steps = grid_for(2.0, 1.0, 3)
    >>> grid == 2.0**-21, bool(2.0 + 3 * grid <= grid * steps <= 2.00001)
    (True, True)
    """
    sensitivity, epsilon = check_positive(sensitivity=sensitivity, epsilon=epsilon)
    (dimension,) = check_integer(MOST, dimension=dimension)
    scale = sensitivity / epsilon
    if not 1e-250 < min(scale, sensitivity) <= max(scale, sensitivity) < 1e250:
        raise ValueError(f"noise must be in [1e-250, 1e250], got sensitivity = {sensitivity}, epsilon = {epsilon}")
    fine = max(min(scale, sensitivity) / (STEPS * dimension), 4 * scale / MOST)
    grid = 2.0 ** (frexp(fine)[1] - 1)  # the power of two just below `fine`
    steps = ceil(nextafter((sensitivity / grid + dimension) / epsilon * (1 + 1e-15), inf))
    if steps > MOST:
        raise ValueError(f"epsilon = {epsilon} is too small for {dimension} coordinates on a grid")
    return grid, steps


@dataclass(frozen=True)
class FloatLaplace:
    """The law of centre + iid Laplace(0, scale), sampled in float64: the theorem's law, with leaking low bits."""

    centre: np.ndarray = field(repr=False)  # shape (F,); private
    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", check_vector("centre", self.centre))
        object.__setattr__(self, "scale", check_positive(scale=self.scale)[0])

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` releases, shape (size, F)."""
        noise = rng.laplace(0.0, self.scale, (size, self.centre.size))
        return self.centre + noise  # two statements: no fused multiply-add may hide what is studied

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return -||t - centre||_1 / scale - F log(2 scale), shape (size,)."""
        distance = np.abs(np.atleast_2d(releases) - self.centre).sum(axis=-1)
        return -distance / self.scale - self.centre.size * np.log(2 * self.scale)


@dataclass(frozen=True)
class GridCentre:
    """A centre that is rounded to a grid, and the noise around it in steps of that grid."""

    centre: np.ndarray = field(repr=False)  # shape (F,); private
    grid: float  # a power of two, public
    steps: int  # scale or standard deviation / grid, a whole number, public

    @property
    def point(self) -> np.ndarray:
        """The centre in whole grid steps, shape (F,); private."""
        return np.rint(self.centre / self.grid).astype(np.int64)


@dataclass(frozen=True)
class GridLaplace(GridCentre):
    """The law of grid * (round(centre / grid) + K), K iid discrete Laplace of `steps` grid steps: safe in floats.

    Pr(release) = prod_j tanh(1 / (2 steps)) exp(-|k_j| / steps), so for two centres the log-ratio is at most
    ||round(a / grid) - round(b / grid)||_1 / steps, exactly. Turning the whole number into a float64 afterwards is
    post-processing.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", check_vector("centre", self.centre))
        object.__setattr__(self, "grid", check_positive(grid=self.grid)[0])
        object.__setattr__(self, "steps", check_integer(MOST, steps=self.steps)[0])
        if frexp(self.grid)[0] != 0.5:
            raise ValueError(f"grid must be a power of two, got {self.grid}")
        if not np.all(np.abs(self.centre) < self.grid * 2.0**52):
            raise ValueError(f"grid = {self.grid} is too fine for the centre's range")

    @property
    def scale(self) -> float:
        """The scale of the noise."""
        return self.grid * self.steps

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` releases, shape (size, F), all multiples of `grid`."""
        return (self.point + discrete_laplace(rng, self.steps, (size, self.centre.size))) * self.grid

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probability of each release, shape (size,): -inf off the grid."""
        places = np.atleast_2d(releases) / self.grid
        distance = np.abs(places - self.point).sum(axis=-1)
        mass = -distance / self.steps + self.centre.size * np.log(np.tanh(0.5 / self.steps))
        return np.where(np.all(places == np.rint(places), axis=-1), mass, -inf)


def _noise(k: int, scale: float) -> float:
    """What `rng.laplace(0, scale)` returns for the uniform k / 2^53 (numpy's inversion, the C library's log)."""
    u = k * 2.0**-53
    return 0.0 - scale * log(2.0 - u - u) if u >= 0.5 else 0.0 + scale * log(u + u)


def reachable(y: float, centre: float, scale: float, margin: int = 4) -> bool:
    """Return whether `centre + rng.laplace(0, scale)` can be exactly `y` for some of 2^53 uniforms, a bit-level attack.

    Only uniforms whose noise lies within the rounding of the sum are tried, and `margin` more on either side for the
    rounding of the logarithm. Scalars in, bool out.
    """
    y, centre = check_in_range("y", y, -inf, inf), check_in_range("centre", centre, -inf, inf)
    (scale,) = check_positive(scale=scale)
    check_in_range("margin", margin, 0, 1e6, closed=True)
    margin = int(margin)
    x = y - centre
    tail = exp(-abs(x) / scale)
    u = 1 - tail / 2 if x > 0 else tail / 2
    window = min(ceil((ulp(y) + ulp(x)) / scale * tail * 2.0**52) + margin, 100_000)
    middle = floor(u * 2.0**53)
    candidates = range(max(1, middle - window), min(2**53 - 1, middle + window + 1) + 1)
    return any(centre + _noise(k, scale) == y for k in candidates)
