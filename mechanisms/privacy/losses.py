"""Composition by privacy losses: the (epsilon, delta) of many releases together, nearly tight, never below the truth.

Each guarantee is dominated by one pair of laws (P, Q), and releases whose guarantees are fixed in advance by the
product of their pairs, however they are chosen (Dong, Roth & Su 2022; Zhu, Dong & Wang 2022). With L the sum of the
losses log(dP / dQ) under P, of which a part may be infinite,

    delta(epsilon) = Pr[L = inf] + E[max(0, 1 - e^(epsilon - L))],                                          (1)

which grows with every loss and with every mass. The pairs are

    PureDP, ApproxDP    randomised response at epsilon, and all is told with chance delta (Kairouz, Oh & Viswanath 2015)
    GaussianDP          N(mu, 1) and N(0, 1); mu of all of them together, in closed form in place of max(0, 1 - e^x)
    PrivacyCurve        delta is convex in s = e^epsilon: below the chords of its points, whose kinks are losses, each
                        with Q-mass the change of slope there and s times that under P ("connect the dots"). If it knows
                        delta of P' against P by itself, all are composed either way round, and the larger delta holds
    ZCDP, RenyiDP       all of them added up, then the curve that they imply

A loss between two multiples of the grid's h is split to both such that neither law's mass changes; the pair that is
split dominates the other, which is a function of it (Doroshenko, Ghazi, Kamath, Kumar & Manurangsi 2022). Where all
losses are multiples of one epsilon nothing is split.

Sums of losses are found by a Fourier transform on a circle, of masses tilted by e^(slope * loss) so that errors are
relative to delta however small it is. What is added, always upwards:

- masses, shares, exponentials: relative errors, a few units of the last place times their exponents;
- positions i h in floats: epsilon is reduced by the sum of their errors;
- a transform of N numbers x errs by at most rate = 8 u log2(N) times sum |x| in each entry, u = 2^-53 (a sum over paths
  of log2(N) products and sums, each with a relative error below 5 u: Higham 2002, Chapter 24). So a product of
  powers errs by prod (|X| + rate)^k - prod |X|^k, and what is transformed back by the mean of this over all entries;
- sums beyond the circle's ends: Chernoff's bounds. What they add on the circle only adds to (1).

From below (`enclosed_delta`) each randomised response is replaced by one at a multiple of h, which is a function of it
with noise, and all of these errors count downwards: so it shows how much of delta the grid and floats have added.
"""

from __future__ import annotations

import threading
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, expm1, floor, hypot, inf, log, nextafter, sqrt

import numpy as np
from scipy.special import log_ndtr, logsumexp, xlogy

from lemmata.mechanisms.numerics.arithmetic import SMALLEST, check_in_range, sqrt_up
from lemmata.mechanisms.privacy.guarantees import (
    LARGEST,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    check_guarantee,
    parts_of,
)
from lemmata.mechanisms.privacy.loss_atoms import LARGEST_LOSS, UNIT, atoms_of, in_blocks

SAFE = 1 + 1e-13  # more than the relative error of a few operations, and of numpy's elementary functions
SPLIT_VARIANCE = 1e-4  # of the sum, relative: what splitting may add
SPLIT_MEAN = 1e-4  # the same, absolute
LEAST_DEVIATION = 1e-140  # whose inverse square, times 1e12, is a float
FEW = 8  # losses of a part, as often as it comes, up to which they are added one by one and not by a transform
USUAL, LONGEST = 2**16, 2**22  # grid points: of half a circle where losses are split, and at most
SMOOTH = 64.0  # grid points to a standard deviation of the Gaussian part, which smooths what splitting moves
SIMPLE = 5040  # has all divisors up to 10
FAR = 25.0  # log of how much less than delta the sums beyond the circle may have, about
NEAR = 3  # places among the slopes that one tilt is good for
SLOPES = np.concatenate([[0.0], np.geomspace(1e-4, 1e6, 240)])  # in units of 1 / standard deviation

Parts = tuple[tuple[Guarantee, int], ...]  # guarantees, and how often each


