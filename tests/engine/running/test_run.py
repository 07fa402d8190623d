"""One run: order, workers, resumption and kills do not change what the ledger says.

"Row 30" is a kind of planted mistake (docs/how-a-claim-is-decided.md, "Planted mistakes").
"""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from click.testing import CliRunner

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.command.main import main
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.verdict import TailDecider, conclude
from lemmata.experiments.engine.running import run, workers
from lemmata.experiments.engine.running.cell import Cell
from lemmata.experiments.engine.running.store import Chunk, Store
from lemmata.experiments.engine.witness import programs
from lemmata.mechanisms.numerics.streams import TEST_ROOT, generator
from tests.engine import toy
from tests.engine.running.faulted import chunks
from tests.engine.running.faults import is_gone

REAL = "rbht09.lem13/corrected/impl:fourier_map"  # a sampled claim that workers can import


@pytest.mark.parametrize(
    ("use", "untouched"),
    [(lambda rng: None, True), (lambda rng: rng.random(), False), (lambda rng: rng.spawn(1), False)],
)
def test_a_trial_that_draws_nothing_leaves_its_generator_untouched(use, untouched):
    before, rng = np.random.default_rng(1), np.random.default_rng(1)
    use(rng)
    assert run._untouched(before, rng) is untouched


def test_toy_claims_get_the_verdicts_they_deserve(claims):
    rows = toy.by_key(toy.decided(claims, root=TEST_ROOT))
    expected = {
        "asm1/printed/coin": {
            "verdict": "HOLDS",
            "control": "REFUTED",
            "smallest_caught": "p x 6",
            "skipped": [{"setting": {"beta": 2}, "hypothesis": "beta = 2 is outside the hypothesis: 0 < beta < 1"}],
        },
        "asm1/printed/false": {"verdict": "REFUTED", "severity": "constant", "control": "REFUTED"},
        "asm1/printed/mean": {"verdict": "HOLDS"},
        "asm1/printed": {"verdict": "REFUTED"},  # a summary is its worst part
        "asm2/printed/impl:laplace": {"verdict": "INCONCLUSIVE", "reason": "AUDIT_ONLY", "control": "REFUTED"},
        "asm2/printed/broken": {"reason": "FAILED"},
        "asm2/printed/toothless": {"reason": "CONTROL_FAILED"},
        "asm2/printed/rests": {"verdict": "INCONCLUSIVE"},
    }
    for key, fields in expected.items():
        assert {name: rows[f"abgmu22.{key}"][name] for name in fields} == fields, key
    assert rows["abgmu22.asm1/printed/false"]["witness"]["found"]["log10_e"] >= 10
    assert 0.8 < rows["abgmu22.asm2/printed/impl:laplace"]["tightness"][0] <= 1


def test_an_interrupted_run_continues_to_the_same_ledger(claims):
    """Stop after every number of chunks in turn; the resumed ledger equals the undisturbed one."""
    whole = Store()
    run.execute(list(claims.values()), whole, root=TEST_ROOT)
    expected = toy.rows_of(whole)
    for stop in (1, 5, 12):
        store = Store()
        writes = [mock.DEFAULT] * stop + [KeyboardInterrupt]  # that many are done
        interrupting = mock.patch.object(store, "write", wraps=store.write, side_effect=writes)
        with interrupting, pytest.raises(KeyboardInterrupt):
            run.execute(list(claims.values()), store, root=TEST_ROOT)
        assert len(store.chunks()) == stop
        run.execute(list(claims.values()), store, root=TEST_ROOT)
        assert toy.rows_of(store) == expected


def test_chunks_computed_ahead_are_ignored(claims):
    """Row 30: stopping by arrival order would read them."""
    claim = claims["abgmu22.asm1/printed/coin"]
    plain, ahead = Store(), Store()
    run.execute([claim], plain, root=TEST_ROOT)
    for index in reversed(range(claim.cap)):
        chunk = run.compute_chunk(claim.key, claim.quick[0], "main", index, TEST_ROOT, 1, 1000)
        where = ('{"beta":0.2}', "main", 1000, "")
        ahead.write(claim.key, fingerprint.hash_claim(claim), TEST_ROOT, where, index, chunk)
    run.execute([claim], ahead, root=TEST_ROOT)
    assert toy.rows_of(ahead) == toy.rows_of(plain)


def test_one_and_two_workers_agree_to_the_last_bit():
    registry.load()
    stores = [Store(), Store()]
    for jobs, store in enumerate(stores, start=1):
        run.execute(registry.closure([REAL]), store, root=TEST_ROOT, jobs=jobs)
    one, two = (toy.by_key(store)[REAL] for store in stores)
    assert one == two and one["verdict"] == "HOLDS"


def test_kill_minus_nine_and_again(tmp_path):
    """A killed run leaves a store that continues to the ledger of an undisturbed run."""
    path = tmp_path / "ledger.sqlite"
    process = begun("rbht09/random_features", "--jobs", "1", "--seed", str(TEST_ROOT), out=tmp_path, least=3)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    killed = chunks(path)
    assert killed >= 3
    registry.load()
    store, undisturbed = Store(path), Store()
    for each in (store, undisturbed):
        run.execute(registry.closure([REAL]), each, root=TEST_ROOT)
    assert toy.by_key(store)[REAL] == toy.by_key(undisturbed)[REAL]
    assert chunks(path) >= killed


def begun(*arguments, out, least=1):
    """The process of a `lemmata run` of which at least so many chunks are stored, the first of a group of its own."""
    command = [sys.executable, "-m", "lemmata", "run", *arguments, "--out", str(out)]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    # What was started with & ignores SIGINT, and so would its children: the test says itself what it relies on.
    process = subprocess.Popen(command, **streams, start_new_session=True, preexec_fn=_heeds_interrupts)
    while chunks(out / "ledger.sqlite") < least:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    return process


