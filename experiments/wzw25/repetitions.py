"""How many repetitions private tuning needs: Lemmas 7.2 and M.1 of Wang, Zhu & Wang (2025).

At eta = 1 everything is rational in (r, beta, t), t = 1/|Theta|, so identities are proved for all of them at once, as
polynomials that agree on a grid too large for their degrees. For other eta, balls.
"""

from fractions import Fraction
from functools import partial
from itertools import pairwise, product

import numpy as np

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.wzw25 import repetitions as bound, run_counts
from lemmata.experiments.checks import (
    Control,
    Step,
    equality,
    grid,
    identity_claim,
    inconclusive,
    inequality_claim,
    refuted,
    run_script,
    spread,
    tail_claim,
    witness,
)
from lemmata.experiments.wzw25.repetition_growth import BITS, failure, in_balls, threshold
from lemmata.mechanisms.selection import tnb as law_of_runs

NARROW = Fraction(1, 10**9)  # how far beyond a bound we look for its failure


def lattice(**degrees):
    """Points between 0 and 1, enough of them that a polynomial of these degrees that is 0 there is 0 everywhere."""
    return grid(**{name: [Fraction(i + 1, d + 3) for i in range(d + 1)] for name, d in degrees.items()})


def geometric_failure(r, t):
    """The closed form of step s2 at |Theta| = 1/t, for any t."""
    return bound.not_selected_geometric.theorem.formula(r=r, size=1 / t)


# Lemma 7.2 ------------------------------------------------------------------------------------------------------------


@identity_claim(
    bound.not_selected,
    quick=[{"eta": [0.5, -0.9, 0.0, 1.0, 5.0], "r": [0.25, 0.015625, 0.999], "size": [2, 1, 3, 1000]}],
    given=[run_counts.pgf],
    caught=(1.001, 2),
    bits=256,
    rounding=1e-11,
    note="'selected' is 'drawn in line 5 of Algorithm 4', as Appendix M.1 defines it, not 'returned'",
)
def missing_is_the_generating_function(**setting):
    """All sequences of k <= 5 draws from m <= 4 counted; then the sum over k of P(K = k) (1 - 1/m)^k."""
    for m, k in product(range(1, 5), range(1, 6)):
        missed = sum(0 not in draws for draws in product(range(m), repeat=k))
        yield {"size": m, "k": k}, Fraction(missed, m**k), (1 - Fraction(1, m)) ** k
    for point in grid(**setting):
        eta, r, size = point.values()
        yield point, tnb.series(eta, r, x=1 - 1 / exact(size))[0], bound.not_selected(**point)
        yield point, failure(eta, r, size), bound.not_selected(**point)


@identity_claim(bound.not_selected_geometric, caught=(1.001, 2), evidence="certificate")
def closed_form_at_one():
    """A rational identity in (r, t), with s = 1 - (1 - r)(1 - t) > 0 cleared from the denominators."""
    for point in lattice(r=4, t=4):
        r, t = point.values()
        s = 1 - (1 - r) * (1 - t)
        yield point, (1 / s - 1) / (1 / r - 1) * s, geometric_failure(r, t) * s


@identity_claim(bound.cleared_slack, control=Control("{} r (1 - beta)(1 - t)", (1.001, 2)), evidence="certificate")
def cleared_of_its_denominator(*, factor=1):
    """beta s - r (1 - t) = beta t - r (1 - beta)(1 - t), a polynomial identity; s > 0."""
    for point in lattice(r=1, t=1, beta=1):
        r, t, beta = point.values()
        s = 1 - (1 - r) * (1 - t)
        slack = bound.cleared_slack.theorem.formula(r=Fraction(factor) * r, beta=beta, size=1 / t)
        yield point, beta * s - r * (1 - t), slack


def failure_at(inverse_r):
    """Cases: failure is beta at r = 1/`inverse_r`(beta, t), a polynomial identity times (1 - (1 - r)(1 - t))(1 - beta).

    Failure is w/(1 + w) at w = r (|Theta| - 1), so it increases in r.
    """
    for point in lattice(beta=2, t=2):
        beta, t = point.values()
        r = 1 / inverse_r(beta, t)
        common = (1 - (1 - r) * (1 - t)) * (1 - beta)
        yield point, geometric_failure(r, t) * common, beta * common


