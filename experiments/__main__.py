"""The program `marginalia`: run, ledger, explain, pilot, where, audit, report, figure, bench.

Progress goes to stderr, results to stdout. Exit status: 0 it did its job; 1 a verdict contradicts the published ledger,
an audited mechanism is REFUTED, or a core became slower; 2 bad usage; 3 a fault (a worker died, a disk is full, a store
is damaged), an audit that learnt nothing, or benchmarks that measured nothing; 130 and 143 after an interrupt. Modules
that cost seconds to import are imported by the commands that need them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import click

from experiments.engine.console import Broken, Terminated, Usage, plainly, reports_option, root_option

CONTRADICTION = REFUTED_BY_AUDIT = 1
NOTHING_LEARNT = 3
TIMINGS = ("seconds", "cpu_seconds")
VERDICTS = ("HOLDS", "SLIP", "REFUTED", "VACUOUS", "INCONCLUSIVE", "NOT_A_CLAIM", "OPEN")


def select(names):
    """The keys of the claims that ids, labels, keys, modules or papers name, imported; all for no name."""
    from experiments.engine import names as called

    try:
        keys, still_open = called.select(names)
    except called.UnknownName as error:
        raise Usage(str(error)) from None
    for id in still_open:
        click.echo(f"{id} is OPEN: no claim decides it yet", err=True)
    return keys


def stored(reports):
    """The path of the store."""
    return Path(reports) / "ledger.sqlite"


def open_store(reports, *, reading=True):
    from experiments.engine.store import Store

    if Path(reports).exists() and not Path(reports).is_dir():
        raise Usage(f"--reports = {reports} is not a folder")
    store = Store(stored(reports), reading=reading)
    if store.missing:
        click.echo(f"marginalia: there is no {store.path}: nothing has been run there yet", err=True)
    return store


NAMES = "[ID or LABEL or MODULE or PAPER]..."


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(metadata.version("marginalia"), prog_name="marginalia")
def main():
    """Executable notes in the margins of four papers on private learning with margin guarantees."""
    if sys.platform != "win32":

        def terminated(*_):
            raise Terminated

        signal.signal(signal.SIGTERM, terminated)


@main.command()
@click.argument("names", nargs=-1, metavar=NAMES)
@click.option("--profile", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), help="Worker processes.")
@click.option("--dask", metavar="ADDRESS", help="Use a Dask cluster instead.")
@root_option
@click.option("--plan", "only_plan", is_flag=True, help="Print the planned core-seconds and stop.")
@click.option("--fresh", is_flag=True, help="Forget the stored chunks of these claims first.")
@reports_option
@plainly(stored=True)
def run(names, profile, jobs, dask, root, only_plan, fresh, reports):
    """Decide claims; continue where an earlier run stopped."""
    from experiments.engine import remembered

    begun = None if names else remembered.begun(stored(reports))
    keys = select(names)
    from experiments.engine import registry
    from experiments.engine import run as runner
    from experiments.engine.ledger import ledger, table

    claims = registry.closure(keys)
    if only_plan:
        click.echo(runner.planned_table(claims, profile))
        return
    if not claims:
        return
    store = open_store(reports, reading=False)
    if fresh:
        for claim in claims:
            store.forget(claim.key, root)
    runner.execute(claims, store, root=root, profile=profile, jobs=jobs, dask=dask, progress=True)
    if names:
        rows = [row for row in ledger(store, root, claims) if row["key"] in keys]
        click.echo(table(rows, width()))
    else:
        store.close()
        rows, _ = remembered.folded(open_store(reports), root, begun)
        click.echo(counts(rows))
    if clashes := contradictions(rows, reports):
        for line in clashes:
            click.echo(f"marginalia: contradicts the published ledger: {line}", err=True)
        sys.exit(CONTRADICTION)


def width():
    """The columns of the terminal; wide where there is none."""
    return shutil.get_terminal_size((160, 24)).columns


def counts(rows):
    """How many rows came to what, in one line: machine-checked, derived, citing and tested apart."""
    from experiments.engine.graph import in_numbers, tally

    rows = [row for row in rows if row["kind"] != "summary"]  # each part counts, their summary does not
    return f"{len(rows)} rows: {in_numbers(tally(rows))}"


def contradictions(rows, reports):
    """HOLDS or VACUOUS against REFUTED, for the same id, reading and part, whatever the root."""
    from experiments.engine import published

    before = {key: row["verdict"] for key, row in published.rows(reports).items()}
    sides = {"HOLDS": 1, "VACUOUS": 1, "SLIP": -1, "REFUTED": -1}
    return [
        f"{row['key']} was {before[row['key']]}, is {row['verdict']}"
        for row in rows
        if sides.get(row["verdict"], 0) * sides.get(before.get(row["key"]), 0) < 0
    ]


@main.command("ledger")
@click.argument("names", nargs=-1, metavar=NAMES)
@click.option("--json", "as_json", is_flag=True, help="The machine's interface.")
@click.option("--csv", "as_csv", is_flag=True)
@click.option("--timings", is_flag=True, help="Add seconds and CPU seconds, which differ from run to run.")
@click.option("--verdict", type=click.Choice(VERDICTS, case_sensitive=False), multiple=True)
@click.option("--severity", type=click.Choice(["privacy", "statement", "constant"]), multiple=True)
@click.option("--reading", metavar="READING", multiple=True, help="printed, corrected, explicit or rate.")
@click.option("--paper", metavar="PAPER", multiple=True)
@root_option
@reports_option
@plainly()
def show_ledger(names, as_json, as_csv, timings, verdict, severity, reading, paper, root, reports):
    """Print the ledger."""
    from experiments.engine import remembered

    rows = None if names else remembered.recall(stored(reports), root)
    if rows is None:
        store = open_store(reports)
        keys = set(select(names))
    from experiments.engine.claim import CLAIMS
    from experiments.engine.ledger import as_frame, jsonable, ledger, table

    if rows is None:
        rows = ledger(store, root, [CLAIMS[key] for key in keys] if names else None)
    if names:
        ids = {CLAIMS[key].theorem.id for key in keys}
        rows = [row for row in rows if row["key"] in keys or (row["kind"] == "summary" and row["id"] in ids)]
    for field, wanted in (("verdict", verdict), ("severity", severity), ("paper", paper)):
        rows = [row for row in rows if not wanted or row[field] in wanted]
    rows = [row for row in rows if not reading or row["reading"].split("[")[0] in reading]
    if not timings:
        rows = [{name: value for name, value in row.items() if name not in TIMINGS} for row in rows]
    if as_json:
        click.echo(json.dumps(jsonable(rows), indent=1, ensure_ascii=False))
    elif as_csv:
        click.echo(as_frame(rows).to_csv(index=False), nl=False)
    else:
        click.echo(table(rows, width()))
    click.echo(f"marginalia: {counts(rows)}", err=True)


@main.command()
@click.argument("name", metavar="ID or LABEL")
@root_option
@reports_option
@plainly()
def explain(name, root, reports):
    """Is it true, where, what to cite instead; then statement, hypotheses, derivation, witness of every reading."""
    id = one_id(name)
    store = open_store(reports)
    keys = select([id])
    from experiments.engine import published, registry
    from experiments.engine.claim import CLAIMS
    from experiments.engine.explain import explained
    from experiments.engine.ledger import ledger

    rows = ledger(store, root, [CLAIMS[key] for key in keys])
    if store.missing:
        fresh, rows = rows, published.instead(rows, reports, root)
        if rows != fresh:
            click.echo("marginalia: what follows was published with the last full run", err=True)
    registry.load()  # every module: what falls with it may stand anywhere
    click.echo(explained(id, rows))


@main.command()
@click.argument("key", metavar="KEY")
@root_option
@plainly()
def pilot(key, root):
    """What a sampled claim can miss by its cap: its quick cells, and every factor of its control."""
    select([key])
    from experiments.engine import power
    from experiments.engine.claim import CLAIMS

    claim = CLAIMS.get(key)
    if claim is None or claim.style == "exact":
        raise Usage(f"KEY = {key!r} is no row that sampling decides: give id/reading/part")
    click.echo("\n".join(power.piloted(claim, root)))


@main.command()
@click.argument("name", metavar="ID or LABEL")
@plainly()
def where(name):
    """file:line of a statement's bound, claim, law and test."""
    id = one_id(name)
    from experiments.engine.places import places

    shown = places(id)
    if not shown:
        click.echo(f"{id} is OPEN: nothing is written about it yet", err=True)
    for kind, place in shown.items():
        click.echo(f"{kind:6} {place}")


