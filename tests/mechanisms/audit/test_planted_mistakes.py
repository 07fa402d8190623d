"""Mistakes that need the right dataset, the right score or the right number of releases, and honest twins of them."""

import os
import subprocess
import sys
from collections import Counter
from functools import partial
from itertools import islice

import numpy as np
import pandas as pd
import pytest

import lemmata
from lemmata import ApproxDP, GaussianDP, PureDP, RenyiDP, audit, trace
from lemmata.mechanisms.audit.evidence.attackers import ZERO, by_names, lowest_bits
from lemmata.mechanisms.audit.evidence.outcomes import Reader, joined
from lemmata.mechanisms.audit.evidence.scores import by_bins, by_laplace
from lemmata.mechanisms.audit.front import entry
from lemmata.mechanisms.audit.neighbours.changes import Neighbours, again, neighbouring, positions
from lemmata.mechanisms.audit.neighbours.kinds import APPEARS, LAST, NO_NUMBER, ORDER, PLACE, SEVERAL, SIZE, kinds
from lemmata.mechanisms.audit.neighbours.record_parts import described
from lemmata.mechanisms.audit.neighbours.several_records import reordered
from lemmata.mechanisms.audit.play.neighbour_search import Search
from lemmata.mechanisms.audit.play.pair_shrinking import simpler
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.learners.erm import output_perturbation
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.mechanisms.audit.planted_leaks import ONE, never, tidy

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
        for further in islice(again(pair, 3, np.random.default_rng(0)), 3):
            assert differ_in_one(kind, further.data, further.neighbour), further.words
        for smaller in islice(simpler(pair), 4, None, 3):
            assert differ_in_one(kind, smaller.data, smaller.neighbour), smaller.words
            for least in islice(simpler(smaller), 3):
                assert differ_in_one(kind, least.data, least.neighbour), least.words
    assert places >= {None, *range(n - 1)}


def weighing(weights):
    def weighed(x, rng, bounds=(0, 1)):
        return float(weights(len(x)) @ tidy(x) + rng.laplace())

    return weighed


