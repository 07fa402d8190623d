"""Noisy gradient descent over a Euclidean ball: the constrained learner that abgmu22 builds on.

    w_{t+1} = Proj_B(w_t - eta (grad L(w_t) + xi_t)),   xi_t ~ N(0, sigma^2 I_d),   t = 0, ..., T - 1,   w_0 = 0

for the *mean* L of a generalised linear loss over n records, B the ball of radius `norm_bound`; released is the average
of w_0..w_{T-1}. The paper names stochastic gradients on batches and prints no algorithm in the text at hand; this is
its full-batch form, whose T steps compose exactly. No record's gradient is longer than G = radius slope_bound on the
ball, so sigma = 2 G sqrt(T) / (n mu). Privacy holds for non-convex losses too; convexity matters for utility alone.

`noise`: "float" draws xi_t in float64, for experiments. "exact", for releases, rounds the rows once to a
public grid and the slopes, over their bound, to multiples of 2^-q, and adds a rounded Gaussian to their exact sums
(`lemmata.mechanisms.noise.grid_sums`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from math import log, pi

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.abgmu22 import baselines
from lemmata.mechanisms.law import LinearLaw, check_replacement
from lemmata.mechanisms.learners.descent.noisy_gd import RATE, noise_for, step_count
from lemmata.mechanisms.learners.glm.glm_losses import Records, records
from lemmata.mechanisms.noise.grid_sums import GridNoise, check_noise, count_coefficient_bits, prepare_rows
from lemmata.mechanisms.numerics.arguments import check_choice, check_magnitude, quiet
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, to_gaussian_budget

OUTPUTS = ("average", "points")
ABREAST = 256  # runs at a time
SAFE = 1 + 1e-12  # relative: what the float arithmetic of a sensitivity may be off by


def project(W: np.ndarray, norm_bound: float) -> np.ndarray:
    """Return the nearest points of the ball to the rows of W.

    >>> project(np.array([[3.0, 4.0], [0.1, 0.0]]), 1.0).tolist()
    [[0.6, 0.8], [0.1, 0.0]]
    """
    return W * (norm_bound / np.maximum(np.linalg.norm(W, axis=1, keepdims=True), norm_bound))


@dataclass(frozen=True)
class BallGDLaw(LinearLaw):
    """The law of the averaged iterate on one dataset; releases have shape (size, d) and norm at most `norm_bound`."""

    data: Records = field(repr=False)
    norm_bound: float
    steps: int
    sigma: float  # standard deviation of every coordinate of every step's noise
    stride: float
    privacy: GaussianDP  # neighbours differ in one replaced record
    grid: float = 0.0  # of the rows, a power of two, public; 0 if the noise is float64's

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly."""
        return self.steps * (2 * self.data.X.size + 30 * self.data.X.shape[1]) / RATE

    def _noisy_gradients(self, rng: np.random.Generator, shape: tuple[int, int]) -> Callable[[np.ndarray], np.ndarray]:
        """W -> grad L(W) + xi, `steps` times."""
        if not self.grid:
            return lambda W: self.data.mean_gradients(W) + rng.normal(scale=self.sigma, size=shape)
        n, most = len(self.data.X), self.data.slope_bound(self.norm_bound)
        places = 2.0 ** count_coefficient_bits(n)
        sigma = noise_for(self.steps, 2 * self.data.radius, self.privacy.mu)  # of the sum of rows with slopes / most
        noise = GridNoise(rng, sigma, self.grid / places, shape, self.steps)

        def noisy(W: np.ndarray) -> np.ndarray:
            # Clipped after the division: a slope beyond its bound by a last bit would move the sum by more than 1.
            share = np.clip(self.data.link.slope(W @ self.data.X.T, self.data.y) / most, -1.0, 1.0)
            return noise.add((np.rint(share * places) / places) @ self.data.X) * (most / n)

        return noisy

    def _descend(self, rng: np.random.Generator, size: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (w_t, the point before projection that led to it), t = 0, ..., T, for `size` independent runs."""
        W = point = np.zeros((size, self.data.X.shape[1]))
        noisy = self._noisy_gradients(rng, W.shape)
        for _ in range(self.steps):
            yield W, point
            point = W - self.stride * noisy(W)
            W = project(point, self.norm_bound)
        yield W, point

    def _block(self, rng: np.random.Generator, size: int) -> np.ndarray:
        total = np.zeros((size, self.data.X.shape[1]))
        for W, _ in islice(self._descend(rng, size), self.steps):
            total += W / self.steps
        return total

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, `ABREAST` runs at a time."""
        return np.concatenate([self._block(rng, min(ABREAST, size - i)) for i in range(0, size, ABREAST)])


@dataclass(frozen=True)
class PointsLaw(BallGDLaw):
    """The law of all points before projection, shape (size, steps, d): what the privacy analysis gives away."""

    model = None  # type: ignore[assignment]  # no predictor: what `fit` returns is all of it

    def _block(self, rng: np.random.Generator, size: int) -> np.ndarray:
        return np.stack([point for _, point in islice(self._descend(rng, size), 1, None)], axis=1)

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the exact log density, shape (size,): step t is Gaussian around w_t - eta grad L(w_t)."""
        points = np.asarray(releases, dtype=float)
        W, total = np.zeros((len(points), points.shape[2])), np.zeros(len(points))
        for step in range(self.steps):
            standard = (points[:, step] - W) / (self.stride * self.sigma) + self.data.mean_gradients(W) / self.sigma
            total -= (standard**2).sum(axis=1) / 2 + W.shape[1] * (log(2 * pi) / 2 + log(self.stride * self.sigma))
            W = project(points[:, step], self.norm_bound)
        return total


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP,
    loss: str,
    norm_bound: float,
    radius: float = 1.0,
    label_bound: float | None = None,
    steps: str | int = "balanced",
    output: str = "average",
    noise: str = "float",
) -> BallGDLaw:
    """Minimise the mean loss over the ball of radius `norm_bound` by noisy projected gradient descent.

    Formal guarantee: mu-GDP under replacement of one record, for every input and both releases, with the mu of
    `privacy` (for an ApproxDP the largest that implies it). Rows are clipped to `radius` and labels to what
    `label_bound` allows (`glm_losses.records`), sigma belongs to the whole number of steps, and nothing but n and d
    enters the steps. With `noise` "exact" it holds for the bits released, with "float" over the reals.

    X: (n, d); y: (n,). `steps`: "balanced" n^2 mu^2 / d rounded up, "printed" n^2 mu^2, or a whole number. `output`
    "points" releases every step. Raises ValueError for anything out of range.

    >>> released = law([[0.6], [-0.6]], [1, -1], privacy=GaussianDP(1.0), loss="logistic", norm_bound=2.0, steps=4)
    >>> round(released.sigma, 6), released.sample(np.random.default_rng(0)).shape
    (2.0, (1, 1))
    """
    check_choice(OUTPUTS, output=output)
    check_noise(noise)
    if output == "points" and noise == "exact":
        raise ValueError("output = 'points' needs noise = 'float': the density of the white box is over the reals")
    (norm_bound,) = check_magnitude(norm_bound=norm_bound)
    mu = to_gaussian_budget(check_replacement(privacy)).mu
    data = records(X, y, loss=loss, radius=radius, label_bound=label_bound)
    rows, grid = prepare_rows(data.X, data.radius, noise)
    data, (n, d) = replace(data, X=rows), rows.shape
    T = step_count(steps, n, mu, d)
    gradient = data.radius * data.slope_bound(norm_bound)
    sigma = noise_for(T, 2 * gradient / n * SAFE, mu)
    stride = baselines.ball_stride(steps=T, gradient_norm=gradient, sigma=sigma, d=d, norm_bound=norm_bound)
    kind = PointsLaw if output == "points" else BallGDLaw
    return kind(data, norm_bound, T, sigma, stride, GaussianDP(mu, privacy.neighbours), grid)
