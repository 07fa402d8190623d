"""Margins of records under random signs, computed from as little as each question needs."""

import numpy as np

from lemmata.experiments.instances.datasets.points import sharp_records
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.solvers.margin import geometric_margin, signed_records


def margin_below(rng, size, k, threshold, *, n, d, gamma, b):
    """Draw records and Phi afresh `size` times: is gamma(Phi S) below `threshold`? Shape (size,), bool.

    Phi e_1 usually shows that it is not; only where it does not is the margin computed.
    """
    below = np.zeros(size, dtype=bool)
    for trial in range(size):
        Z = sharp_records(rng, n, d, gamma, b)
        both = sign_projection(k, d, rng=rng).apply(np.vstack([np.eye(1, d), Z]))
        shown = (both[1:] @ both[0]).min() / np.linalg.norm(both[0])
        below[trial] = shown < threshold and not _reaches(both[1:], np.ones(n), threshold)
    return below


def _reaches(X, y, level):
    """Is gamma(S) >= level? Raises ArithmeticError where its enclosure has the level inside and is not narrow."""
    found = geometric_margin(X, y)
    if found.value < level <= found.upper and found.gap > 1e-9 * found.upper:
        raise ArithmeticError(f"the margin is known to lie in [{found.value}, {found.upper}] only")
    return found.value >= level


def sign_gram(k, d, *, rng):
    """Phi^T Phi of a k x d matrix of independent entries +-1/sqrt(k), shape (d, d), without the matrix.

    A column is k bits in 64-bit words; two columns have the inner product 1 - 2 (number of bits that differ) / k.
    """
    columns = rng.integers(0, 2**64, size=(d, -(-k // 64)), dtype=np.uint64)
    if k % 64:
        columns[:, -1] &= np.uint64(2 ** (k % 64) - 1)
    gram = np.eye(d)
    for i in range(d - 1):
        differ = np.bitwise_count(columns[i] ^ columns[i + 1 :]).sum(axis=1, dtype=np.int64)
        gram[i, i + 1 :] = gram[i + 1 :, i] = 1 - 2 * differ / k
    return gram


def projected_margin_reaches(level, X, y, direction, gram):
    """Is gamma(Phi S) >= level, certainly? Lengths and angles of Phi S are those of Phi^T Phi = `gram`.

    First the image of the old direction is tried; only if that is not good enough, the margin is computed.
    """
    image = gram @ direction
    length = np.sqrt(max(direction @ image, 0.0))
    if length > 0 and (signed_records(X, y) @ image).min() >= level * length * (1 + 1e-12):
        return True
    values, vectors = np.linalg.eigh(gram)
    return _reaches(X @ (vectors * np.sqrt(np.maximum(values, 0))), y, level)
