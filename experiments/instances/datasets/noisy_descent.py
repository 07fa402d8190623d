"""What noisy gradient descent is tried on: separable records, and how far a run can get."""

from math import pi, sqrt

import numpy as np
from scipy.stats import norm


def separable(n, d, gamma):
    """n unit vectors gamma e_1 +- sqrt(1 - gamma^2) e_j, j = 2..d in turn: margin gamma in the direction e_1."""
    X = np.zeros((n, d))
    X[:, 0] = gamma
    for i in range(n):
        if d > 1:
            X[i, 1 + (i // 2) % (d - 1)] = (-1) ** i * sqrt(1 - gamma**2)
    return X


def ceiling(law, gradient_norm, distance, coefficients):
    """(M, tau): the excess X <= G0 ||release - w_ref|| has E (X - M)_+ <= tau.

    The release is w_0 minus a drift of norm at most G0 sum(a_t) and Gaussian noise of standard deviation s = sigma |a|,
    a_t the `coefficients` of step t's gradient. E (chi_d - sqrt(d) - r)_+ <= sqrt(2 pi) Phi(-r), at r = 7.
    """
    d, s = len(law.start), law.sigma * float(np.linalg.norm(coefficients))
    top = distance + gradient_norm * float(np.sum(coefficients)) + s * (sqrt(d) + 7)
    return gradient_norm * top, gradient_norm * s * sqrt(2 * pi) * float(norm.sf(7))
