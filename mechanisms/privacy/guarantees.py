"""The guarantees of differential privacy, each a frozen record of public numbers.

    PureDP(epsilon)               P(O) <= e^epsilon P'(O)                      for all neighbours and events
    ApproxDP(epsilon, delta)      P(O) <= e^epsilon P'(O) + delta
    GaussianDP(mu)                no easier to tell apart than N(0, 1) and N(mu, 1)
    ZCDP(rho)                     D_a(P || P') <= a rho                        at every order a > 1
    RenyiDP(order, epsilon)       D_order(P || P') <= epsilon                  at one order, or at each of several
    PrivacyCurve(epsilon, delta)  ApproxDP at each of the points; a trade-off function says the same in other words

D_a is the Renyi divergence log(E_{P'}[(dP / dP')^a]) / (a - 1). `neighbours` says which datasets are neighbours:
"replace" one record (the size stays), "add/remove" one record, or change one "label" (features are public); P and P'
change places freely. The unit is a record, or all of a user who has k of them at most: "replace up to 5" changes any
five records or fewer. A number given that is no float becomes the float above it. An order has to be a float.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from lemmata.mechanisms.numerics.arguments import check_integer
from lemmata.mechanisms.numerics.arithmetic import check_in_range, rounded_up_in_range, short_repr

NEIGHBOURS = ("replace", "add/remove", "label")
RELATION = re.compile(rf"({'|'.join(NEIGHBOURS)})(?: up to ([2-9]|[1-9][0-9]{{1,5}}))?")
MOST_RECORDS = 10**6 - 1  # of a user
LARGEST = float(np.finfo(float).max)


def change_of(neighbours: Any) -> tuple[str, int]:
    """Return what neighbours do, one of `NEIGHBOURS`, and to how many records at most. ValueError for other relations.

    >>> change_of("label"), change_of("replace up to 5")
    (('label', 1), ('replace', 5))
    """
    found = RELATION.fullmatch(neighbours) if isinstance(neighbours, str) else None
    if found is None:
        raise ValueError(
            f"neighbours must be one of {', '.join(NEIGHBOURS)}, got {short_repr(neighbours)}. "
            "Of users write 'replace up to 5' for 5 records each"
        )
    return found[1], int(found[2] or 1)


def of_users(neighbours: str, records: int) -> str:
    """Return the relation of users who have that many records at most.

    >>> of_users("replace", 5), of_users("label", 1)
    ('replace up to 5', 'label')
    """
    change, _ = change_of(neighbours)
    (count,) = check_integer(MOST_RECORDS, records=records)
    return change if count == 1 else f"{change} up to {count}"


@dataclass(frozen=True)
class PureDP:
    """(epsilon, 0)-differential privacy: P(O) <= e^epsilon P'(O) for all neighbours and events.

    Parameters
    ----------
    epsilon : float
        0 < epsilon < inf. What is no float becomes the float above it.
    neighbours : "replace", "add/remove" or "label", also "... up to k"
        Which datasets are neighbours: one record is replaced, is there or not, or has another label; or k of them.

    Raises
    ------
    ValueError
        In one line, for an epsilon out of range, and another relation.

    Examples
    --------
    >>> PureDP(1.0).delta
    0.0
    """

    epsilon: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", rounded_up_in_range("epsilon", self.epsilon, 0, inf))
        change_of(self.neighbours)

    @property
    def delta(self) -> float:
        """A pure guarantee is an approximate one with delta = 0."""
        return 0.0


@dataclass(frozen=True)
class ApproxDP:
    """(epsilon, delta)-differential privacy: P(O) <= e^epsilon P'(O) + delta for all neighbours and events.

    Parameters
    ----------
    epsilon : float
        0 <= epsilon < inf. What is no float becomes the float above it, here and in delta.
    delta : float
        0 <= delta <= 1.
    neighbours : "replace", "add/remove" or "label", also "... up to k"
        Which datasets are neighbours: one record is replaced, is there or not, or has another label; or k of them.

    Raises
    ------
    ValueError
        In one line, for a number out of range, and another relation.

    Examples
    --------
    >>> ApproxDP(1.0, 1e-5)
    ApproxDP(epsilon=1.0, delta=1e-05, neighbours='replace')
    """

    epsilon: float
    delta: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", rounded_up_in_range("epsilon", self.epsilon, 0, LARGEST, closed=True))
        object.__setattr__(self, "delta", rounded_up_in_range("delta", self.delta, 0, 1, closed=True))
        change_of(self.neighbours)


@dataclass(frozen=True)
class GaussianDP:
    """mu-Gaussian differential privacy: no test distinguishes the datasets better than N(0, 1) and N(mu, 1).

    Parameters
    ----------
    mu : float
        0 < mu < inf: sensitivity over standard deviation of the Gaussian mechanism that is exactly as private.
    neighbours : "replace", "add/remove" or "label", also "... up to k"
        Which datasets are neighbours: one record is replaced, is there or not, or has another label; or k of them.

    Raises
    ------
    ValueError
        In one line, for a mu out of range, and another relation.

    References
    ----------
    Dong, Roth & Su (2022), Gaussian differential privacy.

    Examples
    --------
    >>> GaussianDP(0.5)
    GaussianDP(mu=0.5, neighbours='replace')
    """

    mu: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", rounded_up_in_range("mu", self.mu, 0, inf))
        change_of(self.neighbours)


@dataclass(frozen=True)
class ZCDP:
    """rho-zero-concentrated differential privacy: the Renyi divergence of each order a > 1 is at most a rho.

    Parameters
    ----------
    rho : float
        0 < rho < inf. A Gaussian mechanism has mu^2 / 2.
    neighbours : "replace", "add/remove" or "label", also "... up to k"
        Which datasets are neighbours: one record is replaced, is there or not, or has another label; or k of them.

    Raises
    ------
    ValueError
        In one line, for a rho out of range, and another relation.

    References
    ----------
    Bun & Steinke (2016), Concentrated differential privacy.

    Examples
    --------
    >>> ZCDP(0.125)
    ZCDP(rho=0.125, neighbours='replace')
    """

    rho: float
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", rounded_up_in_range("rho", self.rho, 0, inf))
        change_of(self.neighbours)


@dataclass(frozen=True)
class RenyiDP:
    """(order, epsilon)-Renyi differential privacy: the Renyi divergence of that order is at most epsilon.

    With sequences of one length, the orders ascending, it holds at each order: a curve.

    Parameters
    ----------
    order : float or sequence of float
        1 < order < inf, a float each; ascending.
    epsilon : float or sequence of float
        0 < epsilon < inf, one for each order.
    neighbours : "replace", "add/remove" or "label", also "... up to k"
        Which datasets are neighbours: one record is replaced, is there or not, or has another label; or k of them.

    Raises
    ------
    ValueError
        In one line, for numbers out of range, of unequal length, or not ascending.

    References
    ----------
    Mironov (2017), Renyi differential privacy.

    Examples
    --------
    >>> RenyiDP((2, 8), (0.5, 1.75)).points
    ((2.0, 0.5), (8.0, 1.75))
    """

    order: float | Sequence[float]
    epsilon: float | Sequence[float]
    neighbours: str = "replace"

    def __post_init__(self) -> None:
        orders, epsilons = _entries("order", self.order), _entries("epsilon", self.epsilon)
        if len(orders) != len(epsilons) or listed(self.order) != listed(self.epsilon):
            raise ValueError(f"epsilon must have one number per order, got {short_repr(self.epsilon)}")
        found = tuple(_order(value) for value in orders)
        _check_ascending("order", found)
        bounds = tuple(rounded_up_in_range("epsilon", value, 0, inf) for value in epsilons)
        object.__setattr__(self, "order", found if listed(self.order) else found[0])
        object.__setattr__(self, "epsilon", bounds if listed(self.epsilon) else bounds[0])
        change_of(self.neighbours)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """(order, epsilon) at each order."""
        return tuple(zip(_entries("order", self.order), _entries("epsilon", self.epsilon), strict=True))

    def __str__(self) -> str:
        return _shown(self)


@dataclass(frozen=True)
class PrivacyCurve:
    """(epsilon, delta)-differential privacy at each of the points.

    `lemmata.mechanisms.privacy.privacy_curve` makes one from a function delta(epsilon), a privacy loss distribution or
    a trade-off function, and reads it between the points.

    Parameters
    ----------
    epsilon : sequence of float
        0 <= epsilon < inf, ascending.
    delta : sequence of float
        0 <= delta <= 1, one for each epsilon.
    neighbours : "replace", "add/remove" or "label", also "... up to k"
        Which datasets are neighbours: one record is replaced, is there or not, or has another label; or k of them.
    directions : pair of sequences of float, optional
        For "add/remove": delta of the data with a record against those without it, and the reverse, each at most
        `delta`. `compose` then composes each by itself, which is tighter than composing the larger.

    Raises
    ------
    ValueError
        In one line, for numbers out of range, of unequal length, or not ascending.

    Examples
    --------
    >>> PrivacyCurve((0, 1), (0.3, 1e-6)).points[1]
    ApproxDP(epsilon=1.0, delta=1e-06, neighbours='replace')
    """

    epsilon: Sequence[float]
    delta: Sequence[float]
    neighbours: str = "replace"
    directions: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        epsilons, deltas = _entries("epsilon", self.epsilon), _entries("delta", self.delta)
        if len(epsilons) != len(deltas):
            raise ValueError(f"delta and epsilon must have equal lengths, got {len(deltas)} and {len(epsilons)}")
        found = tuple(rounded_up_in_range("epsilon", value, 0, LARGEST, closed=True) for value in epsilons)
        _check_ascending("epsilon", found)
        object.__setattr__(self, "epsilon", found)
        object.__setattr__(
            self, "delta", tuple(rounded_up_in_range("delta", value, 0, 1, closed=True) for value in deltas)
        )
        if change_of(self.neighbours)[0] != "add/remove" and self.directions is not None:
            raise ValueError(f"directions require neighbours = 'add/remove', got {self.neighbours!r}")
        if self.directions is not None:
            made = tuple(PrivacyCurve(found, each).delta for each in _entries("directions", self.directions))
            if len(made) != 2 or any(a > b for each in made for a, b in zip(each, self.delta, strict=True)):
                raise ValueError(f"directions must be two sequences of at most delta, got {len(made)}")
            object.__setattr__(self, "directions", made)

    @property
    def points(self) -> tuple[ApproxDP, ...]:
        """The guarantee at each of the points."""
        return tuple(ApproxDP(e, d, self.neighbours) for e, d in zip(self.epsilon, self.delta, strict=True))

    def __str__(self) -> str:
        return _shown(self)


Guarantee = PureDP | ApproxDP | GaussianDP | ZCDP | RenyiDP | PrivacyCurve
KINDS: dict[str, Any] = {kind.__name__: kind for kind in (PureDP, ApproxDP, GaussianDP, ZCDP, RenyiDP, PrivacyCurve)}


def check_guarantee(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a guarantee."""
    if not isinstance(value, Guarantee):
        *kinds, last = KINDS
        raise ValueError(f"{name} must be {', '.join(kinds)} or {last}, got {type(value).__name__}")


