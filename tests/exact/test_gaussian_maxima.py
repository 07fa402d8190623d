"""The exact laws of Gaussian maxima, ranges and noisy minima against quadrature, mixtures and scipy."""

import numpy as np
import pytest
from flint import arb
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.stats import norm, studentized_range

from lemmata.bounds.exact.balls import enclosure, upper_end
from lemmata.bounds.exact.gaussian_maxima import (
    _within,
    best_loses,
    max_exceeds,
    mean_max,
    mean_max_of_count,
    mean_min,
    min_at_most,
    range_exceeds,
    range_exceeds_at_most,
)
from lemmata.bounds.wzw25 import run_counts

SIZES = [1, 2, 3, 10, 100, 10_000]


def test_a_tail_widens_a_ball_on_both_sides():
    wide = _within(arb(3), arb(2))
    assert wide.contains(arb(1)) and wide.contains(arb(5)) and not wide.contains(arb(0.9))


@pytest.mark.parametrize("n", SIZES)
def test_the_mean_maximum_is_the_integral_of_the_tail(n):
    above = quad(lambda x: 1 - norm.cdf(x) ** n, 0, 12, points=[1, 3, 5])[0]
    below = quad(lambda x: norm.cdf(x) ** n, -12, 0)[0]
    assert float(mean_max(n)) == pytest.approx(above - below, abs=1e-8)
    assert enclosure(mean_min(n) + mean_max(n))[0] <= 0 <= enclosure(mean_min(n) + mean_max(n))[1]


def test_the_mean_maximum_of_three_is_known():
    low, high = enclosure(mean_max(3) - 3 / (2 * arb.pi().sqrt()))
    assert low <= 0 <= high and high - low < 1e-12


@pytest.mark.parametrize("n", [2, 3, 10, 50])
@pytest.mark.parametrize("z", [1.0, 3.0, 5.0])
def test_the_range_is_the_studentized_range_without_the_studentizing(n, z):
    assert float(range_exceeds(n, z)) == pytest.approx(studentized_range.sf(z, n, np.inf), abs=1e-9)
    assert upper_end(range_exceeds(n, z)) <= upper_end(range_exceeds_at_most(n, z)) + 1e-15


@pytest.mark.parametrize(("eta", "r"), [(-0.5, 0.3), (0, 0.3), (1, 0.2), (3, 0.5)])
def test_a_random_number_of_gaussians_is_a_mixture(eta, r):
    k = np.arange(1, 200)
    twin = sum(
        p * float(mean_max(int(j))) for j, p in zip(k, run_counts.pmf(eta=eta, r=r, k=k), strict=True) if p > 1e-13
    )
    assert float(mean_max_of_count(eta, r)) == pytest.approx(twin, abs=1e-9)


@given(n=st.integers(1, 10**6), z=st.floats(-8, 30))
def test_the_maximum_and_the_minimum_mirror_each_other(n, z):
    assert float(max_exceeds(n, z)) == pytest.approx(float(min_at_most(n, -z)), rel=1e-9)
    assert float(max_exceeds(n, z)) == pytest.approx(-np.expm1(n * norm.logcdf(z)), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("n", [2, 5, 1000])
@pytest.mark.parametrize("gap", [0.0, 1.5, 6.0])
def test_the_best_candidate_loses_as_often_as_quadrature_says(n, gap):
    twin = quad(lambda x: norm.pdf(x) * (1 - norm.cdf(gap - x) ** (n - 1)), -12, 12, points=[gap], limit=200)[0]
    assert float(best_loses(n, gap)) == pytest.approx(twin, abs=1e-9)
