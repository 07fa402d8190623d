"""The private SVM: the solver against independent ones, the law, and the pair that is worst for it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import laplace
from sklearn.svm import LinearSVC

from lemmata.bounds.rbht09 import private_svm as bounds
from lemmata.experiments.instances.pairs import svm_neighbours as claims
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.erm import private_svm
from lemmata.mechanisms.privacy import GaussianDP, PureDP
from lemmata.mechanisms.solvers.svm import LOSSES, solution_tolerance, solve_rows
from tests.streams import streams


def problem(seed, n, F, kappa=1.0):
    rng = np.random.default_rng(seed)
    V = rng.normal(size=(n, F))
    V *= kappa / np.maximum(np.linalg.norm(V, axis=1, keepdims=True), kappa)
    return V, np.where(V[:, 0] + 0.5 * rng.normal(size=n) >= 0, 1.0, -1.0)


rng = streams("svm")


# Algorithm 1: the solver ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "F", "C"), [(30, 3, 1.0), (200, 5, 10.0), (60, 20, 200.0)])
def test_hinge_agrees_with_liblinear(n, F, C):
    V, y = problem(1, n, F)
    twin = LinearSVC(C=C / n, loss="hinge", dual=True, fit_intercept=False, tol=1e-11, max_iter=10**6, random_state=0)
    solved = private_svm.solve(V, y, C=C)
    assert np.abs(solved.weights - twin.fit(V, y).coef_[0]).sum() < 1e-5
    assert solved.error < solution_tolerance(C=C, F=F, kappa=1.0)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 25),
    F=st.integers(1, 12),
    log_C=st.floats(-4, 5),
    loss=st.sampled_from(LOSSES),
)
def test_every_solution_is_certified_within_the_public_tolerance(seed, n, F, log_C, loss):
    V, y = problem(seed, n, F)
    solved = private_svm.solve(V, y, C=10**log_C, loss=loss)
    assert solved.error <= solution_tolerance(C=10**log_C, F=F, kappa=1.0)
    assert np.all(solved.dual >= 0) and np.all(solved.dual <= 10**log_C / n * (1 + 1e-12))
    assert np.allclose((solved.dual * y) @ V, solved.weights, atol=1e-6 * 10**log_C)


@pytest.mark.parametrize("loss", LOSSES)
def test_grouped_rows_are_repeated_rows_and_batches_are_loops(loss):
    V, y = problem(4, 8, 3)
    counts = np.array([1, 5, 2, 1, 1, 30, 4, 2])
    grouped = private_svm.solve(V, y, C=20.0, loss=loss, counts=counts)
    spelled = private_svm.solve(np.repeat(V, counts, axis=0), np.repeat(y, counts), C=20.0, loss=loss)
    assert np.linalg.norm(grouped.weights - spelled.weights) <= grouped.error + spelled.error
    batch = solve_rows(np.stack([V, -V, V / 2]), np.stack([y, y, y]), C=20.0, loss=loss)
    for weights, error, rows in zip(batch.weights, batch.error, (V, -V, V / 2), strict=True):
        one = solve_rows(rows, y, C=20.0, loss=loss)
        assert np.linalg.norm(weights - one.weights) <= error + one.error


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    "V", [np.zeros((4, 2)), np.ones((4, 1)), np.eye(4), np.full((4, 3), 1e-9)], ids=["zero", "ties", "one-hot", "tiny"]
)
def test_degenerate_data(V, loss):
    solved = private_svm.solve(V, [1, 1, -1, -1], C=100.0, loss=loss, kappa=2.0)
    assert solved.error <= solution_tolerance(C=100.0, F=V.shape[1], kappa=2.0)


def test_a_small_saturated_problem_has_the_textbook_solution():
    """C kappa^2 <= 1: every margin is below 1, every dual variable is C / n."""
    V, y = problem(5, 40, 6)
    solved = private_svm.solve(V, y, C=0.9)
    assert np.allclose(solved.weights, 0.9 / 40 * y @ V, rtol=1e-12)
    assert solved.gap == 0


# Algorithm 2: the law -------------------------------------------------------------------------------------------------


def test_the_law_knows_its_noise():
    V, y = problem(6, 50, 4)
    law = private_svm.law(V, y, C=2.0, privacy=PureDP(0.5))
    assert law.scale == pytest.approx(bounds.noise_scale(beta=0.5, n=50, C=2.0, F=4), rel=1e-5)
    assert law.scale * 0.5 >= law.sensitivity
    sharp = private_svm.law(V, y, C=2.0, privacy=PureDP(0.5), calibration="sharp", sampler="float64")
    assert sharp.scale == pytest.approx(bounds.noise_scale_sharp(beta=0.5, n=50, C=2.0, F=4), rel=1e-4)
    releases = sharp.sample(rng("law"), 300)
    assert releases.shape == (300, 4)
    exact = laplace.logpdf(releases, loc=sharp.noise.centre, scale=sharp.scale).sum(axis=1)
    assert np.allclose(sharp.log_density(releases), exact)


def test_a_given_scale_and_its_privacy_are_inverse():
    V, y = problem(7, 50, 4)
    law = private_svm.law(V, y, C=2.0, scale=0.3)
    assert law.scale == pytest.approx(0.3, rel=1e-5)
    assert private_svm.law(V, y, C=2.0, privacy=law.privacy).scale == pytest.approx(0.3, rel=1e-5)
    assert law.sensitivity / law.scale <= law.privacy.epsilon


@pytest.mark.parametrize("sampler", private_svm.SAMPLERS)
def test_the_claimed_epsilon_covers_the_scale_as_rounded(sampler):
    for scale in np.random.default_rng(0).uniform(0.1, 10, size=30):
        law = private_svm.law([[1.0], [-1.0]], [1, -1], C=1.0, scale=scale, sampler=sampler)
        assert Fraction(law.sensitivity) <= Fraction(law.privacy.epsilon) * Fraction(law.scale)


def test_a_solution_is_held_to_a_tolerance_that_grows_as_the_fourth_root_of_c():
    """C = 4, F = 2, kappa = 3: 2e-7 sqrt((2 + 2) 4 (3 * 2))."""
    assert solution_tolerance(C=4.0, F=2, kappa=3.0) == pytest.approx(2e-7 * np.sqrt(96))


def test_a_longer_row_is_clipped():
    V, y = problem(8, 20, 2)
    long, unit = (np.vstack([V[:-1], last]) for last in ([1e6, 1e6], np.sqrt([0.5, 0.5])))
    a, b = (private_svm.law(rows, y, C=1.0, privacy=PureDP(1.0)).noise.point for rows in (long, unit))
    assert np.abs(a - b).max() <= 1


def test_hundred_million_people_in_two_rows():
    law = private_svm.law([[1.0, 0.0], [0.0, 1.0]], [1, -1], C=1.0, privacy=PureDP(1.0), counts=[6 * 10**7, 4 * 10**7])
    assert np.allclose(law.noise.centre, [0.6, -0.4], atol=1e-7)
    assert law.scale < 1e-5


def test_fit_releases_a_predictor():
    V, y = problem(9, 400, 3)
    law = private_svm.law(V, y, privacy=PureDP(5.0), C=1.0, feature_map=lambda X: np.hstack([X, X**2]))
    model = fit(law, rng("fit"))
    assert model.privacy == PureDP(5.0)
    assert np.mean(model.predict(V) == y) > 0.6
    assert np.allclose(
        model.decision_function(V[:2]),
        private_svm.ClippedMap(model.feature_map.feature_map, 1.0)(V[:2]) @ model.weights,
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": 0.0}, "C must be in .*, got 0.0"),
        ({"C": 1e9}, "got C = 1000000000.0, kappa = 1.0"),
        ({"kappa": -1.0}, "kappa must be in .*, got -1.0"),
        ({"loss": "square"}, "loss must be one of hinge, logistic, got 'square'"),
        ({"calibration": "l2"}, "calibration must be one of printed, sharp, got 'l2'"),
        ({"sampler": "raw"}, "sampler must be one of grid, float64, got 'raw'"),
        ({"privacy": None}, "exactly one of privacy and scale is required, got"),
        ({"scale": 1.0}, "exactly one of privacy and scale is required, got"),
        ({"privacy": GaussianDP(1.0)}, "privacy must be a PureDP for replaced rows or labels, got"),
        ({"privacy": PureDP(1.0, "add/remove")}, "privacy must be a PureDP for replaced rows or labels, got"),
        ({"counts": [1, 1]}, r"counts must have shape \(5,\), got \(2,\)"),
        ({"counts": [1, 1, 0, 1, 1]}, "counts must have integer entries >= 1"),
        ({"y": np.array(["1"] * 5)}, "y must be an array of numbers, got dtype <U1"),
        ({"X": np.array([[None]] * 5)}, "X must be an array of numbers, got dtype object"),
        ({"X": [[1.0]], "y": [1.0]}, "n = 1 is outside the hypothesis: n a whole number >= 2"),
    ],
)
def test_bad_input_is_named(change, message):
    V, y = problem(1, 5, 2)
    arguments = {"X": V, "y": y, "C": 1.0, "privacy": PureDP(1.0)} | change
    with pytest.raises(ValueError, match=message):
        private_svm.law(arguments.pop("X"), arguments.pop("y"), **arguments)


# the bounds and their claims ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("F, n, C, kappa", [(4, 6, 1.5, 2.0), (1, 2, 2.0, 1.0), (9, 20, 3.0, 1.0)])
def test_the_worst_pair_is_what_the_solver_finds(F, n, C, kappa):
    X, y, z = claims.flipped(F, n, kappa)
    solved = [private_svm.solve(X, t, C=C, kappa=kappa).weights for t in (y, z)]
    exact = claims.worst_weights(n=n, C=C, F=F, kappa=kappa)
    assert claims.hinge_saturates(n=n, C=C, kappa=kappa)
    assert np.allclose(solved, np.array(exact, dtype=float), atol=1e-7)
