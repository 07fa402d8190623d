"""The Gaussian mechanism on a grid: its exact sampler, its law, its guarantee, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare, norm

from lemmata.mechanisms import grid_gaussian
from lemmata.mechanisms.privacy import GaussianDP
from tests.streams import streams

rng = streams("grid_gaussian")


@pytest.mark.parametrize(("centre", "sigma", "step"), [(0.0, 1.0, 1.0), (0.37, 1.0, 0.5), (-0.99, 0.3, 0.25)])
def test_releases_follow_the_rounded_normal_law(centre, sigma, step):
    """Chi-square at level 1e-6 against differences of the normal distribution function."""
    law = grid_gaussian.law([centre], sensitivity=1.0, bound=1.0, sigma=sigma, step=step)
    drawn = law.sample(rng(f"{centre}"), 4000)[:, 0]
    places = (
        step * np.arange(np.floor(-6 * sigma / step), np.ceil(6 * sigma / step) + 1) + np.rint(centre / step) * step
    )
    ends = norm.cdf(np.append(places - step / 2, places[-1] + step / 2), centre, sigma)
    mass = np.diff(ends)
    np.testing.assert_allclose(np.exp(law.log_density(places[:, None])), mass, rtol=1e-6, atol=1e-12)
    counts, often = np.array([(drawn == place).sum() for place in places]), mass * 4000 > 5
    rest = 4000 - counts[often].sum(), 4000 * (1 - mass[often].sum())
    assert chisquare(np.append(counts[often], rest[0]), np.append(4000 * mass[often], rest[1])).pvalue > 1e-6


class Digits:
    """A generator whose uniform digits and sign are given: the sampler as a function of them."""

    def __init__(self, sign, *digits):
        self.left = [sign, *digits]

    def integers(self, _):
        return self.left.pop(0)


@pytest.mark.parametrize("sign", [0, 1])
def test_a_draw_is_the_rounded_quantile_and_asks_for_digits_where_it_must(sign):
    for digits in (1, 2**20, 2**52 - 1, 2**52, 2**53 - 1):
        size = -norm.ppf((digits + 0.5) / 2**54)
        cell = grid_gaussian.cell(Digits(sign, digits, 2**52, 2**52), Fraction(1, 3), Fraction(10))
        assert cell == round(1 / 3 + (10 if sign else -10) * size)


def test_more_digits_are_drawn_where_two_cells_are_possible():
    """The cells meet 1e-17 above the centre; V in [1 - 2^-53, 1) leaves the noise between 0 and 1.4e-16."""
    for further, cell in ((0, 1), (2**53 - 1, 0)):
        source = Digits(1, 2**53 - 1, further, further, further)
        assert grid_gaussian.cell(source, Fraction(1, 2) - Fraction(1, 10**17), Fraction(1)) == cell
        assert len(source.left) < 3


def test_all_releases_lie_on_the_grid_whatever_the_low_bits_of_the_value():
    for value in (0.1, 0.1 + 2**-56, np.nextafter(0.1, 1)):
        law = grid_gaussian.law([value], sensitivity=1.0, bound=1.0, sigma=1.0)
        steps = law.sample(rng("bits"), 50) / law.step
        assert (steps == np.rint(steps)).all()
        assert law.step == 2.0**-20


@pytest.mark.parametrize("step", [2.0, 0.25])
def test_thresholds_separate_neighbours_exactly_as_far_as_mu_allows(step):
    """{release >= t} is {value + Z >= t - step / 2}: its quantiles under two neighbours are Delta / sigma apart."""
    laws = [grid_gaussian.law([value], sensitivity=1.0, bound=1.0, sigma=2.0, step=step) for value in (-0.3, 0.7)]
    places = step * np.arange(-100, 101)
    tails = [np.exp(law.log_density(places[:, None]))[::-1].cumsum()[::-1] for law in laws]
    middle = (tails[0] > 1e-6) & (tails[1] < 1 - 1e-6)
    apart = norm.ppf(tails[1][middle]) - norm.ppf(tails[0][middle])
    np.testing.assert_allclose(apart, laws[0].privacy.mu, rtol=1e-6)


def test_the_guarantee_is_never_rounded_down():
    random = rng("mu")
    for sensitivity, sigma in np.exp(random.uniform(-3, 3, (200, 2))):
        law = grid_gaussian.law([0.0], sensitivity=sensitivity, bound=1.0, sigma=sigma)
        assert Fraction(law.privacy.mu) * Fraction(law.sigma) >= Fraction(sensitivity)
    asked = grid_gaussian.law([0.0], sensitivity=1.0, bound=1.0, privacy=GaussianDP(0.7))
    assert asked.privacy.mu <= 0.7 * (1 + 1e-12)


def test_values_beyond_the_bound_are_clipped_and_stay_out_of_sight():
    law = grid_gaussian.law([1e300, -0.123456789], sensitivity=1.0, bound=0.5, sigma=1.0)
    assert law.value.tolist() == [0.5, -0.123456789]
    assert "0.1234" not in repr(law)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": [[1.0]]}, "value has shape"),
        ({"value": [np.nan]}, "value has entries that are not finite numbers"),
        ({"sensitivity": 0.0}, "sensitivity = 0.0"),
        ({"bound": np.inf}, "bound = inf"),
        ({"sigma": -1.0}, "sigma = -1.0"),
        ({"sigma": None}, "exactly one of them"),
        ({"step": 0.3}, "step = 0.3 is not a power of two"),
        ({"step": 2.0**-60}, "too fine"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"value": [0.0], "sensitivity": 1.0, "bound": 1.0, "sigma": 1.0} | change
    with pytest.raises(ValueError, match=message):
        grid_gaussian.law(arguments.pop("value"), **arguments)
