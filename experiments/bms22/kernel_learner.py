"""Theorem 4.2 of Bassily, Mohri & Suresh (2022), the private kernel learner."""

from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np
from scipy.special import logsumexp

from lemmata.bounds.bms22 import efficient_learner, kernel_learner as bounds
from lemmata.bounds.bms22.random_features import feature_norm
from lemmata.experiments.checks import (
    Control,
    Link,
    attack_claim,
    exact_claim,
    inconclusive,
    inequality_claim,
    order_claim,
    refuted,
    run_script,
    within_order,
    witness,
)
from lemmata.experiments.checks.pair import weaker
from lemmata.experiments.instances.classes.kernel_machines import clustered_release
from lemmata.experiments.instances.datasets.corners import HALF, PRIVACY_RANGE, both
from lemmata.experiments.instances.datasets.erm_families import (
    SAMPLE_AND_BUDGET,
    between_orders,
    hidden_signs,
    learner_settings,
    one_record,
    unlearnable_program,
    unlearnt,
)
from lemmata.experiments.instances.pairs.flipped_records import ROUNDING, SMALL_RHO, with_privacy
from lemmata.mechanisms.features.random_features import KERNELS
from lemmata.mechanisms.learners.erm import dp_erm, kernel_learner

# Privacy --------------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.printed_privacy,
    quick=({"m": 4, "epsilon": 1e9, "delta": 0.01, "beta": 0.9, "radius": 1.0, "norm_bound": 0.5, "rho": 1.0},),
    severity="privacy",
    corner=PRIVACY_RANGE,
    restated=("bms22.lemF.3c",),
    note=(
        "the theorem does not restrict ε and δ, but its proof refers to Theorem 3.2, which needs ε ≤ "
        "log(1/δ) and δ < 1/m. The noise of a round is proportional to 1/ε′, while the proof of its "
        "privacy needs ε ≤ 2.34 log(1/δ). At ε = 10⁹, δ = 0.01 and m = 4 the release shows the label of "
        "one record with probability 1/64. With the other label the same release has probability "
        "exp(−2·10¹⁰)"
    ),
)
def any_budget_is_too_much(*, m, epsilon, delta, beta, **sizes):
    """All m = 4 records at one point, one label flipped; the sign of the released predictor there."""
    k = ceil(efficient_learner.printed_rows(m=m, epsilon=epsilon, delta=delta, beta=beta / 2))
    p, log_q = bounds.far_tail(m=m, k=k, epsilon=epsilon, delta=delta, beta=beta)
    claimed = bounds.printed_privacy(m=m, epsilon=epsilon, delta=delta, beta=beta, **sizes)
    spent = log(max(p - delta, 1e-300)) - log_q
    if spent <= claimed:
        return inconclusive("BUDGET", f"the tail shows {spent:.3g} of epsilon")
    python = f"""from math import ceil, log
from lemmata.bounds.bms22.efficient_learner import printed_rows
from lemmata.bounds.bms22.kernel_learner import far_tail, printed_privacy
m, epsilon, delta, beta = {m}, {epsilon}, {delta}, {beta}
k = ceil(printed_rows(m=m, epsilon=epsilon, delta=delta, beta=beta / 2))
p, log_q = far_tail(m=m, k=k, epsilon=epsilon, delta=delta, beta=beta)
claimed = printed_privacy(m=m, epsilon=epsilon, delta=delta, beta=beta, **{sizes!r})
assert log(p - delta) > claimed + log_q  # P_S > e^epsilon P_S' + delta"""
    a, b = "(x, -1), (x, +1), (x, +1), (x, +1)", "(x, +1), (x, +1), (x, +1), (x, +1)"
    setting = {"m": m, "k": k, "epsilon": epsilon, "delta": delta, "beta": beta}
    return refuted(
        "derivation",
        witness.privacy(setting, epsilon=epsilon, log_ratio=spent, a=a, b=b, output="h(x) < 0", python=python),
    )


