"""Claims about Gaussian maxima and noisy selection: Lemmas A.5 to A.8, F.1 and F.2 (wzw25).

Everything is decided exactly, in `gaussian_checks` (tails) and `gaussian_means`; the printed proofs are in
`gaussian_steps`. `factor` makes the noise that many times as large as the statement thinks, unless a claim says
otherwise; at `factor` > 1 the same check must come out REFUTED.
"""

from __future__ import annotations

import math
from dataclasses import replace

from bounds import gaussian
from experiments.claim import exact_claim
from experiments.gaussian_checks import (
    CHOICE,
    CHOICE_ANY,
    CHOICE_NOISE,
    MAXIMUM,
    MEAN_COST,
    MEAN_NOISE,
    ONLY_TO_ONE,
    ONLY_TO_ROOT_TWO,
    PRINTED_MAX,
    PRINTED_RANGE,
    RANGE,
    RANGE_NOISE,
    SCALED,
    SHIFTED,
    TAIL_COST,
    TAIL_NOISE,
    decide_tail,
)
from experiments.gaussian_means import decide_choice_mean, decide_count_mean, decide_max_mean

# Lemma A.5 ------------------------------------------------------------------------------------------------


@exact_claim(gaussian.max_mean, control=MEAN_NOISE, cost=MEAN_COST, nonvacuous_from=lambda: 1)
def maximum_mean(*, factor=1):
    """E max of n Gaussians against sigma sqrt(2 log n)."""
    return decide_max_mean(gaussian.max_mean, size="n", factor=factor)


@exact_claim(
    gaussian.max_threshold,
    **PRINTED_MAX,
    cost=TAIL_COST,
    severity="statement",
    corrected_by="wzw25.lemA.5/corrected/tail",
    nonvacuous_from=lambda: 1,
)
def maximum_tail(*, sigma, factor=1):
    """P(max >= printed level) against beta."""
    return decide_tail(gaussian.max_threshold, MAXIMUM, sigma=sigma, factor=factor, note=ONLY_TO_ONE)


@exact_claim(gaussian.max_threshold_scaled, **SCALED, control=TAIL_NOISE, cost=TAIL_COST, nonvacuous_from=lambda: 1)
def maximum_tail_scaled(*, sigma, factor=1):
    """P(max >= level) against beta, sigma in both terms."""
    return decide_tail(gaussian.max_threshold_scaled, MAXIMUM, sigma=sigma, factor=factor)


# Corollary A.6 --------------------------------------------------------------------------------------------


@exact_claim(
    gaussian.range_threshold,
    **PRINTED_RANGE,
    cost=TAIL_COST,
    severity="statement",
    corrected_by="wzw25.corA.6/corrected",
    nonvacuous_from=lambda: 2,
)
def range_tail(*, sigma, factor=1):
    """P(range >= printed level) against beta."""
    return decide_tail(gaussian.range_threshold, RANGE, sigma=sigma, factor=factor, note=ONLY_TO_ROOT_TWO)


@exact_claim(gaussian.range_threshold_scaled, **SCALED, control=RANGE_NOISE, cost=TAIL_COST, nonvacuous_from=lambda: 2)
def range_tail_scaled(*, sigma, factor=1):
    """P(range >= level) against beta, sigma in both terms."""
    return decide_tail(gaussian.range_threshold_scaled, RANGE, sigma=sigma, factor=factor)


# Lemma A.7, Remark A.8 ------------------------------------------------------------------------------------

NARROW = {"eta": (0.0, 2.0), "w": (math.log(1e-2), math.log(0.9))}
WIDE = {"eta": (-0.9, 5.0), "w": (math.log(1e-6), math.log(0.99))}
GEOMETRIC = {"eta": (1.0, 1.0), "w": (math.log(1e-9), math.log(0.99))}
AT_ZERO = "at eta = 0 the fraction is 0/0 and read as its limit, E K of Definition A.1"
MIN_NOTE = (
    "the display bounds the minimum, whose mean is at most E xi_1 = 0; the title means the maximum (part max); "
) + AT_ZERO
MAX_NOTE = "E max <= E sqrt(2 log K) <= sqrt(2 log E K); " + AT_ZERO
GEOMETRIC_NOTE = "Lemma A.7 at eta = 1, where E K = 1/r"


