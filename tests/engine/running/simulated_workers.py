"""The engine's own schedule on a simulated clock, with invented claims whose costs have the shape of a full run's."""

import heapq
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from lemmata.experiments.engine.running.schedule import Job, Schedule, run_schedule
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT


class Cell(SimpleNamespace):
    """A cell that is decided by as many chunks as it was given seconds."""

    verdict, folded, handed, times, stream, size = None, 0, 0, 1, "main", 1

    @property
    def where(self):
        return self.setting, self.stream


class Invented:
    """A job of a claim whose control is opened factor by factor, as in a run."""

    root = LEDGER_ROOT

    def __init__(self, key, cells, controls):
        self.claim = SimpleNamespace(key=key, style="exact", cost=0.05)
        self.active, self.cells, self.waiting = list(cells), cells, controls
        self.open_control()

    next_index = Job.next_index

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
        self.workers, self.seconds = workers, seconds
        self.now, self.spent = 0.0, 0.0
        self.free, self.busy = [0.0] * workers, []

    def submit(self, ticket, key, setting, stream, index, *_):
        taken = self.seconds[setting][min(index, len(self.seconds[setting]) - 1)]
        end = max(self.now, heapq.heappop(self.free)) + taken
        heapq.heappush(self.free, end)
        heapq.heappush(self.busy, (end, ticket))
        self.spent += taken

    def result(self):
        end, ticket = heapq.heappop(self.busy)
        self.now = max(self.now, end)
        return ticket, "result"


def synthetic(claims=1200):
    """(jobs, seconds of each cell, what earlier runs took) of invented claims, the same at every call.

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
        jobs.append(Invented(f"claim {number}", cells[:honest], cells[honest:]))
    return jobs, seconds, seen


class Speed(NamedTuple):
    """Of simulated workers.

    `speedup` says how many times as fast as one worker they are, `efficiency` is that over what no schedule can exceed,
    and `wasted` is the share of their work on chunks that no verdict needed.
    """

    speedup: float
    efficiency: float
    wasted: float


def simulated(workers, known):
    """What that many workers do; `known` says that an earlier run recorded what the chunks take."""
    jobs, seconds, seen = synthetic()
    pool = Simulated(workers, seconds)
    run_schedule(Schedule(jobs, seen if known else {}), pool)
    assert all(job.done for job in jobs)
    work = sum(map(sum, seconds.values()))
    longest_piece = max(map(max, seconds.values()))
    return Speed(work / pool.now, max(work / workers, longest_piece) / pool.now, pool.spent / work - 1)
