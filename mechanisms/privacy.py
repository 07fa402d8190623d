"""How one guarantee turns into another, what several promise together, and what they promise for groups.

Every number handed back is rounded towards more noise and less privacy claimed, in exact arithmetic and in balls
(`lemmata.mechanisms.arithmetic`, `divergences`). A number given that is no float (a Fraction, a large int) becomes the
float above it in a guarantee, which claims a loss, and the float below in the budget of an account, which allows one.
Conversions that do not exist, or that nobody here knows, raise ValueError:

    from \\ to      PureDP         ApproxDP              GaussianDP                    ZCDP               RenyiDP
    PureDP         itself         delta = 0             mu of randomised response     e tanh(e / 2)      its curve
    ApproxDP       if delta = 0   itself                if delta = 0                  if delta = 0       if delta = 0
    GaussianDP     none           a delta per epsilon   itself                        mu^2 / 2           order mu^2 / 2
    ZCDP           none           a delta per epsilon   not known                     itself             order rho
    RenyiDP        none           a delta per epsilon   none                          none               between orders
    PrivacyCurve   a delta = 0    between points        a delta = 0                   a delta = 0        a delta = 0

All of them but the last line's turn into a PrivacyCurve by `to_curve`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, expm1, inf, log1p, nextafter, sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfinv, ndtri_exp

from lemmata.mechanisms.arithmetic import (
    at_most,
    brief,
    certified_delta,
    group_delta,
    in_range,
    pure_is_gaussian,
    real,
    root_down,
    root_up,
    sum_up,
    up,
)
from lemmata.mechanisms.divergences import Bound, doubled, least_delta, least_epsilon, pure_renyi, pure_rho, renyi_at
from lemmata.mechanisms.gaussian_curve import gaussian_delta as gaussian_delta
from lemmata.mechanisms.gaussian_curve import gaussian_epsilon as gaussian_epsilon
from lemmata.mechanisms.gaussian_curve import gaussian_mu as gaussian_mu
from lemmata.mechanisms.guarantees import LARGEST as LARGEST
from lemmata.mechanisms.guarantees import NEIGHBOURS as NEIGHBOURS
from lemmata.mechanisms.guarantees import ZCDP as ZCDP
from lemmata.mechanisms.guarantees import ApproxDP as ApproxDP
from lemmata.mechanisms.guarantees import GaussianDP as GaussianDP
from lemmata.mechanisms.guarantees import Guarantee as Guarantee
from lemmata.mechanisms.guarantees import LabelDP as LabelDP
from lemmata.mechanisms.guarantees import PrivacyCurve as PrivacyCurve
from lemmata.mechanisms.guarantees import PureDP as PureDP
from lemmata.mechanisms.guarantees import RenyiDP as RenyiDP
from lemmata.mechanisms.guarantees import check_guarantee as check_guarantee
from lemmata.mechanisms.guarantees import check_neighbours as check_neighbours
from lemmata.mechanisms.guarantees import listed
from lemmata.mechanisms.privacy_curve import EPSILONS, delta_at, epsilon_at, grouped

ROUNDING = 1e-14  # relative; the inverse of the normal law is accurate to a few units in the last place
G = TypeVar("G", PureDP, ApproxDP, GaussianDP, ZCDP, RenyiDP, PrivacyCurve)


# Budgets of a Gaussian mechanism -----------------------------------------------------------------------------


def gaussian_noise_multiplier(privacy: Guarantee) -> float:
    """Return sigma / sensitivity of the Gaussian mechanism that just gives `privacy`, rounded up.

    GaussianDP(mu): 1 / mu. ApproxDP: the analytic calibration. Raises ValueError where no noise does it (delta = 0).

    >>> round(gaussian_noise_multiplier(ApproxDP(1.0, 1e-5)), 5)
    3.73063
    """
    mu = to_gaussian_budget(privacy).mu
    if 1 / Fraction(mu) > Fraction(LARGEST):
        raise ValueError(f"privacy = {privacy} needs more noise than a float can hold")
    return nextafter(1 / mu, inf)


def to_gaussian_budget(privacy: Guarantee) -> GaussianDP:
    """Return the largest GaussianDP that implies `privacy`: what a Gaussian mechanism may spend.

    Raises ValueError for delta = 0, which Gaussian noise never gives, and for delta = 1, which needs no noise.
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, GaussianDP):
        return privacy
    if isinstance(privacy, ZCDP):
        return GaussianDP(root_down(2 * Fraction(privacy.rho)), privacy.neighbours)
    if isinstance(privacy, RenyiDP):
        least = min(2 * Fraction(epsilon) / Fraction(order) for order, epsilon in privacy.points)
        return GaussianDP(root_down(least), privacy.neighbours)
    if isinstance(privacy, PrivacyCurve):
        told = [point for point in privacy.points if point.delta < 1] or privacy.points
        return min((to_gaussian_budget(point) for point in told), key=lambda budget: budget.mu)
    if not 0 < privacy.delta < 1:
        raise ValueError(f"delta = {privacy.delta} is outside (0, 1): no Gaussian noise is calibrated to it")
    return GaussianDP(gaussian_mu(privacy.epsilon, privacy.delta), privacy.neighbours)


