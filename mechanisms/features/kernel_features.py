"""Finite feature maps of other kernels, for `projected`: what Section 4 of bms22 names beside random Fourier features.

    Monomials       (<x, x'> + c)^p, exactly, in C(d + p, p) features
    TensorSketch    (<x, x'> + c)^p, without bias, in as many features as one likes (Pham & Pagh 2013)
    Fastfood        the Gaussian kernel, random Fourier features in time D log d (Le, Sarlos & Smola 2013)
    ArcCosine       |x| |x'| (sin t + (pi - t) cos t)/pi, t the angle of x and x' (Cho & Saul 2009, order 1)
    Tangent         the tangent kernel of a wide network with one hidden layer of ReLUs: ArcCosine + <x, x'> (pi - t)/pi

Every map is public randomness, drawn before and independently of the data, a function of one record; none is private by
itself. Only Monomials and Fastfood have bounded norms (`reach`): a private learner clips what it is given, as
`efficient_learner.law` does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from math import comb, factorial, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.features.fast_projection import walsh_hadamard
from lemmata.mechanisms.law import Projection
from lemmata.mechanisms.numerics.arguments import (
    MAGNITUDES,
    check_integer,
    check_magnitude,
    clip_entries,
    clip_rows,
    map_row_blocks,
    resolve_generator,
)
from lemmata.mechanisms.numerics.sparse_rows import Rows

LARGEST = 2**24  # features


class Features(Protocol):
    """A feature map R^d -> R^dimension, applied to the rows of a matrix."""

    @property
    def d(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    def __call__(self, X: ArrayLike) -> np.ndarray: ...


def records(X: ArrayLike, d: int, reach: float = MAGNITUDES[1]) -> Rows:
    """Return X as a float matrix with d columns, entries beyond `reach` moved to it.

    No record makes an image overflow.
    """
    X = clip_entries(X, reach, keep_sparse=True)
    if X.shape[1] != d:
        raise ValueError(f"X has shape {X.shape}, not (n, {d})")
    return X


@dataclass(frozen=True)
class Projected:
    """x -> Phi f(x): a projection of R^d for learners that take one (`efficient_learner.law`)."""

    features: Features = field(repr=False)
    phi: Projection = field(repr=False)

    @property
    def d(self) -> int:
        """The dimension of a record."""
        return self.features.d

    @property
    def k(self) -> int:
        """The dimension of its image."""
        return self.phi.k

    def apply(self, X: ArrayLike) -> np.ndarray:
        """Return Phi f(x) for every row of X, shape (n, k)."""
        return self.phi.apply(self.features(X))

    def transpose(self, W: ArrayLike) -> np.ndarray:
        """Return Phi^T w, a vector of features, for every row of W."""
        return self.phi.transpose(W)


def projected(features: Features, phi: Projection) -> Projected:
    """Return the composition of `features` and a projection of R^dimension.

    >>> from lemmata.mechanisms.features.sign_projection import sign_projection
    >>> f = monomials(3, 2, constant=1.0)
    >>> projected(f, sign_projection(2, f.dimension, rng=np.random.default_rng(0))).apply(np.eye(3)).shape
    (3, 2)
    """
    if not hasattr(features, "dimension"):
        raise ValueError(f"features is a {type(features).__name__}, not a map with a dimension")
    if getattr(phi, "d", None) != features.dimension:
        raise ValueError(f"phi must be a projection from R^{features.dimension}")
    return Projected(features, phi)


# Polynomial kernels ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Monomials:
    """The map to all monomials of degree at most p in d variables, weighted: inner products are (<x, x'> + c)^p."""

    d: int
    degree: int
    constant: float
    radius: float  # rows are clipped to it
    factors: np.ndarray = field(repr=False)  # shape (dimension, p): which variable each factor is; d stands for sqrt(c)
    weights: np.ndarray = field(repr=False)  # shape (dimension,)

    @property
    def dimension(self) -> int:
        """C(d + p, p)."""
        return len(self.weights)

    @property
    def reach(self) -> float:
        """(radius^2 + c)^{p/2}, the largest norm of an image."""
        return float((self.radius**2 + self.constant) ** (self.degree / 2))

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Return the monomials of every row, shape (n, d) -> (n, dimension)."""
        return map_row_blocks(self._images, records(X, self.d))

    def _images(self, X: np.ndarray) -> np.ndarray:
        X = clip_rows(X, self.radius)
        longer = np.column_stack([X, np.full(len(X), sqrt(self.constant))])
        images = np.tile(self.weights, (len(X), 1))
        for column in self.factors.T:
            images *= longer[:, column]
        return images


def monomials(d: int, degree: int, *, constant: float = 1.0, radius: float = 1.0) -> Monomials:
    """Return the exact map of (<x, x'> + constant)^degree on the ball of `radius`; rows are clipped to it.

    >>> f = monomials(2, 2, constant=1.0)
    >>> f.dimension, f([[0.6, 0.8]]).round(3).tolist()
    (6, [[0.36, 0.679, 0.849, 0.64, 1.131, 1.0]])
    """
    d, degree = check_integer(LARGEST, d=d, degree=degree)
    constant, radius = check_magnitude(constant=constant, radius=radius)
    if (dimension := comb(d + degree, degree)) * degree > LARGEST:
        raise ValueError(f"d = {d}, degree = {degree}: {dimension} monomials are more than {LARGEST // degree}")
    factors = np.array(list(combinations_with_replacement(range(d + 1), degree)))
    counts = (factors[:, :, None] == np.arange(d + 1)).sum(axis=1)
    repeats = np.array([factorial(count) for count in range(degree + 1)], dtype=float)
    return Monomials(d, degree, constant, radius, factors, np.sqrt(factorial(degree) / repeats[counts].prod(axis=1)))


@dataclass(frozen=True)
class TensorSketch:
    """The sketch of a polynomial kernel: p count sketches of (x, sqrt(c)), convolved.

    <z(x), z(x')> has mean (<x, x'> + c)^p.
    """

    d: int
    dimension: int
    constant: float
    buckets: np.ndarray = field(repr=False)  # shape (p, d + 1), each in 0..dimension-1
    signs: np.ndarray = field(repr=False)  # shape (p, d + 1)

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Return the sketches of every row, shape (n, d) -> (n, dimension)."""
        reach = 10.0 ** (250 / len(self.buckets)) / (self.d + 1)  # the product is at most about 1e250
        return map_row_blocks(self._images, records(X, self.d, reach))

    def _images(self, X: np.ndarray) -> np.ndarray:
        longer = np.column_stack([X, np.full(len(X), sqrt(self.constant))]).T
        product: np.ndarray = np.ones(1)
        with np.errstate(over="ignore", invalid="ignore"):  # of a constant^degree that is no float
            for bucket, sign in zip(self.buckets, self.signs, strict=True):
                sketch = np.zeros((self.dimension, len(X)))
                np.add.at(sketch, bucket, sign[:, None] * longer)
                product = product * np.fft.rfft(sketch.T)
            return np.fft.irfft(product, self.dimension)


def tensor_sketch(d: int, degree: int, size: int, *, constant: float = 1.0, rng: np.random.Generator) -> TensorSketch:
    """Draw a sketch of (<x, x'> + constant)^degree with `size` features.

    The variance is at most (2 + 3^degree) / size times (|x|^2 + constant)^degree (|x'|^2 + constant)^degree.

    >>> tensor_sketch(3, 2, 50, rng=np.random.default_rng(0))(np.eye(3)).shape
    (3, 50)
    """
    d, degree, size = check_integer(LARGEST, d=d, degree=degree, size=size)
    (constant,) = check_magnitude(constant=constant)
    shape = (degree, d + 1)
    rng = resolve_generator(rng)
    return TensorSketch(d, size, constant, rng.integers(0, size, size=shape), 1.0 - 2.0 * rng.integers(0, 2, shape))


# The Gaussian kernel, fast --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fastfood:
    """Random Fourier features of the Gaussian kernel whose frequencies are the rows of blocks S H G P H B.

    H is the Walsh-Hadamard matrix of size D >= d, B signs, P a permutation, G Gaussian, and S gives every row the
    length of a Gaussian vector: each frequency is N(0, I/bandwidth^2), those of a block are not independent.
    """

    d: int
    count: int
    radius: float
    signs: np.ndarray = field(repr=False)  # shape (blocks, D)
    order: np.ndarray = field(repr=False)
    gaussians: np.ndarray = field(repr=False)
    lengths: np.ndarray = field(repr=False)  # of the frequencies, divided by |G|

    @property
    def dimension(self) -> int:
        """2 count, cosines and sines."""
        return 2 * self.count

    @property
    def reach(self) -> float:
        """The norm of every image."""
        return self.radius

    def angles(self, X: ArrayLike) -> np.ndarray:
        """Return <omega, x> for every row and frequency, shape (n, count)."""
        return map_row_blocks(self._angles, records(X, self.d))

    def _angles(self, X: np.ndarray) -> np.ndarray:
        blocks, width = self.signs.shape
        angles = np.empty((len(X), blocks, width))
        for block in range(blocks):
            padded = np.zeros((len(X), width))
            padded[:, : self.d] = X
            mixed = walsh_hadamard(padded * self.signs[block])[:, self.order[block]] * self.gaussians[block]
            angles[:, block] = walsh_hadamard(np.ascontiguousarray(mixed)) * self.lengths[block] / sqrt(width)
        return angles.reshape(len(X), -1)[:, : self.count]

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Return psi of every row, shape (n, d) -> (n, 2 count), cosines and sines interleaved."""
        return map_row_blocks(self._images, records(X, self.d))

    def _images(self, X: np.ndarray) -> np.ndarray:
        angles = self._angles(X)
        images = np.stack([np.cos(angles), np.sin(angles)], axis=-1) * (self.radius / sqrt(self.count))
        return images.reshape(len(angles), self.dimension)


def fastfood(d: int, count: int, *, bandwidth: float = 1.0, radius: float = 1.0, rng: np.random.Generator) -> Fastfood:
    """Draw `count` frequencies of the Gaussian kernel, applied in time D log d for D = count.

    >>> fastfood(3, 50, rng=np.random.default_rng(0))(np.eye(3)).shape
    (3, 100)
    """
    d, count = check_integer(LARGEST, d=d, count=count)
    bandwidth, radius = check_magnitude(bandwidth=bandwidth, radius=radius)
    rng, width = resolve_generator(rng), 1 << (d - 1).bit_length()
    shape = (-(-count // width), width)
    signs, gaussians = 1.0 - 2.0 * rng.integers(0, 2, shape), rng.standard_normal(shape)
    order = rng.permuted(np.tile(np.arange(width), (shape[0], 1)), axis=1)
    lengths = np.sqrt(rng.chisquare(width, shape)) / np.linalg.norm(gaussians, axis=1, keepdims=True) / bandwidth
    return Fastfood(d, count, radius, signs, order, gaussians, lengths)


# Kernels of networks --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ArcCosine:
    """The random ReLU features sqrt(2/D) (<omega_l, x>)_+ of an arc-cosine kernel, omega_l Gaussian."""

    omega: np.ndarray = field(repr=False)  # shape (D, d)

    @property
    def d(self) -> int:
        """The dimension of a record."""
        return self.omega.shape[1]

    @property
    def dimension(self) -> int:
        """D, the number of features."""
        return len(self.omega)

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Return the features of every row, shape (n, d) -> (n, dimension)."""
        return sqrt(2 / len(self.omega)) * np.maximum(records(X, self.d) @ self.omega.T, 0)


@dataclass(frozen=True)
class Tangent:
    """The features of ArcCosine, and sqrt(2/D) <g_l, x> where <omega_l, x> > 0: g_l stands for all d derivatives."""

    hidden: ArcCosine
    g: np.ndarray = field(repr=False)  # shape (D, d)

    @property
    def d(self) -> int:
        """The dimension of a record."""
        return self.hidden.d

    @property
    def dimension(self) -> int:
        """2 D: the derivatives in the second layer, and a projection of those in the first."""
        return 2 * len(self.g)

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Return the features of every row, shape (n, d) -> (n, dimension)."""
        outer = self.hidden(X)
        inner = sqrt(2 / len(self.g)) * (outer > 0) * (records(X, self.d) @ self.g.T)
        return np.column_stack([outer, inner])


def arc_cosine(d: int, count: int, *, rng: np.random.Generator) -> ArcCosine:
    """Draw `count` random ReLUs: the features of an arc-cosine kernel.

    >>> arc_cosine(3, 50, rng=np.random.default_rng(0))(np.eye(3)).shape
    (3, 50)
    """
    d, count = check_integer(LARGEST, d=d, count=count)
    return ArcCosine(resolve_generator(rng).standard_normal((count, d)))


def tangent(d: int, count: int, *, rng: np.random.Generator) -> Tangent:
    """Draw random features of the tangent kernel, `count` of each layer.

    >>> tangent(3, 50, rng=np.random.default_rng(0))(np.eye(3)).shape
    (3, 100)
    """
    rng = resolve_generator(rng)
    hidden = arc_cosine(d, count, rng=rng)
    return Tangent(hidden, rng.standard_normal(hidden.omega.shape))
