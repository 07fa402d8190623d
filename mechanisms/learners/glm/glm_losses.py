"""Losses of generalised linear models, loss(w; x, y) = phi_y(<w, x>), and records that are made to obey their bounds.

    half_squared     1/2 (t - y)^2          H = 1      real labels
    squared          (t - y)^2              H = 2      real labels
    squared_hinge    max(0, 1 - y t)^2      H = 2      labels -1 or +1
    logistic         log(1 + exp(-y t))     H = 1/4, 1-Lipschitz
    huber            a hinge whose kink is rounded, H = 1, 1-Lipschitz
    hinge            max(0, 1 - y t)        not smooth, 1-Lipschitz

phi_y is convex, non-negative and H-smooth; `label_bound` is the paper's ||Y||: phi_y(0) <= ||Y||^2 for every record.
Records are clipped to `radius` (||X||), real labels to where phi_y(0) = ||Y||^2: what privacy rests on is enforced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, frexp, inf, log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.abgmu22 import assumptions, baselines
from lemmata.mechanisms.noise.grid_sums import BITS, count_coefficient_bits
from lemmata.mechanisms.numerics.arguments import as_float_array, check_choice, check_magnitude, clip_rows, read_labels
from lemmata.mechanisms.solvers.perturbed_risk import MARGIN_LOSSES

LARGEST = 1e150  # of an entry of the weights
BLOCK = 2**22  # entries of a matrix of losses at any one time
Link = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (t, y) -> one number for each pair


@dataclass(frozen=True)
class LinkLoss:
    """phi_y(t) with two derivatives in t; phi_y(0) = `at_zero` y^2."""

    value: Link
    slope: Link
    second: Link
    smoothness: float  # H, inf where the slope jumps
    lipschitz: float  # of t -> phi_y(t), inf where it grows without bound
    at_zero: float
    signs: bool  # labels are -1 or +1


def _of_margin(kind: str) -> LinkLoss:
    """A loss of the margin y t, from `lemmata.mechanisms.solvers.perturbed_risk`."""
    margin, zero = MARGIN_LOSSES[kind], np.zeros(1)
    return LinkLoss(
        lambda t, y: margin.value(y * t),
        lambda t, y: y * margin.slope(y * t),
        lambda t, y: margin.second(y * t),
        margin.curvature,
        1.0,
        log(2) if kind == "logistic" else float(margin.value(zero)[0]),
        True,
    )


LOSSES = {
    "half_squared": LinkLoss(
        lambda t, y: (t - y) ** 2 / 2, lambda t, y: t - y, lambda t, y: np.ones_like(t - y), 1.0, inf, 0.5, False
    ),
    "squared": LinkLoss(
        lambda t, y: (t - y) ** 2, lambda t, y: 2 * (t - y), lambda t, y: np.full_like(t - y, 2.0), 2.0, inf, 1.0, False
    ),
    "squared_hinge": LinkLoss(
        lambda t, y: np.maximum(1 - y * t, 0) ** 2,
        lambda t, y: -2 * y * np.maximum(1 - y * t, 0),
        lambda t, y: np.where(y * t < 1, 2.0, 0.0),
        2.0,
        inf,
        1.0,
        True,
    ),
    "logistic": _of_margin("logistic"),
    "huber": _of_margin("huber"),
    "hinge": LinkLoss(
        lambda t, y: np.maximum(1 - y * t, 0),
        lambda t, y: np.where(y * t < 1, -y, 0.0),
        lambda t, y: np.zeros_like(y * t),
        inf,
        1.0,
        1.0,
        True,
    ),
}


@dataclass(frozen=True)
class Records:
    """A dataset on which the bounds hold: ||x|| <= radius and phi_y(0) <= label_bound^2, whatever came in."""

    X: np.ndarray = field(repr=False)  # shape (n, d); data never in a repr
    y: np.ndarray = field(repr=False)  # shape (n,)
    loss: str
    radius: float
    label_bound: float

    @property
    def link(self) -> LinkLoss:
        """phi_y, its derivatives and its constants."""
        return LOSSES[self.loss]

    def slope_bound(self, norm: float) -> float:
        """Return the largest |phi_y'(<w, x>)| over ||w|| <= norm and all records."""
        smooth = inf
        if self.link.smoothness < inf:
            smooth = baselines.slope_bound(
                label_bound=self.label_bound, smoothness=self.link.smoothness, reach=norm * self.radius
            )
        return min(self.link.lipschitz, smooth)

    def loss_bound(self, norm: float) -> float:
        """Return Delta: no record's loss is larger at any ||w|| <= norm."""
        bounds = [self.label_bound**2 + self.link.lipschitz * norm * self.radius]
        if self.link.smoothness < inf:
            bounds.append(
                assumptions.ball_loss(
                    label_bound=self.label_bound,
                    smoothness=self.link.smoothness,
                    norm_bound=norm,
                    radius=self.radius,
                )
            )
        return min(bounds)

    def mean_losses(self, W: ArrayLike, cap: float = inf) -> np.ndarray:
        """Return the mean over the records of min(cap, loss) for every row of W, shape (size,).

        Weights may be anything that a learner returns: NaN counts as 0, entries beyond 1e150 as that, and a loss that
        is no number as `cap`, so one record moves the mean by at most cap / n.
        """
        rows = np.clip(np.nan_to_num(np.asarray(W, dtype=float)), -LARGEST, LARGEST)
        height = max(1, BLOCK // len(self.X))
        parts = [self._mean(rows[start : start + height], cap) for start in range(0, len(rows), height)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _mean(self, W: np.ndarray, cap: float) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.fmin(self.link.value(W @ self.X.T, self.y), cap).mean(axis=1)

    def loss_steps(self, W: ArrayLike, cap: float) -> tuple[np.ndarray, float, int]:
        """Return (sum_i floor(min(cap, loss_i) / step) for every row of W, whole numbers (size,); step; cap / step).

        The step is a power of two, of which `cap` has at most 2^20, and the last number is rounded up: a record moves a
        sum by at most that, exactly, and sums of up to 2^33 records are exact. Weights as in `mean_losses`.
        """
        count_coefficient_bits(len(self.X))
        step = 2.0 ** (frexp(cap)[1] - BITS)
        rows = np.clip(np.nan_to_num(np.asarray(W, dtype=float)), -LARGEST, LARGEST)
        height = max(1, BLOCK // len(self.X))
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [
                # floor after the clip: one record's loss is then a whole number of steps, whatever its float value is.
                np.floor(np.fmin(self.link.value(rows[i : i + height] @ self.X.T, self.y), cap) / step).sum(axis=1)
                for i in range(0, len(rows), height)
            ]
        return np.concatenate(parts), step, ceil(cap / step)

    def mean_gradients(self, W: np.ndarray) -> np.ndarray:
        """Return gradients of the mean loss at the rows of W, shape (size, d)."""
        return self.link.slope(W @ self.X.T, self.y) @ self.X / len(self.X)


def records(X: ArrayLike, y: ArrayLike, *, loss: str, radius: float = 1.0, label_bound: float | None = None) -> Records:
    """Return rows clipped to `radius`, labels -1 or +1, or clipped to |y| <= label_bound / sqrt(phi_1(0)).

    NaN counts as 0.

    `label_bound` is ||Y||. A loss with signs as labels has ||Y||^2 = phi_y(0) by default; one with real labels needs
    it. Raises ValueError for anything out of range, without an entry of the data.

    >>> records([[3.0, 4.0]], [9.0], loss="squared", label_bound=2.0).y
    array([2.])
    """
    check_choice(tuple(LOSSES), loss=loss)
    link = LOSSES[loss]
    (radius,) = check_magnitude(radius=radius)
    if label_bound is None and not link.signs:
        raise ValueError(f"label_bound is required for loss = {loss!r}, which has real labels")
    least = sqrt(link.at_zero)
    (bound,) = check_magnitude(label_bound=least if label_bound is None else label_bound)
    X = clip_rows(X, radius)
    if link.signs:
        if bound < least:
            raise ValueError(f"label_bound = {bound} is below sqrt(phi_y(0)) = {least} of loss = {loss!r}")
        return Records(X, read_labels(y, len(X)), loss, radius, bound)
    values = as_float_array("y", y, axes=1)
    if values.shape != (len(X),):
        raise ValueError(f"y must have shape ({len(X)},), got {values.shape}")
    values = np.clip(np.nan_to_num(values), -bound / least, bound / least)
    return Records(X, values, loss, radius, bound)
