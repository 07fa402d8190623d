"""The published ledger: where it is looked for, how older ones are read, and what a run says against it.

A smaller run may leave undecided what a larger one decided without saying anything.
"""

from types import SimpleNamespace

import pytest

from lemmata.bounds.library import PaperError, library
from lemmata.experiments.conformance import accepted
from lemmata.experiments.engine.claims.verdict import Verdict
from lemmata.experiments.engine.ledger import published
from lemmata.experiments.engine.ledger.contradictions import contradictions
from lemmata.experiments.engine.running.store import decode, encode


def ledger(path, key):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"key,root\n{key},5\n")
    return path


def test_a_checkouts_own_ledger_comes_before_the_installed_one(tmp_path, monkeypatch):
    monkeypatch.setattr(published, "SHIPPED", tmp_path / "nowhere")
    monkeypatch.setattr(published.library, "papers", {})  # none is installed
    assert published.read_rows(tmp_path) == {}
    monkeypatch.setattr(published, "SHIPPED", ledger(tmp_path / "share" / "ledger.csv", "installed"))
    assert list(published.read_rows(tmp_path)) == ["installed"]
    ledger(tmp_path / "published" / "ledger.csv", "own")
    assert list(published.read_rows(tmp_path)) == ["own"]
    assert published.read_rows(tmp_path)["own"]["root"] == 5


PAPER = 'id = "signs"\nauthors = ["Ada Nobody"]\ntitle = "On Signs"\nyear = 2026\n[contents]\n"lem1" = "Lemma 1"\n'


@pytest.fixture
def installed(tmp_path):
    """(a folder with a paper, the same as it is installed), with a record that also speaks of a paper of others."""
    for place in ("own", "site"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "paper.toml").write_text(PAPER)
    record = "key,paper,root\nsigns.lem1/printed,signs,5\nwzw25.lem6.4/printed,wzw25,5\n"
    (tmp_path / "site" / "ledger.csv").write_text(record)
    library.add(tmp_path / "site", "signs")
    yield tmp_path / "own", tmp_path / "site"
    library.forget("signs")
    library.replaced.clear()


def test_an_installed_paper_brings_its_own_verdicts_and_no_others(installed):
    roots = {key: row["root"] for key, row in published.read_rows("reports").items()}
    assert roots["signs.lem1/printed"] == 5 and roots["wzw25.lem6.4/printed"] != 5


def test_a_folder_takes_the_place_of_an_installed_paper(installed):
    own, site = installed
    paper = library.add(own)
    assert library.papers["signs"] is paper and paper.folder == own and not paper.is_installed
    assert library.replaced == {"signs": site} and "signs.lem1/printed" not in published.read_rows("reports")
    with pytest.raises(PaperError, match="id must be unique, 'signs' is also in"):
        library.add(site, "signs")


def test_a_failed_control_is_read_by_its_former_name(tmp_path):
    """NO_TEETH of version 0.2 in a published ledger, an accepted table and a store, and other reasons as they are."""
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "ledger.csv").write_text("key,reason\na,NO_TEETH\nb,BUDGET\nc,\n")
    rows = published.read_rows(tmp_path)
    assert [rows[key]["reason"] for key in "abc"] == ["CONTROL_FAILED", "BUDGET", ""]
    head = ",".join(accepted.HEAD)
    (tmp_path / "accepted.csv").write_text(f"{head}\na,INCONCLUSIVE,NO_TEETH,,,1\nb,HOLDS,,,,1\n")
    lines = accepted.read(SimpleNamespace(folder=tmp_path))
    assert [lines[key].reason for key in "ab"] == ["CONTROL_FAILED", ""]
    old = encode(Verdict("INCONCLUSIVE", "CONTROL_FAILED")).replace(b"CONTROL_FAILED", b"NO_TEETH")
    assert decode(old).reason == "CONTROL_FAILED"


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
