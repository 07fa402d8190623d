"""The program of a witness: it runs by itself, calls the row's own function, and depends on what that says."""

import subprocess
import sys

import pytest

from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.witness import programs
from lemmata.mechanisms.learners.erm import private_svm

IMPORTED = "from lemmata.bounds.rbht09.lower_bounds_rbf import circle_databases\n"
OWN = "from lemmata.bounds.rbht09.lower_bounds_rbf import least_databases_printed\n"
ROW = {
    "key": "rbht09.thm20.s1/printed",
    "name": "least_databases_printed",
    "home": "lemmata.experiments.rbht09.lower_bounds_rbf_proof",
    "folder": "",
    "package": "lemmata.bounds.rbht09",
    "style": "exact",
    "asked": None,
    "profile": "quick",
    "place": "{}",
    "points": [{"sigma": 0.8493}],
    "sides": [5.0, 4.0],
}
PLANTED = {
    "": IMPORTED + OWN + "assert circle_databases(sigma=0.84) < least_databases_printed()",
    "but does not name": IMPORTED + "assert circle_databases(sigma=0.84) == 4",
    "the statement to refute": IMPORTED + OWN + "assert circle_databases(sigma=0.84) == 4",
    "passes if the number": IMPORTED + OWN + "least_databases_printed()\nassert circle_databases(sigma=0.84) == 4",
    "failed in its own process": IMPORTED + OWN + "assert circle_databases(sigma=0.84) > least_databases_printed()",
    "SyntaxError": "assert (least_databases_printed",
    "warned": "import warnings\nwarnings.warn('warned')\n" + OWN + "assert least_databases_printed() > 4",
}


LOGARITHM = (
    IMPORTED + OWN + "from math import log\nlog(least_databases_printed())\nassert circle_databases(sigma=0.84) == 4"
)


@pytest.fixture(scope="module")
def answers():
    return dict(
        zip(PLANTED, programs.run_programs([{"python": text, "row": ROW} for text in PLANTED.values()]), strict=True)
    )


@pytest.mark.parametrize("said", PLANTED)
def test_a_program_is_told_what_is_wrong_with_it(answers, said):
    assert said in answers[said] and bool(said) == bool(answers[said])


def test_only_an_assertion_that_fails_is_about_the_statement(tmp_path, monkeypatch):
    """A logarithm of a negative number is none; and what a user's own start-up file prints is no answer."""
    (tmp_path / "sitecustomize.py").write_text("print(7)\nprint('hi')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    said = programs.run_programs([{"python": python, "row": ROW} for python in (LOGARITHM, PLANTED[""])])
    assert "passes if the number" in said[0] and said[1] == ""


def test_a_function_that_is_called_inside_another_counts():
    python = (
        "from lemmata.bounds.bms22.efficient_learner import printed_rows\n"
        "from lemmata.bounds.bms22.polynomial_kernels import printed_dimension\n"
        "ratios = [(1 + p) / printed_dimension(d=1, degree=p) for p in (1, 10, 100)]\n"
        "assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]"
    )
    row = ROW | {"key": "bms22.rem.poly/printed/dimension", "name": "printed_dimension", "sides": []}
    row |= {"home": "lemmata.experiments.bms22.polynomial_kernels", "package": "lemmata.bounds.bms22"}
    row |= {"points": [{"d": 1, "degree": degree} for degree in (1, 10, 100)]}
    assert programs.run_programs([{"python": python, "row": row}]) == [""]


@pytest.mark.parametrize(
    "python",
    [
        "from lemmata.mechanisms.learners.erm.private_svm import law\nassert law",
        "from lemmata.mechanisms.learners.erm import private_svm\nassert private_svm.law",
        "import lemmata.mechanisms.learners.erm.private_svm as p\nassert p.law",
        "import lemmata.mechanisms.learners.erm.private_svm\nassert lemmata.mechanisms.learners.erm.private_svm.law",
    ],
)
def test_a_law_that_only_a_program_runs_is_part_of_what_it_came_to(monkeypatch, python):
    """No statement and no check of Theorem 20's first step names this law."""
    claim = registry.find("rbht09.thm20.s1/printed")
    seen = []
    for changed in (None, lambda X, y: None):
        if changed:
            monkeypatch.setattr(private_svm, "law", changed)
        monkeypatch.setattr(fingerprint, "_KEPT", {})
        seen.append((programs.digest_program(claim, python, "{}"), programs.digest_program(claim, "assert True", "{}")))
    assert seen[0][0] != seen[1][0] and seen[0][1] == seen[1][1]


DIGESTS = """
import numpy as np

from lemmata.experiments.audits import nulls
from lemmata.experiments.comparison import learners, table
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.running import cell
from lemmata.experiments.engine.witness import programs

if used:
    claim = next(claim for claims in registry.load().values() for claim in claims if claim.steps)
    cell.search.search(claim, np.random.default_rng(0), 10)
claims = [registry.find(key) for key in ("abgmu22.lem.conc/printed/above", "rbht09.thm20.s1/printed")]
digests = [fingerprint.hash_claim(claim) for claim in claims]
digests += [programs.digest_program(claim, "assert True", "{}") for claim in claims]
digests += [cell.hash_search(), *nulls.digest_codes().values(), *map(table.hash_learner, learners.LEARNERS.values())]
print(digests)
"""


def test_no_digest_depends_on_what_a_process_has_loaded_or_done():
    said = [
        subprocess.run(
            [sys.executable, "-c", f"used = {used}\n{DIGESTS}"], stdout=subprocess.PIPE, text=True, check=True
        )
        for used in (False, True)
    ]
    assert said[0].stdout == said[1].stdout != ""


def test_who_judges_is_part_of_it_too(monkeypatch):
    claim = registry.find("rbht09.thm20.s1/printed")
    before = programs.digest_program(claim, "assert True", "{}")
    monkeypatch.setattr(programs.program_process, "judge_program", lambda python, row: "")
    assert programs.digest_program(claim, "assert True", "{}") != before


def test_what_is_no_program_has_a_digest():
    claim = registry.find("rbht09.thm20.s1/printed")
    assert programs.digest_program(claim, "assert (", "{}") != programs.digest_program(claim, "assert [", "{}")


def test_a_process_that_dies_is_no_answer_and_the_next_run_asks_again(monkeypatch):
    """Out of memory, or no process to be had: nothing is kept against the program."""
    monkeypatch.setattr(programs.sys, "executable", "/bin/false")
    assert programs.run_programs([{"python": PLANTED[""], "row": ROW}]) == [None]
