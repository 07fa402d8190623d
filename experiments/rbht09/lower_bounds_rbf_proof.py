"""The steps of the proofs of Lemma 19 and Theorem 20 of Rubinstein et al. 2009, each decided by itself.

Rational identities are compared as rationals, over databases that include the boundary cases; what contains the kernel
or a sine is compared in balls.
"""

from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
from flint import arb

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.rbht09 import lower_bounds_rbf, lower_bounds_rbf as bounds
from lemmata.bounds.rbht09.lower_bounds import wrong_ball
from lemmata.bounds.theorem import between, positive, require
from lemmata.experiments.checks import Step, exact_claim, identity_claim, inequality_claim, run_script
from lemmata.experiments.instances.pairs.packed_databases import (
    DELTAS,
    circle_kernel,
    dual_pairs,
    response,
    slope_first,
    slope_last,
    strictly_below,
)
from lemmata.mechanisms.solvers.svm import solve_rows

# Lemma 19: the dual ---------------------------------------------------------------------------------------------------

GAMMAS = (Fraction(1, 1000), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10))
DUALS = [{"C": C, "n": n, "gamma": g} for C in (Fraction(1, 2), Fraction(3)) for n in (2, 3, 20) for g in GAMMAS]


def zero_of(at_zero, at_one):
    """Where an affine function vanishes, from its values at 0 and 1."""
    return at_zero / (at_zero - at_one)


@identity_claim(bounds.interior)
def stationary_point():
    """At a C so large that the box does not matter: the one KKT point, from all nine active sets."""
    for case in DUALS:
        point = bounds.interior(**case)
        ((a, b),) = set(dual_pairs(**case | {"C": 2 * case["n"] / (1 - case["gamma"])}))
        yield case | {"of": "a"}, a, point[0]
        yield case | {"of": "b"}, b, point[1]


@identity_claim(bounds.interior_from, given=[bounds.interior])
def interior_feasible_from():
    """The least C with both coordinates at most C / n."""
    for case in DUALS:
        n, gamma = case["n"], case["gamma"]
        yield case, n * max(bounds.interior(**case)), bounds.interior_from(n=n, gamma=gamma)


@identity_claim(bounds.last_when_first_full, steps=[Step("algebra")])
def case_three():
    """Where the dual's derivative in b vanishes, a = C / n."""
    for case in DUALS:
        n, gamma = case["n"], case["gamma"]
        b = zero_of(*(slope_last(case["C"] / n, end, n, gamma) for end in (Fraction(0), Fraction(1))))
        yield case, b, bounds.last_when_first_full(**case)


@identity_claim(bounds.most_rows_of_case_three, steps=[Step("algebra")])
def case_three_feasible_up_to():
    """At that n, whole or not, case 3 meets the box: alpha_2 = C / n."""
    for C, gamma in product((Fraction(1, 2), Fraction(3)), GAMMAS):
        n = bounds.most_rows_of_case_three(C=C, gamma=gamma)
        yield {"C": C, "gamma": gamma}, C / bounds.last_when_first_full.theorem.formula(C=C, n=n, gamma=gamma), n


def case_four(bound, case):
    """Where the dual's derivative in a vanishes, b = C / n."""
    n, gamma = case["n"], case["gamma"]
    a = zero_of(*(slope_first(end, case["C"] / n, n, gamma) for end in (Fraction(0), Fraction(1))))
    return case, a, bound(**case)


@identity_claim(
    bounds.first_when_last_full,
    severity="constant",
    python="""
from lemmata.bounds.rbht09.lower_bounds_rbf import first_when_last_full
C, n, gamma = 0.5, 3, 0.001
a = first_when_last_full(C=C, n=n, gamma=gamma)
slope = (n - 1) + gamma * (n - 1) * C / n - (n - 1) ** 2 * a  # of the reduced dual in alpha_1, at alpha_2 = C / n
assert abs(slope) > 0.9""",
    note="the last display omits the factor n − 1 of the linear term, and is right for n = 2 only. The lemma uses αₙ "
    "alone",
)
def case_four_as_printed():
    """As printed."""
    for case in DUALS:
        yield case_four(bounds.first_when_last_full, case)


@identity_claim(bounds.first_when_last_full_corrected, steps=[Step("algebra")])
def case_four_with_its_factor():
    """With the factor n - 1."""
    for case in DUALS:
        yield case_four(bounds.first_when_last_full_corrected, case)


@inequality_claim(
    bounds.case_one_excluded,
    severity="constant",
    python="""
from lemmata.bounds.rbht09.lower_bounds_rbf import case_one_excluded
C, gamma = 1.0, 0.001
assert (1 - gamma) * C > case_one_excluded(C=C, gamma=gamma)""",
    note="C/2 > (1 − γ)C means γ > 1/2, the opposite of what is assumed. The conclusion n > (1 − γ)C is true without "
    "it",
)
def half_is_below():
    """(1 - gamma) C against C / 2, gamma < 1/2."""
    for gamma in (Fraction(1, 1000), Fraction(1, 4), Fraction(49, 100)):
        yield {"C": 1, "gamma": gamma}, 1 - gamma, bounds.case_one_excluded(C=1, gamma=gamma)


