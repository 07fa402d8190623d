"""The schedule at 64 workers, in a simulation: the engine's own loop on a clock, with synthetic costs.

What these tests show rests on the shape of the costs (`synthetic`), which is that of a full run and no record of one:
most cells take milliseconds and a few take seconds. No piece is as long as a sixty-fourth of all work, nor are two that
wait for each other.
"""

import heapq
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from lemmata.experiments.engine import run, workers
from lemmata.experiments.engine.schedule import Schedule, drive
from lemmata.experiments.engine.store import Chunk, Store
from lemmata.mechanisms.streams import TEST_ROOT
from tests.engine import toy


class Cell(SimpleNamespace):
    """A cell that is decided by as many chunks as it was given seconds."""

    verdict, folded, handed, stream, size = None, 0, 0, "main", 1

    @property
    def where(self):
        return self.setting, self.stream


class Job:
    """A claim whose control is opened factor by factor, as in a run."""

    root = TEST_ROOT

    def __init__(self, key, cells, controls):
        self.claim = SimpleNamespace(key=key, style="exact", cost=0.05)
        self.active, self.cells, self.waiting = list(cells), cells, controls
        self.open_control()

    next_index = run.Job.next_index

    def open_control(self):
        if self.waiting and not any(cell.verdict is None for cell in self.active if cell.factor != 1):
            self.active.append(self.waiting.pop(0))
            return self.active[-1:]
        return []

    def receive(self, cell, index, result):
        cell.ahead[index] = result
        while cell.verdict is None and cell.folded in cell.ahead:
            cell.folded += 1
            if cell.folded == len(cell.seconds):
                cell.verdict = "decided"
        return self.open_control() if cell.verdict else []

    @property
    def done(self):
        return not self.waiting and all(cell.verdict for cell in self.active)


class Simulated:
    """Workers on a clock of their own; a chunk beyond those needed takes as long as the cell's last."""

    def __init__(self, workers, seconds):
        self.workers, self.seconds, self.now, self.spent = workers, seconds, 0.0, 0.0
        self.free, self.busy = [0.0] * workers, []

    def submit(self, ticket, key, setting, stream, index, *_):
        taken = self.seconds[setting][min(index, len(self.seconds[setting]) - 1)]
        end = max(self.now, heapq.heappop(self.free)) + taken
        heapq.heappush(self.free, end)
        heapq.heappush(self.busy, (end, ticket))
        self.spent += taken

    def result(self):
        self.now, ticket = heapq.heappop(self.busy)
        return ticket, "result"


def synthetic(claims=1200):
    """(jobs, seconds of each cell, what earlier runs tell) of invented claims, the same at every call.

    A claim has one to seven cells and a control, every twelfth a second factor of it that opens after the first. What a
    cell takes is log-normal: 5 milliseconds in the middle, 0.07 seconds on average; the tail is cut at 20 seconds
    for the tenth of the cells that is decided by 2 to 20 equal chunks and could take four times as many before its cap,
    at 3 seconds for all others, which are one chunk, and at 0.3 seconds for a second factor.
    """
    rng = np.random.default_rng(1)
    jobs, seconds, seen = [], {}, {}
    for number in range(claims):
        factors = [1] * rng.integers(1, 8) + [2] + [3] * (number % 12 == 0)
        cells = []
        for factor in factors:
            chunks = int(rng.integers(2, 21)) if len(seconds) % 10 == 0 and factor < 3 else 1
            most = 20 if chunks > 1 else {1: 3, 2: 3, 3: 0.3}[factor]
            taken = min(0.005 * np.exp(2.45 * rng.normal()), most) / chunks
            cap = 4 * chunks if chunks > 1 else 1
            cells.append(Cell(setting=len(seconds), factor=factor, cap=cap, seconds=[taken] * chunks, ahead={}))
            seen[f"claim {number}", len(seconds), "main"] = taken, chunks
            seconds[len(seconds)] = cells[-1].seconds
        honest = factors.count(1)
        jobs.append(Job(f"claim {number}", cells[:honest], cells[honest:]))
    return jobs, seconds, seen


def simulated(workers, known):
    """(how many times faster than one worker, that as a share of what no schedule exceeds, share of work wasted)."""
    jobs, seconds, seen = synthetic()
    pool = Simulated(workers, seconds)
    drive(Schedule(jobs, seen if known else {}), pool)
    assert all(job.done for job in jobs)
    work = sum(map(sum, seconds.values()))
    longest_piece = max(map(max, seconds.values()))
    return work / pool.now, max(work / workers, longest_piece) / pool.now, pool.spent / work - 1


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


class Scrambled:
    """This process as many workers whose results come in the most awkward order: the last first."""

    def __init__(self, workers):
        self.workers, self.waiting = workers, []

    def submit(self, ticket, *chunk):
        self.waiting.append((ticket, chunk))

    def result(self):
        ticket, chunk = self.waiting.pop()
        return ticket, run.compute(*chunk)


@pytest.mark.parametrize("count", [2, 7])
def test_no_verdict_depends_on_the_order_of_results(count, monkeypatch):
    from tests.engine.test_run import rows_of

    with toy.registered() as claims:
        plain, scrambled = Store(), Store()
        run.execute(list(claims.values()), plain, root=TEST_ROOT)
        monkeypatch.setattr(workers, "Here", lambda _: Scrambled(count))
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
    with pytest.raises(TimeoutError):  # the main thread waits while another one computes
        limited(0.2, lambda: in_a_thread(lambda: compute_for(3)))
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
        chunk = run.compute(key, {"beta": 0.1}, "main", 0, TEST_ROOT, 1, 1000)
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
