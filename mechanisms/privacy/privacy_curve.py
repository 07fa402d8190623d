"""Privacy curves: construction, interpolation, and conversion to trade-off functions.

    privacy_curve(delta)             from a function delta(epsilon), or what dp_accounting has
    from_trade_off(alpha, beta)      from points of a trade-off function (f-DP; Dong, Roth & Su 2022), on its safe side
    trade_off(privacy, alpha)        the trade-off function that a curve says

A pair has delta(epsilon) = E'[max(0, r - e^epsilon)] with r = dP / dP': a convex, decreasing function of e^epsilon.
So between two points it lies below their chord; and since P and P' change places, a point at epsilon >= 0 is one at
-epsilon too, delta(-epsilon) = 1 - e^-epsilon + e^-epsilon delta(epsilon). Every point is a tangent of the trade-off
function, f(a) >= 1 - delta - e^epsilon a, and those tangents are all that a curve says (Dong, Roth & Su, Section 2.5).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from importlib import import_module
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import ArrayLike

from lemmata.bounds.exact.balls import exact, lower_end, upper_end
from lemmata.mechanisms.numerics.arithmetic import SMALLEST, as_real_array, check_in_range, short_repr
from lemmata.mechanisms.privacy.guarantees import LARGEST, ApproxDP, PrivacyCurve, change_of

EPSILONS = (0.0, *(float(e) for e in np.geomspace(0.01, 40, 160).round(4)))  # where others are asked
ROUNDING = 1e-12  # relative, of logarithms
OFF = fmpq(1, 2**46)  # relative: a number tabulated in floats and its truth, a hundred units of the last place

NEGLIGIBLE, FARTHEST, MOST_POINTS = 1e-18, 1e4, 2000  # delta, epsilon and points of a curve that is asked for
NEAR = 0.01  # how much a chord may be above delta, as a share

Point = tuple[fmpq, fmpq]


def privacy_curve(delta: Any, epsilons: ArrayLike | None = None, neighbours: str = "replace") -> PrivacyCurve:
    """Return the curve through (epsilon, delta(epsilon)) at ascending `epsilons`.

    Parameters
    ----------
    delta : function, pair of functions or object
        A function of one epsilon, or what dp_accounting has: a privacy loss distribution, an accountant, or a DpEvent
        (of which it makes a distribution for the same neighbours). Its values are used as they are, limited to 1.
        Distributions round upwards when they discretise, and compute in floats. Two functions, or a distribution that
        has two, are the `directions` of neighbours for "add/remove".
    epsilons : sequence of float, optional
        The points at which `delta` is evaluated: 0 <= epsilon < inf, ascending. By default as far as delta falls, and
        so densely that a chord is above delta by a hundredth of it, up to 2,000 points.
    neighbours : "replace", "add/remove" or "label"
        For which datasets it holds; those of an accountant have to be the same.

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
    change_of(neighbours)
    asked = None if epsilons is None else np.atleast_1d(as_real_array("epsilons", epsilons)).ravel().tolist()
    for epsilon in asked or ():
        check_in_range("epsilons", epsilon, 0, LARGEST, closed=True)
    functions = _functions_of(delta, neighbours)

    def values(epsilon: float) -> list[float]:
        return [check_in_range("delta", _at_most_one(f(epsilon)), 0, 1, closed=True) for f in functions]

    found = {epsilon: values(epsilon) for epsilon in asked} if asked is not None else _densely(values)
    sides = tuple(zip(*found.values(), strict=True)) if len(functions) > 1 else None
    return PrivacyCurve(tuple(found), tuple(map(max, found.values())), neighbours, sides)


def _functions_of(delta: Any, neighbours: str) -> tuple[Callable[[float], Any], ...]:
    """delta(epsilon) of a function, or of what dp_accounting has; two if it has one for either direction."""
    relations = {"add/remove": "ADD_OR_REMOVE_ONE", "replace": "REPLACE_ONE"}
    if any(kind.__name__ == "DpEvent" for kind in type(delta).__mro__):
        theirs = import_module("dp_accounting.privacy_accountant")  # installed where somebody has an event of it
        relation = getattr(theirs.NeighboringRelation, relations.get(neighbours, ""), None)
        try:
            delta = import_module("dp_accounting.pld").PLDAccountant(relation).compose(delta)
        except (ValueError, theirs.UnsupportedEventError) as error:
            raise ValueError(f"delta must be an event with a distribution for {neighbours!r}, got {error}") from None
    relation = getattr(delta, "neighboring_relation", None)
    if relation is not None and relation.name != relations.get(neighbours):
        raise ValueError(f"neighbours must be those of the accountant, {relation.name}, got {neighbours!r}")
    law = getattr(delta, "_pld", delta)  # of an accountant
    ways = getattr(law, "_pmf_remove", None), getattr(law, "_pmf_add", None)
    if neighbours.startswith("add/remove") and None not in ways and ways[0] is not ways[1]:
        delta = tuple(way.get_delta_for_epsilon for way in ways if way)
    function = getattr(delta, "get_delta_for_epsilon", None) or getattr(delta, "get_delta", delta)
    found = function if isinstance(function, tuple) else (function,)
    if not (0 < len(found) < 3 and all(map(callable, found))):
        raise ValueError(
            f"delta must be a function of epsilon, or a distribution, accountant or event of dp_accounting, "
            f"got {short_repr(delta)}"
        )
    return found


