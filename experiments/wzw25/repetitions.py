"""How many geometric repetitions private tuning needs: Lemma 7.2 of wzw25, in rational numbers.

With t = 1/|Theta| everything is rational in (r, beta, t), so identities are proved for all of them at once, as
polynomials that vanish on a large enough grid.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from flint import ctx

from bounds.exact import tnb
from bounds.exact.balls import exact
from bounds.wzw25 import repetitions as rates
from experiments.engine.claim import Control, exact_claim, tail_claim
from experiments.engine.verdict import holds, refuted
from experiments.wzw25.repetition_growth import BITS, failure, relaxed, threshold
from experiments.wzw25.run_counts import compared, gap, points
from mechanisms import tnb as law_of_runs

NARROW = Fraction(1, 10**9)  # how far beyond a bound we look for its failure
GRID = {"beta": [0.5, 0.1, 0.999, 1e-6, 1e-12], "size": [1, 2, 3, 10, 1000]}


def nonzero_point(difference, **degrees):
    """A point where this polynomial is not 0; None if it is 0 on a grid too large for its degrees, so everywhere."""
    axes = [[Fraction(i + 1, d + 3) for i in range(d + 1)] for d in degrees.values()]
    return next((p for p in product(*axes) if difference(**dict(zip(degrees, p, strict=True))) != 0), None)


def proved(difference, setting, **degrees):
    """HOLDS everywhere if the polynomial is 0, with the point where it is not otherwise."""
    where = nonzero_point(difference, **degrees)
    if where is None:
        return holds("certificate", "everywhere", tightness=(1.0, 1.0))
    point = dict(zip(degrees, map(float, where), strict=True))
    return refuted("enumeration", gap(setting, point, 0, difference(**dict(zip(degrees, where, strict=True)))))


@exact_claim(
    rates.not_selected,
    quick=[{"eta": [0.5, -0.9, 0.0, 1.0, 5.0], "r": [0.25, 0.015625, 0.999], "size": [2, 1, 3, 1000]}],
    control=Control("1 - 1/({} |Theta|)", (1.001, 1.1, 2)),
    cost=0.1,
    note="'selected' is 'drawn in line 5 of Algorithm 4', as Appendix M.1 defines it, not 'returned'",
)
def missing_is_the_generating_function(*, factor=1, **setting):
    """All sequences of k <= 5 draws from m <= 4 counted; then the sum over k of P(K = k) (1 - 1/m)^k."""
    for m, k in product(range(1, 5), range(1, 6)):
        missed = sum(0 not in draws for draws in product(range(m), repeat=k))
        if Fraction(missed, m**k) != (claimed := (1 - 1 / (Fraction(factor) * m)) ** k):
            return refuted("enumeration", gap(setting, {"size": m, "k": k}, claimed, Fraction(missed, m**k)))
    with ctx.workprec(256):
        triples = []
        for point in points(**setting):
            eta, r, size = point.values()
            found, _ = tnb.series(eta, r, x=1 - 1 / exact(size))
            triples.append((point, exact(0) if size == 1 else tnb.not_selected(eta, r, size), found))
        return compared(triples, setting, "everywhere")


def geometric_failure(r, t):
    """The proof's closed form at t = 1/|Theta|."""
    return r * (1 - t) / (1 - (1 - r) * (1 - t))


@exact_claim(rates.not_selected_geometric, control=Control("r with {} r in the numerator", (1.001, 2)), cost=0.01)
def closed_form_at_one(*, factor=1):
    """A rational identity in (r, t), cleared of denominators."""

    def difference(r, t):
        s = 1 - (1 - r) * (1 - t)
        return ((1 / s - 1) / (1 / r - 1) - geometric_failure(factor * r, t) * (1 - (1 - factor * r) * (1 - t)) / s) * s

    return proved(difference, {}, r=4, t=4)


@exact_claim(rates.cleared_slack, control=Control("{} r (1 - beta)(1 - t)", (1.001, 2)), cost=0.01)
def cleared_of_its_denominator(*, factor=1):
    """beta s - r (1 - t) = beta t - r (1 - beta)(1 - t), a polynomial identity; s > 0."""

    def difference(r, t, beta):
        s = 1 - (1 - r) * (1 - t)
        return (beta * s - r * (1 - t)) - (beta * t - Fraction(factor) * r * (1 - beta) * (1 - t))

    return proved(difference, {}, r=1, t=1, beta=1)


def equality(factor, beta, t):
    """The failure probability minus beta at the last line's r = t beta / ((1 - t)(1 - beta)), times a denominator."""
    r = Fraction(factor) * t * beta / ((1 - t) * (1 - beta))
    return (r * (1 - t) - beta * (1 - (1 - r) * (1 - t))) * (1 - beta)


