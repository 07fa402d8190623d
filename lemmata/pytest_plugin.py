"""The pytest plug-in: beside a `paper.toml`, bare `pytest` has one item a row.

Everywhere it has the fixture `assert_private`, which audits a mechanism of yours.

An item passes if the row comes to what was accepted, states what was accepted, has a control that is REFUTED, and,
where it fell, a program that shows it in a process of its own. Importing this costs nothing; what costs is imported
when a paper is collected.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

STORE = "_lemmata_store"


@pytest.fixture
def assert_private() -> Any:
    """`lemmata.assert_private`: fails with the pair, the lower bound, the place and a program that shows it."""
    import lemmata

    return lemmata.assert_private


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A paper is collected by its `paper.toml`, unless it is one of this package's own, which has tests of its own."""
    if file_path.name != "paper.toml":
        return None
    from lemmata.bounds.library import HOUSE

    own = file_path.resolve().is_relative_to(HOUSE.resolve())
    return None if own else Page.from_parent(parent, path=file_path)


class Wrong(Exception):
    """A row is not what it says; the sentences say why."""


class Page(pytest.File):
    """One paper: an item for every row that a claim decides, and one for the table of what was accepted."""

    def collect(self) -> Iterator[pytest.Item]:
        from lemmata.bounds.library import PaperError, library
        from lemmata.experiments.conformance import accepted
        from lemmata.experiments.engine.claims import registry
        from lemmata.experiments.engine.claims.claim import CLAIMS

        try:
            self.paper = library.add(self.path.parent)
            registry.load(registry.list_modules([self.paper]))
        except PaperError as error:
            raise self.CollectError(str(error)) from None
        self.lines = accepted.read(self.paper)
        for key in CLAIMS:
            if library.paper(key).id == self.paper.id:
                yield Row.from_parent(self, name=key)
        yield Table.from_parent(self, name="accepted")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> Any:
        return str(excinfo.value) if excinfo.errisinstance(self.CollectError) else super().repr_failure(excinfo)


class Sentences(pytest.Item):
    """An item that fails in sentences."""

    parent: Page

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> Any:
        return str(excinfo.value) if excinfo.errisinstance(Wrong) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


class Row(Sentences):
    """One row: verdict as accepted, statement frozen, control REFUTED, witness in a process of its own."""

    def runtest(self) -> None:
        from lemmata.experiments.conformance import rows
        from lemmata.experiments.engine.front.decision import decide
        from lemmata.experiments.engine.running.store import Store
        from lemmata.mechanisms.numerics.streams import TEST_ROOT

        if not hasattr(self.parent, STORE):  # rows that others rest on are decided once
            setattr(self.parent, STORE, Store())
        row = decide(self.name, root=TEST_ROOT, store=getattr(self.parent, STORE))
        problems = rows.problems(row, self.parent.lines.get(self.name), self.parent.paper)
        expected = self.parent.paper.expected
        why = expected.get(self.name) or expected.get(self.name.removeprefix(f"{self.parent.paper.id}."))
        if problems and why:
            pytest.xfail(why)
        if problems:
            raise Wrong("\n".join(f"{self.name}: {problem}" for problem in problems))


class Table(Sentences):
    """The table of what was accepted has no row that nobody states any more."""

    def runtest(self) -> None:
        from lemmata.experiments.conformance import accepted

        gone = self.parent.lines.keys() - accepted.records(self.parent.paper).keys()
        if gone:
            raise Wrong(f"accepted.csv has rows that are gone: {', '.join(sorted(gone))}")
