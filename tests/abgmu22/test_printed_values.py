"""Formulas at points where they are numbers that can be computed by hand from what the paper prints."""

from math import exp, log, pi, sqrt

from scipy.special import lambertw

from lemmata.bounds.abgmu22 import (
    concentration as conc,
    confidence_boosting as boost,
    confidence_boosting_proof as boosted,
    grid_output_proof as boosted_grid,
    rates,
    rates_proof as proof,
)

# log(4/beta) = 3, log(2/beta) = 3 - log 2; K = log(8n/beta) = 3 + log 2 + log n
B = {"n": 16, "beta": 4 * exp(-3)}
SIZES = B | {"gamma": 2.0, "smoothness": 9.0, "label_bound": 4.0}  # gamma sqrt H = 6
L2, K = 3 - log(2), 3 + log(32)
T = 6 * K / (4 * sqrt(32))
R = 2 * sqrt(K) / 4 + (2 + 2 * sqrt(2)) * T + 2 * T**2

# m = 3, chunks of 4: log(4/beta) = 3 again; g = 6, Y = 4, n' = 4, K = log(8 * 3 * 4 / beta)
M = SIZES | {"candidates": 3}
KB = 3 + log(24)
ETA = 6 * KB / 2
RATE = M | {"epsilon": 0.5, "loss_bound": 8.0, "err": 0.25}
PRINTED = 0.25 + 2 + 1 + 32 * 6 + 16 + 128 * 36 / 16
LEVEL = 84 * log(2)
AROUND = 2 * sqrt(6 / 2**40) * LEVEL + (sqrt(2 * LEVEL) + 0.4) * 6 * LEVEL * sqrt(21) / 2**40 + 27.3 * LEVEL / 2**40

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
    (conc.empirical_level_corrected, SIZES | {"loss_bound": 24.0, "population": 2.0}, 2 * (1 + T) + 16 * (R + T) + K),
    (conc.population_level_corrected, SIZES | {"empirical": 2.0}, (1 + T) * (2 + 16 * (R + T + T**2))),
    (conc.all_below, B, 1 - exp(-3)),
    (conc.all_below_corrected, {"n": 3, "one_above": 0.125}, 0.625),
    (conc.bernstein_tail, {"n": 2, "variance": 0.5, "loss_bound": 3.0, "t": 2.0}, exp(-4 / 3)),
    (conc.bernstein_tail_corrected, {"n": 2, "variance": 0.5, "loss_bound": 3.0, "t": 2.0}, 2 * exp(-4 / 3)),
    (conc.deviation, {"n": 6, "beta": 2 * exp(-4), "variance": 2.25, "loss_bound": 3.0}, 5.0),
    (conc.deviation_corrected, {"n": 6, "beta": 2 * exp(-2), "variance": 0.25, "loss_bound": 9.0}, 3.0),
    (conc.variance_bound, {"n": 4, "second_moment": 2.0}, 0.5),
    (conc.second_moment_split, {"moved": 3.0, "at_zero": 5.0}, 16.0),
    (conc.exponential_moment, {"beta": 0.5}, 16.0),
    (conc.second_moment, SIZES | {"population": 2.0}, (32 + 36 * K) * (2 + 36 * K / 16)),
    (conc.largest_mean, SIZES, (4 + 6 * sqrt(K / 2)) ** 2),
    (conc.lower_deviation, {"n": 8, "b": exp(-4), "second_moment": 9.0}, 3.0),
    (conc.split_deviation, SIZES | {"population": 4.0}, 16 * R + 16 * T),
    (conc.solved, {"a": 1.0, "T": 2.0, "label_bound": 3.0}, 165.0),
    (boost.printed_scale, {"n": 8, "candidates": 3, "epsilon": 0.5, "loss_bound": 9.0}, 3.0),
    (boost.squared_scale, {"n": 8, "candidates": 3, "epsilon": 0.5, "loss_bound": 9.0}, 9.0),
    (boost.chunk_scale, {"n": 8, "candidates": 3, "epsilon": 0.5, "loss_bound": 9.0}, 18.0),
    (boost.chunk_scale_squared, {"n": 8, "candidates": 3, "epsilon": 0.5, "loss_bound": 9.0}, 18.0),
    (boost.disjoint_epsilon, {"training": 0.5, "selection": 2.0}, 2.0),
    (boost.overlapping_epsilon, {"training": 0.5, "selection": 2.0}, 2.5),
    (boost.noisy_max_epsilon, {"sensitivity": 0.5, "scale": 4.0}, 0.25),
    (
        boost.true_range,
        {"candidates": 3, "delta": 6 * exp(-2), "gamma": 2.0, "smoothness": 9.0, "label_bound": 4.0},
        100.0,
    ),
    (boost.boosted_rate.theorem.formula, RATE, PRINTED),
    (boost.boosted_rate_squared.theorem.formula, RATE, PRINTED),
    (boosted.logarithm, {"n": 16, "candidates": 3, "beta": 4 * exp(-3)}, KB),
    (boosted.resolution, {k: M[k] for k in ("n", "candidates", "beta", "gamma", "smoothness")}, ETA),
    (
        boosted.boosted_excess.theorem.formula,
        M | {"loss_bound": 3.0, "err": 0.25, "scale": 0.5},
        1 + (-2 - lambertw(-exp(-5), -1).real) + KB + 4 * (8 + 8 * sqrt(2)) * ETA + (24 + 4 * sqrt(2)) * ETA**2,
    ),
    (boosted.boosted_rate_corrected.theorem.formula, RATE, 5 / 2 * KB**2 * PRINTED),
    (boosted.boosted_rate_squared_corrected.theorem.formula, RATE, 6 / 5 * KB**2 * PRINTED),
    (boosted.no_good_model, {"candidates": 3}, 0.125),
    (boosted.selection_loss, {"candidates": 3, "b": 2 * exp(-2), "scale": 2.0}, 4.0),  # u = 2: 2 (2 + 2) e^-2 = 4b
    (boosted.selection_loss, {"candidates": 1, "b": 0.5, "scale": 2.0}, 0.0),
    (boosted.selection_loss, {"candidates": 2, "b": 0.6, "scale": 2.0}, 0.0),  # a loss below 0 else
    (boosted.squared_difference, M | {"both": 2.0}, 144 * KB * 2 + 72 * KB * (32 + 36 * KB)),
    (
        boosted.split_difference,
        {"x": 2.0, "reference": 9.0, "eta": 0.5, "label_bound": 3.0},
        2 + 6 + 6 * sqrt(2) + sqrt(2) / 2,
    ),
    (boosted.solved_difference, {"a": 3.0, "eta": 0.5}, 8.0),
    # n epsilon = 64, sqrt d = 2 or 8
    (rates.smooth_upper, {"n": 16, "epsilon": 4.0, "d": 4, "norm": 3.0}, 0.75 + 18 / 64),
    (rates.smooth_upper, {"n": 16, "epsilon": 4.0, "d": 64, "norm": 3.0}, 0.75 + 9 / 16),
    (rates.smooth_lower, {"n": 16, "epsilon": 4.0, "d": 4, "norm": 8.0}, 0.25 + 16 / 64),
    (rates.smooth_lower, {"n": 16, "epsilon": 4.0, "d": 10**4, "norm": 8.0}, 0.25 + 1),
    (rates.tightness, {"n": 16, "epsilon": 4.0, "d": 4, "norm": 8.0}, 4.0),
    (rates.lipschitz_rate, {"n": 16, "epsilon": 4.0, "rank": 4, "norm": 3.0}, 3 * (1 / 4 + 1 / 32)),
    (rates.lipschitz_rate, {"n": 16, "epsilon": 4.0, "rank": 10**4, "norm": 3.0}, 3 * (1 / 4 + 1 / 8)),
    # G = 2 sqrt 2, noise of variance 8 for n = 4; distance 2, noise 6, q = v = 1/8
    (rates.descent_at, {"n": 4, "mu": 0.5, "d": 3, "norm": sqrt(2), "tau": 0.5}, 1.25**2 * 9 * 8 / 7 - 1),
    (rates.descent_time, {"n": 16, "mu": 1 / 8, "d": 3, "norm": sqrt(2) - 1}, (sqrt(2) - 1) * sqrt(1.5 / (0.5 + 4.5))),
    (rates.smooth_crossover, {"privacy": 8.0}, 4.0),
    (rates.lower_crossover, {"privacy": 8.0, "norm": 8.0}, 16.0),
    (rates.lipschitz_crossover, {"privacy": 8.0}, 8.0),
    (rates.regularised_risk, {"u": 0.25, "empirical": 3.0}, 15.0),
    (rates.descended_risk, {"v": 0.5, "empirical": 3.0}, 12.0),
    (rates.descended_loss, {"q": 0.5, "best": 1.0, "distance": 2.0, "noise": 3.0}, 12.0),
    (rates.descent_excess, {"n": 16, "mu": 0.25, "d": 4, "norm": 2.0}, 2 * sqrt(3) + 12 * (1 + sqrt(2))),
    (rates.perturbation_excess, {"n": 16, "mu": 4.0, "norm": 2.0}, 4 + 2 * sqrt(2) + 6 * (1 + sqrt(2)) ** (2 / 3) / 16),
    (rates.upper_order, {"n": 16, "mu": 4.0, "d": 4, "norm": 3.0}, 6 * (1 + sqrt(2)) * (0.75 + 18 / 64)),
    (rates.lipschitz_excess, {"n": 16, "mu": sqrt(2 / pi), "norm": 2.0}, sqrt(2)),
    (rates.both_errors, {"n": 2, "epsilon": log(2), "delta": 0.25, "p": 0.5}, 2 / 3 - 1 / 4),
    (rates.both_errors, {"n": 2, "epsilon": log(16), "delta": 0.0, "p": 0.5}, 289 / 1024),
    (rates.private_excess, {"n": 4, "epsilon": log(2), "delta": 1 / 16, "norm": 1.0, "p": 0.5}, 11 / 320),
    (rates.private_excess, {"n": 4, "epsilon": log(2), "delta": 0.0, "norm": 2.0, "p": 0.25}, 1 / 12),
    (rates.sampled_excess, {"n": 4, "norm": 1.0}, 1 / 32),
    (rates.lipschitz_lower, {"n": 4, "epsilon": log(2), "delta": 0.0, "norm": 2.0}, 1 / 8),
    (rates.lipschitz_lower, {"n": 400, "epsilon": log(2), "delta": 0.0, "norm": 2.0}, 1 / 80),
    # sinh(log 2) = 3/4
    (
        proof.fingerprint,
        {"n": 2, "epsilon": log(2), "delta": 0.25, "p": 0.5, "tau": 0.5, "norm": 4.0, "longest": 3.0},
        0.75,
    ),
    (proof.rank_lower, {"n": 10, "epsilon": log(2), "delta": 3 / 64, "rank": 4, "norm": 3.0}, 0.05),
    (proof.lipschitz_lower_order, {"n": 16, "epsilon": 4.0, "rank": 4, "norm": 35.0}, 1 / 4 + 1 / 32),
    (proof.curved_excess, {"n": 4, "epsilon": log(2), "delta": 1 / 16, "norm": 1.0, "p": 0.5}, 11 / 3600),
    (proof.curved_excess, {"n": 4, "epsilon": log(2), "delta": 0.0, "norm": 2.0, "p": 0.5}, 4 / 675),
    (proof.dimension_excess, {"n": 10, "epsilon": log(2), "delta": 3 / 224, "d": 4, "norm": 1.0}, 1 / 150),
    (proof.smooth_lower_corrected, {"n": 256, "epsilon": 1.0, "d": 4, "norm": 1.0}, (1 / 16 + 1 / 128) / 189),
    (proof.descent_distance, {"n": 4, "steps": 4, "stride": 0.5, "gradient_norm": 3.0}, 9.0),
    (proof.rank_excess, {"n": 16, "mu": 0.5, "rank": 4, "norm": 3.0}, 3.3),
    (proof.rank_excess_at, {"n": 3, "mu": 2.0, "rank": 7, "norm": 3.0, "stride": 0.5}, 6.5),
    (proof.lipschitz_order, {"n": 16, "mu": 4.0, "rank": 4, "norm": 3.0}, 7.2 * (1 / 4 + 1 / 32)),
    # two guesses, l = 2 log 16
    (proof.unknown_norm_excess, {"n": 4, "mu": 1.0, "d": 1, "norm": 1.0}, 39.75 * (2 * log(16)) ** 1.5 * sqrt(2)),
    (proof.unknown_norm_at, {"n": 4, "mu": 0.125, "d": 1, "norm": 1.0}, 1 + 1.3 * log(16)),
    # 21 guesses, l = 84 log 2, half of n is 2^39: the first bound is that of `descent`, the second `perturbation`'s
    (
        proof.unknown_norm_at,
        {"n": 2**40, "mu": 1.0, "d": 1, "norm": 1.0},
        4 * sqrt(3 / 2**39) + 6 * (1 + sqrt(2)) * sqrt(21) / 2**39 + AROUND,
    ),
    (
        proof.unknown_norm_at,
        {"n": 2**40, "mu": 1.0, "d": 10**12, "norm": 1.0},
        (8 + 4 * sqrt(2)) / sqrt(2**39) + 1.5 * ((1 + sqrt(2)) * sqrt(21) / 2**39) ** (2 / 3) + AROUND,
    ),
    (
        proof.unknown_norm_at,
        {"n": 4, "mu": 1.0, "d": 1, "norm": 1.5},
        1 + (4 * sqrt(6) + 1.3 + (2 * sqrt(log(16)) + 0.4) * 12 * sqrt(2)) * log(16),
    ),
    (
        boosted_grid.copy_excess,
        {"n": 16, "mu": 4.0, "rho": 8 - sqrt(2), "guesses": 4, "copies": 2},
        (4 + 2 * sqrt(2)) * (8 - sqrt(2)) + 1.5 * (8 - sqrt(2)) ** (4 / 3),
    ),
    (boosted_grid.copy_ridge, {"n": 16, "mu": 8.0, "rho": sqrt(2), "guesses": 4, "copies": 2}, 2.5),
    (boosted_grid.soft_factor, {"n": 2, "guesses": 2, "beta": 0.25}, log(1024) ** 1.5 * sqrt(8)),
    (  # m = 4, l = log(2^53), rho = 1
        boosted_grid.boosted_excess,
        {"n": 2**45, "mu": 1.0, "reach": 2.0, "label_bound": 2.0, "guesses": 1, "beta": 0.25},
        8 * ((8 + 4 * sqrt(2)) / 2**21 + 1.5 * (1 + sqrt(2)) ** (2 / 3) / 2**28)
        + 4 * (3.6 * sqrt(14 / 2**45) * 53 * log(2) + 28 * sqrt(8) * (53 * log(2)) ** 1.5 / 2**45),
    ),
    (conc.units, {"level": 3.0, "s": 2.0}, 6.0),
    (
        boost.least_sample,
        {"gamma": 2.0, "beta": 4 * exp(-3), "smoothness": 9.0, "label_bound": 4.0},
        16 * 4 * 3**8 * 9 / 16,
    ),
]
