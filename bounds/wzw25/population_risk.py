"""The population risk of Algorithm 3: Lemmas 6.6 and I.2, Equation 3 and Theorem 6.7 of Wang, Zhu & Wang (2025).

Algorithm 3 runs Algorithm 1 for every margin of the grid Gamma and releases the run of smallest noisy penalised score

    u_gamma = R^_S(w_gamma) + 5/2 (k_gamma log(2n) + log(4 |Gamma| / beta)) + sigma xi_gamma,   sigma = 1/mu,

R^_S a number of errors, mu the budget of one call: 1/mu = 4 sqrt(|Gamma| log(1/delta)) / epsilon. Lemma 6.6 (corrected)
at beta/|Gamma| for every margin says R_D(w_gamma) <= (2/n) (u_gamma - sigma xi_gamma), so what is released satisfies

    R_D(w_out) <= min_gamma (2 R~_S(w_gamma) + (5/n)(k_gamma log(2n) + log(4 |Gamma|/beta)))
                  + (2/n) (excess of the chosen score),

the last by Lemma F.2. The paper's Equation 18 loses a factor 2 in the second part and 1/mu in half of it. Arguments:
`mu` is the budget of one call; `calls` is |Gamma|; `radius` b, 1 unless stated; beta = 1/n^2 where none is named.
"""

from fractions import Fraction
from math import log

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.relative_deviation import EMPIRICAL, complexity, relative
from lemmata.bounds.exact import numbers
from lemmata.bounds.exact.numbers import Number
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, require, theorem
from lemmata.bounds.wzw25 import WZW25, algorithms
from lemmata.bounds.wzw25.algorithms import IN_RANGE, RANGE, spent_delta
from lemmata.bounds.wzw25.margin_grid import grid_size
from lemmata.bounds.wzw25.whole_grid import (
    GENERAL,
    ON_PROPER,
    ON_SETS,
    PRINTED,
    PROPER,
    QUANTILE,
    SYMBOLS,
    comparator,
    quantile_off_grid,
)


@theorem(
    "wzw25.lemI.2",
    kind="tail",
    says=r"\Pr_{S\sim D^{\otimes n}}\left[\forall h:\ \mathcal{R}_D(h)\le\tilde{\mathcal{R}}_S(h)"
    r"+2\sqrt{\tilde{\mathcal{R}}_S(h)\,Q}+4Q\right]\ge1-\beta,\quad "
    r"Q=\frac{\mathrm{VC}(\mathcal{H})\log(2n)+\log(4/\beta)}n",
    needs=[integer("n"), integer("V", 0), in_unit_interval("beta"), EMPIRICAL],
    source=f"{WZW25}, Appendix I.1, Lemma I.2, citing {BMS22}, Lemma A.1",
)
def relative_deviation_cited(*, n: Number, V: int, beta: Number, empirical: Number) -> Number:
    """The relative deviation bound on the risk, as the paper cites it.

    Ties are not errors here (the loss is 1[y h(x) < 0]); the derivation covers every loss with values in {0, 1}.
    """
    return relative(empirical, complexity(n, V, beta))


# Lemma 6.6 ------------------------------------------------------------------------------------------------------------

HALFSPACES = [integer("n"), integer("k"), in_unit_interval("beta")]


@theorem(
    "wzw25.lem6.6",
    kind="tail",
    says=r"\mathcal{R}_D(\mathbf{w}_k)\le2\tilde{\mathcal{R}}_S(\mathbf{w}_k)"
    r"+\frac{5(\mathrm{VC}(\mathcal{H}_k)\log(2n))+\log(\beta/4)}n\quad\mathrm{w.p.}\ge1-\beta",
    needs=[*HALFSPACES, EMPIRICAL],
    source=f"{WZW25}, Section 6.3, Lemma 6.6",
)
def population_printed(*, n: Number, k: int, beta: Number, empirical: Number) -> Number:
    """The risk is at most twice the empirical risk plus a complexity term, as printed.

    VC(H_k) = k for homogeneous halfspaces in R^k (the class is printed as {x -> sign(<x, w>) | x in R^k}; meant is w).
    The last line of its proof has 5 (VC log(2n) + log(4/beta)) / n. As printed the bound *decreases* when beta does and
    is negative for beta < 4 (2n)^(-5k).

    >>> round(float(population_printed(n=10, k=1, beta=1e-6, empirical=0.0)), 4)
    -0.0223
    """
    return 2 * empirical + (5 * k * numbers.log(2 * n) + numbers.log(beta / 4)) / n


