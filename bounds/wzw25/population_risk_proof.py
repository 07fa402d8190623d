"""The printed proof of Theorem 6.7 step by step: Wang, Zhu & Wang (2025), Appendix I.2.

The sensitivity and the order of two scores, uniform convergence, Equation 18 and its terms.

`mu` is the budget of one call, `calls` is |Gamma|, beta = 1/n^2 where none is named.
"""

from math import log, log2, sqrt

from flint import arb

from lemmata.bounds.bms22.relative_deviation import EMPIRICAL, complexity
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.numbers import Number
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem
from lemmata.bounds.wzw25 import WZW25
from lemmata.bounds.wzw25.population_risk import penalty_logs, population_rate
from lemmata.bounds.wzw25.whole_grid import PROPER, tail_logs

PROOF = f"{WZW25}, Appendix I.2, proof of Theorem 6.7"


@theorem(
    "wzw25.thm6.7.s1",
    kind="construction",
    says=r"\tilde{\mathcal{R}}_S+\frac{5(\mathrm{VC}\log(2n))+\log(\beta/4)}n\ \mathrm{orders\ candidates\ as}\ "
    r"\hat{\mathcal{R}}_S+\frac52(\mathrm{VC}\log(2n)+\log(\beta/4))",
    needs=[integer("n"), integer("k"), in_unit_interval("beta"), integer("errors", 0)],
    source=f"{PROOF}: its score against Equation 3",
)
def averaged_score(*, errors: int, n: int, k: int, beta: float) -> float:
    """The averaged score of the proof, said to be the penalised score.

    errors/n + (5 k log(2n) + log(beta/4)) / n. It weighs the dimension twice as much as Equation 3 does; Lemma 6.6
    belongs to Equation 3 (2 R~_S against 5 VC).
    """
    return errors / n + (5 * k * log(2 * n) + log(beta / 4)) / n


@theorem(
    "wzw25.thm6.7.s2",
    kind="tail",
    says=r"\Pr\left[\forall\mathbf{w}_\gamma\in\mathbb{R}^{k_\gamma}:\ \mathcal{R}_{\Phi D}(\mathbf{w}_\gamma)\le"
    r"2\tilde{\mathcal{R}}_{\Phi S}(\mathbf{w}_\gamma)+\frac5n\left(\mathrm{VC}(\mathcal{H}_{k_\gamma})\log(2n)"
    r"+\log\frac4\beta\right)\right]\ge1-\beta",
    needs=[integer("n"), integer("k"), in_unit_interval("beta"), EMPIRICAL],
    source=PROOF,
)
def projected_deviation(*, n: Number, k: int, beta: Number, empirical: Number) -> Number:
    """The risk of a classifier of projected data by its errors, with log(4/beta).

    Phi is drawn before the data, so Phi D is a distribution like any other; Phi' w errs on x where w errs on Phi x.
    """
    return 2 * empirical + 5 * complexity(n, k, beta)


# Equation 18: the choice ----------------------------------------------------------------------------------------------

SELECTION = [integer("n", 3), integer("calls", 2), positive("mu"), in_unit_interval("beta"), at_least("best", 0)]


@theorem(
    "wzw25.thm6.7.s3",
    kind="tail",
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le B+\frac{2\sqrt{2\log(2|\Gamma|)}}{\mu n}"
    r"+\frac{2\sqrt{2\log(2/\beta)}}n\right]\ge1-2\beta,\quad B=\min_{\gamma}\left(2\tilde{\mathcal{R}}_S("
    r"\mathbf{w}_\gamma)+\frac5n\left(k_\gamma\log(2n)+\log\frac{4|\Gamma|}\beta\right)\right)",
    needs=SELECTION,
    source=f"{PROOF}, Equation 18",
)
def selected_risk_printed(*, n: int, calls: int, mu: Number, beta: Number, best: float | arb) -> arb:
    """The selected run's risk by the best penalised score, as Equation 18 prints it.

    `best` is the minimum over the grid. Whatever runs make the candidates: the step is Lemma F.2 with uniform
    convergence.
    """
    choice = 2 * (2 * exact(2 * calls).log()).sqrt() / exact(mu)
    return best + (choice + 2 * (2 * (2 / exact(beta)).log()).sqrt()) / n


