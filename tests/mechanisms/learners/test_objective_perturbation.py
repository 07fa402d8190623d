"""Output and objective perturbation: the solver, exact densities, exact worst log-ratios, and the laws in samples."""

from math import gamma

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from scipy.integrate import quad
from sklearn.linear_model import LogisticRegression

from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.erm import objective_perturbation, output_perturbation
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_delta, gaussian_mu
from lemmata.mechanisms.solvers import perturbed_risk
from lemmata.mechanisms.solvers.perturbed_risk import HUBER, MARGIN_LOSSES, minimise
from tests.rbht09.test_private_svm import problem

LOSSES = tuple(MARGIN_LOSSES)


# The solver -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_the_derivatives_are_derivatives_and_bounded(loss):
    kind, z = MARGIN_LOSSES[loss], np.linspace(-3, 4, 2000) + 1e-4
    h = 1e-6
    assert np.allclose((kind.value(z + h) - kind.value(z - h)) / (2 * h), kind.slope(z), atol=1e-5)
    smooth = np.abs(np.abs(1 - z) - HUBER) > 1e-5
    assert np.allclose(((kind.slope(z + h) - kind.slope(z - h)) / (2 * h))[smooth], kind.second(z)[smooth], atol=1e-4)
    assert np.all(np.abs(kind.slope(z)) <= 1) and kind.second(z).max() == pytest.approx(kind.curvature, rel=1e-3)


def test_the_logistic_minimiser_against_scikit_learn():
    V, y = problem(1, 80, 4)
    w, error = minimise(y[:, None] * V, linear=np.zeros((1, 4)), ridge=1.0, share=20.0 / 80, loss="logistic")
    twin = LogisticRegression(C=20.0 / 80, fit_intercept=False, tol=1e-13, max_iter=10_000, solver="newton-cholesky")
    assert np.allclose(w[0], twin.fit(V, y).coef_[0], atol=1e-9) and error[0] < 1e-10


@given(seed=st.integers(0, 10**6), loss=st.sampled_from(LOSSES), log_C=st.floats(-2, 4))
def test_every_minimiser_is_certified(seed, loss, log_C):
    V, y = problem(seed, 12, 3)
    b = 30 * np.random.default_rng(seed).normal(size=(5, 3))
    w, error = minimise(y[:, None] * V, linear=b, ridge=1.5, share=10**log_C / 12, loss=loss)
    assert np.all(error <= 1e-9 * (1 + 10**log_C) * (1 + np.abs(b).max()))
    single = minimise(y[:, None] * V, linear=b[2:3], ridge=1.5, share=10**log_C / 12, loss=loss)[0]
    assert np.allclose(w[2], single[0], atol=1e-8 * (1 + np.abs(single).max()))


def test_grouped_rows_are_repeated_rows():
    V, y = problem(11, 6, 2)
    counts, options = [1, 3, 2, 5, 1, 4], {"linear": np.ones((2, 2)), "ridge": 2.0, "share": 0.7, "loss": "huber"}
    grouped = minimise(y[:, None] * V, counts=counts, **options)[0]
    assert np.allclose(grouped, minimise(np.repeat(y[:, None] * V, counts, axis=0), **options)[0], atol=1e-9)


def test_many_linear_terms_are_solved_in_blocks(monkeypatch):
    V, y = problem(12, 9, 3)
    b = np.random.default_rng(12).normal(size=(40, 3))
    options = {"linear": b, "ridge": 1.0, "share": 2.0, "loss": "logistic"}
    whole = minimise(y[:, None] * V, **options)[0]
    monkeypatch.setattr(perturbed_risk, "BLOCK", 7 * 27)
    assert np.allclose(whole, minimise(y[:, None] * V, **options)[0], atol=1e-10)


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_an_unfinished_minimiser_has_a_certificate_that_says_so(monkeypatch, steps):
    V, y = problem(2, 30, 3)
    arguments = {"linear": np.full((1, 3), 5.0), "ridge": 1.0, "share": 3.0, "loss": "logistic"}
    finished = minimise(y[:, None] * V, **arguments)[0]
    monkeypatch.setattr(perturbed_risk, "STEPS", steps)
    w, error = minimise(y[:, None] * V, **arguments)
    missed = np.linalg.norm(w - finished)
    assert missed > 1e-6 and error[0] >= missed


