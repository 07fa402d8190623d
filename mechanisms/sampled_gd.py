"""Noisy gradient descent on random batches: Algorithms 1 and 5 of Wang, Zhu & Wang (2025) in linear time.

    w_{t+1} = w_t - (eta_t / q) (sum_{i in B_t} grad hinge(w_t; x_i, y_i) + xi_t),     xi_t ~ N(0, sigma^2 I_k),

where every record is in the batch B_t with probability q, independently, and nobody learns who was. A step costs q n k
operations instead of n k. The noise of a full step is sqrt(T) Delta / mu, that of a batch, divided by q, hardly more as
long as sigma is not much below Delta / 2: a batch hides who is in it, which buys back what its size costs
(`lemmata.bounds.exact.sampled_gaussian`). The descent takes the T steps of the full one as long as that is at most
`passes` times the data, and fewer beyond. All sizes depend on n, k and parameters only.

What batches cost, in percent of wrong answers on 4,000 fresh records (margin 0.3, one label in twenty flipped, delta =
1e-5, means of 16 to 60 releases of Algorithm 3 on one dataset; the last line is the standard error of the difference):

    n, d, epsilon   1000, 10, 1   2000, 20, 1/2   2000, 20, 1   2000, 20, 4   2000, 200, 1   4000, 50, 1
    full descents          6.16            6.13          5.32          5.28           4.82          5.23
    random batches         6.11            6.85          5.49          5.29           4.81          5.25
    +-                     0.14            0.32          0.07          0.01           0.01          0.01

All sizes are below those at which `adaptive_margin.fit` takes batches. Where the noise decides, at n epsilon = 2000 and
less, batches may lose half a percent; beyond, a fiftieth of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sinh, sqrt

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.exact.sampled_gaussian import batches_scale
from lemmata.bounds.wzw25 import last_iterate
from lemmata.bounds.wzw25.noisy_gd import balanced_steps
from lemmata.mechanisms.arithmetic import up
from lemmata.mechanisms.exact_geometric import geometric
from lemmata.mechanisms.grid_sums import check_noise, on_grid
from lemmata.mechanisms.law import Projection, clip_rows, positive, sized
from lemmata.mechanisms.noisy_gd import MOST, RATE, NoisyGDLaw, signed_rows
from lemmata.mechanisms.privacy import ApproxDP
from lemmata.mechanisms.projected_gd import CLIP, JLGDLaw

PASSES = 20.0  # over the data, at most
SHARE = 0.5  # L / sigma that is aimed at: beyond, a batch hides too little; below, it is larger than it need be
DRAWN = 2**16  # records, or numbers of noise, drawn at any one time


@dataclass(frozen=True)
class Plan:
    """Public sizes of the descents: T steps on batches of rate q, sigma = L / scale for gradients of norm at most L."""

    steps: int
    rate: float
    scale: float


def plan(n: int, k: int, *, privacy: ApproxDP, mu: float, each: float, runs: int, passes: float = PASSES) -> Plan:
    """Sizes with which `runs` descents and a mu-GDP release beside them are `privacy` together.

    `each` is the Gaussian budget that a full descent would have: it fixes T and q, and privacy rests on neither; the
    scale of the noise is the one that the privacy curve of all steps of all runs allows.

    >>> plan(10**5, 100, privacy=ApproxDP(1.0, 1e-5), mu=0.19, each=0.0446, runs=18).rate < 0.01
    True
    """
    (passes,) = positive(passes=passes)
    loss = 2 * sqrt(sinh(SHARE**2))  # of a step with rate q: q times this, nearly Gaussian
    steps = min(balanced_steps(n, each, k), max(1, int((passes * loss / each) ** 2)), MOST)
    rate = min(1.0, each / (loss * sqrt(steps)))
    scale = batches_scale(epsilon=privacy.epsilon, delta=privacy.delta, rate=rate, steps=runs * steps, mu=mu)
    if scale == 0:
        raise ValueError(f"privacy = {privacy} is too little for random batches; take steps = 'balanced'")
    return Plan(steps, rate, scale)


def batches(
    rng: np.random.Generator, n: int, rate: float, steps: int, *, exactly: bool = False
) -> Iterator[np.ndarray]:
    """`steps` random batches of 0..n-1, each number in each batch with probability `rate`, all independently.

    With `exactly` that is the chance of the bits drawn (`lemmata.mechanisms.exact_geometric`). The gaps between the
    members, counted through all batches of a block, are geometric; what a block overshoots is drawn anew in the next,
    as geometric gaps have no memory.
    """
    together = max(1, int(DRAWN / (n * rate)))
    for start in range(0, steps, together):
        count = min(together, steps - start)
        members, last = [np.empty(0, dtype=np.int64)], -1
        while last < count * n:
            size = ceil(count * n * rate * 1.02) + 50
            gaps = geometric(rng, rate, size) if exactly else rng.geometric(rate, size=size)
            members.append(last + np.cumsum(gaps))
            last = int(members[-1][-1])
        places = np.concatenate(members)
        ends = np.searchsorted(places, n * np.arange(count + 1))
        for t in range(count):
            yield places[ends[t] : ends[t + 1]] - n * t


@dataclass(frozen=True)
class SampledGDLaw(NoisyGDLaw):
    """The law of the last iterate of one descent on random batches; `sigma` is the noise of a batch's sum.

    `privacy` is what this descent and all that is released beside it promise together.
    """

    rate: float = 1.0

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly: a batch is gathered, then read twice."""
        return self.steps * (3 * self.rate * self.Z.size + 30 * self.Z.shape[1] + 30_000) / RATE

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """`size` independent releases, shape (size, k): runs one after another, each with batches of its own."""
        return np.array([self._run(rng) for _ in range(size)])

    def _run(self, rng: np.random.Generator) -> np.ndarray:
        w, k = self.start.astype(self.Z.dtype), len(self.start)
        ahead = max(1, DRAWN // k)
        strides = (self.strides / self.rate).tolist()
        noisy = self.noise(rng, w.shape, self.steps) if self.grid else None
        for t, batch in enumerate(batches(rng, len(self.Z), self.rate, self.steps, exactly=bool(self.grid))):
            if not noisy and t % ahead == 0:
                noise = rng.normal(scale=self.sigma, size=(min(ahead, self.steps - t), k))
            rows = self.Z.take(batch, axis=0)
            active = (rows @ w < self.width).astype(rows.dtype)
            w -= strides[t] * (noisy(active @ rows) if noisy else noise[t % ahead] - active @ rows / self.width)
        return w.astype(float)


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
    """Algorithm 1 on random batches for every margin, all with the same `sizes`: width gamma / 3, unit comparators.

    Rows are clipped to `radius` before and to 2 `radius` after a projection, so the gradient of one record has norm at
    most L = radius / width, or twice that: what sigma = L / scale is calibrated to. `noise`: as in `noisy_gd.law`.
    """
    (radius,) = sized(radius=radius)
    check_noise(noise, precision=precision)
    X = clip_rows(X, radius)
    known = {"radius": radius, "width": float(min(margins)) / 3}
    plain: np.ndarray | None = None
    runs = []
    for gamma, phi in zip(margins.tolist(), projections, strict=True):
        if phi is None:
            reach, (rows, grid) = radius, on_grid(X, radius, noise)
            Z = plain = signed_rows(rows, y, precision, **known) if plain is None else plain
        else:
            reach = CLIP * radius
            rows, grid = on_grid(clip_rows(phi.apply(X), reach), reach, noise)
            Z = signed_rows(rows, y, precision, **known)
        n, k = Z.shape
        lipschitz = up(Fraction(reach) / Fraction(gamma / 3))
        sigma, square = up(Fraction(lipschitz) / Fraction(sizes.scale)), last_iterate.batch_square(n=n, rate=sizes.rate)
        strides = last_iterate.decaying_strides(
            steps=sizes.steps, gradient_norm=lipschitz * sqrt(square), sigma=sigma / sizes.rate, d=k, distance=1.0
        )
        weights = np.full(sizes.steps, 1 / sizes.steps)
        descent = SampledGDLaw(
            Z, gamma / 3, np.zeros(k), sigma, strides, weights, "last", privacy, grid=grid, rate=sizes.rate
        )  # fmt: skip
        runs.append(JLGDLaw(descent, phi))
    return tuple(runs)
