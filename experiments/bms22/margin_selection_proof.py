"""The proof of Lemma F.1 of Bassily, Mohri & Suresh (2022), link by link, and the sentences of the text around it."""

from fractions import Fraction
from itertools import pairwise, product
from math import ceil, log

import numpy as np

from lemmata.bounds.abgmu22.generalized_exponential import selection_penalty
from lemmata.bounds.bms22 import (
    bound_sensitivity as sensitivity,
    margin_selection as selection,
    margin_selection_proof as bounds,
)
from lemmata.bounds.exact.balls import hull
from lemmata.experiments.bms22.bound_sensitivity import neighbour_losses
from lemmata.experiments.checks import inequality_claim, order_claim, run_script, up_to_one, withheld, witness
from lemmata.experiments.engine.claims.claim import Control, exact_claim, grid
from lemmata.experiments.engine.claims.verdict import inconclusive, refuted
from lemmata.experiments.instances.datasets.corners import POWERS_OF_TWO
from lemmata.experiments.instances.laws.selection_families import constant_family, uniformity
from lemmata.experiments.instances.pairs.selection_pairs import SIGNED, least_hinge, least_margin

# The grid -------------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.grid_point,
    quick=grid(m=[100], base=["2", "e"], rounding=["ceil"]),
    full=grid(m=[100, 10**6], base=["2", "e"], rounding=["ceil", "floor"]),
    severity="constant",
    corner=POWERS_OF_TWO,
    restated=("bms22.lemF.1",),
    cost=1e-3,
    note=(
        "no reading has a grid point for ρ = h_max, because ρ_opt < 2ρ̂ is strict and the grid starts at "
        "h_max/2. The proof only needs ρ_opt ≤ 2ρ̂, which holds. With natural logarithms there is no grid "
        "point for ρ below about h_max · m⁻⁰·³⁵. With base 2 rounded down there is none for ρ below the "
        "smallest grid point. The paper names no base, and we read base 2 (cf. Corollary F.2)"
    ),
)
def uncovered(*, m, base, rounding, factor=1):
    """The ends of the interval and all that lies between two powers of 2."""
    setting = {"m": m, "base": base, "rounding": rounding}
    tried = [1.0, float(np.nextafter(m**-0.5, 1))] + [2.0**-k for k in range(1, 60) if m * 4.0**-k >= 1]
    rho = min((r for r in tried if bounds.grid_point(rho=r, **setting) is None), default=None)
    if rho is None:
        return inconclusive("BUDGET", "every point tried is covered")
    python = f"""
from lemmata.bounds.bms22.margin_selection_proof import grid_point
near = grid_point(m={m}, rho={rho!r}, base={base!r}, rounding={rounding!r})  # with near <= rho < 2 near
assert near is None and {m} * {rho!r}**2 >= 1"""
    words = {
        "claimed": "that the grid has a point rho_hat with rho_hat <= rho < 2 rho_hat",
        "found": f"none for rho = {rho:.6g} h_max; the grid is {bounds.margins(m, 1.0, base, rounding).tolist()}",
    }
    what = {"object": {"rho": rho}, "property": "covered by the grid", "value": False}
    return refuted("enumeration", witness.construction(setting, python=python, **what, **words))


@inequality_claim(
    bounds.grid_point_corrected,
    quick=grid(sizes=[300]),
    full=grid(sizes=[2000]),
    control=Control("(1/2) log m taken to a base {} times 2", (1.001, 1.2, 2)),
    cost=0.15,
    note="4ᴶ ≥ m puts 2⁻ᴶ at or below every ρ, and the largest grid point that is at most ρ is at least ρ/2",
    tightness=withheld,
)
def covered(*, sizes, factor=1):
    """All m up to `sizes` and next to the powers of 4, at both ends and next to every power of 2."""
    tried = {Fraction(1)} | {Fraction(1, 2**j) * s for j in range(30) for s in (1, Fraction(4097, 4096))}
    for m in [*range(1, sizes), *(4**j + s for j in range(1, 20) for s in (-1, 0, 1))]:
        used = ceil(m ** (log(2) / log(2 * factor)))  # log of this to base 2 is log of m to base 2 factor
        points, lowest = 0.5 ** np.arange(1, selection.grid_size(used) + 1), Fraction(ceil(2**40 / m**0.5) + 1, 2**40)
        for rho in (r for r in tried | {lowest} if m * r**2 >= 1 and r <= 1):
            point = bounds.grid_point_corrected.theorem.formula(m=used, rho=float(rho)) or 0.0
            yield {"m": m, "rho": rho, "grid point": point}, max(rho / 2 - Fraction(point), Fraction(point) - rho), 0
            if point not in points:
                return inconclusive("FAILED", "the function returns no grid point")


