"""The numbers that a verdict hangs on, pinned; and E e <= 1 at every vertex of every decider's null, by enumeration."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from lemmata.experiments.engine.claims import verdict as v
from lemmata.experiments.engine.claims.verdict import AttackDecider, MeanDecider, RateDecider, TailDecider
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, group
from tests.engine.toy import guessed

LN_10 = 2.302585092994046


@pytest.mark.parametrize(
    ("level", "number"),
    [
        (v.LOG_HOLD, pytest.approx(6 * LN_10, rel=1e-15)),
        (v.LOG_REFUTE, pytest.approx(10 * LN_10, rel=1e-15)),
        (v.LOG_REACHED, pytest.approx(3 * LN_10, rel=1e-15)),
        (v.LOG_REPORT, pytest.approx(math.log(2000), rel=1e-15)),
        (v.TIGHT, 1.1),
        (v.HOLD_ODDS.tolist(), [0, 0.05, 0.1, 0.25, 0.5, 0.7, 0.85, 0.95]),
        (v.REFUTE_ODDS.tolist(), [1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 30]),
        (v.STAKES, pytest.approx(np.geomspace(1e-3, 0.99, 16), rel=1e-12)),
    ],
)
def test_levels_are_these_numbers(level, number):
    assert level == number


@pytest.mark.parametrize(
    ("hold", "refute", "expected"),
    [
        (13.8155, 0, None), (13.8156, 0, v.HOLDS), (0, 23.0258, None), (0, 23.0259, v.REFUTED), (99, 99, v.REFUTED),
    ],
)  # fmt: skip
def test_a_verdict_is_issued_at_its_level(hold, refute, expected):
    assert v.conclude(hold, refute) == expected


def expectation(decider, law, trials, side):
    """E e after `trials` independent trials: `law` maps what one trial adds (a chunk) to its probability."""
    law = [(chunk, p) for chunk, p in law if p]
    total, weights = 0.0, []
    for counts in itertools.combinations_with_replacement(range(len(law)), trials):
        fresh, ways = decider(), math.factorial(trials)
        for outcome in counts:
            fresh.add(law[outcome][0])
        for repeated in Counter(counts).values():
            ways //= math.factorial(repeated)
        weight = ways * math.prod(law[outcome][1] for outcome in counts)
        weights.append(weight)
        total += float(weight) * math.exp(fresh.log_e()[side])
    assert sum(weights) == pytest.approx(1, abs=1e-12)
    return total


HOLD, REFUTE = 0, 1


@pytest.mark.parametrize("beta", [Fraction(1, 100), Fraction(1, 3), Fraction(9, 10)])
def test_tails(beta):
    """The hold null is p in [beta, 1], the refute null p in [0, beta]; at p = beta an e-value has mean exactly 1."""

    def mean(p, side):
        return expectation(lambda: TailDecider(float(beta)), [(_tail(1), p), (_tail(0), 1 - p)], 6, side)

    assert mean(beta, HOLD) == pytest.approx(1, abs=1e-12) == mean(beta, REFUTE)
    assert mean(Fraction(1), HOLD) < 1 and mean(Fraction(0), REFUTE) < 1
    assert mean(beta / 2, HOLD) > 1 and mean((1 + beta) / 2, REFUTE) > 1


def _tail(failures):
    return TailDecider.pack(np.array([bool(failures)]))


@pytest.mark.parametrize(("bound", "low", "high"), [(0.25, 0.0, 1.0), (-0.5, -2.0, 1.0), (3.0, 0.0, 4.0)])
def test_means(bound, low, high):
    """Laws on two points with mean `bound` are the vertices of both nulls; and the points at the far ends."""

    def mean(points, side):
        (x, y), p = points, Fraction(bound - points[0]) / Fraction(points[1] - points[0])
        law = [(MeanDecider.pack([y]), p), (MeanDecider.pack([x]), 1 - p)]
        return expectation(lambda: MeanDecider(bound, low, high), law, 5, side)

    middle = (bound + high) / 2
    for points in ((low, high), (low, middle), ((low + bound) / 2, high)):
        assert mean(points, HOLD) == pytest.approx(1, abs=1e-12) == mean(points, REFUTE)
    sure = expectation(lambda: MeanDecider(bound, low, high), [(MeanDecider.pack([low]), 1)], 5, REFUTE)
    assert sure < 1
    assert expectation(lambda: MeanDecider(bound, low, high), [(MeanDecider.pack([high]), 1)], 5, HOLD) < 1


@pytest.mark.parametrize("side", [HOLD, REFUTE])
@pytest.mark.parametrize("idle", [Fraction(0), Fraction(1, 3)])
def test_rates(idle, side):
    """E X_last = ratio E X_first on the corners of [0, 2] x [0, 1/2]."""
    ratio, highs = Fraction(1, 8), (2.0, 0.5)
    p = ratio * 2 / (ratio * 2 + Fraction(1, 2))  # of (0, 1/2), against (2, 0)
    law = [
        (RateDecider.pack([[0, 9, 0.5]]), p * (1 - idle)),
        (RateDecider.pack([[2, 9, 0]]), (1 - p) * (1 - idle)),
        (RateDecider.pack([[0, 9, 0]]), idle),
    ]
    assert expectation(lambda: RateDecider.between(1 / 8, highs), law, 4, side) == pytest.approx(1, abs=1e-12)


def game(claim, right, wrong, abstain):
    """The law of one round of the attack game."""
    rows = ((right, (1, 0, 0)), (wrong, (0, 1, 0)), (abstain, (0, 0, 1)))
    return [(guessed(claim, *row), p) for p, row in rows]


def pure_vertices(epsilon):
    top = 1 / (1 + math.exp(-epsilon))
    return {"on": (top, 1 - top, 0), "idle": (top / 2, (1 - top) / 2, 0.5), "wrong": (0, 1, 0), "silent": (0, 0, 1)}


def gaussian_vertices(mu):
    top = norm.cdf(mu / 2)
    return {"on": (top, 1 - top, 0), "wrong": (0, 1, 0), "silent": (0, 0, 1)}


def approx_vertices(epsilon, delta):
    """Of the outcomes with P(right) <= e^epsilon P(wrong) + delta."""
    top = (delta + math.exp(epsilon)) / (1 + math.exp(epsilon))
    return {"on": (top, 1 - top, 0), "atom": (delta, 0, 1 - delta), "wrong": (0, 1, 0), "silent": (0, 0, 1)}


GAMES = [
    (PureDP(0.3), pure_vertices(0.3)),
    (PureDP(5.0), pure_vertices(5.0)),
    (GaussianDP(0.5), gaussian_vertices(0.5)),
    (GaussianDP(3.0), gaussian_vertices(3.0)),
    (ApproxDP(1.0, 0.01), approx_vertices(1.0, 0.01)),
    (ApproxDP(0.2, 0.4), approx_vertices(0.2, 0.4)),
    (group(PureDP(0.1), 20), pure_vertices(2.0)),
    (group(GaussianDP(0.1), 20), gaussian_vertices(2.0)),
    (group(ApproxDP(0.5, 0.01), 3), approx_vertices(1.5, 0.01 * math.expm1(1.5) / math.expm1(0.5))),
]


@pytest.mark.parametrize(("claim", "vertices"), GAMES, ids=[str(claim) for claim, _ in GAMES])
def test_attack_games(claim, vertices):
    for name, outcome in vertices.items():
        mean = expectation(lambda: AttackDecider(claim), game(claim, *outcome), 4, REFUTE)
        assert mean <= 1 + 1e-12, name
        if name in ("on", "idle") and isinstance(claim, PureDP):  # a delta that no guess uses is lost
            assert mean == pytest.approx(1, abs=1e-9), name
    assert expectation(lambda: AttackDecider(claim), game(claim, 1, 0, 0), 60, REFUTE) > 1


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
def test_the_curve_of_gaussian_privacy(mu):
    """The honest pair itself, judged at every tangent at once: no mean above 1; a wider pair has one."""
    claim = GaussianDP(mu)
    tangents = [epsilon for epsilon, _ in stakes.tangents(claim)]

    def mean(shift):
        edges = [*tangents, np.inf]
        law = []
        for i, (low, high) in enumerate(itertools.pairwise(edges)):
            for sign in (1, -1):
                # The log ratio of N(0, 1) and N(mu, 1) at x is mu x - mu^2 / 2; x = shift - z where the guess is wrong.
                ends = [sign * edge / mu + mu / 2 - shift for edge in (low, high)]
                p = abs(norm.cdf(ends[1]) - norm.cdf(ends[0]))
                counts = np.zeros((1, len(tangents), stakes.CUTS, 3, 3), dtype=int)
                counts[..., 2] = 1
                counts[:, : i + 1, :, 2] = (1, 0, 0) if sign == 1 else (0, 1, 0)
                law.append((AttackDecider.pack(counts.reshape(1, -1, 3, 3)), p))
        return expectation(lambda: AttackDecider(claim), law, 3, REFUTE)

    assert mean(mu) <= 1 + 1e-9
    assert mean(mu + 1) > 1


@pytest.mark.parametrize("claim", [PureDP(1.0), GaussianDP(1.0), ApproxDP(1.0, 0.01)], ids=str)
def test_what_is_refuted_at_a_level_is_refuted_at_every_smaller_one(claim):
    levels = np.union1d(stakes.PARAMETERS[::8], 1.0)
    for outcome in itertools.product((0, 3, 40, 900), (0, 1, 30, 700), (0, 50, 5000)):
        decider = AttackDecider(claim)
        decider.add(guessed(claim, *outcome))
        refuted = [stakes.against(decider.counts, claim, [level])[0] >= v.LOG_REACHED for level in levels]
        assert refuted == sorted(refuted, reverse=True)
        last = max((level for level, fell in zip(levels, refuted, strict=True) if fell), default=0.0)
        assert last <= decider.reached() <= min([x for x in levels if x > last], default=np.inf)


@pytest.mark.parametrize(
    "claim, outcome, reached",
    [(PureDP(1.0), (200, 0, 0), 3.1), (GaussianDP(1.0), (200, 0, 0), 3.2), (PureDP(1.0), (100, 100, 0), 0.0)],
)
def test_two_hundred_right_guesses_reach_far(claim, outcome, reached):
    """Reported as 0.000 once, when the alternatives were multiples of the level under test."""
    decider = AttackDecider(claim)
    decider.add(guessed(claim, *outcome))
    assert decider.reached() == pytest.approx(reached, rel=0.05)


def test_an_attack_never_holds():
    decider = AttackDecider(PureDP(1.0))
    decider.add(guessed(decider.claim, 0, 10**6, 0))
    assert decider.log_e()[0] == -np.inf
