"""Sizes buy the probability that they name, and stand beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from lemmata.bounds.bms22.random_features import inner_product_error_sharp
from lemmata.bounds.bms22.sign_projection import sign_projection_rows, sign_projection_tail
from lemmata.bounds.rbht09.random_features import uniform_failure
from lemmata.mechanisms.features.sizes import features_needed, rows_compared, rows_needed


@pytest.mark.parametrize(("m", "t", "beta"), [(2, 0.5, 0.3), (1000, 0.1, 0.05), (10**6, 0.9, 1e-9)])
def test_rows_are_the_least_that_the_union_bound_allows(m, t, beta):
    k, pairs = rows_needed(m, t, beta), m * (m - 1) // 2
    assert pairs * sign_projection_tail(k=k, t=t) <= beta < pairs * sign_projection_tail(k=k - 1, t=t)


def test_products_are_lemma_A_3():
    assert rows_needed(1000, 0.1, 0.05, keeps="products") == sign_projection_rows(m=1000, gamma=0.3, beta=0.05) == 7502


def test_the_fast_projection_needs_more_rows_and_a_small_distortion():
    assert rows_needed(100, 0.3, kind="fast", keeps="products", d=1024) > rows_needed(100, 0.3, keeps="products")
    with pytest.raises(ValueError, match=r"distortion must be in \(0, 1/3\) by Lemma A\.4, got 0\.5"):
        rows_needed(100, 0.5, kind="fast")


def test_beside_scikit_learn():
    """Theirs makes the same union bound 1 - 1/m, or a little above, as k is rounded down; it states no probability."""
    for m in (10, 1000, 10**5):
        compared = rows_compared(m, 0.2, 0.05)
        assert compared.scikit_learn == johnson_lindenstrauss_min_dim(m, eps=0.2)
        assert compared.failure <= 0.05 and compared.scikit_learn_failure > 0.85
        assert compared.ratio == pytest.approx(1 + np.log(1 / 0.05) / (2 * np.log(m)), abs=0.03)
    assert "times the rows" in str(compared)
    with pytest.raises(ValueError, match="points must be at least 2, got 1"):
        rows_compared(1, 0.2)


def test_arrays_broadcast():
    table = rows_needed([10, 1000], [[0.1], [0.5]], 0.05)
    assert table.dtype == np.int64 and table.tolist() == [[rows_needed(m, t) for m in (10, 1000)] for t in (0.1, 0.5)]
    assert features_needed("cauchy", points=[10, 1000], error=0.1).shape == (2,)
    assert isinstance(rows_needed(np.int64(10), 0.5), int)


@pytest.mark.parametrize("wrong", [(0, 0.5, 0.1), (10.5, 0.5, 0.1), (10, 1.0, 0.1), (10, 0.5, 0.0), (10, np.nan, 0.1)])
def test_what_is_out_of_range_is_named(wrong):
    with pytest.raises(ValueError, match=r"(points|distortion|beta) must be (in .*|an integer >= 1), got "):
        rows_needed(*wrong)


def test_features_are_the_least_whose_error_is_small():
    count = features_needed("laplacian", points=1000, error=0.1, beta=0.01)
    assert inner_product_error_sharp(m=1000, beta=0.01, count=count) <= 0.1
    assert inner_product_error_sharp(m=1000, beta=0.01, count=count - 1) > 0.1


def test_features_everywhere():
    law = dict(d=2, eps=0.1, sigma_p=np.sqrt(2 * 2.0) / 0.5, diam=1.0)
    count = features_needed("cauchy", d=2, diameter=1.0, error=0.1, bandwidth=0.5)
    assert uniform_failure(count=count, **law) <= 0.05 < uniform_failure(count=count - 1, **law)
    assert features_needed("gaussian", points=10, d=2, diameter=1.0, error=0.1) == features_needed(
        "gaussian", points=10, error=0.1
    )
    with pytest.raises(ValueError, match="points is required for kernel = 'laplacian', whose frequencies have"):
        features_needed("laplacian", d=2, diameter=1.0, error=0.1)
    with pytest.raises(ValueError, match="points is required, or d and diameter"):
        features_needed("gaussian", error=0.1)


def test_at_the_edges_one_is_enough():
    """One point has no distances, but a norm; kernel and estimate are in [-1, 1]."""
    assert rows_needed(1, 0.1) == rows_needed(1, 0.1, kind="fast", d=50) == 1 < rows_needed(1, 0.1, keeps="products")
    assert rows_needed([1, 2], 0.1).tolist() == [1, rows_needed(2, 0.1)] and rows_needed(2, 0.1) > 100
    assert (
        features_needed("gaussian", points=1000, error=2.0) == 1 < features_needed("gaussian", points=1000, error=1.99)
    )
    assert features_needed("cauchy", d=2, diameter=1.0, error=3.0) == 1
