"""Checks of learners and noise that no test of the suite makes: each says whether something is wrong."""

from typing import Any

import numpy as np
from scipy.stats import norm

from lemmata.experiments.instances.pairs.svm_neighbours import flipped
from lemmata.mechanisms.audit.subjects.replay import not_the_law
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.learners.descent import adaptive_margin
from lemmata.mechanisms.learners.erm import dp_erm, efficient_learner, phased_sgd, private_svm
from lemmata.mechanisms.noise import gaussian, grid_sums, snapping
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP
from tests.mutation.pairs import MU, ONE, boosted
from tests.mutation.planting import rng

SURE = 1e-10  # the level of a test of draws


def grid_noise_is_wrong() -> bool:
    """The noise of two thousand sums of two coordinates, jointly: its law, and that no number comes twice."""
    noise = grid_sums.GridNoise(rng("grid noise"), 3.0, 2.0**-10, (2,), 2000)
    return not_the_law(np.stack([noise.add(np.zeros(2)) for _ in range(2000)]), norm(scale=3.0).cdf) < SURE


def counts_have_other_noise() -> bool:
    """The noise of two thousand counts."""
    return not_the_law(grid_sums.noisy_counts(rng("counts"), np.zeros((2000, 2)), 3.0), norm(scale=3.0).cdf) < SURE


def phases_promise_too_much() -> bool:
    """Phased SGD promises more than it was asked for."""
    sizes = dict[str, Any](rho=0.5, radius=1.0, norm_bound=1.0)
    return phased_sgd.law(np.tile(np.eye(2), (4, 1)), np.ones(8), privacy=MU, **sizes).privacy.mu > 1 + 1e-9


def budget_is_exceeded() -> bool:
    """Gaussian noise for mu = 1/2 at sensitivity 3: sensitivity / sigma is more."""
    return 3.0 / gaussian.noise_deviation(3.0, GaussianDP(0.5)) > 0.5 * (1 + 1e-12)


def rounds_share_noise() -> bool:
    """The vectors of all rounds of DP-ERM have a combination without noise."""
    drawn = boosted(m=2).candidates(rng("rounds"), 500).reshape(500, -1)
    return bool(np.linalg.matrix_rank(drawn - drawn.mean(axis=0), tol=1e-9) < drawn.shape[1])


def losses_move_too_far(build: Any = boosted) -> bool:
    """A record of norm 10 moves a score of DP-ERM by more than its sensitivity."""
    law = build(10.0)
    w = np.eye(law.Z.shape[1])[:1] * law.norm_bound
    directions = np.vstack([w, -w, law.Z[:1] / np.linalg.norm(law.Z[0]) * law.norm_bound])
    one, other = law.Z.copy(), law.Z.copy()
    other[0] = -one[0]
    moved = dp_erm.hinge_means(directions, one, law.rho) - dp_erm.hinge_means(directions, other, law.rho)
    return bool(np.abs(moved).max() > law.sensitivity * (1 + 1e-9))


def lifted(norm_of_rows: float) -> Any:
    """A_EffPrivMrg's training after a projection, on records of any norm."""
    X = norm_of_rows * np.tile(np.eye(4)[:1], (20, 1))
    phi = sign_projection.sign_projection(2, 4, rng=np.random.default_rng(0))
    sizes = dict[str, Any](rho=0.5, norm_bound=1.0, radius=1.0, beta=0.1)
    return efficient_learner.law(X, np.ones(20), privacy=ApproxDP(1.0, 1e-3), projection=phi, **sizes).trained


def projections_repeat() -> bool:
    """Two margins with one projection."""
    drawn = adaptive_margin.draw_projections(3, 3000, beta=0.5, rng=rng("projections"))
    images = [phi.apply(np.eye(3000)[:5])[:, :20] for phi in drawn if phi is not None]
    return len({tuple(np.sign(image).ravel()) for image in images}) < len(images)


def low_bits() -> bool:
    """A release of the private SVM that is no multiple of its grid."""
    X, y, _ = flipped(1, 10, others=1.0)
    law = private_svm.law(X, y, C=1.0, privacy=ONE)
    drawn = law.sample(rng("low bits"), 20) / law.noise.grid
    return bool((drawn != np.rint(drawn)).any())


def unsnapped(snap: Any, centres: np.ndarray, signs: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Releases of the snapping mechanism without its last line: noise is added and clamped."""
    noise = signs * snap.scale * np.array([snapping.rounded_logarithm(index) for index in indices.tolist()])
    return np.clip(centres + noise, -snap.bound, snap.bound)
