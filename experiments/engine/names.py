"""What a user may call a statement: its id or key, its label in words, a module, a paper; in any case of letters."""

import difflib
import re
from collections.abc import Iterable, Sequence

from lemmata.bounds.library import Paper, library
from lemmata.experiments.engine import registry
from lemmata.experiments.engine.claim import CLAIMS, Claim


class UnknownName(ValueError):
    """Nothing is called so; the message is one line that names what is near."""


def resolve(name: str, here: Sequence[Paper] = ()) -> tuple[str, str]:
    """(kind, name) with kind "paper", "module", "id" or "key". Raises `UnknownName`.

    Of the papers `here` an id may be given without its paper, and their labels come before those of others.

    >>> resolve("WZW25.lem6.4"), resolve("wzw25 Lemma 6.4"), resolve("6.4 wzw25"), resolve("wzw25/margin_grid")
    (('id', 'wzw25.lem6.4'), ('id', 'wzw25.lem6.4'), ('id', 'wzw25.lem6.4'), ('module', 'wzw25/margin_grid'))
    """
    plain = name.strip().removesuffix(".py").removeprefix("lemmata.")
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
        raise UnknownName(f"ID = {name!r} is the label of {', '.join(labelled)}: say which")
    near = difflib.get_close_matches(lower, [*ids, *stems, *library.papers], n=3)
    hint = f"did you mean {', '.join(ids.get(n, n) for n in near)}?" if near else "`lemmata ledger` lists them"
    raise UnknownName(f"ID = {name!r} is no statement, module or paper; {hint}")


def by_label(words: str) -> list[str]:
    """The ids whose paper and printed label contain all the words: `lemma 6.4`, `6.4 wzw25`."""
    wanted = set(re.findall(r"[\w.]+", words))
    if not wanted or not any(re.search(r"\d", word) for word in wanted - set(library.papers)):
        return []
    labels = {id: {id.partition(".")[0], *re.findall(r"[\w.]+", label.lower())} for id, label in library.ids.items()}
    return [id for id, have in labels.items() if wanted <= have]


def select(names: Iterable[str], here: Sequence[Paper] = ()) -> tuple[list[str], list[str]]:
    """(the keys of the claims that `names` mean, imported; the ids among them that are open).

    For no name all of the papers `here`, by default those of this package.
    """
    if not names:
        papers = here or library.house
        registry.load(registry.modules(papers))
        claims = [claim for claim in CLAIMS.values() if library.paper(claim.theorem.id) in papers]
        return [claim.key for claim in claims], []
    keys: dict[str, None] = {}
    still_open = []
    for name in names:
        kind, meant = resolve(name, here)
        hits = [claim.key for claim in loaded(kind, meant) if kind in ("paper", "module") or belongs(claim, meant)]
        if not hits and meant in library.ids:
            still_open.append(meant)
        elif not hits:
            raise UnknownName(f"ID = {name!r} is no row of {library.statement_of(meant.partition('/')[0])}")
        keys |= dict.fromkeys(hits)
    return list(keys), still_open


def loaded(kind: str, name: str) -> list[Claim]:
    """The claims of the modules that a name means, imported; for an id those too that are registered elsewhere."""
    if kind == "paper":
        homes = registry.modules([library.papers[name]])
    else:
        homes = library.with_proof(name, -1) if kind == "module" else registry.homes(name.partition("/")[0])
    claims = [claim for group in registry.load(homes).values() for claim in group]
    return list(CLAIMS.values()) if kind in ("id", "key") else claims


def belongs(claim: Claim, name: str) -> bool:
    """Whether a claim decides the statement, step or row that is called `name`."""
    theorem = claim.theorem
    return name in (claim.key, theorem.id, theorem.parent) or claim.key.startswith(f"{name}/")
