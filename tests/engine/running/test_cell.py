"""A cell that saw no failure says so, and how often it looked, instead of an interval that is a function of that."""

from dataclasses import replace

import numpy as np

from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.experiments.engine.claims.verdict import TailDecider
from lemmata.experiments.engine.running.cell import Cell, combine
from lemmata.experiments.engine.running.store import Chunk
from tests.engine import toy


def cell_after(failures, trials=1000):
    """A cell of the toy coin, at 0.2, after one chunk."""
    with toy.registered() as claims:
        cell = Cell(claims["abgmu22.asm1/printed/coin"], {"beta": 0.2})
    cell.add(Chunk(TailDecider.pack(np.arange(trials) < failures), 0.0, b""))
    return cell


def test_no_failure_is_said_as_that():
    verdict = combine([cell_after(0), cell_after(0, 500)])
    assert (verdict.outcome, verdict.tightness, verdict.note) == (HOLDS, None, "no failure in 1,500 trials")


def test_where_some_fail_both_are_said():
    verdict = combine([cell_after(0), cell_after(20)])
    assert verdict.note == "no failure in 1,000 trials at 1 of 2 settings"
    low, high = verdict.tightness
    assert low < 0.1 < high < 0.5
    assert combine([cell_after(20)]).note == ""


def test_a_mean_of_zeros_alone_is_said_as_such():
    """The upper end of an interval would be a function of the number of trials."""
    with toy.registered() as claims:
        cell = Cell(replace(claims["abgmu22.asm1/printed/coin"], style="mean"), {"beta": 0.2})
    cell.add(Chunk({"values": np.zeros(500)}, 0.0, b""))
    assert cell.silent and cell.verdict.tightness is None
    assert combine([cell]).note == "no failure in 500 trials"


def test_a_cell_without_trials_is_not_silent():
    with toy.registered() as claims:
        assert not Cell(claims["abgmu22.asm1/printed/coin"], {"beta": 0.2}).silent
        assert not Cell(claims["abgmu22.asm2/printed/rests"], {}).silent
