"""A distribution with margin gamma in any dimension, projected without ever being held.

z = y x = gamma e_1 + s sqrt(1 - gamma^2) e_j with a fair sign s and j uniform in 2..d: unit vectors, and e_1 has margin
gamma. A record has two entries, so its projection is two columns of Phi, whatever d is.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from bounds.exact.numbers import Array
from experiments.instances.flipped_records import with_privacy
from mechanisms import dp_erm
from mechanisms.fast_projection import fast_projection


def columns(phi: Any, chosen: Any) -> Array:
    """Columns of a fast projection, shape (len(chosen), k): entry (row, c) is s_c (-1)^popcount(row & c) / sqrt(k)."""
    chosen = np.asarray(chosen)
    parity = np.bitwise_count(phi.coordinates & chosen[:, None]) & 1
    return (1.0 - 2.0 * parity) * (phi.signs[chosen] / sqrt(phi.k))[:, None]


def projected(rng: np.random.Generator, phi: Any, count: int, gamma: float) -> Array:
    """Phi z for `count` fresh records, shape (count, k)."""
    others = rng.integers(1, phi.d, size=count)
    signs = 1.0 - 2.0 * rng.integers(0, 2, size=count)
    return gamma * columns(phi, [0]) + sqrt(1 - gamma**2) * signs[:, None] * columns(phi, others)


def risks(
    rng: Any,
    size: int,
    *,
    m: int,
    d: int,
    k: int,
    gamma: float,
    tested: int,
    lifted_by: int = 1,
    kept: float = 1.0,
    **budget: float,
) -> Array:
    """R_D of `size` releases of Algorithm 2 at norm bound 1, radius 1, rho = gamma: shape (size,); ties are errors.

    Each has a fresh sample and a fresh projection, and is estimated without bias on `tested` fresh records. `budget` is
    epsilon, delta and beta. With `lifted_by` = 2, a sabotage, the releases are lifted by projections drawn anew; with
    `kept` < 1, another, only the first records, a share of `kept`, have the right label.
    """
    projections = [fast_projection(k, d, rng=rng) for _ in range(size)]
    sizes = with_privacy(rho=gamma, radius=2.0, norm_bound=2.0, **budget) | {"beta": budget["beta"] / 3}
    y = np.where(np.arange(m) < kept * m, 1.0, -1.0)
    laws = [dp_erm.law(projected(rng, phi, m, gamma), y, **sizes) for phi in projections]
    W = dp_erm.sample_each(laws, rng)
    for _ in range(lifted_by - 1):
        projections = [fast_projection(k, d, rng=rng) for _ in range(size)]
    fresh = [projected(rng, phi, tested, gamma) for phi in projections]
    return np.array([(Z @ w <= 0).mean() for Z, w in zip(fresh, W, strict=True)])