# The noise ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_noise_has_gamma_lengths_and_a_density_of_mass_one(dimension):
    b = output_perturbation.radial_noise(np.random.default_rng(3), 2.0, 20_000, dimension)
    lengths = np.linalg.norm(b, axis=1)
    assert stats.kstest(lengths, stats.gamma(dimension, scale=0.5).cdf).pvalue > 1e-6
    assert stats.kstest(lengths, stats.gamma(dimension + 1, scale=0.5).cdf).pvalue < 1e-6
    assert np.abs(np.sign(b).mean(axis=0)).max() < 0.05
    sphere = 2 * np.pi ** (dimension / 2) / gamma(dimension / 2)

    def shell(r):
        return np.exp(output_perturbation.radial_log_density(r, 2.0, dimension)) * sphere * r ** (dimension - 1)

    assert quad(shell, 0, 60)[0] == pytest.approx(1.0)


# Privacy, exactly -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_output_perturbation_never_exceeds_its_budget_and_spends_it(loss):
    """The largest log-ratio of two radial laws is rate times the distance of the centres: the flipped label's."""
    epsilon, n, C, largest = 1.3, 10, 0.4, 0.0
    for seed in range(20):
        V, y = problem(seed, n, 2)
        V[:, :] = V[0] / np.linalg.norm(V[0]) if seed == 0 else V
        y = np.ones(n) if seed == 0 else y
        labels = (y, np.append(y[:-1], -y[-1]))
        a, b = (output_perturbation.law(V, t, privacy=PureDP(epsilon), C=C, loss=loss) for t in labels)
        ratio = float(a.log_density(a.weights)[0] - b.log_density(a.weights)[0])
        assert ratio <= epsilon
        largest = max(largest, ratio)
    assert largest > {"huber": 0.999, "logistic": 0.4}[loss] * epsilon


@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(LOSSES),
    log_C=st.floats(-2, 3),
    epsilon=st.floats(0.05, 4),
    n=st.integers(1, 12),
)
def test_objective_perturbation_never_exceeds_its_budget(seed, loss, log_C, epsilon, n):
    """Exact log-ratios at releases of the law and far from it, for adversarial last rows: opposite, longer, zero."""
    draw = np.random.default_rng(seed)
    V, y = problem(seed, n, 2)
    if seed % 3 == 0:
        V[:-1] = 0  # only the row that differs bends the objective
    other, z = V.copy(), y.copy()
    other[-1] = [-V[-1], np.zeros(2), draw.normal(size=2) * 10][seed % 3]
    z[-1] = draw.choice([-1.0, 1.0])
    a, b = (
        objective_perturbation.law(X, t, privacy=PureDP(epsilon), C=10**log_C, loss=loss)
        for X, t in ((V, y), (other, z))
    )
    W = np.vstack([a.sample(draw, 10), draw.normal(size=(20, 2)) * 10 ** draw.uniform(-3, 2, (20, 1))])
    assert np.abs(a.log_density(W) - b.log_density(W)).max() <= epsilon * (1 + 1e-9)


@given(epsilon=st.floats(1e-3, 20), grown=st.floats(1e-6, 1), n=st.integers(1, 10**4), log_C=st.floats(-3, 4))
def test_more_epsilon_never_means_more_noise(epsilon, grown, n, log_C):
    """Nor a larger ridge: both once jumped where the determinant had just become affordable."""
    sizes = {"n": n, "C": 10**log_C, "curvature": 0.25}
    rate, ridge = objective_perturbation.split_budget(epsilon=epsilon, **sizes)
    more, less = objective_perturbation.split_budget(epsilon=epsilon * (1 + grown), **sizes)
    assert more >= rate >= epsilon / 2 * (1 - 1e-9) and less <= ridge
    twice = objective_perturbation.split_budget(epsilon=epsilon * (1 + 1e-9), **sizes)
    assert twice == pytest.approx((rate, ridge), rel=1e-6)


