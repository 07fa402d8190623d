"""What falls when a row falls: everything that rests on it, at however many removes, and nothing else."""

import itertools
from dataclasses import replace

import pytest

from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.engine import toy

FALSE, HEADS = "abgmu22.asm1/printed/false", "abgmu22.asm1/printed/coin"
MEAN, RESTS = "abgmu22.asm1/printed/mean", "abgmu22.asm2/printed/rests"


def outcomes(order=None, **given):
    """The rows of the toy claims, each resting on what `given` says, with the claims registered in some order."""
    with toy.registered() as claims:
        chosen = {key: replace(claims[key], given=tuple(given.get(key.split("/")[-1], ()))) for key in claims}
        claims.clear()
        claims.update({key: chosen[key] for key in (order or chosen)})
        store = Store()
        toy.execute(list(claims.values()), store, root=TEST_ROOT)
        return {row["key"]: row for row in ledger(store, TEST_ROOT)}


@pytest.mark.parametrize("order", list(itertools.permutations([FALSE, HEADS, MEAN, RESTS])))
def test_a_cone_falls_in_whatever_order(order):
    rows = outcomes(order, rests=[MEAN], mean=[FALSE])
    assert rows[FALSE]["verdict"] == "REFUTED"
    assert rows[MEAN]["verdict"] == rows[RESTS]["verdict"] == "INCONCLUSIVE"
    assert rows[MEAN]["note"] == f"rests on {FALSE}, which is REFUTED"
    assert rows[RESTS]["note"] == f"rests on {MEAN}, which is INCONCLUSIVE"
    assert rows[HEADS]["verdict"] == "HOLDS", "it rests on nothing that fell"


def test_a_row_is_no_better_than_the_weakest_that_it_rests_on():
    alone = outcomes()[RESTS]
    assert (alone["verdict"], alone["evidence"], alone["scope"]) == ("HOLDS", "tested", "settings")
    rows = outcomes(rests=[MEAN], mean=[HEADS])
    assert rows[RESTS]["verdict"] == rows[MEAN]["verdict"] == "HOLDS"
    assert (rows[RESTS]["evidence"], rows[RESTS]["scope"]) == ("sampled", "settings")


def test_what_is_missing_holds_nothing_up():
    row = outcomes(rests=["abgmu22.asm2/corrected/nobody"])[RESTS]
    assert row["verdict"] == "INCONCLUSIVE" and "missing" in row["note"]


def test_one_fallen_link_of_several_is_enough():
    rows = outcomes(rests=[HEADS, FALSE], mean=[HEADS])
    assert rows[RESTS]["verdict"] == "INCONCLUSIVE" and rows[MEAN]["verdict"] == "HOLDS"
