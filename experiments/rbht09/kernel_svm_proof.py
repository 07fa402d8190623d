"""rbht09's Section 4, its steps: Lemma 10's noise, Lemma 12's kernels, Theorem 14's features; and what they cost.

Each step's function is called with what the step before it returns. Beside it stands what the step bounds: the Erlang
tail itself, and pairs of SVMs that were solved with a certificate.
"""

from __future__ import annotations

from itertools import product
from math import log, sqrt

import numpy as np

from bounds.rbht09 import hinge_dual, kernel_svm, svm_accuracy
from bounds.rbht09 import kernel_svm_proof as bounds
from bounds.rbht09.random_features import uniform_features_normalised
from experiments.checks import ROUNDING, inequality_claim
from experiments.checks.order import order_claim
from experiments.engine.claim import grid, script
from experiments.engine.streams import generator
from experiments.instances.nearby_kernels import solved_pair
from experiments.rbht09.svm_accuracy import erlang_tail

EXPONENTS = 1e-10  # relative: e^x in floats, |x| up to a thousand

# Lemma 10 -------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.noise_tail,
    quick=grid(count=[1, 20]),
    full=grid(count=[4, 300]),
    caught=(1.01, 2),
    given=[svm_accuracy.chernoff_tail],
    rounding=EXPONENTS,
)
def noise_by_chernoff(*, count):
    """Theorem 8's bound for 2 d_hat features of size d_hat^(-1/2) and accuracy acc / 2, and the tail it bounds."""
    for z, (acc, scaled) in product((0.3, 1.0, 3.0, 8.0), ((1.0, 1.0), (0.01, 5.0))):
        lam = acc * sqrt(count) / (4 * min(z * count, 600))  # z = 1 at the mean of the noise; floats end at e^-700
        claimed = bounds.noise_tail(acc=acc, lam=lam, count=count)
        chernoff = svm_accuracy.chernoff_tail(acc=acc / 2 * scaled, lam=lam * scaled, Phi=count**-0.5, F=2 * count)
        yield {"count": count, "acc": acc, "lam": lam}, chernoff, claimed
        yield {"count": count, "acc": acc, "lam": lam}, erlang_tail(2 * count, acc * sqrt(count) / (2 * lam)), claimed


@inequality_claim(
    bounds.noise_tail_halved,
    quick=grid(count=[1, 20]),
    full=grid(count=[300]),
    caught=(1.01, 2),
    given=[bounds.noise_tail],
    rounding=EXPONENTS,
)
def half_of_the_exponent_pays(*, count):
    """The tail of the step before at the largest lambda of the hypothesis, where the two are equal, and below it."""
    for acc, share in product((1.0, 0.01), (1.0, 0.9, 0.3)):
        setting = {"acc": acc, "lam": share * acc / (16 * log(2) * sqrt(count)), "count": count}
        yield setting, bounds.noise_tail(**setting), bounds.noise_tail_halved(**setting)


# Lemma 12 -------------------------------------------------------------------------------------------------------------

PAIRS = {
    "quick": ({"C": 0.5, "loss": "hinge"}, {"C": 20.0, "loss": "logistic"}),
    "full": ({"C": 0.5, "loss": "logistic"}, {"C": 20.0, "loss": "hinge"}, {"C": 1e3, "loss": "hinge"}),
}


def nearby_pairs(*, C, loss, most=9):
    """(setting, measured pair) with eta <= 1: one far point where the kernels differ by 1, then random instances."""
    y = np.full(4, -1.0)
    yield (
        {"data": "one point"},
        solved_pair(np.zeros((4, 1)), y, np.zeros((1, 1)), np.full((1, 1), 12.0), C=C, loss=loss),
    )
    rng, grid_of_M = generator(1, "svm.nearby", {"C": C, "loss": loss}, "main", 0), np.linspace(-1, 1, 41)[:, None]
    for trial in range(most):
        n, count, kernel = 2 + trial % 7, (3, 30, 300)[trial % 3], ("gaussian", "cauchy", "laplacian")[trial % 3]
        X, omega = rng.uniform(-1, 1, (n, 1)), rng.normal(size=(count, 1))
        pair = solved_pair(X, rng.choice([-1.0, 1.0], n), omega, grid_of_M, C=C, kernel=kernel, loss=loss)
        if pair.eta <= 1:
            yield {"trial": trial, "kernel": kernel}, pair


