"""Hockey-stick divergences of Gaussian pairs as balls: by integrating their definition, and from the closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import acb, arb
from numpy.typing import ArrayLike
from scipy.special import erfcx, log_ndtr

from lemmata.bounds.exact.balls import Phi, exact, integral
from lemmata.bounds.exact.numbers import Array, Number

REACH = 30  # standard deviations: what lies further out has mass below e^-450
SQRT_HALF_PI = np.sqrt(np.pi / 2)
LOG_SQRT_2PI = np.log(2 * np.pi) / 2
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def density(z: Any, centre: Any = 0) -> Any:
    """The normal density of unit variance, of complex balls too."""
    return (-((z - centre) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()


def hockey_stick(epsilon: Number, shift: Number) -> arb:
    """H_{e^epsilon}(N(0, 1), N(shift, 1)) as a ball, by integrating (p - e^epsilon q)_+, no closed form.

    p > e^epsilon q is x < shift / 2 - epsilon / shift. Left of -R the integral is between 0 and phi(R) / R,
    by Mills.
    """
    epsilon, shift = exact(epsilon), exact(shift)
    end = shift / 2 - epsilon / shift
    reach = REACH + max(0.0, -float(end))
    fine = max(1e-60, 1e-40 * min(1.0, float(density(end))))

    def gain(z: acb, _: bool) -> acb:
        return density(z) - epsilon.exp() * density(z, shift)

    return integral(gain, -reach, end, accuracy=fine) + (density(exact(reach)) / reach).union(arb(0))


def hockey_stick_of_two(epsilon: Number, first: Number, second: Number) -> arb:
    """H_{e^epsilon}(N(0, I), N((first, second), I)) as a ball, one curve averaged over the other coordinate.

    (p1 p2 - e^epsilon q1 q2)_+ = p1 (p2 - e^{epsilon - L} q2)_+ with L = log p1 / q1. Beyond R it is
    between 0 and 2 phi(R) / R.
    """
    epsilon, first, second = exact(epsilon), exact(first), exact(second)
    root = arb(2).sqrt()

    def stick(z: acb, _: bool) -> acb:
        left = epsilon - first**2 / 2 + first * z
        u = left / second - second / 2
        return density(z) * ((u / root).erfc() - left.exp() * ((u + second) / root).erfc()) / 2

    body = integral(stick, -REACH, REACH, accuracy=1e-30)
    return body + (2 * density(exact(REACH)) / REACH).union(arb(0))


def closed_form(epsilon: Number, mu: Number) -> arb:
    """The curve as a ball, from its closed form."""
    epsilon, mu = exact(epsilon), exact(mu)
    u = epsilon / mu - mu / 2
    return Phi(-u) - epsilon.exp() * Phi(-u - mu)


# The curve, numerically -----------------------------------------------------------------------------------------------


def mills(x: ArrayLike) -> Array:
    """The Mills ratio Phi(-x) / phi(x), for x above about -37; positive and decreasing.

    >>> round(float(mills(0.0)), 6)
    1.253314
    """
    return SQRT_HALF_PI * erfcx(np.asarray(x, dtype=float) / np.sqrt(2))


def mills_slope(x: ArrayLike) -> Array:
    """-m'(x) = 1 - x m(x) > 0. From x = 4 on a continued fraction c with m = 1 / (x + c) avoids the cancellation."""
    x = np.asarray(x, dtype=float)
    tail, far = np.zeros_like(x), np.maximum(x, 4.0)
    for k in range(80, 0, -1):
        tail = k / (far + tail)
    return np.where(x < 4, 1 - x * mills(np.minimum(x, 4.0)), tail / (far + tail))


def mills_drop(u: Array, mu: Array) -> Array:
    """m(u) - m(u + mu) for mu > 0, to nearly full precision also where the two are close.

    If m falls by less than half, the drop is the integral of -m' over [u, u + mu] (Gauss-Legendre).
    """
    near, far = mills(u), mills(u + mu)
    points = np.add.outer(NODES, np.zeros_like(u)) * (mu / 2) + (u + mu / 2)
    integral = mu / 2 * np.tensordot(WEIGHTS, mills_slope(points), axes=1)
    return np.where(far < near / 2, near - far, integral)


def log_gaussian_delta(epsilon: ArrayLike, mu: ArrayLike) -> Any:
    """log delta(epsilon; mu), elementwise, for real or infinite epsilon and 0 <= mu <= inf.

    Stable from mu = 1e-300 to 1e150 and for every epsilon: logarithms are added, and only small numbers exponentiated.
    Edges: mu = 0 gives (1 - e^epsilon)_+, mu = inf gives 1, epsilon = inf gives 0 (log -inf).
    """
    epsilon, mu = np.broadcast_arrays(np.asarray(epsilon, dtype=float), np.asarray(mu, dtype=float))
    size = np.abs(epsilon)
    inner = (mu > 0) & np.isfinite(mu) & np.isfinite(size)
    e, m = np.where(inner, size, 1.0), np.where(inner, mu, 1.0)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        u = np.minimum(e / m, 1e155) - m / 2
        right = np.maximum(u, -1.0)  # phi(u) [m(u) - m(u + mu)], for u >= -1
        from_mills = -(right**2) / 2 - LOG_SQRT_2PI + np.log(mills_drop(right, m))
        left = np.minimum(u, -1.0)  # Phi(-u) (1 - m(u + mu) / m(u)), for u < -1, where mu > 2
        ratio = np.log(mills(left + m)) - (log_ndtr(-left) + left**2 / 2 + LOG_SQRT_2PI)
        from_cdf = log_ndtr(-left) + np.log1p(-np.exp(np.minimum(ratio, -1e-300)))
        above = np.where(u < -1, from_cdf, from_mills)
        # epsilon < 0: H_{e^-a}(P, Q) = 1 - e^-a + e^-a H_{e^a}(Q, P), and the Gaussian pair is symmetric.
        below = np.log(-np.expm1(-e) + np.exp(-e + above))
        out = np.where(epsilon < 0, below, above)
        edge = np.where(epsilon < 0, np.log(-np.expm1(np.minimum(epsilon, 0.0))), -np.inf)
    out = np.where(inner, out, np.where(mu == np.inf, np.where(epsilon == np.inf, -np.inf, 0.0), edge))
    out = np.where(np.isnan(mu) | np.isnan(epsilon) | (mu < 0), np.nan, np.minimum(out, 0.0))
    return out[()]


def hockey_stick_of_masses(p: ArrayLike, q: ArrayLike, epsilon: ArrayLike) -> Any:
    """H_{e^epsilon}(P, Q) = sum_o (p_o - e^epsilon q_o)_+ of two finite laws, shape (..., outputs) -> (...)."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.where(np.asarray(q) > 0, np.exp(epsilon) * np.asarray(q, dtype=float), 0.0)
    return np.maximum(np.asarray(p, dtype=float) - scaled, 0.0).sum(axis=-1)