def one_id(name):
    """The id of the one statement, step or row that `name` means."""
    from experiments.engine import names as called

    try:
        kind, meant = called.resolve(name)
    except called.UnknownName as error:
        raise Usage(str(error)) from None
    if kind not in ("id", "key"):
        raise Usage(f"ID = {name!r} is a {kind}: name one statement")
    return meant.partition("/")[0]


@main.command()
@click.argument("sample_a", metavar="MODULE:A")
@click.argument("sample_b", metavar="MODULE:B")
@click.option("--epsilon", type=click.FloatRange(0), help="The epsilon that is claimed.")
@click.option("--delta", type=click.FloatRange(0, 1, max_open=True), help="The delta that is claimed beside it.")
@click.option("--mu", type=click.FloatRange(0, min_open=True), help="Or the mu of Gaussian privacy.")
@click.option(
    "--neighbours", type=click.Choice(["replace", "add/remove", "label"]), default="replace", show_default=True
)
@click.option("--group", type=click.IntRange(1), default=1, help="The datasets differ in so many records.")
@click.option(
    "--budget", type=click.IntRange(128), default=100_000, show_default=True, help="Releases to draw at most."
)
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=1e-10, show_default=True)
@click.option("--bits", is_flag=True, help="Judge every bit of a release, not the release over the reals.")
@click.option("--json", "as_json", is_flag=True, help="The machine's interface.")
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Draw how the evidence grew.")
@root_option
@plainly()
def audit(sample_a, sample_b, epsilon, delta, mu, neighbours, group, budget, level, bits, as_json, plot, root):
    """Attack a mechanism: its releases on each of two neighbouring datasets.

    MODULE:A and MODULE:B name laws, functions (rng, size) that return `size` independent releases, or arrays of
    releases; a release may be anything. A complete example is a file noisy.py

    \b
        def a(rng, size): return rng.laplace(0, 1, size)      # a count of 0
        def b(rng, size): return rng.laplace(1, 1, size)      # one record more

    \b
        marginalia audit noisy:a noisy:b --epsilon 1          # survives
        marginalia audit noisy:a noisy:b --epsilon 0.5        # REFUTED

    Exit status 0 if it survives (with what would have been caught), 1 if it is REFUTED, 2 for bad usage, 3 if nothing
    was learnt: the budget is too small, or no attacker told the datasets apart.
    """
    if (epsilon is None) == (mu is None):
        raise Usage("--epsilon and --mu: give exactly one of them")
    if mu is not None and delta is not None:
        raise Usage(f"--delta = {delta}: it goes with --epsilon, not with --mu")
    if epsilon == 0 and not delta:
        raise Usage("--epsilon = 0 is outside (0, inf) without --delta")
    for option, value in (("--epsilon", epsilon), ("--mu", mu)):
        if value is not None and not value < float("inf"):
            raise Usage(f"{option} = {value} is outside (0, inf)")
    sys.path.insert(0, os.getcwd())
    samples = {path: imported(path) for path in dict.fromkeys((sample_a, sample_b))}
    from experiments.audits import game
    from mechanisms.privacy import ApproxDP, GaussianDP, PureDP

    claim = GaussianDP(mu, neighbours) if mu is not None else PureDP(epsilon, neighbours) if not delta else None
    claim = claim or ApproxDP(epsilon, delta, neighbours)
    pair = samples[sample_a], samples[sample_b]
    try:
        with progress_of(budget) as progress:
            result = game.audit(
                *pair, claim, root=root, budget=budget, level=level, records=group, bits=bits, progress=progress
            )
    except Exception as error:  # whatever somebody else's function does is no fault of this program
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Usage(f"{sample_a} or {sample_b} cannot be attacked ({problem})") from None
    if plot:
        from experiments.audits.picture import draw

        draw(result, level, plot)
    click.echo(json.dumps(result.as_json(), indent=1, ensure_ascii=False) if as_json else result)
    sys.exit({"": REFUTED_BY_AUDIT, "AUDIT_ONLY": 0}.get(result.reason, NOTHING_LEARNT))


