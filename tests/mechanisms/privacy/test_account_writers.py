"""An account on disk, and whoever writes it: full disks, two writers at once, forks, kill -9."""

import contextlib
import errno
import json
import os
import re
import subprocess
import sys
import warnings
from unittest.mock import Mock

import pytest

from lemmata import Accountant, PureDP
from tests.mechanisms.privacy.account_on_disk import RELEASES

# Failures while it is written -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["write", "fsync", "stat"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr)
def test_a_failure_closes_the_account_and_the_file_knows(spent, monkeypatch, call, error):
    account = Accountant.open(spent)
    with monkeypatch.context() as patched:
        patched.setattr(os, call, Mock(side_effect=error))
        with pytest.raises(type(error)) as raised:
            account.spend(PureDP(0.01))
    if isinstance(error, OSError):
        assert raised.value.filename == str(spent) and raised.value.errno == errno.ENOSPC
    with pytest.raises(ValueError, match=r"path is closed, so nothing can be charged to it: .*"):
        account.spend(PureDP(0.01))
    with Accountant.open(spent) as account:
        assert len(account.history) == (5 if call == "fsync" else 4)  # what was written counts, released or not


def test_a_spend_is_on_disk_before_it_returns(spent, monkeypatch):
    """What the file holds at each fsync; the last one of a spend holds its line."""
    held = []
    monkeypatch.setattr(os, "fsync", lambda file: held.append(os.fstat(file).st_size))
    with Accountant.open(spent) as account:
        for spends in (1, 2):
            account.spend(PureDP(0.01))
            assert len(held) == spends and held[-1] == spent.stat().st_size


def test_a_file_that_was_moved_takes_no_spend(spent):
    account = Accountant.open(spent)
    spent.rename(spent.with_suffix(".old"))
    spent.write_bytes(spent.with_suffix(".old").read_bytes())
    with pytest.raises(ValueError, match=r"path was replaced by another file since it was opened: .*"):
        account.spend(PureDP(0.01))


def test_short_writes_are_finished(spent, monkeypatch):
    whole = os.write
    with Accountant.open(spent) as account, monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda file, data: whole(file, data[:7]))
        account.spend(PureDP(0.01), "in pieces")
    with Accountant.open(spent) as account:
        assert account.history[-1] == ("in pieces", PureDP(0.01))


# Two writers ----------------------------------------------------------------------------------------------------------

OPEN = "from lemmata.mechanisms.privacy.accountant import Accountant; account = Accountant.open(sys.argv[1])"


def python(program, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options
    )


def test_one_writer_at_a_time(spent):
    account = Accountant.open(spent)
    line = f"path is already open, in this or another process: {spent}"
    with pytest.raises(BlockingIOError, match=f"^{re.escape(line)}$"):
        Accountant.open(spent)
    refused = python(f"import sys; {OPEN}", spent)
    assert refused.returncode == 1 and refused.stderr.strip().splitlines()[-1] == f"BlockingIOError: {line}"
    account.spend(PureDP(0.01))  # the refused one harmed nothing
    account.close()
    assert python(f"import sys; {OPEN}", spent).returncode == 0


def fork():
    """Number of the child, 0 in it; without the warning of forking beside threads."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        return os.fork()


def in_a_fork(run):
    """What `run` returns, or the name of what it raises, in a forked child."""
    read, write = os.pipe()
    child = fork()
    if child == 0:
        try:
            said = str(run())
        except BaseException as error:
            said = type(error).__name__
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_spends_nothing_and_takes_no_lock_with_it(spent):
    account = Accountant.open(spent)
    before = spent.read_bytes()
    assert in_a_fork(lambda: account.spend(PureDP(0.001))) == "TypeError"
    assert in_a_fork(lambda: Accountant.open(spent)) == "BlockingIOError"
    assert in_a_fork(account.close) == "None"
    assert in_a_fork(lambda: Accountant.open(spent)) == "BlockingIOError"  # a child's closing frees nothing
    assert spent.read_bytes() == before
    account.spend(PureDP(0.001), "after the children")
    wait, go = os.pipe()
    child = fork()
    if child == 0:
        os.close(go)
        os.read(wait, 1)  # lives on, the file open
        os._exit(0)
    account.close()
    with Accountant.open(spent) as again:
        assert again.history[-1][0] == "after the children"
    os.close(go)
    os.close(wait)
    os.waitpid(child, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_a_disk_that_is_full_grants_nothing(spent):
    """A child whose files may not grow: the spend fails, and what was cut short is dropped when it is opened again."""
    import resource
    import signal

    before = spent.read_bytes()

    def fill():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = len(before) + 40  # in the middle of the next line
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        with Accountant.open(spent) as account:
            account.spend(PureDP(0.001))

    assert in_a_fork(fill) == "OSError"
    assert spent.read_bytes()[: len(before)] == before and len(spent.read_bytes()) == len(before) + 40
    with pytest.warns(UserWarning, match="was never granted"), Accountant.open(spent) as account:
        assert account.history == tuple(RELEASES)
    assert spent.read_bytes() == before


def test_an_account_that_is_forgotten_gives_up_its_lock(spent):
    Accountant.open(spent)
    Accountant.open(spent).close()


# Children that spend until they are killed. Each writes a byte once a spend has returned, and stops after `count` of
# them at a random call of the system: before, in the middle of, or after a write, or before or after its fsync.
KILLED = """
import os, random, signal, sys, warnings
from lemmata.mechanisms.privacy.accountant import Accountant
from lemmata.mechanisms.privacy import GaussianDP, PureDP, ApproxDP

