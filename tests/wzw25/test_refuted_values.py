"""Printed formulas that no row pins, as they are refuted, slips or definitions, at points worked out by hand."""

from math import e, exp, inf, log, log1p, sqrt

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from lemmata.bounds.wzw25 import (
    algorithms,
    best_of_runs,
    gaussian_privacy,
    gaussian_privacy_proof,
    hinge_loss,
    inliers_and_outliers,
    main_theorem,
    margin_grid,
    margins,
    noisy_gd,
    one_margin,
    one_margin_proof,
    population_risk,
    removal_margin,
    run_counts,
    tables,
    tables_proof,
    tuning_costs,
    whole_grid,
    whole_grid_proof,
    winner,
)

# epsilon/(2 sqrt(2 log(1/delta))) = 2/4: u = epsilon/mu - mu/2 = 3.75; without a range 60/4: u = 4 - 7.5
BUDGET = {"epsilon": 2.0, "delta": e**-2}
SPENT = ndtr(-3.75) - e**2 * ndtr(-4.25)
BALL = BUDGET | {"radius": 3.0}
LARGE = BALL | {"epsilon": 60.0}
OVERSPENT = ndtr(3.5) - exp(60 + log_ndtr(-11.5))
TERM = {"outliers": 3, "n": 8, "gamma": 0.25, "epsilon": 0.5}  # 3/2 + 1/(8/16 * 1/2) = 5.5
RATES = {"n": 100, "gamma": 0.5, "epsilon": 0.25}  # as in `test_printed_values`
RIDGE, REACH = {"D": 2, "sigma": 1.0, "norm": 1.0, "beta": 0.1}, 2 + sqrt(2 * log(40))
EDGE = {"X": [[3.0, 4.0], [1.0, 0.0]], "y": [1, 1]}

SUMMED = {"n": 4, "gamma": 0.5, "outliers": 2, "mu": 1.0, "rows": 3, "steps": 4, "projected": False}
STEPS = {"d": 2, "gradient_norm": 2.0, "sigma": 0.5, "distance": 3.0, "eta": 0.5, "beta": 1 / e}
POINT = {"outliers": 0, "epsilon": 1.0, "delta": 0.1}
ROW4 = {"n": 4, "mu": sqrt(6), "d": 3, "steps": 4}  # three margins, mu_c = 1

