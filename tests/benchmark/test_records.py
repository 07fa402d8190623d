"""Statements of the benchmark: their texts agree, their truths are shown, and nothing of an answer is asked."""

import json
from fractions import Fraction
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from lemmata.bounds.proof.box import Side
from lemmata.bounds.proof.expression import floor, largest, log, sqrt, variable
from lemmata.experiments.benchmark import checkers, deciding, export, sandbox, standalone, twins, verify
from lemmata.experiments.benchmark.baselines import property_testing
from lemmata.experiments.benchmark.inequalities import Inequality, perturb
from lemmata.experiments.benchmark.judge import find_fault
from lemmata.experiments.benchmark.quantifiers import swap
from lemmata.experiments.benchmark.records import QUESTION, question, read_inequality
from lemmata.experiments.conformance.latex_arithmetic import read_terms
from lemmata.experiments.engine.ledger import published

REPORTS = Path(__file__).parents[2] / "reports"
INF, X, N = float("inf"), variable("x"), variable("n")
LINE = Side(Fraction(0), INF, open_low=True, open_high=True)
COUNTS = Side(Fraction(1), INF, open_high=True, whole=True)
BELOW = Inequality(log(1 + X), X, {"x": LINE})  # log(1 + x) <= x
TIGHT = Inequality(log(1 + X), X * Fraction(4, 5), {"x": LINE})  # false below 0.46
KEY = "wzw25.thm6.7.s4/printed"  # floor(log2 n) + 2 <= 4 log2 n for n >= 3


def rng():
    return np.random.default_rng(5)


@pytest.fixture(scope="module")
def exported():
    rows = [row for row in published.read_rows(REPORTS).values() if row["key"].startswith("wzw25.thm6.7")]
    return export.collect(rows, secret="a key")


def test_a_statement_is_true_by_a_proof_and_false_by_a_program():
    assert deciding.decide(BELOW, rng()).truth == "true"
    found = deciding.decide(TIGHT, rng())
    assert found.truth == "false" and TIGHT.fails_at(found.setting) and not BELOW.fails_at(found.setting)
    assert sandbox.run_program(TIGHT.program(found.setting)).status == 0
    assert sandbox.run_program(BELOW.program(found.setting)).asserted
    nowhere = Inequality(log(X - 1), X, {"x": LINE})  # not a number below 1
    assert deciding.decide(nowhere, rng()).truth == "undefined"


def test_a_failure_on_a_hundredth_of_the_domain_has_a_hard_grade():
    rare = Inequality(X, 10 + X**2 / 40, {"x": Side(Fraction(0), Fraction(21))})  # false between 20 and 20.0 only
    assert not deciding.decide(rare, rng()).setting
    rare = Inequality(X, Fraction(99, 10) + X**2 / 40, {"x": Side(Fraction(0), Fraction(10**6))})
    found = deciding.decide(rare, rng())
    assert found.truth == "false" and deciding.grade(found.share) >= 2


@pytest.mark.parametrize("setting", [{"x": "-1"}, {"x": "0"}])
def test_no_counterexample_is_outside_the_hypotheses(setting):
    assert not TIGHT.admits(setting) and not TIGHT.fails_at(setting)


def test_texts_in_python_latex_and_balls_are_the_same_formula():
    side = largest(X / (2 * N), -floor(-X)) - sqrt(X) * X ** Fraction(2, 3) / (1 + N**2)
    made = Inequality(side, X, {"x": LINE, "n": COUNTS})
    record = {"inequality": export.describe_inequality(made)}
    assert read_inequality(record).left is side
    at = {"x": 2.5, "n": 3.0}
    value = float(deciding.compile_text(made.texts[0], ["x", "n"])(**at))
    assert float(deciding.evaluate(side, {"x": "5/2", "n": 3})) == pytest.approx(value, rel=1e-12)
    terms = [term for term in read_terms(made.latex().rpartition("quad")[2]) if term.letters == {"x", "n"}]
    assert any(term.value(at) == pytest.approx(value, rel=1e-12) for term in terms)


def test_property_testing_evaluates_a_narrow_record_no_more_often_than_its_budget(monkeypatch):
    tried, fails_at = [], Inequality.fails_at
    monkeypatch.setattr(Inequality, "fails_at", lambda made, setting: tried.append(0) or fails_at(made, setting))
    check = checkers.load_baseline("property-testing")
    narrow = Inequality(X, 1 + X, {"x": LINE, "n": COUNTS}, (X * 1000 <= 1, 5 * N <= 26, 5 * N >= 24))
    found = check({"inequality": export.describe_inequality(narrow)})
    assert found["verdict"] == "true" and 100 <= len(tried) <= property_testing.EVALUATIONS
    found = check({"inequality": export.describe_inequality(Inequality(X, X**2, {"x": LINE}))})
    assert found["verdict"] == "false" and sandbox.run_program(found["witness"]).status == 0


def test_every_kind_of_change_is_tried():
    made = Inequality(log(1 + X), 2 * X**2 + X, {"x": LINE, "n": COUNTS}, (X <= N,))
    assert {kind for kind, _, _ in perturb(made)} == {
        "constant", "exponent", "dropped term", "direction", "missing hypothesis",
    }  # fmt: skip


