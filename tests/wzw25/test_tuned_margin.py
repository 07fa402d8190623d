"""Private tuning of the margin: where the loss is capped, the law of Algorithm 6, bad input."""

import math

import numpy as np
import pytest

from lemmata.mechanisms.learners.descent import private_tuning as laws
from lemmata.mechanisms.selection.tuning_budget import theorem_epsilon
from tests.claims import CLAIMS

# Lemmas K.5 and K.6, Theorem 7.1 --------------------------------------------------------------------------------------


def test_the_capped_loss_is_tried_at_two_steps():
    """The closed form of the loss, which is larger than 1, is that of T = n^2 mu^2 rounded up = 2."""
    claim = CLAIMS["wzw25.lemK.5/printed"]
    assert all(math.ceil(s["n"] ** 2 * s["mu"] ** 2) == 2 for s in claim.settings("full"))


# Algorithm 6 ----------------------------------------------------------------------------------------------------------


def test_algorithm_6_finds_the_separator():
    X = np.array([[0.6, 0.8], [0.6, -0.8], [0.9, 0.1], [0.7, 0.3]] * 3)
    law = laws.margin_law(X, np.ones(12), epsilon=300.0, delta=1e-5, steps=50, stride="tuned")
    assert (X @ law.sample(np.random.default_rng(6), 3)["weights"].T > 0).mean() > 0.9
    assert law.expected_cost > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: laws.margin_law([[1.0]], [1.0], epsilon=1.0, delta=0.1), r"n must be in \[2, inf\), got 1"),
        (
            lambda: theorem_epsilon(0.1, 0.2, "printed"),
            r"epsilon must be in \(delta, inf\), got 0\.1",
        ),
        (
            lambda: laws.margin_law([[0.5], [1.0]], [1.0, -1.0], epsilon=1.0, delta=0.1, output="best"),
            "^output must be one of average, last, iterates, got 'best'$",
        ),
        (
            lambda: laws.margin_law([np.nan, 1.0], [1.0, -1.0], epsilon=1.0, delta=0.1),
            r"X must have shape \(n, d\) with n, d >= 1, got \(2,\)",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_long_rows_are_clipped():
    X, y = np.array([[2.0], [-2.0]]), np.array([1.0, -1.0])
    assert np.abs(laws.margin_law(X, y, epsilon=10.0, delta=0.1, steps=5).lifts[0].descent.Z).max() == 1.0
