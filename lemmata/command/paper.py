"""The commands for your own papers: new-paper, check, accept."""

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lemmata.bounds.library import Paper, library
from lemmata.command.console import PROCESSES, Usage, exit_with, one_line_errors, out_option, root_option
from lemmata.command.scope import is_in_checkout, read_scope
from lemmata.experiments.engine.ledger import row_cache

PAGE = """id = "{id}"
authors = ["First Last"]
title = "The title of the paper"
year = {year}
version = "the text that is quoted: a version of a preprint, the proceedings, a page"
checked_by = ["First Last"]  # who writes these checks, and is cited for their verdicts

# every statement, in the order of the paper: id = printed label
[contents]
"lem1" = "Lemma 1"

# accepted findings of `lemmata check`, each with its reason: "row" or "row:rule"
[expected]
"""

STATEMENT = '''"""Lemma 1: the sum of the first odd numbers. Replace it by a statement of your paper."""

from lemmata.paper import inequality_claim, integer, theorem

# The printed statement. The function computes the promised number and does not know whether it is true.


@theorem("lem1", says=r"\\sum_{i=1}^n (2i-1) \\le n^2 - 1", needs=[integer("n")])
def odd_sum(*, n: int) -> int:
    """The bound on the sum of the first n odd numbers, as printed (false, to show a refuted row).

    >>> odd_sum(n=3)
    8
    """
    return n**2 - 1


@odd_sum.corrected(says=r"\\sum_{i=1}^n (2i-1) \\le n^2")
def odd_sum_corrected(*, n: int) -> int:
    """The sum of the first n odd numbers is a square.

    Derivation. 2i - 1 = i^2 - (i - 1)^2, and the sum telescopes.
    """
    return n**2


# The check of each reading yields cases (setting, left, right) of left <= right. A refuted reading needs a program.

WITNESS = """from odd_numbers import odd_sum
assert 1 > odd_sum(n=1)  # the sum is 1, the bound 0"""


@inequality_claim(odd_sum, severity="constant", python=WITNESS, note="off by one")
def one_is_too_much():
    """n = 1: the sum is 1, the printed bound 0."""
    yield {"n": 1}, 1, odd_sum(n=1)


@inequality_claim(odd_sum_corrected)
def odd_numbers_add_up_to_squares():
    """The sums themselves, for n up to 50; the derivation is for all n."""
    for n in range(1, 51):
        yield {"n": n}, sum(range(1, 2 * n, 2)), odd_sum_corrected(n=n)
'''


@click.command("new-paper")
@click.argument("name")
@one_line_errors()
def new_paper(name: str) -> None:
    """Create the folder NAME with a paper.toml and one example statement that runs."""
    folder = Path(name)
    id = folder.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", id):
        raise Usage(f"NAME must be a lower-case letter followed by lower-case letters, digits or _, got {id!r}")
    if id in library.papers:
        raise Usage(f"NAME must differ from the built-in papers, got {id!r}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Usage(f"NAME must be a new or empty folder, got {name}")
    import datetime
    import shutil

    made = folder.with_name(f".{id}.part")  # so that a full disk leaves nothing half made
    try:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        (made / "paper.toml").write_text(PAGE.format(id=id, year=datetime.date.today().year), encoding="utf-8")
        (made / "odd_numbers.py").write_text(STATEMENT, encoding="utf-8")
        if folder.exists():
            folder.rmdir()
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    click.echo(f"{folder / 'paper.toml'}: authors, title and statements of the paper")
    click.echo(f"{folder / 'odd_numbers.py'}: a false statement, its correction, and their checks")
    click.echo(f"next: cd {name} && lemmata run && lemmata explain lem1 && lemmata accept && lemmata check")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH or PAPER]")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--rules", is_flag=True, help="List the rules and exit.")
@root_option
@out_option
@one_line_errors(resumable=True)
def check(paths: tuple[str, ...], as_json: bool, rules: bool, root: int, out: str | None) -> None:
    """List what is missing before a paper is ready to publish; exits 1 if there are findings."""
    from lemmata.experiments.conformance.findings import RULES, Finding, findings

    if rules:
        click.echo("\n".join(f"{rule:9} {says}" for rule, says in RULES.items()))
        return
    found: list[Finding] = []
    kept = set()
    with contextlib.redirect_stdout(sys.stderr):  # what a module prints is no finding
        for paper, store in decide_papers(paths, root, out):
            with store:
                values = load_hand_values() if paper.house and is_in_checkout() else ()
                listed = findings(paper, store, root, make_progress(as_json), announce_plan, *values)
                found += [finding for finding, why in listed if not why]
            kept.add(paper.id)
    make_progress(as_json)("")
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in found], indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(f"{row}: {sentence} [{rule}]" for row, rule, sentence in found) or "nothing is missing")
    click.echo(f"lemmata: {len(found)} findings in {', '.join(sorted(kept))}", err=True)
    exit_with(1 if found else 0)


def announce_plan(what: str) -> None:
    """Print a step before it begins."""
    click.echo(f"lemmata: {what}", err=True)


