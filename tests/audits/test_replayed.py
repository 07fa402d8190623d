"""Every learner's queries, replayed on its hardest neighbours: what holds on the page, and what must not."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lemmata import mechanisms
from lemmata.experiments.audits import read_committed, replays
from lemmata.mechanisms.audit.neighbours import extreme_pairs
from lemmata.mechanisms.audit.subjects import replay
from lemmata.mechanisms.learners.glm import glm_gd
from lemmata.mechanisms.numerics.streams import TEST_ROOT

LISTED = {row["learner"]: row for row in read_committed("replayed")}


BY_NAME = {program.name: program for program in replays.PROGRAMS}


@pytest.mark.record
def test_every_learner_is_listed():
    """Every law of records. Those of `noise` and `selection` release numbers that their caller computes."""
    files = Path(mechanisms.__file__).parent.rglob("*.py")
    laws = {
        file.stem.replace("_", " "): file.parent.name
        for file in files
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name in ("law", "margin_law")
    }
    learners = {name for name, room in laws.items() if room not in ("noise", "selection")}
    assert learners <= set(BY_NAME) <= laws.keys(), "every learner needs a line in experiments/audits/replays.py"
    assert set(BY_NAME) == set(LISTED), "python -m lemmata.experiments.audits.replays writes replayed.csv"


@pytest.mark.parametrize("program", replays.PROGRAMS, ids=lambda program: program.name)
def test_the_queries_of_a_learner(program):
    """As committed, but for the pair: here known extremes alone are tried."""
    found, listed = replays.check_program(program), LISTED[program.name]
    assert found["sound"] == listed["sound"] == "yes", found
    assert float(found["kappa"]) <= float(listed["kappa"]) + 1e-3 <= 1.002
    assert (str(found["queries"]), found["cost"]) == (listed["queries"], listed["cost"])
    assert found["replay"] == listed["replay"] == "no violation"


@pytest.mark.parametrize("name", [p.name for p in replays.PROGRAMS if not p.noise])
def test_a_release_with_other_noise_is_seen(name):
    """Half of every normal number, or another choice."""
    program = BY_NAME[name]

    class Halved(np.random.Generator):
        def normal(self, *arguments, **options):
            return super().normal(*arguments, **options) / 2

        def gumbel(self, *arguments, **options):
            return -super().gumbel(*arguments, **options)

    other = replace(program, release=lambda law, rng: program.release(law, Halved(rng.bit_generator)))
    law = program.law(*replays.find_hardest_pair(program).one)
    assert replays.describe_noise(program, law)[1]
    assert not replays.describe_noise(other, law)[1]


@pytest.mark.parametrize("name", ["noisy gd", "private perceptron"])
def test_half_the_noise_is_not_affordable(name):
    program = BY_NAME[name]
    halved = replace(
        program, law=lambda X, y, law=program.law: (lambda one: replace(one, sigma=one.sigma / 2))(law(X, y))
    )
    found = replays.check_program(halved)
    assert found["sound"] == "no" and found["cost"] == "μ = 2" and found["replay"] == "no violation"


def test_rows_that_are_too_long_move_more_than_is_declared(monkeypatch):
    monkeypatch.setattr(glm_gd, "SAFE", 0.1)
    assert "declared" in replays.check_program(BY_NAME["glm gd"])["replay"]


def test_the_search_finds_what_no_extreme_shows():
    """A query that moves only where the first coordinate of the replaced row is 0.7: extremes have 0, 0.707 and 1."""

    def moved(one, other):
        (X, _), (Z, _) = one, other
        return float(np.max(np.exp(-((((X - Z) ** 2).sum(axis=1) - 0.5) ** 2) * 50)))

    extremes = max(moved(a, b) for _, a, b in extreme_pairs.extremes(3, 2))
    found = extreme_pairs.worst_pair(moved, n=3, d=2, root=TEST_ROOT)
    assert extremes < 0.1 and found.kappa > 0.99 and found.source == "search"
    (X, y), (Z, z) = found.one, found.other
    assert np.linalg.norm(np.vstack([X, Z]), axis=1).max() <= 1 + 1e-12 and set(np.append(y, z)) <= {-1.0, 1.0}
    assert ((X != Z).any(axis=1) | (y != z)).sum() == 1


def test_a_choice_is_charged_by_the_span_of_its_scores():
    query = replay.Query("scores", (2,), 2.0, 4.0, replay.SPAN, True, np.zeros(2), np.zeros(1))
    assert query.moved(replace(query, value=np.array([1.0, -1.0]))) == 2.0
    assert query.moved(replace(query, value=np.array([1.0, 1.0]))) == 0.0
    assert replay.spent([query]) == (0.5, 0.0)
