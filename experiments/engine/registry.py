"""The registry: every module of claims, found where the contents pages of the papers say.

A statement's claims stand in `experiments/<paper>/<module>.py`, the path of its bound; the steps of its printed proof
there or in `<module>_proof.py`. Importing a module registers its claims.
"""

from __future__ import annotations

import importlib
import importlib.util

from bounds import papers
from experiments.engine.claim import CLAIMS


def modules() -> list[str]:
    """`wzw25/margin_grid` and the like: every module of claims, in the order of the papers."""
    stems = dict.fromkeys(filter(None, papers.MODULES.values()))
    return [name for stem in stems for name in (stem, f"{stem}_proof") if _exists(name)]


def _exists(name):
    return importlib.util.find_spec(f"experiments.{name.replace('/', '.')}") is not None


def load():
    """Import every module of claims; returns {module: its claims}, in the order of the papers."""
    found: dict = {name: [] for name in modules()}
    for name in found:
        importlib.import_module(f"experiments.{name.replace('/', '.')}")
    for claim in CLAIMS.values():
        if (home := module_of(claim)) in found:
            found[home].append(claim)
    return found


def module_of(claim):
    """The module that a claim stands in, `wzw25/margin_grid`."""
    return claim.trial.__module__.removeprefix("experiments.").replace(".", "/")
