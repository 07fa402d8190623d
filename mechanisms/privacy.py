"""What a mechanism promises: pure, approximate and Gaussian privacy, and how one turns into another.

    PureDP(epsilon)             P(O) <= e^epsilon P'(O)                      for all neighbours and events
    ApproxDP(epsilon, delta)    P(O) <= e^epsilon P'(O) + delta
    GaussianDP(mu)              no easier to tell apart than N(0, 1) and N(mu, 1)

`neighbours` says which datasets are neighbours: "replace" one record (the size stays), "add/remove" one
record, or change one "label" (features are public). Every number handed back is rounded towards more noise
and less privacy claimed. Conversions that do not exist raise ValueError:

    from \\ to      PureDP         ApproxDP                    GaussianDP
    PureDP         itself         delta = 0                   mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)),
    tight ApproxDP       if delta = 0   itself                      if delta = 0 GaussianDP     none
    one delta per epsilon       itself
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, expm1, inf, isnan, log, log1p, nextafter, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfinv, ndtri_exp

from bounds.exact.privacy_curves import log_gaussian_delta

NEIGHBOURS = ("replace", "add/remove", "label")
EXACT = {"xtol": 1e-300, "rtol": 8.9e-16}  # the root finder stops at the last bit
ROUNDING = 1e-14  # relative; the curve and the root finder are accurate to a few units in the last place


def _check_neighbours(neighbours):
    if neighbours not in NEIGHBOURS:
        raise ValueError(f"neighbours = {neighbours!r} is not one of {', '.join(NEIGHBOURS)}")


def _check_range(name, value, low, high, closed):
    """Raise ValueError unless low < value < high, or low <= value <= high with `closed` ends."""
    inside = low <= value <= high if closed else low < value < high
    if isnan(value) or not inside:
        ends = "[]" if closed else "()"
        raise ValueError(f"{name} = {value} is outside {ends[0]}{low}, {high}{ends[1]}")


@dataclass(frozen=True)
class PureDP:
    """(epsilon, 0)-differential privacy, 0 < epsilon < inf."""

    epsilon: float
    neighbours: str = "replace"

    def __post_init__(self):
        _check_range("epsilon", self.epsilon, 0, inf, closed=False)
        _check_neighbours(self.neighbours)

    @property
    def delta(self):
        """A pure guarantee is an approximate one with delta = 0."""
        return 0.0


@dataclass(frozen=True)
class ApproxDP:
    """(epsilon, delta)-differential privacy, 0 <= epsilon < inf, 0 <= delta <= 1."""

    epsilon: float
    delta: float
    neighbours: str = "replace"

    def __post_init__(self):
        _check_range("epsilon", self.epsilon, 0, np.finfo(float).max, closed=True)
        _check_range("delta", self.delta, 0, 1, closed=True)
        _check_neighbours(self.neighbours)


@dataclass(frozen=True)
class GaussianDP:
    """mu-Gaussian differential privacy, 0 < mu < inf."""

    mu: float
    neighbours: str = "replace"

    def __post_init__(self):
        _check_range("mu", self.mu, 0, inf, closed=False)
        _check_neighbours(self.neighbours)


def LabelDP(epsilon, delta=0.0):
    """Label privacy (bms22 Definition 6.1): the same guarantee, for datasets that differ in one label.

    >>> LabelDP(1.0)
    PureDP(epsilon=1.0, neighbours='label')
    """
    return ApproxDP(epsilon, delta, "label") if delta else PureDP(epsilon, "label")


# The Gaussian curve and its inverses ----------------------------------------------------------------------


def gaussian_delta(epsilon, mu):
    """The smallest delta such that mu-GDP implies (epsilon, delta)-DP.

    `epsilon` real or infinite, 0 <= mu <= inf; elementwise.

    >>> float(gaussian_delta(1000.0, 40.0)), float(gaussian_delta(0.0, 1e-8))
    (2.536297e-07, 3.989423e-09)
    """
    _check_range("mu", np.min(mu), 0, inf, closed=True)
    return np.exp(log_gaussian_delta(epsilon, mu))[()]


def gaussian_epsilon(mu, delta):
    """The smallest epsilon >= 0 such that mu-GDP implies (epsilon, delta)-DP, rounded up.

    inf if there is none (delta = 0).

    >>> round(gaussian_epsilon(1.0, 1e-5), 4)
    4.3772
    """
    _check_range("mu", mu, 0, inf, closed=True)
    _check_range("delta", delta, 0, 1, closed=True)
    if delta == 1 or mu == 0:
        return 0.0
    if delta == 0 or mu == inf:
        return inf
    if log_gaussian_delta(0.0, mu) <= log(delta):
        return 0.0
    top = mu * (mu / 2 + sqrt(2 * -log(delta))) + mu  # Lemma E.1 of wzw25, and one mu beyond
    found = brentq(lambda e: log_gaussian_delta(e, mu) - log(delta), 0.0, top, **EXACT)
    return _step(found, 1 + ROUNDING, lambda e: log_gaussian_delta(e, mu) <= log(delta))


def gaussian_mu(epsilon, delta):
    """The analytic Gaussian calibration: the largest mu that implies (epsilon, delta)-DP, rounded down.

    0 if delta = 0 (no Gaussian noise is purely private), inf if delta = 1 or epsilon = inf.

    >>> round(gaussian_mu(1.0, 1e-5), 5)
    0.26805
    """
    _check_range("epsilon", epsilon, 0, inf, closed=True)
    _check_range("delta", delta, 0, 1, closed=True)
    if delta == 1 or epsilon == inf:
        return inf
    if delta == 0:
        return 0.0
    if epsilon == 0:  # delta = erf(mu / sqrt 8)
        found = float(sqrt(8) * erfinv(delta))
    else:
        t = sqrt(2 * -log(delta))
        low = high = 2 * epsilon / (sqrt(t * t + 2 * epsilon) + t)  # Lemma E.1 of wzw25 solved for mu
        while log_gaussian_delta(epsilon, high) <= log(delta):
            high *= 2
        found = brentq(lambda m: log_gaussian_delta(epsilon, m) - log(delta), low, high, **EXACT)
    return _step(found, 1 - ROUNDING, lambda m: log_gaussian_delta(epsilon, m) <= log(delta))


def _step(value, factor, safe):
    """Move `value` by `factor` to the first that is safe, and once more for the error of the curve."""
    while not safe(value):
        value *= factor
    return value * factor


def gaussian_noise_multiplier(privacy):
    """sigma / sensitivity of the Gaussian mechanism that just gives `privacy`, rounded up.

    GaussianDP(mu): 1 / mu. ApproxDP: the analytic calibration. Raises ValueError where no Gaussian noise
    does it (delta = 0).

    >>> round(gaussian_noise_multiplier(ApproxDP(1.0, 1e-5)), 5)
    3.73063
    """
    mu = to_gaussian_budget(privacy).mu
    return nextafter(1 / mu, inf)


def to_gaussian_budget(privacy):
    """The largest GaussianDP that implies `privacy`: what a Gaussian mechanism may spend.

    Raises ValueError for delta = 0, which Gaussian noise never gives, and for delta = 1, which needs no
    noise.
    """
    if isinstance(privacy, GaussianDP):
        return privacy
    if not 0 < privacy.delta < 1:
        raise ValueError(f"delta = {privacy.delta} is outside (0, 1): no Gaussian noise is calibrated to it")
    return GaussianDP(gaussian_mu(privacy.epsilon, privacy.delta), privacy.neighbours)


# Conversions: what a guarantee implies --------------------------------------------------------------------


def to_pure(privacy):
    """The PureDP that `privacy` implies. Raises ValueError unless it is pure already, or ApproxDP with delta = 0."""
    if isinstance(privacy, PureDP):
        return privacy
    if isinstance(privacy, ApproxDP) and privacy.delta == 0:
        return PureDP(privacy.epsilon, privacy.neighbours)
    raise ValueError(f"privacy = {privacy} implies no PureDP")


def to_approx(privacy, *, delta=None, epsilon=None):
    """The ApproxDP that `privacy` implies, at a given `delta` (smallest epsilon) or `epsilon` (smallest delta).

    PureDP and ApproxDP need neither argument. Raises ValueError for GaussianDP unless exactly one is given,
    and for an ApproxDP at a delta or epsilon below its own, where nothing follows (at a larger one it is
    kept, merely weaker).

    >>> to_approx(PureDP(0.5))
    ApproxDP(epsilon=0.5, delta=0.0, neighbours='replace')
    """
    if isinstance(privacy, GaussianDP):
        if (delta is None) == (epsilon is None):
            raise ValueError(f"delta = {delta}, epsilon = {epsilon}: GaussianDP needs exactly one of them")
        if delta is None:
            _check_range("epsilon", epsilon, 0, inf, closed=True)
            delta = min(1.0, float(gaussian_delta(epsilon, privacy.mu)) * (1 + 100 * ROUNDING))
        else:
            epsilon = gaussian_epsilon(privacy.mu, delta)
            _check_range("delta", delta, 0, 1, closed=False)
        return ApproxDP(epsilon, delta, privacy.neighbours)
    epsilon = privacy.epsilon if epsilon is None else epsilon
    delta = privacy.delta if delta is None else delta
    if epsilon < privacy.epsilon or delta < privacy.delta:
        raise ValueError(f"epsilon = {epsilon}, delta = {delta} does not follow from {privacy}")
    return ApproxDP(epsilon, delta, privacy.neighbours)


def to_gaussian(privacy):
    """The smallest GaussianDP that `privacy` implies, rounded up; exists for pure guarantees only.

    The trade-off function of epsilon-DP is piecewise linear with one inner vertex, both errors 1 / (1 +
    e^epsilon); the Gaussian one is convex and meets the same ends, so it lies below as soon as it does at
    that vertex: mu = -2 Phi^-1(1 / (1 + e^epsilon)). With delta > 0 an output may be possible under one
    dataset only: ValueError.

    >>> round(to_gaussian(PureDP(1.0)).mu, 6)
    1.232035
    """
    if isinstance(privacy, GaussianDP):
        return privacy
    if privacy.delta > 0:
        raise ValueError(f"delta = {privacy.delta} is not 0: ApproxDP implies no GaussianDP")
    e = privacy.epsilon
    if e < 1:  # Phi^-1(1/2 + x) = sqrt(2) erfinv(2 x): the difference to 1/2 is not rounded away
        mu = 2 * sqrt(2) * float(erfinv(-expm1(-e) / (1 + exp(-e))))
    else:
        mu = -2 * float(ndtri_exp(-e - log1p(exp(-e))))
    return GaussianDP(mu * (1 + ROUNDING), privacy.neighbours)


def to_neighbours(privacy, neighbours):
    """`privacy` for another neighbour relation. Raises ValueError where nothing follows.

    Changing a label is a replacement, so "replace" implies "label"; a replacement is one removal and one
    addition, so "add/remove" implies "replace" and "label" at the price of a group of two. Nothing implies
    "add/remove": the others keep the size.
    """
    _check_neighbours(neighbours)
    if privacy.neighbours == neighbours:
        return privacy
    if privacy.neighbours == "add/remove":
        return replace(group(privacy, 2), neighbours=neighbours)
    if privacy.neighbours == "replace" and neighbours == "label":
        return replace(privacy, neighbours=neighbours)
    raise ValueError(f"neighbours = {neighbours!r} does not follow from {privacy.neighbours!r}")


# Composition and groups -----------------------------------------------------------------------------------


def compose(*guarantees):
    """What several mechanisms on the same data promise together.

    They may be chosen adaptively; their budgets are fixed in advance.

    Only GaussianDP and PureDP: sqrt of the sum of the squares of mu if there is a GaussianDP (pure ones
    converted), else the sum of epsilon. With an ApproxDP: sums of epsilon and of delta (basic composition).
    Raises ValueError for no guarantee, for different neighbour relations, and for GaussianDP beside
    ApproxDP with delta > 0: convert the former with `to_approx` first, at a delta of your choice.

    >>> compose(GaussianDP(3.0), GaussianDP(4.0)).mu
    5.0
    >>> compose(PureDP(0.5), ApproxDP(0.5, 1e-6))
    ApproxDP(epsilon=1.0, delta=1e-06, neighbours='replace')
    """
    if not guarantees:
        raise ValueError("guarantees = () is empty: nothing to compose")
    relations = {g.neighbours for g in guarantees}
    if len(relations) > 1:
        raise ValueError(f"neighbours = {sorted(relations)} differ: convert with to_neighbours first")
    (neighbours,) = relations
    if any(isinstance(g, GaussianDP) for g in guarantees):
        if any(not isinstance(g, GaussianDP) and g.delta > 0 for g in guarantees):
            raise ValueError("guarantees mix GaussianDP and ApproxDP: convert with to_approx first")
        mus = [to_gaussian(g).mu for g in guarantees]
        return GaussianDP(float(np.hypot.reduce(mus)), neighbours)
    epsilon = sum(g.epsilon for g in guarantees)
    if all(isinstance(g, PureDP) for g in guarantees):
        return PureDP(epsilon, neighbours)
    return ApproxDP(epsilon, min(1.0, sum(g.delta for g in guarantees)), neighbours)


def group(privacy, k):
    """What `privacy` promises for datasets that are k steps apart.

    PureDP k epsilon; ApproxDP (k epsilon, delta (e^{k epsilon} - 1) / (e^epsilon - 1)); GaussianDP k mu.

    >>> group(ApproxDP(0.0, 0.01), 3).delta
    0.03
    """
    if not (k >= 1 and k == int(k)):
        raise ValueError(f"k = {k} is not a whole number >= 1")
    if isinstance(privacy, GaussianDP):
        return replace(privacy, mu=k * privacy.mu)
    if isinstance(privacy, PureDP):
        return replace(privacy, epsilon=k * privacy.epsilon)
    with np.errstate(over="ignore"):
        # delta (1 + e^epsilon + ... + e^{(k - 1) epsilon}), in log space
        e = privacy.epsilon
        growth = log(k) if e == 0 else _log_expm1(k * e) - _log_expm1(e)
        delta = float(np.exp(log(privacy.delta) + growth)) if privacy.delta > 0 else 0.0
    return replace(privacy, epsilon=k * privacy.epsilon, delta=min(1.0, delta))


def _log_expm1(x):
    """log(e^x - 1) for x > 0."""
    return x + log(-expm1(-x))
