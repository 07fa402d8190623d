"""The decidable part of abgmu22's abstract: comparisons of its rates, upper bounds with constants, constructions.

An O without a constant is not a number. The checks decide the comparisons that the abstract makes, explicit bounds that
have its shape, and lower bounds by two distributions on the line, whose optimal private test is known exactly.
"""

from itertools import product
from math import exp, expm1, log, log1p, sqrt

import numpy as np
from scipy.stats import binom

from lemmata.bounds.abgmu22 import baselines, rates as bounds, rates_proof as proof
from lemmata.bounds.theorem import require
from lemmata.experiments.checks import (
    Control,
    Link,
    Step,
    exact_claim,
    grid,
    identity_claim,
    inconclusive,
    inequality_claim,
    is_growing,
    order_claim,
    refuted,
    run_script,
    up_to_one,
    witness,
)

ROUNDING = 1e-9
ALGEBRA = [Step("algebra")]
CROSSINGS = grid(privacy=[6.4, 64.0, 1e6])
SIXTEENTH = 1 / 16

# As printed -----------------------------------------------------------------------------------------------------------


@order_claim(
    bounds.smooth_upper,
    family="d = 1, x = 1, labels of mean ±B: ‖w*‖ = B = 1/(10 T), ε = T⁻⁵, n = T⁶, two free logarithms of n, T → ∞",
    severity="statement",
    corner=require("‖w*‖ ≥ 1 and ε ≤ 1", lambda norm, epsilon: norm >= 1 and epsilon <= 1),
    corrected_by=proof.unknown_norm_excess,
    given=[bounds.both_errors],
    python="""from math import exp, expm1, log, log1p
from lemmata.bounds.abgmu22.rates import smooth_upper
# x = 1, y = +-1 of mean B or -B, l = (w - y)^2/2: |w*| = B, and the wrong sign costs B^2/2. Two such samples differ in
# Bin(n, B) records, so the errors of an eps-DP learner on both add up to (1 - B (1 - e^-eps))^n at least.
ratios = []
for T in (1e2, 1e4, 1e6):
    n, epsilon, B = T**6, T**-5, 0.1 / T
    least = B**2 / 4 * exp(n * log1p(B * expm1(-epsilon)))
    ratios.append(least / smooth_upper(n=n, epsilon=epsilon, d=1, norm=B) / log(n) ** 2)
assert ratios[2] > 20 * ratios[1] > 400 * ratios[0]""",
    note=(
        "the abstract has ‖w*‖² where the theorems have max{‖w*‖, 1}². When the minimiser is short, "
        "privacy costs more than the printed rate. For ‖w*‖ ≥ 1 the two agree. The logarithms are those of n (part "
        "`unknown`, for a norm that the learner does not know) and √log(1/δ), since μ-GDP with μ of the order "
        "ε/√log(1/δ) is (ε, δ)-DP for ε ≤ 1"
    ),
)
def short_minimisers_are_not_cheap():
    """Half of what s1 leaves of two samples that differ in Bin(n, B) records, delta = 0, times B^2/2."""
    for T in (1e2, 1e4, 1e6):
        n, epsilon, B = T**6, T**-5, 0.1 / T
        errors = exp(n * log1p(B * expm1(-epsilon)))
        point = {"n": n, "epsilon": epsilon, "d": 1, "norm": B}
        yield point, errors / 2 * B**2 / 2, bounds.smooth_upper(**point) * log(n) ** 2


ZERO = """
from lemmata.bounds.abgmu22.rates import {name}
# whoever releases w = 0 has an excess of at most {most}
ratios = [{name}({sizes}) / {excess} for t in {scales}]
assert ratios[0] > 2 and ratios[1] > 5 * ratios[0] and ratios[2] > 5 * ratios[1]
"""


def releasing_zero(rate, points, excess, family, python):
    """The claimed lower bound over the excess of the learner that releases w = 0, along a family of settings."""
    ratios = [rate(**point) / excess(**point) for point in points]
    if not is_growing(ratios):
        return inconclusive("NO_CONSTANT", f"claimed / excess = {ratios} does not grow")
    shown = witness.growth(
        points[-1],
        family=family,
        points=points,
        ratios=ratios,
        claimed="that the excess is at least c g, with one c > 0 for all parameters",
        found="g is at least " + ", ".join(f"{ratio:.3g}" for ratio in ratios) + " times the excess",
        python=python,
    )
    return refuted("derivation", shown)


