"""ZCDP, RenyiDP and curves: laws of two outcomes as oracle, exact to 60 digits; every rule has a twin that falls."""

import math

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant
from hypothesis import assume, example, given, settings, strategies as st
from mpmath import mp, mpf
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

from lemmata import Accountant, from_trade_off, privacy_curve, trade_off
from lemmata.mechanisms.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    PrivacyCurve,
    PureDP,
    RenyiDP,
    compose,
    gaussian_delta,
    gaussian_epsilon,
    group,
    to_approx,
    to_curve,
    to_gaussian,
    to_gaussian_budget,
    to_neighbours,
    to_pure,
    to_renyi,
    to_zcdp,
)
from lemmata.mechanisms.privacy.divergences import pure_renyi, pure_rho, renyi_at

pytestmark = pytest.mark.usefixtures("sixty_digits")

exactly = settings(derandomize=True, deadline=None, max_examples=60)


def renyi(p, q, order):
    """D_order of two laws of finitely many outcomes, to 60 digits."""
    order = mpf(order)
    total = mp.fsum(mpf(x) ** order * mpf(y) ** (1 - order) for x, y in zip(p, q, strict=True))
    return mp.log(total) / (order - 1)


def two(p):
    return [mpf(p), 1 - mpf(p)]


def above(x):
    """A float that is not below x."""
    return math.nextafter(float(x), math.inf)


# From divergences to (epsilon, delta) ---------------------------------------------------------------------------------


@exactly
@given(p=st.floats(1e-6, 1 - 1e-6), q=st.floats(1e-6, 1 - 1e-6), order=st.floats(1.01, 60), epsilon=st.floats(0, 8))
def test_no_event_of_two_outcomes_is_more_than_its_divergence_allows(p, q, order, epsilon):
    """What a pair needs is never below what is claimed of its divergence, at one order."""
    assume(abs(p - q) > 1e-4)
    claim = RenyiDP(order, above(renyi(two(p), two(q), order)))
    needed = max(mpf(p) - mp.exp(mpf(epsilon)) * mpf(q), mp.mpf(0))
    assert needed <= mpf(to_approx(claim, epsilon=epsilon).delta)
    if 0 < needed < 1:
        assert mpf(to_approx(claim, delta=float(needed) * (1 - 1e-15)).epsilon) >= mpf(epsilon) * (1 - mpf(10) ** -12)


def hardest(orders, gammas, epsilon):
    """The largest p - e^epsilon q over laws of two outcomes that keep all bounds: the slow twin, by bisection."""

    def least_q(p):
        found = 0.0
        for order, gamma in zip(orders, gammas, strict=True):

            def excess(x, order=order, gamma=gamma):
                q = math.exp(x)
                parts = order * math.log(p) + (1 - order) * x, order * math.log1p(-p) + (1 - order) * math.log1p(-q)
                return np.logaddexp(*parts) - (order - 1) * gamma

            low = (order * math.log(p) - (order - 1) * gamma) / (order - 1) - 1
            found = max(found, math.exp(brentq(excess, low, math.log(p) - 1e-13, xtol=1e-14)))
        return found

    value = lambda log_p: math.exp(epsilon) * least_q(math.exp(log_p)) - math.exp(log_p)  # noqa: E731
    best = min(np.linspace(-20, -1e-4, 40), key=value)
    result = minimize_scalar(
        value, bounds=(best - 0.6, min(best + 0.6, -1e-9)), method="bounded", options={"xatol": 1e-9}
    )
    return -result.fun


@pytest.mark.parametrize(("order", "gamma", "epsilon"), [(2, 0.5, 0.5), (1.2, 0.3, 0.1), (8, 2.0, 3.0), (30, 4, 4.5)])
def test_at_one_order_nothing_is_lost(order, gamma, epsilon):
    slow = hardest([order], [gamma], epsilon)
    assert to_approx(RenyiDP(order, gamma), epsilon=epsilon).delta == pytest.approx(slow, rel=1e-7)
    # a divergence that is one per cent smaller is not enough for this pair
    assert to_approx(RenyiDP(order, 0.99 * gamma), epsilon=epsilon).delta < slow


@pytest.mark.parametrize(("rho", "epsilon"), [(0.01, 0.1), (0.1, 0.0), (0.5, 2.0), (2.0, 6.0)])
def test_over_all_orders_nothing_is_lost(rho, epsilon):
    """Also not by taking the best order alone: two outcomes that keep a rho at all orders attain it."""
    orders = 1 + np.geomspace(1e-4, 200, 150)  # some of all orders allow slightly more
    ours = to_approx(ZCDP(rho), epsilon=epsilon).delta
    assert hardest(orders, 0.99 * orders * rho, epsilon) < ours <= hardest(orders, orders * rho, epsilon) * (1 + 1e-9)


