"""Mistakes that need the right dataset, the right score or the right number of releases, and honest twins of them."""

from itertools import islice

import numpy as np
import pytest

import lemmata
from lemmata import GaussianDP, PureDP, RenyiDP, audit, trace
from lemmata.mechanisms.audit.evidence.outcomes import Reader
from lemmata.mechanisms.audit.evidence.scores import by_bins, by_laplace
from lemmata.mechanisms.audit.front import entry
from lemmata.mechanisms.audit.neighbours.changes import neighbouring
from lemmata.mechanisms.audit.neighbours.record_parts import described
from lemmata.mechanisms.audit.play.pair_shrinking import simpler
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.mechanisms.audit.planted_leaks import ONE, tidy

pytestmark = pytest.mark.statistical

x = np.linspace(0.1, 0.9, 30)
ages = np.arange(20.0, 60.0)
users = np.arange(30) % 6
GRID = np.linspace(0, 1, 11)


def counts(x, rng, noise):
    return np.array([(tidy(x) > t).sum() for t in (0.2, 0.4, 0.6, 0.8)]) + rng.laplace(scale=noise, size=4)


def median(x, rng, moves):
    """By the exponential mechanism: minus |records below - records above|, which one record moves by 2."""
    below, above = (compare(tidy(x)[:, None], GRID).sum(axis=0) for compare in (np.less, np.greater))
    utility = -abs(below - above)
    shares = np.exp((utility - utility.max()) / (2 * moves))
    return rng.choice(GRID, p=shares / shares.sum())


def mean_of_those_who_answered(x, rng, size):
    answered = tidy(x[np.isfinite(x)], 0, 120)
    return answered.sum() / (size or max(len(answered), 1)) + rng.laplace(scale=120 / len(x))


def scale_of_its_own(x, rng, factor):
    return tidy(x).sum() + rng.laplace(scale=max(1.0, factor * tidy(x).std()))


def means_of_users(x, user, rng, noise):
    return sum(tidy(x[user == one]).mean() for one in np.unique(user)) + rng.laplace(scale=noise)


def rows(X, rng, columns):
    """A sum of rows in the unit ball, whose number of columns is written into it."""
    rows = np.clip(np.nan_to_num(X), -1e9, 1e9)
    return (rows / np.maximum(1, np.linalg.norm(rows, axis=1, keepdims=True))).sum(axis=0) + rng.normal(
        scale=2, size=columns
    )


