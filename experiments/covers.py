"""How many points does a cover of B^k(2 Lambda) need? The count in bms22's proof of Theorem 3.1, and our lattices."""

from __future__ import annotations

from itertools import product
from math import exp, log, sqrt

import numpy as np

from bounds import covers
from experiments.claim import Sabotage, exact_claim, grid, holds, inconclusive, refuted
from experiments.jl_common import failed
from mechanisms.covers import cover, farthest

HEXAGONS = """
from math import pi, sqrt
from bounds.covers import printed_size
sizes = dict(norm_bound=1.0, radius=1.0, rho=1.0)  # R = 2, eta = 0.1
points = printed_size(k=2, **sizes)
# disks cover a convex set no better than by their inscribed hexagons, of area (3 sqrt 3/2) eta^2
assert points * 1.5 * sqrt(3) * 0.1**2 < pi * 2.0**2
"""


@exact_claim(
    covers.printed_size,
    quick=grid(k=[2], norm_bound=[1.0], radius=[1.0], rho=[1.0]),
    full=grid(k=[1], norm_bound=[1.0, 1.01], radius=[1.0], rho=[1.0])
    + grid(k=[3, 10], norm_bound=[5.0], radius=[1.0], rho=[1.0]),
    severity="constant",
    corrected_by="bms22.thm3.1.s1/corrected",
    cost=1e-3,
    note="exact for k = 1 and whole 20 Lambda r/rho only; for k >= 2 every cover is larger, but log|C| <= "
    "(log 41/log 20) log((20 Lambda r/rho)^k), which the proof's O(.) absorbs",
)
def no_cover_is_so_small(*, k, norm_bound, radius, rho, factor=1):
    """k = 1: ceil(R/eta). k = 2: density 2 pi/sqrt(27). k >= 3: balls without waste cannot cover the sphere."""
    setting = {"k": k, "norm_bound": norm_bound, "radius": radius, "rho": rho}
    ratio = 20 * norm_bound * radius / rho
    claimed = covers.printed_size(**setting)
    if k == 1:
        least = covers.smallest_on_a_line(ratio)
    elif k == 2:
        least = covers.smallest_in_the_plane(ratio)
    else:
        least = int(ratio**k * (1 + 1e-9)) + 1  # strictly more than (R/eta)^k, if R > eta
    if least == claimed:
        return holds("derivation", "settings", tightness=(1.0, 1.0))
    ratios = [2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    return refuted(
        "derivation",
        {
            "setting": setting,
            "claimed": claimed,
            "found": f"every cover has at least {least} points",
            "object": "a rho/(10 r)-cover of B^k(2 Lambda)",
            "property": "least number of points",
            "value": least,
            "python": HEXAGONS.strip() if k == 2 else "",
        },
        series={
            "R/eta": ratios,
            "bound": [r**2 for r in ratios],
            "at least, k = 2": [float(covers.smallest_in_the_plane(r)) for r in ratios],
            "hexagonal lattice": [float(cover(2, radius=r, resolution=1.0).size) for r in ratios],
        },
    )


def separated(k, radius, resolution, seed=0):
    """A maximal set of points of B^k(radius) with distances > resolution among a fine grid, greedily: a true cover."""
    fine = resolution / 4 / sqrt(k)
    axis = np.arange(-radius, radius + fine, fine)
    points = np.array([p for p in product(axis, repeat=k) if sum(x * x for x in p) <= radius**2])
    points = points[np.random.default_rng(seed).permutation(len(points))]
    chosen = 0
    while len(points):
        chosen += 1
        points = points[((points - points[0]) ** 2).sum(axis=1) > resolution**2]
    return chosen


@exact_claim(
    covers.log_size_bounds,
    quick=grid(k=[2], norm_bound=[1.0], radius=[1.0], rho=[1.0]),
    full=grid(k=[1, 3], norm_bound=[1.0], radius=[1.0], rho=[1.0])
    + grid(k=[2], norm_bound=[2.0], radius=[2.0], rho=[1.3]),
    control=Sabotage("the logarithm of the upper bound divided by {}", (1.3, 2)),
    cost=0.1,
    note="log(1 + 40a) <= (log 41/log 20) log(20a), so the proof's O(.) stands",
)
def volumes(*, k, norm_bound, radius, rho, factor=1):
    """Our lattice cover, and a greedy separated set (coarser, to be listed), lie between the volume bounds."""
    setting = {"k": k, "norm_bound": norm_bound, "radius": radius, "rho": rho}
    low, high = covers.log_size_bounds(**setting)
    made = log(cover(k, radius=2 * norm_bound, resolution=rho / (10 * radius)).size)
    if made > high / factor:
        return failed("enumeration", setting, exp(made), exp(high / factor))
    if made < low - 1e-9:
        return inconclusive("FAILED", "a cover below the volume bound")
    for ratio in (1.0, 2.0, 5.0):
        packed = separated(min(k, 2), ratio, 1.0)
        if packed > (1 + 2 * ratio) ** min(k, 2):
            return inconclusive("FAILED", f"{packed} separated points exceed the volume bound at R/eta = {ratio}")
    sizes = [1.0, 2.0, 5.0, 10.0]
    bounds = [covers.log_size_bounds(k=k, norm_bound=a, radius=1.0, rho=1.0) for a in sizes]
    small = [a for a in sizes if k < 3 or a <= 2]
    series = {
        "Lambda r/rho": small,
        "log of the lower bound": [b[0] for b in bounds[: len(small)]],
        "log of the upper bound": [b[1] for b in bounds[: len(small)]],
        "log of our cover": [log(cover(k, radius=2 * a, resolution=0.1).size) for a in small],
    }
    return holds("derivation", "everywhere", tightness=(made / high, 1.0), series=series)


@exact_claim(
    covers.lattice_size_bound,
    quick=grid(k=[2, 3], norm_bound=[1.0], radius=[1.0], rho=[1.0]),
    full=grid(k=[1], norm_bound=[1.3], radius=[1.0], rho=[1.0])
    + grid(k=[4], norm_bound=[1.0], radius=[1.0], rho=[1.0])
    + grid(k=[2], norm_bound=[30.0], radius=[1.0], rho=[1.0])
    + grid(k=[3], norm_bound=[2.5], radius=[2.0], rho=[2.0]),
    control=Sabotage("a lattice {} times as coarse", (1.2, 1.5)),
    cost=0.2,
    note="the covering radius is exact: the largest circumradius of the simplices that tile a period, in fractions",
)
def lattice_covers(*, k, norm_bound, radius, rho, factor=1):
    """The true size of the cover; thousands of points of the ball, its rim and the deep holes are all within eta."""
    setting = {"k": k, "norm_bound": norm_bound, "radius": radius, "rho": rho}
    R, eta = 2 * norm_bound, rho / (10 * radius)
    made = cover(k, radius=R, resolution=eta * factor)
    allowed = covers.lattice_size_bound(**setting)
    rng = np.random.default_rng(k)
    points = rng.normal(size=(max(20, 2**21 // made.size), k))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points *= R * rng.choice([1.0, 0.999, 0.97, 0.5], size=(len(points), 1))
    reached = farthest(made, points[:3000])
    if reached > eta * (1 + 1e-9):  # squares of floats
        return failed("enumeration", setting, reached, eta)
    inside = max(float(np.linalg.norm(block, axis=1).max()) for block in made.blocks())
    if made.size > allowed or inside > R * (1 + 1e-12):
        return failed("enumeration", setting, made.size, allowed)
    cubic = cover(k, radius=R, resolution=eta, lattice="cubic").size if made.size < 10**6 else 0
    note = f"k = {k}: {made.size} points of at most {allowed}, cubic lattice {cubic}; "
    note += f"random points within {reached / eta:.3f} eta"
    return holds("derivation", "everywhere", tightness=(made.size / allowed, 1.0), note=note)


if __name__ == "__main__":
    from experiments.run import script

    script("linear")
