"""The private SVM: a thousand neighbours solved together, and releases streamed against the noise they are made of."""

import numpy as np

from lemmata.experiments.instances.pairs.svm_neighbours import candidates
from lemmata.mechanisms.features.random_features import fourier_map
from lemmata.mechanisms.law import sample_in_blocks
from lemmata.mechanisms.learners.erm import kernel_svm, private_svm
from lemmata.mechanisms.noise.laplace import FloatLaplace, GridLaplace, discrete_laplace, grid_for
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.solvers.svm import solve_rows

from .side_by_side import dear, ratio, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SEED = 13
DIMENSION, BLOCK, STREAMED = 2000, 100, 1000


class Neighbours:
    """1,000 databases of 50 records that differ in the last one, hinge loss."""

    params = ([5, 20, 50], [1.0, 200.0])
    param_names = ("F", "C")

    def setup(self, F, C):
        if F > 20:
            dear("a thousand problems in 50 dimensions")
        self.V, self.y = candidates(F, 50, 1.0, "random", np.random.default_rng(SEED), 1000)

    def time_solve(self, F, C):
        solve_rows(self.V, self.y, C=C)

    def track_largest_gap(self, F, C):
        """The largest duality gap of the batch; at most 1e-10."""
        return float(solve_rows(self.V, self.y, C=C).gap.max())

    track_largest_gap.unit = "gap"


class Single:
    """One law, certified, over scikit-learn's LinearSVC of the same problem, which is not: at most 4."""

    params = ([1000, 20_000], [1.0, 100.0])
    param_names = ("n", "C")

    def setup(self, n, C):
        rng = np.random.default_rng(SEED)
        self.X = rng.normal(size=(n, 20)) / np.sqrt(80)
        self.y = np.where(self.X @ rng.normal(size=20) + 0.15 * rng.normal(size=n) > 0, 1.0, -1.0)

    def law(self, C):
        return private_svm.law(self.X, self.y, C=C, privacy=PureDP(1.0))

    def time_law(self, n, C):
        self.law(C)

    peakmem_law = time_law

    def track_time_over_linear_svc(self, n, C):
        from sklearn.svm import LinearSVC

        peer = LinearSVC(C=C / n, loss="hinge", fit_intercept=False, max_iter=100_000)
        return ratio(lambda: self.law(C), lambda: peer.fit(self.X, self.y), 20)

    def track_certified_error(self, n, C):
        """The bound on the distance to the exact minimiser."""
        return float(private_svm.solve(self.X, self.y, C=C).error)

    track_certified_error.unit = "distance"


class Groups:
    """n records in a hundred groups: the time depends on the groups alone."""

    params = ([10**2, 10**5, 10**8],)
    param_names = ("n",)

    def setup(self, n):
        (V, y), self.counts = candidates(20, 100, 1.0, "random", np.random.default_rng(SEED), 2), np.full(100, n // 100)
        self.V, self.y = V[0], y[0]

    def time_solve(self, n):
        solve_rows(self.V, self.y, C=50.0, counts=self.counts)


class Stream:
    """Releases of output perturbation in 2,000 dimensions, streamed in blocks, over the noise alone."""

    params = (["float64", "grid"],)
    param_names = ("sampler",)

    def setup(self, sampler):
        self.rng, centre = np.random.default_rng(SEED), np.random.default_rng(SEED).normal(size=DIMENSION)
        grid, self.steps = grid_for(1.0, 1.0, DIMENSION)
        self.law = FloatLaplace(centre, 1.0) if sampler == "float64" else GridLaplace(centre, grid, self.steps)
        self.size = STREAMED if sampler == "float64" else STREAMED // 5

    def stream(self):
        total = np.zeros(DIMENSION)
        for block in sample_in_blocks(self.law, self.rng, self.size, BLOCK):
            total += block[-1]  # nothing is kept
        return total

    def noise(self, sampler):
        for _ in range(self.size // BLOCK):
            if sampler == "float64":
                self.rng.laplace(0.0, 1.0, (BLOCK, DIMENSION))
            else:
                discrete_laplace(self.rng, self.steps, (BLOCK, DIMENSION))

    def track_stream_over_noise(self, sampler):
        return ratio(self.stream, lambda: self.noise(sampler))


class Features:
    """PRIVATESVM with more features than records: solved in the span of the records."""

    params = ([100, 10_000, 100_000],)
    param_names = ("count",)

    def setup(self, count):
        draw = np.random.default_rng(SEED)
        self.X, self.y = draw.uniform(-1, 1, (50, 1)), draw.choice([-1.0, 1.0], 50)
        self.public = fourier_map("gaussian", 1, count, rng=draw)

    def time_law(self, count):
        kernel_svm.law(self.X, self.y, C=1.0, privacy=PureDP(1.0), public=self.public)

    peakmem_law = time_law
