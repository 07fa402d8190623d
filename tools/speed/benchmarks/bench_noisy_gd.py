"""Noisy gradient descent: time and memory of many releases at once, and how far the bound lies above what happens."""

import numpy as np

from lemmata.bounds.wzw25 import noisy_gd as bounds
from lemmata.bounds.wzw25.hinge_gradient import hinge_sum
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.privacy import GaussianDP

from .side_by_side import GAMMA, dear, margin_data, ratio, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SEED = 11
MU = 1.0
LARGEST = 10**10  # multiplications a benchmark may spend


def law(n, d, output="average", steps="balanced"):
    """The law on the margin data, width GAMMA."""
    return noisy_gd.law(
        margin_data(n, d), np.ones(n), privacy=GaussianDP(MU), width=GAMMA, steps=steps, stride="tuned", output=output
    )


class Releases:
    """100 releases, one column each, at the balanced number of steps n^2 mu^2 / d."""

    params = ([20, 100, 300], [5, 50], ["average", "last", "iterates"])
    param_names = ("n", "d", "output")

    def setup(self, n, d, output):
        if 100 * bounds.balanced_steps(n, MU, d) * 2 * n * d > LARGEST:
            raise NotImplementedError(f"n = {n}, d = {d}: too many steps for a benchmark")
        self.law, self.rng = law(n, d, output), np.random.default_rng(SEED)

    def time_sample(self, n, d, output):
        self.law.sample(self.rng, 100)

    peakmem_sample = time_sample


class Columns:
    """256 runs abreast: over the bare matrix products of their steps, and over one run after another.

    At n = 1000, d = 256 they take what the products take, about 20 us a step and run at 53 GFlop/s. A run alone reads
    the 2 MiB of its rows once a step, in bands, from a cache that gives some 40 GB/s, about 50 us: in one precision no
    code can be more than 2.7 to 3.8 times such a loop, as busy as the cache is. In float32, over the loop in float64
    that it replaces, it is 4.8 times as fast.
    """

    params = ([(20, 5), (100, 5), (1000, 256)], ["double", "single"])
    param_names = ("n, d", "precision")

    def setup(self, shape, precision):
        n, d = shape
        self.law = noisy_gd.law(
            margin_data(n, d), np.ones(n), privacy=GaussianDP(MU), width=GAMMA, steps=10, precision=precision
        )
        self.rng = np.random.default_rng(SEED)
        self.W, self.margins = np.ones((d, 256), dtype=self.law.Z.dtype), np.ones((n, 256), dtype=self.law.Z.dtype)

    def products(self):
        for _ in range(10):
            self.law.Z @ self.W
            self.law.Z.T @ self.margins

    def track_time_over_products(self, *_):
        return ratio(lambda: self.law.sample(self.rng, 256), self.products)

    def track_time_over_loop(self, *_):
        loop = ratio(lambda: self.law.sample(self.rng, 256), lambda: [self.law.sample(self.rng) for _ in range(16)], 3)
        return loop / 16

    def track_time_over_double_loop(self, shape, precision):
        """Over one run after another in float64."""
        law = noisy_gd.law(margin_data(*shape), np.ones(shape[0]), privacy=GaussianDP(MU), width=GAMMA, steps=10)
        return ratio(lambda: self.law.sample(self.rng, 256), lambda: [law.sample(self.rng) for _ in range(16)], 3) / 16


class Alone:
    """One run of 100 steps over reading its rows, in float64, once a step: at 1 no code that reads them is faster.

    What reads fastest here is BLAS's product of a vector with itself, 48 GB/s; `sum` adds at 23 GB/s. With exact noise
    rows are read once, in float32, which holds them without rounding. With float noise they are read twice a step, in
    bands that stay in a cache the second time: no code that leaves both products to BLAS is faster than those.
    """

    params = ([(8000, 784), (20_000, 784), (50_000, 30)], ["float", "exact"])
    param_names = ("n, d", "noise")

    def setup(self, shape, noise):
        if shape == (20_000, 784):
            dear("rows of 120 MiB")
        self.law = noisy_gd.law(
            margin_data(*shape), np.ones(shape[0]), privacy=GaussianDP(MU), width=GAMMA, steps=100, noise=noise
        )
        self.law.sample(np.random.default_rng(SEED))

    def sample(self):
        self.law.sample(np.random.default_rng(SEED))

    def track_time_over_reading(self, *_):
        entries = self.law.Z.ravel().astype(float)
        return ratio(self.sample, lambda: [entries @ entries for _ in range(100)])


class AloneBesideProducts:
    """The same run with float noise over both products of each band, one after the other."""

    params = (Alone.params[0],)
    param_names = Alone.param_names[:1]

    def setup(self, shape):
        self.alone = Alone()
        self.alone.setup(shape, "float")
        rows, height = self.alone.law.Z, max(1, 2**20 // (8 * shape[1]))
        self.bands = [rows[start : start + height] for start in range(0, len(rows), height)]
        self.w, self.ones = np.ones((shape[1], 1)), np.ones((height, 1))

    def products(self):
        for _ in range(100):
            for band in self.bands:
                band @ self.w
                band.T @ self.ones[: len(band)]

    def track_time_over_products(self, shape):
        return ratio(self.alone.sample, self.products)


class Tightness:
    """The explicit bound of wzw25 Lemma C.1 over the mean excess of 500 releases."""

    params = ([20, 50, 100], [5, 20])
    param_names = ("n", "d")

    def setup(self, n, d):
        if n**2 < d:
            raise NotImplementedError(f"n = {n}, d = {d}: fewer than one balanced step")
        self.law, self.Z = law(n, d), margin_data(n, d)

    def track_bound_over_observed(self, n, d):
        released = self.law.sample(np.random.default_rng(SEED), 500)
        observed = hinge_sum(released.T, self.Z, GAMMA).mean()  # the loss of e_1 is 0
        bound = bounds.averaged_hinge_excess(n=n, d=d, steps=self.law.steps, mu=MU, sensitivity=2 / GAMMA, distance=1.0)
        return float(bound / observed)
