"""Tables of every kind that people have: each is learnt as it is, or refused in a line for what it declares."""

import datetime
from decimal import Decimal
from math import sqrt
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from lemmata.mechanisms.estimators import scaling
from lemmata.mechanisms.estimators.margin_classifier import MarginClassifier, NoisyGD, PrivateSVM
from lemmata.mechanisms.estimators.scaling import PrivateScaler, choose_row_length
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP
from lemmata.mechanisms.tables import column_ranges
from lemmata.mechanisms.tables.table_columns import plan_layout
from lemmata.tools.row_lengths import aside

N = 1500
DRAW = np.random.default_rng(0)
DAYS = DRAW.integers(0, 3650, N)
NOISE = DRAW.normal(size=N)
DATES = pd.Series(pd.Timestamp("2015-01-01") + pd.to_timedelta(DAYS, "D"))
LATE = (DAYS > 1825).astype(int)
WARM = DRAW.normal(size=(N, 3))
BEFORE = datetime.date(2014, 12, 31)


def beside(column, name="c"):
    """A frame of one telling column and one of noise."""
    return pd.DataFrame({name: column, "noise": NOISE})


def with_gaps(values, gap):
    """Every twentieth entry is missing."""
    return [gap if i % 20 == 7 else value for i, value in enumerate(values)]


TOLD = {  # a table and its labels, which one column says, the records in random order
    "dates": (beside(DATES), LATE),
    "dates with a zone and gaps": (beside(pd.Series(with_gaps(DATES, pd.NaT)).dt.tz_localize("Europe/Berlin")), LATE),
    "differences of dates": (beside(DATES - DATES.min()), LATE),
    "periods": (beside(DATES.dt.to_period("M")), LATE),
    "dates as objects": (beside([BEFORE + datetime.timedelta(int(day)) for day in DAYS]), LATE),
    "nullable": (beside(pd.Series(with_gaps(DAYS, None), dtype="Int64")), LATE),
    "decimals": (beside([Decimal(int(day)) / 7 for day in DAYS]), LATE),
    "sentinels": (beside(np.where(DRAW.random(N) < 0.1, -999, DAYS % 50)), (DAYS % 50 > 25).astype(int)),
    "categories": (beside(pd.Categorical(np.where(LATE, "late", "soon"))), LATE),
    "text": (beside(np.where(LATE, "late", "soon")), LATE),
    "truth values": (beside(LATE == 1), LATE),
    "nullable truth": (beside(pd.Series(with_gaps(LATE == 1, None), dtype="boolean")), LATE),
    "bytes": ((255 * LATE + DRAW.integers(0, 60, N))[:, None].clip(0, 255).astype(np.uint8), LATE),
    "a constant": (np.column_stack([WARM, np.full(N, 7.0)]), (WARM[:, 0] > 0).astype(int)),
    "numbers of records": (np.column_stack([np.arange(N) + 1e9, WARM]), (WARM[:, 0] > 0).astype(int)),
    "half of it missing": (np.where(DRAW.random((N, 3)) < 0.3, np.nan, WARM), (WARM[:, 0] > 0).astype(int)),
}


def learners(epsilon, seed=0):
    """The default, and what stands behind a scaler, with a budget of epsilon or little more."""
    rng = lambda: np.random.default_rng(seed)  # noqa: E731
    scaler = PrivateScaler(epsilon=epsilon / 4, unit_ball=True, random_state=rng())
    yield MarginClassifier(epsilon=epsilon, classes=(0, 1), random_state=rng())
    yield make_pipeline(scaler, NoisyGD(epsilon=epsilon, classes=(0, 1), random_state=rng()))
    yield make_pipeline(scaler, PrivateSVM(epsilon=epsilon, C=30.0, classes=(0, 1), random_state=rng()))
    yield make_pipeline(PrivateScaler(epsilon=epsilon, random_state=rng()), LogisticRegression())


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1e30])
def test_columns_of_any_unit_are_learnt(scale):
    X = np.random.default_rng(3).normal(size=(1500, 3))
    y, asked = (X[:, 0] > 0).astype(int), {"epsilon": 3.0, "classes": (0, 1)}
    sources = [np.random.default_rng(seed) for seed in range(3)]
    models = [MarginClassifier(**asked, random_state=one).fit(X * scale, y) for one in sources]
    assert np.median([model.score(X * scale, y) for model in models]) > 0.9  # a range is missed once in 500 columns


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
@pytest.mark.parametrize("name", TOLD)
def test_a_table_as_it_is_tells_its_labels(name, epsilon):
    X, y = TOLD[name]
    is_hard = name in ("sentinels", "half of it missing")
    for each in zip(*(learners(epsilon, seed) for seed in range(3 if is_hard else 1)), strict=True):
        right = np.mean([learner.fit(X, y).score(X, y) for learner in each])
        assert right > (0.65 if is_hard else 0.85), (each, right)


def test_labels_of_any_type_are_learnt():
    X, up = WARM, WARM[:, 0] > 0
    for y, classes in (
        (pd.Series(np.where(up, "hi", "lo"), dtype="string"), ("lo", "hi")),
        (pd.Series(np.where(up, "hi", "lo")).astype("category"), ("lo", "hi")),
        (pd.Series(with_gaps(up, None), dtype="boolean"), (False, True)),
        (np.where(up, "hi", None), ("lo", "hi")),
        (np.where(up, 1.0, np.nan), (-1.0, 1.0)),
        (up[:, None].astype(int), (0, 1)),
    ):
        said = MarginClassifier(classes=classes, random_state=np.random.default_rng(0)).fit(X, y).predict(X)
        assert set(said.tolist()) <= set(classes)


