"""A fifth paper is a folder anywhere: contents, statements, claims, verdicts and pages, with no other change."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest

from lemmata.bounds.library import PaperError, library
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.claims.claim_names import resolve, select
from lemmata.experiments.engine.front.explanation import explain_statement
from lemmata.experiments.engine.ledger import graph, row_cache
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.running.run import execute
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs
from lemmata.experiments.report.site import make_pages

FOLDER = Path(__file__).parent / "fifth_paper"


@pytest.fixture
def added():
    """Adds folders to the library; nothing is left of them afterwards."""
    before = dict(THEOREMS), dict(CLAIMS)
    known = set(library.papers)
    yield library.add
    for id in set(library.papers) - known:
        forgotten(id, before)


@pytest.fixture
def copied(tmp_path):
    return shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)


def forgotten(id, before):
    """Take a paper out of the library, its modules out of memory, and its rows from what was registered `before`."""
    library.forget(id)
    for name in [name for name in sys.modules if name.startswith(f"lemmata_papers.{id}")]:
        del sys.modules[name]
    for registered, saved in zip((THEOREMS, CLAIMS), before, strict=True):
        registered.clear()
        registered.update(saved)


def test_a_folder_goes_through_contents_claim_verdict_and_page(added, tmp_path):
    paper = added(FOLDER)
    claims = [claim for group in registry.load(registry.list_modules([paper])).values() for claim in group]
    store = Store()
    programs.confirm(execute(claims, store, root=1), store)
    rows = {row["key"]: row for row in ledger(store, 1, papers=[paper])}
    assert {key: row["verdict"] for key, row in rows.items()} == {
        "inv25.lem1/printed": "HOLDS",
        "inv25.lem2/printed": "REFUTED",
        "inv25.lem2/corrected": "HOLDS",
        "inv25.thm3/printed": "HOLDS",
    }
    assert all(row["control"] == "REFUTED" for row in rows.values())
    assert rows["inv25.lem2/printed"]["corrected_by"] == "inv25.lem2/corrected"
    assert rows["inv25.lem2/printed"]["witness"]["setting"] == {"n": 1}
    assert rows["inv25.lem2/printed"]["where"] == {"bound": "coins.py:14", "claim": "coins_checks.py:20"}
    assert resolve("inv25 lemma 2") == resolve("lem2", [paper]) == ("id", "inv25.lem2")
    assert "Lemma 2: off by one." in explain_statement("inv25.lem2", list(rows.values()), graph.graph_of_claims())
    site, _ = make_pages(row_cache.recall_or_fold(store, 1, None, [paper]), 1, tmp_path, papers=[paper])
    assert "<h1>On Coins and Odd Numbers</h1>" in site["index.html"] and "Nobody 2025" in site["errata/inv25.html"]
    assert "Off by one" in site["statements/inv25.lem2.html"]
    assert {path for path in site if path.endswith(".html")} == {
        *("index.html", "ledger.html", "verdicts.html", "rests.html", "errata/index.html", "errata/inv25.html"),
        "errata/inv25-letter.html",
        *(f"statements/inv25.{id}.html" for id in ("lem1", "lem2", "thm3")),
    }


IMPORTS = {
    "beside it": "from tails import level\nassert level() > 0",
    "by its module": "import tails as t\nassert t.level() > 0",
    "inside": "def shown():\n    import tails\n    return tails.level()\nassert shown() > 0",
    "in a package": "from kit import more\nassert more.level() > 0",
    "by a long name": "import kit.more\nassert kit.more.level() > 0",
    "by what it names": "from kit.more import level\nassert level() > 0",
}


def digested(added, folder, python, number):
    """The digest of a program under Lemma 2 of the paper in `folder`, whose only helper has a `number` inside."""
    (folder / "kit").mkdir(exist_ok=True)
    (folder / "kit" / "__init__.py").touch()
    (folder / "deep.py").write_text(f"def number():\n    return {number}\n")
    (folder / "tails.py").write_text("def level():\n    from deep import number\n    return number()\n")
    (folder / "kit" / "more.py").write_text("import deep\n\n\ndef level():\n    return deep.number()\n")
    importlib.invalidate_caches()
    paper = added(folder)
    claims = [claim for group in registry.load(registry.list_modules([paper])).values() for claim in group]
    return programs.digest_program(next(claim for claim in claims if claim.key == "inv25.lem2/printed"), python, "{}")


@pytest.mark.parametrize("how", IMPORTS)
def test_what_only_a_program_imports_counts(added, tmp_path, monkeypatch, how):
    """What `tails` or `kit.more` calls is changed, in modules that no statement and no check imports."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = dict(THEOREMS), dict(CLAIMS)
    digests = []
    for number in (1, 2, 1):
        folder = shutil.copytree(FOLDER, tmp_path / "paper", dirs_exist_ok=True)
        digests.append(digested(added, folder, IMPORTS[how], number))
        forgotten("inv25", before)
    assert digests[0] == digests[2] != digests[1]


