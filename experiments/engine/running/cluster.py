"""Workers elsewhere: what has to be equal there before a chunk of theirs is believed, and how a cluster ends.

A worker's chunks are stored under the parent's code hash, so it has to run the parent's code. In each of its processes
the first chunk of a claim is preceded by a comparison with what the parent sent along: Python, numpy, SciPy, BLAS and
the bytes of a known answer, and the code of that claim as it is loaded there, which an update of the files may not have
reached. What differs is refused by name, and nothing of it is stored. BLAS gets one thread there as it does here, which
fixes the order of every sum.
"""

import contextlib
import hashlib
import logging
import os
import platform
import socket
from collections.abc import Callable, Iterator
from concurrent import futures
from functools import cache
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.special
import threadpoolctl

from lemmata.bounds.library import library
from lemmata.experiments.engine.running.workers import (
    Brought,
    ExecutorPool,
    WorkerRefused,
    WorkersLost,
    hash_loaded_claim,
    ignore_signals,
    start_tracker,
)

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 20  # seconds for a scheduler to answer


def known_answer() -> str:
    """Sums, logarithms, quantiles and a factorisation of fixed numbers, digested: BLAS kernels differ in it."""
    rows = np.random.default_rng(20251120).normal(size=(257, 65))
    gram = rows.T @ rows
    levels = scipy.special.ndtri(1 / (2 + np.abs(rows)))
    parts = (rows @ gram, np.linalg.cholesky(gram), np.log1p(np.abs(rows)), rows.sum(axis=0), levels)
    return hashlib.blake2b(b"".join(np.ascontiguousarray(part).tobytes() for part in parts), digest_size=8).hexdigest()


@cache
def describe_environment() -> dict[str, str]:
    """What a worker and its parent have to agree in, by name, with one BLAS thread from now on."""
    threadpoolctl.threadpool_limits(1)
    blas = {f"{lib['internal_api']} {lib['version']}" for lib in threadpoolctl.threadpool_info() if lib.get("version")}
    return {
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "SciPy": scipy.__version__,
        "BLAS": ", ".join(sorted(blas)),
        "known answer": known_answer(),
    }


def compute_if_equal(
    parent: dict[str, str], code: str, brought: Brought, compute: Callable, key: str, *chunk: Any
) -> Any:
    """One chunk, by a worker that agrees with its parent. Raises `WorkerRefused`."""
    for folder, package in brought:
        library.add(folder, package)
    mine, asked = {**describe_environment(), "code": hash_loaded_claim(key)}, {**parent, "code": code}
    if differing := [f"{name} {mine[name]} for {asked[name]}" for name in asked if mine[name] != asked[name]]:
        worker = f"the worker with process {os.getpid()} on {socket.gethostname()}"
        raise WorkerRefused(f"{worker} differs from this process: {', '.join(differing)} (first seen with {key})")
    return compute(key, *chunk)


class ClusterPool(ExecutorPool):
    """Workers of a Dask cluster, each of which shows that it is as this process is before its chunks are believed."""

    def __init__(self, executor: futures.Executor, workers: int, compute: Callable, codes: dict[str, str]) -> None:
        super().__init__(executor, workers)
        self.compute, self.parent, self.codes = compute, describe_environment(), codes

    def submit(self, ticket: int, *chunk: Any) -> None:
        self.send(ticket, compute_if_equal, self.parent, self.codes[chunk[0]], library.brought, self.compute, *chunk)


@contextlib.contextmanager
def open_pool(compute: Callable, address: str, codes: dict[str, str]) -> Iterator[ClusterPool]:
    """The workers of the cluster at `address`, for claims of these `codes`."""
    with connect(address) as client:
        if not (count := sum(client.nthreads().values())):
            raise WorkersLost(f"--dask = {address}: no worker has joined the scheduler yet")
        pool = ClusterPool(client.get_executor(), count, compute, codes)
        yield pool
        pool.drop()


@contextlib.contextmanager
def connect(address: str) -> "Iterator[Client]":
    """A client of the scheduler at `address`; "local:4" starts four processes on this machine. Raises `WorkersLost`."""
    from distributed import Client, LocalCluster
    from distributed.scheduler import KilledWorker

    for name in ("distributed", "distributed.client", "asyncio"):  # what they have to say comes as one line of ours
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with contextlib.ExitStack() as opened:
        kind, _, count = address.partition(":")
        if kind == "local" and count.isdecimal() and count.isascii() and int(count) >= 1:
            start_tracker(resource_tracker)
            with ignore_signals(
                "SIGINT", "SIGHUP"
            ):  # this process ends its workers, which would say something of their own
                made = LocalCluster(
                    n_workers=int(count), threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
                )
            address = opened.enter_context(made).scheduler_address
        elif kind == "local":
            raise WorkersLost(f"--dask must be local:N with N >= 1, or an address, got {address}")
        try:
            client = opened.enter_context(Client(address, timeout=PATIENCE))
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise WorkersLost(f"--dask = {address}: no scheduler answers ({reason})") from None
        opened.callback(client.close, timeout=2)  # before the end of its own `with`, which waits for a dead scheduler
        try:
            yield client
        except futures.CancelledError:
            raise WorkersLost(f"the scheduler at {address} has stopped") from None
        except KilledWorker as error:
            worker = error.last_worker.address if error.last_worker else "the last of them"
            raise WorkersLost(
                f"one chunk killed several workers, the last one {worker}; often for lack of memory"
            ) from None
