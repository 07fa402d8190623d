"""Counts, means, quantiles and second moments: neighbours move them as declared, and their error is as stated."""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import lemmata
from lemmata import Accountant, ApproxDP, GaussianDP, OverBudget, PrivateRidge, PureDP
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.learners.statistics import bounded_mean, histogram, quantile, score_counts, second_moments
from tests.streams import streams

rng = streams("statistics")
ONES, FLIPPED = np.ones((5, 1)), np.array([[1.0], [1.0], [-1.0], [1.0], [1.0]])
LAWS = {
    "mean": lambda X, privacy: bounded_mean.law(X, privacy=privacy, bounds=(-1.0, 1.0)).noise,
    "histogram": lambda X, privacy: histogram.law(X, privacy=privacy, edges=[-2.0, 0.0, 2.0]).noise,
    "quantile": lambda X, privacy: quantile.law(X, privacy=privacy, q=[0.5], bounds=(-1.0, 1.0), cells=1).selections[0],
}
CALLS = {
    "mean": lambda X, **asked: lemmata.private_mean(X, bounds=(0, 10), **asked),
    "histogram": lambda X, **asked: lemmata.private_histogram(X, edges=[0, 5, 10], **asked),
    "quantile": lambda X, **asked: lemmata.private_quantile(X, 0.5, bounds=(0, 10), **asked),
}
X, Y = rng("table").normal(size=(4000, 3)) * [1e-3, 1.0, 1e3] + 7.0, rng("noise").normal(size=4000)
Y = X @ [1e3, -2.0, 1e-3] + Y / 4


def flat(law):
    """Releases as rows of numbers."""
    return lambda rng, size: law.sample(rng, size).reshape(size, -1)


# {law: law of either of two neighbours, at a guarantee}, the hardest pair of each: alone among records that are zero.
UNIT, OBLIQUE, ALONE = np.eye(4, 2), np.outer(np.eye(4)[0], [0.5, 0.75**0.5]), np.eye(4)[0]
MOMENTS = (UNIT * ALONE[:, None], ALONE), (OBLIQUE, -ALONE)
PAIRS = {
    name: lambda privacy, law=law: [law(one, privacy) for one in (ONES, FLIPPED)] for name, law in LAWS.items()
} | {
    "ridge": lambda privacy: [second_moments.law(*one, privacy=privacy, noise="exact") for one in MOMENTS],
    "counts of scores": lambda privacy: [
        flat(score_counts.law(UNIT, side, weights=[[1.0, 0.0]], privacy=privacy, noise="exact"))
        for side in (ALONE, -ALONE)
    ],
}


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("name", PAIRS)
def test_it_survives_its_own_budget_and_not_half_of_it(name):
    """And not a quarter of a quantile's: of two points only the other one's score moves, which spends half."""
    kind = GaussianDP if name in ("ridge", "counts of scores") else PureDP
    spent, part = (4.0, 4) if name == "quantile" else (1.0, 2)
    pair = PAIRS[name](kind(spent))
    assert audit(*pair, kind(spent), root=1, budget=10_000).verdict == "INCONCLUSIVE"
    assert audit(*pair, kind(spent / part), root=1, budget=20_000).verdict == "REFUTED"


@pytest.mark.parametrize("law", LAWS)
def test_a_replaced_record_moves_no_log_probability_by_more(law):
    """On the hardest pair, exactly: no release has a loss above epsilon, and where noise is added one reaches it."""
    pair = [LAWS[law](one, PureDP(1.0)) for one in (ONES, FLIPPED)]
    at = np.arange(2) if law == "quantile" else pair[0].sample(rng("at"), 500)
    loss = np.abs(pair[0].log_density(at) - pair[1].log_density(at)).max()
    assert 1 + 1e-9 >= loss > (0.99 if law != "quantile" else 0)


