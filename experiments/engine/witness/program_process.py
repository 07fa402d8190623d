"""The process in which programs of witnesses run.

A program confirms a row if it ends without an error, calls the row's own function, and no longer ends so when what that
function returns is changed: an assertion of it fails, or a function refuses what it is given. An assertion about
something else shows nothing, nor does arithmetic that ends, a logarithm or a number beyond all floats. This module
reads programs, a line of JSON each with the key of its row, answers into the descriptor that it is given, and forks
once for every run, in the folder of a paper that is somebody else's.
"""

import ast
import contextlib
import importlib
import inspect
import io
import json
import math
import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from lemmata.bounds.statement import theorem
from lemmata.bounds.theorem import Theorem

SECONDS = 120  # of the clock, for one run of a program
# A factor, to the k-th power at the k-th call, and a summand: what is false by 10^100 is true of no finite multiple.
CHANGES = ((1e3, 0), (1e-3, 0), (1e30, 0), (1e-30, 0), (-1.0, 0), (1.0, 1), (1.0, math.inf), (1.0, -math.inf))
MOST = 10  # powers of a factor: the next one of 10^30 is no float

State = dict[str, Any]
Change = tuple[float, float]
WATCHED: State = {"key": "", "change": (1.0, 0), "calls": 0}  # of this process


def watch_formula(made: Theorem) -> None:
    """Let the formula of a record say when it is called, and change what it returns where it is asked to.

    The code of the function itself is replaced, so whoever holds it, checked or not, meets the change.
    """
    formula = inspect.unwrap(made.formula)
    if formula.__code__.co_freevars:
        return
    plain = type(formula)(formula.__code__, formula.__globals__, formula.__name__, formula.__defaults__)
    plain.__kwdefaults__ = formula.__kwdefaults__
    formula.__signature__ = inspect.signature(formula)  # which claims read
    name = f"_watched_{made.key}"
    formula.__globals__[name] = lambda *args, **kwargs: _change_value(made.key, plain(*args, **kwargs))
    scope: dict[str, Any] = {}
    exec(f"def watched(*args, **kwargs):\n    return globals()[{name!r}](*args, **kwargs)", scope)
    formula.__code__ = scope["watched"].__code__


def _change_value(key: str, value: Any) -> Any:
    if key != WATCHED["key"]:
        return value
    WATCHED["calls"] += 1
    factor, summand = WATCHED["change"]
    by = factor ** min(WATCHED["calls"], MOST)  # another one at each call: that ratios stay as they are shows nothing
    return value if (by, summand) == (1, 0) else change_numbers(value, by, summand)


def change_numbers(value: Any, by: float, plus: float) -> Any:
    """Every number in a value changed, truth values turned round, nothing made something; texts stay."""
    if isinstance(value, bool):
        return not value
    if value is None:
        return by
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {name: change_numbers(inner, by, plus) for name, inner in value.items()}
    if isinstance(value, set | frozenset):
        return type(value)()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(change_numbers(inner, by, plus) for inner in value))
    if isinstance(value, list | tuple):
        return type(value)(change_numbers(inner, by, plus) for inner in value)
    if math.isinf(plus):
        return plus  # of a whole number beyond all floats no sum with an infinity is made
    return value * by + plus if plus else value * by


def watch_statements() -> None:
    """Watch every statement that is recorded from now on."""
    guarded = theorem._guarded

    def watching(made: Theorem, formula: Callable[..., Any]) -> Callable[..., Any]:
        checked = guarded(made, formula)  # which reads the signature
        watch_formula(made)
        return checked

    theorem._guarded = watching


def judge_program(python: str, key: str, module: str, name: str, folder: str) -> str:
    """What is wrong with one program, or "": by its text first, then by running it."""
    if not re.search(rf"\b{name}\b", python):
        return f"its program must call {key}, but does not name {name}"
    if not folder:
        importlib.import_module(module)
        _import(python)
    plain = run_in_fork(python, key, (1.0, 0), folder)
    if plain["error"]:
        return f"its program failed in its own process: {plain['error']}"
    if not plain["calls"]:
        return f"its program must call {key}, the statement to refute"
    if not any(run_in_fork(python, key, change, folder)["shown"] for change in CHANGES):
        return f"its program must assert something about {key}, but it passes whatever the statement says"
    return ""


def _import(python: str) -> None:
    """Import here what a program of ours imports: each of its forks would do so again. What fails, it meets itself."""
    with contextlib.suppress(Exception, SystemExit):
        lines: list[ast.stmt] = [
            node for node in ast.parse(python).body if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        exec(compile(ast.Module(lines, []), "<program>", "exec"), {})


def run_in_fork(python: str, key: str, change: Change, folder: str) -> State:
    """What `run_program` says, of a fork."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        with os.fdopen(there, "w") as out:
            json.dump(run_program(python, key, change, folder), out)
        os._exit(0)
    os.close(there)
    with os.fdopen(here) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else {"error": "it died", "calls": 0, "shown": False}


def run_program(python: str, key: str, change: Change, folder: str) -> State:
    """Run a program here, warnings being errors, with one statement watched.

    {error: the last line, or "", calls: how often the statement was called, shown: whether what failed was asserted, or
    refused by a function; what the program itself, or the change, computed with shows nothing}.
    """
    WATCHED.update(key=key, change=change, calls=0)
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    warnings.simplefilter("error")
    if folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(python, "<program>", "exec"), {"__name__": "__main__"})
    except BaseException as error:
        words = [type(error).__name__, *str(error).splitlines()[:1]]  # a bare assertion has no line
        file = traceback.extract_tb(error.__traceback__)[-1].filename  # of code in no file, that of its caller
        refused = not isinstance(error, ArithmeticError | Warning) and file not in ("<program>", __file__)
        shown = isinstance(error, AssertionError) or refused
        return {"error": ": ".join(words), "calls": WATCHED["calls"], "shown": shown}
    return {"error": "", "calls": WATCHED["calls"], "shown": False}


def _late(*_: object) -> None:
    raise TimeoutError(f"no end within {SECONDS} seconds")


if __name__ == "__main__":
    watch_statements()
    with os.fdopen(int(sys.argv[1]), "w") as answers:  # not where a file of the user's own may print, too
        for line in sys.stdin:  # one program at a time, and its answer before the next
            print(json.dumps(judge_program(**json.loads(line))), file=answers, flush=True)
