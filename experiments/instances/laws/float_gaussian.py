"""Gaussian noise as float64 draws it: one release that tells two values apart, and quantiles in balls."""

from fractions import Fraction
from math import fmod

import numpy as np
from flint import arb

from lemmata.bounds.exact.balls import Phi, exact
from lemmata.bounds.exact.numbers import halved
from lemmata.experiments.checks import witness
from lemmata.experiments.engine.claims.verdict import Verdict, inconclusive, refuted

ONE_RELEASE = """from math import fmod
import numpy as np
from scipy.special import ndtr, ndtri
from lemmata.bounds.wzw25.gaussian_privacy import textbook_release
y = 0.0 + {sigma!r} * np.random.default_rng(0).normal()  # a release of the textbook sampler from the value 0
# From the value {sigma!r} the sum with noise z is below sigma / 2 only where
# -3/2 < z / sigma < -1/2, and is exact there:
# a multiple of the spacing of doubles there. y is none, so it is impossible for the neighbour.
assert 0 < abs(y) < {sigma!r} / 2 and fmod(y, {sigma!r} * 2.0**-53) != 0
assert ndtr(ndtri(2.0**-64) - textbook_release(mu={mu!r})) > 0.0  # the least that mu-GDP asks of the neighbour"""


def one_release(mu: float) -> Verdict:
    """The verdict on the textbook sampler at sensitivity = sigma = 1, powers of two, so that scaling is exact."""
    y = float(np.random.default_rng(0).normal())
    if not (0 < abs(y) < 0.5 and fmod(y, 2.0**-53)):
        return inconclusive("FAILED", "this draw does not show it")
    drawn = np.random.default_rng(0).normal(size=10**5)
    share = float(np.mean((abs(drawn) < 0.5) & (np.fmod(drawn, 2.0**-53) != 0)))
    shown = witness.privacy(
        {"mu": mu},
        epsilon=mu,
        log_ratio=float("inf"),
        a="the value 0",
        b="the value 1",
        output=y,
        python=ONE_RELEASE.format(sigma=1.0, mu=mu),
        found="infinite",
    )
    return refuted("enumeration", shown, note=f"impossible from the neighbour: {share:.1%} of releases")


def quantile(p: float) -> arb:
    """The normal quantile of a probability as a ball: bisection between floats that enclose it."""
    target = exact(p)
    low, high = halved(lambda x: not Phi(exact(x)) < target, Fraction(-40), Fraction(40))
    return exact(low).union(exact(high))
