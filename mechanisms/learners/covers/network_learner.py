"""The learner of Theorem 5.1 of Bassily, Mohri & Suresh (2022): pure private networks with embedded layers.

    v_1 = W_1^T Phi_0 x,   v_j = W_j^T Phi_{j-1} psi(v_{j-1}),   h(x) = v_L,   psi(a) = tanh(eta a/4) by coordinates
    (W_1, ..., W_L) in a product of covers, with probability proportional to exp(-epsilon #{i : y_i h(x_i) <= 0} / 2)

Layer j's weights lie in B^{kN}(2 Lambda), the last one's in B^k(2 Lambda), each in a cover of its own at gamma/sqrt(L).
The printed k is in the hundreds where no cover can be listed: choose k = 1 or 2, one or two neurons, one or two layers
(k = N = 1, L = 2, rho = 1/2: 51,529 networks). Privacy does not depend on k; the margin guarantee does. Notation:
`norm_bound` Lambda, `radius` r, `eta` eta, `layers` L, `width` N; `public` are the L embeddings Phi_0, ..., Phi_{L-1}.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from lemmata.bounds.bms22 import network_cover as bounds
from lemmata.mechanisms.law import Projection, SignModel, check_replacement
from lemmata.mechanisms.learners.covers.label_learner import ErrorCountLaw
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_integer,
    check_magnitude,
    clip_rows,
    quiet,
    read_labels,
    read_records,
)
from lemmata.mechanisms.privacy import Guarantee, PureDP, to_pure
from lemmata.mechanisms.solvers.covers import Cover, cover

CALIBRATIONS = ("printed",)  # sensitivity 1/m of the empirical risk: enough, and nothing to save
LARGEST = 2**31  # products of records and networks that anybody can score


def activation(values: np.ndarray, eta: float) -> np.ndarray:
    """Return psi: (1 - e^{-eta a/2})/(1 + e^{-eta a/2}) = tanh(eta a/4), by coordinates."""
    return np.tanh(eta / 4 * values)


def transpose_embeddings(public: Sequence[Projection]) -> list[np.ndarray]:
    """Return the transposes of the embeddings after the first one, shape (N, k) each."""
    return [phi.apply(np.eye(phi.d)) for phi in public[1:]]


def count_errors(
    covers: Sequence[Cover], embeddings: Sequence[np.ndarray], inputs: np.ndarray, y: np.ndarray, eta: float
) -> Iterator[np.ndarray]:
    """Return #{i : y_i h(x_i) <= 0} for all networks in order, the last layer's weights fastest.

    Blocks of whole numbers.

    `inputs` are the embedded inputs of the first of the layers `covers`, shape (m, k); `embeddings` the later ones'.
    """
    if len(covers) == 1:
        for block in covers[0].blocks(max(1, 2**22 // len(y))):
            yield (y * (block @ inputs.T) <= 0).sum(axis=1)
        return
    # Depth first: only the hidden values of one network of the earlier layers exist at a time.
    for number in range(covers[0].size):
        W = covers[0].points([number]).reshape(inputs.shape[1], -1)
        yield from count_errors(covers[1:], embeddings[1:], activation(inputs @ W, eta) @ embeddings[0], y, eta)


@dataclass(frozen=True)
class NetworkLaw(ErrorCountLaw):
    """The law of the weights of one network, on one dataset, for one choice of embeddings."""

    errors: np.ndarray = field(repr=False)  # of every network; never in a repr
    samples: int
    covers: tuple[Cover, ...]  # of the layers
    public: tuple[Projection, ...]
    eta: float
    privacy: PureDP  # neighbours differ in one replaced record

    def weights(self, numbers: ArrayLike) -> np.ndarray:
        """Return the weights of the networks with these numbers, all layers in a row, shape (n, k (N (L-1) + 1))."""
        places = np.unravel_index(np.asarray(numbers), [one.size for one in self.covers])
        return np.hstack([one.points(place) for one, place in zip(self.covers, places, strict=True)])

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases: weights, shape (size, k (N (L-1) + 1))."""
        return self.weights(self.selection.sample(rng, size))

    @cached_property
    def _trees(self) -> list[cKDTree]:
        return [cKDTree(np.concatenate(list(one.blocks()))) for one in self.covers]

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probabilities of released weights, shape (size,); -inf for what is never released."""
        releases = np.atleast_2d(np.asarray(releases, dtype=float))
        parts = np.split(releases, np.cumsum([one.k for one in self.covers])[:-1], axis=1)
        places, listed = [], np.ones(len(releases), dtype=bool)
        for one, tree, part in zip(self.covers, self._trees, parts, strict=True):
            distance, nearest = tree.query(part)
            listed &= distance <= 1e-4 * one.resolution
            places.append(nearest)
        numbers = np.ravel_multi_index(places, [one.size for one in self.covers])
        return np.where(listed, self.selection.log_density(numbers), -np.inf)

    def model(self, rng: np.random.Generator) -> NetworkModel:
        """Draw one release as a predictor."""
        layers = np.split(self.sample(rng)[0], np.cumsum([one.k for one in self.covers])[:-1])
        weights = tuple(layer.reshape(self.public[0].k, -1) for layer in layers)
        return NetworkModel(weights, self.public, self.eta, self.privacy)


@dataclass(frozen=True)
class NetworkModel(SignModel):
    """One release, as a predictor x -> sign(h(x)) that remembers its privacy."""

    weights: tuple[np.ndarray, ...]  # of the layers, shape (k, N), the last one (k, 1)
    public: tuple[Projection, ...]
    eta: float
    privacy: Guarantee

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return h(x) for every row, shape (n,)."""
        values = self.public[0].apply(read_records(X)) @ self.weights[0]
        for W, phi in zip(self.weights[1:], self.public[1:], strict=True):
            values = phi.apply(activation(values, self.eta)) @ W
        return values[:, 0]


