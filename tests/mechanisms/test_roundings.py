"""Each number of a guarantee or an account is the float next to the truth, on the side that claims less privacy.

The truth is a fraction, an inequality between fractions, or the Gaussian curve to 60 digits (mpmath). Numbers are drawn
with all of their bits, so that a rounding which is turned, or dropped, shows within a few of them.
"""

import random
from fractions import Fraction as F
from itertools import islice
from math import comb, inf, nextafter

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from mpmath import mp, mpf

from lemmata.bounds.exact.balls import exact
from lemmata.experiments.engine.ground.deadline import deadline
from lemmata.mechanisms.learners.erm.dp_erm import _copies
from lemmata.mechanisms.numerics.arithmetic import lemma_epsilon, lemma_mu
from lemmata.mechanisms.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    PrivacyCurve,
    PureDP,
    RenyiDP,
    compose,
    gaussian_noise_multiplier,
    group,
    to_approx,
    to_gaussian,
    to_gaussian_budget,
    to_renyi,
    to_zcdp,
)
from lemmata.mechanisms.privacy.account_terms import spent_as
from lemmata.mechanisms.privacy.divergences import certified, doubled
from lemmata.mechanisms.privacy.guarantees import LARGEST
from lemmata.mechanisms.privacy.loss_atoms import atoms_of
from lemmata.mechanisms.privacy.losses import Losses
from lemmata.mechanisms.privacy.privacy_curve import _below, from_trade_off, trade_off
from lemmata.mechanisms.privacy.privacy_filter import Amounts, as_budget, largest_m
from lemmata.mechanisms.selection import tuning_budget
from lemmata.mechanisms.solvers.certified_risk import Problem

pytestmark = pytest.mark.usefixtures("sixty_digits")

DRAWS = 40
PLENTY = ApproxDP(9.0, 0.5)  # a budget that is never used up here

