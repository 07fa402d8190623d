"""Three float64 functions with proved error bounds, for the fast first decision of the exact samplers.

    log_of(x)        -log x                                    on [2^-16, 1]     within 2^-46
    quantile_of(x)   t with 2 Phi(-t) = x, for x <= 1          on [2^-16, 1]     within 2^-46
    exp_of(x)        exp x, relative to itself                 on [-700, 0]      within 2^-46

A library's own are accurate too, but nobody has proved how much. Here a number is looked up in a table, and a Taylor
polynomial of degree 4 around the middle of its segment is summed: additions, products and look-ups, which IEEE 754
rounds correctly. Every binade has 256 segments, so an offset from a middle c is exact, and at most h = 2^-9 c.

Proof for t: with f = 1/(2 phi(t)) the n-th derivative of t in x is (-f)^n P_n(t), where P_1 = 1 and
P_{n+1} = n t P_n + P_n', so P_5 = 7 + 46 t^2 + 24 t^4: Lagrange's remainder is at most P_5(t) f^5 h^5 / 120, t at the
segment's lower end, which is below 2^-47. The table's first column is the value rounded (2^-51, as t < 8), the others
are off by a relative 2^-49 and contribute at most 2^-8; so the sum is off by less than 2^-50 more. For the logarithm
the remainder is at most (h/c)^5 / 5 / (1 - 2^-8)^5, below 2^-47 too. For exp x, x = n log(2)/256 + r with |r| below
2^-9: the remainder is r^5/120, below 2^-51; n has 18 bits and the first part of log(2)/256 34, so that their product is
exact, and the second part and the five operations add a relative 2^-49. `certify_error` encloses the remainders and
the tables in ball arithmetic, segment by segment, with no float but the tables themselves.
"""

from functools import lru_cache
from math import log

import numpy as np
from flint import arb, ctx
from scipy.special import ndtri

from lemmata.bounds.exact.balls import Phi, exact, phi

PARTS = 8  # bits of a binade's segments
LOW = 16  # binades below 1
FIRST = (1023 - LOW) << PARTS  # what the leading bits of 2^-16 are
BAND = 2**14  # numbers whose exponentials stay in a core's cache while they are worked out
COARSE = float(np.round(log(2) / 256 * 2.0**42) * 2.0**-42)  # 34 bits of log(2)/256, which begins behind 2^-9


def _middles() -> np.ndarray:
    """The middles of all segments, shape (4097,): the last one begins at 1."""
    leading = np.arange(FIRST, ((1023) << PARTS) + 1, dtype=np.int64) << (52 - PARTS)
    return (leading + (1 << (51 - PARTS))).view(float)


def _quantile(c: float) -> arb:
    """t with 2 Phi(-t) = c, in a ball: a Newton step from a float, whose error e becomes less than (|t| + 1) e^2."""
    t = -exact(float(ndtri(c / 2)) if c < 1 else -float(ndtri(1 - c / 2)))
    step = (2 * Phi(-t) - exact(c)) / (2 * phi(t))
    left = 4 * (abs(t) + 1) * step**2
    return t + step + left.union(-left)


@lru_cache(maxsize=1)
def _quantiles() -> np.ndarray:
    """Taylor coefficients of t at the middles, shape (5, 4097)."""
    with ctx.workprec(100):
        t = np.array([float(_quantile(c)) for c in _middles().tolist()])
    f = np.sqrt(np.pi / 2) * np.exp(t**2 / 2)
    return np.array([t, -f, t * f**2 / 2, -(1 + 2 * t**2) * f**3 / 6, (7 * t + 6 * t**3) * f**4 / 24])


@lru_cache(maxsize=1)
def _logs() -> np.ndarray:
    """Taylor coefficients of -log at the middles, shape (5, 4097)."""
    c = _middles()
    with ctx.workprec(100):
        first = [float(-exact(x).log()) for x in c.tolist()]
    return np.array([first, -1 / c, 1 / (2 * c**2), -1 / (3 * c**3), 1 / (4 * c**4)])


@lru_cache(maxsize=1)
def _powers() -> tuple[np.ndarray, float]:
    """(2^(j/256) for j < 256, what `COARSE` lacks of log(2)/256)."""
    with ctx.workprec(200):
        powers = np.array([float((arb(2).log() * j / 256).exp()) for j in range(256)])
        return powers, float(arb(2).log() / 256 - exact(COARSE))


