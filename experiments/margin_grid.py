"""Does a doubling grid of margins suffice? Wang, Zhu & Wang (2025), Lemma 6.4 and Corollary G.2."""

from __future__ import annotations

from fractions import Fraction
from math import log2

from bounds import margin_grid as bound
from bounds.margin_grid import doubling_grid
from experiments.claim import Sabotage, exact_claim, holds, inconclusive, refuted
from experiments.margin_profiles import (
    BEYOND_N,
    SIZES,
    TIGHTER,
    beyond,
    broken,
    budgets,
    growing,
    half_way,
    left_side,
    on_all_profiles,
    right_side,
    unbounded,
)


@exact_claim(
    bound.grid_order,
    quick=({"n": 4},),
    full=({"n": 1}, {"n": 1000}),
    corrected_by="wzw25.lem6.4/corrected",
    severity="cosmetic",
    cost=0.02,
    note="only for epsilon beyond 4 n, which nobody uses: up to there the constant is 4. The proof assumes epsilon <= "
    "n without loss of generality, and it is one: records shorter than 1/n leave a margin that no grid value reaches, "
    "so the left side is 1, and the right side tends to 0 with 1/epsilon. The same whether the empty subset is an "
    "inlier set (then the left side is 1/gamma or more) or not (then it is a minimum over nothing)",
)
def grid_is_enough(*, n, factor=1):
    """The family with margin 1/(2n) as epsilon / n grows: left side 1, right side n / (4 epsilon) times 16 ..."""
    points = beyond(n)
    ratios = [float(left / g) for _, left, g in points]
    if not unbounded(ratios):
        return inconclusive("NO_CONSTANT", f"left / g = {ratios} along the family that should break it")
    epsilon, left, g = points[-1]
    told = broken(
        {"n": n},
        {"epsilon": float(epsilon), "gamma(S)": 1 / (2 * n)},
        left,
        g,
        "left side <= C g with one C for all epsilon > 0",
        BEYOND_N.format(n=n, least=1),
    )
    told |= {
        "family": "n records (1/(2n)) e_1 with label +1; left side 1, g = 4 n / epsilon",
        "points": [{"n": n, "epsilon": float(e)} for e, _, _ in points],
        "ratios": ratios,
    }
    axis = [Fraction(n * 2**j, 16) for j in range(16)]
    series = {
        "epsilon": [float(e) for e in axis],
        "left side": [float(left_side(half_way(n), e)) for e in axis],
        "g": [float(min(1, right_side(half_way(n), e))) for e in axis],
        "g times max(4, epsilon / n)": [
            float(min(1, right_side(half_way(n), e) * bound.grid_constant(n=n, epsilon=float(e)))) for e in axis
        ],
    }
    return refuted("derivation", told, series=series)


@exact_claim(
    bound.grid_constant,
    given=("wzw25.lemG.1/printed",),
    control=TIGHTER,
    cost=0.15,
    **SIZES,
)
def grid_loses_four(*, n, factor=1):
    """All profiles and epsilon from 1/100 to 1000 n against max(4, epsilon / n)."""
    margins = [Fraction(k, 200 * n) for k in range(20, 200 * n + 1, max(1, n))]
    epsilon = Fraction(4 * n)
    series = {
        "gamma(S), no outliers, epsilon = 4 n": [float(m) for m in margins],
        "left side": [float(left_side((m,) * n, epsilon)) for m in margins],
        "4 g, at most 1": [float(min(1, 4 * right_side((m,) * n, epsilon))) for m in margins],
    }
    return on_all_profiles(
        n,
        lambda epsilon: bound.grid_constant(n=n, epsilon=float(epsilon)),
        budgets(n),
        factor,
        "max(4, epsilon / n) g",
        note="both constants are reached in the limit: margins a hair below twice a grid value, and a hair below 1/n",
        series=series,
    )


@exact_claim(
    bound.grid_size,
    quick=({"largest": 5000},),
    control=Sabotage("a grid that grows by {}, not 2", (3,)),
    cost=0.3,
    note="as a set; written as a list, the value 1 appears twice when n is a power of two",
)
def grid_is_counted(*, largest, factor=1):
    """Distinct grid values for every n from 2 to `largest`."""
    ratios = []
    for n in range(2, largest + 1):
        count, claimed = len(doubling_grid(n) if factor == 1 else growing(n, factor)), bound.grid_size(n=n)
        if count != claimed or count > 4 * log2(n):
            told = broken({"largest": largest}, {"n": n}, max(count, claimed), min(count, claimed), "equal")
            return refuted("enumeration", told)
        ratios.append(count / (4 * log2(n)))
    sizes = [2, 3, 5, 8, 9, 16, 33, 100, 1000, 5000]
    series = {
        "n": [float(n) for n in sizes],
        "values of the grid": [float(len(doubling_grid(n))) for n in sizes],
        "4 log2 n": [4 * log2(n) for n in sizes],
    }
    return holds("derivation", "everywhere", tightness=(max(ratios),) * 2, series=series)


