"""Relative deviation: slow twins of exact laws and classes, scipy as oracle, properties."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy import stats

from lemmata.bounds.bms22 import relative_deviation
from lemmata.bounds.exact import binomials, numbers
from lemmata.bounds.exact.balls import exact
from lemmata.experiments.instances.classes.hypothesis_classes import Halfplanes, Mixture, Stumps, Thresholds
from lemmata.experiments.instances.laws import deviation_laws

PLANES = [Halfplanes(1.0, 0.2), Halfplanes(0.5, 0.1, 0.3), Mixture(0.7)]
PROBLEMS = [Thresholds(0.0), Thresholds(0.3), Stumps(0.2), *PLANES]


# Editions -------------------------------------------------------------------------------------------------------------


def test_the_root_of_the_separate_appendix_would_be_false():
    """Over the empirical risk alone, one hypothesis fails with probability 0.296 where 0.1 is allowed."""

    def appendix(*, m, V, beta, empirical):
        Q = relative_deviation.complexity(m, V, beta)
        return empirical + 2 * numbers.sqrt(empirical) * Q + 4 * Q

    level = deviation_laws.level_of(appendix, m=100_000, V=1, beta=0.1)
    chance, errors = deviation_laws.one_hypothesis(100_000, level)
    assert errors == 42210 and float(chance) == pytest.approx(0.2960266751)


# Laws -----------------------------------------------------------------------------------------------------------------


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
    frequency = (draws > [level(k) for k in range(m)]).any(axis=1).mean()
    assert abs(frequency - truth) < 6 * math.sqrt(truth * (1 - truth) / 20_000)


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
    assert relative_deviation.vc_dimension([points >= a for a in range(7)]) == 1
    assert relative_deviation.vc_dimension(intervals) == 2
    assert relative_deviation.vc_dimension(list(itertools.product((0, 1), repeat=4))) == 4
    assert relative_deviation.vc_dimension([[1, 0, 1]]) == 0


def test_two_atoms_against_enumeration():
    n = 25
    level = deviation_laws.level_of(relative_deviation.relative_deviation, m=n, V=2, beta=0.5)
    level = deviation_laws.with_less(level, 12)
    chance, mass = deviation_laws.two_atoms(n, level)
    allowed = [float(level(exact(Fraction(j, n)))) for j in range(n + 1)]
    fails = [mass > allowed[j] or 1 - mass > allowed[n - j] for j in range(n + 1)]
    assert float(chance) == pytest.approx(stats.binom.pmf(np.arange(n + 1), n, mass)[fails].sum(), rel=1e-6)


# Bounds ---------------------------------------------------------------------------------------------------------------


def test_one_pattern_too_many_is_paid_for():
    """V = 1: without the second-order term of step s3 the union would cost more than beta."""
    m, beta = 50, 0.999
    assert float(relative_deviation.union_over_patterns(m=m, V=1, beta=beta)) < beta
    assert 4 * (2 * m + 1) * math.exp(-m * relative_deviation.complexity(m, 1, beta)) > beta


def test_levels_are_balls():
    level = deviation_laws.level_of(relative_deviation.relative_deviation, m=100, V=1, beta=0.1)
    assert isinstance(level(arb(0)), arb)
    assert float(level(arb(0))) == pytest.approx(4 * relative_deviation.complexity(100, 1, 0.1))
