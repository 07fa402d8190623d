"""What many workers are worth: the engine's own loop on a simulated clock, without and with the costs of workers.

Chunk seconds are synthetic (`synthetic`), in the shape of a full run's; start, message and fold costs are measured, by
`python -m lemmata.tools.speed.workers`, into workers.csv, and the curves that follow into speedups.csv. In CPU seconds:
on a machine with other work, or with fewer cores than workers, clocks would measure that.
"""

from __future__ import annotations

import csv
import heapq
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from lemmata.experiments.drawing import drawn
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.ground.files import write_table
from lemmata.experiments.engine.ledger.curves import Picture
from lemmata.experiments.engine.running import workers
from lemmata.experiments.engine.running.schedule import Job, Schedule, run_schedule
from lemmata.experiments.engine.running.store import Chunk, Store
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT

TABLE, SPEEDUPS = (Path(__file__).with_name(name) for name in ("workers.csv", "speedups.csv"))
HEAD = ("pool", "processes", "open", "start", "message", "fold")
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Costs(NamedTuple):
    """Seconds beside those of the chunks: before the first is sent, of a worker's start, and of the parent a chunk."""

    open: float = 0.0
    start: float = 0.0
    chunk: float = 0.0


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

    def __init__(self, workers, seconds, costs=Costs()):  # noqa: B008  a tuple
        self.workers, self.seconds, self.costs = workers, seconds, costs
        self.now, self.spent = costs.open, 0.0
        self.free, self.busy = [costs.open + costs.start] * workers, []

    def submit(self, ticket, key, setting, stream, index, *_):
        taken = self.seconds[setting][min(index, len(self.seconds[setting]) - 1)]
        end = max(self.now, heapq.heappop(self.free)) + taken
        heapq.heappush(self.free, end)
        heapq.heappush(self.busy, (end, ticket))
        self.spent += taken

    def result(self):
        end, ticket = heapq.heappop(self.busy)
        self.now = max(self.now, end) + self.costs.chunk  # the parent takes in one after the other
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
        jobs.append(Invented(f"claim {number}", cells[:honest], cells[honest:]))
    return jobs, seconds, seen


class Speed(NamedTuple):
    """Of simulated workers: how many times as fast as one without costs, that as a share of what no schedule exceeds
    where workers cost nothing, and the share of their work that was in vain."""

    speedup: float
    efficiency: float
    wasted: float


def simulated(workers, known, costs=Costs(), longer=1):  # noqa: B008
    """What so many workers do with chunks that take `longer`; `known` says that an earlier run told what they take."""
    jobs, seconds, seen = synthetic()
    seconds = {setting: [longer * second for second in each] for setting, each in seconds.items()}
    seen = {place: (longer * taken, chunks) for place, (taken, chunks) in seen.items()}
    pool = Simulated(workers, seconds, costs)
    run_schedule(Schedule(jobs, seen if known else {}), pool)
    assert all(job.done for job in jobs)
    work = sum(map(sum, seconds.values()))
    longest_piece = max(map(max, seconds.values()))
    return Speed(work / pool.now, max(work / workers, longest_piece) / pool.now, pool.spent / work - 1)


# What is measured -----------------------------------------------------------------------------------------------------


def ready(*_):
    """Of a worker: CPU seconds since its start, once it has imported every claim."""
    registry.load()
    return time.process_time()


def told(*_):
    """A chunk that takes no time."""
    return Chunk({"trials": 1000, "failures": 7}, 0.0, b"0" * 16, 0.0)


def opened() -> float:
    """CPU seconds of the parent before the first chunk of a full run is sent."""
    start = time.process_time()
    registry.load()
    jobs = [Job(claim, LEDGER_ROOT, "full", Store()) for claim in CLAIMS.values()]
    Schedule(jobs, {})
    return time.process_time() - start


def folded(count: int = 500) -> float:
    """CPU seconds of the parent to store a chunk in a file and to fold it."""
    claim = CLAIMS["bms22.lemA.3/explicit/impl:sign_projection"]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "ledger.sqlite")) as store:
        job = Job(claim, LEDGER_ROOT, "quick", store)
        cell = job.cells[0]
        cell.times = 10**6  # never at its cap, and never decided
        payload = {"trials": 1000, "failures": round(1000 * claim.bound(**cell.setting))}
        start = time.process_time()
        for index in range(count):
            job.receive(cell, index, Chunk(payload, 0.0, index.to_bytes(16), 0.0))
        assert cell.folded == count and cell.verdict is None
        return (time.process_time() - start) / count


def measured(processes: int, dask: bool = False, count: int = 400) -> tuple[float, float]:
    """(CPU seconds of a worker's start, of the parent a message there and back) with real `processes`."""
    from lemmata.experiments.engine.running import cluster

    where = cluster.connect(f"local:{processes}") if dask else workers.open_pool(told, processes)
    with where as made:
        pool = workers.ExecutorPool(made.get_executor(), processes) if dask else made
        for ticket in range(4 * processes):
            pool.send(ticket, ready)
        start = max(pool.result()[1] for _ in range(4 * processes))
        began = time.process_time()
        for ticket in range(count):
            pool.send(ticket, told)
            if len(pool.flying) >= 2 * processes:
                pool.result()
        while pool.flying:
            pool.result()
        message = (time.process_time() - began) / count
        pool.drop()
    return start, message


def rows() -> Iterator[tuple[str, int, str, str, str, str]]:
    """A line for each pool and number of processes."""
    opening = opened()
    fold = folded()
    yield "this process", 1, f"{opening:.2f}", "0", "0", f"{fold:.2g}"
    for pool in ("loky", "dask"):
        for processes in (1, 2, 4, 8) if pool == "dask" else (2, 4, 8):
            start, message = measured(processes, pool == "dask")
            yield pool, processes, f"{opening:.2f}", f"{start:.2f}", f"{message:.2g}", f"{fold:.2g}"


# What is shown --------------------------------------------------------------------------------------------------------


def table(path: Path = TABLE) -> list[dict[str, str]]:
    """What was measured."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def costs(pool: str) -> Costs:
    """Of a pool: the dearest that was measured of each."""
    lines = [line for line in table() if line["pool"] == pool]
    most = {name: max(float(line[name]) for line in lines) for name in HEAD[2:]}
    return Costs(most["open"], most["start"], most["message"] + most["fold"])


def curves() -> dict[str, list[float]]:
    """How many times as fast as one, for each number of workers: chunks alone, and with what workers cost."""
    every = costs("dask")

    def speedups(**how):
        return [simulated(count, known=True, **how).speedup for count in COUNTS]

    return {
        "workers": list(COUNTS),
        "chunks alone": speedups(),
        "with start, messages, folds": speedups(costs=every),
        "the same, chunks ten times as long": speedups(costs=every, longer=10),
    }


def shown() -> dict[str, Any]:
    """What the page shows: what was measured, the curves, and the numbers at 64 workers."""
    lines = table(SPEEDUPS)
    series = {name: [float(line[name]) for line in lines] for name in lines[0]}
    (figure,) = drawn([Picture({}, series, None)], "svg")
    at = series["workers"].index(64)
    numbers = {name: f"{values[at]:.0f}" for name, values in series.items() if name != "workers"}
    return {"lines": table(), "drawing": figure.decode(), "numbers": numbers, "costs": costs("dask")._asdict()}


if __name__ == "__main__":
    write_table(TABLE, HEAD, rows())
    made = curves()
    write_table(SPEEDUPS, list(made), zip(*made.values(), strict=True))
