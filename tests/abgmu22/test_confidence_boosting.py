"""Confidence boosting and report noisy max: slow twins of the laws, budgets, chunks, and what is enforced."""

import math
from functools import partial
from itertools import pairwise
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import quad
from scipy.stats import binom, chisquare, laplace, norm

from lemmata.bounds.abgmu22 import confidence_boosting as bounds
from lemmata.experiments.abgmu22.confidence_boosting import fixed_models
from lemmata.mechanisms.learners.glm import confidence_boosting, glm_output
from lemmata.mechanisms.learners.glm.glm_losses import records
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, to_gaussian_budget
from lemmata.mechanisms.selection import report_noisy_max

exactly = settings(derandomize=True, deadline=None, max_examples=30)
scores = arrays(float, st.integers(1, 6), elements=st.floats(-8, 8))
X, Y = np.ones((24, 1)), np.where(np.arange(24) % 3 == 0, -1.0, 1.0)
PARTS = {"candidates": 3, "loss": "squared", "loss_bound": 4.0, "label_bound": 1.0, "privacy": PureDP(1.0)}


def slow_law(q, scale):
    """P(index i has the largest noisy score), by adaptive quadrature of the definition."""

    def share(i):
        def density(x):
            others = [laplace.cdf(x - v, scale=scale) for j, v in enumerate(q) if j != i]
            return laplace.pdf(x - q[i], scale=scale) * np.prod(others)

        ends = [min(q) - 40 * scale, *sorted(q), max(q) + 40 * scale]
        return sum(quad(density, *gap)[0] for gap in pairwise(ends))

    return np.array([share(i) for i in range(len(q))])


