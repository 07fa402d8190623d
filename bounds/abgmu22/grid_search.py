r"""Private grid search: abgmu22, Algorithm 1, its theorem and its instantiation by output perturbation.

Candidates w_j = A(S1, 2^j), j = 1..K, from the first half of n records; scores are mean losses on the second half plus
a penalty; the generalized exponential mechanism (GEM) chooses among them and w_0 = 0 with the public score ||Y||^2.

Algorithm 1 hands GEM the sensitivities Delta(B_j). A mean over n/2 losses in [0, Delta] moves by 2 Delta/n, so that is
private but useless: GEM raises a score by 4 log(4(K+1)/beta)/epsilon times its sensitivity, so w_0, whose sensitivity
is 0, is selected on every dataset of every size (part "zero"). Both readings are decided.

Names: `loss_bound` Delta(B), `err` err(B), `label_bound` ||Y||, `guesses` K, `norm` ||w*||. err and loss_bound are
functions of B, evaluated at 2 max{||w*||, 1}.
"""

from typing import Any

import numpy as np

from lemmata.bounds.abgmu22.grid_search_proof import BUDGET, ENDING, EVEN, PROOF, penalty, printed_penalty
from lemmata.bounds.exact.numbers import Array, exp, log, sqrt
from lemmata.bounds.theorem import at_least, in_unit_interval, theorem

__all__ = ["grid_excess", "norm_guesses", "penalty", "printed_penalty"]


def norm_guesses(*, guesses: int) -> Array:
    """B_1, ..., B_K = 2, 4, ..., 2^K.

    >>> norm_guesses(guesses=3).tolist()
    [2.0, 4.0, 8.0]
    """
    return 2.0 ** np.arange(1, guesses + 1)


# Privacy --------------------------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.thm.grid",
    part="privacy",
    kind="privacy",
    says=r"\mathcal A\ \left(\frac\varepsilon{2K},\frac\delta{2K}\right)\mathrm{-DP\ with\ Assumption\ 2}\ "
    r"\Rightarrow\ \mathrm{Algorithm\ 1\ is}\ (\varepsilon,\delta)\mathrm{-DP}",
    needs=[*BUDGET, EVEN],
)
def grid_budget(*, epsilon: Any, delta: Any, guesses: int, n: int = 2) -> Array:
    """Algorithm 1, grid search over norms, is (epsilon, delta)-DP, as printed.

    Derivation. The candidates are (epsilon/2, delta/2)-DP (s1). With probability 1 - delta/2 all losses on S2 and S2'
    are below Delta(B_j), and every score moves by less than 2 Delta/n <= Delta (s2): GEM is (epsilon/2)-DP then. The
    budgets add up to (epsilon, delta).

    >>> grid_budget(epsilon=1.0, delta=1e-6, guesses=4).tolist()
    [1.0, 1e-06]
    """
    return np.array([epsilon, delta])


@grid_budget.explicit(
    says=r"\mathrm{Algorithm\ 1\ is}\ \left(\frac\varepsilon2,\frac\delta2\right)\mathrm{-DP}",
    source=", S1 and S2 being disjoint",
)
def grid_budget_disjoint(*, epsilon: Any, delta: Any, guesses: int, n: int = 2) -> Array:
    """Algorithm 1 spends (epsilon/2, delta/2), because S1 and S2 are disjoint.

    The replaced record lies in S1 or in S2.

    In S1: the release is a function of (w_1, ..., w_K) and of S2, which neighbours share: (epsilon/2, delta/2). In S2:
    the candidates have the same law on both, and with probability 1 - delta/2 the selection is (epsilon/2)-DP.
    """
    return np.array([epsilon / 2, delta / 2])


@theorem(
    "abgmu22.thm.grid.s1",
    kind="privacy",
    says=r"w_1,\ldots,w_K\ \mathrm{are}\ \left(\frac\varepsilon2,\frac\delta2\right)\mathrm{-DP}",
    needs=BUDGET,
    source=PROOF,
)
def generation_budget(*, epsilon: Any, delta: Any, guesses: int) -> Array:
    """The K candidates together spend (epsilon/2, delta/2), by basic composition.

    Derivation. Basic composition adds budgets up: K runs with epsilon/(2K) and delta/(2K) each spend K epsilon/(2K) =
    epsilon/2 and K delta/(2K) = delta/2 in all.
    """
    return np.array([epsilon / 2, delta / 2])