@inequality_claim(
    bounds.privacy_in_range,
    quick=(SMALL_RHO | {"epsilon": 0.1, "rho": 1e-3, "beta": 0.03},),
    full=(SMALL_RHO | {"rho": 2.0},),
    given=["bms22.thm3.2/printed/privacy", feature_norm],
    rounding=ROUNDING,
    scope="everywhere: every fixed draw of the frequencies and of Phi, every D and k",
)
def learner_is_private(**setting):
    """Theorem 3.2 at 2 Lambda and beta/2; our law's links to it: norms, projected records, sizes, what it promises."""
    trained = setting | {"norm_bound": 2 * setting["norm_bound"], "beta": setting["beta"] / 2}
    claimed = bounds.privacy_in_range(**setting)
    yield Link("Theorem 3.2", setting, efficient_learner.printed_privacy(**trained), claimed)
    yield Link("printed", setting, claimed, bounds.printed_privacy(**setting))
    rng = np.random.default_rng(0)
    X, y = 10.0 ** rng.uniform(-3, 3, (setting["m"], 1)) * rng.normal(size=(setting["m"], 3)), np.ones(setting["m"])
    sizes = {name: setting[name] for name in ("norm_bound", "rho", "beta")}
    budget = {name: setting[name] for name in ("epsilon", "delta")}
    for kernel in KERNELS:
        phi = kernel_learner.kernel_projection(kernel, 3, count=100, k=2, radius=setting["radius"], rng=rng)
        law = kernel_learner.law(X, y, projection=phi, calibration="corrected", **with_privacy(**budget, **sizes))
        other = np.vstack([X[:-1], 100 * rng.normal(size=3)])
        twin = kernel_learner.law(other, y, projection=phi, calibration="corrected", **with_privacy(**budget, **sizes))
        moved = np.flatnonzero((law.trained.Z != twin.trained.Z).any(axis=1))
        if not set(moved) <= {setting["m"] - 1} or law.trained.rounds != twin.trained.rounds:
            return inconclusive("FAILED", "a replaced record moves more than its own projected row")
        longest = np.linalg.norm([*law.trained.Z, *twin.trained.Z], axis=1).max()
        yield Link("norm", setting | {"kernel": kernel}, longest / 2, feature_norm(radius=setting["radius"]))
        yield Link("law", setting | {"kernel": kernel}, law.privacy.epsilon, claimed)


def lost_and_lengthened():
    """(projection, X): of points on a line the one that Phi psi sends to norm 2 at least, and the nearest to 0."""
    phi = kernel_learner.kernel_projection("gaussian", 1, count=50, k=1, rng=np.random.default_rng(0))
    line = np.linspace(-10, 10, 4001)[:, None]
    sizes = np.abs(phi.apply(line)[:, 0])
    return phi, line[[sizes.argmax(), sizes.argmin()]]


@dataclass(frozen=True)
class Chosen:
    """The vectors of all rounds, whose law the label does not reach, and which is chosen: (size, rounds + 1)."""

    law: dp_erm.BoostedLaw

    def _losses(self, W):
        return dp_erm.hinge_means(W.reshape(-1, 1), self.law.Z, self.law.rho).reshape(W.shape)

    def sample(self, rng, size=1):
        """Independent releases, seen completely."""
        W = self.law.candidates(rng, size)[:, :, 0]
        return np.column_stack([W, self.law.choose(rng, self._losses(W))])

    def log_density(self, releases):
        """log P(the choice, given the vectors), shape (size,): the exponential mechanism's."""
        W, chosen = releases[:, :-1], releases[:, -1].astype(int)
        scores = -self.law.selection.epsilon / (2 * self.law.sensitivity) * self._losses(W)
        return scores[np.arange(len(W)), chosen] - logsumexp(scores, axis=1)


