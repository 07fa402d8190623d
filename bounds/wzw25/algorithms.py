"""The numbers of Algorithms 1, 2 and 3 of Wang, Zhu & Wang (2025), and the common parts of the bounds on their results.

Algorithm 3 runs noisy gradient descent on projected data (Algorithm 1) for every margin of the grid

    Gamma = {1/n, 2/n, 4/n, ..., 2^floor(log2 n)/n, 1},

spends half of the square of its Gaussian budget mu on these runs and half on their noisy zero-one errors, and releases
the run with the smallest (Algorithm 2). Rows have norm at most `radius` (the paper's b; 1 until Appendix L, where the
grid is multiplied by b). Neighbours differ in one replaced record. Why this is private is derived at the statements:
`one_margin` (Lemma 6.3), `whole_grid` (Theorem 6.5), `population_risk` (Equation 3, Theorem 6.7), `main_theorem`.

Misprints that change an implementation: Algorithm 1's input line says Phi in R^{d x k}, line 2 needs k x d. Algorithm 5
says "L2 sensitivity of L", where the noise is for that of the gradient. Algorithm 3 initialises Theta = {phi}, where
the empty set is meant. Section 5.1 averages T iterates with the factor 1/(T - 1), Algorithm 5 with 1/T. Theorem 6.7
says "Eq. 6.6" for Equation 3.
"""

from fractions import Fraction
from math import ceil, inf, log, nextafter, sqrt
from typing import Any

import numpy as np

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.theorem import in_unit_interval, positive, require
from lemmata.bounds.wzw25.gaussian_privacy import budget_each, budget_each_at, gaussian_delta, gaussian_quantile_scale
from lemmata.bounds.wzw25.last_iterate import problem_of
from lemmata.bounds.wzw25.margin_grid import doubling_grid
from lemmata.bounds.wzw25.noisy_gd import printed_steps
from lemmata.bounds.wzw25.projected_margins import stretch, third_margin_rows


def margin_grid(n: int, radius: float = 1.0) -> Array:
    """Gamma as floats, ascending: {2^j radius / n : 0 <= j <= floor(log2 n)} and radius, as a set.

    >>> margin_grid(5).tolist(), margin_grid(4, radius=2.0).tolist()
    ([0.2, 0.4, 0.8, 1.0], [0.5, 1.0, 2.0])
    """
    return radius * np.array([float(level) for level in doubling_grid(int(n))])


def failure_probability(n: int) -> float:
    """beta = 1/n^2, as in the theorems; 1/4 for n = 1, where 1/n^2 is not a failure probability."""
    return 1 / max(int(n), 2) ** 2


def projection_rows(n: int, gamma: float, radius: float = 1.0, beta: float | None = None) -> int:
    """k_gamma: rows of a sign projection that keep a third of the margin gamma, for the whole grid at once.

    Algorithm 3 prints O(log(|Gamma| (n+1) (n+2) / beta) / gamma^2); this is Lemma 6.2, our constant, at beta / |Gamma|.

    >>> projection_rows(5000, 1.0)
    448
    """
    beta = failure_probability(n) if beta is None else beta
    return third_margin_rows(n=n, gamma=gamma, beta=beta / len(margin_grid(n)), b=radius)


def split_budget(mu: float, calls: int) -> float:
    """mu / sqrt(calls), the budget of each of several mechanisms that together spend mu; rounded down.

    >>> split_budget(0.5, 4)
    0.25
    """
    each = mu / sqrt(calls)
    while calls * Fraction(each) ** 2 > Fraction(mu) ** 2:
        each = nextafter(each, 0.0)
    return each


def score_noise(sensitivity: float, mu: float) -> float:
    """The standard deviation sensitivity / mu of one score's noise, rounded up.

    >>> score_noise(1.0, 0.25)
    4.0
    """
    sigma = sensitivity / mu
    while Fraction(sensitivity) > Fraction(mu) * Fraction(sigma):
        sigma = nextafter(sigma, inf)
    return sigma


def printed_budget(epsilon: float, delta: float) -> float:
    """mu = epsilon / (2 sqrt(2 log(1/delta))), line 2 of Algorithm 3; defined for 0 < epsilon <= 8 log(1/delta).

    >>> round(printed_budget(1.0, 1e-5), 5)
    0.1042
    """
    return float(budget_each(epsilon=epsilon, delta=delta, m=1))


def spent_delta(epsilon: float, delta: float) -> float:
    """The smallest delta at epsilon of the printed budget, epsilon < 8 log(1/delta)."""
    return float(gaussian_delta(epsilon=epsilon, mu=printed_budget(epsilon, delta)))


def unlimited_budget(epsilon: float, delta: float) -> float:
    """The same formula for every epsilon > 0: Algorithm 3 itself prints no range."""
    return float(budget_each_at(epsilon, gaussian_quantile_scale(delta), 1.0))


def penalty(n: int, k: int, beta: float) -> float:
    """The term of Equation 3 beyond the number of errors of a classifier in R^k: 5/2 (k log(2n) + log(beta/4)).

    VC(H_k) = k for homogeneous halfspaces. The second term is printed with this sign; all candidates share it.
    """
    return 2.5 * (k * log(2 * n) + log(beta / 4))


# Algorithm 1 at one margin: Appendix D --------------------------------------------------------------------------------


