"""The statistical assertions: every claim's quick cells at the test root, against the committed verdict.

With this root nothing is random. At a new root a true claim is REFUTED with probability at most 1e-10 a cell, and an
expected verdict is missed with at most the probability that `test_misses_are_rare` sums. A root that fails is
evidence, not bad luck: rerun that cell with four times its cap; if it stays, the code or the claim is wrong.
`lemmata accept` renews the table; `python -m tests.test_verdicts ROOT [STORE [PROFILE]]` prints what moved at another
root, and then exits with 1; with the name of a store it goes on where it was.
"""

import re
import sys
from pathlib import Path

import pytest

from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.experiments.conformance import accepted, rows
from lemmata.experiments.engine.front.decision import decide
from lemmata.experiments.engine.running import costs, power
from lemmata.experiments.engine.running.cell import ControlRun
from lemmata.experiments.engine.running.run import plan_claims
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.claims import CLAIMS, registry
from tests.soak import counted

EXPECTED = {key: line for key, line in accepted.everything().items() if line.verdict}
LONG = 0.15  # core-seconds, as planned
FEW = 100  # settings of the engine's own choice for a check; `make verify` tries a thousand
PLANNED = plan_claims(CLAIMS.values(), "quick")


@pytest.fixture(scope="module")
def store():
    return Store()


@pytest.fixture(scope="module")
def judge():
    with programs.open_judge() as ask:
        yield ask


def marked(key):
    """Slow where what it is decided by, without sampling, takes long: `make verify` decides it by the same chunks."""
    within = [PLANNED[claim.key][1] for claim in registry.closure([key]) if claim.style == "exact"]
    return pytest.param(key, marks=pytest.mark.slow) if max(within, default=0) > LONG else key


@pytest.mark.statistical
@pytest.mark.parametrize("key", [marked(key) for key in CLAIMS])
def test_verdict(key, store, judge, monkeypatch):
    monkeypatch.setattr(programs, "run_programs", lambda asked, workers=1: [*map(judge, asked)])  # one for all
    every = costs.search_evaluations
    monkeypatch.setattr(costs, "search_evaluations", lambda *asked: min(FEW, every(*asked)))
    assert not rows.problems(decide(key, root=TEST_ROOT, store=store), EXPECTED.get(key)), key


@pytest.mark.parametrize("key", CLAIMS)
def test_a_witness_of_ours_imports_the_two_lower_rooms_only(key):
    assert not re.search(r"lemmata\.(experiments|command|tools)", str(CLAIMS[key].python))


@pytest.mark.record
def test_the_committed_verdicts_are_those_of_the_registry():
    ours = {paper.id for paper in library.house}
    assert set(EXPECTED) == {key for key in CLAIMS if key.split(".")[0] in ours}, "`lemmata accept` renews the table"


@pytest.mark.record
def test_every_claim_has_a_control_or_a_corrected_twin():
    for claim in CLAIMS.values():
        assert claim.control or claim.corrected_by in CLAIMS, claim.key
        assert all(link in CLAIMS for link in claim.given), claim.key
        assert not claim.corrected_by or claim.corrected_by in CLAIMS, claim.key


@pytest.mark.slow
@pytest.mark.statistical
def test_misses_are_rare():
    """The suite's chance to fail at a new root, summed over its sampled cells and controls, is below 1e-5."""
    total = 0.0
    for key, expected in EXPECTED.items():
        claim = CLAIMS[key]
        if claim.style in ("exact", "attack") or expected.verdict != HOLDS:
            continue
        total += sum(missed(claim, s, HOLDS) for s in claim.quick if not claim.theorem.skipped(s))
    total += 1e-10 * 3 * len(CLAIMS)
    assert total <= 1e-5


def missed(claim, setting, verdict):
    """A bound on the probability that a cell does not reach `verdict` by its cap."""
    if claim.why_vacuous(setting):
        return 0.0
    if claim.style == "tail":
        bound = claim.bound(**setting)
        return power.miss_tail(claim.cap * claim.chunk(**setting), bound, claim.expect * bound, verdict)
    return power.bound_miss(claim, setting, power.run_pilot(claim, setting, 1, TEST_ROOT), verdict)


def test_controls_stand_at_admissible_settings():
    for claim in CLAIMS.values():
        if claim.control:
            setting = ControlRun(claim).setting
            assert setting is not None and not claim.theorem.skipped(setting), claim.key


if __name__ == "__main__":
    root, everything, moved = int(sys.argv[1]), Store(*sys.argv[2:3]), 0
    profile = sys.argv[3] if sys.argv[3:] else "quick"
    for key in CLAIMS:
        row = decide(key, root=root, profile=profile, store=everything)
        if (row["verdict"], row["reason"]) != (EXPECTED[key].verdict, EXPECTED[key].reason):
            moved += 1
            print(key, *rows.verdict(row, EXPECTED[key]), flush=True)
    print(f"{moved} of {len(CLAIMS)} verdicts moved at root {root}")
    if sys.argv[2:]:
        counted(Path(sys.argv[2]).parent, len(CLAIMS), moved)
    sys.exit(1 if moved else 0)
