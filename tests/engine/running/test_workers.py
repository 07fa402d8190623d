"""Processes that end under their chunk: nothing is lost but the chunk that ends its process again when it is alone."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from unittest import mock

import pytest

from lemmata.experiments.engine.running import cluster, workers
from lemmata.experiments.engine.running.schedule import FinalFailure
from tests.engine.running import faults
from tests.engine.running.faulted import rows
from tests.engine.running.test_meanwhile import TRIAL, edited


@pytest.fixture(autouse=True, scope="module")
def _no_pool_is_left():
    """joblib takes a pool of loky's for one of its own, in whatever test comes next in this process."""
    yield
    workers.get_reusable_executor(1).shutdown(wait=True, kill_workers=True)


def results(compute, chunks=6):
    """{ticket: result} of so many chunks, all in flight at once in two processes."""
    pool = workers.ProcessPool(compute, 2)
    try:
        for ticket in range(chunks):
            pool.submit(ticket, ticket)
        return dict(pool.result() for _ in range(chunks))
    finally:
        pool.kill()


def test_the_chunk_that_takes_its_process_along_is_given_up_and_no_other():
    """As the kernel ends who takes more memory than there is."""

    def compute(index):
        if index == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"chunk {index}"

    arrived = results(compute)
    assert isinstance(arrived[3], FinalFailure) and "was killed, or ran out of memory" in arrived[3]
    assert {ticket: text for ticket, text in arrived.items() if ticket != 3} == {
        ticket: f"chunk {ticket}" for ticket in (0, 1, 2, 4, 5)
    }


def test_a_chunk_whose_process_was_killed_once_is_computed_again(tmp_path):
    mark = str(tmp_path / "killed")

    def compute(index):
        if index == 3 and not os.path.exists(mark):
            open(mark, "x").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return f"chunk {index}"

    assert results(compute) == {ticket: f"chunk {ticket}" for ticket in range(6)}
    assert os.path.exists(mark)


def test_compiled_code_that_has_no_end_is_given_up(monkeypatch):
    """No alarm reaches a loop that never comes back to the interpreter."""
    monkeypatch.setattr(workers, "DEAF", 2)

    def compute(index):
        return any(itertools.repeat(False)) if index == 1 else f"chunk {index}"

    arrived = results(compute, 3)
    assert isinstance(arrived[1], FinalFailure) and "gave no sign for 2 seconds" in arrived[1]
    assert (arrived[0], arrived[2]) == ("chunk 0", "chunk 2")


def test_what_clears_away_after_others_hears_nothing_of_a_closed_terminal():
    """Its process inherits that SIGHUP is blocked; this one goes on to hear it."""

    def blocked():
        return signal.SIGHUP in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    seen = []
    workers.start_tracker(SimpleNamespace(ensure_running=lambda: seen.append(blocked())))
    assert seen == [True] and not blocked()


def test_whoever_waits_can_be_interrupted():
    """Ctrl-C while a chunk is computed ends the wait at once, and no process is left."""

    def compute(index):
        time.sleep(30)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a command in the background ignores it
    threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), workers.open_pool(compute, 2) as pool:
        pool.submit(0, 0)
        pool.result()
    signal.signal(signal.SIGINT, before)
    assert not workers.get_reusable_executor(2)._processes or pool.executor._flags.shutdown


def test_what_nobody_has_begun_is_forgotten_in_silence():
    """Of a pool that is killed: a chunk that waits for its turn raised in loky's thread, with a traceback."""
    pool = workers.ProcessPool(lambda index: f"chunk {index}", 2)
    pool.submit(0, 0)
    pool.result()
    managing = pool.executor._executor_manager_thread
    pool.executor._work_ids.put(99)  # and nobody knows it, as after loky has forgotten it
    pool.kill()
    managing.join()  # what a thread raises fails the test


PARENT = """
from lemmata.experiments.engine.running import workers
def compute(index):
    import os, time
    os.write(1, b"%d\\n" % os.getpid())  # whole, as two write at once
    time.sleep(60)
with workers.open_pool(compute, 2) as pool:
    pool.submit(0, 0)
    pool.submit(1, 1)
    pool.result()
"""


def test_no_worker_outlives_a_parent_that_was_killed():
    """Nobody tells them: the pipe that they share with this test closes when the last of them has ended."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    with parent:
        pids = {int(parent.stdout.readline()) for _ in range(2)}
        parent.kill()
        parent.stdout.read()
    assert all(map(faults.is_gone, pids))  # they say goodbye within a second


def test_without_proc_a_run_goes_on_in_one_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(workers, "MEMORY", "/proc/missing")
    with workers.open_pool(lambda index: f"chunk {index}", 2) as pool:
        pool.submit(0, 7)
        assert (pool.workers, pool.result()) == (1, (0, "chunk 7"))
    assert capsys.readouterr().err == (
        "lemmata: no worker process can be started here (/proc/missing is missing); going on in one\n"
    )


def test_where_no_thread_can_be_started_one_line_says_what_works(monkeypatch):
    """As under a limit of address space: nothing can be computed elsewhere, and everything here."""

    refused = mock.Mock(side_effect=RuntimeError("can't start new thread"))
    with workers.open_pool(lambda index: f"chunk {index}", 2) as pool:
        monkeypatch.setattr(pool.executor, "submit", refused)
        with pytest.raises(workers.WorkersLost, match=r"no worker process can be started \(can't start new thread\);"):
            pool.submit(0, 7)


def test_processes_end_in_silence_where_nothing_lists_their_children(monkeypatch):
    """Without psutil, and pgrep is in no slim image: loky would die of it in a thread of its own, in 45 lines."""
    monkeypatch.setattr("joblib.externals.loky.backend.utils.psutil", None)
    monkeypatch.setenv("PATH", "")
    pool = workers.ProcessPool(time.sleep, 2)
    pool.submit(0, 60)
    alive, thread = list(pool.executor._processes.values()), pool.executor._executor_manager_thread
    pool.kill()
    for one in (*alive, thread):
        one.join(20)
        assert not one.is_alive()


FATAL = "    __import__('os').kill(__import__('os').getpid(), 9)\n"


@pytest.mark.slow
def test_a_run_goes_on_without_the_chunk_that_kills(paper, tmp_path):
    """The row of that chunk is FAILED and says why; all the others are decided."""
    folder, edit = edited(paper, tmp_path, TRIAL, FATAL + TRIAL)
    edit()
    out = tmp_path / "out"
    ran = faults.run(faults.command("run", folder, "--jobs", "2", "--out", out))
    assert ran.status == 3, ran.said
    listed = rows(folder, out)
    lost = next(row for row in listed if row["key"] == "inv25.thm3/printed")
    assert lost["reason"] == "FAILED" and "was killed, or ran out of memory" in lost["note"]
    assert {row["verdict"] for row in listed if row is not lost} == {"HOLDS", "REFUTED"}


@pytest.mark.parametrize(("last", "named"), [(SimpleNamespace(address="tcp://a:1"), "tcp://a:1;"), (None, "of them;")])
def test_a_chunk_that_kills_workers_of_a_cluster_is_one_line(monkeypatch, last, named):
    scheduler = pytest.importorskip("distributed.scheduler")
    client = contextlib.nullcontext(SimpleNamespace(close=lambda timeout: None))
    monkeypatch.setattr("distributed.Client", lambda address, timeout: client)
    with pytest.raises(workers.WorkersLost, match=f"the last one .*{named}"), cluster.connect("tcp://b:2"):
        raise scheduler.KilledWorker("chunk", last, 3)