@inequality_claim(bounds.same_dual_distance, caught=(1.01, 2), rounding=1e-9, **PAIRS)
def one_combination_of_two_kernels(**problem):
    """|f* - g_alpha| on M against eta times the L1-norm of the dual variables: equal at the far point."""
    for setting, pair in nearby_pairs(**problem):
        yield setting, pair.same_dual, bounds.same_dual_distance(eta=pair.eta, Lambda=pair.first)


@inequality_claim(bounds.risk_change, caught=(1.01, 2), given=[bounds.same_dual_distance], rounding=1e-9, **PAIRS)
def risks_of_one_combination(**problem):
    """C L for the losses and Lambda / 2 for the norms, each times the step before; and the risks themselves."""
    C = problem["C"]
    for eta, Lambda, L in product((1e-3, 0.7), (0.3, 5.0), (1.0, 0.25)):
        before = bounds.same_dual_distance(eta=eta, Lambda=Lambda)
        claimed = bounds.risk_change(eta=eta, C=C, Lambda=Lambda, L=L)
        yield {"eta": eta, "Lambda": Lambda, "L": L}, C * L * before + Lambda / 2 * before, claimed
    for setting, pair in nearby_pairs(**problem):
        noise = 1e-12 * (1 + C)
        yield setting, pair.risks - noise, bounds.risk_change(eta=pair.eta, C=C, Lambda=pair.Lambda)


@inequality_claim(
    bounds.solution_distance,
    caught=(1.01, 2),
    given=[bounds.risk_change, kernel_svm.distance_of_excess],
    rounding=1e-9,
    **PAIRS,
)
def combination_is_nearly_optimal(**problem):
    """Lemma 11 with a = 1 at twice the change of the risk, to which the step is equal; and solved pairs."""
    C = problem["C"]
    for eta, Lambda, L in product((1e-3, 0.7), (0.3, 5.0), (1.0, 0.25)):
        setting = {"eta": eta, "C": C, "Lambda": Lambda, "L": L}
        excess = 2 * bounds.risk_change(**setting)
        yield setting, kernel_svm.distance_of_excess(excess=excess), bounds.solution_distance(**setting)
    for setting, pair in nearby_pairs(**problem):
        yield setting, pair.moved, bounds.solution_distance(eta=pair.eta, C=C, Lambda=pair.Lambda)


# Lemmas 12 and 22 -----------------------------------------------------------------------------------------------------

PROBLEMS = tuple(product((1.0, 0.2, 30.0), (1.0, 4.0), (1.0, 0.5)))  # C, Lambda, L


def printed_closeness(bound, loss):
    """The chain of the proof at the printed eta: (4.3), Lemma 11 at twice the risks' change, and their sum.

    It is equal to acc / 2 where eta = 1 is asked for exactly, acc = 2 (Lambda + 2 sqrt(...)). Then solved pairs.
    """
    for C, Lambda, L in PROBLEMS:
        widest = 2 * (Lambda + bounds.solution_distance(eta=1, C=C, Lambda=Lambda, L=L))
        for acc in (widest, 1.3 * widest, 0.999 * widest, 0.1 * widest, 1e-6):
            setting = {"acc": acc, "C": C, "Lambda": Lambda, "L": L}
            eta = bound(**setting)
            near = bounds.same_dual_distance(eta=eta, Lambda=Lambda)
            yield setting, near + bounds.solution_distance(eta=eta, C=C, Lambda=Lambda, L=L), acc / 2
    return (yield from solved(bound, loss))


