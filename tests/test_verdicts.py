"""The statistical assertions: every claim's quick cells at the test root, against the committed verdict.

With this root nothing is random. At a new root a true claim is REFUTED with probability at most 1e-10 a cell, and an
expected verdict is missed with at most the probability that `test_misses_are_rare` sums. A root that fails is
evidence, not bad luck: rerun that cell with four times its cap; if it stays, the code or the claim is wrong.
`python -m tests.test_verdicts` prints the table of verdicts to commit as tests/verdicts.csv; with a number, the table
at that root.
"""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from lemmata.bounds.verdicts import HOLDS, REFUTED, SLIP
from lemmata.experiments.engine import power, registry
from lemmata.experiments.engine.cell import Sabotaged
from lemmata.experiments.engine.claim import CLAIMS
from lemmata.experiments.engine.decide import decide
from lemmata.experiments.engine.store import Store
from lemmata.mechanisms.streams import TEST_ROOT

registry.load()


COMMITTED = Path(__file__).parent / "verdicts.csv"
EXPECTED = {row["key"]: row for row in csv.DictReader(COMMITTED.read_text().splitlines())}


@pytest.fixture(scope="module")
def store():
    return Store()


@pytest.mark.statistical
@pytest.mark.parametrize("key", CLAIMS)
def test_verdict(key, store):
    row = decide(key, root=TEST_ROOT, store=store)
    expected = EXPECTED[key]
    assert (row["verdict"], row["reason"]) == (expected["verdict"], expected["reason"]), row["note"]
    assert row["control"] == REFUTED or row["verdict"] == "VACUOUS", "the control was not caught"
    if row["verdict"] in (REFUTED, SLIP):
        assert row["witness"]["setting"] is not None
        assert not row["part"].startswith("impl:"), "our own code does not keep its guarantee"
        if row["reading"] == "printed":
            assert row["corner"] if row["verdict"] == SLIP else row["severity"]
    if row["witness"] and row["witness"].get("python"):
        run_witness(row["witness"]["python"])


def run_witness(python):
    """A witness is a program: at most 15 lines that import our two lower packages, and end in an assert that passes."""
    lines = python.strip().splitlines()
    assert len(lines) <= 15
    assert lines[-1].startswith("assert")
    assert "lemmata.experiments" not in python
    subprocess.run([sys.executable, "-W", "error", "-c", python], check=True, timeout=120)


def test_the_committed_verdicts_are_those_of_the_registry():
    assert set(EXPECTED) == set(CLAIMS)


def test_every_claim_has_a_control_or_a_corrected_twin():
    for claim in CLAIMS.values():
        assert claim.control or claim.corrected_by in CLAIMS, claim.key
        assert all(link in CLAIMS for link in claim.given), claim.key
        assert not claim.corrected_by or claim.corrected_by in CLAIMS, claim.key


@pytest.mark.statistical
def test_misses_are_rare():
    """The suite's chance to fail at a new root, summed over its sampled cells and controls, is below 1e-5."""
    total = 0.0
    for key, expected in EXPECTED.items():
        claim = CLAIMS[key]
        if claim.style in ("exact", "attack") or expected["verdict"] != HOLDS:
            continue
        total += sum(missed(claim, s, HOLDS) for s in claim.quick if not claim.theorem.skipped(s))
    total += 1e-10 * 3 * len(CLAIMS)
    assert total <= 1e-5


def missed(claim, setting, verdict):
    """A bound on the probability that a cell does not reach `verdict` by its cap."""
    if claim.vacuous_at(setting):
        return 0.0
    if claim.style == "tail":
        bound = claim.bound(**setting)
        return power.miss_tail(claim.cap * claim.chunk(**setting), bound, claim.expect * bound, verdict)
    return power.missed(claim, setting, power.pilot(claim, setting, 1, TEST_ROOT), verdict)


def test_controls_stand_at_admissible_settings():
    for claim in CLAIMS.values():
        if claim.control:
            setting = Sabotaged(claim).setting
            assert setting is not None and not claim.theorem.skipped(setting), claim.key


def committed_table(rows):
    """The text of tests/verdicts.csv."""
    return "key,verdict,reason\n" + "".join(f"{r['key']},{r['verdict']},{r['reason']}\n" for r in rows)


if __name__ == "__main__":
    root, everything = int(sys.argv[1]) if sys.argv[1:] else TEST_ROOT, Store()
    print(committed_table([decide(key, root=root, store=everything) for key in CLAIMS]), end="")
