"""The program `lemmata`: run, ledger, explain, review, pilot, where, audit, compare, report, figure, referee, bench.

Progress goes to stderr, results to stdout. Exit status:

    0               done
    1               a verdict contradicts the published ledger or is lost, an audited mechanism is REFUTED, `check`
                    or `referee` has findings, `accept` needs a line in a history, or a core routine became slower
    2               bad usage, or an audit in which every release raises
    3               a fault (a check that raises, a dead worker, a full disk, a damaged store), an audit that learns
                    nothing, or benchmarks that measured nothing
    129, 130, 143   SIGHUP, an interrupt, SIGTERM
    141             the reader of a pipe is gone

Modules that take seconds to import are imported by the commands that need them.
"""

import contextlib
import importlib
import importlib.util
import json
import os
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from lemmata.bounds.library import library, nearest
from lemmata.bounds.statement.verdicts import READINGS
from lemmata.command.audit import audit
from lemmata.command.benchmark import benchmark
from lemmata.command.compare import compare
from lemmata.command.console import (
    PROCESSES,
    Program,
    Usage,
    exit_with,
    install_signal_handlers,
    one_line_errors,
    open_standard_streams,
    out_option,
    root_option,
)
from lemmata.command.explain import complete_names, explain, review
from lemmata.command.paper import accept, check, new_paper
from lemmata.command.referee import referee
from lemmata.command.rows import (
    FAULT,
    compute_rows,
    conclude_run,
    describe_counts,
    describe_missing,
    fill_open_rows,
    find_published_rows,
    open_store,
    read_statement,
    report_failed,
    select,
    store_path,
    terminal_width,
)
from lemmata.command.scope import choose_folder, read_scope
from lemmata.experiments.engine.ground.deadline import HUNG
from lemmata.experiments.engine.ground.folders import is_in_checkout
from lemmata.experiments.engine.ground.profiles import PROFILES
from lemmata.experiments.engine.ledger import row_cache

TIMINGS = ("seconds", "cpu_seconds")
VERDICTS = ("HOLDS", "SLIP", "REFUTED", "VACUOUS", "INCONCLUSIVE", "NOT_A_CLAIM", "OPEN")


def load_checkout_part(module: str, name: str) -> Any:
    """An object of `lemmata.tools`, which only a checkout has; None elsewhere."""
    return getattr(importlib.import_module(module), name) if importlib.util.find_spec("lemmata.tools") else None


NAMES = "[PATH or ID or LABEL or MODULE or PAPER]..."


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(metadata.version("lemmata"), prog_name="lemmata")
def main() -> None:
    """Check theorems on private learning as programs: those of four papers, and your own."""
    open_standard_streams()
    install_signal_handlers()


@main.command()
@click.argument("arguments", nargs=-1, metavar=NAMES, shell_complete=complete_names)
@click.option(
    "--profile", type=click.Choice(PROFILES), default="quick", show_default=True, help="How many settings to try."
)
@click.option("--jobs", type=PROCESSES, default=os.cpu_count(), help="Number of worker processes.")
@click.option("--dask", metavar="ADDRESS", help="Compute on a Dask cluster; local:N starts one on this machine.")
@click.option(
    "--limit",
    type=click.FloatRange(1, HUNG),
    default=HUNG,
    show_default=True,
    help="CPU seconds after which a check, or one chunk of trials, is FAILED.",
)
@root_option
@click.option("--plan", "only_plan", is_flag=True, help="Print the number of cells and the planned core-seconds; exit.")
@click.option("--fresh", is_flag=True, help="Discard the stored results of these claims first.")
@out_option
@one_line_errors(resumable=True)
def run(
    arguments: tuple[str, ...],
    profile: str,
    jobs: int,
    dask: str | None,
    limit: float,
    root: int,
    only_plan: bool,
    fresh: bool,
    out: str | None,
) -> None:
    """Decide claims, continuing where an earlier run stopped."""
    papers, names, folder = read_scope(arguments, out)
    if not (names or papers or is_in_checkout()):
        click.echo(
            "lemmata: no paper.toml here or above; deciding the four built-in papers takes some minutes", err=True
        )
    begun = None if names else row_cache.state_at_start(store_path(folder))
    code = begun.code if begun else row_cache.hash_files()
    anew = names or papers or fresh or only_plan
    kept = None if anew else row_cache.recall(store_path(folder), root, finished=profile, now=begun)
    if kept is not None:
        conclude_run(kept, folder, nothing_new=True)
        return
    from lemmata.experiments.engine.claims import registry
    from lemmata.experiments.engine.running import run as runner, workers
    from lemmata.experiments.engine.witness import programs

    if not (names or papers or only_plan or dask):
        workers.start_workers(jobs)
    keys = select(names, papers)
    from lemmata.experiments.engine.front.explanation import format_rows
    from lemmata.experiments.engine.ledger.ledger_rows import ledger

    claims = registry.closure(keys)
    if only_plan:
        click.echo(runner.format_plan(claims, profile))
        return
    if not claims:
        click.echo("lemmata: nothing to decide: no module here has a claim", err=True)
        return
    with open_store(folder, reading=False) as store:
        if fresh:
            for claim in claims:
                store.forget(claim.key, root)
        done = runner.execute(
            claims, store, root=root, profile=profile, jobs=jobs, dask=dask, progress=True, limit=limit
        )
        programs.confirm(done, store, jobs, lambda: row_cache.hash_files() != code)
        store.stands()
        if names or papers:
            decided = {claim.key for claim in claims}  # a record may be loaded here without its claim
            rows = [row for row in ledger(store, root, claims) if row["key"] in decided]
            click.echo(format_rows([row for row in rows if row["key"] in keys], terminal_width()))
    if not names:
        with open_store(folder) as store:
            rows = [row for row, _ in row_cache.recall_or_fold(store, root, begun, papers, done)]
            store.stands()
    conclude_run(rows, folder, papers, names)