def solved(bound, loss, dual=lambda pair: pair.Lambda):
    """Pairs of SVMs: their distance on M against acc / 2 at the acc for which the bound asks for their eta."""
    fractions = []
    for setting in (problem for problem in (*PAIRS["quick"], *PAIRS["full"]) if problem["loss"] == loss):
        for point, pair in nearby_pairs(**setting):
            low, high, problem = 0.0, 100.0 * (setting["C"] + 1), {"C": setting["C"], "Lambda": dual(pair)}
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (low, middle) if bound(acc=middle, **problem) >= pair.eta else (middle, high)
            yield setting | point, pair.distance, high / 2
            fractions.append(pair.distance * 2 / high)
    return {"note": f"solved pairs come to {max(fractions):.3f} of it", "tightness": (max(fractions), 1.0)}


SMOOTHNESS = {"caught": (1.05, 2), "rounding": 1e-9, "cost": 0.3}
STEPS = [bounds.same_dual_distance, bounds.solution_distance]


@inequality_claim(kernel_svm.closeness, given=STEPS, **SMOOTHNESS)
def near_kernels_near_solutions():
    """Lemma 22 as printed, hinge loss."""
    return (yield from printed_closeness(kernel_svm.closeness, "hinge"))


@inequality_claim(kernel_svm.closeness_smooth, given=STEPS, **SMOOTHNESS)
def near_kernels_near_smooth_solutions():
    """Lemma 12 as printed, logistic loss."""
    return (yield from printed_closeness(kernel_svm.closeness_smooth, "logistic"))


def closeness_through_the_gap(bound, loss):
    """eta Lambda of (4.3), and the root of the duality gap: (4.3) C L times for the losses, Lambda times for norms."""
    for (C, Lambda, L), acc in product(PROBLEMS, (1e-6, 0.3, 20.0)):
        setting = {"acc": acc, "C": C, "Lambda": Lambda, "L": L}
        near = bounds.same_dual_distance(eta=bound(**setting), Lambda=Lambda)
        yield setting, near + sqrt(C * L * near + Lambda * near), acc / 2
    return (yield from solved(bound, loss, dual=lambda pair: pair.first))


@inequality_claim(kernel_svm.closeness_by_gap, given=[bounds.same_dual_distance], **SMOOTHNESS)
def near_kernels_by_the_gap():
    """Lemma 22 through the duality gap, hinge loss."""
    return (yield from closeness_through_the_gap(kernel_svm.closeness_by_gap, "hinge"))


@inequality_claim(kernel_svm.closeness_smooth_by_gap, given=[bounds.same_dual_distance], **SMOOTHNESS)
def near_smooth_kernels_by_the_gap():
    """Lemma 12 through the duality gap, logistic loss."""
    return (yield from closeness_through_the_gap(kernel_svm.closeness_smooth_by_gap, "logistic"))


# Theorem 14 -----------------------------------------------------------------------------------------------------------

SPACES = (
    {"d": 1, "sigma_p": 1.0, "diam": 2.0, "C": 1.0, "Lambda": 1.0},
    {"d": 20, "sigma_p": 0.3, "diam": 1e-3, "C": 30.0, "Lambda": 2.0, "L": 0.5},
)


@inequality_claim(
    bounds.features_for,
    quick=grid(acc=[0.1, 30.0], delta=[0.05]),
    full=grid(acc=[1e-3, 1.0], delta=[0.999, 1e-9]),
    caught=(1.01, 2),
    given=[uniform_features_normalised, kernel_svm.closeness],
    rounding=ROUNDING,
)
def features_by_lemma_13(*, acc, delta):
    """Lemma 13 at the accuracy that Lemma 22 asks for and confidence delta / 2: the very number that is printed."""
    for space in SPACES:
        problem = {name: space[name] for name in ("C", "Lambda", "L") if name in space}
        eta = kernel_svm.closeness(acc=acc, **problem)
        place = {name: space[name] for name in ("d", "sigma_p", "diam")}
        needed = uniform_features_normalised(eps=eta, delta=delta / 2, **place)
        claimed = bounds.features_for(acc=acc, delta=delta, **space)
        if needed > 0:
            yield {"acc": acc, "delta": delta} | space, needed, claimed


# Section 4: what it costs ---------------------------------------------------------------------------------------------


def gram_products(n, d, count):
    """Multiplications: n d_hat products <rho_j, x_i> of d terms, then 2 d_hat for each of n (n + 1) / 2 entries."""
    return n * count * d + n * (n + 1) * count


