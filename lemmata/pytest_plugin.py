"""The pytest plug-in: in a folder with a `paper.toml`, `pytest` runs one test per row.

It also provides the fixture `assert_private`, which audits a mechanism, in every folder.

The test of a row passes if verdict and statement are the accepted ones, the control is REFUTED, and, for a refuted row,
its program runs in a process of its own. Importing this module is cheap; expensive modules are imported when a paper is
collected.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def assert_private() -> Any:
    """`lemmata.assert_private`: fails with the pair, the lower bound, the line and a program that shows the leak."""
    import lemmata

    return lemmata.assert_private


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a paper by its `paper.toml`, except the built-in papers, which have their own tests."""
    if file_path.name != "paper.toml":
        return None
    from lemmata.bounds.library import HOUSE

    own = file_path.resolve().is_relative_to(HOUSE.resolve())
    return None if own else Page.from_parent(parent, path=file_path)


class Wrong(Exception):
    """A row differs from what was accepted; the message says how."""


class Page(pytest.File):
    """One paper: a test for every row with a claim, and one for the table of accepted rows."""

    def collect(self) -> Iterator[pytest.Item]:
        from lemmata.bounds.library import PaperError, library
        from lemmata.experiments.conformance import accepted
        from lemmata.experiments.engine.claims import registry
        from lemmata.experiments.engine.claims.claim import CLAIMS
        from lemmata.experiments.engine.running.store import Store

        try:
            self.paper = library.add(self.path.parent)
            registry.load(registry.list_modules([self.paper]))
        except PaperError as error:
            raise self.CollectError(str(error)) from None
        self.lines = accepted.read(self.paper)
        self.store = Store()  # one for all rows: those that others rest on are decided once
        for key in CLAIMS:
            if library.paper(key).id == self.paper.id:
                yield Row.from_parent(self, name=key)
        yield Table.from_parent(self, name="accepted")


class Sentences(pytest.Item):
    """A test whose failure is a plain message."""

    parent: Page

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> Any:
        return str(excinfo.value) if excinfo.errisinstance(Wrong) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


class Row(Sentences):
    """One row: accepted verdict and statement, a REFUTED control, and a witness that runs in its own process."""

    def runtest(self) -> None:
        from lemmata.experiments.conformance import rows
        from lemmata.experiments.engine.front.decision import decide
        from lemmata.mechanisms.numerics.streams import TEST_ROOT

        row = decide(self.name, root=TEST_ROOT, store=self.parent.store)
        problems = rows.problems(row, self.parent.lines.get(self.name))
        expected = self.parent.paper.expected
        why = expected.get(self.name) or expected.get(self.name.removeprefix(f"{self.parent.paper.id}."))
        if problems and why:
            pytest.xfail(why)
        if problems:
            raise Wrong("\n".join(f"{self.name}: {problem}" for problem in problems))


class Table(Sentences):
    """accepted.csv has no row without a statement."""

    def runtest(self) -> None:
        from lemmata.experiments.conformance import accepted

        gone = self.parent.lines.keys() - accepted.records(self.parent.paper).keys()
        if gone:
            raise Wrong(f"accepted.csv has rows without a statement: {', '.join(sorted(gone))}")
