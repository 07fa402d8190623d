"""The efficient private learner, Theorem 3.2 of Bassily, Mohri & Suresh (2022): privacy, utility, rates, time."""

from dataclasses import replace
from itertools import product
from math import ceil, e, exp, log, sqrt

import numpy as np

from lemmata.bounds.bms22 import dp_erm as training, efficient_learner as bounds, efficient_learner_proof as steps
from lemmata.bounds.bms22.dp_erm_proof import round_excess
from lemmata.bounds.bms22.phased_sgd import phase_lengths, rounds_for
from lemmata.bounds.bms22.sign_projection import sign_projection_tail
from lemmata.experiments.bms22.dp_erm import broken_privacy
from lemmata.experiments.checks import (
    Control,
    Link,
    exact_claim,
    grid,
    identity_claim,
    inconclusive,
    inequality_claim,
    order_claim,
    rate_claim,
    run_script,
    up_to_one,
    withheld,
    within_order,
)
from lemmata.experiments.instances.classes.counted_operations import learner_operations
from lemmata.experiments.instances.datasets.corners import HALF, POLYNOMIAL
from lemmata.experiments.instances.datasets.erm_families import (
    SAMPLE_AND_BUDGET,
    between_orders,
    hidden_signs,
    learner_settings,
    unlearnable_program,
    unlearnt,
)
from lemmata.experiments.instances.pairs.flipped_records import (
    ROUNDING,
    SMALL_RHO,
    privacy_cases,
    with_privacy,
    without_size,
)
from lemmata.experiments.instances.pairs.projected_records import risks
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.learners.erm import efficient_learner
from lemmata.mechanisms.privacy import ApproxDP


def rows(statement, p):
    """k of one of the two formulas at the point p, a real number."""
    return statement(**{name: p[name] for name in SAMPLE_AND_BUDGET})


# Privacy --------------------------------------------------------------------------------------------------------------


ALIGNED = 6  # of a row of Phi that lengthens (1, 1, 1, 1)/2 to 2, the most that is not clipped


def two_records(setting, calibration):
    """(law of the training, its flipped twin, |Phi x|): records (1, 1, 1, 1) r/2 and 0 of R^4, k = 1 as printed."""
    X, parameters = np.outer([setting["radius"] / 2, 0.0], np.ones(4)), without_size(setting)
    budget = {name: setting[name] for name in SAMPLE_AND_BUDGET}
    phi = efficient_learner.draw_projection(d=4, rng=np.random.default_rng(ALIGNED), **budget)
    if phi.k != 1:
        raise ValueError(f"k = {phi.k} is not 1")
    asked = with_privacy(**parameters, projection=phi, calibration=calibration)
    law = efficient_learner.law(X, np.ones(2), **asked).trained
    return law, replace(law, Z=law.Z * [[-1.0], [1.0]]), float(abs(phi.apply(X)[0, 0]))


LEARNER = SMALL_RHO | {"epsilon": 0.1, "rho": 1e-3, "beta": 0.03}


@inequality_claim(
    bounds.printed_privacy,
    quick=(LEARNER,),
    full=(LEARNER | {"rho": 1.0},),
    control=Control("a score sensitivity {} times too small", (1.01, 4)),
    given=[training.printed_privacy],
    rounding=ROUNDING,
    scope="everywhere: every fixed Phi drawn independently of the data, every k",
)
def training_is_private(*, factor=1, **setting):
    """Lemma 3.1 at radius 2r, norm bound 2 Lambda and beta/3, its links here; and records that Phi makes too long."""
    trained = setting | {name: 2 * setting[name] for name in ("radius", "norm_bound")} | {"beta": setting["beta"] / 3}
    yield Link("Lemma 3.1", setting, training.printed_privacy(**trained), bounds.printed_privacy(**setting))
    ending = yield from privacy_cases(training.printed_privacy, trained, *two_records(setting, "corrected"), factor)
    rng = np.random.default_rng(1)
    X, phi = 100 * rng.normal(size=(20, 30)), fast_projection(3, 30, rng=rng)
    sizes = dict(rho=0.5, radius=1.0, norm_bound=1.0, privacy=ApproxDP(1.0, 0.01), beta=0.1)
    longest = np.linalg.norm(efficient_learner.law(X, np.ones(20), projection=phi, **sizes).trained.Z, axis=1).max()
    if longest > 2 * (1 + 1e-12):
        return inconclusive("FAILED", f"a projected row has norm {longest}")
    return ending


