"""The rows of the whole ledger and their curves, kept beside the store, so that reading them again computes nothing.

Rows are a function of our files, of Python and the libraries, of the store's bytes and of the root. The digest of all
four, with the times at which our files changed, is their *mark*; they are shown under an equal mark only, so that
whoever edits a bound, a check or the engine, or adds a chunk, finds them computed anew. A run, a report and a
ledger of everything that had to compute them write them; these and a run that has nothing to decide read them.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lemmata.bounds.library import Paper, library
from lemmata.experiments.engine.ground.files import replace_file
from lemmata.experiments.engine.ground.profiles import largest_profile

if TYPE_CHECKING:
    from lemmata.experiments.engine.ledger.curves import Picture
    from lemmata.experiments.engine.ledger.row import Row
    from lemmata.experiments.engine.running.schedule import Job
    from lemmata.experiments.engine.running.store import Store

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
        kinds = () if paper.house else ("**/*.py", "*.toml", "*.csv")  # pages show replies, captions and errata
        for path in sorted(path for kind in kinds for path in paper.folder.glob(kind)):
            yield f"{paper.id}/{path.relative_to(paper.folder)}", path


def read_state(store: str | Path) -> State:
    """The state of our files, the libraries, and the store's files."""
    return State(hash_files(), _digest(*(_file_digest(f"{store}{suffix}") for suffix in ("", "-wal"))))


def hash_files() -> str:
    """The state of our files and the libraries."""
    parts: list[str | bytes] = [sys.version, platform.machine()]
    for name, path in _ours():
        parts += [name, path.read_bytes(), str(path.stat().st_ctime_ns)]
    for folder in sys.path:  # a library is its name and version; tests are where a row says that they are
        if os.path.isdir(folder):
            parts += sorted(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))
    tests = Path(__file__).resolve().parents[3] / "tests"  # of a checkout
    parts += sorted(str(path.relative_to(tests)) for path in tests.glob("*/test_*.py"))
    return _digest(*parts)


def _file_digest(path: str) -> bytes:
    """Of a file that may be larger than memory; a file that is not there is as one without bytes."""
    if not os.path.exists(path):
        return hashlib.blake2b(digest_size=16).digest()
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).digest()


def state_at_start(store: str | Path) -> State | None:
    """The state, where this process has loaded no statement yet, so that nothing in it can differ from our files."""
    loaded = any(name in sys.modules for name in ("lemmata.bounds.theorem", "lemmata.experiments.engine.claims.claim"))
    return None if loaded else read_state(store)


def _file(store: str | Path, what: str = "rows") -> Path:
    return Path(store).with_suffix(f".{what}.json")


def _recalled(file: Path, mark: str, finished: str = "") -> Any:
    """What was kept under this mark, or None."""
    try:
        kept = json.loads(file.read_bytes())
        fits = kept["mark"] == mark and kept["digest"] == _digest(kept["text"])
        done = not finished or (kept["finished"] and largest_profile((finished, kept["finished"])) == kept["finished"])
        return json.loads(kept["text"]) if fits and done else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # a damaged memory is none


def recall(
    store: str | Path, root: int, papers: Sequence[Paper] = (), finished: str = "", now: State | None = None
) -> list[Row] | None:
    """The rows of `papers` that were kept for exactly the state of `now`, or None.

    A process that loaded statements computes its own, unless it found the state before. With `finished`, a profile,
    only where a run of it has decided all of them in this state, and none has failed.
    """
    if not Path(store).exists() or not _file(store).exists():
        return None
    now = now or state_at_start(store)
    return _recalled(_file(store), now.mark(root, papers), finished) if now else None


Pair = tuple["Row", list["Picture"]]  # a row of the ledger, and the curves of its cells


def recall_or_fold(
    store: Store, root: int, start: State | None, papers: Sequence[Paper] = (), jobs: Sequence[Job] = ()
) -> list[Pair]:
    """The rows of the whole ledger of `papers`, each with its curves, as they were kept or computed, and then kept.

    They are kept if the files of this process are as they were at its `start`, before it loaded any, and the store as
    it was before the rows were folded. The `jobs` of a run are not folded again.
    """
    from lemmata.experiments.engine.ledger.curves import choose_pictures, pictures_from_json, pictures_to_json
    from lemmata.experiments.engine.ledger.ledger_rows import jsonable, ledger_with_cells

    mark = start.mark(root, papers) if start and not jobs else ""  # a run has changed the store since
    rows, curves = (_recalled(_file(store.path, what), mark) if mark else None for what in ("rows", "curves"))
    if rows is None or curves is None:
        before = read_state(store.path)
        pairs = ledger_with_cells(store, root, papers=papers, jobs=jobs)
        rows = jsonable([row for row, _ in pairs], finite=False)
        curves = jsonable([pictures_to_json(choose_pictures(cells)) for _, cells in pairs], finite=False)
        if start is not None and read_state(store.path) == before and start.code == before.code:
            failed = any(row["reason"] == "FAILED" for row in rows)
            finished = jobs[0].profile if jobs and not failed else ""
            for what, kept in (("rows", rows), ("curves", curves)):
                _keep(_file(store.path, what), kept, before.mark(root, papers), finished)
    return list(zip(rows, map(pictures_from_json, curves), strict=True))


def _keep(file: Path, rows: list, mark: str, finished: str) -> None:
    text = json.dumps(rows, ensure_ascii=False)
    with contextlib.suppress(OSError):  # a folder that cannot be written is read as before
        replace_file(file, json.dumps({"mark": mark, "finished": finished, "digest": _digest(text), "text": text}))
