"""The certificate of the SVM solver: its gap is primal less dual, for any dual point, however far from the solution."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from lemmata.mechanisms.solvers import svm


def objectives(w, dual, Z, box):
    """(primal, dual) of 1/2 ||w||^2 + sum_i u_i (1 - <w, z_i>)_+, written out."""
    primal = w @ w / 2 + sum(u * max(0.0, 1 - w @ z) for u, z in zip(box, Z, strict=True))
    return primal, dual.sum() - w @ w / 2


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_is_primal_less_dual(rng):
    Z, box = rng.normal(size=(8, 3)), rng.random(8)
    for dual in (np.zeros(8), box, box * rng.random(8), box * (rng.random(8) < 0.5)):
        w = dual @ Z
        (gap,) = svm._gap(w[None], dual[None], Z[None], box[None])
        primal, bound = objectives(w, dual, Z, box)
        assert primal - bound <= gap <= (primal - bound) * (1 + 1e-9) + 1e-9
        assert gap > 0.01 or not dual.any()


@pytest.mark.parametrize("seed", range(20))
def test_the_gap_covers_the_rounding_of_margins_that_cancel(rng):
    """Products of 1e8 that leave margins of order 1: off by 1e-8, and the gap in fractions is no larger."""
    Z, w, box = 1e8 * rng.normal(size=(8, 3)), rng.normal(size=3), np.ones(8)
    Z[:, 0] -= (Z @ w - rng.normal(size=8)) / w[0]
    margins = [sum(Fraction(a) * Fraction(b) for a, b in zip(w, z, strict=True)) for z in Z]
    (gap,) = svm._gap(w[None], np.zeros((1, 8)), Z[None], box[None])
    assert sum(max(1 - m, 0) for m in margins) <= Fraction(gap)


def test_the_sum_of_duals_is_off_by_a_rounding_for_every_term_and_coordinate():
    """Two terms, three coordinates: 5 units of 1 * 3 + 2 * 5."""
    Z = np.array([[[1.0, 2.0, 2.0], [0.0, 3.0, 4.0]]])
    assert svm._summation_error(np.array([[1.0, 2.0]]), Z) == 5 * 13 * svm.EPS


def test_the_error_covers_the_distance_to_another_solver(rng):
    """Logistic loss by plain gradient steps, which contract: slow and independent."""
    V, y = rng.normal(size=(30, 4)), np.where(rng.random(30) < 0.5, -1, 1)
    solved = svm.solve_rows(V, y, C=2.0, loss="logistic")
    w, Z = np.zeros(4), y[:, None] * V
    for _ in range(500):
        w = w - 0.2 * (w - 2.0 * np.mean(Z / (1 + np.exp(Z @ w))[:, None], axis=0))
    assert np.linalg.norm(w - solved.weights) <= solved.error + 1e-12
    assert solved.error < 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_the_gap_of_a_kernel_machine_covers_its_rounding(seed):
    """Kernel values of 1e10, where the margins of the dual point are off by 1e-6: its gap in fractions is no larger."""
    rng, n, C = np.random.default_rng(seed), 8, 8.0
    V, y = 1e5 * rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.5, -1, 1)
    K = V @ V.T
    solved = svm.solve_gram(K, y, C=C)
    gram, a = [[Fraction(x) for x in row] for row in (K + K.T) / 2], [Fraction(x) for x in solved.dual]
    margins = [y[i] * sum(gram[i][j] * a[j] * int(y[j]) for j in range(n)) for i in range(n)]
    gap = sum((Fraction(C) / n - x) * max(1 - m, 0) + x * max(m - 1, 0) for x, m in zip(a, margins, strict=True))
    assert 0 <= gap <= Fraction(solved.gap)


@pytest.mark.parametrize("loss", svm.LOSSES)
@pytest.mark.parametrize("C", [0.5, 20.0, 1e6])
@pytest.mark.parametrize("labels", ["both", "one"])
def test_a_large_problem_has_the_same_minimiser(loss, C, labels, monkeypatch, rng):
    """Dense or sparse, with counts, and where the fast solver fails: within what both are certified to."""
    V = rng.normal(size=(60, 8)) * (rng.random((60, 8)) < 0.4)
    V /= np.maximum(1.0, np.linalg.norm(V, axis=1, keepdims=True))
    y = np.where(V[:, 0] + rng.normal(size=60) / 3 > 0, 1.0, -1.0) if labels == "both" else np.ones(60)
    asked = {"C": C, "loss": loss, "counts": 1.0 + np.arange(60) % 3}
    slow, before = svm.solve_rows(V, y, **asked), V.copy()
    monkeypatch.setattr(svm, "LARGE", 0)
    wide = sparse.csr_array(V)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)  # as a big table's are
    for stored in (V, sparse.csr_array(V), wide):
        fast = svm.solve_rows(stored, y, **asked)
        assert np.linalg.norm(fast.weights - slow.weights) <= fast.error + slow.error
        assert fast.error <= max(slow.error, svm.solution_tolerance(C=C, F=8, kappa=1.0))
    np.testing.assert_array_equal(V, before)


def test_a_large_problem_is_solved_without_dense_systems(monkeypatch):
    monkeypatch.setattr(svm, "LARGE", 0)
    monkeypatch.setattr(svm, "_interior_point", None)
    weights = svm.solve_rows(sparse.csr_array(np.eye(3)), np.ones(3), C=1.0).weights
    np.testing.assert_allclose(weights, 1 / 3, rtol=1e-9)
