"""Mutation testing: change one line, run what reaches it, and print the mutants that nothing notices.

    python -m tests.mutation.mutants [--count 240] [--seed 1] [--only WORD] [--table reports/published/mutants.csv]

Each mutant (`operators`) is applied in memory in a forked child, which then runs the tests and the claims whose code
names the changed function, at however many removes, those that name least else first, and stops at the first that
comes out otherwise than without the change. `equivalent.csv` lists, with the reason, the changes after which the
program does the same.
"""

from __future__ import annotations

import argparse
import csv
import functools
import json
import multiprocessing
import resource
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import joblib
import pytest
from _pytest.runner import runtestprotocol

from bounds.theorem import THEOREMS
from experiments.engine import fingerprint, registry, run
from experiments.engine.cell import Sabotaged
from experiments.engine.claim import CLAIMS, Claim
from experiments.engine.ledger import evaluate
from experiments.engine.store import Store
from experiments.engine.streams import TEST_ROOT
from tests.mutation import edit, operators

HERE = Path(__file__).parent
EQUIVALENT = HERE / "equivalent.csv"
COLUMNS = ("module", "function", "line", "change", "outcome", "by")
LEFT_OUT = ("test_architecture.py", "engine/test_scripts.py", "mutation", "test_ties.py")
LOOKS = ("tests/test_house", "tests/engine/test_report")  # of names and pages; they judge the engine, not the numbers
ENGINES_OWN = ("tests/engine", "tests/test_")
PATIENCE = 60  # CPU-seconds for one mutant; what is left then is not run, and the survivor's row says so
WORKERS = 2
BATCH = 10  # checks that one child runs
ENOUGH = 95  # of 100
DEAR = 2.0  # seconds; a claim planned at more comes last


@dataclass
class Check:
    """One test or one claim: what it comes out as, and the functions that its code names."""

    name: str
    work: Callable[[], str]
    roots: tuple
    dear: bool = False
    outcome: str = ""  # without a change, once it is known

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """module.function of all that it reaches."""
        found = edit.reached(*self.roots, within=edit.PACKAGES)
        return frozenset(f"{f.__module__}.{f.__qualname__}" for f in found)

    def reaches(self, mutant: operators.Mutant) -> bool:
        """The engine is named by everything: its own tests are asked."""
        if mutant.module in fingerprint.ENGINE or mutant.module == "experiments.engine.formula":
            return self.name.startswith((*ENGINES_OWN, mutant.module.replace(".", "/")))
        if self.name.startswith(LOOKS):
            return False
        if "__" in mutant.function:  # of a class: called without being named
            return any(name.startswith(mutant.name.partition("__")[0]) for name in self.names)
        return mutant.name in self.names


def claim_outcome(claim: Claim) -> str:
    """The verdict of one claim alone on its quick settings, and whether its control is caught."""
    alone, store = replace(claim, given=(), corrected_by=""), Store()
    jobs = run.execute([alone], store, root=TEST_ROOT)
    verdict = evaluate(alone, store, TEST_ROOT)[0]
    control: Sabotaged = jobs[0].control
    if verdict is None:
        return "no verdict"
    python = (verdict.witness or {}).get("python") or ""
    exec(python, {"__name__": "witness"})
    return f"{verdict.outcome} {verdict.reason} {control.outcome} {control.smallest_caught}"


def item_outcome(item: pytest.Item) -> str:
    """passed, or what a test came out as."""
    reports = runtestprotocol(item, log=False, nextitem=None)
    return next((r.outcome for r in reports if r.outcome != "passed"), "passed")


def unchanged(checks: list[Check]) -> None:
    """Fill in the outcomes of checks that nobody has needed yet."""
    missing = [check for check in checks if not check.outcome]
    told = edit.in_child(lambda: json.dumps([_tried(check) for check in missing]), 3600) if missing else "[]"
    if not told.startswith("["):  # one of them ended the process
        told = json.dumps([edit.in_child(functools.partial(_tried, check), 600) for check in missing])
    for check, outcome in zip(missing, json.loads(told), strict=True):
        check.outcome = outcome


def _tried(check: Check) -> str:
    try:
        return check.work()
    except BaseException as error:
        return f"raised {type(error).__name__}"


def noticed_by(mutant: operators.Mutant, checks: list[Check]) -> str:
    """In a child: the first of `checks` that comes out otherwise; or the CPU-seconds they took, where none does."""
    try:
        mutant.apply()
    except (SyntaxError, ValueError) as error:
        return f"invalid: {error}"
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + PATIENCE, resource.RLIM_INFINITY))
    begin = time.process_time()
    for check in checks:
        if _tried(check) != check.outcome:
            return check.name
    return f"spent {time.process_time() - begin}"


