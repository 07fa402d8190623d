"""What can happen to a command ends in one line and an exit status."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lemmata import __main__
from lemmata.command import console, scope
from lemmata.command.main import main
from lemmata.experiments.engine.ground import folders


@pytest.mark.parametrize(
    ("raised", "said", "status"),
    [
        (RuntimeError("first\nsecond"), "unexpected RuntimeError: first; LEMMATA_TRACEBACK=1 shows where", 3),
        (PermissionError(13, "Permission denied", "x"), "[Errno 13] Permission denied: 'x'", 3),
        (
            OSError(24, "Too many open files"),
            "more files have to be open than are allowed here; `ulimit -n` says how many",
            3,
        ),
        (SystemExit(0), "what was run here ended in SystemExit: 0; LEMMATA_TRACEBACK=1 shows where", 3),
        (GeneratorExit(), "what was run here ended in GeneratorExit: ; LEMMATA_TRACEBACK=1 shows where", 3),
        (MemoryError(), "there is not enough memory for this here", 3),
        (FileExistsError(17, "File exists", "x"), "--out = x: File exists", 2),
        (click.UsageError("no such thing"), "no such thing", 2),
    ],
)
def test_what_can_happen_is_one_line_and_a_status(raised, said, status, monkeypatch):
    monkeypatch.delenv("LEMMATA_TRACEBACK", raising=False)

    @console.one_line_errors()
    def command():
        raise raised

    with pytest.raises(click.ClickException) as caught:
        command()
    assert (caught.value.message, caught.value.exit_code) == (said, status)


@pytest.mark.parametrize(("stored", "kept"), [(False, ""), (True, "; what was finished is stored, run it again")])
@pytest.mark.parametrize(
    ("raised", "status"), [(KeyboardInterrupt(), 130), (console.Terminated(15), 143), (console.Terminated(1), 129)]
)
def test_an_interruption_says_what_is_kept(stored, kept, raised, status, capsys):
    @console.one_line_errors(resumable=stored)
    def command():
        raise raised

    with pytest.raises(click.exceptions.Exit) as caught:
        command()
    assert caught.value.exit_code == status
    assert capsys.readouterr().err.startswith(f"lemmata: interrupted{kept}")


def test_a_traceback_is_shown_to_who_asks(monkeypatch):
    monkeypatch.setenv("LEMMATA_TRACEBACK", "1")

    @console.one_line_errors()
    def command():
        raise RuntimeError("first")

    with pytest.raises(RuntimeError, match="first"):
        command()


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
    def no_room(text, err):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(console.click, "echo", no_room)
    console.Fault("a fault").show()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("asked", [["--help"], ["--version"], ["run", "--help"]])
def test_help_that_finds_no_room_is_one_line(asked):
    with open("/dev/full", "w") as full:
        ran = subprocess.run([sys.executable, "-m", "lemmata", *asked], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 3
    assert ran.stderr == "lemmata: what is printed found no room: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("asked", [["--help"], ["where", "wzw25.lemA.5"], ["ledger", "wzw25.lemA.5", "--json"]])
def test_a_reader_who_went_away_refutes_nothing(asked):
    """The status is that of any program whose pipe is closed: 1 would say that a verdict contradicts."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as closed:
        ran = subprocess.run(
            [sys.executable, "-m", "lemmata", *asked], stdout=closed, stderr=subprocess.PIPE, text=True
        )
    assert ran.returncode == 141
    assert [line for line in ran.stderr.splitlines() if "was published" not in line] == []


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

    def heeding():  # what was started with & ignores SIGINT, and so would its children
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=heeding)


def test_the_script_begins_where_python_m_does():
    """In a module that imports nothing until it knows what an interrupt does."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"lemmata": f"{__main__.__name__}:{__main__.program.__name__}"}


def test_who_interrupts_a_command_before_it_begins_sees_nothing():
    ran = signalled("lemmata.command.main", signal.SIGINT)
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGINT, "", "")  # a shell says 130


def test_who_interrupts_a_command_is_told():
    ran = signalled("lemmata.experiments.engine.claims.places", signal.SIGINT)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "lemmata: interrupted\n")


def test_who_interrupts_a_command_that_has_ended_sees_nothing():
    ran = signalled("", signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    assert (ran.returncode, ran.stderr) == (0, "") and "claim " in ran.stdout


def test_a_user_without_a_home_is_told_to_name_a_folder(monkeypatch):
    def homeless(self):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(folders, "is_in_checkout", lambda: False)
    monkeypatch.setattr(folders.Path, "expanduser", homeless)
    with pytest.raises(console.Usage, match="no home folder: --out names one"):
        scope.choose_folder([], None)


def test_more_processes_than_a_machine_can_hold_are_refused():
    ran = CliRunner().invoke(main, ["run", "bms22.lemA.3.s1", "--jobs", "1000000"])
    assert ran.exit_code == 2 and "1000000 is not in the range 1<=x<=" in ran.stderr


@pytest.mark.parametrize("level", ["1", "2"])
def test_without_assertions_nothing_is_decided(level, tmp_path):
    """A counterexample's program ends in an assertion, and would pass whatever it found."""
    command = [sys.executable, "-m", "lemmata", "run", "bms22.lemA.3.s1", "--out", str(tmp_path)]
    ran = subprocess.run(command, env={**os.environ, "PYTHONOPTIMIZE": level}, capture_output=True, text=True)
    assert ran.returncode == 2 and not ran.stdout
    assert ran.stderr == "lemmata: claims need their assertions and docstrings, which -O and PYTHONOPTIMIZE take out\n"
