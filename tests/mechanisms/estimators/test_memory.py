"""What a fit holds beside the table: a few times what sparse rows store, and once what dense rows are."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import lemmata
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd, private_tuning, projected_gd
from lemmata.mechanisms.learners.erm import dp_erm, efficient_learner
from lemmata.mechanisms.numerics.sparse_rows import RowsOnDemand, row_bands
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP


def stored_bytes(X):
    return sum(part.nbytes for part in (X.data, X.indices, X.indptr)) if sparse.issparse(X) else X.nbytes


def peak_of_fit(name, X, **sizes):
    """The most bytes that a fit holds at one time beyond those before it, in units of the table; kernels are loaded."""
    y = np.arange(X.shape[0]) % 2
    fit = getattr(lemmata, name)(classes=(0, 1), delta=1e-6, random_state=0, **sizes).fit
    fit(X, y)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    released = fit(X, y).coef_.nbytes
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak - before - released) / stored_bytes(X)


SPARSE = [("DPERM", {}, 3), ("EfficientMargin", {"k": 100, "beta": 0.9}, 2)]


@pytest.mark.parametrize(("name", "sizes", "most"), SPARSE, ids=[name for name, *_ in SPARSE])
@pytest.mark.parametrize(("n", "d", "stored"), [(4000, 100_000, 100), (50_000, 500, 10)], ids=["wide", "long"])
def test_a_fit_of_sparse_rows_holds_a_few_times_what_they_store(name, sizes, most, n, d, stored):
    """Projected rows of EfficientMargin alone would be 2 and 30 times as much."""
    X = sparse.random_array((n, d), density=stored / d, format="csr", rng=np.random.default_rng(1))
    assert peak_of_fit(name, X, **sizes) < most


@pytest.mark.parametrize("name", ["DPERM", "EfficientMargin"])
def test_a_fit_of_dense_rows_holds_them_once_more(name):
    """A copy of the rows, and 2 MB of bands and indices."""
    X = np.random.default_rng(2).normal(size=(60_000, 20))
    assert peak_of_fit(name, X) < 1.4


def test_tuning_holds_the_projected_rows_of_one_margin_in_single_precision():
    """Two margins of this grid are projected, to 330 and 380 of 4,000 columns: 12 times the table in float64."""
    X = sparse.random_array((3000, 4000), density=0.005, format="csr", rng=np.random.default_rng(4))
    ratio = peak_of_fit("TunedMargin", X, steps=2, beta=0.5)
    projected = [run for run in projections_of(X) if run is not None]
    assert len(projected) > 1
    one = max(phi.k for phi in projected) * X.shape[0] * 4 / stored_bytes(X)
    assert ratio < 2.5 * one


def projections_of(X):
    return adaptive_margin.choose_projections(X, 1.0, None, np.random.default_rng(0))


def test_runs_hold_no_release_but_the_best_and_few_iterates():
    """Some 30 runs of 200,000 numbers each would be 48 MB, and as much again for every copy."""
    X = sparse.random_array((64, 200_000), density=0.001, format="csr", rng=np.random.default_rng(5))
    law = private_tuning.law(
        lambda mu: [noisy_gd.law(X, np.ones(64), privacy=GaussianDP(mu), width=0.1, steps=2, noise="exact")] * 2,
        epsilon=1.0, delta=1e-5, score=lambda j, released: np.zeros(len(released)), sensitivity=1.0, r=0.03,
        noise="exact",
    )  # fmt: skip
    law.sample(np.random.default_rng(0))
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    law.sample(np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - before < 40 * X.shape[1] * 8


def test_tuning_on_dense_rows_that_are_projected_holds_them_once_more_too():
    """The rows as they are, and as they are projected; clipped for that a band at a time."""
    assert peak_of_fit("TunedMargin", np.random.default_rng(7).normal(size=(600, 2400)), steps=2, beta=0.5) < 2


def test_rows_on_demand_descend_as_rows_that_are_held(rng):
    """In float32 on the grid, with float64 sums: the same releases and errors, bit for bit."""
    X = sparse.random_array((90, 3000), density=0.01, format="csr", rng=rng)
    y, phi = np.where(rng.random(90) < 0.5, 1.0, -1.0), sign_projection(40, 3000, rng=rng)
    made = projected_gd.law(
        X, y, privacy=GaussianDP(1.0), width=0.1, projection=phi, steps=9, output="last", noise="exact"
    )
    held = replace(made, descent=replace(made.descent, Z=made.descent.Z.hold()))
    weights = [law.descent.sample(np.random.default_rng(6), 3) for law in (made, held)]
    assert isinstance(made.descent.Z, RowsOnDemand) and np.array_equal(*weights)
    assert np.array_equal(made.errors(weights[0]), held.errors(weights[0]))


def test_rows_that_are_made_when_read_are_those_of_the_whole_image(rng):
    """Every row has its bits in whatever company, and so has a release."""
    X = sparse.random_array((70, 900), density=0.05, format="csr", rng=rng)
    y, phi = np.where(rng.random(70) < 0.5, 1.0, -1.0), fast_projection(40, 900, rng=rng)
    sizes = {"privacy": ApproxDP(1.0, 1e-5), "rho": 0.1, "noise": "exact"}
    law = efficient_learner.law(X, y, **sizes, radius=1.0, norm_bound=1.0, beta=0.3, projection=phi)
    whole = dp_erm.law(phi.apply(X), y, **sizes, radius=2.0, norm_bound=2.0, beta=0.1)
    Z, order = law.trained.Z, rng.integers(0, 70, size=200)
    assert isinstance(Z, RowsOnDemand) and Z.shape == whole.Z.shape
    assert np.array_equal(Z.hold(), whole.Z) and np.array_equal(Z[order], whole.Z[order])
    releases = (one.sample(np.random.default_rng(3)) for one in (law.trained, whole))
    assert np.array_equal(*releases)


def test_bands_are_all_rows_in_order(monkeypatch, rng):
    monkeypatch.setattr("lemmata.mechanisms.numerics.sparse_rows.BAND", 50)
    X = sparse.random_array((31, 12), density=0.5, format="csr", rng=rng)
    for table in (X, X.toarray(), RowsOnDemand(X, lambda rows: rows.toarray(), 12)):
        bands = [band if isinstance(band, np.ndarray) else band.toarray() for band in row_bands(table, 5)]
        assert max(map(len, bands)) <= 10 and np.array_equal(np.concatenate(bands), X.toarray())
