"""Bets on Renyi divergences: exact at the edge of the claim, and what no event shows is refuted."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.special import softmax

from lemmata.mechanisms.audit.evidence.attackers import attackers
from lemmata.mechanisms.audit.evidence.divergence_bets import CLAIMED, DivergenceBets
from lemmata.mechanisms.audit.play.game import Game
from lemmata.mechanisms.audit.play.sequential_test import audit, play
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ZCDP, PrivacyCurve, RenyiDP, to_approx, to_curve


def divergence(p, q, order):
    return log((p**order * q ** (1 - order)).sum()) / (order - 1)


def mean_factors(bets, log_h, p, q):
    """The mean of every bet's factor, over one release of either dataset added up: at most 2 if the claim is true."""
    total = 0.0
    for side, law in enumerate((p, q)):
        for outcome, chance in enumerate(law):
            counts = np.zeros((2, len(p)))
            counts[side, outcome] = 1
            total = total + chance * np.exp(bets.gained(log_h, counts))
    return total[..., CLAIMED, :]


LAWS = [
    ([0.7, 0.3], [0.4, 0.6]),
    ([0.5, 0.3, 0.2], [0.1, 0.3, 0.6]),
    ([0.01, 0.09, 0.4, 0.5], [0.001, 0.2, 0.5, 0.299]),
]


@pytest.mark.parametrize(("p", "q"), LAWS)
def test_no_bet_gains_where_the_claim_is_just_true(p, q, rng):
    """By enumeration, at every order, with any h, in both directions."""
    p, q = np.array(p), np.array(q)
    orders = np.array([1.05, 1.5, 2.0, 5.0, 12.0])
    claim = RenyiDP(orders, [max(divergence(p, q, a), divergence(q, p, a)) * (1 + 1e-12) for a in orders])
    for log_h in (
        np.log(p / q),
        np.log(p / q) / 2,
        *rng.normal(size=(20, len(p))),
        np.array([40.0, *[0.0] * (len(p) - 1)]),
    ):
        assert mean_factors(DivergenceBets(claim, 1), log_h, p, q).max() <= 2 * (1 + 1e-12)


@pytest.mark.parametrize("order", [1.05, 2.0, 5.0])
@pytest.mark.parametrize(("p", "q"), LAWS)
def test_the_true_ratio_gains_as_soon_as_the_claim_is_false(p, q, order):
    """One per cent less than the divergence: at every order the ratio itself is a bet that grows, in its direction."""
    p, q = np.array(p), np.array(q)
    for a, b, direction in ((p, q, 0), (q, p, 1)):
        bets = DivergenceBets(RenyiDP(order, 0.99 * divergence(a, b, order)), 1)
        assert mean_factors(bets, np.log(p / q), p, q)[direction, 0, 0].max() > 2


def test_a_capital_of_one_is_divided():
    bets = DivergenceBets(ZCDP(0.5), 3)
    assert bets.log_e() == pytest.approx(0, abs=1e-12) and bets.averaged() == pytest.approx(0, abs=1e-12)


# Mechanisms -----------------------------------------------------------------------------------------------------------


def choices(chances):
    return lambda rng, size: rng.choice(len(chances), p=chances, size=size)


def noisy_max(scores, epsilon, wrong=1.0):
    """Report noisy max by Gumbel noise of scale 2 / epsilon, too small by the factor `wrong`."""
    return lambda rng, size: (scores + rng.gumbel(scale=2 / epsilon / wrong, size=(size, len(scores)))).argmax(axis=1)


NEIGHBOURS = np.array([0.0, 0.0, 0.0]), np.array([1.0, -1.0, 0.0])  # scores of sensitivity 1


def test_noisy_max_with_half_of_its_noise_is_refuted():
    """rho = epsilon^2 / 8 is promised, four times as much needed (OpenDP's issue 2911)."""
    epsilon = 1.0
    claim = ZCDP(epsilon**2 / 8)
    honest, broken = ([noisy_max(s, epsilon, wrong) for s in NEIGHBOURS] for wrong in (1.0, 2.0))
    found = audit(*broken, claim, root=TEST_ROOT, budget=20_000)
    assert found.verdict == "REFUTED" and found.lower >= claim.rho and found.judged < 6_000
    assert audit(*honest, claim, root=TEST_ROOT, budget=4_000).verdict == "INCONCLUSIVE"
    exact = [softmax(epsilon * scores / 2) for scores in NEIGHBOURS]
    assert max(divergence(*exact, a) / a for a in (1.001, 2.0, 8.0)) < claim.rho


@pytest.mark.parametrize("claim", [ZCDP(0.125), RenyiDP((2, 8), (0.25, 1.0)), RenyiDP(1.5, 0.1875)], ids=repr)
def test_half_of_the_gaussian_noise_is_refuted(claim):
    mu = sqrt(2 * 0.125)
    sides = [lambda rng, size, m=m: rng.normal(m, size=(size, 1)) for m in (0.0, mu, 2 * mu)]
    assert audit(sides[0], sides[1], claim, root=TEST_ROOT, budget=2_000).verdict == "INCONCLUSIVE"
    found = audit(sides[0], sides[2], claim, root=TEST_ROOT, budget=30_000)
    assert found.verdict == "REFUTED" and str(found)


