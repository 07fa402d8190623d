"""Papers in folders of their own, each test's for itself: commands run in processes, as somebody types them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]


class Folder:
    """A paper's folder, and what is typed there."""

    def __init__(self, path):
        self.path = path

    def __truediv__(self, name):
        return self.path / name

    def run(self, *command, cwd=None, flags=()):
        """Run a module; `flags` are the interpreter's."""
        environment = os.environ | {"PYTHONPATH": str(HOUSE), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, *flags, "-m", *map(str, command)],
            cwd=cwd or self.path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def lemmata(self, *command, **more):
        return self.run("lemmata", *command, **more)

    def edit(self, name, old, new):
        text = (self / name).read_text()
        assert text.count(old) == 1, (old, text.count(old))
        (self / name).write_text(text.replace(old, new))


@pytest.fixture
def folder(tmp_path):
    """What `lemmata new-paper` writes, beside a folder and a file that have the names of ours."""
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "__init__.py").touch()
    (tmp_path / "bounds.py").write_text("X = 1\n")
    made = Folder(tmp_path / "odd")
    done = made.lemmata("new-paper", "odd", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return made
