"""Noisy gradient descent: the law against the printed algorithm, its privacy against oracles, ordered bounds."""

import re
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kstest, multivariate_normal

from lemmata.bounds.wzw25 import hinge_gradient, noisy_gd as bounds
from lemmata.experiments.wzw25 import noisy_gd as claims
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_mu
from tests.bms22.records import problem
from tests.streams import streams

rng = streams("noisy_gd")
X, Y = problem()


# The law --------------------------------------------------------------------------------------------------------------


def obvious(random, X, y, *, mu, width, steps, distance):
    """Algorithm 5 as it is printed, one run, one record at a time: w_0, ..., w_T."""
    n, d = X.shape
    X = np.array([x / max(1.0, np.linalg.norm(x)) for x in X])
    delta = 2 / width
    sigma = delta * sqrt(steps) / mu
    eta = sqrt(distance**2 / (steps * (n**2 * delta**2 + d * sigma**2)))
    iterates = [np.zeros(d)]
    for _ in range(steps):
        w, gradient = iterates[-1], np.zeros(d)
        for x, label in zip(X, y, strict=True):
            if label * (x @ w) < width:
                gradient -= label * x / width
        iterates.append(w - eta * (gradient + sigma * random.normal(size=(d, 1))[:, 0]))
    return np.array(iterates)


@pytest.mark.parametrize("output", noisy_gd.OUTPUTS)
def test_law_agrees_with_the_printed_algorithm(output):
    parameters = dict(width=0.4, steps=11, distance=2.0)
    twin = obvious(rng("twin"), X, Y, mu=1.3, **parameters)
    released = noisy_gd.law(X, Y, output=output, privacy=GaussianDP(1.3), **parameters).sample(rng("twin"))[0]
    expected = {"average": twin[:-1].mean(axis=0), "last": twin[-1], "iterates": twin[1:]}[output]
    assert np.allclose(released, expected, rtol=1e-12, atol=1e-14)


def test_columns_are_independent_runs():
    law = noisy_gd.law(X, Y, privacy=GaussianDP(1.0), width=5.0, steps=4, output="last")
    releases = law.sample(rng("columns"), 4000)
    assert np.abs(np.corrcoef(releases[:2000, 0], releases[2000:, 0])[0, 1]) < 0.1
    assert len(np.unique(releases)) == releases.size


def test_last_iterate_is_normal_in_the_linear_range():
    law = noisy_gd.law(X, Y, privacy=GaussianDP(1.0), width=1e4, steps=9, output="last")
    eta, mean = law.strides[0], law.strides.sum() * law.Z.sum(axis=0) / law.width
    standard = (law.sample(rng("linear"), 3000) - mean) / (eta * law.sigma * 3)
    assert kstest(standard[:, 0], "norm").pvalue > 1e-6


def test_log_density_is_a_product_of_gaussians():
    law = noisy_gd.law(X, Y, privacy=GaussianDP(1.0), width=0.3, steps=5, stride="decaying", output="iterates")
    releases = law.sample(rng("density"), 6)
    for release, density in zip(releases, law.log_density(releases), strict=True):
        expected, w = 0.0, np.zeros(3)
        for eta, after in zip(law.strides, release, strict=True):
            gradient = -law.Z[law.Z @ w < law.width].sum(axis=0) / law.width
            expected += multivariate_normal(w - eta * gradient, (eta * law.sigma) ** 2 * np.eye(3)).logpdf(after)
            w = after
        assert density == pytest.approx(expected, rel=1e-10)


def test_gradients_are_those_of_the_hinge_sum():
    law = noisy_gd.law(*problem(), privacy=GaussianDP(1.0), width=0.7, steps=1)
    w, h = np.array([[0.1], [-0.4], [0.2]]), 1e-6
    slopes = [
        (hinge_gradient.hinge_sum(w + h * e, law.Z, 0.7) - hinge_gradient.hinge_sum(w - h * e, law.Z, 0.7)) / (2 * h)
        for e in np.eye(3)[:, :, None]
    ]
    assert np.allclose(law.gradients(w), slopes, atol=1e-6)


def test_fit_remembers_its_privacy():
    X, y = problem(40)
    law = noisy_gd.law(X, y, privacy=ApproxDP(9.0, 1e-5), width=0.5, steps="balanced", noise="exact")
    model = fit(law, rng("fit"))
    assert model.privacy == GaussianDP(gaussian_mu(9.0, 1e-5)) and set(model.predict(X)) <= {-1.0, 1.0}


