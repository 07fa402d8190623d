"""The numbers of Algorithm 3 in fractions, and Theorem L.1 beyond its range, simulated."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lemmata.bounds.wzw25 import algorithms as bounds
from lemmata.bounds.wzw25.gaussian_privacy import gaussian_delta
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd
from lemmata.mechanisms.numerics.streams import TEST_ROOT, generator
from lemmata.mechanisms.privacy import GaussianDP


@given(mu=st.floats(1e-6, 50.0), calls=st.integers(1, 200))
def test_budgets_never_add_up_to_more(mu, calls):
    each = bounds.split_budget(mu, calls)
    assert calls * Fraction(each) ** 2 <= Fraction(mu) ** 2
    assert each * sqrt(calls) > mu * (1 - 1e-14)
    sigma = bounds.score_noise(1.0, each)
    assert 1 / Fraction(sigma) <= Fraction(each) and sigma * each < 1 + 1e-14


def test_no_range_means_no_privacy():
    """The witness of Theorem L.1, simulated in R^k: the labels are as far apart as its derivation says."""
    epsilon, delta, k = 30.0, 0.5, 10**4
    mu = bounds.unlimited_budget(epsilon, delta)
    apart, log_chance = bounds.single_record_gap(mu, k)
    options = dict(privacy=GaussianDP(mu / sqrt(2)), width=1 / 3, radius=2.0, output="last")
    run = noisy_gd.law(2 * np.eye(1, k), [1.0], **options)
    s = run.sample(generator(TEST_ROOT, "tests.adaptive_margin.range", {}, "main", 0), 40)[:, 0] / (
        run.strides[0] * run.sigma * sqrt(run.steps)
    )
    assert s.mean() == pytest.approx(apart / 2, abs=6 / sqrt(40)) and 0.4 < s.std() < 1.6 and log_chance < -50
    assert gaussian_delta(epsilon=epsilon, mu=apart) > delta
    with pytest.raises(ValueError, match=r"epsilon must be in .*, got 30\.0"):
        adaptive_margin.budget(epsilon, delta)
