"""How the functions of `lemmata` grow in what a user gives them, with their defaults; estimators: bench_estimators.

A test asks that every public name is in one of the three tables.
"""

import numpy as np

import lemmata

from .side_by_side import cost, dear, exponent, timer as timer

SEED = 7


def rng():
    return np.random.default_rng(SEED)


def numbers(n):
    return rng().uniform(size=n)


def noisy_sum(x, rng):
    return np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace(scale=3.0, size=3)


def pair(n):
    """Two neighbours of n records."""
    x = numbers(n)
    return x, np.append(x[:-1], 1.0)


def curve(points):
    epsilons = np.linspace(0.0, 3.0, points)
    return lemmata.privacy_curve(lambda epsilon: float(np.exp(-3 * epsilon) / 2), epsilons)


def account(spends):
    accountant = lemmata.Accountant(lemmata.ApproxDP(1e6, 1e-3))
    for _ in range(spends):
        accountant.spend(lemmata.PureDP(1e-3), "a sum")
    return accountant.spent


def trade_off(points):
    alpha = np.linspace(0.0, 1.0, points)
    return lemmata.from_trade_off(alpha, (1 - np.sqrt(alpha)) ** 2)


def one_run(canaries):
    return lemmata.audit_one_run(rng().normal(1.0, 1.0, canaries), rng().normal(size=canaries), lemmata.PureDP(1.0))


RELEASES, SPENT = (4_096, 8_192, 16_384), lemmata.PureDP(1.0)
# name: what is called with a size, the sizes, and what they count
FUNCTIONS = {
    "Accountant": (account, (1_000, 4_000, 16_000), "spends"),
    "assert_private": (
        lambda n: lemmata.assert_private(noisy_sum, SPENT, data=pair(5)[0], budget=n),
        RELEASES,
        "releases",
    ),
    "audit": (lambda n: lemmata.audit(noisy_sum, pair(5)[0], SPENT, root=SEED, budget=n), RELEASES, "releases"),
    "audit_one_run": (one_run, (1_000, 4_000, 16_000), "canaries"),
    "compose": (lambda n: lemmata.compose(*[SPENT] * n), (1_000, 4_000, 16_000), "guarantees"),
    "features_needed": (
        lambda n: lemmata.features_needed("gaussian", points=np.arange(2, n + 2), error=0.1),
        (250, 1_000, 4_000),
        "numbers of points",
    ),
    "from_trade_off": (trade_off, (500, 1_000, 2_000), "points"),
    "gaussian_delta": (lambda n: lemmata.gaussian_delta(numbers(n), 1.0), (4_000, 16_000, 64_000), "epsilons"),
    "inspect": (lambda n: lemmata.inspect(numbers(8 * n).reshape(n, 8)), (4_000, 16_000, 64_000), "rows"),
    "privacy_curve": (curve, (250, 1_000, 4_000), "points"),
    "private_histogram": (
        lambda n: lemmata.private_histogram(numbers(n), edges=np.linspace(0, 1, 9), epsilon=1.0, rng=rng()),
        (16_000, 64_000, 256_000),
        "records",
    ),
    "private_mean": (
        lambda n: lemmata.private_mean(numbers(n), bounds=(0, 1), epsilon=1.0, rng=rng()),
        (16_000, 64_000, 256_000),
        "records",
    ),
    "private_quantile": (
        lambda n: lemmata.private_quantile(numbers(n), 0.5, bounds=(0, 1), epsilon=1.0, rng=rng()),
        (16_000, 64_000, 256_000),
        "records",
    ),
    "replay": (lambda n: lemmata.replay(noisy_sum, *pair(n), SPENT), (4_000, 16_000, 64_000), "records"),
    "rows_needed": (
        lambda n: lemmata.rows_needed(np.arange(2, n + 2), 0.1),
        (1_000, 4_000, 16_000),
        "numbers of points",
    ),
    "to_curve": (lambda n: lemmata.to_curve(SPENT, np.linspace(0, 3, n)), (1_000, 4_000, 16_000), "points"),
    "trace": (lambda n: lemmata.trace(noisy_sum, *pair(n)), (4_000, 16_000, 64_000), "records"),
}
OF_NUMBERS = (
    "ApproxDP GaussianDP LabelDP PrivacyCurve PureDP RenyiDP ZCDP gaussian_epsilon gaussian_mu "
    "gaussian_noise_multiplier group rows_compared to_approx to_gaussian to_neighbours to_pure to_renyi to_zcdp "
    "trade_off"
).split()  # what they take does not grow with data, or, as a curve, is made by a name above
HELD = (
    "Audit Found Inspection OneRun OverBudget PrivacyLeakWarning Replay Theorem Trace Verdict bounds figure mechanisms "
    "script theorems verdict"
).split()  # results, packages, and readers of the papers, whose statements `bench_growth` counts


class Growth:
    """The exponents of CPU seconds and of peak memory in the size that is named, by least squares in logarithms."""

    params = (sorted(FUNCTIONS),)
    param_names = ("name",)
    timeout = 600

    def setup(self, name):
        dear("three sizes of what a user gives")
        call, self.sizes, _ = FUNCTIONS[name]
        call(self.sizes[0])
        self.costs = list(zip(*(cost(lambda n=n: call(n), 2) for n in self.sizes), strict=True))

    def track_time_exponent(self, name):
        return exponent(self.sizes, self.costs[0])[0]

    track_time_exponent.unit = "exponent"

    def track_memory_exponent(self, name):
        return exponent(self.sizes, self.costs[1])[0]

    track_memory_exponent.unit = "exponent"
