"""The command `lemmata bench`: the cores measured by asv, and the pages of what was measured."""

import contextlib
import os
import re
import subprocess

import click

from lemmata.command.console import Fault, Usage, exit_with, one_line_errors, out_option
from lemmata.command.scope import choose_folder
from lemmata.experiments.engine.ground import folders


def above_limits(commit):
    """What was measured of a commit above a limit, each with that limit."""
    from lemmata.tools.speed import limits, record

    return limits.exceeded(m for m in record.measurements() if m.commit == commit[:8])


@click.command()
@click.option("--quick", is_flag=True, help="About a second each, no memory, and no setting that takes minutes.")
@click.option("--only", metavar="REGEX", default="", help="Only the benchmarks whose names it matches.")
@click.option("--history", type=click.IntRange(1), help="So many earlier commits too, evenly spaced.")
@click.option("--since", metavar="COMMIT", help="The earlier commits come after this one.")
@click.option("--virtualenv", is_flag=True, help="Every commit in a virtualenv made for it, not in this environment.")
@click.option("--record", "publish", is_flag=True, help="The same, and kept in reports/published for everybody.")
@click.option("--compare", metavar="COMMIT", help="Against that commit, here; exit status 1 on a regression.")
@click.option("--pages", is_flag=True, help="Measure nothing: the pages of what was measured, here or for the project.")
@out_option
@one_line_errors()
def bench(quick, only, history, since, virtualenv, publish, compare, pages, out):
    """Measure the cores by asv; then the page of its history, and asv's own, which need no network.

    Exit status 1 where a number is above its limit twice, and with --compare on a regression.
    """
    from lemmata.tools.speed import offline, record

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
    regressions, exceeded, measured = [], [], []
    how = {"quick": quick, "only": only, "virtualenv": virtualenv or publish}
    try:
        record.begin()
        for commit in [] if pages else record.spaced(history or 0, since):
            try:
                measured.append(record.record(commit, **how))
            except record.NothingMeasured as error:  # an old commit lacks what later ones measure
                click.echo(f"lemmata: at {commit[:8]}, {error}", err=True)
        if compare and record.commit_of(compare) not in record.measured_here():
            record.record(compare, **how)
        if not pages:
            commit = record.record(**how)
            if exceeded := above_limits(commit):  # once may be a busy second
                record.record(**how | {"only": record.only_these(limit.benchmark for limit, _ in exceeded)})
                exceeded = above_limits(commit)
        if publish:
            record.publish([*measured, commit])
        if compare:
            suspects = [change for change in record.compared(compare) if change.factor > record.SUSPECT]
            regressions = record.confirmed(suspects, compare) if suspects else []
        offline.publish()
    except subprocess.CalledProcessError as error:
        raise Fault(f"asv ended with status {error.returncode}") from None
    except record.NothingMeasured as error:
        raise Fault(str(error)) from None
    from lemmata.experiments.engine.ground.files import replace_file
    from lemmata.tools.speed.pages import speed_pages

    reports = choose_folder((), out)
    for path, text in speed_pages(reports):
        replace_file(reports / path, text)
    click.echo(f"speed page: {reports / 'speed.html'}")
    if compare:
        click.echo("\n".join(map(str, regressions)) or f"no regression since {compare}")
    click.echo("\n".join(limit.said(m) for limit, m in exceeded), nl=bool(exceeded))
    exit_with(1 if regressions or exceeded else 0)
