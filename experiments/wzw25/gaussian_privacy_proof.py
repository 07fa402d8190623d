"""Do the low bits of a float64 release tell which dataset it came from? Remark 2.3 of wzw25, executed.

The textbook sampler is refuted by one release; the grid sampler's law is compared with what its guarantee allows, at
every threshold, in balls.
"""

from __future__ import annotations

from fractions import Fraction
from math import fmod

import numpy as np

from bounds.exact.balls import Phi, exact
from bounds.wzw25 import gaussian_privacy_proof as bounds
from experiments.checks import witness
from experiments.checks.inequality import inequality_claim
from experiments.engine.claim import Control, exact_claim, grid, script
from experiments.engine.verdict import inconclusive, refuted
from mechanisms import grid_gaussian

ONE_RELEASE = """from math import fmod
import numpy as np
y = 0.0 + {sigma!r} * np.random.default_rng(0).normal()  # a release of the textbook sampler from the value 0
# From the value {sigma!r} the sum with noise z is below sigma / 2 only where
# -3/2 < z / sigma < -1/2, and is exact there:
# a multiple of the spacing of doubles there. y is none, so it is impossible for the neighbour.
assert 0 < abs(y) < {sigma!r} / 2 and fmod(y, {sigma!r} * 2.0**-53) != 0"""


@exact_claim(
    bounds.textbook_release,
    quick=grid(mu=[1.0]),
    corrected_by=bounds.grid_release,
    note="A finding about implementations, that of every mechanism here that adds float64 Gaussian noise included; the "
    "theorem stands. It shows what an adversary who reads every bit learns from one release.",
)
def textbook_sampler(*, mu):
    """One double that is sigma xi + 0 for a draw xi and sigma xi + Delta for none; and how often that happens."""
    sigma = 1.0  # and sensitivity 1: a power of two, so that scaling is exact
    y = sigma * float(np.random.default_rng(0).normal())
    if not (0 < abs(y) < sigma / 2 and fmod(y, sigma * 2.0**-53)):
        return inconclusive("FAILED", "this draw does not show it")
    drawn = np.random.default_rng(0).normal(size=10**5)
    share = float(np.mean((abs(drawn) < 0.5) & (np.fmod(drawn, 2.0**-53) != 0)))
    told = witness.privacy(
        {"mu": mu},
        epsilon=mu,
        log_ratio=float("inf"),
        a="the value 0",
        b="the value 1",
        output=y,
        python=ONE_RELEASE.format(sigma=sigma),
        found="infinite",
    )
    return refuted("enumeration", told, note=f"impossible from the neighbour: {share:.1%} of releases")


@inequality_claim(
    bounds.grid_release,
    quick=grid(sensitivity=[1.0], sigma=[2.0], step=[0.25]),
    full=grid(sensitivity=[0.3, 4.0], sigma=[1.0, 7.0], step=[2.0**-6, 8.0]),
    control=Control("noise / {}", (1.001, 1.5)),
    rounding=1e-7,
    cost=0.2,
    note="Rounding an exact Gaussian release is post-processing; the sampler's law is compared at every threshold.",
)
def thresholds_tell_neighbours_apart(*, sensitivity, sigma, step, factor=1):
    """Power against level of every test {release >= t}, from the law's own probabilities, with the Gaussian curve.

    Both are read as normal quantiles: the power's may exceed the level's by mu at most. Tails below 1e-9 are left out,
    where the sums of the law's probabilities lose digits.
    """
    mu = bounds.grid_release(sensitivity=sensitivity, sigma=sigma, step=step)
    pair = [
        grid_gaussian.law([value], sensitivity=sensitivity, bound=sensitivity, sigma=sigma / factor, step=step)
        for value in (-sensitivity / 3, sensitivity * 2 / 3)
    ]
    reach = int(np.ceil((10 * sigma + 2 * sensitivity) / step))
    places = step * np.arange(-reach, reach + 1)
    level, power = (np.exp(law.log_density(places[:, None]))[::-1].cumsum()[::-1] for law in pair)
    for place, low, high in zip(places.tolist(), level.tolist(), power.tolist(), strict=True):
        if low > 1e-9 and high < 1 - 1e-9:
            yield {"threshold": place, "level": low, "power": high}, quantile(high), quantile(low) + exact(mu)


def quantile(p):
    """The normal quantile of a probability as a ball: bisection between floats that enclose it."""
    low, high = Fraction(-40), Fraction(40)
    target = exact(p)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if Phi(exact(middle)) < target else (low, middle)
    return exact(low).union(exact(high))


if __name__ == "__main__":
    script(__spec__.name)
