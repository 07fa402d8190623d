"""Runs of Algorithms 1 and 3 against their bounds with our constants: planted margins and outliers, and real records.

Planted data: n - q inliers of norm b with margin exactly gamma in direction e_1, in opposite pairs, and q outliers
-b e_1. For 0 < level <= gamma, m(level) = q: a pair has gamma e_1 in its hull, an outlier -b e_1, so a pair and an
outlier together have margin 0, and q disjoint such triples (q <= (n - q)/2) each lose a record. Above gamma every pair
loses one; the ledger says n there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from bounds import margin_utility as bounds
from bounds import margin_utility_selection as selection
from bounds.adaptive_margin import margin_grid
from bounds.hinge_gradient import hinge_sum
from bounds.jl_margin import third_margin_rows
from bounds.last_iterate import iterate_weights
from experiments.claim import Sabotage, mean_claim, tail_claim
from experiments.data import load
from experiments.jl_common import sharp_records
from mechanisms import adaptive_margin, jl_gd
from mechanisms.geometry import min_outliers, unit_rows
from mechanisms.jl import sign_projection

NOISE = "noise {} times as large"


# Data with a ledger ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def planted(n, d, gamma, outliers, radius=1.0):
    """Signed records, shape (n, d): see above. The same for all trials: the bounds hold for every dataset."""
    if 2 * outliers > n - outliers:
        raise ValueError(f"outliers = {outliers} is outside [0, {n // 3}]: every one needs a pair of inliers")
    Z = sharp_records(np.random.default_rng(7), n - outliers, d, gamma, radius)
    return np.vstack([Z, -radius * np.eye(1, d).repeat(outliers, axis=0)])


def ledger(n, gamma, outliers, radius=1.0):
    """m(level) of `planted` for every level of the grid; n above gamma."""
    return [outliers if level <= gamma * (1 + 1e-12) else n for level in margin_grid(n, radius)]


@lru_cache(maxsize=8)
def real(name, n):
    """(X, y, ledger): n records of a dataset, half of each class, scaled to norm 1 one by one; m(level) at most."""
    X, y = load(name)
    chosen = np.concatenate([np.flatnonzero(y == label)[: n // 2] for label in (1, -1)])
    X, y = unit_rows(X[chosen]), y[chosen]
    return X, y, [min_outliers(X, y, float(level)).high for level in margin_grid(len(y))]


# Algorithm 1 ----------------------------------------------------------------------------------------------------------


def louder(law, factor):
    """The same descent with `factor` times its noise."""
    return replace(law, descent=replace(law.descent, sigma=law.descent.sigma * factor))


def rows_of(*, n, gamma, beta, radius):
    """k of Lemma 6.2 (explicit)."""
    return third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)


def runs(rng, size, *, n, d, gamma, outliers, mu, beta, steps, radius, factor, **descent):
    """`size` weights in R^d of Algorithm 1 on planted data, (size, d); every trial has its own projection."""
    Z, k = planted(n, d, gamma, outliers, radius), rows_of(n=n, gamma=gamma, beta=beta, radius=radius)
    known = dict(mu=mu, width=gamma / 3, radius=radius, steps=steps, **descent)
    if d <= k:
        return louder(jl_gd.law(Z, np.ones(n), **known), factor).sample(rng, size)
    found = [
        louder(jl_gd.law(Z, np.ones(n), projection=sign_projection(k, d, rng=rng), **known), factor).sample(rng)[0]
        for _ in range(size)
    ]
    return np.array(found)


def arguments(*, d, factor=1, **setting):
    """What `expected_error` and the tails take."""
    return setting | {"d": d}


SMALL = {"n": 20, "d": 2, "gamma": 0.8, "outliers": 0, "mu": 3.0, "beta": 0.1, "steps": 1800, "radius": 1.0}
PROJECTED = {"n": 10, "d": 400, "gamma": 1.0, "outliers": 0, "mu": 80.0, "beta": 0.05, "steps": 4129, "radius": 1.0}
LONG = {"n": 20, "d": 2, "gamma": 40.0, "outliers": 1, "mu": 6.0, "beta": 0.1, "steps": 3600, "radius": 50.0}


def smallest_useful_n():
    """The smallest n at which the bound is below 1: gamma = b/2, mu = 1, d = 5 without projection, T = n^2 mu^2 / 5."""
    known = dict(gamma=0.5, outliers=0, mu=1.0, beta=0.05, d=5)
    return next(n for n in range(5, 10**5) if bounds.expected_error(n=n, steps=-(-(n**2) // 5), **known) < 1)


@mean_claim(
    bounds.expected_error,
    quick=(SMALL,),
    full=(SMALL | {"outliers": 1, "mu": 6.0}, LONG, PROJECTED),
    control=Sabotage(NOISE, (1000,)),
    bound=lambda **setting: bounds.expected_error(**arguments(**setting)),
    chunk=lambda *, d, **setting: 200 if d < 10 else 20,
    cap=5,
    cost=2e-4,
    expect=0.2,
    nonvacuous_from=smallest_useful_n,
    note="the projected setting costs 0.1 core-seconds a trial; outliers of the planted data have norm b",
)
def errors_of_averages(rng, size, *, factor=1, **setting):
    """The zero-one risk of the lifted averaged iterate."""
    Z = planted(*(setting[name] for name in ("n", "d", "gamma", "outliers", "radius")))
    return (Z @ runs(rng, size, factor=factor, **setting).T < 0).mean(axis=0)


TAIL = dict(
    bound=lambda *, beta, **setting: 2 * beta,
    chunk=lambda *, d, **setting: 100 if d < 10 else 40,
    cap=2,
    expect=0.01,
)


def loss_of(weights, *, n, d, gamma, outliers, radius):
    """The averaged hinge loss of lifted weights on the records themselves, shape (size,)."""
    return hinge_sum(weights.T, planted(n, d, gamma, outliers, radius), gamma / 3) / n


def data_of(setting):
    """What `loss_of` takes."""
    return {name: setting[name] for name in ("n", "d", "gamma", "outliers", "radius")}


@tail_claim(
    bounds.last_tail,
    quick=(SMALL | {"n": 10, "mu": 20.0, "steps": 4000},),
    full=(SMALL | {"outliers": 2, "mu": 6.0, "steps": 3600}, LONG, PROJECTED | {"beta": 0.1}),
    control=Sabotage(NOISE, (300,)),
    cost=1e-3,
    note="Lemma 6.3 on the records themselves, unclipped, last iterate, constant steps with log(1/beta)",
    **TAIL,
)
def last_iterates_exceed(rng, size, *, factor=1, **setting):
    """Is the hinge loss of the last iterate above its bound?"""
    weights = runs(rng, size, factor=factor, output="last", log_factor=-np.log(setting["beta"]), **setting)
    return loss_of(weights, **data_of(setting)) > bounds.last_tail(**arguments(**setting))


@tail_claim(
    bounds.weighted_average_tail,
    quick=(SMALL,),
    full=(SMALL | {"outliers": 2, "mu": 6.0, "steps": 3600}, LONG, PROJECTED | {"beta": 0.1}),
    control=Sabotage(NOISE, (30,)),
    cost=1e-3,
    note="weights of the average by `iterate_weights`; they depend on no data",
    **TAIL,
)
def weighted_averages_exceed(rng, size, *, factor=1, **setting):
    """Is the hinge loss of the weighted average above its bound?"""
    k = rows_of(**{name: setting[name] for name in ("n", "gamma", "beta", "radius")})
    shape = {"projected": setting["d"] > k, "rows": min(k, setting["d"])}
    run = bounds.descent(**{name: setting[name] for name in ("n", "gamma", "mu", "steps", "radius")}, **shape)
    weights = runs(rng, size, factor=factor, average=iterate_weights(**run, beta=setting["beta"]), **setting)
    return loss_of(weights, **data_of(setting)) > bounds.weighted_average_tail(**arguments(**setting))


# Algorithm 3 ----------------------------------------------------------------------------------------------------------


def budget(epsilon, delta):
    """mu of the printed calibration."""
    return adaptive_margin.budget(epsilon, delta, "printed")


def noisier(law, factor):
    """Algorithm 3 with `factor` times the noise in its descents and in its scores."""
    return replace(law, sigma=law.sigma * factor, candidates=tuple(louder(c, factor) for c in law.candidates))


def adaptive_runs(rng, size, X, y, epsilon, delta, radius, factor, **descent):
    """`size` outputs of Algorithm 3, (size, d): printed calibration, balanced steps, projections of their own."""
    known = dict(radius=radius, calibration="printed", **descent)
    projections = adaptive_margin.draw_projections(*X.shape, rng=rng, radius=radius)
    if all(phi is None for phi in projections):
        law = adaptive_margin.law(X, y, epsilon, delta, projections=projections, **known)
        return noisier(law, factor).sample(rng, size)["weights"]
    found = []
    for _ in range(size):
        projections = adaptive_margin.draw_projections(*X.shape, rng=rng, radius=radius)
        law = adaptive_margin.law(X, y, epsilon, delta, projections=projections, **known)
        found.append(noisier(law, factor).sample(rng)["weights"][0])
    return np.array(found)


def planted_bound(*, n, d, gamma, planted, epsilon, delta, radius, **_):
    """H.2.x on planted data."""
    known = dict(n=n, d=d, mu=budget(epsilon, delta), radius=radius)
    return selection.adaptive_error(outliers=ledger(n, gamma, planted, radius), **known)


def bound_of(*, epsilon, delta, **setting):
    """H.2.x on planted data, or on real records with their ledger."""
    if "name" not in setting:
        return planted_bound(epsilon=epsilon, delta=delta, **setting)
    X, _, fewest = real(setting["name"], setting["records"])
    return selection.adaptive_error(n=len(X), d=X.shape[1], mu=budget(epsilon, delta), outliers=fewest)


def smallest_useful_n_adaptive():
    """The smallest n = 2^j at which H.2.x is below 1: gamma = 1/2, d = 5, epsilon = 1, delta = 1e-5, no outliers."""
    mu = budget(1.0, 1e-5)
    sizes = (2**j for j in range(3, 20))
    return next(n for n in sizes if selection.adaptive_error(n=n, d=5, mu=mu, outliers=ledger(n, 0.5, 0)) < 1)


ADAPTIVE = {"n": 30, "d": 2, "gamma": 0.55, "planted": 0, "epsilon": 60.0, "delta": 1e-5, "radius": 1.0}
EQUAL = ADAPTIVE | {"n": 16, "gamma": 1.0, "epsilon": 90.0}  # all records are e_1


@mean_claim(
    selection.adaptive_error,
    quick=(EQUAL, ADAPTIVE),
    full=(
        ADAPTIVE | {"planted": 1, "epsilon": 90.0},
        ADAPTIVE | {"n": 100, "d": 5, "gamma": 32.5, "planted": 2, "epsilon": 80.0, "radius": 50.0},
        ADAPTIVE | {"n": 1000, "d": 5, "planted": 10, "epsilon": 8.0},
        EQUAL | {"n": 30, "d": 400, "epsilon": 5000.0, "delta": 1e-300},
        {"name": "digits:0-1", "records": 100, "epsilon": 1000.0, "delta": 1e-100},
        {"name": "breast_cancer", "records": 100, "epsilon": 1000.0, "delta": 1e-100},
    ),
    control=Sabotage(NOISE, (1000,)),
    bound=bound_of,
    chunk=lambda **setting: 100 if setting.get("n", 100) <= 30 and setting["d"] == 2 else 20,
    cap=4,
    cost=6e-4,
    expect=0.1,
    nonvacuous_from=smallest_useful_n_adaptive,
    given=("wzw25.lemD.1/explicit", "wzw25.lemF.1/explicit"),
    note="projections where k < d (d = 400). Up to 0.1 core-seconds a trial. On breast cancer the bound says nothing",
)
def errors_of_algorithm_3(rng, size, *, epsilon, delta, factor=1, **setting):
    """The zero-one risk of what Algorithm 3 releases, averaged iterates."""
    if "name" in setting:
        X, y, _ = real(setting["name"], setting["records"])
    else:
        X = planted(*(setting[name] for name in ("n", "d", "gamma", "planted", "radius")))
        y = np.ones(len(X))
    weights = adaptive_runs(rng, size, X, y, epsilon, delta, setting.get("radius", 1.0), factor)
    return ((y[:, None] * X) @ weights.T < 0).mean(axis=0)


def quantile(*, n, d, gamma, planted, epsilon, delta, radius, beta):
    """The bound of Lemma H.3 (explicit) on planted data."""
    known = dict(n=n, d=d, mu=budget(epsilon, delta), radius=radius, beta=beta)
    return selection.adaptive_quantile(outliers=ledger(n, gamma, planted, radius), **known)


@tail_claim(
    selection.adaptive_quantile,
    quick=(EQUAL | {"beta": 0.1},),
    full=(
        ADAPTIVE | {"epsilon": 90.0, "beta": 0.1},
        ADAPTIVE | {"n": 60, "planted": 1, "epsilon": 90.0, "beta": 0.1},
        ADAPTIVE | {"n": 60, "gamma": 27.0, "epsilon": 60.0, "radius": 50.0, "beta": 0.05},
    ),
    control=Sabotage(NOISE, (1000,)),
    bound=lambda *, beta, **setting: 3 * beta,
    trivial=lambda **setting: "the bound is at least 1" if quantile(**setting) >= 1 else None,
    chunk=lambda **setting: 200,
    cap=3,
    cost=4e-4,
    expect=0.01,
    given=("wzw25.lem6.3/explicit/weighted", "wzw25.lemF.2/explicit"),
    note="weighted averages with the same weights in all candidates: without projections they differ in scale alone. "
    "Up to 8e-3 core-seconds a trial",
)
def errors_exceed_quantile(rng, size, *, n, d, gamma, planted: int, epsilon, delta, radius, beta, factor=1):
    """Is the zero-one risk of what Algorithm 3 releases above the bound of Lemma H.3 (explicit)?"""
    X = records(n, d, gamma, planted, radius)
    each = budget(epsilon, delta) / np.sqrt(2 * len(margin_grid(n, radius)))
    level = float(margin_grid(n, radius)[-1])
    rows, T, projected = selection.candidate(n, d, level, each, radius, "balanced")
    run = bounds.descent(n=n, gamma=level, mu=each, steps=T, rows=rows, projected=projected, radius=radius)
    average = iterate_weights(**run, beta=beta)
    weights = adaptive_runs(rng, size, X, np.ones(n), epsilon, delta, radius, factor, average=average)
    known = dict(n=n, d=d, gamma=gamma, planted=planted, epsilon=epsilon, delta=delta, radius=radius, beta=beta)
    return (X @ weights.T < 0).mean(axis=0) > quantile(**known)


records = planted  # a setting is called `planted` too


if __name__ == "__main__":
    from experiments.run import script

    script("margin_utility")
