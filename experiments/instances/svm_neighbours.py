"""Neighbouring databases for the SVM: the exact worst pair, and a search among thousands that stay certified."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from scipy.spatial.distance import pdist, squareform

from experiments.engine.streams import generator
from mechanisms.solvers.svm import Solution, solve_rows

ROOT = 1  # the search is a fixed computation, not a sample; this root names it
KINDS = ("zero", "random", "conflict", "one-hot", "features")


def square_root(F):
    """The whole number sqrt(F); the exact pairs need one. Raises ValueError for other F."""
    if isqrt(F) ** 2 != F:
        raise ValueError(f"F = {F} is not a perfect square")
    return isqrt(F)


def worst_weights(*, n, C, F, L=1, kappa=1):
    """(w_D, w_D') of the worst pair, exact rationals: one label flipped at phi(x) = kappa F^(-1/2) (1, ..., 1).

    All other rows lie at phi(x) = 0. The loss -L y f, differentiable, convex and L-Lipschitz, has w = (L C / n) sum_i
    y_i phi(x_i); so has L times the hinge loss if every margin y_i f(x_i) <= 1, which `hinge_saturates` decides.
    """
    step = Fraction(L) * Fraction(C) / n * Fraction(kappa) / square_root(F)
    return [step] * F, [-step] * F


def worst_distance(**setting):
    """The L1 distance of the worst pair, an exact rational; arguments of `worst_weights`."""
    return sum(abs(p - q) for p, q in zip(*worst_weights(**setting), strict=True))


def hinge_saturates(*, n, C, L=1, kappa=1):
    """Is every margin of the worst pair at most 1, so that the hinge loss has the same minimisers?"""
    return Fraction(L) * Fraction(C) * Fraction(kappa) ** 2 <= n


def candidates(F, n, kappa, kind, rng, size):
    """`size` databases that differ in their last row only: V (size, n, F) with rows in the ball, y (size, n)."""
    base = rng.normal(size=(n, F))
    base /= np.linalg.norm(base, axis=1, keepdims=True)
    labels = rng.choice([-1.0, 1.0], n)
    if kind == "zero":
        base[:] = 0
    if kind == "conflict":  # the same point with both labels: margins pile up at 0
        base[:] = base[0]
    if kind == "one-hot":
        base = np.eye(F)[rng.integers(F, size=n)]
    last = rng.normal(size=(size, F))
    last[: size // 4] = np.sign(last[: size // 4])
    last[size // 4 : size // 3] = np.eye(F)[rng.integers(F, size=size // 3 - size // 4)]
    if kind == "features":  # random Fourier features of points on a line, F even
        t = rng.uniform(-20, 20, size=n + size)
        waves = np.outer(t, rng.normal(size=max(1, F // 2)))
        both = np.concatenate([np.cos(waves), np.sin(waves)], axis=1)[:, :F]
        base, last = both[:n], both[n:]
        labels = np.sign(np.sin(t[:n]) + 1e-9)
    base = base * kappa / np.maximum(np.linalg.norm(base, axis=1, keepdims=True), 1)
    last = last * kappa / np.linalg.norm(last, axis=1, keepdims=True)
    V = np.repeat(base[None], size, axis=0)
    y = np.repeat(labels[None], size, axis=0)
    half = size // 2
    last[half : 2 * half] = last[:half]  # every last row with both labels
    V[:, -1] = last
    y[:, -1] = np.where(np.arange(size) < half, 1.0, -1.0)
    return V, y


def solved(V, y, C, loss):
    """Certified minimisers of a batch: "hinge", "logistic", or the linear loss -y f in closed form."""
    if loss != "linear":
        return solve_rows(V, y, C=C, loss=loss)
    dual = np.full(y.shape, C / y.shape[1])
    w = np.einsum("bn,bnf->bf", dual * y, V)
    size = len(V)
    return Solution(w, dual, np.zeros(size), np.full(size, 1e-14 * C))


@lru_cache(maxsize=32)
def searched(F, n, C, kappa, loss, kind, size=120):
    """(V, y, solution) of one family of neighbours: any two of the `size` databases are neighbours."""
    rng = generator(ROOT, "svm.search", {"F": F, "n": n, "kind": kind}, "main", 0)
    V, y = candidates(F, n, kappa, kind, rng, size)
    return V, y, solved(V, y, C, loss)


def farthest(V, y, solution):
    """(L1 distance, indices) of the farthest pair of a family, its certified error taken off: a proved lower bound."""
    F = V.shape[2]
    distances = squareform(pdist(solution.weights, "cityblock")) - np.sqrt(F) * np.add.outer(
        solution.error, solution.error
    )
    i, j = np.unravel_index(np.argmax(distances), distances.shape)
    return float(distances[i, j]), (int(i), int(j))


def search(*, F, n, C, kappa, loss, L=1.0):
    """The largest certified L1 distance over all families, with where it was found: (distance, kind, (i, j))."""
    best = (0.0, KINDS[0], (0, 0))
    for kind in KINDS:
        distance, where = farthest(*searched(F, n, C * L, kappa, loss, kind))
        best = max(best, (distance, kind, where))
    return best


def flipped(F, n, kappa=1.0, others=0.0):
    """The worst pair as data: phi = identity, last row kappa F^(-1/2) (1, ..., 1), its label flipped."""
    X = np.full((n, F), others * kappa / np.sqrt(F))
    X[-1] = kappa / np.sqrt(F)
    y = np.ones(n)
    return X, y, np.append(y[:-1], -1.0)
