"""Every fault at every place, counted: `python -m tests.engine.running.faulted` writes reports/published/faults.csv.

A scenario is what somebody does with a folder. For each kind of operation it is run once to count its places; then once
for every place, at which the operation fails, or the process is killed in its stead. Each time the folder is looked at,
and the scenario is run again without a fault: it has to come to what it comes to undisturbed, with all that was
finished before. `make soak` asks this of all places; tests/engine/running/test_meanwhile.py of one place a kind.
"""

import json
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemmata import Accountant, PureDP
from lemmata.experiments.engine.ground.files import replace_file, write_table
from tests.engine.running import faults
from tests.engine.running.faults import Ended, Turn, command, killed, raised
from tests.soak import counted

TABLE = Path(__file__).parents[3] / "reports/published/faults.csv"
HEAD = ("scenario", "operation", "fault", "places", "tried", "one line", "went on", "killed", "lost")
PAPER = Path(__file__).parents[2] / "fifth_paper"
STEPS = 80  # sizes of a full disk
OPERATIONS = {
    "open": "a file is opened to be written",
    "rename": "a file takes another's place",
    "folder": "a folder is made",
    "sync": "a file is synchronised",
    "process": "a process is started",
    "database": "a statement of the database",
    "written": "a statement that the database has done",
    "worker": "a chunk goes to a worker",
}


