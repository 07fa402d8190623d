"""Is there really no private SVM that is too accurate? Rubinstein et al. 2009, Definition 4, Lemma 17, Theorem 18.

The databases are built and solved exactly, in rational numbers. On a packing the best mechanism is a linear program;
that is the equality (`def4`) all bounds rest on. The mechanisms that beat a printed bound are randomised responses over
cells that cover every SVM, exact in privacy and in usefulness.
"""

from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import numpy as np

from lemmata.bounds.rbht09 import lower_bounds as bounds, svm_sensitivity
from lemmata.bounds.theorem import positive, require
from lemmata.experiments.checks import Step, equality, identity_claim, inequality_claim, run_script
from lemmata.experiments.instances.pairs.packed_databases import (
    DELTAS,
    SOLVER,
    best_failure,
    cells,
    lemma_17,
    line_svm,
    response,
)
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.solvers.svm import solve_rows

DATABASES = [(Fraction(1, 9), 2), (Fraction(1), 3), (Fraction(4), 6), (Fraction(25), 50), (Fraction(100), 10**6)]
NOBODY = "read 1 − δ for δ in Definition 2, as every proof does"


def root(C):
    """sqrt(C) of a rational square."""
    return Fraction(sqrt(C)).limit_denominator(10**6)


# Definition 4 ---------------------------------------------------------------------------------------------------------


@identity_claim(bounds.packing_level, rounding=SOLVER, caught=(1.001, 2))
def best_mechanism_on_a_packing():
    """The least failure of any mechanism with likelihood ratios <= odds, by linear program, put into the formula."""
    for N in (2, 3, 5, 7):
        for odds in (1.25, 3.0, 40.0):
            yield {"N": N, "odds": odds}, bounds.packing_level(delta=best_failure(odds, N), N=N), log(odds)
        yield {"N": N, "odds": 1}, bounds.packing_level(delta=min(0.999, best_failure(1.0, N) + 1e-6), N=N), 0


# Lemma 17 -------------------------------------------------------------------------------------------------------------


def apart(*, C, n, share):
    """How far the solutions are apart for the accuracy halfway from a share of the range to its end."""
    M, m = bounds.coordinates(acc=(1 + share) / 2 * bounds.line_accuracy(C=C, n=n), C=C, n=n)
    return abs(bounds.first_weight(C=C, n=n, M=M, m=m) - bounds.second_weight(C=C, n=n, M=M, m=m))


def solved():
    """`apart` of the databases themselves, whose SVMs are solved exactly, and by the certified QP solver."""
    for (C, n), share in product(DATABASES, (Fraction(1, 1000), Fraction(1, 2), Fraction(999, 1000))):
        setting, claimed = {"C": C, "n": n, "share": share}, apart(C=C, n=n, share=share)
        M, m = bounds.coordinates(acc=(1 + share) / 2 * Fraction(bounds.line_accuracy(C=C, n=n)), C=C, n=n)
        pair = lemma_17(C=C, n=n, M=M, m=m)
        exactly = [line_svm(rows, C) for rows in pair]
        yield setting, abs(abs(exactly[0] - exactly[1]) - claimed), 1e-14 * max(exactly)
        yield setting, 2 * share * bounds.line_accuracy(C=C, n=n), abs(exactly[0] - exactly[1])
        if n <= 50:
            rows = [([[float(v)] for v, _ in database], [count for _, count in database]) for database in pair]
            found = [solve_rows(X, [1.0, 1.0], C=float(C), counts=counts) for X, counts in rows]
            wrong = sum(abs(one.weights[0] - float(w)) for one, w in zip(found, exactly, strict=True))
            yield setting, wrong, sum(one.error for one in found) + 1e-12


@inequality_claim(
    bounds.line_accuracy,
    measured=solved,
    cost=0.2,
    over=[positive("share"), require("share < 1", lambda share: share < 1)],
    given=[bounds.coordinates, bounds.first_weight, bounds.second_weight, bounds.line_distance],
    steps=[Step("(ε + top)/2 > ε")],
    note="At x = 1 the printed M and m give exactly 2ε; more than that comes from the same construction at a "
    "slightly larger ε. Over a bounded set that contains the data the range differs: parts `region`.",
    tightness=equality,
)
def printed_databases_are_far():
    """The proof's databases for an accuracy halfway from `acc`, a share of the range, to its end."""
    for C, n, share in product((1, 25), (2, 50), (1e-3, 0.999)):
        acc = share * bounds.line_accuracy(C=C, n=n)
        yield {"C": C, "n": n, "share": share}, 2 * acc * (1 + (1 - share) / 4), apart(C=C, n=n, share=share)


