"""The claims that a user's names mean, their modules loaded (`lemmata.bounds.catalogue.names` reads the names)."""

from collections.abc import Iterable, Sequence

from lemmata.bounds.catalogue.names import UnknownName, resolve
from lemmata.bounds.library import Paper, library
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim


def select(names: Iterable[str], here: Sequence[Paper] = ()) -> tuple[list[str], list[str]]:
    """(the keys of the claims that `names` mean, imported; the ids among them that are open).

    For no name all of the papers `here`, by default those of this package.
    """
    if not names:
        papers = here or library.house
        registry.load(registry.list_modules(papers))
        claims = [claim for claim in CLAIMS.values() if library.paper(claim.theorem.id) in papers]
        return [claim.key for claim in claims], []
    keys: dict[str, None] = {}
    still_open = []
    for name in names:
        kind, meant = resolve(name, here)
        hits = [claim.key for claim in load_named(kind, meant) if kind in ("paper", "module") or is_named(claim, meant)]
        if not hits and meant in library.ids:
            still_open.append(meant)
        elif not hits and kind in ("id", "key"):  # a paper or a module may have no claim yet
            raise UnknownName(f"ID must name a row of {library.statement_of(meant.partition('/')[0])}, got {name!r}")
        keys |= dict.fromkeys(hits)
    return list(keys), still_open


def load_named(kind: str, name: str) -> list[Claim]:
    """The claims of the modules that a name means, imported; for an id those too that are registered elsewhere."""
    if kind == "paper":
        homes = registry.list_modules([library.papers[name]])
    else:
        homes = library.with_proof(name, -1) if kind == "module" else registry.find_modules(name.partition("/")[0])
    claims = [claim for group in registry.load(homes).values() for claim in group]
    return list(CLAIMS.values()) if kind in ("id", "key") else claims


def is_named(claim: Claim, name: str) -> bool:
    """Whether a claim decides the statement, step or row that is called `name`."""
    theorem = claim.theorem
    return name in (claim.key, theorem.id, theorem.parent) or claim.key.startswith(f"{name}/")
