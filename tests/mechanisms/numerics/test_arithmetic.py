"""No guarantee is better on paper than in truth: every number against exact fractions or 400-digit balls."""

import math
import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings, strategies as st

from lemmata.mechanisms.numerics.arithmetic import (
    certified_delta,
    check_in_range,
    round_down,
    round_up,
    rounded_down_in_range,
    rounded_up_in_range,
    sqrt_down,
    sqrt_up,
    sum_up,
)
from lemmata.mechanisms.privacy import (
    ApproxDP,
    GaussianDP,
    PureDP,
    compose,
    gaussian_epsilon,
    gaussian_mu,
    gaussian_noise_multiplier,
    group,
    to_approx,
    to_gaussian,
    to_neighbours,
    to_pure,
)

TINY = 5e-324
LARGEST = sys.float_info.max
BITS = 2400  # cancellation at mu = 5e-324 takes 1100
anything = st.floats(-280, 100).map(lambda x: 10**x)
budgets = st.lists(anything, min_size=1, max_size=12)


def curve(epsilon, mu):
    """delta(epsilon; mu) as a ball, from the two normal tails."""
    with ctx.workprec(BITS):
        e, m = arb(epsilon), arb(mu)
        u, root = e / m - m / 2, arb(2).sqrt()
        return (u / root).erfc() / 2 - e.exp() * ((u + m) / root).erfc() / 2


def spends_at_most(epsilon, mu, delta):
    """Whether mu-GDP is certainly (epsilon, delta)-DP, by the tails above."""
    with ctx.workprec(BITS):
        return bool(curve(epsilon, mu) <= arb(delta))


# Rounding


@given(x=st.floats(allow_nan=False, allow_infinity=False), k=st.integers(1, 10**6))
def test_up_and_down_enclose_a_fraction_as_neighbours(x, k):
    exact = Fraction(x) / k
    assert round_down(exact) <= exact <= round_up(exact)
    assert round_up(exact) <= math.nextafter(round_down(exact), math.inf)


@given(x=st.floats(0, 1e300), k=st.integers(1, 10**6))
def test_roots_are_the_nearest_floats_above_and_below(x, k):
    exact = Fraction(x) / k**2
    above, below = sqrt_up(exact), sqrt_down(exact)
    assert Fraction(below) ** 2 <= exact < Fraction(math.nextafter(below, math.inf)) ** 2
    assert Fraction(above) ** 2 >= exact
    assert above == 0 or Fraction(math.nextafter(above, 0)) ** 2 < exact


@pytest.mark.parametrize("k", [100, 600, 1000])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_root_as_near_to_a_float_as_can_be_is_on_its_own_side(k, side):
    """n 4^k - m^2 d = side, so n / d is f^2 up to 1 / (d 4^k), for the float f = m 2^-k."""
    m = 2**53 - 111
    d = -side * pow(m * m, -1, 4**k) % 4**k
    exact, near = Fraction(m * m * d + side, d * 4**k), m / 2**k
    neighbours = math.nextafter(near, 0), near, math.nextafter(near, 1)
    assert (sqrt_down(exact), sqrt_up(exact)) == (neighbours[:2] if side < 0 else neighbours[1:])


def test_a_root_beyond_the_floats_is_infinite_above_and_the_largest_below():
    assert (sqrt_up(Fraction(10) ** 700), sqrt_down(Fraction(10) ** 700)) == (math.inf, LARGEST)


@given(numerator=st.integers(1, 10**400), denominator=st.integers(1, 10**400), shift=st.integers(-300, 300))
def test_a_number_that_is_no_float_is_rounded_to_the_side_that_was_asked_for(numerator, denominator, shift):
    exact = Fraction(numerator, denominator) * Fraction(10) ** shift
    assume(Fraction(TINY) < exact < Fraction(LARGEST))
    above, below = rounded_up_in_range("x", exact, 0, math.inf), rounded_down_in_range("x", exact, 0, math.inf)
    assert (above, below) == (round_up(exact), round_down(exact))
    assert getattr(above, "below", above) == below and rounded_up_in_range("x", above, 0, math.inf) is above
    assert rounded_down_in_range("x", above, 0, math.inf) == below


