"""Private tuning in floats, K ~ TNB(eta, r) runs: what is computed by search and root finding.

How the chance that a run is beaten grows from one dataset to its neighbour, given the privacy curve delta_M of one
mu-GDP run; the privacy curve of the best of K Gaussian scores, which `lemmata.bounds.exact.best_of_runs` has as balls;
and the largest r at which K draws miss one of |Theta| = `size` candidates with probability at most beta, as log(1/r).
"""

from collections.abc import Callable
from math import exp, expm1, inf, log, log1p, sqrt
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.bounds.exact.tnb import log_generating


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


def log_inverse_relaxed_r(eta: float, beta: float, size: float) -> float:
    """log(1/r) at the r that Lemma M.1 of wzw25 prints: log(1 + size (beta^(-1/eta) - 1))."""
    return float(np.logaddexp(0, log(size) + _log_expm1(-log(beta) / eta)))


def _log_expm1(x: float) -> float:
    return x + log1p(-exp(-x)) if x > 1 else log(expm1(x))


def log_inverse_r(eta: float, beta: float, size: float) -> float:
    """log(1/r*), r* the largest r at which failure has probability at most beta; inf if no r will do, 0 if all will.

    1/r* itself may be too large for a float. `size` may be real: Appendix M.3 of wzw25 puts log n there.
    """
    if size == 1 or beta >= 1 - 1 / size:
        return 0.0
    if eta < 0:
        floor = -expm1(eta * log(size))
        if beta <= floor:
            return inf
        high = log1p(-floor / beta) / eta
    else:
        high = log(size) / beta  # enough at eta = 0, and K grows with eta
        if eta > 0:
            high = min(high, log_inverse_relaxed_r(eta, beta, size))

    def excess(w: float) -> float:
        """log(failure probability / beta) at 1/r = e^w, where s = r + (1 - r)/size."""
        log_s = log1p((1 - 1 / size) * expm1(-w)) if w < 1 else float(np.logaddexp(log1p(-1 / size) - w, -log(size)))
        if eta > 0:
            return eta * (-w - log_s) + log(expm1(eta * log_s) / expm1(-eta * w)) - log(beta)
        return log(log_generating(eta, -w, log_s)) - log(beta)

    low, high = 1e-9 * min(high, 1.0), high * (1 + 1e-12)
    return brentq(excess, low, high, rtol=1e-14) if excess(low) > 0 else 0.0
