"""The curve of Gaussian privacy and its inverses, rounded towards less privacy claimed:

delta(epsilon; mu) = Phi(mu / 2 - epsilon / mu) - e^epsilon Phi(-mu / 2 - epsilon / mu).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import inf, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfinv

from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.mechanisms.numerics.arithmetic import (
    as_real_array,
    certified_delta,
    lemma_epsilon,
    lemma_mu,
    newton_epsilon,
    rounded_down_in_range,
    rounded_up_in_range,
)

EXACT = {"xtol": 1e-300, "rtol": 8.9e-16}  # the root finder stops at the last bit
ROUNDING = 1e-14  # relative; the curve and the root finder are accurate to a few units in the last place


def gaussian_delta(epsilon: ArrayLike, mu: ArrayLike) -> Any:
    """Return the smallest delta such that mu-GDP implies (epsilon, delta)-DP, to nearly full precision, elementwise.

    The value is not rounded up and underflows to 0: to claim a guarantee take `to_approx`, which rounds up.

    Parameters
    ----------
    epsilon : float or array
        Real or infinite.
    mu : float or array
        0 <= mu <= inf; the two broadcast.

    Returns
    -------
    float or array
        In [0, 1].

    Raises
    ------
    ValueError
        In one line, for a number out of range.

    References
    ----------
    Balle & Wang (2018), Theorem 8; Dong, Roth & Su (2022), Corollary 2.13.

    Examples
    --------
    >>> float(gaussian_delta(1000.0, 40.0)), float(gaussian_delta(0.0, 1e-8))
    (2.536297e-07, 3.989423e-09)
    """
    epsilon, mu = as_real_array("epsilon", epsilon), as_real_array("mu", mu)
    if np.isnan(epsilon).any():
        raise ValueError("epsilon must be in [-inf, inf], got nan")
    if not (mu >= 0).all():
        raise ValueError(f"mu must be in [0, inf], got {np.min(mu)}")
    try:
        return np.exp(log_gaussian_delta(epsilon, mu))[()]
    except ValueError:
        raise ValueError(f"epsilon has shape {epsilon.shape} and mu {mu.shape}: they do not broadcast") from None


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the smallest epsilon >= 0 such that mu-GDP implies (epsilon, delta)-DP, rounded up.

    Parameters
    ----------
    mu : float
        0 <= mu <= inf.
    delta : float
        In [0, 1].

    Returns
    -------
    float
        Infinite if there is none (delta = 0), or none below the largest float.

    Raises
    ------
    ValueError
        In one line, for a number out of range.

    Examples
    --------
    >>> round(gaussian_epsilon(1.0, 1e-5), 4)
    4.3772
    """
    mu = rounded_up_in_range("mu", mu, 0, inf, closed=True)
    delta = rounded_down_in_range("delta", delta, 0, 1, closed=True)
    if delta == 1 or mu == 0:
        return 0.0
    if delta == 0 or mu == inf:
        return inf
    if certified_delta(0.0, mu) <= delta:
        return 0.0
    always = lemma_epsilon(mu, delta)
    if not 1e-150 < mu < 1e12:  # floats give up, and the lemma promises hardly more
        return always
    least = newton_epsilon(always, mu, delta)
    stride = max(least * ROUNDING, mu * 1e-16)
    while least < always and certified_delta(least, mu) > delta:
        least, stride = least + stride, 2 * stride
    return min(least, always)


def gaussian_mu(epsilon: float, delta: float) -> float:
    """Return the analytic Gaussian calibration: the largest mu that implies (epsilon, delta)-DP, rounded down.

    Parameters
    ----------
    epsilon : float
        0 <= epsilon <= inf.
    delta : float
        In [0, 1].

    Returns
    -------
    float
        0 if delta = 0 (no Gaussian noise is purely private), inf if delta = 1 or epsilon = inf.

    Raises
    ------
    ValueError
        In one line, for a number out of range.

    References
    ----------
    Balle & Wang (2018), Algorithm 1.

    Examples
    --------
    >>> round(gaussian_mu(1.0, 1e-5), 5)
    0.26805
    """
    epsilon = rounded_down_in_range("epsilon", epsilon, 0, inf, closed=True)
    delta = rounded_down_in_range("delta", delta, 0, 1, closed=True)
    if delta == 1 or epsilon == inf:
        return inf
    if delta == 0:
        return 0.0
    return _largest_mu(epsilon if epsilon >= 1e-290 else 0.0, delta)  # what is private at 0 is private at epsilon


@lru_cache(maxsize=1024)
def _largest_mu(epsilon: float, delta: float) -> float:
    """`gaussian_mu` inside its domain; kept, as one fit asks several times for one budget, and many fits do."""
    always = lemma_mu(epsilon, delta)
    if epsilon > 1e290:
        return always

    def excess(mu: float) -> float:
        return float(log_gaussian_delta(epsilon, mu) - log(delta))

    if epsilon == 0:  # delta = erf(mu / sqrt 8)
        largest = float(sqrt(8) * erfinv(delta))
    else:
        from scipy.optimize import brentq  # here: half a second, which reading the ledger need not pay

        t = sqrt(2 * -log(delta))
        low = high = 2 * epsilon / (sqrt(t * t + 2 * epsilon) + t)  # Lemma E.1 of wzw25 solved for mu
        while excess(high) <= 0:
            high *= 2
        largest = brentq(excess, low, high, **EXACT) if excess(low) < 0 else low
    largest = _step(largest, 1 - ROUNDING, lambda m: excess(m) <= 0)
    stride = max(largest * ROUNDING, 5e-324)
    while largest > always and certified_delta(epsilon, largest) > delta:
        largest, stride = largest - stride, 2 * stride
    return max(largest, always)


def _step(value: float, factor: float, safe: Callable[[float], bool]) -> float:
    """Move `value` by `factor` to the first that seems safe, and once more for the error of the curve."""
    for _ in range(100):
        if safe(value):
            break
        value *= factor
    return value * factor
