"""What `fit` returns with its defaults: a learner that works, and a release that tells nothing beside its budget.

Seeds are fixed and thresholds wide: at twenty others (five for the slowest) no accuracy here missed its threshold.
"""

from dataclasses import replace
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest
from flint import ctx

from lemmata import AdaptiveMargin, ApproxDP, GaussianDP, NoisyGD, ProjectedGD, TunedMargin
from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.wzw25.algorithms import margin_grid
from lemmata.bounds.wzw25.tuned_margin import repetition_r
from lemmata.experiments.data import load
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.descent import adaptive_margin, private_tuning, projected_gd
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.numerics.arithmetic import certified_delta
from lemmata.mechanisms.selection import generalized_exponential, tuning_budget
from tests.wzw25.test_best_of_runs import slow_worst_delta

KINDS = [AdaptiveMargin, TunedMargin]
MARGIN = 0.9


def planted(n, d, seed):
    """Unit rows with margin 0.9 along the first axis and random elsewhere; both classes."""
    random = np.random.default_rng(seed)
    y = random.choice([-1.0, 1.0], n)
    Z = random.normal(size=(n, d - 1))
    Z *= np.sqrt(1 - MARGIN**2) / np.linalg.norm(Z, axis=1, keepdims=True)
    return np.column_stack([MARGIN * y, Z]), y


def released(kind, X, y, seed=0, **asked):
    """The model that a fit of an estimator releases."""
    return kind(classes=(-1, 1), random_state=np.random.default_rng(seed), **asked).fit(X, y).model_


def accuracy(kind, X, y, fresh, labels, seeds=4, **asked):
    """Mean accuracy on fresh points."""
    models = [released(kind, X, y, seed, **asked) for seed in range(seeds)]
    return np.mean([(model.predict(fresh) == labels).mean() for model in models])


# It learns ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d", "epsilon"), [(300, 784, 1.0), (150, 30, 0.5)])
def test_one_step_is_enough_to_learn_a_wide_margin(kind, n, d, epsilon):
    """T = 1 at every margin: the average of the iterates is w_0 = 0, and the strict loss finds no error in it."""
    assert accuracy(kind, *planted(n, d, 1), *planted(500, d, 2), epsilon=epsilon) > 0.95


@pytest.mark.parametrize("kind", KINDS)
def test_projected_data_are_learned(kind):
    """k < d at the widest margins."""
    assert accuracy(kind, *planted(700, 2000, 1), *planted(300, 2000, 2), epsilon=1.0, seeds=1) > 0.95


@pytest.mark.parametrize(("kind", "least"), [(AdaptiveMargin, 0.7), (TunedMargin, 0.8)], ids=["adaptive", "tuned"])
def test_real_data_are_learned(kind, least):
    """Breast cancer at epsilon 1, of which 63 in 100 are benign: 0.86 and 0.89 are usual."""
    X, y = load("breast_cancer")
    held_out = np.arange(len(X)) % 4 == 0
    assert accuracy(kind, X[~held_out], y[~held_out], X[held_out], y[held_out], epsilon=1.0) > least


def test_the_printed_algorithm_is_there_by_name():
    """Averages of one step, strict loss: what is released is 0, whatever the data are."""
    X, y = planted(150, 30, 1)
    printed = adaptive_margin.law(X, y, privacy=ApproxDP(0.5, 1e-5), noise="exact")
    assert not fit(printed, np.random.default_rng(0)).weights.any()
    law = adaptive_margin.law(X, y, privacy=ApproxDP(0.5, 1e-5))
    assert all(run.descent.steps == 1 for run in law.candidates) and law.ties == "right"
    assert not law.sample(np.random.default_rng(0), 3)["weights"].any()


@pytest.mark.parametrize("kind", [NoisyGD, ProjectedGD])
def test_gradient_descent_releases_its_one_step(kind):
    X, y = planted(20, 30, 1)
    assert released(kind, X, y, epsilon=0.5, width=0.3, steps="balanced").weights.any()


# Ties -----------------------------------------------------------------------------------------------------------------


def test_ties_are_errors_if_asked():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [-1.0, 0.0]]), np.ones(4)
    run = projected_gd.law(X, y, privacy=GaussianDP(1.0), width=0.3)
    W = [[0.0, 0.0], [1.0, 0.0]]
    assert run.errors(W).tolist() == [0, 1] and run.errors(W, ties="wrong").tolist() == [4, 3]
    with pytest.raises(ValueError, match="ties must be one of wrong, right, got 'half'"):
        run.errors(W, ties="half")


