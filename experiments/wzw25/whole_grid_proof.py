"""The printed proofs of Lemmas H.2 and H.3 step by step: Wang, Zhu & Wang (2025), Appendix H."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
from flint import arb

from bounds.exact.balls import exact
from bounds.exact.gaussian_maxima import best_loses
from bounds.wzw25 import whole_grid_proof as bounds
from bounds.wzw25.margin_grid import doubling_grid, grid_size
from experiments.engine.claim import Control, exact_claim, grid
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.wzw25.one_margin_proof import everywhere_below, inequality

SIZES = (*range(2, 200), *(2**j + e for j in range(8, 60, 3) for e in (-1, 0, 1)))
SMALLER = Control("a right side {} times smaller", (3,))


# Lemma H.2 ------------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.selection_part,
    control=Control("a right side {} times smaller", (8, 16)),
    given=("wzw25.lemF.1/printed", "wzw25.lemF.1/explicit"),
    cost=0.1,
)
def choice_in_expectation(*, factor=1):
    """What one gap costs, in balls: scores (0, g, ..., g), excess g P(some rival wins), against the printed part."""
    pairs = []
    for n in (3, 50, 10**4):
        for gap in (0.5, 1.5, 2.5, 4.0):  # in units of 1/mu
            left = exact(gap) * best_loses(grid_size(n=n), gap) / n
            pairs.append(({"n": n, "gap mu": gap}, left, bounds.selection_part(n=n, mu=1.0)))
    return everywhere_below(pairs, factor, "everywhere", "Lemma F.1, sigma = 1/mu; half of it suffices")


def log2_ball(n):
    """log2 n as a ball."""
    return exact(n).log() / arb(2).log()


def settings_of_h():
    """(point, n, epsilon, delta): the corners of delta and epsilon."""
    for delta in (1e-300, 1e-5, 0.5, 1 - 1e-9):
        ceiling = -8 * np.log(delta)
        for epsilon in (1e-6, 0.999 * ceiling):
            for n in SIZES[:: (1 if delta == 1e-5 else 17)]:
                yield {"n": n, "epsilon": float(epsilon), "delta": delta}, n, exact(float(epsilon)), exact(delta)


def agrees(ball, number):
    """The formula of bounds and the ball computed here, to 1e-9."""
    return abs(float(ball) / number - 1) < 1e-9


@exact_claim(
    bounds.term_a,
    control=SMALLER,
    given=("wzw25.lem6.4/printed/size",),
    note="for n >= 2, as the proof says; at n = 1 the right side is undefined",
    cost=0.1,
)
def term_a_in_epsilon(*, factor=1):
    """Both sides in balls at gamma = b = 1 (they scale alike)."""
    pairs = []
    for point, n, epsilon, delta in settings_of_h():
        size, loss = exact(grid_size(n=n)), -delta.log()
        beta = 1 / exact(n) ** 2
        left = 4 * (size * loss * (size * (n + 1) * (n + 2) / beta).log()).sqrt() / (n * epsilon)
        right = 8 * (log2_ball(n) * loss * (4 * (n + 1) * (n + 2) * log2_ball(n) / beta).log()).sqrt() / (n * epsilon)
        if not agrees(right, bounds.term_a(**point, gamma=1.0, beta=1 / n**2)):
            return inconclusive("FAILED", "the balls compute another formula")
        pairs.append((point, left, right))
    return everywhere_below(pairs, factor, "everywhere", "|Gamma| <= 4 log2 n in both places")


def term_b_pairs(doubled, right_of):
    """Term (b) with log|Gamma| or log(2 |Gamma|) on the left, and the printed right side, in balls."""
    for point, n, epsilon, delta in settings_of_h():
        size, loss = exact(grid_size(n=n)), -delta.log()
        left = 8 * (2 * size * loss * (doubled * size).log()).sqrt() / (n * epsilon)
        right = 16 * (2 * log2_ball(n) * loss * (doubled * 4 * log2_ball(n)).log()).sqrt() / (n * epsilon)
        if not agrees(right, right_of(**point)):
            raise ArithmeticError("the balls compute another formula")
        yield point, left, right


@exact_claim(bounds.term_b, control=SMALLER, given=("wzw25.lem6.4/printed/size",), cost=0.1)
def term_b_in_epsilon(*, factor=1):
    """Both sides in balls."""
    return everywhere_below(term_b_pairs(1, bounds.term_b), factor, "everywhere", "n >= 2")


@exact_claim(bounds.failure_part, control=Control("1/(n^2 {})", (2,)), given=("wzw25.lem6.2/explicit",))
def bad_projections(*, factor=1):
    """|Gamma| projections at 1/(n^2 |Gamma|) each, in fractions, for the grid as a set."""
    for n in range(2, 300):
        size = len(doubling_grid(n))
        total = size * (Fraction(1, n**2) / size)
        if total > Fraction(bounds.failure_part(n=n)).limit_denominator(n**2) / factor:
            return refuted("enumeration", inequality({"n": n}, total, bounds.failure_part(n=n) / factor))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="errors are at most 1")


# Lemma H.3 ------------------------------------------------------------------------------------------------------------

MISSING_SIGMA = """from math import floor
from bounds.wzw25.margin_grid import grid_size
from bounds.wzw25.whole_grid_proof import choice_level_as_printed
from bounds.exact.gaussian_maxima import best_loses
n, mu = {n}, {mu!r}     # a number of errors has noise of standard deviation 1/mu
gap = floor(n * choice_level_as_printed(n=n, mu=mu)) + 1
assert gap <= n         # one candidate makes no error, the others `gap`: choosing one costs more than (b) + (c)
chance = best_loses(grid_size(n=n), gap * mu)
assert chance > 3 / n**2, (float(chance), 1 / n**2)   # even more than the 3 / n^2 of the whole proof"""


