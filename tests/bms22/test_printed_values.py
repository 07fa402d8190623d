"""Formulas that their claims see from one side only, at points where they are numbers that can be computed by hand."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from flint import arb

from bounds.bms22 import (
    bound_sensitivity,
    definitions,
    efficient_learner,
    many_hypotheses,
    matrix_projection,
    pure_learner_proof,
    sign_projection,
)
from mechanisms import phased_sgd


@pytest.mark.parametrize(("c", "d", "half"), [(Fraction(1, 10), 5, Fraction(1, 4)), (Fraction(2, 3), 9, 3)])
def test_a_chance_is_halved_in_the_exponent(c, d, half):
    assert many_hypotheses.log_halved(c=c, d=d, epsilon=Fraction(1, 2), m=1) == -half


def test_the_repaired_deviation_falls_with_the_root_of_k():
    assert matrix_projection.repaired_deviations(m=5, k=20, beta=5 * exp(-5)) == pytest.approx((8, 8))


def test_the_rate_of_networks_at_a_point():
    """theta = log(L m/beta) log(ratio eta^L) = 2 * 1 with L = 1: weight 2 e, and 2 e sqrt(8/m) + 4 e^2 8/(4 m)."""
    m, beta = 8, 8 * exp(-2)
    value = bound_sensitivity.rate_5(m=m, ratio=1.0, layers=1, width=4, eta_norm=exp(1), epsilon=4.0, beta=beta)
    assert value == pytest.approx(2 * exp(1) + exp(2))


def test_the_printed_alpha_at_a_point():
    """a = 2 and beta = 40 e^{-5}: 4 log(m/beta) log(40/beta)/(epsilon m) = 4 (log(16/40) + 5) 5/(0.5 * 16)."""
    sizes = {"norm_bound": 1.0, "radius": 4.0, "rho": 2.0}
    value = pure_learner_proof.printed_alpha(m=16, epsilon=0.5, beta=40 * exp(-5), **sizes)
    assert value == pytest.approx(4 * 5 / 8 * (log(16 / 40) + 5))


def test_every_vector_of_the_union_is_counted():
    """3 m + 1 vectors: 22 at m = 7, four at m = 1."""
    sizes = {"k": 5000, "norm_bound": 1.0, "radius": 1.0, "rho": 0.5}
    one, seven = (pure_learner_proof.projection_failure(m=m, **sizes) for m in (1, 7))
    assert float(seven / one) == pytest.approx(22 / 4)


def test_the_corrected_order_of_rows_at_a_point():
    """log(2m/beta) = 3 at m = 2, beta = 4 e^{-3}; divided by gamma^2 = 1/4."""
    value = sign_projection.sign_projection_order_corrected(m=2, gamma=0.5, beta=4 * exp(-3))
    assert value == pytest.approx(12)


def test_a_quarter_of_beta_is_spent_on_the_margins():
    sizes = {"norm_bound": 1.0, "radius": 1.0, "rho": 0.5}
    assert pure_learner_proof.margin_failure(m=10, beta=0.2, **sizes) == 0.05


def test_the_constant_of_the_efficient_learner():
    """8.93 + 4 (1 + log2 3) sqrt 2 where Lemma 3.1 has the constant 1; 9 where it has none."""
    assert efficient_learner.utility_constant(0.0) == 9.0
    assert efficient_learner.utility_constant(1.0) == pytest.approx(8.93 + 4 * 2.584962500721156 * 1.4142135623730951)


def test_both_tails_of_chernoff_at_a_point():
    """k = 2, t = 1, h = 1/4: 2/e above, (1 - 1/4 + 3/32)^2 below."""
    assert float(sign_projection.chernoff(2, arb(1))) == pytest.approx(2 / exp(1) + (27 / 32) ** 2)


def test_the_hinge_is_measured_in_rho():
    assert definitions.losses(u=Fraction(1, 2), rho=Fraction(2)) == (0, 1, Fraction(3, 4))


def test_a_step_is_divided_by_the_squared_norm_of_its_record():
    """From 0, on the record (0, 2) with rho = 1: 0.4 * 1/4 * 2 = 0.2; the mean is that of 0 and 0.2."""
    records = [(np.array([[0.0, 2.0]]), np.array([0.25]))] * 2
    mean = phased_sgd.average_iterate(np.zeros((1, 2)), records, rho=1.0, pull=0.4, cap=10.0, norm_bound=5.0)
    assert mean == pytest.approx(np.array([[0.0, 0.1]]))
