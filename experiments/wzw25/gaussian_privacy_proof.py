"""Remark 2.3 of Wang, Zhu & Wang (2025) in floating point, for sums and counts: what descents and ranges rest on."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

import numpy as np
from scipy.special import ndtr

from lemmata.bounds.wzw25 import gaussian_privacy as bounds
from lemmata.bounds.wzw25 import gaussian_privacy_proof as counting
from lemmata.experiments.checks import inequality_claim
from lemmata.experiments.engine.claim import Control, attack_claim, grid
from lemmata.experiments.instances.reachable_floats import watched
from lemmata.mechanisms import column_ranges, grid_sums, noisy_gd
from lemmata.mechanisms.arithmetic import up
from lemmata.mechanisms.law import clip_rows
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP


def hard_rows(n, d, radius):
    """Rows whose clipping and rounding are hardest: full length, above half a step of the grid, huge, tiny."""
    grid, draw = grid_sums.grid_for(radius), np.random.default_rng(n * d)
    dense = draw.normal(size=(n, d)) * 10.0 ** draw.integers(-3, 150, size=(n, 1))
    dense[0] = radius / sqrt(d)
    dense[1] = (np.floor(radius / sqrt(d) / grid) + 0.75) * grid  # longer than the radius if it is rounded up
    dense[2, 1:] = 0.0
    return clip_rows(dense, radius)


@inequality_claim(
    bounds.grid_sums,
    quick=grid(n=[64], d=[7, 1], radius=[1.0], steps=[3]),
    full=grid(n=[500], d=[64], radius=[0.3, 5.0], steps=[100]),
    given=["wzw25.rem2.3/printed/gaussian", "wzw25.rem2.3/printed/composition", bounds.grid_release],
    control=Control("rows rounded to the nearest step, what that adds to their length not counted", (2,)),
    cost=0.2,
    note="Lengths of rows and sums in whole numbers of the grid; the mu of the law that `fit` runs, in rationals.",
)
def noisy_sums_on_a_grid(*, n, d, radius, steps, factor=1):
    """Every row's length, every sum in three orders of its rows, and what one replaced record moves, over the noise."""
    step, rows = grid_sums.grid_for(radius), hard_rows(n, d, radius)
    rounded = grid_sums.grid_rows(rows, radius) if factor == 1 else np.rint(rows / step) * step
    whole = [[int(entry) for entry in row] for row in rounded / step]
    for i, row in enumerate(whole):
        yield {"row": i, "d": d}, sum(entry**2 for entry in row), (Fraction(radius) / Fraction(step)) ** 2
    privacy, width = GaussianDP(0.5), 0.125
    for loss in ("hinge", "logistic"):
        law = noisy_gd.law(
            rows, np.ones(n), privacy=privacy, width=width, radius=radius, steps=steps, loss=loss, noise="exact"
        )
        w = np.random.default_rng(1).normal(size=(d, 1)) * width
        for order in (np.arange(n), np.arange(n)[::-1], np.argsort(rows[:, 0])):
            part = replace(law, Z=law.Z[order])
            total = -width * part.gradients(w) / law.grid
            share = part.coefficients(w)[:, 0]
            exactly = [
                sum(Fraction(c) * Fraction(z) for c, z in zip(share, column, strict=True)) for column in part.Z.T
            ]
            off = max(abs(Fraction(t) * Fraction(law.grid) - e) for t, e in zip(total[:, 0], exactly, strict=True))
            yield {"loss": loss, "records": n, "off by": float(off)}, off, 0
        sigma = up(Fraction(law.sigma) * Fraction(width) / Fraction(sqrt(steps)))
        claimed = bounds.grid_sums(radius=radius, sigma=sigma, n=n)
        moved = 2 * Fraction(float(np.linalg.norm(law.Z, axis=1).max())) / Fraction(sigma)
        yield {"loss": loss, "steps": steps, "mu": claimed}, float(moved), claimed
        yield {"loss": loss, "steps": steps, "promised": privacy.mu}, claimed, privacy.mu


@attack_claim(
    bounds.grid_sums,
    law="noisy_gd.bits",
    attack="approx",
    bound=lambda *, epsilon, **_: epsilon,
    quick=grid(epsilon=[1.0], delta=[1e-5], d=[3]),
    control=Control("the float64 noise of the same sigma", (2,)),
    cap=6,
    cost=3e-5,
    note="bit-level: who knows both datasets' gradients asks whether a release is one of them plus any double",
)
def descent_bits(*, epsilon, delta, d, factor=1):
    """One step of length 1 of the descent behind `MarginClassifier`, on a record and on its opposite."""
    rows = np.random.default_rng(d).normal(size=(8, d))
    other = rows.copy()
    other[0] *= -1
    setting = {"privacy": ApproxDP(epsilon, delta), "width": 0.5, "steps": 1, "output": "last"}
    noise = {1: "exact", 2: "float"}[factor]
    laws = [noisy_gd.law(X, np.ones(8), noise=noise, **setting) for X in (rows, other)]
    laws = [replace(law, strides=np.ones(1)) for law in laws]
    return watched(laws, [-law.gradients(np.zeros((d, 1)))[:, 0] for law in laws])


# Counts of all columns ------------------------------------------------------------------------------------------------

EXTREME = (0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 2.0**-64, 0.99, 1e6, 1e100, 1.7e308, np.inf, -np.inf, np.nan)


