"""Repetitions of private tuning: exact thresholds against slow twins, the printed ones against their witnesses."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.theorem import OutsideHypotheses
from bounds.wzw25 import repetition_growth, run_counts
from bounds.wzw25 import repetitions as rates
from experiments.engine.claim import CLAIMS
from experiments.engine.verdict import HOLDS
from experiments.wzw25 import repetition_growth as rate_claims
from experiments.wzw25 import repetitions as claims

property_test = settings(derandomize=True, deadline=None, max_examples=60)
any_eta = st.floats(-0.9, 50)
any_size = st.integers(2, 10**6)
any_beta = st.floats(1e-6, 0.999)


@given(eta=any_eta, r=st.floats(1e-6, 0.999), size=any_size)
@property_test
def test_missing_is_a_sum_over_the_number_of_runs(eta, r, size):
    if r < 0.05:
        r = 0.05  # the slow twin sums the series
    k = np.arange(1, 3000)
    slow = (run_counts.pmf(eta=eta, r=r, k=k) * np.exp(k * np.log1p(-1 / size))).sum()
    assert rates.not_selected(eta=eta, r=r, size=size) == pytest.approx(slow, rel=1e-8, abs=1e-14)


@given(r=st.floats(1e-6, 0.999), beta=any_beta, size=any_size)
@property_test
def test_the_corrected_lemma_decides(r, beta, size):
    """Failure <= beta and 1/r >= repetitions are one condition, in rationals."""
    r, beta = Fraction(r), Fraction(beta)
    failure = r * (1 - Fraction(1, size)) / (1 - (1 - r) * (1 - Fraction(1, size)))
    assert (failure <= beta) == (1 / r >= rates.repetitions(beta=beta, size=size))
    assert (failure <= beta) == (rates.cleared_slack(r=r, beta=beta, size=Fraction(size)) >= 0)


@given(beta=any_beta, size=any_size)
@property_test
def test_the_closed_form_at_one_is_the_general_threshold(beta, size):
    need = rates.repetitions(beta=beta, size=size)
    assert 1 / rates.largest_r(eta=1, beta=beta, size=size) == pytest.approx(max(1.0, need), rel=1e-6)
    assert rates.largest_r_geometric(beta=beta, size=size) == pytest.approx(1 / need, rel=1e-12)


@given(eta=st.floats(0.05, 50), beta=st.floats(1e-6, 0.9), size=any_size)
@property_test
def test_the_exact_threshold_inverts_the_failure_probability(eta, beta, size):
    r = rates.largest_r(eta=eta, beta=beta, size=size)
    if r < 1:
        assert rates.not_selected(eta=eta, r=r, size=size) == pytest.approx(beta, rel=1e-8)
        assert r >= rates.largest_r_as_printed(eta=eta, beta=beta, size=size) * (1 - 1e-9)


@given(eta=st.floats(-0.95, -0.05), size=any_size)
@property_test
def test_below_zero_no_r_makes_failure_small(eta, size):
    floor = rates.unavoidable_failure(eta=eta, r=1e-6, size=size)
    assert rates.not_selected(eta=eta, r=1e-6, size=size) > floor
    assert rates.largest_r(eta=eta, beta=floor * 0.99, size=size) == 0


def test_one_candidate_is_always_drawn():
    assert rates.not_selected(eta=-0.5, r=0.3, size=1) == 0
    assert rates.largest_r(eta=2, beta=0.01, size=1) == 1
    assert rates.repetitions(beta=0.01, size=1) == 0
    with pytest.raises(OutsideHypotheses, match="size = 1 is outside the hypothesis: size a whole number >= 2"):
        rates.repetitions_as_printed(beta=0.01, size=1)


def test_the_printed_lemma_is_the_reciprocal_of_its_proof():
    """Lemma 7.2 asks 1/r >= x where its proof ends in r <= x."""
    printed = rates.repetitions_as_printed(beta=0.1, size=9)
    assert printed == pytest.approx(rates.largest_r_geometric(beta=0.1, size=9))
    assert printed < 1 < rates.repetitions(beta=0.1, size=9)


@given(n=st.integers(8, 10**9), alpha=st.floats(0.1, 2), eta=st.floats(0.2, 50), size=st.integers(2, 1000))
@property_test
def test_the_lower_bounds_on_the_repetitions_hold(n, alpha, eta, size):
    r = rates.largest_r(eta=eta, beta=n**-alpha, size=size)
    need = 1.0 if r == 1 else run_counts.mean(eta=eta, r=r)
    assert need >= repetition_growth.expected_repetitions(n=n, alpha=alpha, eta=eta) * (1 - 1e-6)
    assert need >= repetition_growth.repetitions_of_any_law(n=n, alpha=alpha, size=size) * (1 - 1e-6)
    assert 1 / r >= repetition_growth.inverse_r(n=n, alpha=alpha, eta=eta) * (1 - 1e-6)


def test_logarithmic_eta_needs_polylogarithmically_many():
    """The text's order n^(alpha/eta) is e^alpha at eta = log n; so no power of n is needed."""
    for n in (10**3, 10**6, 10**12):
        size = round(np.log(n))
        need = run_counts.mean(eta=np.log(n), r=rates.largest_r(eta=np.log(n), beta=1 / n, size=size))
        assert size * np.log(n) / 2 < need < 3 * size * np.log(n)


# The claims -----------------------------------------------------------------------------------------------------------


def test_a_repaired_statement_is_not_refuted():
    """The checks of the refuted rows compute: hand them the right formula and they hold."""
    asked = rates.repetitions(beta=0.125, size=9) / rates.repetitions_as_printed(beta=0.125, size=9)
    assert claims.printed_repetitions_suffice(factor=Fraction(asked), beta=[0.125], size=[9]).outcome == HOLDS
    assert claims.printed_r_is_necessary(factor=4, eta=[1.0], beta=[0.5], size=[2]).outcome == HOLDS
    assert rate_claims.text_bound_is_necessary(factor=3, n=[8, 1000], alpha=[1.0], eta=[1.0]).outcome == HOLDS
    fixed = rate_claims.rate_with_one_constant(n=8, alpha=1.0, eta=[0.1, 0.02, 0.004], size=3, log_inverse_r=5.0)
    assert fixed.outcome == HOLDS  # that r is not admissible


@pytest.mark.statistical
def test_drawing_end_to_end():
    """The share of misses is w/(1 + w) at w = r (|Theta| - 1): an exact binomial interval of level 1e-9."""
    from scipy.stats import binomtest

    rng = np.random.default_rng(7321)
    missed = claims.candidate_is_missed(rng, 20_000, beta=0.1, candidates=9, slack=2)
    w = 8 * rates.sufficient_r(beta=0.1, candidates=9, slack=2)
    assert binomtest(int(missed.sum()), missed.size, w / (1 + w)).pvalue > 1e-9
    assert not CLAIMS["wzw25.lem7.2/corrected/drawing"].vacuous_at({"beta": 0.1, "candidates": 9, "slack": 2})
