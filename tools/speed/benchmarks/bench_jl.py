"""The projections: time and memory to project and to lift, over peers; how much inner products are distorted."""

import numpy as np
from scipy.linalg import clarkson_woodruff_transform
from sklearn.random_projection import GaussianRandomProjection

from lemmata.bounds.bms22 import sign_projection as bounds
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.features.sign_projection import sign_projection

from .side_by_side import dear, ratio, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SEED = 7
LARGEST_MATRIX = 2**26  # entries; a dense matrix beyond this does not fit beside the benchmark


class SignProjection:
    """100 points in R^d, projected to R^k by a matrix that is never held whole."""

    params = ([100, 1000], [1000, 20_000, 200_000])
    param_names = ("k", "d")

    def setup(self, k, d):
        if k * d > 2 * LARGEST_MATRIX or k > d:
            raise NotImplementedError(f"k = {k}, d = {d}: outside the sizes compared")
        if d > 20_000:
            dear("200,000 columns")
        rng = np.random.default_rng(SEED)
        self.phi = sign_projection(k, d, rng=rng)
        self.X = rng.normal(size=(100, d)) / np.sqrt(d)
        self.W = rng.normal(size=(100, k))

    def time_apply(self, k, d):
        self.phi.apply(self.X)

    peakmem_apply = time_apply

    def time_transpose(self, k, d):
        self.phi.transpose(self.W)


class Fast:
    """n points in R^d by the fast projection to R^1024; about as many numbers at every d."""

    params = ([2**10, 2**14, 2**17, 2**20],)
    param_names = ("d",)

    def setup(self, d):
        rng = np.random.default_rng(SEED)
        self.phi = fast_projection(1024, d, rng=rng)
        self.X = rng.normal(size=(max(8, 2**23 // d), d))
        self.W = self.phi.apply(self.X)

    def time_apply(self, d):
        self.phi.apply(self.X)

    peakmem_apply = time_apply

    def time_transpose(self, d):
        self.phi.transpose(self.W)

    def track_time_over_copy(self, d):
        return ratio(lambda: self.phi.apply(self.X), lambda: self.X.copy())


class AgainstPeers:
    """Both projections, the drawing of the matrix included, over a peer: time over its time."""

    params = (["sign", "fast"], ["float64", "float32"], [(500, 16_384, 1024), (500, 2048, 100)])
    param_names = ("projection", "data", "n, d, k")
    timeout = 300

    def setup(self, projection, data, shape):
        n, d, self.k = shape
        if d > 2048:
            dear("matrices of 16 million entries")
        rng = np.random.default_rng(SEED)
        self.X = rng.normal(size=(n, d)).astype(data)
        self.dense = rng.choice([-1.0, 1.0], size=(d, self.k)).astype(data)
        self.draw = {"sign": sign_projection, "fast": fast_projection}[projection]

    def ours(self):
        return self.draw(self.k, self.X.shape[1], rng=np.random.default_rng(SEED)).apply(self.X)

    def track_time_over_product(self, *_):
        return ratio(self.ours, lambda: self.X @ self.dense, 3)

    def track_time_over_scikit_learn(self, *_):
        return ratio(self.ours, lambda: GaussianRandomProjection(self.k, random_state=SEED).fit_transform(self.X), 3)

    def track_time_over_scipy_sketch(self, *_):
        return ratio(self.ours, lambda: clarkson_woodruff_transform(self.X.T, self.k, seed=SEED), 3)


class Distortion:
    """At the explicit row count of bms22 Lemma A.3: how far below the allowed distortion do we stay?"""

    params = ([10, 50], [0.5, 0.9], ["sign", "fast"])
    param_names = ("m", "gamma", "projection")

    def setup(self, m, gamma, projection):
        rng = np.random.default_rng(SEED)
        self.k = bounds.sign_projection_rows(m=m, gamma=gamma, beta=0.05)
        d = 2000
        self.phi = {"sign": sign_projection, "fast": fast_projection}[projection](self.k, d, rng=rng)
        self.X = rng.normal(size=(m, d))

    def track_allowed_over_observed(self, m, gamma, projection):
        """(gamma / 3) over the largest |<Phi u, Phi v> - <u, v>| / (|u| |v|)."""
        projected, norms = self.phi.apply(self.X), np.linalg.norm(self.X, axis=1)
        distortion = np.abs(projected @ projected.T - self.X @ self.X.T) / np.outer(norms, norms)
        return float(gamma / 3 / distortion.max())