@pytest.mark.slow
@exactly
@given(q=scores, scale=st.floats(0.5, 4))
def test_the_law_is_that_of_the_slow_twin(q, scale):
    law = report_noisy_max.law(q, sensitivity=1.0, scale=scale)
    np.testing.assert_allclose(np.exp(law.log_probabilities()), slow_law(q, scale), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("gap", [0.0, 1.0, 30.0, 79.0, 81.0, 700.0, 1e5])
def test_two_candidates_have_a_closed_form(gap):
    """P(the worse of two wins) = e^-g (1 + g/2) / 2, to 12 digits however far behind it is."""
    law = report_noisy_max.law([-gap, 0.0], sensitivity=1.0, scale=1.0).log_probabilities()
    assert law[0] == pytest.approx(math.log((1 + gap / 2) / 2) - gap, rel=1e-12)
    assert np.exp(law).sum() == pytest.approx(1.0, rel=1e-12)


def test_many_candidates_and_ties():
    law = report_noisy_max.law(np.zeros(60), sensitivity=1.0, scale=0.1).log_probabilities()
    assert law == pytest.approx(-math.log(60), rel=1e-11)


@pytest.mark.statistical
def test_choices_follow_the_law():
    """Chi-square of 50,000 releases at 1e-9; with the noise of a tenth more as the control."""
    q = np.array([0.0, 0.5, -1.0, 2.0])
    law, other = (report_noisy_max.law(q, sensitivity=1.0, scale=s) for s in (1.0, 1.1))
    counts = np.bincount(law.sample(np.random.default_rng(TEST_ROOT), 50_000), minlength=4)
    assert chisquare(counts, 50_000 * np.exp(law.log_probabilities())).pvalue > 1e-9
    assert chisquare(counts, 50_000 * np.exp(other.log_probabilities())).pvalue < 1e-9


def test_the_budget_of_the_noise_is_rounded_up():
    for epsilon, a in ((1.0, 0.1), (0.3, 7.0), (1e-3, 1 / 3)):
        law = report_noisy_max.law([0.0], sensitivity=a, privacy=PureDP(epsilon))
        assert 2 * a / law.scale <= epsilon <= 2 * a / law.scale * (1 + 1e-12)
        assert report_noisy_max.law([0.0], sensitivity=a, scale=law.scale).privacy.epsilon >= 2 * a / law.scale
    assert law.log_density([0, 1, -1, 0.5]).tolist()[1:] == [-math.inf] * 3


@pytest.mark.statistical
def test_releases_of_boosting_follow_the_exact_choice():
    """Three constant models: what `sample` releases against the law that `select` computes, at 1e-9."""
    weights = [1.0, -1.0, 0.5]
    law = confidence_boosting.law(X, Y, learner=fixed_models(*weights), **PARTS)
    drawn = law.sample(np.random.default_rng(TEST_ROOT), 50_000)[:, 0]
    counts = np.array([(drawn == w).sum() for w in weights])
    expected = np.exp(law.select(np.array(weights)[:, None]).log_probabilities())
    assert chisquare(counts, 50_000 * expected).pvalue > 1e-9
    assert chisquare(counts, 50_000 * expected[[0, 2, 1]]).pvalue < 1e-9


def test_the_choice_is_made_on_the_last_chunk_alone():
    law = confidence_boosting.law(X, Y, learner=fixed_models(1.0, -1.0, 0.5), **PARTS)
    assert len(law.data.X) == 6 and law.data.y.tolist() == Y[-6:].tolist()
    assert law.losses([[1.0], [-1.0]]).tolist() == [4 * 2 / 6, 4 * 4 / 6]


@pytest.mark.parametrize(("noise", "needed"), [(bounds.printed_scale, 0.05), (bounds.squared_scale, 0.09)])
def test_the_printed_noise_fails_where_only_the_chosen_model_is_seen(noise, needed):
    """n >= n_0, gamma = 1, Y^2 = H; A is r with probability 1/10, else -r, E exp(r^2) = 2. P(w is r), two datasets."""
    n, H, r = 6_000_000, 5e5, math.sqrt(math.log(2))
    assert n >= bounds.least_sample(1.0, 0.05, H, math.sqrt(H))
    sizes = {"n": n, "candidates": 5, "epsilon": 1.0, "loss_bound": 2 * H}
    moved = 2 * H * r**2 / (n / 6)  # H (w - y)^2/2 of y = r, -r is 0 or 2 H r^2

    def released(ahead, scale):
        total = 0.0
        for k in range(1, 6):
            law = report_noisy_max.law(np.append(np.full(k, ahead), np.zeros(5 - k)), sensitivity=1.0, scale=scale)
            total += binom.pmf(k, 5, 0.1) * np.exp(law.log_probabilities()[:k]).sum()
        return total

    scale, enough = noise(**sizes), bounds.chunk_scale(**sizes)
    assert released(moved, scale) - math.e * released(-moved, scale) > needed
    assert released(moved, enough) <= math.e * released(-moved, enough)


def test_losses_leave_the_range_of_gamma():
    """A Gaussian model with E exp(w^2) = 2, losses w^2/2: beyond H gamma^2 with a constant probability, not delta."""
    sizes = {"candidates": 5, "gamma": 1.0, "smoothness": 1.0, "label_bound": 0.0}
    sigma = math.sqrt(3 / 8)
    assert 2 * norm.sf(math.sqrt(2 * 1.0) / sigma) > 0.02
    for delta in (0.1, 1e-5):
        assert 5 * 2 * norm.sf(math.sqrt(2 * bounds.true_range(delta=delta, **sizes)) / sigma) <= delta


def test_every_record_is_in_one_chunk():
    sizes = dict(loss="squared", norm_bound=1.0, label_bound=1.0, radius=9.0)
    learner = Mock(side_effect=partial(glm_output.law, **sizes))
    numbered = (np.arange(23) / 3)[:, None]
    law = confidence_boosting.law(
        numbered, np.ones(23), learner=learner, **PARTS | {"privacy": ApproxDP(1.0, 1e-6), "radius": 9.0}
    )
    chunks = [asked.args[0] for asked in learner.call_args_list]
    assert [len(chunk) for chunk in chunks] == [5, 5, 5] and len(law.data.X) == len(law.data.y) == 8
    assert np.concatenate([*chunks, law.data.X]) == pytest.approx(numbered)


@pytest.mark.parametrize(
    ("calibration", "handed", "scale", "epsilon"),
    [
        ("tight", 1.0, 8 / 6, 1.0),
        ("printed", 0.5, 4 / math.sqrt(24), 8 / 6 * math.sqrt(24) / 4),
        ("squared", 0.5, 16 / 24, 2.0),
    ],
)
def test_budgets_of_the_calibrations(calibration, handed, scale, epsilon):
    """Those of the printed one are more than it was given, and reported."""
    learner = Mock(side_effect=fixed_models(1.0, 1.0, 1.0))
    law = confidence_boosting.law(X, Y, learner=learner, calibration=calibration, **PARTS)
    assert [asked.kwargs["privacy"].epsilon for asked in learner.call_args_list] == [handed] * 3
    assert law.scale == pytest.approx(scale, rel=1e-12) and law.privacy.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert law.privacy.epsilon >= law.selection.epsilon and law.privacy.delta == 0.0
    spends = {"privacy": to_gaussian_budget(ApproxDP(handed, 1e-6)), "loss": "squared"}
    asked = PARTS | {"privacy": ApproxDP(1.0, 1e-6), "calibration": calibration}
    gaussian = Mock(
        side_effect=lambda X, y, *, privacy: glm_output.law(X, y, norm_bound=1.0, label_bound=1.0, **spends)
    )
    law = confidence_boosting.law(X, Y, learner=gaussian, **asked)
    assert law.privacy.epsilon == pytest.approx(epsilon, rel=1e-9) and law.privacy.delta == 1e-6


def test_losses_are_clipped_whatever_the_learner_returns():
    law = confidence_boosting.law(X, Y, learner=fixed_models(1.0, 1.0, 1.0), **PARTS)
    wild = [[math.nan], [math.inf], [-math.inf], [1e300], [0.0]]
    assert law.losses(wild).tolist() == [1.0, 4.0, 4.0, 4.0, 1.0]
    assert law.losses(np.zeros((0, 1))).size == 0


def test_one_record_moves_the_means_as_far_as_the_noise_allows_for():
    parts = dict(loss="squared", label_bound=1.0)
    before, after = (records(np.ones((6, 1)), np.append(np.ones(5), y), **parts) for y in (1.0, -1.0))
    moved = after.mean_losses([[1.0]], 4.0) - before.mean_losses([[1.0]], 4.0)
    assert moved == pytest.approx(confidence_boosting.sensitivity(4.0, 6))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"candidates": 0}, "candidates must be an integer >= 1, got 0"),
        ({"candidates": 24}, r"candidates must be in \[1, n - 1\] = \[1, 23\], got 24"),
        ({"loss_bound": 0.0}, r"loss_bound must be in .*, got 0\.0"),
        ({"privacy": GaussianDP(1.0)}, "privacy must be a PureDP or an ApproxDP with epsilon > 0, got"),
        ({"privacy": ApproxDP(0.0, 1e-6)}, "privacy must be a PureDP or an ApproxDP with epsilon > 0, got"),
        ({"calibration": "loose"}, "calibration must be one of tight, printed, squared, got 'loose'"),
        ({"learner": 3}, "learner must be a function, got int"),
        ({"loss": "cubed"}, "loss must be one of half_squared, squared, squared_hinge, logistic,.*, got 'cubed'"),
        ({"privacy": PureDP(1.0, "label")}, "learner must have the neighbours of privacy ="),
        (
            {"learner": Mock(side_effect=[report_noisy_max.law([0.0], sensitivity=1.0, scale=s) for s in (3, 4, 5)])},
            "learner must have one guarantee for chunks of.*, got 3 different ones",
        ),
    ],
)
def test_bad_input_is_named(changed, message):
    with pytest.raises(ValueError, match=message):
        confidence_boosting.law(X, Y, **{"learner": fixed_models(1.0, 1.0, 1.0)} | PARTS | changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": []}, r"scores must have shape \(candidates,\) with at least one candidate, got \(0,\)"),
        ({"sensitivity": 0.0}, r"sensitivity must be in .*, got 0\.0"),
        ({"privacy": ApproxDP(1.0, 1e-6)}, r"privacy must imply a PureDP, got ApproxDP\(epsilon=1\.0,"),
        ({"scale": 1.0}, "exactly one of scale and privacy is required, got"),
        ({"privacy": None}, "exactly one of scale and privacy is required, got"),
    ],
)
def test_bad_scores_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        report_noisy_max.law(**{"scores": [0.0], "sensitivity": 1.0, "privacy": PureDP(1.0)} | changed)


@pytest.mark.parametrize("cap", [0.3, 1.0, 7.0])
def test_a_loss_counts_in_steps_of_which_the_cap_has_at_most_a_million(cap):
    """Whole numbers below the losses over the step, a power of two, so that sums are exact and as fine as promised."""
    data = records(X, Y, loss="squared", radius=1.0, label_bound=1.0)
    W = np.array([[0.1], [-0.2], [3.0]])
    sums, step, most = data.loss_steps(W, cap)
    losses = np.minimum((X @ W.T - Y[:, None]) ** 2, cap).sum(axis=0)
    assert math.frexp(step)[0] == 0.5 and 2**18 < cap / step <= most <= 2**20
    assert (sums == np.round(sums)).all() and (sums * step <= losses).all() and (losses - sums * step < 24 * step).all()
