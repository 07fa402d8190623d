"""A paper's `paper.toml`: read, and refused in one line that names the file and what is wrong."""

import csv
import difflib
import io
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

WORK = {"authors": list, "title": str, "year": int, "venue": str, "doi": str, "arxiv": str, "url": str, "version": str}
# Tables of texts.
WORDS = ("titles", "letters", "symbols", "causes", "quotes", "edits", "true_where", "bounded_above", "bounded_below")
PAPER = {"id": str, **WORK, "contact": str, "checked_by": list, "packages": list}
PAPER |= dict.fromkeys(("contents", "sources", "expected", *WORDS), dict)
ENTRY = {"label": str, "module": str, "source": str}
NEEDED = ("authors", "title", "year")
ERRATA = ("number", "key", "status")  # of a list of errata: no number is given twice
LARGEST, DOTS, DIGITS = 1_000_000, 100, 1_000  # bytes of a file, dots of a line and digits of a number: of any length
LONGEST, MOST = 80, 10_000  # characters of an id, which names files, and statements of a paper
# Characters that a terminal obeys, or that change the order in which text is read.
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
ADDRESS = re.compile(r"https?://[^\s<>\"']+")


class PaperError(ValueError):
    """A paper cannot be read or imported; the message is one line that names the file, whatever stands in it."""

    def __init__(self, message: str = "") -> None:
        super().__init__(" ".join(clean_text(message).splitlines()))


def clean_text(text: str) -> str:
    """Text in which a sign stands for every character that would be obeyed and not read."""
    return HIDDEN.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def check_inside(path: Path) -> None:
    """Raise `PaperError` for what is there and is no file of its own folder: a link out of it, or a pipe."""
    if path.is_symlink() and not path.resolve().is_relative_to(path.parent.resolve()):
        raise PaperError(f"{path}: is a symbolic link out of its folder")
    if path.exists() and not path.is_file():
        raise PaperError(f"{path}: is not a file")


def read_table(path: Path, head: Sequence[str] = ()) -> list[dict[str, str]]:
    """The lines of a table with this head, or with any, without it; none of a table that is not there.

    Raises `PaperError`.
    """
    if not path.exists():
        return []
    check_inside(path)
    try:
        first, *lines = csv.reader(io.StringIO(clean_text(path.read_text(encoding="utf-8")), newline=""), strict=True)
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise PaperError(f"{path}: cannot be read as a table ({error})") from None
    if head and first != list(head):
        raise PaperError(f"{path}: line 1 must be {','.join(head)}")
    for number, line in enumerate(lines, 2):
        if len(line) != len(first):
            raise PaperError(f"{path}: record {number} must have fields {','.join(first)}, got {len(line)} fields")
    return [dict(zip(first, line, strict=True)) for line in lines]


def read_errata(folder: Path) -> list[dict[str, str]]:
    """The lines of the list of errata beside a `paper.toml`. Raises `PaperError` for a number that is none."""
    lines = read_table(folder / "errata.csv", ERRATA)
    for line in lines:
        if not re.fullmatch("E[0-9]+", line["number"]):
            raise PaperError(
                f"{folder / 'errata.csv'}: number of {line['key']} must have the form E1, got {line['number']!r}"
            )
    return lines


def read_page(path: Path) -> dict[str, Any]:
    """The fields of a TOML file, their texts cleaned. Raises `PaperError` for a file that cannot be read as one."""
    check_inside(path)
    try:
        if (size := path.stat().st_size) > LARGEST:
            raise PaperError(f"{path}: must have at most {LARGEST:,} bytes, got {size:,}")
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            if line.count(".") > DOTS:
                raise PaperError(f"{path}: line {number} must have at most {DOTS} dots, got {line.count('.'):,}")
        if long := re.search(rf"(?m)^\s*([\w.-]+)\s*=\s*[+-]?\d[\d_]{{{DIGITS}}}", text):
            raise PaperError(f"{path}: {long[1]} must be a number of at most {DIGITS:,} digits")
        return _cleaned(tomllib.loads(text))
    except RecursionError:
        worst = max(text.splitlines(), key=lambda line: line.count("[") + line.count("{"))
        raise PaperError(f"{path}: {worst.partition('=')[0].strip()[:LONGEST]} is nested too deeply") from None
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise PaperError(f"{path}: cannot be read ({error})") from None
    except (PaperError, tomllib.TOMLDecodeError):
        raise
    except ValueError:  # of Python's own limit
        raise PaperError(f"{path}: a number must have at most {DIGITS:,} digits") from None


