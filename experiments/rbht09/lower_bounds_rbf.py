"""Is there no private SVM with the RBF kernel that is too accurate? Rubinstein et al. 2009, Lemma 19, Theorem 20.

The circle's databases are solved by trying every active set of the dual (`lower_bounds_rbf_proof`) and distinguished in
balls. The mechanism that beats the printed range of accuracies is the zero function.
"""

from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import numpy as np
from flint import arb

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.rbht09 import lower_bounds_rbf as bounds
from lemmata.bounds.rbht09.lower_bounds import packing_level
from lemmata.experiments.checks import inequality_claim, run_script
from lemmata.experiments.instances.pairs.packed_databases import DELTAS, SOLVER, best_failure
from lemmata.mechanisms.solvers.svm import solve_rows

# Lemma 19 -------------------------------------------------------------------------------------------------------------

SIGMAS = (0.849, 0.84, 0.68, 0.5, 0.3, 0.1, 0.01)
CIRCLE = ((1.0, 2), (2.0, 5), (2.9, 3), (15.0, 20))


def separated(N, sigma, C, n):
    """How far the SVMs of two of N databases on the circle are apart at a last row, as a ball: the nearest pair."""
    gamma = max(Fraction(exp(-1 / (2 * sigma**2))), Fraction(1, 10**9))  # any gamma has the same dual
    dual = bounds.last_dual(C=Fraction(C), n=n, gamma=gamma)
    kernel = bounds.nearest_kernel(sine=(arb.pi() / N).sin(), sigma=exact(sigma))
    return bounds.own_point_distance(dual=exact(dual), kernel=kernel)


@inequality_claim(
    bounds.circle_databases,
    given=[bounds.last_dual, bounds.own_point_distance, bounds.nearest_kernel, bounds.separation, bounds.sine_estimate],
    caught=(1.001, 1.6, 2),
    tightness=lambda ratios: (max(ratios[:-3]), 2 / 3),  # but for the three cases that count
    note="the separation is at least 3/2 of what is claimed, because sin(π/N) ≥ 2/N is loose for N > 2",
)
def circle_is_a_packing():
    """The nearest two of N databases against C / (2 n), in balls; also at sigmas where N is about to jump."""
    for (C, n), sigma in product(CIRCLE, (*SIGMAS, *(2 / N * sqrt(2 / log(2)) * (1 - 1e-12) for N in (4, 5, 20)))):
        N = bounds.circle_databases(sigma=sigma)
        setting = {"C": C, "n": n, "sigma": sigma, "N": N}
        yield setting, bounds.separation(C=Fraction(C), n=n), separated(int(N), sigma, C, n)
    for sigma in (0.849, 0.5, 0.1):
        counted = 2
        while exp(-2 * bounds.sine_estimate(N=counted + 1) ** 2 / sigma**2) <= 0.5:
            counted += 1
        yield {"sigma": sigma, "by": "counting"}, counted, bounds.circle_databases(sigma=sigma)


@inequality_claim(
    bounds.circle_databases_sharp,
    given=[bounds.last_dual, bounds.own_point_distance, bounds.nearest_kernel, bounds.separation],
    tightness=lambda ratios: (1.0, 1.0),
    note="no circle of N + 1 points has this separation",
)
def circle_with_its_own_sine():
    """N points are separated enough, N + 1 are not; at sigmas where N is about to jump, too."""
    for C, n in CIRCLE:
        for sigma in (*SIGMAS, *(np.sin(np.pi / N) * sqrt(2 / log(2)) * (1 - 1e-12) for N in (6, 7, 20))):
            N = int(bounds.circle_databases_sharp(sigma=float(sigma)))
            half, setting = bounds.separation(C=Fraction(C), n=n), {"C": C, "n": n, "sigma": float(sigma), "N": N}
            yield setting, half, separated(N, float(sigma), C, n)
            yield setting | {"N": N + 1}, separated(N + 1, float(sigma), C, n), half


# Theorem 20 -----------------------------------------------------------------------------------------------------------

ZERO = """
from lemmata.bounds.rbht09.lower_bounds_rbf import circle_level_printed
from lemmata.mechanisms.learners.erm.private_svm import solve
C, n, sigma, acc = 1.0, 100, 0.5, 1.0  # acc < n / (4 C) = 25
# |f*| <= ||w*|| <= C: released is the zero function, whatever the data, 0-private and within acc surely
assert abs(solve([[1.0]] * n, [1] * n, C=C).weights[0]) <= acc  # all rows equal, k = 1: the largest f*
assert circle_level_printed(delta=0.05, sigma=sigma, acc=acc, C=C, n=n) > 4.5"""
ZERO_WORDS = ZERO.replace("circle_level_printed", "impossible_sigma_printed").replace(
    "impossible_sigma_printed(delta=0.05, sigma=sigma,", "impossible_sigma_printed(beta=1.0, delta=0.05,"
)
LARGE = ((1.0, 100), (sqrt(1000), 1000), (0.5, 2))  # the second as the paper has it, C = sqrt(n)


def largest_svm(C, n):
    """|f*| where all rows agree, min(C, 1). No f* exceeds min(C, sqrt(C)): ||w*||^2 = sum alpha_i y_i f*(x_i) <= C."""
    return abs(float(solve_rows([[1.0]], [1.0], C=C, counts=[n]).weights[0]))


