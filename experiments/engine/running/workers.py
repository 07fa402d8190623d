"""Where chunks are computed: in this process, in processes of this machine, or on a cluster.

A process can end under its chunk: the kernel kills the one that takes more memory than there is, and a call into
compiled code that has no end hears no alarm. Nobody knows then which of the chunks in flight did it, so each of them is
computed once more, alone; the one that ends its process again is given up, and the run goes on with the rest.

A process loads the code of a claim at its first chunk, and the files may have been edited since its parent loaded them:
it compares before it computes, so that no chunk of one code is stored under the name of another.
"""

import contextlib
import errno
import os
import queue
import shutil
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from functools import cache
from multiprocessing import resource_tracker as of_python
from types import ModuleType
from typing import Any

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.backend import resource_tracker as of_loky, utils as of_trees
from joblib.externals.loky.process_executor import ShutdownExecutorError, TerminatedWorkerError

from lemmata.bounds.library import library
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.ground.deadline import HUNG, PATIENCE, TICKS
from lemmata.experiments.engine.running.schedule import FinalFailure, Pool, Result

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # fixes every sum
APART = {"PYTHONSAFEPATH": "1"}  # a file random.py in the working folder is not the standard library's module
DEAF = 1.1 * HUNG * PATIENCE  # seconds by the clock, after which a process does not hear its own alarm any more
MEMORY = "/proc/self/statm"  # where a worker looks up how much it has
ENDED = (TerminatedWorkerError, ShutdownExecutorError, TimeoutError)

Chunks = Callable[..., Result]  # computes one


def _outlive_nobody(parent: int) -> None:
    """Of a worker: end within a second of its parent, whom a kill left no time to say so."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def ignore_signals(*names: str) -> Iterator[None]:
    """Start what never hears of these signals, which a terminal sends to all; this process hears them afterwards."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.Signals[name] for name in names])  # which is inherited
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_tracker(tracker: ModuleType) -> None:
    """Start the process that clears away what processes share, `tracker`'s, so that it outlives its terminal.

    By itself it ignores an interrupt and SIGTERM alone, and one that takes its place knows nothing of what was shared,
    and says so in tracebacks.
    """
    with ignore_signals("SIGHUP"):
        tracker.ensure_running()


def _executor(jobs: int) -> futures.Executor:
    """`jobs` processes that end with this one; those that are there are used again."""
    with _environment(APART):  # the two that count what processes share, which are given no `env`
        for tracker in (of_loky, of_python):
            start_tracker(tracker)
    return get_reusable_executor(jobs, env=ONE_THREAD | APART, initializer=_outlive_nobody, initargs=(os.getpid(),))


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Meanwhile, processes that start have these variables."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def start_workers(jobs: int) -> None:
    """Start `jobs` processes, which load the statements of this package while this one does so."""
    if jobs > 1:
        with contextlib.suppress(OSError, RuntimeError):  # said by whoever computes in them
            executor = _executor(jobs)
            for _ in range(jobs):
                executor.submit(_loaded)


def _loaded() -> None:
    registry.load()  # and no answer, which would be all claims


class WorkersLost(Exception):
    """Where chunks were computed is gone, or cannot be believed; the message is one line."""


class WorkerRefused(WorkersLost):
    """A worker is not what its parent is; the message says in what."""


Brought = tuple[tuple[str, str], ...]


@cache
def hash_loaded_claim(key: str) -> str:
    """The code hash of a claim as this process has loaded it."""
    claim = registry.find(key)
    return fingerprint.hash_claim(claim) if claim is not None else "nothing"


def compute_if_same_code(code: str, brought: Brought, compute: Chunks, key: str, *chunk: Any) -> Result:
    """One chunk, in a process that has loaded its claim with the code that its parent has. Raises `WorkerRefused`."""
    for folder, package in brought:
        library.add(folder, package)
    if code and hash_loaded_claim(key) != code:
        raise WorkerRefused(f"the code of {key} was edited during this run")
    return compute(key, *chunk)


class InProcess:
    """This process as its own only worker."""

    workers = 1

    def __init__(self, compute: Chunks) -> None:
        self.compute = compute
        self.waiting: deque[tuple[int, tuple]] = deque()

    def submit(self, ticket: int, *chunk: Any) -> None:
        self.waiting.append((ticket, chunk))

    def result(self) -> tuple[int, Result]:
        ticket, chunk = self.waiting.popleft()
        return ticket, self.compute(*chunk)


