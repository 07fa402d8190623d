"""Relative deviation, Lemma A.1 of bms22: by derivation, on exact laws, and on classes whose suprema are exact.

The derivation is in `lemmata.bounds.bms22.relative_deviation`; its steps are decided at the end. The checks also
compute exact failure probabilities of concrete laws, down to beta = 1e-300, and suprema over whole classes, sample by
sample.
"""

import itertools
from fractions import Fraction
from math import sqrt

import numpy as np
from flint import arb

from lemmata.bounds.bms22 import relative_deviation as bounds
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.binomials import at_least
from lemmata.experiments.checks import Control, Step, equality, grid, inequality_claim, run_script, tail_claim
from lemmata.experiments.instances.classes import hypothesis_classes
from lemmata.experiments.instances.laws.deviation_laws import decide_uniform, improbable, level_of, with_less


def smallest_sample(V=1, beta=0.1, constant=4):
    """The smallest m with constant * Q < 1."""
    return next(m for m in itertools.count(1) if constant * bounds.complexity(m, V, beta) < 1)


# Lemma A.1 ------------------------------------------------------------------------------------------------------------


LARGE = grid(m=[10**12], V=[0, 1, 2], beta=[0.5, 1e-300])  # where nothing of the derivation is lost but rounding


@inequality_claim(
    bounds.relative_deviation,
    quick=({"m": 5000, "V": 1, "beta": 1e-300}, {"m": 100, "V": 1, "beta": 0.1}),
    full=(
        *grid(m=[100, 1000], V=[0, 1, 2], beta=[0.999, 1e-3, 1e-8]),
        *grid(m=[100_000], V=[0, 10], beta=[0.5, 1e-300]),
        *grid(m=[1, 6], V=[0, 1], beta=[0.999]),
    ),
    control=Control("Q divided by {}", (1.01, 2)),
    given=(
        bounds.ghost_reaches,
        bounds.deviation_of_risk,
        bounds.swapping_tail,
        bounds.union_over_patterns,
        bounds.solved,
    ),
    nonvacuous_from=smallest_sample,
    cost=0.35,
    note=(
        "V is the VC dimension of the sets of errors. With the VC dimension of sign(h), and ties counted "
        "as errors, the lemma is false (step s0). (2m)ⱽ does not bound the growth function for V = 1, but "
        "the lemma holds there too (step s4)"
    ),
)
def relative_deviation_holds(*, m, V, beta, factor=1):
    """The derivation at the setting and at large samples; exact laws of one hypothesis and of all thresholds."""
    setting = {"m": m, "V": V, "beta": beta}
    for point in (*LARGE, setting):
        level = with_less(level_of(bounds.relative_deviation, **point), factor)
        yield from improbable(point, bounds.patterns_of_errors(point["m"], point["V"]), level)
    return decide_uniform(setting, m, V, beta, level)


# Lemma A.1 on whole classes -------------------------------------------------------------------------------------------


def some_hypothesis_fails(statement, problem, rng, size, m, beta, factor):
    """Fresh samples of m records each: is the supremum over all patterns of errors positive? Shape (size,)."""
    risk, empirical = problem.cells(rng, size, m)
    allowed = statement.theorem.formula(m=m, beta=beta, empirical=empirical * factor) / factor  # as `with_less`
    return (risk > allowed).any(axis=1)


def sampled(vc, factors, **axes):
    """The fields of a sampled claim: `axes` at two sizes and two confidences, Q divided by `factors` as the control."""
    return dict(
        quick=grid(m=[200], beta=[0.1], **{name: values[:1] for name, values in axes.items()}),
        full=grid(m=[100, 1000], beta=[0.1], **axes) + grid(m=[1000], beta=[0.01], **axes),
        control=Control("Q divided by {}", factors),
        chunk=lambda *, beta, **setting: int(10 / beta),
        cap=10,
        cost=4e-5,
        trivial=lambda *, m, beta, **setting: (
            "the bound is at least 1 at empirical risk 0" if 4 * bounds.complexity(m, vc, beta) >= 1 else None
        ),
        nonvacuous_from=lambda: smallest_sample(vc),
        given=[bounds.relative_deviation],
        note=f"the check detects no factor below {factors[0]}: ghost samples, the union over (2m)ⱽ patterns and "
        "Chernoff's bound are each loose for one class and one distribution",
    )


