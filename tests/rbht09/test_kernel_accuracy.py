"""How accurate PRIVATESVM is: the noise, also over a compact set, and kernels that are near."""

from math import ceil, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom, gamma

from lemmata.bounds.rbht09 import kernel_accuracy as bounds
from lemmata.experiments.instances.classes import nearby_kernels
from lemmata.mechanisms.features.random_features import FourierMap, fourier_map, profile
from lemmata.mechanisms.learners.erm import kernel_svm, private_svm
from tests.rbht09.test_kernel_svm import problem, rng

# Lemma 10 -------------------------------------------------------------------------------------------------------------


@given(acc=st.floats(1e-6, 1e6), delta=st.floats(1e-12, 0.999), count=st.integers(1, 10**4))
def test_scales_are_ordered_and_the_exact_tail_allows_them(acc, delta, count):
    setting = {"acc": acc, "delta": delta, "count": count}
    lam = bounds.noise_range(**setting)
    assert lam <= bounds.noise_range_sharp(**setting) * (1 + 1e-12)
    assert gamma.sf(acc * sqrt(count) / (2 * lam), 2 * count) <= delta / 2


@pytest.mark.parametrize("count", [1, 4])
def test_the_two_readings_agree_at_one_and_four(count):
    setting = {"acc": 0.3, "delta": 0.2, "count": count}
    assert bounds.noise_range(**setting) == pytest.approx(bounds.noise_range_logarithm(**setting))


def test_the_noise_over_a_compact_set_by_sampling():
    """150 draws of frequencies and noise: no failure at the scale, more than are allowed at sixteen times the scale."""
    acc, delta, count, diam = 1.0, 0.5, 100, 4.0
    lam = bounds.noise_range_compact(acc=acc, delta=delta, count=count, d=1, sigma_p=1.0, diam=diam)
    draw, grid, sups = rng("compact"), np.linspace(0, diam, 60)[:, None], []
    for _ in range(150):
        phi = fourier_map("gaussian", 1, count, rng=draw)
        sups.append(np.abs(phi(grid) @ draw.laplace(size=2 * count)).max())
    failures = [(np.array(sups) * lam * factor > acc / 2).sum() for factor in (1, 16)]
    assert failures[0] == 0
    assert binom.sf(failures[1] - 1, 150, delta / 2) < 1e-9


def test_the_supremum_over_all_points_is_attained():
    """d >= d_hat: the angles <rho_j, x> can be solved for, and the supremum is d_hat^(-1/2) sum_j hypot."""
    draw, count = rng("sup"), 5
    omega, mu = draw.normal(size=(count, count)), draw.laplace(size=2 * count)
    x = np.linalg.solve(omega, np.arctan2(mu[1::2], mu[::2]))
    attained = float((FourierMap(omega)(x[None]) @ mu)[0])
    assert attained == pytest.approx(np.hypot(mu[::2], mu[1::2]).sum() / sqrt(count))
    assert attained >= np.abs(mu).sum() / sqrt(2 * count)


# Lemmas 12 and 22 -----------------------------------------------------------------------------------------------------


@given(acc=st.floats(1e-4, 1e3), C=st.floats(0.01, 100), Lambda=st.floats(0.01, 100), L=st.floats(0.1, 10))
def test_the_gap_allows_kernels_that_are_farther_apart(acc, C, Lambda, L):
    setting = {"acc": acc, "C": C, "Lambda": Lambda, "L": L}
    assert bounds.closeness_by_gap(**setting) >= bounds.closeness(**setting) * (1 - 1e-12)


def test_measured_pairs_by_brute_force():
    X, y = problem(9, 5, d=1)
    omega, M = np.random.default_rng(9).normal(size=(30, 1)), np.linspace(-1, 1, 11)[:, None]
    pair = nearby_kernels.solved_pair(X, y, omega, M, C=3.0, loss="hinge")
    points = np.vstack([X, M])
    phi = FourierMap(omega)
    k = profile("gaussian", points[:, None] - points[None])
    assert pair.eta == pytest.approx(np.abs(k - phi(points) @ phi(points).T).max())
    f = kernel_svm.solve(X, y, C=3.0, kernel="gaussian")
    g = private_svm.solve(phi(X), y, C=3.0)
    apart = np.abs(k[:, :5] @ (f.dual * y) - phi(points) @ g.weights).max()
    assert pair.distance == pytest.approx(apart, abs=1e-5)


# Theorem 14 -----------------------------------------------------------------------------------------------------------


def test_a_release_is_near_the_kernel_svm_as_theorem_14_composes():
    """Sup-norm over a grid, frequencies and noise drawn afresh: of the parts' allowances little is used."""
    X, y = problem(8, 30, d=1)
    X, grid = np.clip(X, -1, 1), np.linspace(-1, 1, 101)[:, None]
    exact = kernel_svm.solve(X, y, C=1.0, kernel="gaussian")
    target = profile("gaussian", grid[:, None] - X[None]) @ (exact.dual * y)
    acc, count, draw, errors = 0.5, 2000, rng("utility"), []
    lam = bounds.useful_noise_corrected(acc=acc, delta=0.05, count=count)
    for _ in range(20):
        phi = fourier_map("gaussian", 1, count, rng=draw)
        law = kernel_svm.law(X, y, C=1.0, scale=lam, public=phi, sampler="float64")
        errors.append(np.abs(phi(grid) @ law.sample(draw)[0] - target).max())
    assert max(errors) < acc / 2


@pytest.mark.parametrize("acc, number", [(8.0, 128), (4.0, 1.36e3), (2.0, 2.65e4), (1.0, 4.99e5), (0.5, 9.2e6)])
def test_numbers_of_features(acc, number):
    """The page's reference numbers: C = d = 1, sigma_p^2 diam^2 = 4, delta = 0.05, hinge loss."""
    needed = bounds.features_for(acc=acc, delta=0.05, d=1, sigma_p=1.0, diam=2.0, C=1.0, Lambda=1.0)
    assert ceil(needed) == pytest.approx(number, rel=5e-3)