def by_moment_alone(rho, delta):
    """Canonne, Kamath & Steinke (2020), Proposition 12, solved for epsilon at the best order."""
    rule = lambda s: (lambda a: a * rho + math.log1p(-1 / a) - math.log(delta * a) / (a - 1))(1 + math.exp(s))  # noqa: E731
    start = min(np.linspace(-12, 12, 500), key=rule)
    return minimize_scalar(rule, bounds=(start - 0.1, start + 0.1), method="bounded", options={"xatol": 1e-10}).fun


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.01, 0.3])
def test_never_more_than_the_best_known_closed_form(rho, delta):
    ours, theirs = to_approx(ZCDP(rho), delta=delta).epsilon, by_moment_alone(rho, delta)
    assert ours <= max(theirs, 0) * (1 + 1e-9)
    assert ours >= to_approx(GaussianDP(math.sqrt(2 * rho)), delta=delta).epsilon  # one of its mechanisms


@exactly
@given(rho=st.floats(1e-9, 1e3), log_delta=st.floats(-200, -0.01))
@example(rho=1.0, log_delta=math.log(0.1))  # where v of the best u and v is close to 1
def test_epsilon_and_delta_invert_each_other(rho, log_delta):
    delta = math.exp(log_delta)
    epsilon = to_approx(ZCDP(rho), delta=delta).epsilon
    back = to_approx(ZCDP(rho), epsilon=epsilon).delta
    assert back <= delta * (1 + 1e-6) and (epsilon == 0 or back >= delta * (1 - 1e-6))


@pytest.mark.parametrize("order", [1.5, 2.0, 16.0, 64.0])
def test_agrees_with_dp_accounting_or_is_smaller(order):
    from dp_accounting.rdp import rdp_privacy_accountant

    for gamma in order * np.array([0.01, 0.3]):
        theirs = rdp_privacy_accountant.compute_epsilon([order], [gamma], 1e-6)[0]
        assert to_approx(RenyiDP(order, gamma), delta=1e-6).epsilon <= theirs * (1 + 1e-12)


def test_extremes_are_answered():
    assert to_approx(ZCDP(1e-300), delta=1e-300).epsilon < 1e-100
    assert to_approx(ZCDP(1e6), epsilon=0.0).delta == 1.0
    assert to_approx(ZCDP(0.5), epsilon=1e5).delta == 5e-324
    assert 0 < to_approx(RenyiDP((1.0000001, 1e9), (1e-7, 3e3)), delta=1e-9).epsilon <= 3e3 + 1


# Pure and Gaussian guarantees -----------------------------------------------------------------------------------------


@exactly
@given(epsilon=st.floats(1e-6, 300), order=st.floats(1.001, 200))
def test_randomised_response_keeps_its_rho_and_its_curve(epsilon, order):
    with mp.workdps(400):
        p, q = 1 / (1 + mp.exp(-mpf(epsilon))), 1 / (1 + mp.exp(mpf(epsilon)))
        exact = renyi([p, q], [q, p], order)
    assert 0 <= mpf(pure_renyi(epsilon, order)) - exact <= exact * mpf(10) ** -15 + mpf(10) ** -300
    assert exact <= mpf(order) * mpf(pure_rho(epsilon))


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
def test_no_smaller_rho_follows_from_pure_privacy(epsilon):
    order = 1 + 1e-6
    assert mpf(pure_renyi(epsilon, order)) > mpf(order) * mpf(pure_rho(epsilon)) * (1 - mpf(10) ** -4)
    assert to_zcdp(PureDP(epsilon)).rho < epsilon**2 / 2


def test_the_gaussian_budget_of_a_curve_is_that_of_its_strictest_point():
    points = (1, 1e-5), (3, 1e-9)
    expected = min(to_gaussian_budget(ApproxDP(*point)).mu for point in points)
    assert to_gaussian_budget(PrivacyCurve(*zip(*points, strict=True))).mu == expected


def test_between_orders_a_chord():
    curve = RenyiDP((2, 4), (0.5, 1.5)).points
    assert renyi_at(curve, 3.0) == (mpf(0.5) + mpf(4.5)) / 2 / 2
    assert renyi_at(curve, 1.5) == 0.5 and renyi_at(curve, 5.0) is None
    p, q = [0.7, 0.2, 0.1], [0.2, 0.2, 0.6]
    known = RenyiDP((1.5, 6), [above(renyi(p, q, a)) for a in (1.5, 6)])
    for order in (1.1, 2.0, 3.3, 5.9):
        assert renyi(p, q, order) <= to_renyi(known, order).epsilon


