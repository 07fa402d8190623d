"""A paper's `paper.toml`: read, and refused in one line that names the file and what is wrong."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WORK = {"authors": list, "title": str, "year": int, "venue": str, "doi": str, "arxiv": str, "url": str, "version": str}
WORDS = ("titles", "letters", "bounded_above", "bounded_below")  # for readers: tables of texts
PAPER = {"id": str, **WORK, "contact": str, "checked_by": list, "packages": list}
PAPER |= dict.fromkeys(("contents", "sources", "expected", *WORDS), dict)
ENTRY = {"label": str, "module": str, "source": str}
NEEDED = ("authors", "title", "year")


class PaperError(ValueError):
    """A paper cannot be read or imported; the message is one line that names the file."""


def read(path: Path) -> dict[str, Any]:
    """The fields of a `Paper`, but `contents` as `entries`, {id: (label, module, source)}, and `sources` as `works`.

    The ids in the tables of `WORDS` are given without the paper's, as those of the contents are.

    Raises `PaperError` for a file that is missing, is no TOML, or has a field that is missing, unknown or of the wrong
    kind.
    """
    try:
        text = path.read_text(encoding="utf-8")
        page = tomllib.loads(text)
    except FileNotFoundError:
        raise PaperError(f"{path} does not exist; `lemmata new-paper NAME` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PaperError(f"{path}: cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))  # else it is at the end
        above = [line for line in text.splitlines()[: found and int(found[1])] if line.startswith("[")]
        hint = '; quote the ids of [contents], as in "lem6.4" = "Lemma 6.4"' if above[-1:] == ["[contents]"] else ""
        raise PaperError(f"{path}: {error}{hint}") from None
    kept = _checked(page, PAPER, ("id", *NEEDED, "contents"), path, "")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", kept["id"]):
        raise PaperError(f"{path}: id must be a lower-case letter followed by letters, digits or _, got {kept['id']!r}")
    works = {name: _work(entry, path, name) for name, entry in kept.pop("sources", {}).items()}
    entries = {}
    for name, value in _flat(kept.pop("contents")).items():
        number = name.removeprefix(f"{kept['id']}.")
        entries[number] = _entry(value, works, path, number)
    if not entries:
        raise PaperError(f"{path}: [contents] must list at least one statement")
    if idle := sorted(works.keys() - {source for _, _, source in entries.values()}):
        raise PaperError(f'{path}: sources.{idle[0]} must be the source of a statement, source = "{idle[0]}"')
    expected = _flat(kept.pop("expected", {}))
    for row, why in expected.items():
        if not isinstance(why, str) or not why.strip():
            raise PaperError(f"{path}: expected.{row} must be a reason in words, got {why!r}")
    words = {name: _texts(kept.get(name, {}), path, name) for name in WORDS}
    work = _work({name: kept[name] for name in WORK if name in kept}, path, "")
    people = {"contact": kept.get("contact", ""), "checked_by": tuple(kept.get("checked_by", ()))}
    parts = {"packages": kept.get("packages", []), "works": works, "entries": entries, "expected": expected, **words}
    return {"id": kept["id"], **work, **people, **parts}


def _checked(table: dict, kinds: Mapping[str, type], needed: tuple[str, ...], path: Path, place: str) -> dict[str, Any]:
    for name, value in table.items():
        if name not in kinds:
            near = difflib.get_close_matches(name, kinds, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(kinds)}"
            raise PaperError(f"{path}: {place}{name} is unknown; {hint}")
        wanted = kinds[name]
        texts = wanted is not list or (isinstance(value, list) and all(isinstance(part, str) for part in value))
        if not isinstance(value, wanted) or isinstance(value, bool) or not texts:
            kind = {list: "a list of strings", str: "a string", int: "an integer", dict: "a table"}[wanted]
            raise PaperError(f"{path}: {place}{name} must be {kind}, got {value!r}")
    if missing := [name for name in needed if not table.get(name)]:
        raise PaperError(f"{path}: {place}{missing[0]} is missing")
    return dict(table)


def _work(entry: Any, path: Path, name: str) -> dict[str, Any]:
    place = f"sources.{name}." if name else ""
    if not isinstance(entry, dict):
        raise PaperError(f"{path}: sources.{name} must be a table with authors, title and year, got {entry!r}")
    kept = _checked(entry, WORK, NEEDED, path, place)
    return kept | {"authors": tuple(kept["authors"])}


def _entry(value: Any, works: dict, path: Path, number: str) -> tuple[str, str, str]:
    """(label, module, source) of one statement: a label, [label, module], or a table of the three.

    A statement whose id begins with the name of a source, `dg03.thm2.1`, is printed there.
    """
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", number):
        raise PaperError(f"{path}: an id in [contents] must have letters, digits, . _ and - only, got {number}")
    if isinstance(value, dict):
        _checked(value, ENTRY, ("label",), path, f"contents.{number}.")
        parts = [value.get(name, "") for name in ENTRY]
    else:
        parts = [*(value if isinstance(value, list) else [value]), "", ""][:3]
    label, module, source = parts
    if not all(isinstance(part, str) for part in parts) or not label:
        raise PaperError(f'{path}: contents.{number} must be a label, as in "Lemma 6.4", got {value!r}')
    source = source or (number.partition(".")[0] if number.partition(".")[0] in works else "")
    if source and source not in works:
        raise PaperError(f"{path}: contents.{number} has source = {source!r}, but [sources.{source}] is missing")
    return label, module, source


def _texts(table: dict[str, Any], path: Path, name: str) -> dict[str, str]:
    flat = _flat(table)
    for key, text in flat.items():
        if not isinstance(text, str) or not text.strip():
            raise PaperError(f"{path}: {name}.{key} must be a string, got {text!r}")
    return flat


def _flat(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    """`lem6.4 = "Lemma 6.4"` is a table in a table to TOML; here it is the id lem6.4."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict) and "label" not in value:
            flat |= _flat(value, f"{before}{name}.")
        else:
            flat[f"{before}{name}"] = value
    return flat
