"""Mutation testing: change one line, run what reaches it, and print the mutants that nothing notices.

    python -m tests.mutation.mutants [--count 240] [--seed 1] [--only WORD] [--hardening] [--all] [--table mutants.csv]

Each mutant (`operators`) is applied in memory in a forked child (`runner`), which then runs the tests and the claims
whose code names the changed function, at however many removes, the nearest first, and stops at the first that comes out
otherwise than without the change. With `--all` it goes on and counts, by kind, all that do before its seconds are used
up: what only a frozen value notices, nothing tests. A check has no end when its CPU-seconds are used up, whatever else
the machine does. With `--hardening` a run goes on from its table: what was noticed is not tried again.
`equivalent.csv` lists, with the reason, the changes after which the program does the same.
"""

import argparse
import csv
import functools
import itertools
import multiprocessing
import sys
import types
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import joblib
import pytest
from _pytest.runner import runtestprotocol

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.statement.verdicts import HOLDS, REFUTED, VACUOUS
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.conformance import accepted, edit, runner
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.ground import files
from lemmata.experiments.engine.running import costs
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.mutation import operators

HERE = Path(__file__).parent
TABLE = HERE.parent.parent / "reports" / "published" / "mutants.csv"
EQUIVALENT = HERE / "equivalent.csv"
COLUMNS = ("module", "function", "line", "change", "outcome", "by", "noticers")
FROZEN = ("tests/mechanisms/test_frozen.py", "tests/test_numbers.py", "tests/test_statements.py", "tests/test_ties.py")
LEFT_OUT = ("house/test_architecture.py", "command/test_scripts.py", "mutation", "test_ties.py")
# They turn such lines one by one.
DIRECTIONS = tuple(f"mechanisms/test_{name}.py" for name in ("hardening_lines", "roundings", "directions"))
LOOKS = ("tests/test_house", "tests/report/test_report")  # of names and pages; they judge the engine, not the numbers
ENGINES_OWN = ("tests/engine", "tests/test_")
PATIENCE = 40.0  # CPU-seconds for one mutant; what is left then is not run, and the row of a survivor says so
ENGINES_PATIENCE = 4  # times that for a mutant of the engine, which every test of it reaches
WORKERS = 2
ENOUGH = 95  # of 100
DEAR = 2.0  # CPU-seconds; a claim planned at more comes last
CALLED = (types.FunctionType, type)
CASES = 3  # of a test, before other tests have their turn


@dataclass
class Check(runner.Check):
    """One test or one claim, and the functions that its code names."""

    roots: tuple = ()

    @functools.cached_property
    def removes(self) -> dict[str, int]:
        """module.function of all that it reaches, and at how many removes."""
        return edit.distances(*self.roots, within=edit.PACKAGES)

    def reaches(self, mutant: operators.Mutant) -> bool:
        """The engine is named by everything: its own tests are asked."""
        if mutant.module in fingerprint.ENGINE or mutant.module == "lemmata.bounds.statement.formula":
            return self.name.startswith((*ENGINES_OWN, mutant.module.replace(".", "/")))
        if self.name.startswith(LOOKS):
            return False
        if "__" in mutant.function:  # of a class: called without being named
            return any(name.startswith(mutant.name.partition("__")[0]) for name in self.removes)
        return mutant.name in self.removes

    def likely(self, mutant: operators.Mutant) -> tuple:
        """A sort key: what is cheap, near and about that module first."""
        near = self.removes.get(mutant.name, 99)
        kin = mutant.module.rpartition(".")[2] in self.name
        return self.planned > DEAR, near > 0, not kin, near, len(self.removes)


def claim_outcome(claim: Claim) -> str:
    """What `test_verdict` asserts of one claim: its verdict on its quick settings; and a control that is not caught."""
    verdict, control = runner.decide_alone(replace(claim, given=(), corrected_by=""), TEST_ROOT)
    if verdict is None:
        return "no verdict"
    exec((verdict.witness or {}).get("python") or "", {"__name__": "witness"})
    missed = "" if control.outcome == REFUTED or verdict.outcome == VACUOUS else f"; control {control.outcome}"
    return f"{verdict.outcome} {verdict.reason}{missed}"


def item_outcome(item: pytest.Item) -> str:
    """passed, or what a test came out as."""
    reports = runtestprotocol(item, log=False, nextitem=None)
    return next((r.outcome for r in reports if r.outcome != "passed"), "passed")


