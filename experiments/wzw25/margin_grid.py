"""Does a doubling grid of margins suffice? Wang, Zhu & Wang (2025), Lemma 6.4, Lemma G.1 and Corollary G.2.

Everything is compared in fractions on profiles of margins (`lemmata.experiments.instances.datasets.margin_profiles`),
among them the one-step profiles to which `lemmata.bounds.wzw25.margin_grid` reduces every dataset.
"""

from bisect import bisect_left
from fractions import Fraction
from itertools import product
from math import inf, log2

from lemmata.bounds.theorem import require
from lemmata.bounds.wzw25 import margin_grid as bound
from lemmata.experiments.checks import (
    Control,
    Step,
    exact_claim,
    holds,
    identity_claim,
    inequality_claim,
    order_claim,
    refuted,
    run_script,
    witness,
)
from lemmata.experiments.instances.datasets.margin_profiles import (
    HAIR,
    all_profiles,
    at_level,
    beyond,
    budgets,
    growing,
    half_way,
    left_side,
    neighbours,
    profiles,
    right_side,
    steps,
)

SIZES = {"quick": ({"n": 6}, {"n": 32}), "full": ({"n": 1}, {"n": 2}, {"n": 100})}
# Lemma 6.4 ------------------------------------------------------------------------------------------------------------

BEYOND_N = """import numpy as np
from lemmata.bounds.wzw25.margin_grid import doubling_grid, general_constant, grid_order
from lemmata.mechanisms.solvers.margin import geometric_margin, min_outliers
n, r, ratios = {n}, 1 / (2 * {n}), []
X, y = np.full((n, 1), r), np.ones(n)           # n records r e_1 with label +1, in the unit ball: gamma(S) = r
assert abs(geometric_margin(X, y).value - r) < 1e-12
fewest = [min_outliers(X, y, float(g)).low for g in doubling_grid(n)]    # every record goes, at every grid value
for epsilon in (10 * n, 100 * n, 1000 * n):
    grid = [grid_order(outliers=m, n=n, gamma=float(g), epsilon=epsilon) for g, m in zip(doubling_grid(n), fewest)]
    ratios.append(min(1, *grid) / grid_order(outliers=0, n=n, gamma=r, epsilon=epsilon))
assert ratios[0] > {least} and ratios[2] > 9 * ratios[1] > 80 * ratios[0] > general_constant(n=n, epsilon=epsilon)"""


@order_claim(
    bound.grid_order,
    family="n records (1/(2n)) e_1 with label +1; left side 1, g = 4 n / ε",
    quick=({"n": 4},),
    full=({"n": 1}, {"n": 1000}),
    severity="statement",
    corner=require(
        "ε ≤ 4n and every S_out other than S itself", lambda epsilon, n, outliers: epsilon <= 4 * n and outliers < n
    ),
    restated=("wzw25.thm6.5", "wzw25.thm6.7", "wzw25.thm7.1"),
    python=lambda points, ratios: BEYOND_N.format(n=points[0]["n"], least=1),
    note="records shorter than 1/n have a margin that no value of the grid reaches, so the left side is 1, while "
    "the right side tends to 0 like 1/ε. For ε ≤ 4n the lemma holds with the constant 4, for larger ε with ε/n. "
    "Theorem 6.7 uses it for min{1, ε}; Theorems 6.5 and 7.1 allow ε > 4n only where log(n/δ) is of the order n or "
    "more, and their Õ leaves that logarithm out. The proof assumes ε ≤ n 'without loss of generality', but this "
    "does lose generality. At S_out = S no record is left; the margin of the empty set, a minimum over nothing, "
    "makes the right side 0",
)
def grid_is_enough(*, n):
    """The family with margin 1/(2n) as epsilon / n grows: left side 1, right side n / (4 epsilon) times 16 ..."""
    for epsilon, left, g in beyond(n):
        yield {"n": n, "epsilon": float(epsilon)}, left, g
    axis = [Fraction(n * 2**j, 16) for j in range(16)]
    right = [right_side(half_way(n), e) for e in axis]
    constants = [Fraction(bound.grid_constant(n=n, epsilon=float(e))) for e in axis]
    series = {
        "epsilon": axis,
        "left side": [left_side(half_way(n), e) for e in axis],
        "g": [min(1, g) for g in right],
        "g times max(4, epsilon / n)": [min(1, g * c) for g, c in zip(right, constants, strict=True)],
    }
    return {"series": witness.plain(series)}


