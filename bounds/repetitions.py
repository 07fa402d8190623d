"""How many geometric repetitions private tuning needs: Lemma 7.2 of Wang, Zhu & Wang (2025).

Algorithm 4 draws K ~ TNB(eta, r) and then K candidates from Theta, uniformly with replacement. It fails to draw the one
good candidate with probability E (1 - 1/|Theta|)^K. How large must E K = 1/r be, at eta = 1, for that to be at most
beta? `size` is |Theta|; `n` and `alpha` stand for beta = n^-alpha. Other eta: `bounds.repetition_rates`.
"""

from __future__ import annotations

from math import log

import numpy as np

from bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem
from bounds.tnb import LAW, UNIT_R, WZW25, generating

UNIT_BETA = in_unit_interval("beta")
ABOVE_ONE = require("1 < n < inf", lambda n: bool(np.all((np.asarray(n) > 1) & np.isfinite(n))))
FAILURE = r"\Pr[\theta^*\ \mathrm{not\ selected}]"


# Lemma 7.2 ----------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lem7.2.s1",
    parent="wzw25.lem7.2",
    kind="identity",
    says=FAILURE + r"=PGF(1-1/|\Theta|)",
    needs=[*LAW, integer("size")],
    source=f"{WZW25}, Appendix M.1",
)
def not_selected(*, eta, r, size):
    """The chance that none of K uniform draws is the one good candidate

    "Selected" means drawn in line 5 of Algorithm 4, as Appendix M.1 defines it, not returned at the end. Given K the
    draws miss it with probability (1 - 1/|Theta|)^K. At |Theta| = 1 it is drawn always.

    >>> not_selected(eta=1, r=0.5, size=2), not_selected(eta=3, r=0.5, size=1)
    (0.3333333333333333, 0.0)
    """
    return 0.0 if size == 1 else generating(eta, log(r), log(r + (1 - r) / size))


@theorem(
    "wzw25.lem7.2.s2",
    parent="wzw25.lem7.2",
    kind="identity",
    says=r"PGF_{TNB_{1,r}}(1-1/|\Theta|)=\frac{r(1-1/|\Theta|)}{1-(1-r)(1-1/|\Theta|)}",
    needs=[UNIT_R, integer("size")],
    source=f"{WZW25}, proof of Lemma 7.2",
)
def not_selected_geometric(*, r, size):
    """The same chance in closed form for the geometric law

    With t = 1/|Theta| and s = 1 - (1 - r)(1 - t): (1/s - 1)/(1/r - 1) = r (1 - s)/(s (1 - r)), and 1 - s is
    (1 - r)(1 - t).
    """
    return r * (1 - 1 / size) / (1 - (1 - r) * (1 - 1 / size))


@theorem(
    "wzw25.lem7.2.s3",
    parent="wzw25.lem7.2",
    kind="identity",
    says=r"PGF\le\beta\iff r(1-\beta)(1-1/|\Theta|)\le\beta/|\Theta|",
    needs=[UNIT_R, UNIT_BETA, integer("size")],
    source=f"{WZW25}, proof of Lemma 7.2",
)
def cleared_slack(*, r, beta, size):
    """Multiplied out: beta/|Theta| - r (1 - beta)(1 - 1/|Theta|), which is at least 0 exactly where PGF <= beta

    The denominator s = 1 - (1 - r)(1 - t) is positive, and beta s - r (1 - t) = beta t - r (1 - beta)(1 - t).
    """
    return beta / size - r * (1 - beta) * (1 - 1 / size)


@theorem(
    "wzw25.lem7.2.s4",
    parent="wzw25.lem7.2",
    kind="inequality",
    says=r"PGF\le\beta\ \Rightarrow\ r\le\frac{1}{|\Theta|-1}\cdot\frac{\beta}{1-\beta}",
    needs=[UNIT_BETA, integer("size", 2)],
    source=f"{WZW25}, proof of Lemma 7.2, last line",
)
def largest_r_geometric(*, beta, size):
    """The proof's last line: the largest r, which is the reciprocal of what Lemma 7.2 should ask of E[Q] = 1/r

    The implication holds, and so does its converse, which is what the lemma needs. It divides by |Theta| - 1.
    """
    return beta / (1 - beta) / (size - 1)


