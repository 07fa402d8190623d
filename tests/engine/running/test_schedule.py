"""The schedule at 64 workers, in a simulation: the engine's own loop on a clock, with synthetic costs.

What these tests show rests on the shape of the costs (`synthetic`), which is that of a full run and no record of one:
most cells take milliseconds and a few take seconds. No piece is as long as a sixty-fourth of all work, nor are two that
wait for each other.
"""

import threading
import time

import pytest

from lemmata.experiments.engine.running import run, workers
from lemmata.experiments.engine.running.store import Chunk, Store
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.tools.speed import workers as workers_table
from lemmata.tools.speed.workers import Costs, simulated
from tests.engine import toy


def test_sixty_four_workers_are_forty_times_as_fast():
    """As a second run sees it, which knows what the first one took; no piece is so long that the others wait for it."""
    speedup, efficiency, wasted = simulated(64, known=True)
    assert speedup >= 40 and efficiency >= 0.95 and wasted <= 0.4, (speedup, efficiency, wasted)


@pytest.mark.parametrize("workers", [2, 8, 64, 256])
def test_no_schedule_would_be_much_faster(workers):
    """Within a twentieth of the larger of two bounds: all work spread evenly, and the longest piece."""
    speedup, efficiency, wasted = simulated(workers, known=True)
    assert efficiency >= 0.95, (speedup, efficiency, wasted)


def test_one_worker_computes_nothing_in_vain():
    speedup, _, wasted = simulated(1, known=False)
    assert (speedup, wasted) == (pytest.approx(1), pytest.approx(0))


def test_a_first_run_knows_nothing_and_still_has_no_barriers():
    speedup, _, _ = simulated(64, known=False)
    assert speedup >= 20, speedup


@pytest.mark.slow  # each page reads the table
def test_the_published_curves_are_those_of_the_published_costs():
    lines = workers_table.table(workers_table.SPEEDUPS)
    made = workers_table.curves()
    assert list(lines[0]) == list(made)
    for name, values in made.items():
        assert [float(line[name]) for line in lines] == pytest.approx(values, rel=1e-9), name


def test_workers_cost_what_they_cost():
    """The parent takes in one chunk after the other, and nobody computes before a worker has started."""
    free = simulated(64, known=True).speedup
    assert simulated(64, known=True, costs=Costs(start=5.0)).speedup < 0.7 * free
    slow = [simulated(count, known=True, costs=Costs(chunk=0.01)).speedup for count in (16, 256)]
    assert slow[0] < 10 and slow[1] < 1.2 * slow[0], "a parent that is busy has no use for more workers"
    short, long = (simulated(64, known=True, costs=Costs(start=5.0, chunk=0.01), longer=n).speedup for n in (1, 10))
    assert 2 * short < long < free, "chunks ten times as long pay more easily for the same costs"


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
def test_no_verdict_depends_on_the_order_of_results(count, monkeypatch):
    from tests.engine.running.test_run import rows_of

    with toy.registered() as claims:
        plain, scrambled = Store(), Store()
        run.execute(list(claims.values()), plain, root=TEST_ROOT)
        monkeypatch.setattr(workers, "InProcess", lambda _: Scrambled(count))
        run.execute(list(claims.values()), scrambled, root=TEST_ROOT)
        assert rows_of(scrambled) == rows_of(plain)


# Limits and seconds ---------------------------------------------------------------------------------------------------


def compute_for(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def in_a_thread(function):
    """What `function` raised in a thread of its own, or None."""
    raised = []

    def work():
        try:
            function()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return raised[0] if raised else None


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


def test_a_chunk_keeps_what_it_computed_beside_what_it_took(monkeypatch):
    with toy.registered() as claims:
        key = "abgmu22.asm1/printed/coin"
        honest = claims[key].trial

        def slow(rng, size, **setting):
            time.sleep(0.5)
            in_a_thread(lambda: compute_for(0.1))
            return honest(rng, size, **setting)

        object.__setattr__(claims[key], "trial", slow)
        chunk = run.compute_chunk(key, {"beta": 0.1}, "main", 0, TEST_ROOT, 1, 1000)
    assert chunk.seconds >= chunk.cpu + 0.15 and chunk.cpu >= 0.1


def test_a_store_of_before_cpu_seconds_is_read_and_continued(tmp_path):
    path, where = tmp_path / "ledger.sqlite", ("{}", "main", 1, "")
    chunk = Chunk({"trials": 1, "failures": 0}, 2.0, b"x" * 16, 1.0)
    old = Store(path)
    old.write("a", "c", 1, where, 0, chunk)
    old._db.execute("ALTER TABLE results DROP COLUMN cpu")
    old.close()
    assert Store(path, reading=True).read("a", "c", 1, where)[0].cpu is None
    new = Store(path)
    new.write("a", "c", 1, where, 1, Chunk(chunk.payload, 2.0, b"y" * 16, 1.0))
    assert [c.cpu for c in new.read("a", "c", 1, where).values()] == [None, 1.0]
    assert new.costs() == {("a", "{}", "main"): (2.0, 2)}
