"""Trials where their author drew none: a false bound falls on fresh trials, and a true one stands."""

import math

import pytest

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.bounds.theorem import THEOREMS, in_unit_interval, integer, theorem
from lemmata.experiments.engine.claims.claim import CLAIMS, grid, mean_claim, tail_claim
from lemmata.experiments.engine.claims.verdict import TailDecider
from lemmata.experiments.engine.search import search as engine, trials
from lemmata.mechanisms.numerics.streams import generator


def deviations(constant, needs=("n", "beta")):
    """P(the mean of n coins exceeds 1/2 + sqrt(log(1/beta) / (constant n))) <= beta, which is true for 2."""
    before = dict(THEOREMS), dict(CLAIMS)
    try:

        def level(*, n: int, beta: float) -> float:
            return math.sqrt(-math.log(beta) / (constant * n))

        known = {"n": integer("n"), "beta": in_unit_interval("beta")}
        made = theorem("wzw25.eq2", part="trials", kind="tail", says="x", needs=[known[name] for name in needs])(level)

        @tail_claim(made, quick=grid(n=[50], beta=[0.9]), control=None)
        def coins(rng, size, *, n, beta, factor=1):
            return rng.binomial(n, 0.5, size) > n / 2 + n * made(n=n, beta=beta)

        return CLAIMS[made.theorem.key]
    finally:
        for registry, kept in zip((THEOREMS, CLAIMS), before, strict=True):
            registry.clear()
            registry.update(kept)


def sizes(constant):
    """E|the mean of n signs| <= constant / sqrt(n), which is true for 1: at n = 1 there is equality."""
    before = dict(THEOREMS), dict(CLAIMS)
    try:

        def size_of(*, n: int) -> float:
            return constant / math.sqrt(n)

        made = theorem("wzw25.eq2", part="trials", kind="mean", says="x", needs=[integer("n")])(size_of)

        @mean_claim(made, quick=grid(n=[10, 50]), bound=lambda n: made(n=n), high=1, control=None, cap=100)
        def signs(rng, size, *, n, factor=1):
            return abs(rng.choice([-1, 1], size=(size, n)).mean(axis=1))

        return CLAIMS[made.theorem.key]
    finally:
        for registry, kept in zip((THEOREMS, CLAIMS), before, strict=True):
            registry.clear()
            registry.update(kept)


def look(claim, root=0, settings=60):
    return engine.search(claim, generator(root, claim.key, {}, "search", 0), settings)


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
