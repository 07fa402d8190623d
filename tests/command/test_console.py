"""What can happen to a command, mistakes of users among it, ends in one line and an exit status."""

import json
import os
import signal
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path
from unittest import mock

import click
import pytest
from click.testing import CliRunner

from lemmata import __main__
from lemmata.command import console, scope
from lemmata.command.main import main
from lemmata.experiments.engine.ground import folders
from lemmata.experiments.engine.running import cluster
from lemmata.tools.speed import asv_runs, dashboards


def lemmata(*arguments, stdout=subprocess.PIPE, **options):
    """`lemmata` with these arguments, in a process of its own."""
    command = [sys.executable, "-m", "lemmata", *map(str, arguments)]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.slow
def test_what_a_run_found_is_what_a_fresh_process_explains(tmp_path):
    """A run loads more claims than `explain` does, and the answers that it stores are found by digests."""
    statements = ["abgmu22.lem.conc", "abgmu22.lem.stab-jl"]
    assert lemmata("run", "--out", tmp_path, *statements).returncode == 0
    refuted = lemmata("ledger", "--paper", "abgmu22", "--verdict", "REFUTED", "--out", tmp_path, "--json")
    assert {row["id"] for row in json.loads(refuted.stdout)} >= set(statements)
    for statement in statements:
        assert "undecided" not in lemmata("explain", "--short", statement, "--out", tmp_path).stdout


def failing(raised, **options):
    @console.one_line_errors(**options)
    def command():
        raise raised

    return command


@pytest.mark.parametrize(
    ("raised", "said", "status"),
    [
        (RuntimeError("first\nsecond"), "unexpected RuntimeError: first; LEMMATA_TRACEBACK=1 shows where", 3),
        (PermissionError(13, "Permission denied", "x"), "[Errno 13] Permission denied: 'x'", 3),
        (OSError(24, "Too many open files"), "the limit of open files is too low; `ulimit -n` shows it", 3),
        (SystemExit(0), "code that was run here raised SystemExit: 0; LEMMATA_TRACEBACK=1 shows where", 3),
        (GeneratorExit(), "code that was run here raised GeneratorExit: ; LEMMATA_TRACEBACK=1 shows where", 3),
        (MemoryError(), "out of memory", 3),
        (FileExistsError(17, "File exists", "x"), "--out = x: File exists", 2),
        (click.UsageError("no such thing"), "no such thing", 2),
    ],
)
def test_what_can_happen_is_one_line_and_a_status(raised, said, status, monkeypatch):
    monkeypatch.delenv("LEMMATA_TRACEBACK", raising=False)

    with pytest.raises(click.ClickException) as caught:
        failing(raised)()
    assert (caught.value.message, caught.value.exit_code) == (said, status)


@pytest.mark.parametrize(("stored", "kept"), [(False, ""), (True, "; finished results are stored, run it again")])
@pytest.mark.parametrize(
    ("raised", "status"), [(KeyboardInterrupt(), 130), (console.Terminated(15), 143), (console.Terminated(1), 129)]
)
def test_an_interruption_says_what_is_kept(stored, kept, raised, status, capsys):
    with pytest.raises(click.exceptions.Exit) as caught:
        failing(raised, resumable=stored)()
    assert caught.value.exit_code == status
    assert capsys.readouterr().err.startswith(f"lemmata: interrupted{kept}")


def test_a_traceback_is_shown_to_who_asks(monkeypatch):
    monkeypatch.setenv("LEMMATA_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="first"):
        failing(RuntimeError("first"))()


def test_closed_streams_lead_nowhere(monkeypatch):
    """As a daemon is started: otherwise worker processes cannot be, and the next file is taken for stdout."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(console.sys, name, None)
    console.open_standard_streams()
    with console.sys.stdin as given, console.sys.stdout as printed, console.sys.stderr as said:
        print("heard by nobody", file=printed)
        print("heard by nobody", file=said)
        assert given.read() == ""


def test_where_even_an_error_finds_no_room_the_status_says_it(monkeypatch):
    monkeypatch.setattr(console.click, "echo", mock.Mock(side_effect=OSError(28, "No space left on device")))
    console.Fault("a fault").show()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("asked", [["--help"], ["--version"], ["run", "--help"]])
def test_help_that_finds_no_room_is_one_line(asked):
    with open("/dev/full", "w") as full:
        ran = lemmata(*asked, stdout=full)
    assert ran.returncode == 3
    assert ran.stderr == "lemmata: the output could not be written: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("asked", [["--help"], ["where", "wzw25.lemA.5"], ["ledger", "wzw25.lemA.5", "--json"]])
def test_a_reader_who_went_away_refutes_nothing(asked):
    """The status is that of any program whose pipe is closed: 1 would say that a verdict contradicts."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as closed:
        ran = lemmata(*asked, stdout=closed)
    assert ran.returncode == 141
    assert [line for line in ran.stderr.splitlines() if "as published" not in line] == []


SIGNALLED = """import atexit, os, runpy, signal, sys

def strike():
    for number in ({numbers}):
        os.kill(os.getpid(), number)

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            strike()

sys.meta_path.insert(0, Watch())
if not "{module}":
    atexit.register(strike)
sys.argv[1:] = ["where", "wzw25.lemA.5"]
runpy.run_module("lemmata", run_name="__main__", alter_sys=True)
"""


def signalled(module, *numbers):
    """`lemmata where`, to which signals are sent when it imports `module`, or when it has ended."""
    program = SIGNALLED.format(module=module, numbers="".join(f"{number:d}, " for number in numbers))

    # What was started with & ignores SIGINT, and so would its children.
    heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, preexec_fn=heeding)


