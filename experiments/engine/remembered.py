"""The rows of the whole ledger, kept beside the store, so that reading them again computes nothing.

Rows are a function of our files, of Python and the libraries, of the store's bytes and of the root. The digest of all
four, with the times at which our files changed, is their *mark*; they are shown under an equal mark only, so that
whoever edits a bound, a check or the engine, or adds a chunk, finds them computed anew. A run and a report write them;
reading the ledger changes no file.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lemmata.bounds.library import Paper, library

if TYPE_CHECKING:
    from lemmata.experiments.engine.store import Store

PACKAGES = ("lemmata.bounds", "lemmata.mechanisms", "lemmata.experiments")


class State(NamedTuple):
    """What the rows depend on, digested: our files, with the times at which they changed, and libraries; the store."""

    code: str
    store: str

    def mark(self, root: int, papers: Sequence[Paper] = ()) -> str:
        """The name of what is computed from this state for `papers`, by default those of this package."""
        return _digest(self.code, self.store, str(root), *(paper.id for paper in papers))


def _digest(*parts: str | bytes) -> str:
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little"))
        made.update(data)
    return made.hexdigest()


def _ours() -> Iterator[tuple[str, Path]]:
    """Every file of our packages and of the papers that are known here, with its name from their roots."""
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        for folder in map(Path, (spec and spec.submodule_search_locations) or ()):
            for place, folders, names in os.walk(folder):
                folders[:] = sorted(set(folders) - {"__pycache__"})
                for name in sorted(names):
                    path = Path(place, name)
                    yield f"{package.rpartition('.')[2]}/{path.relative_to(folder)}", path
    for paper in library.papers.values():
        for path in sorted(paper.folder.rglob("*.py")) if not paper.house else ():
            yield f"{paper.id}/{path.relative_to(paper.folder)}", path
        yield f"{paper.id}/paper.toml", paper.folder / "paper.toml"


def state(store: str | Path) -> State:
    """The state of our files, the libraries, and the store's files."""
    code: list[str | bytes] = [sys.version, platform.machine()]
    for name, path in _ours():
        code += [name, path.read_bytes(), str(path.stat().st_ctime_ns)]
    for folder in sys.path:  # a library is its name and version; tests are where a row says that they are
        if os.path.isdir(folder):
            code += sorted(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))
    tests = Path(__file__).resolve().parents[2] / "tests"  # of a checkout
    code += sorted(str(path.relative_to(tests)) for path in tests.glob("*/test_*.py"))
    files = [Path(f"{store}{suffix}") for suffix in ("", "-wal")]
    kept = [path.read_bytes() if path.exists() else b"" for path in files]
    return State(_digest(*code), _digest(*kept))


def begun(store: str | Path) -> State | None:
    """The state, where this process has loaded no statement yet, so that nothing in it can differ from our files."""
    loaded = any(name in sys.modules for name in ("lemmata.bounds.theorem", "lemmata.experiments.engine.claim"))
    return None if loaded else state(store)


def _file(store: str | Path) -> Path:
    return Path(store).with_suffix(".rows.json")


def recall(store: str | Path, root: int, papers: Sequence[Paper] = ()) -> list[dict] | None:
    """The rows of `papers` that were kept for exactly this state, or None.

    A process that loaded statements computes its own.
    """
    if not Path(store).exists():
        return None
    try:
        kept = json.loads(_file(store).read_bytes())
        now = begun(store)
        fits = now is not None and kept["mark"] == now.mark(root, papers) and kept["digest"] == _digest(kept["rows"])
        return json.loads(kept["rows"]) if fits else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # a damaged memory is none


def folded(store: Store, root: int, start: State | None, papers: Sequence[Paper] = ()) -> tuple[list[dict], list]:
    """(the rows of the whole ledger of `papers`, [(row, its cells)]), kept if that is safe.

    It is if the files of this process are as they were at its `start`, before it loaded any, and the store as it was
    before the rows were folded.
    """
    from lemmata.experiments.engine.ledger import jsonable, ledger_with_cells

    before = state(store.path)
    pairs = ledger_with_cells(store, root, papers=papers)
    rows = [row for row, _ in pairs]
    if start is not None and state(store.path) == before and start.code == before.code:
        _keep(_file(store.path), json.dumps(jsonable(rows), ensure_ascii=False), before.mark(root, papers))
    return rows, pairs


def _keep(file: Path, text: str, mark: str) -> None:
    made = file.with_suffix(".part")
    try:
        made.write_text(json.dumps({"mark": mark, "digest": _digest(text), "rows": text}), encoding="utf-8")
        os.replace(made, file)
    except OSError:
        pass  # a folder that cannot be written is read as before
    finally:
        made.unlink(missing_ok=True)
