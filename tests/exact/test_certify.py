"""Branch and bound in ball arithmetic: the two worked examples, and every way it must not fool us."""

import math
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, strategies as st
from scipy.special import erfcx, log_ndtr, ndtr

from lemmata.bounds.exact.balls import (
    Phi,
    enclosure,
    exact,
    hull,
    integral,
    log_Phi,
    lower_end,
    mills,
    phi,
    power_complement,
    upper_end,
)
from lemmata.bounds.exact.certify import at, certify, confirm, over, supremum, worst_ratio

ROOT_TWO_PI = (2 * arb.pi()).sqrt()


# delta_exact / delta at epsilon = mu^2/2 + mu t, t = sqrt(2 ln 1/delta): [m(t) - m(t + mu)] / sqrt(2 pi).
def delta_ratio(*, mu, t):
    return (mills(t) - mills(exact(t) + mu)) / ROOT_TWO_PI


def delta_ratio_above(*, mu, t):
    return (mills(t[0]) - mills(exact(t[1]) + mu[1])) / ROOT_TWO_PI  # Mills' ratio decreases


# P(max of n >= a + b) / beta with a = sqrt(2 ln 2n), b = shrink * sqrt(2 ln 1/beta), sigma cancelled.
def tail_ratio(shrink=1):
    def above(*, a, b):
        n = (exact(a[1]) ** 2 / 2).exp() / 2
        miss = power_complement(log_Phi(exact(a[0]) + shrink * exact(b[0])), n)
        return miss * (exact(b[1]) ** 2 / 2).exp()

    return above, lambda *, a, b: above(a=(a, a), b=(b, b))


TAIL_BOX = {"a": (math.sqrt(2 * math.log(2)), math.sqrt(2 * math.log(2e12))), "b": (0, math.sqrt(2 * math.log(1e12)))}


def test_example_a_is_held_in_one_box():
    proof = certify(delta_ratio_above, delta_ratio, {"mu": (1e-6, 1000), "t": (0, 40)}, 1)
    assert (proof.outcome, proof.boxes) == ("HOLDS", 1)


def test_example_a_is_enclosed_sharply():
    box = {"mu": (0.01, 10), "t": (0, 8)}
    assert certify(delta_ratio_above, delta_ratio, box, 0.461).outcome == "HOLDS"
    refuted = certify(delta_ratio_above, delta_ratio, box, 0.460)
    assert refuted.outcome == "REFUTED" and refuted.boxes <= 100
    assert lower_end(delta_ratio(**refuted.point)) > 0.460


def test_example_b_and_its_sharp_constant():
    above, value = tail_ratio()
    held = certify(above, value, TAIL_BOX, 1)
    assert held.outcome == "HOLDS" and held.boxes <= 100
    assert certify(above, value, TAIL_BOX, 0.120).outcome == "HOLDS"
    assert certify(above, value, TAIL_BOX, 0.119).outcome == "REFUTED"
    around = supremum(above, value, TAIL_BOX)
    assert 0.119 < around.reached <= around.bound < 0.120


@pytest.mark.parametrize(("shrink", "verdict"), [(1, "HOLDS"), (0.9, "HOLDS"), (0.8, "HOLDS"), (0.707, "REFUTED")])
def test_a_mutation_must_be_false_before_it_can_be_caught(shrink, verdict):
    assert certify(*tail_ratio(shrink), TAIL_BOX, 1).outcome == verdict


def test_nan_is_never_a_proof():
    proof = certify(lambda x: arb("nan"), lambda x: arb("nan"), {"x": (0, 1)}, 1, max_boxes=50)
    assert proof.outcome == "INCONCLUSIVE" and proof.bound == math.inf and proof.reached == -math.inf
    # sqrt of a box touching 0 from below is NaN; splitting never helps at the end point.
    assert certify(over(lambda x: (-x).sqrt()), at(lambda x: (-x).sqrt()), {"x": (0, 1)}, 9, 50).outcome == (
        "INCONCLUSIVE"
    )


def test_an_equality_is_left_open():
    """f = c at one point only: no finite precision decides x^2 <= 0 at 0 by halving towards it."""
    proof = certify(over(lambda x: -x * x), at(lambda x: -x * x), {"x": (-1, 1)}, -1e-300, max_boxes=500)
    assert proof.outcome == "REFUTED" and proof.point == {"x": 0}
    assert certify(over(lambda x: x - x), at(lambda x: x - x), {"x": (-1, 1)}, 0, 200).outcome != "REFUTED"


