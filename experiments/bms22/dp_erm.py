"""DP-ERM by boosting, Lemma 3.1 of Bassily, Mohri & Suresh (2022): privacy end to end, utility, gradients.

How many gradients DP-ERM computes: Lemma 3.1 of Bassily, Mohri & Suresh (2022).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, exp, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.stats import binom, norm

from bounds.bms22 import dp_erm as bounds
from bounds.bms22.phased_sgd import phase_lengths, rounds_for
from bounds.exact.balls import Phi, enclosure, exact, lower_end, upper_end
from experiments.bms22.dp_erm_proof import (
    grows,
    line_excess,
    noisy_line,
    selection_ratio,
    small_balls,
    substitution_constant,
    unbounded,
    witness,
)
from experiments.engine.claim import Control, exact_claim, grid, tail_claim
from experiments.engine.verdict import holds, inconclusive, refuted
from mechanisms import dp_erm
from mechanisms.privacy import ApproxDP

ROUNDING = 1e-9


# Privacy --------------------------------------------------------------------------------------------------------------


def two_records(setting, calibration, factor=1):
    """(law, law on the flipped dataset): records (radius, +-1) and (0, 1) in R."""
    known = {name: setting[name] for name in ("rho", "radius", "norm_bound", "beta")}
    known["privacy"] = ApproxDP(setting["epsilon"], setting["delta"])
    X = np.array([[setting["radius"]], [0.0]])
    pair = (dp_erm.law(X, np.array([y, 1.0]), calibration=calibration, **known) for y in (1.0, -1.0))
    return tuple(replace(law, sensitivity=law.sensitivity / factor) for law in pair)


def end_to_end(law, record):
    """Balls (low, high): P(release = norm_bound) >= low on the first dataset and <= high on the flipped one.

    `record`: |x| of the record that is flipped, after whatever came before the training.
    """
    if phase_lengths(2) != [1]:
        raise ValueError("m = 2 has phases that read data before they average")
    rho, bound, x = exact(law.rho), exact(law.norm_bound), exact(record)
    sigma = 2 * exact(law.radius) / rho * exact(law.eta) / 4 * exact(law.multiplier)
    a = bound * x / rho
    gap = (1 + a - max(1 - a, exact(0))) / 2  # of the two scores, m = 2
    odds = (-exact(law.selection.epsilon) / (2 * exact(law.sensitivity)) * gap).exp()
    return bounds.sides(law.rounds, Phi(-bound / sigma), odds)


def broken_privacy(setting, law, record, code):
    """The finding if the two datasets break (epsilon, delta)-DP, else None; and what was reached."""
    low, high = end_to_end(law, record)
    allowed = exact(setting["epsilon"]).exp() * high + exact(setting["delta"])
    if not low > allowed:
        return None, upper_end(low / allowed)
    told = witness(
        setting,
        f"P(O | a) <= e^epsilon P(O | b) + delta <= {upper_end(allowed):.4g}",
        f"P(O | a) >= {lower_end(low):.4g}, {lower_end((low / high).log()):.3g} > epsilon in log-ratio",
        code,
        a={"X": [[record], [0.0]], "y": [1, 1]},
        b={"X": [[record], [0.0]], "y": [-1, 1]},
        event="release = norm_bound (the other output: -norm_bound)",
        p_a=lower_end(low),
        p_b=upper_end(high),
        log_ratio=lower_end((low / high).log()),
        lhs=enclosure(low),
        rhs=enclosure(allowed),
    )
    return told, lower_end(low / allowed)


SMALL_RHO = {"m": 2, "epsilon": 0.5, "delta": 0.01, "beta": 0.01, "radius": 1.0, "norm_bound": 1.0, "rho": 0.01}
TWO_RECORDS = "the only phase at m = 2 averages its start, so the candidates do not see the data and all is exact"


@exact_claim(
    bounds.printed_privacy,
    quick=(SMALL_RHO,),
    full=(SMALL_RHO | {"rho": 0.05}, SMALL_RHO | {"epsilon": 0.1, "rho": 1e-3}),
    severity="privacy",
    cost=0.1,
    note=(
        "step 8 names no sensitivity, and the proof's Lambda r/m lacks 1/rho (s3). Read with any valid sensitivity the "
        "lemma is the corrected row, which holds; with the printed one the selection is (epsilon/2)-DP iff "
        "min(1/(Lambda r) + 1/rho, 2/rho) <= 1 (up to the few candidates)"
    ),
)
def selection_gives_it_away(**setting):
    """The whole algorithm on two records that differ in one label, in balls."""
    law, _ = two_records(setting, "printed")
    epsilon, delta = setting["epsilon"], setting["delta"]
    known = {name: value for name, value in setting.items() if name not in ("m", "epsilon", "delta")}
    code = [
        "import numpy as np",
        "from scipy.special import ndtr",
        "from bounds.bms22.dp_erm import sides",
        "from mechanisms.dp_erm import law",
        "from mechanisms.privacy import ApproxDP",
        f"epsilon, delta, known = {epsilon}, {delta}, {known!r}",
        "known = dict(known, privacy=ApproxDP(epsilon, delta), calibration='printed')",
        "released = law(np.array([[1.0], [0.0]]), np.array([1.0, 1.0]), **known)",
        "sigma = 2 * released.radius / released.rho * released.eta / 4 * released.multiplier",
        "p, q = released.select(np.array([[1.0], [-1.0]])).log_probabilities()",
        "low, high = sides(released.rounds, ndtr(-1.0 / sigma), np.exp(q - p))",
        "assert low > np.exp(epsilon) * high + delta  # the label of record 1 flipped",
    ]
    told, reached = broken_privacy(setting, law, setting["radius"], code)
    if told is None:
        return inconclusive("BUDGET", f"the pair reaches {reached:.3f} of what is allowed")
    return refuted("certificate", told, tightness=(reached, reached), note=TWO_RECORDS)


CHAIN = (
    "bms22.lem3.1.s1/printed",
    "bms22.lem3.1.s2/printed/parameters",
    "bms22.lem3.1.s2/printed/oracle",
    "bms22.lem3.1.s2/corrected/sum",
    "bms22.lem3.1.s2/printed/linear",
    "bms22.lem3.1.s2/printed/half",
    "bms22.lem3.1.s3/corrected",
    "bms22.thm3.1.em-privacy/printed",
)


@exact_claim(
    bounds.corrected_privacy,
    quick=(SMALL_RHO,),
    full=(SMALL_RHO | {"rho": 1.0}, SMALL_RHO | {"epsilon": 4.0, "rho": 5.0}, SMALL_RHO | {"m": 50, "delta": 1e-3}),
    control=Control("a score sensitivity {} times too small", (4, 60)),
    given=CHAIN,
    cost=0.1,
)
def budgets_add_up(*, factor=1, **setting):
    """The chain's budgets in fractions, the two records end to end in balls, the selection over all its outputs."""
    pair = two_records(setting, "corrected", factor)
    if setting["m"] == 2:
        told, reached = broken_privacy(setting, pair[0], setting["radius"], ())
        if told is not None:
            return refuted("certificate", told, tightness=(reached, reached))
    M, epsilon = rounds_for(setting["beta"]), Fraction(setting["epsilon"])
    if M * (epsilon / (2 * M)) + epsilon / 2 != epsilon or pair[0].rounds != M:
        return inconclusive("FAILED", "the budgets do not add up")
    spent = max(selection_ratio(*pair, candidates)[0] for candidates in (2, M, 1000))
    if factor == 1 and spent > setting["epsilon"] / 2 * (1 + ROUNDING):
        return inconclusive("FAILED", f"the selection spends {spent}")
    reached = 2 * spent / setting["epsilon"]
    note = f"M = {M} rounds of (epsilon/(2M), delta/M); the selection reaches {reached:.3f} of its epsilon/2"
    return holds("derivation", "everywhere: M whole, b = 2/eta", tightness=(spent / setting["epsilon"], 1.0), note=note)


