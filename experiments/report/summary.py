"""Counts of the ledger by kind of evidence: machine-checked, derived, citing and tested are counted apart."""

import re
from collections import Counter
from collections.abc import Iterable

from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS, OPEN, REFUTED, SLIP
from lemmata.experiments.engine.ground.grouping import group_by
from lemmata.experiments.engine.ledger.graph import format_tally, tally
from lemmata.experiments.engine.ledger.headline import find_leading
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


def select_slips(rows: Iterable[Row]) -> list[Row]:
    """The slips among statements, parts and steps."""
    return [row for row in rows if row["verdict"] == SLIP and row["kind"] != "summary"]


def tally_by_reading(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """{reading: tally of its headline rows}: printed, corrected, explicit, rate."""
    first: dict[str, list[Row]] = {"printed": [], "corrected": [], "explicit": []}
    readings = first | group_by(select_headline(rows), lambda row: row["reading"].split("[")[0])
    return {reading: tally(group) for reading, group in readings.items() if group}


def is_main(label: str) -> bool:
    """Whether a label is that of a main result: a theorem, corollary or algorithm that is in no appendix.

    >>> is_main("Theorem 4.1"), is_main("Theorem L.1"), is_main("Lemma 6.4")
    (True, False, False)
    """
    return bool(re.match(r"(Theorem|Algorithm|Corollary)\b(?! [A-Z]\.)", label))


def summarize(rows: list[Row]) -> list[str]:
    """What a run ends with: whether the main results hold, what else is false or a slip, and counts."""
    printed = [row for row in select_headline(rows) if row["reading"] == "printed" and row["verdict"] != OPEN]
    lines = []
    for paper, own in group_by(printed, lambda row: row["paper"]).items():
        main = [row for row in own if is_main(row["label"])] or own
        lines.append(f"{library.papers[paper].cited}: {'main results' if main != own else 'statements'} as printed")
        lines += [f"  {row['verdict']:12} {row['headline']}" for row in main]
        for verdict, words in ((REFUTED, "false as printed"), (SLIP, "true but for an edge case or a misprint")):
            named = dict.fromkeys(row["label"] for row in own if row["verdict"] == verdict and row not in main)
            lines += [f"  {words}: {'; '.join(named)}"] if named else []
    lines += [f"{reading} statements: {format_tally(tallied)}" for reading, tallied in tally_by_reading(rows).items()]
    impl = [row for row in rows if row["part"].startswith("impl:")]
    attacked = [row for row in impl if row["kind"] == "privacy"]
    survived, blind = (sum(row["reason"] == reason for row in attacked) for reason in ("AUDIT_ONLY", "NO_POWER"))
    if attacked:
        whose = f"{survived} of {len(attacked)} survived, {blind} attacks had no power"
        lines.append(f"own mechanisms under attack: {whose}")
    lines += [f"  RED: {row['key']} is {row['verdict']}" for row in impl if row["verdict"] == REFUTED]
    return [*lines, "one statement, with its witness and what to cite instead: lemmata explain ID"]
