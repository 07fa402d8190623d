"""The graph of the ledger: acyclic, complete, as weak as its weakest link, and counted in words that differ."""

from dataclasses import replace

import pytest

from lemmata.bounds.catalogue.literature import LITERATURE, RELATIONS
from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS, SLIP
from lemmata.bounds.theorem import THEOREMS, require
from lemmata.experiments.conformance import accepted
from lemmata.experiments.engine.claims import claim, registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.ledger import graph
from lemmata.experiments.engine.ledger.ledger_rows import add_summaries, carry_controls, ledger, settle_links
from lemmata.experiments.engine.running.run import execute
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from tests.engine import toy

registry.load()

VERDICTS = {key: line.verdict for key, line in accepted.everything().items()}


def test_a_row_rests_on_rows_that_exist_and_hold():
    missing = {(key, link) for key, claim in CLAIMS.items() for link in claim.rests_on if link not in CLAIMS}
    assert not missing
    standing = [key for key in CLAIMS if VERDICTS[key] in (HOLDS, SLIP)]
    assert not {(key, link) for key in standing for link in CLAIMS[key].rests_on if VERDICTS[link] != HOLDS}


def test_nothing_rests_on_itself():
    assert graph.find_cycles(graph.graph_of_claims()) == []


def test_a_circle_is_found():
    assert graph.find_cycles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["d"], "e": []}) == ["b", "c", "d"]


def test_up_and_down_the_graph():
    links = {"theorem": ["lemma", "fact"], "lemma": ["fact"], "fact": [], "other": []}
    assert graph.find_reachable(["theorem"], links) == ["lemma", "fact"]
    assert graph.find_reachable(["fact"], graph.reverse_graph(links)) == ["theorem", "lemma"]
    assert graph.find_reachable(["other"], graph.reverse_graph(links)) == []


def row(key, *links, verdict=HOLDS, evidence="derivation", scope="everywhere", cites=()):
    """What the ledger needs of a row to see what it rests on."""
    fields = {"verdict": verdict, "evidence": evidence, "scope": scope, "cites": list(cites), "rests_on": list(links)}
    return {"key": key, "corrected_by": "", "kind": "inequality", "control": "", "note": ""} | fields


def settled(*rows):
    return {each["key"]: each for each in carry_controls(settle_links(rows))}


def test_a_row_is_as_weak_as_its_weakest_link():
    """Two steps away, and whatever the order of the rows."""
    rows = [row("a", "b", evidence="certificate"), row("b", "c"), row("c", evidence="sampled", scope="settings")]
    for order in (rows, rows[::-1]):
        made = settled(*order)
        assert {each["evidence"] for each in made.values()} == {"sampled"}
        assert {each["scope"] for each in made.values()} == {"settings"}
        assert set(map(graph.class_of, made.values())) == {"tested"}


def test_what_is_cited_below_is_cited_above():
    made = settled(row("a", "b", evidence="certificate"), row("b", cites=["Bartlett 1998"]), row("c"))
    assert made["a"]["cites"] == ["Bartlett 1998"]
    assert [graph.class_of(made[key]) for key in "abc"] == ["citing", "citing", "derived"]


@pytest.mark.parametrize(
    "below", [row("b", verdict="REFUTED"), row("b", verdict="OPEN"), row("b", "a"), row("b", "b"), row("other")]
)
def test_a_row_falls_with_what_it_rests_on(below):
    """Refuted, open, a circle, itself, or missing."""
    assert settled(row("a", "b"), below)["a"]["verdict"] == "INCONCLUSIVE"


def test_the_evidence_of_several_parts():
    """What holds rests on all parts; what is refuted on the worst alone."""
    common = {"id": "bms22.lemA.1", "reading": "printed", "parent": "", "label": "", "severity": "", "skipped": []}
    common |= dict.fromkeys(("cells", "cells_held", "cells_vacuous", "trials", "seconds", "cpu_seconds"), 0)
    parts = [row("x", evidence="sampled") | common | {"part": "x"}, row("y") | common | {"part": "y"}]
    assert add_summaries(parts)[-1]["evidence"] == "sampled"
    parts[1] |= {"verdict": "REFUTED"}
    assert add_summaries(parts)[-1]["evidence"] == "derivation"