@main.command("ledger")
@click.argument("arguments", nargs=-1, metavar=NAMES, shell_complete=complete_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--timings", is_flag=True, help="Add seconds and CPU-seconds, which differ between runs.")
@click.option(
    "--verdict", type=click.Choice(VERDICTS, case_sensitive=False), multiple=True, help="Show rows with this verdict."
)
@click.option(
    "--severity",
    type=click.Choice(["privacy", "statement", "constant"]),
    multiple=True,
    help="Show rows with this severity.",
)
@click.option(
    "--reading",
    type=click.Choice([*READINGS, "rate"], case_sensitive=False),
    multiple=True,
    help="Show rows of this reading.",
)
@click.option("--paper", metavar="PAPER", multiple=True, help="Show rows of this paper.")
@root_option
@out_option
@one_line_errors()
def show_ledger(
    arguments: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
    timings: bool,
    verdict: tuple[str, ...],
    severity: tuple[str, ...],
    reading: tuple[str, ...],
    paper: tuple[str, ...],
    root: int,
    out: str | None,
) -> None:
    """Print the ledger: the results of runs here; where nothing has been run, the published results."""
    papers, names, folder = read_scope(arguments, out)
    if unknown := [name for name in paper if name not in library.papers]:
        raise Usage(f"--paper must be one of {', '.join(library.papers)}, got {unknown[0]!r}")
    begun = None if names or not store_path(folder).exists() else row_cache.state_at_start(store_path(folder))
    kept = row_cache.recall(store_path(folder), root, papers, now=begun) if begun else None
    rows = kept and fill_open_rows(kept, folder, root)
    if rows is None and all(each.is_installed for each in papers) and not store_path(folder).exists():
        rows = find_published_rows(names, folder, papers)
    if rows is None:
        with contextlib.redirect_stdout(sys.stderr):  # what a module prints while it is loaded is no row
            rows = compute_rows(names, papers, folder, root, begun)
    asked = [
        row
        for row in rows
        if (not paper or row["paper"] in paper) and (not reading or row["reading"].split("[")[0] in reading)
    ]
    rows = [
        row
        for row in asked
        if (not verdict or row["verdict"] in verdict) and (not severity or row["severity"] in severity)
    ]
    hidden = () if timings else TIMINGS
    shown = [{name: value for name, value in row.items() if name not in hidden} for row in rows]
    from lemmata.experiments.engine.front.explanation import format_rows
    from lemmata.experiments.engine.ledger.ledger_rows import as_frame, jsonable

    if as_json:
        click.echo(json.dumps(jsonable(shown), indent=1, ensure_ascii=False))
    elif as_csv:
        click.echo(as_frame(shown).to_csv(index=False), nl=False)
    else:
        click.echo(format_rows(rows, terminal_width()))
    click.echo(f"lemmata: {describe_counts(rows)}{describe_missing(asked)}", err=True)


@main.command()
@click.argument("key", metavar="KEY")
@root_option
@one_line_errors()
def pilot(key: str, root: int) -> None:
    """Estimate how likely a sampled claim is to stay undecided at its trial limit."""
    select([key])
    from lemmata.experiments.engine.claims.claim import CLAIMS
    from lemmata.experiments.engine.running import power

    claim = CLAIMS.get(key)
    if claim is None or claim.style == "exact":
        raise Usage(f"KEY must name a row that sampling decides (id/reading/part), got {key!r}")
    click.echo("\n".join(power.describe_pilot(claim, root)))


@main.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] ID or LABEL", shell_complete=complete_names)
@one_line_errors()
def where(arguments: tuple[str, ...]) -> None:
    """Print file:line of the bound, claim, law and test of a statement."""
    _, id, *_ = read_statement(arguments, None)
    from lemmata.experiments.engine.claims.places import locate_statement

    shown = locate_statement(id)
    if not shown:
        click.echo(f"{id} is OPEN: it has no bound, claim, law or test yet", err=True)
    for kind, place in shown.items():
        click.echo(f"{kind:6} {place}")


