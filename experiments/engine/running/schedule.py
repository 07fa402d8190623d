"""Who computes which chunk next: no rounds and no barriers.

A chunk is *needed* if its cell cannot be decided without it, as far as anybody knows: it is the next one to be folded,
or the cell took as many the last time. Needed chunks go out longest first; a worker that would idle gets a chunk that
may turn out to be needed. Neither order nor workers can change a verdict, because a cell folds its chunks by index.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from lemmata.bounds.library import library
from lemmata.experiments.engine.claims import fingerprint
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.claims.verdict import inconclusive
from lemmata.experiments.engine.ground import process_state
from lemmata.experiments.engine.ground.profiles import TIMES
from lemmata.experiments.engine.running import costs
from lemmata.experiments.engine.running.cell import Cell, ControlRun, fold
from lemmata.experiments.engine.running.store import Chunk, Store


class FinalFailure(str):
    """What ended a chunk for good: it is not tried again."""


Result = Chunk | str  # a chunk, or the text of what it raised


def open_cells(claim: Claim, profile: str) -> list[Cell]:
    """The cells of a claim in a profile: its admissible settings, and a search where it is an oracle."""
    if library.paper(claim.key).house:
        return _open_cells(claim, profile)
    with process_state.guarding(f"{claim.key}: its statement") as changed:  # its bound and hypotheses are called here
        cells = _open_cells(claim, profile)
    if changed:
        for cell in cells:
            cell.verdict = inconclusive("FAILED", f"its statement changed {', '.join(changed)}, which all rows share")
    return cells


def _open_cells(claim: Claim, profile: str) -> list[Cell]:
    settings = (setting for setting in claim.settings(profile) if not claim.theorem.skipped(setting))
    cells = [Cell(claim, setting, times=TIMES[profile]) for setting in settings]
    if evaluations := costs.search_evaluations(claim, profile):
        cells.append(Cell(claim, {}, evaluations=evaluations))
    return cells


@dataclass
class Job:
    """A claim in a run: its cells, its control, and what has been handed out."""

    claim: Claim
    root: int
    profile: str
    store: Store
    cells: list[Cell] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.code = fingerprint.hash_claim(self.claim)
        self.cells = [self._open(cell) for cell in open_cells(self.claim, self.profile)]
        self.control = ControlRun(self.claim, TIMES[self.profile])
        self.active = list(self.cells)
        self.open_control()

    def _open(self, cell: Cell) -> Cell:
        if cell.verdict is not None:  # by arithmetic
            return cell
        cell.ahead = self.store.read(self.claim.key, self.code, self.root, cell.where)
        cell.handed = 0
        self.store.mark_failed(self.claim.key, self.code, self.root, cell.where, None)
        return fold(cell, cell.ahead)

    def open_control(self) -> list[Cell]:
        """Open control cells until one needs work or the control is over; returns them."""
        before = len(self.active)
        while (cell := self.control.next_cell()) is not None:
            self.active.append(self._open(cell))
        return self.active[before:]

    def next_index(self, cell: Cell) -> int | None:
        """The next chunk of `cell` that nobody has, or None."""
        if cell.verdict is not None:
            return None
        cell.handed = max(cell.handed, cell.folded)
        while cell.handed in cell.ahead:
            cell.handed += 1
        if cell.handed >= cell.cap:
            return None
        cell.handed += 1
        return cell.handed - 1

    def receive(self, cell: Cell, index: int, result: Result) -> list[Cell]:
        """Store and fold one result; returns the control cells that it opens."""
        if isinstance(result, str):
            cell.fail(result, final=isinstance(result, FinalFailure))
            if cell.verdict is not None:
                self.store.mark_failed(self.claim.key, self.code, self.root, cell.where, result)
            cell.handed = min(cell.handed, index)
        else:
            self.store.write(self.claim.key, self.code, self.root, cell.where, index, result)
            cell.ahead[index] = result
            fold(cell, cell.ahead)
        if cell.verdict is None:
            return []
        cell.ahead.clear()  # folded, or not needed
        return self.open_control()

    @property
    def done(self) -> bool:
        return all(cell.verdict is not None for cell in self.active)


class Schedule:
    """The chunks of some jobs, in the order in which they are handed out."""

    def __init__(self, jobs: Iterable[Job], seen: dict[tuple[str, str, str], tuple[float, int]]) -> None:
        self.jobs = list(jobs)
        self.seen = seen  # {(key, setting, stream): (seconds a chunk, chunks)} of earlier runs
        self.heap: list[tuple[int, float, int, Job, Cell]] = []
        self.ticket, self.latest = itertools.count(), dict[int, int]()
        for job in self.jobs:
            for cell in job.active:
                self.offer(job, cell)

    def offer(self, job: Job, cell: Cell) -> None:
        """Enter an undecided cell, in the place of what was entered for it before."""
        if cell.verdict is not None:
            return
        planned = costs.plan_cell(job.claim, cell.setting, cell.times) / cell.cap, 1
        setting, stream, *_ = cell.where
        seconds, chunks = self.seen.get((job.claim.key, setting, stream), planned)
        # First by how far a chunk is guessed, then longest first, so that no long one is left for the end.
        guessed = max(0, cell.handed - max(cell.folded, chunks - 1))  # how far the next chunk is beyond what is needed
        ticket = self.latest[id(cell)] = next(self.ticket)
        heapq.heappush(self.heap, (guessed, -seconds, ticket, job, cell))

    def next(self, idle: bool) -> tuple[Job, Cell, int] | None:
        """(job, cell, index) to compute next, or None; what is only guessed to be needed for an `idle` worker alone."""
        while self.heap and (idle or self.heap[0][0] == 0):
            *_, ticket, job, cell = heapq.heappop(self.heap)
            if self.latest[id(cell)] == ticket and (index := job.next_index(cell)) is not None:
                self.offer(job, cell)
                return job, cell, index
        return None

    def receive(self, job: Job, cell: Cell, index: int, result: Result) -> None:
        """Take a result in."""
        for each in (cell, *job.receive(cell, index, result)):
            self.offer(job, each)


class Pool(Protocol):
    """Where chunks are computed."""

    workers: int

    def submit(self, ticket: int, *chunk: Any) -> None:
        """Have a chunk computed, by the arguments of `compute`."""

    def result(self) -> tuple[int, Result]:
        """Wait for a result: its ticket, and what came out."""


def run_schedule(schedule: Schedule, pool: Pool, finished: Callable[[Job], object] = lambda job: None) -> None:
    """Hand out chunks and take in results until every cell is decided; nobody waits for one that was only guessed."""
    flying: dict[int, tuple[Job, Cell, int]] = {}
    tickets = itertools.count()
    room = 2 * pool.workers if pool.workers > 1 else 1  # a chunk waits for every worker; alone, nothing is guessed
    undecided = {id(job) for job in schedule.jobs if not job.done}
    while undecided:
        while len(flying) < room and (task := schedule.next(idle=len(flying) < pool.workers)):
            job, cell, index = flying[ticket := next(tickets)] = task
            pool.submit(ticket, job.claim.key, cell.setting, cell.stream, index, job.root, cell.factor, cell.size)
        ticket, result = pool.result()
        job, cell, index = flying.pop(ticket)
        schedule.receive(job, cell, index, result)
        if job.done and id(job) in undecided:
            undecided.remove(id(job))
            finished(job)
