"""A regularised mean of convex losses over a Euclidean ball, solved with a bound on the distance to the minimiser.

    minimise over ||w|| <= norm_bound   F(w) = (1/n) sum_i phi_{y_i}(<w, x_i>) + ridge/2 ||w||^2

Where the unconstrained minimiser is longer, the solution is the one with a larger ridge, ridge + nu, that has length
norm_bound: nu is found by bisection, each problem by damped Newton steps. Certificate: for ||w|| <= B and any nu >= 0
let g = grad F(w) + nu w. Since F is ridge-strongly convex and w* is optimal on the ball, for D = ||w - w*||

    ridge D^2 <= <grad F(w), w - w*> = <g, w - w*> - nu <w, w - w*>,   <w, w - w*> = (||w||^2 - ||w*||^2 + D^2) / 2,

so (ridge + nu/2) D^2 <= ||g|| D + nu (B^2 - ||w||^2) / 2, which is solved for D.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from lemmata.mechanisms.threads import one_thread_if_small

EPS = float(np.finfo(float).eps)
STEPS, HALVINGS = 60, 200


@one_thread_if_small
def minimise(
    X: np.ndarray, y: np.ndarray, *, value: Callable, slope: Callable, second: Callable, ridge: float, norm_bound: float
) -> tuple[np.ndarray, float]:
    """(w of shape (d,) with ||w|| <= norm_bound, certified distance to the minimiser); functions of (t, y).

    >>> half = dict(value=lambda t, y: (t - y)**2 / 2, slope=lambda t, y: t - y, second=lambda t, y: np.ones_like(t))
    >>> w, error = minimise(np.eye(1), np.array([3.0]), ridge=1.0, norm_bound=1.0, **half)
    >>> round(float(w[0]), 6), error < 1e-6
    (1.0, True)
    """
    with np.errstate(all="ignore"):  # whether a step overflows is private
        return _minimised(X, y, value=value, slope=slope, second=second, ridge=ridge, norm_bound=norm_bound)


def _minimised(
    X: np.ndarray, y: np.ndarray, *, value: Callable, slope: Callable, second: Callable, ridge: float, norm_bound: float
) -> tuple[np.ndarray, float]:
    n, d = X.shape
    if n < d:  # the minimiser lies in the span of the rows: work in an orthonormal basis of it
        basis, coordinates = np.linalg.qr(X.T)
        w, _ = _minimised(coordinates.T, y, value=value, slope=slope, second=second, ridge=ridge, norm_bound=norm_bound)
        w = basis @ w
        w *= min(1.0, norm_bound / (np.linalg.norm(w) * (1 + 4 * EPS) + 1e-300))
        return w, _certificate(X, y, slope, w, ridge, norm_bound)
    w = _newton(X, y, value, slope, second, ridge, np.zeros(d))
    if np.linalg.norm(w) > norm_bound:
        low, high = 0.0, ridge
        while np.linalg.norm(longer := _newton(X, y, value, slope, second, ridge + high, w)) > norm_bound:
            low, high, w = high, 4 * high, longer
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            w = _newton(X, y, value, slope, second, ridge + middle, w)
            length = float(np.linalg.norm(w))
            if abs(length - norm_bound) <= 8 * EPS * norm_bound or high - low <= 4 * EPS * high:
                break
            low, high = (middle, high) if length > norm_bound else (low, middle)
        w = w * (norm_bound / np.linalg.norm(w)) * (1 - 4 * EPS)
    return w, _certificate(X, y, slope, w, ridge, norm_bound)


def _newton(
    X: np.ndarray, y: np.ndarray, value: Callable, slope: Callable, second: Callable, ridge: float, w: np.ndarray
) -> np.ndarray:
    """Damped Newton steps from w; the best point seen."""
    n, d = X.shape

    def objective(w: np.ndarray) -> float:
        return float(value(X @ w, y).mean() + ridge / 2 * (w @ w))

    def gradient(w: np.ndarray) -> np.ndarray:
        return X.T @ slope(X @ w, y) / n + ridge * w

    g = gradient(w)
    best, size = w, float(np.linalg.norm(g))
    for _ in range(STEPS):
        H = (X * (second(X @ w, y) / n)[:, None]).T @ X + ridge * np.eye(d)
        step, before, length = -_solved(H, g), objective(w), 1.0
        while length > 1e-12 and objective(w + length * step) > before + 0.1 * length * (g @ step) + 1e-14 * before:
            length /= 2
        w = w + length * step
        g = gradient(w)
        now = float(np.linalg.norm(g))
        if now >= size / 2 and now <= 1e-10 * (1 + ridge * np.linalg.norm(w)):
            return w if now < size else best
        if now < size:
            best, size = w, now
        if size == 0.0 or not np.isfinite(now):
            break
    return best


def _solved(H: np.ndarray, g: np.ndarray) -> np.ndarray:
    """H^-1 g; of least length where the ridge is lost in the roundings of H, which may then be singular."""
    try:
        return np.linalg.solve(H, g)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(H, g)[0]


def _certificate(
    X: np.ndarray, y: np.ndarray, slope: Callable, w: np.ndarray, ridge: float, norm_bound: float
) -> float:
    """The bound on ||w - w*|| above, at the best nu for the direction of w, rounding included."""
    n, d = X.shape
    slopes = slope(X @ w, y) / n
    gradient = X.T @ slopes + ridge * w
    square = float(w @ w)
    nu = max(0.0, -float(gradient @ w) / square) if square > 0 else 0.0
    if norm_bound**2 - square > 1e-9 * norm_bound**2:  # an inner point: no multiplier
        nu = 0.0
    rounding = 4 * EPS * (n + d) * (float(np.abs(slopes) @ np.linalg.norm(X, axis=1)) + (ridge + nu) * sqrt(square))
    size = float(np.linalg.norm(gradient + nu * w)) + rounding
    slack = nu * max(0.0, norm_bound**2 - square * (1 - 8 * EPS * d)) / 2
    a = ridge + nu / 2
    return (size + sqrt(size**2 + 4 * a * slack)) / (2 * a)