# Groups and composition -----------------------------------------------------------------------------------------------


def chained(p, q, r, order, factor=lambda a: (a - 0.5) / (a - 1)):
    """What the inequality of groups says of a chain of three laws, over the truth."""
    claimed = factor(order) * renyi(p, q, 2 * order) + renyi(q, r, 2 * order - 1)
    return claimed / renyi(p, r, order)


def test_groups_of_two(rng):
    """Over random chains; without the factor (a - 1/2) / (a - 1) some chain needs more."""
    chains = [rng.dirichlet(np.full(3, 2.0), size=3) for _ in range(60)]
    normal = [np.exp(-((np.linspace(-9, 9, 61) - shift) ** 2) / 2) for shift in (0, 0.5, 1.0)]
    chains.append([law / law.sum() for law in normal])
    for order in (1.2, 2.0, 6.0):
        assert min(chained(*chain, order) for chain in chains) >= 1
    assert min(chained(*chain, 6.0, lambda a: 0.5) for chain in chains) < 1


TWO = RenyiDP((2, 8), (0.5, 2.0))


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (to_zcdp(GaussianDP(3.0)).rho, 4.5),
        (to_renyi(GaussianDP(2.0), [2, 5]), RenyiDP((2, 5), (4.0, 10.0))),
        (to_gaussian_budget(ZCDP(2.0)), GaussianDP(2.0)),
        (to_gaussian_budget(RenyiDP((2, 8), (4.0, 99.0))), GaussianDP(2.0)),
        (group(ZCDP(0.25), 4), ZCDP(4.0)),
        (group(RenyiDP(8, 1.0), 2).order, 4.0),
        (group(RenyiDP(8, 1.0), 2).epsilon, pytest.approx(3.5 / 3 + 1.0)),  # Mironov's Proposition 2 says 3 times
        (group(TWO, 1), TWO),
        (group(PrivacyCurve((0, 1), (1e-3, 1e-6)), 3).points[1], group(ApproxDP(1, 1e-6), 3)),
        (to_neighbours(ZCDP(0.1, "add/remove"), "replace"), ZCDP(0.4)),
        (compose(ZCDP(0.25), ZCDP(0.5)), ZCDP(0.75)),
        (compose(ZCDP(0.25), GaussianDP(1.0)), ZCDP(0.75)),
        (compose(RenyiDP(2, 0.5), ZCDP(0.25)), RenyiDP(2, 1.0)),
        (compose(TWO, RenyiDP(4, 0.25)), RenyiDP((2, 4), (0.5 + 0.25, float(renyi_at(TWO.points, 4.0)) + 0.25))),
        (compose(PureDP(0.5), ZCDP(0.1)).rho, pytest.approx(0.1 + 0.5 * math.tanh(0.25))),
        (compose(*[ZCDP(0.1)] * 10).rho > 1, True),  # ten tenths are more than one
    ],
    ids=str,
)
def test_conversions_compositions_and_groups(made, expected):
    assert made == expected


# Curves and trade-off functions ---------------------------------------------------------------------------------------


@exactly
@given(mu=st.floats(0.05, 3), epsilon=st.floats(0, 12))
def test_a_curve_is_read_above_the_truth(mu, epsilon):
    curve = to_curve(GaussianDP(mu), [0.0, 0.3, 1.0, 2.5, 6.0])
    truth = gaussian_delta(epsilon, mu)
    read = to_approx(curve, epsilon=epsilon).delta
    assert truth * (1 - 1e-12) <= read
    assert epsilon not in curve.epsilon or read == pytest.approx(truth)
    assert to_approx(curve, delta=max(read, 1e-300)).epsilon <= epsilon * (1 + 1e-9) + 1e-12


def test_a_chord_below_the_convex_curve_is_none():
    """Read linearly in epsilon, not in e^epsilon, the curve of a randomised response promises too much."""
    p = 1 / (1 + math.exp(-4.0))
    curve = PrivacyCurve((1, 4), (p - math.e * (1 - p), 0.0))
    linear = np.interp(2.5, curve.epsilon, curve.delta)
    truth = p - math.exp(2.5) * (1 - p)
    assert linear < 0.9 * truth and to_approx(curve, epsilon=2.5).delta == pytest.approx(truth)