TWINS = {  # mechanism, data, what is wrong, what is right
    "a budget split by a root": (counts, (x,), 2.0, 4.0),
    "a median of half the sensitivity": (median, (x,), 1.0, 2.0),
    "those who answered, counted": (mean_of_those_who_answered, (ages,), 0, 40),
    "a scale from the data's own deviation": (scale_of_its_own, (x,), 4.0, 1e-9),
    "means of users": (means_of_users, (x, users), 1.0, 2.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
def test_a_mistake_is_found_and_its_honest_twin_is_not(name):
    mechanism, data, wrong, right = TWINS[name]
    found, honest = (
        lemmata.audit(lambda *parts, rng, how=how: mechanism(*parts, rng, how), *data, ONE, root=TEST_ROOT)
        for how in (wrong, right)
    )
    assert found.verdict == "REFUTED", found
    assert honest.verdict == "INCONCLUSIVE", honest


def test_a_function_keeps_its_columns():
    """Twice the noise in three coordinates is none of one column: what was written for three is not given one."""
    data = np.random.default_rng(0).random((12, 3))

    def total(X, rng):
        assert X.shape[1] == 3
        return rows(X, rng, 3)

    found = lemmata.audit(total, data, GaussianDP(1.0), root=TEST_ROOT, budget=2_048)
    assert found.verdict == "INCONCLUSIVE" and not found.refused, found


def test_a_budget_is_kept_and_none_goes_on_while_evidence_speaks(monkeypatch):
    monkeypatch.setattr(entry, "BUDGET", 2_048)
    monkeypatch.setattr(entry, "LONGEST", 12_000)

    def rough(x, rng):
        return tidy(x).sum() + rng.laplace(scale=0.72)

    spent = {}
    for budget in (2_048, None):
        found = lemmata.audit(rough, x, ONE, root=TEST_ROOT, budget=budget)
        spent[budget] = found.searched + found.judged + found.trained
    assert spent[2_048] <= 1.1 * 2_048 < spent[None] <= 1.1 * 12_000, spent


# Scores and pairs -----------------------------------------------------------------------------------------------------


def halves(one, other):
    return Reader([one, other], False)(np.concatenate([one, other])), np.repeat([1, -1], [len(one), len(other)])


def test_of_laplace_noise_the_score_is_its_likelihood_ratio():
    rng = np.random.default_rng(0)
    data, truth = halves(rng.laplace(size=(4_000, 2)), rng.laplace([1.0, 0.0], size=(4_000, 2)))
    exact = np.abs(data.values - [1.0, 0.0]).sum(axis=1) - np.abs(data.values).sum(axis=1)
    assert np.abs(by_laplace(data, truth)(data) - exact).mean() < 0.1


def test_where_numbers_fall_is_told_of_what_has_neither_another_mean_nor_another_size():
    rng = np.random.default_rng(0)
    one, other = (
        rng.uniform(-1, 1, (2_000, 1)),
        rng.choice([-0.5, 0.5], (2_000, 1)) + rng.uniform(-0.1, 0.1, (2_000, 1)),
    )
    data, truth = halves(one, other)
    assert ((by_bins(data, truth)(data) > 0) == (truth > 0)).mean() > 0.8
    assert by_bins(*halves(np.ones((9, 1)), np.ones((9, 1)))) is None


def differ_in_one(kind, one, other):
    """Whether two datasets in their order differ in one record at most, or one of them has one record more."""
    first, second = ([repr(row) for row in zip(*map(np.ndarray.tolist, side), strict=True)] for side in (one, other))
    if kind == "replace":
        return len(first) == len(second) and sum(a != b for a, b in zip(first, second, strict=True)) <= 1
    short, long = sorted((first, second), key=len)
    return len(long) == len(short) + 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


@pytest.mark.parametrize("kind", ["replace", "add/remove"])
@pytest.mark.parametrize("n", [8, 9])
def test_every_pair_differs_in_one_record(kind, n):
    """In their order, wherever the record stands; so do the pairs that a pair is shrunk to, and theirs."""
    data = np.linspace(0, 1, n)[:, None] * [1.0, 2.0], np.arange(n) % 3
    places = set()
    for pair in neighbouring(data, described(data, {}), kind):
        assert differ_in_one(kind, pair.data, pair.neighbour), pair.words
        places.add(pair.place)
        for smaller in islice(simpler(pair), 4, None, 3):
            assert differ_in_one(kind, smaller.data, smaller.neighbour), smaller.words
            for least in islice(simpler(smaller), 3):
                assert differ_in_one(kind, least.data, least.neighbour), least.words
    assert places == {None, 0, 1, n // 2, n - 2}


WEIGHTS = {  # of the records by their places: each leaks three times what it claims, and none by its last record alone
    "first half": lambda n: np.where(np.arange(n) < n // 2, 3.0, 1.0),
    "inner ones": lambda n: np.where((np.arange(n) > 0) & (np.arange(n) < n - 1), 3.0, 1.0),
    "a fold": lambda n: np.where(np.arange(n) // (n // 3) == 1, 3.0, 1.0),
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_a_leak_by_place_is_found(weights):
    def weighed(x, rng, bounds=(0, 1)):
        return float(weights(len(x)) @ np.clip(np.nan_to_num(np.asarray(x, float)), 0, 1) + rng.laplace())

    assert audit(weighed, np.linspace(0, 1, 9), ONE, root=3).verdict == "REFUTED"


def test_a_sum_of_signs_by_place_is_found_where_a_record_comes_or_goes():
    def alternating(x, rng, bounds=(0, 1)):
        return float((-1.0) ** np.arange(len(x)) @ np.clip(np.nan_to_num(np.asarray(x, float)), 0, 1) + rng.laplace())

    assert audit(alternating, np.tile([1.0, 0.0], 4), PureDP(1.0, "add/remove"), root=3).verdict == "REFUTED"


def test_noise_that_is_seeded_with_the_data_is_a_lead():
    def fixed(x):
        return tidy(x).sum() + np.random.default_rng(int(1e6 * tidy(x).sum())).laplace()

    lead = trace(fixed, np.zeros(3), np.array([0.0, 0.0, 1.0]), ONE).leads[0]
    assert lead.kind == "seed" and lead.place is not None and lead.place.function == "fixed"


def test_normal_noise_is_held_against_renyi_claims():
    """At sigma 1, a move by 1 costs order / 2: of (2, 1) exactly what is claimed, of (2, 0.5) twice as much."""

    def noisy(x, rng):
        return tidy(x).sum() + rng.normal()

    kinds = [[lead.kind for lead in trace(noisy, np.zeros(1), np.ones(1), RenyiDP(2, e)).leads] for e in (1, 0.5)]
    assert kinds == [[], ["centre"]]


def test_equal_scales_of_two_types_are_no_lead():
    def noisy(x, rng):
        return tidy(x).sum() + rng.laplace(scale=2 / len(x) if x[0] < 0.5 else np.float64(2.0))

    assert not trace(noisy, np.zeros(1), np.ones(1), PureDP(1.0)).leads
