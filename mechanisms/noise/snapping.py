"""The snapping mechanism of Mironov 2012: Laplace noise in float64 with private low bits, and its exact law.

    release = clamp_B( round_Λ( clamp_B(w) ⊕ S ⊗ λ ⊗ LN(U) ) ),    per coordinate, in float64 (circles round)

S is a fair sign; U in (0, 1) has 53 significant binary digits and an exponent without limit, each as likely as the gap
to the next such number; LN is the correctly rounded logarithm; Λ is the least power of two >= λ, and ties round up.
Outputs are the multiples of Λ inside [-B, B] and the two ends, whatever the low bits of w.

Because U is as likely as its gap, the law is a law in rational numbers: the U that lead to one output are an interval,
and its length is the probability. `Snapping.mass` finds the interval's ends by bisection. So the privacy of this
finite-precision law is not only bounded (`snapping_epsilon`) but computed, every rounding included.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, frexp, inf, log, nextafter

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from lemmata.bounds.rbht09.private_svm import snapping_epsilon
from lemmata.mechanisms.numerics.arguments import check_exactly_one, check_magnitude, check_vector
from lemmata.mechanisms.numerics.arithmetic import round_up, short_repr
from lemmata.mechanisms.numerics.entropy import draw_words
from lemmata.mechanisms.numerics.proved_floats import minus_log
from lemmata.mechanisms.privacy import PureDP

MOST = 2.0**36  # scales that the bound may have: the slack is below a thousandth there
SLACK = Fraction(1, 10**12)  # of the calibration, for the float arithmetic that computes it
DIGITS = 52
HALF = 2**DIGITS
BLOCK = 2**13  # numbers drawn at a time: they stay in the first cache
SEEN = 64  # binary places of U up to which its logarithm is first taken in float64


def uniform_number(index: int) -> Fraction:
    """Return the number of 53 digits in (0, 1) at `index` = -1, -2, ... downward from 1 - 2^-53; 1 is index 0.

    >>> uniform_number(0), uniform_number(-2**52), 1 - uniform_number(-1) == Fraction(1, 2**53)
    (Fraction(1, 1), Fraction(1, 2), True)
    """
    exponent, digits = index >> DIGITS, index & (HALF - 1)
    return Fraction(HALF + digits, HALF * 2**-exponent)


def rounded_logarithm(index: int) -> float:
    """Return the natural logarithm of `number(index)`, index < 0, correctly rounded to a double.

    Proved in ball arithmetic.

    >>> rounded_logarithm(-2**52) == -0.6931471805599453
    True
    """
    exponent, digits = index >> DIGITS, index & (HALF - 1)
    for bits in (120, 200, 400, 800):
        with ctx.workprec(bits):
            ball = arb(HALF + digits).log() + (exponent - DIGITS) * arb.const_log2()
            near = float(ball.mid())
            below, above = ((arb(near) + arb(nextafter(near, end))) / 2 for end in (-inf, inf))
            if below < ball and ball < above:
                return near
    raise ArithmeticError("a logarithm half-way between two doubles to 800 bits")


def draw_one(rng: np.random.Generator) -> int:
    """Draw the index of a random U: a geometric exponent and 52 fair digits."""
    zeros = 0
    while not (digits := int(rng.integers(2**62))):
        zeros += 62
    zeros += 62 - digits.bit_length()
    return -(zeros + 1) * HALF + int(rng.integers(HALF))


def draw_many(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw `size` indices of random U, int64: what as many calls of `draw_one` return.

    >>> int(draw_many(np.random.default_rng(0), 1)[0]) == draw_one(np.random.default_rng(0))
    True
    """
    drawn = draw_words(rng, 2 * size).reshape(size, 2).view(np.uint64) ^ np.uint64(2**63)
    place = drawn[:, 0] >> np.uint64(2)
    high = place >> np.uint64(31)
    length = np.where(high > 0, np.frexp(high.astype(float))[1] + 31, np.frexp(place.astype(float))[1])
    indices = -(63 - length.astype(np.int64)) * HALF + (drawn[:, 1] >> np.uint64(12)).astype(np.int64)
    for i in np.flatnonzero(place == 0):
        indices[i] = draw_one(rng) - 62 * HALF
    return indices