@inequality_claim(bounds.case_one_excluded_corrected, steps=[Step("γ > 0")], tightness=lambda ratios: (1.0, 1.0))
def whole_is_above():
    """(1 - gamma) C against C, any gamma."""
    for C, gamma in product((Fraction(1, 9), Fraction(50)), GAMMAS):
        yield {"C": C, "gamma": gamma}, (1 - gamma) * C, bounds.case_one_excluded_corrected(C=C, gamma=gamma)


@identity_claim(bounds.last_dual, note="the dual has one solution in b; nine active sets are tried, in rationals")
def last_row_is_at_its_bound():
    """Every KKT point of the reduced dual, for n > C up to nearly n = C, and every gamma."""
    for n in (2, 3, 20):
        for C, gamma in product((Fraction(1, 10), Fraction(n, 2), n * Fraction(999, 1000)), GAMMAS):
            case = {"C": C, "n": n, "gamma": gamma}
            for a, b in dual_pairs(**case):
                yield case | {"a": a}, b, bounds.last_dual(**case)


# Lemma 19: the circle -------------------------------------------------------------------------------------------------


@identity_claim(
    bounds.own_point_distance,
    given=[bounds.last_dual],
    rounding=1e-5,
    note="both databases are solved as QPs of n rows, with certified gaps",
)
def distance_at_the_own_point():
    """f_i - f_j at row i's last point, from the QPs: features of 0, x_i and x_j whose Gram matrix is the kernel's."""
    for C, n, sigma, N in ((2.0, 5, 0.5, 6), (2.9, 3, 0.8, 4), (1.0, 10, 0.3, 11), (15.0, 20, 0.6, 5)):
        angles = 2 * np.pi / N * np.arange(2)
        points = np.vstack([[0.0, 0.0], np.column_stack([np.cos(angles), np.sin(angles)])])
        gram = np.exp(-((points[:, None] - points[None]) ** 2).sum(-1) / (2 * sigma**2))
        features = np.linalg.cholesky(gram)
        rows = [np.vstack([np.tile(features[0], (n - 1, 1)), features[i]]) for i in (1, 2)]
        labels = np.append(-np.ones(n - 1), 1.0)
        first, second = (solve_rows(V, labels, C=C).weights for V in rows)
        claimed = bounds.own_point_distance(dual=bounds.last_dual(C=C, n=n, gamma=gram[0, 1]), kernel=gram[1, 2])
        yield {"C": C, "n": n, "sigma": sigma, "N": N}, abs((first - second) @ features[1]), claimed


def nearest(bound):
    """The largest kernel among all pairs on the circle, in balls, against the formula."""
    for N, sigma in ((4, 0.84), (6, 0.5), (33, 0.1), (3, 2.0)):
        largest = max((circle_kernel(N, sigma, apart) for apart in range(1, N)), key=lambda ball: ball.mid())
        yield {"N": N, "sigma": sigma}, largest, bound(sine=(arb.pi() / N).sin(), sigma=exact(sigma))


@identity_claim(
    bounds.nearest_kernel_printed,
    severity="constant",
    python="""
from math import exp, pi, sin
from lemmata.bounds.rbht09.lower_bounds_rbf import nearest_kernel_printed
sigma, N = 0.84, 4  # two neighbours of four on the unit circle are at distance sqrt 2
assert abs(nearest_kernel_printed(sine=sin(pi / N), sigma=sigma) - exp(-2 / (2 * sigma**2))) > 0.1""",
    note="γ⁴ exp(sin²(π/N)) = exp(−2/σ² + sin²(π/N)) is a product where a power is meant. The first form is right, and "
    "it is the one that is used",
)
def kernel_of_neighbours_as_printed():
    """The second form as printed."""
    return (yield from nearest(bounds.nearest_kernel_printed))


@identity_claim(bounds.nearest_kernel, caught=(1.001, 2))
def kernel_of_neighbours():
    """The power."""
    return (yield from nearest(bounds.nearest_kernel))


@inequality_claim(
    bounds.separation,
    over=[positive("sine"), between("sine", 0, 1), positive("share"), between("share", 0, 1)],
    steps=[Step("2^(-1/share²) ≤ 1/2")],
    rounding=1e-12,
)
def kernel_is_at_most_half():
    """At sigma = sqrt(2 / log 2) sin(pi / N), where it is an equality, and at a share of it; any sine."""
    for C, n, sine, share in product((1.0, 2.9, 15.0), (2, 3, 20), (1.0, 0.5, 0.01), (1.0, 0.7)):
        kernel = bounds.nearest_kernel(sine=sine, sigma=(2 / arb(2).log()).sqrt() * exact(sine) * exact(share))
        apart = bounds.own_point_distance(dual=exact(C) / n, kernel=kernel)
        yield {"C": C, "n": n, "sine": sine, "share": share}, bounds.separation(C=C, n=n), apart


@inequality_claim(bounds.sine_estimate)
def sine_above_its_chord():
    """In balls; equality at N = 2. By concavity of the sine on [0, pi / 2] for all N."""
    for N in (2, 3, 4, 10, 1000, 10**6):
        yield {"N": N}, bounds.sine_estimate(N=N), (arb.pi() / N).sin()


