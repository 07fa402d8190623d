"""The grid of Appendix G, step by step: Wang, Zhu & Wang (2025), Lemma G.1 and the proof of Lemma 6.4."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

from bounds import margin_grid as bound
from bounds.margin_grid import doubling_grid
from experiments.claim import Sabotage, exact_claim, holds, refuted
from experiments.margin_profiles import (
    BEYOND_N,
    HAIR,
    SIZES,
    TIGHTER,
    at_level,
    beyond,
    broken,
    budgets,
    compare,
    growing,
    levels,
    on_all_profiles,
    profiles,
    steps,
)


def neighbours(n):
    """(profile, epsilon, gamma, the grid value below gamma) for all levels gamma in [1/n, 1]."""
    grid = doubling_grid(n)
    admissible = [gamma for gamma in levels(n) if n * gamma >= 1]
    for profile in profiles(n):
        for gamma in {*admissible, *(m for m in (profile[0], profile[-1]) if n * m >= 1)}:
            below = grid[bisect_left(grid, gamma + HAIR * gamma / 2) - 1]
            for epsilon in budgets(n):
                yield profile, epsilon, gamma, below


def by_neighbours(n, lhs, rhs, factor, claimed, **more):
    """Compare two sides that are functions of (profile, epsilon, gamma, below)."""
    divisor = Fraction(factor)
    cases = (({"epsilon": case[1], "gamma": case[2]}, lhs(*case), rhs(*case) / divisor) for case in neighbours(n))
    return compare(n, cases, claimed, **more)


def bounded_at(statement, outliers):
    """The right side of a display as a function of (profile, epsilon, gamma, below), `outliers` chosen there."""
    formula = statement.theorem.function

    def right(profile, epsilon, gamma, below):
        m = bisect_left(profile, gamma if outliers == "gamma" else below)
        return formula(outliers=m, n=len(profile), gamma=gamma, epsilon=epsilon)

    return right


@exact_claim(
    bound.grid_neighbour,
    quick=({"largest": 300},),
    full=({"largest": 3000},),
    control=Sabotage("a grid that grows by {}, not 2", (3,)),
    cost=0.05,
)
def grid_is_dense(*, largest, factor=1):
    """Every n up to `largest`, gamma at 1/n, at 1, and a hair below every grid value: the worst is below 2."""
    worst = Fraction(1)
    for n in range(1, largest + 1):
        grid = doubling_grid(n) if factor == 1 else growing(n, factor)
        for gamma in {Fraction(1, n), Fraction(1), *(g * (1 - HAIR) for g in grid[1:])}:
            below = max((g for g in grid if g <= gamma), default=None)
            if below is None or 2 * below < gamma:
                told = broken({"largest": largest}, {"n": n, "gamma": float(gamma)}, gamma, 2 * (below or 0), "<= 2")
                return refuted("enumeration", told)
            worst = max(worst, gamma / below)
    return holds("derivation", "everywhere", tightness=(float(worst / 2),) * 2)


@exact_claim(
    bound.fewest,
    given=("wzw25.def6.1/explicit/nested",),
    control=Sabotage("the outliers of {} times the grid value", (4, 40)),
    cost=0.05,
    **SIZES,
)
def outliers_shrink(*, n, factor=1):
    """m at a level against m at the grid value below it."""
    cases = (
        ({"gamma": gamma}, bisect_left(profile, below * factor), bound.fewest(profile=profile, gamma=gamma))
        for profile, epsilon, gamma, below in neighbours(n)
        if epsilon == 1
    )
    return compare(n, cases, "m(gamma') <= m(gamma)")


@exact_claim(bound.doubled_terms, given=("wzw25.lemG.1.s1/printed",), control=TIGHTER, cost=0.2, **SIZES)
def terms_double(*, n, factor=1):
    """The first line of Equation 11: both sides at the outliers of the grid value."""
    return by_neighbours(
        n,
        lambda profile, epsilon, gamma, below: at_level(profile, below, epsilon),
        bounded_at(bound.doubled_terms, "below"),
        factor,
        "2 |S_out| / (n gamma) + 4 / (n gamma^2 epsilon)",
    )


@exact_claim(bound.quadrupled_terms, given=("wzw25.lemG.1.s2/printed",), control=TIGHTER, cost=0.2, **SIZES)
def terms_quadruple(*, n, factor=1):
    """The second line of Equation 11."""
    return by_neighbours(
        n,
        bounded_at(bound.doubled_terms, "below"),
        bounded_at(bound.quadrupled_terms, "gamma"),
        factor,
        "4 (|S_out| / (n gamma) + 1 / (n gamma^2 epsilon))",
    )


@exact_claim(
    bound.neighbour_bound,
    given=("wzw25.lemG.1.s3/printed", "wzw25.lemG.1.s4/printed"),
    control=TIGHTER,
    cost=0.3,
    **SIZES,
)
def some_level_is_near(*, n, factor=1):
    """The best grid value for every gamma; one that is the best of all may be better than the one below gamma."""
    grid, seen = doubling_grid(n), {}

    def best(profile, epsilon, gamma, below):
        if (profile, epsilon) not in seen:
            seen[profile, epsilon] = min(at_level(profile, g, epsilon) for g in grid)
        return seen[profile, epsilon]

    stairs, margins = tuple(Fraction(k + 1, n) for k in range(n)), [Fraction(k, 200) for k in range(200 // n + 1, 201)]
    right = bounded_at(bound.neighbour_bound, "gamma")
    series = {
        "gamma": [float(g) for g in margins],
        "4 g(gamma)": [float(right(stairs, 1, g, 0)) for g in margins],
        "g(grid value below)": [float(at_level(stairs, max(x for x in grid if x <= g), Fraction(1))) for g in margins],
        "g(gamma)": [float(at_level(stairs, g, Fraction(1))) for g in margins],
    }
    return by_neighbours(n, best, right, factor, "4 (|S_out| / (n gamma) + 1 / (n gamma^2 epsilon))", series=series)


@exact_claim(bound.best_level_bound, given=("wzw25.lemG.1/printed",), control=TIGHTER, cost=0.08, **SIZES)
def best_level_is_near(*, n, factor=1):
    """Minima of both sides: on the right over the margins M_k >= 1/n, and over level 1 where everything is removed."""

    def cases():
        for profile in profiles(n):
            choices = [(k, m) for k, m in steps(profile) if n * m >= 1] + [(bisect_left(profile, 1), Fraction(1))]
            for epsilon in budgets(n):
                lhs = min(at_level(profile, g, epsilon) for g in doubling_grid(n))
                formula = bound.best_level_bound.theorem.function
                rhs = min(formula(outliers=k, n=n, gamma=m, epsilon=epsilon) for k, m in choices)
                yield {"epsilon": epsilon}, lhs, rhs / Fraction(factor)

    return compare(n, cases(), "4 min over [1/n, 1]")


# The proof of Lemma 6.4 ------------------------------------------------------------------------------------------


@exact_claim(
    bound.general_constant,
    quick=({"n": 4},),
    full=({"n": 1}, {"n": 1000}),
    corrected_by="wzw25.lem6.4.s1/corrected",
    severity="cosmetic",
    cost=0.02,
    note="beyond 4 n the constant of the case epsilon <= n is too small, and no constant is large enough",
)
def nothing_is_lost(*, n, factor=1):
    """The constant that serves epsilon <= n, at epsilon = 10 n, 100 n, 1000 n."""
    for epsilon, left, g in beyond(n):
        claimed = bound.general_constant(n=n, epsilon=float(epsilon)) * g
        if left > claimed:
            python = BEYOND_N.format(n=n, least=bound.general_constant(n=n, epsilon=float(epsilon)) / 2)
            point = {"epsilon": float(epsilon), "gamma(S)": 1 / (2 * n)}
            told = broken({"n": n}, point, left, claimed, "4 g serves epsilon > n as well", python)
            worst = float(left / claimed)
    if beyond(n)[-1][1] > bound.general_constant(n=n, epsilon=float(n)) * beyond(n)[-1][2]:
        return refuted("enumeration", told, tightness=(worst, worst))
    return holds("enumeration", "settings")


@exact_claim(
    bound.restricted_constant,
    given=("wzw25.lem6.4/corrected",),
    control=TIGHTER,
    cost=0.05,
    **SIZES,
)
def four_n_is_no_loss(*, n, factor=1):
    """All profiles at epsilon = n, 2 n and 4 n."""
    chosen = [Fraction(n), Fraction(2 * n), Fraction(4 * n)]
    return on_all_profiles(n, lambda epsilon: bound.restricted_constant(n=n, epsilon=epsilon), chosen, factor, "4 g")


@exact_claim(bound.short_margin, control=Sabotage("value / {}", (1.01, 2)), cost=0.01, **SIZES)
def short_margins_are_trivial(*, n, factor=1):
    """1 / (n gamma^2 epsilon) below 1/n, closest at epsilon = n and gamma a hair below 1/n."""

    def cases():
        for gamma in (level for level in levels(n) if n * level < 1):
            for epsilon in (e for e in budgets(n) if e <= n):
                value = bound.short_margin(n=n, gamma=gamma, epsilon=epsilon) / Fraction(factor)
                yield {"gamma": gamma, "epsilon": epsilon}, 1 if value != 1 else 1 + HAIR, value

    return compare(n, cases(), "1 / (n gamma^2 epsilon) > 1")


@exact_claim(
    bound.any_margin,
    given=("wzw25.lem6.4.s2/printed", "wzw25.lemG.1.s5/printed"),
    control=TIGHTER,
    cost=0.05,
    note="the constant of O(.) is 4",
    **SIZES,
)
def any_margin_is_near(*, n, factor=1):
    """All profiles at epsilon up to n, with the constant 4."""
    return on_all_profiles(n, lambda epsilon: 4, [e for e in budgets(n) if e <= n], factor, "4 g")


@exact_claim(
    bound.left_margin,
    control=Sabotage("the empty subset counts as a margin {}", (2, 1000)),
    cost=0.2,
    note="removing all records counts with margin 1, the largest level; with margin +inf, a minimum over nothing, the "
    "right side would be 0 for every dataset, here and in Lemma 6.4, Theorems 4.1, 6.5 and 6.7",
    **SIZES,
)
def levels_are_margins(*, n, factor=1):
    """Left: g at 40 levels, at the M_k and at 1. Right: g at the margins that removals leave, of all records too."""
    lattice = [Fraction(j, 40) for j in range(1, 41)]
    formula = bound.left_margin.theorem.function
    for profile in profiles(n):
        for epsilon in budgets(n)[:3]:
            left = min(1, *(at_level(profile, gamma, epsilon) for gamma in {*lattice, *(m for _, m in steps(profile))}))
            sets = [*steps(profile), (n, Fraction(factor))]
            right = min(formula(outliers=k, n=n, gamma=gamma, epsilon=epsilon) for k, gamma in sets)
            if left != right:
                told = broken({"n": n}, {"epsilon": float(epsilon)}, max(left, right), min(left, right), "equal")
                return refuted("enumeration", told)
    return holds("derivation", "everywhere", tightness=(1, 1))


if __name__ == "__main__":
    from experiments.run import script

    script("margin_grid")
