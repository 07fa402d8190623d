"""How many repetitions private tuning needs for other laws of K: Appendix M of wzw25, over eta, beta and |Theta|.

The failure probability increases in r (docstring of `bounds.repetition_rates.largest_r`), and E K decreases. So
"failure <= beta implies ..." is decided at the largest admissible r, enclosed in balls from both sides; |Theta| = log n
is taken literally, as a real number, where the paper does.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb, ctx

from bounds import repetition_rates as rates
from bounds import tnb_balls
from bounds.certify import exact, lower_end, upper_end
from experiments.claim import Sabotage, exact_claim, holds, refuted
from experiments.repetitions import proved
from experiments.tnb import compared, gap, points

BITS = 4000  # beta^(-1/eta) at eta = 0.01 has 4,000 bits
ETAS = [1.0, 0.01, 0.1, 0.5, 2.0, 30.0, 1000.0]
GRID = {"eta": ETAS, "beta": [0.5, 0.1, 0.9, 1e-6, 1e-12], "size": [2, 1, 3, 10, 1000]}
TEXT = {"n": [8, 20, 1000, 10**9], "alpha": [1.0, 0.25, 2.0], "eta": [1.0, 0.05, 0.5, 4.0, 100.0]}


def failure(eta, r, size):
    """The chance of missing the candidate, as a ball; 0 if there is no other."""
    return exact(0) if size == 1 else tnb_balls.not_selected(eta, r, size)


def threshold(eta, beta, size):
    """Balls low < r* < high, r* the largest admissible r: every r <= low is admissible, none >= high is.

    None if no r is; high = 1 if all are. ArithmeticError if balls do not confirm the two ends.
    """
    w = rates.log_inverse_r(eta, float(beta), float(size))
    if w == float("inf"):
        return None
    if w == 0:
        return 1 - exact(Fraction(1, 10**9)), exact(1)
    slack = exact(1e-9 + 1e-12 * w)
    low, high = (-exact(w) - slack).exp(), (-exact(w) + slack).exp()
    if not (failure(eta, low, size) <= beta < failure(eta, high, size)):
        raise ArithmeticError(f"1/r* at eta = {eta}, beta = {beta}, size = {size} is not exp({w})")
    return low, high


def relaxed(eta, beta, size):
    """The printed right-hand side for r, as a ball."""
    b = exact(beta) ** (1 / exact(eta))
    return b / (size + b - size * b)


# Lemma M.1 ----------------------------------------------------------------------------------------------------------


@exact_claim(
    rates.relaxation,
    quick=[{"eta": ETAS, "r": [0.5, 0.999, 1e-6, 1e-300], "size": [2, 1, 3, 1000]}],
    control=Sabotage("the right side divided by {}", (1.1, 2, 10)),
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
    quick=[GRID],
    control=Sabotage("r times {}", (1.001, 1.1, 2)),
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
    quick=[GRID],
    cost=0.1,
    severity="statement",
    corrected_by="wzw25.lemM.1/corrected",
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
        "from bounds.repetition_rates import largest_r_as_printed\n"
        "from bounds.repetitions import not_selected\n"
        f"eta, r, beta, size = {point['eta']}, {r}, {point['beta']}, {point['size']}\n"
        "assert not_selected(eta=eta, r=r, size=size) <= beta  # the hypothesis\n"
        "assert r > 1.01 * largest_r_as_printed(eta=eta, beta=beta, size=size)  # and yet"
    )
    with ctx.workprec(128):
        return refuted("certificate", gap(setting, point | {"r": r}, claimed, exact(r), python))


@exact_claim(
    rates.sufficiently_small_r,
    quick=[GRID],
    control=Sabotage("r times {}", (1.01, 1.1, 2), {"eta": [1.0], "beta": [0.01], "size": [1000]}),
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
    quick=[GRID | {"eta": [*ETAS, 0.0, -0.05, -0.9]}],
    control=Sabotage("r times {}", (1.001, 1.1, 2)),
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
    control=Sabotage("the floor times {}", (1.001, 1.1, 2)),
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


# Appendix M.3 -------------------------------------------------------------------------------------------------------


def text_bound(n, alpha, eta):
    """(n^(alpha/eta) - 1) log n + 1 as a ball."""
    return (exact(n) ** (exact(alpha) / exact(eta)) - 1) * exact(n).log() + 1


@exact_claim(
    rates.inverse_r_rearranged,
    quick=[TEXT],
    control=Sabotage("n^({} alpha/eta)", (1.001, 2)),
    cost=0.05,
)
def text_rearranges(*, factor=1, **setting):
    """Against the reciprocal of Lemma M.1's formula at beta = n^-alpha, |Theta| = log n."""
    with ctx.workprec(512):
        triples = []
        for point in points(**setting):
            n, alpha, eta = (exact(v) for v in point.values())
            triples.append((point, text_bound(n, factor * alpha, eta), 1 / relaxed(eta, n**-alpha, n.log())))
        return compared(triples, setting, "everywhere")