# What is computed of 0 < a < 1 and 2 < b < 3, and whether the number x is enough; a and b are fractions then.
ROUNDED_UP = {
    "group, mu": (lambda a, b: group(GaussianDP(a), 7).mu, lambda x, a, b: x >= 7 * a),
    "group, rho": (lambda a, b: group(ZCDP(a), 7).rho, lambda x, a, b: x >= 49 * a),
    "group, epsilon": (lambda a, b: group(PureDP(a), 7).epsilon, lambda x, a, b: x >= 7 * a),
    "group, order": (
        lambda a, b: group(RenyiDP(2 * b, a), 2).epsilon,
        lambda x, a, b: x >= a + a * (b - F(1, 2)) / (b - 1),
    ),
    "rho of mu": (lambda a, b: to_zcdp(GaussianDP(a)).rho, lambda x, a, b: 2 * x >= a**2),
    "order of mu": (lambda a, b: to_renyi(GaussianDP(a), b).epsilon, lambda x, a, b: 2 * x >= b * a**2),
    "order of rho": (lambda a, b: to_renyi(ZCDP(a), b).epsilon, lambda x, a, b: x >= b * a),
    "order of orders": (  # on the chord from a at 2 to 6 a at 4 of what is (order - 1) epsilon
        lambda a, b: to_renyi(RenyiDP((2.0, 4.0), (a, 2 * a)), b).epsilon,
        lambda x, a, b: (b - 1) * x >= a + (b - 2) / 2 * 5 * a,
    ),
    "noise": (lambda a, b: gaussian_noise_multiplier(GaussianDP(a)), lambda x, a, b: x * a >= 1),
    "compose": (lambda a, b: compose(GaussianDP(a), GaussianDP(b)).mu, lambda x, a, b: x**2 >= a**2 + b**2),
    "compose, epsilon": (lambda a, b: compose(PureDP(a), PureDP(b)).epsilon, lambda x, a, b: x >= a + b),
    "compose, delta": (
        lambda a, b: compose(ApproxDP(a, a / 2), ApproxDP(b, b / 8)).delta,
        lambda x, a, b: x >= a / 2 + b / 8,
    ),
    "compose, rho": (lambda a, b: compose(ZCDP(a), ZCDP(b)).rho, lambda x, a, b: x >= a + b),
    "compose, order": (lambda a, b: compose(RenyiDP(2, a), RenyiDP(2, b)).epsilon, lambda x, a, b: x >= a + b),
    "rho of epsilon": (lambda a, b: to_zcdp(PureDP(b)).rho, lambda x, a, b: real(x) >= real(b) * mp.tanh(real(b) / 2)),
    "order of epsilon": (lambda a, b: to_renyi(PureDP(a), b).epsilon, lambda x, a, b: real(x) >= response(a, b)),
    "group, delta": (
        lambda a, b: group(ApproxDP(a, a / 1024), 3).delta,
        lambda x, a, b: real(1024 * x) >= real(a) * mp.fsum(mp.exp(k * real(a)) for k in range(3)),
    ),
    "one order, epsilon": (lambda a, b: at_one_order(a, b)[0], lambda x, a, b: real(x) >= two_ratios(a, b)[1]),
    "one order, delta": (lambda a, b: at_one_order(a, b)[1], lambda x, a, b: real(x) >= two_ratios(a, b)[2]),
    "Gaussian, delta": (
        lambda a, b: to_approx(GaussianDP(a), epsilon=b).delta,
        lambda x, a, b: real(x) >= curve(real(b), real(a)),
    ),
    "lemma, epsilon": (
        lambda a, b: lemma_epsilon(b, a),
        lambda x, a, b: real(x) >= lemma(real(b), real(a)),
    ),
    "chord, delta": (
        lambda a, b: to_approx(chord(a), epsilon=b - 1).delta,
        lambda x, a, b: (real(x) - mpf(0.3)) * (mp.e - 1) >= (real(a) / 16 - mpf(0.3)) * mp.expm1(real(b) - 2),
    ),
    "chord, epsilon": (
        lambda a, b: to_approx(chord(a), delta=b / 16).epsilon,
        lambda x, a, b: (real(b) / 16 - mpf(0.3)) * (mp.e - 1) >= (real(a) / 16 - mpf(0.3)) * mp.expm1(real(x) - 1),
    ),
    "trade-off, epsilon": (
        lambda a, b: from_trade_off([0, a / 8, 1], [1, b / 16, 0], points="vertices").epsilon[-1],
        lambda x, a, b: mp.exp(real(x)) >= real((1 - b / 16) / (a / 8)),
    ),
    "trade-off, delta": (
        lambda a, b: from_trade_off([0, a / 8, 1], [1, b / 16, 0], points="vertices").delta[0],
        lambda x, a, b: x >= 1 - a / 8 - b / 16,
    ),
    "likely losses": (
        lambda a, b: atoms_of(ApproxDP(a, b / 16), 1).masses[0],
        lambda x, a, b: real(x) * (1 + mp.exp(-real(a))) >= real(1 - b / 16),
    ),
    "unlikely losses": (
        lambda a, b: atoms_of(ApproxDP(a, b / 16), 1).masses[1],
        lambda x, a, b: real(x) * (1 + mp.exp(real(a))) >= real(1 - b / 16),
    ),
    "losses": (
        lambda a, b: Losses(((GaussianDP(a), 2), (GaussianDP(b), 1))).mu,
        lambda x, a, b: x**2 >= 2 * a**2 + b**2,
    ),
    "a group of two, at one order": (
        lambda a, b: dict(doubled(((3.0, a), (4.0, b))))[2.0],
        lambda x, a, b: 2 * x >= 3 * b + 2 * a,
    ),
    "spent, mu": (
        lambda a, b: spent_as(GaussianDP(9.0), Amounts(square=F(a) ** 2 + F(b) ** 2)).mu,
        lambda x, a, b: x**2 >= a**2 + b**2,
    ),
    "spent, rho": (
        lambda a, b: spent_as(ZCDP(9.0), Amounts(divergences=(F(a) + F(b),))).rho,
        lambda x, a, b: x >= a + b,
    ),
    "spent, pure": (lambda a, b: spent_as(PureDP(9.0), Amounts(F(a) + F(b))).epsilon, lambda x, a, b: x >= a + b),
    "spent, epsilon": (
        lambda a, b: spent_as(PLENTY, Amounts(F(a) + F(b), F(a))).epsilon,
        lambda x, a, b: x >= a + b,
    ),
    "spent, delta": (
        lambda a, b: spent_as(PLENTY, Amounts(F(a), (F(a) + F(b)) / 16)).delta,
        lambda x, a, b: 16 * x >= a + b,
    ),
}
ROUNDED_DOWN = {
    "budget of rho": (lambda a, b: to_gaussian_budget(ZCDP(a)).mu, lambda x, a, b: x**2 <= 2 * a),
    "lemma, mu": (lambda a, b: lemma_mu(b, a / 64), lambda x, a, b: lemma(real(x), real(a) / 64) <= real(b)),
    "lemma, mu at 0": (lambda a, b: lemma_mu(0.0, a), lambda x, a, b: real(x) <= mp.sqrt(2 * mp.pi) * real(a)),
    "miss, few alarms": (
        lambda a, b: trade_off(PrivacyCurve((b,), (a / 4,)), a / 1024),
        lambda x, a, b: real(x) <= real(1 - a / 4) - mp.exp(real(b)) * real(a) / 1024,
    ),
    "miss, many alarms": (
        lambda a, b: trade_off(PrivacyCurve((b,), (a / 4,)), b / 8),
        lambda x, a, b: real(x) * mp.exp(real(b)) <= real(1 - a / 4 - b / 8),
    ),
    "kink": (lambda a, b: float(F(str(_below(fmpq(*(F(a) + F(b)).as_integer_ratio()))))), lambda x, a, b: x <= a + b),
    "budget of order": (lambda a, b: to_gaussian_budget(RenyiDP(b, a)).mu, lambda x, a, b: b * x**2 <= 2 * a),
}
# (budget, sums) of an account whose Gaussian releases are together `square`: what each shows is the last bit of
CURVES = {
    "square": lambda a, b: (ApproxDP(1e9, a / 1024), Amounts(square=F(a) ** 2 + F(b) ** 2)),
    "delta": lambda a, b: (ApproxDP(1e9, 0.38 + a / 512), Amounts(delta=F(b) / 10**9, square=F(1))),
    "epsilon": lambda a, b: (ApproxDP(1e9, a / 1024), Amounts(F(b) * 10**6, square=F(a) ** 2)),
}