def test_trade_off_functions_and_curves_say_the_same():
    alpha = [0.0, 0.1, 0.3, 1.0]
    beta = [1.0, 0.6, 0.3, 0.0]
    curve = from_trade_off(alpha, beta, points="vertices")
    inverse = np.interp(alpha, beta[::-1], alpha[::-1])
    for a, b, other in zip(alpha, beta, inverse, strict=True):
        assert max(b, other) * (1 - 1e-12) <= trade_off(curve, a) + 1e-12
        assert trade_off(curve, a) <= max(b, other) + 1e-9
    assert to_pure(from_trade_off([0, 0.2, 1], [1, 0.2, 0], points="vertices")).epsilon == pytest.approx(math.log(4))
    mixed = from_trade_off([0, 0.9], [0.9, 0], points="vertices")  # with a chance of 0.1 all is told
    assert to_approx(mixed, epsilon=5.0).delta == pytest.approx(0.1) and trade_off(mixed, 0.0) <= 0.9


@exactly
@given(
    mu=st.floats(0.05, 4), epsilon=st.floats(0, 9), places=st.lists(st.floats(1e-9, 1 - 1e-9), min_size=3, max_size=40)
)
def test_samples_of_a_trade_off_function_are_read_above_the_truth(mu, epsilon, places):
    """Whatever points of a Gaussian's are tabulated, in floats."""
    alpha = np.array([0.0, *sorted(set(places)), 1.0])
    beta = norm.cdf(norm.isf(alpha) - mu)
    truth = gaussian_delta(epsilon, mu)
    assert to_approx(from_trade_off(alpha, beta), epsilon=epsilon).delta >= truth * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_chords_of_samples_would_promise_too_much(epsilon):
    alpha = np.linspace(0, 1, 101)
    samples = alpha, norm.cdf(norm.isf(alpha) - 1.0)
    read, chords = (
        to_approx(from_trade_off(*samples, points=points), epsilon=epsilon).delta for points in ("samples", "vertices")
    )
    assert chords < gaussian_delta(epsilon, 1.0) < read < gaussian_delta(epsilon, 1.0) + 0.0025


def test_rounding_errors_of_samples_are_tolerated_and_counted():
    """1 - alpha in floats is above or below 1 - alpha, and is not convex to the last bit: next to no leak at all."""
    alpha = np.linspace(0, 1, 11)
    assert 0 < from_trade_off(alpha, 1 - alpha).delta[0] < 1e-12
    # the truth may be lower than the samples by a last bit: the line through them then cuts the axis further down
    alpha, step = np.array([0.0, 0.25, 0.25 + 2.0**-40, 0.25 + 2.0**-39, 1.0]), 2.0**-52
    beta = 1 - 2 * alpha + [0, 0, step, 0, 0]
    beta[-1] = 0.0
    truth = from_trade_off(alpha, np.maximum(1 - 2 * alpha, 0), points="vertices").delta[0]
    assert from_trade_off(alpha, np.maximum(beta, 0)).delta[0] > truth


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.3])
def test_the_trade_off_of_zcdp_lies_between_a_gaussian_and_nothing(alpha):
    curve = to_curve(ZCDP(0.5))
    assert 0 < trade_off(curve, alpha) <= trade_off(to_curve(GaussianDP(1.0)), alpha)


def test_privacy_loss_distributions_of_dp_accounting():
    theirs = privacy_loss_distribution.from_laplace_mechanism(2.0, value_discretization_interval=1e-3)
    curve = privacy_curve(theirs, [0.0, 0.1, 0.3, 0.5], "add/remove")
    for epsilon, delta in zip(curve.epsilon, curve.delta, strict=True):
        assert delta == theirs.get_delta_for_epsilon(epsilon)
        assert delta == pytest.approx(-math.expm1((epsilon - 0.5) / 2), abs=1e-3)
    assert curve.neighbours == "add/remove"


def test_events_and_accountants_of_dp_accounting():
    event, budget = dp_event.GaussianDpEvent(2.0), GaussianDP(0.5)
    for made in (event, PLDAccountant().compose(event), RdpAccountant().compose(event)):
        curve = privacy_curve(made, [0.0, 0.5, 2.0], "add/remove")
        assert all(d >= gaussian_delta(e, 0.5) * (1 - 1e-9) for e, d in zip(curve.epsilon, curve.delta, strict=True))
    assert privacy_curve(event, [1.0], "add/remove").delta[0] == pytest.approx(gaussian_delta(1.0, budget.mu), rel=1e-3)
    assert privacy_curve(event, [1.0]).delta[0] == pytest.approx(gaussian_delta(1.0, 2 * budget.mu), rel=1e-3)


