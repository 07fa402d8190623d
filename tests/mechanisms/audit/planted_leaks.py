"""Mechanisms as other people write them: planted leaks, each with its line, and honest twins, for tests of audits."""

import contextlib
import io
import linecache
import random
import secrets

import numpy as np
from sklearn.base import BaseEstimator

from lemmata.mechanisms.privacy import GaussianDP, PureDP

ONE = PureDP(1.0)
COUNT = PureDP(1.0, "add/remove")
X = np.random.default_rng(0).random((12, 2))
y = np.arange(12) % 2


def tidy(x, low=0.0, high=1.0):
    """What an honest mechanism does first."""
    return np.clip(np.nan_to_num(np.asarray(x, dtype=float), nan=0.0), low, high)


def never(leader, releases):
    """No game is played while a search ranks its pairs."""
    return False


def total(x, rng):
    return tidy(x).sum() + rng.laplace()


def unclipped(x, rng):
    return np.minimum(np.nan_to_num(x), 1).sum() + rng.laplace()  # LEAK


def through(x, rng):
    return np.clip(x, 0, 1).sum() + rng.laplace()  # LEAK


def half(x, random_state=None):
    return tidy(x).sum() + np.random.RandomState(random_state).laplace(scale=0.5)  # LEAK


def honest_state(x, random_state=None):
    return tidy(x).sum() + np.random.RandomState(random_state).laplace(scale=1.0)


def scale_from_data(x, seed):
    x = tidy(x)
    return x.mean() + np.random.default_rng(seed).laplace(scale=np.ptp(x) / len(x) + 1e-3)  # LEAK


def scale_from_bounds(x, seed):
    x = tidy(x)
    return x.mean() + np.random.default_rng(seed).laplace(scale=1 / len(x))


def shape_from_data(x, rng):
    return rng.laplace(scale=10.0, size=len(np.unique(tidy(x) > 0.999)))  # LEAK


def shape_from_bounds(x, rng):
    return np.histogram(tidy(x), bins=[0, 0.5, 1])[0] + rng.laplace(scale=2.0, size=2)


def number_of_draws(x, rng):
    best = rng.laplace()
    if tidy(x).max() > 0.5:
        best = max(best, *rng.laplace(size=9))  # LEAK
    return best


def number_of_tries(x, rng):
    return max(total(x, rng) * 0 + rng.laplace(size=10)) + 0 * tidy(x).sum()


def refuses(x, rng):
    if tidy(x).sum() > 3:
        raise ValueError("too much")  # LEAK
    return rng.laplace()


def refuses_no_number(x, rng):
    if not np.isfinite(x).all():
        raise ValueError("Input contains NaN or infinity.")
    return np.clip(x, 0, 1).sum() + rng.laplace()


def global_state(x):
    return tidy(x).sum() + np.random.laplace(scale=0.2)  # noqa: NPY002, LEAK


def standard_library(x):
    return tidy(x).sum() + random.gauss(0, 0.3)  # LEAK


def system_randomness(x):
    return int(tidy(x).sum() > 6) ^ (secrets.randbelow(10) == 0)


class Mean(BaseEstimator):
    """Sums by class, of two columns: a replaced record moves them by 4."""

    def __init__(self, epsilon=1.0, bounds=(0, 1), random_state=None):
        self.epsilon, self.bounds, self.random_state = epsilon, bounds, random_state

    def fit(self, X, y):
        rng = np.random.RandomState(self.random_state)
        X, kinds = self.rows(X), self.kinds(y)
        sums = np.array([X[y == k].sum(axis=0) for k in kinds])
        self.means_ = sums + rng.laplace(scale=self.scale(X), size=sums.shape)  # LEAK of the subclasses
        return self

    def rows(self, X):
        return tidy(X)

    def kinds(self, y):
        return [0, 1]

    def scale(self, X):
        return 4 / self.epsilon


class ReadsClasses(Mean):
    def kinds(self, y):
        return np.unique(y)


class Unclipped(Mean):
    def rows(self, X):
        return np.nan_to_num(X)


class Squeezed(Mean):
    def scale(self, X):
        return 1 / self.epsilon


class TwiceTheBudget(BaseEstimator):
    """Slope and intercept, each with the whole epsilon."""

    def __init__(self, epsilon=1.0, bounds_X=(0, 1), random_state=None):
        self.epsilon, self.bounds_X, self.random_state = epsilon, bounds_X, random_state

    def fit(self, X, y=None):
        rng = np.random.default_rng(self.random_state)
        x = tidy(X)[:, 0]
        self.coef_ = x.sum() + rng.laplace(scale=1 / self.epsilon)  # LEAK, with the next line
        self.intercept_ = (x**2).sum() + rng.laplace(scale=1 / self.epsilon)  # LEAK
        return self


x = X[:, 0]
LEAKS = {  # mechanism, dataset, claim
    "unclipped below": (unclipped, (x,), ONE),
    "NaN through": (through, (x,), ONE),
    "half the noise": (half, (x,), ONE),
    "scale from the data": (scale_from_data, (x,), ONE),
    "shape from the data": (shape_from_data, (x,), ONE),
    "number of draws": (number_of_draws, (0.1 * x,), ONE),
    "raises on a sum": (refuses, (0.3 * x,), ONE),
    "numpy's global state": (global_state, (x,), ONE),
    "random.gauss": (standard_library, (x,), GaussianDP(1.0)),
    "the system's randomness": (system_randomness, (x,), ONE),
    "classes read from the labels": (ReadsClasses(), (X, y), ONE),
    "rows that nobody clips": (Unclipped(), (X, y), ONE),
    "a quarter of the noise": (Squeezed(), (X, y), ONE),
    "intercept with the whole budget": (TwiceTheBudget(), (X,), ONE),  # by a factor of two: the dearest
}
HONEST = {
    "a sum": (total, (x,), ONE),
    "a sum, added to": (total, (x,), COUNT),
    "random_state": (honest_state, (x,), ONE),
    "seed": (scale_from_bounds, (x,), ONE),
    "a histogram": (shape_from_bounds, (x,), ONE),
    "a fixed number of draws": (number_of_tries, (x,), ONE),
    "refuses what is no number": (refuses_no_number, (x,), ONE),
    "sums by class": (Mean(), (X, y), ONE),
    "half of the budget each": (TwiceTheBudget(epsilon=0.5), (X,), ONE),
}


def times_shown(program):
    """How often, of 1000 releases each, the event of a program happens on either side."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {})
    return [int(line.split()[1]) for line in said.getvalue().splitlines()]


def leaks(file, line):
    """Is it a line of this file that is marked as leaking?"""
    return file == __file__ and "LEAK" in linecache.getline(file, int(line))
