"""What people type: the commands, the machine interface, and one clear line for every mistake."""

import csv
import errno
import json
import os
import re
import stat
from pathlib import Path
from unittest import mock

import pytest
from click.testing import CliRunner

from lemmata.bounds.library import library
from lemmata.command.main import main
from lemmata.command.rows import select
from lemmata.experiments.engine.ground import folders
from lemmata.experiments.engine.ledger.ledger_rows import as_frame, ledger
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from tests.engine import toy

FIELDS = set(
    """
    id parent paper label title part kind reading reconstructed verdict reason scope evidence cells cells_held
    cells_vacuous skipped tightness nonvacuous_from smallest_caught control trials root witness severity
    corner used restated misprint undecided finding headline corrected_by rests_on cites where digest note
""".split()
)


NOBODY = ["audit", "nobody:a", "nobody:b", "--epsilon", "1"]  # is not looked for where an option is wrong


def invoke(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def publish(folder, text):
    (folder / "published").mkdir()
    (folder / "published" / "ledger.csv").write_text(text)


@pytest.fixture
def ran(tmp_path):
    """A folder in which the toy claims are decided, while they are the only ones."""
    publish(tmp_path, "key,verdict\n")  # else every row of the papers is missed
    with toy.registered():
        done = invoke("run", "--jobs", 1, "--out", tmp_path)
        assert done.exit_code == 3, done.output  # of the row `broken`
        yield tmp_path


def test_the_ledger_lists_every_statement_from_day_one(tmp_path):
    result = invoke("ledger", "--json", "--out", tmp_path)
    assert result.exit_code == 0
    rows = json.loads(result.stdout)
    assert {row["id"] for row in rows} | {row["parent"] for row in rows} >= {
        id for paper in library.house for id in paper.contents
    }
    assert all(row.keys() >= FIELDS for row in rows)


@pytest.mark.slow
def test_the_ledger_counts_the_rows_that_were_not_run_here(tmp_path):
    """One run hides the published rows of all other statements, and an empty table would look like a result."""
    assert invoke("run", "abgmu22.asm1", "--out", tmp_path).exit_code == 0
    result = invoke("ledger", "--paper", "rbht09", "--verdict", "REFUTED", "--out", tmp_path)
    said = r"lemmata: 0 rows; 1\d\d rows of rbht09 have not been run here: `lemmata run rbht09`\n"
    assert re.fullmatch(said, result.stderr)
    assert invoke("ledger", "abgmu22.asm1", "--out", tmp_path).stderr.startswith("lemmata: 1 rows: ")


def test_run_then_ledger_then_explain_then_report(ran):
    rows = {row["key"]: row for row in json.loads(invoke("ledger", "--json", "--out", ran).stdout)}
    assert rows["abgmu22.asm1/printed/coin"]["verdict"] == "HOLDS"
    table = list(csv.DictReader(invoke("ledger", "--csv", "--out", ran).stdout.splitlines()))
    assert {row["key"] for row in table} == set(rows)
    shown = invoke("explain", "abgmu22.asm1", "--out", ran).stdout
    assert "only a constant is wrong" in shown and "needs" in shown
    latex = invoke("explain", "--latex", "abgmu22.asm1", "--out", ran).stdout
    assert (
        "% abgmu22.asm1/printed/false: REFUTED\n" in latex and r"\[ " in latex and "@misc{lemmata-abgmu22-asm1" in latex
    )
    written = invoke("review", "abgmu22.asm1", "abgmu22.asm2", "--out", ran).stdout.split("\n\n")
    assert [text.split(" of ")[0] for text in written[:2]] == ["Assumption 1 (accuracy)", "Assumption 2 (loss bound)"]
    assert " Counterexample: at β = " in written[0] and written[-1].startswith("Each verdict has a program")
    assert "  REFUTED      Assumption 1" in invoke("report", "--record", "--out", ran).stdout
    page, published = ((ran / name).read_text() for name in ("index.html", "published/ledger.csv"))
    assert str(Path.cwd()) not in page + published, "a path of this machine"
    assert invoke("run", "--jobs", 1, "--out", ran).exit_code == 3


@pytest.mark.slow
def test_pages_are_drawn_of_a_store_in_which_one_audit_ran(tmp_path):
    assert invoke("run", "bms22.lem3.1.s2/printed/impl:phased_sgd", "--jobs", 1, "--out", tmp_path).exit_code == 0
    report = invoke("report", "--out", tmp_path)
    assert report.exit_code == 0, report.output
    assert (tmp_path / "audits.html").exists()


@pytest.mark.slow
def test_what_nobody_ran_is_explained_as_it_was_published(ran):
    """With the same statement and root only: an edited one is not run yet."""
    shown = invoke("explain", "abgmu22.asm1", "--out", ran).stdout
    invoke("report", "--record", "--out", ran)
    (ran / "ledger.sqlite").unlink()
    again = invoke("explain", "abgmu22.asm1", "--out", ran)
    assert again.stdout == shown and "as published with the last full run" in again.stderr
    other = invoke("explain", "abgmu22.asm1", "--out", ran, "--seed", 5)
    assert "not decided yet" in other.stdout and "published" not in other.stderr
    kept = ran / "published" / "ledger.csv"
    (row,) = [row for row in csv.DictReader(kept.read_text().splitlines()) if row["key"].endswith("/false")]
    kept.write_text(kept.read_text().replace(row["digest"], "0" * 16))
    edited = invoke("explain", "abgmu22.asm1", "--out", ran).stdout
    assert "coin   HOLDS" in edited and "false   OPEN" in edited and "refuted as printed" not in edited


@pytest.mark.slow
def test_after_a_run_of_something_else_what_was_published_stands(ran, monkeypatch):
    """In a checkout the code may have changed since, so there it is open."""
    invoke("report", "--record", "--out", ran)
    shown = invoke("explain", "abgmu22.asm1", "--out", ran).stdout
    (ran / "ledger.sqlite").unlink()
    invoke("run", "abgmu22.asm2", "--jobs", 1, "--out", ran)
    for checkout, published in ((True, False), (False, True)):
        monkeypatch.setattr(folders, "CHECKOUT", checkout)
        for _ in range(2):  # from the store, and as it was kept
            again = invoke("explain", "abgmu22.asm1", "--out", ran)
            assert (again.stdout == shown) == published == ("as published" in again.stderr)
            assert ("not decided yet" in again.stdout) != published


def test_figures_by_command(tmp_path):
    drawn = invoke("figure", "wzw25.lemA.5/printed/mean", "--out", tmp_path, "--format", "png")
    assert drawn.exit_code == 0, drawn.output
    assert Path(drawn.stdout.strip()).read_bytes().startswith(b"\x89PNG")
    assert "no figures" in invoke("figure", "bms22.def6.1", "--out", tmp_path).stdout
    assert invoke("figure", "nothing", "--out", tmp_path).exit_code == 2


@pytest.mark.parametrize(
    ("part", "before", "now"), [("coin", "REFUTED", "HOLDS"), ("false", "HOLDS", "INCONCLUSIVE (UNCONFIRMED)")]
)
def test_a_contradiction_with_the_published_ledger_is_status_one(part, before, now, tmp_path):
    """And a verdict that is lost: the second statement is refuted by the run, but no program confirms it."""
    key = f"abgmu22.asm1/printed/{part}"
    publish(tmp_path, f"key,verdict,kind,paper,id,parent\n{key},{before},,,,\n")
    with toy.registered(python=None):
        result = invoke("run", key, "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 1
    assert f"contradicts the published ledger: {key} was {before}, is {now}" in result.stderr


def test_a_check_that_raises_is_status_three(tmp_path, claims):
    result = invoke("run", "abgmu22.asm2/printed/broken", "--jobs", 1, "--out", tmp_path)
    named = "abgmu22.asm2/printed/broken could not be decided (FAILED): RuntimeError: as it must"
    assert result.exit_code == 3 and named in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "wzw25.lemA.55"], ["wzw25.lemA.55", "did you mean wzw25.lemA.5"]),
        (["explain", "nothing"], ["nothing", "ID"]),
        (["ledger", "xyz"], ["xyz"]),
        (["run", "bms22/sign_projection", "--jobs", "0"], ["--jobs"]),
        (["run", "bms22/sign_projection", "--profile", "slow"], ["--profile", "quick"]),
        (["audit", "math:sin", "math:sin"], ["--epsilon", "--mu"]),
        (["audit", "math:nope", "math:sin", "--mu", "1"], ["math:nope"]),
        (["audit", "math:sin", "math:sin", "--mu", "-1"], ["--mu"]),
        (["audit", "math:sin", "math:sin", "--mu", "1", "--delta", "0.1"], ["--delta", "--mu"]),
        (["audit", "math:sin", "math:sin", "--epsilon", "inf"], ["--epsilon"]),
        (["audit", "math:sin", "math:sin", "--epsilon", "1"], ["math:sin", "cannot be attacked"]),
        (["audit", "nothing", "math:sin", "--epsilon", "1"], ["nothing"]),
        (["where", "wzw25"], ["wzw25", "paper"]),
        (["explain", "Lemma 99"], ["Lemma 99"]),
        (["explain", "Theorem 4.1"], ["bms22.thm4.1", "wzw25.thm4.1", "say which"]),
        (["ledger", "--verdict", "MAYBE"], ["--verdict"]),
        (["ledger", "--paper", "nothing"], ["--paper", "'nothing'", "must be one of abgmu22, bms22, "]),
        (["ledger", "--reading", "nothing"], ["--reading", "'nothing'", "'corrected'"]),
        (["run", "bms22.lemA.3.s1", "--jobs", "1000000"], ["1000000 is not in the range 1<=x<="]),
        (["bench", "--only", "("], ["lemmata: --only = '(' is no regular expression: missing )"]),
        *(
            ([command, "bms22.lemA.3.s1", "--seed", 2**63], [f"{2**63} is not in the range 0<=x<={2**63 - 1}"])
            for command in ("run", "ledger", "figure", "check")
        ),
        ([*NOBODY, "--plot", "p.doc"], ["must end in one of"]),
        ([*NOBODY, "--plot", "p"], ["must end in one of"]),
        ([*NOBODY, "--plot", "nowhere/p.svg"], ["must be in an existing folder"]),
        ([*NOBODY, "--save", "nowhere/pair.npz"], ["must be in an existing folder"]),
    ],
)
def test_bad_usage_is_status_two_and_names_the_argument(arguments, words, tmp_path):
    if arguments[0] not in ("audit", "where"):
        arguments = [*arguments, "--out", tmp_path]
    result = invoke(*arguments)
    assert result.exit_code == 2
    *others, line = result.stderr.splitlines()
    assert all(word in line for word in words), line
    assert "Traceback" not in result.output
    assert arguments[:5] != NOBODY or others == [], "the audit had not begun"


