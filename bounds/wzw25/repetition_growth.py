"""How many repetitions private tuning needs for other laws of K: Appendix M of Wang, Zhu & Wang (2025).

As in `lemmata.bounds.wzw25.repetitions`, with K ~ TNB(eta, r) for any eta > -1. Where u = 1/r and
v = 1 + (u - 1)/|Theta|,

    failure <= beta    iff    v^-eta <= beta + (1 - beta) u^-eta        (eta > 0).

The paper drops the last term. That makes the condition stronger: sufficient, but no longer necessary.
"""

from typing import Any

import numpy as np

from lemmata.bounds.exact.numbers import log
from lemmata.bounds.theorem import at_least, integer, positive, require, theorem
from lemmata.bounds.wzw25.repetitions import ABOVE_ONE, FAILURE

LOG_N = require("log n > 1, so that |Theta| = log n > 1", lambda n: bool(np.all(np.log(n) > 1)))
FAILS_POLYNOMIALLY = FAILURE + r"\le n^{-\alpha}\ \Rightarrow\ "


# Appendix M.3 ---------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.M.3",
    part="rearranged",
    kind="identity",
    says=r"\beta^{-1/\eta}|\Theta|+(1-|\Theta|)=(n^{\alpha/\eta}-1)\log n+1,\quad\beta=n^{-\alpha},\ |\Theta|=\log n",
    needs=[positive("alpha"), positive("eta"), LOG_N],
)
def inverse_r_rearranged(*, n: Any, alpha: Any, eta: Any) -> Any:
    """The printed formula for 1/r, rearranged, at beta = n^-alpha and |Theta| = log n.

    1 / (b/(m + b - m b)) = m/b + 1 - m with b = beta^(1/eta) = n^(-alpha/eta).

    Derivation. With b = beta^(1/eta) = n^(-alpha/eta) and m = |Theta| = log n, 1/r = (m + b - m b)/b = m/b + 1 - m =
    (n^(alpha/eta) - 1) log n + 1.
    """
    return (n ** (alpha / eta) - 1) * log(n) + 1


@theorem(
    "wzw25.M.3",
    part="inverse-r",
    says=FAILS_POLYNOMIALLY + r"\frac1r\ge(n^{\alpha/\eta}-1)\log n+1",
    needs=[positive("alpha"), positive("eta"), LOG_N],
)
def inverse_r_as_printed(*, n: Any, alpha: Any, eta: Any) -> Any:
    """A lower bound on 1/r at beta = n^-alpha and |Theta| = log n, as printed.

    >>> round(float(inverse_r_as_printed(n=8, alpha=1, eta=1)), 3)
    15.556
    """
    return inverse_r_rearranged.theorem.formula(n=n, alpha=alpha, eta=eta)


def rate_constant(eta: Any) -> Any:
    """c(eta) = (1 - 1.5^-eta)^(1/eta) / 2: increasing from 0 (at eta = 0) to 1/2 (at infinity)."""
    return (1 - 1.5**-eta) ** (1 / eta) / 2


@inverse_r_as_printed.corrected(
    says=FAILS_POLYNOMIALLY + r"\frac1r\ge\tfrac12(1-1.5^{-\eta})^{1/\eta}n^{\alpha/\eta},\quad|\Theta|\ge 2",
    needs=[positive("alpha"), positive("eta"), at_least("n", 2)],
)
def inverse_r(*, n: Any, alpha: Any, eta: Any) -> Any:
    """A lower bound on 1/r at beta = n^-alpha that does follow, for every |Theta| >= 2.

    Let u = 1/r, v = 1 + (u - 1)/|Theta| <= u, beta = n^-alpha. Failure at most beta is v^-eta <= beta + (1 - beta)
    u^-eta, so v^-eta (1 - (v/u)^eta) <= beta. As u = |Theta| v - (|Theta| - 1) >= 2v - 1, v >= 2 gives u/v >= 1.5 and
    v >= (1 - 1.5^-eta)^(1/eta) beta^(-1/eta). If v < 2, then v = 2 is admissible too (larger u always are), so that
    2 >= (1 - 1.5^-eta)^(1/eta) beta^(-1/eta), and v >= 1 is half of it. Finally u >= v.
    """
    return rate_constant(eta) * n ** (alpha / eta)


@inverse_r_rearranged.explicit(
    part="rate",
    says=FAILS_POLYNOMIALLY
    + r"\mathbb{E}[K]\ge\min(1,\eta)\tfrac12(1-1.5^{-\eta})^{1/\eta}n^{\alpha/\eta},\quad|\Theta|\ge 2",
    kind="inequality",
    needs=[positive("alpha"), positive("eta"), at_least("n", 2)],
)
def expected_repetitions(*, n: Any, alpha: Any, eta: Any) -> Any:
    """The expected repetitions grow as n^(alpha/eta), with our constant.

    E K >= min(1, eta)/r: r E K = eta (1 - r)/(1 - r^eta) is at least 1 for eta >= 1, because 1 - r^eta <= eta (1 - r)
    (Bernoulli), and at least eta for eta < 1, because r^eta >= r. Then the bound on 1/r.
    """
    return min(1, eta) * inverse_r.theorem.formula(n=n, alpha=alpha, eta=eta)


@theorem(
    "wzw25.M.3",
    part="rate",
    kind="rate",
    says=r"\mathbb{E}[K]\ge\tilde{\Omega}(n^{\alpha/\eta}),\quad\alpha,\eta\ \mathrm{fixed},\ n\to\infty",
    needs=[positive("alpha"), positive("eta"), LOG_N],
)
def repetitions_rate(*, n: Any, alpha: Any, eta: Any) -> Any:
    """Expected repetitions grow at least as n^(alpha/eta), for fixed alpha and eta.

    The expression inside the paper's O-tilde. Free logarithms: powers of log n; the constant may depend on eta.
    """
    return n ** (alpha / eta)


@theorem(
    "wzw25.M.3",
    part="any-law",
    reading="explicit",
    says=FAILS_POLYNOMIALLY
    + r"\mathbb{E}[K]\ge\frac{\alpha\log n}{-\log(1-1/|\Theta|)}\ge(|\Theta|-1)\,\alpha\log n,\quad\eta\gt-1",
    needs=[positive("alpha"), ABOVE_ONE, integer("size", 2)],
    source=", and the end of Section 7.1",
)
def repetitions_of_any_law(*, n: Any, alpha: Any, size: Any) -> Any:
    """A lower bound on the expected repetitions for every eta > -1 and every law of K.

    Derivation. Jensen: n^-alpha >= E x^K >= x^(E K) at x = 1 - 1/|Theta|; and -log(1 - t) <= t/(1 - t). With |Theta| =
    log n this is alpha (log n)^2 up to lower terms: no choice of eta reaches O(log n) repetitions, as the paper
    expects; but eta = log n comes within polylogarithms, so polynomially many are not needed, and the constant of the
    rate n^(alpha/eta) depends on eta.
    """
    return alpha * log(n) / -log(1 - 1 / size)
