"""Printed formulas that no row pins, as they are refuted, slips or definitions, at points worked out by hand."""

from math import erf, exp, inf, log, pi, sqrt

import numpy as np
from flint import arb
from scipy.special import log_ndtr, ndtr

from lemmata.bounds.bms22 import (
    bound_sensitivity,
    definitions,
    dp_erm,
    dp_erm_proof,
    efficient_learner,
    exponential_mechanism,
    fast_projection,
    kernel_learner,
    label_privacy,
    long_minimiser,
    many_hypotheses,
    margin_deviation,
    margin_selection,
    margin_selection_proof as selection_proof,
    matrix_projection,
    network,
    network_cover,
    network_embedding as embedding,
    network_selection as cover,
    phased_sgd,
    polynomial_kernels,
    pure_learner,
    pure_learner_proof,
    random_features,
    relative_deviation,
    sign_projection,
)

# log(1/beta) = 3, log(1/delta) = 16 (to the 3/4: 8), epsilon m = 4, log(m/beta) = 3 + log 16
S = {"m": 16, "epsilon": 0.25, "delta": exp(-16), "beta": exp(-3)}
LM = 3 + log(16)
ORDER = sqrt(3) / 4 + 0.5 + 8 * sqrt(3 * LM)  # Theorem 3.2's bracket at Lambda r/rho = 2
SCALES = {"radius": 3.0, "norm_bound": 2.0, "rho": 0.5}
# log(2/beta) = 3, 2 c^2 m = 4624, 2 c e m/d = 136 e
FAT = {"m": 8, "d": 2}
COVER = 1 + 2 * log(4624) * (log(136) + 1) / log(2) ** 2
M = COVER + 3
# L = 2: r/rho = 6, (eta Lambda)^2 = 9, (2 eta Lambda)^2 = 36, so r (2 eta Lambda)^L/rho = 216, its square 46656
SHAPE = SCALES | {"eta": 1.5, "layers": 2}
SAMPLE = SHAPE | {"m": 16, "beta": exp(-3)}
LLM, LOG = 3 + log(32), log(54)  # log(Lm/beta), log(r (eta Lambda)^L/rho)
LAWS = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.15, 0.05, 0.8]])
PENALTY = {"m": 16, "epsilon": 0.25, "beta": exp(-3)}
PAST = 4 + log(2) + 1024 * log(578 * 16) * (1 - log(32 / 17)) / log(2) ** 2  # M of d = 64 m at beta/2, 2 c m/d = 17/32

# Algorithm 3 at m = 4, M = 4: log(2M/delta) = 4, log(1/delta') = 8; tau = 1/16 at ONE, and eta_1 = 1/3 for these k
FAR, ONE = {"m": 4, "delta": 8 * exp(-4), "beta": 12 * exp(-3.5)}, 2048 * sqrt(8)
LEAST = (1 - 8 * ndtr(-8 / sqrt(17))) / 256
FLAT = {"m": 1, "gamma": 0.9, "beta": 4 * exp(-3)}
ALIKE = {"m": 2, "epsilon": 1.0, "alpha": 0.0}


def label_bounds(**at):
    return selection_proof.bounds_along_capped(**at)[2]


def same_features(universe):
    return exponential_mechanism.label_pairs(universe, 1)[1]


