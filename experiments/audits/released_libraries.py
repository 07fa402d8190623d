"""The page "In the wild": released libraries of others under our audit, from the table that `make wild` writes."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.mechanisms import audit

OURS, THEIRS = "lemmata", "DP-Auditorium"
LEVELS = "0.05", "1e-10"  # theirs, and ours
KNOWN, HONEST, NOT_AUDITED = "known bug", "honest", "NOT_AUDITED"


def digest_search() -> str:
    """The digest of the search and its evidence as they stand here: what a row of the table was made with."""
    files = sorted(Path(audit.__file__).parent.rglob("*.py"))
    return hashlib.blake2b(b"".join(path.read_bytes() for path in files), digest_size=8).hexdigest()


def read_rows(reports: Path) -> list[dict[str, str]]:
    """The rows of the committed table, as the page has them; none where it is not at hand."""
    return sort_rows(read_table(reports / "published" / "wild.csv"))


def sort_rows(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows by library in their order, known bugs first within one."""
    order = list(dict.fromkeys((row["library"], row["version"]) for row in rows))
    return sorted(rows, key=lambda row: (order.index((row["library"], row["version"])), row["kind"] != KNOWN))


def describe_rows(rows: list[dict[str, str]], auditorium: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """What the page says of them: the rows with words of their own, everything counted, and what stands beside."""
    once = {(row["library"], row["target"]): row for row in rows if row["kind"] == KNOWN}  # whatever the versions
    bugs = list(once.values())
    found = [row for row in bugs if row["verdict"] == REFUTED]
    kept = [row for row in rows if row["kind"] != KNOWN]
    today = digest_search()
    return {
        "rows": [
            row
            | {"came": describe_outcome(row), "cited": describe_source(row["issue"]), "fresh": row["search"] == today}
            for row in rows
        ],
        "fresh": sum(row["search"] == today for row in rows),
        "auditorium": auditorium,
        "against": compare_searches(auditorium),
        "single": any(int(row["alike"]["runs"]) == 1 for row in auditorium if row["alike"]),
        "aged": any(row[side]["version"] != today for row in auditorium for side in ("alike", "ours") if row[side]),
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
        "powered": sum(bool(row["caught"]) for row in kept if row["verdict"] not in (REFUTED, NOT_AUDITED)),
        "releases": sorted(int(row["releases"]) for row in found),
        "seconds": sorted(float(row["seconds"]) for row in found),
        "dates": sorted({row["date"] for row in rows}),
    }


def read_auditorium(reports: Path) -> list[dict[str, Any]]:
    """A row a mechanism of DP-Auditorium's own: what its search needed there, and what ours did at either level."""
    rows = read_table(reports / "published" / "auditorium.csv")
    by = {(row["mechanism"], row["by"], row["level"]): row for row in rows}
    names = {row["mechanism"]: row["says"] for row in rows}
    return [
        {"mechanism": name, "says": says, "theirs": by.get((name, THEIRS, LEVELS[0]))}
        | {side: by.get((name, OURS, level)) for side, level in zip(("alike", "ours"), LEVELS, strict=True)}
        for name, says in names.items()
    ]


def compare_searches(auditorium: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """At its level, what either found in some run: the share that our median is of its, and if the runs are `apart`.

    Unless more than half of a side's runs found it, their median is what they may draw: no share is told of that.
    Apart: some of its runs found it, and every run of ours with fewer releases than any of its.
    """
    compared = []
    for row in auditorium:
        theirs, alike = row["theirs"], row["alike"]
        if theirs and alike and (int(theirs["found"]) or int(alike["found"])):
            most = all(2 * int(side["found"]) > int(side["runs"]) for side in (theirs, alike))
            share = f"{int(alike['releases']) / int(theirs['releases']):.0%}" if most else ""
            both = int(theirs["found"]) and alike["found"] == alike["runs"]
            apart = bool(both) and int(alike["most"]) < int(theirs["least"])
            compared.append(row | {"share": share, "apart": apart})
    return compared


UNTOLD = {
    "NO_POWER": "no conclusion: no attacker distinguished the datasets",
    "BUDGET": "no conclusion: too few releases to detect any leak",
    "INTERRUPTED": "stopped before its end",
}


def describe_outcome(row: dict[str, str]) -> str:
    """What came out, in words: what is not refuted is not private for that."""
    if row["verdict"] == REFUTED:
        return "refuted"
    if row["verdict"] == NOT_AUDITED:
        return "nothing was audited"
    which = "not found" if row["kind"] == KNOWN else "not refuted"
    caught = f"{row['caught']} times its leak would have been detected" if row["caught"] else ""
    return "; ".join(filter(None, (which, UNTOLD.get(row["note"], caught))))


def describe_source(issue: str) -> str:
    """`opendp/opendp 2911` of an issue's address, the file's name of another one, the paper as it is written."""
    if not issue.startswith("https://github.com/"):
        return issue
    parts = issue.removeprefix("https://github.com/").split("/")
    return f"{parts[0]}/{parts[1]} {parts[-1]}"
