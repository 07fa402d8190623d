"""Gaussian privacy: printed formulas against reference values, the curve and finite laws against slow twins."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

import tests.claims  # noqa: F401 (it registers every claim)
from lemmata.bounds.wzw25 import gaussian_privacy
from lemmata.experiments.checks.privacy_conversion import Conversion
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.noise import gaussian as mechanism
from lemmata.mechanisms.privacy import (
    ApproxDP,
    GaussianDP,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
)

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


# The curve and finite laws --------------------------------------------------------------------------------------------


@given(mu=st.floats(0.05, 6), epsilon=st.floats(-4, 8))
def test_curve_against_quadrature(mu, epsilon):
    """int (p - e^epsilon q)_+, integrated blindly on both sides of where it vanishes."""
    end = mu / 2 - epsilon / mu
    integral = quad(lambda x: norm.pdf(x) - math.exp(epsilon) * norm.pdf(x - mu), min(end, 0) - 12, end, limit=200)[0]
    assert gaussian_privacy.gaussian_delta(epsilon=epsilon, mu=mu) == pytest.approx(integral, abs=1e-8)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), outputs=st.integers(2, 8))
def test_smallest_gdp_is_where_the_curves_touch(seed, outputs):
    """The slow twin: the hockey stick of the pair stays below the curve at every order, and not below a smaller one."""
    p, q = np.random.default_rng(seed).dirichlet(np.ones(outputs), size=2)
    mu = gaussian_privacy.smallest_gdp(p=p, q=q)
    ratios = np.log(p / q)  # beyond its log-ratios the stick is 0 or 1 - e^epsilon: the curves touch in between
    orders = np.linspace(ratios.min() - 1, ratios.max() + 1, 4001)
    sticks = np.maximum(p - np.exp(orders)[:, None] * q, 0).sum(axis=1)
    assert np.all(sticks <= gaussian_delta(orders, mu * (1 + 1e-9)) + 1e-12)
    assert np.any(sticks > gaussian_delta(orders, mu * 0.98))


# The mechanism --------------------------------------------------------------------------------------------------------


def test_log_density_against_scipy():
    released = mechanism.law([1.0, -2.0], sensitivity=1.0, sigma=0.7)
    points = released.sample(np.random.default_rng(1), 50)
    theirs = multivariate_normal([1.0, -2.0], 0.49 * np.eye(2)).logpdf(points)
    np.testing.assert_allclose(released.log_density(points), theirs)


def test_calibrated_mechanism_claims_what_it_was_asked_for():
    released = mechanism.law([0.0], sensitivity=3.0, privacy=ApproxDP(1.0, 1e-5, "label"))
    assert released.privacy.neighbours == "label"
    assert released.privacy.mu <= gaussian_mu(1.0, 1e-5) * (1 + 1e-15)
    assert released.sigma == pytest.approx(3 * 3.73063, rel=1e-5)
    assert mechanism.law([0.0], sensitivity=3.0, privacy=GaussianDP(0.5)).sigma == pytest.approx(6.0)
    law = mechanism.law([0.0, 1.0], sensitivity=1.0, sigma=1.0, noise="exact")
    assert fit(law, np.random.default_rng(0)).shape == (2,) and law.privacy == GaussianDP(law.privacy.mu)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sensitivity": 0.0, "sigma": 1.0}, r"sensitivity must be in \(0, inf\), got 0\.0"),
        ({"sensitivity": 1.0, "sigma": -1.0}, r"sigma must be in .*, got -1\.0"),
        ({"sensitivity": 1.0}, "exactly one of sigma and privacy is required, got None and None"),
        ({"sensitivity": 1.0, "sigma": 1.0, "value": [math.nan]}, "value must have finite entries only"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        mechanism.law(**{"value": [0.0], **arguments})


# Conversions ----------------------------------------------------------------------------------------------------------


def test_a_rule_that_is_not_linear_is_not_believed():
    with pytest.raises(ValueError, match="not mu times a linear function"):
        Conversion.of(lambda mu, t: mu * mu * t, slope=None)
