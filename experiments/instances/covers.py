"""How many points does a cover of B^k(2 Lambda) need? The count in bms22's proof of Theorem 3.1, and our lattices."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np

HEXAGONS = """
from math import pi, sqrt
from bounds.bms22.pure_learner_proof import printed_size
sizes = dict(norm_bound=1.0, radius=1.0, rho=1.0)  # R = 2, eta = 0.1
points = printed_size(k=2, **sizes)
# disks cover a convex set no better than by their inscribed hexagons, of area (3 sqrt 3/2) eta^2
assert points * 1.5 * sqrt(3) * 0.1**2 < pi * 2.0**2
"""


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
