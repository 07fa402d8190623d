"""One row of a paper, asked whether it is what it says: the sentences about what is not as it should be."""

from __future__ import annotations

from collections.abc import Mapping

from lemmata.bounds.library import Paper
from lemmata.bounds.statement.verdicts import REFUTED, SLIP, VACUOUS
from lemmata.experiments.conformance.accepted import Accepted
from lemmata.experiments.engine.claims.claim import CLAIMS

LINES = 15  # of a witness's program, at most


def verdict(row: Mapping, line: Accepted | None) -> list[str]:
    """Is the verdict the one that was accepted, and the statement the one that was accepted with it?"""
    if line is None:
        return [f"it came to {came(row['verdict'], row['reason'])} and nobody has accepted that: `lemmata accept`"]
    found = []
    if (row["verdict"], row["reason"]) != (line.verdict, line.reason):
        accepted, now = came(line.verdict, line.reason), came(row["verdict"], row["reason"])
        found.append(f"it was accepted as {accepted} and came to {now}" + (f": {row['note']}" if row["note"] else ""))
    if row["digest"] != line.digest:
        found.append(f"what it states has changed since it was accepted ({line.digest[:8]} is {row['digest'][:8]} now)")
    return found


def came(outcome: str, reason: str) -> str:
    """A verdict and its reason in words."""
    return f"{outcome} ({reason})" if reason else outcome


def control(row: Mapping) -> list[str]:
    """Was the sabotaged twin caught?"""
    claim = CLAIMS[row["key"]]
    if not claim.control and claim.corrected_by not in CLAIMS:
        return ["it has no control, and no corrected reading that has one: nobody knows that its check can fail"]
    if row["control"] != REFUTED and row["verdict"] != VACUOUS:
        return [f"its control came out {row['control'] or 'without a verdict'}, not REFUTED"]
    return []


def refutation(row: Mapping) -> list[str]:
    """Does a row that fell say how badly, at what setting, and by which program?"""
    if row["verdict"] not in (REFUTED, SLIP):
        return []
    claim, found = CLAIMS[row["key"]], []
    if row["reading"] == "printed" and not (row["severity"] or claim.is_slip or claim.law):
        found.append("it fell and has no severity: privacy, statement or constant")
    witness = row["witness"] or {}
    if witness.get("setting") is None:
        found.append("it fell and shows no setting at which")
    python = str(witness.get("python") or "").strip()
    if not python:
        return [*found, "it fell and has no program that shows it: python=..."]
    return [*found, *program(python)]


def program(python: str) -> list[str]:
    """Is the program of a witness short, and does it end in an assertion? That it passes is what the verdict says."""
    lines, found = python.splitlines(), []
    if len(lines) > LINES:
        found.append(f"its program has {len(lines)} lines, more than {LINES}")
    if not lines[-1].startswith("assert"):
        found.append("its program does not end in an assertion")
    return found


def sound(row: Mapping, paper: Paper) -> list[str]:
    """Is it no finding about code of ours, and does it rest on rows that are there?"""
    claim, found = CLAIMS[row["key"]], []
    if claim.law and row["verdict"] in (REFUTED, SLIP):
        found.append("a mechanism of ours does not keep its guarantee")
    found += [f"it rests on {link}, and no claim decides that" for link in claim.given if link not in CLAIMS]
    if claim.corrected_by and claim.corrected_by not in CLAIMS:
        found.append(f"it is corrected by {claim.corrected_by}, and no claim decides that")
    return found


def problems(row: Mapping, line: Accepted | None, paper: Paper) -> list[str]:
    """All of this, for one row."""
    return [*verdict(row, line), *control(row), *refutation(row), *sound(row, paper)]
