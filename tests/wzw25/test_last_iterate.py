"""The last iterate of noisy gradient descent: the algebra of its bounds, and the printed rate refuted by sampling."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from lemmata.bounds.wzw25 import hinge_gradient, last_iterate, last_iterate_proof as proof
from lemmata.experiments.wzw25 import last_iterate as last_claims, last_iterate_proof as proof_claims
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.privacy import GaussianDP
from tests.streams import streams

SIZES = st.integers(1, 40)
UNIT = st.floats(0.01, 0.99)
rng = streams("noisy_gd")


@settings(derandomize=True, deadline=None, max_examples=40)
@given(d=SIZES, steps=st.integers(1, 60), eta=st.floats(1e-3, 10), beta=UNIT)
def test_tail_bounds_fall_with_beta_and_weights_are_monotone(d, steps, eta, beta):
    parameters = dict(d=d, steps=steps, gradient_norm=1.0, sigma=0.7, distance=2.0, eta=eta)
    for bound in (last_iterate.last_iterate_tail, last_iterate.weighted_tail):
        assert bound(**parameters, beta=beta / 2) >= bound(**parameters, beta=beta) > 0
    weights = last_iterate.iterate_weights(**parameters, beta=beta)
    assert weights.shape == (steps,) and np.all(np.diff(weights) <= 0)


@pytest.mark.parametrize("steps", [1, 2, 9, 300])
def test_moving_comparator_leaves_the_last_iterate_alone(steps):
    """(C): with z_t built as the module says, sum k_t v_t (f(w_t) - f(z_t)) >= v (f(w_T) - f(u)) for convex f."""
    H = last_iterate.harmonic(steps)
    k, v = last_iterate.comparator_weights(steps, 1 / (4 * H), 1.0)
    assert np.all((k >= 1) & (k <= 2 + 1e-12)) and np.all(np.diff(v) >= -1e-15)
    random = rng(f"comparator{steps}")
    w, u = random.normal(size=(steps + 1, 2)).cumsum(axis=0), random.normal(size=2)

    def f(x):
        return np.abs(x).sum() + np.exp(x[0] / 10)

    z, before, total = u, v[-1] / k.sum(), 0.0
    for t in range(steps + 1):
        z = before / v[t] * z + (1 - before / v[t]) * w[t]
        total, before = total + k[t] * v[t] * (f(w[t]) - f(z)), v[t]
    assert total >= v[-1] * (f(w[-1]) - f(u)) - 1e-9


def test_too_large_a_scale_is_refused():
    assert last_iterate.comparator_weights(3, 10.0, 1.0) is None


def test_printed_rate_fails_near_one_by_sampling():
    """The refutation by sampling: at beta = 0.999 the excess is below C g less often than 1 - beta, C > 1/50."""
    d, s = 10, 1e-3
    width, start = sqrt(s), np.eye(d)[0]
    Z = np.concatenate([np.eye(d), -np.eye(d)])
    run = dict(width=width, steps=1, start=start, output="last", log_factor=-np.log1p(-s))
    law = noisy_gd.law(Z, np.ones(2 * d), privacy=GaussianDP(1 / (2 * d)), **run)
    excess = hinge_gradient.hinge_sum(law.sample(rng("near one"), 20_000).T, Z, width) - 2 * d
    g = last_iterate.last_iterate_rate(d=d, mu=1 / (2 * d), sensitivity=2 / width, distance=1.0, beta=1 - s)
    assert (excess <= float(last_claims.share_of_truth(d, s)) * g).mean() < s
    assert float(last_claims.share_of_truth(d, s)) > 1 / 50


def test_free_energy_bounds_are_near_exact_laws_and_above_means_given_events():
    """|x| on the line: within a factor 2 of the mean bound; given any event of probability beta, below the tail."""
    shares = []
    for run, start, x, mass in proof_claims.exact_runs():
        sizes, excess = run | {"distance": start}, run["gradient_norm"] * np.abs(x)
        shares.append(float(mass @ excess) / proof.free_energy_mean(**sizes))
        order = np.argsort(-excess)
        for beta in (0.5, 1e-2, 1e-6):
            worst = order[: np.searchsorted(np.cumsum(mass[order]), beta) + 1]
            given = float(mass[worst] @ excess[worst] / mass[worst].sum())
            assert given <= proof.free_energy_tail(**sizes, beta=float(mass[worst].sum()))
    assert 1 / 2 < max(shares) <= 1


@pytest.mark.parametrize("d", [1, 16, 128])
def test_no_logarithm_multiplies_the_dimension(d):
    """The Euclidean norm, 300 steps: the sampled mean excess is within a factor 12 of the bound that has no d log T."""
    run = dict(d=d, steps=300, gradient_norm=1.0, sigma=1.0, eta=1 / sqrt(300 * (1 + d)))
    w, random = np.zeros((400, d)), rng(f"norm{d}")
    w[:, 0] = 1.0
    for _ in range(run["steps"]):
        w -= run["eta"] * (w / np.linalg.norm(w, axis=1, keepdims=True) + random.normal(size=w.shape))
    bound = proof.free_energy_mean(**run, distance=1.0)
    assert bound / 12 < np.linalg.norm(w, axis=1).mean() < bound
    assert d < 128 or bound < 0.8 * last_iterate.last_iterate_mean(**run, distance=1.0)
