"""Stores of other versions, of nobody, and of somebody else."""

import contextlib
import os
import sqlite3

import pytest
from click.testing import CliRunner

from lemmata.command.main import main
from lemmata.experiments.engine.running.store import SCHEMA, VERSION, Chunk, Store, StoreError


def test_a_file_without_bytes_is_a_new_store(tmp_path):
    """As a kill between the opening of the file and its first write leaves it; reading leaves it alone."""
    path = tmp_path / "ledger.sqlite"
    path.touch()
    assert Store(path, reading=True).missing and path.stat().st_size == 0
    place = "a", "c", 1, ("{}", "main", 1, "")
    with Store(path) as store:
        store.write(*place, 0, Chunk({"trials": 1, "failures": 0}, 0.0, b"x" * 16))
    assert list(Store(path, reading=True).read(*place)) == [0]


def test_an_older_store_is_set_aside_and_said(tmp_path):
    """Its tables were others: nothing of it can be used, and nothing of it is lost."""
    path = tmp_path / "ledger.sqlite"
    (tmp_path / "ledger.sqlite.older").write_text("a name that is taken")
    with contextlib.closing(sqlite3.connect(path)) as old, old:
        old.execute("PRAGMA journal_mode=WAL")
        old.execute("CREATE TABLE chunks (x)")
        old.execute("INSERT INTO chunks VALUES (17)")
    read = CliRunner().invoke(main, ["ledger", "bms22.lemA.1", "--out", str(tmp_path)])
    assert read.exit_code == 3 and "older format" in read.stderr and len(read.stderr.splitlines()) == 1
    ran = CliRunner().invoke(main, ["run", "bms22.lemA.3.s1", "--jobs", "1", "--out", str(tmp_path)])
    aside = tmp_path / "ledger.sqlite.older1"
    assert ran.exit_code == 0 and f"it is now {aside}" in ran.stderr
    with contextlib.closing(sqlite3.connect(aside)) as kept:
        assert kept.execute("SELECT x FROM chunks").fetchall() == [(17,)]
    with Store(path) as store:
        assert store.aside is None and not store.chunks().empty


@pytest.mark.parametrize(
    ("command", "said"),
    [("PRAGMA user_version = 99", "newer version"), ("CREATE TABLE somebody (x)", "store .* cannot be opened")],
)
def test_a_store_that_is_not_ours_is_left_alone(tmp_path, command, said):
    path = tmp_path / "ledger.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as other, other:
        other.execute(command)
    before = path.read_bytes()
    for reading in (True, False):
        with pytest.raises(StoreError, match=said):
            Store(path, reading=reading)
    assert path.read_bytes() == before


def test_a_store_of_before_versions_is_adopted_and_an_equal_version_writes_nothing(tmp_path):
    path = tmp_path / "ledger.sqlite"
    Store(path).close()
    before = path.read_bytes()
    Store(path).close()
    assert path.read_bytes() == before
    with contextlib.closing(sqlite3.connect(path)) as store:
        store.execute("PRAGMA user_version = 0")
    Store(path).close()
    with contextlib.closing(sqlite3.connect(path)) as store:
        assert store.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_chunks_come_as_a_table():
    store = Store()
    for index in range(5):
        chunk = Chunk({"trials": 1, "failures": index}, 0.0, bytes([index]) * 16)
        store.write("a", "c", 1, ("{}", "main", 1, ""), index, chunk)
    assert [payload["failures"] for payload in store.chunks()["payload"]] == list(range(5))


def test_a_store_that_a_run_is_just_beginning_reads_as_an_empty_one(tmp_path):
    """Between the file's first bytes and its tables."""
    path = tmp_path / "ledger.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
    assert path.stat().st_size
    with Store(path, reading=True) as store:
        assert store.missing and store.roots() == []


def test_a_claim_that_is_forgotten_loses_its_chunks_and_what_its_programs_came_to():
    where = ("{}", "main", 1, "")
    store = Store()
    for key, start in (("a", b"x"), ("b", b"y")):
        store.write(key, "c", 1, where, 0, Chunk({"trials": 1, "failures": 0}, 0.0, start * 16))
        store.keep(key, "0", "it fails")
    store.forget("a", 1)
    assert (store.read("a", "c", 1, where), store.answer("a", "0")) == ({}, None)
    assert len(store.read("b", "c", 1, where)) == 1 and store.answer("b", "0") == "it fails"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE results SET seconds = 'long'", "`run --fresh a` replaces it"),
        ("UPDATE results SET cpu = 'long'", "`run --fresh a` replaces it"),
        ("UPDATE done SET profile = 'quack'", "'quack'.*`run --fresh a` replaces it"),
    ],
)
def test_a_byte_that_changed_is_a_line_that_names_the_remedy(tmp_path, change, said):
    path = tmp_path / "ledger.sqlite"
    place = "a", "c", 1, ("{}", "main", 1, "")
    with Store(path) as store:
        store.write(*place, 0, Chunk({"trials": 1, "failures": 0}, 0.0, b"x" * 16))
        store.mark_done("a", "c", 1, "quick")
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(change)
        db.commit()
    with Store(path, reading=True) as store, pytest.raises(StoreError, match=said):
        store.read(*place), store.profile("a", "c", 1)
    with Store(path) as store:
        store.forget("a", 1)
        assert store.read(*place) == {} and store.profile("a", "c", 1) is None


def test_an_answer_that_changed_is_asked_for_again(tmp_path):
    """Of what a program came to, a byte less had made a refutation unconfirmed for good."""
    path = tmp_path / "ledger.sqlite"
    with Store(path) as store:
        store.keep("a", "0", "")
        assert store.answer("a", "0") == ""
    for said in ("' it is fine'", "x'0909'", "7", "''"):
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute(f"UPDATE shown SET said = {said}")
            db.commit()
        with Store(path, reading=True) as store:
            assert store.answer("a", "0") is None


def test_a_pipe_is_no_store_and_nobody_waits_for_it(tmp_path):
    os.mkfifo(path := tmp_path / "ledger.sqlite")
    for reading in (True, False):
        with pytest.raises(StoreError, match=r"store .* cannot be opened \(not a regular file\); move it away or"):
            Store(path, reading=reading)


def test_a_store_has_all_tables_or_none(tmp_path, monkeypatch):
    """As a disk leaves it that is full when half of them are made."""
    monkeypatch.setattr("lemmata.experiments.engine.running.store.SCHEMA", f"{SCHEMA.partition(';')[0]}; nonsense;")
    with pytest.raises(StoreError, match="syntax error"):
        Store(path := tmp_path / "ledger.sqlite")
    monkeypatch.undo()
    assert Store(path, reading=True).missing
