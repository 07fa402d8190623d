"""The graph of the ledger: acyclic, complete, as weak as its weakest link, and counted in words that differ.

When a row falls, everything that rests on it falls, at however many removes, and nothing else. Every statement that
the prose of a row names is a link, or marked as a remark.
"""

import itertools
from dataclasses import replace
from graphlib import TopologicalSorter

import pytest

from lemmata.bounds.catalogue.literature import LITERATURE, RELATIONS
from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS, SLIP
from lemmata.bounds.theorem import THEOREMS, require
from lemmata.experiments.conformance import accepted
from lemmata.experiments.engine.claims import claim
from lemmata.experiments.engine.ledger import graph, prose_links
from lemmata.experiments.engine.ledger.ledger_rows import add_summaries, carry_controls, settle_links
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.claims import CLAIMS
from tests.engine import toy

VERDICTS = {key: line.verdict for key, line in accepted.everything().items()}


def test_a_row_rests_on_rows_that_exist_and_hold():
    assert not {(key, link) for key, claim in CLAIMS.items() for link in claim.rests_on if link not in CLAIMS}
    standing = [key for key in CLAIMS if VERDICTS[key] in (HOLDS, SLIP)]
    assert not {(key, link) for key in standing for link in CLAIMS[key].rests_on if VERDICTS[link] != HOLDS}


def test_nothing_rests_on_itself():
    TopologicalSorter(graph.graph_of_claims()).prepare()  # which names a circle in its error


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
    assert summed(row("x", evidence="sampled"), row("y"))["evidence"] == "sampled"
    assert summed(row("x", evidence="sampled"), row("y", verdict="REFUTED"))["evidence"] == "derivation"


def summed(*parts):
    """The summary of parts of one statement, each of one cell that held and one that was vacuous."""
    common = {"id": "bms22.lemA.1", "reading": "printed", "parent": "", "label": "Lemma A.1", "severity": ""}
    common |= {"skipped": [1], "cells": 2, "cells_held": 1, "cells_vacuous": 1, "trials": 10}
    common |= {"seconds": 0.25, "cpu_seconds": 0.25}
    return add_summaries([part | common | {"part": part["key"]} for part in parts])[-1]


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


def test_a_slip_rests_on_its_corrected_row(claims):
    corner = require("beta <= 0", lambda beta: beta <= 0)
    fields = {"corner": corner, "corrected_by": "abgmu22.asm1/printed/coin"}
    claims["abgmu22.asm1/printed/false"] = replace(claims["abgmu22.asm1/printed/false"], **fields)
    rows = toy.by_key(toy.decided(claims, root=TEST_ROOT))
    assert rows["abgmu22.asm1/printed/false"]["rests_on"] == ["abgmu22.asm1/printed/coin"]


def test_the_literature_is_about_statements_that_exist():
    assert set(LITERATURE) <= set(library.ids) and len(LITERATURE) >= 20
    for entry in {entry for entries in LITERATURE.values() for entry in entries}:
        assert entry.relation in RELATIONS and entry.checked in ("text", "abstract", "citation")
        assert entry.says.endswith(".") and len(entry.reference) > 20


def test_a_summary_is_its_worst_part_and_adds_up_the_others():
    """`everywhere` where every part holds everywhere, `settings` where one does not; none for what does not hold."""
    x, y, z = (row(name) | {"control": "REFUTED"} for name in "xyz")
    made = summed(x, y, z)
    sums = {"cells": 6, "trials": 30, "seconds": 0.75, "skipped": [1, 1, 1], "rests_on": ["x", "y", "z"]}
    title = "A relative deviation bound for the zero-one loss"
    expected = sums | {"scope": "everywhere", "control": "REFUTED", "title": title}
    assert {name: made[name] for name in expected} == expected
    y |= {"scope": "settings", "control": "HOLDS"}
    made = summed(x, y, z)
    assert (made["scope"], made["control"]) == ("settings", "")
    y |= {"verdict": "NOT_A_CLAIM", "control": ""}  # a part that claims nothing needs no control
    assert summed(x, y, z)["control"] == "REFUTED"
    made = summed(x, y, z | {"verdict": "REFUTED", "note": "why"})
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


FALSE, HEADS = "abgmu22.asm1/printed/false", "abgmu22.asm1/printed/coin"
MEAN, RESTS = "abgmu22.asm1/printed/mean", "abgmu22.asm2/printed/rests"


def outcomes(order=None, **given):
    """The rows of the toy claims, each resting on what `given` says, with the claims registered in some order."""
    with toy.registered() as claims:
        chosen = {key: replace(claims[key], given=tuple(given.get(key.split("/")[-1], ()))) for key in claims}
        claims.clear()
        claims.update({key: chosen[key] for key in (order or chosen)})
        return toy.by_key(toy.decided(claims, root=TEST_ROOT))


