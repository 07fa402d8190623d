"""The best private guesses of labels, solved exactly: one label by its chain of datasets, more by linear programs."""

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_array


def least_guessing_error(m: int, q: Fraction, delta: Fraction) -> Fraction:
    """The least (p_0 + 1 - p_m) / 2 over chains p_0, .., p_m of which each step is (log q, delta)-private.

    The largest p_m is an increasing piecewise linear function of p_0, so the minimum lies at one of its kinks.

    >>> least_guessing_error(1, Fraction(3), Fraction(0))
    Fraction(1, 4)
    """

    def step(p: Fraction) -> Fraction:
        return min(q * p + delta, 1 - (1 - p - delta) / q, Fraction(1))

    def end(p: Fraction) -> Fraction:
        for _ in range(m):
            p = step(p)
        return p

    kinks = {Fraction(0)}
    for kink in ((1 - delta) / (1 + q), Fraction(1)):
        for _ in range(m):
            kinks.add(kink)
            kink = 1 - step(1 - kink)  # the least number that one step takes to this one
    return min((p + 1 - end(p)) / 2 for p in kinks if p >= 0)


def least_learning_error(d: int, m: int, epsilon: float, delta: float) -> float:
    """The least mean error over all labellings of d points by an (epsilon, delta)-label-private learner.

    A dataset is the number of positive labels at each point, out of m; what is released, a sign for each point.
    Variables: the law of the release on each dataset, and by how much, for two neighbours, the probability of each
    release exceeds e^epsilon times the other's.

    >>> round(least_learning_error(2, 1, 0.0, 0.0), 6)
    0.5
    """
    datasets, releases = list(product(range(m + 1), repeat=d)), list(product((0, 1), repeat=d))
    pairs = [(a, b) for a, b in product(datasets, repeat=2) if np.abs(np.subtract(a, b)).sum() == 1]
    law = {key: i for i, key in enumerate(product(datasets, releases))}
    excess = {key: len(law) + i for i, key in enumerate(product(pairs, releases))}
    objective = np.zeros(len(law) + len(excess))
    for labels, release in product(releases, repeat=2):
        objective[law[tuple(m * label for label in labels), release]] = np.not_equal(labels, release).mean() / 2**d
    limits = lil_array((len(excess) + len(pairs), len(objective)))
    for i, ((a, b), release) in enumerate(excess):
        limits[i, [law[a, release], law[b, release], excess[(a, b), release]]] = 1, -exp(epsilon), -1
    for i, pair in enumerate(pairs, len(excess)):
        limits[i, [excess[pair, release] for release in releases]] = 1
    total = lil_array((len(datasets), len(objective)))
    for i, counts in enumerate(datasets):
        total[i, [law[counts, release] for release in releases]] = 1
    right = np.repeat([0.0, delta], [len(excess), len(pairs)])
    solved = linprog(
        objective, A_ub=limits.tocsr(), b_ub=right, A_eq=total.tocsr(), b_eq=np.ones(len(datasets)), method="highs"
    )
    return float(solved.fun)
