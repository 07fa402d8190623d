"""Conversions between guarantees; `lemmata.mechanisms.privacy` has a table of all of them.

Every number handed back is rounded towards less privacy claimed, in exact arithmetic and in balls
(`lemmata.mechanisms.numerics.arithmetic`, `divergences`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, expm1, inf, log1p, nextafter, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfinv, ndtri_exp

from lemmata.mechanisms.numerics.arithmetic import (
    certified_delta,
    check_in_range,
    is_pure_gaussian,
    round_up,
    rounded_down_in_range,
    short_repr,
    sqrt_up,
)
from lemmata.mechanisms.privacy.divergences import Bound, least_delta, least_epsilon, pure_renyi, pure_rho, renyi_at
from lemmata.mechanisms.privacy.gaussian_curve import gaussian_epsilon
from lemmata.mechanisms.privacy.guarantees import (
    LARGEST,
    ZCDP,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PrivacyCurve,
    PureDP,
    RenyiDP,
    check_guarantee,
    listed,
    parts_of,
)
from lemmata.mechanisms.privacy.losses import losses_of
from lemmata.mechanisms.privacy.privacy_curve import EPSILONS, delta_at, epsilon_at

ROUNDING = 1e-14  # relative; the inverse of the normal law is accurate to a few units in the last place


def to_pure(privacy: Guarantee) -> PureDP:
    """Return the PureDP that `privacy` implies.

    Parameters
    ----------
    privacy : Guarantee
        Pure already, or with delta = 0 at some positive epsilon.

    Returns
    -------
    PureDP
        For the same neighbours, as everywhere here.

    Raises
    ------
    ValueError
        In one line, where none follows.

    Examples
    --------
    >>> to_pure(ApproxDP(0.5, 0.0))
    PureDP(epsilon=0.5, neighbours='replace')
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
    raise ValueError(f"privacy must imply a PureDP, got {privacy}")


def to_approx(privacy: Guarantee, *, delta: float | None = None, epsilon: float | None = None) -> ApproxDP:
    """Return the ApproxDP that `privacy` implies, at a given `delta` (smallest epsilon) or `epsilon` (smallest delta).

    Both are rounded up; a delta that underflows is the smallest positive float, so a Gaussian guarantee never turns
    into a pure one. From ZCDP and RenyiDP the order is the best one, and at that order the bound is sharp
    (`divergences`). What `compose` made is read from the privacy losses of its parts where that gives less (`losses`).

    Parameters
    ----------
    privacy : Guarantee
        PureDP and ApproxDP need neither of the other arguments, the others exactly one of them.
    delta : float, optional
        In (0, 1); of a PureDP or ApproxDP in [0, 1], and no less than its own.
    epsilon : float, optional
        In [0, inf), and no less than that of an ApproxDP or PureDP.

    Returns
    -------
    ApproxDP

    Raises
    ------
    ValueError
        In one line, where nothing follows: for an ApproxDP at a delta or epsilon below its own (at a larger one it is
        kept, merely weaker), for a PrivacyCurve below all of its deltas.

    Examples
    --------
    >>> to_approx(PureDP(0.5))
    ApproxDP(epsilon=0.5, delta=0.0, neighbours='replace')
    >>> to_approx(GaussianDP(1.0), epsilon=60.0)
    ApproxDP(epsilon=60.0, delta=5e-324, neighbours='replace')
    >>> from lemmata.mechanisms.privacy import compose
    >>> to_approx(compose(*[PureDP(0.1)] * 105), delta=1e-6).epsilon < 4.9  # and 10.5 at delta = 0
    True
    """
    check_guarantee("privacy", privacy)
    composed = parts_of(privacy) and (delta is None) != (epsilon is None) and delta not in (0, 1)
    if composed or not isinstance(privacy, PureDP | ApproxDP):
        if (delta is None) == (epsilon is None):
            kind = type(privacy).__name__
            raise ValueError(
                f"{kind} requires one of delta and epsilon, got {short_repr(delta)} and {short_repr(epsilon)}"
            )
        if epsilon is not None:
            epsilon = rounded_down_in_range("epsilon", epsilon, 0, LARGEST, closed=True)
            return ApproxDP(epsilon, _delta_at(privacy, epsilon), privacy.neighbours)
        delta = rounded_down_in_range("delta", delta, 0, 1)
        return ApproxDP(_epsilon_at(privacy, delta), delta, privacy.neighbours)
    epsilon = privacy.epsilon if epsilon is None else check_in_range("epsilon", epsilon, 0, LARGEST, closed=True)
    delta = privacy.delta if delta is None else check_in_range("delta", delta, 0, 1, closed=True)
    if epsilon < privacy.epsilon or delta < privacy.delta:
        raise ValueError(f"epsilon = {epsilon}, delta = {delta} does not follow from {privacy}")
    return ApproxDP(epsilon, delta, privacy.neighbours)


