"""Private centre and spread of every column of a table, in any units.

A first release counts, for all d columns at once, how many records have their entry in which signed octave
(-2^(k+1), -2^k], (-2^-104, 2^-104) or [2^k, 2^(k+1)), -104 <= k < 104, with noise of standard deviation sigma:

    counts[j, b] + N(0, sigma^2),      sigma = max(n / 16, sqrt(2 d) / mu),

and down to n / 128 where a fiftieth of mu^2 pays for it: at n / 16 one of 60 columns of counts with three quarters
zeros, and one of seven with a twentieth of ones, got a spread four times too large or more.
A replaced record moves one count up and one down in every column, sqrt(2 d) in the L2 norm. From the noisy counts, and
from nothing else, each column gets the nearest of some shapes (normal, exponential, zeros beside them, of either sign,
at 416 positions), by least squares with a prior over shapes and positions that is learnt from the noisy counts of all
columns: 64 pixels on one scale tell each other of it, and columns without a common scale do not.

A column with four fifths of its records in two octaves, such as 10^6 +- 1, is looked at again if no wider shape is as
near: 16 cells over the two octaves, then 32 over two of those cells, and so on, at most `LEVELS` times, all such
columns in one release of sensitivity sqrt(2 d'), d' their number, as precise as so many looks allow (`look_noise`).
A last look at all columns, 32 cells over four spreads on either side, finds centres and spreads, to a third where a
fiftieth of mu^2 just pays for it and closer beyond: on unequal columns a descent needs many steps. Releases stop where
the next would exceed the budget; what is not spent is left to the learner. That a schedule may depend on what was
released, as long as the squares of mu add up to no more than the budget's, is derived at
`wzw25.rem2.3/explicit/account-gaussian`.

Nothing fails: entries that are no number count as 0, infinite ones as 10^100, and all beyond an edge in the last cell.
Counts are whole and their noise is exact by default (`lemmata.mechanisms.noise.grid_sums.noisy_counts`), so the
guarantee holds for the bits released (`wzw25.rem2.3.float64/explicit/counts`). Not hardened: how long a draw takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from functools import cache
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from lemmata.mechanisms.law import check_replacement
from lemmata.mechanisms.noise.grid_sums import check_noise, noisy_counts
from lemmata.mechanisms.numerics.arguments import clip_entries, quiet
from lemmata.mechanisms.numerics.arithmetic import round_up, sqrt_up
from lemmata.mechanisms.numerics.kernel_choice import numba_kernels_if_worthwhile
from lemmata.mechanisms.numerics.sparse_rows import Rows, by_columns, columns_of, entries_of, is_sparse, with_entries
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, to_gaussian_budget

OCTAVES = 104  # on either side of 1: from 5e-32 to 2e31
BINS = 4 * OCTAVES + 1
CELLS = (16, 32)  # of the first closer look, and of those after it; one more on either side for what lies outside
LEVELS = 10  # closer looks, at most: 8 16^9 = 2^39 cells of an octave
PRECISE = 16  # a count's noise is n / 16 where the budget affords it
HIDING = 2  # a count's noise of more than n / 2 hides the range of every column
CLOSER = 24  # the same of a closer look, where the budget affords `LEVELS` of them
FINE, LITTLE = 128, Fraction(1, 50)  # first counts and a last look cost a fiftieth of mu^2 each, where they are so fine
HELD = 0.8  # of n: what has to lie in two octaves, or next to one cell, for a closer look at it
MISFIT = 0.05  # of n: how far the counts of a real column are from those of its shape, in each bin
ROUNDS = 10  # of learning the prior
CONCENTRATION = 3.0  # columns that the first prior counts as
LEARNING = 1000  # columns, at most, that the prior is learnt from, and whose octaves are held at any one time
REACH = 2.0  # spreads around the centre, beyond which entries are clipped, where nobody chose another reach
FAR, SEEN = 8.0, 5.0  # spreads from the centre, and standard deviations of the noise that a count there has at least
TOGETHER, NO_MASS = 300, 1e-8  # shapes that are compared with counts at once, in the bins where one has more mass
BAND = 2**18  # entries of dense rows that are counted at any one time
NARROW = 32  # spreads between 0 and the centre of a shape that is as good as a point

Cdf = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Ranges:
    """One release: the centre and the spread of every column; public once released."""

    centre: np.ndarray  # shape (d,)
    spread: np.ndarray  # shape (d,), positive
    privacy: GaussianDP | None  # what the releases spent together; None where everything was given
    reach: float | np.ndarray = REACH  # of all columns, or shape (d,); public

    @quiet
    def standardised(self, X: ArrayLike) -> Rows:
        """Return (x - centre) / spread, clipped to [-reach, reach], record by record; what is no number is 0.

        Sparse rows, whose centres have to be 0, come back sparse.

        >>> Ranges(np.array([5.0]), np.array([2.0]), None).standardised([[6.0], [float("nan")], [1e308]]).tolist()
        [[0.5], [0.0], [2.0]]
        """
        rows: Any = X if is_sparse(X) else np.asarray(X, dtype=float)
        ranges = (self.centre, self.spread, self.reach)
        centre, spread, reach = (np.broadcast_to(one, rows.shape[1])[columns_of(rows)] for one in ranges)
        Z = entries_of(rows) - centre
        Z /= spread
        np.clip(Z, -reach, reach, out=Z)
        Z[np.isnan(Z)] = 0.0
        return with_entries(rows, Z)


# Shapes ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shapes:
    """The shapes that noisy counts are compared with."""

    masses: InitVar[np.ndarray]  # of every bin, shape (shapes, bins)
    centre: np.ndarray  # shape (shapes,)
    spread: np.ndarray
    narrow: np.ndarray  # bool: looked at more closely
    # (shapes, bins, masses there) of some neighbouring shapes, which have mass in a few bins, in float32.
    parts: list[tuple[slice, np.ndarray, np.ndarray]] = field(init=False, repr=False, default_factory=list)
    half_squares: np.ndarray = field(init=False, repr=False)  # half of the squared length of the masses, (shapes,)

    def __post_init__(self, masses: np.ndarray) -> None:
        object.__setattr__(self, "half_squares", np.empty(len(masses)))
        for start in range(0, len(masses), TOGETHER):
            shapes, some = slice(start, start + TOGETHER), masses[start : start + TOGETHER].astype(float)
            bins = np.flatnonzero((some > NO_MASS).any(axis=0))
            self.parts.append((shapes, bins, np.ascontiguousarray(some[:, bins].T, dtype=np.float32)))
            self.half_squares[shapes] = (some**2).sum(axis=1) / 2

    def fits(self, noisy: np.ndarray, n: int, sigma: float) -> np.ndarray:
        """Return -(squared distance of counts and shape) / 2 over the variance, up to a constant a column: (d, shapes).

        Noisy counts are public, so nothing but the choice of a shape hangs on the precision of this, which is float32.
        """
        fits = np.empty((len(noisy), len(self.centre)), dtype=np.float32)
        for shapes, part in self._fits_in_parts(noisy, n, sigma, 0.0):
            fits[:, shapes] = part
        return fits

    def best(self, noisy: np.ndarray, n: int, sigma: float, log_prior: np.ndarray) -> np.ndarray:
        """Return the first shape with the largest sum of its fit and its logarithm of a prior: (d,) indices."""
        best, most, columns = np.zeros(len(noisy), dtype=int), np.full(len(noisy), -inf), np.arange(len(noisy))
        for shapes, part in self._fits_in_parts(noisy, n, sigma, log_prior):
            here = part.argmax(axis=1)
            found = part[columns, here]
            better = found > most
            best[better], most[better] = here[better] + shapes.start, found[better]
        return best

    def _fits_in_parts(
        self, noisy: np.ndarray, n: int, sigma: float, more: float | np.ndarray
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """Some shapes and `fits` of them, plus what is `more` for each; a part stays in a core's cache."""
        scale = n**2 / (sigma**2 + (MISFIT * n) ** 2)
        counts, constants = np.asarray(noisy * (scale / n), dtype=np.float32), more - scale * self.half_squares
        for shapes, bins, masses in self.parts:
            part = counts[:, bins] @ masses
            part += constants[shapes].astype(np.float32)
            yield shapes, part


