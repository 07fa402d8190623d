"""Learners on tables, private search and random features, with the quality of what they find beside their time."""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .side_by_side import cost, dear, exponent, module, ratio, sampled
from .side_by_side import timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SEED = 3
DIFFPRIVLIB_ROUNDS = 5
DIFFPRIVLIB_FITS = """
import sys, time, warnings
import numpy as np
from diffprivlib.models import LogisticRegression, StandardScaler
from sklearn.pipeline import make_pipeline
warnings.simplefilter("ignore")
X, y = np.load("X.npy"), np.load("y.npy")
bounds, scaled = (X.min(axis=0), X.max(axis=0)), (X - X.mean(axis=0)) / X.std(axis=0)
def regression(epsilon, rows):
    return LogisticRegression(epsilon=epsilon, data_norm=np.linalg.norm(rows, axis=1).max(), max_iter=1000)
alone = regression(1.0, X)
behind = make_pipeline(StandardScaler(epsilon=0.5, bounds=bounds), regression(0.5, scaled))
peer = {"regression": alone, "scaler and regression": behind}[sys.argv[1]]
for line in sys.stdin:
    start = time.process_time()
    peer.fit(X, y)
    print(time.process_time() - start, flush=True)
"""


def records(n, d):
    """n unit rows in R^d and labels that a halfspace gives, one in ten flipped."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.where(X[:, 0] >= 0, 1.0, -1.0) * np.where(rng.random(n) < 0.1, -1.0, 1.0)


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


def mixing(d, rng):
    """A matrix that makes columns depend on each other: the identity and a third of a random one."""
    return np.eye(d) + rng.normal(size=(d, d)) / (3 * np.sqrt(d))


class TablesBesideDiffprivlib:
    """`MarginClassifier` over diffprivlib on one table, in turns, where LEMMATA_DIFFPRIVLIB names a Python that has it.

    The peers are its logistic regression, alone and behind its StandardScaler. Their bounds of columns and rows are
    looked up in the data at no cost of privacy; ours are found privately. diffprivlib runs in a process of its own,
    because it needs another scikit-learn.
    """

    params = (TablesAsTheyAre.params[0], ["regression", "scaler and regression"])
    param_names = ("n, d", "peer")

    def setup(self, shape, peer):
        if not (python := os.environ.get("LEMMATA_DIFFPRIVLIB")):
            raise NotImplementedError("No module named 'diffprivlib': LEMMATA_DIFFPRIVLIB names a Python that has it")
        self.ours, self.folder = TablesAsTheyAre(), tempfile.TemporaryDirectory()
        self.ours.setup(shape)
        for name in "Xy":
            np.save(Path(self.folder.name) / f"{name}.npy", getattr(self.ours, name))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": self.folder.name}
        self.theirs = subprocess.Popen([python, "-c", DIFFPRIVLIB_FITS, peer], **pipes)

    def teardown(self, *_):
        if hasattr(self, "theirs"):
            self.theirs.communicate()
            self.folder.cleanup()

    def track_time_over_diffprivlib(self, *_):
        """Least CPU seconds of a few fits each."""
        ours, theirs = [], []
        for _ in range(DIFFPRIVLIB_ROUNDS):
            ours.append(sampled(self.ours.fit, 1))
            print(file=self.theirs.stdin, flush=True)
            theirs.append(float(self.theirs.stdout.readline()))
        return min(ours) / min(theirs)


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

    def track_kernel_error(self, n, frequencies):
        """The largest error over 200 rows."""
        X = self.X[:200]
        images = self.map(X)
        distances = ((X[:, None] - X) ** 2).sum(-1)
        return float(np.abs(images @ images.T - np.exp(-distances / 2)).max())

    track_kernel_error.unit = "error"
