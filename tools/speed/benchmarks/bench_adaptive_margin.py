"""DP Adaptive Margin: time and memory of one run and of 200 runs together."""

from itertools import product

import numpy as np

from lemmata.mechanisms.learners.descent import adaptive_margin
from lemmata.mechanisms.privacy import ApproxDP

from .bench_noisy_gd import SEED
from .side_by_side import dear, margin_data, ratio, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own


class AdaptiveMargin:
    """Algorithm 3 at epsilon = 1, delta = 1e-5, balanced steps, no projection (k >= d for every margin)."""

    params = ([(500, 50), (5000, 50)], ["printed", "exact"], [1, 200])
    param_names = ("n, d", "calibration", "runs")
    timeout = 300

    def setup(self, shape, calibration, runs):
        if runs > 1 and calibration == "exact":
            raise NotImplementedError("six times the steps of the printed calibration: no more to learn")
        if shape[0] > 500 and (runs > 1 or calibration == "exact"):
            dear("thousands of steps over 5000 records")
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


class RandomBatchesAgainstFullDescents:
    """What random batches lose on fresh records, where full descents end in reasonable time; releases are paired."""

    params = ([(2000, 20, 1.0), (5000, 50, 1.0)],)
    param_names = ("n, d, epsilon",)
    timeout = 600

    def setup(self, setting):
        if setting[0] > 2000:
            dear("full descents of 5000 records")

    def track_errors_over_full(self, setting):
        """Wrong answers over those of full descents: 4 datasets, 8 releases of each. One in twenty is wrong anyway."""
        n, d, epsilon = setting
        fresh, signs = planted(20_000, d, seed=SEED)
        wrong = {"sampled": [], "balanced": []}
        for seed, steps in product(range(4), wrong):
            weights = released(*planted(n, d, seed), steps, epsilon).sample(np.random.default_rng(seed), 8)["weights"]
            wrong[steps].append(np.mean(signs[:, None] * (fresh @ weights.T) <= 0))
        return float(np.mean(wrong["sampled"]) / np.mean(wrong["balanced"]))


def planted(n, d, seed=0, margin=0.3, flipped=0.05):
    """Unit rows with a margin in the direction e_1, and labels of which one in twenty is flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] = 0
    for row in X:
        row *= np.sqrt((1 - margin**2) / (row @ row))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    X[:, 0] = margin * y
    return X, y * np.where(rng.random(n) < flipped, -1.0, 1.0)


def released(X, y, steps, epsilon):
    """The law that the estimator samples, with float64's noise, for many releases at once."""
    options = dict(output="last", stride="decaying", ties="wrong")
    return adaptive_margin.law(X, y, steps=steps, privacy=ApproxDP(epsilon, 1e-5), **options)