def test_a_score_that_counts_ties_moves_by_one(rng):
    """For every w, zero included, and any replacement of one record."""
    W = np.vstack([np.zeros(3), np.eye(3), rng.normal(size=(20, 3))])
    for _ in range(50):
        X, y = rng.choice([-0.5, 0.0, 0.5], size=(5, 3)), rng.choice([-1.0, 1.0], size=5)
        other, labels = X.copy(), y.copy()
        other[0], labels[0] = rng.choice([-0.5, 0.0, 0.5], size=3), rng.choice([-1.0, 1.0])
        pair = [projected_gd.law(*data, privacy=GaussianDP(1.0), width=0.3) for data in ((X, y), (other, labels))]
        a, b = (run.errors(W, ties="wrong") for run in pair)
        assert np.abs(a - b).max() <= 1


@pytest.mark.parametrize("ties, errors", [("right", 0), ("wrong", 8)])
def test_ties_reach_the_scores(ties, errors):
    """The white box shows the score of w = 0."""
    X, y = planted(8, 2, 1)
    law = adaptive_margin.law(X, y, privacy=ApproxDP(1.0, 1e-5), steps=1, ties=ties, white_box=True)
    assert (law.means(law.sample(np.random.default_rng(0))) == errors).all()


@pytest.mark.parametrize(("ties", "winner"), [("right", 0), ("wrong", 1)])
def test_the_strict_loss_prefers_the_run_that_returns_nothing(ties, winner):
    """Two runs of one step, the average and the last iterate, and no noise in the scores."""
    X, y = planted(8, 2, 1)
    asked = dict(privacy=ApproxDP(1.0, 1e-5), steps=1, ties=ties)
    average, last = (adaptive_margin.law(X, y, output=output, **asked) for output in ("average", "last"))
    law = replace(average, candidates=(average.candidates[0], last.candidates[0]), sigma=0.0)
    index = law.sample(np.random.default_rng(1), 50)["index"]
    assert (index == winner).mean() > 0.5  # a noisy last iterate is sometimes all wrong, or all right


# Nothing beside the budget is spent or told ---------------------------------------------------------------------------


@pytest.mark.parametrize("defaults", [{}, dict(output="last", stride="decaying", ties="wrong")])
def test_runs_and_scores_spend_no_more_than_the_budget(defaults):
    """In fractions: T (Delta / sigma)^2 for every run and 1 / sigma^2 for every score."""
    X, y = planted(30, 4, 1)
    law = adaptive_margin.law(X, y, privacy=ApproxDP(1.0, 1e-5), **defaults)
    runs = [run.descent for run in law.candidates]
    spent = sum(run.steps * (2 / Fraction(run.width) / Fraction(run.sigma)) ** 2 for run in runs)
    total = spent + len(runs) / Fraction(law.sigma) ** 2
    assert (1 - Fraction(1, 10**12)) * Fraction(law.gdp.mu) ** 2 < total <= Fraction(law.gdp.mu) ** 2
    assert certified_delta(1.0, law.gdp.mu) <= 1e-5


def test_the_output_is_a_function_of_the_iterates():
    """The last iterate of the release is the last of the white box: same stream, same run."""
    X, y = planted(9, 3, 1)
    shared = dict(privacy=ApproxDP(3.0, 1e-5), steps=4, stride="decaying", output="last", ties="wrong")
    seen = adaptive_margin.law(X, y, white_box=True, **shared)
    iterates = seen.sample(np.random.default_rng(0))
    runs = [replaced.descent for replaced in adaptive_margin.law(X, y, **shared).candidates]
    assert seen.outputs(iterates)[0] == pytest.approx(runs[0].sample(np.random.default_rng(0)))


@pytest.mark.parametrize("eta", [-0.5, 0.0, 1.0, 2.0])
@pytest.mark.parametrize(("epsilon", "delta", "r"), [(1.0, 1e-5, 5e-3), (0.1, 1e-8, 1e-6), (8.0, 0.01, 0.4)])
def test_the_sharp_budget_is_what_the_worst_run_allows(epsilon, delta, r, eta):
    """The worst curve by an integral of its own, on plain grids: below delta, and hardly more budget is beyond it."""
    mu, promised = private_tuning.budget(epsilon, delta, r=r, eta=eta, calibration="sharp")
    assert promised == ApproxDP(epsilon, delta)
    assert slow_worst_delta(epsilon, mu, r, eta) <= delta < slow_worst_delta(epsilon, mu * 1.01, r, eta)


@pytest.mark.parametrize("eta", [-0.5, 1.0])
def test_the_certificate_refuses_what_is_above_the_worst_budget(eta):
    mu, _ = private_tuning.budget(1.0, 1e-5, r=0.01, eta=eta, calibration="sharp")
    assert tuning_budget._sharp_holds(mu, 1.0, 1e-5, 0.01, eta)
    assert not tuning_budget._sharp_holds(mu * (1 + 1e-6), 1.0, 1e-5, 0.01, eta)


