"""Means, histograms and quantiles of private numbers in one call, exact, and charged to an account.

    lemmata.private_mean(ages, bounds=(0, 120), epsilon=0.5)
    lemmata.private_histogram(ages, edges=range(0, 121, 10), epsilon=0.5, accountant=account)
    lemmata.private_quantile(ages, [0.25, 0.5, 0.75], bounds=(0, 120), epsilon=0.5)

Neighbours differ in one replaced record, and how many records there are is public. Numbers are read as a learner reads
them: no record is refused for what it holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.learners.statistics import bounded_mean, histogram, quantile
from lemmata.mechanisms.numerics.arguments import (
    as_float_array,
    check_exactly_one,
    check_finite,
    quiet,
    resolve_generator,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range
from lemmata.mechanisms.numerics.inherited_docs import share_docs
from lemmata.mechanisms.numerics.per_record import is_list, row_entries
from lemmata.mechanisms.numerics.sparse_rows import Rows, is_sparse
from lemmata.mechanisms.privacy import ApproxDP, Guarantee, PureDP
from lemmata.mechanisms.privacy.disclosure import charge_account, check_account
from lemmata.mechanisms.tables.inputs import as_label_array, as_label_column, as_table, equals_label


@quiet
def private_mean(
    X: ArrayLike,
    *,
    bounds: ArrayLike,
    epsilon: float,
    delta: float = 0.0,
    accountant: Any = None,
    rng: np.random.Generator | None = None,
) -> Any:
    """Return the mean of X, or of every column of a table, with exact noise.

    Formal guarantee: (epsilon, delta)-DP under replacement of one record, for every input and the bits released. Error:
    Laplace noise of scale d (high - low) / (n epsilon) for d columns; with a delta a Gaussian of standard deviation
    sqrt(d) (high - low) / (n mu), mu = `gaussian_mu(epsilon, delta)` (`rbht09.thm7.float64/explicit/mean-error`).
    Values beyond the bounds are clipped to them.

    Parameters
    ----------
    X : array of shape (n,) or (n, d)
        What is no number counts as the middle of its bounds. A list is one column, and a table only where `bounds` are
        arrays of shape (d,): what its records look like does not decide it.
    bounds : pair
        (low, high), public, numbers or arrays of shape (d,).
    epsilon, delta : float
        epsilon > 0 and 0 <= delta < 1.
    accountant : Accountant, optional
        Charged before anything is drawn.
    rng : Generator, optional
        Without it all bits come from the operating system. Whoever knows its seed can take the noise away.

    Returns
    -------
    float or array of shape (d,)

    Raises
    ------
    ValueError
        In one line, for what is public and out of range.
    OverBudget
        Where the account does not pay for it; nothing was drawn.

    Examples
    --------
    >>> bool(abs(private_mean(np.arange(1000), bounds=(0, 1000), epsilon=10.0) - 500) < 10)
    True
    """
    rows, one = read_columns(X, bounds)
    asked = read_budget(epsilon, delta)
    return release(bounded_mean.law(rows, privacy=asked, bounds=bounds), asked, "private_mean", accountant, rng, one)


@share_docs(private_mean)
@quiet
def private_histogram(
    X: ArrayLike,
    *,
    edges: ArrayLike | None = None,
    categories: Any = None,
    epsilon: float,
    delta: float = 0.0,
    accountant: Any = None,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """Return how many values are between public edges, or are each of some public categories, with exact noise.

    Formal guarantee: (epsilon, delta)-DP under replacement of one record, for every input and the bits released. Error:
    a count has Laplace noise of scale 2 d / epsilon for d columns; with a delta a Gaussian of standard deviation
    sqrt(2 d) / mu; then it is rounded to a whole number, which may be below 0
    (`rbht09.thm7.float64/explicit/histogram-error`).

    Parameters
    ----------
    X : array of shape (n,) or (n, d)
        Values outside all edges, and those of no category, are counted nowhere. With categories of shape (n,). A list
        is one column.
    edges : array of shape (bins + 1,), optional
        Ascending; the last one belongs to the last bin. Public. Exactly one of `edges` and `categories` is given.
    categories : sequence of labels, optional
        Two or more, public; counted in this order.

    Returns
    -------
    array of whole numbers of shape (bins,) or (d, bins)

    Raises
    ------
    ValueError
        In one line, for what is public and out of range.
    OverBudget
        Where the account does not pay for it; nothing was drawn.

    Examples
    --------
    >>> private_histogram(["a", "b", "a", "c"], categories=["a", "b"], epsilon=100.0).tolist()
    [2, 1]
    """
    check_exactly_one(edges=edges, categories=categories)
    if categories is not None:
        as_label_array(categories)
        labels, edges = as_label_column(X), np.arange(len(categories) + 1) - 0.5
        same = [equals_label(labels, label) for label in categories]
        X = np.where(np.any(same, axis=0), np.argmax(same, axis=0), np.nan)
    rows, one = read_columns(X)
    asked = read_budget(epsilon, delta)
    law = histogram.law(rows, privacy=asked, edges=edges)  # type: ignore[arg-type]
    return np.asarray(release(law, asked, "private_histogram", accountant, rng, one)).astype(np.int64)


@share_docs(private_mean)
@quiet
def private_quantile(
    X: ArrayLike,
    q: ArrayLike,
    *,
    bounds: ArrayLike,
    epsilon: float,
    cells: int = 2**16,
    accountant: Any = None,
    rng: np.random.Generator | None = None,
) -> Any:
    """Return quantiles of X, or of every column of a table, by exact choices from a public grid.

    Formal guarantee: epsilon-DP under replacement of one record, for every input and the bits released. Error: with e
    the share epsilon / (columns quantiles), a value further than (2 / e) log(cells / beta) records from its quantile is
    returned with probability at most beta (`rbht09.thm7.float64/explicit/quantile-error`); the grid adds
    (high - low) / (2 cells).

    Parameters
    ----------
    X : array of shape (n,) or (n, d)
        What is no number counts as the middle of its bounds. A list is read as by `private_mean`.
    q : float or array of shape (k,)
        Each in [0, 1]: 0.5 is the median.
    bounds : pair
        (low, high), public, numbers or arrays of shape (d,): what lies beyond counts as the nearer one.
    epsilon : float
        Positive.
    cells : int
        Of the grid between the bounds. Public.

    Returns
    -------
    float, or array of shape (k,), (d,) or (d, k)

    Raises
    ------
    ValueError
        In one line, for what is public and out of range.
    OverBudget
        Where the account does not pay for it; nothing was drawn.

    Examples
    --------
    >>> bool(abs(private_quantile(np.arange(1000), 0.25, bounds=(0, 4000), epsilon=10.0) - 250) < 10)
    True
    """
    rows, one = read_columns(X, bounds)
    asked = read_budget(epsilon, 0.0)
    law = quantile.law(rows, privacy=asked, q=q, bounds=bounds, cells=cells)
    found = release(law, asked, "private_quantile", accountant, rng, one)
    return found if np.ndim(q) else found[..., 0]


def read_columns(X: Any, bounds: Any = 0.0) -> tuple[Rows, bool]:
    """Return private numbers as a table (n, d), and whether they were one column (n,).

    What its records look like does not decide whether a list is a table, but `bounds`, which are public: it is one of d
    columns where they have shape (2, d), and a record of another length has no numbers; else it is one column.
    """
    columns = check_finite("bounds", bounds).shape[1:2] if is_list(X) else ()
    if columns:
        rows = (row_entries(one) or () for one in X)
        X = [row if len(row) == columns[0] else [None] * columns[0] for row in rows]
    if is_list(X):
        X = as_float_array("X", X, 1 + len(columns))
    if is_sparse(X) or np.ndim(X) != 1:
        return as_table(X), False
    return as_table(np.asarray(X)[:, None]), True


def read_budget(epsilon: float, delta: float) -> Guarantee:
    """Return the guarantee of one release. ValueError for an epsilon or a delta out of range."""
    check_in_range("epsilon", epsilon, 0, np.inf)
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def release(law: Any, asked: Guarantee, name: str, accountant: Any, rng: np.random.Generator | None, one: bool) -> Any:
    """Return one release, paid for first; of `one` column alone without its axis."""
    check_account(accountant)
    source = resolve_generator(rng)
    charge_account(accountant, asked, name)
    drawn = law.sample(source)[0]
    return drawn[0] if one else drawn
