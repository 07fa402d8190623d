"""Cases of balls in the shared checks: certain, refuted or undecided, and how their ratios make the tightness."""

import pytest
from flint import arb, ctx

from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED
from lemmata.experiments.checks.identity import decide_identity
from lemmata.experiments.checks.inequality import decide_inequality, equality, largest, spread, up_to_one
from lemmata.experiments.engine.claims import registry

HALF = arb(0.5, 1e-12)
OPTIONS = {"factor": 1, "evidence": "derivation", "scope": "everywhere"}


@pytest.mark.parametrize(
    ("right", "rounding", "outcome"),
    [(0.6, 0.0, HOLDS), (0.4, 0.0, REFUTED), (0.5, 0.0, INCONCLUSIVE), (0.5, 1e-9, HOLDS), (0.4, 1e-9, REFUTED)],
)
def test_a_ball_must_be_certainly_below_the_bound_up_to_rounding(right, rounding, outcome):
    assert decide_inequality([({}, HALF, right)], rounding=rounding, **OPTIONS).outcome == outcome


@pytest.mark.parametrize(
    ("right", "digits", "outcome"),
    [(0.5, 0, HOLDS), (0.5, 11, HOLDS), (0.5, 13, INCONCLUSIVE), (0.500001, 0, REFUTED), (1e-30, 11, REFUTED)],
)
def test_balls_are_equal_if_they_overlap_and_are_sharp(right, digits, outcome):
    assert decide_identity([({}, HALF, right)], rounding=0.0, digits=digits, **OPTIONS).outcome == outcome


@pytest.mark.parametrize(
    ("reading", "tightness"),
    [(largest, (0.5, 0.5)), (spread, (0.25, 0.5)), (up_to_one, (0.5, 1.0)), (equality, (1.0, 1.0))],
)
def test_the_tightness_is_read_off_the_ratios(reading, tightness):
    verdict = decide_inequality([({}, 1, 2), ({}, 1, 4)], rounding=0.0, tightness=reading, **OPTIONS)
    assert verdict.tightness == tightness


def test_a_check_that_is_left_halfway_leaves_the_precision_as_it_was():
    """Its generator holds a precision of its own when the first case that fails ends the check."""
    claims = [claim for claim in registry.load(["wzw25/run_counts"])["wzw25/run_counts"] if claim.style == "exact"]
    before, left = ctx.prec, set()
    for claim in claims:
        for factor in claim.control.factors if claim.control else (1,):
            outcome = claim.trial(**claim.arguments(claim.quick[0], factor, root=1, stream="main", index=0)).outcome
            left |= {outcome}
            assert ctx.prec == before, claim.key
    assert REFUTED in left
