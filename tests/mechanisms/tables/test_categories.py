"""Categories and text of every type: one that is listed is found as int, float, truth value or text."""

import io
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from lemmata import MarginClassifier, PrivateScaler
from lemmata.mechanisms.tables.table_columns import BUCKETS, plan_layout

GRADES = np.array([1, 2, 3, 2, 1, 3])
TYPES = {
    "int": GRADES,
    "int8": GRADES.astype(np.int8),
    "float": GRADES.astype(float),
    "float32": GRADES.astype(np.float32),
    "nullable": pd.array(GRADES, dtype="Int64"),
    "nullable float": pd.array(GRADES, dtype="Float64"),
    "text": pd.array(GRADES.astype(str), dtype="string"),
    "categories": pd.Categorical(GRADES),
    "categories of floats": pd.Categorical(GRADES.astype(float)),
    "objects": GRADES.astype(object),
    "decimals": pd.Series([Decimal(int(grade)).quantize(Decimal("1.00")) for grade in GRADES], dtype=object),
}
LISTS = [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"], np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]), [1, 2.0, "3"]]


def found(column, listed):
    frame = pd.DataFrame({"a": column})
    return plan_layout(frame, {"a": listed}).apply(frame)


@pytest.mark.parametrize("listed", LISTS)
@pytest.mark.parametrize("name", TYPES)
def test_whole_numbers_are_found_whatever_type_they_have(name, listed):
    """One missing entry makes floats of ints, and str(1.0) is not str(1): all indicators were 0."""
    np.testing.assert_array_equal(found(TYPES[name], listed), np.eye(3)[GRADES - 1])


@pytest.mark.parametrize("listed", LISTS)
@pytest.mark.parametrize("name", ["float", "float32", "nullable", "nullable float", "text", "objects"])
def test_a_missing_one_is_in_none_of_them(name, listed):
    column = pd.Series(TYPES[name]).where(np.arange(6) != 2)
    expected = np.eye(3)[GRADES - 1] * (np.arange(6) != 2)[:, None]
    np.testing.assert_array_equal(found(column, listed), expected)


@pytest.mark.parametrize("listed", [[True, False], [1, 0], [1.0, 0.0], [np.True_, np.False_], ["True", "False"]])
@pytest.mark.parametrize("kind", ["bool", "boolean", object, float, "Int64"])
def test_truth_values_are_ones_and_zeros(kind, listed):
    truth = pd.Series([True, False, True]).astype(kind)
    if listed == ["True", "False"] and kind in (float, "Int64"):
        return  # a number is not meant by a text that is none
    np.testing.assert_array_equal(found(truth, listed), [[1, 0], [0, 1], [1, 0]])


def test_what_is_listed_by_itself_is_found_as_itself():
    assert found(pd.Series([True, 1, "x"], dtype=object), [1, True]).tolist() == [[0, 1], [1, 0], [0, 0]]
    assert found([0.5, np.inf, -0.0, 1e300], [0.5, 0]).tolist() == [[1, 0], [0, 0], [0, 1], [0, 0]]
    array = np.array([[1.0, 5.0], [2.0, 6.0]])
    assert plan_layout(array, {0: [1, 2]}).apply(array).tolist() == [[1, 0, 5], [0, 1, 6]]


def test_a_fit_on_ints_predicts_floats():
    frame = pd.DataFrame({"grade": np.resize(GRADES, 300), "noise": np.resize(np.linspace(-1, 1, 7), 300)})
    y = (frame["grade"] == 2).astype(int)
    model = MarginClassifier(epsilon=9.0, classes=(0, 1), categories={"grade": [1, 2, 3]}, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.95 and model.score(frame.astype({"grade": float}), y) == model.score(frame, y)


# A table with a column of numbers, in one of whose places stands a question mark, as pandas reads it.
DRAW = np.random.default_rng(0)
AGES = DRAW.integers(18, 90, 3000)
LINES = [f"{'?' if i == 5 else value},{DRAW.normal():.3f}" for i, value in enumerate(AGES)]
SPOILT = pd.read_csv(io.StringIO("age,noise\n" + "\n".join(LINES)))


@pytest.mark.parametrize("kind", [None, object, "string"])
def test_numbers_in_a_column_of_text_are_numbers(kind):
    """pandas 3 calls the column text, and it was hashed into 8 buckets: accuracy 0.6, with one question mark."""
    X, y = SPOILT if kind is None else SPOILT.astype({"age": kind}), np.where(AGES > 50, "yes", "no")
    model = MarginClassifier(classes=("no", "yes"), random_state=0).fit(X, y)
    assert model.score(X, y) > 0.93
    assert model.layout_.names() == ["age", *(f"age#{k}" for k in range(BUCKETS)), "noise"]


def test_text_is_read_by_its_type_alone():
    """A column of text has a number whether or not a record does, and counts once in the length of a row."""
    words = SPOILT.assign(age=pd.Series(np.resize(["old", "young"], 3000), dtype=SPOILT["age"].dtype))
    assert plan_layout(words).names() == plan_layout(SPOILT).names() and plan_layout(SPOILT).size == 2
    made = plan_layout(SPOILT).apply(SPOILT)
    assert np.isnan(made[5, 0]) and made[5, 1:-1].sum() == 1 and not made[:5, 1:-1].any()
    assert np.isnan(plan_layout(words).apply(words)[:, 0]).all()


def test_a_missing_text_is_in_no_bucket():
    frame = pd.DataFrame({"a": pd.array(["x", None], dtype="string"), "b": pd.Series([pd.NA, "y"], dtype=object)})
    made = np.nan_to_num(plan_layout(frame).apply(frame))
    assert made[:, 1 : 1 + BUCKETS].sum(axis=1).tolist() == [1, 0]
    assert made[:, 2 + BUCKETS :].sum(axis=1).tolist() == [0, 1]


def test_the_scaler_names_numbers_of_text():
    names = PrivateScaler(random_state=0).fit(SPOILT).get_feature_names_out()
    assert names[0] == "age" and names[-1] == "noise" and len(names) == 2 + BUCKETS