@tail_claim(bounds.thresholds, **sampled(1, (16, 20), noise=[0.1, 0.0, 0.5]))
def thresholds_deviate(rng, size, *, m, noise, beta, factor=1):
    """Thresholds on [0, 1], labels flipped with probability `noise`."""
    return some_hypothesis_fails(bounds.thresholds, hypothesis_classes.Thresholds(noise), rng, size, m, beta, factor)


@tail_claim(bounds.halfspaces, **sampled(2, (24, 28), noise=[0.1, 0.0, 1.0]))
def halfspaces_deviate(rng, size, *, m, noise, beta, factor=1):
    """Directions within one radian of e_1, a share `noise` of them anywhere on the circle."""
    return some_hypothesis_fails(
        bounds.halfspaces, hypothesis_classes.Halfplanes(1.0, noise), rng, size, m, beta, factor
    )


@tail_claim(bounds.mixture, **sampled(2, (24, 28), shift=[1.0, 0.0, 3.0]))
def mixture_deviates(rng, size, *, m, shift, beta, factor=1):
    """Two Gaussians at distance 2 `shift`."""
    return some_hypothesis_fails(bounds.mixture, hypothesis_classes.Mixture(shift), rng, size, m, beta, factor)


@tail_claim(bounds.stumps, **sampled(3, (28, 32), noise=[0.1, 0.0, 0.5]))
def stumps_deviate(rng, size, *, m, noise, beta, factor=1):
    """Stumps on the unit square."""
    return some_hypothesis_fails(bounds.stumps, hypothesis_classes.Stumps(noise), rng, size, m, beta, factor)


@inequality_claim(
    bounds.vc_of_classifiers,
    cost=0.2,
    control=Control("the class of all functions to {{0, 1}}, which vanish", (0,)),
    note=(
        "every class of classifiers on three points, and the linear functions of the plane with integer weights up to "
        "2. Here sign(0) = +1. Functions to {0, 1} with labels +1 have one sign, while h(x) = 0 cuts out every set of "
        "errors. Lemma A.1 is stated for all functions to ℝ, and holds for them if V is the VC dimension of the sets "
        "of errors. Its only use (cf. Theorem 3.1) is for linear functions"
    ),
)
def errors_shatter_no_more(*, factor=1):
    """The VC dimension of the sets of errors over all records (x, +1) and (x, -1), against that of the signs."""
    values = list(itertools.product((-1, 1), repeat=3))
    classes = [np.array([h for i, h in enumerate(values) if 1 << i & chosen]) for chosen in range(1, 256)]
    lattice = np.array([(a, b) for a, b in itertools.product(range(-2, 3), repeat=2) if (a, b) != (0, 0)])
    for h in (*classes, lattice @ np.array([(1, 0), (0, 1), (1, 1), (2, -1)]).T):
        values = (h + 1) / 2 if factor == 0 else h
        errors = bounds.vc_dimension(np.hstack([values, -values]) <= 0)
        yield {"values": values.tolist()}, errors, bounds.vc_of_classifiers(patterns=values >= 0)