@inequality_claim(
    bounds.largest_gamma,
    over=[positive("share"), between("share", 0, 1)],
    steps=[Step("the exponent at the largest σ")],
    rounding=1e-12,
)
def gamma_from_sigma():
    """At the largest sigma, where it is an equality, and at a share of it."""
    for N, share in product((1, 2, 4, 5, 9), (1.0, 0.5)):
        sigma = 2 * (2 / arb(2).log()).sqrt() / N * exact(share)
        yield {"N": N, "share": share}, bounds.gamma_of(sigma), bounds.largest_gamma(N=exact(N))


# Theorem 20: N --------------------------------------------------------------------------------------------------------

LARGE = (0.8493, 0.84, 0.7, 0.68, 0.5, 0.01)


@inequality_claim(
    bounds.least_databases_printed,
    severity="statement",
    corner=require("σ < (2/5)√(2/log 2) = 0.679", lambda sigma: sigma < 0.4 * sqrt(2 / log(2))),
    restated=("rbht09.lem19", "rbht09.thm20"),
    python="""
from lemmata.bounds.rbht09.lower_bounds_rbf import circle_databases
from lemmata.bounds.rbht09.lower_bounds_rbf import least_databases_printed
assert circle_databases(sigma=0.84) == 4 < least_databases_printed()""",
    note="(2/σ)√(2/log 2) is greater than 4, but N is its floor",
)
def more_than_four():
    """Five at least, as printed."""
    for sigma in LARGE:
        yield {"sigma": sigma}, bounds.least_databases_printed(), lower_bounds_rbf.circle_databases(sigma=sigma)


@inequality_claim(bounds.least_databases)
def four_at_least():
    """At least four, over the range of sigma up to its end; the printed number up to the end of the corner."""
    for sigma in (*LARGE, lower_bounds_rbf.WIDEST * (1 - 1e-12)):
        yield {"sigma": sigma}, bounds.least_databases(), lower_bounds_rbf.circle_databases(sigma=sigma)
    for sigma in (0.01, 0.5, 2 / 5 * sqrt(2 / log(2)) * (1 - 1e-12)):
        databases = lower_bounds_rbf.circle_databases(sigma=sigma)
        yield {"sigma": sigma, "of": "more than four"}, bounds.least_databases_printed(), databases


# Theorem 20: where the probability goes -------------------------------------------------------------------------------


@exact_claim(
    bounds.thinnest_ball_strict,
    quick=({"N": 5},),
    severity="statement",
    misprint="read ≤ for <; the next line needs no more",
    note="usefulness gives the right ball a probability of at least 1 − δ, so the rest has at most δ, not less "
    "than δ; randomised response leaves exactly δ",
)
def strictly_thinner(*, N, factor=1):
    """The N - 1 wrong balls."""
    return strictly_below(bounds.thinnest_ball_strict, N)


def shares_of_delta():
    """The least of N - 1 shares of delta, equal or not."""
    for delta, N in product(DELTAS, (2, 5, 40)):
        for weights in ([1] * (N - 1), range(1, N), [1] * (N - 2) + [100]):
            share = Fraction(min(weights) * (N - 1), sum(weights))
            least = min(wrong_ball(delta=delta) * weight / sum(weights) for weight in weights)
            yield {"delta": delta, "N": N, "share": share}, least


@inequality_claim(
    bounds.thinnest_ball,
    measured=shares_of_delta,
    over=[between("share", 0, 1)],
    given=[wrong_ball],
    steps=[Step("N - 1 disjoint balls of at least the least chance")],
)
def thinnest_ball_gets_its_share():
    """The least chance is at most what all balls together have, at most delta, over their number."""
    for delta, N, share in product((0.1, 0.9), (2, 5, 40), (0.5, 1.0)):
        least = share * wrong_ball(delta=delta) / (N - 1)
        yield {"delta": delta, "N": N, "share": share}, least, bounds.thinnest_ball(delta=delta, N=N)


def responses():
    """A randomised response over N cells attains it."""
    for odds, N in product((Fraction(101, 100), Fraction(3), Fraction(1000)), (2, 5, 40)):
        yield {"delta": response(N, odds), "N": N, "own": 0}, 1 / odds


@inequality_claim(
    bounds.mean_ratio_of_many,
    measured=responses,
    over=[between("own", 0, 1)],
    given=[bounds.thinnest_ball],
    steps=[Step("P_1 ≤ δ/(N - 1) and P_j ≥ 1 - δ on the ball")],
)
def ratio_on_the_thinnest_ball():
    """P_1(ball) / P_j(ball), the second at least 1 - delta."""
    for delta, N, own in product((0.1, 0.9), (2, 5, 40), (0.0, 1.0)):
        most = bounds.thinnest_ball(delta=delta, N=N) / (1 - delta + own * delta)
        yield {"delta": delta, "N": N, "own": own}, most, bounds.mean_ratio_of_many(delta=delta, N=N)


if __name__ == "__main__":
    run_script(__file__)