class Losses:
    """The sum of the losses of all releases: on a grid, and a Gaussian one."""

    @np.errstate(all="ignore")  # beyond the range of floats delta is 1
    def __init__(self, parts: Parts, side: int = 0) -> None:
        self.parts = parts
        self.mu = sqrt_up(sum((n * Fraction(g.mu) ** 2 for g, n in parts if isinstance(g, GaussianDP)), Fraction(0)))
        self.atoms = [atoms_of(g, n, side) for g, n in parts if not isinstance(g, GaussianDP)]
        told = [part.times * np.log1p(-part.infinite) if part.infinite < 1 else -inf for part in self.atoms]
        self.infinite = min(1.0, -expm1(sum(told)) * SAFE) if self.mu < LARGEST_LOSS else 1.0
        self.mu = min(self.mu, LARGEST_LOSS)  # beyond it delta is 1, and squares leave the range of floats
        unit = max((float(np.abs(part.losses).max(initial=0)) for part in self.atoms), default=0.0) or 1.0
        spreads = [part.times * float(part.masses @ (part.losses / unit) ** 2) for part in self.atoms]
        self.deviation = max(hypot(unit * sqrt(sum(spreads)), self.mu), LEAST_DEVIATION)
        # the grid: an integral part of the losses that matter most, so fine that splitting the others adds little
        main = self.atoms[int(np.argmax(spreads))] if spreads else None
        top = float(np.abs(main.losses).max()) if main is not None and len(main.losses) else 0.0
        self.blocks = self.atoms
        split = sum(part.times for part in self.atoms if part is not main or len(part.losses) > 2)
        fine = inf
        if split and top > 0:
            reach = sum(part.times * float(np.abs(part.losses).max(initial=0)) for part in self.atoms)
            fine = min(sqrt(4 * SPLIT_VARIANCE / split) * self.deviation, sqrt(16 * SPLIT_MEAN / split))
            fine = min(fine, max(min(reach, 12 * self.deviation) / USUAL, self.mu / SMOOTH))
            fine = max(fine, reach / 2**40, SMALLEST)
            self.blocks = [
                block for part in self.atoms for block in ([part] if part is main else in_blocks(part, fine))
            ]
        self._last: tuple[int, Reading] | None = None
        self._lock = threading.RLock()
        pieces = ceil(top / fine)  # of the largest loss; losses at simple ratios to it are then not split either
        pieces += -pieces % (SIMPLE if pieces > SIMPLE else 1)
        self._place(top / max(pieces, 1) or 1.0)

    def _place(self, grid: float) -> None:
        """Split all losses to multiples of `grid`."""
        self.grid, self.placed, self.shift = grid, [], 0.0
        for losses, masses, _, count in self.blocks:
            below = np.floor(losses / grid)
            share = np.clip(np.expm1(below * grid - losses) / expm1(-grid) * SAFE, 0, 1)
            places = np.concatenate([below, below + 1]).astype(np.int64)
            weights = np.concatenate([masses * (1 - share), masses * share]) * SAFE
            kept = weights > 0
            self.placed.append((places[kept], weights[kept], count))
            self.shift += count * 4 * UNIT * (float(np.abs(losses).max(initial=0)) + grid)

    def cumulants(self, slopes: np.ndarray) -> np.ndarray:
        """Return log E[e^(slope * L)] of the part on the grid, rounded up."""
        total = np.zeros(len(slopes))
        for places, weights, count in self.placed:
            exponents = slopes[:, None] * (self.grid * places) + np.log(weights)
            total += count * (logsumexp(exponents, axis=1) + 8 * UNIT * (4 + np.abs(exponents).max(axis=1, initial=0)))
        return total

    @np.errstate(all="ignore")
    def delta(self, epsilon: float) -> float:
        """Return an upper bound on formula (1), in (0, 1]."""
        if self.infinite == 1:
            return 1.0
        with self._lock:  # the grid may change
            return self._near(int(np.argmin(self._whole - self._slopes * epsilon)), epsilon).delta(epsilon)

    @np.errstate(all="ignore")
    def epsilon(self, delta: float) -> float:
        """Return an upper bound on the least epsilon >= 0 with (epsilon, delta); inf if none is found."""
        if self.infinite >= delta:
            return inf
        high = max(float(np.min((self._whole - log(delta)) / self._slopes)), 1e-300)
        excess = lambda epsilon: log(self.delta(epsilon) / delta)  # noqa: E731
        for turn in range(60):  # the bound lacks what is rounded up, and then infinite losses
            if excess(high) <= 0:
                break
            high *= 1.001 if turn < 10 else 1.5
        else:
            return inf
        low, stride = high, high / 32
        while low > 0 and excess(low) <= 0:  # near `high`, where the tilt is the right one
            low, high, stride = max(0.0, low - stride), low, 2 * stride
        if low == 0 and excess(0.0) <= 0:
            return 0.0
        from scipy.optimize import brentq  # here: half a second, which reading the ledger need not pay

        found = float(brentq(excess, low, high, xtol=1e-13 * high, rtol=1e-13))
        stride = 1e-13 * high
        while found < high and excess(found) > 0:
            found, stride = found + stride, 2 * stride
        return min(found, high)

    @np.errstate(all="ignore")
    def delta_below(self, epsilon: float) -> float:
        """Return a lower bound on formula (1): of the pure and approximate parts, each at the multiple of h below its
        epsilon, and the Gaussian ones. Fewer releases, each a function of the true one, leak no more."""
        with self._lock:
            self.delta(epsilon)
            parts: list[tuple[Guarantee, int]] = [(g, n) for g, n in self.parts if isinstance(g, GaussianDP)]
            places = []
            for g, n in self.parts:
                if isinstance(g, PureDP | ApproxDP):
                    places.append(int(g.epsilon / self.grid * (1 + 2 * UNIT)))
                    parts.append((ApproxDP(places[-1] * self.grid, g.delta), n))
            lower = Losses(tuple(parts))
            lower.grid, lower.shift = self.grid, lower.shift + self.shift
            lower.placed = [
                (np.array([m, -m]), part.masses, part.times) for m, part in zip(places, lower.atoms, strict=True)
            ]
            if lower.infinite == 1:
                return 0.0
            reading = lower._read(int(np.argmin(lower._whole - lower._slopes * epsilon)), epsilon)
            return reading.delta_below(epsilon) if lower.grid == self.grid else 0.0  # a coarser one splits losses

    @cached_property
    def _slopes(self) -> np.ndarray:
        return SLOPES / self.deviation

    @cached_property
    def _grid_cumulants(self) -> np.ndarray:
        """Those at slopes below and above 0, ascending."""
        return self.cumulants(np.concatenate([-self._slopes[:0:-1], self._slopes]))

    @cached_property
    def _whole(self) -> np.ndarray:
        """log of what (1) is at most at epsilon = 0, at each of the slopes: max(0, 1 - e^x) <= c e^(-slope x)."""
        slopes = self._slopes
        gaussian = slopes * (slopes + 1) * self.mu**2 / 2
        return (
            self._grid_cumulants[len(slopes) - 1 :] + gaussian + xlogy(slopes, slopes) - xlogy(slopes + 1, slopes + 1)
        )

    def _near(self, at: int, epsilon: float) -> Reading:
        """The last reading if it was tilted nearly as this one; else a new one."""
        if self._last is None or abs(self._last[0] - at) > NEAR:
            self._last = at, self._read(at, epsilon)
        return self._last[1]

    def _read(self, at: int, epsilon: float) -> Reading:
        """Return the law of the sum, tilted by the slope at a place."""
        found, every = self._grid_cumulants, np.concatenate([-self._slopes[:0:-1], self._slopes])
        here = len(self._slopes) - 1 + at
        likely = float(self._whole[at] - self._slopes[at] * epsilon) - FAR  # below log delta
        ends = [sum(n * int(end(places)) for places, _, n in self.placed) for end in (np.min, np.max)]
        high = np.min((found[here + 1 :] - likely) / every[here + 1 :], initial=inf)
        low = np.max((found[here] - found[:here] - FAR) / (every[here] - every[:here]), initial=-inf)
        first = max(ends[0], floor(max(low / self.grid, -1e18)))
        last = max(first, min(ends[1], ceil(min(high / self.grid, 1e18))))
        size = 1 << (last - first).bit_length()
        if size > LONGEST:
            self._place(2 * self.grid)
            for name in ("_grid_cumulants", "_whole"):
                self.__dict__.pop(name, None)
            return self._read(at, epsilon)
        # the chances of sums beyond the circle: under P, and under the tilted law
        above = np.min((found - every * (first + size - 1) * self.grid)[here + 1 :], initial=inf)
        below = np.min((found - found[here] + (every[here] - every) * first * self.grid)[:here], initial=inf)
        over = first + size - 1 < ends[1]
        reading = Reading(
            self,
            float(every[here]),
            first,
            size,
            float(above) if over else -inf,
            float(below) if first > ends[0] else -inf,
        )
        tilted = np.min(
            (found - found[here] + (every[here] - every) * (first + size - 1) * self.grid)[here + 1 :], initial=inf
        )
        reading.tilted_above = float(tilted) if over else -inf
        return reading


