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
    environment = os.environ | {"PYTHONPATH": str(copy)}
    return copy, pages.commands(tmp_path / "bin", environment)


def follow(section, copied, slow=False):
    """Do what a section says; its slow blocks only if asked. Returns the files that it makes."""
    for block in SECTIONS[section]:
        if slow or "slow" not in block.words:
            pages.follow(block, *copied)
    return [block.title for block in SECTIONS[section] if block.title]


def lint(files, copied):
    """What `make test` asks of new files: ruff's two questions, and types."""
    folder, environment = copied
    modules = [f"lemmata.{name.removesuffix('.py').replace('/', '.')}" for name in files]
    for command in (
        ["ruff", "check", *files],
        ["ruff", "format", "--check", *files],
        ["mypy", *(word for module in modules for word in ("-m", module))],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_law_as_the_page_says_passes_types_and_tables(copied):
    lint(follow("Add a law", copied), copied)


def test_an_estimator_as_the_page_says_is_asked_what_all_are(copied):
    lint(follow("Add an estimator", copied), copied)


def test_a_theorem_as_the_page_says_is_decided(copied):
    lint(follow("Add a theorem in five steps", copied), copied)


@pytest.mark.soak
def test_a_theorem_as_the_page_says_passes_every_table(copied):
    follow("Add a theorem in five steps", copied, slow=True)


def test_the_way_to_a_verdict_is_the_one_that_the_page_shows(copied):
    follow("Where does a verdict come from", copied)


def test_an_estimator_as_the_page_says_passes_what_is_asked_of_all(copied):
    lint(follow("Add an estimator", copied), copied)


def test_a_learner_as_the_page_says_is_attacked(copied):
    follow("Add a learner", copied)


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