@dataclass
class Scenario:
    """A folder, what is done in it, and what is there afterwards."""

    name: str
    folder: Path
    calls: tuple[Callable[[], Any], ...]
    state: Callable[[], Any]  # all that counts
    kept: Callable[[], int]  # how many pieces of finished work there are
    kinds: tuple[str, ...]
    prepare: Callable[[], Any] = lambda: None  # what is there before

    def clean(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.prepare()

    def call(self) -> None:
        """One thing after the other, as long as each of them ends well."""
        for call in self.calls:
            try:
                call()
            except SystemExit as end:
                if end.code not in (0, 1, None):
                    raise


def rows(paper: Path, out: Path) -> list[dict]:
    """What the ledger says of the paper, without seconds, by a process that meets no fault."""
    listed = out / "listed.json"

    def listing() -> None:
        with listed.open("w") as sys.stdout:
            command("ledger", paper, "--json", "--out", out)()

    ended = faults.run(listing)
    assert ended.status == 0, ended.said
    return json.loads(listed.read_text())


def chunks(store: Path) -> int:
    if not store.exists() or not store.stat().st_size:
        return 0
    with closing(sqlite3.connect(store)) as db:
        try:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            return db.execute("SELECT count(*) FROM results").fetchone()[0]
        except sqlite3.OperationalError:  # no table yet, or one that is being made
            return 0


def deciding(folder: Path, paper: Path, *, jobs: int = 1, pages: bool = False) -> Scenario:
    """`run` of a folder of one's own, and its `report`."""
    run = command("run", paper, "--jobs", str(jobs), "--out", folder)
    report = command("report", paper, "--out", folder)

    def state() -> Any:
        return rows(paper, folder), sorted(str(path.relative_to(folder)) for path in folder.rglob("*.html"))

    kinds = ("open", "rename", "folder") if pages else ("database", "written")
    name = "run in two processes" if jobs > 1 else "run, then report" if pages else "run"
    calls = (run, report) if pages else (run,)
    return Scenario(name, folder, calls, state, lambda: chunks(folder / "ledger.sqlite"), kinds)


def accepting(folder: Path, paper: Path) -> Scenario:
    """`accept` in a folder whose accepted verdicts and numbered errata are there already."""
    copy = folder / "paper"
    tables = [copy / name for name in ("accepted.csv", "errata.csv", "numbers.csv")]

    def state() -> Any:
        return [table.read_text() for table in tables]

    def kept() -> int:
        return sum(table.read_bytes().count(b"\n") for table in tables)

    accept = command("accept", copy, "--out", folder)
    kinds = ("open", "rename")
    return Scenario("accept", folder, (accept,), state, kept, kinds, lambda: shutil.copytree(paper, copy))


def spending(folder: Path, *_: Any) -> Scenario:
    """Three releases on one account that is kept in a file."""
    file = folder / "account"

    def spend() -> None:
        try:
            with Accountant.open(file, PureDP(1.0)) as account:
                while len(account.history) < 3:
                    account.spend(PureDP(0.25), "a release")
        except OSError as error:  # what a program says that uses the account
            print(f"lemmata: {error}", file=sys.stderr)
            sys.exit(3)

    def state() -> Any:
        with Accountant.open(file) as account:
            return [str(entry) for entry in account.history]

    def kept() -> int:
        return file.read_bytes().count(b"release") if file.exists() else 0

    return Scenario("an account in a file", folder, (spend,), state, kept, ("open", "sync"))


def survived(scenario: Scenario, expected: Any, ended: Ended) -> str:
    """Why the scenario did not survive, or ""."""
    if not ended.plainly:
        return f"it ended with status {ended.status}: {ended.said.strip()[-300:]}"
    try:
        kept = scenario.kept()
        again = faults.run(scenario.call)
        if again.status not in (0, 1):
            return f"once more it ended with status {again.status}: {again.said.strip()[-300:]}"
        if scenario.state() != expected:
            return "once more it came to something else"
        return "" if scenario.kept() >= kept else "finished work is gone"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def undisturbed(scenario: Scenario, turn: Turn | None = None) -> tuple[Ended, Any]:
    """How it ends without a fault, with the places of a turn counted, and what it comes to."""
    scenario.clean()
    ended = faults.run(scenario.call, turn)
    assert ended.status in (0, 1), ended.said
    return ended, scenario.state()


def outcomes(
    scenario: Scenario, kind: str, turns: Callable[[int], Iterable[int]], strike: Callable[[Exception], None]
) -> Iterator[tuple[int, Ended, str]]:
    """(places of this kind, how it ended, why it did not survive) for every turn at which a place fails."""
    ended, expected = undisturbed(scenario, Turn(kind, str(scenario.folder)))
    for turn in turns(ended.places):
        scenario.clean()
        met = faults.run(scenario.call, Turn(kind, str(scenario.folder), turn, strike))
        yield ended.places, met, survived(scenario, expected, met)


def full(scenario: Scenario, sizes: int = STEPS) -> Iterator[tuple[int, Ended, str]]:
    """The same on disks on which no file grows beyond a size: from nothing to the largest that the scenario makes."""
    _, expected = undisturbed(scenario)
    largest = max(path.stat().st_size for path in scenario.folder.rglob("*") if path.is_file())
    steps = range(0, largest, max(1, largest // sizes))
    for size in steps:
        scenario.clean()
        met = faults.run(scenario.call, size=size)
        yield len(steps), met, survived(scenario, expected, met)


def line(scenario: str, operation: str, fault: str, found: Iterable[tuple[int, Ended, str]]) -> tuple[list, list[str]]:
    """A line of the table, and what was lost, a sentence each."""
    count, lost, places = Counter[str](), [], 0
    for number, (passed, ended, why) in enumerate(found, 1):
        places = passed
        count["tried"] += 1
        count["killed" if ended.status < 0 else "one line" if ended.status == 3 else "went on"] += 1
        if why:
            lost.append(f"{scenario}, {operation}, place {number}, {fault}: {why}")
    return [scenario, operation, fault, places, *(count[name] for name in HEAD[4:8]), len(lost)], lost


FALSE = '@inequality_claim(coins.odd_sum, severity="constant", python=WITNESS, note="off by one")'


def prepared(folder: Path, false: bool = True) -> Path:
    """The invented paper with what it has accepted; its false lemma, whose witness asks for a process, if wanted."""
    name = "coins" if false else "fair_coins"
    paper = Path(shutil.copytree(PAPER, folder / name, ignore=shutil.ignore_patterns("__pycache__", "reports")))
    if not false:
        checks = paper / "coins_checks.py"
        checks.write_text(checks.read_text().replace(FALSE, ""))
    for call in (command("run", paper, "--jobs", "1", "--out", folder / "first"), command("accept", paper)):
        assert (ended := faults.run(call)).status in (0, 1), ended.said
    return paper


def every(folder: Path) -> Iterator[tuple[str, str, str, Iterator[tuple[int, Ended, str]]]]:
    """(scenario, operation, fault, what was found) of every line of the table; it is found when it is asked for."""
    paper, fair, out = prepared(folder), prepared(folder, false=False), folder / "out"
    one, two = deciding(out, fair), deciding(out, fair, jobs=2)
    witness, accept = deciding(out, paper), accepting(out, paper)
    witness.name, witness.kinds = "run, with a witness", ("process",)
    for scenario in (one, witness, deciding(out, fair, pages=True), accept, spending(out)):
        for kind in scenario.kinds:
            for fault, strike in (("it fails", raised), ("the process is killed", killed)):
                found = outcomes(scenario, kind, lambda places: range(1, places + 1), strike)
                yield scenario.name, OPERATIONS[kind], fault, found
        if scenario is not witness:
            yield scenario.name, "a file grows", "the disk is full", full(scenario)
    found = outcomes(two, "worker", lambda places: range(1, places + 1), raised)
    yield two.name, OPERATIONS["worker"], "a worker is killed", found
    found = outcomes(two, "database", lambda places: range(1, places + 1), killed)
    yield two.name, OPERATIONS["database"], "the process is killed", found


def main(notes: Path | None = None) -> int:
    """Write the table; with a folder for `notes`, only the lines that are not there yet are found."""
    lines, lost = [], list[str]()
    with tempfile.TemporaryDirectory() as place:
        for number, (scenario, operation, fault, found) in enumerate(every(Path(place))):
            note = notes and notes / f"{number}.json"
            if note and note.exists():
                lines.append(json.loads(note.read_text()))
                continue
            each, sentences = line(scenario, operation, fault, found)
            print(*each, sep="  ", flush=True)
            lines.append(each)
            lost += sentences
            if note and not sentences:
                replace_file(note, json.dumps(each))
    print(*lost, sep="\n")
    if notes:
        counted(notes, sum(int(each[HEAD.index("tried")]) for each in lines), len(lost))
    if not lost:
        write_table(TABLE, HEAD, lines)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
