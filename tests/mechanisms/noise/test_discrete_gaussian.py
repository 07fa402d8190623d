"""The discrete Gaussian on a grid: its exact sampler, its law, its budget, its low bits, and planted mistakes."""

import numpy as np
import pytest

from lemmata.mechanisms.noise import discrete_gaussian, gaussian
from lemmata.mechanisms.numerics.arithmetic import certified_delta
from lemmata.mechanisms.privacy import ApproxDP, gaussian_noise_multiplier
from tests.mechanisms.exact_samplers import fit_pvalue
from tests.mechanisms.noise.test_snapping import impossible
from tests.streams import streams

BUDGET = ApproxDP(1.0, 1e-6)
rng = streams("discrete_gaussian")


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_the_sampler_has_its_law(steps):
    """Chi-square against exp(-k^2 / (2 steps^2))."""
    values = np.arange(-6 * steps, 6 * steps + 1)
    mass = np.exp(-(values**2) / (2 * steps**2))
    drawn = discrete_gaussian.discrete_gaussian(rng(f"law {steps}"), steps, (60_000,))
    assert fit_pvalue(drawn, values, mass / mass.sum()) > 1e-6


def test_fine_steps_have_the_spread_of_the_theorem():
    draws = discrete_gaussian.discrete_gaussian(rng("fine"), 2**20, (40_000, 2)) / 2**20
    assert abs(draws.std() - 1) < 0.02
    assert abs(np.corrcoef(draws.T)[0, 1]) < 0.03


@pytest.mark.parametrize("numerator", [0, 3, 5, 11, 23])
def test_coins_of_any_exponent(numerator):
    size, p = 60_000, np.exp(-numerator / 5)
    hits = discrete_gaussian.bernoulli_exp_any(rng(f"coin {numerator}"), np.full(size, numerator), 5).sum()
    assert abs(hits - size * p) <= 5 * np.sqrt(size * p * (1 - p))


@pytest.mark.parametrize("steps", [3, 1000])
def test_the_law_is_a_probability_on_the_grid(steps):
    law = discrete_gaussian.law([0.3], sensitivity=1.0, bound=1.0, privacy=BUDGET, steps=steps)
    places = law.grid * np.arange(-10 * law.steps, 10 * law.steps + 1)[:, None] + law.point * law.grid
    assert np.exp(law.log_density(places)).sum() == pytest.approx(1, rel=1e-9)
    assert law.log_density([[law.grid / 3]])[0] == -np.inf
    assert np.all(law.sample(rng("places"), 100) % law.grid == 0)


@pytest.mark.parametrize("F", [1, 7])
@pytest.mark.parametrize("steps", [1, 100, 2**16])
def test_the_noise_pays_for_the_sensitivity_and_for_rounding_and_for_no_more(F, steps):
    law = discrete_gaussian.law([0.0] * F, sensitivity=2.0, bound=1.0, privacy=BUDGET, steps=steps)
    moved = 2.0 / law.grid + np.sqrt(F)
    assert (
        certified_delta(1.0, moved / law.steps)
        <= discrete_gaussian.spent_delta(1.0, moved, law.steps, F)
        <= BUDGET.delta
    )
    assert discrete_gaussian.spent_delta(1.0, moved * (1 + 1e-12), law.steps - 1, F) > BUDGET.delta
    if steps == 2**16:
        assert law.sigma == pytest.approx(2 * gaussian_noise_multiplier(BUDGET), rel=1e-3)


def test_low_bits_tell_the_textbook_gaussian_s_database_and_not_ours():
    centres = np.array([0.0]), np.array([1.0])
    ours = [discrete_gaussian.law(w, sensitivity=1.0, bound=1.0, privacy=BUDGET) for w in centres]
    textbook = [gaussian.law(law.centre, sensitivity=1.0, sigma=law.sigma) for law in ours]
    assert impossible(ours, centres, "discrete Gaussian") == 0
    assert impossible(textbook, centres, "textbook Gaussian") > 30
