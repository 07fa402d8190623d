"""Table 1 against scipy: densities, line integrals, and balls that are too wide to prove anything."""

import math

import pytest
from flint import arb
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.line_integrals import fast, slow
from lemmata.experiments.instances.laws import kernel_transforms

property_test = settings(derandomize=True, deadline=None, max_examples=40)


@property_test
@given(z=st.floats(0.01, 20), c=st.floats(0.1, 5))
def test_line_integrals_agree_with_quadrature(z, c):
    lorentz = slow(lambda x: exact(c) / (1 + x * x), z, bound=2 * c)
    assert float(lorentz) == pytest.approx(c * math.pi * math.exp(-z), rel=1e-10, abs=1e-14)
    exponential = fast(lambda x: (-exact(c) * x).exp(), z, cut=60 / c, rest=math.exp(-59) / c)
    # The oscillating weight over a finite range: beyond 60 / c the integrand is below e^-60.
    numeric = 2 * quad(lambda x: math.exp(-c * x), 0, 60 / c, weight="cos", wvar=z, limit=500)[0]
    assert float(exponential) == pytest.approx(numeric, rel=1e-6, abs=1e-8)


def test_a_negative_argument_is_named():
    with pytest.raises(ValueError, match=r"z = -1 is outside \[0, inf\)"):
        slow(lambda x: 1 / (1 + x * x), -1, bound=2)


def test_wide_balls_prove_no_identity():
    assert not kernel_transforms.same(arb(1, 1e-3), arb(1, 1e-3), scale=arb(1))
    assert kernel_transforms.same(arb(1, 1e-30), arb(1, 1e-30), scale=arb(1))
