"""The contract of every mechanism: a dataset in, a probability law over releases out.

A law is a frozen dataclass with

    privacy                      the guarantee it claims, neighbours included (mechanisms.privacy)
    sample(rng, size=1)          `size` independent releases, leading axis `size`, or a dict of such arrays
    log_density(releases)        where a closed form is known, shape (size,)

and never shows data in a repr or an exception. Randomness comes in as `rng`; public randomness (projections,
frequencies) is an argument drawn by the caller from a stream of its own. Inputs are checked here, by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Law(Protocol):
    """What every mechanism returns."""

    @property
    def privacy(self) -> Any: ...

    def sample(self, rng: np.random.Generator, size: int = 1) -> Any: ...


def blocks(law, rng, size, block=1000) -> Iterator:
    """Stream `size` releases in blocks of at most `block`."""
    for start in range(0, size, block):
        yield law.sample(rng, min(block, size - start))


def positive(**values):
    """Raise ValueError unless every value is a finite number above 0."""
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0):
            raise ValueError(f"{name} = {value} is outside (0, inf)")


def within_unit(**values):
    """Raise ValueError unless every value lies strictly between 0 and 1."""
    for name, value in values.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} = {value} is outside (0, 1)")


def whole(**values):
    """Raise ValueError unless every value is a whole number of at least 1."""
    for name, value in values.items():
        if not (np.isfinite(value) and value >= 1 and value == int(value)):
            raise ValueError(f"{name} = {value} is not a whole number >= 1")


def _numbers(values, name):
    """`values` as floats. NumPy's own message would quote an entry."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is not an array of numbers") from None


def rows(X, name="X"):
    """X as a float matrix (n, d) with n, d >= 1 and finite entries. The message names no entry."""
    X = _numbers(X, name)
    if X.ndim != 2 or X.shape[0] < 1 or X.shape[1] < 1:
        raise ValueError(f"{name} has shape {X.shape}, not (n, d) with n, d >= 1")
    if not np.isfinite(X).all():
        raise ValueError(f"{name} has entries that are not finite numbers")
    return X


def clip_rows(X, radius):
    """Rows scaled down to Euclidean norm `radius` where they are longer: privacy rests on it, so it is enforced."""
    X = rows(X)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X * (radius / np.maximum(norms, radius))


def signs(y, n=None):
    """Labels as floats -1 or +1, shape (n,). The message names no label."""
    y = _numbers(y, "y")
    if y.ndim != 1 or (n is not None and y.size != n):
        raise ValueError(f"y has shape {y.shape}, not ({'n' if n is None else n},)")
    if not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError("y has entries outside {-1, +1}")
    return y


@dataclass(frozen=True)
class LinearModel:
    """One release, as a predictor x -> sign(<weights, feature_map(x)>) that remembers its privacy."""

    weights: np.ndarray
    privacy: Any
    feature_map: Any = field(default=None, repr=False)

    def decision_function(self, X):
        """<weights, feature_map(x)> for every row, shape (n,)."""
        X = rows(X)
        return (X if self.feature_map is None else self.feature_map(X)) @ self.weights

    def predict(self, X):
        """Labels -1 or +1; a tie is +1."""
        return np.where(self.decision_function(X) >= 0, 1.0, -1.0)