@contextlib.contextmanager
def progress_of(budget):
    """A bar on stderr, if there is a terminal, for (releases so far, log10 of the evidence)."""
    from tqdm import tqdm

    with tqdm(total=budget, unit=" releases", disable=None, leave=False) as bar:

        def advance(releases, log10_e):
            bar.set_postfix_str(f"log10 e = {log10_e:.1f}", refresh=False)
            bar.update(releases - bar.n)

        yield advance


def imported(path):
    """The object that MODULE:FUNCTION names."""
    module, _, name = path.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except Exception as error:  # the module is somebody else's and may raise anything
        raise Usage(f"MODULE:FUNCTION = {path!r} cannot be imported ({type(error).__name__}: {error})") from None


@main.command()
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@click.option("--publish", is_flag=True, help="Also write reports/published/, the committed record.")
@root_option
@reports_option
@plainly()
def report(open_page, publish, root, reports):
    """Write reports/index.html from the store; of an unchanged store nothing is drawn again."""
    from experiments.engine import remembered

    start = remembered.begun(stored(reports))
    from experiments.report import write

    page, summary = write(open_store(reports), root, Path(reports), publish=publish, start=start)
    click.echo(summary)
    if open_page:
        click.launch(str(page))


@main.command()
@click.option("--quick", is_flag=True, help="A second each at most.")
@click.option("--only", metavar="REGEX", default="", help="Only the benchmarks whose names it matches.")
@click.option("--history", type=click.IntRange(1), help="So many earlier commits too, evenly spaced.")
@click.option("--compare", metavar="COMMIT", help="Against that commit; exit status 1 on a regression.")
@reports_option
@plainly()
def bench(quick, only, history, compare, reports):
    """Measure the cores by asv in this environment; then the page of its history, and asv's own, without a network."""
    from experiments.speed import offline, record

    regressions = []
    try:
        for commit in record.spaced(history or 0):
            try:
                record.record(commit, quick=quick, only=only)
            except record.NothingMeasured as error:  # an old commit lacks what later ones measure
                click.echo(f"marginalia: at {commit[:8]}, {error}", err=True)
        if compare and record.commit_of(compare) not in record.measured_here():
            record.record(compare, quick=quick, only=only)
        record.record(quick=quick, only=only)
        if compare:
            suspects = [change for change in record.compared(compare) if change.factor > record.SUSPECT]
            regressions = record.confirmed(suspects, compare) if suspects else []
        offline.publish()
    except subprocess.CalledProcessError as error:
        raise Broken(f"asv ended with status {error.returncode}") from None
    except record.NothingMeasured as error:
        raise Broken(str(error)) from None
    from experiments.report.drawn import written
    from experiments.report.site import speed_pages

    for path, text in speed_pages(Path(reports)):
        written(Path(reports) / path, text)
    click.echo(f"speed page: {Path(reports) / 'speed.html'}")
    if compare:
        click.echo("\n".join(map(str, regressions)) or f"no regression since {compare}")
    sys.exit(CONTRADICTION if regressions else 0)


