"""Formulas at points where they are numbers that can be computed by hand from what the paper prints.

Every value is written down from the statement in the paper (or, for our own constants, from the derivation in the
docstring) with the numbers of its row put in: what a claim sees from one side only is pinned here.
"""

from fractions import Fraction
from math import e, exp, log, pi, sqrt

import numpy as np
import pytest
from flint import arb

from lemmata.bounds.bms22 import (
    bound_sensitivity,
    covers,
    definitions,
    dp_erm,
    dp_erm_proof,
    efficient_learner,
    efficient_learner_proof,
    fast_projection,
    kernel_learner,
    long_minimiser,
    many_hypotheses,
    margin_deviation,
    margin_selection,
    margin_selection_proof,
    matrix_projection,
    phased_sgd as oracle,
    pure_learner,
    pure_learner_proof,
    random_features,
    relative_deviation,
    sign_projection,
)
from lemmata.mechanisms.learners.erm import phased_sgd

# log(1/beta) = 3, log(1/delta) = 16 (to the 3/2: 64, to the 3/4: 8), epsilon m = 4
S = {"m": 16, "epsilon": 0.25, "delta": exp(-16), "beta": exp(-3)}
MB, MEB, MDB = ({n: S[n] for n in names} for names in (("m", "beta"), ("m", "epsilon", "beta"), ("m", "delta", "beta")))
LM, LM2, L2 = 3 + log(16), 3 + log(32), 3 + log(2)  # log(m/beta), log(2m/beta), log(2/beta)
WIDE = {"radius": 3.0, "rho": 2.0}
FOUR = {"norm_bound": 2.0, "radius": 3.0, "rho": 1.5}  # Lambda r/rho = 4
GROUP = {"m": 9, "delta": 6 * exp(-4), "rounds": 3, "epsilon": 0.48}  # T = 8, epsilon_hat = .08, epsilon' = .01
SPREAD = (16 * LM**2 + 3) / 16  # Lambda^2 r^2 log^2(m/beta)/(m rho^2) + log(1/beta)/m
FAT = 1 + 544 * log(578 * 16) / log(2) ** 2 + L2  # M of 544 = 34 m points at beta/2
ALPHA = 16 * LM * (log(80) + 3) / 4
# Theorem 3.2: t = 1/2, 4 rounds, log(2 T/delta) = 16, so tau = 512 log^(1/2)(256/delta^2)/epsilon = 64 TAU; a = 3/2
TRAINED = {"m": 16, "k": 168, "epsilon": 8.0, "delta": 8 * exp(-16)}
TAU = sqrt(32 + log(4))
EXCESS = (
    1.5 * (1 / 2 + 2)
    + 6 * e * sqrt(5 / 12 - 1 / 1536 + 147 * (64 * TAU) ** 2 + sqrt(168) / 2 * TAU)  # sum of 4^-i/(m/2^i): 7/256
    + 28 * (7 + log(4 / 49)) / 128
    + sqrt((7 - log(98)) / 32)
)

