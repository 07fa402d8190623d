"""Whatever happens to a run: one line or nothing, and the same command once more comes to its end.

Results are removed, files edited, others run too, clocks jump, signals come, and what it asks of the world fails, at
one place a kind.
"""

import csv
import io
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent import futures
from functools import partial
from types import SimpleNamespace

import pytest

from lemmata.bounds.library import library
from lemmata.command import console
from lemmata.command.main import main
from lemmata.command.paper import decide_papers
from lemmata.experiments.engine.ground import deadline, files as kept
from lemmata.experiments.engine.ledger import row_cache
from lemmata.experiments.engine.running import run, workers
from lemmata.experiments.engine.running.store import Store, StoreError
from lemmata.experiments.engine.witness import programs
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.engine import toy
from tests.engine.running import faults
from tests.engine.running.faulted import HEAD, TABLE, accepting, deciding, full, outcomes, rows, spending
from tests.engine.running.faults import Turn, command, killed, raised

# Results are removed --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_whose_results_are_removed_does_not_say_that_all_is_well(fair, tmp_path):
    """`rm -rf` of the folder in the midst of it: one line and status 3, and once more comes to its end."""
    scenario = deciding(tmp_path / "out", fair)

    def removed(_):
        shutil.rmtree(scenario.folder)

    for _, ended, why in outcomes(scenario, "written", lambda places: (places // 2, places - 1), removed):
        assert ended.status == 3 and "was removed or moved during this run" in ended.said
        assert not why


def test_a_store_notices_that_another_file_has_its_name(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Store(path) as store:
        store.stands()
        path.rename(tmp_path / "moved")
        with pytest.raises(StoreError, match="was removed or moved during this run"):
            store.stands()
        with Store(path), pytest.raises(StoreError, match="was removed or moved during this run"):
            store.stands()
    Store().stands()


# Files are edited -----------------------------------------------------------------------------------------------------


def edited(paper, folder, old, new):
    """A copy of the paper, and what makes an edit to its checks; compiled files cannot hide it."""
    copy = shutil.copytree(paper, folder / "paper", ignore=shutil.ignore_patterns("__pycache__"))
    checks = copy / "coins_checks.py"

    def edit():
        text = checks.read_text()
        assert old in text
        checks.write_text(text.replace(old, new))

    return copy, edit


def before(module, name, act):
    """Have `act` called before a function of a module, for as long as this process lives: a fork."""
    function = getattr(module, name)
    setattr(module, name, lambda *given, **named: (act(), function(*given, **named))[1])


TRIAL = "    return abs(2 * rng"


@pytest.mark.parametrize(("new", "status"), [(f"    # a remark\n{TRIAL}", 0), (f"    rng.random()\n{TRIAL}", 3)])
def test_no_chunk_of_edited_code_is_taken_for_one_of_the_code_before(new, status, fair, tmp_path):
    """The parent has loaded the checks when they are edited, its workers load them afterwards."""
    copy, edit = edited(fair, tmp_path, TRIAL, new)

    def call():
        before(workers, "_executor", edit)
        command("run", copy, "--jobs", "2", "--out", tmp_path / "out")()

    ended = faults.run(call)
    assert ended.status == status, ended.said
    assert ("the code of inv25.thm3/printed was edited during this run" in ended.said) == (status == 3)
    again = faults.run(command("run", copy, "--jobs", "2", "--out", tmp_path / "out"))
    assert again.status == 0, again.said
    anew = faults.run(command("run", copy, "--jobs", "1", "--out", tmp_path / "anew"))
    assert anew.status == 0 and rows(copy, tmp_path / "out") == rows(copy, tmp_path / "anew")


@pytest.mark.slow
def test_a_program_that_ran_with_edited_files_is_not_believed(paper, tmp_path):
    """It runs in a process that loads the statements anew."""
    copy, edit = edited(paper, tmp_path, TRIAL, f"    # a remark\n{TRIAL}")

    def call():
        before(programs, "run_programs", edit)
        command("run", copy, "--jobs", "1", "--out", tmp_path / "out")()

    ended = faults.run(call)
    assert ended.status == 3 and "source files were edited during this run" in ended.said
    assert {row["reason"] for row in rows(copy, tmp_path / "out")} == {"", "UNCONFIRMED"}
    again = faults.run(command("run", copy, "--jobs", "1", "--out", tmp_path / "out"))
    assert again.status == 0 and "UNCONFIRMED" not in str(rows(copy, tmp_path / "out"))


def test_what_is_accepted_of_one_paper_is_no_edit_during_the_next(monkeypatch, tmp_path):
    """`accept` writes its tables beside our files, paper by paper."""
    asked, state = [], ["begun"]
    monkeypatch.setattr(run, "execute", lambda *_, **__: [])
    monkeypatch.setattr(row_cache, "hash_files", lambda: state[0])
    monkeypatch.setattr(programs, "confirm", lambda jobs, store, workers, edited: asked.append(edited()))
    for paper, store in decide_papers((), 0, str(tmp_path)):
        store.close()
        state[0] = f"with what was accepted of {paper.id}"
    assert asked == [False] * len(library.house)


# Others are at it too -------------------------------------------------------------------------------------------------


class Beside(Store):
    """A store in whose file another run decides the same, all of it, when this one writes its third chunk."""

    def write(self, *chunk):
        self.left -= 1
        if not self.left:
            with Store(self.path) as other:
                run.execute(self.claims, other, root=TEST_ROOT, profile="quick")
        super().write(*chunk)


def test_two_profiles_at_once_come_to_what_each_comes_to_alone(tmp_path, claims):
    alone, both = Store(), Beside(tmp_path / "ledger.sqlite")
    both.left, both.claims = 3, list(claims.values())
    run.execute(both.claims, alone, root=TEST_ROOT, profile="full")
    run.execute(both.claims, both, root=TEST_ROOT, profile="full")
    assert both.left < 0 and toy.rows_of(both) == toy.rows_of(alone)
    assert len(both.chunks()) == len(alone.chunks())
    both.close()


def test_two_who_replace_a_file_do_not_meet(tmp_path, monkeypatch):
    """The second begins and ends while the first is between its writing and its renaming."""
    path, replace, texts = tmp_path / "table", os.replace, ["second"]

    def slowly(made, place):
        if texts:
            kept.replace_file(path, texts.pop())
            assert path.read_text() == "second"
        replace(made, place)

    monkeypatch.setattr(os, "replace", slowly)
    kept.replace_file(path, "first")
    assert path.read_text() == "first" and [file.name for file in tmp_path.iterdir()] == ["table"]


# Clocks and signals ---------------------------------------------------------------------------------------------------

JUMPS = """
import itertools, time
def jumping(clock, unit, years=itertools.cycle((0, 30, -20))):
    return lambda: clock() + unit * 31_557_600 * next(years)
time.time, time.time_ns = jumping(time.time, 1), jumping(time.time_ns, 10**9)
"""


@pytest.mark.slow
def test_a_clock_that_jumps_moves_nothing(paper, tmp_path):
    """Thirty years on at one look at the clock, twenty back at the next, in every process of the run."""
    (tmp_path / "sitecustomize.py").write_text(JUMPS)
    program = [sys.executable, "-m", "lemmata", "run", str(paper), "--jobs", "2", "--out", str(tmp_path / "out")]
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    ended = subprocess.run(program, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert ended.returncode in (0, 1), ended.stderr
    still = faults.run(command("run", paper, "--jobs", "1", "--out", tmp_path / "still"))
    assert still.status == ended.returncode
    assert rows(paper, tmp_path / "out") == rows(paper, tmp_path / "still")


def test_a_process_that_was_stopped_has_time_left(monkeypatch):
    """However long, one alarm comes of it: Ctrl-Z over lunch is no chunk that hangs. All of them are one that does."""
    monkeypatch.setattr(signal, "setitimer", lambda *_: None)
    with deadline.deadline(1000):
        for _ in range(deadline.TICKS - 1):
            os.kill(os.getpid(), signal.SIGALRM)
    with pytest.raises(TimeoutError, match="or 4000 by the clock"), deadline.deadline(1000):
        for _ in range(deadline.TICKS):
            os.kill(os.getpid(), signal.SIGALRM)


def test_a_parent_that_was_stopped_gives_no_chunk_up(monkeypatch):
    """Its wait is over when it goes on, as the clock went on; so it waits in pieces."""
    pool, waited = workers.ExecutorPool(None, 2), []
    pool.flying[futures.Future()] = 0, ()

    def wait(flying, patience, return_when):
        waited.append(patience)
        if len(waited) == workers.TICKS - 1:
            next(iter(flying)).set_result("chunk 0")
        return SimpleNamespace(done={future for future in flying if future.done()})

    monkeypatch.setattr(futures, "wait", wait)
    assert pool.arrived(workers.DEAF).result() == "chunk 0"
    assert sum(waited) < workers.DEAF == pytest.approx(sum(waited) + waited[0])


@pytest.mark.slow
def test_signals_that_nobody_handles_interrupt_nothing(paper, tmp_path):
    """Every call that waits is begun again (EINTR): of sockets, of files, of the database, of children."""

    def call():
        signal.signal(signal.SIGUSR1, lambda *_: None)
        signal.siginterrupt(signal.SIGUSR1, True)

        def nag():
            while True:
                time.sleep(0.001)
                os.kill(os.getpid(), signal.SIGUSR1)

        threading.Thread(target=nag, daemon=True).start()  # it ends with this fork
        command("run", paper, "--jobs", "2", "--out", tmp_path / "nagged")()

    ended = faults.run(call)
    assert ended.status in (0, 1), ended.said
    assert faults.run(command("run", paper, "--jobs", "1", "--out", tmp_path / "out")).status == ended.status
    assert rows(paper, tmp_path / "nagged") == rows(paper, tmp_path / "out")


# Nobody can be told ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize(
    ("arguments", "stream", "status"), [(["nosuch"], 2, 2), (["--plan"], 2, 0), (["--plan"], 1, 3), ([], 2, 0)]
)
def test_a_full_disk_behind_stderr_costs_hints_alone(arguments, stream, status, fair, tmp_path):
    """Behind stdout it costs the result, and is a fault."""

    def call():
        sys.__stderr__ = sys.stderr
        os.dup2(os.open("/dev/full", os.O_WRONLY), stream)
        main(["run", *([] if "nosuch" in arguments else [str(fair)]), *arguments, "--out", str(tmp_path)])

    assert faults.run(call).status == status


def test_what_is_no_fault_of_the_disk_is_raised():
    closed = io.StringIO()
    closed.close()
    with pytest.raises(ValueError, match="closed file"):
        console.Hints(closed).write("a hint")


def middle(places):
    assert places, "no place of this kind was passed"
    return [(places + 1) // 2]


REPORT, TWO = partial(deciding, pages=True), partial(deciding, jobs=2)


@pytest.mark.parametrize(
    ("scenario", "name", "kind", "strike"),
    [
        (deciding, "fair", "database", killed),
        (spending, "fair", "open", raised),
        (spending, "fair", "open", killed),
        (spending, "fair", "sync", raised),
        (spending, "fair", "sync", killed),
        pytest.param(deciding, "fair", "database", raised, marks=pytest.mark.slow),
        pytest.param(deciding, "paper", "process", raised, marks=pytest.mark.slow),  # a witness that gets none
        pytest.param(accepting, "paper", "rename", killed, marks=pytest.mark.slow),
        *(pytest.param(REPORT, "fair", kind, raised, marks=pytest.mark.slow) for kind in ("open", "rename", "folder")),
        pytest.param(TWO, "fair", "worker", raised, marks=pytest.mark.slow),
    ],
)
def test_a_scenario_survives_a_fault(scenario, name, kind, strike, request, tmp_path):
    for _, ended, why in outcomes(scenario(tmp_path / "out", request.getfixturevalue(name)), kind, middle, strike):
        assert not why, ended


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "name", "sizes"), [(accepting, "paper", 3), (deciding, "fair", 4)])
def test_a_full_disk_cuts_nothing(scenario, name, sizes, request, tmp_path):
    """Numbers of errata are given once, and their list with them."""
    for _, ended, why in full(scenario(tmp_path / "out", request.getfixturevalue(name)), sizes):
        assert not why, ended


def test_a_fault_is_met_and_a_loss_is_seen(tmp_path):
    """The control: a file written in place is lost when the disk is full, and that is noticed."""
    kept = tmp_path / "kept"
    kept.mkdir()
    file = kept / "numbers"

    def careless():
        file.write_text("E1\nE2\nE3\n" if not file.exists() else file.read_text())

    scenario = spending(kept)
    scenario.calls, scenario.state = (careless, careless), lambda: file.read_text()
    scenario.kept = lambda: file.read_text().count("E") if file.exists() else 0
    found = [why for _, _, why in full(scenario, sizes=5)]
    assert any("ended with status" in why for why in found)
    met = faults.run(careless, Turn("open", str(kept), 1, raised))
    assert met.status == 70 and "No space left" in met.said


def test_the_published_table_lost_nothing():
    with TABLE.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert tuple(rows[0]) == HEAD
    assert all(row["lost"] == "0" and int(row["tried"]) > 0 for row in rows)
    assert sum(int(row["tried"]) for row in rows) >= 500 and sum(int(row["killed"]) for row in rows) >= 200
