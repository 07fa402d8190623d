"""What a mechanism promises: pure, approximate and Gaussian privacy, and how one turns into another.

    PureDP(epsilon)             P(O) <= e^epsilon P'(O)                      for all neighbours and events
    ApproxDP(epsilon, delta)    P(O) <= e^epsilon P'(O) + delta
    GaussianDP(mu)              no easier to tell apart than N(0, 1) and N(mu, 1)

`neighbours` says which datasets are neighbours: "replace" one record (the size stays), "add/remove" one
record, or change one "label" (features are public). Every number handed back is rounded towards more noise
and less privacy claimed, in exact arithmetic (`lemmata.mechanisms.arithmetic`). A number given that is no float (a
Fraction, a large int) becomes the float above it in a guarantee, which claims a loss, and the float below in the
budget of an account, which allows one. Conversions that do not exist raise ValueError:

    from \\ to      PureDP          ApproxDP                 GaussianDP
    PureDP         itself          delta = 0                mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)), tight
    ApproxDP       if delta = 0    itself                   if delta = 0
    GaussianDP     none            one delta per epsilon    itself
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, nextafter, sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import erfinv, ndtri_exp

from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.mechanisms.arithmetic import (
    at_least,
    at_most,
    brief,
    certified_delta,
    group_delta,
    in_range,
    lemma_epsilon,
    lemma_mu,
    newton_epsilon,
    pure_is_gaussian,
    real,
    reals,
    root_up,
    sum_up,
    up,
)

NEIGHBOURS = ("replace", "add/remove", "label")
LARGEST = float(np.finfo(float).max)
EXACT = {"xtol": 1e-300, "rtol": 8.9e-16}  # the root finder stops at the last bit
ROUNDING = 1e-14  # relative; the curve and the root finder are accurate to a few units in the last place


def _check_neighbours(neighbours: Any) -> None:
    if not (isinstance(neighbours, str) and neighbours in NEIGHBOURS):
        raise ValueError(f"neighbours = {brief(neighbours)} is not one of {', '.join(NEIGHBOURS)}")


@dataclass(frozen=True)
class PureDP:
    """(epsilon, 0)-differential privacy, 0 < epsilon < inf."""

    epsilon: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", at_least("epsilon", self.epsilon, 0, inf))
        _check_neighbours(self.neighbours)

    @property
    def delta(self) -> float:
        """A pure guarantee is an approximate one with delta = 0."""
        return 0.0


@dataclass(frozen=True)
class ApproxDP:
    """(epsilon, delta)-differential privacy, 0 <= epsilon < inf, 0 <= delta <= 1."""

    epsilon: float
    delta: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", at_least("epsilon", self.epsilon, 0, LARGEST, closed=True))
        object.__setattr__(self, "delta", at_least("delta", self.delta, 0, 1, closed=True))
        _check_neighbours(self.neighbours)


@dataclass(frozen=True)
class GaussianDP:
    """mu-Gaussian differential privacy, 0 < mu < inf."""

    mu: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", at_least("mu", self.mu, 0, inf))
        _check_neighbours(self.neighbours)


Guarantee = PureDP | ApproxDP | GaussianDP
G = TypeVar("G", PureDP, ApproxDP, GaussianDP)


def check_guarantee(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a guarantee."""
    if not isinstance(value, Guarantee):
        raise ValueError(f"{name} is a {type(value).__name__}, not PureDP, ApproxDP or GaussianDP")


def LabelDP(epsilon: float, delta: float = 0.0) -> PureDP | ApproxDP:
    """Label privacy (bms22 Definition 6.1): the same guarantee, for datasets that differ in one label.

    >>> LabelDP(1.0)
    PureDP(epsilon=1.0, neighbours='label')
    """
    approximate = ApproxDP(epsilon, delta, "label")
    return approximate if approximate.delta > 0 else PureDP(epsilon, "label")


# The Gaussian curve and its inverses ----------------------------------------------------------------------


