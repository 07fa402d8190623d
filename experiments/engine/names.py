"""What a user may call a statement: its id or key, its label in words, a module, a paper; in any case of letters."""

from __future__ import annotations

import difflib
import re

from bounds import papers


class UnknownName(ValueError):
    """Nothing is called so; the message is one line that names what is near."""


def resolve(name: str) -> tuple[str, str]:
    """(kind, name) with kind "paper", "module", "id" or "key". Raises `UnknownName`.

    >>> resolve("WZW25.lem6.4"), resolve("wzw25 Lemma 6.4"), resolve("6.4 wzw25"), resolve("wzw25/margin_grid")
    (('id', 'wzw25.lem6.4'), ('id', 'wzw25.lem6.4'), ('id', 'wzw25.lem6.4'), ('module', 'wzw25/margin_grid'))
    """
    plain = name.strip().removesuffix(".py").removeprefix("experiments.").removeprefix("experiments/")
    plain = plain.removeprefix("bounds.").removeprefix("bounds/")
    lower = plain.lower()
    if lower in papers.PAPERS:
        return "paper", lower
    stems = {stem for stem in papers.MODULES.values() if stem}
    for stem in (lower, lower.replace(".", "/", 1), lower.replace(".", "/", 1).removesuffix("_proof")):
        if stem in stems:
            return "module", stem
    if lower.removesuffix("_proof") in stems:
        return "module", lower.removesuffix("_proof")
    ids = {id.lower(): id for id in papers.IDS}
    start, slash, rest = plain.partition("/")
    for length in range(len(start), 0, -1):  # the longest id that begins it, whatever the case of its letters
        head, tail = start[:length], start[length:]
        if head.lower() in ids and (not tail or tail.startswith(".")):
            return ("key" if slash else "id"), ids[head.lower()] + tail + slash + rest
    found = by_label(lower)
    if len(found) == 1:
        return "id", found[0]
    if found:
        raise UnknownName(f"ID = {name!r} is the label of {', '.join(found)}: say which")
    near = difflib.get_close_matches(lower, [*ids, *stems, *papers.PAPERS], n=3)
    told = f"did you mean {', '.join(ids.get(n, n) for n in near)}?" if near else "`marginalia ledger` lists them"
    raise UnknownName(f"ID = {name!r} is no statement, module or paper; {told}")


def by_label(words: str) -> list[str]:
    """The ids whose paper and printed label contain all the words: `lemma 6.4`, `6.4 wzw25`."""
    wanted = set(re.findall(r"[\w.]+", words))
    if not wanted or not any(re.search(r"\d", word) for word in wanted - set(papers.PAPERS)):
        return []
    labels = {id: {id.partition(".")[0], *re.findall(r"[\w.]+", label.lower())} for id, label in papers.IDS.items()}
    return [id for id, have in labels.items() if wanted <= have]
