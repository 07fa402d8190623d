"""Appendix H of bms22: linear programming as an oracle for the minimisers of the hinge loss on the line."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog

from lemmata.bounds.bms22 import long_minimiser
from lemmata.experiments.bms22.long_minimiser import minimisers


def by_linear_program(weights, margins):
    """min over w of sum p_i max(0, 1 - z_i w): variables w and one slack a term."""
    n = len(weights)
    rows = np.column_stack([-np.array(margins), -np.eye(n)])
    free = [(None, None)] + [(0, None)] * n
    bound = linprog([0.0, *weights], A_ub=rows, b_ub=-np.ones(n), bounds=free)
    return bound.fun, bound.x[0]


@pytest.mark.parametrize("gamma", [0.9, 0.5, 0.1, 0.01])
def test_the_minimiser_by_linear_programming(gamma):
    value, w = by_linear_program([gamma / 2, 1 - gamma / 2], [-1.0, gamma])
    where, least = long_minimiser.hinge_minimum(gamma=gamma)
    assert value == pytest.approx(least, rel=1e-9)
    assert w == pytest.approx(where, rel=1e-6)


@given(wrong=st.integers(0, 6), right=st.integers(0, 6), gamma=st.floats(0.01, 0.99))
def test_empirical_minimisers_by_linear_programming(wrong, right, gamma):
    terms = [(n, z) for n, z in ((wrong, -1.0), (right, gamma)) if n]
    if not terms:
        return
    value, _ = by_linear_program(*map(list, zip(*terms, strict=True)))
    least, where = minimisers(terms)
    assert value == pytest.approx(float(least), abs=1e-8)
    assert sum(n * max(0.0, 1 - z * float(where)) for n, z in terms) == pytest.approx(float(least), abs=1e-9)
