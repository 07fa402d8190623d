"""What a release does whatever the data are: noise for each coordinate, coordinates drawn, penalties that cost.

The log density of a Gaussian law at its own releases is a constant less half a chi-square of as many degrees of
freedom as there are draws: one draw used twice doubles a square and shows in the variance, at once for every law.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, chisquare, kstest

from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd
from lemmata.mechanisms.learners.erm import phased_sgd
from lemmata.mechanisms.noise import discrete_gaussian, gaussian, laplace, snapping
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP

ROOT = 77
RNG = np.random.default_rng(ROOT)
X, Y = RNG.normal(size=(12, 5)), np.where(RNG.random(12) < 0.5, -1, 1)
FEW = 1e-9  # of a right build at a new root


def rng():
    return np.random.default_rng(ROOT)


def gaussians():
    """(law, number of normal draws in a release) of every Gaussian law that knows its density."""
    yield "gaussian", gaussian.law(np.zeros(6), sensitivity=1.0, sigma=2.0), 6
    descent = noisy_gd.law(X, Y, privacy=GaussianDP(1.0), width=0.3, steps=7, output="iterates")
    yield "noisy_gd", descent, 7 * 5
    white = adaptive_margin.law(X, Y, privacy=ApproxDP(1.0, 1e-5), steps=4, white_box=True)
    yield "adaptive_margin", white, len(white.margins) * (4 * 5 + 1)
    phases = phased_sgd.law(X, Y, privacy=GaussianDP(1.0), rho=0.5, radius=1.0, norm_bound=1.0, output="phases")
    yield "phased_sgd", phases, phases.sample(rng())[0].size


@pytest.mark.parametrize(("law", "draws"), [pytest.param(law, k, id=name) for name, law, k in gaussians()])
def test_every_coordinate_has_noise_of_its_own(law, draws):
    surprise = -2 * law.log_density(law.sample(rng(), 2000))
    constant = surprise.mean() - draws
    assert 0.75 < surprise.var() / (2 * draws) < 1.33
    assert kstest(surprise - constant, chi2(draws).cdf).pvalue > 1e-4


ZEROS = np.zeros(5)
DISCRETE = discrete_gaussian.law(ZEROS, sensitivity=1.0, bound=1.0, privacy=ApproxDP(1.0, 1e-6))
ALONE = {  # a law whose coordinates have one scale each, and the mean length of its noise
    "laplace": (laplace.FloatLaplace(ZEROS, 2.0), 2.0),
    "laplace on a grid": (laplace.GridLaplace(ZEROS, 0.125, 16), 2.0),
    "discrete_gaussian": (DISCRETE, DISCRETE.sigma * np.sqrt(2 / np.pi)),
    "snapping": (snapping.law(ZEROS, sensitivity=1.0, bound=8.0, scale=1.0), 0.96),
}


@pytest.mark.parametrize("name", ALONE)
def test_coordinates_are_independent(name):
    """Their signs and their lengths."""
    law, length = ALONE[name]
    drawn = law.sample(rng(), 4000)
    assert len(np.unique(drawn[:, 0])) > (10 if name == "snapping" else 50)
    assert np.abs(drawn).mean(axis=0) == pytest.approx(length, rel=0.1)
    for numbers in (drawn, np.abs(drawn)):
        assert np.abs(np.corrcoef(numbers.T) - np.eye(5)).max() < 6 / np.sqrt(4000)


def test_scores_of_different_releases_differ():
    """All candidates err alike: which wins is the noise, and it is drawn anew for every release."""
    law = adaptive_margin.law(np.zeros((20, 2)), np.ones(20), privacy=ApproxDP(1.0, 1e-5), steps=2)
    assert set(law.sample(rng(), 400)["index"]) == set(range(len(law.margins)))


def test_scores_of_one_release_differ():
    law = adaptive_margin.law(X, Y, privacy=ApproxDP(1.0, 1e-5), steps=2, white_box=True)
    released = law.sample(rng(), 4000)
    noise = (released["scores"] - law.means(released)) / law.sigma
    assert noise.shape[1] > 1
    assert np.abs(np.cov(noise.T) - np.eye(noise.shape[1])).max() < 9 / np.sqrt(4000)


@pytest.mark.parametrize("white_box", [False, True])
def test_a_penalty_is_paid_by_the_candidate_that_has_it(white_box):
    law = adaptive_margin.law(X, Y, privacy=ApproxDP(1.0, 1e-5), steps=2, white_box=white_box)
    for kept in range(len(law.margins)):
        penalties = np.full(len(law.margins), 1e9)
        penalties[kept] = 0
        released = replace(law, penalties=penalties).sample(rng(), 5)
        winner = released["scores"].argmin(axis=1) if white_box else released["index"]
        assert (winner == kept).all()


def test_a_fast_projection_draws_its_signs_and_its_coordinates():
    k, width, draws = 4, 16, 2000
    source = rng()
    made = [fast_projection(k, 13, rng=source) for _ in range(draws)]
    for j in range(k):  # each coordinate is uniform, and no two are tied to each other
        assert chisquare(np.bincount([phi.coordinates[j] for phi in made], minlength=width)).pvalue > FEW
    pairs = [phi.coordinates[0] * width + phi.coordinates[1] for phi in made]
    assert chisquare(np.bincount(np.array(pairs) % 256, minlength=256)).pvalue > FEW
    signs = np.array([phi.signs for phi in made])
    assert np.abs(signs.mean(axis=0)).max() < 6.5 / np.sqrt(draws)
    assert np.abs(np.corrcoef(signs.T) - np.eye(width)).max() < 6.5 / np.sqrt(draws)


@pytest.mark.parametrize("draw", [fast_projection, sign_projection.sign_projection])
def test_a_projection_moves_a_record_differently_each_time(draw):
    """E <Phi x, Phi y> = <x, y> over the draws, while no draw is an isometry."""
    x, y = np.array([3.0, 4.0, 0, 0, 0]) / 5, np.array([0.0, 1, 0, 0, 0])
    source = rng()
    products = [np.dot(phi.apply(x), phi.apply(y)) for phi in (draw(3, 5, rng=source) for _ in range(4000))]
    assert np.std(products) > 0.1
    assert abs(np.mean(products) - 0.8) < 6.5 * np.std(products) / np.sqrt(4000)
