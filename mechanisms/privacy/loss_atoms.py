"""The pair of laws that dominates one guarantee, as privacy losses with their masses; `losses` adds them up."""

from itertools import pairwise
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx

from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.mechanisms.numerics.arithmetic import SMALLEST
from lemmata.mechanisms.privacy.divergences import Bound, least_delta
from lemmata.mechanisms.privacy.guarantees import ZCDP, PrivacyCurve, RenyiDP

UNIT = 2.0**-53
LONGEST_BLOCK, WIDE = 2**13, 8.0  # releases of a block, and its deviation in grid points, at which it ends
LARGEST_LOSS = 3000.0  # larger ones count as infinite, and so do those of a larger mu


class Atoms(NamedTuple):
    """The losses of one release under P with their masses, rounded up; the mass of an infinite one; how many."""

    losses: np.ndarray
    masses: np.ndarray
    infinite: float
    times: int


def atoms_of(privacy: Any, count: int, side: int = 0) -> Atoms:
    """Return the losses of the pair that dominates a guarantee that is no GaussianDP; `side` 1: of it reversed."""
    if isinstance(privacy, ZCDP):
        return _of_points(_implied(Bound(rho=privacy.rho), privacy.rho), count)
    if isinstance(privacy, RenyiDP):
        return _of_points(_implied(Bound(privacy.points), min(e / a for a, e in privacy.points)), count)
    if isinstance(privacy, PrivacyCurve):
        ways = privacy.directions or (privacy.delta, privacy.delta)
        one, other = (list(zip(privacy.epsilon, way, strict=True)) for way in (ways[side], ways[1 - side]))
        return _of_points(one, count, other)
    if privacy.epsilon > LARGEST_LOSS:
        return Atoms(np.zeros(0), np.zeros(0), 1.0, count)
    with ctx.workprec(128):
        epsilon, kept = exact(privacy.epsilon), 1 - exact(privacy.delta)
        masses = [upper_end(kept / (1 + (sign * epsilon).exp())) for sign in (-1, 1)]
    return Atoms(np.array([privacy.epsilon, -privacy.epsilon]), np.array(masses), privacy.delta, count)


def _implied(bound: Bound, rho: float) -> list[tuple[float, float]]:
    if rho > LARGEST_LOSS:
        return [(0.0, 1.0)]
    epsilons = rho + sqrt(2 * rho) * np.linspace(-3, 9, 97)
    return [(epsilon, least_delta(bound, epsilon)) for epsilon in (0.0, *epsilons[epsilons > 0].tolist())]


def _of_points(
    points: list[tuple[float, float]], count: int, reverse: list[tuple[float, float]] | None = None
) -> Atoms:
    """The pair of a curve: kinks of the chords of its points in s, and of those mirrored to 1 / s, from (0, 1) on.

    Mirrored are the points of P' against P, which are the same where nothing else is known.
    """
    with ctx.workprec(256):
        known, back = (
            [(e, exact(e).exp(), exact(d)) for e, d in way if e <= LARGEST_LOSS] for way in (points, reverse or points)
        )
        mirrored = [(-e, 1 / s, 1 - (1 - d) / s) for e, s, d in reversed(back) if e > 0]
        chain: list[tuple[float, arb, arb]] = [(-inf, arb(0), arb(1))]
        slope = lambda p, q: (q[2] - p[2]) / (q[1] - p[1])  # noqa: E731
        for point in (*mirrored, *known):
            if not point[2] < chain[-1][2]:
                continue  # any of the points may be left out: chords of what is left are above the curve as well
            while len(chain) > 1 and not slope(chain[-2], chain[-1]) < slope(chain[-1], point):
                chain.pop()
            chain.append(point)
        slopes = [*(slope(p, q) for p, q in pairwise(chain)), arb(0)]
        masses = [
            upper_end(s * (after - before))
            for (_, s, _), before, after in zip(chain[1:], slopes, slopes[1:], strict=False)
        ]
        return Atoms(np.array([e for e, *_ in chain[1:]]), np.array(masses), upper_end(chain[-1][2]), count)


def in_blocks(atoms: Atoms, grid: float) -> list[Atoms]:
    """The same sum in fewer parts, where many losses +-epsilon are smaller than a few points of the grid.

    Each part is split to the grid once. A block of 2^j releases has losses epsilon (2 k - 2^j); its masses are found by
    doubling. They are positive, so that a product has a relative error of a few units of the last place for each term.
    """
    losses, masses, infinite, times = atoms
    if len(losses) != 2 or not 0 < losses[0] < WIDE * grid:
        return [atoms]
    found, size = [], 1
    while 2 * size <= min(times, LONGEST_BLOCK) and losses[0] ** 2 * size < (WIDE * grid) ** 2:
        if times // size % 2:
            found.append(Atoms(losses[0] * np.arange(size, -size - 1, -2), masses, infinite, 1))
        masses = np.convolve(masses, masses) * (1 + 8 * UNIT * (size + 2)) + SMALLEST * (size + 2)
        size *= 2
    return [*found, Atoms(losses[0] * np.arange(size, -size - 1, -2), masses, infinite, times // size)]
