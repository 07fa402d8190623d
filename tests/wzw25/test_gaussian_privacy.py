"""Gaussian privacy: printed formulas against slow twins, reference values, and the sabotage that must be caught."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import floats, integers, lists
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.bounds.wzw25 import gaussian_privacy
from lemmata.experiments.checks.privacy_conversion import Conversion
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.noise import gaussian as mechanism
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import (
    ApproxDP,
    GaussianDP,
    compose,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
    gaussian_noise_multiplier,
)

registry.load()

exactly = settings(derandomize=True, deadline=None)


# wzw25 at delta = 1e-5: mu, exact epsilon, Lemma E.1, Corollary E.2. The first column is dp-accounting's.
REFERENCE = [
    (0.05, 0.1600, 0.2412, 0.4799),
    (0.1, 0.3407, 0.4849, 0.9597),
    (0.5, 1.9931, 2.5243, 4.7985),
    (1.0, 4.3772, 5.2985, 9.5971),
    (5.0, 33.10, 36.49, 47.99),
]


@pytest.mark.parametrize(("mu", "exactly_epsilon", "e1", "e2"), REFERENCE)
def test_reference_values(mu, exactly_epsilon, e1, e2):
    assert gaussian_epsilon(mu, 1e-5) == pytest.approx(exactly_epsilon, abs=0.005)
    assert gaussian_privacy.approx_epsilon(mu=mu, delta=1e-5) == pytest.approx(e1, abs=0.005)
    assert gaussian_privacy.approx_epsilon_simple(mu=mu, delta=1e-5) == pytest.approx(e2, abs=0.005)


def test_printed_calibration_spends_less_than_half_of_what_it_may():
    assert gaussian_privacy.budget_each(epsilon=1.0, delta=1e-5, m=1) == pytest.approx(0.10420, abs=1e-5)
    assert gaussian_mu(1.0, 1e-5) == pytest.approx(0.26805, abs=1e-5)


@exactly
@given(mu=floats(1e-6, 100), log_delta=floats(-600, -1e-6), m=integers(1, 1000))
def test_formulas_against_their_twins(mu, log_delta, m):
    """As printed, with natural logarithms; log10 or a dropped constant would differ (sabotage 6)."""
    delta = math.exp(log_delta)
    root = math.sqrt(2 * math.log(1 / delta))
    assert gaussian_privacy.approx_epsilon(mu=mu, delta=delta) == pytest.approx(mu**2 / 2 + mu * root)
    if mu <= 2 * root:
        assert gaussian_privacy.approx_epsilon_simple(mu=mu, delta=delta) == pytest.approx(2 * mu * root)
    epsilon = min(mu, 7.999 * math.log(1 / delta))
    printed = epsilon / (2 * math.sqrt(2 * m * math.log(1 / delta)))
    assert gaussian_privacy.budget_each(epsilon=epsilon, delta=delta, m=m) == pytest.approx(printed)


@exactly
@given(mu=lists(floats(1e-3, 10), min_size=1, max_size=20))
def test_composition_against_its_twin(mu):
    assert gaussian_privacy.composed_gdp(mu=mu) == pytest.approx(math.sqrt(math.fsum(x * x for x in mu)))


# The curve and finite laws --------------------------------------------------------------------------------------------


@exactly
@given(mu=floats(0.05, 6), epsilon=floats(-4, 8))
def test_curve_against_quadrature(mu, epsilon):
    """int (p - e^epsilon q)_+, integrated blindly on both sides of where it vanishes."""
    end = mu / 2 - epsilon / mu
    integral = quad(lambda x: norm.pdf(x) - math.exp(epsilon) * norm.pdf(x - mu), min(end, 0) - 12, end, limit=200)[0]
    assert gaussian_privacy.gaussian_delta(epsilon=epsilon, mu=mu) == pytest.approx(integral, abs=1e-8)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(seed=integers(0, 10**6), outputs=integers(2, 8))
def test_smallest_gdp_is_where_the_curves_touch(seed, outputs):
    """The slow twin: the hockey stick of the pair stays below the curve at every order, and not below a smaller one."""
    p, q = np.random.default_rng(seed).dirichlet(np.ones(outputs), size=2)
    mu = gaussian_privacy.smallest_gdp(p=p, q=q)
    ratios = np.log(p / q)  # beyond its log-ratios the stick is 0 or 1 - e^epsilon: the curves touch in between
    orders = np.linspace(ratios.min() - 1, ratios.max() + 1, 4001)
    sticks = np.maximum(p - np.exp(orders)[:, None] * q, 0).sum(axis=1)
    assert np.all(sticks <= gaussian_delta(orders, mu * (1 + 1e-9)) + 1e-12)
    assert np.any(sticks > gaussian_delta(orders, mu * 0.98))


def test_an_output_possible_once_only_has_no_gdp():
    assert gaussian_privacy.smallest_gdp(p=[0.5, 0.5], q=[1.0, 0.0]) == math.inf
    assert gaussian_privacy.smallest_gdp(p=[0.5, 0.5, 0.0], q=[0.5, 0.5, 0.0]) == 0.0


@exactly
@given(p=floats(0.01, 0.99), q=floats(0.01, 0.99), epsilon=floats(0.01, 0.99), delta=floats(0.01, 0.5))
def test_definition_2_1_over_all_events(p, q, epsilon, delta):
    p, q = np.array([p, 1 - p]), np.array([q, 1 - q])
    events = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    largest = (events @ p - math.exp(epsilon) * (events @ q)).max() - delta
    assert gaussian_privacy.approximate_dp_excess(p=p, q=q, epsilon=epsilon, delta=delta) == pytest.approx(largest)


# The mechanism --------------------------------------------------------------------------------------------------------


def test_log_density_against_scipy():
    released = mechanism.law([1.0, -2.0], sensitivity=1.0, sigma=0.7)
    points = released.sample(np.random.default_rng(1), 50)
    theirs = multivariate_normal([1.0, -2.0], 0.49 * np.eye(2)).logpdf(points)
    np.testing.assert_allclose(released.log_density(points), theirs)


def test_noise_has_the_stated_scale():
    """chi-square of 20,000 draws within its 1e-9 quantiles."""
    draws = mechanism.law(np.zeros(4), sensitivity=2.0, sigma=5.0).sample(np.random.default_rng(TEST_ROOT), 5000)
    total = np.sum((draws / 5.0) ** 2)
    assert abs(norm.sf((total - draws.size) / math.sqrt(2 * draws.size)) - 0.5) < 0.5 - 1e-9


def test_calibrated_mechanism_claims_what_it_was_asked_for():
    released = mechanism.law([0.0], sensitivity=3.0, privacy=ApproxDP(1.0, 1e-5, "label"))
    assert released.privacy.neighbours == "label"
    assert released.privacy.mu <= gaussian_mu(1.0, 1e-5) * (1 + 1e-15)
    assert released.sigma == pytest.approx(3 * 3.73063, rel=1e-5)
    assert mechanism.law([0.0], sensitivity=3.0, privacy=GaussianDP(0.5)).sigma == pytest.approx(6.0)
    law = mechanism.law([0.0, 1.0], sensitivity=1.0, sigma=1.0, noise="exact")
    assert fit(law, np.random.default_rng(0)).shape == (2,) and law.privacy == GaussianDP(law.privacy.mu)


def test_data_stay_out_of_the_repr():
    assert "12345" not in repr(mechanism.law([12345.0], sensitivity=1.0, sigma=1.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sensitivity": 0.0, "sigma": 1.0}, r"sensitivity = 0\.0 is outside \(0, inf\)"),
        ({"sensitivity": 1.0, "sigma": -1.0}, r"sigma = -1\.0 is outside"),
        ({"sensitivity": 1.0}, "exactly one of sigma and privacy is required, got None and None"),
        ({"sensitivity": 1.0, "sigma": 1.0, "value": [math.nan]}, "value must have finite entries only"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        mechanism.law(**{"value": [0.0], **arguments})


# Verdicts and sabotage ------------------------------------------------------------------------------------------------


def test_a_rule_that_is_not_linear_is_not_believed():
    with pytest.raises(ValueError, match="not mu times a linear function"):
        Conversion.of(lambda mu, t: mu * mu * t, slope=None)


@pytest.mark.parametrize("steps", [2, 10, 1000])
def test_a_forgotten_step_is_refuted(steps):
    """Control 24: a composition charged for all but one step; only the accountant can see one of a thousand."""
    charged = compose(*[GaussianDP(0.1)] * (steps - 1))
    assert charged.mu < compose(*[GaussianDP(0.1)] * steps).mu * (1 - 0.4 / steps)
    factor = math.sqrt(steps / (steps - 1))
    claim = CLAIMS["wzw25.rem2.3/printed/composition"]
    assert claim.trial(mu=[0.1, 0.1 * math.sqrt(steps - 1)], factor=factor).outcome == "REFUTED"


def test_classical_noise_is_too_small_at_epsilon_ten():
    """Control 27: sqrt(2 ln(1.25 / delta)) / epsilon is a theorem for epsilon < 1; true at 8, false at 10."""
    delta = 1e-5

    def spent(epsilon):
        return gaussian_delta(epsilon, epsilon / math.sqrt(2 * math.log(1.25 / delta)))

    assert spent(10.0) == pytest.approx(2.3e-5, rel=0.02)
    assert spent(10.0) > delta > spent(8.0)
    assert spent(8.0) == pytest.approx(8.0e-6, rel=0.02)


@pytest.mark.slow
@pytest.mark.statistical
def test_half_the_noise_is_refuted():
    """Control 12: epsilon = 1, delta = 1e-5, sigma halved, audited as mu-GDP; the honest twin is not."""
    privacy = ApproxDP(1.0, 1e-5)
    sigma = gaussian_noise_multiplier(privacy)
    claimed = GaussianDP(1 / sigma)

    def attacked(scale):
        pair = (mechanism.law([x], sensitivity=1.0, sigma=scale) for x in (0.0, 1.0))
        return audit(*pair, claimed, root=TEST_ROOT, budget=60_000).verdict

    assert attacked(sigma / 2) == REFUTED
    assert attacked(sigma) == "INCONCLUSIVE"
