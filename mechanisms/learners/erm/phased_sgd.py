"""Phased SGD for generalized linear losses: A_GLL of bms22 (Bassily, Guzman & Menart 2021, Algorithm 2), hinge loss.

    for i = 1, ..., floor(log2 n):                     n_i = floor(n / 2^i) fresh records, eta_i = eta / 4^i
        v_1 = Pi(w_{i-1}),   v_{t+1} = Pi(v_t - eta_i grad f_b(v_t; record t))
        w_i = mean(v_1, ..., v_{n_i}) + N(0, sigma_i^2 I),   sigma_i = 2 (radius/rho) eta_i multiplier
    release Pi(w_K)

f is the hinge max(0, 1 - <w, z>/rho) of a record z = y x and f_b its Moreau envelope, with b = 2/eta. Its proximal step
is closed: prox(w) = w + s z with s = min((rho - <w, z>)_+ / |z|^2, 1/(b rho)), so -grad f_b(w) = b s z. The start of a
phase is projected, which is post-processing and lets the analysis compare with points of the ball.

`noise`: "float" draws it in float64, for experiments. "exact", for releases, hands out every phase as its average in
float64 plus a Gaussian over the reals, rounded to a public grid (`lemmata.mechanisms.noise.grid_gaussian`). The average
misses the one over the reals, whose sensitivity is 2 L eta_i, by at most `average_error`, which is charged twice: the
guarantee then holds for the bits released (`wzw25.rem2.3.float64/explicit/averages`).

Many runs are columns of one loop over records, 30 microseconds a step for 200 runs in R^10 in numpy. Where there are
many steps, a compiled kernel takes the same ones, each in a tenth of a microsecond. On long sparse rows another kernel
takes them in another order of sums, at the cost of the stored entries, within the same bound on the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import inf, log, nextafter, pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.bms22 import dp_erm_proof, phased_sgd as bounds
from lemmata.bounds.wzw25.gaussian_privacy_proof import average_error
from lemmata.mechanisms.law import LinearLaw, check_replacement
from lemmata.mechanisms.noise import grid_gaussian
from lemmata.mechanisms.noise.grid_sums import check_noise, clip_and_round_rows, sign_rows
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_magnitude,
    check_positive,
    quiet,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range, round_up
from lemmata.mechanisms.numerics.kernel_choice import numba_kernels_if_worthwhile
from lemmata.mechanisms.numerics.sparse_rows import BAND, Rows, dense_rows, is_sparse, row_bands, sum_of_squares
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, gaussian_noise_multiplier

CALIBRATIONS = ("analytic", "printed")
OUTPUTS = ("last", "phases")
DRAWN = 2**18  # indices drawn at any one time
LARGEST = 1e100  # of a step, and of the noise of a phase
STEP = 1000  # operations that a step costs in numpy, at least
LONG_ROW = 2048  # numbers, from which on `average_error` bounds `kernels.sparse_hinge_steps` too
Records = Iterable[tuple[np.ndarray, np.ndarray]]  # (Z, 1/|z|^2), a step each


@dataclass(frozen=True)
class Reading:
    """The records in the order in which the runs read them: an iterable of (Z, 1/|z|^2), a step each."""

    Z: Rows = field(repr=False)  # shape (m, k)
    inverse: np.ndarray = field(repr=False)  # shape (m,)
    blocks: Iterable[np.ndarray] = field(repr=False)  # of row numbers, shape (steps, runs), or (steps, 1) for all runs
    n: int  # records of all phases together: short phases are computed as the long ones are

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield (dense rows, their 1/|z|^2, row numbers of some steps in these): others are made for a few steps."""
        for block in self.blocks:
            if isinstance(self.Z, np.ndarray):
                yield np.ascontiguousarray(self.Z), self.inverse, block
                continue
            height = max(1, BAND // (block.shape[1] * self.Z.shape[1]))
            for start in range(0, len(block), height):
                part = block[start : start + height]
                rows = part.ravel()
                yield dense_rows(self.Z[rows]), self.inverse[rows], np.arange(rows.size).reshape(part.shape)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        return ((Z.take(rows, axis=0), own.take(rows)) for Z, own, block in self.pieces() for rows in block)


def inverse_squares(Z: Rows) -> np.ndarray:
    """Return 1/|z|^2 for every row, 0 for rows that are 0 (their step is 0 whatever stands here), shape (n,)."""
    squares = np.concatenate([sum_of_squares(band) for band in row_bands(Z)])
    return np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 1e-200)