# The choice, and what it costs ----------------------------------------------------------------------------------------


def choice_fails(statement, *, m, epsilon, beta, base, factor=1):
    """P(F(rho*) > min F + loss) when one margin is best and all others lie just beyond the loss, exactly."""
    loss = statement(sensitivity=1 / m, m=m, epsilon=epsilon, beta=beta) / factor
    family = constant_family(m, bounds.margins(m, 1.0, base, "ceil"), loss)
    return float(1 - np.exp(family.choice(epsilon, beta).log_probabilities()[0]))


@exact_claim(
    bounds.printed_choice,
    quick=grid(m=[10_000], epsilon=[1.0], beta=[0.05], base=["2", "e"]),
    full=grid(m=[100, 10**9], epsilon=[0.01, 10.0], beta=[1e-6, 0.3], base=["2", "e"]),
    severity="constant",
    cost=2e-3,
    finding="the 4 of Raskhodnikova and Smith's 4 log(J/β) is missing",
    note=(
        "Theorem I.4 of Raskhodnikova and Smith has 4 log(J/β), because scores are divided by 2Δ and "
        "halved again. The paper has 1 for 4"
    ),
)
def printed_choice(*, factor=1, **setting):
    """The printed loss on the constant family against beta."""
    beta, failure = setting["beta"], choice_fails(bounds.printed_choice, factor=factor, **setting)
    if failure <= beta:
        return inconclusive("BUDGET", f"fails with probability {failure:.3g}")
    python = f"""
import numpy as np
from lemmata.bounds.bms22.margin_selection import grid_size
from lemmata.bounds.bms22.margin_selection_proof import printed_choice
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.selection.generalized_exponential import law
m, epsilon, beta = {setting["m"]!r}, {setting["epsilon"]!r}, {beta!r}
J = grid_size(m, {setting["base"]!r})
loss = printed_choice(sensitivity=1 / m, m=m, epsilon=epsilon, beta=beta) * (1 + 2.0**-30)
chosen = law([0.0] + [loss] * (J - 1), [1 / m] * J, beta=beta, privacy=PureDP(epsilon))
assert 1 - np.exp(chosen.log_probabilities()[0]) > beta"""
    broken = witness.inequality(setting, failure, beta, python=python)
    return refuted("enumeration", broken, tightness=(failure / beta,) * 2)


@inequality_claim(
    bounds.corrected_choice,
    scope="everywhere: epsilon as our law accepts it, from about 1e-8 on for a thousand candidates",
    quick=grid(m=[10_000], epsilon=[1.0], beta=[0.05], base=["2"]),
    full=grid(m=[2, 100, 10**9], epsilon=[0.01, 10.0], beta=[1e-6, 0.3], base=["2"]),
    control=Control("the constant 4 divided by {}", (1.1, 1.5, 2, 4)),
    given=[selection_penalty],
    tightness=up_to_one,
)
def corrected_choice(*, factor=1, **setting):
    """The corrected loss on the constant family; the theorem covers all others."""
    yield setting, choice_fails(bounds.corrected_choice, factor=factor, **setting), setting["beta"]


