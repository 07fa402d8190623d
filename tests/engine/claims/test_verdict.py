"""The engine on its own nulls: it must stay quiet where a claim is exactly true, and see what is false.

"Row 28" is a kind of planted mistake (docs/how-a-claim-is-decided.md, "Planted mistakes").
"""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import expit
from scipy.stats import binom, norm

from lemmata.experiments.engine.claims import verdict as v
from lemmata.experiments.engine.claims.verdict import AttackDecider, MeanDecider, RateDecider, TailDecider
from lemmata.experiments.engine.running.power import miss_tail
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP
from tests.engine.toy import guessed


def stopped(chunks, make):
    """The verdict of a fresh decider over chunks, looking after each."""
    decider = make()
    for chunk in chunks:
        decider.add(chunk)
        if (outcome := v.conclude(*decider.log_e())) is not None:
            return outcome
    return None


@given(trials=st.integers(1, 200), beta=st.floats(0.1, 0.9), share=st.floats(0, 1))
def test_the_e_value_is_its_slow_twin(trials, beta, share):
    failures = round(share * trials)
    for odds in (v.HOLD_ODDS, v.REFUTE_ODDS):
        q = odds * beta / (1 - beta + odds * beta)
        with np.errstate(all="ignore"):
            slow = np.mean(np.exp(binom.logpmf(failures, trials, q) - binom.logpmf(failures, trials, beta)))
        fast = v.log_e_tail(trials, failures, beta, odds)
        assert np.isclose(fast, np.log(slow), rtol=1e-6, atol=1e-6) or slow == 0


@pytest.mark.parametrize("odds", [v.HOLD_ODDS, v.REFUTE_ODDS])
@pytest.mark.parametrize("beta", [0.01, 0.3])
def test_e_values_have_mean_at_most_one_at_the_boundary(beta, odds):
    """Exactly, over all counts: the definition of an e-value."""
    counts = np.arange(201)
    weights = binom.pmf(counts, 200, beta)
    values = np.exp([v.log_e_tail(200, int(k), beta, odds) for k in counts])
    assert np.isclose(weights @ values, 1, atol=1e-9)


