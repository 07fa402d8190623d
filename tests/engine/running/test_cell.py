"""How much a cell does at most, what it costs, what is kept and said of it, and what the deep profile adds."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.experiments.engine.claims.claim import grid
from lemmata.experiments.engine.claims.verdict import AttackDecider, MeanDecider, TailDecider
from lemmata.experiments.engine.ledger import ledger_rows
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.cell import Cell, combine
from lemmata.experiments.engine.running.store import Chunk, Store, checksum
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import PureDP
from tests.engine import toy


def cell_after(failures, trials=1000):
    """A cell of the toy coin, at 0.2, after one chunk."""
    with toy.registered() as claims:
        cell = Cell(claims["abgmu22.asm1/printed/coin"], {"beta": 0.2})
    cell.add(Chunk(TailDecider.pack(np.arange(trials) < failures), 0.0, b""))
    return cell


def test_no_failure_is_said_as_that():
    verdict = combine([cell_after(0), cell_after(0, 500)])
    assert (verdict.outcome, verdict.tightness, verdict.note) == (HOLDS, None, "no failure in 1,500 trials")


def test_where_some_fail_both_are_said():
    verdict = combine([cell_after(0), cell_after(20)])
    assert verdict.note == "no failure in 1,000 trials at 1 of 2 settings"
    low, high = verdict.tightness
    assert low < 0.1 < high < 0.5
    assert combine([cell_after(20)]).note == ""


def test_a_mean_of_zeros_alone_is_said_as_such(claims):
    """The upper end of an interval would be a function of the number of trials."""
    cell = Cell(replace(claims["abgmu22.asm1/printed/coin"], style="mean"), {"beta": 0.2})
    cell.add(Chunk({"values": np.zeros(500)}, 0.0, b""))
    assert cell.silent and cell.verdict.tightness is None
    assert combine([cell]).note == "no failure in 500 trials"


@pytest.mark.parametrize(
    ("ends", "reason"), [((0.95, 1.05), "TIGHT"), ((0.95, 1.2), "BUDGET"), ((0.8, 1.05), "BUDGET"), (None, "BUDGET")]
)
def test_a_cap_ends_tight_where_truth_and_bound_differ_by_a_tenth_at_most(ends, reason, monkeypatch):
    monkeypatch.setattr(Cell, "_tightness", lambda self, decider: ends)
    assert cell_after(20)._conclude_at_cap(TailDecider(0.2, 1000, 195)).reason == reason


def test_a_cell_without_trials_is_not_silent(claims):
    assert not Cell(claims["abgmu22.asm1/printed/coin"], {"beta": 0.2}).silent
    assert not Cell(claims["abgmu22.asm2/printed/rests"], {}).silent


def test_an_exact_cell_is_one_chunk(claims):
    cell = Cell(claims["abgmu22.asm2/printed/rests"], {})
    assert (cell.exact, cell.cap, cell.size) == (True, 1, 1)


def test_only_the_claim_itself_is_vacuous(claims):
    """A sabotaged twin is tried where the bound says nothing: at 1 nothing is sampled, at 2 it has a decider."""
    claim = claims["abgmu22.asm1/printed/coin"]
    setting = {"beta": 1.0}
    assert claim.why_vacuous(setting)
    assert Cell(claim, setting).decider is None
    assert Cell(claim, setting, 2).decider is not None


def test_what_cells_cost_is_added_up():
    cells = [
        SimpleNamespace(verdict=None, evaluations=0, trials=trials, seconds=1.0, cpu_seconds=0.5) for trials in (30, 50)
    ]
    control = SimpleNamespace(
        tried=[SimpleNamespace(seconds=2.0, cpu_seconds=1.5)], outcome="", smallest_detected_factor=""
    )
    effort = ledger_rows._with_effort({}, cells, control)
    assert (effort["cells"], effort["trials"], effort["seconds"], effort["cpu_seconds"]) == (2, 80, 4.0, 2.5)


def test_an_attack_that_refutes_every_level_reaches_the_last(monkeypatch):
    attack = AttackDecider(PureDP(1.0))
    attack.add(toy.guessed(attack.claim, 1, 0, 0))
    monkeypatch.setattr(stakes, "against", lambda counts, claim, values: np.full(len(values), 1e3))
    assert attack.reached() == stakes.PARAMETERS[-1]


def test_a_checksum_is_eight_bytes():
    assert len(checksum(("a", 1), b"data")) == 8


def test_an_interval_begins_with_its_lower_end():
    mean = MeanDecider(0.5)
    mean.add(MeanDecider.pack([0.2, 0.4] * 50))
    low, high = mean.tightness()
    assert low < 0.6 < high


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
    (found,) = [r for r in ledger_rows.ledger(store, TEST_ROOT, [claim]) if r["key"] == KEY]
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
    with pytest.raises(run.Fault, match=r"--profile deep has more than 3 cells"):
        run.execute([claim], Store(), root=TEST_ROOT, profile="deep")
    endless = replace(claim, full=tuple({"beta": 0.1 + i / 1e4, "n": i} for i in range(2000)))  # a thousand of more
    monkeypatch.setattr(run, "CELLS", 2900)
    with pytest.raises(run.Fault, match="more than 2,900 cells"):
        run.check_size([endless], "deep")


def test_a_named_setting_that_raises_is_no_combination(claim):
    named = replace(claim, full=(*claim.full, {"beta": 0.1, "n": 7}))
    (job,) = run.execute([named], Store(), root=TEST_ROOT, profile="deep")
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
