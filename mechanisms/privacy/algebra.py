"""Conversion, composition and group privacy of guarantees.

Every number handed back is rounded towards more noise and less privacy claimed, in exact arithmetic and in balls
(`lemmata.mechanisms.numerics.arithmetic`, `divergences`). A number given that is no float (a Fraction, a large int)
becomes the float above it in a guarantee, which claims a loss, and the float below in the budget of an account, which
allows one. Conversions that do not exist, or that nobody here knows, raise ValueError:

    from \\ to      PureDP         ApproxDP              GaussianDP                    ZCDP               RenyiDP
    PureDP         itself         delta = 0             mu of randomised response     e tanh(e / 2)      its curve
    ApproxDP       if delta = 0   itself                if delta = 0                  if delta = 0       if delta = 0
    GaussianDP     none           a delta per epsilon   itself                        mu^2 / 2           order mu^2 / 2
    ZCDP           none           a delta per epsilon   not known                     itself             order rho
    RenyiDP        none           a delta per epsilon   none                          none               between orders
    PrivacyCurve   a delta = 0    between points        a delta = 0                   a delta = 0        a delta = 0

All of them but the last line's turn into a PrivacyCurve by `to_curve`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, expm1, inf, nextafter
from typing import Any, TypeVar

import numpy as np

from lemmata.mechanisms.numerics.arithmetic import (
    as_real,
    group_delta,
    round_down,
    round_up,
    short_repr,
    sqrt_down,
    sqrt_up,
    sum_up,
)
from lemmata.mechanisms.privacy.conversions import to_gaussian, to_renyi, to_zcdp
from lemmata.mechanisms.privacy.divergences import doubled
from lemmata.mechanisms.privacy.gaussian_curve import gaussian_mu
from lemmata.mechanisms.privacy.guarantees import (
    LARGEST,
    ZCDP,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PrivacyCurve,
    PureDP,
    RenyiDP,
    change_of,
    check_guarantee,
    checked_again,
    parts_of,
    remember,
)
from lemmata.mechanisms.privacy.losses import Parts, losses_of
from lemmata.mechanisms.privacy.privacy_curve import grouped

G = TypeVar("G", PureDP, ApproxDP, GaussianDP, ZCDP, RenyiDP, PrivacyCurve)


# Budgets of a Gaussian mechanism -----------------------------------------------------------------------------


def gaussian_noise_multiplier(privacy: Guarantee) -> float:
    """Return sigma / sensitivity of the Gaussian mechanism that just gives `privacy`, rounded up.

    Parameters
    ----------
    privacy : Guarantee
        GaussianDP(mu): 1 / mu. ApproxDP: the analytic calibration, 0 < delta < 1. The others as `to_gaussian_budget`.

    Returns
    -------
    float
        A number without a unit: the standard deviation of each coordinate over the l2 sensitivity.

    Raises
    ------
    ValueError
        In one line, where no noise does it (delta = 0), or more than a float can hold.

    Examples
    --------
    >>> round(gaussian_noise_multiplier(ApproxDP(1.0, 1e-5)), 5)
    3.73063
    """
    mu = to_gaussian_budget(privacy).mu
    if 1 / Fraction(mu) > Fraction(LARGEST):
        raise ValueError(f"privacy must be large enough for noise in the range of floats, got {privacy}")
    return nextafter(1 / mu, inf)


def to_gaussian_budget(privacy: Guarantee) -> GaussianDP:
    """Return the largest GaussianDP that implies `privacy`: what a Gaussian mechanism may spend.

    Raises ValueError for delta = 0, which Gaussian noise never gives, and for delta = 1, which needs no noise.
    """
    check_guarantee("privacy", privacy)
    if isinstance(privacy, GaussianDP):
        return privacy
    if isinstance(privacy, ZCDP):
        return GaussianDP(sqrt_down(2 * Fraction(privacy.rho)), privacy.neighbours)
    if isinstance(privacy, RenyiDP):
        least = min(2 * Fraction(epsilon) / Fraction(order) for order, epsilon in privacy.points)
        return GaussianDP(sqrt_down(least), privacy.neighbours)
    if isinstance(privacy, PrivacyCurve):
        told = [point for point in privacy.points if point.delta < 1] or privacy.points
        return min((to_gaussian_budget(point) for point in told), key=lambda budget: budget.mu)
    if not 0 < privacy.delta < 1:
        raise ValueError(f"delta must be in (0, 1) to calibrate Gaussian noise, got {privacy.delta}")
    return GaussianDP(gaussian_mu(privacy.epsilon, privacy.delta), privacy.neighbours)


# Neighbours ---------------------------------------------------------------------------------------------


def to_neighbours(privacy: G, neighbours: str) -> G:
    """Return `privacy` for another neighbour relation.

    Changing a label is a replacement, so "replace" implies "label"; a replacement is one removal and one
    addition, so "add/remove" implies "replace" and "label" at the price of a group of two. Nothing implies
    "add/remove": the others keep the size. Up to k records are k steps of one record, and fewer if a step may change
    several.

    Parameters
    ----------
    privacy : Guarantee
        Of any kind.
    neighbours : "replace", "add/remove" or "label", also "... up to k"
        The relation asked for.

    Returns
    -------
    Guarantee
        Of the same kind.

    Raises
    ------
    ValueError
        In one line, where nothing follows.

    Examples
    --------
    >>> to_neighbours(PureDP(0.5, "add/remove"), "replace")
    PureDP(epsilon=1.0, neighbours='replace')
    >>> to_neighbours(GaussianDP(0.5), "replace up to 3")
    GaussianDP(mu=1.5, neighbours='replace up to 3')
    """
    check_guarantee("privacy", privacy)
    (given, each), (asked, records) = change_of(privacy.neighbours), change_of(neighbours)
    if privacy.neighbours == neighbours:
        return privacy
    if given != asked and (given, asked) != ("replace", "label") and given != "add/remove":
        raise ValueError(f"neighbours = {neighbours!r} does not follow from {privacy.neighbours!r}")
    steps = -(-records // each) * (1 if given == asked or given != "add/remove" else 2)
    return replace(group(privacy, steps), neighbours=neighbours)


# Composition and groups -----------------------------------------------------------------------------------


def compose(*guarantees: Guarantee) -> Guarantee:
    """Return the guarantee of several mechanisms together on the same data.

    They may be chosen adaptively, their guarantees may not: those are fixed in advance
    (`lemmata.mechanisms.privacy.accountant` is for those that are not).

    Only GaussianDP and PureDP: sqrt of the sum of the squares of mu if there is a GaussianDP (pure ones
    converted), else the sum of epsilon. With a ZCDP: the sum of rho, all others converted; with a RenyiDP: the sum of
    epsilon at every order that all of them reach. With an ApproxDP: sums of epsilon and of delta (basic composition).
    Sums and roots are exact, then rounded up. Kinds of which there is no such sum make a PrivacyCurve.

    The result remembers its parts: `to_approx` and `to_curve` compose their privacy losses
    (`lemmata.mechanisms.privacy.losses`), which is nearly optimal, and so does `compose` with further guarantees.

    Parameters
    ----------
    *guarantees : Guarantee
        At least one, for the same neighbours.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        In one line: for no guarantee, and for different neighbour relations.

    Examples
    --------
    >>> compose(GaussianDP(3.0), GaussianDP(4.0)).mu
    5.0
    >>> compose(PureDP(0.5), ApproxDP(0.5, 1e-6))
    ApproxDP(epsilon=1.0, delta=1e-06, neighbours='replace')
    >>> from lemmata.mechanisms.privacy import to_approx
    >>> round(to_approx(compose(GaussianDP(0.5), ApproxDP(0.5, 1e-6)), delta=1e-5).epsilon, 3)
    2.448
    """
    if not guarantees:
        raise ValueError("guarantees must not be empty")
    for one in {id(one): one for one in guarantees}.values():
        checked_again("guarantees", one)
    relations = {g.neighbours for g in guarantees}
    if len(relations) > 1:
        raise ValueError(f"neighbours must be equal, got {sorted(relations)}; convert with to_neighbours first")
    (neighbours,) = relations
    if len(guarantees) == 1:
        return guarantees[0]
    summed = _sum(guarantees, neighbours)
    if summed is not None and all(isinstance(g, GaussianDP | ZCDP | RenyiDP) and not parts_of(g) for g in guarantees):
        return summed  # nothing is lost
    counts = Counter[Any]()
    for g in guarantees:
        counts.update(dict(parts_of(g) or ((g, 1),)))
    divergences = [g for g in counts.elements() if isinstance(g, ZCDP | RenyiDP)]
    parts = [(g, n) for g, n in counts.items() if not isinstance(g, ZCDP | RenyiDP)]
    if divergences:
        parts.append((_composed(divergences, neighbours), 1))
    return remember(_curve(tuple(parts), neighbours) if summed is None else summed, tuple(parts))


def _curve(parts: Parts, neighbours: str) -> PrivacyCurve:
    """Some points of what the losses say, up to where delta is nearly that of an infinite loss."""
    losses = losses_of(parts)
    last = losses.epsilon(min(0.5, 1e-12 + 1.001 * losses.infinite)) if losses.infinite < 0.4 else 0.0
    epsilons = np.unique(np.linspace(0, last, 33)).tolist() if last < inf else [0.0]
    return PrivacyCurve(epsilons, [losses.delta(epsilon) for epsilon in epsilons], neighbours)


def _sum(guarantees: Sequence[Guarantee], neighbours: str) -> Guarantee | None:
    """The sum in the terms of a kind to which all convert; None if there is none."""
    approximate = any(isinstance(g, ApproxDP) and g.delta > 0 for g in guarantees)
    if any(isinstance(g, PrivacyCurve) for g in guarantees):
        return None
    if any(isinstance(g, ZCDP | RenyiDP) for g in guarantees):
        return None if approximate else _composed(guarantees, neighbours)
    if any(isinstance(g, GaussianDP) for g in guarantees):
        if approximate:
            return None
        squares = (Fraction(to_gaussian(g).mu) ** 2 for g in guarantees)
        return GaussianDP(sqrt_up(sum(squares, Fraction(0))), neighbours)
    others = [g for g in guarantees if isinstance(g, PureDP | ApproxDP)]
    epsilon = sum_up(g.epsilon for g in others)
    if all(isinstance(g, PureDP) for g in others):
        return PureDP(epsilon, neighbours)
    return ApproxDP(epsilon, min(1.0, sum_up(g.delta for g in others)), neighbours)


def _composed(guarantees: Sequence[Guarantee], neighbours: str) -> Guarantee:
    """The sum of rho, or of epsilon at each order."""
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
    """Return the guarantee that `privacy` implies for datasets that are k steps apart, rounded up.

    PureDP k epsilon; ApproxDP, and each point of a PrivacyCurve, (k epsilon, delta (e^{k epsilon} - 1) / (e^epsilon -
    1)); GaussianDP k mu; ZCDP k^2 rho. RenyiDP: as often as 2 has to be doubled to reach k, from order a to a / 2, with
    (a - 1) / (a - 2) times the epsilon at a plus that at a - 1.

    Parameters
    ----------
    privacy : Guarantee
        Of any kind.
    k : int
        Records in which two datasets differ, k >= 1.

    Returns
    -------
    Guarantee
        Of the same kind, for the same relation.

    Raises
    ------
    ValueError
        In one line: for another k, and for a RenyiDP of which no order stays above 1.

    Examples
    --------
    >>> group(ApproxDP(0.0, 0.01), 3).delta
    0.03
    """
    check_guarantee("privacy", privacy)
    times = as_real("k", k)
    if not (1 <= times < inf and times == int(times)):
        raise ValueError(f"k must be an integer >= 1, got {short_repr(k)}")
    whole = int(k)
    if whole == 1:
        return privacy
    larger: Any  # a TypeVar is not narrowed
    if isinstance(privacy, GaussianDP):
        larger = GaussianDP(round_up(whole * Fraction(privacy.mu)), privacy.neighbours)
        return larger
    if isinstance(privacy, ZCDP):
        larger = ZCDP(round_up(whole**2 * Fraction(privacy.rho)), privacy.neighbours)
        return larger
    if isinstance(privacy, RenyiDP):
        larger = _doubled(privacy, (whole - 1).bit_length())
        return larger
    if isinstance(privacy, PrivacyCurve):
        return grouped(privacy, lambda point: group(point, whole))
    epsilon = round_up(whole * Fraction(privacy.epsilon))
    if isinstance(privacy, PureDP):
        return replace(privacy, epsilon=epsilon)
    return replace(privacy, epsilon=epsilon, delta=group_delta(privacy.epsilon, privacy.delta, whole))


def share_of_record(privacy: Any, k: int) -> Any:
    """Return what releases may promise for single records so that groups of k have `privacy`, rounded down.

    Not for RenyiDP and curves. ValueError where floats have nothing so small.

    >>> share_of_record(PureDP(1.0), 4), group(share_of_record(ApproxDP(1.0, 1e-6), 3), 3).delta <= 1e-6
    (PureDP(epsilon=0.25, neighbours='replace'), True)
    """
    if isinstance(privacy, GaussianDP):
        return replace(privacy, mu=round_down(Fraction(privacy.mu) / k))
    if isinstance(privacy, ZCDP):
        return replace(privacy, rho=round_down(Fraction(privacy.rho) / k**2))
    epsilon = round_down(Fraction(privacy.epsilon) / k)
    if isinstance(privacy, PureDP):
        return replace(privacy, epsilon=epsilon)
    if privacy.epsilon > 700:  # beyond, expm1 leaves the range of floats
        ratio = exp(epsilon - privacy.epsilon)
    else:
        ratio = expm1(epsilon) / expm1(privacy.epsilon) if privacy.epsilon else 1 / k
    delta = privacy.delta * ratio
    while group_delta(epsilon, delta, k) > privacy.delta:
        delta = min(delta * (1 - 2.0**-50), nextafter(delta, 0))
    return replace(privacy, epsilon=epsilon, delta=delta)


def _doubled(privacy: RenyiDP, times: int) -> RenyiDP:
    points = privacy.points
    for _ in range(times):
        points = doubled(points)
        if not points:
            raise ValueError(
                f"order must be above {2.0**times:g} for groups of this size, got {short_repr(privacy.order)}"
            )
    return _renyi(points, privacy.neighbours)
