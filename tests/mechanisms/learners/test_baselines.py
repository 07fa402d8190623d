"""Baselines that others have published: what each promises, attacked, and what breaks if its noise were less."""

from dataclasses import replace

import numpy as np
import pytest

from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.descent import known_margin, noisy_gd, private_perceptron, projected_gd
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, to_approx
from lemmata.mechanisms.selection import majority
from lemmata.mechanisms.solvers.perturbed_risk import MARGIN_LOSSES

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(30, 4)), np.where(RNG.random(30) < 0.5, -1.0, 1.0)


# The majority class ---------------------------------------------------------------------------------------------------


def test_the_noisy_count_spends_its_epsilon_and_no_more():
    """Exact log-probabilities, one label flipped; a row alone changes nothing."""
    laws = [majority.law(X, labels, privacy=PureDP(0.7)) for labels in (Y, np.append(Y[:-1], -Y[-1]))]
    releases = laws[0].sample(np.random.default_rng(0), 200)
    first, second, unmoved = (law.log_density(releases) for law in (*laws, majority.law(0 * X, Y, privacy=PureDP(0.7))))
    assert 0.699 < np.abs(first - second).max() <= 0.7
    assert np.array_equal(first, unmoved)


def test_the_majority_is_said():
    labels = np.append(np.ones(26), -np.ones(4))
    model = fit(majority.law(X, labels, privacy=PureDP(2.0)), np.random.default_rng(1))
    assert (model.predict(X) == 1).all() and model.privacy == PureDP(2.0)
    with pytest.raises(ValueError, match=r"privacy must imply a PureDP, got GaussianDP\(mu=1\.0,"):
        majority.law(X, Y, privacy=GaussianDP(1.0))


# The private perceptron -----------------------------------------------------------------------------------------------


def test_the_count_is_free():
    """The vector (sum, sqrt 3 count) of one round moves by at most 2, whatever row comes for whatever row."""
    draw, farthest = np.random.default_rng(4), 0.0
    for _ in range(3000):
        w, pair = draw.normal(size=3), draw.normal(size=(2, 3)) * 10 ** draw.uniform(-2, 2, (2, 1))
        pair[1] = draw.choice([-1, 1]) * pair[0] if draw.random() < 0.3 else pair[1]
        answers = []
        for record in pair:
            law = private_perceptron.law([record], [1], privacy=GaussianDP(1.0), rounds=1)
            wrong = law.Z @ w <= 0
            answers.append(np.append(law.Z.T @ wrong, private_perceptron.COUNT * wrong.sum()))
        farthest = max(farthest, np.linalg.norm(answers[0] - answers[1]))
    assert 1.99 < farthest <= 2 + 1e-12


def test_the_noise_pays_for_all_rounds():
    for rounds in (1, 7, 30):
        law = private_perceptron.law(X, Y, privacy=GaussianDP(0.5), rounds=rounds)
        assert 2 * np.sqrt(rounds) / law.sigma == pytest.approx(0.5) and law.privacy == GaussianDP(0.5)
    with pytest.raises(ValueError, match=r"rounds must be in .*, got 10000000"):
        private_perceptron.law(X, Y, privacy=GaussianDP(0.5), rounds=10**7)


def test_a_round_is_the_noisy_average_of_what_is_wrong():
    """Next to no noise: the first round averages all records, the second those that are still wrong."""
    law = private_perceptron.law(X, Y, privacy=GaussianDP(1e9), rounds=2)
    first = law.Z.mean(axis=0)
    wrong = law.Z[law.Z @ first <= 0]
    assert 0 < len(wrong) < 30
    assert law.sample(np.random.default_rng(0))[0] == pytest.approx(first + wrong.mean(axis=0), abs=1e-6)
    assert replace(law, rounds=1).sample(np.random.default_rng(0))[0] == pytest.approx(first, abs=1e-6)


def test_the_perceptron_survives_and_with_half_its_noise_falls():
    """Twenty equal records, one turned round: the sum moves by 2."""
    records = np.ones((20, 1)), np.vstack([np.ones((19, 1)), [[-1.0]]])
    pair = [private_perceptron.law(Z, np.ones(20), privacy=GaussianDP(1.0), rounds=1) for Z in records]
    claim = to_approx(GaussianDP(1.0), epsilon=0.5)
    assert audit(*pair, claim, root=5, budget=1_500).verdict == "INCONCLUSIVE"
    quiet = [replace(law, sigma=law.sigma / 2) for law in pair]
    assert audit(*quiet, claim, root=5, budget=2_000).verdict == "REFUTED"


