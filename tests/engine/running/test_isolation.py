"""Rows cannot touch each other: poisoned checks, in any order and with one worker or two."""

import itertools
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

from lemmata.bounds.catalogue.library import PaperError
from lemmata.bounds.library import library
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.ground import process_state
from lemmata.experiments.engine.running import isolation, run
from lemmata.experiments.engine.running.schedule import FinalFailure
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.engine.running import faults
from tests.engine.running.faulted import rows

# By the name of its row: what a check does first, and what the row then says. The first three move no other row.
CHECKS = {
    "sound": ("", ""),
    "false": ("", ""),
    "draws": ("k = np.random.rand()", ""),  # of a generator that every chunk finds in a state of its own
    "patches": ("np.sqrt = lambda x: 0.4999 * ROOT(x)", "changed numpy.sqrt"),
    "blinds": ("builtins.all = lambda each: True", "changed builtins.all"),
    "raises": ("np.seterr(all='raise')", "changed numpy.geterr()"),
    "exits": ("os._exit(0)", "ended with status 0"),
    "forks": ("os.fork()", "forked its process"),
    "recurses": ("sys.setrecursionlimit(sys.getrecursionlimit() // 2)", "changed sys.getrecursionlimit()"),
    "decides": ("verdict.LOG_HOLD = -1e9", "claims.verdict.LOG_HOLD"),
    "classes": ("fractions.Fraction.__le__ = lambda one, other: True", "changed fractions.Fraction.__le__"),
    "neighbour": ("sys.modules[__name__].sound = None", "rows.sound"),
    "waits": ("threading.Thread(target=time.sleep, args=(9,), daemon=True).start()", "changed running threads"),
    "dies": ("os.kill(os.getpid(), 9)", "was killed, or ran out of memory"),
    "closes": ("os.closerange(0, 99)", "ended with status 0"),
}
HEAD = """
import builtins, fractions, os, sys, threading, time
import numpy as np
from lemmata.experiments.engine.claims import verdict
from lemmata.paper import inequality_claim, integer, theorem

ROOT = np.sqrt
"""
ROW = '''
@theorem("{name}", kind="inequality", says=r"\\sqrt n \\le n", needs=[integer("n")])
def {name}(*, n: int) -> float:
    """The root of a number is at most the number."""
    return {right}

@inequality_claim({name})
def check_{name}():
    """By numbers."""
    {code}
    for n in range(1, 5):
        yield {{"n": n}}, float(np.sqrt(n)), {name}(n=n)
'''


def written(folder, order):
    """A paper whose rows stand in this order."""
    folder.mkdir()
    contents = "".join(f'"{name}" = "Lemma {place}"\n' for place, name in enumerate(CHECKS, 1))
    head = 'id = "poisoned"\nauthors = ["Ada Nobody"]\ntitle = "Poisons"\nyear = 2026\n[contents]\n'
    (folder / "paper.toml").write_text(head + contents)
    formulas = {name: "n / 2" if name == "false" else "n" for name in CHECKS}
    made = [ROW.format(name=name, code=CHECKS[name][0] or "pass", right=formulas[name]) for name in order]
    (folder / "rows.py").write_text(HEAD + "".join(made))
    return folder


def decided(folder, jobs):
    """{statement: row} without the line that the row stands in."""
    out = folder / f"out{jobs}"
    ran = faults.run(faults.command("run", folder, "--jobs", str(jobs), "--out", out))
    assert ran.status == 3 and "Traceback" not in ran.said, ran.said
    return {row["id"].partition(".")[2]: {**row, "where": None} for row in rows(folder, out)}


def test_poisoned_rows_fail_and_no_order_or_number_of_workers_changes_the_ledger(tmp_path):
    shuffled = random.Random(TEST_ROOT).sample(list(CHECKS), len(CHECKS))
    one = decided(written(tmp_path / "one", shuffled), 1)
    assert one == decided(written(tmp_path / "two", reversed(shuffled)), 2) and one.keys() == CHECKS.keys()
    for name, (_, said) in itertools.islice(CHECKS.items(), 3, None):
        assert one[name]["reason"] == "FAILED" and said in one[name]["note"], one[name]
    assert [one[name]["verdict"] for name in ("sound", "draws")] == ["HOLDS", "HOLDS"]
    assert one["false"]["reason"] == "UNCONFIRMED" and one["false"]["control"] == "REFUTED"


def test_what_a_check_of_this_package_changes_is_named_and_put_back(claims):
    root, kinds = np.sqrt, np.geterr()

    def check(factor=1):
        np.sqrt = np.cbrt
        np.seterr(all="raise")

    key = "abgmu22.asm2/printed/broken"
    object.__setattr__(claims[key], "trial", check)
    result = run.compute_chunk(key, {}, "main", 0, TEST_ROOT, 1, 1)
    assert isinstance(result, FinalFailure) and "the check changed numpy.geterr(), numpy.sqrt," in result
    assert np.sqrt is root and np.geterr() == kinds


