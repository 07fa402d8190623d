"""One run: claims become cells, cells become chunks, chunks go to the store as they arrive.

`schedule` hands out chunks without rounds; workers compute them; the parent folds in index order and stops a cell at
its verdict. Kill it at any moment and start again: it continues where it stopped.
"""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent import futures
from typing import Any, Never

from flint import ctx
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import ShutdownExecutorError, TerminatedWorkerError
from tqdm import tqdm

from lemmata.bounds.library import library
from lemmata.experiments.engine import cluster, costs, registry
from lemmata.experiments.engine.claim import Claim, Setting
from lemmata.experiments.engine.schedule import Job, Pool, Result, Schedule, drive
from lemmata.experiments.engine.store import Chunk, Store
from lemmata.mechanisms.streams import LEDGER_ROOT, generator


class Fault(Exception):
    """The run cannot go on, through nobody's mistake; the message is one line, and stored work is kept."""


HUNG = 300  # CPU seconds, all threads and ended children together, after which a chunk counts as hung
PRECISION = 53  # bits of a ball at the beginning of every chunk
PATIENCE = 4  # times as long by the clock, for a chunk that waits and does not compute; no verdict depends on either
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # fixes every sum


def cpu_seconds() -> float:
    """What this process has computed: all its threads, and its children that have ended."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in this thread after `seconds` of CPU time, or `PATIENCE` times as long by the clock.

    In the main thread a signal does it, which ends even a sleep; in any other thread a watchman, at the next step of
    Python's interpreter.
    """
    late = TimeoutError(f"no result after {seconds:g} CPU seconds, or {PATIENCE * seconds:g} by the clock")
    if threading.current_thread() is threading.main_thread():
        watch = _alarms(late, seconds)
    else:
        watch = _watchman(late, seconds)
    with watch:
        yield


@contextlib.contextmanager
def _alarms(late: TimeoutError, seconds: float) -> Iterator[None]:
    def ring(*_: object) -> Never:
        raise late

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, seconds), (signal.SIGALRM, signal.ITIMER_REAL, PATIENCE * seconds))
    before = [signal.signal(number, ring) for number, *_ in timers]
    for _, timer, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@contextlib.contextmanager
def _watchman(late: TimeoutError, seconds: float) -> Iterator[None]:
    thread, over = threading.get_ident(), threading.Event()
    clock = time.pthread_getcpuclockid(thread)  # of this thread alone: others may be at chunks of their own
    began, limit = time.clock_gettime(clock), time.monotonic() + PATIENCE * seconds

    def watch() -> None:
        while not over.wait(min(1.0, seconds / 10)):
            if time.clock_gettime(clock) - began > seconds or time.monotonic() > limit:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeoutError))
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except TimeoutError:
        raise late from None
    finally:
        over.set()


def compute(
    key: str,
    setting: Setting,
    stream: str,
    index: int,
    root: int,
    factor: float,
    size: int,
    brought: Iterable[tuple[str, str]] = (),
) -> Result:
    """One chunk, in a worker, of the papers that are `brought`. Returns a `Chunk`, or the text of what it raised."""
    for folder, package in brought:
        library.add(folder, package)
    claim = registry.find(key)
    assert claim is not None, f"{key} is handed out and not registered here"
    rng = generator(root, key, setting, stream, index)
    digest = rng.bytes(16)
    start, spent = time.perf_counter(), cpu_seconds()
    arguments = claim.arguments(setting, factor, root=root, stream=stream, index=index)
    try:
        with deadline(HUNG), ctx.workprec(PRECISION):  # whatever this process computed before
            decider = claim.decider(setting, factor)
            if decider is None:
                payload = claim.trial(**arguments)
            else:
                payload = decider.pack(claim.trial(rng, size, **arguments))
                decider.add(payload)  # raises here what would raise when folding, before anything is stored
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return Chunk(payload, time.perf_counter() - start, digest, cpu_seconds() - spent)


def plan(claims: Iterable[Claim], profile: str) -> dict[str, float]:
    """Planned core-seconds of each claim, by arithmetic: chunks x trials x measured cost, controls included."""
    return {claim.key: sum(costs.of_cell(claim, s) for s in costs.planned(claim, profile)) for claim in claims}


