"""What a statement is asked about: one value among many that is no number is as bad as all of them."""

import numpy as np
import pytest

from lemmata.bounds.exact import numbers
from lemmata.bounds.wzw25.gaussian_privacy import approximate_dp_excess


@pytest.mark.parametrize("place", [0, 1])
def test_one_missing_value_among_numbers_is_named(place):
    p = np.array([0.5, 0.5])
    assert approximate_dp_excess(p=p, q=p, epsilon=0.5, delta=0.1) == pytest.approx(-0.1)
    p = p.copy()
    p[place] = np.nan
    with pytest.raises(ValueError, match=r"^p "):
        approximate_dp_excess(p=p, q=np.array([0.5, 0.5]), epsilon=0.5, delta=0.1)


def test_a_whole_number_beyond_numpy_has_a_logarithm():
    assert numbers.log(2**70) == pytest.approx(70 * numbers.log(2))