@theorem(
    "abgmu22.thm.grid.s2",
    says=r"\Pr\left[|\tilde L_j(S)-\tilde L_j(S')|\le\Delta(B_j)\ \forall j\right]\ge\frac\delta2",
    needs=BUDGET[1:],
    source=PROOF,
)
def valid_chance(*, delta: Any, guesses: int) -> Any:
    """The scores' sensitivities are valid with chance at least delta/2, as printed.

    Derivation. By the corrected reading the chance is at least 1 - delta/2, which is at least delta/2 because delta <=
    1.
    """
    return delta / 2


@valid_chance.corrected(
    says=r"\Pr\left[|\tilde L_j(S)-\tilde L_j(S')|\le\frac{2\Delta(B_j)}n\ \forall j\right]\ge1-\frac\delta2",
    source=PROOF + ", with 1 - delta/2, and for the mean's own sensitivity",
)
def valid_chance_corrected(*, delta: Any, guesses: int) -> Any:
    """The scores' sensitivities are valid with probability at least 1 - delta/2.

    Derivation. The losses of a candidate exceed Delta(B_j) somewhere on S2 or on S2' with probability at most 2
    delta/(4K), so those of one of K candidates with at most delta/2, by the union bound. Otherwise all n/2 losses lie
    in [0, Delta], and their mean moves by at most Delta/(n/2) = 2 Delta/n where one record is replaced.
    """
    return 1 - delta / 2


@theorem(
    "abgmu22.thm.grid",
    part="zero",
    reading="explicit",
    kind="tail",
    says=r"\gamma_j=\Delta(B_j)\ge\|\mathcal Y\|^2\ \Rightarrow\ \Pr[\bar w=0]\ge1-\frac{K\,e^{\varepsilon/4}}"
    r"{4(K+1)}\,\beta\quad\mathrm{for\ every}\ S",
    needs=[*BUDGET, in_unit_interval("beta")],
    source=", what Algorithm 1 does with the mechanism of [RS15]",
)
def other_than_zero(*, epsilon: Any, guesses: int, beta: Any, delta: Any = 0) -> Any:
    """Algorithm 1 as printed selects another vector than 0 with chance below beta/3.

    This holds on every dataset; 0 is the candidate w_0.

    With t = 4 log(4(K+1)/beta)/epsilon: s_j >= t + (score_j - ||Y||^2)/Delta_j >= t - 1, as scores are not negative,
    and s_0 = 0 as t >= 1. The weights exp(-epsilon s/4) are 1 for w_0 and at most e^(epsilon/4) beta/(4(K+1)) for the
    others.

    >>> round(float(other_than_zero(epsilon=1.0, guesses=9, beta=0.1)), 4)
    0.0289
    """
    return guesses * exp(epsilon / 4) * beta / (4 * (guesses + 1))


# Utility --------------------------------------------------------------------------------------------------------------

EXCESS = (
    r"\mathrm{err}(2^K)\ge\|\mathcal Y\|^2\ \Rightarrow\ "
    r"\Pr\left[L(\bar w;\mathcal D)-L(w^*;\mathcal D)\le\min\left\{\|\mathcal Y\|^2,\ \mathrm{err}(B^*)+%s\right\}"
    r"\right]\ge1-\beta,\quad B^*=2\max\{\|w^*\|,1\},\ \gamma_j=%s"
)
PRINTED = r"\sqrt{\frac{4\|\mathcal Y\|^2\log(4K/\beta)}n}+\frac{5\Delta(B^*)}{n\varepsilon}"
UTILITY = [*ENDING, at_least("err", 0)]


@theorem(
    "abgmu22.thm.grid",
    part="utility",
    kind="tail",
    says=EXCESS % (PRINTED, r"\Delta(B_j)"),
    needs=UTILITY,
    source=", with the sensitivities that Algorithm 1 prints",
)
def printed_excess(
    *, err: Any, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any
) -> Any:
    """The excess risk of Algorithm 1 by the theorem, as printed.

    err and Delta are taken at 2 max{||w*||, 1}.

    `err` and `loss_bound` are the values of err and Delta there.

    The place of the 4, within the root or before it, is lost in the conversion of the text. With 4 ||Y|| there are two
    such roots, and the counterexample exceeds that bound too.

    >>> from math import e
    >>> round(float(printed_excess(err=0.1, loss_bound=2.0, label_bound=1.0, n=100, guesses=1, beta=4 / e**4,
    ...                            epsilon=1.0)), 6)
    0.6
    """
    root = sqrt(4 * label_bound**2 * log(4 * guesses / beta) / n)
    return min(label_bound**2, err + root + 5 * loss_bound / (n * epsilon))


