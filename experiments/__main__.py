"""The program `marginalia`: run, ledger, explain, audit, report, bench."""

from __future__ import annotations

import difflib
import functools
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pandas as pd

from bounds import papers
from experiments.engine import registry
from experiments.engine.store import Store, StoreError
from experiments.engine.streams import LEDGER_ROOT

CONTRADICTION = 1


class Usage(click.ClickException):
    """A user's mistake: one line, exit status 2."""

    exit_code = 2

    def show(self, file=None):
        click.echo(f"marginalia: {self.message}", err=True)


def plainly(command):
    """Turn what a user can cause into one line and exit status 2; an interrupt into 130."""

    @functools.wraps(command)
    def run(*arguments, **options):
        try:
            return command(*arguments, **options)
        except (StoreError, OSError) as error:
            raise Usage(str(error)) from None
        except KeyboardInterrupt:
            click.echo("marginalia: interrupted; what was finished is stored, run it again to continue", err=True)
            sys.exit(130)

    return run


def select(names):
    """The keys of the claims that ids, keys, topics or papers name; all for no name."""
    from experiments.engine.claim import CLAIMS
    from experiments.engine.run import closure

    by_topic = registry.load()
    claims = list(CLAIMS.values())
    if not names:
        return [claim.key for claim in claims]
    chosen = []
    for name in names:
        hits = [claim.key for claim in by_topic.get(name, [])] + [
            claim.key
            for claim in claims
            if name in (claim.key, claim.theorem.id, claim.theorem.parent, claim.theorem.paper)
            or claim.key.startswith(name + "/")
        ]
        if not hits and name not in papers.IDS and name not in papers.PAPERS:
            known = [*by_topic, *papers.PAPERS, *papers.IDS, *(c.theorem.id for c in claims)]
            near = difflib.get_close_matches(name, known, n=3)
            hint = f"; did you mean {', '.join(near)}?" if near else "; `marginalia ledger` lists them"
            raise Usage(f"ID = {name!r} is no statement, topic or paper{hint}")
        if not hits:
            click.echo(f"{name} is OPEN: no claim decides it yet", err=True)
        chosen += hits
    return [claim.key for claim in closure(chosen)]


def open_store(reports):
    return Store(Path(reports) / "ledger.sqlite")


reports_option = click.option(
    "--reports", default="reports", show_default=True, help="The folder of the store and the pages."
)
root_option = click.option("--seed", "root", default=LEDGER_ROOT, type=click.IntRange(0), help="Another root.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main():
    """Executable notes in the margins of four papers on private learning with margin guarantees."""


@main.command()
@click.argument("names", nargs=-1, metavar="[ID or TOPIC or PAPER]...")
@click.option("--profile", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), help="Worker processes.")
@click.option("--dask", metavar="ADDRESS", help="Use a Dask cluster instead.")
@root_option
@click.option("--plan", "only_plan", is_flag=True, help="Print the planned core-seconds and stop.")
@click.option("--fresh", is_flag=True, help="Forget the stored chunks of these claims first.")
@reports_option
@plainly
def run(names, profile, jobs, dask, root, only_plan, fresh, reports):
    """Decide claims; continue where an earlier run stopped."""
    from experiments.engine import run as runner
    from experiments.engine.claim import CLAIMS
    from experiments.engine.ledger import ledger, table

    claims = [CLAIMS[key] for key in select(names)]
    if only_plan:
        click.echo(planned_table(claims, profile))
        return
    if not claims:
        return
    store = open_store(reports)
    if fresh:
        for claim in claims:
            store.forget(claim.key, root)
    runner.execute(claims, store, root=root, profile=profile, jobs=jobs, dask=dask, progress=True)
    keys = {claim.key for claim in claims}
    rows = [row for row in ledger(store, root) if row["key"] in keys]
    click.echo(table(rows) if names else counts(rows))
    if clashes := contradictions(rows, reports):
        for line in clashes:
            click.echo(f"marginalia: contradicts the published ledger: {line}", err=True)
        sys.exit(CONTRADICTION)


def planned_table(claims, profile):
    """Planned core-seconds a topic and in all."""
    from experiments.engine.run import plan

    by_topic: dict = {}
    seconds = plan(claims, profile)
    for claim in claims:
        topic = registry.module_of(claim)
        by_topic[topic] = by_topic.get(topic, 0.0) + seconds[claim.key]
    lines = [f"{topic:20} {value:9.1f}" for topic, value in by_topic.items()]
    return "\n".join([*lines, f"{'all':20} {sum(by_topic.values()):9.1f}  core-seconds at the caps"])