@attack_claim(
    bounds.privacy_in_range,
    law="kernel_learner",
    attack="pure",
    quick=({"epsilon": 4.0, "rho": 2.0},),
    full=({"epsilon": 1.0, "rho": 0.05},),
    control=Control("a score sensitivity {} times too small", (1.5, 2, 3)),
    bound=lambda *, epsilon, **_: epsilon / 2,
    chunk=5000,
    cost=5e-6,
    note=(
        "the claim is at ε/2. The attacker sees the candidates and the choice among six of them, and uses "
        "the exact likelihood ratio. Of two records one has its label flipped, and the other is lost in "
        "the projection. With so few records no candidate depends on the data, so only the choice, which "
        "spends half of ε, shows the label. The loss is largest, 0.82 of ε/2, where one candidate differs "
        "from the other five"
    ),
)
def one_label(*, epsilon, rho, factor=1):
    """The record that Phi psi makes longest has its label flipped; m = 2."""
    phi, X = lost_and_lengthened()
    asked = with_privacy(epsilon=epsilon, delta=1e-3, rho=rho, norm_bound=1.0, beta=0.07)
    pair = [kernel_learner.law(X, y, projection=phi, **asked).trained for y in ([1, 1], [-1, 1])]
    return tuple(map(Chosen, weaker(pair, factor, "sensitivity")))


# Utility --------------------------------------------------------------------------------------------------------------


@order_claim(
    bounds.printed_order,
    family="m grows, d = 8 (1 + 3 log m), epsilon = 1/m, log(1/beta) -> 0",
    severity="statement",
    corner=both(HALF, PRIVACY_RANGE),
    restated=("bms22.lemF.3c",),
    python=unlearnable_program("kernel_learner", "P(risk < 1/4)", "p['a'] ** 2"),
    note=(
        "as for Theorem 3.2, the factor log(1/β) tends to 0 as β → 1 and the noise does not. With a "
        "kernel of compact support far points are orthogonal, so the counterexample to that theorem works "
        "against every kernel learner too"
    ),
)
def nothing_is_learnt():
    """d points at distances where K vanishes: the risk is at least 1/4 with probability above beta, by privacy."""
    for point, risk in unlearnt([hidden_signs(m) for m in (10**5, 10**7, 10**9)]):
        yield point, risk, bounds.printed_order(**point)


def kernel_settings(count):
    """The settings of Theorem 3.2 with a down to 1/2."""
    for p in learner_settings(count):
        yield p | {"a": p["a"] / 2}


def constant():
    """C of the corrected order."""
    return bounds.utility_constant(efficient_learner.ORDER)


def explicit(**p):
    """min(1, the explicit bound) at the printed D and the corrected k, at beta/2."""
    sample = {name: p[name] for name in SAMPLE_AND_BUDGET} | {"beta": p["beta"] / 2}
    k = max(1, ceil(efficient_learner.corrected_rows(**sample)))
    return min(1.0, bounds.kernel_excess(k=k, count=ceil(bounds.printed_frequencies(m=p["m"], beta=p["beta"])), **p))


@inequality_claim(
    bounds.corrected_order,
    control=Control(lambda factor: f"log(1/δ) to the power 3/4 - {factor - 1:g}", (1.5, 2)),
    given=["bms22.thm3.2/corrected/utility", bounds.kernel_excess, bounds.printed_penalty],
    rounding=ROUNDING,
    cost=0.5,
)
def risk_within_order(*, factor=1):
    """Theorem 3.2's order at 2a and beta/2 with its constant, and s3, against C = `utility_constant` times this."""

    def g(**p):
        return bounds.corrected_order(**p) * (-log(p["delta"])) ** (1 - factor)

    C, points = efficient_learner.ORDER, list(kernel_settings(300))
    truths = [(p | {"a": 0.5}, risk) for p, risk in one_record()]
    yield from between_orders(bounds.printed_order, bounds.corrected_order, points)
    for p in points:
        chain = C * efficient_learner.corrected_order(**p | {"a": 2 * p["a"], "beta": p["beta"] / 2})
        chain += bounds.printed_penalty(m=p["m"], beta=p["beta"], a=p["a"])
        yield Link("Theorem 3.2 and s3", p, chain, constant() * bounds.corrected_order(**p))
    return within_order(
        g,
        constant(),
        family="one record, delta -> 0",
        truths=truths,
        sampled=(explicit(**p) / g(**p) for p in points),
        truth=truths[0][1] / g(**truths[0][0]),
        scope="everywhere: Phi with independent signs",
    )


