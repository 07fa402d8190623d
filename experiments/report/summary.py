"""What the ledger comes to, in counts: machine-checked, derived, citing and tested, never one word for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lemmata.bounds.statement.verdicts import REFUTED, SLIP
from lemmata.experiments.engine.ledger.graph import format_tally, tally
from lemmata.experiments.engine.ledger.headline import describe_charity
from lemmata.experiments.engine.ledger.row import Row


def headline(rows: Iterable[Row]) -> list[Row]:
    """The rows that are counted: no parts, no proof steps, no attacks on our own code."""
    return [row for row in rows if not row["parent"]]


def refuted_as_printed(rows: Iterable[Row]) -> list[Row]:
    """The headline's bad news."""
    return [row for row in headline(rows) if row["verdict"] == REFUTED and row["reading"] == "printed"]


def slips(rows: Iterable[Row]) -> list[Row]:
    """The printed rows that are true but for an edge case: statements, parts and steps, each once."""
    return [row for row in rows if row["verdict"] == SLIP and row["kind"] != "summary"]


def by_reading(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """{reading: tally of its headline rows}: printed, corrected, explicit, rate."""
    readings: dict[str, list[Row]] = {"printed": [], "corrected": [], "explicit": []}
    for row in headline(rows):
        readings.setdefault(row["reading"].split("[")[0], []).append(row)
    return {reading: tally(group) for reading, group in readings.items() if group}


def summary_lines(rows: list[Row]) -> list[str]:
    """The summary in plain text; refuted printed statements are named, and slips with where they are true."""
    lines = [f"{reading} statements: {format_tally(tallied)}" for reading, tallied in by_reading(rows).items()]
    if broken := refuted_as_printed(rows):
        lines.append("refuted as printed:")
        lines += [f"  {row['id']:18} {row['severity'] or '-':10} {row['headline']}" for row in broken]
    if slipped := headline(row for row in rows if row["verdict"] == SLIP):
        lines.append("slips, true but for an edge case or a misprint:")
        lines += [f"  {row['id']:18} {row['label']:22} {describe_charity(row)}" for row in slipped]
    impl = [row for row in rows if row["part"].startswith("impl:")]
    attacked = [row for row in impl if row["kind"] == "privacy"]
    survived, blind = (sum(row["reason"] == reason for row in attacked) for reason in ("AUDIT_ONLY", "NO_POWER"))
    lines.append(
        f"our own mechanisms under attack: {survived} of {len(attacked)} survived, {blind} could not have failed"
    )
    lines += [f"  RED: {row['key']} is {row['verdict']}" for row in impl if row["verdict"] == REFUTED]
    return lines
