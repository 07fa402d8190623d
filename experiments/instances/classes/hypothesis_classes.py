"""Hypothesis classes whose supremum over all hypotheses is computed exactly, and distributions whose risks are known.

A problem draws samples of m records and returns, for every pattern of errors that some hypothesis makes on the sample,
its empirical risk and the largest risk of the hypotheses that make it:

    risk, empirical = problem.cells(rng, size, m)      # each of shape (size, cells)

"For all h: R(h) <= g(R_S(h))" with g increasing is then the event (risk <= g(empirical)).all(axis=1). Cells are
closed: the risks are continuous in the hypothesis, so the supremum over a cell is attained at an end or an interior
maximum.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr


@dataclass(frozen=True)
class Thresholds:
    """x uniform on [0, 1], y = sign(x - 1/2) flipped with probability `noise`; h_t(x) = sign(x - t). VC dimension 1."""

    noise: float = 0.0

    vc = 1

    def risk(self, t):
        """P(h_t errs) = noise + (1 - 2 noise) |t - 1/2|."""
        return self.noise + (1 - 2 * self.noise) * np.abs(np.asarray(t) - 0.5)

    def sample(self, rng, size, m):
        """(x, y), each (size, m)."""
        x = rng.random((size, m))
        flip = rng.random((size, m)) < self.noise
        return x, np.where((x > 0.5) ^ flip, 1.0, -1.0)

    def cells(self, rng, size, m):
        """All m + 1 patterns of each sample."""
        x, y = self.sample(rng, size, m)
        return _threshold_cells(x, y, self.risk)


@dataclass(frozen=True)
class Stumps:
    """Decision stumps s sign(x_j - t), j = 1, 2, s = +-1, on the unit square; VC dimension 3.

    x uniform, y = sign(x_1 - 1/2) flipped with probability `noise`. Stumps on the second coordinate have risk 1/2.
    """

    noise: float = 0.0

    vc = 3

    def cells(self, rng, size, m):
        """All 4 (m + 1) patterns (some twice) of each sample."""
        plane = Thresholds(self.noise)
        first, y = plane.sample(rng, size, m)
        useless = _threshold_cells(rng.random((size, m)), y, lambda t: 0 * t + 0.5)
        patterns = [
            _threshold_cells(first, y, plane.risk),
            _threshold_cells(first, -y, lambda t: 1 - plane.risk(t)),
            useless,
            (useless[0], 1 - useless[1]),
        ]
        risks, empirical = zip(*patterns, strict=True)
        return np.concatenate(risks, axis=1), np.concatenate(empirical, axis=1)


def _threshold_cells(x, y, risk):
    """Patterns of sign(x - t) as t runs over the line; `risk` is monotone or has its extremum at 1/2, inside a cell."""
    size, m = x.shape
    order = np.argsort(x, axis=1)
    x, y = np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1)
    ends = np.concatenate([np.zeros((size, 1)), x, np.ones((size, 1))], axis=1)
    # At t below all points everything is labelled +1; every point that t passes becomes -1.
    passed = np.concatenate([np.zeros((size, 1)), np.cumsum(y, axis=1)], axis=1)
    empirical = ((y < 0).sum(axis=1, keepdims=True) + passed) / m
    left, right = ends[:, :-1], ends[:, 1:]
    middle = np.clip(0.5, left, right)
    return np.maximum(np.maximum(risk(left), risk(right)), risk(middle)), empirical


@dataclass(frozen=True)
class Halfplanes:
    """Homogeneous halfspaces x -> sign(<w, x>) of the plane, w = norm (cos f, sin f); VC dimension 2.

    z = y x has length 1 and direction uniform on [-spread, spread], or, with probability `noise`, on the whole circle:

        R(w) = noise / 2 + (1 - noise) |[-spread, spread] minus (f - pi/2, f + pi/2)| / (2 spread),

    which depends on |f| only and increases in it. `level` is the margin below which a record counts as an error on the
    sample: 0, or rho / norm for the margin loss.
    """

    spread: float = 1.0
    noise: float = 0.0
    level: float = 0.0

    vc = 2

    def risk(self, angle):
        """R of the direction `angle` in [-pi, pi]."""
        wrong = np.clip(np.abs(angle) + self.spread - np.pi / 2, 0, 2 * self.spread)
        return self.noise / 2 + (1 - self.noise) * wrong / (2 * self.spread)

    def sample(self, rng, size, m):
        """Directions of the signed records, (size, m), in (-pi, pi]."""
        angle = rng.uniform(-self.spread, self.spread, (size, m))
        return np.where(rng.random((size, m)) < self.noise, rng.uniform(-np.pi, np.pi, (size, m)), angle)

    def cells(self, rng, size, m):
        """The 2m arcs of directions between which the errors change, and the direction -e_1 of largest risk."""
        return self.cells_of(self.sample(rng, size, m))

    def cells_of(self, z):
        """As `cells`, for given directions z, (size, m)."""
        return _arc_cells(z, np.arccos(self.level), self.risk)


@dataclass(frozen=True)
class Mixture:
    """Homogeneous halfspaces of the plane on a mixture of two Gaussians: y = +-1, x = y (shift e_1 + N(0, I)).

    R(w) = Phi(-shift cos f) for w = norm (cos f, sin f): of all halfspaces, sign(x_1) is best. VC dimension 2.
    """

    shift: float = 1.0

    vc = 2

    def risk(self, angle):
        """R of the direction `angle` in [-pi, pi]."""
        return ndtr(-self.shift * np.cos(angle))

    def sample(self, rng, size, m):
        """Directions of the signed records, (size, m), in (-pi, pi]."""
        first, second = rng.standard_normal((2, size, m))
        return np.arctan2(second, first + self.shift)

    def cells(self, rng, size, m):
        """The 2m arcs of directions between which the errors change, and the direction -e_1 of largest risk."""
        return _arc_cells(self.sample(rng, size, m), np.pi / 2, self.risk)


def _arc_cells(z, reach, risk):
    """Patterns of errors of all directions; `risk` is even and increases in |angle|, so it is largest at ends of arcs.

    A record of direction z is right for directions within `reach` of z; the arc is open, ties are errors.
    """
    size, m = z.shape
    turn = 2 * np.pi
    starts, stops = ((angle + np.pi) % turn - np.pi for angle in (z - reach, z + reach))
    ends = np.concatenate([starts, stops], axis=1)
    change = np.concatenate([np.full((size, m), -1.0), np.full((size, m), 1.0)], axis=1)
    order = np.argsort(ends, axis=1)
    ends, change = np.take_along_axis(ends, order, 1), np.take_along_axis(change, order, 1)
    wrong_at_start = (starts < stops).sum(axis=1, keepdims=True)  # direction -pi: right iff the arc contains it
    errors = wrong_at_start + np.concatenate([np.zeros((size, 1)), np.cumsum(change, axis=1)], axis=1)
    edges = np.concatenate([np.full((size, 1), -np.pi), ends, np.full((size, 1), np.pi)], axis=1)
    return np.maximum(risk(edges[:, :-1]), risk(edges[:, 1:])), errors / m
