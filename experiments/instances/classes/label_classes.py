"""Finite classes of functions for bms22's label privacy: every smallest cover, fat-shattering numbers, worst cases.

Values are integers, in units of rho/4, on a few points; a class is a list of rows.
"""

from itertools import combinations, product

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from lemmata.mechanisms.learners.covers.label_learner import law
from lemmata.mechanisms.privacy import LabelDP
from lemmata.mechanisms.solvers.function_covers import nearness_matrix

RHO = 4  # so that rho/2 and rho are lattice points
VALUES = (-8, -4, -3, -2, -1, 0, 1, 2, 3, 4, 8)  # +-2 rho, +-rho, +-rho/2, and between


def small_classes(points, size, count, seed=0):
    """`count` random classes of 1 to `size` functions on `points` points; on one point all up to three values first."""
    rng = np.random.default_rng(seed)
    if points == 1:
        for most in range(1, 4):
            yield from (np.array(values)[:, None] for values in combinations(VALUES, most))
    for _ in range(count):
        yield np.unique(rng.choice(VALUES, size=(rng.integers(1, size + 1), points)), axis=0)


def truncate(values):
    """The values clipped to [-rho, rho]."""
    return np.clip(values, -RHO, RHO)


def smallest_covers(values, closed):
    """All covers of least size of the truncated class at distance rho/2, each as a tuple of numbers of functions."""
    near = nearness_matrix(truncate(values), RHO / 2, closed=closed)
    for size in range(1, len(near) + 1):
        covers = [chosen for chosen in combinations(range(len(near)), size) if near[list(chosen)].any(axis=0).all()]
        if covers:
            return covers
    raise ValueError("values has no rows")


def margin_loss(values, y, rho):
    """#{i : y_i h(x_i) <= rho} for every function of the class."""
    return (y * values <= rho).sum(axis=1)


def losses_of_covers(points, size, count, *, closed, level):
    """(class, labels, cover, least loss over the cover at margin `level`, least rho-margin loss over the class).

    For every class, all labels and every smallest cover; losses are counts of records.
    """
    for values in small_classes(points, size, count):
        for cover in smallest_covers(values, closed):
            for y in product((-1, 1), repeat=points):
                least = int(margin_loss(truncate(values)[list(cover)], np.array(y), level).min())
                yield values.tolist(), y, cover, least, int(margin_loss(values, np.array(y), RHO).min())


def fat_dimension(values, gap):
    """fat_gap of the class, exactly: the most points shattered with margin `gap`.

    If some witnesses r shatter, so do r_i = v + gap with v a value at x_i: the largest that is at most r_i - gap.
    """
    values = np.asarray(values, dtype=float)
    for size in range(min(values.shape[1], int(np.log2(len(values)))), 0, -1):
        for points in combinations(range(values.shape[1]), size):
            columns = values[:, points].T
            for below in product(*(np.unique(column) for column in columns)):
                low = columns <= np.array(below)[:, None]
                high = columns >= np.array(below)[:, None] + 2 * gap
                patterns = {tuple(p) for p in high.T[(low | high).all(axis=0)]}
                if len(patterns) == 2**size:
                    return size
    return 0


# Where closed covers fail ---------------------------------------------------------------------------------------------

HARD = 0.9  # the share of hard points; all labels are +1
TIED = np.array([[8, 8], [2, 2], [0, 0], [-4, 4]])  # on a hard and on an easy point: 2 rho, rho/2, 0, and a bad one
BAD = 3


def tied_failure(m, epsilon):
    """(chance that the bad function is released, at least; its risk) by Algorithm 4 with the one smallest closed cover.

    The cover is {rho/2, bad}: the first errs everywhere at margin rho/2, the bad one on the hard points alone. With K
    hard points in the sample the bad one has probability 1/(1 + e^{-epsilon (m - K)/2}), at least that at K = 0.95 m
    unless K is larger.
    """
    (cover,) = smallest_covers(TIED, closed=True)
    if cover != (1, BAD):
        raise ValueError(f"cover = {cover} is not the one of the counterexample")
    most = int(0.95 * m)
    return float(binom.cdf(most, m, HARD) * expit(epsilon * (m - most) / 2)), HARD


CLOSED = """
import numpy as np
from lemmata.bounds.bms22.label_privacy import label_bound
from lemmata.mechanisms.learners.covers.label_learner import law
from lemmata.mechanisms.privacy import LabelDP
hard = np.arange(500_000) % 10 > 0  # nine points in ten; all labels are +1, so h = 2 rho has no margin loss
def hypotheses(X):  # rho = 1: the constants 2, 1/2, 0, and one that is wrong on the hard points
    return [np.full(len(X), 2.0), np.full(len(X), 0.5), np.zeros(len(X)), 1.0 - 2.0 * X[:, 0]]
options = dict(privacy=LabelDP(1.0), rho=1.0, hypotheses=hypotheses, balls="closed")
released = law(hard[:, None].astype(float), np.ones(500_000), **options)
assert released.cover.tolist() == [1, 3]  # the smallest cover at distances of at most rho/2, and no other
assert np.exp(released.log_density([3]))[0] > 0.99  # risk 0.9
assert label_bound(m=500_000, d=2, epsilon=1.0, beta=0.1, margin_loss=0.0) < 0.9
"""


# Laws on neighbours ---------------------------------------------------------------------------------------------------


def released(values, y, epsilon, balls="open"):
    """The law of Algorithm 4 on the points where the class has these values."""
    table, X = np.asarray(values, dtype=float), np.arange(len(y), dtype=float)[:, None]
    options = {"rho": float(RHO), "hypotheses": lambda X: table[:, X[:, 0].astype(int)], "balls": balls}
    return law(X, y, privacy=LabelDP(epsilon), **options)


def opposite(m, epsilon):
    """The worst neighbours: two functions that disagree everywhere, all labels equal, and one of them flipped."""
    values = np.array([[4], [-4]]).repeat(m, axis=1)
    return tuple(released(values, y, epsilon) for y in (np.ones(m), np.r_[-1.0, np.ones(m - 1)]))


# Linear functions of one variable -------------------------------------------------------------------------------------


def slopes(count):
    """The pool x -> w x, w on a grid of [-1, 1] with `count` points: a net at distance 1/(count - 1) on [-1, 1]."""
    w = np.linspace(-1, 1, count)
    return lambda X: w[:, None] * X[:, 0]
