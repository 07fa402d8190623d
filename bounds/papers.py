"""The four papers and every numbered statement of theirs, as the contents page of each paper's package lists them.

`IDS` is the complete list: the ledger shows each of its ids at least once, as OPEN until something decides it. A fifth
paper is one more package below `bounds` with a contents page, and no change here.
"""

import importlib
import pkgutil
from dataclasses import dataclass

from lemmata import bounds


@dataclass(frozen=True)
class Paper:
    """A source, as it is cited."""

    id: str
    authors: str
    title: str
    year: int

    @property
    def cited(self) -> str:
        """Authors and year: `Wang, Zhu & Wang 2025`."""
        return f"{self.authors} {self.year}"


WZW25, BMS22 = "Wang, Zhu & Wang 2025", "Bassily, Mohri & Suresh 2022"
PAPERS: dict[str, Paper] = {}
IDS: dict[str, str] = {}  # id -> the label the paper prints, in the order of the papers
MODULES: dict[str, str] = {}  # id -> the module that holds it, "wzw25/margin_grid"; "" where it is open


def read(name: str) -> None:
    """Add the contents page of the package `bounds.<name>`; a package without one is no paper."""
    page = importlib.import_module(f"lemmata.bounds.{name}")
    if not hasattr(page, "CONTENTS"):
        return
    PAPERS[name] = Paper(name, page.AUTHORS, page.TITLE, page.YEAR)
    for id, printed, module in page.CONTENTS:
        IDS[id] = printed
        MODULES[id] = module and f"{name}/{module}"


for _, _name, _is_package in pkgutil.iter_modules(bounds.__path__):
    if _is_package:
        read(_name)


def statement_of(id: str) -> str:
    """The numbered statement that `id` is, or is a step of: the longest id of the contents that begins it.

    >>> statement_of("bms22.lemA.3.s2")
    'bms22.lemA.3'
    """
    parts = id.split(".")
    for length in range(len(parts), 1, -1):
        if (start := ".".join(parts[:length])) in IDS:
            return start
    raise ValueError(f"id = {id!r} is not a statement of {', '.join(PAPERS)}, nor a step of one")


def label(id: str) -> str:
    """The label the paper prints for the statement that `id` is, or is a step of.

    >>> label("bms22.lemA.3")
    'Lemma A.3'
    """
    return IDS[statement_of(id)]
