"""Every row that HOLDS is tied to its statement: it falls when what the statement says is halved or doubled.

Where the bound is loose by more, the table of what is accepted has the factor nearest to 1 at which the row falls, and
"none" where nothing moves it, as its value or the truth is 0.
"""

import pytest

from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.experiments.conformance import accepted, ties
from lemmata.experiments.engine.running import costs
from tests.claims import CLAIMS

DEAR = 0.5  # planned core-seconds from which a row is left to `make soak`
ACCEPTED = accepted.everything()
LOOSE = 47  # rows whose nearest factor is 4 or more: never more than these


def rows():
    for key, line in ACCEPTED.items():
        if line.verdict == HOLDS:
            claim = CLAIMS[key]
            cost = costs.stated_seconds(claim, (s for s in claim.quick if not claim.theorem.skipped(s)))
            dear = claim.style != "exact" and cost > DEAR
            yield pytest.param(claim, line.tie, id=key, marks=[pytest.mark.soak] if dear else [])


@pytest.mark.rows
@pytest.mark.parametrize(("claim", "tie"), list(rows()))
def test_a_weakened_statement_falls(claim, tie):
    verdicts = {by: ties.decide_scaled(claim, by) for by in ties.factors_named(tie)}
    assert any(map(ties.holds_no_more, verdicts.values())) == (tie != "none"), f"{claim.key} at {verdicts}"


def test_the_loose_ones_are_few():
    loose = [key for key, line in ACCEPTED.items() if line.tie]
    assert len(loose) <= LOOSE, loose