def gaussian_delta(epsilon: ArrayLike, mu: ArrayLike) -> Any:
    """The smallest delta such that mu-GDP implies (epsilon, delta)-DP, to nearly full precision, elementwise.

    `epsilon` real or infinite, 0 <= mu <= inf. The value is not rounded up and underflows to 0: to claim a guarantee
    take `to_approx`, which rounds up.

    >>> float(gaussian_delta(1000.0, 40.0)), float(gaussian_delta(0.0, 1e-8))
    (2.536297e-07, 3.989423e-09)
    """
    epsilon, mu = reals("epsilon", epsilon), reals("mu", mu)
    if np.isnan(epsilon).any():
        raise ValueError("epsilon = nan is outside [-inf, inf]")
    if not (mu >= 0).all():
        raise ValueError(f"mu = {np.min(mu)} is outside [0, inf]")
    try:
        return np.exp(log_gaussian_delta(epsilon, mu))[()]
    except ValueError:
        raise ValueError(f"epsilon has shape {epsilon.shape} and mu {mu.shape}: they do not broadcast") from None


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The smallest epsilon >= 0 such that mu-GDP implies (epsilon, delta)-DP, rounded up.

    inf if there is none (delta = 0), or none below the largest float.

    >>> round(gaussian_epsilon(1.0, 1e-5), 4)
    4.3772
    """
    mu = at_least("mu", mu, 0, inf, closed=True)
    delta = at_most("delta", delta, 0, 1, closed=True)
    if delta == 1 or mu == 0:
        return 0.0
    if delta == 0 or mu == inf:
        return inf
    if certified_delta(0.0, mu) <= delta:
        return 0.0
    always = lemma_epsilon(mu, delta)
    if not 1e-150 < mu < 1e12:  # floats give up, and the lemma promises hardly more
        return always
    least = newton_epsilon(always, mu, delta)
    stride = max(least * ROUNDING, mu * 1e-16)
    while least < always and certified_delta(least, mu) > delta:
        least, stride = least + stride, 2 * stride
    return min(least, always)


def gaussian_mu(epsilon: float, delta: float) -> float:
    """The analytic Gaussian calibration: the largest mu that implies (epsilon, delta)-DP, rounded down.

    0 if delta = 0 (no Gaussian noise is purely private), inf if delta = 1 or epsilon = inf.

    >>> round(gaussian_mu(1.0, 1e-5), 5)
    0.26805
    """
    epsilon = at_most("epsilon", epsilon, 0, inf, closed=True)
    delta = at_most("delta", delta, 0, 1, closed=True)
    if delta == 1 or epsilon == inf:
        return inf
    if delta == 0:
        return 0.0
    if epsilon < 1e-290:
        epsilon = 0.0  # what is private at 0 is private at epsilon
    always = lemma_mu(epsilon, delta)
    if epsilon > 1e290:
        return always

    def excess(mu: float) -> float:
        return float(log_gaussian_delta(epsilon, mu) - log(delta))

    if epsilon == 0:  # delta = erf(mu / sqrt 8)
        largest = float(sqrt(8) * erfinv(delta))
    else:
        t = sqrt(2 * -log(delta))
        low = high = 2 * epsilon / (sqrt(t * t + 2 * epsilon) + t)  # Lemma E.1 of wzw25 solved for mu
        while excess(high) <= 0:
            high *= 2
        largest = brentq(excess, low, high, **EXACT) if excess(low) < 0 else low
    largest = _step(largest, 1 - ROUNDING, lambda m: excess(m) <= 0)
    stride = max(largest * ROUNDING, 5e-324)
    while largest > always and certified_delta(epsilon, largest) > delta:
        largest, stride = largest - stride, 2 * stride
    return max(largest, always)


def _step(value: float, factor: float, safe: Callable[[float], bool]) -> float:
    """Move `value` by `factor` to the first that seems safe, and once more for the error of the curve."""
    for _ in range(100):
        if safe(value):
            break
        value *= factor
    return value * factor


def gaussian_noise_multiplier(privacy: Guarantee) -> float:
    """sigma / sensitivity of the Gaussian mechanism that just gives `privacy`, rounded up.

    GaussianDP(mu): 1 / mu. ApproxDP: the analytic calibration. Raises ValueError where no noise does it (delta = 0).

    >>> round(gaussian_noise_multiplier(ApproxDP(1.0, 1e-5)), 5)
    3.73063
    """
    mu = to_gaussian_budget(privacy).mu
    if 1 / Fraction(mu) > Fraction(LARGEST):
        raise ValueError(f"privacy = {privacy} needs more noise than a float can hold")
    return nextafter(1 / mu, inf)


def to_gaussian_budget(privacy: Guarantee) -> GaussianDP:
    """The largest GaussianDP that implies `privacy`: what a Gaussian mechanism may spend.

    Raises ValueError for delta = 0, which Gaussian noise never gives, and for delta = 1, which needs no noise.
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, GaussianDP):
        return privacy
    if not 0 < privacy.delta < 1:
        raise ValueError(f"delta = {privacy.delta} is outside (0, 1): no Gaussian noise is calibrated to it")
    return GaussianDP(gaussian_mu(privacy.epsilon, privacy.delta), privacy.neighbours)


