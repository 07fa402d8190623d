"""`np.seterr(all="raise")` is a user's choice, and tells of no record: one that underflows had ended a fit."""

import numpy as np
import pytest

from lemmata.mechanisms.estimators import margin_classifier, scaling
from tests.mechanisms.estimators.learners import CLASSIFIERS as LEARNERS, known_classes
from tests.mechanisms.learners.test_total import (
    CASES,
    NEIGHBOURS,
    SCALERS,
    SLOW,
    X,
    Y,
    call,
    fitted,
    outcome,
    public_records,
)
from tests.mechanisms.test_fuzz import name_of

pytestmark = pytest.mark.usefixtures("same_entropy")
TINY = ["all entries subnormal", "one entry subnormal", "all entries tiny", "one entry largest", "all entries farther"]
NO_NUMBER = ["one entry NaN", "all entries infinite"]


def raising(run):
    """What a call ends in where every flag of floating point is an error."""
    with np.errstate(all="raise"):
        return outcome(run)


@pytest.mark.parametrize("function", CASES, ids=name_of)
def test_laws_and_releases_end_as_ever(function):
    usual = outcome(lambda: call(function, X, Y))
    for records, labels in [(X, Y), *(NEIGHBOURS[name] for name in TINY)]:
        if records is X or not public_records(function):
            assert raising(lambda records=records, labels=labels: call(function, records, labels)) == usual


def learnt(kind, records, labels):
    """What a fit learns, and its scores of the records."""
    known = known_classes(kind, (-1.0, 1.0))
    model = kind(random_state=7, **known).fit(records, labels)
    return (
        model.transform(records)
        if kind is scaling.PrivateScaler
        else (model.coef_, getattr(model, "decision_function", model.predict)(records))
    )


@pytest.mark.parametrize("kind", [*LEARNERS, *SCALERS], ids=name_of)
def test_estimators_end_as_ever(kind):
    usual = outcome(lambda: learnt(kind, X, Y))
    assert isinstance(usual[0], list | tuple) and not isinstance(usual[0][1], str), usual
    for name in [*(TINY[:2] if kind in SLOW else TINY), *NO_NUMBER]:
        assert raising(lambda name=name: learnt(kind, *NEIGHBOURS[name])) == usual, name


def test_odds_and_laws_of_fits_too():
    asked = {"loss": "logistic", "classes": (-1.0, 1.0), "random_state": 7}
    with np.errstate(all="raise"):
        model = margin_classifier.PrivateSVM(**asked).fit(*NEIGHBOURS["all entries subnormal"])
        assert np.isfinite(model.predict_proba([[1e-310, 1e300], [5e-324, 0.0]])).all()
        assert model.law_of_fit(*NEIGHBOURS["one entry subnormal"])(np.random.default_rng(0), 2).shape == (2, 3)
        assert fitted(margin_classifier.MarginClassifier, *NEIGHBOURS["all entries subnormal"], bounds=(-1.0, 1.0))
