"""The figures of Tables 1 and 2 of Wang, Zhu & Wang (2025): measured errors of the methods we have, printed rates.

Planted data: n - s records of norm b and margin gamma, in opposite pairs around gamma e_1, and s records at -b e_1.
Rates have no constants and no logarithms, so only their shapes compare; the bound with our constants is one that the
measured mean has to respect, which an e-process decides at every point where the bound is below 1.
"""

from __future__ import annotations

from math import ceil, log1p, nan, sqrt

import numpy as np

from bounds import rates
from bounds import table_figures as bound
from experiments.claim import Sabotage, exact_claim, holds, inconclusive, refuted, vacuous
from experiments.streams import LEDGER_ROOT, generator
from experiments.verdict import HOLDS, REFUTED, MeanDecider, conclude
from mechanisms import adaptive_margin, efficient, linear, svm
from mechanisms.geometry import geometric_margin
from mechanisms.privacy import PureDP

EPSILON, DELTA, DIMENSION = 1.0, 1e-5, 3
HARD = 1000.0  # the SVM's C
ENUMERABLE = 0.3  # the margin from which a cover of the ball is small enough for a figure
MOST = 0.64  # 2^6 / 100, so a grid value for n = 100 2^j


def planted(n, gamma, outliers, radius, seed=0):
    """(X, y): the first n - outliers records have margin gamma exactly, the others lie opposite to their separator."""
    rng = np.random.default_rng(seed)
    inliers = n - outliers
    sides = rng.normal(size=((inliers + 1) // 2, DIMENSION - 1))
    sides *= sqrt(radius**2 - gamma**2) / np.linalg.norm(sides, axis=1, keepdims=True)
    Z = np.column_stack([np.full(inliers, gamma), np.vstack([sides, -sides])[:inliers]])
    Z = np.vstack([Z, np.tile(-radius * np.eye(1, DIMENSION), (outliers, 1))])
    y = rng.choice([-1.0, 1.0], n)
    return Z * y[:, None], y


def points(along, n, radius):
    """[(x, n, gamma, outliers)] of a figure: one parameter moves, the others stay."""
    gamma = MOST * radius
    match along:
        case "n":
            sizes = [100 * 2**j for j in range(8) if 100 * 2**j <= n]
            return [(size, size, gamma, size // 100) for size in sizes]
        case "gamma":
            return [(x * radius, n, x * radius, n // 100) for x in (0.04, 0.08, 0.16, 0.32, 0.64, 0.9)]
        case "outliers":
            return [(s, n, gamma, s) for s in (n // 200, n // 100, n // 50, n // 20)]
    raise ValueError(f"along = {along!r} is not one of n, gamma, outliers")


def errors(weights, X, y):
    """The share of records with y <w, x> < 0, for every row of `weights`."""
    return ((np.atleast_2d(weights) @ (X * y[:, None]).T) < 0).mean(axis=1)


def runs_for(most):
    """How many runs tell a mean of a quarter of `most` from `most`: about 18 over the log of the e-process's gain."""
    return 20 if most >= 1 else max(20, ceil(20 / log1p(0.75 * most / (1 - most))))


class Identity:
    """Phi = I: in three dimensions a projection would only add to the noise."""

    k = d = DIMENSION

    def apply(self, X):
        return X

    def transpose(self, W):
        return W


def rivals(rng, X, y, rho, runs):
    """Mean errors of the learners of Bassily, Mohri & Suresh on rows in the unit ball, told the margin `rho`."""
    known = {"rho": rho, "radius": 1.0, "norm_bound": 1.0}
    phased = efficient.law(X, y, projection=Identity(), epsilon=EPSILON, delta=DELTA, beta=0.1, **known)
    found = {"BMS22, Algorithm 2, mean": errors(phased.sample(rng, runs), X, y).mean()}
    pure = nan  # its cover grows like rho^-3
    if rho >= ENUMERABLE:
        chosen = linear.law(X, y, privacy=PureDP(EPSILON), public=Identity(), **known)
        pure = errors(chosen.sample(rng, runs), X, y).mean()
    return found | {"BMS22, Algorithm 1, mean": pure}


def measured(rng, n, gamma, outliers, radius, runs):
    """(errors of `runs` releases of Algorithm 3, means of the other learners) on one planted set."""
    X, y = planted(n, gamma, outliers, radius)
    margin = geometric_margin(X[: n - outliers], y[: n - outliers])
    if not margin.value <= gamma * (1 + 1e-9) or not margin.upper >= gamma * (1 - 1e-9):
        raise ArithmeticError(f"gamma = {gamma}: the planted margin is {margin.value}")
    law = adaptive_margin.law(X, y, EPSILON, DELTA, radius=radius, steps=n, stride="tuned")
    plain = svm.solve(X / radius, y, C=HARD).weights
    ours = errors(law.sample(rng, runs)["weights"], X, y)
    return ours, rivals(rng, X / radius, y, gamma / radius, runs) | {"SVM, not private": errors(plain, X, y)[0]}


def printed_rates(n, gamma, outliers):
    """Table 1 at margin gamma (in units of b), the losses of the inliers' separator included."""
    known = {"n": n, "gamma": gamma, "epsilon": EPSILON, "R": outliers / n, "s": outliers}
    share = outliers / n
    return {
        "Theorem 4.1": rates.value(rates.TABLE1_ADAPTIVE, **known),
        "BMS22, Theorem 3.1": share + rates.value(rates.MARGIN_LOSS, **known),
        "BMS22, Theorem 3.2": share * (1 + 1 / gamma) + rates.value(rates.TABLE1_HINGE, **known),
    }


def figure(statement, along, n, radius, factor):
    """Decide mean error <= bound at every point of one figure, and draw it."""
    drawn: dict = {}
    deciders, worst = [], 0.0
    for index, (x, size, gamma, outliers) in enumerate(points(along, n, radius)):
        setting = {"along": along, "n": n, "radius": radius}
        rng = generator(LEDGER_ROOT, statement.theorem.key, setting, "main", index)
        known = {"n": size, "gamma": gamma, "outliers": outliers, "radius": radius}
        most = statement(mu=adaptive_margin.budget(EPSILON, DELTA), d=DIMENSION, steps=size, **known)
        found, others = measured(rng, runs=runs_for(most), **known)
        row = {along if radius == 1 else f"{along}, b = {radius:g}": x}
        row |= {name: min(1.0, rate) for name, rate in printed_rates(size, gamma / radius, outliers).items()}
        row |= {"Algorithm 3, mean": found.mean(), **others, "bound": min(1.0, most)}
        for name, value in row.items():
            drawn.setdefault(name, []).append(float(value))
        if most < 1:
            decider = MeanDecider(most / factor)
            decider.add(decider.pack(found))
            deciders.append((decider, x))
            worst = max(worst, float(found.mean()) / most * factor)
    return drawn, deciders, worst


def decided(statement, along, n, radius, factor):
    """REFUTED at one point, HOLDS at all where the bound is below 1, else not enough runs."""
    series, deciders, worst = figure(statement, along, n, radius, factor)
    if not deciders:
        return vacuous("the bound is at least 1 at every point of the figure", series=series)
    verdicts = [conclude(*decider.log_e()) for decider, _ in deciders]
    if REFUTED in verdicts:
        decider, x = deciders[verdicts.index(REFUTED)]
        told = {"setting": {"along": along, "n": n, "radius": radius, along: x}, "claimed": decider.bound}
        return refuted("sampled", told | {"found": decider.found(), "python": ""}, series=series)
    if set(verdicts) != {HOLDS}:
        return inconclusive("BUDGET", "too few runs at some point", series=series)
    note = f"epsilon = {EPSILON:g}, delta = {DELTA:g}, d = {DIMENSION}, T = n; bound below 1 at {len(deciders)} points"
    return holds("sampled", "settings", tightness=(worst, worst), note=note, series=series)


CONTROL = Sabotage("bound / {}", (1000,))
PLAN = {"control": CONTROL, "cost": 0.5}


@exact_claim(
    bound.adaptive_error,
    quick=({"along": "n", "n": 800}, {"along": "outliers", "n": 400}),
    full=({"along": "n", "n": 1600}, {"along": "gamma", "n": 800}, {"along": "outliers", "n": 1600}),
    **PLAN,
)
def errors_of_table1(*, along, n, factor=1):
    """Errors of Algorithm 3 and of the SVM against n, gamma and the number of outliers, in the unit ball."""
    return decided(bound.adaptive_error, along, n, 1.0, factor)


@exact_claim(
    bound.adaptive_error_in_ball,
    quick=({"along": "n", "n": 800, "radius": 10.0},),
    full=({"along": "n", "n": 1600, "radius": 0.1}, {"along": "gamma", "n": 800, "radius": 10.0}),
    **PLAN,
)
def errors_of_table2(*, along, n, radius, factor=1):
    """The same in balls of other radii."""
    return decided(bound.adaptive_error_in_ball, along, n, radius, factor)


if __name__ == "__main__":
    from experiments.run import script

    script("tables")
