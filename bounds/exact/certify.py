"""Proving an inequality on a whole box of parameters: ball arithmetic, branch and bound.

A ball (`flint.arb`) encloses a real number; whatever is computed from balls encloses the true result,
rounding errors included. To prove f <= c on a box, bound f from above over the box; where that bound is too
coarse, halve the box and go on with the worst piece. To refute it, exhibit one point where f, evaluated in
balls, exceeds c.

    certify(upper, value, box, c)       HOLDS, REFUTED or INCONCLUSIVE on the box
    supremum(upper, value, box)         an enclosure of the largest value on the box
    worst_ratio(log_ratio, box)         a float search for the worst point: a candidate, never a verdict
    confirm(point, lhs, rhs)            ball arithmetic at that point: is lhs > rhs proved there?

A certificate is about its box only; points outside need an argument of their own, or are not claimed.
"""

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import ctx

from lemmata.bounds.exact.balls import PRECISION, enclosure, exact, hull, lower_end, upper_end
from lemmata.bounds.exact.numbers import Array

Side = tuple[float, float]
Box = dict[str, Side]
HOLDS, REFUTED, INCONCLUSIVE = "HOLDS", "REFUTED", "INCONCLUSIVE"


def over(function: Callable[..., Any]) -> Callable[..., Any]:
    """`upper` by plain interval evaluation: `function` of balls, called with the sides of a box."""
    return lambda **sides: function(**{name: hull(side) for name, side in sides.items()})


def at(function: Callable[..., Any]) -> Callable[..., Any]:
    """`value` by evaluation at a point: `function` of balls, called with the point's coordinates."""
    return lambda **point: function(**{name: exact(x) for name, x in point.items()})


# Branch and bound -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate:
    """The result of branch and bound for f <= c on a box."""

    outcome: str  # HOLDS | REFUTED | INCONCLUSIVE
    bound: float  # proved: f <= bound on the whole box
    reached: float  # proved: f > reached, or equal, at `point`
    boxes: int  # boxes examined
    point: dict[str, float]  # where `reached` is attained; for REFUTED, a point with f > c
    box: Box  # the last box examined; for REFUTED, `point` is its midpoint


def midpoint(box: Mapping[str, Side]) -> dict[str, float]:
    """The middle of every side."""
    return {name: start + (end - start) / 2 for name, (start, end) in box.items()}


def bisect(box: Box, root: Mapping[str, Side]) -> list[Box]:
    """Two halves of `box` along its widest side, measured in sides of `root`; none if it cannot be halved."""

    def width(name: str) -> float:
        (start, end), (first, last) = box[name], root[name]
        return (end - start) / (last - first) if last > first else 0.0

    middle = midpoint(box)
    for name in sorted(box, key=width, reverse=True):
        start, end = box[name]
        if start < middle[name] < end:
            return [box | {name: (start, middle[name])}, box | {name: (middle[name], end)}]
    return []


def _checked(box: Mapping[str, Side]) -> Box:
    for name, (start, end) in box.items():
        if not (math.isfinite(start) and math.isfinite(end) and start <= end):
            raise ValueError(f"box[{name!r}] = ({start}, {end}) is not a finite interval low <= high")
    return dict(box)


def _best_first(upper: Callable, value: Callable, box: Mapping[str, Side], max_boxes: int) -> Iterator[Certificate]:
    """The state of the search each time the worst remaining box is examined. Its outcome is left open."""
    root = _checked(box)
    if max_boxes < 1:
        raise ValueError(f"max_boxes = {max_boxes} is not at least 1")
    tick = itertools.count()  # boxes are not ordered: break ties by age
    heap = [(-upper_end(upper(**root)), next(tick), root)]
    reached, best = -math.inf, midpoint(root)

    for boxes in range(1, max_boxes + 1):
        minus_bound, _, largest = heapq.heappop(heap)
        bound, middle = -minus_bound, midpoint(largest)
        here = lower_end(value(**middle))
        if here > bound:
            raise ArithmeticError(f"upper = {bound} over a box, but value >= {here} at its midpoint {middle}")
        if here > reached:
            reached, best = here, middle
        yield Certificate(INCONCLUSIVE, bound, reached, boxes, best, largest)

        halves = bisect(largest, root)
        if not halves:
            return  # a point that balls of this precision cannot decide
        for half in halves:
            # A half inherits its parent's bound, which may be the sharper one by a rounding error.
            heapq.heappush(heap, (-min(bound, upper_end(upper(**half))), next(tick), half))


