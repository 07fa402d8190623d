"""Margins of records under random signs: the Gram matrix without the matrix, and certified inlier sets of real data."""

import numpy as np
import pytest

from lemmata.experiments.instances.datasets.sign_images import projected_margin_reaches, sign_gram
from lemmata.experiments.wzw25.projected_margins import inlier_set
from lemmata.mechanisms.solvers import margin as margin_laws
from tests.wzw25.records import cloud


@pytest.mark.parametrize("k", [1, 63, 64, 65, 300])
def test_the_gram_matrix_of_signs_without_the_matrix(k):
    """The slow twin spells the same bits out as +-1/sqrt(k)."""
    gram = sign_gram(k, 5, rng=np.random.default_rng(k))
    words = np.random.default_rng(k).integers(0, 2**64, size=(5, -(-k // 64)), dtype=np.uint64)
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :k]
    phi = (1 - 2 * bits.astype(float)).T / np.sqrt(k)
    assert gram == pytest.approx(phi.T @ phi, abs=1e-12)


@pytest.mark.parametrize("k", [2, 5, 20, 200])
def test_projected_margins_need_only_the_gram_matrix(k):
    X, y = cloud(k, 30, 6, shift=4.0)
    phi = np.random.default_rng(k).choice([-1.0, 1.0], (k, 6)) / np.sqrt(k)
    truth = margin_laws.geometric_margin(X @ phi.T, y)
    direction = margin_laws.geometric_margin(X, y).direction
    for level in (0.5, 0.99, 1.01, 2.0):
        if level * truth.upper > 1e-9:
            answer = projected_margin_reaches(level * truth.upper, X, y, direction, phi.T @ phi)
            assert answer == (level < 1)


def test_lemma_6_2_speaks_of_certified_inlier_sets():
    n, X, y, margin = inlier_set("digits:3-8", 0.1)
    assert n == 357 and len(X) == 322 and np.linalg.norm(X, axis=1).max() <= 1
    assert margin_laws.geometric_margin(X, y).value >= margin.value * (1 - 1e-9) > 0.03
