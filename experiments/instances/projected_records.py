"""A distribution with margin gamma in any dimension, projected without ever being held.

z = y x = gamma e_1 + s sqrt(1 - gamma^2) e_j with a fair sign s and j uniform in 2..d: unit vectors, and e_1 has margin
gamma. A record has two entries, so its projection is two columns of Phi, whatever d is.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from mechanisms import dp_erm
from mechanisms.fast_projection import fast_projection
from mechanisms.privacy import ApproxDP


def columns(phi, chosen):
    """Columns of a fast projection, shape (len(chosen), k): entry (row, c) is s_c (-1)^popcount(row & c) / sqrt(k)."""
    chosen = np.asarray(chosen)
    parity = np.bitwise_count(phi.coordinates & chosen[:, None]) & 1
    return (1.0 - 2.0 * parity) * (phi.signs[chosen] / sqrt(phi.k))[:, None]


def projected(rng, phi, count, gamma):
    """Phi z for `count` fresh records, shape (count, k)."""
    others = rng.integers(1, phi.d, size=count)
    signs = 1.0 - 2.0 * rng.integers(0, 2, size=count)
    return gamma * columns(phi, [0]) + sqrt(1 - gamma**2) * signs[:, None] * columns(phi, others)


def risks(rng, size, *, m, d, k, gamma, epsilon, delta, beta, tested, noise=1.0, anew=False):
    """R_D of `size` releases of Algorithm 2 at norm bound 1, radius 1, rho = gamma, each on a fresh sample and a fresh
    projection, estimated without bias on `tested` fresh records. Ties are errors. Shape (size,).

    Control: `noise` times the noise of the tight calibration; `anew`, lifted by a projection drawn anew.
    """
    projections = [fast_projection(k, d, rng=rng) for _ in range(size)]
    known = dict(privacy=ApproxDP(epsilon, delta), rho=gamma, radius=2.0, norm_bound=2.0, beta=beta / 3)
    laws = [dp_erm.law(projected(rng, phi, m, gamma), np.ones(m), **known) for phi in projections]
    if noise != 1:
        laws = [replace(law, multiplier=noise * law.multiplier) for law in laws]
    W = dp_erm.sample_each(laws, rng)
    if anew:
        projections = [fast_projection(k, d, rng=rng) for _ in range(size)]
    fresh = [projected(rng, phi, tested, gamma) for phi in projections]
    return np.array([(Z @ w <= 0).mean() for Z, w in zip(fresh, W, strict=True)])
