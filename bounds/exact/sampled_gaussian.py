r"""The privacy curve of Gaussian steps on random batches, composed N times, and with one Gaussian release.

A step takes every record with probability q (independently, its batch is not released) and adds N(0, sigma^2 I) to the
sum of the vectors of its batch, each of norm at most L; let a = L / sigma. One record is replaced. Given the rest of
the batch the two laws of the step are P = (1-q) N(0, I) + q N(g, I) and Q = (1-q) N(0, I) + q N(g', I), in units of
sigma, with ||g||, ||g'|| <= a. For t >= 0 and an event A of probability Phi(k) under N(g, I),

    P(A) - e^t Q(A) = q N(g)(A) - (e^t - 1)(1-q) N(0)(A) - e^t q N(g')(A)
                   <= q Phi(k) - (e^t - 1)(1-q) Phi(k-a) - e^t q Phi(k-2a),

as no event of that probability has less than Phi(k - ||g - h||) under N(h, I) (Neyman & Pearson). Equality holds on the
line, at g = a = -g' and half-lines: that pair dominates every other, for t < 0 by exchanging P and Q, and
compositions of dominating pairs dominate (Dong, Roth & Su 2022; Zhu, Dong & Wang 2022). On the line e^t is the ratio of
the densities at one x only, so its loss is moved to a grid exactly: the mass of a cell goes to its two ends such that
neither law's changes, which can only separate them (Doroshenko et al. 2022). N-fold sums of losses by FFT.
"""

from math import ceil, exp, inf, log, sqrt

import numpy as np
from scipy.special import log_ndtr, ndtr

from lemmata.bounds.exact.numbers import Array

FINE = 8.0  # grid steps in one standard deviation of a step's loss
DEVIATIONS = 12.0  # of the sum of all losses that the grid reaches to, on either side of its mean
ROUNDING = 1e-11  # more than the FFT and the sums err by in absolute terms
LONGEST = 2**22  # grid points


def step_threshold(t: Array, rate: float, a: float) -> Array:
    """The x at which the densities of P and Q on the line have the ratio e^t.

    With z = e^{ax} and c = q e^{-a^2/2} it is the positive root of c z^2 + (1-q)(1-e^t) z - c e^t = 0.

    >>> float(step_threshold(np.array([0.0]), 0.1, 1.0)[0])
    0.0
    """
    half = (1 - rate) * np.expm1(t) / (2 * rate * exp(-(a**2) / 2))
    larger = np.abs(half) + np.sqrt(half**2 + np.exp(t))  # in absolute value, of the two roots
    return np.log(np.where(half > 0, larger, np.exp(t) / larger)) / a


def step_delta(epsilon: float, rate: float, a: float) -> float:
    """delta(epsilon) of one step: P(X > x) - e^epsilon Q(X > x) at the threshold x.

    >>> round(step_delta(0.0, 0.5, 1.0), 6)  # half the total variation of N(1, 1) and N(-1, 1)
    0.341345
    """
    x = float(step_threshold(np.array([float(epsilon)]), rate, a)[0])
    upper = (1 - rate) * ndtr(-x) + rate * ndtr(a - x)
    return max(0.0, float(upper - exp(epsilon) * ((1 - rate) * ndtr(-x) + rate * ndtr(-a - x))))


def step_losses(rate: float, a: float, grid: float, reach: int) -> tuple[Array, float]:
    """P's masses of the losses grid * (-reach, ..., reach) of one step, and the mass of larger ones.

    Smaller losses are counted as -grid * reach.
    """
    t = grid * np.arange(-reach, reach + 1)
    x = np.concatenate([[-inf], step_threshold(t, rate, a), [inf]])
    cells = [_between(x, 0.0), _between(x, a), _between(x, -a)]
    P, Q = (1 - rate) * cells[0] + rate * cells[1], (1 - rate) * cells[0] + rate * cells[2]
    inside, other, left = P[1:-1], Q[1:-1], t[:-1]
    above = np.clip((inside - other * np.exp(left)) / -np.expm1(-grid), 0, inside)
    masses = np.zeros(len(t))
    masses[:-1] += inside - above
    masses[1:] += above
    masses[0] += P[0]
    return masses, float(P[-1])


