"""What was wrong once: inputs changed silently, noise lost in the float grid, budgets overspent, secrets shared."""

from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

from lemmata import AdaptiveMargin, ApproxDP, PureDP
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.descent import adaptive_margin, private_tuning
from lemmata.mechanisms.learners.erm import phased_sgd
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.selection import tuning_budget
from lemmata.mechanisms.tables.inputs import check_budget

X, Y = np.array([[0.6, 0.1], [-0.5, 0.2], [0.3, -0.4], [0.1, 0.1]]), np.array([1.0, -1.0, 1.0, -1.0])


def test_noise_is_never_absorbed_by_the_float_grid(rng):
    with pytest.raises(ValueError, match=r"sigma = 1 is below bound / 2\^36"):
        gaussian.law([1e17], sensitivity=1, sigma=1, bound=1e17)
    assert len(np.unique(gaussian.law([1e17], sensitivity=1, sigma=1).sample(rng, 100))) == 100


def test_integers_are_numbers_and_truth_values_are_none():
    assert gaussian.law([0.0], sensitivity=np.int64(1), sigma=1).sigma == 1.0
    for sigma in (True, np.True_):
        with pytest.raises(ValueError, match="sigma must be a real number, got"):
            gaussian.law([0.0], sensitivity=1, sigma=sigma)
    assert PureDP(np.float32(0.5)) == PureDP(0.5) and ApproxDP(np.int64(1), 0).epsilon == 1.0


def test_steps_that_would_overflow_are_refused():
    with pytest.raises(ValueError, match=r"eta must be in .*, got 1e\+308"):
        phased_sgd.law(X, Y, privacy=ApproxDP(1.0, 1e-3), rho=0.5, radius=1.0, norm_bound=1.0, eta=1e308)


def test_a_tuned_release_spends_at_most_what_was_asked():
    for epsilon in np.random.default_rng(0).uniform(0.1, 9.0, 200):
        asked = tuning_budget.theorem_epsilon(epsilon, 1e-3, "printed")
        assert private_tuning.budget(asked, 1e-3, r=0.25)[1].epsilon <= epsilon


def test_a_published_projection_tells_nothing_about_the_noise(rng):
    """The projection remembers the state it was drawn at; the noise comes from another stream."""
    law = adaptive_margin.AdaptiveMarginLaw
    with (
        mock.patch.object(adaptive_margin, "draw_projections", return_value=(None,) * 3) as drawn,
        mock.patch.object(law, "sample", autospec=True, side_effect=law.sample) as sample,
    ):
        AdaptiveMargin(delta=1e-3, steps=2, classes=(-1, 1), random_state=rng).fit(X, Y)
    public, private = drawn.call_args.kwargs["rng"], sample.call_args.args[1]
    assert public.bit_generator.state["state"] != private.bit_generator.state["state"] and public is not private


def test_releases_without_a_generator_differ():
    made = gaussian.law([0.0], sensitivity=1.0, sigma=1.0, noise="exact")
    assert fit(made) != fit(made)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (1.0, 1.0), (1.0, 1.5), (-1.0, 0.5), (2e100, 0.5)])
def test_a_budget_from_which_no_noise_follows_is_refused(epsilon, delta):
    check_budget(SimpleNamespace(epsilon=0.0, delta=0.5))
    with pytest.raises(ValueError, match=r"(epsilon|delta) must be in"):
        check_budget(SimpleNamespace(epsilon=epsilon, delta=delta))