def normal_cdf(mean: float, spread: float) -> Cdf:
    """Return the distribution function of the standard normal law at x."""
    return lambda x: ndtr((x - mean) / spread)


def exponential_cdf(x: np.ndarray) -> np.ndarray:
    """Return the distribution function of the exponential law of mean 1 at x."""
    return -np.expm1(-np.maximum(x, 0.0))


def broad_cdf(x: np.ndarray) -> np.ndarray:
    """Return the distribution function of a number of either sign whose base-2 logarithm is normal with spread 3."""
    with np.errstate(divide="ignore"):
        return 0.5 + np.sign(x) * ndtr(np.log2(np.abs(x)) / 3) / 2


@dataclass(frozen=True)
class Family:
    """A shape, with the centre and spread that a column of it gets, in units of a position."""

    distribution: Cdf
    centre: float
    spread: float
    narrow: bool = False


def shape_families() -> list[Family]:
    """Return the shapes of columns: normals, exponentials, zeros beside normals, broad ones, points in 1 or 2 octaves.

    Of a point no more is known than its octaves, so its spread is a quarter of its centre.
    """
    found = [Family(normal_cdf(mean, 1.0), mean, 1.0) for mean in (0.0, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 8.0, -8.0)]
    found += [Family(exponential_cdf, 0.8, 0.8), Family(lambda x: 1 - exponential_cdf(-x), -0.8, 0.8)]
    found += [Family(broad_cdf, 0.0, 2.0)]
    for sign in (1, -1):
        for zeros in (0.3, 0.6, 0.9):
            for width in (1 / 2, 1 / 8):
                centre, square = 1 - zeros, (1 - zeros) * (1 + width**2)
                shape = lambda x, zeros=zeros, sign=sign, width=width: (  # noqa: E731
                    zeros * (x >= 0) + (1 - zeros) * ndtr((x - sign) / width)
                )
                found.append(Family(shape, sign * centre, sqrt(square - centre**2)))
        for place in (-1.3, -0.7, -0.3, 0.0, 0.3, 0.7, 1.3):  # of an edge between two octaves
            mean = sign * (NARROW + place)
            found.append(Family(normal_cdf(mean, 1.0), mean, NARROW / 4, narrow=True))
    return found


