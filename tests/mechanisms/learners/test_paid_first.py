"""Nothing is drawn that was not paid for, by whatever path a fit is reached."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from lemmata import (
    Accountant,
    ApproxDP,
    MarginClassifier,
    NoisyGD,
    OverBudget,
    PrivateRidge,
    PrivateScaler,
    PrivateSearchCV,
)
from lemmata.mechanisms.estimators import private_classifier
from lemmata.mechanisms.learners.descent import noisy_gd

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)
THREE = np.digitize(X[:, 0], [-0.5, 0.5])


def account(fits):
    """One that pays for so many fits at (1, 1e-5)."""
    return Accountant(ApproxDP(float(fits), fits * 1e-5), way="approximate")


def learner(**asked):
    return NoisyGD(steps=3, classes=(0, 1), **asked)


@pytest.fixture
def drawn(monkeypatch):
    """A list with the noise of every release of NoisyGD."""
    found, sample = [], noisy_gd.NoisyGDLaw.sample

    def counted(law, rng, size=1):
        found.append(law.sigma)
        return sample(law, rng, size)

    monkeypatch.setattr(noisy_gd.NoisyGDLaw, "sample", counted)
    return found


@pytest.fixture
def midway(monkeypatch):
    """`midway(action)`: during the next fit, after its charge was decided and before it is made, `action()` happens."""

    def at(action):
        def once(numbers, columns=1):
            monkeypatch.setattr(private_classifier, "thread_count_for", lambda *_: nullcontext())
            action()
            return nullcontext()

        monkeypatch.setattr(private_classifier, "thread_count_for", once)

    return at


@pytest.mark.parametrize("paid", [1, 2])
def test_two_fits_of_one_estimator_at_a_time_are_two_charges(drawn, midway, paid):
    """Threads shared the charge: the second fit took that of the first away, which then drew for nothing."""
    books, model = account(paid), learner()
    midway(lambda: ThreadPoolExecutor().submit(model.fit, X, Y, accountant=books).result())
    with pytest.raises(OverBudget) if paid == 1 else nullcontext():
        model.fit(X, Y, accountant=books)
    assert len(drawn) == len(books.history) == paid


@pytest.mark.parametrize(
    ("model", "y"),
    [(learner(), Y), (MarginClassifier(classes=(0, 1)), Y), (MarginClassifier(classes=(0, 1, 2)), THREE)],
)
def test_a_parameter_that_is_set_during_a_fit_is_of_the_next(drawn, midway, model, y):
    """It would have been paid for at epsilon 1, and drawn at 50."""
    asked, books = {"random_state": np.random.default_rng(1)}, account(1)
    expected = clone(model).set_params(**asked).fit(X, y)
    before = list(drawn)
    model = clone(model).set_params(random_state=np.random.default_rng(1))
    midway(lambda: model.set_params(epsilon=50.0))
    model.fit(X, y, accountant=books)
    assert drawn[len(before) :] == before and books.history[0][1] == model.privacy_ == expected.privacy_
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_folds_and_settings_are_charged_one_by_one_and_refused_beyond(drawn):
    books = account(3)
    scores = cross_val_score(learner(), X, Y, cv=5, params={"accountant": books})
    assert len(drawn) == len(books.history) == 3 and np.isnan(scores).sum() == 2
    with pytest.raises((OverBudget, ValueError)):
        GridSearchCV(learner(), {"width": [0.1, 1.0]}, cv=2).fit(X, Y, accountant=books)
    assert len(drawn) == 3


def test_copies_pay_from_the_one_account(drawn):
    books, model = account(1), learner()
    model.fit(X, Y, accountant=books)
    for again in (model, clone(model), deepcopy(model), pickle.loads(pickle.dumps(model))):
        with pytest.raises(OverBudget):
            again.fit(X, Y, accountant=books)
    assert len(drawn) == 1


@pytest.mark.parametrize(
    "model",
    [
        learner(),
        MarginClassifier(classes=(0, 1)),
        PrivateScaler(),
        PrivateRidge(),
        PrivateSearchCV(learner(), {"width": [0.1, 1.0]}, beta=0.4, classes=(0, 1)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_fit_that_fails_leaves_the_fit_before(model):
    """Ranges of the one table stood beside the layout of the other, whose fit was not paid for."""
    books = account(1)
    model.fit(X, Y, accountant=books)
    before, other = dict(vars(model)), pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(c="text", d="more")
    with pytest.raises(OverBudget):
        model.fit(other, Y, accountant=books)
    assert vars(model).keys() == before.keys() and all(vars(model)[name] is value for name, value in before.items())
    (model.predict if hasattr(model, "predict") else model.transform)(X)
