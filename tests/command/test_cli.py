"""What people type: the commands, the machine interface, and one clear line for every mistake."""

import csv
import dataclasses
import errno
import json
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from lemmata.bounds.library import library
from lemmata.command.main import main
from lemmata.command.rows import select
from lemmata.experiments.engine.ground import folders
from lemmata.experiments.engine.ledger.ledger_rows import as_frame, ledger
from lemmata.experiments.engine.running.store import Store
from tests.engine import toy

FIELDS = set(
    """
    id parent paper label title part kind reading reconstructed verdict reason scope evidence cells cells_held
    cells_vacuous skipped tightness nonvacuous_from smallest_caught control trials root witness severity
    corner used restated misprint undecided finding headline corrected_by rests_on cites where digest note
""".split()
)


def invoke(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_the_ledger_lists_every_statement_from_day_one(tmp_path):
    result = invoke("ledger", "--json", "--out", tmp_path)
    assert result.exit_code == 0
    rows = json.loads(result.stdout)
    assert {row["id"] for row in rows} | {row["parent"] for row in rows} >= set(library.ids)
    assert all(row.keys() >= FIELDS for row in rows)


def test_run_then_ledger_then_explain_then_report(tmp_path):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "ledger.csv").write_text("key,verdict\n")  # else every row of the papers is missed
    with toy.registered():
        ran = invoke("run", "--jobs", 1, "--out", tmp_path)
        assert ran.exit_code == 0, ran.output
        rows = {row["key"]: row for row in json.loads(invoke("ledger", "--json", "--out", tmp_path).stdout)}
        assert rows["abgmu22.asm1/printed/coin"]["verdict"] == "HOLDS"
        table = list(csv.DictReader(invoke("ledger", "--csv", "--out", tmp_path).stdout.splitlines()))
        assert {row["key"] for row in table} == set(rows)
        shown = invoke("explain", "abgmu22.asm1", "--out", tmp_path).stdout
        assert "only a constant is wrong" in shown and "needs" in shown
        report = invoke("report", "--record", "--out", tmp_path)
        assert "refuted as printed" in report.stdout
        assert (tmp_path / "index.html").exists() and (tmp_path / "published" / "ledger.csv").exists()
        assert invoke("run", "--jobs", 1, "--out", tmp_path).exit_code == 0


@pytest.mark.slow
def test_pages_are_drawn_of_a_store_in_which_one_audit_ran(tmp_path):
    assert invoke("run", "bms22.lem3.1.s2/printed/impl:phased_sgd", "--jobs", 1, "--out", tmp_path).exit_code == 0
    report = invoke("report", "--out", tmp_path)
    assert report.exit_code == 0, report.output
    assert (tmp_path / "audits.html").exists()


@pytest.mark.slow
def test_what_nobody_ran_is_explained_as_it_was_published(tmp_path):
    """With the same statement and root only: an edited one is not run yet."""
    with toy.registered():
        invoke("run", "--jobs", 1, "--out", tmp_path)
        shown = invoke("explain", "abgmu22.asm1", "--out", tmp_path).stdout
        invoke("report", "--record", "--out", tmp_path)
        (tmp_path / "ledger.sqlite").unlink()
        again = invoke("explain", "abgmu22.asm1", "--out", tmp_path)
        assert again.stdout == shown and "as published with the last full run" in again.stderr
        other = invoke("explain", "abgmu22.asm1", "--out", tmp_path, "--seed", 5)
        assert "not decided yet" in other.stdout and "published" not in other.stderr
        kept = tmp_path / "published" / "ledger.csv"
        (row,) = [row for row in csv.DictReader(kept.read_text().splitlines()) if row["key"].endswith("/false")]
        kept.write_text(kept.read_text().replace(row["digest"], "0" * 16))
        edited = invoke("explain", "abgmu22.asm1", "--out", tmp_path).stdout
        assert "coin   HOLDS" in edited and "false   OPEN" in edited and "refuted as printed" not in edited


@pytest.mark.slow
def test_after_a_run_of_something_else_what_was_published_stands(tmp_path, monkeypatch):
    """In a checkout the code may have changed since, so there it is open."""
    with toy.registered():
        invoke("run", "--jobs", 1, "--out", tmp_path)
        invoke("report", "--record", "--out", tmp_path)
        shown = invoke("explain", "abgmu22.asm1", "--out", tmp_path).stdout
        (tmp_path / "ledger.sqlite").unlink()
        invoke("run", "abgmu22.asm2", "--jobs", 1, "--out", tmp_path)
        for checkout, published in ((True, False), (False, True)):
            monkeypatch.setattr(folders, "CHECKOUT", checkout)
            for _ in range(2):  # from the store, and as it was kept
                again = invoke("explain", "abgmu22.asm1", "--out", tmp_path)
                assert (again.stdout == shown) == published == ("as published" in again.stderr)
                assert ("not decided yet" in again.stdout) != published


def test_figures_by_command(tmp_path):
    drawn = invoke("figure", "wzw25.lemA.5/printed/mean", "--out", tmp_path, "--format", "png")
    assert drawn.exit_code == 0, drawn.output
    assert Path(drawn.stdout.strip()).read_bytes().startswith(b"\x89PNG")
    assert "no figures" in invoke("figure", "bms22.def6.1", "--out", tmp_path).stdout
    assert invoke("figure", "nothing", "--out", tmp_path).exit_code == 2