@dataclass(frozen=True)
class Snapping:
    """The public side of the mechanism: its scale and its bound, and with them the places where releases lie."""

    scale: float  # λ of the noise
    bound: float  # B: values and releases lie in [-B, B]

    @property
    def step(self) -> float:
        """Λ, the least power of two that is at least the scale."""
        mantissa, exponent = frexp(self.scale)
        return 2.0 ** (exponent - 1 if mantissa == 0.5 else exponent)

    def release(self, centre: float, sign: int, index: int) -> float:
        """Return one coordinate as a function of its randomness: it rises with the index for sign +1, else falls."""
        noise = self.scale * rounded_logarithm(index)
        quotient = (centre + sign * noise) / self.step  # by a power of two: exact
        whole = floor(quotient)
        snapped = (whole + (quotient - whole >= 0.5)) * self.step
        return float(min(max(snapped, -self.bound), self.bound))

    def releases(self, centres: np.ndarray, signs: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """Return `release` of arrays of one shape (size,).

        In steps, the quotient is the centre's, c at most, and the noise's, at most 45 while U has at most 64 zeros in
        front of its digits. What is computed here and what `release` rounds differ by less than 2^-44 + c 2^-51: 2^-46,
        proved, for `minus_log`, less than 2^-45 for its sum with a multiple of log 2 and for products with the scale,
        and four roundings by a relative 2^-53 where the centre is added. Where that does not prove on which side of a
        tie the quotient lies, and for smaller U, `release` decides.
        """
        exponents = (indices >> DIGITS) + 1
        halves = ((indices & (HALF - 1)) + HALF).astype(float) * (0.5 / HALF)
        quotients = (centres - signs * (self.scale * (minus_log(halves) - exponents * log(2)))) / self.step
        wholes = np.floor(quotients)
        parts = quotients - wholes
        released = np.clip((wholes + (parts >= 0.5)) * self.step, -self.bound, self.bound)
        doubtful = np.abs(parts - 0.5) <= 2.0**-44 + np.abs(centres) / self.step * 2.0**-51
        for i in np.flatnonzero(doubtful | (exponents < -SEEN)):
            released[i] = self.release(float(centres[i]), int(signs[i]), int(indices[i]))
        return released

    def places(self) -> np.ndarray:
        """Return all releases of one coordinate, ascending: about 2 B / Λ of them."""
        inside = floor(self.bound / self.step)
        return np.unique([-self.bound, *(np.arange(-inside, inside + 1) * self.step), self.bound])

    def following(self, sign: int, place: float) -> float:
        """Return the next place above `place` (sign +1) or below it."""
        further = sign * (floor(sign * place / self.step) + 1) * self.step
        return float(min(max(further, -self.bound), self.bound))

    def before(self, centre: float, sign: int, place: float) -> Fraction:
        """Return the probability, given the sign, of a U whose release has not come to `place`: below it, or above."""

        def early(index: int) -> bool:
            return sign * self.release(centre, sign, index) < sign * place

        low, high = -HALF * ceil(8 * self.bound / self.scale + 4), 0
        if not early(low):
            return Fraction(0)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if early(middle) else (low, middle)
        return uniform_number(high)

    def mass(self, centre: float, place: float) -> Fraction:
        """Return the exact probability of the release `place` from `centre`, one coordinate: 0 off the places.

        A fraction of about 1.5 |place - centre| / scale binary digits.
        """
        return _mass(self, float(centre), float(place))


@lru_cache(maxsize=100_000)
def _mass(snap: Snapping, centre: float, place: float) -> Fraction:
    """Half the length of the interval of U between `place` and the next place, summed over the signs."""
    if abs(place) > snap.bound or (abs(place) < snap.bound and place % snap.step):
        return Fraction(0)
    total = Fraction(0)
    for sign in (1, -1):
        end = Fraction(1) if place == sign * snap.bound else snap.before(centre, sign, snap.following(sign, place))
        total += end - snap.before(centre, sign, place)
    return total / 2


@dataclass(frozen=True)
class SnappingLaw:
    """The snapping mechanism on one dataset."""

    centre: np.ndarray = field(repr=False)  # shape (F,), inside [-bound, bound]; private
    snap: Snapping
    privacy: PureDP

    @property
    def scale(self) -> float:
        """λ, the scale of the noise before it is rounded."""
        return self.snap.scale

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, F); about 50 nanoseconds a number."""
        signs = (2 * rng.integers(0, 2, (size, self.centre.size)) - 1).reshape(-1)
        centres, out = np.broadcast_to(self.centre, (size, self.centre.size)).reshape(-1), np.empty(signs.size)
        for start in range(0, signs.size, BLOCK):
            block = slice(start, start + BLOCK)
            out[block] = self.snap.releases(centres[block], signs[block], draw_many(rng, signs[block].size))
        return out.reshape(size, self.centre.size)

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probability of each release, shape (size,): of the exact law, -inf off its places."""
        values = np.atleast_2d(releases)
        return np.array([sum(self._log_mass(w, y) for w, y in zip(self.centre, row, strict=True)) for row in values])

    def _log_mass(self, centre: float, place: float) -> float:
        mass = self.snap.mass(centre, place)
        with ctx.workprec(80):
            return float((arb(mass.numerator) / arb(mass.denominator)).log()) if mass else -inf


