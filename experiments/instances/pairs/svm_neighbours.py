"""Neighbouring databases for the SVM: the exact worst pair, and a search among thousands that stay certified."""

from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from scipy.spatial.distance import pdist, squareform

from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.solvers.svm import Solution, solve_rows

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


@lru_cache(maxsize=64)
def optimised(*, F, n, C, kappa, loss, norm=1, generations=12, pairs=16):
    """(certified distance, V, y) of the farthest pair that an evolution of *all* records finds, in the L1 or L2 norm.

    V has shape (2, n, F). It starts from the farthest pair of `search`, from the worst pair with its other records
    moved off zero a little, and from random databases; each generation keeps the best quarter and moves their records
    and labels. A proved lower bound, and at least what `search` finds in L1.
    """
    _, kind, (i, j) = search(F=F, n=n, C=C, kappa=kappa, loss=loss)
    V, y, _ = searched(F, n, C, kappa, loss, kind)
    rng = generator(
        ROOT, "svm.optimised", {"F": F, "n": n, "C": C, "kappa": kappa, "loss": loss, "norm": norm}, "main", 0
    )
    records = rng.normal(size=(pairs, n + 1, F))  # n - 1 shared ones, then the two that differ
    labels = rng.choice([-1.0, 1.0], (pairs, n + 1))
    records[: pairs // 4, : n - 1] *= np.geomspace(1e-6, 0.3, pairs // 4)[:, None, None]
    records[: pairs // 4, n - 1 :] = kappa * F**-0.5
    labels[: pairs // 4, n - 1 :] = 1.0, -1.0
    records[-1], labels[-1] = np.vstack([V[i], V[j, -1:]]), np.append(y[i], y[j, -1])
    best = (-np.inf, None, None)
    for _ in range(generations):
        V = records * kappa / np.maximum(np.linalg.norm(records, axis=2, keepdims=True), kappa)
        both, y = (np.stack([np.delete(a, n, axis=1), np.delete(a, n - 1, axis=1)], axis=1) for a in (V, labels))
        solution = solved(both.reshape(-1, n, F), y.reshape(-1, n), C, loss)
        weights, error = solution.weights.reshape(pairs, 2, F), solution.error.reshape(pairs, 2).sum(axis=1)
        moved = np.linalg.norm(weights[:, 0] - weights[:, 1], ord=norm, axis=1)
        moved -= error * (np.sqrt(F) if norm == 1 else 1)
        order = np.argsort(-moved)
        if moved[order[0]] > best[0]:
            best = (float(moved[order[0]]), both[order[0]], y[order[0]])
        parents = order[: pairs // 4]
        records, labels = np.repeat(records[parents], 4, axis=0), np.repeat(labels[parents], 4, axis=0)
        change = np.arange(pairs) % 4 > 0  # the best quarter stays
        step = rng.normal(size=records.shape) * kappa * 10 ** rng.uniform(-3, 0, (pairs, 1, 1))
        step *= rng.random((pairs, n + 1, 1)) < rng.choice([0.2, 1.0], (pairs, 1, 1))
        records += change[:, None, None] * step
        labels *= np.where(change[:, None] & (rng.random(labels.shape) < 0.5 / n), -1.0, 1.0)
    return best


def flipped(F, n, kappa=1.0, others=0.0):
    """The worst pair as data: phi = identity, last row kappa F^(-1/2) (1, ..., 1), its label flipped."""
    X = np.full((n, F), others * kappa / np.sqrt(F))
    X[-1] = kappa / np.sqrt(F)
    y = np.ones(n)
    return X, y, np.append(y[:-1], -1.0)