TABLE = [
    # Definitions
    (
        gaussian_privacy.approximate_dp_excess,
        {"p": [0.5, 0.4, 0.1], "q": [0.1, 0.15, 0.75], "epsilon": log(2), "delta": 0.1},
        0.3,
    ),
    (gaussian_privacy.smallest_gdp, {"p": [0.5, 0.1, 0.4], "q": [0.3, 0.6, 0.1]}, ndtri(0.6) - ndtri(0.1)),
    (gaussian_privacy.smallest_gdp, {"p": [0.5, 0.1, 0.4], "q": [0.88, 0.1, 0.02]}, ndtri(0.98) - ndtri(0.6)),
    (gaussian_privacy.smallest_gdp, {"p": [0.5, 0.1, 0.4, 0], "q": [0.3, 0.6, 0.1, 0]}, ndtri(0.6) - ndtri(0.1)),
    # in the order of q/p, which is neither that of q nor that of p
    (gaussian_privacy.smallest_gdp, {"p": [0.5, 0.08, 0.42], "q": [0.5, 0.1, 0.4]}, ndtri(0.92) - ndtri(0.9)),
    (gaussian_privacy.smallest_gdp, {"p": [0.5, 0.1, 0.4], "q": [0.6, 0.09, 0.31]}, ndtri(0.6)),
    (gaussian_privacy.smallest_gdp, {"p": [0.5, 0.5, 0.0], "q": [0.5, 0.25, 0.25]}, inf),
    (gaussian_privacy.smallest_gdp, {"p": [0.5, 0.5], "q": [1.0, 0.0]}, inf),
    (gaussian_privacy.smallest_gdp, {"p": [1.0], "q": [1.0]}, 0),
    (gaussian_privacy.smallest_gdp, {"p": [0.5, 0.5, 0.0], "q": [0.5, 0.5, 0.0]}, 0),
    (hinge_loss.hinge_loss, {"margin": 0.25, "width": 2.0}, 0.875),
    (hinge_loss.hinge_loss, {"margin": 3.0, "width": 2.0}, 0),
    (hinge_loss.excess_empirical_risk, {"loss": 3.0, "smallest": 0.5}, 2.5),
    (margins.inlier_sets, {"subset_margins": np.array([inf, 0.2, 0.7, 0.1, 0.5]), "level": 0.5}, [0, 2, 4]),
    (population_risk.penalised_score, {"errors": 7, "n": 8, "k": 2, "beta": 4 * e**-3}, 7 + 2.5 * (2 * log(16) - 3)),
    (inliers_and_outliers.outlier_share, {"n": 8, "s": 3}, 3 / 8),
    (run_counts.pmf, {"eta": 2.0, "r": 0.5, "k": 3}, 1 / 6),  # 1/8 over 4 - 1, times 4
    (run_counts.pmf, {"eta": 2.0, "r": 1e-6, "k": 10**6}, exp(10**6 * log1p(-1e-6)) * (10**6 + 1) / (10**12 - 1)),
    (run_counts.pmf, {"eta": 0.0, "r": 0.25, "k": 2}, 9 / 32 / log(4)),
    (run_counts.pmf, {"eta": -0.5, "r": 0.25, "k": 3}, 27 / 512),  # 27/64 over 1/2 - 1, times -1/16
    (removal_margin.normalised_margin, EDGE | {"w": np.array([2.0, 0.0])}, 0.6),
    (removal_margin.normalised_margin, EDGE | {"w": np.array([2.0, 0.0]), "y": [1, -1]}, 0),
    (removal_margin.normalised_margin, EDGE | {"w": np.array([1.0, 0.0]), "X": [[0.3, 0.4], [1.0, 0.0]]}, 0.6),
    (removal_margin.normalised_margin, EDGE | {"w": np.array([2.0, 0.0]), "X": [[3.0, 4.0], [0.0, 0.0]]}, 0),
    # Privacy
    (gaussian_privacy.gaussian_mechanism_gdp, {"sensitivity": 3.0, "sigma": 4.0}, 0.75),
    (gaussian_privacy_proof.column_counts, {"columns": 8, "sigma": 5.0}, 0.8),
    (gaussian_privacy_proof.second_moments, {"sigma": 1.5 * 2**0.5}, 1.0),
    (gaussian_privacy_proof.ridge_error, RIDGE | {"least": 0.0}, 8 * REACH),
    (gaussian_privacy_proof.ridge_error, RIDGE | {"least": 2.9 * REACH}, 8 * REACH),
    (gaussian_privacy_proof.ridge_error, RIDGE | {"least": 4 * REACH}, 8 / 9 * REACH),
    (gaussian_privacy.iterated_gdp, {"mu": 3.0, "candidates": 5}, 3),
    (gaussian_privacy.textbook_release, {"mu": 0.7}, 0.7),
    (main_theorem.main_privacy, BUDGET, SPENT),
    (main_theorem.ball_privacy, BALL, SPENT),
    (main_theorem.ball_privacy, LARGE, OVERSPENT),
    (main_theorem.ball_population_privacy, BALL, SPENT),
    (main_theorem.ball_population_privacy, LARGE, OVERSPENT),
    (population_risk.penalised_privacy, BUDGET, SPENT),
    (whole_grid.empirical_privacy, BUDGET, SPENT),
    (best_of_runs.tuning_budget, {"epsilon": 3.0, "r": e**-3, "delta": e**-5}, 1 / 8),  # 3/(6 * 4)
    (best_of_runs.score_gdp_as_printed, {"mu": 3.0, "sensitivity": 0.25}, 18),
    (best_of_runs.run_gdp, {"mu": 3.0}, 3),
    (noisy_gd.gdp_parameter, {"n": 5, "steps": 9}, 0.6),
    (noisy_gd.rounded_gdp, {"n": 3, "mu": 0.7}, sqrt(5) / 3),  # 4.41 steps
    (noisy_gd.rounded_gdp, {"n": 3, "mu": 0.1}, 1 / 3),
    (one_margin.projected_gdp, {"n": 5, "steps": 9, "gamma": 0.5, "radius": 3.0}, 0.6),
    # Steps of the proofs
    (noisy_gd.value_sensitivity, {"norm": 3.0, "radius": 2.0, "width": 4.0}, 2.5),
    (noisy_gd.value_sensitivity, {"norm": 3.0, "radius": 2.0, "width": 8.0}, 1.5),
    (noisy_gd.squared_gradient_printed, {"n": 3, "d": 5, "sensitivity": 2.0, "sigma": 0.5}, 37.25),
    (noisy_gd.one_step_printed, {"squared_distance": 9.0, "excess": 3.0, "eta": 0.5, "second_moment": 8.0}, 8.0),
    (noisy_gd.telescoped, {"distance": 3.0, "eta": 0.5, "steps": 4, "second_moment": 7.0, "final": 5.0}, 6.75),
    (inliers_and_outliers.outlier_loss_printed, {"radius": 3.0, "outliers": 5, "width": 2.0}, 7.5),
    (one_margin_proof.outlier_loss, {"share": 0.75}, 1 + 4 * sqrt(1.25)),
    (whole_grid_proof.errors_with_ties, {"margins": [0.0, -1.0, 2.0, -3.0, 0.0]}, 4),
    (winner.winner_below_as_printed, {"scores": [3, 1, 2], "noise": [-2.5, 4, 0.5]}, 4.5),
    # Algorithm 2 and one record: labels 4 apart, 16 steps, room 6 - 2, then 1/2, then none
    (algorithms.failure_probability, {"n": 1}, 0.25),
    (algorithms.failure_probability, {"n": 5}, 0.04),
    (algorithms.single_record_gap, {"mu": 4 * sqrt(2), "rows": 36**2}, (4, log(16) - 8)),
    (algorithms.single_record_gap, {"mu": 4 * sqrt(2), "rows": 15**2}, (4, log(16) - 1 / 8)),
    (algorithms.single_record_gap, {"mu": 4 * sqrt(2), "rows": 36}, (4, 0)),
    (algorithms.single_record_gap, {"mu": sqrt(0.5), "rows": 36**2}, (0.5, -(5.75**2) / 2)),
    # Derived bounds that hold with room
    (algorithms.summed_loss, SUMMED | {"stride": "tuned"}, 14 + 12 * 2),
    (algorithms.summed_loss, SUMMED | {"stride": "printed"}, 14 + 12 * sqrt(7)),
    (best_of_runs.first_epsilon, {"mu": 0.5, "r": 0.5, "delta": 1 - 2 * exp(1 / 8) * ndtr(-0.5), "eta": 1.0}, 1 / 8),
    (best_of_runs.first_epsilon, {"mu": 1e-3, "r": 0.5, "delta": 0.5, "eta": 1.0}, 0),
    (best_of_runs.score_only_epsilon, {"mu": 1e-3, "r": 0.5, "delta": 0.5}, 0),
    (margins.margin, {"w": [1.0, 0.0], "X": [[-1.0, 0.0]], "y": [1]}, 0),
    (one_margin_proof.three_terms, STEPS | {"steps": 1}, 6 + 3 + (2 * log(2) + 2) / 8),
    (one_margin_proof.three_terms, STEPS | {"steps": 2}, 4.5 + 4 + 1.5 * (2 * log(2) + 2) / 8),
    (population_risk.population_risk, POINT | {"n": 3, "gamma": 1.0}, 1),
    (winner.runs_given_drawn, {"eta": 1.0, "r": 0.5, "size": 2}, 7 / 3),  # (2 - 4/9)/(1 - 1/3)
    (whole_grid.error_off_grid, POINT | {"n": 2, "gamma": 0.1}, 1),
    (whole_grid.quantile_off_grid, POINT | {"n": 1, "gamma": 1.0}, 1),
    (tables.adaptive_error, ROW4 | {"gamma": 1.0, "outliers": 0}, (12 + sqrt(2 * log(3))) / 4),
    (tables.adaptive_error, ROW4 | {"gamma": 0.5, "outliers": 1}, (7 + 24 + sqrt(2 * log(3))) / 4),
    # The grid
    (whole_grid.mean_order, POINT | {"n": 5, "outliers": 5, "gamma": inf}, 1 / 25),
    (margin_grid.doubling_grid, {"n": 5, "radius": 2}, [0.4, 0.8, 1.6, 2]),
    (margin_grid.rate, TERM | {"radius": 3}, 4.5 + 36),
    (margin_grid.grid_order, TERM, 5.5),
    (margin_grid.ball_order, TERM | {"radius": 3.0}, 5.5),
    (margin_grid.left_margin, TERM, 1),
    (margin_grid.left_margin, TERM | {"n": 80}, 0.55),
    (margin_grid.general_constant, {"n": 10, "epsilon": 1e6}, 4),
    # The tables, quoted over source
    (tables.table1, RATES | {"R": 0.04, "s": 3}, (0.16, 0.184, 0.4, 0.22)),
    (tables.table1, RATES | {"gamma": 1.0, "R": 0.0, "s": 0}, (0.04, 0.04, 0.2, 0.04)),
    (tables.table2, {"n": 100, "a": 2.0, "epsilon": 0.25, "R": 0.04, "s": 3}, (0.27, 0.7, 0.22)),
    (tables.agnostic_by_table1, RATES | {"R": 0.04}, 0.184 / 0.27),
    (tables.hinge_by_section_1_2, RATES, 0.36 / 0.7),
    (tables.tables_agree_on_margin, RATES | {"R": 0.04}, 0.184 / 0.27),
    (tables.claimed_gain, {"n": 49, "s": 3}, 7),
    (tables_proof.candidates_order, {"gamma": 0.25}, exp(4)),
    (tuning_costs.projection_factor, {"n": 64, "power": 1 / 3}, 4),
]
