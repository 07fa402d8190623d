"""One run: order, workers, resumption and kills do not change what the ledger says.

"Row 30" is a kind of planted mistake (docs/how-a-claim-is-decided.md, "Planted mistakes").
"""

import ast
import contextlib
import importlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lemmata.command.main import TIMINGS, main
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.running import run, workers
from lemmata.experiments.engine.running.cell import Cell
from lemmata.experiments.engine.running.store import Chunk, ReusedSeed, Store, StoreError, decode, encode
from lemmata.mechanisms.numerics.streams import TEST_ROOT, generator
from tests.engine import toy

REAL = "bms22.lemA.3/explicit/impl:sign_projection"  # a sampled claim that workers can import


def rows_of(store, keys=None):
    """The ledger without wall-clock times."""
    rows = [{k: v for k, v in row.items() if k not in TIMINGS} for row in ledger(store, TEST_ROOT)]
    return [row for row in rows if keys is None or row["key"] in keys]


def by_key(store):
    return {row["key"]: row for row in rows_of(store)}


def test_toy_claims_get_the_verdicts_they_deserve():
    with toy.registered() as claims:
        store = Store()
        toy.execute(list(claims.values()), store, root=TEST_ROOT)
        rows = by_key(store)
    coin = rows["abgmu22.asm1/printed/coin"]
    assert (coin["verdict"], coin["control"], coin["smallest_caught"]) == ("HOLDS", "REFUTED", "p x 6")
    assert coin["skipped"] == [
        {"setting": {"beta": 2}, "hypothesis": "beta = 2 is outside the hypothesis: 0 < beta < 1"}
    ]
    false = rows["abgmu22.asm1/printed/false"]
    assert (false["verdict"], false["severity"], false["control"]) == ("REFUTED", "constant", "REFUTED")
    assert false["witness"]["found"]["log10_e"] >= 10
    assert rows["abgmu22.asm1/printed/mean"]["verdict"] == "HOLDS"
    assert rows["abgmu22.asm1/printed"]["verdict"] == "REFUTED", "a summary is its worst part"
    attack = rows["abgmu22.asm2/printed/impl:laplace"]
    assert (attack["verdict"], attack["reason"], attack["control"]) == ("INCONCLUSIVE", "AUDIT_ONLY", "REFUTED")
    assert 0.8 < attack["tightness"][0] <= 1
    assert rows["abgmu22.asm2/printed/broken"]["reason"] == "FAILED"
    assert rows["abgmu22.asm2/printed/toothless"]["reason"] == "CONTROL_FAILED"
    assert rows["abgmu22.asm2/printed/rests"]["verdict"] == "INCONCLUSIVE"


def test_an_interrupted_run_continues_to_the_same_ledger():
    """Stop after every number of chunks in turn; the resumed ledger equals the undisturbed one."""
    with toy.registered() as claims:
        whole = Store()
        run.execute(list(claims.values()), whole, root=TEST_ROOT)
        expected = rows_of(whole)
        for stop in (1, 5, 12):
            store = Store()
            with pytest.raises(KeyboardInterrupt):
                run.execute(list(claims.values()), Interrupting(store, stop), root=TEST_ROOT)
            assert len(store.chunks()) == stop
            run.execute(list(claims.values()), store, root=TEST_ROOT)
            assert rows_of(store) == expected


class Interrupting:
    """A store that is interrupted when it is about to write chunk number `stop + 1`."""

    def __init__(self, store, stop):
        self.store, self.left = store, stop

    def __getattr__(self, name):
        return getattr(self.store, name)

    def write(self, *arguments):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        self.store.write(*arguments)


def test_chunks_computed_ahead_are_ignored():
    """Row 30: stopping by arrival order would read them."""
    with toy.registered() as claims:
        claim = claims["abgmu22.asm1/printed/coin"]
        plain, ahead = Store(), Store()
        run.execute([claim], plain, root=TEST_ROOT)
        for index in reversed(range(claim.cap)):
            setting = claim.quick[0]
            chunk = run.compute_chunk(claim.key, setting, "main", index, TEST_ROOT, 1, 1000)
            where = ('{"beta":0.2}', "main", 1000, "")
            ahead.write(claim.key, fingerprint.hash_claim(claim), TEST_ROOT, where, index, chunk)
        run.execute([claim], ahead, root=TEST_ROOT)
        assert rows_of(ahead) == rows_of(plain)


def test_one_and_two_workers_agree_to_the_last_bit():
    registry.load()
    stores = [Store(), Store()]
    for jobs, store in enumerate(stores, start=1):
        run.execute(registry.closure([REAL]), store, root=TEST_ROOT, jobs=jobs)
    assert rows_of(stores[0], {REAL}) == rows_of(stores[1], {REAL})
    assert rows_of(stores[0], {REAL})[0]["verdict"] == "HOLDS"