def test_a_paper_is_known_once(added, tmp_path):
    assert added(FOLDER) is added(FOLDER)
    other = shutil.copytree(FOLDER, tmp_path / "copy")
    with pytest.raises(PaperError, match=r"paper\.toml: id must be unique, .inv25. is also in .*fifth_paper"):
        added(other)
    with pytest.raises(PaperError, match=r"paper\.toml does not exist; `lemmata new-paper NAME` writes one"):
        added(tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('id = "inv25"', 'id = "Inv 25"', "id must be a lower-case letter followed by .*, got 'Inv 25'"),
        ('title = "On Coins and Odd Numbers"', "", "title is missing"),
        ("year = 2025", 'year = "2025"', "year must be an integer, got '2025'"),
        ("authors = [", "autors = [", "autors is unknown; did you mean authors?"),
        ('"lem1" = "Lemma 1"', "lem1 = Lemma 1", "quote the ids"),
        ("year = 2025", "year = of 2025", r"Invalid value \(at line 4, column 8\)$"),
        ('"lem1" = "Lemma 1"', '"lem1" = 1', "contents.lem1 must be a label, .*, got 1"),
        (
            '"lem1" = "Lemma 1"',
            '"lem1" = {label = "Lemma 1", source = "x"}',
            r"\[sources.x\] is missing",
        ),
    ],
)
def test_a_broken_page_is_one_line_with_its_file(added, tmp_path, before, after, said):
    page = (FOLDER / "paper.toml").read_text()
    assert before in page
    (tmp_path / "paper.toml").write_text(page.replace(before, after))
    with pytest.raises(PaperError, match=rf"{tmp_path}/paper\.toml.*{said}") as error:
        added(tmp_path)
    assert "\n" not in str(error.value)


def test_a_module_that_raises_is_one_line_with_its_place(added, copied):
    with (copied / "coins.py").open("a") as file:
        file.write("\n\nSUM = 1 / 0\n")
    with pytest.raises(PaperError, match=rf"^{copied}/coins\.py:\d+: ZeroDivisionError: division by zero$"):
        registry.load(registry.list_modules([added(copied)]))


@pytest.mark.parametrize("name", ["conftest", "random", "numpy"])
def test_a_module_with_the_name_of_another_is_refused_when_it_is_read(added, copied, name):
    """Programs of counterexamples would import the other one, and pytest reads its conftest.py first."""
    (copied / "coins_checks.py").unlink()
    (copied / "coins.py").rename(copied / f"{name}.py")
    (copied / "paper.toml").write_text((FOLDER / "paper.toml").read_text().replace('"coins"', f'"{name}"'))
    paper = added(copied)
    with pytest.raises(PaperError, match=rf"^{copied}/{name}\.py: .* name of another module, got {name}; rename it$"):
        registry.load(registry.list_modules([paper]))


def test_a_conftest_without_a_statement_is_left_to_pytest(added, copied):
    (copied / "conftest.py").write_text("import lemmata\n")
    assert "inv25/conftest" not in added(copied).stems()


@pytest.mark.parametrize("name", ["inv25", "inv25/coins"])
def test_a_paper_or_module_without_a_claim_has_no_row(added, copied, name):
    (copied / "coins_checks.py").unlink()
    added(copied)
    assert select([name]) == ([], [])


def test_statements_of_many_sources_are_cited_each_with_its_own(added, tmp_path):
    page = (
        (FOLDER / "paper.toml")
        .read_text()
        .replace('"lem1" = "Lemma 1"', 'lem1.a = {label = "Lemma 1", source = "hoe"}')
    )
    page += '[sources.hoe]\nauthors = ["Hoeffding, Wassily"]\ntitle = "Sums"\nyear = 1963\ndoi = "10.1080/1"\n'
    (tmp_path / "paper.toml").write_text(page)
    added(tmp_path)
    assert (
        library.work("inv25.lem1.a.s1").cited == "Hoeffding 1963" and library.work("inv25.lem2").cited == "Nobody 2025"
    )
    entry = library.work("inv25.lem1.a").bibtex()
    assert entry.startswith("@misc{inv25-hoe,\n") and library.work("inv25.lem2").bibtex().startswith("@misc{inv25,\n")
    assert "author = {Hoeffding, Wassily}" in entry and "https://doi.org/10.1080/1" in entry


def test_it_is_small():
    assert sum(len(path.read_text().splitlines()) for path in FOLDER.rglob("*.py")) < 100
