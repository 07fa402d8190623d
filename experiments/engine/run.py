"""One run: claims become cells, cells become chunks, chunks go to the store as they arrive.

A lazy generator hands out the next chunk of the next undecided cell, round-robin; joblib computes it; the
parent folds in index order and stops a cell at its verdict. Kill it at any moment and start again: it
continues where it stopped.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from dataclasses import dataclass, field, replace

import joblib
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import ShutdownExecutorError, TerminatedWorkerError
from tqdm import tqdm

from experiments.engine import fingerprint, registry
from experiments.engine.cell import Cell, Sabotaged, fold
from experiments.engine.store import Chunk, Store
from experiments.engine.streams import LEDGER_ROOT, generator


class Fault(Exception):
    """The run cannot go on, through nobody's mistake; the message is one line, and stored work is kept."""


HUNG = 300  # seconds after which a chunk counts as hung; no verdict depends on it


@contextlib.contextmanager
def deadline(seconds):
    """Raise TimeoutError in the main thread of a worker after `seconds`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_):
        raise TimeoutError(f"no result after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def compute(key, setting, stream, index, root, factor, size):
    """One chunk, in a worker. Returns a `Chunk`, or the text of what it raised."""
    claim = registry.find(key)
    rng = generator(root, key, setting, stream, index)
    digest = rng.bytes(16)
    start = time.perf_counter()
    arguments = dict(setting)
    if factor != 1 and claim.control.of == "trial":
        arguments["factor"] = factor
    try:
        with deadline(HUNG):
            if claim.style == "exact":
                payload = claim.trial(**arguments)
            else:
                if claim.style == "attack":
                    arguments |= {"root": root, "key": key, "stream": stream, "index": index}
                decider = claim.decider(setting, factor)
                payload = decider.pack(claim.trial(rng, size, **arguments))
                decider.add(payload)  # raises here what would raise when folding, before anything is stored
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return Chunk(payload, time.perf_counter() - start, digest)


@dataclass
class Job:
    """A claim in a run: its cells, its control, and what has been handed out."""

    claim: object
    root: int
    profile: str
    store: Store
    cells: list = field(default_factory=list)

    def __post_init__(self):
        self.code = fingerprint.of_claim(self.claim)
        settings = [s for s in self.claim.settings(self.profile) if not self.claim.theorem.skipped(s)]
        self.cells = [self._open(Cell(self.claim, setting)) for setting in settings]
        self.control = Sabotaged(self.claim)
        self.active = list(self.cells)
        self.open_control()

    def _open(self, cell):
        cell.ahead = self.store.read(self.claim.key, self.code, self.root, cell.where)
        cell.handed = 0
        self.store.mark_failed(self.claim.key, self.code, self.root, cell.where, None)
        return fold(cell, cell.ahead)

    def open_control(self):
        """Open control cells until one needs work or the control is over."""
        while (cell := self.control.next_cell()) is not None:
            self.active.append(self._open(cell))

    def next_index(self, cell):
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

    def receive(self, cell, index, result):
        """Store and fold one result."""
        if isinstance(result, str):
            cell.fail(result)
            if cell.verdict is not None:
                self.store.mark_failed(self.claim.key, self.code, self.root, cell.where, result)
            cell.handed = min(cell.handed, index)
        else:
            self.store.write(self.claim.key, self.code, self.root, cell.where, index, result)
            cell.ahead[index] = result
            fold(cell, cell.ahead)
        if cell.verdict is not None:
            self.open_control()

    @property
    def done(self):
        return all(cell.verdict is not None for cell in self.active)


def plan(claims, profile):
    """Planned core-seconds of each claim, by arithmetic: chunks x trials x committed cost, controls included."""
    return {claim.key: sum(cell_cost(claim, s) for s in planned(claim, profile)) for claim in claims}


def planned_table(claims, profile):
    """Planned core-seconds a module and in all."""
    by_module: dict = {}
    for claim, seconds in zip(claims, plan(claims, profile).values(), strict=True):
        module = registry.module_of(claim)
        by_module[module] = by_module.get(module, 0.0) + seconds
    lines = [f"{module:32} {value:9.1f}" for module, value in by_module.items()]
    return "\n".join([*lines, f"{'all':32} {sum(by_module.values()):9.1f}  core-seconds at the caps"])


def planned(claim, profile):
    """The settings a profile may run at most, the control's once for each factor."""
    settings = [s for s in claim.settings(profile) if not claim.theorem.skipped(s)]
    control = Sabotaged(claim)
    if claim.control is not None and control.setting is not None:
        settings += [control.setting] * len(claim.control.factors)
    return settings


