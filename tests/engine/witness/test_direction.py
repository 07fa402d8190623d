"""A program agrees with its check: it fails where the check no longer refutes, and passes where it still does.

The statements stand in a folder of somebody's. The checks of those that are true are mistaken, and so refute them; the
programs that are forged for them show nothing.
"""

import json
import os
import subprocess
import sys

import pytest

PAPER = """
id = "forged"
authors = ["Ada Lovelace"]
title = "Statements"
year = 1843
[contents]
"exp" = "1"
"square" = "2"
"sum" = "3"
"low" = "4"
"tail" = "5"
"zero" = "6"
"blind" = "7"
"pair" = "8"
"grows" = "9"
"""
STATEMENTS = '''
from math import exp
from lemmata.paper import *
from lemmata.experiments.checks.order import order_claim

@theorem("exp", says=r"e^x \\le 3", needs=[require("0 < x < 1", lambda x: 0 < x < 1)])
def bound(*, x):
    """True, and the check is mistaken: it finds 7 on the left."""
    return 3.0

@inequality_claim(bound, severity="statement", python={exp!r})
def bound_falls():
    yield {{"x": 0.5}}, 7.0, bound(x=0.5)

@theorem("square", says=r"n \\le n^2", needs=[integer("n")])
def square(*, n):
    """True, and the check is mistaken: it finds 10 on the left."""
    return n**2

@inequality_claim(square, severity="statement", python={square!r})
def square_falls():
    yield {{"n": 3}}, 10, square(n=3)

@theorem("sum", kind="identity", says=r"\\sum i = n (n + 1) / 2", needs=[integer("n")])
def total(*, n):
    """True, and the check is mistaken: it finds 7 on the left."""
    return n * (n + 1) // 2

@identity_claim(total, severity="statement", python={sum!r})
def total_falls():
    yield {{"n": 3}}, 7, total(n=3)

@theorem("low", says=r"2 n \\le n + 1", needs=[integer("n")])
def low(*, n):
    """False from n = 2 on: a bound from below, which is the left side of its check."""
    return 2 * n

@inequality_claim(low, severity="statement", python={low!r})
def low_falls():
    for n in (2, 5):
        yield {{"n": n}}, low(n=n), n + 1

@theorem("tail", kind="tail", says=r"P(U < 2 b) \\le b", needs=[in_unit_interval("beta")])
def tail(*, beta):
    """False: twice as much."""
    return beta

@tail_claim(tail, quick=grid(beta=[0.1]), bound=lambda beta: tail(beta=beta), severity="statement",
            python=lambda beta: {tail!r}, control=Control("{{}}", (2,)))
def tail_falls(rng, size, *, beta, factor=1):
    return rng.random(size) < 2 * beta

@theorem("zero", says=r"n \\le 0", needs=[integer("n")])
def zero(*, n):
    """False."""
    return 0

@inequality_claim(zero, severity="statement", python={zero!r})
def zero_falls():
    yield {{"n": 3}}, 3, zero(n=3)

@theorem("blind", says=r"e^x \\le 3", needs=[require("0 < x < 1", lambda x: 0 < x < 1)])
def blind(*, x):
    """True, and the check neither calls it nor is right."""
    return 3.0

@inequality_claim(blind, severity="statement", python={blind!r})
def blind_falls():
    yield {{"x": 0.5}}, 7.0, 3.0

@theorem("pair", says=r"n \\le a, n \\le b", needs=[integer("n")])
def pair(*, n):
    """Two numbers, of which the second is too small."""
    return n + 1, n - 1

@inequality_claim(pair, severity="statement", python={pair!r})
def pair_falls():
    yield {{"n": 3}}, 3, pair(n=3)[1]

@theorem("grows", says=r"n^2 = O(n)", needs=[integer("n")])
def grows(*, n):
    """False: too small by the factor n."""
    return n

@order_claim(grows, family="n grows", severity="statement", python={grows!r})
def grows_too_fast():
    for n in (1, 10, 100):
        yield {{"n": n}}, n**2, grows(n=n)
'''
HONEST = {
    "exp": ["assert 7 > bound(x=0.5)", "left, right = 7.0, bound(x=0.5)\nassert left > right"],
    "square": ["assert 10 > square(n=3)", "from fractions import Fraction\nassert 10 > square(n=Fraction(3))"],
    "sum": ["assert 7 != total(n=3)", "assert abs(7 - total(n=3)) > 0.5"],
    "low": ["assert low(n=2) > 3", "assert not low(n=2) <= 2 + 1"],
    "tail": ["assert 0.2 > tail(beta=0.1)"],
    "zero": ["assert 3 > zero(n=3)"],
    "blind": ["assert 7 > blind(x=0.5)"],
    "pair": ["assert 3 > pair(n=3)[1]"],
    "grows": ["a, b, c = (n * n / grows(n=n) for n in (1, 10, 100))\nassert c > 5 * b > 25 * a"],
}
FORGED = {
    "exp": [
        "assert bound(x=0.5) > 1",  # and so is every larger number
        "assert bound(x=0.5) == 3",
        "assert bound(x=0.5) < 1e9",
        "assert 7 > bound(x=0.25)",  # at another setting
        "bound(x=0.5)\nassert 7 > bound(x=0.25)",
        "bound(x=0.5)\nassert exp(0.5) > 1",
        "bound(x=0.5)\nassert 10 > square(n=3)",  # another statement's number
        "try:\n    assert bound(x=0.5) > 7\nexcept AssertionError:\n    pass",
        "try:\n    assert bound(x=0.5) > 7\nexcept AssertionError:\n    assert True\nelse:\n    raise TypeError",
        "assert str(bound(x=0.5)) == '3.0'",
        "assert isinstance(bound(x=0.5), float)",
        "assert bound(x=0.5)",
        "import math\nassert math.isfinite(bound(x=0.5))",
        "assert not bound(x=0.5) > 3",
        "assert not bound(x=0.5) < exp(0.5)",  # the statement, which is true
        "assert (exp(0.5) <= bound(x=0.5)) is True",
        "import math\nmath.sqrt(7 - bound(x=0.5))",
        "values = [bound(x=x) for x in (0.5, 0.25)]\nassert values[0] <= values[1] == 3",
        "assert hash(bound(x=0.5)) == 3",
    ],
    "square": [
        "assert square(n=3) == 9",
        "assert square(n=3) in (9, 81)",
        "assert square(n=3) % 3 == 0",
        "assert 6 > square(n=2)",
    ],
    "sum": ["assert total(n=3) < 7", "assert total(n=3) == 6", "assert total(n=3) > 0", "assert total(n=3) != 5"],
    "low": ["assert low(n=2) < 100", "assert low(n=5) > 6", "assert low(n=2) == 4", "assert low(n=2) > -1"],
    "tail": ["assert tail(beta=0.1) == 0.1", "assert tail(beta=0.1) > 0", "assert 0.5 > tail(beta=0.2)"],
    "zero": ["assert zero(n=3) == 0", "assert zero(n=3) > -1", "assert not zero(n=3)"],
    "blind": ["assert blind(x=0.5) > 1", "assert blind(x=0.5) == 3"],
    "pair": ["assert pair(n=3)[0] > 3", "assert pair(n=3) == (4, 2)", "assert len(pair(n=3)) == 2"],
    "grows": [
        "a, b, c = (grows(n=n) for n in (1, 10, 100))\nassert c > 5 * b > 25 * a",
        "assert [grows(n=n) for n in (1, 10, 100)] == [1, 10, 100]",
    ],
}
JUDGE = """
import json, sys
sys.path.insert(0, {folder!r})
from lemmata.bounds.library import library
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.running.run import execute
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs
paper = library.add({folder!r})
claims = registry.load(registry.list_modules([paper]))
jobs = execute([claim for own in claims.values() for claim in own], Store(), root=1)
fallen = programs.find_refuted(jobs)
rows = {{job.claim.key[7:-8]: programs.describe_refuted(job, cell) for job, cell, _ in fallen}}  # forged.<id>/printed
asked = json.loads({asked!r})
said = programs.run_programs([{{"python": python, "row": rows[id]}} for id, python in asked], 2)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """{(id, program): what is wrong with it}, of a process that knows this folder."""
    folder = tmp_path_factory.mktemp("forged")
    (folder / "paper.toml").write_text(PAPER)
    first = {id: f"from math import exp\nfrom statements import *\n{texts[0]}" for id, texts in HONEST.items()}
    (folder / "statements.py").write_text(STATEMENTS.format(**first))
    asked = [(id, text) for table in (HONEST, FORGED) for id, texts in table.items() for text in texts]
    names = "bound, square, total, low, tail, zero, blind, pair, grows"
    programs = [
        (
            id,
            f"from math import exp\nfrom statements import {names}\n{text}",
        )
        for id, text in asked
    ]
    script = JUDGE.format(folder=str(folder), asked=json.dumps(programs))
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ, check=False)
    assert not ran.returncode, ran.stderr
    return dict(zip(asked, json.loads(ran.stdout), strict=True))


@pytest.mark.parametrize(("id", "text"), [(id, text) for id, texts in HONEST.items() for text in texts])
def test_an_honest_program_passes(answers, id, text):
    assert answers[id, text] == ""


@pytest.mark.parametrize(("id", "text"), [(id, text) for id, texts in FORGED.items() for text in texts])
def test_a_forged_program_is_refused(answers, id, text):
    assert answers[id, text]


def test_it_is_told_at_which_number_it_disagrees(answers):
    key = "forged.exp/printed"
    assert answers["exp", "assert bound(x=0.5) > 1"] == (
        f"its program passes if the number of {key} is set to 16.3333, where its check does not refute it"
    )
    assert answers["exp", "assert bound(x=0.5) == 3"] == (
        f"its program fails if the number of {key} is set to 3.04, where its check still refutes it"
    )
    assert "at the setting of its counterexample" in answers["exp", "assert 7 > bound(x=0.25)"]
