"""Every statement that the prose of a row names is a link of the graph, or marked as a remark."""

from dataclasses import replace

import pytest

from lemmata.bounds.statement.verdicts import HOLDS, SLIP
from lemmata.experiments.conformance import accepted
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.ledger import graph, prose_links

registry.load()

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
