"""How many repetitions private tuning needs for other laws of K: Appendix M of wzw25, over eta, beta and |Theta|.

The failure probability increases in r (docstring of `bounds.wzw25.repetitions.largest_r`), and E K decreases. So
"failure <= beta implies ..." is decided at the largest admissible r, enclosed in balls from both sides; |Theta| = log n
is taken literally, as a real number, where the paper does.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb, ctx

from bounds.exact import tnb
from bounds.exact.balls import exact, lower_end, upper_end
from bounds.wzw25 import repetition_growth as rates
from bounds.wzw25 import repetitions
from experiments.engine.claim import Control, exact_claim
from experiments.engine.verdict import holds, refuted
from experiments.wzw25.run_counts import compared, gap, points

BITS = 4000  # beta^(-1/eta) at eta = 0.01 has 4,000 bits
TEXT = {"n": [8, 20, 1000, 10**9], "alpha": [1.0, 0.25, 2.0], "eta": [1.0, 0.05, 0.5, 4.0, 100.0]}


def failure(eta, r, size):
    """The chance of missing the candidate, as a ball; 0 if there is no other."""
    return exact(0) if size == 1 else tnb.not_selected(eta, r, size)


def threshold(eta, beta, size):
    """Balls low < r* < high, r* the largest admissible r: every r <= low is admissible, none >= high is.

    None if no r is; high = 1 if all are. ArithmeticError if balls do not confirm the two ends.
    """
    w = repetitions.log_inverse_r(eta, float(beta), float(size))
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


# Appendix M.3 -------------------------------------------------------------------------------------------------------


def text_bound(n, alpha, eta):
    """(n^(alpha/eta) - 1) log n + 1 as a ball."""
    return (exact(n) ** (exact(alpha) / exact(eta)) - 1) * exact(n).log() + 1


@exact_claim(
    rates.inverse_r_rearranged,
    quick=[TEXT],
    control=Control("n^({} alpha/eta)", (1.001, 2)),
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
            "from bounds.wzw25.repetition_growth import inverse_r_as_printed\n"
            "from bounds.wzw25.repetitions import not_selected\n"
            "n, alpha, eta, inverse_r, size = 8, 1, 1, 15, 3  # log n is 2.08, or 3 to base 2\n"
            "assert not_selected(eta=eta, r=1 / inverse_r, size=size) <= n**-alpha  # the hypothesis\n"
            "assert inverse_r < inverse_r_as_printed(n=n, alpha=alpha, eta=eta)  # and yet"
        )
        sizes = np.geomspace(8, 1e9, 30).tolist()
        exact_need = [float(np.exp(repetitions.log_inverse_r(0.5, 1 / x, np.log(x)))) for x in sizes]
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
    return exact(1) if exact(r) == 1 else tnb.mean(eta, r)


@exact_claim(
    rates.inverse_r,
    quick=[WHOLE],
    control=Control("the bound times {}", (2, 10, 100)),
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
    control=Control("the bound times {}", (2, 10, 100)),
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
    control=Control("n^({} alpha/eta)", (1.01, 1.1, 2)),
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
            truths.append(upper_end(tnb.mean(e, r)))
            ratios.append((polynomial({"n": n, "alpha": alpha, "eta": e}) / arb(truths[-1])).log())
        grows = all(a < b for a, b in pairwise(ratios)) and max(truths) < float(1 / r)
        if not grows:
            return holds("enumeration", "settings", note="no growth along the family")
    logs = [lower_end(x) / np.log(10) for x in ratios]
    points_ = [{"eta": e, "E K at most": t} for e, t in zip(eta, truths, strict=True)]
    python = (
        "from bounds.wzw25.repetition_growth import repetitions_rate_uniform\n"
        "from bounds.wzw25.repetitions import not_selected\n"
        "from bounds.wzw25.run_counts import mean\n"
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
    control=Control("the bound times {}", (1.1, 2, 10)),
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
    from experiments.__main__ import script

    script(__spec__.name)
