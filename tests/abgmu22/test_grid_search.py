"""Private grid search: a slow twin, budgets in fractions, sensitivities by replacement, and what its words do."""

import math
from fractions import Fraction
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import chisquare

from lemmata.bounds.abgmu22 import generalized_exponential
from lemmata.experiments.instances.laws.grid_oracles import release, smallest_delta
from lemmata.mechanisms.learners.glm import grid_search
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_mu
from tests.abgmu22.test_generalized_exponential import slow_law

PRIVACY = ApproxDP(1.0, 1e-3)


def data(n=20, d=2, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, X @ np.arange(1, d + 1) / 2


def law(n=20, **changed):
    parameters = dict(privacy=PRIVACY, loss="half_squared", guesses=3, label_bound=1.0) | changed
    return grid_search.law(*data(n), **parameters)


@pytest.mark.parametrize("penalty", grid_search.PENALTIES)
@pytest.mark.parametrize("sensitivity", grid_search.SENSITIVITIES)
def test_the_selection_is_that_of_the_slow_twin(penalty, sensitivity):
    made = law(penalty=penalty, sensitivity=sensitivity)
    W = made.candidates(np.random.default_rng(1), 4)
    assert W.shape == (4, 4, 2) and (W[:, 0] == 0).all()
    scores = made.scores(W)
    for run in range(4):
        for j in range(1, 4):
            losses = [
                (w_x - y) ** 2 / 2 for w_x, y in zip(made.validation.X @ W[run, j], made.validation.y, strict=True)
            ]
            mean = sum(min(loss, made.caps[j - 1]) for loss in losses) / len(losses)
            assert scores[run, j] == pytest.approx(mean + made.penalties[j - 1], rel=1e-9)
        slow = slow_law(scores[run], made.sensitivities, 0.05 / 4, made.selection.epsilon)
        np.testing.assert_allclose(np.exp(made.log_probabilities(scores)[run]), slow, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("guesses", [1, 3, 7, 60])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_budgets_add_up_exactly(guesses, epsilon):
    privacy = ApproxDP(epsilon, 1e-5)
    run, selection, spent = grid_search.split_shares(privacy, guesses, "printed")
    assert guesses * Fraction(run.epsilon) + Fraction(selection.epsilon) <= Fraction(spent.epsilon) <= Fraction(epsilon)
    assert guesses * Fraction(run.delta) <= Fraction(spent.delta) <= Fraction(1e-5) / 2
    assert run.epsilon == pytest.approx(epsilon / (2 * guesses)) and selection == PureDP(selection.epsilon)
    run, selection, spent = grid_search.split_shares(privacy, guesses, "disjoint")
    assert isinstance(run, GaussianDP) and selection.epsilon == epsilon and spent == privacy
    one = grid_search.split_shares(privacy, 1, "disjoint")[0]
    assert guesses * Fraction(run.mu) ** 2 <= Fraction(one.mu) ** 2
    assert run.mu == pytest.approx(one.mu / math.sqrt(guesses), rel=1e-12)


def test_the_runs_of_the_base_get_their_share():
    made = law(accounting="printed")
    run, _, _ = grid_search.split_shares(PRIVACY, 3, "printed")
    for base, B in zip(made.bases, (2.0, 4.0, 8.0), strict=True):
        assert base.privacy.mu == gaussian_mu(run.epsilon, run.delta)
        assert np.linalg.norm(base.value) <= B


@pytest.mark.parametrize("base", ["output", "gd"])
def test_a_record_moves_a_score_by_no_more_than_its_sensitivity(base):
    """The worst replacement in the second half: from no loss to the cap, at the farthest candidates."""
    n = 10
    X, y = data(n)
    made = law(n, base=base, penalty="none")
    W = np.random.default_rng(2).normal(size=(50, 4, 2)) * 1e3
    W[:, 0] = 0
    for label in (-9.0, 9.0):
        other, labels = X.copy(), y.copy()
        other[-1], labels[-1] = [50.0, -50.0], label
        parameters = dict(privacy=PRIVACY, loss="half_squared", guesses=3, label_bound=1.0)
        twin = grid_search.law(other, labels, **parameters, base=base, penalty="none")
        moved = np.abs(made.scores(W) - twin.scores(W)).max(axis=0)
        assert (moved <= made.sensitivities * (1 + 1e-12)).all() and moved[0] == 0
        ratio = np.abs(made.log_probabilities(made.scores(W)) - made.log_probabilities(twin.scores(W))).max()
        assert ratio <= made.selection.epsilon
        np.testing.assert_array_equal(made.bases[0].sample(np.random.default_rng(0)),
                                      twin.bases[0].sample(np.random.default_rng(0)))  # fmt: skip


def test_the_sensitivity_is_reached():
    X, y = np.ones((4, 1)), np.zeros(4)
    parameters = dict(privacy=PRIVACY, loss="half_squared", guesses=1, label_bound=1.0, base="gd", penalty="none")
    W = np.array([[[0.0], [-2.0]]])
    scores = [grid_search.law(X, labels, **parameters).scores(W) for labels in (y, np.r_[0, 0, 0, 9.0])]
    cap = (1 + math.sqrt(0.5) * 2) ** 2
    assert scores[1][0, 1] - scores[0][0, 1] == pytest.approx((cap - 2.0) / 2)  # half of the losses are S2's two


def test_zero_has_the_public_score():
    """The square of ||Y||, which no record moves."""
    made = law(label_bound=3.0)
    assert made.scores(made.candidates(np.random.default_rng(0)))[0, 0] == 9.0 and made.sensitivities[0] == 0.0


def known(w, privacy):
    """A base law that always releases the same vector."""
    return SimpleNamespace(privacy=privacy, sample=lambda rng, size=1: np.full((size, 1), w))


@pytest.mark.statistical
def test_runs_choose_independently_as_the_exact_law_says():
    """Chi-square of 20,000 indices at 1e-9 for known candidates, and of pairs of neighbouring runs."""
    made = grid_search.law(
        np.ones((40, 1)), np.ones(40), privacy=ApproxDP(1.0, 1e-3), loss="half_squared", guesses=2, label_bound=1.0,
        base=lambda X, y, *, norm_bound, privacy, **_: known(0.4 * norm_bound, privacy), penalty="none",
    )  # fmt: skip
    drawn = made.sample(np.random.default_rng(TEST_ROOT), 20_000)["index"]
    law_of = np.exp(made.log_probabilities(made.scores(made.candidates(np.random.default_rng(0))))[0])
    assert law_of.min() > 1e-3
    assert chisquare(np.bincount(drawn, minlength=3), 20_000 * law_of).pvalue > 1e-9
    pairs = np.bincount(3 * drawn[::2] + drawn[1::2], minlength=9)
    assert chisquare(pairs, 10_000 * np.outer(law_of, law_of).ravel()).pvalue > 1e-9


def test_losses_are_clipped_where_the_noise_reaches():
    """Delta_j belongs to the ball of radius B_j + q sigma_j, q^2 = 2 log(4 K n/beta)."""
    made = law(guesses=2, beta=0.1)
    for cap, base, B in zip(made.caps, made.bases, (2.0, 4.0), strict=True):
        reach = B + base.sigma * math.sqrt(2 * math.log(4 * 2 * 20 / 0.1))
        assert cap == pytest.approx((1 + math.sqrt(0.5) * reach) ** 2)
    assert law(base="gd", guesses=1).caps[0] == pytest.approx((1 + math.sqrt(0.5) * 2) ** 2)


def test_printed_sensitivities_select_nothing_but_zero():
    printed, average = (law(4000, sensitivity=word, penalty="none").sample(np.random.default_rng(0), 500)["index"]
                        for word in grid_search.SENSITIVITIES)  # fmt: skip
    assert (printed == 0).mean() > 0.95 and (average == 0).mean() < 0.1


def test_halves_are_cut_where_no_data_say():
    made = law(7)
    X = data(7)[0]
    clipped = X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))
    np.testing.assert_allclose(made.validation.X, clipped[3:])


