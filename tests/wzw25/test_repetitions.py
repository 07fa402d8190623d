"""Repetitions of private tuning: the printed thresholds against their witnesses, and Algorithm 4 end to end."""

from fractions import Fraction

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.bounds.wzw25 import repetitions as rates, run_counts
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.wzw25 import repetition_growth as rate_claims, repetitions as claims


@pytest.mark.parametrize("n", [10**3, 10**6, 10**12])
def test_logarithmic_eta_needs_polylogarithmically_many(n):
    """The text's order n^(alpha/eta) is e^alpha at eta = log n; so no power of n is needed."""
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


@pytest.mark.statistical
def test_drawing_end_to_end():
    """The share of misses is w/(1 + w) at w = r (|Theta| - 1): an exact binomial interval of level 1e-9."""
    from scipy.stats import binomtest

    missed = claims.candidate_is_missed(np.random.default_rng(7321), 20_000, beta=0.1, candidates=9, slack=2)
    w = 8 * rates.sufficient_r(beta=0.1, candidates=9, slack=2)
    assert binomtest(int(missed.sum()), missed.size, w / (1 + w)).pvalue > 1e-9
    assert not CLAIMS["wzw25.lem7.2/corrected/drawing"].why_vacuous({"beta": 0.1, "candidates": 9, "slack": 2})
