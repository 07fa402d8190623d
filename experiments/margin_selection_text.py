"""The sentences of the text around Lemma F.1 of Bassily, Mohri & Suresh (2022)."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from bounds import margin_selection_text as bounds
from experiments.bound_sensitivity import SIGNED, least_hinge, least_margin
from experiments.claim import Sabotage, exact_claim, holds, inconclusive, refuted
from experiments.jl_common import failed

ROUNDING = 1e-12


@exact_claim(
    bounds.trivial_below,
    severity="cosmetic",
    corrected_by="bms22.lemF.1.t1/corrected",
    cost=1e-3,
    note="a slip: rho > h_max is meant",
)
def below_is_not_trivial(*, factor=1):
    """rho = h_max/2 on a sample of margin above rho: F_2(rho, 0) falls with m to 0, whatever its constant."""
    points, values = [], []
    for m in (10**6, 10**10, 10**14):
        point = {"h_max": 1.0, "rho": 0.5, "m": m, "epsilon": 1.0, "beta": 0.1, "delta": 1 / (2 * m)}
        values.append(bounds.trivial_below(**point))
        points.append(point | {"F": values[-1]})
    if not values[0] > 5 * values[1] > 25 * values[2]:
        return inconclusive("NO_CONSTANT", "the bound does not fall")
    code = (
        "from bounds.margin_selection_text import trivial_below\n"
        "known = dict(h_max=1.0, rho=0.5, epsilon=1.0, beta=0.1)\n"
        "F = [trivial_below(m=m, delta=1 / (2 * m), **known) for m in (10**6, 10**10, 10**14)]\n"
        "assert F[0] > 5 * F[1] > 25 * F[2]  # no constant: it tends to 0"
    )
    witness = {
        "setting": {"rho": "h_max/2"},
        "claimed": "F(rho; g_rho(S)) = Omega(1) for h_max > rho",
        "found": f"F_2 = {values[-1]:.3g} at m = 1e14, without its constant",
        "family": "rho = h_max/2, a sample of margin above rho, m growing",
        "points": points,
        "ratios": [1 / v for v in values],
        "python": code,
    }
    return refuted("derivation", witness)


@exact_claim(
    bounds.trivial_above,
    control=Sabotage("the margin divided by {}", (1.5, 3)),
    cost=0.1,
    note="the margin loss is exactly 1; the hinge loss is below 1/2 up to rho = 2 h_max, so leaving those margins out "
    "costs a factor of 2 at most, not nothing",
)
def above_is_trivial(*, factor=1):
    """All samples of two signed records of the line: exact least losses at rho >= h_max = 1."""
    tight = 0.0
    for rho in (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(10)):
        floor = Fraction(bounds.trivial_above(h_max=1.0, rho=float(rho)))
        for sample in product(SIGNED, repeat=2):
            margin, hinge = (least(sample, rho / Fraction(factor), 1) for least in (least_margin, least_hinge))
            if margin < 1 or hinge < floor - Fraction(1, 10**12):
                point = {"rho": float(rho), "sample": str(sample)}
                return failed("enumeration", point, float(floor), float(hinge))
            tight = max(tight, float(floor / hinge) if hinge else 1.0)
    return holds("derivation", "everywhere", tightness=(min(1.0, tight), 1.0))


@exact_claim(
    bounds.trivial_small,
    control=Sabotage("margins up to {} h_max/sqrt(m)", (1.1, 3)),
    cost=1e-3,
    note="'typically': F_1 at m <= 2 and beta near 1 is left out, and the constants of the O(.) count as 1",
)
def small_is_trivial(*, factor=1):
    """Both terms are squares of 1/(rho sqrt(m)/h_max) up to a factor of at least 1: the end of the range is worst."""
    for m, beta in product((1, 3, 4, 100, 10**6, 10**12), (1e-12, 0.5, 1 - 1e-12)):
        for share in (1.0, 0.5, 1e-6):
            rho = share * factor / np.sqrt(m)
            value = bounds.trivial_small.theorem.function(h_max=1.0, rho=rho, m=m, beta=beta)
            if value < 1 - 1e-9:
                return failed("enumeration", {"m": m, "rho": float(rho), "beta": beta}, 1.0, value)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(
    bounds.bounds_along,
    control=Sabotage("margins up to {} Lambda r", (1.5, 2)),
    cost=0.05,
    note="where they are defined: F_1 for rho <= Lambda r, F_5 while r (eta Lambda)^L >= rho, F_4 for fat <= 34 m",
)
def bounds_fall(*, factor=1):
    """The five bounds along 40 margins at corners of m, epsilon, beta, t; the derivatives are in the docstring."""
    ratios = np.geomspace(1 / factor, 1e4, 40)
    for m, epsilon, beta, loss in product((1, 10**6), (1e-3, 1.0, 100.0), (1e-9, 0.5, 1 - 1e-9), (0.0, 0.3, 1.0)):
        point = {"m": m, "epsilon": epsilon, "beta": beta, "loss": loss}
        along = bounds.bounds_along(ratios=list(ratios), **point)
        raised = bounds.bounds_along(ratios=list(ratios), **(point | {"loss": min(1.0, loss + 0.1)}))
        for name, values, more in zip(("F_1", "F_2", "F_4", "F_5"), along, raised, strict=True):
            fall, scale = np.diff(values), ROUNDING * np.abs(values)
            if (fall < -scale[1:]).any() or (np.subtract(more, values) < -scale).any():
                return failed("enumeration", point | {"bound": name}, float(fall.min()), 0.0)
    return holds("derivation", "everywhere")


@exact_claim(
    bounds.larger_margin,
    control=Sabotage("a ball whose radius grows like rho^{}", (2,)),
    cost=0.05,
    note="for the hinge loss it is the minimum over a ball that is monotone; the loss of a fixed w on a misclassified "
    "record falls as rho grows",
)
def least_losses_rise(*, factor=1):
    """All samples of three signed records of the line along margins 1/8, 1/4, ..., 4, in fractions."""
    margins = [Fraction(1, 8)]
    while margins[-1] < 4:
        margins.append(Fraction(bounds.larger_margin(rho=float(margins[-1]), factor_rho=2)))
    for least in (least_margin, least_hinge):
        for sample in product(SIGNED, repeat=3):
            along = [least(sample, rho, 1 if factor == 1 else rho**factor) for rho in margins]
            for a, b in pairwise(along):
                if a > b:
                    return failed("enumeration", {"sample": str(sample)}, float(a), float(b))
    return holds("derivation", "everywhere")


@exact_claim(
    bounds.rising_sensitivities,
    severity="statement",
    corrected_by="bms22.lemF.1.t5/corrected",
    cost=1e-3,
    note="the lemma's own F_1, F_2, F_3 have sensitivities that strictly fall (Lemma F.3, attained), F_4 falls with M, "
    "F_5 is constant; so the lemma as printed could be used for none but F_5",
)
def five_do_not_rise(*, factor=1):
    """Delta_rho(F_2) at rho = Lambda r/2 and Lambda r: 3/m and 2/m, both attained."""
    small, large = (bounds.rising_sensitivities(m=1000, ratio=x, beta=0.1, M=5.0)[1] for x in (2.0, 1.0))
    if small <= large:
        return inconclusive("BUDGET", "no fall found")
    code = (
        "from fractions import Fraction as Q\n"
        "def least(z, rho):  # min over |w| <= 1 of the mean hinge loss, at breakpoints and ends\n"
        "    tried = [Q(1), Q(-1)] + [rho / x for x in z if x and abs(rho / x) <= 1]\n"
        "    return min(sum(max(1 - w * x / rho, 0) for x in z) for w in tried) / len(z)\n"
        "half, one = Q(1, 2), Q(1)\n"
        "moved = [abs(least([rho] * 3 + [one], rho) - least([rho] * 3 + [-one], rho)) for rho in (half, one)]\n"
        "assert moved == [Q(3, 4), Q(2, 4)]  # m = 4: (1 + x)/m at x = Lambda r/rho = 2, 2x/m at x = 1\n"
        "from bounds.bound_sensitivity import sensitivity_2_explicit\n"
        "assert moved[1] == sensitivity_2_explicit(m=4, ratio=1.0) < moved[0]"
    )
    point = {"m": 1000, "rho": 0.5, "rho'": 1.0}
    return failed("derivation", point, small, large, code)


@exact_claim(
    bounds.falling_sensitivities,
    control=Sabotage("sensitivities times (rho / Lambda r)^{}", (2,)),
    given=tuple(f"bms22.lemF.3{x}/explicit" for x in "abcde"),
    cost=5e-3,
)
def five_fall(*, factor=1):
    """The five along 25 margins, the largest first; M rises as margins fall."""
    ratios = np.geomspace(0.1, 100, 25)
    table = [bounds.falling_sensitivities(m=1000, ratio=x, beta=0.1, M=1 + x**2) for x in map(float, ratios)]
    table = np.array(table) / (1 if factor == 1 else ratios[:, None] ** factor)
    fall = np.diff(table, axis=0)
    if (fall < -ROUNDING * table[1:]).any():
        return failed("enumeration", {"m": 1000}, float(-fall.min()), 0.0)
    return holds("derivation", "everywhere")


if __name__ == "__main__":
    from experiments.run import script

    script("margin_selection")
