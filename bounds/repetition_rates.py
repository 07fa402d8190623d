"""How many repetitions private tuning needs for other laws of K: Appendix M of Wang, Zhu & Wang (2025).

As in `bounds.repetitions`, with K ~ TNB(eta, r) for any eta > -1. Where u = 1/r and v = 1 + (u - 1)/|Theta|,

    failure <= beta    iff    v^-eta <= beta + (1 - beta) u^-eta        (eta > 0).

The paper drops the last term. That makes the condition stronger: sufficient, but no longer necessary.
"""

from __future__ import annotations

from math import exp, expm1, inf, log, log1p

import numpy as np
from scipy.optimize import brentq

from bounds.repetitions import ABOVE_ONE, FAILURE, UNIT_BETA
from bounds.theorem import at_least, integer, positive, require, theorem
from bounds.tnb import ETA, UNIT_R, WZW25, generating

LOG_N = require("log n > 1, so that |Theta| = log n > 1", lambda n: bool(np.all(np.log(n) > 1)))
SMALL_R = r"r\le\frac{\beta^{1/\eta}}{|\Theta|+\beta^{1/\eta}-|\Theta|\beta^{1/\eta}}"
FAILS_POLYNOMIALLY = FAILURE + r"\le n^{-\alpha}\ \Rightarrow\ "


# Lemma M.1 ----------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemM.1.s1",
    parent="wzw25.lemM.1",
    says=r"PGF(1-t)\le\frac{(r+t-rt)^{-\eta}}{r^{-\eta}},\quad t=1/|\Theta|",
    needs=[positive("eta"), UNIT_R, integer("size")],
    source=f"{WZW25}, proof of Lemma M.1",
)
def relaxation(*, eta, r, size):
    """The proof's relaxation: both ones are dropped

    (a - 1)/(b - 1) <= a/b for 1 <= a <= b and b > 1, because a (b - 1) - b (a - 1) = b - a >= 0. Here a = s^-eta and
    b = r^-eta with r <= s = r + t - r t <= 1.
    """
    return exp(eta * (log(r) - log(r + (1 - r) / size)))


@theorem(
    "wzw25.lemM.1.s2",
    parent="wzw25.lemM.1",
    kind="identity",
    says=r"\frac{(r+t-rt)^{-\eta}}{r^{-\eta}}\le\beta\ \Rightarrow\ " + SMALL_R,
    needs=[positive("eta"), UNIT_BETA, integer("size")],
    source=f"{WZW25}, proof of Lemma M.1, Equation 31 and below",
)
def largest_r_relaxed(*, eta, beta, size):
    """Equation 31 solved for r: an equivalence

    With b = beta^(1/eta) in (0, 1): r <= b (r + t - r t) iff r (1 - b + b t) <= b t iff r (m + b - m b) <= b, m = 1/t.
    What it bounds is the relaxation, not the failure probability: it gives "sufficient", never "necessary".
    """
    return _relaxed_r(eta, beta, size)


def _relaxed_r(eta, beta, size):
    return exp(-_log_inverse_relaxed_r(eta, beta, size))


def _log_inverse_relaxed_r(eta, beta, size):
    """log(1 + size (beta^(-1/eta) - 1))."""
    return float(np.logaddexp(0, log(size) + _log_expm1(-log(beta) / eta)))


def _log_expm1(x):
    return x + log1p(-exp(-x)) if x > 1 else log(expm1(x))


@theorem(
    "wzw25.lemM.1",
    says=FAILURE + r"\le\beta\ \Rightarrow\ " + SMALL_R,
    needs=[positive("eta"), UNIT_BETA, integer("size")],
    source=f"{WZW25}, Lemma M.1; eta > 0 by the title of Appendix M.2",
)
def largest_r_as_printed(*, eta, beta, size):
    """What a failure probability of at most beta is said to imply for r

    1/r >= |Theta| beta^(-1/eta) + 1 - |Theta|.

    >>> round(largest_r_as_printed(eta=1, beta=0.5, size=2), 12)
    0.333333333333
    """
    return _relaxed_r(eta, beta, size)


@theorem(
    "wzw25.lemM.1",
    part="sufficient",
    reading="corrected",
    says=SMALL_R + r"\ \Rightarrow\ " + FAILURE + r"\le\beta",
    needs=[positive("eta"), UNIT_BETA, integer("size")],
    source=f"{WZW25}, proof of Lemma M.1, read backwards",
)
def sufficiently_small_r(*, eta, beta, size):
    """What the proof of Lemma M.1 proves: so small an r suffices

    Equation 31 holds (step 2 is an equivalence), and the failure probability is below its left side (step 1).
    """
    return _relaxed_r(eta, beta, size)