def test_a_corrupt_store_is_one_line_and_kept(tmp_path):
    (tmp_path / "ledger.sqlite").write_bytes(b"garbage" * 1000)
    result = invoke("ledger", "--out", tmp_path)
    assert (result.exit_code, len(result.stderr.strip().splitlines())) == (3, 1)
    assert "ledger.sqlite" in result.stderr
    assert (tmp_path / "ledger.sqlite").read_bytes() == b"garbage" * 1000


def test_a_damaged_chunk_is_one_line(tmp_path, claims):
    invoke("run", "abgmu22.asm1/printed/coin", "--jobs", 1, "--out", tmp_path)
    store = Store(tmp_path / "ledger.sqlite")
    ((data,),) = store._db.execute("SELECT data FROM results WHERE stream = 'main' LIMIT 1")
    other = data.replace(b'"failures": ', b'"failures": 1', 1)  # one digit more: a count, not a broken format
    assert other != data
    store._db.execute("UPDATE results SET data = ? WHERE data = ?", (other, data))
    result = invoke("ledger", "abgmu22.asm1/printed/coin", "--out", tmp_path)
    assert result.exit_code == 3
    assert "damaged chunk of abgmu22.asm1/printed/coin" in result.stderr


def test_an_unwritable_reports_folder_is_one_line(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    result = invoke("ledger", "--out", blocked)
    assert (result.exit_code, len(result.stderr.strip().splitlines())) == (2, 1)
    if os.geteuid() != 0:
        tmp_path.chmod(stat.S_IREAD | stat.S_IEXEC)
        assert invoke("ledger", "--out", tmp_path / "new").exit_code == 2


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (RuntimeError("something nobody thought of"), 3, "something nobody thought of"),
        (KeyboardInterrupt, 130, "run it again to continue"),
    ],
)
def test_a_crash_is_no_contradiction_and_an_interrupt_loses_nothing(raised, status, said, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "execute", mock.Mock(side_effect=raised))
    result = invoke("run", "bms22/sign_projection", "--out", tmp_path)
    assert (result.exit_code, len(result.stderr.strip().splitlines())) == (status, 1)
    assert said in result.stderr


