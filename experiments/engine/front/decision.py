"""Run and read in one step: a claim, or a module of claims, decided in this process, as the ledger shows it."""

from dataclasses import replace

from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.front.explanation import format_rows
from lemmata.experiments.engine.ledger.ledger_rows import ledger, ledger_with_cells
from lemmata.experiments.engine.ledger.row import Row, open_row
from lemmata.experiments.engine.running.cell import Cell
from lemmata.experiments.engine.running.run import execute
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT


def decide(key: str, *, root: int, profile: str = "quick", store: Store | None = None) -> Row:
    """One claim and what it rests on, in this process: its ledger row. What the tests call.

    Parameters
    ----------
    key : str
        Of a reading: `lem1/corrected`, with the paper's name before it.
    root : int
        Of all random numbers.
    profile : str
        "quick", "full" or "deep".
    store : Store, optional
        Where trials are kept; nowhere by default.

    Returns
    -------
    dict
        The row, as in `lemmata ledger --json`.

    Raises
    ------
    ValueError
        In one line, for a key that nobody registered.
    """
    if (claim := registry.find(key)) is None:
        raise ValueError(f"claim {key!r} is not registered")
    store = store or Store()
    programs.confirm(execute(registry.closure([key]), store, root=root, profile=profile), store)
    return next(row for row in ledger(store, root, [claim]) if row["key"] == key)


def decide_module(
    name: str,
    *,
    root: int = LEDGER_ROOT,
    profile: str = "quick",
    jobs: int = 1,
    first: bool = False,
    width: int = 160,
) -> tuple[list[Row], list[list[Cell]], str]:
    """Decide one module of claims in a store of its own: (its rows, the cells of each row, the table as text).

    `first` tries the first admissible setting of every claim only, without its control: a look, not a verdict.
    """
    claims = registry.load([name])[name]
    if first:
        claims = [_first(claim) for claim in claims]
        tried = [(claim, execute([claim], Store(), root=root, jobs=jobs)[0].cells) for claim in claims]
        lines = [f"{claim.key:50} {_outcome(cells)}" for claim, cells in tried]
        rows: list[Row] = [open_row(claim.theorem) | {"key": claim.key} for claim in claims]
        return rows, [cells for _, cells in tried], "\n".join(lines)
    store, keys = Store(), {claim.key for claim in claims}
    run = execute(registry.closure(keys), store, root=root, profile=profile, jobs=jobs, progress=True)
    programs.confirm(run, store, jobs)
    pairs = [(row, cells) for row, cells in ledger_with_cells(store, root, claims) if row["key"] in keys]
    rows = [row for row, _ in pairs]
    return rows, [cells for _, cells in pairs], format_rows(rows, width)


def _outcome(cells: list[Cell]) -> str:
    """Of the one cell that was tried, if any was admissible."""
    return cells[0].verdict.outcome if cells and cells[0].verdict else "no setting"


def _first(claim: Claim) -> Claim:
    settings = [s for s in claim.quick if not claim.theorem.skipped(s)]
    return replace(claim, quick=tuple(settings[:1]), full=(), control=None, cap=1)
