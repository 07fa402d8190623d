"""Relative deviation and population risk: slow twins, scipy as oracle, properties, sabotage."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bounds.bms22 import margin_deviation, relative_deviation, relative_deviation_proof
from bounds.exact import binomials
from bounds.exact.balls import exact
from bounds.theorem import OutsideHypotheses
from bounds.wzw25 import algorithms, population_risk, population_risk_proof
from experiments.bms22 import definitions
from experiments.bms22 import margin_deviation as margin_claims
from experiments.bms22 import relative_deviation as relative_deviation_claims
from experiments.engine.verdict import HOLDS, REFUTED
from experiments.instances import deviation_laws as checks
from experiments.instances.hypothesis_classes import Halfplanes, Mixture, Stumps, Thresholds
from experiments.wzw25 import population_risk as claims
from experiments.wzw25 import population_risk_proof as step_claims

property_test = settings(derandomize=True, deadline=None, max_examples=50)
PLANES = [Halfplanes(1.0, 0.2), Halfplanes(0.5, 0.1, 0.3), Mixture(0.7)]
PROBLEMS = [Thresholds(0.0), Thresholds(0.3), Stumps(0.2), *PLANES]


# laws -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m, p", [(1, 0.3), (20, 0.01), (50, 0.999), (300, 0.2)])
def test_binomial_tails_are_scipys(m, p):
    for k in {0, m // 3, m - 1, m}:
        assert float(binomials.at_most(m, p, k)) == pytest.approx(stats.binom.cdf(k, m, p), rel=1e-10, abs=1e-300)
        assert float(binomials.at_least(m, p, k)) == pytest.approx(stats.binom.sf(k - 1, m, p), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("levels", [[0.5, 0.9, 1.1], [0.2, 0.3, 1.0], [0.05, 0.7, 2.0]])
def test_crossing_against_the_volume_of_order_statistics(levels):
    """Two draws: the complement is {U_(1) <= a, U_(2) <= b}, an area."""
    a, b = (min(x, 1.0) for x in levels[:2])
    stays = b * b - (b - a) ** 2
    assert float(binomials.crosses(2, [exact(x) for x in levels])) == pytest.approx(1 - stays, rel=1e-12)


def test_crossing_against_simulation():
    """Fixed seed; a new one fails with probability below 1e-9 (six standard deviations)."""
    m, level = 12, lambda k: 0.1 + 1.2 * k / 12
    truth = float(binomials.crosses(m, [exact(level(k)) for k in range(m + 1)]))
    draws = np.sort(np.random.default_rng(5).random((20_000, m)), axis=1)
    found = (draws > [level(k) for k in range(m)]).any(axis=1).mean()
    assert abs(found - truth) < 6 * math.sqrt(truth * (1 - truth) / 20_000)


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_cells_are_the_supremum_over_a_fine_grid(problem):
    """The slow twin tries many hypotheses; no pattern has a larger risk, and each one found is met."""
    rng = np.random.default_rng(3)
    m = 15
    if isinstance(problem, (Halfplanes, Mixture)):
        z = problem.sample(rng, 1, m)
        grid = np.linspace(-np.pi, np.pi, 20_001)
        wrong = np.cos(grid[:, None] - z[0]) <= getattr(problem, "level", 0.0)
        risks, (risk, empirical) = problem.risk(grid), problem.cells(np.random.default_rng(3), 1, m)
    else:
        plane = Thresholds(problem.noise)
        x, y = plane.sample(rng, 1, m)
        grid = np.linspace(0, 1, 5001)
        wrong = np.where(x[0] > grid[:, None], 1, -1) != y[0]
        risks, (risk, empirical) = plane.risk(grid), problem.cells(np.random.default_rng(3), 1, m)
    counts = wrong.sum(axis=1)
    for count in np.unique(counts):
        twin = risks[counts == count].max()
        mine = risk[0][np.round(empirical[0] * m) == count].max()
        assert mine >= twin - 1e-9
        if not isinstance(problem, Stumps):
            assert mine <= twin + 2e-3


@pytest.mark.parametrize("problem", [Halfplanes(1.0, 0.2), Mixture(0.7)], ids=repr)
def test_risks_are_frequencies(problem):
    z = problem.sample(np.random.default_rng(1), 1, 100_000)[0]
    for angle in (0.0, 0.8, 2.0, 3.0):
        assert abs((np.cos(angle - z) < 0).mean() - problem.risk(angle)) < 6 * 0.5 / math.sqrt(100_000)


def test_dimension_of_small_classes():
    points = np.arange(6)
    intervals = [(points >= a) & (points < b) for a in range(7) for b in range(a, 7)]
    assert relative_deviation_proof.vc_of_signs(patterns=[points >= a for a in range(7)]) == 1
    assert relative_deviation_proof.vc_of_signs(patterns=intervals) == 2
    assert relative_deviation_proof.vc_of_signs(patterns=list(itertools.product((0, 1), repeat=4))) == 4
    assert relative_deviation_proof.vc_of_signs(patterns=[[1, 0, 1]]) == 0


# bounds ---------------------------------------------------------------------------------------------------------------


@given(m=st.integers(1, 10**6), V=st.integers(0, 50), beta=st.floats(1e-300, 0.999), r=st.floats(0, 1))
@property_test
def test_the_corrected_lemma_is_weaker_than_lemma_i2(m, V, beta, r):
    cited = population_risk.relative_deviation_cited(n=m, V=max(V, 1), beta=beta, empirical=r)
    assert population_risk.population_corrected(n=m, k=max(V, 1), beta=beta, empirical=r) >= cited * (1 - 1e-12)


@given(m=st.integers(2, 10**5), V=st.integers(0, 20), beta=st.floats(1e-12, 0.9))
@property_test
def test_bounds_shrink_with_the_sample_and_grow_with_the_demand(m, V, beta):
    assert relative_deviation.complexity(2 * m, V, beta) < relative_deviation.complexity(m, V, beta)
    assert relative_deviation.complexity(m, V + 1, beta) > relative_deviation.complexity(m, V, beta)
    assert relative_deviation.complexity(m, V, beta / 2) > relative_deviation.complexity(m, V, beta)


def test_the_printed_lemma_moves_the_wrong_way():
    values = [population_risk.population_printed(n=100, k=1, beta=b, empirical=0.0) for b in (0.1, 1e-3, 1e-9)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("m, d", [(1, 100), (10, 1000)])
def test_the_printed_margin_complexity_is_negative_beyond_2cem(m, d):
    assert d > 2 * 17 * math.e * m
    assert margin_deviation.margin_complexity(m, d, 0.1) < 0


@given(m=st.integers(1, 400), part=st.floats(1e-6, 2), share=st.floats(0, 1))
@property_test
def test_okamotos_inequality(m, part, share):
    """P(sqrt(X/m) <= sqrt(p) - s) <= exp(-m s^2), with s^2 = part / m, scipy as oracle."""
    k = int(share * m)
    p = (math.sqrt(k / m) + math.sqrt(part / m)) ** 2
    if p < 1:
        assert stats.binom.cdf(k, m, p) <= math.exp(-part) * (1 + 1e-9)


def test_worst_single_hypothesis_against_a_fine_grid_of_risks():
    n, beta = 30, 0.05
    level = checks.level_of(population_risk.population_printed, n=n, k=1, beta=beta)
    worst, _ = checks.one_hypothesis(n, level)
    allowed = np.array([float(level(exact(Fraction(k, n)))) for k in range(n + 1)])
    ps = np.linspace(1e-4, 1 - 1e-4, 20_000)
    below = np.searchsorted(allowed, ps) - 1  # fails with at most so many errors
    twin = stats.binom.cdf(below, n, ps).max()
    assert twin <= float(worst) * (1 + 1e-9)
    assert twin >= 0.97 * float(worst)


def test_two_atoms_against_enumeration():
    n = 25
    level = relative_deviation_claims.shrunk(relative_deviation.relative, n, 2, 0.5, 12)
    chance, mass = checks.two_atoms(n, level)
    allowed = [float(level(exact(Fraction(j, n)))) for j in range(n + 1)]
    fails = [mass > allowed[j] or 1 - mass > allowed[n - j] for j in range(n + 1)]
    assert float(chance) == pytest.approx(stats.binom.pmf(np.arange(n + 1), n, mass)[fails].sum(), rel=1e-6)


@given(n=st.integers(3, 10**9), gamma=st.floats(0.01, 1), scale=st.floats(1e-3, 1e3))
@property_test
def test_the_explicit_population_bound_is_free_of_scale(n, gamma, scale):
    known = {"n": n, "outliers": n // 10, "epsilon": 1.0, "delta": 1e-5}
    unit = population_risk.uncapped(**known, gamma=gamma, radius=1.0)
    assert population_risk.uncapped(**known, gamma=gamma * scale, radius=scale) == pytest.approx(unit, rel=1e-6)


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
    known = {"n": 1000, "calls": 12, "mu": 0.05, "beta": 1e-6, "best": exact(0.1)}
    printed = float(population_risk_proof.selected_risk_printed(**known))
    sharp = population_risk_proof.selected_risk_sharp(**known | {"best": 0.1})
    assert printed < sharp < float(population_risk_proof.selected_risk(**known))


# bad input ------------------------------------------------------------------------------------------------------------


def test_bad_input_is_named():
    with pytest.raises(OutsideHypotheses, match=r"beta = 1\.5"):
        relative_deviation.relative_deviation(m=10, V=1, beta=1.5, empirical=0.0)
    with pytest.raises(OutsideHypotheses, match="d = 20, m = 10"):
        margin_deviation.margin_deviation_up_to_m(m=10, d=20, beta=0.1, empirical=0.0)
    with pytest.raises(OutsideHypotheses, match="epsilon"):
        population_risk.population_rate(n=10, gamma=0.5, outliers=0, epsilon=1e3, delta=0.1)
    with pytest.raises(ValueError, match="noise = 2"):
        Thresholds(2)
    with pytest.raises(ValueError, match="spread = 0"):
        Halfplanes(spread=0)
    with pytest.raises(ValueError, match="shift = nan"):
        Mixture(shift=math.nan)
    with pytest.raises(ValueError, match="size = 0"):
        Mixture().cells(np.random.default_rng(0), 0, 5)


# claims ---------------------------------------------------------------------------------------------------------------


def test_lemma_6_6_fails_for_one_fixed_w_while_its_bound_is_positive():
    found = claims.printed_bound_fails(n=100, k=1, beta=1e-6)
    assert found.outcome == REFUTED
    assert found.tightness[0] > 10
    assert float(population_risk.population_printed(n=100, k=1, beta=1e-6, empirical=0.0)) > 0


@pytest.mark.parametrize("n, k", [(10**5, 10), (1000, 11)])
def test_lemma_6_6_holds_as_printed_at_the_papers_beta_from_dimension_ten(n, k):
    found = claims.printed_bound_fails(n=n, k=k, beta=1 / n**2)
    assert found.outcome in (HOLDS, "VACUOUS")


def test_one_pattern_too_many_is_paid_for():
    """V = 1: without the second-order term of step s3 the union would cost more than beta."""
    m, beta = 50, 0.999
    assert float(relative_deviation_proof.union_over_patterns(m=m, V=1, beta=beta)) < beta
    assert 4 * (2 * m + 1) * math.exp(-m * relative_deviation.complexity(m, 1, beta)) > beta


def test_swaps_against_enumeration_of_signs():
    for s in range(1, 9):
        sums = np.array([sum(signs) for signs in itertools.product((-1, 1), repeat=s)])
        for u in range(s + 1):
            assert (sums >= u).mean() <= float(relative_deviation_proof.swapping_tail(s=s, u=u))


@pytest.mark.parametrize("factor, verdict", [(1, HOLDS), (1.01, REFUTED)])
def test_a_lattice_that_can_say_no(factor, verdict):
    assert definitions.hinge_dominates(factor=factor).outcome == verdict


def test_the_margin_lemma_at_one_hypothesis_is_sharp():
    """At empirical loss 0 the failure probability is near beta / e."""
    found = margin_claims.one_hypothesis_holds(m=2000, beta=1e-6)
    assert found.outcome == HOLDS
    assert 0.9 / math.e < found.tightness[0] <= 1 / math.e


def test_selecting_badly_is_as_likely_as_two_normals_say():
    _, chance, allowed = step_claims.selection(population_risk_proof.selected_risk_printed, 10_000, 6e-4, 1)
    gap, rivals = 6.0, len(algorithms.margin_grid(10_000)) - 1
    assert stats.norm.sf(gap / math.sqrt(2)) < float(chance) < rivals * stats.norm.sf(gap / math.sqrt(2))
    assert chance > 1000 * allowed


def test_levels_are_balls():
    level = checks.level_of(relative_deviation.relative_deviation, m=100, V=1, beta=0.1)
    assert isinstance(level(arb(0)), arb)
    assert float(level(arb(0))) == pytest.approx(4 * relative_deviation.complexity(100, 1, 0.1))
