"""Refuted formulas at points where the printed text is a number that can be computed by hand."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from scipy.special import ndtri

from bounds.wzw25 import gaussian_privacy, projected_margins_proof, tuned_margin_proof


def test_the_inserted_grid_is_twelve_logarithms_over_n_epsilon():
    """Equation 27 at n = 4, log2 n = 2: 12 log(16 * 2/delta)/(4 epsilon)."""
    for delta, epsilon in ((0.5, 1.0), (1e-5, 0.3)):
        value = tuned_margin_proof.inserted_as_printed(n=4, delta=delta, epsilon=epsilon)
        assert value == pytest.approx(3 * log(32 / delta) / epsilon)


@pytest.mark.parametrize("formula", ["projected_minimum", "projected_minimum_corrected"])
def test_a_projected_minimum_loses_a_third_of_e_b(formula):
    assert getattr(projected_margins_proof, formula)(gamma=0.75, e=0.5, b=3.0) == 0.25


def test_the_smallest_mu_is_that_of_the_best_test():
    """Over every set of outputs that a test may reject, not those of the likelihood ratio alone."""
    p, q = np.array([0.5, 0.1, 0.4]), np.array([0.3, 0.6, 0.1])
    rejections = [list(some) for k in (1, 2) for some in combinations(range(3), k)]
    best = max(-ndtri(p[some].sum()) + ndtri(q[some].sum()) for some in rejections)
    assert gaussian_privacy.smallest_gdp(p=p, q=q) == pytest.approx(best)