@theorem(
    "wzw25.lemM.1",
    reading="corrected",
    says=FAILURE + r"\le\beta\iff r\le r^*,\quad"
    r"\left(1+\tfrac{u-1}{|\Theta|}\right)^{-\eta}=\beta+(1-\beta)u^{-\eta}\ \mathrm{at}\ u=1/r^*",
    needs=[ETA, UNIT_BETA, integer("size")],
    source=f"{WZW25}, Lemma M.1",
)
def largest_r(*, eta, beta, size):
    """The exact largest r, for every eta > -1 (at eta = 0 the equation is log(1 + (u-1)/|Theta|) = (1 - beta) log u)

    The likelihood ratio of TNB(eta, r) against TNB(eta, r'), r > r', is proportional to ((1 - r)/(1 - r'))^k and falls
    in k, so E x^K increases in r for x in (0, 1): the admissible r form an interval (0, r*]. Divide s^-eta - 1 <=
    beta (r^-eta - 1) by r^-eta, s/r = 1 + (u - 1)/|Theta|, to get the equation. r* = 1 if beta >= 1 - 1/|Theta| (one
    draw does it), and 0 if -1 < eta < 0 and beta <= 1 - |Theta|^eta (no r does it).

    >>> round(largest_r(eta=1, beta=0.2, size=5), 12), largest_r(eta=1, beta=0.5, size=2)
    (0.0625, 1.0)
    """
    return exp(-log_inverse_r(eta, beta, size))