class Session:
    """A plugin that runs mutants where pytest would run the tests."""

    def __init__(self, mutants: list[operators.Mutant]) -> None:
        self.mutants = mutants
        self.rows: list[dict] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        registry.load()
        checks = list(checks_of(session.items))
        joblib.parallel_config(backend="sequential")  # workers would not see the change
        context = multiprocessing.get_context("fork")
        rows = context.SimpleQueue()

        def work(start: int) -> None:
            for mutant in self.mutants[start::WORKERS]:
                rows.put(self._row(mutant, checks))

        for start in range(WORKERS):
            context.Process(target=work, args=(start,)).start()
        for _ in self.mutants:
            self.rows.append(row := rows.get())
            print("{outcome:10} {module}:{line} {function}: {change}  [{by}]".format(**row), flush=True)
        return True

    def _row(self, mutant: operators.Mutant, checks: list[Check]) -> dict:
        reaching = sorted((c for c in checks if c.reaches(mutant)), key=lambda c: (c.dear, len(c.names)))
        row = dict(zip(COLUMNS, (mutant.module, mutant.function, mutant.line, mutant.change), strict=False))
        if (why := equivalent().get((mutant.name, mutant.change))) is not None:
            return row | {"outcome": "equivalent", "by": why}
        spent, done = 0.0, 0
        for batch in [reaching[i : i + BATCH] for i in range(0, len(reaching), BATCH)]:
            unchanged(batch)
            by = edit.in_child(functools.partial(noticed_by, mutant, batch), 3600)
            if by.startswith("invalid"):
                return row | {"outcome": "invalid", "by": by}
            if not by.startswith("spent"):
                return row | {"outcome": "killed", "by": "no end" if by in ("died", "late") else by}
            spent, done = spent + float(by.split()[1]), done + len(batch)
            if spent > PATIENCE:
                break
        return row | {"outcome": "SURVIVED", "by": f"{done} of {len(reaching)} checks"}


def checks_of(items: list[pytest.Item]) -> Iterator[Check]:
    """Every test that pytest collected, but for the claims, which are checks of their own."""
    for item in items:
        if "test_verdict[" not in item.nodeid and not _starts_processes(item):
            yield Check(item.nodeid, functools.partial(item_outcome, item), tuple(_tested(item)))
    for key, claim in CLAIMS.items():
        settings = run.planned(claim, "quick")
        dear = sum(run.cell_cost(claim, setting) for setting in settings) > DEAR
        roots = tuple(filter(None, (claim.trial, claim.by, claim.theorem.formula)))
        yield Check(key, functools.partial(claim_outcome, claim), roots, dear)


def _tested(item: pytest.Item) -> list:
    """Where to look for what an item calls: the statements or functions that it is about, else its own code."""
    if not isinstance(item, pytest.Function):
        return [_documented(item)]
    given = list(item.callspec.params.values()) if hasattr(item, "callspec") else []
    about = [THEOREMS[x].formula for x in given if isinstance(x, str) and x in THEOREMS]
    about += [edit.plain(x) for x in given if isinstance(x, types.FunctionType)]
    return about or [edit.plain(item.function)]


def _starts_processes(item: pytest.Item) -> bool:
    """Whether a test's own code says so: what runs elsewhere does not see the change."""
    return isinstance(item, pytest.Function) and bool({"subprocess", "jobs"} & set(_names(item.function)))


def _names(function) -> tuple[str, ...]:
    code = edit.plain(function).__code__
    return (*code.co_names, *code.co_varnames)


def _documented(item: pytest.Item) -> object:
    """What a doctest shows: an attribute of its module, the innermost that there is."""
    thing = item.getparent(pytest.Module).obj  # type: ignore[union-attr]
    for name in item.name.removeprefix(f"{thing.__name__}.").split("."):
        thing = getattr(thing, name, thing)
    return edit.plain(thing) if isinstance(thing, types.FunctionType) or hasattr(thing, "theorem") else thing


def equivalent() -> dict[tuple[str, str], str]:
    """(function, change) -> why the program does the same after it."""
    with EQUIVALENT.open() as lines:
        return {(row["function"], row["change"]): row["why"] for row in csv.DictReader(lines)}


def score(rows: list[dict]) -> float:
    """Of 100 mutants that change anything, how many were noticed."""
    outcomes = [row["outcome"] for row in rows]
    real = outcomes.count("killed") + outcomes.count("SURVIVED")
    return 100 * outcomes.count("killed") / real if real else 100.0


def summary(rows: list[dict]) -> str:
    """The score, in a sentence."""
    count = {kind: sum(row["outcome"] == kind for row in rows) for kind in ("killed", "SURVIVED", "equivalent")}
    return (
        f"{len(rows)} mutants tried: {count['killed']} are noticed, {count['SURVIVED']} survive, {count['equivalent']} "
        f"do the same, as {EQUIVALENT.name} explains; {score(rows):.1f} of 100 that change anything are noticed"
    )


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first so many of the choice")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="mutants of functions whose name contains this")
    parser.add_argument("--tests", default="tests bounds mechanisms experiments")
    parser.add_argument("--table", type=Path)
    given = parser.parse_args(arguments)
    registry.load()
    mutants = operators.chosen(10**6 if given.only else given.count + given.skip, given.seed)
    mutants = [m for m in mutants if given.only in m.name][given.skip : given.skip + given.count]
    session = Session(mutants)
    ignored = [f"--ignore={HERE.parent / name}" for name in LEFT_OUT]
    pytest.main(["-p", "no:cacheprovider", "-p", "no:terminal", *ignored, *given.tests.split()], plugins=[session])
    if given.table:
        with given.table.open("w", newline="") as lines:
            writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(session.rows)
    for row in session.rows:
        if row["outcome"] == "SURVIVED":
            print("{module}:{line} {function}: {change}".format(**row))
    print(summary(session.rows))
    return int(score(session.rows) < ENOUGH)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