# Conversions: what a guarantee implies --------------------------------------------------------------------


def to_pure(privacy: Guarantee) -> PureDP:
    """Return the PureDP that `privacy` implies.

    Raises ValueError unless it is pure already, or has delta = 0 somewhere.
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, PureDP):
        return privacy
    if isinstance(privacy, PrivacyCurve):
        for point in privacy.points:
            if point.delta == 0 and point.epsilon > 0:
                return PureDP(point.epsilon, privacy.neighbours)
    if isinstance(privacy, ApproxDP) and privacy.delta == 0:
        return PureDP(privacy.epsilon, privacy.neighbours)
    raise ValueError(f"privacy = {privacy} implies no PureDP")


def to_approx(privacy: Guarantee, *, delta: float | None = None, epsilon: float | None = None) -> ApproxDP:
    """Return the ApproxDP that `privacy` implies, at a given `delta` (smallest epsilon) or `epsilon` (smallest delta).

    Both are rounded up; a delta that underflows is the smallest positive float, so a Gaussian guarantee never turns
    into a pure one. PureDP and ApproxDP need neither argument, the others exactly one of them. From ZCDP and RenyiDP
    the order is the best one, and at that order the bound is sharp (`divergences`). Raises ValueError where nothing
    follows: for an ApproxDP at a delta or epsilon below its own (at a larger one it is kept, merely weaker), for a
    PrivacyCurve below all of its deltas.

    >>> to_approx(PureDP(0.5))
    ApproxDP(epsilon=0.5, delta=0.0, neighbours='replace')
    >>> to_approx(GaussianDP(1.0), epsilon=60.0)
    ApproxDP(epsilon=60.0, delta=5e-324, neighbours='replace')
    """
    check_guarantee("privacy", privacy)
    if not isinstance(privacy, PureDP | ApproxDP):
        if (delta is None) == (epsilon is None):
            kind = type(privacy).__name__
            raise ValueError(f"delta = {brief(delta)}, epsilon = {brief(epsilon)}: {kind} needs just one of them")
        if epsilon is not None:
            epsilon = at_most("epsilon", epsilon, 0, LARGEST, closed=True)
            return ApproxDP(epsilon, _delta_at(privacy, epsilon), privacy.neighbours)
        delta = at_most("delta", delta, 0, 1)
        return ApproxDP(_epsilon_at(privacy, delta), delta, privacy.neighbours)
    epsilon = privacy.epsilon if epsilon is None else in_range("epsilon", epsilon, 0, LARGEST, closed=True)
    delta = privacy.delta if delta is None else in_range("delta", delta, 0, 1, closed=True)
    if epsilon < privacy.epsilon or delta < privacy.delta:
        raise ValueError(f"epsilon = {epsilon}, delta = {delta} does not follow from {privacy}")
    return ApproxDP(epsilon, delta, privacy.neighbours)


def _delta_at(privacy: Guarantee, epsilon: float) -> float:
    """The smallest delta at `epsilon`, of a guarantee that has one for each."""
    if isinstance(privacy, GaussianDP):
        return certified_delta(epsilon, privacy.mu)
    if isinstance(privacy, PrivacyCurve):
        return delta_at(privacy, epsilon)
    return least_delta(_bound(privacy), epsilon)


def _epsilon_at(privacy: Guarantee, delta: float) -> float:
    """The smallest epsilon at `delta`, of a guarantee that has one for each."""
    if isinstance(privacy, GaussianDP):
        return gaussian_epsilon(privacy.mu, delta)
    if isinstance(privacy, PrivacyCurve):
        found = epsilon_at(privacy, delta)
        if found is None:
            raise ValueError(f"delta = {delta} is below every delta of the curve, {min(privacy.delta)} at least")
        return found
    return least_epsilon(_bound(privacy), delta)


def _bound(privacy: Any) -> Bound:
    return Bound(rho=privacy.rho) if isinstance(privacy, ZCDP) else Bound(privacy.points)


def to_gaussian(privacy: Guarantee) -> GaussianDP:
    """Return the smallest GaussianDP that `privacy` implies, rounded up; known for pure guarantees only.

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
    if isinstance(privacy, ZCDP | RenyiDP):
        raise ValueError(f"privacy = {privacy}: no GaussianDP is known to follow, convert with to_approx or to_curve")
    if isinstance(privacy, PrivacyCurve):
        privacy = to_pure(privacy)
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