def test_the_script_begins_where_python_m_does():
    """In a module that imports nothing until it knows what an interrupt does."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"lemmata": f"{__main__.__name__}:{__main__.program.__name__}"}


@pytest.mark.parametrize(
    ("module", "ended"),
    [
        ("lemmata.command.main", (-signal.SIGINT, "", "")),  # before it begins: a shell says 130
        ("lemmata.experiments.engine.claims.places", (130, "", "lemmata: interrupted\n")),
    ],
)
def test_who_interrupts_a_command_that_has_begun_is_told(module, ended):
    ran = signalled(module, signal.SIGINT)
    assert (ran.returncode, ran.stdout, ran.stderr) == ended


def test_who_interrupts_a_command_that_has_ended_sees_nothing():
    ran = signalled("", signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    assert (ran.returncode, ran.stderr) == (0, "") and "claim " in ran.stdout


def test_a_user_without_a_home_is_told_to_name_a_folder(monkeypatch):
    homeless = mock.Mock(side_effect=RuntimeError("Could not determine home directory."))
    monkeypatch.setattr(folders, "is_in_checkout", lambda: False)
    monkeypatch.setattr(folders.Path, "expanduser", homeless)
    with pytest.raises(console.Usage, match="no home folder for results; name a folder with --out"):
        scope.choose_folder([], None)


@pytest.mark.parametrize("level", ["1", "2"])
def test_without_assertions_nothing_is_decided(level, tmp_path):
    """A counterexample's program ends in an assertion, and would pass whatever it found."""
    ran = lemmata("run", "bms22.lemA.3.s1", "--out", tmp_path, env=os.environ | {"PYTHONOPTIMIZE": level})
    assert ran.returncode == 2 and not ran.stdout
    assert ran.stderr == "lemmata: claims need assertions and docstrings; run Python without -O and PYTHONOPTIMIZE\n"


@pytest.mark.parametrize("count", ["²", "٣", "-1", "0"])
def test_processes_of_a_local_cluster_are_a_plain_number(count):
    opening = cluster.connect(f"local:{count}")
    with (
        pytest.raises(
            cluster.WorkersLost, match=f"--dask must be local:N with N >= 1, or an address, got local:{count}"
        ),
        opening,
    ):
        pass


def test_a_working_folder_that_is_gone_is_said(tmp_path, monkeypatch):
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for command in (["where", "wzw25.lemA.5"], ["ledger", "--out", tmp_path], ["bench", "--pages"]):
        ran = CliRunner().invoke(main, [str(each) for each in command])
        said = "lemmata: the working folder does not exist any more; change to another one"
        assert (ran.exit_code, ran.stderr.splitlines()[-1]) == (2, said)


@pytest.mark.parametrize(
    ("variable", "command"),
    [
        ("MPLBACKEND", ("figure", "wzw25.lemA.5")),
        ("TQDM_NCOLS", ("run", "bms22.lemA.3.s1", "--jobs", "1")),
        ("LOKY_MAX_CPU_COUNT", ("run", "bms22.lemA.3.s1", "--jobs", "2")),
        ("JOBLIB_START_METHOD", ("run", "bms22.lemA.3.s1", "--jobs", "2")),
    ],
)
def test_a_variable_that_a_library_cannot_read_is_named(variable, command, tmp_path):
    ran = lemmata(*command, "--out", tmp_path, cwd=tmp_path, env=os.environ | {variable: "abc"})
    line = f"lemmata: the environment variable {variable} = 'abc' is not valid for its library"
    assert (ran.returncode, ran.stderr.splitlines()[-1]) == (2, line)


def test_an_error_of_our_own_is_no_variable(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert console.find_misread_variable("could not convert string to float: 'abc'") == ""
    assert console.find_misread_variable("Key backend: 'agg' is not a valid value") == "MPLBACKEND = 'agg'"


@pytest.fixture
def loud(tmp_path):
    """A paper whose module prints while it is loaded, and while it is decided."""
    ran = CliRunner().invoke(main, ["new-paper", str(tmp_path / "loud")])
    assert ran.exit_code == 0, ran.output
    module = tmp_path / "loud" / "odd_numbers.py"
    text = module.read_text().replace('    yield {"n": 1}', '    print("decided")\n    yield {"n": 1}')
    module.write_text(text + '\nprint("loaded")\n')
    return module.parent


@pytest.mark.parametrize("command", ["check", "ledger"])
def test_what_a_module_prints_is_not_in_the_json(loud, command):
    ran = lemmata(command, loud, "--json", "--out", loud / "out")
    assert json.loads(ran.stdout) and "loaded" in ran.stderr
    assert command == "ledger" or "decided" in ran.stderr


def test_benchmarks_are_of_the_checkout_wherever_one_is(tmp_path, monkeypatch):
    """asv and git run where the commits are; pages go where `--out` says."""
    (root := tmp_path / "checkout").mkdir()
    monkeypatch.setattr(folders, "ROOT", root)
    monkeypatch.chdir(tmp_path)
    seen = []
    monkeypatch.setattr(asv_runs, "restore_history", lambda: seen.append(os.getcwd()))
    monkeypatch.setattr(dashboards, "publish", lambda: seen.append(os.getcwd()))
    ran = CliRunner().invoke(main, ["bench", "--pages", "--out", "pages"])
    assert ran.exit_code == 0, ran.output
    assert seen == [str(root), str(root)] and os.getcwd() == str(tmp_path)
    assert (tmp_path / "pages" / "speed.html").exists()
