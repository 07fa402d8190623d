"""Sparse tables: every estimator releases what it does of the dense copy, and never holds that copy."""

import numpy as np
import pytest
from scipy import sparse

import lemmata
from lemmata.mechanisms.features import fast_projection, kernel_features, random_features, sign_projection
from lemmata.mechanisms.hardening import ESTIMATORS
from lemmata.mechanisms.numerics import arguments
from lemmata.mechanisms.numerics.sparse_rows import canonical_rows
from tests.mechanisms.estimators.learners import SCALER, known_classes
from tests.mechanisms.test_fuzz import built, name_of, numbers_in, released
from tests.mechanisms.valid_calls import NAMED, TABLE

NAMES = [one.name for one in ESTIMATORS]
SETTINGS = {one.name: one.small for one in ESTIMATORS}


def records(n=60, d=12, seed=0):
    """Few entries in each row: far beyond 1 and far below, none at all, NaN and infinite; whole numbers elsewhere."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)) * (rng.random((n, d)) < 0.3) * 1.0
    X[3] *= 1e160
    X[4] *= 1e-200
    X[5] = 0.0
    X[6, 2], X[7, 3], X[8, 4] = np.nan, np.inf, -np.inf
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, 0)


X, Y = records()


def split_entries(X):
    """The same table, unsorted: every entry is stored as three fourths and a fourth of it, zeros beside them."""
    rows, columns = np.indices(X.shape).reshape(2, -1)[:, ::-1]
    values = X[rows, columns]
    stored = np.concatenate([values * 0.75, values * 0.25]), np.tile(columns, 2)
    order = np.argsort(np.tile(rows, 2), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)) * 2)])
    return sparse.csr_matrix((stored[0][order], stored[1][order], starts), shape=X.shape)


RANGED = ("MarginClassifier", "PrivateRidge", "PrivateScaler")


def made(name, **asked):
    """With ranges around 0, as those that are found for sparse rows: a dense table's would be elsewhere."""
    kind = getattr(lemmata, name)
    given = SETTINGS[name] | ({"bounds": (-1.0, 1.0)} if name in RANGED else {}) | asked
    return kind(**given, **known_classes(kind, (0, 1)), random_state=3)


def learnt(fitted):
    return (fitted.center_, fitted.scale_) if isinstance(fitted, SCALER) else (fitted.coef_, fitted.intercept_)


def answers(fitted, X):
    found = (
        fitted.transform(X) if isinstance(fitted, SCALER) else getattr(fitted, "decision_function", fitted.predict)(X)
    )
    return found.toarray() if sparse.issparse(found) else found