def law(
    value: ArrayLike, *, sensitivity: float, bound: float, privacy: PureDP | None = None, scale: float | None = None
) -> SnappingLaw:
    """Release `value`, shape (F,), by the snapping mechanism, calibrated to its own finite-precision privacy.

    Formal guarantee: PureDP(`snapping_epsilon`), sensitivity / scale and a slack, rounded up, if `value` moves by at
    most `sensitivity` in the L1 norm between neighbours (assumed: it belongs to the caller's statistic). It is a
    guarantee about the doubles that are released. Entries are clipped to [-B, B], B the larger of bound and scale,
    both public. The time a draw takes is not hardened. Raises ValueError for a value that is not a vector of finite
    numbers, for sensitivity, bound, scale outside [1e-100, 1e100], unless bound <= 2^36 scale, and unless exactly one
    of `privacy` (a PureDP) and `scale` is given.

    >>> released = law([0.3, -2.0], sensitivity=1.0, bound=4.0, privacy=PureDP(1.0))
    >>> released.snap.step, released.sample(np.random.default_rng(0))
    (2.0, array([[-2., -4.]]))
    """
    value = check_vector("value", value)
    check_exactly_one(privacy=privacy, scale=scale)
    sensitivity, bound = check_magnitude(sensitivity=sensitivity, bound=bound)
    F = value.size
    if privacy is not None:
        if not isinstance(privacy, PureDP):
            raise ValueError(f"privacy must be a PureDP, got {short_repr(privacy)}")
        bound = max(bound, 1.001 * sensitivity / privacy.epsilon)
        unit = snapping_epsilon.theorem.formula(sensitivity=sensitivity, scale=1.0, bound=bound, F=F)  # times 1 / scale
        scale = round_up(Fraction(unit) * (1 + SLACK) / Fraction(privacy.epsilon))
    (noise,) = check_magnitude(scale=scale)
    bound = max(bound, noise)
    if bound > MOST * noise:
        raise ValueError(f"bound must be in (0, 2^36 scale], got {bound} and scale = {noise}")
    spent = round_up(Fraction(nextafter(snapping_epsilon(sensitivity=sensitivity, scale=noise, bound=bound, F=F), inf)))
    if privacy is not None and spent > privacy.epsilon:
        raise ValueError(f"privacy must be attainable in float64 with bound = {bound}, got {privacy}")
    claimed = PureDP(spent) if privacy is None else privacy
    return SnappingLaw(np.clip(value, -bound, bound), Snapping(noise, bound), claimed)