def choice_fails(n, mu, level):
    """(gap, P) of one candidate without error and rivals with `gap` > n level errors each; None if gap > n."""
    gap = floor(n * level * (1 + 1e-12)) + 1
    return (gap, best_loses(grid_size(n=n), exact(gap) * exact(mu))) if gap <= n else None


LEVELS = grid(n=[1000], mu=[0.02])


@exact_claim(
    bounds.choice_level_as_printed,
    quick=LEVELS,
    full=grid(n=[100, 10**4, 10**6], mu=[0.02, 0.5, 1.0]),
    severity="constant",
    note="term (c) lacks 1/mu, as Lemma F.2 lacks sigma: wrong for scores independent of the noise once mu < 0.7, "
    "as mu is for usual epsilon; with 1/mu (c) is O~(1/(n epsilon)), and Lemma H.3 stands",
    cost=0.05,
)
def choice_costs_more(*, n, mu, factor=1):
    """Numbers of errors out of n: one candidate without any, the rivals just above the level; the exact chance."""
    found = choice_fails(n, mu, bounds.choice_level_as_printed(n=n, mu=mu))
    if found is None:
        return holds("derivation", "settings", note="the level is above n, more than any score can exceed")
    gap, chance = found
    if chance > exact(3) / n**2:
        point = {"n": n, "mu": mu, "errors of the rivals": gap}
        python = MISSING_SIGMA.format(n=n, mu=mu)
        return refuted("certificate", inequality(point, chance, exact(1) / n**2, python))
    note = f"one candidate without errors, rivals at {gap}: probability {float(chance):.3g}, allowed {1 / n**2:.3g}"
    return holds("enumeration", "settings", note=note) if chance < exact(1) / n**2 else inconclusive("TIGHT", note)


