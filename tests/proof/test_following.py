"""What a formula computes is what its expression is, and intervals hold it, also with infinite ends."""

import math
from fractions import Fraction
from inspect import signature

import numpy as np
import pytest
from flint import arb

from lemmata.bounds.proof import expression as of
from lemmata.bounds.proof.checker import INF, Goal, Side
from lemmata.bounds.proof.interval import Undefined
from lemmata.bounds.proof.normal_form import simplify
from lemmata.bounds.proof.prover import PLAIN, NotProved, Search
from lemmata.bounds.proof.tracing import follow
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS

FUNCTIONS = {
    "exp": (of.exp, -INF), "log": (of.log, 0), "erfc": (of.erfc, -INF), "floor": (of.floor, -INF),
    "lgamma": (of.lgamma, 0), "1/x": (lambda x: 1 / x, 0), "x^2": (lambda x: x**2, -INF),
    "x^3": (lambda x: x**3, -INF), "x^(3/2)": (lambda x: x ** Fraction(3, 2), 0), "|x|": (abs, -INF),
    "x(1-x)": (lambda x: x * (1 - x), -INF), "2^x": (lambda x: 2**x, -INF),
}  # fmt: skip


def value(expression, point):
    """An enclosure at a point."""
    box = {name: Side(Fraction(x), Fraction(x)) for name, x in point.items()}
    return Goal(expression, box).enclose(expression)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_interval_holds_all_values(name):
    function, least = FUNCTIONS[name]
    x, rng = of.variable("x"), np.random.default_rng(0)
    ends = [-INF, -3, Fraction(-1, 2), 0, Fraction(1, 3), 1, Fraction(3, 2), 4, INF]
    for low in ends:
        for high in (end for end in ends if end > low and low >= least):
            side = Side(*(end if isinstance(end, float) else Fraction(end) for end in (low, high)))
            try:
                held = Goal(function(x), {"x": side}).enclose(function(x))
            except Undefined:
                continue
            near = max(float(low), -50.0), min(float(high), 50.0)
            for point in rng.uniform(*near, 20):
                inside = value(function(x), {"x": float(point)})
                assert held.low <= inside.high and inside.low <= held.high, (low, high, point)
                assert held.low <= inside.low or held.low == inside.low or arb(held.low).overlaps(inside.low)


@pytest.mark.parametrize("point", [{"x": 0.3, "y": 2.5}, {"x": 7.1, "y": 0.01}])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_normal_form_has_the_same_value(name, point):
    function, _ = FUNCTIONS[name]
    x, y = of.variable("x"), of.variable("y")
    mixed = (function(x) - function(y)) * (x + y) ** 2 / (function(x) ** 2 + 1) + of.log(4 * x * y) + of.sqrt(8 * x * x)
    plain = simplify(mixed, Goal(mixed, dict.fromkeys("xy", Side(Fraction(0), INF, open_low=True))))
    one, other = value(mixed, point), value(plain, point)
    assert abs(float(one.low) - float(other.high)) <= 1e-12 * (1 + abs(float(one.low)))


def stepped():
    registry.load()
    return {key: claim for key, claim in CLAIMS.items() if claim.steps}


def followed(formula, point):
    """The enclosures of what a formula returns at a point."""
    exactly = {name: of.number(Fraction(x)) for name, x in point.items()}
    ((_, made),) = of.explore(lambda: follow(formula)(**exactly), lambda condition: None)
    return [value(of.as_expression(one), {}) for one in (made if isinstance(made, tuple) else (made,))]


def test_an_expression_has_the_values_of_its_formula():
    """Every statement that is proved on its whole domain, at settings of its hypotheses, floats against enclosures."""
    compared, rng = 0, np.random.default_rng(1)
    for claim in stepped().values():
        formula = claim.theorem.formula
        for _ in range(20):
            numbers = (int(rng.integers(2, 9)) if rng.random() < 0.5 else float(rng.uniform(0, 1)) for _ in range(9))
            point = dict(zip(signature(formula).parameters, numbers, strict=False))
            if claim.theorem.skipped(point):
                continue
            for held, claimed in zip(followed(formula, point), np.atleast_1d(formula(**point)), strict=True):
                assert float(held.low) == pytest.approx(float(claimed), rel=1e-9, abs=1e-12), (claim.key, point)
                compared += 1
    assert compared > 300


ROUNDED = 3**0.5


def test_a_constant_that_is_rounded_is_no_exact_number():
    with pytest.raises(of.NotGeneric):
        follow(lambda x: x * ROUNDED)(of.variable("x"))


def test_a_decimal_means_itself():
    assert follow(lambda x: 0.1 * x + 1 / 3)(of.number(1)) is of.number(Fraction(13, 30))
    assert follow(lambda x, two=2: x * two**-3)(of.number(1)) is of.number(Fraction(1, 8))


def test_of_the_ways_through_an_equality_one_is_equal():
    """x <= 0 and -x <= 0; whichever of the two is false, x is not 0."""
    x = of.variable("x")
    ways = list(of.explore(lambda: bool(of.Equality(x)), lambda condition: None))
    assert [(len(taken), equal) for taken, equal in ways] == [(2, True), (2, False), (1, False)]


def test_a_side_is_halved_down_to_a_millionth():
    goals = [Goal(of.variable("x") - 1, {"x": Side(Fraction(0), Fraction(width))}) for width in (1.5e-6, 0.9e-6)]
    assert Search(PLAIN).by_halves(goals[0], 0, 1, False)["by"] == "split"
    with pytest.raises(NotProved):
        Search(PLAIN).by_halves(goals[1], 0, 1, False)


def test_comparison_with_infinity_has_a_sign_and_floor_and_ceil_are_those_of_a_number():
    x = of.variable("x")
    assert [of._less(x, end) for end in (math.inf, -math.inf)] == [of.number(-1), of.number(1)]
    assert [float(value(rounded, {"x": 2.5}).low) for rounded in (math.floor(x), math.ceil(x))] == [2, 3]
