"""Every printed formula of the first half of abgmu22 at a point worked out by hand, and ours beside it."""

from fractions import Fraction
from math import exp, inf, log, pi, sqrt

import numpy as np
import pytest

from lemmata.bounds.abgmu22 import (
    assumptions,
    baselines,
    generalized_exponential,
    grid_output,
    grid_search,
    grid_search_proof as steps,
    stability,
)

# ||Y|| = 2, H = 2, B = 3, ||X|| = 1/2: B ||X|| = 3/2 and sqrt(H/2) B ||X|| = 3/2
LOSS = {"label_bound": 2.0, "smoothness": 2.0, "norm_bound": 3.0, "radius": 0.5}
# log(K/delta) = 5 with K = 2; min{delta, beta} = delta; 2nK/delta = 2n e^5
LEVELS = {"n": 4, "delta": 2 * exp(-5), "beta": 0.5, "guesses": 2}
# log(4K/beta) = 4, log(K/beta) = 4 - log 4; log(4(K+1)/beta) = 4 + log(3/2)
GRID = {"loss_bound": 3.0, "n": 100, "guesses": 2, "beta": 8 * exp(-4)}
L2, ROOT = 4 + log(1.5), sqrt(4 * 4 * 4 / 100)  # ROOT for ||Y|| = 2
CHOSEN = {"candidates": 2, "epsilon": 0.5, "beta": 2 * exp(-3)}  # log(N/beta) = 3
RUN = {"n": 10, "gradient_norm": 3.0, "ridge": 0.5}