TABLE = [
    (many_hypotheses.largest_inner_product, {"d": 64}, 1 / 8),
    (network.rows_of_the_main_text, SHAPE, 46656),
    (network.resolution_of_the_main_text, SHAPE, 1 / 864),  # (4 eta Lambda)^2 = 144
    (random_features.fastfood_order, {"m": 3, "d": 8}, 33 * log(2)),
    (network_cover.distance_to_the_cover, SHAPE, 0.25),
    (network_cover.loss_of_the_cover, {"margin_loss": 0.3}, 0.3),
    (long_minimiser.empirical_norm, {"m": 4, "gamma": 0.1, "wrong": 1}, 4),
    (  # M at beta/2 has log(2/beta) = 3 for beta = 2 e^-3; R = 1/4
        label_privacy.bound_without_privacy,
        FAT | {"beta": 2 * exp(-3), "margin_loss": 0.25},
        0.25 + 2 * sqrt(M / 32) + M / 4,
    ),
    # Definitions 2.1 and 6.1: twice q below p in (0, 1) by .3, in (1, 2) by .5 and in (2, 1) by .2
    (definitions.smallest_epsilon, {"laws": [[0.0, 0.4, 0.6], [0.0, 0.6, 0.4]], "pairs": [(0, 1)]}, log(1.5)),
    (definitions.smallest_epsilon, {"laws": [[1.0, 0.0], [0.5, 0.5]], "pairs": [(0, 1)]}, inf),
    (definitions.hinge_loss, {"u": 3.0, "rho": 2.0}, 0),
    # One of two records is drawn never, once, twice: 1/4, 1/2, 1/4. delta_mu(0) = 2 Phi(mu/2) - 1
    (
        dp_erm.rounds_delta,
        {"m": 2, "rounds": 1, "multiplier": 0.5, "epsilon": 1e-13},
        (1 + 1e-9) * (erf(2 / 2 / sqrt(2)) / 2 + erf(4 / 2 / sqrt(2)) / 4),
    ),
    (dp_erm.rounds_delta, {"m": 2, "rounds": 60, "multiplier": 0.01, "epsilon": 1e-13}, 1),
    # Derived bounds that hold with room
    (dp_erm.sides, {"rounds": 1, "edge": 0.25, "odds": 3.0}, (0.25, 0.75)),
    (dp_erm.sides, {"rounds": 2, "edge": 0.25, "odds": 3.0}, (3 / 32, 29 / 32)),
    (dp_erm.utility_constant, {"substitution": 2.0}, 2 * exp(1) * sqrt(3072) + 8 * (1 + 2 * exp(-1)) / log(2) ** 1.5),
    (dp_erm.utility_constant, {"substitution": 0.5}, exp(1) * sqrt(3072) + 8 * (1 + 2 * exp(-1)) / log(2) ** 1.5),
    (kernel_learner.utility_constant, {"efficient": 3.0}, 14),
    (kernel_learner.far_tail, FAR | {"k": 256, "epsilon": 4 * ONE}, (1 / 256, 3 * log(2) + log_ndtr(-32 / sqrt(17)))),
    (kernel_learner.far_tail, FAR | {"k": 16, "epsilon": ONE}, (LEAST, 3 * log(2) + log_ndtr(-8 / sqrt(17)))),
    (kernel_learner.far_tail, FAR | {"k": 4, "epsilon": ONE / 2}, (0, 3 * log(2) + log_ndtr(-4 / sqrt(17)))),
    (same_features, {"universe": [(0, 1), (0, -1), (1, 1)]}, [[0, 1]]),
    (exponential_mechanism.two_level_failure, {"candidates": 3, "excess": 0, "epsilon": 1, "sensitivity": 1}, 2 / 3),
    (fast_projection.fast_projection_rows, FLAT | {"d": 5}, 1016),  # 200 (3 + log 8)
    (fast_projection.fast_projection_rows, FLAT | {"d": 4}, 878),  # 200 (3 + log 4)
    (
        label_privacy.selection_loss,  # 2 c^2 m = 1156, 2 c e m/d = 34 e
        {"m": 2, "d": 2, "epsilon": 0.5, "beta": 2 * exp(-3)},
        32 * (4 + 2 * log(1156) * (log(34) + 1) / log(2) ** 2) / 2 * 3 / 0.5,
    ),
    (many_hypotheses.family, {"d": 2, "size": 2}, [[1, 0], [-1, 0], [-207 / 305, 224 / 305]]),
    (margin_selection.trivial_small, {"h_max": 6.0, "rho": 2.0, "m": 4, "beta": 4 * exp(-2)}, (1.5, 9)),
    (margin_selection.trivial_small, {"h_max": 3.0, "rho": 2.0, "m": 2, "beta": 0.5}, (1.5 / sqrt(2), inf)),
    (matrix_projection.all_signs_equal, {"p": 4}, (1 / 8, 3)),
    (cover.log_unit_volume, {"n": 2}, log(pi)),
    (cover.log_unit_volume, {"n": 4}, log(pi**2 / 2)),
    (phased_sgd.base_step, {"n": 1, "k": 2, "multiplier": 1.0, "lipschitz": 1.0, "norm_bound": 1.0}, 0),
    (pure_learner_proof.log_worst_selection, ALIKE | {"log_size": log(3)}, log(2 / 3)),
    (pure_learner_proof.log_worst_selection, ALIKE | {"log_size": log(2)}, log(1 / 2)),
    (
        label_bounds,  # fat = 32^2 < 34 m: 2 c^2 m = 36992, 2 c e m/d = 2.125 e; M/32 + 3 M
        {"m": 64, "epsilon": 1.0, "beta": 2 * exp(-3), "loss": 0.0, "ratios": [1.0]},
        [(3 + 1 / 32) * (4 + 1024 * log(36992) * (log(2.125) + 1) / log(2) ** 2)],
    ),
    (pure_learner_proof.log_worst_selection, ALIKE | {"log_size": 0.0}, -inf),
    (relative_deviation.union_over_patterns, {"m": 2, "V": 0, "beta": 4 * exp(-2)}, 4 * exp(-8 / 3)),
    (sign_projection.least_distortion, {"u": (1, 2), "k": 1}, 0.8),
    (sign_projection.least_distortion, {"u": (1, 1, 1), "k": 1}, 2 / 3),
    (sign_projection.order_bound, {"gamma": 0.5, "logs": 2, "least_log": 0.25, "scale": 9, "curvature": 0.5}, 25),
    (bound_sensitivity.sensitivity_4, {"m": 4, "M": 9.0}, 1),
    (definitions.smallest_delta, {"laws": LAWS, "pairs": [(0, 1)], "epsilon": log(2)}, 0.3),
    (definitions.smallest_delta, {"laws": LAWS, "pairs": [(1, 0)], "epsilon": log(2)}, 0.3),
    (definitions.smallest_delta, {"laws": LAWS, "pairs": [(0, 1), (2, 1)], "epsilon": log(2)}, 0.5),
    (definitions.smallest_label_delta, {"laws": LAWS, "pairs": [(0, 1)], "epsilon": log(2)}, 0.3),
    # Section 3: budgets, the score's sensitivity, the norm of the output
    (pure_learner.selection_epsilon, {"epsilon": 0.7}, 0.7),
    (pure_learner.learner_epsilon, {"epsilon": 0.7}, 0.7),
    (pure_learner.printed_norm, SCALES | {"d": 9, "m": 16, "beta": 0.1, "radius": 4.0}, 3 / 8),
    (dp_erm.calibrated_privacy, S | SCALES, 0.25),
    (efficient_learner.calibrated_privacy, S | SCALES, 0.25),
    (dp_erm_proof.score_sensitivity, SCALES | {"m": 5}, 13 / 5),
    (dp_erm_proof.score_sensitivity, SCALES | {"m": 5, "rho": 24.0}, 0.1),
    # Section 4: kernels
    (kernel_learner.printed_privacy, S | SCALES, 0.25),
    (kernel_learner.privacy_in_range, S | SCALES, 0.25),
    (kernel_learner.printed_order, S | {"a": 2.0}, ORDER),
    (polynomial_kernels.printed_dimension, {"d": 3, "degree": 4}, 81),
    (polynomial_kernels.printed_largest, {"degree": 3, "constant": 0.7, "radius": 2.0}, 8),
    (  # Lambda r^p/rho = 3 * 8/12
        polynomial_kernels.printed_polynomial_order,
        S | {"degree": 3, "constant": 0.7, "radius": 2.0, "norm_bound": 3.0, "rho": 12.0},
        ORDER,
    ),
    # Section 5 and Appendix D: networks
    (network.learner_epsilon, {"epsilon": 0.7}, 0.7),
    (
        network.printed_gap,  # 216 sqrt(5 theta)/4, 46656 * 5 theta/4
        SAMPLE | {"width": 5, "epsilon": 0.25},
        54 * sqrt(5 * LLM * LOG) + 58320 * LLM * LOG,
    ),
    (embedding.printed_rows, SAMPLE, 46656 * LLM),
    (embedding.printed_distance, SAMPLE | {"k": 9.0}, 36 * sqrt(LLM)),
    (embedding.unravelled, {"norm_bound": 2.0, "radius": 3.0, "eta": 1.5, "layers": 3, "tau": 0.25}, 54),
    (network_cover.distance_within_the_cover, {"resolution": 0.3}, 0.3),
    (network_cover.enlargement, {"k": 3, "width": 5}, 2),
    (cover.printed_selection, SAMPLE | {"width": 5, "epsilon": 0.25}, 58320 * LLM * log(864)),  # 6 * 12^2
    (cover.printed_deviation, SAMPLE | {"width": 5}, 54 * sqrt(5 * LLM * LOG)),
    (cover.printed_size, {"k": 2, "width": 3, "layers": 9, "norm_bound": 2.0, "resolution": 4.0}, 1.5**6),
    (cover.printed_log_size, SHAPE | {"k": 7, "width": 5}, 35 * LOG),
    # Section 6: label privacy
    (label_privacy.label_epsilon, {"epsilon": 0.7}, 0.7),
    (
        label_privacy.label_bound,  # 2 sqrt(M/4 m) + 2 M/m + 64 * 3 M/4
        FAT | {"beta": 2 * exp(-3), "epsilon": 0.5, "margin_loss": 0.25},
        0.25 + sqrt(M / 8) + M / 4 + 48 * M,
    ),
    (label_privacy.small_sample, FAT | {"beta": 2 * exp(-3), "epsilon": 0.5}, 64 * M * 3 / 0.5),
    (label_privacy.distance_to_the_cover, {"rho": 0.6}, 0.3),
    (label_privacy.least_loss_of_the_cover, {"margin_loss": 0.3}, 0.3),
    (label_privacy.least_margin_loss_of_the_cover, {"margin_loss": 0.3}, 0.3),
    (label_privacy.log_cover_size, FAT, COVER),
    (label_privacy.log_cover_size, {"m": arb(8), "d": arb(2)}, COVER),
    # Appendix A
    (margin_deviation.margin_deviation, FAT | {"beta": exp(-3), "empirical": 0.25}, 0.25 + sqrt(M / 8) + M / 8),
    (relative_deviation.vc_of_classifiers, {"patterns": [[0, 0], [0, 1], [1, 1]]}, 1),
    (relative_deviation.vc_of_classifiers, {"patterns": [[0, 0], [0, 1], [1, 0], [1, 1]]}, 2),
    (
        relative_deviation.vc_of_classifiers,
        {"patterns": [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 1]]},
        2,
    ),  # first and last
    # Appendix F: choosing a margin
    (margin_selection.selection_budget, {"epsilon": 0.25, "delta": 0.1}, (0.5, 0.1)),
    (margin_selection.printed_penalty, PENALTY | {"sensitivity": 0.75}, 3 * (log(log(16)) + 3)),
    (
        margin_selection.corollary_order,
        PENALTY | {"norm_bound": 2.0, "r": 3.0, "rho": 0.5},
        3 * (log(log(16)) + 3),
    ),
    (margin_selection.grid_size, {"m": 4}, 1),  # the least J with 4^J >= m, and at least 1
    (margin_selection.grid_size, {"m": 5}, 2),
    (margin_selection.grid_size, {"m": 16}, 2),
    (margin_selection.grid_size, {"m": 17}, 3),
    (margin_selection.grid_size, {"m": 100, "rounding": "floor"}, 3),  # 3.3
    (margin_selection.grid_size, {"m": 2, "base": "e"}, 1),
    (selection_proof.margins, {"m": 16, "h_max": 3.0}, [1.5, 0.75]),
    (selection_proof.grid_point, {"m": 100, "rho": 0.3}, 0.25),
    (selection_proof.grid_point, {"m": 100, "rho": 0.25}, 0.25),
    (selection_proof.grid_point, {"m": 100, "rho": 1.0}, None),
    (selection_proof.grid_point, {"m": 100, "rho": 0.2}, 0.125),  # J = 3 of 2.3, or 2
    (selection_proof.grid_point, {"m": 100, "rho": 0.2, "rounding": "floor"}, None),
    (selection_proof.grid_point, {"m": 100, "rho": 0.11}, None),
    (selection_proof.grid_point, {"m": 100, "rho": 0.11, "base": "2"}, 0.0625),  # J = 4 of 3.3, or 3
    (selection_proof.grid_point, {"m": 100, "rho": 0.11, "base": "2", "rounding": "floor"}, None),
    (selection_proof.printed_choice, PENALTY | {"sensitivity": 0.75}, 3 * (log(log(16)) + 3)),
    (selection_proof.half_sensitivity, {"rho_hat": 0.4, "rho_opt": 0.6, "power": 2}, 0.09),
    (selection_proof.raised_loss, {"rho": 0.5, "loss_hat": 0.1, "loss_opt": 0.3, "power": 3, "slope": -2.0}, 7.4),
    (selection_proof.printed_confidence, {"m": 16, "beta": 0.3}, 0.3),
    (selection_proof.trivial_below, S | {"h_max": 3.0, "rho": 1.5, "loss": 0.1}, 0.1 + ORDER),
    (  # fat = 32^2 = 64 m, M beyond its largest value; delta = 1/32, theta = log(32/beta) log 4
        selection_proof.bounds_along,
        PENALTY | {"loss": 0.25, "ratios": [1.0]},
        (
            [sqrt(LM**2 + 3) / 8 + 3 * LM / 4 + (LM**2 + 3) / 16],
            [sqrt(3) / 4 + 0.25 + sqrt(3 * LM) * log(32) ** 0.75 / 2],
            [sqrt(PAST) / 4 + PAST / 8 + 16 * PAST * (3 + log(2))],
            [4 * sqrt(3 * LLM * log(4)) + 192 * LLM * log(4)],
        ),
    ),
    (
        selection_proof.rising_sensitivities,
        {"m": 16, "ratio": 2.0, "beta": exp(-3), "M": 9.0},
        ((1 + sqrt(4 * LM**2 + 3)) / 16, 3 / 16, 3 / 16, 7 / 16, 1 / 16),
    ),
    (
        selection_proof.rising_sensitivities,
        {"m": 16, "ratio": 0.25, "beta": exp(-3), "M": 9.0},
        ((1 + sqrt(LM**2 / 16 + 3)) / 16, 1 / 32, 1 / 32, 7 / 16, 1 / 16),
    ),
    # Appendix G
    (many_hypotheses.printed_best_chance, {"d": 5}, 1),
]