def checked_again(name: str, value: Any) -> Any:
    """Return a guarantee with its numbers checked as if it were new. ValueError for one that was changed or derived.

    What is composed or charged comes from callers, whose Python lets them change a frozen record.
    """
    check_guarantee(name, value)
    if type(value) not in KINDS.values():
        raise ValueError(
            f"{name} must be a guarantee of lemmata's own types, got a {type(value).__name__} derived of one"
        )
    return replace(value)


def remember(privacy: Any, parts: tuple[tuple[Any, int], ...]) -> Any:
    """Note in a new guarantee what it is composed of: guarantees, and how often each.

    Equality, `repr` and `replace` do not see it: without it the guarantee holds as it is written.
    """
    object.__setattr__(privacy, "parts", parts)
    return privacy


def parts_of(privacy: Any) -> tuple[tuple[Any, int], ...]:
    """Return what `compose` made a guarantee of, () if it did not."""
    found: tuple[tuple[Any, int], ...] = getattr(privacy, "parts", ())
    return found


def LabelDP(epsilon: float, delta: float = 0.0) -> PureDP | ApproxDP:
    """Return label privacy: the same guarantee, for datasets that differ in one label, whose features are public.

    Parameters
    ----------
    epsilon, delta : float
        As of PureDP and ApproxDP.

    Returns
    -------
    PureDP or ApproxDP
        The former if delta = 0, with neighbours "label".

    Raises
    ------
    ValueError
        In one line, for a number out of range.

    References
    ----------
    Bassily, Mohri & Suresh (2022), Definition 6.1.

    Examples
    --------
    >>> LabelDP(1.0)
    PureDP(epsilon=1.0, neighbours='label')
    """
    approximate = ApproxDP(epsilon, delta, "label")
    return approximate if approximate.delta > 0 else PureDP(epsilon, "label")


