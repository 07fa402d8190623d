"""Lemmas 12 and 22 of Rubinstein et al. 2009: do near kernels have near SVMs? The steps of the proof, and both lemmas.

Each step's function is called with the result of the step before it. It is compared with the quantity that the step
bounds: pairs of SVMs that were solved with a certificate.
"""

from fractions import Fraction
from itertools import product
from math import exp, pi, sqrt
from statistics import NormalDist

import numpy as np

from lemmata.bounds.rbht09 import kernel_accuracy as bounds, kernel_accuracy_proof as steps
from lemmata.experiments.checks import Control, identity_claim, inequality_claim, run_script, up_to_one
from lemmata.experiments.instances.classes.nearby_kernels import solved_pair
from lemmata.mechanisms.numerics.streams import generator

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


@inequality_claim(bounds.same_dual_distance, rounding=1e-9, **PAIRS)
def one_combination_of_two_kernels(**problem):
    """|f* - g_alpha| on M against eta times the L1-norm of the dual variables: equal at the far point."""
    for setting, pair in nearby_pairs(**problem):
        yield setting, pair.same_dual, bounds.same_dual_distance(eta=pair.eta, Lambda=pair.first)


@inequality_claim(bounds.risk_change, given=[bounds.same_dual_distance], rounding=1e-9, **PAIRS)
def risks_of_one_combination(**problem):
    """C L for the losses and Lambda / 2 for the norms, each times the step before; and the risks themselves."""
    C = problem["C"]
    for eta, Lambda, L in product((1e-3, 0.7), (0.3, 5.0), (1.0, 0.25)):
        before = bounds.same_dual_distance(eta=eta, Lambda=Lambda)
        claimed = bounds.risk_change(eta=eta, C=C, Lambda=Lambda, L=L)
        yield {"eta": eta, "Lambda": Lambda, "L": L}, C * L * before + Lambda / 2 * before, claimed
    for setting, pair in nearby_pairs(**problem):
        yield setting, pair.risks - 1e-12 * (1 + C), bounds.risk_change(eta=pair.eta, C=C, Lambda=pair.Lambda)


@inequality_claim(
    bounds.solution_distance, given=[bounds.risk_change, bounds.distance_of_excess], rounding=1e-9, **PAIRS
)
def combination_is_nearly_optimal(**problem):
    """Lemma 11 with a = 1 at twice the change of the risk, to which the step is equal; and solved pairs."""
    C = problem["C"]
    for eta, Lambda, L in product((1e-3, 0.7), (0.3, 5.0), (1.0, 0.25)):
        setting = {"eta": eta, "C": C, "Lambda": Lambda, "L": L}
        excess = 2 * bounds.risk_change(**setting)
        yield setting, bounds.distance_of_excess(excess=excess), bounds.solution_distance(**setting)
    for setting, pair in nearby_pairs(**problem):
        yield setting, pair.moved, bounds.solution_distance(eta=pair.eta, C=C, Lambda=pair.Lambda)


def two_records(C, between, under):
    """The risk under k(x_1, x_2) = `under` of the SVM of k(x_1, x_2) = `between`: labels +1, hinge loss.

    For C (1 + between)/2 <= 1 no margin passes 1, and both dual variables are C/2.
    """
    margin = C * (1 + under) / 2
    return C * max(0, 1 - margin) + C**2 * (1 + under) / 4


def chains(statement):
    """Cases: R_H[f_beta] and the change of the risk against the end of the chain, exactly, both kernels in turn."""
    for C, (k, k_hat) in product(
        (Fraction(1, 2), Fraction(1, 9)), ((0, Fraction(1, 2)), (Fraction(3, 4), Fraction(1, 4)))
    ):
        place = {"eta": abs(Fraction(k) - k_hat), "C": C, "Lambda": C}
        left = two_records(C, k_hat, k) + bounds.risk_change(**place)
        yield place | {"k": k, "k_hat": k_hat}, left, two_records(C, k_hat, k_hat) + statement(**place)


