"""The proof of Lemma 3.1 of Bassily, Mohri & Suresh (2022), step by step: copies, groups and the scores' sensitivity.

epsilon_hat = epsilon / (2M) and delta_hat = delta / M are the budget of one of M rounds, T = 2 log(2/delta_hat) the
number of copies that a round allows for. Steps s2 (oracle) and s4 are in `phased_sgd`.
"""

from __future__ import annotations

from math import log

import numpy as np

from bounds.phased_sgd import PROOF, STEP
from bounds.theorem import in_unit_interval, integer, positive, require, theorem

HINGE = [positive("radius"), positive("norm_bound"), positive("rho")]

ROUND = [integer("m"), in_unit_interval("delta"), require("M a whole number >= 1", lambda rounds: rounds >= 1)]
SMALL = require("delta < 1/m", lambda m, delta: delta < 1 / m)
RANGE = require("epsilon <= log(1/delta)", lambda epsilon, delta: epsilon <= -log(delta))


def allowed_copies(delta, rounds):
    """T = 2 log(2/delta_hat), a real number."""
    return 2 * log(2 * rounds / delta)


@theorem(
    "bms22.lem3.1.s1",
    kind="tail",
    says=r"\Pr\left[J>2\log(2/\hat\delta)\right]\le\hat\delta/2,\quad J\sim\mathrm{Bin}(m,1/m)",
    needs=[*ROUND, SMALL],
    **STEP,
)
def copies_allowance(*, m, delta, rounds):
    """A record is seldom drawn more than 2 log(2/delta_hat) times

    delta_hat/2. Derivation: with T = 2 log(2/delta_hat) it says P(J > T) <= e^{-T/2}, so P(J >= j) <= e^{-j/2} for
    j = floor(T) + 1 is enough. A round exists, so M >= 1 and delta_hat < 1: T > 2 log 2 and j >= 2. j = 2: P(J >= 2) =
    1 - (2 - 1/m)(1 - 1/m)^{m-1} increases to 1 - 2/e = 0.264 < 0.368. j >= 3: P(J >= j) <= C(m, j)/m^j <= 1/j! <=
    e^{-j/2}, since 3! > e^{3/2} and 3 > e^{1/2}.
    """
    return delta / rounds / 2


@theorem(
    "bms22.lem3.1.s2",
    part="parameters",
    kind="identity",
    says=r"\varepsilon'=\frac{\hat\varepsilon}{2\log(2/\hat\delta)},\quad"
    r"\delta'=\frac{\delta\hat\delta}{4\log(2/\hat\delta)}",
    needs=[*ROUND, positive("epsilon")],
    **STEP,
)
def round_parameters(*, m, delta, rounds, epsilon):
    """Steps 2 and 3 are what the proof needs

    (epsilon', delta') in terms of epsilon_hat and delta_hat.
    """
    T = allowed_copies(delta, rounds)
    return epsilon / (2 * rounds) / T, delta * (delta / rounds) / (2 * T)


def group_delta(copies, first, second):
    """delta' (1 + e^epsilon' + ... + e^{(copies - 1) epsilon'}): what a group of `copies` replaced records spends."""
    return second * sum(np.exp(j * first) for j in range(copies))


@theorem(
    "bms22.lem3.1.s2",
    part="sum",
    kind="identity",
    says=r"\sum_{j=0}^{2\log(2/\hat\delta)}e^{\varepsilon'j}=\frac{e^{\hat\varepsilon}-1}{e^{\varepsilon'}-1}",
    needs=[*ROUND, SMALL, positive("epsilon"), RANGE],
    **STEP,
)
def printed_sum(*, m, delta, rounds, epsilon):
    """The group's delta is a geometric sum

    The right-hand side, which is the sum of T terms if T is whole; the printed one has floor(T) + 1.
    """
    return np.expm1(epsilon / (2 * rounds)) / np.expm1(round_parameters(**locals())[0])


