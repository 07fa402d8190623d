"""The registry: every module of claims, found where the contents pages of the papers say.

A statement's claims stand in `experiments/<paper>/<module>.py`, the path of its bound; the steps of its printed proof
there or in `<module>_proof.py`. Importing a module registers its claims, and nothing imports more than is asked for:
one statement costs the modules that it rests on, not the whole house.
"""

import importlib
import importlib.util
from collections.abc import Iterable

from lemmata.bounds import papers
from lemmata.experiments.engine.claim import CLAIMS, Claim


def modules() -> list[str]:
    """`wzw25/margin_grid` and the like: every module of claims, in the order of the papers."""
    return [name for stem in dict.fromkeys(filter(None, papers.MODULES.values())) for name in with_proof(stem)]


def with_proof(stem: str) -> list[str]:
    """A module of claims and that of its proof's steps, as far as they exist."""
    return [name for name in (stem, f"{stem}_proof") if importlib.util.find_spec(_dotted(name)) is not None]


def _dotted(name: str) -> str:
    return f"lemmata.experiments.{name.replace('/', '.')}"


def load(names: list[str] | None = None) -> dict[str, list[Claim]]:
    """Import modules of claims, by default all; returns {module: its claims}, in the order of the papers."""
    by_module: dict[str, list[Claim]] = {name: [] for name in (modules() if names is None else names)}
    for name in by_module:
        importlib.import_module(_dotted(name))
    for claim in CLAIMS.values():
        if (home := module_of(claim)) in by_module:
            by_module[home].append(claim)
    return by_module


def module_of(claim: Claim) -> str:
    """The module that a claim stands in, `wzw25/margin_grid`."""
    return claim.trial.__module__.removeprefix("lemmata.experiments.").replace(".", "/")


def homes(id: str) -> list[str]:
    """The modules that hold the claims of the statement or step `id`; none while it is open."""
    stem = papers.MODULES[papers.statement_of(id)]
    return with_proof(stem) if stem else []


def find(key: str) -> Claim | None:
    """The claim of a row, imported if need be; None if there is none."""
    if key not in CLAIMS:
        load(homes(key.partition("/")[0]))
    return CLAIMS.get(key)


def closure(keys: Iterable[str]) -> list[Claim]:
    """The claims of `keys` and all that they rest on or are corrected by, importing what that needs."""
    wanted: dict[str, Claim] = {}
    queue = list(keys)
    while queue:
        key = queue.pop()
        if key and key not in wanted and (claim := find(key)):
            wanted[key] = claim
            queue += [*claim.given, claim.corrected_by]
    return [claim for claim in CLAIMS.values() if claim.key in wanted]
