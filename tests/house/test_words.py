"""Readers meet plain words: what CONTRIBUTING lists as ours stands on no page, in no headline and in no sentence."""

import re
from pathlib import Path

import pytest

from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED, SLIP
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.claims.verdict import REASONS
from lemmata.experiments.engine.front import explanation
from lemmata.experiments.engine.ledger import published
from lemmata.experiments.engine.ledger.graph import CLASSES
from lemmata.experiments.engine.ledger.headline import FALLEN, LONGEST, describe_charity, describe_verdict
from lemmata.experiments.engine.ledger.sentences import UNNAMED, describe_quantity, describe_witness
from lemmata.experiments.report import errata
from tests.engine.ledger.test_headline import ROW

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "docs" / f"{name}.md" for name in ("index", "audit-others")]  # the others are for who adds to this
TEMPLATES = sorted((ROOT / "experiments" / "report" / "templates").glob("*.j2"))


def table():
    """[(our words, those for readers)] of CONTRIBUTING."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Words\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", section, re.MULTILINE)[1:]


OURS = [ours for ours, _ in table()]


def met(text):
    """Which of our words stand in a text."""
    plain = " ".join(text.lower().split())
    return [ours for ours in OURS if re.search(rf"\b{re.escape(ours)}", plain)]


def sentences():
    """What engine and pages say of rows of every kind."""
    tables = (explanation.FIELDS, explanation.REASONS, explanation.EVIDENCE, FALLEN, CLASSES)
    said = [words for table in (*tables, errata.SEVERITY_WORDS, errata.CLASS_WORDS) for words in table.values()]
    row = ROW | {
        "reason": "",
        "corner": "n >= 2",
        "misprint": "",
        "used": ["bms22.thm3.1"],
        "restated": ["bms22.thm3.1"],
    }
    said += [
        describe_charity(row | {"verdict": SLIP}),
        describe_charity(row | {"verdict": INCONCLUSIVE, "undecided": "n = 1"}),
    ]
    said += [
        describe_verdict(row | {"verdict": v, "reason": "CORNER", "severity": ""})
        for v in (HOLDS, SLIP, REFUTED, INCONCLUSIVE)
    ]
    said.append(explanation.describe_control({"smallest_caught": "n / 2", "control": REFUTED}))
    witness = {"setting": {}, "claimed": "truth <= C g with one C for all", "found": "truth / g", "ratios": [1.0, 2.0]}
    return [*said, describe_witness({"key": "a/printed", "kind": "rate", "witness": witness})]


def test_every_reason_has_its_words():
    assert set(explanation.REASONS) == set(REASONS)


def test_the_list_is_read():
    assert len(OURS) >= 5 and met("All but a Corner of it") == ["corner"] and not met("an edge case")


@pytest.mark.parametrize("path", [*TEMPLATES, ROOT / "README.md", *DOCS], ids=lambda path: path.name)
def test_pages_speak_plainly(path):
    text = re.sub(r"{[{%].*?[%}]}", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert met(text) == []


def test_sentences_about_rows_speak_plainly():
    assert [text for text in sentences() if met(text)] == []


def counterexamples():
    """(row, its published witness) of every row whose counterexample is told by numbers or by a family of settings."""
    ours = {paper.id for paper in library.house}
    for key, row in published.read_rows("reports").items():
        if row["paper"] not in ours:
            continue
        shown = row["witness"] or {}
        numbers = all(isinstance(shown.get(side), int | float) for side in ("claimed", "found"))
        told = "log_ratio" not in shown and (numbers or str(shown.get("claimed")).startswith("truth <= C g"))
        if row["reading"] == "printed" and row["kind"] != "summary" and told:
            yield key, row


def test_a_counterexample_says_of_what_its_numbers_are():
    """Not `the left side`: the second moment of a loss, the probability that the selection fails, ..."""
    found = [(key, describe_quantity(row)) for key, row in counterexamples()]
    assert len(found) > 150
    assert [key for key, what in found if what in UNNAMED.values() or what == "the left side"] == []


@pytest.mark.parametrize("paper", library.house, ids=lambda paper: paper.id)
def test_words_of_a_paper_are_about_rows_of_it(paper):
    """A title for every statement, none that only a label would make, and no name of a quantity that no row bounds.

    No title has quotation marks of code: `empirical` is an argument of ours; a title says what it is.
    """
    assert paper.titles.keys() == paper.contents.keys()
    assert not [title for title in paper.titles.values() if re.search(r"\.$|`", title) or len(title) > LONGEST + 20]
    named = [*paper.bounded_above, *paper.bounded_below]
    assert len(named) == len(set(named)) and set(named) <= CLAIMS.keys()


LEANING = re.compile(
    r"^(the same\b|twice that|half of that|term \(|case \d)"
    r"|\b(inside|under) (the |its )?(soft )?O\b|O~?\(\.\)|\bmultipl\w+ at\b|right-hand side|next step|by s\d|\(s\d",
    re.IGNORECASE,
)


def test_a_title_leans_on_nothing():
    """The first line of a record is met alone: in the ledger, in `explain`, in the API reference."""
    assert LEANING.search("The same with 2m in place of m") and LEANING.search("What stands inside O(.)")
    titles = {key: theorem.title for key, theorem in THEOREMS.items()}
    assert [(key, title) for key, title in titles.items() if LEANING.search(title)] == []
    assert [(key, title) for key, title in titles.items() if len(title.split()) < 5] == []


def test_what_is_said_of_a_row_speaks_plainly():
    """Its title, what is wrong with it, our note, where it is true, and what a paper's own page of words says."""
    said = [(key, theorem.title) for key, theorem in THEOREMS.items()]
    for key, claim in CLAIMS.items():
        corner = claim.corner.range if claim.corner else ""
        said += [(key, text) for text in (claim.finding, claim.note, claim.misprint, claim.undecided, corner)]
    for paper in library.house:
        tables = (paper.titles, paper.letters, paper.edits, paper.bounded_above, paper.bounded_below)
        said += [item for table in tables for item in table.items()]
    assert len(said) > 5000 and [(key, text) for key, text in said if met(text)] == []
