"""Lemma A.4 of Bassily, Mohri & Suresh (2022): does the fast projection keep inner products, in the time promised?"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import e as EULER, log, sqrt

import numpy as np
from flint import arb

from lemmata.bounds.bms22 import fast_projection as bounds, sign_projection
from lemmata.bounds.exact.balls import Phi, exact as ball
from lemmata.experiments.bms22.sign_projection import breaks
from lemmata.experiments.checks import (
    Control,
    grid,
    inconclusive,
    inequality_claim,
    order_claim,
    run_script,
    tail_claim,
    withheld,
)
from lemmata.mechanisms.features.fast_projection import fast_projection

# Lemma A.4 ------------------------------------------------------------------------------------------------------------


def enough(constant, L, L2, gamma):
    """More than the explicit k if m/beta >= 2 and k <= C g, C = `constant`: 72 e^3 (1 + gamma/(3e)) l l' r / gamma^2.

    l = log(m/beta) = `L` >= log 2 and l' = l + log(1/gamma) = `L2`. (p - 1)/l <= 2, and r bounds (q - 1)/l': either
    q = 2p and it is at most 4.4, or q = 2 log k <= 2 log C + 2 log l + 2 log l' + 4 (l' - l) + 0.001, which
    log x <= x - 1 bounds by 2 log C - 4 + 6 l' + 0.001.
    """
    r = (2 * constant.log() - 5 + ball(Fraction(1, 1000))) / arb(2).log() + 6
    if not r > ball(Fraction(22, 5)):
        raise ArithmeticError(f"constant = {constant} is too small for the derivation")
    e = arb(1).exp()
    return 72 * e**3 * (1 + gamma / (3 * e)) * r * L * L2 / gamma**2


@inequality_claim(
    bounds.fast_projection_order,
    control=Control("the constant 48,600 divided by {}", (1.01, 2)),
    given=[bounds.fast_projection_rows, bounds.one_gaussian_row],
    rounding=1e-9,
    note=(
        "k does not contain the dimension, although the usual proof, which makes all coordinates flat, "
        "needs log d: a bound on moments does without it. For m = 1 and β → 1 the printed k is a single "
        "row, at which sign matrices fail (Lemma A.3) but another law works. c = 48,600 is enough for all "
        "m, γ, β and every dimension"
    ),
    tightness=withheld,
)
def printed_order(*, factor=1):
    """c = 48,600 is sufficiently large: explicit <= what the derivation allows <= c g, and c for the corner m = 1."""
    constant = ball(bounds.CONSTANT) / ball(factor)
    for s in grid(m=[1, 2, 10, 10**6, 10**60], gamma=[1e-6, 0.3, 1 - 1e-6], beta=[1e-300, 0.1, 0.5, 1 - 1e-9]):
        if s["m"] / s["beta"] >= 2:
            L = (s["m"] / ball(s["beta"])).log()
            derived = enough(constant, L, L - ball(s["gamma"]).log(), ball(s["gamma"]))
            yield s, bounds.fast_projection_rows(**s), derived
            yield s, derived, constant * bounds.fast_projection_order(**s)
    share = ball(Fraction(118, 1000))  # of gamma, as in `one_gaussian_row`: k >= c share^2
    yield {"m": 1, "of": "rows"}, 32, constant * share**2
    yield {"m": 1, "of": "Chebyshev"}, 1, ball(Fraction(3, 4)) * constant.sqrt() / (12 * arb(8).sqrt())


@inequality_claim(
    bounds.fast_projection_rows,
    quick=grid(beta=[1e-12, 0.1, 0.999]),
    control=Control("only 1/{} of the rows", (1.1, 1.5)),
    given=["bms22.lemA.3.s1/corrected", bounds.fast_projection_moment, sign_projection.polarisation],
    rounding=1e-9,
    note=(
        "by definition k solves one of two inequalities: Markov's for the moment of step s1, or "
        "Chernoff's, exp(−k t²/(3R)), for points whose coordinates the signs have made flat. Chernoff's "
        "exponent is loose by a factor of 1.36 at t = 1/3"
    ),
)
def rows_are_enough(*, beta, factor=1):
    """m^2 vectors fail with probability at most beta, by moments and by flat points."""
    for m, gamma, d in product([1, 2, 10, 10**6], [1e-3, 0.5, 1 - 1e-6], [None, 1, 100, 2**20]):
        s = {"m": m, "gamma": gamma, "beta": beta}
        k = max(1, int(bounds.fast_projection_rows(d=d, **s) / factor))
        failure = bounds.failure_by_moments(k=k, **s)
        chance = failure if d is None else min(failure, bounds.failure_of_flat_points(k=k, d=d, **s))
        yield s | {"d": d, "k": k}, chance, beta


@tail_claim(
    bounds.fast_projection_rows,
    law="fast_projection",
    quick=grid(m=[2], d=[4096], gamma=[0.99], beta=[0.1]),
    full=grid(m=[2, 30], d=[3, 16384], gamma=[0.99], beta=[0.05]),
    control=Control("only 1/{} of the rows", (120, 150, 200)),
    chunk=lambda *, beta, **setting: round(10 / beta),
    cap=7,
    cost=7e-4,
    expect=0.01,
    note=(
        "the check detects no factor below 120 for certain: the bound for flat points has R = 2 "
        "log(4Dm²/β) = 27, and the coordinates of actual points are smaller"
    ),
)
def inner_products_break(rng, size, *, m, d, gamma, beta, factor=1):
    """Draw points and the fast Phi afresh `size` times: did the event of Lemma A.4 fail? Shape (size,), bool."""
    k = max(1, int(bounds.fast_projection_rows(m=m, gamma=gamma, beta=beta, d=d) / factor))
    return breaks(rng, size, k, m=m, d=d, gamma=gamma, projection=fast_projection)


@order_claim(
    bounds.fast_projection_time,
    constant=bounds.STEPS,
    caught=(1.1, 2),
    quick=({"k": 1}, {"k": 1000}),
    evidence="enumeration",
    note="operations are counted, storage is not. A d that is not a power of two is padded to less than 2d",
    cost=0.12,
)
def operations(*, k):
    """D (log2 D + 1) + k <= 4 (d log d + k): enumerated for d <= 4097; beyond, D < 2d gives d (2 log2 d + 4) + k.

    That is at most 4 d log d = 2.77 d log2 d as soon as log2 d >= 4/0.77; d = 1 costs 1 + k <= 4k.
    """
    pairs = {
        d: (bounds.fast_projection_operations(d, k), bounds.fast_projection_time(d=d, k=k)) for d in range(1, 4098)
    }
    for d, (needed, g) in pairs.items():
        yield {"d": d, "k": k}, needed, g
    if not bounds.STEPS * np.log(2) > 2 + 4 / np.log2(4097):
        return inconclusive("BUDGET", "the argument for large d does not close")
    axis = [2**i for i in range(13)]
    ratios = [pairs[d][0] / pairs[d][1] for d in axis]
    return {"series": {"d": axis, "operations / (d log d + k)": ratios, "c'": [bounds.STEPS] * 13}}


# Why no dimension is needed, and one vector ---------------------------------------------------------------------------


def exact_moment(x, k, p):
    """(E | ||Phi x||^2/||x||^2 - 1 |^p)^{1/p} of the fast projection of an integer vector of length 4, p even."""
    hadamard = ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))
    norm, total = sum(a * a for a in x), Fraction(0)
    for signs in product((1, -1), repeat=4):
        squares = [sum(h * s * a for h, s, a in zip(row, signs, x, strict=True)) ** 2 for row in hadamard]
        law = Counter({0: 1})
        for _ in range(k):
            step: Counter = Counter()
            for (value, ways), square in product(law.items(), squares):
                step[value + square] += ways
            law = step
        total += sum(ways * (Fraction(value, k * norm) - 1) ** p for value, ways in law.items()) / Fraction(4**k)
    return float(total / 16) ** (1 / p)


@inequality_claim(
    bounds.fast_projection_moment,
    quick=({"k": 3, "p": 2}, {"k": 20, "p": 4}),
    full=grid(k=[1, 2, 5, 12], p=[2, 4, 8]),
    control=Control("the moment divided by {}", (1.01, 2)),
    rounding=1e-9,
    cites=("Khintchine's inequality for p-th moments, by hypercontractivity",),
    note="four named inequalities, see the derivation. The exact moments in dimension 4 are at most 1/12 of the bound",
)
def moments(*, k, p, factor=1):
    """The four inequalities, link by link; the exact p-th moment in dimension 4, over all signs and coordinates."""
    for rows, order in ((k, p), (3, 2.0), (10**3, 2.0), (10**6, 5.5), (10**9, 40.0)):
        E = bounds.fast_projection_moment(k=rows, p=order) / factor
        q = max(2 * order, 2 * log(rows))
        khintchine, largest = sqrt(order - 1), max(rows ** (1 / q), sqrt(EULER)) * sqrt(q - 1)
        yield {"k": rows, "p": order}, 2 * khintchine / sqrt(rows) * largest * sqrt(1 + E), E
    for x in ((1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 1), (4, 1, 1, 0)):
        yield {"k": k, "p": p, "x": x}, exact_moment(x, k, p), bounds.fast_projection_moment(k=k, p=p) / factor


@inequality_claim(bounds.one_gaussian_row, control=Control("the constant 0.118 multiplied by {}", (1.5, 2)))
def gaussian_window(*, factor=1):
    """P(1 - gamma/3 <= N^2 <= 1 + gamma/3) >= 0.118 gamma, by balls: its density there is at least that at 4/3."""
    rate, gamma = bounds.one_gaussian_row(gamma=0.5) / 0.5 * factor, ball(1 - 2.0**-20)
    yield {"gamma": gamma}, rate, 2 * (Phi((1 + gamma / 3).sqrt()) - Phi((1 - gamma / 3).sqrt())) / gamma
    y = ball(Fraction(4, 3))  # the density decreases, the window has length 2 gamma / 3
    if not (-y / 2).exp() / (2 * arb.pi() * y).sqrt() * 2 / 3 >= rate:
        return inconclusive("BUDGET", "the density at 4/3 is too small")


if __name__ == "__main__":
    run_script(__file__)
