"""Resolve a user's name of a statement: id, key, label in words, module or paper, in upper or lower case."""

import difflib
import re
from collections.abc import Sequence

from lemmata.bounds.catalogue.library import Paper, library
from lemmata.bounds.catalogue.paper_file import read_errata


class UnknownName(ValueError):
    """An unknown or ambiguous name; the message is one line with similar names."""


def resolve(name: str, here: Sequence[Paper] = ()) -> tuple[str, str]:
    """(kind, name) with kind "paper", "module", "id" or "key". Raises `UnknownName`.

    A permanent name may be given: `lemmata:wzw25.lem6.4/printed`, or the number of an erratum, `wzw25:E20`. Of the
    papers `here` an id may be given without its paper, and their labels come before those of others.

    >>> resolve("WZW25.lem6.4"), resolve("wzw25 Lemma 6.4"), resolve("6.4 wzw25"), resolve("wzw25/margin_grid")
    (('id', 'wzw25.lem6.4'), ('id', 'wzw25.lem6.4'), ('id', 'wzw25.lem6.4'), ('module', 'wzw25/margin_grid'))
    >>> resolve("lemmata:wzw25:E20"), resolve("lemmata:wzw25.lem6.4/printed")
    (('key', 'wzw25.thmK.3.s1/printed'), ('key', 'wzw25.lem6.4/printed'))
    """
    plain = name.strip().removesuffix(".py").removeprefix("lemmata.").removeprefix("lemmata:")
    if erratum := re.fullmatch(r"(\w+):(E\d+)", plain, re.IGNORECASE):
        return "key", find_erratum(*erratum.groups())
    for room in ("experiments", "bounds"):
        plain = plain.removeprefix(f"{room}.").removeprefix(f"{room}/")
    lower = plain.lower()
    if lower in library.papers:
        return "paper", lower
    stems = {stem for paper in library.papers.values() for stem in paper.stems()}
    inside = [f"{paper.id}/{lower}" for paper in here]
    for stem in (lower, lower.replace(".", "/", 1), *inside):
        for known in (stem, stem.removesuffix("_proof")):
            if known in stems:
                return "module", known
    ids = {id.lower(): id for id in library.ids}
    for whole in (plain, *(f"{paper.id}.{plain}" for paper in here)):
        start, slash, rest = whole.partition("/")
        for length in range(len(start), 0, -1):  # the longest id that begins it, whatever the case of its letters
            head, tail = start[:length], start[length:]
            if head.lower() in ids and (not tail or tail.startswith(".")):
                return ("key" if slash else "id"), ids[head.lower()] + tail + slash + rest
    labelled = by_label(lower)
    labelled = [id for id in labelled if library.paper(id) in here] or labelled
    if len(labelled) == 1:
        return "id", labelled[0]
    if labelled:
        raise UnknownName(f"ID must name one statement, got {name!r}, the label of {', '.join(labelled)}; say which")
    near = difflib.get_close_matches(lower, [*ids, *stems, *library.papers], n=3)
    hint = f"did you mean {', '.join(ids.get(n, n) for n in near)}?" if near else "`lemmata ledger` lists all"
    raise UnknownName(f"ID must name a statement, module or paper, got {name!r}; {hint}")


def find_erratum(paper: str, number: str) -> str:
    """The key of an erratum, from `wzw25:E20`. Raises `UnknownName`, also for one that is withdrawn."""
    known = library.papers.get(paper.lower())
    lines = read_errata(known.folder) if known else []
    line = next((line for line in lines if line["number"] == number.upper()), None)
    if line is None:
        last = f" up to {lines[-1]['number']}" if lines else ""
        raise UnknownName(f"ID must name an erratum{last} of a paper that has some, got '{paper}:{number}'")
    if line["status"] == "withdrawn":
        raise UnknownName(f"ID must name an erratum that stands; {paper}:{number} ({line['key']}) is withdrawn")
    return line["key"]


def by_label(words: str) -> list[str]:
    """The ids whose paper and printed label contain all the words: `lemma 6.4`, `6.4 wzw25`."""
    wanted = set(re.findall(r"[\w.]+", words))
    if not wanted or not any(re.search(r"\d", word) for word in wanted - set(library.papers)):
        return []
    labels = {id: {id.partition(".")[0], *re.findall(r"[\w.]+", label.lower())} for id, label in library.ids.items()}
    return [id for id, have in labels.items() if wanted <= have]
