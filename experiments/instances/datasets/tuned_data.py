"""Data and laws for the checks of private tuning of the margin.

Planted outliers, the laws of Algorithm 1 at one margin and of Algorithm 6 on them, and explicit bounds over orders.
"""

from inspect import signature
from math import ceil, exp, log, pi, sqrt

import numpy as np
from scipy.special import ndtr

from lemmata.bounds.wzw25 import one_margin, run_counts, tuned_margin as bound, winner
from lemmata.bounds.wzw25.margin_grid import grid_size
from lemmata.bounds.wzw25.projected_margins import stretch, third_margin_rows
from lemmata.experiments.instances.datasets.noisy_descent import ceiling, separable
from lemmata.mechanisms.learners.descent import private_tuning, projected_gd
from lemmata.mechanisms.privacy import GaussianDP

SIZES = sorted({*range(2, 4097), *(2**j + e for j in range(12, 60) for e in (-1, 0, 1))})  # n, where |Gamma| changes


def planted(n, gamma, outliers):
    """(X, y): `separable` data with margin gamma, the labels of the last `outliers` records flipped."""
    y = np.ones(n)
    y[n - outliers :] = -1.0
    return separable(n, 2, gamma), y


def descent_at_the_best_margin(n, mu, gammas, outliers, steps, **_):
    """(law at the best margin, Z, width, M, tau): identity projection; hinge sums are at most M but for a mean of tau.

    The data have margin 1/2, so the best of `gammas` is the one nearest to it.
    """
    best = min(range(len(gammas)), key=lambda j: abs(gammas[j] - 0.5))
    X, y = planted(n, 0.5, outliers[best])
    width = gammas[best] / 3
    law = projected_gd.law(X, y, privacy=GaussianDP(mu), width=width, steps=steps[best]).descent
    coefficients = law.strides * np.arange(law.steps - 1, -1, -1) / law.steps
    top, tau = ceiling(law, n / width, 1.0, coefficients)
    return law, y[:, None] * X, width, top + outliers[best] * (1 + 1 / width), tau


def largest_mean(n, **setting):
    """What no truncated loss of `descent_at_the_best_margin` exceeds."""
    *_, top, tau = descent_at_the_best_margin(n, **setting)
    return (top + tau) / n


def tuned_law(n, epsilon, delta, gammas, outliers, steps, **_):
    """(Algorithm 4 over `gammas` with identity projections, Z): data of margin 1/2, of which `outliers` are flipped."""
    X, y = planted(n, 0.5, min(m for g, m in zip(gammas, outliers, strict=True) if g <= 0.5))
    runs = []

    def base(mu):
        for gamma, t in zip(gammas, steps, strict=True):
            runs.append(projected_gd.law(X, y, privacy=GaussianDP(mu), width=gamma / 3, steps=t, stride="tuned"))
        return [run.descent for run in runs]

    def score(j, weights):
        return runs[j].errors(weights)

    r = bound.repetition_r(n, len(gammas))
    return private_tuning.law(base, score=score, sensitivity=1.0, epsilon=epsilon, delta=delta, r=r), y[:, None] * X


def errors_of_the_tuned(rng, size, factor=1, **setting):
    """The zero-one risk of what Algorithm 6 releases, (size,); the sabotage releases -w with chance 1 - 1/factor."""
    law, Z = tuned_law(**setting)
    risk = (Z @ law.sample(rng, size)["release"].T < 0).mean(axis=0)
    return np.where(rng.random(size) < 1 - 1 / factor, 1 - risk, risk)


def hardest_gap(eta, r, size):
    """The gap at which scores (0, gap, ..., gap) cost most, in floats: a candidate. With the curve along the gap."""
    gaps = np.linspace(0.2, sqrt(2 * log(1 / r)) + 1.5, 60)
    u = np.arange(-40.0, 12.0, 0.02)
    share = 1 / size
    F = share * ndtr(u) + (1 - share) * ndtr(u - gaps[:, None])
    density = np.exp(-(u**2) / 2 - (eta + 1) * np.log1p((1 - r) / r * F)) * 0.02 / sqrt(2 * pi)
    chance = winner.drawn_probability(eta=eta, r=r, size=size)
    lost = gaps * (1 - run_counts.mean(eta=eta, r=r) * share * density.sum(axis=1) / chance)
    return float(gaps[int(np.argmax(lost))]), lost.tolist(), gaps