@exact_claim(rates.largest_r_geometric, control=Control("r times {}", (1.001, 2)), cost=0.01)
def last_line_of_the_proof(*, factor=1):
    """Failure is w/(1 + w), w = r (|Theta| - 1), increasing in r, and beta at that r: a polynomial identity."""
    return proved(lambda beta, t: equality(factor, beta, t), {}, beta=2, t=2)


@exact_claim(
    rates.repetitions_as_printed,
    quick=[{"beta": [0.125, 0.5, 1e-6, 0.9375], "size": [9, 2, 1000]}],
    cost=0.01,
    severity="statement",
    note="the fraction is upside down: its proof ends in r <= beta / ((1 - beta)(|Theta| - 1)); as printed the "
    "condition never binds while beta < 1 - 1/|Theta|. At |Theta| = 1 it divides by zero, and nothing can fail",
)
def printed_repetitions_suffice(*, factor=1, **setting):
    """The largest r that the printed condition admits, in rationals."""
    for point in points(**setting):
        beta, size = Fraction(point["beta"]), point["size"]
        asked = beta / ((1 - beta) * (size - 1)) * Fraction(factor)
        r = min(1 / asked, Fraction(3, 4))
        failure = geometric_failure(r, Fraction(1, size))
        if 1 / r >= asked and failure > beta:
            python = (
                "from bounds.wzw25.repetitions import not_selected, repetitions_as_printed\n"
                f"r, beta, size = {float(r)}, {float(beta)}, {size}\n"
                "assert 1 / r >= repetitions_as_printed(beta=beta, size=size)  # the hypothesis\n"
                "assert not_selected(eta=1, r=r, size=size) > beta  # and yet"
            )
            return refuted("enumeration", gap(setting, point | {"r": float(r)}, beta, failure, python))
    return holds("enumeration", "settings")


@exact_claim(
    rates.repetitions,
    quick=[GRID],
    control=Control("the repetitions divided by {}", (1.001, 1.1, 2)),
    cost=0.01,
    note="necessary and sufficient; at |Theta| = 1 nothing is needed",
)
def repetitions_suffice(*, factor=1, **setting):
    """Equality at the bound for all beta and |Theta|, a polynomial identity; failure exceeds beta just below it."""
    finding = proved(lambda beta, t: equality(factor, beta, t), setting, beta=2, t=2)
    for point in points(**setting):
        beta, size = Fraction(point["beta"]), point["size"]
        needed = (1 - beta) / beta * (size - 1) / Fraction(factor)
        for r, beyond in ((1 / needed, False), (1 / needed * (1 + NARROW), True)) if needed > 1 + NARROW else ():
            failure = geometric_failure(r, Fraction(1, size))
            if (failure > beta) is not beyond:
                return refuted("enumeration", gap(setting, point | {"r": float(r)}, beta, failure))
    beta = np.geomspace(1e-6, 0.8, 40).tolist()
    curve = {
        "beta": beta,
        "needed, |Theta| = 10": [rates.repetitions(beta=b, size=10) for b in beta],
        "as printed": [rates.repetitions_as_printed(beta=b, size=10) for b in beta],
    }
    return replace(finding, series=curve)


