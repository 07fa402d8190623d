"""`make wild [LIBRARY=name [TARGET=function]]`: audit every library in an environment of its own below .wild/.

reports/published/wild.csv has a row a target, written as it comes. Rows that are not renewed stay as they are, and
their date tells their age; a library that cannot be installed or imported is said on stderr, with exit status 1.
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

from lemmata.experiments.engine.files import tabled
from lemmata.experiments.engine.workers import ONE_THREAD
from lemmata.tools.wild.targets import listed

HERE = Path(__file__).parent
CHECKOUT = HERE.resolve().parents[1]
TABLE, ENVIRONMENTS = CHECKOUT / "reports/published/wild.csv", CHECKOUT / ".wild"
COLUMNS = (
    *("library", "version", "target", "kind", "issue", "says", "claim", "claimed", "verdict", "bound", "caught"),
    *("releases", "seconds", "pair", "place", "named", "note", "unfound", "code", "date"),
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


def audited(library: Library, target: str = "") -> Iterator[dict[str, Any]]:
    """The rows of a library's targets, or of the one named, as they come; this checkout is on their path."""
    command = [str(prepared(library)), "-W", "ignore", "-m", "lemmata.tools.wild.audited", library.targets]
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": str(CHECKOUT)}
    today = {"library": library.name, "version": library.version, "date": datetime.date.today().isoformat()}
    command += [library.version, target]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            yield today | json.loads(line)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def merged(old: Iterable[dict], new: Iterable[dict], order: list[tuple[str, ...]]) -> list[dict]:
    """All rows in the order of (library, version, target), new ones in place of old ones; without those not in it."""
    rows = {_which(row): row for row in (*old, *new)}
    return [rows[which] for which in order if which in rows]


def declared(library: Library) -> list[tuple[str, ...]]:
    """(library, version, target) of every target of a library, read without importing it."""
    names = listed((HERE / f"{library.targets}.py").read_text(encoding="utf-8"))
    return [(library.name, library.version, name.replace("_", " ").strip()) for name in names]


def _which(row: dict) -> tuple[str, ...]:
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
    tabled(path, COLUMNS, ([row.get(name, "") for name in COLUMNS] for row in rows))


def main(only: str = "", target: str = "") -> int:
    """Audit all libraries, or those whose name begins with `only`, or a target of theirs; 1 if one could not be."""
    chosen, status = libraries((HERE / "libraries.toml").read_text(encoding="utf-8")), 0
    order = [which for library in chosen for which in declared(library)]
    for library in chosen:
        if not library.name.lower().startswith(only.lower()):
            continue
        print(f"{library.name} {library.version}", file=sys.stderr)
        try:
            for row in audited(library, target):
                print(f"  {row['target']}: {row['verdict']}", file=sys.stderr)
                write(merged(table(TABLE), [row], order), TABLE)
        except subprocess.CalledProcessError as error:
            print(f"{library.name} {library.version} was left out: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
