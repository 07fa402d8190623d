"""The exact solvers behind the lower bounds, and the mechanisms that beat what is printed, on every small database."""

from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest

from lemmata.bounds.rbht09 import lower_bounds, lower_bounds_rbf
from lemmata.experiments.instances.pairs.packed_databases import best_failure, cells, dual_pairs, line_svm, response
from lemmata.mechanisms.numerics.streams import TEST_ROOT, generator
from lemmata.mechanisms.solvers.svm import solve_rows

QUARTERS = [Fraction(k, 4) for k in range(-4, 5)]


def test_the_svm_on_the_line_is_the_qp_s():
    rng = generator(TEST_ROOT, "tests.line_svm", {}, "main", 0)
    for _ in range(60):
        n = int(rng.integers(1, 6))
        rows = [
            (Fraction(int(k), 4), int(c)) for k, c in zip(rng.integers(-9, 10, n), rng.integers(1, 4, n), strict=True)
        ]
        C = Fraction(int(rng.integers(1, 80)), 8)
        V, counts = [[float(v)] for v, _ in rows], [c for _, c in rows]
        solved = solve_rows(V, np.ones(n), C=float(C), counts=counts)
        assert abs(float(line_svm(rows, C)) - solved.weights[0]) <= solved.error + 1e-12


@pytest.mark.parametrize("gamma", [Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize(("C", "n"), [(Fraction(1), 2), (Fraction(29, 10), 3), (Fraction(20), 5), (Fraction(9), 4)])
def test_the_reduced_dual_is_the_qp_s(C, n, gamma):
    """The sum of the first n - 1 dual variables and the last one, n <= C included, where other cases occur."""
    points = set(dual_pairs(C=C, n=n, gamma=gamma))
    assert len(points) == 1
    a, b = points.pop()
    features = np.linalg.cholesky([[1.0, float(gamma)], [float(gamma), 1.0]])
    dual = solve_rows(features[[0] * (n - 1) + [1]], np.append(-np.ones(n - 1), 1.0), C=float(C)).dual
    assert dual[:-1].sum() == pytest.approx(float((n - 1) * a), rel=1e-5)
    assert dual[-1] == pytest.approx(float(b), rel=1e-5)


@pytest.mark.parametrize("N", [2, 4, 6])
@pytest.mark.parametrize("odds", [1.0, 2.0, 30.0])
def test_randomised_response_is_the_best_mechanism_on_a_packing(N, odds):
    assert best_failure(odds, N) == pytest.approx(float(response(N, Fraction(odds))), abs=1e-9)


@pytest.mark.parametrize("C", [Fraction(1, 4), Fraction(9)])
def test_no_svm_on_the_line_is_larger_than_the_root_of_c(C):
    for rows in product([8 * q for q in QUARTERS], repeat=2):
        assert line_svm([(v, 1) for v in rows], C) ** 2 <= C


def nearest_cell(w, K, acc):
    """Whether some centre of K equal cells around 0, of radius acc, is within acc of w."""
    return any(abs(w - (2 * j - K + 1) * acc) <= acc for j in range(K))


def test_two_halves_beat_the_other_words_on_every_small_database():
    """n = 2, C = 1/5 over [-1, 1]: two cells of radius C / 2 cover every SVM, inside the printed range."""
    C, n = Fraction(1, 5), 2
    acc = C / 2
    assert acc < lower_bounds.line_accuracy(C=C, n=n)
    assert cells(C, acc) == 2
    assert all(nearest_cell(line_svm([(a, 1), (b, 1)], C), 2, acc) for a, b in product(QUARTERS, repeat=2))
    for odds in (1.5, 3.0, 1000.0):
        failure = float(response(2, Fraction(odds)))
        assert lower_bounds.least_failure_corrected(beta=log(odds)) == pytest.approx(failure)
        assert failure < lower_bounds.least_failure(beta=log(odds))


def test_a_uniform_choice_is_as_useful_as_definition_2_asks():
    C, n = Fraction(1), 3
    acc = Fraction(lower_bounds.line_accuracy(C=C, n=n)) * Fraction(99, 100)
    K = cells(Fraction(1), acc)
    assert 2 * n + 1 == K
    rows = product([4 * q for q in QUARTERS[::2]], repeat=3)
    assert all(nearest_cell(line_svm([(v, 1) for v in three], C), K, acc) for three in rows)
    assert lower_bounds.line_level_defined(delta=1 / K, acc=float(acc), C=1.0, n=n) > log(5)


def test_the_zero_function_is_useful_in_the_printed_range_of_theorem_20():
    """Random RBF databases: no SVM exceeds min(C, sqrt(C)), which the printed range of accuracies contains."""
    rng = generator(TEST_ROOT, "tests.zero", {}, "main", 0)
    for C, n in ((1.0, 20), (sqrt(300), 300)):
        acc = min(C, sqrt(C))
        assert acc < n / (4 * C)
        for spread in (0.1, 1.0, 10.0):
            X = spread * rng.normal(size=(20, 2))
            gram = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / (2 * 0.5**2)) + 1e-12 * np.eye(20)
            V = np.linalg.cholesky(gram)
            solved = solve_rows(V, rng.choice([-1.0, 1.0], 20), C=C)
            assert np.linalg.norm(solved.weights) <= acc + solved.error
        assert lower_bounds_rbf.circle_level_printed(delta=0.05, sigma=0.5, acc=acc, C=C, n=n) > 4.5


def test_an_impossible_level_is_impossible():
    """At sigma = 0.3775 and below, delta = 0.05: N >= 9 databases, and (1 - delta) (N - 1) / delta > e^5."""
    sigma = lower_bounds_rbf.impossible_sigma(beta=5.0, delta=0.05, acc=0.002, C=1.0, n=100)
    N = lower_bounds_rbf.circle_databases(sigma=sigma * (1 - 1e-9))
    assert N == 9
    assert 0.95 * (N - 2) / 0.05 < exp(5.0) < 0.95 * (N - 1) / 0.05
