"""The efficient learner: slow twins, properties, the witness of its training."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lemmata.bounds.bms22 import efficient_learner as bounds, phased_sgd as sgd_bounds
from lemmata.experiments.instances.pairs import projected_records
from lemmata.mechanisms.features.fast_projection import fast_projection, walsh_hadamard
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.erm import efficient_learner
from lemmata.mechanisms.privacy import ApproxDP
from tests.bms22.records import HINGE, PRIVATE, problem, rng


def test_learner_projects_clips_trains_and_lifts():
    X, y = problem(30, k=12)
    phi = fast_projection(4, 12, rng=rng("phi"))
    law = efficient_learner.law(5 * X, y, projection=phi, **HINGE, **PRIVATE)
    twin = 5 * X @ np.array([phi.apply(e) for e in np.eye(12)])
    twin = twin / np.maximum(1, np.linalg.norm(twin, axis=1, keepdims=True) / 2)
    np.testing.assert_allclose(law.trained.Z, y[:, None] * twin, atol=1e-12)
    assert (law.trained.norm_bound, law.trained.radius, law.trained.rounds) == (
        2.0,
        2.0,
        sgd_bounds.rounds_for(0.1 / 3),
    )
    released = law.sample(rng("release"), 5)
    np.testing.assert_allclose(released, phi.transpose(law.trained.sample(rng("release"), 5)))
    assert law.privacy == ApproxDP(1.0, 1e-3)


def test_learner_learns_a_margin():
    random = rng("learn")
    X = random.normal(size=(400, 300))
    X[:, 0] = 0
    y = random.choice([-1.0, 1.0], 400)
    X = np.column_stack([0.8 * y, 0.6 * (X / np.linalg.norm(X, axis=1, keepdims=True))[:, 1:]])
    spent, sizes = dict(epsilon=6.0, delta=1e-4, beta=0.1), dict(rho=0.8, radius=1.0, norm_bound=1.0, beta=0.1)
    for kind in efficient_learner.PROJECTIONS:
        phi = efficient_learner.draw_projection(*X.shape, **spent, k=50, kind=kind, rng=rng(f"phi {kind}"))
        law = efficient_learner.law(X, y, privacy=ApproxDP(6.0, 1e-4), projection=phi, **sizes, noise="exact")
        model = fit(law, rng(f"fit {kind}"))
        assert (model.predict(X) != y).mean() < 0.15 and model.privacy == ApproxDP(6.0, 1e-4)


@pytest.mark.parametrize("k, d", [(7, 13), (1, 1), (20, 64)])
def test_columns_of_the_fast_projection(k, d):
    phi = fast_projection(k, d, rng=rng("columns"))
    np.testing.assert_allclose(projected_records.columns(phi, np.arange(d)), phi.apply(np.eye(d)), atol=1e-15)


@given(m=st.integers(2, 10**6), k=st.integers(1, 5000), beta=st.floats(1e-6, 0.99))
def test_distortion_solves_its_equation(m, k, beta):
    t, needed = bounds.sign_distortion(m, k, beta), 4 * log(6 * (3 * m + 1) / beta) / k
    assert t == np.inf if needed > 1 / 3 else t**2 - 2 * t**3 / 3 == pytest.approx(needed, rel=1e-6)


def test_a_transform_sends_the_lost_record_to_one_coordinate_for_2d_of_the_signs():
    """By enumeration at d = 8, against the chance that the witness of s1 and s6 uses."""
    signs = np.array(list(product((-1.0, 1.0), repeat=8)))
    spread = walsh_hadamard(signs / 8**0.5 / 8**0.5)  # H diag(s) x, x = (1, ..., 1)/sqrt(8), H orthonormal
    one = (np.abs(spread) > 1e-12).sum(axis=1) == 1
    assert one.sum() == 2 * 8
    missed = projected_records.log_chance_of_loss(8, 32)
    assert exp(missed) == pytest.approx(one.mean() * (7 / 8) ** 32)
