"""Where results stand: in a paper's folder, in a checkout of this repository, or with the user."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from lemmata.bounds.library import Paper

ROOT = Path(__file__).resolve().parents[3]  # of the project, in a checkout
CHECKOUT = (ROOT / "pyproject.toml").exists()


def is_in_checkout() -> bool:
    """Whether somebody works in the repository itself."""
    return CHECKOUT and Path.cwd().is_relative_to(ROOT)


def user_folder() -> Path:
    """The user's folder for data."""
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser() / "lemmata"
    if sys.platform == "darwin":
        return Path("~/Library/Application Support/lemmata").expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "lemmata"


def results_folder(papers: Sequence[Paper] = ()) -> Path:
    """The folder of the store, pages and figures of `papers`, by default those of this package."""
    foreign = [paper for paper in papers if not paper.house]
    # an installed paper is a package, and nothing is written among packages
    if foreign and not foreign[0].is_installed and os.access(foreign[0].folder, os.W_OK):
        return foreign[0].folder / "reports"
    if not foreign and is_in_checkout():
        return ROOT / "reports"
    return user_folder() / (foreign[0].id if foreign else "reports")
