"""The worst privacy curve of the best of K ~ TNB(eta, r) runs, each mu-GDP and otherwise arbitrary.

    delta(epsilon) <= E K E h(e^epsilon l(x)),    x ~ N(0, 1),  l(x) = exp(mu x - mu^2 / 2),
    h(c) = sup over 0 <= a <= 1 of (v(a) - c v(G(a)))_+,    v(a) = (r / (r + (1 - r) a))^(eta + 1),
    G(a) = Phi(Phi^-1(a) + mu),

as `lemmata.bounds.wzw25.best_of_runs.worst_epsilon` proves. h is convex and falls, h(0) = 1, and it is 0 from the
largest v(a) / v(G(a)) on, which is e^((eta + 1) e^) with the e^ of `sharp_growth`. The supremum is taken over cells of
a, each with a bound v (1 - c / g) that is linear in c; of the largest of them nodes c_i are kept, and between nodes h
lies below its chords. A chain of chords is a sum of m_i (c_i - c)_+, and

    E (c_i - e^epsilon l(x))_+ = c_i delta_M(epsilon - log c_i),

the curve of one run. All that is left out makes the bound larger. Floats or balls enter through `tails` alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log1p
from typing import Any

import numpy as np
from flint import ctx
from scipy.special import ndtr, ndtri

from lemmata.bounds.exact.balls import Phi, exact, lower_end, upper_end
from lemmata.bounds.exact.numbers import Array

CELLS, NODES = 4000, 120
FIRST, LAST = 0.01, 20.0  # ends of the fine cells, in units of r
ROUND = 1e-12  # relative, for the few roundings of a float formula; errors of Phi are in `tails`
SLACK = 4e-15  # absolute, for what cancels: points, logarithms and heights are of the order of one

Tails = Callable[[Array, int], Array]  # (points, +1 for values above, -1 for values below) -> Phi there


def float_tails(s: Array, side: int) -> Array:
    """Phi in floats, moved up or down by more than its error is known to be."""
    return np.asarray(ndtr(s) * (1 + side * 1e-14))


def ball_tails(s: Array, side: int) -> Array:
    """Phi in balls, rounded up or down to floats."""
    end = upper_end if side > 0 else lower_end
    with ctx.workprec(80):
        return np.array([end(Phi(exact(float(place)))) for place in s])


@dataclass(frozen=True)
class Chords:
    """h from above: the sum of weights_i (1 - c / c_i)_+, with c_i = exp(logs_i); E K left out."""

    logs: Array
    weights: Array  # m_i c_i, which the curve of one run at epsilon - log c_i is multiplied with


def chords(*, mu: float, r: float, eta: float, growth: float, tails: Tails = float_tails) -> Chords:
    """h at one mu, from above. `growth`: an e^ of at least `sharp_growth(mu, r)`, certified if `tails` is.

    On the cell around s_k = Phi^-1(a), v is at most its value at the left end. With kappa = phi / (r / (1 - r) + Phi)
    the logarithm of v(a) / v(G(a)) has the derivative (eta + 1) (kappa(s + mu) - kappa(s)), kappa is at most |s|_- + 1,
    and kappa' = -kappa (s + kappa) at most (|s| + 1) times that. Left of the cells v is at most 1 and G(a) - a grows,
    as long as s <= -mu / 2; right of them v / v(G) is at most exp((eta + 1) growth).
    """
    low = min(float(ndtri(FIRST * r)), -mu / 2)
    ends = np.linspace(low, max(float(ndtri(min(0.9, LAST * r))), low + mu), CELLS + 1)
    s, half = (ends[1:] + ends[:-1]) / 2, (ends[1] - ends[0]) / 2 * (1 + ROUND)
    top = (eta + 1) * growth * (1 + ROUND)

    def log_v(points: Array, side: int) -> Array:
        """log v, from above for side = -1, from below for side = 1."""
        return np.asarray(-(eta + 1) * np.log1p((1 - r) / r * tails(points, side)) * (1 + side * ROUND))

    kappa = np.maximum(-ends[:-1], 0) + 1  # from above, on a cell and what lies mu to its right
    slope = kappa * np.minimum(1.0, mu * (np.maximum(np.abs(ends[:-1]), np.abs(ends[1:] + mu)) + 1))
    log_g = log_v(s, -1) - log_v(s + mu, 1) + (eta + 1) * (slope * half + kappa * SLACK * (2 + np.abs(s) + mu))
    first = tails(np.array([ends[0] + mu]), 1) - tails(np.array([ends[0]]), -1)
    log_first = (eta + 1) * log1p((1 - r) / r * float(first[0]) * (1 + ROUND)) * (1 + ROUND)
    tops = np.concatenate([log_v(ends, -1), [0.0]])  # the fine cells, the right end, the left end
    log_g = np.minimum(np.concatenate([log_g, [top, log_first]]), top)
    return _chords(np.exp(tops) * (1 + ROUND), log_g, mu, top)


def _chords(values: Array, log_g: Array, mu: float, top: float) -> Chords:
    """The chain of chords through nodes of the largest of all v (1 - c / g)_+; h(0) = 1 and h(exp(top)) = 0."""
    below = -min(12 * mu, 600.0) * np.linspace(1, 0, NODES) ** 2  # log c_i - top; what is scaled by exp(top) is c
    logs, c = top + below, np.exp(below)
    heights = np.array([(values * -np.expm1(np.minimum(log_c - log_g, 0.0))).max() for log_c in logs])
    heights = np.append(heights[:-1] * (1 + ROUND) + SLACK, 0.0)
    first = max(0.0, 1 + 2 * ROUND - heights[0]) / c[0]
    slopes = np.concatenate([[first], (heights[:-1] - heights[1:]) / np.diff(c), [0.0]])
    return Chords(logs, np.maximum(slopes[:-1] - slopes[1:], 0.0) * c * (1 + 2 * ROUND))


def worst_delta(chain: Chords, mean: Any, curve: Callable[[float], Any], epsilon: float) -> Any:
    """E K times the sum of m_i c_i delta_M(epsilon - log c_i), for a curve in floats or one that is rounded up."""
    places = epsilon - chain.logs
    places = places - SLACK * (1 + np.abs(chain.logs) + abs(epsilon))
    return mean * sum(weight * curve(e) for weight, e in zip(chain.weights.tolist(), places.tolist(), strict=True))


def least_epsilon(chain: Chords) -> float:
    """The largest log c_i: below it a curve would be asked for at a negative epsilon."""
    return float(chain.logs[-1])