class Reading:
    """Upper bounds on the masses of the sum at `first`, ..., `first` + `size` - 1 times the grid, under one tilt."""

    @np.errstate(all="ignore")
    def __init__(self, losses: Losses, slope: float, first: int, size: int, above: float, below: float) -> None:
        rate, half = 8 * UNIT * max(1, size.bit_length() - 1), size // 2 + 1
        largest, product, phase, lost, wrong = (np.zeros(half) for _ in range(5))
        self.scale = scales = self.inflated = 0.0
        single, circles = np.zeros(size), []
        single[0] = 1.0
        for places, weights, count in losses.placed:
            exponents = slope * losses.grid * places + np.log(weights)
            mean = float(logsumexp(exponents))
            off = 8 * UNIT * (4 + float(np.abs(exponents).max()) + abs(mean))
            tilted = np.exp(exponents - mean) * (1 + off) * SAFE
            if count * len(places) <= FEW:  # SAFE covers the products and sums here
                for _ in range(count):
                    single = sum(np.roll(single, place) * mass for place, mass in zip(places, tilted, strict=True))
            else:
                circle = np.zeros(size)
                np.add.at(circle, places % size, tilted)
                circles.append((circle, count))
            self.scale += count * mean
            scales += count * abs(mean)
            self.inflated += count * (2 * off + 4 * (SAFE - 1))  # log of how far masses are above the truth
        for circle, count in [*circles, (single, 1)] if single[0] != 1 else circles:
            found, ball = np.fft.rfft(circle), rate * float(circle.sum())
            modulus = np.abs(found)
            product += count * np.log(modulus)
            phase += count * np.angle(found)
            largest += count * np.log(modulus + ball)
            lost += count * np.log1p(ball / modulus)
            wrong += count * 8 * UNIT * (4 + np.abs(np.log(modulus + ball)))
        wrong = np.exp(largest) * (wrong + rate - np.expm1(-lost))
        sums = np.fft.irfft(np.exp(product) * np.exp(1j * phase), size)
        self.wrong = 2 * float(wrong.sum()) / size
        sums = np.maximum(np.roll(sums, -first % size), 0)
        self.masses, self.least = np.log(sums + self.wrong), np.log(np.maximum(sums - self.wrong, 0))
        self.losses = losses.grid * np.arange(first, first + size)
        self.slope, self.above, self.below, self.whole = slope, above, below, losses
        self.tilted_above = inf
        self.tilted = self.masses + self.scale - slope * self.losses
        reach = float(np.abs(self.losses).max()) + losses.grid
        self.shift = losses.shift + 4 * UNIT * reach
        self.lost = 4 * size * SMALLEST  # by terms below the normal floats, which have no relative errors
        self.safe = 1 + 8 * UNIT * (1000 + scales + slope * reach)  # 1000: of the logarithms of masses

    def delta(self, epsilon: float) -> float:
        """Return an upper bound on formula (1)."""
        at, mu = nextafter(epsilon * (1 - 8 * UNIT) - self.shift, -inf), self.whole.mu
        if mu:
            likely, less = _gaussian(at - self.losses, mu)
            near = float(np.exp(self.tilted + likely) @ less)
        else:
            start = int(np.searchsorted(self.losses, at))
            near = float(np.exp(self.tilted[start:]) @ -np.expm1(np.minimum(at - self.losses[start:], 0)))
        # where a sum below the circle has loss l, (1) has at most e^(slope (l - epsilon)) by its own tilt
        beyond = self.scale + self.slope * (self.slope + 1) * mu**2 / 2 - self.slope * at + self.below
        far = float(np.exp(self.above) + np.exp(min(beyond, 0.0)))
        found = (self.whole.infinite + near + far) * self.safe + self.lost
        return max(SMALLEST, found) if found <= 1 else 1.0  # NaN, of numbers beyond floats, is 1 too

    def delta_below(self, epsilon: float) -> float:
        """Return a lower bound on formula (1), for losses that are on the grid as they are."""
        at, mu = epsilon * (1 + 8 * UNIT) + self.shift, self.whole.mu * (1 - 4 * UNIT)
        weights = self.least + self.scale - self.slope * self.losses
        if mu:
            likely, left = _gaussian(at - self.losses, mu, -1)
            near = float(np.exp(weights + likely) @ left)
        else:
            start = int(np.searchsorted(self.losses, at))
            near = float(np.exp(weights[start:]) @ -np.expm1(np.minimum(at - self.losses[start:], 0)))
        # what the circle adds: the chance of sums beyond it under the tilted law, and at most this for each
        gaussian = self.slope * (self.slope + 1) * mu**2 / 2
        added = np.exp(self.scale + gaussian - self.slope * at) * (np.exp(self.below) + np.exp(self.tilted_above))
        found = self.whole.infinite / SAFE**2 + near * np.exp(-self.inflated) / self.safe - added * self.safe
        found -= self.lost
        return max(0.0, float(found)) if found < 1 else 0.0