@inequality_claim(
    bounds.end_of_the_chain,
    severity="constant",
    misprint="read 2(CL + Λ/2)Λε′ at the end, of which (4.4) takes the root",
    python="""
from fractions import Fraction
from lemmata.bounds.rbht09.kernel_accuracy import end_of_the_chain, risk_change
# Hinge loss, two records labelled +1, k = 0 between them and k_hat = 1/2, C = 1/2: no margin reaches 1, so all dual
# variables are C/2, and both risks are C - C^2 (1 + k(x_1, x_2))/4.
C, between = Fraction(1, 2), Fraction(1, 2)
before, after = (C - C**2 * (1 + k) / 4 for k in (0, between))  # R_H[f_beta] and R_H^[g*]
place = dict(eta=between, C=C, Lambda=C)
assert before + risk_change(**place) > after + end_of_the_chain(**place)
""",
    note="from f_β in H to g* the risk changes once more, as the sentence before says; the chain omits that and writes "
    "its last link twice",
)
def change_is_due_twice():
    """Two records, exactly."""
    return chains(bounds.end_of_the_chain)


@inequality_claim(
    bounds.end_of_the_whole_chain,
    given=[bounds.risk_change],
    tightness=up_to_one,
    control=Control("the change of the risk divided by {}", (1.001, 1.8, 3)),
)
def whole_chain(*, factor=1):
    """Two records, exactly, and the second change as the step before bounds it."""
    for place, left, right in chains(bounds.end_of_the_whole_chain):
        change = bounds.end_of_the_whole_chain(**{name: place[name] for name in ("eta", "C", "Lambda")})
        yield place, left, right - change + change / Fraction(factor)
    for eta, C, Lambda, L in product(
        (Fraction(1, 8), 1), (Fraction(1, 2), 7), (Fraction(1, 3), 5), (Fraction(1, 4), 1)
    ):
        place = {"eta": eta, "C": C, "Lambda": Lambda, "L": L}
        twice = bounds.end_of_the_whole_chain(**place) / Fraction(factor)
        yield place | {"of": "both changes"}, 2 * bounds.risk_change(**place), twice


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
    return {"note": f"solved pairs reach {max(fractions):.3f} of the bound", "tightness": (max(fractions), 1.0)}


SMOOTHNESS = {"caught": (1.05, 2), "rounding": 1e-9, "cost": 0.3}
STEPS = [bounds.same_dual_distance, bounds.solution_distance]


@inequality_claim(bounds.closeness, given=STEPS, **SMOOTHNESS)
def near_kernels_near_solutions():
    """Lemma 22 as printed, hinge loss."""
    return (yield from printed_closeness(bounds.closeness, "hinge"))


@inequality_claim(bounds.closeness_smooth, given=STEPS, **SMOOTHNESS)
def near_kernels_near_smooth_solutions():
    """Lemma 12 as printed, logistic loss."""
    return (yield from printed_closeness(bounds.closeness_smooth, "logistic"))


def closeness_through_the_gap(bound, loss):
    """eta Lambda of (4.3), and the root of the duality gap: (4.3) C L times for the losses, Lambda times for norms."""
    for (C, Lambda, L), acc in product(PROBLEMS, (1e-6, 0.3, 20.0)):
        setting = {"acc": acc, "C": C, "Lambda": Lambda, "L": L}
        near = bounds.same_dual_distance(eta=bound(**setting), Lambda=Lambda)
        yield setting, near + sqrt(C * L * near + Lambda * near), acc / 2
    return (yield from solved(bound, loss, dual=lambda pair: pair.first))


@inequality_claim(bounds.closeness_by_gap, given=[bounds.same_dual_distance], **SMOOTHNESS)
def near_kernels_by_the_gap():
    """Lemma 22 through the duality gap, hinge loss."""
    return (yield from closeness_through_the_gap(bounds.closeness_by_gap, "hinge"))


@inequality_claim(bounds.closeness_smooth_by_gap, given=[bounds.same_dual_distance], **SMOOTHNESS)
def near_smooth_kernels_by_the_gap():
    """Lemma 12 through the duality gap, logistic loss."""
    return (yield from closeness_through_the_gap(bounds.closeness_smooth_by_gap, "logistic"))


# Theorem 14: its events -----------------------------------------------------------------------------------------------


RATIO = sqrt(2)  # of two frequencies that a density may draw


def chances_of_small_noise(level):
    """(a lower bound for equal frequencies, an upper bound for the frequencies 1 and 2) of Pr(C), noise of scale 1.

    C is the event that |cos_1 x + ... + sin_2 x| / sqrt(2) is at most `level` for every x; Laplace coefficients. Equal
    frequencies add their coefficients, and C is certain where both sums are at most `level`. Else each coefficient is a
    Fourier coefficient of the sum, and at most 4/pi of its supremum.
    """
    sums = 1 - (1 + level / 2) * exp(-level)
    return sums**2, (1 - exp(-4 * sqrt(2) * level / pi)) ** 4