@order_claim(
    kernel_svm.gram_order,
    family="n and d̂ fixed, d → ∞: each ⟨ρ_j, x_i⟩ costs d multiplications",
    severity="constant",
    corner="d ≤ n",
    python=lambda *_: (
        "from bounds.rbht09.kernel_svm import gram_order\nn, count = 10, 50\n"
        "for d in (100, 1000, 10_000):  # the products <rho_j, x_i> alone\n"
        "    assert n * count * d >= d / n * gram_order(n=n, d=d, count=count)\nassert d / n == 1000"
    ),
    note="The products ⟨ρ_j, x⟩ are not counted; two sentences later d is, for the exact kernel: O(d n²).",
)
def gram_of_long_records():
    """d = 10 n, 100 n, 1000 n."""
    for d in (100, 1000, 10_000):
        setting = {"n": 10, "d": d, "count": 50}
        yield setting, gram_products(**setting), kernel_svm.gram_order(**setting)


@order_claim(kernel_svm.gram_order_corrected, constant=4 / 3, caught=(1.01, 2), rounding=ROUNDING)
def gram_of_all_records():
    """n d_hat (d + n + 1) <= 4/3 n d_hat (n + d), with equality at n = 2, d = 1; at most 8/3 n^2 d_hat for d <= n."""
    for n, d, count in product((2, 3, 100), (1, 2, 7, 100, 1000), (1, 500)):
        setting = {"n": n, "d": d, "count": count}
        yield setting, gram_products(**setting), kernel_svm.gram_order_corrected(**setting)
        if d <= n:
            yield setting | {"of": "the printed order"}, gram_products(**setting), 2 * kernel_svm.gram_order(**setting)


@order_claim(
    kernel_svm.features_order,
    family="C → ∞: Corollary 15 asks for a number of features proportional to C⁴",
    severity="constant",
    corner="C and σ_p diam(𝓜) fixed, ε and δ at most 1/2",
    python=lambda *_: (
        "from bounds.rbht09.hinge_dual import hinge_features\n"
        "place = dict(acc=0.1, delta=0.05, d=1, sigma_p=1.0, diam=2.0)  # the order is the same for every C\n"
        "one, three, nine = (hinge_features(C=C, **place) for C in (1.0, 3.0, 9.0))\n"
        "assert three > 81 * one and nine > 81 * three"
    ),
    note="The order names neither C, whose fourth power the number takes, nor σ_p diam(𝓜); log(1/ε) < 0 for ε > 1.",
)
def features_for_large_C():
    """C = 1, 3, 9 at eps = 0.1, delta = 0.05."""
    for C in (1.0, 3.0, 9.0):
        setting = {"acc": 0.1, "delta": 0.05, "d": 1}
        truth = hinge_dual.hinge_features(sigma_p=1.0, diam=2.0, C=C, **setting)
        yield setting | {"C": C}, truth, kernel_svm.features_order(**setting)


@order_claim(
    kernel_svm.features_order_corrected,
    constant=12 * 2**12 * 14,
    caught=(1.01, 2),
    given=[hinge_dual.hinge_features],
    rounding=ROUNDING,
    note="Largest at d = 1, ε = δ = 1/2: the number is 4 (d + 2) 2¹² ε⁻⁴ (log(2²³/δ) + 4 log(1/ε)), d + 2 ≤ 3 d, and "
    "the logarithms are at most 14 times log(1/δ) + log(1/ε).",
)
def features_for_fixed_C():
    """eps and delta from 1/2 down, C = 1, sigma_p diam = 2, d = 1 and more."""
    for acc, delta, d in product((0.5, 0.1, 1e-3), (0.5, 0.05, 1e-9), (1, 2, 50)):
        setting = {"acc": acc, "delta": delta, "d": d}
        yield (
            setting,
            hinge_dual.hinge_features(sigma_p=1.0, diam=2.0, **setting),
            kernel_svm.features_order_corrected(**setting),
        )


if __name__ == "__main__":
    script(__spec__.name)