def _shown(privacy: RenyiDP | PrivacyCurve) -> str:
    """`repr`, or its size where there are many points: messages and lists name it so."""
    many = len(privacy.points)
    return repr(privacy) if many <= 8 else f"{type(privacy).__name__}({many} points, neighbours={privacy.neighbours!r})"


def listed(values: Any) -> bool:
    """Return whether `values` is a list, a tuple or an array."""
    if isinstance(values, np.ndarray):
        return values.ndim > 0
    return isinstance(values, Sequence) and not isinstance(values, str | bytes)


def _entries(name: str, values: Any) -> tuple[Any, ...]:
    """One number, or the numbers of a list, a tuple or a vector."""
    if not listed(values):
        return (values,)
    if isinstance(values, np.ma.MaskedArray) or not 0 < len(values) <= 10**6:
        raise ValueError(f"{name} must contain numbers, got {type(values).__name__}")
    return tuple(values)


def _order(value: Any) -> float:
    order = check_in_range("order", value, 1, inf)
    if order != value:
        raise ValueError(f"order must be a float, got {short_repr(value)}")
    return order


def _check_ascending(name: str, values: tuple[float, ...]) -> None:
    for before, after in pairwise(values):
        if not before < after:
            raise ValueError(f"{name} must be ascending, got {short_repr(after)} after {short_repr(before)}")
