"""The point of the convex hull of some records that is nearest to the origin, as their convex weights.

    min ||sum_i a_i z_i||    over a >= 0, sum_i a_i = 1

How near they come is for the caller to enclose (`lemmata.mechanisms.solvers.margin`): nothing is proved here.
"""

import numpy as np
from scipy.optimize import nnls


def _system(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least-squares system whose solution is a multiple of the weights sought."""
    return np.vstack([Z.T, np.ones(len(Z))]), np.append(np.zeros(Z.shape[1]), 1.0)


def nearest_weights(Z: np.ndarray) -> np.ndarray:
    """Convex weights of a point of conv(Z) near the one nearest to the origin.

    Not every version of SciPy's solver returns a minimiser; one that returns nothing stands for the shortest record.
    """
    weights, _ = nnls(*_system(Z), maxiter=30 * sum(Z.shape))
    total = weights.sum()
    if not 0 < total < np.inf:
        return np.eye(len(Z))[np.linalg.norm(Z, axis=1).argmin()]
    return weights / total


def polish_weights(Z: np.ndarray) -> np.ndarray:
    """The same by Wolfe's minimum-norm-point algorithm, a least-squares problem of its own every step.

    Slower than NNLS and steadier where many records are equally near, as in the sharp examples of the lemmas. It begins
    with the shortest record, whatever NNLS said: only from records that are affinely independent, as all that enter
    afterwards leave them, is every step sure to come nearer.
    """
    support, a = np.array([np.linalg.norm(Z, axis=1).argmin()]), np.ones(1)
    best, shortest = np.zeros(len(Z)), np.inf
    for _ in range(200 + 10 * len(Z)):
        nearest = a @ Z[support]
        length = float(np.linalg.norm(nearest))
        if length >= shortest:
            break
        best, shortest = np.zeros(len(Z)), length
        best[support] = a
        if length == 0:
            break
        values = Z @ nearest / length
        entering = int(values.argmin())
        if length - values[entering] <= 1e-12 * length or entering in support:
            break
        support, a = _nearest_of_a_face(Z, np.append(support, entering), np.append(a, 0.0))
    return best


def _nearest_of_a_face(Z: np.ndarray, support: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Records and positive weights of the nearest point of their affine hull, no farther than the point given."""
    while True:
        system, right = _system(Z[support])
        target = np.linalg.lstsq(system, right, rcond=None)[0]
        target /= target.sum()
        if (target >= 0).all():
            used = target > 1e-14
            return support[used], target[used] / target[used].sum()
        falling = target < 0  # walk towards the target until the first weight is used up, and drop it
        steps = a[falling] / (a[falling] - target[falling])
        a = a + steps.min() * (target - a)
        a[np.flatnonzero(falling)[steps.argmin()]] = 0.0
        kept = a > 0  # the record that has just entered may have next to nothing yet, and stays
        support, a = support[kept], a[kept] / a[kept].sum()
