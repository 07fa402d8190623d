"""What Algorithms 1 and 3 achieve: slow twins of the bounds, planted ledgers, witnesses, and sabotage."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from bounds.theorem import OutsideHypotheses
from bounds.wzw25 import one_margin
from bounds.wzw25 import whole_grid as theorem
from bounds.wzw25 import whole_grid_proof as whole_grid_proof_bounds
from bounds.wzw25.algorithms import margin_grid, printed_budget, projection_rows
from bounds.wzw25.hinge_gradient import hinge_sum
from bounds.wzw25.margin_grid import grid_size
from bounds.wzw25.noisy_gd import printed_steps
from experiments.engine.claim import CLAIMS
from experiments.engine.verdict import REFUTED
from experiments.instances import planted as sampled
from experiments.wzw25 import one_margin as claims
from experiments.wzw25 import whole_grid
from mechanisms import adaptive_margin, projected_gd, sign_projection
from mechanisms.privacy import GaussianDP
from mechanisms.solvers.margin import geometric_margin, min_outliers

# Twins of the bounds --------------------------------------------------------------------------------------------------


def slow_loss(n, gamma, outliers, mu, beta, steps, b):
    """Lemma D.1 (explicit) from scratch."""
    g = gamma / b
    k = int(np.ceil(16 * log((3 * n + 1) / beta) / (g**2 * (1 - g / 3)) * (1 - 1e-15)))
    c, longest, delta = gamma / 3, b * sqrt(1 + g / 2), 2 * 2 * b / (gamma / 3)
    return (outliers * (1 + longest / c) + delta * sqrt(n**2 / steps + k / mu**2)) / n


@settings(derandomize=True, deadline=None, max_examples=50)
@given(
    n=st.integers(1, 10**5),
    share=st.floats(0.01, 1.0),
    b=st.floats(0.01, 100),
    mu=st.floats(0.01, 10),
    beta=st.floats(1e-9, 0.9),
)
def test_loss_agrees_with_its_twin_and_stays_below_the_order(n, share, b, mu, beta):
    gamma, T = share * b, printed_steps(n, mu)
    known = dict(n=n, gamma=gamma, outliers=n // 3, mu=mu, beta=beta, radius=b)
    found = one_margin.expected_loss(**known, steps=T)
    assert found == pytest.approx(slow_loss(n, gamma, n // 3, mu, beta, T, b), rel=1e-2)
    assert found <= sampled.AVERAGE * one_margin.expected_order(**known)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(scale=st.floats(1e-3, 1e3), gamma=st.floats(0.05, 1.0), q=st.integers(0, 30))
def test_true_bounds_are_free_of_scale_and_the_printed_one_is_not(scale, gamma, q):
    one = dict(n=30, outliers=q, mu=0.7, beta=0.1)
    known = {"gamma": gamma * scale, "radius": scale}
    for bound in (one_margin.expected_order, one_margin.last_order, one_margin.last_loss):
        assert bound(**one, **known) == pytest.approx(bound(**one, gamma=gamma, radius=1.0), rel=0.05)
    if q and not 0.5 < scale < 2:
        printed = one_margin.expected_order_as_printed
        assert printed(**one, **known) != pytest.approx(printed(**one, gamma=gamma, radius=1.0), rel=1e-6)


def test_grid_bound_against_brute_force():
    n, d, mu, outliers = 50, 3, 5.0, [0, 0, 1, 1, 4, 9, 50]
    each = mu / sqrt(2 * len(outliers))
    found = []
    for gamma, m in zip(margin_grid(n), outliers, strict=True):
        T = int(np.ceil(n**2 * each**2 / d))
        found.append(m / n * (1 + 3 / gamma) + 6 / gamma / n * sqrt(n**2 / T + d / each**2))
    said = theorem.adaptive_error(n=n, d=d, mu=mu, outliers=outliers)
    assert said == pytest.approx(min(found) + sqrt(2 * log(7)) / (n * each))


def test_budget_of_a_call_is_the_algorithms():
    for n in (2, 5, 1000):
        each = printed_budget(1.5, 1e-6) / sqrt(2 * len(margin_grid(n)))
        assert whole_grid_proof_bounds.call_budget(n=n, epsilon=1.5, delta=1e-6) == pytest.approx(each, rel=1e-12)
        assert grid_size(n=n) == len(margin_grid(n))


def test_margins_between_two_of_the_grid_cost_at_most_four_times_as_much():
    known = dict(n=1000, outliers=0, epsilon=1.0, delta=1e-5)
    for level in margin_grid(1000)[:-1]:
        low = theorem.error_off_grid(**known, gamma=float(level))
        assert theorem.error_off_grid(**known, gamma=min(1.0, 1.99 * float(level))) <= low * (1 + 1e-12)


def test_comparator_below_the_grid_reaches_the_width():
    n, gamma = 7, 0.003
    D = sqrt(theorem.squared_comparator(n, gamma, 1.0))
    assert D * gamma / sqrt(2) == pytest.approx(1 / (3 * n))


def test_span_of_the_records_survives_the_rows_of_the_smallest_margin():
    """The fact behind `error_off_grid`, on one matrix: every direction of an n-dimensional span keeps its length."""
    n, rng = 4, np.random.default_rng(3)
    k = projection_rows(n, 1 / n)
    basis = np.linalg.qr(rng.normal(size=(300, n)))[0]
    phi = rng.choice([-1.0, 1.0], size=(k, 300)) / sqrt(k)
    assert np.abs(np.linalg.svd(phi @ basis, compute_uv=False) ** 2 - 1).max() < 0.5


def test_least_loss_against_a_minimiser():
    for n, q in ((4, 1), (10, 3), (7, 0)):

        def loss(p, n=n, q=q):
            return ((n - q) * max(0, 1 - p) + q * max(0, 1 + p)) / n

        best = minimize_scalar(loss, bounds=(-3, 3), method="bounded", options={"xatol": 1e-10}).fun
        assert float(sampled.least_loss(n, q)) == pytest.approx(best, abs=1e-6)
    assert sampled.least_loss(4, 1) == Fraction(1, 2)


# Planted data and the algorithm ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n,outliers,gamma,radius", [(9, 0, 0.5, 1.0), (9, 2, 0.5, 1.0), (12, 3, 20.0, 50.0)])
def test_ledger_of_planted_data_is_exact(n, outliers, gamma, radius):
    Z = sampled.planted(n, 2, gamma, outliers, radius)
    ones = np.ones(n)
    assert np.linalg.norm(Z, axis=1).max() <= radius * (1 + 1e-12)
    assert geometric_margin(Z[: n - outliers], ones[outliers:]).value == pytest.approx(gamma)
    levels = zip(margin_grid(n, radius), whole_grid.ledger(n, gamma, outliers, radius), strict=True)
    for level, said in levels:
        found = min_outliers(Z, ones, float(level))
        assert found.low == found.high == said if level <= gamma else found.high <= said


def test_planted_refuses_more_outliers_than_pairs():
    with pytest.raises(ValueError, match=r"outliers = 5 is outside \[0, 4\]"):
        sampled.planted(12, 2, 0.5, 5)


def test_unclipped_lifted_loss_is_the_projected_one():
    rng = np.random.default_rng(0)
    Z = sampled.planted(10, 300, 0.8, 1)
    phi = sign_projection.sign_projection(150, 300, rng=rng)
    law = projected_gd.law(Z, np.ones(10), privacy=GaussianDP(5.0), width=0.8 / 3, projection=phi, steps=50)
    W = law.descent.sample(rng, 3)
    projected = hinge_sum(W.T, law.descent.Z, 0.8 / 3) / 10
    lifted = claims.loss_of(law.lift(W), n=10, d=300, gamma=0.8, outliers=1, radius=1.0)
    assert lifted == pytest.approx(projected)
    assert np.array_equal(law.errors(W), (Z @ law.lift(W).T < 0).sum(axis=0))


def test_weights_of_the_average_serve_all_candidates():
    """Without projections the candidates' descents differ in scale alone, as the claim on Lemma H.3 assumes."""
    Z = sampled.planted(16, 2, 0.5, 0)
    runs = adaptive_margin.candidates(Z, np.ones(16), mu=2.0)
    noise = [run.descent.strides[0] * run.descent.sigma for run in runs]
    assert noise == pytest.approx([noise[0]] * len(runs)) and len({run.descent.steps for run in runs}) == 1