def spread(n: int, beta: float) -> float:
    """log((n+1)(n+2)/beta), the logarithm printed in Appendix D.

    >>> round(spread(1, 1 / 6), 6) == round(2 * log(6), 6)
    True
    """
    return log((n + 1) * (n + 2)) - log(beta)


def slow_factor(n: int, mu: float) -> float:
    """4 + 3 log T >= 1 + 3 H_T, T = n^2 mu^2 rounded up: the price of the last iterate in our proof.

    >>> slow_factor(3, 0.1)
    4.0
    """
    return 4 + 3 * log(printed_steps(n, mu))


def outlier_cost(*, gamma: float, projected: bool = True) -> float:
    """The most that an outlier adds to the hinge sum of the separator of the inliers, for gamma in units of b.

    1 + ||Phi x|| ||w|| / (gamma/3), with ||Phi x|| <= `stretch` on the event of Lemma 6.2 (explicit).

    >>> outlier_cost(gamma=0.5, projected=False)
    7.0
    """
    return 1 + 3 / gamma * (stretch(gamma) if projected else 1.0)


def summed_loss(
    *,
    n: int,
    gamma: float,
    outliers: int,
    mu: float,
    rows: int,
    steps: int,
    projected: bool = True,
    stride: str = "printed",
) -> float:
    """The expected summed hinge loss of Algorithm 1 at width gamma/3 with budget mu, given that its projection is good.

    |S_out| (1 + (3/gamma) s) + Delta sqrt(n^2/T + k/mu^2): Lemma C.1 (explicit) with w_ref = Phi w_in / ||Phi w_in||,
    which has no loss on the inliers, whose projected margin is gamma/3 or more, and at most 1 + ||Phi x|| / (gamma/3)
    on an outlier, ||Phi x|| <= s. With signs s = `stretch` and Delta = 2 * 2 / (gamma/3); without (`projected`
    False, Phi = I) s = 1 and Delta = 2 / (gamma/3). `stride` "tuned": n^2/(4 T).
    """
    sensitivity = (12 if projected else 6) / gamma
    gradient = n**2 / steps / (4 if stride == "tuned" else 1)
    return outliers * outlier_cost(gamma=gamma, projected=projected) + sensitivity * sqrt(gradient + rows / mu**2)


def descent(
    *,
    n: int,
    gamma: float,
    mu: float,
    steps: int,
    rows: int,
    projected: bool = True,
    radius: float = 1.0,
    log_factor: float = 1.0,
) -> dict[str, Any]:
    """The arguments of the bounds in `last_iterate` for the descent of Algorithm 1 at the printed step size.

    The comparator is a unit separator, and w_0 = 0: their distance is 1.
    """
    sensitivity = (12 if projected else 6) * radius / gamma
    gradient = {"sensitivity": sensitivity, "gradient_norm": n * sensitivity / 2, "log_factor": log_factor}
    return problem_of(n=n, d=rows, steps=steps, mu=mu, distance=1.0, **gradient)


RATE = {"kind": "rate", "needs": [positive("first"), positive("last")]}  # what the registered surrogates share


def power(first: float, last: float, exponent: float) -> float:
    """(last / first)^(exponent + 0.1), the ratio that a rate allows: 0.1 is its tolerance.

    >>> round(power(1, 100, -1), 4)
    0.0158
    """
    return (last / first) ** (exponent + 0.1)


# Algorithm 3: the range of Theorems 4.1, 6.5 and 6.7 ------------------------------------------------------------------

RANGE = [
    in_unit_interval("delta"),
    positive("epsilon"),
    require("epsilon < 8 log(1/delta)", lambda epsilon, delta: bool(epsilon < 8 * np.log(1 / delta))),
]
PRIVATE = r"\mathcal{M}^*\ \mathrm{is}\ (\varepsilon,\delta)\mathrm{-DP}"
IN_RANGE = r"\delta\in(0,1),\ \varepsilon\in(0,8\log(1/\delta))\ \Rightarrow\ " + PRIVATE


def single_record_gap(mu: float, rows: int) -> tuple[float, float]:
    """M* on one record: how far apart two labels are in its last iterate, and log of the chance that this is wrong.

    n = 1: Gamma = {b}, nothing is selected, and the run has mu_c = mu / sqrt(2). Let Delta = 12 be the sensitivity (b =
    1), T any whole number, sigma = Delta sqrt(T) / mu_c, and x a record with ||Phi x|| >= 2 b. It exists for every Phi
    with d >= 4 k, k = `rows`, because ||Phi||^2 >= tr(Phi Phi') / k = d / k. With u = Phi x / ||Phi x|| and s = <w, u>:
    while |s| < 1/6, <w, z> is below c = b / 3 for both labels, both are active, and a step adds eta (+-Delta / 2 - xi),
    xi ~ N(0, sigma^2). So s_T is N(+-mu_c / 2, 1) in units of eta sigma sqrt(T) <= 1 / sqrt(k): the labels are mu_c
    apart, as long as no s_t leaves the range. In these units every s_t has mean at most mu_c / 2 and variance at most
    1, so one leaves with probability at most 2 T Phi(-room) <= T e^(-room^2 / 2), room = sqrt(k) / 6 - mu_c / 2.

    >>> apart, log_chance = single_record_gap(12.0, 10**6); round(apart, 3), log_chance < -10**4
    (8.485, True)
    """
    apart = mu / sqrt(2)
    steps = max(1, ceil(apart**2))
    room = sqrt(rows) / 6 - apart / 2
    return apart, log(steps) - room**2 / 2 if room > 0 else 0.0
