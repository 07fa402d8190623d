r"""Lemma F.1 and Corollary F.2 of Bassily, Mohri & Suresh (2022): choosing a margin privately.

Algorithm 6 lets the generalized exponential mechanism (`lemmata.bounds.abgmu22.generalized_exponential`) choose rho*
from rho_j = 2^-j h_max, 1 <= j <= J = (1/2) log m, by the scores F(rho_j, g_{rho_j}(S)), then runs the learner A at
rho*. The appendix (with readable formulas) and the paper say the same here: both print constant 1 and "non-decreasing".
Neither gives the base of the logarithm in J or a rounding: we read base 2, rounded up, first, and "e" next to it.
"""

from math import ceil, floor, inf, log, log2, sqrt

import numpy as np

from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

PENALTY = [integer("m"), at_least("sensitivity", 0), positive("epsilon"), in_unit_interval("beta")]
ON_INTERVAL = r"\min_{\rho\in[h_{\max}/\sqrt{m},\,h_{\max}]}"


# The grid -------------------------------------------------------------------------------------------------------------


def grid_size(m: int, base: str = "2", rounding: str = "ceil") -> int:
    """J, the integer for (1/2) log m. Below 1 only where rounded down.

    >>> [grid_size(m) for m in (1, 2, 4, 5, 16, 17)], grid_size(1000, "e", "floor")
    ([1, 1, 1, 2, 2, 3], 3)
    """
    if rounding == "ceil" and base == "2":
        return max(1, ((int(m) - 1).bit_length() + 1) // 2)  # the smallest J with 4^J >= m
    length = (log2(m) if base == "2" else log(m)) / 2
    return floor(length) if rounding == "floor" else max(1, ceil(length))


# Lemma F.1 ------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.lemF.1",
    part="privacy",
    kind="privacy",
    says=r"\mathcal{A}\ (\varepsilon,\delta)\mathrm{-DP}\ \Rightarrow\ \mathrm{Algorithm\ 6}\ (2\varepsilon,\delta)"
    r"\mathrm{-DP}",
    needs=[positive("epsilon"), between("delta", 0, 1)],
)
def selection_budget(*, epsilon: float, delta: float) -> tuple[float, float]:
    """Margin selection is (2 epsilon, delta)-DP, by composition of its two parts.

    Derivation. Delta_rho(F) bounds the sensitivity of each score, by its definition, so the choice of rho* is
    epsilon-DP (abgmu22.thm.gem); the learner is (epsilon, delta)-DP for every margin it may be given; basic adaptive
    composition. The grid knows m only, which neighbours share. rho* may be released too. Neither direction of
    monotonicity is used.

    >>> selection_budget(epsilon=0.5, delta=1e-6)
    (1.0, 1e-06)
    """
    return 2 * epsilon, delta


