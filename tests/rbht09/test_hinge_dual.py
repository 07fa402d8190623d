"""The dual of the hinge loss, Corollary 15's numbers, and the order of Theorem 16."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lemmata.bounds.rbht09 import hinge_dual as bounds, kernel_accuracy
from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.experiments.rbht09 import (
    hinge_dual as claims,
    kernel_accuracy as near,
    kernel_accuracy_proof as near_steps,
)
from lemmata.mechanisms.learners.erm import private_svm


@given(
    z=st.lists(st.fractions(-4, 4, max_denominator=6), min_size=2, max_size=9),
    C=st.fractions(Fraction(1, 7), 100, max_denominator=7),
)
def test_the_solution_on_the_line_is_the_solver_s(z, C):
    """Exact rationals against the interior point: minimiser, dual box, and equal objectives."""
    w, alpha = claims.line_solution(z, C)
    assert all(0 <= a <= C / len(z) for a in alpha)
    assert sum(a * v for a, v in zip(alpha, z, strict=True)) == w
    gram = [[a * b for b in z] for a in z]
    assert bounds.dual_objective(alpha=alpha, labels=[1] * len(z), gram=gram) == claims.primal(w, z, C)
    solved = private_svm.solve([[float(v)] for v in z], np.ones(len(z)), C=float(C), kappa=4.0)
    assert abs(solved.weights[0] - float(w)) <= solved.error + 1e-9


def test_the_dual_objective_as_a_quadratic_form(rng):
    V, y, alpha = rng.normal(size=(6, 3)), rng.choice([-1, 1], 6), rng.random(6)
    value = bounds.dual_objective(alpha=alpha, labels=y, gram=V @ V.T)
    assert value == pytest.approx(alpha.sum() - np.sum(((alpha * y) @ V) ** 2) / 2)


@pytest.mark.parametrize(("acc", "level"), [(4.0, 4.0e4), (2.0, 1.6e6), (1.0, 5.8e7), (0.5, 2.1e9)])
def test_levels_of_the_corollary(acc, level):
    """n beta at the largest lambda of Corollary 15, the logarithm that of 2."""
    assert 2 * claims.corollary_level(acc=acc, delta=0.05, **claims.SPACES[0]) == pytest.approx(level, rel=0.04)


def test_the_stated_theta_is_the_smaller_one():
    setting = {"acc": 1.0, "C": 1.0}
    assert bounds.theta_exact(**setting) / bounds.theta_stated(**setting) == pytest.approx(4096 / 2265.4, rel=1e-4)
    assert kernel_accuracy.closeness(Lambda=1.0, **setting) ** 2 == pytest.approx(bounds.theta_exact(**setting))


@given(a=st.floats(0.7, 40), b=st.floats(0.7, 60), d=st.integers(1, 30), s=st.floats(1e-3, 1e3), C=st.floats(0.01, 100))
def test_the_constant_of_theorem_16_holds_for_every_space(a, b, d, s, C):
    place, space = {"acc": exp(-a), "delta": exp(-b)}, {"d": d, "sigma_p": s, "diam": 1.0, "C": C}
    level = bounds.privacy_level(**place, **space)
    assert level <= claims.order_constant(**space) * bounds.privacy_order_compact(**place)


def test_the_slopes_in_both_readings():
    """Over five decades: -5 less a logarithm, -3 less two logarithms, and the printed order between."""
    slopes = claims.slopes()
    product, logarithm, compact, printed = (slopes[name] for name in list(slopes)[1:])
    assert all(5.0 < s < 5.2 for s in product)
    assert all(3.0 < s < 3.3 for s in (*logarithm, *compact))
    assert printed[-1] > compact[-1] > 3


@given(count=st.integers(5, 10**12))
def test_the_first_case_is_outside_the_range_from_five_features_on(count):
    assert 1 / (16 * log(2 * sqrt(count))) > bounds.first_case_noise(acc=1.0, count=count)


@pytest.mark.parametrize(
    ("module", "name", "factor", "check", "setting"),
    [
        (kernel_accuracy, "noise_tail_halved", 2, near.noise_moves_little, {"count": 20}),
        (kernel_accuracy, "drift_tail", 2, near.noise_over_a_compact_set, {"count": 1000, "d": 1}),
        (kernel_accuracy, "solution_distance", 2, near_steps.near_kernels_near_solutions, {}),
        (kernel_accuracy, "same_dual_distance", 2, near_steps.near_kernels_by_the_gap, {}),
        (kernel_accuracy, "closeness", 0.5, near.features_by_lemma_13, {"acc": 0.1, "delta": 0.05}),
        (kernel_accuracy, "noise_range", 0.5, near.useful_with_the_root_of_d_hat, {"acc": 0.5, "delta": 0.05}),
        (kernel_accuracy, "features_for", 2, claims.hinge_features_suffice, {"acc": 0.1, "C": 2.0}),
        (kernel_accuracy, "noise_range", 0.5, claims.hinge_useful, {"acc": 0.5, "delta": 0.05}),
        (kernel_accuracy, "noise_range_compact", 0.5, claims.private_and_useful, {"n": 100}),
        (bounds, "privacy_level", 2, claims.level_is_of_the_order, {}),
        (bounds, "theta_exact", 0.5, claims.stated_theta_below, {}),
        (bounds, "dual_objective", 1.001, claims.primal_is_dual, {"C": 20.0, "kernel": "gaussian"}),
    ],
)
def test_a_step_that_says_otherwise_breaks_what_rests_on_it(monkeypatch, module, name, factor, check, setting):
    true = getattr(module, name)
    assert check(**setting).outcome == HOLDS
    monkeypatch.setattr(module, name, lambda **arguments: factor * true(**arguments))
    assert check(**setting).outcome == REFUTED
