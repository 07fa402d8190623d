"""Lemma G.1 of bms22: the family in floats, random sign vectors, and binomials."""

import math

import numpy as np

from lemmata.bounds.bms22 import many_hypotheses


def test_nearly_orthogonal_weights_exist(rng):
    """A greedy choice among random sign vectors finds far more than the count guarantees."""
    chosen = np.empty((0, 399))
    for v in rng.choice([-1.0, 1.0], size=(200, 399)):
        if not len(chosen) or np.abs(chosen @ v).max() <= 0.124 * 399:
            chosen = np.vstack([chosen, v])
    assert len(chosen) >= math.exp(many_hypotheses.log_separated_size.theorem.formula(d=400))
    W = np.column_stack([np.full(len(chosen), -0.01), math.sqrt(1 - 1e-4) / math.sqrt(399) * chosen])
    assert np.abs(W @ W.T - np.diag(np.diag(W @ W.T))).max() <= 1 / 8
