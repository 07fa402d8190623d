"""Gaussian maxima: how the statements scale, and the decisions at their borders."""

import numpy as np
import pytest
from flint import arb
from hypothesis import given, strategies as st
from scipy.stats import norm

from lemmata.bounds.exact.balls import exact, lower_end
from lemmata.bounds.wzw25 import gaussian_maxima
from lemmata.experiments.checks.gaussian_tails import RANGE, Level, decide_level, follows, whole_above, whole_below
from tests.claims import CLAIMS

# The statements -------------------------------------------------------------------------------------------------------


@given(eta=st.floats(-0.999, 50), r=st.floats(1e-9, 0.999))
def test_balls_and_floats_agree_on_the_bound_of_a_random_number(eta, r):
    ball = gaussian_maxima.count_max_mean(eta=exact(eta), r=exact(r), sigma=exact(2))
    assert gaussian_maxima.count_max_mean(eta=eta, r=r, sigma=2.0) == pytest.approx(float(ball), rel=1e-6, abs=1e-5)
    assert gaussian_maxima.geometric_max_mean(r=r, sigma=2.0) == pytest.approx(
        gaussian_maxima.count_max_mean(eta=1, r=r, sigma=2.0), rel=1e-9, abs=1e-6
    )


@pytest.mark.parametrize(
    "arguments", [{"n": exact(7), "sigma": 0.1, "beta": 0.1}, {"n": 7, "sigma": 0.1, "beta": exact(0.1)}]
)
def test_one_ball_makes_a_ball(arguments):
    """A float logarithm inside a ball would be a hole in a proof."""
    level = gaussian_maxima.max_threshold(**arguments)
    assert isinstance(level, arb) and float(level.rad()) < 1e-14


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
        verdict = claim(sigma=sigma)
        assert verdict.outcome == "REFUTED"
        assert verdict.witness["lhs"][0] > verdict.witness["rhs"][1]


def test_a_smaller_level_is_not_said_to_hold_everywhere():
    within, over = (Level(gaussian_maxima.range_threshold, RANGE, s, s) for s in (1.41, 1.42))
    assert follows(within) and not follows(over)
    assert decide_level(over).outcome == "INCONCLUSIVE"  # false only for beta far below 1e-300


def test_the_reported_constant_is_a_supremum():
    verdict = CLAIMS["wzw25.lemA.5/corrected/tail"].trial(sigma=1.0)
    assert verdict.tightness[0] == pytest.approx(norm.sf(np.sqrt(2 * np.log(2))), rel=1e-12)
    assert verdict.tightness[0] <= verdict.tightness[1] < 0.1196


@given(u=st.floats(0, 600))
def test_whole_numbers_are_enclosed(u):
    assert whole_below(u) <= np.exp(u) * (1 + 1e-11)
    assert lower_end(exact(u).exp()) <= whole_above(u)
