"""Laplace noise on a grid: time of exact releases, over the textbook sampler, and how little the noise grows."""

import numpy as np

from lemmata.mechanisms.noise.laplace import FloatLaplace, GridLaplace, grid_for

from .side_by_side import ratio, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SEED = 13
NUMBERS = 10**6  # drawn in one go


class Grid:
    """A million numbers, as releases of F coordinates at sensitivity 2."""

    params = ([10, 1000], [0.1, 1.0])
    param_names = ("F", "epsilon")

    def setup(self, F, epsilon):
        self.rng, centre = np.random.default_rng(SEED), np.linspace(-1, 1, F)
        self.grid = GridLaplace(centre, *grid_for(2.0, epsilon, F))
        self.float = FloatLaplace(centre, 2.0 / epsilon)
        self.size = NUMBERS // F

    def time_sample(self, F, epsilon):
        self.grid.sample(self.rng, self.size)

    peakmem_sample = time_sample

    def track_time_over_noise(self, F, epsilon):
        return ratio(lambda: self.grid.sample(self.rng, self.size), lambda: self.float.sample(self.rng, self.size))

    def track_scale_over_float(self, F, epsilon):
        """The noise's scale over the one that real numbers would need."""
        return self.grid.scale / self.float.scale
