"""Phased SGD: time of one run and of many, over a loop in Python, and how far the bound lies above what happens."""

import numpy as np

from lemmata.bounds.bms22.dp_erm_proof import round_excess
from lemmata.mechanisms.learners.erm import phased_sgd
from lemmata.mechanisms.privacy import GaussianDP

from .bench_noisy_gd import SEED
from .side_by_side import GAMMA, dear, margin_data, ratio, sampled, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
MU = 1.0


class Run:
    """One pass over n records in R^k, rho the margin of the data."""

    params = ([2000, 20_000], [10, 1000], [1, 50])
    param_names = ("n", "k", "runs")

    def setup(self, n, k, runs):
        if n * k * runs > 10**8:
            raise NotImplementedError("no more to learn")
        if n * k > 10**7:
            dear("records of 150 MiB")
        self.Z = margin_data(n, k)
        self.law = phased_sgd.law(self.Z, np.ones(n), privacy=GaussianDP(MU), rho=GAMMA, radius=1.0, norm_bound=1.0)
        self.law.sample(np.random.default_rng(SEED))  # kernels are compiled

    def time_sample(self, n, k, runs):
        self.law.sample(np.random.default_rng(SEED), runs)

    peakmem_sample = time_sample

    def track_microseconds_a_step(self, n, k, runs):
        """Of CPU time, each run's steps counted."""
        best = min(sampled(lambda: self.law.sample(np.random.default_rng(SEED), runs), 1) for _ in range(5))
        return 1e6 * best / (self.law.gradients * runs)

    track_microseconds_a_step.unit = "µs"

    def track_time_over_loop(self, n, k, runs):
        """Over the products alone of a Python loop that takes the same steps."""

        def loop():
            w = np.zeros(k)
            for z in self.Z[: self.law.gradients]:
                w += 1e-9 * (z @ w) * z

        return ratio(lambda: self.law.sample(np.random.default_rng(SEED)), loop, 3)

    def track_bound_over_observed(self, n, k, runs):
        """The explicit excess of the oracle over the mean hinge loss of 20 runs; that of e_1 is 0."""
        W = self.law.sample(np.random.default_rng(SEED), 20)
        observed = np.maximum(0, 1 - self.Z @ W.T / GAMMA).mean()
        return float(round_excess(m=n, k=k, multiplier=self.law.multiplier, a=1 / GAMMA) / observed)
