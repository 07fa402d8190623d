r"""Margins of a dataset: Wang, Zhu & Wang 2025, Equation 1, Definitions 6.1 and N.1.

With z_i = y_i x_i, the geometric margin is the distance from the origin to the convex hull of the signed
records,

    gamma(S) = max_{||w|| = 1} max(min_i <w, z_i>, 0) = min_{a >= 0, sum a = 1} ||sum_i a_i z_i||,

so any direction w bounds it from below and any convex combination a from above. `geometric_margin` returns
one of each, and both bounds allow for their own rounding. Nothing here is private: these are functions of the
data, for experiments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.numerics.arguments import check_rows, check_signs
from lemmata.mechanisms.numerics.arithmetic import as_real_array, check_in_range, short_repr
from lemmata.mechanisms.numerics.threads import one_thread_if_small
from lemmata.mechanisms.solvers.nearest_point import nearest_weights, polish_weights

UNIT_ROUNDOFF = 2.0**-53
LEVEL_SLACK = 1e-9  # a subset whose margin is the level up to this relative error counts as reaching it
SHORTEST = 1e-313  # 1e-9 of a record of that length is some twenty times the smallest float
LARGEST_LIST = 200_000  # candidate directions: about 2 seconds
LARGEST_TABLE = 14  # records: 2^14 subsets take about 2 seconds


@dataclass(frozen=True)
class GeometricMargin:
    """An enclosure of gamma(S): value <= gamma(S) <= upper, rounding included.

    `direction` is a unit vector, shape (d,), whose clipped margin is at least `value`; `weights`, shape (n,),
    are convex weights whose combination of the signed records has norm at most `upper`. If the data are not
    separable `value` is 0 and `upper` is of the order of rounding, about 1e-15 times the longest record.
    """

    value: float
    upper: float
    direction: np.ndarray = field(repr=False)
    weights: np.ndarray = field(repr=False)

    @property
    def gap(self) -> float:
        """upper - value."""
        return self.upper - self.value

    @property
    def separable(self) -> bool:
        """Whether a positive margin is certified."""
        return self.value > 0


def signed_records(X: ArrayLike, y: ArrayLike) -> np.ndarray:
    """The rows z_i = y_i x_i, shape (n, d). Raises ValueError for data not finite or labels not -1 or +1."""
    X = check_rows(X)
    return X * check_signs(y, len(X))[:, None]


@one_thread_if_small
def geometric_margin(X: ArrayLike, y: ArrayLike) -> GeometricMargin:
    """gamma(S) of Equation 1, with a certified gap, as a `GeometricMargin`.

    X has shape (n, d), y shape (n,) with entries -1 or +1. Classifiers are homogeneous: there is no
    intercept.

    The nonnegative least-squares problem min_{a >= 0} ||Z' a||^2 / s^2 + (sum a - 1)^2 has its optimum at a
    multiple of the nearest point's weights, for every scale s > 0. Where its answer leaves a gap, Wolfe's
    algorithm begins anew.
    Raises ValueError for invalid data.

    >>> found = geometric_margin([[3.0, 4.0], [3.0, -4.0]], [1, 1])
    >>> bool(found.value <= 3 <= found.upper), bool(found.gap < 1e-13)
    (True, True)
    >>> geometric_margin([[1.0], [1.0]], [1, -1]).separable
    False
    """
    Z = signed_records(X, y)
    Z, exponent = _scaled(Z)
    if not Z.any():
        return _enclosure(Z, np.eye(1, Z.shape[1])[0], np.full(len(Z), 1 / len(Z)))
    # The hull lies in the span of the records: min(n, d) coordinates are enough for the solvers.
    small = np.linalg.qr(Z.T)[1].T if Z.shape[1] > len(Z) else Z
    radius = np.linalg.norm(Z, axis=1).max()
    weights = nearest_weights(small)
    enclosed = _enclosure(Z, _towards(weights @ Z), weights)
    if not _settled(enclosed, radius):
        weights = polish_weights(small)
        enclosed = _tighter(enclosed, _enclosure(Z, _towards(weights @ Z), weights))
    if not _settled(enclosed, radius):
        # A short combination of long records has lost its direction to cancellation: solve for that.
        active = Z[weights > 0]
        equal = np.linalg.lstsq(active, np.ones(len(active)), rcond=None)[0]
        enclosed = _tighter(enclosed, _enclosure(Z, _towards(equal), weights))
    return _rescaled(enclosed, exponent)


def _scaled(X: np.ndarray) -> tuple[np.ndarray, int]:
    """X / 2^e with its largest entry in [1, 2), and e; 0 as it is.

    Nothing is rounded but entries 2^-1000 of the largest, far below what an enclosure allows for.
    """
    largest = np.abs(X).max()
    exponent = int(np.frexp(largest)[1]) - 1 if largest > 0 else 0
    return np.ldexp(X, -exponent), exponent


def _settled(enclosed: GeometricMargin, radius: float) -> bool:
    """Whether the enclosure is as narrow as rounding lets it be, or shows that nothing separates."""
    return enclosed.gap <= 1e-11 * enclosed.upper or enclosed.upper <= 1e-13 * radius


def _towards(vector: np.ndarray) -> np.ndarray:
    """The unit vector along `vector`; the first axis for the zero vector."""
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else np.eye(1, len(vector))[0]


def _enclosure(Z: np.ndarray, direction: np.ndarray, weights: np.ndarray) -> GeometricMargin:
    """What a direction and convex weights prove; the slack bounds the rounding of the two products."""
    radius = np.linalg.norm(Z, axis=1).max()
    support = np.flatnonzero(weights)
    slack = (2 * Z.shape[1] + 2 * len(support) + 10) * UNIT_ROUNDOFF * radius
    lower = max(float((Z @ direction).min() - slack), 0.0)
    upper = float(np.linalg.norm(weights[support] @ Z[support]) + slack)
    return GeometricMargin(lower, max(upper, lower), direction, weights)


def _tighter(a: GeometricMargin, b: GeometricMargin) -> GeometricMargin:
    """The better side of each enclosure."""
    low, high = max(a, b, key=lambda m: m.value), min(a, b, key=lambda m: m.upper)
    return GeometricMargin(low.value, high.upper, low.direction, high.weights)


def _rescaled(margin: GeometricMargin, exponent: int) -> GeometricMargin:
    """The enclosure times 2^exponent, rounded outwards where the product is no float."""
    with np.errstate(over="ignore"):
        value = min(np.ldexp(margin.value, exponent), np.finfo(float).max)
        upper = np.ldexp(margin.upper, exponent)
    tiny = np.finfo(float).tiny
    if 0 < value < tiny:
        value = np.nextafter(value, 0.0)
    if upper < tiny:
        upper = np.nextafter(upper, 1.0)
    return GeometricMargin(float(value), float(upper), margin.direction, margin.weights)


def _direction(w: ArrayLike, d: int) -> np.ndarray:
    """w / ||w|| as a float vector (d,)."""
    direction = as_real_array("w", w)
    if direction.shape != (d,):
        raise ValueError(f"w has shape {direction.shape}, not ({d},)")
    largest = np.abs(direction).max()
    if not (np.isfinite(largest) and largest > 0):
        raise ValueError(f"w has largest entry {largest}, outside (0, inf): a zero vector has no margin")
    direction = direction / largest
    return direction / np.linalg.norm(direction)


def margin_of(w: ArrayLike, X: ArrayLike, y: ArrayLike) -> float:
    """Margin(w; S) = max(min_i y_i <w, x_i> / ||w||, 0), the display above Equation 1; w has shape (d,).

    Raises ValueError for w = 0, where the quotient is not defined.

    >>> margin_of([2.0, 0.0], [[3.0, 4.0], [3.0, -4.0]], [1, 1])
    3.0
    """
    Z = signed_records(X, y)
    return max(float((Z @ _direction(w, Z.shape[1])).min()), 0.0)


def signed_normalised_margins(w: ArrayLike, X: ArrayLike, y: ArrayLike) -> np.ndarray:
    """y_i <w, x_i> / (||x_i|| ||w||) for every record, shape (n,): what Definition N.1 takes the minimum of.

    A zero record has no direction; its margin is 0 under every w, so its normalised margin is 0 here.
    """
    Z = signed_records(X, y)
    return unit_rows(Z) @ _direction(w, Z.shape[1])


def normalised_margin(w: ArrayLike, X: ArrayLike, y: ArrayLike) -> float:
    """max(min_i y_i <w, x_i> / (||x_i|| ||w||), 0), Definition N.1.

    >>> normalised_margin([1.0, 0.0], [[3.0, 4.0], [3.0, -4.0]], [1, 1])
    0.6
    """
    return max(float(signed_normalised_margins(w, X, y).min()), 0.0)


def unit_rows(X: ArrayLike) -> np.ndarray:
    """Every row divided by its Euclidean norm, zero rows as they are; shape (n, d)."""
    X = check_rows(X)
    X = X / np.maximum(np.abs(X).max(axis=1, keepdims=True), np.finfo(float).tiny)  # no overflow in the norm
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1.0)


def subset_margins(X: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Enclosures of gamma(S') for every subset S' of S, two arrays (2^n,): lower and upper.

    Bit i of an index says whether record i is in the subset. The minimum over no record is +inf, so the empty
    subset, index 0, has margin +inf. Raises ValueError above `LARGEST_TABLE` records or where the longest record leaves
    the range of floats, and ArithmeticError where an enclosure is wider than 1e-9 of that record: whoever reads one end
    of it would take it for the truth.
    """
    X = check_rows(X)
    y = check_signs(y, len(X))
    n = len(X)
    if n > LARGEST_TABLE:
        raise ValueError(f"n must be in [1, {LARGEST_TABLE}], got {n}: all 2^n subsets are listed")
    lower, upper = np.full(2**n, np.inf), np.full(2**n, np.inf)
    widest = _resolution(X)
    for index in range(1, 2**n):
        chosen = (index >> np.arange(n)) & 1 == 1
        enclosure = geometric_margin(X[chosen], y[chosen])
        lower[index], upper[index] = enclosure.value, enclosure.upper
        if enclosure.gap > widest:
            raise ArithmeticError(f"a margin is known to lie in [{enclosure.value}, {enclosure.upper}] only")
    return lower, upper