@tail_claim(
    rates.sufficient_r,
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
    r = min(factor * rates.sufficient_r(beta=beta, candidates=candidates, slack=slack), 0.999999)
    runs = law_of_runs.law(eta=1, r=r).sample(rng, size)
    drawn = rng.integers(candidates, size=runs.sum(), dtype=np.uint16) == 0
    return ~np.logical_or.reduceat(drawn, np.concatenate([[0], np.cumsum(runs)[:-1]]))


TEXT = {"n": [8, 2, 1000, 10**9], "alpha": [1.0, 0.5, 2.0, 0.01], "size": [3, 1, 2, 40]}


def necessary_at_one(setting, asked, beta_of, factor):
    """Is E Q >= asked necessary for failure <= beta at eta = 1? A hair below it, failure must exceed beta."""
    with ctx.workprec(256):
        for point in points(**setting):
            beta, size = beta_of(**point), point["size"]
            if not beta < 1 or size == 1:
                continue
            needed = asked(**point) * exact(factor)
            r = 1 / (needed * exact(1 - NARROW))
            if needed > 0 and r < 1 and not (failure := geometric_failure(r, 1 / exact(size))) > beta:
                return refuted("certificate", gap(setting, point | {"r": float(r)}, beta, failure))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(
    rates.repetitions_polynomial,
    quick=[TEXT],
    control=Control("the bound times {}", (1.001, 1.1, 2)),
    cost=0.05,
    note="consistent with the proof's last line, not with the printed lemma; 'larger than' should be 'at least'; for "
    "beta = O(n^-alpha) with a constant c it is the explicit reading",
)
def text_bound_is_necessary(*, factor=1, **setting):
    """At beta = n^-alpha."""
    return necessary_at_one(
        setting,
        lambda n, alpha, size: (size - 1) * (exact(n) ** exact(alpha) - 1),
        lambda n, alpha, size: exact(n) ** -exact(alpha),
        factor,
    )


@exact_claim(
    rates.repetitions_polynomial_with_constant,
    quick=[TEXT | {"c": [2.0, 0.25, 100.0]}],
    control=Control("the bound times {}", (1.001, 1.1, 2)),
    cost=0.05,
)
def text_bound_with_constant_is_necessary(*, factor=1, **setting):
    """At beta = c n^-alpha; where c >= n^alpha nothing is asked."""
    return necessary_at_one(
        setting,
        lambda n, alpha, size, c: (size - 1) * (exact(n) ** exact(alpha) / c - 1),
        lambda n, alpha, size, c: c * exact(n) ** -exact(alpha),
        factor,
    )


ETAS = [1.0, 0.01, 0.1, 0.5, 2.0, 30.0, 1000.0]
MANY_ETAS = {"eta": ETAS, "beta": [0.5, 0.1, 0.9, 1e-6, 1e-12], "size": [2, 1, 3, 10, 1000]}


# Lemma M.1 ----------------------------------------------------------------------------------------------------------


@exact_claim(
    rates.relaxation,
    quick=[{"eta": ETAS, "r": [0.5, 0.999, 1e-6, 1e-300], "size": [2, 1, 3, 1000]}],
    control=Control("the right side divided by {}", (1.1, 2, 10)),
    cost=0.1,
)
def dropping_the_ones_increases(*, factor=1, **setting):
    """a (b - 1) - b (a - 1) = b - a, a polynomial identity, and a <= b; then the two sides at points."""
    finding = proved(lambda a, b: a * (b - 1) - b * (a - 1) - (b - a), setting, a=1, b=1)
    ratios = []
    with ctx.workprec(BITS):
        for point in points(**setting):
            eta, r, size = exact(point["eta"]), exact(point["r"]), point["size"]
            right = (eta * (r.log() - (r + (1 - r) / size).log())).exp() / factor
            left = failure(eta, r, size)
            if left > right:  # at eta = 1000 they agree to 3,000 digits: the identity decides
                return refuted("certificate", gap(setting, point, right, left))
            ratios.append(float(left / right))
    return replace(finding, evidence="derivation", tightness=(min(ratios), max(ratios)))


@exact_claim(
    rates.largest_r_relaxed,
    quick=[MANY_ETAS],
    control=Control("r times {}", (1.001, 1.1, 2)),
    cost=0.1,
)
def equation_31_solved(*, factor=1, **setting):
    """At the printed r the left side of Equation 31 is beta; it increases in r. The three lines are equivalences."""
    with ctx.workprec(BITS):
        triples = []
        for point in points(**setting):
            eta, beta, size = exact(point["eta"]), exact(point["beta"]), point["size"]
            r = factor * relaxed(eta, beta, size)
            triples.append((point, beta, (eta * (r / (r + (1 - r) / size)).log()).exp()))
        return compared(triples, setting, "everywhere")


@exact_claim(
    rates.largest_r_as_printed,
    quick=[MANY_ETAS],
    cost=0.1,
    severity="statement",
    note="its proof bounds a relaxation of the failure probability, so it proves the converse; every |Theta| >= 1, "
    "eta > 0 and beta violates the printed direction; the excess of the exact r* over the printed r goes to 0 as "
    "|Theta|^-eta for fixed eta, and is unbounded as eta -> 0",
)
def printed_r_is_necessary(*, factor=1, **setting):
    """An r above the printed bound whose failure probability is at most beta."""
    ratios = {}
    first = None
    with ctx.workprec(BITS):
        for point in points(**setting):
            eta, beta, size = exact(point["eta"]), exact(point["beta"]), point["size"]
            claimed = relaxed(eta, beta, size) * factor
            r, _ = threshold(point["eta"], point["beta"], size)
            if r > claimed and failure(eta, r, size) <= beta:
                first = first or (point, claimed, r)
                ratios[size] = max(ratios.get(size, 0.0), float(r / claimed))
    if first is None:
        return holds("enumeration", "settings")
    point, claimed, _ = first
    r = 0.5  # at the first point, eta = 1, beta = 1/2, |Theta| = 2, every r is admissible: 1/2 is a round one
    if not (failure(1, r, 2) <= exact(0.5) and point["eta"] == 1 and point["size"] == 2):
        r = float(first[2])
    python = (
        "from bounds.wzw25.repetitions import largest_r_as_printed\n"
        "from bounds.wzw25.repetitions import not_selected\n"
        f"eta, r, beta, size = {point['eta']}, {r}, {point['beta']}, {point['size']}\n"
        "assert not_selected(eta=eta, r=r, size=size) <= beta  # the hypothesis\n"
        "assert r > 1.01 * largest_r_as_printed(eta=eta, beta=beta, size=size)  # and yet"
    )
    with ctx.workprec(128):
        return refuted("certificate", gap(setting, point | {"r": r}, claimed, exact(r), python))


@exact_claim(
    rates.sufficiently_small_r,
    quick=[MANY_ETAS],
    control=Control("r times {}", (1.01, 1.1, 2), {"eta": [1.0], "beta": [0.01], "size": [1000]}),
    cost=0.1,
)
def printed_r_is_sufficient(*, factor=1, **setting):
    """At the printed r the failure probability is below beta; smaller r by monotonicity."""
    ratios = []
    with ctx.workprec(BITS):
        for point in points(**setting):
            eta, beta, size = exact(point["eta"]), exact(point["beta"]), point["size"]
            r = relaxed(eta, beta, size) * factor
            if (found := failure(eta, r, size)) > beta:  # at eta = 1000 they agree to 3,000 digits: the steps decide
                return refuted("certificate", gap(setting, point, beta, found))
            ratios.append(float(found / beta))
    return holds("derivation", "everywhere", tightness=(min(ratios), max(ratios)))


@exact_claim(
    rates.largest_r,
    quick=[MANY_ETAS | {"eta": [*ETAS, 0.0, -0.05, -0.9]}],
    control=Control("r times {}", (1.001, 1.1, 2)),
    cost=0.15,
    note="for eta < 0 no r is admissible unless beta > 1 - |Theta|^eta, and for eta = 0 1/r* is exponential in 1/beta",
)
def exact_largest_r(*, factor=1, **setting):
    """Balls on both sides of r*; the failure probability increases along a lattice of r."""
    with ctx.workprec(BITS):
        for point in points(**setting):
            eta, beta, size = point["eta"], exact(point["beta"]), point["size"]
            ends = threshold(eta, point["beta"], size)
            if ends is None:
                if not exact(1 - exact(size) ** exact(eta)) >= beta:
                    return refuted("certificate", gap(setting, point, beta, exact(0)))
                continue
            r = ends[0] * factor
            if ends[1] < 1 and not failure(eta, r, size) <= beta:
                return refuted("certificate", gap(setting, point, beta, failure(eta, r, size)))
        for eta in setting["eta"]:
            values = [failure(eta, exact(r), 10) for r in np.geomspace(1e-200, 0.99, 30)]
            if not all(a < b for a, b in pairwise(values)):
                return refuted("certificate", gap(setting, {"eta": eta}, 1, 0))
    beta = np.geomspace(1e-6, 0.8, 40).tolist()
    curve = {
        "beta": beta,
        "1/r*, eta = 0.5, |Theta| = 10": [1 / rates.largest_r(eta=0.5, beta=b, size=10) for b in beta],
        "1/r as printed": [1 / rates.largest_r_as_printed(eta=0.5, beta=b, size=10) for b in beta],
    }
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), series=curve)


@exact_claim(
    rates.unavoidable_failure,
    quick=[{"eta": [-0.5, -0.999, -0.01], "r": [0.5, 1e-6, 1e-300], "size": [4, 2, 1000]}],
    control=Control("the floor times {}", (1.001, 1.1, 2)),
    cost=0.05,
)
def failure_stays_above_its_floor(*, factor=1, **setting):
    """Above the floor at every r, by monotonicity; within 1e-2 of it at r = 1e-300."""
    ratios = []
    with ctx.workprec(BITS):
        for point in points(**setting):
            floor = (1 - exact(point["size"]) ** exact(point["eta"])) * factor
            found = failure(point["eta"], point["r"], point["size"])
            if not found > floor:
                return refuted("certificate", gap(setting, point, floor, found))
            ratios.append(float(floor / found))
    return holds("derivation", "everywhere", tightness=(min(ratios), max(ratios)), note="tightness: floor / truth")


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
