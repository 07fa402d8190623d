"""A hurried author's folder, from `lemmata run` to a program that shows what the engine found."""

import json
import subprocess
import sys

import pytest

PAPER = """
id = "hurry"
authors = ["Ada Nobody"]
title = "In a Hurry"
year = 2026
version = "invented"
[contents]
"a" = "Lemma 1"
"b" = "Lemma 2"
"c" = "Lemma 3"
"d" = "Lemma 4"
"""
CLAIMS = '''
"""Statements, tried at a few settings."""
from fractions import Fraction
from math import exp, factorial
from lemmata.paper import function, grid, identity_claim, in_unit_interval, inequality_claim, integer, theorem

@theorem("a", kind="inequality", says=r"n! \\\\le 10^n", needs=[integer("n")])
def a(*, n: int) -> int:
    """A bound on factorials."""
    return 10**n

@inequality_claim(a)
def small_factorials():
    """Small n, in a loop."""
    for n in range(1, 25):
        yield {"n": n}, factorial(n), a(n=n)

@theorem("b", kind="identity", says=r"\\\\sum i = n(n+1)/2", needs=[integer("n")])
def b(*, n: int) -> Fraction:
    """A sum that is another one from 41 on."""
    return Fraction(n * (n + 1), 2) + (n > 40)

@identity_claim(b, quick=grid(n=[1, 10]))
def small_sums(*, n):
    """Small n, as an argument."""
    yield {"n": n}, sum(range(n + 1)), b(n=n)

@theorem("c", kind="inequality", says=r"e^x \\\\le 1 + x + x^2", needs=[in_unit_interval("x")])
def c(*, x: float) -> float:
    """True up to 1.79."""
    return 1 + x + x * x

@inequality_claim(c)
def exponentials():
    """Two numbers."""
    for x in (0.1, 0.5):
        yield {"x": x}, exp(x), c(x=x)

@theorem("d", kind="inequality", says=r"2 f(3) \\\\le .98 (f(2) + f(4))", needs=[function("f", convex=True)])
def d(*, f) -> float:
    """False for lines."""
    return 0.98 * (f(2) + f(4))

@inequality_claim(d)
def at_the_middle():
    """One function."""
    for f in (exp,):
        yield {"f": "exp"}, 2 * f(3), d(f=f)
'''


@pytest.mark.slow
def test_what_the_author_did_not_try_is_found_and_shown(tmp_path):
    (tmp_path / "paper.toml").write_text(PAPER)
    (tmp_path / "statements.py").write_text(CLAIMS.replace("\\\\", "\\"))
    command = [sys.executable, "-m", "lemmata"]
    subprocess.run([*command, "run"], cwd=tmp_path, check=True, capture_output=True)
    said = subprocess.run([*command, "ledger", "--json"], cwd=tmp_path, check=True, capture_output=True, text=True)
    rows = {row["id"]: row for row in json.loads(said.stdout)}
    assert {id: row["verdict"] for id, row in rows.items()} == {
        "hurry.a": "REFUTED",
        "hurry.b": "REFUTED",
        "hurry.c": "HOLDS",
        "hurry.d": "REFUTED",
    }
    assert rows["hurry.a"]["witness"]["setting"] == {"n": 25} and rows["hurry.b"]["witness"]["setting"] == {"n": 41}
    assert rows["hurry.c"]["searched"]["decided"] == 1000
    for id in ("hurry.a", "hurry.b", "hurry.d"):
        program = [sys.executable, "-c", "import lemmata.paper\n" + rows[id]["witness"]["python"]]
        subprocess.run(program, cwd=tmp_path, check=True)
