"""Noisy gradient descent on random batches: Algorithms 1 and 5 of Wang, Zhu & Wang (2025) in linear time.

    w_{t+1} = w_t - (eta_t / q) (sum_{i in B_t} grad hinge(w_t; x_i, y_i) + xi_t),     xi_t ~ N(0, sigma^2 I_k),

where every record is in the batch B_t with probability q, independently, and nobody learns who was. A step costs q n k
operations instead of n k. The noise of a full step is sqrt(T) Delta / mu, that of a batch, divided by q, hardly more as
long as sigma is not much below Delta / 2: a batch hides who is in it, which buys back what its size costs
(`lemmata.bounds.exact.sampled_gaussian`).

All m runs of Algorithm 3 take step t on the same batch, drawn and gathered once, and their iterates are columns of
one product. What a step shows of a record is then one vector with a part for each run, sqrt(m) times as long as a
part in units of its noise; batches that are sqrt(m) times as large pay for that, and the noise of the mean gradient
is the same. A descent takes the T steps of the full one as long as they are n / 4 and 2000 at most, and `passes` times
the data. T grows like n^2 until it is 2000, while the noise of T k numbers a run is the dearer part of a step; from
there on batches grow with n and steps do not: time is linear in n. All sizes depend on n, k and parameters only.

What batches cost, in percent of wrong answers on 20,000 fresh records (margin 0.3, one label in twenty flipped, delta =
1e-5, means of 8 releases of Algorithm 3 for each of 3 to 12 datasets; the last line is the standard error of the
difference over the datasets, `lemmata.tools.speed.benchmarks.bench_adaptive_margin` measures it again):

    n, d, epsilon   1000, 10, 1   2000, 20, 1/2   2000, 20, 4   4000, 50, 1   10000, 50, 1   20000, 20, 1/10
    full descents         5.228           5.765         5.007         5.049          4.739             5.044
    random batches        5.435           6.248         5.011         5.046          4.737             5.070
    +-                    0.127           0.217         0.004         0.010          0.002             0.054

Where the noise decides, at n epsilon = 1000 and less, batches may lose half a percent; beyond, a fiftieth of one. Steps
beyond 2000 moved no mean by more than 0.003 percent; these are of 2 or 3 datasets, 1 to 4 releases of each:

    n, d, epsilon    40000, 200, 1   40000, 50, 0.3   80000, 50, 1   100000, 20, 1   100000, 1000, 1
    margin                     0.3              0.1            0.1            0.03               0.3
    all steps                10000             7453          20000           25000             19900
    wrong answers            5.215            4.737          4.735           5.090             4.885
    with 2000                5.216            4.739          4.735           5.091             4.885

`steps` "auto" of `adaptive_margin.law` takes full descents as long as they take a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil, prod, sinh, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.exact.sampled_gaussian import batches_scale
from lemmata.bounds.wzw25 import last_iterate
from lemmata.bounds.wzw25.noisy_gd import balanced_steps
from lemmata.mechanisms.law import Projection
from lemmata.mechanisms.learners.descent.noisy_gd import ENOUGH, RATE, NoisyGDLaw
from lemmata.mechanisms.learners.descent.projected_gd import CLIP, JLGDLaw
from lemmata.mechanisms.noise.grid_sums import (
    SINGLE,
    GridNoise,
    check_noise,
    clip_and_round_rows,
    count_coefficient_bits,
    prepare_rows,
    sign_rows,
)
from lemmata.mechanisms.numerics.arguments import check_magnitude, check_positive, clip_rows, read_labels, read_records
from lemmata.mechanisms.numerics.arithmetic import round_up, sqrt_down
from lemmata.mechanisms.numerics.exact_geometric import draw_waiting_times
from lemmata.mechanisms.numerics.sparse_rows import Rows, is_sparse
from lemmata.mechanisms.privacy import ApproxDP

PASSES = 80.0  # over the data, at most
RECORDS = 4  # that a step stands for, at least: more than n / 4 steps find nothing that so many do not
SHARE = 0.5  # the length of a record's gradients, in units of noise, that is aimed at: beyond, a batch hides too little
DRAWN = 2**16  # records, or numbers of noise, drawn at any one time
BAND, HEIGHT = 2**20, 1024  # entries, and at least so many rows, that are clipped and rounded at any one time


@dataclass(frozen=True)
class Plan:
    """The public sizes of descents: T steps on batches of rate q, sigma = L / scale for gradients of norm at most L."""

    steps: int
    rate: float
    scale: float


def plan_batches(
    n: int, k: int, *, privacy: ApproxDP, mu: float, each: float, runs: int, passes: float = PASSES
) -> Plan:
    """Return sizes with which `runs` descents on shared batches and a mu-GDP release beside are `privacy` together.

    `each` is the Gaussian budget that a full descent would have: it fixes T and q, and privacy rests on neither. One
    step shows, of a record in its batch, one vector with `runs` parts, each at most `scale` long in units of its own
    noise: sqrt(runs) scale in all, at most what the privacy curve of T such steps allows.

    >>> plan_batches(10**5, 100, privacy=ApproxDP(1.0, 1e-5), mu=0.19, each=0.0446, runs=18).rate < 0.01
    True
    """
    (passes,) = check_positive(passes=passes)
    loss = 2 * sqrt(sinh(SHARE**2))  # of a step with rate q: q times this, nearly Gaussian
    together = each * sqrt(runs)
    within = max(1, int((passes * loss / together) ** 2))
    steps = min(balanced_steps(n, each, k), within, ceil(n / RECORDS), ENOUGH)
    # Steps first, then the rate that spends the budget on them: privacy is computed from both below, not assumed.
    rate = min(1.0, together / (loss * sqrt(steps)))
    joint = batches_scale(epsilon=privacy.epsilon, delta=privacy.delta, rate=rate, steps=steps, mu=mu)
    scale = sqrt_down(Fraction(joint) ** 2 / runs)
    if scale == 0:
        raise ValueError(f"privacy must be larger for random batches, got {privacy}; use steps = 'balanced'")
    return Plan(steps, rate, scale)


def draw_batches(
    rng: np.random.Generator, n: int, rate: float, steps: int, *, exactly: bool = False
) -> Iterator[np.ndarray]:
    """Draw `steps` random batches of 0..n-1, each number in each batch with probability `rate`, all independently.

    With `exactly` that is the chance of the bits drawn (`lemmata.mechanisms.numerics.exact_geometric`). The gaps
    between the members, counted through all batches of a block, are geometric; what a block overshoots is drawn anew in
    the next, as geometric gaps have no memory.
    """
    together = max(1, int(DRAWN / (n * rate)))
    for start in range(0, steps, together):
        count = min(together, steps - start)
        members, last = [np.empty(0, dtype=np.int64)], -1
        while last < count * n:
            # 2 % and 50 more than are expected: one draw of gaps nearly always reaches the end of the block.
            size = ceil(count * n * rate * 1.02) + 50
            gaps = draw_waiting_times(rng, rate, size) if exactly else rng.geometric(rate, size=size)
            members.append(last + np.cumsum(gaps))
            last = int(members[-1][-1])
        places = np.concatenate(members)
        ends = np.searchsorted(places, n * np.arange(count + 1))
        for t in range(count):
            yield places[ends[t] : ends[t + 1]] - n * t


@dataclass(frozen=True)
class SampledGDLaw(NoisyGDLaw):
    """The law of the last iterate of a descent on random batches; `sigma` is the noise of a batch's sum.

    `privacy` is what this descent, those on the same batches, and all that is released beside them promise together.
    """

    rate: float = 1.0

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly, of a run beside a dozen others: a batch is gathered for all of them."""
        return self.steps * (0.3 * self.rate * self.Z.size + 20 * self.Z.shape[1] + 4000) / RATE

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, k): one after another, each with batches of its own."""
        return np.concatenate([release_together([self], rng)[0] for _ in range(size)])


class _Columns:
    """Descents that read the same rows: their iterates are columns of one matrix product."""

    def __init__(self, runs: Sequence[SampledGDLaw], rng: np.random.Generator) -> None:
        first = runs[0]
        self.Z, self.times = first.Z, first.steps
        self.kind = np.float64 if first.grid else first.Z.dtype  # in which sums on a grid are exact
        self.W = np.stack([run.start for run in runs], axis=1).astype(self.kind)
        self.widths = np.array([run.width for run in runs], dtype=self.kind)
        self.strides = np.stack([run.strides / run.rate / run.width for run in runs], axis=1)
        # The largest: rounding up sigma times width may leave the columns a last bit apart.
        sigma = max(
            round_up(Fraction(run.sigma) * Fraction(run.width)) for run in runs
        )  # of sums of rows: all the same
        self.noise = make_row_noise(rng, sigma, first.grid, self.W.shape, self.times)

    def step(self, t: int, batch: np.ndarray) -> None:
        """Step t of all of them, on one batch."""
        rows = self.Z[batch].astype(self.kind, copy=False)
        active = (rows @ self.W < self.widths).astype(self.kind)
        self.W += self.strides[t] * self.noise(rows.T @ active)


def make_row_noise(
    rng: np.random.Generator, sigma: float, grid: float, shape: tuple[int, ...], times: int
) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that adds noise to `times` sums of rows, in place: on their grid, or float64's at grid 0."""
    if grid:
        return GridNoise(rng, sigma, grid, shape, times).add
    ahead = max(1, DRAWN // prod(shape))
    blocks = (rng.normal(scale=sigma, size=(min(ahead, times - start), *shape)) for start in range(0, times, ahead))
    drawn = chain.from_iterable(blocks)

    def add(sums: np.ndarray) -> np.ndarray:
        sums += next(drawn)
        return sums

    return add


def release_together(runs: Sequence[SampledGDLaw], rng: np.random.Generator) -> list[np.ndarray]:
    """Draw one release of each of several descents of as many steps, all on the same batches: a list of (1, k).

    A batch is drawn and gathered once, and those that read the same rows multiply with it together.
    """
    shared = {id(run.Z): [i for i, other in enumerate(runs) if other.Z is run.Z] for run in runs}
    columns = {key: _Columns([runs[i] for i in group], rng) for key, group in shared.items()}
    first = runs[0]
    drawn = draw_batches(rng, first.Z.shape[0], first.rate, first.steps, exactly=bool(first.grid))
    for t, batch in enumerate(drawn):
        for each in columns.values():
            each.step(t, batch)
    last = {i: columns[key].W[:, j] for key, group in shared.items() for j, i in enumerate(group)}
    return [last[i][None].astype(float) for i in range(len(runs))]


def release_each(runs: Sequence[Any], rng: np.random.Generator, size: int) -> Iterator[np.ndarray]:
    """Draw `size` releases of each of several laws, (size, k): law after law, all on batches that they share."""
    if not isinstance(runs[0], SampledGDLaw):
        return (run.sample(rng, size) for run in runs)
    drawn = [release_together(runs, rng) for _ in range(size)]
    return (np.concatenate(weights) for weights in zip(*drawn, strict=True))


def prepare_signed_rows(
    X: Rows,
    y: np.ndarray,
    *,
    radius: float,
    projection: Projection | None,
    noise: str,
    precision: str,
    width: float,
) -> tuple[Rows, float]:
    """Return (rows y x, clipped, projected and clipped again, as `noise` and `precision` need them; their grid).

    `BAND` entries of X at a time, so that nothing of its size is held beside it but the result. Rows on a grid have at
    most 20 bits a coordinate, so float32 holds them without rounding, in half the memory; sums of them are float64's.
    """
    if is_sparse(X) and projection is None:
        rows, grid = clip_and_round_rows(X, radius, noise)
        return sign_rows(rows, y, precision, in_place=True, radius=radius, width=width), grid
    n, d = X.shape
    k, reach = (d, radius) if projection is None else (projection.k, CLIP * radius)
    exact = noise == "exact" and SINGLE[0] <= radius <= SINGLE[1]
    Z = np.empty((n, k), dtype=np.float32 if exact or precision == "single" else float)
    grid, height = 0.0, max(HEIGHT, BAND // d)
    for start in range(0, n, height):
        band = slice(start, start + height)
        part = clip_rows(X[band], radius, keep_sparse=True)
        if projection is not None:
            part = clip_rows(projection.apply(part), reach)
        part, grid = prepare_rows(part, reach, noise)
        Z[band] = sign_rows(part, y[band], precision, radius=radius, width=width)
    return Z, grid


def candidates(
    X: ArrayLike,
    y: ArrayLike,
    *,
    margins: np.ndarray,
    sizes: Plan,
    privacy: ApproxDP,
    radius: float,
    projections: Sequence[Projection | None],
    precision: str = "double",
    noise: str = "float",
) -> tuple[JLGDLaw, ...]:
    """Return the laws of Algorithm 1 on random batches for every margin, all with the same `sizes`: width gamma / 3.

    Rows are clipped to `radius` before and to 2 `radius` after a projection, so the gradient of one record has norm at
    most L = radius / width, or twice that: what sigma = L / scale is calibrated to. `noise`: as in `noisy_gd.law`.
    """
    (radius,) = check_magnitude(radius=radius)
    check_noise(noise, precision=precision)
    X = read_records(X, keep_sparse=True)
    y = read_labels(y, X.shape[0])
    asked: Any = {"radius": radius, "noise": noise, "precision": precision, "width": float(min(margins)) / 3}
    count_coefficient_bits(X.shape[0] if noise == "exact" else 1)
    plain: tuple[Rows, float] | None = None
    runs = []
    for gamma, phi in zip(margins.tolist(), projections, strict=True):
        reach = radius if phi is None else CLIP * radius
        if phi is None:
            Z, grid = plain = plain or prepare_signed_rows(X, y, projection=None, **asked)
        else:
            Z, grid = prepare_signed_rows(X, y, projection=phi, **asked)
        n, k = Z.shape
        lipschitz = round_up(Fraction(reach) / Fraction(gamma / 3))
        sigma, square = (
            round_up(Fraction(lipschitz) / Fraction(sizes.scale)),
            last_iterate.batch_square(n=n, rate=sizes.rate),
        )
        strides = last_iterate.decaying_strides(
            steps=sizes.steps, gradient_norm=lipschitz * sqrt(square), sigma=sigma / sizes.rate, d=k, distance=1.0
        )
        weights = np.full(sizes.steps, 1 / sizes.steps)
        descent = SampledGDLaw(
            Z, gamma / 3, np.zeros(k), sigma, strides, weights, "last", privacy, grid=grid, rate=sizes.rate
        )  # fmt: skip
        runs.append(JLGDLaw(descent, phi))
    return tuple(runs)
