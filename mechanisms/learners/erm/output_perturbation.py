"""Output perturbation of Chaudhuri, Monteleoni & Sarwate (2011), Algorithm 1: noise whose length is a gamma variable.

    w(D) = argmin_w 1/2 ||w||_2^2 + (C / n) sum_i loss(y_i <w, x_i>),    release w(D) + b

where b has density proportional to exp(-rate ||b||_2), with the logistic loss or Huber's. Their regularisation Lambda
is 1 / C. A baseline beside `lemmata.mechanisms.learners.erm.private_svm`, whose Laplace noise is calibrated to the L1
sensitivity: here it is L2, and no factor sqrt(F) enters the calibration.

`noise`: "float" draws b in float64, for experiments. "exact", for releases, gives w(D) + b over the real
numbers, rounded to a public grid (`lemmata.mechanisms.noise.lazy_reals`). In both w(D) is a float that is certified to
be as near to the minimiser as is charged for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import frexp, lgamma, log, pi

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import LinearLaw
from lemmata.mechanisms.learners.erm.private_svm import LARGEST, ClippedMap
from lemmata.mechanisms.noise.grid_sums import check_noise, prepare_rows
from lemmata.mechanisms.noise.lazy_reals import draw_rounded
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_integer,
    check_magnitude,
    quiet,
    read_labels,
    resolve_generator,
)
from lemmata.mechanisms.numerics.arithmetic import round_down, round_up, short_repr
from lemmata.mechanisms.numerics.sparse_rows import dense_rows
from lemmata.mechanisms.privacy import Guarantee, PureDP
from lemmata.mechanisms.solvers.certified_risk import Problem
from lemmata.mechanisms.solvers.perturbed_risk import MARGIN_LOSSES, minimise

FINE = 20  # binary places of the noise's scale that an exact release has
FeatureMap = Callable[[np.ndarray], np.ndarray]


def radial_noise(rng: np.random.Generator, rate: float, size: int, dimension: int) -> np.ndarray:
    """Draw `size` vectors in R^dimension with density proportional to exp(-rate ||b||_2).

    A direction, and a gamma length.

    >>> radial_noise(np.random.default_rng(0), 2.0, 3, 2).shape
    (3, 2)
    """
    rng = resolve_generator(rng)
    (rate,) = check_magnitude(rate=rate)
    size, dimension = check_integer(size=size, dimension=dimension)
    if size * dimension > 2**32:
        raise ValueError(f"size = {size}, dimension = {dimension}: more than 2^32 numbers")
    direction = rng.standard_normal((size, dimension))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return direction * rng.gamma(dimension, 1 / rate, (size, 1))


def radial_log_density(lengths: np.ndarray, rate: float, dimension: int) -> np.ndarray:
    """Return the log-density of `radial_noise` at vectors of these Euclidean lengths."""
    sphere = log(2) + dimension / 2 * log(pi) - lgamma(dimension / 2)  # log of the area of the unit sphere
    return dimension * log(rate) - sphere - lgamma(dimension) - rate * lengths


@dataclass(frozen=True)
class OutputLaw(LinearLaw):
    """The law of one release of output perturbation on one dataset."""

    weights: np.ndarray = field(repr=False)  # the minimiser, shape (F,); private
    rate: float  # of the noise, epsilon over the L2 sensitivity: public
    privacy: PureDP
    feature_map: ClippedMap = field(repr=False)
    grid: float = 0.0  # of an exact release, a power of two, public; 0 if the noise is float64's

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, F); the problem was solved once."""
        if self.grid:
            spread = round_up(1 / Fraction(self.rate))
            return np.array([draw_rounded(rng, self.weights, spread, self.grid, "radial") for _ in range(size)])
        return self.weights + radial_noise(rng, self.rate, size, len(self.weights))

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the exact log-density of releases before they are rounded, shape (size,)."""
        lengths = np.linalg.norm(np.atleast_2d(releases) - self.weights, axis=1)
        return radial_log_density(lengths, self.rate, len(self.weights))


def prepare_records(
    X: ArrayLike,
    y: ArrayLike,
    privacy: Guarantee,
    C: float,
    loss: str,
    feature_map: FeatureMap | None,
    kinds: tuple[type, ...] = (PureDP,),
) -> tuple[ClippedMap, np.ndarray, float]:
    """Return (feature map clipped to norm 1, rows y_i phi(x_i), C), everything checked.

    Both perturbations start here.
    """
    (C,) = check_magnitude(C=C)
    if C > LARGEST:
        raise ValueError(f"C must be in (0, {LARGEST:g}], got {C}: beyond it float64 cannot solve")
    check_choice(tuple(MARGIN_LOSSES), loss=loss)
    if not (isinstance(privacy, kinds) and privacy.neighbours in ("replace", "label")):
        called = " or ".join(kind.__name__ for kind in kinds)
        raise ValueError(f"privacy must be a {called} for replaced rows or labels, got {short_repr(privacy)}")
    if not (feature_map is None or callable(feature_map)):
        raise ValueError(f"feature_map must be a function or None, got {type(feature_map).__name__}")
    phi = ClippedMap(feature_map, 1.0)
    V = dense_rows(phi(X))
    return phi, read_labels(y, len(V))[:, None] * V, C


def tolerance(C: float, n: int = 1, F: int = 1) -> float:
    """Return how far a solution may be from the exact minimiser.

    It is public, 1e-9 (1 + C) or what float64 leaves open if more.

    The float certificate is a gradient, known to 4 (n + F) roundings of ||w|| + C <= 2 C; half as much is left for
    itself. Any number would do: what float64 cannot prove is proved in balls.
    """
    return max(1e-9 * (1 + C), 12 * float(np.finfo(float).eps) * (n + F) * C)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: PureDP,
    C: float,
    loss: str = "logistic",
    feature_map: FeatureMap | None = None,
    noise: str = "float",
) -> OutputLaw:
    """Solve once, release the weights under noise with density proportional to exp(-rate ||b||_2).

    Formal guarantee: `privacy`, a PureDP under replacement of one row, for every input: the minimiser of a 1-strongly
    convex objective with slopes at most 1 and features of norm at most 1 moves by at most 2 C / n in L2, and the
    log-density is `rate`-Lipschitz. Enforced here: features are clipped to norm 1, and rate = epsilon over 2 C / n plus
    what the solver may miss on two datasets (`tolerance`, public); its point is proved to be as near, or improved in
    ball arithmetic until it is, which ends on all rows (`lemmata.mechanisms.solvers.certified_risk`).
    Assumed: `feature_map`, C and n are public. With `noise` "exact" it holds for the bits released, with "float" over
    the reals (`lemmata.mechanisms.noise.laplace` says what that leaks). Raises ValueError for bad input.

    >>> released = law([[1.0], [-1.0]], [1, -1], privacy=PureDP(2.0), C=1.0)
    >>> round(released.rate, 6), released.sample(np.random.default_rng(0)).shape
    (2.0, (1, 1))
    """
    phi, Z, C = prepare_records(X, y, privacy, C, loss, feature_map)
    check_noise(noise)
    Z, grid = prepare_rows(Z, 1.0, noise)
    n, F = Z.shape
    (weights,), _ = minimise(Z, linear=np.zeros((1, F)), ridge=1.0, share=C / n, loss=loss)
    sensitivity = round_up(2 * Fraction(C) / n + 2 * Fraction(tolerance(C, n, F)))  # L2, one row replaced
    rate = round_down(Fraction(privacy.epsilon) / Fraction(sensitivity))
    weights = Problem(Z, ridge=1.0, share=Fraction(C) / n, loss=loss).near(weights, tolerance(C, n, F))
    if grid:
        (rate,) = check_magnitude(rate=rate)
        grid = 2.0 ** (frexp(max(1 / rate, C * 2.0**-30))[1] - FINE)
    return OutputLaw(weights, rate, privacy, phi, grid)
