"""Rows that are stored sparsely: the same numbers as of their dense copy, at the cost of the entries that are stored.

A map of single entries that keeps 0 needs the stored entries alone, and so does a sum, if zeros change nothing in it:
sums over a row are taken from left to right here, in which a zero adds nothing, while numpy's pairwise sums depend on
where the zeros are. So a row is clipped and rounded to the same bits however it is stored. What needs dense rows gets
them a band at a time (`lemmata.mechanisms.numerics.arguments.map_row_blocks`), and rows that a map makes dense are made
when they are read (`RowsOnDemand`).

How long a fit of sparse rows takes, and its memory, tell how many entries are stored; no running time is protected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

SQUARED = 2**16  # entries of dense rows whose squares exist at any one time
BAND = 2**16  # entries of rows on demand, or products with rows, that exist at any one time: they stay in a cache
Rows = np.ndarray  # of shape (n, d); or a csr_array as `canonical_rows` returns it, which has no type of its own here


def is_sparse(X: Any) -> bool:
    """Return whether X is a sparse array or matrix of scipy."""
    return bool(sparse.issparse(X))


@dataclass(frozen=True)
class RowsOnDemand:
    """Dense rows of shape (n, width) that a map makes of stored ones, a few at a time, whenever they are read.

    `make` returns new rows and maps them one by one, so that a row has the same bits in whatever company it is read.
    """

    stored: Rows = field(repr=False)
    make: Callable[[Rows], np.ndarray] = field(repr=False)
    width: int
    signs: np.ndarray | None = field(default=None, repr=False)  # of the rows that are made, shape (n,)
    ndim, dtype = 2, np.dtype(float)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (n, width), as an array has it."""
        return self.stored.shape[0], self.width

    @property
    def size(self) -> int:
        """Numbers in all rows."""
        return self.stored.shape[0] * self.width

    @property
    def height(self) -> int:
        """How many rows are made at a time where all are read: a sixteenth, or as many as stay in a cache."""
        return max(BAND // self.width, self.shape[0] // 16, 1)

    def __getitem__(self, rows: Any) -> np.ndarray:
        made = self.make(self.stored[rows])
        if self.signs is not None:
            made *= self.signs[rows][:, None]
        return made

    def then(self, further: Callable[[np.ndarray], np.ndarray]) -> RowsOnDemand:
        """Return these rows under another map of single rows, before they have signs."""
        make = self.make
        return replace(self, make=lambda rows: further(make(rows)))

    def hold(self, kind: Any = float) -> np.ndarray:
        """Return all rows as an array of that type, made a band at a time."""
        held = np.empty(self.shape, dtype=kind)
        for start in range(0, self.shape[0], self.height):
            held[start : start + self.height] = self[start : start + self.height]
        return held


def is_on_demand(X: Any) -> bool:
    """Return whether X is a `RowsOnDemand`."""
    return isinstance(X, RowsOnDemand)


def row_bands(X: Any, products: int = 1) -> Iterator[Rows]:
    """Yield the rows of X in bands: about `BAND` numbers that are copied or made, or are products with that many."""
    n, d = X.shape
    height = max(1, BAND // max(products, d if is_on_demand(X) else -(-X.nnz // n) if is_sparse(X) else 1))
    return (X[start : start + height] for start in range(0, n, height))


def canonical_rows(X: Any) -> Rows:
    """Return a sparse table of real numbers as floats, one entry a place, in order; the caller's own is not changed.

    >>> canonical_rows(sparse.coo_array(([1, 2], ([0, 0], [1, 1])), shape=(1, 2))).data.tolist()
    [3.0]
    """
    rows: Any = sparse.csr_array(X, dtype=float)  # shares the arrays of floats in rows
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if rows.indices.dtype != np.int32 and max(rows.nnz, *rows.shape) < 2**31:  # LIBLINEAR takes no more
        places = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
        rows = sparse.csr_array((rows.data, *places), shape=rows.shape)
    return rows


def entries_of(X: Any) -> np.ndarray:
    """Return the entries that are stored: of a dense table all, shape (n, d)."""
    entries: np.ndarray = X.data if is_sparse(X) else X
    return entries


def columns_of(X: Any) -> Any:
    """Return the column of each of `entries_of`, or, for a dense table, the slice of all columns."""
    return X.indices if is_sparse(X) else slice(None)


def by_columns(X: Any) -> Rows:
    """Return rows as a table from which columns are cheaply taken: of (d,) one row of them."""
    return X.tocsc() if is_sparse(X) else np.atleast_2d(X)


def dense_rows(X: Any) -> np.ndarray:
    """Return rows as an array."""
    return np.asarray(X.toarray() if is_sparse(X) else X)


def with_entries(X: Any, entries: np.ndarray) -> Rows:
    """Return rows with other entries at the places where those of X are stored; places are shared."""
    rows: Rows = sparse.csr_array((entries, X.indices, X.indptr), shape=X.shape) if is_sparse(X) else entries
    return rows


def per_entry(X: Any, values: np.ndarray) -> np.ndarray:
    """Return one value a row, shape (n,), for every entry of `entries_of`."""
    return np.repeat(values, np.diff(X.indptr)) if is_sparse(X) else values[:, None]


def sum_of_squares(X: Any) -> np.ndarray:
    """Return the squared length of every row, summed from left to right: zeros that are not stored change no bit.

    >>> sum_of_squares(np.array([[3.0, 0.0, 4.0]])).tolist(), sum_of_squares(sparse.csr_array([[3.0, 0, 4]])).tolist()
    ([25.0], [25.0])
    """
    if is_sparse(X):
        return np.asarray(with_entries(X, X.data**2) @ np.ones(X.shape[1]))
    sums, height = np.empty(len(X)), max(1, SQUARED // max(1, X.shape[1]))
    for start in range(0, len(X), height):
        band = X[start : start + height]
        sums[start : start + height] = np.cumsum(band * band, axis=1)[:, -1]
    return sums


def largest_entries(X: Any) -> np.ndarray:
    """Return the largest absolute value of every row, shape (n,)."""
    largest = abs(X).max(axis=1)
    return np.asarray(largest.toarray().ravel() if is_sparse(X) else largest)


def with_constant(X: Any, constant: float) -> Rows:
    """Return rows with one more entry each, shape (n, d + 1).

    >>> with_constant(sparse.csr_array([[3.0, 0.0], [0.0, 0.0]]), 0.5).toarray().tolist()
    [[3.0, 0.0, 0.5], [0.0, 0.0, 0.5]]
    """
    n, d = X.shape
    if not is_sparse(X):
        return np.concatenate([X, np.full((n, 1), constant)], axis=1)
    ends, places = X.indptr[1:], X.indptr.dtype if X.nnz + n < 2**31 else np.int64
    starts = X.indptr + np.arange(n + 1, dtype=places)
    parts = np.insert(X.data.astype(float, copy=False), ends, constant), np.insert(X.indices, ends, d), starts
    return sparse.csr_array(parts, shape=(n, d + 1))


def equal_rows(A: Any, B: Any) -> bool:
    """Return whether two tables have the same numbers, stored in the same way."""
    parts = zip(*((M.data, M.indices, M.indptr) if is_sparse(M) else (M,) for M in (A, B)), strict=False)
    return np.shape(A) == np.shape(B) and is_sparse(A) == is_sparse(B) and all(np.array_equal(*pair) for pair in parts)


def multiply_into(A: Any, B: np.ndarray, out: np.ndarray) -> None:
    """out = A @ B."""
    if is_sparse(A):
        out[...] = A @ B
    else:
        np.matmul(A, B, out=out)
