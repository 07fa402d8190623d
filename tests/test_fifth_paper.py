"""A fifth paper is one more folder: contents, bounds, claims, verdicts and its page, with no other change."""

import sys
from pathlib import Path

import pytest

from lemmata import bounds, experiments
from lemmata.bounds import papers
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine import registry
from lemmata.experiments.engine.claim import CLAIMS
from lemmata.experiments.engine.explain import explained
from lemmata.experiments.engine.ledger import ledger, ledger_with_cells
from lemmata.experiments.engine.names import resolve
from lemmata.experiments.engine.run import execute
from lemmata.experiments.engine.store import Store
from lemmata.experiments.report.site import pages

FOLDER = Path(__file__).parent / "fifth_paper"


@pytest.fixture
def fifth(monkeypatch):
    """The invented paper beside the four, and nothing left of it afterwards."""
    registries = (papers.PAPERS, papers.IDS, papers.MODULES, THEOREMS, CLAIMS)
    before = [dict(each) for each in registries]
    for package in (bounds, experiments):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(FOLDER / package.__name__)])
    papers.read("inv25")
    yield registry.load(["inv25/coins"])["inv25/coins"]
    for each, saved in zip(registries, before, strict=True):
        each.clear()
        each.update(saved)
    for name in [name for name in sys.modules if ".inv25" in name]:
        del sys.modules[name]


def test_a_package_without_a_contents_page_is_no_paper(fifth):
    read = dict(papers.PAPERS)
    papers.read("exact")
    assert read == papers.PAPERS and list(read)[-1] == "inv25"


def test_a_fifth_paper_goes_through_contents_claim_verdict_and_page(fifth, tmp_path):
    store = Store()
    execute(fifth, store, root=1)
    rows = {row["key"]: row for row in ledger(store, 1, fifth)}
    assert {key: row["verdict"] for key, row in rows.items()} == {
        "inv25.lem1/printed": "HOLDS",
        "inv25.lem2/printed": "REFUTED",
        "inv25.lem2/corrected": "HOLDS",
        "inv25.thm3/printed": "HOLDS",
    }
    assert all(row["control"] == "REFUTED" for row in rows.values())
    assert rows["inv25.lem2/printed"]["corrected_by"] == "inv25.lem2/corrected"
    assert rows["inv25.lem2/printed"]["witness"]["setting"] == {"n": 1}
    assert resolve("inv25 lemma 2") == ("id", "inv25.lem2")
    assert "NO, refuted as printed: a wrong constant" in explained("inv25.lem2", list(rows.values()))
    site, _ = pages(ledger_with_cells(store, 1, fifth), 1, tmp_path)
    assert (
        "On Coins and Odd Numbers" in site["errata/inv25.html"] and "Off by one" in site["statements/inv25.lem2.html"]
    )


def test_it_is_small():
    assert sum(len(path.read_text().splitlines()) for path in FOLDER.rglob("*.py")) < 100
