"""Claims about choosing a minimum under Gaussian noise: Lemmas F.1 and F.2 of Wang, Zhu & Wang (2025).

Everything is decided exactly, mostly in `checks.gaussian_tails` (levels) and `checks.gaussian_means`. Unless a claim
says otherwise its control multiplies the standard deviation of the noise; the bound is still evaluated at sigma.
"""

import itertools

import numpy as np
from flint import arb

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.gaussian_maxima import best_loses, mean_min
from lemmata.bounds.wzw25 import noisy_minimum as bound
from lemmata.bounds.wzw25.gaussian_maxima import max_mean, range_threshold_scaled
from lemmata.experiments.checks import Control, grid, identity_claim, inequality_claim, run_script, up_to_one
from lemmata.experiments.checks.gaussian_means import FAR, choice_mean_cases, max_mean_cases
from lemmata.experiments.checks.gaussian_tails import ABOVE, CHOICE, CHOICE_ANY, NOISE_RANGE, level_claim
from lemmata.experiments.wzw25.gaussian_maxima import LACKS_SIGMA, OWN, RANGE_CAUGHT, TIED

# Lemma F.1 ------------------------------------------------------------------------------------------------------------


FOLLOW = "U = -ξ with ties broken for the worst has excess max ξ - min ξ, the most that any scores have"


@inequality_claim(
    bound.choice_mean,
    caught=(1.1, 1.5, 2),
    cost=0.5,
    rounding=TIED,
    given=[bound.chosen_against_range, bound.min_is_minus_max, bound.twice_max_mean],
    note=f"for any scores: {FOLLOW}. For scores given before the noise half the bound suffices (explicit)",
)
def chosen_mean():
    """E of the largest excess, max xi - min xi, against 2 sigma sqrt(2 log |Theta|), and the step that it ends in."""
    for count in FAR:
        size = {"count": exact(count), "sigma": arb(7)}
        ends = (step.theorem.formula(**size) for step in (bound.twice_max_mean, bound.choice_mean))
        yield {"count": count}, *ends
    return (yield from max_mean_cases(bound.choice_mean, "count", times=2))


@inequality_claim(
    bound.choice_mean_sharp,
    caught=(1.001, 1.5, 3, 5),
    cost=0.6,
    rounding=TIED,
    given=[max_mean],
    note="for scores given before the noise",
)
def chosen_mean_sharp():
    """E excess of the chosen score against sigma sqrt(2 log |Theta|)."""
    return (yield from choice_mean_cases(bound.choice_mean_sharp))


def lattice(values, n):
    """All vectors of length n over `values`, shape (len(values)**n, n): ties and boundary cases included."""
    return np.array(list(itertools.product(values, repeat=n)), dtype=float)


def worst_chosen(U, xi):
    """The largest score among the minimisers of U + xi."""
    noisy = U + xi
    return np.where(noisy == noisy.min(axis=-1, keepdims=True), U, -np.inf).max(axis=-1)


def outcomes(step, left, factor):
    """Both sides of a step that holds for every outcome: all scores and noises on a lattice, ties included.

    The candidate is chosen under `factor` times the noise that the step is given.
    """
    for count in (1, 2, 3):
        scores, noise = lattice(range(5), count), lattice((-1, 0, 1), count)
        U, xi = np.repeat(scores, len(noise), axis=0), np.tile(noise, (len(scores), 1))
        sides = zip(left(U, factor * xi), step(scores=U, noise=xi), strict=True)
        for u, x, (a, b) in zip(U, xi, sides, strict=True):
            yield {"scores": u, "noise": x}, a, b
    return {"tightness": None}


CHOSEN_BY = Control("chosen under noise {} times as large", (1.25, 1.5, 2))


@inequality_claim(
    bound.chosen_against_noisy_minimum,
    control=CHOSEN_BY,
    note="min(U + ξ) = U_out + ξ_out ≥ U_out + min ξ, ties broken for the worst",
)
def chosen_and_noisy_minimum(*, factor=1):
    """U_out <= min(U + xi) - min xi."""
    return (yield from outcomes(bound.chosen_against_noisy_minimum, worst_chosen, factor))


