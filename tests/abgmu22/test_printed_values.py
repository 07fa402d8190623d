"""Formulas at points where they are numbers that can be computed by hand from what the paper prints."""

from math import exp, log, sqrt

import pytest

from bounds.abgmu22 import concentration as conc

# log(4/beta) = 3, log(2/beta) = 3 - log 2; K = log(8n/beta) = 3 + log 2 + log n
B = {"n": 16, "beta": 4 * exp(-3)}
SIZES = B | {"gamma": 2.0, "smoothness": 9.0, "label_bound": 4.0}  # gamma sqrt H = 6
L2, K = 3 - log(2), 3 + log(32)
T = 6 * K / (4 * sqrt(32))
R = 2 * sqrt(K) / 4 + (2 + 2 * sqrt(2)) * T + 2 * T**2

TABLE = [
    (conc.slope, SIZES, 4 * 2 * 3 * 3 / 16),
    (conc.offset, SIZES, 4 * 2 * 3 * 3 + sqrt(L2)),
    (conc.empirical_level, SIZES | {"population": 2.0}, 2 * 5.5 + 72 + sqrt(L2)),
    (
        conc.population_level,
        SIZES | {"loss_bound": 8.0, "empirical": 2.0},
        2 * 5.5 + 72 + sqrt(L2) + L2 + 48 * 36 * 9 / 16,
    ),
    (conc.logarithm, B, K),
    (conc.true_slope, SIZES, T),
    (
        conc.empirical_level_corrected,
        SIZES | {"loss_bound": 24.0, "population": 2.0},
        2 * (1 + T) + 16 * (R + T) + K,
    ),
    (conc.population_level_corrected, SIZES | {"empirical": 2.0}, (1 + T) * (2 + 16 * (R + T + T**2))),
    (conc.all_below, B, 1 - exp(-3)),
    (conc.all_below_corrected, {"n": 3, "one_above": 0.125}, 0.625),
    (conc.bernstein_tail, {"n": 2, "variance": 1.0, "loss_bound": 3.0, "t": 2.0}, exp(-1)),
    (conc.bernstein_tail_corrected, {"n": 2, "variance": 1.0, "loss_bound": 3.0, "t": 2.0}, 2 * exp(-1)),
    (conc.deviation, {"n": 6, "beta": 2 * exp(-4), "variance": 0.25, "loss_bound": 3.0}, 3.0),
    (conc.deviation_corrected, {"n": 6, "beta": 2 * exp(-2), "variance": 0.25, "loss_bound": 9.0}, 3.0),
    (conc.variance_bound, {"n": 4, "second_moment": 2.0}, 0.5),
    (conc.second_moment_split, {"moved": 3.0, "at_zero": 5.0}, 16.0),
    (conc.exponential_moment, {"beta": 0.5}, 16.0),
    (conc.second_moment, SIZES | {"population": 2.0}, (32 + 36 * K) * (2 + 36 * K / 16)),
    (conc.largest_mean, SIZES, (4 + 6 * sqrt(K / 2)) ** 2),
    (conc.lower_deviation, {"n": 8, "b": exp(-4), "second_moment": 9.0}, 3.0),
    (conc.split_deviation, SIZES | {"population": 4.0}, 16 * R + 16 * T),
    (conc.solved, {"a": 1.0, "T": 2.0, "label_bound": 3.0}, 165.0),
    (conc.units, {"level": 3.0, "s": 2.0}, 6.0),
]


@pytest.mark.parametrize(("formula", "arguments", "value"), TABLE, ids=lambda x: getattr(x, "__name__", ""))
def test_a_formula_at_a_point(formula, arguments, value):
    assert formula(**arguments) == pytest.approx(value, rel=1e-9)
