"""Margins that removals leave, in fractions: what the claims about the doubling grid are decided on.

A *profile* is the tuple of the largest margins M_k left by k removals. `bounds/wzw25/margin_grid.py` reduces every
dataset to a profile of one step: k records at 0 and n - k at one distance on a ray.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from itertools import pairwise
from math import isqrt

from bounds.exact.balls import enclosure, exact
from bounds.wzw25.margin_grid import doubling_grid, rate
from experiments.engine.claim import Control
from experiments.engine.verdict import holds, refuted

HAIR = Fraction(1, 2**40)
SIZES = {"quick": ({"n": 6}, {"n": 32}), "full": ({"n": 1}, {"n": 2}, {"n": 100})}
TIGHTER = Control("bound / {}", (1.01, 2))


def levels(n):
    """Margins where something changes: grid values, a hair around them and below their doubles, and below 1/n."""
    grid = doubling_grid(n)
    chosen = {*grid[:2], grid[len(grid) // 2], *grid[-2:]}
    around = {x for g in chosen for x in (g, g * (1 + HAIR), g * (1 - HAIR), 2 * g * (1 - HAIR))}
    return sorted({x for x in around if x <= 1} | {Fraction(1, 2 * n), Fraction(1, 1000 * n)})


def profiles(n):
    """Nondecreasing tuples of n margins in [0, 1]: one step anywhere, stairs, doubling stairs, orthogonal records."""
    for level in levels(n):
        for zeros in {0, 1, n // 2, n - 1}:
            yield (Fraction(0),) * zeros + (level,) * (n - zeros)
    yield (Fraction(0),) * n
    yield tuple(Fraction(k + 1, n) for k in range(n))
    yield tuple(Fraction(2) ** (k - n + 1) for k in range(n))
    # n - k orthogonal unit records have margin 1 / sqrt(n - k): here rounded down to 40 bits
    yield tuple(Fraction(isqrt(2**80 // (n - k)), 2**40) for k in range(n))


def budgets(n):
    """Privacy parameters epsilon from 1/100 to far beyond n."""
    return [Fraction(1, 100), Fraction(1), Fraction(n), Fraction(4 * n), Fraction(40 * n), Fraction(1000 * n)]


def steps(profile):
    """[(k, M_k)] for the first k of every positive margin: the sets that the right side is a minimum over."""
    return [(bisect_left(profile, margin), margin) for margin in sorted(set(profile)) if margin > 0]


def left_side(profile, epsilon, radius=1, carried=1):
    """min over the grid of g, min with 1; `carried` is the b in g (1, or the radius)."""
    n = len(profile)
    return min(1, *(at_level(profile, gamma, epsilon, carried) for gamma in doubling_grid(n, radius)))


def right_side(profile, epsilon, carried=1):
    """min of g over the outlier sets that leave a positive margin; None if there is none."""
    found = [
        rate(outliers=k, n=len(profile), gamma=gamma, epsilon=epsilon, radius=carried) for k, gamma in steps(profile)
    ]
    return min(found, default=None)


def at_level(profile, gamma, epsilon, carried=1):
    """g at the fewest outliers of one level."""
    outliers = bisect_left(profile, gamma)
    return rate(outliers=outliers, n=len(profile), gamma=gamma, epsilon=epsilon, radius=carried)


def sides(lhs, rhs):
    """Both sides as intervals."""
    return {"lhs": enclosure(exact(lhs)), "rhs": enclosure(exact(rhs))}


def broken(setting, point, lhs, rhs, claimed, python=""):
    """The witness of an inequality: the left side exceeds the right one."""
    found = f"{float(lhs):.6g} > {float(rhs):.6g}"
    return {
        "setting": setting,
        "claimed": claimed,
        "found": found,
        "point": point,
        "python": python,
        **sides(lhs, rhs),
    }


def compare(n, cases, claimed, **more):
    """HOLDS unless a case (point, lhs, rhs) has lhs > rhs; the largest lhs / rhs is the tightness."""
    worst = Fraction(0)
    for point, lhs, rhs in cases:
        if lhs > rhs:
            told = {name: float(x) for name, x in point.items()}
            return refuted("enumeration", broken({"n": n}, told, lhs, rhs, claimed))
        worst = max(worst, Fraction(lhs) / Fraction(rhs)) if rhs else worst
    return holds("derivation", "everywhere", tightness=(float(worst), float(worst)), **more)


def growing(n, ratio):
    """{ratio^j / n <= 1} and 1."""
    found, level = [], Fraction(1, n)
    while level < 1:
        found.append(level)
        level *= ratio
    return [*found, Fraction(1)]


def on_all_profiles(n, constant, chosen, factor, claimed, radius=Fraction(1), carried=1, **more):
    """left <= constant(epsilon) g for every profile, scaled to `radius`, and every chosen epsilon."""

    def cases():
        for flat in profiles(n):
            profile = tuple(radius * m for m in flat)
            for epsilon in chosen:
                g, left = right_side(profile, epsilon, carried), left_side(profile, epsilon, radius, carried)
                if g is not None:  # the left side is at most 1, so the minimum with 1 on the right is free
                    rhs = Fraction(constant(epsilon)) * g / Fraction(factor)
                    yield {"epsilon": epsilon, "largest margin": profile[-1]}, left, rhs

    return compare(n, cases(), claimed, **more)


# The families that no grid value reaches ------------------------------------------------------------------------------

BEYOND_N = """import numpy as np
from bounds.wzw25.margin_grid import doubling_grid, grid_order
from mechanisms.solvers.margin import geometric_margin, min_outliers
n, r, ratios = {n}, 1 / (2 * {n}), []
X, y = np.full((n, 1), r), np.ones(n)           # n records r e_1 with label +1, in the unit ball: gamma(S) = r
assert abs(geometric_margin(X, y).value - r) < 1e-12
fewest = [min_outliers(X, y, float(g)).low for g in doubling_grid(n)]    # every record goes, at every grid value
for epsilon in (10 * n, 100 * n, 1000 * n):
    grid = [grid_order(outliers=m, n=n, gamma=float(g), epsilon=epsilon) for g, m in zip(doubling_grid(n), fewest)]
    ratios.append(min(1, *grid) / grid_order(outliers=0, n=n, gamma=r, epsilon=epsilon))
assert ratios[0] > {least} and ratios[2] > 9 * ratios[1] > 80 * ratios[0]"""


def half_way(n):
    """n records at distance 1 / (2 n): no grid value is reached, yet the margin is positive."""
    return (Fraction(1, 2 * n),) * n


def beyond(n):
    """[(epsilon, left side, g)] at epsilon = 10 n, 100 n, 1000 n for `half_way`."""
    profile = half_way(n)
    return [(e, left_side(profile, e), right_side(profile, e)) for e in (Fraction(n * 10**j) for j in (1, 2, 3))]


def unbounded(ratios):
    """Whether ratios a decade or more apart grow by at least 5 each time."""
    return ratios[0] > 1 and all(after >= 5 * before for before, after in pairwise(ratios))
