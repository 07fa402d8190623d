"""The command `lemmata compare`: compare learners, and store every fit."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lemmata.command.console import PROCESSES, Usage, one_line_errors, out_option, root_option
from lemmata.command.others import make_importable
from lemmata.command.scope import choose_folder

if TYPE_CHECKING:
    import pandas as pd

REPEATS = {"quick": 10, "full": 40}


@click.command()
@click.option(
    "--quick/--full", "quick", default=True, help="10 repeats of a dozen learners, or 40 of all and more sizes."
)
@click.option(
    "--datasets", metavar="NAMES", help="Datasets, separated by spaces: digits:3-8 randhie planted:n=500,d=20 a.npz"
)
@click.option("--learners", metavar="NAMES", help="Learners, separated by commas.")
@click.option(
    "--learner", "more", metavar="FILE.py[:NAME]", multiple=True, help="Add a learner of your own; MODULE:NAME too."
)
@click.option("--epsilons", metavar="NUMBERS", help="Privacy levels, separated by commas.  [default: 0.1,0.5,1,3,8]")
@click.option("--repeats", type=click.IntRange(1), help="Number of splits, each with fresh noise.  [default: 10 or 40]")
@click.option(
    "--records", type=click.IntRange(2), help="Maximum number of training records.  [default: three quarters of all]"
)
@click.option("--jobs", type=PROCESSES, default=os.cpu_count(), help="Number of worker processes.")
@click.option("--audit", "attack", is_flag=True, help="Audit the learners instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@root_option
@out_option
@one_line_errors(resumable=True)
def compare(
    quick: bool,
    datasets: str | None,
    learners: str | None,
    more: tuple[str, ...],
    epsilons: str | None,
    repeats: int | None,
    records: int | None,
    jobs: int,
    attack: bool,
    as_json: bool,
    root: int,
    out: str | None,
) -> None:
    """Compare learners by their risk on held-out records, over privacy levels and simulated families.

    Results are stored, so more repeats, datasets or learners continue a run. Tables and figures go to
    reports/comparison/, and `lemmata report` shows them.
    """
    make_importable(os.getcwd())
    named = check_learners(learners, more, quick)
    levels = parse_levels(epsilons)
    if attack:
        from lemmata.experiments.comparison import attacks

        found = attacks.make_table(named, root=root)
        click.echo(found.to_json(orient="records") if as_json else found.to_string(index=False))
        return
    from lemmata.experiments.comparison import table
    from lemmata.experiments.engine.running.store import Store

    repeats = repeats or REPEATS["quick" if quick else "full"]
    asked = make_tasks(datasets, named, levels or table.EPSILONS, repeats, quick, records)
    reports = choose_folder((), out)
    store = Store(reports / "ledger.sqlite")
    try:
        made = table.run_tasks(asked, store, root=root, records=records, jobs=jobs, progress=True)
        problem = ""
    except table.LearnerError as error:
        problem = str(error)
    found = table.make_table(asked, store, root=root, records=records)
    store.close()
    if problem:
        raise Usage(problem)
    place = reports / "comparison"
    write_tables(found, place)
    click.echo(json.dumps(json.loads(found.to_json(orient="records")), indent=1) if as_json else summarize(found))
    from lemmata.experiments.comparison.learners import NOT_INSTALLED

    missing = f"; not installed: {', '.join(NOT_INSTALLED)}" if NOT_INSTALLED else ""
    click.echo(f"lemmata: {made} new fits, {len(found)} in total, in {place}{missing}", err=True)


def check_learners(learners: str | None, more: tuple[str, ...], quick: bool) -> list[str]:
    """The names of the learners, checked."""
    from lemmata.experiments.comparison.learners import LEARNERS, QUICK, UnknownLearner, find

    named = [one.strip() for one in learners.split(",")] if learners else list(QUICK if quick else LEARNERS)
    called: dict[str, str] = {}  # rows of a table are told apart by what a learner calls itself
    for option, name in [*(("--learners", name) for name in named), *(("--learner", name) for name in more)]:
        try:
            own = find(name).name
        except UnknownLearner as error:
            raise Usage(f"{option}: {error}") from None
        if called.setdefault(own, name) != name:
            raise Usage(
                f"{option}: each learner must have a name of its own, got {called[own]} and {name}, both {own!r}"
            )
    return list(dict.fromkeys([*named, *more]))


def parse_levels(epsilons: str | None) -> tuple[float, ...]:
    """The privacy levels; () if none are given."""
    try:
        levels = tuple(float(one) for one in epsilons.split(",")) if epsilons else ()
    except ValueError:
        raise Usage(f"--epsilons must be numbers separated by commas, got {epsilons!r}") from None
    for level in levels:
        if not 0.01 <= level <= 50:
            raise Usage(f"--epsilons must be in [0.01, 50], got {level:g}")
    return levels


def make_tasks(
    datasets: str | None, named: list[str], levels: tuple[float, ...], repeats: int, quick: bool, records: int | None
) -> list:
    """The fits asked for: each dataset at each epsilon, and without --datasets the simulated families at epsilon 1."""
    from lemmata.experiments.comparison import table

    try:
        asked = list(table.list_tasks((datasets or " ".join(table.DATASETS)).split(), named, levels, repeats, records))
    except ValueError as error:
        raise Usage(f"--datasets: {error}") from None
    if not datasets:
        families = [name for names in table.SWEEPS.values() for name in names]
        families += [] if quick else [name for names in table.FURTHEST.values() for name in names]
        asked += list(table.list_tasks(dict.fromkeys(families), named, (1.0,), repeats))
    return asked


def write_tables(found: pd.DataFrame, place: Path) -> None:
    """The tables and figures below reports/comparison/."""
    from lemmata.experiments.comparison import figures, table
    from lemmata.experiments.engine.ground.files import replace_file

    differences = table.pair_learners(found, table.choose_reference(found))
    for name, rows in {"table": found, "means": table.average_risks(found), "differences": differences}.items():
        replace_file(place / f"{name}.csv", rows.to_csv(index=False, float_format="%.4g"))
    for name, drawn in figures.draw_figures(table.average_risks(found)).items():
        replace_file(place / f"{name}.svg", drawn)


def summarize(found: pd.DataFrame) -> str:
    """Mean risks: one block for each dataset with several privacy levels, then the rest."""
    private = found.assign(epsilon=found.epsilon.map(lambda e: "none" if e == float("inf") else f"{e:g}"))
    order = list(dict.fromkeys(private.epsilon))
    means = private.groupby(["dataset", "learner", "epsilon"], sort=False).risk.mean().unstack()[order]
    return means.round(3).to_string(na_rep="")