def test_kill_minus_nine_and_again(tmp_path):
    """A killed run leaves a store that continues to the ledger of an undisturbed run."""
    command = [sys.executable, "-m", "lemmata", "run", "bms22/sign_projection", "--jobs", "1"]
    command += ["--seed", str(TEST_ROOT), "--out", str(tmp_path)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **quiet, start_new_session=True)
    path = tmp_path / "ledger.sqlite"
    for _ in range(2400):
        if path.exists() and _count(path) >= 3:
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    killed = _count(path)
    assert killed >= 3
    registry.load()
    store, undisturbed = Store(path), Store()
    claims = registry.closure([REAL])
    for each in (store, undisturbed):
        run.execute(claims, each, root=TEST_ROOT)
    assert rows_of(store, {REAL}) == rows_of(undisturbed, {REAL})
    assert _count(path) >= killed


def _count(path):
    if not path.exists():
        return 0
    try:
        with contextlib.closing(sqlite3.connect(path)) as db:
            return db.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_a_reused_seed_is_an_error():
    """Row 30: the same sixteen bytes at two places."""
    store = Store()
    chunk = Chunk({"trials": 1, "failures": 0}, 0.0, b"x" * 16)
    where = ("{}", "main", 1, "")
    store.write("a", "c", 1, where, 0, chunk)
    store.write("a", "c", 1, where, 0, chunk)
    with pytest.raises(ReusedSeed):
        store.write("a", "c", 1, where, 1, chunk)


def test_streams_differ_in_everything_that_names_them():
    base = (1, "claim", {"m": 1}, "main", 0)
    others = [
        (2, *base[1:]),
        (1, "clain", *base[2:]),
        (1, "claim", {"m": 2}, "main", 0),
        (*base[:3], "pilot", 0),
        (*base[:4], 1),
    ]
    draws = {generator(*key).bytes(16) for key in [base, *others]}
    assert len(draws) == 6
    assert generator(*base).bytes(16) == generator(*base).bytes(16)


@pytest.mark.parametrize("payload", [{"trials": 3, "failures": 1}, {"values": np.arange(6.0).reshape(3, 2)}])
def test_payloads_survive_the_store(payload):
    again = decode(encode(payload))
    assert all(np.array_equal(again[name], value) for name, value in payload.items())


@pytest.mark.parametrize(("size", "level"), [(2, ""), (1, "0.5")])
def test_chunks_of_another_size_or_attack_level_are_not_read(size, level):
    store, chunk = Store(), Chunk({"trials": 1, "failures": 0}, 0.0, b"x" * 16)
    store.write("a", "c", 1, ("{}", "main", 1, ""), 0, chunk)
    assert list(store.read("a", "c", 1, ("{}", "main", 1, ""))) == [0]
    assert not store.read("a", "c", 1, ("{}", "main", size, level))


def test_reading_changes_nothing(tmp_path):
    path = tmp_path / "nowhere" / "ledger.sqlite"
    assert Store(path, reading=True).missing
    assert not path.parent.exists()
    written = tmp_path / "ledger.sqlite"
    Store(written).write("a", "c", 1, ("{}", "main", 1, ""), 0, Chunk({"trials": 1, "failures": 0}, 0.0, b"x" * 16))
    Store(written).close()
    before = written.read_bytes()
    assert list(Store(written, reading=True).read("a", "c", 1, ("{}", "main", 1, ""))) == [0]
    assert written.read_bytes() == before
    with pytest.raises(StoreError, match="cannot be used"):
        Store(written, reading=True).forget("a", 1)


def test_reading_leaves_no_log_and_sees_what_is_not_yet_in_the_file(tmp_path):
    path = tmp_path / "ledger.sqlite"
    Store(path).close()
    reader = Store(path, reading=True)
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.sqlite"]
    reader.close()
    writer = Store(path)
    writer._execute("CREATE TABLE fresh (x)")
    reader = Store(path, reading=True)
    assert reader._execute("SELECT count(*) FROM fresh").fetchone() == (0,), "the log was not read"
    reader.close()
    writer.close()


def test_a_trial_outside_its_range_fails_its_cell_and_stores_nothing():
    with toy.registered() as claims:
        key = "abgmu22.asm1/printed/mean"
        claims[key] = replace(claims[key], trial=lambda rng, size, factor=1: rng.random(size) * 2, control=None)
        store = Store()
        run.execute([claims[key]], store, root=TEST_ROOT)
        row = by_key(store)[key]
    assert (row["verdict"], row["reason"]) == ("INCONCLUSIVE", "FAILED")
    assert "must be at most high" in row["note"]
    assert store.chunks().empty


def test_a_poisoned_chunk_fails_its_cell_and_stops_no_ledger():
    """A value outside its range that is in the store all the same, from a version that did not look."""
    with toy.registered() as claims:
        key, store = "abgmu22.asm1/printed/mean", Store()
        where = Cell(claims[key], {}).where
        chunk = Chunk({"values": np.full(1000, 7.0)}, 0.0, b"y" * 16)
        store.write(key, fingerprint.hash_claim(claims[key]), TEST_ROOT, where, 0, chunk)
        row = by_key(store)[key]
    assert row["reason"] == "FAILED" and "chunk 0 cannot be folded" in row["note"]