@cache
def octave_edges() -> np.ndarray:
    """Return the finite edges of the signed octaves, ascending, shape (BINS + 1,)."""
    sizes = 2.0 ** np.arange(-OCTAVES, OCTAVES + 1)
    return np.concatenate([-sizes[::-1], sizes])


@cache
def octave_shapes() -> Shapes:
    """Return the shapes of every family at every half octave, place by place: neighbours share their bins."""
    edges = octave_edges().copy()
    edges[[0, -1]] = -inf, inf
    units = 2.0 ** ((np.arange(4 * OCTAVES) - 2 * OCTAVES) / 2)
    every = shape_families()
    masses = np.empty((len(units), len(every), BINS), dtype=np.float32)  # half of 50 MiB
    for j, family in enumerate(every):
        masses[:, j] = np.diff(family.distribution(edges / units[:, None]), axis=1)
    centre = np.outer(units, [family.centre for family in every]).ravel()
    spread = np.outer(units, [family.spread for family in every]).ravel()
    narrow = np.tile([family.narrow for family in every], len(units))
    return Shapes(masses.reshape(-1, BINS), centre, spread, narrow)


@cache
def cell_shapes(cells: int) -> Shapes:
    """Return normals at every half cell, of widths from half a cell to a quarter of all.

    The narrowest get a closer look.
    """
    sizes = 2.0 ** np.arange(-1, cells.bit_length() - 2)
    middles, widths = (a.ravel() for a in np.meshgrid(np.arange(0, cells + 0.25, 0.5), sizes))
    edges = np.concatenate([[-inf], np.arange(cells + 1.0), [inf]])
    masses = np.diff(ndtr((edges - middles[:, None]) / widths[:, None]), axis=1)
    return Shapes(masses, middles, widths, widths == widths.min())


