"""What all code of a process shares, read before a check and put back after it: a check may not change it for others.

Shared are the attributes of the modules that numbers come from, of their classes, and settings such as what numpy does
with errors. A change is named as an author would write it: `numpy.sqrt`, `numpy.geterr()`.
"""

import builtins
import contextlib
import decimal
import gc
import locale
import os
import signal
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from operator import is_
from typing import Any, Never

import flint
import numpy as np
import scipy.special
import threadpoolctl  # noqa: F401  # sets variables of the environment, and no check is to be blamed for that

from lemmata.bounds.library import PaperError

CORE = frozenset(
    {
        "builtins",
        "cmath",
        "copy",
        "decimal",
        "fractions",
        "functools",
        "heapq",
        "itertools",
        "json",
        "math",
        "numbers",
        "operator",
        "os",
        "pickle",
        "random",
        "statistics",
        "time",
        "numpy",
        "numpy.fft",
        "numpy.linalg",
        "numpy.random",
        "scipy.integrate",
        "scipy.linalg",
        "scipy.optimize",
        "scipy.special",
        "scipy.stats",
        "flint",
    }
)
OURS = ("lemmata", "lemmata_papers")  # packages of statements and checks, and the engine's own

count, every, apply = len, all, map  # held here, as a check may replace them
SIGNALS = sorted(signal.valid_signals())
PLAIN = (bool, int, float, str, bytes, tuple)

State = tuple[dict[str, Any], dict[str, tuple[Any, dict[str, Any]]]]


def _decimal() -> tuple[Any, ...]:
    """The context without its flags, which every inexact operation raises."""
    now = decimal.getcontext()
    traps = [trap for trap, is_set in now.traps.items() if is_set]
    return now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, [], traps


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in SIGNALS}


def _set_handlers(handlers: Mapping[int, Any]) -> None:
    if threading.current_thread() is threading.main_thread():
        for number, handler in handlers.items():
            if handler is not None and signal.getsignal(number) != handler:
                signal.signal(number, handler)


def _set_filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]
    warnings._filters_mutated()  # type: ignore[attr-defined]


def _refill(values: Any) -> Callable[[Any], Any]:
    """What gives a list, or what os.environ is, its old values again."""
    return lambda old: (values.clear(), values.extend(old) if isinstance(old, list) else values.update(old))


def _set_flint(settings: tuple[Any, ...]) -> None:
    flint.ctx.prec, flint.ctx.cap, flint.ctx.threads = settings


# By name: how a setting is read, and how it is put back. The limit of recursion is first, as all else needs it.
SETTINGS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "sys.getrecursionlimit()": (sys.getrecursionlimit, sys.setrecursionlimit),
    "numpy.geterr()": (np.geterr, lambda kinds: np.seterr(**kinds)),
    "numpy.geterrcall()": (np.geterrcall, np.seterrcall),
    "numpy.getbufsize()": (np.getbufsize, np.setbufsize),
    "sys.get_int_max_str_digits()": (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    "numpy.get_printoptions()": (np.get_printoptions, lambda options: np.set_printoptions(**options)),
    "scipy.special.geterr()": (scipy.special.geterr, lambda kinds: scipy.special.seterr(**kinds)),
    "decimal.getcontext()": (_decimal, lambda context: decimal.setcontext(decimal.Context(*context))),
    "flint.ctx": (lambda: (flint.ctx.prec, flint.ctx.cap, flint.ctx.threads), _set_flint),
    "locale.setlocale()": (lambda: locale.setlocale(locale.LC_ALL), lambda name: locale.setlocale(locale.LC_ALL, name)),
    "signal handlers": (_handlers, _set_handlers),
    "the working folder": (_folder, os.chdir),
    "sys.path": (lambda: list(sys.path), _refill(sys.path)),
    "os.environ": (lambda: dict(os.environ), _refill(os.environ)),
    "warnings.filters": (lambda: list(warnings.filters), _set_filters),
    "gc.callbacks": (lambda: list(gc.callbacks), _refill(gc.callbacks)),
    "running threads": (threading.enumerate, lambda threads: None),  # which may change anything at any time
}
ENDS = ("_exit", "abort", "fork", "forkpty")  # of os
PLACES = ("os.environ", "sys.path")  # of what a module imports, and needs later
QUIETLY = ("signal handlers", "warnings.filters")  # which libraries set while they are imported