@exact_claim(
    bounds.calibrated_privacy,
    quick=(LEARNER,),
    full=(LEARNER | {"rho": 1e-4},),
    severity="privacy",
    corrected_by=bounds.printed_privacy,
    note="an implementation that follows the proof is not private. The proof of Lemma 3.1 calibrates the selection to "
    "Λr/m (here 4Λr/m), but the loss has Lipschitz constant 1/ρ. With any valid sensitivity the theorem holds",
)
def selection_gives_it_away(**setting):
    """The whole algorithm on two records of R^4 that differ in one label, in balls; Phi is a row of signs."""
    law, _, record = two_records(setting, "printed")
    sizes = {name: value for name, value in without_size(setting).items() if name not in ("epsilon", "delta")}
    python = f"""import numpy as np
from scipy.special import ndtr
from lemmata.bounds.bms22.dp_erm import sides
from lemmata.bounds.bms22.efficient_learner import calibrated_privacy
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.learners.erm.efficient_learner import law
from lemmata.mechanisms.privacy import ApproxDP
claimed = calibrated_privacy(m=2, epsilon={setting["epsilon"]}, delta={setting["delta"]}, **(sizes := {sizes!r}))
phi = fast_projection(1, 4, rng=np.random.default_rng({ALIGNED}))  # k = 1, as printed; |Phi x| = 2
given = dict(privacy=ApproxDP({setting["epsilon"]}, {setting["delta"]}), projection=phi, calibration='printed')
inner = law(np.array([[0.5] * 4, [0.0] * 4]), np.ones(2), **given, **sizes).trained
sigma = 2 * inner.radius / inner.rho * inner.eta / 4 * inner.multiplier
scores = inner.select(np.array([[2.0], [-2.0]])).log_probabilities()
low, high = sides(inner.rounds, ndtr(-2.0 / sigma), np.exp(-abs(scores[0] - scores[1])))
assert low > np.exp(claimed) * high + {setting["delta"]}  # the label of record 1 flipped"""
    output = "release = 2 norm_bound Phi (the other output: its negative)"
    return broken_privacy(setting, law, record, python, output=output)


# Utility --------------------------------------------------------------------------------------------------------------


@order_claim(
    bounds.printed_order,
    family="m grows, d = 8 (1 + 3 log m), epsilon = 1/m, log(1/beta) -> 0",
    severity="statement",
    corner=HALF,
    used={"bms22.thm4.2": grid(beta=[1e-9, 0.5])},  # its proof asks for 1 - beta/2
    restated=("bms22.corF.2",),
    python=unlearnable_program("efficient_learner", "P(risk < 1/4)", "p['a'] ** 2"),
    note="as β → 1 the factor log(1/β) tends to 0, the noise does not, and k grows without bound. For β ≤ 1/2 it holds "
    "with twice the corrected constant, when the selection uses a valid sensitivity",
)
def nothing_is_learnt():
    """The risk is at least 1/4 with probability above beta, by privacy alone; g goes to 0 and no vector has loss."""
    for point, risk in unlearnt([hidden_signs(m) for m in (10**5, 10**7, 10**9)]):
        yield point, risk, bounds.printed_order(**point)


def least_rounded():
    """Settings with C order < 1 near the worst: a = 1, delta near 1/m, beta where the number of rounds jumps."""
    for m, share, loss in product((10**12, 5 * 10**12, 10**16, 10**30), (1.0, 0.0016), (0.6932, 0.9014, 1.9015, 20.0)):
        delta = (1 - 1e-9) / m
        yield {"m": m, "delta": delta, "epsilon": -share * log(delta), "beta": 2 * exp(-loss), "a": 1.0}


def order_links(p):
    """Links of the derivation of the order at a setting with C order < 1."""
    m, a, x, l = p["m"], p["a"], log(2 / p["beta"]), -log(p["delta"])
    G = sqrt(x * log(2 * m / p["beta"]) / (p["epsilon"] * m)) * l**0.75
    exactly = rows(bounds.corrected_rows, p)
    k, M = ceil(exactly), rounds_for(p["beta"] / 3)
    yield Link("rounding of k", p, k, exactly * (1 + 1e-9))
    tau = training.round_multiplier(m, p["epsilon"], p["delta"], M, "corrected")
    noise = sqrt(k) * tau / m
    yield Link("one round", p, round_excess(m=m, k=k, multiplier=tau, a=1.0), 2.583 / sqrt(m) + 16.004 * noise)
    yield Link("number of rounds", p, noise, 43.2 * G)
    yield Link("distortion", p, bounds.sign_distortion(m, k, p["beta"]), 0.46 * G)
    trained = a * (28.1 / sqrt(m) + 7522 * G)
    everything = trained + a * (0.46 * G + 8 / sqrt(m)) + 0.9 * sqrt(x / m)
    yield Link("sum", p, bounds.learner_excess(k=k, **p), everything)
    yield Link("order", p, everything, bounds.ORDER * bounds.corrected_order(**p))