def assert_same(name, dense, stored, y):
    one, other = (made(name).fit(X, y) for X in (dense, stored))
    for ours, theirs in zip(learnt(one), learnt(other), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(answers(one, dense), answers(other, stored), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_fit_of_sparse_rows_releases_what_that_of_dense_ones_does(name):
    assert_same(name, X, sparse.csr_array(X), Y)


@pytest.mark.parametrize("name", NAMES)
def test_how_a_table_is_stored_changes_nothing(name):
    """Duplicates, zeros, unsorted columns; columns first; other types of numbers. The caller's arrays stay."""
    stored = split_entries(X)
    before = [part.copy() for part in (stored.data, stored.indices, stored.indptr)]
    assert_same(name, X, stored, Y)
    for part, now in zip(before, (stored.data, stored.indices, stored.indptr), strict=True):
        np.testing.assert_array_equal(part, now)
    whole = np.nan_to_num(np.clip(X, -3, 3))
    for kind in (bool, np.int32, np.float32):
        assert_same(name, whole.astype(kind).astype(float), sparse.csc_array(whole.astype(kind)), Y)


WIDE = pytest.param("PrivateRidge", marks=pytest.mark.slow)  # 4,000 columns have 16 million moments


@pytest.mark.parametrize("name", [WIDE if name == "PrivateRidge" else name for name in NAMES])
def test_no_more_than_a_band_is_made_dense(name, monkeypatch):
    """Nor where ranges are found, or given on one side of 0: centred columns have no zeros."""
    X = sparse.random_array((400, 4000), density=0.005, format="csr", rng=np.random.default_rng(1))
    sizes, dense = [0], sparse.csr_array.toarray
    monkeypatch.setattr(sparse.csr_array, "toarray", lambda self: sizes.append(np.prod(self.shape)) or dense(self))
    asked = {"bounds": {j: (0.0, 1.0) for j in range(50)}, "ranges": "private"} if name in RANGED else {}
    asked |= {"estimator": lemmata.NoisyGD(), "param_grid": {"width": [0.1]}} if name == "PrivateSearchCV" else {}
    fitted = made(name).set_params(**asked).fit(X, np.arange(400) % 2)
    answers(fitted, X[:50])
    assert max(sizes) < X.shape[0] * X.shape[1] / 4


def test_ranges_of_sparse_rows_are_around_0():
    X = np.random.default_rng(1).normal(size=(2000, 3)) * [1.0, 20.0, 3.0] + [0.0, 50.0, -9.0]
    dense, stored = (
        lemmata.PrivateScaler(bounds={1: (0.0, 100.0)}, random_state=0).fit(kept) for kept in (X, sparse.csr_array(X))
    )
    assert not stored.center_.any()
    np.testing.assert_array_equal(stored.scale_[::2], np.hypot(dense.scale_, dense.center_)[::2])
    assert 2 * stored.scale_[1] == 100.0 and stored.spent_ == dense.spent_
    assert sparse.issparse(stored.transform(sparse.csr_array(X)))
    np.testing.assert_array_equal(dense.transform(sparse.csr_array(X)), dense.transform(X))


@pytest.mark.parametrize("name", ["MarginClassifier", "PrivateRidge"])
def test_a_dense_fit_predicts_sparse_rows_in_bands(name, monkeypatch):
    rng = np.random.default_rng(1)
    fitted = made(name, bounds=(0.0, 1.0)).fit(rng.random((300, 400)), np.arange(300) % 2)
    X = sparse.random_array((4000, 400), density=0.01, format="csr", rng=rng)
    expected, sizes, into = answers(fitted, X.toarray()), [0], sparse.csr_array.toarray
    monkeypatch.setattr(sparse.csr_array, "toarray", lambda self: sizes.append(np.prod(self.shape)) or into(self))
    np.testing.assert_allclose(answers(fitted, X), expected, rtol=1e-12, atol=1e-12)
    assert 0 < max(sizes) < X.shape[0] * X.shape[1] / 4


@pytest.mark.parametrize("name", [name for name in NAMES if name != "PrivateScaler"])
@pytest.mark.parametrize("store", [np.array, sparse.csr_array], ids=["dense", "sparse"])
def test_a_fit_changes_no_record_of_the_user(name, store):
    """A record of another label counts as zeros, in the learner's copy alone."""
    held = store(X)
    made(name).fit(held, np.where(Y == 0, 7, Y))
    np.testing.assert_array_equal(held.toarray() if sparse.issparse(held) else held, X)


def test_a_sparse_table_of_no_numbers_is_refused():
    X = sparse.csr_array(np.eye(3) * 1j)
    for refuses in (arguments.read_records, arguments.check_rows, sign_projection.SignProjection(2, 3, (1,)).apply):
        with pytest.raises(ValueError, match=r"X must be a table of real numbers, got a sparse complex128 array"):
            refuses(X)


def takes_a_table(function, call):
    return name_of(function).endswith("law") and isinstance(call, dict) and np.ndim(call.get("X")) == 2


@pytest.mark.parametrize(
    "function", [function for function, call in TABLE.items() if takes_a_table(function, call)], ids=name_of
)
def test_every_law_takes_sparse_rows(function):
    """What has no use for them makes them dense."""
    drawn = []
    for store in (np.array, sparse.csr_array):
        given = built(TABLE[function])
        result = released(function, function(**NAMED.get(function, {}) | given | {"X": store(given["X"])}))
        drawn.append(np.concatenate([np.asarray(part, float).ravel() for part in numbers_in(result[1])]))
    np.testing.assert_allclose(*drawn, rtol=1e-9, atol=1e-12)


RNG = np.random.default_rng(0)
MAPS = {
    "signs": sign_projection.sign_projection(5, 90, rng=RNG).apply,
    "fast": fast_projection.fast_projection(5, 90, rng=RNG).apply,
    "more than d": fast_projection.fast_projection(200, 90, rng=RNG).apply,
    "fourier": random_features.fourier_map("gaussian", 90, 7, rng=RNG),
    "monomials": kernel_features.monomials(90, 2),
    "sketch": kernel_features.tensor_sketch(90, 2, 7, rng=RNG),
    "fastfood": kernel_features.fastfood(90, 7, rng=RNG),
    "arc cosine": kernel_features.arc_cosine(90, 7, rng=RNG),
    "tangent": kernel_features.tangent(90, 7, rng=RNG),
}


@pytest.mark.parametrize("map_rows", MAPS.values(), ids=MAPS)
def test_maps_of_sparse_rows_are_those_of_dense_ones(map_rows, monkeypatch):
    monkeypatch.setattr(arguments, "BLOCK_ENTRIES", 900)  # ten rows at a time
    X = sparse.random_array((33, 90), density=0.1, format="csc", rng=np.random.default_rng(1))
    found = map_rows(X)
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, map_rows(X.toarray()), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("exponent", [0, 160, -200])
def test_rows_are_clipped_to_the_same_bits(exponent):
    """Pairwise sums would depend on where the zeros are."""
    X = np.random.default_rng(2).normal(size=(50, 1000)) * (np.random.default_rng(3).random((50, 1000)) < 0.3)
    X *= 10.0**exponent
    clipped = arguments.clip_rows(canonical_rows(X), 1.0, keep_sparse=True).toarray()
    np.testing.assert_array_equal(clipped, arguments.clip_rows(X, 1.0))
    assert (np.linalg.norm(clipped, axis=1) <= 1 + 1e-12).all()
