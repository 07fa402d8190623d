"""Faults by a counter, as SQLite tests itself: every place where the world can say no says it once.

A command runs in a fork of this process. There the operation whose turn it is fails: a file opened to be written, a
rename, a folder made, a sync, a process started, a statement of the database, a write that finds the disk full; or the
process is killed in its stead. Whatever it was, the command ends in one line or goes on without it, and the same
command once more comes to what it would have come to.
"""

import contextlib
import errno
import os
import resource
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib.externals.loky import reusable_executor

from lemmata.command.main import main
from lemmata.experiments.engine.running import workers

NO_ROOM = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit status, or minus its signal; what it said on stderr; the places that it passed."""

    status: int
    said: str
    places: int

    @property
    def plainly(self) -> bool:
        """Killed, or done, or one line that begins with our name."""
        lines = self.said.strip().splitlines()
        in_words = bool(lines) and lines[-1].startswith("lemmata: ") and "unexpected" not in lines[-1]
        known = self.status in (0, 1, -signal.SIGKILL) or (self.status == 3 and in_words)
        return known and "Traceback" not in self.said


@dataclass
class Turn:
    """Counts the places of one kind below `folder`; at the one whose turn it is, `strike` is called."""

    kind: str
    folder: str
    turn: int = 0  # 0: only count
    strike: Callable[[Any], None] = lambda error: None
    passed: int = 0
    active: bool = True

    def here(self, error: Any = NO_ROOM) -> None:
        self.passed += 1
        if self.passed == self.turn:
            self.strike(error)

    def hear(self, event: str, given: tuple[Any, ...]) -> None:
        """An audit hook: what Python is about to do."""
        if self.active and self.kind == _KIND.get(event) and (event in STARTS or self._ours(event, given)):
            self.here(OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) if event in STARTS else NO_ROOM)

    def _ours(self, event: str, given: tuple[Any, ...]) -> bool:
        path, *rest = given
        if event == "open" and not (set(rest[0] or "") & set("wax+") or (rest[0] is None and rest[1] & WRITES)):
            return False
        return not isinstance(path, int) and os.fsdecode(path).startswith(self.folder)


STARTS = ("os.fork", "subprocess.Popen")
_KIND = {"open": "open", "os.rename": "rename", "os.mkdir": "folder", **dict.fromkeys(STARTS, "process")}


def raised(what: Any) -> None:
    """An error is raised; of a pool of processes one is killed."""
    if isinstance(what, Exception):
        raise what
    os.kill(next(iter(what.executor._processes)), signal.SIGKILL)


def killed(_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run(call: Callable[[], Any], turn: Turn | None = None, size: int | None = None) -> Ended:
    """How `call` ends in a fork, with a fault in its turn, or on a disk on which no file grows beyond `size` bytes."""
    (heard, said), (counted, count) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.setsid()
            os.dup2(said, 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            status = _inside(call, turn, size)
        except BaseException:
            traceback.print_exc()
        finally:
            if turn:
                turn.active = False
                os.write(count, str(turn.passed).encode())
            with contextlib.suppress(OSError):
                sys.stderr.flush()
            os._exit(status)
    os.close(said)
    os.close(count)
    _, waited = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # workers notice within half a minute that nobody asks any more
    with os.fdopen(heard) as lines, os.fdopen(counted) as places:
        text, passed = lines.read(), places.read()
    return Ended(os.waitstatus_to_exitcode(waited), text, int(passed or 0))


def _inside(call: Callable[[], Any], turn: Turn | None, size: int | None) -> int:
    if turn:
        _install(turn)
    if size is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond it fails, as one on a full disk does
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        call()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        if reusable_executor._executor:  # as at the end of a program; this fork ends without
            reusable_executor._executor.shutdown(kill_workers=True)
    return 0


def _install(turn: Turn) -> None:
    sys.addaudithook(turn.hear)
    if turn.kind == "sync":
        sync = os.fsync
        os.fsync = lambda file: (turn.here(), sync(file))[1]
    if turn.kind == "worker":
        send = workers.ExecutorPool.send
        workers.ExecutorPool.send = lambda pool, *chunk: (send(pool, *chunk), turn.here(pool))[0]
    if turn.kind in ("database", "written"):
        connect = sqlite3.connect
        sqlite3.connect = lambda *given, **named: connect(*given, **{"factory": _counting(turn), **named})


def _counting(turn: Turn) -> type[sqlite3.Connection]:
    class Connection(sqlite3.Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            if turn.kind == "database":
                turn.here(sqlite3.OperationalError("disk I/O error"))
            done = super().execute(*given)
            if turn.kind == "written":  # and nobody has heard of it
                turn.here(sqlite3.OperationalError("disk I/O error"))
            return done

        def executescript(self, *given: Any) -> sqlite3.Cursor:
            turn.here(sqlite3.OperationalError("database or disk is full"))
            return super().executescript(*given)

    return Connection


def is_gone(process: int, seconds: float = 15.0, kill: Callable[[int, int], None] = os.kill) -> bool:
    """Whether there is no such process, or group with `kill=os.killpg`, within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def command(*arguments: str | Path) -> Callable[[], Any]:
    """A command of `lemmata`, as the program calls it."""
    return lambda: main([str(argument) for argument in arguments], prog_name="lemmata")
