"""The clean room: a copy of a folder, a process that inherits nothing, and what is signed.

The process gets no variable of the shell but the few that a program needs to start, no packages of the user's own, and
a home folder that is empty. It runs the copy, which holds the files that are signed and no others.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import lemmata

KEPT = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "TERM", "COLUMNS", "LEMMATA_TRACEBACK")
RESULTS = "reports"  # in the folder of a paper: what the author's own runs left there
# Python's -I leaves out PYTHONPATH, by which this package may have been found.
START = """import sys
home = sys.argv.pop(1)
if home not in sys.path:
    sys.path.insert(0, home)
from lemmata.__main__ import program
program()"""


def list_files(folder: Path) -> list[str]:
    """The files of a paper, in a fixed order: no links, nothing hidden, no results and no compiled code."""
    found = []
    for place, folders, names in os.walk(folder):
        left_out = ("__pycache__", RESULTS) if Path(place) == folder else ("__pycache__",)
        folders[:] = [name for name in folders if not name.startswith(".") and name not in left_out]
        paths = [Path(place, name) for name in names if not name.startswith(".") and not name.endswith(".pyc")]
        found += [path.relative_to(folder).as_posix() for path in paths if path.is_file() and not path.is_symlink()]
    return sorted(found)


def hash_files(folder: Path) -> str:
    """SHA-256, in hex digits, of the names and bytes of a paper's files."""
    made = hashlib.sha256()
    for name in list_files(folder):
        for part in (name.encode(), (folder / name).read_bytes()):
            made.update(len(part).to_bytes(8, "big") + part)
    return made.hexdigest()


def list_versions() -> list[str]:
    """Python and the installed distributions, `numpy==2.4.1`, sorted."""
    found = {f"{each.name.lower().replace('_', '-')}=={each.version}" for each in metadata.distributions()}
    return [f"python=={'.'.join(map(str, sys.version_info[:3]))}", *sorted(found)]


def hash_versions(versions: Sequence[str]) -> str:
    """SHA-256, in hex digits, of a list of versions."""
    return hashlib.sha256("\n".join(versions).encode()).hexdigest()


def run_apart(folder: Path, arguments: Sequence[str]) -> int:
    """Run `lemmata` with the path of a copy of `folder` and `arguments`, apart from this process; its exit status."""
    with tempfile.TemporaryDirectory(prefix="lemmata-referee-") as room:
        copy, home = Path(room).resolve() / folder.name, Path(room).resolve() / "home"
        for name in list_files(folder):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, copy / name)
        home.mkdir()
        own = {name: os.environ[name] for name in KEPT if name in os.environ}
        own |= {"HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8", "PYTHONNOUSERSITE": "1"}
        command = [sys.executable, "-I", "-c", START, str(Path(lemmata.__file__).parents[1])]
        return subprocess.run([*command, "referee", str(copy), *arguments], cwd=home, env=own).returncode
