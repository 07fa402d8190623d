"""Regularised risks with a smooth margin loss and a random linear term, for many of these terms at once.

    minimise over w in R^F   ridge/2 ||w||^2 + share (sum_i counts_i loss(<w, z_i>) + <b, w>)

by damped Newton steps, one row of `linear` = b at a time. The objective is `ridge`-strongly convex, so the distance to
the minimiser is at most ||gradient|| / ridge: that is the certificate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from lemmata.mechanisms.numerics.arguments import check_choice, check_finite, check_magnitude, check_moderate
from lemmata.mechanisms.numerics.threads import one_thread_if_small

STEPS = 100
BLOCK = 2**22  # numbers in a batch of Hessians
HUBER = 0.5  # half the width of the quadratic piece


@dataclass(frozen=True)
class MarginLoss:
    """A convex 1-Lipschitz loss of the margin, with its first two derivatives; `curvature` bounds the second."""

    value: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]
    second: Callable[[np.ndarray], np.ndarray]
    curvature: float


MARGIN_LOSSES = {
    "logistic": MarginLoss(
        lambda z: np.logaddexp(0, -z), lambda z: -expit(-z), lambda z: expit(z) * expit(-z), curvature=0.25
    ),
    # 0 beyond 1 + h, 1 - z below 1 - h, (1 + h - z)^2 / (4 h) between: the hinge with its kink rounded
    "huber": MarginLoss(
        lambda z: np.where(z < 1 - HUBER, 1 - z, np.maximum(1 + HUBER - z, 0) ** 2 / (4 * HUBER)),
        lambda z: -np.clip((1 + HUBER - z) / (2 * HUBER), 0, 1),
        lambda z: np.where(np.abs(1 - z) <= HUBER, 1 / (2 * HUBER), 0.0),
        curvature=1 / (2 * HUBER),
    ),
}


@one_thread_if_small
def minimise(
    Z: ArrayLike, *, linear: ArrayLike, ridge: float, share: float, loss: str, counts: ArrayLike | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(weights (B, F), certified distances to the minimisers (B,)) for Z of shape (n, F) and `linear` of shape (B, F).

    >>> weights, error = minimise([[1.0]], linear=[[0.0], [-1.0]], ridge=1.0, share=1.0, loss="logistic")
    >>> weights.ravel().round(4).tolist(), bool(error.max() < 1e-12)
    ([0.4011, 1.2268], True)
    """
    check_choice(tuple(MARGIN_LOSSES), loss=loss)
    ridge, share = check_magnitude(ridge=ridge, share=share)
    Z, b = check_moderate("Z", Z), check_moderate("linear", linear)
    if Z.ndim != 2 or b.ndim != 2 or b.shape[1] != Z.shape[1] or not Z.size:
        raise ValueError(f"Z has shape {Z.shape} and linear {b.shape}, not (n, F) and (B, F)")
    weight = np.ones(len(Z)) if counts is None else check_finite("counts", counts)
    if weight.shape != (len(Z),) or not (weight > 0).all():
        raise ValueError(f"counts must have shape ({len(Z)},) and positive entries, got shape {weight.shape}")
    size = max(1, BLOCK // (Z.shape[1] * max(Z.shape)))
    with np.errstate(all="ignore"):  # whether a step overflows is private
        parts = [_newton(Z, b[i : i + size], ridge, share * weight, share, loss) for i in range(0, len(b), size)]
    if not parts:
        return np.zeros(b.shape), np.zeros(0)
    return np.concatenate([w for w, _ in parts]), np.concatenate([error for _, error in parts])


def _newton(
    Z: np.ndarray, b: np.ndarray, ridge: float, weight: np.ndarray, share: float, loss: str
) -> tuple[np.ndarray, np.ndarray]:
    """Damped Newton steps from zero; every row keeps the best point it has seen."""
    kind, n = MARGIN_LOSSES[loss], len(Z)
    eps = float(np.finfo(float).eps)

    def value(w: np.ndarray) -> np.ndarray:
        return ridge / 2 * (w**2).sum(axis=1) + kind.value(w @ Z.T) @ weight + share * (w * b).sum(axis=1)

    def gradient(w: np.ndarray) -> np.ndarray:
        return ridge * w + (kind.slope(w @ Z.T) * weight) @ Z + share * b

    w = -share * b / ridge
    best, size = w, np.linalg.norm(gradient(w), axis=1)
    for _ in range(STEPS):
        g = gradient(w)
        H = ridge * np.eye(Z.shape[1]) + np.einsum("bn,nf,ng->bfg", kind.second(w @ Z.T) * weight, Z, Z, optimize=True)
        w = take_damped_step(value, w, -np.linalg.solve(H, g[..., None])[..., 0], g)
        now = np.linalg.norm(gradient(w), axis=1)
        better = now < size
        best, size = np.where(better[:, None], w, best), np.minimum(now, size)
        scale = ridge * np.linalg.norm(best, axis=1) + np.abs(weight) @ np.linalg.norm(Z, axis=1)
        if (size <= 8 * eps * scale).all():
            break
    pull, push = weight @ np.linalg.norm(Z, axis=1), share * np.linalg.norm(b, axis=1)
    rounding = 4 * eps * (n + Z.shape[1]) * (ridge * np.linalg.norm(best, axis=1) + pull + push)
    return best, (size + rounding) / ridge


def take_damped_step(value: Callable, w: np.ndarray, step: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """w + step, a row each, halved until the objective falls by a tenth of what its slope there promises."""
    length, before, slope = np.ones(len(w)), value(w), (gradient * step).sum(axis=-1)
    for _ in range(40):
        bad = value(w + length[:, None] * step) > before + 0.1 * length * slope + 1e-14 * np.abs(before)
        if not bad.any():
            break
        length[bad] /= 2
    return w + length[:, None] * step
