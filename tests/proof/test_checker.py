"""The checker refuses a proof of which a piece is missing or wrong; the prover proves what is true, and only that."""

import copy
from fractions import Fraction

import pytest

from lemmata.bounds.proof.checker import INF, Goal, Side, WrongProof, check
from lemmata.bounds.proof.expression import erfc, exp, floor, largest, log, number, sqrt, variable
from lemmata.bounds.proof.prover import NotProved, prove

x, y, n = map(variable, "xyn")
POSITIVE = Side(Fraction(0), INF, open_low=True, open_high=True)
HALF = Side(Fraction(0), INF, open_high=True)
UNIT = Side(Fraction(0), Fraction(1), open_low=True, open_high=True)
SIGNED = Side(Fraction(-1), Fraction(1))
BELOW = Side(Fraction(-5), Fraction(0))
WHOLE = Side(Fraction(1), INF, open_high=True, whole=True)
TRUE = {
    "first derivative at a corner": Goal(log(1 + x) - x, {"x": HALF}),
    "third derivative at a corner": Goal(log(1 + x) - (x - x**2 / 2 + x**3 / 3), {"x": HALF}),
    "second derivatives twice": Goal(log((exp(x) + exp(-x)) / 2) - x**2 / 2, {"x": HALF}),
    "removable singularity": Goal(1 - x / (exp(x) - 1) - x / 2, {"x": POSITIVE}),
    "a square": Goal((x + y) ** 2 - 2 * x**2 - 2 * y**2, {"x": SIGNED, "y": SIGNED}),
    "roots": Goal(sqrt(x * y) - (x + y) / 2, {"x": HALF, "y": HALF}),
    "an irrational square": Goal((sqrt(2) * y + sqrt(2 * y**2 + x)) ** 2 - 2 * x - 8 * y**2, {"x": HALF, "y": HALF}),
    "whole numbers": Goal(n * (2 - n) - 1, {"n": WHOLE}),
    "a relation": Goal(x / y - 1, {"x": POSITIVE, "y": POSITIVE}, (x - y,)),
    "maximum": Goal(largest(x, 1) - 1 - x, {"x": HALF}),
    "rounding": Goal(x - 1 - floor(x), {"x": HALF}),
    "two roots": Goal(sqrt(x + y) - sqrt(x) - sqrt(y), {"x": HALF, "y": HALF}),
    "a tail": Goal(erfc(x) - exp(-(x**2)), {"x": HALF}),
    "a logarithm for a variable": Goal(erfc(sqrt(log(y))) - 1 / y, {"y": Side(Fraction(1), INF, open_high=True)}),
    "term by term": Goal(2 * x * y - 2 * x - y**2 - x**2, {"x": HALF, "y": Side(Fraction(0), Fraction(1))}),
    "a whole power": Goal(1 - n * x - (1 - x) ** n, {"n": WHOLE, "x": UNIT}),
    "a strict relation": Goal(number(1), {"x": HALF, "y": BELOW}, (x - y,), frozenset({x - y})),
    "in an argument that is no variable": Goal(
        (z := x / n / log(2 * n / y)) - exp(z) + 1, {"n": WHOLE, "y": UNIT, "x": POSITIVE}, (x + log(y),)
    ),
    "branch and bound": Goal(x * (1 - x) - Fraction(26, 100), {"x": Side(Fraction(0), Fraction(1))}),
}
FALSE = {
    "a smaller constant": Goal(x * (1 - x) - Fraction(24, 100), {"x": UNIT}),
    "far out": Goal(x - Fraction(1, 10**6) * x**2 - 1000, {"x": HALF}),
    "near a corner": Goal(x**2 - Fraction(1, 10**4) * x, {"x": UNIT}),
    "one root of two": Goal(sqrt(x) - sqrt(y), {"x": HALF, "y": HALF}),
    "a tail the wrong way": Goal(exp(-(x**2)) - erfc(x), {"x": HALF}),
    "a relation that is not strict": Goal(number(1), {"x": HALF, "y": BELOW}, (x - y,)),
    "without its relation": Goal(x / y - 1, {"x": POSITIVE, "y": POSITIVE}),
    "a pole": Goal(-1 - 1 / x, {"x": SIGNED}),
    "rounding": Goal(x - floor(x) - Fraction(1, 2), {"x": HALF}),
    "maximum": Goal(largest(x, y) - x, {"x": UNIT, "y": UNIT}),
    "one whole number": Goal(2 - n, {"n": WHOLE}),
    "a square the wrong way": Goal(2 * x**2 + 2 * y**2 - (x + y) ** 2, {"x": SIGNED, "y": SIGNED}),
}


LONG = ("a logarithm for a variable", "a tail")
EACH = [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in TRUE]


