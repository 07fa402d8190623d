"""The steps from which Lemma A.1 of bms22 follows: `bounds.bms22.relative_deviation` has the derivation."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
from flint import arb

from bounds.bms22 import relative_deviation
from bounds.bms22 import relative_deviation_proof as bounds
from bounds.exact.balls import exact, precise, upper_end
from bounds.exact.binomials import at_least
from experiments.engine.claim import Control, exact_claim
from experiments.engine.verdict import holds, refuted
from experiments.instances.deviation_laws import inequality

TIES = """
import numpy as np
from bounds.bms22.relative_deviation import relative_deviation
from bounds.bms22.relative_deviation_proof import vc_of_signs
m, points = {m}, {points}
H = np.concatenate([np.zeros((1, 12)), np.eye(12), np.tri(12)])  # functions with values 0 and 1, on 12 of the points
assert vc_of_signs(patterns=H >= 0) == 0  # sign(0) = +1: one classifier
sample = np.random.default_rng(0).integers(points, size=m)
h = np.isin(np.arange(points), sample)  # 1 on the sample, 0 elsewhere; all labels are +1
empirical, risk = np.mean(1 * h[sample] <= 0), np.mean(1 * h <= 0)
assert empirical == 0 and risk > relative_deviation(m=m, V=0, beta={beta}, empirical=0)
"""


@exact_claim(
    bounds.vc_of_signs,
    quick=({"points": 10_000, "m": 100, "beta": 0.1},),
    severity="cosmetic",
    corrected_by="bms22.lemA.1/printed",
    cost=0.1,
    note="all functions to {0, 1}, labels +1: sign(h) is constant if sign(0) = +1 (for the other take {0, -1} and "
    "labels -1), yet ties cut out every set of errors; harmless for classifiers and for linear functions",
)
def ties_shatter(*, points, m, beta, factor=1):
    """All functions to {0, 1} on six points: VC dimension of the signs, and of the sets of errors."""
    values = np.array(list(itertools.product((0, 1), repeat=6)))
    signs, errors = bounds.vc_of_signs(patterns=values >= 0), bounds.vc_of_signs(patterns=values <= 0)
    if errors <= signs:
        return holds("enumeration", "settings")
    setting = {"points": points, "m": m, "beta": beta}
    bound = float(relative_deviation.relative_deviation(m=m, V=signs, beta=beta, empirical=0.0))
    told = {
        "claimed": f"at most {signs}",
        "found": f"{errors}; with V = {signs} Lemma A.1 would allow risk {bound:.3g} at empirical risk 0, but h = 1 on "
        f"the sample and 0 elsewhere has risk at least {1 - m / points:g}",
        "python": TIES.format(**setting).strip(),
    }
    return refuted("enumeration", inequality(setting, errors, signs, **told))


@exact_claim(
    bounds.ghost_reaches,
    quick=({"m": 2}, {"m": 60}),
    full=({"m": 300},),
    control=Control("{} / 4 for 1/4", (1.1,)),
    cost=0.05,
    note="Greenberg & Mohri's theorem for all m; all sizes up to the setting's enumerated in balls",
)
@precise
def ghosts_reach_the_mean(*, m, factor=1):
    """P(Bin(k, j/k) >= j + 1) for all 2 <= k <= m and 1 <= j < k; it is not attained, so equality is allowed."""
    smallest, where = arb(1), None
    for size in range(2, m + 1):
        for j in {1, 2, 3, size // 2, size - 2, size - 1} if size > 60 else range(1, size):
            if 1 <= j < size and (chance := at_least(size, Fraction(j, size), j + 1)) < smallest:
                smallest, where = chance, {"m": size, "p": f"{j}/{size}, from above"}
    allowed = bounds.ghost_reaches(m=m) * Fraction(factor)
    if smallest < exact(allowed) - arb("1e-30"):
        told = {"claimed": f"above {float(allowed):g}", "found": f"{float(smallest):g}"}
        return refuted("certificate", inequality(where, allowed, smallest, **told))
    return holds("derivation", "everywhere", tightness=(float(allowed) / float(smallest),) * 2)


@exact_claim(bounds.deviation_of_risk, control=Control("{} times the deviation", (1.1,)), cost=0.15)
def deviation_survives(*, factor=1):
    """Squares of both sides on a rational lattice, r = p = r' included."""
    shares = [Fraction(i, 16) for i in range(17)]
    for r, p, ghost in itertools.product(shares, shares, shares):
        if r <= p <= ghost and p > 0:
            right = bounds.deviation_of_risk(r=r, p=p, ghost=ghost) * Fraction(factor)
            left = 2 * (ghost - r) ** 2 / (ghost + r)
            if left < right:
                point = {"r": str(r), "p": str(p), "ghost": str(ghost)}
                told = {"claimed": f"at least {float(right):g}", "found": f"{float(left):g}"}
                return refuted("enumeration", inequality(point, right, left, **told))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="equality in the limit r -> p = ghost")


