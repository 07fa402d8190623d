"""The hour-long class (`make soak`): fault injection, clusters, and operating characteristics of the whole engine."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from lemmata.bounds.verdicts import HOLDS, REFUTED
from lemmata.command.main import TIMINGS
from lemmata.experiments.engine import registry, run
from lemmata.experiments.engine.ledger import ledger
from lemmata.experiments.engine.store import Store
from lemmata.experiments.engine.verdict import TailDecider, conclude
from lemmata.mechanisms.streams import TEST_ROOT
from tests.engine.faulted import chunks

pytestmark = pytest.mark.soak
TOPIC = "bms22/sign_projection"


def without_seconds(store):
    return [{k: v for k, v in row.items() if k not in TIMINGS} for row in ledger(store, TEST_ROOT)]


def test_twenty_kills_leave_the_same_ledger(tmp_path):
    """kill -9 of one run twenty times, each after a few chunks more, then finish it."""
    moments, store, killed = random.Random(TEST_ROOT), tmp_path / "ledger.sqlite", 0
    command = [sys.executable, "-m", "lemmata", "run", TOPIC, "--jobs", "2", "--seed", str(TEST_ROOT)]
    command += ["--out", str(tmp_path)]
    for _ in range(20):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        enough = chunks(store) + moments.randint(1, 8)
        while process.poll() is None and chunks(store) < enough:
            time.sleep(0.05)
        killed += process.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert killed >= 10, "most of them while it computes"
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    undisturbed = Store()
    run.execute(registry.closure([c.key for c in registry.load()[TOPIC]]), undisturbed, root=TEST_ROOT)
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
