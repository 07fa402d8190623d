"""The published ledger of the last full run: in a folder of results, in this package, or beside a `paper.toml`."""

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import lemmata
from lemmata.bounds.library import PaperError, library
from lemmata.bounds.statement.verdicts import OPEN
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.claims.verdict import current_reason
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.ledger.sentences import orient_sides

RECORD = "ledger.csv"
SHIPPED = Path(lemmata.__file__).parent / "published" / RECORD
NESTED = (
    *("skipped", "searched", "tightness", "attained", "slack", "witness", "used", "restated", "rests_on", "cites"),
    *("where", "literature"),
)
LATER = ("basis", "misprint", "undecided", "finding", "headline")  # columns that older tables lack
NUMBERS = ("cells", "cells_held", "cells_vacuous", "trials", "root", "nonvacuous_from")


def read_rows(reports: str | Path) -> dict[str, Row]:
    """{key: row} of the published ledger, as the machine's interface has them; nothing where none is found.

    With the rows of the papers that are installed: each of them brings its own, as `lemmata accept` wrote them.
    """
    path = next((p for p in (Path(reports) / "published" / RECORD, SHIPPED) if p.exists()), None)
    rows = _read_record(path) if path else {}
    for paper in library.papers.values():
        if paper.is_installed and (paper.folder / RECORD).exists():  # what it says of the papers of others is not heard
            brought = _read_record(paper.folder / RECORD)
            rows |= {key: row for key, row in brought.items() if row["paper"] == paper.id}
    return rows


def _read_record(path: Path) -> dict[str, Row]:
    csv.field_size_limit(sys.maxsize)
    try:
        with path.open(newline="", encoding="utf-8") as lines:
            return {row["key"]: _typed(row) for row in csv.DictReader(lines, strict=True)}
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        raise PaperError(f"{path}: cannot be read as a published ledger ({type(error).__name__}: {error})") from None


def _typed(row: dict[str, str]) -> Row:
    nested = {name: json.loads(row[name]) if row.get(name) else None for name in NESTED}
    numbers = {name: int(float(row[name])) if row.get(name) else None for name in NUMBERS}
    made: dict[str, Any] = dict.fromkeys(LATER, "")
    made |= row | nested | numbers | {"reconstructed": row.get("reconstructed") == "True"}
    made["witness"] = orient_sides(row["key"], made["witness"])  # an older table has the sides as the check does
    made["reason"] = current_reason(row.get("reason") or "")
    return cast(Row, made)


def fill_open_rows(fresh: Sequence[Row], reports: str | Path, root: int) -> list[Row]:
    """The `fresh` rows, but those that nobody has run as they were published, where statement and root are the same.

    A summary is taken over where all of its parts then say what was published.
    """
    published = {key: row for key, row in read_rows(reports).items() if row["root"] == root}
    digests = {key: row["digest"] for key, row in published.items()}
    said = {row["key"]: row for row in fresh if row["digest"] == digests.get(row["key"])}
    same = {key for key, row in said.items() if row["verdict"] == OPEN and row["kind"] != "summary"}
    agreed = same | {key for key, row in said.items() if row["verdict"] == published[key]["verdict"]}
    parts = {key: set(row["rests_on"]) for key, row in published.items() if row["kind"] == "summary"}
    same |= {key for key, those in parts.items() if those <= agreed and those & same}
    return [published[row["key"]] if row["key"] in same else row for row in fresh]


def recall_statement(id: str, reports: str | Path, root: int) -> list[Row] | None:
    """All rows as they were published, if those of the statement or step `id` are those of today, word for word."""
    found = list(read_rows(reports).values())
    published = {row["key"]: row["digest"] for row in found if id in (row["id"], row["parent"])}
    registry.load(registry.find_modules(id))
    now = {claim.key: claim.theorem for claim in CLAIMS.values()} | THEOREMS
    mine = {key: theorem.digest for key, theorem in now.items() if id in (theorem.id, theorem.parent)}
    made = [row["key"] for row in found if row["kind"] == "summary"]
    same = mine == {key: digest for key, digest in published.items() if key not in made}
    own = [row for row in found if row["paper"] == library.paper(id).id]
    return found if same and all(row["root"] in (root, None) for row in own) else None


def is_about(row: Row, kind: str, name: str) -> bool:
    """Whether a row is of the paper, module, statement, step or row that is called `name`."""
    if kind == "paper":
        return row["paper"] == name
    if kind == "module":
        return library.modules[library.statement_of(row["id"])] == name
    return name in (row["key"], row["id"], row["parent"]) or row["key"].startswith(f"{name}/")
