"""The corner where a slip is true is decided, not described: a row that HOLDS there falls with the printed values."""

import functools

import pytest

from experiments.engine import registry
from experiments.engine.claim import CLAIMS
from tests.mutation import edit, weaken

registry.load()

FACTORS = (1 / 1000, 1000)
SLIPS = [key for key, claim in CLAIMS.items() if claim.corner]
LEFT = {  # slips whose corner no row decides yet, with what the row beside it is about
    "bms22.thm3.1.s5/printed/hence": "the corrected premise",
    "bms22.thm3.2.s6/printed/minimiser": "the corrected radius",
    "bms22.lemA.1.s0/printed": "the statement of Lemma A.1 itself",
    "bms22.lemA.3.s1/printed": "the corrected count",
    "bms22.lemD.1/printed/norm": "our number of rows",
    "bms22.lemD.1/printed/products": "our number of rows",
    "bms22.lemF.1.t1/printed": "the corrected chain",
    "bms22.lemG.1.s1/printed": "the corrected labels",
    "rbht09.thm8/printed/defined": "the corrected range",
    "rbht09.fn5.text/printed": "the word for the parameter",
    "rbht09.lem21.s1/printed": "the sign of g",
}


def falls(key, printed):
    """Whether the row does with the printed statement's values a thousand times smaller, or larger."""
    scaled = (functools.partial(edit.scale_return, edit.plain(printed.theorem.formula), by) for by in FACTORS)
    return any(weaken.falls(weaken.verdict_after(CLAIMS[key], change)) for change in scaled)


@pytest.mark.parametrize("key", SLIPS)
def test_a_row_decides_the_printed_statement_in_its_corner(key):
    printed = CLAIMS[key]
    assert any(falls(row, printed) for row in printed.rests_on) != (key in LEFT), printed.rests_on