@pytest.mark.parametrize("side", [rounded_up_in_range, rounded_down_in_range])
@pytest.mark.parametrize("value", [0.1, np.float32(0.1), np.float64(0.1), 1, np.int64(7), np.array(0.25)])
def test_a_float_is_itself_on_both_sides(value, side):
    assert type(side("x", value, 0, math.inf)) is float and side("x", value, 0, math.inf) == float(value)


@pytest.mark.parametrize("text", ["1/3", "0.1", "1e-300", Decimal("0.1"), Decimal("1E+20")])
def test_text_is_the_fraction_that_it_says(text):
    exact = Fraction(str(text))
    assert rounded_up_in_range("x", text, 0, math.inf) == round_up(exact)
    assert rounded_down_in_range("x", text, 0, math.inf, closed=True) == round_down(exact)


@pytest.mark.parametrize("side", [rounded_up_in_range, rounded_down_in_range])
@pytest.mark.parametrize(
    "value", ["", "a tenth", "1/0", "1e999999999", "nan", Decimal("inf"), True, np.True_, np.array(True), "1" * 500]
)
def test_what_is_no_number_is_refused_on_both_sides(value, side):
    with pytest.raises(ValueError, match=r"^x must be a real number, got "):
        side("x", value, 0, math.inf)


@pytest.mark.parametrize(
    "value", [Fraction(LARGEST) + 1, 10**400, math.inf, np.longdouble("inf"), np.longdouble("nan")]
)
def test_what_no_float_holds_is_out_of_range(value):
    with pytest.raises(ValueError, match=r"^x must be in \(0, inf\), got .*$"):
        rounded_up_in_range("x", value, 0, math.inf)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-1, 2.5, "(-1, 2.5)"),
        (-math.inf, 0, "(-inf, 0)"),
        (-1e7, 1e7, "(-10000000.0, 10000000.0)"),
        (0, LARGEST, "(0, the largest float)"),
        (-LARGEST, 0, f"(-{LARGEST}, 0)"),
    ],
)
def test_a_range_as_a_message_shows_it(low, high, said):
    with pytest.raises(ValueError, match=re.escape(f"x must be in {said}, got nan")):
        check_in_range("x", math.nan, low, high)


def test_what_rounding_to_nearest_lost():
    """Control: plain sums, products and roots go below the truth, so the tests of this file can fail."""
    assert Fraction(sum([0.1] * 10)) < 10 * Fraction(0.1) <= Fraction(sum_up([0.1] * 10))
    assert Fraction(float(np.hypot.reduce([0.1, 0.7]))) ** 2 < Fraction(0.1) ** 2 + Fraction(0.7) ** 2
    assert any(Fraction(k * 0.1) < k * Fraction(0.1) for k in range(1, 100))


# Composition, groups, neighbours


@given(epsilons=budgets)
def test_pure_budgets_add_up_exactly(epsilons):
    total = compose(*map(PureDP, epsilons)).epsilon
    assert Fraction(total) >= sum(map(Fraction, epsilons))
    assert Fraction(math.nextafter(total, 0)) < sum(map(Fraction, epsilons))


@given(epsilons=budgets, deltas=st.lists(st.floats(0, 0.05), min_size=12, max_size=12))
def test_approximate_budgets_add_up_exactly(epsilons, deltas):
    parts = [ApproxDP(e, d) for e, d in zip(epsilons, deltas, strict=False)]
    whole = compose(*parts)
    assert Fraction(whole.epsilon) >= sum(Fraction(part.epsilon) for part in parts)
    assert Fraction(whole.delta) >= sum(Fraction(part.delta) for part in parts)


@given(mus=budgets)
def test_gaussian_budgets_add_up_exactly(mus):
    assert Fraction(compose(*map(GaussianDP, mus)).mu) ** 2 >= sum(Fraction(mu) ** 2 for mu in mus)


@given(x=anything, k=st.integers(1, 10**5))
def test_groups_multiply_exactly(x, k):
    assert Fraction(group(PureDP(x), k).epsilon) >= k * Fraction(x)
    assert Fraction(group(GaussianDP(x), k).mu) >= k * Fraction(x)
    assert Fraction(to_neighbours(PureDP(x, "add/remove"), "replace").epsilon) >= 2 * Fraction(x)


