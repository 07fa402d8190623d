"""Gaussian maxima and noisy selection: laws against independent oracles, statements against slow twins, sabotage."""

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis.strategies import floats, integers, lists
from scipy.integrate import quad
from scipy.stats import norm, studentized_range

from bounds.exact.balls import enclosure, exact, lower_end, upper_end
from bounds.exact.gaussian_maxima import (
    best_loses,
    max_exceeds,
    mean_max,
    mean_max_of_count,
    mean_min,
    min_at_most,
    range_exceeds,
    range_exceeds_at_most,
)
from bounds.theorem import OutsideHypotheses
from bounds.wzw25 import gaussian_maxima, noisy_minimum, run_counts
from experiments.checks import gaussian_tails as step_claims
from experiments.checks.gaussian_tails import RANGE, decide_tail, follows_pattern, whole_above, whole_below
from experiments.wzw25 import gaussian_maxima as claims
from experiments.wzw25 import noisy_minimum as noisy_minimum_claims

SIZES = [1, 2, 3, 10, 100, 10_000]


# The laws against independent oracles -------------------------------------------------------------------------------


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


@pytest.mark.parametrize("n", [2, 5, 1000])
@pytest.mark.parametrize("gap", [0.0, 1.5, 6.0])
def test_the_best_candidate_loses_as_often_as_quadrature_says(n, gap):
    twin = quad(lambda x: norm.pdf(x) * (1 - norm.cdf(gap - x) ** (n - 1)), -12, 12, points=[gap], limit=200)[0]
    assert float(best_loses(n, gap)) == pytest.approx(twin, abs=1e-9)


def test_at_equal_scores_every_candidate_wins_equally_often():
    assert float(best_loses(5, 0.0)) == pytest.approx(4 / 5, abs=1e-12)


@pytest.mark.parametrize(("eta", "r"), [(-0.5, 0.3), (0, 0.3), (1, 0.2), (3, 0.5)])
def test_a_random_number_of_gaussians_is_a_mixture(eta, r):
    k = np.arange(1, 200)
    twin = sum(
        p * float(mean_max(int(j))) for j, p in zip(k, run_counts.pmf(eta=eta, r=r, k=k), strict=True) if p > 1e-13
    )
    assert float(mean_max_of_count(eta, r)) == pytest.approx(twin, abs=1e-9)


@given(n=integers(1, 10**6), z=floats(-8, 30))
def test_the_maximum_and_the_minimum_mirror_each_other(n, z):
    assert float(max_exceeds(n, z)) == pytest.approx(float(min_at_most(n, -z)), rel=1e-9)
    assert float(max_exceeds(n, z)) == pytest.approx(-np.expm1(n * norm.logcdf(z)), rel=1e-9, abs=1e-300)


# The statements -----------------------------------------------------------------------------------------------------


@given(n=integers(1, 10**9), sigma=floats(1e-6, 1e6), beta=floats(1e-12, 0.999))
def test_levels_with_sigma_in_both_terms_scale(n, sigma, beta):
    for level in (gaussian_maxima.max_threshold_scaled, gaussian_maxima.range_threshold_scaled):
        assert level(n=n, sigma=sigma, beta=beta) == pytest.approx(sigma * level(n=n, sigma=1.0, beta=beta))
        assert level(n=n, sigma=1.0, beta=beta) <= level(n=2 * n, sigma=1.0, beta=beta / 2)


@given(n=integers(1, 10**9), sigma=floats(1e-3, 1e3), beta=floats(1e-12, 0.999))
def test_the_printed_level_is_the_smaller_one_exactly_above_one(n, sigma, beta):
    printed = gaussian_maxima.max_threshold(n=n, sigma=sigma, beta=beta)
    scaled = gaussian_maxima.max_threshold_scaled(n=n, sigma=sigma, beta=beta)
    assert (printed < scaled) == (sigma > 1) or printed == pytest.approx(scaled)


@given(count=integers(1, 10**9), beta=floats(1e-12, 0.999))
def test_the_sharp_level_is_smaller(count, beta):
    sharp = noisy_minimum.choice_threshold_sharp(count=count, sigma=3.0, beta=beta)
    assert sharp <= 0.71 * noisy_minimum.choice_threshold_scaled(count=count, sigma=3.0, beta=beta)
    assert noisy_minimum.choice_mean(count=count, sigma=3.0) == 2 * noisy_minimum.choice_mean_sharp(
        count=count, sigma=3.0
    )


@given(eta=floats(-0.999, 50), r=floats(1e-9, 0.999))
def test_balls_and_floats_agree_on_the_bound_of_a_random_number(eta, r):
    ball = gaussian_maxima.count_max_mean(eta=exact(eta), r=exact(r), sigma=exact(2))
    assert gaussian_maxima.count_max_mean(eta=eta, r=r, sigma=2.0) == pytest.approx(float(ball), rel=1e-6, abs=1e-5)
    assert gaussian_maxima.geometric_max_mean(r=r, sigma=2.0) == pytest.approx(
        gaussian_maxima.count_max_mean(eta=1, r=r, sigma=2.0), rel=1e-9, abs=1e-6
    )


