"""What the tests of the learners of bms22 share: records, parameters, generators."""

import numpy as np
from scipy.stats import chisquare

from lemmata.mechanisms.privacy import ApproxDP
from tests.streams import streams

PRIVATE = dict(privacy=ApproxDP(1.0, 1e-3), beta=0.1)
HINGE = dict(rho=0.5, radius=1.0, norm_bound=1.0)
rng = streams("phased_sgd")


def problem(n=20, k=3, seed=0):
    """n rows of norm up to 1.5, one of them 0, random labels."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, k))
    X *= random.uniform(0.1, 1.5, size=(n, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    X[n // 2] = 0.0
    return X, random.choice([-1.0, 1.0], n)


def sample_of(m, d, seed=0):
    """m unit vectors, random labels."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(m, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True), random.choice([-1.0, 1.0], m)


def fit_of_errors(released, errors):
    """The p-value of a chi-square test: do six-record `errors` of releases follow the law of a selection?"""
    chances = np.bincount(released.errors, np.exp(released.selection.log_probabilities()), minlength=7)
    seen = chances > 1e-4
    counts = np.bincount(errors, minlength=7)[seen]
    return chisquare(counts, chances[seen] / chances[seen].sum() * counts.sum()).pvalue
