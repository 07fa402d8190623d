"""What users ask first: a fit of a table of many rows or columns, ours beside scikit-learn's and diffprivlib's."""

import warnings
from functools import partial

import numpy as np

from .bench_estimators import fit, peak_over, table
from .side_by_side import cost, dear, timer as timer

OURS = ("MarginClassifier", "NoisyGD", "PhasedSGD", "PrivateRidge")
PEERS = ("LogisticRegression", "diffprivlib")  # the second one's logistic regression, where it is installed


def learner(name):
    """A call that fits X, y, privately at epsilon 1, and ours at delta 1e-7."""
    if name == "LogisticRegression":
        from sklearn.linear_model import LogisticRegression

        return lambda X, y: LogisticRegression().fit(X, y)
    if name == "diffprivlib":
        try:
            from diffprivlib.models import LogisticRegression as Private
        except ImportError as error:  # 0.6.6 imports names that scikit-learn has lost since 1.6
            raise NotImplementedError(f"diffprivlib does not run here: {error}") from None

        return lambda X, y: Private(epsilon=1.0, data_norm=1.0).fit(X / np.linalg.norm(X, axis=1, keepdims=True), y)
    return partial(fit, name, delta=1e-7)  # the default is too large for a million rows


class Rows:
    """A fit of n rows with 20 columns."""

    params = (OURS + PEERS, [10_000, 100_000, 1_000_000])
    param_names = ("learner", "n")
    timeout = 900

    def setup(self, name, n):
        if n > 10_000:
            dear("fits of many rows")
        self.X, self.y = table(n, 20)
        self.learn = learner(name)

    def call(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a peer that stops before it has converged
            self.learn(self.X, self.y)

    def track_seconds(self, *_):
        return cost(self.call, 1 if len(self.X) > 100_000 else 3)[0]

    track_seconds.unit = "seconds"

    def track_memory_over_table(self, *_):
        return peak_over(self.X.nbytes, self.call)

    track_memory_over_table.unit = "ratio"


class Columns(Rows):
    """A fit of 20,000 rows with d columns."""

    params = (OURS + PEERS, [10, 100, 1000])
    param_names = ("learner", "d")

    def setup(self, name, d):
        if d > 10:
            dear("fits of many columns")
        self.X, self.y = table(20_000, d)
        self.learn = learner(name)
