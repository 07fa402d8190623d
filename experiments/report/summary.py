"""What the ledger comes to, in counts: proved apart from held at the tested settings."""

from __future__ import annotations

from collections import Counter

from experiments.engine.verdict import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, OPEN, REFUTED, SLIP, VACUOUS

CLASSES = {
    "proved": "proved on the stated domain",
    "held": "held at the tested settings",
    "refuted": "refuted",
    "slip": "slips",
    "vacuous": "vacuous",
    "inconclusive": "inconclusive",
    "not-a-claim": "not a claim",
    "open": "open",
}


def class_of(row):
    """The class a row is counted and coloured under."""
    if row["verdict"] == HOLDS:
        return "held" if row["scope"] in ("settings", "") else "proved"
    return {
        REFUTED: "refuted",
        SLIP: "slip",
        VACUOUS: "vacuous",
        INCONCLUSIVE: "inconclusive",
        NOT_A_CLAIM: "not-a-claim",
        OPEN: "open",
    }[row["verdict"]]


def headline(rows):
    """The rows that are counted: no parts, no proof steps, no attacks on our own code."""
    return [row for row in rows if not row["parent"]]


def refuted_as_printed(rows):
    """The headline's bad news."""
    return [row for row in headline(rows) if row["verdict"] == REFUTED and row["reading"] == "printed"]


def slips(rows):
    """The printed rows that are true but for a corner: statements, parts and steps, each once."""
    return [row for row in rows if row["verdict"] == SLIP and row["kind"] != "summary"]


def tally(rows):
    """{reading: Counter of classes} over the headline rows: printed, corrected, explicit, rate."""
    found: dict = {"printed": Counter(), "corrected": Counter(), "explicit": Counter()}
    for row in headline(rows):
        found.setdefault(row["reading"].split("[")[0], Counter())[class_of(row)] += 1
    return {reading: counter for reading, counter in found.items() if counter}


def summary_lines(rows):
    """The summary in plain text; refuted printed statements are named, and slips with where they are true."""
    lines = []
    for reading, counter in tally(rows).items():
        numbers = ", ".join(f"{counter[c]} {text}" for c, text in CLASSES.items() if counter[c])
        lines.append(f"{reading} statements: {numbers}")
    if broken := refuted_as_printed(rows):
        lines.append("refuted as printed:")
        lines += [f"  {row['id']:18} {row['label']:22} {row['severity'] or '-':10} {row['title']}" for row in broken]
    if slipped := headline(row for row in rows if row["verdict"] == SLIP):
        lines.append("slips, true with a restriction that every use keeps:")
        lines += [f"  {row['id']:18} {row['label']:22} true for {row['corner']}" for row in slipped]
    impl = [row for row in rows if row["part"].startswith("impl:")]
    survived = sum(row["verdict"] == HOLDS or row["reason"] == "AUDIT_ONLY" for row in impl)
    lines.append(f"our own mechanisms under attack: {survived} of {len(impl)} survived")
    lines += [f"  RED: {row['key']} is {row['verdict']}" for row in impl if row["verdict"] == REFUTED]
    return lines