@pytest.mark.parametrize("classes", [3, 5])
def test_several_classes_are_told_apart(classes):
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, N)
    X = (rng.normal(size=(classes, 8)) * 3)[y] + rng.normal(size=(N, 8))
    table = X * np.logspace(-3, 3, 8), np.array(list("abcde"))[y]
    model = MarginClassifier(classes=tuple("abcde"[:classes]), random_state=np.random.default_rng(0))
    assert model.fit(*table).score(*table) > 0.9


def right(X, y):
    """The share that the default tells right, with noise that many fits can afford."""
    learner = MarginClassifier(classes=(0, 1), noise="float", random_state=np.random.default_rng(0))
    return learner.fit(X, y).score(X, y)


@pytest.mark.parametrize(("n", "offset"), [(1000, 1e6), (1500, 1e9)])
def test_huge_offsets_are_found_within_a_small_budget(n, offset):
    """Looks are as precise as a budget for all of them allows: with n / 24 there are too few."""
    X = offset + np.random.default_rng(1).normal(size=(n, 5))
    y = (X[:, 0] > offset).astype(int)
    assert right(X, y) > 0.9
    with mock.patch.object(column_ranges, "look_noise", lambda n, columns, left: n / column_ranges.CLOSER):
        assert right(X, y) < 0.7


def test_dates_are_the_numbers_that_their_type_counts_in():
    """A missing one is a gap, and one at the end of what the type holds is refused no more than others."""
    dates = pd.Series(pd.to_datetime(["1970-01-02", None, "2262-04-11"])).astype("datetime64[s]")
    frame = pd.DataFrame({"s": dates, "d": dates.dt.to_period("D")})
    np.testing.assert_array_equal(plan_layout(frame).apply(frame)[:2], [[86_400.0, 1.0], [np.nan, np.nan]])
    objects = pd.DataFrame(
        {"o": pd.Series([datetime.date(1, 1, 3), datetime.datetime(1, 1, 3, 12), pd.NaT], dtype=object)}
    )
    assert plan_layout(objects).apply(objects)[:, 0].tolist()[:2] == [3.0, 3.5]
    assert not np.isfinite(plan_layout(objects).apply(objects)[2, 0])
    assert not plan_layout(objects).apply(objects)[:, 1:].any()


def test_a_small_class_on_one_side_is_seen():
    """Also where most of its rows are scaled down: their constants are too, so they stay on their side."""
    assert right(*aside(6000, shift=4.0, share=0.2)) > 0.97


def test_rows_are_scaled_down_earlier_the_more_is_resolved():
    lengths = [choose_row_length(n, 20, 20, 0.25) for n in (10, 1000, 2200, 10_000, 10**6)]
    assert lengths == sorted(lengths, reverse=True) and lengths[0] == lengths[1] == sqrt(10)
    assert lengths[-1] == pytest.approx(sqrt(5)) and lengths[2] == pytest.approx(sqrt(200) / (0.01 * 2200 * 0.25))


def test_a_row_that_is_scaled_down_keeps_its_side_of_every_hyperplane():
    rng = np.random.default_rng(8)
    Z, weights = rng.standard_t(1, size=(200, 4)), rng.normal(size=(5, 50))
    rows, linear = scaling.clip_to_ball(Z, 6.0), scaling.with_intercept(Z, 6.0)
    assert np.linalg.norm(rows, axis=1).max() <= 1 + 1e-15
    np.testing.assert_array_equal(np.sign(rows @ weights), np.sign(linear @ weights))
    shorter = scaling.shrinkage(rows)
    np.testing.assert_allclose(linear * shorter[:, None], rows, rtol=1e-14)
    assert 0.2 < np.mean(shorter < 1) < 0.8 and shorter.max() == pytest.approx(1, abs=1e-15)


def test_coefficients_give_the_scores_of_long_rows_too():
    X, y = aside(6000, shift=4.0, share=0.2)
    model = MarginClassifier(classes=(0, 1), random_state=np.random.default_rng(0)).fit(X, y)
    far = np.linalg.norm(X, axis=1) > 2 * model.length_
    assert far.any() and np.abs((X - model.ranges_.centre) / model.ranges_.spread).max() < model.ranges_.reach[0]
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_[0] + model.intercept_[0], atol=1e-12)


def test_codes_far_from_a_column_leave_its_reach_as_it_is():
    """And a tenth of it that is near, or a few records that are far, do not."""
    rng, n = np.random.default_rng(4), 20_000
    column = rng.normal(size=n)
    code, near, few = (
        np.where(rng.random(n) < share, at, column) for share, at in ((0.1, -999), (0.1, 6), (1e-3, -999))
    )
    X = np.column_stack([column, code, near, few])
    found = column_ranges.law(X, privacy=GaussianDP(0.5)).model(rng, reach=50.0)
    assert found.reach.tolist() == [50.0, column_ranges.REACH, 50.0, 50.0]


def test_a_shape_lies_about_the_centre_that_a_column_of_it_gets():
    """At least a twentieth of it on either side: zeros beside normals lie at most so unevenly."""
    for family in column_ranges.shape_families():
        assert 0.05 < float(family.distribution(np.array([family.centre]))[0]) < 0.95


def test_rare_ones_and_counts_of_mostly_zeros_get_their_spread():
    """At n / 16 a shape far away fits the noise of 417 bins as well as a column with a twentieth of ones."""
    for seed in range(3):
        draw = np.random.default_rng(seed)
        for X in ((draw.random((10**4, 20)) < 0.05) * 1.0, draw.poisson(0.3, (10**4, 20)) * 1.0):
            found = column_ranges.law(X, privacy=ApproxDP(1.0, 1e-6)).sample(draw)["spread"][0]
            assert (found < 4 * X.std(axis=0)).all() and (found > X.std(axis=0) / 4).all()
