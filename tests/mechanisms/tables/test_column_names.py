"""What `bounds` and `categories` call a column: its name, and its position where no name is a number."""

import numpy as np
import pandas as pd
import pytest

from lemmata import MarginClassifier, PrivateScaler

N = 40
WIDE = np.random.default_rng(0).uniform(size=(N, 3)) * [1.0, 1000.0, 1.0]
Y = np.resize([0, 1], N)
KNOWN = {1: (0.0, 1.0), 2: (0.0, 1000.0), 3: (0.0, 1.0)}


def frame(names):
    return pd.DataFrame(WIDE, columns=names)


@pytest.mark.parametrize("order", [[1, 2, 3], [3, 2, 1], [2, 3, 1]])
@pytest.mark.parametrize("text", [False, True])
def test_bounds_are_those_of_the_column_of_that_name(order, text):
    """As `read_csv(header=None)` names columns: each pair was that of the column before, and silently."""
    X = frame([1, 2, 3])[order]
    listed = {"categories": {4: ["u", "v"]}} if text else {}
    X = X.assign(text="u").rename(columns={"text": 4}) if text else X
    scaler = PrivateScaler(bounds=KNOWN, ranges=None, **listed).fit(X)
    assert scaler.center_[:3].tolist() == [sum(KNOWN[name]) / 2 for name in order]
    assert scaler.get_feature_names_out()[:3].tolist() == [str(name) for name in order]
    model = MarginClassifier(classes=(0, 1), bounds=KNOWN, ranges=None, random_state=0, **listed).fit(X, Y)
    assert model.ranges_.centre[:3].tolist() == scaler.center_[:3].tolist()


@pytest.mark.parametrize("names", [[0, 1, 2], [0.0, 1.0, 2.0], ["a", "b", "c"], [("a", 1), ("a", 2), ("b", 1)]])
def test_a_position_counts_where_no_name_is_a_number(names):
    pairs = {0: (0, 1), 1: (0, 1000), 2: (0, 1)}
    for X in (frame(names), frame(names).astype(object), WIDE):
        scaler = PrivateScaler(bounds=pairs).fit(X)
        assert scaler.center_[np.flatnonzero(scaler.scale_ == 250.0)].tolist() == [500.0]


@pytest.mark.parametrize(
    ("names", "asked", "message"),
    [
        ([1, 2, 3], {"bounds": {0: (0, 1)}}, "bounds must name columns of X, got 0"),
        ([1, 2, 3], {"categories": {0: ["u"]}}, "categories must name columns of X, got 0"),
        (["a", "b", "c"], {"bounds": {3: (0, 1)}}, "bounds must name columns of X, got 3"),
        (["a", "b", "c"], {"bounds": {"a": (0, 1), 0: (0, 2)}}, "bounds must name a column at most once, got 0 twice"),
        (["a", "b", "c"], {"categories": {0: ["u"], "a": ["v"]}}, "categories must name a column.*, got 'a' twice"),
    ],
)
def test_a_name_of_none_or_of_one_named_before_is_refused(names, asked, message):
    with pytest.raises(ValueError, match=message):
        PrivateScaler(**asked).fit(frame(names))


def test_categories_are_listed_by_position_too():
    X = frame(["a", "b", "c"]).assign(town="u")
    scaler = PrivateScaler(bounds=(0, 1000), ranges=None, categories={3: ["u", "v"]}).fit(X)
    assert scaler.get_feature_names_out().tolist() == ["a", "b", "c", "town=u", "town=v"]
    with pytest.raises(ValueError, match="bounds must name numeric columns, got 'town'"):
        PrivateScaler(bounds={3: (0, 1)}, categories={3: ["u", "v"]}).fit(X)
