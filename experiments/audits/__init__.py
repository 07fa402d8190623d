"""Audits of black boxes: any two samplers on neighbouring datasets, attacked until a claimed guarantee breaks."""

from __future__ import annotations

import csv
from importlib import resources


def committed(name: str) -> list[dict[str, str]]:
    """The rows of a table that is kept beside this file: "replayed", "canaries", "power", "planted", ...."""
    text = (resources.files(__name__) / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
