"""Every number written in a formula of bounds/ is tied: change it, and a row or a value by hand comes out otherwise.

`numbers.csv` says which, as `python -m tests.mutation.weaken --numbers` finds out; where neither does, it says why.
"""

import pytest

from lemmata.experiments.engine import registry
from lemmata.experiments.engine.claim import CLAIMS
from tests import by_hand
from tests.mutation import weaken

registry.load()

NUMBERS = {number.name: number for number in weaken.numbers()}
TABLE = weaken.table()


def test_every_number_says_what_notices_it():
    missing, gone = sorted(NUMBERS.keys() - TABLE.keys()), sorted(TABLE.keys() - NUMBERS.keys())
    assert not missing and not gone, f"renew the table for what changed: {missing[:5]} are new, {gone[:5]} are gone"
    formulas = {by_hand.name(formula) for formula, _, _ in by_hand.rows()}
    for name, (by, why) in TABLE.items():
        assert by in CLAIMS or by.removeprefix(weaken.BY_HAND) in formulas or (not by and len(why) > 20), name


@pytest.mark.parametrize("name", [n for n, (by, _) in TABLE.items() if by.startswith(weaken.BY_HAND)], ids=" ".join)
def test_a_value_by_hand_notices_a_number(name):
    number = NUMBERS[name]
    assert any(map(number.value_moved, number.changes))


@pytest.mark.soak
@pytest.mark.parametrize("name", [n for n, (by, _) in TABLE.items() if by in CLAIMS], ids=" ".join)
def test_a_row_notices_a_number(name):
    number = NUMBERS[name]
    assert any(weaken.moved([CLAIMS[TABLE[name][0]]], change) for change in number.changes)
