"""diffprivlib: tools, mechanisms and models."""

from functools import partial

import numpy as np
from diffprivlib import mechanisms, models, tools

from lemmata import ApproxDP, PureDP
from lemmata.tools.wild.targets import honest, known

x = np.linspace(0.1, 0.9, 20)
X = np.random.default_rng(0).uniform(0, 1, (20, 2))
y = np.arange(20) % 2
STUDY, LINEAR = "arXiv 2602.17454", "https://github.com/IBM/differential-privacy-library/issues/"
NAN = "NaN passes the clipping, and shows"


def regression(X, y, random_state, bounds, fit_intercept):
    """A linear regression on data that its user has clipped to the bounds."""
    model = models.LinearRegression(
        epsilon=1.0, bounds_X=bounds, bounds_y=(0, 1), fit_intercept=fit_intercept, random_state=random_state
    )
    return model.fit(np.clip(X, *bounds), np.clip(y, 0.0, 1.0))


@known(STUDY, NAN, line="utils.py:295")
def mean():
    return partial(tools.mean, epsilon=1.0, bounds=(0, 1)), x, PureDP(1.0)


@known(STUDY, NAN, line="utils.py:453")
def var():
    return partial(tools.var, epsilon=1.0, bounds=(0, 1)), x, PureDP(1.0)


@known(STUDY, NAN, line="utils.py:453")
def std():
    return partial(tools.std, epsilon=1.0, bounds=(0, 1)), x, PureDP(1.0)


@known(STUDY, NAN, line="utils.py:741")
def sum():
    return partial(tools.sum, epsilon=1.0, bounds=(0, 1)), x, PureDP(1.0)


@known(STUDY, "NaN in, NaN out, without a draw", line="quantiles.py:140")
def median():
    return partial(tools.median, epsilon=1.0, bounds=(0, 1)), x, PureDP(1.0)


@known(STUDY, "the classes are read from the labels", line="naive_bayes.py:288 naive_bayes.py:294", budget=6_000)
def gaussian_naive_bayes():
    return models.GaussianNB(epsilon=1.0, bounds=(0, 1)), X, y, PureDP(1.0)


@known(
    LINEAR + "105",
    "the sensitivity of a square is that of the lower bound: 0",
    line="linear_regression.py:147",
    budget=8_000,
)
def linear_regression_from_0_to_100():
    return partial(regression, bounds=(0, 100), fit_intercept=False), 100 * X, y, PureDP(1.0)


@known(
    LINEAR + "104",
    "centring spends its share of the budget twice",
    line="linear_regression.py:90 linear_regression.py:93",
    budget=8_000,
)
def linear_regression_with_intercept():
    return partial(regression, bounds=(-1, 1), fit_intercept=True), 2 * X - 1, y, PureDP(1.0)


@honest("NaN is replaced first")
def sum_without_nan():
    return partial(tools.nansum, epsilon=1.0, bounds=(0, 1)), x, PureDP(1.0)


@honest()
def histogram():
    return partial(tools.histogram, epsilon=1.0, bins=5, range=(0, 1)), x, PureDP(1.0, "add/remove")


@honest()
def histogram_of_two_columns():
    return partial(tools.histogram2d, epsilon=1.0, bins=3, range=[(0, 1), (0, 1)]), x, x, PureDP(1.0, "add/remove")


@honest("a record replaced: its documentation counts so")
def count_nonzero():
    return partial(tools.count_nonzero, epsilon=1.0), x > 0.5, PureDP(1.0)


@known("arXiv 2207.13793", "noise in float64 on a 0 has lower bits than on a 1")
def laplace():
    return mechanisms.Laplace(epsilon=1.0, sensitivity=1.0), 0.0, PureDP(1.0)


@honest("over the real numbers, as its kin below: next to a 0 their bits tell it too")
def truncated_laplace():
    return mechanisms.LaplaceTruncated(epsilon=1.0, sensitivity=1.0, lower=0, upper=2), 1.5, PureDP(1.0)


@honest()
def folded_laplace():
    return mechanisms.LaplaceFolded(epsilon=1.0, sensitivity=1.0, lower=0, upper=2), 1.5, PureDP(1.0)


@honest()
def bounded_laplace():
    return mechanisms.LaplaceBoundedDomain(epsilon=1.0, sensitivity=1.0, lower=0, upper=2), 1.5, PureDP(1.0)


@honest()
def geometric():
    return mechanisms.Geometric(epsilon=1.0, sensitivity=1), 0, PureDP(1.0)


@honest()
def truncated_geometric():
    return mechanisms.GeometricTruncated(epsilon=1.0, sensitivity=1, lower=0, upper=3), 1, PureDP(1.0)


@honest()
def staircase():
    return mechanisms.Staircase(epsilon=1.0, sensitivity=1.0), 0.5, PureDP(1.0)


@honest()
def snapping():
    return mechanisms.Snapping(epsilon=1.0, sensitivity=1.0, lower=-10, upper=10), 0.0, PureDP(1.0)


@honest()
def gaussian():
    return mechanisms.Gaussian(epsilon=1.0, delta=1e-3, sensitivity=1.0), 0.5, ApproxDP(1.0, 1e-3)


@honest()
def analytic_gaussian():
    return mechanisms.GaussianAnalytic(epsilon=1.0, delta=1e-3, sensitivity=1.0), 0.5, ApproxDP(1.0, 1e-3)


@honest()
def discrete_gaussian():
    return mechanisms.GaussianDiscrete(epsilon=1.0, delta=1e-3, sensitivity=1), 0, ApproxDP(1.0, 1e-3)


@honest(budget=6_000)
def standard_scaler():
    return models.StandardScaler(epsilon=1.0, bounds=(0, 1)), X, PureDP(1.0)


@honest("symmetric bounds, no intercept: neither mistake of issues 104 and 105", budget=3_000)
def linear_regression_from_minus_1_to_1():
    return partial(regression, bounds=(-1, 1), fit_intercept=False), 2 * X - 1, y, PureDP(1.0)
