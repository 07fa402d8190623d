"""Dask clusters of real processes: the same ledger, workers that are not as we are, and the end of a scheduler."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from lemmata.command.main import main
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.running import cluster, run
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.engine.toy import rows_of

pytestmark = pytest.mark.slow
TOPIC = "bms22/sign_projection"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def claims():
    return registry.closure([claim.key for claim in registry.load()[TOPIC]])


@contextmanager
def processes(tmp_path, workers=2, preload=None):
    """(the scheduler's process, its address) with `workers` processes, each of which runs `preload` first."""
    address_file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    started = [subprocess.Popen([*dask, "--no-dashboard", "--scheduler-file", str(address_file)], **QUIET)]
    try:
        while not (address_file.exists() and address_file.read_text().strip().endswith("}")):
            assert started[0].poll() is None
            time.sleep(0.05)
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(address_file)]
        worker += ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(tmp_path)]
        worker += ["--preload", str(preload)] if preload else []
        started += [subprocess.Popen(worker, **QUIET) for _ in range(workers)]
        from distributed import Client

        with Client(scheduler_file=str(address_file)) as client:
            if workers:
                client.wait_for_workers(workers, timeout=60)
            address = client.scheduler.address
        yield started[0], address
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_cluster_gives_the_same_ledger():
    here, there = Store(), Store()
    run.execute(claims(), here, root=TEST_ROOT)
    run.execute(claims(), there, root=TEST_ROOT, dask="local:2")
    assert rows_of(here) == rows_of(there)


OUTDATED = """import numpy
numpy.__version__ = "1.0.0"
"""
EDITED = f"""from lemmata.experiments.engine.claims import registry
for claim in registry.load(["{TOPIC}"])["{TOPIC}"]:
    object.__setattr__(claim, "trial", lambda *given, **named: 1 / 0)
"""


@pytest.mark.parametrize(("preload", "said"), [(OUTDATED, "numpy 1.0.0 for "), (EDITED, "code ")])
def test_a_worker_that_is_not_as_we_are_is_refused_by_name(tmp_path, preload, said):
    """Another numpy, and a check that was edited since the worker loaded it: nothing of theirs is stored."""
    script = tmp_path / "preload.py"
    script.write_text(preload)
    with processes(tmp_path, workers=1, preload=script) as (_, address), Store() as store:
        with pytest.raises(run.Fault, match=r"differs from this process") as refused:
            run.execute(claims(), store, root=TEST_ROOT, dask=address)
        assert said in str(refused.value) and "process " in str(refused.value)
        assert store.chunks().empty


def test_the_end_of_a_scheduler_is_one_line_and_what_was_stored_stays(tmp_path):
    command = [sys.executable, "-m", "lemmata", "run", "bms22", "--profile", "full", "--out", str(tmp_path), "--dask"]
    with processes(tmp_path) as (scheduler, address):
        process = subprocess.Popen([*command, address], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        store = tmp_path / "ledger.sqlite"
        while not (store.exists() and Store(store, reading=True).roots()):
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.1)
        os.kill(scheduler.pid, signal.SIGKILL)
        message = process.communicate(timeout=90)[1]
    assert process.returncode == 3, message
    assert message.splitlines()[-1].startswith("lemmata: the scheduler at ") and "run it again" in message
    assert "Traceback" not in message
    with Store(tmp_path / "ledger.sqlite", reading=True) as kept:
        assert not kept.chunks().empty


def test_a_scheduler_without_workers_is_one_line(tmp_path):
    with processes(tmp_path, workers=0) as (_, address), pytest.raises(run.Fault, match="no worker has joined"):
        run.execute(claims(), Store(), root=TEST_ROOT, dask=address)


@pytest.mark.parametrize("address", ["local:0", "local:x", "tcp://127.0.0.1:9"])
def test_an_address_that_nobody_serves_is_one_line(tmp_path, address, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    refused = CliRunner().invoke(main, ["run", TOPIC, "--dask", address, "--out", str(tmp_path)])
    said = refused.stderr.splitlines()[-1]
    assert refused.exit_code == 3 and said.startswith("lemmata: --dask ") and address in said, said