def _between(x: Array, centre: float) -> Array:
    """Pr(x_i < N(centre, 1) <= x_{i+1}), without cancellation in the tails."""
    low, high = x[:-1] - centre, x[1:] - centre
    return np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))


def gaussian_curve(epsilon: Array, mu: float) -> Array:
    """delta(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) for every real epsilon."""
    u = epsilon / mu
    return np.maximum(ndtr(mu / 2 - u) - np.exp(epsilon + log_ndtr(-mu / 2 - u)), 0.0)


def batches_delta(*, epsilon: float, rate: float, a: float, steps: int, mu: float) -> float:
    """At least delta(epsilon) of `steps` steps on random batches and one mu-GDP release together.

    >>> exact = gaussian_curve(np.array([1.0]), sqrt(5.0))[0]  # q = 1: 4 steps of 2a = 1 are 2-GDP
    >>> bool(1 <= batches_delta(epsilon=1.0, rate=1.0, a=0.5, steps=4, mu=1.0) / exact < 1.01)
    True
    """
    deviation = rate * 2 * sqrt(np.sinh(min(a**2, 700.0))) if rate < 1 else 2 * a
    grid = deviation / FINE
    total = deviation * sqrt(steps)
    span = epsilon + total**2 + DEVIATIONS * (total + mu)
    half = 1 << (ceil(2 * span / grid) - 1).bit_length() - 1
    if half > LONGEST:
        return 1.0
    reach = min(half - 1, ceil(min(span, _largest_loss(rate, a)) / grid))
    masses, lost = step_losses(rate, a, grid, reach)
    circle = np.zeros(2 * half)
    circle[: reach + 1], circle[-reach:] = masses[reach:], masses[:reach]
    summed = np.fft.irfft(np.fft.rfft(circle) ** steps, 2 * half)
    losses = grid * np.fft.fftfreq(2 * half, 1 / (2 * half))
    left = gaussian_curve(epsilon - losses, mu)
    delta = float(np.maximum(summed, 0) @ left) + steps * lost + ROUNDING
    return min(1.0, delta + _beyond(masses, grid, reach, steps, grid * half))


def _largest_loss(rate: float, a: float) -> float:
    """A loss that one step exceeds with probability below 1e-22: its x is at most a + 10."""
    x = a + 10
    up, down = ((1 - rate) + rate * exp(sign * a * x - a**2 / 2) for sign in (1, -1))
    return log(up / down) if down > 0 else inf


def _beyond(masses: Array, grid: float, reach: int, steps: int, level: float) -> float:
    """A bound on the chance that the sum of `steps` losses exceeds `level`: Chernoff's, for the best of some rates."""
    t, best = grid * np.arange(-reach, reach + 1), 0.0
    for slope in np.geomspace(0.1, 1000, 30):
        if slope * t[-1] < 600:
            best = min(best, steps * log(float(masses @ np.exp(slope * t))) - slope * level)
    return exp(best)


def batches_scale(*, epsilon: float, delta: float, rate: float, steps: int, mu: float) -> float:
    """A value of a = L / sigma, the largest up to a thousandth, with `batches_delta` at most delta; 0 if there is none.

    >>> a = batches_scale(epsilon=1.0, delta=1e-5, rate=0.01, steps=100, mu=0.1)
    >>> batches_delta(epsilon=1.0, rate=0.01, a=a, steps=100, mu=0.1) <= 1e-5
    True
    """
    low, high = 0.0, 8.0
    while high - low > 1e-3 * high and high > 1e-6:
        middle = sqrt(low * high) if low else high / 4
        spent = batches_delta(epsilon=epsilon, rate=rate, a=middle, steps=steps, mu=mu)
        low, high = (middle, high) if spent <= delta else (low, middle)
    return low
