"""The hour-long class (`make soak`): fault injection, clusters, and operating characteristics of the whole engine."""

import random
import signal
import subprocess
import sys

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.command.main import TIMINGS
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.verdict import TailDecider, conclude
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.engine.running.faulted import chunks

pytestmark = pytest.mark.soak
TOPIC = "bms22/sign_projection"


def without_seconds(store):
    return [{k: v for k, v in row.items() if k not in TIMINGS} for row in ledger(store, TEST_ROOT)]


KILLED = """
import os, signal, sys
from lemmata.command.main import main
from lemmata.experiments.engine.running.store import Store
left, write = int(sys.argv.pop(1)), Store.write
def counted(*chunk):
    global left
    write(*chunk)
    left -= 1
    if not left:
        os.killpg(0, signal.SIGKILL)
Store.write = counted
main()
"""


def test_twenty_kills_leave_the_same_ledger(tmp_path):
    """kill -9 of one run and its workers twenty times, each after one chunk or two more, then finish it."""
    moments, store = random.Random(TEST_ROOT), tmp_path / "ledger.sqlite"
    arguments = ["run", TOPIC, "--jobs", "2", "--seed", str(TEST_ROOT), "--out", str(tmp_path)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for _ in range(20):
        before, more = chunks(store), moments.randint(1, 2)
        ended = subprocess.run([sys.executable, "-c", KILLED, str(more), *arguments], **quiet, start_new_session=True)
        assert ended.returncode == -signal.SIGKILL and chunks(store) == before + more
    subprocess.run([sys.executable, "-m", "lemmata", *arguments], check=True, **quiet)
    undisturbed = Store()
    done = run.execute(registry.closure([c.key for c in registry.load()[TOPIC]]), undisturbed, root=TEST_ROOT)
    programs.confirm(done, undisturbed)
    assert without_seconds(Store(tmp_path / "ledger.sqlite")) == without_seconds(undisturbed)


def test_simulated_ledgers_are_never_wrong():
    """30 ledgers of 3,000 cells: 80% true with slack, 15% exactly at the bound, 5% false. No wrong verdict."""
    rng = np.random.default_rng(TEST_ROOT)
    beta, wrong, undecided = 0.1, 0, 0
    for _ in range(30):
        for truth in rng.choice([beta / 4, beta, 2 * beta], p=[0.8, 0.15, 0.05], size=3000):
            decider, outcome = TailDecider(beta), None
            for _ in range(20):
                decider.add({"trials": 200, "failures": int(rng.binomial(200, truth))})
                if (outcome := conclude(*decider.log_e())) is not None:
                    break
            wrong += (outcome == REFUTED and truth <= beta) or (outcome == HOLDS and truth >= beta)
            undecided += outcome is None and truth != beta
    assert wrong == 0
    assert undecided == 0
