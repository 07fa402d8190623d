"""Relative deviation of the margin loss: where the printed complexity fails, and how sharp it is for one hypothesis."""

import math

import pytest

from lemmata.bounds.bms22 import margin_deviation
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.experiments.bms22 import margin_deviation as claims


@pytest.mark.parametrize("m, d", [(1, 100), (10, 1000)])
def test_the_printed_margin_complexity_is_negative_beyond_2cem(m, d):
    assert d > 2 * 17 * math.e * m
    assert margin_deviation.margin_complexity(m, d, 0.1) < 0


def test_the_margin_lemma_at_one_hypothesis_is_sharp():
    """At empirical loss 0 the failure probability is near beta / e."""
    verdict = claims.one_hypothesis_holds(m=2000, beta=1e-6)
    assert verdict.outcome == HOLDS
    assert 0.9 / math.e < verdict.tightness[0] <= 1 / math.e