class ExecutorPool:
    """The processes behind an executor: what is in flight, and what has arrived."""

    def __init__(self, executor: futures.Executor, workers: int) -> None:
        self.executor, self.workers = executor, workers
        self.flying: dict[futures.Future[Result], tuple[int, tuple]] = {}
        self.done: deque[futures.Future[Result]] = deque()

    def send(self, ticket: int, *call: Any) -> None:
        """Have `call`, a function and its arguments, computed by whoever is free."""
        self.flying[self.executor.submit(*call)] = (ticket, call)

    def arrived(self, patience: float | None = None) -> futures.Future[Result]:
        """The next call that has ended, in its result or in an error. Raises `TimeoutError` after `patience`.

        It is waited for in pieces, of which one alone is over when this process was stopped, and its workers with it.
        """
        for _ in range(TICKS if patience else 1):
            if not self.done:
                wait = patience and patience / TICKS
                self.done.extend(futures.wait(self.flying, wait, return_when=futures.FIRST_COMPLETED).done)
        if not self.done:
            raise TimeoutError
        return self.done.popleft()

    def result(self) -> tuple[int, Result]:
        future = self.arrived()
        ticket, _ = self.flying.pop(future)
        return ticket, future.result()

    def drop(self) -> bool:
        """Cancel what nobody waits for; whether something of it runs already."""
        return not all([future.cancel() or future.done() for future in self.flying])


class ProcessPool(ExecutorPool):
    """`jobs` processes of this machine, which are replaced when one of them ends under its chunk."""

    def __init__(self, compute: Chunks, jobs: int, codes: Mapping[str, str] | None = None) -> None:
        super().__init__(_executor(jobs), jobs)
        self.compute, self.codes = compute, codes or {}
        self.again: deque[tuple[int, Result]] = deque()

    def submit(self, ticket: int, *chunk: Any) -> None:
        try:
            self.send(ticket, compute_if_same_code, self.codes.get(chunk[0], ""), library.brought, self.compute, *chunk)
        except RuntimeError as error:
            if type(error) is not RuntimeError:  # of loky's own, for a pool that is broken
                raise
            raise WorkersLost(f"no worker process can be started ({error}); use --jobs 1, which needs none") from None

    def result(self) -> tuple[int, Result]:
        if self.again:
            return self.again.popleft()
        try:
            future = self.arrived(DEAF)
            result = future.result()
        except ENDED:
            self._retry_alone()
            return self.again.popleft()
        return self.flying.pop(future)[0], result

    def _retry_alone(self) -> None:
        """Compute each chunk in flight in a process that nothing else uses, then start anew."""
        self.kill()
        suspects = [call for future, call in self.flying.items() if not _succeeded(future)]
        arrived = [(call[0], future.result()) for future, call in self.flying.items() if _succeeded(future)]
        self.flying.clear()
        self.done.clear()
        self.again.extend(arrived)
        for ticket, call in suspects:
            self.executor, began = _executor(1), time.monotonic()
            try:
                self.again.append((ticket, self.executor.submit(*call).result(DEAF)))
            except ENDED:
                late = time.monotonic() - began >= DEAF
                what = f"gave no sign for {DEAF:g} seconds" if late else "was killed, or ran out of memory"
                self.again.append(
                    (ticket, FinalFailure(f"its process {what}, twice, the second time alone on this machine"))
                )
                self.kill()
        self.executor = _executor(self.workers)

    def kill(self) -> None:
        """End the processes at once, those too that hear nothing."""
        processes = self.executor._processes or {}  # type: ignore[attr-defined]
        alive = list(processes.values())
        if not (of_trees.psutil or shutil.which("pgrep")):  # without both loky finds no children, and says so at length
            processes.clear()
        with contextlib.suppress(
            queue.Empty
        ):  # loky forgets what these are, looks them up then, and dies of it in words
            while True:
                self.executor._work_ids.get_nowait()  # type: ignore[attr-defined]
        self.executor.shutdown(wait=False, kill_workers=True)  # type: ignore[call-arg]  # of loky's executors
        for process in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def _succeeded(future: futures.Future[Result]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


@contextlib.contextmanager
def open_pool(compute: Chunks, jobs: int, codes: Mapping[str, str] | None = None) -> Iterator[Pool]:
    """Where chunks are computed on this machine: here, or in `jobs` processes that hold claims of these `codes`."""
    if jobs == 1:
        yield InProcess(compute)
    else:
        try:
            if sys.platform == "linux" and not os.path.exists(MEMORY):
                raise FileNotFoundError(errno.ENOENT, f"{MEMORY} is missing")  # each would die of it, one by one
            processes = ProcessPool(compute, jobs, codes)
        except OSError as error:  # of the semaphores that processes share, where /dev/shm is closed
            print(
                f"lemmata: no worker process can be started here ({error.strerror}); going on in one", file=sys.stderr
            )
            yield InProcess(compute)
            return
        over = False
        try:
            yield processes
            over = not processes.drop()
        finally:
            if not over:  # no worker outlives an interrupted run, or computes what is not needed
                processes.kill()
