"""The sign projection: time and memory to project and to lift, and how much the inner products are distorted."""

from __future__ import annotations

import numpy as np

from bounds.bms22 import sign_projection as bounds
from experiments.speed.side_by_side import ratio
from mechanisms.fast_projection import fast_projection
from mechanisms.sign_projection import sign_projection

SEED = 7
LARGEST_MATRIX = 2**26  # entries; a dense matrix beyond this does not fit beside the benchmark


class SignProjection:
    """100 points in R^d, projected to R^k by a matrix that is never held whole."""

    params = ([100, 1000], [1000, 20_000, 200_000])
    param_names = ("k", "d")

    def setup(self, k, d):
        if k * d > 2 * LARGEST_MATRIX or k > d:
            raise NotImplementedError(f"k = {k}, d = {d}: outside the sizes compared")
        rng = np.random.default_rng(SEED)
        self.phi = sign_projection(k, d, rng=rng)
        self.X = rng.normal(size=(100, d)) / np.sqrt(d)
        self.W = rng.normal(size=(100, k))

    def time_apply(self, k, d):
        self.phi.apply(self.X)

    def time_transpose(self, k, d):
        self.phi.transpose(self.W)

    def peakmem_apply(self, k, d):
        self.phi.apply(self.X)


class AgainstOthers:
    """The sign projection against a dense matrix in memory, and the fast projection against the sign projection."""

    params = ([100, 1000], [1024, 16_384])
    param_names = ("k", "d")

    def setup(self, k, d):
        if k * d > LARGEST_MATRIX or k > d:
            raise NotImplementedError(f"k = {k}, d = {d}: outside the sizes compared")
        rng = np.random.default_rng(SEED)
        self.phi, self.fast = sign_projection(k, d, rng=rng), fast_projection(k, d, rng=rng)
        self.X = rng.normal(size=(100, d)) / np.sqrt(d)
        self.dense = rng.choice([-1.0, 1.0], size=(k, d)) / np.sqrt(k)

    def track_time_over_dense(self, k, d):
        return ratio(lambda: self.phi.apply(self.X), lambda: self.X @ self.dense.T)

    track_time_over_dense.unit = "ratio"

    def track_fast_time_over_sign(self, k, d):
        return ratio(lambda: self.fast.apply(self.X), lambda: self.phi.apply(self.X))

    track_fast_time_over_sign.unit = "ratio"


class Distortion:
    """At the explicit row count of bms22 Lemma A.3: how far below the allowed distortion do we stay?"""

    params = ([10, 50], [0.5, 0.9])
    param_names = ("m", "gamma")

    def setup(self, m, gamma):
        rng = np.random.default_rng(SEED)
        self.k = bounds.sign_projection_rows(m=m, gamma=gamma, beta=0.05)
        d = 2000
        self.phi = sign_projection(self.k, d, rng=rng)
        self.X = rng.normal(size=(m, d))

    def track_allowed_over_observed(self, m, gamma):
        """(gamma / 3) over the largest |<Phi u, Phi v> - <u, v>| / (|u| |v|)."""
        projected, norms = self.phi.apply(self.X), np.linalg.norm(self.X, axis=1)
        distortion = np.abs(projected @ projected.T - self.X @ self.X.T) / np.outer(norms, norms)
        return float(gamma / 3 / distortion.max())

    track_allowed_over_observed.unit = "ratio"
