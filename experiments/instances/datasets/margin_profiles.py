"""Margins that are left after removals, in fractions, for the claims about the doubling grid.

A *profile* is the tuple of the largest margins M_k left by k removals. `bounds/wzw25/margin_grid.py` reduces every
dataset to a profile of one step: k records at 0 and n - k at one distance on a ray.
"""

from bisect import bisect_left, bisect_right
from fractions import Fraction
from math import isqrt

from lemmata.bounds.wzw25.margin_grid import doubling_grid, grid_order, rate

HAIR = Fraction(1, 2**40)


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
    """min over the outlier sets that leave a positive margin of what Lemma 6.4 prints; None if there is none."""
    g, n = grid_order.theorem.formula, len(profile)
    terms = (g(outliers=k, n=n, gamma=gamma / carried, epsilon=epsilon) for k, gamma in steps(profile))
    return min(terms, default=None)


def at_level(profile, gamma, epsilon, carried=1):
    """g at the fewest outliers of one level."""
    return rate(outliers=bisect_left(profile, gamma), n=len(profile), gamma=gamma, epsilon=epsilon, radius=carried)


def growing(n, ratio):
    """{ratio^j / n <= 1} and 1: `doubling_grid` for any ratio."""
    grid, level = [], Fraction(1, n)
    while level < 1:
        grid.append(level)
        level *= ratio
    return [*grid, Fraction(1)]


def all_profiles(n, constant, chosen, radius=Fraction(1), carried=1):
    """Cases of left <= constant(epsilon) g: every profile, scaled to `radius`, and every chosen epsilon."""
    for flat in profiles(n):
        profile = tuple(radius * m for m in flat)
        for epsilon in chosen:
            g = right_side(profile, epsilon, carried)
            if g is not None:  # the left side is at most 1, so the minimum with 1 on the right is free
                setting = {"n": n, "epsilon": epsilon, "largest margin": profile[-1]}
                yield setting, left_side(profile, epsilon, radius, carried), Fraction(constant(epsilon)) * g


def neighbours(n):
    """(profile, epsilon, gamma, the grid value below gamma) for all levels gamma in [1/n, 1]."""
    grid = doubling_grid(n)
    for profile in profiles(n):
        for gamma in {gamma for gamma in (*levels(n), profile[0], profile[-1]) if n * gamma >= 1}:
            below = grid[bisect_right(grid, gamma) - 1]
            for epsilon in budgets(n):
                yield profile, epsilon, gamma, below


def half_way(n):
    """n records at distance 1 / (2 n): no grid value is reached, yet the margin is positive."""
    return (Fraction(1, 2 * n),) * n


def beyond(n):
    """[(epsilon, left side, g)] at epsilon = 10 n, 100 n, 1000 n for `half_way`."""
    profile = half_way(n)
    return [(e, left_side(profile, e), right_side(profile, e)) for e in (Fraction(n * 10**j) for j in (1, 2, 3))]