@inequality_claim(bound.grid_constant, given=[bound.neighbour_bound], cost=0.15, **SIZES)
def grid_loses_four(*, n):
    """All profiles and epsilon from 1/100 to 1000 n against max(4, epsilon / n)."""
    yield from all_profiles(n, lambda epsilon: bound.grid_constant(n=n, epsilon=float(epsilon)), budgets(n))
    margins = [Fraction(k, 200 * n) for k in range(20, 200 * n + 1, max(1, n))]
    epsilon = Fraction(4 * n)
    series = {
        "gamma(S), no outliers, epsilon = 4 n": margins,
        "left side": [left_side((m,) * n, epsilon) for m in margins],
        "4 g, at most 1": [min(1, 4 * right_side((m,) * n, epsilon)) for m in margins],
    }
    note = "Both constants are reached in the limit: margins just below twice a grid value, and just below 1/n."
    return {"note": note, "series": witness.plain(series)}


@inequality_claim(
    bound.grid_size,
    quick=({"largest": 5000},),
    control=Control(lambda factor: f"a grid that grows by {factor + 1:g}, not 2", (1.001, 2)),
    cost=0.3,
    note="Counted as a set; written as a list, the value 1 appears twice when n is a power of two.",
)
def grid_is_counted(*, largest, factor=1):
    """Distinct grid values for every n from 2 to `largest`: no more and no fewer than stated, and at most 4 log2 n."""
    most = 0.0
    for n in range(2, largest + 1):
        count, claimed = len({*bound.doubling_grid(n), *growing(n, 1 + factor)}), bound.grid_size(n=n)
        yield {"n": n}, max(count, claimed), min(count, claimed)
        yield {"n": n}, count, 4 * log2(n)
        most = max(most, count / (4 * log2(n)))
    sizes = [2, 3, 5, 8, 9, 16, 33, 100, 1000, 5000]
    return {
        "tightness": (most, most),
        "series": {
            "n": [float(n) for n in sizes],
            "values of the grid": [float(len(bound.doubling_grid(n))) for n in sizes],
            "4 log2 n": [4 * log2(n) for n in sizes],
        },
    }


# Lemma G.1 and its proof ----------------------------------------------------------------------------------------------


