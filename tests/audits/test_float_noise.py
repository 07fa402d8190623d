"""What an audit with bits sees of float64 noise: the table is what the code says, and exact noise shows nothing."""

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.audits import float_noise, read_committed
from lemmata.mechanisms.audit.play.sequential_test import audit

LINES = read_committed("float_noise")


def test_the_table_has_every_law():
    assert [line["law"] for line in LINES] == list(float_noise.LAWS)
    assert {line["verdict"] for line in LINES} == {REFUTED, "not refuted"}


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("name", [line["law"] for line in LINES if line["verdict"] == REFUTED])
def test_float_noise_falls_and_exact_noise_does_not(name):
    """With twice the releases that the table needed; on the same data with exact noise nothing is found."""
    line = next(line for line in LINES if line["law"] == name)
    pair = next(pair for pair in float_noise.PAIRS if f"{pair[0]:.3g}, {pair[1]:.3g}" == line["pair"])
    budget = 2 * int(line["releases"])
    assert float_noise.audit_law(name, pair, budget).verdict == REFUTED
    claim, make = float_noise.LAWS[name]
    rows = [np.array([[x], [float_noise.SECOND]]) for x in pair]
    exact = [make(X, np.array([1.0, -1.0]), privacy=claim, noise="exact") for X in rows]
    assert audit(*exact, claim, root=5, budget=budget, level=1e-6, bits=True).verdict != REFUTED
