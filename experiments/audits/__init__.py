"""Audits of black boxes: studies of how strong the auditor is, how rarely it errs, and what it finds in others' code.

Mechanisms with known privacy, the measured tables (a CSV file each, made by `python -m` of its module) and their
figures belong here; the auditor belongs to `lemmata.mechanisms.audit`, and a page to the report.
Modules of this package import the engine, the comparison and what is below, and never the report.
"""

import csv
from importlib import resources


def read_committed(name: str) -> list[dict[str, str]]:
    """The rows of a table that is kept beside this file: "replayed", "canaries", "power", "planted", ...."""
    text = (resources.files(__name__) / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