@inequality_claim(bound.noisy_minimum, control=CHOSEN_BY, note="at the best score the noise is at most max ξ")
def noisy_minimum_and_minimum(*, factor=1):
    """min(U + xi) <= min U + max xi."""
    return (yield from outcomes(bound.noisy_minimum, lambda U, xi: (U + xi).min(axis=-1), factor))


@inequality_claim(
    bound.chosen_against_range,
    control=CHOSEN_BY,
    given=[bound.chosen_against_noisy_minimum, bound.noisy_minimum],
    note="the two steps before, added",
)
def chosen_and_range(*, factor=1):
    """U_out <= min U + max xi - min xi."""
    return (yield from outcomes(bound.chosen_against_range, worst_chosen, factor))


@identity_claim(bound.min_is_minus_max, caught=(1.001, 2), note="-ξ has the law of ξ; each side by its own integral")
def minimum_is_minus_maximum():
    """E min = -E max for symmetric noise; E min has the density n phi (1 - Phi)^(n-1)."""
    for n in (1, 2, 3, 10, 1000, 10**6):
        yield {"count": n}, mean_min(n), bound.min_is_minus_max.theorem.formula(count=n)


@inequality_claim(bound.twice_max_mean, caught=(1.1, 1.5, 2), cost=0.1, rounding=TIED, given=[max_mean])
def twice_the_maximum():
    """2 E max against 2 sigma sqrt(2 log |Theta|)."""
    return (yield from max_mean_cases(bound.twice_max_mean, "count", times=2))


# Lemma F.2 ------------------------------------------------------------------------------------------------------------


@level_claim(
    bound.choice_threshold,
    finding="the second term lacks σ",
    quick=(OWN, {"sigma": 1.4}),
    full=grid(sigma=[0.01, 2.0, 10.0, 1e3]),
    severity="statement",
    note=LACKS_SIGMA.format("√2"),
)
def chosen_tail():
    """P(excess > printed level) against beta, for scores (0, gap, ..., gap) with the gap at the level."""
    return CHOICE


@level_claim(
    bound.choice_threshold_scaled,
    quick=grid(sigma=[1.0]),
    full=grid(sigma=[0.01, 1e3]),
    caught=RANGE_CAUGHT,
    chain=lambda n, sigma, beta: bound.noise_range_threshold_scaled.theorem.formula(count=n, sigma=sigma, beta=beta),
    given=[bound.chosen_against_range, bound.noise_range_threshold_scaled],
)
def chosen_tail_scaled():
    """P(excess > level) against beta, sigma in both terms, for any scores."""
    return CHOICE_ANY


@inequality_claim(
    bound.choice_threshold_sharp,
    control=Control("noise {} times as large", (1.01, 1.05, 2)),
    quick=grid(sigma=[1.0]),
    full=grid(sigma=[0.01, 1e3]),
    rounding=1e-12,
    tightness=up_to_one,
    note="exact for two candidates",
)
def chosen_tail_sharp(*, sigma, factor=1):
    """P(excess > level) for scores (0, t, ..., t) that do not follow the noise, t just above the level, exactly."""
    for count, beta in itertools.product((2, 3, 10, 1000), (0.9, 0.5, 0.05, 1e-3, 1e-6)):
        level = bound.choice_threshold_sharp(count=count, sigma=exact(sigma), beta=exact(beta))
        gap = level / exact(sigma) * ABOVE if level > 0 else arb(2) ** -40
        yield {"count": count, "sigma": sigma, "beta": beta}, best_loses(count, gap / exact(factor)), exact(beta)


@level_claim(
    bound.noise_range_threshold,
    quick=(OWN, {"sigma": 1.4}),
    full=grid(sigma=[0.01, 2.0, 10.0, 1e3]),
    severity="statement",
    note=LACKS_SIGMA.format("√2"),
)
@level_claim(
    bound.noise_range_threshold_scaled,
    quick=grid(sigma=[1.0]),
    full=grid(sigma=[0.01, 1e3]),
    caught=RANGE_CAUGHT,
    chain=lambda n, sigma, beta: range_threshold_scaled.theorem.formula(n=n, sigma=sigma, beta=beta),
    given=[range_threshold_scaled],
)
def noise_range_tail():
    """Corollary A.6 for the noise of the candidates, as printed and with sigma in both terms."""
    return NOISE_RANGE


if __name__ == "__main__":
    run_script(__file__)