@pytest.mark.parametrize("key", ["wzw25.lemD.1/explicit/error", "wzw25.lemH.2/explicit", "wzw25.lemH.3/explicit"])
def test_loud_noise_is_caught(key):
    from experiments.engine.cell import Cell
    from experiments.engine.store import Chunk
    from experiments.engine.streams import TEST_ROOT, generator

    claim = CLAIMS[key]
    cell = Cell(claim, claim.quick[0], claim.control.factors[-1])
    for index in range(claim.cap):
        rng = generator(TEST_ROOT, key, claim.quick[0], "sabotage", index)
        trial = claim.trial(rng, cell.size, factor=cell.factor, **claim.quick[0])
        cell.add(Chunk(cell.decider.pack(trial), 0.0, b""))
        if cell.verdict:
            break
    assert cell.verdict.outcome == REFUTED


# Wrong input ----------------------------------------------------------------------------------------------------------

SETTING = dict(n=10, gamma=0.5, outliers=1, mu=1.0, beta=0.1)


@pytest.mark.parametrize(
    "wrong,message",
    [
        ({"gamma": 1.5}, "gamma = 1.5, radius = 1.0 is outside the hypothesis: gamma <= radius"),
        ({"outliers": 11}, "outliers = 11, n = 10 is outside the hypothesis: outliers <= n"),
        ({"mu": 0.0}, "mu = 0.0 is outside the hypothesis: 0 < mu < inf"),
        ({"beta": 1.0}, "beta = 1.0 is outside the hypothesis: 0 < beta < 1"),
    ],
)
def test_messages_name_the_argument_its_value_and_range(wrong, message):
    with pytest.raises(OutsideHypotheses, match=message.replace("(", r"\(")):
        one_margin.expected_order(**SETTING | {"radius": 1.0} | wrong)


def test_all_of_s_is_no_outlier_set_of_the_theorems():
    with pytest.raises(OutsideHypotheses, match="S_out is not all of S"):
        theorem.mean_order(n=5, gamma=0.5, outliers=5, epsilon=1.0, delta=1e-5)
    with pytest.raises(OutsideHypotheses, match="epsilon < 8 log"):
        theorem.tail_order(n=5, gamma=0.5, outliers=1, epsilon=200.0, delta=1e-5)


def test_rate_exponents():
    for function, exponent in product([one_margin.loss_along_n], [-1]):
        assert function(first=1.0, last=100.0) == pytest.approx(100 ** (exponent + 0.1))
    assert one_margin.loss_along_dimension(first=1.0, last=100.0) == pytest.approx(100**0.1)
