"""Random sign projections whose matrix is never stored.

A projection is public randomness: it is drawn before, and independently of, the data. `sign_projection`,
like `lemmata.mechanisms.features.fast_projection`, takes a generator and returns a small object that remembers only its
seed; `apply` maps points to R^k, `transpose` maps directions back to R^d, and both see the same matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.numerics.arguments import check_finite, check_integer, read_sparse, resolve_generator
from lemmata.mechanisms.numerics.arithmetic import as_real_array
from lemmata.mechanisms.numerics.kernel_choice import numba_kernels_if_worthwhile
from lemmata.mechanisms.numerics.sparse_rows import Rows, by_columns, entries_of, is_sparse

LARGEST = 2**32  # rows or columns
HEIGHT, TILE = 1024, 2**21  # rows, and entries, of the part of the matrix that exists at any one time
RECORDS, LANES = 1024, 64  # rows of X, or of W, that meet it at a time in a matrix product, and in the kernel
FEWEST, NARROWEST = 48, 128  # records, and coordinates before and after, that are worth the kernel's tables
CACHED = 2**16  # entries of the matrix, as floats, that fewer records meet at a time
SIGNS = np.where(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1), 1.0, -1.0)  # eight a byte

Tile = tuple[slice, slice, np.ndarray]  # rows and columns of a matrix of signs, and bits, eight of a row in a byte


def check_points(X: ArrayLike, width: int, name: str) -> Rows:
    """Return X as floats with last axis `width`, shape (width,) or (n, width); single precision stays what it is.

    Sparse rows, of which images are dense, come back sparse. That the entries are finite is left to `check_image`. The
    messages name no entry.
    """
    single = isinstance(X, np.ndarray) and X.dtype == np.float32 and not np.ma.isMaskedArray(X)
    array: Any = X if single else read_sparse(X, name) if is_sparse(X) else as_real_array(name, X)
    (width,) = check_integer(width=width)
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        raise ValueError(f"{name} has shape {array.shape}, not (n, {width}) or ({width},)")
    return array


def check_image(image: np.ndarray, X: Rows, name: str) -> np.ndarray:
    """Return the image of X. Raises ValueError if X has an entry that is not finite.

    Every coordinate of an image is a signed sum of all entries of its row, so such an entry shows there: the image is
    looked at first, and X, which is larger, only if the image overflowed.
    """
    if not np.isfinite(image).all():
        check_finite(name, entries_of(X))
    return image


@dataclass(frozen=True)
class SignProjection:
    """The k x d matrix Phi with independent entries +-1/sqrt(k), as a function of its seed.

    The matrix is cut into tiles of at most `HEIGHT` rows and `TILE` entries, each from a generator of its own that is
    derived from (seed, tile), so `apply` and `transpose` draw the same matrix and never hold more than one tile of it,
    whatever d is. Many records meet a tile by `kernels.signed_sums`, in half the time of a matrix product; few, or
    without numba, by that product, its signs looked up in the precision of the data. The matrix is the same on every
    machine; an image, up to the order of sums, which in BLAS the number of threads changes.
    """

    k: int
    d: int
    seed: tuple[int, ...] = field(repr=False)

    def _tiles(self) -> Iterator[Tile]:
        """All tiles of the matrix."""
        height = min(self.k, HEIGHT)
        width = min(-(-self.d // 8), TILE // height // 8)  # in bytes
        for i, top in enumerate(range(0, self.k, height)):
            rows = slice(top, min(self.k, top + height))
            for j, left in enumerate(range(0, self.d, 8 * width)):
                columns = slice(left, min(self.d, left + 8 * width))
                shape = rows.stop - top, -(-(columns.stop - left) // 8)
                stream = np.random.PCG64DXSM(np.random.SeedSequence(self.seed, spawn_key=(i, j)))
                drawn = np.frombuffer(np.random.Generator(stream).bytes(shape[0] * shape[1]), np.uint8)
                yield rows, columns, drawn.reshape(shape)

    def apply(self, X: ArrayLike) -> np.ndarray:
        """Return Phi x for every row x of X: shape (n, d) -> (n, k), or (d,) -> (k,); float32 in, float32 out."""
        X = check_points(X, self.d, "X")
        projected = np.zeros((*X.shape[:-1], self.k), dtype=X.dtype)
        if is_sparse(X):
            add_sparse_images(projected, X, self._tiles())
        else:
            with np.errstate(invalid="ignore", over="ignore"):
                for rows, columns, bits in self._tiles():
                    _accumulate(np.atleast_2d(projected)[:, rows], np.atleast_2d(X)[:, columns], bits, along=True)
        projected /= sqrt(self.k)
        return check_image(projected, X, "X")

    def transpose(self, W: ArrayLike) -> np.ndarray:
        """Return Phi^T w for every row w of W: shape (n, k) -> (n, d), or (k,) -> (d,); float32 in, float32 out."""
        W = check_points(W, self.k, "W")
        lifted = np.zeros((*W.shape[:-1], self.d), dtype=W.dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = np.atleast_2d(W) / W.dtype.type(sqrt(self.k))
            for rows, columns, bits in self._tiles():
                _accumulate(np.atleast_2d(lifted)[:, columns], scaled[:, rows], bits, along=False)
        return check_image(lifted, W, "W")


def add_sparse_images(total: np.ndarray, X: Rows, tiles: Iterable[Tile]) -> None:
    """total += X signs^T for sparse rows X, shape (n, d), and a matrix of signs, shape (k, d), tile by tile."""
    points: Any = by_columns(X)
    kernels = numba_kernels_if_worthwhile(total.size)  # the two differ by rounding, and what is stored is not public
    with np.errstate(invalid="ignore", over="ignore"):
        for rows, columns, bits in tiles:
            if kernels is None:
                _multiply(total[:, rows], points[:, columns], bits, True)
            else:
                stored = points.data, points.indices, points.indptr
                kernels.signed_columns(*stored, columns.start, np.ascontiguousarray(bits.T), total, rows.start)


def _accumulate(total: np.ndarray, left: np.ndarray, bits: np.ndarray, *, along: bool) -> None:
    """total += left @ signs^T, the rows of `left` lying `along` those of the tile, or else left @ signs."""
    n, inputs, outputs = *left.shape, total.shape[1]
    many = n >= FEWEST and min(inputs, outputs) >= NARROWEST
    kernels = numba_kernels_if_worthwhile(n * inputs * outputs) if many else None
    if kernels is None:
        _multiply(total, left, bits, along)
        return
    if not along:  # eight of a column in a byte
        bits = np.packbits(np.unpackbits(bits, axis=1, count=outputs), axis=0).T
    for first in range(0, outputs, HEIGHT):
        packed = np.zeros((bits.shape[1] + bits.shape[1] % 2, min(HEIGHT, outputs - first)), dtype=np.uint8)
        packed[: bits.shape[1]] = bits[first : first + HEIGHT].T
        for start in range(0, n, LANES):
            part = left[start : start + LANES].T
            lanes = -(-part.shape[1] // 16) * 16
            X, sums = _aligned(8 * len(packed), lanes, total.dtype), _aligned(packed.shape[1], lanes, total.dtype)
            X[:inputs, : part.shape[1]] = part
            kernels.signed_sums(X, packed, _aligned(64, lanes, total.dtype).reshape(4, 16, lanes), sums)
            total[start : start + LANES, first : first + HEIGHT] += sums.T[: part.shape[1]]


def _multiply(total: np.ndarray, left: Rows, bits: np.ndarray, along: bool) -> None:
    """The numpy version of the kernel: the same as a matrix product, a few rows of the tile as floats at a time."""
    few = is_sparse(left) or len(left) < FEWEST
    table, some = SIGNS.astype(total.dtype), max(1, (CACHED if few else TILE) // (8 * bits.shape[1]))
    for top in range(0, len(bits), some):
        rows = slice(top, min(len(bits), top + some))
        signs = np.take(table, bits[rows], axis=0, mode="clip").reshape(rows.stop - top, -1)
        if is_sparse(left):
            total[:, rows] += left @ signs[:, : left.shape[1]].T
            continue
        for start in range(0, len(left), RECORDS):
            part = slice(start, start + RECORDS)
            if along:
                total[part, rows] += left[part] @ signs[:, : left.shape[1]].T
            else:
                total[part] += left[part, rows] @ signs[:, : total.shape[1]]


def _aligned(rows: int, lanes: int, kind: np.dtype[Any]) -> np.ndarray:
    """Zeros, shape (rows, lanes), which begin at a line of the cache: vector units read such lines at once."""
    size = rows * lanes * kind.itemsize
    raw = np.zeros(size + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(kind).reshape(rows, lanes)


def sign_projection(k: int, d: int, *, rng: np.random.Generator) -> SignProjection:
    """Return a projection R^d -> R^k with independent entries +-1/sqrt(k), drawn from `rng` (Lemma A.3 of bms22).

    >>> phi = sign_projection(3, 5, rng=np.random.default_rng(0))
    >>> phi.apply(np.eye(5)).shape, phi.transpose(np.ones(3)).shape
    ((5, 3), (5,))
    """
    k, d = check_integer(LARGEST, k=k, d=d)  # more rows, or longer ones, no memory holds
    rng = resolve_generator(rng)
    return SignProjection(k, d, tuple(int(word) for word in rng.integers(0, 2**32, size=4)))
