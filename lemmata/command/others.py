"""Import FILE.py:NAME and MODULE:NAME from the command line, even if other modules have the same name."""

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

from lemmata.command.console import Usage, describe_error

BROUGHT: set[str] = set()  # folders whose modules can be imported
STANDARD = (os.path.dirname(os.__file__), os.path.join(os.path.dirname(os.__file__), "lib-dynload"))  # in sys.path


def import_object(path: str) -> Any:
    """The object that MODULE:NAME or FILE.py:NAME names."""
    module, _, name = path.rpartition(":")
    try:
        found = import_file(Path(module)) if module.endswith(".py") else importlib.import_module(module)
        return getattr(found, name)
    except (Exception, SystemExit) as error:  # the module is somebody else's and may raise anything, or exit
        raise Usage(f"cannot import {path!r} ({describe_error(error)})") from None


def make_importable(folder: str | Path) -> None:
    """Put a folder on the import path behind the standard library."""
    place = max((at + 1 for at, entry in enumerate(sys.path) if entry in STANDARD), default=0)
    BROUGHT.add(str(folder))
    if sys.path[place : place + 1] != [str(folder)]:
        sys.path.insert(place, str(folder))


def import_file(path: Path) -> ModuleType:
    """Import the module in a file, under the file's name if an import of that name finds this file.

    Pickles and other processes need that name. If another module, or the standard library, has it, the name is made
    from the path, so that no import by name finds this module.
    """
    file = path.resolve()
    if not file.is_file():
        raise FileNotFoundError(f"{path} does not exist")
    make_importable(file.parent)
    named = _is_module_of(file.stem, file)
    with _own_modules_first(file.parent):
        return importlib.import_module(file.stem) if named else _import_by_path(file)


def _import_by_path(file: Path) -> ModuleType:
    """Import the module in a file, under a name made from its path."""
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
    """Prefer modules of this folder over modules of the same name from folders imported before."""
    names = {path.stem for path in folder.glob("*.py")} & sys.modules.keys()
    homes = {name: os.path.dirname(getattr(sys.modules[name], "__file__", None) or "") for name in names}
    aside = {name: sys.modules.pop(name) for name, home in homes.items() if home in BROUGHT - {str(folder)}}
    try:
        yield
    finally:
        sys.modules.update(aside)


def _is_module_of(name: str, file: Path) -> bool:
    """Whether an import of this name finds this file."""
    importlib.invalidate_caches()  # of a file that was written a moment ago
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # a name with a dot, or a module that came from nowhere
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == file