@theorem(
    "bms22.lemF.1",
    part="tail",
    kind="tail",
    says=rf"\Pr\left[R_D(w)\le{ON_INTERVAL}F(\rho/2,g_\rho(S))+\frac{{\Delta_{{\rho/2}}(F)}}{{\varepsilon}}"
    r"\log\frac{\log m}{\beta}\right]\ge 1-2\beta,\quad\Delta_\rho(F)\ \mathrm{non-decreasing\ in}\ \rho",
    needs=PENALTY,
)
def printed_penalty(*, sensitivity: float, m: int, epsilon: float, beta: float) -> float:
    """The cost of a private choice of the margin in the risk bound, as printed.

    It adds (Delta / epsilon) log(log(m) / beta) to the bound at the best margin.

    The number is undefined at m = 1, and negative for m = 2 and beta > log 2.

    >>> round(float(printed_penalty(sensitivity=0.01, m=100, epsilon=1.0, beta=0.1)), 6)
    0.038298
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return sensitivity / epsilon * np.log(np.log(m) / beta)


@printed_penalty.corrected(
    says=rf"\Pr\left[R_D(w)\le{ON_INTERVAL}F(\rho/2,g_\rho(S))+\frac{{4\Delta_{{\rho/2}}(F)}}{{\varepsilon}}"
    r"\log\frac{J}{\beta}\right]\ge 1-2\beta,\quad\Delta_\rho(F)\ \mathrm{non-increasing\ in}\ \rho,\ "
    r"F\ \mathrm{at\ confidence}\ \frac{\beta}{J}"
)
def corrected_penalty(*, sensitivity: float, m: int, epsilon: float, beta: float) -> float:
    """The cost of a private choice of the margin in the risk bound, corrected.

    It adds 4 (Delta / epsilon) log(J / beta) to the bound at the best margin.

    There are four repairs: the constant 4, J, the confidence beta/J, and a non-increasing Delta.

    J = max(1, ceil(log2(m)/2)). A is run with, and F promises, failure probability beta/J at every margin; F(rho, t)
    is non-increasing in rho and non-decreasing in t; g_rho and F are as printed otherwise.
    Derivation. rho* fails against the best grid point with probability at most beta (abgmu22.thm.gem), A fails at some
    grid point with probability at most J beta/J. Otherwise, for rho in the interval and rho' its grid point (s1),
    R <= F(rho*, g_rho*) <= F(rho', g_rho') + 4 Delta_rho' log(J/beta) / epsilon, and with rho/2 <= rho' <= rho:
    F(rho', g_rho') <= F(rho', g_rho) <= F(rho/2, g_rho) (s4, s5) and Delta_rho' <= Delta_{rho/2} (s3).

    >>> round(float(corrected_penalty(sensitivity=0.01, m=100, epsilon=1.0, beta=0.1)), 6)
    0.147555
    """
    return 4 * sensitivity * log(grid_size(m) / beta) / epsilon


@theorem(
    "bms22.lemF.1.t2",
    says=r"\rho\le\frac{\Lambda r}{\sqrt{m}}\ \Rightarrow\ \frac{\Lambda r}{\rho\sqrt{m}}\ge 1,\quad"
    r"\frac{\Lambda^2r^2\log^2(m/\beta)}{m\rho^2}\ge 1\ (m\ge 3)",
    needs=[
        integer("m"),
        in_unit_interval("beta"),
        positive("rho"),
        require("rho sqrt(m) <= h_max", lambda h_max, rho, m: rho * sqrt(m) <= h_max),
    ],
    source=", first paragraph of Appendix F",
)
def trivial_small(*, h_max: float, rho: float, m: int, beta: float) -> tuple[float, float]:
    """Two terms of the bounds F_1 to F_3 are trivial up to h_max/sqrt(m).

    One is a term of F_2 and F_3, the other is a term of F_1 for m >= 3.

    Both are at least 1, up to the constant of the O(.) that contains them.

    Derivation. With x = Lambda r/(rho sqrt(m)) >= 1 the two terms are x >= 1 and x^2 log^2(m/beta) >= log^2(m) >=
    log^2(3) > 1 for m >= 3, as beta < 1.
    """
    ratio = h_max / rho
    return ratio / sqrt(m), ratio**2 * log(m / beta) ** 2 / m if m >= 3 else inf


# Corollary F.2 --------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.corF.2",
    part="privacy",
    kind="privacy",
    says=r"\mathrm{Algorithm\ 6\ with\ inputs}\ (\frac{\varepsilon}{2},\delta)\ \mathrm{is}\ "
    r"(\varepsilon,\delta)\mathrm{-DP}",
    needs=[
        integer("m"),
        positive("epsilon"),
        in_unit_interval("delta"),
        require("delta < 1/m, as in Theorem 3.2", lambda m, delta: delta < 1 / m),
        require("epsilon/2 <= log(1/delta), as in Theorem 3.2", lambda epsilon, delta: epsilon / 2 <= -log(delta)),
    ],
    source=", which begins by recalling Theorem 3.2, so with its range of delta and of the learner's budget",
)
def corollary_budget(*, m: int, epsilon: float, delta: float) -> tuple[float, float]:
    """Margin selection with the efficient learner is (epsilon, delta)-DP.

    Lemma F.1 at epsilon/2: the choice spends (epsilon/2, 0), A_EffPrivMrg (epsilon/2, delta), by Theorem 3.2, whose
    range is 0 < delta < 1/m and epsilon/2 <= log(1/delta). The scores have sensitivity at most 2 Lambda r / (m rho)
    (Lemma F.3); the inner selection of A_EffPrivMrg has any valid sensitivity, as there. Beyond that range the learner
    leaks (cf. Theorem 4.2), and with it the whole.

    >>> corollary_budget(m=100, epsilon=1.0, delta=1e-6)
    (1.0, 1e-06)
    """
    return selection_budget(epsilon=epsilon / 2, delta=delta)


SCALE = [integer("m"), positive("norm_bound"), positive("r"), positive("rho"), positive("epsilon")]


@theorem(
    "bms22.corF.2",
    part="tail",
    kind="tail",
    says=r"\Pr\left[R_D(w)\le\min_{\rho\in[\Lambda r/\sqrt{m},\,\Lambda r]}F(\rho/2,g_\rho(S))"
    r"+O\left(\frac{\Lambda r}{m\rho\varepsilon}\log\frac{\log m}{\beta}\right)\right]\ge 1-\beta",
    needs=[*SCALE, in_unit_interval("beta")],
    source=", m any natural number",
)
def corollary_order(*, m: int, norm_bound: float, r: float, rho: float, epsilon: float, beta: float) -> float:
    """The cost of margin selection with the efficient learner, as an order.

    It is Lambda r/(m rho epsilon) log(log(m)/beta).

    This is what the printed O(.) contains. At m = 1 it is log 0; at m = 2 it is negative for beta > log 2.

    >>> round(float(corollary_order(m=100, norm_bound=1.0, r=1.0, rho=0.5, epsilon=1.0, beta=0.1)), 6)
    0.076595
    """
    return norm_bound * r / rho * printed_penalty(sensitivity=1 / m, m=m, epsilon=epsilon, beta=beta)


@corollary_order.corrected(
    says=r"\Pr\left[R_D(w)\le\min_{\rho\in[\Lambda r/\sqrt{m},\,\Lambda r]}F(\rho/2,g_\rho(S))"
    r"+\frac{32\Lambda r}{m\rho\varepsilon}\log\frac{2J}{\beta}\right]\ge 1-\beta,\quad "
    r"J=\max\{1,\lceil\tfrac12\log_2 m\rceil\}"
)
def corollary_penalty(*, m: int, norm_bound: float, r: float, rho: float, epsilon: float, beta: float) -> float:
    """The cost of margin selection with the efficient learner, corrected.

    It is 32 Lambda r / (m rho epsilon) log(2J / beta).

    The links of Lemma F.1, corrected, at epsilon/2 and beta/2 with Delta_rho = 2 Lambda r / (m rho) (Lemma F.3), which
    is non-increasing: 4 (4 Lambda r / (m rho)) (2/epsilon) log(J / (beta/2)). F is what Theorem 3.2, corrected,
    promises at (epsilon/2, delta) and confidence beta/2, its constant C raised to C + 1: rho* depends on the sample
    alone and the projection and the noise are drawn after it, so of the three events of Theorem 3.2, beta/6 each, only
    the sample's deviation is asked of all J margins, at beta/(6J), and sqrt(log(J)/(2m)) is at most the order of F.

    >>> round(float(corollary_penalty(m=100, norm_bound=1.0, r=1.0, rho=0.5, epsilon=1.0, beta=0.1)), 6)
    2.804497
    """
    return 32 * norm_bound * r / (m * rho * epsilon) * log(2 * grid_size(m) / beta)