def product_cover(
    k: int, width: int, layers: int, *, norm_bound: float, resolution: float, lattice: str = "thin"
) -> tuple[Cover, ...]:
    """Return a cover of the weights of all layers within `resolution`: one of each layer within resolution/sqrt(L).

    >>> [one.size for one in product_cover(1, 1, 2, norm_bound=1.0, resolution=0.0125)]
    [227, 227]
    """
    (k, width), (layers,) = check_integer(k=k, width=width), check_integer(64, layers=layers)
    norm_bound, resolution = check_magnitude(norm_bound=norm_bound, resolution=resolution)
    sizes: dict[str, Any] = dict(radius=2 * norm_bound, resolution=resolution / sqrt(layers), lattice=lattice)
    hidden = cover(k * width, **sizes) if layers > 1 else None
    return (*[hidden for _ in range(layers - 1) if hidden], cover(k, **sizes))


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: Guarantee,
    norm_bound: float,
    radius: float,
    rho: float,
    eta: float,
    calibration: str = "printed",
    lattice: str = "thin",
    public: Sequence[Projection],
) -> NetworkLaw:
    """Return the law of bms22's network learner (Section 5): a private choice among networks, by errors on the sample.

    Formal guarantee: `privacy.epsilon`-DP for its neighbours, for every value of the embeddings `public` (from R^d to
    R^k, then from R^N to R^k, drawn independently of the data), every dataset and every k. Their shapes decide d, k, N
    and L. Rows of X, shape (m, d), are clipped to `radius`; labels y are -1 or +1. The cover has the printed gamma =
    rho/(10 r (4 eta Lambda)^{L-1}) and sees nothing of the data. The sensitivity of the empirical risk, 1/m, is exact
    ("printed" calibration). Raises ValueError for bad input and for covers that are too large to be scored.

    >>> from lemmata.mechanisms.features.sign_projection import sign_projection
    >>> phi = [sign_projection(1, d, rng=np.random.default_rng(d)) for d in (2, 1)]
    >>> sizes = dict(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, public=phi)
    >>> law(np.eye(2), [1, 1], privacy=PureDP(1.0), **sizes).sample(np.random.default_rng(1)).shape
    (1, 2)
    """
    norm_bound, radius, rho, eta = check_magnitude(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta)
    check_choice(CALIBRATIONS, calibration=calibration)
    X = clip_rows(X, radius)
    y = read_labels(y, len(X))
    public = _embeddings(public, X.shape[1])
    k, layers, width = public[0].k, len(public), public[-1].d if len(public) > 1 else 1
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    resolution = bounds.printed_resolution(**shape)
    covers = product_cover(k, width, layers, norm_bound=norm_bound, resolution=resolution, lattice=lattice)
    networks = prod(one.size for one in covers)
    if networks * len(X) > LARGEST:
        raise ValueError(f"public has shapes for {networks} networks: more than {LARGEST // len(X)} cannot be scored")
    blocks = count_errors(covers, transpose_embeddings(public), public[0].apply(X), y, eta)
    return NetworkLaw(np.concatenate(list(blocks)), len(X), covers, public, eta, to_pure(check_replacement(privacy)))


def _embeddings(public: Sequence[Projection], d: int) -> tuple[Projection, ...]:
    """The embeddings, checked: all to R^k, the first from R^d, the later ones from one R^N."""
    made = tuple(public) if isinstance(public, list | tuple) else ()
    if not made or len(made) > 64 or not all(hasattr(phi, "k") and hasattr(phi, "d") for phi in made):
        raise ValueError(f"public is a {type(public).__name__}, not a list of one to 64 projections")
    if made[0].d != d or len({phi.k for phi in made}) > 1 or len({phi.d for phi in made[1:]}) > 1:
        shapes = ", ".join(f"R^{phi.d} -> R^{phi.k}" for phi in made)
        raise ValueError(f"public has embeddings {shapes}: not R^{d} -> R^k, then R^N -> R^k")
    return made
