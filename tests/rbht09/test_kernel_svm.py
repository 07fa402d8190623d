"""PRIVATESVM: Algorithm 1 for any kernel, and the law against Algorithm 2 and by sampling."""

import numpy as np
import pytest
from scipy.stats import laplace

from lemmata.bounds.rbht09 import kernel_svm as bounds
from lemmata.experiments.rbht09 import kernel_svm as claims
from lemmata.mechanisms.features.random_features import FourierMap, fourier_map, profile
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.erm import kernel_svm, private_svm
from lemmata.mechanisms.numerics.arguments import spawn_two_streams
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.solvers import svm
from tests.streams import streams

rng = streams("kernel_svm")


def problem(seed, n, d=2):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, np.where(np.sin(2 * X[:, 0]) >= 0, 1.0, -1.0)


# Algorithm 1 for any kernel -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "cauchy"])
@pytest.mark.parametrize("C", [0.5, 10.0, 200.0])
def test_the_gram_matrix_and_its_factor_give_one_solution(kernel, C):
    X, y = problem(1, 20)
    K = profile(kernel, X[:, None] - X[None])
    solved, rows = svm.solve_gram(K, y, C=C), svm.solve_rows(np.linalg.cholesky(K), y, C=C)
    assert np.abs(solved.values - np.linalg.cholesky(K) @ rows.weights).max() <= solved.error + rows.error
    assert kernel_svm.solve(X, y, C=C, kernel=kernel).gap == pytest.approx(solved.gap) and solved.gap < 1e-10


@pytest.mark.parametrize("spoil", [lambda a: 0.9 * a, lambda a: a[::-1], lambda a: np.zeros_like(a)])
def test_a_wrong_kernel_solution_has_a_gap_that_says_so(monkeypatch, spoil):
    """The certificate, given wrong dual points: it is large, and never smaller than what the point misses."""
    X, y = problem(3, 12)
    K = profile("gaussian", X[:, None] - X[None])
    true, solve_rows = svm.solve_gram(K, y, C=20.0), svm.solve_rows

    def wrong(*arguments, **named):
        solved = solve_rows(*arguments, **named)
        return svm.Solution(solved.weights, spoil(solved.dual), solved.gap, solved.error)

    monkeypatch.setattr(svm, "solve_rows", wrong)
    spoiled = svm.solve_gram(K, y, C=20.0)
    missed = np.abs(spoiled.values - true.values).max()
    assert missed > 1e-3 and spoiled.error >= missed - true.error


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_gap_of_a_kernel_solution_is_primal_less_dual(monkeypatch, share):
    """At any dual point, groups included; written out from (2.1) and (5.1)."""
    X, y = problem(14, 9)
    K, counts, C = profile("gaussian", X[:, None] - X[None]), np.arange(1, 10), 7.0
    box = C * counts / counts.sum()
    dual = share * box
    monkeypatch.setattr(svm, "solve_rows", lambda *_, **__: svm.Solution(np.zeros(9), dual, np.zeros(()), np.zeros(())))
    solved = svm.solve_gram(K, y, C=C, counts=counts)
    f = K @ (dual * y)
    quadratic = (dual * y) @ f
    gap = quadratic / 2 + box @ np.maximum(1 - y * f, 0) - (dual.sum() - quadratic / 2)
    assert gap <= solved.gap <= gap * (1 + 1e-9) + 1e-12 and solved.error == np.sqrt(solved.gap)


@pytest.mark.parametrize("loss", svm.LOSSES)
def test_more_features_than_rows_are_solved_in_their_span(loss):
    """Padding with zero rows forces the other way, F x F; both certificates hold."""
    X, y = problem(4, 6)
    V = fourier_map("gaussian", 2, 15, rng=rng("span"))(X)
    few = svm.solve_rows(V, y, C=20.0, loss=loss)
    counts = np.concatenate([np.ones(6), np.full(30, 1e-9)])  # rows that weigh nothing
    padded = np.vstack([V, np.zeros((30, 30))])
    many = svm.solve_rows(padded, np.append(y, np.ones(30)), C=20.0, loss=loss, counts=counts)
    assert few.error < svm.solution_tolerance(C=20.0, F=30, kappa=1.0)
    assert np.linalg.norm(few.weights - many.weights) <= few.error + many.error + 1e-6


def test_grouped_rows_are_repeated_rows():
    X, y = problem(10, 5)
    counts = [1, 4, 2, 7, 3]
    K = profile("gaussian", X[:, None] - X[None])
    twice = np.repeat(X, counts, axis=0)
    spelled = kernel_svm.solve(twice, np.repeat(y, counts), C=30.0, kernel="gaussian")
    ours = kernel_svm.solve(X, y, C=30.0, kernel="gaussian", counts=counts)
    for grouped in (svm.solve_gram(K, y, C=30.0, counts=counts), ours):
        assert np.allclose(np.repeat(grouped.values, counts), spelled.values, atol=1e-5)
    phi = fourier_map("gaussian", 2, 6, rng=rng("groups"))
    laws = [
        kernel_svm.law(X, y, C=3.0, privacy=PureDP(1.0), public=phi, counts=counts, sampler="float64"),
        kernel_svm.law(twice, np.repeat(y, counts), C=3.0, privacy=PureDP(1.0), public=phi, sampler="float64"),
    ]
    assert laws[0].scale == laws[1].scale and np.allclose(laws[0].noise.centre, laws[1].noise.centre, atol=1e-6)


