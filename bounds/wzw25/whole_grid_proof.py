"""The printed proofs of Lemmas H.2 and H.3, step by step: Wang, Zhu & Wang (2025), Appendix H.

`mu` is the budget of one call of Algorithm 1 and of one score, epsilon / (4 sqrt(|Gamma| log(1/delta))), |Gamma| =
ceil(log2 n) + 1, and a score is a number of errors with noise of standard deviation 1/mu. Where a step says "left <=
right" the function returns the right side.
"""

from __future__ import annotations

from math import log, log2, sqrt

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.theorem import in_unit_interval, integer, positive, theorem
from lemmata.bounds.wzw25 import WZW25
from lemmata.bounds.wzw25.margin_grid import grid_size

PROOF_H2 = f"{WZW25}, Appendix H.1, proof of Lemma H.2"
PROOF_H3 = f"{WZW25}, Appendix H.2, proof of Lemma H.3"
AT_LEAST_2 = integer("n", 2)
GRID_NEEDS = [AT_LEAST_2, positive("epsilon"), in_unit_interval("delta")]
TERM_A = [*GRID_NEEDS, positive("gamma"), positive("radius"), in_unit_interval("beta")]


# The loss -------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.thm6.5.loss",
    reading="explicit",
    says=r"\ell_{0-1}(\mathbf{w};(\mathbf{x},y))=\mathbb 1\{y\langle\mathbf{w},\mathbf{x}\rangle\le 0\}:\quad "
    r"n\le\sum_i\left(\ell_{0-1}(\mathbf{w};(\mathbf{x}_i,y_i))+\ell_{0-1}(\mathbf{w};(\mathbf{x}_i,-y_i))\right)"
    r"\le n+\#\{i:\langle\mathbf{w},\mathbf{x}_i\rangle=0\},\quad \ell_{0-1}\le\ell_c",
    source=f"{WZW25}, Section 3, the loss that Algorithm 3 selects by, with ties as errors",
)
def errors_with_ties(*, margins: ArrayLike) -> int:
    """The errors of weights w on the data, ties included: w = 0 errs on every record.

    `margins` are y <w, x>.

    The loss of Section 3 is 1{y <w, x> < 0}: w = 0 makes no error on any data and beats every classifier in the
    selection. Algorithm 5 averages w_0, ..., w_{T-1}, so a run of T = 1 step returns w_0 = 0, which is every run of
    Algorithm 3 with n mu_c <= 1. With ties as errors one record is right or wrong, so the sensitivity is unchanged; the
    hinge loss is 1 at a tie, so it still bounds the errors, and every proof stays as it is.

    Derivation. A record with <w, x> = 0 is an error under both labels, any other one under exactly one of them, so the
    two sums add up to n + #ties <= n + #{i: <w, x_i> = 0}. The hinge loss max(0, 1 - u/c) is at least 1 where u <= 0,
    and one record changes the number of errors by at most 1.

    >>> errors_with_ties(margins=[0.0, -1.0, 2.0])
    2
    """
    return int(np.sum(np.asarray(margins) <= 0))


# Lemma H.2 ------------------------------------------------------------------------------------------------------------


def call_budget(*, n: int, epsilon: float, delta: float) -> float:
    """The budget mu of one call, epsilon / (4 sqrt(|Gamma| log(1/delta))).

    >>> round(call_budget(n=5000, epsilon=1.0, delta=1e-5), 4)
    0.0197
    """
    return epsilon / (4 * sqrt(grid_size(n=n) * -log(delta)))


NOISE_H2 = r"\frac{8b^2\log_2^{1/2}(n)\log^{1/2}(4(n+2)(n+1)\log_2(n)/\beta)\log^{1/2}(1/\delta)}{n\gamma^2\varepsilon}"


@theorem(
    "wzw25.lemH.2.s1",
    kind="mean",
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\bar{\mathbf{w}}_{\mathrm{out}})]\le\min_{\gamma\in\Gamma}"
    r"\mathbb{E}[\tilde{\mathcal R}_S(\Phi_\gamma^\top\bar{\mathbf{w}}_\gamma)]+\frac{2\sqrt{2\log|\Gamma|}}{n\mu}",
    needs=[integer("n"), positive("mu")],
    source=f"{PROOF_H2}, 'by Lemma F.1'",
)
def selection_part(*, n: int, mu: float) -> float:
    """The noisy choice costs at most 2 sqrt(2 log|Gamma|)/(n mu) in expectation.

    Lemma F.1 with sigma = 1/mu on numbers of errors, divided by n; E min U <= min E U. The scores do not depend on the
    noise of the choice, so half of it would do.

    >>> round(selection_part(n=100, mu=0.1), 4)
    0.4079
    """
    return 2 * sqrt(2 * log(grid_size(n=n))) / (n * mu)