def kind_of(name: str) -> str:
    """What a check is: a value that was frozen, a number that a doctest prints, a row of the ledger, or a test."""
    if name.startswith(FROZEN):
        return "frozen"
    if ".py::" not in name:
        return "row"
    return "doctest" if name.partition("::")[2].startswith("lemmata.") else "test"


def kinds(names: list[str]) -> str:
    """`2 frozen, 1 test`: how many noticers of each kind."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(map(kind_of, names)).items()))


def in_turns(checks: list[Check], own: tuple[str, ...]) -> list[Check]:
    """All cases of a module's own tests, then a few cases of every other test, then a few more: what many thousand
    reach is seldom noticed by all cases of one."""
    cases: Counter[str] = Counter()
    turns = []
    for check in checks:
        test = check.name.partition("[")[0]
        turns.append((check.planned > DEAR, not any(name in test for name in own), cases[test] // CASES))
        cases[test] += 1
    return [check for _, check in sorted(zip(turns, checks, strict=True), key=lambda pair: pair[0])]


def place_of(row: Mapping[str, Any]) -> tuple:
    """Where a change is, of a mutant or of a row of the table."""
    return tuple(row[name] for name in COLUMNS[:4])


class Session:
    """A plugin that runs mutants where pytest would run the tests."""

    def __init__(self, mutants: list[operators.Mutant], table: Path | None, patience: float, every: bool) -> None:
        self.mutants, self.table, self.patience, self.every = mutants, table, patience, every
        self.rows: list[dict] = []

    def go_on(self, rows: list[dict[str, Any]]) -> None:
        """Keep what an earlier run has noticed: all of those that change the same text on the same line."""
        noticed = [row | {"line": int(row["line"])} for row in rows if row["outcome"] == "killed"]
        left = Counter(map(place_of, map(vars, self.mutants)))
        left.subtract(map(place_of, noticed))
        self.rows = [row for row in noticed if left.get(place_of(row)) == 0]
        kept = set(map(place_of, self.rows))
        self.mutants = [mutant for mutant in self.mutants if place_of(vars(mutant)) not in kept]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        registry.load()
        checks = list(checks_of(session.items))
        for check in checks:
            check.removes  # noqa: B018 (before the workers fork, which all need them)
        joblib.parallel_config(backend="sequential")  # workers would not see the change
        context = multiprocessing.get_context("fork")
        rows = context.SimpleQueue()

        due = context.SimpleQueue()

        def work() -> None:
            for mutant in iter(due.get, None):
                rows.put(self._row(mutant, checks))

        for _ in range(WORKERS):
            context.Process(target=work).start()
        waiting = iter((*self.mutants, *[None] * WORKERS))
        for mutant in itertools.islice(waiting, 2 * WORKERS):  # a pipe that holds all of them may be full, and wait
            due.put(mutant)
        for _ in self.mutants:
            self.rows.append(row := rows.get())
            due.put(next(waiting, None))
            print("{outcome:10} {module}:{line} {function}: {change}  [{by}]".format(**row), flush=True)
            if self.table:
                write(self.table, self.rows)
        return True

    def _row(self, mutant: operators.Mutant, checks: list[Check]) -> dict:
        about = mutant.module.rpartition(".")[2]  # what nothing names: a class that is looked up, its methods
        reaching = [c for c in checks if c.reaches(mutant)] or [c for c in checks if about in c.name]
        own = (f"/test_{about}.py", *(DIRECTIONS if mutant.hardens else ()))
        reaching = in_turns(sorted(reaching, key=lambda c: c.likely(mutant)), own)
        patience = self.patience * (ENGINES_PATIENCE if mutant.module in fingerprint.ENGINE else 1)
        row = dict(zip(COLUMNS, (mutant.module, mutant.function, mutant.line, mutant.change), strict=False))
        tried = runner.try_change(mutant.apply, reaching, patience, every=self.every)
        row["noticers"] = kinds(tried.noticers) if self.every else ""
        if tried.noticers:
            return row | {"outcome": "killed", "by": tried.noticers[0]}
        if tried.invalid:
            return row | {"outcome": "invalid", "by": tried.invalid}
        if (why := equivalent().get((mutant.name, mutant.change))) is not None:
            return row | {"outcome": "equivalent", "by": why}
        return row | {"outcome": "SURVIVED", "by": f"{tried.passed} of {len(reaching)} checks"}


def checks_of(items: list[pytest.Item]) -> Iterator[Check]:
    """Every test that pytest collected, but for the claims, which are checks of their own."""
    for item in items:
        if "test_verdict[" not in item.nodeid and not _starts_processes(item):
            planned = 2 * DEAR if item.get_closest_marker("statistical") else 0.0
            yield Check(item.nodeid, functools.partial(item_outcome, item), planned=planned, roots=tuple(_tested(item)))
    expected = {key: f"{line.verdict} {line.reason}" for key, line in accepted.everything().items() if line.verdict}
    for key, claim in CLAIMS.items():
        planned = costs.stated_seconds(claim, costs.all_settings(claim, "quick"))
        roots = tuple(filter(None, (claim.trial, claim.by, claim.theorem.formula)))
        work = functools.partial(claim_outcome, claim)
        yield Check(key, work, expected.get(key, f"{HOLDS} "), planned, roots=roots)


def _tested(item: pytest.Item) -> list:
    """Where to look for what an item calls: the statements or functions that it is about, and its own code."""
    if not isinstance(item, pytest.Function):
        return [_documented(item)]
    given = list(item.callspec.params.values()) if hasattr(item, "callspec") else []
    about = [THEOREMS[x].formula for x in given if isinstance(x, str) and x in THEOREMS]
    about += [edit.plain(x) if isinstance(x, types.FunctionType) else x for x in given if isinstance(x, CALLED)]
    return [*about, _own(item)]


def _starts_processes(item: pytest.Item) -> bool:
    """Whether a test, its fixtures or what it calls in tests/ says so: what runs elsewhere does not see the change."""
    if not isinstance(item, pytest.Function):
        return False
    fixtures = (fixture.func for each in item._fixtureinfo.name2fixturedefs.values() for fixture in each)
    called = edit.reached(_own(item), *fixtures, within=("tests",))
    return any({"subprocess", "jobs"} & {*f.__code__.co_names, *f.__code__.co_varnames} for f in called)


def _own(item: pytest.Function) -> types.FunctionType:
    """The function of a test as it is written: below what hypothesis makes of it."""
    return edit.plain(getattr(getattr(item.function, "hypothesis", None), "inner_test", item.function))


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
    told = [row.get("noticers") or "" for row in rows]
    only = sum(bool(names) and "test" not in names.replace("doctest", "") and "row" not in names for names in told)
    frozen = f"; {only} of {sum(map(bool, told))} by frozen or printed values alone" if any(told) else ""
    return (
        f"{len(rows)} mutants tried: {count['killed']} are noticed, {count['SURVIVED']} survive, {count['equivalent']} "
        f"do the same, as {EQUIVALENT.name} explains; {score(rows):.1f} of 100 that change anything are noticed{frozen}"
    )


def write(table: Path, rows: list[dict]) -> None:
    """The rows as a table, in the order of the files."""
    files.write_table(table, COLUMNS, sorted([row[name] for name in COLUMNS] for row in rows))


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="mutants of functions whose name contains this")
    parser.add_argument("--change", default="", help="of them, those with this change")
    parser.add_argument("--tests", default="tests bounds mechanisms experiments")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="CPU-seconds for one mutant")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--hardening", action="store_true", help="all changes of lines that privacy rests on")
    parser.add_argument("--all", action="store_true", help="go on after the first that notices")
    given = parser.parse_args(arguments)
    registry.load()
    some = given.only or given.hardening
    mutants = operators.chosen(10**6 if some else given.count, given.seed)
    mutants = [m for m in mutants if given.only in m.name and given.change in ("", m.change)]
    mutants = [m for m in mutants if m.hardens] if given.hardening else mutants[: given.count]
    session = Session(mutants, given.table, given.patience, given.all)
    if given.table and given.hardening:
        session.go_on(read_table(given.table))
    ignored = [f"--ignore={HERE.parent / name}" for name in LEFT_OUT]
    # The package is imported by now: asserts are left as they are written.
    pytest.main(
        ["--assert=plain", "-p", "no:cacheprovider", "-p", "no:terminal", *ignored, *given.tests.split()],
        plugins=[session],
    )
    for row in session.rows:
        if row["outcome"] == "SURVIVED":
            print("{module}:{line} {function}: {change}".format(**row))
    print(summary(session.rows))
    enough = 100 if given.hardening else ENOUGH
    return int(not session.rows or score(session.rows) < enough)  # nothing tried is nothing noticed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
