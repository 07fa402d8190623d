"""How do loss and error of Algorithms 1 and 3 move with n, gamma, outliers and dimension? Registered surrogates."""

from __future__ import annotations

import numpy as np

from bounds import margin_utility_rates as bounds
from bounds.hinge_gradient import hinge_sum
from bounds.jl_margin import third_margin_rows
from experiments.claim import Sabotage, rate_claim
from experiments.margin_utility_sampled import adaptive_runs, louder, planted
from mechanisms import jl_gd
from mechanisms.jl_fast import fast_projection


def spaced(first, last, points):
    """`points` geometric whole numbers from first to last."""
    return [round(x) for x in np.geomspace(first, last, points)]


def losses(rng, size, Z, gamma, mu, louder_by=1.0, **descent):
    """The averaged hinge loss of `size` averaged iterates, balanced steps, shape (size,)."""
    law = louder(jl_gd.law(Z, np.ones(len(Z)), mu=mu, width=gamma / 3, steps="balanced", **descent), louder_by)
    return hinge_sum(law.descent.sample(rng, size).T, law.descent.Z, gamma / 3) / len(Z)


def whole_points(*, first, last, points, **_):
    """Where the columns stand."""
    return [float(x) for x in spaced(first, last, points)]


@rate_claim(
    bounds.loss_along_n,
    quick=({"first": 2, "last": 200, "points": 8, "mu": 0.2, "gamma": 0.8, "d": 5},),
    full=({"first": 10, "last": 1000, "points": 8, "mu": 0.05, "gamma": 0.8, "d": 5},),
    bound=lambda *, first, last, **_: bounds.loss_along_n(first=first, last=last),
    high=lambda **setting: (1.0, 1.0),
    control=Sabotage("a budget that falls like n^-({} - 1)/2", (2,)),
    chunk=lambda **setting: 250,
    cap=6,
    cost=2e-4,
    points=whole_points,
    note="records of margin gamma exactly, no outliers, no projection; mu fixed; where n mu < sqrt(d) the "
    "run has one step, which releases w_0 = 0. Up to 2e-3 core-seconds a trial",
)
def loss_by_n(rng, size, *, first, last, points, mu, gamma, d, factor=1):
    """min(1, loss), shape (size, points)."""
    columns = []
    for n in spaced(first, last, points):
        budget = mu * (n / first) ** (-(factor - 1) / 2)
        columns.append(np.minimum(1, losses(rng, size, planted(n, d, gamma, 0), gamma, budget)))
    return np.column_stack(columns)


@rate_claim(
    bounds.loss_along_gamma,
    quick=({"first": 1, "last": 100, "points": 8, "n": 50, "mu": 0.2, "d": 5},),
    full=({"first": 1, "last": 100, "points": 8, "n": 200, "mu": 0.05, "d": 20},),
    bound=lambda *, first, last, **_: bounds.loss_along_gamma(first=first, last=last),
    high=lambda **setting: (1.0, 1000.0),
    control=Sabotage("the allowed ratio divided by {}", (10**4,), of="bound"),
    chunk=lambda **setting: 100,
    cap=4,
    cost=1e-4,
    points=lambda *, first, last, points, **_: [float(x) for x in np.geomspace(first, last, points)],
    note="along 1/gamma; each loss is capped, at 1 for the first point and 1000 for the others. The noise is too "
    "large to separate at any of these margins, so that no loss is 0",
)
def loss_by_gamma(rng, size, *, first, last, points, n, mu, d, factor=1):
    """The loss, shape (size, points)."""
    margins = 1 / np.geomspace(first, last, points)
    columns = [losses(rng, size, planted(n, d, float(g), 0), float(g), mu) for g in margins]
    caps = [1.0] + [1000.0] * (points - 1)
    return np.minimum(np.column_stack(columns), caps)