@population_printed.corrected(
    says=r"\Pr\left[\forall\mathbf{w}:\ \mathcal{R}_D(\mathbf{w})\le2\tilde{\mathcal{R}}_S(\mathbf{w})"
    r"+\frac5n\left(\mathrm{VC}(\mathcal{H}_k)\log(2n)+\log\frac4\beta\right)\right]\ge1-\beta",
    source=f"{WZW25}, last line of the proof of Lemma 6.6",
)
def population_corrected(*, n: Number, k: int, beta: Number, empirical: Number) -> Number:
    """The risk is at most twice the empirical risk plus a complexity term, as proved.

    Lemma I.2 and 2 sqrt(R Q) <= R + Q. (4 in place of 5 would do: R - R_S <= 2 sqrt(Q R) <= R/2 + 2 Q.)

    >>> round(float(population_corrected(n=1000, k=1, beta=0.1, empirical=0.0)), 4)
    0.0564
    """
    return 2 * empirical + 5 * complexity(n, k, beta)


@theorem(
    "wzw25.lem6.6.s1",
    says=r"2\sqrt{\tilde{\mathcal{R}}_S(h)\,Q}\le\tilde{\mathcal{R}}_S(h)+Q",
    needs=[at_least("root_r", 0), at_least("root_Q", 0)],
    source=f"{WZW25}, Appendix I.1, proof of Lemma 6.6",
)
def twice_geometric_mean(*, root_r: Fraction, root_Q: Fraction) -> Fraction:
    """Twice a geometric mean is at most the sum of its two terms.

    Derivation. a^2 + b^2 in terms of a = sqrt(R_S), b = sqrt(Q); minus the left-hand side it is (a - b)^2.
    """
    return root_r**2 + root_Q**2


@theorem(
    "wzw25.lem6.6.s2",
    says=r"\tilde{\mathcal{R}}_S+2\sqrt{\tilde{\mathcal{R}}_S\,Q}+4Q\le2\tilde{\mathcal{R}}_S+5Q",
    needs=[at_least("root_r", 0), at_least("root_Q", 0)],
    source=f"{WZW25}, Appendix I.1, last line of the proof of Lemma 6.6",
)
def doubled(*, root_r: Fraction, root_Q: Fraction) -> Fraction:
    """The risk: at most twice the empirical one plus 5 complexity terms (end of proof).

    The last line of the proof (cf. Lemma I.2).

    2 a^2 + 5 b^2; minus the left-hand side it is (a - b)^2.
    """
    return 2 * root_r**2 + 5 * root_Q**2


def smallest_beta(n: Number, k: int) -> Number:
    """4 (2n)^(-k/5): from here on the printed bound of Lemma 6.6 is at least 2 R_S + 4 Q.

    >>> smallest_beta(16, 10)
    0.00390625
    """
    return 4 * (2 * n) ** (-k / 5)


@theorem(
    "wzw25.lem6.6.s3",
    reading="explicit",
    says=r"\mathcal{R}_D-\tilde{\mathcal{R}}_S\le2\sqrt{Q\,\mathcal{R}_D},\ \beta\ge4(2n)^{-k/5}\ \Rightarrow\ "
    r"\mathcal{R}_D\le2\tilde{\mathcal{R}}_S+\frac{5k\log(2n)+\log(\beta/4)}n",
    needs=[
        *HALFSPACES,
        EMPIRICAL,
        require("beta >= 4 (2n)^(-k/5)", lambda n, k, beta: beta >= smallest_beta(n, k) * (1 - 1e-12)),
    ],
    source="derived here: where Lemma 6.6 is true as printed",
)
def printed_at_large_beta(*, n: int, k: int, beta: float, empirical: float) -> float:
    """The printed bound on the risk holds where beta is not too small.

    2 sqrt(Q R) <= R/2 + 2 Q gives R <= 2 R_S + 4 Q, and k log(2n) >= 5 log(4/beta) says that 4 Q is at most the printed
    term. The premise holds for all w at once with probability 1 - beta: Lemma A.1 of BMS22 is derived from it.
    """
    return float(population_printed.theorem.formula(n=n, k=k, beta=beta, empirical=empirical))