@exact_claim(
    bounds.lipschitz_rate,
    severity="statement",
    corner=require("nε ≥ 1 and δ ≤ 1/(8n)", lambda n, epsilon: n * epsilon >= 1),
    corrected_by=proof.lipschitz_lower_order,
    given=[proof.lipschitz_order],
    note=(
        "the lower order lacks min{1, ·}: a learner that releases w = 0 has an excess of at most ‖w*‖, and as nε → 0 "
        "the printed order exceeds every multiple of it. For nε ≥ 1 the two sides are within a factor 84 and √log(1/δ) "
        "of each other; the learner of the upper side knows ‖w*‖"
    ),
)
def no_privacy_costs_more_than_zero(*, factor=1):
    """The claimed lower bound over the excess of w = 0, which is at most |w*|, as n epsilon -> 0."""
    points = [{"n": 10**4, "epsilon": t, "rank": 1, "norm": 1.0} for t in (1e-6, 1e-8, 1e-12)]
    python = ZERO.format(
        name="lipschitz_rate",
        most="|w*| for 1-Lipschitz losses and |x| <= 1",
        sizes="n=10**4, epsilon=t, rank=1, norm=1.0",
        excess="1.0",
        scales="(1e-6, 1e-8, 1e-12)",
    )
    family = "nε → 0: the learner that releases 0 has an excess of at most ‖w*‖"
    rate, share = bounds.lipschitz_rate, 1 / factor
    return releasing_zero(lambda **point: share * rate(**point), points, lambda norm, **_: norm, family, python)


@exact_claim(
    bounds.smooth_lower,
    severity="statement",
    corner=require(
        "‖w*‖ ≥ 1, ε ≤ 1, δ ≤ 1/(12n) and an order of at most ‖𝒴‖²/4",
        lambda n, epsilon, d, norm: (
            norm >= 1
            and epsilon <= 1
            and bounds.smooth_lower.theorem.formula(n=n, epsilon=epsilon, d=d, norm=norm) <= 0.25
        ),
    ),
    corrected_by=proof.smooth_lower_corrected,
    note=(
        "the printed bound contains 1/√n, which does not tend to 0 with ‖w*‖. But the excess risk of w = 0 does, and "
        "so does the printed upper bound. The paper compares the two bounds for ‖w*‖ ≥ 1 only. The order also lacks "
        "min{1, ·}: at n = 10⁴, ε = 1, d = 1 and ‖w*‖ = 10¹⁰ it is 10⁶, while the excess of w = 0 is at most ‖𝒴‖² = 1"
    ),
)
def short_minimisers(*, factor=1):
    """The claimed lower bound over the excess of w = 0, which is at most |w*|^2/2."""
    points = [{"n": 10**4, "epsilon": 1.0, "d": 10, "norm": t} for t in (1e-2, 1e-4, 1e-6)]
    python = ZERO.format(
        name="smooth_lower",
        most="|w*|^2/2 for 1-smooth losses and |x| <= 1, and at most |Y|^2 = 1",
        sizes="n=10**4, epsilon=1.0, d=10, norm=t",
        excess="(t**2 / 2)",
        scales="(1e-2, 1e-4, 1e-6)",
    )
    python += "assert smooth_lower(n=10**4, epsilon=1.0, d=1, norm=1e10) > 10**5\n"
    family = "‖w*‖ → 0: the learner that releases 0 has an excess of at most ‖w*‖²/2"
    rate, share = bounds.smooth_lower, 1 / factor
    return releasing_zero(lambda **point: share * rate(**point), points, lambda norm, **_: norm**2 / 2, family, python)


@inequality_claim(
    bounds.tightness,
    rounding=ROUNDING,
    steps=ALGEBRA,
    note="also lower ≤ upper for ‖w*‖ ≥ 1, with equality at ‖w*‖ = 1",
)
def upper_against_lower():
    """The two printed rates on a grid."""
    for n, epsilon, d, norm in product((4, 64, 10**6, 10**12), (1e-3, 1.0, 30.0), (1, 64, 10**6), (1.0, 2.0, 30.0)):
        sizes = {"n": n, "epsilon": epsilon, "d": d, "norm": norm}
        yield sizes, bounds.smooth_upper(**sizes), bounds.tightness(**sizes)
        yield sizes | {"of": "lower"}, bounds.smooth_lower(**sizes), bounds.smooth_upper(**sizes)


def at_crossover(rate, at, setting, name):
    """At the crossover the branches are equal: its dimension has all of the one, a sixteenth of it a quarter."""
    sizes = {"n": setting["privacy"], "epsilon": 1, "norm": setting.get("norm", 2)}
    none, part, here, above = (rate.theorem.formula(**sizes, **{name: share * at}) for share in (0, SIXTEENTH, 1, 4))
    yield setting, here - none, above - none
    yield setting | {"of": "a sixteenth"}, 4 * (part - none), here - none


@identity_claim(bounds.smooth_crossover, quick=CROSSINGS, rounding=1e-6, steps=ALGEBRA)
def smooth_branches_meet(*, privacy):
    """The upper bound for smooth losses."""
    return at_crossover(bounds.smooth_upper, bounds.smooth_crossover(privacy=privacy), {"privacy": privacy}, "d")


