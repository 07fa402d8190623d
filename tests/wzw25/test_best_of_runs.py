"""Private tuning: slow twins of the exact curves, dp-accounting as an oracle, the laws of Algorithm 4, bad input.

Statistical tests draw at a fixed seed; at a new one each fails with probability at most 1e-9 unless the code is wrong.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate, stats
from scipy.special import ndtr

from lemmata.bounds.exact import best_of_runs as balls, tuning_curves, winner_profile
from lemmata.bounds.wzw25 import best_of_runs as bounds, run_counts, winner as utility
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.instances.pairs.tuned_pairs import silent
from lemmata.mechanisms.learners.descent import private_tuning as laws
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.privacy import GaussianDP, gaussian_epsilon
from lemmata.mechanisms.selection import tnb

property_test = settings(derandomize=True, deadline=None, max_examples=12)


# (mu, r, delta): exact epsilon of score-only runs, worst run, sharp bound, profile bound, Lemma K.1
REFERENCE = {
    (0.1, 1 / 495, 1e-5): (0.479, 0.8597, 0.925, 1.103, 1.801),
    (0.5, 0.01, 1e-6): (2.708, 4.218, 4.411, 5.146, 9.480),
    (1.0, 0.1, 1e-6): (5.349, 6.903, 7.080, 7.974, 18.53),
    (0.3, 1e-3, 1e-3): (1.279, 2.548, 2.748, 3.228, 4.867),
}


# The worst run --------------------------------------------------------------------------------------------------------


def slow_worst_delta(epsilon, mu, r, eta):
    """The integral of the supremum, both on plain grids: from below, but for what a trapezoid misses."""
    s, x = np.linspace(-9, 9, 4001), np.linspace(-14 - mu, 9, 4001)
    value, image = ((r / (r + (1 - r) * ndtr(place))) ** (eta + 1) for place in (s, s + mu))
    scale = np.exp(epsilon + mu * x - mu**2 / 2)
    largest = np.array([max(0.0, 1 - c, (value - c * image).max()) for c in scale])
    return run_counts.mean(eta=eta, r=r) * np.trapezoid(largest * stats.norm.pdf(x), x)


@pytest.mark.parametrize(
    ("mu", "r", "delta", "eta"), [(0.1, 1 / 495, 1e-5, 1.0), (0.7, 0.02, 1e-4, -0.5), (3, 0.5, 0.01, 2)]
)
def test_the_worst_epsilon_is_that_of_the_integral(mu, r, delta, eta):
    epsilon = bounds.worst_epsilon(mu=mu, r=r, delta=delta, eta=eta)
    assert 0.93 * delta < slow_worst_delta(epsilon, mu, r, eta) <= delta * (1 + 1e-6)


@pytest.mark.parametrize(
    ("mu", "r", "eta"), [(0.1, 1 / 495, 1.0), (1e-7, 0.3, 0.0), (80.0, 1e-9, -0.9), (5, 0.9999, 6)]
)
def test_floats_and_balls_draw_the_same_chords(mu, r, eta):
    growth = tuning_curves.sharp_growth(mu, r)
    rough, sure = (
        winner_profile.chords(mu=mu, r=r, eta=eta, growth=growth, tails=tails)
        for tails in (winner_profile.float_tails, winner_profile.ball_tails)
    )
    assert np.allclose(rough.logs, sure.logs, rtol=1e-12) and (sure.weights >= 0).all()
    places = np.linspace(sure.logs[0] - 1, sure.logs[-1], 50)
    a, b = ((one.weights * np.maximum(0, -np.expm1(places[:, None] - one.logs))).sum(axis=1) for one in (rough, sure))
    assert np.allclose(a, b, rtol=1e-4, atol=1e-9)


# The accounts of Lemma K.1 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", REFERENCE)
def test_the_accounts_have_their_reference_values(point):
    runs = dict(zip(("mu", "r", "delta"), point, strict=True))
    accounts = (
        bounds.score_only_epsilon(**runs),
        bounds.worst_epsilon(**runs),
        bounds.sharp_epsilon(**runs),
        bounds.profile_epsilon(**runs),
        bounds.selection_epsilon(**runs),
    )
    assert accounts == pytest.approx(REFERENCE[point], rel=1e-3)
    assert accounts[-1] <= bounds.selection_epsilon_simple(**runs) <= 2 * accounts[-1]


@given(mu=st.floats(1e-3, 2), r=st.floats(1e-8, 0.99), delta=st.floats(1e-9, 0.5), eta=st.floats(-0.9, 5))
@property_test
def test_the_accounts_are_ordered(mu, r, delta, eta):
    runs = {"mu": mu, "r": r, "delta": delta, "eta": eta}
    sharp = bounds.sharp_epsilon(**runs)
    assert bounds.score_only_epsilon(**runs) <= bounds.worst_epsilon(**runs) * (1 + 1e-9) <= sharp * (1 + 2e-9)
    assert sharp <= bounds.profile_epsilon(**runs) * (1 + 1e-9)
    if eta == 1:
        assert sharp <= bounds.selection_epsilon(mu=mu, r=r, delta=delta)


@pytest.mark.parametrize(("mu", "r", "eta", "epsilon"), [(0.3, 1e-3, 1.0, 1.0), (0.5, 0.05, -0.5, 0.3), (1, 0.2, 3, 2)])
def test_the_curve_is_the_slow_integral(mu, r, eta, epsilon):
    """The twin integrates |density - e^epsilon density'|+ by a plain rule on a fine grid."""
    u = np.linspace(-14, 14, 400_001)

    def density(centre):
        s = 1 - (1 - r) * stats.norm.sf(u - centre)
        return stats.norm.pdf(u - centre) * run_counts.mean(eta=eta, r=r) * (r / s) ** (eta + 1)

    slow = max(integrate.trapezoid(np.maximum(density(0) - np.exp(epsilon) * density(m), 0), u) for m in (mu, -mu))
    assert integrate.trapezoid(density(0), u) == pytest.approx(1, abs=1e-9)
    assert bounds.score_only_delta(epsilon=epsilon, mu=mu, r=r, eta=eta) == pytest.approx(slow, rel=1e-6)


