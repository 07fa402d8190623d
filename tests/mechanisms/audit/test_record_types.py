"""What records and releases are made of: whole numbers, truth values, texts, frames; and programs that show a leak."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd
import pytest

from lemmata import PureDP, audit
from lemmata.mechanisms.audit.neighbours.changes import neighbouring
from lemmata.mechanisms.audit.neighbours.record_parts import _values, described, figures
from lemmata.mechanisms.audit.neighbours.record_tables import dataset_key, row, stored
from lemmata.mechanisms.audit.play.neighbour_search import Search
from lemmata.mechanisms.audit.play.pair_shrinking import _column, reproducer, written
from lemmata.mechanisms.audit.subjects.adapters import mechanism
from tests.mechanisms.audit.planted_leaks import times_shown

HOURS = pd.DataFrame({"hours": [0.0, 0.5, 1.0, 0.2] * 6, "drink": ["tea", "coffee", "tea", "tea"] * 6})


def unclipped(x, rng):
    return x.sum() + rng.laplace(scale=3)


def drinks(frame, rng):
    return {drink: count + rng.laplace(scale=2) for drink, count in frame["drink"].value_counts().items()}


def doubled(value, rng):
    return (value in (1, "yes")) * 5 + rng.laplace()


def favourite(frame, rng):
    return frame["drink"].value_counts().idxmax()


def totals(frame, rng):
    return pd.Series({"hours": frame["hours"].clip(0, 1).fillna(0).sum() + rng.laplace(scale=0.2)})


def quarters(X, rng):
    """One draw for all of them: their differences are exact."""
    sums = np.clip(np.nan_to_num(X), 0, 1).sum(axis=0)
    return sums + rng.laplace(scale=len(sums))


def quarters_and_their_sum(X, rng):
    sums = np.clip(np.nan_to_num(X), 0, 1).sum(axis=0)
    noisy = sums + rng.laplace(scale=len(sums), size=len(sums))
    return np.array([*noisy, noisy[0], noisy[1] + 3])


def opened(x, rng):
    """A day that moves with the sum, and not enough noise."""
    days = np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace(scale=0.2)
    return pd.Timestamp("2020-01-02") + pd.Timedelta(days=float(days))


DRINKS = ["coffee", "tea"]


def ranking(frame, rng):
    """The order is that of the counts without noise, and shows in the labels alone."""
    counts = frame["drink"].value_counts().reindex(DRINKS).fillna(0).sort_values()
    return counts + rng.laplace(scale=2, size=2)


def orders(frame, rng):
    return {drink: float(count) for drink, count in ranking(frame, rng).items()}


def ranked_by_noise(frame, rng):
    counts = frame["drink"].value_counts().reindex(DRINKS).fillna(0)
    return (counts + rng.laplace(scale=2, size=2)).sort_values()


def answered(column, rng):
    return column.dropna().mean() + rng.laplace(scale=1 / len(column.dropna()))


@pytest.mark.parametrize(
    ("mechanism", "data"),
    [
        (lambda x, rng: np.clip(x, 0, 3).sum() + rng.laplace(scale=3), np.arange(24) % 4),
        (lambda x, rng: x.sum() + rng.laplace(), np.arange(24) % 2 == 0),
    ],
    ids=["whole", "truths"],
)
def test_an_array_of_whole_numbers_or_truth_values_keeps_to_them(mechanism, data):
    """Each of these keeps its promise for whatever such an array holds; NaN made both of them fall."""
    pairs = list(neighbouring((data,), described((data,), {}), "replace"))
    kinds = {part.dtype.kind for pair in pairs for part in (*pair.data, *pair.neighbour)}
    assert len(pairs) > 20 and kinds == {data.dtype.kind}
    assert audit(mechanism, data, PureDP(1.0), root=5, budget=3000).verdict != "REFUTED"


@pytest.mark.parametrize(
    ("mechanism", "data"),
    [
        *((unclipped, np.arange(24) % 4), (answered, HOURS["hours"]), (quarters, HOURS[["hours"] * 4].to_numpy())),
        (favourite, HOURS),
        (opened, np.linspace(0, 1, 12)),
        *(pytest.param(leak, HOURS, marks=pytest.mark.slow) for leak in (drinks, totals, ranking, orders)),
    ],
)
def test_a_leak_is_found_and_its_program_shows_it(mechanism, data):
    """More often on one side than e times as often on the other, or that the event does not happen."""
    found = audit(mechanism, data, PureDP(1.0), root=5)
    assert found.verdict == "REFUTED"
    assert len(found.reproducer.splitlines()) <= 20
    one, other = times_shown(found.reproducer)
    assert any(
        a > np.e * b + 60
        for a, b in ((one, other), (other, one), (1000 - one, 1000 - other), (1000 - other, 1000 - one))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "data"), [(quarters_and_their_sum, HOURS[["hours"] * 4].to_numpy()), (ranked_by_noise, HOURS)]
)
def test_what_is_made_of_noisy_numbers_is_honest(mechanism, data):
    """Sums of them, and labels in their order."""
    assert audit(mechanism, data, PureDP(1.0), root=5, budget=10_000).verdict != "REFUTED"


def test_a_record_is_a_value_of_python():
    """Numbers of numpy's become Python's; a text, or whatever else a column of objects holds, stays what it is."""
    assert [row(np.array(["a", 2.5, None], dtype=object), place) for place in range(3)] == ["a", 2.5, None]
    assert [type(row(part, 0)) for part in (np.arange(2), pd.Series([0.5]), pd.Series(["a"]))] == [int, float, str]


def test_a_truth_value_may_be_missing_where_its_type_has_a_value_for_that():
    assert _values(pd.Series([True])) == [True, False]
    assert _values(pd.Series([True], dtype="boolean")) == [True, False, None]


def test_a_column_names_its_type_where_pandas_does_not_guess_it():
    assert _column(pd.Series([1.5]), "") == "[1.5]" and _column(pd.Series([1.5]), "a") == 'saved["a"]'
    assert _column(pd.Series([True], dtype="boolean"), "") == "pd.Series([1.0]).astype('boolean')"


def test_a_forgotten_claim_shows_no_data():
    with pytest.raises(ValueError, match="claim must be a guarantee, got ndarray") as error:
        audit(unclipped, np.array([91.5, 88.25, 17.0]), np.array([1, 0, 1]))
    assert "91" not in str(error.value)


# Columns of every type that pandas has, each with entries that are missing where it has a value for that.
COLUMNS = {
    "category": pd.Series(pd.Categorical(list("abca") * 6)),
    "ordered": pd.Series(pd.Categorical(list("abca") * 6, categories=list("abcd"), ordered=True)),
    "numbered": pd.Series(pd.Categorical([1, 2, 3, 1] * 6)),
    "Int64": pd.Series([1, 2, None, 4] * 6, dtype="Int64"),
    "UInt8": pd.Series([1, 2, 3, 4] * 6, dtype="UInt8"),
    "Float64": pd.Series([1.5, 2, None, 4] * 6, dtype="Float64"),
    "boolean": pd.Series([True, False, None, True] * 6, dtype="boolean"),
    "bool": pd.Series([True, False, False, True] * 6),
    "string": pd.Series(["a", "b", None, "a"] * 6, dtype="string"),
    "date": pd.Series(pd.date_range("2020-01-01", periods=24)),
    "zone": pd.Series(pd.date_range("2020-01-01", periods=24, tz="Europe/Paris")),
    "span": pd.Series(pd.to_timedelta(np.arange(24), unit="h")),
    "period": pd.Series(pd.period_range("2020-01", periods=24, freq="M")),
    "interval": pd.Series(pd.interval_range(0, 24)),
}
SIDES = {
    "beside numbers": lambda column: (pd.DataFrame({"x": np.linspace(0, 1, 24), "c": column}),),
    "alone in a frame": lambda column: (pd.DataFrame({"c": column}),),
    "a series": lambda column: (column,),
    "labels": lambda column: (np.linspace(0, 1, 24), column),
}


def of_column(data):
    return data[-1]["c"] if np.ndim(data[-1]) == 2 else data[-1]


@pytest.mark.parametrize("kind", ["replace", "add/remove"])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_keeps_its_type(name, side, kind):
    data = SIDES[side](COLUMNS[name])
    pairs = list(islice(neighbouring(data, described(data, {}), kind), 60))
    assert {of_column(part).dtype for pair in pairs for part in (pair.data, pair.neighbour)} == {COLUMNS[name].dtype}
    changed = [pair for pair in pairs if not of_column(pair.data).equals(of_column(pair.neighbour))]
    assert len(changed) > 2, "no pair differs in the column"


@pytest.mark.parametrize("unit", ["M8[D]", "M8[ns]", "m8[s]"])
def test_an_array_of_dates_keeps_its_type(unit):
    data = (np.arange(24).astype(unit),)
    pairs = list(neighbouring(data, described(data, {}), "replace"))
    assert len(pairs) > 20 and {str(part.dtype) for p in pairs for part in (*p.data, *p.neighbour)} == {
        str(data[0].dtype)
    }
    assert any(np.isnat(pair.neighbour[0]).any() for pair in pairs)


def groups(frame, rng):
    """A count of each category, which only a column of categories has."""
    return frame["c"].cat.codes.value_counts().reindex([0, 1, 2], fill_value=0).to_numpy() + rng.laplace(
        scale=2, size=3
    )


@pytest.mark.slow
def test_categories_are_audited_as_what_they_are():
    data = SIDES["beside numbers"](COLUMNS["category"])
    honest = audit(groups, *data, PureDP(1.0), root=5, budget=3000)
    assert honest.verdict == "INCONCLUSIVE" and honest.reason != "NOT_AUDITED" and not honest.refused
    assert (
        audit(
            lambda frame, rng: float(frame["c"].cat.codes.value_counts().idxmax()), *data, PureDP(1.0), root=5
        ).verdict
        == "REFUTED"
    )


@pytest.mark.parametrize("name", [name for name in COLUMNS if name != "interval"])
@pytest.mark.parametrize("side", SIDES)
def test_a_dataset_is_written_into_a_program_as_it_is(name, side, tmp_path):
    """Written out, and saved without pickle: of intervals, which pandas makes of no text, texts are left."""
    for part in SIDES[side](COLUMNS[name]):
        np.savez(tmp_path / "pair.npz", **{f"data_{at}": array for at, array in stored((part,))})
        for saved in ("", "data_0"):
            names = {"pd": pd, "np": np, "nan": np.nan, "saved": np.load(tmp_path / "pair.npz")}
            again = eval(written(part, saved), names)
            assert dataset_key((again,)) == dataset_key((part,)), written(part, saved)


def overfull(frame, rng):
    return frame["hours"].fillna(0).sum() + rng.laplace(scale=0.2)


@pytest.mark.slow
def test_a_program_loads_a_large_frame_of_mixed_columns(tmp_path, monkeypatch):
    large = pd.concat([pd.DataFrame({name: column for name, column in COLUMNS.items() if name != "interval"})] * 3)
    large = large.reset_index(drop=True).assign(hours=np.linspace(0, 1, 72), drink=["tea", "coffee", "tea"] * 24)
    search = Search(mechanism(overfull), PureDP(1.0), 5, 3000)
    pair = next(pair for pair in neighbouring((large,), described((large,), {}), "replace") if "1e+06" in pair.words)
    program = reproducer(search, pair)
    replace(audit(overfull, large[["hours"]], PureDP(1.0), root=5), pair=pair).save(tmp_path / "pair")
    monkeypatch.chdir(tmp_path)
    assert 'np.load("pair.npz")' in program and len(program.splitlines()) <= 20
    assert sorted(times_shown(program)) in ([0, 1000], [0, 999])


def test_a_series_of_numbers_is_read_with_a_missing_one_as_nan():
    read = figures(pd.Series([1, None, 3], dtype="Int64"))
    assert read.dtype == float and np.array_equal(read, [1.0, np.nan, 3.0], equal_nan=True)


@pytest.mark.parametrize("value", [1, "yes"])
def test_one_value_is_a_record(value):
    found = audit(doubled, value, PureDP(1.0), root=3, budget=6_000)
    one, other = times_shown(found.reproducer)
    assert found.verdict == "REFUTED" and "tried: the last record, values that no other record has" in found.changes
    assert abs(one - other) > 500