def to_zcdp(privacy: Guarantee) -> ZCDP:
    """Return the smallest ZCDP that `privacy` implies, rounded up.

    mu^2 / 2, or epsilon tanh(epsilon / 2) of a pure one.

    Raises ValueError where none follows: delta > 0 allows an infinite divergence, and a RenyiDP ends at its last order.

    >>> to_zcdp(PureDP(1.0)).rho < 0.5, to_zcdp(GaussianDP(2.0)).rho
    (True, 2.0)
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, ZCDP):
        return privacy
    if isinstance(privacy, GaussianDP):
        return ZCDP(up(Fraction(privacy.mu) ** 2 / 2), privacy.neighbours)
    if isinstance(privacy, RenyiDP):
        raise ValueError(f"privacy = {privacy} implies no ZCDP: it says nothing above its last order")
    return ZCDP(pure_rho(_pure_epsilon(privacy)), privacy.neighbours)


def to_renyi(privacy: Guarantee, order: float | Sequence[float]) -> RenyiDP:
    """Return the smallest RenyiDP that `privacy` implies at one order or at several, rounded up.

    GaussianDP order mu^2 / 2; ZCDP order rho; a pure guarantee the curve of randomised response; RenyiDP the chords of
    (order - 1) epsilon. Raises ValueError where none follows: delta > 0, or an order above the last of a RenyiDP.

    >>> to_renyi(ZCDP(0.5), (2, 3))
    RenyiDP(order=(2.0, 3.0), epsilon=(1.0, 1.5), neighbours='replace')
    """
    check_guarantee("privacy", privacy)
    asked = RenyiDP(order, (1.0,) * len(order) if listed(order) else 1.0, privacy.neighbours)  # type: ignore[arg-type]
    epsilons = [_renyi_at(privacy, at) for at, _ in asked.points]
    return replace(asked, epsilon=epsilons if isinstance(asked.order, tuple) else epsilons[0])


def _renyi_at(privacy: Guarantee, order: float) -> float:
    if isinstance(privacy, RenyiDP):
        found = renyi_at(privacy.points, order)
        if found is None:
            raise ValueError(f"order = {order} is above {privacy.points[-1][0]}, the last of {brief(privacy)}")
        return up(found)
    if isinstance(privacy, GaussianDP):
        return up(Fraction(order) * Fraction(privacy.mu) ** 2 / 2)
    if isinstance(privacy, ZCDP):
        return up(Fraction(order) * Fraction(privacy.rho))
    return pure_renyi(_pure_epsilon(privacy), order)


def _pure_epsilon(privacy: Guarantee) -> float:
    """The epsilon of a pure guarantee, which delta > 0 is not."""
    if isinstance(privacy, ApproxDP) and (privacy.delta > 0 or privacy.epsilon == 0):
        raise ValueError(f"privacy = {privacy} implies no least ZCDP or RenyiDP")
    return to_pure(privacy).epsilon


def to_curve(privacy: Guarantee, epsilons: ArrayLike = EPSILONS) -> PrivacyCurve:
    """Return the PrivacyCurve that `privacy` implies, each delta rounded up; its tangents are a trade-off function.

    Raises ValueError for an ApproxDP or PureDP without an epsilon at or above its own among `epsilons`.

    >>> to_curve(ZCDP(0.1), [0, 1]).delta[1] < 0.01
    True
    """
    check_guarantee("privacy", privacy)
    asked = PrivacyCurve(epsilons, np.ones(np.size(epsilons)), privacy.neighbours)  # type: ignore[arg-type]
    if isinstance(privacy, PureDP | ApproxDP):
        privacy = PrivacyCurve((privacy.epsilon,), (privacy.delta,), privacy.neighbours)
    return replace(asked, delta=tuple(_delta_at(privacy, epsilon) for epsilon in asked.epsilon))


def to_neighbours(privacy: G, neighbours: str) -> G:
    """Return `privacy` for another neighbour relation. Raises ValueError where nothing follows.

    Changing a label is a replacement, so "replace" implies "label"; a replacement is one removal and one
    addition, so "add/remove" implies "replace" and "label" at the price of a group of two. Nothing implies
    "add/remove": the others keep the size.
    """
    check_guarantee("privacy", privacy)
    check_neighbours(neighbours)
    if privacy.neighbours == neighbours:
        return privacy
    if privacy.neighbours == "add/remove":
        return replace(group(privacy, 2), neighbours=neighbours)
    if privacy.neighbours == "replace" and neighbours == "label":
        return replace(privacy, neighbours=neighbours)
    raise ValueError(f"neighbours = {neighbours!r} does not follow from {privacy.neighbours!r}")


# Composition and groups -----------------------------------------------------------------------------------


def compose(*guarantees: Guarantee) -> Guarantee:
    """Return what mechanisms on the same data promise together. They may be chosen adaptively, their guarantees may
    not: those are fixed in advance (`lemmata.mechanisms.accountant` is for those that are not).

    Only GaussianDP and PureDP: sqrt of the sum of the squares of mu if there is a GaussianDP (pure ones
    converted), else the sum of epsilon. With a ZCDP: the sum of rho, all others converted; with a RenyiDP: the sum of
    epsilon at every order that all of them reach. With an ApproxDP: sums of epsilon and of delta (basic composition).
    Sums and roots are exact, then rounded up.
    Raises ValueError for no guarantee, for different neighbour relations, and where an ApproxDP with delta > 0 or a
    PrivacyCurve stands beside another kind: convert with `to_approx` first, at a delta of your choice.

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
    if any(isinstance(g, ZCDP | RenyiDP | PrivacyCurve) for g in guarantees):
        return _composed(guarantees, neighbours)
    if any(isinstance(g, GaussianDP) for g in guarantees):
        if any(isinstance(g, ApproxDP) and g.delta > 0 for g in guarantees):
            raise ValueError("guarantees mix GaussianDP and ApproxDP: convert with to_approx first")
        squares = (Fraction(to_gaussian(g).mu) ** 2 for g in guarantees)
        return GaussianDP(root_up(sum(squares, Fraction(0))), neighbours)
    others = [g for g in guarantees if isinstance(g, PureDP | ApproxDP)]
    epsilon = sum_up(g.epsilon for g in others)
    if all(isinstance(g, PureDP) for g in others):
        return PureDP(epsilon, neighbours)
    return ApproxDP(epsilon, min(1.0, sum_up(g.delta for g in others)), neighbours)