@theorem(
    "wzw25.lem7.2",
    says=r"\mathbb{E}[Q]=\frac1r\ge\frac{\beta}{(1-\beta)(|\Theta|-1)}\ \Rightarrow\ " + FAILURE + r"\le\beta",
    needs=[UNIT_BETA, integer("size", 2)],
    source=f"{WZW25}, Lemma 7.2",
)
def repetitions_as_printed(*, beta, size):
    """The expected number of repetitions that Lemma 7.2 asks for, as printed

    It falls with |Theta| and with 1/beta. Undefined at |Theta| = 1.
    """
    return beta / ((1 - beta) * (size - 1))


@theorem(
    "wzw25.lem7.2",
    reading="corrected",
    says=FAILURE + r"\le\beta\iff\mathbb{E}[Q]=\frac1r\ge\frac{(1-\beta)(|\Theta|-1)}{\beta}",
    needs=[UNIT_BETA, integer("size")],
    source=f"{WZW25}, Lemma 7.2 and the last line of its proof",
)
def repetitions(*, beta, size):
    """The expected number of geometric repetitions that draws one of |Theta| candidates with probability 1 - beta

    Necessary and sufficient: beta s - r (1 - t) = beta t - r (1 - beta)(1 - t) with t = 1/|Theta|, s = r + t - r t > 0.

    >>> repetitions(beta=0.5, size=3), repetitions(beta=0.5, size=1)
    (2.0, 0.0)
    """
    return (1 - beta) / beta * (size - 1)


@theorem(
    "wzw25.lem7.2",
    part="drawing",
    reading="corrected",
    kind="tail",
    says=r"\frac1r\ge\frac{(1-\beta)(|\Theta|-1)}{\beta}\ \Rightarrow\ " + FAILURE + r"\le\beta",
    needs=[UNIT_BETA, integer("candidates", 2), at_least("slack", 1)],
    source=f"{WZW25}, Lemma 7.2; lines 3 to 5 of Algorithm 4",
)
def sufficient_r(*, beta, candidates, slack):
    """The same, end to end: K is sampled and K candidates are drawn

    r = 1 / (slack * repetitions), where slack = 1 meets the failure probability exactly.
    """
    return 1 / max(slack * repetitions(beta=beta, size=candidates), 1 + 1e-9)


@theorem(
    "wzw25.lem7.2",
    part="text",
    says=r"\beta=n^{-\alpha}:\ \mathbb{E}[Q]\ge(|\Theta|-1)(n^{\alpha}-1)\ \mathrm{is\ necessary}",
    needs=[positive("alpha"), ABOVE_ONE, integer("size")],
    source=f"{WZW25}, Section 7.1, after Lemma 7.2",
)
def repetitions_polynomial(*, n, alpha, size):
    """The text's lower bound on the expected repetitions, at beta = n^-alpha

    (1 - beta)/beta = n^alpha - 1, so it is the corrected lemma. At equality the failure probability is beta, so "at
    least", not "larger than". Read with a constant, beta = c n^-alpha, it is (|Theta| - 1)(n^alpha/c - 1): the part
    `text` of the explicit reading.

    >>> repetitions_polynomial(n=8, alpha=1, size=3)
    14
    """
    return (size - 1) * (n**alpha - 1)


@theorem(
    "wzw25.lem7.2",
    part="text",
    reading="explicit",
    says=r"\beta\le c\,n^{-\alpha}:\ \mathbb{E}[Q]\ge(|\Theta|-1)(n^{\alpha}/c-1)\ \mathrm{is\ necessary}",
    needs=[positive("alpha"), positive("c"), ABOVE_ONE, integer("size")],
    source=f"{WZW25}, Section 7.1, after Lemma 7.2",
)
def repetitions_polynomial_with_constant(*, n, alpha, size, c):
    """The text's lower bound for beta = O(n^-alpha) with constant c

    (1 - beta)/beta = 1/beta - 1 decreases in beta, and beta <= c n^-alpha. Polynomial in n whatever c is.
    """
    return (size - 1) * (n**alpha / c - 1)