def _delta_at(privacy: Guarantee, epsilon: float) -> float:
    """The smallest delta at `epsilon`, of whichever way gives it."""
    if isinstance(privacy, GaussianDP):
        least = certified_delta(epsilon, privacy.mu)
    elif isinstance(privacy, PureDP | ApproxDP):
        least = delta_at(PrivacyCurve((privacy.epsilon,), (privacy.delta,)), epsilon)
    elif isinstance(privacy, PrivacyCurve):
        least = delta_at(privacy, epsilon)
    else:
        least = least_delta(_bound(privacy), epsilon)
    return min(least, losses_of(parts_of(privacy)).delta(epsilon)) if parts_of(privacy) and least > 0 else least


def _epsilon_at(privacy: Guarantee, delta: float) -> float:
    """The smallest epsilon at `delta`, of whichever way gives it."""
    least: float | None
    if isinstance(privacy, GaussianDP):
        least = gaussian_epsilon(privacy.mu, delta)
    elif isinstance(privacy, PureDP | ApproxDP):
        least = privacy.epsilon if delta >= privacy.delta else None
    elif isinstance(privacy, PrivacyCurve):
        least = epsilon_at(privacy, delta)
    else:
        least = least_epsilon(_bound(privacy), delta)
    found = min(
        inf if least is None else least, losses_of(parts_of(privacy)).epsilon(delta) if parts_of(privacy) else inf
    )
    if found == inf:
        floor = getattr(privacy, "delta", 0.0)
        known = min(floor) if isinstance(floor, tuple) else floor
        raise ValueError(f"delta must be at least {known}, the least of the curve, got {delta}")
    return found


def _bound(privacy: Any) -> Bound:
    return Bound(rho=privacy.rho) if isinstance(privacy, ZCDP) else Bound(privacy.points)


def to_gaussian(privacy: Guarantee) -> GaussianDP:
    """Return the smallest GaussianDP that `privacy` implies, rounded up; known for pure guarantees only.

    The trade-off function of epsilon-DP is piecewise linear with one inner vertex, both errors 1 / (1 +
    e^epsilon); the Gaussian one is convex and meets the same ends, so it lies below as soon as it does at
    that vertex: mu = -2 Phi^-1(1 / (1 + e^epsilon)).

    Parameters
    ----------
    privacy : Guarantee
        A GaussianDP, or one that is pure. With delta > 0 an output may be possible under one dataset only.

    Returns
    -------
    GaussianDP

    Raises
    ------
    ValueError
        In one line, where none follows, or none is known to.

    Examples
    --------
    >>> round(to_gaussian(PureDP(1.0)).mu, 6)
    1.232035
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, GaussianDP):
        return privacy
    if isinstance(privacy, ZCDP | RenyiDP):
        raise ValueError(f"privacy must imply a GaussianDP, got {privacy}; convert with to_approx or to_curve")
    if isinstance(privacy, PrivacyCurve):
        privacy = to_pure(privacy)
    if privacy.delta > 0:
        raise ValueError(f"delta must be 0 for an ApproxDP to imply a GaussianDP, got {privacy.delta}")
    e = privacy.epsilon
    if e == 0:
        raise ValueError("epsilon must be positive, got 0.0, which implies mu-GDP for every mu > 0")
    always = sqrt_up(8 * (Fraction(e) + 1))  # 1 + e^epsilon <= 4 e^epsilon and Phi(-h) <= e^{-h^2/2} / 2
    if e < 1:  # Phi^-1(1/2 + x) = sqrt(2) erfinv(2 x): the difference to 1/2 is not rounded away
        mu = 2 * sqrt(2) * float(erfinv(-expm1(-e) / (1 + exp(-e))))
    else:
        mu = -2 * float(ndtri_exp(-e - log1p(exp(-e))))
    while mu < always and not is_pure_gaussian(e, mu):
        mu = max(mu * (1 + ROUNDING), nextafter(mu, inf))
    return GaussianDP(mu if mu < always else always, privacy.neighbours)


def to_zcdp(privacy: Guarantee) -> ZCDP:
    """Return the smallest ZCDP that `privacy` implies, rounded up.

    mu^2 / 2, or epsilon tanh(epsilon / 2) of a pure one.

    Parameters
    ----------
    privacy : Guarantee
        A ZCDP, a GaussianDP, or one that is pure.

    Returns
    -------
    ZCDP

    Raises
    ------
    ValueError
        In one line, where none follows: delta > 0 allows an infinite divergence, and a RenyiDP ends at its last order.

    References
    ----------
    Bun & Steinke (2016) for the Gaussian mechanism; `lemmata.mechanisms.privacy.divergences` for randomised response.

    Examples
    --------
    >>> to_zcdp(PureDP(1.0)).rho < 0.5, to_zcdp(GaussianDP(2.0)).rho
    (True, 2.0)
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, ZCDP):
        return privacy
    if isinstance(privacy, GaussianDP):
        return ZCDP(round_up(Fraction(privacy.mu) ** 2 / 2), privacy.neighbours)
    if isinstance(privacy, RenyiDP):
        raise ValueError(f"privacy must imply a ZCDP, got {privacy}, which bounds no order above its last one")
    return ZCDP(pure_rho(_pure_epsilon(privacy)), privacy.neighbours)


