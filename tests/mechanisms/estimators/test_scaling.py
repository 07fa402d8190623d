"""Tables as people have them: ranges found privately, categories, accounts, warnings; nothing depends on a record."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from lemmata import Accountant, MarginClassifier, NoisyGD, PrivateScaler, PrivateSVM
from lemmata.mechanisms.estimators import margin_classifier
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, to_gaussian_budget
from lemmata.mechanisms.tables import column_ranges
from lemmata.mechanisms.tables.table_columns import BUCKETS, plan_layout

EXTREME = (0.0, 5e-324, 1e-300, 1.7e308, -1.7e308, np.inf, -np.inf, np.nan)


def rng(seed=0):
    return np.random.default_rng(seed)


def mixed(n=200):
    """A frame with numbers of two scales, a category, a text and a column of anything."""
    draw = rng(5)
    frame = pd.DataFrame(
        {
            "income": 1e5 + 2e4 * draw.normal(size=n),
            "rate": 1e-3 * draw.normal(size=n),
            "region": pd.Categorical(np.resize(["north", "south", "east"], n)),
            "job": pd.Series(np.resize(["clerk", "smith", "cook", "nurse"], n), dtype="string"),  # as pandas 3 infers
            "note": np.array([1.5, "x", None, 3] * (n // 4), dtype=object),
        }
    )
    return frame, np.where(frame["income"] > 1e5, "yes", "no")


FRAME, ANSWERS = mixed()


# Ranges ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-12, 1e-4, 1.0, 1e9])
@pytest.mark.parametrize("offset", [0.0, 30.0, -1e6])
def test_columns_of_any_scale_and_offset_are_found(scale, offset):
    """With 4,000 records and mu = 1, within half a spread and a factor of 3."""
    X = scale * (offset + rng(1).normal(size=(4000, 3)))
    found = fit(column_ranges.law(X, privacy=GaussianDP(1.0), noise="exact"), rng(2))
    assert (np.abs(found.centre - scale * offset) < 0.75 * scale).all()
    assert ((found.spread > scale / 3) & (found.spread < 3 * scale)).all()
    assert found.privacy.mu <= 1.0


@pytest.mark.parametrize("mu", [0.1, 0.6, 1.0])
def test_a_budget_that_is_too_small_is_kept(mu):
    """No closer look is made that it does not pay for."""
    X = 1e6 + rng(1).normal(size=(200, 20))
    law = column_ranges.law(X, privacy=GaussianDP(mu))
    spent = law.sample(rng(3), 3)["mu"]
    assert (spent <= mu).all() and (spent > 0).all()
    assert Fraction(40) / Fraction(law.sigma) ** 2 <= Fraction(mu) ** 2


def test_scales_are_shared_where_noise_hides_each_alone():
    """Sixty columns on one scale tell each other of it; each alone has noise of half its records."""
    law = column_ranges.law(300.0 + 100.0 * rng(4).normal(size=(150, 60)), privacy=GaussianDP(0.15))
    assert law.sigma > 70
    found = law.sample(rng(5))
    assert ((found["spread"][0] > 25) & (found["spread"][0] < 1000)).mean() > 0.8


def test_octaves_are_those_of_the_numbers():
    """Beside the slow and obvious twin."""
    X = np.concatenate(
        [rng(6).normal(size=500) * 10.0 ** rng(7).integers(-40, 40, 500), [0.0, -0.0, 1.0, -1.0, 2.0**-104]]
    )
    edges = column_ranges.octave_edges()
    for x, b in zip(X, column_ranges.octave_bins(X), strict=True):
        k = 0 if abs(x) < 2.0**-104 else min(int(np.floor(np.log2(abs(x)))), 103) + 105
        assert int(b) == 208 + (k if x > 0 else -k)
        assert b in (0, 416) or edges[b] <= x <= edges[b + 1]


@pytest.mark.parametrize("value", EXTREME)
def test_no_record_fails_or_moves_more_than_two_counts_a_column(value):
    X = rng(8).normal(size=(50, 4))
    other = X.copy()
    other[3] = value
    laws = [column_ranges.law(table, privacy=GaussianDP(1.0)) for table in (X, other)]
    a, b = (column_ranges.count_octaves(law.X) for law in laws)
    assert ((a - b) ** 2).sum() <= 8 and a.sum() == b.sum() == 200
    cells = [column_ranges.count_cells(law.X, np.zeros(4), np.ones(4), 16) for law in laws]
    assert ((cells[0] - cells[1]) ** 2).sum() <= 8
    assert all(np.isfinite(law.sample(rng(9))["spread"]).all() for law in laws)


def test_a_last_look_is_paid_for_and_moves_by_one_record():
    """It is made where it is fine, and finds spreads to a fifth; a neighbour gets the same answers, and is counted."""
    scales, given, moved = np.array([1.0, 3.0, 0.1, 1.0]), [], []
    X = rng(1).normal(size=(20_000, 4)) * scales
    other = X.copy()
    other[0] = 1e9
    law = column_ranges.law(X, privacy=GaussianDP(0.5), noise="exact")

    def answer(counts, sigma):
        given.append((counts, sigma, law.noisy(rng(len(given)), counts, sigma)))
        return given[-1][2]

    def answer_again(counts, sigma):
        before, same, noisy = given[len(moved)]
        moved.append(((counts - before) ** 2).sum())
        assert sigma == same
        return noisy

    found = law.search(answer)
    again = column_ranges.law(other, privacy=GaussianDP(0.5)).search(answer_again)
    assert all(np.array_equal(found[name], again[name]) for name in found) and max(moved) <= 2 * 4
    prices = [Fraction(2 * 4) / Fraction(sigma) ** 2 for _, sigma, _ in given]
    assert len(prices) == 2 and float(prices[1]) == pytest.approx(column_ranges.LITTLE * 0.25)
    assert sum(prices) <= Fraction(float(found["mu"])) ** 2 <= Fraction(0.5) ** 2
    assert (np.abs(found["spread"] / scales - 1) < 0.2).all() and (np.abs(found["centre"]) < 0.1 * scales).all()
    given.clear()
    column_ranges.law(X[:500], privacy=GaussianDP(0.5)).search(answer)
    assert len(given) == 1


def test_moments_are_those_of_the_cells():
    """A column one spread aside of four fifths of it, one of no spread, and one beyond the last cell."""
    middles = (np.arange(-1, 33) + 0.5) / 4 - 4
    normal = np.exp(-(((middles - 1.0) / 0.8) ** 2) / 2)
    moved, stretched = column_ranges.match_moments(np.array([1e6 * normal, 100.0 * (middles == 0.125), np.eye(34)[33]]))
    np.testing.assert_allclose(moved, [1.0, 0.125, 2.0], atol=0.02)
    np.testing.assert_allclose(stretched, [0.8, 0.5, 0.5], atol=0.05)


@pytest.mark.parametrize(("kind", "least"), [("normal", 0.99), ("lognormal", 0.96), ("together", 0.99)])
def test_a_large_table_is_learnt_and_more_epsilon_is_no_worse(kind, least):
    """30,000 records at epsilon 1. Clipped at two spreads they end at .97, .89 and .98, whatever epsilon is."""
    draw = rng(3)
    X, w = draw.normal(size=(40_000, 10)), draw.normal(size=10)
    X = {"normal": X, "lognormal": np.exp(X), "together": X + draw.normal(size=(40_000, 1))}[kind]
    y = ((X - X.mean(axis=0)) @ w > 0).astype(int)
    scores = []
    for epsilon in (1.0, 8.0):
        model = MarginClassifier(epsilon=epsilon, classes=(0, 1), noise="float", random_state=0).fit(
            X[:30_000], y[:30_000]
        )
        scores.append(model.score(X[30_000:], y[30_000:]))
    assert scores[0] > least and scores[1] > scores[0] - 0.002


# Learners on tables ---------------------------------------------------------------------------------------------------


def test_a_table_as_it_is_loaded():
    """Breast cancer without ranges at epsilon 1: 0.94, where one label has 0.61 (tools/raw_tables.csv)."""
    table = load_breast_cancer(return_X_y=True)
    scores = [cross_val_score(MarginClassifier(classes=(0, 1), random_state=seed), *table, cv=4) for seed in range(4)]
    assert np.mean(scores) > 0.87


def test_the_budget_is_split_and_adds_up():
    X, y = load_breast_cancer(return_X_y=True)
    model = MarginClassifier(epsilon=2.0, classes=(0, 1), random_state=0).fit(X, y)
    parts = [Fraction(part.mu) ** 2 for part in model.budget_.values()]
    whole = to_gaussian_budget(model.privacy_).mu
    assert model.privacy_ == ApproxDP(2.0, 1e-5) and model.model_.privacy.mu == whole
    assert sum(parts) <= Fraction(whole) ** 2 and parts[0] <= margin_classifier.SHARE * Fraction(whole) ** 2
    assert float(sum(parts)) == pytest.approx(whole**2, rel=1e-12)
    assert MarginClassifier(bounds=(0, 1), classes=(0, 1)).fit(X, y).budget_["ranges"] is None


def test_coefficients_are_in_the_units_of_the_table():
    """Of a record inside the ranges whose row is not shortened, the score is linear in its columns."""
    draw = rng(11)
    X = np.column_stack([1e6 + draw.normal(size=600), 1e-3 * draw.normal(size=600)])
    y = (X[:, 0] > 1e6).astype(int)
    model = MarginClassifier(epsilon=4.0, classes=(0, 1), random_state=1).fit(X, y)
    Z = model.ranges_.standardised(X)
    inside = (np.abs(Z) < 2).all(axis=1) & (np.linalg.norm(Z, axis=1) <= 1)
    linear = X @ model.coef_[0] + model.intercept_[0]
    assert inside.sum() > 50
    np.testing.assert_allclose(linear[inside], model.decision_function(X)[inside], rtol=1e-5, atol=1e-7)


def test_several_classes_share_one_budget():
    X, y = load_iris(return_X_y=True)
    for learner in (MarginClassifier, NoisyGD, PrivateSVM, margin_classifier.DPERM):
        model = learner(epsilon=9.0, classes=(0, 1, 2), random_state=1).fit(X, y)
        assert model.coef_.shape == (3, 4) and model.intercept_.shape == (3,)
        assert model.decision_function(X).shape == (150, 3) and set(model.predict(X)) <= {0, 1, 2}
        assert model.privacy_ == (PureDP(9.0) if learner is PrivateSVM else ApproxDP(9.0, 1e-5))
        assert learner is not MarginClassifier or model.score(X, y) > 0.7
    each = MarginClassifier(epsilon=9.0, ranges=None, classes=(0, 1, 2), random_state=1).fit(X, y).model_
    squares = [Fraction(one.privacy.mu) ** 2 for one in each.models]
    assert sum(squares) <= Fraction(to_gaussian_budget(ApproxDP(9.0, 1e-5)).mu) ** 2


def test_declared_categories_of_labels_are_checked_and_nothing_else():
    X = rng(0).normal(size=(6, 2))
    declared = pd.Series(["a", "b", "c"] * 2, dtype="category")
    with pytest.raises(ValueError, match=r"classes must include all 3 declared categories of y, got \('a', 'b'\)"):
        NoisyGD(classes=("a", "b")).fit(X, declared)
    NoisyGD(classes=("a", "b")).fit(X, declared.astype(object))
    NoisyGD(classes=("a", "b", "c")).fit(X, declared)


# Columns of categories ------------------------------------------------------------------------------------------------


def test_a_frame_of_all_kinds():
    model = MarginClassifier(epsilon=8.0, classes=("no", "yes"), random_state=0).fit(FRAME, ANSWERS)
    names = model.layout_.names()
    assert names[:3] == ["income", "rate", "region#0"] and len(names) == 2 + BUCKETS + 2 * (1 + BUCKETS)
    assert model.coef_.shape == (1, len(names)) and model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == list(FRAME.columns)
    assert model.score(FRAME, ANSWERS) > 0.8
    listed = {"region": ["north", "south"], "job": ("clerk",), "note": ["x", "z"]}
    scaler = PrivateScaler(categories=listed, epsilon=5.0, random_state=0).set_output(transform="pandas")
    out = scaler.fit_transform(FRAME)
    assert list(out.columns)[2:] == ["region=north", "region=south", "job=clerk", "note=x", "note=z"]
    assert out["region=north"].tolist() == (FRAME["region"] == "north").astype(float).tolist()
    assert out["note=x"].sum() == 50 and out["note=z"].sum() == 0


def test_columns_follow_from_types_and_not_from_entries():
    other = FRAME.copy()
    other.loc[0, "region"] = np.nan
    other["job"] = other["job"].where(other.index > 0, "astronaut")
    other["note"] = np.array([None] * len(other), dtype=object)
    assert plan_layout(FRAME).names() == plan_layout(other).names()
    rows = plan_layout(other).apply(other)
    assert rows.shape == plan_layout(FRAME).apply(FRAME).shape and (rows[0, 2 : 2 + BUCKETS] == 0).all()
    assert plan_layout(FRAME[["income", "rate"]]) is None and plan_layout(np.ones((3, 2))) is None


@pytest.mark.parametrize("value", [*EXTREME, "text", None, object(), [1], b"x", 10**400, True])
def test_no_entry_of_a_frame_is_refused(value):
    other = FRAME.astype(object)
    other.iat[0, 0] = other.iat[1, 4] = value
    model = MarginClassifier(classes=("no", "yes"), random_state=0).fit(other, ANSWERS)
    assert np.isfinite(model.decision_function(other)).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bounds": {"size": (0, 1)}}, "bounds must name columns of X, got 'size'"),
        ({"bounds": {"income": (1, 0)}}, r"bounds\['income'\] must be a finite pair with low.*, got \(1\.0, 0\.0\)"),
        ({"bounds": {"income": 3}}, r"bounds\['income'\] must be a pair of numbers \(low, high\)"),
        ({"bounds": {"income": (0, 1)}, "ranges": None}, "bounds must include 'rate', unless ranges = 'private'"),
        ({"ranges": "public"}, "ranges must be one of private, got 'public'"),
        ({"categories": {"town": ["a"]}}, "categories must name columns of X, got 'town'"),
        ({"categories": {"job": "clerk"}}, r"categories\['job'\] must be a list of at least one category"),
        ({"categories": ["job"]}, "categories must map columns to lists, got list"),
    ],
)
@pytest.mark.parametrize("kind", [MarginClassifier, PrivateScaler])
def test_what_is_public_and_wrong_is_named(kind, settings, message):
    known = {"classes": ("no", "yes")} if kind is MarginClassifier else {}
    with pytest.raises(ValueError, match=message):
        kind(**settings, **known).fit(FRAME, ANSWERS)


def test_bounds_by_name_are_kept_and_the_rest_is_found():
    model = MarginClassifier(bounds={"income": (0, 2e5)}, classes=("no", "yes"), random_state=0).fit(FRAME, ANSWERS)
    assert model.ranges_.centre[0] == 1e5 and model.ranges_.spread[0] == 5e4
    assert model.budget_["ranges"] is not None


@pytest.mark.parametrize(
    "pair", [(0, 5e-324), (0, 1e-301), (-1e308, 1e308), (1, np.nan), (-np.inf, 0), (2, 2), (0, np.inf)]
)
def test_bounds_that_no_number_can_be_divided_by_are_refused(pair):
    """At 5e-324 the spread was 0, and coefficients were no numbers."""
    for one in (PrivateScaler(bounds=pair), MarginClassifier(bounds=[*pair], classes=(0, 1))):
        with pytest.raises(
            ValueError, match=r"^bounds\['x0'\] must be a finite pair with low < high, 1e-300 apart at least, got .*"
        ):
            one.fit(np.ones((4, 1)), [0, 1, 0, 1])


@pytest.mark.parametrize("pair", [(0, 1e-300), (-8e307, 8e307), (1e300, 1.1e300)])
def test_bounds_of_any_other_size_give_finite_coefficients(pair):
    X = np.linspace(*pair, 40)[:, None]
    model = MarginClassifier(bounds=pair, classes=(0, 1), epsilon=0.01, random_state=0).fit(X, np.resize([0, 1], 40))
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    assert PrivateScaler(bounds=pair).fit_transform(X)[[0, -1]].ravel().tolist() == [-2.0, 2.0]


# The scaler -----------------------------------------------------------------------------------------------------------


def test_the_scaler_serves_every_learner():
    X, y = load_breast_cancer(return_X_y=True)
    for learner in (NoisyGD(epsilon=4.0, classes=(0, 1), random_state=1), LogisticRegression()):
        scaler = PrivateScaler(epsilon=4.0, random_state=0)
        assert make_pipeline(scaler, learner).fit(X, y).score(X, y) > 0.85
        assert make_pipeline(scaler, learner).fit(sparse.csr_matrix(X), y).score(X, y) > 0.85
    assert np.abs(scaler.fit(X).transform(X)).max() <= column_ranges.REACH


def test_rows_in_the_unit_ball_are_those_of_the_default():
    scaler = PrivateScaler(unit_ball=True, random_state=rng(2)).set_output(transform="pandas").fit(FRAME)
    out, model = scaler.transform(FRAME), MarginClassifier(classes=("no", "yes"), random_state=0).fit(FRAME, ANSWERS)
    model.ranges_, model.length_ = scaler.ranges_, scaler.length_
    np.testing.assert_array_equal(out.to_numpy(), model._prepare_rows(model._check_table(FRAME, reset=False)))
    assert np.linalg.norm(out.to_numpy(), axis=1).max() <= 1 + 1e-12 and out.columns[-1] == "constant"


def test_given_bounds_cost_nothing():
    account = Accountant(ApproxDP(1.0, 1e-5))
    scaler = PrivateScaler(bounds=(-1, 1), ranges=None).fit([[0.0], [9.0]], accountant=account)
    assert scaler.privacy_ is None and account.history == ()
    assert scaler.transform([[1.0], [-0.5], [np.nan], [np.inf]]).ravel().tolist() == [2.0, -1.0, 0.0, 2.0]


@pytest.mark.parametrize("asked", [{}, {"class_weight": "balanced"}])
def test_where_noise_hides_half_of_the_records_no_range_is_paid_for(asked):
    """At the last width at which a range is looked for, and at the next: n, d and the budget say which, no record."""
    n, mu = 100, to_gaussian_budget(ApproxDP(3.0, 1e-5)).mu / 2
    last = int((n * mu / 2) ** 2 / 2)
    rng, spent = np.random.default_rng(0), []
    for d in (last, last + 1):
        X, y = 1e4 + rng.normal(size=(n, d)), np.arange(n) % 2
        given: dict = {"epsilon": 3.0, "classes": (0, 1), "random_state": 1} | asked
        model = MarginClassifier(**given).fit(X, y)
        spent.append(model.budget_["ranges"])
        if d > last:
            other = MarginClassifier(ranges=None, **given).fit(X, y)
            np.testing.assert_array_equal(model.coef_, other.coef_)
            np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))
    assert spent[0].mu > 0 and spent[1] is None


def test_a_wide_sparse_table_stays_sparse_by_default(monkeypatch):
    X = sparse.random_array((400, 40_000), density=0.0005, format="csr", rng=np.random.default_rng(1))
    monkeypatch.setattr(sparse.csr_array, "toarray", lambda self: pytest.fail(f"{self.shape} made dense"))
    model = MarginClassifier(classes=(0, 1), random_state=0).fit(X, np.arange(400) % 2)
    assert model.predict(X).shape == (400,) and not hasattr(model, "ranges_")