def learn_prior(noisy: np.ndarray, n: int, sigma: float) -> np.ndarray:
    """Return the logarithms of a prior over shapes that is learnt from the noisy counts of some columns: (shapes,).

    The prior is a product of one over families, flat at first, and one over positions, at first falling like 1 / k^2
    beyond four octaves from 1; both are learnt by expectation and maximisation, `ROUNDS` times.
    """
    shapes = octave_shapes()
    far = 1 / (1 + np.abs(np.arange(4 * OCTAVES) - 2 * OCTAVES) / 8) ** 2
    count = len(shapes.centre) // len(far)
    families_first, places_first = np.full(count, 1 / count), far / far.sum()
    likely, families_now, places_now = shapes.fits(noisy, n, sigma), families_first, places_first
    likely -= likely.max(axis=1, keepdims=True)
    np.exp(likely, out=likely)
    for _ in range(ROUNDS):
        now = np.outer(places_now, families_now).ravel().astype(np.float32)  # every family at every place, in order
        total = now * ((1 / (likely @ now)) @ likely)  # of the columns' posterior odds, each summing to 1
        table = total.reshape(-1, count).astype(float)
        smooth = np.convolve(table.sum(axis=1), [0.25, 0.5, 0.25], "same")
        places_now = CONCENTRATION * places_first + smooth
        families_now = CONCENTRATION * families_first + table.sum(axis=0)
        places_now, families_now = places_now / places_now.sum(), families_now / families_now.sum()
    return np.log(np.outer(places_now, families_now).ravel())


