"""Private tuning in floats: the numerical side of `bounds.wzw25.best_of_runs`, for K ~ TNB(eta, r) runs.

How the chance that a run is beaten grows from one dataset to its neighbour, given the privacy curve delta_M of one
mu-GDP run; and the privacy curve of the best of K Gaussian scores, which `bounds.exact.best_of_runs` has as balls.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, log, log1p, sqrt
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from bounds.exact.numbers import Array
from bounds.exact.privacy_curves import log_gaussian_delta


def profile_growth(mu: float, r: float) -> float:
    """The smallest log(exp(e^) + (1 - r)/r delta_M(e^)) over e^ >= 0, by search on ever finer grids."""

    def log_b(e: Array) -> Array:
        return np.logaddexp(e, log1p(-r) - log(r) + log_gaussian_delta(e, mu))

    grid = np.linspace(0.0, sharp_growth(mu, r) + 1.0, 400)  # beyond it log_b > e > log_b at sharp_growth
    for _ in range(4):
        best = int(np.argmin(log_b(grid)))
        grid = np.linspace(grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)], 60)
    return float(log_b(grid).min())


def sharp_growth(mu: float, r: float) -> float:
    """The smallest e^ > 0 with (1 - r) delta_M(e^) <= r (exp(e^) - 1)."""
    excess = log1p(-r) - log(r)
    low = 1e-300  # delta_M(0) > 0, so the inequality fails at 0

    def above(e: float) -> float:
        grown = e + log(-expm1(-e)) if e > 1 else log(expm1(e))  # log(exp(e) - 1)
        return excess + log_gaussian_delta(e, mu) - grown

    if above(low) <= 0:
        return low
    top = mu * (mu / 2 + sqrt(2 * log(1 / r))) + 1.0
    while above(top) > 0:
        top *= 2
    return _rounded_up(brentq(above, low, top, xtol=1e-300, rtol=8.9e-16), above)


def first_below(excess: Callable[[float], float], top: float) -> float:
    """The root of a decreasing function on [0, top], rounded up to where it is not positive."""
    while excess(top) > 0:
        top *= 2
    return _rounded_up(brentq(excess, 0.0, top, xtol=1e-300, rtol=8.9e-16), excess)


def _rounded_up(value: float, excess: Callable[[float], float]) -> float:
    """`value` moved up by 1e-14 of itself until `excess` is not positive, and once more for the error of the curve."""
    while excess(value) > 0:
        value *= 1 + 1e-14
    return value * (1 + 1e-14)


def score_delta(epsilon: float, shift: float, r: float, eta: float) -> float:
    """H_{e^epsilon}(best of K from N(0, 1), best of K from N(shift, 1)); `shift` < 0 is the other order of the pair."""

    def surplus(u: Array) -> Array:
        tails = np.log(r + (1 - r) * ndtr(u - shift)) - np.log(r + (1 - r) * ndtr(u))
        return shift * (shift / 2 - u) + (eta + 1) * tails - epsilon

    reach = 12 + abs(shift) + epsilon / abs(shift)
    grid = np.linspace(-reach, reach, 4001)
    signs = surplus(grid) > 0
    changes = np.flatnonzero(signs[1:] != signs[:-1])
    ends = [brentq(surplus, grid[i], grid[i + 1], xtol=1e-14) for i in changes]
    ends = ([-np.inf] if signs[0] else []) + ends + ([np.inf] if signs[-1] else [])

    def mass(centre: float, low: float, high: float) -> float:  # of the best score in (low, high)
        return best_at_most(eta, r, ndtr(high - centre)) - best_at_most(eta, r, ndtr(low - centre))

    pairs = zip(ends[::2], ends[1::2], strict=True)
    return max(0.0, sum(mass(0.0, *pair) - exp(epsilon) * mass(shift, *pair) for pair in pairs))


def best_at_most(eta: float, r: float, F: Array | float) -> Any:
    """P(best of K scores <= u) where one is at most u with probability F: [1 - (r/s)^eta] / (1 - r^eta).

    >>> round(float(best_at_most(1, 0.5, 0.5)), 6)
    0.666667
    """
    grown = np.log1p((1 - r) / r * np.asarray(F, dtype=float))  # log(s / r), s = r + (1 - r) F
    if eta == 0:
        return grown / -log(r)
    return np.expm1(-eta * grown) / expm1(eta * log(r))