def inliers(X: ArrayLike, y: ArrayLike, margin: float) -> np.ndarray:
    """The family S_in(margin) of Definition 6.1, as bit masks: every subset S' with gamma(S') >= margin.

    The empty subset, mask 0, belongs to it at every level. Equality is decided up to a relative 1e-9.
    Raises ValueError above `LARGEST_TABLE` records, for a margin below 0 and for one so small beside X that rounding
    hides which subsets reach it, and ArithmeticError where the solver leaves an enclosure too wide to decide.

    >>> inliers([[1.0], [0.5], [-1.0]], [1, 1, 1], 0.6).tolist()
    [0, 1, 4]
    """
    X = check_rows(X)
    _level(margin)  # refused before the table is made
    return np.flatnonzero(_reaches(*subset_margins(X, y), margin, _resolution(X)))


def outliers(X: ArrayLike, y: ArrayLike, margin: float) -> np.ndarray:
    """The family S_out(margin) of Definition 6.1, as bit masks: the complements of the inlier sets.

    >>> outliers([[1.0], [0.5], [-1.0]], [1, 1, 1], 0.6).tolist()
    [3, 6, 7]
    """
    return np.sort(2 ** len(check_rows(X)) - 1 - inliers(X, y, margin))


def _resolution(X: np.ndarray) -> float:
    """1e-9 of the longest record. Raises ValueError where floats do not tell margins of that length apart."""
    scaled, exponent = _scaled(X)
    with np.errstate(over="ignore"):
        longest = float(np.ldexp(np.linalg.norm(scaled, axis=1).max(), exponent))
    if longest != 0 and not SHORTEST <= longest < np.inf:
        raise ValueError(f"X has a longest record of length {longest}, outside [{SHORTEST}, the largest float]")
    return LEVEL_SLACK * longest


