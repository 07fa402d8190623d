"""The steps of the proofs of Lemma 17 and Theorem 18 of Rubinstein et al. 2009, each by itself, in rationals."""

from fractions import Fraction
from itertools import product
from math import sqrt

from lemmata.bounds.rbht09 import lower_bounds as bounds
from lemmata.experiments.checks import Step, identity_claim, inequality_claim
from lemmata.experiments.engine.claims.claim import exact_claim
from lemmata.experiments.instances.pairs.packed_databases import DELTAS, lemma_17, line_svm, response, strictly_below

# Lemma 17 -------------------------------------------------------------------------------------------------------------

PAIRS = [(C, n) for C in (Fraction(1, 100), Fraction(1), Fraction(40)) for n in (2, 3, 6, 51)]


def flat_pairs():
    """Databases that satisfy the proof's condition C (M n - m) / n < 1 / M, m up to nearly M: (C, n, M, m)."""
    for (C, n), share in product(PAIRS, (Fraction(1, 50), Fraction(1, 2), Fraction(49, 50))):
        unit = Fraction(1)
        while C * unit**2 * (n - share) >= n:
            unit *= Fraction(9, 10)
        yield {"C": C, "n": n, "M": unit, "m": share * unit}


@identity_claim(bounds.first_weight)
def first_solution():
    """The printed solution of D_1 against the exact one."""
    for pair in flat_pairs():
        yield pair, line_svm(lemma_17(**pair)[0], pair["C"]), bounds.first_weight(**pair)


@identity_claim(bounds.second_weight)
def second_solution():
    """The printed solution of D_2 against the exact one."""
    for pair in flat_pairs():
        yield pair, line_svm(lemma_17(**pair)[1], pair["C"]), bounds.second_weight(**pair)


@identity_claim(bounds.larger_weight, steps=[Step("algebra")])
def second_is_larger():
    """The maximum of the two, for any m < M."""
    for C, n, M, m in product((Fraction(1, 3), 5), (2, 3, 50), (1, 7), (Fraction(1, 9), 6)):
        if m < M:
            pair = {"C": C, "n": n, "M": M, "m": m}
            first, second = (weight.theorem.formula(**pair) for weight in (bounds.first_weight, bounds.second_weight))
            yield pair, max(first, second), bounds.larger_weight(**pair)


@identity_claim(bounds.line_distance, given=[bounds.first_weight, bounds.second_weight])
def distance_of_the_solutions():
    """The difference of the two solutions."""
    for pair in flat_pairs():
        yield pair, abs(bounds.first_weight(**pair) - bounds.second_weight(**pair)), bounds.line_distance(**pair)


@identity_claim(bounds.coordinates, given=[bounds.line_distance])
def chosen_coordinates():
    """For accuracies up to the end of the range: the condition, and the distance, which is 2 acc exactly."""
    for C, n in PAIRS:
        top = Fraction(sqrt(C) / (2 * n)) * (1 - Fraction(1, 10**9))
        for acc in (top, top / 2, top / 1000):
            M, m = bounds.coordinates(acc=acc, C=C, n=n)
            setting = {"C": C, "n": n, "acc": acc}
            yield setting, 2 * acc, bounds.line_distance(C=C, n=n, M=M, m=m)  # refuses M and m that break the condition
            yield setting, 2 * m, M


# Theorem 18: where the probability goes -----------------------------------------------------------------------


@exact_claim(
    bounds.wrong_ball_strict,
    quick=({"N": 2},),
    severity="statement",
    misprint="read ≤ for <; the next line needs no more",
    note="usefulness gives the right ball a probability of at least 1 − δ, so the rest has at most δ, not less "
    "than δ; randomised response leaves exactly δ",
)
def strictly_less(*, N, factor=1):
    """The wrong one of two balls."""
    return strictly_below(bounds.wrong_ball_strict, N)


@inequality_claim(bounds.wrong_ball)
def wrong_ball_gets_at_most_delta():
    """All that lies outside the own ball, in the wrong one or in neither."""
    for delta, elsewhere in product(DELTAS, (Fraction(0), Fraction(1, 2), Fraction(1))):
        yield {"delta": delta, "elsewhere": elsewhere}, delta * (1 - elsewhere), bounds.wrong_ball(delta=delta)


@inequality_claim(bounds.mean_ratio, given=[bounds.wrong_ball])
def ratio_of_two_probabilities():
    """P_2(ball) / P_1(ball), the first at most delta, the second at least 1 - delta; attained by a response."""
    for odds in (Fraction(101, 100), Fraction(3), Fraction(1000)):
        delta = response(2, odds)
        yield {"delta": delta}, bounds.wrong_ball(delta=delta) / (1 - delta), bounds.mean_ratio(delta=delta)
        yield {"delta": delta, "by": "response"}, 1 / odds, bounds.mean_ratio(delta=delta)


if __name__ == "__main__":
    import lemmata

    lemmata.script(__file__)