@selected_risk_printed.corrected(
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le B+\frac4{\mu n}\left(\sqrt{2\log(2|\Gamma|)}"
    r"+\sqrt{2\log(2/\beta)}\right)\right]\ge1-2\beta",
    source="derived here; Lemma F.2 (corrected), score of Equation 3",
)
def selected_risk(*, n: int, calls: int, mu: Number, beta: Number, best: float | arb) -> arb:
    """The selected run's risk by the best penalised score, both factors of Equation 18.

    R_D(w_out) <= (2/n) clean score of w_out <= (2/n) (smallest clean score + excess), and the excess of Lemma F.2 at
    sigma = 1/mu is 2 sigma (sqrt(2 log(2 |Gamma|)) + sqrt(2 log(2/beta))) with probability 1 - beta.
    """
    printed = selected_risk_printed.theorem.formula(n=n, calls=calls, mu=1, beta=beta, best=0)
    return best + 2 * printed / exact(mu)


@selected_risk_printed.explicit(
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le B+\frac4{\mu n}\sqrt{\log\frac{|\Gamma|}\beta}\right]"
    r"\ge1-2\beta",
    source="derived here; Lemma F.2 (explicit), score of Equation 3",
)
def selected_risk_sharp(*, n: int, calls: int, mu: float, beta: float, best: float) -> float:
    """The selected run's risk by the best penalised score, without the noise's range.

    Derivation. R_D(w_out) <= (2/n) clean score of w_out for all dimensions of the grid at once, with probability 1 -
    beta (Lemma 6.6, corrected). The noise has sigma = 1/mu and is independent of the scores, so the clean score
    exceeds the smallest one by at most 2 sqrt(log(|Gamma|/beta))/mu with probability 1 - beta (Lemma F.2, explicit).

    >>> round(selected_risk_sharp(n=1000, calls=11, mu=0.1, beta=0.01, best=0.2), 4)
    0.3059
    """
    return best + 4 * sqrt(log(calls / beta)) / mu / n


@theorem("wzw25.thm6.7.s4", says=r"n>2\ \Rightarrow\ |\Gamma|\le4\log_2n", needs=[integer("n", 3)], source=PROOF)
def grid_size_bound(*, n: int) -> float:
    """The grid of margins has at most 4 log2(n) values.

    Derivation. |Gamma| <= floor(log2 n) + 2 <= 4 log2(n), as 3 log2(n) > 2 for n >= 2. (The = in the next line, 4
    sqrt(|Gamma|) = 8 sqrt(log2 n), is a <= too.)
    """
    return 4 * log2(n)


TERM_A = [integer("n", 3), require("0 < gamma <= 1", lambda gamma: 0 < gamma <= 1)]


@theorem(
    "wzw25.thm6.7.s5",
    says=r"\frac5n\left(k\log(2n)+\log\frac{4|\Gamma|}\beta\right)\le"
    r"\frac{5\log(4n^2(n+2)(n+1)\log_2n)\log(2n)}{n\gamma^2}+\frac{5\log(16n^2\log_2n)}n,"
    r"\quad k=O\left(\gamma^{-2}\log\frac{|\Gamma|(n+2)(n+1)}\beta\right),\ \beta=n^{-2}",
    needs=TERM_A,
    source=f"{PROOF}, term (a)",
)
def term_a(*, n: int, gamma: float) -> float:
    """The price of the dimension in the population bound, without k's constant."""
    first = log(4 * n**2 * (n + 2) * (n + 1) * log2(n)) * log(2 * n) / gamma**2
    return 5 * (first + log(16 * n**2 * log2(n))) / n


@term_a.corrected(
    says=r"\frac5n\left(k\log(2n)+\log\frac{4|\Gamma|}\beta\right)\le"
    r" c\,\frac{5\log(4n^2(n+2)(n+1)\log_2n)\log(2n)}{n\gamma^2}+\frac{5\log(16n^2\log_2n)}n,"
    r"\quad k\le c\,\gamma^{-2}\log\frac{|\Gamma|(n+2)(n+1)}\beta",
    needs=[*TERM_A, at_least("c", 1)],
)
def term_a_with_its_constant(*, n: int, gamma: float, c: float) -> float:
    """The price of the dimension in the population bound, with the constant c of k.

    Derivation. |Gamma| <= 4 log2(n) by thm6.7.s4, and beta = n^-2, so log(|Gamma| (n+2) (n+1)/beta) <= log(4 n^2 (n+2)
    (n+1) log2 n), which bounds k by c/gamma^2 times it, and log(4 |Gamma|/beta) <= log(16 n^2 log2 n). The printed
    display is the case c = 1.
    """
    first = log(4 * n**2 * (n + 2) * (n + 1) * log2(n)) * log(2 * n) / gamma**2
    return term_a.theorem.formula(n=n, gamma=gamma) + 5 * (c - 1) * first / n


