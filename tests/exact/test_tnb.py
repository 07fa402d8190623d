"""The truncated negative binomial law far out, against balls."""

import numpy as np
import pytest
from flint import arb, ctx

from lemmata.bounds.exact import tnb, tuning_curves


@pytest.mark.parametrize(("k", "eta"), [(1, 2.0), (7, -0.5), (10**6, 0.5), (10**7, 3.0), (10**12, -0.75)])
def test_a_rising_factorial_keeps_its_digits(k, eta):
    """log(Gamma(k + eta)/Gamma(k)) in 300 bits: the difference of two numbers up to 10^13."""
    with ctx.workprec(300):
        exactly = float((arb(k) + arb(eta)).lgamma() - arb(k).lgamma())
    assert float(tnb._log_rising(np.array([float(k)]), eta)[0]) == pytest.approx(exactly, rel=1e-13, abs=1e-11)


@pytest.mark.parametrize("size", [1e3, 1e30, 1e200])
def test_the_geometric_law_fails_where_its_formula_says(size):
    """eta = 1: E z^K = r z/(r + (1 - r)(1 - z)) is beta = 1/10 at 1/r = 1 + size (z - beta)/beta, z = 1 - 1/size."""
    assert tuning_curves.log_inverse_r(1.0, 0.1, size) == pytest.approx(np.log(9 * size - 9), rel=1e-12)
