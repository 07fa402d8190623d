"""The main theorem on its data, and records of any length: Theorems 4.1 and L.1 of Wang, Zhu & Wang (2025)."""

from __future__ import annotations

import numpy as np

from bounds import margin_utility_theorem as bounds
from bounds.margin_utility_selection import tail_logs
from experiments.claim import Sabotage, exact_claim, holds, inconclusive, refuted
from experiments.margin_utility import small_sets
from experiments.margin_utility_orders import overtakes
from experiments.margin_utility_theorem import (
    MEAN_LOGS,
    MEAN_PROOFS,
    NOT_ALL,
    OFF_GRID,
    SCOPE,
    SQUARED,
    TAIL_LOGS,
    TAIL_OFF_GRID,
    TAIL_PROOFS,
    both_logs,
    corners,
    decide,
)
from mechanisms import adaptive_margin
from mechanisms.geometry import subset_margins

# Theorem 4.1 ----------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.main_order,
    control=SQUARED,
    given=("wzw25.thm6.5/printed/tail", "wzw25.thm4.1/explicit/simultaneous"),
    note=f"{TAIL_LOGS}, with log(1/delta) in the place of epsilon's for epsilon > 1; high probability: 1 - 3/n^2, last "
    f"iterates; {NOT_ALL}",
    cost=0.5,
)
def main_theorem(*, factor=1):
    """The order of Theorem 6.5 (2) is at most that of Theorem 4.1: termwise, at the corners; and no truth overtakes."""
    family, ratios = contradictory_main(factor)
    if overtakes(ratios):
        found = {"claimed": "O~(g)", "found": f"error / g >= {ratios[-1]:.3g}", "family": "contradictory records"}
        return refuted("derivation", {"setting": {}, **found, "points": family, "ratios": ratios, "python": ""})
    worst = max(bounds.tail_order(**point) / bounds.main_order(**point) for point in corners(True))
    if worst > 2:
        return inconclusive("NO_CONSTANT", f"Theorem 6.5 (2) over Theorem 4.1 reaches {worst}")
    note = f"Theorem 6.5 (2) is at most {worst:.3g} times this, so C = {2 * TAIL_OFF_GRID:g}"
    return holds("derivation", SCOPE, note=note)


def contradictory_main(power):
    """`contradictory` for Theorem 4.1, whose noise does not fall with epsilon > 1: n so large that it is negligible."""
    points = [
        dict(n=10**j, gamma=1.0, outliers=10 ** (j - i), epsilon=1.0, delta=1e-5) for i, j in ((1, 9), (2, 12), (3, 15))
    ]
    ratios = []
    for p in points:
        out = p["outliers"] / p["n"]
        noise = (bounds.main_order(**p) - out) * tail_logs(p["n"], 1.0, 1e-5)
        ratios.append(out / (noise + out**power))
    return points, ratios


@exact_claim(
    bounds.least_order,
    quick=({"epsilon": 1.0},),
    full=({"epsilon": 30.0},),
    control=Sabotage("the margin of {} - 1 more outliers read as that of fewer", (2,)),
    given=("wzw25.def6.1/explicit/nested",),
    note="the right side does not depend on the release: simultaneity over 2^S costs nothing and claims nothing more",
    cost=0.1,
)
def one_event(*, epsilon, factor=1):
    """min over all 2^7 - 1 outlier sets, one by one, against the minimum over sizes, on sets with ties and zeros."""
    for X, y in small_sets():
        n = len(X)
        _, upper = subset_margins(X, y)
        left_out = np.array([n - mask.bit_count() for mask in range(2**n)])
        known = dict(n=n, epsilon=epsilon, delta=1e-12)
        kept = [m for m in range(1, 2**n) if upper[m] > 1e-9]
        least = min(bounds.main_order(**known, gamma=min(1.0, upper[m]), outliers=int(left_out[m])) for m in kept)
        profile = [float(min(1.0, upper[left_out == q].max())) for q in range(n)]
        profile = [m if m > 1e-9 else 0.0 for m in profile][factor - 1 :]
        said = bounds.least_order(profile=profile, n=n, epsilon=epsilon)
        if abs(said - least) > 1e-12 * least:
            witness = {"object": {"X": X.tolist(), "y": y.tolist()}, "property": "equal minima", "value": said}
            found = {"setting": {"epsilon": epsilon}, "claimed": least, "found": said, "python": ""}
            return refuted("enumeration", witness | found)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="all subsets of four sets listed")


# Theorem L.1 ----------------------------------------------------------------------------------------------------------