# The scores: Equation 3 and the proof of Theorem 6.7 ------------------------------------------------------------------


@theorem(
    "wzw25.eq3",
    part="sensitivity",
    kind="identity",
    says=r"\max_{S\sim S',\,\mathbf{w}}\left|U(\mathbf{w};S)-U(\mathbf{w};S')\right|=1,\quad "
    r"U=\hat{\mathcal R}_S(\mathbf{w})+\frac52\left(\mathrm{VC}(\mathcal H_k)\log(2n)+\log(\beta/4)\right)",
    needs=[integer("n"), integer("k"), in_unit_interval("beta")],
    source=f"{WZW25}, Equation 3; the sensitivity is printed in Appendix I.2",
)
def penalised_sensitivity(*, n: int, k: int, beta: float) -> float:
    """Replacing a record changes the penalised number of errors by at most 1: attained.

    Derivation. The penalty depends on n, k and beta, which neighbours share, so U changes by as much as the number of
    errors. The other n - 1 records count the same; the replaced one is right or wrong: |U(w; S) - U(w; S')| <= 1.

    >>> penalised_sensitivity(n=10, k=3, beta=0.01)
    1.0
    """
    return 1.0


SCORE = (
    r"\mathrm{score}(\gamma)=\tilde{\mathcal R}_S+\frac{5\mathrm{VC}(\mathcal H_{k_\gamma})\log(2n)+\log(\beta/4)}{n}"
)


@theorem(
    "wzw25.thm6.7.sensitivity",
    kind="identity",
    says=SCORE + r"\ \Rightarrow\ \Delta(\mathrm{score}(\gamma))=1",
    needs=[integer("n")],
    source=f"{WZW25}, Appendix I.2",
)
def averaged_sensitivity(*, n: int) -> float:
    """The sensitivity of the averaged score is 1, as the proof states.

    The proof of Theorem 6.7 averages the errors and yet says 1 "under the replacement neighboring relationship".
    As a bound that is true and wastes a factor n: noise sqrt(2 |Gamma|) / mu on numbers that differ by at most 1. Its
    Equation 18 counts the noise divided by n, as if the sensitivity were 1/n.
    """
    return 1.0


@averaged_sensitivity.corrected(
    says=SCORE + r"\ \Rightarrow\ \Delta(\mathrm{score}(\gamma))=\frac1n", source=f"{WZW25}, Appendix I.2"
)
def averaged_sensitivity_corrected(*, n: int) -> float:
    """The sensitivity of the averaged score is 1/n, and is attained.

    One record of n is right or wrong. Equation 3 is the same rule only up to the weight of the penalty: times n the
    proof's score is errors + 5 VC log(2n) + ..., Equation 3 is errors + 5/2 VC log(2n) + ... Both are private.

    Derivation. The penalty depends on public numbers only, so the scores of neighbours differ by the change of the
    number of errors divided by n. One replaced record changes that number by -1, 0 or 1, so by at most 1/n in all, and
    by 1/n where it is right in one dataset and wrong in the other.

    >>> averaged_sensitivity_corrected(n=10)
    0.1
    """
    return 1 / n


@theorem(
    "wzw25.thm6.7",
    part="privacy",
    kind="privacy",
    says=IN_RANGE + r"\quad\mathrm{with\ the\ score\ of\ Equation\ 3}",
    needs=RANGE,
    source=f"{WZW25}, Theorem 6.7; Appendix I, Theorem I.1",
)
def penalised_privacy(*, epsilon: float, delta: float) -> float:
    """DP Adaptive Margin with the penalised score spends at most delta / 2 at epsilon.

    The derivation of `empirical_privacy` with the sensitivity 1 of Equation 3 (part sensitivity). The proof's averaged
    score with its "Delta = 1" has n times the noise that it needs: private as well.
    """
    return spent_delta(epsilon, delta)