TABLE = [
    # The assumptions
    (assumptions.allowed_inaccuracy, {"beta": 0.2, "guesses": 5}, 0.01),
    (assumptions.allowed_failure, {"delta": 0.04, "beta": 0.2, "guesses": 5}, 0.002),
    (assumptions.allowed_failure, {"delta": 0.4, "beta": 0.2, "guesses": 5}, 0.01),
    (assumptions.ball_loss, LOSS, 3.5**2),
    (
        assumptions.output_loss,  # q^2 = 2 (log 8 + 5): log(2nK/delta) = log(16/2) + 5
        LOSS | LEVELS | {"sigma": 2.0},
        (2 + 0.5 * (3 + 2 * sqrt(2 * (log(8) + 5)))) ** 2,
    ),
    (
        assumptions.output_err,
        RUN | {"smoothness": 1.0, "radius": 2.0, "sigma": 0.5, "norm": 4.0, "beta": 0.5, "guesses": 2},
        16 * (2 + 3.6 + 0.5),
    ),
    # Stability
    (stability.printed_loss_bound, LOSS, 4 + 2 * 2.25),
    (stability.loss_bound, LOSS, 12.75),
    (stability.projected_loss_bound, LOSS, 8.5),
    (stability.projected_loss_corrected, LOSS, 12.75),
    (stability.stretched_loss, LOSS, 1.5 * (4 + 16 * 4.5)),
    (stability.lifted_square, {"d": 6, "k": 4, "norm": 2}, 6),
    (stability.printed_output_loss, LOSS | LEVELS | {"sigma": 4.0}, 8.5 + 8 * 5),
    (stability.output_loss_bound, LOSS | LEVELS | {"sigma": 2.0}, 2 * (8.5 + 4 * (log(8) + 5))),
    (stability.output_loss_step, LOSS | {"t": 3.0}, 8.5 + 18),
    (stability.output_loss_step_corrected, LOSS | {"t": 3.0}, 53),
    (stability.printed_tail, {"t": 3.0, "radius": 0.5, "sigma": 3.0}, exp(-4)),
    (stability.corrected_tail, {"t": 3.0, "radius": 0.5, "sigma": 3.0}, exp(-2)),
    (stability.tail_level, {"radius": 0.5, "sigma": 4.0, "level": exp(5)}, 20),
    (stability.tail_level_corrected, {"radius": 0.5, "sigma": 4.0, "level": exp(5)}, 40),
    (stability.tail_level_as_set, {"radius": 0.5, "sigma": 4.0, "level": exp(5)}, 100),
    (stability.two_records, {"n": 4, "delta": 0.04, "beta": 0.2, "guesses": 5}, 0.002),
    # The base algorithms
    (baselines.slope_bound, {"label_bound": 3.0, "smoothness": 2.0, "reach": 1.5}, 9),
    (baselines.ball_noise, {"n": 10, "steps": 9, "gradient_norm": 5.0, "mu": 0.5}, 6),
    (baselines.ball_excess, {"n": 4, "steps": 9, "gradient_norm": 5.0, "mu": 1.5, "d": 8, "norm_bound": 3.0}, 15),
    (
        baselines.averaged_regret,
        {"steps": 5, "gradient_norm": 3.0, "sigma": 0.5, "d": 4, "stride": 0.1, "norm_bound": 2.0},
        4 + 0.5,
    ),
    (baselines.output_sensitivity, RUN, 1.2),
    (baselines.output_noise, RUN | {"mu": 0.5}, 2.4),
    (
        baselines.output_excess,
        RUN | {"smoothness": 1.0, "radius": 2.0, "sigma": 0.5, "norm": 4.0},
        2 + 3.6 + 0.5,
    ),
    (baselines.ridge_cost, {"ridge": 0.5, "norm": 4.0}, 2),
    (baselines.noise_cost, {"smoothness": 3.0, "radius": 2.0, "sigma": 0.5}, 1.5),
    (
        baselines.balanced_ridge,  # 3 * 6/(2 * 3/2) = 6
        {"n": 3, "gradient_norm": 6.0, "mu": 0.5, "smoothness": 2.0, "radius": 3.0, "norm_bound": 2.0},
        (4 * 2 * 36) ** (1 / 3),
    ),
    (baselines.projection_rows, {"n": 64, "epsilon": 0.125, "delta": 128 * exp(-6.01)}, 25),
    (
        baselines.projected_noise,  # longest 3/2, slope 2 * 2 + 2 * 3/2 * 6 = 22
        {"n": 8, "steps": 4, "mu": 0.5, "label_bound": 2.0, "smoothness": 2.0, "norm_bound": 3.0, "radius": 0.75},
        2 * 33 * 2 / 4,
    ),
    # Private grid search
    (generalized_exponential.generalized_epsilon, {"epsilon": 0.7}, 0.7),
    (generalized_exponential.spent_among, {"theta": log(2), "candidates": 3}, log(8 / 3)),
    (generalized_exponential.spent_among, {"theta": log(2), "candidates": 5}, log(16 / 5)),
    (generalized_exponential.shift, CHOSEN, 12),
    (generalized_exponential.selection_penalty, CHOSEN | {"sensitivity": 2.0}, 48),
    (generalized_exponential.normalised_scores, {"scores": [1, 2], "sensitivities": [0.5, 0.1], "t": 1.0}, [0, 1]),
    (generalized_exponential.score_threshold, {"scores": [1, 2], "sensitivities": [0.5, 0.1], "t": 0.25}, 1.25),
    (generalized_exponential.normalised_sensitivity, {}, 1),
    (generalized_exponential.best_normalised, {}, 0),
    (grid_search.norm_guesses, {"guesses": 2}, (2, 4)),
    (grid_search.grid_budget, {"epsilon": 0.5, "delta": 0.1, "guesses": 3}, (0.5, 0.1)),
    (grid_search.grid_budget_disjoint, {"epsilon": 0.5, "delta": 0.1, "guesses": 3}, (0.25, 0.05)),
    (grid_search.other_than_zero, {"epsilon": 1.0, "guesses": 3, "beta": 0.4}, 0.075 * exp(0.25)),
    (grid_search.printed_excess, GRID | {"err": 0.1, "label_bound": 2.0, "epsilon": 0.5}, 0.1 + ROOT + 0.3),
    (grid_search.averaged_excess, GRID | {"err": 0.1, "label_bound": 2.0, "epsilon": 0.5}, 0.1 + ROOT + 0.3),
    (grid_search.printed_excess, GRID | {"err": 7.0, "label_bound": 2.0, "epsilon": 0.5}, 4),
    (grid_search.averaged_excess, GRID | {"err": 7.0, "label_bound": 2.0, "epsilon": 0.5}, 4),
    (
        grid_search.grid_excess,
        GRID | {"err": 0.1, "label_bound": 2.0, "epsilon": 0.5, "n": 10**4},
        0.1 + sqrt(32 * 4 * 3 * L2 / 10**4) + 50 * 3 * L2 / 15_000,
    ),
    (grid_search.generation_budget, {"epsilon": 0.5, "delta": 0.1, "guesses": 3}, (0.25, 0.05)),
    (grid_search.valid_chance, {"delta": Fraction(1, 5), "guesses": 3}, Fraction(1, 10)),
    (grid_search.valid_chance_corrected, {"delta": Fraction(1, 5), "guesses": 3}, Fraction(9, 10)),
    (steps.second_moment, {"label_bound": 3}, 36),
    (steps.second_moment_in_units, {"label_bound": 3}, 324),
    (steps.second_moment_corrected, {"label_bound": 3, "loss_bound": 5}, 90),
    (  # t^2 n^2/(Delta t n + 4 n ||Y||^2) = 2500/(150 + 1600) at t = 1/2
        steps.printed_bernstein,
        GRID | {"label_bound": 2.0, "t": 0.5},
        exp(-2500 / 1750) + exp(-4),
    ),
    (steps.unseen_chance, {"beta": 0.3}, 0.15),
    (steps.deviation_below, {"loss_bound": 3.0, "risk": 2.0, "n": 6, "chance": exp(-4)}, 4),
    (steps.deviation_above, {"loss_bound": 3.0, "risk": 2.0, "n": 6, "chance": exp(-4)}, 4 + 4 / 3),
    (steps.proof_penalty, GRID | {"label_bound": 2.0}, 0.12 + ROOT),
    (steps.printed_penalty, GRID | {"label_bound": 2.0, "beta": 2 * exp(-4)}, 0.12 + ROOT),
    (steps.penalty, GRID | {"label_bound": 2.0}, sqrt(16 * 6 * L2 / 100)),
    (steps.printed_selection_loss, GRID | {"epsilon": 0.5}, 0.96),
    (steps.averaged_selection_loss, GRID | {"epsilon": 0.5}, 0.96),
    (steps.selection_loss, GRID | {"epsilon": 0.5}, 0.96 * L2),
    (steps.selection_loss_as_printed, GRID | {"epsilon": 0.5}, 48 * L2),
    (steps.printed_ball, {"norm": 0.25}, 1),
    (steps.printed_ball, {"norm": 3}, 6),
    (steps.smallest_ball, {"norm": 0.25}, 2),
    (steps.outer_err, {"err": lambda B: B**2 + 1, "norm": 3.0}, 10),
    (steps.last_line, GRID | {"label_bound": 2.0, "epsilon": 0.5}, 2 * ROOT + 1.2),
    (steps.last_line_corrected, GRID | {"label_bound": 2.0, "epsilon": 0.5}, 2 * ROOT + 1.44),
    (steps.stated_term, GRID | {"epsilon": 0.5}, 0.3),
    # Output perturbation inside: u = 8, ||Y|| = 1/8 and 8, n epsilon = 64
    (  # the first two have no width: the better one is infinitely above the other
        generalized_exponential.normalised_scores,
        {"scores": [1.0, 1.5, 1.5], "sensitivities": [0.0, 0.0, 1.0], "t": 2.0},
        [0, inf, 2.5],
    ),
    (grid_output.output_budget, {"epsilon": 0.5, "delta": 0.1, "guesses": 2}, (0.5, 0.1)),
    (grid_output.allowed_share, {"epsilon": 0.5, "delta": 0.1, "guesses": 2}, (0.125, 0.025)),
    (
        grid_output.stated_from_base,
        {"reach": 8.0, "label_bound": 0.125, "n": 256, "epsilon": 0.25},
        (16 / 4 + 64) / 16 + (8 + 1 / 64) / 16 + (64 + 1 / 64) / 64,
    ),
    (
        grid_output.printed_rate,
        {"reach": 8.0, "label_bound": 8.0, "n": 256, "epsilon": 0.25},
        (64 + 64) / 16 + 128 / 16 + 128 / 64,
    ),
    (grid_output.printed_rate, {"reach": 8.0, "label_bound": 0.125, "n": 256, "epsilon": 0.25}, 1 / 64),
    (grid_output.noise_square, {"reach": 3.0, "label_bound": sqrt(8), "n": 6, "mu": 0.5}, (4 * 81 * 49 / 9) ** (1 / 3)),
    (grid_output.enough_guesses, {"label_bound": 3.0, "n": 256, "epsilon": 0.25}, 24),
    (grid_output.enough_guesses_sharp, {"label_bound": 3.0, "n": 256, "epsilon": 0.25}, 12),
    (grid_output.clipped_order, {"reach": 3.0, "label_bound": 4.0}, 25),
    (grid_output.noise_square, {"reach": 4.0, "label_bound": 0.0, "n": 4, "mu": 2.0}, 16 / 16 ** (1 / 3)),
    (grid_output.proof_loss_bound, LOSS | LEVELS | {"sigma": 4.0}, 8.5 + 8 * 5),
    (grid_output.proof_loss_bound, LOSS | LEVELS | {"sigma": 2.0, "delta": 0.9, "beta": 2 * exp(-7)}, 8.5 + 2 * 7),
    (grid_output.noise_order, {"label_bound": 3.0}, 9),
    (
        grid_output.base_bound,
        {"reach": 8.0, "label_bound": 8.0, "n": 256, "epsilon": 0.25, "last": 16.0},
        8 + (64 + 64 + 16) / 16 + 2,
    ),
    (grid_output.beyond_the_clip, {"loss_bound": 4.0, "q": 2.0}, exp(-2)),
]


