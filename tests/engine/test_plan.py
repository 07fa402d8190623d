"""What a run is planned to cost: arithmetic that the quick profile's limit rests on."""

from dataclasses import replace

import pytest

from lemmata.experiments.engine import run
from lemmata.experiments.engine.claim import grid
from tests.engine import toy


def test_a_plan_adds_its_cells_and_its_controls():
    with toy.registered() as claims:
        coin, exact = claims["abgmu22.asm1/printed/coin"], claims["abgmu22.asm2/printed/rests"]
        cell = coin.cap * 1000 * coin.cost
        assert run.cell_cost(coin, {"beta": 0.1}) == pytest.approx(cell)
        # Two admissible settings of three, and the control's setting once for each of its two factors.
        assert run.plan([coin, exact], "quick") == pytest.approx({coin.key: 4 * cell, exact.key: 2 * exact.cost})
        wide = replace(coin, full=grid(beta=[0.3]), control=None)
        assert run.plan([wide], "quick")[coin.key] == pytest.approx(2 * cell)
        assert run.plan([wide], "full")[coin.key] == pytest.approx(3 * cell)