def tables(n, d):
    """Pairs of tables that differ in one record: extreme entries, equal and alternating ones."""
    draw = np.random.default_rng(n + d)
    table = draw.normal(size=(n, d)) * 10.0 ** draw.integers(-30, 30, size=d)
    for value in EXTREME:
        for other in (1.5, value):
            replaced = table.copy()
            replaced[0] = np.where(np.arange(d) % 2 == 0, value, other)
            yield value, table, replaced


@inequality_claim(
    counting.column_counts,
    quick=grid(n=[40], d=[3], mu=[0.5]),
    full=grid(n=[500], d=[1, 30], mu=[0.05, 3.0]),
    given=["wzw25.rem2.3/printed/gaussian", bounds.grid_release],
    control=Control("a record that is counted in the next bin as well", (2,)),
    cost=0.2,
    note="Counts of neighbours in whole numbers; the sigma of the law and what a search spends, in rationals.",
)
def counts_move_by_one_record(*, n, d, mu, factor=1):
    """The squared distance of all counts over 2 d, first and closer looks; what the law spends, over its budget."""
    privacy = GaussianDP(mu)
    for value, one, other in tables(n, d):
        laws = [column_ranges.law(table, privacy=privacy) for table in (one, other)]
        looks = [column_ranges.octave_counts(law.X) for law in laws]
        cells = [column_ranges.cell_counts(law.X, np.full(d, 0.5), np.full(d, 2.0)) for law in laws]
        for look, (a, b) in (("octaves", looks), ("cells", cells)):
            moved = a - b if factor == 1 else a - b + np.roll(a - b, 1, axis=1)
            yield {"look": look, "entry": repr(value), "whole": bool((a % 1 == 0).all())}, (moved**2).sum(), 2 * d
        claimed = counting.column_counts(columns=d, sigma=laws[0].sigma)
        yield {"entry": repr(value), "sigma": laws[0].sigma}, claimed, mu * (1 + 1e-15)
        spent = laws[1].sample(np.random.default_rng(1))["mu"][0]
        yield {"entry": repr(value), "spent": spent}, spent, mu


@dataclass(frozen=True)
class FirstCounts:
    """The first release of a search, as an attack sees it."""

    law: column_ranges.ColumnRangesLaw

    def sample(self, rng, size=1):
        """Shape (size, d 257)."""
        return self.law.first_counts(rng, size).reshape(size, -1)

    def log_density(self, releases):
        """Up to a constant that both datasets share, and up to the rounding to the grid."""
        standard = (releases - column_ranges.octave_counts(self.law.X).ravel()) / self.law.sigma
        return -(standard**2).sum(axis=1) / 2


@attack_claim(
    counting.column_counts,
    law="column_ranges",
    attack="gdp",
    bound=lambda columns, sigma, **_: counting.column_counts(columns=columns, sigma=sigma),
    quick=grid(columns=[1], sigma=[1.5]),
    control=Control("noise of standard deviation sigma / {}", (1.2, 1.5, 2)),
    chunk=2000,
    cost=4e-5,
)
def a_record_leaves_its_octaves(*, columns, sigma, factor=1):
    """One record of four goes from 1 to -1 in every column: kappa = 1, the score is the exact log-likelihood ratio."""
    records = np.ones((4, columns))
    other = records.copy()
    other[0] = -1.0
    laws = [column_ranges.law(X, privacy=GaussianDP(9.0), noise="exact") for X in (records, other)]
    return tuple(FirstCounts(replace(law, sigma=sigma / factor)) for law in laws)


def power_of(mu, first, cut, level, points=20_001):
    """Power and level of the best test where a second release, with all of mu that is left, is made beyond a cut.

    The log-likelihood ratio is first x - first^2 / 2, and second z - second^2 / 2 more if x > cut; the test says yes
    above a threshold. Level and power are integrals over x, by the trapezoidal rule on either side of the cut.
    """
    second = sqrt(max(mu**2 - first**2, 0.0))

    def chance(threshold, shift):
        total = 0.0
        for low, high, more in ((-12.0, cut, 0.0), (cut, 12.0 + mu, second)):
            x = np.linspace(low, high, points)
            left = threshold - (first * x - first**2 / 2)
            inside = (left <= 0).astype(float) if not more else ndtr(-(left / more + more / 2) + shift * more)
            total += np.trapezoid(inside * np.exp(-((x - shift * first) ** 2) / 2), x) / sqrt(2 * np.pi)
        return total

    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle, 0) > level else (low, middle)
    return chance(high, 1), chance(high, 0)


@inequality_claim(
    counting.scheduled_power,
    quick=grid(mu=[1.0], level=[0.1, 0.5]),
    full=grid(mu=[0.3, 3.0], level=[1e-3, 0.9]),
    given=["wzw25.rem2.3/printed/composition"],
    control=Control("a second release of what is left of {} times mu^2", (1.2, 1.5, 2)),
    cost=0.5,
    rounding=1e-3,
    note="The best tests of schedules of two releases, the second made or not by the first; integrals to 1e-3.",
)
def schedules_of_two(*, mu, level, factor=1):
    """Shares of the first release and places of the cut; the level is taken as it came out."""
    for share in (0.1, 0.3, 0.5, 0.8):
        for cut in (-2.0, -0.5, 0.3, 1.0, 2.5):
            power, reached = power_of(mu * sqrt(factor), mu * sqrt(share), cut, level)
            yield {"mu": mu, "share": share, "cut": cut}, power, counting.scheduled_power(mu=mu, level=reached)


if __name__ == "__main__":
    import lemmata

    lemmata.script(__file__)