def near(statement, *powers, sign=1):
    """Cases rho_hat^(sign power) <= statement, at grid points rho_hat in [rho_opt/2, rho_opt]."""
    for o, h, p in product((0.25, 0.3, 0.5, 1.0), (0.25, 0.5), powers):
        if o / 2 <= h <= o:
            point = {"rho_hat": h, "rho_opt": o, "power": p}
            yield point, h ** (sign * p), statement(**point)


def program(statement, left):
    """The program of a witness: `left`, a template in the point's numbers, exceeds the right-hand side."""
    start = f"from lemmata.bounds.bms22.margin_selection_proof import {statement.__name__}\nassert "
    return lambda point, *_: f"{start}{left.format(**point)} > {statement.__name__}(**{point})"


@inequality_claim(
    bounds.half_sensitivity,
    severity="statement",
    misprint="read non-increasing for non-decreasing, as this line of the proof needs",
    python=program(bounds.half_sensitivity, "{rho_hat} ** {power}"),
    cost=1e-3,
    note="with ρ̂ > ρ_opt/2 and a non-decreasing Δ, as Lemma F.1 has it, the inequality goes the other way; for a Δ "
    "that does not rise it holds (cf. Lemma F.3 and Corollary F.2)",
)
def rising():
    """Delta_rho = rho at grid points."""
    return near(bounds.half_sensitivity, 0, 1, 2)


@inequality_claim(bounds.half_sensitivity_corrected, caught=(1.05, 2))
def falling():
    """Delta_rho = rho^-p; for any non-increasing Delta it is the definition, as rho^ >= rho_opt/2."""
    return near(bounds.half_sensitivity_corrected, 0, -1, -2)


def lower_losses(statement, slopes):
    """F(rho, g_rho^) against F(rho, g_rho_opt), F(rho, t) = 1/rho + slope t."""
    for (low, high), rho, slope in product(((0.0, 0.0), (0.1, 0.2), (0.0, 1.0)), (0.5, 1.0), slopes):
        point = {"rho": rho, "loss_hat": low, "loss_opt": high, "power": 1, "slope": slope}
        yield point, 1 / rho + slope * low, statement(**point)


@inequality_claim(
    bounds.raised_loss,
    severity="statement",
    python=program(bounds.raised_loss, "{rho} ** -{power} + {slope} * {loss_hat}"),
    cost=1e-3,
    note=(
        "the step needs an F(ρ, t) that rises with t, which Lemma F.1 does not assume. F_1 to F_5 and "
        "Corollary F.2 have it"
    ),
)
def any_slope():
    """F(rho, t) = 1/rho - t among others."""
    yield from lower_losses(bounds.raised_loss, (1, 0, -1))


@inequality_claim(bounds.raised_loss_corrected, caught=(1.05, 2), given=["bms22.lemF.1.t4/printed"])
def rising_slope():
    """The definition of non-decreasing, as g_rho^ <= g_rho_opt for rho^ <= rho_opt."""
    yield from lower_losses(bounds.raised_loss_corrected, (0, 1, 5))


@inequality_claim(bounds.halved_margin, caught=(1.05, 2))
def half_the_margin():
    """The definition of non-increasing, as rho_opt/2 <= rho^."""
    return near(bounds.halved_margin, 0, 1, 2, sign=-1)


# The promise at the chosen margin -------------------------------------------------------------------------------------

TWO_PROMISES = """
from scipy.stats import binom
from lemmata.bounds.bms22.margin_selection_proof import printed_confidence
m, (P1, P2), (k1, k2), epsilon = {instance.m!r}, {instance.chances!r}, {instance.counts!r}, 60.0
each = printed_confidence(m=m, beta={beta!r})
assert binom.cdf(k1 - 1, m, P1) <= each and binom.cdf(k2 - 1, m, P2) <= each  # each promise keeps its confidence
step = (P1 - P2) / (1 - P2)  # m g_1 = m g_2 + Bin(m - m g_2, step); F_j - R = g_j - k_j/m
kept = sum(binom.pmf(g, m, P2) * binom.sf(k1 - 1 - g, m - g, step) for g in range(k2, m + 1))
# if a promise fails, the best score is below R by 1/m, and the choice leaves those below R with exp(-epsilon/4)
assert (1 - kept) * (1 - 2.718**(-epsilon / 4)) > {beta!r}
"""