def make_progress(silent: bool) -> Callable[[str], None]:
    """Show one word at a time on a terminal; print nothing elsewhere."""
    if silent or not sys.stderr.isatty():
        return lambda word: None
    return lambda word: click.echo(f"\r{word[:70]:70}" + ("\r" if word else f"\r{'':70}\r"), nl=False, err=True)


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH or PAPER]")
@click.option("--jobs", type=PROCESSES, default=1, show_default=True, help="Number of worker processes.")
@root_option
@out_option
@one_line_errors(resumable=True)
def accept(paths: tuple[str, ...], jobs: int, root: int, out: str | None) -> None:
    """Record the current verdicts, statements, numbers and errata as the accepted baseline."""
    from lemmata.experiments.conformance import accepted, numbers
    from lemmata.experiments.engine.ledger.ledger_rows import ledger, write_record
    from lemmata.experiments.engine.ledger.published import RECORD

    for paper, store in decide_papers(paths, root, out, jobs):
        with store:
            rows = [row for row in ledger(store, root, papers=[paper]) if row["paper"] == paper.id]
            before, now = accepted.read(paper), accepted.renew(paper, rows, click.echo, store)
            untold = find_unannounced(paper, before, now)
            for key, digits in untold.items():
                click.echo(f"lemmata: {paper.id}/{accepted.HISTORY} lacks a line: - {key} {digits}: why", err=True)
            accepted.write(paper, now | {key: before[key] for key in untold if key in before})
            values = load_hand_values() if paper.house and is_in_checkout() else ()
            numbers.write(paper, numbers.renew(paper, click.echo, store, *values))
        new = number_new_errata(paper, rows)
        if not paper.house:  # that of our papers is written with their report
            write_record(paper.folder / RECORD, rows)
        click.echo(f"{paper.id}: {len(now)} rows accepted" + (f", new errata: {new}" if new else ""), err=True)
        if untold:
            exit_with(1)


def decide_papers(paths: Sequence[str], root: int, out: str | None, jobs: int = 1) -> Iterator[tuple[Paper, Any]]:
    """(paper, its store) of each paper asked for, with its quick cells decided."""
    papers, names, folder = read_scope(paths, out)
    if names and all(name.lower() in library.papers for name in names):
        papers, names = [library.papers[name.lower()] for name in names], ()
    if names:
        raise Usage(f"PATH must be a folder with a paper.toml or the id of a paper, got {names[0]}")
    if not papers and not is_in_checkout():
        raise Usage("PATH is missing, and no paper.toml is in this folder or above it")
    from lemmata.experiments.engine.claims import registry
    from lemmata.experiments.engine.claims.claim_names import select
    from lemmata.experiments.engine.running import run
    from lemmata.experiments.engine.running.store import Store
    from lemmata.experiments.engine.witness import programs

    for paper in papers or library.house:
        code = (
            row_cache.hash_files()
        )  # anew for each: what is taken over from the one before is written beside our files
        store = Store(folder / "ledger.sqlite")
        keys, _ = select([paper.id])
        ran = run.execute(registry.closure(keys), store, root=root, jobs=jobs, progress=sys.stderr.isatty())

        def edited(since: str = code) -> bool:
            return row_cache.hash_files() != since

        programs.confirm(ran, store, jobs, edited)
        yield paper, store


def find_unannounced(paper: Paper, before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """The printed statements that changed without their line, where the paper keeps a history."""
    from lemmata.experiments.conformance import accepted

    history = accepted.history_of(paper)
    if history is None or any(line.form != next(iter(now.values())).form for line in before.values()):
        return {}
    current = {key: line.digest for key, line in now.items()}
    return accepted.unannounced(accepted.printed(before), current, history)


def load_hand_values() -> tuple[Any, Any]:
    """(values computed by hand, the function that compares them) from the tests of this repository."""
    sys.path.insert(0, str(Path.cwd()))
    from importlib import import_module

    tables = import_module("tests.by_hand")
    return tables.rows(), tables.agrees


def number_new_errata(paper: Paper, rows: Sequence[Mapping[str, Any]]) -> int:
    """Number the new errata in the list beside the paper; returns their count. No number is used twice."""
    from lemmata.bounds.catalogue.paper_file import ERRATA, read_errata
    from lemmata.experiments.engine.ground import files

    lines = read_errata(paper.folder)
    numbered = {line["key"] for line in lines}
    highest = max((int(line["number"][1:]) for line in lines), default=0)
    wrong = [row for row in rows if row["verdict"] == "REFUTED" and row["reading"] == "printed" and row["severity"]]
    new = [row["key"] for row in wrong if row["key"] not in numbered and row["kind"] != "summary"]
    lines += [{"number": f"E{highest + i}", "key": key, "status": "found"} for i, key in enumerate(new, 1)]
    if new:
        files.write_table(paper.folder / "errata.csv", ERRATA, ([line[name] for name in ERRATA] for line in lines))
    return len(new)
