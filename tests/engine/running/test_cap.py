"""How much a cell does at most, what it costs, and what is kept of it."""

from types import SimpleNamespace

import numpy as np

from lemmata.experiments.engine.claims.verdict import AttackDecider, MeanDecider
from lemmata.experiments.engine.ledger import ledger_rows
from lemmata.experiments.engine.running.cell import Cell
from lemmata.experiments.engine.running.store import checksum
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.privacy import PureDP
from tests.engine import toy
from tests.engine.toy import guessed


def test_an_exact_cell_is_one_chunk():
    with toy.registered() as claims:
        cell = Cell(claims["abgmu22.asm2/printed/rests"], {})
        assert (cell.exact, cell.cap, cell.size) == (True, 1, 1)


def test_only_the_claim_itself_is_vacuous():
    """A sabotaged twin is tried where the bound says nothing: at 1 nothing is sampled, at 2 it has a decider."""
    with toy.registered() as claims:
        claim = claims["abgmu22.asm1/printed/coin"]
        setting = {"beta": 1.0}
        assert claim.why_vacuous(setting)
        assert Cell(claim, setting).decider is None
        assert Cell(claim, setting, 2).decider is not None


def test_what_cells_cost_is_added_up():
    cells = [SimpleNamespace(verdict=None, trials=trials, seconds=1.0, cpu_seconds=0.5) for trials in (30, 50)]
    control = SimpleNamespace(
        tried=[SimpleNamespace(seconds=2.0, cpu_seconds=1.5)], outcome="", smallest_detected_factor=""
    )
    effort = ledger_rows._with_effort({}, cells, control)
    assert (effort["cells"], effort["trials"], effort["seconds"], effort["cpu_seconds"]) == (2, 80, 4.0, 2.5)


def test_an_attack_that_refutes_every_level_reaches_the_last(monkeypatch):
    attack = AttackDecider(PureDP(1.0))
    attack.add(guessed(attack.claim, 1, 0, 0))
    monkeypatch.setattr(stakes, "against", lambda counts, claim, values: np.full(len(values), 1e3))
    assert attack.reached() == stakes.PARAMETERS[-1]


def test_a_checksum_is_eight_bytes():
    assert len(checksum(("a", 1), b"data")) == 8


def test_an_interval_begins_with_its_lower_end():
    mean = MeanDecider(0.5)
    mean.add(MeanDecider.pack([0.2, 0.4] * 50))
    low, high = mean.tightness()
    assert low < 0.6 < high
