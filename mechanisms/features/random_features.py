r"""Random Fourier features: a finite map whose inner products estimate a shift-invariant kernel.

Bassily, Mohri & Suresh 2022, Section 4, Equation 2; Rubinstein et al. 2009, Equation 4.1 (there with r = 1).
By Bochner's theorem a kernel K(x, x') = r^2 K_bar(x - x') with K_bar(0) = 1 is the characteristic function of
its spectral law P, so with omega_1..omega_D drawn from P

    psi(x) = r / sqrt(D) (cos <omega_1, x>, sin <omega_1, x>, ..., cos <omega_D, x>, sin <omega_D, x>)

has norm r and E <psi(x), psi(x')> = K(x, x'). The frequencies are public: the caller draws them, from a
stream of its own, and hands them in. Nothing here looks at labels or is private by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_finite,
    check_integer,
    check_magnitude,
    check_rows,
    resolve_generator,
)

BLOCK = 2048  # frequencies held at once when a Gram matrix is streamed


@dataclass(frozen=True)
class Kernel:
    """A kernel with K_bar(0) = 1 and its spectral law, both at bandwidth 1.

    `profile` maps differences, shape (..., d), to K_bar, shape (...). `draw(rng, shape)` draws independent
    coordinates of the spectral law. At bandwidth s differences are divided by s, and so are frequencies.
    """

    profile: Callable[[np.ndarray], np.ndarray]
    draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    second_moment: float  # E omega_i^2 of one coordinate at bandwidth 1; inf for the Laplacian kernel


KERNELS = {
    # exp(-||z||_2^2 / 2), omega ~ N(0, I)
    "gaussian": Kernel(
        lambda z: np.exp(-0.5 * np.sum(z**2, axis=-1)), lambda rng, shape: rng.standard_normal(shape), 1.0
    ),
    # exp(-||z||_1), omega_i ~ Cauchy with density 1 / (pi (1 + omega^2))
    "laplacian": Kernel(
        lambda z: np.exp(-np.sum(np.abs(z), axis=-1)), lambda rng, shape: rng.standard_cauchy(shape), np.inf
    ),
    # prod_i 1 / (1 + z_i^2), omega_i ~ Laplace with density exp(-|omega|) / 2
    "cauchy": Kernel(lambda z: np.prod(1 / (1 + z**2), axis=-1), lambda rng, shape: rng.laplace(size=shape), 2.0),
}


def _kernel(name: str) -> Kernel:
    check_choice(tuple(KERNELS), kernel=name)
    return KERNELS[name]


def profile(kernel: str, differences: ArrayLike, *, bandwidth: float = 1.0) -> np.ndarray:
    """Return K_bar at `differences`, shape (..., d) -> (...). K_bar(0) = 1 for every kernel.

    >>> float(profile("cauchy", np.array([1.0, 0.0])))
    0.5
    """
    (bandwidth,) = check_magnitude(bandwidth=bandwidth)
    differences = np.atleast_1d(check_finite("differences", differences))
    with np.errstate(over="ignore"):
        return _kernel(kernel).profile(differences / bandwidth)


def frequencies(kernel: str, d: int, count: int, *, bandwidth: float = 1.0, rng: np.random.Generator) -> np.ndarray:
    """Draw `count` independent frequencies from the spectral law of `kernel` on R^d, shape (count, d).

    Raises ValueError for an unknown kernel, a bandwidth outside (0, inf), or d or count not whole numbers >= 1.
    """
    (bandwidth,) = check_magnitude(bandwidth=bandwidth)
    d, count = check_integer(d=d, count=count)
    if d * count > 2**40:
        raise ValueError(f"count = {count}, d = {d}: more than 2^40 frequencies")
    rng = resolve_generator(rng)
    return _kernel(kernel).draw(rng, (count, d)) / bandwidth


def frequency_blocks(
    kernel: str, d: int, count: int, *, bandwidth: float = 1.0, block: int = BLOCK, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield the same draws as `frequencies`, bit for bit, at most `block` of them at a time."""
    d, count, block = check_integer(d=d, count=count, block=block)
    if d * count > 2**40:
        raise ValueError(f"count = {count}, d = {d}: more than 2^40 frequencies")
    rng = resolve_generator(rng)
    for start in range(0, count, block):
        yield frequencies(kernel, d, min(block, count - start), rng=rng, bandwidth=bandwidth)