def mixture_delta(m, multiplier, epsilon):
    """The hockey-stick divergence of one round whose averages move by exactly J/tau noise scales, by integration."""
    top = min(m, 40)
    chances = binom.pmf(np.arange(top + 1), m, 1 / m)
    shifts = np.arange(top + 1) / multiplier

    def excess(t):
        return max(0.0, float(chances @ norm.pdf(t - shifts)) - exp(epsilon) * float(norm.pdf(t)))

    return quad(excess, -8, 8 + shifts[-1], limit=500)[0]


@exact_claim(
    bounds.rounds_delta,
    quick=({"m": 4, "rounds": 1, "multiplier": 2.0, "epsilon": 0.5},),
    full=grid(m=[2, 1000], rounds=[1], multiplier=[1.0, 5.0], epsilon=[0.1, 1.0]),
    control=Control("noise {} times too small", (2, 4)),
    given=("wzw25.rem2.3/printed/composition", "wzw25.rem2.3/printed/gaussian"),
    cost=0.2,
)
def copies_are_mixed(*, m, rounds, multiplier, epsilon, factor=1):
    """A mixture of shifted Gaussians, which joint convexity puts below the accountant; the saving over the print."""
    bound = bounds.rounds_delta(m=m, rounds=rounds, multiplier=multiplier, epsilon=epsilon)
    found = mixture_delta(m, multiplier / factor, epsilon)
    setting = {"m": m, "rounds": rounds, "multiplier": multiplier, "epsilon": epsilon}
    if found > bound * (1 + 1e-6):
        told = witness(
            setting, bound, found, a="sum_j P(J = j) N(j, tau^2)", b="N(0, tau^2)", event="ratio > e^epsilon"
        )
        return refuted("derivation", told | {"p_a": found, "p_b": 0.0})
    axis = [10**j for j in range(2, 7)]
    saved = [
        bounds.round_multiplier(n, 1.0, 0.1 / n, 3, "printed") / bounds.round_multiplier(n, 1.0, 0.1 / n, 3, "tight")
        for n in axis
    ]
    note = (
        f"the printed noise is {min(saved):.0f} to {max(saved):.0f} times as large, epsilon = 1, delta = 1/(10m), M = 3"
    )
    series = {"m": axis, "printed noise / tight noise": saved}
    return holds("derivation", "everywhere", tightness=(found / bound, 1.0), note=note, series=series)


