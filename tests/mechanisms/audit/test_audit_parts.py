"""The auditor part by part, where a mutant of one line survived: tests state the rule, and no value that came out."""

import os
import random
import subprocess
import sys
import warnings
from dataclasses import dataclass, replace
from math import exp, inf, log
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from lemmata.mechanisms.audit.evidence import rules
from lemmata.mechanisms.audit.evidence.attackers import Features, by_boosting, by_label
from lemmata.mechanisms.audit.evidence.divergence_bets import CLAIMED, FACTORS, SPARE, DivergenceBets, binned_scores
from lemmata.mechanisms.audit.evidence.outcomes import Outcomes, Reader
from lemmata.mechanisms.audit.evidence.rules import Rule, tidy
from lemmata.mechanisms.audit.evidence.scores import by_laplace
from lemmata.mechanisms.audit.evidence.stakes import CUTS, best_threshold, ladder, log_capital, tables, tally
from lemmata.mechanisms.audit.front import entry
from lemmata.mechanisms.audit.neighbours.changes import Neighbours, elsewhere, places
from lemmata.mechanisms.audit.neighbours.record_parts import Part, described, numbers
from lemmata.mechanisms.audit.play.game import Game
from lemmata.mechanisms.audit.play.neighbour_search import Search
from lemmata.mechanisms.audit.play.pair_ranking import move
from lemmata.mechanisms.audit.play.pair_shrinking import _cuts, simpler
from lemmata.mechanisms.audit.play.repeated_tests import Games
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.audit.subjects import adapters, draws, replay, tracing
from lemmata.mechanisms.audit.subjects.adapters import Mechanism
from lemmata.mechanisms.audit.subjects.release_values import moments
from lemmata.mechanisms.audit.subjects.samplers import LARGEST, Recorded, Source, WrongSize, chunk, copy_state
from lemmata.mechanisms.noise.laplace import FloatLaplace
from lemmata.mechanisms.privacy import ZCDP, GaussianDP, PureDP
from tests.mechanisms.audit.planted_leaks import never


def drawn(a, b, size=40):
    """Outcomes of a game before anything is learnt, and which dataset each came from."""
    fresh, truth, _ = Game(a, b, PureDP(1.0), root=3, named=[]).draw(0, size)
    return fresh, truth


def test_half_of_the_capital_bets_nothing_at_first_and_all_bets_share_the_rest(monkeypatch):
    """Where every bet gains a factor e^c, the capital is (1 + e^c)/2, and what is divided equally is e^c."""
    c = 0.7
    bets = DivergenceBets(ZCDP(0.5), 2)
    monkeypatch.setattr(bets, "gained", lambda log_h, counts: np.full(bets.capital.shape[1:], c))
    quiet = np.zeros(bets.capital[0][..., CLAIMED, :].shape)
    bets.rules = [SimpleNamespace(log_h=None, growth=quiet, counts=lambda fresh, truth: None)] * 2
    bets.judge(None, None)
    assert bets.won == pytest.approx(log((1 + exp(c)) / 2)) and bets.averaged() == pytest.approx(c)
    assert exp(bets.log_e()) == pytest.approx(SPARE * exp(c) + (1 - SPARE) * (1 + exp(c)) / 2)


def test_evidence_against_a_claim_is_that_against_the_next_larger_one_that_was_tried():
    bets = DivergenceBets(ZCDP(0.5), 1)
    bets.capital += np.arange(len(FACTORS))[:, None]
    for place, factor in enumerate(FACTORS):
        following = place + 1 if place + 1 < len(FACTORS) else 0
        assert bets.against(float(factor)) == pytest.approx(place)
        assert bets.against(float(factor * 1.0001)) == pytest.approx(following)


def test_few_releases_are_scored_each_once_by_a_score_learnt_from_the_others():
    numbers = iter(range(10**6))
    fresh, truth = drawn(*[lambda rng, size: np.array([float(next(numbers)) for _ in range(size)])] * 2)
    learnt = []

    def learn(data, truth):
        learnt.append(set(data.raw.tolist()))
        return lambda new: np.where(np.isin(new.raw, list(learnt[-1])), -1.0, new.raw)

    _, scores, was = binned_scores(learn, fresh, truth)
    assert sorted(scores.tolist()) == sorted(fresh.raw.tolist()) and len(was) == len(truth)


