"""Checks of one row of a paper; each returns messages about what is wrong."""

from collections.abc import Mapping

from lemmata.bounds.statement.verdicts import REFUTED, SLIP, VACUOUS
from lemmata.experiments.conformance.accepted import Accepted
from lemmata.experiments.conformance.stated_formulas import compare_formula
from lemmata.experiments.engine.claims.claim import CLAIMS

LINES = 15  # at most, in a witness program


def verdict(row: Mapping, line: Accepted | None) -> list[str]:
    """Whether verdict and statement are the accepted ones."""
    if line is None:
        return [f"its verdict {came(row['verdict'], row['reason'])} is not accepted yet; run `lemmata accept`"]
    found = []
    if (row["verdict"], row["reason"]) != (line.verdict, line.reason):
        accepted, now = came(line.verdict, line.reason), came(row["verdict"], row["reason"])
        note = f": {row['note']}" if row["note"] else ""
        found.append(f"its verdict was accepted as {accepted} and is now {now}{note}")
    if row["digest"] != line.digest:
        before, now = line.digest[:8], row["digest"][:8]
        found.append(f"its statement has changed since it was accepted (digest {before}, now {now})")
    return found


def came(outcome: str, reason: str) -> str:
    """A verdict and its reason in words."""
    return f"{outcome} ({reason})" if reason else outcome


def control(row: Mapping) -> list[str]:
    """Whether the control is refuted; a refuted row needs none, as its program shows more."""
    claim = CLAIMS[row["key"]]
    if not claim.control and claim.corrected_by not in CLAIMS:
        if row["verdict"] == REFUTED:
            return []
        return ["it has no control, and no corrected reading with one, so nothing shows that its check can fail"]
    if row["control"] != REFUTED and row["verdict"] != VACUOUS:
        return [f"its control must be REFUTED, got {row['control'] or 'no verdict'}"]
    return []


def refutation(row: Mapping) -> list[str]:
    """Whether a refuted row has a severity, a setting and a program."""
    if row["verdict"] not in (REFUTED, SLIP):
        return []
    claim, found = CLAIMS[row["key"]], []
    if row["reading"] == "printed" and not (row["severity"] or claim.is_slip or claim.law):
        found.append("it is refuted and needs a severity: privacy, statement or constant")
    witness = row["witness"] or {}
    if witness.get("setting") is None:
        found.append("it is refuted and needs the setting of its counterexample")
    python = str(witness.get("python") or "").strip()
    if not python:
        return [*found, "it is refuted and needs a program, python=..."]
    return [*found, *program(python)]


def program(python: str) -> list[str]:
    """Whether a witness program is short and ends in an assertion. The verdict already says that it passes."""
    lines, found = python.splitlines(), []
    if len(lines) > LINES:
        found.append(f"its program must have at most {LINES} lines, got {len(lines)}")
    if not lines[-1].startswith("assert"):
        found.append("its program must end in an assertion")
    return found


def sound(row: Mapping) -> list[str]:
    """Whether our own code is not refuted, and all rows that it depends on have claims."""
    claim, found = CLAIMS[row["key"]], []
    if claim.law and row["verdict"] in (REFUTED, SLIP):
        found.append("our own mechanism violates its guarantee")
    found += [f"it depends on {link}, which has no claim" for link in claim.given if link not in CLAIMS]
    if claim.corrected_by and claim.corrected_by not in CLAIMS:
        found.append(f"it is corrected by {claim.corrected_by}, which has no claim")
    return found


def formula(row: Mapping) -> list[str]:
    """Whether the LaTeX of a row and its function say the same number, as far as it can be read."""
    difference = compare_formula(CLAIMS[row["key"]].theorem).difference
    return [difference] if difference else []


def problems(row: Mapping, line: Accepted | None) -> list[str]:
    """All messages for one row."""
    return [*verdict(row, line), *control(row), *refutation(row), *sound(row), *formula(row)]
