"""The steps of the printed proofs of Lemmas 6 and 21 of Rubinstein et al. 2009, on pairs of neighbouring databases.

Each is checked on certified pairs, with their certified errors as tolerance, and where it can fail also on the exact
worst pair in rational numbers; that it holds for all others is the derivation in its docstring
(`bounds.rbht09.private_svm`).
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

from bounds.rbht09 import private_svm_proof
from experiments.engine.claim import Control, exact_claim, grid
from experiments.engine.streams import generator
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.instances import svm_neighbours
from experiments.instances.svm_neighbours import ROUNDING, witness


def pairs(setting, loss, most=12):
    """Neighbouring pairs of every family: (V, y, found, i, j)."""
    for kind in svm_neighbours.KINDS:
        V, y, found = svm_neighbours.searched(
            setting["F"], setting["n"], setting["C"], setting["kappa"], loss, kind, size=40
        )
        rng = generator(1, "svm.pairs", {"kind": kind}, "main", 0)
        for i, j in rng.integers(len(V), size=(most, 2)):
            if i != j:
                yield V, y, found, int(i), int(j)


def risk_gradient(V, y, found, i, C):
    """Gradient of the empirical risk at the minimiser of database i, from the dual variables."""
    return -(found.dual[i] * y[i]) @ V[i] / C


STEP = ({"n": 10, "C": 20.0, "F": 4, "kappa": 2.0}, {"n": 2, "C": 0.5, "F": 1, "kappa": 1.0})


@exact_claim(
    private_svm_proof.auxiliary_gradient, quick=STEP, control=Control("C / {} in the second term", (2,)), cost=0.05
)
def auxiliary_gradient_identity(*, factor=1, **setting):
    """C grad R_emp(w_D, D) + w equals the display at random w, up to what (3.2) is missed by."""
    C, F = setting["C"], setting["F"]
    for V, y, found, i, j in pairs(setting, "logistic"):
        first, second = (risk_gradient(V, y, found, k, C) for k in (i, j))
        w = np.linspace(-1, 1, F)
        shown = private_svm_proof.auxiliary_gradient(
            w=w,
            first=found.weights[i],
            second=found.weights[j],
            risk_gradient_first=first,
            risk_gradient_second=second / factor,
            C=C,
        )
        off = float(np.abs(shown - (C * first + w)).max())
        if off > 10 * (found.error[i] + found.error[j]):
            return refuted("certificate", witness(setting, 0.0, off))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(
    private_svm_proof.auxiliary_risk,
    quick=STEP,
    control=Control("(1/2) ||.||^2 times {}", (1.5, 2.5)),
    cost=0.05,
    note="the value is exactly -1/2 ||w_D - w_D'||^2: the factor 2 of the lemma is lost here",
)
def auxiliary_risk_not_positive(*, factor=1, **setting):
    """R~(w_D) <= 0, and equal to minus half the squared distance."""
    C, worst = setting["C"], -inf
    for V, y, found, i, j in pairs(setting, "logistic"):
        first, second = found.weights[i], found.weights[j]
        gradients = [risk_gradient(V, y, found, k, C) for k in (i, j)]
        square = float((first - second) @ (first - second))
        value = private_svm_proof.auxiliary_risk(
            w=first,
            first=first,
            second=second,
            risk_gradient_first=gradients[0],
            risk_gradient_second=gradients[1],
            C=C,
        )
        value += (factor - 1) * square / 2
        slack = 10 * (found.error[i] + found.error[j]) * (1 + square)
        if factor == 1 and abs(value + square / 2) > slack:
            return inconclusive("FAILED", "the value is not -1/2 ||w_D - w_D'||^2")
        worst = max(worst, value - slack)
        if value > slack:
            return refuted("certificate", witness(setting, 0.0, float(value)))
    return holds("derivation", "everywhere", note=f"largest value {worst:.3g}")


def stability(bound, loss, setting, factor):
    """(n / 2C) ||w - w'||^2 <= bound, with the sup taken over x_n and x'_n alone, which is the stronger statement."""
    n, C, kappa = setting["n"], setting["C"], setting["kappa"]
    moved = 2 * C * kappa**2 / n  # f(x_n) - f'(x_n) of the worst pair; n / (2 C) ||w - w'||^2 is the same number
    ratios = [moved / (bound(L=1.0, sup_distance=moved) / factor)]
    for V, _, found, i, j in pairs(setting, loss):
        step = found.weights[i] - found.weights[j]
        error = float(found.error[i] + found.error[j])
        seen = max(abs(V[i, -1] @ step), abs(V[j, -1] @ step)) + kappa * error
        left = n / (2 * C) * max(0.0, float(np.linalg.norm(step)) - error) ** 2
        if left > 0:
            ratios.append(left / (bound(L=1.0, sup_distance=seen) / factor))
    reached = float(max(ratios))
    if reached > 1 + 1e-9:
        sides = {"point": setting, "lhs": [reached, reached], "rhs": [1.0, 1.0]}
        return refuted("certificate", witness(setting, "ratio <= 1", reached, **sides))
    return holds("derivation", "everywhere", tightness=(reached, reached))


@exact_claim(
    private_svm_proof.stability_right_side, quick=STEP, control=Control("right side / {}", (1.5, 2.5)), cost=0.05
)
def smooth_stability(*, factor=1, **setting):
    """(3.3) for the linear and the logistic loss."""
    return stability(private_svm_proof.stability_right_side, "logistic", setting, factor)


@exact_claim(
    private_svm_proof.stability_right_side_subgradient,
    quick=STEP,
    control=Control("right side / {}", (1.5, 2.5)),
    cost=0.05,
)
def any_stability(*, factor=1, **setting):
    """(A.3) for the linear and the hinge loss."""
    return stability(private_svm_proof.stability_right_side_subgradient, "hinge", setting, factor)


def weight_l2(bound, loss, setting, factor):
    """The L2 distance of minimisers against bound / factor: exact worst pair, certified pairs."""
    n, C, kappa = setting["n"], setting["C"], setting["kappa"]
    claimed = bound(n=n, C=C, kappa=kappa) / factor
    reached = 2 * C * kappa / n / claimed
    for _, _, found, i, j in pairs(setting, loss):
        distance = float(np.linalg.norm(found.weights[i] - found.weights[j]) - found.error[i] - found.error[j])
        reached = max(reached, distance / claimed)
    if reached > 1 + 1e-9:
        sides = {"point": setting, "lhs": [reached * claimed] * 2, "rhs": [claimed] * 2}
        return refuted("certificate", witness(setting, claimed, reached * claimed, **sides))
    return holds("derivation", "everywhere", tightness=(reached, reached))


@exact_claim(private_svm_proof.weight_distance, quick=STEP, control=Control("bound / {}", (1.5, 2.5)), cost=0.05)
def smooth_weight_distance(*, factor=1, **setting):
    """||w_D - w_D'||_2 <= 4 L C kappa / n, differentiable loss."""
    return weight_l2(private_svm_proof.weight_distance, "logistic", setting, factor)


