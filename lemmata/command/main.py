"""The program `lemmata`: run, ledger, explain, pilot, where, audit, compare, report, figure, bench.

Progress goes to stderr, results to stdout. Exit status: 0 it did its job; 1 a verdict contradicts the published ledger
or is lost, an audited mechanism is REFUTED, a check has findings, what is accepted lacks its line, or a core became
slower; 2 bad usage; 3 a fault (a worker died, a disk is full, a store is damaged), an audit that learnt nothing, or
benchmarks that measured nothing; 130, 143 and 129 after an interrupt, SIGTERM and SIGHUP, 141 where who reads went
away. Modules that cost seconds to import are imported by the commands that need them.
"""

from __future__ import annotations

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
from lemmata.command.compare import compare
from lemmata.command.console import (
    PROCESSES,
    Program,
    Usage,
    install_signal_handlers,
    one_line_errors,
    open_standard_streams,
    out_option,
    root_option,
)
from lemmata.command.paper import accept, check, new_paper
from lemmata.command.rows import (
    compute_rows,
    compute_statement,
    conclude_run,
    describe_counts,
    fill_open_rows,
    find_published_rows,
    open_store,
    read_statement,
    recall_statement,
    select,
    store_path,
    terminal_width,
)
from lemmata.command.scope import choose_folder, read_scope
from lemmata.experiments.engine.ground.folders import is_in_checkout
from lemmata.experiments.engine.ground.profiles import PROFILES

TIMINGS = ("seconds", "cpu_seconds")
VERDICTS = ("HOLDS", "SLIP", "REFUTED", "VACUOUS", "INCONCLUSIVE", "NOT_A_CLAIM", "OPEN")


def load_checkout_part(module: str, name: str) -> Any:
    """What measures the repository is not shipped: a part of lemmata.tools, or None outside a checkout."""
    found = importlib.util.find_spec("lemmata.tools")
    return getattr(importlib.import_module(module), name) if found else None


def complete_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """What the shell offers: papers, and the ids of statements."""
    return [name for name in (*library.papers, *library.ids) if name.startswith(incomplete.lower())]


NAMES = "[PATH or ID or LABEL or MODULE or PAPER]..."


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(metadata.version("lemmata"), prog_name="lemmata")
def main() -> None:
    """Executable theorems: of four papers on private learning with margins, and of yours, in a folder of its own."""
    open_standard_streams()
    install_signal_handlers()


