"""The steps of the proofs of Lemma 17 and Theorem 18 of Rubinstein et al. 2009, each by itself, in rationals."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from bounds.rbht09 import lower_bounds_proof as steps
from experiments.checks import identity_claim, inequality_claim
from experiments.engine.claim import exact_claim, script
from experiments.instances.packed_databases import DELTAS, lemma_17, line_svm, response, strictly_below

# Lemma 17 -------------------------------------------------------------------------------------------------------------

PAIRS = [(C, n) for C in (Fraction(1, 100), Fraction(1), Fraction(40)) for n in (2, 3, 6, 51)]


def flat_pairs():
    """Databases that satisfy the proof's condition C (M n - m) / n < 1 / M, m up to nearly M: (C, n, M, m)."""
    for C, n in PAIRS:
        for share in (Fraction(1, 50), Fraction(1, 2), Fraction(49, 50)):
            unit = Fraction(1)
            while C * unit**2 * (n - share) >= n:
                unit *= Fraction(9, 10)
            yield {"C": C, "n": n, "M": unit, "m": share * unit}


@identity_claim(steps.first_weight)
def first_solution():
    """The printed solution of D_1 against the exact one."""
    for pair in flat_pairs():
        yield pair, line_svm(lemma_17(**pair)[0], pair["C"]), steps.first_weight(**pair)


@identity_claim(steps.second_weight)
def second_solution():
    """The printed solution of D_2 against the exact one."""
    for pair in flat_pairs():
        yield pair, line_svm(lemma_17(**pair)[1], pair["C"]), steps.second_weight(**pair)


@identity_claim(steps.larger_weight, given=[steps.first_weight, steps.second_weight])
def second_is_larger():
    """The maximum of the two, for any m < M."""
    for pair in flat_pairs():
        first, second = steps.first_weight(**pair), steps.second_weight(**pair)
        yield pair, max(first, second), steps.larger_weight(**pair)


@identity_claim(steps.line_distance, given=[steps.first_weight, steps.second_weight])
def distance_of_the_solutions():
    """The difference of the two solutions."""
    for pair in flat_pairs():
        yield pair, abs(steps.first_weight(**pair) - steps.second_weight(**pair)), steps.line_distance(**pair)


@identity_claim(steps.coordinates, given=[steps.line_distance])
def chosen_coordinates():
    """For accuracies up to the end of the range: the condition, and the distance, which is 2 acc exactly."""
    for C, n in PAIRS:
        top = Fraction(sqrt(C) / (2 * n)) * (1 - Fraction(1, 10**9))
        for acc in (top, top / 2, top / 1000):
            M, m = steps.coordinates(acc=acc, C=C, n=n)
            setting = {"C": C, "n": n, "acc": acc}
            yield setting, 2 * acc, steps.line_distance(C=C, n=n, M=M, m=m)  # refuses M and m that break the condition
            yield setting, 2 * m, M


# Theorem 18: where the probability goes -----------------------------------------------------------------------


@exact_claim(
    steps.wrong_ball_strict,
    quick=({"N": 2},),
    severity="statement",
    corner="≤ in place of <, which is all that the next line needs",
    used=("rbht09.thm18",),
    note="Usefulness says at least 1 − δ, so the rest is at most δ, not less; randomised response leaves exactly δ.",
)
def strictly_less(*, N, factor=1):
    """The wrong one of two balls."""
    return strictly_below(steps.wrong_ball_strict, N)


@inequality_claim(steps.wrong_ball, caught=(1.01, 2))
def wrong_ball_gets_at_most_delta():
    """All that lies outside the own ball, in the wrong one or in neither."""
    for delta in DELTAS:
        for elsewhere in (Fraction(0), Fraction(1, 2), Fraction(1)):
            yield {"delta": delta, "elsewhere": elsewhere}, delta * (1 - elsewhere), steps.wrong_ball(delta=delta)


@inequality_claim(steps.mean_ratio, given=[steps.wrong_ball], caught=(1.01, 2))
def ratio_of_two_probabilities():
    """P_2(ball) / P_1(ball), the first at most delta, the second at least 1 - delta; attained by a response."""
    for odds in (Fraction(101, 100), Fraction(3), Fraction(1000)):
        delta = response(2, odds)
        most = steps.wrong_ball(delta=delta) / (1 - delta)
        yield {"delta": delta}, most, steps.mean_ratio(delta=delta)
        yield {"delta": delta, "by": "response"}, 1 / odds, steps.mean_ratio(delta=delta)


if __name__ == "__main__":
    script(__spec__.name)