def hardest_choice(n, epsilon, delta):
    """(law over scores (0, gap, ..., gap), gap): the gap that costs most at this n, for Algorithm 6's grid."""
    size = grid_size(n=n)
    r = bound.repetition_r(n, size)
    gap, _, _ = hardest_gap(1.0, r, size)
    setting = {"sensitivity": 1.0, "epsilon": epsilon, "delta": delta, "r": r}
    sigma = private_tuning.selection_law(np.zeros(size), **setting).sigma
    return private_tuning.selection_law(sigma * gap * (np.arange(size) > 0), **setting), sigma * gap


# Explicit bounds over their orders, in floats -------------------------------------------------------------------------

OUTLIER = 1 + 3 * stretch(1.0)  # an outlier costs at most OUTLIER / gamma


def whole_grid(n, size, gamma, beta, steps):
    """Arguments of an explicit bound: `size` times the margin gamma, each with its projection and number of steps."""
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta / size)
    return {"n": n, "gammas": [gamma] * size, "rows": [rows] * size, "steps": [steps] * size}


def explicit_within(constant, explicit, order, places):
    """Cases explicit <= C order at whole grids; then what outliers add, which is at most OUTLIER times the order's."""

    def value(statement, place):
        names = signature(statement.theorem.formula).parameters
        return statement(**{name: argument for name, argument in place.items() if name in names})

    for place in places:
        size = len(place["gammas"])
        none, everyone = (place | {"outliers": [m] * size} for m in (0, place["n"]))
        clean, g = value(explicit, none), value(order, none)
        yield none, clean, g
        yield everyone, (value(explicit, everyone) - clean) * constant / OUTLIER, value(order, everyone) - g


TUNINGS = [
    whole_grid(n, size, gamma, 1 / n**2, 10**12) | {"epsilon": epsilon, "delta": delta}
    for n, size, gamma in [(2, 1, 1.0), (3, 2, 0.5), (10, 5, 1.0), (1000, 3, 0.01)]
    for epsilon, delta in [(1.0, 0.999), (30.0, 1e-5)]
]
TUNING_BOX = {"log_n": (log(2), 27), "log_size": (0, 27), "log_inverse_delta": (1e-12, 690), "gamma": (1e-3, 1)}


def log_ratio_of_the_grid(log_n, log_size, log_beta, gamma, log_mu):
    """log(explicit / g) of Lemma K.5 for one margin without outliers, T = n^2 mu^2 rounded up."""
    n, size, beta, mu = round(exp(log_n)), round(exp(log_size)), exp(log_beta), exp(log_mu)
    point = {"n": n, "gamma": gamma, "outliers": 0, "mu": mu}
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta / size)
    explicit = one_margin.summed_loss(rows=rows, steps=max(1, ceil(n**2 * mu**2)), **point) / n
    return log(explicit) - log(bound.grid_term(size=size, beta=beta, **point))


def log_ratio_of_tuning(term):
    """log(explicit / g) of Lemma K.6 or Theorem 7.1, g = `term` at one margin without outliers, epsilon = 1.

    Both are proportional to 1/epsilon but for the rounding of T.
    """

    def log_ratio(log_n, log_size, log_inverse_delta, gamma):
        n, size, delta = round(exp(log_n)), round(exp(log_size)), exp(-log_inverse_delta)
        mu = bound.margin_budget(n=n, size=size, epsilon=1.0, delta=delta)
        rows, steps = third_margin_rows(n=n, gamma=gamma, beta=1 / n**2 / size), max(1, ceil(n**2 * mu**2 / 2))
        point = {"n": n, "size": size, "epsilon": 1.0, "delta": delta, "gamma": gamma, "outliers": 0}
        return log(bound.tuned_error_at(rows=rows, steps=steps, **point)) - log(term(**point))

    return log_ratio