@pytest.mark.parametrize(
    ("mu", "r", "eta", "epsilon"), [(1e-6, 0.5, 1, 1e-6), (2.0, 1e-9, 1, 50.0), (1e-3, 1e-6, 3, 0.01)]
)
def test_enclosures_stay_quick_and_narrow_at_the_ends(mu, r, eta, epsilon):
    for shift in (mu, -mu):
        fast = balls.best_score_delta(eta, r, shift, epsilon)
        assert fast.overlaps(balls.best_score_delta_by_quadrature(eta, r, shift, epsilon))


def test_the_exact_curve_lies_below_the_renyi_account_of_dp_accounting():
    """An independent upper bound for the same selection, by Papernot & Steinke's theorem."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting import dp_event
        from dp_accounting.rdp import RdpAccountant

        mu, r, delta = 0.3, 1e-3, 1e-6
        event = dp_event.RepeatAndSelectDpEvent(dp_event.GaussianDpEvent(1 / mu), mean=1 / r, shape=1)
        rdp = RdpAccountant().compose(event).get_epsilon(delta)
    assert bounds.score_only_epsilon(mu=mu, r=r, delta=delta) < rdp < bounds.selection_epsilon(mu=mu, r=r, delta=delta)


def test_one_run_is_one_run():
    """As r -> 1 there is one run only, and every account but the printed ones meets the Gaussian curve."""
    mu, delta = 0.7, 1e-5
    exact = gaussian_epsilon(mu, delta)
    assert bounds.score_only_epsilon(mu=mu, r=1 - 1e-12, delta=delta) == pytest.approx(exact, rel=1e-9)
    assert bounds.sharp_epsilon(mu=mu, r=1 - 1e-12, delta=delta) == pytest.approx(exact, rel=1e-6)


@pytest.mark.slow
@given(
    epsilon=st.floats(0.01, 5),
    r=st.floats(1e-9, 0.9),
    delta=st.floats(1e-9, 0.1),
    eta=st.sampled_from([-0.5, 0.0, 1.0]),
)
@property_test
def test_calibration_inverts_the_account(epsilon, r, delta, eta):
    mu, promised = laws.budget(epsilon, delta, r=r, eta=eta, calibration="sharp")
    asked = bounds.worst_epsilon(mu=mu, r=r, delta=delta, eta=eta)
    assert promised.epsilon == epsilon
    assert (1 - 1e-6) * epsilon <= asked <= epsilon
    if eta == 1 and epsilon <= 12 * bounds.tail_at(r=r, delta=delta) ** 2:
        assert laws.budget(epsilon, delta, r=r)[0] < mu


# Lemma K.4: the law of K given Y, and the winner ----------------------------------------------------------------------


def slow_law(eta, r, size, longest=4000):
    """P(K = k | Y), k = 1, 2, ..., term by term."""
    k = np.arange(1, longest + 1)
    weight = run_counts.pmf(eta=eta, r=r, k=k) * (1 - (1 - 1 / size) ** k)
    return k, weight / weight.sum()


@pytest.mark.slow
@pytest.mark.parametrize("eta", [-0.9, -0.5, 0.0, 1.0, 3.0])
@pytest.mark.parametrize("size", [2, 5, 1000])
def test_the_law_given_drawn_is_the_slow_sum(eta, size):
    k, weight = slow_law(eta, 0.05, size)
    assert utility.runs_given_drawn(eta=eta, r=0.05, size=size) == pytest.approx(k @ weight, rel=1e-9)
    assert float(balls.runs_given_drawn(eta, 0.05, size)) == pytest.approx(k @ weight, rel=1e-9)
    z = np.linspace(-9, 9, 4001)
    chance = (weight[:, None] * ndtr(z) ** k[:, None]).sum(axis=0)  # P(max <= z | Y)
    mean = integrate.trapezoid((z > 0) - chance, z)
    assert float(balls.max_given_drawn(eta, 0.05, size)) == pytest.approx(mean, abs=3e-3)


@pytest.mark.statistical
@pytest.mark.parametrize(("eta", "r", "size", "gap"), [(1.0, 0.05, 4, 1.0), (-0.5, 0.01, 3, 1.5)])
def test_the_winners_excess_is_that_of_simulated_tunings(eta, r, size, gap):
    rng = np.random.default_rng(20251120)
    law = laws.PrivateSelectionLaw(gap * (np.arange(size) > 0), tnb.TruncatedNegativeBinomial(eta, r), 1.0, None)
    draws = 40_000
    hits = rng.multinomial(law.runs.sample(rng, draws), np.full(size, 1 / size))
    lowest = [[rng.normal(size=h).min() if h else np.inf for h in row] for row in hits[:4000]]
    lost = np.argmin(np.array(lowest) + law.scores, axis=1)[hits[:4000, 0] > 0] > 0
    expected = float(balls.winner_excess(eta, r, size, gap)) / gap
    assert stats.binomtest(int(lost.sum()), len(lost), expected).pvalue > 1e-9


# Algorithm 4 ----------------------------------------------------------------------------------------------------------


def both(scores, **setting):
    """Algorithm 4 with candidates that release nothing, and its twin, the selection law."""
    setting = {"sensitivity": 1.0, "epsilon": 1.0, "delta": 0.05, "r": 0.05} | setting
    return silent(scores, **setting), laws.selection_law(scores, **setting)


@pytest.mark.statistical
def test_runs_one_by_one_and_in_law_choose_alike():
    tuned, selection = both([0.0, 40.0, 80.0])
    expected = np.exp(selection.log_probabilities())
    assert expected.sum() == pytest.approx(1, abs=1e-12)
    for chosen in (
        tuned.sample(np.random.default_rng(1), 20_000)["index"],
        selection.sample(np.random.default_rng(2), 20_000),
    ):
        counts = np.bincount(chosen, minlength=3)
        assert stats.chisquare(counts, expected * counts.sum()).pvalue > 1e-9


@pytest.mark.statistical
def test_the_release_is_the_winners():
    """One candidate, score = release: the released value has the law of the minimum of K noisy-score draws."""
    tuned = laws.law(
        lambda mu: [gaussian.law([0.0], sensitivity=1.0, privacy=GaussianDP(mu))],
        score=lambda j, released: 1e6 * released[:, 0],  # the score's noise does not matter
        sensitivity=1.0,
        epsilon=1.0,
        delta=0.05,
        r=0.05,
    )
    released = tuned.sample(np.random.default_rng(3), 20_000)["release"][:, 0]
    uniform = tuning_curves.best_at_most(1.0, 0.05, ndtr(released / tuned.base[0].sigma))
    assert stats.kstest(uniform, "uniform").pvalue > 1e-9


def test_long_tunings_are_streamed(monkeypatch):
    """K far above the block size: best and release are carried across blocks."""
    tuned, _ = both([0.0, 1.0], r=1e-4)
    monkeypatch.setattr(laws, "ENTRIES", 512)
    drawn = tuned.sample(np.random.default_rng(4), 20)
    assert drawn["index"].shape == (20,) and set(drawn["index"]) <= {0, 1}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: laws.budget(1.0, 1.5, r=0.1), r"delta must be in \(0, 1\), got 1.5"),
        (lambda: laws.budget(-1.0, 0.5, r=0.1), r"epsilon must be in \[1e-100, 1e\+100\], got -1.0"),
        (lambda: laws.budget(1.0, 0.5, r=1.0), r"r must be in \(0, 1\), got 1.0"),
        (lambda: laws.budget(1e4, 0.5, r=0.1), r"epsilon must be in \(0, 24 log"),
        (lambda: laws.budget(1.0, 0.5, r=0.1, eta=0.0), r"eta must be 1 for the geometric.*, got 0\.0; use 'sharp'"),
        (
            lambda: laws.budget(1.0, 0.5, r=0.1, calibration="exact"),
            "calibration must be one of printed, sharp, got 'exact'",
        ),
        (
            lambda: laws.selection_law([np.nan], sensitivity=1, epsilon=1, delta=0.1, r=0.1),
            "scores must have finite entries only",
        ),
        (
            lambda: laws.law(lambda mu: [], score=None, sensitivity=1, epsilon=1, delta=0.1, r=0.1),
            "base must have at least one candidate",
        ),
        (
            lambda: laws.law(
                lambda mu: [gaussian.law([0.0], sensitivity=1, sigma=0.5 / mu)],
                score=None,
                sensitivity=1,
                epsilon=1,
                delta=0.1,
                r=0.1,
            ),
            r"base\[0\]\.privacy must be within its budget GaussianDP\(mu=0\.038832550148721334,",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_delta_that_floats_cannot_reach_is_left_undecided():
    """At 1e-12 the check once refuted Lemma K.1 by the rounding error of a sum."""
    registry.load(registry.find_modules("wzw25.lemK.1"))
    verdict = CLAIMS["wzw25.lemK.1/explicit/worst"].trial(mu=0.5, r=0.99, delta=1e-12, eta=1.0)
    assert (verdict.outcome, verdict.reason) == ("INCONCLUSIVE", "BUDGET")