def bound_along_m(**_):
    """The explicit bound along m: epsilon = 8, beta = 0.1, a = 1, D = 2^20, the best of six k."""
    sizes = {"epsilon": 8.0, "beta": 0.1, "a": 1.0, "count": 2**20, "calibration": "tight"}
    axis = [2**j for j in range(14, 23)]
    curve = [
        min(bounds.kernel_excess(m=m, k=k, delta=0.1 / m, **sizes) for k in (300, 600, 1500, 2500, 5000, 10_000))
        for m in axis
    ]
    return {"m": axis, "bound": curve, "1": [1.0] * len(axis)}


@inequality_claim(
    bounds.kernel_excess,
    evidence="composition",
    quick=({"releases": 0},),
    full=({"releases": 1}, {"releases": 1, "kept": 0.0}),
    given=["bms22.thm3.2/explicit/utility", bounds.features_penalty],
    rounding=ROUNDING,
    scope="everywhere: Phi with independent signs, every D",
    nonvacuous_from=lambda: bounds.smallest_useful_m(k=1500, count=2**20, epsilon=8.0, beta=0.1, a=1.0),
    figure=bound_along_m,
    cost=0.3,
    note=(
        "the smallest m is for k = 1500, D = 2²⁰, ε = 8, β = 0.1, a = 1 and the tight calibration. A "
        "nonnegative kernel has a least loss of at least 1 − 1/√2 on two classes at a = 1. There the "
        "bound can tell right from wrong labels from m = 2²⁰ on, at k = 2500"
    ),
)
def features_then_learner(*, releases, kept=1.0):
    """Two events of beta/2: s3 for the D that is used, and Theorem 3.2 at 2a for every fixed draw.

    And a release where loss and bound are below 1 together, m = 2^20 and beta = 1/2; with no label right it is above.
    """
    for p in kernel_settings(200):
        k = ceil(80 * log(48 * p["m"] / p["beta"]))
        halved = p | {"a": 2 * p["a"], "beta": p["beta"] / 2}
        for count in (10, ceil(bounds.printed_frequencies(m=p["m"], beta=p["beta"]))):
            cost = bounds.features_penalty(m=p["m"], beta=p["beta"], count=count, a=p["a"])
            total = cost + efficient_learner.learner_excess(k=k, **halved)
            yield p | {"k": k, "D": count}, total, bounds.kernel_excess(k=k, count=count, **p)
    sizes = {"m": 2**20, "k": 2500, "count": 2**18, "epsilon": 8.0, "delta": 0.1 / 2**20, "beta": 0.5}
    excess = bounds.kernel_excess(a=1.0, calibration="tight", **sizes)
    if releases:
        risk, least = clustered_release(np.random.default_rng(0), kept=kept, **sizes)
        if kept == 1:
            yield Link("a release", sizes, risk, least + excess)
            return {"note": f"a release errs on {risk:.3g}, the bound is {least + excess:.3f}"}
        if risk <= 1 - sqrt(1 / 2) + excess:  # with right labels the least loss is at most 1 - 1/sqrt(2)
            return inconclusive("CONTROL_FAILED", f"with all labels wrong a release errs on {risk:.3f} only")
        return {"note": f"with all labels wrong a release errs on {risk:.3g}"}


if __name__ == "__main__":
    run_script(__file__)
