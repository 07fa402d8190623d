"""Both ends of a ball, and every entry of an array, are looked at; a number is taken whatever its size."""

import numpy as np
import pytest
from flint import arb

from lemmata.bounds.exact import balls, numbers
from lemmata.bounds.wzw25.gaussian_privacy import approximate_dp_excess


@pytest.mark.parametrize("increasing", [True, False])
def test_a_monotone_function_keeps_the_error_at_both_ends(increasing):
    sign = 1 if increasing else -1
    ball = balls._monotone(lambda t: sign * arb(t.mid(), 1), arb(0, 2), increasing)
    assert ball.contains(arb(0, 3)) and not ball.contains(arb(0, 3.1))


def test_a_number_beside_a_ball_becomes_one():
    assert all(isinstance(x, arb) for x in numbers.alike(0.5, arb(2)))
    assert numbers.alike(0.5, 2) == [0.5, 2]


@pytest.mark.parametrize("place", [0, 1])
def test_one_missing_value_among_numbers_is_named(place):
    p, q = np.array([0.5, 0.5]), np.array([0.5, 0.5])
    assert approximate_dp_excess(p=p, q=q, epsilon=0.5, delta=0.1) == pytest.approx(-0.1)
    p[place] = np.nan
    with pytest.raises(ValueError, match=r"^p "):
        approximate_dp_excess(p=p, q=q, epsilon=0.5, delta=0.1)


def test_a_whole_number_beyond_numpy_has_a_logarithm():
    assert numbers.log(2**70) == pytest.approx(70 * numbers.log(2))