@identity_claim(bound.largest_r_geometric, control=Control("r times {}", (1.001, 2)), evidence="certificate")
def last_line_of_the_proof(*, factor=1):
    """The failure probability is beta at that r, and increases in r."""
    largest = bound.largest_r_geometric.theorem.formula
    return failure_at(lambda beta, t: 1 / (Fraction(factor) * largest(beta=beta, size=1 / t)))


def still_fails(point, left, right):
    """A program: the printed condition is met, and the failure probability exceeds beta."""
    return f"""
from lemmata.bounds.wzw25.repetitions import not_selected, repetitions_as_printed
r, beta, size = {point["r"]}, {point["beta"]}, {point["size"]}
assert 1 / r >= repetitions_as_printed(beta=beta, size=size)  # the hypothesis
assert not_selected(eta=1, r=r, size=size) > beta  # and yet"""


@inequality_claim(
    bound.repetitions_as_printed,
    misprint="read (1 − β)(|Θ| − 1)/β for the fraction, as the proof and the text after the lemma end",
    quick=[{"beta": [0.125, 0.5, 1e-6, 0.9375], "size": [9, 2, 1000]}],
    python=still_fails,
    severity="statement",
    note="the printed condition is 1/r ≥ β/((1 − β)(|Θ| − 1)), and the proof ends in r ≤ β/((1 − β)(|Θ| − 1)): the "
    "fraction is upside down. As printed the condition admits every r while β < 1 − 1/|Θ|. At |Θ| = 1 it divides "
    "by zero, and no failure is possible",
)
def printed_repetitions_suffice(*, factor=1, **setting):
    """The largest r that the printed condition admits, 3/4 at most, in rationals."""
    for point in grid(**setting):
        beta, size = Fraction(point["beta"]), point["size"]
        asked = bound.repetitions_as_printed.theorem.formula(beta=beta, size=size) * Fraction(factor)
        r = min(1 / asked, Fraction(3, 4))
        yield point | {"r": float(r)}, geometric_failure(r, Fraction(1, size)), beta


@identity_claim(
    bound.repetitions,
    quick=[{"beta": [0.5, 0.1, 0.999, 1e-6, 1e-12], "size": [1, 2, 3, 10, 1000]}],
    control=Control("the repetitions divided by {}", (1.001, 1.1, 2)),
    evidence="certificate",
    note="necessary and sufficient; at |Θ| = 1 there is no condition",
)
def repetitions_suffice(*, factor=1, **setting):
    """Equality at the bound for all beta and |Theta|, a polynomial identity; failure exceeds beta just below it."""
    needed = bound.repetitions.theorem.formula
    yield from failure_at(lambda beta, t: needed(beta=beta, size=1 / t) / Fraction(factor))
    for point in grid(**setting):
        beta, size = Fraction(point["beta"]), point["size"]
        asked = needed(beta=beta, size=size) / Fraction(factor)
        if asked > 1 + NARROW:
            yield point, geometric_failure(1 / asked, Fraction(1, size)), beta
            beyond = geometric_failure((1 + NARROW) / asked, Fraction(1, size))
            if not beyond > beta:
                return refuted("enumeration", witness.inequality(point, beta, beyond))
    betas = np.geomspace(1e-6, 0.8, 40).tolist()
    curve = {"beta": betas, "needed, |Theta| = 10": [bound.repetitions(beta=b, size=10) for b in betas]}
    return {"series": curve | {"as printed": [bound.repetitions_as_printed(beta=b, size=10) for b in betas]}}


@tail_claim(
    bound.sufficient_r,
    quick=[{"beta": 0.1, "candidates": 9, "slack": 2}],
    full=[{"beta": 0.1, "candidates": 2, "slack": 2}, {"beta": 0.02, "candidates": 5, "slack": 2}],
    chunk=lambda beta, **_: round(100 / beta),
    cap=5,
    cost=2e-5,
    expect=0.5,
    control=Control("E K divided by {}", (4, 8)),
)
def candidate_is_missed(rng, size, *, beta, candidates, slack, factor=1):
    """Draw K, then K candidates uniformly from Theta, as Algorithm 4 does: was candidate 0 never drawn?"""
    r = min(factor * bound.sufficient_r(beta=beta, candidates=candidates, slack=slack), 0.999999)
    runs = law_of_runs.law(eta=1, r=r).sample(rng, size)
    drawn = rng.integers(candidates, size=runs.sum(), dtype=np.uint16) == 0
    return ~np.logical_or.reduceat(drawn, np.concatenate([[0], np.cumsum(runs)[:-1]]))


