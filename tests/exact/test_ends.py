"""Both ends of a ball, and every entry of an array, are looked at."""

import numpy as np
import pytest
from flint import arb

from lemmata.bounds import theorem
from lemmata.bounds.exact import balls, numbers


@pytest.mark.parametrize("increasing", [True, False])
def test_a_monotone_function_keeps_the_error_at_both_ends(increasing):
    sign = 1 if increasing else -1
    ball = balls._monotone(lambda t: sign * arb(t.mid(), 1), arb(0, 2), increasing)
    assert ball.contains(arb(0, 3)) and not ball.contains(arb(0, 3.1))


@pytest.mark.parametrize("place", [0, 1])
def test_one_entry_outside_a_hypothesis_is_enough(place):
    values = np.array([0.5, 0.5])
    theorem.positive("x").check({"x": values})
    values[place] = -0.5
    with pytest.raises(theorem.OutsideHypotheses):
        theorem.positive("x").check({"x": values})


def test_a_number_beside_a_ball_becomes_one():
    assert all(isinstance(x, arb) for x in numbers.alike(0.5, arb(2)))
    assert numbers.alike(0.5, 2) == [0.5, 2]
