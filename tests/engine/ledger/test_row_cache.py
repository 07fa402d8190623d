"""Kept rows and pages are shown for the very state that they were made of: whatever is edited, they are made anew."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from lemmata.bounds.library import library
from lemmata.experiments.engine.ledger import ledger_rows, row_cache
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.report.incremental import digest_tables

HOUSE = Path(__file__).resolve().parents[3]
ROOT = 20251120
ROOMS = ("bounds", "mechanisms", "experiments")
STATEMENT = "bounds/wzw25/gaussian_maxima.py"


def python(house, *arguments):
    """Run the copy of the project at `house` in a fresh process; what it printed."""
    environment = os.environ | {"PYTHONPATH": str(house), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=house, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def lemmata(house, *arguments):
    return python(house, "-m", "lemmata", *arguments, "--out", house / "reports")


KEEP = f"""
from lemmata.bounds.library import library
library.installed()
from lemmata.experiments.engine.ledger import row_cache
start = row_cache.state_at_start("reports/ledger.sqlite")
from lemmata.experiments.engine.running.store import Store
row_cache.recall_or_fold(Store("reports/ledger.sqlite", reading=True), {ROOT}, start)
"""
RECALL = """
from lemmata.bounds.library import library
library.installed()
import sys
from lemmata.experiments.engine.ledger import row_cache
rows = row_cache.recall("reports/ledger.sqlite", int(sys.argv[1]))
print("computed" if rows is None else len(rows))
"""
MARK = f"""
from lemmata.bounds.library import library
library.installed()
import json, pathlib
from lemmata.experiments.engine.ledger import row_cache
file = pathlib.Path("reports/ledger.rows.json")
kept = json.loads(file.read_bytes()) | {{"mark": row_cache.read_state("reports/ledger.sqlite").mark({ROOT})}}
file.write_text(json.dumps(kept))
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the project, with a store of one statement's chunks, and the rows of its ledger kept."""
    made = tmp_path_factory.mktemp("house")
    ignored = shutil.ignore_patterns("__pycache__", "tools", "published")
    for room in ROOMS:
        shutil.copytree(HOUSE / room, made / room, ignore=ignored)
    shutil.copytree(HOUSE / "lemmata", made / "lemmata", symlinks=True, ignore=ignored)
    shutil.copy(HOUSE / "pyproject.toml", made)
    (made / "tests/wzw25").mkdir(parents=True)
    # Valid for the bytes of its source, whatever its time.
    python(made, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "lemmata")
    lemmata(made, "run", "wzw25.lemA.5", "--jobs", 1)
    python(made, "-c", KEEP)
    return made


def recalled(house, root=ROOT):
    """How many rows a fresh process recalls, or "computed"."""
    return python(house, "-c", RECALL, root).strip()


@pytest.fixture
def edited(house):
    """Edit a file of the house for one test; the house is found as it was afterwards, its rows marked as kept."""
    assert recalled(house) != "computed"
    before = {}

    def edit(path, change):
        file = house / path
        before[file] = file.read_bytes() if file.exists() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(change(before[file] or b""))

    yield edit
    for file, data in before.items():
        file.unlink() if data is None else file.write_bytes(data)
        if file.parent.name.endswith(".dist-info"):
            file.parent.rmdir()
    python(house, "-c", MARK)  # what was put back is as it was, but for its time


ROW = {"key": "a", "reason": ""}


def append(text):
    return lambda data: data + text.encode()


@pytest.mark.slow
def test_a_fresh_process_recalls_the_rows_that_it_would_compute(house):
    kept = lemmata(house, "ledger", "--json", "--timings")
    (house / "reports/ledger.rows.json").unlink()
    assert lemmata(house, "ledger", "--json", "--timings") == kept
    assert int(recalled(house)) == len(json.loads(kept))


