"""Points and records to project, and parameters at the corners of the hypotheses, for the projection claims."""

from math import sqrt

import numpy as np

from lemmata.bounds.exact.certify import HOLDS, at, certify, over
from lemmata.experiments.engine.claims.claim import grid


def points(rng, m, d):
    """m points in R^d: half dense directions, half with two large coordinates; lengths between 0.01 and 100."""
    T = rng.normal(size=(m, d))
    for row in T[: m // 2]:
        row[rng.permutation(d)[2:]] = 0.0
    return T / np.linalg.norm(T, axis=1, keepdims=True) * 10 ** rng.uniform(-2, 2, size=(m, 1))


def corners(size, size_name, parameter, values=(1e-3, 0.3, 0.999), betas=(1e-12, 0.1, 0.5, 1 - 1e-9)):
    """Samples at the corners of the hypotheses: sizes, distortion parameters and failure probabilities at both ends."""
    return grid(**{size_name: size, parameter: list(values), "beta": list(betas)})


def sharp_records(rng, n, d, gamma, b):
    """n signed records of norm b with margin gamma in direction e_1: gamma e_1 +- sqrt(b^2 - gamma^2) v, in pairs."""
    V = rng.normal(size=(-(-n // 2), d - 1))
    V *= sqrt(b**2 - gamma**2) / np.linalg.norm(V, axis=1, keepdims=True)
    return np.column_stack([np.full(n, gamma), np.vstack([V, -V])[:n]])


def above(function, level):
    """Proved: function(x) > level for all x in [0, 1]."""

    def deficit(x):
        return level + 1e-9 - function(x)

    return certify(over(deficit), at(deficit), {"x": (0.0, 1.0)}, 0.0).outcome == HOLDS
