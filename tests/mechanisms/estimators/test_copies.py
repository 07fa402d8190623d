"""What leaves a process has no key to the noise, and no two copies draw the same: `mechanisms.private_estimator`."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

from lemmata import MarginClassifier, NoisyGD, PrivateScaler, PrivateSearchCV
from lemmata.mechanisms.estimators import margin_classifier
from tests.mechanisms.estimators.learners import LEARNERS

N = 60
X = np.random.default_rng(0).normal(size=(N, 4))
Y = np.resize([0, 1], N)
KINDS = [
    *LEARNERS,
    MarginClassifier(bounds=(-3.0, 3.0)),
    PrivateSearchCV(NoisyGD(random_state=np.random.default_rng(5)), {"width": [0.1, 1.0]}, beta=0.4),
    PrivateScaler(),
]
AROUND = [
    lambda one: one,
    make_pipeline,
    lambda one: make_pipeline(PrivateScaler(random_state=np.random.default_rng(4)), one),
    lambda one: GridSearchCV(one, {"epsilon": [1.0, 2.0]}, cv=2),
]
SOURCES = [np.random.default_rng, np.random.RandomState, lambda seed: np.random.Generator(np.random.MT19937(seed))]


def given(kind, source=np.random.default_rng, seed=3):
    """The estimator with a generator of a seed."""
    known = {"classes": (0, 1)} if hasattr(kind, "classes") else {}
    return clone(kind).set_params(random_state=source(seed), **known)


def release(model):
    """The numbers of a fit."""
    return np.concatenate([np.ravel(getattr(model, name)) for name in ("coef_", "center_") if hasattr(model, name)])


class Keyless(pickle.Unpickler):
    """Refuses whatever random numbers come from."""

    def find_class(self, module, name):
        assert not module.startswith("numpy.random"), (module, name)
        return super().find_class(module, name)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda one: type(one).__name__)
def test_a_pickle_has_no_key_to_the_noise(kind, source):
    """Whoever had the model had `random_state.bit_generator.seed_seq.entropy`, and with it all the noise."""
    model = given(kind, source).fit(X, Y)
    for one in (model, given(kind, source)):
        loaded = Keyless(io.BytesIO(pickle.dumps(one))).load()
        assert loaded.random_state is None and isinstance(one.random_state, type(source(0)))
    again = Keyless(io.BytesIO(pickle.dumps(model))).load()
    np.testing.assert_array_equal(release(again), release(model))
    seen = [one.predict(X) if hasattr(one, "predict") else one.transform(X) for one in (again, model)]
    np.testing.assert_array_equal(*seen)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("around", AROUND)
def test_nor_has_what_stands_around_it(around, tmp_path):
    model = around(given(NoisyGD())).fit(X, Y)
    joblib.dump(model, tmp_path / "model")
    Keyless(io.BytesIO(pickle.dumps(model))).load()
    assert b"seed_seq" not in (tmp_path / "model").read_bytes()


def test_a_whole_number_stays():
    """It was given so that a fit can be repeated, and the fit warned of it."""
    assert pickle.loads(pickle.dumps(NoisyGD(random_state=7))).random_state == 7
    assert clone(NoisyGD(random_state=7)).random_state == copy.deepcopy(NoisyGD(random_state=7)).random_state == 7


@pytest.mark.parametrize("copied", [clone, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda one: type(one).__name__)
def test_no_two_copies_draw_the_same_noise(kind, source, copied):
    """An account adds them up as independent releases; they had the same noise, and their difference had none."""
    model = given(kind, source)
    first, second = copied(model).random_state, copied(model).random_state
    assert first is None or first.bytes(32) != second.bytes(32) != model.random_state.bytes(32)
    if not isinstance(kind, margin_classifier.PureMargin | PrivateScaler):  # whose releases are few
        released = [release(one.fit(X, Y)) for one in (copied(model), copied(model), model)]
        assert not any(np.array_equal(released[i], released[j]) for i, j in [(0, 1), (0, 2), (1, 2)])


def test_copies_can_be_repeated_where_the_generator_can():
    def fits():
        model = given(NoisyGD())
        return np.concatenate([release(one.fit(X, Y)) for one in (clone(model), clone(model), copy.deepcopy(model))])

    np.testing.assert_array_equal(fits(), fits())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("jobs", [1, 2])
def test_folds_have_noise_of_their_own(jobs):
    """All folds are of equal records, so that only noise is different."""
    X, y = np.tile([[1.0, 0.5], [-1.0, 0.5]], (30, 1)), np.tile([1, 0], 30)
    fitted = cross_validate(given(NoisyGD()), X, y, cv=3, return_estimator=True, n_jobs=jobs)["estimator"]
    assert len({release(one).tobytes() for one in fitted}) == 3


def test_a_shallow_copy_shares_all_and_a_clone_keeps_what_it_was_told():
    model = given(NoisyGD())
    assert copy.copy(model).random_state is model.random_state and copy.copy(model) is not model
    scaler = given(PrivateScaler()).set_output(transform="pandas")
    assert list(clone(scaler).fit_transform(X[:, :2]).columns) == ["x0", "x1"]
    kept = {"first": model}
    kept["again"] = kept["first"]
    deep = copy.deepcopy(kept)
    assert deep["first"] is deep["again"] is not model
