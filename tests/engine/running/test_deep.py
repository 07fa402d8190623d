"""The deep profile: every combination of the named values, ten times the trials, on top of a full run."""

from dataclasses import replace

import pytest

from lemmata.experiments.engine.claims.claim import grid
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.cell import Cell, combine
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.engine import toy

KEY = "abgmu22.asm1/printed/coin"


@pytest.fixture
def claim():
    """A coin of two arguments, named at two settings of the four that their values make; one raises."""
    with toy.registered() as claims:

        def fails(rng, size, *, beta, n, factor=1):
            if (beta, n) == (0.1, 7):
                raise ValueError("n = 7 is too many")
            return rng.random(size) < beta * (1 - 1e-3) * factor

        settings = {"quick": ({"beta": 0.1, "n": 3},), "full": ({"beta": 0.2, "n": 7},)}
        bound = {"bound": lambda *, beta, n: beta}
        claims[KEY] = replace(claims[KEY], trial=fails, cap=2, chunk=lambda **_: 100, **settings, **bound)
        yield claims[KEY]


def row(store, claim):
    (found,) = [r for r in ledger(store, TEST_ROOT, [claim]) if r["key"] == KEY]
    return found


def test_a_deep_run_goes_on_where_a_full_one_ended(claim):
    """Ten times the trials, those of the full run among them; what cannot be combined is listed and decides nothing."""
    store = Store()
    run.execute([claim], store, root=TEST_ROOT, profile="full")
    full, before = row(store, claim), len(store.chunks())
    assert (full["verdict"], full["trials"], full["skipped"]) == ("INCONCLUSIVE", 400, [])
    run.execute([claim], store, root=TEST_ROOT, profile="deep")
    deep = row(store, claim)
    assert deep["trials"] == 3 * 2000
    assert deep["skipped"] == [{"setting": {"beta": 0.1, "n": 7}, "hypothesis": "ValueError: n = 7 is too many"}]
    assert full["reason"] == deep["reason"] == "BUDGET", "the truth is a thousandth below the bound"
    width = [high - low for low, high in (full["tightness"], deep["tightness"])]
    assert width[1] < width[0] / 2  # about the root of ten
    alone = Store()
    run.execute([claim], alone, root=TEST_ROOT, profile="deep")
    assert row(alone, claim)["tightness"] == deep["tightness"] and len(alone.chunks()) == len(store.chunks()) > before
    run.execute([claim], store, root=TEST_ROOT, profile="quick")
    assert row(store, claim) == deep, "a smaller run takes nothing back"


def test_more_cells_than_memory_holds_are_refused_before_one_is_made(claim, monkeypatch):
    """However many there are: they are counted as they come, and no further than that."""
    monkeypatch.setattr(run, "CELLS", 3)
    run.check_size([claim], "full")
    with pytest.raises(run.Fault, match=r"--profile deep here is more than 3 cells"):
        run.execute([claim], Store(), root=TEST_ROOT, profile="deep")
    endless = replace(claim, full=tuple({"beta": 0.1 + i / 1e4, "n": i} for i in range(2000)))  # four million
    monkeypatch.setattr(run, "CELLS", 2100)
    with pytest.raises(run.Fault, match="more than 2,100 cells"):
        run.check_size([endless], "deep")


def test_a_named_setting_that_raises_is_no_combination(claim):
    named = replace(claim, full=(*claim.full, {"beta": 0.1, "n": 7}))
    store = Store()
    (job,) = run.execute([named], store, root=TEST_ROOT, profile="deep")
    assert combine(job.cells).reason in ("FAILED", "TIGHT", "BUDGET") and not any(cell.left_out for cell in job.cells)
    assert [cell.verdict.reason for cell in job.cells].count("FAILED") == 1


def test_a_bound_that_raises_is_left_out_before_a_trial_runs(claim):
    def bound(*, beta, n):
        if beta == 0.2 and n == 3:
            raise ValueError("n = 3 is too few")
        return beta

    impossible = replace(claim, bound=bound)
    assert Cell(impossible, {"beta": 0.2, "n": 3}).left_out == "ValueError: n = 3 is too few"
    named = Cell(replace(impossible, full=grid(beta=[0.2], n=[3])), {"beta": 0.2, "n": 3})
    assert named.left_out == "" and (named.verdict.reason, named.verdict.note) == (
        "FAILED",
        "ValueError: n = 3 is too few",
    )
