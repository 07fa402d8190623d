"""The discrete Gaussian on a grid: its exact sampler, its law, its budget, its low bits, and planted mistakes."""

import numpy as np
import pytest
from scipy.stats import chisquare

from lemmata.experiments.instances.pairs.reachable_floats import watched
from lemmata.mechanisms.noise import discrete_gaussian, gaussian
from lemmata.mechanisms.numerics.arithmetic import certified_delta
from lemmata.mechanisms.privacy import ApproxDP, gaussian_noise_multiplier
from tests.streams import streams

BUDGET = ApproxDP(1.0, 1e-6)
rng = streams("discrete_gaussian")


def misfit(steps, draws):
    """The chi-square p-value of whole numbers against exp(-k^2 / (2 steps^2))."""
    values = np.arange(-6 * steps, 6 * steps + 1)
    mass = np.exp(-(values**2) / (2 * steps**2))
    expected = mass / mass.sum() * draws.size
    counts = np.array([(draws == k).sum() for k in values])
    often = expected > 5
    rest = draws.size - counts[often].sum(), draws.size - expected[often].sum()
    return chisquare(np.append(counts[often], rest[0]), np.append(expected[often], rest[1])).pvalue


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_the_sampler_has_its_law(steps):
    assert misfit(steps, discrete_gaussian.discrete_gaussian(rng(f"law {steps}"), steps, (60_000,))) > 1e-6


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
    larger = {}
    for name, laws in (("ours", ours), ("textbook", textbook)):
        counts = watched(laws, centres)[0].sample(rng(name), 800)
        larger[name] = int((counts[:, 1] > counts[:, 0]).sum())
    assert larger["ours"] == 0
    assert larger["textbook"] > 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": [[1.0]]}, r"value must have shape \(F,\) with F >= 1, got \(1, 1\)"),
        ({"value": [np.inf]}, "value must have finite entries only"),
        ({"sensitivity": -1.0}, "sensitivity = -1.0"),
        ({"bound": 0.0}, "bound = 0.0"),
        ({"bound": 1e30}, "more than 2\\^52 steps"),
        ({"steps": 2**24}, "steps = 16777216 is outside"),
        ({"privacy": ApproxDP(1.0, 0.0)}, "privacy must be an ApproxDP with epsilon > 0 and 0 < delta < 1, got"),
        ({"privacy": 1.0}, r"privacy must be an ApproxDP with epsilon > 0 and 0 < delta < 1, got 1\.0"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"value": [0.0], "sensitivity": 1.0, "bound": 1.0, "privacy": BUDGET} | change
    with pytest.raises(ValueError, match=message):
        discrete_gaussian.law(arguments.pop("value"), **arguments)


def test_values_beyond_the_bound_are_clipped_and_stay_out_of_sight():
    law = discrete_gaussian.law([1e9, -0.123456789], sensitivity=1.0, bound=0.5, privacy=BUDGET)
    assert law.centre.tolist() == [0.5, -0.123456789]
    assert "0.1234" not in repr(law)


def test_coordinates_of_a_release_have_noise_of_their_own():
    law = discrete_gaussian.law([0.0, 0.0], sensitivity=1.0, bound=1.0, privacy=BUDGET)
    drawn = law.sample(rng("two"), 20_000) / law.sigma
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.04
    assert abs(drawn.std() - 1) < 0.03
    assert drawn.mean() < 0.04
