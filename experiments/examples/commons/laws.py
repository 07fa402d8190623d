"""Laws that several areas compare with: the normal privacy curve, coins and chi-square variables."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binom, chi2

from lemmata.paper import Phi, exact, exp

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def gaussian_curve(epsilon: Any, mu: Any) -> Any:
    """The least delta of N(0, 1) against N(mu, 1) at epsilon: P(A) - e^epsilon Q(A), A where the ratio is larger."""
    epsilon, mu = exact(epsilon), exact(mu)
    return Phi(mu / 2 - epsilon / mu) - exp(epsilon) * Phi(-mu / 2 - epsilon / mu)


def count_at_least(n: int, k: int, p: float) -> float:
    """P(Bin(n, p) >= k)."""
    return float(binom.sf(k - 1, n, p))


def escapes(radius: Callable[[Any], Any], n: int, p: float, sides: int) -> float:
    """P(p - mean > radius), or on both `sides`, for n coins; the radius is a function of their empirical means."""
    means = np.arange(n + 1) / n
    out = p - means if sides == 1 else abs(p - means)
    return float(np.sum(binom.pmf(np.arange(n + 1), n, p)[out > radius(means)]))


def integrate_pieces(function: Callable[[Any], Any], kinks: list[float], reach: float) -> float:
    """The integral over `reach` on both sides of the kinks, by 40 nodes of Gauss on each of 30 pieces and more."""
    ends = np.unique([*kinks, *np.linspace(min(kinks) - reach, max(kinks) + reach, 31)])
    half = np.diff(ends)[:, None] / 2
    return float(np.sum(function(ends[:-1, None] + half * (1 + NODES)) * WEIGHTS * half))


def laplace_tail(x: Any) -> Any:
    """The density of standard Laplace noise, and its tail beyond |x|."""
    return np.exp(-abs(x)) / 2


def laplace_above(x: Any) -> Any:
    """The chance that standard Laplace noise is above x."""
    return np.where(x > 0, laplace_tail(x), 1 - laplace_tail(x))


def chi_square_strays(k: int, epsilon: float) -> float:
    """P(|Z/k - 1| > epsilon) of a chi-square variable with k degrees of freedom."""
    return float(chi2.sf((1 + epsilon) * k, k) + chi2.cdf((1 - epsilon) * k, k))
