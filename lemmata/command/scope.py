"""What a command is about: papers and names from its arguments, and the folder where results stand.

A folder with a `paper.toml` is a paper; without one on the command line it is the nearest above the working folder,
and where there is none the papers of this package.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from lemmata.bounds.library import Paper, library, nearest
from lemmata.command.console import Usage
from lemmata.experiments.engine.ground.folders import is_in_checkout, results_folder


class Scope(NamedTuple):
    """The papers that are asked about, none for those of this package; what is asked of them; where results stand."""

    papers: Sequence[Paper]
    names: Sequence[str]
    out: Path


def read_scope(arguments: Sequence[str], out: str | None) -> Scope:
    """Read the arguments of a command. Raises `Usage` for a folder that is no paper, `PaperError` for a broken one."""
    library.installed()
    papers, names = [], []
    for argument in arguments:
        path = Path(argument)
        if path.name == "paper.toml" or (path / "paper.toml").is_file():
            papers.append(library.add(path.parent if path.name == "paper.toml" else path))
        elif path.is_dir() and (os.sep in argument or argument.lower() not in library.papers):
            raise Usage(f"PATH = {argument} has no paper.toml: `lemmata new-paper NAME` writes one")
        else:
            names.append(argument)
    if not papers and (above := nearest(Path.cwd())):
        papers = [library.add(above)]
    if not papers and len(names) == 1 and names[0].lower() in library.papers:
        named = library.papers[names[0].lower()]
        papers, names = ([], names) if named.house else ([named], [])
    return Scope(papers, names, choose_folder(papers, out))


def choose_folder(papers: Sequence[Paper], out: str | None) -> Path:
    """Where store and pages stand: where `--out` says, else where the results of these papers stand."""
    if out is None:
        try:
            return results_folder(papers)
        except RuntimeError:
            raise Usage("this user has no home folder: --out names one for store and pages") from None
    if Path(out).exists() and not Path(out).is_dir():
        raise Usage(f"--out = {out} is not a folder")
    return Path(out)


def announce_folder(out: Path) -> None:
    """Say where results went, where that is not plain to see."""
    if not is_in_checkout():
        click.echo(f"lemmata: results stand in {out}", err=True)
