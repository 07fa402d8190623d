"""The commons: statements of many sources in one folder, each with a source, a verdict and a line on its use."""

from pathlib import Path

import pytest

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.library import library
from lemmata.bounds.statement.formula import in_unicode
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments import examples
from lemmata.experiments.benchmark.export import find_area
from lemmata.experiments.conformance import accepted, rows
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.front.decision import decide
from lemmata.mechanisms.numerics.streams import TEST_ROOT

FOLDER = Path(examples.__file__).with_name("commons")
KEYS = [line["key"] for line in read_table(FOLDER / "accepted.csv")]
pytestmark = pytest.mark.slow  # the rows of other papers are counted by tests that share this process


@pytest.fixture(scope="module")
def paper():
    """The folder, with its modules, as its entry point in pyproject.toml says."""
    added = library.add(FOLDER, "lemmata.experiments.examples.commons")
    registry.load(registry.list_modules([added]))
    return added


def test_every_statement_has_a_source_a_verdict_and_a_line_on_its_use(paper):
    stated, lines = accepted.records(paper), accepted.read(paper)
    assert len(paper.contents) >= 60 and len({work.title for work in paper.sources.values()}) >= 25
    assert paper.sources.keys() == paper.contents.keys() == {library.statement_of(THEOREMS[key].id) for key in stated}
    assert stated == {key: line.digest for key, line in lines.items()}
    assert [key for key in stated if "Use " not in THEOREMS[key].title] == []
    assert [key for key in stated if "\\" in in_unicode(THEOREMS[key].says)] == []
    assert {line.verdict for line in lines.values()} == {"HOLDS", "REFUTED", "SLIP"}


def test_a_statement_is_filed_under_its_own_area(paper):
    filed = {find_area(THEOREMS[key]) for key in accepted.records(paper)}
    assert filed == {
        "noise and conversion", "composition", "selection", "projections and features", "concentration",
        "private learners",
    }  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_a_row_has_its_verdict_its_control_and_its_program(paper, key):
    assert rows.problems(decide(key, root=TEST_ROOT), accepted.read(paper)[key]) == []
