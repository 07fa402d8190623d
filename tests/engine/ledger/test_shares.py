"""Two numbers of a bound, never one for the other: what the truth attains of it, and what our own chain does."""

import math
from dataclasses import replace
from unittest import mock

import pytest

from lemmata.bounds.theorem import THEOREMS, positive, theorem
from lemmata.experiments.checks import identity_claim, inequality_claim, up_to_one
from lemmata.experiments.checks.inequality import Link
from lemmata.experiments.engine.claims.claim import CLAIMS, grid
from lemmata.experiments.engine.front.explanation import format_rows
from lemmata.experiments.engine.ledger.row import open_row
from lemmata.experiments.engine.ledger.verdict_steps import Findings, separate_shares, take_outcome
from lemmata.experiments.engine.running.cell import Cell, combine
from lemmata.experiments.engine.running.store import Chunk, decode, encode
from lemmata.experiments.report.nonvacuous import map_shares

with mock.patch.dict(THEOREMS, clear=True):

    @theorem("wzw25.eq1", part="other", says="x", needs=[positive("x")])
    def other(*, x: float) -> float:
        """A step of our chain."""
        return 3 * x

    @theorem("wzw25.eq2", part="shared", says="x", needs=[positive("x")])
    def bound(*, x: float) -> float:
        """4 x."""
        return 4 * x


def truth(x):
    yield {"x": x}, math.sin(x), bound(x=x)


def chain(x):
    yield {"x": x}, other(x=x), bound(x=x)


def linked(x):
    yield Link("first", {"x": x}, math.sin(x), x)
    yield Link("last", {"x": x}, 3 * x, bound(x=x))
    yield {"x": x}, math.sin(x), bound(x=x)


def shares(check, claim=inequality_claim, search=None, evidence="", **fields):
    """(attained, slack) of a row, and the row."""
    with mock.patch.dict(THEOREMS, {bound.theorem.key: bound.theorem}), mock.patch.dict(CLAIMS):
        claim(bound, quick=grid(x=[0.5, 2.0]), **fields)(check)
        made = CLAIMS[bound.theorem.key]
        cells = [Cell(made, setting) for setting in made.quick]
        for cell in cells:  # as a store has it
            cell.add(Chunk(decode(encode(made.trial(**cell.setting))), 0.0, b""))
        verdict = combine(cells)
        verdict = replace(verdict, searched=search or {}, evidence=evidence or verdict.evidence)
        found = Findings(made, verdict, cells, None, None)
        row = separate_shares(take_outcome(open_row(made.theorem), found), found)
    return [round(row[name].get("share", 0.0), 3) for name in ("attained", "slack")], row


@pytest.mark.parametrize(
    ("check", "fields", "expected"),
    [
        (truth, {}, [0.24, 0]),
        (chain, {}, [0, 0.75]),  # computed from another statement
        (linked, {}, [0.24, 0.75]),  # the last link, not the first
        (truth, {"oracle": "above"}, [0, 0.24]),
        (truth, {"oracle": "below"}, [0.24, 0]),
        (truth, {"evidence": "composition"}, [0, 0.24]),
        (truth, {"search": {"largest": 0.25, "at": {"x": 1e-9}}}, [0.25, 0]),
        (truth, {"search": {"largest": 0.2, "at": {"x": 1.0}}}, [0.24, 0]),
        (chain, {"search": {"largest": 0.8, "at": {"x": 1.0}}}, [0, 0.8]),
    ],
)
def test_a_left_side_is_the_truth_or_our_chain(check, fields, expected):
    assert shares(check, **fields)[0] == expected


def test_where_and_how_it_was_found_is_named():
    _, row = shares(truth)
    assert row["attained"]["at"] == {"x": 0.5} and row["attained"]["by"] == "cases"
    _, row = shares(truth, search={"largest": 0.25, "at": {"x": 1e-9}})
    assert row["attained"] == {"share": 0.25, "at": {"x": 1e-9}, "by": "search"}


def test_a_tightness_says_what_it_is_taken_from():
    assert shares(truth)[1]["basis"] == "largest of the cases"
    _, row = shares(truth, tightness=up_to_one)
    assert (row["basis"], row["tightness"][1]) == ("from the largest of the cases to 1, by derivation", 1.0)
    assert row["attained"]["share"] < 0.25, "what is said of the supremum was not attained"

    def stated(x):
        yield from truth(x)
        return {"tightness": (0.1, 1.0)}

    assert shares(stated)[1]["basis"] == "stated by its check"


def test_an_identity_has_no_bound():
    def same(x):
        yield {"x": x}, 4 * x + 0.0, bound(x=x)

    assert shares(same, identity_claim)[0] == [0, 0]


def test_table_and_picture_name_both():
    _, row = shares(linked)
    assert "attained 0.24, chain 0.75" in format_rows([row])
    assert map_shares(row) == ["attained 0.24", "slack of our chain 0.75"]