@exact_claim(
    bounds.printed_confidence,
    quick=grid(size=[2], beta=[0.05]),
    full=grid(size=[3, 4], beta=[0.01, 0.2]),
    severity="statement",
    note=(
        "the learner's bound holds with probability 1 − β for every fixed margin, but ρ* depends on the "
        "sample. So (31) needs the bounds of all margins at once"
    ),
)
def promise_printed(*, size, beta, factor=1):
    """4^size records, `size` margins, every promise kept with probability 1 - beta; epsilon = 60.

    Scores differ by multiples of 1/m = Delta, so margins whose promise holds are chosen with weight at most
    e^{-epsilon/4} each once one fails: a lower bound of P(R > F(rho*)).
    """
    allowed = bounds.printed_confidence(m=4**size, beta=beta)
    instance = uniformity(size, allowed)
    failure = instance.any()[0] * (1 - (size - 1) * np.exp(-60.0 / 4))
    if instance.each() > allowed or failure <= beta:
        return inconclusive("BUDGET", f"fails with probability {failure:.3g}")
    python = TWO_PROMISES.format(beta=beta, instance=instance) if size == 2 else ""
    broken = witness.inequality({"size": size, "beta": beta}, failure, beta, python=python)
    return refuted("certificate", broken, tightness=(failure / beta,) * 2)


@inequality_claim(
    bounds.corrected_confidence,
    quick=grid(size=[3], beta=[0.05]),
    full=grid(size=[2, 4], beta=[0.01, 0.2]),
    control=Control("the learner run at {} beta/J", (1.1, 1.5, 3)),
    tightness=up_to_one,
    note="a union bound over the grid. The instances come close to it",
)
def promise_corrected(*, size, beta, factor=1):
    """The same instances with every promise kept with probability 1 - beta/J."""
    each = factor * bounds.corrected_confidence(m=4**size, beta=beta)
    yield {"size": size, "beta": beta}, hull(uniformity(size, each).any()), beta


# The text around the lemma --------------------------------------------------------------------------------------------


@order_claim(
    bounds.trivial_below,
    family="rho = h_max/2, a sample of margin above rho, m growing; truth 1 and g = F_2(rho, 0)",
    python="""
from lemmata.bounds.bms22.margin_selection_proof import trivial_below
sizes = (10**6, 10**10, 10**14)
F = [trivial_below(h_max=1.0, rho=0.5, loss=0.0, m=m, epsilon=1.0, beta=0.1, delta=1 / (2 * m)) for m in sizes]
assert F[0] > 5 * F[1] > 25 * F[2]  # no constant: it tends to 0
""",
    severity="statement",
    cost=1e-3,
    note=(
        "ρ > h_max is meant, but this is enough for the margin loss only. The hinge loss needs ρ ≥ "
        "2h_max, so the sentence needs two changes. It only motivates the interval of Lemma F.1, which is "
        "stated for that interval alone"
    ),
)
def below_is_not_trivial():
    """rho = h_max/2 on a sample of margin above rho: F_2(rho, 0) falls with m to 0, whatever its constant."""
    for m in (10**6, 10**10, 10**14):
        point = {"h_max": 1.0, "rho": 0.5, "loss": 0.0, "m": m, "epsilon": 1.0, "beta": 0.1, "delta": 1 / (2 * m)}
        yield point, 1.0, bounds.trivial_below(**point)