TEXT = {"n": [8, 2, 1000, 10**9], "alpha": [1.0, 0.5, 2.0, 0.01], "size": [3, 1, 2, 40]}


def failures_at(statement, points):
    """The exact failure of so many draws, as far as there is one: beta, neither more nor less."""
    for point in grid(**points):
        values = dict(zip(point, map(exact, point.values()), strict=True))
        beta, needed = values.get("c", 1) * values["n"] ** -values["alpha"], statement.theorem.formula(**values)
        if beta < 1 and needed > 1:
            yield point, geometric_failure(1 / needed, 1 / values["size"]), beta


@identity_claim(
    bound.repetitions_polynomial,
    measured=partial(failures_at, bound.repetitions_polynomial, TEXT),
    given=[bound.repetitions],
    steps=[Step("β = n⁻ᵅ")],
    note="consistent with the proof's last line, not with the printed lemma; 'larger than' should be 'at least'; for "
    "β = O(n⁻ᵅ) with a constant c it is the explicit reading",
)
def text_bound_is_necessary():
    """The corrected lemma at beta = n^-alpha."""
    for n, alpha, size in product((2, 1000), (0.01, 2.0), (1, 40)):
        needed = bound.repetitions(beta=n**-alpha, size=size)
        yield {"n": n, "alpha": alpha, "size": size}, needed, bound.repetitions_polynomial(n=n, alpha=alpha, size=size)


@identity_claim(
    bound.repetitions_polynomial_with_constant,
    measured=partial(failures_at, bound.repetitions_polynomial_with_constant, TEXT | {"c": [2.0, 0.25, 100.0]}),
    given=[bound.repetitions],
    steps=[Step("β = c n⁻ᵅ, the largest")],
)
def text_bound_with_constant_is_necessary():
    """The corrected lemma at beta = c n^-alpha; where that is not below 1, both ask for nothing."""
    for n, alpha, size, c in product((4, 1000), (0.5, 2.0), (1, 40), (0.25, 1.5)):
        setting = {"n": n, "alpha": alpha, "size": size, "c": c}
        needed = bound.repetitions.theorem.formula(beta=c * n**-alpha, size=size)
        yield setting, needed, bound.repetitions_polynomial_with_constant(**setting)


# Lemma M.1 ------------------------------------------------------------------------------------------------------------

ETAS = [1.0, 0.01, 0.1, 0.5, 2.0, 30.0, 1000.0]
MANY_ETAS = {"eta": ETAS, "beta": [0.5, 0.1, 0.9, 1e-6, 1e-12], "size": [2, 1, 3, 10, 1000]}
SHARP = 12_000  # bits: at eta = 1000 a relaxation agrees with the truth to 3,000 digits


@inequality_claim(
    bound.relaxation,
    quick=[{"eta": ETAS, "r": [0.5, 0.999, 1e-6, 1e-300], "size": [2, 1, 3, 1000]}],
    given=[bound.not_selected],
    caught=(1.1, 2),
    bits=SHARP,
    tightness=spread,
)
def dropping_the_ones_increases(**setting):
    """a (b - 1) - b (a - 1) = b - a, a polynomial identity, and a <= b; then the two sides at points."""
    if any(a * (b - 1) - b * (a - 1) != b - a for a, b in product((1, 2), repeat=2)):
        return inconclusive("FAILED", "a (b - 1) - b (a - 1) is not b - a")
    for point in grid(**setting):
        yield point, failure(*map(exact, point.values())), in_balls(bound.relaxation, point)


@identity_claim(
    bound.largest_r_relaxed,
    quick=[MANY_ETAS],
    control=Control("r times {}", (1.001, 1.1, 2)),
    given=[bound.relaxation],
    digits=15,
    bits=BITS,
)
def equation_31_solved(*, factor=1, **setting):
    """At the printed r the left side of Equation 31 is beta; it increases in r. The three lines are equivalences."""
    for point in grid(**setting):
        r = factor * in_balls(bound.largest_r_relaxed, point)
        yield point, in_balls(bound.relaxation, point | {"r": r}), exact(point["beta"])


def larger_r_suffices(point, left, right):
    """A program: an r above the printed bound whose failure probability is at most beta."""
    return f"""
from lemmata.bounds.wzw25.repetitions import largest_r_as_printed, not_selected
eta, r, beta, size = {point["eta"]}, {point["r"]}, {point["beta"]}, {point["size"]}
assert not_selected(eta=eta, r=r, size=size) <= beta  # the hypothesis
assert r > 1.01 * largest_r_as_printed(eta=eta, beta=beta, size=size)  # and yet"""