def certify(
    upper: Callable[..., Any],
    value: Callable[..., Any],
    box: Mapping[str, Side],
    c: float,
    max_boxes: int = 50_000,
) -> Certificate:
    """Decide f <= c on `box` = {name: (low, high)} by best-first branch and bound.

    `upper(name=(low, high), ...)` returns a ball or float whose upper end bounds f over the box: NaN counts
    as +inf. `value(name=x, ...)` returns a ball around f at one point (its lower end is used). Keep the two
    apart: at a point `value` may use the sharp formula, over a box `upper` may use monotonicity. `over(f)`
    and `at(f)` make them from one function of balls.

    HOLDS: f <= bound <= c everywhere on the box. REFUTED: f(point) > c. INCONCLUSIVE: `max_boxes` were not
    enough, or a single point could not be decided.

    >>> certify(over(lambda x: x * (1 - x)), at(lambda x: x * (1 - x)), {"x": (0, 1)}, 0.26).outcome
    'HOLDS'

    Raises ValueError for a box with infinite or reversed sides or `max_boxes` < 1; ArithmeticError if `upper`
    is caught below `value`.
    """
    with ctx.workprec(PRECISION):
        for state in _best_first(upper, value, box, max_boxes):
            if state.bound <= c:
                return replace(state, outcome=HOLDS)  # the worst box is fine, so all are
            if state.reached > c:
                return replace(state, outcome=REFUTED)
        return state


def supremum(
    upper: Callable[..., Any],
    value: Callable[..., Any],
    box: Mapping[str, Side],
    gap: float = 1e-3,
    max_boxes: int = 50_000,
) -> Certificate:
    """An enclosure [reached, bound] of sup f over `box`, at most `gap * max(1, |bound|)` wide if HOLDS.

    Arguments and errors are those of `certify`. INCONCLUSIVE: the enclosure is valid, but wider.
    """
    with ctx.workprec(PRECISION):
        for state in _best_first(upper, value, box, max_boxes):
            if math.isfinite(state.bound) and state.bound - state.reached <= gap * max(1.0, abs(state.bound)):
                return replace(state, outcome=HOLDS)
        return state


# Search, then confirm -------------------------------------------------------------------------------------------------


def worst_ratio(
    log_ratio: Callable[..., float], box: Mapping[str, Side], iterations: int = 100
) -> tuple[dict[str, float], float]:
    """(point, log ratio): the largest `log_ratio(name=x, ...)` = log(f/g) that a float search finds on `box`.

    Sobol points, corners, evolution; the same at every call. `log_ratio` is a float function of scalars in a stable
    form (`erfcx`, `log_ndtr`, `expm1`); NaN counts as -inf. The result is a candidate until `confirm` has proved it: a
    lower bound of the supremum up to rounding, never an upper one.
    """
    from scipy.optimize import differential_evolution  # half a second with the next, which few commands need pay
    from scipy.stats import qmc

    root = _checked(box)
    sides = np.array(list(root.values()), dtype=float)

    def decode(row: Array) -> dict[str, float]:
        point = dict(zip(root, map(float, row), strict=True))
        return {name: min(max(x, root[name][0]), root[name][1]) for name, x in point.items()}

    def score(row: Array) -> float:
        with np.errstate(all="ignore"):
            value = float(log_ratio(**decode(row)))
        return -math.inf if math.isnan(value) else value

    cloud = qmc.Sobol(len(root), rng=np.random.default_rng(0)).random_base2(8)
    rows = np.vstack([sides[:, 0] + (sides[:, 1] - sides[:, 0]) * cloud, list(itertools.product(*sides))])
    best = rows[int(np.argmax([score(row) for row in rows]))]
    loss, rng = lambda row: float(np.clip(-score(row), -1e300, 1e300)), np.random.default_rng(0)
    evolved = differential_evolution(loss, sides, rng=rng, maxiter=iterations, x0=best, polish=False)
    best = max(best, evolved.x, key=score)
    return decode(best), score(best)


@dataclass(frozen=True)
class Confirmation:
    """Both sides of an inequality at one point, each as [low, high] rounded outward."""

    point: dict[str, float]
    lhs: list[float]
    rhs: list[float]
    exceeds: bool  # proved: lhs > rhs


def confirm(
    point: Mapping[str, Any], lhs: Callable[..., Any], rhs: Callable[..., Any], prec: int = PRECISION
) -> Confirmation:
    """Evaluate `lhs` and `rhs` in ball arithmetic at `point`; both are called with exact balls, by name.

    >>> from fractions import Fraction
    >>> from lemmata.bounds.exact.balls import exact
    >>> confirm({"x": 0.1}, lambda x: 3 * x, lambda x: exact(Fraction(3, 10))).exceeds
    True
    """
    with ctx.workprec(prec):
        balls = {name: exact(x) for name, x in point.items()}
        left, right = exact(lhs(**balls)), exact(rhs(**balls))
        return Confirmation(dict(point), enclosure(left), enclosure(right), bool(left > right))
