"""Where a statement stands: file and line of its bound, its claim, the law it is about and the tests of its module."""

from __future__ import annotations

import inspect
from pathlib import Path

from bounds.theorem import THEOREMS
from experiments.engine import registry
from experiments.engine.claim import CLAIMS

ROOT = Path(__file__).resolve().parents[2]


def places(id: str) -> dict[str, str]:
    """{"bound": "bounds/wzw25/margin_grid.py:27", "claim": ..., "law": ..., "test": ...} of a statement or step."""
    homes = registry.homes(id)
    registry.load(homes)
    theorems = [theorem for theorem in THEOREMS.values() if theorem.id == id]
    claims = [claim for claim in CLAIMS.values() if claim.theorem.id == id]
    found = {}
    if theorems:
        found["bound"] = place(theorems[0].formula)
    if claims:
        found["claim"] = place(claims[0].trial)
        if law := next(filter(None, (law_of(claim) for claim in claims)), None):
            found["law"] = law
    for home in homes:
        paper, _, module = home.partition("/")
        test = ROOT / "tests" / paper / f"test_{module.removesuffix('_proof')}.py"
        if test.exists():
            found["test"] = f"{test.relative_to(ROOT)}:1"
    return found


def place(function) -> str:
    """file:line of a function's first line, decorators included, from the project's root."""
    function = inspect.unwrap(function)
    path = Path(inspect.getsourcefile(function) or "").resolve()
    home = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
    return f"{home}:{inspect.getsourcelines(function)[1]}"


def law_of(claim) -> str | None:
    """The mechanism that a claim's trial names first, if any."""
    function = inspect.unwrap(claim.trial)
    for name in function.__code__.co_names:
        thing = function.__globals__.get(name)
        home = getattr(thing, "__module__", None) or getattr(thing, "__name__", "")
        if inspect.ismodule(thing) and home.startswith("mechanisms.") and hasattr(thing, "law"):
            return place(thing.law)
        if inspect.isfunction(thing) and home.startswith("mechanisms."):
            return place(thing)
    return None
