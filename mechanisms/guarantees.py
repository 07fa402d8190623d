"""The guarantees that the field states, each a frozen record of public numbers.

    PureDP(epsilon)               P(O) <= e^epsilon P'(O)                      for all neighbours and events
    ApproxDP(epsilon, delta)      P(O) <= e^epsilon P'(O) + delta
    GaussianDP(mu)                no easier to tell apart than N(0, 1) and N(mu, 1)
    ZCDP(rho)                     D_a(P || P') <= a rho                        at every order a > 1
    RenyiDP(order, epsilon)       D_order(P || P') <= epsilon                  at one order, or at each of several
    PrivacyCurve(epsilon, delta)  ApproxDP at each of the points; a trade-off function says the same in other words

D_a is the Renyi divergence log(E_{P'}[(dP / dP')^a]) / (a - 1). `neighbours` says which datasets are neighbours:
"replace" one record (the size stays), "add/remove" one record, or change one "label" (features are public); P and P'
change places freely. A number given that is no float becomes the float above it. An order has to be a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from lemmata.mechanisms.arithmetic import at_least, brief, in_range

NEIGHBOURS = ("replace", "add/remove", "label")
LARGEST = float(np.finfo(float).max)


def check_neighbours(neighbours: Any) -> None:
    """Raise ValueError unless `neighbours` is one of the three relations."""
    if not (isinstance(neighbours, str) and neighbours in NEIGHBOURS):
        raise ValueError(f"neighbours = {brief(neighbours)} is not one of {', '.join(NEIGHBOURS)}")


@dataclass(frozen=True)
class PureDP:
    """(epsilon, 0)-differential privacy, 0 < epsilon < inf."""

    epsilon: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", at_least("epsilon", self.epsilon, 0, inf))
        check_neighbours(self.neighbours)

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
        check_neighbours(self.neighbours)


@dataclass(frozen=True)
class GaussianDP:
    """mu-Gaussian differential privacy, 0 < mu < inf."""

    mu: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", at_least("mu", self.mu, 0, inf))
        check_neighbours(self.neighbours)


@dataclass(frozen=True)
class ZCDP:
    """rho-zero-concentrated differential privacy, 0 < rho < inf (Bun & Steinke 2016)."""

    rho: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", at_least("rho", self.rho, 0, inf))
        check_neighbours(self.neighbours)


@dataclass(frozen=True)
class RenyiDP:
    """(order, epsilon)-Renyi differential privacy, 1 < order < inf, 0 < epsilon < inf (Mironov 2017).

    With sequences of one length, the orders ascending, it holds at each order: a curve.

    >>> RenyiDP((2, 8), (0.5, 1.75)).points
    ((2.0, 0.5), (8.0, 1.75))
    """

    order: float | Sequence[float]
    epsilon: float | Sequence[float]
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        orders, epsilons = _entries("order", self.order), _entries("epsilon", self.epsilon)
        if len(orders) != len(epsilons) or listed(self.order) != listed(self.epsilon):
            raise ValueError(f"epsilon = {brief(self.epsilon)} is not one number for each order")
        found = tuple(_order(value) for value in orders)
        _check_ascending("order", found)
        bounds = tuple(at_least("epsilon", value, 0, inf) for value in epsilons)
        object.__setattr__(self, "order", found if listed(self.order) else found[0])
        object.__setattr__(self, "epsilon", bounds if listed(self.epsilon) else bounds[0])
        check_neighbours(self.neighbours)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """(order, epsilon) at each order."""
        return tuple(zip(_entries("order", self.order), _entries("epsilon", self.epsilon), strict=True))


@dataclass(frozen=True)
class PrivacyCurve:
    """(epsilon, delta)-differential privacy at each of the points, 0 <= epsilon < inf ascending, 0 <= delta <= 1.

    `lemmata.mechanisms.privacy_curve` makes one from a function delta(epsilon), a privacy loss distribution or a
    trade-off function, and reads it between the points.

    >>> PrivacyCurve((0, 1), (0.3, 1e-6)).points[1]
    ApproxDP(epsilon=1.0, delta=1e-06, neighbours='replace')
    """

    epsilon: Sequence[float]
    delta: Sequence[float]
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        epsilons, deltas = _entries("epsilon", self.epsilon), _entries("delta", self.delta)
        if len(epsilons) != len(deltas):
            raise ValueError(f"delta has {len(deltas)} numbers, epsilon {len(epsilons)}")
        found = tuple(at_least("epsilon", value, 0, LARGEST, closed=True) for value in epsilons)
        _check_ascending("epsilon", found)
        object.__setattr__(self, "epsilon", found)
        object.__setattr__(self, "delta", tuple(at_least("delta", value, 0, 1, closed=True) for value in deltas))
        check_neighbours(self.neighbours)

    @property
    def points(self) -> tuple[ApproxDP, ...]:
        """What is promised at each of the points."""
        return tuple(ApproxDP(e, d, self.neighbours) for e, d in zip(self.epsilon, self.delta, strict=True))


Guarantee = PureDP | ApproxDP | GaussianDP | ZCDP | RenyiDP | PrivacyCurve
KINDS: dict[str, Any] = {kind.__name__: kind for kind in (PureDP, ApproxDP, GaussianDP, ZCDP, RenyiDP, PrivacyCurve)}


def check_guarantee(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a guarantee."""
    if not isinstance(value, Guarantee):
        *kinds, last = KINDS
        raise ValueError(f"{name} is a {type(value).__name__}, not {', '.join(kinds)} or {last}")


def LabelDP(epsilon: float, delta: float = 0.0) -> PureDP | ApproxDP:
    """Return label privacy (bms22 Definition 6.1): the same guarantee, for datasets that differ in one label.

    >>> LabelDP(1.0)
    PureDP(epsilon=1.0, neighbours='label')
    """
    approximate = ApproxDP(epsilon, delta, "label")
    return approximate if approximate.delta > 0 else PureDP(epsilon, "label")


def listed(values: Any) -> bool:
    """Return whether `values` are several, a list, a tuple or an array, and not one."""
    if isinstance(values, np.ndarray):
        return values.ndim > 0
    return isinstance(values, Sequence) and not isinstance(values, str | bytes)


def _entries(name: str, values: Any) -> tuple[Any, ...]:
    """One number, or the numbers of a list, a tuple or a vector."""
    if not listed(values):
        return (values,)
    if isinstance(values, np.ma.MaskedArray) or not 0 < len(values) <= 10**6:
        raise ValueError(f"{name} is a {type(values).__name__} that holds no numbers")
    return tuple(values)


def _order(value: Any) -> float:
    order = in_range("order", value, 1, inf)
    if order != value:
        raise ValueError(f"order = {brief(value)} is no float")
    return order


def _check_ascending(name: str, values: tuple[float, ...]) -> None:
    for before, after in pairwise(values):
        if not before < after:
            raise ValueError(f"{name} = {brief(after)} after {brief(before)} is not ascending")
