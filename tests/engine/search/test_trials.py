"""Trials where their author drew none: a false bound falls on fresh trials, and a true one stands."""

import math

import pytest

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.bounds.theorem import in_unit_interval, integer
from lemmata.experiments.engine.claims.claim import grid, mean_claim, tail_claim
from lemmata.experiments.engine.claims.verdict import TailDecider
from lemmata.experiments.engine.search import search as engine, trials
from tests.engine.search import test_search
from tests.engine.search.test_search import make


def deviations(constant, needs=("n", "beta")):
    """P(the mean of n coins exceeds 1/2 + sqrt(log(1/beta) / (constant n))) <= beta, which is true for 2."""

    def level(*, n: int, beta: float) -> float:
        return math.sqrt(-math.log(beta) / (constant * n))

    def check(bound):
        def coins(rng, size, *, n, beta, factor=1):
            return rng.binomial(n, 0.5, size) > n / 2 + n * bound(n=n, beta=beta)

        return coins

    known = {"n": integer("n"), "beta": in_unit_interval("beta")}
    fields = {"quick": grid(n=[50], beta=[0.9]), "control": None}
    return make([known[name] for name in needs], level, check, tail_claim, kind="tail", **fields)


def sizes(constant):
    """E|the mean of n signs| <= constant / sqrt(n), which is true for 1: at n = 1 there is equality."""

    def size_of(*, n: int) -> float:
        return constant / math.sqrt(n)

    def check(bound):
        def signs(rng, size, *, n, factor=1):
            return abs(rng.choice([-1, 1], size=(size, n)).mean(axis=1))

        return signs

    def claim(bound, **fields):
        return mean_claim(bound, bound=lambda n: bound(n=n), **fields)

    fields = {"quick": grid(n=[10, 50]), "high": 1, "control": None, "cap": 100}
    return make([integer("n")], size_of, check, claim, kind="mean", **fields)


def look(claim, root=0, settings=60):
    return test_search.look(claim, settings, root)


@pytest.mark.parametrize("root", range(3))
def test_a_bound_that_is_false_at_small_levels_falls(root):
    verdict = look(deviations(6), root)
    assert verdict.outcome == REFUTED and verdict.evidence == "sampled"
    assert verdict.witness["setting"]["beta"] < 0.9
    assert "np.mean(outcomes) > " in verdict.witness["python"]


@pytest.mark.parametrize("root", range(3))
def test_a_mean_that_is_too_large_for_one_trial_falls(root):
    assert look(sizes(0.9), root).witness["setting"] == {"n": 1}
    assert look(sizes(1.0), root).outcome == HOLDS


@pytest.mark.parametrize("root", range(3))
def test_a_true_bound_stands_and_says_what_was_tried(root):
    searched = look(deviations(2), root)
    assert searched.outcome == HOLDS
    assert searched.searched["decided"] == 60 and searched.searched["trials"] == 60_000


def test_only_fresh_trials_are_evidence(monkeypatch):
    """Of many settings at which the bound is attained one looks bad by chance; that look refutes nothing."""
    looks = []
    evidence = TailDecider.log_e
    monkeypatch.setattr(trials, "judge_setting", lambda claim, setting, rng: looks.append(setting))
    monkeypatch.setattr(TailDecider, "log_e", lambda self: (0.0, 100.0 + evidence(self)[1]))
    assert look(deviations(2)).outcome == HOLDS and len(looks) == 1


def test_whole_numbers_stay_near_those_of_their_author():
    assert trials.find_coordinates(deviations(2))["n"].high == 200


def test_trials_with_an_argument_that_no_hypothesis_names_are_left_to_their_author():
    assert not engine.is_searchable(deviations(2, needs=("beta",)))
    assert engine.is_searchable(deviations(2))


def test_a_trial_that_raises_elsewhere_is_given_up(monkeypatch):
    claim = deviations(2)
    monkeypatch.setattr(trials, "run_trials", lambda *_: 1 / 0)
    assert look(claim).searched["raised"] == trials.PATIENCE
