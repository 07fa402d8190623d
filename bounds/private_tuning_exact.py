"""The exact privacy curve of the best of a random number of runs that release a Gaussian score and nothing else.

What no account of private tuning (`bounds.private_tuning`) can go below: such runs are mu-GDP, and their best score has
a distribution function in closed form. In floats; `bounds.private_tuning_balls` encloses the same.
"""

from __future__ import annotations

from math import exp, expm1, log

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from bounds.private_tuning import sharp_epsilon
from bounds.theorem import at_least, positive, theorem
from bounds.tnb import ETA, UNIT_R


@theorem(
    "wzw25.lemK.1",
    part="score-only",
    reading="explicit",
    kind="identity",
    says=r"u\sim N(0,1)\ \mathrm{or}\ N(\pm\mu,1):\quad f_{\min_{t\le K}u_t}(u)="
    r"\frac{f(u)\,\mathbb{E}[K]\,r^{\eta+1}}{\left(1-(1-r)\Pr[U>u]\right)^{\eta+1}},\quad "
    r"\delta_A(\varepsilon)=\int\left(f_{\min}-e^{\varepsilon}f'_{\min}\right)_+",
    needs=[at_least("epsilon", 0), positive("mu"), ETA, UNIT_R],
    source="derived here from Definition A.1",
)
def score_only_delta(*, epsilon, mu, r, eta=1.0):
    """The exact privacy curve of the best score, where a run releases a Gaussian score and nothing else

    The larger of both orders of the pair. The best of K scores is at most u with probability 1 - G(P(U > u)), so the
    hockey-stick divergence is a sum of differences of distribution functions over the intervals where the log ratio
    of the densities exceeds epsilon. The ratio is monotone for r near 1 only; for small r there may be two intervals.
    Changes of sign are looked for on a grid of u, spaced about 0.006, and refined.

    >>> round(score_only_delta(epsilon=0.4791, mu=0.1, r=1 / 495) * 1e5, 2)
    1.0
    """
    return float(max(_one_order(epsilon, mu, r, eta), _one_order(epsilon, -mu, r, eta)))


def _one_order(epsilon, shift, r, eta):
    def surplus(u):
        tails = np.log(r + (1 - r) * ndtr(u - shift)) - np.log(r + (1 - r) * ndtr(u))
        return shift * (shift / 2 - u) + (eta + 1) * tails - epsilon

    reach = 12 + abs(shift) + epsilon / abs(shift)
    grid = np.linspace(-reach, reach, 4001)
    signs = surplus(grid) > 0
    changes = np.flatnonzero(signs[1:] != signs[:-1])
    ends = [brentq(surplus, grid[i], grid[i + 1], xtol=1e-14) for i in changes]
    ends = ([-np.inf] if signs[0] else []) + ends + ([np.inf] if signs[-1] else [])

    def mass(centre, low, high):  # of the best score in (low, high)
        return best_at_most(eta, r, ndtr(high - centre)) - best_at_most(eta, r, ndtr(low - centre))

    pairs = zip(ends[::2], ends[1::2], strict=True)
    return max(0.0, sum(mass(0.0, *pair) - exp(epsilon) * mass(shift, *pair) for pair in pairs))


def best_at_most(eta, r, F):
    """P(best of K scores <= u) where one is at most u with probability F: [1 - (r/s)^eta] / (1 - r^eta).

    >>> round(float(best_at_most(1, 0.5, 0.5)), 6)
    0.666667
    """
    grown = np.log1p((1 - r) / r * np.asarray(F, dtype=float))  # log(s / r), s = r + (1 - r) F
    if eta == 0:
        return grown / -log(r)
    return np.expm1(-eta * grown) / expm1(eta * log(r))


def score_only_epsilon(*, mu, r, delta, eta=1.0):
    """The epsilon at which the exact curve of score-only runs meets delta: what no general account can go below.

    >>> round(score_only_epsilon(mu=0.3, r=1e-3, delta=1e-3), 3)
    1.28
    """
    top = sharp_epsilon(mu=mu, r=r, delta=delta, eta=eta) * (1 + 1e-6) + 1e-9  # they meet as r -> 1

    def above(e):
        return log(max(score_only_delta(epsilon=e, mu=mu, r=r, eta=eta), 1e-320)) - log(delta)

    return 0.0 if above(0.0) <= 0 else float(brentq(above, 0.0, top, xtol=1e-12))