@theorem(
    "wzw25.lemH.2.s2",
    says=r"(a):\ \frac{b^2\log^{1/2}(|\Gamma|(n+2)(n+1)/\beta)}{n\gamma^2\mu}\le"
    + NOISE_H2
    + r",\quad\mu=\frac{\varepsilon}{4\sqrt{|\Gamma|\log(1/\delta)}},\ n\ge 2",
    needs=TERM_A,
    source=f"{PROOF_H2}, Equation 16",
)
def term_a(*, n: int, epsilon: float, delta: float, gamma: float, beta: float, radius: float = 1.0) -> float:
    """The noise of one descent in epsilon, at most 4 log2(n) margins: term (a).

    The first equality multiplies by 4 sqrt(|Gamma| log(1/delta)); the 8 is 4 sqrt 4. The term of the outliers is on
    both sides.

    >>> round(term_a(n=2, epsilon=1.0, delta=0.5, gamma=1.0, beta=0.5), 3)
    7.115
    """
    logs = log2(n) * (log(4 * (n + 2) * (n + 1) * log2(n)) - log(beta)) * -log(delta)
    return 8 * radius**2 * sqrt(logs) / (n * gamma**2 * epsilon)


@theorem(
    "wzw25.lemH.2.s3",
    says=r"(b):\ \frac{2\sqrt{2\log|\Gamma|}}{n\mu}\le\frac{16\sqrt2\log_2^{1/2}(n)\log^{1/2}(1/\delta)"
    r"\log^{1/2}(4\log_2(n))}{n\varepsilon},\quad n\ge 2",
    needs=GRID_NEEDS,
    source=f"{PROOF_H2}, Equation 17",
)
def term_b(*, n: int, epsilon: float, delta: float) -> float:
    """The noise of the choice in epsilon, at most 4 log2(n) margins: term (b).

    >>> round(term_b(n=1000, epsilon=1.0, delta=1e-5), 3)
    0.465
    """
    return 16 * sqrt(2 * log2(n) * -log(delta) * log(4 * log2(n))) / (n * epsilon)


@theorem(
    "wzw25.lemH.2.s4",
    says=r"\beta=\frac{1}{n^2},\ \mathrm{each\ projection\ at}\ \frac{\beta}{|\Gamma|}:\quad "
    r"\mathbb{E}[\tilde{\mathcal R}_S]\le\min_{\gamma,S_{\mathrm{out}}}O\left((a)\right)+(b)+\frac{1}{n^2}",
    needs=[AT_LEAST_2],
    source=f"{PROOF_H2}, 'noticing that zero-one loss is upper bounded by 1'",
)
def failure_part(*, n: int) -> float:
    """Bad projections, one for every margin, add 1/n^2 to the expected error.

    Derivation. Each of the |Gamma| projections is bad with probability at most beta/|Gamma|, so some projection is
    with at most beta = 1/n^2. There the error is at most 1: it adds at most 1/n^2 to the expectation.

    >>> failure_part(n=10)
    0.01
    """
    return 1 / n**2


# Lemma H.3 ------------------------------------------------------------------------------------------------------------

CHOICE = r"\tilde{\mathcal R}_S(\mathbf{w}_{\mathrm{out}})\le\min_{\gamma\in\Gamma}\tilde{\mathcal R}_S"
BOTH = r"(\Phi_\gamma^\top\mathbf{w}_\gamma)+\frac{2\sqrt{2\log(2|\Gamma|)}}{n\mu}+"


@theorem(
    "wzw25.lemH.3.s1",
    kind="tail",
    says=CHOICE + BOTH + r"\frac{2\sqrt{2\log(2/\beta)}}{n}\quad\mathrm{w.p.}\ 1-\beta,\ \beta=\frac{1}{n^2}",
    needs=[AT_LEAST_2, positive("mu")],
    source=f"{PROOF_H3}, terms (b) and (c)",
)
def choice_level_as_printed(*, n: int, mu: float) -> float:
    """The cost of the noisy choice with probability 1 - 1/n^2, as printed.

    Lemma F.2 with sigma = 1/mu, divided by n: term (c) inherits its missing sigma.
    """
    return (2 * sqrt(2 * log(2 * grid_size(n=n))) / mu + 2 * sqrt(2 * log(2 * n**2))) / n


