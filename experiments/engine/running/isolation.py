"""A chunk that can touch no other: computed in a fork that ends with it, and FAILED if it changed what rows share.

A claim of this package is computed where it is, for speed, and what it changes is put back. A claim of any other paper
is computed in a fork of a process that has loaded its module and computed nothing. Whatever its check does, no other
chunk meets it, with one worker or many, and in any order. Where forks are not safe, on systems other than Linux, what
is known to have changed is put back there too.
"""

import contextlib
import ctypes
import functools
import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from typing import Never

import numpy as np

from lemmata.bounds.library import library
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.ground import process_state
from lemmata.experiments.engine.ground.deadline import PATIENCE
from lemmata.experiments.engine.running.schedule import FinalFailure, Result
from lemmata.mechanisms.numerics.streams import generator

LOOK = 0.05  # seconds between two looks at whether a process that has sent nothing still lives
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)
FORKED = "the check forked its process (os.fork, or multiprocessing with fork); start processes with subprocess"
end_process = os._exit  # held here, as a check may replace it


def compute_apart(
    compute: Callable[..., Result],
    key: str,
    setting: dict,
    stream: str,
    index: int,
    root: int,
    *shape: float,
    limit: float,
) -> Result:
    """One chunk of which nothing is left in this process but its result."""
    whole = functools.partial(compute, key, setting, stream, index, root, *shape, limit=limit)
    if registry.find(key) is None or library.paper(key).house:
        return compute_and_compare(whole)
    compared = functools.partial(compute_and_compare, whole, thorough=True)
    if sys.platform != "linux":
        return compared()
    seed = int(generator(root, key, setting, stream, index).integers(2**32))
    return compute_in_fork(compared, seed, 1.1 * PATIENCE * limit)


def compute_and_compare(compute: Callable[[], Result], *, thorough: bool = False) -> Result:
    """What `compute` returns, or the names of what it changed in this process, where all of that is put back.

    What a library sets while it is imported is not a change by the check: the chunk is then computed once more.
    """
    for _ in range(2):
        before, modules = process_state.read_state(thorough=thorough), len(sys.modules)
        result = compute()
        if not (changed := process_state.put_back(before)):
            return result
        if len(sys.modules) == modules:
            break
    return FinalFailure(f"the check changed {', '.join(changed)}, which all rows share")


def compute_in_fork(compute: Callable[[], Result], seed: int, patience: float) -> Result:
    """What `compute` returns in a fork whose global generators depend on `seed` alone, or how the fork ended."""
    receiving, sending = Pipe(duplex=False)
    for printing in (sys.stdout, sys.stderr):
        printing.flush()  # else the fork would print once more what waits here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: none holds a lock of ours
        parent, child = os.getpid(), os.fork()
    if not child:
        _answer(compute, seed, sending, parent)
    try:
        sending.close()
        return _await(child, receiving, patience)
    finally:
        receiving.close()
        os.kill(child, signal.SIGKILL)  # it is there, alive or not, until the next line
        os.waitpid(child, 0)


def _answer(compute: Callable[[], Result], seed: int, sending: Connection, parent: int) -> Never:
    """The life of a fork, which ends here whatever happens."""

    def refuse_to_fork() -> None:
        sending.send(FinalFailure(FORKED))
        end_process(0)

    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if callable(signal.getsignal(number)):  # the parent says the one line of an interrupt
                signal.signal(number, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(DIES_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            end_process(1)
        os.register_at_fork(before=refuse_to_fork)
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002  what a check may draw from, which draws the same everywhere
        result = compute()
        for printing in (sys.stdout, sys.stderr):
            printing.flush()
        sending.send(result)
    except BaseException as error:  # say a result that cannot be sent
        with contextlib.suppress(Exception):
            sending.send(f"{type(error).__name__}: {error}")
    finally:
        end_process(0)


def _await(child: int, receiving: Connection, patience: float) -> Result:
    """What a fork sends, or the text of how it ended without a word."""
    ended, until = None, time.monotonic() + patience
    while True:
        try:
            if receiving.poll(0 if ended else LOOK):
                return receiving.recv()
        except (EOFError, OSError):  # closed, and the process ends in a moment
            time.sleep(LOOK)
        if ended:  # and what it may have sent before that has been looked for
            killed = ended.si_code != os.CLD_EXITED
            how = f"was killed, or ran out of memory (signal {ended.si_status})"
            return f"its process {how if killed else f'ended with status {ended.si_status} and without a result'}"
        if time.monotonic() > until:
            return FinalFailure(f"its process gave no sign for {patience:g} seconds")
        ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