@pytest.mark.parametrize(("few", "asked"), [(40, [20, 20, 40]), (39, [20])])
def test_few_releases_are_all_learnt_from(monkeypatch, few, asked):
    """The score of a rule is learnt from all releases, and its thresholds are chosen by scores of halves."""
    monkeypatch.setattr(rules, "FEW", few)
    fresh, truth = drawn(*[lambda rng, size: rng.normal(size=size)] * 2)
    sizes = []

    def learn(data, truth):
        sizes.append(len(truth))
        return lambda new: np.zeros(len(new.raw))

    gains = np.repeat(ladder(PureDP(1.0), 1), CUTS, axis=0)
    assert rules.learnt(learn, rules.lesson(fresh, truth), gains) and sizes == asked


def test_a_rule_is_silent_if_it_never_guesses_either_dataset():
    nothing, something = np.full(2, inf), np.array([inf, 1.0])
    assert Rule(None, nothing, nothing).silent
    assert not Rule(None, nothing, something).silent and not Rule(None, something, nothing).silent


def test_a_score_on_a_threshold_is_a_guess():
    scores, truth = np.array([-1.0, 1.0]), np.array([-1, 1])
    rule = Rule(lambda data: data, np.array([1.0]), np.array([1.0]))
    assert rule.guesses(scores).tolist() == [[-1, 1]]
    assert tally(scores, truth, rule.above, rule.below)[0].tolist() == [[1, 0, 1], [1, 0, 1], [2, 0, 0]]


def test_a_scale_that_moves_by_more_than_rounding_is_a_lead():
    scaled = lambda scale: [draws.Meeting("laplace", scale, np.zeros(1), "a line", np.zeros(1))]  # noqa: E731
    leads = [list(tracing._scales(scaled(1.0), scaled(1 + moved))) for moved in (0.0, 0.7e-9, 1.5e-9)]
    assert [len(found) for found in leads] == [0, 0, 1]


def test_a_warning_shown_without_a_class_is_its_text():
    with adapters.warned() as given:
        warnings.showwarning("beware", UserWarning, "a file", 1)
        warnings.warn("this", UserWarning, stacklevel=1)
    assert [adapters.said(warning) for warning in given] == ["'beware'", "UserWarning: this"]


def test_screening_takes_half_of_what_a_search_may_spend():
    """0.4 of a budget of 100 releases; the pair that goes beyond is the last."""
    search = SimpleNamespace(spent=0, budget=100)

    def looked_at(pair):
        search.spent += 3
        return []

    search.looked_at = looked_at
    assert Search.screened(search, iter([SimpleNamespace(inner=None)] * 100), never) == [] and search.spent == 21


def test_numbers_are_cut_at_quantiles_and_in_the_widest_gap():
    """At 2, 6, ..., 98 % of 0, 1, ..., 100; and between 100 and 400."""
    cuts = [float(cut) for cut in _cuts(np.arange(101.0))]
    assert cuts[:2] == [2, 6] and cuts[24] == 98 and float(_cuts(np.append(np.arange(101.0), 400))[-1]) == 250


def test_equal_texts_are_equal_rows_and_other_texts_are_others():
    values = Reader([["red"], ["blue"]], False)(["red", "blue", "red"]).values
    assert np.array_equal(values[0], values[2], equal_nan=True)
    assert not np.array_equal(values[0], values[1], equal_nan=True)


def test_a_move_is_a_difference_of_numbers_or_both_texts():
    assert move([np.array([1.0, 2.0]), "a"], [np.array([0.5, 2.0]), "b"]) == repr([[0.5, 0.0], ("'a'", "'b'")])


def test_of_lines_that_draw_too_much_together_the_worst_is_said():
    """Samplers of scale 1 that move by 0.6 and by 0.3, where half a unit and its tolerance is 0.75."""
    tape = lambda *values: SimpleNamespace(calls=[draws.Call("f", *pair) for pair in zip("ab", values, strict=True)])  # noqa: E731
    one, other, again = (tape(*map(np.array, pair)) for pair in ([0.0, 0.0], [0.6, 0.3], [8**0.5, 8**0.5]))
    leads = list(tracing._samplers(one, other, [again], PureDP(0.5)))
    assert [lead.place for lead in leads] == ["a"]


def test_the_best_threshold_gains_most_against_the_first_claim_that_loses():
    """Above 3 are 5 right guesses and 3 wrong ones, above 5 are 4 and 1: they gain -0.1 and 0.2, or ten times that."""
    counts, values = np.array([[5, 3, 0], [4, 1, 3]]), np.array([3.0, 5.0])
    weak, strong = (scale * np.array([[0.1, -0.2, 0.0]]) for scale in (1, 10))
    assert best_threshold(values, counts, np.stack([weak, strong])) == 5.0
    assert best_threshold(values, counts, np.stack([weak])) == inf


