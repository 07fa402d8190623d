"""Privacy curves: construction, interpolation, and conversion to trade-off functions.

    privacy_curve(delta)             from a function delta(epsilon), or a privacy loss distribution of dp_accounting
    from_trade_off(alpha, beta)      from a trade-off function (f-DP; Dong, Roth & Su 2022)
    trade_off(privacy, alpha)        the trade-off function that a curve says

A pair has delta(epsilon) = E'[max(0, r - e^epsilon)] with r = dP / dP': a convex, decreasing function of e^epsilon.
So between two points it lies below their chord; and since P and P' change places, a point at epsilon >= 0 is one at
-epsilon too, delta(-epsilon) = 1 - e^-epsilon + e^-epsilon delta(epsilon). Every point is a tangent of the trade-off
function, f(a) >= 1 - delta - e^epsilon a, and those tangents are all that a curve says (Dong, Roth & Su, Section 2.5).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from lemmata.bounds.exact.balls import exact, lower_end, upper_end
from lemmata.mechanisms.numerics.arithmetic import SMALLEST, as_real_array, check_in_range, short_repr
from lemmata.mechanisms.privacy.guarantees import LARGEST, ApproxDP, PrivacyCurve, check_neighbours

EPSILONS = (0.0, *(float(e) for e in np.geomspace(0.01, 40, 160).round(4)))  # where others are asked


def privacy_curve(delta: Any, epsilons: ArrayLike = EPSILONS, neighbours: str = "replace") -> PrivacyCurve:
    """Return the curve through (epsilon, delta(epsilon)) at ascending `epsilons`.

    Parameters
    ----------
    delta : function or object
        A function of one epsilon, or an object with `get_delta_for_epsilon`, as the privacy loss distributions of
        dp_accounting are. Its values are used as they are, limited to 1. Those distributions round upwards when they
        discretise, and compute in floats.
    epsilons : sequence of float
        The points at which `delta` is evaluated: 0 <= epsilon < inf, ascending.
    neighbours : "replace", "add/remove" or "label"
        For which datasets it holds.

    Returns
    -------
    PrivacyCurve

    Raises
    ------
    ValueError
        In one line, for anything else, and for what it returns outside [0, 1] or above it.

    Examples
    --------
    >>> privacy_curve(lambda epsilon: 0.1 / (1 + epsilon), [0, 1]).delta
    (0.1, 0.05)
    """
    asked = [float(e) for e in np.atleast_1d(as_real_array("epsilons", epsilons)).ravel()]
    for epsilon in asked:
        check_in_range("epsilons", epsilon, 0, LARGEST, closed=True)
    check_neighbours(neighbours)
    function = getattr(delta, "get_delta_for_epsilon", delta)
    if not callable(function):
        raise ValueError(f"delta must be a function of epsilon or a privacy loss distribution, got {short_repr(delta)}")
    return PrivacyCurve(tuple(asked), tuple(_at_most_one(function(epsilon)) for epsilon in asked), neighbours)


def _at_most_one(value: Any) -> Any:
    """A delta; whatever is above 1 says nothing, like 1."""
    return 1.0 if isinstance(value, int | float | np.floating) and value > 1 else value


def from_trade_off(alpha: ArrayLike, beta: ArrayLike, neighbours: str = "replace") -> PrivacyCurve:
    """Return the curve by which no test of false-alarm chance alpha_j misses with a chance below f(alpha_j) = beta_j.

    f is convex and linear between its points, decreases from alpha_0 = 0 to 0 and lies below 1 - alpha. It holds for P
    against P' and for P' against P.

    Parameters
    ----------
    alpha : array of shape (k,)
        Chances of a false alarm, from 0 on, ascending.
    beta : array of shape (k,)
        The least chances of a miss, descending to 0.
    neighbours : "replace", "add/remove" or "label"
        For which datasets it holds.

    Returns
    -------
    PrivacyCurve
        A point for every piece of f: its slope says epsilon.

    Raises
    ------
    ValueError
        In one line, for other numbers.

    References
    ----------
    Dong, Roth & Su (2022), Gaussian differential privacy, Proposition 2.12.

    Examples
    --------
    >>> from_trade_off([0, 0.25, 1], [1, 0.25, 0])  # randomised response that is kept 3 times of 4
    PrivacyCurve(epsilon=(0.0, 1.0986122886681098), delta=(0.5, 0.0), neighbours='replace')
    """
    a, b = (np.atleast_1d(as_real_array(name, value)) for name, value in (("alpha", alpha), ("beta", beta)))
    check_neighbours(neighbours)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ValueError(f"alpha and beta must be vectors of one length k >= 2, got shapes {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("alpha and beta must have finite entries only")
    x, y = ([Fraction(float(value)) for value in values] for values in (a, b))
    if x[0] != 0 or y[-1] != 0 or any(not u < v for u, v in pairwise(x)):
        raise ValueError("alpha must ascend from 0, and beta must end at 0")
    slopes = [(v - u) / (q - p) for p, q, u, v in zip(x, x[1:], y, y[1:], strict=False)]
    if any(v > 0 for v in slopes) or slopes != sorted(slopes) or any(not u + v <= 1 for u, v in zip(x, y, strict=True)):
        raise ValueError("beta must be convex and decreasing, and at most 1 - alpha")
    steep = [-slope if slope <= -1 else -1 / slope for slope in slopes if slope < 0]
    epsilons = sorted({0.0, *(_log_up(slope) for slope in steep if slope > 1)})
    deltas = [min(_largest(x, y, epsilon), _largest(y, x, epsilon)) for epsilon in epsilons]
    return PrivacyCurve(tuple(epsilons), tuple(deltas), neighbours)


def _log_up(x: Fraction) -> float:
    with ctx.workprec(192):
        return min(LARGEST, upper_end(exact(x).log()))


def _largest(x: list[Fraction], y: list[Fraction], epsilon: float) -> float:
    """The largest 1 - e^epsilon alpha - beta over the vertices, rounded up; at least 0."""
    with ctx.workprec(256):
        slope = exact(epsilon).exp()
        return min(1.0, max(0.0, *(upper_end(1 - slope * exact(p) - exact(q)) for p, q in zip(x, y, strict=True))))


def trade_off(privacy: PrivacyCurve, alpha: float) -> float:
    """Return f(alpha), rounded down: the least chance of a miss that the curve allows a test with false alarms `alpha`.

    Parameters
    ----------
    privacy : PrivacyCurve
        See `to_curve` for other guarantees.
    alpha : float
        The chance of a false alarm, in [0, 1].

    Returns
    -------
    float
        In [0, 1 - alpha].

    Raises
    ------
    ValueError
        In one line, for an alpha out of range.

    Examples
    --------
    >>> trade_off(PrivacyCurve((1,), (0,)), 0.0)
    1.0
    """
    if not isinstance(privacy, PrivacyCurve):
        raise ValueError(f"privacy must be a PrivacyCurve, got {short_repr(privacy)}; convert with to_curve")
    level = check_in_range("alpha", alpha, 0, 1, closed=True)
    least = 0.0
    with ctx.workprec(192):
        for point in privacy.points:
            slope, kept = exact(point.epsilon).exp(), 1 - exact(point.delta)
            least = max(least, lower_end(kept - slope * exact(level)), lower_end((kept - exact(level)) / slope))
    return min(least, 1.0 - level)


# Between the points ---------------------------------------------------------------------------------------------------


def _mirrored(privacy: PrivacyCurve) -> tuple[np.ndarray, np.ndarray]:
    """epsilon and delta of all points, those at -epsilon first, in floats: to choose a chord by."""
    epsilon, delta = np.array(privacy.epsilon), np.array(privacy.delta)
    other = -np.expm1(-epsilon) + np.exp(-epsilon) * delta
    return np.concatenate([-epsilon[::-1], epsilon]), np.concatenate([other[::-1], delta])


def _exactly(privacy: PrivacyCurve, place: int) -> tuple[arb, arb]:
    """A point of `_mirrored` in balls."""
    k = len(privacy.epsilon)
    at = place - k if place >= k else k - 1 - place
    epsilon, delta = exact(privacy.epsilon[at]), exact(privacy.delta[at])
    return (epsilon, delta) if place >= k else (-epsilon, 1 - (-epsilon).exp() * (1 - delta))


def delta_at(privacy: PrivacyCurve, epsilon: float) -> float:
    """Return the smallest delta that the curve implies at 0 <= epsilon < inf, rounded up; 1 below all that it says."""
    known, deltas = _mirrored(privacy)
    passed = deltas[known <= epsilon]
    least = float(passed.min()) if len(passed) and known[known <= epsilon].max() >= 0 else 1.0
    left, right = np.flatnonzero(known < epsilon), np.flatnonzero(known > epsilon)
    if not len(left) or not len(right):
        return least
    with np.errstate(over="ignore", invalid="ignore"):
        share = np.expm1(epsilon - known[left])[:, None] / np.expm1(known[right][None] - known[left][:, None])
        chords = deltas[left][:, None] * (1 - share) + deltas[right][None] * share
    i, j = np.unravel_index(int(np.nanargmin(chords)), chords.shape)
    with ctx.workprec(256):
        (e, d), (f, g) = _exactly(privacy, int(left[i])), _exactly(privacy, int(right[j]))
        weight = (exact(epsilon) - e).expm1() / (f - e).expm1()
        return min(least, 1.0, max(SMALLEST, upper_end(d + (g - d) * weight)))


def epsilon_at(privacy: PrivacyCurve, delta: float) -> float | None:
    """Return the smallest epsilon >= 0 that the curve implies at `delta`, rounded up.

    None if all its points have more.
    """
    known, deltas = _mirrored(privacy)
    enough = np.flatnonzero(np.append(np.zeros(len(privacy.delta), bool), np.array(privacy.delta) <= delta))
    if not len(enough):
        return None
    least, left = float(known[enough].min()), np.flatnonzero(deltas > delta)
    pairs = [(i, j) for j in enough[:1] for i in left if known[i] < known[j]]
    with ctx.workprec(256):
        for i, j in pairs:
            (e, d), (f, g) = _exactly(privacy, int(i)), _exactly(privacy, int(j))
            share = (d - exact(delta)) / (d - g)
            crossed = upper_end(e + (share * (f - e).expm1()).log1p())
            least = min(least, max(0.0, crossed))
    return least


def grouped(privacy: PrivacyCurve, group: Callable[[ApproxDP], ApproxDP]) -> PrivacyCurve:
    """Return the curve with every point as `group` makes it; those that end at one epsilon are one."""
    found: dict[float, float] = {}
    for point in map(group, privacy.points):
        found[point.epsilon] = min(point.delta, found.get(point.epsilon, 1.0))
    return PrivacyCurve(tuple(sorted(found)), tuple(found[e] for e in sorted(found)), privacy.neighbours)
