"""Relative deviation of the margin loss: where the printed complexity fails, and how sharp it is for one hypothesis."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lemmata.bounds.bms22 import margin_deviation
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.experiments.bms22 import margin_deviation as claims

property_test = settings(derandomize=True, deadline=None, max_examples=50)


@pytest.mark.parametrize("m, d", [(1, 100), (10, 1000)])
def test_the_printed_margin_complexity_is_negative_beyond_2cem(m, d):
    assert d > 2 * 17 * math.e * m
    assert margin_deviation.margin_complexity(m, d, 0.1) < 0


@given(m=st.integers(1, 400), part=st.floats(1e-6, 2), share=st.floats(0, 1))
@property_test
def test_okamotos_inequality(m, part, share):
    """P(sqrt(X/m) <= sqrt(p) - s) <= exp(-m s^2), with s^2 = part / m, scipy as oracle."""
    k = int(share * m)
    p = (math.sqrt(k / m) + math.sqrt(part / m)) ** 2
    if p < 1:
        assert stats.binom.cdf(k, m, p) <= math.exp(-part) * (1 + 1e-9)


def test_the_margin_lemma_at_one_hypothesis_is_sharp():
    """At empirical loss 0 the failure probability is near beta / e."""
    verdict = claims.one_hypothesis_holds(m=2000, beta=1e-6)
    assert verdict.outcome == HOLDS
    assert 0.9 / math.e < verdict.tightness[0] <= 1 / math.e