def _composed(guarantees: Sequence[Guarantee], neighbours: str) -> Guarantee:
    """The sum of rho, or of epsilon at each order."""
    curves = [g for g in guarantees if isinstance(g, PrivacyCurve)]
    if curves or any(isinstance(g, ApproxDP) and g.delta > 0 for g in guarantees):
        if len(guarantees) == 1:
            return guarantees[0]
        raise ValueError("guarantees mix what has a delta with what has none, or curves: convert with to_approx first")
    known = [g for g in guarantees if isinstance(g, RenyiDP)]
    if not known:
        return ZCDP(sum_up(to_zcdp(g).rho for g in guarantees), neighbours)
    reach = min(g.points[-1][0] for g in known)
    orders = sorted({order for g in known for order, _ in g.points if order <= reach})
    parts = [to_renyi(g, orders) for g in guarantees]
    sums = [sum_up(part.points[k][1] for part in parts) for k in range(len(orders))]
    return _renyi(list(zip(orders, sums, strict=True)), neighbours)


def _renyi(points: Sequence[tuple[float, float]], neighbours: str) -> RenyiDP:
    """One order as a number, several as a curve."""
    orders, epsilons = zip(*points, strict=True)
    return RenyiDP(orders, epsilons, neighbours) if len(orders) > 1 else RenyiDP(orders[0], epsilons[0], neighbours)