BAD = [
    (dict(privacy=PureDP(1.0)), "delta must be in (0, 1) to calibrate Gaussian noise, got 0.0"),
    (dict(width=-1.0), "width must be in [1e-100, 1e+100], got -1.0"),
    (dict(radius=np.inf), "radius must be in [1e-100, 1e+100], got inf"),
    (dict(distance=0.0), "distance must be in [1e-100, 1e+100], got 0.0"),
    (dict(steps=0), "steps must be an integer >= 1, got 0"),
    (dict(steps=2.5), "steps must be an integer >= 1, got 2.5"),
    (dict(steps="most"), "steps must be printed, balanced, auto or an integer >= 1, got 'most'"),
    (dict(output="median"), "output must be one of average, last, iterates, got 'median'"),
    (dict(stride="long"), "stride must be one of printed, tuned, decaying, got 'long'"),
    (dict(start=[0.0, 0.0]), "start must have shape"),
    (dict(average=[1.0]), "average must have shape"),
]


@pytest.mark.parametrize(("wrong", "message"), BAD)
def test_bad_parameters_are_named(wrong, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        noisy_gd.law(*problem(), **(dict(privacy=GaussianDP(1.0), width=1.0, steps=3) | wrong))


def test_iterates_are_no_predictor():
    law = noisy_gd.law(*problem(), privacy=GaussianDP(1.0), width=1.0, steps=4, output="iterates")
    with pytest.raises(ValueError, match="law has noise in float64"):
        fit(law, rng("fit"))
    assert fit(law, rng("fit"), noise="float").shape == (4, law.dimension)


# Privacy --------------------------------------------------------------------------------------------------------------


@given(steps=st.integers(1, 10**9), sensitivity=st.floats(1e-6, 1e6), mu=st.floats(1e-6, 100))
def test_sigma_spends_at_most_mu(steps, sensitivity, mu):
    sigma = Fraction(noisy_gd.noise_for(steps, sensitivity, mu))
    assert steps * Fraction(sensitivity) ** 2 <= Fraction(mu) ** 2 * sigma**2
    assert float(sigma) <= bounds.noise_std(steps, sensitivity, mu) * (1 + 1e-15)


def test_rounding_up_at_n_delta_costs_privacy():
    assert bounds.printed_steps(1, 0.1) == 1 and bounds.printed_steps(10, 0.5) == 25
    assert noisy_gd.law([[1.0]], [1], privacy=GaussianDP(0.1), width=2.0).sigma == pytest.approx(
        10.0
    )  # not n Delta = 1


def test_the_real_pair_is_nearly_tight():
    a, b = claims.randhie(n=24, rows="longest first")
    releases = a.sample(rng("randhie"), 4000)
    kappa = sqrt(2 * np.mean(a.log_density(releases) - b.log_density(releases)))
    assert 0.9 < kappa < 1.1  # in the linear range the log ratio has mean kappa^2 / 2, at mu = 1


# The bounds -----------------------------------------------------------------------------------------------------------


def test_auto_steps_are_the_balanced_ones_until_there_are_enough():
    """n^2 mu^2 / d = n^2 / 40, and 2,000 from n = 283 on: the same number for every larger n."""
    counts = {s: [noisy_gd.step_count(s, n, 0.5, 10) for n in (200, 282, 283, 10**6)] for s in ("balanced", "auto")}
    assert counts == {"balanced": [1000, 1989, 2003, 25 * 10**9], "auto": [1000, 1989, 2000, 2000]}


@pytest.mark.parametrize("labels", [np.ones(5), -np.ones(5)])
def test_printed_steps_depend_on_n_and_mu_alone(labels):
    law = noisy_gd.law(np.eye(5, 2), labels, privacy=GaussianDP(0.5), width=0.3, steps="printed")
    assert law.steps == bounds.printed_steps(5, 0.5)


def test_balanced_steps_cost_little():
    run = dict(n=1000, d=50, mu=0.5, sensitivity=1.0, distance=1.0)
    printed = bounds.averaged_excess(steps=bounds.printed_steps(1000, 0.5), **run)
    assert bounds.averaged_excess(steps=bounds.balanced_steps(1000, 0.5, 50), **run) < 1.415 * printed