def test_the_bandwidth_divides_differences():
    X, y = problem(11, 8)
    assert np.allclose(
        kernel_svm.solve(X, y, C=5.0, kernel="cauchy", bandwidth=2.0).values,
        kernel_svm.solve(X / 2, y, C=5.0, kernel="cauchy").values,
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: kernel_svm.law([[0.0]], [1], C=1.0, privacy=PureDP(1.0), public=FourierMap([[1.0]], radius=2.0)),
            "public is a FourierMap, not a FourierMap of radius 1",
        ),
        (lambda: svm.solve_gram(np.ones((2, 3)), [1, -1], C=1.0), r"K has shape \(2, 3\) and y \(2,\)"),
        (lambda: svm.solve_gram([[1.0, 0.5], [0.2, 1.0]], [1, -1], C=1.0), "K is not symmetric"),
        (lambda: svm.solve_gram([[1.0, 2.0], [2.0, 1.0]], [1, -1], C=1.0), "K is not positive semidefinite"),
    ],
)
def test_what_is_no_kernel_or_has_another_norm_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Algorithm 3: the law -------------------------------------------------------------------------------------------------


def test_the_law_is_algorithm_2_on_the_features():
    X, y = problem(5, 40)
    phi = fourier_map("cauchy", 2, 7, rng=rng("law"))
    ours = kernel_svm.law(X, y, C=2.0, privacy=PureDP(0.5), public=phi, sampler="float64")
    finite = private_svm.law(phi(X), y, C=2.0, privacy=PureDP(0.5), sampler="float64")
    assert ours.scale == pytest.approx(finite.scale, rel=1e-12)
    assert ours.scale == pytest.approx(bounds.features_noise_scale(beta=0.5, n=40, C=2.0, count=7), rel=1e-6)
    assert np.allclose(ours.noise.centre, finite.noise.centre, atol=1e-6)
    releases = ours.sample(rng("releases"), 200)
    density = laplace.logpdf(releases, loc=ours.noise.centre, scale=ours.scale).sum(axis=1)
    assert np.allclose(ours.log_density(releases), density)


def test_the_arguments_reach_algorithm_2():
    X, y = problem(12, 40)
    phi = fourier_map("gaussian", 2, 7, rng=rng("arguments"))
    plain = kernel_svm.law(X, y, C=2.0, privacy=PureDP(0.5), public=phi)
    sharp = kernel_svm.law(X, y, C=2.0, privacy=PureDP(0.5), public=phi, calibration="sharp")
    assert sharp.scale == pytest.approx(plain.scale / 2, rel=1e-4)
    assert kernel_svm.law(X, y, C=2.0, scale=0.3, public=phi).scale == pytest.approx(0.3, rel=1e-5)
    logistic = kernel_svm.law(X, y, C=2.0, privacy=PureDP(0.5), public=phi, loss="logistic")
    assert np.abs(logistic.noise.centre - plain.noise.centre).max() > 0.01


def test_fit_draws_public_and_private_from_two_streams():
    X, y = problem(13, 30)
    options = {"C": 2.0, "loss": "logistic", "calibration": "sharp"}

    def law(rng):
        public = fourier_map("cauchy", 2, 4, bandwidth=3.0, rng=rng)
        return kernel_svm.law(X, y, privacy=PureDP(0.7), public=public, **options)

    model = fit(law, np.random.default_rng(5))
    drawn, noise = spawn_two_streams(np.random.default_rng(5))
    public = fourier_map("cauchy", 2, 4, bandwidth=3.0, rng=drawn)
    assert np.array_equal(model.feature_map.feature_map.features.omega, public.omega)
    released = kernel_svm.law(X, y, privacy=PureDP(0.7), public=public, **options)
    assert np.array_equal(model.weights, released.sample(noise)[0])


@pytest.mark.parametrize("omega", [[[-4.0, 1.0]], [[0.5, -0.25]]])
def test_a_far_record_is_moved_in_to_where_a_cosine_has_digits(omega):
    phi, nearest = FourierMap(omega), kernel_svm.FARTHEST / max(1.0, np.abs(omega).max())
    bounded = kernel_svm.BoundedMap(phi)
    assert np.allclose(bounded([[1e200, 0.0]]), phi([[nearest, 0.0]]))
    assert np.array_equal(bounded([[3.0, 4.0]]), phi([[3.0, 4.0]]))


def test_fit_learns_what_no_line_separates():
    X = np.random.default_rng(7).uniform(-3, 3, (6000, 1))
    y = np.where(np.abs(X[:, 0]) < 1.5, 1.0, -1.0)
    public = fourier_map("gaussian", 1, 20, rng=rng("frequencies"))
    model = fit(kernel_svm.law(X, y, privacy=PureDP(2.0), C=5.0, public=public), rng("fit"))
    assert np.mean(model.predict(X) == y) > 0.9 and model.privacy == PureDP(2.0)


def test_the_worst_pair_spends_the_whole_budget():
    """||w - w'||_1 / lambda of the two laws that the audit attacks."""
    pair = claims.attacked("sharp", beta=2.0, n=10, C=1.0, count=1, factor=1)
    lost = abs(float(np.abs(pair[0].noise.centre - pair[1].noise.centre).sum() / pair[0].scale))
    assert 1.99 < lost <= 2.0