def test_two_records_are_a_group():
    sides = [lambda rng, size, m=m: rng.normal(m, size=(size, 1)) for m in (0.0, 1.0)]
    assert audit(*sides, ZCDP(0.125), root=TEST_ROOT, budget=2_000, records=2).verdict == "INCONCLUSIVE"
    with pytest.raises(ValueError, match=r"order must be above 2 for groups of this size, got 1\.5"):
        audit(*sides, RenyiDP(1.5, 0.1), root=TEST_ROOT, budget=2_000, records=2)


def hidden(rho):
    """A pair whose every event is as likely as 0.98 rho of zCDP allows, or less, but of divergence 1.47 rho.

    Its delta(epsilon) is the lower convex hull, as a function of e^epsilon, of what 0.98 rho implies at 161 epsilons.
    """
    epsilons = np.linspace(0, rho + 5 * sqrt(2 * rho), 81)
    deltas = np.array([to_approx(ZCDP(0.98 * rho), epsilon=epsilon).delta for epsilon in epsilons])
    mirrored = (-np.expm1(-epsilons) + np.exp(-epsilons) * deltas)[:0:-1]
    hull = []
    for x, y in zip([0, *np.exp([*-epsilons[:0:-1], *epsilons])], [1, *mirrored, *deltas], strict=True):
        while len(hull) > 1 and cross(*hull[-2:], (x, y)) <= 0:
            hull.pop()
        hull.append((x, y))
    ratios, heights = np.array(hull).T
    q = np.diff(np.append(np.diff(heights) / np.diff(ratios), 0))
    p = q * ratios[1:]
    return p / p.sum(), q / q.sum()  # ratios 0 and infinity had a chance below 1e-6


def cross(a, b, c):
    """Positive where the path from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def played(sides, claim, budget):
    """A game of the attacker that counts outcomes."""
    game = Game(*sides, claim, root=TEST_ROOT, named=list(attackers(*sides, None))[:1])
    play(game, budget, 1e-10)
    return game


def test_what_no_event_shows_is_refuted():
    """Every (epsilon, delta) that rho implies is kept, so bets on events gain nothing; the claim is still false."""
    rho = 0.5
    p, q = hidden(rho)
    for epsilon in np.linspace(0, 3, 31):
        allowed = to_approx(ZCDP(rho), epsilon=epsilon).delta
        assert max(np.maximum(a - exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p))) < allowed
    assert divergence(p, q, 1.001) > 1.4 * rho
    sides = choices(p), choices(q)
    assert played(sides, ZCDP(rho), 120_000).log_e() >= log(1e10)
    assert played(sides, to_curve(ZCDP(rho), np.linspace(0, 4, 9)), 120_000).log_e() < log(20)
    truth = max(divergence(p, q, a) / a for a in (1.0001, 1.1, 2.0, 4.0)) * 1.01
    assert played(sides, ZCDP(truth), 120_000).log_e() < log(20)


def test_a_curve_is_a_claim_of_all_its_points():
    sides = [lambda rng, size, m=m: rng.laplace(m, size=(size, 1)) for m in (0.0, 1.0)]
    assert audit(*sides, PrivacyCurve((0.5, 1), (0.3, 0)), root=TEST_ROOT, budget=4_000).verdict == "INCONCLUSIVE"
    assert audit(*sides, PrivacyCurve((0.5, 1), (0.05, 0)), root=TEST_ROOT, budget=30_000).verdict == "REFUTED"


# False alarms ---------------------------------------------------------------------------------------------------------

LEVEL, AUDITS = 0.1, 60
NULLS = {
    "Gaussian, zCDP": (ZCDP(0.125), [lambda rng, n, m=m: rng.normal(m, size=(n, 1)) for m in (0.0, 0.5)]),
    "noisy max, zCDP": (ZCDP(0.125), [noisy_max(scores, 1.0) for scores in NEIGHBOURS]),
    "randomised response, order 2": (
        RenyiDP(2, divergence(np.array([0.7, 0.3]), np.array([0.3, 0.7]), 2) * (1 + 1e-12)),
        [choices([0.7, 0.3]), choices([0.3, 0.7])],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NULLS)
def test_true_claims_are_refuted_no_more_often_than_the_level(name):
    """At level 0.1, looked at after every chunk; 16 alarms of 60 would be one chance in 5,000 at the level."""
    claim, sides = NULLS[name]
    alarms = 0
    for root in range(AUDITS):
        game = Game(*sides, claim, root=root, named=list(attackers(*sides, None))[:2])
        play(game, 1_000, LEVEL)
        alarms += game.log_e() >= -log(LEVEL) or game.bets.log_e() >= -log(LEVEL)
    assert alarms <= 15
