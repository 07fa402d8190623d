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

Every mechanism is called in one way, `law(X, y, *, privacy, ...)`: the guarantee, then what the algorithm needs, then
public randomness. `fit(law, rng)` draws one release of it for a person: a model that predicts, or the value or index
that is released. The defaults of a `law` are those of its paper, with noise in float64, for claims; `fit` refuses such
noise unless it is told, and the estimators of `lemmata` have the defaults for users. Without `rng` every bit of a
release comes from the operating system's cryptographic stream. A seeded PCG64 is right for verdicts, which must be
repeatable, and wrong for releases: its outputs give away its state, so for a release leave `rng` out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import nan
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_integer,
    check_rows,
    quiet,
    resolve_generator,
    spawn_two_streams,
)
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

INNER = ("tuning", "descent", "trained")  # attributes of a law: the one whose releases it hands out


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
    """Return the guarantee `promised` by a wrapped law, checked against its budget; every wrapper reads it first.

    ValueError, naming both, unless `promised` implies `allotted`: its kind, its size and its neighbours.

    >>> from lemmata.mechanisms.privacy import PureDP
    >>> check_within_budget(PureDP(0.5), GaussianDP(1.0), "base").epsilon
    0.5
    >>> check_within_budget(GaussianDP(50.0), PureDP(1.0), "base")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: base.privacy must be within its budget PureDP(epsilon=1.0, ...), got GaussianDP(mu=50.0, ...)
    """
    check_guarantee("budget", allotted)
    try:
        within = _implies(to_neighbours(promised, allotted.neighbours), allotted)
    except ValueError:  # no guarantee, or one from which nothing of this kind or for these neighbours follows
        within = False
    if not within:
        raise ValueError(f"{name}.privacy must be within its budget {allotted}, got {short_repr(promised)}")
    return promised


def check_replacement(privacy: Any) -> Any:
    """Return a guarantee for one replaced record or label, which is what a learner's noise is made for.

    ValueError for others: how many records there are is public to a learner.
    """
    check_guarantee("privacy", privacy)
    if privacy.neighbours not in ("replace", "label"):
        raise ValueError(f"privacy must be for one replaced record or label, got {privacy}")
    return privacy


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


# One release ----------------------------------------------------------------------------------------------------------


@quiet
def fit(
    law: Law | Callable[[np.random.Generator], Law], rng: np.random.Generator | None = None, *, noise: str = "exact"
) -> Any:
    """Draw one release of a law: the frozen model of a learner, else the released value or index itself.

    A law whose projection or frequencies are still to be drawn comes as a function that makes it of a generator. That
    one is for what is public, and independent of the one that draws the noise (`spawn_two_streams`): what is published
    gives the state of its generator away.

    `noise` "exact" refuses a law that draws its noise in float64 (`is_exact`); "float" takes it too, for experiments.
    Raises ValueError for what is no law, and for such a law.

    >>> from lemmata.mechanisms.learners.descent import noisy_gd
    >>> made = noisy_gd.law([[0.6], [-0.6]], [1, -1], privacy=GaussianDP(9.0), width=0.5, steps=4, noise="exact")
    >>> fit(made, np.random.default_rng(0)).predict([[1.0]])
    array([1.])
    """
    check_choice(("exact", "float"), noise=noise)
    private = None
    if callable(law) and not hasattr(law, "sample"):
        public, private = spawn_two_streams(rng)
        law = law(public)
    if not hasattr(law, "sample"):
        raise ValueError(f"law is a {type(law).__name__}, not a law, nor a function that makes one")
    if noise == "exact" and not is_exact(law):
        raise ValueError("law has noise in float64: make it with noise = 'exact', or call fit with noise = 'float'")
    private = resolve_generator(rng) if private is None else private
    model = getattr(law, "model", None)
    if model is not None:
        return model(private)
    drawn = law.sample(private)
    if isinstance(drawn, dict):
        return {name: values[0] for name, values in drawn.items()}
    return drawn[0].item() if np.ndim(drawn) == 1 else drawn[0]


def is_exact(law: Any) -> bool:
    """Return whether a law's guarantee holds for the bits of a release, and not only for the real numbers behind them.

    A law says so by `exact`. Else its `noise` is a word, or its noise lies on a public `grid`, 0 for float64's; a law
    that hands out what another one releases is as exact as that one. A law that has none of these has one kind of noise
    only, which `lemmata.mechanisms.hardening` names; of a caller's own law nothing is known.

    >>> from lemmata.mechanisms.noise import gaussian
    >>> made = {"value": [0.0], "privacy": GaussianDP(1.0), "sensitivity": 1.0}
    >>> [is_exact(gaussian.law(**made, noise=noise)) for noise in ("float", "exact")]
    [False, True]
    """
    for inner in INNER:
        law = getattr(law, inner, law)
    if hasattr(law, "exact"):
        return bool(law.exact)
    noise = getattr(law, "noise", None)
    return noise == "exact" if isinstance(noise, str) else getattr(law, "grid", None) != 0


# Models ---------------------------------------------------------------------------------------------------------------


class SignModel:
    """What predictors share: labels by the sign of a `decision_function`."""

    def predict(self: Any, X: ArrayLike) -> np.ndarray:
        """Return labels -1 or +1; a tie is +1."""
        return np.where(self.decision_function(X) >= 0, 1.0, -1.0)


@dataclass(frozen=True)
class LinearModel(SignModel):
    """One release, as a predictor x -> sign(<weights, feature_map(x)>) that remembers its privacy."""

    weights: np.ndarray
    privacy: Guarantee
    feature_map: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)

    @quiet
    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return <weights, feature_map(x)> for every row, shape (n,)."""
        X = check_rows(X, keep_sparse=True)
        features = X if self.feature_map is None else self.feature_map(X)
        if features.shape[1:] != self.weights.shape:
            raise ValueError(f"X must give features of shape {self.weights.shape}, got {features.shape[1:]}")
        return features @ self.weights


class LinearLaw:
    """What laws of linear weights share: a release as a predictor, of the features of `feature_map` if there is one."""

    def model(self: Any, rng: np.random.Generator) -> LinearModel:
        """Draw one release as a predictor."""
        return LinearModel(self.sample(rng)[0], self.privacy, getattr(self, "feature_map", None))


class LaplaceWeightsLaw(LinearLaw):
    """What laws of weights under Laplace `noise` share: the noise's law knows its centre, and is theirs."""

    noise: Any

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases of the weights, shape (size, F)."""
        return np.asarray(self.noise.sample(rng, size))

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the exact log-density of releases, (size,): a log-probability on a grid, -inf off it."""
        return np.asarray(self.noise.log_density(releases))


@dataclass(frozen=True)
class AdaptiveModel(LinearModel):
    """One release of a learner that chooses its margin: the predictor, its privacy, and the margin chosen."""

    margin: float = nan


class AdaptiveLaw:
    """What laws that choose a margin share: a release, a dict with weights and `margin`, as a predictor."""

    released = "weights"  # the key of the weights

    def model(self: Any, rng: np.random.Generator) -> AdaptiveModel:
        """Draw one release as a predictor that knows its margin."""
        release = self.sample(rng)
        return AdaptiveModel(release[self.released][0], self.privacy, margin=float(release["margin"][0]))
