"""Mutation testing: change one line, run what reaches it, and print the mutants that nothing notices.

    python -m tests.mutation.mutants [--count 240] [--seed 1] [--only WORD] [--all] [--table mutants.csv]

Each mutant (`operators`) is applied in memory in a forked child, which then runs the tests and the claims whose code
names the changed function, at however many removes, the nearest first, and stops at the first that comes out otherwise
than without the change. With `--all` it goes on and counts, by kind, all that do before its seconds are used up: what
only a frozen value notices, nothing tests. A check has no end when its CPU-seconds are used up, whatever else the
machine does. `equivalent.csv` lists, with the reason, the changes after which the program does the same.
"""

import argparse
import csv
import functools
import multiprocessing
import resource
import signal
import sys
import time
import types
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import joblib
import pytest
from _pytest.runner import runtestprotocol

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED, VACUOUS
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.conformance import accepted, edit
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.ledger.ledger_rows import evaluate
from lemmata.experiments.engine.running import costs, run
from lemmata.experiments.engine.running.cell import ControlRun
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.mutation import operators

HERE = Path(__file__).parent
TABLE = HERE.parent.parent / "reports" / "published" / "mutants.csv"
EQUIVALENT = HERE / "equivalent.csv"
COLUMNS = ("module", "function", "line", "change", "outcome", "by", "noticers")
FROZEN = ("tests/mechanisms/test_frozen.py", "tests/test_numbers.py", "tests/test_statements.py", "tests/test_ties.py")
LEFT_OUT = ("test_architecture.py", "engine/test_scripts.py", "mutation", "test_ties.py")
LOOKS = ("tests/test_house", "tests/engine/test_report")  # of names and pages; they judge the engine, not the numbers
ENGINES_OWN = ("tests/engine", "tests/test_")
PATIENCE = 40.0  # CPU-seconds for one mutant; what is left then is not run, and the row of a survivor says so
ENGINES_PATIENCE = 4  # times that for a mutant of the engine, which every test of it reaches
WORKERS = 2
ENOUGH = 95  # of 100
DEAR = 2.0  # CPU-seconds; a claim planned at more comes last
LIMIT = 10  # CPU-seconds of one check, beside ten times what is planned for it
CALLED = (types.FunctionType, type)
CASES = 3  # of a test, before other tests have their turn
MEMORY = 6 << 30


@dataclass
class Check:
    """One test or one claim: what it must come out as, and the functions that its code names."""

    name: str
    work: Callable[[], str]
    roots: tuple
    planned: float = 0.0  # CPU-seconds
    outcome: str = "passed"
    confirmed: bool = False  # whether it came out so here, without a change

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
    alone, store = replace(claim, given=(), corrected_by=""), Store()
    jobs = run.execute([alone], store, root=TEST_ROOT)
    verdict = evaluate(alone, store, TEST_ROOT)[0]
    control: ControlRun = jobs[0].control
    if verdict is None:
        return "no verdict"
    exec((verdict.witness or {}).get("python") or "", {"__name__": "witness"})
    missed = "" if control.outcome == REFUTED or verdict.outcome == VACUOUS else f"; control {control.outcome}"
    return f"{verdict.outcome} {verdict.reason}{missed}"


def item_outcome(item: pytest.Item) -> str:
    """passed, or what a test came out as."""
    reports = runtestprotocol(item, log=False, nextitem=None)
    return next((r.outcome for r in reports if r.outcome != "passed"), "passed")


def tried(check: Check) -> str:
    """What a check comes out as within its CPU-seconds, however long that takes on a loaded machine."""
    limit = int(time.process_time() + LIMIT + 10 * check.planned)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    try:
        return check.work()
    except BaseException as error:
        return f"raised {type(error).__name__}"


def noticed_by(checks: list[Check], mutant: operators.Mutant | None = None, patience: float = PATIENCE) -> str:
    """In a child: "noticed", which of `checks` comes out otherwise, and as what; or "spent" and how many came out."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGXCPU, _no_end)
    if mutant is not None:
        try:
            mutant.apply()
        except (SyntaxError, ValueError) as error:
            return f"invalid {error}"
    for place, check in enumerate(checks):
        if (outcome := tried(check)) != check.outcome:
            return f"noticed {place} {outcome}"
        if time.process_time() > patience:
            return f"spent {place + 1}"
    return f"spent {len(checks)}"


def _no_end(*_: object) -> None:
    raise TimeoutError("its CPU-seconds are used up")


def noticed(mutant: operators.Mutant, checks: list[Check], patience: float) -> str:
    """ "noticed" and the check that comes out otherwise, once it was seen to come out right without the change; or
    "spent" and how many came out right."""
    right = 0
    while True:
        answer = edit.in_child(functools.partial(noticed_by, checks[right:], mutant, patience), 3600)
        kind, _, rest = answer.partition(" ")
        if kind == "invalid":
            return answer
        if kind == "spent":
            return f"spent {right + int(rest)}"
        if kind != "noticed" and len(checks) > 1:  # it ended the process: one by one
            each = (noticed(mutant, [check], patience) for check in checks[right:])
            return next((answer for answer in each if not answer.startswith("spent")), f"spent {len(checks)}")
        right += int(rest.split()[0]) if kind == "noticed" else 0
        check = checks[right]
        if not check.confirmed:
            alone = edit.in_child(functools.partial(noticed_by, [check]), 3600)
            check.confirmed = alone.startswith("spent")
            if not check.confirmed:  # it comes out otherwise here, or ends the process, without any change
                check.outcome = alone.split(" ", 2)[-1]
                right += not alone.startswith("noticed")
                continue
        return f"noticed {check.name}"


def spent() -> float:
    """CPU-seconds of the children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def all_noticers(mutant: operators.Mutant, checks: list[Check], patience: float) -> tuple[str, list[str]]:
    """What `noticed` says first, and the names of all checks that come out otherwise before `patience` is used up."""
    first, names, begun, left = "", [], spent(), checks
    while left and (remaining := patience - (spent() - begun)) > 0:
        answer = noticed(mutant, left, remaining)
        first = first or answer
        kind, _, name = answer.partition(" ")
        if kind != "noticed":
            break
        names.append(name)
        left = left[1 + [check.name for check in left].index(name) :]
    return first or f"spent {len(checks)}", names


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


