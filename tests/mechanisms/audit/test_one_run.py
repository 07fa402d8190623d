"""The audit by one training run: published numbers, exact false alarms, and an attack that a true claim survives."""

import numpy as np
import pytest
from scipy.stats import binom

from lemmata import ZCDP, ApproxDP, GaussianDP, PureDP, audit_one_run, gaussian_mu
from lemmata.mechanisms.audit.front import one_run
from tests.streams import streams

rng = streams("one_run")
LEVEL = 0.05


def canaries(draw, m, scores):
    """Scores of m canaries, each in the data if its coin says so."""
    member = draw.random(m) < 0.5
    found = scores(draw, member)
    return found[member], found[~member]


def responses(chance):
    """Randomised response for each canary, right with this chance; equal answers are told apart by no knowledge."""
    return lambda draw, member: (
        np.where(draw.random(len(member)) < chance, member, ~member) + 0.1 * draw.random(len(member))
    )


def gaussians(mu):
    return lambda draw, member: draw.normal(size=len(member)) + mu * member


def stated(m, r, v, epsilon, delta):
    """Theorem 5.2, term by term, as the paper's own program adds it up."""
    q = 1 / (1 + np.exp(-epsilon))
    within = best = 0.0
    for i in range(1, v + 1):
        within += binom.pmf(v - i, r, q)
        best = max(best, within / i)
    return binom.sf(v - 1, r, q) + 2 * m * delta * best


@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize(("m", "r", "v"), [(10, 10, 7), (100, 10, 10), (1000, 100, 90), (50, 30, 0)])
def test_the_bound_is_that_of_the_theorem(m, r, v, delta):
    assert one_run._approximate(m, r, v, 1.0, delta) == pytest.approx(stated(m, r, v, 1.0, delta), rel=1e-6)


@pytest.mark.parametrize(
    ("thresholds", "r", "v", "epsilon", "r_f", "v_f", "epsilon_f"),
    [(386, 3376, 2807, 1.13346, 406, 379, 2.164749), (374, 4666, 4499, 2.311945, 938, 934, 4.7218075)],
)
def test_published_lower_bounds_are_met(thresholds, r, v, epsilon, r_f, v_f, epsilon_f):
    """Of jax-privacy's tests: 20,000 canaries with normal scores, delta = 1e-6, level 0.05 shared among thresholds."""
    chance = LEVEL / thresholds
    for factor, refuted in ((0.9999, True), (1.0001, False)):
        claim = ApproxDP(epsilon * factor, 1e-6)
        assert (one_run._approximate(20_000, r, v, claim.epsilon, 1e-6) <= chance) == refuted
        by_f = GaussianDP(float(gaussian_mu(epsilon_f * factor, 1e-6)))
        assert one_run.tail_is_below(chance, by_f, 20_000, r_f, v_f) == refuted


def test_a_pure_claim_never_has_more_false_alarms_than_its_level():
    """Exactly, over the number of right guesses of randomised response, for one number of guesses fixed before."""
    for r, epsilon in ((20, 0.5), (100, 1.0), (300, 2.0)):
        right = np.arange(r + 1)
        refuted = np.array([one_run.tail_chance(PureDP(epsilon), r, r, int(v)) <= LEVEL for v in right])
        alarms = binom.pmf(right, r, 1 / (1 + np.exp(-epsilon)))[refuted].sum()
        assert 0.2 * LEVEL < alarms <= LEVEL


def test_the_wealth_of_a_true_claim_is_at_most_one_in_the_mean():
    """Exactly: at every number of guesses, the mean over randomised response of e^(log wealth)."""
    q = 1 / (1 + np.exp(-1.0))
    for r in (1, 5, 40):
        wealth = [np.exp(one_run.log_wealth(np.full(r, v), 1.0)[-1]) for v in range(r + 1)]  # at the last guess
        mean = float(binom.pmf(np.arange(r + 1), r, q) @ wealth)
        assert 0.5 < mean <= 1 + 1e-9


@pytest.mark.parametrize(
    ("true", "scores", "false", "nulls"),
    [
        (PureDP(1.0), responses(1 / (1 + np.exp(-1.0))), PureDP(0.6), 20),
        (ApproxDP(1.0, 1e-6), responses(1 / (1 + np.exp(-1.0))), ApproxDP(0.6, 1e-6), 4),
        (GaussianDP(1.0), gaussians(1.0), GaussianDP(0.2), 2),
        (ZCDP(0.5), gaussians(1.0), ZCDP(0.01), 1),
    ],
)
def test_a_true_claim_survives_and_a_false_one_is_refuted(true, scores, false, nulls):
    """More than 3 alarms of 20 have a chance of 0.016 at a level of exactly 0.05."""
    drawn = [canaries(rng("nulls", f"{true} {k}"), 600, scores) for k in range(nulls)]
    found = [audit_one_run(*each, true) for each in drawn]
    assert sum(one.verdict == one_run.REFUTED for one in found) <= 3
    for one in found:
        assert (one.lower >= one_run.parameter(true)[1]) == (one.verdict == one_run.REFUTED) == (one.p_value <= LEVEL)
    assert found[0].lower > 0.01
    assert audit_one_run(*drawn[0], false).verdict == one_run.REFUTED


def test_equal_scores_are_no_evidence():
    for claim in (PureDP(0.1), ApproxDP(0.1, 1e-6)):
        found = audit_one_run(np.ones(100), np.ones(100), claim)
        assert (found.verdict, found.lower < 1e-4, found.right <= found.guesses / 2) == ("INCONCLUSIVE", True, True)


def test_guesses_fixed_before_are_the_ones_that_count():
    a, b = np.arange(60.0) + 40, np.arange(60.0)
    found = audit_one_run(a, b, PureDP(1.0), guesses=40)
    assert (found.guesses, found.right, found.tried) == (40, 40, 1)
    assert found.p_value == pytest.approx((1 / (1 + np.exp(-1.0))) ** 40, rel=1e-6)
    shared = audit_one_run(a, b, PureDP(1.0), guesses=[40, 10])
    assert (shared.guesses, shared.p_value) == (40, pytest.approx(2 * found.p_value))
    assert "40 of 40 guesses of 120 canaries are right" in str(found)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1.0, np.nan], [0.0]), {}, "scores_in must be a 1-D array of numbers without NaN"),
        (([1.0], ["a"]), {}, "scores_out must be a 1-D array of numbers"),
        (([1.0], []), {}, "at least 2 scores together, got 1"),
        (([1.0], [0.0]), {"guesses": 3}, "guesses must be whole numbers between 1 and the 2 canaries, got 3"),
        (([1.0], [0.0]), {"guesses": []}, "guesses must be whole numbers"),
        (([1.0], [0.0]), {"level": 1.5}, "level must"),
    ],
)
def test_bad_input_gets_one_line(arguments, options, words):
    with pytest.raises(ValueError, match=words):
        audit_one_run(*(np.array(side) for side in arguments), PureDP(1.0), **options)
