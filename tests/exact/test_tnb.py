"""The truncated negative binomial law far out, against balls."""

import numpy as np
import pytest
from flint import arb, ctx

from bounds.exact import tnb


@pytest.mark.parametrize(("k", "eta"), [(1, 2.0), (7, -0.5), (10**6, 0.5), (10**7, 3.0), (10**12, -0.75)])
def test_a_rising_factorial_keeps_its_digits(k, eta):
    """log(Gamma(k + eta)/Gamma(k)) in 300 bits: the difference of two numbers up to 10^13."""
    with ctx.workprec(300):
        exactly = float((arb(k) + arb(eta)).lgamma() - arb(k).lgamma())
    assert float(tnb._log_rising(np.array([float(k)]), eta)[0]) == pytest.approx(exactly, rel=1e-13, abs=1e-11)
