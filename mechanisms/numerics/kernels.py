"""Compiled loops for what numpy does slowly: butterflies, signed sums, and steps that depend on each other.

Every kernel has a twin in numpy beside the mechanism that calls it, which is used where numba is not installed (it is
the extra `fast`) and where there is too little to do for a compiler: `kernels(work)` decides. A kernel compiles on its
first call, a second or two, and is kept on disk for every later process. Nothing here draws a random number or knows of
privacy. Without numba the functions below are plain Python, which the tests compare with both.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

HELD, SUMMED = 32, 64  # steps before a vector is written out, and numbers in a partial sum: `sparse_hinge_steps`

try:
    from numba import njit
except ImportError:

    def njit(**_: Any) -> Callable[[Any], Any]:  # type: ignore[no-redef,unused-ignore]
        """Leave a function as it is."""
        return lambda function: function


@njit(cache=True)
def butterflies(V: np.ndarray, least: int) -> None:
    """The rounds len(V)/2, len(V)/4, ..., `least` of the Walsh-Hadamard transform of V, in place, two at a time."""
    half = V.size // 2
    while half >= 2 * least:
        q = half // 2
        for start in range(0, V.size, 2 * half):
            first, second = V[start : start + q], V[start + q : start + 2 * q]
            third, fourth = V[start + 2 * q : start + 3 * q], V[start + 3 * q : start + 4 * q]
            for i in range(q):
                a, b = first[i] + third[i], second[i] + fourth[i]
                c, d = first[i] - third[i], second[i] - fourth[i]
                first[i], second[i], third[i], fourth[i] = a + b, a - b, c + d, c - d
        half //= 4
    if half == least:
        for start in range(0, V.size, 2 * half):
            first, second = V[start : start + half], V[start + half : start + 2 * half]
            for i in range(half):
                a, b = first[i], second[i]
                first[i], second[i] = a + b, a - b


@njit(cache=True)
def hadamard(V: np.ndarray, columns: int, lanes: int, scratch: np.ndarray) -> None:
    """The Walsh-Hadamard transform of V, in place; V is a matrix of that many columns, `scratch` `lanes` of its rows.

    Long butterflies run down the columns. The short ones, which no vector unit likes, run down the columns of the
    transposed matrix, `lanes` rows at a time: they stay in the first cache.
    """
    matrix, turned = V.reshape(V.size // columns, columns), scratch.reshape(columns, lanes)
    butterflies(V, columns)
    for top in range(0, V.size // columns, lanes):
        for i in range(lanes):
            for j in range(columns):
                turned[j, i] = matrix[top + i, j]
        butterflies(scratch, lanes)
        for i in range(lanes):
            for j in range(columns):
                matrix[top + i, j] = turned[j, i]


@njit(cache=True)
def sampled_transforms(
    X: np.ndarray, signs: np.ndarray, coordinates: np.ndarray, columns: int, lanes: int, out: np.ndarray
) -> None:
    """out[i] = (H diag(signs) x_i)[coordinates] for every row of X, shape (n, d), padded with zeros."""
    V, scratch = np.zeros_like(signs), np.empty_like(signs[: columns * lanes])
    d = X.shape[1]
    for row in range(X.shape[0]):
        x, image = X[row], out[row]
        for j in range(d):
            V[j] = x[j] * signs[j]
        V[d:] = 0
        hadamard(V, columns, lanes, scratch)
        for j in range(coordinates.size):
            image[j] = V[coordinates[j]]


@njit(cache=True)
def scattered_transforms(
    W: np.ndarray, signs: np.ndarray, coordinates: np.ndarray, columns: int, lanes: int, out: np.ndarray
) -> None:
    """out[i] = the first coordinates of diag(signs) H v, v with w_ij added at coordinates[j]; W of shape (n, k)."""
    V, scratch = np.empty_like(signs), np.empty_like(signs[: columns * lanes])
    for row in range(W.shape[0]):
        w, image = W[row], out[row]
        V[:] = 0
        for j in range(coordinates.size):
            V[coordinates[j]] += w[j]
        hadamard(V, columns, lanes, scratch)
        for j in range(out.shape[1]):
            image[j] = V[j] * signs[j]


@njit(cache=True, fastmath={"reassoc", "contract"})
def sums_of_four(x: np.ndarray, table: np.ndarray) -> None:
    """table[b] = the sum of the four rows of x, signed by the bits of b = 0..15, the highest first; a 1 is a plus."""
    for r in range(x.shape[1]):
        p, q = x[0, r] + x[1, r], x[2, r] + x[3, r]
        s, t = x[0, r] - x[1, r], x[2, r] - x[3, r]
        table[15, r], table[14, r], table[13, r], table[12, r] = p + q, p + t, p - t, p - q
        table[11, r], table[10, r], table[9, r], table[8, r] = s + q, s + t, s - t, s - q
    for b in range(8):
        for r in range(x.shape[1]):
            table[b, r] = -table[15 - b, r]


@njit(cache=True, fastmath={"reassoc", "contract"})
def signed_sums(X: np.ndarray, packed: np.ndarray, tables: np.ndarray, total: np.ndarray) -> None:
    """total += S^T X for the signs S whose bits, eight a byte, stand in `packed`: one row of X for every bit.

    X: (16 q, lanes); packed: (2 q, k); tables: room, (4, 16, lanes); total: (k, lanes). Sixteen rows of X become four
    tables of all their signed sums of four, and then every column of S needs four look-ups instead of sixteen products.
    """
    for byte in range(0, packed.shape[0], 2):
        for four in range(4):
            start = 8 * byte + 4 * four
            sums_of_four(X[start : start + 4], tables[four])
        for j in range(packed.shape[1]):
            high, low, sums = packed[byte, j], packed[byte + 1, j], total[j]
            first, second = tables[0, high >> 4], tables[1, high & 15]
            third, fourth = tables[2, low >> 4], tables[3, low & 15]
            for r in range(X.shape[1]):
                sums[r] += (first[r] + second[r]) + (third[r] + fourth[r])


@njit(cache=True)
def signed_columns(
    entries: np.ndarray, rows: np.ndarray, ends: np.ndarray, first: int, bits: np.ndarray, total: np.ndarray, top: int
) -> None:
    """total[i, top + j] += x sign for the entries (i, x) of a csc_array's columns, from `first` on, and all j.

    `bits`: (q, k), eight columns in a byte, the first one in the highest bit; a 1 is a plus. The work is that of the
    stored entries alone, each times k.
    """
    signs = np.empty(bits.shape[1])
    for column in range(min(8 * bits.shape[0], ends.size - 1 - first)):
        begin, end = ends[first + column], ends[first + column + 1]
        if begin < end:
            byte, shift = bits[column >> 3], 7 - (column & 7)
            for j in range(signs.size):
                signs[j] = 2.0 * ((byte[j] >> shift) & 1) - 1.0
        for place in range(begin, end):
            image, x = total[rows[place], top:], entries[place]
            for j in range(signs.size):
                image[j] += x * signs[j]


@njit(cache=True)
def signed_rows(
    entries: np.ndarray, columns: np.ndarray, ends: np.ndarray, high: np.ndarray, low: np.ndarray, total: np.ndarray
) -> None:
    """total[i] += x signs[j] for the entries (j, x) of row i of a csr_array, in their order.

    The signs of column j are minus where high[j // q] and low[j % q], q the rows of `low`, differ: bytes 0 and 1.
    """
    for i in range(total.shape[0]):
        image = total[i]
        for place in range(ends[i], ends[i + 1]):
            x, (left, right) = entries[place], divmod(columns[place], low.shape[0])
            first, second = high[left], low[right]
            for j in range(image.size):
                image[j] += -x if first[j] ^ second[j] else x


@njit(cache=True)
def exponent_counts(bits: np.ndarray, octaves: int, counts: np.ndarray) -> None:
    """counts[j, b] += the entries of column j in signed octave b of `column_ranges.octave_bins`, given floats' bits."""
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            word = bits[i, j]
            size = min(max(((word >> 52) & 2047) - (1022 - octaves), 0), 2 * octaves)
            counts[j, 2 * octaves + (size if word >= 0 else -size)] += 1


@njit(cache=True, fastmath={"reassoc", "contract"})
def hinge_sums(Z: np.ndarray, w: np.ndarray, width: float, total: np.ndarray) -> np.ndarray:
    """`total`, made the sum of the rows z of Z with <z, w> < width; each row is read from memory once.

    A short row that does not count is added 0 times, which takes less than a branch that was guessed wrongly.
    """
    total[:] = 0
    for i in range(Z.shape[0]):
        z, along = Z[i], 0.0
        for j in range(w.size):
            along += z[j] * w[j]
        count = 1.0 if along < width else 0.0
        if count > 0 or w.size <= 64:
            for j in range(w.size):
                total[j] += count * z[j]
    return total


@njit(cache=True, fastmath={"reassoc", "contract"})
def hinge_steps(
    V: np.ndarray,
    Z: np.ndarray,
    inverse: np.ndarray,
    rows: np.ndarray,
    rho: float,
    pull: float,
    cap: float,
    norm_bound: float,
    total: np.ndarray,
) -> None:
    """Steps of `phased_sgd.average_iterate` over rows of Z by number: (steps, runs), or (steps, 1) for all.

    V becomes the last iterate, and those before each step are added to `total`. Sums may be taken in any order.
    """
    for run in range(V.shape[0]):
        v, visited = V[run], total[run]
        for t in range(rows.shape[0]):
            row, along = rows[t, run % rows.shape[1]], 0.0
            z = Z[row]
            for j in range(v.size):
                visited[j] += v[j]
                along += v[j] * z[j]
            size, square = min(max((rho - along) * (pull * inverse[row]), 0.0), cap), 0.0
            for j in range(v.size):
                v[j] += size * z[j]
                square += v[j] * v[j]
            if square > norm_bound**2:
                v *= norm_bound / np.sqrt(square)


@njit(cache=True, fastmath={"reassoc", "contract"})
def short_square(v: np.ndarray) -> float:
    """Return the squared length of a short vector, summed in any order."""
    square = 0.0
    for j in range(v.size):
        square += v[j] * v[j]
    return square


@njit(cache=True)
def long_square(v: np.ndarray) -> float:
    """Return the squared length of a vector, `SUMMED` numbers at a time: no number is in more than 64 + k / 64 sums."""
    square = 0.0
    for start in range(0, v.size, SUMMED):
        square += short_square(v[start : start + SUMMED])
    return square


@njit(cache=True)
def sparse_hinge_steps(
    V: np.ndarray,
    entries: np.ndarray,
    columns: np.ndarray,
    ends: np.ndarray,
    rows: np.ndarray,
    rho: float,
    pull: float,
    cap: float,
    norm_bound: float,
    total: np.ndarray,
) -> None:
    """`hinge_steps` on the rows of a csr_array, at the cost of what they store: for a proof of their error, 2,048 wide.

    For `HELD` steps at most v is scale * V[run]. A row is added to V[run], a projection changes the scale alone, and
    the length of v follows from <v, z> and |z|. Then v is written out. The visited points of these steps add up to
    scales times the first, and nonnegative multiples of rows, so that no digits cancel. The orders and limits here are
    those of the proof in `lemmata.bounds.wzw25.gaussian_privacy_proof.average_error`.
    """
    first, scales, sizes = np.empty_like(V[0]), np.empty(HELD), np.empty(HELD)
    for run in range(V.shape[0]):
        v, visited, own = V[run], total[run], run % rows.shape[1]
        begun = 0
        while begun < rows.shape[0]:
            first[:] = v
            square, scale, held = long_square(v), 1.0, 0
            # A scale below 1/2 would make the rows that are added long, and their roundings large.
            while held < HELD and begun + held < rows.shape[0] and scale >= 0.5:
                row = rows[begun + held, own]
                along, own_square = 0.0, 0.0
                for start in range(ends[row], ends[row + 1], SUMMED):
                    part, part_square = 0.0, 0.0
                    for j in range(start, min(start + SUMMED, ends[row + 1])):
                        part += v[columns[j]] * entries[j]
                        part_square += entries[j] * entries[j]
                    along += part
                    own_square += part_square
                along *= scale
                size = 0.0
                if own_square > 1e-200:
                    size = min(max((rho - along) * (pull / own_square), 0.0), cap)
                scales[held], sizes[held] = scale, size / scale
                if size > 0:
                    for j in range(ends[row], ends[row + 1]):
                        v[columns[j]] += sizes[held] * entries[j]
                    square += size * (2 * along + size * own_square)
                    if size * size * own_square > norm_bound**2:  # a long step hides the digits of what it cancels
                        square = scale * scale * long_square(v)
                    if square > norm_bound**2:
                        scale *= norm_bound / np.sqrt(square)
                        square = norm_bound**2
                held += 1
            after = 0.0  # the scales of the points after a row was added
            for back in range(held - 1, -1, -1):
                row, weight = rows[begun + back, own], sizes[back] * after
                for j in range(ends[row], ends[row + 1]):
                    visited[columns[j]] += weight * entries[j]
                after += scales[back]
            for j in range(v.size):
                visited[j] += after * first[j]
                v[j] *= scale
            begun += held