@theorem(
    "bms22.lem3.1.s2",
    part="sum",
    reading="corrected",
    says=r"\sum_{j=0}^{J-1}e^{\varepsilon'j}\le\frac{e^{\hat\varepsilon}-1}{e^{\varepsilon'}-1},"
    r"\quad J\le 2\log(2/\hat\delta)",
    needs=[*ROUND, SMALL, positive("epsilon"), RANGE],
    **STEP,
)
def corrected_sum(*, m, delta, rounds, epsilon):
    """The group's delta is at most a geometric sum

    A group of J needs J terms, and J <= T: (e^{J epsilon'} - 1)/(e^epsilon' - 1) with J epsilon' <= T epsilon' =
    epsilon_hat.
    """
    return np.expm1(epsilon / (2 * rounds)) / np.expm1(round_parameters(**locals())[0])


@theorem(
    "bms22.lem3.1.s2",
    part="linear",
    says=r"\delta'\frac{e^{\hat\varepsilon}-1}{e^{\varepsilon'}-1}"
    r"\le\frac{\delta\hat\delta(e^{\hat\varepsilon}-1)}{2\hat\varepsilon}",
    needs=[*ROUND, SMALL, positive("epsilon"), RANGE],
    **STEP,
)
def linear_bound(*, m, delta, rounds, epsilon):
    """e^x - 1 >= x in the denominator

    The right-hand side; the quotient of the two sides is epsilon'/(e^epsilon' - 1).
    """
    share = epsilon / (2 * rounds)
    return delta * delta / rounds * np.expm1(share) / (2 * share)


@theorem(
    "bms22.lem3.1.s2",
    part="half",
    says=r"\frac{\delta\hat\delta(e^{\hat\varepsilon}-1)}{2\hat\varepsilon}\le\frac{\hat\delta}{2}",
    needs=[*ROUND, SMALL, positive("epsilon"), RANGE],
    **STEP,
)
def half_bound(*, m, delta, rounds, epsilon):
    """The group's delta is at most delta_hat/2

    The right-hand side. With l = log(1/delta) and epsilon_hat = u l, u <= 1, the quotient is e^-l (e^{ul} - 1)/(u l),
    increasing in u, at most (1 - e^-l)/l <= 1.
    """
    return delta / rounds / 2


@theorem(
    "bms22.lem3.1.s3",
    says=r"\max_{\|w\|\le\Lambda}\left|\widehat{L}_{S}(w)-\widehat{L}_{S'}(w)\right|\le\frac{\Lambda\tilde{r}}{m}",
    needs=[integer("m"), *HINGE],
    **STEP,
)
def printed_sensitivity(*, m, radius, norm_bound, rho):
    """How far one record moves a score

    Lambda r / m. Its unit is that of a margin, not of a loss: the Lipschitz constant 1/rho is missing.
    """
    return norm_bound * radius / m


@theorem(
    "bms22.lem3.1.s3",
    reading="corrected",
    says=r"\max_{\|w\|\le\Lambda}\left|\widehat{L}_{S}(w)-\widehat{L}_{S'}(w)\right|"
    r"\le\frac{1}{m}\min\left(1+\frac{\Lambda\tilde{r}}{\rho},\frac{2\Lambda\tilde{r}}{\rho}\right)",
    needs=[integer("m"), *HINGE],
    parent="bms22.lem3.1",
    source=f"{PROOF}; ours",
)
def score_sensitivity(*, m, radius, norm_bound, rho):
    """How far one record moves a score of the hinge

    With a = Lambda r / rho the losses of a record are max(0, 1 - u/rho), |u| <= Lambda r: they lie in [max(0, 1 - a),
    1 + a], so two differ by at most min(1 + a, 2a), attained by (x, 1) and (x, -1) at w = +-Lambda x/|x|, |x| = r. For
    another convex (1/rho)-Lipschitz loss, a label may shift the loss by any constant; the selection does not see
    constants, and 2a/m is enough for it.

    >>> score_sensitivity(m=2, radius=1.0, norm_bound=1.0, rho=0.25)
    2.5
    """
    a = norm_bound * radius / rho
    return min(1 + a, 2 * a) / m
