"""Every public estimator with its defaults: how time and memory of a fit grow, dense and sparse.

The estimators are those of `lemmata.mechanisms.hardening`, so that a new one is measured without a line here.
"""

import tracemalloc
from functools import partial

import numpy as np

import lemmata

from .side_by_side import cost, dear, exponent, module, ratio, timer as timer

SEED = 3
NAMES = [one.name for one in module("lemmata.mechanisms.hardening", "ESTIMATORS").ESTIMATORS]


def table(n, d):
    """n rows in R^d, of length about 1, and the labels of a halfspace."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    return X, np.where(X[:, :10].sum(axis=1) > 0, 1, -1)


def sparse_table(n, d, stored=50):
    """The same with 50 entries in each row, in CSR."""
    from scipy import sparse

    rng = np.random.default_rng(SEED)
    places = rng.integers(0, d, size=(n, stored))
    X = sparse.csr_array((rng.normal(size=places.size) / 8, (np.repeat(np.arange(n), stored), places.ravel())), (n, d))
    return X, np.where(X @ rng.normal(size=d) > 0, 1, -1)


def fit(name, X, y, **asked):
    """One release with the defaults, but for what is asked.

    Where the number of runs is random, it is the same share of what is expected.
    """
    kind = getattr(lemmata, name)
    given = {"classes": (-1, 1)} if hasattr(kind, "classes") else {}
    return kind(**given, **asked, random_state=np.random.default_rng(SEED)).fit(X, y)


def peak_over(size, function):
    """Bytes that a call allocates at most, over `size`; the first call loads and compiles."""
    function()
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / size


class Growth:
    """The exponents of CPU seconds and of peak memory of a fit in n, d = 100, by least squares in logarithms.

    Descents go from 50 to 150 steps between these sizes (`gd_estimators.choose_steps`) and no further, so that their
    exponent here may be 1 + log 3 / log 8.
    """

    params = (NAMES,)
    param_names = ("estimator",)
    timeout = 1800  # a private search of 40,000 records takes three minutes, three times
    sizes, d = (5000, 10_000, 20_000, 40_000), 100

    def setup(self, name):
        dear("fits of up to 40,000 records")
        self.costs = list(zip(*(cost(partial(fit, name, *table(n, self.d)), 2) for n in self.sizes), strict=True))

    def track_time_exponent(self, name):
        return exponent(self.sizes, self.costs[0])[0]

    track_time_exponent.unit = "exponent"

    def track_memory_exponent(self, name):
        return exponent(self.sizes, self.costs[1])[0]

    track_memory_exponent.unit = "exponent"


class Dense:
    """A fit of 99,000 x 1,000 numbers, 0.74 GiB: CPU seconds, and peak memory over that of the table.

    From 100,000 on some learners refuse the default delta, which has to be below 1/n.
    """

    params = (NAMES,)
    param_names = ("estimator",)
    timeout = 900

    def setup(self, name):
        dear("fits of 99,000 records")
        self.X, self.y = table(99_000, 1000)

    def time_fit(self, name):
        fit(name, self.X, self.y)

    def track_memory_over_table(self, name):
        return peak_over(self.X.nbytes, partial(fit, name, self.X, self.y))

    track_memory_over_table.unit = "ratio"


class Sparse:
    """4,000 x 100,000 with 50 entries a row in CSR, 2.4 MB: CPU seconds over logistic regression, memory over CSR."""

    params = (NAMES,)
    param_names = ("estimator",)
    timeout = 900

    def setup(self, name):
        dear("fits in 100,000 columns")
        if name == "PrivateRidge":
            raise NotImplementedError("holds the second moments of at most 4,096 columns")
        self.X, self.y = sparse_table(4000, 100_000)

    def track_time_over_logistic_regression(self, name):
        from sklearn.linear_model import LogisticRegression

        return ratio(partial(fit, name, self.X, self.y), lambda: LogisticRegression().fit(self.X, self.y), 3)

    track_time_over_logistic_regression.unit = "ratio"

    def track_memory_over_table(self, name):
        stored = self.X.data.nbytes + self.X.indices.nbytes + self.X.indptr.nbytes
        return peak_over(stored, partial(fit, name, self.X, self.y))

    track_memory_over_table.unit = "ratio"


class SparseRanges:
    """50,000 x 10,000 with 50 entries a row in CSR, 30 MB, where ranges are found: seconds and memory as above."""

    params = (["MarginClassifier", "PrivateScaler"],)
    param_names = ("estimator",)
    timeout = 900

    def setup(self, name):
        dear("fits of 50,000 sparse records")
        self.X, self.y = sparse_table(50_000, 10_000)

    track_time_over_logistic_regression = Sparse.track_time_over_logistic_regression
    track_memory_over_table = Sparse.track_memory_over_table
