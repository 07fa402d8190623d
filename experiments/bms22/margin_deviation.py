"""Relative deviation of the margin loss: Lemma A.2 of bms22, over all fat-shattering dimensions d."""

import numpy as np

from lemmata.bounds.bms22 import margin_deviation as bounds
from lemmata.bounds.bms22 import relative_deviation as proof
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.bounds.theorem import require
from lemmata.experiments.checks import (
    Control,
    exact_claim,
    grid,
    inconclusive,
    inequality_claim,
    refuted,
    run_script,
    tail_claim,
)
from lemmata.experiments.instances.classes import hypothesis_classes
from lemmata.experiments.instances.laws.deviation_laws import (
    decide_uniform,
    improbable,
    level_of,
    tail_witness,
    two_atoms,
    with_less,
)

BEYOND = """
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.bms22.margin_deviation import margin_deviation
m, d, beta = {m}, {d}, exact({beta!r})
# All functions to [-1, 1] on d points, rho = 1/2: fat_(1/32) = d. Labels +1, x uniform, h = 1 on the sample, else -1.
risk = 1 - exact(m) / d  # at least; the empirical margin loss is 0
assert risk > margin_deviation(m=exact(m), d=d, beta=beta, empirical=exact(0)), "Lemma A.2 would allow it"
"""


def memorising(*, m, d, beta):
    """Along d/m: the bound at empirical loss 0, and the risk of memorising the sample."""
    axis = [float(x) for x in np.geomspace(1, 3 * d / m, 30)]
    return {
        "d / m": axis,
        "bound at empirical loss 0": [min(3.0, float(bounds.margin_complexity(m, x * m, beta))) for x in axis],
        "risk of memorising": [max(0.0, 1 - 1 / x) for x in axis],
    }


@inequality_claim(
    bounds.margin_deviation,
    quick=({"m": 10, "d": 1000, "beta": 0.1},),
    full=({"m": 1, "d": 93, "beta": 0.5}, {"m": 1000, "d": 10**5, "beta": 1e-12}),
    severity="statement",
    corner=require("d ≤ m", lambda d, m: d <= m),
    undecided="the usual argument proves 4Q/m for the printed M/m (explicit). From d = m to 92.4 m both are vacuous",
    python=lambda setting, *_: BEYOND.format(**setting),
    figure=memorising,
    note=(
        "beyond d = 2cem = 92.4 m the printed M is negative, because the covering bound behind it needs d "
        "≤ m. Theorem 6.1, its only use, has the same M and does not assume d ≤ m either. From d = m to "
        "92.3 m the bound is above 1. At ρ = 0 read d as the number of points of the domain, or as the "
        "pseudo-dimension. This changes nothing"
    ),
)
def large_dimensions_fail(*, m, d, beta):
    """All functions on d points: memorising the sample has risk at least 1 - m/d and empirical margin loss 0."""
    setting = {"m": m, "d": d, "beta": beta}
    yield setting, 1 - exact(m) / d, bounds.margin_complexity(exact(m), d, exact(beta))
    return inconclusive("ONE_SIDED_ORACLE", "memorising does not break it here")


@exact_claim(
    bounds.margin_deviation_up_to_m,
    quick=({"m": 1000, "d": 1, "beta": 0.1}, {"m": 100_000, "d": 1, "beta": 1e-300}),
    full=(
        {"m": 5000, "d": 2, "beta": 1e-300},
        *grid(m=[400, 10_000], d=[1], beta=[0.999, 1e-8]),
        {"m": 1500, "d": 2, "beta": 1e-8},
        {"m": 100_000, "d": 30, "beta": 1e-300},
        {"m": 3, "d": 3, "beta": 0.5},
    ),
    control=Control("M divided by {}", (1.9, 2), {"m": 100_000, "d": 1, "beta": 1e-300}),
    nonvacuous_from=lambda: next(m for m in range(1, 10**4) if bounds.margin_complexity(m, 1, 0.1) < 1),
    cost=0.35,
    note=(
        "classifiers to {-1, 1}, whose margin loss is the zero-one loss: one of them at the worst risk, "
        "thresholds on the line where m ≤ 120, and all four on two atoms (d = 2). Other classes of small "
        "d are not covered. The usual argument proves the explicit reading"
    ),
)
def up_to_m_holds(*, m, d, beta, factor=1):
    """The exact failure probabilities of concrete classes of dimension at most d."""
    setting = {"m": m, "d": d, "beta": beta}
    level = with_less(level_of(bounds.margin_deviation_up_to_m, **setting), factor)
    verdict = decide_uniform(setting, m, 1, beta, level, scope="settings", evidence="enumeration")
    if verdict.outcome == HOLDS and d >= 2 and m <= 5000:
        chance, mass = two_atoms(m, level)
        if chance > exact(beta):
            return refuted("enumeration", tail_witness(setting, beta, chance, f"two atoms, one of mass {mass:.6g}", ""))
    return verdict


