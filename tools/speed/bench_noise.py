"""Noise and selection: grid Laplace releases, the number of runs of private tuning, the exponential mechanism."""

import time

import numpy as np

from .side_by_side import module, ratio

timer = time.process_time  # CPU seconds: what else the machine does matters less
SEED = 5


class GridLaplace:
    """Releases of a vector under Laplace noise on a grid, drawn exactly."""

    params = ([10, 1000], [1, 1000])
    param_names = ("features", "releases")

    def setup(self, features, releases):
        laplace = module("lemmata.mechanisms.laplace", "GridLaplace", "grid_for")
        grid, steps = laplace.grid_for(1.0, 1.0, features)
        self.law = laplace.GridLaplace(np.linspace(-1, 1, features), grid, steps)
        self.rng = np.random.default_rng(SEED)

    def time_sample(self, features, releases):
        self.law.sample(self.rng, releases)

    peakmem_sample = time_sample

    def track_time_over_float_noise(self, features, releases):
        shape = (releases, features)
        return ratio(lambda: self.law.sample(self.rng, releases), lambda: self.rng.laplace(size=shape), 3)

    track_time_over_float_noise.unit = "ratio"


class RunCounts:
    """Numbers of runs from the truncated negative binomial law."""

    params = ([0.0, 1.0], [1000, 100_000])
    param_names = ("eta", "draws")

    def setup(self, eta, draws):
        self.law = module("lemmata.mechanisms.tnb", "law").law(eta=eta, r=0.01)
        self.rng = np.random.default_rng(SEED)

    def time_sample(self, eta, draws):
        self.law.sample(self.rng, draws)

    peakmem_sample = time_sample

    def track_time_over_numpy(self, eta, draws):
        peer = self.rng.negative_binomial
        return ratio(lambda: self.law.sample(self.rng, draws), lambda: peer(max(eta, 0.5), 0.01, size=draws), 3)

    track_time_over_numpy.unit = "ratio"


class Exponential:
    """The exponential mechanism over scores in memory."""

    params = ([1000, 1_000_000], [1, 100])
    param_names = ("candidates", "releases")

    def setup(self, candidates, releases):
        exponential, privacy = (
            module("lemmata.mechanisms.exponential", "law"),
            module("lemmata.mechanisms.privacy", "PureDP"),
        )
        self.rng = np.random.default_rng(SEED)
        self.scores = self.rng.normal(size=candidates)
        self.law = exponential.law(self.scores, privacy=privacy.PureDP(1.0), sensitivity=1.0)

    def time_sample(self, candidates, releases):
        self.law.sample(self.rng, releases)

    peakmem_sample = time_sample

    def track_time_over_choice(self, candidates, releases):
        def peer():
            weights = np.exp(self.scores / 2 - self.scores.max() / 2)
            return self.rng.choice(candidates, size=releases, p=weights / weights.sum())

        return ratio(lambda: self.law.sample(self.rng, releases), peer, 3)

    track_time_over_choice.unit = "ratio"