WEIGHTS = {  # of the records by their places: each leaks three times what it claims, and none by its last record alone
    "first half": lambda n: np.where(np.arange(n) < n // 2, 3.0, 1.0),
    "inner ones": lambda n: np.where((np.arange(n) > 0) & (np.arange(n) < n - 1), 3.0, 1.0),
    "a fold": lambda n: np.where(np.arange(n) // (n // 3) == 1, 3.0, 1.0),
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_a_leak_by_place_is_found(weights):
    assert audit(weighing(weights), np.linspace(0, 1, 9), ONE, root=3, budget=8192).verdict == "REFUTED"


@pytest.mark.parametrize("seed", range(4))
def test_a_leak_of_one_record_is_found_wherever_it_stands(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 100))
    place = int(rng.integers(3, n - 1))  # in fewer records than that, none leaks

    def weights(size):
        return np.where(np.arange(size) == place, 3.0, 1.0)

    assert audit(weighing(weights), rng.random(n), ONE, root=seed).verdict == "REFUTED"


def test_places_are_all_of_few_and_ends_and_middle_of_many():
    rng = np.random.default_rng(0)
    assert sorted(positions(9, 12, rng)) == list(range(8)) and positions(2, 12, rng) == [0]
    many = positions(1000, 12, rng)
    assert len(set(many)) == 12 and {0, 1, 499, 500, 997, 998} <= set(many) and max(many) < 999
    assert many != positions(1000, 12, rng)


def test_at_another_place_a_move_that_was_seen_costs_one_release():
    search = Search(entry.mechanism(weighing(np.ones)), ONE, 3, 20_000)
    first, again, other = (
        Neighbours((np.zeros(5),), (np.eye(5)[at] * size,), "", place=at) for at, size in ((0, 1), (1, 1), (2, 0.5))
    )
    spent = [0]
    for pair in (first, again, other):
        search.looked_at(pair)
        spent.append(search.spent)
    assert np.diff(spent).tolist() == [12 + 3, 1, 3]


def behind_two_conditions(x, rng, bounds=(0, 1)):
    x, more = tidy(x), 0
    if len(x) > 6 and x[2] == 0.25:
        more = 4 * (x[5] == 0.25)
    return float(x.sum() + more + rng.laplace())


def test_a_pair_that_reaches_new_lines_is_changed_further():
    """Two records have to be a quarter: the first one alone shows nothing, and runs through another line."""
    search = Search(entry.mechanism(behind_two_conditions), ONE, 3, 20_000)
    one, other = np.zeros(9), np.zeros(9)
    other[2] = 0.25
    pair = Neighbours((one,), (other,), "", place=2)
    best = search.screened(iter([Neighbours((one,), (np.eye(9)[0],), "", place=0), pair]), never)[0]
    assert best.rank > 2 and best.pair.data[0][2] == best.pair.neighbour[0][5] == 0.25
    with search.coverage.following():
        before = len(search.coverage.seen)
        behind_two_conditions(other, np.random.default_rng(0))
    assert len(search.coverage.seen) == before


def test_a_change_is_named_and_so_is_what_was_not_tried():
    given = (np.arange(4.0),)
    known = [
        (np.array([0.0, 1, 2, 9]), None, {LAST, APPEARS}),
        (np.array([0.0, 0, 2, 3]), 1, {PLACE, APPEARS}),
        (np.array([1.0, 0, 2, 3]), 0, {PLACE, ORDER, SEVERAL}),
        (np.array([0.0, 1, 2, np.nan]), None, {LAST, APPEARS, NO_NUMBER}),
    ]
    for other, place, named in known:
        assert set(kinds(Neighbours(given, (other,), "", place=place), given)) == named
    small = Neighbours((np.zeros(2),), (np.zeros(3),), "")
    assert set(kinds(small, given)) == {LAST, SIZE}
    said = str(audit(weighing(np.ones), np.linspace(0, 1, 9), ONE, root=3, budget=1024))
    assert f"changes tried: {LAST}, {PLACE}" in said and f"not tried: {SEVERAL}, {ORDER}" in said


@pytest.mark.parametrize("kind", ["replace", "add/remove"])
def test_a_claim_for_two_records_covers_an_exchange_of_two(kind):
    data = (np.arange(6.0),)
    pairs = list(reordered(data, described(data, {}), kind, np.random.default_rng(0)))
    assert any((pair.data[0] != pair.neighbour[0]).any() for pair in pairs)
    for pair in pairs:
        one, other = pair.data[0], pair.neighbour[0]
        assert sorted(one) == sorted(other)
        if kind == "replace":
            assert (one != other).sum() in (0, 2)
        else:
            assert np.array_equal(np.delete(one, pair.place), other[:-1])


def keys_above(least):
    """Noisy counts of the keys that there are, from a threshold on."""
    p = 1 - np.exp(-1)

    def counted(x, rng):
        noisy = {key: int(n + rng.geometric(p) - rng.geometric(p)) for key, n in sorted(Counter(x["key"]).items())}
        return {key: n for key, n in noisy.items() if n >= least}

    return counted


KEYS, SELDOM = pd.DataFrame({"key": list("aaaaaabbbc")}), float(np.exp(-4) / (1 + np.exp(-1)))  # the chance of 4 more

SLOW_KEYS = [(5, 3, False), (4, 2, True), (4, 3, True), (4, 4, True)]


@pytest.mark.parametrize(
    ("least", "root", "refuted"),
    [(3, 3, True), *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW_KEYS)],
)
def test_a_key_that_appears_more_often_than_delta_is_found(least, root, refuted):
    budget = None if least == 4 else 20_000
    found = audit(keys_above(least), KEYS, ApproxDP(1.0, SELDOM, "add/remove"), root=root, budget=budget)
    assert (found.verdict == "REFUTED") == refuted, found


def test_names_in_a_release_are_told_apart_one_by_one():
    """A key on one side only, among as many others as there are ways to leave some out."""
    rng = np.random.default_rng(0)
    kept = [[key for key in "abcdef" if rng.random() < 0.5] + ["z"] * (at < 20) for at in range(200)]
    releases = [(repr(tuple((key, ()) for key in keys)),) for keys in kept]
    truth = np.where(np.arange(200) < 100, 1, -1)
    reader = Reader([releases[:100], releases[100:]], False)
    scores = by_names(joined([reader(releases[:100]), reader(releases[100:])]), truth)(reader(releases))
    assert scores[:20].min() > scores[20:].max()


def test_scores_of_names_do_not_hang_on_pythons_random_hashes():
    """Sums of many weights, in whatever order a set of texts has."""
    code = (
        "import numpy as np;"
        "from lemmata.mechanisms.audit.evidence.attackers import by_names;"
        "from lemmata.mechanisms.audit.evidence.outcomes import Reader, joined;"
        "rng, truth = np.random.default_rng(0), np.repeat([1, -1], 100);"
        "keys = [[key for key in 'abcdefghijklmnop' if rng.random() < 0.5 - 0.2 * side] for side in truth];"
        "releases = [(repr(tuple((key, ()) for key in each)),) for each in keys];"
        "reader = Reader([releases[:100], releases[100:]], False);"
        "data = joined([reader(releases[:100]), reader(releases[100:])]);"
        "print(by_names(data, truth)(reader(releases)).tolist())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def test_float_noise_on_zero_is_told_by_its_lowest_bits():
    """On zeros given, or a one that may become zero; and on all datasets, or on none, if that is asked for."""
    for data, bits, refuted in (
        ([0.0], None, True),
        ([1.0], None, True),
        ([0.0], False, False),
        ([0.3, 0.6], None, False),
        ([0.3, 0.6], True, True),
        ([1.0] * 8, True, True),
    ):
        found = audit(weighing(np.ones), np.array(data), ONE, root=3, budget=6_000, bits=bits)
        assert (found.verdict == "REFUTED") == refuted, found
        assert not refuted or ("lowest set bits" in found.event and "% 2.0**" in found.reproducer)


def test_and_between_two_sides_within_a_thousand_releases():
    def side(centre):
        return lambda rng, size: centre + rng.laplace(size=(size, 1))

    for bits in (True, False):
        found = audit(side(0.0), side(1.0), ONE, root=3, bits=bits, budget=1_000)
        assert (found.verdict == "REFUTED") == bits, found


ROWS = np.array([[0.6, 0.8], [0.6, 0.8], [0.6, 0.8], [1.0, 0.0]])


def test_float_noise_of_a_learner_that_adds_it_last_is_told_by_bits():
    law = partial(output_perturbation.law, ROWS, privacy=ONE, C=1.0)
    sides = law(np.ones(4)), law(np.array([1.0, 1.0, 1.0, -1.0]))
    for bits, verdict in ((True, "REFUTED"), (False, "INCONCLUSIVE")):
        assert audit(*sides, ONE, root=3, bits=bits, budget=6_000).verdict == verdict


@pytest.mark.slow
def test_and_of_one_that_scales_it_where_the_scale_is_undone():
    """Of y = -eta x the x that give y are known but for their last place; the lowest bit of one is read."""
    claim = ApproxDP(1.0, 1e-5)
    options = {"privacy": claim, "width": 0.5, "steps": 1, "output": "last"}
    one, other = (noisy_gd.law([[value, 0.0]], [1.0], **options) for value in (1.0, 0.0))
    stride = float(one.strides[0])

    def unscaled(releases):
        x = -releases[:, :1] / stride
        near = np.hstack([x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf)])
        return np.where(-(stride * near) == releases[:, :1], lowest_bits(near), -99).max(axis=1, keepdims=True)

    for sides, verdict in (((one, other), "REFUTED"), ((other, other), "INCONCLUSIVE")):
        found = audit(*sides, claim, root=3, features=unscaled, budget=12_000)
        assert found.verdict == verdict, found
    assert audit(one, other, claim, root=3, bits=True, budget=12_000).verdict == "INCONCLUSIVE"


def test_zeros_and_their_signs_are_bits():
    table = np.array([1.0, 3.0, 2.0**-1074, 0.0, -0.0, np.inf])
    assert lowest_bits(table).tolist() == [0, 0, -1074, ZERO, ZERO + 1, ZERO + 2]
    signs = lambda rng, size: np.where(rng.random((size, 1)) < 0.5, 0.0, -0.0)  # noqa: E731
    found = audit(lambda rng, size: np.zeros((size, 1)), signs, ONE, root=3, bits=True, budget=1_000)
    assert found.verdict == "REFUTED", found


def test_a_sum_of_signs_by_place_is_found_where_a_record_comes_or_goes():
    def alternating(x, rng, bounds=(0, 1)):
        return float((-1.0) ** np.arange(len(x)) @ np.clip(np.nan_to_num(np.asarray(x, float)), 0, 1) + rng.laplace())

    assert audit(alternating, np.tile([1.0, 0.0], 4), PureDP(1.0, "add/remove"), root=3).verdict == "REFUTED"


def of_blocks(wide):
    """The sum of the maxima of blocks of so many records: one more in front moves the borders of all of them."""
    return lambda x: sum(x[at : at + wide].max() for at in range(0, len(x), wide))


def of_windows(wide):
    """The sum of the minima of all windows of so many records: one record counts in all that it is in."""
    return lambda x: sum(x[at : at + wide].min() for at in range(len(x) - wide + 1))


@pytest.mark.parametrize(
    ("query", "kind", "most"),
    [
        (of_blocks(5), "add/remove", 4_500),
        (of_windows(5), "replace", 2_500),
        pytest.param(of_blocks(6), "add/remove", 4_500, marks=pytest.mark.slow),
        pytest.param(of_windows(3), "replace", 2_500, marks=pytest.mark.slow),
    ],
)
def test_blocks_and_windows_of_any_length_are_found(query, kind, most):
    noisy = lambda x, rng: float(query(tidy(x)) + rng.laplace())  # noqa: E731
    found = audit(noisy, np.linspace(0, 1, 12), PureDP(1.0, kind), root=3)
    assert found.verdict == "REFUTED" and found.needed < most, found


def test_a_dataset_in_runs_costs_one_release_a_side_until_it_moves_anew():
    search = Search(entry.mechanism(weighing(np.ones)), ONE, 3, 20_000)
    search.looked_at(Neighbours((np.zeros(5),), (np.eye(5)[0],), "", place=0))
    before = search.spent
    search.looked_at(Neighbours((np.tile([0.0, 1.0], 3),), (np.array([1.0, 1, 0, 1, 0, 1]),), "", place=0))
    assert search.spent == before + 2
    search.looked_at(Neighbours((np.tile([0.0, 1.0], 3),), (np.array([0.5, 1, 0, 1, 0, 1]),), "", place=0))
    assert search.spent == before + 2 + 11 + 3  # the rest of its twelve


def test_noise_that_is_shared_is_taken_off_what_was_released_before_it_was_found():
    shared = lambda x, rng: x[:2] + rng.laplace()  # noqa: E731
    search = Search(entry.mechanism(shared), ONE, 3, 20_000)
    data, like = (np.array([1.0, 3.0]),), (np.array([1.0, 4.0]),)
    assert search.releases(data, "screen", 0, 1)[0][1] != 2.0
    search.releases(like, "screen", 0, 1, data)
    assert [one[1] for one in search.releases(data, "screen", 0, 12)] == pytest.approx([2.0] * 12)
    assert search.releases(like, "screen", 0, 1, data)[0][1] == pytest.approx(3.0)
    assert search.releases(data, "screen", 0, 1)[0][1] == pytest.approx(2.0)


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


def test_a_label_that_is_changed_further_comes_alone():
    data = np.arange(6.0), np.arange(6) % 2
    for pair in islice(neighbouring(data, described(data, {}), "label"), 9):
        for further in again(pair, 3, np.random.default_rng(0)):
            assert np.array_equal(further.data[0], further.neighbour[0])
