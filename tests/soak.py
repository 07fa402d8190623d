"""`make soak`, which may be stopped at any moment and goes on where it was: `python -m tests.soak [PART ...]`.

Each part keeps what it has finished in reports/soak, under a digest of every tracked file: of tests the names of those
that passed, of faults the lines, of verdicts the store. An edit begins all anew. The root of the verdicts is drawn
once and kept until they have been decided at it. A part that comes to its end, well or badly, writes its line of
reports/published/soak.csv: what it tried, what failed, and its minutes, those of sessions that were stopped included.
"""

import hashlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import lemmata
from lemmata.experiments.engine.ground.files import replace_file, write_table
from lemmata.experiments.report import soak_table

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / "reports"
PLACE = REPORTS / "soak"
# Files with names of tests: of those that passed, that failed this time, and that are left out this time.
PASSED, FAILED, SNAPSHOT = "LEMMATA_SOAK_PASSED", "LEMMATA_SOAK_FAILED", "LEMMATA_SOAK_SNAPSHOT"
COUNT, SECONDS = "count.txt", "seconds.txt"  # what a part tried and what failed; how long each of its sessions took
CODES = (sys.executable, "-m")


def digest() -> str:
    """Of every tracked file as it is on the disk."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    made = hashlib.blake2b(digest_size=8)
    for name in sorted(filter(None, listed.split(b"\0"))):
        path = ROOT / os.fsdecode(name)
        if path.is_file() and not os.fsdecode(name).startswith("reports/"):
            made.update(name + b"\0" + hashlib.blake2b(path.read_bytes()).digest())
    return made.hexdigest()


# As a plug-in of pytest: `-p tests.soak` ------------------------------------------------------------------------------


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed; every worker of one run leaves out the same."""
    known = Path(os.environ.get(SNAPSHOT, os.devnull))
    passed = set(known.read_text(encoding="utf-8").splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
    items[:] = [item for item in items if item.nodeid not in passed]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what has passed or failed, as soon as it has; the one that hands out tests hears of all of them."""
    list = FAILED if report.failed else PASSED if report.when == "call" and report.passed else ""
    if list in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        with Path(os.environ[list]).open("a", encoding="utf-8") as file:
            file.write(f"{report.nodeid}\n")


def counted(place: Path, tried: int, failed: int) -> None:
    """Note what a part has tried, and how much of that failed, for its line of the published table."""
    replace_file(place / COUNT, f"{tried} {failed}")


def names(file: Path) -> set[str]:
    """The names of tests in a file, if there is one."""
    return set(file.read_text(encoding="utf-8").splitlines()) if file.exists() else set()


# Its parts ------------------------------------------------------------------------------------------------------------


def tests(marked: str, *more: str) -> Callable[[Path], int]:
    """The tests with these marks that have not passed, two at a time."""

    def part(place: Path) -> int:
        passed, failed, snapshot = (place / f"{name}.txt" for name in ("passed", "failed", "snapshot"))
        replace_file(snapshot, "\n".join(names(passed) - names(failed)))  # one that passed may have failed to clean up
        failed.unlink(missing_ok=True)
        known = {PASSED: str(passed), FAILED: str(failed), SNAPSHOT: str(snapshot)}
        command = [*CODES, "pytest", "-q", "-n", "2", "--dist", "worksteal", "-p", "tests.soak", "-m", marked, *more]
        status = subprocess.run(command, cwd=ROOT, env={**os.environ, **known}).returncode
        counted(place, len(names(passed) | names(failed)), len(names(failed)))
        return 0 if status == 5 else status  # 5: none was left

    return part


def program(*names: str) -> Callable[[Path], int]:
    """A program that goes on where it was, and is told where its own notes are."""
    return lambda place: subprocess.run([*CODES, *names, str(place)], cwd=ROOT).returncode


def verdicts(profile: str) -> Callable[[Path], int]:
    """Every verdict at a root that nobody has seen."""

    def part(place: Path) -> int:
        kept = place / "root.txt"
        if not kept.exists():
            kept.write_text(str(secrets.randbelow(2**32)))
        run = ("run", "--profile", profile, "--jobs", "2", "--seed", kept.read_text(), "--out", str(place))
        subprocess.run([*CODES, "lemmata", *run], cwd=ROOT)  # into the store that is read next, row by row
        asked = (kept.read_text(), str(place / "ledger.sqlite"), profile)
        return subprocess.run([*CODES, "tests.test_verdicts", *asked], cwd=ROOT).returncode

    return part


PARTS: dict[str, Callable[[Path], int]] = {
    "tests": tests("not soak"),
    "soak": tests("soak"),
    "faults": program("tests.engine.running.faulted"),
    "kernels": program("tests.kernels"),
    "verdicts": verdicts("quick"),
    "strangers": program("tests.strangers"),
    "deep": verdicts("deep"),
}


# All of them ----------------------------------------------------------------------------------------------------------


def ended(part: Callable[[Path], int], place: Path) -> int:
    """Its status; the seconds of this session are noted, however it ends."""
    (place / COUNT).unlink(missing_ok=True)
    begun = time.monotonic()
    try:
        return part(place)
    finally:
        with (place / SECONDS).open("a", encoding="utf-8") as file:
            print(time.monotonic() - begun, file=file)


def publish(name: str, place: Path) -> None:
    """Put the line of a part that came to its end into the table; the lines of the others stay."""
    tried, failed = (place / COUNT).read_text(encoding="utf-8").split()
    minutes = sum(map(float, (place / SECONDS).read_text(encoding="utf-8").split())) / 60
    git = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    edited = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", ":!reports"], cwd=ROOT).returncode
    commit = git.stdout.strip() + "+" * edited  # as `digest` has it, what stands in reports/ is not the code
    values = (name, tried, failed, round(minutes), time.strftime("%Y-%m-%d"), commit, lemmata.__version__)
    lines = {line["part"]: line for line in soak_table.read_lines(REPORTS)} | {
        name: dict(zip(soak_table.HEAD, values, strict=True))
    }
    write_table(REPORTS / soak_table.TABLE, soak_table.HEAD, (lines[part].values() for part in PARTS if part in lines))


def main(wanted: Iterable[str]) -> int:
    """Every part, or those named; the status of the first that fails, after all of them."""
    place, failed = PLACE / digest(), 0
    for name in wanted or PARTS:
        mine = place / name
        mine.mkdir(parents=True, exist_ok=True)
        if (mine / "done").exists():
            print(f"{name}: done before", flush=True)
            continue
        print(f"{name}: begun, or continued, at {time.strftime('%H:%M')}", flush=True)
        status = ended(PARTS[name], mine)
        if (mine / COUNT).exists():
            publish(name, mine)
        if not status:
            (mine / "done").touch()
        print(f"{name}: ended with status {status}{'; `make soak` goes on from here' if status else ''}", flush=True)
        failed = failed or status
    return failed


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # what it has taken so far is noted
    sys.exit(main(sys.argv[1:]))
