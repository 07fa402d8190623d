"""A file is replaced as a whole: whoever reads meanwhile, a full disk and a kill find the old one or the new one.

A table is read strictly: a line that is not as it was written is named, with its file, and nothing is guessed.
"""

import csv
import io
import os
import secrets
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from lemmata.bounds.catalogue.paper_file import read_page
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


def refuse_links(folder: Path) -> None:
    """Raise `PaperError` for a symbolic link below a folder of results, which may be a stranger's."""
    for place, folders, files in os.walk(folder):
        if linked := sorted(name for name in (*folders, *files) if os.path.islink(os.path.join(place, name))):
            raise PaperError(
                f"{Path(place, linked[0])} is a symbolic link; remove it, as results do not pass through links"
            )


def write_table(path: Path, head: Iterable[str], lines: Iterable[Iterable[Any]]) -> None:
    """The same with a table: its head, then its lines."""
    replace_file(path, spell_table(head, lines))


def spell_table(head: Iterable[str], lines: Iterable[Iterable[Any]]) -> str:
    """A table as CSV: its head, then its lines."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    return out.getvalue()


def align_table(lines: Sequence[Sequence[str]]) -> str:
    """A table for a terminal, of lines of as many cells each.

    >>> print(align_table([["name", "n"], ["a", "10"]]))
    name  n
    a     10
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def read_toml(path: Path) -> dict[str, Any]:
    """The fields of a TOML file beside a `paper.toml`; none of a file that is not there. Raises `PaperError`."""
    if not path.exists():
        return {}
    try:
        return read_page(path)
    except PaperError:
        raise
    except ValueError as error:
        raise PaperError(f"{path}: cannot be read ({error})") from None


def check_fields(entry: Any, known: Collection[str], place: str) -> None:
    """Raise `PaperError` for an entry of such a file that is no table, or has a field that is not `known`."""
    if not isinstance(entry, dict):
        raise PaperError(f"{place}must be a table")
    for name in entry.keys() - set(known):
        raise PaperError(f"{place}{name} is unknown; known are {', '.join(known)}")
