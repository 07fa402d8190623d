"""The doubling grid: slow twins, real datasets against their profiles, both readings of what the paper leaves open."""

from fractions import Fraction
from math import ceil, floor, log2

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from lemmata.bounds.wzw25 import algorithms, margin_grid
from lemmata.experiments.instances.datasets import margin_profiles as cases
from lemmata.mechanisms.solvers.margin import min_outliers, subset_margins

SIZES = st.integers(1, 5000)
PROFILES = st.lists(st.fractions(0, 1, max_denominator=64), min_size=1, max_size=9).map(sorted).map(tuple)
BUDGETS = st.sampled_from([Fraction(1, 100), Fraction(1), Fraction(9), Fraction(10**4)])


# The grid -------------------------------------------------------------------------------------------------------------


@given(n=SIZES)
def test_the_grid_as_printed(n):
    grid = margin_grid.doubling_grid(n)
    assert grid == sorted({Fraction(2**j, n) for j in range(floor(log2(n)) + 1)} | {Fraction(1)})
    assert len(grid) == ceil(log2(n)) + 1 == (margin_grid.grid_size(n=n) if n > 1 else 1)
    np.testing.assert_array_equal(np.array(grid, dtype=float), algorithms.margin_grid(n))


# Profiles and the datasets they stand for -----------------------------------------------------------------------------


def margins_left(X, y):
    """M_k for k = 0..n-1, from the margins of all subsets."""
    lower, _ = subset_margins(X, y)
    n = len(X)
    sizes = np.bitwise_count(np.arange(2**n))
    return [lower[sizes == n - k].max() for k in range(n)]


@settings(max_examples=20)
@given(profile=PROFILES)
def test_every_profile_is_one_of_records_on_a_ray(profile):
    X = np.array([[float(m), 0.0] for m in profile])
    np.testing.assert_allclose(margins_left(X, np.ones(len(X))), [float(m) for m in profile], atol=1e-12)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 7), epsilon=BUDGETS)
def test_lemma_6_4_on_any_records_of_the_plane(seed, n, epsilon):
    """With m(gamma) and all gamma(S') as the geometry finds them; the profile gives the same left side."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X *= rng.choice([1.0, 0.9 / n, 0.3]) / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-3)
    X = X / max(1.0, np.linalg.norm(X, axis=1).max())
    y = rng.choice([-1.0, 1.0], n)
    left = 1.0
    for level in margin_grid.doubling_grid(n):
        fewest = min_outliers(X, y, float(level))
        assert fewest.low == fewest.high
        left = min(left, margin_grid.rate(outliers=fewest.low, n=n, gamma=float(level), epsilon=float(epsilon)))
    margins = margins_left(X, y)
    right = min(
        margin_grid.rate(outliers=k, n=n, gamma=m, epsilon=float(epsilon)) for k, m in enumerate(margins) if m > 1e-9
    )
    assert left <= margin_grid.grid_constant(n=n, epsilon=float(epsilon)) * right * (1 + 1e-9)
    profile = tuple(Fraction(m) for m in margins)
    assert float(cases.left_side(profile, epsilon)) == pytest.approx(left, rel=1e-6) or any(
        abs(m - float(g)) < 1e-6 for m in margins for g in margin_grid.doubling_grid(n)
    )


@given(profile=PROFILES, epsilon=BUDGETS)
def test_one_step_is_the_worst_profile(profile, epsilon):
    """All margins but the best one's lowered to it or to 0: the right side stays, the left side does not fall."""
    right = cases.right_side(profile, epsilon)
    if right is None:
        return
    n = len(profile)
    best = next(
        (k, m) for k, m in cases.steps(profile) if margin_grid.rate(outliers=k, n=n, gamma=m, epsilon=epsilon) == right
    )
    step = (Fraction(0),) * best[0] + (best[1],) * (n - best[0])
    assert cases.right_side(step, epsilon) == right
    assert cases.left_side(step, epsilon) >= cases.left_side(profile, epsilon)


def test_without_the_empty_subset_the_refutations_stand():
    """Then no set reaches a level above the longest record, the left side is a minimum over nothing, at most 1."""
    profile, n, epsilon = cases.half_way(4), 4, Fraction(4000)
    assert all(level > profile[-1] for level in margin_grid.doubling_grid(n))
    assert cases.left_side(profile, epsilon) == 1
    assert cases.right_side(profile, epsilon) < Fraction(1, 100)
