"""Solving many small SVMs precisely, each with a bound on its distance to the exact minimiser.

Hinge loss, in the dual with box u_i = C counts_i / n and rows z_i = y_i phi(x_i):

    maximise  sum_i alpha_i - 1/2 ||sum_i alpha_i z_i||^2   over  0 <= alpha_i <= u_i,    w = sum_i alpha_i z_i

by a primal-dual interior point method whose linear systems are F x F (Woodbury), for a whole batch at once, then an
active-set polish. Certificate: the sum of terms that are each >= 0,

    gap = sum_i (u_i - alpha_i) (1 - <w, z_i>)_+ + alpha_i (<w, z_i> - 1)_+ ,

is the duality gap at w = w(alpha), and the gap between w and alpha less ||e||^2 / 2 at a float w = w(alpha) + e. Primal
and dual exceed their optima by at least half the squares of D = ||w - w*|| and of ||w(alpha) - w*|| >= D - ||e||, so
D^2 + (D - ||e||)_+^2 <= 2 gap + ||e||^2, which gives D <= sqrt(gap) + ||e||.
Logistic loss: damped Newton in the primal; the objective is 1-strongly convex, so ||w - w*||_2 <= ||gradient||_2.
With more features than rows both work in the span of the rows, n x n; the certificate is that of all F features.
One problem of more than `LARGE` numbers, dense or sparse, begins with LIBLINEAR (Fan et al. 2008), whose passes take
time and memory in proportion to the stored entries; what it finds is polished and certified like the rest.
`solve_gram` needs no features at all: any positive semidefinite kernel, known through its values on the rows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_finite,
    check_integer,
    check_magnitude,
    check_moderate,
    read_sparse,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range
from lemmata.mechanisms.numerics.sparse_rows import (
    Rows,
    dense_rows,
    entries_of,
    is_sparse,
    per_entry,
    sum_of_squares,
    with_entries,
)
from lemmata.mechanisms.numerics.threads import thread_count_for
from lemmata.mechanisms.solvers.perturbed_risk import take_damped_step

LOSSES = ("hinge", "logistic")
EPS = np.finfo(float).eps
ITERATIONS = 200
LARGE = 2**20  # numbers of one problem, beyond which systems of F x F are not the first thing that is tried
FREE = 1000  # rows at the kink of the hinge that a polish solves for
ATTEMPTS = (1e-6, 1e-9), (0.1, 1e-16), (0.3, 1e-16), (0.7, 1e-16)  # careful and slow where bold and fast fails
Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # weights, dual, gap, error


@dataclass(frozen=True)
class Solution:
    """What Algorithm 1 finds, for one dataset or (with a leading axis) a batch. Private: never a release."""

    weights: np.ndarray = field(repr=False)  # (..., F): sum_i dual_i y_i phi(x_i)
    dual: np.ndarray = field(repr=False)  # (..., n), 0 <= dual_i <= C counts_i / n
    gap: np.ndarray = field(repr=False)  # (...): duality gap (hinge) or ||gradient||^2 (logistic), rounded up
    error: np.ndarray = field(repr=False)  # (...): certified bound on ||weights - exact minimiser||_2


def solution_tolerance(*, C: float, F: int, kappa: float) -> float:
    """The error that every solution is held to: a function of public numbers alone, a few times what float64 allows.

    A gap cannot be known better than the margins times C, that is C F eps kappa ||w|| with ||w|| <= sqrt(C).
    """
    (F,) = check_integer(F=F)
    (C,) = check_magnitude(C=C)
    kappa = check_in_range("kappa", kappa, 0, 1e100, closed=True)
    return float(2e-7 * np.sqrt((F + 2) * C * max(1.0, kappa * np.sqrt(C))))


def solve_rows(
    V: ArrayLike, y: ArrayLike, *, C: float, loss: str = "hinge", counts: ArrayLike | None = None
) -> Solution:
    """Solve one problem, V of shape (n, F), or a batch of them, V of shape (B, n, F) and y of shape (B, n)."""
    check_choice(LOSSES, loss=loss)
    (C,) = check_magnitude(C=C)
    y = check_moderate("y", y)
    if is_sparse(V):
        V = read_sparse(V, "V")
        check_moderate("V", entries_of(V))
    else:
        V = check_moderate("V", V)
    if V.ndim not in (2, 3) or y.shape != V.shape[:-1] or not prod(V.shape):
        raise ValueError(f"V has shape {V.shape} and y {y.shape}, not (n, F) and (n,) or a batch of them")
    n = V.shape[-2]
    counts = np.ones(n) if counts is None else check_finite("counts", counts)
    if counts.shape != (n,) or not (counts > 0).all():
        raise ValueError(f"counts must have shape ({n},) and positive entries, got shape {counts.shape}")
    share = counts / counts.sum()
    single = V.ndim == 2
    if single:
        Z = with_entries(V, per_entry(V, y) * entries_of(V))
        if prod(Z.shape) > LARGE and n > 1 and (found := _solve_large(Z, C, share, loss)):
            return Solution(*(part[0] for part in found))
        Z = dense_rows(Z)[None]
    else:
        Z = y[..., None] * V
    with thread_count_for(Z.size, Z.shape[-1]), np.errstate(all="ignore"):  # whether a step overflows is private
        parts = (_hinge if loss == "hinge" else _logistic)(Z, C, share)
    return Solution(*(part[0] for part in parts)) if single else Solution(*parts)


@dataclass(frozen=True)
class KernelSolution:
    """The hinge-loss SVM of a kernel: f(x) = sum_i dual_i y_i k(x_i, x). Private: never a release."""

    dual: np.ndarray = field(repr=False)  # (n,), 0 <= dual_i <= C counts_i / n
    values: np.ndarray = field(repr=False)  # (n,): f at the rows
    gap: float = field(repr=False)  # the duality gap, rounded up
    error: float = field(repr=False)  # bound on the RKHS distance to the minimiser: at x at most sqrt(k(x, x)) times it


def solve_gram(K: ArrayLike, y: ArrayLike, *, C: float, counts: ArrayLike | None = None) -> KernelSolution:
    """Algorithm 1 of rbht09 for the hinge loss and any kernel: K holds k(x_i, x_j), shape (n, n), y labels, shape (n,).

    K is factored as V V^T, the rows of V solved as features, and the gap of the dual point computed from K itself.

    >>> solve_gram([[1.0, 0.0], [0.0, 1.0]], [1, -1], C=10.0).values.round(6).tolist()
    [1.0, -1.0]
    """
    (C,) = check_magnitude(C=C)
    gram, y = check_moderate("K", K), check_moderate("y", y)
    if gram.ndim != 2 or gram.shape != (y.size, y.size) or y.ndim != 1 or not y.size:
        raise ValueError(f"K has shape {gram.shape} and y {y.shape}, not (n, n) and (n,)")
    if not np.allclose(gram, gram.T, rtol=1e-9, atol=0):
        raise ValueError("K is not symmetric")
    gram = (gram + gram.T) / 2
    spectrum, vectors = np.linalg.eigh(gram)
    if spectrum[0] < -1e-9 * max(spectrum[-1], 0.0):
        raise ValueError("K is not positive semidefinite")
    V = vectors * np.sqrt(np.maximum(spectrum, 0.0))
    counts = np.ones(y.size) if counts is None else counts
    dual = solve_rows(V, y, C=C, counts=counts).dual
    values = gram @ (dual * y)
    wrong = (y.size + 2) * EPS * (np.abs(gram) @ dual) + 2 * EPS
    gap = float(_complementarity(y * values, wrong, dual, C * np.asarray(counts, dtype=float) / np.sum(counts)))
    return KernelSolution(dual, values, gap, float(np.sqrt(gap)))


def _weights(dual: np.ndarray, Z: Rows) -> np.ndarray:
    return dual @ Z if is_sparse(Z) else (dual[:, None, :] @ Z)[:, 0]


def _margins(w: np.ndarray, Z: Rows) -> np.ndarray:
    return (Z @ w.T).T if is_sparse(Z) else (Z @ w[:, :, None])[:, :, 0]


def _batch(Z: Rows) -> Rows:
    """One problem as a batch, which sparse rows always are."""
    return Z if is_sparse(Z) else Z[None]


def _products(weights: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """sum_i weights_i z_i z_i^T for every problem of a batch: (B, n), (B, n, F) -> (B, F, F)."""
    rows = np.sqrt(weights)[:, :, None] * Z
    return np.swapaxes(rows, 1, 2) @ rows  # a symmetric product: half the work


def _solved(systems: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Batched linear solve for one right-hand side each; of least length should a system be singular in floats."""
    try:
        return np.linalg.solve(systems, right[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return (np.linalg.pinv(np.nan_to_num(systems)) @ right[..., None])[..., 0]


def _solve_large(Z: Rows, C: float, share: np.ndarray, loss: str) -> Parts | None:
    """(weights, dual, gap, error) of one problem by LIBLINEAR; None where its certificate misses the tolerance."""
    from sklearn.linear_model import LogisticRegression  # costly, and of use to large problems alone
    from sklearn.svm import LinearSVC

    box, batch, labels = C * share, _batch(Z), np.ones(Z.shape[0])
    labels[0] = -1.0  # of the first row turned around: the same problem, with two classes whatever the records are
    first = entries_of(Z)[: Z[:1].size if is_sparse(Z) else 1]
    tolerance = solution_tolerance(C=C, F=Z.shape[1], kappa=_lengths(batch).max())
    asked: Any = {"fit_intercept": False, "tol": 1e-6, "max_iter": 5 * ITERATIONS, "random_state": 0}
    kind = LinearSVC(loss="hinge", **asked) if loss == "hinge" else LogisticRegression(solver="newton-cg", **asked)
    with warnings.catch_warnings(action="ignore"):  # what it says of the records
        first *= -1
        w = kind.fit(Z, labels, sample_weight=box).coef_
        first *= -1
    parts = _logistic_certificate(w, batch, C, share)
    if loss == "hinge":
        w, dual, gap = (np.array([part]) for part in _polish(w[0], np.zeros(len(box)), np.inf, Z, box))
        parts = w, dual, gap, np.sqrt(gap) + _summation_error(dual, batch)
    return parts if parts[3][0] <= tolerance else None


def _hinge(Z: np.ndarray, C: float, share: np.ndarray) -> Parts:
    """(weights, dual, gap, error) for the hinge loss."""
    box, (B, n, F) = C * share, Z.shape
    if n < F:  # the dual point of the rows' coordinates in their span is that of the rows
        dual = _hinge(_coordinates(Z), C, share)[1]
        w = _weights(dual, Z)
        gap = _gap(w, dual, Z, box)
        return w, dual, gap, np.sqrt(gap) + _summation_error(dual, Z)
    w, dual, gap = np.zeros((B, F)), np.zeros((B, n)), np.full(B, np.inf)
    tolerance = solution_tolerance(C=C, F=F, kappa=_lengths(Z).max())
    left = np.arange(B)
    for centring, enough in ATTEMPTS:
        rows = Z if left.size == B else Z[left]
        dual[left] = box * _interior_point((np.sqrt(C) * share)[:, None] * rows, share, centring, enough)
        w[left] = _weights(dual[left], rows)
        gap[left] = _gap(w[left], dual[left], rows, box)
        for b in left:
            w[b], dual[b], gap[b] = _polish(w[b], dual[b], gap[b], Z[b], box)
        left = left[np.sqrt(gap[left]) > tolerance]
        if not left.size:
            break
    return w, dual, gap, np.sqrt(gap) + _summation_error(dual, Z)


def _lengths(Z: Rows) -> np.ndarray:
    """The Euclidean norms of all rows, (B, n)."""
    if is_sparse(Z):
        return np.sqrt(sum_of_squares(Z))[None]
    return np.sqrt(np.einsum("bnf,bnf->bn", Z, Z))


def _coordinates(Z: np.ndarray) -> np.ndarray:
    """The rows in an orthonormal basis of their span: (B, n, F) -> (B, n, n) for n < F, the same inner products."""
    return np.swapaxes(np.linalg.qr(np.swapaxes(Z, 1, 2), mode="r"), 1, 2)


def _summation_error(dual: np.ndarray, Z: Rows) -> np.ndarray:
    """What the float sum w of duals may be off by, (B,)."""
    return EPS * (Z.shape[-2] + Z.shape[-1]) * np.einsum("bn,bn->b", dual, _lengths(Z))


def _complementarity(margins: np.ndarray, wrong: np.ndarray, dual: np.ndarray, box: np.ndarray) -> np.ndarray:
    """The duality gap at margins known up to `wrong`, rounded up: a sum of terms that are each >= 0."""
    over, under = margins - 1 + wrong, 1 - margins + wrong
    return ((box - dual) * np.maximum(under, 0) + dual * np.maximum(over, 0)).sum(axis=-1) * (
        1 + 1e-12 + dual.shape[-1] * EPS
    )


def _gap(w: np.ndarray, dual: np.ndarray, Z: Rows, box: np.ndarray) -> np.ndarray:
    """The duality gap at w = w(dual), rounded up: margins are known to a few units in the last place."""
    margins = _margins(w, Z)
    absolute = _margins(np.abs(w), abs(Z))
    wrong = (Z.shape[-1] + 2) * EPS * absolute + 2 * EPS
    return _complementarity(margins, wrong, dual, box)


def _newton(H: np.ndarray, G: np.ndarray, inverse: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve (diag(1 / inverse) + G G^T) step = right by H = I + G^T diag(inverse) G."""
    return inverse * (right - _margins(_solved(H, _weights(inverse * right, G)), G))


def _length(least: np.ndarray) -> np.ndarray:
    """How far along a step whose least relative change is `least` (B,): all of it, or .99 of the way to a bound."""
    return np.minimum(1.0, 0.99 / np.maximum(-least, 1e-300))[:, None]


def _aims(
    step: np.ndarray, x: np.ndarray, s: np.ndarray, l: np.ndarray, m: np.ndarray, centring: float
) -> tuple[np.ndarray, np.ndarray]:
    """What l and m are to be after a step by which complementarity comes to its target (Mehrotra 1992).

    `step` aims at no gap at all: how far it gets says how far to aim, and what its linear equations leave out is added.
    """
    p, q = step / x, step / s  # x and s move by p x and -q s, l and m by -(1 + p) l and -(1 - q) m
    ends = [p.min(axis=1), -q.max(axis=1), -1 - p.max(axis=1), q.min(axis=1) - 1]
    a = _length(np.min(ends, axis=0))[:, 0]
    left_out_l, left_out_m = l * p * (1 + p), m * q * (1 - q)
    mean = (l * x + m * s).sum(axis=1)
    ahead = (1 - a) * mean - a**2 * (x * left_out_l - s * left_out_m).sum(axis=1)
    target = (np.clip((ahead / mean) ** 3, centring, 1) * mean / (2 * x.shape[1]))[:, None]
    return target / x + left_out_l, target / s - left_out_m


def _interior_point(G: np.ndarray, share: np.ndarray, centring: float, enough: float) -> np.ndarray:
    """Minimise 1/2 ||sum_i x_i G_i||^2 - sum_i share_i x_i over 0 <= x_i <= 1, for a batch of G (B, n, F).

    Lower and upper multipliers l, m and the distance s = 1 - x are variables of their own, which keeps their last
    digits when x nears 1. Members leave the batch as their gap comes to `enough`, or stays what it is.
    """
    B, n, F = G.shape
    x = np.full((B, n), 0.5)
    s, best = x.copy(), x.copy()
    l = np.tile(share, (B, 1))
    m = l.copy()
    index, gap, stalled = np.arange(B), np.full(B, np.inf), np.zeros(B, dtype=int)
    for _ in range(ITERATIONS):
        gradient = _margins(_weights(x, G), G) - share
        now = (s * np.maximum(-gradient, 0) + x * np.maximum(gradient, 0)).sum(axis=-1)  # the duality gap / C
        better = now < gap[index]
        best[index[better]] = x[better]
        stalled = np.where(now < 0.9 * gap[index], 0, stalled + 1)
        gap[index] = np.minimum(gap[index], now)
        going = (now > enough) & (stalled < 12) & np.isfinite(now)
        if not going.all():
            if not going.any():
                break
            x, s, l, m, G, index = (part[going] for part in (x, s, l, m, G, index))
            gradient, stalled = gradient[going], stalled[going]
        pull, push = l / x, m / s
        inverse = 1 / np.maximum(pull + push, 1e-30)
        H = _products(inverse, G)
        H += (1 + 1e-15 * np.trace(H, axis1=1, axis2=2))[:, None, None] * np.eye(F)
        lower, upper = _aims(_newton(H, G, inverse, -gradient), x, s, l, m, centring)
        step = _newton(H, G, inverse, lower - upper - gradient)
        dl, dm = lower - l - pull * step, upper - m + push * step
        least = [np.fmin.reduce(d / v, axis=1) for v, d in ((x, step), (s, -step), (l, dl), (m, dm))]
        length = _length(np.min(least, axis=0))
        x, s, l, m = x + length * step, s - length * step, l + length * dl, m + length * dm
        # x + s = 1 up to rounding; the smaller of the two is the one to trust
        x, s = np.where(x > s, 1 - s, x), np.where(x > s, s, 1 - x)
    return best


def _polish(
    w: np.ndarray, dual: np.ndarray, gap: float, Z: Rows, box: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Snap to the bounds what the margins say is there and solve for the free rows; kept where the gap shrinks."""
    margins = Z @ w
    for width in (1e-3, 1e-5, 1e-7, 1e-9):
        free = np.abs(margins - 1) < width
        tried = np.where(margins < 1, box, 0.0)
        tried[free] = 0.0
        if gap == 0:  # no other point is better
            break
        if free.sum() > FREE:
            continue
        if free.any():
            rows = dense_rows(Z[free])
            missing = 1 - rows @ (tried @ Z)
            base = dual[free]
            change = np.linalg.lstsq(rows @ rows.T, missing - rows @ (rows.T @ base), rcond=1e-12)[0]
            tried[free] = np.clip(base + change, 0, box[free])
        v = tried @ Z
        new = _gap(v[None], tried[None], _batch(Z), box)[0]
        if new < gap:
            w, dual, gap = v, tried, new
    return w, dual, gap


def _logistic(Z: np.ndarray, C: float, share: np.ndarray) -> Parts:
    """(weights, dual, gap, error) for the logistic loss: damped Newton from zero, on a batch."""
    B, n, F = Z.shape
    if n < F:
        slopes = _logistic(_coordinates(Z), C, share)[1]
        best = _weights(slopes, Z)
        return _logistic_certificate(best, Z, C, share)
    w = np.zeros((B, F))

    def value(w: np.ndarray) -> np.ndarray:
        return 0.5 * (w**2).sum(axis=-1) + C * (share * np.logaddexp(0, -_margins(w, Z))).sum(axis=-1)

    def gradient(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slopes = C * share * expit(-_margins(w, Z))
        return w - _weights(slopes, Z), slopes

    best, size, stalled = w, np.linalg.norm(gradient(w)[0], axis=-1), 0
    for _ in range(ITERATIONS):
        margins = _margins(w, Z)
        curvature = C * share * expit(margins) * expit(-margins)
        H = np.eye(F) + _products(curvature, Z)
        g = gradient(w)[0]
        w = take_damped_step(value, w, -_solved(H, g), g)
        now = np.linalg.norm(gradient(w)[0], axis=-1)
        better = now < size
        best, size = np.where(better[:, None], w, best), np.minimum(now, size)
        stalled = 0 if better.any() else stalled + 1  # far from the minimiser the gradient may grow for a while
        if stalled == 8:
            break
    return _logistic_certificate(best, Z, C, share)


def _logistic_certificate(best: np.ndarray, Z: Rows, C: float, share: np.ndarray) -> Parts:
    """(weights, slopes, error^2, error) at weights `best`: the length of the gradient there, and its rounding."""
    n, F = Z.shape[-2:]
    slopes = C * share * expit(-_margins(best, Z))
    g = best - _weights(slopes, Z)
    rounding = EPS * (n + F + 10) * (np.linalg.norm(best, axis=-1) + (slopes * _lengths(Z)).sum(-1))
    error = np.linalg.norm(g, axis=-1) + rounding
    return best, slopes, error**2, error
