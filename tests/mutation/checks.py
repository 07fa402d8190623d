"""What planted mistakes of learners and noise are tried on.

Neighbouring pairs that move as far as is allowed, for attacks, and checks
that no test of the suite makes, each of which says whether something is wrong.
"""

from typing import Any

import numpy as np
from scipy.stats import norm

from lemmata.experiments.instances.laws.selections import rare_candidate
from lemmata.experiments.instances.pairs.svm_neighbours import flipped
from lemmata.mechanisms.audit.subjects.replay import not_the_law
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.features.random_features import fourier_map
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd
from lemmata.mechanisms.learners.erm import dp_erm, efficient_learner, kernel_svm, phased_sgd, private_svm
from lemmata.mechanisms.noise import gaussian, grid_sums, snapping
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP
from lemmata.mechanisms.selection import exponential, tnb
from tests.mutation.planting import rng

ONE, MU = PureDP(1.0), GaussianDP(1.0)


def shifted_values() -> tuple:
    """The Gaussian mechanism, its value moved by the sensitivity."""
    return tuple(gaussian.law([x], sensitivity=1.0, privacy=MU).sample for x in (0.0, 1.0))


def rare_choices() -> tuple:
    """The exponential mechanism, one score up and the others down."""
    return tuple(exponential.law(q, sensitivity=1.0, privacy=ONE).sample for q in rare_candidate(10))


def flipped_label(F: int = 1) -> tuple:
    """The private SVM with F features, the worst label flipped."""
    X, y, z = flipped(F, 10, others=1.0)
    return tuple(private_svm.law(X, t, C=1.0, privacy=ONE, calibration="sharp").sample for t in (y, z))


def kernel_pair() -> tuple:
    """The kernel SVM, one record's label flipped."""
    phi = fourier_map("gaussian", 1, 1, rng=np.random.default_rng(0))
    X, y, z = flipped(1, 10, others=1.0)
    return tuple(kernel_svm.law(X, t, privacy=ONE, C=1.0, calibration="sharp", public=phi).sample for t in (y, z))


def descents(length: float = 1.0, output: str = "last") -> tuple:
    """Noisy gradient descent on a wide hinge, the last label flipped."""
    X, asked = np.tile([[length, 0.0]], (3, 1)), dict[str, Any](width=200.0, steps=9, output=output)
    return tuple(noisy_gd.law(X, np.array([1.0, 1.0, y]), privacy=MU, **asked).sample for y in (1.0, -1.0))


def boosted(norm_of_rows: float = 1.0, m: int = 20) -> Any:
    """DP-ERM on equal records."""
    X = norm_of_rows * np.tile([[0.6, 0.8]], (m, 1))
    return dp_erm.law(X, np.ones(m), rho=0.5, norm_bound=1.0, radius=1.0, privacy=ApproxDP(1.0, 1e-3), beta=0.1)


def boosted_choices() -> tuple:
    """DP-ERM's selection among five candidates, every mean loss moved by the sensitivity."""
    law = boosted()
    moved = law.sensitivity * np.array([1.0, -1.0, -1.0, -1.0, -1.0]) / 2
    return tuple((lambda rng, size, m=m: law.choose(rng, np.tile(m, (size, 1)))) for m in (moved, -moved))


def choices_and_their_law() -> tuple:
    """The exponential mechanism's sampler and its own probabilities."""
    law = exponential.law([0.0, 1.0, 3.0], privacy=PureDP(2.0), sensitivity=1.0)
    chances = np.exp(law.log_probabilities())
    return law.sample, lambda rng, size: rng.choice(3, size=size, p=chances)


def runs_and_their_law() -> tuple:
    """The number of runs as it is drawn, and as its law says."""
    law = tnb.law(eta=1, r=0.25)
    chances = np.exp(law.log_density(np.arange(1, 200)))
    return law.sample, lambda rng, size: 1 + rng.choice(199, size=size, p=chances / chances.sum())


def runs_in_pairs() -> tuple:
    """Numbers of runs drawn together, in pairs, and independent ones."""
    law = tnb.law(eta=1, r=0.25)
    return (
        lambda rng, size: law.sample(rng, 2 * size).reshape(size, 2),
        lambda rng, size: np.column_stack([law.sample(rng.spawn(1)[0], size) for _ in range(2)]),
    )


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