def _densely(function: Callable[[float], list[float]]) -> dict[float, list[float]]:
    """delta at epsilons that go on while it falls, and are dense where it is not nearly a line in e^epsilon."""
    ends = [0.0, 0.125]
    found = {epsilon: function(epsilon) for epsilon in ends}
    while (
        max(found[ends[-1]]) > NEGLIGIBLE
        and ends[-1] < FARTHEST
        and (max(found[ends[-1]]) == 1 or max(found[ends[-1]]) < max(found[ends[-2]]))
    ):
        ends.append(2 * ends[-1])
        found[ends[-1]] = function(ends[-1])
    intervals = deque(pairwise(ends))
    while intervals and len(found) < MOST_POINTS:
        a, b = intervals.popleft()
        middle = (a + b) / 2
        found[middle] = function(middle)
        share = np.expm1(middle - a) / np.expm1(min(b - a, 700.0))
        sides = zip(found[a], found[b], found[middle], strict=True)
        if a < middle < b and any(x + (y - x) * share > (1 + NEAR) * z + NEGLIGIBLE for x, y, z in sides):
            intervals.extend([(a, middle), (middle, b)])
    return dict(sorted(found.items()))


def _at_most_one(value: Any) -> Any:
    """A delta; whatever is above 1 says nothing, like 1."""
    return 1.0 if isinstance(value, int | float | np.floating) and value > 1 else value