@exact_claim(
    bounds.swapping_tail,
    quick=({"s": 60},),
    full=({"s": 400},),
    control=Control("both exponents multiplied by {}", (1.5, 2)),
    cost=0.05,
)
@precise
def swaps_are_rare(*, s, factor=1):
    """The exact binomial tail at every attainable level of 1, ..., s signs."""
    worst = 0.0
    for signs in range(1, s + 1):
        if signs > 60 and signs not in (s // 2, s):
            continue
        for ups in range((signs + 1) // 2, signs + 1):
            level = 2 * ups - signs
            truth, bound = at_least(signs, Fraction(1, 2), ups), bounds.swapping_tail(s=signs, u=level) ** exact(factor)
            if truth > bound:
                point = {"s": signs, "u": level}
                told = {"claimed": f"at most {float(bound):.3g}", "found": f"{float(truth):.3g}"}
                return refuted("certificate", inequality(point, truth, bound, **told))
            worst = max(worst, upper_end(truth / bound))
    return holds("derivation", "everywhere", tightness=(worst, worst))


SAUER = """
import numpy as np
from bounds.bms22.relative_deviation_proof import growth, vc_of_signs
m = 50
x = np.arange(2 * m)
thresholds = x[None, :] >= np.arange(2 * m + 1)[:, None]
assert vc_of_signs(patterns=thresholds[:, :6]) == 1
assert len(np.unique(thresholds, axis=0)) > growth(m=m, V=1)
"""


@exact_claim(
    bounds.growth,
    quick=({"largest": 40},),
    severity="cosmetic",
    cost=0.05,
    note="true for V = 0 and V >= 2; fails by one pattern for V = 1, which the proof can afford",
)
def growth_is_a_power(*, largest, factor=1):
    """Sauer's function, which some class attains for every V and m, against (2m)^V: whole numbers."""
    for V, m in itertools.product((0, 2, 3, 5, 20, 1), range(largest, 0, -1)):
        truth, claimed = bounds.patterns_of_errors(m, V), bounds.growth(m=m, V=V)
        if truth > claimed:
            told = {"claimed": f"at most {claimed}", "found": f"{truth} patterns: thresholds on a line"}
            point = {"V": V, "m": m}
            return refuted("enumeration", inequality(point, truth, claimed, **told, python=SAUER.strip()))
    return holds("enumeration", "settings")


@exact_claim(
    bounds.union_over_patterns,
    quick=({"largest": 40},),
    full=({"largest": 400},),
    control=Control("{} patterns for one", (1.2, 1.5, 2)),
    cost=0.1,
    note="V = 1 by (2m + 1)/(2m) <= exp(1/(2m)), the others by Phi_V(2m) <= (2m)^V",
)
@precise
def union_is_affordable(*, largest, factor=1):
    """The left-hand side in balls; it is largest for beta near 1 and V = 0, 1, 2."""
    worst = 0.0
    sizes = sorted({*range(1, min(largest, 40) + 1), largest, 10**6, 10**12})
    for V, m, beta in itertools.product((0, 1, 2, 3, 10), sizes, (1 - 1e-9, 0.1, 1e-12, 1e-300)):
        if V > 3 and m > 1000:
            continue
        cost = factor * bounds.union_over_patterns(m=m, V=V, beta=beta)
        if cost > exact(beta):
            point = {"V": V, "m": m, "beta": beta}
            told = {"claimed": f"at most {beta:g}", "found": f"{float(cost):g}"}
            return refuted("certificate", inequality(point, cost, beta, **told))
        worst = max(worst, upper_end(cost / exact(beta)))
    return holds("derivation", "everywhere", tightness=(worst, worst))


SQUARES = [Fraction(i, 8) for i in range(17)]


def decide_squares(gap, claimed):
    """gap(a, b) >= 0 for a = sqrt(R_S), b = sqrt(Q) on a rational lattice."""
    for a, b in itertools.product(SQUARES, SQUARES):
        if (value := gap(a, b)) < 0:
            point = {"R_S": str(a * a), "Q": str(b * b)}
            told = {"claimed": claimed, "found": f"short by {float(-value):g}"}
            return refuted("enumeration", inequality(point, -value, 0, **told))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="by squaring; a rational lattice agrees")


@exact_claim(bounds.solved, control=Control("the solution divided by {}", (1.001,)), cost=0.05)
def deviation_is_solved(*, factor=1):
    """(p - r)^2 >= 4 Q p at the solution p."""

    def gap(a, b):
        p = bounds.solved(root_r=a, root_Q=b) / Fraction(factor)
        return (p - a * a) ** 2 - 4 * b * b * p if p >= a * a else -1

    return decide_squares(gap, "R - r <= 2 sqrt(Q R) implies R <= p")


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