@pytest.mark.parametrize(("epsilon", "delta", "r"), [(1.0, 1e-5, 5e-3), (0.3, 1e-9, 1e-7), (3.0, 0.1, 0.3)])
def test_the_printed_budget_is_rounded_down(epsilon, delta, r):
    mu, _ = private_tuning.budget(epsilon, delta, r=r)
    with ctx.workprec(256):
        spent = 6 * exact(mu) * (-2 * (exact(r) * exact(delta)).log()).sqrt()
        assert spent <= exact(epsilon) and spent >= exact(epsilon) * (1 - exact(1e-14))


def test_a_candidate_one_bit_over_its_budget_or_with_other_neighbours_is_refused():
    def base(extra, neighbours="replace"):
        return lambda mu: [gaussian.law([0.0], sensitivity=1.0, privacy=GaussianDP(extra(mu), neighbours))]

    shared = dict(score=lambda j, released: released[:, 0], sensitivity=1.0, epsilon=1.0, delta=1e-5, r=0.1)
    private_tuning.law(base(lambda mu: mu), **shared)
    with pytest.raises(ValueError, match=r"base\[0\]\.privacy must be within its budget"):
        private_tuning.law(base(lambda mu: nextafter(mu, inf) * (1 + 1e-15)), **shared)
    with pytest.raises(ValueError, match=r"base\[0\]\.privacy must be within its budget"):
        private_tuning.law(base(lambda mu: mu, "label"), **shared)


def test_exact_scores_have_no_float_noise_beside_their_own(monkeypatch, rng):
    base = lambda mu: [gaussian.law([0.0], sensitivity=1.0, privacy=GaussianDP(mu))]  # noqa: E731
    shared = dict(score=lambda j, released: 0 * released[:, 0], sensitivity=1.0, epsilon=1.0, delta=1e-5, r=0.1)
    float_noise = []
    monkeypatch.setattr(private_tuning.PrivateTuningLaw, "noise", lambda self, rng, count: float_noise.append(count))
    with pytest.raises(ValueError, match="sensitivity must be an integer"):
        private_tuning.law(base, **{**shared, "sensitivity": 1.5}, noise="exact")
    law = private_tuning.law(base, **shared, noise="exact")
    _, noisy, _ = law.run_alone(rng, 4000)
    assert not float_noise and noisy.std() == pytest.approx(law.sigma, rel=0.1)


@pytest.mark.parametrize(
    ("score", "rounded"), [(Fraction(7, 3), 2.0), (Fraction(2), 2.0), (9, 4.0), (Fraction(1, 9), 0)]
)
def test_a_score_is_cut_and_rounded_down_to_the_grid(score, rounded):
    assert generalized_exponential._rounded(score, 4.0, 0.5) == rounded


def test_the_shape_of_a_tuned_release_does_not_tell_which_candidates_were_drawn():
    def base(mu):
        return [gaussian.law(np.zeros(size), sensitivity=1.0, privacy=GaussianDP(mu)) for size in (1, 1, 1, 7)]

    tuned = private_tuning.law(
        base, score=lambda j, released: released[:, 0], sensitivity=1.0, epsilon=1.0, delta=1e-5, r=0.9
    )
    assert {tuned.sample(np.random.default_rng(seed))["release"].shape for seed in range(20)} == {(1, 7)}


# The number of runs ---------------------------------------------------------------------------------------------------


def test_beta_is_the_probability_that_the_best_margin_is_missed():
    X, y = planted(20, 3, 1)
    m = len(margin_grid(20))
    printed = private_tuning.margin_law(X, y, epsilon=1.0, delta=1e-5)
    by_name = private_tuning.margin_law(X, y, epsilon=1.0, delta=1e-5, beta=1 / 20**2)
    assert printed.tuning.runs.r == repetition_r(20, m) == pytest.approx(by_name.tuning.runs.r, rel=1e-12)
    for beta in (0.5, 0.05, 1e-3):
        runs = private_tuning.margin_law(X, y, epsilon=1.0, delta=1e-5, beta=beta).tuning.runs
        assert tnb.not_selected(1, runs.r, m) <= beta
        assert runs.mean == pytest.approx(m * (1 / beta - 1))
    with pytest.raises(ValueError, match=r"beta must be in \(0, 0\.8"):
        private_tuning.margin_law(X, y, epsilon=1.0, delta=1e-5, beta=0.9)


def test_a_default_fit_is_cheap():
    """At n = 357, d = 64 the printed number of runs, 1.3 million, took a minute; core-seconds are estimated."""
    X, y = load("digits:3-8")
    asked = dict(epsilon=1.0, delta=1e-5, calibration="sharp")
    cheap, printed = (private_tuning.margin_law(X, y, beta=beta, **asked) for beta in (0.05, None))
    assert cheap.expected_cost < 1 < 100 * cheap.expected_cost < printed.expected_cost