@pytest.mark.parametrize("name", EACH)
def test_what_is_true_is_proved_and_read_again(name):
    """In few steps where it is plain."""
    assert check(TRUE[name], prove(TRUE[name], 40 if name == "in an argument that is no variable" else 1500)) >= 0


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not_proved(name):
    with pytest.raises(NotProved):
        prove(FALSE[name], 200)


def places(proof):
    """Every piece of a proof that has pieces of its own, and where these are."""
    for name, value in proof.items():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                yield proof, name
                yield from places(inner)


@pytest.mark.parametrize("name", EACH)
def test_no_piece_of_a_proof_can_be_left_out_or_be_a_mere_assertion(name):
    goal, proof = TRUE[name], prove(TRUE[name])
    for i in range(len(list(places(proof)))):
        copied = copy.deepcopy(proof)
        piece, part = list(places(copied))[i]
        if isinstance(piece[part], list):
            piece[part].pop()
        else:
            del piece[part]
        with pytest.raises(WrongProof):
            check(goal, copied)


HELD = {"by": "interval"}


def test_the_checker_uses_nothing_that_a_search_has_found():
    goal = Goal(x - 1, {"x": HALF})
    goal.box.enclosed[id(goal.below)] = goal.box.intervals["x"]._replace(low=-2, high=-1)
    assert prove(goal) == HELD
    with pytest.raises(WrongProof):
        check(goal, HELD)


WRONG = {
    "no interval": (Goal(x - 1, {"x": HALF}), HELD),
    "not zero": (Goal(x - x**2, {"x": UNIT}), {"by": "zero"}),
    "the condition holds": (Goal(x, {"x": UNIT}, (x - 2,)), {"by": "outside", "condition": 0}),
    "a cut outside": (Goal(x, {"x": UNIT}), {"by": "split", "name": "x", "at": "2", "parts": [HELD] * 2}),
    "a whole number left out": (
        Goal((2 - n) * (n - 3), {"n": Side(Fraction(1), Fraction(5), whole=True)}),
        {"by": "split", "name": "n", "at": "9/4", "parts": [HELD] * 2},
    ),
    "the only whole number left out": (
        Goal(Fraction(1, 10) - (n - 3) ** 2, {"n": Side(Fraction(1), Fraction(5), whole=True)}),
        {"by": "split", "name": "n", "at": "5/2", "parts": [HELD] * 2},
    ),
    "the wrong end": (
        Goal(x - 1, {"x": Side(Fraction(0), Fraction(2))}),
        {"by": "monotone", "name": "x", "end": "low", "slope": HELD, "face": HELD},
    ),
    "monotone across a pole": (
        Goal(1 / x, {"x": SIGNED}),
        {"by": "monotone", "name": "x", "end": "low", "slope": {"by": "factors", "parts": []}, "face": HELD},
    ),
    "signs that multiply to 1": (Goal(x, {"x": UNIT}), {"by": "factors", "parts": [{"sign": 1, "proof": HELD}]}),
    "a sign that is wrong": (Goal(x, {"x": UNIT}), {"by": "factors", "parts": [{"sign": -1, "proof": HELD}]}),
    "a boundary on the wrong side": (
        Goal(1 - x, {"x": POSITIVE}, (x - 2,)),
        {"by": "boundary", "condition": 0, "name": "x", "slope": HELD, "face": HELD},
    ),
    "a boundary beyond the box": (
        Goal(x - y, {"x": POSITIVE, "y": Side(Fraction(0), Fraction(1))}, (1 - x - y,)),
        {"by": "boundary", "condition": 0, "name": "y", "slope": HELD, "face": HELD},
    ),
    "0 times infinity": (
        Goal(x * (1 / x), {"x": POSITIVE}),
        {"by": "limit", "name": "x", "end": "high", "slope": {"by": "zero"}},
    ),
    "infinity less infinity": (
        Goal(x + 1 - x, {"x": POSITIVE}),
        {"by": "limit", "name": "x", "end": "high", "slope": {"by": "zero"}},
    ),
    "a term left out": (Goal(x - y, {"x": POSITIVE, "y": POSITIVE}), {"by": "sum", "parts": [[[1], HELD]]}),
    "a square of what may be negative": (
        Goal(-1 - x, {"x": Side(Fraction(-5), Fraction(5))}),
        {"by": "squares", "proof": HELD},
    ),
    "no maximum": (Goal(-x, {"x": UNIT}), {"by": "cases", "parts": [HELD] * 2}),
    "an unknown reason": (Goal(-x, {"x": UNIT}), {"by": "inspection"}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_reason_is_refused(name):
    with pytest.raises(WrongProof):
        check(*WRONG[name])
