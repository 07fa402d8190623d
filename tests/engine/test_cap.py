"""How much a cell does at most."""

from experiments.engine.cell import Cell
from tests.engine import toy


def test_an_exact_cell_is_one_chunk():
    with toy.registered() as claims:
        cell = Cell(claims["abgmu22.asm2/printed/rests"], {})
        assert (cell.exact, cell.cap, cell.size) == (True, 1, 1)


def test_only_the_claim_itself_is_vacuous():
    """A sabotaged twin is tried where the bound says nothing: at 1 nothing is sampled, at 2 it has a decider."""
    with toy.registered() as claims:
        claim = claims["abgmu22.asm1/printed/coin"]
        setting = {"beta": 1.0}
        assert claim.vacuous_at(setting)
        assert Cell(claim, setting).decider is None
        assert Cell(claim, setting, 2).decider is not None