@pytest.mark.parametrize("order", list(itertools.permutations([FALSE, HEADS, MEAN, RESTS])))
def test_a_cone_falls_in_whatever_order(order):
    rows = outcomes(order, rests=[MEAN], mean=[FALSE])
    assert rows[FALSE]["verdict"] == "REFUTED"
    assert rows[MEAN]["verdict"] == rows[RESTS]["verdict"] == "INCONCLUSIVE"
    assert rows[MEAN]["note"] == f"depends on {FALSE}, which is REFUTED"
    assert rows[RESTS]["note"] == f"depends on {MEAN}, which is INCONCLUSIVE"
    assert rows[HEADS]["verdict"] == "HOLDS", "it rests on nothing that fell"


def test_a_row_is_no_better_than_the_weakest_that_it_rests_on():
    alone = outcomes()[RESTS]
    assert (alone["verdict"], alone["evidence"], alone["scope"]) == ("HOLDS", "tested", "settings")
    rows = outcomes(rests=[MEAN], mean=[HEADS])
    assert rows[RESTS]["verdict"] == rows[MEAN]["verdict"] == "HOLDS"
    assert rows[MEAN]["evidence"] == "sampled"
    assert (rows[RESTS]["evidence"], rows[RESTS]["scope"]) == ("asserted", "settings"), "nothing calls what it is given"


def test_what_is_missing_holds_nothing_up():
    row = outcomes(rests=["abgmu22.asm2/corrected/nobody"])[RESTS]
    assert row["verdict"] == "INCONCLUSIVE" and "missing" in row["note"]


def test_one_fallen_link_of_several_is_enough():
    rows = outcomes(rests=[HEADS, FALSE], mean=[HEADS])
    assert rows[RESTS]["verdict"] == "INCONCLUSIVE" and rows[MEAN]["verdict"] == "HOLDS"


LINKS = graph.graph_of_claims()
TURNED = graph.reverse_graph(LINKS)
STANDING = [key for key, line in accepted.everything().items() if line.verdict in (HOLDS, SLIP) and key in CLAIMS]
STEP = "wzw25.lemB.2.s2/printed"  # Lemma B.1 (a) for w


def unlinked(key, links=LINKS, **fields):
    """What is found of a claim whose note, say, is another."""
    return prose_links.find_unlinked(replace(CLAIMS[key], **fields), links, graph.reverse_graph(links))


def test_prose_and_links_agree():
    assert len(STANDING) > 700
    found = {key: names for key in STANDING if (names := prose_links.find_unlinked(CLAIMS[key], LINKS, TURNED))}
    assert not found, "a row names what it does not rest on; mark a remark by cf."


def test_a_link_that_is_taken_away_is_missed():
    assert unlinked(STEP, LINKS | {STEP: ()}) == ["wzw25.lemB.1"]


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("wzw25.thm6.7.s5/corrected", ["wzw25.thm6.7.s4"]),
        ("wzw25.lemK.1/explicit/sharp", ["part profile"]),
        ("bms22.lemF.1.s4/corrected", ["bms22.lemF.1.t4"]),
    ],
)
def test_a_step_or_a_part_that_a_derivation_names_is_a_link(key, found):
    """These rows named steps of their own statement and rested on none of them."""
    links = {row: () if row == key else LINKS[row] for row in LINKS}
    alone = {row: tuple(link for link in rests if link != key) for row, rests in links.items()}
    assert unlinked(key) == [] and unlinked(key, alone) == found


@pytest.mark.parametrize(
    ("note", "found"),
    [
        ("by Lemma F.2", ["wzw25.lemF.2"]),
        ("by Lemma B.1", []),  # it rests on that
        ("Lemmas B.2 and 5.1 rest on it", []),  # the one is its own statement, the other rests on it
        ("twice what is needed (cf. Lemma F.2)", []),
        ("cf. Lemmas F.1 and F.2; but not Lemma K.4", ["wzw25.lemK.4"]),
        ("as Definition 2.1 says", []),  # a definition states nothing
        ("by Theorems 4.1 and 6.5", ["wzw25.thm4.1", "wzw25.thm6.5"]),
        ("by Lemma A.2 of bms22", ["bms22.lemA.2"]),
        ("by bms22.lemA.2/explicit", ["bms22.lemA.2"]),
        ("Bartlett 1998, Theorem 4.1, and Dwork (2014), Lemma F.2", []),
    ],
)
def test_what_a_note_names(note, found):
    assert unlinked(STEP, note=note) == found


def test_a_place_of_use_may_be_named():
    note = "the last display of Lemma F.2"
    assert (
        unlinked(STEP, note=note, used={"wzw25.lemF.2": ()})
        == unlinked(STEP, note=note, restated=("wzw25.lemF.2",))
        == []
    )


def test_a_row_about_a_law_leaves_the_derivation_to_its_statement():
    key = "wzw25.lem6.3/printed/impl:jl_gd_last"
    assert "Lemma C.1" in CLAIMS[key].theorem.formula.__doc__ and "Lemma C.1" not in " ".join(
        prose_links.collect_prose(CLAIMS[key])
    )