TABLE = [
    # Section 3.1: the pure learner
    (pure_learner.printed_excess, {"candidates": 2, "beta": 8 * exp(-5), "epsilon": 0.5, "m": 16}, 4 * 5 / 8),
    (pure_learner.selection_excess, {"candidates": 2, "epsilon": 0.5, "sensitivity": 0.25, "beta": 2 * exp(-3)}, 3),
    (pure_learner.printed_gap, MEB | FOUR | {"margin_loss": 0.25}, sqrt(SPREAD) / 2 + 4 * LM * (log(4) + 3) + SPREAD),
    (pure_learner.printed_rows, MB | FOUR, 16 * LM),
    (pure_learner.projection_rows, MB | FOUR, -(-(log(8 * 49) + 3) * 10368 // 17)),  # t = 1/12
    (pure_learner.log_candidates, {"k": 3} | FOUR, 3 * log(161)),
    (pure_learner.selection_error, MEB | {"log_size": 5.0}, (8 + log(4)) / 2),
    (pure_learner.class_complexity, MB | {"log_size": 5.0}, (8 + log(4)) / 16),
    (pure_learner.excess, {"loss": 0.25, "alpha": 0.25, "complexity": 0.25}, 1.25),
    (pure_learner.selected_norm, {"d": 16, "k": 4, "norm_bound": 2.0}, 12 * sqrt(pi / 2)),
    (pure_learner_proof.trivial_share, MB | FOUR, (log(4) + 3) / (log(80) + 3)),
    (pure_learner_proof.trivial_share_corrected, MB | FOUR, 1 / 6),
    (pure_learner_proof.printed_size, {"k": 2} | FOUR, 6400),
    (pure_learner_proof.log_size_bounds, {"k": 3} | FOUR, (3 * log(80), 3 * log(161))),
    (pure_learner_proof.lattice_size_bound, {"k": 1, "norm_bound": 2.0, "radius": 1.5, "rho": 0.5}, 122),
    (pure_learner_proof.printed_alpha, MEB | FOUR, ALPHA),
    (pure_learner_proof.alpha_for_small_beta, MEB | FOUR, 1140 * ALPHA),
    (pure_learner_proof.enlarged_norm, FOUR, sqrt(13 / 12)),
    (pure_learner_proof.margin_kept, FOUR, 1 / 2),
    (pure_learner_proof.margin_kept_corrected, FOUR, 1),
    (pure_learner_proof.implied_loss_margin, FOUR, 0.975),
    (pure_learner_proof.margin_failure, MB | FOUR, exp(-3) / 4),
    (pure_learner_proof.chain_failure, MEB | FOUR | {"k": 1}, exp(-3) / 4),
    (pure_learner_proof.projection_failure, {"m": 2, "k": 1296} | FOUR, 14 * exp(-(9 / 2 - 1 / 4) / 2)),
    (pure_learner_proof.final_line, {"loss": 0.25, "alpha": 0.5, "complexity": 0.25}, 0.25 + 0.5 + 1 + 2),
    (pure_learner_proof.objective, {"loss": 0.25, "complexity": 0.25}, 0.75),
    (pure_learner_proof.log_union, {"log_size": 5.0, "m": 16, "complexity": 0.25}, 1),
    (covers.unit_ball_volume, {"k": 3}, 4 * pi / 3),
    (covers.smallest_on_a_line, {"ratio": 2.5}, 3),
    # Lemma 3.1 and its proof
    (dp_erm.printed_order, S | {"k": 9, "a": 2.0}, 288.5),
    (dp_erm.corrected_order, S | {"k": 9, "a": 2.0}, 0.5 + 96 * L2),
    (dp_erm.utility_constant, {"substitution": 2.0}, 2 * e * sqrt(3072) + 8 * (1 + 2 / e) / log(2) ** 1.5),
    (dp_erm.printed_gradients, MB, 48 * log(16)),
    (dp_erm.corrected_gradients, MB, 16 * log(16) * L2),
    (dp_erm_proof.allowed_copies, {"delta": 6 * exp(-4), "rounds": 3}, 8),
    (dp_erm_proof.copies_allowance, {"m": 16, "delta": exp(-16), "rounds": 4}, exp(-16) / 8),
    (dp_erm_proof.round_parameters, GROUP, (0.01, 0.75 * exp(-8))),
    (dp_erm_proof.printed_sum, GROUP, (exp(0.08) - 1) / (exp(0.01) - 1)),
    (dp_erm_proof.linear_bound, GROUP, 75 * exp(-8) * (exp(0.08) - 1)),
    (dp_erm_proof.half_bound, GROUP, exp(-4)),
    (dp_erm_proof.printed_sensitivity, {"m": 5, "radius": 3.0, "norm_bound": 2.0, "rho": 0.5}, 1.2),
    (dp_erm_proof.printed_multiplier, {"epsilon": 0.25, "delta": exp(-16)}, 32),
    (dp_erm_proof.round_order, {"m": 16, "k": 9, "epsilon": 0.25, "delta": exp(-16), "a": 2.0}, 6.5),
    (dp_erm_proof.round_excess, {"m": 4, "k": 4, "multiplier": 2.0, "a": 3.0}, 6 * sqrt(32.90625)),
    (dp_erm_proof.round_excess_bound, {"m": 16, "k": 9, "multiplier": 2.0, "a": 2.0}, 2 * sqrt(108.90625)),
    (dp_erm_proof.printed_substitution, S | {"k": 9}, 144.25),
    (dp_erm_proof.corrected_substitution, S | {"k": 9}, 0.25 + 48 * L2),
    (oracle.one_round, {"epsilon": 0.96, "delta": 6 * exp(-4), "rounds": 3}, (0.02, 0.75 * exp(-8))),
    (oracle.base_step, {"n": 4, "k": 4, "multiplier": 2.0, "lipschitz": 0.5, "norm_bound": 3.0}, 6 / sqrt(32.90625)),
    # Theorem 3.2 and its proof
    (efficient_learner.learner_excess, TRAINED | {"beta": 294 * exp(-7), "a": 1.5}, EXCESS),
    (
        kernel_learner.kernel_excess,
        TRAINED | {"beta": 588 * exp(-7), "a": 0.75, "count": 8},
        EXCESS + 0.75 * (7 + log(40 / 49)) ** 0.25,
    ),
    (efficient_learner.printed_rows, S, LM / 48),
    (efficient_learner.corrected_rows, S, LM2 / (16 * L2)),
    (efficient_learner.printed_order, S | {"a": 2.0}, sqrt(3) / 4 + 0.5 + 8 * sqrt(3 * LM)),
    (efficient_learner.corrected_order, S | {"a": 2.0}, sqrt(L2) / 4 + 0.5 + 8 * sqrt(LM2 * L2)),
    (efficient_learner.risk_rate, {"smallest": 1, "largest": 2}, -0.4),
    (efficient_learner.dimension_rate, {"m": 1, "k": 2}, 0.1),
    (efficient_learner.printed_time, S | {"d": 32}, 512 * log(32) + log(16)),
    (efficient_learner.printed_time, S | {"d": 2}, 33 * log(16)),
    (efficient_learner.corrected_time, S | {"d": 32}, 512 * log(64) + 16 * L2 + LM2),
    (efficient_learner_proof.projected_norm, {"gamma": 0.75}, 1.25),
    (efficient_learner_proof.printed_distortion_of_rows, S | {"k": 4}, sqrt(LM) / 2),
    (efficient_learner_proof.distortion_of_rows, S | {"k": 400}, sqrt(LM2) / 20),
    (efficient_learner_proof.printed_distortion, S, 4 * sqrt(3)),
    (efficient_learner_proof.margin_loss, {"gamma": 0.5, "radius": 3.0, "rho": 2.0}, 0.75),
    (efficient_learner_proof.margin_bound, {"m": 8, "confidence": exp(-4), "complexity": 0.5, "rho": 0.25}, 4.5),
    (efficient_learner_proof.linear_complexity, {"m": 16, "norm_bound": 3.0, "radius": 2.0}, 1.5),
    (efficient_learner_proof.printed_deviation, WIDE | {"m": 16, "beta": 6 * exp(-4)}, 2.5),
    (efficient_learner_proof.printed_released_deviation, WIDE | {"m": 16, "beta": 6 * exp(-4)}, 2.5),
    (efficient_learner_proof.released_deviation, WIDE | {"m": 2, "beta": 3 * exp(-4)}, 1 + 6 * sqrt(2)),
    (efficient_learner_proof.printed_training, S | {"a": 2.0}, 0.5 + 8 * sqrt(3 * LM)),
    (efficient_learner_proof.corrected_training, S | {"a": 2.0}, 0.5 + 8 * sqrt(LM2 * L2)),
    (efficient_learner_proof.printed_projected_loss, S | {"a": 2.0}, 8 * sqrt(3)),
    (efficient_learner_proof.projected_loss, S | {"a": 2.0, "rows": 400}, 8 * sqrt(L2)),
    (efficient_learner_proof.minimiser_radius, {"gamma": 0.75}, 1),
    (efficient_learner_proof.corrected_minimiser_radius, {"gamma": 0.75}, 2),
    # Appendix A: deviations and projections
    (relative_deviation.complexity, {"m": 16, "V": 3, "beta": 4 * exp(-5)}, (3 * log(32) + 5) / 16),
    (relative_deviation.relative, {"risk": 0.25, "Q": 0.25}, 1.75),
    (relative_deviation.deviation, {"r": 0.25, "p": 0.5}, 0.125),
    (relative_deviation.thresholds, {"m": 16, "beta": 4 * exp(-5), "empirical": 0.0}, (log(32) + 5) / 4),
    (relative_deviation.halfspaces, {"m": 16, "beta": 4 * exp(-5), "empirical": 0.0}, (2 * log(32) + 5) / 4),
    (relative_deviation.mixture, {"m": 16, "beta": 4 * exp(-5), "empirical": 0.0}, (2 * log(32) + 5) / 4),
    (relative_deviation.stumps, {"m": 16, "beta": 4 * exp(-5), "empirical": 0.0}, (3 * log(32) + 5) / 4),
    (relative_deviation.ghost_reaches, {"m": 7}, 1 / 4),
    (relative_deviation.swapping_tail, {"s": 4, "u": 2}, exp(-1 / 2 - 1 / 48)),
    (margin_deviation.square_of_sum, {"empirical": 0.25, "part": 0.25}, 1),
    (
        margin_deviation.margin_deviation_of_halfspaces,  # 2 c^2 m = 1156, 2 c e m/d = 34 e
        {"m": 2, "beta": exp(-3), "empirical": 0.0},
        (4 + 2 * log(1156) * (log(34) + 1) / log(2) ** 2) / 2,
    ),
    (
        margin_deviation.margin_deviation_derived,  # 3 m^3 = 24
        {"m": 2, "d": 2, "beta": exp(-3), "empirical": 0.0},
        (log(2) + 2 * log(1156) * (log(34) + 1) / log(2) + log(24) + 3) / 2,
    ),
    (margin_deviation.margin_deviation_of_one, {"m": 16, "beta": exp(-3), "empirical": 0.25}, 1),
    (sign_projection.sign_projection_order, MB | {"gamma": 0.5}, 4 * LM),
    (sign_projection.sign_projection_order_corrected, MB | {"gamma": 0.5}, 4 * LM2),
    (sign_projection.sign_projection_tail, {"k": 12, "t": 0.5}, 2 * exp(-1 / 2)),
    (sign_projection.chernoff, {"k": 2, "t": arb(0.5)}, 1.5 * exp(-1 / 2) + 0.875**2 * exp(1 / 6)),  # h = 1/6
    (sign_projection.lower_tail_gap, {"t": 1}, 64 * (1 / 12 - 5 / 32 - 25 / 2048 - 125 / 98304)),  # h = 1/4, x = 5/32
    (sign_projection.pair_vectors, {"m": 3}, 9),
    (sign_projection.doubled_logarithm, MB, (3 + 2 * log(16)) / LM),
    (sign_projection.polarisation, {"gamma": 0.5, "plus": 3, "minus": 1}, 1 / 6),
    (sign_projection.parallelogram, {"gamma": 0.5}, 1 / 6),
    (fast_projection.fast_projection_order, MB | {"gamma": 0.5}, 4 * LM * (LM + log(2))),
    (fast_projection.fast_projection_time, {"d": 8, "k": 5}, 8 * log(8) + 5),
    (fast_projection.fast_projection_moment, {"k": 8, "p": 3.0}, (5 * e + sqrt(25 * e**2 + 20 * e)) / 2),
    (
        fast_projection.failure_by_moments,  # p = 4, q = 8
        {"m": 2, "gamma": 0.5, "beta": 4 * exp(-4), "k": 8},
        4 * (3 * (10.5 * e + sqrt((10.5 * e) ** 2 + 42 * e))) ** 4,
    ),
    (
        fast_projection.failure_of_flat_points,  # d rounded up to 4, R = 10
        {"m": 2, "gamma": 0.5, "beta": 64 * exp(-5), "k": 1080, "d": 3},
        32 * exp(-5) + 8 / e,
    ),
    # Appendix D and kernels
    (matrix_projection.norm_deviation, MB | {"k": 4}, sqrt(LM) / 2),
    (matrix_projection.product_deviation, MB | {"k": 4}, sqrt(LM) / 2),
    (matrix_projection.repaired_deviations, {"m": 5, "k": 20, "beta": 5 * exp(-5)}, (8, 8)),
    (
        matrix_projection.failure_of_deviations,  # the best rate is 1/8
        {"m": 2, "k": 4, "norm": 1.0, "product": 9 / 4},
        4 * exp(-2) + 4 * exp(-3 / 4),
    ),
    (matrix_projection.split_mgf, {"rate": 0.1, "square": 1}, 0.00125 / 0.9 + 0.016875),  # u = .05, v = .15
    (random_features.mean_inner_product, {"mean_cosine": 0.5, "radius": 3.0}, 4.5),
    (random_features.one_pair_tail, {"count": 8, "t": 0.5}, 2 / e),
    (random_features.all_pairs_tail, {"m": 4, "beta": 0.2}, 0.03),
    # Appendix F: choosing a margin
    (margin_selection.corrected_penalty, {"sensitivity": 0.5, "m": 16, "epsilon": 0.25, "beta": 2 * exp(-3)}, 24),
    (margin_selection.corollary_penalty, MEB | {"norm_bound": 2.0, "r": 1.0, "rho": 0.5}, 32 * (log(4) + 3)),
    (margin_selection.trivial_small, MB | {"h_max": 1.0, "rho": 0.125}, (2, 4 * LM**2)),
    (
        margin_selection_proof.bounds_along_capped,  # delta = 1/32, fat = 34 m = 544, theta = log(32/beta) log 8
        MEB | {"loss": 0.25, "ratios": [2.0]},
        (
            [sqrt(4 * LM**2 + 3) / 8 + LM * L2 + (4 * LM**2 + 3) / 16],
            [sqrt(3) / 4 + 0.5 + sqrt(3 * LM) * log(32) ** 0.75],
            [sqrt(FAT) / 4 + FAT / 8 + 16 * FAT * L2],
            [8 * sqrt(3 * LM2 * log(8)) + 768 * LM2 * log(8)],
        ),
    ),
    (margin_selection_proof.halved_margin, {"rho_hat": 0.5, "rho_opt": 0.5, "power": 2}, 16),
    (bound_sensitivity.rate_1, MEB | {"loss": 0.25, "ratio": 4.0}, sqrt(SPREAD) / 2 + 4 * LM * (log(4) + 3) + SPREAD),
    (bound_sensitivity.rate_2, S | {"ratio": 2.0}, sqrt(3) / 4 + 0.5 + 8 * sqrt(3 * LM)),
    (
        bound_sensitivity.fat_term,  # 2 c^2 m = 1156, 2 c e m/d = 34 e
        {"m": 2, "fat": 2, "beta": 2 * exp(-3)},
        4 + 2 * log(1156) * (log(34) + 1) / log(2) ** 2,
    ),
    (bound_sensitivity.rate_4, MEB | {"loss": 0.25, "M": 4.0}, 1 + 64 * L2),
    (
        bound_sensitivity.rate_5,  # theta = log(32/beta) log(9/2), weight 18
        MEB | {"ratio": 2.0, "layers": 2, "width": 4, "eta_norm": 1.5},
        9 * sqrt(LM2 * log(4.5)) + 324 * LM2 * log(4.5),
    ),
    # Appendices G and H, losses
    (many_hypotheses.failure_chance, {"d": 9, "epsilon": 1.0, "m": 8, "rho": 0.5}, 0.9),
    (many_hypotheses.least_inner_product, {"d": 9}, 1 / 8),
    (many_hypotheses.printed_inner_product, {"d": 9}, 1 / 8),
    (many_hypotheses.log2_cube_family, {"d": 8}, 2),
    (many_hypotheses.log_printed_chance, {"epsilon": 0.5, "m": 8, "size": 2}, 2 - log(2)),
    (many_hypotheses.log_halved, {"c": Fraction(2, 3), "d": 9, "epsilon": Fraction(1, 2), "m": 1}, -3),
    (many_hypotheses.printed_dimension, {"c": 0.5}, 7),
    (many_hypotheses.dimension, {"c": 0.5}, 4 * log(10)),
    (many_hypotheses.cube_risk, {"d": 5}, Fraction(11, 16)),
    (many_hypotheses.printed_other_risk, {"d": 5}, 1),
    (long_minimiser.middle_slope, {"gamma": 0.5}, -1 / 8),
    (long_minimiser.zero_one_loss, {"gamma": 0.5}, 1 / 4),
    (definitions.losses, {"u": Fraction(1, 2), "rho": Fraction(2)}, (0, 1, Fraction(3, 4))),
    (definitions.lipschitz_constant, {"rho": 0.25}, 4),
    (efficient_learner.step_order, {"m": 2, "epsilon": 3.0, "delta": exp(-4)}, 3 * 2 * log(2) / 8),
    (random_features.doubled_gap, {"kernel": 0.75, "whole": False}, 1.0),
    (random_features.mass_on_the_records, {"share": 0.25}, 0.25),  # of a law with a quarter of its mass on the records
]


def test_a_step_is_divided_by_the_squared_norm_of_its_record():
    """From 0, on the record (0, 2) with rho = 1: 0.4 * 1/4 * 2 = 0.2; the mean is that of 0 and 0.2."""
    records = [(np.array([[0.0, 2.0]]), np.array([0.25]))] * 2
    mean = phased_sgd.average_iterate(np.zeros((1, 2)), records, rho=1.0, pull=0.4, cap=10.0, norm_bound=5.0)
    assert mean == pytest.approx(np.array([[0.0, 0.1]]))