RATE = r"\tilde O\left(\frac1{\gamma^2n\min\{1,\varepsilon\}}+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)"
SURE = r"\right]\ge1-\frac4{n^2}"


# Equation 3: the score ------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.eq3",
    kind="definition",
    says=r"\hat{\mathcal{R}}_S(\mathbf{w}_{\mathrm{out}})+\frac52\left(\mathrm{VC}(\mathcal{H}_k)\log(2n)+\log(\beta/4)"
    r"\right)",
    needs=[integer("n"), integer("k"), in_unit_interval("beta"), integer("errors", 0)],
    source=f"{WZW25}, Section 6.3, Equation 3",
)
def penalised_score(*, errors: int, n: int, k: int, beta: float) -> float:
    """The penalised score of a classifier: errors plus a price for the dimension.

    n/2 times the bound of Lemma 6.6, with log(beta/4) where its proof has log(4/beta). As beta is the same for all
    candidates the slip changes neither the choice nor the privacy.

    >>> round(penalised_score(errors=7, n=100, k=2, beta=0.04), 3)
    21.979
    """
    return errors + algorithms.penalty(n, k, beta)


# Theorem 6.7 and what follows from it ---------------------------------------------------------------------------------


@theorem(
    "wzw25.thm6.7",
    part="population",
    kind="tail",
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le" + ON_SETS + RATE + SURE,
    needs=PRINTED,
    source=f"{WZW25}, Section 6.3, Theorem 6.7; Theorem I.1",
)
def population_rate(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0) -> float:
    """The order of the population risk of Algorithm 3 with the penalised score.

    1/(gamma^2 n min(1, epsilon)) + |S_out|/(gamma n); the logarithms left out are those of `whole_grid.tail_logs` and
    `penalty_logs`. "With high probability" is 1 - 4/n^2 (Theorem I.1), which is nothing for n <= 2.

    >>> population_rate(n=100, gamma=0.5, outliers=5, epsilon=0.5, delta=1e-5)
    0.18
    """
    return 1 / (gamma**2 * n * min(1.0, epsilon)) + outliers / (gamma * n)


population_rate_proper = population_rate.corrected(
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le" + ON_PROPER + RATE + SURE, needs=PROPER
)(population_rate.theorem.formula)


def penalty_logs(n: int) -> float:
    """The logarithms that O~ leaves out for the penalty: log(2n) log(|Gamma| (n+1) (n+2) n^2).

    >>> round(penalty_logs(1000), 1)
    228.3
    """
    size = grid_size(n=n)
    return log(2 * n) * log(size * (n + 1) * (n + 2) * n**2)


def uncapped(n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0) -> float:
    """The explicit bound before it is capped at 1."""
    rows = algorithms.projection_rows(n, comparator(n, gamma, radius)[0], radius)
    error = quantile_off_grid(n=n, gamma=gamma, outliers=outliers, epsilon=epsilon, delta=delta, radius=radius)
    return float(2 * error + 5 * complexity(n, rows, 1 / (n**2 * grid_size(n=n))))


@population_rate.explicit(
    says=r"\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le2\left(" + QUANTILE + r"\right)"
    r"+\frac{5}{n}\left(k\log(2n)+\log(4|\Gamma|n^2)\right)\quad\mathrm{w.p.}\ 1-\frac{4}{n^2}" + SYMBOLS,
    needs=[*GENERAL, integer("n", 3)],
    source="derived here",
)
def population_risk(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0) -> float:
    """The population risk of Algorithm 3, penalised score, with our constants.

    For every S_out with gamma(S without S_out) >= gamma at once, with probability at least 1 - 4/n^2 (n >= 3): Equation
    18 (explicit, `selected_risk_sharp`) at the candidate of `whole_grid.quantile_off_grid`, whose error with its noisy
    choice is Q: 2 Q and the price of the dimension. Failures: projection and descent 2 beta in all, uniform convergence
    beta, noise beta. 1 where the bound is larger.

    >>> round(population_risk(n=10**10, gamma=0.5, outliers=0, epsilon=1.0, delta=1e-5), 3)
    0.02
    """
    return min(1.0, uncapped(n, gamma, outliers, epsilon, delta, radius))
