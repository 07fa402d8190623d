r"""Rates as sums of monomials, those that Tables 1 and 2 of Wang, Zhu & Wang (2025) print and those they quote.

A rate is a list of terms, each the exponents of the sample size n, the margin gamma (Table 2: a = C b / gamma), epsilon
<= 1, the ramp loss R of the best classifier (BMS22's margin loss), and the number s of outliers. Square roots of sums
are written as sums of square roots, equal up to sqrt 2. Logarithms of n, 1/beta and 1/delta are left out, as both
tables do; that of 1/gamma in Theorem 3.1 of BMS22 is at most log n wherever its bound is below 1.
"""

from __future__ import annotations

from math import inf, prod


def term(**powers):
    """One monomial: the exponents by name."""
    return powers


def value(rate, **arguments):
    """The rate at a point: the sum of its monomials; 0 to a negative power is +inf."""
    return sum(prod(_power(arguments[name], power) for name, power in one.items()) for one in rate)


def quotient(one, other, **arguments):
    """One rate over another at a point."""
    return value(one, **arguments) / value(other, **arguments)


def _power(base, exponent):
    return inf if base == 0 and exponent < 0 else base**exponent


# What the sources print, for C = b = 1 and epsilon <= 1

MARGIN_LOSS = [  # BMS22, Theorem 3.1, excess over the margin loss R of w: Gamma, then the square root
    term(n=-1, gamma=-2, epsilon=-1),
    term(n=-1, gamma=-2),
    term(n=-1),
    term(R=0.5, n=-0.5, gamma=-1),
    term(R=0.5, n=-0.5),
]
HINGE_LOSS = [term(n=-0.5), term(n=-0.5, gamma=-1), term(n=-0.5, gamma=-1, epsilon=-0.5)]  # BMS22, Theorem 3.2
ADAPTIVE = [term(n=-1, gamma=-2, epsilon=-1), term(s=1, n=-1, gamma=-1)]  # Theorem 4.1, min{epsilon, 1} = epsilon


# The same for ||x|| <= b, ||w|| <= C, a = C b / gamma; in Theorem L.2 a = b / gamma

MARGIN_LOSS_BALL = [
    term(n=-1, a=2, epsilon=-1),
    term(n=-1, a=2),
    term(n=-1),
    term(R=0.5, n=-0.5, a=1),
    term(R=0.5, n=-0.5),
]
HINGE_LOSS_BALL = [term(n=-0.5), term(n=-0.5, a=1), term(n=-0.5, a=1, epsilon=-0.5)]
ADAPTIVE_BALL = [
    term(n=-1, a=2),
    term(n=-1, a=2, epsilon=-1),
    term(s=1, n=-1, a=1),
    term(n=-1, epsilon=-1),
    term(n=-1),
]


# What the tables print

TABLE1_REALIZABLE = [term(n=-1, gamma=-2, epsilon=-1)]
TABLE1_MARGIN = [*TABLE1_REALIZABLE, term(R=0.5, n=-1, gamma=-1), term(R=0.5, n=-0.5)]  # 1/(n^2 gamma^2) + 1/n
TABLE1_HINGE = [term(n=-0.5, gamma=-1, epsilon=-0.5)]
TABLE1_ADAPTIVE = [term(s=1, n=-1, gamma=-1), term(n=-1, gamma=-2, epsilon=-1)]
TABLE2_MARGIN = [
    term(n=-1),
    term(n=-1, a=2),
    term(n=-1, a=2, epsilon=-1),
    term(R=0.5, n=-0.5, a=1),
    term(R=0.5, n=-0.5),
]
TABLE2_HINGE = [term(n=-0.5), term(n=-0.5, a=1), term(n=-0.5, a=1, epsilon=-0.5)]
TABLE2_ADAPTIVE = [term(n=-1, a=2, epsilon=-1), term(s=1, n=-1, a=1)]
SECTION_1_2 = [term(n=-0.5, gamma=-1), term(n=-1, gamma=-2, epsilon=-1)]


def at_unit_norms(rate):
    """A rate of Table 2 at C = b = 1, where a = 1 / gamma."""
    return [{("gamma" if n == "a" else n): (-p if n == "a" else p) for n, p in one.items()} for one in rate]