def neighbours_on_the_line(n, C, rng, scale, size=60):
    """Weights of databases that share n - 1 random rows, the last one anywhere: pairwise neighbours."""
    draws = [[Fraction(int(k), 8) / scale for k in rng.integers(-24, 25, n - 1)] for _ in range(3)]
    for rows in [*draws, [1 / scale] * (n - 1)]:
        lasts = [Fraction(int(k), 4) * n / scale for k in rng.integers(-8, 9, size // 4)]
        yield [line_svm([*((v, 1) for v in rows), (last, 1)], C) for last in lasts]


@inequality_claim(
    bounds.line_accuracy_sharp,
    caught=(1.001, 2),
    note="n + 1 times the printed range: one far row moves the SVM from √C to −√C/n",
    tightness=equality,
)
def farthest_neighbours_on_the_line():
    """The pair that attains it, and neighbours that never exceed it."""
    for C, n in DATABASES:
        r, most = root(C), 2 * bounds.line_accuracy_sharp(C=C, n=n)
        same, other = (line_svm([(1 / r, n - 1), (last, 1)], C) for last in (1 / r, -n / r))
        yield {"C": C, "n": n}, most, same - other
        yield {"C": C, "n": n}, same - other, most
        if n <= 6:
            for weights in neighbours_on_the_line(n, C, generator(1, "lower_bounds.line", {"n": n}, "main", 0), r):
                yield {"C": C, "n": n, "rows": "random"}, max(weights) - min(weights), most


@identity_claim(bounds.region_accuracy, given=[svm_sensitivity.weight_sensitivity_sharp], caught=(1.001, 2))
def flipped_label_in_a_region():
    """The pair in rational numbers; for C R^2 <= 1 also Lemma 21's sharp sensitivity, which no pair exceeds."""
    for C, n in DATABASES:
        for R in (Fraction(1, 8), 1 / root(C), Fraction(3)):
            x = min(R, 1 / root(C))
            same, flipped = (line_svm([(x, n - 1), (v, 1)], C) for v in (x, -x))
            largest = 2 * bounds.region_accuracy(C=C, n=n, R=R)
            yield {"C": C, "n": n, "R": R}, R * (same - flipped), largest
            if C * R**2 <= 1:
                moved = svm_sensitivity.weight_sensitivity_sharp(n=n, C=C, F=1, kappa=R)
                yield {"C": C, "n": n, "R": R, "by": "Lemma 21"}, float(R) * moved, largest


# Theorem 18 -----------------------------------------------------------------------------------------------------------


def responses(radius, acc, n):
    """(log-ratio, failure) of randomised responses over cells that cover [-radius, radius], and of Laplace noise.

    Every SVM is within acc of the centre of its cell. Laplace noise of scale 2 radius / beta on any SVM, then clipped.
    """
    for odds in (1, 2, 5, 50):
        K = cells(Fraction(radius), Fraction(acc))
        yield {"n": n, "cells": K, "odds": odds}, log(odds), float(response(K, Fraction(odds)))
    for beta in (0.1, 1.0, 5.0):
        yield {"n": n, "Laplace": beta}, beta, exp(-beta * float(acc / radius) / 2)


@inequality_claim(
    bounds.line_level,
    given=[bounds.line_accuracy, bounds.packing_level, bounds.wrong_ball, bounds.mean_ratio],
    rounding=SOLVER,
    note="tight: on the two databases randomised response attains it",
)
def two_databases_decide():
    """The best mechanism on the two databases of Lemma 17, and concrete ones that are useful on the whole line."""
    for C, n in DATABASES:
        acc = bounds.line_accuracy(C=C, n=n) * 0.999
        setting = {"C": float(C), "n": n, "acc": acc}
        for delta in DELTAS:
            claimed = bounds.line_level(delta=delta, **setting)
            yield setting | {"delta": delta}, claimed, bounds.packing_level(delta=delta, N=2)
            yield setting | {"delta": delta, "by": "step 3"}, claimed, -log(bounds.mean_ratio(delta=delta))
        for odds in (1.5, 10.0):
            yield setting | {"odds": odds}, bounds.line_level(delta=best_failure(odds, 2), **setting), log(odds)
        for mechanism, beta, failure in responses(root(C), Fraction(acc), n):
            if 0 < failure < 0.5:
                yield setting | mechanism, bounds.line_level(delta=failure, **setting), beta


@inequality_claim(
    bounds.line_packing_level, given=[bounds.line_accuracy_sharp, bounds.packing_level], rounding=SOLVER, cost=0.2
)
def many_databases_decide():
    """The packing built and solved exactly, its size counted, and the best mechanism on it."""
    for C, n in DATABASES[:4]:
        r = root(C)
        for share in (Fraction(99, 100), Fraction(1, 2), Fraction(3, 10), Fraction(1, 6)):
            acc = share * r * (n + 1) / (2 * n)
            ends, N = (-r / n, r), 1
            while N * 2 * acc < ends[1] - ends[0]:
                N += 1
            targets = [ends[0] + (ends[1] - ends[0]) * i / (N - 1) for i in range(N)]
            lasts = [(w - r * (n - 1) / n) * n / C for w in targets]
            solved = [line_svm([(1 / r, n - 1), (v, 1)], C) for v in lasts]
            setting = {"C": C, "n": n, "acc": float(acc), "N": N}
            yield setting | {"by": "separation"}, 2 * acc, min(np.diff(solved))
            for odds in (2.0, 30.0):
                level = bounds.line_packing_level(delta=best_failure(odds, N), acc=float(acc), C=float(C), n=n)
                yield setting | {"odds": odds}, level, log(odds)


@inequality_claim(
    bounds.line_level_defined,
    severity="statement",
    misprint=NOBODY,
    corrected_by=bounds.line_level,
    python="""
from lemmata.bounds.rbht09.lower_bounds import line_level_defined
C, n, acc = 1.0, 2, 0.24  # acc < sqrt(C) / (2 n) = 0.25
centres = [-0.8, -0.4, 0.0, 0.4, 0.8]  # 5 intervals of radius acc cover [-1, 1], where every w* lies
assert all(min(abs(w / 100 - c) for c in centres) <= acc for w in range(-100, 101))
# released: one of the five, uniformly, whatever the data: 0-private, and right with probability 1/5
assert line_level_defined(delta=1 / 5, acc=acc, C=C, n=n) > 1.3""",
    note="a uniform choice among 2n + 1 constants succeeds with probability 1/(2n + 1) on every database and does not "
    "look at the data",
)
def useful_by_chance():
    """The uniform choice: log-ratio 0, success 1 / K on every database, with w* in [-sqrt(C), sqrt(C)]."""
    for n in (2, 10, 1000):
        acc = Fraction(bounds.line_accuracy(C=1.0, n=n)) * Fraction(96, 100)
        success = 1 - response(cells(Fraction(1), acc), Fraction(1))
        setting = {"C": 1.0, "n": n, "acc": float(acc)}
        yield setting | {"delta": success}, bounds.line_level_defined(delta=float(success), **setting), 0


@inequality_claim(
    bounds.region_level,
    severity="statement",
    corner=require(
        "ε < min{CR², √C R}/n; at R = 1 this contains the printed range for every C ≥ 1/4",
        lambda acc, C, R, n: acc < bounds.region_accuracy(C=C, n=n, R=R),
    ),
    python="""
from lemmata.bounds.rbht09.lower_bounds import region_level
from lemmata.mechanisms.learners.erm.private_svm import solve
C, n, R, acc = 0.025, 2, 1.0, 0.0355  # acc < sqrt(C) / (2 n) = 0.0395
# |f*| <= C on [-1, 1]: w* is (C / n) times a sum of n numbers in [-1, 1]
assert max(abs(solve([[a], [b]], [1, 1], C=C).weights[0]) for a in (-1.0, 1.0) for b in (-1.0, 0.5, 1.0)) <= acc
# released: the zero function, whatever the data: 0-private, and within acc with probability 1
assert region_level(delta=0.05, acc=acc, C=C, n=n, R=R) > 2.9""",
    note="Section 2 announces the sup-norm over a set that contains the data, and Section 6 drops the set. On [−1, 1] "
    "and for C < 1/(4n²) the zero function is useful and private. The paper's choice C = √n is far from there",
)
def zero_function_in_a_small_region():
    """Every SVM over [-1, 1] is at most C in size; the zero function is then a response over one cell."""
    for n in (2, 10, 1000):
        C, R = 1 / (10.0 * n**2), 1.0
        acc = 0.9 * bounds.line_accuracy(C=C, n=n)
        largest = line_svm([(Fraction(1), n)], Fraction(C))
        yield {"C": C, "n": n, "R": R, "of": "the largest SVM"}, largest, acc
        delta = max(0.05, float(response(cells(largest, Fraction(acc)), Fraction(1))))
        yield {"C": C, "n": n, "R": R, "delta": delta}, bounds.region_level(delta=delta, acc=acc, C=C, n=n, R=R), 0


@inequality_claim(bounds.region_level_corrected, given=[bounds.region_accuracy, bounds.packing_level], rounding=SOLVER)
def two_databases_decide_in_a_region():
    """The best mechanism on the pair of `region_accuracy`, and responses over cells of the whole range."""
    for (C, n), R in product(DATABASES, (0.25, 1.0, 3.0)):
        radius = min(float(C) * R**2, sqrt(C) * R)  # of every f* over [-R, R]
        setting = {"C": float(C), "n": n, "R": R, "acc": 0.999 * bounds.region_accuracy(C=C, n=n, R=R)}
        for delta in DELTAS:
            claimed = bounds.region_level_corrected(delta=delta, **setting)
            yield setting | {"delta": delta}, claimed, bounds.packing_level(delta=delta, N=2)
        for mechanism, beta, failure in responses(Fraction(radius), Fraction(setting["acc"]), n):
            if 0 < failure < 0.5:
                yield setting | mechanism, bounds.region_level_corrected(delta=failure, **setting), beta


@inequality_claim(
    bounds.least_failure,
    finding="e^−β is printed for 1/(1 + e^β) in sentence 2",
    severity="constant",
    rounding=SOLVER,
    python="""
from math import exp
from lemmata.bounds.rbht09.lower_bounds import least_failure
C, n, beta = 0.2, 2, 1.0
acc = C / 2  # < sqrt(C) / (2 n) = 0.1118; over [-1, 1] every f*(1) lies in [-C, C]
# released: +-C / 2, the one with the sign of f*(1) with probability e^beta / (1 + e^beta): beta-private
delta = 1 / (1 + exp(beta))  # of missing f* by more than acc
assert acc < C**0.5 / (2 * n) and delta < least_failure(beta=beta) - 0.09""",
    note="log((1 − δ)/δ) ≤ β means δ ≥ 1/(1 + e^β), and e^−β is larger. Two mechanisms have a δ between these "
    "values. One is randomised response between two halves (n = 2, C = 0.2, the norm over [−1, 1]), at every β. The "
    "other, for β < log(2n/(2n − 1)), is the response over 2n + 1 cells for databases on the whole line",
)
def private_and_useful_all_the_same():
    """Failure probabilities of responses with log-ratio beta, acc inside the printed range."""
    for n, C, radius in ((2, Fraction(1, 5), Fraction(1, 5)), (2, Fraction(1), Fraction(1))):
        acc = min(C / 2, Fraction(bounds.line_accuracy(C=C, n=n)) * Fraction(96, 100))
        K = cells(radius, acc)
        for odds in (Fraction(20), Fraction(3), Fraction(11, 10)):
            yield {"n": n, "C": C, "cells": K, "odds": odds}, bounds.least_failure(beta=log(odds)), response(K, odds)


@inequality_claim(
    bounds.least_failure_corrected,
    given=[bounds.line_level, bounds.packing_level],
    rounding=SOLVER,
    note="attained for every β: n = 2, C < 1/4, the sup-norm over [−1, 1], accuracy C/2",
)
def least_failure_is_attained():
    """The best mechanism on two databases; the level that the first sentence has at this failure; a response."""
    for odds in (1.1, 2.0, 20.0, 1e4):
        beta = log(odds)
        claimed = bounds.least_failure_corrected(beta=beta)
        yield {"beta": beta}, claimed, best_failure(odds, 2)
        yield {"beta": beta, "by": "response"}, claimed, float(response(2, Fraction(odds)))
        level = bounds.line_level(delta=claimed, acc=0.01, C=1.0, n=10)
        yield {"beta": beta, "by": "first sentence"}, beta, level
        yield {"beta": beta, "by": "first sentence"}, level, beta


if __name__ == "__main__":
    run_script(__file__)