@inequality_claim(
    bounds.ghost_reaches,
    quick=({"m": 2}, {"m": 60}),
    full=({"m": 300},),
    caught=(1.001, 1.1),
    cites=("Greenberg & Mohri 2014, Theorem 1",),
    note=(
        "Greenberg & Mohri's theorem, for all m. All sizes up to the setting's are enumerated in ball "
        "arithmetic. At m = 2 the probability tends to 1/4 as p falls to 1/2 and does not attain it"
    ),
)
def ghosts_reach_the_mean(*, m):
    """P(Bin(k, j/k) >= j + 1) for all 2 <= k <= m and 1 <= j < k; it is not attained, so equality is allowed."""
    for size in range(2, m + 1):
        for j in {1, 2, 3, size // 2, size - 2, size - 1} if size > 60 else range(1, size):
            if 1 <= j < size:
                chance = at_least(size, Fraction(j, size), j + 1) + arb("1e-30")
                yield {"m": size, "p": f"{j}/{size}, from above"}, bounds.ghost_reaches(m=m), chance


@inequality_claim(
    bounds.deviation_of_risk,
    caught=(1.03, 1.1),
    cost=0.09,
    steps=[Step("the left side increases in p ≥ r")],
    note="equality in the limit r → p = ghost",
    tightness=equality,
)
def deviation_survives():
    """Squares of both sides on a rational lattice, r = p = r' included."""
    for r, p, ghost in itertools.product(SHARES, SHARES, SHARES):
        if r <= p <= ghost and p > 0:
            point = {"r": r, "p": p, "ghost": ghost}
            yield point, bounds.deviation_of_risk(**point), 2 * (ghost - r) ** 2 / (ghost + r)


SHARES = [Fraction(i, 16) for i in range(17)]


@inequality_claim(
    bounds.swapping_tail,
    quick=({"s": 60},),
    full=({"s": 400},),
    control=Control("both exponents multiplied by {}", (1.01, 2)),
)
def swaps_are_rare(*, s, factor=1):
    """The exact binomial tail at every attainable level of 1, ..., s signs; Chernoff's exponent on a grid of levels."""
    for signs in (k for k in range(1, s + 1) if k <= 60 or k in (s // 2, s)):
        for ups in range((signs + 1) // 2, signs + 1):
            level = 2 * ups - signs
            bound = bounds.swapping_tail(s=signs, u=level) ** exact(factor)
            yield {"s": signs, "u": level}, at_least(signs, Fraction(1, 2), ups), bound
    for x in (exact(Fraction(i, 64)) for i in range(1, 64)):
        chernoff = -1000 * ((1 + x) * (1 + x).log() + (1 - x) * (1 - x).log()) / 2
        yield {"s": 1000, "u": 1000 * x}, chernoff.exp(), bounds.swapping_tail(s=1000, u=1000 * x) ** exact(factor)


@inequality_claim(
    bounds.union_over_patterns,
    quick=({"largest": 40},),
    full=({"largest": 400},),
    caught=(1.001, 1.2, 1.5, 2),
    given=[bounds.ghost_reaches, bounds.deviation_of_risk, bounds.swapping_tail, bounds.solved],
    note="for V = 1 by (2m + 1)/(2m) ≤ exp(1/(2m)), for other V by Φ_V(2m) ≤ (2m)ⱽ",
)
def union_is_affordable(*, largest):
    """The cost in balls; it is largest for beta near 1 and V = 0, 1, 2, and with m errors in m pairs that differ."""
    sizes = sorted({*range(1, min(largest, 40) + 1), largest, 10**6, 10**12})
    for V, m, beta in itertools.product((0, 1, 2, 3, 10), sizes, (1 - 1e-9, 0.1, 1e-12, 1e-300)):
        if V <= 3 or m <= 1000:
            yield {"V": V, "m": m, "beta": beta}, bounds.union_over_patterns(m=m, V=V, beta=beta), beta
    for m, square, share in itertools.product((10, 100), (0.02, 0.5), (0.1, 0.9, 1.1, 2)):
        a = int(share * m)
        tail = bounds.swapping_tail(s=min(a, m), u=(exact(square) * m * a / 2).sqrt())
        yield {"m": m, "e²": square, "errors": a}, 4 * tail, bounds.deviation_probability(m, 1, square)


@inequality_claim(
    bounds.solved,
    control=Control("the solution divided by {}", (1.001,)),
    steps=[Step("√(x + y) ≤ √x + √y")],
    note="by squaring, and checked on a lattice",
)
def deviation_is_solved(*, factor=1):
    """The largest p with p - r <= 2 sqrt(Q p) against the solution."""
    for r, Q in itertools.product((0.0, 1e-9, 0.25, 1.0, 4.0), (0.0, 1e-9, 0.25, 1.0, 4.0)):
        yield {"r": r, "Q": Q}, (sqrt(Q) + sqrt(Q + r)) ** 2, bounds.solved(r=r, Q=Q) / factor


if __name__ == "__main__":
    run_script(__file__)
