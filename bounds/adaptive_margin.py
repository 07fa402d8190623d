"""Adapting to the margin: the numbers of Algorithms 1, 2 and 3 of Wang, Zhu & Wang (2025).

Algorithm 3 runs noisy gradient descent on projected data (Algorithm 1) for every margin of the grid

    Gamma = {1/n, 2/n, 4/n, ..., 2^floor(log2 n)/n, 1},

spends half of the square of its Gaussian budget mu on these runs and half on their noisy zero-one errors, and releases
the run with the smallest (Algorithm 2). Rows have norm at most `radius` (the paper's b; 1 until Appendix L, where the
grid is multiplied by b). Neighbours differ in one replaced record. Why it is private: `bounds.adaptive_privacy`.

Misprints that matter to who implements. Algorithm 1's input line says Phi in R^{d x k}, line 2 needs k x d. Algorithm 5
says "L2 sensitivity of L"; what is perturbed is its gradient. Algorithm 3 initialises Theta = {phi}, meant empty.
Section 5.1 averages T iterates with the factor 1/(T - 1), Algorithm 5 with 1/T. Theorem 6.7 says "Eq. 6.6" for
Equation 3.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, log, nextafter, sqrt

import numpy as np

from bounds.gdp import budget_each, budget_each_at, gaussian_quantile_scale
from bounds.jl_margin import third_margin_rows
from bounds.margin_grid import doubling_grid


def margin_grid(n, radius=1.0):
    """Gamma as floats, ascending: {2^j radius / n : 0 <= j <= floor(log2 n)} and radius, as a set.

    >>> margin_grid(5).tolist(), margin_grid(4, radius=2.0).tolist()
    ([0.2, 0.4, 0.8, 1.0], [0.5, 1.0, 2.0])
    """
    return radius * np.array([float(level) for level in doubling_grid(int(n))])


def failure_probability(n):
    """beta = 1/n^2, what the theorems take; 1/4 for n = 1, where 1/n^2 is no failure probability."""
    return 1 / max(int(n), 2) ** 2


def projection_rows(n, gamma, radius=1.0, beta=None):
    """k_gamma: rows of a sign projection that keep a third of the margin gamma, for the whole grid at once.

    Algorithm 3 prints O(log(|Gamma| (n+1) (n+2) / beta) / gamma^2); this is Lemma 6.2, our constant, at beta / |Gamma|.

    >>> projection_rows(5000, 1.0)
    703
    """
    beta = failure_probability(n) if beta is None else beta
    return third_margin_rows(n=n, gamma=gamma, beta=beta / len(margin_grid(n)), b=radius)


def split_budget(mu, calls):
    """mu / sqrt(calls), the budget of each of several mechanisms that together spend mu; rounded down.

    >>> split_budget(0.5, 4)
    0.25
    """
    each = mu / sqrt(calls)
    while calls * Fraction(each) ** 2 > Fraction(mu) ** 2:
        each = nextafter(each, 0.0)
    return each


def score_noise(sensitivity, mu):
    """The standard deviation sensitivity / mu of one score's noise, rounded up.

    >>> score_noise(1.0, 0.25)
    4.0
    """
    sigma = sensitivity / mu
    while Fraction(sensitivity) > Fraction(mu) * Fraction(sigma):
        sigma = nextafter(sigma, inf)
    return sigma


def printed_budget(epsilon, delta):
    """mu = epsilon / (2 sqrt(2 log(1/delta))), line 2 of Algorithm 3; defined for 0 < epsilon <= 8 log(1/delta).

    >>> round(printed_budget(1.0, 1e-5), 5)
    0.1042
    """
    return float(budget_each(epsilon=epsilon, delta=delta, m=1))


def unlimited_budget(epsilon, delta):
    """The same formula for every epsilon > 0: Algorithm 3 itself prints no range."""
    return float(budget_each_at(epsilon, gaussian_quantile_scale(delta), 1.0))


def penalty(n, k, beta):
    """What Equation 3 adds to the number of errors of a classifier in R^k: 5/2 (k log(2n) + log(beta/4)).

    VC(H_k) = k for homogeneous halfspaces. The second term is printed with this sign; all candidates share it.
    """
    return 2.5 * (k * log(2 * n) + log(beta / 4))