def _gaussian(x: np.ndarray, mu: float, side: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """log a and b of the mu-GDP curve Phi(-u) - e^x Phi(-u - mu) <= a b at epsilon = x, u = x / mu - mu / 2; or >= a b.

    a is Phi(-u), and b the share that is left. Each logarithm errs by a few units of its last place, and by the
    rounding of u times its slope, which is below 1 + |u|.
    """
    u = x / mu - mu / 2
    first, second = log_ndtr(-u), log_ndtr(-u - mu)
    wrong = 8 * UNIT * (4 + np.abs(x) - first - second + (1 + np.abs(u) + mu) * (np.abs(x) / mu + mu))
    return first + side * wrong, -np.expm1(np.minimum(x + second - first - side * wrong, 0))


class BothWays:
    """The losses under P, and under P' where a part knows that they differ: the larger delta of both holds."""

    def __init__(self, parts: Parts) -> None:
        sided = any(getattr(g, "directions", None) for g, _ in parts)
        self.ways = [Losses(parts, side) for side in range(1 + sided)]
        self.infinite = max(way.infinite for way in self.ways)

    def delta(self, epsilon: float) -> float:
        return max(way.delta(epsilon) for way in self.ways)

    def epsilon(self, delta: float) -> float:
        return max(way.epsilon(delta) for way in self.ways)

    def delta_below(self, epsilon: float) -> float:
        return max(way.delta_below(epsilon) for way in self.ways)


@lru_cache(maxsize=16)
def losses_of(parts: Parts) -> BothWays:
    """Return the losses of releases; kept, as one composition is read several times."""
    return BothWays(parts)


def enclosed_delta(privacy: Guarantee, epsilon: float) -> tuple[float, float]:
    """Return (low, high) around the least delta of a composition at `epsilon`, that of the worst releases.

    Parameters
    ----------
    privacy : Guarantee
        What `compose` made, or one guarantee.
    epsilon : float
        0 <= epsilon < inf.

    Returns
    -------
    tuple of float
        `low` counts pure, approximate and Gaussian parts only, and each epsilon as the multiple of the grid below it.
        `high` is at least what `to_approx` claims.

    Raises
    ------
    ValueError
        In one line, for other arguments.

    Examples
    --------
    >>> from lemmata.mechanisms.privacy import PureDP, compose
    >>> low, high = enclosed_delta(compose(*[PureDP(0.1)] * 105), 4.0)
    >>> 0 < high - low < 1e-8 * high
    True
    """
    check_guarantee("privacy", privacy)
    at = check_in_range("epsilon", epsilon, 0, LARGEST, closed=True)
    losses = losses_of(parts_of(privacy) or ((privacy, 1),))
    return losses.delta_below(at), losses.delta(at)
