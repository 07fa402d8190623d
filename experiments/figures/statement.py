"""The figures of one statement: its claims are decided, and their curves drawn."""

from collections.abc import Sequence
from pathlib import Path

from lemmata import lab
from lemmata.bounds.library import Paper
from lemmata.experiments.engine.ground.folders import results_folder
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT

KINDS = ("svg", "png", "pdf")


def figure(
    name: str,
    folder: str | Path | None = None,
    *,
    kind: str = "svg",
    root: int = LEDGER_ROOT,
    profile: str = "quick",
    papers: Sequence[Paper] = (),
) -> list[Path]:
    """Decide what `name` names (an id, a label, a module or a paper) and write its figures to `folder`, a file each.

    One statement takes seconds, a paper minutes.

    Parameters
    ----------
    name : str
        What the command line takes.
    folder : path, optional
        By default where results stand: reports/figures in a checkout or a paper's folder, else in the user's folder
        for data.
    kind : "svg", "png" or "pdf"
        Of the files.
    root : int
        Of all random numbers.
    profile : "quick" or "full"
        Which settings are decided.
    papers : sequence of Paper
        Whose labels come before those of others.

    Returns
    -------
    list of Path
        In the ledger's order; none where nothing has a curve.

    Raises
    ------
    ValueError
        In one line, for a name that is nobody's and for another kind.
    ModuleNotFoundError
        Where the extra `lab` is not installed.

    Examples
    --------
    >>> [path.name for path in figure("wzw25.lem6.4", folder)]  # doctest: +SKIP
    """
    try:
        from lemmata.experiments.engine.claims import claim_names, registry
        from lemmata.experiments.engine.ledger.ledger_rows import ledger_with_cells
        from lemmata.experiments.engine.running.run import execute
        from lemmata.experiments.engine.running.store import Store
        from lemmata.experiments.figures.claims import write_figures
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(lab.missing("lemmata.figure", error) or str(error), name=error.name) from None

    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    keys, _ = claim_names.select([name], papers)
    claims = registry.closure(keys)
    store = Store()
    execute(claims, store, root=root, profile=profile)
    pairs = [(row, cells) for row, cells in ledger_with_cells(store, root, claims) if row["key"] in keys]
    return write_figures(pairs, results_folder(papers) / "figures" if folder is None else Path(folder), kind)
