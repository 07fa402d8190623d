"""CONTRIBUTING.md tells the truth: what it says is done in a copy of the tree, and passes what `make test` asks."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lemmata.command.main import main
from tests import pages

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
TREE = ("bounds", "mechanisms", "experiments", "lemmata", "tools", "tests", "reports/published")
PAGES = ["CONTRIBUTING.md", "README.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
PAGES += [f"docs/{name}.md" for name in ("releasing", "your-own-theorem", "how-a-claim-is-decided")]
SECTIONS = {
    title: list(pages.blocks(f"## {text}")) for text in PAGE.split("\n## ")[1:] for title in [text.partition("\n")[0]]
}


@pytest.fixture
def copied(tmp_path):
    """(a copy of this tree, an environment that imports from it)."""
    copy = tmp_path / "copy"
    for name in TREE:
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, copy)
    return copy, pages.commands(tmp_path / "bin", os.environ | {"PYTHONPATH": str(copy)})


def follow(section, copied, slow=False):
    """Do what a section says; its slow blocks only if asked. Returns the files that it makes, and those it changes."""
    for block in SECTIONS[section]:
        if slow or "slow" not in block.words:
            pages.follow(block, *copied)
    made = [block.title for block in SECTIONS[section] if block.title]
    return made, [block.text.split()[1] for block in SECTIONS[section] if block.language == "diff"]


def lint(made, changed, copied):
    """What `make test` asks of files that are made or changed: ruff's two questions, and types."""
    folder, environment = copied
    files = [*made, *changed]
    modules = [f"lemmata.{name.removesuffix('.py').replace('/', '.')}" for name in made]
    for command in (
        ["ruff", "check", *files],
        ["ruff", "format", "--check", *files],
        ["mypy", *(word for module in modules for word in ("-m", module))],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("section", ["Add a law", "Add an estimator", "Add a theorem in five steps"])
def test_what_is_added_as_the_page_says_passes_what_is_asked_of_all(section, copied):
    lint(*follow(section, copied), copied)


@pytest.mark.parametrize("section", ["Where does a verdict come from", "Add a learner"])
def test_what_the_page_shows_is_what_happens(section, copied):
    follow(section, copied)


@pytest.mark.soak
def test_a_theorem_as_the_page_says_passes_every_table(copied):
    follow("Add a theorem in five steps", copied, slow=True)


def test_the_commands_exist():
    for command in re.findall(r"lemmata ([a-z][a-z-]+)", PAGE):
        assert command in main.commands


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_exists(page):
    text = (ROOT / page).read_text()
    for target in re.findall(r"make ([a-z]+)`", text):
        assert f"\n{target}:" in (ROOT / "Makefile").read_text(), target
    for link in re.findall(r"\]\(([^)#:]+)[^)]*\)", text):
        assert (ROOT / page).parent.joinpath(link).exists() or link.startswith(("reports/", "http")), link
    for path in re.findall(r"`((?:tests|experiments|mechanisms|bounds|reports/published)/[\w./]*\w)`", text):
        assert (ROOT / path).exists(), path
