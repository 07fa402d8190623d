"""Every recorded statement at once: what `marginalia.theorems` hands out."""

from __future__ import annotations

import importlib
import pkgutil

from bounds import papers
from bounds.theorem import THEOREMS, Theorem


def theorems(name: str = "") -> list[Theorem]:
    """The records of all statements, or of those whose id begins with `name`: a paper, a statement, a step of a proof.

    In the order of the papers. A record has `id`, `label`, `part`, `reading`, `says` (LaTeX), `needs` (its hypotheses),
    `source` and `formula`, the function that computes what it promises. It never says whether the statement is right:
    that is the ledger's business (`marginalia explain ID`).

    >>> [(t.label, t.reading) for t in theorems("rbht09.lem13") if t.id == "rbht09.lem13"]
    [('Lemma 13', 'printed'), ('Lemma 13', 'corrected'), ('Lemma 13', 'explicit')]
    """
    for package in papers.PAPERS:
        path = importlib.import_module(f"bounds.{package}").__path__
        for _, module, is_package in pkgutil.iter_modules(path, f"bounds.{package}."):
            if not is_package:
                importlib.import_module(module)
    order = {id: place for place, id in enumerate(papers.IDS)}
    chosen = [t for t in THEOREMS.values() if t.id == name or t.id.startswith(f"{name}." if name else "")]
    if not chosen:
        raise ValueError(f"name = {name!r} begins no id: papers are {', '.join(papers.PAPERS)}")
    return sorted(chosen, key=lambda t: order[t.statement])
