"""The private perceptron: in each round, the noisy average of the records on the wrong side.

    w_{t+1} = w_t + (sum_{i : y_i <w_t, x_i> <= 0} y_i x_i + noise) / (their number + noise),    t = 0, ..., T - 1,

as long as the noisy number is not small: the SuLQ perceptron of Blum, Dwork, McSherry & Nissim (2005), with the exact
account of a number of rounds that is fixed beforehand. The count is free: see `law`.

`noise`: "float" for experiments; "exact" for releases: rows rounded once to a public grid, exact sums, and
Gaussians rounded to grids (`lemmata.mechanisms.noise.grid_sums`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import LinearLaw, check_replacement
from lemmata.mechanisms.learners.descent.noisy_gd import COLUMNS, noise_for
from lemmata.mechanisms.noise.grid_sums import GridNoise, check_noise, noisy_counts, prepare_rows
from lemmata.mechanisms.numerics.arguments import check_integer, check_magnitude, clip_rows, quiet, read_labels
from lemmata.mechanisms.numerics.arithmetic import round_up
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, Guarantee, to_gaussian_budget

SENSITIVITY = 2.0  # of (sum / radius, sqrt(3) count) in L2, one record replaced
COUNT = sqrt(3.0)
FLOOR = Fraction(17320508075688772, 10**16)  # below sqrt(3)
FEW = 0.5  # of the length of a sum's noise: a later round whose noisy count is below it changes nothing
MOST = 10**6  # rounds
ROUNDS = 30  # of `default_rounds` at most


@dataclass(frozen=True)
class PerceptronLaw(LinearLaw):
    """The law of the last weights on one dataset; releases have shape (size, d)."""

    Z: np.ndarray = field(repr=False)  # y_i x_i / radius, shape (n, d), rows of norm at most 1; private
    rounds: int
    sigma: float  # standard deviation of the noise of every coordinate of a sum; a count has sigma / sqrt(3)
    privacy: Guarantee  # a GaussianDP; neighbours differ in one replaced record
    grid: float = 0.0  # of the rows, a power of two, public; 0 if the noise is float64's

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases: columns of one matrix product a round, `COLUMNS` at a time."""
        return np.concatenate([self._block(rng, min(COLUMNS, size - start)) for start in range(0, size, COLUMNS)])

    def _block(self, rng: np.random.Generator, size: int) -> np.ndarray:
        W = np.zeros((self.Z.shape[1], size))
        # Public, of sigma and d alone: dividing by a smaller count would blow up the noise of the sum.
        least = max(1.0, self.sigma * max(1.0, FEW * sqrt(len(W))))
        noise = GridNoise(rng, self.sigma, self.grid, W.shape, self.rounds) if self.grid else None
        # The noise of a count, sigma / sqrt(3), rounded up: it is divided by a number below sqrt(3).
        narrow = round_up(Fraction(self.sigma) / FLOOR)
        for t in range(self.rounds):
            wrong = (self.Z @ W <= 0).astype(float)
            total, count = self.Z.T @ wrong, wrong.sum(axis=0)
            if noise is not None:
                total, count = noise.add(total), noisy_counts(rng, count, narrow)
            else:
                total = total + rng.normal(scale=self.sigma, size=W.shape)
                count = count + rng.normal(scale=self.sigma / COUNT, size=size)
            W += np.where((count >= least) | (t == 0), total / np.maximum(count, least), 0.0)  # at w = 0 all are wrong
        return W.T


def default_rounds(n: int, d: int, *, mu: float) -> int:
    """Return T: as many rounds as leave the noise of a sum shorter than a third of n, at least 1 and at most `ROUNDS`.

    >>> default_rounds(1000, 50, mu=0.27), default_rounds(100, 50, mu=0.27)
    (30, 1)
    """
    n, d = check_integer(n=n, d=d)
    (mu,) = check_magnitude(mu=mu)
    return int(min(ROUNDS, max(1.0, np.ceil(min(float(n) * mu, 1e100) ** 2 / 36 / float(d)))))


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP,
    rounds: int | None = None,
    radius: float = 1.0,
    noise: str = "float",
) -> PerceptronLaw:
    """Return the law of the SuLQ perceptron with a fixed number of rounds, `default_rounds` if it is left out.

    Formal guarantee: mu-GDP under replacement of one record, for every input, with the mu of `privacy` (for an
    ApproxDP the largest that implies it). Proof: given w_t, a record adds (u, sqrt 3), |u| <= 1, or nothing to
    (sum / radius, sqrt 3 count). Replacing it moves that vector by at most 2 where both records count, since the count
    then stands still, by at most sqrt(1 + 3) = 2 where one of them does, and not at all otherwise: the sensitivity is
    that of the sum alone. So a round is 2/sigma-GDP, and T of them, each knowing the ones before, compose exactly to
    2 sqrt(T) / sigma. Weights, divisions and what counts as small are functions of the noisy answers and of d. Enforced
    here: rows are clipped to `radius`, and T is public. With `noise` "exact" it holds for the bits released, with
    "float" over the reals.

    >>> released = law([[0.6], [-0.6]], [1, -1], privacy=GaussianDP(2.0), rounds=4)
    >>> released.sigma, released.sample(np.random.default_rng(0), 3).shape
    (2.0, (3, 1))
    """
    mu = to_gaussian_budget(check_replacement(privacy)).mu
    (radius,) = check_magnitude(radius=radius)
    check_noise(noise)
    X = clip_rows(X, radius)
    (rounds,) = check_integer(MOST, rounds=default_rounds(*X.shape, mu=mu) if rounds is None else rounds)
    Z, grid = prepare_rows(read_labels(y, len(X))[:, None] * (X / radius), 1.0, noise)
    sigma = noise_for(rounds, SENSITIVITY, mu)
    return PerceptronLaw(Z, rounds, sigma, GaussianDP(mu, privacy.neighbours), grid)
