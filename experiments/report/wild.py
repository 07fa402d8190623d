"""The page "In the wild": released libraries of others under our audit, from the table that `make wild` writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lemmata.bounds.verdicts import REFUTED
from lemmata.experiments.engine import published

OURS, THEIRS = "lemmata", "DP-Auditorium"
KNOWN, HONEST, NOT_AUDITED = "known bug", "honest", "NOT_AUDITED"


def lines(reports: Path) -> list[dict[str, str]]:
    """The rows of the committed table, known bugs first within a library; none where it is not at hand."""
    rows = published.table(reports, "wild")
    order = list(dict.fromkeys((row["library"], row["version"]) for row in rows))
    return sorted(rows, key=lambda row: (order.index((row["library"], row["version"])), row["kind"] != KNOWN))


def shown(rows: list[dict[str, str]], auditorium: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """What the page says of them: the rows with words of their own, everything counted, and what stands beside."""
    once = {(row["library"], row["target"]): row for row in rows if row["kind"] == KNOWN}  # whatever the versions
    bugs = list(once.values())
    found = [row for row in bugs if row["verdict"] == REFUTED]
    kept = [row for row in rows if row["kind"] != KNOWN]
    return {
        "rows": [row | {"came": came(row), "cited": cited(row["issue"])} for row in rows],
        "auditorium": auditorium,
        "targets": len(rows),
        "libraries": len({row["library"] for row in rows}),
        "bugs": len(bugs),
        "found": len(found),
        "of": len({row["library"] for row in found}),
        "named": sum(row["named"] == "yes" for row in found),
        "missed": [row for row in bugs if row["verdict"] != REFUTED],
        "kept": len(kept),
        "wronged": [row for row in kept if row["verdict"] == REFUTED],
        "silent": [row for row in kept if row["verdict"] == NOT_AUDITED],
        "releases": sorted(int(row["releases"]) for row in found),
        "seconds": sorted(float(row["seconds"]) for row in found),
        "dates": sorted({row["date"] for row in rows}),
    }


def beside(reports: Path) -> list[dict[str, Any]]:
    """A row a mechanism of DP-Auditorium's own: what its search needed there, and what ours did."""
    rows = published.table(reports, "auditorium")
    by = {(row["mechanism"], row["by"]): row for row in rows}
    names = {row["mechanism"]: row["says"] for row in rows}
    return [
        {"mechanism": name, "says": says, "ours": by.get((name, OURS)), "theirs": by.get((name, THEIRS))}
        for name, says in names.items()
    ]


def came(row: dict[str, str]) -> str:
    """What came out, in words."""
    if row["verdict"] == REFUTED:
        return "refuted"
    if row["verdict"] == NOT_AUDITED:
        return "nothing was audited"
    if row["kind"] == KNOWN:
        return "not found"
    told_apart = f"survived; {row['caught']} times its leak would have been caught"
    return told_apart if row["caught"] else "survived; the datasets looked alike"


def cited(issue: str) -> str:
    """`opendp/opendp 2911` of an issue's address, the file's name of another one, the paper as it is written."""
    if not issue.startswith("https://github.com/"):
        return issue
    parts = issue.removeprefix("https://github.com/").split("/")
    return f"{parts[0]}/{parts[1]} {parts[-1]}"