def test_streams_differ_in_everything_that_names_them():
    base = (1, "claim", {"m": 1}, "main", 0)
    others = [
        (2, *base[1:]),
        (1, "clain", *base[2:]),
        (1, "claim", {"m": 2}, "main", 0),
        (*base[:3], "pilot", 0),
        (*base[:4], 1),
    ]
    assert len({generator(*key).bytes(16) for key in [base, *others]}) == 6
    assert generator(*base).bytes(16) == generator(*base).bytes(16)


def test_a_trial_outside_its_range_fails_its_cell_and_stores_nothing(claims):
    key = "abgmu22.asm1/printed/mean"
    claims[key] = replace(claims[key], trial=lambda rng, size, factor=1: rng.random(size) * 2, control=None)
    store = Store()
    run.execute([claims[key]], store, root=TEST_ROOT)
    row = toy.by_key(store)[key]
    assert (row["verdict"], row["reason"]) == ("INCONCLUSIVE", "FAILED")
    assert "must be at most high" in row["note"]
    assert store.chunks().empty


@pytest.mark.parametrize("also", [np.random.random, time.perf_counter], ids=["global", "clock"])
def test_a_trial_that_is_not_a_function_of_its_generator_fails(also, claims):
    """It draws from its rng, as it must, and then takes the rest from elsewhere."""
    key, store = "abgmu22.asm1/printed/mean", Store()

    def trial(rng, size, factor=1):
        return (rng.random(size) + also()) % 1 / 10

    claims[key] = replace(claims[key], trial=trial, control=None)
    (job,) = run.execute([claims[key]], store, root=TEST_ROOT)
    (cell,) = job.cells
    assert (cell.verdict.reason, store.chunks().empty) == ("FAILED", True) and "np.random" in cell.verdict.note


def test_a_check_without_an_end_is_given_up_at_the_limit(claims):
    def endless(factor=1):
        while True:
            pass

    key = "abgmu22.asm2/printed/broken"
    claims[key] = replace(claims[key], trial=endless, control=None)
    (job,) = run.execute([claims[key]], Store(), root=TEST_ROOT, limit=0.1)
    assert job.cells[0].verdict.note.startswith("TimeoutError: no result after 0.1 CPU seconds")


def test_a_poisoned_chunk_fails_its_cell_and_stops_no_ledger(claims):
    """A value outside its range that is in the store all the same, from a version that did not look."""
    key, store = "abgmu22.asm1/printed/mean", Store()
    where = Cell(claims[key], {}).where
    chunk = Chunk({"values": np.full(1000, 7.0)}, 0.0, b"y" * 16)
    store.write(key, fingerprint.hash_claim(claims[key]), TEST_ROOT, where, 0, chunk)
    row = toy.by_key(store)[key]
    assert row["reason"] == "FAILED" and "chunk 0 cannot be folded" in row["note"]


@pytest.mark.slow
@pytest.mark.parametrize("signalled", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_run_leaves_no_workers(tmp_path, signalled):
    process = begun("bms22", "--jobs", "2", "--profile", "full", out=tmp_path)  # minutes of work
    process.send_signal(signalled)
    message = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signalled, message
    assert "run it again to continue" in message and "Traceback" not in message
    assert is_gone(process.pid, kill=os.killpg)


@pytest.mark.slow
@pytest.mark.parametrize("signalled", [signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("where", [("--jobs", "2"), ("--dask", "local:2")], ids=" ".join)
def test_what_a_terminal_sends_to_all_processes_is_one_line(tmp_path, where, signalled):
    """Ctrl-C, and that it is closed: heard by those also that clear away what the others share."""
    process = begun("bms22", "--profile", "full", *where, out=tmp_path)
    os.killpg(process.pid, signalled)
    message = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signalled
    assert message == "lemmata: interrupted; finished results are stored, run it again to continue\n"


def _heeds_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.slow
def test_where_processes_share_no_memory_one_process_goes_on(tmp_path, monkeypatch):
    """As in a container whose /dev/shm is read-only: the semaphores of worker processes cannot be made."""

    no_semaphores = mock.Mock(side_effect=PermissionError(13, "Permission denied"))
    monkeypatch.setattr(workers, "get_reusable_executor", no_semaphores)
    ran = CliRunner().invoke(main, ["run", "bms22.lemA.3.s1", "--jobs", "2", "--out", str(tmp_path)])
    assert ran.exit_code == 0 and "HOLDS" in ran.stdout
    assert "no worker process can be started here (Permission denied); going on in one" in ran.stderr


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


@pytest.mark.soak
def test_twenty_kills_leave_the_same_ledger(tmp_path):
    """kill -9 of one run and its workers twenty times, each after one chunk or two more, then finish it."""
    moments, store = random.Random(TEST_ROOT), tmp_path / "ledger.sqlite"
    arguments = ["run", "bms22/sign_projection", "--jobs", "2", "--seed", str(TEST_ROOT), "--out", str(tmp_path)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for _ in range(20):
        before, more = chunks(store), moments.randint(1, 2)
        ended = subprocess.run([sys.executable, "-c", KILLED, str(more), *arguments], **quiet, start_new_session=True)
        assert ended.returncode == -signal.SIGKILL and chunks(store) == before + more
    subprocess.run([sys.executable, "-m", "lemmata", *arguments], check=True, **quiet)
    undisturbed = Store()
    keys = [claim.key for claim in registry.load()["bms22/sign_projection"]]
    programs.confirm(run.execute(registry.closure(keys), undisturbed, root=TEST_ROOT), undisturbed)
    assert toy.rows_of(Store(store)) == toy.rows_of(undisturbed)


@pytest.mark.soak
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
