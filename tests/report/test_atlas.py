"""When bounds speak: the committed table is what the statements say, and each size is one from which on they say it."""

from math import inf

import pytest

import tests.claims  # noqa: F401 (it registers every claim)
from lemmata.experiments.sample_sizes import page, table

TABLE = {(r["statement"], r["level"], r["margin"], r["epsilon"], r["what"]): r["n"] for r in page.read_table()}


def test_the_table_is_whole():
    expected = {
        (family.statement, level, margin, epsilon, what)
        for family in page.FAMILIES
        for level in page.LEVELS
        for margin in page.MARGINS
        for epsilon in page.EPSILONS
        for what in (*family.rows, *(["learner", "any learner"] if family.learner and level < 1 else []))
    }
    assert set(TABLE) == expected


@pytest.mark.slow
@pytest.mark.parametrize("family", page.FAMILIES, ids=lambda family: family.statement)
def test_the_table_is_what_the_statements_say(family):
    """A diagonal of the table, every reading."""
    for reading in family.rows:
        for margin, epsilon, level in zip(page.MARGINS, page.EPSILONS, (1.0, 0.1, 1.0, 0.1, 1.0), strict=False):
            n = table.evaluate_bound(family, reading, epsilon, margin, level)
            assert TABLE[family.statement, level, margin, epsilon, reading] == n


@pytest.mark.parametrize(("epsilon", "margin"), [(8.0, 1.0), (2.0, 0.5)])
def test_the_learner_learns_from_the_size_in_the_table(epsilon, margin):
    n = TABLE["wzw25.thm6.5", 0.1, margin, epsilon, "learner"]
    assert n / 2 <= table.measure_learner("adaptive_margin", epsilon, margin, 0.1) <= 2 * n


def test_no_learner_needs_fewer_records_than_any_learner():
    """The limit is what the row says now, and no measured size undercuts it."""
    for (statement, level, margin, epsilon, what), n in TABLE.items():
        if what == "any learner":
            assert n == table.bound_any_learner(level, margin, epsilon)
            assert n <= (TABLE[statement, level, margin, epsilon, "learner"] or inf)


def test_to_be_told_the_margin_helps_and_is_no_magic():
    """What is proved with a known margin speaks no later than what is proved without, and no earlier than possible."""
    lines = {place: n for (*place, what), n in TABLE.items() if what == page.KNOWN for place in [tuple(place)]}
    assert len(lines) == 2 * len(page.LEVELS) * len(page.MARGINS) * len(page.EPSILONS)
    for place, n in lines.items():
        assert (TABLE.get((*place, "any learner")) or 0) <= n <= (TABLE[(*place, "explicit")] or inf), place


def test_a_bound_that_rises_again_has_not_spoken():
    assert table.find_first_size(lambda n: 2.0 if n == 2**9 + 1 else 100 / n, 1.0) > 2**9 + 1
    assert table.find_first_size(lambda n: inf, 1.0) is None
    assert 5000 < table.find_first_size(lambda n: 5000 / n, 1.0) <= 5100
    assert table.find_first_size(lambda n: 1.0, 1.0) is None, "below means below"


def test_what_the_page_shows():
    views = page.describe_families()
    assert len(views) == len(page.FAMILIES) * len(page.LEVELS)
    for view in views:
        assert [margin for margin, _ in view["rows"]] == list(page.MARGINS)
        assert all(len(cells) == len(page.EPSILONS) for _, cells in view["rows"])
    assert (
        page.round_size(None) == "–"
        and page.round_size(9_999) == "9,999"
        and page.round_size(34_000_000) == "3.4 · 10⁷"
    )
    assert page.round_median([None, 2.0, 8.0, 4.0]) == "4" and page.round_median([None]) == ""