def _summed(x: np.ndarray, table: np.ndarray) -> np.ndarray:
    bits = x.view(np.int64)
    segment = (bits >> (52 - PARTS)) - FIRST
    offset = x - ((bits >> (52 - PARTS) << (52 - PARTS)) + (1 << (51 - PARTS))).view(float)
    total = table[4].take(segment)
    for column in table[3::-1]:
        total *= offset
        total += column.take(segment)
    return total


def normal_quantile(x: np.ndarray) -> np.ndarray:
    """Return t with 2 Phi(-t) = x for a float array in [2^-16, 1], each within 2^-46.

    >>> normal_quantile(np.array([1.0, 0.3173105078629141])).round(12).tolist()
    [0.0, 1.0]
    """
    return _summed(x, _quantiles())


def minus_log(x: np.ndarray) -> np.ndarray:
    """Return -log x for a float array in [2^-16, 1], each within 2^-46.

    >>> minus_log(np.array([1.0, 0.5])).round(12).tolist()
    [0.0, 0.693147180560]
    """
    return _summed(x, _logs())


def exp_below_700(x: np.ndarray) -> np.ndarray:
    """Return exp x for a float array in [-700, 0], each within a relative 2^-46; below -700 it is 0.

    >>> exp_below_700(np.array([0.0, -1.0, -800.0])).round(12).tolist()
    [1.0, 0.367879441171, 0.0]
    """
    flat, out = np.ascontiguousarray(x, dtype=float).reshape(-1), np.empty(np.size(x))
    for start in range(0, flat.size, BAND):
        band = slice(start, start + BAND)
        _exp(flat[band], out[band])
    return out.reshape(np.shape(x))


def _exp(x: np.ndarray, out: np.ndarray) -> None:
    """One band of `exp_below_700`: 2^(n / 256) (1 + r (1 + r (1/2 + r (1/6 + r / 24)))), every operation in place."""
    powers, fine = _powers()
    r = np.maximum(x, -700.0)
    n = r * (256 / log(2))
    np.rint(n, out=n)
    r -= np.multiply(n, COARSE, out=out)
    r -= np.multiply(n, fine, out=out)
    np.divide(r, 24, out=out)
    for coefficient in (1 / 6, 0.5, 1.0):
        out += coefficient
        out *= r
    out += 1
    whole = n.astype(np.int64)
    out *= powers.take(whole & 255)
    whole >>= 8
    whole += 1023
    whole <<= 52
    out *= whole.view(float)  # a power of two: no subnormal, as e^-700 is above 2^-1010
    out[x < -700.0] = 0.0


def certify_error(name: str) -> arb:
    """Return the largest remainder, or error of a table's first column if that is more, over all segments, in balls.

    `name`: "quantile", "log" or "exp". What the text above adds to it for the roundings is 2^-49.

    >>> bool(certify_error("exp") < 2**-50)
    True
    """
    with ctx.workprec(100):
        if name == "exp":
            powers, fine = _powers()
            r = (exact(COARSE) + exact(fine)) * arb("0.5000001")
            tables = [abs(exact(p) / (arb(2).log() * j / 256).exp() - 1) for j, p in enumerate(powers.tolist())]
            return _largest([(r**5 / 120) * arb("1.01"), *tables])
        errors, half = [], arb(2) ** -(PARTS + 1)
        for c, held in zip(
            _middles().tolist(), (_quantiles() if name == "quantile" else _logs())[0].tolist(), strict=True
        ):
            power = arb(2) ** (int(np.frexp(c)[1]) - 1)
            h, low = half * power, exact(c) - half * power
            if name == "log":
                errors += [(h / low) ** 5 / 5, abs(exact(held) + exact(c).log())]
                continue
            t = abs(_quantile(float(low)))
            fifth = (7 + 46 * t**2 + 24 * t**4) / (2 * phi(t)) ** 5
            errors += [fifth * h**5 / 120, abs(exact(held) - _quantile(c))]
        return _largest(errors)


def _largest(balls: list[arb]) -> arb:
    top = balls[0]
    for ball in balls[1:]:
        top = top.max(ball)
    return top
