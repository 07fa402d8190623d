"""What the kit says of other people's theorems: false ones fall with a witness, bugs are no findings, and nothing is
derived, machine-checked or true everywhere because somebody says so."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TRIED, FALLEN, FAILED = ("HOLDS", "", "tested", "settings"), ("REFUTED", ""), ("INCONCLUSIVE", "FAILED")
EXPECTED = {
    "stirling": TRIED,
    "powers": FALLEN,
    "boast": FALLEN,
    "rests": FALLEN,
    "gauss": FALLEN,
    "room": TRIED,
    "equal": FALLEN,
    "hoeffding": FALLEN,
    "means": FAILED,
    "pythagoras": ("INCONCLUSIVE", "BUDGET"),
    "basel": ("INCONCLUSIVE", "BUDGET"),
    "overflow": FAILED,
    "raises": FAILED,
    "nothing": FAILED,
    "vacuous": ("VACUOUS", ""),
    "far": FALLEN,
    "giants": TRIED,
    "neighbours": FALLEN,
}
TOOTHLESS = ("INCONCLUSIVE", "CONTROL_FAILED")
MISTAKES = {  # what becomes of each, and a word of the note that names the bug
    "leaves": (FAILED, "must yield cases (setting, left, right), got None"),
    "exits": (FAILED, "SystemExit: 3"),
    "forgets": (TOOTHLESS, "must call squared"),
    "lists": (FAILED, "left must be a real number, got array([1., 2.])"),
    "pairs": (FAILED, "a case must be (setting, left, right)"),
    "bare": (FAILED, "a case must be (setting, left, right)"),
    "returns": (FAILED, "right must be a real number, got None at {'n': 2}"),
    "short": (FAILED, "a trial must return size = 1000 outcomes, got 999"),
    "alone": (TOOTHLESS, "it needs a control"),
    "own": (TOOTHLESS, "must call squared"),
    "changes": (("HOLDS", "", "sampled", "settings"), ""),
    "never": (FAILED, "a bound on a probability must be positive, got 0.0"),
    "ranges": (FAILED, "got nan"),
    "boasts": (TRIED, ""),
    "truth": (FAILED, "An exact check must return a Verdict (holds(...), refuted(...)), got bool"),
    "again": (FALLEN, ""),
    "edge": (FALLEN, ""),
    "seeded": (FAILED, "a trial must draw from its rng"),
    "spawned": (("HOLDS", "", "sampled", "settings"), ""),
    "once": (FAILED, "this one draws as much for 1 as for 1000"),
    "signed": (("HOLDS", "", "asserted", "everywhere"), ""),
}
UNEARNED = """
@theorem("unearned", says=r"n! \\\\le 10^n", needs=N)
def unearned(*, n: int) -> int:
    "A power of ten."
    return 10**n


@inequality_claim(unearned, evidence="certificate", scope="everywhere")
def unearned_is_larger():
    yield {"n": 1}, 1, unearned(n=1)
"""


def paper(folder, module, ids):
    """A paper of one module, which stands beside this file."""
    (folder / "odd_numbers.py").unlink()
    (folder / module).write_text(Path(__file__).with_name(module).read_text())
    (folder / "paper.toml").write_text(
        'id = "o"\nauthors = ["Ada Nobody"]\ntitle = "Others"\nyear = 2026\nversion = "a test"\n[contents]\n'
        + "".join(f'{id} = "Theorem {i}"\n' for i, id in enumerate(ids, 1))
    )
    return folder


@pytest.fixture
def others(folder):
    return paper(folder, "others.py", [*EXPECTED, "unearned"])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bug_of_a_check_is_named_as_one(folder, jobs):
    mine = paper(folder, "mistakes.py", MISTAKES)
    ran = mine.lemmata("run", "--jobs", jobs)
    assert ran.returncode == 3 and "Traceback" not in ran.stderr, ran.stderr
    named = [line.split()[1] for line in ran.stderr.splitlines() if "could not be decided (FAILED): " in line]
    assert sorted(named) == sorted(f"o.{id}/printed" for id, (expected, _) in MISTAKES.items() if expected == FAILED)
    rows = {row["key"].removeprefix("o."): row for row in json.loads(mine.lemmata("ledger", "--json").stdout)}
    for id, (expected, note) in MISTAKES.items():
        row = rows[f"{id}/printed"]
        fields = ("verdict", "reason", "evidence", "scope")[: len(expected)]
        assert tuple(row[name] for name in fields) == expected and note in row["note"], (id, row)
    said = mine.lemmata("explain", "edge").stdout
    assert "cite       o.edge/corrected (REFUTED)" in said and "True for" not in said, said


def test_no_word_says_too_much(others):
    ran = others.lemmata("run")
    assert ran.returncode == 3 and "Warning" not in ran.stderr, ran.stderr
    rows = {row["id"].removeprefix("o."): row for row in json.loads(others.lemmata("ledger", "--json").stdout)}
    for id, expected in EXPECTED.items():
        row = rows[id]
        fields = ("verdict", "reason", "evidence", "scope")[: len(expected)]
        assert tuple(row[name] for name in fields) == expected, (id, row["verdict"], row["reason"], row["note"])
        assert ("true" in row["headline"], "held wherever we tried it" in row["headline"]) == (False, expected == TRIED)
        assert bool(row["witness"] and row["witness"]["python"]) or expected != FALLEN
        assert row["control"] == "REFUTED" or expected != TRIED
    assert "ZeroDivisionError" in rows["raises"]["note"] and "NaN" in rows["nothing"]["note"]


def test_what_is_not_earned_is_refused_in_one_line(others):
    with (others / "others.py").open("a") as file:
        file.write(UNEARNED)
    said = others.lemmata("run")
    assert said.returncode == 2 and said.stderr.count("\n") == 1, said.stderr
    assert "evidence 'certificate' everywhere requires given=[rows]" in said.stderr


@pytest.mark.parametrize("link", ["o.nine/printed", "powers", "o.powers"])
def test_a_row_that_is_nobody_s_is_named_with_who_names_it(others, link):
    """Nor is the id of a statement a row: which of its readings would it be?"""
    others.edit("others.py", "given=[powers]", f'given=["{link}"]')
    said = others.lemmata("run")
    assert said.returncode == 2 and said.stderr.count("\n") == 1, said.stderr
    assert f"o.rests/printed: given and corrected_by must name rows, as in o.rests/printed, got {link}" in said.stderr
