"""`make wild [LIBRARY=name [TARGET=function]]`: audit every library in an environment of its own below .wild/.

reports/published/wild.csv has a row a target, written as it comes, with the digests of the search that made it
(`search`: mechanisms/audit) and of what was audited how (`written`: the target with what its file shares, the pinned
packages, `audited.py`). A row that has today's digests is not made again, so that a run which was stopped goes on where
it was; the others stay as they are until they are renewed, and the page marks them. A library that cannot be installed
or imported is said on stderr, with exit status 1.
"""

from __future__ import annotations

import csv
import datetime
import json
import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemmata.experiments.engine.ground.files import write_table
from lemmata.experiments.engine.running.workers import ONE_THREAD
from lemmata.experiments.report.drawn import digest
from lemmata.experiments.report.wild import searching
from lemmata.tools.wild.targets import in_words, listed

HERE = Path(__file__).parent
CHECKOUT = HERE.resolve().parents[1]
TABLE, ENVIRONMENTS = CHECKOUT / "reports/published/wild.csv", CHECKOUT / ".wild"
COLUMNS = (
    *("library", "version", "target", "kind", "issue", "says", "claim", "claimed", "verdict", "bound", "caught"),
    *("releases", "seconds", "pair", "place", "named", "note", "unfound", "code", "search", "written", "date"),
)


@dataclass(frozen=True)
class Library:
    """A line of libraries.toml."""

    name: str
    version: str
    targets: str
    requires: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where its environment is made."""
        return ENVIRONMENTS / f"{self.name.replace(' ', '-')}-{self.version}"


def libraries(text: str) -> list[Library]:
    """The libraries of a TOML text. Raises ValueError for a key that is none and for a version that pip may choose."""
    found = []
    for entry in tomllib.loads(text)["library"]:
        if unknown := set(entry) - set(Library.__dataclass_fields__):
            raise ValueError(f"library {entry.get('name')!r} has the unknown key {min(unknown)!r}")
        library = Library(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()})
        pins = [pin for pin in library.requires + library.alone if pin.endswith(f"=={library.version}")]
        if (library.requires or library.alone) and not pins:
            raise ValueError(f"library {library.name!r} is not pinned at its version {library.version}")
        found.append(library)
    return found


def prepared(library: Library) -> Path:
    """The interpreter of a library's environment, made if it is missing: the library, and what this package needs."""
    python, done = library.folder / "bin/python", library.folder / "done"
    if not done.exists():
        venv.create(library.folder, with_pip=True, clear=True)
        ours = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
        install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*install, *library.requires, *ours], check=True)
        if library.alone:
            subprocess.run([*install, "--no-deps", *library.alone], check=True)
        done.touch()
    return python


def audited(library: Library, due: dict[str, dict]) -> Iterator[dict[str, Any]]:
    """The rows of the targets of a library that are due, as they come; this checkout is on their path.

    Each has a process of its own: what a library keeps of every call, as diffprivlib its spent budget, slows the next.
    """
    command = [str(prepared(library)), "-W", "ignore", "-m", "lemmata.tools.wild.audited", library.targets]
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": str(CHECKOUT)}
    for name in due:
        asked = [*command, library.version, name]
        said = subprocess.run(asked, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in said.splitlines():
            row = json.loads(line)
            yield row | due[row.pop("function")] | {"date": datetime.date.today().isoformat()}


def merged(old: Iterable[dict], new: Iterable[dict], order: list[tuple[str, ...]]) -> list[dict]:
    """All rows in the order of (library, version, target), new ones in place of old ones; without those not in it."""
    rows = {which(row): row for row in (*old, *new)}
    return [rows[place] for place in order if place in rows]


def declared(library: Library) -> dict[str, dict[str, str]]:
    """By function, which target of a library it is and the digests of today, read without importing the library."""
    how = (HERE / "audited.py").read_text(encoding="utf-8"), *library.requires, *library.alone
    told = {"library": library.name, "version": library.version, "search": searching()}
    texts = listed((HERE / f"{library.targets}.py").read_text(encoding="utf-8"))
    return {
        name: told | {"target": in_words(name), "written": digest("\0".join((*how, text)).encode())}
        for name, text in texts.items()
    }


def due(library: Library, rows: Iterable[dict], only: str = "") -> dict[str, dict[str, str]]:
    """The same of the targets, or of the one named, of which the table has no row with these digests."""
    kept = {(*which(row), row["search"], row["written"]) for row in rows}
    return {
        name: told
        for name, told in declared(library).items()
        if only in ("", name) and (*which(told), told["search"], told["written"]) not in kept
    }


def which(row: dict) -> tuple[str, ...]:
    """(library, version, target) of a row."""
    return row["library"], row["version"], row["target"]


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a table of audits, or none where there is no file. Raises ValueError for other columns."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path.name} has the columns {reader.fieldnames}, not {list(COLUMNS)}")
        return list(reader)


def write(rows: list[dict], path: Path) -> None:
    """The table, in one piece."""
    write_table(path, COLUMNS, ([row.get(name, "") for name in COLUMNS] for row in rows))


def main(only: str = "", target: str = "") -> int:
    """Audit what is due of all libraries, of those whose name begins with `only`, or of a target; 1 if one fails."""
    chosen, status = libraries((HERE / "libraries.toml").read_text(encoding="utf-8")), 0
    order = [which(told) for library in chosen for told in declared(library).values()]
    for library in chosen:
        wanted = due(library, table(TABLE), target)
        if not wanted or not library.name.lower().startswith(only.lower()):
            continue
        print(f"{library.name} {library.version}", file=sys.stderr)
        try:
            for row in audited(library, wanted):
                print(f"  {row['target']}: {row['verdict']}", file=sys.stderr)
                write(merged(table(TABLE), [row], order), TABLE)
        except subprocess.CalledProcessError as error:
            print(f"{library.name} {library.version} was left out: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
