"""Other people's code on the command line: what FILE.py:NAME and MODULE:NAME name, whatever else is called so."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

from lemmata.command.console import Usage

BROUGHT: set[str] = set()  # folders whose modules can be imported
STANDARD = (os.path.dirname(os.__file__), os.path.join(os.path.dirname(os.__file__), "lib-dynload"))  # in sys.path


def import_object(path: str) -> Any:
    """The object that MODULE:NAME or FILE.py:NAME names."""
    module, _, name = path.rpartition(":")
    try:
        found = import_file(Path(module)) if module.endswith(".py") else importlib.import_module(module)
        return getattr(found, name)
    except (Exception, SystemExit) as error:  # the module is somebody else's and may raise anything, or exit
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Usage(f"MODULE:NAME = {path!r} cannot be imported ({problem})") from None


def make_importable(folder: str | Path) -> None:
    """Have the modules of a folder imported by their bare names, but none in place of the standard library's."""
    place = max((at + 1 for at, entry in enumerate(sys.path) if entry in STANDARD), default=0)
    BROUGHT.add(str(folder))
    if sys.path[place : place + 1] != [str(folder)]:
        sys.path.insert(place, str(folder))


def import_file(path: Path) -> ModuleType:
    """The module in a file. It has the file's name where that means this file, for pickles and other processes.

    It is another one's where that was imported before, or stands in the standard library: then its name is made of
    its path, and no module that is looked for by its name can be it.
    """
    file = path.resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no {path}")
    make_importable(file.parent)
    named = _is_module_of(file.stem, file)
    with _own_modules_first(file.parent):
        return importlib.import_module(file.stem) if named else _import_by_path(file)


def _import_by_path(file: Path) -> ModuleType:
    """The module in a file, under a name made of its path."""
    name = f"{file.stem.replace('.', '-')}@{blake2b(str(file).encode(), digest_size=4).hexdigest()}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None  # as the path ends in .py
        sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(sys.modules[name])
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


@contextlib.contextmanager
def _own_modules_first(folder: Path) -> Iterator[None]:
    """Meanwhile, a name that modules of this folder and of one before it have means the one that is here."""
    names = {path.stem for path in folder.glob("*.py")} & sys.modules.keys()
    homes = {name: os.path.dirname(getattr(sys.modules[name], "__file__", None) or "") for name in names}
    aside = {name: sys.modules.pop(name) for name, home in homes.items() if home in BROUGHT - {str(folder)}}
    try:
        yield
    finally:
        sys.modules.update(aside)


def _is_module_of(name: str, file: Path) -> bool:
    """Does a module of this name, imported or not, stand in this file?"""
    importlib.invalidate_caches()  # of a file that was written a moment ago
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # a name with a dot, or a module that came from nowhere
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == file
