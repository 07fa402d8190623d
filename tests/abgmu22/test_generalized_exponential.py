"""The generalized exponential mechanism: a slow twin of the law, its invariances, and an attack on what it is not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import brentq
from scipy.special import softmax
from scipy.stats import chisquare

from lemmata.bounds.abgmu22 import generalized_exponential as bounds
from lemmata.bounds.exact.few_candidates import affordable_rate
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.instances.pairs.selection_pairs import rare_choice
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, LabelDP, PureDP
from lemmata.mechanisms.selection import exponential, generalized_exponential

exactly = settings(derandomize=True, deadline=None, max_examples=50)
scores = arrays(float, st.integers(1, 12), elements=st.floats(-5, 5))


def slow_law(q, gamma, beta, epsilon):
    """Raskhodnikova & Smith, line by line."""
    t = 2 * math.log(len(q) / beta) / epsilon
    s = []
    for i in range(len(q)):
        terms = [0.0]
        for j in range(len(q)):
            if j != i:
                terms.append(((q[i] + t * gamma[i]) - (q[j] + t * gamma[j])) / (gamma[i] + gamma[j]))
        s.append(max(terms))
    return softmax(-epsilon * np.array(s) / 2)


@exactly
@given(q=scores, seed=st.integers(0, 10**6), epsilon=st.floats(0.05, 10), beta=st.floats(1e-6, 0.9))
def test_the_law_is_that_of_the_slow_twin(q, seed, epsilon, beta):
    gamma = 10 ** np.random.default_rng(seed).uniform(-3, 2, size=len(q))
    log_p = generalized_exponential.law(q, gamma, beta=beta, privacy=PureDP(epsilon)).log_probabilities()
    np.testing.assert_allclose(np.exp(log_p), slow_law(q, gamma, beta, epsilon), rtol=1e-9, atol=1e-12)


@exactly
@given(q=scores, scale=st.floats(0.1, 10))
def test_equal_sensitivities_are_an_exponential_mechanism_at_half_the_budget(q, scale):
    log_p = generalized_exponential.law(q, np.full(len(q), scale), beta=0.1, privacy=PureDP(1.0)).log_probabilities()
    twin = exponential.law(-q, sensitivity=scale, privacy=PureDP(0.5)).log_probabilities()
    np.testing.assert_allclose(log_p, twin, atol=1e-10)


@exactly
@given(q=scores, shift=st.floats(-3, 3), stretch=st.floats(0.5, 4))
def test_shifts_and_units_of_the_scores_do_not_matter(q, shift, stretch):
    gamma = np.linspace(0.1, 2, len(q))
    before, after = (
        generalized_exponential.law(stretch**k * q + shift * k, stretch**k * gamma, beta=0.1, privacy=PureDP(1.0))
        for k in (0, 1)
    )
    np.testing.assert_allclose(before.log_probabilities(), after.log_probabilities(), atol=1e-8)


def test_blocks_of_the_normalisation_make_no_difference(monkeypatch, rng):
    parameters = {"scores": rng.normal(size=50), "sensitivities": rng.uniform(size=50), "t": 3.0}
    whole = bounds.normalised_scores(**parameters)
    monkeypatch.setattr(bounds, "BLOCK", 1)
    np.testing.assert_array_equal(bounds.normalised_scores(**parameters), whole)


def test_public_scores_take_part_and_only_the_best_of_them():
    """Sensitivity 0 is the limit of small ones."""
    q, gamma = np.array([1.0, 2.0, 1.0, 0.5]), np.array([0.0, 0.0, 0.0, 0.3])
    p = np.exp(generalized_exponential.law(q, gamma, beta=0.1, privacy=PureDP(1.0)).log_probabilities())
    limit = slow_law(q, np.maximum(gamma, 1e-9), 0.1, 1.0)
    np.testing.assert_allclose(p, limit, atol=1e-6)
    assert p[1] == 0.0 and p[0] == p[2]
    drawn = generalized_exponential.law(q, gamma, beta=0.1, privacy=PureDP(1.0)).sample(np.random.default_rng(0), 1000)
    assert set(drawn.tolist()) == {0, 2, 3}


@pytest.mark.statistical
def test_releases_follow_the_law():
    """Chi-square of 50,000 releases at 1e-9; with a tilted law as the control."""
    q, gamma = np.array([0.0, 1.0, 0.2, 3.0]), np.array([1.0, 0.1, 0.4, 2.0])
    chosen = generalized_exponential.law(q, gamma, beta=0.1, privacy=PureDP(2.0))
    counts = np.bincount(chosen.sample(np.random.default_rng(TEST_ROOT), 50_000), minlength=4)
    assert chisquare(counts, 50_000 * np.exp(chosen.log_probabilities())).pvalue > 1e-9
    assert chisquare(counts, 50_000 * softmax(1.1 * chosen.log_probabilities())).pvalue < 1e-9


def test_densities_of_what_is_no_candidate():
    chosen = generalized_exponential.law([0.0, 1.0], [1.0, 1.0], beta=0.1, privacy=LabelDP(1.0))
    assert chosen.log_density([-1, 2, 0.5]).tolist() == [-math.inf] * 3
    assert chosen.privacy == PureDP(1.0, "label")


@pytest.mark.parametrize("candidates", [1, 2, 11, 300])
@pytest.mark.parametrize("beta", [0.3, 1e-6, 1e-12])
def test_the_accuracy_is_kept_or_refused_at_every_epsilon(candidates, beta):
    """Below about 1e-10 the grid of 53 bits is coarse beside the sensitivity, which lost up to 369 beta."""
    refused = 0
    for k in range(5, 13):
        loss = 4 * 0.01 * math.log(candidates / beta) * 10**k * (1 + 2**-20)
        scores, privacy = [0.0] + [loss] * (candidates - 1), PureDP(10.0**-k)
        try:
            chosen = generalized_exponential.law(scores, [0.01] * candidates, privacy=privacy, beta=beta)
        except ValueError as error:
            assert str(error).startswith("epsilon must be at least ")
            refused += 1
        else:
            assert np.exp(chosen.log_probabilities()[1:]).sum() <= beta and not refused
    assert refused < 6 and (refused > 0) == (candidates > 2 or (candidates == 2 and beta < 0.1))


def test_extreme_scores_and_one_candidate():
    chosen = generalized_exponential.law([1e9, 0.0, 0.0], [1e-6, 1e6, 1e-6], beta=1e-9, privacy=PureDP(50.0))
    assert np.exp(chosen.log_probabilities()) == pytest.approx([0.0, 1e-9 / 3, 1.0], rel=1e-6, abs=1e-15)
    assert generalized_exponential.law([7.0], [1.0], beta=0.5, privacy=PureDP(1.0)).sample(
        np.random.default_rng(0)
    ).tolist() == [0]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": []}, r"scores must have shape \(candidates,\) with at least one candidate, got \(0,\)"),
        ({"scores": [[1.0, 2.0]]}, r"scores must have shape \(candidates,\) with at least one.*, got \(1, 2\)"),
        ({"scores": [math.nan, 1.0]}, "scores must have finite entries only"),
        ({"sensitivities": [1.0]}, r"sensitivities must have the shape \(2,\) of the scores, got \(1,\)"),
        ({"sensitivities": [1.0, -0.1]}, r"sensitivities = \[1\.0, -0\.1\] has entries outside \[0, inf\)"),
        ({"sensitivities": [1.0, math.inf]}, r"outside \[0, inf\)"),
        ({"sensitivities": [1.0, math.nan]}, r"outside \[0, inf\)"),
        ({"beta": 0.0}, r"beta must be in \(0, 1\), got 0\.0"),
        ({"beta": 1.0}, r"beta must be in \(0, 1\), got 1\.0"),
        ({"privacy": ApproxDP(1.0, 1e-6)}, r"privacy must imply a PureDP, got ApproxDP\(epsilon=1\.0,"),
    ],
)
def test_bad_input_is_named(changed, message):
    parameters = {"scores": [0.0, 1.0], "sensitivities": [1.0, 1.0], "beta": 0.1, "privacy": PureDP(1.0)} | changed
    with pytest.raises(ValueError, match=message):
        generalized_exponential.law(parameters.pop("scores"), parameters.pop("sensitivities"), **parameters)


@pytest.mark.statistical
def test_a_mechanism_that_forgets_to_normalise_is_refuted_by_attack():
    """Weights exp(-epsilon q / 4 Delta_max) over raw scores are fine; with the smallest Delta they are not."""
    before, after, gamma = rare_choice(20, epsilon=1.0, beta=0.05, rare=3, reference=0.2)
    for scale, caught in ((gamma.max(), False), (gamma.min(), True)):
        pair = [exponential.law(-q, sensitivity=2 * scale, privacy=PureDP(1.0)) for q in (after, before)]
        assert (audit(*pair, PureDP(1.0), root=TEST_ROOT, budget=40_000).verdict == REFUTED) is caught


# The exact account for N candidates -----------------------------------------------------------------------------------


@given(epsilon=st.floats(1e-9, 600), candidates=st.integers(2, 10**7))
@exactly
def test_the_rate_spends_epsilon_and_no_more(epsilon, candidates):
    rate = affordable_rate(epsilon=epsilon, candidates=candidates)
    assert epsilon / 2 * (1 - 1e-9) <= rate <= epsilon
    spent = bounds.spent_among(theta=rate, candidates=candidates)
    assert (1 - 3e-4) * epsilon <= spent <= epsilon


@pytest.mark.parametrize("epsilon", [1e-3, 0.7, 30.0])
@pytest.mark.parametrize("candidates", [2, 3, 7])
def test_the_quadratic_has_the_root_that_bisection_finds(candidates, epsilon):
    ends = epsilon / 3, epsilon * 2
    root = brentq(lambda t, e=epsilon: bounds.spent_among(theta=t, candidates=candidates) - e, *ends)
    assert affordable_rate(epsilon=epsilon, candidates=candidates) == pytest.approx(root, rel=1e-8)