def project(V: np.ndarray, norm_bound: float) -> np.ndarray:
    """Scale rows down, in place, to norm `norm_bound` where they are longer; return V."""
    squares = np.einsum("rk,rk->r", V, V)
    if squares.max(initial=0.0) > norm_bound**2:
        V *= (norm_bound / np.sqrt(np.maximum(squares, norm_bound**2)))[:, None]
    return V


def average_iterate(
    V: np.ndarray, records: Records, *, rho: float, pull: float, cap: float, norm_bound: float
) -> np.ndarray:
    """Return mean(v_1, ..., v_n) of one phase for every row of V, which is changed. Shape (runs, k).

    `records` yields n pairs (Z, 1/|z|^2), Z of shape (runs, k), or (1, k) if the runs share the record. `pull` is
    eta_i b, `cap` is eta_i / rho: a step is min(pull (rho - <v, z>)_+ / |z|^2, cap) z.
    """
    total, steps = np.zeros_like(V), 0
    if isinstance(records, Reading) and (
        kernels := numba_kernels_if_worthwhile(len(V) * records.n * (V.shape[1] + STEP))
    ):
        sizes = (rho, pull, cap, norm_bound, total)
        if is_sparse(records.Z) and V.shape[1] >= LONG_ROW:
            stored: Any = records.Z
            for block in records.blocks:
                kernels.sparse_hinge_steps(V, stored.data, stored.indices, stored.indptr, block, *sizes)
                steps += len(block)
        else:
            for Z, inverse, block in records.pieces():
                kernels.hinge_steps(V, Z, inverse, block, *sizes)
                steps += len(block)
        records = ()
    for Z, inverse in records:
        total += V
        along = (rho - np.einsum("rk,rk->r", Z, V)) * (pull * inverse)
        V += np.clip(along, 0.0, cap, out=along)[:, None] * Z
        project(V, norm_bound)
        steps += 1
    total /= steps
    return total


def phases(n: int, *, eta: float, lipschitz: float, multiplier: float) -> list[tuple[int, float, float]]:
    """Return (n_i, eta_i, sigma_i) of every phase."""
    steps = [(length, eta / 4.0**i) for i, length in enumerate(bounds.phase_lengths(n), start=1)]
    return [(length, step, 2 * lipschitz * step * multiplier) for length, step in steps]


@lru_cache(maxsize=4096)
def exact_sigma(length: int, k: int, *, step: float, lipschitz: float, multiplier: float, norm_bound: float) -> float:
    """Return multiplier times the sensitivity of a phase's average in float64, rounded up.

    >>> 0.2 < exact_sigma(100, 3, step=0.1, lipschitz=1.0, multiplier=1.0, norm_bound=1.0) < 0.2 + 1e-11
    True
    """
    # Rounded up: 2^-50 and a last bit cover the roundings of the products.
    longest = nextafter(lipschitz * step * (1 + 2.0**-50), inf)
    off = average_error(length=length, k=k, longest=longest, norm_bound=norm_bound)
    return round_up(Fraction(multiplier) * 2 * (Fraction(longest) + Fraction(off)))


