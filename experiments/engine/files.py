"""A file is replaced as a whole: whoever reads meanwhile, a full disk and a kill find the old one or the new one."""

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def replaced(path: Path, text: str) -> None:
    """Put `text` in the place of `path` at once, its folder made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.part")
    try:
        made.write_text(text, encoding="utf-8", newline="")
        os.replace(made, path)
    finally:
        made.unlink(missing_ok=True)


def tabled(path: Path, head: Iterable[str], lines: Iterable[Iterable[Any]]) -> None:
    """The same with a table: its head, then its lines."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    replaced(path, out.getvalue())
