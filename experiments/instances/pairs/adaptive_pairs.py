"""Algorithms 1, 2 and 3 of Wang, Zhu & Wang (2025) under attack: neighbouring laws, and the budgets that they spend.

Neighbours differ in the label of one record. White boxes are judged by their exact likelihood ratio, releases by a
trained attacker. All claims are mu-GDP with the printed calibration at delta = 1e-5, so epsilon = 2 sqrt(2 log 1e5) mu.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from inspect import signature
from math import log, sqrt

import numpy as np
from flint import ctx

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.privacy_curves import closed_form
from lemmata.bounds.wzw25 import algorithms as numbers
from lemmata.bounds.wzw25.hinge_gradient import replacement_sensitivity
from lemmata.bounds.wzw25.one_margin import projected_gdp
from lemmata.experiments.checks.privacy_conversion import Conversion, decide_conversion
from lemmata.experiments.engine.claims.claim import Control, grid
from lemmata.experiments.engine.claims.verdict import inconclusive
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.learners.descent import adaptive_margin, projected_gd
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP

DELTA = 1e-5
PER_MU = 2 * sqrt(2 * log(1 / DELTA))


def records(n, d):
    """n records along the first axis, labels in turn: sums of gradients cancel, so weights stay in the linear range."""
    X = np.zeros((n, d))
    X[:, 0] = 1.0
    return X, np.where(np.arange(n) % 2, -1.0, 1.0)


def alone(n, d):
    """One record of norm 1 and n - 1 at the origin, which no weights misclassify: only the first one counts."""
    return np.eye(n, d) * np.eye(1, d), np.ones(n)


def flipped(build, X, y):
    """Two laws on datasets that differ in the label of record 0."""
    other = y.copy()
    other[0] = -other[0]
    return build(X, y), build(X, other)


def weaker(law, factor):
    """The same Algorithm 3 with all noise `factor` times too small; a white-box attacker still knows its density."""
    runs = tuple(replace(run, descent=replace(run.descent, sigma=run.descent.sigma / factor)) for run in law.candidates)
    return replace(law, candidates=runs, sigma=law.sigma / factor)


def adaptive_pair(build, X, y, factor):
    """Neighbouring laws with weakened noise."""
    return tuple(weaker(law, factor) for law in flipped(build, X, y))


def printed(mu, **parameters):
    """X, y -> Algorithm 3 with budget mu, printed calibration and steps."""
    asked = ApproxDP(mu * PER_MU, DELTA)
    return partial(adaptive_margin.law, privacy=asked, calibration="printed", steps="printed", **parameters)


def stretched(seed, k, d):
    """A sign projection, and the unit record that it makes longest: sqrt(d / k) > 2 at least."""
    phi = sign_projection.sign_projection(k, d, rng=np.random.default_rng(seed))
    u = np.linalg.svd(phi.apply(np.eye(d)).T, full_matrices=False)[0][:, 0]
    x = phi.transpose(u)
    return phi, x / np.linalg.norm(x)


def projected_pair(n, steps, output, clip):
    """Algorithm 1 where record 0 is longer than 2 v once projected; it is clipped `clip` times too late."""
    phi, canary = stretched(seed=0, k=2, d=64)
    X = np.vstack([canary, np.eye(64)[: n - 1]])

    def build(X, y):
        asked = GaussianDP(sqrt(steps) / n)
        run = dict(privacy=asked, width=50.0, projection=phi, steps=steps, output=output)
        law = projected_gd.law(X * clip, y, radius=clip, **run)  # clipped at 2 clip, with noise for that
        return replace(law.descent, sigma=law.descent.sigma / clip)  # then the noise for 2

    return flipped(build, X, np.ones(n))


GDP = dict(attack="gdp", chunk=2000, cap=10)
LONG = GDP | {"chunk": 20_000}  # for white boxes of few steps: a million releases a second
SEEN = GDP | {"bound": lambda *, mu, **_: mu}
ROUNDING = 1 + Fraction(1, 2**40)
COMPOSITION, GAUSSIAN = "wzw25.rem2.3/printed/composition", "wzw25.rem2.3/printed/gaussian"


# Sensitivity: the code against the closed form ------------------------------------------------------------------------


def neighbours(rng, n, d, radius):
    """Two random datasets that differ in one record; norms up to and beyond the radius, opposite records among them."""
    X = rng.normal(size=(n, d)) * radius * rng.choice([0.1, 1.0, 10.0], size=(n, 1))
    y = rng.choice([-1.0, 1.0], size=n)
    X2, y2 = X.copy(), y.copy()
    if rng.random() < 0.5:
        y2[0] = -y[0]
    else:
        X2[0] = rng.normal(size=d) * radius
    return (X, y), (X2, y2)


def searched(rng, projections, radius, pairs=12, n=4, d=9, clip=1.0):
    """The largest change of a run's gradient and of its errors in a search, as shares of what the noise is made for.

    `clip`: how many times too long the clipped rows are (sabotage).
    """
    largest_gradient, largest_score, unit = 0.0, 0.0, GaussianDP(1.0)
    for _ in range(pairs):
        width = radius / 3 * 2.0 ** -rng.integers(0, 3)
        for phi in projections:
            a, b = (
                projected_gd.law(X, y, privacy=unit, width=width, projection=phi, radius=radius, steps=2).descent
                for X, y in neighbours(rng, n, d, radius)
            )
            W = rng.normal(size=(a.Z.shape[1], 40)) * 10.0 ** rng.uniform(-3, 1, size=40) / 3
            claimed = a.sigma / sqrt(a.steps)  # mu = 1
            change = np.linalg.norm(a.gradients(W) - b.gradients(W), axis=0).max() * clip
            largest_gradient = max(largest_gradient, change / claimed)
            errors = [(law.Z @ W < 0).sum(axis=0) for law in (a, b)]
            largest_score = max(largest_score, np.abs(errors[0] - errors[1]).max())
    return float(largest_gradient), float(largest_score)


def projections_for(rng, d=9):
    """Projections that stretch: 1 to 4 rows for 9 columns, so that some rows are clipped; and none."""
    return [None, *(sign_projection.sign_projection(k, d, rng=rng) for k in (1, 2, 4))]


# Algorithm 3 ----------------------------------------------------------------------------------------------------------


def spent_by_law(epsilon, delta, n, radius, score):
    """The squares of all budgets that our law with the printed calibration spends, over mu^2, in fractions."""
    X, y = np.full((n, 2), radius / 2), np.ones(n)
    plain = dict(steps=3, projections=[None] * len(numbers.margin_grid(n)))
    asked = dict(privacy=ApproxDP(epsilon, delta), radius=radius, score=score, calibration="printed")
    law = adaptive_margin.law(X, y, **asked, **plain)
    runs = [c.descent for c in law.candidates]
    needed = [Fraction(replacement_sensitivity(radius=radius, width=run.width)) for run in runs]
    squares = [run.steps * (Delta / Fraction(run.sigma)) ** 2 for run, Delta in zip(runs, needed, strict=True)]
    return (sum(squares) + len(runs) / Fraction(law.sigma) ** 2) / Fraction(law.gdp.mu) ** 2


def decide_privacy(statement, score, factor, *, epsilon, delta, n, radius):
    """The derivation of `whole_grid.empirical_privacy`: what our law spends, its sensitivity, the curve.

    The delta that the statement says is spent at epsilon must be that of the budget that the law spends.
    """
    setting = {"epsilon": epsilon, "delta": delta, "n": n, "radius": radius}
    claimed = statement(**{name: setting[name] for name in signature(statement.theorem.formula).parameters})
    spent = spent_by_law(epsilon, delta, n, radius, score)
    rng = np.random.default_rng(n)
    gradient, change = searched(rng, projections_for(rng), radius, pairs=4)
    if spent > ROUNDING or gradient > 1 + 1e-12 or change > 1:
        note = f"our law spends {float(spent)} mu^2; sensitivities {gradient}, {change} of those claimed"
        return inconclusive("FAILED", note)
    with ctx.workprec(400):  # the curve is a difference of two numbers that are nearly equal
        curve = closed_form(epsilon, exact(numbers.printed_budget(epsilon, delta)) * exact(spent).sqrt())
    if not abs(curve - claimed) < exact(1e-6) * curve + exact(1e-300):  # a claim in floats ends there
        return inconclusive("FAILED", f"our law spends delta = {float(curve)}, the statement says {claimed}")
    # All noise is `factor` times too small: the budget is mu = factor epsilon / (2 t), up to epsilon = 4 t^2.
    rule = Conversion.of(lambda m, t: 2 * m * t / Fraction(factor), slope=Fraction(2) * Fraction(factor))
    return decide_conversion(rule, setting, epsilon, factor * numbers.printed_budget(epsilon, delta), delta)


PRIVATE = dict(
    quick=({"epsilon": 1.0, "delta": 1e-5, "n": 5, "radius": 1.0},),
    full=(
        *grid(epsilon=[1e-6, 8.0, 92.1], delta=[1e-5], n=[1, 5], radius=[1.0]),
        *grid(epsilon=[1.0], delta=[1e-300, 0.5], n=[2], radius=[1.0]),
        *grid(epsilon=[7.9e-12], delta=[1 - 1e-12], n=[2], radius=[1.0]),
    ),
    control=Control("all noise {} times too small", (1.1, 2)),
    cost=0.15,
)
LINKS = (projected_gdp, "wzw25.lemE.3/printed/iter", "wzw25.lemE.3/printed")
WHOLE = "T = n² μ_c² is rarely a whole number; σ = Δ √T / μ_c must be computed from the T that is run"
