"""The tutorial is true: every file and every command of it, in an empty folder, with the installed wheel."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests import pages

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "your-own-theorem.md"


@pytest.fixture(scope="module")
def followed(installed, tmp_path_factory):
    """The folder in which the page ends."""
    box = tmp_path_factory.mktemp("tutorial")
    environment, folder = pages.commands(box / "bin", installed.environment, "-S"), box / "work"
    folder.mkdir()
    for block in pages.blocks(PAGE.read_text()):
        folder = pages.follow(block, folder, environment)
    return folder


def test_from_an_empty_folder_to_pages_and_tests(followed):
    paper = followed / "signs"
    assert {path.name for path in paper.glob("*.csv")} == {"accepted.csv", "numbers.csv", "errata.csv"}
    assert "On Sums of Signs" in (paper / "reports" / "index.html").read_text()


def test_the_package_that_it_ends_with_is_found_by_its_entry_point(followed, installed, tmp_path):
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index"]
    pip += ["--no-build-isolation", "--target", str(tmp_path / "site"), str(followed)]
    subprocess.run(pip, check=True, capture_output=True)
    both = replace(installed, more=tmp_path / "site")
    told = both.lemmata("run", "signs.lem2", "--jobs", "1", cwd=tmp_path)
    assert "signs.lem2/printed    REFUTED" in told and "signs.lem2/corrected  HOLDS" in told
    assert not list((tmp_path / "site" / "signs").glob("reports/*"))
