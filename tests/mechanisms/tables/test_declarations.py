"""What a table declares, columns, types and masks, decides what is refused; records decide nothing."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from lemmata import MarginClassifier, NoisyGD, PrivateScaler, PrivateSearchCV, PrivateSVM

N = 400
DRAW = np.random.default_rng(0)
X = pd.DataFrame(DRAW.normal(size=(N, 3)), columns=list("abc"))
UP = (X["a"] > 0).to_numpy()
DATES = X.assign(when=pd.Timestamp("2024-01-01") + pd.to_timedelta(DRAW.integers(0, 999, N), "D"))
LEARNERS = [
    MarginClassifier(classes=(False, True)),
    NoisyGD(classes=(False, True)),
    PrivateSVM(classes=(False, True)),
    PrivateSearchCV(classes=(False, True)),
    PrivateScaler(),
]


def refused(run, says):
    """`run` ends in one line that matches what it `says` and shows no record."""
    with pytest.raises(ValueError, match=says) as raised:
        run()
    text = str(raised.value)
    assert "\n" not in text and len(text) < 200 and "0.12" not in text


class Foreign:
    """A frame of a library that is not pandas."""

    def __init__(self, table):
        self.table = np.asarray(table)
        self.columns = [f"x{j}" for j in range(self.table.shape[1])]

    @property
    def shape(self):
        return self.table.shape

    def __len__(self):
        return len(self.table)

    def __getitem__(self, rows):
        return Foreign(self.table[rows])

    def __array__(self, dtype=None, copy=None):
        return self.table.astype(dtype or self.table.dtype)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    ("table", "says"),
    [
        (X["a"], r"X must have shape \(n, d\), got \(400,\)\. Reshape your data: one row per record"),
        (X[[]], "0 feature"),
        (X.set_axis(["a", "a", "b"], axis=1), "X must have unique column names, got a frame with a repeated name"),
        (X.assign(a=1j), "Complex data not supported"),
        (
            np.ma.masked_array(X.to_numpy(), mask=UP[:, None].repeat(3, axis=1)),
            "X must be an array without a mask, got a masked",
        ),
        (Foreign(X.astype(str)), "X must have numeric columns in a Foreign of tests; pass a pandas DataFrame"),
        (np.zeros(N, dtype=[("a", "f8")]), r"X must have shape \(n, d\), got \(400,\)"),
        (DATES[["when"]].to_numpy(), "X must have a numeric dtype, got datetime64"),
        (np.full((N, 1), "u"), "X must have a numeric dtype, got <U1"),
        (X.set_axis([1, "a", 2.0], axis=1), "X must have column names that are all strings, or none of.*, got a mix"),
    ],
    ids=[
        *("a column", "no column", "a name twice", "complex", "masked", "foreign text"),
        *("a structure", "an array of dates", "an array of text", "names of two types"),
    ],
)
def test_a_public_mistake_is_one_line_for_every_learner(learner, table, says):
    refused(lambda: learner.fit(table, UP), says)


def test_a_foreign_frame_of_numbers_is_read():
    assert MarginClassifier(classes=(False, True)).fit(Foreign(X), UP).n_features_in_ == 3


@pytest.mark.parametrize("times", ["M8[s]", "period[M]", "m8[s]"])
def test_times_of_every_type_are_for_those_who_count_them(times):
    """Periods counted as 0 for learners that refuse dates."""
    when = DATES["when"].dt.to_period("M") if times.startswith("p") else DATES["when"]
    when = when - pd.Timestamp("2024-01-01") if times.startswith("m") else when
    with pytest.raises(ValueError, match="X must have numeric columns, got dates or times; PrivateScaler"):
        NoisyGD(classes=(False, True)).fit(X.assign(when=when), UP)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_date_is_the_same_date_whatever_its_type_counts_in(unit):
    """Scores were of dates a thousand times as far: one library parses text to microseconds, another to nanoseconds."""
    model = MarginClassifier(classes=(False, True)).fit(DATES.assign(when=DATES["when"].astype("M8[us]")), UP)
    model.coef_[:], model.model_.weights[:] = 1.0, 1.0  # of the date too
    scores = model.decision_function(DATES.assign(when=DATES["when"].astype(f"M8[{unit}]")))
    np.testing.assert_allclose(scores, model.decision_function(DATES.assign(when=DATES["when"].astype("M8[us]"))))
    zoned = DATES.assign(when=DATES["when"].astype(f"M8[{unit}]").dt.tz_localize("UTC"))
    np.testing.assert_allclose(scores, model.decision_function(zoned))


@pytest.mark.parametrize(
    "column",
    [
        DATES["when"].dt.to_period("M"),
        DATES["when"] - pd.Timestamp("2024-01-01"),
        DATES["when"].astype(object),
        DATES["when"].astype("int64"),
    ],
    ids=["periods", "differences", "objects", "numbers"],
)
def test_a_column_that_counts_otherwise_than_in_fit_is_refused(column):
    model, other = PrivateScaler().fit(DATES), PrivateScaler().fit(X.assign(when=column, text="a"))
    says = r"X must have the time units of fit: column 'when' is .*; fit saw .*"
    refused(lambda: model.transform(X.assign(when=column)), says)
    refused(lambda: other.transform(DATES.assign(text="a")), says)


def test_labels_are_compared_by_what_they_are():
    """A Decimal is the number that it is, and text among objects is text."""
    coded = np.array([Decimal(int(one)) for one in UP], dtype=object)
    asked = {"random_state": np.random.default_rng(0), "noise": "float"}
    assert MarginClassifier(classes=(0, 1), epsilon=50.0, **asked).fit(X, coded).score(X, UP.astype(int)) > 0.9
    classes = np.array(["no", "yes"], dtype=object)
    said = MarginClassifier(classes=classes, epsilon=50.0, **asked).fit(X, np.where(UP, "yes", "no")).predict(X)
    assert (said == np.where(UP, "yes", "no")).mean() > 0.9


@pytest.mark.parametrize("dtype", ["string", *(["str"] if pd.Series(["a"], dtype="str").dtype != object else [])])
def test_declared_text_is_not_compared_with_numbers(dtype):
    with pytest.raises(ValueError, match=r"classes must have the type of y \(kind U\), got \(0, 1\)"):
        MarginClassifier(classes=(0, 1)).fit(X, pd.Series(np.where(UP, "1", "0")).astype(dtype))


@pytest.mark.parametrize("classes", [None, (0, 1)])
@pytest.mark.parametrize(
    ("y", "says"),
    [
        (UP.astype(complex), "Complex data not supported: y"),
        (np.ma.masked_array(UP.astype(int), mask=UP), "y must be an array without a mask, got a masked array"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_are_none_are_refused_without_being_shown(y, says, classes):
    refused(lambda: NoisyGD(classes=classes).fit(X, y), says)


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (pd.Series(np.where(UP, "yes", "no"), dtype="string").where(np.arange(N) != 3), "pass `classes` otherwise|NaN"),
        (np.where(np.arange(N) == 3, None, 1), "Unknown label type"),
        (np.where(UP, "a", np.ones(N, dtype=object)), "y must have labels of one sortable type; pass `classes`"),
    ],
    ids=["one is missing", "None beside numbers", "text beside numbers"],
)
def test_labels_without_classes_are_of_one_type(y, says):
    refused(lambda: NoisyGD().fit(X, y), says)


@pytest.mark.parametrize("learner", LEARNERS[:-1], ids=lambda one: type(one).__name__)
def test_names_of_columns_are_kept_without_classes(learner):
    """Checking the labels had dropped them: columns in another order were then scored in silence."""
    model = type(learner)().fit(X, UP)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    model.predict(X)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["c", "b", "a"]])
