"""What `make soak` wrote down of itself, a line a part, for the page "How verdicts are made"."""

from pathlib import Path
from typing import Any

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.library import PaperError

TABLE = "published/soak.csv"
HEAD = ("part", "tried", "failed", "minutes", "date", "commit", "version")
PARTS = {
    "tests": "all tests except those of the next line",
    "soak": "operating characteristics, kills, every number of every formula",
    "faults": "operations that fail, and kills of the process",
    "kernels": "rows of the ledger with this processor's and with the oldest BLAS kernels",
    "verdicts": "verdicts at a fresh root seed",
    "strangers": "pages of a stranger's paper, and formulas, at random",
    "deep": "verdicts with the settings of the deep profile, at a fresh root seed",
}


def read_lines(reports: Path) -> list[dict[str, Any]]:
    """The lines of the table, in the order of `PARTS`: counts are whole, minutes a number. Raises `PaperError`."""
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(read_table(reports / TABLE, HEAD), 2):
        part, wrong = line["part"], f"{reports / TABLE}: record {number}:"
        if part not in PARTS or part in found:
            raise PaperError(f"{wrong} part must be one of {', '.join(PARTS)}, each once, got {part!r}")
        for name in ("tried", "failed", "minutes"):
            if not (line[name].isascii() and line[name].isdigit()):
                raise PaperError(f"{wrong} {name} must be an integer, got {line[name]!r}")
        numbers = {name: int(line[name]) for name in ("tried", "failed", "minutes")}
        if numbers["failed"] > numbers["tried"]:
            raise PaperError(f"{wrong} failed must be at most tried = {line['tried']}, got {line['failed']}")
        found[part] = line | numbers
    return [found[part] for part in PARTS if part in found]


def describe_soak(reports: Path) -> dict[str, Any] | None:
    """What the page says of them: the lines with their words, and which parts have none; nothing without a table."""
    found = read_lines(reports)
    missing = [words for part, words in PARTS.items() if part not in {line["part"] for line in found}]
    rows = [line | {"words": PARTS[line["part"]]} for line in found]
    return {"rows": rows, "missing": missing, "minutes": sum(line["minutes"] for line in found)} if rows else None