@pytest.mark.slow
@pytest.mark.parametrize("signalled", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_run_leaves_no_workers(tmp_path, signalled):
    command = [sys.executable, "-m", "lemmata", "run", "bms22", "--jobs", "2"]  # minutes of work
    command += ["--profile", "full", "--out", str(tmp_path)]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    # What was started with & ignores SIGINT, and so would its children: the test says itself what it relies on.
    process = subprocess.Popen(command, **streams, start_new_session=True, preexec_fn=_heeds_interrupts)
    for _ in range(2400):
        if _count(tmp_path / "ledger.sqlite") >= 1:
            break
        time.sleep(0.05)
    process.send_signal(signalled)
    message = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signalled, message
    assert "run it again to continue" in message and "Traceback" not in message
    for _ in range(100):
        if not _alive(process.pid):
            break
        time.sleep(0.1)
    assert not _alive(process.pid)


@pytest.mark.slow
@pytest.mark.parametrize("signalled", [signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("where", [("--jobs", "2"), ("--dask", "local:2")], ids=" ".join)
def test_what_a_terminal_sends_to_all_processes_is_one_line(tmp_path, where, signalled):
    """Ctrl-C, and that it is closed: heard by those also that clear away what the others share."""
    command = [sys.executable, "-m", "lemmata", "run", "bms22", "--profile", "full", "--out", str(tmp_path), *where]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, **streams, start_new_session=True, preexec_fn=_heeds_interrupts)
    while _count(tmp_path / "ledger.sqlite") < 1:
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signalled)
    message = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signalled
    assert message == "lemmata: interrupted; finished results are stored, run it again to continue\n"


def _heeds_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def test_where_processes_share_no_memory_one_process_goes_on(tmp_path, monkeypatch):
    """As in a container whose /dev/shm is read-only: the semaphores of worker processes cannot be made."""

    def no_semaphores(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(workers, "get_reusable_executor", no_semaphores)
    ran = CliRunner().invoke(main, ["run", "bms22.lemA.3.s1", "--jobs", "2", "--out", str(tmp_path)])
    assert ran.exit_code == 0 and "HOLDS" in ran.stdout
    assert "no worker process can be started here (Permission denied); going on in one" in ran.stderr


def _alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_corrupt_store_is_one_line_and_stays(tmp_path):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"not a database, but somebody's data" * 100)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"cannot be opened"):
        Store(path)
    assert path.read_bytes() == before


SOURCE = """
from lemmata.bounds.bms22 import sign_projection as jl
from lemmata.bounds.wzw25 import gaussian_privacy as gdp

SCALE, TABLE = 2, {"a": abs}

def helper(x, power=1):
    return SCALE * x**power

def bound():
    return gdp.gaussian_delta(epsilon=1.0, mu=1.0)

def trial(rng, size):
    '''What is tried.'''
    # a comment
    return helper(jl.sign_projection_rows(m=size)) + TABLE["a"](size)
"""


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("    # a comment\n", "\n\n", True),
        ("What is tried.", "Another sentence.", True),
        ("gdp.gaussian_delta(epsilon=1.0, mu=1.0)", "gdp.gaussian_delta(epsilon=2.0, mu=1.0)", True),
        ("SCALE, TABLE = 2,", "SCALE, TABLE = 3,", False),
        ('{"a": abs}', '{"a": float}', False),
        ("return SCALE * x**power", "return SCALE + x**power", False),
        ("power=1", "power=2", False),
        ("jl.sign_projection_rows(m=size)", "jl.angles_order(m=size)", False),
        ("import sign_projection as jl", "import pure_learner as jl", False),
    ],
)
def test_editing_a_trial_discards_and_editing_a_bound_does_not(tmp_path, monkeypatch, before, after, same):
    """The code hash covers what the trial names, not what enters when folding."""
    monkeypatch.syspath_prepend(tmp_path)

    def hashed(text):
        monkeypatch.delitem(sys.modules, "edited", raising=False)
        (tmp_path / "edited.py").write_text(text)
        importlib.invalidate_caches()
        return fingerprint.hash_code(importlib.import_module("edited").trial)

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert before in SOURCE
    assert (hashed(SOURCE) == hashed(SOURCE.replace(before, after))) == same


def test_the_code_hash_does_not_hang_on_the_process():
    """Neither on the order in which modules are loaded, nor on which, nor on Python's random hashes."""
    registry.load()
    code = (
        "from lemmata.experiments.bms22 import dp_erm, sign_projection;"
        "from lemmata.experiments.engine.claims import fingerprint, claim;"
        "print({key: fingerprint.hash_claim(each) for key, each in claim.CLAIMS.items()})"
    )
    for seed in ("1", "2"):
        printed = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": seed}
        )
        there = ast.literal_eval(printed.stdout)
        assert REAL in there and there == {key: fingerprint.hash_claim(CLAIMS[key]) for key in there}


def test_the_code_hash_does_not_hang_on_the_folder():
    registry.load()
    root = str(Path(fingerprint.__file__).parents[3])
    for claim in CLAIMS.values():
        assert not any(root in text for text in fingerprint.texts(claim.trial, claim.by or claim.trial)), claim.key