def test_the_determinant_s_part_of_the_budget_is_needed(monkeypatch):
    """With the Hessian's part left out, or half of the regularisation, an exact log-ratio exceeds epsilon."""
    V, y = np.array([[1.0, 0.0]]), np.array([1.0])
    other = np.array([[0.0, 0.0]])
    split = objective_perturbation.split_budget

    def largest_share(epsilon):
        a, b = (objective_perturbation.law(X, y, privacy=PureDP(epsilon), C=8.0, loss="huber") for X in (V, other))
        W = np.stack(np.meshgrid(np.linspace(-3, 9, 400), [0.0]), axis=-1).reshape(-1, 2)
        return np.abs(a.log_density(W) - b.log_density(W)).max() / epsilon

    assert largest_share(0.5) <= 1 and largest_share(6.0) <= 1
    monkeypatch.setattr(objective_perturbation, "split_budget", lambda **s: (s["epsilon"], 1.0))
    assert largest_share(0.5) > 1
    monkeypatch.setattr(objective_perturbation, "split_budget", lambda **s: (split(**s)[0], split(**s)[1] / 4))
    assert largest_share(0.5) > 1


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("epsilon", "C", "ridged"), [(2.0, 4.0, False), (0.5, 20.0, True)])
def test_the_density_of_objective_perturbation_has_mass_one_and_fits_its_sample(loss, epsilon, C, ridged):
    V, y = problem(5, 6, 1)
    law = objective_perturbation.law(V, y, privacy=PureDP(epsilon), C=C, loss=loss)
    assert (law.ridge != 1) == ridged
    places = np.linspace(-90, 90, 600_001)
    cdf = np.cumsum(np.exp(law.log_density(places[:, None]))) * (places[1] - places[0])
    assert cdf[-1] == pytest.approx(1.0, abs=1e-3)
    draws = law.sample(np.random.default_rng(6), 4000)[:, 0]
    assert stats.kstest(draws, lambda t: np.interp(t, places, cdf)).pvalue > 1e-6
    assert stats.kstest(1.5 * draws, lambda t: np.interp(t, places, cdf)).pvalue < 1e-6


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [3.0, 300.0])
def test_b_of_w_is_the_linear_term_that_was_solved(loss, C):
    V, y = problem(7, 20, 3)
    law = objective_perturbation.law(V, y, privacy=PureDP(1.0), C=C, loss=loss)
    b = output_perturbation.radial_noise(np.random.default_rng(8), law.noise.rate, 50, 3)
    w, _ = minimise(law.Z, linear=b, ridge=law.ridge, share=C / 20, loss=loss)
    assert np.allclose(law.perturbation(w), b, atol=1e-6)


# Learning, and bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("baseline", "privacy"),
    [
        (output_perturbation, PureDP(2.0)),
        (objective_perturbation, PureDP(2.0)),
        (objective_perturbation, ApproxDP(1.0, 1e-5)),
    ],
)
def test_the_baselines_learn(baseline, privacy):
    V, y = problem(9, 3000, 3)
    model = fit(baseline.law(V, y, privacy=privacy, C=20.0, noise="exact"), np.random.default_rng(10))
    best = np.mean(np.where(V[:, 0] >= 0, 1, -1) == y)
    assert np.mean(model.predict(V) == y) > best - 0.05 and model.privacy == privacy


@pytest.mark.parametrize("baseline", [output_perturbation, objective_perturbation])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": 0.0}, "C must be in .*, got 0.0"),
        ({"C": 1e9}, "C must be in .*, got 1000000000.0"),
        ({"loss": "hinge"}, "loss must be one of logistic, huber, got 'hinge'"),
        ({"privacy": GaussianDP(1.0)}, "privacy must be a PureDP.* for replaced rows or labels, got"),
        ({"privacy": PureDP(1.0, "add/remove")}, "privacy must be a PureDP.* for replaced rows or labels, got"),
        ({"y": np.array(["1", "-1"])}, "y must be an array of numbers, got dtype <U2"),
    ],
)
def test_bad_input_is_named(baseline, change, message):
    with pytest.raises(ValueError, match=message):
        baseline.law(**{"X": [[1.0], [0.5]], "y": [1, -1], "privacy": PureDP(1.0), "C": 1.0} | change)


