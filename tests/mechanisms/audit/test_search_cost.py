"""What a search spends: rounds of equal cost, nothing twice, a wider noise first, an estimate of time at the begin."""

import numpy as np
import pytest

import lemmata
from lemmata.mechanisms.audit.evidence import attackers
from lemmata.mechanisms.audit.evidence.outcomes import Reader, joined, quantiles
from lemmata.mechanisms.audit.evidence.scores import by_bins
from lemmata.mechanisms.audit.evidence.stakes import checked
from lemmata.mechanisms.audit.front import entry
from lemmata.mechanisms.audit.front.entry import offered
from lemmata.mechanisms.audit.neighbours import kinds
from lemmata.mechanisms.audit.neighbours.changes import Neighbours, between
from lemmata.mechanisms.audit.neighbours.record_parts import described
from lemmata.mechanisms.audit.play import game, neighbour_search, pair_ranking
from lemmata.mechanisms.audit.subjects.adapters import mechanism
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import PureDP
from tests.mechanisms.audit.planted_leaks import never, tidy, x

pytestmark = pytest.mark.statistical


def rough(x, rng):
    return tidy(x).sum() + rng.laplace(scale=0.8)


def searching(say=lambda line: None):
    return neighbour_search.Search(mechanism(rough), checked(PureDP(1.0)), TEST_ROOT, 20_000, say=say)


def test_a_round_costs_as_much_as_the_last_and_what_was_released_counts_on(monkeypatch):
    search, rounds, spent = searching(), [], []
    apart = neighbour_search.apart

    def noted(best):
        rounds.append((len(best), len(best[0].one), len(best[0].other)))
        spent.append(search.spent)
        return apart(best)

    monkeypatch.setattr(neighbour_search, "apart", noted)
    ranked = search.screened(offered(search, (x,)), never)
    spent.append(search.spent)
    search.halved(ranked, never)
    assert rounds[:3] == [(24, 24, 24), (8, 96, 96), (3, 312, 312)]
    costs = np.diff(spent)[:3]
    assert costs.max() <= 2 * 3 * 216 and all(costs > 0)  # less where pairs share a dataset


def test_one_place_among_many_is_found_by_blocks():
    """Blocks of equal records that change together show in which one a record counts otherwise."""

    def weighed(x, rng):
        weights = np.where(np.arange(len(x)) == 211, 3.0, 1.0)
        return (tidy(x) * weights).sum() + rng.laplace()

    search = neighbour_search.Search(mechanism(weighed), checked(PureDP(1.0)), TEST_ROOT, 20_000)
    ranked = search.screened(offered(search, (np.linspace(0, 1, 300),)), never)
    assert ranked[0].pair.place == 211 and ranked[0].pair.inner is None
    assert search.spent < 2_000


@pytest.mark.parametrize("n", [3, 4, 9])
def test_pairs_for_medians_have_as_many_records_as_the_data(n):
    parts = described((np.linspace(0, 1, n),), {"bounds": (0, 1)})
    found = list(between((np.linspace(0, 1, n),), parts, "replace"))
    assert found and {len(side[0]) for one in found for side in (one.data, one.neighbour)} == {n}


def test_bits_of_one_number_among_several_are_found_at_once():
    """Numbers whose bits tell nothing do not hide the one whose bits do."""
    found = lemmata.audit(lambda x, rng: tidy(x) + rng.laplace(size=len(x)), np.zeros(3), PureDP(1.0), root=TEST_ROOT)
    assert found.verdict == "REFUTED" and found.needed < 1_500 and "lowest set bits" in found.event


def test_what_pairs_share_is_released_once():
    search = searching()
    first, again = (search.releases((x,), "screen", 0, 12) for _ in range(2))
    assert first is again and search.spent == 12
    others = [search.releases((x,), *which) for which in (("screen", 12, 12), ("halve", 0, 12))]
    assert search.spent == 36 and not any(np.array_equal(first, other) for other in others)


def test_pairs_that_release_the_same_go_on_last():
    """The lower end and what is cut to it are one dataset to the mechanism: another pair goes before the second."""

    def candidate(value, one, other):
        pair = Neighbours((np.zeros(3),), (np.append(np.zeros(2), value),), "")
        return neighbour_search.Candidate(pair, [np.array([one])], [np.array([other])], move=str(value))

    best = [candidate(-1.0, 0.5, 0.7), candidate(-9.0, 0.5, 0.7), candidate(1.0, 0.5, 0.8)]
    assert neighbour_search.apart(best) == [best[0], best[2], best[1]]


def test_an_estimate_is_told_after_the_first_pairs():
    lines = []
    search = searching(lines.append)
    search.screened(offered(search, (x,)), never)
    assert len(lines) == 1 and lines[0].startswith(f"rough: {neighbour_search.TIMED} pairs tried; 19,")


def released(*columns):
    return [np.array(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ([0.3, -1.1, 2.0], [1.3, -0.1, 3.0], 1.0),  # noise of one scale: only the number moves
        ([0.3, -1.1, 2.0], [0.6, -2.2, 4.0], 2.0),  # twice the scale
        ([0.3, -1.1, 2.0], [5.15, 4.45, 6.0], 0.5),  # half of it, elsewhere
        ([0.3, -1.1, 2.0], [0.6, -2.2, 4.1], 1.0),  # two noises: no line
        ([0.5, 0.5, 0.5], [0.7, 0.7, 0.7], 1.0),  # no noise
        ([0.3, -1.1, np.inf], [0.6, -2.2, np.nan], 1.0),
    ],
)
def test_with_equal_seeds_a_wider_noise_lies_on_a_line(one, other, ratio):
    assert pair_ranking.wider(released(one), released(other)) == pytest.approx(abs(np.log(ratio)), abs=1e-6)
    assert pair_ranking.wider(released(one, one), released(one, other)) == pytest.approx(abs(np.log(ratio)), abs=1e-6)


