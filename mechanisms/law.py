"""The contract of every mechanism: a dataset in, a probability law over releases out.

A law is a frozen dataclass with

    privacy                      the guarantee it claims, neighbours included (mechanisms.privacy)
    sample(rng, size=1)          `size` independent releases, leading axis `size`, or a dict of such arrays
    log_density(releases)        where a closed form is known, shape (size,)

and never shows data in a repr or an exception. Randomness comes in as `rng`; public randomness (projections,
frequencies) is an argument drawn by the caller from a stream of its own. Inputs are checked here, by name.

A law is total: what is checked, and refused by a ValueError, is public, that is parameters, shapes and declared types.
What a record holds is never refused, since a refusal would tell of it. Records are read one by one (`table`, `labels`):
NaN and what is no number count as 0, infinities as the largest floats, and a label that is not +1 as -1; then rows are
clipped. A list declares no type and is read entry by entry, an array of objects or texts declares one that is refused.
A statistic or a score is no record: its sensitivity is the caller's promise, which nothing that is not finite can keep,
so it is refused (`finite`).

Every learner is called in one way, `fit(X, y, *, epsilon, delta, ..., rng=None)`: first what may be spent, then what
the algorithm needs, then public randomness, then `rng`. Without `rng` every bit of a release comes from the
operating system's cryptographic stream. A seeded PCG64 is right for verdicts, which must be repeatable, and wrong for
releases: its outputs give away its state, so for a release leave `rng` out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import nan
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.numerics.arguments import check_integer, check_rows, quiet
from lemmata.mechanisms.numerics.arithmetic import short_repr
from lemmata.mechanisms.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PrivacyCurve,
    PureDP,
    RenyiDP,
    check_guarantee,
    gaussian_mu,
    to_approx,
    to_gaussian,
    to_neighbours,
    to_renyi,
    to_zcdp,
)


@runtime_checkable
class Law(Protocol):
    """The contract of what every mechanism returns: a probability law over its releases on one dataset."""

    @property
    def privacy(self) -> Any: ...

    def sample(self, rng: np.random.Generator, size: int = 1) -> Any: ...


class Projection(Protocol):
    """Public randomness: a linear map R^d -> R^k, as `sign_projection` and `fast_projection` draw it."""

    @property
    def k(self) -> int: ...

    @property
    def d(self) -> int: ...

    def apply(self, X: ArrayLike) -> np.ndarray: ...

    def transpose(self, W: ArrayLike) -> np.ndarray: ...


def sample_in_blocks(law: Law, rng: np.random.Generator, size: int, block: int = 1000) -> Iterator[Any]:
    """Stream `size` releases in blocks of at most `block`."""
    size, block = check_integer(size=size, block=block)
    for start in range(0, size, block):
        yield law.sample(rng, min(block, size - start))


def check_within_budget(promised: Any, allotted: Guarantee, name: str) -> Guarantee:
    """Return `promised`, what a law that is wrapped says that it spends: whoever wraps one reads this promise first.

    ValueError, naming both, unless `promised` implies `allotted`: its kind, its size and its neighbours.

    >>> from lemmata.mechanisms.privacy import PureDP
    >>> check_within_budget(PureDP(0.5), GaussianDP(1.0), "base").epsilon
    0.5
    >>> check_within_budget(GaussianDP(50.0), PureDP(1.0), "base")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: base.privacy = GaussianDP(mu=50.0, ...) is outside its budget, PureDP(epsilon=1.0, ...)
    """
    check_guarantee("budget", allotted)
    try:
        within = _implies(to_neighbours(promised, allotted.neighbours), allotted)
    except ValueError:  # no guarantee, or one from which nothing of this kind or for these neighbours follows
        within = False
    if not within:
        raise ValueError(f"{name}.privacy = {short_repr(promised)} is outside its budget, {allotted}")
    return promised


def _implies(promised: Guarantee, allotted: Guarantee) -> bool:
    """Whether every mechanism with the one guarantee has the other, for the same neighbours. ValueError: it has not."""
    if isinstance(allotted, GaussianDP):
        return to_gaussian(promised).mu <= allotted.mu
    if isinstance(allotted, ZCDP):
        return to_zcdp(promised).rho <= allotted.rho
    if isinstance(allotted, RenyiDP):
        implied = to_renyi(promised, [order for order, _ in allotted.points]).points
        return all(mine[1] <= theirs[1] for mine, theirs in zip(implied, allotted.points, strict=True))
    if isinstance(allotted, PrivacyCurve):
        return all(_implies(promised, point) for point in allotted.points)
    if isinstance(promised, PureDP | ApproxDP):
        return promised.epsilon <= allotted.epsilon and promised.delta <= allotted.delta
    exact = isinstance(promised, GaussianDP) and 0 < allotted.delta < 1
    if exact and promised.mu <= gaussian_mu(allotted.epsilon, allotted.delta):  # type: ignore[union-attr]
        return True
    return to_approx(promised, epsilon=allotted.epsilon).delta <= allotted.delta


# Models ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LinearModel:
    """One release, as a predictor x -> sign(<weights, feature_map(x)>) that remembers its privacy."""

    weights: np.ndarray
    privacy: Guarantee
    feature_map: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)

    @quiet
    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return <weights, feature_map(x)> for every row, shape (n,)."""
        X = check_rows(X)
        features = X if self.feature_map is None else self.feature_map(X)
        if features.shape[1:] != self.weights.shape:
            raise ValueError(f"X has shape {X.shape}: it gives {features.shape[1:]} features, not {self.weights.shape}")
        return features @ self.weights

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return labels -1 or +1; a tie is +1."""
        return np.where(self.decision_function(X) >= 0, 1.0, -1.0)


@dataclass(frozen=True)
class AdaptiveModel(LinearModel):
    """One release of a learner that chooses its margin: the predictor, its privacy, and the margin chosen."""

    margin: float = nan
