"""The enclosure of a margin, where its ends are no floats."""

from fractions import Fraction

import numpy as np
import pytest

from lemmata.mechanisms.solvers.margin import GeometricMargin, _rescaled


@pytest.mark.parametrize("exponent", [-1074, -1073, -1030])
@pytest.mark.parametrize("value", [1 - 2**-53, 1 + 2**-52, 1.5 + 2**-52])
def test_an_end_that_is_no_float_is_rounded_outwards(value, exponent):
    found = _rescaled(GeometricMargin(value, value, np.ones(1), np.ones(1)), exponent)
    exact = Fraction(value) * Fraction(2) ** exponent
    assert Fraction(found.value) <= exact <= Fraction(found.upper)