@pytest.mark.parametrize("name", CALLS)
def test_the_records_of_a_list_do_not_decide_whether_it_is_a_table(name):
    """One record more that is a row, of any length, changes neither the shape nor whether there is an answer."""
    singles, rows = [1.0, 2.0, 3.0, 4.0], [[1.0], [2.0], [3.0, 4.0], (), "text", None]
    for some in range(5):
        one = [*rows[:some], *singles[some:]]
        assert np.shape(CALLS[name](one, epsilon=1.0)) == np.shape(CALLS[name](singles, epsilon=1.0))


def test_public_bounds_say_that_a_list_is_a_table():
    """A record of another length than theirs has no numbers: it counts as the middle of the bounds."""
    ends, asked = ([0.0, 0.0], [8.0, 16.0]), {"epsilon": 1e6}
    for last in ([8.0, 16.0], [8.0], 8.0, [8.0, 16.0, 1.0], None):
        high = [8.0, 16.0] if last == [8.0, 16.0] else [4.0, 8.0]
        found = lemmata.private_mean([[0.0, 0.0], last], bounds=ends, **asked)
        assert found == pytest.approx(np.array(high) / 2, abs=1e-3)
        median = lemmata.private_quantile([[0.0, 0.0], last], 0.5, bounds=ends, **asked)
        assert median.shape == (2,)


@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf, 1e300, -1e300, 5e-324])
def test_sums_of_neighbours_are_as_near_as_declared(entry):
    """Whatever the one record is: 1 a column in sums of unit entries, two counts in a histogram."""
    tables = np.vstack([X[:50], X[:1]]), np.vstack([X[:50], np.full((1, 3), entry)])
    sums = [bounded_mean.law(one, privacy=PureDP(1.0), bounds=(0, 10)).noise for one in tables]
    counts = [histogram.law(one, privacy=PureDP(1.0), edges=[0, 5, 10]).noise for one in tables]
    for (a, b), moved in ((sums, 3), (counts, 6)):
        assert np.abs(a.point - b.point).sum() <= moved * bounded_mean.STEPS
        assert a.steps >= moved * bounded_mean.STEPS == a.steps


@pytest.mark.parametrize("call", CALLS)
def test_it_is_paid_for_before_it_is_drawn(call):
    account = Accountant(PureDP(1.0))
    drawn = CALLS[call](X[:, 1], epsilon=0.75, accountant=account, rng=rng("paid"))
    with pytest.raises(OverBudget):
        CALLS[call](X[:, 1], epsilon=0.75, accountant=account, rng=rng("paid"))
    assert np.isfinite(drawn).all() and account.history[0][1] == PureDP(0.75)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("asked", [{"epsilon": 0.0}, {"epsilon": np.nan}, {"epsilon": 1.0, "accountant": 3}])
def test_what_is_out_of_range_is_named(call, asked):
    with pytest.raises(ValueError, match=rf"^{[*asked][-1]} must be "):
        CALLS[call](X[:, 1], **asked)


@pytest.mark.parametrize("call", CALLS)
def test_a_column_is_read_from_lists_objects_and_gaps(call):
    """The same numbers, the same release; what is no number counts as stated."""
    column = [*np.round(X[:9, 1], 3).tolist(), None]
    drawn = [CALLS[call](one, epsilon=5.0, rng=rng("read")) for one in (column, np.array(column, dtype=object))]
    np.testing.assert_array_equal(*drawn)
    for odd in ([1.0], (), [1.0, 2.0], np.ones(2), "text"):  # a record that is a row itself is no reason to refuse any
        assert np.shape(CALLS[call]([*column, odd], epsilon=5.0)) == np.shape(drawn[0])


