"""Continuous noise over the reals to any number of digits: vectors of shrinking balls.

    noise = LazyNoise(rng, "radial", dimension=3)    # density proportional to exp(-||b||_2); "normal": N(0, I)
    noise.balls()                                    # enclosures of b_1, b_2, b_3 from the digits drawn so far
    noise.refine()                                   # 64 more digits of every uniform number behind them

Pairs of normal numbers are sqrt(-2 log U) (cos, sin)(2 pi V); a radial vector is a normal one scaled to a length that
is a sum of as many -log U as there are dimensions, a gamma number. Whoever rounds a function of b to a public grid, and
refines until the cell is proved, releases a rounding of the mechanism over the reals: post-processing.
"""

import numpy as np
from flint import arb, ctx

from lemmata.bounds.exact.balls import exact
from lemmata.mechanisms.numerics.arguments import check_choice, check_integer, resolve_generator

KINDS = ("normal", "radial")
DIGITS = 96  # of every uniform number at first


class LazyNoise:
    """One vector of noise whose uniform numbers are intervals of length 2^-drawn, refined on demand."""

    def __init__(self, rng: np.random.Generator, kind: str, dimension: int) -> None:
        check_choice(KINDS, kind=kind)
        (self.dimension,) = check_integer(dimension=dimension)
        pairs = 2 * ((self.dimension + 1) // 2)
        self.kind, self.rng, self.drawn = kind, resolve_generator(rng), DIGITS
        self.digits = self._more(pairs + (self.dimension if kind == "radial" else 0), DIGITS)

    def _more(self, count: int, bits: int) -> list[int]:
        width = bits // 8
        drawn = self.rng.bytes(count * width)
        return [int.from_bytes(drawn[i : i + width], "little") for i in range(0, count * width, width)]

    def refine(self) -> None:
        """Draw 64 more digits of every uniform number."""
        further = self._more(len(self.digits), 64)
        self.digits = [(old << 64) + new for old, new in zip(self.digits, further, strict=True)]
        self.drawn += 64

    @property
    def precision(self) -> int:
        """Bits of the balls that the digits are worth."""
        return self.drawn + 32

    def balls(self) -> list[arb]:
        """Return enclosures of the coordinates, at `precision`; wide ones while a digit string is 0."""
        with ctx.workprec(self.precision):
            unit = arb(2) ** -self.drawn
            uniform = [arb(d, 1) * unit for d in self.digits]  # from one unit below, which does no harm, to one above
            half = (self.dimension + 1) // 2
            normal: list[arb] = []
            for u, v in zip(uniform[:half], uniform[half : 2 * half], strict=True):
                sine, cosine = (2 * v).sin_cos_pi()
                length = (-2 * u.log()).sqrt()
                normal += [length * cosine, length * sine]
            normal = normal[: self.dimension]
            if self.kind == "normal":
                return normal
            total = sum((-u.log() for u in uniform[2 * half :]), arb(0))
            across = sum((z * z for z in normal), arb(0)).sqrt()
            return [z * (total / across) for z in normal]


def draw_rounded(rng: np.random.Generator, centre: np.ndarray, spread: float, grid: float, kind: str) -> np.ndarray:
    """Draw grid round((centre + spread b) / grid), exactly, b a vector of that kind of noise; `grid` is a power of two.

    >>> bool((draw_rounded(np.random.default_rng(0), np.array([0.3, 0.1]), 1.0, 0.125, "radial") % 0.125 == 0).all())
    True
    """
    noise = LazyNoise(rng, kind, len(centre))
    while True:
        with ctx.workprec(noise.precision):
            fine = 1 / exact(grid)
            scale, places = exact(spread) * fine, [exact(c) * fine for c in centre.tolist()]
            cells = [nearest_integer(place + scale * b) for place, b in zip(places, noise.balls(), strict=True)]
        if None not in cells:
            return np.array([float(one) for one in cells if one is not None]) * grid
        noise.refine()


def nearest_integer(place: arb) -> int | None:
    """Return the whole number nearest to every number of the ball, if there is one.

    >>> nearest_integer(arb(3.25)), nearest_integer(arb(3.5, 0.01))
    (3, None)
    """
    return int(whole_part) if (whole_part := (place + arb("0.5")).floor().unique_fmpz()) is not None else None
