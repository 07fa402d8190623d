"""What a run says against the published ledger, and what a smaller run leaves undecided without saying anything."""

import pytest

from lemmata.experiments.engine.ledger.contradictions import contradictions


def row(key, verdict, reason="", cells=2, trials=100, rests_on=(), where=None):
    links = {"rests_on": list(rests_on), "corrected_by": "", "where": {"claim": "x.py:1"} if where is None else where}
    return {"key": key, "verdict": verdict, "reason": reason, "kind": "tail", "cells": cells, "trials": trials} | links


def against(before, now):
    return contradictions([now], {"a": before})


@pytest.mark.parametrize(
    ("before", "now", "reason", "clash"),
    [
        ("HOLDS", "REFUTED", "", True),
        ("VACUOUS", "REFUTED", "", True),
        ("REFUTED", "HOLDS", "", True),
        ("SLIP", "VACUOUS", "", True),
        ("HOLDS", "INCONCLUSIVE", "UNCONFIRMED", True),
        ("HOLDS", "INCONCLUSIVE", "CONTROL_FAILED", True),
        ("HOLDS", "INCONCLUSIVE", "BUDGET", True),
        ("HOLDS", "INCONCLUSIVE", "UNSUPPORTED", True),
        ("HOLDS", "VACUOUS", "", True),
        ("SLIP", "INCONCLUSIVE", "CORNER", True),
        ("REFUTED", "INCONCLUSIVE", "UNCONFIRMED", True),
        ("VACUOUS", "INCONCLUSIVE", "FAILED", True),
        ("HOLDS", "HOLDS", "", False),
        ("SLIP", "REFUTED", "", False),
        ("VACUOUS", "HOLDS", "", False),
        ("INCONCLUSIVE", "HOLDS", "", False),
        ("INCONCLUSIVE", "INCONCLUSIVE", "BUDGET", False),
        ("OPEN", "INCONCLUSIVE", "BUDGET", False),
    ],
)
def test_what_counts_as_a_contradiction(before, now, reason, clash):
    said = against(row("a", before), row("a", now, reason))
    assert said == ([f"a was {before}, is {now}{f' ({reason})' * bool(reason)}"] if clash else [])


@pytest.mark.parametrize(
    ("before", "now", "clash"),
    [
        (row("a", "HOLDS", trials=900), row("a", "INCONCLUSIVE", "BUDGET"), False),  # a deep run had more trials
        (row("a", "HOLDS", trials=0), row("a", "INCONCLUSIVE", "BUDGET", trials=0), True),  # a certificate has none
        (row("a", "HOLDS", trials=900), row("a", "INCONCLUSIVE", "UNCONFIRMED"), True),
        (row("a", "HOLDS", cells=5), row("a", "VACUOUS"), False),
        (row("a", "REFUTED", cells=5), row("a", "INCONCLUSIVE", "TIGHT"), False),  # the refuted setting was not tried
        (row("a", "REFUTED", cells=5), row("a", "INCONCLUSIVE", "UNCONFIRMED"), True),  # here too it is refuted
        (row("a", "REFUTED", cells=5), row("a", "HOLDS"), True),
        (row("a", "HOLDS", cells=5), row("a", "OPEN", cells=0), False),  # no setting of the quick profile is admissible
        (row("a", "HOLDS"), row("a", "OPEN", cells=0, where={}), True),  # the record is there, and its claim is gone
    ],
)
def test_what_a_smaller_run_explains_is_no_contradiction(before, now, clash):
    assert bool(against(before, now)) == clash


def test_what_rests_on_an_undecided_row_waits_with_it():
    before = {key: row(key, "HOLDS", trials=900) for key in "abcd"}
    below = row("a", "INCONCLUSIVE", "BUDGET")
    rest = [
        row("b", "INCONCLUSIVE", "UNSUPPORTED", rests_on="a"),
        row("c", "INCONCLUSIVE", "UNSUPPORTED", rests_on="b"),
    ]
    other = row("d", "INCONCLUSIVE", "UNSUPPORTED", rests_on="e")
    assert contradictions([*rest, below, other], before) == ["d was HOLDS, is INCONCLUSIVE (UNSUPPORTED)"]


def test_a_row_that_is_gone_is_missed_where_it_was_asked_for():
    before = {"a": row("a", "HOLDS"), "b": row("b", "OPEN"), "c": row("c", "HOLDS")}
    assert contradictions([], before, lambda row: row["key"] != "c") == ["a was HOLDS, is gone"]
    assert contradictions([], before) == []


def test_a_summary_says_nothing_that_its_parts_do_not():
    assert against(row("a", "HOLDS"), row("a", "REFUTED") | {"kind": "summary"}) == []
