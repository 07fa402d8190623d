"""What Algorithms 2 and 5 of bms22 compute, counted while they compute it: sums, products, quotients and draws."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

import numpy as np

from lemmata.bounds.bms22.phased_sgd import rounds_for
from lemmata.bounds.exact.numbers import Array
from lemmata.mechanisms.features.fast_projection import fast_projection, walsh_hadamard
from lemmata.mechanisms.features.kernel_features import fastfood
from lemmata.mechanisms.learners.erm.phased_sgd import phases


class Counted(float):
    """A number that counts the operations done with numbers of its kind; comparisons and storage are free."""

    done = 0

    def _count(self, value: float) -> Counted:
        Counted.done += 1
        return Counted(value)

    def __add__(self, other: float) -> Counted:
        return self._count(float(self) + float(other))

    def __sub__(self, other: float) -> Counted:
        return self._count(float(self) - float(other))

    def __mul__(self, other: float) -> Counted:
        return self._count(float(self) * float(other))

    def __truediv__(self, other: float) -> Counted:
        return self._count(float(self) / float(other))


class CountedDraws:
    """A generator that counts the records drawn with replacement: one gradient each."""

    def __init__(self) -> None:
        self.rng, self.records = np.random.default_rng(0), 0

    def integers(self, low: int, high: int, size: tuple[int, ...]) -> Array:
        self.records += prod(size)
        return self.rng.integers(low, high, size=size)

    def normal(self, **sizes: Any) -> Array:
        return self.rng.normal(**sizes)


def counted(values: Any) -> Array:
    """An array of `Counted` numbers."""
    return np.array([Counted(x) for x in values], dtype=object)


def clipped(v: Array, bound: float) -> Array:
    """v scaled to norm `bound` where it is longer: an inner product and a scaling."""
    return v * Counted(min(1.0, bound / max(1e-300, sqrt(v @ v))))


def learner_operations(m: int, d: int, k: int, beta: float) -> int:
    """Algorithm 2 on m random records of R^d with one thread and plain loops, projected to R^k, k at most d: the count.

    The transforms are those of `lemmata.mechanisms.features.fast_projection`, the lengths and steps of the phases those
    of `lemmata.mechanisms.learners.erm.phased_sgd`; rho = radius = norm_bound = 1.
    """
    rng, Counted.done = np.random.default_rng(0), 0
    phi = fast_projection(k, d, rng=rng)
    coordinates, scale = rng.permutation(len(phi.signs))[:k], 1 / sqrt(k)
    Z = []
    for _ in range(m):
        x = np.concatenate([rng.normal(size=d), np.zeros(len(phi.signs) - d)])
        Z.append(clipped(walsh_hadamard(counted(x) * phi.signs)[coordinates] * scale, 2.0))
    inverse = [Counted(1.0) / max(1e-9, z @ z) for z in Z]
    eta, sampled = 0.1, iter(rng.integers(0, m, size=rounds_for(beta) * m))
    for _ in range(rounds_for(beta)):
        w = counted(np.zeros(k))
        for length, step, sigma in phases(m, eta=eta, lipschitz=2.0, multiplier=1.0):
            v, total = clipped(w, 2.0), counted(np.zeros(k))
            for i in (next(sampled) for _ in range(length)):
                total = total + v
                pull = (Counted(1.0) - v @ Z[i]) * (2 * step / eta) * inverse[i]
                v = clipped(v + Z[i] * Counted(min(max(pull, 0.0), step)), 2.0)
            w = total / length + counted(rng.normal(size=k)) * sigma
        for z in Z:
            _ = Counted(0.0) + (Counted(1.0) - z @ w)
    lifted = counted(np.zeros(len(phi.signs)))
    lifted[coordinates] = w * scale
    _ = walsh_hadamard(lifted) * phi.signs
    return Counted.done


def fastfood_operations(d: int, count: int) -> int:
    """The count of `features.kernel_features.fastfood`, with `count` frequencies, on one record of R^d."""
    features, Counted.done = fastfood(d, count, rng=np.random.default_rng(0)), 0
    x = np.concatenate([np.ones(d), np.zeros(features.signs.shape[1] - d)])
    for block, signs in enumerate(features.signs):
        mixed = walsh_hadamard(counted(x) * signs)[features.order[block]] * features.gaussians[block]
        _ = walsh_hadamard(mixed) * features.lengths[block]
    return Counted.done
