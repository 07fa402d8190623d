"""A scale that is given covers what it is rounded to; formulas at a point."""

from fractions import Fraction

import numpy as np
import pytest

from lemmata.bounds.rbht09 import random_features
from lemmata.mechanisms.learners.erm import private_svm
from lemmata.mechanisms.solvers.svm import solution_tolerance


@pytest.mark.parametrize("sampler", private_svm.SAMPLERS)
def test_the_claimed_epsilon_covers_the_scale_as_rounded(sampler):
    for scale in np.random.default_rng(0).uniform(0.1, 10, size=30):
        law = private_svm.law([[1.0], [-1.0]], [1, -1], C=1.0, scale=scale, sampler=sampler)
        assert Fraction(law.sensitivity) <= Fraction(law.privacy.epsilon) * Fraction(law.scale)


def test_a_solution_is_held_to_a_tolerance_that_grows_as_the_fourth_root_of_c():
    """C = 4, F = 2, kappa = 3: 2e-7 sqrt((2 + 2) 4 (3 * 2))."""
    assert solution_tolerance(C=4.0, F=2, kappa=3.0) == pytest.approx(2e-7 * np.sqrt(96))


def test_the_best_net_is_searched_for_where_it_lies():
    at = {"count": 510, "d": 1, "eps": 0.5}
    nets = [random_features.net_failure(**at, q=4.0, y=float(y)) for y in np.geomspace(2.1, 1e7, 3000)]
    assert random_features.uniform_failure(**at, sigma_p=1.0, diam=2.0) <= 1.02 * min(nets)
