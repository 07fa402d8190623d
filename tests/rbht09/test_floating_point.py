"""Laplace noise in floating point: exact draws on a grid, the textbook sampler's leak, and footnote 5."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import example, given, strategies as st
from scipy.stats import chisquare, gamma

from lemmata.bounds.rbht09 import private_svm
from lemmata.mechanisms.noise import laplace
from lemmata.mechanisms.noise.laplace import FloatLaplace, GridLaplace, discrete_laplace, grid_for, reachable
from tests.streams import streams

rng = streams("float_leak")


def fits(draws, steps):
    """The p-value of chi-square against the law."""
    values = np.arange(-6 * steps, 6 * steps + 1)
    expected = np.tanh(0.5 / steps) * np.exp(-np.abs(values) / steps) * len(draws)
    observed = np.array([(draws == v).sum() for v in values])
    tail = [len(draws) - observed.sum()], [len(draws) - expected.sum()]
    return chisquare(np.append(observed, tail[0]), np.append(expected, tail[1])).pvalue


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_discrete_laplace_has_its_law(steps):
    """Fixed root; a correct sampler fails with probability 1e-6."""
    assert fits(discrete_laplace(rng(f"law {steps}"), steps, (100_000,)), steps) > 1e-6


class Digits:
    """A generator that draws given 64-bit words first, then real ones; it counts the latter."""

    def __init__(self, words):
        self.words, self.rest, self.further = np.array(words, dtype=np.int64), rng("digits"), 0

    def integers(self, low, high=None, size=None, dtype=np.int64):
        if size is None:
            self.further += 1
            return self.rest.integers(low if high is None else high)
        drawn, self.words = self.words[:size], self.words[size:]
        return drawn


@pytest.mark.parametrize("steps", [1, 3, 2**20, 2**33, 2**40])
def test_float_logarithms_are_settled_in_balls_where_they_prove_nothing(steps):
    """Words around the thresholds exp(-k / steps), and words anywhere: always what ball arithmetic gives."""
    source = rng(f"thresholds {steps}")
    counts = np.unique(np.round(np.concatenate([np.arange(1, 6), steps * np.linspace(0.01, 9, 40)])))
    with ctx.workprec(256):
        edges = [int(((-arb(int(k)) / steps).exp() * arb(2) ** 63).floor().unique_fmpz()) for k in counts]
    near = [edge + shift for edge in edges for shift in (-(2**20), -1, 0, 1, 2**20)]
    words = [word for word in near if 2**48 <= word < 2**63] + source.integers(2**48, 2**63, size=500).tolist()
    for word, value in zip(words, laplace._signed(Digits(words), steps, len(words)), strict=True):
        with ctx.workprec(256):
            ends = [int((-steps * (arb(end) / arb(2) ** 63).log()).floor().unique_fmpz()) for end in (word + 1, word)]
        assert ends[0] <= value <= ends[1]
        assert laplace.decide_grid_point(source, word, steps) in range(ends[0], ends[1] + 1)


def test_a_word_on_a_threshold_is_decided_by_further_digits():
    """The word that contains exp(-3/7): 3 and 2 come out as often as its further digits say, up to 5 deviations."""
    with ctx.workprec(256):
        place = (arb(-3) / 7).exp() * arb(2) ** 63
        word = int(place.floor().unique_fmpz())
        share = float(place - word)
    source = rng("threshold")
    hits = sum(laplace.decide_grid_point(source, word, 7) == 3 for _ in range(4000))
    assert abs(hits - 4000 * share) <= 5 * np.sqrt(4000 * share * (1 - share))


def test_small_uniforms_take_further_digits():
    source = Digits([0, 2**48 - 1, 2**62])
    drawn = laplace._signed(source, 5, 3)
    assert source.further >= 1 and drawn[0] >= 63 * np.log(2) * 5 - 1 and drawn[1] == 51 and drawn[2] == 3


def test_a_second_zero_is_drawn_again():
    zero = -1  # all digits of U are 1: zero, with the sign minus
    assert laplace._signed(Digits([zero]), 5, 1)[0] == laplace.SECOND_ZERO
    assert (discrete_laplace(rng("zeros"), 1, (20_000,)) != laplace.SECOND_ZERO).all()


def test_discrete_laplace_has_the_scale_of_the_theorem():
    draws = discrete_laplace(rng("scale"), 2**20, (40_000, 2))
    assert 1e-6 < gamma.cdf(np.abs(draws / 2**20).sum(), draws.size) < 1 - 1e-6


@given(sensitivity=st.floats(1e-9, 1e9), epsilon=st.floats(1e-3, 100), dimension=st.integers(1, 1000))
@example(sensitivity=1.0, epsilon=1e-3, dimension=1)
@example(sensitivity=1.0, epsilon=100.0, dimension=1000)
def test_the_grid_is_calibrated_and_fine(sensitivity, epsilon, dimension):
    grid, steps = grid_for(sensitivity, epsilon, dimension)
    distance = Fraction(sensitivity) / Fraction(grid) + dimension  # of two rounded centres, in grid steps
    assert distance / steps <= Fraction(epsilon)
    assert grid * steps <= sensitivity / epsilon * (1 + 1e-5)
    scale = private_svm.grid_scale(sensitivity=sensitivity, grid=grid, F=dimension, beta=epsilon)
    assert grid * steps >= scale * (1 - 1e-12)


BAD_STEPS = r"steps must be (in \[1, .*|an integer >= 1), got {0}".format


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GridLaplace(np.array([1.0]), 2.0**-60, 5), "is too fine"),
        (lambda: GridLaplace(np.array([1.0]), 0.3, 5), r"grid must be a power of two, got 0\.3"),
        (lambda: grid_for(1.0, 1e-7, 10**6), "epsilon = 1e-07 is too small"),
        (lambda: grid_for(1e-260, 1e-20, 1), "noise must be in"),
        (lambda: grid_for(1e-240, 1e20, 1), "noise must be in"),
        (lambda: grid_for(1e240, 1e-20, 1), "noise must be in"),
        (lambda: grid_for(1e260, 1e20, 1), "noise must be in"),
        (lambda: discrete_laplace(rng("bad"), 0, (1,)), BAD_STEPS(0)),
        (lambda: discrete_laplace(rng("bad"), 0.5, (1,)), BAD_STEPS(0.5)),
        (lambda: discrete_laplace(rng("bad"), 2**41, (1,)), BAD_STEPS(2**41)),
        (lambda: discrete_laplace(rng("bad"), np.nan, (1,)), BAD_STEPS(np.nan)),
    ],
)
def test_a_grid_that_cannot_be_used_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_grid_law_is_a_probability():
    law = GridLaplace(np.array([0.3]), 0.25, 3)
    places = np.arange(-100, 101)[:, None] * 0.25
    assert np.exp(law.log_density(places)).sum() == pytest.approx(1)
    assert law.log_density(np.array([[0.1]]))[0] == -np.inf
    assert np.all(law.sample(rng("multiples"), 1000) % 0.25 == 0)


def test_both_samplers_have_the_same_law_over_the_reals():
    """log-ratios of two centres agree up to the grid."""
    a, b = np.array([0.4, -1.0]), np.array([0.5, -1.3])
    at = np.round(rng("ratio").normal(size=(50, 2)) * 2**20) / 2**20
    exact = FloatLaplace(a, 0.5).log_density(at) - FloatLaplace(b, 0.5).log_density(at)
    grid = 2.0**-20
    log_ratio = GridLaplace(a, grid, 2**19).log_density(at) - GridLaplace(b, grid, 2**19).log_density(at)
    assert np.allclose(exact, log_ratio, atol=1e-5)


# The low bits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("own", "other", "scale"), [(0.0, 1.0, 1.0), (0.31, 0.73, 0.1), (10.0, 11.0, 1.0)])
def test_every_textbook_release_is_reachable_from_its_own_centre_only(own, other, scale):
    releases = own + rng("reach").laplace(0, scale, 300)
    assert all(reachable(y, own, scale) for y in releases)
    assert np.mean([reachable(y, other, scale) for y in releases]) < 0.97


def test_the_window_grows_with_the_rounding_of_the_sum():
    """Far from 0 a release is rounded: many uniforms give it, and the nearest one may lie thousands away."""
    releases = 1e6 + rng("far").laplace(0, 1.0, 200)
    assert all(reachable(y, 1e6, 1.0, margin=0) for y in releases)
