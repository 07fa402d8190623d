"""Formulas at points where they are numbers that can be computed by hand from what the paper prints."""

from math import e, erf, exp, inf, log, pi, sqrt

import numpy as np
from flint import arb, ctx

from lemmata.bounds.rbht09 import (
    hinge_dual,
    kernel_accuracy,
    kernel_accuracy_proof,
    kernel_spectra,
    kernel_svm,
    lower_bounds,
    lower_bounds_rbf,
    private_svm,
    random_features,
    svm_accuracy,
    svm_sensitivity,
)

DATABASE = {"n": 8, "C": 3.0, "F": 4, "L": 0.5, "kappa": 2.0}
UTILITY = {"acc": 3.0, "delta": exp(-2), "Phi": 0.5, "F": 3}
GRADIENTS = {"risk_gradient_first": [1.0, 0.0], "risk_gradient_second": [0.0, 2.0]}
NOISE = {"acc": 5.0, "delta": 2 * exp(-4), "count": 9}  # 5/(48 log 2) = .15 against 15/32; at 2 e^-40 15/320
FAINT = {"delta": 2 * exp(-40)}
SMALL = {"acc": exp(-2), "delta": exp(-7), "n": 5}  # log(1/(delta epsilon)) = 9
RUN = {"beta": 0.5, "n": 7, "C": 5.0, "count": 8, "L": 3.0}
FAR, COUNTS = {"low": 2.0**28 - 1, "high": 2.0**28}, {"n": 2**25, "d": 2, "bins": 8, "beta": 16 * e**-3}
LINE = {"delta": 0.2, "acc": 0.25, "C": 9.0, "n": 3}  # sqrt(C)/(2 n) = 1/2
CIRCLE = {"delta": 0.2, "acc": 0.5, "C": 2.0, "n": 5}  # n/(4 C) = 5/8
STEP = {"sigma": 2.0, "acc": (1 - exp(-2)) / 20, "C": 1.0, "n": 10}  # C/(C - 2 n acc) = e^2
FEW = {"count": 1, "d": 1, "diam": 1.0}
PAIR = {"w": [2.0, 2.0], "first": [1.0, 2.0], "second": [0.0, 4.0], "C": 3.0} | GRADIENTS

