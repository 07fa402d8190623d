"""Is `make quick` red after a mistake? One-line mutants are written into files, and its tests are run on each.

    python -m tests.mutation.gate [--count 240] [--seed 3] [--table quick.csv]

All tests are imported once. For each mutant, a forked child chooses the tests of `make quick` and runs them up to the
first that fails. Where none fails, the tests of `make quick` run once more in a process of their own. If they pass
there too, any test or row that reaches the function is tried for `mutants.PATIENCE` seconds. A row of the table is a
mutant, whether the tests of `make quick` failed, their CPU-seconds with the start of pytest, and who noticed it. The
command needs a checkout without changes, and leaves it so. Lint and types, the other half of `make quick`, are not run,
as they see no wrong number.
"""

import argparse
import ast
import contextlib
import inspect
import linecache
import resource
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from lemmata.experiments.conformance import runner
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.ground.files import write_table
from tests import selection
from tests.mutation import mutants, operators
from tests.selection import ROOT

COLUMNS = ("module", "function", "line", "change", "quick", "seconds", "noticed by")
BUDGET = 40.0
QUICK = ["-p", "no:cacheprovider", "-m", "not soak", "--budget", f"{BUDGET:g}"]
ALONE = ["-m", "pytest", "-q", "-x", "--touched", "HEAD", *QUICK]
ENDLESS = 120  # CPU-seconds after which whoever waits has noticed that something is wrong


def text_of(mutant: operators.Mutant) -> tuple[Path, str]:
    """The file of a mutant's function, and its text with the one change: all lines around it stay where they are."""
    function = operators.functions(mutant.module)[mutant.function]
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    node = list(operators._nodes(tree))[mutant.node]
    other = ast.fix_missing_locations(list(operators.variants(node))[mutant.variant])
    path = Path(inspect.getsourcefile(function) or "").resolve()
    text, margin = path.read_bytes().splitlines(keepends=True), len(lines[0]) - len(lines[0].lstrip())
    top, bottom = first + node.lineno - 2, first + node.end_lineno - 2
    changed = ast.unparse(other) + "\n" * (bottom - top)
    sliced = any(isinstance(part, ast.Slice) for part in ast.iter_child_nodes(other))  # `x[(1:2, :)]` is no subscript
    changed = changed[1:-1] if sliced else f"({changed})"
    text[top : bottom + 1] = [
        text[top][: margin + node.col_offset] + changed.encode() + text[bottom][margin + node.end_col_offset :]
    ]
    return path, b"".join(text).decode()


@contextlib.contextmanager
def restored(path: Path) -> Iterator[None]:
    """With a file that is as it was afterwards."""
    try:
        yield
    finally:
        subprocess.run(["git", "checkout", "-q", "--", str(path)], cwd=ROOT, check=True)


class Gate:
    """A plugin that judges mutants where pytest would run the tests."""

    def __init__(self, drawn: list[operators.Mutant], table: Path | None) -> None:
        self.drawn, self.table = drawn, table
        self.rows: list[dict] = []
        self.failed = ""  # of the tests that have run in a child, the first that failed
        self.sound: set[str] = set()  # tests that pass in a child if nothing is changed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or (report.nodeid if report.failed else "")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        registry.load()
        begun = children_seconds()
        subprocess.run([sys.executable, *ALONE, "--collect-only"], cwd=ROOT, capture_output=True)
        start = children_seconds() - begun
        for mutant in self.drawn:
            by, seconds = self.judge(mutant, session.items)
            seconds += start
            if not by:
                path, text = text_of(mutant)
                with restored(path):
                    path.write_text(text, encoding="utf-8")
                    by, seconds = first_failure()
            where = (mutant.module, mutant.function, mutant.line, mutant.change)
            self.publish(dict(zip(COLUMNS, (*where, "red" if by else "green", round(seconds, 1), by), strict=True)))
        return True

    def judge(self, mutant: operators.Mutant, items: list[pytest.Item]) -> tuple[str, float]:
        """The first test that fails, "" if none does or the child cannot make the change, and the CPU-seconds."""
        begun, (path, text) = children_seconds(), text_of(mutant)

        def run() -> str:
            mutant.apply()  # as long as its file has the text that it was drawn from
            path.write_text(text, encoding="utf-8")
            return self._run(selection.selected(items, "HEAD", BUDGET))

        with restored(path):
            by = runner.in_child(run, runner.HOUR)
        seconds = children_seconds() - begun
        if by.startswith(runner.CRASHED):
            return "", seconds
        if by and by not in self.sound:
            (noticer,) = (item for item in items if item.nodeid == by)
            if runner.in_child(partial(self._run, [noticer]), runner.HOUR):
                items.remove(noticer)  # it fails in any child
                return self.judge(mutant, items)
            self.sound.add(by)
        return by, seconds

    def _run(self, items: list[pytest.Item]) -> str:
        """In a child: the first test that fails."""
        resource.setrlimit(resource.RLIMIT_AS, (runner.MEMORY, resource.RLIM_INFINITY))
        linecache.clearcache()
        for item, following in zip(items, [*items[1:], None], strict=True):
            try:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            except KeyboardInterrupt:  # it has no end
                return item.nodeid
            if self.failed:
                return self.failed
        return ""

    def publish(self, row: dict) -> None:
        """Print a row, and write all of them."""
        self.rows += [row] * (row not in self.rows)
        print(*row.values(), sep="  ", flush=True)
        if self.table:
            write_table(self.table, COLUMNS, (row.values() for row in self.rows))


def first_failure() -> tuple[str, float]:
    """The first test of `make quick` that fails, "" if none does, and the CPU-seconds of its tests."""
    begun = children_seconds()
    end = lambda: resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS))  # noqa: E731
    done = subprocess.run([sys.executable, *ALONE], cwd=ROOT, capture_output=True, text=True, preexec_fn=end)
    failed = (line.partition(" ")[2] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR ")))
    by = next(failed, "the end of the run") if done.returncode not in (0, 5) else ""
    return by.partition(" - ")[0], children_seconds() - begun


def children_seconds() -> float:
    """The CPU-seconds of all processes that this one, or one of these, has waited for. The clock counts others too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def is_noticed(mutant: operators.Mutant) -> str:
    """What `tests.mutation.mutants` finds of a mutant that `make quick` let pass: its outcome and the first noticer."""
    command = ["-m", "tests.mutation.mutants", "--only", mutant.name, "--count", "1000000", "--change", mutant.change]
    said = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True).stdout
    return said.partition("\n")[0]


def main(arguments: list[str]) -> int:
    """The command; status 1 if a mutant passes that something else notices."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.gate", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--table", type=Path)
    given = parser.parse_args(arguments)
    drawn = [mutant for mutant in operators.chosen(2 * given.count, given.seed) if "_broadcast" not in mutant.change]
    gate = Gate(drawn[: given.count], given.table)
    # The package is imported by now: asserts are left as they are written.
    pytest.main(["--assert=plain", "-p", "no:terminal", *QUICK, "tests", "lemmata"], plugins=[gate])
    passed = [(mutant, row) for mutant, row in zip(gate.drawn, gate.rows, strict=True) if row["quick"] == "green"]
    for mutant, row in passed:  # after all: each takes as long as many mutants above
        row["noticed by"] = mutants.equivalent().get((mutant.name, mutant.change)) or is_noticed(mutant)
        gate.publish(row)
    missed = [row for _, row in passed if row["noticed by"].startswith("killed")]
    red = len(gate.rows) - len(passed)
    print(f"{red} of {len(gate.rows)} are red; {len(missed)} of the others are noticed by a test that was not selected")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
