"""A file is replaced as a whole: whoever reads meanwhile, a full disk and a kill find the old one or the new one.

A table is read strictly: a line that is not as it was written is named, with its file, and nothing is guessed.
"""

import csv
import io
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lemmata.bounds.library import PaperError


def replace_file(path: Path, text: str) -> None:
    """Put `text` in the place of `path` at once, its folder made if need be; of two who do so the later one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")  # which nobody else writes meanwhile
    try:
        made.write_text(text, encoding="utf-8", newline="")
        os.replace(made, path)
    finally:
        made.unlink(missing_ok=True)


def write_table(path: Path, head: Iterable[str], lines: Iterable[Iterable[Any]]) -> None:
    """The same with a table: its head, then its lines."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    replace_file(path, out.getvalue())


def read_table(path: Path, head: Sequence[str]) -> list[dict[str, str]]:
    """The lines of a table with this head, without it; none of a table that is not there. Raises `PaperError`."""
    if not path.exists():
        return []
    try:
        first, *lines = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), strict=True)
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise PaperError(f"{path}: cannot be read as a table ({error})") from None
    if first != list(head):
        raise PaperError(f"{path}: line 1 is not {','.join(head)}")
    for number, line in enumerate(lines, 2):
        if len(line) != len(head):
            raise PaperError(f"{path}: record {number} has {len(line)} fields for {','.join(head)}")
    return [dict(zip(head, line, strict=True)) for line in lines]
