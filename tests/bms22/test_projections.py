"""Random projections: their bounds, the matrices, and the claims about them."""

import tracemalloc
from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.stats import binom
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from lemmata.bounds.bms22 import (
    fast_projection as fast_projection_bounds,
    matrix_projection,
    sign_projection as sign_projection_bounds,
)
from lemmata.bounds.wzw25 import projected_margins
from lemmata.experiments.bms22 import fast_projection as fast_claims, sign_projection as claims
from lemmata.experiments.instances.datasets.points import points, sharp_records
from lemmata.experiments.instances.datasets.sign_images import margin_below
from lemmata.mechanisms.features.fast_projection import fast_projection, walsh_hadamard
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.solvers.margin import geometric_margin

SHAPES = ((1, 1), (1, 5), (7, 1), (3, 5), (40, 33), (3000, 1000))


def drawn(make, k=2, d=3, seed=0):
    return make(k, d, rng=np.random.default_rng(seed))


def both(k, d, seed=0):
    """A sign projection and a fast one of the same shape."""
    return drawn(sign_projection, k, d, seed), drawn(fast_projection, k, d, seed)


# The matrices ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "d"), SHAPES)
def test_transpose_is_the_adjoint(k, d, rng):
    x, w = rng.normal(size=(2, d)), rng.normal(size=(3, k))
    for phi in both(k, d):
        assert phi.apply(x) @ w.T == pytest.approx(x @ phi.transpose(w).T, abs=1e-8)
        assert phi.apply(x[0]) == pytest.approx(phi.apply(x)[0])
        assert phi.transpose(w[0]) == pytest.approx(phi.transpose(w)[0])


@pytest.mark.parametrize(("k", "d"), SHAPES[:-1])
def test_entries_are_plus_or_minus_one_over_root_k(k, d):
    phi, _ = both(k, d)
    dense = phi.apply(np.eye(d)).T
    assert dense.shape == (k, d)
    assert np.abs(dense) == pytest.approx(np.full((k, d), k**-0.5))
    assert phi.transpose(np.eye(k)) == pytest.approx(dense)


def test_signs_are_fair_and_independent():
    """All 2^6 matrices of shape (2, 3) in 6,400 draws: chi-square below 129, false alarm 2e-6."""
    draws = [
        sign_projection(2, 3, rng=rng).apply(np.eye(3)) > 0 for rng in [np.random.default_rng(5)] for _ in range(6400)
    ]
    codes = np.reshape(draws, (6400, 6)) @ 2 ** np.arange(6)
    assert ((np.bincount(codes, minlength=64) - 100) ** 2 / 100).sum() < 129


def test_a_large_projection_holds_no_more_than_a_block():
    """d = 100,000 and k = 64 would be 51 MB; a tile is 16 MiB, and its bits and the points come on top."""
    phi, _ = both(64, 100_000)
    x = np.ones(100_000)
    tracemalloc.start()
    projected = phi.apply(x)
    lifted = phi.transpose(projected)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6
    assert lifted @ x == pytest.approx(projected @ projected)


def test_the_same_seed_is_the_same_matrix_and_a_repr_shows_none():
    (a, f), (b, g) = both(4, 6, seed=3), both(4, 6, seed=3)
    assert np.array_equal(a.apply(np.eye(6)), b.apply(np.eye(6)))
    assert np.array_equal(f.apply(np.eye(6)), g.apply(np.eye(6)))
    assert repr(a) == "SignProjection(k=4, d=6)"
    assert repr(f) == "FastProjection(k=4, d=6)"
    assert not np.array_equal(a.apply(np.eye(6)), both(4, 6, seed=4)[0].apply(np.eye(6)))


@pytest.mark.parametrize("width", [1, 2, 8, 64])
def test_walsh_hadamard_against_the_matrix(width):
    X = np.random.default_rng(2).normal(size=(3, width))
    expected = X @ hadamard(width)
    kept = X.copy()
    assert walsh_hadamard(X) is X
    np.testing.assert_allclose(X, expected, atol=1e-12)
    assert walsh_hadamard(X) / width == pytest.approx(kept)  # its own inverse


def test_walsh_hadamard_takes_the_operations_it_promises():
    class Counted(float):
        done = 0

        def __add__(self, other):
            Counted.done += 1
            return Counted(float(self) + float(other))

        def __sub__(self, other):
            Counted.done += 1
            return Counted(float(self) - float(other))

    X = np.array([Counted(i) for i in range(16)], dtype=object)
    walsh_hadamard(X)
    assert [float(x) for x in X] == list(np.arange(16) @ hadamard(16))
    assert Counted.done == fast_projection_bounds.fast_projection_operations(16, 1) - 16 - 1


