"""The private SVM of a translation-invariant kernel: Rubinstein et al. 2009, Algorithm 3 (PRIVATESVM).

    phi_hat(x) = d_hat^(-1/2) (cos <rho_1, x>, sin <rho_1, x>, ..., cos <rho_d_hat, x>, sin <rho_d_hat, x>)      (4.1)
    release rho_1..rho_d_hat and w(D) + iid Laplace(0, scale), w(D) the SVM on the 2 d_hat features phi_hat

The frequencies rho are drawn from the kernel's spectral law, independently of the data, and are public. They come from
`lemmata.mechanisms.features.random_features`, whose kernels all have k(x, x) = 1: the printed Table 1 has rows that are
not laws, or belong to another bandwidth. Letters: `C` the paper's C, `count` its d_hat, `scale` its lambda,
`PureDP.epsilon` its beta.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.features.random_features import FourierMap, profile
from lemmata.mechanisms.learners.erm import private_svm
from lemmata.mechanisms.numerics.arguments import check_moderate, check_rows, clip_rows, quiet, read_labels
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.solvers.svm import KernelSolution, solve_gram

FARTHEST = 1e12  # |<rho, x>| at most, for every entry of rho: beyond, a float has few digits left behind the point


@dataclass(frozen=True)
class BoundedMap:
    """x -> phi_hat(x), records beyond `FARTHEST` moved in, so that no record makes a cosine fail."""

    features: FourierMap = field(repr=False)

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Return the features of the rows of X, shape (n, 2 d_hat), of norm 1."""
        return self.features(clip_rows(X, FARTHEST / max(1.0, float(np.abs(self.features.omega).max()))))


def solve(
    X: ArrayLike, y: ArrayLike, *, C: float, kernel: str, bandwidth: float = 1.0, counts: ArrayLike | None = None
) -> KernelSolution:
    """Solve Algorithm 1 with the kernel itself, hinge loss: what a private release is compared with. Not private.

    >>> solve([[0.0], [3.0]], [1, -1], C=0.5, kernel="gaussian").dual.tolist()
    [0.25, 0.25]
    """
    X = check_rows(check_moderate("X", X))
    y = read_labels(y, len(X))
    return solve_gram(profile(kernel, X[:, None] - X[None], bandwidth=bandwidth), y, C=C, counts=counts)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: PureDP | None = None,
    C: float,
    scale: float | None = None,
    loss: str = "hinge",
    calibration: str = "printed",
    sampler: str = "grid",
    counts: ArrayLike | None = None,
    public: FourierMap,
) -> private_svm.SVMLaw:
    """Return the law of the weights that Algorithm 3 of rbht09 releases, 2 d_hat of them, for one draw of frequencies.

    Formal guarantee: `privacy`, a PureDP under replacement of one row, for every input and every value of `public`, a
    `FourierMap` of radius 1 whose frequencies were drawn independently of the data. It is Algorithm 2's with F = 2
    d_hat and kappa = 1 (`lemmata.mechanisms.learners.erm.private_svm.law`, whose arguments these are): Corollary 9
    prints the scale 2^2.5 C sqrt(d_hat) / (beta n), of which half is enough (`calibration="sharp"`). Enforced here:
    every image has norm 1. With a `scale` instead of `privacy` the law computes the privacy it has. Raises ValueError
    for bad input.

    >>> from lemmata.mechanisms.features.random_features import fourier_map
    >>> phi = fourier_map("gaussian", 1, 8, rng=np.random.default_rng(0))
    >>> released = law([[0.1], [0.9]] * 500, [1, -1] * 500, C=1.0, privacy=PureDP(1.0), public=phi)
    >>> round(released.scale, 5), released.sample(np.random.default_rng(1)).shape
    (0.016, (1, 16))
    """
    if not isinstance(public, FourierMap) or public.radius != 1:
        raise ValueError(f"public is a {type(public).__name__}, not a FourierMap of radius 1")
    return private_svm.law(
        X,
        y,
        privacy=privacy,
        C=C,
        scale=scale,
        feature_map=BoundedMap(public),
        loss=loss,
        calibration=calibration,
        sampler=sampler,
        counts=counts,
    )
