"""`make soak`, which may be stopped at any moment and goes on where it was: `python -m tests.soak [PART ...]`.

Each part keeps what it has finished in reports/soak, under a digest of every tracked file: of tests the names of those
that passed, of faults the lines, of verdicts the store. An edit begins all anew. The root of the verdicts is drawn
once and kept until they have been decided at it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "reports/soak"
PASSED, SNAPSHOT = "LEMMATA_SOAK_PASSED", "LEMMATA_SOAK_SNAPSHOT"  # files: names of tests, and those left out this time
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
    """Note what has passed, as soon as it has; the one that hands out tests hears of all of them."""
    if report.when == "call" and report.passed and "PYTEST_XDIST_WORKER" not in os.environ and PASSED in os.environ:
        with Path(os.environ[PASSED]).open("a", encoding="utf-8") as file:
            file.write(f"{report.nodeid}\n")


# Its parts ------------------------------------------------------------------------------------------------------------


def tests(marked: str, *more: str) -> Callable[[Path], int]:
    """The tests with these marks that have not passed, two at a time."""

    def part(place: Path) -> int:
        passed, snapshot = place / "passed.txt", place / "snapshot.txt"
        passed.touch()
        snapshot.write_bytes(passed.read_bytes())
        known = {PASSED: str(passed), SNAPSHOT: str(snapshot)}
        command = [*CODES, "pytest", "-q", "-n", "2", "--dist", "worksteal", "-p", "tests.soak", "-m", marked, *more]
        status = subprocess.run(command, cwd=ROOT, env={**os.environ, **known}).returncode
        return 0 if status == 5 else status  # 5: none was left

    return part


def program(*names: str) -> Callable[[Path], int]:
    """A program that goes on where it was, and is told where its own notes are."""
    return lambda place: subprocess.run([*CODES, *names, str(place)], cwd=ROOT).returncode


def verdicts(place: Path) -> int:
    """Every verdict at a root that nobody has seen."""
    kept = place / "root.txt"
    if not kept.exists():
        kept.write_text(str(secrets.randbelow(2**32)))
    return subprocess.run(
        [*CODES, "tests.test_verdicts", kept.read_text(), str(place / "ledger.sqlite")], cwd=ROOT
    ).returncode


PARTS: dict[str, Callable[[Path], int]] = {
    "tests": tests("not soak"),
    "soak": tests("soak"),
    "faults": program("tests.engine.faulted"),
    "kernels": program("tests.kernels"),
    "verdicts": verdicts,
}


def main(names: Iterable[str]) -> int:
    """Every part, or those named, until one fails."""
    place = PLACE / digest()
    for name in names or PARTS:
        mine = place / name
        mine.mkdir(parents=True, exist_ok=True)
        if (mine / "done").exists():
            print(f"{name}: done before", flush=True)
            continue
        print(f"{name}: begun, or continued, at {time.strftime('%H:%M')}", flush=True)
        if status := PARTS[name](mine):
            print(f"{name}: ended with status {status}; `make soak` goes on from here", flush=True)
            return status
        (mine / "done").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
