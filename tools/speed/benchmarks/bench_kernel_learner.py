"""The kernel learner's map x -> Phi psi(x): time beside the bare matrix products it contains, and memory."""

import numpy as np

from lemmata.mechanisms.features.kernel_features import fastfood
from lemmata.mechanisms.features.random_features import fourier_map
from lemmata.mechanisms.learners.erm.kernel_learner import SIDE, kernel_projection

from .side_by_side import dear, ratio, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SEED, D = 7, 9


class KernelProjection:
    """n records of R^9 through `count` frequencies to R^k; at most those of RAND health, at 20,000."""

    params = ([(2000, 10_000), (20_190, 20_000)], [50, 100, 300])
    param_names = ("n, count", "k")
    timeout = 600

    def setup(self, shape, k):
        n, count = shape
        if n > 10_000 and k != 100:
            raise NotImplementedError(f"n = {n}, k = {k}: minutes")
        if n > 10_000 or k > 100:
            dear("the map of 20,000 records")
        rng = np.random.default_rng(SEED)
        self.X = rng.normal(size=(n, D))
        self.phi = kernel_projection("gaussian", D, count=count, k=k, rng=rng)
        self.omega, self.signs = rng.normal(size=(D, SIDE)), rng.choice([-1.0, 1.0], size=(2, SIDE, k))

    def time_apply(self, shape, k):
        self.phi.apply(self.X)

    peakmem_apply = time_apply

    def bare(self):
        """The products alone, block by block: angles, and both halves of the signs."""
        for _ in range(-(-self.phi.count // SIDE)):
            angles = self.X @ self.omega
            for above in self.signs:
                angles @ above

    def track_time_over_products(self, shape, k):
        return ratio(lambda: self.phi.apply(self.X), self.bare)


class FeaturesBesideEachOther:
    """Fastfood beside random Fourier features: the same number of features of the same records."""

    params = ([64, 1024],)
    param_names = ("d",)

    def setup(self, d):
        rng = np.random.default_rng(SEED)
        self.X = rng.normal(size=(100, d)) / np.sqrt(d)
        self.fast = fastfood(d, 4096, rng=rng)
        self.slow = fourier_map("gaussian", d, 4096, rng=rng)

    def track_fastfood_over_fourier(self, d):
        return ratio(lambda: self.fast(self.X), lambda: self.slow(self.X))
