"""The private kernel learner A_PrivKerMrg, Algorithm 3 of bms22: random Fourier features, then A_EffPrivMrg.

    x -> psi(x) in R^{2D} (`random_features`);   w = A_EffPrivMrg at norm 2 Lambda and beta/2;   h(x) = <w, psi(x)>

A_EffPrivMrg sees psi(x) through its projection Phi alone, so one object, `KernelProjection`, is the map x -> Phi
psi(x): both are public randomness, drawn by the caller before and independently of the data, and neither is ever held
whole. The printed D is of the order m^2; any other number of frequencies is as private.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.bms22.kernel_learner import printed_frequencies
from lemmata.mechanisms.features.random_features import KERNELS, frequencies
from lemmata.mechanisms.features.sign_projection import LARGEST, SIGNS, check_points
from lemmata.mechanisms.law import LinearModel
from lemmata.mechanisms.learners.erm import efficient_learner
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_integer,
    check_magnitude,
    check_within_unit,
    quiet,
    resolve_generator,
)
from lemmata.mechanisms.numerics.sparse_rows import dense_rows
from lemmata.mechanisms.privacy import ApproxDP

SIDE = 512  # records, and frequencies, of a block: its angles and images stay in the cache
FAR = 1e100  # coordinates beyond are cut, so that every product with a frequency is a number


def frequencies_for(m: int, beta: float) -> int:
    """Return the number of frequencies D of step 2, rounded up.

    >>> frequencies_for(100, 0.1)
    76010
    """
    (m,), (beta,) = check_integer(m=m), check_within_unit(beta=beta)
    check_magnitude(m=m, beta=beta)
    return max(1, ceil(printed_frequencies(m=m, beta=beta)))


def compute_waves(angles: np.ndarray, turns: np.ndarray, narrow: np.ndarray) -> Iterator[np.ndarray]:
    """Return cos, then sin, of 2 pi `angles`, which are changed; `turns` and `narrow` (float32) are room for work.

    Angles lose their whole turns in float64; the waves are computed in float32, correct to 1e-7.
    """
    angles -= np.rint(angles, out=turns)
    np.multiply(angles, 2 * pi, out=narrow, casting="same_kind")
    for wave in (np.cos, np.sin):
        yield wave(narrow, out=angles, dtype=np.float32, casting="same_kind")


@dataclass(frozen=True)
class KernelProjection:
    """x -> Phi psi(x) in R^k: `count` random Fourier features of `kernel`, each a pair, under k rows of random signs.

    `psi` has norm `radius` for every x, and Phi independent entries +-1/sqrt(k) (Lemma A.3 of bms22). Frequencies and
    the columns of Phi above them come in blocks, each from a generator of its own that is derived from (seed, block),
    so `apply` and `transpose` see the same maps in a few megabytes, whatever D is.
    """

    kernel: str
    d: int
    count: int
    k: int
    bandwidth: float
    radius: float
    seed: tuple[int, ...] = field(repr=False)

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """(slice of frequencies, they (b, d), the signs above their cosines and sines (2, b, k)); one room for all."""
        room = np.empty((-(-2 * min(SIDE, self.count) * self.k // 8), 8))
        for index, start in enumerate(range(0, self.count, SIDE)):
            stop = min(self.count, start + SIDE)
            rng = np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(self.seed, spawn_key=(index,))))
            omega = frequencies(self.kernel, self.d, stop - start, bandwidth=self.bandwidth, rng=rng)
            entries = 2 * (stop - start) * self.k
            drawn = np.frombuffer(rng.bytes(-(-entries // 8)), np.uint8)
            signs = np.take(SIGNS, drawn, axis=0, mode="clip", out=room[: len(drawn)]).reshape(-1)[:entries]
            yield slice(start, stop), omega, signs.reshape(2, stop - start, self.k)

    def apply(self, X: ArrayLike) -> np.ndarray:
        """Return Phi psi(x) for every row x of X: shape (n, d) -> (n, k), or (d,) -> (k,)."""
        records = np.clip(dense_rows(check_points(X, self.d, "X")), -FAR, FAR)
        total = np.zeros((*records.shape[:-1], self.k))
        lines, images = records.reshape(-1, self.d), total.reshape(-1, self.k)
        for part, omega, signs in self._blocks():
            turning = np.ascontiguousarray(omega.T) / (2 * pi)
            shape = (min(SIDE, len(lines)), part.stop - part.start)
            room = np.empty(shape), np.empty(shape), np.empty(shape, np.float32)
            for start in range(0, len(lines), SIDE):
                block = lines[start : start + SIDE]
                angles, turns, narrow = (array[: len(block)] for array in room)
                np.matmul(block, turning, out=angles)
                for wave, above in zip(compute_waves(angles, turns, narrow), signs, strict=True):
                    images[start : start + SIDE] += wave @ above
        total *= self.radius / sqrt(self.count) / sqrt(self.k)
        return total

    def transpose(self, W: ArrayLike) -> np.ndarray:
        """Return Phi^T w in R^{2D} for every row w of W, cosines and sines interleaved: (n, k) -> (n, 2D)."""
        W = check_points(W, self.k, "W")
        lifted = np.empty((*W.shape[:-1], self.count, 2))
        for part, _, signs in self._blocks():
            for wave, above in enumerate(signs):
                lifted[..., part, wave] = W @ above.T
        lifted /= sqrt(self.k)
        return lifted.reshape(*W.shape[:-1], 2 * self.count)


def kernel_projection(
    kernel: str, d: int, *, count: int, k: int, bandwidth: float = 1.0, radius: float = 1.0, rng: np.random.Generator
) -> KernelProjection:
    """Draw the map R^d -> R^k: fresh frequencies and signs, whose seed `rng` gives.

    >>> phi = kernel_projection("gaussian", 2, count=10**4, k=3, rng=np.random.default_rng(0))
    >>> phi.apply(np.eye(2)).shape, phi.transpose(np.ones(3)).shape
    ((2, 3), (20000,))
    """
    check_choice(tuple(KERNELS), kernel=kernel)
    bandwidth, radius = check_magnitude(bandwidth=bandwidth, radius=radius)
    d, count, k = check_integer(LARGEST, d=d, count=count, k=k)
    seed = tuple(int(word) for word in resolve_generator(rng).integers(0, 2**32, size=4))
    return KernelProjection(kernel, d, count, k, bandwidth, radius, seed)


def draw_projection(
    m: int,
    d: int,
    *,
    kernel: str,
    epsilon: float,
    delta: float,
    beta: float,
    bandwidth: float = 1.0,
    radius: float = 1.0,
    count: int | None = None,
    k: int | None = None,
    rng: np.random.Generator,
) -> KernelProjection:
    """Return the public maps of steps 2, 3 and 5; D (`count`) and k as printed where they are None."""
    count = frequencies_for(m, beta) if count is None else count
    k = efficient_learner.rows_for(m, epsilon, delta, beta / 2) if k is None else k
    return kernel_projection(kernel, d, count=count, k=k, bandwidth=bandwidth, radius=radius, rng=rng)


@dataclass(frozen=True)
class KernelLaw(efficient_learner.EfficientLaw):
    """The law of w^Priv in the random features of a kernel; releases have shape (size, 2D)."""

    projection: KernelProjection = field(repr=False)

    def model(self, rng: np.random.Generator) -> LinearModel:
        """Draw one release as a predictor x -> sign(<w, Phi psi(x)>), w of R^k as the training released it.

        <w, Phi psi(x)> is <w^Priv, psi(x)>, and Phi is public: this gives away no more than w^Priv = Phi^T w does.
        """
        return LinearModel(self.trained.sample(rng)[0], self.privacy, self.projection.apply)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: ApproxDP,
    rho: float,
    norm_bound: float,
    beta: float,
    calibration: str = "tight",
    projection: KernelProjection,
    noise: str = "float",
) -> KernelLaw:
    """Return the law of A_PrivKerMrg of bms22: learn with margin rho against functions of RKHS norm `norm_bound`.

    Formal guarantee: that of `efficient_learner.law` with the same `calibration`, under replacement of one record, for
    every input and every fixed `projection` that was drawn independently of the data. Nothing is assumed about X: psi
    has norm `projection.radius` everywhere, and Phi psi(x) is clipped to twice that.

    X: (m, d); y: (m,), each -1 or +1. Releases are vectors w^Priv of R^{2D}, shape (size, 2D). Raises ValueError for
    anything out of range, rho outside (0, 2 norm_bound * radius] included.

    >>> phi = kernel_projection("gaussian", 2, count=1000, k=2, rng=np.random.default_rng(0))
    >>> sizes = dict(rho=0.5, norm_bound=1.0, beta=0.1)
    >>> released = law(np.eye(2), [1, -1], privacy=ApproxDP(1.0, 1e-5), **sizes, projection=phi)
    >>> released.sample(np.random.default_rng(1)).shape
    (1, 2000)
    """
    if not isinstance(projection, KernelProjection):
        raise ValueError(f"projection is a {type(projection).__name__}, not a KernelProjection")
    rho, norm_bound = check_magnitude(rho=rho, norm_bound=norm_bound)
    (beta,) = check_within_unit(beta=beta)
    if rho > (top := 2 * norm_bound * projection.radius):
        raise ValueError(f"rho must be in (0, 2 norm_bound * radius] = (0, {top:.6g}], got {rho}")
    made = efficient_learner.law(
        X,
        y,
        privacy=privacy,
        rho=rho,
        radius=projection.radius,
        norm_bound=2 * norm_bound,
        beta=beta / 2,
        calibration=calibration,
        noise=noise,
        projection=projection,
    )
    return KernelLaw(projection, made.trained, made.privacy)