def _reaches(lower: ArrayLike, upper: ArrayLike, margin: float, resolution: float) -> np.ndarray:
    """Which of the margins enclosed reach `margin`.

    Where an enclosure has that inside: ValueError if it is as narrow as `resolution`, as then it is `margin` that is
    too small beside the records, else ArithmeticError.
    """
    lower, upper, level = np.asarray(lower), np.asarray(upper), _level(margin)
    unknown = (lower < level) & (level <= upper)
    if unknown.any():
        low, high = lower[unknown].flat[0], upper[unknown].flat[0]
        known = f"known to lie in [{low}, {high}] only"
        if high - low <= resolution:
            raise ValueError(f"margin = {short_repr(margin)} is too small beside X: that of some records is {known}")
        raise ArithmeticError(f"a margin is {known}, and {level} is inside")
    return lower >= level


def _level(margin: float) -> float:
    if check_in_range("margin", margin, -np.inf, np.inf) < 0:
        raise ValueError(f"margin must be in [0, inf), got {margin}")
    return float(margin) * (1 - LEVEL_SLACK)


@dataclass(frozen=True)
class Outliers:
    """low <= m(margin) <= high: the fewest records whose removal leaves a margin of at least `margin`.

    `removed` is a smallest set found, sorted indices, shape (high,). The search is exact when low == high.
    """

    low: int
    high: int
    removed: np.ndarray = field(repr=False)


