"""Stores of other versions, of nobody, and of somebody else."""

import contextlib
import os
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from lemmata.command.main import main
from lemmata.experiments.engine.running import store
from lemmata.experiments.engine.running.store import (
    SCHEMA,
    VERSION,
    Chunk,
    ReusedSeed,
    Store,
    StoreError,
    decode,
    encode,
)

WHERE = "{}", "main", 1, ""
PLACE = "a", "c", 1, WHERE
CHUNK = Chunk({"trials": 1, "failures": 0}, 0.0, b"x" * 16)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def empty():
    return Store()


def execute(path, *commands):
    """What the last of some commands comes to in a database, whatever `Store` thinks of it."""
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        return [db.execute(command).fetchall() for command in commands][-1]


def test_a_file_without_bytes_is_a_new_store(path):
    """As a kill between the opening of the file and its first write leaves it; reading leaves it alone."""
    path.touch()
    assert Store(path, reading=True).missing and path.stat().st_size == 0
    with Store(path) as store:
        store.write(*PLACE, 0, CHUNK)
    assert list(Store(path, reading=True).read(*PLACE)) == [0]


def test_an_older_store_is_set_aside_and_said(path, tmp_path):
    """Its tables were others: nothing of it can be used, and nothing of it is lost."""
    (tmp_path / "ledger.sqlite.older").write_text("a name that is taken")
    execute(path, "PRAGMA journal_mode=WAL", "CREATE TABLE chunks (x)", "INSERT INTO chunks VALUES (17)")
    read = CliRunner().invoke(main, ["ledger", "bms22.lemA.1", "--out", str(tmp_path)])
    assert read.exit_code == 3 and "older format" in read.stderr and len(read.stderr.splitlines()) == 1
    ran = CliRunner().invoke(main, ["run", "bms22.lemA.3.s1", "--jobs", "1", "--out", str(tmp_path)])
    aside = tmp_path / "ledger.sqlite.older1"
    assert ran.exit_code == 0 and f"it is now {aside}" in ran.stderr
    assert execute(aside, "SELECT x FROM chunks") == [(17,)]
    with Store(path) as store:
        assert store.aside is None and not store.chunks().empty


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: execute(path, "PRAGMA user_version = 99"), "newer version"),
        (lambda path: execute(path, "CREATE TABLE somebody (x)"), "store .* cannot be opened"),
        (lambda path: path.write_bytes(b"not a database, but somebody's data" * 100), "store .* cannot be opened"),
    ],
)
@pytest.mark.parametrize("reading", [True, False])
def test_a_store_that_is_not_ours_is_left_alone(path, make, said, reading):
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=said):
        Store(path, reading=reading)
    assert path.read_bytes() == before


def test_a_store_of_before_versions_is_adopted_and_an_equal_version_writes_nothing(path):
    Store(path).close()
    before = path.read_bytes()
    Store(path).close()
    assert path.read_bytes() == before
    execute(path, "PRAGMA user_version = 0")
    Store(path).close()
    assert execute(path, "PRAGMA user_version") == [(VERSION,)]


def test_chunks_come_as_a_table(empty):
    for index in range(5):
        empty.write(*PLACE, index, Chunk({"trials": 1, "failures": index}, 0.0, bytes([index]) * 16))
    assert [payload["failures"] for payload in empty.chunks()["payload"]] == list(range(5))


def test_a_store_that_a_run_is_just_beginning_reads_as_an_empty_one(path):
    """Between the file's first bytes and its tables."""
    execute(path, "PRAGMA journal_mode=WAL")
    assert path.stat().st_size
    with Store(path, reading=True) as store:
        assert store.missing and store.roots() == []


def test_a_claim_that_is_forgotten_loses_its_chunks_and_what_its_programs_came_to(empty):
    for key, start in (("a", b"x"), ("b", b"y")):
        empty.write(key, "c", 1, WHERE, 0, Chunk({"trials": 1, "failures": 0}, 0.0, start * 16))
        empty.keep(key, "0", "it fails")
    empty.forget("a", 1)
    assert (empty.read(*PLACE), empty.answer("a", "0")) == ({}, None)
    assert len(empty.read("b", "c", 1, WHERE)) == 1 and empty.answer("b", "0") == "it fails"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE results SET seconds = 'long'", "`run --fresh a` replaces it"),
        ("UPDATE results SET cpu = 'long'", "`run --fresh a` replaces it"),
        ("UPDATE done SET profile = 'quack'", "'quack'.*`run --fresh a` replaces it"),
    ],
)
def test_a_byte_that_changed_is_a_line_that_names_the_remedy(path, change, said):
    with Store(path) as store:
        store.write(*PLACE, 0, CHUNK)
        store.mark_done("a", "c", 1, "quick")
    execute(path, change)
    with Store(path, reading=True) as store, pytest.raises(StoreError, match=said):
        store.read(*PLACE), store.profile("a", "c", 1)
    with Store(path) as store:
        store.forget("a", 1)
        assert store.read(*PLACE) == {} and store.profile("a", "c", 1) is None


