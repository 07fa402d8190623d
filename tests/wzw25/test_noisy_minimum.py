"""Choosing a minimum under noise: the bounds against a slow twin of the coupling."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import norm

from lemmata.bounds.exact.gaussian_maxima import mean_max
from lemmata.bounds.wzw25 import noisy_minimum

# Arbitrary scores: a slow twin of the coupling ------------------------------------------------------------------------


def chances(scores):
    """P(candidate i is chosen) at sigma = 1, by quadrature."""
    z = np.linspace(-9, 9, 2001)
    gaps = scores[:, None, None] - scores[None, :, None] + z  # (chosen, rival, z): the rival's noise must exceed it
    survive = norm.sf(gaps)
    survive[np.arange(len(scores)), np.arange(len(scores))] = 1
    return (norm.pdf(z) * survive.prod(axis=1)).sum(axis=1) * (z[1] - z[0])


@settings(max_examples=60)
@given(scores=st.lists(st.floats(0, 8), min_size=1, max_size=6))
def test_no_scores_exceed_the_bounds(scores):
    U = np.array(scores)
    p, excess = chances(U), U - U.min()
    assert p.sum() == pytest.approx(1, abs=1e-6)
    assert p @ excess <= float(mean_max(len(U))) + 1e-6
    assert p @ excess <= noisy_minimum.choice_mean_sharp(count=len(U), sigma=1.0) + 1e-6
    for beta in (0.9, 0.1, 0.01):
        for level, share in ((noisy_minimum.choice_threshold_sharp, 1), (noisy_minimum.choice_threshold_scaled, 0.02)):
            passed = p[excess > level(count=len(U), sigma=1.0, beta=beta)].sum()
            assert passed <= share * beta + 1e-6


def test_scores_that_follow_the_noise_pass_the_sharp_level():
    """Of two candidates the one with the larger noise is made the best: the range of the noise passes, not a gap."""
    level = noisy_minimum.choice_threshold_sharp(count=2, sigma=1.0, beta=0.05)
    assert 2 * norm.sf(level / np.sqrt(2)) == pytest.approx(0.1)
    assert 2 * norm.sf(noisy_minimum.choice_threshold_scaled(count=2, sigma=1.0, beta=0.05) / np.sqrt(2)) < 0.05