def drawn():
    """Pairs of floats, 0 < a < 1 and 2 < b < 3."""
    chance = random.Random(1)
    return [(chance.random(), 2 + chance.random()) for _ in range(DRAWS)]


def curve(epsilon, mu):
    """delta of mu-GDP at epsilon."""
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def lemma(mu, delta):
    """An epsilon that mu implies at delta."""
    return mu**2 / 2 + mu * mp.sqrt(-2 * mp.log(delta))


def real(x):
    return mpf(x.numerator) / x.denominator


def response(epsilon, order):
    """The Renyi divergence of randomised response, from its two chances."""
    order, p = real(order), 1 / (1 + mp.exp(-real(epsilon)))
    return mp.log(p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)) / (order - 1)


def two_ratios(a, b):
    """Of a law whose ratio is e^a or e^-b: its divergence at order b, where g touches, and the delta there."""
    order, u, v = real(F(b)), mp.exp(real(F(a))), mp.exp(-real(F(b)))
    chance, slope = (1 - v) / (u - v), order * (u ** (order - 1) - v ** (order - 1))
    g = (u**order - v**order - order * v ** (order - 1) * (u - v)) / slope
    moment = chance * u**order + (1 - chance) * v**order
    return mp.log(moment) / (order - 1), mp.log(u - g), chance * g


def at_one_order(a, b):
    with ctx.workprec(192):
        gamma = F(str(two_ratios(a, b)[0]))
        return certified(exact(F(b) - 1), exact(gamma), a, -b)


def chord(a):
    return PrivacyCurve((1.0, 2.0), (0.3, a / 16))


@pytest.mark.parametrize("name", [*ROUNDED_UP, *ROUNDED_DOWN])
def test_a_number_is_enough_and_hardly_more(name):
    """Two floats further it would not be: the multiplier of noise alone takes one more than it needs."""
    (computed, enough), end = (ROUNDED_UP[name], -inf) if name in ROUNDED_UP else (ROUNDED_DOWN[name], inf)
    for a, b in drawn():
        x, exact = computed(a, b), (F(a), F(b))
        assert enough(F(x), *exact), (a, b)
        assert not enough(F(nextafter(nextafter(x, end), end)), *exact), (a, b)


@pytest.mark.parametrize("name", CURVES)
def test_an_account_with_gaussian_releases_tells_all_that_they_spend(name):
    for a, b in drawn():
        budget, sums = CURVES[name](a, b)
        spent = spent_as(budget, sums)
        needed = curve(real(F(spent.epsilon) - sums.epsilon), mp.sqrt(real(sums.square)))
        assert spent.delta == budget.delta and needed <= real(F(budget.delta) - sums.delta), (a, b)


