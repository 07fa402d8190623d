"""The rates of the abstract: the constructions are what they say, and the free parameters are the best ones."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar
from scipy.stats import binom

from lemmata.bounds.abgmu22 import rates as bounds
from lemmata.experiments.abgmu22 import rates as claims

SIZES = {"n": 1000.0, "mu": 0.2, "norm": 3.0}


def test_the_loss_of_the_construction_is_smooth_and_convex():
    s = np.linspace(-3, 3, 60_001)
    slopes = np.diff(claims.psi(s)) / np.diff(s)
    growth = np.diff(slopes) / np.diff(s)[1:]
    assert growth.min() > -1e-6 and growth.max() < 1 + 1e-6
    assert claims.psi(np.array([0.0, 1.5, 9.0])).tolist() == [1.0, 0.0, 0.0]


def test_total_variation_by_all_samples():
    n, alpha = 6, 0.1
    total = 0.0
    for y in product((0, 1), repeat=n):
        p, q = (np.prod([a if label else 1 - a for label in y]) for a in (0.5 + alpha, 0.5 - alpha))
        total += abs(p - q) / 2
    assert claims.total_variation(n, alpha) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize(("K", "epsilon"), [(0, 1.0), (1, 0.3), (3, 1.0)])
def test_the_best_test_of_a_pair_by_linear_programme(K, epsilon):
    """P(M <= 0) of the K + 1 datasets between the two: ratios at most e^epsilon, both outcomes; least sum of errors."""
    odds = np.exp(epsilon)
    rows, sides = [], []
    for i, j in [(i, i + 1) for i in range(K)] + [(i + 1, i) for i in range(K)]:
        for sign in (1, -1):  # p_i <= e p_j, and 1 - p_i <= e (1 - p_j)
            row = np.zeros(K + 1)
            row[i], row[j] = sign, -sign * odds
            rows.append(row)
            sides.append(0.0 if sign == 1 else odds - 1)
    cost = np.zeros(K + 1)
    cost[0] += 1  # the first dataset is +: P(M <= 0) is its error
    cost[-1] -= 1
    solved = linprog(cost, A_ub=rows or None, b_ub=sides or None, bounds=(0, 1))
    assert solved.fun + 1 >= 2 / (1 + np.exp(K * epsilon)) - 1e-9
    assert claims.best_errors(1, K * epsilon, 0.0, 1.0) == pytest.approx(2 / (1 + np.exp(K * epsilon)))


def test_a_lower_bound_below_the_smallest_float_is_zero():
    assert bounds.both_errors(n=2, epsilon=1000.0, delta=0.0, p=1.0) == 0.0  # 2/(1 + e^2000) is the exact least sum


def test_errors_are_averaged_over_the_informative_records():
    shares = binom.pmf(np.arange(4), 3, 0.4)
    expected = sum(share * 0.9**K * 2 / (1 + np.exp(K)) for K, share in enumerate(shares))
    assert claims.best_errors(3, 1.0, 0.1, 0.4) == pytest.approx(expected)


def test_the_free_parameters_are_the_best():
    n, mu, norm, d = 1000.0, 0.2, 3.0, 7
    best = minimize_scalar(
        lambda tau: 8 * tau / n + 1.5 * norm**2 / tau + 6 * tau * d * ((1 + 2**0.5) * norm / (n * mu)) ** 2,
        bounds=(1e-3, 1e3),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert bounds.descent_time(d=d, **SIZES) == pytest.approx(best.x, rel=1e-4)
    ridge = minimize_scalar(
        lambda k: bounds.lipschitz_at(ridge=k, **SIZES), bounds=(1e-4, 10), method="bounded", options={"xatol": 1e-9}
    )
    assert bounds.lipschitz_excess(**SIZES) == pytest.approx(ridge.fun, rel=1e-6)


@pytest.mark.parametrize("d, smaller", [(1, "descent"), (10**9, "perturbation")])
def test_smaller_is_the_branch_of_the_dimension(d, smaller):
    sizes = {"n": 1e9, "mu": 1.0, "norm": 1.0}
    both = {"descent": bounds.descent_excess(d=d, **sizes), "perturbation": bounds.perturbation_excess(**sizes)}
    assert min(both, key=both.get) == smaller