@exact_claim(
    private_svm_proof.weight_distance_subgradient, quick=STEP, control=Control("bound / {}", (1.5, 2.5)), cost=0.05
)
def any_weight_distance(*, factor=1, **setting):
    """||w_D - w_D'||_2 <= 4 L C kappa / n, any convex loss."""
    return weight_l2(private_svm_proof.weight_distance_subgradient, "hinge", setting, factor)


@exact_claim(
    private_svm_proof.norm_ratio,
    quick=grid(F=[1, 7]),
    full=grid(F=[100]),
    control=Control("ratio / {}", (1.1,)),
    cost=0.01,
)
def norms_compare(*, F, factor=1):
    """||w||_1^2 <= F ||w||_2^2 in whole numbers: (1, ..., 1) and random vectors; Cauchy-Schwarz for all others."""
    rng = generator(1, "svm.norms", {"F": F}, "main", 0)
    square = Fraction(private_svm_proof.norm_ratio(F=F) / factor) ** 2 * (1 + Fraction(ROUNDING))
    for w in [[1] * F, *rng.integers(-9, 10, (200, F)).tolist()]:
        left, right = sum(map(abs, w)) ** 2, square * sum(x * x for x in w)
        if left > right:
            sides = {"point": {"w": w}, "lhs": [left, left], "rhs": [float(right)] * 2}
            return refuted("enumeration", witness({"F": F}, float(right), left, **sides))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