@identity_claim(bounds.lower_crossover, quick=grid(norm=[2.0], privacy=[6.4, 1e6]), rounding=1e-6, steps=ALGEBRA)
def lower_branches_meet(*, privacy, norm):
    """The lower bound for smooth losses."""
    setting = {"privacy": privacy, "norm": norm}
    return at_crossover(bounds.smooth_lower, bounds.lower_crossover(**setting), setting, "d")


@identity_claim(bounds.lipschitz_crossover, quick=CROSSINGS, rounding=1e-6, steps=ALGEBRA)
def lipschitz_branches_meet(*, privacy):
    """The rate for Lipschitz losses."""
    return at_crossover(
        bounds.lipschitz_rate, bounds.lipschitz_crossover(privacy=privacy), {"privacy": privacy}, "rank"
    )


# Upper bounds ---------------------------------------------------------------------------------------------------------

BUDGETS = grid(n=[3.0, 100.0, 1e6, 1e15], mu=[1e-9, 0.03, 1.0, 1e12])


def norms(n):
    """|w*| from 1 to beyond the range of all bounds."""
    return (1.0, 3.0, sqrt(n / 3), sqrt(n), 10 * sqrt(n))


@inequality_claim(
    bounds.descent_excess,
    given=[bounds.descended_risk, bounds.descended_loss, baselines.ball_noise, baselines.slope_bound],
    rounding=ROUNDING,
    note="for T ≥ n steps. The last cases are the two halves of the bound, each at its own τ",
)
def descent_chain():
    """The chain at its tau where v <= 1/4; beyond, the excess of w = 0; and the statement from its two halves."""
    for point, d in product(BUDGETS, (1, 50)):
        for norm in norms(point["n"]):
            sizes = point | {"d": d, "norm": max(norm, 1.0)}
            claimed, tau = bounds.descent_excess(**sizes), bounds.descent_time(**sizes)
            chain = bounds.descent_at(tau=tau, **sizes) if tau <= point["n"] / 4 * (1 + 1e-12) else 1.0
            yield sizes, chain, claimed
            sampling, noise = 8 / point["n"], 6 * d * ((1 + sqrt(2)) * sizes["norm"] / (point["n"] * point["mu"])) ** 2
            halves = sum(2 * sqrt(1.5 * sizes["norm"] ** 2 * cost) for cost in (sampling, noise))
            yield sizes | {"of": "halves"}, halves, claimed
            yield Link("statement", sizes, claimed, halves)


@inequality_claim(
    bounds.perturbation_excess,
    given=[bounds.regularised_risk, baselines.output_noise, baselines.slope_bound, baselines.noise_cost],
    rounding=ROUNDING,
)
def perturbation_chain():
    """The chain at its lambda where lambda n >= 2 and |w*| <= sqrt n; beyond, the excess of w = 0."""
    for point in BUDGETS:
        for norm in norms(point["n"]):
            sizes = point | {"norm": max(norm, 1.0)}
            ridge = bounds.perturbation_ridge(**sizes)
            inside = sizes["norm"] <= sqrt(point["n"]) and ridge * point["n"] >= 2
            chain = bounds.perturbation_at(ridge=ridge, **sizes) if inside else 1.0
            yield sizes, chain, bounds.perturbation_excess(**sizes)


@inequality_claim(
    bounds.upper_order,
    given=[bounds.descent_excess, bounds.perturbation_excess],
    rounding=ROUNDING,
    note="C = 6(1 + √2). The remaining logarithm, √(log(1/δ)), is that between ε and μ",
)
def explicit_upper_bounds_have_the_rate():
    """The smaller explicit bound against C times the printed rate, mu for epsilon."""
    for point, d, norm in product(BUDGETS, (1, 50, 10**12), (1.0, 3.0, 1e6)):
        sizes = point | {"norm": norm}
        smaller = min(bounds.descent_excess(d=d, **sizes), bounds.perturbation_excess(**sizes))
        yield sizes | {"d": d}, smaller, bounds.upper_order(d=d, **sizes)


@inequality_claim(
    bounds.lipschitz_excess,
    given=[baselines.output_sensitivity, baselines.output_noise],
    rounding=ROUNDING,
    tightness=up_to_one,
    note="the rank does not enter, because this is the dimension-free branch, ‖w*‖/√n + ‖w*‖/√(nε) up to constants",
)
def lipschitz_chain():
    """The sum at its best lambda, and nothing smaller on a grid around it: the constant is that of the sum."""
    for point, norm in product(BUDGETS, (0.01, 1.0, 30.0)):
        sizes = point | {"norm": norm}
        claimed = bounds.lipschitz_excess(**sizes)
        ridge = claimed / norm**2
        yield sizes, bounds.lipschitz_at(ridge=ridge, **sizes), claimed
        others = min(bounds.lipschitz_at(ridge=ridge * k, **sizes) for k in (0.5, 0.9, 1.1, 2.0))
        yield sizes | {"of": "other ridges"}, claimed, others