def in_turns(checks: list[Check], its_tests: str) -> list[Check]:
    """All cases of a module's own tests, then a few cases of every other test, then a few more: what many thousand
    reach is seldom noticed by all cases of one."""
    cases: Counter[str] = Counter()
    turns = []
    for check in checks:
        test = check.name.partition("[")[0]
        turns.append((check.planned > DEAR, its_tests not in test, cases[test] // CASES))
        cases[test] += 1
    return [check for _, check in sorted(zip(turns, checks, strict=True), key=lambda pair: pair[0])]


class Session:
    """A plugin that runs mutants where pytest would run the tests."""

    def __init__(self, mutants: list[operators.Mutant], table: Path | None, patience: float, every: bool) -> None:
        self.mutants, self.table, self.patience, self.every = mutants, table, patience, every
        self.rows: list[dict] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        registry.load()
        checks = list(checks_of(session.items))
        joblib.parallel_config(backend="sequential")  # workers would not see the change
        context = multiprocessing.get_context("fork")
        rows = context.SimpleQueue()

        due = context.SimpleQueue()

        def work() -> None:
            for mutant in iter(due.get, None):
                rows.put(self._row(mutant, checks))

        for _ in range(WORKERS):
            context.Process(target=work).start()
        for mutant in (*self.mutants, *[None] * WORKERS):
            due.put(mutant)
        for _ in self.mutants:
            self.rows.append(row := rows.get())
            print("{outcome:10} {module}:{line} {function}: {change}  [{by}]".format(**row), flush=True)
            if self.table:
                write(self.table, self.rows)
        return True

    def _row(self, mutant: operators.Mutant, checks: list[Check]) -> dict:
        about = mutant.module.rpartition(".")[2]  # what nothing names: a class that is looked up, its methods
        reaching = [c for c in checks if c.reaches(mutant)] or [c for c in checks if about in c.name]
        reaching = in_turns(sorted(reaching, key=lambda c: c.likely(mutant)), f"/test_{about}.py")
        patience = self.patience * (ENGINES_PATIENCE if mutant.module in fingerprint.ENGINE else 1)
        row = dict(zip(COLUMNS, (mutant.module, mutant.function, mutant.line, mutant.change), strict=False))
        if self.every:
            answer, names = all_noticers(mutant, reaching, patience)
        else:
            answer, names = noticed(mutant, reaching, patience), []
        row["noticers"] = kinds(names)
        kind, _, rest = answer.partition(" ")
        if kind == "spent" and (why := equivalent().get((mutant.name, mutant.change))) is not None:
            return row | {"outcome": "equivalent", "by": why}
        if kind == "spent":
            return row | {"outcome": "SURVIVED", "by": f"{rest} of {len(reaching)} checks"}
        return row | {"outcome": "killed" if kind == "noticed" else kind, "by": rest}


def checks_of(items: list[pytest.Item]) -> Iterator[Check]:
    """Every test that pytest collected, but for the claims, which are checks of their own."""
    for item in items:
        if "test_verdict[" not in item.nodeid and not _starts_processes(item):
            planned = 2 * DEAR if item.get_closest_marker("statistical") else 0.0
            yield Check(item.nodeid, functools.partial(item_outcome, item), tuple(_tested(item)), planned)
    expected = {key: f"{line.verdict} {line.reason}" for key, line in accepted.everything().items() if line.verdict}
    for key, claim in CLAIMS.items():
        planned = costs.stated_seconds(claim, costs.all_settings(claim, "quick"))
        roots = tuple(filter(None, (claim.trial, claim.by, claim.theorem.formula)))
        yield Check(key, functools.partial(claim_outcome, claim), roots, planned, expected.get(key, f"{HOLDS} "))


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
    with table.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: [row[name] for name in COLUMNS[:4]]))


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first so many of the choice")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="mutants of functions whose name contains this")
    parser.add_argument("--tests", default="tests bounds mechanisms experiments")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="CPU-seconds for one mutant")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--all", action="store_true", help="go on after the first that notices")
    given = parser.parse_args(arguments)
    registry.load()
    mutants = operators.chosen(10**6 if given.only else given.count + given.skip, given.seed)
    mutants = [m for m in mutants if given.only in m.name][given.skip : given.skip + given.count]
    session = Session(mutants, given.table, given.patience, given.all)
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
    return int(not session.rows or score(session.rows) < ENOUGH)  # nothing tried is nothing noticed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
