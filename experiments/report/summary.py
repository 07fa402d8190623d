"""Counts of the ledger by kind of evidence: machine-checked, derived, citing and tested are counted apart."""

from collections import Counter
from collections.abc import Iterable

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED, SLIP
from lemmata.experiments.engine.ground.grouping import group_by
from lemmata.experiments.engine.ledger.graph import format_tally, tally
from lemmata.experiments.engine.ledger.headline import describe_charity, find_leading
from lemmata.experiments.engine.ledger.row import Row


def select_headline(rows: Iterable[Row]) -> list[Row]:
    """The row that decides each reading of a statement, with its headline: proof steps and our own code apart.

    Of a statement with a row of its own and parts it is that row, unless a part does not hold: then the worst of all,
    as in the headline.
    """
    chosen = []
    own = (row for row in rows if row["parent"] in ("", row["id"]) and not row["part"].startswith("impl:"))
    for group in group_by(own, lambda row: (row["id"], row["reading"])).values():
        head = next((row for row in group if not row["parent"]), group[0])
        worst = find_leading([head, *group])
        named: Row = worst | {"headline": head["headline"], "title": head["title"]}
        chosen.append(head if worst["verdict"] == HOLDS else named)
    return chosen


def select_refuted(rows: Iterable[Row]) -> list[Row]:
    """The statements that are refuted as printed."""
    return [row for row in select_headline(rows) if row["verdict"] == REFUTED and row["reading"] == "printed"]


def select_slips(rows: Iterable[Row]) -> list[Row]:
    """The slips among statements, parts and steps."""
    return [row for row in rows if row["verdict"] == SLIP and row["kind"] != "summary"]


def tally_by_reading(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """{reading: tally of its headline rows}: printed, corrected, explicit, rate."""
    first: dict[str, list[Row]] = {"printed": [], "corrected": [], "explicit": []}
    readings = first | group_by(select_headline(rows), lambda row: row["reading"].split("[")[0])
    return {reading: tally(group) for reading, group in readings.items() if group}


def summarize(rows: list[Row]) -> list[str]:
    """The summary in plain text, with the names of refuted printed statements and of slips."""
    lines = [f"{reading} statements: {format_tally(tallied)}" for reading, tallied in tally_by_reading(rows).items()]
    if broken := select_refuted(rows):
        lines.append("refuted as printed:")
        lines += [f"  {row['id']:18} {row['severity'] or '-':10} {row['headline']}" for row in broken]
    if slipped := [row for row in select_headline(rows) if row["verdict"] == SLIP]:
        lines.append("slips, true but for an edge case or a misprint:")
        lines += [f"  {row['id']:18} {row['label']:22} {describe_charity(row)}" for row in slipped]
    impl = [row for row in rows if row["part"].startswith("impl:")]
    attacked = [row for row in impl if row["kind"] == "privacy"]
    survived, blind = (sum(row["reason"] == reason for row in attacked) for reason in ("AUDIT_ONLY", "NO_POWER"))
    if attacked:
        whose = f"{survived} of {len(attacked)} survived, {blind} attacks had no power"
        lines.append(f"own mechanisms under attack: {whose}")
    lines += [f"  RED: {row['key']} is {row['verdict']}" for row in impl if row["verdict"] == REFUTED]
    return lines