def from_trade_off(
    alpha: ArrayLike, beta: ArrayLike, neighbours: str = "replace", *, points: str = "samples"
) -> PrivacyCurve:
    """Return the curve by which no test of false-alarm chance alpha_j misses with a chance below f(alpha_j) = beta_j.

    f is convex, decreases from alpha_0 = 0 to 0 and lies below 1 - alpha. It holds for P against P' and for P' against
    P. Between "samples" nothing else is known of f: it is bounded from below by 0 and by the lines through its
    neighbouring points, extended, since the chords of a convex function lie above it between their ends and below it
    outside. Then each alpha and beta counts as a number within a relative 2^-46 of it, wherever that does harm.
    "vertices" says that f is linear between its points, as written.

    Parameters
    ----------
    alpha : array of shape (k,)
        Chances of a false alarm, from 0 on, ascending.
    beta : array of shape (k,)
        The least chances of a miss, descending to 0.
    neighbours : "replace", "add/remove" or "label"
        For which datasets it holds.
    points : "samples" or "vertices"
        What is known of f between the points.

    Returns
    -------
    PrivacyCurve
        A point for every piece of the lower bound: its slope says epsilon. Each delta is rounded up.

    Raises
    ------
    ValueError
        In one line, for other numbers, and for points that no such f has, up to a relative 2^-46.

    References
    ----------
    Dong, Roth & Su (2022), Gaussian differential privacy, Proposition 2.12.

    Examples
    --------
    >>> kept = [0, 0.25, 1], [1, 0.25, 0]  # randomised response that is kept 3 times of 4
    >>> from_trade_off(*kept, points="vertices")
    PrivacyCurve(epsilon=(0.0, 1.0986122886681098), delta=(0.5, 0.0), neighbours='replace')
    >>> from_trade_off(*kept).delta[0] >= 0.5
    True
    """
    a, b = (np.atleast_1d(as_real_array(name, value)) for name, value in (("alpha", alpha), ("beta", beta)))
    change_of(neighbours)
    if points not in ("samples", "vertices"):
        raise ValueError(f"points must be 'samples' or 'vertices', got {short_repr(points)}")
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ValueError(f"alpha and beta must be vectors of one length k >= 2, got shapes {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("alpha and beta must have finite entries only")
    rational = [[fmpq(*value.as_integer_ratio()) for value in values.tolist()] for values in (a, b)]
    known: list[Point] = list(zip(*rational, strict=True))
    if known[0][0] != 0 or known[-1][1] != 0 or any(not p[0] < q[0] for p, q in pairwise(known)):
        raise ValueError("alpha must ascend from 0, and beta must end at 0")
    # f decreases: at the lower corner of a rounding box its graph is above that corner, at the upper one below it.
    lower = [(x * (1 - OFF), y * (1 - OFF)) for x, y in known]
    upper = [(x * (1 + OFF), min(y * (1 + OFF), 1 - x * (1 - OFF))) for x, y in known]
    falls = all(v <= u for (_, u), (_, v) in zip(upper, lower[1:], strict=False)) and all(y <= 1 - x for x, y in lower)
    convex = all(q[1] <= _line(p, r, q[0]) for p, q, r in zip(upper, lower[1:], upper[2:], strict=False))
    if not (falls and convex):
        raise ValueError("beta must be convex and decreasing, and at most 1 - alpha")
    vertices = _hull(known if points == "vertices" else [*lower, *_kinks(lower, upper)])
    slopes = [(p[1] - q[1]) / (q[0] - p[0]) for p, q in pairwise(vertices)]
    logs = np.array([_log_up(slope) if slope >= 1 else -_log_up(1 / slope) for slope in slopes])
    epsilons = np.unique([0.0, *np.abs(logs)]).tolist()
    ways = (vertices, logs), ([(y, x) for x, y in reversed(vertices)], -logs[::-1])
    deltas = [min(_largest(*way, epsilon) for way in ways) for epsilon in epsilons]
    return PrivacyCurve(tuple(epsilons), tuple(deltas), neighbours)


def _line(p: Point, q: Point, x: fmpq) -> fmpq:
    """The line through two points at `x`."""
    return p[1] + (q[1] - p[1]) / (q[0] - p[0]) * (x - p[0])


def _kinks(lower: list[Point], upper: list[Point]) -> list[Point]:
    """Where the bounds of f from both sides meet between its points, rounded towards 0.

    A line through a point above the graph and, further on, one below it bounds f beyond the second.
    """
    found = []
    for j, (left, right) in enumerate(pairwise(lower)):
        lines = [(fmpq(0), fmpq(0))]  # value at `left`, slope
        for p, q in ((j - 1, j), (j + 2, j + 1)):
            if 0 <= p < len(upper) and (upper[p][0] < lower[q][0]) == (p < q) and upper[p][0] != lower[q][0]:
                slope = (lower[q][1] - upper[p][1]) / (lower[q][0] - upper[p][0])
                lines.append((lower[q][1] + slope * (left[0] - lower[q][0]), slope))
        width = right[0] - left[0]
        meet = [(u - v) / (t - s) for (u, s), (v, t) in combinations(lines, 2) if s != t]
        for x in (fmpq(0), width, *(x for x in meet if 0 < x < width)):
            height = max(value + slope * x for value, slope in lines)
            found.append((_below(left[0] + x), _below(height)))
    return found


def _below(x: fmpq) -> fmpq:
    """A float at most `x` >= 0, so that numbers stay short."""
    return fmpq(*max(0.0, lower_end(arb(x))).as_integer_ratio())


def _hull(points: list[Point]) -> list[Point]:
    """The vertices of the largest convex, decreasing function below the points, from the left; exact."""
    found: list[Point] = []
    for x, y in sorted(points):
        if found and y >= found[-1][1]:
            continue  # to the right and no lower
        while len(found) > 1 and found[-1][1] >= _line(found[-2], (x, y), found[-1][0]):
            found.pop()
        if not found or x > found[-1][0]:
            found.append((x, y))
    return found


def _log_up(x: fmpq) -> float:
    with ctx.workprec(128):
        return min(LARGEST, upper_end(arb(x).log()))


def _largest(vertices: list[Point], logs: np.ndarray, epsilon: float) -> float:
    """The largest 1 - e^epsilon alpha - beta over the vertices of a convex function, rounded up; at least 0.

    `logs` are those of its slopes: of the two ends of a piece that is steeper than e^epsilon the right one is larger.
    """
    near = ROUNDING * (1 + epsilon)  # in between a piece may be steeper or not
    first, last = (int(np.searchsorted(-logs, -edge)) for edge in (epsilon + near, epsilon - near))
    with ctx.workprec(192):
        slope = exact(epsilon).exp()
        return min(1.0, max(0.0, *(upper_end(1 - slope * arb(x) - arb(y)) for x, y in vertices[first : last + 1])))


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
    chords[np.isnan(chords)] = np.inf  # of points beyond the range of e^epsilon
    i, j = np.unravel_index(int(np.argmin(chords)), chords.shape)
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
