"""Algorithm 3 on its grid: margins between those of the grid, exact ledgers of planted data, wrong input."""

from math import sqrt

import numpy as np
import pytest

from lemmata.bounds.wzw25 import whole_grid as theorem
from lemmata.bounds.wzw25.algorithms import margin_grid, projection_rows
from lemmata.experiments.instances.datasets.planted import adaptive_runs, ledger, planted
from lemmata.mechanisms.learners.descent import adaptive_margin
from lemmata.mechanisms.solvers.margin import geometric_margin, min_outliers


def test_margins_between_two_of_the_grid_cost_at_most_four_times_as_much():
    parameters = dict(n=1000, outliers=0, epsilon=1.0, delta=1e-5)
    for level in margin_grid(1000)[:-1]:
        low = theorem.error_off_grid(**parameters, gamma=float(level))
        assert theorem.error_off_grid(**parameters, gamma=min(1.0, 1.99 * float(level))) <= low * (1 + 1e-12)


def test_span_of_the_records_survives_the_rows_of_the_smallest_margin():
    """The fact behind `error_off_grid`, on one matrix: every direction of an n-dimensional span keeps its length."""
    n, rng = 4, np.random.default_rng(3)
    k = projection_rows(n, 1 / n)
    basis = np.linalg.qr(rng.normal(size=(300, n)))[0]
    phi = rng.choice([-1.0, 1.0], size=(k, 300)) / sqrt(k)
    assert np.abs(np.linalg.svd(phi @ basis, compute_uv=False) ** 2 - 1).max() < 0.5


@pytest.mark.parametrize("n,outliers,gamma,radius", [(9, 0, 0.5, 1.0), (9, 2, 0.5, 1.0), (12, 3, 20.0, 50.0)])
def test_ledger_of_planted_data_is_exact(n, outliers, gamma, radius):
    Z = planted(n, 2, gamma, outliers, radius)
    ones = np.ones(n)
    assert np.linalg.norm(Z, axis=1).max() <= radius * (1 + 1e-12)
    assert geometric_margin(Z[: n - outliers], ones[outliers:]).value == pytest.approx(gamma)
    levels = zip(margin_grid(n, radius), ledger(n, gamma, outliers, radius), strict=True)
    for level, most in levels:
        fewest = min_outliers(Z, ones, float(level))
        assert fewest.low == fewest.high == most if level <= gamma else fewest.high <= most


def test_weights_of_the_average_serve_all_candidates():
    """Without projections the candidates' descents differ in scale alone, as the claim on Lemma H.3 assumes."""
    runs = adaptive_margin.candidates(planted(16, 2, 0.5, 0), np.ones(16), mu=2.0)
    noise = [run.descent.strides[0] * run.descent.sigma for run in runs]
    assert noise == pytest.approx([noise[0]] * len(runs)) and len({run.descent.steps for run in runs}) == 1


def test_runs_that_nobody_can_take_are_refused_before_one_begins():
    """A deep run combines the epsilon of 30 records with 2,000, and step sizes alone would take all memory."""
    Z = planted(2000, 5, 1.0, 1, radius=50.0)
    with pytest.raises(ValueError, match=r"n = 2000, epsilon = 5000: .* multiplications, of 5e\+10 at most"):
        adaptive_runs(np.random.default_rng(0), 20, Z, 5000.0, 1e-300, 50.0)
