"""Claims about Gaussian maxima and noisy selection: Lemmas A.5 to A.8, F.1 and F.2 (wzw25).

Everything is decided exactly, in `gaussian_checks` (tails) and `gaussian_means`; the printed proofs are in
`gaussian_steps`. `factor` makes the noise that many times as large as the statement thinks, unless a claim says
otherwise; at `factor` > 1 the same check must come out REFUTED.

Claims about the printed proofs of Corollary A.6 and Lemmas A.7, F.1 and F.2 (wzw25), step by step.
"""

from __future__ import annotations

from dataclasses import replace

from bounds.wzw25 import noisy_minimum
from experiments.checks.gaussian_means import decide_choice_mean, decide_max_mean
from experiments.checks.gaussian_tails import (
    CHOICE,
    CHOICE_ANY,
    CHOICE_NOISE,
    MEAN_NOISE,
    NOISE_RANGE,
    ONLY_TO_ROOT_TWO,
    PRINTED_RANGE,
    RANGE_NOISE,
    SCALED,
    TAIL_COST,
    decide_identity,
    decide_pathwise,
    decide_tail,
    formula,
    worst_chosen,
)
from experiments.engine.claim import Control, exact_claim

# Lemmas F.1 and F.2 ---------------------------------------------------------------------------------------


@exact_claim(noisy_minimum.choice_mean, control=CHOICE_NOISE, cost=0.5, given=("wzw25.lemF.1/explicit",))
def chosen_mean(*, factor=1):
    """E excess of the chosen score against 2 sigma sqrt(2 log |Theta|)."""
    note = "for scores given before the noise half the bound suffices (explicit); if they may follow it, 2 is needed"
    return decide_choice_mean(noisy_minimum.choice_mean, factor=factor, note=note)


@exact_claim(noisy_minimum.choice_mean_sharp, control=CHOICE_NOISE, cost=0.6, given=("wzw25.lemA.5/printed/mean",))
def chosen_mean_sharp(*, factor=1):
    """E excess of the chosen score against sigma sqrt(2 log |Theta|)."""
    return decide_choice_mean(noisy_minimum.choice_mean_sharp, factor=factor, note="for scores given before the noise")


@exact_claim(
    noisy_minimum.choice_threshold,
    **PRINTED_RANGE,
    cost=TAIL_COST,
    severity="statement",
)
def chosen_tail(*, sigma, factor=1):
    """P(excess > printed level) against beta, for scores (0, gap, ..., gap) with the gap at the level."""
    return decide_tail(noisy_minimum.choice_threshold, CHOICE, sigma=sigma, factor=factor, note=ONLY_TO_ROOT_TWO)


@exact_claim(
    noisy_minimum.choice_threshold_scaled,
    **SCALED,
    control=RANGE_NOISE,
    cost=TAIL_COST,
    given=("wzw25.corA.6/corrected", "wzw25.lemF.1.s3/printed"),
)
def chosen_tail_scaled(*, sigma, factor=1):
    """P(excess > level) against beta, sigma in both terms, for any scores."""
    return decide_tail(noisy_minimum.choice_threshold_scaled, CHOICE_ANY, sigma=sigma, factor=factor)


@exact_claim(noisy_minimum.choice_threshold_sharp, **SCALED, control=RANGE_NOISE, cost=TAIL_COST)
def chosen_tail_sharp(*, sigma, factor=1):
    """P(excess > 2 sigma sqrt(log(|Theta| / beta))) against beta, for scores that do not follow the noise."""
    # The level is nearly tight along n / beta: the certificate needs small boxes, the derivation none.
    law = replace(CHOICE, n_max=1e12, beta_min=1e-12)
    return decide_tail(noisy_minimum.choice_threshold_sharp, law, sigma=sigma, factor=factor)


# Lemmas F.1 and F.2 ---------------------------------------------------------------------------------------

CHOSEN_BY = Control("chosen under noise {} times as large", (2, 3, 5))


@exact_claim(noisy_minimum.chosen_against_noisy_minimum, control=CHOSEN_BY, cost=0.05)
def chosen_and_noisy_minimum(*, factor=1):
    """U_out <= min(U + xi) - min xi."""
    step = noisy_minimum.chosen_against_noisy_minimum
    return decide_pathwise(step, worst_chosen, factor, "min(U + xi) = U_out + xi_out >= U_out + min xi")


@exact_claim(noisy_minimum.noisy_minimum, control=CHOSEN_BY, cost=0.05)
def noisy_minimum_and_minimum(*, factor=1):
    """min(U + xi) <= min U + max xi."""

    def noisy(U, xi):
        return (U + xi).min(axis=-1)

    return decide_pathwise(noisy_minimum.noisy_minimum, noisy, factor, "at the best score the noise is at most max xi")


@exact_claim(
    noisy_minimum.chosen_against_range,
    control=CHOSEN_BY,
    cost=0.05,
    given=("wzw25.lemF.1.s1/printed", "wzw25.lemF.1.s2/printed"),
)
def chosen_and_range(*, factor=1):
    """U_out <= min U + max xi - min xi."""
    return decide_pathwise(noisy_minimum.chosen_against_range, worst_chosen, factor, "the two steps before, added")


@exact_claim(noisy_minimum.min_is_minus_max, control=Control("noise of mean {} - 1", (1.001, 2)), cost=0.1)
def minimum_is_minus_maximum(*, factor=1):
    """E min = -E max for symmetric noise."""

    def sides(count):
        return formula(noisy_minimum.min_is_minus_max)(count=count, shift=factor - 1.0)

    points = [{"count": n} for n in (1, 2, 3, 10, 1000, 10**6)]
    return decide_identity(sides, points, says="E min = -E max", more="-xi has the law of xi")


@exact_claim(noisy_minimum.twice_max_mean, control=MEAN_NOISE, cost=0.5, given=("wzw25.lemA.5/printed/mean",))
def twice_the_maximum(*, factor=1):
    """2 E max against 2 sigma sqrt(2 log |Theta|)."""
    return decide_max_mean(noisy_minimum.twice_max_mean, size="count", factor=factor, times=2)


@exact_claim(
    noisy_minimum.noise_range_threshold,
    **PRINTED_RANGE,
    cost=TAIL_COST,
    severity="statement",
)
def noise_range_tail(*, sigma, factor=1):
    """Corollary A.6 for the noise of the candidates."""
    return decide_tail(
        noisy_minimum.noise_range_threshold, NOISE_RANGE, sigma=sigma, factor=factor, note=ONLY_TO_ROOT_TWO
    )


@exact_claim(
    noisy_minimum.noise_range_threshold_scaled,
    **SCALED,
    control=RANGE_NOISE,
    cost=TAIL_COST,
    given=("wzw25.corA.6/corrected",),
)
def noise_range_tail_scaled(*, sigma, factor=1):
    """Corollary A.6 for the noise of the candidates, sigma in both terms."""
    return decide_tail(noisy_minimum.noise_range_threshold_scaled, NOISE_RANGE, sigma=sigma, factor=factor)


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
