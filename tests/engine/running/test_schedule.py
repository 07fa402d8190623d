"""The schedule at 64 workers, in a simulation: the engine's own loop on a clock, with synthetic costs.

What these tests show rests on the shape of the costs (`synthetic`), which is that of a full run and no record of one:
most cells take milliseconds and a few take seconds. No piece is as long as a sixty-fourth of all work, nor are two that
wait for each other.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from lemmata.experiments.engine.running import run, workers
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.engine import toy
from tests.engine.running.simulated_workers import simulated


@pytest.mark.parametrize("workers", [2, 8, 64, 256])
def test_no_schedule_would_be_much_faster(workers):
    """Within a twentieth of the larger of two bounds: all work spread evenly, and the longest piece.

    As a second run sees it, which knows what the first one took.
    """
    speed = simulated(workers, known=True)
    assert speed.efficiency >= 0.95, speed
    if workers == 64:  # no piece is so long that the others wait for it
        assert speed.speedup >= 40 and speed.wasted <= 0.4, speed


def test_one_worker_computes_nothing_in_vain():
    speedup, _, wasted = simulated(1, known=False)
    assert (speedup, wasted) == (pytest.approx(1), pytest.approx(0))


def test_a_first_run_knows_nothing_and_still_has_no_barriers():
    speedup, _, _ = simulated(64, known=False)
    assert speedup >= 20, speedup


class Scrambled:
    """This process as many workers whose results come in the most awkward order: the last first."""

    def __init__(self, workers):
        self.workers, self.waiting = workers, []

    def submit(self, ticket, *chunk):
        self.waiting.append((ticket, chunk))

    def result(self):
        ticket, chunk = self.waiting.pop()
        return ticket, run.compute_chunk(*chunk)


@pytest.mark.parametrize("count", [2, 7])
def test_no_verdict_depends_on_the_order_of_results(count, monkeypatch, claims):
    plain, scrambled = Store(), Store()
    run.execute(list(claims.values()), plain, root=TEST_ROOT)
    monkeypatch.setattr(workers, "InProcess", lambda _: Scrambled(count))
    run.execute(list(claims.values()), scrambled, root=TEST_ROOT)
    assert toy.rows_of(scrambled) == toy.rows_of(plain)


# Limits and seconds ---------------------------------------------------------------------------------------------------


def compute_for(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def in_a_thread(function):
    """What `function` raised in a thread of its own, or None."""
    return ThreadPoolExecutor(1).submit(function).exception()


def limited(seconds, function):
    with run.deadline(seconds):
        function()


def test_a_limit_counts_computing_in_any_thread():
    with pytest.raises(TimeoutError, match="CPU seconds"):
        limited(0.2, lambda: compute_for(3))
    over = threading.Event()
    with pytest.raises(TimeoutError):  # the main thread waits while another one computes
        limited(0.2, lambda: in_a_thread(lambda: (compute_for(3), over.set())))
    over.wait()  # else it computes on, and the next test counts that; a join that was interrupted waits no more
    assert isinstance(in_a_thread(lambda: limited(0.2, lambda: compute_for(3))), TimeoutError)
    limited(5, lambda: compute_for(0.01))
    assert in_a_thread(lambda: limited(5, lambda: compute_for(0.01))) is None


def test_waiting_is_patient_but_not_for_ever():
    limited(2, lambda: time.sleep(2.5))
    with pytest.raises(TimeoutError):
        limited(0.05, lambda: time.sleep(60))


def test_a_chunk_keeps_what_it_computed_beside_what_it_took(monkeypatch, claims):
    key = "abgmu22.asm1/printed/coin"
    honest = claims[key].trial

    def slow(rng, size, **setting):
        time.sleep(0.5)
        in_a_thread(lambda: compute_for(0.1))
        return honest(rng, size, **setting)

    object.__setattr__(claims[key], "trial", slow)
    chunk = run.compute_chunk(key, {"beta": 0.1}, "main", 0, TEST_ROOT, 1, 1000)
    assert chunk.seconds >= chunk.cpu + 0.15 and chunk.cpu >= 0.1