def log_inverse_r(eta, beta, size):
    """log(1/r*), which may be too large for 1/r* to be a float; inf if no r is admissible, 0 if all are.

    `size` may be real: Appendix M.3 puts log n there.
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
            high = min(high, _log_inverse_relaxed_r(eta, beta, size))

    def excess(w):
        """log(failure probability / beta) at 1/r = e^w, where s = r + (1 - r)/size."""
        log_s = log1p((1 - 1 / size) * expm1(-w)) if w < 1 else float(np.logaddexp(log1p(-1 / size) - w, -log(size)))
        if eta > 0:
            return eta * (-w - log_s) + log(expm1(eta * log_s) / expm1(-eta * w)) - log(beta)
        return log(generating(eta, -w, log_s)) - log(beta)

    low, high = 1e-9 * min(high, 1.0), high * (1 + 1e-12)
    return brentq(excess, low, high, rtol=1e-14) if excess(low) > 0 else 0.0


@theorem(
    "wzw25.lemM.1",
    part="negative-eta",
    reading="explicit",
    says=r"-1\lt\eta\lt 0:\ " + FAILURE + r"\gt 1-|\Theta|^{\eta}\ \mathrm{for\ every}\ r",
    needs=[
        require("-1 < eta < 0", lambda eta: bool(np.all((np.asarray(eta) > -1) & (np.asarray(eta) < 0)))),
        UNIT_R,
        integer("size", 2),
    ],
    source=f"{WZW25}, Appendix M (which stops at eta > 0)",
)
def unavoidable_failure(*, eta, r, size):
    """Below eta = 0 no r makes the failure probability small

    It increases in r, and its limit at r = 0 is 1 - |Theta|^eta, never attained. So the printed formula has no reading
    there: with beta^(1/eta) > 1 its right-hand side can even be negative.

    >>> round(unavoidable_failure(eta=-0.5, r=0.01, size=4), 12)
    0.5
    """
    return -expm1(eta * log(size))


# Appendix M.3 -------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.M.3",
    part="rearranged",
    kind="identity",
    says=r"\beta^{-1/\eta}|\Theta|+(1-|\Theta|)=(n^{\alpha/\eta}-1)\log n+1,\quad\beta=n^{-\alpha},\ |\Theta|=\log n",
    needs=[positive("alpha"), positive("eta"), LOG_N],
    source=f"{WZW25}, Appendix M.3",
)
def inverse_r_rearranged(*, n, alpha, eta):
    """Lemma M.1's formula for 1/r at beta = n^-alpha, |Theta| = log n

    1 / (b/(m + b - m b)) = m/b + 1 - m with b = beta^(1/eta) = n^(-alpha/eta).
    """
    return (n ** (alpha / eta) - 1) * log(n) + 1


@theorem(
    "wzw25.M.3",
    part="inverse-r",
    says=FAILS_POLYNOMIALLY + r"\frac1r\ge(n^{\alpha/\eta}-1)\log n+1",
    needs=[positive("alpha"), positive("eta"), LOG_N],
    source=f"{WZW25}, Appendix M.3",
)
def inverse_r_as_printed(*, n, alpha, eta):
    """The lower bound on 1/r that Appendix M.3 draws from Lemma M.1, with |Theta| = log n

    >>> round(inverse_r_as_printed(n=8, alpha=1, eta=1), 3)
    15.556
    """
    return (n ** (alpha / eta) - 1) * log(n) + 1


def rate_constant(eta):
    """c(eta) = (1 - 1.5^-eta)^(1/eta) / 2: increasing from 0 (at eta = 0) to 1/2 (at infinity)."""
    return 0.5 * exp(log(-expm1(-eta * log(1.5))) / eta)


@theorem(
    "wzw25.M.3",
    part="inverse-r",
    reading="corrected",
    says=FAILS_POLYNOMIALLY + r"\frac1r\ge\tfrac12(1-1.5^{-\eta})^{1/\eta}n^{\alpha/\eta},\quad|\Theta|\ge 2",
    needs=[positive("alpha"), positive("eta"), at_least("n", 2)],
    source=f"{WZW25}, Appendix M.3",
)
def inverse_r(*, n, alpha, eta):
    """A lower bound on 1/r that does follow, for every |Theta| >= 2

    Let u = 1/r, v = 1 + (u - 1)/|Theta| <= u, beta = n^-alpha. Failure at most beta is v^-eta <= beta + (1 - beta)
    u^-eta, so v^-eta (1 - (v/u)^eta) <= beta. As u = |Theta| v - (|Theta| - 1) >= 2v - 1, v >= 2 gives u/v >= 1.5 and
    v >= (1 - 1.5^-eta)^(1/eta) beta^(-1/eta). If v < 2, then v = 2 is admissible too (larger u always are), so that
    2 >= (1 - 1.5^-eta)^(1/eta) beta^(-1/eta), and v >= 1 is half of it. Finally u >= v.
    """
    return rate_constant(eta) * n ** (alpha / eta)


@theorem(
    "wzw25.M.3",
    part="rate",
    reading="explicit",
    says=FAILS_POLYNOMIALLY
    + r"\mathbb{E}[K]\ge\min(1,\eta)\tfrac12(1-1.5^{-\eta})^{1/\eta}n^{\alpha/\eta},\quad|\Theta|\ge 2",
    needs=[positive("alpha"), positive("eta"), at_least("n", 2)],
    source=f"{WZW25}, Appendix M.3",
)
def expected_repetitions(*, n, alpha, eta):
    """The expected repetitions grow as n^(alpha/eta), with our constant

    E K >= min(1, eta)/r: r E K = eta (1 - r)/(1 - r^eta) is at least 1 for eta >= 1, because 1 - r^eta <= eta (1 - r)
    (Bernoulli), and at least eta for eta < 1, because r^eta >= r. Then the bound on 1/r.
    """
    return min(1.0, eta) * rate_constant(eta) * n ** (alpha / eta)


@theorem(
    "wzw25.M.3",
    part="rate",
    kind="rate",
    says=r"\mathbb{E}[K]\ge\tilde{\Omega}(n^{\alpha/\eta}),\quad\alpha,\eta\ \mathrm{fixed},\ n\to\infty",
    needs=[positive("alpha"), positive("eta"), LOG_N],
    source=f"{WZW25}, Appendix M.3",
)
def repetitions_rate(*, n, alpha, eta):
    """The expected number of repetitions is at least of order n^(alpha/eta), for fixed alpha and eta

    The expression inside the paper's O-tilde. Free logarithms: powers of log n; the constant may depend on eta.
    """
    return n ** (alpha / eta)


@theorem(
    "wzw25.M.3",
    part="rate-uniform",
    kind="rate",
    says=r"\mathbb{E}[K]\ge\tilde{\Omega}(n^{\alpha/\eta})\ \mathrm{with\ one\ constant\ for\ all}\ \eta\gt 0",
    needs=[positive("alpha"), positive("eta"), LOG_N],
    source=f"{WZW25}, Appendix M.3",
)
def repetitions_rate_uniform(*, n, alpha, eta):
    """The same with one constant for all eta > 0, the other reading of the sentence"""
    return n ** (alpha / eta)


@theorem(
    "wzw25.M.3",
    part="rate-uniform",
    reading="corrected",
    says=FAILS_POLYNOMIALLY
    + r"\mathbb{E}[K]\ge\frac{\alpha\log n}{-\log(1-1/|\Theta|)}\ge(|\Theta|-1)\,\alpha\log n,\quad\eta\gt-1",
    needs=[positive("alpha"), ABOVE_ONE, integer("size", 2)],
    source=f"{WZW25}, Appendix M.3 and the end of Section 7.1",
)
def repetitions_of_any_law(*, n, alpha, size):
    """A lower bound on the expected repetitions for every eta > -1, indeed for every law of K

    Jensen: n^-alpha >= E x^K >= x^(E K) at x = 1 - 1/|Theta|; and -log(1 - t) <= t/(1 - t). With |Theta| = log n this
    is alpha (log n)^2 up to lower terms: no choice of eta reaches O(log n) repetitions, as the paper expects; but
    eta = log n comes within polylogarithms, so polynomially many are not needed.
    """
    return alpha * log(n) / -log1p(-1 / size)
