"""What a sampled claim decides is a number that its statement prints."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from lemmata.experiments.engine.claims import stated_bound

BETA = r"\Pr[U \le 2\beta] \le \beta"


@pytest.mark.parametrize(
    ("bound", "value", "name", "says", "printed"),
    [
        (0.1, 0.1, "beta", "p", True),  # beta is the default
        (0.3, 0.1, "beta", BETA, False),
        (0.2, 0.1, "beta", BETA, True),
        (0.3, 0.1, "beta", r"1-13\beta", False),
        (0.05, 0.1, "beta", r"1-\frac{\beta}{2}", True),
        (0.05, 0.1, "beta", r"1-\beta/2", True),
        (0.05, 0.1, "beta", r"1-\frac{\beta}{3}", False),
        (0.1, 0.1, "delta", r"1-\delta", True),
        (0.1, 0.1, "gamma", r"1-\delta", False),
        (0.0137, 0.1, "beta", BETA, False),
    ],
)
def test_a_multiple_is_printed_or_not(bound, value, name, says, printed):
    assert stated_bound.is_printed(bound, value, name, says) is printed


@pytest.mark.parametrize("bound", [0.3, Fraction(3, 10)])
def test_another_number_is_named(bound):
    theorem = SimpleNamespace(says=BETA, formula=lambda: 2)
    claim = SimpleNamespace(
        style="tail", theorem=theorem, bound=lambda **_: bound, quick=({"shift": 0, "kind": "n", "beta": 0.1},)
    )
    assert stated_bound.find_unstated_bound(claim).endswith("or a call of its statement, got 0.3")
    assert not stated_bound.find_unstated_bound(SimpleNamespace(style="exact"))
