"""Learners on tables and random features, with the quality of what they find beside their time."""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .side_by_side import dear, module, ratio, sampled, timer as timer

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