@pytest.mark.parametrize("s", [1e-3, 0.2, 7.0])
def test_units_of_the_corrected_bounds(s):
    """l -> s l makes ||Y||^2, H, Delta and err s times as large; x -> c x, w -> w/c leaves B ||X|| as it is."""
    root, c = sqrt(s), pi
    scaled = {"label_bound": 2 * root, "smoothness": 2 * s, "norm_bound": 3 / c, "radius": 0.5 * c}
    for bound in (assumptions.ball_loss, stability.printed_loss_bound, stability.loss_bound):
        assert bound(**scaled) == pytest.approx(s * bound(**LOSS))
    for bound in (stability.printed_output_loss, stability.output_loss_bound, assumptions.output_loss):
        assert bound(**scaled, **LEVELS, sigma=2 / c) == pytest.approx(s * bound(**LOSS, **LEVELS, sigma=2.0))
    one = GRID | {"err": 0.1, "label_bound": 2.0, "epsilon": 0.5, "n": 10**4}
    other = one | {"err": 0.1 * s, "label_bound": 2 * root, "loss_bound": 3 * s}
    assert grid_search.grid_excess(**other) == pytest.approx(s * grid_search.grid_excess(**one))
    assert (
        grid_search.printed_excess(**other) != pytest.approx(s * grid_search.printed_excess(**one), rel=1e-3) or s == 1
    )