@inequality_claim(
    bounds.corrected_order,
    control=Control(lambda factor: f"the constant 7600 divided by {factor:g}", (1.2, 2)),
    given=[bounds.learner_excess, round_excess],
    rounding=ROUNDING,
    cost=0.2,
    scope="everywhere: Phi with independent signs",
    tightness=up_to_one,
    note=(
        "with the fast projection the distortion has one more √log factor, which the factor √log(2m/β) of "
        "the order absorbs"
    ),
)
def risk_within_order(*, factor=1):
    """min(1, explicit) <= 7600 order, with the links of the derivation where 7600 order < 1."""
    points = [*learner_settings(300), *least_rounded()]
    yield from between_orders(bounds.printed_order, bounds.corrected_order, points)
    for p in points:
        order = bounds.ORDER * bounds.corrected_order(**p)
        explicit = bounds.learner_excess(k=max(1, ceil(rows(bounds.corrected_rows, p))), **p)
        yield p, min(1.0, explicit), order / factor
        if order < 1:
            yield from order_links(p)


def first_useful_m():
    """The smallest power of two with explicit bound below 1: k = 1000, printed noise, epsilon = 8, beta = .1, a = 1."""
    return bounds.smallest_useful_m(k=1000, epsilon=8.0, beta=0.1, a=1.0, calibration="corrected")


@inequality_claim(
    bounds.learner_excess,
    quick=({"releases": 0},),
    full=(*grid(releases=[4], sample=[0, 1, 2, 3]), {"releases": 4, "kept": 0.4}),
    given=[training.boosted_excess, steps.released_deviation, "bms22.lemA.3/explicit", "bms22.lemA.3.s2/explicit"],
    rounding=ROUNDING,
    scope="everywhere: Phi with independent signs",
    nonvacuous_from=first_useful_m,
    note=(
        "the smallest m is for k = 1000, the printed noise, ε = 8, β = 0.1 and a = 1. It is 65536 with "
        "the tight calibration, and 3.4·10¹⁰ at the printed k, which is about m there"
    ),
    tightness=withheld,
)
def three_events(*, releases, sample=0, kept=1.0):
    """3m + 1 vectors distorted by more than t, then Lemma 3.1 at 4a and beta/3, then the deviation at norm 2.

    Then releases where the bound is nonvacuous, at m = 65536 and beta = 1/2: if the bound were false, 16 of 16 below it
    would have probability 2^-16. Where only a share `kept` of the labels is right, all releases are above it.
    """
    for p in learner_settings(200):
        k = ceil(80 * log(24 * p["m"] / p["beta"]))
        t = bounds.sign_distortion(p["m"], k, p["beta"])
        yield Link("projection", p, (3 * p["m"] + 1) * sign_projection_tail(k=k, t=t), p["beta"] / 3)
        trained = training.boosted_excess(k=k, **p | {"a": 4 * p["a"], "beta": p["beta"] / 3})
        deviation = steps.released_deviation(m=p["m"], beta=p["beta"], radius=p["a"], rho=1.0)
        yield Link("sum", p, p["a"] * t + trained + deviation, bounds.learner_excess(k=k, **p))
    if releases:
        rng = np.random.default_rng(sample)
        sizes = {"m": 2**16, "k": 600, "epsilon": 8.0, "delta": 0.1 / 2**16, "beta": 0.5}
        bound = bounds.learner_excess(a=1.0, calibration="tight", **sizes)
        found = risks(rng, releases, d=1000, gamma=1.0, tested=2000, kept=kept, **sizes)
        if kept == 1:
            for risk in found:
                yield Link("a release", sizes, risk, bound)
            return {"note": f"{releases} releases are below the bound, {bound:.3f}"}
        if found.min() <= bound:
            return inconclusive(
                "CONTROL_FAILED", f"with {kept:g} of the labels right a release errs on {found.min():.3f} only"
            )
        return {"note": f"with {kept:g} of the labels right no release is below {bound:.3f}"}


# Rates ----------------------------------------------------------------------------------------------------------------

PRIVATE = {"epsilon": 8.0, "delta": 1e-6, "beta": 0.5, "gamma": 0.6, "tested": 100}
DIMENSIONS = (50, 500, 5000, 50_000)


