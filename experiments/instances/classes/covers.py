"""Covers of a ball beside the count in bms22's proof of Theorem 3.1: least sizes, our lattices, points to cover."""

from itertools import product
from math import log, sqrt

import numpy as np

from lemmata.bounds.bms22.covers import smallest_in_the_plane, smallest_on_a_line
from lemmata.bounds.bms22.pure_learner_proof import log_size_bounds
from lemmata.mechanisms.solvers.covers import cover


def separated(k, radius, resolution, seed=0):
    """A maximal set of points of B^k(radius) with distances > resolution among a fine grid, greedily: a true cover."""
    fine = resolution / 4 / sqrt(k)
    axis = np.arange(-radius, radius + fine, fine)
    points = np.array([p for p in product(axis, repeat=k) if sum(x * x for x in p) <= radius**2])
    points = points[np.random.default_rng(seed).permutation(len(points))]
    chosen = 0
    while len(points):
        chosen += 1
        points = points[((points - points[0]) ** 2).sum(axis=1) > resolution**2]
    return chosen


def points_of_the_ball(k, radius, size):
    """Random points of B^k(radius): on its rim, near it, and half way."""
    rng = np.random.default_rng(k)
    points = rng.normal(size=(size, k))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points * (radius * rng.choice([1.0, 0.999, 0.97, 0.5], size=(size, 1)))


def least_size(k, ratio):
    """A lower bound of every cover's size at R/eta = `ratio` > 1: strictly more than its k-th power for k >= 3."""
    above = int(ratio**k * (1 + 1e-9)) + 1
    return {1: smallest_on_a_line, 2: smallest_in_the_plane}.get(k, lambda _: above)(ratio)


def plane_sizes():
    """Curves along R/eta: the printed count, the least count in the plane, and that of the hexagonal lattice."""
    ratios = [2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    return {
        "R/eta": ratios,
        "bound": [r**2 for r in ratios],
        "at least, k = 2": [float(smallest_in_the_plane(r)) for r in ratios],
        "hexagonal lattice": [float(cover(2, radius=r, resolution=1.0).size) for r in ratios],
    }


def volume_curves(k):
    """Curves along Lambda r/rho: the logarithms of both volume bounds, and of the size of our cover."""
    sizes = [a for a in (1.0, 2.0, 5.0, 10.0) if k < 3 or a <= 2]
    lows, highs = zip(*(log_size_bounds(k=k, norm_bound=a, radius=1.0, rho=1.0) for a in sizes), strict=True)
    return {
        "Lambda r/rho": sizes,
        "log of the lower bound": list(lows),
        "log of the upper bound": list(highs),
        "log of our cover": [log(cover(k, radius=2 * a, resolution=0.1).size) for a in sizes],
    }
