"""Neighbouring databases whose SVMs are far apart, solved exactly, and the best mechanisms on them.

Section 6 of Rubinstein et al. 2009. On the line a database is a list of (y x, multiplicity), and its SVM one rational
number. On the circle of Lemma 19 the dual has two variables, solved by trying every active set. The best
mechanism on a packing is a linear program; the best one that we know for a whole range is randomised response.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, inf

import numpy as np
from flint import arb
from scipy.optimize import linprog

from lemmata.bounds.exact.balls import exact
from lemmata.experiments.checks import witness
from lemmata.experiments.engine.claims.verdict import Verdict, holds, refuted

SOLVER = 1e-9  # relative: what the linear program leaves open
DELTAS = tuple(Fraction(k, 10**6) for k in (1, 10**4, 5 * 10**4, 2 * 10**5, 4 * 10**5))  # failures to try
Rows = list[tuple[Fraction, int]]  # (y x, how many such rows)


def line_svm(rows: Rows, C: Fraction) -> Fraction:
    """The weight w that minimises w^2 / 2 + (C / n) sum_i (1 - v_i w)_+, v_i = y_i x_i, in rational numbers.

    w must lie in the subdifferential of the pull (C / n) sum of v_i over v_i w < 1, a falling step function.

    >>> line_svm([(Fraction(1, 2), 3), (Fraction(-1, 2), 1)], Fraction(1))
    Fraction(1, 4)
    """
    n = sum(count for _, count in rows)
    kinks = sorted({1 / v for v, _ in rows if v})
    ends = [-inf, *kinks, inf]

    def pull(low: Fraction | float, high: Fraction | float) -> Fraction:
        """On the open interval between two kinks, where no margin is 1."""
        inside = high - 1 if low == -inf else low + 1 if high == inf else (low + high) / 2
        return C * sum((count * v for v, count in rows if v * (inside if kinks else 0) < 1), Fraction(0)) / n

    for low, high in pairwise(ends):
        weight = pull(low, high)
        if low <= weight <= high:
            return weight
    for before, kink, after in zip(ends, kinks, ends[2:], strict=False):
        if pull(before, kink) >= kink >= pull(kink, after):
            return kink
    raise AssertionError("a falling step function meets the diagonal")


def lemma_17(*, C: Fraction, n: int, M: Fraction, m: Fraction) -> tuple[Rows, Rows]:
    """The two databases of the proof: they differ in the label of the last row, at M - m."""
    rows = [(M, n - 1)]  # n // 2 rows at -M with label -1, the others at M with label +1: y x = M for all
    return [*rows, (m - M, 1)], [*rows, (M - m, 1)]


def dual_pairs(*, C: Fraction, n: int, gamma: Fraction) -> list[tuple[Fraction, Fraction]]:
    """All (a, b) that satisfy the KKT conditions of Lemma 19's reduced dual, from its nine active sets, exactly."""
    box, pairs = C / n, []
    for state in product(("low", "free", "high"), repeat=2):
        a, b = ({"low": Fraction(0), "high": box}.get(side) for side in state)
        if a is None and b is None:
            a, b = 1 / ((1 - gamma) * (n - 1)), 1 / (1 - gamma)
        elif a is None:
            a = (1 + gamma * b) / (n - 1)
        elif b is None:
            b = 1 + gamma * (n - 1) * a
        slopes = slope_first(a, b, n, gamma), slope_last(a, b, n, gamma)
        signs = {"low": lambda s: s <= 0, "free": lambda s: s == 0, "high": lambda s: s >= 0}
        if all(0 <= x <= box for x in (a, b)) and all(signs[s](d) for s, d in zip(state, slopes, strict=True)):
            pairs.append((a, b))
    return pairs


def slope_first(a, b, n, gamma):
    """The derivative of the reduced dual in a."""
    return (n - 1) * (1 + gamma * b - (n - 1) * a)


def slope_last(a, b, n, gamma):
    """The derivative of the reduced dual in b."""
    return 1 + gamma * (n - 1) * a - b


def circle_kernel(N: int, sigma: float, apart: int = 1) -> arb:
    """The RBF kernel of two of N equidistant points of the unit circle, `apart` places from each other, as a ball."""
    distance = 2 * (arb.pi() * apart / N).sin()
    return (-(distance**2) / (2 * exact(sigma) ** 2)).exp()


def best_failure(odds: float, N: int) -> float:
    """The least failure probability of a mechanism with likelihood ratios <= odds on a packing of N, by linear program.

    Variables: P[i, j], how often the mechanism names ball j on database i, and the least P[i, i].
    """
    size = N * N + 1
    rows, right = [], []
    for i, j, k in product(range(N), repeat=3):
        if i != k:  # P[i, j] <= odds P[k, j]
            row = np.zeros(size)
            row[i * N + j], row[k * N + j] = 1, -odds
            rows, right = [*rows, row], [*right, 0.0]
    for i in range(N):
        total, own = np.zeros(size), np.zeros(size)
        total[i * N : (i + 1) * N] = 1  # what lies in no ball may be lost
        own[i * N + i], own[-1] = -1, 1
        rows, right = [*rows, total, own], [*right, 1.0, 0.0]
    objective = np.zeros(size)
    objective[-1] = -1
    solved = linprog(objective, A_ub=np.array(rows), b_ub=right, method="highs")
    return float(1 + solved.fun)


def cells(radius: Fraction, acc: Fraction) -> int:
    """How many intervals of radius `acc` cover [-radius, radius]."""
    return ceil(radius / acc)


def response(K: int, odds: Fraction) -> Fraction:
    """Failure probability of randomised response over K cells: the own one `odds` times as often as each other one.

    It is (log odds)-differentially private for any data; odds = 1 is the uniform choice, K = 1 the zero function.
    """
    return Fraction(K - 1) / (K - 1 + odds)


def strictly_below(bound: Callable, N: int) -> Verdict:
    """Is what one wrong ball gets < `bound`? Randomised response with odds 3 puts 1 / (N - 1 + odds) into each."""
    odds = Fraction(3)
    put, delta = 1 / (N - 1 + odds), response(N, odds)
    claimed = bound(delta=delta) if N == 2 else bound(delta=delta, N=N)
    if put < claimed:
        return holds("enumeration", "settings")
    name, size = bound.__name__, "" if N == 2 else ", N=N"
    program = f"from {bound.__module__} import {name}\nN, odds = {N}, 3.0\n"
    program += "delta = (N - 1) / (N - 1 + odds)  # of a wrong answer, by randomised response\n"
    program += f"assert not 1 / (N - 1 + odds) < {name}(delta=delta{size})  # what each wrong ball gets"
    words = {"claimed": f"less than {float(claimed):.4g}", "found": "randomised response has exactly that"}
    fields = words | {"python": program}
    return refuted("enumeration", witness.inequality({"N": N, "delta": float(delta)}, put, claimed, **fields))
