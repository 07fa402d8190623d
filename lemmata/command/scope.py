"""Arguments of a command: its papers, the names in them, and the folder for results.

A folder with a `paper.toml` is a paper. Without one on the command line a command uses the nearest folder above the
working folder, and otherwise the built-in papers.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from lemmata.bounds.library import Paper, library, nearest
from lemmata.command.console import Usage
from lemmata.experiments.engine.ground.files import refuse_links
from lemmata.experiments.engine.ground.folders import is_in_checkout, results_folder


def read_scope(arguments: Sequence[str], out: str | None) -> tuple[Sequence[Paper], Sequence[str], Path]:
    """(the papers asked about, none for the built-in ones; the names asked for in them; the folder for results).

    Raises `Usage` for a folder without a paper, `PaperError` for an invalid one.
    """
    library.installed()
    papers, names = [], []
    for argument in arguments:
        path = Path(argument)
        if path.name == "paper.toml" or (path / "paper.toml").is_file():
            papers.append(library.add(path.parent if path.name == "paper.toml" else path))
        elif path.is_dir() and (os.sep in argument or argument.lower() not in library.papers):
            raise Usage(f"PATH must be a folder with a paper.toml, got {argument}; `lemmata new-paper NAME` writes one")
        else:
            names.append(argument)
    if not papers and (above := nearest(Path.cwd())):
        papers = [library.add(above)]
    for id, place in library.replaced.items():
        click.echo(f"lemmata: {id} is {library.papers[id].folder}, not the installed {place}", err=True)
    owners = {name.lower().replace(" ", ".").split(".")[0] for name in names} & library.papers.keys()
    if not papers and len(owners) == 1 and not (named := library.papers[owners.pop()]).house:
        papers, names = [named], [name for name in names if name.lower() != named.id]  # with its own folder for results
    return papers, names, choose_folder(papers, out)


def choose_folder(papers: Sequence[Paper], out: str | None) -> Path:
    """The folder of the store and the pages: `--out`, otherwise the default folder of these papers."""
    try:
        folder = results_folder(papers) if out is None else Path(out)
    except RuntimeError:
        raise Usage("the user has no home folder for results; name a folder with --out") from None
    if out is not None and folder.exists() and not folder.is_dir():
        raise Usage(f"--out must be a folder, got {out}")
    if papers or out is not None:  # which may be a stranger's
        if out is None and folder.is_symlink():
            raise Usage(f"{folder} is a symbolic link; name the folder that it leads to with --out")
        refuse_links(folder)
    return folder


def announce_folder(out: Path) -> None:
    """Print the folder of the results, unless it is the one of a checkout."""
    if not is_in_checkout():
        click.echo(f"lemmata: results are in {out}", err=True)