@inequality_claim(bound.neighbour_bound, given=[bound.doubled_terms, bound.quadrupled_terms], cost=0.3, **SIZES)
def some_level_is_near(*, n):
    """The best grid value for every gamma; one that is the best of all may be better than the one below gamma."""
    grid, best, right = bound.doubling_grid(n), {}, bound.neighbour_bound.theorem.formula
    for profile, epsilon, gamma, _ in neighbours(n):
        if (profile, epsilon) not in best:
            best[profile, epsilon] = min(at_level(profile, g, epsilon) for g in grid)
        claimed = right(outliers=bisect_left(profile, gamma), n=n, gamma=gamma, epsilon=epsilon)
        yield {"epsilon": epsilon, "gamma": gamma}, best[profile, epsilon], claimed
    stairs, margins = tuple(Fraction(k + 1, n) for k in range(n)), [Fraction(k, 200) for k in range(200 // n + 1, 201)]
    below = [max(level for level in grid if level <= g) for g in margins]
    series = {
        "gamma": margins,
        "4 g(gamma)": [4 * at_level(stairs, g, Fraction(1)) for g in margins],
        "g(grid value below)": [at_level(stairs, g, Fraction(1)) for g in below],
        "g(gamma)": [at_level(stairs, g, Fraction(1)) for g in margins],
    }
    return {"series": witness.plain(series)}


@inequality_claim(bound.grid_neighbour, quick=({"largest": 300},), full=({"largest": 3000},))
def grid_is_dense(*, largest):
    """Every n up to `largest`, gamma at 1/n, at 1, and just below every grid value: the worst is below 2."""
    for n in range(1, largest + 1):
        grid = bound.doubling_grid(n)
        for gamma in {Fraction(1, n), Fraction(1), *(g * (1 - HAIR) for g in grid[1:])}:
            near = bound.grid_neighbour(n=n, gamma=gamma)
            yield {"n": n, "gamma": gamma}, gamma, 2 * near
            yield {"n": n, "gamma": gamma}, near if near in grid else 1 + gamma, gamma


@inequality_claim(
    bound.fewest,
    given=["wzw25.def6.1/explicit/nested"],
    control=Control("the outliers of {} times the grid value", (1.001, 4, 40)),
    **SIZES,
)
def outliers_shrink(*, n, factor=1):
    """m at a level against m at the grid value below it."""
    for profile, epsilon, gamma, below in neighbours(n):
        if epsilon == 1:
            yield {"gamma": gamma}, bisect_left(profile, below * factor), bound.fewest(profile=profile, gamma=gamma)


@inequality_claim(bound.doubled_terms, given=[bound.grid_neighbour], cost=0.2, **SIZES)
def terms_double(*, n):
    """The first line of Equation 11: both sides at the outliers of the grid value."""
    right = bound.doubled_terms.theorem.formula
    for profile, epsilon, gamma, below in neighbours(n):
        claimed = right(outliers=bisect_left(profile, below), n=n, gamma=gamma, epsilon=epsilon)
        yield {"epsilon": epsilon, "gamma": gamma}, at_level(profile, below, epsilon), claimed


@inequality_claim(bound.quadrupled_terms, given=[bound.fewest], cost=0.2, **SIZES)
def terms_quadruple(*, n):
    """The second line of Equation 11."""
    left, right = bound.doubled_terms.theorem.formula, bound.quadrupled_terms.theorem.formula
    for profile, epsilon, gamma, below in neighbours(n):
        doubled = left(outliers=bisect_left(profile, below), n=n, gamma=gamma, epsilon=epsilon)
        claimed = right(outliers=bisect_left(profile, gamma), n=n, gamma=gamma, epsilon=epsilon)
        yield {"epsilon": epsilon, "gamma": gamma}, doubled, claimed


@inequality_claim(bound.best_level_bound, given=[bound.neighbour_bound], **SIZES)
def best_level_is_near(*, n):
    """Minima of both sides: on the right over the margins M_k >= 1/n, and over level 1 where everything is removed."""
    right = bound.best_level_bound.theorem.formula
    for profile in profiles(n):
        choices = [(k, m) for k, m in steps(profile) if n * m >= 1] + [(bisect_left(profile, 1), Fraction(1))]
        for epsilon in budgets(n):
            best = min(at_level(profile, g, epsilon) for g in bound.doubling_grid(n))
            yield {"epsilon": epsilon}, best, min(right(outliers=k, n=n, gamma=m, epsilon=epsilon) for k, m in choices)


# The proof of Lemma 6.4 -----------------------------------------------------------------------------------------------


@exact_claim(
    bound.general_constant,
    quick=({"n": 4},),
    full=({"n": 1}, {"n": 1000}),
    severity="statement",
    corner=require("ε ≤ 4n", lambda epsilon, n: epsilon <= 4 * n),
    restated=("wzw25.lem6.4",),
    note="beyond 4n the constant that serves ε ≤ n is too small, and no constant is large enough",
)
def nothing_is_lost(*, n, factor=1):
    """The constant that serves epsilon <= n, at epsilon = 10 n, 100 n, 1000 n."""
    epsilon, left, g = beyond(n)[-1]
    constant = bound.general_constant(n=n, epsilon=float(epsilon))
    if left <= constant * g:
        return holds("enumeration", "settings")
    point, python = {"n": n, "epsilon": epsilon, "gamma(S)": 1 / (2 * n)}, BEYOND_N.format(n=n, least=constant / 2)
    ratio = float(left / (constant * g))
    words = {"claimed": f"at most {float(constant * g):.3g}", "found": f"the left side is {float(left):g}"}
    shown = witness.inequality({"n": n}, left, constant * g, point=point, python=python, **words)
    return refuted("enumeration", shown, tightness=(ratio, ratio))


@inequality_claim(bound.restricted_constant, given=[bound.grid_constant], **SIZES)
def four_n_is_no_loss(*, n):
    """All profiles at epsilon = n, 2 n and 4 n."""
    chosen = [Fraction(n), Fraction(2 * n), Fraction(4 * n)]
    yield from all_profiles(n, lambda epsilon: bound.restricted_constant(n=n, epsilon=epsilon), chosen)


@inequality_claim(bound.short_margin, steps=[Step("(n/ε)/(nγ)² ≥ 1/(nγ)² ≥ 2 - nγ > 1")])
def short_margins_are_trivial():
    """A number above 1 that the value is not below."""
    for n, gamma, epsilon in ((4, 0.24, 0.5), (100, 0.00999, 100.0)):
        setting = {"n": n, "gamma": gamma, "epsilon": epsilon}
        yield setting, 2 - n * gamma, bound.short_margin(**setting)


@inequality_claim(
    bound.any_margin, given=[bound.short_margin, bound.best_level_bound], note="the constant of O(·) is 4", **SIZES
)
def any_margin_is_near(*, n):
    """All profiles at epsilon up to n: 4 times the expression in O(.), at the best margin that removals leave."""
    right = bound.any_margin.theorem.formula
    for profile, epsilon in product(profiles(n), [e for e in budgets(n) if e <= n]):
        terms = [4 * right(outliers=k, n=n, gamma=gamma, epsilon=epsilon) for k, gamma in steps(profile)]
        if terms:  # the left side is at most 1, so the minimum with 1 on the right is free
            yield {"n": n, "epsilon": epsilon}, left_side(profile, epsilon), min(terms)


NO_RECORD_LEFT = """from lemmata.bounds.wzw25.margin_grid import left_margin
n, epsilon = {n}, {epsilon}                       # any n records: on the left every term is at least 1 / (n epsilon)
right = left_margin(outliers=n, n=n, gamma=1e100, epsilon=epsilon)    # S_out = S: gamma is +inf, a minimum over nothing
assert right < 1e-99 and min(1, 1 / (n * epsilon)) > 1e-9"""


@identity_claim(
    bound.left_margin,
    severity="statement",
    corner=require("every S_out other than S itself", lambda outliers, n: outliers < n),
    restated=("wzw25.lem6.4",),
    python=lambda setting, *_: NO_RECORD_LEFT.format(**setting),
    note="S_out = S leaves no record, and the margin of the empty set is a minimum over nothing, +∞, so the right "
    "side is always 0",
)
def no_record_is_left():
    """n records e_1: the left side is 1 / (n epsilon) at gamma = 1, the right side 0 at S_out = S."""
    n, epsilon = 4, 1.0
    left = min(Fraction(1), at_level((Fraction(1),) * n, Fraction(1), Fraction(epsilon)))
    yield {"n": n, "epsilon": epsilon}, left, bound.left_margin.theorem.formula(n=n, outliers=n, gamma=inf, epsilon=1)


@identity_claim(
    bound.left_margin_proper,
    control=Control("the empty subset counted too, with margin {}", (1.03, 2, 1000)),
    cost=0.2,
    note="S_out = S, counted with any margin up to 1, would change nothing",
    **SIZES,
)
def levels_are_margins(*, n, factor=1):
    """Left: g at 40 levels, at the M_k and at 1. Right: g at the margins that removals leave."""
    lattice = [Fraction(j, 40) for j in range(1, 41)]
    formula = bound.left_margin_proper.theorem.formula
    for profile, epsilon in product(profiles(n), budgets(n)[:3]):
        left = min(1, *(at_level(profile, gamma, epsilon) for gamma in {*lattice, *(m for _, m in steps(profile))}))
        sets = [*steps(profile), (n, Fraction(factor))]
        right = min(formula(outliers=k, n=n, gamma=gamma, epsilon=epsilon) for k, gamma in sets)
        yield {"n": n, "epsilon": epsilon}, left, right


# Corollary G.2 --------------------------------------------------------------------------------------------------------

LARGE_BALL = """import numpy as np
from lemmata.bounds.wzw25.margin_grid import ball_order, doubling_grid
from lemmata.mechanisms.solvers.margin import geometric_margin, min_outliers
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


@order_claim(
    bound.ball_order,
    misprint="read b|S_out| for |S_out| and b² for the 1 of the second term, as Appendix L, which uses it, has them",
    family="n records (b/(2n)) e_1 with label +1, ε = 1; left side about 1/b, g = 4 n / b²",
    quick=({"n": 4},),
    full=({"n": 1}, {"n": 20}),
    severity="statement",
    python=lambda points, ratios: LARGE_BALL.format(n=points[0]["n"]),
    note="the display is that of the unit ball and lacks the b that its terms need, so it is not a rescaling of "
    "Lemma 6.4. It holds for b² ε ≤ 4 n (same-display) and, as 1/b + 1/(n b² ε) bounds the left side, for b ε ≤ "
    "3 n. Records shorter than b/n have a margin below the grid: at b/(2n) the right side is 4n/(b² ε), while the left "
    "side is at least 1/b",
)
def ball_needs_no_radius(*, n):
    """n records at b / (2 n), epsilon = 1, as b grows: no grid value is reached."""

    def profile(b):
        return (b / (2 * n),) * n

    for b in (Fraction(10**j) for j in (2, 4, 6)):
        yield {"n": n, "b": b}, left_side(profile(b), Fraction(1), b), right_side(profile(b), Fraction(1))
    axis = [Fraction(2) ** j for j in range(-4, 14)]
    series = {
        "b": axis,
        "left side": [left_side(profile(b), Fraction(1), b) for b in axis],
        "g, as printed": [min(1, right_side(profile(b), Fraction(1))) for b in axis],
        "with b in both terms: left side": [left_side(profile(b), Fraction(1), b, b) for b in axis],
        "with b in both terms: g": [min(1, right_side(profile(b), Fraction(1), b)) for b in axis],
    }
    return {"series": witness.plain(series)}


BALLS = ({"n": 32, "radius": 0.001}, {"n": 1, "radius": 10.0}, {"n": 100, "radius": 7.0})


@inequality_claim(bound.ball_constant, given=[bound.grid_constant], quick=({"n": 6, "radius": 1000.0},), full=BALLS)
def ball_carries_its_radius(*, n, radius):
    """All profiles scaled to the radius, with b in both terms."""

    def constant(epsilon):
        return bound.ball_constant(n=n, epsilon=float(epsilon), radius=radius)

    yield from all_profiles(n, constant, budgets(n), radius=Fraction(radius), carried=Fraction(radius))


@inequality_claim(
    bound.same_display_constant,
    given=[bound.neighbour_bound],
    quick=({"n": 32, "radius": 0.5}, {"n": 6, "radius": 1000.0}),
    full=BALLS,
)
def display_holds_with_a_radius(*, n, radius):
    """All profiles scaled to the radius, without b in the terms: the constant grows with b^2."""

    def constant(epsilon):
        return bound.same_display_constant(n=n, epsilon=float(epsilon), radius=radius)

    yield from all_profiles(n, constant, budgets(n), radius=Fraction(radius))


if __name__ == "__main__":
    run_script(__file__)