@pytest.mark.parametrize(
    ("evidence", "scope", "cites", "expected"),
    [
        ("certificate", "everywhere", (), "machine-checked"),
        ("enumeration", "domain: n <= 9", (), "machine-checked"),
        ("enumeration", "settings", (), "tested"),
        ("derivation", "everywhere", (), "derived"),
        ("certificate", "everywhere", ("Bartlett 1998",), "citing"),
        ("sampled", "settings", ("Bartlett 1998",), "tested"),
    ],
)
def test_four_words_for_four_kinds_of_holding(evidence, scope, cites, expected):
    assert graph.class_of(row("a", evidence=evidence, scope=scope, cites=cites)) == expected


def test_a_slip_rests_on_its_corrected_row():
    with toy.registered() as claims:
        corner = require("beta <= 0", lambda beta: beta <= 0)
        fields = {"corner": corner, "corrected_by": "abgmu22.asm1/printed/coin"}
        claims["abgmu22.asm1/printed/false"] = replace(claims["abgmu22.asm1/printed/false"], **fields)
        store = Store()
        execute(list(claims.values()), store)
        rows = {each["key"]: each for each in ledger(store, LEDGER_ROOT)}
    assert rows["abgmu22.asm1/printed/false"]["rests_on"] == ["abgmu22.asm1/printed/coin"]


def test_the_literature_is_about_statements_that_exist():
    assert set(LITERATURE) <= set(library.ids) and len(LITERATURE) >= 20
    for entry in {entry for entries in LITERATURE.values() for entry in entries}:
        assert entry.relation in RELATIONS and entry.checked in ("text", "abstract", "citation")
        assert entry.says.endswith(".") and len(entry.reference) > 20


def test_a_summary_is_its_worst_part_and_adds_up_the_others():
    """`everywhere` where every part holds everywhere, `settings` where one does not; none for what does not hold."""
    common = {"id": "bms22.lemA.1", "reading": "printed", "parent": "", "label": "Lemma A.1", "severity": ""}
    common |= {"skipped": [1], "cells": 2, "cells_held": 1, "cells_vacuous": 1, "trials": 10, "control": "REFUTED"}
    common |= {"seconds": 0.25, "cpu_seconds": 0.25}
    parts = [row(name, scope="everywhere") | common | {"part": name} for name in "xyz"]
    *_, made = add_summaries(parts)
    sums = {"cells": 6, "trials": 30, "seconds": 0.75, "skipped": [1, 1, 1], "rests_on": ["x", "y", "z"]}
    title = "A relative deviation bound for the zero-one loss"
    expected = sums | {"scope": "everywhere", "control": "REFUTED", "title": title}
    assert {name: made[name] for name in expected} == expected
    parts[1] |= {"scope": "settings", "control": "HOLDS"}
    *_, made = add_summaries(parts)
    assert (made["scope"], made["control"]) == ("settings", "")
    parts[1] |= {"verdict": "NOT_A_CLAIM", "control": ""}  # a part that claims nothing needs no control
    *_, made = add_summaries(parts)
    assert made["control"] == "REFUTED"
    parts[2] |= {"verdict": "REFUTED", "note": "why"}
    *_, made = add_summaries(parts)
    assert (made["verdict"], made["scope"], made["note"]) == ("REFUTED", "", "worst part: z. why")


def test_rows_stand_by_their_statement_in_the_order_of_the_papers():
    keys = [
        "wzw25.lem6.4.s1/printed",
        "bms22.lemA.1/printed/thresholds",
        "wzw25.lem6.4/corrected",
        "bms22.lemA.1.s4/printed",
    ]
    assert list(graph.group_by_statement(keys).items()) == [
        ("bms22 Lemma A.1", ["bms22.lemA.1/printed/thresholds", "bms22.lemA.1.s4/printed"]),
        ("wzw25 Lemma 6.4", ["wzw25.lem6.4.s1/printed", "wzw25.lem6.4/corrected"]),
    ]


@pytest.mark.parametrize(
    ("key", "twin"),
    [
        ("wzw25.lem6.4/printed", "wzw25.lem6.4/corrected"),
        ("wzw25.lemA.5/printed/tail", "wzw25.lemA.5/corrected/tail"),
        ("wzw25.lemA.5/printed/mean", ""),  # it has none
        ("wzw25.lem6.4/corrected", ""),  # it is one
    ],
)
def test_a_printed_reading_is_corrected_by_that_of_the_same_part(key, twin):
    assert claim.find_twin(THEOREMS[key]) == twin
