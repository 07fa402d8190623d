"""Where the published ledger is looked for, and how older tables and stores are read."""

from types import SimpleNamespace

from lemmata.experiments.conformance import accepted
from lemmata.experiments.engine.claims.verdict import Verdict
from lemmata.experiments.engine.ledger import published
from lemmata.experiments.engine.running.store import decode, encode


def ledger(path, key):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"key,root\n{key},5\n")
    return path


def test_a_checkouts_own_ledger_comes_before_the_installed_one(tmp_path, monkeypatch):
    monkeypatch.setattr(published, "SHIPPED", tmp_path / "nowhere")
    assert published.read_rows(tmp_path) == {}
    monkeypatch.setattr(published, "SHIPPED", ledger(tmp_path / "share" / "ledger.csv", "installed"))
    assert list(published.read_rows(tmp_path)) == ["installed"]
    ledger(tmp_path / "published" / "ledger.csv", "own")
    assert list(published.read_rows(tmp_path)) == ["own"]
    assert published.read_rows(tmp_path)["own"]["root"] == 5


def test_a_failed_control_is_read_by_its_former_name(tmp_path):
    """NO_TEETH of version 0.2 in a published ledger, an accepted table and a store, and other reasons as they are."""
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "ledger.csv").write_text("key,reason\na,NO_TEETH\nb,BUDGET\nc,\n")
    rows = published.read_rows(tmp_path)
    assert [rows[key]["reason"] for key in "abc"] == ["CONTROL_FAILED", "BUDGET", ""]
    head = ",".join(accepted.HEAD)
    (tmp_path / "accepted.csv").write_text(f"{head}\na,INCONCLUSIVE,NO_TEETH,,,1\nb,HOLDS,,,,1\n")
    lines = accepted.read(SimpleNamespace(folder=tmp_path))
    assert [lines[key].reason for key in "ab"] == ["CONTROL_FAILED", ""]
    old = encode(Verdict("INCONCLUSIVE", "CONTROL_FAILED")).replace(b"CONTROL_FAILED", b"NO_TEETH")
    assert decode(old).reason == "CONTROL_FAILED"