@pytest.mark.parametrize(("k", "d"), SHAPES[:-1])
def test_fast_projection_against_its_matrix(k, d):
    _, phi = both(k, d)
    width = len(phi.signs)
    dense = (hadamard(width) * phi.signs)[phi.coordinates, :d] / k**0.5
    np.testing.assert_allclose(phi.apply(np.eye(d)).T, dense, atol=1e-12)
    assert width // 2 < d <= width


BAD = [
    (lambda make: drawn(make, 0, 3), "k must be an integer >= 1, got 0"),
    (lambda make: drawn(make, 2, 1.5), r"d must be an integer >= 1, got 1\.5"),
    (lambda make: drawn(make).apply(np.ones(4)), r"X has shape \(4,\), not \(n, 3\) or \(3,\)"),
    (lambda make: drawn(make).transpose(np.ones((1, 3))), r"W has shape \(1, 3\), not \(n, 2\) or \(2,\)"),
    (lambda make: drawn(make).apply(np.array([1.0, np.nan, 2.0])), "X must have finite entries only"),
    (
        lambda make: drawn(make).transpose(np.array([[1.0, np.inf]], dtype=np.float32)),
        "W must have finite entries only",
    ),
    (
        lambda _: walsh_hadamard(np.ones((2, 3))),
        "X must have a last axis whose length is a power of two, got 3",
    ),
    (lambda _: walsh_hadamard(np.ones((4, 4)).T[::2]), "X must be C-contiguous"),
    (
        lambda _: sign_projection_bounds.sign_projection_rows(m=2, gamma=0.5, beta=float("nan")),
        "beta must be a number, got nan",
    ),
]


@pytest.mark.parametrize("make", [sign_projection, fast_projection])
@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_projections_are_named(make, call, message):
    with pytest.raises(ValueError, match=message):
        call(make)