# Utility --------------------------------------------------------------------------------------------------------------


def scattered(m):
    """An instance near beta = 1 that no (epsilon, delta)-DP algorithm learns: epsilon = 1/m, k = 8 (1 + 3 log m).

    Records r e_j, j = 1..k in turn, with labels s in {-1, 1}^k, and a = sqrt(k): w = Lambda s/sqrt(k) has loss 0. By
    group privacy P_s(O) <= e P_0(O) + m (e - 1) delta for any s and a fixed s_0. Averaged over s, a release has at most
    a quarter of the signs wrong with probability at most e^{-k/8} under s_0 (Hoeffding), so for some s with probability
    at most e^{1 - k/8} + m (e - 1) delta; otherwise its excess is at least 1/4 floor(m/k) k/m >= 1/4 (m a multiple of
    k). beta is such that this is below 1 - beta.
    """
    k = ceil(8 * (1 + 3 * log(m)))
    m = k * ceil(m / k)
    delta = float(m) ** -4
    learnt = exp(1 - k / 8) + m * (np.e - 1) * delta
    x = 1 / (sqrt(k * m) * (-log(delta)) ** 1.5)
    point = {"m": m, "k": k, "epsilon": 1 / m, "delta": delta, "beta": exp(-x), "a": sqrt(k)}
    return point, learnt, -np.expm1(-x)


def unlearnable(instance, sizes, module, event, dimension, family):
    """The finding that quarter / `module.printed_order` grows along instances that no private learner learns.

    `instance(m)` gives the parameters, a bound on the probability of learning, and what the order needs of it. `event`
    and `dimension` are the words of the witness for what is bounded and for the dimension.
    """
    points, ratios, safe = [], [], True
    for m in sizes:
        point, learnt, needed = instance(m)
        safe &= learnt < needed
        points.append(point)
        ratios.append(0.25 / module.printed_order(**point))
    if not (safe and grows(ratios)):
        return inconclusive("NO_CONSTANT", f"ratios {ratios}")
    code = [
        "from math import exp, expm1, log",
        f"from {module.__name__} import printed_order",
        f"points = {points!r}",
        f"for p in points:  # {event} is at most this, for some labels, and should be at least 1 - beta",
        f"    learnt = exp(1 - {dimension} / 8) + p['m'] * (exp(1) - 1) * p['delta']",
        "    assert learnt < -expm1(log(p['beta']))",
        "ratios = [0.25 / printed_order(**p) for p in points]",
        "assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]",
    ]
    return unbounded({}, family, points, ratios, code)


