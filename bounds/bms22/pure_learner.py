"""Pure privacy for linear classifiers: Bassily, Mohri & Suresh (2022), Algorithm 1, Theorem 3.1, the remark on norms.

Data in B^d(r) x {-1, +1} are projected to R^k by random signs, and the exponential mechanism picks a weight vector from
a cover of B^k(2 Lambda) by its number of errors. a = Lambda r/rho >= 1 throughout. The paper's own text (000) is
`printed`; its appendix as circulated apart adds a form with Õ, and in the precise form its root spans the margin loss
alone where the paper's spans the product. The steps of the proof are in `pure_learner_proof`, covers in `covers`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, inf, log, log1p, pi, sqrt
from typing import Any

import numpy as np

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.covers import MARGIN
from lemmata.bounds.bms22.sign_projection import rows_for
from lemmata.bounds.exact import numbers
from lemmata.bounds.exact.numbers import least_integer
from lemmata.bounds.theorem import between, in_unit_interval, integer, positive, require, theorem

# The exponential mechanism, as the proof of Theorem 3.1 uses it -------------------------------------------------------


@theorem(
    "bms22.thm3.1.em-privacy",
    kind="privacy",
    says=r"\Pr[c]\propto\exp\left(\frac{\varepsilon\,q(S,c)}{2\Delta_q}\right),\ "
    r"\max_{S\sim S'}\max_c|q(S,c)-q(S',c)|\le\Delta_q\ \Rightarrow\ \varepsilon\mathrm{-DP}",
    needs=[positive("epsilon")],
    source=f"{BMS22}, proof of Theorem 3.1",
)
def selection_epsilon(*, epsilon: float) -> float:
    """The epsilon that the exponential mechanism spends.

    Derivation. With s = epsilon / (2 Dq), log p(c) - log p'(c) = s (q(c) - q'(c)) + log(Z' / Z). The first term is at
    most s Dq = epsilon / 2 by the sensitivity; every summand of Z' is at most e^{s Dq} times that of Z, so the second
    is too. The factor 2 cannot be saved: given p, the ratio is largest where c's score moves by Dq one way and all
    others the other way (p' rises in q'(c) and falls in the rest), and there it tends to epsilon as p(c) -> 0
    (`worst_log_ratio`). A random projection drawn independently of S is public: it holds for each of its values.

    >>> selection_epsilon(epsilon=0.5)
    0.5
    """
    return epsilon


@theorem(
    "bms22.thm3.1.em-accuracy",
    kind="tail",
    says=r"m\ge\frac{4\log(4|\mathcal{C}|/\beta)}{\varepsilon\alpha}\ \Rightarrow\ "
    r"\Pr\left[\hat{R}(\tilde{w})>\hat{R}(\hat{w})+\alpha\right]\le\frac{\beta}{4}",
    needs=[integer("candidates"), positive("epsilon"), integer("m"), in_unit_interval("beta")],
    source=f"{BMS22}, proof of Theorem 3.1, before equation (9), (8) in the appendix",
)
def printed_excess(*, candidates: int, epsilon: float, m: int, beta: float) -> float:
    """The exponential mechanism's excess loss at probability beta/4, as printed.

    The excess is larger with probability at most beta/4.

    Scores are -R, of sensitivity 1/m. `candidates`: |C|. The printed condition on m, solved for alpha: 4 log(4 |C| /
    beta) / (epsilon m), twice what is needed (the explicit reading at b = beta / 4), so its failure probability is at
    most about (beta / 4)^2 / |C|.

    >>> round(float(printed_excess(candidates=100, epsilon=1.0, m=1000, beta=0.1)), 6)
    0.033176
    """
    return 4 * np.log(4 * candidates / beta) / (epsilon * m)


@printed_excess.explicit(
    says=r"\Pr\left[q(\tilde{c})<\max_c q(c)"
    r"-\frac{2\Delta_q}{\varepsilon}\log\frac{|\mathcal{C}|}{\beta}\right]\le\beta",
    needs=[integer("candidates"), positive("epsilon"), positive("sensitivity"), in_unit_interval("beta")],
    source="McSherry & Talwar 2007; Dwork & Roth 2014, Theorem 3.11",
)
def selection_excess(*, candidates: int, epsilon: float, sensitivity: float, beta: float) -> float:
    """How far below the best score the exponential mechanism selects.

    With probability 1 - beta it selects no candidate further below.

    Derivation. Let B be the set of candidates more than a below the best. Each weighs less than x = e^{-epsilon a / (2
    Dq)} times the best, which is not in B, so P(B) < |B| x / (|B| x + 1) <= (K - 1) x / ((K - 1) x + 1) with K
    candidates: the worst scores have two levels, one candidate at the top and the others just below the threshold. At a
    = (2 Dq / epsilon) log(K / beta), x = beta / K, and P(B) / beta < (1 - 1/K) / (1 + (1 - 1/K) beta) < 1; it tends to
    1 as K -> inf and beta -> 0, so the bound is best possible.

    >>> round(float(selection_excess(candidates=100, epsilon=1.0, sensitivity=0.001, beta=0.1)), 6)
    0.013816
    """
    return 2 * sensitivity / epsilon * np.log(candidates / beta)


# Theorem 3.1 ----------------------------------------------------------------------------------------------------------

GAMMA = (
    r"\Gamma=\frac{\Lambda^2r^2\log(m/\beta)\log(\Lambda r/(\beta\rho))}{\rho^2\varepsilon m}"
    r"+\frac{\Lambda^2r^2\log^2(m/\beta)}{m\rho^2}+\frac{\log(1/\beta)}{m}"
)
RISK = r"R_{\mathcal D}(w^{\mathrm{Priv}})\le\min_{\|w\|_2\le\Lambda}"
PRINTED = (
    r"\Pr\left[" + RISK + r"\left\{\hat R^\rho_S(w)+O\left(\sqrt{\hat R^\rho_S(w)\left("
    r"\frac{\Lambda^2r^2\log^2(m/\beta)}{m\rho^2}+\frac{\log(1/\beta)}{m}\right)}+\Gamma\right)\right\}\right]"
    r"\ge 1-\beta,\quad " + GAMMA
)
SAMPLE_NEEDS = [integer("m"), positive("norm_bound"), positive("radius"), MARGIN]
NEEDS = [*SAMPLE_NEEDS, positive("epsilon"), in_unit_interval("beta"), between("margin_loss", 0, 1)]
NOT_NEAR_ONE = require("beta <= 1/2", lambda beta: beta <= 0.5)


@theorem(
    "bms22.thm3.1",
    part="privacy",
    kind="privacy",
    says=r"\mathcal A_{\mathrm{PrivMrg}}\ \mathrm{is}\ \varepsilon\mathrm{-differentially\ private}",
    needs=[positive("epsilon")],
)
def learner_epsilon(*, epsilon: float) -> float:
    """The epsilon that Algorithm 1 spends.

    Derivation. Phi and the cover are independent of S (k depends on m, which neighbours share), so fix them. The score
    -R_S(w) is a mean of m indicators, each a function of one record: replacing a record moves it by at most 1/m, and by
    exactly 1/m where the two records disagree on w. The exponential mechanism with that sensitivity is epsilon-DP
    (bms22.thm3.1.em-privacy), and Phi^T w~ is a function of its choice and of Phi. No smaller epsilon is enough: m - 1
    records (x, +) and one (x, -), which becomes (x, +), reach a log-ratio that tends to epsilon as m grows.

    >>> learner_epsilon(epsilon=0.5)
    0.5
    """
    return epsilon


@theorem(
    "bms22.thm3.1",
    part="tail",
    kind="tail",
    says=PRINTED,
    needs=NEEDS,
    source=", which the appendix calls the more precise version",
)
def printed_gap(
    *, m: int, epsilon: float, beta: float, norm_bound: float, radius: float, rho: float, margin_loss: float
) -> float:
    """The order of Algorithm 1's excess risk over the comparator's margin loss.

    `margin_loss` is the empirical rho-margin loss of the comparator. No constant is printed, neither here nor in
    k = O(Lambda^2 r^2 log(m/beta)/rho^2).

    Derivation for beta <= 1/2, with C = `ORDER`, a = Lambda r/rho and L = log(m/beta). Where C times the order is at
    least 1 there is nothing to show. Else C a^2 L^2 < m, so m > 96,000 and L > 12.1. (1) The number of rows is k <=
    46.3 a^2 log(8(3m+1)/beta) + 1 <= 58.5 a^2 L, as 8(3m+1)/beta <= 24.1 m/beta and log 24.1 <= 0.263 L. (2) log(41a)
    <= 5.36 log(a/beta) and log(4/beta) <= 3 log(a/beta), so alpha is at most 628 times the term that has epsilon. (3)
    log(41a) <= log(m)/2 + log(41) - log(C L^2)/2 <= L/2, so m A = k log(1+40a) + log(4/beta) <= 29.3 a^2 L^2 +
    log(1/beta), and A is at most 29.3 times the last two terms. (4) The explicit excess is at most sqrt(2 R A) +
    sqrt(2 alpha A) + alpha + 2A <= sqrt(2 R A) + 1.025 alpha + 22 A, where sqrt(58.6), 1.025 * 628 and 22 * 29.3 are
    below C.

    >>> round(printed_gap(m=1000, epsilon=1.0, beta=0.1, norm_bound=1.0, radius=1.0, rho=0.5, margin_loss=0.0), 4)
    0.452
    """
    a, L = norm_bound * radius / rho, log(m) - log(beta)
    spread = a**2 * L**2 / m - log(beta) / m
    selection = a**2 * L * (log(a) - log(beta)) / (epsilon * m)
    return sqrt(margin_loss * spread) + selection + spread


gap_for_small_beta = printed_gap.corrected(
    says=r"\beta\le\frac12:\quad " + PRINTED, needs=[*NEEDS, NOT_NEAR_ONE], source=", with beta <= 1/2"
)(printed_gap.theorem.formula)

ORDER = 650.0  # C of the corrected reading: min(1, explicit) <= C printed


# Theorem 3.1 with our constants ---------------------------------------------------------------------------------------


def printed_rows(*, m: int, beta: float, norm_bound: float, radius: float, rho: float) -> float:
    """The expression in k = O(.), line 1 of Algorithm 1: Lambda^2 r^2 log(m/beta)/rho^2."""
    return (norm_bound * radius / rho) ** 2 * (log(m) - log(beta))


def projection_rows(*, m: int, beta: float, norm_bound: float, radius: float, rho: float) -> int:
    """Rows k at which Phi keeps <w*, x_i> for all i up to rho/3, except with probability beta/4.

    3m + 1 vectors: x_i and w*, normalised, and their sums and differences; distortion gamma/3, gamma = rho/(Lambda r).

    >>> projection_rows(m=10**6, beta=0.1, norm_bound=1.0, radius=1.0, rho=1.0)
    894
    """
    return rows_for(3 * m + 1, rho / (3 * norm_bound * radius), beta / 4)


def log_candidates(*, k: int, norm_bound: float, radius: float, rho: float) -> float:
    """k log(1 + 40 Lambda r/rho): a bound of log|C| for the smallest cover (bms22.thm3.1.s1)."""
    return k * log1p(40 * norm_bound * radius / rho)


def selection_error(*, m: int, epsilon: float, beta: float, log_size: float) -> float:
    """alpha = 2 (log|C| + log(4/beta))/(epsilon m): what the selection loses, except with probability beta/4.

    >>> round(selection_error(m=1000, epsilon=1.0, beta=0.1, log_size=3.0), 4)
    0.0134
    """
    return 2 * (log_size + log(4) - log(beta)) / (epsilon * m)


def class_complexity(*, m: int, beta: float, log_size: float) -> float:
    """A = (log|C| + log(4/beta))/m: e^{-mA} |C| = beta/4."""
    return (log_size + log(4) - log(beta)) / m


@dataclass(frozen=True)
class Terms:
    """The parts of the explicit bound: k rows, a bound of log|C|, alpha and A."""

    rows: int
    log_size: float
    alpha: float
    complexity: float


def explicit_terms(*, m: int, epsilon: float, beta: float, norm_bound: float, radius: float, rho: float) -> Terms:
    """The terms of the explicit bound, over a smallest cover in `projection_rows` dimensions."""
    k = projection_rows(m=m, beta=beta, norm_bound=norm_bound, radius=radius, rho=rho)
    log_size = log_candidates(k=k, norm_bound=norm_bound, radius=radius, rho=rho)
    alpha = selection_error(m=m, epsilon=epsilon, beta=beta, log_size=log_size)
    return Terms(k, log_size, alpha, class_complexity(m=m, beta=beta, log_size=log_size))


def excess(loss: Any, alpha: float, complexity: float) -> Any:
    """alpha + sqrt(2 (loss + alpha) A) + 2A, at a margin loss or an array of them."""
    return alpha + numbers.sqrt(2 * (loss + alpha) * complexity) + 2 * complexity


@printed_gap.explicit(
    says=r"\Pr\left[R_{\mathcal D}(w^{\mathrm{Priv}})\le\hat R^\rho_S(w)+\alpha+\sqrt{2(\hat R^\rho_S(w)+\alpha)A}+2A"
    r"\ \forall\,\|w\|_2\le\Lambda\right]\ge 1-\frac{3\beta}{4},\quad "
    r"A=\frac{k\log(1+40\Lambda r/\rho)+\log(4/\beta)}{m},\ \alpha=\frac{2A}{\varepsilon},\quad "
    r"k=\left\lceil\frac{\log(8(3m+1)/\beta)}{t^2/4-t^3/6}\right\rceil,\ t=\frac{\rho}{3\Lambda r}",
    source=f"{BMS22}, Appendix B.1; our constants",
)
def explicit_gap(
    *, m: int, epsilon: float, beta: float, norm_bound: float, radius: float, rho: float, margin_loss: float
) -> float:
    """Algorithm 1's excess risk with a smallest cover, with our constants.

    The excess is over the comparator's margin loss.

    Derivation. Three events, each of probability at least 1 - beta/4. (1) Phi keeps <w*, x_i> up to rho/3, w* a
    minimiser of the margin loss on S: k = `projection_rows` (bms22.lemA.3.s2; s4 and s5 follow). (2) The selection
    loses at most alpha (bms22.thm3.1.em-accuracy). (3) R <= R^ + sqrt(2 R^ A) + 2A for every candidate (s8: Chernoff,
    a union over the cover, which does not depend on S). On (1) and (2) R^_S(w_Priv) <= R^rho_S(w*) + alpha (s6). The
    right-hand side increases in the loss, so w* is the worst comparator.

    >>> round(explicit_gap(m=10**5, epsilon=1.0, beta=0.1, norm_bound=1.0, radius=1.0, rho=1.0, margin_loss=0.0), 3)
    0.176
    """
    terms = explicit_terms(m=m, epsilon=epsilon, beta=beta, norm_bound=norm_bound, radius=radius, rho=rho)
    return float(excess(margin_loss, terms.alpha, terms.complexity))


def informative_from(**setting: Any) -> float:
    """The smallest m at which margin loss + explicit gap < 1; beyond it the bound stays below 1.

    >>> informative_from(epsilon=1.0, beta=0.1, norm_bound=1.0, radius=1.0, rho=1.0, margin_loss=0.0)
    15642
    """
    return least_informative(explicit_gap, **setting)


def least_informative(gap: Callable[..., float], **setting: Any) -> float:
    """The smallest m at which margin loss + `gap` < 1, for a gap that falls in m between powers of two."""
    loss = setting["margin_loss"]
    return inf if loss >= 1 else least_integer(lambda m: loss + gap(m=m, **setting) < 1)  # log(m)/m falls from 3 on


# Remark 3.1: the norm of the output -----------------------------------------------------------------------------------


@theorem(
    "bms22.rem3.1",
    kind="mean",
    says=r"E\|\Phi^\top\tilde w\|_2=\tilde O\left(\frac{\sqrt d\,\rho}{r}\right)",
    needs=[integer("d"), *SAMPLE_NEEDS, in_unit_interval("beta")],
    source=f"{BMS22}, Section 3.1",
)
def printed_norm(*, d: int, m: int, beta: float, norm_bound: float, radius: float, rho: float) -> float:
    """The order of the expected norm of Algorithm 1's output, as printed.

    Logarithms are left out.

    Lambda is not missing, because rho/r is Lambda/a. With ||w~|| <= 2 Lambda and k = c' a^2 log(m/beta) rows, sqrt(d/k)
    2 Lambda = (2/sqrt(c')) sqrt(d) (rho/r) / sqrt(log(m/beta)): the free logarithm is log(m/beta)^{-1/2}, at most 1.21
    unless m = 1 and beta > 1/2. That is the norm for a w~ fixed before Phi; the paper's w~ is selected after.

    >>> printed_norm(d=4, m=10, beta=0.1, norm_bound=1.0, radius=2.0, rho=1.0)
    1.0
    """
    return sqrt(d) * rho / radius


@printed_norm.corrected(
    says=r"k\le d:\quad E\|\Phi^\top\tilde w\|_2=\tilde O\left(\frac{\sqrt d\,\rho}{r}\right)",
    source=", where the projection does not raise the dimension",
)
def norm_in_fewer_dimensions(*, d: int, m: int, beta: float, norm_bound: float, radius: float, rho: float) -> float:
    """The order of the expected norm of Algorithm 1's output, for k <= d.

    It holds for every cover and every selection.

    2 Lambda sqrt(pi/2) (1 + sqrt(d/k)) <= 4 Lambda sqrt(pi/2) sqrt(d/k), and k >= c' a^2 log(m/beta). The free
    logarithm is log(m/beta)^{-1/2}, below 1.21 unless m = 1 and beta > 1/2, where it grows without bound as beta -> 1.
    """
    return printed_norm(d=d, m=m, beta=beta, norm_bound=norm_bound, radius=radius, rho=rho)


@printed_norm.explicit(
    part="square",
    says=r"E\|\Phi^\top w\|_2^2=\frac dk\|w\|_2^2",
    kind="identity",
    needs=[integer("d"), integer("k"), positive("norm")],
    source="ours: columns of Phi have independent entries of variance 1/k",
)
def expected_square(*, d: int, k: int, norm: float) -> float:
    """The mean square of ||Phi^T w|| is d/k times ||w||^2.

    This is for a w that is fixed before Phi is drawn.

    Derivation. (Phi^T w)_j = sum_i s_ij w_i/sqrt(k) has mean square ||w||^2/k for each of the d columns.

    >>> expected_square(d=6, k=3, norm=1.0)
    2.0
    """
    return d / k * norm**2


@printed_norm.explicit(
    part="selected",
    says=r"E\|\Phi^\top\tilde w\|_2\le 2\Lambda\,E\|\Phi\|\le"
    r"2\Lambda\sqrt{\frac\pi2}\left(1+\sqrt{\frac dk}\right)",
    needs=[integer("d"), integer("k"), positive("norm_bound")],
    source="ours: any w~ of norm at most 2 Lambda, selected with knowledge of Phi",
)
def selected_norm(*, d: int, k: int, norm_bound: float) -> float:
    """The expected norm of Phi^T w for a w selected with knowledge of Phi.

    The bound holds for every cover.

    Derivation. ||Phi^T w~|| <= 2 Lambda ||Phi||. For Gaussian G, sign(G) |G| has mean absolute values sqrt(2/pi), so
    Jensen gives E ||sign matrix|| <= sqrt(pi/2) E ||G||, and E ||G|| <= sqrt(k) + sqrt(d) (Gordon 1985).

    2 Lambda sqrt(d/k), as for a fixed w, is false here: at k = d = 2 half of the sign matrices have norm sqrt(2), half
    1, and a cover that contains their longest directions, on data that make them the best candidates, reaches
    2 Lambda (1 + sqrt 2)/2.
    """
    return 2 * norm_bound * sqrt(pi / 2) * (1 + sqrt(d / k))


def norm_of_needles(k: int) -> float:
    """How much of ||w~|| = 2 Lambda a release keeps in the plane, d = 2, on average over Phi, for a malicious cover.

    Records close to the edges of a halfplane leave right directions in a needle around a generic v only. A cover may
    contain, for each of the 4^k sign matrices Phi, the w of norm 2 Lambda with Phi^T w parallel to v (where there is
    one), moved by as little as makes all others miss the needle; no point of a finite cover is in the needle by chance.
    As epsilon m grows it is selected, and ||Phi^T w|| >= 2 Lambda s, s the smaller singular value: s^2 = 1 - |c|, c the
    inner product of Phi's columns, a mean of k fair signs.

    >>> round(norm_of_needles(2), 3), round(norm_of_needles(100), 3)
    (0.5, 0.959)
    """
    return sum(comb(k, j) * sqrt(1 - abs(k - 2 * j) / k) for j in range(k + 1)) / 2**k
