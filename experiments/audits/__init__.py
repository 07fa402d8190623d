"""Audits of black boxes: studies of how strong the auditor is, how rarely it errs, and what it finds in others' code.

Mechanisms with known privacy, the measured tables (a CSV file each, made by `python -m` of its module) and their
figures belong here; the auditor belongs to `lemmata.mechanisms.audit`, and a page to the report.
Modules of this package import the engine, the comparison and what is below, and never the report.
"""

from pathlib import Path

from lemmata.bounds.catalogue.paper_file import read_table


def read_committed(name: str) -> list[dict[str, str]]:
    """The rows of a table that is kept beside this file: "replayed", "canaries", "power", "planted", ...."""
    return read_table(Path(__file__).with_name(f"{name}.csv"))