@exact_claim(
    bounds.printed_order,
    quick=({},),
    severity="cosmetic",
    note=(
        "log(1/beta) vanishes as beta -> 1, the noise does not. For beta <= 1/2 it holds with twice the corrected "
        "constant, on the same reading of step 8 (a valid sensitivity)"
    ),
)
def nothing_is_learnt():
    """The excess is at least 1/4 with probability above beta, by privacy alone; g goes to 0."""
    family = "m grows, k = 8 (1 + 3 log m), epsilon = 1/m, log(1/beta) -> 0"
    return unlearnable(scattered, (10**5, 10**9, 10**13), bounds, "P(excess < 1/4)", "p['k']", family)


@exact_claim(
    bounds.corrected_order,
    quick=({},),
    control=Control("Lambda r / rho to the power {}", (2,)),
    given=(
        "bms22.lem3.1.s4/explicit/round",
        "bms22.lem3.1.s4/corrected/substitution",
        "bms22.thm3.1.em-accuracy/explicit",
    ),
    cost=0.3,
)
def excess_within_order(*, factor=1):
    """C by the cases of `utility_constant`; the explicit excess, or 2a if that is less, never exceeds C g."""

    def g(a, **p):
        return bounds.corrected_order(a=a, **p) * a ** (factor - 1)

    points, ratios = small_balls(lambda a: g(a, m=1, k=1, epsilon=0.1, delta=0.5, beta=0.1))
    if grows(ratios):
        return unbounded({}, "one record, a -> 0", points, ratios)
    substitution = substitution_constant()
    if substitution is None:
        return inconclusive("BUDGET", "no finite constant was certified")
    C, rng, reached = bounds.utility_constant(substitution), np.random.default_rng(0), 0.0
    for _ in range(400):
        m = int(2 ** rng.uniform(1, 30))
        delta = m ** -rng.uniform(1.001, 8)
        p = dict(m=m, k=int(10 ** rng.uniform(0, 6)), delta=delta, epsilon=-log(delta) * 10 ** rng.uniform(-8, 0))
        p |= dict(beta=float(np.exp(-(10 ** rng.uniform(-6, 2)))), a=10 ** rng.uniform(-3, 3))
        reached = max(reached, min(2 * p["a"], bounds.boosted_excess(**p)) / g(**p))
    if reached > C:
        return inconclusive("FAILED", f"a point reaches {reached}, above {C}")
    note = f"C = {C:.3g}; at random points explicit / g reaches {reached:.3g}"
    return holds(
        "derivation",
        "everywhere: corrected calibration, eta = base_step",
        tightness=(ratios[0] / C, reached / C),
        note=note,
    )


def _above_every_excess(**setting):
    """Why the explicit excess says nothing, or None."""
    bound = bounds.boosted_excess(**setting)
    return (
        f"the bound {bound:.3g} is at least the largest excess {2 * setting['a']:g}"
        if bound >= 2 * setting["a"]
        else None
    )


def first_useful_m(calibration):
    """The smallest power of two with explicit excess below 1: k = 10, epsilon = a = 1, delta = 1/(10m), beta = 0.1."""
    m = 2
    known = dict(k=10, epsilon=1.0, beta=0.1, a=1.0, calibration=calibration)
    while bounds.boosted_excess(m=m, delta=0.1 / m, **known) >= 1:
        m *= 2
    return m


@tail_claim(
    bounds.boosted_excess,
    quick=(
        {"m": 1024, "k": 2, "epsilon": 4.0, "delta": 1e-4, "beta": 0.1, "a": 1.0, "calibration": "tight"},
        {"m": 8192, "k": 1, "epsilon": 23.0, "delta": 1e-10, "beta": 0.1, "a": 1.0, "calibration": "corrected"},
    ),
    full=(
        {"m": 2**14, "k": 10, "epsilon": 2.0, "delta": 1e-6, "beta": 0.1, "a": 1.0, "calibration": "tight"},
        {"m": 2**14, "k": 10, "epsilon": 8.0, "delta": 1e-6, "beta": 0.1, "a": 4.0, "calibration": "tight"},
        {"m": 2**17, "k": 10, "epsilon": 8.0, "delta": 1e-6, "beta": 0.1, "a": 1.0, "calibration": "corrected"},
    ),
    control=Control("a bound {} times too small", (80,)),
    chunk=lambda **_: 80,
    cap=5,
    cost=1e-3,
    expect=0.01,
    trivial=_above_every_excess,
    nonvacuous_from=lambda: first_useful_m("corrected"),
    note="at k = 10, epsilon = 1, beta = 0.1, a = 1 the tight calibration says something from m = 4096 on",
)
def excess_above_bound(rng, size, *, m, k, epsilon, delta, beta, a, calibration, factor=1):
    """Is the excess of a release above the bound? Records +-e_1, one in four with the wrong sign; excess exact."""
    Z = noisy_line(m, k)
    known = dict(
        rho=1 / a, radius=1.0, norm_bound=1.0, privacy=ApproxDP(epsilon, delta), beta=beta, calibration=calibration
    )
    W = dp_erm.law(Z, np.ones(m), **known).sample(rng, size)
    allowed = bounds.boosted_excess(m=m, k=k, epsilon=epsilon, delta=delta, beta=beta, a=a, calibration=calibration)
    return line_excess(W, m, a) > allowed / factor


