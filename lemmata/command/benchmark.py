"""The command `lemmata benchmark`: export the ledger as records with known truth, verify them, and score a checker."""

import contextlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from lemmata.bounds.library import library
from lemmata.command.console import LEDGER_ROOT, PROCESSES, Usage, exit_with, one_line_errors
from lemmata.command.others import import_object
from lemmata.command.scope import choose_folder

FOLDER = "witness"
FAILED = 1
jobs_option = click.option("--jobs", type=PROCESSES, default=os.cpu_count(), help="Number of worker processes.")


def tell(text: str) -> None:
    """Progress, on stderr."""
    click.echo(f"lemmata: {text}", err=True)


@click.group()
def benchmark() -> None:
    """Export statements with known truth, verify them, and score a checker on them."""


@benchmark.command()
@click.argument("folder", metavar="DIR", default=FOLDER)
@click.option("--paper", metavar="PAPER", multiple=True, help="Export only rows of this paper.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="File with the secret of the held-out split.")
@jobs_option
@one_line_errors()
def export(folder: str, paper: tuple[str, ...], key: str | None, jobs: int) -> None:
    """Write the published ledger as records with known truth, each with a program or its evidence."""
    library.installed()
    if unknown := [name for name in paper if name not in library.papers]:
        raise Usage(f"--paper must be one of {', '.join(library.papers)}, got {unknown[0]!r}")
    from lemmata.experiments.benchmark.export import collect, write_export
    from lemmata.experiments.engine.ledger import published

    secret = Path(key).read_text(encoding="utf-8").strip() if key else ""
    rows = published.read_rows(choose_folder([], None)).values()
    with contextlib.redirect_stdout(sys.stderr):  # what a module prints while it is loaded
        chosen = [row for row in rows if not paper or row["paper"] in paper]
        made = collect(chosen, jobs=jobs, secret=secret, told=tell)
        manifest = write_export(made, Path(folder), secret)
    truths = ", ".join(f"{n} {truth}" for truth, n in manifest["truths"].items())
    click.echo(f"{manifest['records']} records ({truths}) of {len(manifest['sources'])} sources in {folder}")
    click.echo(f"sha256:{manifest['sha256']}")


@benchmark.command()
@click.argument("folder", metavar="DIR", default=FOLDER)
@click.option("--seed", "root", type=click.IntRange(0), default=LEDGER_ROOT, help="Root seed of the search.")
@jobs_option
@one_line_errors()
def verify(folder: str, root: int, jobs: int) -> None:
    """Run every program, and decide every truth again at a fresh seed; exits 1 if a record is wrong."""
    from lemmata.experiments.benchmark.records import read_records
    from lemmata.experiments.benchmark.verify import verify_all

    records = read_records(Path(folder))
    faults, counts = verify_all(records, root, jobs, tell)
    for id, fault in faults:
        click.echo(f"{id}: {fault}")
    done = ", ".join(f"{n} {what}" for what, n in counts.items())
    click.echo(f"{len(records)} records: {done}; {len(faults)} wrong")
    if faults:
        exit_with(FAILED)


@benchmark.command()
@click.argument("checker", metavar="CHECKER")
@click.argument("folder", metavar="[DIR]", default=FOLDER)
@click.option("--first", type=click.IntRange(1), help="Ask only the first N records.")
@click.option("--answers", type=click.Path(dir_okay=False), help="File for the answers: a submission.")
@click.option("--scores", type=click.Path(dir_okay=False), help="File for the scores, as JSON.")
@click.option("--leaderboard", type=click.Path(dir_okay=False), help="CSV in which the checker gets a line.")
@jobs_option
@one_line_errors()
def run(
    checker: str,
    folder: str,
    first: int | None,
    answers: str | None,
    scores: str | None,
    leaderboard: str | None,
    jobs: int,
) -> None:
    """Score CHECKER on exported records, and execute its witnesses.

    CHECKER is FILE.py:NAME or MODULE:NAME of a function from a question to an answer, the name of a baseline, a file of
    answers that ends in .jsonl, or else a command that reads a question and writes an answer, both JSON.
    """
    from lemmata.experiments.benchmark import checkers, score
    from lemmata.experiments.benchmark.records import MANIFEST, dump, read_records
    from lemmata.experiments.engine.ground.files import replace_file

    records = read_records(Path(folder))[:first]
    with contextlib.redirect_stdout(sys.stderr):
        if checker.endswith(".jsonl"):
            given = checkers.read_answers(Path(checker), records)
        else:
            given = list(checkers.ask_all(load_checker(checker), records, jobs))
        if answers:
            replace_file(Path(answers), "".join(f"{dump(answer)}\n" for answer in given))
        groups = score.score_groups(score.judge_all(records, given, jobs))
    click.echo(score.format_scores(checker, groups))
    manifest = Path(folder, MANIFEST)
    about = json.loads(manifest.read_text(encoding="utf-8")) if manifest.exists() else {}
    if scores:
        replace_file(Path(scores), score.dump_scores(checker, about, groups))
    if leaderboard:
        score.add_line(Path(leaderboard), checker, groups)


def load_checker(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The checker that an argument names."""
    from lemmata.experiments.benchmark import checkers

    if name.replace("-", "_") in checkers.BASELINES:
        try:
            return checkers.load_baseline(name)
        except ImportError as error:
            raise Usage(f"{name} needs a package that is not installed ({error})") from None
    home, _, function = name.rpartition(":")
    if home and function.isidentifier() and " " not in name:
        return import_object(name)
    return checkers.of_command(name)
