"""Waiting times and numbers of runs with exact probabilities, for random batches and private tuning.

    G = 1 + floor(log(U) / log(1 - rate)),    U uniform on (0, 1):    P(G > g) = (1 - rate)^g

Of U 63 binary digits are drawn. `proved_floats.minus_log` is within 2^-46 of -log; that of the number drawn is within
2^-46 more of that of U, whose other digits follow, and the quotient by -log(1 - rate) adds less than 2^-46 over it. So
a floor is right where the quotient is farther than 2^-44 / -log(1 - rate) from a whole number. Elsewhere, and below
2^-16, further digits are drawn and the quotient is enclosed in ball arithmetic until it is proved.
"""

from fractions import Fraction

import numpy as np
from flint import arb, ctx

from lemmata.bounds.exact.balls import exact
from lemmata.mechanisms.numerics.entropy import draw_words
from lemmata.mechanisms.numerics.proved_floats import LOW, minus_log


def draw_waiting_times(rng: np.random.Generator, rate: float, size: int) -> np.ndarray:
    """Draw `size` independent waiting times for an event of chance `rate` in (0, 1] a time, int64 of at least 1.

    >>> draw_waiting_times(np.random.default_rng(0), 0.25, 5).tolist()
    [5, 3, 9, 12, 2]
    """
    if rate == 1:
        return np.ones(size, dtype=np.int64)
    with ctx.workprec(128):
        decay = float(-(1 - exact(rate)).log())
    digits = draw_words(rng, size) & (2**63 - 1)
    times = minus_log(np.maximum(digits.astype(float) * 2.0**-63, 2.0**-LOW)) / decay
    whole, off = np.floor(times), 2.0**-44 / decay
    unproved = (digits < 2 ** (63 - LOW)) | (times - whole <= off) | (whole + 1 - times <= off)
    drawn = whole.astype(np.int64) + 1
    for i in np.flatnonzero(unproved):
        drawn[i] = _settled(rng, rate, int(digits[i]))
    return drawn


def _settled(rng: np.random.Generator, rate: float, digits: int) -> int:
    """The waiting time of a U that begins with 63 binary `digits`; more are drawn until it is proved."""
    drawn = 63
    while True:
        with ctx.workprec(drawn + 128):
            log_miss, scale = (1 - exact(rate)).log(), 2**drawn
            ends = [(exact(Fraction(end, scale)).log() / log_miss).floor() for end in (digits + 1, digits)]
            if digits and (first := ends[0].unique_fmpz()) is not None and first == ends[1].unique_fmpz():
                return int(first) + 1
        digits, drawn = digits * 2**32 + int(rng.integers(2**32)), drawn + 32


def draw_run_count(rng: np.random.Generator, eta: float, r: float) -> int:
    """Draw one K ~ TNB(eta, r), the first k with U < P(K <= k): geometric for eta = 1, else by sums in ball arithmetic.

    >>> [draw_run_count(np.random.default_rng(seed), 0.5, 0.25) for seed in range(5)]
    [1, 1, 2, 1, 6]
    """
    if eta == 1:
        return int(draw_waiting_times(rng, r, 1)[0])
    digits, drawn = int(draw_words(rng, 1)[0]) & (2**63 - 1), 63
    while True:
        with ctx.workprec(drawn + 64):
            if found := _first_beyond(eta, r, Fraction(digits, 2**drawn), Fraction(digits + 1, 2**drawn)):
                return found
        digits, drawn = digits * 2**32 + int(rng.integers(2**32)), drawn + 32


def _first_beyond(eta: float, r: float, start: Fraction, end: Fraction) -> int:
    """The first k with U < P(K <= k) for all U in [start, end), 0 where that is not proved."""
    low, high, miss = exact(start), exact(end), 1 - exact(r)
    rise = -exact(r).log()
    weight = miss / rise if eta == 0 else miss * exact(eta) / (exact(eta) * rise).expm1()
    total, k = arb(0), 0
    while True:
        total, k = total + weight, k + 1
        if high <= total:
            return k
        if not low >= total:
            return 0
        weight *= miss * (k + exact(eta)) / (k + 1)