def test_every_coordinate_and_every_release_has_noise_of_its_own():
    """No records but zeros: a round is noise over a count near 10,000."""
    law = private_perceptron.law(np.zeros((10_000, 3)), np.ones(10_000), privacy=GaussianDP(1.0), rounds=1)
    drawn = law.sample(np.random.default_rng(2), 3000) * 10_000 / law.sigma
    assert drawn.std(axis=0) == pytest.approx(np.ones(3), abs=0.08)
    assert np.abs(np.corrcoef(drawn.T) - np.eye(3)).max() < 0.1 and len(np.unique(drawn)) == 9000


def test_the_perceptron_learns():
    y = np.where(np.arange(600) % 2, 1.0, -1.0)
    records = np.column_stack([0.6 * y, np.random.default_rng(6).normal(size=(600, 9)) / 6])
    law = private_perceptron.law(records, y, privacy=ApproxDP(1.0, 1e-5), noise="exact")
    assert (fit(law, np.random.default_rng(7)).predict(records) == y).mean() > 0.9


# Known margin ---------------------------------------------------------------------------------------------------------


def test_known_margin_is_algorithm_1_at_a_third_of_the_margin():
    phi = known_margin.draw_projection(30, 5000, margin=0.9, rng=np.random.default_rng(1))
    wide = np.random.default_rng(2).normal(size=(30, 5000))
    law = known_margin.law(wide, Y, privacy=ApproxDP(1.0, 1e-5), margin=0.9, projection=phi, steps=5)
    twin = projected_gd.law(
        wide, Y, privacy=ApproxDP(1.0, 1e-5), width=0.3, projection=phi, steps=5, stride="decaying", output="last"
    )
    assert phi.k < 5000 and law.descent.sigma == pytest.approx(twin.descent.sigma)
    same = [one.sample(np.random.default_rng(3)) for one in (law, twin)]
    assert same[0] == pytest.approx(same[1])
    assert known_margin.draw_projection(30, 50, margin=0.9, rng=np.random.default_rng(1)) is None
    with pytest.raises(ValueError, match=r"margin must be in .*, got 1\.5"):
        known_margin.draw_projection(30, 50, margin=1.5, rng=np.random.default_rng(1))


# Logistic descent -----------------------------------------------------------------------------------------------------


def test_logistic_gradients_are_those_of_the_logistic_loss():
    law = noisy_gd.law(X, Y, privacy=GaussianDP(1.0), width=0.3, steps=3, loss="logistic", output="iterates")
    W = np.random.default_rng(8).normal(size=(4, 6))
    assert law.gradients(W) == pytest.approx(law.Z.T @ MARGIN_LOSSES["logistic"].slope(law.Z @ W / 0.3) / 0.3)
    hinge = noisy_gd.law(X, Y, privacy=GaussianDP(1.0), width=0.3, steps=3, output="iterates")
    assert law.sigma == hinge.sigma and not np.allclose(law.gradients(W), hinge.gradients(W))


def test_logistic_descent_spends_no_more_than_the_hinge():
    """The exact log-ratio of all iterates, at releases of either: its mean is that of a Gaussian of mu at most."""
    other = np.vstack([X[:-1], -X[-1:]])
    pair = [
        noisy_gd.law(Z, Y, privacy=GaussianDP(1.0), width=9.0, steps=3, loss="logistic", output="iterates")
        for Z in (X, other)
    ]
    releases = pair[0].sample(np.random.default_rng(9), 4000)
    ratios = pair[0].log_density(releases) - pair[1].log_density(releases)
    assert ratios.std() <= 1.0
    assert ratios.mean() < 0.2  # at most 0.5; at a small slope, 1/2 for 1, a quarter of what is paid for
    with pytest.raises(ValueError, match="loss must be one of hinge, logistic, got 'squared'"):
        noisy_gd.law(X, Y, privacy=GaussianDP(1.0), width=1.0, loss="squared")
