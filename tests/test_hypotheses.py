"""A setting that a statement does not speak of is refused, and the hypothesis that it leaves is named."""

from math import inf

import pytest

from lemmata.bounds.abgmu22 import grid_output
from lemmata.bounds.bms22 import (
    fast_projection,
    long_minimiser,
    many_hypotheses,
    margin_deviation,
    margin_selection_proof as selection,
    matrix_projection,
    network,
    relative_deviation,
    sign_projection,
)
from lemmata.bounds.rbht09 import hinge_dual, lower_bounds, lower_bounds_rbf, random_features
from lemmata.bounds.theorem import OutsideHypotheses
from lemmata.bounds.wzw25 import projected_margins, repetitions, whole_grid

ALL_OF_S = {"n": 5, "outliers": 5, "epsilon": 1.0, "delta": 1e-5, "gamma": 0.5}
LINE = {"delta": 0.1, "C": 1.0, "n": 2}
# ||w*|| <= 2^K: B* = 2 max{||w*||, 1} is at most 2^(K + 1)
PIPELINE = {"n": 10**16, "gradient_norm": 3.0, "ridge": 1e-6, "smoothness": 1.0, "radius": 1.0, "sigma": 1e-3}
PIPELINE |= {"label_bound": 36.0, "guesses": 1, "epsilon": 1.0, "beta": 0.5}
TABLE = [
    (long_minimiser.hinge_loss, {"w": 1.0, "alpha": 0.5, "gamma": 2.0, "radius": 1.0}, "0 < gamma < r"),
    (long_minimiser.empirical_chance, {"m": 3, "gamma": 0.5}, "gamma < 1/m"),
    (many_hypotheses.failure_chance, {"d": 6, "epsilon": 1.0, "m": 6, "rho": 0.5}, "m < d/epsilon"),
    (many_hypotheses.printed_dimension, {"c": 0.7}, "log 2"),
    (margin_deviation.margin_deviation_up_to_m, {"m": 10, "d": 20, "beta": 0.1, "empirical": 0.0}, "d = 20, m = 10"),
    (relative_deviation.relative_deviation, {"m": 10, "V": 1, "beta": 1.5, "empirical": 0.0}, r"beta = 1\.5"),
    (selection.grid_point, {"m": 10, "rho": 0.5, "base": "10", "rounding": "ceil"}, "base = '10'"),
    (selection.grid_point, {"m": 100, "rho": 0.01}, "1 <= m rho"),
    (selection.half_sensitivity_corrected, {"rho_hat": 0.5, "rho_opt": 0.5, "power": 1}, "power = 1"),
    (sign_projection.sign_projection_rows, {"m": 0, "gamma": 0.5, "beta": 0.1}, "m = 0 is .* hypothesis: m a whole"),
    (sign_projection.sign_projection_rows, {"m": 2, "gamma": 1.0, "beta": 0.1}, "gamma = 1.0 is .*: 0 < gamma < 1"),
    (fast_projection.fast_projection_rows, {"m": 3, "gamma": 0.5, "beta": 0.1, "d": 0}, "d = 0 is .*: d a whole"),
    (matrix_projection.repaired_deviations, {"m": 1, "k": 5, "beta": 0.9}, "m/beta >= 2"),
    (matrix_projection.repaired_deviations, {"m": 100, "k": 1, "beta": 0.1}, "k >= log"),
    (projected_margins.angles_rows, {"n": 2, "e": 1.5, "beta": 0.1}, "e = 1.5 is outside the hypothesis: 0 < e <= 1"),
    (projected_margins.third_margin_rows, {"n": 3, "gamma": 2.0, "beta": 0.1}, "gamma <= b"),
    (repetitions.repetitions_as_printed, {"beta": 0.01, "size": 1}, "size = 1 is .*: size a whole number >= 2"),
    (whole_grid.mean_order, ALL_OF_S, "S_out is all of S and gamma = inf"),
    (whole_grid.mean_order_proper, ALL_OF_S, "S_out is not all of S"),
    (whole_grid.tail_order, ALL_OF_S | {"outliers": 1, "epsilon": 200.0}, "epsilon < 8 log"),
    (hinge_dual.privacy_order, {"acc": 2.0, "delta": 0.9}, "cannot be computed"),
    (lower_bounds.line_level, LINE | {"acc": 0.25}, "acc"),
    (lower_bounds.line_level, LINE | {"acc": 0.0}, "acc"),
    (lower_bounds_rbf.circle_databases, {"sigma": 0.85}, "sigma"),
    (lower_bounds_rbf.circle_level, {"delta": 0.1, "sigma": 0.5, "acc": 0.01, "C": 3.0, "n": 3}, "n > C"),
    (random_features.uniform_features, {"d": 1, "eps": 0.5, "delta": 0.1, "sigma_p": inf, "diam": 1.0}, "sigma_p"),
    (grid_output.pipeline_excess, PIPELINE | {"norm_bound": 1.9}, "norm_bound"),
    (grid_output.pipeline_excess, PIPELINE | {"norm_bound": 4.1}, "norm_bound"),
    (grid_output.pipeline_excess, PIPELINE | {"norm_bound": 100.0}, "norm_bound"),
]


@pytest.mark.parametrize(("statement", "arguments", "message"), TABLE)
def test_a_setting_outside_is_refused_by_the_hypothesis_that_it_leaves(statement, arguments, message):
    with pytest.raises(OutsideHypotheses, match=message):
        statement(**arguments)


def test_the_largest_guess_is_inside():
    assert grid_output.pipeline_excess(**PIPELINE, norm_bound=4.0) > 0


def test_a_hypothesis_that_overflows_answers_in_words():
    sizes = {"radius": 1.0, "norm_bound": 1.0, "eta": 1e30, "layers": 300, "rho": 1.0}
    said = network.gap_below_the_end.theorem.skipped(sizes | {"m": 2, "beta": 0.5, "k": 3.0})
    assert said is not None and "exceeds the range of floats" in said
