"""Equation 2 and the hinge minimum: an independent linear programme, the geometry, and scikit-learn agree."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog
from sklearn.svm import LinearSVC

from lemmata.bounds.wzw25 import hinge_gradient, hinge_loss as hinge_loss_bounds, inliers_and_outliers as bound
from lemmata.experiments.wzw25 import inliers_and_outliers as claims
from lemmata.mechanisms.solvers.margin import geometric_margin

RECORDS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=12)


@settings(max_examples=30)
@given(records=RECORDS)
def test_the_minimum_against_the_primal_programme(records):
    """min sum s, s >= 0, s_i >= 1 - <z_i, w>: not the dual that the claims solve, and in floats."""
    Z = np.array(records, dtype=float)
    n, d = Z.shape
    objective, ends = np.append(np.zeros(d), np.ones(n)), [(None, None)] * d + [(0, None)] * n
    solution = linprog(objective, A_ub=-np.hstack([Z, np.eye(n)]), b_ub=-np.ones(n), bounds=ends, method="highs")
    w, weights = claims.smallest_hinge([tuple(map(Fraction, z)) for z in records], Fraction(1))
    assert float(hinge_loss_bounds.smallest_hinge(weights=weights)) == pytest.approx(solution.fun, abs=1e-9)
    assert hinge_gradient.hinge_sum(np.array(w, dtype=float), Z, 1.0) == pytest.approx(solution.fun, abs=1e-9)


@given(records=RECORDS, w=st.tuples(st.integers(-3, 3), st.integers(-3, 3)), width=st.sampled_from([1, 3, 40]))
def test_the_hinge_sum_in_fractions_is_the_hinge_sum(records, w, width):
    exact = claims.hinge_sum([Fraction(x) for x in w], [tuple(map(Fraction, z)) for z in records], Fraction(width, 7))
    slow = sum(max(0.0, 1 - (z[0] * w[0] + z[1] * w[1]) / (width / 7)) for z in records)
    assert float(exact) == pytest.approx(slow, abs=1e-9)
    floats = np.array(w, dtype=float)
    assert float(exact) == pytest.approx(hinge_gradient.hinge_sum(floats, np.array(records), width / 7), abs=1e-9)


@pytest.mark.parametrize("b", [Fraction(1, 8), Fraction(1), Fraction(1000)])
def test_planted_sets_are_what_they_are_said_to_be(b):
    for setting, inliers, outliers, width in claims.splits(b):
        Z = np.array([[float(x) for x in z] for z in inliers])
        margin = geometric_margin(Z, np.ones(len(Z)))
        assert margin.value == pytest.approx(setting["gamma"], rel=1e-9)
        np.testing.assert_allclose(margin.direction, [1, 0], atol=1e-6)
        assert all(claims.inner(z, z) <= b**2 for z in inliers + outliers)
        assert 0 < width <= inliers[0][0]


def test_question_8_1_example_fools_the_svm_of_scikit_learn():
    n, gamma = 200, 0.3
    s = int(gamma * n) + 5
    X = np.append(np.full(n, gamma), np.full(s, 1.0))[:, None]
    y = np.append(np.ones(n), -np.ones(s))
    svm = LinearSVC(loss="hinge", C=1e3, fit_intercept=False, max_iter=100_000, random_state=0).fit(X, y)
    assert np.mean(svm.predict(X) != y) == bound.hinge_risk(n=n + s, s=s, gamma=gamma)
