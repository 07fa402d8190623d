"""A check that computes again what its statement computes is found; two ways to one number are no copy."""

import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.bounds.theorem import THEOREMS, integer, positive, theorem
from lemmata.experiments.checks.identity import identity_claim
from lemmata.experiments.checks.inequality import Link, inequality_claim
from lemmata.experiments.engine.claims import copies, fingerprint
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim, grid
from lemmata.experiments.engine.ground.evidence import has_derivation
from lemmata.experiments.engine.ledger.graph import class_of
from lemmata.experiments.engine.ledger.row import open_row
from lemmata.experiments.engine.ledger.verdict_steps import Findings, detect_copies, limit_by_evidence, take_outcome
from lemmata.experiments.engine.running.cell import Cell, combine
from lemmata.experiments.engine.running.store import Chunk

NEEDS, ARGUMENTS = [integer("n"), positive("x")], grid(n=[1, 2, 3, 5, 7], x=[0.3, 0.7, 1.1, 2.3])
THIRD = 1 / 3


def width(*, n: int, x: float) -> float:
    """sqrt(log(1 + n x)) / n.

    Derivation. By Jensen's inequality width <= log(1 + n x), as every term of the sum is at most the largest one.
    """
    root = math.sqrt(math.log(1 + n * x))
    return root / n


def total(*, n: int, x: float) -> Fraction:
    """1 + ... + n."""
    return Fraction(n * (n + 1), 2)


def growth(*, n: int, x: float) -> float:
    """e^x."""
    return math.exp(x)


def third(*, n: int, x: float) -> float:
    """n x / 3."""
    return n * x / 3


def mine(m, y):
    return math.sqrt(math.log(y * m + 1)) / m


# Each a function of the setting, with `bound` for the statement: what the author yields.
def own_formula(n, x):
    yield {"n": n, "x": x}, math.sqrt(math.log(1 + n * x)) / n, bound(n=n, x=x)


def own_function(n, x):
    left = float(mine(n, x))
    yield {"n": n, "x": x}, left, bound(n=n, x=x)


def both_sides(n, x):
    yield {"n": n, "x": x}, bound(n=n, x=x), bound(x=x, n=n)


def own_sum(n, x):
    yield {"n": n, "x": x}, Fraction(n * (n + 1), 2), bound(n=n, x=x)


def counted(n, x):
    yield {"n": n, "x": x}, Fraction(sum(range(n + 1))), bound(n=n, x=x)


def series(n, x):
    yield {"n": n, "x": x}, sum(x**k / math.factorial(k) for k in range(40)), bound(n=n, x=x)


def rounded_once(n, x):
    yield {"n": n, "x": x}, float(sum([Fraction(x)] * n) / 3), bound(n=n, x=x)


def one_of_two(n, x):
    yield {"n": n, "x": x}, bound(n=n, x=x), bound(n=n, x=x)
    yield {"n": n, "x": x}, bound(n=n, x=x) / 2, bound(n=n, x=x)


def a_link_first(n, x):
    yield Link("below", {"n": n, "x": x}, 0, 1)
    yield {"n": n, "x": x}, bound(n=n, x=x), bound(n=n, x=x)


def other_argument(n, x):
    yield {"n": n, "x": x}, mine(n + 0, x), bound(n=n, x=x)


def data(n, x):
    yield {"n": n, "x": x, "X": [x]}, max(bound(n=k, x=x) for k in range(n, 9)), bound(n=n, x=x)


COPIES = [
    *[(own_formula, width), (own_function, width), (both_sides, width), (own_sum, total)],
    *[(a_link_first, width), (other_argument, width)],
]
OTHERS = [
    (counted, total),
    (series, growth),
    (rounded_once, third),
    (one_of_two, width),
    (data, width),
]


def claim_of(check, formula) -> Claim:
    global bound
    with mock.patch.dict(THEOREMS), mock.patch.dict(CLAIMS):
        bound = theorem("wzw25.eq2", part="copied", says="x", needs=NEEDS)(formula)
        make = inequality_claim if check in (one_of_two, a_link_first) else identity_claim
        rounding = {"rounding": 1e-9} if check in (series, rounded_once) else {}
        make(bound, quick=ARGUMENTS, **rounding)(check)
        return CLAIMS[bound.theorem.key]


def decided(claim):
    """The row of a claim after the steps that look at its evidence."""
    cells = [Cell(claim, setting) for setting in claim.quick]
    with mock.patch.dict(THEOREMS, {claim.key: claim.theorem}):
        for cell in cells:
            cell.add(Chunk(claim.trial(**cell.setting), 0.0, b""))
    found = Findings(claim, combine(cells), cells, None, None)
    row = open_row(claim.theorem)
    for step in (take_outcome, limit_by_evidence, detect_copies):
        row = step(row, found)
    return row


@pytest.mark.parametrize(("check", "formula"), COPIES, ids=lambda each: each.__name__)
def test_a_copy_is_found_whatever_its_docstring_says(check, formula):
    """It is composed, but with a proof in prose of which no step runs it stays asserted, which is weaker."""
    claim = claim_of(check, formula)
    has_prose = has_derivation(formula) and not fingerprint.runs_steps(claim)
    row = decided(claim)
    assert row["verdict"] == HOLDS and class_of(row) == ("asserted" if has_prose else "composed")
    assert "repeats the formula" in row["note"] or "to the last bit" in row["note"]


@pytest.mark.parametrize(("check", "formula"), OTHERS, ids=lambda each: each.__name__)
def test_another_way_to_the_same_number_is_no_copy(check, formula):
    row = decided(claim_of(check, formula))
    assert row["verdict"] == HOLDS and row["evidence"] != "composition"


@pytest.mark.parametrize(("check", "formula"), [COPIES[0], *COPIES[2:5]], ids=lambda each: each.__name__)
def test_the_syntax_tree_alone_shows_a_copy(check, formula):
    assert copies.repeats_statement(claim_of(check, formula))


@pytest.mark.parametrize(("check", "formula"), OTHERS, ids=lambda each: each.__name__)
def test_the_syntax_tree_of_another_way_is_another(check, formula):
    assert not copies.repeats_statement(claim_of(check, formula))


def test_bits_alone_show_a_copy():
    """The argument n + 0 is another tree; the digits are the same at all of 20 settings."""
    claim = claim_of(other_argument, width)
    assert not copies.repeats_statement(claim) and "agree to the last bit at all 20" in decided(claim)["note"]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (THIRD, THIRD, True),
        (np.float64(THIRD), THIRD, True),
        (THIRD, np.nextafter(THIRD, 1), False),
        (0.25, 0.25, None),  # nothing was rounded
        (Fraction(1, 3), Fraction(1, 3), None),
        (3, 3.0, None),
        (10**400, 10**400, None),
        (10**400, 10**400 + 1, False),
        (math.inf, math.inf, None),
        (exact(2).sqrt(), exact(2).sqrt(), True),
        (exact(2).sqrt(), exact(2) / exact(2).sqrt(), False),
        (exact(2), exact(2), None),
    ],
)
def test_what_two_equal_sides_show(left, right, expected):
    assert copies.is_same_rounding("", left, right, {"n": 1}) is expected
