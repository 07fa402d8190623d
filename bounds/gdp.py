"""Gaussian differential privacy: Definitions 2.1 and 2.2, Remark 2.3 and Appendix E.1 of Wang, Zhu & Wang
(2025).

A mechanism is mu-GDP if telling two neighbouring datasets apart from its release is at least as hard as
telling N(0, 1) from N(mu, 1). How hard that is, the *curve* says: the smallest delta such that the pair is
(epsilon, delta)-indistinguishable, for every real epsilon. With the Mills ratio m(x) = Phi(-x) / phi(x),

    delta(epsilon; mu) = Phi(-u) - e^epsilon Phi(-u - mu) = phi(u) [m(u) - m(u + mu)],    u = epsilon / mu -
    mu / 2,

because phi(u + mu) = e^-epsilon phi(u). All of Appendix E follows from the right-hand side: m is positive
and decreasing.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtri

from bounds.theorem import in_unit_interval, require, theorem

WZW25 = "Wang, Zhu & Wang 2025"
SQRT_HALF_PI = np.sqrt(np.pi / 2)
LOG_SQRT_2PI = np.log(2 * np.pi) / 2
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


# The curve, numerically -----------------------------------------------------------------------------------


def mills(x):
    """The Mills ratio Phi(-x) / phi(x), for x above about -37; positive and decreasing.

    >>> round(float(mills(0.0)), 6)
    1.253314
    """
    return SQRT_HALF_PI * erfcx(np.asarray(x, dtype=float) / np.sqrt(2))


def mills_slope(x):
    """-m'(x) = 1 - x m(x) > 0. From x = 4 on a continued fraction c with m = 1 / (x + c) avoids the cancellation."""
    x = np.asarray(x, dtype=float)
    tail, far = np.zeros_like(x), np.maximum(x, 4.0)
    for k in range(80, 0, -1):
        tail = k / (far + tail)
    return np.where(x < 4, 1 - x * mills(np.minimum(x, 4.0)), tail / (far + tail))


def mills_drop(u, mu):
    """m(u) - m(u + mu) for mu > 0, to nearly full precision also where the two are close.

    If m falls by less than half, the drop is the integral of -m' over [u, u + mu] (Gauss-Legendre).
    """
    near, far = mills(u), mills(u + mu)
    points = np.add.outer(NODES, np.zeros_like(u)) * (mu / 2) + (u + mu / 2)
    integral = mu / 2 * np.tensordot(WEIGHTS, mills_slope(points), axes=1)
    return np.where(far < near / 2, near - far, integral)


def log_gaussian_delta(epsilon, mu):
    """log delta(epsilon; mu), elementwise, for real or infinite epsilon and 0 <= mu <= inf.

    Stable from mu = 1e-300 to 1e150 and for every epsilon: nothing is exponentiated before it is small.
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


# The statements -------------------------------------------------------------------------------------------


@theorem(
    "wzw25.def2.1",
    kind="definition",
    says=r"\Pr[\mathcal{M}(X)\in O]\le e^{\varepsilon}\,\Pr[\mathcal{M}(X')\in O]+\delta",
    needs=[in_unit_interval("epsilon"), in_unit_interval("delta")],
    source=f"{WZW25}, Definition 2.1",
)
def approximate_dp_excess(*, p, q, epsilon, delta):
    """Approximate differential privacy: by how much one pair of finite laws breaks it.

    max_O P(O) - e^epsilon Q(O) - delta, at most 0 if the pair is within the guarantee; the worst event is
    {p > e^epsilon q}. `p`, `q`: probabilities, shape (outputs,). X and X' have n records each and differ in
    one (replacement). The paper prints epsilon in (0, 1) here and uses the definition up to epsilon = 8
    log(1/delta) (Lemma E.3).

    >>> round(float(approximate_dp_excess(p=[0.6, 0.4], q=[0.4, 0.6], epsilon=0.25, delta=0.1)), 4)
    -0.0136
    """
    return hockey_stick(p, q, epsilon) - delta


def hockey_stick(p, q, epsilon):
    """H_{e^epsilon}(P, Q) = sum_o (p_o - e^epsilon q_o)_+ of two finite laws, shape (..., outputs) -> (...)."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.where(np.asarray(q) > 0, np.exp(epsilon) * np.asarray(q, dtype=float), 0.0)
    return np.maximum(np.asarray(p, dtype=float) - scaled, 0.0).sum(axis=-1)


@theorem(
    "wzw25.def2.2",
    kind="definition",
    says=r"H_{e^{\varepsilon}}(\mathcal{M}(X)\,\|\,\mathcal{M}(X'))\le "
    r"H_{e^{\varepsilon}}(\mathcal{N}(0,1)\,\|\,\mathcal{N}(\mu,1)),\quad \forall\varepsilon\in\mathbb{R}",
    source=f"{WZW25}, Definition 2.2",
)
def smallest_gdp(*, p, q):
    """Gaussian differential privacy: the smallest mu for one pair of finite laws.

    The trade-off function of a finite pair is piecewise linear and that of the Gaussian pair convex, so the
    domination for all real epsilon need only be checked at the vertices (alpha_i, beta_i), the errors of
    the likelihood-ratio tests: mu = max_i Phi^-1(1 - alpha_i) - Phi^-1(beta_i). Infinite if an output is
    possible under one law only. `p`, `q`: probabilities, shape (outputs,). The printed definition covers
    both orders of a pair by itself.

    >>> p = [0.9, 0.1]; round(float(smallest_gdp(p=p, q=p[::-1])), 4)
    2.5631
    """
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    if np.any((p > 0) != (q > 0)):
        return np.inf
    p, q = p[p > 0], q[p > 0]
    order = np.argsort(np.log(q) - np.log(p))  # reject "p" first where q / p is largest
    alpha = np.cumsum(p[order][::-1])[:-1]
    beta = np.cumsum(q[order])[:-1][::-1]
    return float(np.max(-ndtri(alpha) - ndtri(beta), initial=0.0))


@theorem(
    "wzw25.def2.2",
    part="curve",
    reading="explicit",
    kind="identity",
    says=r"H_{e^{\varepsilon}}(\mathcal{N}(0,1)\,\|\,\mathcal{N}(\mu,1))="
    r"\Phi\left(-\frac{\varepsilon}{\mu}+\frac{\mu}{2}\right)-e^{\varepsilon}\,\Phi\left(-\frac{\varepsilon}{\mu}-\frac{\mu}{2}\right)",
    needs=[require("mu >= 0", lambda mu: bool(np.all(np.asarray(mu) >= 0)))],
    source=f"{WZW25}, Definition 2.2; Balle & Wang 2018, Theorem 8",
)
def gaussian_delta(*, epsilon, mu):
    """The exact curve delta(epsilon; mu) of the Gaussian pair, every real epsilon.

    p / q = exp(mu^2 / 2 - mu x) falls in x, so {p > e^epsilon q} is the half-line x < mu / 2 - epsilon / mu
    = -u, on which P has mass Phi(-u) and Q has mass Phi(-u - mu). Evaluated in log space
    (`log_gaussian_delta`).

    >>> round(float(gaussian_delta(epsilon=1.0, mu=1.0)), 10)
    0.126936737
    """
    return np.exp(log_gaussian_delta(epsilon, mu))[()]
