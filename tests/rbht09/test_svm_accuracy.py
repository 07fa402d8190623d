"""Theorem 8 and Footnote 5 against scipy: the scales, the law on a cube, the Erlang functions."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom, gamma

from lemmata.bounds.rbht09 import svm_accuracy
from lemmata.mechanisms.learners.erm import private_svm
from tests.rbht09.test_private_svm import problem, rng


def test_usefulness_by_sampling_the_law():
    """The law's own releases on the cube, whose corners are every sign vector: sup_x |<mu, x>| = ||mu||_1."""
    V, y = problem(10, 30, 5)
    lam = svm_accuracy.useful_scale(acc=1.0, delta=0.1, Phi=1.0, F=5)
    law = private_svm.law(V, y, C=1.0, scale=lam)
    errors = np.abs(law.sample(rng("useful"), 20_000) - law.noise.centre).sum(axis=1)
    expected = gamma.sf(1 / lam, 5)
    assert 1e-3 < binom.cdf((errors > 1).sum(), 20_000, expected) < 1 - 1e-3


@given(q=st.integers(1, 200), log_lam=st.floats(-6, 6), y=st.floats(0.01, 5))
def test_erlang_functions_agree_with_scipy(q, log_lam, y):
    lam = 10**log_lam
    x, law = y * q * lam, gamma(q, scale=lam)
    assert svm_accuracy.erlang_density(x=x, q=q, lam=lam) == pytest.approx(law.pdf(x), rel=1e-10, abs=1e-300)
    assert svm_accuracy.erlang_cdf(x=x, q=q, lam=lam) == pytest.approx(law.cdf(x), rel=1e-12)
