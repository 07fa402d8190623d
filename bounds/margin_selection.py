r"""Choosing a candidate, and with it a margin, privately: the generalized exponential mechanism and Appendix F.

The generalized exponential mechanism (Raskhodnikova & Smith 2016, Algorithm 1) chooses among q_1, ..., q_N, to be
minimised, whose sensitivities gamma_j differ. With t = 2 log(N/beta) / epsilon it normalises

    s_i = max_j ((q_i + t gamma_i) - (q_j + t gamma_j)) / (gamma_i + gamma_j)

and releases i with probability proportional to exp(-epsilon s_i / 2). Bassily, Mohri & Suresh (2022), Algorithm 6, let
it choose rho* from rho_j = 2^-j h_max, 1 <= j <= J = (1/2) log m, by the scores F(rho_j, g_{rho_j}(S)), then run the
learner A at rho*. Of the two texts the appendix (with readable formulas) and the paper say the same here: both print
constant 1 and "non-decreasing". Neither gives the base of the logarithm in J or a rounding; the papers write log_2
where they mean base 2, so "e" is the printed reading, and "2" is tried beside it.
"""

from __future__ import annotations

from math import ceil, floor, log, log2

import numpy as np

from bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

ABGMU22 = "Arora, Bassily, Guzmán, Menart & Ullah 2022, Appendix D.1"
BMS22 = "Bassily, Mohri & Suresh 2022, Appendix F"
RS16 = "Raskhodnikova & Smith 2016, Algorithm 1"
BLOCK = 4_000_000  # entries of the table of differences held at a time

CHOICE = [integer("candidates"), positive("epsilon"), positive("beta")]
READING = [
    require('base in ("e", "2")', lambda base: base in ("e", "2")),
    require('rounding in ("ceil", "floor")', lambda rounding: rounding in ("ceil", "floor")),
]
PENALTY = [integer("m"), at_least("sensitivity", 0), positive("epsilon"), in_unit_interval("beta")]
ON_INTERVAL = r"\min_{\rho\in[h_{\max}/\sqrt{m},\,h_{\max}]}"


# The generalized exponential mechanism ----------------------------------------------------------------------------


def shift(*, candidates, epsilon, beta):
    """t = 2 log(N/beta) / epsilon, the multiple of its sensitivity by which every score is raised.

    >>> round(shift(candidates=10, epsilon=1.0, beta=0.1), 4)
    9.2103
    """
    return 2 * log(candidates / beta) / epsilon