@exact_claim(
    rates.inverse_r_as_printed,
    quick=[TEXT],
    cost=0.1,
    severity="constant",
    corrected_by="wzw25.M.3/corrected/inverse-r",
    note="sufficient, not necessary, as Lemma M.1; for fixed eta the exact need is smaller by a factor that goes to 1 "
    "as |Theta| grows (at eta = 1 it is (|Theta| - 1)(n^alpha - 1)), but by an unbounded one as eta -> 0",
)
def text_bound_is_necessary(*, factor=1, **setting):
    """Literally at |Theta| = log n: an admissible r with 1/r below the bound. The witness has whole numbers."""
    violated, ratios = [], []
    with ctx.workprec(BITS):
        for point in points(**setting):
            n, alpha, eta = point.values()
            claimed = text_bound(n, alpha, eta) / factor
            low, _ = threshold(eta, exact(n) ** -exact(alpha), exact(n).log())
            ratios.append(float(1 / low / claimed))
            if 1 / low < claimed:
                violated.append(point)
        n, r, size = 8, Fraction(1, 15), 3  # ln 8 <= 3 = log2 8: both readings of |Theta| = log n at once
        if not violated or not (failure(1, r, size) <= 1 / exact(n) and 15 * factor < text_bound(n, 1, 1)):
            return holds("enumeration", "settings")
        python = (
            "from bounds.repetition_rates import inverse_r_as_printed\n"
            "from bounds.repetitions import not_selected\n"
            "n, alpha, eta, inverse_r, size = 8, 1, 1, 15, 3  # log n is 2.08, or 3 to base 2\n"
            "assert not_selected(eta=eta, r=1 / inverse_r, size=size) <= n**-alpha  # the hypothesis\n"
            "assert inverse_r < inverse_r_as_printed(n=n, alpha=alpha, eta=eta)  # and yet"
        )
        sizes = np.geomspace(8, 1e9, 30).tolist()
        exact_need = [float(np.exp(rates.log_inverse_r(0.5, 1 / x, np.log(x)))) for x in sizes]
        printed = [rates.inverse_r_as_printed(n=x, alpha=1, eta=0.5) for x in sizes]
        curve = {"n": sizes, "exact, alpha = 1, eta = 1/2": exact_need, "as printed": printed}
        note = f"1/r* over the printed bound at |Theta| = log n: {min(ratios):.3g} to {max(ratios):.3g}"
        witness = gap(setting, {"n": n, "alpha": 1, "eta": 1, "size": size}, text_bound(n, 1, 1), 15, python)
        return refuted("certificate", witness, note=note, series=curve)


def lower_bound_holds(setting, bound, quantity, note=""):
    """`quantity(eta, r)` at the largest admissible r against `bound(point)`, at every point, for whole |Theta| >= 2."""
    ratios = []
    with ctx.workprec(BITS):
        for point in points(**setting):
            n, alpha, eta, size = point["n"], point["alpha"], point["eta"], point["size"]
            ends = threshold(eta, exact(n) ** -exact(alpha), size)
            if ends is None:
                continue
            claimed, found = bound(point), quantity(eta, ends[1])
            if not found >= claimed * (1 - exact(Fraction(1, 10**8))):
                return refuted("certificate", gap(setting, point, claimed, found))
            ratios.append(float(claimed / found))
    return holds("derivation", "everywhere", tightness=(min(ratios), max(ratios)), note=note)


def half_root(eta):
    """(1 - 1.5^-eta)^(1/eta) / 2 as a ball."""
    eta = exact(eta)
    return (1 - (-eta * exact(Fraction(3, 2)).log()).exp()) ** (1 / eta) / 2


def polynomial(point):
    """n^(alpha/eta) as a ball."""
    return exact(point["n"]) ** (exact(point["alpha"]) / exact(point["eta"]))


WHOLE = TEXT | {"n": [8, 2, 1000, 10**9], "size": [2, 3, 21, 1000]}


def mean_below_one(eta, r):
    """E K, which is 1 in the limit r = 1."""
    return exact(1) if exact(r) == 1 else tnb_balls.mean(eta, r)


@exact_claim(
    rates.inverse_r,
    quick=[WHOLE],
    control=Sabotage("the bound times {}", (2, 10, 100)),
    cost=0.25,
)
def inverse_r_grows_polynomially(*, factor=1, **setting):
    """1/r* against the corrected bound."""
    return lower_bound_holds(
        setting,
        lambda p: half_root(p["eta"]) * polynomial(p) * factor,
        lambda eta, r: 1 / r,
        "tightness: bound / truth",
    )


@exact_claim(
    rates.expected_repetitions,
    quick=[WHOLE],
    control=Sabotage("the bound times {}", (2, 10, 100)),
    cost=0.25,
)
def expected_repetitions_grow_polynomially(*, factor=1, **setting):
    """The least E K against the explicit bound."""
    return lower_bound_holds(
        setting,
        lambda p: min(1.0, p["eta"]) * half_root(p["eta"]) * polynomial(p) * factor,
        mean_below_one,
        "tightness: bound / truth",
    )