@main.command()
@click.argument("name", metavar="ID or LABEL or MODULE")
@click.option("--folder", default=".", show_default=True, help="Where the files go.")
@click.option("--format", "kind", type=click.Choice(["svg", "png", "pdf"]), default="svg", show_default=True)
@click.option("--profile", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
@root_option
@plainly()
def figure(name, folder, kind, profile, root):
    """Decide what NAME names and write its figures, a file each."""
    from experiments.figure import figure as draw

    select([name])
    paths = draw(name, folder, kind=kind, root=root, profile=profile)
    click.echo("\n".join(map(str, paths)) if paths else "no figures: nothing here has a curve")


def script(module):
    """`python -m experiments.<paper>.<module>`: the verdicts and figures of one module of claims."""
    name = module.removeprefix("experiments.").replace(".", "/")

    @click.command(help=f"Decide the claims of {name}, print their verdicts, and draw their figures.")
    @click.option("--profile", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
    @click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Worker processes.")
    @click.option("--first", is_flag=True, help="Only the first setting of every claim, and no controls.")
    @root_option
    @reports_option
    @plainly()
    def decide(profile, jobs, first, root, reports):
        from experiments.engine.run import decided
        from experiments.report.figures import draw

        rows, cells, text = decided(name, root=root, profile=profile, jobs=jobs, first=first, width=width())
        click.echo(text)
        folder = Path(reports) / "figures" / name
        drawn = draw(zip(rows, cells, strict=True), folder)
        click.echo(f"{len(drawn)} figures in {folder}" if drawn else "no figures: nothing here has a curve")

    decide()


if __name__ == "__main__":
    main()