path, root, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
write, fsync = os.write, os.fsync

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def child(pipe, draw):
    place, calls = draw.randrange(5), draw.randrange(1, 40)
    def counted():
        nonlocal calls
        calls -= 1
        return calls == 0
    def dying_write(file, data):
        last = counted()
        if last and place == 0: die()
        if last and place == 1: write(file, data[: draw.randrange(1, len(data))]); die()
        written = write(file, data)
        if last and place == 2: die()
        return written
    def dying_fsync(file):
        last = calls == 1
        if last and place == 3: die()
        fsync(file)
        if last and place == 4: die()
    os.write, os.fsync = dying_write, dying_fsync
    account = Accountant.open(path)
    while True:
        account.spend(draw.choice([PureDP(1e-4), GaussianDP(1e-3), ApproxDP(1e-6, 1e-12)]))
        write(pipe, b".")

released, draw = 0, random.Random(root)
Accountant.open(path, ApproxDP(50.0, 1e-5), reserve=ApproxDP(10.0, 5e-6)).close()
torn = 0
for _ in range(rounds):
    there, here = os.pipe()
    if (pid := os.fork()) == 0:
        warnings.simplefilter("ignore")
        try:
            child(here, draw)
        finally:
            os._exit(9)
    os.close(here)
    returned = b"".join(iter(lambda: os.read(there, 4096), b""))
    os.close(there)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, status
    draw.random()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Accountant.open(path) as account:
            kept = len(account.history)
    torn += len(caught)
    assert released + len(returned) <= kept <= released + len(returned) + 1, (released, len(returned), kept)
    released = kept
print(released, torn)
"""


LATE = """
from lemmata.mechanisms.privacy.account_file import AccountFile
append = AccountFile.append
def later(self, entry):
    waiting = getattr(self, "waiting", None)
    self.waiting = entry
    if waiting: append(self, waiting)
AccountFile.append = later
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")
def test_kill_9_loses_no_release(path):
    """Every release that a spend was granted for is in the file, and at most one more; the next child goes on."""
    ended = python(KILLED, path, 20261123, 60)
    assert ended.returncode == 0, ended.stderr
    released, torn = map(int, ended.stdout.split())
    assert released > 500 and torn >= 5  # some died in the middle of a line
    assert len(path.read_bytes().splitlines()) == released + 1
    assert all(json.loads(line) for line in path.read_bytes().splitlines())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")
def test_kill_9_loses_releases_that_are_not_written_first(path):
    """The same children on an account that writes after it answers: the test above can fail."""
    ended = python(LATE + KILLED, path, 20261123, 60)
    assert ended.returncode == 1 and "AssertionError: (" in ended.stderr


def test_a_killed_writer_gives_up_its_lock(spent):
    """By the system, however it ends."""
    holds = f"import sys; {OPEN}; print('x', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", holds, str(spent)], stdin=-1, stdout=-1) as writer:
        assert writer.stdout.read(1) == b"x"
        with pytest.raises(BlockingIOError):
            Accountant.open(spent)
        writer.kill()
    with contextlib.closing(Accountant.open(spent)) as account:
        account.spend(PureDP(0.01))
