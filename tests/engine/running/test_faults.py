"""Whatever fails, at one place a kind: one line or nothing, and the same command once more comes to its end."""

import csv

import pytest

from tests.engine.running import faults
from tests.engine.running.faulted import HEAD, TABLE, accepting, deciding, full, outcomes, prepared, spending
from tests.engine.running.faults import Turn, killed, raised


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("faults"))


def middle(places):
    assert places, "no place of this kind was passed"
    return [(places + 1) // 2]


@pytest.fixture(scope="module")
def fair(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("fair"), false=False)


@pytest.mark.parametrize("strike", [raised, killed])
def test_a_run_survives_a_fault_of_its_store(strike, fair, tmp_path):
    for _, ended, why in outcomes(deciding(tmp_path / "out", fair), "database", middle, strike):
        assert not why, ended


def test_a_run_survives_a_witness_that_gets_no_process(paper, tmp_path):
    for _, ended, why in outcomes(deciding(tmp_path / "out", paper), "process", middle, raised):
        assert not why, ended


@pytest.mark.parametrize("kind", ["open", "sync"])
def test_an_account_survives_each_kind_of_fault(kind, tmp_path):
    for strike in (raised, killed):
        for _, ended, why in outcomes(spending(tmp_path / "out"), kind, middle, strike):
            assert not why, ended


def test_what_is_accepted_is_replaced_as_a_whole(paper, tmp_path):
    for _, ended, why in outcomes(accepting(tmp_path / "out", paper), "rename", middle, killed):
        assert not why, ended


@pytest.mark.slow
def test_a_full_disk_cuts_nothing_that_is_accepted(paper, tmp_path):
    """Numbers of errata are given once, and their list with them."""
    for _, ended, why in full(accepting(tmp_path / "out", paper), sizes=3):
        assert not why, ended


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["open", "rename", "folder"])
def test_a_report_survives_each_kind_of_fault(kind, fair, tmp_path):
    for _, ended, why in outcomes(deciding(tmp_path / "out", fair, pages=True), kind, middle, raised):
        assert not why, ended


@pytest.mark.slow
def test_a_run_survives_a_killed_worker_and_a_full_disk(fair, tmp_path):
    for _, ended, why in outcomes(deciding(tmp_path / "out", fair, jobs=2), "worker", middle, raised):
        assert not why, ended
    for _, ended, why in full(deciding(tmp_path / "out", fair), sizes=4):
        assert not why, ended


def test_a_fault_is_met_and_a_loss_is_seen(tmp_path):
    """The control: a file written in place is lost when the disk is full, and that is noticed."""
    kept = tmp_path / "kept"
    kept.mkdir()
    file = kept / "numbers"

    def careless():
        file.write_text("E1\nE2\nE3\n" if not file.exists() else file.read_text())

    scenario = spending(kept)
    scenario.calls, scenario.state = (careless, careless), lambda: file.read_text()
    scenario.kept = lambda: file.read_text().count("E") if file.exists() else 0
    found = [why for _, _, why in full(scenario, sizes=5)]
    assert any("ended with status" in why for why in found)
    met = faults.run(careless, Turn("open", str(kept), 1, raised))
    assert met.status == 70 and "No space left" in met.said


def test_the_published_table_lost_nothing():
    with TABLE.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert tuple(rows[0]) == HEAD
    assert all(row["lost"] == "0" and int(row["tried"]) > 0 for row in rows)
    assert sum(int(row["tried"]) for row in rows) >= 500 and sum(int(row["killed"]) for row in rows) >= 200
