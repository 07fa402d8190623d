"""Random Fourier features: the map against its definition, spectral laws against scipy, bounds against slow twins."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import laplacian_kernel

from lemmata.bounds.bms22 import random_features as bound
from lemmata.bounds.rbht09 import random_features
from lemmata.experiments.instances.laws import atomic_kernels
from lemmata.experiments.rbht09.random_features import our_features_are_uniformly_far
from lemmata.mechanisms.features.random_features import (
    KERNELS,
    FourierMap,
    frequencies,
    frequency_blocks,
    gram,
    profile,
)

SEEDS = st.integers(0, 2**32 - 1)
property_test = settings(derandomize=True, deadline=None, max_examples=40)
MARGINALS = {
    "gaussian": lambda s: stats.norm(scale=1 / s),
    "laplacian": lambda s: stats.cauchy(scale=1 / s),
    "cauchy": lambda s: stats.laplace(scale=1 / s),
}


# the map --------------------------------------------------------------------------------------------------------------


def slow_map(x, omega, radius):
    """Equation 2 of Bassily, Mohri & Suresh, one entry at a time."""
    image = []
    for w in omega:
        angle = sum(a * b for a, b in zip(w, x, strict=True))
        image += [radius / math.sqrt(len(omega)) * f(angle) for f in (math.cos, math.sin)]
    return image


@property_test
@given(seed=SEEDS, n=st.integers(1, 4), d=st.integers(1, 4), count=st.integers(1, 9), radius=st.floats(1e-3, 1e3))
def test_the_map_is_equation_two(seed, n, d, count, radius):
    rng = np.random.default_rng(seed)
    X, omega = rng.normal(size=(n, d)), rng.normal(size=(count, d))
    features = FourierMap(omega, radius)
    assert features.dimension == 2 * count
    np.testing.assert_allclose(features(X), [slow_map(x, omega, radius) for x in X], atol=1e-12 * radius)
    np.testing.assert_allclose(np.linalg.norm(features(X), axis=1), radius, rtol=1e-12)
    assert "omega" not in repr(features)


@property_test
@given(seed=SEEDS, block=st.integers(1, 40))
def test_a_streamed_gram_matrix_is_the_product_of_features(seed, block):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(4, 3)), rng.normal(size=(2, 3))
    blocks = list(frequency_blocks("laplacian", 3, 33, rng=np.random.default_rng(seed), block=block))
    omega = frequencies("laplacian", 3, 33, rng=np.random.default_rng(seed))
    assert np.array_equal(np.concatenate(blocks), omega)
    features = FourierMap(omega, 1.7)
    np.testing.assert_allclose(gram(X, blocks, radius=1.7), features(X) @ features(X).T, atol=1e-12)
    np.testing.assert_allclose(gram(X, blocks, radius=1.7, Z=Z), features(X) @ features(Z).T, atol=1e-12)


def test_a_million_frequencies_approach_the_kernel():
    """Hoeffding: each of the 10 pairs is off by 0.007 with probability at most 2 exp(-24.5) at a new seed."""
    X = np.array([[0.0, 0.0], [0.3, 0.1], [1.0, -1.0], [2.0, 0.5], [-4.0, 4.0]])
    blocks = frequency_blocks("cauchy", 2, 10**6, rng=np.random.default_rng(5), bandwidth=2.0)
    error = np.abs(gram(X, blocks) - profile("cauchy", X[:, None] - X[None], bandwidth=2.0))
    assert error.max() < 0.007


# kernels and spectral laws --------------------------------------------------------------------------------------------


def test_kernels_agree_with_scikit_learn():
    X, s = np.random.default_rng(0).normal(size=(6, 3)), 0.7
    Z = X[:, None] - X[None]
    np.testing.assert_allclose(profile("gaussian", Z, bandwidth=s), RBF(s)(X), rtol=1e-12)
    np.testing.assert_allclose(profile("laplacian", Z, bandwidth=s), laplacian_kernel(X, gamma=1 / s), rtol=1e-12)
    assert all(profile(kernel, np.zeros((2, 3))).tolist() == [1, 1] for kernel in KERNELS)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bandwidth", [0.1, 3.0])
def test_frequencies_have_the_spectral_law(kernel, bandwidth):
    """Kolmogorov-Smirnov at 1e-6 for a new seed; frequencies twice too large must fail."""
    draws = frequencies(kernel, 2, 5000, rng=np.random.default_rng(1), bandwidth=bandwidth).ravel()
    law = MARGINALS[kernel](bandwidth)
    assert stats.kstest(draws, law.cdf).pvalue > 1e-6
    assert stats.kstest(2 * draws, law.cdf).pvalue < 1e-6


@pytest.mark.parametrize("kernel", ["gaussian", "cauchy"])
def test_second_moments(kernel):
    assert MARGINALS[kernel](1.0).var() == pytest.approx(KERNELS[kernel].second_moment)
    assert np.isinf(KERNELS["laplacian"].second_moment)


# Theorem 4.1 ----------------------------------------------------------------------------------------------------------


def test_the_sign_kernel_by_enumeration():
    """All 2^(D (m-1)) draws for m = 3, D = 3, through our map: the exact failure probability, and our lower bound."""
    m, count, t = 3, 3, 0.9
    X = np.vstack([np.zeros(2), np.eye(2)])
    failures = 0
    for code in range(2 ** (count * 2)):
        bits = (code >> np.arange(count * 2)) & 1
        products = gram(X, [np.pi * bits.reshape(count, 2)])
        failures += bool(np.abs(products[np.triu_indices(m, 1)]).max() > t)
    exact_failure = failures / 2 ** (count * 2)
    one = float(atomic_kernels.signs_tail(count, t))
    assert one == 0.25
    assert atomic_kernels.some_pair(m, one) <= exact_failure <= 3 * one


@pytest.mark.parametrize(("count", "t"), [(1, 0.5), (3, 0.961), (10, 0.5), (101, 0.31), (1000, 0.07)])
def test_sign_tails_by_counting(count, t):
    hits = sum(math.comb(count, k) for k in range(count + 1) if abs(2 * k - count) > t * count)
    truth = hits / 2**count
    assert float(atomic_kernels.signs_tail(count, t)) == pytest.approx(truth)
    assert float(atomic_kernels.signs_tail_ball(count, t)) == pytest.approx(truth)


@pytest.mark.parametrize(
    ("count", "p", "diam", "eps"), [(3, 0.5, 1.0, 0.9), (10, 0.1, 0.5, 0.31), (200, 0.01, 0.1, 0.002)]
)
def test_coin_tails_by_brute_force(count, p, diam, eps):
    """Every number of frequencies at pi, the supremum over a fine grid of differences through our map."""
    grid = np.linspace(0, diam, 201)[:, None]
    kernel = 1 - p + p * np.cos(np.pi * grid[:, 0])
    truth = 0.0
    for k in range(count + 1):
        omega = np.where(np.arange(count) < k, np.pi, 0.0)[:, None]
        if np.abs(gram(grid, [omega], Z=np.zeros((1, 1)))[:, 0] - kernel).max() >= eps:
            truth += stats.binom.pmf(k, count, p)
    assert float(atomic_kernels.coin_tail(count, p, eps / (1 - np.cos(np.pi * diam)))) == pytest.approx(truth)
    assert float(atomic_kernels.coin_tail_ball(count, p, diam, eps)) == pytest.approx(truth)


# Lemma 13 -------------------------------------------------------------------------------------------------------------


@property_test
@given(d=st.integers(1, 200), eps=st.floats(1e-3, 2), log_delta=st.floats(-300, -1e-6), log_q=st.floats(-150, 20))
def test_the_printed_number_of_features_suffices(d, eps, log_delta, log_q):
    """The derivation behind the corrected reading, at random points of its whole range."""
    delta, sigma_p = math.exp(log_delta), math.exp(log_q) * eps
    needed = random_features.uniform_features_normalised(d=d, eps=eps, delta=delta, sigma_p=sigma_p, diam=1.0)
    count = max(1, math.ceil(needed))
    failure = random_features.uniform_failure(count=count, d=d, eps=eps, sigma_p=sigma_p, diam=1.0)
    assert failure <= delta * (1 + 1e-9)


@property_test
@given(eps=st.floats(1e-3, 1.99), q2=st.floats(1e-12, 0.25), count=st.integers(1, 1000))
def test_the_chernoff_exponent_is_at_least_what_the_proof_uses(eps, q2, count):
    simple = math.exp(-count * eps / 2 * (math.log(1 / q2) - 1))
    assert random_features.chernoff_failure(count=count, eps=eps, q=math.sqrt(q2)) <= simple * (1 + 1e-9)


def test_the_best_net_is_searched_for_where_it_lies():
    at = {"count": 510, "d": 1, "eps": 0.5}
    nets = [random_features.net_failure(**at, q=4.0, y=float(y)) for y in np.geomspace(2.1, 1e7, 3000)]
    assert random_features.uniform_failure(**at, sigma_p=1.0, diam=2.0) <= 1.02 * min(nets)


# bad input ------------------------------------------------------------------------------------------------------------

BAD = [
    (lambda: profile("rbf", [0.0]), r"kernel must be one of gaussian, laplacian, cauchy, got 'rbf'"),
    (lambda: frequencies("gaussian", 2, 3, rng=None, bandwidth=0.0), r"bandwidth must be in \[1e-100, .*\], got 0.0"),
    (lambda: frequencies("gaussian", 2, 0, rng=None), r"count must be an integer >= 1, got 0"),
    (lambda: FourierMap(np.ones((2, 3)), radius=-1.0), r"radius must be in \[1e-100, 1e\+100\], got -1.0"),
    (lambda: FourierMap(np.ones((2, 3)))(np.ones((4, 2))), r"X has shape \(4, 2\), not \(n, 3\)"),
    (lambda: FourierMap(np.ones((2, 3)))([[1.0, np.nan, 0.0]]), r"X must have finite entries only"),
    (lambda: FourierMap(np.full((2, 1), 1e200))([[1e200]]), r"X must have entries for which <omega, x> is finite"),
    (lambda: gram(np.ones((2, 2)), []), r"blocks must have at least one frequency"),
    (lambda: gram(np.ones((2, 2)), [np.ones((3, 2))], Z=np.ones((2, 3))), r"Z has shape \(2, 3\), not \(n, 2\)"),
    (lambda: bound.inner_product_error(m=0, beta=0.1, count=1), r"m = 0 is outside the hypothesis"),
    (lambda: bound.inner_product_error_sharp(m=1, beta=0.1, count=1), r"m = 1 is outside the hypothesis"),
    (lambda: bound.inner_product_error(m=2, beta=1.0, count=1), r"beta = 1.0 is outside the hypothesis: 0 < beta < 1"),
    (
        lambda: random_features.uniform_features_normalised(d=1, eps=0.5, delta=0.1, sigma_p=1.0, diam=1.0, g0=2),
        r"g0 = 2 is outside the hypothesis: g\(0\) = 1",
    ),
    (  # what may rise between its points is more than the error in question: any draw would count as a failure
        lambda: our_features_are_uniformly_far(
            np.random.default_rng(0), 1, kernel="gaussian", d=2, eps=0.5, delta=0.1, bandwidth=0.5, side=2.0
        ),
        r"may rise by 0\.57, which tells nothing of 0\.5",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)
