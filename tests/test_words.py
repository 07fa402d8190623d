"""Readers meet plain words: what CONTRIBUTING lists as ours stands on no page, in no headline and in no sentence."""

import re
from pathlib import Path

import pytest

from lemmata.bounds.verdicts import HOLDS, INCONCLUSIVE, REFUTED, SLIP
from lemmata.experiments.engine import explain
from lemmata.experiments.engine.claim import CLAIMS
from lemmata.experiments.engine.graph import CLASSES
from lemmata.experiments.engine.headline import FALLEN, charity, phrase
from lemmata.experiments.report import errata, words
from tests.engine.test_headline import ROW

ROOT = Path(__file__).parents[1]
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
    said = [*FALLEN.values(), *CLASSES.values(), *words.REASONS.values(), *explain.EVIDENCE.values()]
    said += [*errata.SEVERITY_WORDS.values(), *errata.CLASS_WORDS.values()]
    row = ROW | {
        "reason": "",
        "corner": "n >= 2",
        "misprint": "",
        "used": ["bms22.thm3.1"],
        "restated": ["bms22.thm3.1"],
    }
    said += [charity(row | {"verdict": SLIP}), charity(row | {"verdict": INCONCLUSIVE, "undecided": "n = 1"})]
    said += [
        phrase(row | {"verdict": v, "reason": "CORNER", "severity": ""}) for v in (HOLDS, SLIP, REFUTED, INCONCLUSIVE)
    ]
    said.append(explain.control_of({"smallest_caught": "n / 2", "control": REFUTED}))
    witness = {"setting": {}, "claimed": "truth <= C g with one C for all", "found": "truth / g", "ratios": [1.0, 2.0]}
    return [*said, explain.in_a_sentence({"kind": "rate", "witness": witness})]


def test_the_list_is_read():
    assert len(OURS) >= 5 and met("All but a Corner of it") == ["corner"] and not met("an edge case")


@pytest.mark.parametrize("path", [*TEMPLATES, ROOT / "README.md"], ids=lambda path: path.name)
def test_pages_speak_plainly(path):
    text = re.sub(r"{[{%].*?[%}]}", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert met(text) == []


def test_sentences_about_rows_speak_plainly():
    assert [text for text in sentences() if met(text)] == []


def test_findings_speak_plainly():
    """What heads a page where a row is refuted; our notes below it may be longer, and say more."""
    assert CLAIMS and [key for key, claim in CLAIMS.items() if met(claim.finding)] == []
