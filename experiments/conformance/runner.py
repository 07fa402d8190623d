"""Try a change of our own code in a forked child, and name the checks that notice it.

A check comes out as a word. It notices a change if it comes out otherwise than without the change. Ties and numbers of
formulas, planted mistakes and generated mutants are all tried here; `edit` makes the changes.
"""

import functools
import gc
import math
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lemmata.experiments.conformance import edit
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.ledger.ledger_rows import evaluate
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT

PASSED = "passed"
RAISED, LATE, DIED = "raised ", "late", "died"  # how a child that came to no answer is reported
CRASHED = (RAISED, LATE, DIED)
LIMIT = 10  # CPU-seconds of one check, in addition to ten times what is planned for it
MEMORY = 6 << 30  # bytes of one child: a changed size must not take the machine's memory
HOUR = 3600.0  # wall-clock seconds of one child; CPU-seconds end a check before


@dataclass
class Check:
    """One test, claim or value: what it comes out as where nothing is changed."""

    name: str
    work: Callable[[], str]
    expected: str = PASSED
    planned: float = 0.0  # CPU-seconds; infinite where the check has no limit of its own
    ignores: tuple[str, ...] = ()  # how outcomes begin that notice nothing, as `CRASHED`
    confirmed: bool = False  # whether it came out as expected in a child without a change

    def notices(self, outcome: str) -> bool:
        """Whether an outcome says that something was changed."""
        return outcome != self.expected and not outcome.startswith(self.ignores)


@dataclass
class Tried:
    """What became of one change: the checks that noticed it, and how many did not."""

    noticers: list[str] = field(default_factory=list)
    passed: int = 0
    invalid: str = ""  # why the change could not be made


def in_child(work: Callable[[], str], seconds: float) -> str:
    """Return what `work` returns in a forked child; `LATE` after `seconds`, or `RAISED` and the exception."""
    edit.find_caches()
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def answer() -> None:
        gc.freeze()  # the collector skips the parent's objects: looking at them would copy every page
        try:
            there.send(work())
        except BaseException as error:  # a failure of pytest's is no Exception
            there.send(f"{RAISED}{type(error).__name__}: {error}"[:200])
        finally:
            os._exit(0)  # nothing of the parent is finished or joined here

    child = context.Process(target=answer)
    child.start()
    there.close()
    try:
        outcome = here.recv() if here.poll(seconds) else LATE
    except EOFError:
        outcome = DIED
    if outcome == LATE:
        child.kill()
    child.join()
    return outcome


def try_change(
    change: Callable[[], object],
    checks: list[Check],
    patience: float = math.inf,
    *,
    every: bool = False,
    seconds: float = HOUR,
) -> Tried:
    """Return who notices `change`: the first of `checks`, or with `every` all that do within `patience` CPU-seconds.

    A noticer is confirmed: the check comes out as expected without the change. If it does not, what it comes out as
    here is expected of it from then on, and it is asked again.
    """
    tried, place, begun = Tried(), 0, _children_seconds()
    reached = multiprocessing.RawValue("i")
    while place < len(checks) and (left := patience - (_children_seconds() - begun)) > 0:
        reached.value = 0
        work = functools.partial(_first_noticer, checks[place:], change, left, reached)
        answer = in_child(work, seconds)
        kind, _, rest = answer.partition(" ")
        if kind == "invalid":
            tried.invalid = rest
            break
        place, tried.passed = place + reached.value, tried.passed + reached.value
        if kind == PASSED:
            continue
        check = checks[place]
        if kind != "noticed" and reached.value:  # the next one, or what those before it had taken, of time or memory
            continue
        if kind != "noticed" and not check.notices(answer):  # it ended the process, or had no end
            place += 1
        elif _confirm(check):
            tried.noticers.append(check.name)
            place += 1
            if not every:
                break
    return tried


def _confirm(check: Check) -> bool:
    """Return whether a check comes out as expected without a change; if not, correct what is expected of it."""
    if not check.confirmed:
        answer = in_child(functools.partial(_first_noticer, [replace(check, ignores=())]), HOUR)
        check.confirmed = answer == PASSED
        if not check.confirmed:
            check.expected = answer.removeprefix("noticed ")
    return check.confirmed


def _first_noticer(
    checks: list[Check],
    change: Callable[[], object] = int,
    patience: float = math.inf,
    reached: Any = None,  # a shared number: how many checks came out as expected, also if the next one ends the process
) -> str:
    """In a child: "noticed" and the outcome of the first check that comes out otherwise; or `PASSED`."""
    _limit("RLIMIT_AS", MEMORY)
    signal.signal(signal.SIGXCPU, _raise_timeout)
    np.seterr(all="ignore")  # a changed formula may leave the domain of a root or a logarithm, which is no news
    try:
        change()
    except (SyntaxError, ValueError) as error:
        return f"invalid {error}"
    for place, check in enumerate(checks, 1):
        if check.notices(outcome := _outcome(check)):
            return f"noticed {outcome}"
        if reached is not None:
            reached.value = place
        if time.process_time() > patience:
            break
    return PASSED


def _outcome(check: Check) -> str:
    """Return what a check comes out as within its CPU-seconds, however long that takes on a loaded machine."""
    if check.planned < math.inf:
        _limit("RLIMIT_CPU", int(time.process_time() + LIMIT + 10 * check.planned))
    try:
        return check.work()
    except BaseException as error:
        return f"{RAISED}{type(error).__name__}"


def _raise_timeout(*_: object) -> None:
    raise TimeoutError("its CPU-seconds are used up")


def _limit(name: str, soft: int) -> None:
    import resource  # Unix alone has it, and forks: a caller who only imports this module needs neither

    resource.setrlimit(getattr(resource, name), (soft, resource.RLIM_INFINITY))


def _children_seconds() -> float:
    """CPU-seconds of the children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def decide_alone(claim: Claim, root: int = LEDGER_ROOT, profile: str = "quick") -> tuple[Any, Any]:
    """Return the verdict of one claim, None if there is none, and its control, from an empty store."""
    store = Store()
    (job,) = run.execute([claim], store, root=root, profile=profile)
    return evaluate(claim, store, root)[0], job.control
