"""Objective perturbation of Chaudhuri, Monteleoni & Sarwate (2011), Algorithm 2: noise inside the problem.

    release argmin_w ridge/2 ||w||_2^2 + (C / n) (sum_i loss(y_i <w, x_i>) + <b, w>)

with the logistic loss or Huber's, second derivative at most c (1/4 and 1). Their regularisation Lambda is 1 / C, their
Delta (ridge - 1) / C. Which b gave the release w can be read off the gradient, b(w), so the law has a density: that of
b(w) times the determinant of the Hessian. Two noises: theirs, with density proportional to exp(-epsilon' ||b||_2 / 2),
is purely private; Gaussian b has the privacy profile of Redberg, Koskela & Wang (2023), which `law` states and proves
for replaced rows.

`noise`: "float" draws b and solves in float64, for experiments: no solver ends in the minimiser, and the density
argument is about it. "exact", for releases, gives the minimiser over the real numbers for a b over the
real numbers, rounded to a public grid: digits of b are drawn (`lemmata.mechanisms.noise.lazy_reals`), and a point near
the minimiser is certified (`lemmata.mechanisms.solvers.certified_risk`), until it is proved which point of the grid is
nearest. Rounding is post-processing, so that the guarantee holds for the bits released.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import expm1, frexp, log, log1p, nextafter, pi
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from lemmata.bounds.exact.balls import exact
from lemmata.mechanisms.law import LinearLaw
from lemmata.mechanisms.learners.erm.output_perturbation import (
    FINE,
    FeatureMap,
    prepare_records,
    radial_log_density,
    radial_noise,
)
from lemmata.mechanisms.learners.erm.private_svm import ClippedMap
from lemmata.mechanisms.noise.grid_sums import check_noise, prepare_rows
from lemmata.mechanisms.noise.lazy_reals import LazyNoise, nearest_integer
from lemmata.mechanisms.numerics.arguments import check_integer, check_magnitude, quiet, resolve_generator
from lemmata.mechanisms.numerics.arithmetic import certified_delta, check_in_range
from lemmata.mechanisms.privacy import ApproxDP, PureDP, gaussian_noise_multiplier
from lemmata.mechanisms.solvers.certified_risk import Problem
from lemmata.mechanisms.solvers.perturbed_risk import MARGIN_LOSSES, minimise

SAFE = 1 - 1e-12  # relative: what the float arithmetic of the budget may be off by


@dataclass(frozen=True)
class RadialNoise:
    """The law of noise b with density proportional to exp(-rate ||b||_2)."""

    kind: ClassVar[str] = "radial"
    rate: float  # epsilon' / 2: public

    @property
    def spread(self) -> Fraction:
        """What a vector with density proportional to exp(-||b||) is multiplied by."""
        return 1 / Fraction(self.rate)

    def draw(self, rng: np.random.Generator, size: int, dimension: int) -> np.ndarray:
        """Draw `size` vectors, shape (size, dimension)."""
        return radial_noise(rng, self.rate, size, dimension)

    def log_density(self, b: np.ndarray) -> np.ndarray:
        """Return the log-density at the rows of b, shape (size,)."""
        return radial_log_density(np.linalg.norm(b, axis=1), self.rate, b.shape[1])


@dataclass(frozen=True)
class GaussianNoise:
    """The law of noise b ~ N(0, sigma^2 I)."""

    kind: ClassVar[str] = "normal"
    sigma: float  # public

    @property
    def spread(self) -> Fraction:
        """What a standard normal vector is multiplied by."""
        return Fraction(self.sigma)

    def draw(self, rng: np.random.Generator, size: int, dimension: int) -> np.ndarray:
        """Draw `size` vectors, shape (size, dimension)."""
        return resolve_generator(rng).normal(scale=self.sigma, size=(size, dimension))

    def log_density(self, b: np.ndarray) -> np.ndarray:
        """Return the log-density at the rows of b, shape (size,)."""
        return -((b / self.sigma) ** 2).sum(axis=1) / 2 - b.shape[1] * (log(2 * pi) / 2 + log(self.sigma))


def split_budget(*, epsilon: float, n: int, C: float, curvature: float) -> tuple[float, float]:
    """Return (epsilon', ridge): what the noise may spend after the Hessian, and the regularisation that leaves it half.

    One row replaced changes the log-determinant of the Hessian by at most log(1 + c C / (n ridge)), as `law` shows.
    Where that is at most epsilon / 2 the ridge stays 1; else it is c C / (n (e^(epsilon / 2) - 1)). So epsilon' never
    falls as epsilon grows, and never jumps.

    >>> split_budget(epsilon=1.0, n=1000, C=1.0, curvature=0.25)[1]
    1.0
    """
    (n,) = check_integer(n=n)
    epsilon, C, curvature = check_magnitude(epsilon=epsilon, C=C, curvature=curvature)
    ridge, cost = 1.0, log1p(curvature * C / n)
    if cost > epsilon / 2:
        # The ridge that makes the Hessian cost exactly half of epsilon, rounded up: a larger ridge costs less.
        ridge, cost = curvature * C / (n * expm1(epsilon / 2)) / SAFE, epsilon / 2
    return (epsilon - cost) * SAFE, ridge


def gaussian_split(*, epsilon: float, delta: float, n: int, C: float, curvature: float) -> tuple[float, float]:
    """Return (sigma, ridge) of Gaussian b: the Hessian costs log(1 + c C / (n ridge)), at most half of epsilon.

    sigma is the least found with delta(eps'; 2/sigma) + 2 delta(eps'; 1/sigma) <= delta, where eps' is what is left and
    delta(.; mu) the Gaussian curve; checked in balls.

    >>> gaussian_split(epsilon=1.0, delta=1e-5, n=1000, C=1.0, curvature=0.25)
    (7.462962, 1.0)
    """
    delta = check_in_range("delta", delta, 1e-300, 1)  # a certified delta is never below the smallest float
    left, ridge = split_budget(epsilon=epsilon, n=n, C=C, curvature=curvature)

    def enough(sigma: float) -> bool:
        parts = certified_delta(left, 2 / sigma), certified_delta(left, 1 / sigma)
        return Fraction(parts[0]) + 2 * Fraction(parts[1]) <= Fraction(delta)

    multiplier = gaussian_noise_multiplier(ApproxDP(left, delta))
    low = high = 2 * multiplier  # one replaced row whose slopes stay what they are
    # Up in steps of 1 % until sigma is enough; the curve falls in sigma, so this ends.
    while not enough(high := nextafter(high * (1 + 1e-9), float("inf"))):
        low, high = high, high * 1.01
    # Thirty halvings of 1 % leave a relative 1e-11; `high` is certified at every step.
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    # Noise may only grow after the certificate: some last bits, for the rounding of 2 / sigma in it.
    return high * (1 + 1e-15), ridge


@dataclass(frozen=True)
class ObjectiveLaw(LinearLaw):
    """The law of one release of objective perturbation on one dataset."""

    Z: np.ndarray = field(repr=False)  # y_i phi(x_i), shape (n, F), rows of norm at most 1; private
    C: float
    loss: str
    ridge: float
    noise: RadialNoise | GaussianNoise  # of b
    privacy: PureDP | ApproxDP
    feature_map: ClippedMap = field(repr=False)
    grid: float = 0.0  # of an exact release, a power of two, public; 0 if noise and minimiser are float64's

    @cached_property
    def _problem(self) -> Problem:
        return Problem(self.Z, ridge=self.ridge, share=Fraction(self.C) / len(self.Z), loss=self.loss)

    def _exactly(self, rng: np.random.Generator) -> np.ndarray:
        """The rounded minimiser of one draw, shape (F,)."""
        noise, scale = LazyNoise(rng, self.noise.kind, self.Z.shape[1]), exact(1 / Fraction(self.grid))
        while True:
            with ctx.workprec(noise.precision):
                b = [exact(self.noise.spread) * ball for ball in noise.balls()]
                # The cell is settled as soon as the ball around the point lies in one cell; else digits of b are drawn.
                for point, distance in self._problem.nearer(self._solved(b), b):
                    cells = [nearest_integer(scale * (one + arb(0, distance))) for one in point]
                    if None not in cells:
                        return np.array([float(one) for one in cells if one is not None]) * self.grid
            noise.refine()

    def _solved(self, b: list[arb]) -> np.ndarray:
        """A point near the minimiser in float64, shape (F,)."""
        middle = np.nan_to_num([float(one.mid()) for one in b])
        share = self.C / len(self.Z)
        return minimise(self.Z, linear=middle[None], ridge=self.ridge, share=share, loss=self.loss)[0][0]

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, F), solved together, or exactly one by one."""
        if self.grid:
            return np.array([self._exactly(rng) for _ in range(size)])
        b = self.noise.draw(rng, size, self.Z.shape[1])
        return minimise(self.Z, linear=b, ridge=self.ridge, share=self.C / len(self.Z), loss=self.loss)[0]

    def perturbation(self, releases: ArrayLike) -> np.ndarray:
        """Return b(w): the linear term whose minimiser is w, shape (size, F)."""
        W = np.atleast_2d(releases)
        slopes = MARGIN_LOSSES[self.loss].slope(W @ self.Z.T)
        return -(len(self.Z) * self.ridge / self.C) * W - slopes @ self.Z

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the exact log-density of releases, shape (size,): that of b(w), and |det db/dw|."""
        W = np.atleast_2d(releases)
        second = MARGIN_LOSSES[self.loss].second(W @ self.Z.T)
        hessian = np.einsum("bn,nf,ng->bfg", second, self.Z, self.Z, optimize=True)
        hessian = hessian + len(self.Z) * self.ridge / self.C * np.eye(self.Z.shape[1])
        return self.noise.log_density(self.perturbation(W)) + np.linalg.slogdet(hessian)[1]


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: PureDP | ApproxDP,
    C: float,
    loss: str = "logistic",
    feature_map: FeatureMap | None = None,
    noise: str = "float",
) -> ObjectiveLaw:
    """Return the law of the minimiser of a randomly tilted objective.

    Radial noise for a PureDP, Gaussian for an ApproxDP.

    Formal guarantee: `privacy`, under replacement of one row, for every input. Let z be the row that becomes z', tau =
    n ridge / C. (1) A row adds one rank-one term of at most c to a Hessian of at least tau, so the two determinants
    differ by a factor of at most 1 + c / tau, which costs J, its logarithm, once: each is at least that of the rows
    that stay, and at most 1 + c / tau times it. Pure: with features of norm at most 1 and slopes at most 1 a replaced
    row moves b(w) by at most 2, which costs epsilon' (`split_budget`; `lemmata.bounds.rbht09.private_svm`).
    Approximate: (2) b'(w) - b(w) = s z - s' z' with slopes s, s' in [0, 1] up to one common sign, since a margin loss
    falls. The log-ratio of N(0, sigma^2 I) at b and b + v is (2 <b, v> + ||v||^2) / (2 sigma^2), convex in v, so it is
    largest at s, s' in {0, 1}: at v = 0 or at one of three fixed vectors of lengths at most 1, 1 and 2. (3) delta is
    the mean over b of (1 - e^(epsilon - L))_+, and L is at most J plus the largest of the four; (.)_+ of a largest is
    at most a sum, and each summand is the Gaussian curve: delta(epsilon - J; 2/sigma) + 2 delta(epsilon - J; 1/sigma).
    (`gaussian_split`.) Redberg, Koskela & Wang have the curve for one row more, twice, for slopes of any sign.
    Enforced here: features are clipped to norm 1. Assumed: `feature_map`, C and n are public. With `noise` "exact" it
    holds for the bits released. With "float" it is over the reals: our solver's last digits and the float64 noise are
    not hardened, and its best point is released, whatever it is. Huber's second derivative jumps, on a set of releases
    of probability 0.

    >>> released = law([[1.0], [-1.0]], [1, -1], privacy=PureDP(2.0), C=1.0)
    >>> released.sample(np.random.default_rng(0), 5).shape, released.ridge
    ((5, 1), 1.0)
    """
    phi, Z, C = prepare_records(X, y, privacy, C, loss, feature_map, (PureDP, ApproxDP))
    check_noise(noise)
    Z, grid = prepare_rows(Z, 1.0, noise)
    sizes: Any = {"n": len(Z), "C": C, "curvature": MARGIN_LOSSES[loss].curvature}
    if isinstance(privacy, PureDP):
        spent, ridge = split_budget(epsilon=privacy.epsilon, **sizes)
        tilt: RadialNoise | GaussianNoise = RadialNoise(spent / 2)
    else:
        sigma, ridge = gaussian_split(epsilon=privacy.epsilon, delta=privacy.delta, **sizes)
        tilt = GaussianNoise(sigma)
    if grid:
        grid = 2.0 ** (frexp(max(C / len(Z) / ridge * float(tilt.spread), C * 2.0**-30))[1] - FINE)
    return ObjectiveLaw(Z, C, loss, ridge, tilt, privacy, phi, grid)