def group(privacy: G, k: int) -> G:
    """Return what `privacy` promises for datasets that are k steps apart, rounded up.

    PureDP k epsilon; ApproxDP, and each point of a PrivacyCurve, (k epsilon, delta (e^{k epsilon} - 1) / (e^epsilon -
    1)); GaussianDP k mu; ZCDP k^2 rho. RenyiDP: as often as 2 has to be doubled to reach k, from order a to a / 2, with
    (a - 1) / (a - 2) times the epsilon at a plus that at a - 1; ValueError if no order stays above 1.

    >>> group(ApproxDP(0.0, 0.01), 3).delta
    0.03
    """
    check_guarantee("privacy", privacy)
    times = real("k", k)
    if not (1 <= times < inf and times == int(times)):
        raise ValueError(f"k = {brief(k)} is not a whole number >= 1")
    whole = int(k)
    larger: Any  # a TypeVar is not narrowed
    if isinstance(privacy, GaussianDP):
        larger = GaussianDP(up(whole * Fraction(privacy.mu)), privacy.neighbours)
        return larger
    if isinstance(privacy, ZCDP):
        larger = ZCDP(up(whole**2 * Fraction(privacy.rho)), privacy.neighbours)
        return larger
    if isinstance(privacy, RenyiDP):
        larger = _doubled(privacy, (whole - 1).bit_length())
        return larger
    if isinstance(privacy, PrivacyCurve):
        return grouped(privacy, lambda point: group(point, whole))
    epsilon = up(whole * Fraction(privacy.epsilon))
    if isinstance(privacy, PureDP):
        return replace(privacy, epsilon=epsilon)
    return replace(privacy, epsilon=epsilon, delta=group_delta(privacy.epsilon, privacy.delta, whole))


def _doubled(privacy: RenyiDP, times: int) -> RenyiDP:
    points = privacy.points
    for _ in range(times):
        points = doubled(points)
        if not points:
            raise ValueError(
                f"order = {brief(privacy.order)} is not above {2.0**times:g}: nothing for groups of so many"
            )
    return _renyi(points, privacy.neighbours)