def test_what_is_of_another_length_or_no_number_is_not_compared():
    assert (
        pair_ranking.wider([np.zeros(1)] * 3, [np.zeros(2)] * 3) == pair_ranking.wider(["a"] * 3, [np.ones(1)] * 3) == 0
    )
    assert pair_ranking.wider([], []) == pair_ranking.wider(released([1.0, 2.0]), released([2.0, 4.0])) == 0


def mean(x, rng):
    return np.clip(np.nan_to_num(x), 0, 1).mean() + rng.laplace(scale=1 / len(x))


@pytest.mark.parametrize(("wide", "most"), [(neighbour_search.WIDE, 2_500), (np.inf, np.inf)])
def test_the_widest_noise_is_tried_before_pairs_are_halved(wide, most, monkeypatch):
    """The scale of its noise is one over the number of records. Halving comes to the same end, and costs more."""
    monkeypatch.setattr(neighbour_search, "WIDE", wide)
    data, claim = np.array([-1.0, 0.0, 1.0, 0.5]), PureDP(1.0, "add/remove")
    found = lemmata.audit(mean, data, claim, root=TEST_ROOT, budget=40_000, level=0.05)
    assert found.verdict == "REFUTED"
    assert found.needed < most and (wide < np.inf or found.needed > 2_500)


@pytest.mark.parametrize("seconds", [4.0, 40.0])
def test_seconds_are_a_bound_from_call_to_return(seconds, monkeypatch):
    """Of a mechanism that takes a hundredth of a second a release, by a clock that only it moves."""
    now = [1.0]

    def slow(x, rng):
        now[0] += 0.01
        return rough(x, rng)

    for place in (neighbour_search.time, game, entry.time):
        monkeypatch.setattr(place, "perf_counter", lambda: now[0])
    found = lemmata.audit(slow, x, PureDP(1.0), root=3, seconds=seconds)
    assert seconds / 2 < now[0] - 1 <= seconds and found.verdict == "INCONCLUSIVE"


def test_wide_releases_are_told_apart_in_their_middle():
    """A text of more than a thousand numbers leaves most of them out."""
    one, other = np.zeros(2_000), np.zeros(2_000)
    other[1_000] = 1.0
    pair = Neighbours((np.array([one, one]),), (np.array([one, other]),), "")
    assert len(set(map(pair_ranking.written_out, (one, other)))) == 2
    assert kinds.ORDER not in set(kinds.kinds(pair, pair.data))
    swapped = Neighbours((np.array([one, other]),), (np.array([other, one]),), "")
    assert kinds.ORDER in set(kinds.kinds(swapped, swapped.data))


def test_quantiles_of_columns_are_those_of_each_column():
    """Of its finite numbers, to the bit; and wide tables are fitted by the columns that lie furthest apart."""
    table = np.random.default_rng(0).normal(size=(50, 5))
    table[3, 1], table[4:6, 2], table[:, 3] = np.nan, (np.inf, -np.inf), np.nan
    found = quantiles(table, (0.25, 0.5))
    for column, own in zip(table.T, found.T, strict=True):
        finite = column[np.isfinite(column)]
        np.testing.assert_array_equal(own, np.quantile(finite, (0.25, 0.5)) if len(finite) else [np.nan, np.nan])
    truth = np.repeat([1, -1], 25)
    wide = np.random.default_rng(1).normal(size=(50, 1_000))
    wide[:, 600] += 5.0 * truth
    kept = attackers.furthest(wide, truth, np.arange(1_000))
    assert 600 in kept and len(kept) == attackers.MOST and (np.diff(kept) > 0).all()


@pytest.mark.parametrize("learn", [by_bins, attackers.by_bits])
def test_scores_of_columns_add_up(learn):
    """What is learnt of all columns at once is what each of them tells alone: ties, missing numbers, negative zeros."""
    rng = np.random.default_rng(2)
    one, other = rng.normal(size=(60, 6)), rng.laplace(size=(60, 6)) + 1.0
    one[:, 1], other[:, 1] = np.round(one[:, 1]), np.round(other[:, 1] * 4) / 4
    one[:9, 2], other[:3, 2], one[:, 3], other[:, 4] = np.nan, -np.inf, -0.0, 7.0
    truth, fresh = np.repeat([1, -1], 60), np.vstack([rng.normal(size=(20, 6)), np.full((1, 6), np.nan)])

    def scored(columns):
        sides = one[:, columns], other[:, columns]
        read = Reader(list(sides), True)
        score = learn(joined(list(map(read, sides))), truth)
        return np.zeros(len(fresh)) if score is None else score(read(fresh[:, columns]))

    together, apart = scored(list(range(6))), sum(scored([j]) for j in range(6))
    np.testing.assert_allclose(together, apart, atol=1e-12)
    assert together.any()


@pytest.mark.parametrize(("until", "learns"), [(0.0, False), (np.inf, True)])
def test_nothing_is_learnt_once_the_time_is_up(until, learns):
    laplace = [lambda rng, size, x=x: x + rng.laplace(size=size) for x in (0.0, 9.0)]
    timed = game.Game(*laplace, PureDP(1.0), root=1, named=[("bins", by_bins)])
    timed.past.append(timed.draw(0, 400)[:2])
    timed.until = until
    timed.learn()
    assert (timed.rules[0] is not None) == learns