def counted(m, beta):
    """What our law says of itself."""
    X = np.ones((m, 1))
    privacy = ApproxDP(min(0.1, log(10 * m)), 0.1 / m)
    known = dict(rho=0.5, radius=1.0, norm_bound=1.0, privacy=privacy, beta=beta)
    return dp_erm.law(X, np.ones(m), calibration="corrected", **known).gradients


@exact_claim(
    bounds.printed_gradients,
    quick=({},),
    severity="cosmetic",
    note=(
        "one round is needed to release anything, and log(1/beta) -> 0 as beta -> 1. For beta <= 1/2 it holds with "
        "C = 2.1. 'Algorithm 2 requires' is a slip for Algorithm 5"
    ),
)
def one_round_at_least():
    """A round of m = 100 records against m log(m) log(1/beta) as beta -> 1."""
    points = [{"m": 100, "beta": 1 - 10.0**-j} for j in (1, 3, 5)]
    ratios = [counted(**p) / bounds.printed_gradients(**p) for p in points]
    if not grows(ratios):
        return inconclusive("NO_CONSTANT", f"ratios {ratios}")
    code = [
        "from bounds.bms22.dp_erm import gradient_count, printed_gradients",
        "betas = [1 - 10.0**-j for j in (1, 3, 5)]",
        "ratios = [gradient_count(m=100, beta=b) / printed_gradients(m=100, beta=b) for b in betas]",
        "assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]",
    ]
    return unbounded({}, "beta -> 1", points, ratios, code)


@exact_claim(
    bounds.corrected_gradients,
    quick=({},),
    control=Control("m to the power 1/{}", (2,)),
    given=("bms22.lem3.1/explicit/complexity",),
    cost=0.05,
)
def gradients_within_order(*, factor=1):
    """ceil(x)/x <= 2 for x = log(2/beta), (m - 1)/(m log m) decreasing: the supremum is at m = 2, x just above 1."""

    def ratio(m, beta):
        return bounds.gradient_count(m=m, beta=beta) / (
            bounds.corrected_gradients(m=m, beta=beta) / m ** (1 - 1 / factor)
        )

    points = [{"m": 10**j, "beta": 0.1} for j in (3, 6, 9)]
    ratios = [ratio(**p) for p in points]
    if grows(ratios):
        return unbounded({}, "m grows", points, ratios)
    reached = max(ratio(m, beta) for m in range(2, 300) for beta in (0.999, 2 / np.e * (1 - 1e-9), 0.5, 0.1, 1e-9))
    C = 1 / log(2)
    if reached > C or counted(100, 0.1) != bounds.gradient_count(m=100, beta=0.1):
        return inconclusive("FAILED", f"{reached} is above {C}")
    return holds(
        "derivation", "everywhere", tightness=(reached / C, 1.0), note=f"C = {C:.4f}; for m = 1 there are none"
    )


@exact_claim(
    bounds.gradient_count,
    quick=({},),
    control=Control("{} times as many rounds", (2,)),
    cost=0.05,
)
def every_record_once(*, factor=1):
    """The law's count against the formula, m from 2 to 100."""
    for m in range(2, 100):
        for beta in (0.9, 0.1, 1e-6):
            found, claimed = counted(m, beta), factor * bounds.gradient_count(m=m, beta=beta)
            if found != claimed:
                point = {"m": m, "beta": beta}
                sides = {"object": "boosting.law", "property": "gradients", "value": found}
                return refuted("enumeration", witness(point, claimed, found, **sides))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="the tests count the steps themselves")


if __name__ == "__main__":
    from experiments.engine.run import script

    script(__spec__.name)
