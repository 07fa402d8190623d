"""Lemma F.3: least losses by other solvers, samples that attain the sensitivities, and the rates of the five bounds."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from lemmata.bounds.bms22 import bound_sensitivity
from lemmata.experiments.instances.pairs.selection_pairs import least_hinge, least_margin
from lemmata.mechanisms.solvers import least_loss
from lemmata.mechanisms.solvers.margin import geometric_margin

exactly = settings(derandomize=True, deadline=None, max_examples=50)


@exactly
@given(seed=st.integers(0, 10**6), m=st.integers(1, 6), rho=st.floats(0.05, 3))
def test_the_least_hinge_loss_on_the_line_three_ways(seed, m, rho):
    z = np.random.default_rng(seed).uniform(-1, 1, size=m)
    low, high = least_loss.hinge_loss(z[:, None], np.ones(m), rho=rho, norm_bound=1.0)
    assert high - low < 1e-6
    cost = np.append(0.0, np.full(m, 1 / m))
    rows = np.column_stack([-z / rho, -np.eye(m)])
    program = linprog(cost, A_ub=rows, b_ub=-np.ones(m), bounds=[(-1, 1)] + [(0, None)] * m)
    assert low - 1e-9 <= program.fun <= high + 1e-9
    assert float(least_hinge(z.tolist(), rho, 1)) == pytest.approx(program.fun, abs=1e-9)


@exactly
@given(seed=st.integers(0, 10**6), m=st.integers(1, 6), rho=st.floats(0.05, 0.9))
def test_the_least_margin_loss_of_the_plane_is_the_largest_subset_with_that_margin(seed, m, rho):
    """gamma(T) > rho / Lambda for the records T that are right."""
    X = np.random.default_rng(seed).normal(size=(m, 2))
    low, high = least_loss.margin_loss(X, np.ones(m), rho=rho, norm_bound=1.0)
    right = max(
        (len(T) for k in range(1, m + 1) for T in itertools.combinations(range(m), k) if margin(X[list(T)]) > rho),
        default=0,
    )
    assert low <= 1 - right / m + 1e-12 and 1 - right / m <= high + 1e-12
    assert high - low < 1e-12


def margin(X):
    return geometric_margin(X, np.ones(len(X))).value


@pytest.mark.parametrize("rho", [0.1, 0.25, 0.6])
def test_the_plane_agrees_with_the_line(rho):
    z = np.array([0.9, 0.5, -0.3, 0.2])
    line = least_loss.margin_loss(z[:, None], np.ones(4), rho=rho, norm_bound=1.0)
    plane = least_loss.margin_loss(np.column_stack([z, 0 * z]), np.ones(4), rho=rho, norm_bound=1.0)
    assert line == plane
    assert line[0] == float(least_margin(z.tolist(), rho, 1))


@pytest.mark.parametrize("m, ratio", [(5, 3.0), (10, 9.0), (4, 0.5)])
def test_sharp_samples_for_the_hinge_sensitivity(m, ratio):
    """m - 1 records of norm rho/Lambda and one of norm r that is turned; equal records, one turned."""
    rho, calm = 1 / ratio, min(1 / ratio, 1.0)
    one, other = ([calm] * (m - 1) + [x] for x in (1.0, -1.0))
    moved = abs(least_hinge(one, rho, 1) - least_hinge(other, rho, 1))
    assert float(moved) == pytest.approx(bound_sensitivity.sensitivity_2_explicit(m=m, ratio=ratio))


@pytest.mark.parametrize(
    ("loss", "X", "rho", "message"),
    [
        (least_loss.margin_loss, np.ones((2, 3)), 0.5, "X has 3 columns"),
        (least_loss.hinge_loss, np.ones((2, 1)), 0, r"rho must be in \[1e-100, 1e\+100\], got 0"),
    ],
)
def test_bad_input_is_named(loss, X, rho, message):
    with pytest.raises(ValueError, match=message):
        loss(X, [1, 1], rho=rho, norm_bound=1.0)
