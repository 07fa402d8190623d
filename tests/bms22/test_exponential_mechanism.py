"""The exponential mechanism: a slow softmax twin and streams against arrays."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import softmax
from scipy.stats import chisquare

from lemmata.bounds.bms22 import definitions as bounds, exponential_mechanism
from lemmata.experiments.instances.laws.selections import UNIVERSE, empirical_risks, rare_candidate
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, LabelDP, PureDP
from lemmata.mechanisms.selection import exponential

SCORES = np.array([0.0, -1.0, -1.0, -3.0, 2.0, 1.5])
BUDGET = {"sensitivity": 0.5, "privacy": PureDP(1.3)}


def in_blocks(scores, size):
    """The same mechanism, its scores streamed `size` at a time."""
    return exponential.streamed_law(
        lambda: (scores[i : i + size] for i in range(0, len(scores), size)), candidates=len(scores), **BUDGET
    )


# The law --------------------------------------------------------------------------------------------------------------


@given(scores=arrays(float, st.integers(1, 30), elements=st.floats(-50, 50)), epsilon=st.floats(0.01, 20))
def test_probabilities_are_a_softmax(scores, epsilon):
    released = exponential.law(scores, sensitivity=2.0, privacy=PureDP(epsilon))
    np.testing.assert_allclose(np.exp(released.log_probabilities()), softmax(epsilon * scores / 4), atol=1e-12)
    assert released.log_density([-1, len(scores), 0.5]).tolist() == [-math.inf] * 3


@pytest.mark.parametrize("size", [1, 2, 4, 100])
def test_a_stream_is_the_same_law(size):
    np.testing.assert_allclose(
        in_blocks(SCORES, size).log_probabilities(), exponential.law(SCORES, **BUDGET).log_probabilities()
    )


@pytest.mark.statistical
@pytest.mark.parametrize("size", [1, 2, 100])
def test_releases_follow_the_law(size):
    """Chi-square of 50,000 releases at 1e-9, whatever the blocks; with a tilted law as the control."""
    released = in_blocks(SCORES, size)
    draws = released.sample(np.random.default_rng(TEST_ROOT), 50_000)
    counts = np.bincount(draws, minlength=len(SCORES))
    assert chisquare(counts, 50_000 * np.exp(released.log_probabilities())).pvalue > 1e-9
    wrong = softmax(1.1 * released.log_probabilities())
    assert chisquare(counts, 50_000 * wrong).pvalue < 1e-9


def test_a_million_candidates_stream_by():
    """The best of a million wins: the others weigh 1e6 e^-40 together."""
    blocks = [np.zeros(250_000) for _ in range(4)]
    blocks[2][7] = 40.0
    released = exponential.streamed_law(lambda: blocks, candidates=10**6, sensitivity=0.5, privacy=PureDP(1.0))
    assert set(released.sample(np.random.default_rng(0), 20).tolist()) == {500_007}
    assert released.log_density(np.array([500_007]))[0] == pytest.approx(0.0, abs=1e-10)


def test_extreme_scores_do_not_overflow():
    released = exponential.law([1e6, -1e6, 1e6], sensitivity=1e-3, privacy=PureDP(5.0))
    assert set(released.sample(np.random.default_rng(0), 100).tolist()) == {0, 2}
    assert np.exp(released.log_probabilities()) == pytest.approx([0.5, 0.0, 0.5])


def test_one_candidate_and_one_release():
    assert fit(exponential.law([3.0], **BUDGET), np.random.default_rng(0)) == 0
    assert exponential.law([3.0], **BUDGET).sample(np.random.default_rng(0)).shape == (1,)


@pytest.mark.parametrize(
    ("scores", "changed", "message"),
    [
        ([], {}, r"scores must have shape \(candidates,\) with at least one candidate, got \(0,\)"),
        ([[1.0]], {}, r"scores must have shape \(candidates,\) with at least one candidate, got \(1, 1\)"),
        ([math.nan], {}, "scores must have finite entries only"),
        ([1.0], {"sensitivity": 0.0}, r"sensitivity must be in \(0, inf\), got 0\.0"),
        ([1.0], {"privacy": ApproxDP(1.0, 1e-6)}, r"privacy must imply a PureDP, got ApproxDP\(epsilon=1\.0,"),
    ],
)
def test_bad_input_is_named(scores, changed, message):
    with pytest.raises(ValueError, match=message):
        exponential.law(scores, **(BUDGET | changed))


def test_label_privacy_is_passed_on():
    assert exponential.law([1.0], sensitivity=1.0, privacy=LabelDP(0.5)).privacy == PureDP(0.5, "label")


# Definitions ----------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), epsilon=st.floats(0, 2))
def test_divergences_over_all_events(seed, epsilon):
    p, q = np.random.default_rng(seed).dirichlet(np.ones(5), size=2)
    events = np.array(list(itertools.product((0, 1), repeat=5)))
    left, right = events @ p, events @ q
    both = max((left - math.exp(epsilon) * right).max(), (right - math.exp(epsilon) * left).max())
    assert bounds.smallest_delta(laws=[p, q], pairs=[(0, 1)], epsilon=epsilon) == pytest.approx(both)
    ratio = np.abs(np.log(left[1:]) - np.log(right[1:])).max()
    assert bounds.smallest_epsilon(laws=[p, q], pairs=[(0, 1)]) == pytest.approx(ratio)


def test_at_its_own_epsilon_a_law_needs_no_delta():
    scores, pairs = empirical_risks(2)
    laws = np.exp([exponential.law(q, sensitivity=0.5, privacy=PureDP(1.0)).log_probabilities() for q in scores])
    epsilon = bounds.smallest_epsilon(laws=laws, pairs=pairs)
    assert bounds.smallest_delta(laws=laws, pairs=pairs, epsilon=epsilon) == pytest.approx(0.0, abs=1e-15)
    assert bounds.smallest_delta(laws=laws, pairs=pairs, epsilon=epsilon - 0.01) > 1e-4
    assert epsilon <= 1.0


def test_label_pairs_keep_every_feature():
    datasets, pairs = exponential_mechanism.label_pairs(UNIVERSE, 2)
    assert len(datasets) == 16 and len(pairs) == 16
    for i, j in pairs:
        assert [UNIVERSE[r][0] for r in datasets[i]] == [UNIVERSE[r][0] for r in datasets[j]]


def test_label_privacy_does_not_imply_privacy():
    """A mechanism that publishes the features: perfect label privacy, none at all otherwise."""
    datasets, pairs = exponential_mechanism.replace_pairs(UNIVERSE, 1)
    _, labels = exponential_mechanism.label_pairs(UNIVERSE, 1)
    laws = np.array([[1.0, 0.0] if UNIVERSE[d[0]][0] else [0.0, 1.0] for d in datasets])
    assert bounds.smallest_label_delta(laws=laws, pairs=labels, epsilon=0.0) == 0.0
    assert bounds.smallest_delta(laws=laws, pairs=pairs, epsilon=5.0) == 1.0


# What the papers say of it --------------------------------------------------------------------------------------------


@given(scores=arrays(float, st.integers(1, 12), elements=st.floats(-3, 0)), excess=st.floats(0.1, 2))
def test_no_scores_are_worse_than_two_levels(scores, excess):
    released = np.exp(exponential.law(scores, sensitivity=0.3, privacy=PureDP(1.0)).log_probabilities())
    failure = released[scores < scores.max() - excess].sum()
    assert failure <= exponential_mechanism.two_level_failure(len(scores), excess, 1.0, 0.3) * (1 + 1e-9)


@given(epsilon=st.floats(0.01, 5), candidates=st.integers(2, 50))
def test_the_worst_log_ratio_is_below_epsilon(epsilon, candidates):
    before, after = (
        exponential.law(q, sensitivity=1.0, privacy=PureDP(epsilon)).log_density([0])[0]
        for q in rare_candidate(candidates)
    )
    assert after - before == pytest.approx(exponential_mechanism.worst_log_ratio(math.exp(before), epsilon))
    assert after - before < epsilon


def test_scores_are_cut_into_slices_that_neither_overlap_nor_leave_out():
    assert [part.tolist() for part in exponential._slices(np.arange(10), 4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
