"""Regularised kernel machines with the hinge loss: small ones solved in rationals, others in floats with a certificate.

h_mu minimises (1/m) sum_i (1 - y_i h(x_i)/rho)_+ + mu |h|^2 over |h| <= Lambda, h = sum_i alpha_i K(x_i, .).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil

import numpy as np

from lemmata.bounds.bms22.kernel_learner import printed_frequencies, regularisation
from lemmata.bounds.bms22.phased_sgd import base_step
from lemmata.bounds.exact.numbers import Array
from lemmata.mechanisms.features.random_features import frequency_blocks, gram, profile
from lemmata.mechanisms.learners.erm import dp_erm
from lemmata.mechanisms.learners.erm.kernel_learner import kernel_projection
from lemmata.mechanisms.numerics.arguments import clip_rows
from lemmata.mechanisms.privacy import ApproxDP
from lemmata.mechanisms.solvers.least_loss import hinge_loss
from lemmata.mechanisms.solvers.svm import solve_rows

GRAMS = (  # of m = 1, 2, 3 records, y_i y_j K(x_i, x_j): alone, apart, alike, opposed, two near and one far
    [[4]],
    [[1, 0], [0, 1]],
    [[1, 1], [1, 1]],
    [[4, -3], [-3, 4]],
    [[1, Fraction(1, 2), Fraction(-1, 3)], [Fraction(1, 2), 1, Fraction(-1, 4)], [Fraction(-1, 3), Fraction(-1, 4), 1]],
)


def solved(system: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The solution of a square rational system, None if it is singular."""
    rows = [[*map(Fraction, row), Fraction(value)] for row, value in zip(system, right, strict=True)]
    for column in range(len(rows)):
        pivot = next((i for i in range(column, len(rows)) if rows[i][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for i in range(len(rows)):
            if i != column and rows[i][column]:
                rows[i] = [a - rows[i][column] * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [row[-1] for row in rows]


def shares(signed: list[list[Fraction]], rho: Fraction, kappa: Fraction) -> list[Fraction]:
    """s in [0, 1]^m with y_i alpha_i = s_i/(2 m kappa rho) at the free minimiser for mu = kappa, in rationals.

    Every pattern of records below, above and on the margin is tried; the right one has no duality gap.
    """
    m = len(signed)
    scale = 2 * m * kappa * rho
    for pattern in product((Fraction(0), Fraction(1), None), repeat=m):
        free = [i for i, share in enumerate(pattern) if share is None]
        fixed = [sum(signed[i][j] * (pattern[j] or 0) for j in range(m)) for i in free]
        solution = solved([[signed[i][j] for j in free] for i in free], [scale * rho - f for f in fixed])
        if solution is None or not all(0 <= share <= 1 for share in solution):
            continue
        s = [share if share is not None else solution[free.index(i)] for i, share in enumerate(pattern)]
        margins = [sum(signed[i][j] * s[j] for j in range(m)) / scale for i in range(m)]
        square = sum(s[i] * margins[i] for i in range(m)) / scale
        primal = sum(max(Fraction(0), 1 - margin / rho) for margin in margins) / m + kappa * square
        if primal == sum(s) / m - kappa * square:
            return s
    raise ArithmeticError("no pattern is optimal")


def exact_coefficients() -> Iterator[tuple[dict, list[Fraction], Fraction]]:
    """(setting, y_i alpha_i of h_mu, mu), in rationals; kappa > mu is what the ball's multiplier makes of mu."""
    for signed, rho, kappa, binds in product(GRAMS, (1, Fraction(1, 3), 5), (1, Fraction(1, 50), 40), (1, 2, 100)):
        rho, kappa = Fraction(rho), Fraction(kappa)
        m, mu = len(signed), kappa / binds
        s = shares([list(map(Fraction, row)) for row in signed], rho, kappa)
        setting = {"gram": signed, "rho": rho, "mu": mu, "mu + multiplier": kappa}
        yield setting, [share / (2 * m * kappa * rho) for share in s], mu


@dataclass(frozen=True)
class Machine:
    """h_mu on m points, at mu of Theorem 4.2's proof: what its steps compare with random features."""

    X: Array
    y: Array
    bandwidth: float
    alpha: Array
    loss: float  # of h_mu
    square: float  # |h_mu|^2
    least: float  # at most the least loss of the ball of radius Lambda


@lru_cache(maxsize=8)
def machine(kernel: str, m: int, radius: float, norm_bound: float, rho: float, bandwidth: float) -> Machine:
    """Points on three rings about the origin, labels by ring, one in ten wrong; solved in floats."""
    rng = np.random.default_rng(m)
    ring, turn = np.arange(m) % 3, rng.uniform(0, 2 * np.pi, m)
    X = ring[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]) / 2
    y = np.where(ring == 1, -1.0, 1.0) * np.where(np.arange(m) % 10, 1.0, -1.0)
    K = radius**2 * profile(kernel, X[:, None] - X[None], bandwidth=bandwidth)
    values, vectors = np.linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    least = hinge_loss(features, y, rho=rho, norm_bound=norm_bound)[0]
    low = high = regularisation(m=m, radius=radius, norm_bound=norm_bound, rho=rho)
    while True:  # the ball's multiplier: double, then bisect, until |h| is at most Lambda
        solution = solve_rows(features / rho, y, C=1 / (2 * high))
        if np.linalg.norm(solution.weights) <= norm_bound:
            break
        low, high = high, 2 * high
    for _ in range(30 if high > low else 0):
        middle = (low + high) / 2
        tried = solve_rows(features / rho, y, C=1 / (2 * middle))
        inside = bool(np.linalg.norm(tried.weights) <= norm_bound)
        low, high, solution = (low, middle, tried) if inside else (middle, high, solution)
    alpha = solution.dual * y / rho
    scores = K @ alpha
    return Machine(
        X, y, bandwidth, alpha, float(np.maximum(0, 1 - y * scores / rho).mean()), float(alpha @ scores), least
    )


def with_features(
    rng: np.random.Generator, kernel: str, trained: Machine, *, beta: float, radius: float, rho: float
) -> tuple[float, float]:
    """(loss, squared norm) of the same combination of fresh features of norm `radius`, D as printed."""
    count = ceil(printed_frequencies(m=len(trained.y), beta=beta))
    blocks = frequency_blocks(kernel, trained.X.shape[1], count, bandwidth=trained.bandwidth, rng=rng)
    scores = gram(trained.X, blocks, radius=radius) @ trained.alpha
    return float(np.maximum(0, 1 - trained.y * scores / rho).mean()), float(trained.alpha @ scores)


def clustered_release(
    rng: np.random.Generator,
    *,
    m: int,
    k: int,
    count: int,
    epsilon: float,
    delta: float,
    beta: float,
    kept: float = 1.0,
) -> tuple[float, float]:
    """(risk of one release of Algorithm 3, least loss of the kernel's unit ball at least), at r = Lambda = rho = 1.

    x is one of 16 points of the line, 8 close to 0 and 8 close to 100, y says which; the Gaussian kernel between the
    clusters is negligible. Only the points are projected: a sample is their row numbers. A share `kept` of the labels
    is right. No h of norm 1 has margins a and b at the two clusters with a^2 + b^2 > 1, so with shares p and q of the
    sample right the least loss is at least 1 - |(p, q)|.
    """
    X = np.append(np.arange(8) / 100, 100 + np.arange(8) / 100)[:, None]
    y = np.repeat([1.0, -1.0], 8)
    projection = kernel_projection("gaussian", 1, count=count, k=k, rng=rng)
    Z = y[:, None] * clip_rows(projection.apply(X), 2.0)
    sizes = {"rho": 1.0, "radius": 2.0, "norm_bound": 4.0}
    law = dp_erm.law(np.zeros((m, 1)), np.ones(m), privacy=ApproxDP(epsilon, delta), beta=beta / 6, **sizes)
    eta = base_step(n=m, k=k, multiplier=law.multiplier, lipschitz=2.0, norm_bound=4.0)
    sample = rng.integers(0, 16, size=m) + 16 * (rng.random(m) >= kept)  # beyond 16: the label is wrong
    both = np.vstack([Z, -Z])
    W = replace(law, Z=both, eta=eta).train(rng, both, law.rounds, m, np.broadcast_to(sample, (law.rounds, m)))
    share = np.bincount(sample, minlength=32) / m
    losses = np.maximum(0.0, 1 - W @ both.T) @ share
    chosen = W[law.choose(rng, losses[None])[0]]
    right = share[:8].sum(), share[8:16].sum()
    return float((Z @ chosen <= 0).mean()), 1 - float(np.hypot(*right))