@exact_claim(
    rates.repetitions_rate,
    quick=[TEXT],
    given=("wzw25.M.3/explicit/rate",),
    control=Sabotage("n^({} alpha/eta)", (1.01, 1.1, 2)),
    cost=0.05,
)
def rate_follows(*, factor=1, **setting):
    """The printed order over the explicit bound does not depend on n, alpha or |Theta|, and is finite at every eta."""
    with ctx.workprec(BITS):
        constants = {}
        for point in points(**setting):
            eta = point["eta"]
            explicit = min(1.0, eta) * half_root(eta) * polynomial(point)
            ratio = polynomial(point | {"alpha": point["alpha"] * factor}) / explicit
            known = constants.setdefault(eta, ratio)
            if not (ratio.overlaps(known) and ratio.is_finite()):
                return refuted("certificate", gap(setting, point, known, ratio))
    told = ", ".join(f"{upper_end(c):.3g} at eta = {eta:g}" for eta, c in sorted(constants.items()))
    note = f"C(eta) = 2 (1 - 1.5^-eta)^(-1/eta) / min(1, eta): {told}; finite for every eta > 0, unbounded as eta -> 0"
    return holds("derivation", "domain: every fixed eta > 0, all alpha > 0, n, |Theta| >= 2", note=note)


@exact_claim(
    rates.repetitions_rate_uniform,
    quick=[{"n": 8, "alpha": 1.0, "eta": [0.1, 0.02, 0.004], "size": 3, "log_inverse_r": 9.0}],
    cost=0.05,
    severity="constant",
    corrected_by="wzw25.M.3/corrected/rate-uniform",
    note="the order is right for every fixed eta (part `rate`); its constant cannot be chosen for all eta at once",
)
def rate_with_one_constant(*, factor=1, n, alpha, eta, size, log_inverse_r):
    """One r is admissible for all eta >= 0, because K grows with eta; E K stays below 1/r there; the order does not.

    Likelihood ratios in eta are monotone too, so failure at eta > 0 is below that at 0, and E K at eta < 1 below 1/r.
    """
    setting = {"n": n, "alpha": alpha, "eta": eta, "size": size, "log_inverse_r": log_inverse_r}
    with ctx.workprec(BITS):
        r, beta = (-exact(log_inverse_r)).exp(), exact(n) ** -exact(alpha)
        if not failure(0, r, size) <= beta:
            return holds("enumeration", "settings", note="the family is not admissible")
        truths, ratios = [], []
        for e in eta:
            if not failure(e, r, size) <= beta:
                return holds("enumeration", "settings", note="the family is not admissible")
            truths.append(upper_end(tnb_balls.mean(e, r)))
            ratios.append((polynomial({"n": n, "alpha": alpha, "eta": e}) / arb(truths[-1])).log())
        grows = all(a < b for a, b in pairwise(ratios)) and max(truths) < float(1 / r)
        if not grows:
            return holds("enumeration", "settings", note="no growth along the family")
    logs = [lower_end(x) / np.log(10) for x in ratios]
    points_ = [{"eta": e, "E K at most": t} for e, t in zip(eta, truths, strict=True)]
    python = (
        "from bounds.repetition_rates import repetitions_rate_uniform\n"
        "from bounds.repetitions import not_selected\n"
        "from bounds.tnb import mean\n"
        f"n, r, ratios = {n}, {float(np.exp(-log_inverse_r))!r}, []\n"
        "for eta in (0.1, 0.05, 0.02):\n"
        f"    assert not_selected(eta=eta, r=r, size={size}) <= 1 / n\n"
        "    ratios.append(repetitions_rate_uniform(n=n, alpha=1, eta=eta) / mean(eta=eta, r=r))\n"
        "assert ratios[0] > 1e4 and ratios[1] > 1e8 * ratios[0] and ratios[2] > 1e20 * ratios[1]"
    )
    witness = {
        "setting": setting,
        "claimed": "E K >= n^(alpha/eta) / (C polylog n) with one C for all eta > 0",
        "found": f"E K < {max(truths):.4g} for all eta in (0, 0.1], while n^(alpha/eta) grows without bound",
        "family": f"n = {n}, |Theta| = {size}, r = exp(-{log_inverse_r}), eta -> 0",
        "points": points_,
        "ratios": [f"1e{x:.1f}" for x in logs],
        "python": python,
    }
    return refuted("certificate", witness)


@exact_claim(
    rates.repetitions_of_any_law,
    quick=[WHOLE | {"eta": [-0.9, -0.05, 0.0, 0.1, 1.0, 1000.0]}],
    control=Sabotage("the bound times {}", (1.1, 2, 10)),
    cost=0.25,
)
def any_law_needs_many(*, factor=1, **setting):
    """The least E K at each eta against Jensen's bound, which is nearly reached at eta = 1000."""
    return lower_bound_holds(
        {name: setting[name] for name in ("n", "alpha", "eta", "size")},
        lambda p: exact(p["alpha"]) * exact(p["n"]).log() / -exact(1 - Fraction(1, p["size"])).log() * factor,
        mean_below_one,
        "tightness: bound / truth; eta = log n costs only polylogarithms",
    )


if __name__ == "__main__":
    from experiments.run import script

    script("tnb")