@inequality_claim(
    bounds.trivial_above,
    control=Control("the margin divided by {}", (1.001, 1.5, 3)),
    note=(
        "the margin loss is exactly 1. The hinge loss is below 1/2 up to ρ = 2 h_max, so leaving those "
        "margins out costs up to a factor of 2"
    ),
)
def above_is_trivial(*, factor=1):
    """All samples of two signed records of the line: exact least losses, and F_2, at rho >= h_max = 1."""
    many = {"m": 10**18, "epsilon": 1.0, "beta": 0.1, "delta": 1e-19}  # nothing but the loss is left of F_2
    for rho, sample in product((Fraction(1), Fraction(5, 4), Fraction(2), Fraction(10)), product(SIGNED, repeat=2)):
        point, loss = {"rho": rho, "sample": sample}, least_hinge(sample, rho / Fraction(factor), 1)
        yield point, 1, least_margin(sample, rho / Fraction(factor), 1)
        yield point, bounds.trivial_above(h_max=Fraction(1), rho=rho), loss
        bound = bounds.trivial_below.theorem.formula(h_max=1.0, rho=float(rho), loss=float(loss), **many)
        yield point | many, bounds.trivial_above(h_max=Fraction(1), rho=rho), bound


@inequality_claim(
    bounds.bounds_along,
    severity="statement",
    python="""
from lemmata.bounds.bms22.margin_selection_proof import bounds_along, margins
m = 900  # linear functions in at least (32 * 16)^2 dimensions
ratios = [1 / rho for rho in margins(m)[1:4]]  # Algorithm 6 compares h_max/4, h_max/8, h_max/16, h_max = Lambda r
F = bounds_along(m=m, epsilon=1.0, beta=0.1, loss=0.0, ratios=ratios)[2]  # F_4(rho, 0)
assert F[0] > F[1] > 0 > F[2]  # and not F[0] <= F[1] <= F[2]
""",
    note=(
        "F_4 rises with the margin where fat_{ρ/32} exceeds 34 m, and its M is negative beyond 92.4 m. So "
        "for linear functions the smallest margins of Lemma F.1 have the best scores. With "
        "min(fat_{ρ/32}, 34 m) for the dimension the sentence is true for ρ ≤ h_max. This has no cost, "
        "because F_4 is above 1 there, or not a bound at all (cf. Theorem 6.1)"
    ),
)
def smaller_margin_is_cheaper():
    """F_4 of linear functions at h_max/4 and h_max/8, both on the grid of Algorithm 6 for m = 900."""
    point = {"m": 900, "epsilon": 1.0, "beta": 0.1, "loss": 0.0}
    larger, smaller = bounds.bounds_along(ratios=[1 / rho for rho in bounds.margins(900)[1:3]], **point)[2]
    yield point | {"rho": 0.125, "rho'": 0.25, "bound": "F_4"}, larger, smaller


@inequality_claim(
    bounds.bounds_along_capped, control=Control("margins up to {} Lambda r", (1.5, 2)), tightness=withheld
)
def bounds_fall(*, factor=1):
    """The five bounds along 40 margins at corners of m, epsilon, beta, t; the derivatives are in the docstring."""
    values_along = bounds.bounds_along_capped.theorem.formula
    for m, epsilon, beta, loss in product((1, 10**6), (1e-3, 1.0, 100.0), (1e-9, 0.5, 1 - 1e-9), (0.0, 0.3, 1.0)):
        point = {"m": m, "epsilon": epsilon, "beta": beta, "loss": loss}
        ratios = sorted({*np.geomspace(1 / factor, 1e4, 40), max(1.0, (34 * m) ** 0.5 / 32)})  # fat = 34 m among them
        along = values_along(ratios=ratios, **point)
        least = sensitivity.rate_2(m=m, epsilon=epsilon, beta=beta, ratio=ratios[-1], delta=1 / (2 * m))
        yield point | {"bound": "F_2 is that of Lemma F.3"}, least, along[1][-1]
        raised = values_along(ratios=ratios, **(point | {"loss": min(1.0, loss + 0.1)}))
        for name, values, more in zip(("F_1", "F_2", "F_4", "F_5"), along, raised, strict=True):
            for a, b in [*pairwise(values), *zip(values, more, strict=True)]:
                yield point | {"bound": name}, a, b