@dataclass(frozen=True)
class FourierMap:
    """The feature map psi for one fixed draw of the frequencies: `features = FourierMap(omega)`, then `features(X)`.

    `omega` has shape (D, d). Every image has Euclidean norm `radius`, for every X: what a mechanism
    calibrates its noise to needs no promise about the data.

    >>> features = FourierMap(np.array([[0.0], [np.pi]]), radius=2.0)
    >>> features([[1.0]]).round(6).tolist()
    [[1.414214, 0.0, -1.414214, 0.0]]
    """

    omega: np.ndarray = field(repr=False)
    radius: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_magnitude(radius=self.radius)[0])
        object.__setattr__(self, "omega", check_rows(self.omega, "omega"))

    @property
    def dimension(self) -> int:
        """2 D, the number of features."""
        return 2 * len(self.omega)

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Return psi of every row of X, shape (n, d) -> (n, 2 D), cosines and sines interleaved as printed."""
        angles = angles_of(X, self.omega)
        images = np.empty((*angles.shape, 2))
        np.cos(angles, out=images[..., 0])
        np.sin(angles, out=images[..., 1])
        images *= self.radius / np.sqrt(len(self.omega))
        return images.reshape(len(images), self.dimension)


def angles_of(X: ArrayLike, omega: np.ndarray, name: str = "X") -> np.ndarray:
    """Return <omega_l, x_i>, shape (n, D). Raises ValueError where the dimensions differ or a product overflows."""
    X, omega = check_rows(X, name, keep_sparse=True), check_rows(omega, "omega")
    if X.shape[1] != omega.shape[1]:
        raise ValueError(f"{name} has shape {X.shape}, not (n, {omega.shape[1]}) as omega has")
    with np.errstate(over="ignore", invalid="ignore"):
        angles = X @ omega.T
    if not np.isfinite(angles).all():
        raise ValueError(f"{name} must have entries for which <omega, x> is finite")
    return angles


def fourier_map(
    kernel: str, d: int, count: int, *, bandwidth: float = 1.0, radius: float = 1.0, rng: np.random.Generator
) -> FourierMap:
    """Draw psi with `count` fresh frequencies, as a `FourierMap` into R^(2 count)."""
    return FourierMap(frequencies(kernel, d, count, rng=rng, bandwidth=bandwidth), radius)


def gram(X: ArrayLike, blocks: Iterable[np.ndarray], *, radius: float = 1.0, Z: ArrayLike | None = None) -> np.ndarray:
    """Return <psi(x_i), psi(z_j)> for all rows, shape (n, n_Z), from frequencies that arrive in blocks.

    Only one block of features is held: 500 rows and 10^6 frequencies need some 30 MB, not 8 GB. `blocks`
    yields arrays (D_b, d), for example `frequency_blocks(...)`; `Z` defaults to X. Raises ValueError if no
    block comes.

    >>> omega = frequencies("gaussian", 2, 50, rng=np.random.default_rng(0))
    >>> X = np.eye(2)
    >>> direct = FourierMap(omega)(X) @ FourierMap(omega)(X).T
    >>> np.allclose(gram(X, [omega[:20], omega[20:]]), direct)
    True
    """
    (radius,) = check_magnitude(radius=radius)
    if not isinstance(blocks, Iterable) or (isinstance(blocks, np.ndarray) and blocks.ndim != 3):
        raise ValueError(f"blocks is a {type(blocks).__name__}, not a sequence of frequencies")
    X = check_rows(X)
    Z = X if Z is None else check_rows(Z, "Z")
    total, count = np.zeros((len(X), len(Z))), 0
    for omega in blocks:
        left = angles_of(X, omega)
        right = left if Z is X else angles_of(Z, omega, "Z")
        for wave in (np.cos, np.sin):
            image = wave(left)
            total += image @ (image if Z is X else wave(right)).T
        count += len(omega)
    if not count:
        raise ValueError("blocks must have at least one frequency")
    return radius**2 * (total / count)
