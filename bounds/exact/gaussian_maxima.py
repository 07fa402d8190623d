"""Exact laws of the maximum, the range and the noisy minimum of standard normals, as balls.

Z_1, ..., Z_n are independent N(0, 1); Phi is their distribution function, phi their density; the caller multiplies by
sigma. Integrals run over [-40, 40]; what lies beyond is enclosed by the normal tail there, below 1e-340 for n <= 1e12.
"""

import functools

from flint import acb, arb

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import (
    Phi,
    complex_Phi,
    complex_phi,
    exact,
    integral,
    log_Phi,
    phi,
    power_complement,
    precise,
)
from lemmata.bounds.exact.numbers import Number

REACH = 40


def _within(value: arb, slack: arb) -> arb:
    """`value` widened by `slack` on both sides."""
    return value + arb(0, 1) * slack


@precise
def max_exceeds(n: Number, z: Number) -> arb:
    """P(max of n >= z) = 1 - Phi(z)^n, for any real n >= 1.

    >>> from scipy.stats import norm
    >>> round(float(max_exceeds(10, 2.0)) / float(1 - norm.cdf(2) ** 10), 12)
    1.0
    """
    return power_complement(log_Phi(z), n)


@functools.cache
@precise
def mean_max(n: int) -> arb:
    """E max of n = integral of z n phi(z) Phi(z)^(n-1), for an integer n.

    >>> round(float(mean_max(2)), 6)  # 1 / sqrt(pi)
    0.56419
    """
    n = int(n)
    if n == 1:
        return arb(0)
    inside = integral(lambda z, _: n * z * complex_phi(z) * complex_Phi(z) ** (n - 1), -REACH, REACH)
    return _within(inside, 2 * n * phi(REACH))  # beyond REACH: at most n |z| phi(z), integrated


@precise
def mean_min(n: int) -> arb:
    """E min of n = integral of z n phi(z) Phi(-z)^(n-1), for an integer n."""
    n = int(n)
    inside = integral(lambda z, _: n * z * complex_phi(z) * complex_Phi(-z) ** (n - 1), -REACH, REACH)
    return _within(inside, 2 * n * phi(REACH))


@precise
def min_at_most(n: Number, z: Number) -> arb:
    """P(min of n <= z) = 1 - (1 - Phi(z))^n, for any real n >= 1."""
    return power_complement((-Phi(z)).log1p(), n)


@precise
def range_exceeds(n: int, z: Number) -> arb:
    """P(max - min of n >= z) = 1 - integral of n phi(x) (Phi(x + z) - Phi(x))^(n-1), for an integer n, z > 0."""
    n, z = int(n), exact(z)
    if n == 1:
        return arb(0)
    inside = integral(lambda x, _: n * complex_phi(x) * (complex_Phi(x + z) - complex_Phi(x)) ** (n - 1), -REACH, REACH)
    return _within(1 - inside, 2 * n * Phi(-REACH))


@precise
def range_exceeds_at_most(n: Number, z: Number) -> arb:
    """A union bound over pairs, n (n - 1) / 2 times P(|Z_1 - Z_2| >= z), for any real n >= 1."""
    n = exact(n)
    return n * (n - 1) * Phi(-exact(z) / arb(2).sqrt())


@precise
def pair_exceeds(z: Number) -> arb:
    """P(Z_1 - Z_2 >= z) = Phi(-z / sqrt 2)."""
    return Phi(-exact(z) / arb(2).sqrt())


@precise
def best_loses(n: int, gap: Number) -> arb:
    """P(some rival is chosen) when one of n scores is 0, the others are `gap`, and the noisy minimum is taken.

    = P(Z_1 > gap + min(Z_2, ..., Z_n)) = integral of phi(x) (1 - Phi(gap - x)^(n-1)), for an integer n.
    """
    n, gap = int(n), exact(gap)
    if n == 1:
        return arb(0)
    inside = integral(lambda x, _: complex_phi(x) * (1 - complex_Phi(gap - x) ** (n - 1)), -REACH, REACH)
    return _within(inside, 2 * Phi(-REACH))


@precise
def mean_max_of_count(eta: Number, r: Number) -> arb:
    """E max of K standard normals, K independent with the law of Definition A.1.

    With G(x) = E x^K it is the integral over z > 0 of 1 - G(Phi(z)) - G(Phi(-z)).
    """
    eta, r = exact(eta), exact(r)

    def generating(x: acb, analytic: bool) -> acb:
        base = (1 - (1 - r) * x).log(analytic)
        if eta.is_zero():
            return base / r.log()
        return ((-eta * base).exp() - 1) / (-eta * r.log()).expm1()

    def tail(z: acb, analytic: bool) -> acb:
        return 1 - generating(complex_Phi(z), analytic) - generating(complex_Phi(-z), analytic)

    beyond = tnb.mean(eta, r) * phi(REACH)  # 1 - G(x) <= E K (1 - x), and G(x) >= 0
    return _within(integral(tail, 0, REACH), 2 * beyond)