def test_an_upper_bound_that_is_not_one_is_exposed():
    with pytest.raises(ArithmeticError, match="upper"):
        certify(lambda x: 0.0, lambda x: arb(1), {"x": (0, 1)}, 0.5)


@pytest.mark.parametrize("side", [(1, 0), (0, math.inf), (math.nan, 1)])
def test_a_box_must_be_finite(side):
    with pytest.raises(ValueError, match=r"box\['x'\]"):
        certify(over(lambda x: x), at(lambda x: x), {"x": side}, 1)


def test_the_first_box_counts_as_one():
    proof = certify(lambda *, x: exact(x[1]), lambda *, x: exact(x), {"x": (0, 1)}, 0.5, max_boxes=1)
    assert (proof.outcome, proof.boxes) == ("INCONCLUSIVE", 1)
    with pytest.raises(ValueError, match="max_boxes = 0"):
        certify(lambda *, x: exact(x[1]), lambda *, x: exact(x), {"x": (0, 1)}, 2, max_boxes=0)


def test_precision_is_restored():
    before = ctx.prec
    certify(over(lambda x: x), at(lambda x: x), {"x": (0, 1)}, 2)
    confirm({"x": 1.0}, lambda x: x, lambda x: x)
    assert ctx.prec == before


def test_confirm_sees_what_floats_do_not():
    tenth = confirm({"x": 0.1}, lambda x: 3 * x, lambda x: exact(Fraction(3, 10)))
    assert tenth.exceeds and tenth.lhs[1] > tenth.rhs[0]
    equal = confirm({"x": 0.5}, lambda x: x, lambda x: exact(Fraction(1, 2)))
    assert not equal.exceeds and equal.lhs == [0.5, 0.5] == equal.rhs
    assert not confirm({"x": 1.0}, lambda x: arb("nan"), lambda x: x).exceeds


def test_the_search_finds_the_corner_and_the_inside():
    corner, _ = worst_ratio(lambda a, b: -a - b, {"a": (0.5, 1), "b": (1, 10)}, iterations=5)
    assert corner == pytest.approx({"a": 0.5, "b": 1})

    def bump(x, n):
        return -((x - 0.3) ** 2) - (n - 7) ** 2

    point, largest = inside = worst_ratio(bump, {"x": (0, 1), "n": (1, 99)})
    assert point == pytest.approx({"x": 0.3, "n": 7}, abs=1e-3) and largest == bump(**point)
    assert inside == worst_ratio(bump, {"x": (0, 1), "n": (1, 99)})


@given(x=st.floats(-30, 30))
def test_the_normal_law_agrees_with_scipy(x):
    assert float(Phi(x)) == pytest.approx(ndtr(x), rel=1e-12)
    assert float(log_Phi(x)) == pytest.approx(log_ndtr(x), rel=1e-12)
    assert float(mills(x)) == pytest.approx(math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2)), rel=1e-12)


@given(x=st.floats(-30, 30), width=st.floats(0, 10))
def test_wide_balls_enclose_their_ends(x, width):
    wide = hull((x, x + width))
    for function in (Phi, log_Phi, mills):
        ends = function(x), function(x + width)
        low, high = enclosure(function(wide))
        assert low <= min(map(upper_end, ends)) and high >= max(map(lower_end, ends))


def test_far_tails_neither_underflow_nor_overflow():
    assert -1.0001 < float(log_Phi(-1e6)) / 5e11 < -0.9999
    assert 0 < upper_end(Phi(-50)) < 1e-300
    assert lower_end(Phi(-50)) >= 0
    assert lower_end(mills(1e6)) * 1e6 == pytest.approx(1, rel=1e-9)


@given(x=st.floats(allow_nan=False, allow_infinity=False))
def test_ends_are_rounded_outward(x):
    third = exact(x) / 3
    low, high = enclosure(third)
    assert arb(low) <= third.upper() and third.lower() <= arb(high)
    assert Fraction(low) * 3 <= Fraction(x) <= Fraction(high) * 3
    assert enclosure(exact(x)) == [x, x]


def test_integral_encloses_the_total_mass():
    def density(z, _):
        return (-z * z / 2).exp() / ROOT_TWO_PI

    low, high = enclosure(integral(density, -10, 10) + 2 * Phi(-10))
    assert low <= 1 <= high and high - low < 1e-10
    assert enclosure(phi(0))[0] <= 1 / math.sqrt(2 * math.pi) <= enclosure(phi(0))[1]


def test_truth_values_are_not_numbers():
    with pytest.raises(TypeError, match="truth value"):
        exact(True)