@given(epsilon=st.floats(0, 20), delta=st.floats(1e-300, 1e-2), k=st.integers(1, 30))
def test_group_delta_against_its_sum(epsilon, delta, k):
    """P <= e^eps (e^{(k-1) eps} Q + delta_{k-1}) + delta, k times; never less, and hardly more."""
    grouped = group(ApproxDP(epsilon, delta), k)
    assert 0 <= Fraction(grouped.epsilon) - k * Fraction(epsilon) <= k * Fraction(epsilon) / 10**9
    with ctx.workprec(1400):
        total = sum(((arb(epsilon) * j).exp() for j in range(k)), arb(0)) * arb(delta)
        least = total if bool(total < 1) else arb(1)
        assert bool(least <= arb(grouped.delta)) and bool(arb(grouped.delta) <= least * (1 + arb(10) ** -9))


# The Gaussian curve


@pytest.mark.parametrize(("mu", "epsilon"), [(1, 60), (0.01, 0.5), (0.1, 5), (3, 200), (1e-6, 1e-3), (1e-300, 1e300)])
def test_no_gaussian_guarantee_becomes_pure(mu, epsilon):
    spent = to_approx(GaussianDP(mu), epsilon=epsilon)
    assert spent.delta >= TINY
    with pytest.raises(ValueError, match=r"privacy must imply a PureDP, got ApproxDP\(epsilon="):
        to_pure(spent)
    assert compose(spent, PureDP(1.0)).delta >= TINY


@given(log_mu=st.floats(-150, 3), u=st.floats(-40, 40))
def test_delta_is_rounded_up(log_mu, u):
    mu = 10**log_mu
    epsilon = max(0.0, mu * (u + mu / 2))
    delta = certified_delta(epsilon, mu)
    assert spends_at_most(epsilon, mu, delta)
    assert delta == TINY or not spends_at_most(epsilon, mu, delta * (1 - 1e-9))


@given(log_mu=st.floats(-300, 2), log_delta=st.floats(-320, -1e-9))
def test_epsilon_is_rounded_up(log_mu, log_delta):
    mu, delta = 10**log_mu, max(TINY, 10**log_delta)
    assert spends_at_most(gaussian_epsilon(mu, delta), mu, delta)


@settings(max_examples=50)
@given(log_epsilon=st.floats(-323, 3), log_delta=st.floats(-323, -1e-9))
def test_mu_is_rounded_down(log_epsilon, log_delta):
    epsilon, delta = 10**log_epsilon, max(TINY, 10**log_delta)
    mu = gaussian_mu(epsilon, delta)
    assert mu == 0 or spends_at_most(epsilon, mu, delta)
    if mu > 1e-285:
        assert not spends_at_most(epsilon, mu * 1.001, delta)  # and nothing is wasted
        assert Fraction(gaussian_noise_multiplier(ApproxDP(epsilon, delta))) * Fraction(mu) >= 1


@pytest.mark.parametrize("delta", [1e-310, 1e-12, 0.5, 1 - 2**-53])
@pytest.mark.parametrize("epsilon", [0.0, TINY, 1e-310, 1e-200, 1e300, 1e308])
def test_calibration_at_its_ends_returns_and_is_safe(epsilon, delta):
    mu = gaussian_mu(epsilon, delta)
    assert 0 < mu < math.inf
    assert certified_delta(epsilon, mu) <= delta
    assert mu > 1e-300 or spends_at_most(epsilon, mu, delta)


@pytest.mark.parametrize("delta", [TINY, 1e-5, 1 - 2**-53])
@pytest.mark.parametrize("mu", [TINY, 1e-155, 1e-5, 1e149, 1e154, 1e308])
def test_epsilon_at_its_ends_returns_and_is_safe(mu, delta):
    epsilon = gaussian_epsilon(mu, delta)
    assert epsilon == math.inf or certified_delta(epsilon, mu) <= delta


@given(log_epsilon=st.floats(-323, 2))
def test_a_pure_guarantee_is_gaussian(log_epsilon):
    epsilon = 10**log_epsilon
    mu = to_gaussian(PureDP(epsilon)).mu
    with ctx.workprec(BITS):
        keep = 1 / (1 + (-arb(epsilon)).exp())
        assert bool((arb(mu) / 2 / arb(2).sqrt()).erf() >= 2 * keep - 1)


@pytest.mark.parametrize("epsilon", [TINY, 700.0, 1e5, 1e300, 1e307])
def test_pure_to_gaussian_at_its_ends(epsilon):
    assert 0 < to_gaussian(PureDP(epsilon)).mu <= 3 * math.sqrt(epsilon) + 1