def test_thresholds_are_rarely_crossed_at_the_boundary(rng):
    """p = beta exactly: crossing e >= 20 within 1,000 trials has probability at most 1/20 by Ville; miss 1e-9."""
    beta, runs = 0.1, 2000
    failures = np.cumsum(rng.random((runs, 1000)) < beta, axis=1)
    for odds in (v.HOLD_ODDS, v.REFUTE_ODDS):
        n = np.arange(1, 1001)
        q = (odds * beta / (1 - beta + odds * beta))[:, None, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            up = np.where(failures > 0, failures * np.log(q / beta), 0)
            ratios = up + (n - failures) * np.log((1 - q) / (1 - beta))
        crossed = (np.exp(ratios).mean(0) >= 20).any(axis=1).sum()
        assert crossed <= binom.isf(1e-9, runs, 1 / 20)


@pytest.mark.parametrize(("truth", "expected"), [(0.05, v.HOLDS), (0.2, v.REFUTED), (0.1, None)])
def test_a_true_a_false_and_an_exact_coin(truth, expected, rng):
    """At 4,000 trials a miss has probability at most 1e-8 (docs/how-a-claim-is-decided.md, "What a decision costs").

    The exact coin decides with probability 1e-6.
    """
    chunks = [TailDecider.pack(rng.random(500) < truth) for _ in range(8)]
    assert stopped(chunks, lambda: TailDecider(0.1)) == expected


def test_swapped_odds_would_be_caught():
    """Row 28: with the odds of the two processes swapped, a true coin would be REFUTED and a false one HOLD."""
    assert v.log_e_tail(1000, 50, 0.1, v.REFUTE_ODDS) < 0 < v.LOG_HOLD < v.log_e_tail(4000, 200, 0.1, v.HOLD_ODDS)
    assert v.log_e_tail(1000, 200, 0.1, v.HOLD_ODDS) < 0 < v.LOG_REFUTE < v.log_e_tail(1000, 200, 0.1, v.REFUTE_ODDS)


def test_a_t_interval_would_hold_what_the_engine_does_not(rng):
    """Row 28: Bernoulli(.001) with claimed mean .001, n = 1000. The t-interval falsely holds in about 37% of runs."""
    x = (rng.random((1000, 1000)) < 0.001).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (x.mean(1) - 0.001) / (x.std(1, ddof=1) / np.sqrt(1000))
    t_holds = (x.mean(1) == 0) | (t < norm.ppf(1e-3))
    engine = [stopped([MeanDecider.pack(row)], lambda: MeanDecider(0.001)) for row in x[:200]]
    assert t_holds.mean() > 0.3
    assert engine.count(v.HOLDS) == 0


def test_peeking_with_clopper_pearson_refutes_true_claims(rng):
    """Row 28: 200 looks at nominal 1% refute far more than 1% of true claims; the e-process at 1/100 does not."""
    runs, beta = 2000, 0.1
    failures = np.cumsum(rng.random((runs, 200, 10)) < beta, axis=2)[:, :, -1].cumsum(axis=1)
    n = 10 * np.arange(1, 201)
    clopper = (binom.sf(failures - 1, n, beta) <= 0.01).any(axis=1).mean()
    logs = np.array(
        [
            [v.log_e_tail(int(m), int(f), beta, v.REFUTE_ODDS) for m, f in zip(n, row, strict=True)]
            for row in failures[:300]
        ]
    )
    assert clopper > 0.04
    assert (logs >= np.log(100)).any(axis=1).mean() <= 0.04


def test_shared_randomness_needs_clusters(rng):
    """Row 31: P(fail | Phi) in {0, 1}, marginal exactly beta, 100 releases a Phi. Counted as trials they mislead."""
    beta, wrong, right = 0.1, [], []
    for _ in range(200):
        bad = rng.random(60) < beta
        wrong.append(stopped([TailDecider.pack(np.repeat(bad, 100))], lambda: TailDecider(beta)))
        right.append(stopped([MeanDecider.pack(bad.astype(float))], lambda: MeanDecider(beta)))
    assert wrong.count(v.REFUTED) + wrong.count(v.HOLDS) > 100
    assert right.count(v.REFUTED) + right.count(v.HOLDS) == 0


@pytest.mark.parametrize(("scale", "expected"), [(0.5, v.HOLDS), (2.0, v.REFUTED), (1.0, None)])
def test_means_are_decided(scale, expected, rng):
    chunks = [MeanDecider.pack(rng.random(1000) * 0.2 * scale) for _ in range(4)]
    assert stopped(chunks, lambda: MeanDecider(0.1)) == expected


def test_an_unbounded_mean_can_be_refuted_but_not_held(rng):
    chunks = [MeanDecider.pack(rng.exponential(0.01, 2000)) for _ in range(5)]
    assert stopped(chunks, lambda: MeanDecider(0.1, 0.0, np.inf)) is None
    chunks = [MeanDecider.pack(rng.exponential(0.2, 2000)) for _ in range(5)]
    assert stopped(chunks, lambda: MeanDecider(0.1, 0.0, np.inf)) == v.REFUTED


@pytest.mark.parametrize(
    "bound, value, message",
    [
        (0.5, 1.5, r"a trial must be at most high = 1\.0, got 1\.5"),
        (0.5, -0.5, r"a trial must be at least low = 0\.0, got -0\.5"),
        (1.0, 0.5, "bound"),
    ],
)
def test_values_outside_the_range_are_an_error(bound, value, message):
    with pytest.raises(ValueError, match=message):
        MeanDecider(bound).add({"values": np.array([value])})


@pytest.mark.parametrize(("exponent", "expected"), [(-1.0, v.HOLDS), (-0.5, v.REFUTED)])
def test_rates_are_decided_by_two_points(exponent, expected, rng):
    """Row 10: n^(-1/2) where n^(-0.9) is registered, over two decades."""
    r, tol = 100.0, 0.1
    x0, x1 = rng.exponential(1, 4000), rng.exponential(r**exponent, 4000)
    pairs = np.stack([np.minimum(x0, 8), np.minimum(x1, 8 * r**exponent)], axis=1)
    chunks = [RateDecider.pack(pairs[i : i + 500]) for i in range(0, 4000, 500)]
    assert stopped(chunks, lambda: RateDecider.between(r ** (-1 + tol), (8, 8 * r**exponent))) == expected


@pytest.mark.parametrize("claim", [PureDP(1.0), GaussianDP(1.0)], ids=str)
def test_attacks_find_half_the_noise_and_spare_the_honest(claim, rng):
    """Rows 11 and 12, with the exact hit rates: allowed at the claimed level, twice the level for half the noise."""

    def chunk(level):
        rate = expit(level) if isinstance(claim, PureDP) else norm.cdf(level / 2)
        right = int(rng.binomial(3000, rate))
        return guessed(claim, right, 3000 - right, 0)

    assert stopped([chunk(1.0) for _ in range(3)], lambda: AttackDecider(claim)) is None
    assert stopped([chunk(2.0)], lambda: AttackDecider(claim)) == v.REFUTED


@pytest.mark.parametrize("claim", [PureDP(40.0), GaussianDP(40.0)], ids=str)
def test_large_levels_stay_finite(claim):
    """At ten times epsilon = 40 the allowed hit rate is 1 in float64; the evidence is still a number."""
    decider = AttackDecider(claim)
    decider.add(guessed(claim, 5000, 0, 0))
    assert np.isfinite(decider.log_e()[1])
    assert 4 < decider.reached() < 40


@pytest.mark.parametrize(("delta", "verdict"), [(0.001, v.REFUTED), (0.02, None)])
def test_approximate_dp_counts_the_mass_above_the_ratio(delta, verdict):
    """An output that one dataset alone can give, with probability .01, refutes delta = .001."""
    decider = AttackDecider(ApproxDP(1.0, delta))
    decider.add(guessed(decider.claim, 200, 0, 40_000 - 200))
    assert v.conclude(*decider.log_e()) == verdict


@given(failures=st.integers(0, 50), trials=st.integers(50, 2000))
def test_the_interval_contains_the_observed_rate(failures, trials):
    low, high = TailDecider(0.1, trials=trials, failures=failures).interval()
    assert 0 <= low <= failures / trials <= high <= 1


def test_the_confidence_sequence_of_a_mean_covers(rng):
    covered = 0
    for _ in range(100):
        decider = MeanDecider(0.5)
        decider.add({"values": rng.beta(2, 6, 300)})
        low, high = decider.interval()
        covered += low <= 0.25 <= high
    assert covered >= 98


@pytest.mark.parametrize(
    ("trials", "beta", "truth", "expected"),
    [(3450, 0.1, 0.05, v.HOLDS), (2000, 0.1, 0.2, v.REFUTED), (640, 0.1, 0.01, v.HOLDS)],
)
def test_caps_of_the_table(trials, beta, truth, expected):
    assert miss_tail(trials, beta, truth, expected) <= 1e-8
    assert miss_tail(trials // 4, beta, truth, expected) > 1e-4


def test_the_interval_of_a_mean_nothing_speaks_about():
    """Before a trial it is the whole range; outcomes that never vary are enclosed, the ends included."""
    assert MeanDecider(0.5, -1.0, 2.0).interval() == (-1.0, 2.0)
    constant = MeanDecider(0.5)
    constant.add({"values": np.full(20_000, 0.5)})
    low, high = constant.interval()
    assert 0.499 < low < 0.5 < high < 0.501
    atop = MeanDecider(0.5)
    atop.add({"values": np.ones(50)})
    assert atop.interval()[1] == 1.0 and 0.5 < atop.interval()[0] < 1


@pytest.mark.parametrize("outcomes", [[1.0, 2.0], [[1.0], [2.0]], [[1.0, np.nan]], [[1.0, np.inf]]])
def test_a_rate_is_of_two_finite_columns_or_more(outcomes):
    with pytest.raises(ValueError, match=r"a rate trial must return finite numbers of shape \(size, points\)"):
        RateDecider.pack(outcomes)
    assert RateDecider.pack([[1, 2]])["values"].dtype == float


@pytest.mark.parametrize("place", range(1, len(stakes.tangents(GaussianDP(1.0)))))
def test_each_tangent_is_judged_by_its_own_guesses(place):
    """Against mu = 1 only the guesses at one tangent are too good: 300 right, none wrong, of 1,000."""
    claim = GaussianDP(1.0)
    decider = AttackDecider(claim)
    counts = np.zeros((1, len(stakes.tangents(claim)), stakes.CUTS, 3, 3), dtype=int)
    counts[..., 2] = 1000
    counts[:, place, :, 2] = 300, 0, 700
    decider.add(AttackDecider.pack(counts.reshape(1, -1, 3, 3)))
    _, delta = stakes.tangents(claim)[place]
    assert (decider.log_e()[1] > 2) == (delta < 0.3), (place, delta)
    assert decider.guesses() == {"right": 300, "wrong": 0, "abstain": 700}
