"""Learners: phased SGD, private SVMs and random features, with the quality of what they find beside their time."""

import time

import numpy as np

from .scaling import cost, exponent
from .side_by_side import dear, module, ratio

timer = time.process_time  # CPU seconds: what else the machine does matters less
SEED = 3


def records(n, d):
    """n unit rows in R^d and labels that a halfspace gives, one in ten flipped."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.where(X[:, 0] >= 0, 1.0, -1.0) * np.where(rng.random(n) < 0.1, -1.0, 1.0)


class PhasedSGD:
    """One pass of phased SGD: a run is as many steps as there are records, less the last phase."""

    params = ([1000, 10_000], [20, 200], [1, 20])
    param_names = ("n", "k", "runs")

    def setup(self, n, k, runs):
        if n * k * runs > 10**7:
            raise NotImplementedError("too long for a benchmark")
        sgd, privacy = (
            module("lemmata.mechanisms.learners.erm.phased_sgd", "law"),
            module("lemmata.mechanisms.privacy", "GaussianDP"),
        )
        sizes = {"rho": 0.5, "radius": 1.0, "norm_bound": 1.0}
        self.law = sgd.law(*records(n, k), privacy=privacy.GaussianDP(1.0), **sizes)
        self.rng = np.random.default_rng(SEED)

    def time_sample(self, n, k, runs):
        self.law.sample(self.rng, runs)

    peakmem_sample = time_sample

    def track_time_over_copies(self, n, k, runs):
        """Over reading every record once for each run."""
        X = records(n, k)[0]
        return ratio(lambda: self.law.sample(self.rng, runs), lambda: [X.sum() for _ in range(runs)], 3)

    track_time_over_copies.unit = "ratio"


class PrivateSVM:
    """Solve once, release often."""

    params = ([200, 2000], [10, 100])
    param_names = ("n", "features")

    def setup(self, n, features):
        self.svm, privacy = (
            module("lemmata.mechanisms.learners.erm.private_svm", "law", "solve"),
            module("lemmata.mechanisms.privacy", "PureDP"),
        )
        self.X, self.y = records(n, features)
        self.budget = privacy.PureDP(1.0)

    def time_law(self, n, features):
        self.svm.law(self.X, self.y, privacy=self.budget, C=1.0)

    peakmem_law = time_law

    def track_duality_gap(self, n, features):
        """The certified gap of the minimiser, at a box that few records reach."""
        return float(np.max(self.svm.solve(self.X, self.y, C=100.0).gap))

    track_duality_gap.unit = "gap"

    def track_time_over_sklearn(self, n, features):
        from sklearn.svm import SVC

        peer = SVC(C=1.0 / n, kernel="linear", tol=1e-6)
        return ratio(lambda: self.svm.solve(self.X, self.y, C=1.0), lambda: peer.fit(self.X, self.y), 3)

    track_time_over_sklearn.unit = "ratio"


class TablesAsTheyAre:
    """`MarginClassifier` over logistic regression, which is not private: on the table, and behind a StandardScaler.

    `MarginClassifier` finds the columns' ranges and standardises them itself, so the latter is its like. The time of
    logistic regression depends on the data: here 17 to 20 iterations.
    """

    params = ([(5000, 30), (50_000, 30), (20_000, 784)],)
    param_names = ("n, d",)

    def setup(self, shape):
        self.ours = module("lemmata.mechanisms.estimators.margin_classifier", "MarginClassifier").MarginClassifier
        if shape[1] > 100:
            dear("a table of 120 MiB")
        rng = np.random.default_rng(SEED)
        self.X = rng.normal(size=shape) * rng.uniform(0.5, 2, size=shape[1]) @ mixing(shape[1], rng)
        scores = self.X[:, :5].sum(axis=1)
        self.y = (scores > rng.logistic(scale=scores.std() / 4, size=shape[0])).astype(int)
        self.fit()

    def fit(self):
        self.ours(classes=(0, 1), random_state=np.random.default_rng(SEED)).fit(self.X, self.y)

    def time_fit(self, shape):
        self.fit()

    peakmem_fit = time_fit

    def track_time_over_logistic_regression(self, shape):
        from sklearn.linear_model import LogisticRegression

        return ratio(self.fit, lambda: LogisticRegression(max_iter=1000).fit(self.X, self.y), 3)

    def track_time_over_scaler_and_regression(self, shape):
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        return ratio(self.fit, lambda: peer.fit(self.X, self.y), 3)

    track_time_over_logistic_regression.unit = track_time_over_scaler_and_regression.unit = "ratio"


def mixing(d, rng):
    """A matrix that makes columns depend on each other: the identity and a third of a random one."""
    return np.eye(d) + rng.normal(size=(d, d)) / (3 * np.sqrt(d))


class Search:
    """`PrivateSearchCV` over three widths in 20 columns: the time of as many runs as are expected, and how it grows.

    The number of runs is random, whatever the data are, so the settings' laws are sampled a fixed number of times.
    """

    params = ([2000, 8000],)
    param_names = ("n",)
    timeout = 300
    runs = 19  # of each of three widths: 57 are expected

    def setup(self, n):
        if n > 2000:
            dear("searches of up to 16,000 records")
        kind = module("lemmata.mechanisms.estimators.search", "PrivateSearchCV").PrivateSearchCV
        learner = module("lemmata.mechanisms.estimators.margin_classifier", "NoisyGD").NoisyGD()
        self.search = kind(learner, {"width": [0.01, 0.1, 1.0]})

    def sampled(self, n):
        """What draws the runs of one search, its laws made."""
        laws = self.search.law(*records(n, 20), np.random.default_rng(SEED)).base
        return lambda: [law.sample(np.random.default_rng(SEED), self.runs) for law in laws]

    def track_seconds(self, n):
        return cost(self.sampled(n), 2)[0]

    track_seconds.unit = "seconds"


class SearchGrowth:
    """The exponent of a search's CPU time in n, by least squares in logarithms."""

    timeout = 300
    sizes = (2000, 8000, 32_000)

    def setup(self):
        dear("searches of up to 32,000 records")
        self.search = Search()
        self.search.setup(2000)

    def track_exponent(self):
        return exponent(list(self.sizes), [cost(self.search.sampled(size), 1)[0] for size in self.sizes])[0]

    track_exponent.unit = "exponent"


class RandomFeatures:
    """Cosines and sines of random frequencies, and how far the kernel is from its mean."""

    params = ([200, 2000], [50, 1000])
    param_names = ("n", "frequencies")

    def setup(self, n, frequencies):
        self.rff = module("lemmata.mechanisms.features.random_features", "fourier_map", "frequencies", "FourierMap")
        rng = np.random.default_rng(SEED)
        self.X = rng.normal(size=(n, 10))
        self.omega = self.rff.frequencies("gaussian", 10, frequencies, rng=rng)
        self.map = self.rff.FourierMap(self.omega)

    def time_map(self, n, frequencies):
        self.map(self.X)

    peakmem_map = time_map

    def track_time_over_bare_passes(self, n, frequencies):
        def bare():
            angles = self.X @ self.omega.T
            return np.cos(angles), np.sin(angles)

        return ratio(lambda: self.map(self.X), bare)

    track_time_over_bare_passes.unit = "ratio"

    def track_kernel_error(self, n, frequencies):
        """The largest error over 200 rows."""
        X = self.X[:200]
        images = self.map(X)
        distances = ((X[:, None] - X) ** 2).sum(-1)
        return float(np.abs(images @ images.T - np.exp(-distances / 2)).max())

    track_kernel_error.unit = "error"