@exact_claim(
    bounds.choice_level,
    quick=LEVELS,
    full=grid(n=[2, 100, 10**6], mu=[1e-3, 1.0]),
    control=Control("a level {} times lower", (2, 3)),
    given=("wzw25.lemF.2/corrected",),
    cost=0.05,
)
def choice_costs_no_more(*, n, mu, factor=1):
    """The same scores against the level with 1/mu in both terms."""
    level = bounds.choice_level(n=n, mu=mu) / factor
    gap = exact(n) * exact(level) * (1 + exact(2) ** -40)
    chance = best_loses(grid_size(n=n), gap * exact(mu))
    if chance > exact(1) / n**2:
        return refuted("certificate", inequality({"n": n, "mu": mu}, chance, exact(1) / n**2))
    ratio = float(chance * n**2)
    return holds("derivation", "everywhere: scores independent of their noise", tightness=(ratio, 1.0))


NEAR_ONE = """from math import log, sqrt
from bounds.wzw25.margin_grid import grid_size
from bounds.wzw25.whole_grid_proof import call_budget, tail_term_a_as_printed
n, epsilon, delta = 2, 1e-3, 0.999
mu, size, beta = call_budget(n=n, epsilon=epsilon, delta=delta), grid_size(n=n), 1 / n**2
left = sqrt(log(size / beta) * log(size * (n + 1) * (n + 2) / beta)) / (n * mu)
assert left > 3 * tail_term_a_as_printed(n=n, epsilon=epsilon, delta=delta, gamma=1.0, beta=beta)"""


def tail_a_pairs(points, with_mu):
    """Both sides of term (a) at gamma = b = 1, beta = 1/n^2, in balls; mu or epsilon in the right denominator."""
    for n, epsilon, delta in points:
        size, loss, beta, wide = exact(grid_size(n=n)), -exact(delta).log(), 1 / exact(n) ** 2, 4 * log2_ball(n)
        mu = exact(epsilon) / (4 * (size * loss).sqrt())
        logs = ((size / beta).log() * (size * (n + 1) * (n + 2) / beta).log()).sqrt()
        more = ((wide / beta).log() * (wide * (n + 1) * (n + 2) / beta).log() * log2_ball(n) * loss).sqrt()
        right = 8 * more / (n * (mu if with_mu else exact(epsilon)))
        known = dict(n=n, epsilon=epsilon, delta=delta)
        said = (bounds.tail_term_a_as_printed if with_mu else bounds.tail_term_a)(**known, gamma=1.0, beta=1 / n**2)
        if not agrees(right, said):
            raise ArithmeticError("the balls compute another formula")
        yield known, logs / (n * mu), right


@exact_claim(
    bounds.tail_term_a_as_printed,
    severity="cosmetic",
    note="mu stands for epsilon in the denominator on the right; with mu the line is true, and too large by 8 "
    "sqrt(log2(n) log(1/delta)), unless delta is so near 1 that this factor is below 1",
    cost=0.05,
)
def mu_for_epsilon(*, factor=1):
    """delta = 0.999, n = 2: the left side is more than three times the right one, in balls."""
    points = [(2, 1e-3, 0.999), (100, 1.0, 1e-5)]
    return everywhere_below(tail_a_pairs(points, True), factor, "settings", python=NEAR_ONE)


@exact_claim(bounds.tail_term_a, control=SMALLER, given=("wzw25.lem6.4/printed/size",), cost=0.1)
def tail_a_in_epsilon(*, factor=1):
    """Both sides in balls, corners of delta and epsilon."""
    points = [(point["n"], point["epsilon"], point["delta"]) for point, *_ in settings_of_h()]
    return everywhere_below(tail_a_pairs(points, False), factor, "everywhere", "n >= 2")


@exact_claim(bounds.tail_term_b, control=SMALLER, given=("wzw25.lem6.4/printed/size",), cost=0.1)
def tail_b_in_epsilon(*, factor=1):
    """Both sides in balls."""
    return everywhere_below(term_b_pairs(2, bounds.tail_term_b), factor, "everywhere", "n >= 2")


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
