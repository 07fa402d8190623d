"""One run: order, workers, resumption and kills do not change what the ledger says."""

import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

from experiments.engine import fingerprint, registry, run
from experiments.engine.claim import CLAIMS
from experiments.engine.ledger import ledger
from experiments.engine.store import Chunk, ReusedSeed, Store, StoreError, decode, encode
from experiments.engine.streams import TEST_ROOT, generator
from tests.engine import toy

REAL = "bms22.lemA.3/explicit"  # a sampled claim that workers can import


def rows_of(store, keys=None):
    """The ledger without wall-clock times."""
    rows = [{k: v for k, v in row.items() if k != "seconds"} for row in ledger(store, TEST_ROOT)]
    return [row for row in rows if keys is None or row["key"] in keys]


def by_key(store):
    return {row["key"]: row for row in rows_of(store)}


def test_toy_claims_get_the_verdicts_they_deserve():
    with toy.registered() as claims:
        store = Store()
        run.execute(list(claims.values()), store, root=TEST_ROOT)
        found = by_key(store)
    coin = found["abgmu22.asm1/printed/coin"]
    assert (coin["verdict"], coin["control"], coin["smallest_caught"]) == ("HOLDS", "REFUTED", "p x 6")
    assert coin["skipped"] == [
        {"setting": {"beta": 2}, "hypothesis": "beta = 2 is outside the hypothesis: 0 < beta < 1"}
    ]
    false = found["abgmu22.asm1/printed/false"]
    assert (false["verdict"], false["severity"], false["control"]) == ("REFUTED", "constant", "REFUTED")
    assert false["witness"]["found"]["log10_e"] >= 10
    assert found["abgmu22.asm1/printed/mean"]["verdict"] == "HOLDS"
    assert found["abgmu22.asm1/printed"]["verdict"] == "REFUTED", "a summary is its worst part"
    attack = found["abgmu22.asm2/printed/impl:laplace"]
    assert (attack["verdict"], attack["reason"], attack["control"]) == ("INCONCLUSIVE", "AUDIT_ONLY", "REFUTED")
    assert 0.8 < attack["tightness"][0] <= 1
    assert found["abgmu22.asm2/printed/broken"]["reason"] == "FAILED"
    assert found["abgmu22.asm2/printed/toothless"]["reason"] == "NO_TEETH"
    assert found["abgmu22.asm2/printed/rests"]["verdict"] == "INCONCLUSIVE"


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
            chunk = run.compute(claim.key, setting, "main", index, TEST_ROOT, 1, 1000)
            ahead.write(claim.key, fingerprint.of_claim(claim), TEST_ROOT, '{"beta":0.2}', "main", index, chunk)
        run.execute([claim], ahead, root=TEST_ROOT)
        assert rows_of(ahead) == rows_of(plain)


def test_one_and_two_workers_agree_to_the_last_bit():
    registry.load()
    stores = [Store(), Store()]
    for jobs, store in enumerate(stores, start=1):
        run.execute(run.closure([REAL]), store, root=TEST_ROOT, jobs=jobs)
    assert rows_of(stores[0], {REAL}) == rows_of(stores[1], {REAL})
    assert rows_of(stores[0], {REAL})[0]["verdict"] == "HOLDS"


def test_kill_minus_nine_and_again(tmp_path):
    """A killed run leaves a store that continues to the ledger of an undisturbed run."""
    command = [
        sys.executable,
        "-m",
        "experiments",
        "run",
        "bms22/sign_projection",
        "--jobs",
        "1",
        "--seed",
        str(TEST_ROOT),
    ]
    process = subprocess.Popen(
        [*command, "--reports", str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    path = tmp_path / "ledger.sqlite"
    for _ in range(600):
        if path.exists() and _count(path) >= 3:
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    killed = _count(path)
    assert killed >= 3
    registry.load()
    store, undisturbed = Store(path), Store()
    claims = run.closure([REAL])
    for each in (store, undisturbed):
        run.execute(claims, each, root=TEST_ROOT)
    assert rows_of(store, {REAL}) == rows_of(undisturbed, {REAL})
    assert _count(path) >= killed


def _count(path):
    try:
        with sqlite3.connect(path) as db:
            return db.execute("SELECT count(*) FROM chunks").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_a_reused_seed_is_an_error():
    """Row 30: the same sixteen bytes at two places."""
    store = Store()
    chunk = Chunk({"trials": 1, "failures": 0}, 0.0, b"x" * 16)
    store.write("a", "c", 1, "{}", "main", 0, chunk)
    store.write("a", "c", 1, "{}", "main", 0, chunk)
    with pytest.raises(ReusedSeed):
        store.write("a", "c", 1, "{}", "main", 1, chunk)


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


def test_a_corrupt_store_is_one_line_and_stays(tmp_path):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"not a database, but somebody's data" * 100)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"cannot be opened"):
        Store(path)
    assert path.read_bytes() == before


def test_editing_a_trial_discards_and_editing_a_bound_does_not(tmp_path, monkeypatch):
    """The code hash covers what the trial names, not what enters when folding."""
    source = (
        "from bounds.wzw25 import gaussian_privacy as gdp\nfrom bounds.bms22 import sign_projection as jl\n"
        "SCALE = 2\n\ndef helper(x):\n    return SCALE * x\n\n"
        "@tail_claim(gdp.f, cap=3)\ndef trial(rng, size):\n    # a comment\n"
        "    return helper(jl.sign_projection_rows(m=size))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def hashed(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        return fingerprint.code_hash(name, "trial")

    first = hashed("one", source)
    assert hashed("two", source.replace("cap=3", "cap=4").replace("# a comment", "")) == first
    assert hashed("three", source.replace("SCALE = 2", "SCALE = 3")) != first
    assert hashed("four", source.replace("return SCALE * x", "return SCALE + x")) != first
    assert (
        hashed(
            "five",
            source.replace(
                "from bounds.wzw25 import gaussian_privacy as gdp", "from bounds.wzw25 import run_counts as gdp"
            ),
        )
        == first
    )
    assert hashed("six", source.replace("import sign_projection as jl", "import random_features as jl")) != first


def test_the_quick_profile_fits_its_plan():
    """By arithmetic: at most 240 core-seconds in all, two quick settings a claim, half a core-second a sampled cell."""
    registry.load()
    assert sum(run.plan(CLAIMS.values(), "quick").values()) <= 240
    for claim in CLAIMS.values():
        assert len(claim.quick) <= (8 if claim.style == "exact" else 2), claim.key
        if claim.style != "exact":
            assert all(run.cell_cost(claim, setting) <= 0.5 for setting in claim.quick), claim.key
