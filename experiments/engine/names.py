"""What a user may call a statement: its id or key, its label in words, a module, a paper; in any case of letters."""

import difflib
import re
from collections.abc import Iterable

from lemmata.bounds import papers
from lemmata.experiments.engine import registry
from lemmata.experiments.engine.claim import CLAIMS, Claim


class UnknownName(ValueError):
    """Nothing is called so; the message is one line that names what is near."""


def resolve(name: str) -> tuple[str, str]:
    """(kind, name) with kind "paper", "module", "id" or "key". Raises `UnknownName`.

    >>> resolve("WZW25.lem6.4"), resolve("wzw25 Lemma 6.4"), resolve("6.4 wzw25"), resolve("wzw25/margin_grid")
    (('id', 'wzw25.lem6.4'), ('id', 'wzw25.lem6.4'), ('id', 'wzw25.lem6.4'), ('module', 'wzw25/margin_grid'))
    """
    plain = (
        name.strip()
        .removesuffix(".py")
        .removeprefix("lemmata.")
        .removeprefix("experiments.")
        .removeprefix("experiments/")
    )
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
    labelled = by_label(lower)
    if len(labelled) == 1:
        return "id", labelled[0]
    if labelled:
        raise UnknownName(f"ID = {name!r} is the label of {', '.join(labelled)}: say which")
    near = difflib.get_close_matches(lower, [*ids, *stems, *papers.PAPERS], n=3)
    hint = f"did you mean {', '.join(ids.get(n, n) for n in near)}?" if near else "`lemmata ledger` lists them"
    raise UnknownName(f"ID = {name!r} is no statement, module or paper; {hint}")


def by_label(words: str) -> list[str]:
    """The ids whose paper and printed label contain all the words: `lemma 6.4`, `6.4 wzw25`."""
    wanted = set(re.findall(r"[\w.]+", words))
    if not wanted or not any(re.search(r"\d", word) for word in wanted - set(papers.PAPERS)):
        return []
    labels = {id: {id.partition(".")[0], *re.findall(r"[\w.]+", label.lower())} for id, label in papers.IDS.items()}
    return [id for id, have in labels.items() if wanted <= have]


def select(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """(the keys of the claims that `names` mean, imported; the ids among them that are open). All for no name."""
    if not names:
        registry.load()
        return list(CLAIMS), []
    keys: dict[str, None] = {}
    still_open = []
    for name in names:
        kind, meant = resolve(name)
        hits = [claim.key for claim in loaded(kind, meant) if kind in ("paper", "module") or belongs(claim, meant)]
        if not hits and meant in papers.IDS:
            still_open.append(meant)
        elif not hits:
            raise UnknownName(f"ID = {name!r} is no row of {papers.statement_of(meant.partition('/')[0])}")
        keys |= dict.fromkeys(hits)
    return list(keys), still_open


def loaded(kind: str, name: str) -> list[Claim]:
    """The claims of the modules that a name means, imported; for an id those too that are registered elsewhere."""
    if kind == "paper":
        stems = dict.fromkeys(stem for stem in papers.MODULES.values() if stem.startswith(f"{name}/"))
        homes = [home for stem in stems for home in registry.with_proof(stem)]
    else:
        homes = registry.with_proof(name) if kind == "module" else registry.homes(name.partition("/")[0])
    claims = [claim for group in registry.load(homes).values() for claim in group]
    return list(CLAIMS.values()) if kind in ("id", "key") else claims


def belongs(claim: Claim, name: str) -> bool:
    """Whether a claim decides the statement, step or row that is called `name`."""
    theorem = claim.theorem
    return name in (claim.key, theorem.id, theorem.parent) or claim.key.startswith(f"{name}/")
