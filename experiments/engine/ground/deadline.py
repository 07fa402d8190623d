"""How long a chunk may take, by its own CPU time and by the clock, and how much memory an evaluation."""

import contextlib
import ctypes
import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

HUNG = 300  # CPU seconds, all threads and ended children together, after which a chunk counts as hung
PATIENCE = 4  # times as long by the clock, for a chunk that waits and does not compute; no verdict depends on either
COMPILERS = ("numba", "llvmlite")
CALLBACKS = ("weakref", "_weakrefset")
ATOMIC = ("gc_callback", "__del__", "__enter__", "__exit__")  # what is not interrupted
NEAR = 5  # nor what it calls so far down
TICKS = 20  # pieces of a time by the clock: a process that is stopped, say by Ctrl-Z, and goes on later, misses one


def cpu_seconds() -> float:
    """What this process has computed: all its threads, and its children that have ended."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


@contextlib.contextmanager
def memory_limit(more: int) -> Iterator[None]:
    """Raise MemoryError where this process asks for so many bytes more than it has. On Linux; elsewhere no limit."""
    try:
        mapped = int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
    except OSError:
        mapped = None
    before = soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if mapped is not None:
        allowed = [mapped + more, *(limit for limit in before if limit != resource.RLIM_INFINITY)]
        resource.setrlimit(resource.RLIMIT_AS, (min(allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


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
    left, over = TICKS, False

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal left
        left -= number == signal.SIGALRM
        if not over and (number == signal.SIGPROF or left <= 0) and not _is_busy(frame):
            raise late  # and again after a tick, if what was interrupted swallows it

    tick = PATIENCE * seconds / TICKS
    timers = ((signal.SIGPROF, signal.ITIMER_PROF, (seconds, tick)), (signal.SIGALRM, signal.ITIMER_REAL, (tick, tick)))
    before = [signal.signal(number, ring) for number, *_ in timers]
    try:
        try:
            for _, timer, times in timers:
                signal.setitimer(timer, *times)
            yield
        finally:
            over = True  # before any call, in which it could ring
    finally:  # also where it rang in between
        over = True
        for _, timer, _ in timers:
            signal.setitimer(timer, 0)
        for (number, *_), handler in zip(timers, before, strict=True):
            signal.signal(number, handler)


def _is_busy(frame: FrameType | None) -> bool:
    """Whether a compiler is at work, which would be left half done for the rest of the process: it is waited for.

    So is what runs when an object dies, in which an error is lost, and what opens or closes a `with`, which would leave
    settings as they are, and the timers of this module running.
    """
    depth = 0
    while frame is not None:
        name, module = frame.f_code.co_name, frame.f_globals.get("__name__", "").partition(".")[0]
        if module in COMPILERS or (depth < NEAR and (name in ATOMIC or module in CALLBACKS)):
            return True
        frame, depth = frame.f_back, depth + 1
    return False


@contextlib.contextmanager
def _watchman(late: TimeoutError, seconds: float) -> Iterator[None]:
    thread, over = threading.get_ident(), threading.Event()
    clock = time.pthread_getcpuclockid(thread)  # of this thread alone: others may be at chunks of their own
    began, tick = time.clock_gettime(clock), min(1.0, seconds / 10)

    def watch() -> None:
        for left in range(round(PATIENCE * seconds / tick), 0, -1):
            if over.wait(tick):
                return
            if time.clock_gettime(clock) - began > seconds or left == 1:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeoutError))
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except TimeoutError:
        raise late from None
    finally:
        over.set()