# What mutants of the code got away with -------------------------------------------------------------------------------


def test_objective_perturbation_spends_its_budget():
    """Ten equal records, one label flipped: b(w) moves by 2 where the margins are small, and w is far on one side."""
    a, b = flipped(PureDP(1.3), 0.5)
    ratios = np.abs(a.log_density(places := np.linspace(-0.5, 0.5, 101)[:, None]) - b.log_density(places))
    assert 0.99 * 1.3 < ratios.max() <= 1.3 and a.noise.rate == pytest.approx((1.3 - np.log1p(0.05)) / 2)


def test_output_perturbation_releases_the_weights_and_its_noise():
    V, y = problem(13, 40, 2)
    law = output_perturbation.law(V, y, privacy=PureDP(1.0), C=2.0)
    assert np.allclose(
        law.weights, minimise(y[:, None] * V, linear=[[0.0, 0.0]], ridge=1.0, share=0.05, loss="logistic")[0]
    )
    draws = law.sample(np.random.default_rng(14), 20_000)
    assert law.rate == pytest.approx(1 / (2 * 2.0 / 40), rel=1e-6)
    assert np.abs(draws.mean(axis=0) - law.weights).max() < 6 * 0.3 / np.sqrt(20_000)
    noise = output_perturbation.radial_noise(np.random.default_rng(14), law.rate, 20_000, 2)
    assert np.allclose(draws - law.weights, noise)


@pytest.mark.parametrize("steps", [0, 100])
@pytest.mark.parametrize("baseline", [output_perturbation, objective_perturbation])
def test_a_solver_that_misses_tells_nothing(monkeypatch, baseline, steps):
    """Whether it missed is private: a release as ever, with the noise and the promise that it always has."""
    V, y = problem(15, 30, 3)
    usual = baseline.law(V, y, privacy=PureDP(1.0), C=50.0)
    monkeypatch.setattr(perturbed_risk, "STEPS", steps)
    law = baseline.law(V, y, privacy=PureDP(1.0), C=50.0)
    assert np.isfinite(law.sample(np.random.default_rng(0), 3)).all() and law.privacy == usual.privacy
    assert getattr(law, "rate", None) == getattr(usual, "rate", None)


def test_more_numbers_than_fit_are_refused():
    with pytest.raises(ValueError, match=r"size = 70000, dimension = 70000: more than 2\^32 numbers"):
        output_perturbation.radial_noise(np.random.default_rng(0), 1.0, 70_000, 70_000)


def test_the_tolerance_is_public_and_the_certificate_covers_rounding():
    assert output_perturbation.tolerance(3.0) == 4e-9
    V, y = problem(16, 25, 3)
    Z, b = y[:, None] * V, np.full((1, 3), 9.0)
    w, error = minimise(Z, linear=b, ridge=2.0, share=0.4, loss="huber")
    size = 2 * np.linalg.norm(w) + 0.4 * np.linalg.norm(Z, axis=1).sum() + 0.4 * np.linalg.norm(b)
    assert error[0] >= 4 * np.finfo(float).eps * 28 * size / 2


# Gaussian b: the tight profile ----------------------------------------------------------------------------------------


def line(law):
    """Releases in one dimension, as far as nine standard deviations of b take them."""
    reach = law.C / len(law.Z) * (9 * law.noise.sigma + len(law.Z)) / law.ridge
    return np.linspace(-reach, reach, 100_001)


def exact_delta(a, b, epsilon):
    """The larger of the two integrals of (p - e^epsilon p')_+ over a line of releases."""
    places = line(a)
    p, q = (np.exp(law.log_density(places[:, None])) for law in (a, b))
    step = places[1] - places[0]
    assert p.sum() * step == pytest.approx(1.0, abs=1e-3)  # Huber's second derivative jumps
    return max(np.maximum(one - np.exp(epsilon) * other, 0).sum() for one, other in ((p, q), (q, p))) * step


