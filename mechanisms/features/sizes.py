"""The sizes of projections and feature maps that the theorems require for a user's accuracy.

    rows_needed(points=1000, distortion=0.1)                     rows of a random projection
    features_needed("gaussian", points=1000, error=0.1)          frequencies of random Fourier features

Every size holds with probability at least 1 - beta over the draw, for data fixed before it. The formulas are those of
`lemmata.bounds.bms22.sign_projection`, `lemmata.bounds.bms22.fast_projection`, `lemmata.bounds.bms22.random_features`
and `lemmata.bounds.rbht09.random_features`; where their verdicts stand, `lemmata explain bms22.lemA.3` says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.bms22.fast_projection import fast_projection_rows
from lemmata.bounds.bms22.random_features import inner_product_error_sharp
from lemmata.bounds.bms22.sign_projection import rows_for, sign_projection_tail
from lemmata.bounds.exact.numbers import least_integer
from lemmata.bounds.rbht09.random_features import uniform_failure
from lemmata.mechanisms.features.random_features import KERNELS
from lemmata.mechanisms.numerics.arguments import check_choice, check_integer, check_positive, check_within_unit
from lemmata.mechanisms.numerics.arithmetic import as_real_array, check_in_range

KEEPS = ("distances", "products")
KINDS = ("signs", "fast")
MOST = 2**62  # a size that is larger is no size


def rows_needed(
    points: ArrayLike,
    distortion: ArrayLike,
    beta: ArrayLike = 0.05,
    *,
    keeps: str = "distances",
    kind: str = "signs",
    d: int | None = None,
) -> Any:
    """Return the rows k of a random projection that distorts no pair of points by more than `distortion`.

    It does so but for chance `beta`.

    The union bound is over all pairs, so the points may be any, fixed before the draw. Numbers or arrays, which
    broadcast.

    Parameters
    ----------
    points : int or array
        How many, m >= 1. One point has no distances: 1 row is enough.
    distortion : float or array
        In (0, 1); of "fast" projections in (0, 1/3).
    beta : float or array
        The chance of failure, in (0, 1).
    keeps : "distances" or "products"
        "distances": every |Phi u - Phi v|^2 is within the fraction `distortion` of |u - v|^2, what scikit-learn's
        `johnson_lindenstrauss_min_dim` speaks of too. "products": every <Phi u, Phi v> is within `distortion` |u| |v|
        of <u, v>, and so are squared norms.
    kind : "signs" or "fast"
        "signs": entries +-1/sqrt(k), `lemmata.mechanisms.features.sign_projection`; "fast":
        `lemmata.mechanisms.features.fast_projection`.
    d : int, optional
        The dimension of the points, with which a "fast" projection needs fewer rows.

    Returns
    -------
    int or array of int

    Raises
    ------
    ValueError
        In one line, for an argument out of range, and where 2^62 rows or more are needed.

    References
    ----------
    Bassily, Mohri & Suresh (2022), Lemma A.3, whose gamma/3 is the distortion, and Lemma A.4 for "fast".

    Examples
    --------
    >>> rows_needed(1000, 0.1), rows_needed([10, 1000], [[0.1], [0.5]]).tolist()
    (7205, [[3213, 7205], [180, 404]])
    """
    check_choice(KEEPS, keeps=keeps)
    check_choice(KINDS, kind=kind)

    def size(points: float, distortion: float, beta: float) -> int:
        (m,), (t, chance) = check_integer(points=points), check_within_unit(distortion=distortion, beta=beta)
        if m == 1 and keeps == "distances":
            return 1  # there is no pair
        pairs = m * (m - 1) // 2
        if kind == "signs":
            return rows_for(pairs if keeps == "distances" else m**2, t, chance)
        if t >= 1 / 3:
            raise ValueError(f"distortion must be in (0, 1/3) by Lemma A.4, got {t}")
        return fast_projection_rows(m=pairs if keeps == "distances" else m, gamma=3 * t, beta=chance, d=d)

    return broadcast_size(size, points=points, distortion=distortion, beta=beta)


@dataclass(frozen=True)
class RowsCompared:
    """Rows by us and by scikit-learn for the same event, with the failure probability that the same proof gives."""

    points: int
    distortion: float
    beta: float
    rows: int
    scikit_learn: int
    failure: float  # at most beta
    scikit_learn_failure: float

    @property
    def ratio(self) -> float:
        """Our rows over theirs: about 1 + log(1/beta) / (2 log points)."""
        return self.rows / self.scikit_learn

    def __str__(self) -> str:
        return (
            f"{self.points} points, squared distances within {self.distortion:g}:\n"
            f"  rows_needed                    {self.rows:>8} rows fail with probability at most {self.failure:.3g}\n"
            f"  johnson_lindenstrauss_min_dim  {self.scikit_learn:>8} rows fail with probability at most "
            f"{self.scikit_learn_failure:.3g}\n"
            f"  {self.ratio:.2f} times the rows: the other formula, 4 log m / (t^2/2 - t^3/3), makes the union bound "
            "over m (m - 1)/2 pairs 1 - 1/m,\n  which shows that a good projection exists, and not that yours is one."
        )


def rows_compared(points: int, distortion: float, beta: float = 0.05) -> RowsCompared:
    """Return `rows_needed` and scikit-learn's `johnson_lindenstrauss_min_dim`, for squared distances.

    Parameters
    ----------
    points : int
        How many, m >= 2.
    distortion, beta : float
        As of `rows_needed`, in (0, 1).

    Returns
    -------
    RowsCompared
        Both numbers of rows, and the chance of failure that the same proof gives each; print it.

    Raises
    ------
    ValueError
        In one line, for an argument out of range.

    Examples
    --------
    >>> found = rows_compared(1000, 0.1)
    >>> found.rows, found.scikit_learn, round(found.scikit_learn_failure, 4)
    (7205, 5920, 1.0)
    """
    from sklearn.random_projection import johnson_lindenstrauss_min_dim

    (m,) = check_integer(points=points)
    if m < 2:
        raise ValueError(f"points must be at least 2, got {m}")
    (distortion, beta), ours = check_within_unit(distortion=distortion, beta=beta), rows_needed(m, distortion, beta)
    theirs = int(johnson_lindenstrauss_min_dim(m, eps=distortion))
    pairs = m * (m - 1) / 2
    fails = [min(1.0, pairs * float(sign_projection_tail(k=k, t=distortion))) for k in (ours, theirs)]
    return RowsCompared(m, distortion, beta, ours, theirs, *fails)


def features_needed(
    kernel: str,
    *,
    error: ArrayLike,
    beta: ArrayLike = 0.05,
    points: ArrayLike | None = None,
    d: int | None = None,
    diameter: float | None = None,
    bandwidth: float = 1.0,
) -> Any:
    """Return the number of random Fourier frequencies that approximate a kernel within `error`.

    Give `points`, or `d` and `diameter`; with both the smaller size is handed back. A frequency is two features, cosine
    and sine.

    Parameters
    ----------
    kernel : "gaussian", "laplacian" or "cauchy"
        With K(x, x) = 1.
    error : float or array
        On points: |<psi(x_i), psi(x_j)> - K(x_i, x_j)| for all pairs; else the same everywhere on a compact set.
        Positive; it is never above 2.
    beta : float or array
        The chance of failure, in (0, 1).
    points : int or array, optional
        How many, any, fixed before the draw; no dimension enters.
    d : int, optional
        The dimension of the compact set.
    diameter : float, optional
        Its diameter, in l2.
    bandwidth : float
        Of the kernel, in units of x. Positive.

    Returns
    -------
    int or array of int

    Raises
    ------
    ValueError
        In one line, for an argument out of range, for a compact set and the Laplacian kernel, whose frequencies have no
        second moment, and where 2^62 frequencies or more are needed.

    References
    ----------
    The explicit readings of Bassily, Mohri & Suresh (2022), Theorem 4.1, on points, and of Rubinstein, Bartlett, Huang
    & Taft (2009), Lemma 13, on a compact set.

    Examples
    --------
    >>> features_needed("gaussian", points=1000, error=0.1)
    3363
    >>> features_needed("cauchy", d=2, diameter=1.0, error=0.1)
    11314
    """
    check_choice(tuple(KERNELS), kernel=kernel)
    (width,) = check_positive(bandwidth=bandwidth)
    everywhere = d is not None and diameter is not None
    if points is None and not everywhere:
        raise ValueError("points is required, or d and diameter")

    def size(points: float, error: float, beta: float) -> int:
        (most,), (chance,) = check_positive(error=error), check_within_unit(beta=beta)
        sizes = [1] if most >= 2 else []  # both sides of the difference are in [-1, 1]
        if points or not everywhere:
            (m,) = check_integer(points=points)
            check_in_range("points", m, 1, 2.0**62, closed=True)  # beyond it the bound leaves the range of floats
            sizes.append(least_sufficient(lambda count: pairs_error(m, chance, count) <= most))
        if d is not None and diameter is not None:
            (size_of_space,), (across,) = check_integer(d=d), check_positive(diameter=diameter)
            check_in_range("d", size_of_space, 1, 2.0**62, closed=True)
            sizes.append(uniform_size(kernel, size_of_space, across, most, chance, width))
        return min(sizes)

    return broadcast_size(size, points=0 if points is None else points, error=error, beta=beta)


def pairs_error(m: int, beta: float, count: int) -> float:
    """Return the error of `count` frequencies on all pairs of m points; 0 for one point."""
    return float(inner_product_error_sharp(m=m, beta=beta, count=count)) if m > 1 else 0.0


def uniform_size(kernel: str, d: int, diameter: float, error: float, beta: float, bandwidth: float) -> int:
    """Return the number of frequencies that approximates a kernel on a compact set."""
    moment = KERNELS[kernel].second_moment
    if not np.isfinite(moment):
        raise ValueError(f"points is required for kernel = {kernel!r}, whose frequencies have no second moment")
    law: Any = {"d": d, "eps": error, "sigma_p": sqrt(d * moment) / bandwidth, "diam": diameter}
    return least_sufficient(lambda count: uniform_failure(count=count, **law) <= beta)


def least_sufficient(enough: Callable[[int], bool]) -> int:
    """Return the least integer that is enough, for a monotone condition."""

    def within_most(count: int) -> bool:
        if count > MOST:
            raise ValueError("no size below 2^62 is enough")
        return enough(count)

    return least_integer(within_most)


def broadcast_size(size: Callable[..., int], **arguments: Any) -> Any:
    """Return `size` at numbers, or elementwise at arrays that broadcast. ValueError where a size is 2^62 or more."""
    given = [as_real_array(name, value) for name, value in arguments.items()]
    try:
        arrays = np.broadcast_arrays(*given)
    except ValueError:
        raise ValueError(f"{', '.join(arguments)} must have shapes that broadcast") from None

    def checked(*cell: float) -> int:
        try:
            needed = size(*cell)
        except (ArithmeticError, MemoryError):
            needed = MOST
        if needed >= MOST:
            raise ValueError(f"{next(iter(arguments))} = {cell[0]:g} requires a size of 2^62 or more")
        return needed

    if arrays[0].ndim == 0:
        return checked(*[float(a) for a in arrays])
    cells = zip(*[a.ravel().tolist() for a in arrays], strict=True)
    return np.array([checked(*cell) for cell in cells], dtype=np.int64).reshape(arrays[0].shape)