# Corollary G.2 ----------------------------------------------------------------------------------------------------

LARGE_BALL = """import numpy as np
from bounds.margin_grid import ball_order, doubling_grid
from mechanisms.geometry import geometric_margin, min_outliers
n, epsilon, ratios = {n}, 1.0, []
for b in (1e2, 1e4, 1e6):
    r, y = b / (2 * n), np.ones(n)
    X = np.full((n, 1), r)                      # n records r e_1 with label +1, in the ball of radius b: gamma(S) = r
    assert abs(geometric_margin(X, y).value / r - 1) < 1e-12
    grid = [float(g) for g in doubling_grid(n, b)]
    terms = [(min_outliers(X, y, g).low, g) for g in grid]             # every record goes, at every grid value
    left = min(1, *(ball_order(outliers=m, n=n, gamma=g, epsilon=epsilon, radius=b) for m, g in terms))
    ratios.append(left / ball_order(outliers=0, n=n, gamma=r, epsilon=epsilon, radius=b))
assert ratios[0] > 1 and ratios[2] > 50 * ratios[1] > 2500 * ratios[0]"""


@exact_claim(
    bound.ball_order,
    quick=({"n": 4},),
    full=({"n": 1}, {"n": 20}),
    corrected_by="wzw25.corG.2/corrected",
    severity="statement",
    cost=0.02,
    note="the display lacks the b that its terms need: it is no rescaling of Lemma 6.4, and stands only for b^2 "
    "epsilon <= 4 n (same-display). Records shorter than b/n leave a margin below the grid: at b/(2n) g is 4 n / (b^2 "
    "epsilon), while the left side is 1/b or more (exactly 1 if the empty subset is no inlier set)",
)
def ball_needs_no_radius(*, n, factor=1):
    """n records at b / (2 n), epsilon = 1, as b grows: no grid value is reached."""
    points = []
    for b in (Fraction(10**j) for j in (2, 4, 6)):
        profile = (b / (2 * n),) * n
        points.append((b, left_side(profile, Fraction(1), b), right_side(profile, Fraction(1))))
    ratios = [float(left / g) for _, left, g in points]
    if not unbounded(ratios):
        return inconclusive("NO_CONSTANT", f"left / g = {ratios} along the family that should break it")
    b, left, g = points[-1]
    told = broken(
        {"n": n},
        {"b": float(b), "epsilon": 1.0},
        left,
        g,
        "left side <= C g with one C for all b",
        LARGE_BALL.format(n=n),
    )
    told |= {
        "family": "n records (b/(2n)) e_1 with label +1, epsilon = 1; left side about 1/b, g = 4 n / b^2",
        "points": [{"n": n, "b": float(b)} for b, _, _ in points],
        "ratios": ratios,
    }
    axis = [Fraction(2) ** j for j in range(-4, 14)]
    ray = {b: (b / (2 * n),) * n for b in axis}
    series = {
        "b": [float(b) for b in axis],
        "left side": [float(left_side(ray[b], Fraction(1), b)) for b in axis],
        "g, as printed": [float(min(1, right_side(ray[b], Fraction(1)))) for b in axis],
        "with b in both terms: left side": [float(left_side(ray[b], Fraction(1), b, b)) for b in axis],
        "with b in both terms: g": [float(min(1, right_side(ray[b], Fraction(1), b))) for b in axis],
    }
    return refuted("derivation", told, series=series)


BALLS = {
    "quick": ({"n": 6, "radius": 1000.0},),
    "full": ({"n": 32, "radius": 0.001}, {"n": 1, "radius": 10.0}, {"n": 100, "radius": 7.0}),
}


@exact_claim(bound.ball_constant, given=("wzw25.lem6.4/corrected",), control=TIGHTER, cost=0.05, **BALLS)
def ball_carries_its_radius(*, n, radius, factor=1):
    """All profiles scaled to the radius, with b in both terms."""
    b = Fraction(radius)
    return on_all_profiles(
        n,
        lambda epsilon: bound.ball_constant(n=n, epsilon=float(epsilon), radius=radius),
        budgets(n),
        factor,
        "max(4, epsilon / n) g with b",
        radius=b,
        carried=b,
    )


@exact_claim(
    bound.same_display_constant,
    given=("wzw25.lemG.1/printed",),
    control=Sabotage("bound / {}", (1.01, 2), {"n": 32, "radius": 0.5}),
    cost=0.1,
    quick=({"n": 32, "radius": 0.5}, *BALLS["quick"]),
    full=BALLS["full"],
)
def display_holds_with_a_radius(*, n, radius, factor=1):
    """All profiles scaled to the radius, without b in the terms: the constant grows with b^2."""
    return on_all_profiles(
        n,
        lambda epsilon: bound.same_display_constant(n=n, epsilon=float(epsilon), radius=radius),
        budgets(n),
        factor,
        "max(4, b^2 epsilon / n) g",
        radius=Fraction(radius),
    )


if __name__ == "__main__":
    from experiments.run import script

    script("margin_grid")