def to_renyi(privacy: Guarantee, order: float | Sequence[float]) -> RenyiDP:
    """Return the smallest RenyiDP that `privacy` implies at one order or at several, rounded up.

    GaussianDP order mu^2 / 2; ZCDP order rho; a pure guarantee the curve of randomised response; RenyiDP the chords of
    (order - 1) epsilon.

    Parameters
    ----------
    privacy : Guarantee
        With delta = 0.
    order : float or sequence of float
        Above 1, ascending.

    Returns
    -------
    RenyiDP
        At one order, or a curve.

    Raises
    ------
    ValueError
        In one line, where none follows: delta > 0, or an order above the last of a RenyiDP.

    Examples
    --------
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
            raise ValueError(f"order must be at most {privacy.points[-1][0]}, the last order known, got {order}")
        return round_up(found)
    if isinstance(privacy, GaussianDP):
        return round_up(Fraction(order) * Fraction(privacy.mu) ** 2 / 2)
    if isinstance(privacy, ZCDP):
        return round_up(Fraction(order) * Fraction(privacy.rho))
    return pure_renyi(_pure_epsilon(privacy), order)


def _pure_epsilon(privacy: Guarantee) -> float:
    """The epsilon of a pure guarantee, which delta > 0 is not."""
    if isinstance(privacy, ApproxDP) and (privacy.delta > 0 or privacy.epsilon == 0):
        raise ValueError(f"privacy must imply a least ZCDP or RenyiDP, got {privacy}")
    return to_pure(privacy).epsilon


def to_curve(privacy: Guarantee, epsilons: ArrayLike = EPSILONS) -> PrivacyCurve:
    """Return the PrivacyCurve that `privacy` implies, each delta rounded up; its tangents are a trade-off function.

    Parameters
    ----------
    privacy : Guarantee
        Of any kind.
    epsilons : sequence of float
        Where; 0 <= epsilon < inf, ascending.

    Returns
    -------
    PrivacyCurve

    Raises
    ------
    ValueError
        In one line, for an ApproxDP or PureDP without an epsilon at or above its own among `epsilons`.

    Examples
    --------
    >>> to_curve(ZCDP(0.1), [0, 1]).delta[1] < 0.01
    True
    """
    check_guarantee("privacy", privacy)
    asked = PrivacyCurve(epsilons, np.ones(np.size(epsilons)), privacy.neighbours)  # type: ignore[arg-type]
    return replace(asked, delta=tuple(_delta_at(privacy, epsilon) for epsilon in asked.epsilon))
