"""Where a statement stands: file and line of its bound, its claim, the law it is about and the tests of its module."""

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from lemmata import mechanisms
from lemmata.bounds.library import library
from lemmata.bounds.statement.source import mentioned
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.ground.folders import CHECKOUT, ROOT


def locate_claim(claim: Claim) -> dict[str, str]:
    """{"bound": "bounds/wzw25/margin_grid.py:27", "claim": ..., "law": ..., "test": ...} of one row."""
    standing = {
        "bound": locate_function(claim.theorem.formula),
        "claim": locate_function(getattr(claim.trial, "oracle", claim.trial)),
        "law": locate_law(claim),
        "test": find_test(registry.module_of(claim)),
    }
    return {kind: where for kind, where in standing.items() if where}


def locate_statement(id: str) -> dict[str, str]:
    """The same for a statement or step: its first record, its first claim, the first law that a claim of it names."""
    registry.load(registry.find_modules(id))
    theorems = [theorem for theorem in THEOREMS.values() if theorem.id == id]
    claims = [locate_claim(claim) for claim in CLAIMS.values() if claim.theorem.id == id]
    standing = {"bound": locate_function(theorems[0].formula)} if theorems else {}
    for row in claims:
        standing = row | standing
    return {kind: standing[kind] for kind in ("bound", "claim", "law", "test") if kind in standing}


@functools.cache
def find_test(home: str) -> str:
    """The tests of a module of claims, `tests/wzw25/test_margin_grid.py:1`; "" if it has none of its own."""
    paper, _, module = home.partition("/")
    test = ROOT / "tests" / paper / f"test_{module.removesuffix('_proof')}.py"
    return f"{test.relative_to(ROOT)}:1" if CHECKOUT and test.exists() else ""


def locate_function(function: Callable[..., Any]) -> str:
    """file:line of a function's first line, decorators included: from its paper's root or ours, else in full."""
    code = inspect.unwrap(function).__code__
    path = Path(code.co_filename).resolve()  # the packages are links, the files stand at the top of the repository
    homes = [paper.folder for paper in library.papers.values() if not paper.house]
    root = next((home for home in [*homes, *([ROOT] if CHECKOUT else [])] if path.is_relative_to(home)), None)
    return f"{path.relative_to(root) if root else path}:{code.co_firstlineno}"


def find_mechanism(name: str) -> ModuleType | None:
    """The module of `lemmata.mechanisms` with this last name, in whatever package it is; None if there is none."""
    home = _mechanisms().get(name)
    return importlib.import_module(home) if home else None


@functools.cache
def _mechanisms() -> dict[str, str]:
    """{last name: full name} of the modules of `lemmata.mechanisms`; only packages are imported for it."""
    found = pkgutil.walk_packages(mechanisms.__path__, "lemmata.mechanisms.")
    return {entry.name.rpartition(".")[2]: entry.name for entry in found if not entry.ispkg}


def locate_law(claim: Claim) -> str | None:
    """The mechanism that is named like the claim's module, else the one that its trial mentions first, if any."""
    name = registry.module_of(claim).rpartition("/")[2].removesuffix("_proof")
    if library.paper(claim.theorem.id).house:
        law = getattr(find_mechanism(name), "law", None)
        if law is not None:
            return locate_function(law)
    function = inspect.unwrap(claim.trial)
    for name in mentioned(function):
        thing: Any = function.__globals__.get(name)
        home = getattr(thing, "__module__", "") or getattr(thing, "__name__", "")
        if inspect.ismodule(thing) and home.startswith("lemmata.mechanisms.") and hasattr(thing, "law"):
            return locate_function(thing.law)
        if inspect.isfunction(thing) and home.startswith("lemmata.mechanisms."):
            return locate_function(thing)
    return None
