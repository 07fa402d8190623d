"""Population risk: slow twins, scipy as oracle, properties, and the sizes at which Lemma 6.6 fails or holds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bounds.exact.balls import exact
from bounds.theorem import OutsideHypotheses
from bounds.wzw25 import algorithms, population_risk, population_risk_proof
from experiments.engine.verdict import HOLDS, REFUTED
from experiments.instances import deviation_laws
from experiments.wzw25 import population_risk as claims
from experiments.wzw25 import population_risk_proof as step_claims

property_test = settings(derandomize=True, deadline=None, max_examples=50)


@given(m=st.integers(1, 10**6), V=st.integers(0, 50), beta=st.floats(1e-300, 0.999), r=st.floats(0, 1))
@property_test
def test_the_corrected_lemma_is_weaker_than_lemma_i2(m, V, beta, r):
    cited = population_risk.relative_deviation_cited(n=m, V=max(V, 1), beta=beta, empirical=r)
    assert population_risk.population_corrected(n=m, k=max(V, 1), beta=beta, empirical=r) >= cited * (1 - 1e-12)


def test_the_printed_lemma_moves_the_wrong_way():
    values = [population_risk.population_printed(n=100, k=1, beta=b, empirical=0.0) for b in (0.1, 1e-3, 1e-9)]
    assert values == sorted(values, reverse=True)


def test_worst_single_hypothesis_against_a_fine_grid_of_risks():
    n, beta = 30, 0.05
    level = deviation_laws.level_of(population_risk.population_printed, n=n, k=1, beta=beta)
    worst, _ = deviation_laws.one_hypothesis(n, level)
    allowed = np.array([float(level(exact(Fraction(k, n)))) for k in range(n + 1)])
    ps = np.linspace(1e-4, 1 - 1e-4, 20_000)
    below = np.searchsorted(allowed, ps) - 1  # fails with at most so many errors
    twin = stats.binom.cdf(below, n, ps).max()
    assert twin <= float(worst) * (1 + 1e-9)
    assert twin >= 0.97 * float(worst)


@given(n=st.integers(3, 10**9), gamma=st.floats(0.01, 1), scale=st.floats(1e-3, 1e3))
@property_test
def test_the_explicit_population_bound_is_free_of_scale(n, gamma, scale):
    sizes = {"n": n, "outliers": n // 10, "epsilon": 1.0, "delta": 1e-5}
    unit = population_risk.uncapped(**sizes, gamma=gamma, radius=1.0)
    assert population_risk.uncapped(**sizes, gamma=gamma * scale, radius=scale) == pytest.approx(unit, rel=1e-6)


def test_the_explicit_population_bound_is_the_sum_of_its_parts():
    n, epsilon, delta = 10**8, 1.0, 1e-5
    grid = algorithms.margin_grid(n)
    level = float(grid[grid <= 0.5].max())
    calls, beta = len(grid), 1 / n**2
    mu = epsilon / (4 * math.sqrt(calls * math.log(1 / delta)))
    k = algorithms.projection_rows(n, level)
    steps = math.ceil(n**2 * mu**2)
    descent = (4 + 3 * math.log(steps)) * 12 / (level * mu) * math.sqrt(1 + k * math.log(calls / beta))
    penalty = 2.5 * (k * math.log(2 * n) + math.log(4 * calls / beta))
    score = descent + penalty + 2 * math.sqrt(math.log(calls / beta)) / mu
    mine = population_risk.uncapped(n=n, gamma=0.5, outliers=0, epsilon=epsilon, delta=delta, radius=1.0)
    assert mine == pytest.approx(2 * score / n, rel=1e-9)


def test_equation_18_is_smaller_than_what_can_be_proved():
    sizes = {"n": 1000, "calls": 12, "mu": 0.05, "beta": 1e-6, "best": exact(0.1)}
    printed = float(population_risk_proof.selected_risk_printed(**sizes))
    sharp = population_risk_proof.selected_risk_sharp(**sizes | {"best": 0.1})
    assert printed < sharp < float(population_risk_proof.selected_risk(**sizes))


def test_lemma_6_6_fails_for_one_fixed_w_while_its_bound_is_positive():
    verdict = claims.printed_bound_fails(n=100, k=1, beta=1e-6)
    assert verdict.outcome == REFUTED
    assert verdict.tightness[0] > 10
    assert float(population_risk.population_printed(n=100, k=1, beta=1e-6, empirical=0.0)) > 0


@pytest.mark.parametrize("n, k", [(10**5, 10), (1000, 11)])
def test_lemma_6_6_holds_as_printed_at_the_papers_beta_from_dimension_ten(n, k):
    verdict = claims.printed_bound_fails(n=n, k=k, beta=1 / n**2)
    assert verdict.outcome in (HOLDS, "VACUOUS")


def test_selecting_badly_is_as_likely_as_two_normals_say():
    _, chance, allowed = step_claims.selection(population_risk_proof.selected_risk_printed, 10_000, 6e-4, 1)
    gap, rivals = 6.0, len(algorithms.margin_grid(10_000)) - 1
    assert stats.norm.sf(gap / math.sqrt(2)) < float(chance) < rivals * stats.norm.sf(gap / math.sqrt(2))
    assert chance > 1000 * allowed


def test_bad_input_is_named():
    with pytest.raises(OutsideHypotheses, match="epsilon"):
        population_risk.population_rate(n=10, gamma=0.5, outliers=0, epsilon=1e3, delta=0.1)
