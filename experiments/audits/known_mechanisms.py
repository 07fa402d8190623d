"""Mechanisms whose privacy is known exactly, and laws that no simple statistic tells apart: what to try an auditor on.

A `Known` is a pair of neighbouring datasets' releases, what is claimed of them, and `caught`: for a correct mechanism
the fraction of its exact epsilon or mu at which a claim is REFUTED with 20,000 releases; for a broken one None, the
claim itself being REFUTED. Published mistakes, without a pair of datasets, are in `corpus`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, log1p
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.stats import expon, gumbel_r, laplace

from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP

Sampler = Callable[[np.random.Generator, int], Any]


@dataclass(frozen=True)
class Known:
    """Releases on two neighbouring datasets, the claim that is exactly true of them (or not at all), and see above."""

    a: Sampler
    b: Sampler
    claim: Any
    caught: float | None = None


# Noise that is added --------------------------------------------------------------------------------------------------


def added(centre: Any, draw: Callable) -> Sampler:
    """`centre` plus noise `draw(rng, shape)` in every coordinate."""
    centre = np.atleast_1d(np.asarray(centre, dtype=float))
    return lambda rng, size: centre + draw(rng, (size, len(centre)))


def laplace_noise(scale: float) -> Callable:
    """Independent Laplace noise."""
    return lambda rng, shape: rng.laplace(scale=scale, size=shape)


def geometric_noise(epsilon: float) -> Callable:
    """Two-sided geometric noise: P(k) proportional to e^{-epsilon |k|}."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        return rng.geometric(-np.expm1(-epsilon), shape) - rng.geometric(-np.expm1(-epsilon), shape)

    return draw


def subsampled(value: float, q: float, epsilon: float) -> Sampler:
    """A noisy count of a Poisson sample: the record is seen with probability q."""
    return lambda rng, size: value * (rng.random((size, 1)) < q) + rng.laplace(scale=1 / epsilon, size=(size, 1))


# Local reports --------------------------------------------------------------------------------------------------------


def response(value: int, categories: int, keep: float) -> Sampler:
    """Keep a category with probability `keep`, else report any other one."""

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        other = (value + rng.integers(1, categories, size)) % categories
        return np.where(rng.random(size) < keep, value, other)

    return sample


def rappor(value: int, bits: int, f: float) -> Sampler:
    """One-hot bits, each replaced by a fair coin with probability f."""

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        hot = np.arange(bits) == value
        return np.where(rng.random((size, bits)) < f, rng.random((size, bits)) < 0.5, hot).astype(int)

    return sample


# Selection ------------------------------------------------------------------------------------------------------------


def noisy_max(scores: list[float], noise: Any) -> Sampler:
    """The index of the largest noisy score."""
    return lambda rng, size: np.argmax(scores + noise.rvs(size=(size, len(scores)), random_state=rng), axis=1)


def probabilities(scores: list[float], noise: Any) -> np.ndarray:
    """P(index i is reported), by quadrature."""

    def share(i: int) -> float:
        def density(x: float) -> float:
            others = [noise.cdf(x - s) for j, s in enumerate(scores) if j != i]
            return noise.pdf(x - scores[i]) * np.prod(others)

        return sum(quad(density, *ends, limit=200)[0] for ends in ((-40, 0), (0, 1), (1, 2), (2, 60)))

    return np.array([share(i) for i in range(len(scores))])


def selection(noise: Any, caught: float) -> Known:
    """Report noisy max on scores that all move by 1, and the exact epsilon of this pair."""
    one, other = [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]
    epsilon = float(np.abs(np.log(probabilities(one, noise) / probabilities(other, noise))).max())
    return Known(noisy_max(one, noise), noisy_max(other, noise), PureDP(epsilon), caught)


# The sparse vector technique ------------------------------------------------------------------------------------------


def sparse_vector(queries: list[float]) -> Sampler:
    """Is each query above a noisy threshold? -1 once one was."""

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        threshold = rng.laplace(scale=2.0, size=(size, 1))
        noise = rng.laplace(size=(size, len(queries))) * 4.0
        above = (np.array(queries) + noise >= threshold).astype(int)
        return np.where(np.cumsum(above, axis=1) - above < 1, above, -1)

    return sample


def clipped(low: float) -> Sampler:
    """Laplace noise, clipped to the range of the private data."""
    return lambda rng, size: np.maximum(rng.laplace(scale=10.0, size=size), low)


def sometimes(probability: float) -> Sampler:
    """The record in the clear, now and then; Laplace noise otherwise."""
    return lambda rng, size: np.where(rng.random(size) < probability, 1e6, rng.laplace(size=size))


def staircase(centre: float) -> Sampler:
    """Staircase noise (Geng and Viswanath) for epsilon = 1 and sensitivity 1."""
    short = 1 / (1 + exp(0.5))  # where each stair steps down

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        stairs, place = rng.geometric(1 - exp(-1), size) - 1, rng.random(size)
        high = rng.random(size) < short / (short + (1 - short) * exp(-1))
        step = stairs + np.where(high, short * place, short + (1 - short) * place)
        return centre + rng.choice([-1, 1], size) * step

    return sample


def unary(value: int, bits: int) -> Sampler:
    """Optimised unary encoding: the own bit is fair, the others are 1 with probability 1 / (1 + e)."""
    chances = np.where(np.arange(bits) == value, 0.5, 1 / (1 + exp(1)))
    return lambda rng, size: (rng.random((size, bits)) < chances).astype(int)


def comb(offset: float) -> Sampler:
    """Wide noise on even places, moved by an offset: what the last digits tell."""
    return lambda rng, size: 2 * np.floor(rng.laplace(scale=100, size=size)) + offset + 0.2 * rng.random(size)