def test_a_label_that_either_dataset_shows_equally_often_says_nothing():
    fresh, truth = drawn(lambda rng, size: ["x"] * size, lambda rng, size: ["x"] * size, 400)
    assert abs(by_label(fresh, truth)(fresh)[0]) < 0.01


def test_minus_0_is_0():
    fresh, _ = drawn(lambda rng, size: rng.choice([-0.0, 0.0, 1.0], size), lambda rng, size: np.ones(size), 200)
    assert len(set(fresh.labels[fresh.raw == 0].tolist())) == 1


def test_releases_of_one_at_a_time_are_those_that_were_drawn():
    """A mechanism that fails in batches is asked one by one: a dict of fields, an array, each its only entry."""

    def fields(rng, size):
        if size > 1:
            raise RuntimeError
        return {"b": np.array([2.0]), "a": np.array([1.0])}

    assert Source("it", fields)._one(np.random.default_rng(1)) == (1.0, 2.0)
    assert Source("it", lambda rng, size: ["x"] * size)._one(np.random.default_rng(1)) == "x"


def test_recorded_releases_begin_with_the_first():
    assert Recorded("it", [5, 6, 7]).left == Source("it", [5, 6, 7]).left == 3
    assert Source("it", lambda rng, size: np.ones(size)).left == inf
    recorded = Recorded("it", [5, 6, 7])
    assert [recorded(None, 1), recorded(None, 2)] == [[5], [6, 7]]


@pytest.mark.parametrize("released", [np.float64(1), np.array(1.0), 1.0])
def test_a_number_is_no_list_of_releases(released):
    with pytest.raises(WrongSize, match="it must return an array or list of 1 releases, got"):
        Source("it", lambda rng, size: released)._checked(released, 1)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_elsewhere_is_everywhere_but_at_the_last_record(n):
    data = (np.linspace(0, 1, n),)
    pairs = list(elsewhere(data, described(data, {}), "replace", np.random.default_rng(0)))
    assert pairs and all(pair.place < pair.size - 1 for pair in pairs)


def test_the_first_dataset_is_the_first():
    fresh, truth = drawn(lambda rng, size: np.zeros(size), lambda rng, size: np.ones(size))
    assert (fresh.raw[truth == 1] == 0).all() and (fresh.raw[truth == -1] == 1).all()
    assert [
        source.name for source in Game(*[lambda rng, size: np.zeros(size)] * 2, PureDP(1.0), root=1, named=[]).sources
    ] == ["sample_a", "sample_b"]


def test_a_capital_that_has_bet_nothing_is_1():
    """Of each process, whatever stakes it is divided among."""
    assert log_capital(np.zeros((3, 2, 3, 3)), tables([(1.0, 0.0), (0.5, 0.1)])) == pytest.approx(0)


UNCOUNTED = """
from joblib.externals.loky.backend import context
context._count_physical_cores_linux = lambda: 0  # as without lscpu
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
from lemmata.mechanisms.audit.evidence.attackers import count_cores_quietly
{call}()
"""


@pytest.mark.parametrize(("call", "quiet"), [("count_cores_quietly", True), ("_openmp_effective_n_threads", False)])
def test_cores_that_cannot_be_counted_print_nothing(call, quiet):
    """joblib warns and prints a traceback, once in a process, when scikit-learn's trees ask for the cores."""
    environment = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "PYTHONPATH")}
    ran = subprocess.run([sys.executable, "-c", UNCOUNTED.format(call=call)], capture_output=True, env=environment)
    assert ran.returncode == 0 and bool(ran.stderr) is not quiet


def test_the_releases_of_all_games_are_counted():
    games = Games(None)
    games.trials = [SimpleNamespace(game=SimpleNamespace(drawn=drawn)) for drawn in (3, 5)]
    assert games.drawn == 8


def test_a_pair_with_the_others_alike_keeps_the_record_that_differs():
    """Of three records the first two are made equal; the third, which differs, stays on either side."""
    pair = Neighbours((np.array([1.0, 2.0, 3.0]),), (np.array([1.0, 2.0, 9.0]),), "the last is changed")
    alike = [made for made in simpler(pair) if made.words.endswith("the others alike")]
    assert [(made.data[0].tolist(), made.neighbour[0].tolist()) for made in alike] == [
        ([0.0, 0.0, 3.0], [0.0, 0.0, 9.0]),
        ([1.0, 1.0, 3.0], [1.0, 1.0, 9.0]),
    ]


