"""The command `lemmata bench`: measure the core routines with asv, hold them to their limits, draw the pages."""

import contextlib
import os
import re
import subprocess

import click

from lemmata.command.console import Fault, Usage, exit_with, one_line_errors, out_option
from lemmata.command.scope import choose_folder
from lemmata.experiments.engine.ground import folders
from lemmata.experiments.engine.ground.files import align_table, replace_file


def above_limits(commit):
    """What was measured of a commit above a limit, each with that limit."""
    from lemmata.tools.speed.limits import exceeded
    from lemmata.tools.speed.measurements import measurements

    return exceeded(m for m in measurements() if m.commit == commit[:8])


def load_asv_runs():
    """The module that runs asv. Raises Broken where asv is not installed."""
    try:
        from lemmata.tools.speed import asv_runs
    except ModuleNotFoundError as error:
        raise Fault(f"`lemmata bench` needs {error.name}, which is not installed: `make setup` installs it") from None
    return asv_runs


def write_comparison(changes, verdicts):
    """A line for each change, in the order of `verdicts`."""
    lines = sorted(
        ((*c[:4], c.benchmark + c.setting) for c in changes), key=lambda line: (verdicts.index(line[0]), line)
    )
    return align_table([("verdict", "before", "after", "ratio", "benchmark"), *lines])


@click.command()
@click.option("--quick", is_flag=True, help="Measure for about a second each: no memory, no setting of minutes.")
@click.option("--only", metavar="REGEX", default="", help="Measure only the benchmarks whose names match.")
@click.option("--history", type=click.IntRange(1), help="Measure this many earlier commits too, evenly spaced.")
@click.option("--since", metavar="COMMIT", help="Take the earlier commits from those after this one.")
@click.option("--virtualenv", is_flag=True, help="Measure each commit in a virtualenv of its own.")
@click.option("--record", "publish", is_flag=True, help="Do the same, and keep the numbers in reports/published.")
@click.option("--compare", metavar="COMMIT", help="Compare with that commit by asv; exit status 1 on a regression.")
@click.option("--pages", is_flag=True, help="Measure nothing; draw the pages of what was measured here and published.")
@out_option
@one_line_errors()
def bench(quick, only, history, since, virtualenv, publish, compare, pages, out):
    """Measure the core routines with asv, then draw asv's dashboards and the page of limits; neither needs a network.

    Exit status 1 where a number is above its limit twice, and with --compare on a regression.
    """
    from lemmata.tools.speed import dashboards, page

    runs = load_asv_runs()
    if compare and (virtualenv or pages):
        raise click.UsageError("--compare measures in this environment: it goes without --virtualenv and --pages")
    if publish and (quick or only or compare or pages):
        raise click.UsageError("--record keeps all that is measured: without --quick, --only, --compare and --pages")
    try:
        re.compile(only)
    except re.error as error:
        raise Usage(f"--only = {only!r} is no regular expression: {error}") from None
    out = os.path.abspath(out) if out else None
    click.get_current_context().with_resource(contextlib.chdir(folders.ROOT))  # whose commits asv measures
    changes, exceeded, measured = [], [], []
    how = {"quick": quick, "only": only, "virtualenv": virtualenv or publish, "samples": bool(compare)}
    try:
        runs.restore_history()
        for commit in [] if pages else runs.spaced_commits(history or 0, since):
            try:
                measured.append(runs.measure(commit, **how))
            except runs.NothingMeasured as error:  # an old commit lacks what later ones measure
                click.echo(f"lemmata: at {commit[:8]}, {error}", err=True)
        if compare and not runs.is_measured_here(runs.full_hash(compare)):
            runs.measure(compare, **how)
        if not pages:
            commit = runs.measure(**how)
            if exceeded := above_limits(commit):  # once may be a busy second
                runs.measure(**how | {"only": runs.only_these(limit.benchmark for limit, _ in exceeded)})
                exceeded = above_limits(commit)
        if publish:
            runs.publish_history([*measured, commit])
        if compare:
            changes = runs.confirm_changes(compare, only)
        dashboards.publish()
    except subprocess.CalledProcessError as error:
        raise Fault(f"asv ended with status {error.returncode}") from None
    except runs.NothingMeasured as error:
        raise Fault(str(error)) from None
    reports = choose_folder((), out)
    for path, text in page.speed_pages(reports):
        replace_file(reports / path, text)
    click.echo(f"speed page: {reports / 'speed.html'}")
    regressions = [change for change in changes if change.verdict == runs.WORSE]
    if compare:
        click.echo(write_comparison(changes, runs.VERDICTS))
        click.echo(f"{len(regressions)} worse than {compare}" if regressions else f"no regression since {compare}")
    for limit, m in exceeded:
        click.echo(limit.describe_excess(m))
    exit_with(1 if regressions or exceeded else 0)