# The bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "eps"), [(10, 0.1), (1000, 0.3), (10**6, 0.9)])
def test_rows_against_scikit_learn(n, eps):
    """Its 4 log(n) / (eps^2/2 - eps^3/3), rounded down, is ours for 2 vectors/beta = n^2."""
    assert sign_projection_bounds.rows_for(n**2 // 2, eps, 1.0) - 1 == johnson_lindenstrauss_min_dim(n, eps=eps)


@pytest.mark.parametrize("t", [Fraction(1, 1000), Fraction(1, 7), Fraction(1, 3), Fraction(1)])
def test_lower_tail_polynomial_against_the_exponents(t):
    """Twin: the expression before (1 + t)^6/t^3 is multiplied in."""
    h = t / (2 * (1 + t))
    x = h - 3 * h**2 / 2
    direct = h * (1 - t) - x - x**2 / 2 - x**3 / 3 + t**2 / 4 - t**3 / 6
    assert sign_projection_bounds.lower_tail_gap(t) == direct * (1 + t) ** 6 / t**3
    assert 1 - h + 3 * h**2 / 2 == 1 - x
    assert log(1 - x) + h * (1 - t) <= -(t**2 / 4 - t**3 / 6)


@pytest.mark.parametrize("u, k", [((1, 1), 1), ((5, 6, 7), 2), ((1, 2, 3), 3)])
def test_least_distortion_against_all_matrices(u, k):
    norm = sum(a * a for a in u)
    distortions = set()
    for entries in product((1, -1), repeat=k * len(u)):
        rows = np.reshape(entries, (k, len(u)))
        distortions.add(abs(Fraction(int(((rows @ u) ** 2).sum()), k * norm) - 1))
    assert sign_projection_bounds.least_distortion(u, k) == min(distortions)


def test_products_event_against_its_definition(rng):
    W, Z, phi = rng.normal(size=(6, 3)), rng.normal(size=(4, 6)), rng.choice([-0.5, 0.5], size=(4, 6))
    errors = [np.linalg.norm(W.T @ phi.T @ phi @ z - W.T @ z) / np.linalg.norm(W) / np.linalg.norm(z) for z in Z]
    grown = np.linalg.norm(phi @ W) ** 2 / np.linalg.norm(W) ** 2 - 1
    args = (W, Z, phi @ W, Z @ phi.T)
    assert matrix_projection.products_preserved(*args, norm=grown + 1e-9, product=max(errors) + 1e-9)
    assert not matrix_projection.products_preserved(*args, norm=grown + 1e-9, product=max(errors) - 1e-9)
    assert not matrix_projection.products_preserved(*args, norm=grown - 1e-9, product=max(errors) + 1e-9)


def test_inner_products_event_against_its_definition(rng):
    T, phi = rng.normal(size=(5, 6)), rng.choice([-0.5, 0.5], size=(4, 6))
    distortion = 0.0
    for u, v in product(T, T):
        distortion = max(distortion, abs((phi @ u) @ (phi @ v) - u @ v) / np.linalg.norm(u) / np.linalg.norm(v))
    assert sign_projection_bounds.inner_products_preserved(T, T @ phi.T, 3 * distortion + 1e-9)
    assert not sign_projection_bounds.inner_products_preserved(T, T @ phi.T, 3 * distortion - 1e-9)


# What the claims compute ----------------------------------------------------------------------------------------------


def test_spread_tail_against_the_binomial_and_against_enumeration():
    for k, t in ((1, 0.5), (10, 0.3), (25, 0.11)):
        outside = [j for j in range(k + 1) if abs(Fraction(2 * j, k) - 1) > Fraction(t)]  # ||Phi u||^2 = 2 B/k
        assert claims.spread_tail(2, k, t) == pytest.approx(binom.pmf(outside, k, 0.5).sum(), abs=1e-14)
    rows = np.array(list(product((1, -1), repeat=8))).reshape(-1, 2, 4)
    norms = (rows.sum(axis=2) ** 2).sum(axis=1) / 8
    assert claims.spread_tail(4, 2, 0.4) == pytest.approx(np.mean(np.abs(norms - 1) > 0.4))


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_pairs_of_generic_vectors(m):
    T = np.random.default_rng(m).normal(size=(m, 8))
    T /= np.linalg.norm(T, axis=1, keepdims=True)
    pairs = np.round([u + s * v for u in T for v in T for s in (1, -1)], 9) + 0.0
    distinct = {tuple(z) for z in pairs if np.any(z)}
    assert len(distinct) == claims.count_pairs(m) == m * (3 * m - 1) // 2
    assert len({min(z, tuple(-x for x in z)) for z in distinct}) == m**2


def test_exact_moment_against_enumeration():
    H, x, total = hadamard(4), np.array([4, 1, 1, 0]), 0.0
    for signs in product((1, -1), repeat=4):
        squares = (H @ (signs * x)) ** 2 / 18
        total += np.mean([abs(squares[list(i)].mean() - 1) ** 4 for i in product(range(4), repeat=3)])
    assert fast_claims.exact_moment((4, 1, 1, 0), 3, 4) == pytest.approx((total / 16) ** 0.25)


@pytest.mark.parametrize(("N", "k"), [(3, 2), (4, 2), (4, 3)])
def test_long_records_lose_their_margin(N, k):
    """All sign columns that span R^k: the margin is 0; they are at least as frequent as claimed."""
    s, spanning = projected_margins.long_records(k) * 1.01, 0
    X = np.array([[1.0] + [t * s * (i == j) for i in range(N)] for j in range(N) for t in (1, -1)])
    columns = list(product((1.0, -1.0), repeat=k * N))
    for entries in columns:
        C = np.reshape(entries, (k, N))
        if np.linalg.matrix_rank(C) < k:
            continue
        spanning += 1
        if spanning % 29 == 0:  # a sample of them: each margin is a least-squares problem
            phi = np.column_stack([np.ones(k), C]) / k**0.5
            assert geometric_margin(X @ phi.T, np.ones(2 * N)).upper < 1e-9
    assert Fraction(spanning, len(columns)) >= projected_margins.spanning_chance(N, k)


@pytest.mark.parametrize("n, d, gamma, b", [(20, 5, 0.5, 1.0), (7, 30, 3.0, 10.0)])
def test_sharp_records_have_the_margin_they_claim(n, d, gamma, b):
    Z = sharp_records(np.random.default_rng(0), n, d, gamma, b)
    assert np.linalg.norm(Z, axis=1) == pytest.approx(np.full(n, b))
    margin = geometric_margin(Z, np.ones(n))
    assert margin.upper >= gamma * (1 - 1e-12)
    if n % 2 == 0:
        assert margin.value == pytest.approx(gamma)


def test_margin_below_against_computing_every_margin():
    fields = {"n": 6, "d": 8, "gamma": 0.4, "b": 1.0}
    quick = margin_below(np.random.default_rng(3), 40, 3, 0.2, **fields)
    rng, slow = np.random.default_rng(3), []
    for _ in range(40):
        Z = sharp_records(rng, **fields)
        slow.append(geometric_margin(sign_projection(3, 8, rng=rng).apply(Z), np.ones(6)).value < 0.2)
    assert quick.tolist() == slow
    assert 0 < quick.mean() < 1


def test_points_are_hard_and_of_many_lengths():
    T = points(np.random.default_rng(0), 10, 64)
    assert ((T != 0).sum(axis=1) == [2] * 5 + [64] * 5).all()
    assert 0.01 <= np.linalg.norm(T, axis=1).min() < np.linalg.norm(T, axis=1).max() <= 100
