"""The figures of one statement: its claims are decided, and their curves drawn."""

from __future__ import annotations

from pathlib import Path

LEDGER_ROOT = 20251120


def figure(name: str, folder: str | Path = ".", *, root: int = LEDGER_ROOT, profile: str = "quick") -> list[Path]:
    """Decide what `name` names (an id, a label, a module or a paper) and write its figures to `folder`, an SVG each.

    Returns the paths, in the ledger's order; none where nothing has a curve. One statement takes seconds, a paper
    minutes. Raises ValueError for a name that is nobody's.
    """
    from experiments.engine import names, registry
    from experiments.engine.ledger import ledger_with_cells
    from experiments.engine.run import execute
    from experiments.engine.store import Store
    from experiments.report.figures import draw

    keys, _ = names.select([name])
    claims = registry.closure(keys)
    store, folder = Store(), Path(folder)
    execute(claims, store, root=root, profile=profile)
    pairs = [(row, cells) for row, cells in ledger_with_cells(store, root, claims) if row["key"] in keys]
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*.svg")}
    draw(pairs, folder)
    return [path for path in sorted(folder.glob("*.svg")) if before.get(path) != path.stat().st_mtime_ns]