def flipped(privacy, C, loss="huber", n=10):
    """n equal records, and the same with one label flipped."""
    labels = np.ones(n), np.append(np.ones(n - 1), -1.0)
    return [objective_perturbation.law(np.ones((n, 1)), y, privacy=privacy, C=C, loss=loss) for y in labels]


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-2), (0.3, 1e-3), (3.0, 1e-5)])
def test_the_gaussian_profile_holds_and_is_nearly_attained(epsilon, delta, monkeypatch):
    """Where margins stay below 1/2 Huber's slopes are 1, b moves by 2, and the determinant costs nothing."""
    claim = ApproxDP(epsilon, delta)
    assert 0.5 * delta < exact_delta(*flipped(claim, 0.01), epsilon) <= delta
    split = objective_perturbation.gaussian_split
    monkeypatch.setattr(objective_perturbation, "gaussian_split", lambda **s: (0.9 * split(**s)[0], split(**s)[1]))
    assert exact_delta(*flipped(claim, 0.01), epsilon) > delta


@pytest.mark.parametrize("epsilon", [0.4, 2.0])
@pytest.mark.parametrize("other", [-1.0, 0.0, 0.6])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.1, 3.0, 40.0])
def test_the_gaussian_profile_holds_where_the_determinant_costs(loss, C, other, epsilon):
    """One row replaced by its opposite, by zero or by another, in one dimension, where delta is an integral."""
    base = np.array([[1.0], [0.2], [-0.7]])
    pair = [
        objective_perturbation.law(
            np.vstack([[[z]], base[1:]]), [1, 1, 1], privacy=ApproxDP(epsilon, 1e-3), C=C, loss=loss
        )
        for z in (1.0, other)
    ]
    assert exact_delta(*pair, epsilon) <= 1.01e-3  # the sum over the line is an integral up to a hundredth


def test_the_determinant_is_paid_for_with_gaussian_noise(monkeypatch):
    """One row that bends the objective against one that does not: without its part of epsilon the claim falls."""
    claim = ApproxDP(0.5, 1e-3)

    def distance():
        pair = (objective_perturbation.law([[x]], [1], privacy=claim, C=8.0, loss="huber") for x in (1.0, 0.0))
        return exact_delta(*pair, 0.5)

    assert distance() <= 1e-3
    mu = gaussian_mu(0.5, 1e-3)
    monkeypatch.setattr(objective_perturbation, "gaussian_split", lambda **s: (2 / mu, 1.0))
    assert distance() > 1e-3


def test_gaussian_objective_perturbation_fits_its_density():
    law = flipped(ApproxDP(2.0, 1e-3), 4.0)[1]
    places = line(law)
    cdf = np.cumsum(np.exp(law.log_density(places[:, None]))) * (places[1] - places[0])
    draws = law.sample(np.random.default_rng(6), 4000)[:, 0]
    assert stats.kstest(draws, lambda t: np.interp(t, places, cdf)).pvalue > 1e-6
    with pytest.raises(ValueError, match=r"delta must be in .*, got 1\.0"):
        objective_perturbation.law([[1.0]], [1], privacy=ApproxDP(1.0, 1.0), C=20.0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "n", "C"), [(1.0, 0.1, 1000, 1.0), (0.3, 1e-5, 50, 40.0), (8.0, 1e-5, 9, 2.0)]
)
def test_sigma_is_the_least_that_the_profile_allows(epsilon, delta, n, C):
    """The curve of a move by 2, twice that of a move by 1, at what the determinant leaves of epsilon."""
    sigma, ridge = objective_perturbation.gaussian_split(epsilon=epsilon, delta=delta, n=n, C=C, curvature=0.25)
    left = epsilon - np.log1p(0.25 * C / (n * ridge))

    def profile(sigma):
        return gaussian_delta(left, 2 / sigma) + 2 * gaussian_delta(left, 1 / sigma)

    assert left >= epsilon / 2 * (1 - 1e-9) and profile(sigma) <= delta < profile(sigma * (1 - 1e-6))
