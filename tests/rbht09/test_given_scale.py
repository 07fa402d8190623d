"""A scale that is given: what is claimed of it covers what it is rounded to."""

from fractions import Fraction

import numpy as np
import pytest

from mechanisms import private_svm


@pytest.mark.parametrize("sampler", private_svm.SAMPLERS)
def test_the_claimed_epsilon_covers_the_scale_as_rounded(sampler):
    for scale in np.random.default_rng(0).uniform(0.1, 10, size=30):
        law = private_svm.law([[1.0], [-1.0]], [1, -1], C=1.0, scale=scale, sampler=sampler)
        assert Fraction(law.sensitivity) <= Fraction(law.privacy.epsilon) * Fraction(law.scale)
