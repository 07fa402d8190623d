"""Ends of ranges: a group of one, a curve far out, rows that are nearly zero or point backwards, too many records."""

import numpy as np
import pytest

from lemmata.mechanisms.learners.descent import adaptive_margin
from lemmata.mechanisms.numerics.arithmetic import certified_delta
from lemmata.mechanisms.privacy import GaussianDP, PureDP
from lemmata.mechanisms.solvers import margin


@pytest.mark.parametrize("guarantee", [PureDP, GaussianDP])
@pytest.mark.parametrize("unit", ["s", "ns"])
def test_a_duration_is_no_number(unit, guarantee):
    """numpy counts it among its integers, and hands out a whole number of nanoseconds."""
    with pytest.raises(ValueError, match=r"must be a real number, got "):
        guarantee(np.timedelta64(1, unit))


def test_the_gaussian_curve_is_a_half_where_epsilon_is_half_the_square_of_mu():
    """Phi(0) - e^epsilon Phi(-mu), and the second term is phi(0) m(mu) = 0.4/mu at mu = 100."""
    assert certified_delta(5000.0, 100.0) == pytest.approx(0.5 - 0.004, abs=1e-4)
    assert certified_delta(0.0, 200.0) == 1.0


def test_a_margin_is_found_where_every_coordinate_is_negative_or_zero():
    assert margin.geometric_margin([[-3.0, 0.0], [-1.0, 0.0]], [1, 1]).value == pytest.approx(1.0)


def test_rows_that_are_nearly_zero_are_normalised_too():
    assert margin.unit_rows([[1e-310, 0.0], [0.0, 0.0]]) == pytest.approx(np.array([[1.0, 0.0], [0.0, 0.0]]))


def test_more_records_than_a_word_counts_are_refused():
    with pytest.raises(ValueError, match=r"n and d must be at most 2\^32, got n = 4294967297, d = 1"):
        adaptive_margin.draw_projections(2**32 + 1, 1, rng=np.random.default_rng(0))


def test_the_gap_of_a_margin_is_its_upper_end_less_its_lower():
    found = margin.geometric_margin([[3.0, 4.0], [3.0, -4.0], [9.0, 1.0]], [1, 1, 1])
    assert found.gap == found.upper - found.value >= 0
    touching = margin.geometric_margin([[1.0], [1.0]], [1, -1])
    assert touching.value == 0 and touching.gap == touching.upper > 0
