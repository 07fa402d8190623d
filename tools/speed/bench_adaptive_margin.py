"""DP Adaptive Margin: time and memory of one run and of 200 runs together."""

import numpy as np

from lemmata.mechanisms import adaptive_margin
from lemmata.mechanisms.privacy import ApproxDP

from .bench_noisy_gd import SEED, margin_data
from .side_by_side import dear, ratio


class AdaptiveMargin:
    """Algorithm 3 at epsilon = 1, delta = 1e-5, balanced steps, no projection (k >= d for every margin)."""

    params = ([(500, 50), (5000, 50)], ["printed", "exact"], [1, 200])
    param_names = ("n, d", "calibration", "runs")
    timeout = 300

    def setup(self, shape, calibration, runs):
        if runs > 1 and calibration == "exact":
            raise NotImplementedError("six times the steps of the printed calibration: no more to learn")
        if runs > 1 and shape[0] > 500:
            dear("200 runs of 5000 records")
        self.law = adaptive_margin.law(
            margin_data(*shape), np.ones(shape[0]), privacy=ApproxDP(1.0, 1e-5), calibration=calibration
        )
        self.rng = np.random.default_rng(SEED)

    def time_sample(self, shape, calibration, runs):
        self.law.sample(self.rng, runs)

    peakmem_sample = time_sample


class Abreast:
    """50 runs together over 50 runs one after another."""

    params = ([100, 1000],)
    param_names = ("n",)

    def setup(self, n):
        self.law = adaptive_margin.law(
            margin_data(n, 20), np.ones(n), privacy=ApproxDP(1.0, 1e-5), calibration="printed"
        )
        self.rng = np.random.default_rng(SEED)

    def track_time_over_loop(self, n):
        return ratio(lambda: self.law.sample(self.rng, 50), lambda: [self.law.sample(self.rng) for _ in range(50)], 3)

    track_time_over_loop.unit = "ratio"


class RandomBatches:
    """Algorithm 3 on random batches: seconds at sizes that full descents do not reach."""

    params = ([(5000, 50), (20_000, 200), (100_000, 100)],)
    param_names = ("n, d",)
    timeout = 600

    def setup(self, shape):
        if shape[0] > 5000:
            dear("a fit of 20,000 records")
        self.X, self.y = margin_data(*shape), np.ones(shape[0])

    def time_fit(self, shape):
        released(self, "sampled").sample(np.random.default_rng(SEED))

    peakmem_fit = time_fit


def released(data, steps):
    """The law of Algorithm 3 on the data of a benchmark."""
    options = dict(privacy=ApproxDP(1.0, 1e-5), output="last", stride="decaying", ties="wrong")
    return adaptive_margin.law(data.X, data.y, steps=steps, **options)


class RandomBatchesAgainstFullDescents:
    """What random batches lose, at the one size where full descents end in reasonable time."""

    params = ([(5000, 50)],)
    param_names = ("n, d",)
    timeout = 600
    setup = RandomBatches.setup

    def track_errors_over_full(self, shape):
        """Mean number of errors of 8 releases, plus one, over that of full descents, plus one."""
        means = []
        for steps in ("sampled", "balanced"):
            weights = released(self, steps).sample(np.random.default_rng(SEED), 8)["weights"]
            means.append(np.mean(np.sum(self.X @ weights.T <= 0, axis=0)))
        return (means[0] + 1) / (means[1] + 1)

    track_errors_over_full.unit = "ratio"