def test_an_answer_that_changed_is_asked_for_again(path):
    """Of what a program came to, a byte less had made a refutation unconfirmed for good."""
    with Store(path) as store:
        store.keep("a", "0", "")
        assert store.answer("a", "0") == ""
    for said in ("' it is fine'", "x'0909'", "7", "''"):
        execute(path, f"UPDATE shown SET said = {said}")
        with Store(path, reading=True) as store:
            assert store.answer("a", "0") is None


@pytest.mark.parametrize("reading", [True, False])
def test_a_pipe_is_no_store_and_nobody_waits_for_it(path, reading):
    os.mkfifo(path)
    with pytest.raises(StoreError, match=r"store .* cannot be opened \(not a regular file\); move it away or"):
        Store(path, reading=reading)


def test_a_store_has_all_tables_or_none(tmp_path, monkeypatch):
    """As a disk leaves it that is full when half of them are made."""
    monkeypatch.setattr("lemmata.experiments.engine.running.store.SCHEMA", f"{SCHEMA.partition(';')[0]}; nonsense;")
    with pytest.raises(StoreError, match="syntax error"):
        Store(path := tmp_path / "ledger.sqlite")
    monkeypatch.undo()
    assert Store(path, reading=True).missing


@pytest.mark.parametrize(("log", "mode"), [(b"x", "mode=ro"), (b"", "immutable=1"), (None, "immutable=1")])
def test_a_log_with_something_in_it_is_read_where_nothing_can_be_written(path, monkeypatch, log, mode):
    monkeypatch.setattr(os, "access", lambda *given: False)
    monkeypatch.setattr(sqlite3, "connect", lambda address, uri: address)
    if log is not None:
        path.with_name(path.name + "-wal").write_bytes(log)
    assert store._read_only(path).endswith(f"?{mode}")


def test_a_reused_seed_is_an_error(empty):
    """Row 30: the same sixteen bytes at two places."""
    for _ in range(2):
        empty.write(*PLACE, 0, CHUNK)
    with pytest.raises(ReusedSeed):
        empty.write(*PLACE, 1, CHUNK)


@pytest.mark.parametrize("payload", [{"trials": 3, "failures": 1}, {"values": np.arange(6.0).reshape(3, 2)}])
def test_payloads_survive_the_store(payload):
    again = decode(encode(payload))
    assert all(np.array_equal(again[name], value) for name, value in payload.items())


@pytest.mark.parametrize(("size", "level"), [(2, ""), (1, "0.5")])
def test_chunks_of_another_size_or_attack_level_are_not_read(empty, size, level):
    empty.write(*PLACE, 0, CHUNK)
    assert not empty.read("a", "c", 1, ("{}", "main", size, level))


def test_reading_changes_nothing(path):
    nowhere = path.parent / "nowhere" / path.name
    assert Store(nowhere, reading=True).missing
    assert not nowhere.parent.exists()
    Store(path).write(*PLACE, 0, CHUNK)
    Store(path).close()
    before = path.read_bytes()
    assert list(Store(path, reading=True).read(*PLACE)) == [0]
    assert path.read_bytes() == before
    with pytest.raises(StoreError, match="cannot be used"):
        Store(path, reading=True).forget("a", 1)


def test_reading_leaves_no_log_and_sees_what_is_not_yet_in_the_file(path):
    Store(path).close()
    with Store(path, reading=True):
        assert list(path.parent.iterdir()) == [path]
    with Store(path) as writer:
        writer._execute("CREATE TABLE fresh (x)")
        with Store(path, reading=True) as reader:
            assert reader._execute("SELECT count(*) FROM fresh").fetchone() == (0,), "the log was not read"


def test_a_store_of_before_cpu_seconds_is_read_and_continued(path):
    with Store(path) as old:
        old.write(*PLACE, 0, replace(CHUNK, seconds=2.0, cpu=1.0))
        old._db.execute("ALTER TABLE results DROP COLUMN cpu")
    assert Store(path, reading=True).read(*PLACE)[0].cpu is None
    new = Store(path)
    new.write(*PLACE, 1, replace(CHUNK, digest=b"y" * 16, seconds=2.0, cpu=1.0))
    assert [c.cpu for c in new.read(*PLACE).values()] == [None, 1.0]
    assert new.costs() == {("a", "{}", "main"): (2.0, 2)}
