"""Population risk: scipy as oracle, and scale."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.wzw25 import algorithms, population_risk, population_risk_proof
from lemmata.experiments.instances.laws import deviation_laws
from lemmata.experiments.wzw25 import population_risk_proof as step_claims

property_test = settings(derandomize=True, deadline=None, max_examples=50)


def test_worst_single_hypothesis_against_a_fine_grid_of_risks():
    n, beta = 30, 0.05
    level = deviation_laws.level_of(population_risk.population_printed, n=n, k=1, beta=beta)
    chance, _ = deviation_laws.one_hypothesis(n, level)
    allowed = np.array([float(level(exact(Fraction(k, n)))) for k in range(n + 1)])
    ps = np.linspace(1e-4, 1 - 1e-4, 20_000)
    below = np.searchsorted(allowed, ps) - 1  # fails with at most so many errors
    twin = stats.binom.cdf(below, n, ps).max()
    assert twin <= float(chance) * (1 + 1e-9)
    assert twin >= 0.97 * float(chance)


@given(n=st.integers(3, 10**9), gamma=st.floats(0.01, 1), scale=st.floats(1e-3, 1e3))
@property_test
def test_the_explicit_population_bound_is_free_of_scale(n, gamma, scale):
    sizes = {"n": n, "outliers": n // 10, "epsilon": 1.0, "delta": 1e-5}
    unit = population_risk.uncapped(**sizes, gamma=gamma, radius=1.0)
    assert population_risk.uncapped(**sizes, gamma=gamma * scale, radius=scale) == pytest.approx(unit, rel=1e-6)


def test_selecting_badly_is_as_likely_as_two_normals_say():
    _, chance, allowed = step_claims.selection(population_risk_proof.selected_risk_printed, 10_000, 6e-4, 1)
    gap, rivals = 6.0, len(algorithms.margin_grid(10_000)) - 1
    assert stats.norm.sf(gap / math.sqrt(2)) < float(chance) < rivals * stats.norm.sf(gap / math.sqrt(2))
    assert chance > 1000 * allowed
