"""PRIVATESVM: the law against Algorithm 2 and by sampling, the noise over a compact set, kernels that are near."""

from math import ceil, exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, gamma, laplace

from bounds.rbht09 import kernel_svm as bounds
from bounds.rbht09 import kernel_svm_proof as proof
from experiments.engine.streams import TEST_ROOT, generator
from experiments.engine.verdict import HOLDS, REFUTED
from experiments.instances import nearby_kernels
from experiments.rbht09 import kernel_svm as claims
from experiments.rbht09 import kernel_svm_proof as steps
from mechanisms import kernel_svm, private_svm
from mechanisms.law import two_streams
from mechanisms.privacy import PureDP
from mechanisms.random_features import FourierMap, fourier_map, profile
from mechanisms.solvers import svm


def rng(name):
    return generator(TEST_ROOT, f"tests.kernel_svm.{name}", {}, "main", 0)


def problem(seed, n, d=2):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d))
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


def test_a_kernel_solution_against_clarabel():
    """The dual (5.1) as a quadratic program, by an independent solver."""
    import clarabel
    from scipy import sparse

    X, y = problem(2, 15)
    K = profile("gaussian", X[:, None] - X[None])
    n, C = 15, 30.0
    P = sparse.csc_matrix(np.triu(K * np.outer(y, y) + 1e-12 * np.eye(n)))
    A, b = sparse.csc_matrix(np.vstack([np.eye(n), -np.eye(n)])), np.concatenate([np.full(n, C / n), np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    twin = clarabel.DefaultSolver(P, -np.ones(n), A, b, [clarabel.NonnegativeConeT(2 * n)], settings).solve()
    assert np.allclose(svm.solve_gram(K, y, C=C).values, K @ (np.array(twin.x) * y), atol=1e-6)


@pytest.mark.parametrize("spoil", [lambda a: 0.9 * a, lambda a: a[::-1], lambda a: np.zeros_like(a)])
def test_a_wrong_kernel_solution_has_a_gap_that_says_so(monkeypatch, spoil):
    """The certificate, given wrong dual points: it is large, and never smaller than what the point misses."""
    X, y = problem(3, 12)
    K = profile("gaussian", X[:, None] - X[None])
    true, solve_rows = svm.solve_gram(K, y, C=20.0), svm.solve_rows

    def wrong(*arguments, **named):
        found = solve_rows(*arguments, **named)
        return svm.Solution(found.weights, spoil(found.dual), found.gap, found.error)

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
    found = svm.solve_gram(K, y, C=C, counts=counts)
    f = K @ (dual * y)
    quadratic = (dual * y) @ f
    gap = quadratic / 2 + box @ np.maximum(1 - y * f, 0) - (dual.sum() - quadratic / 2)
    assert gap <= found.gap <= gap * (1 + 1e-9) + 1e-12 and found.error == np.sqrt(found.gap)


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
    ("K", "message"),
    [
        (np.ones((2, 3)), r"K has shape \(2, 3\) and y \(2,\)"),
        (np.array([[1.0, 0.5], [0.2, 1.0]]), "K is not symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "K is not positive semidefinite"),
    ],
)
def test_a_matrix_that_is_no_kernel_is_named(K, message):
    with pytest.raises(ValueError, match=message):
        svm.solve_gram(K, [1, -1], C=1.0)


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
    shape = {"kernel": "cauchy", "bandwidth": 3.0, "count": 4}
    model = kernel_svm.fit(X, y, epsilon=0.7, rng=np.random.default_rng(5), **shape, **options)
    drawn, noise = two_streams(np.random.default_rng(5))
    public = fourier_map("cauchy", 2, 4, bandwidth=3.0, rng=drawn)
    assert np.array_equal(model.feature_map.feature_map.features.omega, public.omega)
    released = kernel_svm.law(X, y, privacy=PureDP(0.7), public=public, **options)
    assert np.array_equal(model.weights, released.sample(noise)[0])


def test_no_record_makes_the_law_fail():
    X, y = problem(6, 10)
    phi = fourier_map("laplacian", 2, 9, rng=rng("far"))
    X[-1] = 1e300
    far = kernel_svm.law(X, y, C=1.0, privacy=PureDP(1.0), public=phi)
    near = kernel_svm.law(np.zeros((10, 2)), y, C=1.0, privacy=PureDP(1.0), public=phi)
    assert repr(far) == repr(near) and "omega" not in repr(far)


def test_a_far_record_is_moved_in_to_where_a_cosine_has_digits():
    for omega in ([[-4.0, 1.0]], [[0.5, -0.25]]):
        phi, nearest = FourierMap(omega), kernel_svm.FARTHEST / max(1.0, np.abs(omega).max())
        bounded = kernel_svm.BoundedMap(phi)
        assert np.allclose(bounded([[1e200, 0.0]]), phi([[nearest, 0.0]]))
        assert np.array_equal(bounded([[3.0, 4.0]]), phi([[3.0, 4.0]]))


def test_features_of_another_norm_are_refused():
    with pytest.raises(ValueError, match="public is a FourierMap, not a FourierMap of radius 1"):
        kernel_svm.law([[0.0]], [1], C=1.0, privacy=PureDP(1.0), public=FourierMap([[1.0]], radius=2.0))


def test_fit_learns_what_no_line_separates():
    draw = np.random.default_rng(7)
    X = draw.uniform(-3, 3, (6000, 1))
    y = np.where(np.abs(X[:, 0]) < 1.5, 1.0, -1.0)
    model = kernel_svm.fit(X, y, epsilon=2.0, C=5.0, count=20, rng=rng("fit"))
    assert np.mean(model.predict(X) == y) > 0.9 and model.privacy == PureDP(2.0)


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


# Theorem 14, and sabotage ---------------------------------------------------------------------------------------------


def test_numbers_of_features():
    """The page's reference numbers: C = d = 1, sigma_p^2 diam^2 = 4, delta = 0.05, hinge loss."""
    for acc, number in ((8.0, 128), (4.0, 1.36e3), (2.0, 2.65e4), (1.0, 4.99e5), (0.5, 9.2e6)):
        needed = proof.features_for(acc=acc, delta=0.05, d=1, sigma_p=1.0, diam=2.0, C=1.0, Lambda=1.0)
        assert ceil(needed) == pytest.approx(number, rel=5e-3)


def test_the_root_of_d_fails_where_the_witness_says():
    lam = bounds.useful_noise(acc=1.0, delta=1e-6, count=1, d=110)
    assert exp(-1 / lam) == pytest.approx(2.0**-16) and lam == pytest.approx(1 / (16 * log(2)))
    corrected = bounds.useful_noise_corrected(acc=1.0, delta=1e-6, count=1)
    assert exp(-1 / corrected) < 1e-6


@pytest.mark.parametrize(
    ("module", "name", "check", "setting"),
    [
        (proof, "noise_tail_halved", claims.noise_moves_little, {"count": 20}),
        (proof, "drift_tail", claims.noise_over_a_compact_set, {"count": 1000, "d": 1}),
        (proof, "solution_distance", steps.near_kernels_near_solutions, {}),
        (proof, "same_dual_distance", steps.near_kernels_by_the_gap, {}),
        (bounds, "closeness", steps.features_by_lemma_13, {"acc": 0.1, "delta": 0.05}),
        (bounds, "noise_range", claims.useful_with_the_root_of_d_hat, {"acc": 0.5, "delta": 0.05}),
    ],
)
def test_a_step_that_says_otherwise_breaks_what_rests_on_it(monkeypatch, module, name, check, setting):
    true = getattr(module, name)
    assert check(**setting).outcome == HOLDS
    factor = 0.5 if name in ("closeness", "noise_range") else 2
    monkeypatch.setattr(module, name, lambda **arguments: factor * true(**arguments))
    assert check(**setting).outcome == REFUTED


def test_the_worst_pair_spends_the_whole_budget():
    """||w - w'||_1 / lambda of the two laws that the audit attacks."""
    pair = claims.attacked("sharp", beta=2.0, n=10, C=1.0, count=1, factor=1)
    centre = pair[0].noise.centre
    lost = abs(float(np.abs(centre - pair[1].noise.centre).sum() / pair[0].scale))
    assert 1.99 < lost <= 2.0
