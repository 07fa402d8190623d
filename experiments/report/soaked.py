"""What `make soak` wrote down of itself, a line a part, for the page "How verdicts are made"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lemmata.bounds.library import PaperError
from lemmata.experiments.engine.ground.files import read_table

TABLE = "published/soak.csv"
HEAD = ("part", "tried", "failed", "minutes", "date", "commit", "version")
PARTS = {
    "tests": "every test but those of the next line",
    "soak": "operating characteristics, kills, every number of every formula",
    "faults": "an operation fails, or the process is killed there",
    "kernels": "rows of the ledger with this processor's and with the oldest BLAS kernels",
    "verdicts": "verdicts at a root that nobody has seen",
}


def lines(reports: Path) -> list[dict[str, Any]]:
    """The lines of the table, in the order of `PARTS`: counts are whole, minutes a number. Raises `PaperError`."""
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(read_table(reports / TABLE, HEAD), 2):
        part, wrong = line["part"], f"{reports / TABLE}: record {number}:"
        if part not in PARTS or part in found:
            raise PaperError(f"{wrong} part = {part!r} is none of {', '.join(PARTS)}, or stands there twice")
        for name in ("tried", "failed", "minutes"):
            if not (line[name].isascii() and line[name].isdigit()):
                raise PaperError(f"{wrong} {name} = {line[name]!r} is no whole number")
        numbers = {name: int(line[name]) for name in ("tried", "failed", "minutes")}
        if numbers["failed"] > numbers["tried"]:
            raise PaperError(f"{wrong} failed = {line['failed']} is more than tried = {line['tried']}")
        found[part] = line | numbers
    return [found[part] for part in PARTS if part in found]


def shown(reports: Path) -> dict[str, Any] | None:
    """What the page says of them: the lines with their words, and which parts have none; nothing without a table."""
    found = lines(reports)
    missing = [words for part, words in PARTS.items() if part not in {line["part"] for line in found}]
    rows = [line | {"words": PARTS[line["part"]]} for line in found]
    return {"rows": rows, "missing": missing, "minutes": sum(line["minutes"] for line in found)} if rows else None