def planned_table(claims: Sequence[Claim], profile: str) -> str:
    """Planned core-seconds a module and in all."""
    by_module: dict[str, float] = {}
    for claim, seconds in zip(claims, plan(claims, profile).values(), strict=True):
        module = registry.module_of(claim)
        by_module[module] = by_module.get(module, 0.0) + seconds
    lines = [f"{module:32} {value:9.1f}" for module, value in by_module.items()]
    return "\n".join([*lines, f"{'all':32} {sum(by_module.values()):9.1f}  core-seconds at the caps"])


class Here:
    """This process as its own only worker."""

    workers = 1

    def __init__(self) -> None:
        self.waiting: deque[tuple[int, tuple]] = deque()

    def submit(self, ticket: int, *chunk: Any) -> None:
        self.waiting.append((ticket, chunk))

    def result(self) -> tuple[int, Result]:
        ticket, chunk = self.waiting.popleft()
        return ticket, compute(*chunk)


class Workers:
    """The processes behind an executor, of loky or of a Dask cluster."""

    def __init__(self, executor: futures.Executor, workers: int) -> None:
        self.executor, self.workers = executor, workers
        self.tickets: dict[futures.Future[Result], int] = {}
        self.done: deque[futures.Future[Result]] = deque()

    def submit(self, ticket: int, *chunk: Any) -> None:
        arguments = (*chunk, library.brought)
        self.tickets[self.executor.submit(compute, *arguments)] = ticket

    def result(self) -> tuple[int, Result]:
        if not self.done:
            self.done.extend(futures.wait(self.tickets, return_when=futures.FIRST_COMPLETED).done)
        future = self.done.popleft()
        return self.tickets.pop(future), future.result()

    def drop(self) -> bool:
        """Cancel what nobody waits for; whether something of it runs already."""
        return not all([future.cancel() or future.done() for future in self.tickets])


class Cluster(Workers):
    """Workers of a Dask cluster, each of which shows that it is as this process is before its chunks are believed."""

    def __init__(self, executor: futures.Executor, workers: int, codes: dict[str, str]) -> None:
        super().__init__(executor, workers)
        self.parent, self.codes = cluster.here(), codes

    def submit(self, ticket: int, *chunk: Any) -> None:
        arguments = (self.parent, self.codes[chunk[0]], library.brought, compute, *chunk)
        self.tickets[self.executor.submit(cluster.believed, *arguments)] = ticket


@contextlib.contextmanager
def pool_of(jobs: int, dask: str | None, codes: dict[str, str]) -> Iterator[Pool]:
    """Where chunks are computed: here, in `jobs` processes, or on the cluster at `dask` for claims of these `codes`."""
    if dask:
        with cluster.connected(dask) as client:
            pool: Workers = Cluster(client.get_executor(), sum(client.nthreads().values()), codes)
            yield pool
            pool.drop()
    elif jobs == 1:
        yield Here()
    else:
        try:
            executor = get_reusable_executor(jobs, env=ONE_THREAD)
        except OSError as error:  # of the semaphores that processes share, where /dev/shm is closed
            print(
                f"lemmata: no worker process can be started here ({error.strerror}); going on in one", file=sys.stderr
            )
            yield Here()
            return
        pool, over = Workers(executor, jobs), False
        try:
            yield pool
            over = not pool.drop()
        finally:
            if not over:  # no worker outlives an interrupted run, or computes what is not needed
                executor.shutdown(wait=False, kill_workers=True)


def execute(
    claims: Iterable[Claim],
    store: Store,
    *,
    root: int = LEDGER_ROOT,
    profile: str = "quick",
    jobs: int = 1,
    dask: str | None = None,
    progress: bool = False,
) -> list[Job]:
    """Decide `claims`; every chunk goes to `store`. Returns the jobs."""
    running = [Job(claim, root, profile, store) for claim in claims]
    with tqdm(total=len(running), unit="claim", file=sys.stderr, disable=None if progress else True) as bar:
        bar.update(sum(job.done for job in running))
        try:
            with pool_of(jobs, dask, {job.claim.key: job.code for job in running}) as pool:
                drive(Schedule(running, store.costs()), pool, lambda job: bar.update())
        except (TerminatedWorkerError, ShutdownExecutorError):
            message = "a worker died (killed, or out of memory); what was finished is stored, run it again"
            raise Fault(message) from None
        except (cluster.Refused, cluster.Lost) as error:
            raise Fault(f"{error}; what was finished is stored, run it again") from None
    for job in running:
        store.mark_done(job.claim.key, job.code, root, profile)
    return running