def match_moments(noisy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return by how many spreads the centre of each column moves, and by what its spread grows.

    By the mean and the standard deviation of its noisy counts, in cells that reach from -4 to 4 spreads, and one beyond
    on either side: at most 2, and from a half to twice.
    """
    size = noisy.shape[1] - 2
    middles = 8 * (np.arange(-1, size + 1) + 0.5) / size - 4
    total = np.maximum(noisy.sum(axis=1), 1.0)
    mean = noisy @ middles / total
    square = noisy @ middles**2 / total - mean**2
    return np.clip(mean, -2.0, 2.0), np.sqrt(np.clip(square, 0.25, 4.0))


# Counts: the one way from records to a release ------------------------------------------------------------------------


@cache
def _octave_of_bits() -> np.ndarray:
    """The signed octave, 0 to 416, of a float whose first twelve bits, sign and exponent, are the index below 4096."""
    bits = np.arange(2**12)
    size = np.clip((bits & 2047) - (1023 - OCTAVES - 1), 0, 2 * OCTAVES)
    return (np.where(bits < 2048, size, -size) + 2 * OCTAVES).astype(np.int16)


def octave_bins(X: np.ndarray) -> np.ndarray:
    """Return the signed octave of every entry, 0 to 416, by the bits of its exponent; finite entries.

    >>> octave_bins(np.array([[1.5, -1.5, 0.0, 1e-300, 1e300]])).tolist()
    [[313, 103, 208, 208, 416]]
    """
    bits = np.ascontiguousarray(X, dtype=float).view(np.int64)
    return _octave_of_bits()[bits >> 52]  # negative ones of negative numbers, which count from the end of the table


def count_bins(X: Rows, size: int, bins_of: Callable[[np.ndarray, Any], np.ndarray]) -> np.ndarray:
    """Return how many records are in each bin, column by column, shape (d, size).

    `bins_of(entries, columns)`: whole numbers below `size`. Dense rows are read in bands; of a sparse table the entries
    that are stored, and the others are counted in the bin of 0.
    """
    (n, d), columns = X.shape, np.arange(X.shape[1])
    count = lambda entries, at: np.bincount((at * size + bins_of(entries, at)).ravel(), minlength=d * size)  # noqa: E731
    if is_sparse(X):
        stored = columns_of(X).astype(np.int64)
        total = count(entries_of(X), stored)
        total[columns * size + bins_of(np.zeros(d), columns)] += n - np.bincount(stored, minlength=d)
    else:
        total, height = np.zeros(d * size, dtype=np.int64), max(size, BAND // d)
        for start in range(0, n, height):
            total += count(X[start : start + height], columns)
    return total.reshape(d, size).astype(float)


def count_octaves(X: Rows) -> np.ndarray:
    """Return the counts of the first release before noise, shape (d, 417)."""
    kernels = None if is_sparse(X) else numba_kernels_if_worthwhile(X.size)
    if kernels is None:
        return count_bins(X, BINS, lambda entries, _: octave_bins(entries))
    counts = np.zeros((X.shape[1], BINS), dtype=np.int64)
    kernels.exponent_counts(np.ascontiguousarray(X, dtype=float).view(np.int64), OCTAVES, counts)
    return counts.astype(float)


def count_cells(X: Rows, low: np.ndarray, width: np.ndarray, cells: int) -> np.ndarray:
    """Return the counts of a closer look before noise, cells in [low, low + width) and two outside: (d, cells + 2)."""

    def cells_of(entries: np.ndarray, columns: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            found = np.floor((entries - low[columns]) / width[columns] * cells)
        return np.clip(found, -1, cells).astype(int) + 1

    return count_bins(X, cells + 2, cells_of)


# The law --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnRangesLaw:
    """The law of centres and spreads on one dataset.

    A release is a dict of `centre`, `spread` and `aside`, of shape (size, d), and of `mu`, (size,). A column is `aside`
    if an octave beyond `FAR` spreads of its centre has a noisy count above `SEEN` standard deviations of the noise.
    `mu` is what a release spent, at most `privacy`: it is known from the releases, so it may be used up elsewhere.
    """

    X: Rows = field(repr=False)  # shape (n, d), finite
    privacy: GaussianDP
    sigma: float  # standard deviation of the first release's noise
    noise: str = "exact"

    def noisy(self, rng: np.random.Generator, counts: np.ndarray, sigma: float) -> np.ndarray:
        """Return counts with noise added."""
        if self.noise == "exact":
            return noisy_counts(rng, counts, sigma)
        return counts + rng.normal(scale=sigma, size=counts.shape)

    def first_counts(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Return the first release alone, shape (size, d, 417)."""
        counts = count_octaves(self.X)
        return self.noisy(rng, np.broadcast_to(counts, (size, *counts.shape)), self.sigma)

    def _octave_counter(self) -> Callable[[np.ndarray], np.ndarray]:
        """`count_octaves` of some columns: of sparse rows only then, as the counts of all may be more than the rows."""
        if is_sparse(self.X):
            columns: Any = by_columns(self.X)
            return lambda some: count_octaves(columns[:, some].tocsr())
        counts = count_octaves(self.X)
        return lambda some: counts[some]

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> dict[str, np.ndarray]:
        """Draw `size` independent searches, one after the other."""
        found = [self.search(lambda counts, sigma: self.noisy(rng, counts, sigma)) for _ in range(size)]
        return {name: np.array([one[name] for one in found]) for name in ("centre", "spread", "aside", "mu")}

    def search(self, ask: Callable[[np.ndarray, float], np.ndarray]) -> dict[str, Any]:
        """Run one search: the octaves, then closer looks at the columns that need them.

        `ask(counts, sigma)` hands back noisy counts: what is released is a function of them.
        """
        (n, d), shapes, count = self.X.shape, octave_shapes(), self._octave_counter()
        best, (low, width, held, first, last) = np.empty(d, dtype=int), np.empty((5, d))
        step, log_prior = -(-d // LEARNING), None
        others = np.flatnonzero(np.arange(d) % step)
        for some in (np.arange(0, d, step), *(others[k : k + LEARNING] for k in range(0, len(others), LEARNING))):
            noisy = ask(count(some), self.sigma)
            log_prior = learn_prior(noisy, n, self.sigma) if log_prior is None else log_prior
            best[some] = shapes.best(noisy, n, self.sigma, log_prior)
            low[some], width[some], held[some] = fullest_octaves(noisy)
            first[some], last[some] = outermost_octaves(noisy, SEEN * self.sigma)
        centre, spread = shapes.centre[best].copy(), shapes.spread[best].copy()
        spent, left = Fraction(2 * d) / Fraction(self.sigma) ** 2, Fraction(self.privacy.mu) ** 2
        here = np.flatnonzero(shapes.narrow[best] & (held > HELD * n - self.sigma))
        low, width = low[here], width[here]
        sigma = look_noise(n, len(here), left - spent)
        for level in range(LEVELS):
            size = CELLS[min(level, 1)]
            price = Fraction(2 * len(here)) / Fraction(sigma) ** 2
            if not len(here) or spent + price > left:
                break
            spent, cells = spent + price, cell_shapes(size)
            counts, step = ask(count_cells(self.X[:, here], low, width, size), sigma), width / size
            fits = cells.fits(counts, n, sigma)
            best = fits.argmax(axis=1)
            again = cells.narrow[best] & (count_around(counts, cells.centre[best]) > HELD * n - sigma)
            best = np.where(again, best, np.where(cells.narrow, -inf, fits).argmax(axis=1))
            centre[here], spread[here] = low + cells.centre[best] * step, cells.spread[best] * step
            again &= step > np.abs(centre[here]) * 2.0**-45
            low, width, here = (centre[here] - step)[again], 2 * step[again], here[again]
        sigma = sqrt(2 * d / LITTLE) / self.privacy.mu
        price = Fraction(2 * d) / Fraction(sigma) ** 2
        if sigma <= n / FINE and spent + price <= Fraction(self.privacy.mu) ** 2:
            spent, size = spent + price, CELLS[1]
            moved, stretched = match_moments(ask(count_cells(self.X, centre - 4 * spread, 8 * spread, size), sigma))
            centre, spread = centre + moved * spread, spread * stretched
        aside = (last >= centre + FAR * spread) | (first <= centre - FAR * spread)
        return {"centre": centre, "spread": spread, "aside": aside, "mu": sqrt_up(spent)}

    def model(self, rng: np.random.Generator, reach: float = REACH) -> Ranges:
        """Draw one release as the ranges of all columns: of `reach`, and of `REACH` where many records lie aside."""
        found = self.sample(rng)
        spent = GaussianDP(float(found["mu"][0]), self.privacy.neighbours)
        return Ranges(found["centre"][0], found["spread"][0], spent, np.where(found["aside"][0], REACH, reach))


def look_noise(n: int, columns: int, left: Fraction) -> float:
    """Return the noise's standard deviation of a closer look.

    n / `CLOSER`, and up to n / `PRECISE` to afford `LEVELS` looks.

    `left` of mu^2 pays for all of them. An offset that is 10^9 times a column's spread takes eight.

    >>> look_noise(2400, 6, Fraction(1)), look_noise(2400, 6, Fraction(1, 120)), look_noise(2400, 6, Fraction(0))
    (100.0, 120.0, 150.0)
    """
    least, most = n / CLOSER, n / PRECISE
    square = 2 * columns * LEVELS / left if left > 0 else inf  # of what LEVELS looks need
    return least if square <= least**2 else sqrt(square) if square < most**2 else most


def outermost_octaves(noisy: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the upper end of the first octave with a noisy count above `least`, and the lower end of the last: (d,).

    Infinity and -infinity where there is none. A record far aside of a column's centre is a code for what is missing,
    such as -999, or of a tail in which a size says little more than its logarithm.
    """
    seen, edges = noisy > least, octave_edges()
    some, last = seen.any(axis=1), seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
    return np.where(some, edges[seen.argmax(axis=1) + 1], inf), np.where(some, edges[last], -inf)


def fullest_octaves(noisy: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the neighbouring octaves of one sign that hold most, by noisy counts.

    Lower ends, widths, what they hold.
    """
    pairs = noisy[:, :-1] + noisy[:, 1:]
    pairs[:, 2 * OCTAVES - 1 : 2 * OCTAVES + 1] = -inf  # with the middle, which is of both signs
    best, edges = pairs.argmax(axis=1), octave_edges()
    return edges[best], edges[best + 2] - edges[best], pairs.max(axis=1)


def count_around(noisy: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Return what the cells within one of a centre hold, by noisy counts (d, cells + 2); centres (d,) in cells."""
    cell, middle = np.arange(-1, noisy.shape[1] - 1), centre[:, None]
    near = (cell >= np.floor(middle - 1)) & (cell < np.ceil(middle + 1))
    return np.asarray((noisy * near).sum(axis=1))


def noise_hides_ranges(n: int, d: int, privacy: GaussianDP | ApproxDP) -> bool:
    """Whether there are more columns than records, and a first count's noise is more than half of these.

    The noise is sqrt(2 d) / mu at least. All of this is public.

    >>> noise_hides_ranges(4000, 100_000, GaussianDP(0.1)), noise_hides_ranges(4000, 1000, GaussianDP(0.1))
    (True, False)
    """
    return d > n and HIDING * sqrt(2 * d) > n * to_gaussian_budget(privacy).mu


@quiet
def law(X: ArrayLike, *, privacy: GaussianDP | ApproxDP, noise: str = "float") -> ColumnRangesLaw:
    """Return the law of a search for the centre and spread of every column within `privacy`.

    Formal guarantee: mu-GDP under replacement of one record, for every input, with the mu of `privacy` (for an ApproxDP
    the largest that implies it): the first release spends sqrt(2 d) / sigma, and every further one is made only if the
    squares of all still add up to mu^2, in exact arithmetic. With `noise` "exact" it holds for the bits released. The
    number of releases is a function of what was released. X: (n, d), read as in `lemmata.mechanisms.law.table`. Raises
    ValueError for another shape or type, and for a budget that needs more noise than a float can hold.

    >>> X = 1e6 + np.random.default_rng(0).normal(size=(1000, 2)) * [1.0, 200.0]
    >>> found = law(X, privacy=GaussianDP(1.0)).sample(np.random.default_rng(1))
    >>> (found["centre"][0] / 1e6).round(4).tolist(), found["spread"][0].round(1).tolist()
    ([1.0, 1.0001], [1.5, 192.0])
    """
    check_noise(noise)
    budget, X = to_gaussian_budget(check_replacement(privacy)), clip_entries(X, keep_sparse=True)
    n, d = X.shape
    fine = max(n / FINE, sqrt(2 * d / LITTLE) / budget.mu)
    sigma = max(min(n / PRECISE, fine), round_up(Fraction(sqrt_up(Fraction(2 * d))) / Fraction(budget.mu)))
    if not sigma < inf:
        raise ValueError(f"mu = {budget.mu} needs more noise than a float can hold")
    return ColumnRangesLaw(X, budget, sigma, noise)
