"""A regularised mean of convex losses over a Euclidean ball, solved with a bound on the distance to the minimiser.

    minimise over ||w|| <= norm_bound   F(w) = (1/n) sum_i phi_{y_i}(<w, x_i>) + ridge/2 ||w||^2

Where the unconstrained minimiser is longer, the solution is the one with a larger ridge, ridge + nu, that has length
norm_bound: nu is found by bisection, each problem by damped Newton steps. Certificate: for ||w|| <= B and any nu >= 0
let g = grad F(w) + nu w. Since F is ridge-strongly convex and w* is optimal on the ball, for D = ||w - w*||

    ridge D^2 <= <grad F(w), w - w*> = <g, w - w*> - nu <w, w - w*>,   <w, w - w*> = (||w||^2 - ||w*||^2 + D^2) / 2,

so (ridge + nu/2) D^2 <= ||g|| D + nu (B^2 - ||w||^2) / 2, which is solved for D.

Newton steps may miss an accuracy; `run_descent` may not. With L = H r^2 + ridge, ||x|| <= r and phi H-smooth, a
projected gradient step of 2 / (L + ridge) brings any two points nearer by a factor q = (L - ridge) / (L + ridge)
(Nesterov 2004, theorem 2.1.15; projections bring none farther), so that t steps from anywhere in the ball end within

    2 B q^t + (what float64 makes of one step) / (1 - q)

of w*, whatever the records: `count_steps` counts them and `descent_floor` bounds the second term, from public numbers.
"""

from collections.abc import Callable
from math import ceil, log, sqrt

import numpy as np

from lemmata.mechanisms.numerics.threads import one_thread_if_small

EPS = float(np.finfo(float).eps)
SLOPE = 2.0**-44  # a slope s is computed within SLOPE max(1, |s|): the losses' are a few operations, exp is proved
STEPS, HALVINGS = 60, 200


def descent_floor(n: int, d: int, *, gradient: float, smooth: float, ridge: float, norm_bound: float) -> float:
    """How far from w* roundings may leave a descent: a bound from public numbers; smooth = H r^2.

    Up to second order, with u = EPS/2 and B = norm_bound: margins off by (d + 1) u r B move slopes by H times that, and
    slopes have errors of their own, so the gradient, with sums of n rows and n + 4 roundings of `gradient` (no record's
    is longer, nor is a row), is off by (d + 1) u smooth B + (SLOPE + (n + 4) u) gradient + 3 u ridge B. The step adds
    u (B + 4 (gradient + ridge B) / (L + ridge)), the projection (d + 4) u B. All of it is divided by 1 - q.

    >>> descent_floor(100, 3, gradient=1.0, smooth=0.25, ridge=0.1, norm_bound=2.0) < 1e-12
    True
    """
    return (EPS * (d + 8) * (smooth + ridge) * norm_bound + (SLOPE + EPS * (n + 8)) * gradient) / ridge


def count_steps(*, smooth: float, ridge: float, accuracy: float) -> int:
    """The least t with 2 q^t <= `accuracy`.

    >>> count_steps(smooth=0.25, ridge=0.1, accuracy=1e-6)
    33
    """
    return ceil((smooth / 2 + ridge) / ridge * log(2 / accuracy))  # log(1/q) >= 1 - q = 2 ridge / (L + ridge)


def run_descent(
    X: np.ndarray, y: np.ndarray, *, slope: Callable, smooth: float, ridge: float, norm_bound: float, steps: int
) -> np.ndarray:
    """The end of `steps` projected gradient steps from zero, shape (d,).

    >>> sizes = dict(smooth=1.0, ridge=1.0, norm_bound=1.0, steps=60)
    >>> run_descent(np.eye(1), np.array([3.0]), slope=lambda t, y: t - y, **sizes)
    array([1.])
    """
    n, w = len(X), np.zeros(X.shape[1])
    for _ in range(steps):
        w = w - 2 / (smooth + 2 * ridge) * (X.T @ slope(X @ w, y) / n + ridge * w)
        w = w * (norm_bound / max(float(np.linalg.norm(w)), norm_bound))
    return w


@one_thread_if_small
def minimise(
    X: np.ndarray,
    y: np.ndarray,
    *,
    value: Callable,
    slope: Callable,
    second: Callable,
    smoothness: float,
    ridge: float,
    norm_bound: float,
) -> tuple[np.ndarray, float]:
    """(w of shape (d,) with ||w|| <= norm_bound, certified distance to the minimiser); functions of (t, y).

    `smoothness` bounds `second`. Where floats fail altogether, it is w = 0 and the distance norm_bound.

    >>> half = dict(value=lambda t, y: (t - y)**2 / 2, slope=lambda t, y: t - y, second=lambda t, y: np.ones_like(t))
    >>> half["smoothness"] = 1.0
    >>> w, error = minimise(np.eye(1), np.array([3.0]), ridge=1.0, norm_bound=1.0, **half)
    >>> round(float(w[0]), 6), error < 1e-6
    (1.0, True)
    """
    with np.errstate(all="ignore"):  # whether a step overflows is private
        try:
            w = _minimised(X, y, value=value, slope=slope, second=second, ridge=ridge, norm_bound=norm_bound)
            error = _certificate(X, y, slope, w, ridge, norm_bound, smoothness)
        except np.linalg.LinAlgError:
            w, error = np.zeros(X.shape[1]), norm_bound
    return (w, error) if np.isfinite(error) else (np.zeros(X.shape[1]), norm_bound)


def _minimised(
    X: np.ndarray, y: np.ndarray, *, value: Callable, slope: Callable, second: Callable, ridge: float, norm_bound: float
) -> np.ndarray:
    n, d = X.shape
    if n < d:  # the minimiser lies in the span of the rows: work in an orthonormal basis of it
        basis, coordinates = np.linalg.qr(X.T)
        w = _minimised(coordinates.T, y, value=value, slope=slope, second=second, ridge=ridge, norm_bound=norm_bound)
        w = basis @ w
        return w * min(1.0, norm_bound / (float(np.linalg.norm(w)) * (1 + 4 * EPS) + 1e-300))
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
        w = w * (norm_bound / float(np.linalg.norm(w))) * (1 - 4 * EPS)
    return w


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
    X: np.ndarray, y: np.ndarray, slope: Callable, w: np.ndarray, ridge: float, norm_bound: float, smoothness: float
) -> float:
    """The bound on ||w - w*|| above, at the best nu for the direction of w, with the roundings of `descent_floor`."""
    n, d = X.shape
    slopes, lengths = slope(X @ w, y), np.linalg.norm(X, axis=1)
    gradient = X.T @ slopes / n + ridge * w
    square = float(w @ w)
    nu = max(0.0, -float(gradient @ w) / square) if square > 0 else 0.0
    if norm_bound**2 - square > 1e-9 * norm_bound**2:  # an inner point: no multiplier
        nu = 0.0
    pull, longest = float(np.abs(slopes) @ lengths) / n, float(lengths.max())
    off = EPS * (d + 1) * smoothness * longest**2 * sqrt(square) + (SLOPE + EPS * (n + 4)) * max(pull, longest)
    size = float(np.linalg.norm(gradient + nu * w)) * (1 + EPS * (d + 4)) + off + 4 * EPS * (ridge + nu) * sqrt(square)
    slack = nu * max(0.0, norm_bound**2 * (1 + 4 * EPS) - square * (1 - EPS * (d + 4))) / 2
    a = ridge + nu / 2
    return (size + sqrt(size**2 + 4 * a * slack)) / (2 * a) * (1 + 8 * EPS)
