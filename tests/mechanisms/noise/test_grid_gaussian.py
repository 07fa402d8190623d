"""The Gaussian mechanism on a grid: its exact sampler, its law, its guarantee, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm

from lemmata.mechanisms.noise import grid_gaussian
from lemmata.mechanisms.privacy import GaussianDP
from tests.mechanisms.exact_samplers import Words, fit_pvalue
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
    mass = np.diff(norm.cdf(np.append(places - step / 2, places[-1] + step / 2), centre, sigma))
    np.testing.assert_allclose(np.exp(law.log_density(places[:, None])), mass, rtol=1e-6, atol=1e-12)
    assert fit_pvalue(drawn, places, mass) > 1e-6


@pytest.mark.parametrize("centre", [0.0, 1 / 3, -1e6 - 0.4])
@pytest.mark.parametrize("digits", [2**10, 2**30, 2**49 + 7, 2**62 - 1, 2**62, 2**63 - 2**20])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_draw_is_the_rounded_quantile(sign, digits, centre):
    """In ball arithmetic and in float64, from the first digits of V to the last."""
    size = -norm.ppf((digits + 0.5) / 2**64)
    word = digits - 2**63 if sign < 0 else digits
    settled = grid_gaussian.decide_grid_point(Words(1, 1, 1), digits, sign, Fraction(centre), Fraction(1000))
    fast = grid_gaussian.rounded_normal(Words(word, 1, 1, 1), 1000.0, 1, np.array([centre]))[0]
    assert settled == fast == round(centre + sign * 1000 * size)


@pytest.mark.parametrize("further, cell", [(0, 1), (2**32 - 1, 0)])
def test_more_digits_are_drawn_where_two_cells_are_possible(further, cell):
    """The cells meet 1e-19 above the centre; V in [1 - 2^-63, 1) leaves the noise between 0 and 1.4e-19."""
    source = Words(further, further, further)
    centre = Fraction(1, 2) - Fraction(1, 10**19)
    assert grid_gaussian.decide_grid_point(source, 2**63 - 1, 1, centre, Fraction(1)) == cell
    assert len(source.left) < 3


@pytest.mark.parametrize("sigma", [0.6, 37.5, 2.0**26, 2.0**41])
def test_float64_never_decides_what_it_cannot(sigma):
    """The same words give the same cells when every one is decided in ball arithmetic."""
    draws = 300
    fast = grid_gaussian.rounded_normal(np.random.default_rng(5), sigma, draws)
    slow = []
    for word in np.random.default_rng(5).integers(-(2**63), 2**63, size=draws, dtype=np.int64).tolist():
        digits, sign = word & (2**63 - 1), -1 if word < 0 else 1
        slow.append(grid_gaussian.decide_grid_point(rng("further"), digits, sign, Fraction(0), Fraction(sigma)))
    assert (fast == slow).mean() > 0.99  # cells that more digits decide differ by chance, at most one in a hundred
    assert np.abs(fast - slow).max() <= 1


def test_a_draw_at_the_edge_of_a_cell_is_settled_and_one_inside_is_not(monkeypatch):
    tried = rng("edges").integers(2**61, 2**63, size=100_000, dtype=np.int64)
    places = -(2.0**30) * ndtri(tried * 2.0**-64)
    edge = np.abs(places - np.floor(places) - 0.5)
    asked = []
    monkeypatch.setattr(grid_gaussian, "decide_grid_point", lambda *given: asked.append(given) or 0)
    for word in tried[[edge.argmin(), edge.argmax(), edge.argmin()]].tolist():
        grid_gaussian.rounded_normal(Words(word), 2.0**30, 1)
    assert len(asked) == 2


@pytest.mark.parametrize("value", [0.1, 0.1 + 2**-56, np.nextafter(0.1, 1)])
def test_all_releases_lie_on_the_grid_whatever_the_low_bits_of_the_value(value):
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
