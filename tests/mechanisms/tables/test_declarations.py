"""What a table declares, columns, types and masks, decides what is refused; records decide nothing."""

from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from lemmata import MarginClassifier, NoisyGD, PrivateScaler, PrivateSearchCV, PrivateSVM, inspect
from lemmata.mechanisms.tables.inputs import as_frame

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


class Series:
    """A column of polars, or of arrow where it has `to_pylist`: objects where a truth value is missing."""

    def __init__(self, values, kind):
        self.values, self.kind = values, kind

    def to_list(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        gaps = None in self.values or self.kind == "O"
        return np.array(self.values, dtype=(("f8" if self.kind == "i8" else "O") if gaps else self.kind))


class Polars:
    """A frame of polars as far as it is read: names, declared types and columns."""

    def __init__(self, **columns):
        self.all = columns
        self.schema = {name: declared for name, (_, declared, _) in columns.items()}
        self.columns = list(columns)
        self.shape = len(next(iter(columns.values()))[0]), len(columns)

    def __getitem__(self, which):
        if isinstance(which, slice):
            return Polars(**{name: (values[which], *kinds) for name, (values, *kinds) in self.all.items()})
        return Series(self.all[which][0], self.all[which][2])


class Arrow(Polars):
    """A table of arrow: `columns` are its entries, and a field has a type."""

    def __init__(self, **columns):
        super().__init__(**columns)
        self.column_names = list(columns)
        self.columns = [values for values, *_ in columns.values()]
        self.schema = SimpleNamespace(field=lambda name: SimpleNamespace(type=columns[name][1]))

    def __getitem__(self, which):
        found = super().__getitem__(which)
        return Arrow(**found.all) if isinstance(which, slice) else found

    def __array__(self, dtype=None, copy=None):
        return np.array(self.columns, dtype=dtype).T


def polars(gap):
    """400 records, in which one truth value may be missing."""
    times = N // 4
    return Polars(
        a=([1, 2, 3, 4] * times, "Int64", "i8"),
        b=([gap, False, True, False] * times, "Boolean", "?"),
        c=(["u", None, "v", "u"] * times, "Categorical", "O"),
        t=(["2020-01-01", "x", None, "y"] * times, "String", "O"),
        d=([np.datetime64("2020-01-01")] * N, "Date", "M8[D]"),
    )


def test_a_frame_of_another_library_is_read_by_its_declared_types():
    """A missing truth value makes objects of a column there, and must not change what comes out."""
    shapes = []
    for gap in (True, None):
        model = MarginClassifier(classes=(False, True), random_state=1).fit(polars(gap), UP)
        shapes.append(model.coef_.shape)
        assert model.predict(polars(gap)).shape == (N,)
    assert shapes == [(1, 1 + 1 + 8 + 9 + 1)] * 2
    frame = as_frame(polars(None))
    assert np.isnan(frame.iloc[:, 1]).sum() == N // 4 and frame.iloc[:, 2].tolist()[:3] == ["u", None, "v"]
    refused(lambda: as_frame(Polars(l=([[1]], "List(Int64)", "O"))), r"X must have .*, got 'l' of type List\(Int64\)")


def test_inspection_says_what_comes_out_and_reads_no_record():
    for X in (polars(True), pd.DataFrame({"a": [1.0] * N, "c": pd.Categorical(["u"] * N), "t": ["x"] * N})):
        told = inspect(X)
        model = MarginClassifier(classes=(False, True), random_state=1).fit(X, UP)
        assert sum(told.columns) == model.coef_.shape[1]
    told = inspect(pd.DataFrame({name: ["1"] for name in ("user_id", "orderId", "paid", "dob", "createdAt", "format")}))
    assert [note[:4] for note in told.notes] == ["an i", "an i", "", "a da", "a da", ""]
    for names, note in (("userid phone_number patient-no iban", "an i"), ("date_of_birth created birthdate", "a da")):
        assert {one[:4] for one in inspect(pd.DataFrame({name: ["1"] for name in names.split()})).notes} == {note}
    assert {*inspect(pd.DataFrame({name: ["1"] for name in ("valid", "candid", "update", "no")})).notes} == {""}
    assert inspect(X, {"c": ["u", "v"]}).becomes[1] == "one of 2 categories"
    assert inspect(np.zeros((3, 2))).becomes == ("number",) * 2
    refused(lambda: inspect(np.zeros(3)), r"X must have shape \(n, d\)")


class Declared(str):
    """A type of arrow, by its name; with a unit, and perhaps a zone."""

    unit = "us"

    @property
    def tz(self):
        return "UTC" if "tz=" in self else None


class ArrowBacked:
    """A frame of pandas with types of arrow, as far as they are read; `astype` says what is asked for."""

    iloc = None

    def __init__(self, **declared):
        numpys = {"timestamp[us]": "datetime64[us]"}
        self.columns, self.dtypes = pd.Index([*declared]), [np.dtype("f8")] * len(declared)
        for place, one in enumerate(filter(None, declared.values())):
            self.dtypes[place] = SimpleNamespace(pyarrow_dtype=Declared(one), numpy_dtype=numpys.get(one))

    def astype(self, wanted):
        return wanted


def test_types_of_arrow_in_a_frame_of_pandas_are_those_of_arrow():
    """Dates were text there, and lists were hashed instead of refused by their name."""
    times = {"t": "timestamp[us]", "z": "timestamp[us, tz=UTC]", "d": "date32[day]"}
    found = as_frame(ArrowBacked(**times, m="decimal128(9, 2)", s="string", c="time64[us]", x=None))
    assert found == {"t": "datetime64[us]", "z": "datetime64[us, UTC]", "d": "datetime64[s]", "m": float}
    assert isinstance(as_frame(ArrowBacked(s="string", x=None)), ArrowBacked)
    for kind in ("list<item: int64>", "struct<a: int64>", "binary"):
        refused(lambda kind=kind: as_frame(ArrowBacked(l=kind, x=None)), f"X must have .*, got 'l' of type {kind}")


def test_the_entries_of_arrow_are_no_names():
    X = Arrow(age=([31, 7, 55, 4] * (N // 4), "int64", "i8"), height=([1.7, 1.2, 1.8, 1.0] * (N // 4), "double", "f8"))
    assert inspect(X).names == ("age", "height")
    scaler = PrivateScaler(bounds={"age": (0, 100)}, random_state=1).fit(X)
    assert scaler.get_feature_names_out().tolist() == ["age", "height"]


def test_categories_that_have_no_number_are_no_declared_ones():
    """Polars keeps one list of categories for all columns of a process, which are not those of the labels."""

    class Labels(list):
        dtype = type("Categorical", (), {"categories": object()})()

    assert MarginClassifier(classes=("n", "p")).fit(X, Labels(["n", "p"] * (N // 2))).classes_.tolist() == ["n", "p"]


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