@main.command()
@click.argument("arguments", nargs=-1, metavar=NAMES, shell_complete=complete_names)
@click.option("--profile", type=click.Choice(PROFILES), default="quick", show_default=True)
@click.option("--jobs", type=PROCESSES, default=os.cpu_count(), help="Worker processes.")
@click.option("--dask", metavar="ADDRESS", help="Use a Dask cluster instead; local:N starts one here.")
@root_option
@click.option("--plan", "only_plan", is_flag=True, help="Print cells and planned core-seconds and stop.")
@click.option("--fresh", is_flag=True, help="Forget the stored chunks of these claims first.")
@out_option
@one_line_errors(resumable=True)
def run(
    arguments: tuple[str, ...],
    profile: str,
    jobs: int,
    dask: str | None,
    root: int,
    only_plan: bool,
    fresh: bool,
    out: str | None,
) -> None:
    """Decide claims; continue where an earlier run stopped."""
    from lemmata.experiments.engine.ledger import row_cache

    papers, names, folder = read_scope(arguments, out)
    if not (names or papers or is_in_checkout()):
        click.echo("lemmata: no paper.toml here or above: deciding the papers of this package, some minutes", err=True)
    begun = None if names else row_cache.state_at_start(store_path(folder))
    code = begun.code if begun else row_cache.hash_files()
    anew = names or papers or fresh or only_plan
    kept = None if anew else row_cache.recall(store_path(folder), root, finished=profile, now=begun)
    if kept is not None:
        conclude_run(kept, folder, nothing_new=True)
        return
    from lemmata.experiments.engine.claims import registry
    from lemmata.experiments.engine.running import run as runner
    from lemmata.experiments.engine.running import workers
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
        return
    with open_store(folder, reading=False) as store:
        if fresh:
            for claim in claims:
                store.forget(claim.key, root)
        done = runner.execute(claims, store, root=root, profile=profile, jobs=jobs, dask=dask, progress=True)
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
@click.option("--json", "as_json", is_flag=True, help="The machine's interface.")
@click.option("--csv", "as_csv", is_flag=True)
@click.option("--timings", is_flag=True, help="Add seconds and CPU seconds, which differ from run to run.")
@click.option("--verdict", type=click.Choice(VERDICTS, case_sensitive=False), multiple=True)
@click.option("--severity", type=click.Choice(["privacy", "statement", "constant"]), multiple=True)
@click.option("--reading", type=click.Choice([*READINGS, "rate"], case_sensitive=False), multiple=True)
@click.option("--paper", metavar="PAPER", multiple=True)
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
    """Print the ledger: what was run here, or else what was published with the last full run."""
    from lemmata.experiments.engine.ledger import row_cache

    papers, names, folder = read_scope(arguments, out)
    if unknown := [name for name in paper if name not in library.papers]:
        raise Usage(f"--paper = {unknown[0]!r} is none of {', '.join(library.papers)}")
    begun = None if names or not store_path(folder).exists() else row_cache.state_at_start(store_path(folder))
    kept = row_cache.recall(store_path(folder), root, papers, now=begun) if begun else None
    rows = kept and fill_open_rows(kept, folder, root)
    if rows is None and not papers and not store_path(folder).exists():
        rows = find_published_rows(names, folder)
    if rows is None:
        with contextlib.redirect_stdout(sys.stderr):  # what a module prints while it is loaded is no row
            rows = compute_rows(names, papers, folder, root, begun)
    rows = [
        row
        for row in rows
        if (not verdict or row["verdict"] in verdict)
        and (not severity or row["severity"] in severity)
        and (not paper or row["paper"] in paper)
        and (not reading or row["reading"].split("[")[0] in reading)
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
    click.echo(f"lemmata: {describe_counts(rows)}", err=True)


@main.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] ID or LABEL", shell_complete=complete_names)
@click.option("--short", "only_head", is_flag=True, help="The first ten lines only.")
@root_option
@out_option
@one_line_errors()
def explain(arguments: tuple[str, ...], only_head: bool, root: int, out: str | None) -> None:
    """Is it true, where, what to cite instead; then statement, hypotheses, derivation, witness of every reading."""
    papers, id, folder, state = read_statement(arguments, out)
    from lemmata.experiments.engine.front.explanation import explain_in_short, explain_statement, fit_lines
    from lemmata.experiments.engine.ledger import graph

    found = recall_statement(id, root, folder, papers, state)
    rows, links = found or (compute_statement(id, root, folder, papers), graph.graph_of_claims())
    mine = [row for row in rows if id in (row["id"], row["parent"])]
    click.echo(
        fit_lines(
            "\n".join(explain_in_short(id, mine)) if only_head else explain_statement(id, rows, links), terminal_width()
        )
    )


@main.command()
@click.argument("key", metavar="KEY")
@root_option
@one_line_errors()
def pilot(key: str, root: int) -> None:
    """What a sampled claim can miss by its cap: its quick cells, and every factor of its control."""
    select([key])
    from lemmata.experiments.engine.claims.claim import CLAIMS
    from lemmata.experiments.engine.running import power

    claim = CLAIMS.get(key)
    if claim is None or claim.style == "exact":
        raise Usage(f"KEY = {key!r} is no row that sampling decides: give id/reading/part")
    click.echo("\n".join(power.describe_pilot(claim, root)))


@main.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] ID or LABEL", shell_complete=complete_names)
@one_line_errors()
def where(arguments: tuple[str, ...]) -> None:
    """file:line of a statement's bound, claim, law and test."""
    _, id, *_ = read_statement(arguments, None)
    from lemmata.experiments.engine.claims.places import locate_statement

    shown = locate_statement(id)
    if not shown:
        click.echo(f"{id} is OPEN: nothing is written about it yet", err=True)
    for kind, place in shown.items():
        click.echo(f"{kind:6} {place}")


