"""The links of the proof of Lemma F.1 of Bassily, Mohri & Suresh (2022), one by one.

The sentences of the text around Lemma F.1 of Bassily, Mohri & Suresh (2022).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from bounds.bms22 import margin_selection as selection
from bounds.bms22 import margin_selection_proof as bounds
from experiments.bms22.bound_sensitivity import SIGNED, least_hinge, least_margin
from experiments.engine.claim import Control, exact_claim, grid
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.instances.points import failed
from experiments.instances.selection_families import constant_family, uniformity

ROUNDING = 1e-12


# The grid -----------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.grid_point,
    quick=grid(m=[100], base=["e", "2"], rounding=["ceil"]),
    full=grid(m=[100, 10**6], base=["e", "2"], rounding=["ceil", "floor"]),
    severity="constant",
    cost=1e-3,
    note="h_max itself has no grid point in any reading (the inequality rho_opt < 2 rho^ is strict and the grid starts "
    "at h_max/2); with the natural logarithm nothing below about h_max m^(-0.35) has one, with base 2 rounded down "
    "nothing below the smallest grid point",
)
def uncovered(*, m, base, rounding, factor=1):
    """The ends of the interval and all that lies between two powers of 2."""
    known = {"m": m, "base": base, "rounding": rounding}
    tried = [1.0, float(np.nextafter(m**-0.5, 1))] + [2.0**-k for k in range(1, 60) if m * 4.0**-k >= 1]
    missing = [rho for rho in tried if bounds.grid_point(rho=rho, **known) is None]
    if not missing:
        return inconclusive("BUDGET", "every point tried is covered")
    rho = min(missing)
    code = [
        "from bounds.bms22.margin_selection_proof import grid_point, margins",
        f"V = margins({m}, 1.0, {base!r}, {rounding!r})",
        f"assert not any(v <= {rho!r} < 2 * v for v in V) and {m} * {rho!r}**2 >= 1",
    ]
    witness = {
        "setting": known,
        "claimed": "a grid point rho^ with rho^ <= rho < 2 rho^",
        "found": f"none for rho = {rho:.6g} h_max; the grid is {bounds.margins(m, 1.0, base, rounding).tolist()}",
        "object": {"rho": rho},
        "property": "covered by the grid",
        "value": False,
        "python": "\n".join(code),
    }
    return refuted("enumeration", witness)


@exact_claim(
    bounds.grid_point_corrected,
    quick=grid(sizes=[300]),
    full=grid(sizes=[2000]),
    control=Control("(1/2) log m taken to a base {} times 2", (1.2, 2)),
    cost=0.15,
    note="4^J >= m puts 2^-J at or below every rho of the interval, and the largest grid point that is at most rho "
    "is at least rho/2",
)
def covered(*, sizes, factor=1):
    """All m up to `sizes` and beside the powers of 4, at both ends and beside every power of 2."""
    beside = [4**j + s for j in range(1, 20) for s in (-1, 0, 1)]
    for m in [*range(1, sizes), *beside]:
        J = selection.grid_size(m) if factor == 1 else max(1, int(np.ceil(np.log(m) / np.log(2 * factor) / 2)))
        points = [Fraction(1, 2**j) for j in range(1, J + 1)]
        tried = {Fraction(1)} | {Fraction(1, 2**j) * s for j in range(30) for s in (1, Fraction(4097, 4096))}
        lowest = Fraction(int(np.ceil(2.0**40 / np.sqrt(m))) + 1, 2**40)
        for rho in (r for r in tried | {lowest} if m * r**2 >= 1 and r <= 1):
            found = [v for v in points if rho / 2 <= v <= rho]
            if factor == 1 and (bounds.grid_point_corrected(m=m, rho=float(rho)) is None) == bool(found):
                return inconclusive("FAILED", "the function is not the one examined")
            if not found:
                return refuted(
                    "enumeration",
                    {
                        "setting": {"m": m},
                        "claimed": "covered",
                        "found": f"rho = {float(rho):.6g} is not",
                        "object": {"rho": float(rho)},
                        "property": "covered by the grid",
                        "value": False,
                        "python": "",
                    },
                )
    return holds("derivation", "everywhere")


# The choice, and what it costs --------------------------------------------------------------------------------------


def choice_fails(statement, *, m, epsilon, beta, base, factor=1):
    """P(F(rho*) > min F + loss) when one margin is best and all others lie just beyond the loss, exactly."""
    loss = statement(sensitivity=1 / m, m=m, epsilon=epsilon, beta=beta) / factor
    family = constant_family(m, bounds.margins(m, 1.0, base, "ceil"), loss)
    return float(1 - np.exp(family.choice(epsilon, beta).log_probabilities()[0]))


@exact_claim(
    bounds.printed_choice,
    quick=grid(m=[10_000], epsilon=[1.0], beta=[0.05], base=["e", "2"]),
    full=grid(m=[100, 10**9], epsilon=[0.01, 10.0], beta=[1e-6, 0.3], base=["e", "2"]),
    severity="constant",
    cost=2e-3,
    note="Theorem I.4 of Raskhodnikova & Smith has 4 log(J/beta): scores are divided by 2 Delta and halved again",
)
def printed_choice(*, m, epsilon, beta, base, factor=1):
    """The printed loss on the constant family against beta."""
    known = {"m": m, "epsilon": epsilon, "beta": beta, "base": base}
    found = choice_fails(bounds.printed_choice, **known)
    if found <= beta:
        return inconclusive("BUDGET", f"fails with probability {found:.3g}")
    code = [
        "import numpy as np",
        "from bounds.bms22.margin_selection import grid_size",
        "from bounds.bms22.margin_selection_proof import printed_choice",
        "from mechanisms.privacy import PureDP",
        "from mechanisms.generalized_exponential import law",
        f"m, epsilon, beta, J = {m!r}, {epsilon!r}, {beta!r}, grid_size({m!r}, {base!r})",
        "loss = printed_choice(sensitivity=1 / m, m=m, epsilon=epsilon, beta=beta) * (1 + 2.0**-30)",
        "chosen = law([0.0] + [loss] * (J - 1), [1 / m] * J, beta=beta, privacy=PureDP(epsilon))",
        "assert 1 - np.exp(chosen.log_probabilities()[0]) > beta",
    ]
    return refuted(
        "enumeration",
        {"setting": known, "claimed": beta, "found": found, "python": "\n".join(code)},
        tightness=(found / beta, found / beta),
    )


@exact_claim(
    bounds.corrected_choice,
    quick=grid(m=[10_000], epsilon=[1.0], beta=[0.05], base=["2"]),
    full=grid(m=[2, 100, 10**9], epsilon=[0.01, 10.0], beta=[1e-6, 0.3], base=["2"]),
    control=Control("the constant 4 divided by {}", (1.5, 2, 4)),
    given=("abgmu22.thm.gem/printed/accuracy",),
    cost=2e-3,
)
def corrected_choice(*, m, epsilon, beta, base, factor=1):
    """The corrected loss on the constant family; the theorem covers all others."""
    known = {"m": m, "epsilon": epsilon, "beta": beta, "base": base}
    found = choice_fails(bounds.corrected_choice, factor=factor, **known)
    if found > beta:
        return refuted("enumeration", {"setting": known, "claimed": beta, "found": found, "python": ""})
    return holds("derivation", "everywhere", tightness=(found / beta, 1.0))


NEAR = [(h, o) for o in (0.25, 0.3, 0.5, 1.0) for h in (0.25, 0.5) if o / 2 <= h <= o]


def chain(function, points, left, says, name, factor=1):
    """left(point) <= function(point) at all points; None if so."""
    for point in points:
        a, b = left(**point), function(**point) / factor
        if a > b + abs(b) * ROUNDING:
            code = f"from bounds.bms22.margin_selection_proof import {name}\n"
            code += f"assert {says.format(**point)} > {name}(**{point})"
            return failed("enumeration", point, a, b, code)
    return None


@exact_claim(
    bounds.half_sensitivity,
    severity="statement",
    cost=1e-3,
    note="rho^ > rho_opt/2 and Delta non-decreasing give the opposite inequality",
)
def rising(*, factor=1):
    """Delta_rho = rho at grid points."""
    points = [{"rho_hat": h, "rho_opt": o, "power": p} for h, o in NEAR for p in (0, 1, 2)]
    wrong = chain(
        bounds.half_sensitivity,
        points,
        lambda rho_hat, rho_opt, power: rho_hat**power,
        "{rho_hat} ** {power}",
        "half_sensitivity",
    )
    return wrong or inconclusive("BUDGET", "no failure found")


@exact_claim(
    bounds.half_sensitivity_corrected, control=Control("the right-hand side divided by {}", (1.05, 2)), cost=1e-3
)
def falling(*, factor=1):
    """Delta_rho = rho^-p; for any non-increasing Delta it is the definition, as rho^ >= rho_opt/2."""
    points = [{"rho_hat": h, "rho_opt": o, "power": p} for h, o in NEAR for p in (0, -1, -2)]
    wrong = chain(
        bounds.half_sensitivity_corrected,
        points,
        lambda rho_hat, rho_opt, power: rho_hat**power,
        "{rho_hat} ** {power}",
        "half_sensitivity_corrected",
        factor,
    )
    return wrong or holds("derivation", "everywhere", tightness=(1.0, 1.0))


def loss_points(slopes):
    """Two losses in order, a margin, and a slope of F in t."""
    known = product(((0.0, 0.0), (0.1, 0.2), (0.0, 1.0)), (0.5, 1.0), slopes)
    return [{"rho": r, "loss_hat": a, "loss_opt": b, "power": 1, "slope": s} for (a, b), r, s in known]


def lower_loss(*, rho, loss_hat, loss_opt, power, slope):
    """F(rho, g_rho^)."""
    return rho**-power + slope * loss_hat


LOWER = "{rho} ** -{power} + {slope} * {loss_hat}"


@exact_claim(
    bounds.raised_loss,
    severity="cosmetic",
    cost=1e-3,
    note="the lemma does not ask that F(rho, t) be non-decreasing in t; F_1 to F_5 are",
)
def any_slope(*, factor=1):
    """F(rho, t) = 1/rho - t among others."""
    wrong = chain(bounds.raised_loss, loss_points((1, 0, -1)), lower_loss, LOWER, "raised_loss")
    return wrong or inconclusive("BUDGET", "no failure found")


@exact_claim(bounds.raised_loss_corrected, control=Control("the right-hand side divided by {}", (1.05, 2)), cost=1e-3)
def rising_slope(*, factor=1):
    """The definition of non-decreasing, as g_rho^ <= g_rho_opt for rho^ <= rho_opt."""
    points = loss_points((0, 1, 5))
    wrong = chain(bounds.raised_loss_corrected, points, lower_loss, LOWER, "raised_loss_corrected", factor)
    return wrong or holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(bounds.halved_margin, control=Control("the right-hand side divided by {}", (1.05, 2)), cost=1e-3)
def half_the_margin(*, factor=1):
    """The definition of non-increasing, as rho_opt/2 <= rho^."""
    points = [{"rho_hat": h, "rho_opt": o, "power": p} for h, o in NEAR for p in (0, 1, 2)]
    wrong = chain(
        bounds.halved_margin,
        points,
        lambda rho_hat, rho_opt, power: rho_hat**-power,
        "{rho_hat} ** -{power}",
        "halved_margin",
        factor,
    )
    return wrong or holds("derivation", "everywhere", tightness=(1.0, 1.0))


# The promise at the chosen margin -----------------------------------------------------------------------------------

TWO_PROMISES = """
from scipy.stats import binom
from bounds.bms22.margin_selection_proof import printed_confidence
m, (P1, P2), (k1, k2), epsilon = {m!r}, {chances!r}, {counts!r}, 60.0
beta = printed_confidence(m=m, beta={beta!r})
assert binom.cdf(k1 - 1, m, P1) <= beta and binom.cdf(k2 - 1, m, P2) <= beta  # each promise keeps its confidence
step = (P1 - P2) / (1 - P2)  # m g_1 = m g_2 + Bin(m - m g_2, step); F_j - R = g_j - k_j/m
kept = sum(binom.pmf(g, m, P2) * binom.sf(k1 - 1 - g, m - g, step) for g in range(k2, m + 1))
# if a promise fails, the best score is below R by 1/m, and the choice leaves those below R with exp(-epsilon/4)
assert (1 - kept) * (1 - 2.718**(-epsilon / 4)) > beta
""".strip()


def promise_fails(size, each, epsilon):
    """A lower bound of P(R > F(rho*)) on the uniformity instance, and the instance.

    Scores differ by multiples of 1/m = Delta, so margins whose promise holds are chosen with weight at most
    e^{-epsilon/4} each once one fails.
    """
    instance = uniformity(size, each)
    if instance.each() > each:
        return 0.0, instance
    return instance.any()[0] * (1 - (size - 1) * np.exp(-epsilon / 4)), instance


@exact_claim(
    bounds.printed_confidence,
    quick=grid(size=[2], beta=[0.05]),
    full=grid(size=[3, 4], beta=[0.01, 0.2]),
    severity="statement",
    cost=0.05,
    note="the learner's promise is for every fixed margin, rho* depends on the sample: (31) needs it for all at once",
)
def promise_printed(*, size, beta, factor=1):
    """4^size records, `size` margins, every promise kept with probability 1 - beta; epsilon = 60."""
    allowed = bounds.printed_confidence(m=4**size, beta=beta)
    found, instance = promise_fails(size, allowed, 60.0)
    if found <= beta:
        return inconclusive("BUDGET", f"fails with probability {found:.3g}")
    python = ""
    if size == 2:
        python = TWO_PROMISES.format(m=instance.m, chances=instance.chances, counts=instance.counts, beta=beta)
    setting = {"size": size, "beta": beta}
    return refuted(
        "certificate",
        {"setting": setting, "claimed": beta, "found": found, "python": python},
        tightness=(found / beta, found / beta),
    )


@exact_claim(
    bounds.corrected_confidence,
    quick=grid(size=[3], beta=[0.05]),
    full=grid(size=[2, 4], beta=[0.01, 0.2]),
    control=Control("the learner run at {} beta/J", (1.5, 3)),
    cost=0.1,
    note="a union bound over the grid; the instances come near to it",
)
def promise_corrected(*, size, beta, factor=1):
    """The same instances with every promise kept with probability 1 - beta/J."""
    instance = uniformity(size, factor * bounds.corrected_confidence(m=4**size, beta=beta))
    low, high = instance.any()
    if low > beta:
        setting = {"size": size, "beta": beta}
        return refuted("certificate", {"setting": setting, "claimed": beta, "found": low, "python": ""})
    return holds("derivation", "everywhere", tightness=(high / beta, 1.0))


ROUNDING = 1e-12


@exact_claim(
    bounds.trivial_below,
    severity="cosmetic",
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
        "from bounds.bms22.margin_selection_proof import trivial_below\n"
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
    control=Control("the margin divided by {}", (1.5, 3)),
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
    control=Control("margins up to {} h_max/sqrt(m)", (1.1, 3)),
    cost=1e-3,
    note="'typically': F_1 at m <= 2 and beta near 1 is left out, and the constants of the O(.) count as 1",
)
def small_is_trivial(*, factor=1):
    """Both terms are squares of 1/(rho sqrt(m)/h_max) up to a factor of at least 1: the end of the range is worst."""
    for m, beta in product((1, 3, 4, 100, 10**6, 10**12), (1e-12, 0.5, 1 - 1e-12)):
        for share in (1.0, 0.5, 1e-6):
            rho = share * factor / np.sqrt(m)
            value = bounds.trivial_small.theorem.formula(h_max=1.0, rho=rho, m=m, beta=beta)
            if value < 1 - 1e-9:
                return failed("enumeration", {"m": m, "rho": float(rho), "beta": beta}, 1.0, value)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(
    bounds.bounds_along,
    control=Control("margins up to {} Lambda r", (1.5, 2)),
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
    control=Control("a ball whose radius grows like rho^{}", (2,)),
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
        "from bounds.bms22.bound_sensitivity import sensitivity_2_explicit\n"
        "assert moved[1] == sensitivity_2_explicit(m=4, ratio=1.0) < moved[0]"
    )
    point = {"m": 1000, "rho": 0.5, "rho'": 1.0}
    return failed("derivation", point, small, large, code)


@exact_claim(
    bounds.falling_sensitivities,
    control=Control("sensitivities times (rho / Lambda r)^{}", (2,)),
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
    from experiments.__main__ import script

    script(__spec__.name)