def test_a_sensitivity_of_ones_own_is_checked():
    assert law(sensitivity=lambda j: 1e6 * j).sensitivities.tolist() == [0.0, 1e6, 2e6, 3e6]
    with pytest.raises(ValueError, match=r"sensitivity must be at least.*, got \[0\.001, 0\.001, 0\.001\]"):
        law(sensitivity=lambda j: 1e-3)


def test_a_base_of_ones_own_is_called_for_every_guess():
    base = Mock(side_effect=lambda X, y, **asked: grid_search.BASES["gd"](X, y, **asked, steps=2))
    law(base=base, accounting="printed")
    calls = [(len(X), asked["norm_bound"], asked["privacy"].epsilon <= 1 / 6) for (X, _), asked in base.call_args_list]
    assert calls == [(10, 2.0, True), (10, 4.0, True), (10, 8.0, True)]


def test_two_bits_in_two_halves_spend_half_of_the_sum():
    """Finite releases: (epsilon/2, delta/2) is enough, and nine tenths of it is not."""
    laws = {bits: release(bits, guesses=1, epsilon=1.0, delta=0.02) for bits in ((0, 0), (1, 0), (0, 1))}
    assert smallest_delta(laws[0, 0], laws[1, 0], 0.5) <= 0.01 * (1 + 1e-9)
    assert smallest_delta(laws[0, 0], laws[1, 0], 0.45) > 0.01
    assert smallest_delta(laws[0, 0], laws[0, 1], 0.5) <= 0.01


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"guesses": 0}, "guesses must be an integer >= 1, got 0"),
        ({"guesses": 61}, r"guesses must be in \[1, 60\], got 61"),
        ({"privacy": PureDP(1.0)}, r"privacy must be an ApproxDP with delta in \(0, 1\) for replaced records, got"),
        ({"privacy": ApproxDP(1.0, 1e-5, "add/remove")}, r"privacy must be an ApproxDP with delta in \(0, 1\) for"),
        ({"base": "sgd"}, "base must be one of output, gd or a function, got 'sgd'"),
        ({"penalty": "some"}, "penalty must be one of printed, corrected, none, got 'some'"),
        ({"sensitivity": "exact"}, "sensitivity must be one of printed, average, got 'exact'"),
        ({"accounting": "none"}, "accounting must be one of printed, disjoint, got 'none'"),
        ({"n": 1}, "X must have at least 2 rows, got 1"),
    ],
)
def test_bad_input_is_named(changed, message):
    with pytest.raises(ValueError, match=message):
        law(**changed)