def display(bound, setting, factor):
    """The display above (A.3) on the exact worst pair (hinge loss): g = 2 delta, n / (2 C) ||.||^2 = delta > 0."""
    n, C, kappa = setting["n"], Fraction(setting["C"]), Fraction(setting["kappa"])
    if not svm_neighbours.hinge_saturates(n=n, C=C, kappa=kappa):
        return inconclusive("FAILED", "the pair needs C kappa^2 <= n")
    moved = 2 * C * kappa**2 / n  # f(x_n) - f'(x_n), x'_n = x_n, y_n = 1, y'_n = -1, subgradients -1 and +1
    g = (1 * moved - (-1) * moved) / factor
    value = bound(n=n, C=C, g=g, squared_distance=(2 * C * kappa / n) ** 2)
    if value > 0:
        code = f"""
from fractions import Fraction
from bounds.rbht09 import private_svm_proof
n, C, kappa = {n}, Fraction({setting["C"]}), Fraction({setting["kappa"]})
moved = 2 * C * kappa**2 / n  # f(x_n) - f'(x_n) when only the last row has a feature, kappa, and its label is flipped
g = ((+1) * moved - (-1) * moved) / {factor}  # hinge subgradients +1 at y'_n = -1 and -1 at y_n = +1
squared = (2 * C * kappa / n) ** 2
assert private_svm_proof.{bound.__name__}(n=n, C=C, g=g, squared_distance=squared) > 0
"""
        sides = {"point": setting, "lhs": [0, 0], "rhs": [float(value)] * 2}
        return refuted("enumeration", witness(setting, "<= 0", float(value), code, **sides))
    for V, y, found, i, j in pairs(setting, "hinge"):
        step = found.weights[i] - found.weights[j]
        slopes = [-y[k, -1] * found.dual[k, -1] * n / setting["C"] for k in (i, j)]
        g = (slopes[1] * (V[j, -1] @ step) - slopes[0] * (V[i, -1] @ step)) / factor
        value = bound(n=n, C=setting["C"], g=float(g), squared_distance=float(step @ step))
        if value > 1e-6 * (1 + n / setting["C"]):
            return refuted("certificate", witness(setting, "<= 0", float(value)))
    return holds("derivation", "everywhere")


SATURATED = ({"n": 10, "C": 0.25, "F": 4, "kappa": 2.0}, {"n": 2, "C": 0.5, "F": 1, "kappa": 1.0})


@exact_claim(
    private_svm_proof.auxiliary_display,
    quick=SATURATED,
    severity="cosmetic",
    cost=0.05,
    note="a sign: the set displayed is the negative of the one bounded; (A.3) survives because only |g| is used",
)
def auxiliary_display_sign(*, factor=1, **setting):
    """Printed: 0 >= g + n / (2C) ||w_D - w_D'||^2."""
    return display(private_svm_proof.auxiliary_display, setting, factor)


@exact_claim(
    private_svm_proof.auxiliary_display_corrected, quick=SATURATED, control=Control("g / {}", (1.5, 2.5)), cost=0.05
)
def auxiliary_display_right_sign(*, factor=1, **setting):
    """Corrected: 0 >= -g + n / (2C) ||w_D - w_D'||^2."""
    return display(private_svm_proof.auxiliary_display_corrected, setting, factor)


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
