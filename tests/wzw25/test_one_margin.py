"""Algorithm 1 at one margin: scale, planted data, lifted weights, rows that are clipped too late."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize_scalar

from lemmata.bounds.wzw25 import one_margin
from lemmata.bounds.wzw25.hinge_gradient import hinge_sum
from lemmata.experiments.instances.datasets import planted
from lemmata.experiments.instances.pairs import adaptive_pairs
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.learners.descent import projected_gd
from lemmata.mechanisms.numerics.streams import TEST_ROOT, generator
from lemmata.mechanisms.privacy import GaussianDP

# Scale and least loss -------------------------------------------------------------------------------------------------


@settings(derandomize=True, deadline=None, max_examples=30)
@given(scale=st.floats(1e-3, 1e3), gamma=st.floats(0.05, 1.0), q=st.integers(0, 30))
def test_true_bounds_are_free_of_scale_and_the_printed_one_is_not(scale, gamma, q):
    one = dict(n=30, outliers=q, mu=0.7, beta=0.1)
    parameters = {"gamma": gamma * scale, "radius": scale}
    for bound in (one_margin.expected_order, one_margin.last_order, one_margin.last_loss):
        assert bound(**one, **parameters) == pytest.approx(bound(**one, gamma=gamma, radius=1.0), rel=0.05)
    if q and not 0.5 < scale < 2:
        printed = one_margin.expected_order_as_printed
        assert printed(**one, **parameters) != pytest.approx(printed(**one, gamma=gamma, radius=1.0), rel=1e-6)


def test_least_loss_against_a_minimiser():
    for n, q in ((4, 1), (10, 3), (7, 0)):

        def loss(p, n=n, q=q):
            return ((n - q) * max(0, 1 - p) + q * max(0, 1 + p)) / n

        best = minimize_scalar(loss, bounds=(-3, 3), method="bounded", options={"xatol": 1e-10}).fun
        assert float(planted.least_loss(n, q)) == pytest.approx(best, abs=1e-6)
    assert planted.least_loss(4, 1) == Fraction(1, 2)


# Planted data and the algorithm ---------------------------------------------------------------------------------------


def test_planted_refuses_more_outliers_than_pairs():
    with pytest.raises(ValueError, match=r"outliers must be in \[0, 4\], got 5"):
        planted.planted(12, 2, 0.5, 5)


def test_unclipped_lifted_loss_is_the_projected_one(rng):
    Z = planted.planted(10, 300, 0.8, 1)
    phi = sign_projection.sign_projection(150, 300, rng=rng)
    law = projected_gd.law(Z, np.ones(10), privacy=GaussianDP(5.0), width=0.8 / 3, projection=phi, steps=50)
    W = law.descent.sample(rng, 3)
    projected = hinge_sum(W.T, law.descent.Z, 0.8 / 3) / 10
    lifted = planted.loss_of(law.lift(W), dict(n=10, d=300, gamma=0.8, outliers=1, radius=1.0))
    assert lifted == pytest.approx(projected)
    assert np.array_equal(law.errors(W), (Z @ law.lift(W).T < 0).sum(axis=0))


def test_projected_rows_are_clipped_and_the_noise_is_for_twice_the_radius():
    phi, canary = adaptive_pairs.stretched(seed=0, k=2, d=64)
    assert np.linalg.norm(phi.apply(canary)) > 5
    law = projected_gd.law(
        canary[None], [1.0], privacy=GaussianDP(0.5), width=0.25, projection=phi, radius=1.0, steps=4
    )
    assert np.linalg.norm(law.descent.Z) == pytest.approx(2.0)
    assert law.descent.sigma == pytest.approx(2 * 2 / 0.25 * sqrt(4) / 0.5)
    assert law.sample(generator(TEST_ROOT, "tests.adaptive_margin.lift", {}, "main", 0), 3).shape == (
        3,
        64,
    ) and law.privacy == GaussianDP(0.5)
    plain = projected_gd.law(canary[None], [1.0], privacy=GaussianDP(0.5), width=0.25, steps=4)
    assert plain.descent.sigma == pytest.approx(2 / 0.25 * sqrt(4) / 0.5)


def test_search_finds_rows_that_are_clipped_too_late():
    projections = adaptive_pairs.projections_for(np.random.default_rng(0))
    honest, score = adaptive_pairs.searched(np.random.default_rng(0), projections, 1.0)
    assert 0.99 < honest <= 1 + 1e-12 and score == 1
    assert adaptive_pairs.searched(np.random.default_rng(0), projections, 1.0, clip=1.05)[0] > 1
