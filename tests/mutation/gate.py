"""Is `make quick` red after a mistake? One-line mutants are written into files, and its tests are run on each.

    python -m tests.mutation.gate [--count 240] [--seed 2] [--table quick.csv]

A row of the table is a mutant, whether the selected tests failed, the CPU-seconds that they took, and, where they
passed, whether any test or row that reaches the function notices it within `mutants.PATIENCE`. It needs a checkout
without changes, and leaves it so. Lint and types, the other half of `make quick`, are not run, as they see no wrong
number.
"""

import argparse
import ast
import inspect
import resource
import subprocess
import sys
import textwrap
from pathlib import Path

from lemmata.experiments.engine.ground.files import write_table
from tests.mutation import mutants, operators
from tests.selection import ROOT

COLUMNS = ("module", "function", "line", "change", "quick", "seconds", "noticed otherwise")
QUICK = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not soak", "--touched", "HEAD", "--budget", "20"]
ENDLESS = 120  # CPU-seconds after which whoever waits has noticed that something is wrong


def text_of(mutant: operators.Mutant) -> tuple[Path, str]:
    """The file of a mutant's function, and its text with the one change. The rest of the text stays as it is."""
    function = operators.functions(mutant.module)[mutant.function]
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    node = list(operators._nodes(tree))[mutant.node]
    operators._Swap(node, list(operators.variants(node))[mutant.variant]).visit(tree)
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    changed = textwrap.indent(ast.unparse(ast.fix_missing_locations(tree)), margin) + "\n"
    path = Path(inspect.getsourcefile(function) or "").resolve()
    text = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return path, "".join([*text[: first - 1], changed, *text[first - 1 + len(lines) :]])


def is_red() -> tuple[bool, float]:
    """Whether the tests that `make quick` selects fail, and the CPU-seconds that they and their processes took."""
    begun = children_seconds()
    end = lambda: resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS))  # noqa: E731
    done = subprocess.run([sys.executable, *QUICK], cwd=ROOT, capture_output=True, preexec_fn=end)
    return done.returncode not in (0, 5), round(children_seconds() - begun, 1)


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
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--table", type=Path)
    given = parser.parse_args(arguments)
    same = mutants.equivalent()
    drawn = (mutant for mutant in operators.chosen(2 * given.count, given.seed) if "_broadcast" not in mutant.change)
    drawn = (mutant for mutant in drawn if (mutant.name, mutant.change) not in same)
    rows: list[dict] = []

    def publish() -> None:
        if given.table:
            write_table(given.table, COLUMNS, (row.values() for row in rows))

    passed = []
    for mutant in list(drawn)[: given.count]:
        path, text = text_of(mutant)
        path.write_text(text, encoding="utf-8")
        try:
            red, seconds = is_red()
        finally:
            subprocess.run(["git", "checkout", "-q", "--", str(path)], cwd=ROOT, check=True)
        where = (mutant.module, mutant.function, mutant.line, mutant.change)
        rows.append(dict(zip(COLUMNS, (*where, "red" if red else "green", seconds, ""), strict=True)))
        passed += [] if red else [(mutant, rows[-1])]
        print(*rows[-1].values(), sep="  ", flush=True)
        publish()
    for mutant, row in passed:  # after all: each takes as long as many mutants above
        row["noticed otherwise"] = is_noticed(mutant)
        print(*row.values(), sep="  ", flush=True)
        publish()
    missed = [row for row in rows if row["noticed otherwise"].startswith("killed")]
    red = sum(row["quick"] == "red" for row in rows)
    print(f"{red} of {len(rows)} are red; {len(missed)} of the others are noticed by a test that was not selected")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
