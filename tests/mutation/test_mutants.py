"""The mutation runs themselves: they find what they should, and what is committed of them is of the code as it is."""

import ast
import multiprocessing
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.experiments.audits import read_committed
from lemmata.experiments.conformance import edit, runner
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from tests.house.test_touched import redefined
from tests.mutation import gate, mutants, operators
from tests.mutation.planted import PLANTED
from tests.mutation.planting import DEAR

SAMPLE = {  # function: (a change that is generated, the claim that notices it)
    "lemmata.bounds.rbht09.svm_accuracy.erlang_mean": ("q * lam -> q / lam", "rbht09.fn5/printed/mean"),
    "lemmata.bounds.bms22.long_minimiser.hinge_pieces": ("1 - w * gamma -> 1", "bms22.exH/printed/pieces"),
    "lemmata.bounds.rbht09.kernel_spectra.cauchy_measure": (
        "sum((_magnitude(x) for x in point)) -> max((_magnitude(x) for x in point))",
        "rbht09.fourier/corrected/inversion",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_a_generated_mutant_is_noticed_by_its_claim(name):
    change, key = SAMPLE[name]
    registry.load()
    claim = CLAIMS[key]
    roots = (claim.trial, claim.by, claim.theorem.formula)
    check = mutants.Check(key, partial(mutants.claim_outcome, claim), "HOLDS ", roots=roots)
    mutant = next(m for m in operators.mutants(name.rpartition(".")[0]) if (m.name, m.change) == (name, change))
    assert check.reaches(mutant)
    assert runner.try_change(mutant.apply, [check], 30).noticers == [key]


def test_noticers_are_counted_by_kind():
    """A frozen value beside tests counts apart; the sentence counts who stands alone."""
    found = ["tests/a.py::test_one", "tests/mechanisms/test_frozen.py::x", "tests/c.py::test_two"]
    assert mutants.kinds(found) == "1 frozen, 2 test" and mutants.kinds(["bms22.lemA.1/printed"]) == "1 row"
    alone = dict.fromkeys(mutants.COLUMNS, "") | {"outcome": "killed"}
    rows = [alone | {"noticers": told} for told in ("1 frozen, 2 test", "2 frozen", "1 doctest, 1 frozen", "1 row")]
    assert mutants.summary(rows).endswith("; 2 of 4 by frozen or printed values alone")
    assert "alone" not in mutants.summary([alone])


def test_more_mutants_than_a_pipe_holds_are_tried():
    """Both pipes were full after some three hundred: who puts waited for who reads, and the other way round."""
    tried = list(operators.mutants("lemmata.mechanisms.numerics.arithmetic"))
    many = [tried[place % len(tried)] for place in range(600)]

    def run():
        mutants.checks_of = lambda items: []
        session = mutants.Session(many, None, 1.0, False)
        session.pytest_runtestloop(SimpleNamespace(items=[]))
        os._exit(len(session.rows) != len(many))

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join(120)
    process.kill()
    assert process.exitcode == 0


def test_what_was_noticed_is_not_tried_again(tmp_path):
    one, two, three = list(operators.mutants("lemmata.mechanisms.numerics.arithmetic"))[:3]
    session = mutants.Session([one, two], tmp_path / "table.csv", 1.0, False)
    row = dict.fromkeys(mutants.COLUMNS, "")
    rows = [
        row | {"module": m.module, "function": m.function, "line": m.line, "change": m.change, "outcome": outcome}
        for m, outcome in ((one, "killed"), (two, "SURVIVED"), (three, "killed"))
    ]
    mutants.write(session.table, rows)
    session.go_on(read_table(session.table))
    assert session.mutants == [two] and session.rows == rows[:1]
    mutants.write(session.table, [*session.rows, rows[1]])
    assert len(read_table(session.table)) == 2
    twin = replace(one, node=one.node + 1)  # the same text twice on a line
    both = mutants.Session([one, twin], None, 1.0, False)
    both.go_on(rows)
    assert both.mutants == [one, twin] and both.rows == []


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1])
def test_the_command_tries_what_it_is_asked_to(count):
    """In a process of its own, as it is typed: it collects the tests, and having tried nothing is no success."""
    command = ["-m", "tests.mutation.mutants", "--only", "lemmata.bounds.exact.binomials", "--count", str(count)]
    command += ["--patience", "5", "--tests", "tests/exact bounds/exact"]
    ran = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=600)
    assert f"{count} mutants tried" in ran.stdout, ran.stdout + ran.stderr
    assert count or ran.returncode == 1


def test_a_check_that_has_no_end_is_noticed_by_its_cpu_seconds():
    done = []

    def change():
        done.append(True)

    def work():
        while done:
            pass
        return "passed"

    check = runner.Check("endless", work, planned=(2 - runner.LIMIT) / 10)
    assert runner.try_change(change, [check]).noticers == ["endless"]
    assert not done