@inequality_claim(
    steps.independent_chance,
    severity="statement",
    corner=steps.DENSITY,
    finding="with atoms in p the noise's event depends on the frequencies",
    python="""from math import exp, pi, sqrt
from lemmata.bounds.rbht09.kernel_accuracy_proof import independent_chance
# p is uniform on {1, 2}, two frequencies, M = [0, pi]. If they differ, k-hat = k, so A; if not, k-hat - k reaches 1.
level = 0.05  # of the noise, in its scales
same, apart = (1 - (1 + level / 2) * exp(-level)) ** 2, (1 - exp(-4 * sqrt(2) * level / pi)) ** 4
chance = (same + 0) / 2  # at least; Pr(C | A) is at most `apart`
assert chance > independent_chance(conditional=apart, atoms=True)""",
    note="true where p has a density, and not needed: given any frequencies, Pr(C) ≥ 1 − δ/2",
)
def atoms_repeat():
    """p uniform on {1, 2} and two frequencies: a lower bound of Pr(C) and an upper bound of Pr(C | A)."""
    for level in (0.05, 0.02):
        same, apart = chances_of_small_noise(level)
        setting = {"d-hat": 2, "level": level, "atoms": True}
        yield setting, same / 2, steps.independent_chance(conditional=apart, atoms=True)


@inequality_claim(
    steps.independent_chance_of_density,
    control=Control("the frequency √2 divided by {}", (RATIO,)),
    scope="everywhere",
)
def incommensurable_frequencies(*, factor=1):
    """Shares of noise vectors in C: by their supremum over x, and by the sum of the amplitudes."""
    rng, x = generator(1, "svm.phases", {}, "main", 0), np.arange(0, 4000, 0.05)
    noise = rng.laplace(size=(60, 4))
    sums = np.hypot(noise[:, 0], noise[:, 1]) + np.hypot(noise[:, 2], noise[:, 3])
    waves = np.stack([np.cos(x), np.sin(x), np.cos(RATIO / factor * x), np.sin(RATIO / factor * x)])
    highest = np.abs(noise @ waves).max(axis=1)
    for level in (2.0, 3.0, 4.0):
        clear = np.abs(sums - level) > 0.05 * level  # of the others a grid of x does not decide
        share = float((sums[clear] <= level).mean())
        yield (
            {"level": level},
            float((highest[clear] <= level).mean()),
            steps.independent_chance_of_density(conditional=share, atoms=False),
        )


@identity_claim(
    steps.joint_chance,
    severity="statement",
    misprint="read ≥ for =, which is what the line needs",
    python="""from statistics import NormalDist
from lemmata.bounds.rbht09.kernel_accuracy_proof import joint_chance
# A constant loss: f* = 0, so D is about the noise alone, Pr(D | A) = Pr(D) = q. RBF kernel, sigma = 1/3, one frequency:
# beyond |rho| = pi the error of k-hat on M = [0, 1] is above 1, which is not A.
q, event = 0.9, 1 - 2 * NormalDist().cdf(-3.141592653589793 / 3)  # Pr(A) is at most this
assert abs(q - joint_chance(conditional=q, event=event)) > 0.01""",
    note="D may happen without A",
)
def theorem_without_near_kernels():
    """A constant loss, whose D does not depend on A: Pr(D), and Pr(D | A) times an upper bound of Pr(A)."""
    event = 1 - 2 * NormalDist().cdf(-pi / 3)
    yield {"loss": "constant", "Pr(D)": 0.9}, 0.9, steps.joint_chance(conditional=0.9, event=event)


@inequality_claim(steps.joint_chance_at_least, scope="everywhere")
def total_probability():
    """Pr(D) with any share of D outside A, which is least where there is none."""
    for conditional, event, beyond in product((0.1, 0.9, 1.0), (0.3, 0.999), (0.0, 0.5)):
        value = steps.joint_chance_at_least(conditional=conditional, event=event)
        yield {"conditional": conditional, "event": event}, value, conditional * event + beyond * (1 - event)


if __name__ == "__main__":
    run_script(__file__)
