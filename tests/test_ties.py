"""Every row that HOLDS is tied to its statement: it falls when what the statement says is halved or doubled.

`ties.csv` lists the exceptions, as `python -m tests.mutation.weaken --table` prints them: a row whose bound is loose by
more, with the factor nearest to 1 at which it falls, and one that nothing moves, as its value
or the truth is 0, with no factor at all.
"""

import csv
from pathlib import Path

import pytest

from lemmata.experiments.engine import registry, run
from tests.mutation import weaken

registry.load()

DEAR = 0.5  # planned core-seconds from which a row is left to `make soak`
TABLE = Path(__file__).parent / "ties.csv"
TIES = {row["key"]: row["factor"] for row in csv.DictReader(TABLE.read_text().splitlines())} if TABLE.exists() else {}
LOOSE = 40  # rows whose nearest factor is 4 or more: never more than these


def rows():
    for claim in weaken.held():
        cost = sum(run.cell_cost(claim, s) for s in claim.quick if not claim.theorem.skipped(s))
        dear = claim.style != "exact" and cost > DEAR
        yield pytest.param(claim, id=claim.key, marks=[pytest.mark.soak] if dear else [])


@pytest.mark.parametrize("claim", list(rows()))
def test_a_weakened_statement_falls(claim):
    factors = [float(TIES[claim.key])] if TIES.get(claim.key) else weaken.FACTORS
    verdicts = {}
    for by in factors:
        verdicts[by] = weaken.verdict_at(claim, by)
        if weaken.falls(verdicts[by]):
            return
    assert TIES.get(claim.key) == "", f"{claim.key} is not tied to its statement: {verdicts}"


def test_the_exceptions_are_few_and_of_rows_that_hold():
    held = {claim.key for claim in weaken.held()}
    assert set(TIES) <= held, "print the table anew"
    loose = [key for key, factor in TIES.items() if not factor or not 0.5 <= float(factor) <= 2]
    assert len(loose) <= LOOSE, loose