def load_checkout_pages() -> Any:
    """The pages that only a checkout has, loaded when a site is drawn: documentation, speed, scaling."""
    return load_checkout_part("lemmata.tools.speed.pages", "CHECKOUT")


@main.command()
@click.argument("paths", nargs=-1, metavar="[PATH or PAPER]")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@click.option("--publish", metavar="FOLDER", help="Also copy the site there, whole and by itself, for any static host.")
@click.option("--record", is_flag=True, help="Also write published/ledger.csv, the committed record.")
@root_option
@out_option
@one_line_errors()
def report(
    paths: tuple[str, ...], open_page: bool, publish: str | None, record: bool, root: int, out: str | None
) -> None:
    """Draw the pages of a paper from its store, by default of this package; what has not changed is left alone."""
    from lemmata.experiments.engine.ledger import row_cache

    papers, names, folder = read_scope(paths, out)
    if names:
        raise Usage(f"PATH = {names[0]} is no folder with a paper.toml; the papers of this package share one site")
    start = row_cache.state_at_start(store_path(folder))
    from lemmata.experiments.report import write

    measured = not papers and importlib.util.find_spec("lemmata.tools")
    also = load_checkout_pages if measured else None
    with open_store(folder) as store:
        page, summary = write(store, root, folder, record=record, start=start, also=also, papers=papers)
    click.echo(summary)
    if publish:
        from lemmata.experiments.report.publish import LARGEST, NotOurs, published

        try:
            files, size = published(folder, Path(publish))
        except NotOurs as error:
            raise Usage(str(error)) from None
        click.echo(f"{files} files, {size / 1e6:.1f} MB, for any static host: {Path(publish).resolve()}")
        if size > LARGEST:
            click.echo(f"lemmata: larger than the {LARGEST / 1e6:.0f} MB that a reader should load", err=True)
    if open_page:
        click.launch(str(page))


@main.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] ID or LABEL or MODULE")
@click.option("--format", "kind", type=click.Choice(["svg", "png", "pdf"]), default="svg", show_default=True)
@click.option("--profile", type=click.Choice(PROFILES), default="quick", show_default=True)
@root_option
@out_option
@one_line_errors()
def figure(arguments: tuple[str, ...], kind: str, profile: str, root: int, out: str | None) -> None:
    """Decide what is named and write its figures, a file each: into figures/ beside the store, or into --out."""
    from lemmata.experiments.figure import figure as draw

    papers, names, folder = read_scope(arguments, out)
    name = " ".join(names)
    select([name], papers)
    paths = draw(name, folder if out else None, kind=kind, root=root, profile=profile, papers=papers)
    click.echo("\n".join(map(str, paths)) if paths else "no figures: nothing here has a curve")


main.add_command(audit)
main.add_command(compare)
for command in (new_paper, check, accept):
    main.add_command(command)
if bench := load_checkout_part("lemmata.tools.speed.command", "bench"):
    main.add_command(bench)


def script(file: str) -> None:
    """`python experiments/<paper>/<module>.py`: verdicts and figures of one module of claims, wherever it stands.

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
    @click.option("--profile", type=click.Choice(PROFILES), default="quick", show_default=True)
    @click.option("--jobs", type=PROCESSES, default=1, show_default=True, help="Worker processes.")
    @click.option("--first", is_flag=True, help="Only the first setting of every claim, and no controls.")
    @root_option
    @out_option
    @one_line_errors()
    def decide(profile: str, jobs: int, first: bool, root: int, out: str | None) -> None:
        from lemmata.experiments.drawing import draw
        from lemmata.experiments.engine.front.decision import decide_module

        above = nearest(path.parent)
        paper = library.add(above) if above else library.papers[path.parent.name]
        name = f"{paper.id}/{path.stem}"
        rows, cells, text = decide_module(
            name, root=root, profile=profile, jobs=jobs, first=first, width=terminal_width()
        )
        click.echo(text)
        figures = choose_folder([paper], out) / "figures" / name
        drawn = draw(zip(rows, cells, strict=True), figures)
        click.echo(f"{len(drawn)} figures in {figures}" if drawn else "no figures: nothing here has a curve")

    decide()
