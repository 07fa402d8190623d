"""A scale that is given covers what it is rounded to; a printed sum at a point."""

from fractions import Fraction

import numpy as np
import pytest

from bounds.rbht09 import svm_sensitivity
from mechanisms import private_svm


@pytest.mark.parametrize("sampler", private_svm.SAMPLERS)
def test_the_claimed_epsilon_covers_the_scale_as_rounded(sampler):
    for scale in np.random.default_rng(0).uniform(0.1, 10, size=30):
        law = private_svm.law([[1.0], [-1.0]], [1, -1], C=1.0, scale=scale, sampler=sampler)
        assert Fraction(law.sensitivity) <= Fraction(law.privacy.epsilon) * Fraction(law.scale)


def test_the_displayed_sum_at_a_point():
    """-1 + 4/(2 * 2) * 3."""
    assert svm_sensitivity.auxiliary_display(n=4, C=2.0, g=-1.0, squared_distance=3.0) == 2.0