def _cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _cleaned(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_cleaned(inner) for inner in value]
    return clean_text(value) if isinstance(value, str) else value


def read(path: Path) -> dict[str, Any]:
    """The fields of a `Paper`, but `contents` as `entries`, {id: (label, module, source)}, and `sources` as `works`.

    The ids in the tables of `WORDS` are given without the paper's, as those of the contents are.

    Raises `PaperError` for a file that is missing, is no TOML, or has a field that is missing, unknown or of the wrong
    kind.
    """
    try:
        page = read_page(path)
    except FileNotFoundError:
        raise PaperError(f"{path} does not exist; `lemmata new-paper NAME` writes one") from None
    except tomllib.TOMLDecodeError as error:
        text = path.read_text(encoding="utf-8")
        found = re.search(r"at line (\d+)", str(error))  # else it is at the end
        above = [line for line in text.splitlines()[: found and int(found[1])] if line.startswith("[")]
        hint = '; quote the ids of [contents], as in "lem6.4" = "Lemma 6.4"' if above[-1:] == ["[contents]"] else ""
        raise PaperError(f"{path}: {error}{hint}") from None
    kept = _checked(page, PAPER, ("id", *NEEDED, "contents"), path, "")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", kept["id"]):
        raise PaperError(f"{path}: id must be a lower-case letter followed by letters, digits or _, got {kept['id']!r}")
    _check_length(kept["id"], path, "id")
    works = {name: _work(entry, path, name) for name, entry in kept.pop("sources", {}).items()}
    entries: dict[str, tuple[str, str, str]] = {}
    alike: dict[str, str] = {}
    for name, value in _flat(kept.pop("contents")).items():
        number = name.removeprefix(f"{kept['id']}.")
        entries[number] = _entry(value, works, path, number)
        if (other := alike.setdefault(number.lower(), number)) != number:  # one page to some systems of files
            raise PaperError(f"{path}: ids in [contents] must differ in more than case, got {other} and {number}")
    if not 0 < len(entries) <= MOST:
        some = f"list at most {MOST:,} statements, got {len(entries):,}" if entries else "list at least one statement"
        raise PaperError(f"{path}: [contents] must {some}")
    if idle := sorted(works.keys() - {source for _, _, source in entries.values()}):
        raise PaperError(f'{path}: sources.{idle[0]} must be the source of a statement, source = "{idle[0]}"')
    expected = _flat(kept.pop("expected", {}))
    for row, why in expected.items():
        if not isinstance(why, str) or not why.strip():
            raise PaperError(f"{path}: expected.{row} must be a reason in words, got {why!r}")
    words = {name: _texts(kept.get(name, {}), path, name) for name in WORDS}
    work = _work({name: kept[name] for name in WORK if name in kept}, path, "")
    contact = kept.get("contact", "")
    mail = re.fullmatch(r"(mailto:)?[^\s:<>\"']+@[^\s:<>\"']+", contact)
    _check_names(kept.get("checked_by", ()), path, "checked_by")
    people = {
        "contact": contact if mail or ADDRESS.fullmatch(contact) else "",
        "checked_by": tuple(kept.get("checked_by", ())),
    }
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
    _check_names(kept["authors"], path, f"{place}authors")
    if not 1 <= kept["year"] <= 9999:
        raise PaperError(f"{path}: {place}year must be from 1 to 9999, got {kept['year']}")
    if not ADDRESS.fullmatch(kept.get("url", "")):  # a link that a page must not have
        kept.pop("url", None)
    return kept | {"authors": tuple(kept["authors"])}


def _check_names(names: list[str], path: Path, place: str) -> None:
    for name in names:
        if not re.search(r"\w", name.partition(",")[0]):
            raise PaperError(f"{path}: {place} must be names, as in 'Ada Lovelace', got {name!r}")


def _check_length(name: str, path: Path, place: str) -> None:
    if len(name) > LONGEST:
        raise PaperError(f"{path}: {place} must have at most {LONGEST} characters, got {len(name):,}")


def _entry(value: Any, works: dict, path: Path, number: str) -> tuple[str, str, str]:
    """(label, module, source) of one statement: a label, [label, module], or a table of the three.

    A statement whose id begins with the name of a source, `dg03.thm2.1`, is printed there.
    """
    _check_length(number, path, "an id in [contents]")
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
    return " ".join(label.split()), module, source


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
