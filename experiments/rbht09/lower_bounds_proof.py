"""The steps of the proofs of Lemma 17 and Theorem 18 of Rubinstein et al. 2009, each by itself, in rationals."""

from fractions import Fraction
from functools import partial
from itertools import product

from lemmata.bounds.rbht09 import lower_bounds as bounds
from lemmata.bounds.theorem import between
from lemmata.experiments.checks import Step, exact_claim, identity_claim, inequality_claim, run_script
from lemmata.experiments.instances.pairs.packed_databases import lemma_17, line_svm, response, strictly_below

# Lemma 17 -------------------------------------------------------------------------------------------------------------

FLAT = tuple(product((Fraction(1, 100), Fraction(3)), (2, 51), (Fraction(1, 2),), (Fraction(1, 100), Fraction(1, 4))))


def solve_pairs(position, statement):
    """The exact solution of D_1 or D_2, for M short enough for the proof's condition, m up to nearly M."""
    for C, n, share in product((Fraction(1, 100), Fraction(1), Fraction(40)), (2, 3, 6, 51), (0.02, 0.5, 0.98)):
        M = Fraction(1)
        while C * M**2 * (n - Fraction(share)) >= n:
            M *= Fraction(9, 10)
        pair = {"C": C, "n": n, "M": M, "m": Fraction(share) * M}
        yield pair, line_svm(lemma_17(**pair)[position], C), statement(**pair)


def pull(rows, best, C, n, M):
    """(C/n) sum of y x over the rows whose margin is below 1: all of them, no longer than M, where that of M is."""
    return C * sum(count * v for v, count in rows) * int(best * M < 1) / n


@identity_claim(
    bounds.first_weight,
    measured=partial(solve_pairs, 0, bounds.first_weight),
    steps=[Step("the optimality condition, all rows active")],
)
def first_solution():
    """The pull of D_1 at the printed solution, which is the solution where it equals it."""
    for C, n, M, m in FLAT:
        pair = {"C": C, "n": n, "M": M, "m": m}
        best = bounds.first_weight(**pair)
        yield pair, pull(lemma_17(**pair)[0], best, C, n, M), best


@identity_claim(
    bounds.second_weight,
    measured=partial(solve_pairs, 1, bounds.second_weight),
    steps=[Step("the optimality condition, all rows active")],
)
def second_solution():
    """The pull of D_2 at the printed solution."""
    for C, n, M, m in FLAT:
        pair = {"C": C, "n": n, "M": M, "m": m}
        best = bounds.second_weight(**pair)
        yield pair, pull(lemma_17(**pair)[1], best, C, n, M), best


@identity_claim(bounds.larger_weight, steps=[Step("algebra")])
def second_is_larger():
    """The maximum of the two, for any m < M."""
    for C, n, M, m in product((Fraction(1, 3), 5), (2, 3, 50), (1, 7), (Fraction(1, 9), 6)):
        if m < M:
            pair = {"C": C, "n": n, "M": M, "m": m}
            first, second = (weight.theorem.formula(**pair) for weight in (bounds.first_weight, bounds.second_weight))
            yield pair, max(first, second), bounds.larger_weight(**pair)


@identity_claim(bounds.line_distance, given=[bounds.first_weight, bounds.second_weight], steps=[Step("M > m")])
def distance_of_the_solutions():
    """The difference of the two solutions."""
    for C, n, M, m in FLAT:
        pair = {"C": C, "n": n, "M": M, "m": m}
        yield pair, abs(bounds.first_weight(**pair) - bounds.second_weight(**pair)), bounds.line_distance(**pair)


@identity_claim(bounds.coordinates, given=[bounds.line_distance], steps=[Step("M = 2m")])
def chosen_coordinates():
    """The distance is 2 acc; the condition, C (Mn - m)/n M = (2 n acc)^2 (1 - 1/(2n))/C < 1."""
    for C, n, acc in product((Fraction(1), Fraction(4)), (2, 10), (Fraction(1, 100), Fraction(49, 1000))):
        setting = {"C": C, "n": n, "acc": acc}
        M, m = bounds.coordinates(**setting)
        yield setting, 2 * acc, bounds.line_distance(C=C, n=n, M=M, m=m)
        yield setting, 2 * m, M
        yield setting, C * (M * n - m) / n * M, (2 * n * acc) ** 2 / C * (1 - Fraction(1, 2) / n)


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


@inequality_claim(
    bounds.wrong_ball, over=[between("own", 0, 1), between("elsewhere", 0, 1)], steps=[Step("the balls are disjoint")]
)
def wrong_ball_gets_at_most_delta():
    """All that lies outside the own ball, which has chance 1 - delta at least, in the wrong one or in neither."""
    for delta, own, elsewhere in product((0.1, 0.9), (0.0, 0.5), (0.0, 0.5)):
        chance = 1 - delta + own * delta  # of the own ball
        yield (
            {"delta": delta, "own": own, "elsewhere": elsewhere},
            (1 - chance) * (1 - elsewhere),
            bounds.wrong_ball(delta=delta),
        )


def responses():
    """A randomised response attains it."""
    for odds in (Fraction(101, 100), Fraction(3), Fraction(1000)):
        yield {"delta": response(2, odds), "wrong": 1, "own": 0}, 1 / odds


@inequality_claim(
    bounds.mean_ratio,
    measured=responses,
    over=[between("wrong", 0, 1), between("own", 0, 1)],
    given=[bounds.wrong_ball],
    steps=[Step("P_2 ≤ δ and P_1 ≥ 1 - δ on the ball")],
)
def ratio_of_two_probabilities():
    """P_2(ball) / P_1(ball), the first a share of what is left to it, the second at least 1 - delta."""
    for delta, wrong, own in product((0.1, 0.9), (0.5, 1.0), (0.0, 1.0)):
        ratio = wrong * bounds.wrong_ball(delta=delta) / (1 - delta + own * delta)
        yield {"delta": delta, "wrong": wrong, "own": own}, ratio, bounds.mean_ratio(delta=delta)


if __name__ == "__main__":
    run_script(__file__)
