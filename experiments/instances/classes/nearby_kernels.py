"""Two kernels on the same records: the SVM of a kernel, that of random features, and how far apart they are on a set.

The set M is finite and contains the records: sup-norms over M and over M x M are maxima of finitely many numbers.
"""

from dataclasses import dataclass

import numpy as np

from lemmata.mechanisms.features.random_features import FourierMap, profile
from lemmata.mechanisms.solvers.svm import solve_rows


@dataclass(frozen=True)
class Nearby:
    """What Lemmas 12 and 22 of Rubinstein et al. 2009 compare, measured."""

    eta: float  # ||k - k_hat|| over M x M
    distance: float  # ||f* - g*|| over M, what the solver may have missed taken off: a proved lower bound
    Lambda: float  # the larger L1-norm of the two vectors of dual variables
    first: float  # the L1-norm of the dual variables of f* alone
    same_dual: float  # ||f* - g_alpha|| over M, both combined by the dual variables of f*
    risks: float  # |R[f*] - R_hat[g_alpha]|
    moved: float  # ||g_alpha - g*|| in the space of k_hat, rounded down like the distance
    error: float  # what the two solvers may have missed together


def solved_pair(
    X: np.ndarray, y: np.ndarray, omega: np.ndarray, M: np.ndarray, *, C: float, kernel: str = "gaussian", loss: str
) -> Nearby:
    """The SVMs of `kernel` and of the features with frequencies `omega`, compared on the points M and X."""
    points = np.vstack([X, M])
    K = profile(kernel, points[:, None] - points[None])
    features = FourierMap(omega)(points)
    K_hat, n = features @ features.T, len(X)
    spectrum, vectors = np.linalg.eigh(K[:n, :n])
    exact = solve_rows(vectors * np.sqrt(np.maximum(spectrum, 0)), y, C=C, loss=loss)
    random = solve_rows(features[:n], y, C=C, loss=loss)
    a, b = exact.dual * y, random.dual * y
    error = float(exact.error + random.error)
    step = a - b

    def regularised(gram: np.ndarray) -> float:
        margins = y * (gram @ a)
        losses = np.maximum(1 - margins, 0) if loss == "hinge" else np.logaddexp(0, -margins)
        return float(C * losses.mean() + a @ gram @ a / 2)

    return Nearby(
        eta=float(np.abs(K - K_hat).max()),
        distance=float(np.abs(K[:, :n] @ a - K_hat[:, :n] @ b).max()) - 2 * error,
        Lambda=float(max(np.abs(a).sum(), np.abs(b).sum())),
        first=float(np.abs(a).sum()),
        same_dual=float(np.abs((K - K_hat)[:, :n] @ a).max()),
        risks=abs(regularised(K[:n, :n]) - regularised(K_hat[:n, :n])),
        moved=float(np.sqrt(max(0.0, step @ K_hat[:n, :n] @ step))) - 2 * error,
        error=error,
    )
