"""The command `lemmata referee`: judge somebody's folder in a clean environment, on one signed page."""

import contextlib
import os
import sys
from pathlib import Path

import click

from lemmata.bounds.library import PaperError, library, nearest
from lemmata.command.console import PROCESSES, Fault, Usage, exit_with, one_line_errors
from lemmata.command.paper import announce_plan, make_progress
from lemmata.experiments.engine.ground.profiles import PROFILES


@click.command()
@click.argument("path", metavar="FOLDER")
@click.option("--jobs", type=PROCESSES, default=os.cpu_count(), help="Number of worker processes.")
@click.option(
    "--profile", type=click.Choice(PROFILES), default="deep", show_default=True, help="How many settings to try."
)
@click.option("--seed", "root", type=click.IntRange(0, 2**63 - 1), help="Root seed.  [default: made of the files]")
@click.option(
    "--out", type=click.Path(file_okay=False), default=".", help="Folder for the page.  [default: this folder]"
)
@click.option("--apart", metavar="FOLDER", hidden=True, help="Judge here the copy FOLDER was made from.")
@one_line_errors()
def referee(path: str, jobs: int, profile: str, root: int | None, out: str, apart: str | None) -> None:
    """Judge a paper's folder as a reviewer: run everything again in a clean environment, and write one signed page.

    A fresh process runs a copy of FOLDER, without its stored results, at another seed and at settings that the engine
    chooses, and changes every number. The page referee-ID.html lists what is machine-checked, what rests on prose, and
    what no row notices. The code of the folder runs with your rights.

    Exit status: 0 if there is no finding, 1 if there are findings, explained ones included, 2 for bad usage.
    """
    if apart:
        judge_copy(Path(path), apart, Path(out), root, profile, jobs)
    folder = Path(path).parent if Path(path).name == "paper.toml" else Path(path)
    if nearest(folder) != folder.resolve():
        raise Usage(f"FOLDER must be a folder with a paper.toml, got {path}")
    from lemmata.experiments.referee.isolation import run_apart

    said = ["--apart", str(folder), "--out", str(Path(out).resolve()), "--profile", profile, "--jobs", str(jobs)]
    status = run_apart(folder.resolve(), said + (["--seed", str(root)] if root is not None else []))
    if status < 0:
        raise Fault(f"the process of the referee was ended by signal {-status}")
    exit_with(status)


def judge_copy(copy: Path, original: str, out: Path, root: int | None, profile: str, jobs: int) -> None:
    """Judge the copy of a folder in this process, write the page, and end."""
    from lemmata.experiments.engine.ground.files import replace_file
    from lemmata.experiments.referee import assessment, page

    library.installed()
    progress = sys.stderr.isatty()
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what a module prints is no finding
            if (paper := library.add(copy)).is_installed:
                raise Usage("packages in paper.toml must be left out, as a referee judges the modules of the folder")
            announce_plan(f"deciding {paper.id} again")
            told = make_progress(not progress)
            made = assessment.assess(copy, root=root, profile=profile, jobs=jobs, progress=progress, told=told)
            told("")
    except PaperError as error:  # its place is in the copy, which is gone when the line is read
        raise Usage(str(error).replace(str(copy), original)) from None
    written = out / f"referee-{made.paper.id}.html"
    replace_file(written, page.write_page(made))
    click.echo(page.summarize(made))
    click.echo(f"lemmata: the page is {written}", err=True)
    exit_with(1 if made.found else 0)