def read_state(*, thorough: bool = False) -> State:
    """The shared state; `thorough` with what stands in the modules of this package and of papers, and in classes."""
    modules = dict(sys.modules)
    names = [name for name in modules if name in CORE or (thorough and name.partition(".")[0] in OURS)]
    spaces: dict[str, tuple[Any, dict[str, Any]]] = {"sys.modules": (sys.modules, {n: modules[n] for n in names})}
    for name in names:
        if isinstance(module := modules[name], types.ModuleType):
            spaces[name] = module, dict(vars(module))
            if thorough:
                spaces.update(_inner(name, module))
    settings = {name: read() for name, (read, _) in SETTINGS.items() if thorough or read is not threading.enumerate}
    return settings, spaces


def _inner(name: str, module: types.ModuleType) -> Iterator[tuple[str, tuple[Any, dict[str, Any]]]]:
    """What stands in the classes that a module defines."""
    for inner, value in list(vars(module).items()):
        if isinstance(value, type) and value.__module__ == name:
            yield f"{name}.{inner}", (value, dict(vars(value)))


@contextlib.contextmanager
def guarding(what: str, *, kept: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """Call what somebody else wrote in this process, which it may not end or fork.

    Afterwards all that changed is put back, but what is `kept`, and stands in the list. Raises `PaperError`.
    """

    def refuse(*_: object) -> Never:
        raise PaperError(f"{what} must not end or fork its process")

    changed: list[str] = []
    before = read_state(thorough=True)
    places = [vars(os), vars(sys.modules[os.name])]
    own = [{name: place[name] for name in ENDS if name in place} for place in places]
    for place, names in zip(places, own, strict=True):
        place.update(dict.fromkeys(names, refuse))
    try:
        yield changed
    finally:
        for place, names in zip(places, own, strict=True):
            place.update(names)
        changed += put_back(before, kept=kept)


@contextlib.contextmanager
def importing(module: str) -> Iterator[None]:
    """Import a module. Raises `PaperError` if it changes what all modules share, or ends or forks this process.

    Where modules are looked for stays as the module leaves it.
    """
    with guarding(f"{module}: a module", kept=PLACES) as changed:
        yield
    if told := [name for name in changed if name not in QUIETLY]:
        raise PaperError(f"{module}: importing it changed {', '.join(told)}, which all modules share")


def put_back(state: State, *, kept: tuple[str, ...] = ()) -> list[str]:
    """Restore a state, but the settings that are `kept`; returns the names of what had changed, in order."""
    settings, spaces = state
    moved = []
    for name, before in settings.items():
        read, restore = SETTINGS[name]
        if name not in kept and read() != before:
            moved.append(name)
            with contextlib.suppress(OSError, ValueError):  # a folder that is gone, say
                restore(before)
    for name, (space, before) in spaces.items():
        now = _attributes(space, before)
        if count(now) == count(before) and every(apply(is_, now.values(), before.values())):  # as nearly always
            continue
        changed = [each for each in before if not _is_same(now.get(each, moved), before[each])]
        added = [each for each in now.keys() - before.keys() if _is_noticed(name, each, now[each])]
        for each in changed:
            _set(space, each, before[each])
        for each in added:
            _unset(space, each)
        moved += [each if space is sys.modules else f"{name}.{each}" for each in (*changed, *added)]
    return sorted(moved)


def _is_same(now: Any, before: Any) -> bool:
    """Whether an attribute is the same object; of numbers, texts and tuples of them an equal one is enough."""
    try:
        return now is before or bool(type(now) is type(before) and isinstance(before, PLAIN) and now == before)
    except ValueError:  # of arrays in a tuple
        return False


def _attributes(space: Any, before: Mapping[str, Any]) -> Mapping[str, Any]:
    if space is sys.modules:
        return {name: sys.modules.get(name) for name in before}
    return vars(space)


def _is_noticed(name: str, inner: str, value: Any) -> bool:
    """Whether an attribute that is new is a change: a module inside its package is there once it has been imported."""
    return not (inner.startswith("_") or isinstance(value, types.ModuleType) or name.partition(".")[0] in OURS)


def _set(space: Any, name: str, value: Any) -> None:
    if space is sys.modules:
        sys.modules[name] = value
    else:
        with contextlib.suppress(AttributeError, TypeError):  # of a class that cannot be changed
            type.__setattr__(space, name, value) if isinstance(space, type) else builtins.setattr(space, name, value)


def _unset(space: Any, name: str) -> None:
    with contextlib.suppress(AttributeError, TypeError):
        delattr(space, name)