# Conversions: what a guarantee implies --------------------------------------------------------------------


def to_pure(privacy: Guarantee) -> PureDP:
    """The PureDP that `privacy` implies. Raises ValueError unless it is pure already, or ApproxDP with delta = 0."""
    check_guarantee("privacy", privacy)
    if isinstance(privacy, PureDP):
        return privacy
    if isinstance(privacy, ApproxDP) and privacy.delta == 0:
        return PureDP(privacy.epsilon, privacy.neighbours)
    raise ValueError(f"privacy = {privacy} implies no PureDP")


def to_approx(privacy: Guarantee, *, delta: float | None = None, epsilon: float | None = None) -> ApproxDP:
    """The ApproxDP that `privacy` implies, at a given `delta` (smallest epsilon) or `epsilon` (smallest delta).

    Both are rounded up; a delta that underflows is the smallest positive float, so a Gaussian guarantee never turns
    into a pure one. PureDP and ApproxDP need neither argument. Raises ValueError for GaussianDP unless exactly one is
    given, and for an ApproxDP at a delta or epsilon below its own, where nothing follows (at a larger one it is kept,
    merely weaker).

    >>> to_approx(PureDP(0.5))
    ApproxDP(epsilon=0.5, delta=0.0, neighbours='replace')
    >>> to_approx(GaussianDP(1.0), epsilon=60.0)
    ApproxDP(epsilon=60.0, delta=5e-324, neighbours='replace')
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, GaussianDP):
        if epsilon is not None and delta is None:
            epsilon = at_most("epsilon", epsilon, 0, LARGEST, closed=True)
            return ApproxDP(epsilon, certified_delta(epsilon, privacy.mu), privacy.neighbours)
        if delta is None or epsilon is not None:
            raise ValueError(f"delta = {brief(delta)}, epsilon = {brief(epsilon)}: GaussianDP needs just one of them")
        delta = at_most("delta", delta, 0, 1)
        return ApproxDP(gaussian_epsilon(privacy.mu, delta), delta, privacy.neighbours)
    epsilon = privacy.epsilon if epsilon is None else in_range("epsilon", epsilon, 0, LARGEST, closed=True)
    delta = privacy.delta if delta is None else in_range("delta", delta, 0, 1, closed=True)
    if epsilon < privacy.epsilon or delta < privacy.delta:
        raise ValueError(f"epsilon = {epsilon}, delta = {delta} does not follow from {privacy}")
    return ApproxDP(epsilon, delta, privacy.neighbours)


def to_gaussian(privacy: Guarantee) -> GaussianDP:
    """The smallest GaussianDP that `privacy` implies, rounded up; exists for pure guarantees only.

    The trade-off function of epsilon-DP is piecewise linear with one inner vertex, both errors 1 / (1 +
    e^epsilon); the Gaussian one is convex and meets the same ends, so it lies below as soon as it does at
    that vertex: mu = -2 Phi^-1(1 / (1 + e^epsilon)). With delta > 0 an output may be possible under one
    dataset only: ValueError.

    >>> round(to_gaussian(PureDP(1.0)).mu, 6)
    1.232035
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, GaussianDP):
        return privacy
    if privacy.delta > 0:
        raise ValueError(f"delta = {privacy.delta} is not 0: ApproxDP implies no GaussianDP")
    e = privacy.epsilon
    if e == 0:
        raise ValueError("epsilon = 0.0 is outside (0, inf): perfect privacy is mu-GDP for every mu > 0, with no least")
    always = root_up(8 * (Fraction(e) + 1))  # 1 + e^epsilon <= 4 e^epsilon and Phi(-h) <= e^{-h^2/2} / 2
    if e < 1:  # Phi^-1(1/2 + x) = sqrt(2) erfinv(2 x): the difference to 1/2 is not rounded away
        mu = 2 * sqrt(2) * float(erfinv(-expm1(-e) / (1 + exp(-e))))
    else:
        mu = -2 * float(ndtri_exp(-e - log1p(exp(-e))))
    while mu < always and not pure_is_gaussian(e, mu):
        mu = max(mu * (1 + ROUNDING), nextafter(mu, inf))
    return GaussianDP(mu if mu < always else always, privacy.neighbours)