@inequality_claim(
    bounds.larger_margin,
    control=Control(lambda f: f"a ball whose radius grows like rho^{2 * f - 2:g}", (1.5, 1.75, 2)),
    note=(
        "for the hinge loss the minimum over a ball is monotone, but the loss of a fixed w on a "
        "misclassified record falls as ρ grows"
    ),
    tightness=withheld,
)
def least_losses_rise(*, factor=1):
    """All samples of three signed records of the line, margins 1/8, ..., 4 against half as much more, in fractions."""
    pairs = [
        (rho, bounds.larger_margin(rho=rho, factor_rho=Fraction(3, 2))) for rho in (Fraction(2**j, 8) for j in range(6))
    ]
    for least, sample, pair in product((least_margin, least_hinge), product(SIGNED, repeat=3), pairs):
        a, b = (least(sample, rho, rho ** (2 * factor - 2)) for rho in pair)
        yield {"sample": sample, "loss": least.__name__}, a, b


@inequality_claim(
    bounds.rising_sensitivities,
    severity="statement",
    python="""
from fractions import Fraction as Q
def least(z, rho):  # min over |w| <= 1 of the mean hinge loss, at breakpoints and ends
    tried = {Q(1), Q(-1)} | {rho / x for x in z if x and abs(rho / x) <= 1}
    return min(sum(max(1 - w * x / rho, 0) for x in z) for w in tried) / len(z)
half, one = Q(1, 2), Q(1)
moved = [abs(least([rho] * 999 + [one], rho) - least([rho] * 999 + [-one], rho)) for rho in (half, one)]
assert moved == [Q(3, 1000), Q(2, 1000)]  # m = 1000: (1 + x)/m at x = Lambda r/rho = 2, 2x/m at x = 1
from lemmata.bounds.bms22.margin_selection_proof import rising_sensitivities
assert moved[0] > rising_sensitivities(m=1000, ratio=1.0, beta=0.1, M=5.0)[1]  # 2/m, at the larger margin
""",
    note=(
        "the sensitivities of F_1, F_2 and F_3 strictly fall as ρ grows (Lemma F.3, attained), that of "
        "F_4 falls with M, and that of F_5 is constant. Two repairs are needed: read non-increasing, as "
        "the proof needs, and take min(fat_{ρ/32}, 34 m) in M"
    ),
)
def five_do_not_rise():
    """Delta_rho(F_2) at rho = Lambda r/2 and Lambda r: 3/m and 2/m, both attained."""
    small, large = (bounds.rising_sensitivities(m=1000, ratio=x, beta=0.1, M=5.0)[1] for x in (2.0, 1.0))
    yield {"m": 1000, "rho": 0.5, "rho'": 1.0}, small, large


@inequality_claim(
    bounds.falling_sensitivities,
    control=Control(lambda f: f"sensitivities times (rho / Lambda r)^{2 * f - 2:g}", (1.001, 1.1, 2)),
    given=[bounds.bounds_along_capped, *(getattr(sensitivity, f"sensitivity_{i}_explicit") for i in range(1, 6))],
    tightness=withheld,
)
def five_fall(*, factor=1):
    """The five along 25 margins, the largest first; that of F_2 is attained on the line."""
    attained = float(max(abs(a - b) for a, b in neighbour_losses(least_hinge, 3, 2.0)))
    yield {"m": 3, "ratio": 2.0}, attained, bounds.falling_sensitivities(m=3, ratio=2.0, beta=0.1, M=1.0)[1]
    table = []
    for x in map(float, np.geomspace(0.1, 100, 25)):
        M = sensitivity.fat_term(m=1000, fat=min((32 * x) ** 2, 34_000), beta=0.1)
        values = bounds.falling_sensitivities(m=1000, ratio=x, beta=0.1, M=M)
        table.append((x, [value / x ** (2 * factor - 2) for value in values]))
    for (x, row), (_, smaller_margin) in pairwise(table):
        yield from (({"m": 1000, "ratio": x}, a, b) for a, b in zip(row, smaller_margin, strict=True))


if __name__ == "__main__":
    run_script(__file__)