def test_what_a_library_sets_when_it_is_imported_is_no_change_by_the_check(monkeypatch):
    """The check is asked once more, when the library is there."""
    asked = []

    def check():
        asked.append(monkeypatch.setenv("SET_BY_LIBRARY", "1"))
        if len(asked) == 1:
            sys.modules["imported_for_this_test"] = np
        else:
            monkeypatch.delenv("SET_BY_LIBRARY")
        return "decided"

    assert isolation.compute_and_compare(check) == "decided" and len(asked) == 2
    del sys.modules["imported_for_this_test"]


def test_a_fork_that_gives_no_sign_is_ended():
    ended = isolation.compute_in_fork(lambda: any(itertools.repeat(False)), 0, 0.5)
    assert isinstance(ended, FinalFailure) and "no sign for 0.5 seconds" in ended


FORKING = """
import os, time
from lemmata.experiments.engine.running.isolation import compute_in_fork
compute_in_fork(lambda: (os.write(1, b"%d\\n" % os.getpid()), time.sleep(60)), 0, 99)
"""


def test_no_fork_outlives_a_parent_that_was_killed():
    with subprocess.Popen([sys.executable, "-c", FORKING], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        parent.kill()
    assert faults.is_gone(child)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("np.sqrt = np.cbrt", "rows: importing it changed numpy.sqrt,"),
        ("np.seterr(all='raise')", "rows: importing it changed numpy.geterr(),"),
        ("os._exit(0)", "a module must not end or fork its process"),
        ("os.fork()", "a module must not end or fork its process"),
    ],
)
def test_a_module_that_changes_its_process_is_refused(tmp_path, line, said):
    folder, root, kinds = written(tmp_path / "poisoned", CHECKS), np.sqrt, np.geterr()
    (folder / "rows.py").write_text(f"{HEAD}\n{line}\n")
    paper = library.add(folder)
    try:
        with pytest.raises(PaperError) as refused:
            registry.load(registry.list_modules([paper]))
    finally:
        library.forget("poisoned")
        sys.modules.pop("lemmata_papers.poisoned.rows", None)
    assert said in str(refused.value) and "\n" not in str(refused.value)
    assert np.sqrt is root and np.geterr() == kinds


@pytest.mark.parametrize("call", ["os._exit(0)", "posix._exit(0)", "os.fork()"])
def test_a_function_of_a_claim_does_not_end_the_ledger(tmp_path, call):
    """The smallest n is asked for where rows are made, and not where checks run."""
    folder = written(tmp_path / "poisoned", ["sound"])
    rows_file = folder / "rows.py"
    text = f"import posix\n{rows_file.read_text()}"
    rows_file.write_text(
        text.replace("@inequality_claim(sound)", f"@inequality_claim(sound, nonvacuous_from=lambda: {call})")
    )
    ran = faults.run(faults.command("run", folder, "--jobs", "1", "--out", tmp_path / "out"))
    said = "lemmata: poisoned.sound/printed: its claim must not end or fork its process"
    assert ran.status == 2 and ran.said.splitlines()[-1] == said, ran.said


@pytest.mark.parametrize(
    "line", ["import pandas, sklearn.linear_model", "import warnings; warnings.simplefilter('ignore')"]
)
def test_a_module_may_import_libraries_and_set_its_warnings(tmp_path, line):
    folder, filters = written(tmp_path / "poisoned", ["sound"]), list(warnings.filters)
    (folder / "rows.py").write_text(f"{line}\n{(folder / 'rows.py').read_text()}")
    paper = library.add(folder)
    try:
        assert registry.load(registry.list_modules([paper]))["poisoned/rows"]
    finally:
        library.forget("poisoned")
        sys.modules.pop("lemmata_papers.poisoned.rows", None)
        for table in (CLAIMS, THEOREMS):
            table.pop("poisoned.sound/printed", None)
    assert warnings.filters == filters


def test_a_statement_that_changes_its_process_loses_its_row_alone(tmp_path):
    """Its bound is called by the process that folds chunks."""
    folder = tmp_path / "bound"
    folder.mkdir()
    (folder / "paper.toml").write_text(
        'id = "bound"\nauthors = ["Ada Nobody"]\ntitle = "A bound"\nyear = 2026\n[contents]\n"lem1" = "Lemma 1"\n'
    )
    (folder / "rows.py").write_text(BOUND)
    ran = faults.run(faults.command("run", folder, "--jobs", "1", "--out", tmp_path / "out"))
    (row,) = rows(folder, tmp_path / "out")
    assert ran.status == 3 and row["reason"] == "FAILED"
    assert "changed numpy.sqrt" in row["note"]


BOUND = '''
import numpy as np
from lemmata.paper import Control, grid, in_unit_interval, tail_claim, theorem

@theorem("lem1", kind="tail", says="p", needs=[in_unit_interval("beta")])
def lem1(*, beta: float) -> float:
    """A coin."""
    np.sqrt = np.cbrt
    return beta

@tail_claim(lem1, bound=lambda *, beta: lem1(beta=beta), quick=grid(beta=[0.5]), control=Control("p x {}", (4,)))
def coin(rng, size, *, beta, factor=1):
    """A coin."""
    return rng.random(size) < 0.2 * factor
'''


def test_the_state_of_a_process_is_read_without_a_trace():
    assert process_state.put_back(process_state.read_state(thorough=True)) == []