def cell_cost(claim, setting):
    """Planned core-seconds of one cell at its cap."""
    if claim.style == "exact":
        return claim.cost
    return claim.cap * claim.chunk(**setting) * claim.cost


def execute(claims, store, *, root=LEDGER_ROOT, profile="quick", jobs=1, dask=None, progress=False):
    """Decide `claims`; every chunk goes to `store`. Returns the jobs."""
    running = [Job(claim, root, profile, store) for claim in claims]
    bar = tqdm(total=len(running), unit="claim", file=sys.stderr, disable=not progress)
    backend = contextlib.nullcontext()
    if dask:
        from distributed import Client

        client = Client(dask)
        backend = joblib.parallel_config(backend="dask")
    lock, flying = threading.Lock(), {}
    try:
        with backend:
            while not all(job.done for job in running):
                parallel = joblib.Parallel(
                    n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
                )
                for ticket, result in parallel(_tasks(running, flying, lock, root)):
                    job, cell, index = flying[ticket]
                    with lock:
                        job.receive(cell, index, result)
                    bar.update(sum(j.done for j in running) - bar.n)
    except (TerminatedWorkerError, ShutdownExecutorError):
        raise Fault("a worker died (killed, or out of memory); what was finished is stored, run it again") from None
    except BaseException:
        get_reusable_executor().shutdown(wait=False, kill_workers=True)  # no worker outlives an interrupted run
        raise
    finally:
        bar.close()
        if dask:
            client.close()
    for job in running:
        store.mark_done(job.claim.key, job.code, root, profile)
    return running


def _tasks(running, flying, lock, root):
    """The next chunk of the next undecided cell, round-robin over the cells that are open now."""
    cells = [(job, cell) for job in running for cell in job.active if cell.verdict is None]
    while cells:
        left = []
        for job, cell in cells:
            with lock:
                index = job.next_index(cell)
            if index is None:
                continue
            left.append((job, cell))
            ticket = len(flying)
            flying[ticket] = (job, cell, index)
            arguments = (job.claim.key, cell.setting, cell.stream, index, root, cell.factor, cell.size)
            yield joblib.delayed(_ticketed)(ticket, *arguments)
        cells = left


def _ticketed(ticket, *arguments):
    return ticket, compute(*arguments)


def decide(key, *, root, profile="quick", store=None):
    """One claim and what it rests on, in this process: its ledger row. What the tests call."""
    from experiments.engine.ledger import ledger

    if (claim := registry.find(key)) is None:
        raise ValueError(f"claim = {key!r} is not registered")
    store = store or Store()
    execute(registry.closure([key]), store, root=root, profile=profile)
    return next(row for row in ledger(store, root, [claim]) if row["key"] == key)


def decided(name, *, root=LEDGER_ROOT, profile="quick", jobs=1, first=False, width=160):
    """Decide one module of claims in a store of its own: (its rows, the cells of each row, the table as text).

    `first` tries the first admissible setting of every claim only, without its control: a look, not a verdict.
    """
    from experiments.engine.ledger import ledger_with_cells, table

    claims = registry.load([name])[name]
    if first:
        claims = [_first(claim) for claim in claims]
        rows = [(claim, execute([claim], Store(), root=root, jobs=jobs)[0].cells) for claim in claims]
        lines = [f"{claim.key:50} {cells[0].verdict.outcome if cells else 'no setting'}" for claim, cells in rows]
        return [{"key": claim.key} for claim, _ in rows], [cells for _, cells in rows], "\n".join(lines)
    store, keys = Store(), {claim.key for claim in claims}
    execute(registry.closure(keys), store, root=root, profile=profile, jobs=jobs, progress=True)
    pairs = [(row, cells) for row, cells in ledger_with_cells(store, root, claims) if row["key"] in keys]
    rows = [row for row, _ in pairs]
    return rows, [cells for _, cells in pairs], table(rows, width)


def _first(claim):
    settings = [s for s in claim.quick if not claim.theorem.skipped(s)]
    return replace(claim, quick=tuple(settings[:1]), full=(), control=None, cap=1)