TABLE = [
    # Definition 1, Theorem 7, Lemmas 6 and 21
    (private_svm.differential_privacy, {"beta": 2.0}, e**2),
    (private_svm.laplace_worst_log_ratio, {"first": [1, 0], "second": [0, 2], "lam": 2}, 1.5),
    (private_svm.noise_scale, DATABASE | {"beta": 0.5}, 6),
    (random_features.truncated_moment, {"R": pi}, 1),
    (kernel_accuracy.end_of_the_chain, {"eta": 0.5, "C": 3.0, "Lambda": 2.0, "L": 5.0}, 16),
    (private_svm.noise_scale_sharp, DATABASE | {"beta": 0.5}, 3),
    (private_svm.textbook_release, {"beta": 0.7}, 0.7),
    (
        private_svm.snapping_epsilon,  # coth(1/2) = (e + 1)/(e - 1)
        {"sensitivity": 2.0**-16, "scale": 2.0, "bound": 2.0**30, "F": 3},
        2.0**-17 + 20 * (e + 1) / (e - 1) * 2.0**-24 * 1.001 * 3,
    ),
    (private_svm.concentration_epsilon, {"rho": 4.0, "delta": exp(-9)}, 16),
    # sqrt(F) D / (2 s^2) = 1 leaves epsilon 0, where the curve at mu = D / s = 2 is 2 Phi(1) - 1
    (
        private_svm.discrete_gaussian_delta,
        {"epsilon": 1.0, "shift": 4.0, "steps": 2.0, "F": 4},
        exp(1 / 24) * erf(1 / sqrt(2)),
    ),
    (private_svm.grid_scale, {"sensitivity": 1.0, "grid": 0.25, "F": 4, "beta": 0.5}, 4),
    (svm_sensitivity.weight_sensitivity_smooth, DATABASE, 3),
    (svm_sensitivity.weight_sensitivity_smooth_sharp, DATABASE, 1.5),
    (svm_sensitivity.weight_sensitivity, DATABASE, 3),
    (svm_sensitivity.weight_sensitivity_sharp, DATABASE, 1.5),
    (svm_sensitivity.auxiliary_gradient, PAIR, [5, -8]),
    (svm_sensitivity.auxiliary_risk, PAIR, 22),
    (svm_sensitivity.stability_right_side, {"L": 0.5, "sup_distance": 3.0}, 3),
    (svm_sensitivity.weight_distance, {"n": 8, "C": 3.0, "L": 0.5, "kappa": 2.0}, 1.5),
    (svm_sensitivity.norm_ratio, {"F": 9}, 3),
    (svm_sensitivity.auxiliary_display, {"n": 8, "C": 2.0, "g": 1.0, "squared_distance": 3.0}, 7),
    (svm_sensitivity.auxiliary_display_corrected, {"n": 8, "C": 2.0, "g": 1.0, "squared_distance": 3.0}, 5),
    # Theorem 8 and Footnote 5
    (svm_accuracy.usefulness, {"delta": 0.3}, 0.3),
    (svm_accuracy.useful_scale_defined, UTILITY, 3 / (3 * log(2) + 2)),
    (svm_accuracy.useful_scale, UTILITY, 3 / (3 * log(2) + 2)),
    (svm_accuracy.useful_scale_corrected, UTILITY | {"delta": 1 - exp(-2)}, 3 / (3 * log(2) + 2)),
    (svm_accuracy.useful_scale_half, UTILITY, 3 / (2 * log(2) + 2)),
    (svm_accuracy.useful_scale_exact, UTILITY | {"F": 1}, 3),
    (svm_accuracy.sup_distance, {"mu": np.array([1.0, -2.0]), "Phi": 0.5}, 1.5),
    (svm_accuracy.erlang_mgf, {"F": 3, "lam": 2.0, "t": 0.25}, 8),
    (svm_accuracy.chernoff_tail, {"acc": 4.0, "lam": 0.5, "Phi": 2.0, "F": 3}, 8 * exp(-2)),
    (svm_accuracy.erlang_density, {"x": 2.0, "q": 3, "lam": 2.0}, 1 / (4 * e)),
    (svm_accuracy.erlang_density, {"x": 0.0, "q": 1, "lam": 2.0}, 0.5),
    (svm_accuracy.erlang_density, {"x": 0.0, "q": 2, "lam": 2.0}, 0),
    (svm_accuracy.erlang_cdf, {"x": 2.0, "q": 2, "lam": 2.0}, 1 - 2 / e),
    (svm_accuracy.erlang_mean, {"q": 3, "lam": 2.0}, 6),
    (svm_accuracy.erlang_variance, {"q": 3, "lam": 2.0}, 12),
    (svm_accuracy.magnitude_scale, {"lam": 4.0}, 0.25),
    (svm_accuracy.magnitude_scale_corrected, {"lam": 4.0}, 4),
    # Lemma 13
    (
        random_features.uniform_features,
        {"d": 2, "eps": 0.5, "delta": 0.25, "sigma_p": 3.0, "diam": 2.0},
        64 * log(2**8 * 36 * 16),
    ),
    (
        random_features.uniform_features,
        {"d": 2, "eps": 0.5, "delta": 0.25, "sigma_p": 2.0, "diam": 0.5},
        64 * log(2**8 * 16),
    ),
    (random_features.uniform_features, {"d": 2, "eps": 0.5, "delta": 0.25, "sigma_p": 0.0, "diam": 0.5}, -inf),
    (random_features.uniform_features, {"d": 2, "eps": 0.5, "delta": 0.25, "sigma_p": 2.0, "diam": 0.0}, -inf),
    (random_features.markov_failure, {"eps": 0.5, "q": 3.0}, 2.25),
    (random_features.chernoff_failure, {"count": 3, "eps": 1.0, "q": 1.0}, (3 / 4) ** 1.5),
    (random_features.net_failure, {"count": 64, "d": 1, "eps": 1.0, "q": 0.5, "y": 4.0}, 18 * exp(-8) + 1 / 257),
    (random_features.net_failure, {"count": 1, "d": 1, "eps": 1.0, "q": 1.0, "y": 3.0}, 1 + 1 / 2),
    (random_features.chernoff_failure, {"count": 3, "eps": 1.0, "q": 0.0}, 0),
    (random_features.chernoff_failure, {"count": 3, "eps": 2.0, "q": 0.5}, 1 / 64),  # the coin is sure: mean^3
    (random_features.uniform_failure, FEW | {"eps": 2.5, "sigma_p": 5.0}, 0),
    (random_features.uniform_failure, FEW | {"eps": 1.0, "sigma_p": 0.0}, 0),
    (random_features.uniform_failure, FEW | {"eps": 1.0, "sigma_p": 0.25}, 1 / 32),  # Markov
    (random_features.uniform_failure, FEW | {"eps": 1.0, "sigma_p": sqrt(1.5)}, 0.75),
    (random_features.uniform_failure, FEW | {"count": 10, "eps": 1.0, "sigma_p": sqrt(3)}, 1),  # beyond q^2 eps = 2
    # Remark 3, Corollary 9, Section 4's costs, Definitions 4 and 5
    (kernel_svm.risk_distance, {"acc": 0.3}, 0.3),
    (kernel_svm.features_noise_scale, RUN, 480 / 7),
    (kernel_svm.features_noise_scale_sharp, RUN, 240 / 7),
    (kernel_svm.gram_order, {"n": 3, "d": 5, "count": 7}, 63),
    (kernel_svm.features_order, {"acc": 0.5, "delta": exp(-3), "d": 5}, 80 * (3 + log(2))),
    (kernel_svm.translation_invariant, {"g": lambda z: z**2 + z, "x": 3, "y": 5}, 2),
    (lower_bounds.optimal_privacy, {"log_ratios": [[1.0, 3.0], [2.0, 0.5], [4.0, 2.5]]}, 2),
    (lower_bounds.optimal_privacy, {"log_ratios": [[0.5, 4.0], [1.0, 2.0]]}, 2),
    # Lemma 10, Theorem 14, Corollary 15, Theorem 16
    (kernel_accuracy.noise_range_logarithm, NOISE, 5 / (16 * log(6))),
    (kernel_accuracy.noise_range_logarithm, NOISE | FAINT, 3 / 64),
    (kernel_accuracy.point_tail, {"acc": 2.0, "lam": 0.25, "count": 2}, 8 * exp(-2)),
    (kernel_accuracy.drift_tail, {"acc": 0.5, "lam": 0.25, "count": 9, "sigma_p": 3.0, "r": 2.0}, 72),
    (kernel_accuracy.net_points, {"d": 2, "diam": 3.0, "r": 0.5}, 169),
    (kernel_accuracy.useful_noise, NOISE | {"d": 4}, 5 / (48 * log(2))),
    (kernel_accuracy.useful_noise, NOISE | FAINT | {"d": 4}, 1 / 32),
    (kernel_accuracy.useful_noise_defined, NOISE | {"d": 4}, 5 / (48 * log(2))),
    (kernel_accuracy.useful_noise_defined, NOISE | FAINT | {"d": 4}, 1 / 32),
    (hinge_dual.hinge_noise, NOISE, 5 / (48 * log(2))),
    (hinge_dual.hinge_noise, NOISE | FAINT, 3 / 64),
    (hinge_dual.hinge_noise_defined, NOISE, 5 / (48 * log(2))),
    (hinge_dual.hinge_noise_defined, NOISE | FAINT, 3 / 64),
    (hinge_dual.theta_stated, {"acc": 3.0, "C": 2.0}, 81 / 65536),
    (hinge_dual.theta_stated, {"acc": 20.0, "C": 2.0}, 1),
    (hinge_dual.privacy_order, SMALL, 3 * (2 + 81) * exp(6) / 5),
    (hinge_dual.first_case_noise, {"acc": 3.0, "count": 25}, 3 / (80 * log(2))),
    (hinge_dual.first_case_order, SMALL, 3 * (2 + 81) * exp(6) / 5),
    # Theorem 18, Lemma 19, Theorem 20
    (lower_bounds.line_level_defined, LINE, log(4)),
    (lower_bounds.region_level, LINE | {"R": 3.0}, log(4)),
    (lower_bounds.least_failure, {"beta": 3.0}, exp(-3)),
    (lower_bounds.wrong_ball_strict, {"delta": 0.3}, 0.3),
    (lower_bounds_rbf.first_when_last_full, {"C": 2.0, "n": 4, "gamma": 0.5}, 5 / 36),
    (lower_bounds_rbf.case_one_excluded, {"C": 6.0, "gamma": 0.25}, 3),
    (lower_bounds_rbf.nearest_kernel_printed, {"sine": 0.6, "sigma": 3.0}, exp(0.36 - 2 / 9)),
    (lower_bounds_rbf.circle_level_printed, CIRCLE | {"sigma": 0.3}, log(40)),  # N = 11 of 11.3
    (  # N - 1 > 30/4 takes N = 9
        lower_bounds_rbf.impossible_sigma_printed,
        CIRCLE | {"beta": log(30)},
        2 / 9 * sqrt(2 / log(2)),
    ),
    (lower_bounds_rbf.impossible_sigma_printed, CIRCLE | {"beta": log(4)}, sqrt(1 / (2 * log(2)))),
    (lower_bounds_rbf.least_databases_printed, {}, 5),
    (lower_bounds_rbf.circle_databases, {"sigma": lower_bounds_rbf.WIDEST * (1 - 1e-9)}, 4),
    (lower_bounds_rbf.packing_step, STEP, 4 * (1 + 1e-6)),
    (lower_bounds_rbf.diameter_level, STEP | {"delta": 0.2, "diameter": 3.9}, 0),
    (lower_bounds_rbf.diameter_level, STEP | {"delta": 0.2, "diameter": 5.0}, log(4)),  # two databases
    (lower_bounds_rbf.diameter_level, STEP | {"delta": 0.2, "diameter": 9.0}, log(8)),
    (lower_bounds_rbf.thinnest_ball_strict, {"delta": 0.3, "N": 4}, 0.1),
    # Table 1 and the transform of Algorithm 3
    # Errors of statistics: whole powers of two, so that every term is seen
    (private_svm.mean_error, FAR | {"n": 1, "d": 1, "beta": 1 / e, "epsilon": 2.0**20}, 4 * 2.0**-20),
    (
        private_svm.mean_error,
        FAR | {"n": 2**25, "d": 4, "beta": 4 * e**-2, "mu": 2.0},
        2.0**-20 + 9 * 2.0**-24 + 2.0**-44,
    ),
    (private_svm.histogram_error, COUNTS | {"epsilon": 2.0**20}, 0.5 + 31 * 2.0**-21),
    (private_svm.histogram_error, COUNTS | {"mu": 2.0}, 0.5 + sqrt(6) + 2.0**-19),
    (private_svm.quantile_error, {"quantiles": 3, "cells": 5, "beta": 15 * e**-4, "epsilon": 2.0}, 12),
    (kernel_spectra.rbf_profile, {"point": [1.0, 2.0], "sigma": 2.0}, exp(-5 / 8)),
    (kernel_spectra.rbf_density, {"point": [1.0, 2.0], "sigma": 2.0}, exp(-5 / 2) / (2 * pi)),
    (kernel_spectra.rbf_density, {"point": [arb(1), arb(2)], "sigma": 2.0}, exp(-5 / 2) / (2 * pi)),
    (kernel_spectra.rbf_density_scaled, {"point": [1.0], "sigma": 2.0}, 2 * exp(-2) / sqrt(2 * pi)),
    (kernel_spectra.laplacian_profile, {"point": [1.0, -2.0]}, exp(-3)),
    (kernel_spectra.laplacian_density, {"point": [1.0, 2.0]}, 1 / (10 * pi**2)),
    (kernel_spectra.cauchy_profile, {"point": [1.0, 2.0]}, 0.4),
    (kernel_spectra.cauchy_profile_normalised, {"point": [1.0, 2.0]}, 0.1),
    (kernel_spectra.cauchy_measure, {"point": [1.0, -2.0]}, exp(-3)),
    (kernel_spectra.cauchy_density, {"point": [1.0, -2.0]}, exp(-3) / 4),
    (kernel_spectra.rbf_mass, {"d": 2, "sigma": 2.0}, 1),
    (kernel_spectra.laplacian_mass, {"d": 2}, 1),
    (kernel_spectra.cauchy_mass, {"d": 2}, 1),
    (kernel_spectra.transform_constant, {"d": 2}, 0.5),
    (kernel_spectra.transform_constant_inverse, {"d": 2}, 1 / (4 * pi**2)),
    (kernel_spectra.table_constant, {"d": 2}, 0.5),
    (kernel_spectra.table_constant_inverse, {"d": 2}, 1 / (4 * pi**2)),
    (kernel_accuracy_proof.independent_chance, {"conditional": 0.5, "atoms": True}, 0.5),  # Pr(C) = Pr(C | A)
    (kernel_accuracy_proof.joint_chance, {"conditional": 0.5, "event": 0.25}, 0.125),
]


def test_one_ball_among_the_coordinates_is_enough_for_a_ball():
    with ctx.workprec(200):
        assert abs(kernel_spectra.rbf_density(point=[arb(0), 0.0], sigma=1.0) * 2 * arb.pi() - 1) < 1e-50
