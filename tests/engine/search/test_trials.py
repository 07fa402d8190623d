"""Trials where their author drew none: a false bound falls on fresh trials, and a true one stands."""

import math

import pytest

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.bounds.theorem import THEOREMS, in_unit_interval, integer, theorem
from lemmata.experiments.engine.claims.claim import CLAIMS, grid, tail_claim
from lemmata.experiments.engine.claims.verdict import TailDecider
from lemmata.experiments.engine.search import search as engine
from lemmata.experiments.engine.search import trials
from lemmata.mechanisms.numerics.streams import generator


def deviations(constant):
    """P(the mean of n coins exceeds 1/2 + sqrt(log(1/beta) / (constant n))) <= beta, which is true for 2."""
    before = dict(THEOREMS), dict(CLAIMS)
    try:

        def level(*, n: int, beta: float) -> float:
            return math.sqrt(-math.log(beta) / (constant * n))

        needs = [integer("n"), in_unit_interval("beta")]
        made = theorem("wzw25.eq2", part="trials", kind="tail", says="x", needs=needs)(level)

        @tail_claim(made, quick=grid(n=[50], beta=[0.9]), control=None)
        def coins(rng, size, *, n, beta, factor=1):
            return rng.binomial(n, 0.5, size) > n / 2 + n * made(n=n, beta=beta)

        return CLAIMS[made.theorem.key]
    finally:
        for registry, kept in zip((THEOREMS, CLAIMS), before, strict=True):
            registry.clear()
            registry.update(kept)


def look(claim, root=0, settings=16):
    return engine.search(claim, generator(root, claim.key, {}, "search", 0), settings)


@pytest.mark.parametrize("root", range(5))
def test_a_bound_that_is_false_at_small_levels_falls(root):
    verdict = look(deviations(20), root)
    assert verdict.outcome == REFUTED and verdict.evidence == "sampled"
    assert verdict.witness["setting"]["beta"] < 0.9
    assert "np.mean(outcomes) > " in verdict.witness["python"]


@pytest.mark.parametrize("root", range(5))
def test_a_true_bound_stands_and_says_what_was_tried(root):
    searched = look(deviations(2), root)
    assert searched.outcome == HOLDS
    assert searched.searched == {"tried": 16}


def test_only_fresh_trials_are_evidence(monkeypatch):
    """Of many settings at which the bound is attained one looks bad by chance; that look refutes nothing."""
    looks = []
    evidence = TailDecider.log_e
    monkeypatch.setattr(trials, "judge_setting", lambda claim, setting, rng: looks.append(setting))
    monkeypatch.setattr(TailDecider, "log_e", lambda self: (0.0, 100.0 + evidence(self)[1]))
    assert look(deviations(2)).outcome == HOLDS and len(looks) == 1


def test_what_is_given_up_changes_no_other_setting(monkeypatch):
    """How many trials a slow machine gives up leaves no trace."""
    whole = []
    monkeypatch.setattr(
        trials, "run_trials", lambda claim, setting, rng, decider: whole.append((setting, rng.bytes(8)))
    )
    first = look(deviations(2))

    def give_up(claim, setting, rng, decider):
        whole.append((setting, rng.bytes(8)))
        rng.bytes(100)
        raise TimeoutError

    monkeypatch.setattr(trials, "run_trials", give_up)
    assert look(deviations(2)) == first and whole[:16] == whole[16:]


def test_whole_numbers_stay_near_those_of_their_author(monkeypatch):
    assert trials.find_coordinates(deviations(2))["n"].high == 200
    drawn, run = [], trials.run_trials
    monkeypatch.setattr(
        trials, "run_trials", lambda claim, setting, *more: (drawn.append(setting), run(claim, setting, *more))
    )
    look(deviations(2))
    assert len(drawn) == 16 and all(1 <= setting["n"] <= 200 and 0 < setting["beta"] < 1 for setting in drawn)
