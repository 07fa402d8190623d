"""What all tests share: no network, the invented paper for its own test alone, and which tests concern a change."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests import selection
from tests.selection import FLATS, ROOT, within

BEGAN = time.monotonic()

collect_ignore = ["tests/fifth_paper", *(f"tests/conformance/{name}.py" for name in ("others", "mistakes"))]  # papers
# What needs a library that nothing here installs, and statements whose rows are in tests/test_commons.py.
collect_ignore_glob = ["*/tools/wild/of_*.py", "*/baselines/smt_solver.py", "*/examples/commons/*"]


def offline(event: str, given: tuple) -> None:
    """An audit hook: a test that reaches beyond this machine fails."""
    if event == "socket.connect" and isinstance(given[1], tuple) and not str(given[1][0]).startswith(("127.", "::1")):
        raise PermissionError(f"a test reaches for the network: {given[1]}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--touched", metavar="REVISION", help="ask the tests that the changes since a revision concern")
    parser.addoption("--budget", metavar="SECONDS", type=float, help="ask the nearest of them that fit into it")
    parser.addoption("--at-most", metavar="N", type=int, help="ask N of them, others at every commit")
    parser.addoption("--within", metavar="SECONDS", type=float, help="skip tests that would begin later")
    parser.addoption("--record", action="store_true", help="note what every test executes (`make record`)")


def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(offline)
    config.args = [as_imported(argument, config.invocation_params.dir) for argument in config.args]
    if config.getoption("--record"):
        worker = getattr(config, "workerinput", {}).get("workerid")
        some = config.args_source == pytest.Config.ArgsSource.ARGS  # of the others the record keeps what it knows
        before = selection.Record().executed() if some and not worker else {}
        config.pluginmanager.register(selection.Recorder(selection.FILE, worker, before))


def as_imported(argument: str, here: Path) -> str:
    """A path of ours by way of the package, `lemmata/bounds` for `bounds`.

    By the other name pytest would import the module a second time, and every record in it would be made twice.
    """
    path, *inside = argument.split("::")
    full = Path(os.path.normpath(here / path))
    named = full.relative_to(ROOT) if full.is_relative_to(ROOT) else full
    ours = named.parts and named.parts[0] in FLATS
    return "::".join([str(ROOT / "lemmata" / named), *inside]) if ours else argument


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a file of tests that no change concerns, before it is imported."""
    since = config.getoption("--touched")
    if not since or collection_path.suffix != ".py" or not collection_path.is_relative_to(ROOT):
        return None
    if collection_path.name in ("conftest.py", "__init__.py") or selection.may_concern(collection_path, since):
        return None
    return True


@pytest.hookimpl(trylast=True)  # after the marks have been asked
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that a change concerns, with `--at-most` a number of them that each commit draws anew."""
    since, most = config.getoption("--touched"), config.getoption("--at-most")
    if since:
        kept = selection.selected(items, since, config.getoption("--budget"))
        if most:
            drawn = set(sorted((item.nodeid for item in kept), key=lot)[:most])
            kept = [item for item in kept if item.nodeid in drawn]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept
    if config.getoption("--within") is not None:
        items.sort(key=lambda item: lot(within(item.path)))  # file by file, others first at every commit


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what begins after the time that a run may take."""
    seconds = item.config.getoption("--within")
    if seconds is not None and time.monotonic() - BEGAN > seconds:
        pytest.skip(f"{seconds:g} seconds are over; another commit draws another order")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """With a budget, end the run at a test that takes `selection.longest` CPU-seconds: an edit may loop for ever."""
    limit = 0.0 if item.config.getoption("--budget") is None else selection.longest(item)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt(f"{item.nodeid} has no result after {limit:g} CPU-seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def lot(nodeid: str) -> bytes:
    """The place of a test in an order that is another at every commit, and the same for all workers."""
    return hashlib.blake2b(f"{head()} {nodeid}".encode(), digest_size=8).digest()


@cache
def head() -> str:
    """The commit that is checked out."""
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