@inequality_claim(
    bounds.margin_deviation_derived,
    quick=({"m": 2000, "d": 1, "beta": 0.1}, {"m": 10_000, "d": 2, "beta": 1e-300}),
    full=grid(m=[3000, 100_000], d=[1, 10], beta=[0.999, 1e-8]),
    control=Control("Q divided by {}", (1.01, 2)),
    given=(proof.ghost_reaches, proof.deviation_of_risk, proof.swapping_tail, proof.solved),
    cites=(bounds.BARTLETT,),
    scope="everywhere: d <= m",
    nonvacuous_from=lambda: next(
        m for m in range(1, 10**4) if bounds.margin_deviation_derived(m=m, d=1, beta=0.1, empirical=0) < 1
    ),
    cost=0.3,
)
def derived_holds(*, m, d, beta, factor=1):
    """The derivation at the setting and at large samples; the exact failure probabilities of one hypothesis."""
    setting = {"m": m, "d": d, "beta": beta}
    for point in (*grid(m=[10**18], d=[1, 2, 1000], beta=[0.5, 1e-300]), setting):
        level = with_less(level_of(bounds.margin_deviation_derived, **point), factor)
        yield from improbable(point, bounds.log_cover(point["m"], point["d"]).exp(), level)
    return decide_uniform(setting, m, 0, beta, level, scope="everywhere: d <= m")


@inequality_claim(
    bounds.margin_deviation_of_one,
    quick=({"m": 100, "beta": 0.1}, {"m": 2000, "beta": 1e-300}),
    full=grid(m=[1, 5, 10_000], beta=[0.999, 0.5, 1e-8]),
    control=Control("M divided by {}", (1.01, 1.5)),
    rounding=1e-30,
    cost=0.25,
    note=(
        "Chernoff's bound gives β/e, so for one hypothesis the 1 in M = 1 + log(1/β) is to spare. The "
        "constants of M/m and of log(1/β) cannot be smaller"
    ),
)
def one_hypothesis_holds(*, m, beta, factor=1):
    """Okamoto's exp(-m (sqrt p - sqrt q)^2) at the level p; the binomial tail at every count and the worst risk."""
    setting = {"m": m, "beta": beta}
    level = with_less(level_of(bounds.margin_deviation_of_one, **setting), factor)
    for share in (0, 1e-6, 0.1, 0.5, 0.99):
        root = level(exact(share)).sqrt() - exact(share).sqrt()
        yield setting | {"R_S": share}, (-m * root**2).exp(), exact(beta) / exact(1).exp()
    return decide_uniform(setting, m, 0, beta, level)


@tail_claim(
    bounds.margin_deviation_of_halfspaces,
    quick=({"m": 800, "noise": 0.05, "level": 0.2, "beta": 0.1},),
    full=grid(m=[1500], noise=[0.0, 0.2], level=[0.05, 0.5], beta=[0.1]),
    control=Control("M divided by {}", (3000, 6000)),
    chunk=lambda *, beta, **setting: int(10 / beta),
    cap=15,
    cost=1e-4,
    note=(
        "the check detects no factor below 3,000: M contains 2 log₂(578m) log₂(46m), which is 600 at m = "
        "800, while the deviations of this class are those of a few arcs. Moreover the empirical loss at "
        "the margin ρ is far above the risk"
    ),
    nonvacuous_from=lambda: next(m for m in range(2, 10**4) if bounds.margin_complexity(m, 2, 0.1) < 1),
)
def halfspaces_deviate(rng, size, *, m, noise, level, beta, factor=1):
    """Fresh samples on the unit circle; `level` = rho / Lambda; the supremum is attained at ||w|| = Lambda."""
    risk, empirical = hypothesis_classes.Halfplanes(spread=0.5, noise=noise, level=level).cells(rng, size, m)
    formula = bounds.margin_deviation_of_halfspaces.theorem.formula
    return (risk > formula(m=m, beta=beta, empirical=empirical * factor) / factor).any(axis=1)


if __name__ == "__main__":
    run_script(__file__)