def sample_sizes(smallest, largest):
    """Four geometric sample sizes."""
    return [round(smallest * (largest / smallest) ** (i / 3)) for i in range(4)]


def risk_columns(rng, size, columns, factor):
    """Risks of `size` releases in every column; the control leaves 1/factor of the last one's labels right."""
    kept = [1.0] * (len(columns) - 1) + [1 / factor]
    risked = (risks(rng, size, kept=share, **column, **PRIVATE) for column, share in zip(columns, kept, strict=True))
    return np.column_stack(list(risked))


@rate_claim(
    bounds.risk_rate,
    quick=({"smallest": 32, "largest": 320},),
    full=({"smallest": 40, "largest": 4000},),
    control=Control("1/{} of the labels right at the last m", (1.5, 2)),
    bound=lambda *, smallest, largest: (largest / smallest) ** bounds.risk_rate(smallest=smallest, largest=largest),
    high=1.0,
    points=sample_sizes,
    chunk=lambda *, smallest, largest: 15 if largest <= 320 else 100,
    cap=10,
    cost=2e-3,
    note="the exponent is at most -1/2 + 0.1, at k = m/20. The best vector has loss 0, so the excess risk is the risk",
)
def risk_along_m(rng, size, *, smallest, largest, factor=1):
    """R_D on fresh records at geometric m, each with its own samples and projections."""
    columns = [{"m": m, "d": 200, "k": max(1, m // 20)} for m in sample_sizes(smallest, largest)]
    return risk_columns(rng, size, columns, factor)


@rate_claim(
    bounds.dimension_rate,
    quick=({"m": 32, "k": 4},),
    full=({"m": 128, "k": 16}, {"m": 256, "k": 32}),
    control=Control("1/{} of the labels right in the last dimension", (1.5, 2), setting={"m": 256, "k": 32}),
    bound=lambda **sizes: (DIMENSIONS[-1] / DIMENSIONS[0]) ** bounds.dimension_rate(**sizes),
    high=1.0,
    points=lambda **_: list(DIMENSIONS),
    chunk=lambda *, m, k: 25 if m <= 32 else 80,
    cap=10,
    cost=2e-3,
    note="the row claims an exponent of at most 0.1 over d = 50..50,000, which is weaker than 'independent of d'",
)
def risk_along_d(rng, size, *, m, k, factor=1):
    """R_D on fresh records at the same margin 0.6 in growing dimension."""
    return risk_columns(rng, size, [{"m": m, "k": k, "d": d} for d in DIMENSIONS], factor)


# Running time ---------------------------------------------------------------------------------------------------------


@order_claim(
    bounds.printed_time,
    family="beta -> 0 at d = 1",
    severity="constant",
    corner=POLYNOMIAL,
    corrected_by=bounds.polynomial_time,
    python="""from math import ceil, exp
from lemmata.bounds.bms22.efficient_learner import printed_rows, printed_time
from lemmata.bounds.bms22.dp_erm_proof import round_excess
from lemmata.bounds.bms22.phased_sgd import phase_lengths, rounds_for
ratios = []
for j in (1, 27, 270):
    p = dict(m=1000, epsilon=10.0, delta=exp(-10.0), beta=10.0**-j)
    least = rounds_for(p['beta']) * phase_lengths(1000)[0] * ceil(printed_rows(**p))
    ratios.append(least / printed_time(d=1, **p))
assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]""",
    note=(
        "the printed running time does not contain β, but k times the number of rounds grows with "
        "log(m/β), because each of the M rounds does every gradient step. When β is smaller than every "
        "power of 1/m, the printed time is too small by that factor"
    ),
)
def beta_is_left_out():
    """M rounds of at least m/2 - 1 steps of k multiplications each, against g as beta -> 0 at d = 1."""
    for j in (1, 27, 270):
        point = {"m": 1000, "d": 1, "epsilon": 10.0, "delta": exp(-10.0), "beta": 10.0**-j}
        steps = rounds_for(point["beta"]) * phase_lengths(point["m"])[0]
        yield point, steps * ceil(rows(bounds.printed_rows, point)), bounds.printed_time(**point)


@inequality_claim(bounds.polynomial_time, given=[bounds.corrected_time], tightness=up_to_one)
def time_at_polynomial_confidence():
    """The corrected order at both ends of beta, many decades of the other sizes, the three terms apart and together."""
    for m, d, power in product((2, 3, 1000, 10**9), (1, 2, 10**9), (1, 2, 10)):
        for beta, delta, epsilon in product((float(m) ** -power, 0.5), (1e-10, 1e-300), (1e-9, 1.0, 23.0)):
            p = {"m": m, "d": d, "epsilon": epsilon, "delta": delta, "beta": beta}
            yield p | {"power": power}, bounds.corrected_time(**p), bounds.polynomial_time(power=power, **p)


@inequality_claim(
    bounds.corrected_time, control=Control("log(2/β) to the power 1/{}", (3, 4)), given=[bounds.operations]
)
def time_within_order(*, factor=1):
    """The counted operations at the corrected k against C g, and term by term; many decades, d from 1 to 2^30."""

    def g(beta, **p):
        return bounds.corrected_time(beta=2 * exp(-(log(2 / beta) ** (1 / factor))), **p)

    def count(**p):
        return bounds.operations(m=p["m"], d=p["d"], k=ceil(rows(bounds.corrected_rows, p)), beta=p["beta"])

    def terms(**p):  # with log(2/beta) = 0 and without epsilon the first is left, without epsilon the first two
        g = bounds.corrected_time.theorem.formula
        first, two = g(**p | {"epsilon": 0, "beta": 2}), g(**p | {"epsilon": 0})
        return first, two - first, g(**p) - two

    truths = [{"m": 100, "d": 1, "epsilon": 1e-6, "delta": 1e-3, "beta": 10.0**-j} for j in (1, 30, 300)]
    drawn = [{name: p[name] for name in SAMPLE_AND_BUDGET} | {"d": 1 + p["m"] % 2**30} for p in learner_settings(300)]
    slow = {"m": 10**6, "d": 1, "epsilon": 1e-9, "delta": 1e-9, "beta": 2 / e * (1 - 1e-9)}  # M = 2 log(2/beta)
    corners = [{"m": 1, "d": 2**30 + 1, "epsilon": 1e-9, "delta": 0.5, "beta": 0.5}, slow, slow | {"epsilon": 1.0}]
    for p in [*truths, *drawn, *corners]:
        yield p, count(**p), sum(c * t for c, t in zip(bounds.TIME_CONSTANTS, terms(**p), strict=True))
    return within_order(
        g,
        max(bounds.TIME_CONSTANTS),
        family="beta -> 0 at d = 1",
        truths=[(p, count(**p)) for p in truths],
        sampled=(count(**p) / g(**p) for p in truths + drawn),
    )


@identity_claim(bounds.operations, note="the training is counted at the full β")
def operations_are_counted():
    """The formula against a run of the algorithm on numbers that count what is done with them."""
    for m, d, k, beta in ((2, 1, 1, 0.9), (20, 13, 6, 0.1), (8, 64, 3, 1e-6), (37, 2, 1, 0.5), (3, 3, 2, 0.5)):
        point = {"m": m, "d": d, "k": k, "beta": beta}
        yield point, learner_operations(**point), bounds.operations(**point)


@order_claim(
    bounds.step_order,
    family="m = 10⁶, δ = 1/(10 m), β = 0.1, ε → 0",
    severity="constant",
    finding="a gradient step takes log m operations even if k is 1",
    python="""from math import log
from lemmata.bounds.bms22.efficient_learner import step_order
# k is at least 1, and the sampling of a record takes log m operations by the text.
ratios = [(1 + log(10**6)) / step_order(m=10**6, epsilon=e, delta=1e-7) for e in (1e-5, 1e-7, 1e-9)]
assert ratios[2] > 99 * ratios[1] > 9801 * ratios[0] > 9801""",
    note="the running time of the theorem survives, because of its term md log(max(d, m))",
)
def steps_at_small_budgets():
    """k + log m over the printed order as epsilon falls, where k is 1."""
    for epsilon in (1e-5, 1e-7, 1e-9):
        rows = ceil(bounds.printed_rows(m=10**6, epsilon=epsilon, delta=1e-7, beta=0.1))
        setting = {"m": 10**6, "epsilon": epsilon, "delta": 1e-7}
        yield setting, rows + log(10**6), bounds.step_order(**setting)


@order_claim(bounds.step_order_with_logarithm, constant=2 / log(2))
def steps_at_all_budgets():
    """k + log m over the corrected order, up to beta = 1/2."""
    for m, epsilon, delta, beta in product((2, 3, 10**3, 10**9), (1e-9, 1.0, 20.0), (1e-300, 0.4), (1e-99, 0.5)):
        rows = ceil(bounds.printed_rows(m=m, epsilon=epsilon, delta=delta, beta=beta))
        setting = {"m": m, "epsilon": epsilon, "delta": delta}
        yield setting | {"beta": beta}, rows + log(m), bounds.step_order_with_logarithm(**setting)


if __name__ == "__main__":
    run_script(__file__)