def test_a_contradiction_with_the_published_ledger_is_status_one(tmp_path):
    published = tmp_path / "published"
    published.mkdir()
    (published / "ledger.csv").write_text("key,verdict\nabgmu22.asm1/printed/coin,REFUTED\n")
    with toy.registered():
        result = invoke("run", "abgmu22.asm1/printed/coin", "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 1
    assert "contradicts the published ledger: abgmu22.asm1/printed/coin was REFUTED, is HOLDS" in result.stderr


def test_a_verdict_that_is_lost_is_status_one(tmp_path):
    """The statement is refuted by the run, but no program confirms it: before, it held."""
    published = tmp_path / "published"
    published.mkdir()
    (published / "ledger.csv").write_text("key,verdict,kind,paper,id,parent\nabgmu22.asm1/printed/false,HOLDS,,,,\n")
    with toy.registered() as claims:
        key = "abgmu22.asm1/printed/false"
        claims[key] = dataclasses.replace(claims[key], python=None)
        result = invoke("run", key, "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 1
    assert f"contradicts the published ledger: {key} was HOLDS, is INCONCLUSIVE (UNCONFIRMED)" in result.stderr


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
    ],
)
def test_bad_usage_is_status_two_and_names_the_argument(arguments, words, tmp_path):
    if arguments[0] not in ("audit", "where"):
        arguments = [*arguments, "--out", str(tmp_path)]
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert all(word in result.output for word in words), result.output
    assert "Traceback" not in result.output


def test_a_corrupt_store_is_one_line_and_kept(tmp_path):
    (tmp_path / "ledger.sqlite").write_bytes(b"garbage" * 1000)
    result = invoke("ledger", "--out", tmp_path)
    assert (result.exit_code, len(result.stderr.strip().splitlines())) == (3, 1)
    assert "ledger.sqlite" in result.stderr
    assert (tmp_path / "ledger.sqlite").read_bytes() == b"garbage" * 1000


def test_a_damaged_chunk_is_one_line(tmp_path):
    with toy.registered():
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


def test_a_crash_is_no_contradiction(tmp_path, monkeypatch):
    from lemmata.experiments.engine.running import run

    def crashed(*_, **__):
        raise RuntimeError("something nobody thought of")

    monkeypatch.setattr(run, "execute", crashed)
    result = invoke("run", "bms22/sign_projection", "--out", tmp_path)
    assert (result.exit_code, len(result.stderr.strip().splitlines())) == (3, 1)
    assert "something nobody thought of" in result.stderr


def test_a_full_disk_leaves_the_old_page_whole(tmp_path, monkeypatch):
    from lemmata.experiments.engine.ground import files

    page = tmp_path / "index.html"
    page.write_text("a good page")

    def full(self, text, encoding, newline):
        with self.open("w") as file:
            file.write(text[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        files.replace_file(page, "another page")
    assert page.read_text() == "a good page" and list(tmp_path.iterdir()) == [page]


def test_equal_runs_print_equal_bytes(tmp_path):
    with toy.registered():
        for folder in ("a", "b"):
            invoke("run", "--jobs", 1, "--out", tmp_path / folder)
        first, second = (invoke("ledger", "--json", "--out", tmp_path / folder).stdout for folder in ("a", "b"))
        timed = json.loads(invoke("ledger", "--json", "--timings", "--out", tmp_path / "a").stdout)
    assert first == second
    assert "seconds" in timed[0] and "seconds" not in json.loads(first)[0]


def test_rows_are_filtered_and_cut_to_the_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    with toy.registered():
        invoke("run", "--jobs", 1, "--out", tmp_path)
        shown = invoke("ledger", "--verdict", "REFUTED", "--severity", "constant", "--out", tmp_path).stdout
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


def test_an_interrupt_says_that_nothing_is_lost(tmp_path, monkeypatch):
    from lemmata.experiments.engine.running import run

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "execute", interrupted)
    result = invoke("run", "bms22/sign_projection", "--out", tmp_path)
    assert result.exit_code == 130
    assert "run it again to continue" in result.stderr


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


@pytest.mark.parametrize(
    ("option", "path", "said"),
    [
        ("--plot", "p.doc", "must end in one of"),
        ("--plot", "p", "must end in one of"),
        ("--plot", "nowhere/p.svg", "must be in an existing folder"),
        ("--save", "nowhere/pair.npz", "must be in an existing folder"),
    ],
)
def test_what_cannot_be_written_is_said_before_an_audit_begins(option, path, said):
    result = invoke("audit", "nobody:a", "nobody:b", "--epsilon", 1, option, path)
    assert result.exit_code == 2 and said in result.stderr and result.stderr.count("\n") == 1


def test_a_disk_that_is_full_takes_no_verdict_back(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "p.svg")

    (tmp_path / "ours.py").write_text("def a(rng, size):\n    return rng.laplace(0, 0.5, size)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lemmata.experiments.audits.figures.write_course", full)
    result = invoke("audit", "ours.py:a", "ours.py:a", "--mu", 1, "--budget", 1_000, "--plot", "p.svg")
    assert result.exit_code == 3 and "INCONCLUSIVE" in result.stdout and "p.svg" in result.stderr


def test_the_store_gives_pandas():
    with toy.registered() as claims:
        from lemmata.experiments.engine.running.run import execute

        store = Store()
        execute([claims["abgmu22.asm1/printed/coin"]], store)
        rows = ledger(store, 20251120)
        chunks, verdicts = store.chunks(), as_frame(rows)
        assert {"key", "setting", "payload", "seconds"} <= set(chunks.columns)
        assert (verdicts.set_index("key").loc["abgmu22.asm1/printed/coin", "verdict"]) == "HOLDS"
        assert len(rows) == len(verdicts)


def test_no_path_of_this_machine_in_what_is_published(tmp_path):
    with toy.registered():
        invoke("run", "--jobs", 1, "--out", tmp_path)
        invoke("report", "--record", "--out", tmp_path)
        text = (tmp_path / "published" / "ledger.csv").read_text() + (tmp_path / "index.html").read_text()
    assert str(Path.cwd()) not in text