def zero_is_useful(level, **setting):
    """Accuracies of the printed range that the zero function has on every database, against a positive `level`."""
    for C, n in LARGE:
        acc = min(C, sqrt(C))
        yield {"C": C, "n": n, "of": "the largest SVM"}, largest_svm(C, n), acc
        at = setting | {"acc": acc, "C": C, "n": n}
        if acc < n / (4 * C):
            yield at, level(**at), 0


@inequality_claim(
    bounds.circle_level_printed,
    misprint="read C/(4n) for n/(4C), as Lemma 19, which the proof calls, has it",
    severity="statement",
    rounding=SOLVER,
    python=ZERO,
    note="the range ε < n/(4C) is printed twice, but Lemma 19, which the proof uses, has C/(4n). The printed range "
    "contains accuracies that the zero function achieves on every database, for C = √n too (n > 256)",
)
def zero_function_is_useful():
    """The zero function: log-ratio 0, failure 0 once acc >= min(C, sqrt(C))."""
    yield from zero_is_useful(bounds.circle_level_printed, delta=0.05, sigma=0.5)


@inequality_claim(
    bounds.circle_level,
    given=[bounds.circle_databases, packing_level, bounds.thinnest_ball, bounds.mean_ratio_of_many],
    rounding=SOLVER,
)
def many_circle_databases_decide():
    """The best mechanism on Lemma 19's packing: by linear program for N up to 7, by `packing_level` beyond."""
    for C, n in CIRCLE:
        acc = 0.999 * C / (4 * n)
        for sigma in SIGMAS:
            N = int(bounds.circle_databases(sigma=sigma))
            setting = {"sigma": sigma, "acc": acc, "C": C, "n": n}
            for delta in DELTAS:
                claimed = bounds.circle_level(delta=delta, **setting)
                yield setting | {"delta": delta}, claimed, packing_level(delta=delta, N=N)
                yield setting | {"delta": delta}, claimed, -log(bounds.mean_ratio_of_many(delta=delta, N=N))
            if N <= 7 and n == 5:
                yield setting | {"odds": 9}, bounds.circle_level(delta=best_failure(9.0, N), **setting), log(9.0)


@inequality_claim(
    bounds.diameter_level,
    given=[packing_level, bounds.last_dual, bounds.own_point_distance],
    rounding=SOLVER,
    note="for every σ, in one dimension; with the sup-norm over all of R no useful mechanism has any finite level",
)
def far_rows_decide():
    """The packing on [0, D]: the largest number of equidistant points more than 2 acc apart, found by trying."""
    for (C, n), (share, sigma, diameter) in product(CIRCLE, ((0.9, 0.3, 2.0), (0.5, 1.0, 4.0), (0.1, 5.0, 6.0))):
        acc, N = share * C / (2 * n), 2
        while (C / n) * -np.expm1(-((diameter / N / sigma) ** 2) / 2) > 2 * acc:
            N += 1
        step = diameter / (N - 1)
        apart = bounds.own_point_distance(dual=C / n, kernel=exp(-((step / sigma) ** 2) / 2))
        setting = {"sigma": sigma, "acc": acc, "C": C, "n": n, "diameter": diameter}
        if N > 2:
            yield setting | {"by": "separation"}, 2 * acc, apart
        for delta in DELTAS:
            claimed = bounds.diameter_level(delta=delta, **setting)
            if N > 2 or claimed > 0:
                yield setting | {"delta": delta, "N": N}, claimed, packing_level(delta=delta, N=N)


@inequality_claim(
    bounds.impossible_sigma_printed,
    misprint="read C/(4n) for n/(4C), as Lemma 19, which the proof calls, has it",
    severity="statement",
    rounding=SOLVER,
    python=ZERO_WORDS.replace("> 4.5", "> 0"),
    note="the zero function is useful for every σ at once if ε ≥ min{C, √C}, which the printed range allows",
)
def zero_function_is_useful_for_every_sigma():
    """The zero function does not know sigma: no sigma > 0 is impossible."""
    yield from zero_is_useful(bounds.impossible_sigma_printed, beta=1.0, delta=0.05)


@inequality_claim(bounds.impossible_sigma, given=[bounds.circle_level], rounding=SOLVER)
def small_sigmas_are_impossible():
    """Just below the sigma said, Theorem 20's level exceeds beta; it is the first such N."""
    for beta, delta in product((0.1, 1.0, 4.0, 12.0), DELTAS):
        setting = {"delta": delta, "acc": 0.002, "C": 1.0, "n": 100}
        sigma = bounds.impossible_sigma(beta=beta, **setting)
        inside = min(sigma * (1 - 1e-9), bounds.WIDEST * (1 - 1e-9))
        yield setting | {"beta": beta}, beta, bounds.circle_level(sigma=inside, **setting)
        if sigma < 0.67:
            one_less = bounds.circle_databases(sigma=sigma * (1 + 1e-9))
            yield setting | {"beta": beta, "N": one_less}, packing_level(delta=delta, N=one_less), beta


if __name__ == "__main__":
    run_script(__file__)