@inequality_claim(
    bound.largest_r_as_printed,
    finding="its condition is sufficient, not necessary",
    quick=[MANY_ETAS],
    bits=BITS,
    python=larger_r_suffices,
    severity="statement",
    note="the printed r is sufficient and not necessary: the proof bounds something larger than the failure "
    "probability, which gives the converse. Every |Θ| ≥ 1, η > 0 and β violates the printed direction. The "
    "relative excess of the exact r* over the printed r tends to 0 as |Θ| grows for fixed η, and is unbounded as "
    "η → 0",
)
def printed_r_is_necessary(*, factor=1, **setting):
    """No admissible r exceeds the printed bound: tried are r = 1/2, a round number, and the largest admissible one."""
    for point in grid(**setting):
        for r in (exact(0.5), threshold(**point)[0]):
            if failure(point["eta"], r, point["size"]) <= point["beta"]:
                yield point | {"r": float(r)}, r, in_balls(bound.largest_r_as_printed, point) * factor


@inequality_claim(
    bound.sufficiently_small_r,
    quick=[MANY_ETAS],
    full=[{"eta": [1.0], "beta": [0.01], "size": [1000]}],
    control=Control("r times {}", (1.01, 1.1, 2), {"eta": [1.0], "beta": [0.01], "size": [1000]}),
    given=[bound.relaxation, bound.largest_r_relaxed],
    bits=SHARP,
    tightness=spread,
)
def printed_r_is_sufficient(*, factor=1, **setting):
    """At the printed r the failure probability is below beta; smaller r by monotonicity."""
    for point in grid(**setting):
        r = in_balls(bound.sufficiently_small_r, point) * factor
        yield point, failure(point["eta"], r, point["size"]), point["beta"]


@inequality_claim(
    bound.largest_r,
    quick=[MANY_ETAS | {"eta": [*ETAS, 0.0, -0.05, -0.9]}],
    control=Control("r times {}", (1.001, 1.1, 2)),
    cost=0.15,
    bits=BITS,
    tightness=equality,
    note="for η < 0 no r is admissible unless β > 1 - exp(η log |Θ|), and for η = 0 1/r* is exponential in 1/β",
)
def exact_largest_r(*, factor=1, **setting):
    """Just below r* failure is at most beta, just above it more; the failure probability increases along a lattice."""
    for point in grid(**setting):
        eta, beta, size = point.values()
        r = exact(bound.largest_r(**point)) * exact(factor)
        below, above = r * exact(1 - NARROW), r * exact(1 + NARROW)
        if r == 0 and eta < 0:
            yield point, beta, 1 - exact(size) ** exact(eta)
        elif r > 1e-290:  # a smaller r* is no float
            yield point | {"r": float(below)}, failure(eta, below, size), beta
            yield point | {"r": float(above)}, *((1, above) if above > 1 else (beta, failure(eta, above, size)))
    for eta in setting["eta"]:
        values = [failure(eta, exact(r), 10) for r in np.geomspace(1e-200, 0.99, 30)]
        yield from (({"eta": eta}, smaller, larger) for smaller, larger in pairwise(values))
    beta = np.geomspace(1e-6, 0.8, 40).tolist()
    settings = [{"eta": 0.5, "beta": b, "size": 10} for b in beta]
    curve = {"beta": beta, "1/r*, eta = 0.5, |Theta| = 10": [1 / bound.largest_r(**k) for k in settings]}
    return {"series": curve | {"1/r as printed": [1 / bound.largest_r_as_printed(**k) for k in settings]}}


@inequality_claim(
    bound.unavoidable_failure,
    quick=[{"eta": [-0.5, -0.999, -0.01], "r": [0.5, 1e-6, 1e-300], "size": [4, 2, 1000]}],
    given=[bound.not_selected],
    caught=(1.001, 1.1),
    bits=BITS,
    rounding=1e-11,
    tightness=spread,
)
def failure_stays_above_its_floor(**setting):
    """Above the floor at every r, by monotonicity; within 1e-2 of it at r = 1e-300."""
    for point in grid(**setting):
        yield point, bound.unavoidable_failure(**point), failure(**point)
    return {"note": "the tightness is floor / truth"}


if __name__ == "__main__":
    run_script(__file__)
