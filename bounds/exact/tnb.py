"""The truncated negative binomial law in ball arithmetic: Definition A.1, term by term as it is printed.

Every function takes numbers, Fractions or balls and returns a ball that encloses the exact value. `FINE` bits are
enough for eta down to 1e-30 and r down to 1e-300. `lemmata.bounds.wzw25.run_counts` computes the same in floats.
"""

import sys
from math import exp, expm1, log, log1p
from typing import Any

import numpy as np
from flint import arb, arb_series, ctx
from scipy.special import gammaln

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.numbers import Array, Number

FINE = 2300
MOST = 10**7  # terms that a series may take
SPACING = sys.float_info.epsilon  # of the floats from 1 on


def weights(eta: Number, r: Number, count: int) -> list[arb]:
    """P(K = 1), ..., P(K = count) as printed: the product is multiplied up factor by factor."""
    eta, r = exact(eta), exact(r)
    if eta == 0:
        scale = 1 / -r.log()
        return [scale * (1 - r) ** k / k for k in range(1, count + 1)]
    term, products = 1 / (-eta * r.log()).expm1(), []
    for l in range(count):
        term *= (1 - r) * (l + eta) / (l + 1)
        products.append(term)
    return products


def series(eta: Number, r: Number, *, x: Number = 1, power: int = 0) -> tuple[arb, int]:
    """A ball around the sum over k of k^power x^k P(K = k), |x| (1 - r) < 1: a partial sum, and a bound of its tail.

    Neighbouring terms have ratio at most q = |x| (1 - r) max(1, (k + eta)/(k + 1)) ((k + 1)/k)^power, and q falls
    in k (or stays at |x| (1 - r) for eta <= 1). Returns (ball, terms used).
    """
    eta, r, x = exact(eta), exact(r), exact(x)
    if not abs(x) * (1 - r) < 1:
        raise ValueError(f"x = {x} is outside the circle of convergence, |x| (1 - r) < 1 at r = {r}")
    decay = abs(x) * (1 - r)
    if not decay * (eta + 1) < (1 - decay) * MOST:
        raise ValueError(f"the series at eta = {eta}, r = {r} and x = {x} takes more than {MOST} terms")
    total, k = arb(0), 1
    p = (1 - r) / -r.log() if eta == 0 else eta * (1 - r) / (-eta * r.log()).expm1()
    term = p * x
    while True:
        total += k**power * term
        if k % 64 == 0:
            grow = arb(1).max((k + eta) / (k + 1)) * (arb(k + 1) / k) ** power
            q = abs(x) * (1 - r) * grow
            if q < 1:
                tail = abs(k**power * term) * q / (1 - q)
                if tail <= abs(total) * arb("1e-25"):
                    return total + arb(0, tail.upper()), k
        term *= (1 - r) * x * (k + eta) / (k + 1)
        k += 1


def mean(eta: Number, r: Number) -> arb:
    """E K as printed."""
    eta, r = exact(eta), exact(r)
    if eta == 0:
        return (1 / r - 1) / -r.log()
    return eta * (1 - r) / (r * -(eta * r.log()).expm1())


def generating(eta: Number, r: Number, s: Any) -> Any:
    """The printed generating function in s = 1 - (1 - r) x, which may be a power series in x."""
    eta, r = exact(eta), exact(r)
    if eta == 0:
        return s.log() / r.log()
    return ((-eta * s.log()).exp() - 1) / (-eta * r.log()).expm1()


def pgf(eta: Number, r: Number, x: Number) -> arb:
    """E x^K as printed."""
    return generating(eta, r, 1 - (1 - exact(r)) * exact(x))


def pgf_coefficients(eta: Number, r: Number, around: Number, count: int) -> list[arb]:
    """The first `count` Taylor coefficients of the printed generating function at `around`."""
    before, ctx.cap = ctx.cap, count
    try:
        r = exact(r)
        expanded = generating(eta, r, arb_series([1 - (1 - r) * exact(around), -(1 - r)]))
        return [expanded[k] for k in range(count)]
    finally:
        ctx.cap = before


def not_selected(eta: Number, r: Number, size: Number) -> arb:
    """The chance that none of K uniform draws from `size` candidates, a real number above 1, is the one good one."""
    r = exact(r)
    return generating(eta, r, r + (1 - r) / exact(size))


# Definition A.1 in floats ---------------------------------------------------------------------------------------------


def _log_rising(k: Array, eta: float) -> Array:
    """log(Gamma(k + eta) / Gamma(k)); far out by Stirling's series, where the difference would cancel."""
    far = k > 1e5 * (1 + eta * eta)
    near = np.where(far, 1.0, k)
    tail = eta * np.log(k) + eta * (eta - 1) / (2 * k)
    return np.where(far, tail, gammaln(near + eta) - gammaln(near))


def _log_bernoulli(y: float) -> float:
    """log(y / (e^y - 1)), 0 at y = 0."""
    if y == 0:
        return 0.0
    return log(y) - y - log1p(-exp(-y)) if y > 1 else log(y / expm1(y))


def log_pmf(*, eta: float, r: float, k: Array | int) -> Array:
    """log P(K = k); shapes as `k`."""
    k, L = np.asarray(k, dtype=float), -log(r)
    rising = _log_rising(k, eta) - gammaln(1 + eta)
    return k * log1p(-r) - np.log(k) + rising + _log_bernoulli(eta * L) - log(L)


def log_generating(eta: float, log_r: float, log_s: float) -> float:
    """The generating function from log r and log s, s = 1 - (1 - r) x."""
    if abs(eta * log_r) < SPACING:  # the limit at 0, where eta log r may be a few times the least float, rounded
        return log_s / log_r
    if eta > 0:
        return exp(eta * (log_r - log_s)) * expm1(eta * log_s) / expm1(eta * log_r)
    return expm1(-eta * log_s) / expm1(-eta * log_r)
