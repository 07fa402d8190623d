"""Where the published ledger is looked for."""

from lemmata.experiments.engine.ledger import published


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