@choice_level_as_printed.corrected(
    says=CHOICE + BOTH + r"\frac{2\sqrt{2\log(2/\beta)}}{n\mu}\quad\mathrm{w.p.}\ 1-\beta,\ \beta=\frac{1}{n^2}",
    source=f"{PROOF_H3}, terms (b) and (c), with 1/mu in both",
)
def choice_level(*, n: int, mu: float) -> float:
    """The cost of the noisy choice with probability 1 - 1/n^2, 1/mu in both terms.

    Lemma F.2 (corrected) with sigma = 1/mu, divided by n. Term (c) is then O~(1/(n epsilon)) too, and the lemma holds:
    its summand 1/n is not needed.
    """
    return choice_level_as_printed.theorem.formula(n=n, mu=1.0) / mu


NOISE_H3 = r"\frac{8b^2\log^{1/2}(4\log_2(n)/\beta)\log^{1/2}(4(n+1)(n+2)\log_2(n)/\beta)\log_2^{1/2}(n)"


def tail_a(n: int, delta: float, gamma: float, beta: float, radius: float, budget: float) -> float:
    """8 b^2 times the four square roots of logarithms, over n gamma^2 `budget`."""
    logs = (log(4 * log2(n)) - log(beta)) * (log(4 * (n + 1) * (n + 2) * log2(n)) - log(beta)) * log2(n) * -log(delta)
    return 8 * radius**2 * sqrt(logs) / (n * gamma**2 * budget)


@theorem(
    "wzw25.lemH.3.s2",
    says=r"(a):\ \frac{b^2\log^{1/2}(|\Gamma|/\beta)\log^{1/2}(|\Gamma|(n+1)(n+2)/\beta)}{n\gamma^2\mu}\le"
    + NOISE_H3
    + r"\log^{1/2}(1/\delta)}{n\gamma^2\mu}",
    needs=TERM_A,
    source=f"{PROOF_H3}, term (a)",
)
def tail_term_a_as_printed(
    *, n: int, epsilon: float, delta: float, gamma: float, beta: float, radius: float = 1.0
) -> float:
    """The noise of one descent with high probability, term (a), over mu as printed.

    The factor 4 sqrt(|Gamma| log(1/delta)) that turns mu into epsilon is there, and mu still is. Right for
    log(1/delta) >= 1/(64 log2 n), because then the factor is at least 1, and too large by it.
    """
    return tail_a(n, delta, gamma, beta, radius, call_budget(n=n, epsilon=epsilon, delta=delta))


@tail_term_a_as_printed.corrected(
    says=r"(a):\ \frac{b^2\log^{1/2}(|\Gamma|/\beta)\log^{1/2}(|\Gamma|(n+1)(n+2)/\beta)}{n\gamma^2\mu}\le"
    + NOISE_H3
    + r"\log^{1/2}(1/\delta)}{n\gamma^2\varepsilon}",
    source=f"{PROOF_H3}, term (a), with epsilon",
)
def tail_term_a(*, n: int, epsilon: float, delta: float, gamma: float, beta: float, radius: float = 1.0) -> float:
    """The noise of one descent with high probability, term (a), over epsilon.

    Derivation. mu = epsilon/(4 sqrt(|Gamma| log(1/delta))), so 1/mu <= 8 sqrt(log2(n) log(1/delta))/epsilon, as
    |Gamma| <= 4 log2(n) (Lemma 6.4, part `size`). The same bound replaces |Gamma| under the two logarithms.
    """
    return tail_a(n, delta, gamma, beta, radius, epsilon)


@theorem(
    "wzw25.lemH.3.s3",
    says=r"(b):\ \frac{2\sqrt{2\log(2|\Gamma|)}}{n\mu}\le\frac{16\sqrt2\log^{1/2}(8\log_2(n))\log_2^{1/2}(n)"
    r"\log^{1/2}(1/\delta)}{n\varepsilon},\quad n\ge 2",
    needs=GRID_NEEDS,
    source=f"{PROOF_H3}, term (b)",
)
def tail_term_b(*, n: int, epsilon: float, delta: float) -> float:
    """The noise of the choice with high probability, term (b), written in epsilon."""
    return 16 * sqrt(2 * log2(n) * -log(delta) * log(8 * log2(n))) / (n * epsilon)