def test_errors_are_as_stated():
    """Root mean squares of noise, within 6 standard errors, and the tail of a quantile's rank."""
    size, n = 4000, 100
    column = rng("column").uniform(0, 10, size=(n, 1))
    mean = bounded_mean.law(column, privacy=PureDP(0.5), bounds=(0, 10)).sample(rng("mean"), size) - column.mean()
    assert abs((mean**2).mean() / (2 * (10 / (0.5 * n)) ** 2) - 1) < 6 * np.sqrt(5 / size)
    gaussian = bounded_mean.law(column, privacy=GaussianDP(0.5), bounds=(0, 10)).sample(rng("gaussian"), size)
    assert abs(gaussian.std() / (10 / (0.5 * n)) - 1) < 6 / np.sqrt(2 * size)
    counts = histogram.law(column, privacy=PureDP(0.5), edges=[0, 10]).sample(rng("counts"), size).ravel() - n
    assert abs((counts**2).mean() / (2 * 4**2 + 1 / 12) - 1) < 6 * np.sqrt(5 / size)
    made = quantile.law(column, privacy=PureDP(0.5), q=[0.3], bounds=(0, 10), cells=100)
    ranks = -made.scores[0][made.selections[0].sample(rng("ranks"), size)]
    assert (ranks > 4 * log(101 / 0.1)).mean() <= 0.1


def test_a_regression_is_near_the_one_that_is_not_private():
    model = PrivateRidge(epsilon=8.0, random_state=rng("fit")).fit(X, Y)
    assert model.score(X, Y) > LinearRegression().fit(X, Y).score(X, Y) - 0.05
    inside = np.abs((X - model.ranges_.centre) / model.ranges_.spread).max(axis=1) < 1
    assert np.allclose(model.predict(X)[inside], (X @ model.coef_ + model.intercept_)[inside])
    given = {"bounds": (0.0, 1.0), "target_bounds": (0.0, 1.0)}
    assert PrivateRidge(ranges=None, **given, random_state=rng("given")).fit(X, Y).budget_["ranges"] is None


def test_far_records_pull_no_slope_aside():
    """Half of the rows are scaled down, each with its target: a linear table is fitted as it is, by whatever noise."""
    far = np.clip(rng("far").standard_t(2, size=(20_000, 3)), -6, 6)
    y = far @ [1.0, -2.0, 0.5]
    assert PrivateRidge(epsilon=100.0, delta=1e-6, random_state=rng("fit")).fit(far, y).score(far, y) > 0.999


@pytest.mark.parametrize("share", [0.003, 0.01])
@pytest.mark.parametrize("n", [3000, 50_000])
def test_a_few_codes_for_what_is_missing_leave_a_regression_standing(n, share):
    """Too few to be seen aside; a slope times a thousand spreads had errors far beyond the spread of y."""
    X = rng("codes").normal(size=(n, 3))
    y = X @ [1.0, -2.0, 0.5]
    X[rng("missing").random((n, 3)) < share] = -999
    assert PrivateRidge(epsilon=8.0, delta=1e-6, random_state=rng("fit")).fit(X, y).score(X, y) > 0


def test_more_noise_means_more_ridge_and_noise_alone_no_weights():
    A, b = np.diag([50.0, 40.0]), np.array([50.0, 40.0])
    weights = [np.linalg.norm(second_moments.solve_ridge(A, b, sigma)) for sigma in (0.01, 3.0, 10.0, 1e6)]
    assert weights[0] == pytest.approx(2**0.5) and weights == sorted(weights, reverse=True) and weights[-1] < 1e-3


def test_the_noise_of_the_moments_is_that_of_the_law():
    """Exact noise: sigma on the diagonal, and over sqrt(2) off it; a law with other noise is told apart."""
    law = second_moments.law(X / 1e5, Y / 1e4, privacy=GaussianDP(1.0), noise="exact")
    for made, is_right in ((law, True), (replace(law, sigma=law.sigma * 0.75), False)):
        drawn = [made.ask(one) for one in rng("moments").spawn(800)]
        A = np.array([one[0] for one in drawn])
        spread = [A[:, 0, 0].std(), A[:, 0, 1].std() * 2**0.5, np.array([one[1] for one in drawn])[:, 1].std()]
        assert (np.abs(np.array(spread) / law.sigma - 1).max() < 6 / np.sqrt(1600)) == is_right
    assert ApproxDP(1.0, 1e-5) == PrivateRidge(random_state=0).fit(X, Y).privacy_
