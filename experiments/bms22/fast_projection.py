"""Lemma A.4 of Bassily, Mohri & Suresh (2022): does the fast projection keep inner products, in the time promised?"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
from flint import arb

from bounds.bms22 import fast_projection as bounds
from bounds.bms22 import sign_projection
from bounds.exact.balls import Phi
from bounds.exact.balls import exact as ball
from experiments.bms22.sign_projection import breaks
from experiments.checks import inequality_claim, order_claim
from experiments.engine.claim import Control, grid, script, tail_claim
from experiments.engine.verdict import inconclusive
from mechanisms.fast_projection import fast_projection

# Lemma A.4 ------------------------------------------------------------------------------------------------------------


def enough(constant):
    """Proved: k = ceil(constant * g) solves k >= 36 e^3 (1 + gamma/(3e))(p-1)(q-1)/gamma^2 whenever m/beta >= 2.

    With l = log(m/beta) >= log 2 and l' = l + log(1/gamma): (p - 1)/l <= 2, and either q = 2p, where
    (q - 1)/l' <= 4.4, or q = 2 log k <= 2 log C + 2 log l + 2 log l' + 4 (l' - l) + 0.001, which log x <= x - 1 bounds
    by 2 log C - 4 + 6 l' + 0.001. The corner m = 1, beta > 1/2 is that of `one_gaussian_row`.
    """
    e, c = arb(1).exp(), ball(constant)
    by_logs = (2 * c.log() - 5 + ball(Fraction(1, 1000))) / arb(2).log() + 6
    many = 72 * e**3 * (1 + 1 / (3 * e)) * by_logs <= c and by_logs > ball(Fraction(22, 5))
    one = c * ball(Fraction(118, 1000)) ** 2 >= 32 and ball(Fraction(3, 4)) * c.sqrt() / (12 * arb(8).sqrt()) >= 1
    return bool(many and one)


@inequality_claim(
    bounds.fast_projection_order,
    control=Control("the constant 62,300 divided by {}", (2, 3, 10)),
    given=[bounds.fast_projection_moment, bounds.one_gaussian_row, sign_projection.polarisation],
    rounding=1e-9,
    note="k contains no dimension, though the usual proof (all coordinates flat) needs log d: moments do without. For "
    "m = 1, β → 1 the printed k drops to one row, where sign matrices fail (Lemma A.3) but another law works. "
    "c = 62,300 suffices for all m, γ, β and every dimension",
)
def printed_order(*, factor=1):
    """c = 62,300 is sufficiently large."""
    constant = bounds.CONSTANT / factor
    for s in grid(m=[1, 2, 10, 10**6, 10**60], gamma=[1e-6, 0.3, 1 - 1e-6], beta=[1e-300, 0.1, 0.5, 1 - 1e-9]):
        if s["m"] / s["beta"] >= 2:
            yield s, bounds.fast_projection_rows(**s), constant * bounds.fast_projection_order(**s)
    if not enough(constant):
        return inconclusive("NO_CONSTANT", "the certificate did not close")
    return {"tightness": None}


@tail_claim(
    bounds.fast_projection_rows,
    quick=grid(m=[10], d=[256], gamma=[0.9], beta=[0.1]),
    full=grid(m=[2, 30], d=[3, 4096], gamma=[0.99], beta=[0.05]),
    control=Control("only 1/{} of the rows", (30, 100, 300)),
    chunk=lambda *, beta, **setting: round(10 / beta),
    cap=7,
    cost=7e-4,
    expect=0.01,
)
def inner_products_break(rng, size, *, m, d, gamma, beta, factor=1):
    """Draw points and the fast Phi afresh `size` times: did the event of Lemma A.4 fail? Shape (size,), bool."""
    k = max(1, bounds.fast_projection_rows(m=m, gamma=gamma, beta=beta, d=d) // factor)
    return breaks(rng, size, k, m=m, d=d, gamma=gamma, projection=fast_projection)


@order_claim(
    bounds.fast_projection_time,
    constant=bounds.STEPS,
    caught=(2, 4),
    quick=({"k": 1}, {"k": 1000}),
    evidence="enumeration",
    note="operations counted, storage free: a d that is not a power of two is padded to less than 2d",
    cost=0.12,
)
def operations(*, k):
    """D (1.5 log2 D + 1) + k <= 9 (d log d + k): enumerated for d <= 4097; beyond, D < 2d gives d (3 log2 d + 5) + k.

    That is at most 9 d log d = 6.23 d log2 d as soon as log2 d >= 5/3.23; d = 1 costs 1 + k <= 9k.
    """
    pairs = {
        d: (bounds.fast_projection_operations(d, k), bounds.fast_projection_time(d=d, k=k)) for d in range(1, 4098)
    }
    for d, (needed, g) in pairs.items():
        yield {"d": d, "k": k}, needed, g
    if not bounds.STEPS * np.log(2) > 3 + 5 / np.log2(4097):
        return inconclusive("BUDGET", "the argument for large d does not close")
    axis = [2**i for i in range(13)]
    ratios = [pairs[d][0] / pairs[d][1] for d in axis]
    return {"series": {"d": axis, "operations / (d log d + k)": ratios, "c'": [bounds.STEPS] * 13}}


# Why no dimension is needed, and one vector ---------------------------------------------------------------------------


def exact_moment(x, k, p):
    """(E | ||Phi x||^2/||x||^2 - 1 |^p)^{1/p} of the fast projection of a whole-number vector of length 4, p even."""
    hadamard = ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))
    norm, total = sum(a * a for a in x), Fraction(0)
    for signs in product((1, -1), repeat=4):
        squares = [sum(h * s * a for h, s, a in zip(row, signs, x, strict=True)) ** 2 for row in hadamard]
        law = Counter({0: 1})
        for _ in range(k):
            step: Counter = Counter()
            for value, ways in law.items():
                for square in squares:
                    step[value + square] += ways
            law = step
        total += sum(ways * (Fraction(value, k * norm) - 1) ** p for value, ways in law.items()) / Fraction(4**k)
    return float(total / 16) ** (1 / p)


@inequality_claim(
    bounds.fast_projection_moment,
    quick=({"k": 3, "p": 2}, {"k": 20, "p": 4}),
    full=grid(k=[1, 2, 5, 12], p=[2, 4, 8]),
    control=Control("the moment divided by {}", (4, 40), setting={"k": 20, "p": 4}),
    note="four named inequalities; docstring",
)
def moments(*, k, p):
    """The exact p-th moment of | ||Phi x||^2 - 1 | in dimension 4, over all signs and coordinates, never above."""
    for x in ((1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 1), (4, 1, 1, 0)):
        yield {"k": k, "p": p, "x": x}, exact_moment(x, k, p), bounds.fast_projection_moment(k=k, p=p)


@inequality_claim(
    bounds.one_gaussian_row, control=Control("the constant 0.118 multiplied by {}", (1.5, 2)), evidence="certificate"
)
def gaussian_window(*, factor=1):
    """P(1 - gamma/3 <= N^2 <= 1 + gamma/3) >= 0.118 gamma, by balls: its density there is at least that at 4/3."""
    rate, gamma = bounds.one_gaussian_row(gamma=0.5) / 0.5 * factor, ball(1 - 2.0**-20)
    chance = 2 * (Phi((1 + gamma / 3).sqrt()) - Phi((1 - gamma / 3).sqrt())) / gamma
    yield {"gamma": gamma}, rate, chance
    y = ball(Fraction(4, 3))  # the density decreases, the window has length 2 gamma / 3
    if not (-y / 2).exp() / (2 * arb.pi() * y).sqrt() * 2 / 3 >= rate:
        return inconclusive("BUDGET", "the density at 4/3 is too small")


if __name__ == "__main__":
    script(__spec__.name)
