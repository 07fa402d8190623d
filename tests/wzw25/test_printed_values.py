"""Refuted formulas at points where the printed text is a number that can be computed by hand."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from scipy.special import ndtri

from bounds.wzw25 import (
    gaussian_privacy,
    main_theorem,
    projected_margins,
    tables,
    tuned_margin,
    tuned_margin_proof,
    whole_grid,
)
from bounds.wzw25 import table_rates as rates
from bounds.wzw25.margin_grid import grid_size


def test_the_inserted_grid_is_twelve_logarithms_over_n_epsilon():
    """Equation 27 at n = 4, log2 n = 2: 12 log(16 * 2/delta)/(4 epsilon)."""
    for delta, epsilon in ((0.5, 1.0), (1e-5, 0.3)):
        value = tuned_margin_proof.inserted_as_printed(n=4, delta=delta, epsilon=epsilon)
        assert value == pytest.approx(3 * log(32 / delta) / epsilon)


@pytest.mark.parametrize("formula", ["projected_minimum", "projected_minimum_corrected"])
def test_a_projected_minimum_loses_a_third_of_e_b(formula):
    assert getattr(projected_margins, formula)(gamma=0.75, e=0.5, b=3.0) == 0.25


def test_the_smallest_mu_is_that_of_the_best_test():
    """Over every set of outputs that a test may reject, not those of the likelihood ratio alone."""
    p, q = np.array([0.5, 0.1, 0.4]), np.array([0.3, 0.6, 0.1])
    rejections = [list(some) for k in (1, 2) for some in combinations(range(3), k)]
    best = max(-ndtri(p[some].sum()) + ndtri(q[some].sum()) for some in rejections)
    assert gaussian_privacy.smallest_gdp(p=p, q=q) == pytest.approx(best)


def test_outliers_are_counts_between_none_and_all():
    sizes = [0] * grid_size(n=4)
    assert whole_grid._ledger_fits(sizes, 4) and whole_grid._ledger_fits([4, *sizes[1:]], 4)
    for wrong in ([-1, *sizes[1:]], [5, *sizes[1:]], sizes[1:]):
        assert not whole_grid._ledger_fits(wrong, 4)


def test_what_is_quoted_stands_before_what_it_quotes(monkeypatch):
    monkeypatch.setattr(tables, "COMPARED", {})
    tables.quotation("wzw25.tab1", rates.TABLE1_MARGIN, rates.MARGIN_LOSS, "", "trial")
    assert tables.COMPARED == {"wzw25.tab1/trial": (rates.TABLE1_MARGIN, rates.MARGIN_LOSS)}


def test_the_tuned_order_is_that_of_the_best_margin():
    """The best of two is below the first and below the second; its logarithms are those of two."""
    point = {"n": 1000, "epsilon": 1.0, "delta": 1e-5}
    both = tuned_margin.tuned_order(**point, gammas=(0.1, 0.8), outliers=(0, 5))
    each = [tuned_margin.tuned_term(**point, size=2, gamma=g, outliers=m) for g, m in ((0.1, 0), (0.8, 5))]
    assert both == each[1] < each[0]


def test_the_population_rate_is_at_most_1_and_knows_no_epsilon_above_1():
    """n = 100, gamma = 1/2: 1/25 + 2/50 with two outliers."""
    sizes = {"n": 100, "gamma": 0.5, "epsilon": 5.0, "delta": 1e-5}
    assert main_theorem.main_population_rate(**sizes, outliers=2) == pytest.approx(0.08)
    assert main_theorem.main_population_rate(**sizes, outliers=99) == 1.0
