"""Formulas at points where the printed text is a number that can be computed by hand.

`POINTS` holds what no doctest shows: every number on the right was worked out from the page of the paper, at sizes and
probabilities that make the logarithms whole (log((n+1)(n+2)/beta) = 4 at n = 4, beta = 30/e^4), and calls no code.
`tests/test_by_hand.py` compares `POINTS` with the formulas; this file alone does not.
"""

from importlib import import_module
from math import ceil, e, inf, log, nextafter, pi, sqrt

import numpy as np
import pytest
from flint import arb
from scipy.integrate import quad
from scipy.special import ndtr

from lemmata.bounds.wzw25 import table_rates as rates, tables, tuned_margin, whole_grid
from lemmata.bounds.wzw25.margin_grid import grid_size

DATA = dict(n=4, gamma=0.5, outliers=3)
RUN = dict(**DATA, mu=2.0, beta=30 / e**4, radius=2.0)  # b^2 sqrt(4)/(n gamma^2 mu) = 4; outliers/(gamma n) = 1.5
BALL = dict(**DATA, epsilon=2.0, delta=0.1, radius=2.0)  # b^2/(n gamma^2 eps) = 2, b outliers/(gamma n) = 3
UNIT = dict(BALL, radius=1.0)  # 0.5 and 1.5
NORMALS = dict(n=8, sigma=3.0)  # sqrt(2 log 2n) = sqrt(8 log 2)
CHOICE = dict(count=8, sigma=3.0)
ENDS = dict(n=2, sigma=2.0, t=4.0)  # t/(2 sigma) = 1
RUNS = dict(eta=1.0, r=0.125, sigma=3.0)  # E K = 8: 3 sqrt(2 log 8)
MANY = 3 * sqrt(6 * log(2))
ONE_STEP = dict(d=2, steps=1, gradient_norm=1.0, sigma=1.0, distance=3.0, eta=1.0, beta=1 / e)
V = [v for v in np.geomspace(0.02, 4, 40) / 4 if v < 1 / 2]  # T = 1: k_0 = 1/(1 - 2v), K_1 = k_1 = 1, v_0 = v_1 = v
TAIL = min((9 * v * (1 - 2 * v) / (2 - 2 * v) ** 2 + v / (1 - 2 * v) + v - log(1 - 2 * v) + 1) / (2 * v) for v in V)
# E max of K normals, P(K = k) = 2^-k: the distribution function of the maximum is Phi/(2 - Phi)
HALVING = quad(lambda u: 1 - ndtr(u) / (2 - ndtr(u)) - ndtr(-u) / (2 - ndtr(-u)), 0, 12, epsabs=1e-14)[0]
GROWN, MONITOR = e ** (1 / 8 + sqrt(6 * log(2)) / 2), log(5) * 128 / 175  # k = 4 runs, p = 175/256, delta = 1/8
OVER = GROWN * e**0.5 * (1 + MONITOR / 0.5) + 128 / 175  # at lambda = 1/2, which is not the best one
TERM_A = dict(n=4, epsilon=2.0, delta=e**-8, gamma=0.5, beta=8 / e**4, radius=3.0)  # logs 4, 4 + log 30, 2, 8
TWO = dict(n=2, epsilon=2.0, gammas=[0.5], outliers=[1])
WIDE = dict(n=8, gammas=[0.25, 0.01], outliers=[3, 8])  # gamma n = 2, gamma^2 n = 1/2
RISK = dict(n=8, k=2, beta=0.25, empirical=0.25)  # Q = (2 log 16 + log 16)/8 = 1.5 log 2
LEVEL = dict(n=8, calls=4, mu=0.5, beta=0.25, best=0.5)  # both roots are sqrt(2 log 8)
GROWTH = dict(n=4.0, alpha=1.0, eta=0.5)  # n^(alpha/eta) = 16
# |Gamma| log(1/delta) = 36: mu_c = 1, T = 16, and log(|Gamma| n^2) = log 48, log(|Gamma| (2n + 1) n^2) = log 432;
# gamma is on the grid, or a third of its least margin, which counts 1/4: 3 gamma/sqrt 2 is kept, a norm of sqrt 2
ON, BELOW = (dict(n=4, gamma=gamma, outliers=1, epsilon=24.0, delta=e**-12) for gamma in (0.5, 1 / 12))
# g = 1/2 and 1/4: (9 + 9g + 4g^2 + 9g^3)/(2g^2) is 2 (15 + 5/8) and 8 (11 + 41/64)
ROWS_ON, ROWS_BELOW = ceil(31.25 * log(432)), ceil(93.125 * log(432))
CHOSEN = sqrt(log(48)) / 2
ERROR_ON = (1 + 6 * 1.28) / 4 + 6 * (4 + 3 * log(16)) * sqrt(1 + ROWS_ON * log(48)) + CHOSEN
ERROR_BELOW = (1 + 12 * 1.28 * sqrt(2)) / 4 + 24 * (4 + 3 * log(16)) * sqrt(1 + ROWS_BELOW * log(48)) + CHOSEN