# Lower bounds ---------------------------------------------------------------------------------------------------------


def best_errors(n, epsilon, delta, p):
    """E (1 - delta)^K 2/(1 + e^(K epsilon)), K binomial: what an (epsilon, delta)-DP test of a pair errs, in all."""
    K = np.arange(n + 1)
    return float((binom.pmf(K, n, p) * (1 - delta) ** K * 2 / (1 + np.exp(np.minimum(K * epsilon, 700.0)))).sum())


def total_variation(n, alpha):
    """Of the laws of n labels that are 1 with probability 1/2 + alpha and 1/2 - alpha, exactly."""
    K = np.arange(n + 1)
    return float(np.abs(binom.pmf(K, n, 0.5 + alpha) - binom.pmf(K, n, 0.5 - alpha)).sum() / 2)


TESTS = grid(n=[2, 10, 500], epsilon=[1e-3, 0.1, 0.7, 5.0])


@inequality_claim(
    bounds.private_excess,
    given=[bounds.both_errors],
    control=Control("the bound multiplied by {}", (1.01, 2)),
    rounding=ROUNDING,
    note="equality in the chain",
)
def private_learners_on_the_line(*, factor=1):
    """Half of what s1 leaves, times the cost of the wrong sign, which is minimised over all wrong w."""
    for point, norm, share in product(TESTS, (0.3, 1.0, 5.0), (0.0, 0.1)):
        n, seen = point["n"], -expm1(-point["epsilon"])
        for p in (1 / (n * seen), 1.278 / (n * point["epsilon"]), 1.0):
            if p > 1:
                continue
            delta, y = share * seen, min(norm, sqrt(2))
            cost = min(p * ((w / norm * y - y) ** 2) / 2 for w in np.linspace(-norm, 0, 21))  # the least loss is 0
            left = bounds.both_errors(delta=delta, p=p, **point) / 2 * cost
            lower = bounds.private_excess(delta=delta, norm=norm, p=p, **point)
            yield point | {"norm": norm, "delta": delta, "p": p}, max(lower * factor, 0.0), max(left, 0.0)


def psi(s):
    """The 1-smooth loss of the construction."""
    return np.where(s <= 0.5, 1 - s, np.where(s <= 1.5, (1.5 - s) ** 2 / 2, 0.0))


@inequality_claim(
    bounds.sampled_excess,
    control=Control("the bound multiplied by {}", (1.4, 2)),
    rounding=ROUNDING,
    note="by the two exact binomial laws: for large n the excess is still 0.077/√n",
)
def samples_on_the_line(*, factor=1):
    """alpha (1 - TV)/2 with the exact total variation, alpha the cost of the wrong sign on a fine grid."""
    for n in (2, 3, 10, 100, 5000):
        alpha = 1 / (4 * sqrt(n)) if n > 2 else 1 / 6
        s = np.linspace(-3, 3, 6001)
        population = (0.5 + alpha) * psi(s) + (0.5 - alpha) * psi(-s)
        cost = population[s <= 0].min() - population.min()
        left = min(cost, alpha) * (1 - total_variation(n, alpha)) / 2
        yield {"n": n}, bounds.sampled_excess(n=n, norm=1.0) * factor, left
        place = s[population.argmin()]  # of the minimiser, in units of omega, to a thousandth
        yield Link("half of omega", {"n": n}, 0.5, place + 1e-3)
        yield Link("omega", {"n": n}, place, 1.0)


@inequality_claim(
    bounds.lipschitz_lower,
    given=[bounds.both_errors],
    control=Control("the bound multiplied by {}", (1.05, 2)),
    rounding=ROUNDING,
    note="true for every ‖w*‖ > 0",
)
def lipschitz_learners_on_the_line(*, factor=1):
    """The larger of the two errors, each with its cost."""
    for point, norm, share in product(TESTS, (0.01, 1.0, 30.0), (0.0, 0.02)):
        n, seen = point["n"], -expm1(-point["epsilon"])
        if n * seen >= 1:
            alpha, delta, p = 1 / (4 * sqrt(n)), share * seen, min(1 / (n * seen), 1.0)
            sampling = 2 * alpha * norm * (1 - total_variation(n, alpha)) / 2
            private = p * norm * bounds.both_errors(delta=delta, p=p, **point) / 2
            claimed = bounds.lipschitz_lower(delta=delta, norm=norm, **point) * factor
            yield point | {"norm": norm, "delta": delta}, claimed, max(sampling, private)


if __name__ == "__main__":
    run_script(__file__)
