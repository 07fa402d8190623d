"""Imports flow one way, bounds and mechanisms stay small: the import-linter contracts of pyproject.toml."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ["bounds", "mechanisms", "experiments", "command"]
LAYERS = "Imports flow one way: command, experiments, mechanisms, bounds"
WHERE_THINGS_LIVE = "Tables, figures, workers and command lines live above mechanisms"


# importing module, what it must not import, the contract that forbids it
VIOLATIONS = [
    ("bounds.jl", "import lemmata.mechanisms.jl", LAYERS),
    ("bounds.jl", "from lemmata.experiments import jl", LAYERS),
    ("mechanisms.jl", "import lemmata.experiments.jl", LAYERS),
    ("experiments.jl", "import lemmata.command.jl", LAYERS),
    ("bounds.jl", "import pandas", WHERE_THINGS_LIVE),
    ("bounds.jl", "def f():\n    import statsmodels.api", WHERE_THINGS_LIVE),
    ("mechanisms.jl", "from matplotlib import pyplot", WHERE_THINGS_LIVE),
    ("mechanisms.jl", "from joblib import Parallel", WHERE_THINGS_LIVE),
    ("mechanisms.jl", "import click", WHERE_THINGS_LIVE),
]


def lint(tree):
    """Run the contracts over the packages that stand in `tree`."""
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def small_tree(tmp_path):
    """A lawful tree under our contracts: one topic in each package, imported in the allowed direction."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    sources = ["import numpy", "import lemmata.bounds.jl", "import pandas\nimport lemmata.mechanisms.jl"]
    for room, source in zip(ROOMS, [*sources, "import lemmata.experiments.jl"], strict=True):
        (tmp_path / "lemmata" / room).mkdir(parents=True)
        (tmp_path / "lemmata" / room / "__init__.py").touch()
        (tmp_path / "lemmata" / room / "jl.py").write_text(source + "\n")
    (tmp_path / "lemmata" / "__init__.py").touch()
    return tmp_path


def test_our_imports_keep_the_contracts():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_lawful_tree_keeps_the_contracts(small_tree):
    done = lint(small_tree)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("module", "source", "contract"), VIOLATIONS)
def test_a_forbidden_import_is_caught(small_tree, module, source, contract):
    """Negative control: contracts that cannot break guard nothing."""
    (small_tree / "lemmata" / module.replace(".", "/")).with_suffix(".py").write_text(source + "\n")
    done = lint(small_tree)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{contract} BROKEN" in done.stdout


def test_the_linted_packages_are_these_sources():
    """The editable install points here, so what was linted is what is tested."""
    for room in ROOMS:
        assert Path(importlib.import_module(f"lemmata.{room}").__file__).parents[1] == ROOT / "lemmata"


def test_nothing_imports_by_a_bare_name():
    """`import bounds` would find whatever folder of that name a user works in."""
    bare = re.compile(r"(from|import) (bounds|mechanisms|experiments|tools)(\.[a-z]| import )")  # in witnesses too
    for folder in ("bounds", "mechanisms", "experiments", "tools", "lemmata", "tests"):
        assert not [path for path in (ROOT / folder).rglob("*.py") if bare.search(path.read_text())]