@rate_claim(
    bounds.loss_along_outliers,
    quick=({"first": 1, "last": 100, "points": 8, "n": 400, "mu": 0.1, "gamma": 0.5, "d": 5},),
    full=({"first": 1, "last": 300, "points": 8, "n": 1000, "mu": 0.05, "gamma": 0.8, "d": 20},),
    bound=lambda *, first, last, **_: bounds.loss_along_outliers(first=first, last=last),
    high=lambda **setting: (1.0, 10.0),
    control=Sabotage("the allowed ratio divided by {}", (60,), of="bound"),
    chunk=lambda **setting: 50,
    cap=4,
    cost=2e-3,
    points=whole_points,
    note="outliers -e_1, opposite the inliers; each loss is capped, at 1 for the first point and 10 for the others",
)
def loss_by_outliers(rng, size, *, first, last, points, n, mu, gamma, d, factor=1):
    """The loss, shape (size, points)."""
    counts = spaced(first, last, points)
    columns = [losses(rng, size, planted(n, d, gamma, q), gamma, mu) for q in counts]
    return np.minimum(np.column_stack(columns), [1.0] + [10.0] * (points - 1))


RELEASES = 16  # of one projection: a trial is their mean


@rate_claim(
    bounds.loss_along_dimension,
    quick=({"first": 16, "last": 1600, "points": 2, "n": 10, "gamma": 0.8, "mu": 5.0},),
    full=({"first": 1000, "last": 100000, "points": 8, "n": 10, "gamma": 0.8, "mu": 5.0},),
    bound=lambda *, first, last, **_: bounds.loss_along_dimension(first=first, last=last),
    high=lambda **setting: (1.0, 1.0),
    control=Sabotage(
        "noise times (d / first)^(({} - 1)/2)",
        (3,),
        {"first": 16, "last": 1600, "points": 2, "n": 10, "gamma": 0.8, "mu": 5.0},
    ),
    chunk=lambda **setting: 40,
    cap=6,
    cost=2e-3,
    points=whole_points,
    note="fast projection, drawn afresh for every trial and dimension; a trial is the mean over 16 releases. Up to 0.3 "
    "core-seconds a trial. One-sided: only growth would contradict the bound",
)
def loss_by_dimension(rng, size, *, first, last, points, n, gamma, mu, factor=1):
    """Mean of min(1, loss) over the releases of one projection, shape (size, points)."""
    k = third_margin_rows(n=n, gamma=gamma, beta=0.1)
    found = np.empty((size, points))
    for j, d in enumerate(spaced(first, last, points)):
        Z, more = planted(n, d, gamma, 0), (d / first) ** ((factor - 1) / 2)
        for trial in range(size):
            phi = fast_projection(k, d, rng=rng)
            found[trial, j] = np.minimum(1, losses(rng, RELEASES, Z, gamma, mu, more, projection=phi)).mean()
    return found


@rate_claim(
    bounds.error_along_n,
    quick=({"first": 10, "last": 100, "points": 8, "epsilon": 10.0, "delta": 1e-5, "gamma": 0.5, "d": 5},),
    bound=lambda *, first, last, **_: bounds.error_along_n(first=first, last=last),
    high=lambda **setting: (1.0, 1.0),
    control=Sabotage("an epsilon that falls like n^-({} - 1)/2", (3,)),
    chunk=lambda **setting: 250,
    cap=6,
    cost=3e-4,
    points=whole_points,
    note="one decade: the next one costs a thousand times as much (n^2 mu^2 steps of n records). Strict errors: runs "
    "of one step release w_0 = 0, which makes none, so the first n is one with more steps",
)
def error_by_n(rng, size, *, first, last, points, epsilon, delta, gamma, d, factor=1):
    """The zero-one risk of Algorithm 3, shape (size, points)."""
    columns = []
    for n in spaced(first, last, points):
        Z, spent = planted(n, d, gamma, 0), epsilon * (n / first) ** (-(factor - 1) / 2)
        weights = adaptive_runs(rng, size, Z, np.ones(n), spent, delta, 1.0, 1)
        columns.append((Z @ weights.T < 0).mean(axis=0))
    return np.column_stack(columns)


if __name__ == "__main__":
    from experiments.run import script

    script("margin_utility")
