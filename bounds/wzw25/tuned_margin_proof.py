"""Private tuning of the margin: the steps of the proofs of Lemma K.6 and Theorem 7.1 of Wang, Zhu & Wang (2025).

Algorithm, arguments and conventions are those of `bounds.wzw25.tuned_margin`. The last line of the proof of Theorem
7.1, Equation 29, goes from the grid to every S_out by Lemma 6.4.
"""

from __future__ import annotations

from math import log, log2, sqrt

from bounds.theorem import integer, positive, theorem
from bounds.wzw25.tuned_margin import BUDGET, UNIT_DELTA

# Theorem 7.1 ----------------------------------------------------------------------------------------------------------


@theorem("wzw25.thm7.1.s1", says=r"|\Gamma|\le 4\log_2n\quad(n\gt 2)", needs=[integer("n", 2)])
def most_margins(*, n: int) -> float:
    """The grid of Algorithm 3 has at most 4 log2(n) margins.

    |Gamma| = ceil(log2 n) + 1 <= log2 n + 2 (Lemma 6.4, part size), so it holds at n = 2 too; 3 log2 n would do.

    >>> most_margins(n=2), most_margins(n=4)
    (4.0, 8.0)
    """
    return 4 * log2(n)


@theorem(
    "wzw25.thm7.1.s2",
    says=r"\frac{12\log(n^2|\Gamma|/\delta)}{n\varepsilon}\le\frac{12\log(n^2\log_2(n)/\delta)}{n\varepsilon}",
    needs=[integer("n", 2), UNIT_DELTA, positive("epsilon")],
    source=", proof, Equation 27",
)
def inserted_as_printed(*, n: int, delta: float, epsilon: float) -> float:
    """The size of the grid inserted into Lemma K.6, as printed.

    12 log(n^2 log2(n)/delta)/(n epsilon), always less than the left side: |Gamma| > log2 n. The 4 of |Gamma| <= 4 log2
    n is lost.
    """
    return 12 * (log(n**2 * log2(n)) - log(delta)) / (n * epsilon)


@inserted_as_printed.corrected(
    says=r"\frac{12\log(n^2|\Gamma|/\delta)}{n\varepsilon}\le\frac{12\log(4n^2\log_2(n)/\delta)}{n\varepsilon}",
    source=", proof, Equation 27, with the 4",
)
def inserted(*, n: int, delta: float, epsilon: float) -> float:
    """The size of the grid inserted into Lemma K.6: 12 log(n^2 m/delta)/(n epsilon) at m = 4 log2 n (step s1)."""
    return 12 * (log(n**2 * most_margins(n=n)) - log(delta)) / (n * epsilon)


# Lemma K.6 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemK.6.s1",
    says=r"\Pr[Y]\ge 1-\beta,\quad\beta=n^{-2},\ r=\frac{1}{|\Gamma|(n^2-1)}",
    needs=[integer("n", 2), integer("size")],
)
def missed_probability(*, n: int, size: int) -> float:
    """The best margin is not drawn with probability at most beta = 1/n^2.

    1 - P(Y) = (1 - t)/(n^2 - t) with t = 1/|Gamma|: at most 1/n^2, as n^2 (1 - t) <= n^2 - t, equal in the limit.
    """
    return 1 / n**2


@theorem(
    "wzw25.lemK.6.s2",
    kind="mean",
    says=r"\mathbb{E}[\hat{\mathcal R}_S(\bar w_{\mathrm{out}})\mid Y]\le\min_{\gamma}\mathbb{E}[\hat L_{\gamma/3}]+"
    r"\frac{\sqrt2}{\mu}\sqrt{\log(|\Gamma|(n^2-1))}",
    needs=[integer("n", 2), integer("size"), positive("mu")],
    source=", proof, 'Lemma K.4'",
)
def selection_term_as_printed(*, n: int, size: int, mu: float) -> float:
    """What the selection adds to the number of errors, as printed.

    Lemma K.4 has sigma sqrt(2 log E K), and Algorithm 4's line 7 sigma = sqrt 2 / mu: the product is sqrt 2 times this.
    The inequality itself, for scores that Lemma K.4 allows, fails only for enormous |Gamma|.
    """
    return sqrt(2) / mu * sqrt(log(size * (n**2 - 1)))


@selection_term_as_printed.corrected(
    says=r"\mathbb{E}[\hat{\mathcal R}_S(\bar w_{\mathrm{out}})\mid Y]\le\min_{\gamma}\mathbb{E}[\hat L_{\gamma/3}]+"
    r"\frac{2}{\mu}\sqrt{\log(|\Gamma|(n^2-1))}",
    source=", proof, with the deviation of Algorithm 4's line 7",
)
def selection_term(*, n: int, size: int, mu: float) -> float:
    """What the selection adds to the number of errors: sigma sqrt(2 log E K) with sigma = sqrt 2 / mu.

    Lemma K.4 for geometric K (corrected reading winner-geometric).

    >>> round(selection_term(n=10, size=5, mu=1.0), 4)
    4.9818
    """
    return sqrt(2) * selection_term_as_printed.theorem.formula(n=n, size=size, mu=mu)


@theorem(
    "wzw25.lemK.6.s3",
    says=r"\frac{\sqrt2}{\mu}\log^{1/2}A=\frac{12\log^{1/2}A\,\log^{1/2}(A/\delta)}{\varepsilon}"
    r"\le\frac{12\log(n^2|\Gamma|/\delta)}{\varepsilon},\quad A=|\Gamma|(n^2-1)",
    needs=BUDGET,
)
def selection_in_epsilon(*, n: int, size: int, epsilon: float, delta: float) -> float:
    """The selection term in epsilon: the right side, 12 log(n^2 |Gamma|/delta)/epsilon.

    mu = epsilon/(6 sqrt(2 log(A/delta))); A <= n^2 |Gamma| and delta < 1.
    """
    return 12 * (log(n**2 * size) - log(delta)) / epsilon
