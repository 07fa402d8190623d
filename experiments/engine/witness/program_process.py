"""The process in which programs of witnesses run.

A program confirms a row if it agrees with the row's check. As it is, it ends without an error and calls the row's own
function at the setting of the counterexample. Then the number that the function returns there is changed, for the
program and for the check. Where the check no longer refutes the row, the program must fail: by an assertion of it, or
in a function that refuses what it is given. Arithmetic that ends shows nothing, a logarithm or a number beyond all
floats. Where the check still refutes the row, the program must pass. So the check says whether the statement is a bound
from above, from below, or an identity.

This module reads programs, a line of JSON each, and answers into the descriptor that it is given. It forks once for
every run, in the folder of a paper that is somebody else's.
"""

import ast
import contextlib
import copy
import functools
import importlib
import inspect
import io
import itertools
import json
import math
import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat

from lemmata.bounds.library import library
from lemmata.bounds.statement import theorem
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED
from lemmata.bounds.theorem import Theorem
from lemmata.mechanisms.numerics.streams import canonical_json

SECONDS = 120  # of the clock, for one run of a program, and for all runs of a check

SEARCH = "lemmata.experiments.engine.search.search"

State = dict[str, Any]
Change = tuple[str, Any]  # a kind and an amount
# Mild ones first. 10^300, as what is false by 10^100 is true of no smaller multiple; 1, as no float tells a large whole
# number from the next.
CHANGES: tuple[Change, ...] = (
    *(("multiplied by", by) for by in (2.0, 0.5, 1e3, 1e-3, 1e300, 1e-300)),
    *(("raised by", by) for by in (1, -1)),
)
# To the k-th power at the k-th call: a family is refuted by how it grows, which no constant changes.
POWERS: tuple[Change, ...] = tuple(("multiplied again and again by", by) for by in (1e3, 1e-3, 1e30, 1e-30))
INFINITE: tuple[Change, ...] = (("set to", math.inf), ("set to", -math.inf))
AS_IS: Change = ("multiplied by", 1)
WATCHED: State = {"key": "", "change": AS_IS, "points": [], "calls": 0, "value": None}  # of this process


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
    formula.__globals__[name] = lambda *args, **kwargs: _change_value(formula, made.key, plain, args, kwargs)
    scope: dict[str, Any] = {}
    exec(f"def watched(*args, **kwargs):\n    return globals()[{name!r}](*args, **kwargs)", scope)
    formula.__code__ = scope["watched"].__code__