def test_the_choice_depends_on_its_seed_alone_and_repeats_no_function():
    arguments, binomials = "lemmata.mechanisms.numerics.arguments", "lemmata.bounds.exact.binomials"
    among = (arguments, binomials, "lemmata.experiments.engine.running.cell")
    chosen = operators.chosen(30, 5, among)
    assert chosen == operators.chosen(30, 5, among) != operators.chosen(30, 6, among)
    assert len({m.name for m in chosen}) == 30
    assert {m.module for m in chosen} == set(among) <= set(operators.modules())


@pytest.mark.parametrize(
    ("written", "mistakes"),
    [
        ("a * b", {"a", "b", "a / b"}),
        ("a - b", {"a", "b - a", "a + b"}),
        ("x ** 2", {"x"}),
        ("-x", {"x"}),
        ("np.log1p(x)", {"np.log(x)"}),
        ("sqrt(x)", {"x"}),
        ("round_up(x)", {"round_down(x)", "float(x)"}),
        ("a if exact else b", {"a", "b"}),
        ("a <= b", {"a > b"}),
        ("a and b", {"a or b"}),
        ("range(n)", {"range(n - 1)"}),
        ("3", {"4"}),
        ("0.5", {"1.0"}),
        ("'replace'", {"'add/remove'"}),
        ("(low, high)", {"(high, low)"}),
        ("rng.normal(size=k)", {"_broadcast_draw(lambda: rng.normal(), k)"}),
    ],
)
def test_the_mistakes_of_the_field(written, mistakes):
    node = ast.parse(written, mode="eval").body
    assert {ast.unparse(ast.fix_missing_locations(other)) for other in operators.variants(node)} == mistakes


@pytest.mark.slow
def test_equivalent_mutants_are_generated_and_explained():
    for (name, change), why in mutants.equivalent().items():
        module = next(m for m in operators.modules() if name.startswith(f"{m}."))
        assert change in {m.change for m in operators.mutants(module) if m.name == name}, (name, change)
        assert len(why) > 20


def test_a_changed_function_may_still_call_itself():
    def work():
        functions = operators.functions("lemmata.mechanisms.audit.evidence.stakes")
        edit.rewrite(functions["tangents"], "if records > 1", "if records > 9")
        from lemmata.mechanisms.audit.evidence.stakes import tangents
        from lemmata.mechanisms.privacy import PureDP

        return str(tangents([PureDP(0.5)], 2))

    assert runner.in_child(work, 60) == "[(0.5, 0.0)]"


def test_the_committed_run_is_of_functions_that_exist():
    with mutants.TABLE.open(newline="") as lines:
        rows = list(mutants.csv.DictReader(lines))
    assert len(rows) >= 200
    assert {row["outcome"] for row in rows} <= {"killed", "SURVIVED", "equivalent", "invalid"}
    assert [row for row in rows if row["function"] not in operators.functions(row["module"])] == []


def test_a_mutant_in_its_file_changes_its_function_alone():
    """As `make gate` writes it."""
    for mutant in operators.chosen(
        20, 7, ("lemmata.bounds.exact.binomials", "lemmata.experiments.engine.running.cell")
    ):
        path, after = gate.text_of(mutant)
        assert redefined(path.read_text(), after) == {mutant.function}


def param(planted):
    """A planted mistake; one whose check draws many releases is for `make soak`."""
    marks = [pytest.mark.soak] if planted.check.planned >= DEAR else []
    return pytest.param(planted, id=f"{planted.row}: {planted.mutation}", marks=marks)


@pytest.mark.slow
def test_what_is_changed_is_in_the_code_still():
    sees_nothing = runner.Check("sees nothing", lambda: runner.PASSED)
    assert PLANTED
    for planted in PLANTED:
        assert runner.try_change(planted.plant, [sees_nothing]).passed == 1, planted.mutation


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("planted", [param(planted) for planted in PLANTED])
def test_a_planted_mistake_is_caught(planted):
    assert planted.is_caught(), planted.tried()


def test_every_planted_mistake_is_on_its_page():
    listed = read_committed("planted")
    assert sorted(line["mutation"] for line in listed) == sorted(planted.mutation for planted in PLANTED)
    assert {line["caught"] for line in listed} == {"yes"}


def test_the_gate_counts_the_work_of_its_processes_and_not_the_clock(monkeypatch):
    """A run that waits for a busy machine costs nothing; the processes that a run starts are part of it."""
    monkeypatch.setattr(gate, "ALONE", ["-S", "-c", "import time; time.sleep(1)"])
    assert gate.first_failure()[1] < 0.5
    spin = "import time\nwhile time.process_time() < 1: pass"
    monkeypatch.setattr(
        gate, "ALONE", ["-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"]
    )
    assert gate.first_failure()[1] >= 1
