"""The discrete Gaussian on the whole numbers, its probabilities in balls, and how far two of them are apart."""

from fractions import Fraction

from flint import arb

from lemmata.bounds.exact.balls import exact


def gaussian(steps: int, shift: int, reach: int = 14) -> list[arb]:
    """Probabilities proportional to exp(-(k - shift)^2 / (2 steps^2)), |k| <= reach * steps; the rest is e^-98."""
    places = range(-reach * steps, reach * steps + 1)
    weights = [(-exact(Fraction((k - shift) ** 2, 2 * steps**2))).exp() for k in places]
    total = sum(weights, arb(0))
    return [w / total for w in weights]


def hockey_stick(p: list[arb], q: list[arb], epsilon: arb) -> arb:
    """sum (p - e^epsilon q)_+ over the lattice."""
    gaps = (a - epsilon.exp() * b for a, b in zip(p, q, strict=True))
    return sum((gap for gap in gaps if gap > 0), arb(0))