def test_dates_and_spans_are_read_in_seconds_and_told_apart():
    assert moments(np.array(["1970-01-02"], dtype="datetime64[D]"))[1] == "date None"
    assert moments(np.array([90], dtype="timedelta64[m]")) == (pytest.approx([5400.0]), "span")


def test_a_parameter_is_on_the_tape_as_a_number_of_any_type():
    """An integer on one dataset and a float of numpy's on its neighbour are no lead."""
    assert {draws.told("exponential", (two,), {})[2] for two in (2, 2.0, np.float64(2), np.int64(2))} == {("2.0",)}


@pytest.mark.parametrize("kind", ["Random", "SystemRandom"])
def test_a_generator_of_python_is_recorded(kind):
    """Made while a tape runs, it draws what the tape's seed says, and each draw is on the tape."""
    with draws.taped():
        said = []
        for seed in (1, 1, 2):
            with draws.recording(draws.Tape(seed)) as tape:
                made = getattr(random, kind)(*([seed] if kind == "Random" else []))
                said.append((float(made.gauss(0, 1)), len(tape.draws)))
    assert said[0] == said[1] != said[2] and said[0][1] == 1


def test_numbers_that_share_noise_are_seen_as_differences():
    """The second and the third number have the noise of the first: beside it their differences to it are free of it."""
    subject = Mechanism("f", lambda data, seed: 0.0, shared={1: 0, 2: 0})
    assert subject.parted(np.array([5.0, 7.0, 4.0])).tolist() == [5.0, 2.0, -1.0]
    assert replace(subject, shared={}).parted(np.array([5.0, 7.0, 4.0])).tolist() == [5.0, 7.0, 4.0]


class Drifting:
    """N(b, 1) beside a number without any data that follows its last value."""

    def __init__(self, b):
        self.b, self.last = b, 0.0

    def __call__(self, rng, size):
        return np.array([(self.b + rng.normal(), self.drift(rng)) for _ in range(size)])

    def drift(self, rng):
        self.last = 0.99 * self.last + rng.normal()
        return self.last


def remembering(b):
    side = Drifting(b)
    return lambda rng, size: side(rng, size)


@pytest.mark.parametrize("kind", [Drifting, remembering])
def test_a_side_that_remembers_its_last_release_is_not_audited(kind):
    """The claim is true; what tells the sides apart is which drift is whose."""
    found = audit(kind(0.0), kind(1.0), GaussianDP(1.0), root=1, budget=5_000)
    assert (found.verdict, found.reason, found.lower) == ("INCONCLUSIVE", "NOT_AUDITED", 0.0)
    assert found.event == "sample_a is told from a fresh copy of itself: its releases are not independent"


def test_independent_releases_of_a_side_with_a_state_are_judged():
    """A counter of calls that no release shows, a generator of its own, and a law whose fields cannot be set."""

    def counting(b):
        calls, own = [], np.random.default_rng(int(b))
        return lambda rng, size: (calls.append(size), own.normal(b, 1.0, size))[1]

    assert audit(counting(0.0), counting(3.0), GaussianDP(1.0), root=1).verdict == "REFUTED"
    assert (
        copy_state(FloatLaplace(np.zeros(1), 1.0)) is None
        and copy_state(np.zeros(3)) is None
        and copy_state([1, 2]) is None
    )


@pytest.mark.parametrize("side", [Drifting(0.0), remembering(0.0)])
def test_a_copy_shares_no_state_with_its_side(side):
    moved = [each(np.random.default_rng(1), 50)[-1, 1] for each in (side, copy_state(side), side)]
    assert moved[0] == moved[1] != moved[2]


def stored_releases(b):
    """Hands out 90 stored releases, and then no more."""
    left = list(np.random.default_rng(int(b)).normal(b, 1.0, 90))

    def take(rng, size):
        return [left.pop() for _ in range(min(size, len(left)))]

    return take


class Locked:
    """A sampler whose copy cannot be drawn from."""

    def __init__(self, b):
        self.b, self.own = b, {"lock": 1}

    def __getstate__(self):
        return {"b": self.b}

    def __call__(self, rng, size):
        return rng.normal(self.b, self.own["lock"], size)


@pytest.mark.parametrize("kind", [stored_releases, Locked])
def test_a_copy_that_cannot_be_drawn_from_says_nothing_of_its_side(kind):
    assert audit(kind(0.0), kind(9.0), PureDP(0.1), root=1, budget=180).verdict == "REFUTED"