def to_neighbours(privacy: G, neighbours: str) -> G:
    """`privacy` for another neighbour relation. Raises ValueError where nothing follows.

    Changing a label is a replacement, so "replace" implies "label"; a replacement is one removal and one
    addition, so "add/remove" implies "replace" and "label" at the price of a group of two. Nothing implies
    "add/remove": the others keep the size.
    """
    check_guarantee("privacy", privacy)
    _check_neighbours(neighbours)
    if privacy.neighbours == neighbours:
        return privacy
    if privacy.neighbours == "add/remove":
        return replace(group(privacy, 2), neighbours=neighbours)
    if privacy.neighbours == "replace" and neighbours == "label":
        return replace(privacy, neighbours=neighbours)
    raise ValueError(f"neighbours = {neighbours!r} does not follow from {privacy.neighbours!r}")


# Composition and groups -----------------------------------------------------------------------------------


def compose(*guarantees: Guarantee) -> Guarantee:
    """What several mechanisms on the same data promise together. They may be chosen adaptively, their guarantees may
    not: those are fixed in advance (`lemmata.mechanisms.accountant` is for those that are not).

    Only GaussianDP and PureDP: sqrt of the sum of the squares of mu if there is a GaussianDP (pure ones
    converted), else the sum of epsilon. With an ApproxDP: sums of epsilon and of delta (basic composition).
    Sums and roots are exact, then rounded up.
    Raises ValueError for no guarantee, for different neighbour relations, and for GaussianDP beside
    ApproxDP with delta > 0: convert the former with `to_approx` first, at a delta of your choice.

    >>> compose(GaussianDP(3.0), GaussianDP(4.0)).mu
    5.0
    >>> compose(PureDP(0.5), ApproxDP(0.5, 1e-6))
    ApproxDP(epsilon=1.0, delta=1e-06, neighbours='replace')
    """
    if not guarantees:
        raise ValueError("guarantees = () is empty: nothing to compose")
    for one in guarantees:
        check_guarantee("guarantees", one)
    relations = {g.neighbours for g in guarantees}
    if len(relations) > 1:
        raise ValueError(f"neighbours = {sorted(relations)} differ: convert with to_neighbours first")
    (neighbours,) = relations
    if any(isinstance(g, GaussianDP) for g in guarantees):
        if any(not isinstance(g, GaussianDP) and g.delta > 0 for g in guarantees):
            raise ValueError("guarantees mix GaussianDP and ApproxDP: convert with to_approx first")
        squares = (Fraction(to_gaussian(g).mu) ** 2 for g in guarantees)
        return GaussianDP(root_up(sum(squares, Fraction(0))), neighbours)
    others = [g for g in guarantees if not isinstance(g, GaussianDP)]
    epsilon = sum_up(g.epsilon for g in others)
    if all(isinstance(g, PureDP) for g in others):
        return PureDP(epsilon, neighbours)
    return ApproxDP(epsilon, min(1.0, sum_up(g.delta for g in others)), neighbours)


def group(privacy: G, k: int) -> G:
    """What `privacy` promises for datasets that are k steps apart, rounded up.

    PureDP k epsilon; ApproxDP (k epsilon, delta (e^{k epsilon} - 1) / (e^epsilon - 1)); GaussianDP k mu.

    >>> group(ApproxDP(0.0, 0.01), 3).delta
    0.03
    """
    check_guarantee("privacy", privacy)
    times = real("k", k)
    if not (1 <= times < inf and times == int(times)):
        raise ValueError(f"k = {brief(k)} is not a whole number >= 1")
    whole = int(k)
    if isinstance(privacy, GaussianDP):
        larger: Any = GaussianDP(up(whole * Fraction(privacy.mu)), privacy.neighbours)
        return larger
    epsilon = up(whole * Fraction(privacy.epsilon))
    if isinstance(privacy, PureDP):
        return replace(privacy, epsilon=epsilon)
    return replace(privacy, epsilon=epsilon, delta=group_delta(privacy.epsilon, privacy.delta, whole))