def test_an_account_beyond_all_floats_has_spent_its_budget():
    assert spent_as(ApproxDP(LARGEST, 0.5), Amounts(square=F(10) ** 310)).epsilon == LARGEST


def test_what_a_switch_leaves_to_gaussian_releases_is_within_what_is_left():
    """At epsilon = 0, of a small delta; and of an epsilon so large that mu^2 / 2 <= epsilon is all that it says."""
    none = ApproxDP(0.0, 0.0)
    for a, b in drawn():
        sums = Amounts(F(b), F(b * 2.0**-42))
        budget = ApproxDP(b, (1 + a) * 1e-11)
        m = largest_m(budget, sums, none)
        assert m > 0 and mp.erf(mpf(m) / mp.sqrt(8)) <= real(F(budget.delta) - sums.delta), (a, b)
        sums, budget = Amounts(F(1e299 * a)), ApproxDP(1e300 * b, 0.25)
        m = largest_m(budget, sums, none)
        assert 0 < F(m) ** 2 / 2 <= F(budget.epsilon) - sums.epsilon, (a, b)


def test_a_pure_guarantee_at_the_ends_of_the_floats_implies_enough_mu():
    """mu >= epsilon sqrt(pi / 2) where both are tiny; out there the logarithm of Phi(-mu / 2) is -mu^2 / 8."""
    for _, b in drawn():
        assert F(to_gaussian(PureDP(1e300 * b)).mu) ** 2 >= 8 * F(1e300 * b)
    with deadline(5.0):
        for k in range(1, 40):
            epsilon = 5e-324 * k
            assert mpf(to_gaussian(PureDP(epsilon)).mu) >= mpf(epsilon) * mp.sqrt(mp.pi / 2)


def test_a_group_reads_the_chord_where_order_less_one_is_no_float():
    """2 a - 1 = 2^53 + 1 lies half-way between two orders, where (order - 1) epsilon is half-way too."""
    order = 2.0**53
    assert group(RenyiDP((order, order + 2), (1.0, 3.0)), 2).epsilon[-1] > 3 + 2


def test_a_limit_is_raised_by_one_float():
    for a, b in drawn():
        assert as_budget(ApproxDP(b, a), 1) == ApproxDP(nextafter(b, inf), nextafter(a, inf))


def test_all_losses_of_a_curve_have_their_chances():
    """A mass of 1 together with the infinite one, each rounded up."""
    for a, _ in drawn():
        atoms = atoms_of(chord(a), 1)
        assert 0 <= sum(map(F, atoms.masses)) + F(atoms.infinite) - 1 < 1e-15


@pytest.mark.parametrize("m", [7, 40])
def test_copies_of_a_record_have_their_chances(m):
    """Of m draws with replacement, each chance and that of all that is left out, rounded up."""
    squares, left_out = _copies(m, 1, 1e-3)
    truth = [F(comb(m, j) * (m - 1) ** (m - j), m**m) for j in range(m + 1)]
    assert [total for total, _ in squares] == [j**2 for j in range(len(squares))]
    assert all(0 <= F(chance) - exactly < 1e-15 for (_, chance), exactly in zip(squares, truth, strict=False))
    assert 0 <= F(left_out) - sum(truth[len(squares) :]) < 1e-15 and left_out <= 1e-3


def test_the_distance_to_a_minimiser_at_zero_is_the_length_and_no_less():
    for a, b in drawn():
        problem = Problem(np.zeros((1, 2)), ridge=1.0, share=F(1), loss="logistic")
        _, (_, distance) = islice(problem.nearer(np.array([a, b]), [arb(0)] * 2), 2)
        assert F(distance) ** 2 >= F(a) ** 2 + F(b) ** 2


def test_the_mean_number_of_runs_is_not_too_small(monkeypatch):
    """1 / r of a geometric number, wherever the chords are asked."""
    seen = []
    monkeypatch.setattr(tuning_budget.winner_profile, "worst_delta", lambda chain, mean, *_: seen.append(mean) or 1.0)
    for a, _ in drawn()[:3]:
        tuning_budget._sharp_holds(0.5, 4.0, 1e-30, 0.1 + a / 2, 1.0)
        assert F(seen[-1]) * F(0.1 + a / 2) >= 1