def balanced(columns: int, sums_to_zero: bool) -> Sampler:
    """Normal coordinates, of which the last is minus the sum of the others, or as large and independent."""

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        x = rng.normal(size=(size, columns))
        x[:, -1] = -x[:, :-1].sum(axis=1) if sums_to_zero else x[:, -1] * (columns - 1) ** 0.5
        return x

    return sample


def parity(odd: int, bits: int) -> Sampler:
    """Fair bits, the last of which is the parity of the others, or not."""

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        x = rng.integers(2, size=(size, bits))
        x[:, -1] = (x[:, :-1].sum(axis=1) + odd) % 2
        return x

    return sample


def texts(length: float) -> Sampler:
    """Texts of which no two are equal; their lengths tell."""
    return lambda rng, size: [
        "x" * int(k) + str(i) for k, i in zip(rng.poisson(length, size), rng.integers(10**9, size=size), strict=True)
    ]


# The list -------------------------------------------------------------------------------------------------------------

KEPT = exp(1) / (1 + exp(1))  # randomised response at epsilon = 1
HALF = PureDP(0.5, "add/remove")
EIGHT = np.ones(8)

CORRECT = {
    "Laplace": Known(added(0, laplace_noise(1)), added(1, laplace_noise(1)), PureDP(1.0), 0.75),
    "Laplace, a count, add/remove": Known(added(7, laplace_noise(2)), added(8, laplace_noise(2)), HALF, 0.55),
    "Laplace, a histogram": Known(
        added([3, 0, 9, 5], laplace_noise(1)), added([4, 0, 9, 5], laplace_noise(1)), PureDP(1.0, "add/remove"), 0.7
    ),
    "Laplace, prefix sums": Known(
        added(0 * EIGHT, laplace_noise(8)), added(EIGHT, laplace_noise(8)), PureDP(1.0), 0.08
    ),
    "geometric": Known(added(0, geometric_noise(1)), added(1, geometric_noise(1)), PureDP(1.0), 0.8),
    "Gaussian": Known(
        added(0, lambda rng, shape: rng.normal(size=shape)),
        added(1, lambda rng, shape: rng.normal(size=shape)),
        GaussianDP(1.0),
        0.75,
    ),
    "randomised response": Known(response(0, 2, KEPT), response(1, 2, KEPT), PureDP(1.0, "label"), 0.8),
    "5-ary randomised response": Known(
        response(0, 5, exp(1) / (4 + exp(1))), response(3, 5, exp(1) / (4 + exp(1))), PureDP(1.0), 0.75
    ),
    "RAPPOR": Known(rappor(0, 8, 0.7), rappor(5, 8, 0.7), PureDP(2 * log(0.65 / 0.35)), 0.7),
    "subsampled Laplace": Known(
        subsampled(0, 0.3, 1), subsampled(1, 0.3, 1), PureDP(log1p(0.3 * (exp(1) - 1)), "add/remove"), 0.2
    ),
    "report noisy max, Laplace": selection(laplace(scale=2), 0.65),
    "report noisy max, exponential": selection(expon(scale=2), 0.7),
    "report noisy max, Gumbel": selection(gumbel_r(scale=2), 0.65),
    "sparse vector (Lyu, Su and Li)": Known(
        sparse_vector([0.0] * 3 + [1.0] * 3), sparse_vector([1.0] * 3 + [0.0] * 3), PureDP(1.0), 0.12
    ),
    "Laplace, clamped to a public range": Known(
        lambda rng, size: np.clip(rng.laplace(0, size=size), -2, 2),
        lambda rng, size: np.clip(rng.laplace(1, size=size), -2, 2),
        PureDP(1.0),
        0.7,
    ),
    "staircase": Known(staircase(0), staircase(1), PureDP(1.0), 0.7),
    "optimised unary encoding": Known(unary(0, 6), unary(3, 6), PureDP(1.0), 0.65),
    "the record with probability delta": Known(sometimes(0.05), sometimes(0.0), ApproxDP(0.0, 0.05), None),
}
BROKEN = {
    "a histogram calibrated to add/remove, one record replaced": Known(
        added([3, 0, 9], laplace_noise(1)), added([2, 1, 9], laplace_noise(1)), PureDP(1.0)
    ),
    "noise on even places for one, on odd ones for the other": Known(comb(0.0), comb(1.0), PureDP(1.0)),
    "thirty coordinates that sum to zero": Known(balanced(30, True), balanced(30, False), PureDP(1.0)),
    "the parity of seven bits": Known(parity(0, 8), parity(1, 8), PureDP(1.0)),
    "the lengths of texts that never repeat": Known(texts(3), texts(8), PureDP(1.0)),
    "uniform noise": Known(
        added(0, lambda rng, shape: rng.uniform(-5, 5, shape)),
        added(1, lambda rng, shape: rng.uniform(-5, 5, shape)),
        PureDP(2.0),
    ),
    "half of the permutations sorted": Known(
        lambda rng, size: rng.permuted(np.tile(np.arange(4), (size, 1)), axis=1),
        lambda rng, size: np.where(
            rng.random((size, 1)) < 0.5, np.arange(4), rng.permuted(np.tile(np.arange(4), (size, 1)), axis=1)
        ),
        PureDP(1.0),
    ),
    "output clipped to the private range": Known(clipped(0.0), clipped(1.0), PureDP(1.0)),
    "randomised response that keeps with probability epsilon": Known(
        response(0, 2, 0.9), response(1, 2, 0.9), PureDP(0.9)
    ),
}
