"""Every value worked out by hand is that of its formula, and what no row of the ledger pins has one.

A statement that HOLDS falls when its formula is weakened. One that is refuted, a slip or inconclusive stays so, and a
definition has no verdict: what pins their printed formulas is a number worked out from the page.
"""

from collections.abc import Iterable

import pytest

from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.conformance import accepted, edit
from tests import by_hand
from tests.claims import CLAIMS

EXCEPTIONS: dict[str, str] = {}  # module.function: why no value at a point says anything


def label(formula):
    return f"{formula.__module__}.{formula.__qualname__}"


def formulas_that_do_not_hold():
    """{formula: its keys} of every statement that some row does not find to hold, and of the definitions."""
    holding = {key for key, line in accepted.everything().items() if line.verdict == HOLDS}
    decided = {claim.theorem.key for claim in CLAIMS.values()}
    rows = [(key, claim.theorem) for key, claim in CLAIMS.items() if key not in holding]
    rows += [(key, theorem) for key, theorem in THEOREMS.items() if key not in decided]
    found: dict = {}
    for key, theorem in rows:
        found.setdefault(edit.plain(theorem.formula), []).append(key)
    return found


def without_value(rows: Iterable[by_hand.Row]):
    """{module.function: keys} of the formulas that no row holds, for a reason or without."""
    pinned = {edit.plain(formula) for formula, _, _ in rows}
    return {label(f): sorted(keys) for f, keys in formulas_that_do_not_hold().items() if f not in pinned}


@pytest.mark.parametrize(("formula", "arguments", "value"), by_hand.rows(), ids=by_hand.name)
def test_a_formula_at_a_point(formula, arguments, value):
    by_hand.agrees(formula(**arguments), value)


@pytest.mark.record
def test_every_statement_that_does_not_hold_has_a_value_by_hand():
    missing = without_value(by_hand.rows())
    assert missing.keys() == EXCEPTIONS.keys(), {name: keys for name, keys in missing.items() if name not in EXCEPTIONS}


def test_a_table_without_the_rows_of_a_formula_is_noticed():
    rows = by_hand.rows()
    for formula in formulas_that_do_not_hold():
        rest = [row for row in rows if edit.plain(row[0]) is not formula]
        assert label(formula) in without_value(rest)