POINTS = {
    "projected_margins": [
        ("informal_order", dict(gamma=0.5), 4),
        ("half_margin_order", dict(n=1, gamma=0.5, beta=2 / e**3, b=2.0), 48),  # 16 log(2/beta)
        ("half_margin_rows", dict(n=1, gamma=2.0, b=2.0, beta=3 / e**6.99), 324),  # 36 * 6.99 / (1 - 2/9) = 323.5
        ("third_order", dict(n=1, gamma=0.5, beta=6 / e**4), 16),
        ("third_margin_rows", dict(n=1, gamma=2.0, b=2.0, beta=3 / e**1.99), 31),  # 31/2 * 1.99 = 30.8
        ("third_margin_rows", dict(n=2, gamma=0.5, beta=5 / e**7.99), 250),  # (9 + 4.5 + 1 + 1.125) 2 * 7.99 = 249.7
        ("stretch", dict(g=0.5), 1.19),
        ("norm_gap", dict(g=0.5), 0.38**2 * (1 - 0.19 / 3) - 0.128),  # 2/15.625 = 0.128
        ("product_transform", dict(g=0.5, rate=0.5), 1 / sqrt(3 / 4) - 1 / 8 - 3 / 128 - 1 / 4 + 3 / 16),
        ("bad_projection", dict(n=3, g=0.0, k=5), 7),
        ("third_step", dict(gamma=0.75), 0.25),
        ("angles_order", dict(n=2, e=0.5, beta=6 / e**4), 16),
        ("margin_order", dict(n=1, e=0.5, beta=6 / e**4), 16),
        ("margin_rows", dict(n=1, e=1.0, beta=3 / e**6.99), 324),
        ("projected_minimum", dict(gamma=0.75, e=0.5, b=3.0), 0.25),
        ("projected_norm", dict(e=0.75), sqrt(1.25)),
        ("ratio_step", dict(gamma=1.0, e=0.75, b=2.0), 0.5 / sqrt(1.25)),
        ("half_step", dict(gamma=1.0, e=0.75, b=2.0), 0.25),
        ("margin_kept", dict(gamma=1.0, e=0.75, b=2.0), 0.25),
        ("margin_of_the_proof", dict(gamma=1.0, e=0.75, b=2.0), 0.5 / sqrt(1.25)),
    ],
    "gaussian_privacy_proof": [
        ("pure_account", dict(t=0.5, epsilon=1.0), 1 - e**-0.5),
        ("pure_account", dict(t=1.0, epsilon=0.5), 0),
        ("approximate_account", dict(t=0.5, epsilon=1.0, delta=0.25), 1 / 4 + 3 / 4 * (1 - e**-0.5)),
        ("approximate_account", dict(t=1.0, epsilon=0.5, delta=0.25), 1 / 4),
        ("planned_account", dict(t=0.0, n=1, epsilon=log(3), delta=0.5, mu=100.0), 1.0),
        ("average_error", dict(length=3, k=4, longest=0.5, norm_bound=2.0), 300 / 2**52),
        ("partial_sum_error", dict(candidates=3), 1 / 2**45 + 1 / 2**48),
    ],
    "gaussian_privacy": [
        ("grid_sums", dict(radius=3.0, sigma=8.0, n=5), 0.75),
        ("budget_each", dict(epsilon=8.0, delta=e**-2, m=4), 1),  # 8/(2 sqrt 16)
        ("approx_epsilon_simple", dict(mu=3.0, delta=e**-2), 12),
        ("gaussian_delta", dict(epsilon=-1.0, mu=1.0), ndtr(1.5) - ndtr(0.5) / e),
        ("gaussian_delta", dict(epsilon=-1.0, mu=0.0), 1 - 1 / e),
        ("gaussian_delta", dict(epsilon=1.0, mu=0.0), 0),
        ("gaussian_delta", dict(epsilon=1.0, mu=inf), 1),
    ],
    "best_of_runs": [  # sqrt(2 log(1/(r delta))) = 4
        ("selection_epsilon", dict(mu=2.0, r=e**-3, delta=e**-5), 30 + e**-5),
        ("relaxed_epsilon", dict(mu=2.0, t=4.0, delta=0.1), 48.1),
    ],
    "margins": [("margin", dict(w=np.array([2.0, 0.0]), X=[[3.0, 4.0], [1.0, 0.0]], y=[1, 1]), 1)],
    "run_counts": [
        ("mean", dict(eta=-0.99, r=1e-308), 0.99 * 10**3.08),  # y = eta log(1/r) is below -700: -y e^y/(r log(1/r))
        ("mean", dict(eta=0.0, r=0.25), 3 / log(4)),
        ("pgf", dict(eta=0.0, r=0.25, x=0.5), log(1.6) / log(4)),  # 1 - 3/8
        ("pgf", dict(eta=2.0, r=0.25, x=0.5), 0.104),  # 2.56 - 1 over 15
        ("pgf", dict(eta=-0.5, r=0.25, x=0.5), 2 - sqrt(2.5)),
        ("pgf", dict(eta=2.0, r=0.25, x=0.8), 0.35),  # 6.25 - 1 over 15
        ("total_probability", dict(eta=1.0, r=0.5), 1),
        ("geometric_pmf", dict(r=0.25, k=3), 9 / 64),
        ("logarithmic_pmf", dict(r=0.25, k=2), 9 / 32 / log(4)),
        ("geometric_cdf", dict(r=0.25, t=2), 7 / 16),
        ("geometric_cdf_at_real", dict(r=0.25, t=1.5), 1 - 0.75**1.5),
        ("smallest_t", dict(r=0.5, beta=0.125), 3),
        ("geometric_quantile", dict(r=0.5, beta=2.0**-1000), 1000),
        ("geometric_quantile", dict(r=0.5, beta=nextafter(2.0**-1000, 0)), 1001),
        ("geometric_quantile", dict(r=1 - 2.0**-30, beta=2.0**-30), 1),
        ("geometric_quantile", dict(r=1e-300, beta=0.5), log(2) * 1e300),
    ],
    "gaussian_maxima": [
        ("max_threshold", dict(**NORMALS, beta=e**-2), 3 * sqrt(8 * log(2)) + 2),
        ("range_threshold", dict(**NORMALS, beta=2 / e**2), 6 * sqrt(8 * log(2)) + 4),
        ("range_threshold_scaled", dict(**NORMALS, beta=2 / e**2), 6 * sqrt(8 * log(2)) + 12),
        ("half_range_threshold", dict(**NORMALS, beta=2 / e**2), 3 * sqrt(8 * log(2)) + 2),
        ("half_range_threshold_scaled", dict(**NORMALS, beta=2 / e**2), 3 * sqrt(8 * log(2)) + 6),
        ("interval_is_left", ENDS, 1 - (1 - 2 * ndtr(-1)) ** 2),
        ("two_ends", ENDS, 1),
        ("two_ends_mirrored", ENDS, 2 * (1 - ndtr(1) ** 2)),
        ("both_ends_alike", ENDS, 2 * (1 - ndtr(1) ** 2)),
        ("min_mean", dict(j=8, sigma=3.0), MANY),
        ("count_min_mean", RUNS, MANY),
        ("mean_inserted", RUNS, MANY),
        ("mean_inserted", dict(eta=1.0, r=0.75, sigma=3.0), 3 * sqrt(2 * log(4 / 3))),
        ("mean_inserted", dict(eta=arb(0), r=arb(0.25), sigma=arb(3)), 3 * sqrt(2 * log(3 / log(4)))),
        ("geometric_min_mean", dict(r=0.125, sigma=3.0), MANY),
        ("root_outside", dict(eta=1.0, r=0.5), sqrt(sum(log(k) / 2**k for k in range(2, 100)))),
        ("root_outside", dict(eta=0.0, r=0.5), sqrt(sum(log(k) / k / 2**k for k in range(2, 100)) / log(2))),
        ("log_moment", dict(eta=1.0, r=0.5, power=0.5), sum(sqrt(log(k)) / 2**k for k in range(2, 100))),
        ("log_moment", dict(eta=1.0, r=0.5, power=0.5, terms=1), 0.75),  # half of what is left of E K = 2: 2 - 1/2
        ("logarithm_outside", dict(eta=1.0, r=0.125), log(8)),
        ("root_log_curvature", dict(x=e), -3 / (4 * e**2)),
    ],
    "noisy_minimum": [
        ("choice_mean", CHOICE, 2 * MANY),
        ("choice_mean_sharp", CHOICE, MANY),
        ("twice_max_mean", CHOICE, 2 * MANY),
        ("choice_threshold", dict(**CHOICE, beta=2 / e**2), 6 * sqrt(8 * log(2)) + 4),
        ("choice_threshold_scaled", dict(**CHOICE, beta=2 / e**2), 6 * sqrt(8 * log(2)) + 12),
        # sqrt 2 sigma z, Phi(-z) = beta/7
        ("choice_threshold_sharp", dict(**CHOICE, beta=7 * ndtr(-2.0)), 6 * sqrt(2)),
        ("choice_threshold_sharp", dict(count=2, sigma=3.0, beta=0.5), 0.0),
        ("noise_range_threshold", dict(**CHOICE, beta=2 / e**2), 6 * sqrt(8 * log(2)) + 4),
        ("noise_range_threshold_scaled", dict(**CHOICE, beta=2 / e**2), 6 * sqrt(8 * log(2)) + 12),
        ("min_is_minus_max", dict(count=2), -1 / sqrt(pi)),
        ("chosen_against_noisy_minimum", dict(scores=np.array([0, 1]), noise=np.array([2, -1])), 1),
        ("noisy_minimum", dict(scores=np.array([0, 1]), noise=np.array([2, -1])), 2),
        ("chosen_against_range", dict(scores=np.array([0, 1]), noise=np.array([2, -1])), 3),
    ],
    "winner": [
        ("noisy_minimum_mean", dict(**RUNS, size=2), MANY),
        ("winner_mean", dict(**RUNS, size=2), MANY),
        ("maximum_without_condition", dict(eta=1.0, r=0.5, size=2, sigma=3.0), 3 * HALVING),
        ("winner_mean_given_drawn", dict(eta=1.0, r=0.8, size=1, sigma=3.0), 3 * sqrt(2 * log(1.25))),
        ("twice_maximum_as_printed", RUNS, MANY),
        ("twice_maximum", RUNS, 2 * MANY),
    ],
    "noisy_gd": [("averaged_rate", dict(d=4, mu=0.5, sensitivity=3.0, distance=5.0), 60)],
    "last_iterate": [  # 2 sqrt 2 (1 + H_1) D Delta sqrt(d log(e/beta))/mu
        (
            "last_iterate_corrected",
            dict(n=1, d=2, mu=0.5, sensitivity=3.0, distance=5.0, beta=1 / e),
            4 * sqrt(2) * 15 * 2 / 0.5,
        ),
        ("last_iterate_tail", ONE_STEP, TAIL),
        ("last_iterate_rate", dict(d=4, mu=0.5, sensitivity=3.0, distance=5.0, beta=1 / e), 60),
    ],
    "one_margin": [
        ("last_order_without_logs", dict(**DATA, mu=2.0), 2),
        ("last_order", dict(**DATA, mu=2.0, beta=e**-4, radius=2.0), 4 * sqrt(log(30) + 4) + 3),
        ("expected_order_as_printed", RUN, 5.5),
        ("expected_order", RUN, 7),
        ("fewest_outliers_order", RUN, 7),
        ("loss_along_n", dict(first=1.0, last=100.0), 100**-0.9),
        ("loss_along_gamma", dict(first=1.0, last=100.0), 100**2.1),
        ("loss_along_outliers", dict(first=1.0, last=100.0), 100**1.1),
        ("loss_along_dimension", dict(first=1.0, last=100.0), 100**0.1),
    ],
    "one_margin_proof": [("last_display_as_printed", RUN, 7)],
    "whole_grid": [
        ("mean_order", UNIT, 2 + 1 / 16),
        ("tail_order", UNIT, 2 + 1 / 4),
        ("tail_order", dict(UNIT, n=8), 1 + 1 / 8),
        ("mean_order_on_grid", BALL, 5 + 1 / 8 + 1 / 16),
        ("tail_order_on_grid", BALL, 5 + 1 / 8 + 1 / 4),
        ("error_along_n", dict(first=1.0, last=100.0), 100**-0.9),
        ("quantile_off_grid", ON, ERROR_ON),
        ("quantile_off_grid", BELOW, ERROR_BELOW),
    ],
    "whole_grid_proof": [  # |Gamma| = 3 at n = 4
        ("choice_level_as_printed", dict(n=4, mu=0.5), sqrt(2 * log(6)) + sqrt(2 * log(32)) / 2),
        ("choice_level", dict(n=4, mu=0.5), sqrt(2 * log(6)) + sqrt(2 * log(32))),
        ("tail_term_a", TERM_A, 288 * sqrt(4 + log(30))),  # 8 * 9 sqrt(64 (4 + log 30)) / 2
        # 8 * 9 sqrt(4 * (4 + log 306) * 4 * 8) over 16/4 * 2
        ("tail_term_a", dict(TERM_A, n=16, beta=16 / e**4), 9 * sqrt(128 * (4 + log(306)))),
        ("tail_term_a_as_printed", TERM_A, 1152 * sqrt(24) * sqrt(4 + log(30))),  # 2 over mu = 2/(4 sqrt 24)
        ("tail_term_b", dict(n=4, epsilon=2.0, delta=e**-8), 16 * sqrt(2 * log(2))),  # 16 sqrt(32 log 16) / 8
    ],
    "main_theorem": [
        ("penalised_error", ON, ERROR_ON + 5 * ROWS_ON * log(8) / 8),
        ("penalised_error", BELOW, ERROR_BELOW + 5 * ROWS_BELOW * log(8) / 8),
        ("main_order", dict(UNIT, epsilon=0.5), 3.5),
        ("main_order", UNIT, 2.5),
        ("main_order", dict(UNIT, n=16, epsilon=0.5), 0.875),  # 1/2 + 3/8
        ("main_population_rate", dict(UNIT, n=100, outliers=2, epsilon=0.5), 0.12),  # 0.08 + 0.04
        ("main_population_rate", dict(UNIT, n=100, outliers=2), 0.08),  # epsilon = 2 counts 1
        ("main_population_rate", dict(UNIT, n=100, outliers=99), 1),
        ("least_order", dict(profile=[0.1, 0.5], n=2, epsilon=0.5), 5),  # 4 + 1, against 100
        ("scaled_mean_order", BALL, 5 + 1 / 2 + 1 / 16),
        ("scaled_mean_order_sharp", BALL, 5 + 1 / 8 + 1 / 16),
        ("scaled_tail_order", BALL, 5 + 1 / 8 + 1 / 4),
        ("scaled_radius", dict(radius=3.0, scale=2.0), 6),
        # 4/100 * 3/2 + 2 * 5/100 + 1/200 + 1/100
        ("scaled_rate", dict(n=100, gamma=2.0, outliers=5, epsilon=2.0, delta=0.1, radius=4.0), 0.175),
        ("scaled_rate", dict(n=100, gamma=2.0, outliers=99, epsilon=2.0, delta=0.1, radius=4.0), 1),
        # below the grid and n < 4, the error is 1; a = mu^2/2 + mu sqrt(6 log 2) at mu = 2/(2 * 2)
        ("scaled_risk", dict(n=2, gamma=0.25, outliers=0, epsilon=2.0, delta=e**-2, radius=1.0, rate=0.5), OVER),
        ("scaled_twin", dict(n=100, gamma=2.0, outliers=5, epsilon=2.0, delta=0.1, radius=4.0), 0.175),
        (
            "private_gap",
            dict(n=10, epsilon=0.0, delta=0.1, beta=0.5, empirical=0.25, rate=2.0, runs=2),
            e**2 / 4 + 4 / 3 * (0.2 + e**2 * log(3) / 20),
        ),
    ],
    "population_risk": [
        ("uncapped", ON, 2 * ERROR_ON + 5 / 4 * (ROWS_ON * log(8) + log(192))),
        ("uncapped", BELOW, 2 * ERROR_BELOW + 5 / 4 * (ROWS_BELOW * log(8) + log(192))),
        ("population_printed", RISK, 0.5 + 4.5 * log(2)),  # (10 log 16 - log 16)/8
        ("population_rate", UNIT, 2.5),
        ("population_rate", dict(UNIT, n=16, epsilon=0.5), 0.875),
        ("population_corrected", RISK, 0.5 + 7.5 * log(2)),
        ("printed_at_large_beta", dict(n=8, k=10, beta=0.5, empirical=0.25), 0.5 + 197 / 8 * log(2)),
        ("relative_deviation_cited", dict(n=8, V=2, beta=0.25, empirical=0.25), 0.25 + sqrt(1.5 * log(2)) + 6 * log(2)),
        ("twice_geometric_mean", dict(root_r=2, root_Q=3), 13),
        ("doubled", dict(root_r=2, root_Q=3), 53),
        ("averaged_sensitivity", dict(n=7), 1),
    ],
    "population_risk_proof": [
        (  # |Gamma| log(1/delta) = 36: mu_c = 1, T = 16; log(|Gamma| (n+1) (n+2) n^2) = log 1440
            "risk_over_root",
            {"n": 4, "gamma": 0.5, "outliers": 1, "epsilon": 24.0, "delta": e**-12},
            2 * (6 * sqrt(log(1440) * log(48)) * (4 + 3 * log(16)) + log(8) * log(1440)) + 1,
        ),
        ("averaged_score", dict(errors=3, n=4, k=2, beta=0.5), 0.75 + 27 / 4 * log(2)),  # (10 log 8 - log 8)/4
        ("projected_deviation", RISK, 0.5 + 7.5 * log(2)),
        ("selected_risk_printed", LEVEL, 0.5 + 0.75 * sqrt(6 * log(2))),
        ("selected_risk", LEVEL, 0.5 + 2 * sqrt(6 * log(2))),
        ("grid_size_bound", dict(n=8), 12),
        ("term_a", dict(n=4, gamma=0.5), 1.25 * (4 * log(3840) * log(8) + log(512))),
        ("inverse_budget", dict(n=16, epsilon=2.0, delta=e**-9), 24),
        ("term_b", dict(n=4, epsilon=2.0, delta=e**-8), 16 * sqrt(2 * log(2))),
        ("term_c", dict(n=8), sqrt(log(2))),  # 4 sqrt(log 16) / 8
    ],
    "repetitions": [
        ("not_selected_geometric", dict(r=0.25, size=2), 0.2),  # 1/8 over 5/8
        ("not_selected", dict(eta=-0.5, r=0.3, size=1), 0),  # one candidate is always drawn
        ("largest_r", dict(eta=2, beta=0.01, size=1), 1),
        ("repetitions", dict(beta=0.01, size=1), 0),
        ("cleared_slack", dict(r=0.25, beta=0.5, size=4), 1 / 32),
        ("largest_r_geometric", dict(beta=0.2, size=3), 1 / 8),
        ("repetitions_as_printed", dict(beta=0.2, size=3), 1 / 8),
        ("sufficient_r", dict(beta=0.5, candidates=3, slack=2.0), 1 / 4),
        ("sufficient_r", dict(beta=0.75, candidates=2, slack=1.0), 1 / (1 + 1e-9)),  # 1/3 of a run is one
        ("repetitions_polynomial_with_constant", dict(n=2, alpha=3, size=5, c=2), 12),
        ("relaxation", dict(eta=2, r=0.5, size=2), 4 / 9),
        ("largest_r_as_printed", dict(eta=2, beta=0.25, size=3), 1 / 4),  # 1/2 over 3 + 1/2 - 3/2
        ("largest_r_relaxed", dict(eta=2, beta=0.25, size=3), 1 / 4),
        ("sufficiently_small_r", dict(eta=2, beta=0.25, size=3), 1 / 4),
    ],
    "repetition_growth": [
        ("inverse_r_rearranged", GROWTH, 30 * log(2) + 1),
        ("inverse_r_as_printed", GROWTH, 30 * log(2) + 1),
        ("inverse_r", dict(n=4.0, alpha=1.0, eta=1.0), 2 / 3),  # (1 - 2/3)/2 times 4
        ("expected_repetitions", GROWTH, 4 * (1 - sqrt(2 / 3)) ** 2),
        ("repetitions_rate", GROWTH, 16),
        ("repetitions_of_any_law", dict(n=4, alpha=2, size=2), 4),
    ],
    "tuned_margin": [
        ("tuned_margin_order", dict(**WIDE, epsilon=3.0, delta=16 / e**6), 5.5 + 1 / 64),  # 6 over 1.5, 3/2
        ("tuned_order", dict(**WIDE, epsilon=3.0, delta=126 / e**8), sqrt(8 * log(11520)) / 1.5 + 1.5),
        ("grid_loss_order", dict(**WIDE, mu=3.0, beta=180 / e**9), 3.5),  # 3 over 1.5
        ("tuned_margin_budget", dict(epsilon=3.0, delta=15 / e**8, n=2, size=5), 1 / 8),  # 3/(6 sqrt 16)
        ("margin_budget", dict(epsilon=3.0, delta=15 / e**8, n=2, size=5), 1 / 8),
        ("tuned_margin_order", dict(**TWO, delta=2 / e**3), 4.25),  # 3 + 1 + 1/4
        ("tuned_order", dict(**TWO, delta=3 / e**4), 2 * sqrt(log(48)) + 1),
        (  # |Gamma| (n^2 - 1) is 6 at n = 2 and 45 at n = 4
            "selection_rate",
            dict(first=2, last=4, epsilon=1.0, delta=e**-2),
            2**-0.9 * sqrt(log(45) * (log(45) + 2) / log(6) / (log(6) + 2)),
        ),
        ("grid_loss_order", dict(n=1, mu=2.0, beta=6 / e**4, gammas=[0.5], outliers=[1]), 6),
        ("grid_loss_order", dict(n=1, mu=2.0, beta=12 / e**4, gammas=[0.5, 1.0], outliers=[0, 0]), 1),
        ("grid_loss_order_capped", dict(n=1, mu=2.0, beta=6 / e**4, gammas=[0.5], outliers=[1]), 1),
        ("grid_loss_order_capped", dict(n=4, mu=2.0, beta=30 / e**4, gammas=[1.0], outliers=[0]), 0.25),
        ("inserted_as_printed", dict(n=4, delta=32 / e**6, epsilon=2.0), 9),  # 12 * 6 / 8
        ("inserted", dict(n=4, delta=128 / e**6, epsilon=2.0), 9),
        ("missed_probability", dict(n=4, size=3), 1 / 16),
        ("selection_term_as_printed", dict(n=2, size=2, mu=0.5), 2 * sqrt(2 * log(6))),
        ("selection_in_epsilon", dict(n=2, size=2, epsilon=3.0, delta=8 / e**3), 12),
    ],
    "tuning_costs": [
        (
            "iterating_bound",
            dict(size=4, n=2, epsilon=2.0, delta=e**-4, gamma=0.5),
            16 * (sqrt(log(192)) + sqrt(log(2))),
        ),
        ("tuning_bound", dict(size=2, n=2, epsilon=2.0, delta=4 / e**3, gamma=0.5), 3),
        ("iterations_order", dict(n=3), log(3)),
        ("repetitions_order", dict(n=3), 9 * log(3)),
    ],
}
# n = 100, gamma = 1/2 (a = 2), epsilon = 1/4, R = 1/25, s = 3, in the order of the page
RATES = {
    "SEPARABLE": 0.16 + 0.04 + 0.01,
    "MARGIN_LOSS": 0.16 + 0.04 + 0.01 + 0.04 + 0.02,
    "HINGE_LOSS": 0.1 + 0.2 + 0.4,
    "ADAPTIVE": 0.16 + 0.06,
    "MARGIN_LOSS_BALL": 0.01 + 0.04 + 0.16 + 0.04 + 0.02,
    "HINGE_LOSS_BALL": 0.1 + 0.2 + 0.4,
    "ADAPTIVE_BALL": 0.04 + 0.16 + 0.06 + 0.04 + 0.01,
    "TABLE1_REALIZABLE": 0.16,
    "TABLE1_MARGIN": 0.16 + 0.004 + 0.02,
    "TABLE1_MARGIN_CORRECTED": 0.16 + 0.04 + 0.02,
    "TABLE1_HINGE": 0.4,
    "TABLE1_ADAPTIVE": 0.06 + 0.16,
    "TABLE2_MARGIN": 0.01 + 0.04 + 0.16 + 0.04 + 0.02,
    "TABLE2_HINGE": 0.1 + 0.2 + 0.4,
    "TABLE2_ADAPTIVE": 0.16 + 0.06,
    "SECTION_1_2": 0.2 + 0.16,
}
TABLE = [
    (getattr(import_module(f"lemmata.bounds.wzw25.{module}"), name), at, value)
    for module in POINTS
    for name, at, value in POINTS[module]
]


@pytest.mark.parametrize("name", RATES)
def test_a_rate_has_its_value(name):
    at = {"n": 100, "gamma": 0.5, "a": 2, "epsilon": 0.25, "R": 0.04, "s": 3}
    assert rates.value(getattr(rates, name), **at) == pytest.approx(RATES[name])


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