def normalised_scores(*, scores, sensitivities, t):
    """s_i = max_j ((q_i + t gamma_i) - (q_j + t gamma_j)) / (gamma_i + gamma_j), shape (N,); never negative.

    0/0 counts as 0 and x/0 as +-inf, the limits of small sensitivities: of several candidates that no record moves
    only the best stay in play, on every dataset alike.

    >>> normalised_scores(scores=[0.0, 3.0], sensitivities=[1.0, 0.5], t=2.0).tolist()
    [0.0, 1.3333333333333333]
    """
    q, gamma = np.asarray(scores, dtype=float), np.asarray(sensitivities, dtype=float)
    raised = q + t * gamma
    found = np.empty(len(q))
    rows = max(1, BLOCK // len(q))
    for start in range(0, len(q), rows):
        here = slice(start, start + rows)
        apart, width = raised[here, None] - raised, gamma[here, None] + gamma
        limit = np.where(apart > 0, np.inf, np.where(apart < 0, -np.inf, 0.0))
        found[here] = np.where(width > 0, apart / np.where(width > 0, width, 1.0), limit).max(axis=1)
    return found


@theorem(
    "abgmu22.thm.gem",
    part="accuracy",
    kind="tail",
    says=r"\Pr\left[q_{\hat{j}}(S)\le\min_{j\in[N]}\left\{q_j(S)+\frac{4\gamma_j\log(N/\beta)}{\varepsilon}\right\}"
    r"\right]\ge 1-\beta",
    needs=[*CHOICE, at_least("sensitivity", 0)],
    source=f"{ABGMU22}; Raskhodnikova & Smith 2016, Theorem I.4",
)
def selection_penalty(*, sensitivity, candidates, epsilon, beta):
    """What the generalized exponential mechanism may lose against candidate j: 4 gamma_j log(N/beta) / epsilon

    Derivation. The scores -s_i have sensitivity 1 (s1) and the best of them is 0 (s2), so by the accuracy of the
    exponential mechanism s <= (2/epsilon) log(N/beta) = t with probability at least 1 - beta; and s_i <= t says
    q_i <= q_j + 2 t gamma_j for every j (s3). With equal sensitivities s_i = (q_i - q_min) / (2 gamma): one best
    candidate and N - 1 just beyond the bound fail with probability (N - 1) x / ((N - 1) x + 1), x = beta/N, which
    comes as near to beta as one likes. A constant below 4 is false for this mechanism.

    >>> round(selection_penalty(sensitivity=0.01, candidates=10, epsilon=1.0, beta=0.1), 6)
    0.184207
    """
    return 4 * sensitivity * log(candidates / beta) / epsilon


@theorem(
    "abgmu22.thm.gem",
    part="privacy",
    kind="privacy",
    says=r"|q_j(S)-q_j(S')|\le\gamma_j\ \forall j\ \Rightarrow\ \varepsilon\mathrm{-DP}",
    needs=[positive("epsilon")],
    source=f"{ABGMU22}; Appendix D.2 uses 'the privacy guarantees of GEM'; {RS16}",
    reconstructed=True,
)
def generalized_epsilon(*, epsilon):
    """The generalized exponential mechanism is epsilon-DP

    Derivation. gamma_j and t do not depend on the data; a replaced record moves s_i by at most 1 (s1); releasing i
    with probability proportional to exp(-epsilon s_i / 2) is the exponential mechanism with scores -s_i of sensitivity
    1. With equal sensitivities the scores move against each other by at most 1 and epsilon/2 is spent; with
    sensitivities that differ nothing can be saved: a rare candidate may rise while all the weight falls.
    The theorem takes a privacy parameter and does not say what it promises: this is our wording.

    >>> generalized_epsilon(epsilon=0.5)
    0.5
    """
    return epsilon


@theorem(
    "abgmu22.thm.gem.s1",
    parent="abgmu22.thm.gem",
    reading="explicit",
    says=r"|q_j-q'_j|\le\gamma_j\ \forall j\ \Rightarrow\ |s_i-s'_i|\le 1\ \forall i",
    source=RS16,
)
def normalised_sensitivity():
    """A normalised score moves by at most 1

    Every term of the maximum moves by at most (gamma_i + gamma_j) / (gamma_i + gamma_j).
    """
    return 1


@theorem(
    "abgmu22.thm.gem.s2",
    parent="abgmu22.thm.gem",
    reading="explicit",
    kind="identity",
    says=r"\min_i s_i=0",
    source=RS16,
)
def best_normalised():
    """The smallest normalised score is 0

    The term j = i is 0, and for i with the smallest q_i + t gamma_i no term is positive.
    """
    return 0


@theorem(
    "abgmu22.thm.gem.s3",
    parent="abgmu22.thm.gem",
    reading="explicit",
    says=r"s_i\le t\ \Rightarrow\ q_i\le\min_j\{q_j+2t\gamma_j\}",
    source=RS16,
)
def reached(*, scores, sensitivities, t):
    """What a normalised score of at most t says: min_j q_j + 2 t gamma_j

    q_i + t gamma_i - q_j - t gamma_j <= t (gamma_i + gamma_j).
    """
    return min(q + 2 * t * gamma for q, gamma in zip(scores, sensitivities, strict=True))


# The grid ---------------------------------------------------------------------------------------------------------


def grid_size(m, base="2", rounding="ceil"):
    """J, the whole number that stands for (1/2) log m. Below 1 only where rounded down.

    >>> [grid_size(m) for m in (1, 2, 4, 5, 16, 17)], grid_size(1000, "e", "floor")
    ([1, 1, 1, 2, 2, 3], 3)
    """
    if rounding == "ceil" and base == "2":
        return max(1, ((int(m) - 1).bit_length() + 1) // 2)  # the smallest J with 4^J >= m
    length = (log2(m) if base == "2" else log(m)) / 2
    return floor(length) if rounding == "floor" else max(1, ceil(length))


def margins(m, h_max=1.0, base="2", rounding="ceil"):
    """The grid rho_j = 2^-j h_max, j = 1, ..., J, descending as printed.

    >>> margins(16).tolist()
    [0.5, 0.25]
    """
    return h_max * 0.5 ** np.arange(1, grid_size(m, base, rounding) + 1)


RHO = [integer("m"), *READING, require("1 <= m rho^2 and rho <= 1", lambda m, rho: m * rho**2 >= 1 and rho <= 1)]


@theorem(
    "bms22.lemF.1.s1",
    parent="bms22.lemF.1",
    kind="construction",
    says=r"\rho_{opt}\in[h_{\max}/\sqrt{m},h_{\max}]\ \Rightarrow\ "
    r"\exists\hat{\rho}\in\mathcal{V}:\ \hat{\rho}\le\rho_{opt}<2\hat{\rho}",
    needs=RHO,
    source=f"{BMS22}, proof of Lemma F.1",
)
def grid_point(*, m, rho, base="e", rounding="ceil"):
    """The grid has a point in (rho/2, rho] for every rho of the interval; None where it has none

    In units of h_max. rho = 1 has none in any reading (1 is not on the grid, and 1 < 2 (1/2) is false). With the
    natural logarithm the grid ends at m^(-0.347), far above m^(-1/2).

    >>> grid_point(m=100, rho=0.3), grid_point(m=100, rho=1.0)
    (0.25, None)
    """
    return next((float(v) for v in margins(m, 1.0, base, rounding) if v <= rho < 2 * v), None)


@theorem(
    "bms22.lemF.1.s1",
    parent="bms22.lemF.1",
    reading="corrected",
    kind="construction",
    says=r"J=\max\{1,\lceil\frac{1}{2}\log_2 m\rceil\},\ \rho_{opt}\in[h_{\max}/\sqrt{m},h_{\max}]\ "
    r"\Rightarrow\ \exists\hat{\rho}\in\mathcal{V}:\ \frac{\rho_{opt}}{2}\le\hat{\rho}\le\rho_{opt}",
    needs=[integer("m"), require("1 <= m rho^2 and rho <= 1", lambda m, rho: m * rho**2 >= 1 and rho <= 1)],
    source=f"{BMS22}, proof of Lemma F.1, with logarithms to base 2, rounded up, and <=",
)
def grid_point_corrected(*, m, rho):
    """With base 2, rounded up, and the weak inequality the grid covers the interval

    4^J >= m puts 2^-J at or below m^(-1/2) <= rho, and 2^-1 >= rho/2: the largest grid point that is at most rho
    works. At m = 1 the interval is {1} and the printed grid empty (J = 0); one point, 1/2, serves.

    >>> grid_point_corrected(m=100, rho=1.0), grid_point_corrected(m=100, rho=0.1)
    (0.5, 0.0625)
    """
    return next((float(v) for v in margins(m) if rho / 2 <= v <= rho), None)


# Lemma F.1 --------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.lemF.1",
    part="privacy",
    kind="privacy",
    says=r"\mathcal{A}\ (\varepsilon,\delta)\mathrm{-DP}\ \Rightarrow\ \mathrm{Algorithm\ 6}\ (2\varepsilon,\delta)"
    r"\mathrm{-DP}",
    needs=[positive("epsilon"), between("delta", 0, 1)],
    source=f"{BMS22}, Lemma F.1",
)
def selection_budget(*, epsilon, delta):
    """Margin selection is (2 epsilon, delta)-DP

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
    source=f"{BMS22}, Lemma F.1",
)
def printed_penalty(*, sensitivity, m, epsilon, beta):
    """What Lemma F.1 adds to the bound at the best margin: (Delta / epsilon) log(log(m) / beta)

    Undefined at m = 1 and negative for m = 2, beta > log 2.

    >>> round(float(printed_penalty(sensitivity=0.01, m=100, epsilon=1.0, beta=0.1)), 6)
    0.038298
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return sensitivity / epsilon * np.log(np.log(m) / beta)


@theorem(
    "bms22.lemF.1",
    part="tail",
    reading="corrected",
    kind="tail",
    says=rf"\Pr\left[R_D(w)\le{ON_INTERVAL}F(\rho/2,g_\rho(S))+\frac{{4\Delta_{{\rho/2}}(F)}}{{\varepsilon}}"
    r"\log\frac{J}{\beta}\right]\ge 1-2\beta,\quad\Delta_\rho(F)\ \mathrm{non-increasing\ in}\ \rho,\ "
    r"F\ \mathrm{at\ confidence}\ \frac{\beta}{J}",
    needs=PENALTY,
    source=f"{BMS22}, Lemma F.1, corrected",
)
def corrected_penalty(*, sensitivity, m, epsilon, beta):
    """Lemma F.1 with four repairs: constant 4, J, confidence beta/J, and Delta non-increasing

    J = max(1, ceil(log2(m)/2)). A is run with, and F promises, failure probability beta/J at every margin; F(rho, t)
    is non-increasing in rho and non-decreasing in t; g_rho and F are as printed otherwise.
    Derivation. rho* fails against the best grid point with probability at most beta (abgmu22.thm.gem), A fails at some
    grid point with probability at most J beta/J. Otherwise, for rho in the interval and rho' its grid point (s1),
    R <= F(rho*, g_rho*) <= F(rho', g_rho') + 4 Delta_rho' log(J/beta) / epsilon, and with rho/2 <= rho' <= rho:
    F(rho', g_rho') <= F(rho', g_rho) <= F(rho/2, g_rho) (s4, s5) and Delta_rho' <= Delta_{rho/2} (s3).

    >>> round(float(corrected_penalty(sensitivity=0.01, m=100, epsilon=1.0, beta=0.1)), 6)
    0.147555
    """
    return selection_penalty(sensitivity=sensitivity, candidates=grid_size(m), epsilon=epsilon, beta=beta)


# Corollary F.2 ----------------------------------------------------------------------------------------------------


@theorem(
    "bms22.corF.2",
    part="privacy",
    kind="privacy",
    says=r"\mathrm{Algorithm\ 6\ with\ inputs}\ (\frac{\varepsilon}{2},\delta)\ \mathrm{is}\ "
    r"(\varepsilon,\delta)\mathrm{-DP}",
    needs=[positive("epsilon"), between("delta", 0, 1)],
    source=f"{BMS22}, Corollary F.2",
)
def corollary_budget(*, epsilon, delta):
    """Selection for the efficient learner is (epsilon, delta)-DP

    Lemma F.1 at epsilon/2: the choice spends (epsilon/2, 0), A_EffPrivMrg (epsilon/2, delta). Given that A_EffPrivMrg
    keeps its promise (Theorem 3.2: 0 < delta < 1/m and epsilon/2 <= log(1/delta)), and with scores of sensitivity at
    most 2 Lambda r / (m rho) (Lemma F.3).

    >>> corollary_budget(epsilon=1.0, delta=1e-6)
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
    source=f"{BMS22}, Corollary F.2; m any natural number",
)
def corollary_order(*, m, norm_bound, r, rho, epsilon, beta):
    """What Corollary F.2 adds, up to a constant: Lambda r / (m rho epsilon) log(log(m) / beta)

    What the printed O(.) contains. At m = 1 it is log 0; at m = 2 it is negative for beta > log 2.

    >>> round(float(corollary_order(m=100, norm_bound=1.0, r=1.0, rho=0.5, epsilon=1.0, beta=0.1)), 6)
    0.076595
    """
    return norm_bound * r / rho * printed_penalty(sensitivity=1 / m, m=m, epsilon=epsilon, beta=beta)


@theorem(
    "bms22.corF.2",
    part="tail",
    reading="corrected",
    kind="tail",
    says=r"\Pr\left[R_D(w)\le\min_{\rho\in[\Lambda r/\sqrt{m},\,\Lambda r]}F(\rho/2,g_\rho(S))"
    r"+\frac{32\Lambda r}{m\rho\varepsilon}\log\frac{2J}{\beta}\right]\ge 1-\beta,\quad "
    r"F\ \mathrm{at\ confidence}\ \frac{\beta}{2J}",
    needs=[*SCALE, in_unit_interval("beta")],
    source=f"{BMS22}, Corollary F.2, corrected",
)
def corollary_penalty(*, m, norm_bound, r, rho, epsilon, beta):
    """Corollary F.2 with its constant: 32 Lambda r / (m rho epsilon) log(2J / beta)

    The corrected Lemma F.1 at epsilon/2 and beta/2 with Delta_rho = 2 Lambda r / (m rho) (Lemma F.3), which is
    non-increasing: 4 (4 Lambda r / (m rho)) (2/epsilon) log(J / (beta/2)). F is what Theorem 3.2 promises for
    A_EffPrivMrg run at (epsilon/2, delta) and confidence beta/(2J), its constants included.

    >>> round(float(corollary_penalty(m=100, norm_bound=1.0, r=1.0, rho=0.5, epsilon=1.0, beta=0.1)), 6)
    2.804497
    """
    sensitivity = 2 * norm_bound * r / (m * (rho / 2))
    return corrected_penalty(sensitivity=sensitivity, m=m, epsilon=epsilon / 2, beta=beta / 2)
