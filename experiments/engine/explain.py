"""`marginalia explain ID`: everything about one statement, in the terminal."""

from __future__ import annotations

import inspect
import json
import textwrap

from bounds import papers
from bounds.theorem import THEOREMS
from experiments.engine.ledger import ledger

SHOWN = ("scope", "evidence", "severity", "corrected_by", "tightness", "nonvacuous_from", "smallest_caught", "trials")


def explained(name, keys, store, root):
    """The text for an id, key or topic: every row of the statement that has a record."""
    rows = [row for row in ledger(store, root) if row["key"] in keys or name in (row["id"], row["parent"], row["key"])]
    return "\n\n".join(one(row) for row in rows)


def one(row):
    """One row as text."""
    paper = papers.PAPERS[row["paper"]]
    theorem = THEOREMS.get(row["key"])
    verdict = f"{row['verdict']} ({row['reason']})" if row["reason"] else row["verdict"]
    lines = [f"{row['key']}: {row['title']}", f"  {row['label']} of {paper.authors} ({paper.year})"]
    if theorem:
        lines.append(f"  statement   {theorem.says}")
        lines += [f"  hypothesis  {h.range}" for h in theorem.needs]
        lines.append(textwrap.indent(inspect.getdoc(theorem.formula) or "", "    | "))
    lines.append(f"  verdict     {verdict}")
    if row["control"]:
        lines.append(f"  control     {row['control']}")
    lines += [f"  {name.replace('_', ' '):11} {row[name]}" for name in SHOWN if row[name]]
    if row["note"]:
        lines.append(textwrap.fill(row["note"], 110, initial_indent="  note        ", subsequent_indent=" " * 14))
    witness = dict(row["witness"] or {})
    python = witness.pop("python", "")
    if witness:
        lines.append(f"  witness     {json.dumps(witness, ensure_ascii=False, default=str)}")
    if python:
        lines.append(textwrap.indent(python, "    > "))
    return "\n".join(lines)
