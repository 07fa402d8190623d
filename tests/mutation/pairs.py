"""Neighbouring pairs that move as far as is allowed, for attacks on planted mistakes."""

from typing import Any

import numpy as np

from lemmata.experiments.instances.laws.selections import rare_candidate
from lemmata.experiments.instances.pairs.svm_neighbours import flipped
from lemmata.mechanisms.features.random_features import fourier_map
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.learners.erm import dp_erm, kernel_svm, private_svm
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP
from lemmata.mechanisms.selection import exponential, tnb

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