@dataclass(frozen=True)
class Remembering:
    """Frozen, and yet it remembers: its field is a dict."""

    b: float
    known: dict

    def sample(self, rng, size):
        drift = self.known.setdefault("drift", rng.laplace())
        return self.b * 0 + np.repeat(drift, size)


def test_a_frozen_law_of_somebody_else_is_copied():
    found = audit(Remembering(0.0, {}), Remembering(1.0, {}), PureDP(1.0), root=1, budget=2_000)
    assert (found.verdict, found.reason) == ("INCONCLUSIVE", "NOT_AUDITED")


# Ends -----------------------------------------------------------------------------------------------------------------

HUGE = [0.5, -2.0, 1.0, 1.7e308, 1.6e308, -1.7e308, 1e40, inf, -inf, float("nan")]


@pytest.mark.parametrize("learner", [by_boosting, by_laplace])
@pytest.mark.parametrize("columns", [1, 2])
def test_attackers_learn_from_few_releases_however_large(learner, columns):
    """Twenty releases grow trees, and numbers at the ends of the floats and beyond give features and finite scores."""
    values = np.array(HUGE * 2 * columns).reshape(20, columns)
    data = Outcomes(values, np.arange(20), values)
    assert np.isfinite(Features.of(data)(data)).all()
    score = learner(data, np.resize([1, 1, -1], 20))
    assert np.isfinite(score(Outcomes(np.ones((3, columns)), np.arange(3), None))).all()


def test_scores_are_kept_between_ends_that_can_be_rounded():
    assert tidy(np.array([inf, 1e200, 0.5, -1e200, -inf, np.nan])).tolist() == [1e9, 1e9, 0.5, -1e9, -1e9, 0.0]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_bet_on_a_ratio_beyond_all_floats_has_a_finite_gain(sign):
    gained = DivergenceBets(ZCDP(0.5), 1).gained(sign * np.array([800.0, 0.0, -800.0]), np.ones((2, 3)))
    assert np.isfinite(gained).all()


def test_as_many_releases_are_afforded_as_the_time_allows(monkeypatch):
    """A release takes 0.1 s and attackers a little: half more than 2^14 of them have time for 2^14."""
    each = 0.1 + entry.ATTACK
    now = iter([0.0, 0.1 * entry.TIMED])
    monkeypatch.setattr(entry, "time", SimpleNamespace(perf_counter=lambda: next(now)))
    assert entry.afforded(lambda data, seed: 0.0, (np.zeros(3),), 1.5 * 2**14 * each, None) == 2**14


@pytest.mark.parametrize(("low", "high", "zero"), [(-1, 2, (0, 0)), (0, 2, None), (1, 2, None), ((1, -1), 2, (1, 0))])
def test_zero_is_tried_where_it_is_no_end_and_never_outside(low, high, zero):
    """As the nearest entry within the ends of a column."""
    ends = [np.broadcast_to(np.array(end, dtype=float), 2).copy() for end in (low, high)]
    part = Part(*ends, None, None, (2,), declared=True)
    everybody = dict(places((np.ones((4, 2)),), [part])).get("every record at zero")
    assert (everybody is None) == (zero is None) and (zero is None or (everybody[0] == zero).all())
    assert dict(numbers(part))["zero in every column"].tolist() == np.clip(zero or ends[0], *ends).tolist()


def test_a_record_holds_no_number_that_its_type_cannot_hold():
    part = Part(np.zeros(1), np.ones(1), None, None, (1,), whole=True, least=-128, most=127)
    assert [part.record(entry).tolist() for entry in (1e6, -1e6, 3.0)] == [[127.0], [-128.0], [3.0]]


def test_draws_far_out_and_draws_alike_have_p_values():
    """A draw where the cdf is 1 in floats is a rare one, and equal columns are not independent."""
    normal = np.random.default_rng(7).normal(size=(2000, 2))
    normal[:2, 0] = 9.0, -40.0
    assert 1e-4 < replay.not_the_law(normal, norm.cdf) <= 1
    assert replay._uncorrelated(np.arange(20.0), np.arange(20.0)) < 1e-10


def test_the_next_chunk_is_large_enough_for_the_level_and_no_larger_than_can_be_held():
    """16 releases decide at level 0.05 and 32 below 1e-3."""
    assert [chunk(0, level) for level in (0.05, 1e-3, 1e-9)] == [16, 32, 32] and chunk(10**9, 0.05) == LARGEST
