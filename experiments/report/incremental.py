"""What stands below reports/ already: only what changed is drawn and written again, and nothing stale is kept.

`site/drawn.json` lists the digest of every file that was drawn, and the mark of what all of it was drawn from: our
files, the libraries, the store, the root, and the tables below reports/ that the pages show.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path, PurePath

from lemmata.bounds.catalogue.paper_file import clean_text
from lemmata.experiments.engine.ground.files import replace_file

LIST = "site/drawn.json"
TABLES = (
    "published/mutants.csv",
    "published/faults.csv",
    "published/soak.csv",
    "published/wild.csv",
    "published/corpus.csv",
    "published/auditorium.csv",
    "published/leaderboard.csv",
    "published/witness.json",
    "comparison/*.csv",
    "asv/results/**/*.json",
    "published/asv/**/*.json",
    "asv/html/data.js",
    "docs/index.html",
)  # what the pages read below reports/, beside the store


def digest_bytes(data: bytes) -> str:
    """16 hex digits."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


class SiteFiles:
    """The files of a site, as they were drawn last."""

    def __init__(self, reports: Path):
        self.reports = reports
        try:
            kept = json.loads((reports / LIST).read_bytes())
            self.mark, self.files = str(kept["mark"]), dict(kept["files"])
            if any(PurePath(path).is_absolute() or ".." in PurePath(path).parts for path in self.files):
                raise ValueError
        except (OSError, ValueError, KeyError, TypeError):
            self.mark, self.files = "", {}

    def is_intact(self, path: str) -> bool:
        """Whether a file stands there as it was drawn."""
        file = self.reports / path
        return path in self.files and file.is_file() and digest_bytes(file.read_bytes()) == self.files[path]

    def is_current(self, mark: str) -> bool:
        """Whether the whole site was drawn from this, and nobody has touched it since."""
        return bool(mark) and mark == self.mark and all(map(self.is_intact, self.files))

    def replace(self, made: dict[str, str], figures: Iterable[str], mark: str) -> int:
        """Write the pages and new figures {path: text} that changed, drop the figures that none shows; how many."""
        changed = 0
        kept = {path: self.files[path] for path in figures if path in self.files}
        for path, text in {path: clean_text(text) for path, text in made.items()}.items():
            kept[path] = digest_bytes(text.encode())
            if self.files.get(path) != kept[path] or not self.is_intact(path):
                replace_file(self.reports / path, text)
                changed += 1
        for folder in ("statements/figures", "site"):
            for old in (self.reports / folder).glob("*.svg"):
                if f"{folder}/{old.name}" not in kept:
                    old.unlink()
        self.mark, self.files = mark, kept
        replace_file(self.reports / LIST, json.dumps({"mark": mark, "files": kept}, indent=0))
        return changed


def digest_tables(reports: Path) -> str:
    """The digest of the tables below reports/ that the pages show."""
    files = sorted(path for pattern in TABLES for path in reports.glob(pattern))
    seen = [f"{path.relative_to(reports)} {digest_bytes(path.read_bytes())}" for path in files]
    return digest_bytes("\n".join(seen).encode())