def counts(rows):
    """How many rows came to what, in one line each."""
    found = pd.Series([row["verdict"] for row in rows]).value_counts()
    return "\n".join(f"{count:5d}  {verdict}" for verdict, count in found.items())


def contradictions(rows, reports):
    """HOLDS or VACUOUS against REFUTED, for the same id, reading and part, whatever the root."""
    published = Path(reports) / "published" / "ledger.csv"
    if not published.exists():
        return []
    before = pd.read_csv(published, keep_default_na=False).set_index("key")["verdict"].to_dict()
    sides = {"HOLDS": 1, "VACUOUS": 1, "REFUTED": -1}
    return [
        f"{row['key']} was {before[row['key']]}, is {row['verdict']}"
        for row in rows
        if sides.get(row["verdict"], 0) * sides.get(before.get(row["key"]), 0) < 0
    ]


@main.command("ledger")
@click.argument("names", nargs=-1, metavar="[ID or TOPIC or PAPER]...")
@click.option("--json", "as_json", is_flag=True, help="The machine's interface.")
@click.option("--csv", "as_csv", is_flag=True)
@root_option
@reports_option
@plainly
def show_ledger(names, as_json, as_csv, root, reports):
    """Print the ledger."""
    from experiments.engine.ledger import as_frame, jsonable, ledger, table

    rows = ledger(open_store(reports), root)
    if names:
        keys = set(select(names))
        rows = [row for row in rows if row["key"] in keys or row["id"] in names or row["parent"] in names]
    if as_json:
        click.echo(json.dumps(jsonable(rows), indent=1, ensure_ascii=False))
    elif as_csv:
        click.echo(as_frame(rows).to_csv(index=False), nl=False)
    else:
        click.echo(table(rows))


@main.command()
@click.argument("name", metavar="ID")
@root_option
@reports_option
@plainly
def explain(name, root, reports):
    """Statement, hypotheses, derivation, check, verdict and witness of one id."""
    from experiments.engine.explain import explained

    keys = set(select([name]))
    text = explained(name, keys, open_store(reports), root)
    click.echo(text)


@main.command()
@click.argument("sample_a", metavar="MODULE:FUNCTION")
@click.argument("sample_b", metavar="MODULE:FUNCTION")
@click.option("--epsilon", type=click.FloatRange(0, min_open=True))
@click.option("--delta", type=click.FloatRange(0, 1, max_open=True), default=0.0)
@click.option("--mu", type=click.FloatRange(0, min_open=True))
@click.option("--budget", type=click.IntRange(1), default=20_000, show_default=True)
@root_option
@plainly
def audit(sample_a, sample_b, epsilon, delta, mu, budget, root):
    """Attack a mechanism: two functions sample(rng, size), one for each of two neighbouring datasets."""
    from experiments.engine.audit import audit as attack
    from experiments.engine.verdict import REFUTED, conclude
    from mechanisms.privacy import ApproxDP, GaussianDP, PureDP

    if (epsilon is None) == (mu is None):
        raise Usage("--epsilon and --mu: give exactly one of them")
    claim = GaussianDP(mu) if mu else ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    sys.path.insert(0, os.getcwd())
    decider = attack(imported(sample_a), imported(sample_b), claim, root=root, budget=budget)
    refuted = conclude(*decider.log_e()) == REFUTED
    verdict = "REFUTED" if refuted else "INCONCLUSIVE (AUDIT_ONLY): survived"
    found = decider.found()
    click.echo(
        f"{claim}: {verdict}; reached {found['reached']:.3f} of the claimed level, log10 e = {found['log10_e']:.1f}, "
        f"{decider.right} right, {decider.wrong} wrong, {decider.abstain} abstained"
    )


def imported(path):
    """The object that MODULE:FUNCTION names."""
    module, _, name = path.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise Usage(f"MODULE:FUNCTION = {path!r} cannot be imported ({error})") from None


@main.command()
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@click.option("--publish", is_flag=True, help="Also write reports/published/, the committed record.")
@root_option
@reports_option
@plainly
def report(open_page, publish, root, reports):
    """Write reports/index.html from the store."""
    from experiments.report import write

    page, summary = write(open_store(reports), root, Path(reports), publish=publish)
    click.echo(summary)
    if open_page:
        click.launch(str(page))


@main.command()
@click.option("--quick", is_flag=True, help="One run each.")
@reports_option
@plainly
def bench(quick, reports):
    """asv run in this environment, and the page of its history."""
    from experiments.speed.page import record, write_page

    try:
        record(quick=quick)
    except subprocess.CalledProcessError as error:
        raise Usage(f"asv ended with status {error.returncode}") from None
    click.echo(f"speed page: {write_page(Path(reports))}")


if __name__ == "__main__":
    main()