def test_no_weights_of_a_learner_tell_of_a_record():
    """Infinite weights: inf times 0 is no number, and the choice must not show which record had the 0."""

    chosen = []
    for last in (0.5, 0.0):
        X = np.append(np.full(39, 0.5), last)[:, None]
        settings = dict(privacy=ApproxDP(1.0, 1e-5), loss="squared_hinge", guesses=2)
        released = grid_search.law(
            X, np.ones(40), base=lambda X, y, *, privacy, **_: known(np.inf, privacy), **settings
        )
        chosen.append(released.log_probabilities(released.scores(released.candidates(np.random.default_rng(0))))[0])
    assert np.isfinite(chosen).all() and np.abs(chosen[0] - chosen[1]).max() <= 0.5


@pytest.mark.parametrize("guesses", [1, 3, 6])
def test_disjoint_halves_give_the_selection_all_that_few_candidates_can_spend(guesses):
    """The printed accounting keeps the printed weights."""
    assert law(guesses=guesses).rate == PRIVACY.epsilon / 4
    rate = law(guesses=guesses, accounting="disjoint").rate
    spent = generalized_exponential.spent_among(theta=rate, candidates=guesses + 1)
    assert spent == pytest.approx(PRIVACY.epsilon, rel=1e-9) and spent <= PRIVACY.epsilon