def scaled_corners():
    """`corners` with radius 1e-3 and 50, and epsilon beyond the range that only privacy needs."""
    for point in corners(True, (1e-3, 50.0)):
        yield point
        yield point | {"epsilon": 1e3 * point["epsilon"]}


def off_grid_mean(**point):
    """`error_off_grid` where epsilon may exceed 8 log(1/delta)."""
    return bounds.error_off_grid.theorem.function(**point)


def off_grid_tail(**point):
    """`quantile_off_grid` where epsilon may exceed 8 log(1/delta)."""
    return bounds.quantile_off_grid.theorem.function(**point)


L_GIVEN = ("wzw25.thm6.5/explicit/off-grid", "wzw25.thmL.1/explicit/scale")


@exact_claim(
    bounds.scaled_mean_order,
    control=SQUARED,
    given=L_GIVEN,
    note=f"{MEAN_LOGS}; {NOT_ALL}. The printed 1/epsilon must be 1/(n epsilon), as in part (2) and Lemma H.2: as it "
    "stands the bound is true, says nothing for epsilon <= 1 and does not tend to 0 as n grows (see the corrected row)",
    cost=0.5,
)
def scaled_mean(*, factor=1):
    """The explicit bound over the printed order, radius 1e-3 and 50."""
    known = dict(note="", factor=factor, epsilon=1e15)
    order = bounds.scaled_mean_order
    return decide(off_grid_mean, order, both_logs, OFF_GRID, MEAN_PROOFS, scaled_corners(), **known)


@exact_claim(
    bounds.scaled_mean_order_sharp,
    control=SQUARED,
    given=L_GIVEN,
    note=f"{MEAN_LOGS}; what part (1) should print",
    cost=0.5,
)
def scaled_mean_sharp(*, factor=1):
    """The explicit bound over the order with 1/(n epsilon)."""
    known = dict(note="", factor=factor, epsilon=1e15)
    order = bounds.scaled_mean_order_sharp
    return decide(off_grid_mean, order, both_logs, OFF_GRID, MEAN_PROOFS, scaled_corners(), **known)


@exact_claim(
    bounds.scaled_tail_order,
    control=SQUARED,
    given=("wzw25.thm6.5/explicit/tail-off-grid", "wzw25.thmL.1/explicit/scale"),
    note=f"{TAIL_LOGS}; {NOT_ALL}",
    cost=0.5,
)
def scaled_tail(*, factor=1):
    """The closed bound of the last iterate over the order, radius 1e-3 and 50."""
    known = dict(note="", factor=factor, epsilon=1e15)
    order = bounds.scaled_tail_order
    return decide(off_grid_tail, order, tail_logs, TAIL_OFF_GRID, TAIL_PROOFS, scaled_corners(), **known)


@exact_claim(
    bounds.scaled_radius,
    quick=({"radius": 1.0, "scale": 1024.0}, {"radius": 1.0, "scale": 2.0**-30}),
    control=Sabotage("the radius scaled {} times too far", (1.25,)),
    cost=0.1,
)
def releases_keep_their_weights(*, radius, scale, factor=1):
    """Algorithm 3 on records and on scaled records, same randomness: the same weights bit by bit (powers of two)."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 400))
    X *= radius / np.linalg.norm(X, axis=1, keepdims=True) * rng.uniform(0.5, 1.1, size=(6, 1))
    y = np.where(np.arange(6) % 2, 1.0, -1.0)
    projections = adaptive_margin.draw_projections(6, 400, rng=rng, radius=radius)
    if all(phi is None for phi in projections) or all(phi is not None for phi in projections):
        return inconclusive("FAILED", "the example should have projected candidates and others")
    releases = []
    for s, b in ((1.0, radius), (scale, bounds.scaled_radius(radius=radius, scale=scale) * factor)):
        known = dict(projections=projections, radius=b, calibration="printed", steps=40)
        law = adaptive_margin.law(X * s, y, 30.0, 1e-5, **known)
        releases.append(law.sample(np.random.default_rng(1), 3)["weights"])
    if not np.array_equal(*releases):
        point = {"radius": radius, "scale": scale}
        gap = float(np.abs(releases[0] - releases[1]).max())
        value = {"object": point, "property": "equal weights", "value": gap, "python": ""}
        return refuted("enumeration", {"setting": point, "claimed": "equal", "found": f"differ by {gap:.3g}", **value})
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="projected and unprojected candidates")


if __name__ == "__main__":
    from experiments.run import script

    script("margin_utility")
