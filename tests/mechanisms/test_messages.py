"""What is public and wrong is told in one line that names the argument, its value and the range."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from lemmata import MarginClassifier, NoisyGD, PrivateScaler, PrivateSearchCV, PrivateSVM
from lemmata.mechanisms.estimators import margin_classifier
from tests.mechanisms.estimators.learners import LEARNERS, SCALER, SEARCH, known_classes

X = np.random.default_rng(0).normal(size=(12, 3))
Y = np.resize([0, 1], 12)
TAKING_ZERO = (MarginClassifier, NoisyGD, margin_classifier.PhasedSGD, PrivateScaler)  # one Gaussian mechanism, a delta
KINDS = [
    MarginClassifier,
    NoisyGD,
    PrivateSVM,
    margin_classifier.PhasedSGD,
    margin_classifier.DPERM,
    PrivateSearchCV,
    PrivateScaler,
]


def refused(fit):
    """The message, a line that nobody else wrote."""
    with pytest.raises(ValueError) as raised:
        fit()
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 130
    return str(raised.value)


@pytest.mark.parametrize("kind", [NoisyGD, MarginClassifier])
@pytest.mark.parametrize(
    "classes",
    [
        (pd.NA, 1),
        (1, pd.NA),
        (None, 1),
        (np.nan, 1),
        (pd.NaT, 1),
        ([1], 2),
        (np.ones(2), 3),
        ((1, 2), (3, 4)),
        "ab",
        5,
        {0, 1},
        (0,),
        (1, 1),
        (0, 1, 0),
        [[0, 1]],
        (1, 1.0),
    ],
    ids=str,
)
def test_classes_are_labels_that_differ(classes, kind):
    said = refused(lambda kind=kind: kind(classes=classes).fit(X, Y))
    assert said == "classes must be a sequence of at least two different labels without missing values"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"epsilon": 1e300}, "epsilon must be in {range}, got 1e+300"),
        ({"epsilon": np.inf}, "epsilon must be in {range}, got inf"),
        ({"epsilon": -1}, "epsilon must be in {range}, got -1"),
        ({"epsilon": None}, "epsilon must be a real number, got None"),
        ({"delta": "x"}, "delta must be a real number, got 'x'"),
        ({"delta": None}, "delta must be a real number, got None"),
        ({"delta": 2}, "delta must be in (0, 1), got 2"),
        ({"epsilon": True}, "epsilon must be a real number, got True"),
        ({"records_per_user": True}, "records_per_user must be a real number, got True"),
    ],
    ids=str,
)
def test_a_budget_out_of_range_is_named(kind, asked, message):
    message = message.replace("{range}", "[0, 1e+100]" if kind in TAKING_ZERO else "(0, 1e+100)")
    if hasattr(kind, *asked):
        known = {} if kind is PrivateScaler else {"classes": (0, 1)}
        assert refused(lambda: kind(**asked, **known).fit(X, Y)) == message


@pytest.mark.parametrize("learner", [*LEARNERS, SEARCH(beta=0.4), SCALER()], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("name", ["epsilon", "delta"])
def test_the_range_in_a_message_is_the_range_that_fits(learner, name):
    """A lower end of [0 takes 0, and one of (0 does not: said as for every other value."""
    if not hasattr(learner, name):
        return
    known = {"random_state": 0} | known_classes(learner, (0, 1))

    def fit(value):
        clone(learner).set_params(**known, **{name: value}).fit(X, Y)

    said = refused(lambda: fit(-1.0))
    assert said.startswith((f"{name} must be in [0, ", f"{name} must be in (0, "))
    if "[0, " in said:
        fit(0.0)
    else:
        assert refused(lambda: fit(0.0)) == said.replace("-1.0", "0.0")


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ([], "param_grid must be a dict, or a list of at least one dict, got a list"),
        (5, "param_grid must be a dict, or a list of at least one dict, got 5"),
        ("x", "param_grid must be a dict, or a list of at least one dict, got 'x'"),
        ([{"width": [0.1]}, 5], "param_grid must be a dict, or a list of at least one dict, got a list"),
        ({"width": []}, "param_grid['width'] must be a list of at least one value, got a list"),
        ({"width": 0.1}, "param_grid['width'] must be a list of at least one value, got 0.1"),
        ({"width": "ab"}, "param_grid['width'] must be a list of at least one value, got 'ab'"),
        ([{"width": np.zeros((2, 2))}], "param_grid['width'] must be a list of at least one value, got a ndarray"),
        ({1: [2]}, "param_grid must have strings as keys, got 1"),
        ({"widht": [0.1]}, "param_grid must name parameters of NoisyGD, got 'widht'"),
        ({"epsilon": [1]}, "param_grid must not name parameters of the search, got epsilon"),
        ({"delta": [0.1]}, "param_grid must not name parameters of the search, got delta"),
        ({"classes": [(0, 1)]}, "param_grid must not name parameters of the search, got classes"),
        ({"random_state": [1]}, "param_grid must not name parameters of the search, got random_state"),
    ],
    ids=str,
)
def test_a_grid_that_is_none_is_named(grid, message):
    search = PrivateSearchCV(NoisyGD(), grid, classes=(0, 1))
    for run in (search.cost, lambda: search.fit(X, Y)):
        assert refused(run) == message


def test_a_class_is_no_estimator():
    said = refused(PrivateSearchCV(NoisyGD, {}).cost)
    assert said == "estimator must release by a Gaussian or pure mechanism, got type"


def test_a_number_of_steps_that_no_memory_lists_is_refused():
    """Before anything of that length is made: their sizes alone would take gigabytes."""
    said = refused(lambda: NoisyGD(epsilon=1.0, delta=1e-6, classes=(0, 1), steps=10**9).fit(X, Y))
    assert said == "steps must be at most 10,000,000, got 1000000000"