@pytest.mark.parametrize("mu", [0.1, 1.0, 12.0, 30.0])
def test_a_curve_that_is_asked_for_reaches_as_far_as_it_falls_and_is_dense(mu):
    curve = privacy_curve(lambda epsilon: gaussian_delta(epsilon, mu))
    assert curve.delta[-1] <= 1e-18 and len(curve.epsilon) <= 2000
    for delta in (1e-3, 1e-6, 1e-12):
        found = to_approx(curve, delta=delta).epsilon
        assert gaussian_delta(found, mu) <= delta and found <= gaussian_epsilon(mu, delta) * 1.002
    assert privacy_curve(lambda _: 0.1).delta[-1] == 0.1  # with chance 0.1 all is told


# Conversions that do not exist, and bad input -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ZCDP(0.0), r"rho must be in \(0, inf\), got 0\.0"),
        (lambda: ZCDP(1.0, "swap"), "neighbours must be one of replace, add/remove, label, got 'swap'"),
        (lambda: RenyiDP(1.0, 1.0), r"order must be in \(1, inf\), got 1\.0"),
        (lambda: RenyiDP((3, 2), (1, 1)), r"order must be ascending, got 2\.0 after 3\.0"),
        (lambda: RenyiDP((2, 3), (1.0,)), "epsilon must have one number per order, got a tuple"),
        (lambda: RenyiDP(2, (1.0,)), "epsilon must have one number per order, got a tuple"),
        (lambda: PrivacyCurve((0, 1), (0.1,)), "delta and epsilon must have equal lengths, got 1 and 2"),
        (lambda: PrivacyCurve((), ()), "epsilon must contain numbers, got tuple"),
        (lambda: PrivacyCurve((0,), (1.5,)), r"delta must be in \[0, 1\], got 1\.5"),
        (lambda: from_trade_off([0, 0.5, 1], [1, 0.6, 0]), "beta must be convex and decreasing, and at most 1 - alpha"),
        (
            lambda: from_trade_off([0, 1], [1, 0], points="chords"),
            "points must be 'samples' or 'vertices', got 'chords'",
        ),
        (lambda: from_trade_off([0.1, 1], [0.9, 0]), "alpha must ascend from 0, and beta must end at 0"),
        (lambda: to_pure(ZCDP(1.0)), r"privacy must imply a PureDP, got ZCDP\(rho=1\.0, neighbours='replace'\)"),
        (lambda: to_pure(PrivacyCurve((1,), (0.1,))), "privacy must imply a PureDP, got"),
        (lambda: to_gaussian(ZCDP(1.0)), r"privacy must imply a GaussianDP, got ZCDP\(rho=1\.0,"),
        (lambda: to_zcdp(RenyiDP(2, 1.0)), r"privacy must imply a ZCDP, got RenyiDP\(order=2\.0, epsilon=1\.0,"),
        (lambda: to_zcdp(ApproxDP(1.0, 0.1)), "privacy must imply a least ZCDP or RenyiDP, got"),
        (lambda: to_renyi(RenyiDP(2, 1.0), 3), r"order must be at most 2\.0, the last order known, got 3\.0"),
        (lambda: to_approx(ZCDP(1.0)), "ZCDP requires one of delta and epsilon, got None and None"),
        (lambda: to_approx(PrivacyCurve((1,), (0.1,)), delta=0.01), r"delta must be at least 0\.1.*, got 0\.01"),
        (lambda: to_neighbours(ZCDP(1.0, "label"), "replace"), r"does not follow"),
        (lambda: Accountant(PrivacyCurve((1,), (0.1,))), "budget must have.*, got PrivacyCurve; use to_approx first"),
        (lambda: Accountant(ZCDP(1.0), way="gaussian"), r"way = 'gaussian' is not one of zcdp"),
        (lambda: group(RenyiDP(8, 1.0), 5), r"order must be above 8 for groups of this size, got 8\.0"),
        (lambda: privacy_curve("no"), r"delta must be a function of epsilon, .*, got 'no'"),
        (lambda: privacy_curve(lambda epsilon: math.nan), r"delta must be in \[0, 1\], got nan"),
        (lambda: privacy_curve(RdpAccountant()), "neighbours must be those of the accountant, ADD_OR_REMOVE_ONE, got"),
        (lambda: privacy_curve(dp_event.GaussianDpEvent(1.0), neighbours="label"), "delta must be an event with a"),
        (lambda: privacy_curve(dp_event.UnsupportedDpEvent()), "delta must be an event with a distribution for"),
    ],
)
def test_what_does_not_exist_raises(build, message):
    with pytest.raises(ValueError, match=message):
        build()