@pytest.mark.parametrize(("epsilon", "enough"), [(0.1, True), (0.5, True), (0.51, False), (1.0, False)])
def test_the_last_line_counts_both_penalties_up_to_one_half(epsilon, enough):
    """2 tau + 4 Delta l/(n epsilon), with l = 4: 5 is as much as 2 epsilon + 4 for epsilon <= 1/2."""
    left = 2 * steps.proof_penalty(**GRID, label_bound=2.0) + steps.printed_selection_loss(**GRID, epsilon=epsilon)
    assert bool(left <= steps.last_line(**GRID, label_bound=2.0, epsilon=epsilon) * (1 + 1e-12)) is enough


@pytest.mark.parametrize("label", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("n", [10, 10**6])
def test_the_balanced_ridge_has_an_err_and_a_loss_bound_that_do_not_decrease(label, n):
    """What the pipeline asks of G, lambda and sigma, for guesses from 2 to 2^20; G and sigma as the laws have them."""
    err, clip = [], []
    for B in 2.0 ** np.arange(1, 20.1, 0.1):
        run = {"n": n, "gradient_norm": float(baselines.slope_bound(label_bound=label + 1e-9, smoothness=1.0, reach=B))}
        run["ridge"] = baselines.balanced_ridge(smoothness=1.0, radius=1.0, norm_bound=B, mu=0.1, **run)
        known = {"smoothness": 1.0, "radius": 1.0, "sigma": float(baselines.output_noise(mu=0.1, **run))}
        err.append(assumptions.output_err(**run, **known, norm=B, beta=0.1, guesses=20))
        loss = {"label_bound": label + 1e-9, "norm_bound": B, "n": n, "delta": 0.5, "beta": 0.1, "guesses": 20}
        clip.append(assumptions.output_loss(**known, **loss))
    assert (np.diff(err) > 0).all() and (np.diff(clip) > 0).all()


def test_units_of_the_printed_rate():
    """Homogeneous for ||Y|| >= 1 only: max{||Y||, 1} is no length."""
    sizes = {"reach": 1.0, "n": 10**6, "epsilon": 1.0}
    large, small = (grid_output.stated_from_base(**sizes, label_bound=Y) for Y in (2.0, 0.25))
    assert grid_output.stated_from_base(reach=2.0, label_bound=4.0, n=10**6, epsilon=1.0) == pytest.approx(4 * large)
    assert grid_output.stated_from_base(reach=2.0, label_bound=0.5, n=10**6, epsilon=1.0) < 3.9 * small
