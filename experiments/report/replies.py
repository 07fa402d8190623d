"""What authors replied: `replies.toml` beside a `paper.toml`, shown with the row or erratum that it is about.

[[reply]]
about = "E3"                  # an erratum of the paper, or the key of a row, or the id of a statement
author = "Ada Nobody"
date = 2026-11-30
status = "confirmed"          # confirmed, disputed, fixed, or comment
text = "The constant is a misprint; the next version has 4."
link = "https://example.org/reply"     # optional: where it can be read
"""

import datetime
from collections.abc import Collection, Mapping
from typing import Any

from lemmata.bounds.library import Paper, PaperError
from lemmata.experiments.engine.ground.files import check_fields, read_toml

STATUS = {
    "confirmed": "The author confirms this",
    "disputed": "The author disputes this",
    "fixed": "The author has corrected this",
    "comment": "The author comments",
}
FIELDS = {"about": str, "author": str, "date": datetime.date, "status": str, "text": str, "link": str}


def read_replies(paper: Paper, errata: Mapping[str, str], known: Collection[str]) -> dict[str, list[dict[str, Any]]]:
    """{row key or statement id: what was replied about it, oldest first}.

    `errata` is {number: row key} and `known` all keys and ids of the paper. Raises `PaperError`, in one line that names
    the file and the reply, for a field that is missing, unknown or of the wrong kind, and for a row that is not there.
    """
    path = paper.folder / "replies.toml"
    page = read_toml(path)
    if not isinstance(entries := page.pop("reply", []), list) or page:
        raise PaperError(f"{path}: must have [[reply]] tables only")
    found: dict[str, list[dict[str, Any]]] = {}
    for number, entry in enumerate(entries, 1):
        place = f"{path}: reply {number}: "
        _check_reply(entry, place)
        about = errata.get(entry["about"], entry["about"])
        if about not in known:
            raise PaperError(f"{place}about must be an erratum, row or statement of {paper.id}, got {entry['about']!r}")
        shown = {"date": entry["date"].isoformat(), "words": STATUS[entry["status"]]}
        found.setdefault(about, []).append(entry | shown)
    for group in found.values():
        group.sort(key=lambda entry: entry["date"])
    return found


def _check_reply(entry: Any, place: str) -> None:
    """Refuse a reply that lacks a field, or has one that is not understood."""
    check_fields(entry, FIELDS, place)
    for name, kind in FIELDS.items():
        if name == "link" and name not in entry:
            entry[name] = ""
        value = entry.get(name)
        if type(value) is not kind or (kind is str and name != "link" and not str(value).strip()):
            wanted = "a text" if kind is str else "a date, as in 2026-11-30"
            raise PaperError(f"{place}{name} must be {wanted}, got {value!r}")
    if entry["status"] not in STATUS:
        raise PaperError(f"{place}status must be one of {', '.join(STATUS)}, got {entry['status']!r}")
    if entry["link"] and not entry["link"].startswith("https://"):
        raise PaperError(f"{place}link must begin with https://, got {entry['link']!r}")
