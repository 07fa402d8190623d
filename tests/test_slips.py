"""Charity is decided, not described: where a slip is true its printed formula is tried, and every use of it lies there.

A slip is false in a corner, or misprinted. In the first case a row that HOLDS falls as soon as the printed values are
changed where the predicate is true, and only there; each place of use names what it sets, and a place that repeats the
flaw says so. In the second the row with one symbol replaced HOLDS.
"""

import functools
import inspect
from dataclasses import replace

import pytest

from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS, SLIP
from lemmata.bounds.theorem import THEOREMS, require
from lemmata.experiments.conformance import accepted, edit, findings, ties
from tests.claims import CLAIMS

FACTORS = (1 / 1000, 1000)
LINES = accepted.everything()
CORNERS = {key: claim for key, claim in CLAIMS.items() if claim.corner}
MISPRINTS = {key: claim for key, claim in CLAIMS.items() if claim.misprint}


def within(claim):
    """The predicate on all arguments of the printed formula; None where it is about something that is no argument."""
    known = inspect.signature(edit.plain(claim.theorem.formula)).parameters
    if not set(claim.corner.names) <= set(known):
        return None
    return claim.corner.admits


def falls(key, printed):
    """Whether the row does with the printed values a thousand times smaller, or larger, where the predicate is true."""
    formula = edit.plain(printed.theorem.formula)
    changes = (functools.partial(edit.scale_return, formula, by, within(printed)) for by in FACTORS)
    return any(ties.holds_no_more(ties.decide_after(CLAIMS[key], change)) for change in changes)


@pytest.mark.rows
@pytest.mark.parametrize("key", [key for key, claim in CORNERS.items() if claim.is_slip])
def test_a_row_decides_the_printed_statement_in_its_corner(key):
    printed = CLAIMS[key]
    assert any(falls(row, printed) for row in printed.rests_on), printed.rests_on


@pytest.mark.parametrize("key", CORNERS)
def test_the_counterexample_lies_outside(key):
    """At least one setting that the check tries and that has every argument of the predicate is not inside."""
    claim = CORNERS[key]
    tried = [s for s in (*claim.quick, *claim.full) if set(claim.corner.names) <= set(s)]
    assert not tried or not all(map(claim.corner.admits, tried))


@pytest.mark.parametrize("key", CORNERS)
def test_every_use_lies_where_it_is_true(key):
    assert not findings.outside(CORNERS[key])


def test_a_use_outside_is_found():
    """Each of the three ways in which a use can be wrong."""
    claim = replace(next(iter(CORNERS.values())), corner=require("n >= 2", lambda n: n >= 2))
    wrong = {"lem1": [{"n": 1}], "lem2": [{"m": 5}], "lem3": []}
    assert [text.split(" uses ")[0].split(" does ")[0] for text in findings.outside(replace(claim, used=wrong))] == [
        *wrong
    ]
    assert not findings.outside(replace(claim, used={"lem1": [{"n": 2, "m": 0}]}))


@pytest.mark.parametrize("key", [*CORNERS, *MISPRINTS])
def test_places_are_statements_of_the_papers(key):
    claim = CLAIMS[key]
    known = {*library.ids, *(theorem.id for theorem in THEOREMS.values())}
    assert {*claim.used, *claim.restated} <= known and not set(claim.used) & set(claim.restated)
    assert claim.theorem.reading == "printed" and not (claim.misprint and (claim.corner or claim.used))


@pytest.mark.parametrize("key", MISPRINTS)
def test_what_is_read_for_a_misprint_holds(key):
    """A misprint names what to read, and what is read is a row that was found to hold; a privacy error is none."""
    claim = MISPRINTS[key]
    assert claim.misprint.startswith("read ") and claim.severity != "privacy"
    assert LINES[claim.corrected_by].verdict == HOLDS and LINES[key].verdict == SLIP
