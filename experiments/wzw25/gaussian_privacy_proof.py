"""Remark 2.3 of Wang, Zhu & Wang (2025) in floating point, for sums over records: what descents rest on."""

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np

from lemmata.bounds.wzw25 import gaussian_privacy as bounds
from lemmata.experiments.checks import inequality_claim
from lemmata.experiments.engine.claim import Control, attack_claim, grid
from lemmata.experiments.instances.reachable_floats import watched
from lemmata.mechanisms import grid_sums, noisy_gd
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
    """One step of length 1 of the descent behind `MarginClassifier`, on a record and on its opposite.

    The other records are 0: a float64 sum of several depends on their order, and the attacker would miss its centre.
    """
    rows = np.zeros((8, d))
    rows[0] = np.random.default_rng(d).normal(size=d)
    other = -rows
    setting = {"privacy": ApproxDP(epsilon, delta), "width": 0.5, "steps": 1, "output": "last"}
    noise = {1: "exact", 2: "float"}[factor]
    laws = [noisy_gd.law(X, np.ones(8), noise=noise, **setting) for X in (rows, other)]
    laws = [replace(law, strides=np.ones(1)) for law in laws]
    return watched(laws, [-law.gradients(np.zeros((d, 1)))[:, 0] for law in laws])


if __name__ == "__main__":
    import lemmata

    lemmata.script(__file__)
