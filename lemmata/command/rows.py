"""The rows of the ledger for a command: kept from the last run, computed from the store, or published."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.verdicts import OPEN
from lemmata.command.console import Usage, exit_with
from lemmata.command.scope import announce_folder, read_scope
from lemmata.experiments.engine.ledger import row_cache

if TYPE_CHECKING:
    from lemmata.experiments.engine.ledger.graph import Graph
    from lemmata.experiments.engine.ledger.row import Row
    from lemmata.experiments.engine.running.store import Store

CONTRADICTION, FAULT = 1, 3


def select(names: Iterable[str], papers: Sequence[Paper] = ()) -> list[str]:
    """The keys of the claims that names mean, imported; for no name all of `papers`, by default of this package.

    What a module prints while it is imported goes to stderr.
    """
    from lemmata.experiments.engine.claims import claim_names as called

    try:
        with contextlib.redirect_stdout(sys.stderr):
            keys, still_open = called.select(names, papers)
    except called.UnknownName as error:
        raise Usage(str(error)) from None
    for id in still_open:
        click.echo(f"{id} is OPEN: it has no claim yet", err=True)
    return keys


def store_path(out: Path) -> Path:
    """The path of the store."""
    return out / "ledger.sqlite"


def open_store(out: Path, *, reading: bool = True) -> Store:
    from lemmata.experiments.engine.running.store import Store

    store = Store(store_path(out), reading=reading)
    if store.missing:
        click.echo(f"lemmata: {store.path} does not exist: nothing has been run there yet", err=True)
    if store.aside:
        click.echo(
            f"lemmata: {store.path} had an older format; it is now {store.aside}, and all rows are decided again",
            err=True,
        )
    return store


def terminal_width() -> int:
    """The columns of the terminal; wide where there is none."""
    return shutil.get_terminal_size((160, 24)).columns


def describe_counts(rows: Iterable[Row]) -> str:
    """The number of rows by verdict and kind of evidence, in one line."""
    from lemmata.experiments.engine.ledger.graph import format_tally, tally

    rows = [row for row in rows if row["kind"] != "summary"]  # each part counts, their summary does not
    return f"{len(rows)} rows: {format_tally(tally(rows))}" if rows else "0 rows"


def describe_missing(rows: Iterable[Row]) -> str:
    """The number of rows that have not been run in this folder, and the command that runs them; "" if there is none."""
    missing = [row["paper"] for row in rows if row["verdict"] == OPEN and row["cells"] and row["kind"] != "summary"]
    papers = sorted(set(missing))
    command = " ".join(["lemmata run", *papers])
    return f"; {len(missing)} rows of {', '.join(papers)} have not been run here: `{command}`" if missing else ""


def conclude_run(
    rows: Sequence[Row],
    folder: Path,
    papers: Sequence[Paper] = (),
    names: Sequence[str] = (),
    *,
    nothing_new: bool = False,
) -> None:
    """Report a run of `names`, by default of all `papers`.

    Exit status 1 where it contradicts what was published, 3 where the check of a row is broken.
    """
    from lemmata.experiments.engine.ledger import published
    from lemmata.experiments.engine.ledger.contradictions import contradictions

    if nothing_new:
        click.echo("lemmata: nothing has changed since the last run; every verdict is up to date", err=True)
    if not names:
        click.echo(describe_counts(rows))
    announce_folder(folder)
    asked = resolve_names(names, papers) or [("paper", paper.id) for paper in papers or library.house]

    def is_asked(row: Row) -> bool:
        return any(published.is_about(row, kind, name) for kind, name in asked)

    failed = report_failed(rows)
    if found := contradictions(rows, published.read_rows(folder), is_asked):
        for line in found:
            click.echo(f"lemmata: contradicts the published ledger: {line}", err=True)
        exit_with(CONTRADICTION)
    if failed:
        exit_with(FAULT)


def report_failed(rows: Iterable[Row]) -> bool:
    """Name each row whose check is broken; whether there is one."""
    failed = [row for row in rows if row["reason"] == "FAILED" and row["kind"] != "summary"]
    for row in failed:
        click.echo(f"lemmata: {row['key']} could not be decided (FAILED): {row['note']}", err=True)
    return bool(failed)


def fill_open_rows(rows: list[Row], folder: Path, root: int, *, nothing: bool = False) -> list[Row]:
    """The rows, with published ones in place of those that were never run here.

    In a checkout the code may have changed since publication, so such rows stay open, unless `nothing` was run.
    """
    from lemmata.experiments.engine.ground import folders
    from lemmata.experiments.engine.ledger import published

    if folders.CHECKOUT and not nothing:
        return rows
    made = published.fill_open_rows(rows, folder, root)
    if made != rows:
        click.echo("lemmata: rows that were not run here are shown as published", err=True)
    return made


def compute_rows(
    names: Sequence[str], papers: Sequence[Paper], folder: Path, root: int, begun: row_cache.State | None
) -> list[Row]:
    """The rows asked for, computed from the store; all rows are kept for the next command in this state."""
    with open_store(folder) as store:
        keys = set(select(names, papers))
        from lemmata.experiments.engine.claims.claim import CLAIMS
        from lemmata.experiments.engine.ledger.ledger_rows import ledger

        if names:
            rows = ledger(store, root, [CLAIMS[key] for key in keys], papers)
        else:
            rows = [row for row, _ in row_cache.recall_or_fold(store, root, begun, papers)]
    if names:
        ids = {CLAIMS[key].theorem.id for key in keys}
        rows = [row for row in rows if row["key"] in keys or (row["kind"] == "summary" and row["id"] in ids)]
    return fill_open_rows(rows, folder, root, nothing=store.missing)


def find_published_rows(names: Sequence[str], folder: Path, papers: Sequence[Paper]) -> list[Row] | None:
    """The published rows asked for; None if no ledger was published."""
    from lemmata.experiments.engine.ledger import published

    rows = list(published.read_rows(folder).values())
    if not rows:
        return None
    announce_record("nothing has been run here; ", papers)
    asked = resolve_names(names, papers) or [("paper", paper.id) for paper in papers or library.house]
    return [row for row in rows if any(published.is_about(row, *each) for each in asked)]


def announce_record(why: str, papers: Sequence[Paper]) -> None:
    """Say that published rows are shown, and with what they were published."""
    origin = f"the installed {papers[0].id}" if papers else "the last full run"
    click.echo(f"lemmata: {why}the rows are shown as published with {origin}", err=True)


def resolve_names(names: Iterable[str], papers: Sequence[Paper] = ()) -> list[tuple[str, str]]:
    """(what it is, its full name) of each name: a paper, a module, an id or a key."""
    from lemmata.bounds.catalogue.names import UnknownName, resolve

    try:
        return [resolve(name, papers) for name in names]
    except UnknownName as error:
        raise Usage(str(error)) from None


def recall_statement(
    id: str, root: int, folder: Path, papers: Sequence[Paper], state: row_cache.State | None
) -> tuple[Sequence[Row], Graph] | None:
    """(rows that include those of `id`, the dependencies) without deciding anything, or None.

    They are the rows kept for exactly this `state`, or, where nothing was run, the published rows, if the statement
    still has these rows and is unchanged. Loads only the modules of the statement and of its corrections.
    """
    from lemmata.experiments.engine.claims import registry
    from lemmata.experiments.engine.ledger import published

    house = not papers and library.paper(id).house
    shipped = house or library.paper(id).is_installed
    rows = row_cache.recall(store_path(folder), root, papers, now=state) if state else None
    if rows and shipped:
        rows = fill_open_rows(rows, folder, root)
    if rows is None and shipped and not store_path(folder).exists():
        rows = published.recall_statement(id, folder, root)
        if rows:
            announce_record("", papers)
    mine = [row for row in rows or () if id in (row["id"], row["parent"])]
    if not rows or not mine:
        return None
    for other in {id, *(row["corrected_by"].partition("/")[0] for row in mine)} - {""}:
        registry.load(registry.find_modules(other))
    return rows, {row["key"]: row["rests_on"] for row in rows if row["kind"] != "summary"}


def compute_statement(id: str, root: int, folder: Path, papers: Sequence[Paper]) -> tuple[Sequence[Row], Graph]:
    """(the rows of `id` and of its dependencies, all dependencies), from the store.

    Loads every module, to find what depends on `id`.
    """
    with open_store(folder) as store:
        keys = select([id])
        from lemmata.experiments.engine.claims import registry
        from lemmata.experiments.engine.claims.claim import CLAIMS
        from lemmata.experiments.engine.ledger import graph
        from lemmata.experiments.engine.ledger.ledger_rows import ledger

        rows = ledger(store, root, [CLAIMS[key] for key in keys])
    rows = fill_open_rows(rows, folder, root, nothing=store.missing)
    registry.load(registry.list_modules([*library.house, *papers]))
    return rows, graph.graph_of_claims()


def read_statement(
    arguments: Sequence[str], out: str | None
) -> tuple[Sequence[Paper], str, Path, row_cache.State | None]:
    """(papers, the id of the one statement, step or row named, the folder of results, the state of the code)."""
    papers, names, folder = read_scope(arguments, out)
    state = row_cache.state_at_start(store_path(folder))  # before a statement is loaded
    name = " ".join(names)  # a label may have been given without quotation marks
    if not name:
        raise Usage("ID is missing; name one statement, as in `lemmata explain wzw25.lem6.4`")
    ((kind, full),) = resolve_names([name], papers)
    if kind not in ("id", "key"):
        raise Usage(f"ID must name one statement, got the {kind} {name!r}")
    return papers, full.partition("/")[0], folder, state
