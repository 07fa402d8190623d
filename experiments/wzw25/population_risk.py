"""The population risk of Algorithm 3: Lemmas 6.6 and I.2, Equation 3 and Theorem 6.7 of Wang, Zhu & Wang (2025).

The explicit bound holds by the derivation in its docstring, from Lemmas 6.3, 6.6 and F.2. The order O~ means: explicit
<= C g Lambda with a certified C, Lambda the logarithms that O~ hides. The truth beside it is a distribution on which
every halfspace has risk 1/2: x = e_1 and y a fair coin, where the minority are the outliers.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import isfinite, log, log2

import numpy as np
from flint import arb

from bounds.exact.balls import exact, lower_end
from bounds.exact.certify import HOLDS, at, certify, over
from bounds.wzw25 import algorithms, noisy_minimum, one_margin
from bounds.wzw25 import population_risk as bounds
from bounds.wzw25 import population_risk_proof as proof
from experiments.bms22.relative_deviation import smallest_sample
from experiments.checks import identity_claim, inequality_claim, order_claim, up_to_one
from experiments.engine.claim import Control, attack_claim, exact_claim, grid, script
from experiments.engine.verdict import inconclusive, refuted
from experiments.instances import adaptive_pairs
from experiments.instances.adaptive_pairs import LINKS, LONG, PRIVATE, SEEN
from experiments.instances.deviation_laws import (
    curve,
    decide_uniform,
    level_of,
    one_hypothesis,
    tail_witness,
    two_atoms,
    with_less,
)
from mechanisms.sign_projection import sign_projection

# Lemma 6.6 ------------------------------------------------------------------------------------------------------------


PRINTED = """
from bounds.wzw25 import population_risk
from bounds.exact.binomials import at_most
from bounds.exact.balls import exact
n, k, beta = {n}, {k}, exact({beta!r})
level = population_risk.population_printed(n=n, k=k, beta=beta, empirical=exact({errors}) / n)
# One w whose risk is just above the level; it makes at most {errors} errors with this probability.
chance = exact(1) if level < 0 else at_most(n, level, {errors})
assert chance > beta, (chance, beta)
"""


def enough(n, k):
    """For beta >= 4 (2n)^(-k/5) the printed bound is at least 2 R_S + 4 Q, which holds."""
    return 4 * (2 * n) ** (-k / 5)


@exact_claim(
    bounds.population_printed,
    quick=({"n": 100, "k": 1, "beta": 1e-6}, {"n": 10, "k": 1, "beta": 1e-6}),
    full=({"n": 1000, "k": 1, "beta": 1e-12}, {"n": 1000, "k": 3, "beta": 1e-40}, {"n": 10**5, "k": 12, "beta": 0.9}),
    severity="statement",
    cost=0.15,
    note="log(β/4) for log(4/β): smaller β asks for more and the printed bound gives less, below β = "
    "4 (2n)^(-5k) it is negative. It fails for one fixed w already, near β = 2 (2n)^(-5k/2) and below. It holds for "
    "β ≥ 4 (2n)^(-k/5), by R ≤ 2 R_S + 4 Q; at the paper's β = 1/n^2 that is k ≥ 10",
)
def printed_bound_fails(*, n, k, beta, factor=1):
    """The exact failure probability of one w at the worst risk."""
    setting = {"n": n, "k": k, "beta": beta}
    level = level_of(bounds.population_printed, **setting)
    truth, errors = one_hypothesis(n, level)
    if truth > exact(beta):
        value = float(level(exact(Fraction(errors, n))))
        risk = f"risk just above {value:.4g}" if value >= 0 else f"risk 0, and the bound is {value:.4g}"
        how = f"one fixed w of {risk}, with at most {errors} errors"
        python = PRINTED.format(**setting, errors=errors).strip()
        ratio = lower_end(truth / exact(beta))
        more = {"tightness": (ratio, ratio), "series": curve(n, level, beta) if 1 < n <= 400 else {}}
        return refuted("certificate", tail_witness(setting, beta, truth, how, python), **more)
    if beta >= enough(n, k):
        return decide_uniform(setting, n, k, beta, level, scope=f"domain: beta >= {enough(n, k):.3g}")
    return inconclusive("ONE_SIDED_ORACLE", "one w does not fail often enough here, and our derivation does not reach")


@exact_claim(
    bounds.population_corrected,
    quick=({"n": 100, "k": 1, "beta": 1e-6}, {"n": 10_000, "k": 2, "beta": 1e-300}),
    full=(
        *grid(n=[100, 1000], k=[1, 3], beta=[0.999, 1e-3, 1e-8]),
        *grid(n=[100_000], k=[1, 24], beta=[1e-10, 1e-300]),
    ),
    control=Control("Q divided by {}", (8,), {"n": 100_000, "k": 1, "beta": 1e-300}),
    given=("wzw25.lemI.2/printed", "wzw25.lem6.6.s1/printed"),
    nonvacuous_from=lambda: smallest_sample(constant=5),
    cost=0.35,
    note="for all w at once; k = VC(H_k)",
)
def corrected_bound_holds(*, n, k, beta, factor=1):
    """Lemma I.2 with AM-GM, and the exact failure probabilities of one hypothesis and of all thresholds."""
    setting = {"n": n, "k": k, "beta": beta}
    return decide_uniform(setting, n, k, beta, with_less(level_of(bounds.population_corrected, **setting), factor))


SQUARES = list(itertools.product([Fraction(i, 8) for i in range(17)], repeat=2))  # sqrt(R_S) and sqrt(Q)


@inequality_claim(bounds.twice_geometric_mean, caught=(1.001,), note="by squaring; a rational lattice agrees")
def means_are_ordered():
    """2 a b <= a^2 + b^2."""
    for a, b in SQUARES:
        yield {"R_S": str(a * a), "Q": str(b * b)}, 2 * a * b, bounds.twice_geometric_mean(root_r=a, root_Q=b)


@inequality_claim(
    bounds.doubled,
    caught=(1.01,),
    note="so the last line of the proof is right, and the statement, with log(β/4), is not what it proves. By "
    "squaring; a rational lattice agrees",
)
def last_line_follows():
    """a^2 + 2 a b + 4 b^2 <= 2 a^2 + 5 b^2."""
    for a, b in SQUARES:
        left = a * a + 2 * a * b + 4 * b * b
        yield {"R_S": str(a * a), "Q": str(b * b)}, left, bounds.doubled(root_r=a, root_Q=b)


# Equation 3: the score ------------------------------------------------------------------------------------------------

RECORDS = [(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 1.0)]


def score_changes(n, beta, k, averaged):
    """The set of |U(w; S) - U(w; S')| over all neighbours of n records in RECORDS and w in {-1, 0, 1}, as fractions.

    A classifier in R^k that looks at one coordinate; the penalty is part of the score.
    """
    changes = set()
    for S in itertools.product(RECORDS, repeat=n):
        for other, w in itertools.product(RECORDS, (-1.0, 0.0, 1.0)):
            scores = []
            for data in (S, (other, *S[1:])):
                errors = Fraction(sum(y * w * x < 0 for x, y in data))
                extra = Fraction(algorithms.penalty(len(data), k, beta))
                scores.append((errors + extra) / (n if averaged else 1))
            changes.add(abs(scores[0] - scores[1]))
    return changes


@identity_claim(
    bounds.penalised_sensitivity,
    quick=({"n": 2, "k": 3, "beta": 0.25},),
    full=grid(n=[1, 3], k=[1, 50], beta=[0.01, 0.9]),
    control=Control("a sensitivity {} times smaller", (1.01,)),
    evidence="enumeration",
    note="the penalty is the same for neighbours: n is public, β and k are parameters; log(β/4) is negative. The score "
    "is a sum over records",
)
def penalised_errors_change_by_one(*, n, k, beta, factor=1):
    """All neighbours of n records, all classifiers that tell them apart; a record is right or wrong, whatever n is."""
    claimed = Fraction(bounds.penalised_sensitivity(n=n, k=k, beta=beta)) / Fraction(factor)
    yield {"n": n, "k": k, "beta": beta}, max(score_changes(n, beta, k, averaged=False)), claimed


AVERAGED = """errors = lambda w, S: sum(y * w * x < 0 for x, y in S) / len(S)
from bounds.wzw25.population_risk import averaged_sensitivity
pairs = [([(1, y)] + [(1, 1)] * {rest}, [(1, -y)] + [(1, 1)] * {rest}) for y in (-1, 1)]
assert max(abs(errors(1, S) - errors(1, T)) for S, T in pairs) < averaged_sensitivity(n={n})"""


@identity_claim(
    bounds.averaged_sensitivity,
    quick=({"n": 2},),
    full=({"n": 3},),
    severity="constant",
    evidence="enumeration",
    scope="settings",
    python=lambda setting, *_: AVERAGED.format(**setting, rest=setting["n"] - 1),
    note="as an upper bound it is true, so privacy stands, with n times the noise needed; Eq. 18 counts noise / n",
)
def averaged_errors_do_not_change_by_one(*, n):
    """The same enumeration, averaged: the largest change is 1/n."""
    yield {"n": n}, max(score_changes(n, 0.25, 3, averaged=True)), bounds.averaged_sensitivity(n=n)


@identity_claim(
    bounds.averaged_sensitivity_corrected,
    quick=({"n": 2},),
    full=({"n": 1}, {"n": 3}),
    control=Control("a sensitivity {} times smaller", (1.01,)),
    evidence="enumeration",
    rounding=1e-15,
    note="a mean over records",
)
def averaged_errors_change_by_one_nth(*, n, factor=1):
    """The same enumeration, averaged; a record is right or wrong, whatever n is."""
    yield {"n": n}, max(score_changes(n, 0.25, 3, averaged=True)), bounds.averaged_sensitivity_corrected(n=n) / factor


# Theorem 6.7: privacy -------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.penalised_privacy,
    given=(*LINKS, bounds.penalised_sensitivity),
    note="Eq. 6.6 is meant to be Equation 3",
    **PRIVATE,
)
def penalised_score_is_private(*, factor=1, **setting):
    """Theorem 6.7: the score is Equation 3."""
    return adaptive_pairs.decide_privacy("penalised", factor, **setting)


@attack_claim(
    bounds.penalised_privacy,
    law="adaptive_margin_penalised",
    quick=({"n": 2, "d": 2, "mu": 1.0},),
    cost=2e-6,
    **SEEN | LONG | {"full": (), "control": Control("all noise {} times too small", (1.2, 1.5))},
    note="white box with projections of 1 and 2 rows for 2 columns, so the penalties differ",
)
def penalised_white_box(*, n, d, mu, factor=1):
    """Everything is seen; scores carry penalties, one run is projected."""
    projections = [None, sign_projection(1, d, rng=np.random.default_rng(0))]
    released = {"output": "last", "projections": projections, "white_box": True}
    law = adaptive_pairs.printed(mu, score="penalised", **released)
    return adaptive_pairs.adaptive_pair(law, *adaptive_pairs.records(n, d), factor)


# Theorem 6.7: the risk ------------------------------------------------------------------------------------------------

CONSTANT = 2e5
SAMPLES = [
    {"n": n, "gamma": gamma, "outliers": outliers, "epsilon": share * 8 * log(1 / delta), "delta": delta}
    for n in (3, 4, 100, 10**5, 2**30, 10**15)
    for gamma in (1.0, 0.3, 1.0001 / n)
    for outliers in (0, n // 2)
    for share in (1e-6, 0.01, 0.999)
    for delta in (1e-100, 1e-5, 0.9)
]


def excess_of_order(u):
    """An upper bound of explicit / (g Lambda) without outliers, for log n = u >= log 3 and all gamma, epsilon, delta.

    c >= |Gamma|, b0 >= log(|Gamma|/beta), A >= log((3n+1)|Gamma|/beta); k <= 25 A/g^2 with g > gamma/2 the grid's
    margin; 1/mu = 4 sqrt(|Gamma| log(1/delta)) / epsilon; T <= 1 + n^2 mu^2 and mu^2 <= 4 log(1/delta)/|Gamma|, so
    4 + 3 log T <= 4.6 + 6u + 3 log(1 + log(1/delta)). The three summands are the descent's, the choice's and the
    penalty's; each decreases in u.
    """
    u = exact(u)
    c = u / arb(2).log() + 2
    b0 = 2 * u + c.log()
    A = 3 * u + (arb(10) / 3).log() + c.log()
    descent = 384 * (26 * A * b0 * c / u**3).sqrt() * (6 + arb("4.6") / u)
    choice = 16 * (b0 * c / u**5).sqrt()
    penalty = 5 * (100 * A * (u + arb(2).log()) + arb(4).log() + b0) / u**2
    return descent + choice + penalty


def order(explicit, rate):
    """Cases (sample, explicit, rate Lambda), and what a certificate leaves: order_claim compares, C = CONSTANT."""
    largest = 0.0
    for sample in SAMPLES:
        g = rate(**sample) * bounds.free_logs(sample["n"], sample["delta"])
        value = explicit(**sample)
        largest = max(largest, value / g)
        yield sample, value, g
    box = {"u": (log(3) * (1 - 1e-12), 700.0)}
    if certify(over(excess_of_order), at(excess_of_order), box, CONSTANT).outcome != HOLDS:
        return inconclusive("NO_CONSTANT", "the certificate did not close")
    axis = [1.1 + 0.5 * i for i in range(40)]
    note = (
        f"explicit ≤ C g Λ with C = {CONSTANT:g}, certified, Λ = log(n)² + log(n)^(3/2) √log(1/δ) "
        f"(log n + log(1 + log(1/δ))); the largest ratio among the samples is {largest:.3g}"
    )
    series = {"log n": axis, "explicit / (g Lambda), at most": [float(excess_of_order(u)) for u in axis]}
    return {"tightness": None, "note": note, "series": series}


def finite(**sample):
    """The explicit bound of Theorem 6.7 at a sample; below the grid it is infinite, and the risk at most 1 <= g."""
    value = bounds.uncapped(**sample, radius=1.0)
    return value if isfinite(value) else 1.0


def coin(setting, explicit):
    """x = e_1, y a fair coin: R_D = 1/2 for every w with <w, e_1> != 0, gamma = 1 and at most n/2 outliers."""
    yield setting, 0.5, explicit(gamma=1.0, outliers=setting["n"] // 2)
    risks = [bounds.population_risk(**setting | {"n": 10**j}, gamma=0.5, outliers=0) for j in range(5, 17)]
    series = {"log10 n": [float(j) for j in range(5, 17)], "no outliers, margin 1/2": risks}
    return {"note": "tightness: fair coins at e₁, the minority outliers", "series": series}


def first_useful(limit=2**60):
    """The smallest power of two n at which the explicit bound is below 1, margin 1/2, epsilon 1, delta 1e-5."""
    point = {"gamma": 0.5, "outliers": 0, "epsilon": 1.0, "delta": 1e-5}
    return next(2**j for j in range(2, int(log2(limit))) if bounds.population_risk(n=2**j, **point) < 1)


COINS = dict(caught=(10, 100), tightness=up_to_one)


@inequality_claim(
    bounds.population_risk,
    quick=grid(n=[10**10], epsilon=[1.0], delta=[1e-5]),
    full=grid(n=[3, 10**6, 10**13], epsilon=[0.01, 8.0], delta=[1e-12, 0.1]),
    given=[one_margin.last_loss, proof.projected_deviation, noisy_minimum.choice_threshold_sharp],
    nonvacuous_from=first_useful,
    note="all links hold for every distribution; the descent's printed step size",
    **COINS,
)
def explicit_population_risk_holds(**setting):
    """The derivation; and the bound is at least the risk where that is known."""
    return (yield from coin(setting, lambda **more: bounds.uncapped(**setting, **more, radius=1.0)))


ORDER = dict(constant=CONSTANT, caught=(1000,), cost=0.3)


@order_claim(bounds.population_rate, given=[bounds.population_risk], **ORDER)
def population_rate_holds():
    """explicit <= C g Lambda for all n >= 3, gamma, epsilon, delta, outliers."""
    return (yield from order(finite, bounds.population_rate))


# Lemma I.2 ------------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.relative_deviation_cited,
    quick=({"n": 60, "V": 2, "beta": 0.5}, {"n": 150, "V": 2, "beta": 1e-3}),
    full=(*grid(n=[20, 60, 200], V=[2], beta=[0.9, 0.1, 1e-3]), *grid(n=[6, 40], V=[0, 1], beta=[0.99])),
    control=Control("Q divided by {}", (8, 16), {"n": 150, "V": 2, "beta": 1e-8}),
    given=("bms22.lemA.1/printed",),
    nonvacuous_from=lambda: smallest_sample(2),
    note="V = 2: two atoms and halfspaces of the plane, all four sets of errors at once, at every critical mass",
)
def citation_holds(*, n, V, beta, factor=1):
    """Lemma A.1, and the exact failure probability of all four patterns on two atoms."""
    setting = {"n": n, "V": V, "beta": beta}
    level = with_less(level_of(bounds.relative_deviation_cited, **setting), factor)
    verdict = decide_uniform(setting, n, V, beta, level)
    if V < 2 or verdict.outcome != "HOLDS":
        return verdict
    truth, mass = two_atoms(n, level)
    if truth > exact(beta):
        return refuted("enumeration", tail_witness(setting, beta, truth, f"two atoms, one of mass {mass:.6g}", ""))
    return verdict


if __name__ == "__main__":
    script(__spec__.name)