def test_a_swapped_quantifier_fails_for_every_constant():
    made = Inequality(X, X + N, {"x": LINE, "n": COUNTS})
    (found,) = swap(made, rng())  # x <= c (x + n)/v
    assert sandbox.run_program(found.program()).status == 0
    taken = variable("c")  # a statement with a c of its own would have two
    assert not list(swap(Inequality(X, X + taken, {"x": LINE, "c": COUNTS}), rng()))


def test_records_are_as_the_schema_says_and_are_made_alike_twice(exported, tmp_path):
    schema = json.loads((resources.files("lemmata.experiments.benchmark") / "schema.json").read_text())
    for record in exported.public:
        assert record.keys() == set(schema["required"]) == schema["properties"].keys()
        assert record["truth"] in schema["properties"]["truth"]["enum"]
        assert record["truth"] != "false" or (record["program"] and record["setting"] is not None)
        known = (*export.TRUE, "tested") if record["row"].startswith(f"{export.CITED}.") else export.TRUE
        assert record["truth"] != "true" or record["evidence"]["class"] in known
    base = next(base for base in twins.list_bases([export.CLAIMS[KEY]]))
    assert [t.words for t in twins.make_twins(base, "k")] == [t.words for t in twins.make_twins(base, "k")]
    manifest = export.write_export(exported, tmp_path, "a key")
    assert manifest["sha256"] == export.write_export(export.Export(public=exported.public), tmp_path / "open")["sha256"]
    assert manifest["truths"]["false"] >= 10 and manifest["truths"]["true"] >= 10 and manifest["held_out"] > 0
    lines = (tmp_path / "held-out.jsonl").read_text().splitlines()
    assert all(json.loads(line).keys() == {"id", "split", "sha256"} for line in lines)


def test_a_question_has_nothing_of_the_answer(exported):
    asked = [question(record) for record in exported.public]
    assert all(each.keys() == set(QUESTION) for each in asked)
    words = ("corrected", "refuted", "counterexample", "derived here", "is said to")
    assert not [each["id"] for each in asked if any(word in json.dumps(each) for word in words)]


def test_every_record_is_verified_again(exported):
    faults = {record["id"]: verify.verify(record, 1)[1] for record in exported.public}
    assert not any(faults.values())


def test_a_wrong_truth_is_noticed(exported):
    false = next(record for record in exported.public if record["truth"] == "false" and record["grade"] == 1)
    assert "false at" in verify.verify(false | {"truth": "true"}, 1)[1]
    true = next(record for record in exported.public if record["truth"] == "true" and record["inequality"])
    wrong = true | {"truth": "false", "program": false["program"], "setting": false["setting"]}
    assert verify.verify(wrong, 1)[1] and verify.verify(true | {"words": "other"}, 1)[1]


# Programs of strangers ------------------------------------------------------------------------------------------------

HONEST = TIGHT.program({"x": "1/10"})
FALSE = {"truth": "false", "row": "", "inequality": export.describe_inequality(TIGHT)}


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        (HONEST, ""),
        ("x = right = 1", "fail by an assertion"),  # shows nothing
        (HONEST.replace("right = ", "kept = right = ").replace("> right", "> kept"), "fail by an assertion"),
        (HONEST.replace("arb(1)/arb(10)", "arb(3)"), "status 1"),
        (HONEST.replace("x = arb(1)", "x = -arb(1)").replace("left = ", "left = -"), "not false"),
        (HONEST.replace("x = ", "y = ").replace("+ x", "+ y").replace("*x", "*y").replace("x*", "y*"), "setting in x"),
        ("import lemmata", "status 1"),
        ("while True: pass", "it ends"),
        ("x = bytearray(2**40)", "status 1"),
        (None, "must be a program"),
    ],
)  # fmt: skip
def test_a_witness_counts_only_if_it_refutes(program, fault, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 2)
    found = find_fault(FALSE, program)
    assert found == "" if fault == "" else fault in found


def test_a_witness_of_a_row_is_judged_by_its_own_check():
    record = {"truth": "false", "row": "rbht09.lem19.s6/printed", "inequality": None}
    good = "C, gamma = 1.0, 0.001\nassert (1 - gamma)*C > C/2"
    assert find_fault(record, good) == ""
    assert "not refute" in find_fault(record, good.replace("0.001", "0.4999999999").replace(">", "!="))


@pytest.mark.parametrize("text", ["().__class__", "__import__('os')", "[x for x in (1,)]", "x if x else 1"])
def test_a_record_of_a_stranger_is_no_program(text):
    asked = FALSE["inequality"] | {"left": text}
    with pytest.raises((ValueError, NameError)):
        read_inequality({"inequality": asked})


def test_a_program_is_written_without_the_package():
    rows = published.read_rows(REPORTS)
    row = rows["rbht09.lem19.s6/printed"]
    program = standalone.write_program(row["witness"]["python"], row["key"], traced=False)
    assert "lemmata" not in program and sandbox.run_program(program).status == 0
    assert sandbox.depends_on(program, "case_one_excluded", 0.999)
    assert not sandbox.depends_on(program.split("assert")[0], "case_one_excluded", 0.999)