def test_one_ball_makes_a_ball():
    """A float logarithm inside a ball would be a hole in a proof."""
    for arguments in ({"n": exact(7), "sigma": 0.1, "beta": 0.1}, {"n": 7, "sigma": 0.1, "beta": exact(0.1)}):
        level = gaussian_maxima.max_threshold(**arguments)
        assert isinstance(level, arb) and float(level.rad()) < 1e-14


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: gaussian_maxima.max_mean(n=0, sigma=1.0), "n = 0"),
        (lambda: gaussian_maxima.max_mean(n=1.5, sigma=1.0), "n = 1.5"),
        (lambda: gaussian_maxima.max_threshold(n=1, sigma=-1.0, beta=0.1), "sigma = -1.0"),
        (lambda: gaussian_maxima.range_threshold(n=1, sigma=1.0, beta=1), "beta = 1"),
        (lambda: gaussian_maxima.count_max_mean(eta=-1, r=0.5, sigma=1.0), "eta = -1"),
        (lambda: gaussian_maxima.count_max_mean(eta=1, r=float("nan"), sigma=1.0), "r = nan"),
        (lambda: noisy_minimum.choice_mean(count=0, sigma=1.0), "count = 0"),
    ],
)
def test_outside_the_hypotheses(call, text):
    with pytest.raises(OutsideHypotheses, match=text):
        call()


# Noisy selection at arbitrary scores: a slow twin of the coupling -----------------------------------------------------


def chances(scores):
    """P(candidate i is chosen) at sigma = 1, by quadrature."""
    z = np.linspace(-9, 9, 2001)
    gaps = scores[:, None, None] - scores[None, :, None] + z  # (chosen, rival, z): the rival's noise must exceed it
    survive = norm.sf(gaps)
    survive[np.arange(len(scores)), np.arange(len(scores))] = 1
    return (norm.pdf(z) * survive.prod(axis=1)).sum(axis=1) * (z[1] - z[0])


@settings(max_examples=60)
@given(scores=lists(floats(0, 8), min_size=1, max_size=6))
def test_no_scores_exceed_the_bounds(scores):
    U = np.array(scores)
    p, excess = chances(U), U - U.min()
    assert p.sum() == pytest.approx(1, abs=1e-6)
    assert p @ excess <= float(mean_max(len(U))) + 1e-6
    assert p @ excess <= noisy_minimum.choice_mean_sharp(count=len(U), sigma=1.0) + 1e-6
    for beta in (0.9, 0.1, 0.01):
        for level in (noisy_minimum.choice_threshold_sharp, noisy_minimum.choice_threshold_scaled):
            passed = p[excess > level(count=len(U), sigma=1.0, beta=beta)].sum()
            assert passed <= beta / 2


def test_scores_that_follow_the_noise_need_the_factor_two():
    rng = np.random.default_rng(7)
    xi = rng.normal(size=(4000, 100))
    excess = (xi.max(1) - xi.min(1)).mean()  # U = -xi: all noisy scores tie, the worst is taken
    bound = noisy_minimum.choice_mean_sharp(count=100, sigma=1.0)
    assert 1.5 * bound < excess < 2 * bound
    assert np.all(step_claims.worst_chosen(-xi, xi) - (-xi).min(1) == pytest.approx(xi.max(1) - xi.min(1)))


def test_the_pathwise_steps_on_random_draws():
    rng = np.random.default_rng(8)
    U, xi = rng.normal(size=(500, 7)), 3 * rng.normal(size=(500, 7))
    chosen = step_claims.worst_chosen(U, xi)
    first = noisy_minimum.chosen_against_noisy_minimum(scores=U, noise=xi)
    assert np.all(chosen <= first + 1e-12)
    assert np.all(first <= noisy_minimum.chosen_against_range(scores=U, noise=xi) + 1e-12)
    assert np.all((U + xi).min(1) <= noisy_minimum.noisy_minimum(scores=U, noise=xi))


# The decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "held", "broken"),
    [
        (claims.maximum_tail, (1e-3, 0.5, 1.0), (1.05, 3.0, 1e3)),
        (claims.range_tail, (1e-3, 1.0, 1.41), (2.0, 1e3)),
        (noisy_minimum_claims.chosen_tail, (1e-3, 1.0, 1.41), (2.0, 1e3)),
    ],
)
def test_where_the_printed_levels_stop_to_suffice(claim, held, broken):
    assert {claim(sigma=s).outcome for s in held} == {"HOLDS"}
    assert {claim(sigma=s).scope for s in held} == {"everywhere"}
    for sigma in broken:
        found = claim(sigma=sigma)
        assert found.outcome == "REFUTED"
        assert found.witness["lhs"][0] > found.witness["rhs"][1]


def test_a_smaller_level_is_not_said_to_hold_everywhere():
    assert follows_pattern(gaussian_maxima.range_threshold, RANGE, 1.41, 1)
    assert not follows_pattern(gaussian_maxima.range_threshold, RANGE, 1.42, 1)
    just_over = decide_tail(gaussian_maxima.range_threshold, RANGE, sigma=1.42)
    assert just_over.scope.startswith("domain")  # false only for beta far below 1e-300


def test_the_reported_constant_is_a_supremum():
    found = claims.maximum_tail_scaled(sigma=1.0)
    assert found.tightness[0] == pytest.approx(norm.sf(np.sqrt(2 * np.log(2))), rel=1e-12)
    assert found.tightness[0] <= found.tightness[1] < 0.1196


def test_the_two_ends_as_printed_sum_to_one():
    for n in (1, 2, 1000):
        for t in (0.0, 1.0, 20.0):
            low, high = enclosure(gaussian_maxima.two_ends(n=n, sigma=2.0, t=t))
            assert low <= 1 <= high and high - low < 1e-12


@given(u=floats(0, 600))
def test_whole_numbers_are_enclosed(u):
    assert whole_below(u) <= np.exp(u) * (1 + 1e-11)
    assert lower_end(exact(u).exp()) <= whole_above(u)