def load_checkout_pages() -> Any:
    """The page that only a checkout has, loaded when a site is drawn: the speed of the cores."""
    return load_checkout_part("lemmata.tools.speed.page", "CHECKOUT")


@main.command()
@click.argument("paths", nargs=-1, metavar="[PATH or PAPER]")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@click.option("--publish", metavar="FOLDER", help="Also copy the whole site there, for any static host.")
@click.option("--record", is_flag=True, help="Also write published/ledger.csv, the record to commit.")
@root_option
@out_option
@one_line_errors()
def report(
    paths: tuple[str, ...], open_page: bool, publish: str | None, record: bool, root: int, out: str | None
) -> None:
    """Write the pages of a paper, by default of the built-in papers. Rewrites only what has changed."""
    papers, names, folder = read_scope(paths, out)
    if names:
        raise Usage(f"PATH must be a folder with a paper.toml, got {names[0]}; the built-in papers share one site")
    start = row_cache.state_at_start(store_path(folder))
    from lemmata.experiments.report import write

    also = load_checkout_pages if not papers and importlib.util.find_spec("lemmata.tools") else None
    with open_store(folder) as store:
        page, summary = write(store, root, folder, record=record, start=start, also=also, papers=papers)
    click.echo(summary)
    if publish:
        from lemmata.experiments.report.site_copy import LARGEST, ForeignFolderError, copy_site

        try:
            files, size = copy_site(folder, Path(publish))
        except ForeignFolderError as error:
            raise Usage(str(error)) from None
        click.echo(f"{files} files, {size / 1e6:.1f} MB, for any static host: {Path(publish).resolve()}")
        if size > LARGEST:
            click.echo(f"lemmata: the site is larger than the recommended {LARGEST / 1e6:.0f} MB", err=True)
    if open_page:
        click.launch(str(page))


@main.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] ID or LABEL or MODULE")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["svg", "png", "pdf"]),
    default="svg",
    show_default=True,
    help="Format of the files.",
)
@click.option(
    "--profile", type=click.Choice(PROFILES), default="quick", show_default=True, help="How many settings to try."
)
@root_option
@out_option
@one_line_errors()
def figure(arguments: tuple[str, ...], kind: str, profile: str, root: int, out: str | None) -> None:
    """Decide statements and write their figures to figures/ beside the store, or to --out."""
    from lemmata.experiments.figures.statement import figure as draw

    papers, names, folder = read_scope(arguments, out)
    name = " ".join(names)
    select([name], papers)
    paths = draw(name, folder if out else None, kind=kind, root=root, profile=profile, papers=papers)
    click.echo("\n".join(map(str, paths)) if paths else "no figures: no row here has a curve")


for command in (audit, benchmark, compare, explain, review, new_paper, check, accept, referee):
    main.add_command(command)
if bench := load_checkout_part("lemmata.tools.speed.command", "bench"):
    main.add_command(bench)


def script(file: str) -> None:
    """Run one module of claims as a script: print its verdicts and draw its figures.

    Parameters
    ----------
    file : str
        The module's `__file__`. Options are read from the command line; the process ends with the exit status of
        `lemmata run`.

    Examples
    --------
    The last lines of a module:

        if __name__ == "__main__":
            script(__file__)
    """
    path = Path(file).resolve()

    @click.command(help=f"Decide the claims of {path.stem}, print their verdicts, and draw their figures.")
    @click.option(
        "--profile", type=click.Choice(PROFILES), default="quick", show_default=True, help="How many settings to try."
    )
    @click.option("--jobs", type=PROCESSES, default=1, show_default=True, help="Number of worker processes.")
    @click.option("--first", is_flag=True, help="Try only the first setting of every claim, without controls.")
    @root_option
    @out_option
    @one_line_errors()
    def decide(profile: str, jobs: int, first: bool, root: int, out: str | None) -> None:
        from lemmata.experiments.engine.front.decision import decide_module
        from lemmata.experiments.figures.claims import write_figures

        above = nearest(path.parent)
        paper = library.add(above) if above else library.papers[path.parent.name]
        name = f"{paper.id}/{path.stem}"
        rows, cells, text = decide_module(
            name, root=root, profile=profile, jobs=jobs, first=first, width=terminal_width()
        )
        click.echo(text)
        figures = choose_folder([paper], out) / "figures" / name
        drawn = write_figures(zip(rows, cells, strict=True), figures)
        click.echo(f"{len(drawn)} figures in {figures}" if drawn else "no figures: no row here has a curve")
        if report_failed(rows):
            exit_with(FAULT)

    decide()
