"""Consequences of bounds on Rényi divergences, rounded up: the arithmetic of `ZCDP` and `RenyiDP`.

Let r = dP / dP', so that E' r = 1, and let E' r^a <= c = e^{(a - 1) gamma}, which is D_a(P || P') <= gamma.

**From one order to (epsilon, delta).** For 0 <= v < u put

    g(r) = (r^a - v^a - a v^{a-1} (r - v)) / D,       D = a (u^{a-1} - v^{a-1}).

g is convex, zero with slope 0 at v and of slope 1 at u, where it is u - e^epsilon for

    e^epsilon = (a - 1) (u^a - v^a) / D.

So g(r) >= max(0, r - e^epsilon), and E' max(0, r - e^epsilon), the delta of epsilon, is at most

    delta = E' g(r) <= (c - a v^{a-1} + (a - 1) v^a) / D.                                                    (1)

Every u, v and a give a point of the curve, in closed form, so that it does not matter how they were found. With v = 0
this is the conversion of Canonne, Kamath & Steinke (2020, Proposition 12) and Balle et al. (2020, Theorem 21), which
uses E' r^a alone; with the best v nothing is lost at this order (a ratio that takes only the values u and v attains
it), as Asoodeh et al. (2021) showed to be possible. The best order is searched for, too. All this
reads P against P' alone. That P' against P is bounded as well says a little more near epsilon = 0, where `to_curve`
reads its chords: nothing here uses it.

**Pure privacy.** Among pairs that are epsilon-DP those of randomised response are the hardest: any other is a function
of theirs (Kairouz, Oh & Viswanath 2015). With z = +-epsilon and mean epsilon tanh(epsilon / 2) they have

    (a - 1) D_a = log cosh((a - 1/2) epsilon) - log cosh(epsilon / 2),

and that is a (a - 1) rho at most for rho = epsilon tanh(epsilon / 2): log cosh sqrt(x) is concave in x, since its slope
tanh(s) / (2 s), s = sqrt(x), decreases, so it lies below its tangent at x = (epsilon / 2)^2. As a -> 1 D_a tends to
this rho, so none is smaller; epsilon^2 / 2 (Bun & Steinke 2016) is larger.

**Between orders.** (a - 1) D_a is convex in a and 0 at a = 1: between two orders it lies below the chord.

**Groups.** D_a(P || R) <= (a - 1/2) / (a - 1) D_{2a}(P || Q) + D_{2a-1}(Q || R), by Cauchy and Schwarz on
P^a / Q^{a-1/2} times Q^{a-1/2} / R^{a-1} (Mironov 2017, Proposition 11, at p = q = 2). ZCDP of groups of k is
k^2 rho (Bun & Steinke 2016, Proposition 27).
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf, log, sqrt
from typing import Any

import numpy as np
from flint import arb, ctx

from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.mechanisms.numerics.arithmetic import SMALLEST, round_up

Points = tuple[tuple[float, float], ...]  # (order, epsilon), the orders ascending
GRID, ZOOMS = 49, 6  # points a side of the search, and how often it looks closer
LARGEST_RHO = 1e300


def pure_rho(epsilon: float) -> float:
    """Return epsilon tanh(epsilon / 2), rounded up: the least rho that epsilon-DP implies."""
    with ctx.workprec(192):
        return upper_end(exact(epsilon) * (exact(epsilon) / 2).tanh())


def pure_renyi(epsilon: float, order: float) -> float:
    """Return the divergence of randomised response at `order`, rounded up: the least that epsilon-DP implies."""
    with ctx.workprec(256):
        e, a = exact(epsilon), exact(order)
        return upper_end((_log_cosh((a - arb(0.5)) * e) - _log_cosh(e / 2)) / (a - 1))


def _log_cosh(x: arb) -> arb:
    """log cosh x for x > 0, without overflow."""
    return x + ((-2 * x).exp() / 2 + arb(0.5)).log()


def renyi_at(points: Points, order: float) -> Fraction | None:
    """Return what a curve implies at another order: a chord of (a - 1) epsilon; None above its last order."""
    before = Fraction(1), Fraction(0)
    least: Fraction | None = None
    for known, epsilon in points:
        after = Fraction(known), (Fraction(known) - 1) * Fraction(epsilon)
        if order <= known:
            share = (Fraction(order) - before[0]) / (after[0] - before[0])
            chord = (before[1] + share * (after[1] - before[1])) / (Fraction(order) - 1)
            later = [Fraction(bound) for a, bound in points if a >= order]  # D_a grows with a
            least = min(chord, *later)
            break
        before = after
    return least


def doubled(points: Points) -> Points:
    """Return a curve for groups of two, at half of every order above 2.

    The inequality of the module at those orders.
    """
    found = []
    for order, epsilon in points:
        a = Fraction(order) / 2
        second = renyi_at(points, round_up(2 * a - 1)) if a > 1 else None
        if second is not None and float(a) == a:
            found.append((float(a), round_up((a - Fraction(1, 2)) / (a - 1) * Fraction(epsilon) + second)))
    return tuple(found)


# From divergences to (epsilon, delta) ---------------------------------------------------------------------------------


class Bound:
    """A bound on Renyi divergences: D_a(P || P') <= gamma at each order a, or at most a rho for all a > 1 with `rho`.

    Orders are kept as a - 1, which may be far smaller than 1 where rho is large.
    """

    def __init__(self, points: Points = (), rho: float | None = None) -> None:
        self.rho = rho
        self.excess = np.array([float(Fraction(order) - 1) for order, _ in points])
        self.points = points
        smallest = rho if rho is not None else min(epsilon for _, epsilon in points)
        self.nearest = 36 + max(0.0, -log(smallest))  # logit of the v closest to 1 that is tried

    def logs(self, strength: float) -> np.ndarray:
        """Return log(a - 1) of the orders worth trying, `strength` a size of log(1 / delta)."""
        if self.rho is None:
            return np.log(self.excess)
        centre = (log(strength) - log(self.rho)) / 2
        return np.linspace(centre - 9, centre + 9, GRID)

    def moments(self, logs: np.ndarray) -> np.ndarray:
        """Return (a - 1) gamma at these orders, in floats."""
        t = np.exp(logs)
        if self.rho is not None:
            with np.errstate(over="ignore"):
                return np.asarray(t * (1 + t) * self.rho)
        return np.asarray(self.excess * [epsilon for _, epsilon in self.points])

    def exactly(self, place: int, log_excess: float) -> tuple[arb, arb]:
        """Return a - 1 and gamma as balls."""
        if self.rho is not None:
            t = exact(float(np.exp(log_excess)))
            return t, (t + 1) * exact(self.rho)
        order, epsilon = self.points[place]
        return exact(Fraction(order) - 1), exact(epsilon)


def certified(t: arb, gamma: arb, log_u: float, log_v: float) -> tuple[float, float]:
    """Return (epsilon, delta) of formula (1), a = 1 + t, both rounded up."""
    a, L, v = t + 1, exact(log_u), exact(log_v).exp()
    v_t = (exact(log_v) * t).exp()
    D = a * ((L * t).exp() - v_t)
    epsilon = (t * ((L * a).exp() - v_t * v) / D).log()
    delta = ((t * gamma).exp() - a * v_t + t * v_t * v) / D
    return upper_end(epsilon), upper_end(delta)


def _numerator(logs: np.ndarray, moment: np.ndarray, log_v: np.ndarray) -> np.ndarray:
    """log of c - a v^{a-1} + (a - 1) v^a, in floats."""
    t = np.exp(logs)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        v_t = np.exp(t * log_v)
        rest = -np.expm1(t * log_v) - t * v_t * -np.expm1(log_v)  # 1 - a v^{a-1} + (a - 1) v^a
        small = np.log(np.maximum(np.expm1(np.minimum(moment, 30)) + rest, 5e-324))
        return np.asarray(np.where(moment < 30, small, moment + np.log1p((rest - 1) * np.exp(-moment))))


def _epsilon_of(logs: Any, moment: Any, logit: Any, log_delta: float) -> tuple[Any, Any, Any]:
    """epsilon, log u and log v at a given delta; v = expit(logit)."""
    t, log_v = np.exp(logs), -np.logaddexp(0, -logit)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        log_u = np.logaddexp(t * log_v, _numerator(logs, moment, log_v) - np.log1p(t) - log_delta) / t
        gap = log_v - log_u
        shrunk = np.log(-np.expm1(gap * (1 + t))) - np.log(-np.expm1(gap * t))
        epsilon = logs - np.log1p(t) + log_u + shrunk
    return np.where(np.isnan(epsilon), inf, epsilon), log_u, log_v


def _log_delta_of(logs: Any, moment: Any, logit: Any, epsilon: float) -> tuple[Any, Any, Any]:
    """log delta, log u and log v at a given epsilon; v / u = expit(logit)."""
    t, gap = np.exp(logs), -np.logaddexp(0, -logit)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        log_u = epsilon + np.log1p(t) - logs + np.log(-np.expm1(gap * t)) - np.log(-np.expm1(gap * (1 + t)))
        log_v = log_u + gap
        below = np.log1p(t) + t * log_u + np.log(-np.expm1(gap * t))
        found = _numerator(logs, moment, log_v) - below
    return np.where(np.isnan(found), inf, found), log_u, log_v


def _best(
    bound: Bound, value: Callable[..., Any], target: float, strength: float, logits: np.ndarray
) -> tuple[int, float, float, float]:
    """Where `value` is least: the place of the order, log(a - 1), log u and log v. A grid, ever more closely."""
    logs = bound.logs(strength)
    for _ in range(ZOOMS):
        moments = bound.moments(logs)
        found, log_u, log_v = value(logs[:, None], moments[:, None], logits[None, :], target)
        at, y = map(int, np.unravel_index(int(np.argmin(found)), found.shape))
        best = at, float(logs[at]), float(log_u[at, y]), float(np.broadcast_to(log_v, found.shape)[at, y])
        logits = np.linspace(logits[max(y - 2, 0)], logits[min(y + 2, len(logits) - 1)], GRID)
        if bound.rho is not None:
            logs = np.linspace(logs[max(at - 2, 0)], logs[min(at + 2, len(logs) - 1)], GRID)
    return best


def least_epsilon(bound: Bound, delta: float) -> float:
    """Return the smallest epsilon >= 0 found with (epsilon, delta), 0 < delta < 1, rounded up."""
    best = _best(bound, _epsilon_of, log(delta), max(-log(delta), 1e-3), np.linspace(-36, bound.nearest, GRID))
    return _first(bound, *best, lambda epsilon, spent: max(0.0, epsilon) if spent <= delta else None, 1)


def least_delta(bound: Bound, epsilon: float) -> float:
    """Return the smallest delta found with (epsilon, delta), 0 <= epsilon < inf, rounded up; never 0."""
    strength = (
        1.0 if bound.rho is None else min(max((epsilon / bound.rho - 1) * (epsilon - bound.rho) / 4, 1e-3), 1e300)
    )
    logits = np.linspace(-40 - epsilon, bound.nearest if epsilon < 1 else 2 - epsilon, GRID)  # u > e^epsilon, and v < 1
    best = _best(bound, _log_delta_of, epsilon, strength, logits)
    found = _first(bound, *best, lambda spent, delta: delta if spent <= epsilon else None, -1)
    return min(1.0, max(SMALLEST, found))


def implied_curve(bound: Bound, rho: float) -> list[tuple[float, float]]:
    """Return some (epsilon, delta) that a bound implies, around the mean rho of the losses, each delta rounded up."""
    epsilons = [0.0, *(rho + slope * sqrt(2 * rho) for slope in (0.0, 0.5, 1.0, 1.5, 2.5))]
    return [(epsilon, least_delta(bound, epsilon)) for epsilon in epsilons]


def largest_rho(epsilon: float, delta: float) -> float:
    """Return the largest rho found whose ZCDP implies (epsilon, delta)-DP, rounded down; 0 if delta = 0."""
    if delta == 0:
        return 0.0
    if delta == 1:
        return LARGEST_RHO
    strength = -log(delta)
    low = (epsilon / (sqrt(strength + epsilon) + sqrt(strength))) ** 2 / 2  # half of what v = 0 and u -> inf allow
    high = 4 * (low + epsilon + delta) + 1e-300
    while high < LARGEST_RHO and least_delta(Bound(rho=high), epsilon) <= delta:
        low, high = high, 2 * high
    for _ in range(200):
        middle = sqrt(low * high) if low > 1e-300 else high * 1e-3
        if not low * (1 + 1e-13) < middle < high:
            break
        low, high = (middle, high) if least_delta(Bound(rho=middle), epsilon) <= delta else (low, middle)
        if high < 1e-290:
            return 0.0
    return low if low > 0 and least_delta(Bound(rho=low), epsilon) <= delta else 0.0


def _first(
    bound: Bound,
    place: int,
    log_excess: float,
    log_u: float,
    log_v: float,
    judged: Callable[..., float | None],
    way: int,
) -> float:
    """What is certified at u, or at the first u found beside it where `judged` accepts it; inf if nowhere."""
    stride = 1e-15 * abs(log_u) + 5e-324
    near = int(max(0.0, -np.log2(abs(log_u) + 5e-324)))  # u and v near 1 leave few of the bits
    for bits in (192 + 5 * near, *[768 + 5 * near] * 40):
        with ctx.workprec(bits):
            value = judged(*certified(*bound.exactly(place, log_excess), log_u, log_v))
        if value is not None:
            return value
        log_u, stride = log_u + way * stride, 4 * stride
    return inf