@theorem(
    "wzw25.thm6.7.s4",
    part="equality",
    kind="identity",
    says=r"\frac1\mu=\frac{4\sqrt{|\Gamma|\log(1/\delta)}}\varepsilon=\frac{8\sqrt{\log_2(n)\log(1/\delta)}}\varepsilon",
    needs=[integer("n", 3), positive("epsilon"), in_unit_interval("delta")],
    source=f"{PROOF}, after Equation 18",
)
def inverse_budget(*, n: int, epsilon: float, delta: float) -> float:
    """1/mu at the largest grid that the proof allows for, |Gamma| = 4 log2(n).

    Derivation. mu = epsilon/(4 sqrt(|Gamma| log(1/delta))), and |Gamma| <= 4 log2(n) by the printed step, so 1/mu <= 4
    sqrt(4 log2(n) log(1/delta))/epsilon = 8 sqrt(log2(n) log(1/delta))/epsilon.
    """
    return 8 * sqrt(log2(n) * log(1 / delta)) / epsilon


inverse_budget_at_most = inverse_budget.corrected(
    says=r"\frac1\mu=\frac{4\sqrt{|\Gamma|\log(1/\delta)}}\varepsilon\le\frac{8\sqrt{\log_2(n)\log(1/\delta)}}\varepsilon",
    kind="inequality",
)(inverse_budget.theorem.formula)


@theorem(
    "wzw25.thm6.7.s6",
    says=r"\frac{2\sqrt{2\log(2|\Gamma|)}}{\mu n}\le\frac{16\sqrt2\,\log_2^{1/2}(n)\log^{1/2}(1/\delta)"
    r"\log^{1/2}(8\log_2n)}{n\varepsilon}",
    needs=[integer("n", 3), positive("epsilon"), in_unit_interval("delta")],
    source=f"{PROOF}, term (b)",
)
def term_b(*, n: int, epsilon: float, delta: float) -> float:
    """The price of the noisy choice in the population bound.

    Derivation. 1/mu = 4 sqrt(|Gamma| log(1/delta))/epsilon <= 8 sqrt(log2(n) log(1/delta))/epsilon, as |Gamma| <= 4
    log2(n) by thm6.7.s4, and 2 sqrt(2 log(2 |Gamma|)) <= 2 sqrt(2 log(8 log2 n)); their product over n is the right
    side.
    """
    return 16 * sqrt(2 * log2(n) * log(1 / delta) * log(8 * log2(n))) / (n * epsilon)


@theorem(
    "wzw25.thm6.7.s7",
    kind="identity",
    says=r"\frac{2\sqrt{2\log(2/\beta)}}n=\frac{4\log^{1/2}(2n)}n,\quad\beta=n^{-2}",
    needs=[integer("n", 2)],
    source=f"{PROOF}, term (c)",
)
def term_c(*, n: int) -> arb:
    """The price of confidence in the population bound, printed as an equality.

    Derivation. The left-hand side is sqrt(8 log 2 + 16 log n) / n, the right-hand side sqrt(16 log 2 + 16 log n) / n: a
    <=. (And the term lacks the factor 1/mu, see Equation 18.)
    """
    return 4 * exact(2 * n).log().sqrt() / n


term_c_at_most = term_c.corrected(
    says=r"\frac{2\sqrt{2\log(2/\beta)}}n\le\frac{4\log^{1/2}(2n)}n,\quad\beta=n^{-2}",
    kind="inequality",
    source="derived here",
)(term_c.theorem.formula)


# The text below Theorem 6.7 -------------------------------------------------------------------------------------------


@theorem(
    "wzw25.thm6.7.few",
    kind="rate",
    says=r"|S_{\mathrm{out}}|=o(\sqrt n)\ \Rightarrow\ \mathrm{the\ population\ risk\ in\ Theorem\ 6.7\ is}\ "
    r"o(1/\sqrt n)\quad(\gamma,\varepsilon,\delta\ \mathrm{fixed})",
    needs=[*PROPER, integer("n", 3)],
    source=f"{WZW25}, Section 6.3, below Theorem 6.7",
)
def risk_over_root(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float) -> float:
    """The order of sqrt(n) times the population bound: it vanishes for few outliers.

    Derivation. The logarithms that O~ hides are in the term with epsilon alone (Theorem 6.7, corrected), so sqrt(n)
    times the bound is of the order (tail_logs + penalty_logs)/(gamma^2 sqrt(n) min(1, epsilon)) + |S_out|/(gamma
    sqrt(n)). The first term is a power of log n over sqrt(n), the second o(sqrt n)/sqrt(n): both vanish. A logarithm in
    the second term, which O~ allows, would not vanish at |S_out| = sqrt(n)/log log n.
    """
    fixed = {"n": n, "gamma": gamma, "epsilon": epsilon, "delta": delta}
    noise, whole = (population_rate.theorem.formula(outliers=count, **fixed) for count in (0, outliers))
    return sqrt(n) * (noise * (tail_logs(n, epsilon, delta) + penalty_logs(n)) + whole - noise)
