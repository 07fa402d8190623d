"""The registry: every module of claims, found where the contents of the papers say.

In this repository a statement's claims stand in `experiments/<paper>/<module>.py`, the path of its bound, the steps of
its printed proof there or in `<module>_proof.py`; in a folder of somebody else's, wherever she likes. Importing a
module registers its claims, and nothing imports more than is asked for: one statement costs the modules that it rests
on, not the whole house.
"""

import contextlib
import sys
from collections.abc import Iterable
from dataclasses import replace

from lemmata.bounds.library import Paper, PaperError, library
from lemmata.bounds.statement.closure import closure as reached
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim, find_twin
from lemmata.experiments.engine.ground.process_state import importing


def list_modules(papers: Iterable[Paper] | None = None) -> list[str]:
    """The full names of every module of claims of `papers`, by default those of this package, in their order."""
    stems = [stem for paper in (library.house if papers is None else papers) for stem in paper.stems()]
    return list(dict.fromkeys(name for stem in stems for name in library.with_proof(stem, -1)))


def load(names: Iterable[str] | None = None) -> dict[str, list[Claim]]:
    """Import modules of claims, by default those of this package; returns {`wzw25/margin_grid`: its claims}.

    Raises `PaperError` where Python leaves assertions out, without which no program of a counterexample can fail.
    """
    if sys.flags.optimize:
        raise PaperError("claims need assertions and docstrings; run Python without -O and PYTHONOPTIMIZE")
    wanted = list_modules() if names is None else [full for name in names for full in _full(name)]
    by_module: dict[str, list[Claim]] = {library.stem(name): [] for name in wanted}
    for name in wanted:
        own = name in sys.modules or library.papers[library.stem(name).partition("/")[0]].house
        with contextlib.nullcontext() if own else importing(name):
            library.load(name)
    _correct()
    for claim in CLAIMS.values():
        if (home := module_of(claim)) in by_module:
            by_module[home].append(claim)
    return by_module


def _correct() -> None:
    """A claim may stand before the reading that corrects it is recorded, in a paper that has both in one file."""
    for key, claim in CLAIMS.items():
        alone = not claim.corrected_by and (claim.severity or claim.control is None)
        if alone and not library.paper(key).house and (other := find_twin(claim.theorem)):
            CLAIMS[key] = replace(claim, corrected_by=other)


def _full(name: str) -> list[str]:
    """The full name of a module of claims, given so or as `wzw25/margin_grid`."""
    return library.with_proof(name, -1)[:1] if "/" in name else [name]


def module_of(claim: Claim) -> str:
    """The module that a claim stands in, `wzw25/margin_grid`."""
    return library.stem(claim.trial.__module__)


def find_modules(id: str) -> list[str]:
    """The modules that hold the claims of the statement or step `id`; all of its paper where that does not say."""
    stem = library.modules[library.statement_of(id)]
    return library.with_proof(stem, -1) if stem else list_modules([library.paper(id)])


def find(key: str) -> Claim | None:
    """The claim of a row, imported if need be; None if there is none."""
    if key not in CLAIMS:
        load(find_modules(key.partition("/")[0]))
    return CLAIMS.get(key)


def closure(keys: Iterable[str]) -> list[Claim]:
    """The claims of `keys` and all that they rest on or are corrected by, importing what that needs."""

    def named(key: str) -> Iterable[str]:
        claim = find(key) if key else None
        others = [*claim.given, claim.corrected_by] if claim else []
        for other in filter(None, others):
            statement, reading, _ = other.partition("/")
            try:
                library.statement_of(statement if reading else "")
            except ValueError:
                raise PaperError(f"{key}: given and corrected_by must name rows, as in {key}, got {other}") from None
        return others

    wanted = {key for key, _ in reached(keys, named)}
    return [claim for key, claim in CLAIMS.items() if key in wanted]
