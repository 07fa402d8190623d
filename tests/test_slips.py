"""The corner where a slip is true is decided, not described: a row that HOLDS there falls with the printed values."""

import functools

import pytest

from lemmata.experiments.conformance import edit, ties
from lemmata.experiments.engine import registry
from lemmata.experiments.engine.claim import CLAIMS

registry.load()

FACTORS = (1 / 1000, 1000)
SLIPS = [key for key, claim in CLAIMS.items() if claim.corner]


def falls(key, printed):
    """Whether the row does with the printed statement's values a thousand times smaller, or larger."""
    scaled = (functools.partial(edit.scale_return, edit.plain(printed.theorem.formula), by) for by in FACTORS)
    return any(ties.falls(ties.verdict_after(CLAIMS[key], change)) for change in scaled)


@pytest.mark.rows
@pytest.mark.parametrize("key", SLIPS)
def test_a_row_decides_the_printed_statement_in_its_corner(key):
    printed = CLAIMS[key]
    assert any(falls(row, printed) for row in printed.rests_on), printed.rests_on