def _change_value(formula: Callable[..., Any], key: str, plain: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    value = plain(*args, **kwargs)
    if key != WATCHED["key"]:
        return value
    given = inspect.signature(formula).bind(*args, **kwargs)
    given.apply_defaults()
    if not any(_is_at(given.arguments, point) for point in WATCHED["points"]):
        return value
    WATCHED["calls"] += 1
    if WATCHED["value"] is None and not isinstance(value, bool):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            WATCHED["value"] = float(value)
    return value if WATCHED["change"] == AS_IS else change_numbers(value, *WATCHED["change"])


def _is_at(arguments: State, point: State) -> bool:
    """Whether a statement is called at a point: they have the same values where they have the same names.

    A function is a text at a point, which its author chose.
    """
    pairs = [(value, point[name]) for name, value in arguments.items() if name in point]
    return all(_is_same(*pair) or (callable(pair[0]) and isinstance(pair[1], str)) for pair in pairs)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal, whatever types hold their numbers."""
    one, other = (each.tolist() if hasattr(each, "tolist") else each for each in (one, other))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, SupportsFloat) and isinstance(other, SupportsFloat):
        return one == other or math.isclose(float(one), float(other))
    return bool(one == other)


def change_numbers(value: Any, kind: str, amount: Any) -> Any:
    """Every number in a value changed, truth values turned round, nothing made something; texts stay."""
    if isinstance(value, bool):
        return not value
    if value is None:
        return amount
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {name: change_numbers(inner, kind, amount) for name, inner in value.items()}
    if isinstance(value, set | frozenset):
        return type(value)()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(change_numbers(inner, kind, amount) for inner in value))
    if isinstance(value, list | tuple):
        return type(value)(change_numbers(inner, kind, amount) for inner in value)
    if kind in ("set to", "raised by"):
        return amount if kind == "set to" else value + amount
    by = (
        amount if kind == "multiplied by" else amount ** min(WATCHED["calls"], 10)
    )  # the next power of 10^30 is no float
    by = int(by) if by >= 1 else by  # which keeps whole numbers exact
    # A factor above 1 makes any number larger, one below 1 smaller.
    return value * by if getattr(value, "ndim", 0) or value > 0 else value + (by - 1) * (abs(value) or 1)


def watch_statements() -> None:
    """Watch every statement that is recorded from now on."""
    guarded = theorem._guarded

    def watching(made: Theorem, formula: Callable[..., Any]) -> Callable[..., Any]:
        checked = guarded(made, formula)  # which reads the signature
        watch_formula(made)
        return checked

    theorem._guarded = watching


def judge_program(python: str, row: State) -> str:
    """What is wrong with one program, or "": by its text first, then by running it, changed and unchanged."""
    key, name = row["key"], row["name"]
    if not re.search(rf"\b{name}\b", python):
        return f"its program must call {key}, but does not name {name}"
    if row["folder"]:
        importlib.import_module("lemmata.paper")  # which her modules import, in every fork
    else:
        for module in (row["home"], SEARCH):
            importlib.import_module(module)
        _import(python)
    plain = run_in_fork(run_program, python, row, AS_IS)
    if plain["error"]:
        return f"its program failed in its own process: {plain['error']}"
    if not plain["calls"]:
        return f"its program must call {key}, the statement to refute, at the setting of its counterexample"
    asked = run_in_fork(ask_check, row, plain["value"])
    if asked["error"]:
        return asked["error"]
    for refuted, kind, amount in asked["changes"]:
        ran = run_in_fork(run_program, python, row, (kind, amount))
        changed = f"if the number of {key} is {kind} {amount:g}"
        if refuted and ran["error"]:
            return f"its program fails {changed}, where its check still refutes it"
        if not refuted and not ran["error"]:
            return f"its program passes {changed}, where its check does not refute it"
        if not refuted and not ran["shown"] and math.isfinite(amount):
            return f"its program must fail by an assertion {changed}, but ends in {ran['error']}"
    if asked["changes"]:
        return ""
    # One after another: a fork each, and most programs assert something about a number that is doubled or halved.
    runs = (run_in_fork(run_program, python, row, change) for change in (*CHANGES, *POWERS, *INFINITE))
    mildest = list(itertools.islice(runs, 2))
    if all(ran["error"] for ran in mildest):
        return f"its program fails if the number of {key} is doubled or halved, where its check still refutes it"
    if not any(ran["shown"] for ran in itertools.chain(mildest, runs)):
        return f"its program must assert something about {key}, but it passes whatever the statement says"
    return ""


def ask_check(row: State, value: float | None) -> State:
    """{error, changes: [(whether the check still refutes the row, kind, amount)]}, for a program to agree with."""
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        return {"error": "", "changes": list(_agreements(row, value))}
    except (Exception, SystemExit) as error:
        return {"error": f"its check cannot be run again: {type(error).__name__}: {error}"}


def _agreements(row: State, value: float | None) -> Iterator[tuple[bool, str, float]]:
    """A change at which the check no longer refutes the row, then one well before that, and one beyond.

    The number is `value` at first. If the check has found the true number, the change goes as far beyond that. An
    identity is false again there, and true at that number itself. If the check refutes the row whatever the number is,
    the two sides that it has found tell the direction. Nothing, if they do not. The bound of trials is one from above.
    """
    # Both are imported once statements are watched, and by name: the digest of an answer covers all code that it finds,
    # and must not depend on which claims a process has loaded.
    claims = importlib.import_module("lemmata.experiments.engine.claims.claim").CLAIMS
    judge_at = importlib.import_module(SEARCH).judge_at

    if row["folder"]:
        os.chdir(row["folder"])
        library.add(row["folder"], row["package"])
        library.load(row["home"])
    if row["style"] != "exact":
        yield from ((True, "multiplied by", 0.5), (False, *INFINITE[0]))
        return
    claim = claims[row["key"]]
    settings = [each for each in claim.settings(row["profile"]) if canonical_json(each) == row["place"]]

    def decide() -> Any:
        return claim.trial(**copy.deepcopy(settings[0])) if row["asked"] is None else judge_at(claim, row["asked"])

    @functools.cache
    def outcome(change: Change) -> str:
        WATCHED.update(key=row["key"], change=change, points=[{}], calls=0)
        try:
            return decide().outcome
        except (ArithmeticError, LookupError, TypeError, ValueError):  # of a number that the check was not made for
            return ""

    own = [value is not None and _is_same(side, value) for side in row["sides"]]
    sides = [
        side for side, is_own in zip(row["sides"], own, strict=True) if any(own) and not is_own and side * value >= 0
    ]
    there: list[Change] = [("set to", side) for side in sides]
    beyond: list[Change] = [("set to", side * (side / value) if value else 2 * side) for side in sides]
    nearest: dict[str, Change] = {}  # by outcome
    for change in POWERS if len(row["points"]) > 1 else (*beyond, *there, *CHANGES):
        nearest.setdefault(outcome(change), change)
        if HOLDS in nearest:
            break
    told = nearest.get(HOLDS) or nearest.get(INCONCLUSIVE)
    if not told and len(there) != 1:
        return
    kind, amount = near = told or there[0]
    yield False, kind, amount
    larger = amount > {"set to": value, "raised by": 0}.get(kind, 1)
    within = [("set to", value + (side - value) / 100) for side in sides]  # hardly nearer to the true number
    before = dict(zip((*beyond, *there), within * 2, strict=True)).get(near, ("multiplied by", 0.5 if larger else 2.0))
    if outcome(before) == REFUTED:
        yield True, *before
    if larger and near not in there and (near in beyond or outcome(("multiplied by", 1e300)) != REFUTED):
        yield False, *INFINITE[0]
    elif told in there and outcome(further := beyond[there.index(told)]) == REFUTED:
        yield True, *further


def _import(python: str) -> None:
    """Import here what a program of ours imports: each of its forks would do so again. What fails, it meets itself."""
    with contextlib.suppress(Exception, SystemExit):
        lines: list[ast.stmt] = [
            node for node in ast.parse(python).body if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        exec(compile(ast.Module(lines, []), "<program>", "exec"), {})


def run_in_fork(run: Callable[..., State], *arguments: Any) -> State:
    """What `run` returns, in a fork."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        with os.fdopen(there, "w") as out:
            json.dump(run(*arguments), out)
        os._exit(0)
    os.close(there)
    with os.fdopen(here) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else {"error": "it died", "calls": 0, "shown": False}


def run_program(python: str, row: State, change: Change) -> State:
    """Run a program here, warnings being errors, with one statement watched.

    {error: the last line, or "", calls: how often the statement was called at a point of the counterexample, value: the
    first number that it returned there, shown: whether what failed was asserted, or refused by a function; what the
    program itself, or the change, computed with shows nothing}.
    """
    WATCHED.update(key=row["key"], change=change, points=row["points"], calls=0, value=None)
    folder = row["folder"]
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
    return {"error": "", "calls": WATCHED["calls"], "value": WATCHED["value"], "shown": False}


def _late(*_: object) -> None:
    raise TimeoutError(f"no end within {SECONDS} seconds")


if __name__ == "__main__":
    watch_statements()
    with os.fdopen(int(sys.argv[1]), "w") as answers:  # not where a file of the user's own may print, too
        for line in sys.stdin:  # one program at a time, and its answer before the next
            try:
                said = judge_program(**json.loads(line))
            except Exception as error:  # of this process, say a module that cannot be imported
                said = f"its program cannot be judged: {type(error).__name__}: {error}"
            print(json.dumps(said), file=answers, flush=True)