def test_equal_runs_print_equal_bytes(tmp_path, claims):
    for folder in ("a", "b"):
        invoke("run", "--jobs", 1, "--out", tmp_path / folder)
    first, second = (invoke("ledger", "--json", "--out", tmp_path / folder).stdout for folder in ("a", "b"))
    timed = json.loads(invoke("ledger", "--json", "--timings", "--out", tmp_path / "a").stdout)
    assert first == second
    assert "seconds" in timed[0] and "seconds" not in json.loads(first)[0]


def test_rows_are_filtered_and_cut_to_the_terminal(ran, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    shown = invoke("ledger", "--verdict", "REFUTED", "--severity", "constant", "--out", ran).stdout
    assert "asm1/printed/false" in shown and "asm1/printed/mean" not in shown
    assert max(map(len, shown.splitlines())) <= 60


@pytest.mark.parametrize("words", ["wzw25 Lemma 6.4", "6.4 wzw25", "WZW25.LEM6.4", "wzw25.lem6.4/printed"])
def test_a_statement_is_found_by_any_of_its_names(words):
    shown = invoke("where", words)
    assert shown.exit_code == 0
    for line in shown.stdout.splitlines():
        kind, place = line.split()
        file, number = place.rsplit(":", 1)
        assert kind in ("bound", "claim", "law", "test") and len(Path(file).read_text().splitlines()) >= int(number)


def test_topics_papers_ids_and_keys_select():
    everything = set(select([]))
    assert set(select(["bms22/sign_projection"])) <= everything
    assert set(select(["bms22.lemA.3"])) <= set(select(["bms22"])) <= everything
    assert select(["bms22.lemA.3/explicit"])


def test_the_plan_is_arithmetic(tmp_path):
    result = invoke("run", "--plan", "--out", tmp_path)
    assert result.exit_code == 0
    assert "core-seconds" in result.stdout
    assert not (tmp_path / "ledger.sqlite").exists()


def test_any_mechanism_can_be_audited(tmp_path, monkeypatch):
    (tmp_path / "theirs.py").write_text(
        "def a(rng, size):\n    return rng.laplace(0, 0.5, size)\n\n"
        "def b(rng, size):\n    return rng.laplace(1, 0.5, size)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    broken = invoke("audit", "theirs:a", "theirs:b", "--epsilon", 1, "--plot", tmp_path / "evidence.svg")
    honest = invoke("audit", "theirs:a", "theirs:b", "--epsilon", 2, "--budget", 20_000)
    alike = invoke("audit", "theirs:a", "theirs:a", "--mu", 1, "--budget", 1_000, "--json")
    assert (broken.exit_code, honest.exit_code, alike.exit_code) == (1, 0, 3)
    assert "REFUTED" in broken.stdout and "<svg" in (tmp_path / "evidence.svg").read_text()
    assert "survived" in honest.stdout and "would have been caught" in honest.stdout
    answer = json.loads(alike.stdout)
    assert (
        answer["reason"] in ("NO_POWER", "BUDGET")
        and answer["lower"] == 0.0
        and answer["claim"].startswith("GaussianDP")
    )


def test_a_disk_that_is_full_takes_no_verdict_back(tmp_path, monkeypatch):
    full = mock.Mock(side_effect=OSError(errno.ENOSPC, "No space left on device", "p.svg"))
    (tmp_path / "ours.py").write_text("def a(rng, size):\n    return rng.laplace(0, 0.5, size)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lemmata.experiments.audits.figures.write_course", full)
    result = invoke("audit", "ours.py:a", "ours.py:a", "--mu", 1, "--budget", 1_000, "--plot", "p.svg")
    assert result.exit_code == 3 and "INCONCLUSIVE" in result.stdout and "p.svg" in result.stderr


def test_the_store_gives_pandas(claims):
    store = toy.decided(claims)
    rows = ledger(store, LEDGER_ROOT)
    verdicts = as_frame(rows)
    assert {"key", "setting", "payload", "seconds"} <= set(store.chunks().columns)
    assert (verdicts.set_index("key").loc["abgmu22.asm1/printed/coin", "verdict"]) == "HOLDS"
    assert len(rows) == len(verdicts)