KINDS = [  # a file of each kind: a statement, the engine, a table, a file more, a module of claims more, the rows
    (STATEMENT, lambda data: data.replace(b"2 *", b"3 *", 1)),
    ("experiments/engine/claims/verdict.py", lambda data: data.replace(b"1e10", b"1e11", 1)),
    ("bounds/wzw25/errata.csv", append("x\n")),
    ("bounds/wzw25/one_file_more.py", append("")),
    ("experiments/wzw25/gaussian_maxima_proof.py", append("raise RuntimeError('one module of claims more')\n")),
    ("reports/ledger.rows.json", lambda data: data.replace(b"HOLDS", b"FALLS", 1)),
]
MORE = [
    (STATEMENT, lambda data: data),
    ("experiments/wzw25/gaussian_maxima.py", append("\n")),
    ("experiments/checks/identity.py", append("# a word\n")),
    ("mechanisms/privacy/algebra.py", append("\n")),
    ("tests/wzw25/test_gaussian_maxima.py", append("")),
    ("numpy-99.0.0.dist-info/METADATA", append("another version of a library\n")),
    ("reports/ledger.rows.json", lambda data: data[: len(data) // 2]),
    ("reports/ledger.rows.json", lambda data: b"[]"),
]


@pytest.mark.parametrize(("path", "change"), [*KINDS, *(pytest.param(*one, marks=pytest.mark.slow) for one in MORE)])
def test_whatever_is_edited_the_rows_are_computed_anew(house, edited, path, change):
    edited(path, change)
    assert recalled(house) == "computed"


def test_another_root_and_another_chunk_are_computed_anew(house, edited):
    assert recalled(house, ROOT + 1) == "computed"
    edited("reports/ledger.sqlite", append(""))
    with sqlite3.connect(house / "reports/ledger.sqlite") as store:
        store.execute("INSERT INTO done VALUES ('a', 'b', 1, 'quick')")  # it stands in the log first
        store.commit()
        assert recalled(house) == "computed"
    store.close()
    assert recalled(house) == "computed"


def test_an_edited_bound_shows_in_the_very_next_ledger(house, edited):
    def digests():
        rows = json.loads(lemmata(house, "ledger", "--json"))
        return [row["digest"] for row in rows if row["key"] == "wzw25.lemA.5/corrected/tail"]

    before = digests()
    edited(STATEMENT, lambda data: data.replace(b"sqrt(2 *", b"sqrt(3 *"))
    assert before != digests() != []


def test_files_touched_while_a_process_runs_are_never_kept(house):
    """Edited and put back: the bytes are as before, what was imported between need not be."""
    file = house / STATEMENT
    again = KEEP.replace(
        "from lemmata.experiments.engine.running.store",
        f"text = open({str(file)!r}).read(); open({str(file)!r}, 'w').write(text)\n"
        "from lemmata.experiments.engine.running.store",
    )
    memory = house / "reports/ledger.rows.json"
    kept = memory.rename(memory.with_suffix(".kept"))
    python(house, "-c", again)
    assert not memory.exists()
    kept.rename(memory)
    python(house, "-c", MARK)


def test_a_process_that_loaded_statements_neither_recalls_nor_keeps(house):
    assert row_cache.state_at_start(house / "reports/ledger.sqlite") is None
    assert row_cache.recall(house / "reports/ledger.sqlite", ROOT) is None


def test_a_store_that_grows_while_its_rows_are_folded_is_not_kept(tmp_path, monkeypatch):
    store = Store(tmp_path / "ledger.sqlite")
    start = row_cache.read_state(store.path)

    def grows(store, root, **_):
        store.mark_done("a", "b", 1, "quick")
        return [(ROW, [])]

    monkeypatch.setattr(ledger_rows, "ledger_with_cells", grows)
    assert row_cache.recall_or_fold(store, ROOT, start) == [(ROW, [])]
    assert not (tmp_path / "ledger.rows.json").exists()
    monkeypatch.setattr(ledger_rows, "ledger_with_cells", lambda *_, **__: [(ROW, [])])
    row_cache.recall_or_fold(store, ROOT, start)
    assert (tmp_path / "ledger.rows.json").exists()


@pytest.mark.parametrize(("reason", "over"), [("", True), ("FAILED", False)])
def test_a_run_has_nothing_to_decide_where_all_of_its_profile_was_decided(tmp_path, monkeypatch, reason, over):
    """What failed is tried again by the next run, though its row is kept."""
    store, row = Store(tmp_path / "ledger.sqlite"), ROW | {"reason": reason}
    monkeypatch.setattr(ledger_rows, "ledger_with_cells", lambda *_, **__: [(row, [])])
    start = row_cache.read_state(store.path)
    row_cache.recall_or_fold(store, ROOT, start, jobs=[SimpleNamespace(profile="quick")])
    now = row_cache.read_state(store.path)
    assert row_cache.recall(store.path, ROOT, now=now) == [row]
    assert (row_cache.recall(store.path, ROOT, finished="quick", now=now) == [row]) == over
    assert row_cache.recall(store.path, ROOT, finished="full", now=now) is None
    assert row_cache.recall(store.path, ROOT + 1, finished="quick", now=now) is None


@pytest.mark.slow
def test_a_site_is_left_alone_until_something_changes(house, edited):
    def drawn():
        (line,) = [line for line in lemmata(house, "report").splitlines() if line.endswith("drawn anew")]
        return line.split()[0]

    assert int(drawn()) > 100
    pages = house / "reports"
    before = {path: path.stat().st_mtime_ns for path in pages.rglob("*.html")}
    assert drawn() == "no"
    assert {path: path.stat().st_mtime_ns for path in pages.rglob("*.html")} == before
    stale = "reports/index.html", next((pages / "statements/figures").glob("*.svg")).relative_to(house)
    true = [(house / path).read_bytes() for path in stale]
    for path in stale:
        edited(path, append("<!-- stale -->"))
    assert drawn() == "2"
    assert [(house / path).read_bytes() for path in stale] == true
    shown = digest_tables(pages)
    edited("reports/published/mutants.csv", append("outcome\nkilled\n"))
    assert digest_tables(pages) != shown


def test_a_ledger_keeps_what_it_had_to_compute(house):
    (house / "reports/ledger.rows.json").unlink()
    lemmata(house, "ledger")
    assert recalled(house) != "computed"


def test_a_run_shows_what_it_has_just_decided(house):
    """And not the rows that a ledger kept before it."""
    lemmata(house, "ledger")
    shown = lemmata(house, "run", "wzw25.factA.3", "--jobs", 1)
    assert "wzw25.factA.3/printed" in shown and "open" not in shown.splitlines()[-1]


@pytest.mark.parametrize("name", ["paper.toml", "replies.toml", "captions.toml", "errata.csv", "coins.py"])
def test_whatever_a_page_reads_beside_a_paper_changes_the_state(name, tmp_path):
    (tmp_path / "paper.toml").write_text(
        'id = "coins"\nauthors = ["Ada Nobody"]\ntitle = "Coins"\nyear = 2026\nversion = "a test"\n'
        '[contents]\nlem1 = "Lemma 1"\n'
    )
    library.add(tmp_path)
    try:
        before = row_cache.hash_files()
        with open(tmp_path / name, "a") as file:
            file.write("# edited\n")
        assert row_cache.hash_files() != before
    finally:
        library.forget("coins")
