"""Data with a planted margin and planted outliers, and runs of Algorithms 1 and 3 on them.

n - q inliers of norm b with margin exactly gamma in direction e_1, in opposite pairs, and q outliers -b e_1. For
0 < level <= gamma, m(level) = q: a pair has gamma e_1 in its hull, an outlier -b e_1, so a pair and an outlier together
have margin 0, and q disjoint such triples (q <= (n - q)/2) each lose a record. Above gamma every pair loses one; the
ledger of Algorithm 3 says n there.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, wraps

import numpy as np

from lemmata.bounds.wzw25.algorithms import margin_grid
from lemmata.bounds.wzw25.hinge_gradient import hinge_sum
from lemmata.bounds.wzw25.projected_margins import third_margin_rows
from lemmata.experiments.engine.claims.claim import Control, rate_claim
from lemmata.experiments.instances.datasets.points import sharp_records
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.learners.descent import adaptive_margin, projected_gd
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP


def uncounted(*numbers):
    """The sabotage of a bound on errors: it counts that many outliers too few."""
    return Control(
        lambda factor: f"{factor - 1:g} outliers that the bound does not count", tuple(q + 1 for q in numbers)
    )


@lru_cache(maxsize=64)
def planted(n, d, gamma, outliers, radius=1.0, seed=7):
    """Signed records, shape (n, d): see above. The same for all trials: the bounds hold for every dataset."""
    return drawn(np.random.default_rng(seed), n, d, gamma, outliers, radius)


def drawn(rng, n, d, gamma, outliers, radius):
    """The records of `planted` from a generator."""
    if 2 * outliers > n - outliers:
        raise ValueError(f"outliers must be in [0, {n // 3}], got {outliers}: every one needs a pair of inliers")
    Z = sharp_records(rng, n - outliers, d, gamma, radius)
    return np.vstack([Z, -radius * np.eye(1, d).repeat(outliers, axis=0)])


def ledger(n, gamma, outliers, radius=1.0):
    """m(level) of `planted` for every level of the grid; n above gamma."""
    return [outliers if level <= gamma * (1 + 1e-12) else n for level in margin_grid(n, radius)]


def least_loss(n, outliers, weight=Fraction(1)):
    """The least averaged hinge loss of any w in any dimension, in fractions: records s e_1 of which `outliers` are -1.

    Width gamma/3 with gamma = s / `weight`: for p = 3 <w, Phi x>/gamma the loss is ((n - q)(1 - p)_+ + q (1 + p)_+)/n
    (`weight` 1), convex in p with its kinks at +-1.
    """
    q = Fraction(outliers)
    return min(((n - q) * max(0, 1 - p * weight) + q * max(0, 1 + p * weight)) / n for p in (-1 / weight, 1 / weight))


def small_sets():
    """Sets of seven records of the unit disc: two clouds, repeated and opposite records, records of norm 0."""
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(7, 2))
        yield X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True)), np.where(np.arange(7) % 3, 1.0, -1.0)
    yield np.array([[1.0, 0], [1, 0], [-1, 0], [0, 0], [0.5, 0.5], [0.5, -0.5], [0, 1]]), np.ones(7)


# Algorithm 1 ----------------------------------------------------------------------------------------------------------


def louder(law, factor):
    """The same descent with `factor` times its noise."""
    return replace(law, descent=replace(law.descent, sigma=law.descent.sigma * factor))


def runs(rng, size, Z, k, mu, **parameters):
    """`size` weights in R^d of Algorithm 1 with k rows, shape (size, d); every trial has its own projection."""
    d = Z.shape[1]

    def release(count, **projection):
        law = projected_gd.law(Z, np.ones(len(Z)), privacy=GaussianDP(mu), **projection, **parameters)
        return law.sample(rng, count)

    if d <= k:
        return release(size)
    return np.array([release(1, projection=sign_projection(k, d, rng=rng))[0] for _ in range(size)])


def data_of(setting, extra=0):
    """The planted records of a setting, shape (n, d), with `extra` outliers more than it says."""
    n, d, gamma, outliers, radius = (setting[name] for name in ("n", "d", "gamma", "outliers", "radius"))
    return planted(n, d, gamma, outliers + extra, radius)


def weights_of(rng, size, setting, extra, **descent):
    """`size` releases of Algorithm 1 on them in R^d, shape (size, d), with k of Lemma 6.2 (explicit)."""
    run = {name: setting[name] for name in ("mu", "steps", "radius")}
    return runs(rng, size, data_of(setting, extra), rows_of(setting), width=setting["gamma"] / 3, **run, **descent)


def rows_of(setting):
    """k of Lemma 6.2 (explicit)."""
    return third_margin_rows(**{name: setting[name] for name in ("n", "gamma", "beta")}, b=setting["radius"])


def loss_of(weights, setting, extra=0):
    """The averaged hinge loss of lifted weights on the records themselves, shape (size,)."""
    return hinge_sum(weights.T, data_of(setting, extra), setting["gamma"] / 3) / setting["n"]


def losses(rng, size, Z, gamma, mu, louder_by=1.0, **descent):
    """The averaged hinge loss of `size` averaged iterates, balanced steps, shape (size,)."""
    law = projected_gd.law(Z, np.ones(len(Z)), privacy=GaussianDP(mu), width=gamma / 3, steps="balanced", **descent)
    law = louder(law, louder_by)
    return hinge_sum(law.descent.sample(rng, size).T, law.descent.Z, gamma / 3) / len(Z)


# Algorithm 3 ----------------------------------------------------------------------------------------------------------


MOST = 5e10  # multiplications of a chunk, a minute or less; what a setting names takes at most 1.4e10


def adaptive_runs(rng, size, Z, epsilon, delta, radius=1.0, **descent):
    """`size` outputs of Algorithm 3, (size, d): printed calibration, balanced steps, projections of their own.

    Raises ValueError where these take too long, before any is begun: n = 2000 and epsilon = 5000 in a ball of radius
    50, which no setting names and a deep run combines, are 1.8 10^9 steps, whose sizes alone fill 14 GB.
    """
    mu = adaptive_margin.budget(epsilon, delta, "printed")
    if "steps" not in descent and (taken := size * adaptive_margin.count_multiplications(*Z.shape, mu, radius)) > MOST:
        raise ValueError(f"n = {len(Z)}, epsilon = {epsilon:g}: {taken:.1g} multiplications, of {MOST:g} at most")

    def release(projections, count):
        parameters = dict(radius=radius, calibration="printed", projections=projections, **descent)
        law = adaptive_margin.law(Z, np.ones(len(Z)), privacy=ApproxDP(epsilon, delta), **parameters)
        return law.sample(rng, count)["weights"]

    def projections():
        return adaptive_margin.draw_projections(*Z.shape, rng=rng, radius=radius)

    first = projections()
    if all(phi is None for phi in first):
        return release(first, size)
    return np.array([release(projections(), 1)[0] for _ in range(size)])


# Rates ----------------------------------------------------------------------------------------------------------------


def spaced(first, last, points, whole=True):
    """`points` geometric numbers from first to last, rounded to whole ones."""
    return [round(x) if whole else x for x in np.geomspace(first, last, points).tolist()]


def along(statement, *, trials, most=1.0, whole=True, **fields):
    """A rate claim whose check gives, at one value x of what moves, trials of shape (size,).

    check(rng, size, x, **setting): each trial is capped, at 1 for the first x and at `most` for the others. A setting
    has `first`, `last` and `points`; the check gets `first` and the rest. `trials` is (chunk, cap, cost).
    """

    chunk, cap, cost = trials

    def decorate(check):
        @wraps(check)
        def trial(rng, size, *, first, last, points, **setting):
            columns = [check(rng, size, x, first=first, **setting) for x in spaced(first, last, points, whole)]
            return np.minimum(np.column_stack(columns), [1.0] + [most] * (points - 1))

        return rate_claim(
            statement,
            bound=lambda *, first, last, **_: statement(first=first, last=last),
            high=(1.0, most),
            points=lambda *, first, last, points, **_: [float(x) for x in spaced(first, last, points, whole)],
            chunk=chunk,
            cap=cap,
            cost=cost,
            by=along,
            **fields,
        )(trial)

    return decorate
