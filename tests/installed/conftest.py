"""The wheel as somebody else has it: built from a copy of the tree and installed apart from this checkout."""

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TREE = ("bounds", "mechanisms", "experiments", "lemmata", "tools", "reports/published", "tests")
FILES = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in")
LIBRARIES = os.pathsep.join(dict.fromkeys(sysconfig.get_paths()[name] for name in ("purelib", "platlib")))


@dataclass(frozen=True)
class Installed:
    """A folder of installed packages, `site`, that holds nothing but the wheel; its dependencies come from here."""

    site: Path
    data: Path  # the user's folder for data
    more: Path = Path()  # another folder of installed packages

    @property
    def environment(self):
        """Without this checkout: Python's `-S` leaves out what is installed for editing."""
        more = [str(self.more)] if self.more != Path() else []
        paths = os.pathsep.join([*more, str(self.site), LIBRARIES])
        return os.environ | {"PYTHONPATH": paths, "XDG_DATA_HOME": str(self.data), "COLUMNS": "160"}

    def python(self, *arguments, cwd, status=0):
        """What `python *arguments` prints in `cwd`; it has to end with `status`."""
        done = subprocess.run(
            [sys.executable, "-S", *arguments], cwd=cwd, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def lemmata(self, *arguments, cwd, status=0):
        """What `lemmata *arguments` prints in `cwd`."""
        return self.python("-m", "lemmata", *arguments, cwd=cwd, status=status)


def backend(hook, tree, to):
    """What setuptools makes of `tree`: a wheel or a source distribution, as `pip` asks for them."""
    to.mkdir()
    code = f"import setuptools.build_meta as b; b.{hook}({str(to)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=tree, check=True, capture_output=True)
    return next(to.iterdir())


@pytest.fixture(scope="session")
def distributions(tmp_path_factory):
    """(wheel, source distribution) of this tree; building leaves something behind only in the copy."""
    box = tmp_path_factory.mktemp("distributions")
    for name in TREE:
        left = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, box / "tree" / name, symlinks=True, ignore=left)
    for name in FILES:
        shutil.copy(ROOT / name, box / "tree")
    return backend("build_wheel", box / "tree", box / "wheel"), backend("build_sdist", box / "tree", box / "sdist")


@pytest.fixture(scope="session")
def installed(distributions, tmp_path_factory):
    """The wheel, installed by pip into a folder of its own."""
    box = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", box / "site", distributions[0]], check=True, capture_output=True)
    return Installed(box / "site", box / "data")