def min_outliers(X: ArrayLike, y: ArrayLike, margin: float) -> Outliers:
    """m(margin) = min |S_out| over S_out(margin) of Definition 6.1, as `Outliers`.

    A largest inlier set is {i : <w, z_i> >= margin} for the shortest w that serves it, and that w is the shortest
    solution of <w, z_i> = margin over some linearly independent records, at most rank(X) of them. All those w are
    listed while there are at most `LARGEST_LIST`; then low == high, unless a tie is closer than 1e-7 of the longest
    record. Beyond that `low` counts disjoint cores, small sets of records of which one must go because a convex
    combination of them is shorter than the margin, and `high` what is left when all of them are removed.
    The empty subset has margin +inf, so m(margin) <= n. Raises ValueError for a margin below 0 and for one so small
    beside X that rounding hides what reaches it, and ArithmeticError where the solver leaves an enclosure too wide.

    >>> found = min_outliers([[1.0], [0.5], [-1.0]], [1, 1, 1], 0.6)
    >>> found.low, found.high
    (2, 2)
    """
    X = check_rows(X)
    _level(margin)
    y = check_signs(y, len(X))
    everyone, resolution = np.arange(len(X)), _resolution(X)
    cores, kept = _disjoint_cores(X, y, everyone, margin, resolution)
    low = len(cores)
    if low:
        candidates = _largest_sides(signed_records(X, y), margin)
        if candidates is not None:
            low = max(low, len(X) - int(candidates[0].sum()))
            for side in candidates:
                if side.sum() <= len(kept):
                    break
                left = np.flatnonzero(side)
                found = geometric_margin(X[left], y[left])
                if _reaches(found.value, found.upper, margin, resolution):
                    kept = left
                    break
    return Outliers(low, len(X) - len(kept), np.setdiff1d(everyone, kept))


def _disjoint_cores(
    X: np.ndarray, y: np.ndarray, left: np.ndarray, margin: float, resolution: float
) -> tuple[list[np.ndarray], np.ndarray]:
    """Cores taken out of `left` one after another, and what remains, which reaches the margin."""
    cores = []
    while len(left):
        found = geometric_margin(X[left], y[left])
        if _reaches(found.value, found.upper, margin, resolution):
            break
        core = left[found.weights > 0]
        cores.append(core)
        left = np.setdiff1d(left, core)
    return cores, left


def _largest_sides(Z: np.ndarray, margin: float) -> np.ndarray | None:
    """The sets {i : <w, z_i> >= margin} of all candidate w, largest first, up to 1e-7; None if there are too many."""
    Z, exponent = _scaled(Z)
    with np.errstate(over="ignore"):  # where it underflows the slack below is far more
        margin = min(float(np.ldexp(float(margin), -exponent)), float(np.finfo(float).max))
    left, singular, _ = np.linalg.svd(Z, full_matrices=False)
    rank = int((singular > 1e-12 * singular[0]).sum())
    n = len(Z)
    if sum(comb(n, size) for size in range(1, rank + 1)) > LARGEST_LIST:
        return None
    Z = left[:, :rank] * singular[:rank]  # the same records in the coordinates of their span
    slack = 1e-7 * np.linalg.norm(Z, axis=1).max()
    sides = [np.zeros((1, n), dtype=bool)]
    for size in range(1, rank + 1):
        active = np.array(list(combinations(range(n), size)))
        q, r = np.linalg.qr(np.swapaxes(Z[active], 1, 2))
        r += 1e-13 * singular[0] * np.eye(size)  # dependent records are no candidate; keep the solver going
        solution = np.linalg.solve(np.swapaxes(r, 1, 2), np.full((len(active), size, 1), margin))
        with np.errstate(over="ignore", invalid="ignore"):  # a w too long for floats is too long
            w = (q @ solution)[..., 0]
            w = w[np.linalg.norm(w, axis=1) <= 1 + 1e-7]
        sides.append(w @ Z.T >= margin - slack)
    listed = np.unique(np.concatenate(sides), axis=0)
    return listed[np.argsort(-listed.sum(axis=1), kind="stable")]
