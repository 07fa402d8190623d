"""What the kit says of other people's theorems: false ones fall with a witness, bugs are no findings, and nothing is
derived, machine-checked or true everywhere because somebody says so."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TRIED, FALLEN, FAILED = ("HOLDS", "", "tested", "settings"), ("REFUTED", ""), ("INCONCLUSIVE", "FAILED")
EXPECTED = {
    "stirling": TRIED,
    "powers": TRIED,
    "boast": TRIED,
    "rests": TRIED,
    "gauss": FALLEN,
    "room": TRIED,
    "equal": FALLEN,
    "hoeffding": FALLEN,
    "means": ("INCONCLUSIVE", "UNCONFIRMED"),
    "pythagoras": ("INCONCLUSIVE", "BUDGET"),
    "basel": ("INCONCLUSIVE", "BUDGET"),
    "overflow": FAILED,
    "raises": FAILED,
    "nothing": FAILED,
    "vacuous": ("VACUOUS", ""),
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


@pytest.fixture
def others(folder):
    (folder / "odd_numbers.py").unlink()
    (folder / "others.py").write_text(Path(__file__).with_name("others.py").read_text())
    (folder / "paper.toml").write_text(
        'id = "o"\nauthors = ["Ada Nobody"]\ntitle = "Others"\nyear = 2026\nversion = "a test"\n[contents]\n'
        + "".join(f'{id} = "Theorem {i}"\n' for i, id in enumerate([*EXPECTED, "unearned"], 1))
    )
    return folder


def test_no_word_says_too_much(others):
    ran = others.lemmata("run")
    assert ran.returncode == 0 and "Warning" not in ran.stderr, ran.stderr
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
    assert "scope = 'everywhere' is more than certificate covers" in said.stderr


def test_a_row_that_is_nobody_s_is_named_with_who_names_it(others):
    others.edit("others.py", "given=[powers]", 'given=["o.nine/printed"]')
    said = others.lemmata("run")
    assert said.returncode == 2 and said.stderr.count("\n") == 1, said.stderr
    assert "o.rests/printed: given or corrected_by names o.nine/printed" in said.stderr
