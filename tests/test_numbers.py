"""Every number written in what a statement calls is noticed: a row moves at it, or a value worked out by hand.

`numbers.csv` beside each `paper.toml` says which, as `lemmata accept` finds out; where neither does, it says why.
"""

import pytest

from lemmata.bounds.library import library
from lemmata.experiments.conformance import numbers
from tests import by_hand
from tests.claims import CLAIMS

NUMBERS = {number.name: number for number in numbers.numbers(library.house, by_hand.rows(), by_hand.agrees)}
TABLE = {name: row for paper in library.house for name, row in numbers.read(paper).items()}


@pytest.mark.record
def test_every_number_says_what_notices_it():
    missing, gone = sorted(NUMBERS.keys() - TABLE.keys()), sorted(TABLE.keys() - NUMBERS.keys())
    assert not missing and not gone, f"`lemmata accept`: {missing[:5]} are new, {gone[:5]} are gone"
    formulas = {by_hand.name(formula) for formula, _, _ in by_hand.rows()}
    for name, (by, why) in TABLE.items():
        assert by in CLAIMS or by.removeprefix(numbers.BY_HAND) in formulas or (not by and len(why) > 20), name


@pytest.mark.rows
@pytest.mark.parametrize("name", [n for n, (by, _) in TABLE.items() if by.startswith(numbers.BY_HAND)], ids=" ".join)
def test_a_value_by_hand_notices_a_number(name):
    number = NUMBERS[name]
    assert number.first_noticer(number.by_hand)


@pytest.mark.soak
@pytest.mark.parametrize("name", [n for n, (by, _) in TABLE.items() if by in CLAIMS], ids=" ".join)
def test_a_row_notices_a_number(name):
    assert NUMBERS[name].first_noticer([numbers.row_check(CLAIMS[TABLE[name][0]])])
