"""Gaussian maxima: how the statements scale, and the decisions at their borders."""

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis.strategies import floats, integers
from scipy.stats import norm

from bounds.exact.balls import enclosure, exact, lower_end
from bounds.theorem import OutsideHypotheses
from bounds.wzw25 import gaussian_maxima
from experiments.checks.gaussian_tails import RANGE, Level, decide_level, follows, whole_above, whole_below
from experiments.engine import registry
from experiments.engine.claim import CLAIMS

registry.load()

# The statements -------------------------------------------------------------------------------------------------------


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
    ],
)
def test_outside_the_hypotheses(call, text):
    with pytest.raises(OutsideHypotheses, match=text):
        call()


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="r = nan is not a number"):
        gaussian_maxima.count_max_mean(eta=1, r=float("nan"), sigma=1.0)


# The decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "held", "broken"),
    [
        ("wzw25.lemA.5/printed/tail", (1e-3, 0.5, 1.0), (1.05, 3.0, 1e3)),
        ("wzw25.corA.6/printed", (1e-3, 1.0, 1.41), (2.0, 1e3)),
        ("wzw25.lemF.2/printed", (1e-3, 1.0, 1.41), (2.0, 1e3)),
    ],
)
def test_where_the_printed_levels_stop_to_suffice(key, held, broken):
    claim = CLAIMS[key].trial
    assert {claim(sigma=s).outcome for s in held} == {"HOLDS"}
    assert {claim(sigma=s).scope for s in held} == {"everywhere"}
    for sigma in broken:
        found = claim(sigma=sigma)
        assert found.outcome == "REFUTED"
        assert found.witness["lhs"][0] > found.witness["rhs"][1]


def test_a_smaller_level_is_not_said_to_hold_everywhere():
    within, over = (Level(gaussian_maxima.range_threshold, RANGE, s, s) for s in (1.41, 1.42))
    assert follows(within) and not follows(over)
    assert decide_level(over).outcome == "INCONCLUSIVE"  # false only for beta far below 1e-300


def test_the_reported_constant_is_a_supremum():
    found = CLAIMS["wzw25.lemA.5/corrected/tail"].trial(sigma=1.0)
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
