"""Scores as log-odds: probabilities, and thresholds for unequal classes, from one noisy histogram of released scores.

A logistic curve fitted to noisy counts of scores (Platt's scaling), and the share of each class, are functions of what
`lemmata.mechanisms.learners.statistics.score_counts` releases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from scipy.special import log_expit

from lemmata.mechanisms.learners.statistics import score_counts
from lemmata.mechanisms.learners.statistics.score_counts import EDGES
from lemmata.mechanisms.numerics.arithmetic import as_real, short_repr
from lemmata.mechanisms.privacy import GaussianDP

CLEAR = 2.0  # standard deviations of the noise, below which a count is taken for none
SLOPES, OFFSETS = 2.0 ** np.arange(-1, 10.25, 0.25), np.arange(-8, 8.25, 0.25)
SHIFTS = np.arange(-8, 9) / 4  # of a second look around the best of the first


def check_weights(class_weight: Any, classes: np.ndarray) -> None:
    """Raise ValueError unless `class_weight` is None, "balanced", or a mapping from each class to a positive number."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    names = classes.tolist()
    if not isinstance(class_weight, Mapping) or set(class_weight) != set(names):
        given = list(class_weight) if isinstance(class_weight, Mapping) else class_weight
        wanted = f"None, 'balanced', or a mapping from each of the {len(names)} classes"
        raise ValueError(f"class_weight must be {wanted}, got {short_repr(given)}")
    for label in names:
        weight = as_real(f"class_weight[{short_repr(label)}]", class_weight[label])
        if not (weight > 0 and isfinite(weight)):
            raise ValueError(f"class_weight[{short_repr(label)}] must be positive and finite, got {weight}")


def fit_curve(counts: np.ndarray, sigma: float) -> tuple[float, float]:
    """Return slope and offset of the log-odds of +1 in the score, by the likelihood of noisy counts (2, BINS).

    >>> slope, offset = fit_curve(np.array([[9e3] * 16 + [1e3] * 16, [1e3] * 16 + [9e3] * 16]), 1.0)
    >>> slope > 1, abs(offset) < 0.1
    (True, True)
    """
    clear, middles = np.where(counts < CLEAR * sigma, 0.0, counts), (EDGES[1:] + EDGES[:-1]) / 2
    # Half a standard deviation of noise in each bin, shared as the classes are, pulls to equal odds for all scores. In
    # bins beyond 1, which may hold no record at all, it would make every curve flat.
    total = clear.sum(axis=1, keepdims=True) + 1.0
    clear = clear + sigma / 2 * total / total.sum() * (np.abs(middles) < 1)
    slopes, offsets = SLOPES, OFFSETS
    for _ in range(2):
        odds = slopes[:, None, None] * middles + offsets[:, None]
        fits = log_expit(odds) @ clear[1] + log_expit(-odds) @ clear[0]
        row, column = np.unravel_index(fits.argmax(), fits.shape)
        slope, offset = float(slopes[row]), float(offsets[column])
        slopes, offsets = slope * 2.0 ** (SHIFTS / 8), offset + SHIFTS / 8
    return slope, offset


def calibrate(
    weights: np.ndarray,
    scores: np.ndarray,
    sides: list[np.ndarray],
    *,
    mu: float,
    class_weight: Any,
    classes: np.ndarray,
    constant: float,
    noise: str,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights whose scores are log-odds, and what `class_weight` adds to each of them: (K, D) and (K,).

    `weights`: released, (K, D); `scores`: of the records, (n, K), with rows of any length whose last entry is
    `constant`; `mu`: what may be spent.
    """
    norms = np.linalg.norm(weights, axis=1)
    norms = np.where(norms > 0, norms, 1.0)
    asked: dict[str, Any] = {"weights": np.eye(len(weights)), "privacy": GaussianDP(mu), "noise": noise}
    law = score_counts.law(scores / norms, np.stack(sides), **asked)
    sigma, noisy = law.sigma, law.sample(rng)[0]
    curves = np.array([fit_curve(each, sigma) for each in noisy])
    if class_weight is None:
        shift = np.zeros(len(classes))
    elif isinstance(class_weight, str):
        each = noisy.sum(axis=2)  # of the others, and of the class
        shift = -np.log(np.maximum(each[0] if len(sides) == 1 else each[:, 1], sigma))
    else:
        shift = np.log([float(class_weight[label]) for label in classes.tolist()])
    shift = shift[-1:] - shift[:1] if len(sides) == 1 else shift  # 0 where all labels are one
    made = weights * (curves[:, 0] / norms)[:, None]
    made[:, -1] += (curves[:, 1] + shift) / constant
    return made, shift


def with_weights(model: Any, weights: np.ndarray) -> Any:
    """Return a released model, of one predictor or one for each class, with other weights, which follow from it."""
    if not hasattr(model, "models"):
        return replace(model, weights=weights[0])
    return replace(model, models=tuple(replace(one, weights=w) for one, w in zip(model.models, weights, strict=True)))
