"""How far risk and hinge loss part after the projection: the proof of Theorem 3.2 of bms22, third step."""

from __future__ import annotations

from math import comb

import numpy as np

from bounds import efficient_steps as steps
from experiments.claim import Sabotage, exact_claim, grid, holds, refuted, tail_claim
from experiments.phased_sgd import witness


def worst_gap(U, p, w):
    """sup over vectors of R - (empirical hinge) on the line, shape (samples,). Features U in units of rho.

    U: the values of y x / rho; p: their probabilities, shape (values,); w: counts / m, shape (samples, values). Vectors
    are t in [-top, top], `top` in U's units: the hinge is piecewise linear in t, so its kinks and ends are enough.
    """
    top = 1.0
    kinks = np.concatenate([[-top, top, 1e-9, -1e-9], *([1 / u, -1 / u] for u in np.abs(U[U != 0]) if 1 / u <= top)])
    risk = np.array([p[U * t <= 0].sum() for t in kinks])
    loss = w @ np.maximum(0.0, 1 - np.outer(U, kinks))
    return (risk - loss).max(axis=1)


def line_trial(rng, size, m, a, radius):
    """The gap of `size` samples: five margins, some of them wrong, scaled so that the class has norm `radius`."""
    U = radius * 2 * a * np.array([1.0, 0.9, 0.8, -0.01, -0.02])
    p = np.array([0.3, 0.2, 0.2, 0.2, 0.1])
    return worst_gap(U, p, rng.multinomial(m, p, size=size) / m)


DEVIATIONS = dict(
    quick=({"m": 20, "beta": 0.5, "a": 1.0},),
    full=grid(m=[5, 100], beta=[0.1, 0.9], a=[1.0, 3.0]),
    bound=lambda *, beta, **_: beta / 3,
    chunk=lambda *, beta, **_: round(60 / beta),
    cap=4,
    cost=3e-6,
    expect=0.01,
)


def limit(statement, m, beta, a):
    return statement(m=m, beta=beta, radius=a, rho=1.0)


def decide_deviation(statement, radius, factor):
    """The margin bound at norm `radius`; on two margins of the line the failures are counted, by enumeration."""
    reached = 0.0
    for a in (1.0, 2.0, 10.0):
        for wrong, share in ((-1.0, 0.01), (-1.0, 0.3), (-0.01, 0.5)):
            U, p = 2 * radius * a * np.array([1.0, wrong]), np.array([1 - share, share])
            for m in (1, 2, 30):
                counts = np.arange(m + 1) / m
                gaps = worst_gap(U, p, np.column_stack([1 - counts, counts]))
                chances = np.array([comb(m, i) * share**i * (1 - share) ** (m - i) for i in range(m + 1)])
                for beta in (0.9, 0.1):
                    failing = chances[gaps > limit(statement, m, beta, a) / factor].sum()
                    reached = max(reached, failing / (beta / 3))
                    if failing > beta / 3:
                        point = {"a": a, "margins": U.tolist(), "wrong": share, "m": m, "beta": beta}
                        sides = {"point": point, "lhs": [failing] * 2, "rhs": [beta / 3] * 2}
                        return refuted("enumeration", witness(point, beta / 3, failing, **sides))
    note = f"Mohri, Rostamizadeh & Talwalkar 2018, Theorem 5.8, Rademacher complexity {2 * radius:g}r/sqrt(m)"
    return holds("derivation", "everywhere", tightness=(reached, 1.0), note=note)


@exact_claim(
    steps.printed_deviation,
    quick=({},),
    control=Sabotage("a bound {} times too small", (30, 300)),
    cost=0.05,
)
def unit_ball_deviates(*, factor=1):
    """Vectors of norm 1; and the printed slack over the derivation, log(3/beta)/2 <= 4 log(6/beta)."""
    return decide_deviation(steps.printed_deviation, 1, factor)


@tail_claim(
    steps.printed_released_deviation,
    control=Sabotage("a bound {} times too small", (20, 300)),
    note=(
        "it does not follow: the released vector has norm up to 2, the display is about norm 1 and the derivation "
        "gives 8r for 4r. What was tried stays below the printed number, so it holds at the tested settings only"
    ),
    **DEVIATIONS,
)
def released_deviates(rng, size, *, m, beta, a, factor=1):
    """Is R - L above the printed bound for some vector of norm 2?"""
    return line_trial(rng, size, m, a, 2.0) > limit(steps.printed_released_deviation, m, beta, a) / factor


@exact_claim(
    steps.released_deviation,
    quick=({},),
    control=Sabotage("a bound {} times too small", (30, 300)),
    cost=0.05,
)
def twice_the_radius(*, factor=1):
    """Vectors of norm 2, as Algorithm 2 releases."""
    return decide_deviation(steps.released_deviation, 2, factor)


if __name__ == "__main__":
    from experiments.run import script

    script("phased_sgd")