@theorem(
    "abgmu22.thm.grid",
    part="utility-average",
    reading="explicit",
    kind="tail",
    says=EXCESS % (PRINTED, r"\frac{2\Delta(B_j)}n"),
    needs=UTILITY,
    source=", with the sensitivity of a mean over S2",
)
def averaged_excess(
    *, err: Any, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any
) -> Any:
    """The excess risk of Algorithm 1 as printed, read with the sensitivity 2 Delta/n.

    This is the sensitivity of a mean.
    """
    sizes = {"label_bound": label_bound, "n": n, "guesses": guesses, "beta": beta, "epsilon": epsilon}
    return printed_excess.theorem.formula(err=err, loss_bound=loss_bound, **sizes)


CORRECTED = (
    r"\sqrt{\frac{32\|\mathcal Y\|^2\Delta(B^*)\log(4(K+1)/\beta)}n}+\frac{50\,\Delta(B^*)\log(4(K+1)/\beta)}"
    r"{3n\varepsilon}"
)
OURS = (
    EXCESS
    % (CORRECTED, r"\frac{2\Delta(B_j)}n")
    + r",\ \tau_j=\sqrt{4\|\mathcal Y\|^2a_j},\ a_j=\frac{2\Delta(B_j)\log(4(K+1)/\beta)}n;\ \mathrm{err},\Delta\ "
    r"\mathrm{nondecreasing},\ \ell(w_j;\cdot)\le\Delta(B_j)\ \mathcal D\mathrm{-a.s.\ but\ for\ }\frac\beta{4K}"
)


@averaged_excess.corrected(
    says=OURS,
    needs=[*UTILITY, EVEN],
    source=", with these sensitivities and penalties and our constants",
)
def grid_excess(*, err: Any, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any) -> Any:
    """The excess risk of Algorithm 1 with corrected penalties and sensitivities.

    Derivation, l = log(4(K+1)/beta), a = 2 Delta l/n. A score is at least its candidate's risk, or the risk exceeds
    2 ||Y||^2 and the score ||Y||^2 (s4, s5). The selected score is at most min{||Y||^2, score of j' + 16 Delta l/(n
    epsilon)} (s6), so the selected risk is at most that. The score of j' is at most its risk + sqrt(4 ||Y||^2 a) +
    a/3 + its penalty (s4), or the bound is ||Y||^2. Altogether err + 2 sqrt(4 ||Y||^2 a) + a/3 + 16 Delta l/(n
    epsilon), at 2^j' <= 2 max{||w*||, 1} (s7); where ||w*|| > 2^K, err >= ||Y||^2 (s8). Failures: beta/4
    concentration, beta/4 losses beyond Delta, beta/(4K) err, beta/4 selection.

    >>> sizes = dict(err=0.0, loss_bound=5.0, label_bound=1.0, guesses=10, beta=0.05, epsilon=1.0)
    >>> round(float(grid_excess(n=10**5, **sizes)), 3), grid_excess(n=1000, **sizes)
    (0.11, 1.0)
    """
    logarithm = log(4 * (guesses + 1) / beta)
    root = sqrt(32 * label_bound**2 * loss_bound * logarithm / n)
    return min(label_bound**2, err + root + 50 * loss_bound * logarithm / (3 * n * epsilon))


@printed_excess.corrected(
    says=OURS,
    needs=[*UTILITY, EVEN],
    source=", with the sensitivity of a mean; its penalties and hypotheses as in part utility-average",
)
def grid_excess_of_means(
    *, err: Any, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any
) -> Any:
    """The excess risk of Algorithm 1 with corrected sensitivities.

    With the printed sensitivities Delta(B_j) there is no such bound.

    Derivation. With gamma_j = 2 Delta(B_j)/n in the place of Delta(B_j), Algorithm 1 is that of the part
    `utility-average`, corrected, whose penalties tau_j, hypotheses and bound these are.
    """
    sizes = {"label_bound": label_bound, "n": n, "guesses": guesses, "beta": beta, "epsilon": epsilon}
    return grid_excess.theorem.formula(err=err, loss_bound=loss_bound, **sizes)