@exact_claim(gaussian.count_min_mean, control=SHIFTED, cost=0.2, given=("wzw25.lemA.7.s2/printed",))
def count_minimum(*, factor=1):
    """E min of K against the display."""
    return decide_count_mean(gaussian.count_min_mean, box=WIDE, shift=factor - 1.0, minimum=True, note=MIN_NOTE)


@exact_claim(
    gaussian.count_max_mean,
    quick=({"box": "narrow"},),
    full=({"box": "wide"},),
    control=MEAN_NOISE,
    cost=1.0,
    given=(
        "wzw25.lemA.5/printed/mean",
        "wzw25.lemA.7.s3/printed",
        "wzw25.lemA.7.s4/printed",
        "wzw25.lemA.7.s5/printed",
    ),
)
def count_maximum(*, box, factor=1):
    """E max of K against the same bound."""
    box = {"narrow": NARROW, "wide": WIDE}[box]
    return decide_count_mean(gaussian.count_max_mean, box=box, factor=factor, note=MAX_NOTE)


@exact_claim(gaussian.geometric_min_mean, control=SHIFTED, cost=0.2, given=("wzw25.lemA.7/printed/min",))
def geometric_minimum(*, factor=1):
    """E min of a geometric number."""
    return decide_count_mean(
        gaussian.geometric_min_mean, box=GEOMETRIC, shift=factor - 1.0, minimum=True, note=GEOMETRIC_NOTE
    )


@exact_claim(gaussian.geometric_max_mean, control=MEAN_NOISE, cost=0.7, given=("wzw25.lemA.7/printed/max",))
def geometric_maximum(*, factor=1):
    """E max of a geometric number."""
    return decide_count_mean(gaussian.geometric_max_mean, box=GEOMETRIC, factor=factor, note=GEOMETRIC_NOTE)


# Lemmas F.1 and F.2 ---------------------------------------------------------------------------------------


@exact_claim(gaussian.choice_mean, control=CHOICE_NOISE, cost=0.5, given=("wzw25.lemF.1/explicit",))
def chosen_mean(*, factor=1):
    """E excess of the chosen score against 2 sigma sqrt(2 log |Theta|)."""
    note = "for scores given before the noise half the bound suffices (explicit); if they may follow it, 2 is needed"
    return decide_choice_mean(gaussian.choice_mean, factor=factor, note=note)


@exact_claim(gaussian.choice_mean_sharp, control=CHOICE_NOISE, cost=0.6, given=("wzw25.lemA.5/printed/mean",))
def chosen_mean_sharp(*, factor=1):
    """E excess of the chosen score against sigma sqrt(2 log |Theta|)."""
    return decide_choice_mean(gaussian.choice_mean_sharp, factor=factor, note="for scores given before the noise")


@exact_claim(
    gaussian.choice_threshold,
    **PRINTED_RANGE,
    cost=TAIL_COST,
    severity="statement",
    corrected_by="wzw25.lemF.2/corrected",
)
def chosen_tail(*, sigma, factor=1):
    """P(excess > printed level) against beta, for scores (0, gap, ..., gap) with the gap at the level."""
    return decide_tail(gaussian.choice_threshold, CHOICE, sigma=sigma, factor=factor, note=ONLY_TO_ROOT_TWO)


@exact_claim(
    gaussian.choice_threshold_scaled,
    **SCALED,
    control=RANGE_NOISE,
    cost=TAIL_COST,
    given=("wzw25.corA.6/corrected", "wzw25.lemF.1.s3/printed"),
)
def chosen_tail_scaled(*, sigma, factor=1):
    """P(excess > level) against beta, sigma in both terms, for any scores."""
    return decide_tail(gaussian.choice_threshold_scaled, CHOICE_ANY, sigma=sigma, factor=factor)


@exact_claim(gaussian.choice_threshold_sharp, **SCALED, control=RANGE_NOISE, cost=TAIL_COST)
def chosen_tail_sharp(*, sigma, factor=1):
    """P(excess > 2 sigma sqrt(log(|Theta| / beta))) against beta, for scores that do not follow the noise."""
    # The level is nearly tight along n / beta: the certificate needs small boxes, the derivation none.
    law = replace(CHOICE, n_max=1e12, beta_min=1e-12)
    return decide_tail(gaussian.choice_threshold_sharp, law, sigma=sigma, factor=factor)


if __name__ == "__main__":
    from experiments.run import script

    script("gaussian")