def run_phases(
    rng: np.random.Generator,
    V: np.ndarray,
    n: int,
    records: Callable[[int, int], Records],
    *,
    rho: float,
    eta: float,
    lipschitz: float,
    multiplier: float,
    norm_bound: float,
    noise: str = "float",
    inspect: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """Run all phases from the rows of V, which are changed; return the last w_i.

    `records(start, length)` yields those of one phase.

    `inspect(w)` is called with every w_i before the next phase begins.
    """
    start = 0
    for length, step, sigma in phases(n, eta=eta, lipschitz=lipschitz, multiplier=multiplier):
        pull, cap = 2 * step / eta, step / rho
        # V is the average from here on: the last iterate is not held while noise is drawn.
        V = average_iterate(
            project(V, norm_bound), records(start, length), rho=rho, pull=pull, cap=cap, norm_bound=norm_bound
        )
        if noise == "exact":
            sizes = {"step": step, "lipschitz": lipschitz, "multiplier": multiplier, "norm_bound": norm_bound}
            V[:] = grid_gaussian.draw_on_grid(rng, V, exact_sigma(length, V.shape[1], **sizes), norm_bound)
        else:
            V += sigma * rng.normal(size=V.shape)
        if inspect is not None:
            inspect(V.copy())  # what was released stays as it is, while the next phase projects V
        start += length
    return V


def bootstrap_runs(
    rng: np.random.Generator,
    Z: np.ndarray,
    runs: int,
    m: int,
    *,
    rho: float,
    lipschitz: float,
    norm_bound: float,
    eta: float,
    multiplier: float,
    rows: np.ndarray | None = None,
    noise: str = "float",
) -> np.ndarray:
    """Run A_GLL `runs` times independently, each time on m records drawn with replacement from its dataset.

    Z: (n, k), rows y x with norm at most rho * lipschitz. By default all runs share the dataset of the first m rows of
    Z; `rows`, shape (runs, m), gives every run one of its own, by row numbers. Returns the releases, shape (runs, k).
    """
    inverse, block, own = inverse_squares(Z), max(1, DRAWN // runs), np.arange(runs)

    def drawn(length: int) -> Iterator[np.ndarray]:
        for done in range(0, length, block):
            chosen = rng.integers(0, m, size=(min(block, length - done), runs))
            yield chosen if rows is None else rows[own, chosen]

    V = run_phases(
        rng,
        np.zeros((runs, Z.shape[1])),
        m,
        lambda start, length: Reading(Z, inverse, drawn(length), m),
        rho=rho,
        eta=eta,
        lipschitz=lipschitz,
        multiplier=multiplier,
        norm_bound=norm_bound,
        noise=noise,
    )
    return project(V, norm_bound)


@dataclass(frozen=True)
class PhasedSGDLaw(LinearLaw):
    """The law of the last phase's release, projected, on one dataset read in its order; shape (size, k)."""

    Z: Rows = field(repr=False)  # shape (n, k), rows y x with norm <= rho * lipschitz; data never in a repr
    rho: float
    lipschitz: float  # radius / rho
    norm_bound: float
    eta: float
    multiplier: float  # sigma_i / (2 lipschitz eta_i)
    privacy: GaussianDP  # neighbours differ in one replaced record
    released: str = "float"  # or "exact": what the noise is

    @property
    def exact(self) -> bool:
        """Whether the guarantee holds for the bits of a release."""
        return self.released == "exact"

    @property
    def gradients(self) -> int:
        """Gradient computations of one release: every record at most once."""
        return sum(bounds.phase_lengths(self.Z.shape[0]))

    @property
    def phases(self) -> list[tuple[int, float, float]]:
        """(n_i, eta_i, sigma_i) of every phase."""
        return phases(self.Z.shape[0], eta=self.eta, lipschitz=self.lipschitz, multiplier=self.multiplier)

    @property
    def noise(self) -> list[float]:
        """sigma_i of every phase."""
        return [sigma for _, _, sigma in self.phases]

    def _records(self, start: int, length: int) -> Records:
        Z = self.Z[start : start + length]
        return Reading(Z, inverse_squares(Z), [np.arange(length)[:, None]], self.Z.shape[0])

    def averages(self, starts: Iterable[np.ndarray]) -> np.ndarray:
        """Return the averages before their noise when phase i starts at starts[i], (phases, runs, k), same shape."""
        begin, means = 0, []
        for start, (length, step, _) in zip(starts, self.phases, strict=True):
            V, records = project(np.array(start, dtype=float), self.norm_bound), self._records(begin, length)
            pull, cap = 2 * step / self.eta, step / self.rho
            means.append(average_iterate(V, records, rho=self.rho, pull=pull, cap=cap, norm_bound=self.norm_bound))
            begin += length
        return np.array(means)

    def _run(
        self, rng: np.random.Generator, size: int, inspect: Callable[[np.ndarray], None] | None = None
    ) -> np.ndarray:
        return run_phases(
            rng,
            np.zeros((size, self.Z.shape[1])),
            self.Z.shape[0],
            self._records,
            rho=self.rho,
            eta=self.eta,
            lipschitz=self.lipschitz,
            multiplier=self.multiplier,
            norm_bound=self.norm_bound,
            noise=self.released,
            inspect=inspect,
        )

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, k)."""
        return project(self._run(rng, size), self.norm_bound)


@dataclass(frozen=True)
class PhasesLaw(PhasedSGDLaw):
    """The white box: all w_1..w_K together, unprojected; releases have shape (size, phases, k)."""

    model = None  # type: ignore[assignment]  # no predictor: what `fit` returns is all of it

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent runs, every phase's release."""
        seen: list[np.ndarray] = []
        self._run(rng, size, seen.append)
        return np.stack(seen, axis=1)

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the exact log density, shape (size,).

        Gaussian phases, each centred at its average given the one before.
        """
        W = np.moveaxis(np.asarray(releases, dtype=float), 1, 0)  # (phases, size, k)
        centres = self.averages(np.concatenate([np.zeros_like(W[:1]), W[:-1]]))
        total = np.zeros(W.shape[1])
        for after, centre, sigma in zip(W, centres, self.noise, strict=True):
            total -= (((after - centre) / sigma) ** 2).sum(axis=1) / 2 + W.shape[2] * (log(2 * pi) / 2 + log(sigma))
        return total


def multiplier_for(privacy: GaussianDP | ApproxDP, calibration: str = "analytic") -> float:
    """Return sigma_i/(2 L eta_i) that gives `privacy`: "analytic", the least; "printed", 2 sqrt(log(1/delta'))/eps'.

    Raises ValueError for a calibration without a name, and where no noise, or not the printed one, gives `privacy`.

    >>> [round(multiplier_for(ApproxDP(0.1, 1e-5), name), 2) for name in CALIBRATIONS]
    [30.75, 67.86]
    """
    check_choice(CALIBRATIONS, calibration=calibration)
    if calibration == "analytic":
        return gaussian_noise_multiplier(privacy)
    if not isinstance(privacy, ApproxDP) or not 0 < privacy.delta < 1:
        held = type(privacy).__name__
        raise ValueError(f"privacy is a {held}, not ApproxDP with 0 < delta < 1, which the printed noise needs")
    top = -log(privacy.delta)
    if not 0 < privacy.epsilon <= top:
        raise ValueError(f"epsilon must be in (0, log(1/delta)] = (0, {top:.6g}], got {privacy.epsilon}")
    return dp_erm_proof.printed_multiplier(epsilon=privacy.epsilon, delta=privacy.delta)


def exact_rows(X: ArrayLike, radius: float, noise: str) -> Rows:
    """Return rows clipped to `radius`, for exact noise on a grid.

    None is longer than `radius`, and none nearly 0.
    """
    if noise == "exact":
        check_in_range("radius", radius, 1e-80, 1e80, closed=True)
    return clip_and_round_rows(X, radius, noise)[0]


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP,
    rho: float,
    radius: float,
    norm_bound: float,
    calibration: str = "analytic",
    output: str = "last",
    eta: float | None = None,
    noise: str = "float",
) -> PhasedSGDLaw:
    """Return the law of A_GLL of bms22: one pass of phased SGD over the mean hinge loss on a ball.

    Formal guarantee: (1/multiplier)-GDP under replacement of one record, hence `privacy`, for every input. Rows are
    clipped to `radius` and labels read here; the number and the length of the phases and all step sizes depend on n
    and k only. The records are read in the order given. With `noise` "exact" it holds for the bits released, with
    "float" over the reals (see the top of this file).

    X: (n, k); y: (n,), each -1 or +1. The ball has radius `norm_bound`. `privacy`: GaussianDP, or ApproxDP with
    `calibration` "analytic" (the least noise) or "printed". `eta`: the base step, by default the minimiser of the
    explicit excess. `output`: "last", or "phases" for the white box. Raises ValueError for anything out of range, and
    for n = 1, which leaves no phase.

    >>> released = law(np.eye(4), np.ones(4), privacy=GaussianDP(1.0), rho=0.5, radius=1.0, norm_bound=1.0)
    >>> released.gradients, released.sample(np.random.default_rng(0)).shape
    (3, (1, 4))
    """
    rho, radius, norm_bound = check_magnitude(rho=rho, radius=radius, norm_bound=norm_bound)
    check_choice(OUTPUTS, output=output)
    check_noise(noise)
    if output == "phases" and noise == "exact":
        raise ValueError("output = 'phases' needs noise = 'float': the density of the white box is over the reals")
    X = exact_rows(X, radius, noise)
    n, k = X.shape
    if n < 2:
        raise ValueError(f"X must have shape (n, k) with n >= 2, since one record leaves no phase, got {X.shape}")
    Z = sign_rows(X, y, "double", in_place=True)
    multiplier, lipschitz = multiplier_for(check_replacement(privacy), calibration), radius / rho
    if eta is None:
        eta = bounds.base_step(n=n, k=k, multiplier=multiplier, lipschitz=lipschitz, norm_bound=norm_bound)
    (eta,) = check_positive(eta=eta)
    if not 1 / LARGEST < eta < LARGEST or not max(lipschitz, 1 / rho) * eta * max(multiplier, 1.0) < LARGEST:
        raise ValueError(f"eta must be in the range in which steps and noise stay between 1e-100 and 1e100, got {eta}")
    kind = PhasesLaw if output == "phases" else PhasedSGDLaw
    spent = GaussianDP(round_up(1 / Fraction(multiplier)), privacy.neighbours)
    return kind(Z, rho, lipschitz, norm_bound, eta, multiplier, spent, noise)
